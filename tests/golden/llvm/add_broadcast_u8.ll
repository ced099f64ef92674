declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v11 = getelementptr inbounds i64, ptr %block, i64 2
  %v12 = load ptr, ptr %v11, align 8
  %v16 = getelementptr inbounds i64, ptr %block, i64 3
  %v17 = load ptr, ptr %v16, align 8
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
  %v9 = mul i64 %row, %v2
  %v10 = add i64 %v9, %v5
  %v13 = getelementptr inbounds i8, ptr %v12, i64 %v10
  %v14 = load i8, ptr %v13, align 1, !llvm.access.group !0
  %v15 = zext i8 %v14 to i32
  %v18 = getelementptr inbounds i8, ptr %v17, i64 %v5
  %v19 = load i8, ptr %v18, align 1, !llvm.access.group !0, !alias.scope !4
  %v20 = zext i8 %v19 to i32
  %v21 = add i32 %v15, %v20
  %v22 = call i32 @llvm.smax.i32(i32 %v21, i32 0)
  %v23 = call i32 @llvm.smin.i32(i32 %v22, i32 255)
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
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 4
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr inbounds i64, ptr %block, i64 7
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

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
