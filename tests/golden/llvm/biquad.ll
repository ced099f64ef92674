declare i64 @llvm.smin.i64(i64, i64)
define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v16 = alloca <16 x float>, align 64
  %v17 = alloca <16 x float>, align 64
  %v26 = getelementptr inbounds i64, ptr %block, i64 2
  %v27 = load ptr, ptr %v26, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 3
  %v31 = load double, ptr %v30, align 8
  %v32 = fptrunc double %v31 to float
  %v37 = getelementptr inbounds i64, ptr %block, i64 4
  %v38 = load double, ptr %v37, align 8
  %v39 = fptrunc double %v38 to float
  %v47 = getelementptr inbounds i64, ptr %block, i64 1
  %v48 = load ptr, ptr %v47, align 8
  %v58 = alloca float, align 64
  %v59 = alloca float, align 64
  br label %main
main:
  %v3 = add i64 2, 15
  %v4 = udiv i64 %v3, 16
  br label %head5
head5:
  %v6 = phi i64 [ %lo, %main ], [ %v7, %latch5 ]
  %v8 = icmp slt i64 %v6, %hi
  br i1 %v8, label %body5, label %end5
body5:
  %v9 = udiv i64 %v6, %v4
  %v10 = mul i64 %v9, %v4
  %v11 = sub i64 %v6, %v10
  %v12 = mul i64 %v11, 16
  %v13 = add i64 %v12, 16
  %v14 = icmp sle i64 %v13, 2
  br i1 %v14, label %then15, label %endif15
then15:
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v16, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v17, align 4
  br label %head18
head18:
  %v19 = phi i64 [ 0, %then15 ], [ %v20, %latch18 ]
  %v21 = icmp slt i64 %v19, %v2
  br i1 %v21, label %body18, label %end18
body18:
  %v22 = load <16 x float>, ptr %v16, align 4
  %v23 = load <16 x float>, ptr %v17, align 4
  %v24 = mul i64 %v19, 2
  %v25 = add i64 %v24, %v12
  %v28 = getelementptr inbounds float, ptr %v27, i64 %v25
  %v29 = load <16 x float>, ptr %v28, align 4
  %v33 = insertelement <16 x float> poison, float %v32, i64 0
  %v34 = shufflevector <16 x float> %v33, <16 x float> poison, <16 x i32> zeroinitializer
  %v35 = fmul <16 x float> %v34, %v29
  %v36 = fadd <16 x float> %v35, %v22
  %v40 = insertelement <16 x float> poison, float %v39, i64 0
  %v41 = shufflevector <16 x float> %v40, <16 x float> poison, <16 x i32> zeroinitializer
  %v42 = fmul <16 x float> %v41, %v36
  %v43 = fsub <16 x float> %v23, %v42
  %v44 = fsub <16 x float> %v29, %v36
  store <16 x float> %v43, ptr %v16, align 4
  store <16 x float> %v44, ptr %v17, align 4
  %v45 = mul i64 %v19, 2
  %v46 = add i64 %v45, %v12
  %v49 = getelementptr inbounds float, ptr %v48, i64 %v46
  store <16 x float> %v36, ptr %v49, align 4, !noalias !2
  br label %latch18
latch18:
  %v20 = add nsw i64 %v19, 1
  br label %head18
end18:
  br label %endif15
endif15:
  %v50 = xor i1 %v14, true
  br i1 %v50, label %then51, label %endif51
then51:
  %v52 = add i64 %v12, 16
  %v53 = call i64 @llvm.smin.i64(i64 %v52, i64 2)
  br label %head54
head54:
  %v55 = phi i64 [ %v12, %then51 ], [ %v56, %latch54 ]
  %v57 = icmp slt i64 %v55, %v53
  br i1 %v57, label %body54, label %end54
body54:
  store float 0x0000000000000000, ptr %v58, align 4
  store float 0x0000000000000000, ptr %v59, align 4
  br label %head60
head60:
  %v61 = phi i64 [ 0, %body54 ], [ %v62, %latch60 ]
  %v63 = icmp slt i64 %v61, %v2
  br i1 %v63, label %body60, label %end60
body60:
  %v64 = load float, ptr %v58, align 4
  %v65 = load float, ptr %v59, align 4
  %v66 = mul i64 %v61, 2
  %v67 = add i64 %v66, %v55
  %v68 = getelementptr inbounds float, ptr %v27, i64 %v67
  %v69 = load float, ptr %v68, align 4
  %v70 = fmul float %v32, %v69
  %v71 = fadd float %v70, %v64
  %v72 = fmul float %v39, %v71
  %v73 = fsub float %v65, %v72
  %v74 = fsub float %v69, %v71
  store float %v73, ptr %v58, align 4
  store float %v74, ptr %v59, align 4
  %v75 = mul i64 %v61, 2
  %v76 = add i64 %v75, %v55
  %v77 = getelementptr inbounds float, ptr %v48, i64 %v76
  store float %v71, ptr %v77, align 4, !noalias !2
  br label %latch60
latch60:
  %v62 = add nsw i64 %v61, 1
  br label %head60
end60:
  br label %latch54
latch54:
  %v56 = add nsw i64 %v55, 1
  br label %head54
end54:
  br label %endif51
endif51:
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5
end5:
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
