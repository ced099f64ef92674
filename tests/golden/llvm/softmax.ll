declare <32 x float> @llvm.fmuladd.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v9 = alloca <32 x float>, align 64
  %v18 = getelementptr inbounds i64, ptr %block, i64 2
  %v19 = load ptr, ptr %v18, align 8
  %v58 = alloca float, align 64
  %v81 = alloca <32 x float>, align 64
  %v124 = getelementptr inbounds i64, ptr %block, i64 1
  %v125 = load ptr, ptr %v124, align 8
  %v145 = alloca float, align 64
  br label %main
main:
  br label %head3
head3:
  %v4 = phi i64 [ %lo, %main ], [ %v5, %latch3 ]
  %v6 = icmp slt i64 %v4, %hi
  br i1 %v6, label %body3, label %end3
body3:
  %v7 = udiv i64 %v2, 32
  %v8 = mul i64 %v7, 32
  store <32 x float> <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, ptr %v9, align 4
  br label %head10
head10:
  %v11 = phi i64 [ 0, %body3 ], [ %v12, %latch10 ]
  %v13 = icmp slt i64 %v11, %v8
  br i1 %v13, label %body10, label %end10
body10:
  %v14 = mul i64 %v4, %v2
  %v15 = add i64 %v14, %v11
  %v16 = mul i64 %v4, %v2
  %v17 = add i64 %v16, %v11
  %v20 = getelementptr inbounds float, ptr %v19, i64 %v17
  %v21 = load <32 x float>, ptr %v20, align 4
  %v22 = load <32 x float>, ptr %v9, align 4
  %v23 = fcmp ogt <32 x float> %v22, %v21
  %v24 = select <32 x i1> %v23, <32 x float> %v22, <32 x float> %v21
  %v25 = fcmp uno <32 x float> %v22, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v26 = select <32 x i1> %v25, <32 x float> %v22, <32 x float> %v24
  store <32 x float> %v26, ptr %v9, align 4
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 32
  br label %head10
end10:
  %v27 = load <32 x float>, ptr %v9, align 4
  %v28 = shufflevector <32 x float> %v27, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v29 = shufflevector <32 x float> %v27, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v30 = fcmp ogt <16 x float> %v28, %v29
  %v31 = select <16 x i1> %v30, <16 x float> %v28, <16 x float> %v29
  %v32 = fcmp uno <16 x float> %v28, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v33 = select <16 x i1> %v32, <16 x float> %v28, <16 x float> %v31
  %v34 = shufflevector <16 x float> %v33, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v35 = shufflevector <16 x float> %v33, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v36 = fcmp ogt <8 x float> %v34, %v35
  %v37 = select <8 x i1> %v36, <8 x float> %v34, <8 x float> %v35
  %v38 = fcmp uno <8 x float> %v34, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v39 = select <8 x i1> %v38, <8 x float> %v34, <8 x float> %v37
  %v40 = shufflevector <8 x float> %v39, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v41 = shufflevector <8 x float> %v39, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v42 = fcmp ogt <4 x float> %v40, %v41
  %v43 = select <4 x i1> %v42, <4 x float> %v40, <4 x float> %v41
  %v44 = fcmp uno <4 x float> %v40, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v45 = select <4 x i1> %v44, <4 x float> %v40, <4 x float> %v43
  %v46 = shufflevector <4 x float> %v45, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v47 = shufflevector <4 x float> %v45, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v48 = fcmp ogt <2 x float> %v46, %v47
  %v49 = select <2 x i1> %v48, <2 x float> %v46, <2 x float> %v47
  %v50 = fcmp uno <2 x float> %v46, <float 0x0000000000000000, float 0x0000000000000000>
  %v51 = select <2 x i1> %v50, <2 x float> %v46, <2 x float> %v49
  %v52 = extractelement <2 x float> %v51, i64 0
  %v53 = extractelement <2 x float> %v51, i64 1
  %v54 = fcmp ogt float %v52, %v53
  %v55 = select i1 %v54, float %v52, float %v53
  %v56 = fcmp uno float %v52, 0x0000000000000000
  %v57 = select i1 %v56, float %v52, float %v55
  store float 0xFFF0000000000000, ptr %v58, align 4
  br label %head59
head59:
  %v60 = phi i64 [ %v8, %end10 ], [ %v61, %latch59 ]
  %v62 = icmp slt i64 %v60, %v2
  br i1 %v62, label %body59, label %end59
body59:
  %v63 = mul i64 %v4, %v2
  %v64 = add i64 %v63, %v60
  %v65 = mul i64 %v4, %v2
  %v66 = add i64 %v65, %v60
  %v67 = getelementptr inbounds float, ptr %v19, i64 %v66
  %v68 = load float, ptr %v67, align 4
  %v69 = load float, ptr %v58, align 4
  %v70 = fcmp ogt float %v69, %v68
  %v71 = select i1 %v70, float %v69, float %v68
  %v72 = fcmp uno float %v69, 0x0000000000000000
  %v73 = select i1 %v72, float %v69, float %v71
  store float %v73, ptr %v58, align 4
  br label %latch59
