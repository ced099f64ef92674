declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v13 = alloca i32, align 64
  %v14 = alloca i32, align 64
  %v62 = getelementptr inbounds i64, ptr %block, i64 1
  %v63 = load ptr, ptr %v62, align 8
  br label %main
main:
  %v3 = mul i64 %row, %v2
  br label %head4
head4:
  %v5 = phi i64 [ %lo, %main ], [ %v6, %latch4 ]
  %v7 = icmp slt i64 %v5, %hi
  br i1 %v7, label %body4, label %end4
body4:
  %v8 = add i64 %v3, %v5
  %v11 = getelementptr inbounds i32, ptr %v10, i64 %v5
  %v12 = load i32, ptr %v11, align 4, !llvm.access.group !0
  store i32 0, ptr %v13, align 1
  store i32 %v12, ptr %v14, align 1
  br label %head16
head16:
  %v17 = phi i64 [ 0, %body4 ], [ %v18, %latch16 ]
  %v19 = icmp slt i64 %v17, 1048576
  br i1 %v19, label %body16, label %end16
body16:
  %v20 = load i32, ptr %v13, align 1
  %v21 = load i32, ptr %v14, align 1
  %v22 = icmp sgt i32 %v21, 1
  %v23 = icmp slt i32 %v20, 100
  %v24 = and i1 %v22, %v23
  store i32 %v20, ptr %v13, align 1
  store i32 %v21, ptr %v14, align 1
  br i1 %v24, label %go15, label %done15
go15:
  %v25 = icmp eq i32 2, 0
  %v26 = icmp eq i32 2, -1
  %v27 = icmp eq i32 %v21, -2147483648
  %v28 = and i1 %v26, %v27
  %v29 = or i1 %v25, %v28
  %v30 = select i1 %v29, i32 1, i32 2
  %v31 = sdiv i32 %v21, %v30
  %v32 = srem i32 %v21, %v30
  %v33 = icmp ne i32 %v32, 0
  %v34 = xor i32 %v32, %v30
  %v35 = icmp slt i32 %v34, 0
  %v36 = and i1 %v33, %v35
  %v37 = add i32 %v32, %v30
  %v38 = select i1 %v36, i32 %v37, i32 %v32
  %v39 = select i1 %v25, i32 0, i32 %v38
  %v40 = icmp eq i32 %v39, 0
  %v41 = icmp eq i32 2, 0
  %v42 = icmp eq i32 2, -1
  %v43 = icmp eq i32 %v21, -2147483648
  %v44 = and i1 %v42, %v43
  %v45 = or i1 %v41, %v44
  %v46 = select i1 %v45, i32 1, i32 2
  %v47 = sdiv i32 %v21, %v46
  %v48 = srem i32 %v21, %v46
  %v49 = icmp ne i32 %v48, 0
  %v50 = xor i32 %v48, %v46
  %v51 = icmp slt i32 %v50, 0
  %v52 = and i1 %v49, %v51
  %v53 = sub i32 %v47, 1
  %v54 = select i1 %v52, i32 %v53, i32 %v47
  %v55 = select i1 %v41, i32 0, i32 %v54
  %v56 = mul i32 3, %v21
  %v57 = add i32 %v56, 1
  %v58 = select i1 %v40, i32 %v55, i32 %v57
  %v59 = add i32 %v20, 1
  store i32 %v59, ptr %v13, align 1
  store i32 %v58, ptr %v14, align 1
  br label %latch16
latch16:
  %v18 = add nsw i64 %v17, 1
  br label %head16
end16:
  br label %done15
done15:
  %v60 = load i32, ptr %v13, align 1
  %v61 = load i32, ptr %v14, align 1
  %v64 = getelementptr inbounds i32, ptr %v63, i64 %v8
  store i32 %v60, ptr %v64, align 4, !noalias !4, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 5
  %v11 = load i64, ptr %v10, align 8
  br label %main
main:
  %v5 = add i64 %v2, %v4
  %v6 = sub i64 %v5, 1
  %v7 = sdiv i64 %v6, %v4
  %v8 = call i64 @llvm.smin.i64(i64 0, i64 %v2)
  %v9 = call i64 @llvm.smax.i64(i64 %v2, i64 %v8)
  br label %head12
head12:
  %v13 = phi i64 [ %lo, %main ], [ %v14, %latch12 ]
  %v15 = icmp slt i64 %v13, %hi
  br i1 %v15, label %body12, label %end12
body12:
  %v16 = sdiv i64 %v13, %v7
  %v17 = mul i64 %v16, %v7
  %v18 = sub i64 %v13, %v17
  %v19 = mul i64 %v18, %v4
  %v20 = add i64 %v19, %v4
  %v21 = call i64 @llvm.smin.i64(i64 %v20, i64 %v2)
  %v22 = mul i64 %v16, %v11
  %v23 = add i64 %v22, %v11
  %v24 = call i64 @llvm.smin.i64(i64 %v23, i64 1)
  br label %head25
head25:
  %v26 = phi i64 [ %v22, %body12 ], [ %v27, %latch25 ]
  %v28 = icmp slt i64 %v26, %v24
  br i1 %v28, label %body25, label %end25
body25:
  %v29 = icmp slt i64 %v19, %v21
  br i1 %v29, label %then30, label %endif30
then30:
  call void @row_edge(ptr %block, i64 %v26, i64 %v19, i64 %v21)
  br label %endif30
endif30:
  br label %latch25
latch25:
  %v27 = add nsw i64 %v26, 1
  br label %head25
end25:
  br label %latch12
latch12:
  %v14 = add nsw i64 %v13, 1
  br label %head12
end12:
  ret void
}

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
