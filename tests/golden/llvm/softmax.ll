declare <32 x float> @llvm.fmuladd.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare float @llvm.fmuladd.f32(float, float, float)
define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v9 = alloca <32 x float>, align 64
  %v18 = getelementptr inbounds i64, ptr %block, i64 2
  %v19 = load ptr, ptr %v18, align 8
  %v60 = alloca float, align 64
  %v85 = alloca <32 x float>, align 64
  %v86 = alloca [1152 x float], align 64
  %v87 = alloca i64, align 64
  %v130 = getelementptr inbounds i64, ptr %block, i64 1
  %v131 = load ptr, ptr %v130, align 8
  %v146 = alloca <32 x float>, align 64
  %v163 = alloca <32 x float>, align 64
  %v196 = alloca float, align 64
  %v197 = alloca [36 x float], align 64
  %v198 = alloca i64, align 64
  %v253 = alloca float, align 64
  %v270 = alloca float, align 64
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
  %v27 = sub i64 %v11, 0
  %v28 = and i64 %v27, 511
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 32
  br label %head10
end10:
  %v29 = load <32 x float>, ptr %v9, align 4
  %v30 = shufflevector <32 x float> %v29, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v31 = shufflevector <32 x float> %v29, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v32 = fcmp ogt <16 x float> %v30, %v31
  %v33 = select <16 x i1> %v32, <16 x float> %v30, <16 x float> %v31
  %v34 = fcmp uno <16 x float> %v30, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v35 = select <16 x i1> %v34, <16 x float> %v30, <16 x float> %v33
  %v36 = shufflevector <16 x float> %v35, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v37 = shufflevector <16 x float> %v35, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v38 = fcmp ogt <8 x float> %v36, %v37
  %v39 = select <8 x i1> %v38, <8 x float> %v36, <8 x float> %v37
  %v40 = fcmp uno <8 x float> %v36, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v41 = select <8 x i1> %v40, <8 x float> %v36, <8 x float> %v39
  %v42 = shufflevector <8 x float> %v41, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v43 = shufflevector <8 x float> %v41, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v44 = fcmp ogt <4 x float> %v42, %v43
  %v45 = select <4 x i1> %v44, <4 x float> %v42, <4 x float> %v43
  %v46 = fcmp uno <4 x float> %v42, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v47 = select <4 x i1> %v46, <4 x float> %v42, <4 x float> %v45
  %v48 = shufflevector <4 x float> %v47, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v49 = shufflevector <4 x float> %v47, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v50 = fcmp ogt <2 x float> %v48, %v49
  %v51 = select <2 x i1> %v50, <2 x float> %v48, <2 x float> %v49
  %v52 = fcmp uno <2 x float> %v48, <float 0x0000000000000000, float 0x0000000000000000>
  %v53 = select <2 x i1> %v52, <2 x float> %v48, <2 x float> %v51
  %v54 = extractelement <2 x float> %v53, i64 0
  %v55 = extractelement <2 x float> %v53, i64 1
  %v56 = fcmp ogt float %v54, %v55
  %v57 = select i1 %v56, float %v54, float %v55
  %v58 = fcmp uno float %v54, 0x0000000000000000
  %v59 = select i1 %v58, float %v54, float %v57
  store float 0xFFF0000000000000, ptr %v60, align 4
  br label %head61
head61:
  %v62 = phi i64 [ %v8, %end10 ], [ %v63, %latch61 ]
  %v64 = icmp slt i64 %v62, %v2
  br i1 %v64, label %body61, label %end61
body61:
  %v65 = mul i64 %v4, %v2
  %v66 = add i64 %v65, %v62
  %v67 = mul i64 %v4, %v2
  %v68 = add i64 %v67, %v62
  %v69 = getelementptr inbounds float, ptr %v19, i64 %v68
  %v70 = load float, ptr %v69, align 4
  %v71 = load float, ptr %v60, align 4
  %v72 = fcmp ogt float %v71, %v70
  %v73 = select i1 %v72, float %v71, float %v70
  %v74 = fcmp uno float %v71, 0x0000000000000000
  %v75 = select i1 %v74, float %v71, float %v73
  store float %v75, ptr %v60, align 4
  %v76 = sub i64 %v62, %v8
  %v77 = and i64 %v76, 15
  br label %latch61