latch59:
  %v61 = add nsw i64 %v60, 1
  br label %head59
end59:
  %v74 = load float, ptr %v58, align 4
  %v75 = fcmp ogt float %v57, %v74
  %v76 = select i1 %v75, float %v57, float %v74
  %v77 = fcmp uno float %v57, 0x0000000000000000
  %v78 = select i1 %v77, float %v57, float %v76
  %v79 = udiv i64 %v2, 32
  %v80 = mul i64 %v79, 32
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v81, align 4
  br label %head82
head82:
  %v83 = phi i64 [ 0, %end59 ], [ %v84, %latch82 ]
  %v85 = icmp slt i64 %v83, %v80
  br i1 %v85, label %body82, label %end82
body82:
  %v86 = mul i64 %v4, %v2
  %v87 = add i64 %v86, %v83
  %v88 = mul i64 %v4, %v2
  %v89 = add i64 %v88, %v83
  %v90 = getelementptr inbounds float, ptr %v19, i64 %v89
  %v91 = load <32 x float>, ptr %v90, align 4
  %v92 = insertelement <32 x float> poison, float %v78, i64 0
  %v93 = shufflevector <32 x float> %v92, <32 x float> poison, <32 x i32> zeroinitializer
  %v94 = fsub <32 x float> %v91, %v93
  %v95 = fcmp olt <32 x float> %v94, <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>
  %v96 = select <32 x i1> %v95, <32 x float> <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>, <32 x float> %v94
  %v97 = fcmp ogt <32 x float> %v96, <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>
  %v98 = select <32 x i1> %v97, <32 x float> <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>, <32 x float> %v96
  %v99 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v98, <32 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <32 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %v100 = fsub <32 x float> %v99, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v101 = bitcast <32 x float> %v99 to <32 x i32>
  %v102 = sub <32 x i32> %v101, <i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504>
  %v103 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v100, <32 x float> <float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000>, <32 x float> %v98)
  %v104 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v100, <32 x float> <float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000>, <32 x float> %v103)
  %v105 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v104, <32 x float> <float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000>, <32 x float> <float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000>)
  %v106 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v105, <32 x float> %v104, <32 x float> <float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000>)
  %v107 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v106, <32 x float> %v104, <32 x float> <float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000>)
  %v108 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v107, <32 x float> %v104, <32 x float> <float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000>)
  %v109 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v108, <32 x float> %v104, <32 x float> <float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000>)
  %v110 = fmul <32 x float> %v104, %v104
  %v111 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v109, <32 x float> %v110, <32 x float> %v104)
  %v112 = fadd <32 x float> %v111, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v113 = add <32 x i32> %v102, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v114 = ashr <32 x i32> %v113, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v115 = add <32 x i32> %v114, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v116 = shl <32 x i32> %v115, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v117 = bitcast <32 x i32> %v116 to <32 x float>
  %v118 = fmul <32 x float> %v112, %v117
  %v119 = sub <32 x i32> %v113, %v114
  %v120 = add <32 x i32> %v119, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v121 = shl <32 x i32> %v120, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v122 = bitcast <32 x i32> %v121 to <32 x float>
  %v123 = fmul <32 x float> %v118, %v122
  %v126 = getelementptr inbounds float, ptr %v125, i64 %v87
  store <32 x float> %v123, ptr %v126, align 4
  %v127 = load <32 x float>, ptr %v81, align 4
  %v128 = fadd <32 x float> %v127, %v123
  store <32 x float> %v128, ptr %v81, align 4
  br label %latch82
latch82:
  %v84 = add nsw i64 %v83, 32
  br label %head82
end82:
  %v129 = load <32 x float>, ptr %v81, align 4
  %v130 = shufflevector <32 x float> %v129, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v131 = shufflevector <32 x float> %v129, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v132 = fadd <16 x float> %v130, %v131
  %v133 = shufflevector <16 x float> %v132, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v134 = shufflevector <16 x float> %v132, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v135 = fadd <8 x float> %v133, %v134
  %v136 = shufflevector <8 x float> %v135, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v137 = shufflevector <8 x float> %v135, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v138 = fadd <4 x float> %v136, %v137
  %v139 = shufflevector <4 x float> %v138, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v140 = shufflevector <4 x float> %v138, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v141 = fadd <2 x float> %v139, %v140
  %v142 = extractelement <2 x float> %v141, i64 0
  %v143 = extractelement <2 x float> %v141, i64 1
  %v144 = fadd float %v142, %v143
  store float 0x0000000000000000, ptr %v145, align 4
  br label %head146
head146:
  %v147 = phi i64 [ %v80, %end82 ], [ %v148, %latch146 ]
  %v149 = icmp slt i64 %v147, %v2
  br i1 %v149, label %body146, label %end146
