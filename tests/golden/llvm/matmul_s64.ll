declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 6
  %v2 = load i64, ptr %v1, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 5
  %v15 = load i64, ptr %v14, align 8
  %v16 = alloca <16 x i64>, align 64
  %v24 = getelementptr inbounds i64, ptr %block, i64 2
  %v25 = load ptr, ptr %v24, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 3
  %v31 = load ptr, ptr %v30, align 8
  %v39 = getelementptr inbounds i64, ptr %block, i64 1
  %v40 = load ptr, ptr %v39, align 8
  %v47 = alloca i64, align 64
  br label %main
main:
  %v3 = mul i64 %row, %v2
  %v4 = sub i64 %hi, %lo
  %v5 = sdiv i64 %v4, 16
  %v6 = call i64 @llvm.smax.i64(i64 %v5, i64 0)
  %v7 = mul i64 %v6, 16
  %v8 = add i64 %lo, %v7
  br label %head9
head9:
  %v10 = phi i64 [ %lo, %main ], [ %v11, %latch9 ]
  %v12 = icmp slt i64 %v10, %v8
  br i1 %v12, label %body9, label %end9
body9:
  %v13 = add i64 %v3, %v10
  store <16 x i64> <i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0>, ptr %v16, align 1
  br label %head17
head17:
  %v18 = phi i64 [ 0, %body9 ], [ %v19, %latch17 ]
  %v20 = icmp slt i64 %v18, %v15
  br i1 %v20, label %body17, label %end17
body17:
  %v21 = load <16 x i64>, ptr %v16, align 1
  %v22 = mul i64 %row, %v15
  %v23 = add i64 %v22, %v18
  %v26 = getelementptr inbounds i64, ptr %v25, i64 %v23
  %v27 = load i64, ptr %v26, align 8, !alias.scope !2
  %v28 = mul i64 %v18, %v2
  %v29 = add i64 %v28, %v10
  %v32 = getelementptr inbounds i64, ptr %v31, i64 %v29
  %v33 = load <16 x i64>, ptr %v32, align 8, !alias.scope !2
  %v34 = insertelement <16 x i64> poison, i64 %v27, i64 0
  %v35 = shufflevector <16 x i64> %v34, <16 x i64> poison, <16 x i32> zeroinitializer
  %v36 = mul <16 x i64> %v35, %v33
  %v37 = add <16 x i64> %v21, %v36
  store <16 x i64> %v37, ptr %v16, align 1
  br label %latch17
latch17:
  %v19 = add nsw i64 %v18, 1
  br label %head17
end17:
  %v38 = load <16 x i64>, ptr %v16, align 1
  %v41 = getelementptr inbounds i64, ptr %v40, i64 %v13
  store <16 x i64> %v38, ptr %v41, align 8, !noalias !2
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 16
  br label %head9
end9:
  br label %head42
head42:
  %v43 = phi i64 [ %v8, %end9 ], [ %v44, %latch42 ]
  %v45 = icmp slt i64 %v43, %hi
  br i1 %v45, label %body42, label %end42
body42:
  %v46 = add i64 %v3, %v43
  store i64 0, ptr %v47, align 1
  br label %head48
head48:
  %v49 = phi i64 [ 0, %body42 ], [ %v50, %latch48 ]
  %v51 = icmp slt i64 %v49, %v15
  br i1 %v51, label %body48, label %end48
body48:
  %v52 = load i64, ptr %v47, align 1
  %v53 = mul i64 %row, %v15
  %v54 = add i64 %v53, %v49
  %v55 = getelementptr inbounds i64, ptr %v25, i64 %v54
  %v56 = load i64, ptr %v55, align 8, !alias.scope !2
  %v57 = mul i64 %v49, %v2
  %v58 = add i64 %v57, %v43
  %v59 = getelementptr inbounds i64, ptr %v31, i64 %v58
  %v60 = load i64, ptr %v59, align 8, !alias.scope !2
  %v61 = mul i64 %v56, %v60
  %v62 = add i64 %v52, %v61
  store i64 %v62, ptr %v47, align 1
  br label %latch48
latch48:
  %v50 = add nsw i64 %v49, 1
  br label %head48
end48:
  %v63 = load i64, ptr %v47, align 1
  %v64 = getelementptr inbounds i64, ptr %v40, i64 %v46
  store i64 %v63, ptr %v64, align 8, !noalias !2
  br label %latch42
latch42:
  %v44 = add nsw i64 %v43, 1
  br label %head42, !llvm.loop !3
end42:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 6
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 7
  %v4 = load i64, ptr %v3, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 4
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr inbounds i64, ptr %block, i64 8
  %v13 = load i64, ptr %v12, align 8
  br label %main
main:
  %v5 = add i64 %v2, %v4
  %v6 = sub i64 %v5, 1
  %v7 = sdiv i64 %v6, %v4
  %v8 = call i64 @llvm.smin.i64(i64 0, i64 %v2)
  %v9 = call i64 @llvm.smax.i64(i64 %v2, i64 %v8)
  br label %head14
head14:
  %v15 = phi i64 [ %lo, %main ], [ %v16, %latch14 ]
  %v17 = icmp slt i64 %v15, %hi
  br i1 %v17, label %body14, label %end14
body14:
  %v18 = sdiv i64 %v15, %v7
  %v19 = mul i64 %v18, %v7
  %v20 = sub i64 %v15, %v19
  %v21 = mul i64 %v20, %v4
  %v22 = add i64 %v21, %v4
  %v23 = call i64 @llvm.smin.i64(i64 %v22, i64 %v2)
  %v24 = mul i64 %v18, %v13
  %v25 = add i64 %v24, %v13
  %v26 = call i64 @llvm.smin.i64(i64 %v25, i64 %v11)
  br label %head27
head27:
  %v28 = phi i64 [ %v24, %body14 ], [ %v29, %latch27 ]
  %v30 = icmp slt i64 %v28, %v26
  br i1 %v30, label %body27, label %end27
body27:
  %v31 = icmp slt i64 %v21, %v23
  br i1 %v31, label %then32, label %endif32
then32:
  call void @row_edge(ptr %block, i64 %v28, i64 %v21, i64 %v23)
  br label %endif32
endif32:
  br label %latch27
latch27:
  %v29 = add nsw i64 %v28, 1
  br label %head27
end27:
  br label %latch14
latch14:
  %v16 = add nsw i64 %v15, 1
  br label %head14
end14:
  ret void
}

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
!3 = distinct !{!3, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