latch61:
  %v63 = add nsw i64 %v62, 1
  br label %head61
end61:
  %v78 = load float, ptr %v60, align 4
  %v79 = fcmp ogt float %v59, %v78
  %v80 = select i1 %v79, float %v59, float %v78
  %v81 = fcmp uno float %v59, 0x0000000000000000
  %v82 = select i1 %v81, float %v59, float %v80
  %v83 = udiv i64 %v2, 32
  %v84 = mul i64 %v83, 32
  store i64 0, ptr %v87, align 8
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v85, align 4
  br label %head88
head88:
  %v89 = phi i64 [ 0, %end61 ], [ %v90, %latch88 ]
  %v91 = icmp slt i64 %v89, %v84
  br i1 %v91, label %body88, label %end88
body88:
  %v92 = mul i64 %v4, %v2
  %v93 = add i64 %v92, %v89
  %v94 = mul i64 %v4, %v2
  %v95 = add i64 %v94, %v89
  %v96 = getelementptr inbounds float, ptr %v19, i64 %v95
  %v97 = load <32 x float>, ptr %v96, align 4
  %v98 = insertelement <32 x float> poison, float %v82, i64 0
  %v99 = shufflevector <32 x float> %v98, <32 x float> poison, <32 x i32> zeroinitializer
  %v100 = fsub <32 x float> %v97, %v99
  %v101 = fcmp olt <32 x float> %v100, <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>
  %v102 = select <32 x i1> %v101, <32 x float> <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>, <32 x float> %v100
  %v103 = fcmp ogt <32 x float> %v102, <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>
  %v104 = select <32 x i1> %v103, <32 x float> <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>, <32 x float> %v102
  %v105 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v104, <32 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <32 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %v106 = fsub <32 x float> %v105, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v107 = bitcast <32 x float> %v105 to <32 x i32>
  %v108 = sub <32 x i32> %v107, <i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504>
  %v109 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v106, <32 x float> <float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000>, <32 x float> %v104)
  %v110 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v106, <32 x float> <float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000>, <32 x float> %v109)
  %v111 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v110, <32 x float> <float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000>, <32 x float> <float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000>)
  %v112 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v111, <32 x float> %v110, <32 x float> <float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000>)
  %v113 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v112, <32 x float> %v110, <32 x float> <float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000>)
  %v114 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v113, <32 x float> %v110, <32 x float> <float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000>)
  %v115 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v114, <32 x float> %v110, <32 x float> <float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000>)
  %v116 = fmul <32 x float> %v110, %v110
  %v117 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v115, <32 x float> %v116, <32 x float> %v110)
  %v118 = fadd <32 x float> %v117, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v119 = add <32 x i32> %v108, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v120 = ashr <32 x i32> %v119, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v121 = add <32 x i32> %v120, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v122 = shl <32 x i32> %v121, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v123 = bitcast <32 x i32> %v122 to <32 x float>
  %v124 = fmul <32 x float> %v118, %v123
  %v125 = sub <32 x i32> %v119, %v120
  %v126 = add <32 x i32> %v125, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v127 = shl <32 x i32> %v126, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v128 = bitcast <32 x i32> %v127 to <32 x float>
  %v129 = fmul <32 x float> %v124, %v128
  %v132 = getelementptr inbounds float, ptr %v131, i64 %v93
  store <32 x float> %v129, ptr %v132, align 4
  %v133 = load <32 x float>, ptr %v85, align 4
  %v134 = fadd <32 x float> %v133, %v129
  store <32 x float> %v134, ptr %v85, align 4
  %v135 = sub i64 %v89, 0
  %v136 = and i64 %v135, 511
  %v137 = icmp eq i64 %v136, 480
  br i1 %v137, label %then138, label %endif138
