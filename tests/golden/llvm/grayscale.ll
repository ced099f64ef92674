declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 2
  %v14 = load ptr, ptr %v13, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 1
  %v31 = load ptr, ptr %v30, align 8
  br label %main
main:
  %v5 = mul i64 %v2, %v4
  %v6 = mul i64 %row, %v5
  br label %head7
head7:
  %v8 = phi i64 [ %lo, %main ], [ %v9, %latch7 ]
  %v10 = icmp slt i64 %v8, %hi
  br i1 %v10, label %body7, label %end7
body7:
  %v11 = add i64 %v6, %v8
  %v12 = mul i64 %v8, 3
  %v15 = getelementptr inbounds float, ptr %v14, i64 %v12
  %v16 = load float, ptr %v15, align 4, !llvm.access.group !0, !alias.scope !4
  %v17 = fmul float 0x3FD322D0E0000000, %v16
  %v18 = mul i64 %v8, 3
  %v19 = add i64 1, %v18
  %v20 = getelementptr inbounds float, ptr %v14, i64 %v19
  %v21 = load float, ptr %v20, align 4, !llvm.access.group !0, !alias.scope !4
  %v22 = fmul float 0x3FE2C8B440000000, %v21
  %v23 = fadd float %v17, %v22
  %v24 = mul i64 %v8, 3
  %v25 = add i64 2, %v24
  %v26 = getelementptr inbounds float, ptr %v14, i64 %v25
  %v27 = load float, ptr %v26, align 4, !llvm.access.group !0, !alias.scope !4
  %v28 = fmul float 0x3FBD2F1AA0000000, %v27
  %v29 = fadd float %v23, %v28
  %v32 = getelementptr inbounds float, ptr %v31, i64 %v11
  store float %v29, ptr %v32, align 4, !noalias !4, !llvm.access.group !0
  br label %latch7
latch7:
  %v9 = add nsw i64 %v8, 1
  br label %head7, !llvm.loop !1
end7:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v6 = getelementptr inbounds i64, ptr %block, i64 5
  %v7 = load i64, ptr %v6, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 6
  %v14 = load i64, ptr %v13, align 8
  br label %main
main:
  %v5 = mul i64 %v2, %v4
  %v8 = add i64 %v5, %v7
  %v9 = sub i64 %v8, 1
  %v10 = sdiv i64 %v9, %v7
  %v11 = call i64 @llvm.smin.i64(i64 0, i64 %v5)
  %v12 = call i64 @llvm.smax.i64(i64 %v5, i64 %v11)
  br label %head15
head15:
  %v16 = phi i64 [ %lo, %main ], [ %v17, %latch15 ]
  %v18 = icmp slt i64 %v16, %hi
  br i1 %v18, label %body15, label %end15
body15:
  %v19 = sdiv i64 %v16, %v10
  %v20 = mul i64 %v19, %v10
  %v21 = sub i64 %v16, %v20
  %v22 = mul i64 %v21, %v7
  %v23 = add i64 %v22, %v7
  %v24 = call i64 @llvm.smin.i64(i64 %v23, i64 %v5)
  %v25 = mul i64 %v19, %v14
  %v26 = add i64 %v25, %v14
  %v27 = call i64 @llvm.smin.i64(i64 %v26, i64 1)
  br label %head28
head28:
  %v29 = phi i64 [ %v25, %body15 ], [ %v30, %latch28 ]
  %v31 = icmp slt i64 %v29, %v27
  br i1 %v31, label %body28, label %end28
body28:
  %v32 = icmp slt i64 %v22, %v24
  br i1 %v32, label %then33, label %endif33
then33:
  call void @row_edge(ptr %block, i64 %v29, i64 %v22, i64 %v24)
  br label %endif33
endif33:
  br label %latch28
latch28:
  %v30 = add nsw i64 %v29, 1
  br label %head28
end28:
  br label %latch15
latch15:
  %v17 = add nsw i64 %v16, 1
  br label %head15
end15:
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
