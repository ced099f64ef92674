declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v49 = mul i64 %v2, 4
  %v51 = getelementptr inbounds i64, ptr %block, i64 4
  %v52 = load i64, ptr %v51, align 8
  %v59 = getelementptr inbounds i64, ptr %block, i64 2
  %v60 = load ptr, ptr %v59, align 8
  %v162 = getelementptr inbounds i64, ptr %block, i64 1
  %v163 = load ptr, ptr %v162, align 8
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
  %v9 = mul i64 %v8, 4
  %v13 = fdiv float 0xBFF0000000000000, %v12
  %v14 = fmul contract float %v13, %v13
  %v15 = fmul contract float 0xBFE0000000000000, %v14
  %v16 = fcmp olt float %v15, 0xC05A400000000000
  %v17 = select i1 %v16, float 0xC05A400000000000, float %v15
  %v18 = fcmp ogt float %v17, 0x4056C00000000000
  %v19 = select i1 %v18, float 0x4056C00000000000, float %v17
  %v20 = call float @llvm.fmuladd.f32(float %v19, float 0x3FF7154760000000, float 0x4168000000000000)
  %v21 = fsub contract float %v20, 0x4168000000000000
  %v22 = bitcast float %v20 to i32
  %v23 = sub i32 %v22, 1262485504
  %v24 = call float @llvm.fmuladd.f32(float %v21, float 0xBFE6300000000000, float %v19)
  %v25 = call float @llvm.fmuladd.f32(float %v21, float 0x3F2BD01060000000, float %v24)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v25, float 0x3F81110C60000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v25, float 0x3FA5554EA0000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v25, float 0x3FC5555560000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v25, float 0x3FE0000000000000)
  %v31 = fmul contract float %v25, %v25
  %v32 = call float @llvm.fmuladd.f32(float %v30, float %v31, float %v25)
  %v33 = fadd contract float %v32, 0x3FF0000000000000
  %v34 = add i32 %v23, 0
  %v35 = ashr i32 %v34, 1
  %v36 = add i32 %v35, 127
  %v37 = shl i32 %v36, 23
  %v38 = bitcast i32 %v37 to float
  %v39 = fmul contract float %v33, %v38
  %v40 = sub i32 %v34, %v35
  %v41 = add i32 %v40, 127
  %v42 = shl i32 %v41, 23
  %v43 = bitcast i32 %v42 to float
  %v44 = fmul contract float %v39, %v43
  %v45 = fadd contract float 0x0000000000000000, %v44
  %v46 = trunc i64 %row to i32
  %v47 = add i32 %v46, -1
  %v48 = trunc i64 %v5 to i32
  %v50 = add i64 -1, %row
  %v53 = add i64 %v52, -1
  %v54 = call i64 @llvm.smin.i64(i64 %v50, i64 %v53)
  %v55 = call i64 @llvm.smax.i64(i64 %v54, i64 0)
  %v56 = mul i64 %v55, %v49
  %v57 = mul i64 %v5, 4
  %v58 = add i64 %v56, %v57
  %v61 = getelementptr inbounds i8, ptr %v60, i64 %v58
  %v62 = load i8, ptr %v61, align 1, !llvm.access.group !0
  %v63 = zext i8 %v62 to i32
  %v64 = sitofp i32 %v63 to float
  %v65 = fmul contract float %v44, %v64
  %v66 = fadd contract float 0x0000000000000000, %v65
  %v67 = fdiv float 0x0000000000000000, %v12
  %v68 = fmul contract float %v67, %v67
  %v69 = fmul contract float 0xBFE0000000000000, %v68
  %v70 = fcmp olt float %v69, 0xC05A400000000000
  %v71 = select i1 %v70, float 0xC05A400000000000, float %v69
  %v72 = fcmp ogt float %v71, 0x4056C00000000000
  %v73 = select i1 %v72, float 0x4056C00000000000, float %v71
  %v74 = call float @llvm.fmuladd.f32(float %v73, float 0x3FF7154760000000, float 0x4168000000000000)
  %v75 = fsub contract float %v74, 0x4168000000000000
  %v76 = bitcast float %v74 to i32
  %v77 = sub i32 %v76, 1262485504
  %v78 = call float @llvm.fmuladd.f32(float %v75, float 0xBFE6300000000000, float %v73)
  %v79 = call float @llvm.fmuladd.f32(float %v75, float 0x3F2BD01060000000, float %v78)
  %v80 = call float @llvm.fmuladd.f32(float %v79, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v81 = call float @llvm.fmuladd.f32(float %v80, float %v79, float 0x3F81110C60000000)
  %v82 = call float @llvm.fmuladd.f32(float %v81, float %v79, float 0x3FA5554EA0000000)
  %v83 = call float @llvm.fmuladd.f32(float %v82, float %v79, float 0x3FC5555560000000)
  %v84 = call float @llvm.fmuladd.f32(float %v83, float %v79, float 0x3FE0000000000000)
  %v85 = fmul contract float %v79, %v79
  %v86 = call float @llvm.fmuladd.f32(float %v84, float %v85, float %v79)
  %v87 = fadd contract float %v86, 0x3FF0000000000000
  %v88 = add i32 %v77, 0
  %v89 = ashr i32 %v88, 1
  %v90 = add i32 %v89, 127
  %v91 = shl i32 %v90, 23
  %v92 = bitcast i32 %v91 to float
  %v93 = fmul contract float %v87, %v92
  %v94 = sub i32 %v88, %v89
  %v95 = add i32 %v94, 127
  %v96 = shl i32 %v95, 23
  %v97 = bitcast i32 %v96 to float
  %v98 = fmul contract float %v93, %v97
  %v99 = fadd contract float %v45, %v98
  %v100 = trunc i64 %row to i32
  %v101 = trunc i64 %v5 to i32
  %v102 = mul i64 %row, %v49
  %v103 = mul i64 %v5, 4
  %v104 = add i64 %v102, %v103
  %v105 = getelementptr inbounds i8, ptr %v60, i64 %v104
  %v106 = load i8, ptr %v105, align 1, !llvm.access.group !0
  %v107 = zext i8 %v106 to i32
  %v108 = sitofp i32 %v107 to float
  %v109 = fmul contract float %v98, %v108
  %v110 = fadd contract float %v66, %v109
  %v111 = fdiv float 0x3FF0000000000000, %v12
  %v112 = fmul contract float %v111, %v111
  %v113 = fmul contract float 0xBFE0000000000000, %v112
  %v114 = fcmp olt float %v113, 0xC05A400000000000
  %v115 = select i1 %v114, float 0xC05A400000000000, float %v113
  %v116 = fcmp ogt float %v115, 0x4056C00000000000
  %v117 = select i1 %v116, float 0x4056C00000000000, float %v115
  %v118 = call float @llvm.fmuladd.f32(float %v117, float 0x3FF7154760000000, float 0x4168000000000000)
  %v119 = fsub contract float %v118, 0x4168000000000000
  %v120 = bitcast float %v118 to i32
  %v121 = sub i32 %v120, 1262485504
  %v122 = call float @llvm.fmuladd.f32(float %v119, float 0xBFE6300000000000, float %v117)
  %v123 = call float @llvm.fmuladd.f32(float %v119, float 0x3F2BD01060000000, float %v122)
  %v124 = call float @llvm.fmuladd.f32(float %v123, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v125 = call float @llvm.fmuladd.f32(float %v124, float %v123, float 0x3F81110C60000000)
  %v126 = call float @llvm.fmuladd.f32(float %v125, float %v123, float 0x3FA5554EA0000000)
  %v127 = call float @llvm.fmuladd.f32(float %v126, float %v123, float 0x3FC5555560000000)
  %v128 = call float @llvm.fmuladd.f32(float %v127, float %v123, float 0x3FE0000000000000)
  %v129 = fmul contract float %v123, %v123
  %v130 = call float @llvm.fmuladd.f32(float %v128, float %v129, float %v123)
  %v131 = fadd contract float %v130, 0x3FF0000000000000
  %v132 = add i32 %v121, 0
  %v133 = ashr i32 %v132, 1
  %v134 = add i32 %v133, 127
  %v135 = shl i32 %v134, 23
  %v136 = bitcast i32 %v135 to float
  %v137 = fmul contract float %v131, %v136
  %v138 = sub i32 %v132, %v133
  %v139 = add i32 %v138, 127
  %v140 = shl i32 %v139, 23
  %v141 = bitcast i32 %v140 to float
  %v142 = fmul contract float %v137, %v141
  %v143 = fadd contract float %v99, %v142
  %v144 = trunc i64 %row to i32
  %v145 = add i32 %v144, 1
  %v146 = trunc i64 %v5 to i32
  %v147 = add i64 1, %row
  %v148 = add i64 %v52, -1
  %v149 = call i64 @llvm.smin.i64(i64 %v147, i64 %v148)
  %v150 = call i64 @llvm.smax.i64(i64 %v149, i64 0)
  %v151 = mul i64 %v150, %v49
  %v152 = mul i64 %v5, 4
  %v153 = add i64 %v151, %v152
  %v154 = getelementptr inbounds i8, ptr %v60, i64 %v153
  %v155 = load i8, ptr %v154, align 1, !llvm.access.group !0
  %v156 = zext i8 %v155 to i32
  %v157 = sitofp i32 %v156 to float
  %v158 = fmul contract float %v142, %v157
  %v159 = fadd contract float %v110, %v158
  %v160 = fdiv float 0x3FF0000000000000, %v143
  %v161 = fmul contract float %v159, %v160
  %v164 = getelementptr inbounds float, ptr %v163, i64 %v9
  store float %v161, ptr %v164, align 4, !llvm.access.group !0
  %v165 = add i64 %v3, %v5
  %v166 = mul i64 %v165, 4
  %v167 = add i64 %v166, 1
  %v168 = fdiv float 0xBFF0000000000000, %v12
  %v169 = fmul contract float %v168, %v168
  %v170 = fmul contract float 0xBFE0000000000000, %v169
  %v171 = fcmp olt float %v170, 0xC05A400000000000
  %v172 = select i1 %v171, float 0xC05A400000000000, float %v170
  %v173 = fcmp ogt float %v172, 0x4056C00000000000
  %v174 = select i1 %v173, float 0x4056C00000000000, float %v172
  %v175 = call float @llvm.fmuladd.f32(float %v174, float 0x3FF7154760000000, float 0x4168000000000000)
  %v176 = fsub contract float %v175, 0x4168000000000000
  %v177 = bitcast float %v175 to i32
  %v178 = sub i32 %v177, 1262485504
  %v179 = call float @llvm.fmuladd.f32(float %v176, float 0xBFE6300000000000, float %v174)
  %v180 = call float @llvm.fmuladd.f32(float %v176, float 0x3F2BD01060000000, float %v179)
  %v181 = call float @llvm.fmuladd.f32(float %v180, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v182 = call float @llvm.fmuladd.f32(float %v181, float %v180, float 0x3F81110C60000000)
  %v183 = call float @llvm.fmuladd.f32(float %v182, float %v180, float 0x3FA5554EA0000000)
  %v184 = call float @llvm.fmuladd.f32(float %v183, float %v180, float 0x3FC5555560000000)
  %v185 = call float @llvm.fmuladd.f32(float %v184, float %v180, float 0x3FE0000000000000)
  %v186 = fmul contract float %v180, %v180
  %v187 = call float @llvm.fmuladd.f32(float %v185, float %v186, float %v180)
  %v188 = fadd contract float %v187, 0x3FF0000000000000
  %v189 = add i32 %v178, 0
  %v190 = ashr i32 %v189, 1
  %v191 = add i32 %v190, 127
  %v192 = shl i32 %v191, 23
  %v193 = bitcast i32 %v192 to float
  %v194 = fmul contract float %v188, %v193
  %v195 = sub i32 %v189, %v190
  %v196 = add i32 %v195, 127
  %v197 = shl i32 %v196, 23
  %v198 = bitcast i32 %v197 to float
  %v199 = fmul contract float %v194, %v198
  %v200 = fadd contract float 0x0000000000000000, %v199
  %v201 = trunc i64 %row to i32
  %v202 = add i32 %v201, -1
  %v203 = trunc i64 %v5 to i32
  %v204 = add i64 -1, %row
  %v205 = add i64 %v52, -1
  %v206 = call i64 @llvm.smin.i64(i64 %v204, i64 %v205)
  %v207 = call i64 @llvm.smax.i64(i64 %v206, i64 0)
  %v208 = mul i64 %v207, %v49
  %v209 = mul i64 %v5, 4
  %v210 = add i64 %v208, %v209
  %v211 = add i64 %v210, 1
  %v212 = getelementptr inbounds i8, ptr %v60, i64 %v211
  %v213 = load i8, ptr %v212, align 1, !llvm.access.group !0
  %v214 = zext i8 %v213 to i32
  %v215 = sitofp i32 %v214 to float
  %v216 = fmul contract float %v199, %v215
  %v217 = fadd contract float 0x0000000000000000, %v216
  %v218 = fdiv float 0x0000000000000000, %v12
  %v219 = fmul contract float %v218, %v218
  %v220 = fmul contract float 0xBFE0000000000000, %v219
  %v221 = fcmp olt float %v220, 0xC05A400000000000
  %v222 = select i1 %v221, float 0xC05A400000000000, float %v220
  %v223 = fcmp ogt float %v222, 0x4056C00000000000
  %v224 = select i1 %v223, float 0x4056C00000000000, float %v222
  %v225 = call float @llvm.fmuladd.f32(float %v224, float 0x3FF7154760000000, float 0x4168000000000000)
  %v226 = fsub contract float %v225, 0x4168000000000000
  %v227 = bitcast float %v225 to i32
  %v228 = sub i32 %v227, 1262485504
  %v229 = call float @llvm.fmuladd.f32(float %v226, float 0xBFE6300000000000, float %v224)
  %v230 = call float @llvm.fmuladd.f32(float %v226, float 0x3F2BD01060000000, float %v229)
  %v231 = call float @llvm.fmuladd.f32(float %v230, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v232 = call float @llvm.fmuladd.f32(float %v231, float %v230, float 0x3F81110C60000000)
  %v233 = call float @llvm.fmuladd.f32(float %v232, float %v230, float 0x3FA5554EA0000000)
  %v234 = call float @llvm.fmuladd.f32(float %v233, float %v230, float 0x3FC5555560000000)
  %v235 = call float @llvm.fmuladd.f32(float %v234, float %v230, float 0x3FE0000000000000)
  %v236 = fmul contract float %v230, %v230
  %v237 = call float @llvm.fmuladd.f32(float %v235, float %v236, float %v230)
  %v238 = fadd contract float %v237, 0x3FF0000000000000
  %v239 = add i32 %v228, 0
  %v240 = ashr i32 %v239, 1
  %v241 = add i32 %v240, 127
  %v242 = shl i32 %v241, 23
  %v243 = bitcast i32 %v242 to float
  %v244 = fmul contract float %v238, %v243
  %v245 = sub i32 %v239, %v240
  %v246 = add i32 %v245, 127
  %v247 = shl i32 %v246, 23
  %v248 = bitcast i32 %v247 to float
  %v249 = fmul contract float %v244, %v248
  %v250 = fadd contract float %v200, %v249
  %v251 = trunc i64 %row to i32
  %v252 = trunc i64 %v5 to i32
  %v253 = mul i64 %row, %v49
  %v254 = mul i64 %v5, 4
  %v255 = add i64 %v253, %v254
  %v256 = add i64 %v255, 1
  %v257 = getelementptr inbounds i8, ptr %v60, i64 %v256
  %v258 = load i8, ptr %v257, align 1, !llvm.access.group !0
  %v259 = zext i8 %v258 to i32
  %v260 = sitofp i32 %v259 to float
  %v261 = fmul contract float %v249, %v260
  %v262 = fadd contract float %v217, %v261
  %v263 = fdiv float 0x3FF0000000000000, %v12
  %v264 = fmul contract float %v263, %v263
  %v265 = fmul contract float 0xBFE0000000000000, %v264
  %v266 = fcmp olt float %v265, 0xC05A400000000000
  %v267 = select i1 %v266, float 0xC05A400000000000, float %v265
  %v268 = fcmp ogt float %v267, 0x4056C00000000000
  %v269 = select i1 %v268, float 0x4056C00000000000, float %v267
  %v270 = call float @llvm.fmuladd.f32(float %v269, float 0x3FF7154760000000, float 0x4168000000000000)
  %v271 = fsub contract float %v270, 0x4168000000000000
  %v272 = bitcast float %v270 to i32
  %v273 = sub i32 %v272, 1262485504
  %v274 = call float @llvm.fmuladd.f32(float %v271, float 0xBFE6300000000000, float %v269)
  %v275 = call float @llvm.fmuladd.f32(float %v271, float 0x3F2BD01060000000, float %v274)
  %v276 = call float @llvm.fmuladd.f32(float %v275, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v277 = call float @llvm.fmuladd.f32(float %v276, float %v275, float 0x3F81110C60000000)
  %v278 = call float @llvm.fmuladd.f32(float %v277, float %v275, float 0x3FA5554EA0000000)
  %v279 = call float @llvm.fmuladd.f32(float %v278, float %v275, float 0x3FC5555560000000)
  %v280 = call float @llvm.fmuladd.f32(float %v279, float %v275, float 0x3FE0000000000000)
  %v281 = fmul contract float %v275, %v275
  %v282 = call float @llvm.fmuladd.f32(float %v280, float %v281, float %v275)
  %v283 = fadd contract float %v282, 0x3FF0000000000000
  %v284 = add i32 %v273, 0
  %v285 = ashr i32 %v284, 1
  %v286 = add i32 %v285, 127
  %v287 = shl i32 %v286, 23
  %v288 = bitcast i32 %v287 to float
  %v289 = fmul contract float %v283, %v288
  %v290 = sub i32 %v284, %v285
  %v291 = add i32 %v290, 127
  %v292 = shl i32 %v291, 23
  %v293 = bitcast i32 %v292 to float
  %v294 = fmul contract float %v289, %v293
  %v295 = fadd contract float %v250, %v294
  %v296 = trunc i64 %row to i32
  %v297 = add i32 %v296, 1
  %v298 = trunc i64 %v5 to i32
  %v299 = add i64 1, %row
  %v300 = add i64 %v52, -1
  %v301 = call i64 @llvm.smin.i64(i64 %v299, i64 %v300)
  %v302 = call i64 @llvm.smax.i64(i64 %v301, i64 0)
  %v303 = mul i64 %v302, %v49
  %v304 = mul i64 %v5, 4
  %v305 = add i64 %v303, %v304
  %v306 = add i64 %v305, 1
  %v307 = getelementptr inbounds i8, ptr %v60, i64 %v306
  %v308 = load i8, ptr %v307, align 1, !llvm.access.group !0
  %v309 = zext i8 %v308 to i32
  %v310 = sitofp i32 %v309 to float
  %v311 = fmul contract float %v294, %v310
  %v312 = fadd contract float %v262, %v311
  %v313 = fdiv float 0x3FF0000000000000, %v295
  %v314 = fmul contract float %v312, %v313
  %v315 = getelementptr inbounds float, ptr %v163, i64 %v167
  store float %v314, ptr %v315, align 4, !llvm.access.group !0
  %v316 = add i64 %v3, %v5
  %v317 = mul i64 %v316, 4
  %v318 = add i64 %v317, 2
  %v319 = fdiv float 0xBFF0000000000000, %v12
  %v320 = fmul contract float %v319, %v319
  %v321 = fmul contract float 0xBFE0000000000000, %v320
  %v322 = fcmp olt float %v321, 0xC05A400000000000
  %v323 = select i1 %v322, float 0xC05A400000000000, float %v321
  %v324 = fcmp ogt float %v323, 0x4056C00000000000
  %v325 = select i1 %v324, float 0x4056C00000000000, float %v323
  %v326 = call float @llvm.fmuladd.f32(float %v325, float 0x3FF7154760000000, float 0x4168000000000000)
  %v327 = fsub contract float %v326, 0x4168000000000000
  %v328 = bitcast float %v326 to i32
  %v329 = sub i32 %v328, 1262485504
  %v330 = call float @llvm.fmuladd.f32(float %v327, float 0xBFE6300000000000, float %v325)
  %v331 = call float @llvm.fmuladd.f32(float %v327, float 0x3F2BD01060000000, float %v330)
  %v332 = call float @llvm.fmuladd.f32(float %v331, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v333 = call float @llvm.fmuladd.f32(float %v332, float %v331, float 0x3F81110C60000000)
  %v334 = call float @llvm.fmuladd.f32(float %v333, float %v331, float 0x3FA5554EA0000000)
  %v335 = call float @llvm.fmuladd.f32(float %v334, float %v331, float 0x3FC5555560000000)
  %v336 = call float @llvm.fmuladd.f32(float %v335, float %v331, float 0x3FE0000000000000)
  %v337 = fmul contract float %v331, %v331
  %v338 = call float @llvm.fmuladd.f32(float %v336, float %v337, float %v331)
  %v339 = fadd contract float %v338, 0x3FF0000000000000
  %v340 = add i32 %v329, 0
  %v341 = ashr i32 %v340, 1
  %v342 = add i32 %v341, 127
  %v343 = shl i32 %v342, 23
  %v344 = bitcast i32 %v343 to float
  %v345 = fmul contract float %v339, %v344
  %v346 = sub i32 %v340, %v341
  %v347 = add i32 %v346, 127
  %v348 = shl i32 %v347, 23
  %v349 = bitcast i32 %v348 to float
  %v350 = fmul contract float %v345, %v349
  %v351 = fadd contract float 0x0000000000000000, %v350
  %v352 = trunc i64 %row to i32
  %v353 = add i32 %v352, -1
  %v354 = trunc i64 %v5 to i32
  %v355 = add i64 -1, %row
  %v356 = add i64 %v52, -1
  %v357 = call i64 @llvm.smin.i64(i64 %v355, i64 %v356)
  %v358 = call i64 @llvm.smax.i64(i64 %v357, i64 0)
  %v359 = mul i64 %v358, %v49
  %v360 = mul i64 %v5, 4
  %v361 = add i64 %v359, %v360
  %v362 = add i64 %v361, 2
  %v363 = getelementptr inbounds i8, ptr %v60, i64 %v362
  %v364 = load i8, ptr %v363, align 1, !llvm.access.group !0
  %v365 = zext i8 %v364 to i32
  %v366 = sitofp i32 %v365 to float
  %v367 = fmul contract float %v350, %v366
  %v368 = fadd contract float 0x0000000000000000, %v367
  %v369 = fdiv float 0x0000000000000000, %v12
  %v370 = fmul contract float %v369, %v369
  %v371 = fmul contract float 0xBFE0000000000000, %v370
  %v372 = fcmp olt float %v371, 0xC05A400000000000
  %v373 = select i1 %v372, float 0xC05A400000000000, float %v371
  %v374 = fcmp ogt float %v373, 0x4056C00000000000
  %v375 = select i1 %v374, float 0x4056C00000000000, float %v373
  %v376 = call float @llvm.fmuladd.f32(float %v375, float 0x3FF7154760000000, float 0x4168000000000000)
  %v377 = fsub contract float %v376, 0x4168000000000000
  %v378 = bitcast float %v376 to i32
  %v379 = sub i32 %v378, 1262485504
  %v380 = call float @llvm.fmuladd.f32(float %v377, float 0xBFE6300000000000, float %v375)
  %v381 = call float @llvm.fmuladd.f32(float %v377, float 0x3F2BD01060000000, float %v380)
  %v382 = call float @llvm.fmuladd.f32(float %v381, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v383 = call float @llvm.fmuladd.f32(float %v382, float %v381, float 0x3F81110C60000000)
  %v384 = call float @llvm.fmuladd.f32(float %v383, float %v381, float 0x3FA5554EA0000000)
  %v385 = call float @llvm.fmuladd.f32(float %v384, float %v381, float 0x3FC5555560000000)
  %v386 = call float @llvm.fmuladd.f32(float %v385, float %v381, float 0x3FE0000000000000)
  %v387 = fmul contract float %v381, %v381
  %v388 = call float @llvm.fmuladd.f32(float %v386, float %v387, float %v381)
  %v389 = fadd contract float %v388, 0x3FF0000000000000
  %v390 = add i32 %v379, 0
  %v391 = ashr i32 %v390, 1
  %v392 = add i32 %v391, 127
  %v393 = shl i32 %v392, 23
  %v394 = bitcast i32 %v393 to float
  %v395 = fmul contract float %v389, %v394
  %v396 = sub i32 %v390, %v391
  %v397 = add i32 %v396, 127
  %v398 = shl i32 %v397, 23
  %v399 = bitcast i32 %v398 to float
  %v400 = fmul contract float %v395, %v399
  %v401 = fadd contract float %v351, %v400
  %v402 = trunc i64 %row to i32
  %v403 = trunc i64 %v5 to i32
  %v404 = mul i64 %row, %v49
  %v405 = mul i64 %v5, 4
  %v406 = add i64 %v404, %v405
  %v407 = add i64 %v406, 2
  %v408 = getelementptr inbounds i8, ptr %v60, i64 %v407
  %v409 = load i8, ptr %v408, align 1, !llvm.access.group !0
  %v410 = zext i8 %v409 to i32
  %v411 = sitofp i32 %v410 to float
  %v412 = fmul contract float %v400, %v411
  %v413 = fadd contract float %v368, %v412
  %v414 = fdiv float 0x3FF0000000000000, %v12
  %v415 = fmul contract float %v414, %v414
  %v416 = fmul contract float 0xBFE0000000000000, %v415
  %v417 = fcmp olt float %v416, 0xC05A400000000000
  %v418 = select i1 %v417, float 0xC05A400000000000, float %v416
  %v419 = fcmp ogt float %v418, 0x4056C00000000000
  %v420 = select i1 %v419, float 0x4056C00000000000, float %v418
  %v421 = call float @llvm.fmuladd.f32(float %v420, float 0x3FF7154760000000, float 0x4168000000000000)
  %v422 = fsub contract float %v421, 0x4168000000000000
  %v423 = bitcast float %v421 to i32
  %v424 = sub i32 %v423, 1262485504
  %v425 = call float @llvm.fmuladd.f32(float %v422, float 0xBFE6300000000000, float %v420)
  %v426 = call float @llvm.fmuladd.f32(float %v422, float 0x3F2BD01060000000, float %v425)
  %v427 = call float @llvm.fmuladd.f32(float %v426, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v428 = call float @llvm.fmuladd.f32(float %v427, float %v426, float 0x3F81110C60000000)
  %v429 = call float @llvm.fmuladd.f32(float %v428, float %v426, float 0x3FA5554EA0000000)
  %v430 = call float @llvm.fmuladd.f32(float %v429, float %v426, float 0x3FC5555560000000)
  %v431 = call float @llvm.fmuladd.f32(float %v430, float %v426, float 0x3FE0000000000000)
  %v432 = fmul contract float %v426, %v426
  %v433 = call float @llvm.fmuladd.f32(float %v431, float %v432, float %v426)
  %v434 = fadd contract float %v433, 0x3FF0000000000000
  %v435 = add i32 %v424, 0
  %v436 = ashr i32 %v435, 1
  %v437 = add i32 %v436, 127
  %v438 = shl i32 %v437, 23
  %v439 = bitcast i32 %v438 to float
  %v440 = fmul contract float %v434, %v439
  %v441 = sub i32 %v435, %v436
  %v442 = add i32 %v441, 127
  %v443 = shl i32 %v442, 23
  %v444 = bitcast i32 %v443 to float
  %v445 = fmul contract float %v440, %v444
  %v446 = fadd contract float %v401, %v445
  %v447 = trunc i64 %row to i32
  %v448 = add i32 %v447, 1
  %v449 = trunc i64 %v5 to i32
  %v450 = add i64 1, %row
  %v451 = add i64 %v52, -1
  %v452 = call i64 @llvm.smin.i64(i64 %v450, i64 %v451)
  %v453 = call i64 @llvm.smax.i64(i64 %v452, i64 0)
  %v454 = mul i64 %v453, %v49
  %v455 = mul i64 %v5, 4
  %v456 = add i64 %v454, %v455
  %v457 = add i64 %v456, 2
  %v458 = getelementptr inbounds i8, ptr %v60, i64 %v457
  %v459 = load i8, ptr %v458, align 1, !llvm.access.group !0
  %v460 = zext i8 %v459 to i32
  %v461 = sitofp i32 %v460 to float
  %v462 = fmul contract float %v445, %v461
  %v463 = fadd contract float %v413, %v462
  %v464 = fdiv float 0x3FF0000000000000, %v446
  %v465 = fmul contract float %v463, %v464
  %v466 = getelementptr inbounds float, ptr %v163, i64 %v318
  store float %v465, ptr %v466, align 4, !llvm.access.group !0
  %v467 = add i64 %v3, %v5
  %v468 = mul i64 %v467, 4
  %v469 = add i64 %v468, 3
  %v470 = fdiv float 0xBFF0000000000000, %v12
  %v471 = fmul contract float %v470, %v470
  %v472 = fmul contract float 0xBFE0000000000000, %v471
  %v473 = fcmp olt float %v472, 0xC05A400000000000
  %v474 = select i1 %v473, float 0xC05A400000000000, float %v472
  %v475 = fcmp ogt float %v474, 0x4056C00000000000
  %v476 = select i1 %v475, float 0x4056C00000000000, float %v474
  %v477 = call float @llvm.fmuladd.f32(float %v476, float 0x3FF7154760000000, float 0x4168000000000000)
  %v478 = fsub contract float %v477, 0x4168000000000000
  %v479 = bitcast float %v477 to i32
  %v480 = sub i32 %v479, 1262485504
  %v481 = call float @llvm.fmuladd.f32(float %v478, float 0xBFE6300000000000, float %v476)
  %v482 = call float @llvm.fmuladd.f32(float %v478, float 0x3F2BD01060000000, float %v481)
  %v483 = call float @llvm.fmuladd.f32(float %v482, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v484 = call float @llvm.fmuladd.f32(float %v483, float %v482, float 0x3F81110C60000000)
  %v485 = call float @llvm.fmuladd.f32(float %v484, float %v482, float 0x3FA5554EA0000000)
  %v486 = call float @llvm.fmuladd.f32(float %v485, float %v482, float 0x3FC5555560000000)
  %v487 = call float @llvm.fmuladd.f32(float %v486, float %v482, float 0x3FE0000000000000)
  %v488 = fmul contract float %v482, %v482
  %v489 = call float @llvm.fmuladd.f32(float %v487, float %v488, float %v482)
  %v490 = fadd contract float %v489, 0x3FF0000000000000
  %v491 = add i32 %v480, 0
  %v492 = ashr i32 %v491, 1
  %v493 = add i32 %v492, 127
  %v494 = shl i32 %v493, 23
  %v495 = bitcast i32 %v494 to float
  %v496 = fmul contract float %v490, %v495
  %v497 = sub i32 %v491, %v492
  %v498 = add i32 %v497, 127
  %v499 = shl i32 %v498, 23
  %v500 = bitcast i32 %v499 to float
  %v501 = fmul contract float %v496, %v500
  %v502 = fadd contract float 0x0000000000000000, %v501
  %v503 = trunc i64 %row to i32
  %v504 = add i32 %v503, -1
  %v505 = trunc i64 %v5 to i32
  %v506 = add i64 -1, %row
  %v507 = add i64 %v52, -1
  %v508 = call i64 @llvm.smin.i64(i64 %v506, i64 %v507)
  %v509 = call i64 @llvm.smax.i64(i64 %v508, i64 0)
  %v510 = mul i64 %v509, %v49
  %v511 = mul i64 %v5, 4
  %v512 = add i64 %v510, %v511
  %v513 = add i64 %v512, 3
  %v514 = getelementptr inbounds i8, ptr %v60, i64 %v513
  %v515 = load i8, ptr %v514, align 1, !llvm.access.group !0
  %v516 = zext i8 %v515 to i32
  %v517 = sitofp i32 %v516 to float
  %v518 = fmul contract float %v501, %v517
  %v519 = fadd contract float 0x0000000000000000, %v518
  %v520 = fdiv float 0x0000000000000000, %v12
  %v521 = fmul contract float %v520, %v520
  %v522 = fmul contract float 0xBFE0000000000000, %v521
  %v523 = fcmp olt float %v522, 0xC05A400000000000
  %v524 = select i1 %v523, float 0xC05A400000000000, float %v522
  %v525 = fcmp ogt float %v524, 0x4056C00000000000
  %v526 = select i1 %v525, float 0x4056C00000000000, float %v524
  %v527 = call float @llvm.fmuladd.f32(float %v526, float 0x3FF7154760000000, float 0x4168000000000000)
  %v528 = fsub contract float %v527, 0x4168000000000000
  %v529 = bitcast float %v527 to i32
  %v530 = sub i32 %v529, 1262485504
  %v531 = call float @llvm.fmuladd.f32(float %v528, float 0xBFE6300000000000, float %v526)
  %v532 = call float @llvm.fmuladd.f32(float %v528, float 0x3F2BD01060000000, float %v531)
  %v533 = call float @llvm.fmuladd.f32(float %v532, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v534 = call float @llvm.fmuladd.f32(float %v533, float %v532, float 0x3F81110C60000000)
  %v535 = call float @llvm.fmuladd.f32(float %v534, float %v532, float 0x3FA5554EA0000000)
  %v536 = call float @llvm.fmuladd.f32(float %v535, float %v532, float 0x3FC5555560000000)
  %v537 = call float @llvm.fmuladd.f32(float %v536, float %v532, float 0x3FE0000000000000)
  %v538 = fmul contract float %v532, %v532
  %v539 = call float @llvm.fmuladd.f32(float %v537, float %v538, float %v532)
  %v540 = fadd contract float %v539, 0x3FF0000000000000
  %v541 = add i32 %v530, 0
  %v542 = ashr i32 %v541, 1
  %v543 = add i32 %v542, 127
  %v544 = shl i32 %v543, 23
  %v545 = bitcast i32 %v544 to float
  %v546 = fmul contract float %v540, %v545
  %v547 = sub i32 %v541, %v542
  %v548 = add i32 %v547, 127
  %v549 = shl i32 %v548, 23
  %v550 = bitcast i32 %v549 to float
  %v551 = fmul contract float %v546, %v550
  %v552 = fadd contract float %v502, %v551
  %v553 = trunc i64 %row to i32
  %v554 = trunc i64 %v5 to i32
  %v555 = mul i64 %row, %v49
  %v556 = mul i64 %v5, 4
  %v557 = add i64 %v555, %v556
  %v558 = add i64 %v557, 3
  %v559 = getelementptr inbounds i8, ptr %v60, i64 %v558
  %v560 = load i8, ptr %v559, align 1, !llvm.access.group !0
  %v561 = zext i8 %v560 to i32
  %v562 = sitofp i32 %v561 to float
  %v563 = fmul contract float %v551, %v562
  %v564 = fadd contract float %v519, %v563
  %v565 = fdiv float 0x3FF0000000000000, %v12
  %v566 = fmul contract float %v565, %v565
  %v567 = fmul contract float 0xBFE0000000000000, %v566
  %v568 = fcmp olt float %v567, 0xC05A400000000000
  %v569 = select i1 %v568, float 0xC05A400000000000, float %v567
  %v570 = fcmp ogt float %v569, 0x4056C00000000000
  %v571 = select i1 %v570, float 0x4056C00000000000, float %v569
  %v572 = call float @llvm.fmuladd.f32(float %v571, float 0x3FF7154760000000, float 0x4168000000000000)
  %v573 = fsub contract float %v572, 0x4168000000000000
  %v574 = bitcast float %v572 to i32
  %v575 = sub i32 %v574, 1262485504
  %v576 = call float @llvm.fmuladd.f32(float %v573, float 0xBFE6300000000000, float %v571)
  %v577 = call float @llvm.fmuladd.f32(float %v573, float 0x3F2BD01060000000, float %v576)
  %v578 = call float @llvm.fmuladd.f32(float %v577, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v579 = call float @llvm.fmuladd.f32(float %v578, float %v577, float 0x3F81110C60000000)
  %v580 = call float @llvm.fmuladd.f32(float %v579, float %v577, float 0x3FA5554EA0000000)
  %v581 = call float @llvm.fmuladd.f32(float %v580, float %v577, float 0x3FC5555560000000)
  %v582 = call float @llvm.fmuladd.f32(float %v581, float %v577, float 0x3FE0000000000000)
  %v583 = fmul contract float %v577, %v577
  %v584 = call float @llvm.fmuladd.f32(float %v582, float %v583, float %v577)
  %v585 = fadd contract float %v584, 0x3FF0000000000000
  %v586 = add i32 %v575, 0
  %v587 = ashr i32 %v586, 1
  %v588 = add i32 %v587, 127
  %v589 = shl i32 %v588, 23
  %v590 = bitcast i32 %v589 to float
  %v591 = fmul contract float %v585, %v590
  %v592 = sub i32 %v586, %v587
  %v593 = add i32 %v592, 127
  %v594 = shl i32 %v593, 23
  %v595 = bitcast i32 %v594 to float
  %v596 = fmul contract float %v591, %v595
  %v597 = fadd contract float %v552, %v596
  %v598 = trunc i64 %row to i32
  %v599 = add i32 %v598, 1
  %v600 = trunc i64 %v5 to i32
  %v601 = add i64 1, %row
  %v602 = add i64 %v52, -1
  %v603 = call i64 @llvm.smin.i64(i64 %v601, i64 %v602)
  %v604 = call i64 @llvm.smax.i64(i64 %v603, i64 0)
  %v605 = mul i64 %v604, %v49
  %v606 = mul i64 %v5, 4
  %v607 = add i64 %v605, %v606
  %v608 = add i64 %v607, 3
  %v609 = getelementptr inbounds i8, ptr %v60, i64 %v608
  %v610 = load i8, ptr %v609, align 1, !llvm.access.group !0
  %v611 = zext i8 %v610 to i32
  %v612 = sitofp i32 %v611 to float
  %v613 = fmul contract float %v596, %v612
  %v614 = fadd contract float %v564, %v613
  %v615 = fdiv float 0x3FF0000000000000, %v597
  %v616 = fmul contract float %v614, %v615
  %v617 = getelementptr inbounds float, ptr %v163, i64 %v469
  store float %v616, ptr %v617, align 4, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
  ret void
}

define internal void @weft_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
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

define dso_local void @weft_run(ptr %block, i64 %lo, i64 %hi) nounwind {
start:
  br label %main
main:
  call void @weft_units(ptr %block, i64 %lo, i64 %hi)
  ret void
}

define dso_local void @weft_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

define dso_local i64 @weft_work(ptr %block, ptr %control) nounwind {
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
  call void @weft_units(ptr %block, i64 %v14, i64 %v17)
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
  call void @weft_finish(ptr %block)
  ret i64 1
none9:
  br label %done9
done9:
  ret i64 0
}

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}

declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v49 = mul i64 %v2, 4
  %v57 = getelementptr inbounds i64, ptr %block, i64 2
  %v58 = load ptr, ptr %v57, align 8
  %v161 = getelementptr inbounds i64, ptr %block, i64 1
  %v162 = load ptr, ptr %v161, align 8
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
  %v9 = mul i64 %v8, 4
  %v13 = fdiv float 0xBFF0000000000000, %v12
  %v14 = fmul contract float %v13, %v13
  %v15 = fmul contract float 0xBFE0000000000000, %v14
  %v16 = fcmp olt float %v15, 0xC05A400000000000
  %v17 = select i1 %v16, float 0xC05A400000000000, float %v15
  %v18 = fcmp ogt float %v17, 0x4056C00000000000
  %v19 = select i1 %v18, float 0x4056C00000000000, float %v17
  %v20 = call float @llvm.fmuladd.f32(float %v19, float 0x3FF7154760000000, float 0x4168000000000000)
  %v21 = fsub contract float %v20, 0x4168000000000000
  %v22 = bitcast float %v20 to i32
  %v23 = sub i32 %v22, 1262485504
  %v24 = call float @llvm.fmuladd.f32(float %v21, float 0xBFE6300000000000, float %v19)
  %v25 = call float @llvm.fmuladd.f32(float %v21, float 0x3F2BD01060000000, float %v24)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v25, float 0x3F81110C60000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v25, float 0x3FA5554EA0000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v25, float 0x3FC5555560000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v25, float 0x3FE0000000000000)
  %v31 = fmul contract float %v25, %v25
  %v32 = call float @llvm.fmuladd.f32(float %v30, float %v31, float %v25)
  %v33 = fadd contract float %v32, 0x3FF0000000000000
  %v34 = add i32 %v23, 0
  %v35 = ashr i32 %v34, 1
  %v36 = add i32 %v35, 127
  %v37 = shl i32 %v36, 23
  %v38 = bitcast i32 %v37 to float
  %v39 = fmul contract float %v33, %v38
  %v40 = sub i32 %v34, %v35
  %v41 = add i32 %v40, 127
  %v42 = shl i32 %v41, 23
  %v43 = bitcast i32 %v42 to float
  %v44 = fmul contract float %v39, %v43
  %v45 = fadd contract float 0x0000000000000000, %v44
  %v46 = trunc i64 %row to i32
  %v47 = trunc i64 %v5 to i32
  %v48 = add i32 %v47, -1
  %v50 = mul i64 %row, %v49
  %v51 = add i64 -1, %v5
  %v52 = add i64 %v2, -1
  %v53 = call i64 @llvm.smin.i64(i64 %v51, i64 %v52)
  %v54 = call i64 @llvm.smax.i64(i64 %v53, i64 0)
  %v55 = mul i64 %v54, 4
  %v56 = add i64 %v50, %v55
  %v59 = getelementptr inbounds float, ptr %v58, i64 %v56
  %v60 = load float, ptr %v59, align 4, !llvm.access.group !0
  %v61 = fmul contract float %v44, %v60
  %v62 = fadd contract float 0x0000000000000000, %v61
  %v63 = fdiv float 0x0000000000000000, %v12
  %v64 = fmul contract float %v63, %v63
  %v65 = fmul contract float 0xBFE0000000000000, %v64
  %v66 = fcmp olt float %v65, 0xC05A400000000000
  %v67 = select i1 %v66, float 0xC05A400000000000, float %v65
  %v68 = fcmp ogt float %v67, 0x4056C00000000000
  %v69 = select i1 %v68, float 0x4056C00000000000, float %v67
  %v70 = call float @llvm.fmuladd.f32(float %v69, float 0x3FF7154760000000, float 0x4168000000000000)
  %v71 = fsub contract float %v70, 0x4168000000000000
  %v72 = bitcast float %v70 to i32
  %v73 = sub i32 %v72, 1262485504
  %v74 = call float @llvm.fmuladd.f32(float %v71, float 0xBFE6300000000000, float %v69)
  %v75 = call float @llvm.fmuladd.f32(float %v71, float 0x3F2BD01060000000, float %v74)
  %v76 = call float @llvm.fmuladd.f32(float %v75, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v77 = call float @llvm.fmuladd.f32(float %v76, float %v75, float 0x3F81110C60000000)
  %v78 = call float @llvm.fmuladd.f32(float %v77, float %v75, float 0x3FA5554EA0000000)
  %v79 = call float @llvm.fmuladd.f32(float %v78, float %v75, float 0x3FC5555560000000)
  %v80 = call float @llvm.fmuladd.f32(float %v79, float %v75, float 0x3FE0000000000000)
  %v81 = fmul contract float %v75, %v75
  %v82 = call float @llvm.fmuladd.f32(float %v80, float %v81, float %v75)
  %v83 = fadd contract float %v82, 0x3FF0000000000000
  %v84 = add i32 %v73, 0
  %v85 = ashr i32 %v84, 1
  %v86 = add i32 %v85, 127
  %v87 = shl i32 %v86, 23
  %v88 = bitcast i32 %v87 to float
  %v89 = fmul contract float %v83, %v88
  %v90 = sub i32 %v84, %v85
  %v91 = add i32 %v90, 127
  %v92 = shl i32 %v91, 23
  %v93 = bitcast i32 %v92 to float
  %v94 = fmul contract float %v89, %v93
  %v95 = fadd contract float %v45, %v94
  %v96 = trunc i64 %row to i32
  %v97 = trunc i64 %v5 to i32
  %v98 = mul i64 %row, %v49
  %v99 = mul i64 %v5, 4
  %v100 = add i64 %v98, %v99
  %v101 = getelementptr inbounds float, ptr %v58, i64 %v100
  %v102 = load float, ptr %v101, align 4, !llvm.access.group !0
  %v103 = fmul contract float %v94, %v102
  %v104 = fadd contract float %v62, %v103
  %v105 = fdiv float 0x3FF0000000000000, %v12
  %v106 = fmul contract float %v105, %v105
  %v107 = fmul contract float 0xBFE0000000000000, %v106
  %v108 = fcmp olt float %v107, 0xC05A400000000000
  %v109 = select i1 %v108, float 0xC05A400000000000, float %v107
  %v110 = fcmp ogt float %v109, 0x4056C00000000000
  %v111 = select i1 %v110, float 0x4056C00000000000, float %v109
  %v112 = call float @llvm.fmuladd.f32(float %v111, float 0x3FF7154760000000, float 0x4168000000000000)
  %v113 = fsub contract float %v112, 0x4168000000000000
  %v114 = bitcast float %v112 to i32
  %v115 = sub i32 %v114, 1262485504
  %v116 = call float @llvm.fmuladd.f32(float %v113, float 0xBFE6300000000000, float %v111)
  %v117 = call float @llvm.fmuladd.f32(float %v113, float 0x3F2BD01060000000, float %v116)
  %v118 = call float @llvm.fmuladd.f32(float %v117, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v119 = call float @llvm.fmuladd.f32(float %v118, float %v117, float 0x3F81110C60000000)
  %v120 = call float @llvm.fmuladd.f32(float %v119, float %v117, float 0x3FA5554EA0000000)
  %v121 = call float @llvm.fmuladd.f32(float %v120, float %v117, float 0x3FC5555560000000)
  %v122 = call float @llvm.fmuladd.f32(float %v121, float %v117, float 0x3FE0000000000000)
  %v123 = fmul contract float %v117, %v117
  %v124 = call float @llvm.fmuladd.f32(float %v122, float %v123, float %v117)
  %v125 = fadd contract float %v124, 0x3FF0000000000000
  %v126 = add i32 %v115, 0
  %v127 = ashr i32 %v126, 1
  %v128 = add i32 %v127, 127
  %v129 = shl i32 %v128, 23
  %v130 = bitcast i32 %v129 to float
  %v131 = fmul contract float %v125, %v130
  %v132 = sub i32 %v126, %v127
  %v133 = add i32 %v132, 127
  %v134 = shl i32 %v133, 23
  %v135 = bitcast i32 %v134 to float
  %v136 = fmul contract float %v131, %v135
  %v137 = fadd contract float %v95, %v136
  %v138 = trunc i64 %row to i32
  %v139 = trunc i64 %v5 to i32
  %v140 = add i32 %v139, 1
  %v141 = mul i64 %row, %v49
  %v142 = add i64 1, %v5
  %v143 = add i64 %v2, -1
  %v144 = call i64 @llvm.smin.i64(i64 %v142, i64 %v143)
  %v145 = call i64 @llvm.smax.i64(i64 %v144, i64 0)
  %v146 = mul i64 %v145, 4
  %v147 = add i64 %v141, %v146
  %v148 = getelementptr inbounds float, ptr %v58, i64 %v147
  %v149 = load float, ptr %v148, align 4, !llvm.access.group !0
  %v150 = fmul contract float %v136, %v149
  %v151 = fadd contract float %v104, %v150
  %v152 = fdiv float 0x3FF0000000000000, %v137
  %v153 = fmul contract float %v151, %v152
  %v154 = fcmp ogt float %v153, 0x0000000000000000
  %v155 = select i1 %v154, float %v153, float 0x0000000000000000
  %v156 = fcmp olt float %v155, 0x406FE00000000000
  %v157 = select i1 %v156, float %v155, float 0x406FE00000000000
  %v158 = fadd contract float %v157, 0x4160000000000000
  %v159 = bitcast float %v158 to i32
  %v160 = trunc i32 %v159 to i8
  %v163 = getelementptr inbounds i8, ptr %v162, i64 %v9
  store i8 %v160, ptr %v163, align 1, !llvm.access.group !0
  %v164 = add i64 %v3, %v5
  %v165 = mul i64 %v164, 4
  %v166 = add i64 %v165, 1
  %v167 = fdiv float 0xBFF0000000000000, %v12
  %v168 = fmul contract float %v167, %v167
  %v169 = fmul contract float 0xBFE0000000000000, %v168
  %v170 = fcmp olt float %v169, 0xC05A400000000000
  %v171 = select i1 %v170, float 0xC05A400000000000, float %v169
  %v172 = fcmp ogt float %v171, 0x4056C00000000000
  %v173 = select i1 %v172, float 0x4056C00000000000, float %v171
  %v174 = call float @llvm.fmuladd.f32(float %v173, float 0x3FF7154760000000, float 0x4168000000000000)
  %v175 = fsub contract float %v174, 0x4168000000000000
  %v176 = bitcast float %v174 to i32
  %v177 = sub i32 %v176, 1262485504
  %v178 = call float @llvm.fmuladd.f32(float %v175, float 0xBFE6300000000000, float %v173)
  %v179 = call float @llvm.fmuladd.f32(float %v175, float 0x3F2BD01060000000, float %v178)
  %v180 = call float @llvm.fmuladd.f32(float %v179, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v181 = call float @llvm.fmuladd.f32(float %v180, float %v179, float 0x3F81110C60000000)
  %v182 = call float @llvm.fmuladd.f32(float %v181, float %v179, float 0x3FA5554EA0000000)
  %v183 = call float @llvm.fmuladd.f32(float %v182, float %v179, float 0x3FC5555560000000)
  %v184 = call float @llvm.fmuladd.f32(float %v183, float %v179, float 0x3FE0000000000000)
  %v185 = fmul contract float %v179, %v179
  %v186 = call float @llvm.fmuladd.f32(float %v184, float %v185, float %v179)
  %v187 = fadd contract float %v186, 0x3FF0000000000000
  %v188 = add i32 %v177, 0
  %v189 = ashr i32 %v188, 1
  %v190 = add i32 %v189, 127
  %v191 = shl i32 %v190, 23
  %v192 = bitcast i32 %v191 to float
  %v193 = fmul contract float %v187, %v192
  %v194 = sub i32 %v188, %v189
  %v195 = add i32 %v194, 127
  %v196 = shl i32 %v195, 23
  %v197 = bitcast i32 %v196 to float
  %v198 = fmul contract float %v193, %v197
  %v199 = fadd contract float 0x0000000000000000, %v198
  %v200 = trunc i64 %row to i32
  %v201 = trunc i64 %v5 to i32
  %v202 = add i32 %v201, -1
  %v203 = mul i64 %row, %v49
  %v204 = add i64 -1, %v5
  %v205 = add i64 %v2, -1
  %v206 = call i64 @llvm.smin.i64(i64 %v204, i64 %v205)
  %v207 = call i64 @llvm.smax.i64(i64 %v206, i64 0)
  %v208 = mul i64 %v207, 4
  %v209 = add i64 %v203, %v208
  %v210 = add i64 %v209, 1
  %v211 = getelementptr inbounds float, ptr %v58, i64 %v210
  %v212 = load float, ptr %v211, align 4, !llvm.access.group !0
  %v213 = fmul contract float %v198, %v212
  %v214 = fadd contract float 0x0000000000000000, %v213
  %v215 = fdiv float 0x0000000000000000, %v12
  %v216 = fmul contract float %v215, %v215
  %v217 = fmul contract float 0xBFE0000000000000, %v216
  %v218 = fcmp olt float %v217, 0xC05A400000000000
  %v219 = select i1 %v218, float 0xC05A400000000000, float %v217
  %v220 = fcmp ogt float %v219, 0x4056C00000000000
  %v221 = select i1 %v220, float 0x4056C00000000000, float %v219
  %v222 = call float @llvm.fmuladd.f32(float %v221, float 0x3FF7154760000000, float 0x4168000000000000)
  %v223 = fsub contract float %v222, 0x4168000000000000
  %v224 = bitcast float %v222 to i32
  %v225 = sub i32 %v224, 1262485504
  %v226 = call float @llvm.fmuladd.f32(float %v223, float 0xBFE6300000000000, float %v221)
  %v227 = call float @llvm.fmuladd.f32(float %v223, float 0x3F2BD01060000000, float %v226)
  %v228 = call float @llvm.fmuladd.f32(float %v227, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v229 = call float @llvm.fmuladd.f32(float %v228, float %v227, float 0x3F81110C60000000)
  %v230 = call float @llvm.fmuladd.f32(float %v229, float %v227, float 0x3FA5554EA0000000)
  %v231 = call float @llvm.fmuladd.f32(float %v230, float %v227, float 0x3FC5555560000000)
  %v232 = call float @llvm.fmuladd.f32(float %v231, float %v227, float 0x3FE0000000000000)
  %v233 = fmul contract float %v227, %v227
  %v234 = call float @llvm.fmuladd.f32(float %v232, float %v233, float %v227)
  %v235 = fadd contract float %v234, 0x3FF0000000000000
  %v236 = add i32 %v225, 0
  %v237 = ashr i32 %v236, 1
  %v238 = add i32 %v237, 127
  %v239 = shl i32 %v238, 23
  %v240 = bitcast i32 %v239 to float
  %v241 = fmul contract float %v235, %v240
  %v242 = sub i32 %v236, %v237
  %v243 = add i32 %v242, 127
  %v244 = shl i32 %v243, 23
  %v245 = bitcast i32 %v244 to float
  %v246 = fmul contract float %v241, %v245
  %v247 = fadd contract float %v199, %v246
  %v248 = trunc i64 %row to i32
  %v249 = trunc i64 %v5 to i32
  %v250 = mul i64 %row, %v49
  %v251 = mul i64 %v5, 4
  %v252 = add i64 %v250, %v251
  %v253 = add i64 %v252, 1
  %v254 = getelementptr inbounds float, ptr %v58, i64 %v253
  %v255 = load float, ptr %v254, align 4, !llvm.access.group !0
  %v256 = fmul contract float %v246, %v255
  %v257 = fadd contract float %v214, %v256
  %v258 = fdiv float 0x3FF0000000000000, %v12
  %v259 = fmul contract float %v258, %v258
  %v260 = fmul contract float 0xBFE0000000000000, %v259
  %v261 = fcmp olt float %v260, 0xC05A400000000000
  %v262 = select i1 %v261, float 0xC05A400000000000, float %v260
  %v263 = fcmp ogt float %v262, 0x4056C00000000000
  %v264 = select i1 %v263, float 0x4056C00000000000, float %v262
  %v265 = call float @llvm.fmuladd.f32(float %v264, float 0x3FF7154760000000, float 0x4168000000000000)
  %v266 = fsub contract float %v265, 0x4168000000000000
  %v267 = bitcast float %v265 to i32
  %v268 = sub i32 %v267, 1262485504
  %v269 = call float @llvm.fmuladd.f32(float %v266, float 0xBFE6300000000000, float %v264)
  %v270 = call float @llvm.fmuladd.f32(float %v266, float 0x3F2BD01060000000, float %v269)
  %v271 = call float @llvm.fmuladd.f32(float %v270, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v272 = call float @llvm.fmuladd.f32(float %v271, float %v270, float 0x3F81110C60000000)
  %v273 = call float @llvm.fmuladd.f32(float %v272, float %v270, float 0x3FA5554EA0000000)
  %v274 = call float @llvm.fmuladd.f32(float %v273, float %v270, float 0x3FC5555560000000)
  %v275 = call float @llvm.fmuladd.f32(float %v274, float %v270, float 0x3FE0000000000000)
  %v276 = fmul contract float %v270, %v270
  %v277 = call float @llvm.fmuladd.f32(float %v275, float %v276, float %v270)
  %v278 = fadd contract float %v277, 0x3FF0000000000000
  %v279 = add i32 %v268, 0
  %v280 = ashr i32 %v279, 1
  %v281 = add i32 %v280, 127
  %v282 = shl i32 %v281, 23
  %v283 = bitcast i32 %v282 to float
  %v284 = fmul contract float %v278, %v283
  %v285 = sub i32 %v279, %v280
  %v286 = add i32 %v285, 127
  %v287 = shl i32 %v286, 23
  %v288 = bitcast i32 %v287 to float
  %v289 = fmul contract float %v284, %v288
  %v290 = fadd contract float %v247, %v289
  %v291 = trunc i64 %row to i32
  %v292 = trunc i64 %v5 to i32
  %v293 = add i32 %v292, 1
  %v294 = mul i64 %row, %v49
  %v295 = add i64 1, %v5
  %v296 = add i64 %v2, -1
  %v297 = call i64 @llvm.smin.i64(i64 %v295, i64 %v296)
  %v298 = call i64 @llvm.smax.i64(i64 %v297, i64 0)
  %v299 = mul i64 %v298, 4
  %v300 = add i64 %v294, %v299
  %v301 = add i64 %v300, 1
  %v302 = getelementptr inbounds float, ptr %v58, i64 %v301
  %v303 = load float, ptr %v302, align 4, !llvm.access.group !0
  %v304 = fmul contract float %v289, %v303
  %v305 = fadd contract float %v257, %v304
  %v306 = fdiv float 0x3FF0000000000000, %v290
  %v307 = fmul contract float %v305, %v306
  %v308 = fcmp ogt float %v307, 0x0000000000000000
  %v309 = select i1 %v308, float %v307, float 0x0000000000000000
  %v310 = fcmp olt float %v309, 0x406FE00000000000
  %v311 = select i1 %v310, float %v309, float 0x406FE00000000000
  %v312 = fadd contract float %v311, 0x4160000000000000
  %v313 = bitcast float %v312 to i32
  %v314 = trunc i32 %v313 to i8
  %v315 = getelementptr inbounds i8, ptr %v162, i64 %v166
  store i8 %v314, ptr %v315, align 1, !llvm.access.group !0
  %v316 = add i64 %v3, %v5
  %v317 = mul i64 %v316, 4
  %v318 = add i64 %v317, 2
  %v319 = fdiv float 0xBFF0000000000000, %v12
  %v320 = fmul contract float %v319, %v319
  %v321 = fmul contract float 0xBFE0000000000000, %v320
  %v322 = fcmp olt float %v321, 0xC05A400000000000
  %v323 = select i1 %v322, float 0xC05A400000000000, float %v321
  %v324 = fcmp ogt float %v323, 0x4056C00000000000
  %v325 = select i1 %v324, float 0x4056C00000000000, float %v323
  %v326 = call float @llvm.fmuladd.f32(float %v325, float 0x3FF7154760000000, float 0x4168000000000000)
  %v327 = fsub contract float %v326, 0x4168000000000000
  %v328 = bitcast float %v326 to i32
  %v329 = sub i32 %v328, 1262485504
  %v330 = call float @llvm.fmuladd.f32(float %v327, float 0xBFE6300000000000, float %v325)
  %v331 = call float @llvm.fmuladd.f32(float %v327, float 0x3F2BD01060000000, float %v330)
  %v332 = call float @llvm.fmuladd.f32(float %v331, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v333 = call float @llvm.fmuladd.f32(float %v332, float %v331, float 0x3F81110C60000000)
  %v334 = call float @llvm.fmuladd.f32(float %v333, float %v331, float 0x3FA5554EA0000000)
  %v335 = call float @llvm.fmuladd.f32(float %v334, float %v331, float 0x3FC5555560000000)
  %v336 = call float @llvm.fmuladd.f32(float %v335, float %v331, float 0x3FE0000000000000)
  %v337 = fmul contract float %v331, %v331
  %v338 = call float @llvm.fmuladd.f32(float %v336, float %v337, float %v331)
  %v339 = fadd contract float %v338, 0x3FF0000000000000
  %v340 = add i32 %v329, 0
  %v341 = ashr i32 %v340, 1
  %v342 = add i32 %v341, 127
  %v343 = shl i32 %v342, 23
  %v344 = bitcast i32 %v343 to float
  %v345 = fmul contract float %v339, %v344
  %v346 = sub i32 %v340, %v341
  %v347 = add i32 %v346, 127
  %v348 = shl i32 %v347, 23
  %v349 = bitcast i32 %v348 to float
  %v350 = fmul contract float %v345, %v349
  %v351 = fadd contract float 0x0000000000000000, %v350
  %v352 = trunc i64 %row to i32
  %v353 = trunc i64 %v5 to i32
  %v354 = add i32 %v353, -1
  %v355 = mul i64 %row, %v49
  %v356 = add i64 -1, %v5
  %v357 = add i64 %v2, -1
  %v358 = call i64 @llvm.smin.i64(i64 %v356, i64 %v357)
  %v359 = call i64 @llvm.smax.i64(i64 %v358, i64 0)
  %v360 = mul i64 %v359, 4
  %v361 = add i64 %v355, %v360
  %v362 = add i64 %v361, 2
  %v363 = getelementptr inbounds float, ptr %v58, i64 %v362
  %v364 = load float, ptr %v363, align 4, !llvm.access.group !0
  %v365 = fmul contract float %v350, %v364
  %v366 = fadd contract float 0x0000000000000000, %v365
  %v367 = fdiv float 0x0000000000000000, %v12
  %v368 = fmul contract float %v367, %v367
  %v369 = fmul contract float 0xBFE0000000000000, %v368
  %v370 = fcmp olt float %v369, 0xC05A400000000000
  %v371 = select i1 %v370, float 0xC05A400000000000, float %v369
  %v372 = fcmp ogt float %v371, 0x4056C00000000000
  %v373 = select i1 %v372, float 0x4056C00000000000, float %v371
  %v374 = call float @llvm.fmuladd.f32(float %v373, float 0x3FF7154760000000, float 0x4168000000000000)
  %v375 = fsub contract float %v374, 0x4168000000000000
  %v376 = bitcast float %v374 to i32
  %v377 = sub i32 %v376, 1262485504
  %v378 = call float @llvm.fmuladd.f32(float %v375, float 0xBFE6300000000000, float %v373)
  %v379 = call float @llvm.fmuladd.f32(float %v375, float 0x3F2BD01060000000, float %v378)
  %v380 = call float @llvm.fmuladd.f32(float %v379, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v381 = call float @llvm.fmuladd.f32(float %v380, float %v379, float 0x3F81110C60000000)
  %v382 = call float @llvm.fmuladd.f32(float %v381, float %v379, float 0x3FA5554EA0000000)
  %v383 = call float @llvm.fmuladd.f32(float %v382, float %v379, float 0x3FC5555560000000)
  %v384 = call float @llvm.fmuladd.f32(float %v383, float %v379, float 0x3FE0000000000000)
  %v385 = fmul contract float %v379, %v379
  %v386 = call float @llvm.fmuladd.f32(float %v384, float %v385, float %v379)
  %v387 = fadd contract float %v386, 0x3FF0000000000000
  %v388 = add i32 %v377, 0
  %v389 = ashr i32 %v388, 1
  %v390 = add i32 %v389, 127
  %v391 = shl i32 %v390, 23
  %v392 = bitcast i32 %v391 to float
  %v393 = fmul contract float %v387, %v392
  %v394 = sub i32 %v388, %v389
  %v395 = add i32 %v394, 127
  %v396 = shl i32 %v395, 23
  %v397 = bitcast i32 %v396 to float
  %v398 = fmul contract float %v393, %v397
  %v399 = fadd contract float %v351, %v398
  %v400 = trunc i64 %row to i32
  %v401 = trunc i64 %v5 to i32
  %v402 = mul i64 %row, %v49
  %v403 = mul i64 %v5, 4
  %v404 = add i64 %v402, %v403
  %v405 = add i64 %v404, 2
  %v406 = getelementptr inbounds float, ptr %v58, i64 %v405
  %v407 = load float, ptr %v406, align 4, !llvm.access.group !0
  %v408 = fmul contract float %v398, %v407
  %v409 = fadd contract float %v366, %v408
  %v410 = fdiv float 0x3FF0000000000000, %v12
  %v411 = fmul contract float %v410, %v410
  %v412 = fmul contract float 0xBFE0000000000000, %v411
  %v413 = fcmp olt float %v412, 0xC05A400000000000
  %v414 = select i1 %v413, float 0xC05A400000000000, float %v412
  %v415 = fcmp ogt float %v414, 0x4056C00000000000
  %v416 = select i1 %v415, float 0x4056C00000000000, float %v414
  %v417 = call float @llvm.fmuladd.f32(float %v416, float 0x3FF7154760000000, float 0x4168000000000000)
  %v418 = fsub contract float %v417, 0x4168000000000000
  %v419 = bitcast float %v417 to i32
  %v420 = sub i32 %v419, 1262485504
  %v421 = call float @llvm.fmuladd.f32(float %v418, float 0xBFE6300000000000, float %v416)
  %v422 = call float @llvm.fmuladd.f32(float %v418, float 0x3F2BD01060000000, float %v421)
  %v423 = call float @llvm.fmuladd.f32(float %v422, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v424 = call float @llvm.fmuladd.f32(float %v423, float %v422, float 0x3F81110C60000000)
  %v425 = call float @llvm.fmuladd.f32(float %v424, float %v422, float 0x3FA5554EA0000000)
  %v426 = call float @llvm.fmuladd.f32(float %v425, float %v422, float 0x3FC5555560000000)
  %v427 = call float @llvm.fmuladd.f32(float %v426, float %v422, float 0x3FE0000000000000)
  %v428 = fmul contract float %v422, %v422
  %v429 = call float @llvm.fmuladd.f32(float %v427, float %v428, float %v422)
  %v430 = fadd contract float %v429, 0x3FF0000000000000
  %v431 = add i32 %v420, 0
  %v432 = ashr i32 %v431, 1
  %v433 = add i32 %v432, 127
  %v434 = shl i32 %v433, 23
  %v435 = bitcast i32 %v434 to float
  %v436 = fmul contract float %v430, %v435
  %v437 = sub i32 %v431, %v432
  %v438 = add i32 %v437, 127
  %v439 = shl i32 %v438, 23
  %v440 = bitcast i32 %v439 to float
  %v441 = fmul contract float %v436, %v440
  %v442 = fadd contract float %v399, %v441
  %v443 = trunc i64 %row to i32
  %v444 = trunc i64 %v5 to i32
  %v445 = add i32 %v444, 1
  %v446 = mul i64 %row, %v49
  %v447 = add i64 1, %v5
  %v448 = add i64 %v2, -1
  %v449 = call i64 @llvm.smin.i64(i64 %v447, i64 %v448)
  %v450 = call i64 @llvm.smax.i64(i64 %v449, i64 0)
  %v451 = mul i64 %v450, 4
  %v452 = add i64 %v446, %v451
  %v453 = add i64 %v452, 2
  %v454 = getelementptr inbounds float, ptr %v58, i64 %v453
  %v455 = load float, ptr %v454, align 4, !llvm.access.group !0
  %v456 = fmul contract float %v441, %v455
  %v457 = fadd contract float %v409, %v456
  %v458 = fdiv float 0x3FF0000000000000, %v442
  %v459 = fmul contract float %v457, %v458
  %v460 = fcmp ogt float %v459, 0x0000000000000000
  %v461 = select i1 %v460, float %v459, float 0x0000000000000000
  %v462 = fcmp olt float %v461, 0x406FE00000000000
  %v463 = select i1 %v462, float %v461, float 0x406FE00000000000
  %v464 = fadd contract float %v463, 0x4160000000000000
  %v465 = bitcast float %v464 to i32
  %v466 = trunc i32 %v465 to i8
  %v467 = getelementptr inbounds i8, ptr %v162, i64 %v318
  store i8 %v466, ptr %v467, align 1, !llvm.access.group !0
  %v468 = add i64 %v3, %v5
  %v469 = mul i64 %v468, 4
  %v470 = add i64 %v469, 3
  %v471 = fdiv float 0xBFF0000000000000, %v12
  %v472 = fmul contract float %v471, %v471
  %v473 = fmul contract float 0xBFE0000000000000, %v472
  %v474 = fcmp olt float %v473, 0xC05A400000000000
  %v475 = select i1 %v474, float 0xC05A400000000000, float %v473
  %v476 = fcmp ogt float %v475, 0x4056C00000000000
  %v477 = select i1 %v476, float 0x4056C00000000000, float %v475
  %v478 = call float @llvm.fmuladd.f32(float %v477, float 0x3FF7154760000000, float 0x4168000000000000)
  %v479 = fsub contract float %v478, 0x4168000000000000
  %v480 = bitcast float %v478 to i32
  %v481 = sub i32 %v480, 1262485504
  %v482 = call float @llvm.fmuladd.f32(float %v479, float 0xBFE6300000000000, float %v477)
  %v483 = call float @llvm.fmuladd.f32(float %v479, float 0x3F2BD01060000000, float %v482)
  %v484 = call float @llvm.fmuladd.f32(float %v483, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v485 = call float @llvm.fmuladd.f32(float %v484, float %v483, float 0x3F81110C60000000)
  %v486 = call float @llvm.fmuladd.f32(float %v485, float %v483, float 0x3FA5554EA0000000)
  %v487 = call float @llvm.fmuladd.f32(float %v486, float %v483, float 0x3FC5555560000000)
  %v488 = call float @llvm.fmuladd.f32(float %v487, float %v483, float 0x3FE0000000000000)
  %v489 = fmul contract float %v483, %v483
  %v490 = call float @llvm.fmuladd.f32(float %v488, float %v489, float %v483)
  %v491 = fadd contract float %v490, 0x3FF0000000000000
  %v492 = add i32 %v481, 0
  %v493 = ashr i32 %v492, 1
  %v494 = add i32 %v493, 127
  %v495 = shl i32 %v494, 23
  %v496 = bitcast i32 %v495 to float
  %v497 = fmul contract float %v491, %v496
  %v498 = sub i32 %v492, %v493
  %v499 = add i32 %v498, 127
  %v500 = shl i32 %v499, 23
  %v501 = bitcast i32 %v500 to float
  %v502 = fmul contract float %v497, %v501
  %v503 = fadd contract float 0x0000000000000000, %v502
  %v504 = trunc i64 %row to i32
  %v505 = trunc i64 %v5 to i32
  %v506 = add i32 %v505, -1
  %v507 = mul i64 %row, %v49
  %v508 = add i64 -1, %v5
  %v509 = add i64 %v2, -1
  %v510 = call i64 @llvm.smin.i64(i64 %v508, i64 %v509)
  %v511 = call i64 @llvm.smax.i64(i64 %v510, i64 0)
  %v512 = mul i64 %v511, 4
  %v513 = add i64 %v507, %v512
  %v514 = add i64 %v513, 3
  %v515 = getelementptr inbounds float, ptr %v58, i64 %v514
  %v516 = load float, ptr %v515, align 4, !llvm.access.group !0
  %v517 = fmul contract float %v502, %v516
  %v518 = fadd contract float 0x0000000000000000, %v517
  %v519 = fdiv float 0x0000000000000000, %v12
  %v520 = fmul contract float %v519, %v519
  %v521 = fmul contract float 0xBFE0000000000000, %v520
  %v522 = fcmp olt float %v521, 0xC05A400000000000
  %v523 = select i1 %v522, float 0xC05A400000000000, float %v521
  %v524 = fcmp ogt float %v523, 0x4056C00000000000
  %v525 = select i1 %v524, float 0x4056C00000000000, float %v523
  %v526 = call float @llvm.fmuladd.f32(float %v525, float 0x3FF7154760000000, float 0x4168000000000000)
  %v527 = fsub contract float %v526, 0x4168000000000000
  %v528 = bitcast float %v526 to i32
  %v529 = sub i32 %v528, 1262485504
  %v530 = call float @llvm.fmuladd.f32(float %v527, float 0xBFE6300000000000, float %v525)
  %v531 = call float @llvm.fmuladd.f32(float %v527, float 0x3F2BD01060000000, float %v530)
  %v532 = call float @llvm.fmuladd.f32(float %v531, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v533 = call float @llvm.fmuladd.f32(float %v532, float %v531, float 0x3F81110C60000000)
  %v534 = call float @llvm.fmuladd.f32(float %v533, float %v531, float 0x3FA5554EA0000000)
  %v535 = call float @llvm.fmuladd.f32(float %v534, float %v531, float 0x3FC5555560000000)
  %v536 = call float @llvm.fmuladd.f32(float %v535, float %v531, float 0x3FE0000000000000)
  %v537 = fmul contract float %v531, %v531
  %v538 = call float @llvm.fmuladd.f32(float %v536, float %v537, float %v531)
  %v539 = fadd contract float %v538, 0x3FF0000000000000
  %v540 = add i32 %v529, 0
  %v541 = ashr i32 %v540, 1
  %v542 = add i32 %v541, 127
  %v543 = shl i32 %v542, 23
  %v544 = bitcast i32 %v543 to float
  %v545 = fmul contract float %v539, %v544
  %v546 = sub i32 %v540, %v541
  %v547 = add i32 %v546, 127
  %v548 = shl i32 %v547, 23
  %v549 = bitcast i32 %v548 to float
  %v550 = fmul contract float %v545, %v549
  %v551 = fadd contract float %v503, %v550
  %v552 = trunc i64 %row to i32
  %v553 = trunc i64 %v5 to i32
  %v554 = mul i64 %row, %v49
  %v555 = mul i64 %v5, 4
  %v556 = add i64 %v554, %v555
  %v557 = add i64 %v556, 3
  %v558 = getelementptr inbounds float, ptr %v58, i64 %v557
  %v559 = load float, ptr %v558, align 4, !llvm.access.group !0
  %v560 = fmul contract float %v550, %v559
  %v561 = fadd contract float %v518, %v560
  %v562 = fdiv float 0x3FF0000000000000, %v12
  %v563 = fmul contract float %v562, %v562
  %v564 = fmul contract float 0xBFE0000000000000, %v563
  %v565 = fcmp olt float %v564, 0xC05A400000000000
  %v566 = select i1 %v565, float 0xC05A400000000000, float %v564
  %v567 = fcmp ogt float %v566, 0x4056C00000000000
  %v568 = select i1 %v567, float 0x4056C00000000000, float %v566
  %v569 = call float @llvm.fmuladd.f32(float %v568, float 0x3FF7154760000000, float 0x4168000000000000)
  %v570 = fsub contract float %v569, 0x4168000000000000
  %v571 = bitcast float %v569 to i32
  %v572 = sub i32 %v571, 1262485504
  %v573 = call float @llvm.fmuladd.f32(float %v570, float 0xBFE6300000000000, float %v568)
  %v574 = call float @llvm.fmuladd.f32(float %v570, float 0x3F2BD01060000000, float %v573)
  %v575 = call float @llvm.fmuladd.f32(float %v574, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v576 = call float @llvm.fmuladd.f32(float %v575, float %v574, float 0x3F81110C60000000)
  %v577 = call float @llvm.fmuladd.f32(float %v576, float %v574, float 0x3FA5554EA0000000)
  %v578 = call float @llvm.fmuladd.f32(float %v577, float %v574, float 0x3FC5555560000000)
  %v579 = call float @llvm.fmuladd.f32(float %v578, float %v574, float 0x3FE0000000000000)
  %v580 = fmul contract float %v574, %v574
  %v581 = call float @llvm.fmuladd.f32(float %v579, float %v580, float %v574)
  %v582 = fadd contract float %v581, 0x3FF0000000000000
  %v583 = add i32 %v572, 0
  %v584 = ashr i32 %v583, 1
  %v585 = add i32 %v584, 127
  %v586 = shl i32 %v585, 23
  %v587 = bitcast i32 %v586 to float
  %v588 = fmul contract float %v582, %v587
  %v589 = sub i32 %v583, %v584
  %v590 = add i32 %v589, 127
  %v591 = shl i32 %v590, 23
  %v592 = bitcast i32 %v591 to float
  %v593 = fmul contract float %v588, %v592
  %v594 = fadd contract float %v551, %v593
  %v595 = trunc i64 %row to i32
  %v596 = trunc i64 %v5 to i32
  %v597 = add i32 %v596, 1
  %v598 = mul i64 %row, %v49
  %v599 = add i64 1, %v5
  %v600 = add i64 %v2, -1
  %v601 = call i64 @llvm.smin.i64(i64 %v599, i64 %v600)
  %v602 = call i64 @llvm.smax.i64(i64 %v601, i64 0)
  %v603 = mul i64 %v602, 4
  %v604 = add i64 %v598, %v603
  %v605 = add i64 %v604, 3
  %v606 = getelementptr inbounds float, ptr %v58, i64 %v605
  %v607 = load float, ptr %v606, align 4, !llvm.access.group !0
  %v608 = fmul contract float %v593, %v607
  %v609 = fadd contract float %v561, %v608
  %v610 = fdiv float 0x3FF0000000000000, %v594
  %v611 = fmul contract float %v609, %v610
  %v612 = fcmp ogt float %v611, 0x0000000000000000
  %v613 = select i1 %v612, float %v611, float 0x0000000000000000
  %v614 = fcmp olt float %v613, 0x406FE00000000000
  %v615 = select i1 %v614, float %v613, float 0x406FE00000000000
  %v616 = fadd contract float %v615, 0x4160000000000000
  %v617 = bitcast float %v616 to i32
  %v618 = trunc i32 %v617 to i8
  %v619 = getelementptr inbounds i8, ptr %v162, i64 %v470
  store i8 %v618, ptr %v619, align 1, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
  ret void
}

define internal void @row_inside(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v49 = mul i64 %v2, 4
  %v54 = getelementptr inbounds i64, ptr %block, i64 2
  %v55 = load ptr, ptr %v54, align 8
  %v155 = getelementptr inbounds i64, ptr %block, i64 1
  %v156 = load ptr, ptr %v155, align 8
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
  %v9 = mul i64 %v8, 4
  %v13 = fdiv float 0xBFF0000000000000, %v12
  %v14 = fmul contract float %v13, %v13
  %v15 = fmul contract float 0xBFE0000000000000, %v14
  %v16 = fcmp olt float %v15, 0xC05A400000000000
  %v17 = select i1 %v16, float 0xC05A400000000000, float %v15
  %v18 = fcmp ogt float %v17, 0x4056C00000000000
  %v19 = select i1 %v18, float 0x4056C00000000000, float %v17
  %v20 = call float @llvm.fmuladd.f32(float %v19, float 0x3FF7154760000000, float 0x4168000000000000)
  %v21 = fsub contract float %v20, 0x4168000000000000
  %v22 = bitcast float %v20 to i32
  %v23 = sub i32 %v22, 1262485504
  %v24 = call float @llvm.fmuladd.f32(float %v21, float 0xBFE6300000000000, float %v19)
  %v25 = call float @llvm.fmuladd.f32(float %v21, float 0x3F2BD01060000000, float %v24)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v25, float 0x3F81110C60000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v25, float 0x3FA5554EA0000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v25, float 0x3FC5555560000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v25, float 0x3FE0000000000000)
  %v31 = fmul contract float %v25, %v25
  %v32 = call float @llvm.fmuladd.f32(float %v30, float %v31, float %v25)
  %v33 = fadd contract float %v32, 0x3FF0000000000000
  %v34 = add i32 %v23, 0
  %v35 = ashr i32 %v34, 1
  %v36 = add i32 %v35, 127
  %v37 = shl i32 %v36, 23
  %v38 = bitcast i32 %v37 to float
  %v39 = fmul contract float %v33, %v38
  %v40 = sub i32 %v34, %v35
  %v41 = add i32 %v40, 127
  %v42 = shl i32 %v41, 23
  %v43 = bitcast i32 %v42 to float
  %v44 = fmul contract float %v39, %v43
  %v45 = fadd contract float 0x0000000000000000, %v44
  %v46 = trunc i64 %row to i32
  %v47 = trunc i64 %v5 to i32
  %v48 = add i32 %v47, -1
  %v50 = mul i64 %row, %v49
  %v51 = add i64 -1, %v5
  %v52 = mul i64 %v51, 4
  %v53 = add i64 %v50, %v52
  %v56 = getelementptr inbounds float, ptr %v55, i64 %v53
  %v57 = load float, ptr %v56, align 4, !llvm.access.group !2
  %v58 = fmul contract float %v44, %v57
  %v59 = fadd contract float 0x0000000000000000, %v58
  %v60 = fdiv float 0x0000000000000000, %v12
  %v61 = fmul contract float %v60, %v60
  %v62 = fmul contract float 0xBFE0000000000000, %v61
  %v63 = fcmp olt float %v62, 0xC05A400000000000
  %v64 = select i1 %v63, float 0xC05A400000000000, float %v62
  %v65 = fcmp ogt float %v64, 0x4056C00000000000
  %v66 = select i1 %v65, float 0x4056C00000000000, float %v64
  %v67 = call float @llvm.fmuladd.f32(float %v66, float 0x3FF7154760000000, float 0x4168000000000000)
  %v68 = fsub contract float %v67, 0x4168000000000000
  %v69 = bitcast float %v67 to i32
  %v70 = sub i32 %v69, 1262485504
  %v71 = call float @llvm.fmuladd.f32(float %v68, float 0xBFE6300000000000, float %v66)
  %v72 = call float @llvm.fmuladd.f32(float %v68, float 0x3F2BD01060000000, float %v71)
  %v73 = call float @llvm.fmuladd.f32(float %v72, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v74 = call float @llvm.fmuladd.f32(float %v73, float %v72, float 0x3F81110C60000000)
  %v75 = call float @llvm.fmuladd.f32(float %v74, float %v72, float 0x3FA5554EA0000000)
  %v76 = call float @llvm.fmuladd.f32(float %v75, float %v72, float 0x3FC5555560000000)
  %v77 = call float @llvm.fmuladd.f32(float %v76, float %v72, float 0x3FE0000000000000)
  %v78 = fmul contract float %v72, %v72
  %v79 = call float @llvm.fmuladd.f32(float %v77, float %v78, float %v72)
  %v80 = fadd contract float %v79, 0x3FF0000000000000
  %v81 = add i32 %v70, 0
  %v82 = ashr i32 %v81, 1
  %v83 = add i32 %v82, 127
  %v84 = shl i32 %v83, 23
  %v85 = bitcast i32 %v84 to float
  %v86 = fmul contract float %v80, %v85
  %v87 = sub i32 %v81, %v82
  %v88 = add i32 %v87, 127
  %v89 = shl i32 %v88, 23
  %v90 = bitcast i32 %v89 to float
  %v91 = fmul contract float %v86, %v90
  %v92 = fadd contract float %v45, %v91
  %v93 = trunc i64 %row to i32
  %v94 = trunc i64 %v5 to i32
  %v95 = mul i64 %row, %v49
  %v96 = mul i64 %v5, 4
  %v97 = add i64 %v95, %v96
  %v98 = getelementptr inbounds float, ptr %v55, i64 %v97
  %v99 = load float, ptr %v98, align 4, !llvm.access.group !2
  %v100 = fmul contract float %v91, %v99
  %v101 = fadd contract float %v59, %v100
  %v102 = fdiv float 0x3FF0000000000000, %v12
  %v103 = fmul contract float %v102, %v102
  %v104 = fmul contract float 0xBFE0000000000000, %v103
  %v105 = fcmp olt float %v104, 0xC05A400000000000
  %v106 = select i1 %v105, float 0xC05A400000000000, float %v104
  %v107 = fcmp ogt float %v106, 0x4056C00000000000
  %v108 = select i1 %v107, float 0x4056C00000000000, float %v106
  %v109 = call float @llvm.fmuladd.f32(float %v108, float 0x3FF7154760000000, float 0x4168000000000000)
  %v110 = fsub contract float %v109, 0x4168000000000000
  %v111 = bitcast float %v109 to i32
  %v112 = sub i32 %v111, 1262485504
  %v113 = call float @llvm.fmuladd.f32(float %v110, float 0xBFE6300000000000, float %v108)
  %v114 = call float @llvm.fmuladd.f32(float %v110, float 0x3F2BD01060000000, float %v113)
  %v115 = call float @llvm.fmuladd.f32(float %v114, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v116 = call float @llvm.fmuladd.f32(float %v115, float %v114, float 0x3F81110C60000000)
  %v117 = call float @llvm.fmuladd.f32(float %v116, float %v114, float 0x3FA5554EA0000000)
  %v118 = call float @llvm.fmuladd.f32(float %v117, float %v114, float 0x3FC5555560000000)
  %v119 = call float @llvm.fmuladd.f32(float %v118, float %v114, float 0x3FE0000000000000)
  %v120 = fmul contract float %v114, %v114
  %v121 = call float @llvm.fmuladd.f32(float %v119, float %v120, float %v114)
  %v122 = fadd contract float %v121, 0x3FF0000000000000
  %v123 = add i32 %v112, 0
  %v124 = ashr i32 %v123, 1
  %v125 = add i32 %v124, 127
  %v126 = shl i32 %v125, 23
  %v127 = bitcast i32 %v126 to float
  %v128 = fmul contract float %v122, %v127
  %v129 = sub i32 %v123, %v124
  %v130 = add i32 %v129, 127
  %v131 = shl i32 %v130, 23
  %v132 = bitcast i32 %v131 to float
  %v133 = fmul contract float %v128, %v132
  %v134 = fadd contract float %v92, %v133
  %v135 = trunc i64 %row to i32
  %v136 = trunc i64 %v5 to i32
  %v137 = add i32 %v136, 1
  %v138 = mul i64 %row, %v49
  %v139 = add i64 1, %v5
  %v140 = mul i64 %v139, 4
  %v141 = add i64 %v138, %v140
  %v142 = getelementptr inbounds float, ptr %v55, i64 %v141
  %v143 = load float, ptr %v142, align 4, !llvm.access.group !2
  %v144 = fmul contract float %v133, %v143
  %v145 = fadd contract float %v101, %v144
  %v146 = fdiv float 0x3FF0000000000000, %v134
  %v147 = fmul contract float %v145, %v146
  %v148 = fcmp ogt float %v147, 0x0000000000000000
  %v149 = select i1 %v148, float %v147, float 0x0000000000000000
  %v150 = fcmp olt float %v149, 0x406FE00000000000
  %v151 = select i1 %v150, float %v149, float 0x406FE00000000000
  %v152 = fadd contract float %v151, 0x4160000000000000
  %v153 = bitcast float %v152 to i32
  %v154 = trunc i32 %v153 to i8
  %v157 = getelementptr inbounds i8, ptr %v156, i64 %v9
  store i8 %v154, ptr %v157, align 1, !llvm.access.group !2
  %v158 = add i64 %v3, %v5
  %v159 = mul i64 %v158, 4
  %v160 = add i64 %v159, 1
  %v161 = fdiv float 0xBFF0000000000000, %v12
  %v162 = fmul contract float %v161, %v161
  %v163 = fmul contract float 0xBFE0000000000000, %v162
  %v164 = fcmp olt float %v163, 0xC05A400000000000
  %v165 = select i1 %v164, float 0xC05A400000000000, float %v163
  %v166 = fcmp ogt float %v165, 0x4056C00000000000
  %v167 = select i1 %v166, float 0x4056C00000000000, float %v165
  %v168 = call float @llvm.fmuladd.f32(float %v167, float 0x3FF7154760000000, float 0x4168000000000000)
  %v169 = fsub contract float %v168, 0x4168000000000000
  %v170 = bitcast float %v168 to i32
  %v171 = sub i32 %v170, 1262485504
  %v172 = call float @llvm.fmuladd.f32(float %v169, float 0xBFE6300000000000, float %v167)
  %v173 = call float @llvm.fmuladd.f32(float %v169, float 0x3F2BD01060000000, float %v172)
  %v174 = call float @llvm.fmuladd.f32(float %v173, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v175 = call float @llvm.fmuladd.f32(float %v174, float %v173, float 0x3F81110C60000000)
  %v176 = call float @llvm.fmuladd.f32(float %v175, float %v173, float 0x3FA5554EA0000000)
  %v177 = call float @llvm.fmuladd.f32(float %v176, float %v173, float 0x3FC5555560000000)
  %v178 = call float @llvm.fmuladd.f32(float %v177, float %v173, float 0x3FE0000000000000)
  %v179 = fmul contract float %v173, %v173
  %v180 = call float @llvm.fmuladd.f32(float %v178, float %v179, float %v173)
  %v181 = fadd contract float %v180, 0x3FF0000000000000
  %v182 = add i32 %v171, 0
  %v183 = ashr i32 %v182, 1
  %v184 = add i32 %v183, 127
  %v185 = shl i32 %v184, 23
  %v186 = bitcast i32 %v185 to float
  %v187 = fmul contract float %v181, %v186
  %v188 = sub i32 %v182, %v183
  %v189 = add i32 %v188, 127
  %v190 = shl i32 %v189, 23
  %v191 = bitcast i32 %v190 to float
  %v192 = fmul contract float %v187, %v191
  %v193 = fadd contract float 0x0000000000000000, %v192
  %v194 = trunc i64 %row to i32
  %v195 = trunc i64 %v5 to i32
  %v196 = add i32 %v195, -1
  %v197 = mul i64 %row, %v49
  %v198 = add i64 -1, %v5
  %v199 = mul i64 %v198, 4
  %v200 = add i64 %v197, %v199
  %v201 = add i64 %v200, 1
  %v202 = getelementptr inbounds float, ptr %v55, i64 %v201
  %v203 = load float, ptr %v202, align 4, !llvm.access.group !2
  %v204 = fmul contract float %v192, %v203
  %v205 = fadd contract float 0x0000000000000000, %v204
  %v206 = fdiv float 0x0000000000000000, %v12
  %v207 = fmul contract float %v206, %v206
  %v208 = fmul contract float 0xBFE0000000000000, %v207
  %v209 = fcmp olt float %v208, 0xC05A400000000000
  %v210 = select i1 %v209, float 0xC05A400000000000, float %v208
  %v211 = fcmp ogt float %v210, 0x4056C00000000000
  %v212 = select i1 %v211, float 0x4056C00000000000, float %v210
  %v213 = call float @llvm.fmuladd.f32(float %v212, float 0x3FF7154760000000, float 0x4168000000000000)
  %v214 = fsub contract float %v213, 0x4168000000000000
  %v215 = bitcast float %v213 to i32
  %v216 = sub i32 %v215, 1262485504
  %v217 = call float @llvm.fmuladd.f32(float %v214, float 0xBFE6300000000000, float %v212)
  %v218 = call float @llvm.fmuladd.f32(float %v214, float 0x3F2BD01060000000, float %v217)
  %v219 = call float @llvm.fmuladd.f32(float %v218, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v220 = call float @llvm.fmuladd.f32(float %v219, float %v218, float 0x3F81110C60000000)
  %v221 = call float @llvm.fmuladd.f32(float %v220, float %v218, float 0x3FA5554EA0000000)
  %v222 = call float @llvm.fmuladd.f32(float %v221, float %v218, float 0x3FC5555560000000)
  %v223 = call float @llvm.fmuladd.f32(float %v222, float %v218, float 0x3FE0000000000000)
  %v224 = fmul contract float %v218, %v218
  %v225 = call float @llvm.fmuladd.f32(float %v223, float %v224, float %v218)
  %v226 = fadd contract float %v225, 0x3FF0000000000000
  %v227 = add i32 %v216, 0
  %v228 = ashr i32 %v227, 1
  %v229 = add i32 %v228, 127
  %v230 = shl i32 %v229, 23
  %v231 = bitcast i32 %v230 to float
  %v232 = fmul contract float %v226, %v231
  %v233 = sub i32 %v227, %v228
  %v234 = add i32 %v233, 127
  %v235 = shl i32 %v234, 23
  %v236 = bitcast i32 %v235 to float
  %v237 = fmul contract float %v232, %v236
  %v238 = fadd contract float %v193, %v237
  %v239 = trunc i64 %row to i32
  %v240 = trunc i64 %v5 to i32
  %v241 = mul i64 %row, %v49
  %v242 = mul i64 %v5, 4
  %v243 = add i64 %v241, %v242
  %v244 = add i64 %v243, 1
  %v245 = getelementptr inbounds float, ptr %v55, i64 %v244
  %v246 = load float, ptr %v245, align 4, !llvm.access.group !2
  %v247 = fmul contract float %v237, %v246
  %v248 = fadd contract float %v205, %v247
  %v249 = fdiv float 0x3FF0000000000000, %v12
  %v250 = fmul contract float %v249, %v249
  %v251 = fmul contract float 0xBFE0000000000000, %v250
  %v252 = fcmp olt float %v251, 0xC05A400000000000
  %v253 = select i1 %v252, float 0xC05A400000000000, float %v251
  %v254 = fcmp ogt float %v253, 0x4056C00000000000
  %v255 = select i1 %v254, float 0x4056C00000000000, float %v253
  %v256 = call float @llvm.fmuladd.f32(float %v255, float 0x3FF7154760000000, float 0x4168000000000000)
  %v257 = fsub contract float %v256, 0x4168000000000000
  %v258 = bitcast float %v256 to i32
  %v259 = sub i32 %v258, 1262485504
  %v260 = call float @llvm.fmuladd.f32(float %v257, float 0xBFE6300000000000, float %v255)
  %v261 = call float @llvm.fmuladd.f32(float %v257, float 0x3F2BD01060000000, float %v260)
  %v262 = call float @llvm.fmuladd.f32(float %v261, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v263 = call float @llvm.fmuladd.f32(float %v262, float %v261, float 0x3F81110C60000000)
  %v264 = call float @llvm.fmuladd.f32(float %v263, float %v261, float 0x3FA5554EA0000000)
  %v265 = call float @llvm.fmuladd.f32(float %v264, float %v261, float 0x3FC5555560000000)
  %v266 = call float @llvm.fmuladd.f32(float %v265, float %v261, float 0x3FE0000000000000)
  %v267 = fmul contract float %v261, %v261
  %v268 = call float @llvm.fmuladd.f32(float %v266, float %v267, float %v261)
  %v269 = fadd contract float %v268, 0x3FF0000000000000
  %v270 = add i32 %v259, 0
  %v271 = ashr i32 %v270, 1
  %v272 = add i32 %v271, 127
  %v273 = shl i32 %v272, 23
  %v274 = bitcast i32 %v273 to float
  %v275 = fmul contract float %v269, %v274
  %v276 = sub i32 %v270, %v271
  %v277 = add i32 %v276, 127
  %v278 = shl i32 %v277, 23
  %v279 = bitcast i32 %v278 to float
  %v280 = fmul contract float %v275, %v279
  %v281 = fadd contract float %v238, %v280
  %v282 = trunc i64 %row to i32
  %v283 = trunc i64 %v5 to i32
  %v284 = add i32 %v283, 1
  %v285 = mul i64 %row, %v49
  %v286 = add i64 1, %v5
  %v287 = mul i64 %v286, 4
  %v288 = add i64 %v285, %v287
  %v289 = add i64 %v288, 1
  %v290 = getelementptr inbounds float, ptr %v55, i64 %v289
  %v291 = load float, ptr %v290, align 4, !llvm.access.group !2
  %v292 = fmul contract float %v280, %v291
  %v293 = fadd contract float %v248, %v292
  %v294 = fdiv float 0x3FF0000000000000, %v281
  %v295 = fmul contract float %v293, %v294
  %v296 = fcmp ogt float %v295, 0x0000000000000000
  %v297 = select i1 %v296, float %v295, float 0x0000000000000000
  %v298 = fcmp olt float %v297, 0x406FE00000000000
  %v299 = select i1 %v298, float %v297, float 0x406FE00000000000
  %v300 = fadd contract float %v299, 0x4160000000000000
  %v301 = bitcast float %v300 to i32
  %v302 = trunc i32 %v301 to i8
  %v303 = getelementptr inbounds i8, ptr %v156, i64 %v160
  store i8 %v302, ptr %v303, align 1, !llvm.access.group !2
  %v304 = add i64 %v3, %v5
  %v305 = mul i64 %v304, 4
  %v306 = add i64 %v305, 2
  %v307 = fdiv float 0xBFF0000000000000, %v12
  %v308 = fmul contract float %v307, %v307
  %v309 = fmul contract float 0xBFE0000000000000, %v308
  %v310 = fcmp olt float %v309, 0xC05A400000000000
  %v311 = select i1 %v310, float 0xC05A400000000000, float %v309
  %v312 = fcmp ogt float %v311, 0x4056C00000000000
  %v313 = select i1 %v312, float 0x4056C00000000000, float %v311
  %v314 = call float @llvm.fmuladd.f32(float %v313, float 0x3FF7154760000000, float 0x4168000000000000)
  %v315 = fsub contract float %v314, 0x4168000000000000
  %v316 = bitcast float %v314 to i32
  %v317 = sub i32 %v316, 1262485504
  %v318 = call float @llvm.fmuladd.f32(float %v315, float 0xBFE6300000000000, float %v313)
  %v319 = call float @llvm.fmuladd.f32(float %v315, float 0x3F2BD01060000000, float %v318)
  %v320 = call float @llvm.fmuladd.f32(float %v319, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v321 = call float @llvm.fmuladd.f32(float %v320, float %v319, float 0x3F81110C60000000)
  %v322 = call float @llvm.fmuladd.f32(float %v321, float %v319, float 0x3FA5554EA0000000)
  %v323 = call float @llvm.fmuladd.f32(float %v322, float %v319, float 0x3FC5555560000000)
  %v324 = call float @llvm.fmuladd.f32(float %v323, float %v319, float 0x3FE0000000000000)
  %v325 = fmul contract float %v319, %v319
  %v326 = call float @llvm.fmuladd.f32(float %v324, float %v325, float %v319)
  %v327 = fadd contract float %v326, 0x3FF0000000000000
  %v328 = add i32 %v317, 0
  %v329 = ashr i32 %v328, 1
  %v330 = add i32 %v329, 127
  %v331 = shl i32 %v330, 23
  %v332 = bitcast i32 %v331 to float
  %v333 = fmul contract float %v327, %v332
  %v334 = sub i32 %v328, %v329
  %v335 = add i32 %v334, 127
  %v336 = shl i32 %v335, 23
  %v337 = bitcast i32 %v336 to float
  %v338 = fmul contract float %v333, %v337
  %v339 = fadd contract float 0x0000000000000000, %v338
  %v340 = trunc i64 %row to i32
  %v341 = trunc i64 %v5 to i32
  %v342 = add i32 %v341, -1
  %v343 = mul i64 %row, %v49
  %v344 = add i64 -1, %v5
  %v345 = mul i64 %v344, 4
  %v346 = add i64 %v343, %v345
  %v347 = add i64 %v346, 2
  %v348 = getelementptr inbounds float, ptr %v55, i64 %v347
  %v349 = load float, ptr %v348, align 4, !llvm.access.group !2
  %v350 = fmul contract float %v338, %v349
  %v351 = fadd contract float 0x0000000000000000, %v350
  %v352 = fdiv float 0x0000000000000000, %v12
  %v353 = fmul contract float %v352, %v352
  %v354 = fmul contract float 0xBFE0000000000000, %v353
  %v355 = fcmp olt float %v354, 0xC05A400000000000
  %v356 = select i1 %v355, float 0xC05A400000000000, float %v354
  %v357 = fcmp ogt float %v356, 0x4056C00000000000
  %v358 = select i1 %v357, float 0x4056C00000000000, float %v356
  %v359 = call float @llvm.fmuladd.f32(float %v358, float 0x3FF7154760000000, float 0x4168000000000000)
  %v360 = fsub contract float %v359, 0x4168000000000000
  %v361 = bitcast float %v359 to i32
  %v362 = sub i32 %v361, 1262485504
  %v363 = call float @llvm.fmuladd.f32(float %v360, float 0xBFE6300000000000, float %v358)
  %v364 = call float @llvm.fmuladd.f32(float %v360, float 0x3F2BD01060000000, float %v363)
  %v365 = call float @llvm.fmuladd.f32(float %v364, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v366 = call float @llvm.fmuladd.f32(float %v365, float %v364, float 0x3F81110C60000000)
  %v367 = call float @llvm.fmuladd.f32(float %v366, float %v364, float 0x3FA5554EA0000000)
  %v368 = call float @llvm.fmuladd.f32(float %v367, float %v364, float 0x3FC5555560000000)
  %v369 = call float @llvm.fmuladd.f32(float %v368, float %v364, float 0x3FE0000000000000)
  %v370 = fmul contract float %v364, %v364
  %v371 = call float @llvm.fmuladd.f32(float %v369, float %v370, float %v364)
  %v372 = fadd contract float %v371, 0x3FF0000000000000
  %v373 = add i32 %v362, 0
  %v374 = ashr i32 %v373, 1
  %v375 = add i32 %v374, 127
  %v376 = shl i32 %v375, 23
  %v377 = bitcast i32 %v376 to float
  %v378 = fmul contract float %v372, %v377
  %v379 = sub i32 %v373, %v374
  %v380 = add i32 %v379, 127
  %v381 = shl i32 %v380, 23
  %v382 = bitcast i32 %v381 to float
  %v383 = fmul contract float %v378, %v382
  %v384 = fadd contract float %v339, %v383
  %v385 = trunc i64 %row to i32
  %v386 = trunc i64 %v5 to i32
  %v387 = mul i64 %row, %v49
  %v388 = mul i64 %v5, 4
  %v389 = add i64 %v387, %v388
  %v390 = add i64 %v389, 2
  %v391 = getelementptr inbounds float, ptr %v55, i64 %v390
  %v392 = load float, ptr %v391, align 4, !llvm.access.group !2
  %v393 = fmul contract float %v383, %v392
  %v394 = fadd contract float %v351, %v393
  %v395 = fdiv float 0x3FF0000000000000, %v12
  %v396 = fmul contract float %v395, %v395
  %v397 = fmul contract float 0xBFE0000000000000, %v396
  %v398 = fcmp olt float %v397, 0xC05A400000000000
  %v399 = select i1 %v398, float 0xC05A400000000000, float %v397
  %v400 = fcmp ogt float %v399, 0x4056C00000000000
  %v401 = select i1 %v400, float 0x4056C00000000000, float %v399
  %v402 = call float @llvm.fmuladd.f32(float %v401, float 0x3FF7154760000000, float 0x4168000000000000)
  %v403 = fsub contract float %v402, 0x4168000000000000
  %v404 = bitcast float %v402 to i32
  %v405 = sub i32 %v404, 1262485504
  %v406 = call float @llvm.fmuladd.f32(float %v403, float 0xBFE6300000000000, float %v401)
  %v407 = call float @llvm.fmuladd.f32(float %v403, float 0x3F2BD01060000000, float %v406)
  %v408 = call float @llvm.fmuladd.f32(float %v407, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v409 = call float @llvm.fmuladd.f32(float %v408, float %v407, float 0x3F81110C60000000)
  %v410 = call float @llvm.fmuladd.f32(float %v409, float %v407, float 0x3FA5554EA0000000)
  %v411 = call float @llvm.fmuladd.f32(float %v410, float %v407, float 0x3FC5555560000000)
  %v412 = call float @llvm.fmuladd.f32(float %v411, float %v407, float 0x3FE0000000000000)
  %v413 = fmul contract float %v407, %v407
  %v414 = call float @llvm.fmuladd.f32(float %v412, float %v413, float %v407)
  %v415 = fadd contract float %v414, 0x3FF0000000000000
  %v416 = add i32 %v405, 0
  %v417 = ashr i32 %v416, 1
  %v418 = add i32 %v417, 127
  %v419 = shl i32 %v418, 23
  %v420 = bitcast i32 %v419 to float
  %v421 = fmul contract float %v415, %v420
  %v422 = sub i32 %v416, %v417
  %v423 = add i32 %v422, 127
  %v424 = shl i32 %v423, 23
  %v425 = bitcast i32 %v424 to float
  %v426 = fmul contract float %v421, %v425
  %v427 = fadd contract float %v384, %v426
  %v428 = trunc i64 %row to i32
  %v429 = trunc i64 %v5 to i32
  %v430 = add i32 %v429, 1
  %v431 = mul i64 %row, %v49
  %v432 = add i64 1, %v5
  %v433 = mul i64 %v432, 4
  %v434 = add i64 %v431, %v433
  %v435 = add i64 %v434, 2
  %v436 = getelementptr inbounds float, ptr %v55, i64 %v435
  %v437 = load float, ptr %v436, align 4, !llvm.access.group !2
  %v438 = fmul contract float %v426, %v437
  %v439 = fadd contract float %v394, %v438
  %v440 = fdiv float 0x3FF0000000000000, %v427
  %v441 = fmul contract float %v439, %v440
  %v442 = fcmp ogt float %v441, 0x0000000000000000
  %v443 = select i1 %v442, float %v441, float 0x0000000000000000
  %v444 = fcmp olt float %v443, 0x406FE00000000000
  %v445 = select i1 %v444, float %v443, float 0x406FE00000000000
  %v446 = fadd contract float %v445, 0x4160000000000000
  %v447 = bitcast float %v446 to i32
  %v448 = trunc i32 %v447 to i8
  %v449 = getelementptr inbounds i8, ptr %v156, i64 %v306
  store i8 %v448, ptr %v449, align 1, !llvm.access.group !2
  %v450 = add i64 %v3, %v5
  %v451 = mul i64 %v450, 4
  %v452 = add i64 %v451, 3
  %v453 = fdiv float 0xBFF0000000000000, %v12
  %v454 = fmul contract float %v453, %v453
  %v455 = fmul contract float 0xBFE0000000000000, %v454
  %v456 = fcmp olt float %v455, 0xC05A400000000000
  %v457 = select i1 %v456, float 0xC05A400000000000, float %v455
  %v458 = fcmp ogt float %v457, 0x4056C00000000000
  %v459 = select i1 %v458, float 0x4056C00000000000, float %v457
  %v460 = call float @llvm.fmuladd.f32(float %v459, float 0x3FF7154760000000, float 0x4168000000000000)
  %v461 = fsub contract float %v460, 0x4168000000000000
  %v462 = bitcast float %v460 to i32
  %v463 = sub i32 %v462, 1262485504
  %v464 = call float @llvm.fmuladd.f32(float %v461, float 0xBFE6300000000000, float %v459)
  %v465 = call float @llvm.fmuladd.f32(float %v461, float 0x3F2BD01060000000, float %v464)
  %v466 = call float @llvm.fmuladd.f32(float %v465, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v467 = call float @llvm.fmuladd.f32(float %v466, float %v465, float 0x3F81110C60000000)
  %v468 = call float @llvm.fmuladd.f32(float %v467, float %v465, float 0x3FA5554EA0000000)
  %v469 = call float @llvm.fmuladd.f32(float %v468, float %v465, float 0x3FC5555560000000)
  %v470 = call float @llvm.fmuladd.f32(float %v469, float %v465, float 0x3FE0000000000000)
  %v471 = fmul contract float %v465, %v465
  %v472 = call float @llvm.fmuladd.f32(float %v470, float %v471, float %v465)
  %v473 = fadd contract float %v472, 0x3FF0000000000000
  %v474 = add i32 %v463, 0
  %v475 = ashr i32 %v474, 1
  %v476 = add i32 %v475, 127
  %v477 = shl i32 %v476, 23
  %v478 = bitcast i32 %v477 to float
  %v479 = fmul contract float %v473, %v478
  %v480 = sub i32 %v474, %v475
  %v481 = add i32 %v480, 127
  %v482 = shl i32 %v481, 23
  %v483 = bitcast i32 %v482 to float
  %v484 = fmul contract float %v479, %v483
  %v485 = fadd contract float 0x0000000000000000, %v484
  %v486 = trunc i64 %row to i32
  %v487 = trunc i64 %v5 to i32
  %v488 = add i32 %v487, -1
  %v489 = mul i64 %row, %v49
  %v490 = add i64 -1, %v5
  %v491 = mul i64 %v490, 4
  %v492 = add i64 %v489, %v491
  %v493 = add i64 %v492, 3
  %v494 = getelementptr inbounds float, ptr %v55, i64 %v493
  %v495 = load float, ptr %v494, align 4, !llvm.access.group !2
  %v496 = fmul contract float %v484, %v495
  %v497 = fadd contract float 0x0000000000000000, %v496
  %v498 = fdiv float 0x0000000000000000, %v12
  %v499 = fmul contract float %v498, %v498
  %v500 = fmul contract float 0xBFE0000000000000, %v499
  %v501 = fcmp olt float %v500, 0xC05A400000000000
  %v502 = select i1 %v501, float 0xC05A400000000000, float %v500
  %v503 = fcmp ogt float %v502, 0x4056C00000000000
  %v504 = select i1 %v503, float 0x4056C00000000000, float %v502
  %v505 = call float @llvm.fmuladd.f32(float %v504, float 0x3FF7154760000000, float 0x4168000000000000)
  %v506 = fsub contract float %v505, 0x4168000000000000
  %v507 = bitcast float %v505 to i32
  %v508 = sub i32 %v507, 1262485504
  %v509 = call float @llvm.fmuladd.f32(float %v506, float 0xBFE6300000000000, float %v504)
  %v510 = call float @llvm.fmuladd.f32(float %v506, float 0x3F2BD01060000000, float %v509)
  %v511 = call float @llvm.fmuladd.f32(float %v510, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v512 = call float @llvm.fmuladd.f32(float %v511, float %v510, float 0x3F81110C60000000)
  %v513 = call float @llvm.fmuladd.f32(float %v512, float %v510, float 0x3FA5554EA0000000)
  %v514 = call float @llvm.fmuladd.f32(float %v513, float %v510, float 0x3FC5555560000000)
  %v515 = call float @llvm.fmuladd.f32(float %v514, float %v510, float 0x3FE0000000000000)
  %v516 = fmul contract float %v510, %v510
  %v517 = call float @llvm.fmuladd.f32(float %v515, float %v516, float %v510)
  %v518 = fadd contract float %v517, 0x3FF0000000000000
  %v519 = add i32 %v508, 0
  %v520 = ashr i32 %v519, 1
  %v521 = add i32 %v520, 127
  %v522 = shl i32 %v521, 23
  %v523 = bitcast i32 %v522 to float
  %v524 = fmul contract float %v518, %v523
  %v525 = sub i32 %v519, %v520
  %v526 = add i32 %v525, 127
  %v527 = shl i32 %v526, 23
  %v528 = bitcast i32 %v527 to float
  %v529 = fmul contract float %v524, %v528
  %v530 = fadd contract float %v485, %v529
  %v531 = trunc i64 %row to i32
  %v532 = trunc i64 %v5 to i32
  %v533 = mul i64 %row, %v49
  %v534 = mul i64 %v5, 4
  %v535 = add i64 %v533, %v534
  %v536 = add i64 %v535, 3
  %v537 = getelementptr inbounds float, ptr %v55, i64 %v536
  %v538 = load float, ptr %v537, align 4, !llvm.access.group !2
  %v539 = fmul contract float %v529, %v538
  %v540 = fadd contract float %v497, %v539
  %v541 = fdiv float 0x3FF0000000000000, %v12
  %v542 = fmul contract float %v541, %v541
  %v543 = fmul contract float 0xBFE0000000000000, %v542
  %v544 = fcmp olt float %v543, 0xC05A400000000000
  %v545 = select i1 %v544, float 0xC05A400000000000, float %v543
  %v546 = fcmp ogt float %v545, 0x4056C00000000000
  %v547 = select i1 %v546, float 0x4056C00000000000, float %v545
  %v548 = call float @llvm.fmuladd.f32(float %v547, float 0x3FF7154760000000, float 0x4168000000000000)
  %v549 = fsub contract float %v548, 0x4168000000000000
  %v550 = bitcast float %v548 to i32
  %v551 = sub i32 %v550, 1262485504
  %v552 = call float @llvm.fmuladd.f32(float %v549, float 0xBFE6300000000000, float %v547)
  %v553 = call float @llvm.fmuladd.f32(float %v549, float 0x3F2BD01060000000, float %v552)
  %v554 = call float @llvm.fmuladd.f32(float %v553, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v555 = call float @llvm.fmuladd.f32(float %v554, float %v553, float 0x3F81110C60000000)
  %v556 = call float @llvm.fmuladd.f32(float %v555, float %v553, float 0x3FA5554EA0000000)
  %v557 = call float @llvm.fmuladd.f32(float %v556, float %v553, float 0x3FC5555560000000)
  %v558 = call float @llvm.fmuladd.f32(float %v557, float %v553, float 0x3FE0000000000000)
  %v559 = fmul contract float %v553, %v553
  %v560 = call float @llvm.fmuladd.f32(float %v558, float %v559, float %v553)
  %v561 = fadd contract float %v560, 0x3FF0000000000000
  %v562 = add i32 %v551, 0
  %v563 = ashr i32 %v562, 1
  %v564 = add i32 %v563, 127
  %v565 = shl i32 %v564, 23
  %v566 = bitcast i32 %v565 to float
  %v567 = fmul contract float %v561, %v566
  %v568 = sub i32 %v562, %v563
  %v569 = add i32 %v568, 127
  %v570 = shl i32 %v569, 23
  %v571 = bitcast i32 %v570 to float
  %v572 = fmul contract float %v567, %v571
  %v573 = fadd contract float %v530, %v572
  %v574 = trunc i64 %row to i32
  %v575 = trunc i64 %v5 to i32
  %v576 = add i32 %v575, 1
  %v577 = mul i64 %row, %v49
  %v578 = add i64 1, %v5
  %v579 = mul i64 %v578, 4
  %v580 = add i64 %v577, %v579
  %v581 = add i64 %v580, 3
  %v582 = getelementptr inbounds float, ptr %v55, i64 %v581
  %v583 = load float, ptr %v582, align 4, !llvm.access.group !2
  %v584 = fmul contract float %v572, %v583
  %v585 = fadd contract float %v540, %v584
  %v586 = fdiv float 0x3FF0000000000000, %v573
  %v587 = fmul contract float %v585, %v586
  %v588 = fcmp ogt float %v587, 0x0000000000000000
  %v589 = select i1 %v588, float %v587, float 0x0000000000000000
  %v590 = fcmp olt float %v589, 0x406FE00000000000
  %v591 = select i1 %v590, float %v589, float 0x406FE00000000000
  %v592 = fadd contract float %v591, 0x4160000000000000
  %v593 = bitcast float %v592 to i32
  %v594 = trunc i32 %v593 to i8
  %v595 = getelementptr inbounds i8, ptr %v156, i64 %v452
  store i8 %v594, ptr %v595, align 1, !llvm.access.group !2
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !3
end4:
  ret void
}

define internal void @weft_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v23 = getelementptr inbounds i64, ptr %block, i64 4
  %v24 = load i64, ptr %v23, align 8
  %v25 = getelementptr inbounds i64, ptr %block, i64 7
  %v26 = load i64, ptr %v25, align 8
  br label %main
main:
  %v5 = add i64 %v2, %v4
  %v6 = sub i64 %v5, 1
  %v7 = sdiv i64 %v6, %v4
  %v8 = add i64 %v2, 1
  %v9 = sdiv i64 %v8, 1
  %v10 = icmp slt i64 %v2, 0
  %v11 = select i1 %v10, i64 0, i64 %v9
  %v12 = call i64 @llvm.smax.i64(i64 0, i64 1)
  %v13 = call i64 @llvm.smin.i64(i64 %v2, i64 %v11)
  %v14 = add i64 %v2, -2
  %v15 = add i64 %v14, 1
  %v16 = sdiv i64 %v15, 1
  %v17 = icmp slt i64 %v14, 0
  %v18 = select i1 %v17, i64 0, i64 %v16
  %v19 = call i64 @llvm.smax.i64(i64 %v12, i64 0)
  %v20 = call i64 @llvm.smin.i64(i64 %v13, i64 %v18)
  %v21 = call i64 @llvm.smin.i64(i64 %v19, i64 %v2)
  %v22 = call i64 @llvm.smax.i64(i64 %v20, i64 %v21)
  br label %head27
head27:
  %v28 = phi i64 [ %lo, %main ], [ %v29, %latch27 ]
  %v30 = icmp slt i64 %v28, %hi
  br i1 %v30, label %body27, label %end27
body27:
  %v31 = sdiv i64 %v28, %v7
  %v32 = mul i64 %v31, %v7
  %v33 = sub i64 %v28, %v32
  %v34 = mul i64 %v33, %v4
  %v35 = add i64 %v34, %v4
  %v36 = call i64 @llvm.smin.i64(i64 %v35, i64 %v2)
  %v37 = mul i64 %v31, %v26
  %v38 = add i64 %v37, %v26
  %v39 = call i64 @llvm.smin.i64(i64 %v38, i64 %v24)
  br label %head40
head40:
  %v41 = phi i64 [ %v37, %body27 ], [ %v42, %latch40 ]
  %v43 = icmp slt i64 %v41, %v39
  br i1 %v43, label %body40, label %end40
body40:
  %v44 = call i64 @llvm.smin.i64(i64 %v36, i64 %v21)
  %v45 = icmp slt i64 %v34, %v44
  br i1 %v45, label %then46, label %endif46
then46:
  call void @row_edge(ptr %block, i64 %v41, i64 %v34, i64 %v44)
  br label %endif46
endif46:
  %v47 = call i64 @llvm.smax.i64(i64 %v34, i64 %v21)
  %v48 = call i64 @llvm.smin.i64(i64 %v36, i64 %v22)
  %v49 = icmp slt i64 %v47, %v48
  br i1 %v49, label %then50, label %endif50
then50:
  call void @row_inside(ptr %block, i64 %v41, i64 %v47, i64 %v48)
  br label %endif50
endif50:
  %v51 = call i64 @llvm.smax.i64(i64 %v34, i64 %v22)
  %v52 = icmp slt i64 %v51, %v36
  br i1 %v52, label %then53, label %endif53
then53:
  call void @row_edge(ptr %block, i64 %v41, i64 %v51, i64 %v36)
  br label %endif53
endif53:
  br label %latch40
latch40:
  %v42 = add nsw i64 %v41, 1
  br label %head40
end40:
  br label %latch27
latch27:
  %v29 = add nsw i64 %v28, 1
  br label %head27
end27:
  ret void
}

define dso_local void @weft_run(ptr %block, i64 %lo, i64 %hi) nounwind {
start:
  br label %main
main:
  call void @weft_units(ptr %block, i64 %lo, i64 %hi)
  ret void
}

define dso_local void @weft_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

define dso_local i64 @weft_work(ptr %block, ptr %control) nounwind {
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
  call void @weft_units(ptr %block, i64 %v14, i64 %v17)
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
  call void @weft_finish(ptr %block)
  ret i64 1
none9:
  br label %done9
done9:
  ret i64 0
}

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = distinct !{}
!3 = distinct !{!3, !{!"llvm.loop.parallel_accesses", !2}, !{!"llvm.loop.mustprogress"}}