then138:
  %v139 = load <32 x float>, ptr %v85, align 4
  %v140 = load i64, ptr %v87, align 8
  %v141 = add i64 %v140, 1
  store i64 %v141, ptr %v87, align 8
  %v142 = sub i64 0, %v141
  %v143 = and i64 %v141, %v142
  %v144 = sub i64 %v143, 1
  %v145 = call i64 @llvm.ctpop.i64(i64 %v144)
  store <32 x float> %v139, ptr %v146, align 4
  br label %head147
head147:
  %v148 = phi i64 [ 0, %then138 ], [ %v149, %latch147 ]
  %v150 = icmp slt i64 %v148, %v145
  br i1 %v150, label %body147, label %end147
body147:
  %v151 = mul i64 %v148, 32
  %v152 = add i64 %v151, 0
  %v153 = getelementptr inbounds float, ptr %v86, i64 %v152
  %v154 = load <32 x float>, ptr %v153, align 4
  %v155 = load <32 x float>, ptr %v146, align 4
  %v156 = fadd <32 x float> %v154, %v155
  store <32 x float> %v156, ptr %v146, align 4
  br label %latch147
latch147:
  %v149 = add nsw i64 %v148, 1
  br label %head147
end147:
  %v157 = load <32 x float>, ptr %v146, align 4
  %v158 = mul i64 %v145, 32
  %v159 = add i64 %v158, 0
  %v160 = getelementptr inbounds float, ptr %v86, i64 %v159
  store <32 x float> %v157, ptr %v160, align 4
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v85, align 4
  br label %endif138
endif138:
  br label %latch88
latch88:
  %v90 = add nsw i64 %v89, 32
  br label %head88
end88:
  %v161 = load <32 x float>, ptr %v85, align 4
  %v162 = load i64, ptr %v87, align 8
  store <32 x float> %v161, ptr %v163, align 4
  %v164 = call i64 @llvm.ctlz.i64(i64 %v162, i1 false)
  %v165 = sub i64 64, %v164
  br label %head166
head166:
  %v167 = phi i64 [ 0, %end88 ], [ %v168, %latch166 ]
  %v169 = icmp slt i64 %v167, %v165
  br i1 %v169, label %body166, label %end166
body166:
  %v170 = lshr i64 %v162, %v167
  %v171 = and i64 %v170, 1
  %v172 = icmp eq i64 %v171, 1
  br i1 %v172, label %then173, label %endif173
then173:
  %v174 = mul i64 %v167, 32
  %v175 = add i64 %v174, 0
  %v176 = getelementptr inbounds float, ptr %v86, i64 %v175
  %v177 = load <32 x float>, ptr %v176, align 4
  %v178 = load <32 x float>, ptr %v163, align 4
  %v179 = fadd <32 x float> %v177, %v178
  store <32 x float> %v179, ptr %v163, align 4
  br label %endif173
endif173:
  br label %latch166
latch166:
  %v168 = add nsw i64 %v167, 1
  br label %head166
end166:
  %v180 = load <32 x float>, ptr %v163, align 4
  %v181 = shufflevector <32 x float> %v180, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v182 = shufflevector <32 x float> %v180, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v183 = fadd <16 x float> %v181, %v182
  %v184 = shufflevector <16 x float> %v183, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v185 = shufflevector <16 x float> %v183, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v186 = fadd <8 x float> %v184, %v185
  %v187 = shufflevector <8 x float> %v186, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v188 = shufflevector <8 x float> %v186, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v189 = fadd <4 x float> %v187, %v188
  %v190 = shufflevector <4 x float> %v189, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v191 = shufflevector <4 x float> %v189, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v192 = fadd <2 x float> %v190, %v191
  %v193 = extractelement <2 x float> %v192, i64 0
  %v194 = extractelement <2 x float> %v192, i64 1
  %v195 = fadd float %v193, %v194
  store i64 0, ptr %v198, align 8
  store float 0x0000000000000000, ptr %v196, align 4
  br label %head199
head199:
  %v200 = phi i64 [ %v84, %end166 ], [ %v201, %latch199 ]
  %v202 = icmp slt i64 %v200, %v2
  br i1 %v202, label %body199, label %end199
