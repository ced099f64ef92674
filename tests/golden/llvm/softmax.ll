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
  %v75 = alloca float, align 64
  %v100 = alloca <32 x float>, align 64
  %v101 = alloca [1152 x float], align 64
  %v102 = alloca i64, align 64
  %v145 = getelementptr inbounds i64, ptr %block, i64 1
  %v146 = load ptr, ptr %v145, align 8
  %v161 = alloca <32 x float>, align 64
  %v178 = alloca <32 x float>, align 64
  %v211 = alloca float, align 64
  %v212 = alloca [36 x float], align 64
  %v213 = alloca i64, align 64
  %v268 = alloca float, align 64
  %v285 = alloca float, align 64
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
  %v26 = bitcast <32 x float> %v24 to <32 x i32>
  %v27 = sext <32 x i1> %v25 to <32 x i32>
  %v28 = or <32 x i32> %v26, %v27
  %v29 = bitcast <32 x i32> %v28 to <32 x float>
  store <32 x float> %v29, ptr %v9, align 4
  %v30 = sub i64 %v11, 0
  %v31 = and i64 %v30, 511
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 32
  br label %head10
end10:
  %v32 = load <32 x float>, ptr %v9, align 4
  %v33 = shufflevector <32 x float> %v32, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v34 = shufflevector <32 x float> %v32, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v35 = fcmp ogt <16 x float> %v33, %v34
  %v36 = select <16 x i1> %v35, <16 x float> %v33, <16 x float> %v34
  %v37 = fcmp uno <16 x float> %v33, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v38 = bitcast <16 x float> %v36 to <16 x i32>
  %v39 = sext <16 x i1> %v37 to <16 x i32>
  %v40 = or <16 x i32> %v38, %v39
  %v41 = bitcast <16 x i32> %v40 to <16 x float>
  %v42 = shufflevector <16 x float> %v41, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v43 = shufflevector <16 x float> %v41, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v44 = fcmp ogt <8 x float> %v42, %v43
  %v45 = select <8 x i1> %v44, <8 x float> %v42, <8 x float> %v43
  %v46 = fcmp uno <8 x float> %v42, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v47 = bitcast <8 x float> %v45 to <8 x i32>
  %v48 = sext <8 x i1> %v46 to <8 x i32>
  %v49 = or <8 x i32> %v47, %v48
  %v50 = bitcast <8 x i32> %v49 to <8 x float>
  %v51 = shufflevector <8 x float> %v50, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v52 = shufflevector <8 x float> %v50, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v53 = fcmp ogt <4 x float> %v51, %v52
  %v54 = select <4 x i1> %v53, <4 x float> %v51, <4 x float> %v52
  %v55 = fcmp uno <4 x float> %v51, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v56 = bitcast <4 x float> %v54 to <4 x i32>
  %v57 = sext <4 x i1> %v55 to <4 x i32>
  %v58 = or <4 x i32> %v56, %v57
  %v59 = bitcast <4 x i32> %v58 to <4 x float>
  %v60 = shufflevector <4 x float> %v59, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v61 = shufflevector <4 x float> %v59, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v62 = fcmp ogt <2 x float> %v60, %v61
  %v63 = select <2 x i1> %v62, <2 x float> %v60, <2 x float> %v61
  %v64 = fcmp uno <2 x float> %v60, <float 0x0000000000000000, float 0x0000000000000000>
  %v65 = bitcast <2 x float> %v63 to <2 x i32>
  %v66 = sext <2 x i1> %v64 to <2 x i32>
  %v67 = or <2 x i32> %v65, %v66
  %v68 = bitcast <2 x i32> %v67 to <2 x float>
  %v69 = extractelement <2 x float> %v68, i64 0
  %v70 = extractelement <2 x float> %v68, i64 1
  %v71 = fcmp ogt float %v69, %v70
  %v72 = select i1 %v71, float %v69, float %v70
  %v73 = fcmp uno float %v69, 0x0000000000000000
  %v74 = select i1 %v73, float %v69, float %v72
  store float 0xFFF0000000000000, ptr %v75, align 4
  br label %head76
