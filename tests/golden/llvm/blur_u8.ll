declare i64 @llvm.smin.i64(i64, i64)
declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @stage0_all(ptr %block, ptr %near, i64 %lead, i64 %first, i64 %top, i64 %bottom, i64 %lo, i64 %hi, i64 %low, i64 %high) noinline nounwind {
start:
  %v18 = getelementptr inbounds i64, ptr %block, i64 3
  %v19 = load double, ptr %v18, align 8
  %v20 = fptrunc double %v19 to float
  %v21 = fdiv float 0xBFF0000000000000, %v20
  %v22 = fmul float %v21, %v21
  %v23 = fmul float 0xBFE0000000000000, %v22
  %v24 = fcmp olt float %v23, 0xC05A400000000000
  %v25 = select i1 %v24, float 0xC05A400000000000, float %v23
  %v26 = fcmp ogt float %v25, 0x4056C00000000000
  %v27 = select i1 %v26, float 0x4056C00000000000, float %v25
  %v28 = call float @llvm.fmuladd.f32(float %v27, float 0x3FF7154760000000, float 0x4168000000000000)
  %v29 = fsub float %v28, 0x4168000000000000
  %v30 = bitcast float %v28 to i32
  %v31 = sub i32 %v30, 1262485504
  %v32 = call float @llvm.fmuladd.f32(float %v29, float 0xBFE6300000000000, float %v27)
  %v33 = call float @llvm.fmuladd.f32(float %v29, float 0x3F2BD01060000000, float %v32)
  %v34 = call float @llvm.fmuladd.f32(float %v33, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v35 = call float @llvm.fmuladd.f32(float %v34, float %v33, float 0x3F81110C60000000)
  %v36 = call float @llvm.fmuladd.f32(float %v35, float %v33, float 0x3FA5554EA0000000)
  %v37 = call float @llvm.fmuladd.f32(float %v36, float %v33, float 0x3FC5555560000000)
  %v38 = call float @llvm.fmuladd.f32(float %v37, float %v33, float 0x3FE0000000000000)
  %v39 = fmul float %v33, %v33
  %v40 = call float @llvm.fmuladd.f32(float %v38, float %v39, float %v33)
  %v41 = fadd float %v40, 0x3FF0000000000000
  %v42 = add i32 %v31, 0
  %v43 = ashr i32 %v42, 1
  %v44 = add i32 %v43, 127
  %v45 = shl i32 %v44, 23
  %v46 = bitcast i32 %v45 to float
  %v47 = fmul float %v41, %v46
  %v48 = sub i32 %v42, %v43
  %v49 = add i32 %v48, 127
  %v50 = shl i32 %v49, 23
  %v51 = bitcast i32 %v50 to float
  %v52 = fmul float %v47, %v51
  %v53 = fadd float 0x0000000000000000, %v52
  %v54 = getelementptr inbounds i64, ptr %block, i64 5
  %v55 = load i64, ptr %v54, align 8
  %v56 = mul i64 %v55, 4
  %v58 = getelementptr inbounds i64, ptr %block, i64 4
  %v59 = load i64, ptr %v58, align 8
  %v60 = add i64 %v59, -1
  %v61 = call i64 @llvm.smax.i64(i64 %v60, i64 0)
  %v66 = getelementptr inbounds i64, ptr %block, i64 2
  %v67 = load ptr, ptr %v66, align 8
  %v76 = fdiv float 0x0000000000000000, %v20
  %v77 = fmul float %v76, %v76
  %v78 = fmul float 0xBFE0000000000000, %v77
  %v79 = fcmp olt float %v78, 0xC05A400000000000
  %v80 = select i1 %v79, float 0xC05A400000000000, float %v78
  %v81 = fcmp ogt float %v80, 0x4056C00000000000
  %v82 = select i1 %v81, float 0x4056C00000000000, float %v80
  %v83 = call float @llvm.fmuladd.f32(float %v82, float 0x3FF7154760000000, float 0x4168000000000000)
  %v84 = fsub float %v83, 0x4168000000000000
  %v85 = bitcast float %v83 to i32
  %v86 = sub i32 %v85, 1262485504
  %v87 = call float @llvm.fmuladd.f32(float %v84, float 0xBFE6300000000000, float %v82)
  %v88 = call float @llvm.fmuladd.f32(float %v84, float 0x3F2BD01060000000, float %v87)
  %v89 = call float @llvm.fmuladd.f32(float %v88, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v90 = call float @llvm.fmuladd.f32(float %v89, float %v88, float 0x3F81110C60000000)
  %v91 = call float @llvm.fmuladd.f32(float %v90, float %v88, float 0x3FA5554EA0000000)
  %v92 = call float @llvm.fmuladd.f32(float %v91, float %v88, float 0x3FC5555560000000)
  %v93 = call float @llvm.fmuladd.f32(float %v92, float %v88, float 0x3FE0000000000000)
  %v94 = fmul float %v88, %v88
  %v95 = call float @llvm.fmuladd.f32(float %v93, float %v94, float %v88)
  %v96 = fadd float %v95, 0x3FF0000000000000
  %v97 = add i32 %v86, 0
  %v98 = ashr i32 %v97, 1
  %v99 = add i32 %v98, 127
  %v100 = shl i32 %v99, 23
  %v101 = bitcast i32 %v100 to float
  %v102 = fmul float %v96, %v101
  %v103 = sub i32 %v97, %v98
  %v104 = add i32 %v103, 127
  %v105 = shl i32 %v104, 23
  %v106 = bitcast i32 %v105 to float
  %v107 = fmul float %v102, %v106
  %v108 = fadd float %v53, %v107
  %v121 = fdiv float 0x3FF0000000000000, %v20
  %v122 = fmul float %v121, %v121
  %v123 = fmul float 0xBFE0000000000000, %v122
  %v124 = fcmp olt float %v123, 0xC05A400000000000
  %v125 = select i1 %v124, float 0xC05A400000000000, float %v123
  %v126 = fcmp ogt float %v125, 0x4056C00000000000
  %v127 = select i1 %v126, float 0x4056C00000000000, float %v125
  %v128 = call float @llvm.fmuladd.f32(float %v127, float 0x3FF7154760000000, float 0x4168000000000000)
  %v129 = fsub float %v128, 0x4168000000000000
  %v130 = bitcast float %v128 to i32
  %v131 = sub i32 %v130, 1262485504
  %v132 = call float @llvm.fmuladd.f32(float %v129, float 0xBFE6300000000000, float %v127)
  %v133 = call float @llvm.fmuladd.f32(float %v129, float 0x3F2BD01060000000, float %v132)
  %v134 = call float @llvm.fmuladd.f32(float %v133, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v135 = call float @llvm.fmuladd.f32(float %v134, float %v133, float 0x3F81110C60000000)
  %v136 = call float @llvm.fmuladd.f32(float %v135, float %v133, float 0x3FA5554EA0000000)
  %v137 = call float @llvm.fmuladd.f32(float %v136, float %v133, float 0x3FC5555560000000)
  %v138 = call float @llvm.fmuladd.f32(float %v137, float %v133, float 0x3FE0000000000000)
  %v139 = fmul float %v133, %v133
  %v140 = call float @llvm.fmuladd.f32(float %v138, float %v139, float %v133)
  %v141 = fadd float %v140, 0x3FF0000000000000
  %v142 = add i32 %v131, 0
  %v143 = ashr i32 %v142, 1
  %v144 = add i32 %v143, 127
  %v145 = shl i32 %v144, 23
  %v146 = bitcast i32 %v145 to float
  %v147 = fmul float %v141, %v146
  %v148 = sub i32 %v142, %v143
  %v149 = add i32 %v148, 127
  %v150 = shl i32 %v149, 23
  %v151 = bitcast i32 %v150 to float
  %v152 = fmul float %v147, %v151
  %v153 = fadd float %v108, %v152
  %v167 = fdiv float 0x3FF0000000000000, %v153
  %v221 = getelementptr inbounds i64, ptr %block, i64 1
  %v222 = load ptr, ptr %v221, align 8
  br label %main
main:
  %v1 = sub i64 %hi, %lo
  %v2 = icmp sge i64 %v1, 16
  br i1 %v2, label %then3, label %endif3
then3:
  %v4 = sub i64 %bottom, %top
  %v5 = sdiv i64 %v4, 4
  %v6 = mul i64 %v5, 4
  %v7 = add i64 %top, %v6
  br label %head8
head8:
  %v9 = phi i64 [ %top, %then3 ], [ %v10, %latch8 ]
  %v11 = icmp slt i64 %v9, %v7
  br i1 %v11, label %body8, label %end8
body8:
  br label %head12
head12:
  %v13 = phi i64 [ %lo, %body8 ], [ %v14, %latch12 ]
  %v15 = icmp slt i64 %v13, %hi
  br i1 %v15, label %body12, label %end12
body12:
  %v16 = sub i64 %hi, 16
  %v17 = call i64 @llvm.smin.i64(i64 %v13, i64 %v16)
  %v57 = add i64 -1, %v9
  %v62 = call i64 @llvm.smax.i64(i64 %v57, i64 0)
  %v63 = call i64 @llvm.smin.i64(i64 %v62, i64 %v61)
  %v64 = mul i64 %v63, %v56
  %v65 = add i64 %v64, %v17
  %v68 = getelementptr inbounds i8, ptr %v67, i64 %v65
  %v69 = load <16 x i8>, ptr %v68, align 1, !alias.scope !3
  %v70 = zext <16 x i8> %v69 to <16 x i32>
  %v71 = sitofp <16 x i32> %v70 to <16 x float>
  %v72 = insertelement <16 x float> poison, float %v52, i64 0
  %v73 = shufflevector <16 x float> %v72, <16 x float> poison, <16 x i32> zeroinitializer
  %v74 = fmul <16 x float> %v73, %v71
  %v75 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v74
  %v109 = call i64 @llvm.smax.i64(i64 %v9, i64 0)
  %v110 = call i64 @llvm.smin.i64(i64 %v109, i64 %v61)
  %v111 = mul i64 %v110, %v56
  %v112 = add i64 %v111, %v17
  %v113 = getelementptr inbounds i8, ptr %v67, i64 %v112
  %v114 = load <16 x i8>, ptr %v113, align 1, !alias.scope !3
  %v115 = zext <16 x i8> %v114 to <16 x i32>
  %v116 = sitofp <16 x i32> %v115 to <16 x float>
  %v117 = insertelement <16 x float> poison, float %v107, i64 0
  %v118 = shufflevector <16 x float> %v117, <16 x float> poison, <16 x i32> zeroinitializer
  %v119 = fmul <16 x float> %v118, %v116
  %v120 = fadd <16 x float> %v75, %v119
  %v154 = add i64 1, %v9
  %v155 = call i64 @llvm.smax.i64(i64 %v154, i64 0)
  %v156 = call i64 @llvm.smin.i64(i64 %v155, i64 %v61)
  %v157 = mul i64 %v156, %v56
  %v158 = add i64 %v157, %v17
  %v159 = getelementptr inbounds i8, ptr %v67, i64 %v158
  %v160 = load <16 x i8>, ptr %v159, align 1, !alias.scope !3
  %v161 = zext <16 x i8> %v160 to <16 x i32>
  %v162 = sitofp <16 x i32> %v161 to <16 x float>
  %v163 = insertelement <16 x float> poison, float %v152, i64 0
  %v164 = shufflevector <16 x float> %v163, <16 x float> poison, <16 x i32> zeroinitializer
  %v165 = fmul <16 x float> %v164, %v162
  %v166 = fadd <16 x float> %v120, %v165
  %v168 = insertelement <16 x float> poison, float %v167, i64 0
  %v169 = shufflevector <16 x float> %v168, <16 x float> poison, <16 x i32> zeroinitializer
  %v170 = fmul <16 x float> %v166, %v169
  %v171 = fmul <16 x float> %v73, %v116
  %v172 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v171
  %v173 = fmul <16 x float> %v118, %v162
  %v174 = fadd <16 x float> %v172, %v173
  %v175 = add i64 2, %v9
  %v176 = call i64 @llvm.smax.i64(i64 %v175, i64 0)
  %v177 = call i64 @llvm.smin.i64(i64 %v176, i64 %v61)
  %v178 = mul i64 %v177, %v56
  %v179 = add i64 %v178, %v17
  %v180 = getelementptr inbounds i8, ptr %v67, i64 %v179
  %v181 = load <16 x i8>, ptr %v180, align 1, !alias.scope !3
  %v182 = zext <16 x i8> %v181 to <16 x i32>
  %v183 = sitofp <16 x i32> %v182 to <16 x float>
  %v184 = fmul <16 x float> %v164, %v183
  %v185 = fadd <16 x float> %v174, %v184
  %v186 = fmul <16 x float> %v185, %v169
  %v187 = fmul <16 x float> %v73, %v162
  %v188 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v187
  %v189 = fmul <16 x float> %v118, %v183
  %v190 = fadd <16 x float> %v188, %v189
  %v191 = add i64 3, %v9
  %v192 = call i64 @llvm.smax.i64(i64 %v191, i64 0)
  %v193 = call i64 @llvm.smin.i64(i64 %v192, i64 %v61)
  %v194 = mul i64 %v193, %v56
  %v195 = add i64 %v194, %v17
  %v196 = getelementptr inbounds i8, ptr %v67, i64 %v195
  %v197 = load <16 x i8>, ptr %v196, align 1, !alias.scope !3
  %v198 = zext <16 x i8> %v197 to <16 x i32>
  %v199 = sitofp <16 x i32> %v198 to <16 x float>
  %v200 = fmul <16 x float> %v164, %v199
  %v201 = fadd <16 x float> %v190, %v200
  %v202 = fmul <16 x float> %v201, %v169
  %v203 = fmul <16 x float> %v73, %v183
  %v204 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v203
  %v205 = fmul <16 x float> %v118, %v199
  %v206 = fadd <16 x float> %v204, %v205
  %v207 = add i64 4, %v9
  %v208 = call i64 @llvm.smax.i64(i64 %v207, i64 0)
  %v209 = call i64 @llvm.smin.i64(i64 %v208, i64 %v61)
  %v210 = mul i64 %v209, %v56
  %v211 = add i64 %v210, %v17
  %v212 = getelementptr inbounds i8, ptr %v67, i64 %v211
  %v213 = load <16 x i8>, ptr %v212, align 1, !alias.scope !3
  %v214 = zext <16 x i8> %v213 to <16 x i32>
  %v215 = sitofp <16 x i32> %v214 to <16 x float>
  %v216 = fmul <16 x float> %v164, %v215
  %v217 = fadd <16 x float> %v206, %v216
  %v218 = fmul <16 x float> %v217, %v169
  %v219 = mul i64 %v9, %v56
  %v220 = add i64 %v219, %v17
  %v223 = getelementptr inbounds float, ptr %v222, i64 %v220
  store <16 x float> %v170, ptr %v223, align 4, !noalias !3
  %v224 = add i64 %v9, 1
  %v225 = mul i64 %v224, %v56
  %v226 = add i64 %v225, %v17
  %v227 = getelementptr inbounds float, ptr %v222, i64 %v226
  store <16 x float> %v186, ptr %v227, align 4, !noalias !3
  %v228 = add i64 %v9, 2
  %v229 = mul i64 %v228, %v56
  %v230 = add i64 %v229, %v17
  %v231 = getelementptr inbounds float, ptr %v222, i64 %v230
  store <16 x float> %v202, ptr %v231, align 4, !noalias !3
  %v232 = add i64 %v9, 3
  %v233 = mul i64 %v232, %v56
  %v234 = add i64 %v233, %v17
  %v235 = getelementptr inbounds float, ptr %v222, i64 %v234
  store <16 x float> %v218, ptr %v235, align 4, !noalias !3
  br label %latch12
latch12:
  %v14 = add nsw i64 %v13, 16
  br label %head12, !llvm.loop !0
end12:
  br label %latch8
latch8:
  %v10 = add nsw i64 %v9, 4
  br label %head8
end8:
  br label %head236
head236:
  %v237 = phi i64 [ %v7, %end8 ], [ %v238, %latch236 ]
  %v239 = icmp slt i64 %v237, %bottom
  br i1 %v239, label %body236, label %end236
body236:
  br label %head240
head240:
  %v241 = phi i64 [ %lo, %body236 ], [ %v242, %latch240 ]
  %v243 = icmp slt i64 %v241, %hi
  br i1 %v243, label %body240, label %end240
body240:
  %v244 = sub i64 %hi, 16
  %v245 = call i64 @llvm.smin.i64(i64 %v241, i64 %v244)
  %v246 = add i64 -1, %v237
  %v247 = call i64 @llvm.smax.i64(i64 %v246, i64 0)
  %v248 = call i64 @llvm.smin.i64(i64 %v247, i64 %v61)
  %v249 = mul i64 %v248, %v56
  %v250 = add i64 %v249, %v245
  %v251 = getelementptr inbounds i8, ptr %v67, i64 %v250
  %v252 = load <16 x i8>, ptr %v251, align 1, !alias.scope !3
  %v253 = zext <16 x i8> %v252 to <16 x i32>
  %v254 = sitofp <16 x i32> %v253 to <16 x float>
  %v255 = insertelement <16 x float> poison, float %v52, i64 0
  %v256 = shufflevector <16 x float> %v255, <16 x float> poison, <16 x i32> zeroinitializer
  %v257 = fmul <16 x float> %v256, %v254
  %v258 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v257
  %v259 = mul i64 %v237, %v56
  %v260 = add i64 %v259, %v245
  %v261 = getelementptr inbounds i8, ptr %v67, i64 %v260
  %v262 = load <16 x i8>, ptr %v261, align 1, !alias.scope !3
  %v263 = zext <16 x i8> %v262 to <16 x i32>
  %v264 = sitofp <16 x i32> %v263 to <16 x float>
  %v265 = insertelement <16 x float> poison, float %v107, i64 0
  %v266 = shufflevector <16 x float> %v265, <16 x float> poison, <16 x i32> zeroinitializer
  %v267 = fmul <16 x float> %v266, %v264
  %v268 = fadd <16 x float> %v258, %v267
  %v269 = add i64 1, %v237
  %v270 = call i64 @llvm.smax.i64(i64 %v269, i64 0)
  %v271 = call i64 @llvm.smin.i64(i64 %v270, i64 %v61)
  %v272 = mul i64 %v271, %v56
  %v273 = add i64 %v272, %v245
  %v274 = getelementptr inbounds i8, ptr %v67, i64 %v273
  %v275 = load <16 x i8>, ptr %v274, align 1, !alias.scope !3
  %v276 = zext <16 x i8> %v275 to <16 x i32>
  %v277 = sitofp <16 x i32> %v276 to <16 x float>
  %v278 = insertelement <16 x float> poison, float %v152, i64 0
  %v279 = shufflevector <16 x float> %v278, <16 x float> poison, <16 x i32> zeroinitializer
  %v280 = fmul <16 x float> %v279, %v277
  %v281 = fadd <16 x float> %v268, %v280
  %v282 = insertelement <16 x float> poison, float %v167, i64 0
  %v283 = shufflevector <16 x float> %v282, <16 x float> poison, <16 x i32> zeroinitializer
  %v284 = fmul <16 x float> %v281, %v283
  %v285 = mul i64 %v237, %v56
  %v286 = add i64 %v285, %v245
  %v287 = getelementptr inbounds float, ptr %v222, i64 %v286
  store <16 x float> %v284, ptr %v287, align 4, !noalias !3
  br label %latch240
latch240:
  %v242 = add nsw i64 %v241, 16
  br label %head240, !llvm.loop !4
end240:
  br label %latch236
latch236:
  %v238 = add nsw i64 %v237, 1
  br label %head236
end236:
  br label %endif3
endif3:
  %v288 = xor i1 %v2, true
  br i1 %v288, label %then289, label %endif289
then289:
  br label %head290
head290:
  %v291 = phi i64 [ %top, %then289 ], [ %v292, %latch290 ]
  %v293 = icmp slt i64 %v291, %bottom
  br i1 %v293, label %body290, label %end290
body290:
  br label %head294
head294:
  %v295 = phi i64 [ %lo, %body290 ], [ %v296, %latch294 ]
  %v297 = icmp slt i64 %v295, %hi
  br i1 %v297, label %body294, label %end294
body294:
  %v298 = add i64 -1, %v291
  %v299 = call i64 @llvm.smax.i64(i64 %v298, i64 0)
  %v300 = call i64 @llvm.smin.i64(i64 %v299, i64 %v61)
  %v301 = mul i64 %v300, %v56
  %v302 = add i64 %v301, %v295
  %v303 = getelementptr inbounds i8, ptr %v67, i64 %v302
  %v304 = load i8, ptr %v303, align 1, !alias.scope !3
  %v305 = zext i8 %v304 to i32
  %v306 = sitofp i32 %v305 to float
  %v307 = fmul float %v52, %v306
  %v308 = fadd float 0x0000000000000000, %v307
  %v309 = mul i64 %v291, %v56
  %v310 = add i64 %v309, %v295
  %v311 = getelementptr inbounds i8, ptr %v67, i64 %v310
  %v312 = load i8, ptr %v311, align 1, !alias.scope !3
  %v313 = zext i8 %v312 to i32
  %v314 = sitofp i32 %v313 to float
  %v315 = fmul float %v107, %v314
  %v316 = fadd float %v308, %v315
  %v317 = add i64 1, %v291
  %v318 = call i64 @llvm.smax.i64(i64 %v317, i64 0)
  %v319 = call i64 @llvm.smin.i64(i64 %v318, i64 %v61)
  %v320 = mul i64 %v319, %v56
  %v321 = add i64 %v320, %v295
  %v322 = getelementptr inbounds i8, ptr %v67, i64 %v321
  %v323 = load i8, ptr %v322, align 1, !alias.scope !3
  %v324 = zext i8 %v323 to i32
  %v325 = sitofp i32 %v324 to float
  %v326 = fmul float %v152, %v325
  %v327 = fadd float %v316, %v326
  %v328 = fmul float %v327, %v167
  %v329 = mul i64 %v291, %v56
  %v330 = add i64 %v329, %v295
  %v331 = getelementptr inbounds float, ptr %v222, i64 %v330
  store float %v328, ptr %v331, align 4, !noalias !3
  br label %latch294
latch294:
  %v296 = add nsw i64 %v295, 1
  br label %head294, !llvm.loop !5
end294:
  br label %latch290
latch290:
  %v292 = add nsw i64 %v291, 1
  br label %head290
end290:
  br label %endif289
endif289:
  ret void
}

define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 5
  %v4 = load i64, ptr %v3, align 8
  %v8 = getelementptr inbounds i64, ptr %block, i64 0
  %v9 = load ptr, ptr %v8, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 6
  %v15 = load i64, ptr %v14, align 8
  br label %main
main:
  %v5 = mul i64 %v4, 4
  %v6 = call i64 @llvm.smin.i64(i64 0, i64 %v5)
  %v7 = call i64 @llvm.smax.i64(i64 %v5, i64 %v6)
  br label %head10
head10:
  %v11 = phi i64 [ %lo, %main ], [ %v12, %latch10 ]
  %v13 = icmp slt i64 %v11, %hi
  br i1 %v13, label %body10, label %end10
body10:
  %v16 = sub i64 %v15, 1
  %v17 = add i64 %v2, %v16
  %v18 = udiv i64 %v17, %v15
  %v19 = udiv i64 %v11, %v18
  %v20 = mul i64 %v19, %v18
  %v21 = sub i64 %v11, %v20
  %v22 = mul i64 %v21, %v15
  %v23 = add i64 %v22, %v15
  %v24 = call i64 @llvm.smin.i64(i64 %v23, i64 %v2)
  %v25 = sub i64 %v22, 0
  br label %head26
head26:
  %v27 = phi i64 [ %v25, %body10 ], [ %v28, %latch26 ]
  %v29 = icmp slt i64 %v27, %v24
  br i1 %v29, label %body26, label %end26
body26:
  %v30 = add i64 %v27, 4
  %v31 = call i64 @llvm.smin.i64(i64 %v30, i64 %v24)
  %v32 = add i64 %v22, 0
  %v33 = call i64 @llvm.smax.i64(i64 %v32, i64 0)
  %v34 = add i64 %v27, 0
  %v35 = call i64 @llvm.smax.i64(i64 %v33, i64 %v34)
  %v36 = add i64 %v31, 0
  %v37 = call i64 @llvm.smin.i64(i64 %v36, i64 %v2)
  %v38 = icmp slt i64 0, %v5
  %v39 = icmp slt i64 %v35, %v37
  br i1 %v39, label %then40, label %endif40
then40:
  br i1 %v38, label %then41, label %endif41
then41:
  call void @stage0_all(ptr %block, ptr %v9, i64 %v19, i64 %v22, i64 %v35, i64 %v37, i64 0, i64 %v5, i64 %v6, i64 %v7)
  br label %endif41
endif41:
  br label %endif40
endif40:
  br label %latch26
latch26:
  %v28 = add nsw i64 %v27, 4
  br label %head26
end26:
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 1
  br label %head10
end10:
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

!0 = distinct !{!0, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!1 = distinct !{!1}
!2 = distinct !{!2, !1}
!3 = !{!2}
!4 = distinct !{!4, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!5 = distinct !{!5, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}

declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v13 = fdiv float 0xBFF0000000000000, %v12
  %v14 = fmul float %v13, %v13
  %v15 = fmul float 0xBFE0000000000000, %v14
  %v16 = fcmp olt float %v15, 0xC05A400000000000
  %v17 = select i1 %v16, float 0xC05A400000000000, float %v15
  %v18 = fcmp ogt float %v17, 0x4056C00000000000
  %v19 = select i1 %v18, float 0x4056C00000000000, float %v17
  %v20 = call float @llvm.fmuladd.f32(float %v19, float 0x3FF7154760000000, float 0x4168000000000000)
  %v21 = fsub float %v20, 0x4168000000000000
  %v22 = bitcast float %v20 to i32
  %v23 = sub i32 %v22, 1262485504
  %v24 = call float @llvm.fmuladd.f32(float %v21, float 0xBFE6300000000000, float %v19)
  %v25 = call float @llvm.fmuladd.f32(float %v21, float 0x3F2BD01060000000, float %v24)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v25, float 0x3F81110C60000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v25, float 0x3FA5554EA0000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v25, float 0x3FC5555560000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v25, float 0x3FE0000000000000)
  %v31 = fmul float %v25, %v25
  %v32 = call float @llvm.fmuladd.f32(float %v30, float %v31, float %v25)
  %v33 = fadd float %v32, 0x3FF0000000000000
  %v34 = add i32 %v23, 0
  %v35 = ashr i32 %v34, 1
  %v36 = add i32 %v35, 127
  %v37 = shl i32 %v36, 23
  %v38 = bitcast i32 %v37 to float
  %v39 = fmul float %v33, %v38
  %v40 = sub i32 %v34, %v35
  %v41 = add i32 %v40, 127
  %v42 = shl i32 %v41, 23
  %v43 = bitcast i32 %v42 to float
  %v44 = fmul float %v39, %v43
  %v45 = fadd float 0x0000000000000000, %v44
  %v46 = mul i64 %v2, 4
  %v52 = add i64 %v2, -1
  %v53 = call i64 @llvm.smax.i64(i64 %v52, i64 0)
  %v59 = getelementptr inbounds i64, ptr %block, i64 2
  %v60 = load ptr, ptr %v59, align 8
  %v65 = fdiv float 0x0000000000000000, %v12
  %v66 = fmul float %v65, %v65
  %v67 = fmul float 0xBFE0000000000000, %v66
  %v68 = fcmp olt float %v67, 0xC05A400000000000
  %v69 = select i1 %v68, float 0xC05A400000000000, float %v67
  %v70 = fcmp ogt float %v69, 0x4056C00000000000
  %v71 = select i1 %v70, float 0x4056C00000000000, float %v69
  %v72 = call float @llvm.fmuladd.f32(float %v71, float 0x3FF7154760000000, float 0x4168000000000000)
  %v73 = fsub float %v72, 0x4168000000000000
  %v74 = bitcast float %v72 to i32
  %v75 = sub i32 %v74, 1262485504
  %v76 = call float @llvm.fmuladd.f32(float %v73, float 0xBFE6300000000000, float %v71)
  %v77 = call float @llvm.fmuladd.f32(float %v73, float 0x3F2BD01060000000, float %v76)
  %v78 = call float @llvm.fmuladd.f32(float %v77, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v79 = call float @llvm.fmuladd.f32(float %v78, float %v77, float 0x3F81110C60000000)
  %v80 = call float @llvm.fmuladd.f32(float %v79, float %v77, float 0x3FA5554EA0000000)
  %v81 = call float @llvm.fmuladd.f32(float %v80, float %v77, float 0x3FC5555560000000)
  %v82 = call float @llvm.fmuladd.f32(float %v81, float %v77, float 0x3FE0000000000000)
  %v83 = fmul float %v77, %v77
  %v84 = call float @llvm.fmuladd.f32(float %v82, float %v83, float %v77)
  %v85 = fadd float %v84, 0x3FF0000000000000
  %v86 = add i32 %v75, 0
  %v87 = ashr i32 %v86, 1
  %v88 = add i32 %v87, 127
  %v89 = shl i32 %v88, 23
  %v90 = bitcast i32 %v89 to float
  %v91 = fmul float %v85, %v90
  %v92 = sub i32 %v86, %v87
  %v93 = add i32 %v92, 127
  %v94 = shl i32 %v93, 23
  %v95 = bitcast i32 %v94 to float
  %v96 = fmul float %v91, %v95
  %v97 = fadd float %v45, %v96
  %v104 = fdiv float 0x3FF0000000000000, %v12
  %v105 = fmul float %v104, %v104
  %v106 = fmul float 0xBFE0000000000000, %v105
  %v107 = fcmp olt float %v106, 0xC05A400000000000
  %v108 = select i1 %v107, float 0xC05A400000000000, float %v106
  %v109 = fcmp ogt float %v108, 0x4056C00000000000
  %v110 = select i1 %v109, float 0x4056C00000000000, float %v108
  %v111 = call float @llvm.fmuladd.f32(float %v110, float 0x3FF7154760000000, float 0x4168000000000000)
  %v112 = fsub float %v111, 0x4168000000000000
  %v113 = bitcast float %v111 to i32
  %v114 = sub i32 %v113, 1262485504
  %v115 = call float @llvm.fmuladd.f32(float %v112, float 0xBFE6300000000000, float %v110)
  %v116 = call float @llvm.fmuladd.f32(float %v112, float 0x3F2BD01060000000, float %v115)
  %v117 = call float @llvm.fmuladd.f32(float %v116, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v118 = call float @llvm.fmuladd.f32(float %v117, float %v116, float 0x3F81110C60000000)
  %v119 = call float @llvm.fmuladd.f32(float %v118, float %v116, float 0x3FA5554EA0000000)
  %v120 = call float @llvm.fmuladd.f32(float %v119, float %v116, float 0x3FC5555560000000)
  %v121 = call float @llvm.fmuladd.f32(float %v120, float %v116, float 0x3FE0000000000000)
  %v122 = fmul float %v116, %v116
  %v123 = call float @llvm.fmuladd.f32(float %v121, float %v122, float %v116)
  %v124 = fadd float %v123, 0x3FF0000000000000
  %v125 = add i32 %v114, 0
  %v126 = ashr i32 %v125, 1
  %v127 = add i32 %v126, 127
  %v128 = shl i32 %v127, 23
  %v129 = bitcast i32 %v128 to float
  %v130 = fmul float %v124, %v129
  %v131 = sub i32 %v125, %v126
  %v132 = add i32 %v131, 127
  %v133 = shl i32 %v132, 23
  %v134 = bitcast i32 %v133 to float
  %v135 = fmul float %v130, %v134
  %v136 = fadd float %v97, %v135
  %v151 = fdiv float 0x3FF0000000000000, %v136
  %v160 = getelementptr inbounds i64, ptr %block, i64 1
  %v161 = load ptr, ptr %v160, align 8
  br label %main
main:
  %v3 = mul i64 %v2, 4
  %v4 = mul i64 %row, %v3
  br label %head5
head5:
  %v6 = phi i64 [ %lo, %main ], [ %v7, %latch5 ]
  %v8 = icmp slt i64 %v6, %hi
  br i1 %v8, label %body5, label %end5
body5:
  %v9 = add i64 %v4, %v6
  %v47 = mul i64 %row, %v46
  %v48 = udiv i64 %v6, 4
  %v49 = mul i64 %v48, 4
  %v50 = sub i64 %v6, %v49
  %v51 = add i64 %v48, -1
  %v54 = call i64 @llvm.smax.i64(i64 %v51, i64 0)
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 %v53)
  %v56 = mul i64 %v55, 4
  %v57 = add i64 %v56, %v50
  %v58 = add i64 %v47, %v57
  %v61 = getelementptr inbounds float, ptr %v60, i64 %v58
  %v62 = load float, ptr %v61, align 4, !llvm.access.group !0, !alias.scope !4
  %v63 = fmul float %v44, %v62
  %v64 = fadd float 0x0000000000000000, %v63
  %v98 = mul i64 %row, %v46
  %v99 = add i64 %v98, %v6
  %v100 = getelementptr inbounds float, ptr %v60, i64 %v99
  %v101 = load float, ptr %v100, align 4, !llvm.access.group !0, !alias.scope !4
  %v102 = fmul float %v96, %v101
  %v103 = fadd float %v64, %v102
  %v137 = mul i64 %row, %v46
  %v138 = udiv i64 %v6, 4
  %v139 = mul i64 %v138, 4
  %v140 = sub i64 %v6, %v139
  %v141 = add i64 %v138, 1
  %v142 = call i64 @llvm.smax.i64(i64 %v141, i64 0)
  %v143 = call i64 @llvm.smin.i64(i64 %v142, i64 %v53)
  %v144 = mul i64 %v143, 4
  %v145 = add i64 %v144, %v140
  %v146 = add i64 %v137, %v145
  %v147 = getelementptr inbounds float, ptr %v60, i64 %v146
  %v148 = load float, ptr %v147, align 4, !llvm.access.group !0, !alias.scope !4
  %v149 = fmul float %v135, %v148
  %v150 = fadd float %v103, %v149
  %v152 = fmul float %v150, %v151
  %v153 = fcmp ogt float %v152, 0x0000000000000000
  %v154 = select i1 %v153, float %v152, float 0x0000000000000000
  %v155 = fcmp olt float %v154, 0x406FE00000000000
  %v156 = select i1 %v155, float %v154, float 0x406FE00000000000
  %v157 = fadd float %v156, 0x4160000000000000
  %v158 = bitcast float %v157 to i32
  %v159 = trunc i32 %v158 to i8
  %v162 = getelementptr inbounds i8, ptr %v161, i64 %v9
  store i8 %v159, ptr %v162, align 1, !noalias !4, !llvm.access.group !0
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5, !llvm.loop !1
end5:
  ret void
}

define internal void @row_inside(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v13 = fdiv float 0xBFF0000000000000, %v12
  %v14 = fmul float %v13, %v13
  %v15 = fmul float 0xBFE0000000000000, %v14
  %v16 = fcmp olt float %v15, 0xC05A400000000000
  %v17 = select i1 %v16, float 0xC05A400000000000, float %v15
  %v18 = fcmp ogt float %v17, 0x4056C00000000000
  %v19 = select i1 %v18, float 0x4056C00000000000, float %v17
  %v20 = call float @llvm.fmuladd.f32(float %v19, float 0x3FF7154760000000, float 0x4168000000000000)
  %v21 = fsub float %v20, 0x4168000000000000
  %v22 = bitcast float %v20 to i32
  %v23 = sub i32 %v22, 1262485504
  %v24 = call float @llvm.fmuladd.f32(float %v21, float 0xBFE6300000000000, float %v19)
  %v25 = call float @llvm.fmuladd.f32(float %v21, float 0x3F2BD01060000000, float %v24)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v25, float 0x3F81110C60000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v25, float 0x3FA5554EA0000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v25, float 0x3FC5555560000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v25, float 0x3FE0000000000000)
  %v31 = fmul float %v25, %v25
  %v32 = call float @llvm.fmuladd.f32(float %v30, float %v31, float %v25)
  %v33 = fadd float %v32, 0x3FF0000000000000
  %v34 = add i32 %v23, 0
  %v35 = ashr i32 %v34, 1
  %v36 = add i32 %v35, 127
  %v37 = shl i32 %v36, 23
  %v38 = bitcast i32 %v37 to float
  %v39 = fmul float %v33, %v38
  %v40 = sub i32 %v34, %v35
  %v41 = add i32 %v40, 127
  %v42 = shl i32 %v41, 23
  %v43 = bitcast i32 %v42 to float
  %v44 = fmul float %v39, %v43
  %v45 = fadd float 0x0000000000000000, %v44
  %v46 = mul i64 %v2, 4
  %v50 = getelementptr inbounds i64, ptr %block, i64 2
  %v51 = load ptr, ptr %v50, align 8
  %v56 = fdiv float 0x0000000000000000, %v12
  %v57 = fmul float %v56, %v56
  %v58 = fmul float 0xBFE0000000000000, %v57
  %v59 = fcmp olt float %v58, 0xC05A400000000000
  %v60 = select i1 %v59, float 0xC05A400000000000, float %v58
  %v61 = fcmp ogt float %v60, 0x4056C00000000000
  %v62 = select i1 %v61, float 0x4056C00000000000, float %v60
  %v63 = call float @llvm.fmuladd.f32(float %v62, float 0x3FF7154760000000, float 0x4168000000000000)
  %v64 = fsub float %v63, 0x4168000000000000
  %v65 = bitcast float %v63 to i32
  %v66 = sub i32 %v65, 1262485504
  %v67 = call float @llvm.fmuladd.f32(float %v64, float 0xBFE6300000000000, float %v62)
  %v68 = call float @llvm.fmuladd.f32(float %v64, float 0x3F2BD01060000000, float %v67)
  %v69 = call float @llvm.fmuladd.f32(float %v68, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v70 = call float @llvm.fmuladd.f32(float %v69, float %v68, float 0x3F81110C60000000)
  %v71 = call float @llvm.fmuladd.f32(float %v70, float %v68, float 0x3FA5554EA0000000)
  %v72 = call float @llvm.fmuladd.f32(float %v71, float %v68, float 0x3FC5555560000000)
  %v73 = call float @llvm.fmuladd.f32(float %v72, float %v68, float 0x3FE0000000000000)
  %v74 = fmul float %v68, %v68
  %v75 = call float @llvm.fmuladd.f32(float %v73, float %v74, float %v68)
  %v76 = fadd float %v75, 0x3FF0000000000000
  %v77 = add i32 %v66, 0
  %v78 = ashr i32 %v77, 1
  %v79 = add i32 %v78, 127
  %v80 = shl i32 %v79, 23
  %v81 = bitcast i32 %v80 to float
  %v82 = fmul float %v76, %v81
  %v83 = sub i32 %v77, %v78
  %v84 = add i32 %v83, 127
  %v85 = shl i32 %v84, 23
  %v86 = bitcast i32 %v85 to float
  %v87 = fmul float %v82, %v86
  %v88 = fadd float %v45, %v87
  %v95 = fdiv float 0x3FF0000000000000, %v12
  %v96 = fmul float %v95, %v95
  %v97 = fmul float 0xBFE0000000000000, %v96
  %v98 = fcmp olt float %v97, 0xC05A400000000000
  %v99 = select i1 %v98, float 0xC05A400000000000, float %v97
  %v100 = fcmp ogt float %v99, 0x4056C00000000000
  %v101 = select i1 %v100, float 0x4056C00000000000, float %v99
  %v102 = call float @llvm.fmuladd.f32(float %v101, float 0x3FF7154760000000, float 0x4168000000000000)
  %v103 = fsub float %v102, 0x4168000000000000
  %v104 = bitcast float %v102 to i32
  %v105 = sub i32 %v104, 1262485504
  %v106 = call float @llvm.fmuladd.f32(float %v103, float 0xBFE6300000000000, float %v101)
  %v107 = call float @llvm.fmuladd.f32(float %v103, float 0x3F2BD01060000000, float %v106)
  %v108 = call float @llvm.fmuladd.f32(float %v107, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v109 = call float @llvm.fmuladd.f32(float %v108, float %v107, float 0x3F81110C60000000)
  %v110 = call float @llvm.fmuladd.f32(float %v109, float %v107, float 0x3FA5554EA0000000)
  %v111 = call float @llvm.fmuladd.f32(float %v110, float %v107, float 0x3FC5555560000000)
  %v112 = call float @llvm.fmuladd.f32(float %v111, float %v107, float 0x3FE0000000000000)
  %v113 = fmul float %v107, %v107
  %v114 = call float @llvm.fmuladd.f32(float %v112, float %v113, float %v107)
  %v115 = fadd float %v114, 0x3FF0000000000000
  %v116 = add i32 %v105, 0
  %v117 = ashr i32 %v116, 1
  %v118 = add i32 %v117, 127
  %v119 = shl i32 %v118, 23
  %v120 = bitcast i32 %v119 to float
  %v121 = fmul float %v115, %v120
  %v122 = sub i32 %v116, %v117
  %v123 = add i32 %v122, 127
  %v124 = shl i32 %v123, 23
  %v125 = bitcast i32 %v124 to float
  %v126 = fmul float %v121, %v125
  %v127 = fadd float %v88, %v126
  %v135 = fdiv float 0x3FF0000000000000, %v127
  %v144 = getelementptr inbounds i64, ptr %block, i64 1
  %v145 = load ptr, ptr %v144, align 8
  br label %main
main:
  %v3 = mul i64 %v2, 4
  %v4 = mul i64 %row, %v3
  br label %head5
head5:
  %v6 = phi i64 [ %lo, %main ], [ %v7, %latch5 ]
  %v8 = icmp slt i64 %v6, %hi
  br i1 %v8, label %body5, label %end5
body5:
  %v9 = add i64 %v4, %v6
  %v47 = mul i64 %row, %v46
  %v48 = add i64 %v6, -4
  %v49 = add i64 %v47, %v48
  %v52 = getelementptr inbounds float, ptr %v51, i64 %v49
  %v53 = load float, ptr %v52, align 4, !llvm.access.group !5, !alias.scope !4
  %v54 = fmul float %v44, %v53
  %v55 = fadd float 0x0000000000000000, %v54
  %v89 = mul i64 %row, %v46
  %v90 = add i64 %v89, %v6
  %v91 = getelementptr inbounds float, ptr %v51, i64 %v90
  %v92 = load float, ptr %v91, align 4, !llvm.access.group !5, !alias.scope !4
  %v93 = fmul float %v87, %v92
  %v94 = fadd float %v55, %v93
  %v128 = mul i64 %row, %v46
  %v129 = add i64 %v6, 4
  %v130 = add i64 %v128, %v129
  %v131 = getelementptr inbounds float, ptr %v51, i64 %v130
  %v132 = load float, ptr %v131, align 4, !llvm.access.group !5, !alias.scope !4
  %v133 = fmul float %v126, %v132
  %v134 = fadd float %v94, %v133
  %v136 = fmul float %v134, %v135
  %v137 = fcmp ogt float %v136, 0x0000000000000000
  %v138 = select i1 %v137, float %v136, float 0x0000000000000000
  %v139 = fcmp olt float %v138, 0x406FE00000000000
  %v140 = select i1 %v139, float %v138, float 0x406FE00000000000
  %v141 = fadd float %v140, 0x4160000000000000
  %v142 = bitcast float %v141 to i32
  %v143 = trunc i32 %v142 to i8
  %v146 = getelementptr inbounds i8, ptr %v145, i64 %v9
  store i8 %v143, ptr %v146, align 1, !noalias !4, !llvm.access.group !5
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5, !llvm.loop !6
end5:
  ret void
}

define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v4 = getelementptr inbounds i64, ptr %block, i64 6
  %v5 = load i64, ptr %v4, align 8
  %v26 = getelementptr inbounds i64, ptr %block, i64 4
  %v27 = load i64, ptr %v26, align 8
  %v28 = getelementptr inbounds i64, ptr %block, i64 7
  %v29 = load i64, ptr %v28, align 8
  br label %main
main:
  %v3 = mul i64 %v2, 4
  %v6 = add i64 %v3, %v5
  %v7 = sub i64 %v6, 1
  %v8 = sdiv i64 %v7, %v5
  %v9 = add i64 %v2, 1
  %v10 = sdiv i64 %v9, 1
  %v11 = icmp slt i64 %v2, 0
  %v12 = select i1 %v11, i64 0, i64 %v10
  %v13 = call i64 @llvm.smax.i64(i64 0, i64 4)
  %v14 = mul i64 %v12, 4
  %v15 = call i64 @llvm.smin.i64(i64 %v3, i64 %v14)
  %v16 = add i64 %v2, -2
  %v17 = add i64 %v16, 1
  %v18 = sdiv i64 %v17, 1
  %v19 = icmp slt i64 %v16, 0
  %v20 = select i1 %v19, i64 0, i64 %v18
  %v21 = call i64 @llvm.smax.i64(i64 %v13, i64 0)
  %v22 = mul i64 %v20, 4
  %v23 = call i64 @llvm.smin.i64(i64 %v15, i64 %v22)
  %v24 = call i64 @llvm.smin.i64(i64 %v21, i64 %v3)
  %v25 = call i64 @llvm.smax.i64(i64 %v23, i64 %v24)
  br label %head30
head30:
  %v31 = phi i64 [ %lo, %main ], [ %v32, %latch30 ]
  %v33 = icmp slt i64 %v31, %hi
  br i1 %v33, label %body30, label %end30
body30:
  %v34 = sdiv i64 %v31, %v8
  %v35 = mul i64 %v34, %v8
  %v36 = sub i64 %v31, %v35
  %v37 = mul i64 %v36, %v5
  %v38 = add i64 %v37, %v5
  %v39 = call i64 @llvm.smin.i64(i64 %v38, i64 %v3)
  %v40 = mul i64 %v34, %v29
  %v41 = add i64 %v40, %v29
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %v27)
  br label %head43
head43:
  %v44 = phi i64 [ %v40, %body30 ], [ %v45, %latch43 ]
  %v46 = icmp slt i64 %v44, %v42
  br i1 %v46, label %body43, label %end43
body43:
  %v47 = call i64 @llvm.smin.i64(i64 %v39, i64 %v24)
  %v48 = icmp slt i64 %v37, %v47
  br i1 %v48, label %then49, label %endif49
then49:
  call void @row_edge(ptr %block, i64 %v44, i64 %v37, i64 %v47)
  br label %endif49
endif49:
  %v50 = call i64 @llvm.smax.i64(i64 %v37, i64 %v24)
  %v51 = call i64 @llvm.smin.i64(i64 %v39, i64 %v25)
  %v52 = icmp slt i64 %v50, %v51
  br i1 %v52, label %then53, label %endif53
then53:
  call void @row_inside(ptr %block, i64 %v44, i64 %v50, i64 %v51)
  br label %endif53
endif53:
  %v54 = call i64 @llvm.smax.i64(i64 %v37, i64 %v25)
  %v55 = icmp slt i64 %v54, %v39
  br i1 %v55, label %then56, label %endif56
then56:
  call void @row_edge(ptr %block, i64 %v44, i64 %v54, i64 %v39)
  br label %endif56
endif56:
  br label %latch43
latch43:
  %v45 = add nsw i64 %v44, 1
  br label %head43
end43:
  br label %latch30
latch30:
  %v32 = add nsw i64 %v31, 1
  br label %head30
end30:
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

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
!5 = distinct !{}
!6 = distinct !{!6, !{!"llvm.loop.parallel_accesses", !5}, !{!"llvm.loop.mustprogress"}}