body199:
  %v203 = mul i64 %v4, %v2
  %v204 = add i64 %v203, %v200
  %v205 = mul i64 %v4, %v2
  %v206 = add i64 %v205, %v200
  %v207 = getelementptr inbounds float, ptr %v19, i64 %v206
  %v208 = load float, ptr %v207, align 4
  %v209 = fsub float %v208, %v82
  %v210 = fcmp olt float %v209, 0xC05A400000000000
  %v211 = select i1 %v210, float 0xC05A400000000000, float %v209
  %v212 = fcmp ogt float %v211, 0x4056C00000000000
  %v213 = select i1 %v212, float 0x4056C00000000000, float %v211
  %v214 = call float @llvm.fmuladd.f32(float %v213, float 0x3FF7154760000000, float 0x4168000000000000)
  %v215 = fsub float %v214, 0x4168000000000000
  %v216 = bitcast float %v214 to i32
  %v217 = sub i32 %v216, 1262485504
  %v218 = call float @llvm.fmuladd.f32(float %v215, float 0xBFE6300000000000, float %v213)
  %v219 = call float @llvm.fmuladd.f32(float %v215, float 0x3F2BD01060000000, float %v218)
  %v220 = call float @llvm.fmuladd.f32(float %v219, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v221 = call float @llvm.fmuladd.f32(float %v220, float %v219, float 0x3F81110C60000000)
  %v222 = call float @llvm.fmuladd.f32(float %v221, float %v219, float 0x3FA5554EA0000000)
  %v223 = call float @llvm.fmuladd.f32(float %v222, float %v219, float 0x3FC5555560000000)
  %v224 = call float @llvm.fmuladd.f32(float %v223, float %v219, float 0x3FE0000000000000)
  %v225 = fmul float %v219, %v219
  %v226 = call float @llvm.fmuladd.f32(float %v224, float %v225, float %v219)
  %v227 = fadd float %v226, 0x3FF0000000000000
  %v228 = add i32 %v217, 0
  %v229 = ashr i32 %v228, 1
  %v230 = add i32 %v229, 127
  %v231 = shl i32 %v230, 23
  %v232 = bitcast i32 %v231 to float
  %v233 = fmul float %v227, %v232
  %v234 = sub i32 %v228, %v229
  %v235 = add i32 %v234, 127
  %v236 = shl i32 %v235, 23
  %v237 = bitcast i32 %v236 to float
  %v238 = fmul float %v233, %v237
  %v239 = getelementptr inbounds float, ptr %v131, i64 %v204
  store float %v238, ptr %v239, align 4
  %v240 = load float, ptr %v196, align 4
  %v241 = fadd float %v240, %v238
  store float %v241, ptr %v196, align 4
  %v242 = sub i64 %v200, %v84
  %v243 = and i64 %v242, 15
  %v244 = icmp eq i64 %v243, 15
  br i1 %v244, label %then245, label %endif245
then245:
  %v246 = load float, ptr %v196, align 4
  %v247 = load i64, ptr %v198, align 8
  %v248 = add i64 %v247, 1
  store i64 %v248, ptr %v198, align 8
  %v249 = sub i64 0, %v248
  %v250 = and i64 %v248, %v249
  %v251 = sub i64 %v250, 1
  %v252 = call i64 @llvm.ctpop.i64(i64 %v251)
  store float %v246, ptr %v253, align 4
  br label %head254
head254:
  %v255 = phi i64 [ 0, %then245 ], [ %v256, %latch254 ]
  %v257 = icmp slt i64 %v255, %v252
  br i1 %v257, label %body254, label %end254
body254:
  %v258 = mul i64 %v255, 1
  %v259 = add i64 %v258, 0
  %v260 = getelementptr inbounds float, ptr %v197, i64 %v259
  %v261 = load float, ptr %v260, align 4
  %v262 = load float, ptr %v253, align 4
  %v263 = fadd float %v261, %v262
  store float %v263, ptr %v253, align 4
  br label %latch254
latch254:
  %v256 = add nsw i64 %v255, 1
  br label %head254
end254:
  %v264 = load float, ptr %v253, align 4
  %v265 = mul i64 %v252, 1
  %v266 = add i64 %v265, 0
  %v267 = getelementptr inbounds float, ptr %v197, i64 %v266
  store float %v264, ptr %v267, align 4
  store float 0x0000000000000000, ptr %v196, align 4
  br label %endif245
endif245:
  br label %latch199
latch199:
  %v201 = add nsw i64 %v200, 1
  br label %head199
end199:
  %v268 = load float, ptr %v196, align 4
  %v269 = load i64, ptr %v198, align 8
  store float %v268, ptr %v270, align 4
  %v271 = call i64 @llvm.ctlz.i64(i64 %v269, i1 false)
  %v272 = sub i64 64, %v271
  br label %head273
head273:
  %v274 = phi i64 [ 0, %end199 ], [ %v275, %latch273 ]
  %v276 = icmp slt i64 %v274, %v272
  br i1 %v276, label %body273, label %end273
body273:
  %v277 = lshr i64 %v269, %v274
  %v278 = and i64 %v277, 1
  %v279 = icmp eq i64 %v278, 1
  br i1 %v279, label %then280, label %endif280
then280:
  %v281 = mul i64 %v274, 1
  %v282 = add i64 %v281, 0
  %v283 = getelementptr inbounds float, ptr %v197, i64 %v282
  %v284 = load float, ptr %v283, align 4
  %v285 = load float, ptr %v270, align 4
  %v286 = fadd float %v284, %v285
  store float %v286, ptr %v270, align 4
  br label %endif280
endif280:
  br label %latch273
latch273:
  %v275 = add nsw i64 %v274, 1
  br label %head273
end273:
  %v287 = load float, ptr %v270, align 4
  %v288 = fadd float %v195, %v287
  %v289 = udiv i64 %v2, 32
  %v290 = mul i64 %v289, 32
  br label %head291
head291:
  %v292 = phi i64 [ 0, %end273 ], [ %v293, %latch291 ]
  %v294 = icmp slt i64 %v292, %v290
  br i1 %v294, label %body291, label %end291
body291:
  %v295 = mul i64 %v4, %v2
  %v296 = add i64 %v295, %v292
  %v297 = getelementptr inbounds float, ptr %v131, i64 %v296
  %v298 = load <32 x float>, ptr %v297, align 4
  %v299 = insertelement <32 x float> poison, float %v288, i64 0
  %v300 = shufflevector <32 x float> %v299, <32 x float> poison, <32 x i32> zeroinitializer
  %v301 = fdiv <32 x float> %v298, %v300
  %v302 = getelementptr inbounds float, ptr %v131, i64 %v296
  store <32 x float> %v301, ptr %v302, align 4, !noalias !2
  br label %latch291
latch291:
  %v293 = add nsw i64 %v292, 32
  br label %head291
end291:
  br label %head303
head303:
  %v304 = phi i64 [ %v290, %end291 ], [ %v305, %latch303 ]
  %v306 = icmp slt i64 %v304, %v2
  br i1 %v306, label %body303, label %end303
body303:
  %v307 = mul i64 %v4, %v2
  %v308 = add i64 %v307, %v304
  %v309 = getelementptr inbounds float, ptr %v131, i64 %v308
  %v310 = load float, ptr %v309, align 4, !llvm.access.group !3
  %v311 = fdiv float %v310, %v288
  %v312 = getelementptr inbounds float, ptr %v131, i64 %v308
  store float %v311, ptr %v312, align 4, !noalias !2, !llvm.access.group !3
  br label %latch303
latch303:
  %v305 = add nsw i64 %v304, 1
  br label %head303, !llvm.loop !4
end303:
  br label %latch3
latch3:
  %v5 = add nsw i64 %v4, 1
  br label %head3
end3:
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
!3 = distinct !{}
!4 = distinct !{!4, !{!"llvm.loop.parallel_accesses", !3}, !{!"llvm.loop.mustprogress"}}
