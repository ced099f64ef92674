declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 3
  %v15 = load ptr, ptr %v14, align 8
  %v34 = getelementptr inbounds i64, ptr %block, i64 4
  %v35 = load ptr, ptr %v34, align 8
  %v78 = getelementptr inbounds i64, ptr %block, i64 1
  %v79 = load ptr, ptr %v78, align 8
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
  %v11 = getelementptr inbounds i8, ptr %v10, i64 %v5
  %v12 = load i8, ptr %v11, align 1, !llvm.access.group !0
  %v13 = icmp ne i8 %v12, 0
  %v16 = getelementptr inbounds i16, ptr %v15, i64 %v5
  %v17 = load i16, ptr %v16, align 2, !llvm.access.group !0
  %v18 = zext i16 %v17 to i32
  %v19 = and i32 %v18, 32767
  %v20 = shl i32 %v19, 13
  %v21 = add i32 %v20, 939524096
  %v22 = icmp uge i32 %v19, 31744
  %v23 = add i32 %v21, 939524096
  %v24 = select i1 %v22, i32 %v23, i32 %v21
  %v25 = uitofp i32 %v19 to float
  %v26 = fmul float %v25, 0x3E70000000000000
  %v27 = bitcast float %v26 to i32
  %v28 = icmp ult i32 %v19, 1024
  %v29 = select i1 %v28, i32 %v27, i32 %v24
  %v30 = and i32 %v18, 32768
  %v31 = shl i32 %v30, 16
  %v32 = or i32 %v29, %v31
  %v33 = bitcast i32 %v32 to float
  %v36 = getelementptr inbounds i16, ptr %v35, i64 %v5
  %v37 = load i16, ptr %v36, align 2, !llvm.access.group !0
  %v38 = zext i16 %v37 to i32
  %v39 = and i32 %v38, 32767
  %v40 = shl i32 %v39, 13
  %v41 = add i32 %v40, 939524096
  %v42 = icmp uge i32 %v39, 31744
  %v43 = add i32 %v41, 939524096
  %v44 = select i1 %v42, i32 %v43, i32 %v41
  %v45 = uitofp i32 %v39 to float
  %v46 = fmul float %v45, 0x3E70000000000000
  %v47 = bitcast float %v46 to i32
  %v48 = icmp ult i32 %v39, 1024
  %v49 = select i1 %v48, i32 %v47, i32 %v44
  %v50 = and i32 %v38, 32768
  %v51 = shl i32 %v50, 16
  %v52 = or i32 %v49, %v51
  %v53 = bitcast i32 %v52 to float
  %v54 = zext i1 %v13 to i32
  %v55 = icmp ne i32 %v54, 0
  %v56 = select i1 %v55, float %v33, float %v53
  %v57 = bitcast float %v56 to i32
  %v58 = and i32 %v57, 2147483647
  %v59 = lshr i32 %v58, 13
  %v60 = and i32 %v59, 1
  %v61 = add i32 %v58, %v60
  %v62 = add i32 %v61, -939520001
  %v63 = lshr i32 %v62, 13
  %v64 = bitcast i32 %v58 to float
  %v65 = fadd float %v64, 0x3FE0000000000000
  %v66 = bitcast float %v65 to i32
  %v67 = sub i32 %v66, 1056964608
  %v68 = icmp ult i32 %v58, 947912704
  %v69 = select i1 %v68, i32 %v67, i32 %v63
  %v70 = icmp uge i32 %v58, 1199570944
  %v71 = select i1 %v70, i32 31744, i32 %v69
  %v72 = icmp ugt i32 %v58, 2139095040
  %v73 = select i1 %v72, i32 32256, i32 %v71
  %v74 = lshr i32 %v57, 16
  %v75 = and i32 %v74, 32768
  %v76 = or i32 %v73, %v75
  %v77 = trunc i32 %v76 to i16
  %v80 = getelementptr inbounds i16, ptr %v79, i64 %v8
  store i16 %v77, ptr %v80, align 2, !noalias !4, !llvm.access.group !0
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
  %v10 = getelementptr inbounds i64, ptr %block, i64 7
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