head76:
  %v77 = phi i64 [ %v8, %end10 ], [ %v78, %latch76 ]
  %v79 = icmp slt i64 %v77, %v2
  br i1 %v79, label %body76, label %end76
body76:
  %v80 = mul i64 %v4, %v2
  %v81 = add i64 %v80, %v77
  %v82 = mul i64 %v4, %v2
  %v83 = add i64 %v82, %v77
  %v84 = getelementptr inbounds float, ptr %v19, i64 %v83
  %v85 = load float, ptr %v84, align 4
  %v86 = load float, ptr %v75, align 4
  %v87 = fcmp ogt float %v86, %v85
  %v88 = select i1 %v87, float %v86, float %v85
  %v89 = fcmp uno float %v86, 0x0000000000000000
  %v90 = select i1 %v89, float %v86, float %v88
  store float %v90, ptr %v75, align 4
  %v91 = sub i64 %v77, %v8
  %v92 = and i64 %v91, 15
  br label %latch76
latch76:
  %v78 = add nsw i64 %v77, 1
  br label %head76
end76:
  %v93 = load float, ptr %v75, align 4
  %v94 = fcmp ogt float %v74, %v93
  %v95 = select i1 %v94, float %v74, float %v93
  %v96 = fcmp uno float %v74, 0x0000000000000000
  %v97 = select i1 %v96, float %v74, float %v95
  %v98 = udiv i64 %v2, 32
  %v99 = mul i64 %v98, 32
  store i64 0, ptr %v102, align 8
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v100, align 4
  br label %head103
head103:
  %v104 = phi i64 [ 0, %end76 ], [ %v105, %latch103 ]
  %v106 = icmp slt i64 %v104, %v99
  br i1 %v106, label %body103, label %end103
body103:
  %v107 = mul i64 %v4, %v2
  %v108 = add i64 %v107, %v104
  %v109 = mul i64 %v4, %v2
  %v110 = add i64 %v109, %v104
  %v111 = getelementptr inbounds float, ptr %v19, i64 %v110
  %v112 = load <32 x float>, ptr %v111, align 4
  %v113 = insertelement <32 x float> poison, float %v97, i64 0
  %v114 = shufflevector <32 x float> %v113, <32 x float> poison, <32 x i32> zeroinitializer
  %v115 = fsub <32 x float> %v112, %v114
  %v116 = fcmp olt <32 x float> %v115, <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>
  %v117 = select <32 x i1> %v116, <32 x float> <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>, <32 x float> %v115
  %v118 = fcmp ogt <32 x float> %v117, <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>
  %v119 = select <32 x i1> %v118, <32 x float> <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>, <32 x float> %v117
  %v120 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v119, <32 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <32 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %v121 = fsub <32 x float> %v120, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v122 = bitcast <32 x float> %v120 to <32 x i32>
  %v123 = sub <32 x i32> %v122, <i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504>
  %v124 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v121, <32 x float> <float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000>, <32 x float> %v119)
  %v125 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v121, <32 x float> <float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000>, <32 x float> %v124)
  %v126 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v125, <32 x float> <float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000>, <32 x float> <float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000>)
  %v127 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v126, <32 x float> %v125, <32 x float> <float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000>)
  %v128 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v127, <32 x float> %v125, <32 x float> <float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000>)
  %v129 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v128, <32 x float> %v125, <32 x float> <float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000>)
  %v130 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v129, <32 x float> %v125, <32 x float> <float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000>)
  %v131 = fmul <32 x float> %v125, %v125
  %v132 = call <32 x float> @llvm.fmuladd.v32f32(<32 x float> %v130, <32 x float> %v131, <32 x float> %v125)
  %v133 = fadd <32 x float> %v132, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v134 = add <32 x i32> %v123, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v135 = ashr <32 x i32> %v134, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v136 = add <32 x i32> %v135, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v137 = shl <32 x i32> %v136, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v138 = bitcast <32 x i32> %v137 to <32 x float>
  %v139 = fmul <32 x float> %v133, %v138
  %v140 = sub <32 x i32> %v134, %v135
  %v141 = add <32 x i32> %v140, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v142 = shl <32 x i32> %v141, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v143 = bitcast <32 x i32> %v142 to <32 x float>
  %v144 = fmul <32 x float> %v139, %v143
  %v147 = getelementptr inbounds float, ptr %v146, i64 %v108
  store <32 x float> %v144, ptr %v147, align 4
  %v148 = load <32 x float>, ptr %v100, align 4
  %v149 = fadd <32 x float> %v148, %v144
  store <32 x float> %v149, ptr %v100, align 4
  %v150 = sub i64 %v104, 0
  %v151 = and i64 %v150, 511
  %v152 = icmp eq i64 %v151, 480
  br i1 %v152, label %then153, label %endif153
