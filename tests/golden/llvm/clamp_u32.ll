declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.smax.i64(i64, i64)
declare <16 x i32> @llvm.umax.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.umin.v16i32(<16 x i32>, <16 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 3
  %v14 = load i64, ptr %v13, align 8
  %v15 = trunc i64 %v14 to i32
  %v17 = getelementptr inbounds i64, ptr %block, i64 4
  %v18 = load i64, ptr %v17, align 8
  %v19 = trunc i64 %v18 to i32
  %v21 = getelementptr inbounds i64, ptr %block, i64 1
  %v22 = load ptr, ptr %v21, align 8
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
  %v16 = call i32 @llvm.umax.i32(i32 %v12, i32 %v15)
  %v20 = call i32 @llvm.umin.i32(i32 %v16, i32 %v19)
  %v23 = getelementptr inbounds i32, ptr %v22, i64 %v8
  store i32 %v20, ptr %v23, align 4, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
  ret void
}

define internal void @row_stream(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 2
  %v15 = load ptr, ptr %v14, align 8
  %v18 = getelementptr inbounds i64, ptr %block, i64 3
  %v19 = load i64, ptr %v18, align 8
  %v20 = trunc i64 %v19 to i32
  %v24 = getelementptr inbounds i64, ptr %block, i64 4
  %v25 = load i64, ptr %v24, align 8
  %v26 = trunc i64 %v25 to i32
  %v30 = getelementptr inbounds i64, ptr %block, i64 1
  %v31 = load ptr, ptr %v30, align 8
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
  %v16 = getelementptr inbounds i32, ptr %v15, i64 %v10
  %v17 = load <16 x i32>, ptr %v16, align 4
  %v21 = insertelement <16 x i32> poison, i32 %v20, i64 0
  %v22 = shufflevector <16 x i32> %v21, <16 x i32> poison, <16 x i32> zeroinitializer
  %v23 = call <16 x i32> @llvm.umax.v16i32(<16 x i32> %v17, <16 x i32> %v22)
  %v27 = insertelement <16 x i32> poison, i32 %v26, i64 0
  %v28 = shufflevector <16 x i32> %v27, <16 x i32> poison, <16 x i32> zeroinitializer
  %v29 = call <16 x i32> @llvm.umin.v16i32(<16 x i32> %v23, <16 x i32> %v28)
  %v32 = getelementptr inbounds i32, ptr %v31, i64 %v13
  store <16 x i32> %v29, ptr %v32, align 64, !nontemporal !2
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 16
  br label %head9
end9:
  br label %head33
head33:
  %v34 = phi i64 [ %v8, %end9 ], [ %v35, %latch33 ]
  %v36 = icmp slt i64 %v34, %hi
  br i1 %v36, label %body33, label %end33
body33:
  %v37 = add i64 %v3, %v34
  %v38 = getelementptr inbounds i32, ptr %v15, i64 %v34
  %v39 = load i32, ptr %v38, align 4, !llvm.access.group !3
  %v40 = call i32 @llvm.umax.i32(i32 %v39, i32 %v20)
  %v41 = call i32 @llvm.umin.i32(i32 %v40, i32 %v26)
  %v42 = getelementptr inbounds i32, ptr %v31, i64 %v37
  store i32 %v41, ptr %v42, align 4, !llvm.access.group !3
  br label %latch33
latch33:
  %v35 = add nsw i64 %v34, 1
  br label %head33, !llvm.loop !4
end33:
  fence seq_cst
  ret void
}

define internal void @weft_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 7
  %v11 = load i64, ptr %v10, align 8
  %v29 = getelementptr inbounds i64, ptr %block, i64 8
  %v30 = load i64, ptr %v29, align 8
  %v32 = getelementptr inbounds i64, ptr %block, i64 1
  %v33 = load ptr, ptr %v32, align 8
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
  %v31 = icmp ne i64 %v30, 0
  %v34 = ptrtoint ptr %v33 to i64
  %v35 = or i64 0, %v34
  %v36 = and i64 %v35, 63
  %v37 = icmp eq i64 %v36, 0
  %v38 = and i1 %v31, %v37
  br i1 %v38, label %then39, label %endif39
then39:
  %v40 = icmp slt i64 %v19, %v21
  br i1 %v40, label %then41, label %endif41
then41:
  call void @row_stream(ptr %block, i64 %v26, i64 %v19, i64 %v21)
  br label %endif41
endif41:
  br label %endif39
endif39:
  %v42 = xor i1 %v38, true
  br i1 %v42, label %then43, label %endif43
then43:
  %v44 = icmp slt i64 %v19, %v21
  br i1 %v44, label %then45, label %endif45
then45:
  call void @row_edge(ptr %block, i64 %v26, i64 %v19, i64 %v21)
  br label %endif45
endif45:
  br label %endif43
endif43:
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

define dso_local void @weft_run(ptr %block, i64 %lo, i64 %hi) nounwind {
start:
  br label %main
main:
  call void @weft_units(ptr %block, i64 %lo, i64 %hi)
  ret void
}

define dso_local void @weft_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

define dso_local i64 @weft_work(ptr %block, ptr %control) nounwind {
start:
  br label %main
main:
  %v1 = getelementptr inbounds i64, ptr %control, i64 0
  %v2 = getelementptr inbounds i64, ptr %control, i64 3
  %v3 = getelementptr inbounds i64, ptr %control, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %control, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr inbounds i64, ptr %control, i64 4
  %v8 = load i64, ptr %v7, align 8
  br label %head10
head10:
  %v11 = phi i64 [ 0, %main ], [ %v12, %latch10 ]
  %v13 = icmp slt i64 %v11, %v8
  br i1 %v13, label %body10, label %end10
body10:
  br label %take9
take9:
  %v14 = atomicrmw add ptr %v1, i64 %v6 monotonic
  %v15 = icmp slt i64 %v14, %v4
  br i1 %v15, label %run9, label %none9
run9:
  %v16 = add i64 %v14, %v6
  %v17 = call i64 @llvm.smin.i64(i64 %v16, i64 %v4)
  call void @weft_units(ptr %block, i64 %v14, i64 %v17)
  %v18 = sub i64 %v17, %v14
  %v19 = atomicrmw add ptr %v2, i64 %v18 acq_rel
  %v21 = add i64 %v19, %v18
  %v22 = icmp eq i64 %v21, %v4
  br i1 %v22, label %last9, label %goon20
goon20:
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 1
  br label %head10
end10:
  ret i64 2
last9:
  call void @weft_finish(ptr %block)
  ret i64 1
none9:
  br label %done9
done9:
  ret i64 0
}

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = !{i32 1}
!3 = distinct !{}
!4 = distinct !{!4, !{!"llvm.loop.parallel_accesses", !3}, !{!"llvm.loop.mustprogress"}}
