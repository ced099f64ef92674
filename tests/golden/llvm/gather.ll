declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 5
  %v10 = load i64, ptr %v9, align 8
  %v11 = add i64 %v10, -1
  %v12 = call i64 @llvm.smax.i64(i64 %v11, i64 0)
  %v15 = getelementptr inbounds i64, ptr %block, i64 3
  %v16 = load ptr, ptr %v15, align 8
  %v20 = add i64 %v2, -1
  %v21 = call i64 @llvm.smax.i64(i64 %v20, i64 0)
  %v24 = getelementptr inbounds i64, ptr %block, i64 2
  %v25 = load ptr, ptr %v24, align 8
  %v28 = getelementptr inbounds i64, ptr %block, i64 1
  %v29 = load ptr, ptr %v28, align 8
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
  %v13 = call i64 @llvm.smax.i64(i64 %v5, i64 0)
  %v14 = call i64 @llvm.smin.i64(i64 %v13, i64 %v12)
  %v17 = getelementptr inbounds i32, ptr %v16, i64 %v14
  %v18 = load i32, ptr %v17, align 4, !llvm.access.group !0, !alias.scope !4
  %v19 = sext i32 %v18 to i64
  %v22 = call i64 @llvm.smax.i64(i64 %v19, i64 0)
  %v23 = call i64 @llvm.smin.i64(i64 %v22, i64 %v21)
  %v26 = getelementptr inbounds float, ptr %v25, i64 %v23
  %v27 = load float, ptr %v26, align 4, !llvm.access.group !0, !alias.scope !4
  %v30 = getelementptr inbounds float, ptr %v29, i64 %v8
  store float %v27, ptr %v30, align 4, !noalias !4, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
  ret void
}

define internal void @row_inside(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 3
  %v10 = load ptr, ptr %v9, align 8
  %v14 = add i64 %v2, -1
  %v15 = call i64 @llvm.smax.i64(i64 %v14, i64 0)
  %v18 = getelementptr inbounds i64, ptr %block, i64 2
  %v19 = load ptr, ptr %v18, align 8
  %v22 = getelementptr inbounds i64, ptr %block, i64 1
  %v23 = load ptr, ptr %v22, align 8
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
  %v12 = load i32, ptr %v11, align 4, !llvm.access.group !5, !alias.scope !4
  %v13 = sext i32 %v12 to i64
  %v16 = call i64 @llvm.smax.i64(i64 %v13, i64 0)
  %v17 = call i64 @llvm.smin.i64(i64 %v16, i64 %v15)
  %v20 = getelementptr inbounds float, ptr %v19, i64 %v17
  %v21 = load float, ptr %v20, align 4, !llvm.access.group !5, !alias.scope !4
  %v24 = getelementptr inbounds float, ptr %v23, i64 %v8
  store float %v21, ptr %v24, align 4, !noalias !4, !llvm.access.group !5
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !6
end4:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v8 = getelementptr inbounds i64, ptr %block, i64 5
  %v9 = load i64, ptr %v8, align 8
  %v19 = getelementptr inbounds i64, ptr %block, i64 7
  %v20 = load i64, ptr %v19, align 8
  br label %main
main:
  %v5 = add i64 %v2, %v4
  %v6 = sub i64 %v5, 1
  %v7 = sdiv i64 %v6, %v4
  %v10 = add i64 %v9, -1
  %v11 = add i64 %v10, 1
  %v12 = sdiv i64 %v11, 1
  %v13 = icmp slt i64 %v10, 0
  %v14 = select i1 %v13, i64 0, i64 %v12
  %v15 = call i64 @llvm.smax.i64(i64 0, i64 0)
  %v16 = call i64 @llvm.smin.i64(i64 %v2, i64 %v14)
  %v17 = call i64 @llvm.smin.i64(i64 %v15, i64 %v2)
  %v18 = call i64 @llvm.smax.i64(i64 %v16, i64 %v17)
  br label %head21
head21:
  %v22 = phi i64 [ %lo, %main ], [ %v23, %latch21 ]
  %v24 = icmp slt i64 %v22, %hi
  br i1 %v24, label %body21, label %end21
body21:
  %v25 = sdiv i64 %v22, %v7
  %v26 = mul i64 %v25, %v7
  %v27 = sub i64 %v22, %v26
  %v28 = mul i64 %v27, %v4
  %v29 = add i64 %v28, %v4
  %v30 = call i64 @llvm.smin.i64(i64 %v29, i64 %v2)
  %v31 = mul i64 %v25, %v20
  %v32 = add i64 %v31, %v20
  %v33 = call i64 @llvm.smin.i64(i64 %v32, i64 1)
  br label %head34
head34:
  %v35 = phi i64 [ %v31, %body21 ], [ %v36, %latch34 ]
  %v37 = icmp slt i64 %v35, %v33
  br i1 %v37, label %body34, label %end34
body34:
  %v38 = call i64 @llvm.smin.i64(i64 %v30, i64 %v17)
  %v39 = icmp slt i64 %v28, %v38
  br i1 %v39, label %then40, label %endif40
then40:
  call void @row_edge(ptr %block, i64 %v35, i64 %v28, i64 %v38)
  br label %endif40
endif40:
  %v41 = call i64 @llvm.smax.i64(i64 %v28, i64 %v17)
  %v42 = call i64 @llvm.smin.i64(i64 %v30, i64 %v18)
  %v43 = icmp slt i64 %v41, %v42
  br i1 %v43, label %then44, label %endif44
then44:
  call void @row_inside(ptr %block, i64 %v35, i64 %v41, i64 %v42)
  br label %endif44
endif44:
  %v45 = call i64 @llvm.smax.i64(i64 %v28, i64 %v18)
  %v46 = icmp slt i64 %v45, %v30
  br i1 %v46, label %then47, label %endif47
then47:
  call void @row_edge(ptr %block, i64 %v35, i64 %v45, i64 %v30)
  br label %endif47
endif47:
  br label %latch34
latch34:
  %v36 = add nsw i64 %v35, 1
  br label %head34
end34:
  br label %latch21
latch21:
  %v23 = add nsw i64 %v22, 1
  br label %head21
end21:
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
!5 = distinct !{}
!6 = distinct !{!6, !{!"llvm.loop.parallel_accesses", !5}, !{!"llvm.loop.mustprogress"}}