then153:
  %v154 = load <32 x float>, ptr %v100, align 4
  %v155 = load i64, ptr %v102, align 8
  %v156 = add i64 %v155, 1
  store i64 %v156, ptr %v102, align 8
  %v157 = sub i64 0, %v156
  %v158 = and i64 %v156, %v157
  %v159 = sub i64 %v158, 1
  %v160 = call i64 @llvm.ctpop.i64(i64 %v159)
  store <32 x float> %v154, ptr %v161, align 4
  br label %head162
head162:
  %v163 = phi i64 [ 0, %then153 ], [ %v164, %latch162 ]
  %v165 = icmp slt i64 %v163, %v160
  br i1 %v165, label %body162, label %end162
body162:
  %v166 = mul i64 %v163, 32
  %v167 = add i64 %v166, 0
  %v168 = getelementptr inbounds float, ptr %v101, i64 %v167
  %v169 = load <32 x float>, ptr %v168, align 4
  %v170 = load <32 x float>, ptr %v161, align 4
  %v171 = fadd <32 x float> %v169, %v170
  store <32 x float> %v171, ptr %v161, align 4
  br label %latch162
latch162:
  %v164 = add nsw i64 %v163, 1
  br label %head162
end162:
  %v172 = load <32 x float>, ptr %v161, align 4
  %v173 = mul i64 %v160, 32
  %v174 = add i64 %v173, 0
  %v175 = getelementptr inbounds float, ptr %v101, i64 %v174
  store <32 x float> %v172, ptr %v175, align 4
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v100, align 4
  br label %endif153
endif153:
  br label %latch103
latch103:
  %v105 = add nsw i64 %v104, 32
  br label %head103
end103:
  %v176 = load <32 x float>, ptr %v100, align 4
  %v177 = load i64, ptr %v102, align 8
  store <32 x float> %v176, ptr %v178, align 4
  %v179 = call i64 @llvm.ctlz.i64(i64 %v177, i1 false)
  %v180 = sub i64 64, %v179
  br label %head181
head181:
  %v182 = phi i64 [ 0, %end103 ], [ %v183, %latch181 ]
  %v184 = icmp slt i64 %v182, %v180
  br i1 %v184, label %body181, label %end181
body181:
  %v185 = lshr i64 %v177, %v182
  %v186 = and i64 %v185, 1
  %v187 = icmp eq i64 %v186, 1
  br i1 %v187, label %then188, label %endif188
then188:
  %v189 = mul i64 %v182, 32
  %v190 = add i64 %v189, 0
  %v191 = getelementptr inbounds float, ptr %v101, i64 %v190
  %v192 = load <32 x float>, ptr %v191, align 4
  %v193 = load <32 x float>, ptr %v178, align 4
  %v194 = fadd <32 x float> %v192, %v193
  store <32 x float> %v194, ptr %v178, align 4
  br label %endif188
endif188:
  br label %latch181
latch181:
  %v183 = add nsw i64 %v182, 1
  br label %head181
end181:
  %v195 = load <32 x float>, ptr %v178, align 4
  %v196 = shufflevector <32 x float> %v195, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v197 = shufflevector <32 x float> %v195, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v198 = fadd <16 x float> %v196, %v197
  %v199 = shufflevector <16 x float> %v198, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v200 = shufflevector <16 x float> %v198, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v201 = fadd <8 x float> %v199, %v200
  %v202 = shufflevector <8 x float> %v201, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v203 = shufflevector <8 x float> %v201, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v204 = fadd <4 x float> %v202, %v203
  %v205 = shufflevector <4 x float> %v204, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v206 = shufflevector <4 x float> %v204, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v207 = fadd <2 x float> %v205, %v206
  %v208 = extractelement <2 x float> %v207, i64 0
  %v209 = extractelement <2 x float> %v207, i64 1
  %v210 = fadd float %v208, %v209
  store i64 0, ptr %v213, align 8
  store float 0x0000000000000000, ptr %v211, align 4
  br label %head214
