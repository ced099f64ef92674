declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v25 = getelementptr inbounds i64, ptr %block, i64 1
  %v26 = load ptr, ptr %v25, align 8
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
  %v11 = getelementptr inbounds i16, ptr %v10, i64 %v5
  %v12 = load i16, ptr %v11, align 2, !llvm.access.group !0
  %v13 = zext i16 %v12 to i32
  %v14 = shl i32 %v13, 16
  %v15 = bitcast i32 %v14 to float
  %v16 = fcmp ord float %v15, 0x0000000000000000
  %v17 = select i1 %v16, float %v15, float 0x0000000000000000
  %v18 = fcmp ogt float %v17, 0xC060000000000000
  %v19 = select i1 %v18, float %v17, float 0xC060000000000000
  %v20 = fcmp olt float %v19, 0x405FC00000000000
  %v21 = select i1 %v20, float %v19, float 0x405FC00000000000
  %v22 = fadd float %v21, 0x4168000000000000
  %v23 = bitcast float %v22 to i32
  %v24 = trunc i32 %v23 to i8
  %v27 = getelementptr inbounds i8, ptr %v26, i64 %v8
  store i8 %v24, ptr %v27, align 1, !noalias !4, !llvm.access.group !0
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