body146:
  %v150 = mul i64 %v4, %v2
  %v151 = add i64 %v150, %v147
  %v152 = mul i64 %v4, %v2
  %v153 = add i64 %v152, %v147
  %v154 = getelementptr inbounds float, ptr %v19, i64 %v153
  %v155 = load float, ptr %v154, align 4
  %v156 = fsub float %v155, %v78
  %v157 = fcmp olt float %v156, 0xC05A400000000000
  %v158 = select i1 %v157, float 0xC05A400000000000, float %v156
  %v159 = fcmp ogt float %v158, 0x4056C00000000000
  %v160 = select i1 %v159, float 0x4056C00000000000, float %v158
  %v161 = call float @llvm.fmuladd.f32(float %v160, float 0x3FF7154760000000, float 0x4168000000000000)
  %v162 = fsub float %v161, 0x4168000000000000
  %v163 = bitcast float %v161 to i32
  %v164 = sub i32 %v163, 1262485504
  %v165 = call float @llvm.fmuladd.f32(float %v162, float 0xBFE6300000000000, float %v160)
  %v166 = call float @llvm.fmuladd.f32(float %v162, float 0x3F2BD01060000000, float %v165)
  %v167 = call float @llvm.fmuladd.f32(float %v166, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v168 = call float @llvm.fmuladd.f32(float %v167, float %v166, float 0x3F81110C60000000)
  %v169 = call float @llvm.fmuladd.f32(float %v168, float %v166, float 0x3FA5554EA0000000)
  %v170 = call float @llvm.fmuladd.f32(float %v169, float %v166, float 0x3FC5555560000000)
  %v171 = call float @llvm.fmuladd.f32(float %v170, float %v166, float 0x3FE0000000000000)
  %v172 = fmul float %v166, %v166
  %v173 = call float @llvm.fmuladd.f32(float %v171, float %v172, float %v166)
  %v174 = fadd float %v173, 0x3FF0000000000000
  %v175 = add i32 %v164, 0
  %v176 = ashr i32 %v175, 1
  %v177 = add i32 %v176, 127
  %v178 = shl i32 %v177, 23
  %v179 = bitcast i32 %v178 to float
  %v180 = fmul float %v174, %v179
  %v181 = sub i32 %v175, %v176
  %v182 = add i32 %v181, 127
  %v183 = shl i32 %v182, 23
  %v184 = bitcast i32 %v183 to float
  %v185 = fmul float %v180, %v184
  %v186 = getelementptr inbounds float, ptr %v125, i64 %v151
  store float %v185, ptr %v186, align 4
  %v187 = load float, ptr %v145, align 4
  %v188 = fadd float %v187, %v185
  store float %v188, ptr %v145, align 4
  br label %latch146
latch146:
  %v148 = add nsw i64 %v147, 1
  br label %head146
end146:
  %v189 = load float, ptr %v145, align 4
  %v190 = fadd float %v144, %v189
  %v191 = udiv i64 %v2, 32
  %v192 = mul i64 %v191, 32
  br label %head193
head193:
  %v194 = phi i64 [ 0, %end146 ], [ %v195, %latch193 ]
  %v196 = icmp slt i64 %v194, %v192
  br i1 %v196, label %body193, label %end193
body193:
  %v197 = mul i64 %v4, %v2
  %v198 = add i64 %v197, %v194
  %v199 = getelementptr inbounds float, ptr %v125, i64 %v198
  %v200 = load <32 x float>, ptr %v199, align 4
  %v201 = insertelement <32 x float> poison, float %v190, i64 0
  %v202 = shufflevector <32 x float> %v201, <32 x float> poison, <32 x i32> zeroinitializer
  %v203 = fdiv <32 x float> %v200, %v202
  %v204 = getelementptr inbounds float, ptr %v125, i64 %v198
  store <32 x float> %v203, ptr %v204, align 4, !noalias !2
  br label %latch193
latch193:
  %v195 = add nsw i64 %v194, 32
  br label %head193
end193:
  br label %head205
head205:
  %v206 = phi i64 [ %v192, %end193 ], [ %v207, %latch205 ]
  %v208 = icmp slt i64 %v206, %v2
  br i1 %v208, label %body205, label %end205
body205:
  %v209 = mul i64 %v4, %v2
  %v210 = add i64 %v209, %v206
  %v211 = getelementptr inbounds float, ptr %v125, i64 %v210
  %v212 = load float, ptr %v211, align 4, !llvm.access.group !3
  %v213 = fdiv float %v212, %v190
  %v214 = getelementptr inbounds float, ptr %v125, i64 %v210
  store float %v213, ptr %v214, align 4, !noalias !2, !llvm.access.group !3
  br label %latch205
latch205:
  %v207 = add nsw i64 %v206, 1
  br label %head205, !llvm.loop !4
end205:
  br label %latch3
latch3:
  %v5 = add nsw i64 %v4, 1
  br label %head3
end3:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) nounwind {
start:
  br label %main
main:
  call void @treadle_units(ptr %block, i64 %lo, i64 %hi)
  ret void
}

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

define dso_local i64 @treadle_work(ptr %block, ptr %control) nounwind {
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
  call void @treadle_units(ptr %block, i64 %v14, i64 %v17)
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
  call void @treadle_finish(ptr %block)
  ret i64 1
none9:
  br label %done9
done9:
  ret i64 0
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
!3 = distinct !{}
!4 = distinct !{!4, !{!"llvm.loop.parallel_accesses", !3}, !{!"llvm.loop.mustprogress"}}