head214:
  %v215 = phi i64 [ %v99, %end181 ], [ %v216, %latch214 ]
  %v217 = icmp slt i64 %v215, %v2
  br i1 %v217, label %body214, label %end214
body214:
  %v218 = mul i64 %v4, %v2
  %v219 = add i64 %v218, %v215
  %v220 = mul i64 %v4, %v2
  %v221 = add i64 %v220, %v215
  %v222 = getelementptr inbounds float, ptr %v19, i64 %v221
  %v223 = load float, ptr %v222, align 4
  %v224 = fsub float %v223, %v97
  %v225 = fcmp olt float %v224, 0xC05A400000000000
  %v226 = select i1 %v225, float 0xC05A400000000000, float %v224
  %v227 = fcmp ogt float %v226, 0x4056C00000000000
  %v228 = select i1 %v227, float 0x4056C00000000000, float %v226
  %v229 = call float @llvm.fmuladd.f32(float %v228, float 0x3FF7154760000000, float 0x4168000000000000)
  %v230 = fsub float %v229, 0x4168000000000000
  %v231 = bitcast float %v229 to i32
  %v232 = sub i32 %v231, 1262485504
  %v233 = call float @llvm.fmuladd.f32(float %v230, float 0xBFE6300000000000, float %v228)
  %v234 = call float @llvm.fmuladd.f32(float %v230, float 0x3F2BD01060000000, float %v233)
  %v235 = call float @llvm.fmuladd.f32(float %v234, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v236 = call float @llvm.fmuladd.f32(float %v235, float %v234, float 0x3F81110C60000000)
  %v237 = call float @llvm.fmuladd.f32(float %v236, float %v234, float 0x3FA5554EA0000000)
  %v238 = call float @llvm.fmuladd.f32(float %v237, float %v234, float 0x3FC5555560000000)
  %v239 = call float @llvm.fmuladd.f32(float %v238, float %v234, float 0x3FE0000000000000)
  %v240 = fmul float %v234, %v234
  %v241 = call float @llvm.fmuladd.f32(float %v239, float %v240, float %v234)
  %v242 = fadd float %v241, 0x3FF0000000000000
  %v243 = add i32 %v232, 0
  %v244 = ashr i32 %v243, 1
  %v245 = add i32 %v244, 127
  %v246 = shl i32 %v245, 23
  %v247 = bitcast i32 %v246 to float
  %v248 = fmul float %v242, %v247
  %v249 = sub i32 %v243, %v244
  %v250 = add i32 %v249, 127
  %v251 = shl i32 %v250, 23
  %v252 = bitcast i32 %v251 to float
  %v253 = fmul float %v248, %v252
  %v254 = getelementptr inbounds float, ptr %v146, i64 %v219
  store float %v253, ptr %v254, align 4
  %v255 = load float, ptr %v211, align 4
  %v256 = fadd float %v255, %v253
  store float %v256, ptr %v211, align 4
  %v257 = sub i64 %v215, %v99
  %v258 = and i64 %v257, 15
  %v259 = icmp eq i64 %v258, 15
  br i1 %v259, label %then260, label %endif260
then260:
  %v261 = load float, ptr %v211, align 4
  %v262 = load i64, ptr %v213, align 8
  %v263 = add i64 %v262, 1
  store i64 %v263, ptr %v213, align 8
  %v264 = sub i64 0, %v263
  %v265 = and i64 %v263, %v264
  %v266 = sub i64 %v265, 1
  %v267 = call i64 @llvm.ctpop.i64(i64 %v266)
  store float %v261, ptr %v268, align 4
  br label %head269
head269:
  %v270 = phi i64 [ 0, %then260 ], [ %v271, %latch269 ]
  %v272 = icmp slt i64 %v270, %v267
  br i1 %v272, label %body269, label %end269
body269:
  %v273 = mul i64 %v270, 1
  %v274 = add i64 %v273, 0
  %v275 = getelementptr inbounds float, ptr %v212, i64 %v274
  %v276 = load float, ptr %v275, align 4
  %v277 = load float, ptr %v268, align 4
  %v278 = fadd float %v276, %v277
  store float %v278, ptr %v268, align 4
  br label %latch269
latch269:
  %v271 = add nsw i64 %v270, 1
  br label %head269
end269:
  %v279 = load float, ptr %v268, align 4
  %v280 = mul i64 %v267, 1
  %v281 = add i64 %v280, 0
  %v282 = getelementptr inbounds float, ptr %v212, i64 %v281
  store float %v279, ptr %v282, align 4
  store float 0x0000000000000000, ptr %v211, align 4
  br label %endif260
endif260:
  br label %latch214
latch214:
  %v216 = add nsw i64 %v215, 1
  br label %head214
end214:
  %v283 = load float, ptr %v211, align 4
  %v284 = load i64, ptr %v213, align 8
  store float %v283, ptr %v285, align 4
  %v286 = call i64 @llvm.ctlz.i64(i64 %v284, i1 false)
  %v287 = sub i64 64, %v286
  br label %head288
head288:
  %v289 = phi i64 [ 0, %end214 ], [ %v290, %latch288 ]
  %v291 = icmp slt i64 %v289, %v287
  br i1 %v291, label %body288, label %end288
body288:
  %v292 = lshr i64 %v284, %v289
  %v293 = and i64 %v292, 1
  %v294 = icmp eq i64 %v293, 1
  br i1 %v294, label %then295, label %endif295
then295:
  %v296 = mul i64 %v289, 1
  %v297 = add i64 %v296, 0
  %v298 = getelementptr inbounds float, ptr %v212, i64 %v297
  %v299 = load float, ptr %v298, align 4
  %v300 = load float, ptr %v285, align 4
  %v301 = fadd float %v299, %v300
  store float %v301, ptr %v285, align 4
  br label %endif295
endif295:
  br label %latch288
latch288:
  %v290 = add nsw i64 %v289, 1
  br label %head288
end288:
  %v302 = load float, ptr %v285, align 4
  %v303 = fadd float %v210, %v302
  %v304 = udiv i64 %v2, 32
  %v305 = mul i64 %v304, 32
  br label %head306
head306:
  %v307 = phi i64 [ 0, %end288 ], [ %v308, %latch306 ]
  %v309 = icmp slt i64 %v307, %v305
  br i1 %v309, label %body306, label %end306
body306:
  %v310 = mul i64 %v4, %v2
  %v311 = add i64 %v310, %v307
  %v312 = getelementptr inbounds float, ptr %v146, i64 %v311
  %v313 = load <32 x float>, ptr %v312, align 4
  %v314 = insertelement <32 x float> poison, float %v303, i64 0
  %v315 = shufflevector <32 x float> %v314, <32 x float> poison, <32 x i32> zeroinitializer
  %v316 = fdiv <32 x float> %v313, %v315
  %v317 = getelementptr inbounds float, ptr %v146, i64 %v311
  store <32 x float> %v316, ptr %v317, align 4, !noalias !2
  br label %latch306
latch306:
  %v308 = add nsw i64 %v307, 32
  br label %head306
end306:
  br label %head318
head318:
  %v319 = phi i64 [ %v305, %end306 ], [ %v320, %latch318 ]
  %v321 = icmp slt i64 %v319, %v2
  br i1 %v321, label %body318, label %end318
body318:
  %v322 = mul i64 %v4, %v2
  %v323 = add i64 %v322, %v319
  %v324 = getelementptr inbounds float, ptr %v146, i64 %v323
  %v325 = load float, ptr %v324, align 4, !llvm.access.group !3
  %v326 = fdiv float %v325, %v303
  %v327 = getelementptr inbounds float, ptr %v146, i64 %v323
  store float %v326, ptr %v327, align 4, !noalias !2, !llvm.access.group !3
  br label %latch318
latch318:
  %v320 = add nsw i64 %v319, 1
  br label %head318, !llvm.loop !4
end318:
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
