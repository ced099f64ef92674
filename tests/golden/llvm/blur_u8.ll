declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 3
  %v10 = load double, ptr %v9, align 8
  %v11 = fptrunc double %v10 to float
  %v48 = mul i64 %v2, 4
  %v50 = getelementptr inbounds i64, ptr %block, i64 4
  %v51 = load i64, ptr %v50, align 8
  %v52 = add i64 %v51, -1
  %v53 = call i64 @llvm.smax.i64(i64 %v52, i64 0)
  %v59 = getelementptr inbounds i64, ptr %block, i64 2
  %v60 = load ptr, ptr %v59, align 8
  %v597 = getelementptr inbounds i64, ptr %block, i64 1
  %v598 = load ptr, ptr %v597, align 8
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
  %v12 = fdiv float 0xBFF0000000000000, %v11
  %v13 = fmul contract float %v12, %v12
  %v14 = fmul contract float 0xBFE0000000000000, %v13
  %v15 = fcmp olt float %v14, 0xC05A400000000000
  %v16 = select i1 %v15, float 0xC05A400000000000, float %v14
  %v17 = fcmp ogt float %v16, 0x4056C00000000000
  %v18 = select i1 %v17, float 0x4056C00000000000, float %v16
  %v19 = call float @llvm.fmuladd.f32(float %v18, float 0x3FF7154760000000, float 0x4168000000000000)
  %v20 = fsub contract float %v19, 0x4168000000000000
  %v21 = bitcast float %v19 to i32
  %v22 = sub i32 %v21, 1262485504
  %v23 = call float @llvm.fmuladd.f32(float %v20, float 0xBFE6300000000000, float %v18)
  %v24 = call float @llvm.fmuladd.f32(float %v20, float 0x3F2BD01060000000, float %v23)
  %v25 = call float @llvm.fmuladd.f32(float %v24, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float %v24, float 0x3F81110C60000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v24, float 0x3FA5554EA0000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v24, float 0x3FC5555560000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v24, float 0x3FE0000000000000)
  %v30 = fmul contract float %v24, %v24
  %v31 = call float @llvm.fmuladd.f32(float %v29, float %v30, float %v24)
  %v32 = fadd contract float %v31, 0x3FF0000000000000
  %v33 = add i32 %v22, 0
  %v34 = ashr i32 %v33, 1
  %v35 = add i32 %v34, 127
  %v36 = shl i32 %v35, 23
  %v37 = bitcast i32 %v36 to float
  %v38 = fmul contract float %v32, %v37
  %v39 = sub i32 %v33, %v34
  %v40 = add i32 %v39, 127
  %v41 = shl i32 %v40, 23
  %v42 = bitcast i32 %v41 to float
  %v43 = fmul contract float %v38, %v42
  %v44 = fadd contract float 0x0000000000000000, %v43
  %v45 = trunc i64 %row to i32
  %v46 = add i32 %v45, -1
  %v47 = trunc i64 %v5 to i32
  %v49 = add i64 -1, %row
  %v54 = call i64 @llvm.smax.i64(i64 %v49, i64 0)
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 %v53)
  %v56 = mul i64 %v55, %v48
  %v57 = mul i64 %v5, 4
  %v58 = add i64 %v56, %v57
  %v61 = getelementptr inbounds i8, ptr %v60, i64 %v58
  %v62 = load i8, ptr %v61, align 1, !llvm.access.group !0, !alias.scope !4
  %v63 = zext i8 %v62 to i32
  %v64 = sitofp i32 %v63 to float
  %v65 = fmul contract float %v43, %v64
  %v66 = fadd contract float 0x0000000000000000, %v65
  %v67 = fdiv float 0x0000000000000000, %v11
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
  %v99 = fadd contract float %v44, %v98
  %v100 = trunc i64 %row to i32
  %v101 = trunc i64 %v5 to i32
  %v102 = mul i64 %row, %v48
  %v103 = mul i64 %v5, 4
  %v104 = add i64 %v102, %v103
  %v105 = getelementptr inbounds i8, ptr %v60, i64 %v104
  %v106 = load i8, ptr %v105, align 1, !llvm.access.group !0, !alias.scope !4
  %v107 = zext i8 %v106 to i32
  %v108 = sitofp i32 %v107 to float
  %v109 = fmul contract float %v98, %v108
  %v110 = fadd contract float %v66, %v109
  %v111 = fdiv float 0x3FF0000000000000, %v11
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
  %v148 = call i64 @llvm.smax.i64(i64 %v147, i64 0)
  %v149 = call i64 @llvm.smin.i64(i64 %v148, i64 %v53)
  %v150 = mul i64 %v149, %v48
  %v151 = mul i64 %v5, 4
  %v152 = add i64 %v150, %v151
  %v153 = getelementptr inbounds i8, ptr %v60, i64 %v152
  %v154 = load i8, ptr %v153, align 1, !llvm.access.group !0, !alias.scope !4
  %v155 = zext i8 %v154 to i32
  %v156 = sitofp i32 %v155 to float
  %v157 = fmul contract float %v142, %v156
  %v158 = fadd contract float %v110, %v157
  %v159 = fdiv float 0x3FF0000000000000, %v143
  %v160 = fmul contract float %v158, %v159
  %v161 = fdiv float 0xBFF0000000000000, %v11
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
  %v195 = add i32 %v194, -1
  %v196 = trunc i64 %v5 to i32
  %v197 = add i64 -1, %row
  %v198 = call i64 @llvm.smax.i64(i64 %v197, i64 0)
  %v199 = call i64 @llvm.smin.i64(i64 %v198, i64 %v53)
  %v200 = mul i64 %v199, %v48
  %v201 = mul i64 %v5, 4
  %v202 = add i64 %v200, %v201
  %v203 = add i64 %v202, 1
  %v204 = getelementptr inbounds i8, ptr %v60, i64 %v203
  %v205 = load i8, ptr %v204, align 1, !llvm.access.group !0, !alias.scope !4
  %v206 = zext i8 %v205 to i32
  %v207 = sitofp i32 %v206 to float
  %v208 = fmul contract float %v192, %v207
  %v209 = fadd contract float 0x0000000000000000, %v208
  %v210 = fdiv float 0x0000000000000000, %v11
  %v211 = fmul contract float %v210, %v210
  %v212 = fmul contract float 0xBFE0000000000000, %v211
  %v213 = fcmp olt float %v212, 0xC05A400000000000
  %v214 = select i1 %v213, float 0xC05A400000000000, float %v212
  %v215 = fcmp ogt float %v214, 0x4056C00000000000
  %v216 = select i1 %v215, float 0x4056C00000000000, float %v214
  %v217 = call float @llvm.fmuladd.f32(float %v216, float 0x3FF7154760000000, float 0x4168000000000000)
  %v218 = fsub contract float %v217, 0x4168000000000000
  %v219 = bitcast float %v217 to i32
  %v220 = sub i32 %v219, 1262485504
  %v221 = call float @llvm.fmuladd.f32(float %v218, float 0xBFE6300000000000, float %v216)
  %v222 = call float @llvm.fmuladd.f32(float %v218, float 0x3F2BD01060000000, float %v221)
  %v223 = call float @llvm.fmuladd.f32(float %v222, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v224 = call float @llvm.fmuladd.f32(float %v223, float %v222, float 0x3F81110C60000000)
  %v225 = call float @llvm.fmuladd.f32(float %v224, float %v222, float 0x3FA5554EA0000000)
  %v226 = call float @llvm.fmuladd.f32(float %v225, float %v222, float 0x3FC5555560000000)
  %v227 = call float @llvm.fmuladd.f32(float %v226, float %v222, float 0x3FE0000000000000)
  %v228 = fmul contract float %v222, %v222
  %v229 = call float @llvm.fmuladd.f32(float %v227, float %v228, float %v222)
  %v230 = fadd contract float %v229, 0x3FF0000000000000
  %v231 = add i32 %v220, 0
  %v232 = ashr i32 %v231, 1
  %v233 = add i32 %v232, 127
  %v234 = shl i32 %v233, 23
  %v235 = bitcast i32 %v234 to float
  %v236 = fmul contract float %v230, %v235
  %v237 = sub i32 %v231, %v232
  %v238 = add i32 %v237, 127
  %v239 = shl i32 %v238, 23
  %v240 = bitcast i32 %v239 to float
  %v241 = fmul contract float %v236, %v240
  %v242 = fadd contract float %v193, %v241
  %v243 = trunc i64 %row to i32
  %v244 = trunc i64 %v5 to i32
  %v245 = mul i64 %row, %v48
  %v246 = mul i64 %v5, 4
  %v247 = add i64 %v245, %v246
  %v248 = add i64 %v247, 1
  %v249 = getelementptr inbounds i8, ptr %v60, i64 %v248
  %v250 = load i8, ptr %v249, align 1, !llvm.access.group !0, !alias.scope !4
  %v251 = zext i8 %v250 to i32
  %v252 = sitofp i32 %v251 to float
  %v253 = fmul contract float %v241, %v252
  %v254 = fadd contract float %v209, %v253
  %v255 = fdiv float 0x3FF0000000000000, %v11
  %v256 = fmul contract float %v255, %v255
  %v257 = fmul contract float 0xBFE0000000000000, %v256
  %v258 = fcmp olt float %v257, 0xC05A400000000000
  %v259 = select i1 %v258, float 0xC05A400000000000, float %v257
  %v260 = fcmp ogt float %v259, 0x4056C00000000000
  %v261 = select i1 %v260, float 0x4056C00000000000, float %v259
  %v262 = call float @llvm.fmuladd.f32(float %v261, float 0x3FF7154760000000, float 0x4168000000000000)
  %v263 = fsub contract float %v262, 0x4168000000000000
  %v264 = bitcast float %v262 to i32
  %v265 = sub i32 %v264, 1262485504
  %v266 = call float @llvm.fmuladd.f32(float %v263, float 0xBFE6300000000000, float %v261)
  %v267 = call float @llvm.fmuladd.f32(float %v263, float 0x3F2BD01060000000, float %v266)
  %v268 = call float @llvm.fmuladd.f32(float %v267, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v269 = call float @llvm.fmuladd.f32(float %v268, float %v267, float 0x3F81110C60000000)
  %v270 = call float @llvm.fmuladd.f32(float %v269, float %v267, float 0x3FA5554EA0000000)
  %v271 = call float @llvm.fmuladd.f32(float %v270, float %v267, float 0x3FC5555560000000)
  %v272 = call float @llvm.fmuladd.f32(float %v271, float %v267, float 0x3FE0000000000000)
  %v273 = fmul contract float %v267, %v267
  %v274 = call float @llvm.fmuladd.f32(float %v272, float %v273, float %v267)
  %v275 = fadd contract float %v274, 0x3FF0000000000000
  %v276 = add i32 %v265, 0
  %v277 = ashr i32 %v276, 1
  %v278 = add i32 %v277, 127
  %v279 = shl i32 %v278, 23
  %v280 = bitcast i32 %v279 to float
  %v281 = fmul contract float %v275, %v280
  %v282 = sub i32 %v276, %v277
  %v283 = add i32 %v282, 127
  %v284 = shl i32 %v283, 23
  %v285 = bitcast i32 %v284 to float
  %v286 = fmul contract float %v281, %v285
  %v287 = fadd contract float %v242, %v286
  %v288 = trunc i64 %row to i32
  %v289 = add i32 %v288, 1
  %v290 = trunc i64 %v5 to i32
  %v291 = add i64 1, %row
  %v292 = call i64 @llvm.smax.i64(i64 %v291, i64 0)
  %v293 = call i64 @llvm.smin.i64(i64 %v292, i64 %v53)
  %v294 = mul i64 %v293, %v48
  %v295 = mul i64 %v5, 4
  %v296 = add i64 %v294, %v295
  %v297 = add i64 %v296, 1
  %v298 = getelementptr inbounds i8, ptr %v60, i64 %v297
  %v299 = load i8, ptr %v298, align 1, !llvm.access.group !0, !alias.scope !4
  %v300 = zext i8 %v299 to i32
  %v301 = sitofp i32 %v300 to float
  %v302 = fmul contract float %v286, %v301
  %v303 = fadd contract float %v254, %v302
  %v304 = fdiv float 0x3FF0000000000000, %v287
  %v305 = fmul contract float %v303, %v304
  %v306 = fdiv float 0xBFF0000000000000, %v11
  %v307 = fmul contract float %v306, %v306
  %v308 = fmul contract float 0xBFE0000000000000, %v307
  %v309 = fcmp olt float %v308, 0xC05A400000000000
  %v310 = select i1 %v309, float 0xC05A400000000000, float %v308
  %v311 = fcmp ogt float %v310, 0x4056C00000000000
  %v312 = select i1 %v311, float 0x4056C00000000000, float %v310
  %v313 = call float @llvm.fmuladd.f32(float %v312, float 0x3FF7154760000000, float 0x4168000000000000)
  %v314 = fsub contract float %v313, 0x4168000000000000
  %v315 = bitcast float %v313 to i32
  %v316 = sub i32 %v315, 1262485504
  %v317 = call float @llvm.fmuladd.f32(float %v314, float 0xBFE6300000000000, float %v312)
  %v318 = call float @llvm.fmuladd.f32(float %v314, float 0x3F2BD01060000000, float %v317)
  %v319 = call float @llvm.fmuladd.f32(float %v318, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v320 = call float @llvm.fmuladd.f32(float %v319, float %v318, float 0x3F81110C60000000)
  %v321 = call float @llvm.fmuladd.f32(float %v320, float %v318, float 0x3FA5554EA0000000)
  %v322 = call float @llvm.fmuladd.f32(float %v321, float %v318, float 0x3FC5555560000000)
  %v323 = call float @llvm.fmuladd.f32(float %v322, float %v318, float 0x3FE0000000000000)
  %v324 = fmul contract float %v318, %v318
  %v325 = call float @llvm.fmuladd.f32(float %v323, float %v324, float %v318)
  %v326 = fadd contract float %v325, 0x3FF0000000000000
  %v327 = add i32 %v316, 0
  %v328 = ashr i32 %v327, 1
  %v329 = add i32 %v328, 127
  %v330 = shl i32 %v329, 23
  %v331 = bitcast i32 %v330 to float
  %v332 = fmul contract float %v326, %v331
  %v333 = sub i32 %v327, %v328
  %v334 = add i32 %v333, 127
  %v335 = shl i32 %v334, 23
  %v336 = bitcast i32 %v335 to float
  %v337 = fmul contract float %v332, %v336
  %v338 = fadd contract float 0x0000000000000000, %v337
  %v339 = trunc i64 %row to i32
  %v340 = add i32 %v339, -1
  %v341 = trunc i64 %v5 to i32
  %v342 = add i64 -1, %row
  %v343 = call i64 @llvm.smax.i64(i64 %v342, i64 0)
  %v344 = call i64 @llvm.smin.i64(i64 %v343, i64 %v53)
  %v345 = mul i64 %v344, %v48
  %v346 = mul i64 %v5, 4
  %v347 = add i64 %v345, %v346
  %v348 = add i64 %v347, 2
  %v349 = getelementptr inbounds i8, ptr %v60, i64 %v348
  %v350 = load i8, ptr %v349, align 1, !llvm.access.group !0, !alias.scope !4
  %v351 = zext i8 %v350 to i32
  %v352 = sitofp i32 %v351 to float
  %v353 = fmul contract float %v337, %v352
  %v354 = fadd contract float 0x0000000000000000, %v353
  %v355 = fdiv float 0x0000000000000000, %v11
  %v356 = fmul contract float %v355, %v355
  %v357 = fmul contract float 0xBFE0000000000000, %v356
  %v358 = fcmp olt float %v357, 0xC05A400000000000
  %v359 = select i1 %v358, float 0xC05A400000000000, float %v357
  %v360 = fcmp ogt float %v359, 0x4056C00000000000
  %v361 = select i1 %v360, float 0x4056C00000000000, float %v359
  %v362 = call float @llvm.fmuladd.f32(float %v361, float 0x3FF7154760000000, float 0x4168000000000000)
  %v363 = fsub contract float %v362, 0x4168000000000000
  %v364 = bitcast float %v362 to i32
  %v365 = sub i32 %v364, 1262485504
  %v366 = call float @llvm.fmuladd.f32(float %v363, float 0xBFE6300000000000, float %v361)
  %v367 = call float @llvm.fmuladd.f32(float %v363, float 0x3F2BD01060000000, float %v366)
  %v368 = call float @llvm.fmuladd.f32(float %v367, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v369 = call float @llvm.fmuladd.f32(float %v368, float %v367, float 0x3F81110C60000000)
  %v370 = call float @llvm.fmuladd.f32(float %v369, float %v367, float 0x3FA5554EA0000000)
  %v371 = call float @llvm.fmuladd.f32(float %v370, float %v367, float 0x3FC5555560000000)
  %v372 = call float @llvm.fmuladd.f32(float %v371, float %v367, float 0x3FE0000000000000)
  %v373 = fmul contract float %v367, %v367
  %v374 = call float @llvm.fmuladd.f32(float %v372, float %v373, float %v367)
  %v375 = fadd contract float %v374, 0x3FF0000000000000
  %v376 = add i32 %v365, 0
  %v377 = ashr i32 %v376, 1
  %v378 = add i32 %v377, 127
  %v379 = shl i32 %v378, 23
  %v380 = bitcast i32 %v379 to float
  %v381 = fmul contract float %v375, %v380
  %v382 = sub i32 %v376, %v377
  %v383 = add i32 %v382, 127
  %v384 = shl i32 %v383, 23
  %v385 = bitcast i32 %v384 to float
  %v386 = fmul contract float %v381, %v385
  %v387 = fadd contract float %v338, %v386
  %v388 = trunc i64 %row to i32
  %v389 = trunc i64 %v5 to i32
  %v390 = mul i64 %row, %v48
  %v391 = mul i64 %v5, 4
  %v392 = add i64 %v390, %v391
  %v393 = add i64 %v392, 2
  %v394 = getelementptr inbounds i8, ptr %v60, i64 %v393
  %v395 = load i8, ptr %v394, align 1, !llvm.access.group !0, !alias.scope !4
  %v396 = zext i8 %v395 to i32
  %v397 = sitofp i32 %v396 to float
  %v398 = fmul contract float %v386, %v397
  %v399 = fadd contract float %v354, %v398
  %v400 = fdiv float 0x3FF0000000000000, %v11
  %v401 = fmul contract float %v400, %v400
  %v402 = fmul contract float 0xBFE0000000000000, %v401
  %v403 = fcmp olt float %v402, 0xC05A400000000000
  %v404 = select i1 %v403, float 0xC05A400000000000, float %v402
  %v405 = fcmp ogt float %v404, 0x4056C00000000000
  %v406 = select i1 %v405, float 0x4056C00000000000, float %v404
  %v407 = call float @llvm.fmuladd.f32(float %v406, float 0x3FF7154760000000, float 0x4168000000000000)
  %v408 = fsub contract float %v407, 0x4168000000000000
  %v409 = bitcast float %v407 to i32
  %v410 = sub i32 %v409, 1262485504
  %v411 = call float @llvm.fmuladd.f32(float %v408, float 0xBFE6300000000000, float %v406)
  %v412 = call float @llvm.fmuladd.f32(float %v408, float 0x3F2BD01060000000, float %v411)
  %v413 = call float @llvm.fmuladd.f32(float %v412, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v414 = call float @llvm.fmuladd.f32(float %v413, float %v412, float 0x3F81110C60000000)
  %v415 = call float @llvm.fmuladd.f32(float %v414, float %v412, float 0x3FA5554EA0000000)
  %v416 = call float @llvm.fmuladd.f32(float %v415, float %v412, float 0x3FC5555560000000)
  %v417 = call float @llvm.fmuladd.f32(float %v416, float %v412, float 0x3FE0000000000000)
  %v418 = fmul contract float %v412, %v412
  %v419 = call float @llvm.fmuladd.f32(float %v417, float %v418, float %v412)
  %v420 = fadd contract float %v419, 0x3FF0000000000000
  %v421 = add i32 %v410, 0
  %v422 = ashr i32 %v421, 1
  %v423 = add i32 %v422, 127
  %v424 = shl i32 %v423, 23
  %v425 = bitcast i32 %v424 to float
  %v426 = fmul contract float %v420, %v425
  %v427 = sub i32 %v421, %v422
  %v428 = add i32 %v427, 127
  %v429 = shl i32 %v428, 23
  %v430 = bitcast i32 %v429 to float
  %v431 = fmul contract float %v426, %v430
  %v432 = fadd contract float %v387, %v431
  %v433 = trunc i64 %row to i32
  %v434 = add i32 %v433, 1
  %v435 = trunc i64 %v5 to i32
  %v436 = add i64 1, %row
  %v437 = call i64 @llvm.smax.i64(i64 %v436, i64 0)
  %v438 = call i64 @llvm.smin.i64(i64 %v437, i64 %v53)
  %v439 = mul i64 %v438, %v48
  %v440 = mul i64 %v5, 4
  %v441 = add i64 %v439, %v440
  %v442 = add i64 %v441, 2
  %v443 = getelementptr inbounds i8, ptr %v60, i64 %v442
  %v444 = load i8, ptr %v443, align 1, !llvm.access.group !0, !alias.scope !4
  %v445 = zext i8 %v444 to i32
  %v446 = sitofp i32 %v445 to float
  %v447 = fmul contract float %v431, %v446
  %v448 = fadd contract float %v399, %v447
  %v449 = fdiv float 0x3FF0000000000000, %v432
  %v450 = fmul contract float %v448, %v449
  %v451 = fdiv float 0xBFF0000000000000, %v11
  %v452 = fmul contract float %v451, %v451
  %v453 = fmul contract float 0xBFE0000000000000, %v452
  %v454 = fcmp olt float %v453, 0xC05A400000000000
  %v455 = select i1 %v454, float 0xC05A400000000000, float %v453
  %v456 = fcmp ogt float %v455, 0x4056C00000000000
  %v457 = select i1 %v456, float 0x4056C00000000000, float %v455
  %v458 = call float @llvm.fmuladd.f32(float %v457, float 0x3FF7154760000000, float 0x4168000000000000)
  %v459 = fsub contract float %v458, 0x4168000000000000
  %v460 = bitcast float %v458 to i32
  %v461 = sub i32 %v460, 1262485504
  %v462 = call float @llvm.fmuladd.f32(float %v459, float 0xBFE6300000000000, float %v457)
  %v463 = call float @llvm.fmuladd.f32(float %v459, float 0x3F2BD01060000000, float %v462)
  %v464 = call float @llvm.fmuladd.f32(float %v463, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v465 = call float @llvm.fmuladd.f32(float %v464, float %v463, float 0x3F81110C60000000)
  %v466 = call float @llvm.fmuladd.f32(float %v465, float %v463, float 0x3FA5554EA0000000)
  %v467 = call float @llvm.fmuladd.f32(float %v466, float %v463, float 0x3FC5555560000000)
  %v468 = call float @llvm.fmuladd.f32(float %v467, float %v463, float 0x3FE0000000000000)
  %v469 = fmul contract float %v463, %v463
  %v470 = call float @llvm.fmuladd.f32(float %v468, float %v469, float %v463)
  %v471 = fadd contract float %v470, 0x3FF0000000000000
  %v472 = add i32 %v461, 0
  %v473 = ashr i32 %v472, 1
  %v474 = add i32 %v473, 127
  %v475 = shl i32 %v474, 23
  %v476 = bitcast i32 %v475 to float
  %v477 = fmul contract float %v471, %v476
  %v478 = sub i32 %v472, %v473
  %v479 = add i32 %v478, 127
  %v480 = shl i32 %v479, 23
  %v481 = bitcast i32 %v480 to float
  %v482 = fmul contract float %v477, %v481
  %v483 = fadd contract float 0x0000000000000000, %v482
  %v484 = trunc i64 %row to i32
  %v485 = add i32 %v484, -1
  %v486 = trunc i64 %v5 to i32
  %v487 = add i64 -1, %row
  %v488 = call i64 @llvm.smax.i64(i64 %v487, i64 0)
  %v489 = call i64 @llvm.smin.i64(i64 %v488, i64 %v53)
  %v490 = mul i64 %v489, %v48
  %v491 = mul i64 %v5, 4
  %v492 = add i64 %v490, %v491
  %v493 = add i64 %v492, 3
  %v494 = getelementptr inbounds i8, ptr %v60, i64 %v493
  %v495 = load i8, ptr %v494, align 1, !llvm.access.group !0, !alias.scope !4
  %v496 = zext i8 %v495 to i32
  %v497 = sitofp i32 %v496 to float
  %v498 = fmul contract float %v482, %v497
  %v499 = fadd contract float 0x0000000000000000, %v498
  %v500 = fdiv float 0x0000000000000000, %v11
  %v501 = fmul contract float %v500, %v500
  %v502 = fmul contract float 0xBFE0000000000000, %v501
  %v503 = fcmp olt float %v502, 0xC05A400000000000
  %v504 = select i1 %v503, float 0xC05A400000000000, float %v502
  %v505 = fcmp ogt float %v504, 0x4056C00000000000
  %v506 = select i1 %v505, float 0x4056C00000000000, float %v504
  %v507 = call float @llvm.fmuladd.f32(float %v506, float 0x3FF7154760000000, float 0x4168000000000000)
  %v508 = fsub contract float %v507, 0x4168000000000000
  %v509 = bitcast float %v507 to i32
  %v510 = sub i32 %v509, 1262485504
  %v511 = call float @llvm.fmuladd.f32(float %v508, float 0xBFE6300000000000, float %v506)
  %v512 = call float @llvm.fmuladd.f32(float %v508, float 0x3F2BD01060000000, float %v511)
  %v513 = call float @llvm.fmuladd.f32(float %v512, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v514 = call float @llvm.fmuladd.f32(float %v513, float %v512, float 0x3F81110C60000000)
  %v515 = call float @llvm.fmuladd.f32(float %v514, float %v512, float 0x3FA5554EA0000000)
  %v516 = call float @llvm.fmuladd.f32(float %v515, float %v512, float 0x3FC5555560000000)
  %v517 = call float @llvm.fmuladd.f32(float %v516, float %v512, float 0x3FE0000000000000)
  %v518 = fmul contract float %v512, %v512
  %v519 = call float @llvm.fmuladd.f32(float %v517, float %v518, float %v512)
  %v520 = fadd contract float %v519, 0x3FF0000000000000
  %v521 = add i32 %v510, 0
  %v522 = ashr i32 %v521, 1
  %v523 = add i32 %v522, 127
  %v524 = shl i32 %v523, 23
  %v525 = bitcast i32 %v524 to float
  %v526 = fmul contract float %v520, %v525
  %v527 = sub i32 %v521, %v522
  %v528 = add i32 %v527, 127
  %v529 = shl i32 %v528, 23
  %v530 = bitcast i32 %v529 to float
  %v531 = fmul contract float %v526, %v530
  %v532 = fadd contract float %v483, %v531
  %v533 = trunc i64 %row to i32
  %v534 = trunc i64 %v5 to i32
  %v535 = mul i64 %row, %v48
  %v536 = mul i64 %v5, 4
  %v537 = add i64 %v535, %v536
  %v538 = add i64 %v537, 3
  %v539 = getelementptr inbounds i8, ptr %v60, i64 %v538
  %v540 = load i8, ptr %v539, align 1, !llvm.access.group !0, !alias.scope !4
  %v541 = zext i8 %v540 to i32
  %v542 = sitofp i32 %v541 to float
  %v543 = fmul contract float %v531, %v542
  %v544 = fadd contract float %v499, %v543
  %v545 = fdiv float 0x3FF0000000000000, %v11
  %v546 = fmul contract float %v545, %v545
  %v547 = fmul contract float 0xBFE0000000000000, %v546
  %v548 = fcmp olt float %v547, 0xC05A400000000000
  %v549 = select i1 %v548, float 0xC05A400000000000, float %v547
  %v550 = fcmp ogt float %v549, 0x4056C00000000000
  %v551 = select i1 %v550, float 0x4056C00000000000, float %v549
  %v552 = call float @llvm.fmuladd.f32(float %v551, float 0x3FF7154760000000, float 0x4168000000000000)
  %v553 = fsub contract float %v552, 0x4168000000000000
  %v554 = bitcast float %v552 to i32
  %v555 = sub i32 %v554, 1262485504
  %v556 = call float @llvm.fmuladd.f32(float %v553, float 0xBFE6300000000000, float %v551)
  %v557 = call float @llvm.fmuladd.f32(float %v553, float 0x3F2BD01060000000, float %v556)
  %v558 = call float @llvm.fmuladd.f32(float %v557, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v559 = call float @llvm.fmuladd.f32(float %v558, float %v557, float 0x3F81110C60000000)
  %v560 = call float @llvm.fmuladd.f32(float %v559, float %v557, float 0x3FA5554EA0000000)
  %v561 = call float @llvm.fmuladd.f32(float %v560, float %v557, float 0x3FC5555560000000)
  %v562 = call float @llvm.fmuladd.f32(float %v561, float %v557, float 0x3FE0000000000000)
  %v563 = fmul contract float %v557, %v557
  %v564 = call float @llvm.fmuladd.f32(float %v562, float %v563, float %v557)
  %v565 = fadd contract float %v564, 0x3FF0000000000000
  %v566 = add i32 %v555, 0
  %v567 = ashr i32 %v566, 1
  %v568 = add i32 %v567, 127
  %v569 = shl i32 %v568, 23
  %v570 = bitcast i32 %v569 to float
  %v571 = fmul contract float %v565, %v570
  %v572 = sub i32 %v566, %v567
  %v573 = add i32 %v572, 127
  %v574 = shl i32 %v573, 23
  %v575 = bitcast i32 %v574 to float
  %v576 = fmul contract float %v571, %v575
  %v577 = fadd contract float %v532, %v576
  %v578 = trunc i64 %row to i32
  %v579 = add i32 %v578, 1
  %v580 = trunc i64 %v5 to i32
  %v581 = add i64 1, %row
  %v582 = call i64 @llvm.smax.i64(i64 %v581, i64 0)
  %v583 = call i64 @llvm.smin.i64(i64 %v582, i64 %v53)
  %v584 = mul i64 %v583, %v48
  %v585 = mul i64 %v5, 4
  %v586 = add i64 %v584, %v585
  %v587 = add i64 %v586, 3
  %v588 = getelementptr inbounds i8, ptr %v60, i64 %v587
  %v589 = load i8, ptr %v588, align 1, !llvm.access.group !0, !alias.scope !4
  %v590 = zext i8 %v589 to i32
  %v591 = sitofp i32 %v590 to float
  %v592 = fmul contract float %v576, %v591
  %v593 = fadd contract float %v544, %v592
  %v594 = fdiv float 0x3FF0000000000000, %v577
  %v595 = fmul contract float %v593, %v594
  %v596 = mul i64 %v8, 4
  %v599 = getelementptr inbounds float, ptr %v598, i64 %v596
  store float %v160, ptr %v599, align 4, !noalias !4, !llvm.access.group !0
  %v600 = add i64 %v596, 1
  %v601 = getelementptr inbounds float, ptr %v598, i64 %v600
  store float %v305, ptr %v601, align 4, !noalias !4, !llvm.access.group !0
  %v602 = add i64 %v596, 2
  %v603 = getelementptr inbounds float, ptr %v598, i64 %v602
  store float %v450, ptr %v603, align 4, !noalias !4, !llvm.access.group !0
  %v604 = add i64 %v596, 3
  %v605 = getelementptr inbounds float, ptr %v598, i64 %v604
  store float %v595, ptr %v605, align 4, !noalias !4, !llvm.access.group !0
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
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}

declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 3
  %v10 = load double, ptr %v9, align 8
  %v11 = fptrunc double %v10 to float
  %v48 = mul i64 %v2, 4
  %v51 = add i64 %v2, -1
  %v52 = call i64 @llvm.smax.i64(i64 %v51, i64 0)
  %v57 = getelementptr inbounds i64, ptr %block, i64 2
  %v58 = load ptr, ptr %v57, align 8
  %v578 = getelementptr inbounds i64, ptr %block, i64 1
  %v579 = load ptr, ptr %v578, align 8
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
  %v12 = fdiv float 0xBFF0000000000000, %v11
  %v13 = fmul contract float %v12, %v12
  %v14 = fmul contract float 0xBFE0000000000000, %v13
  %v15 = fcmp olt float %v14, 0xC05A400000000000
  %v16 = select i1 %v15, float 0xC05A400000000000, float %v14
  %v17 = fcmp ogt float %v16, 0x4056C00000000000
  %v18 = select i1 %v17, float 0x4056C00000000000, float %v16
  %v19 = call float @llvm.fmuladd.f32(float %v18, float 0x3FF7154760000000, float 0x4168000000000000)
  %v20 = fsub contract float %v19, 0x4168000000000000
  %v21 = bitcast float %v19 to i32
  %v22 = sub i32 %v21, 1262485504
  %v23 = call float @llvm.fmuladd.f32(float %v20, float 0xBFE6300000000000, float %v18)
  %v24 = call float @llvm.fmuladd.f32(float %v20, float 0x3F2BD01060000000, float %v23)
  %v25 = call float @llvm.fmuladd.f32(float %v24, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float %v24, float 0x3F81110C60000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v24, float 0x3FA5554EA0000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v24, float 0x3FC5555560000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v24, float 0x3FE0000000000000)
  %v30 = fmul contract float %v24, %v24
  %v31 = call float @llvm.fmuladd.f32(float %v29, float %v30, float %v24)
  %v32 = fadd contract float %v31, 0x3FF0000000000000
  %v33 = add i32 %v22, 0
  %v34 = ashr i32 %v33, 1
  %v35 = add i32 %v34, 127
  %v36 = shl i32 %v35, 23
  %v37 = bitcast i32 %v36 to float
  %v38 = fmul contract float %v32, %v37
  %v39 = sub i32 %v33, %v34
  %v40 = add i32 %v39, 127
  %v41 = shl i32 %v40, 23
  %v42 = bitcast i32 %v41 to float
  %v43 = fmul contract float %v38, %v42
  %v44 = fadd contract float 0x0000000000000000, %v43
  %v45 = trunc i64 %row to i32
  %v46 = trunc i64 %v5 to i32
  %v47 = add i32 %v46, -1
  %v49 = mul i64 %row, %v48
  %v50 = add i64 -1, %v5
  %v53 = call i64 @llvm.smax.i64(i64 %v50, i64 0)
  %v54 = call i64 @llvm.smin.i64(i64 %v53, i64 %v52)
  %v55 = mul i64 %v54, 4
  %v56 = add i64 %v49, %v55
  %v59 = getelementptr inbounds float, ptr %v58, i64 %v56
  %v60 = load float, ptr %v59, align 4, !llvm.access.group !0, !alias.scope !4
  %v61 = fmul contract float %v43, %v60
  %v62 = fadd contract float 0x0000000000000000, %v61
  %v63 = fdiv float 0x0000000000000000, %v11
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
  %v95 = fadd contract float %v44, %v94
  %v96 = trunc i64 %row to i32
  %v97 = trunc i64 %v5 to i32
  %v98 = mul i64 %row, %v48
  %v99 = mul i64 %v5, 4
  %v100 = add i64 %v98, %v99
  %v101 = getelementptr inbounds float, ptr %v58, i64 %v100
  %v102 = load float, ptr %v101, align 4, !llvm.access.group !0, !alias.scope !4
  %v103 = fmul contract float %v94, %v102
  %v104 = fadd contract float %v62, %v103
  %v105 = fdiv float 0x3FF0000000000000, %v11
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
  %v141 = mul i64 %row, %v48
  %v142 = add i64 1, %v5
  %v143 = call i64 @llvm.smax.i64(i64 %v142, i64 0)
  %v144 = call i64 @llvm.smin.i64(i64 %v143, i64 %v52)
  %v145 = mul i64 %v144, 4
  %v146 = add i64 %v141, %v145
  %v147 = getelementptr inbounds float, ptr %v58, i64 %v146
  %v148 = load float, ptr %v147, align 4, !llvm.access.group !0, !alias.scope !4
  %v149 = fmul contract float %v136, %v148
  %v150 = fadd contract float %v104, %v149
  %v151 = fdiv float 0x3FF0000000000000, %v137
  %v152 = fmul contract float %v150, %v151
  %v153 = fdiv float 0xBFF0000000000000, %v11
  %v154 = fmul contract float %v153, %v153
  %v155 = fmul contract float 0xBFE0000000000000, %v154
  %v156 = fcmp olt float %v155, 0xC05A400000000000
  %v157 = select i1 %v156, float 0xC05A400000000000, float %v155
  %v158 = fcmp ogt float %v157, 0x4056C00000000000
  %v159 = select i1 %v158, float 0x4056C00000000000, float %v157
  %v160 = call float @llvm.fmuladd.f32(float %v159, float 0x3FF7154760000000, float 0x4168000000000000)
  %v161 = fsub contract float %v160, 0x4168000000000000
  %v162 = bitcast float %v160 to i32
  %v163 = sub i32 %v162, 1262485504
  %v164 = call float @llvm.fmuladd.f32(float %v161, float 0xBFE6300000000000, float %v159)
  %v165 = call float @llvm.fmuladd.f32(float %v161, float 0x3F2BD01060000000, float %v164)
  %v166 = call float @llvm.fmuladd.f32(float %v165, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v167 = call float @llvm.fmuladd.f32(float %v166, float %v165, float 0x3F81110C60000000)
  %v168 = call float @llvm.fmuladd.f32(float %v167, float %v165, float 0x3FA5554EA0000000)
  %v169 = call float @llvm.fmuladd.f32(float %v168, float %v165, float 0x3FC5555560000000)
  %v170 = call float @llvm.fmuladd.f32(float %v169, float %v165, float 0x3FE0000000000000)
  %v171 = fmul contract float %v165, %v165
  %v172 = call float @llvm.fmuladd.f32(float %v170, float %v171, float %v165)
  %v173 = fadd contract float %v172, 0x3FF0000000000000
  %v174 = add i32 %v163, 0
  %v175 = ashr i32 %v174, 1
  %v176 = add i32 %v175, 127
  %v177 = shl i32 %v176, 23
  %v178 = bitcast i32 %v177 to float
  %v179 = fmul contract float %v173, %v178
  %v180 = sub i32 %v174, %v175
  %v181 = add i32 %v180, 127
  %v182 = shl i32 %v181, 23
  %v183 = bitcast i32 %v182 to float
  %v184 = fmul contract float %v179, %v183
  %v185 = fadd contract float 0x0000000000000000, %v184
  %v186 = trunc i64 %row to i32
  %v187 = trunc i64 %v5 to i32
  %v188 = add i32 %v187, -1
  %v189 = mul i64 %row, %v48
  %v190 = add i64 -1, %v5
  %v191 = call i64 @llvm.smax.i64(i64 %v190, i64 0)
  %v192 = call i64 @llvm.smin.i64(i64 %v191, i64 %v52)
  %v193 = mul i64 %v192, 4
  %v194 = add i64 %v189, %v193
  %v195 = add i64 %v194, 1
  %v196 = getelementptr inbounds float, ptr %v58, i64 %v195
  %v197 = load float, ptr %v196, align 4, !llvm.access.group !0, !alias.scope !4
  %v198 = fmul contract float %v184, %v197
  %v199 = fadd contract float 0x0000000000000000, %v198
  %v200 = fdiv float 0x0000000000000000, %v11
  %v201 = fmul contract float %v200, %v200
  %v202 = fmul contract float 0xBFE0000000000000, %v201
  %v203 = fcmp olt float %v202, 0xC05A400000000000
  %v204 = select i1 %v203, float 0xC05A400000000000, float %v202
  %v205 = fcmp ogt float %v204, 0x4056C00000000000
  %v206 = select i1 %v205, float 0x4056C00000000000, float %v204
  %v207 = call float @llvm.fmuladd.f32(float %v206, float 0x3FF7154760000000, float 0x4168000000000000)
  %v208 = fsub contract float %v207, 0x4168000000000000
  %v209 = bitcast float %v207 to i32
  %v210 = sub i32 %v209, 1262485504
  %v211 = call float @llvm.fmuladd.f32(float %v208, float 0xBFE6300000000000, float %v206)
  %v212 = call float @llvm.fmuladd.f32(float %v208, float 0x3F2BD01060000000, float %v211)
  %v213 = call float @llvm.fmuladd.f32(float %v212, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v214 = call float @llvm.fmuladd.f32(float %v213, float %v212, float 0x3F81110C60000000)
  %v215 = call float @llvm.fmuladd.f32(float %v214, float %v212, float 0x3FA5554EA0000000)
  %v216 = call float @llvm.fmuladd.f32(float %v215, float %v212, float 0x3FC5555560000000)
  %v217 = call float @llvm.fmuladd.f32(float %v216, float %v212, float 0x3FE0000000000000)
  %v218 = fmul contract float %v212, %v212
  %v219 = call float @llvm.fmuladd.f32(float %v217, float %v218, float %v212)
  %v220 = fadd contract float %v219, 0x3FF0000000000000
  %v221 = add i32 %v210, 0
  %v222 = ashr i32 %v221, 1
  %v223 = add i32 %v222, 127
  %v224 = shl i32 %v223, 23
  %v225 = bitcast i32 %v224 to float
  %v226 = fmul contract float %v220, %v225
  %v227 = sub i32 %v221, %v222
  %v228 = add i32 %v227, 127
  %v229 = shl i32 %v228, 23
  %v230 = bitcast i32 %v229 to float
  %v231 = fmul contract float %v226, %v230
  %v232 = fadd contract float %v185, %v231
  %v233 = trunc i64 %row to i32
  %v234 = trunc i64 %v5 to i32
  %v235 = mul i64 %row, %v48
  %v236 = mul i64 %v5, 4
  %v237 = add i64 %v235, %v236
  %v238 = add i64 %v237, 1
  %v239 = getelementptr inbounds float, ptr %v58, i64 %v238
  %v240 = load float, ptr %v239, align 4, !llvm.access.group !0, !alias.scope !4
  %v241 = fmul contract float %v231, %v240
  %v242 = fadd contract float %v199, %v241
  %v243 = fdiv float 0x3FF0000000000000, %v11
  %v244 = fmul contract float %v243, %v243
  %v245 = fmul contract float 0xBFE0000000000000, %v244
  %v246 = fcmp olt float %v245, 0xC05A400000000000
  %v247 = select i1 %v246, float 0xC05A400000000000, float %v245
  %v248 = fcmp ogt float %v247, 0x4056C00000000000
  %v249 = select i1 %v248, float 0x4056C00000000000, float %v247
  %v250 = call float @llvm.fmuladd.f32(float %v249, float 0x3FF7154760000000, float 0x4168000000000000)
  %v251 = fsub contract float %v250, 0x4168000000000000
  %v252 = bitcast float %v250 to i32
  %v253 = sub i32 %v252, 1262485504
  %v254 = call float @llvm.fmuladd.f32(float %v251, float 0xBFE6300000000000, float %v249)
  %v255 = call float @llvm.fmuladd.f32(float %v251, float 0x3F2BD01060000000, float %v254)
  %v256 = call float @llvm.fmuladd.f32(float %v255, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v257 = call float @llvm.fmuladd.f32(float %v256, float %v255, float 0x3F81110C60000000)
  %v258 = call float @llvm.fmuladd.f32(float %v257, float %v255, float 0x3FA5554EA0000000)
  %v259 = call float @llvm.fmuladd.f32(float %v258, float %v255, float 0x3FC5555560000000)
  %v260 = call float @llvm.fmuladd.f32(float %v259, float %v255, float 0x3FE0000000000000)
  %v261 = fmul contract float %v255, %v255
  %v262 = call float @llvm.fmuladd.f32(float %v260, float %v261, float %v255)
  %v263 = fadd contract float %v262, 0x3FF0000000000000
  %v264 = add i32 %v253, 0
  %v265 = ashr i32 %v264, 1
  %v266 = add i32 %v265, 127
  %v267 = shl i32 %v266, 23
  %v268 = bitcast i32 %v267 to float
  %v269 = fmul contract float %v263, %v268
  %v270 = sub i32 %v264, %v265
  %v271 = add i32 %v270, 127
  %v272 = shl i32 %v271, 23
  %v273 = bitcast i32 %v272 to float
  %v274 = fmul contract float %v269, %v273
  %v275 = fadd contract float %v232, %v274
  %v276 = trunc i64 %row to i32
  %v277 = trunc i64 %v5 to i32
  %v278 = add i32 %v277, 1
  %v279 = mul i64 %row, %v48
  %v280 = add i64 1, %v5
  %v281 = call i64 @llvm.smax.i64(i64 %v280, i64 0)
  %v282 = call i64 @llvm.smin.i64(i64 %v281, i64 %v52)
  %v283 = mul i64 %v282, 4
  %v284 = add i64 %v279, %v283
  %v285 = add i64 %v284, 1
  %v286 = getelementptr inbounds float, ptr %v58, i64 %v285
  %v287 = load float, ptr %v286, align 4, !llvm.access.group !0, !alias.scope !4
  %v288 = fmul contract float %v274, %v287
  %v289 = fadd contract float %v242, %v288
  %v290 = fdiv float 0x3FF0000000000000, %v275
  %v291 = fmul contract float %v289, %v290
  %v292 = fdiv float 0xBFF0000000000000, %v11
  %v293 = fmul contract float %v292, %v292
  %v294 = fmul contract float 0xBFE0000000000000, %v293
  %v295 = fcmp olt float %v294, 0xC05A400000000000
  %v296 = select i1 %v295, float 0xC05A400000000000, float %v294
  %v297 = fcmp ogt float %v296, 0x4056C00000000000
  %v298 = select i1 %v297, float 0x4056C00000000000, float %v296
  %v299 = call float @llvm.fmuladd.f32(float %v298, float 0x3FF7154760000000, float 0x4168000000000000)
  %v300 = fsub contract float %v299, 0x4168000000000000
  %v301 = bitcast float %v299 to i32
  %v302 = sub i32 %v301, 1262485504
  %v303 = call float @llvm.fmuladd.f32(float %v300, float 0xBFE6300000000000, float %v298)
  %v304 = call float @llvm.fmuladd.f32(float %v300, float 0x3F2BD01060000000, float %v303)
  %v305 = call float @llvm.fmuladd.f32(float %v304, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v306 = call float @llvm.fmuladd.f32(float %v305, float %v304, float 0x3F81110C60000000)
  %v307 = call float @llvm.fmuladd.f32(float %v306, float %v304, float 0x3FA5554EA0000000)
  %v308 = call float @llvm.fmuladd.f32(float %v307, float %v304, float 0x3FC5555560000000)
  %v309 = call float @llvm.fmuladd.f32(float %v308, float %v304, float 0x3FE0000000000000)
  %v310 = fmul contract float %v304, %v304
  %v311 = call float @llvm.fmuladd.f32(float %v309, float %v310, float %v304)
  %v312 = fadd contract float %v311, 0x3FF0000000000000
  %v313 = add i32 %v302, 0
  %v314 = ashr i32 %v313, 1
  %v315 = add i32 %v314, 127
  %v316 = shl i32 %v315, 23
  %v317 = bitcast i32 %v316 to float
  %v318 = fmul contract float %v312, %v317
  %v319 = sub i32 %v313, %v314
  %v320 = add i32 %v319, 127
  %v321 = shl i32 %v320, 23
  %v322 = bitcast i32 %v321 to float
  %v323 = fmul contract float %v318, %v322
  %v324 = fadd contract float 0x0000000000000000, %v323
  %v325 = trunc i64 %row to i32
  %v326 = trunc i64 %v5 to i32
  %v327 = add i32 %v326, -1
  %v328 = mul i64 %row, %v48
  %v329 = add i64 -1, %v5
  %v330 = call i64 @llvm.smax.i64(i64 %v329, i64 0)
  %v331 = call i64 @llvm.smin.i64(i64 %v330, i64 %v52)
  %v332 = mul i64 %v331, 4
  %v333 = add i64 %v328, %v332
  %v334 = add i64 %v333, 2
  %v335 = getelementptr inbounds float, ptr %v58, i64 %v334
  %v336 = load float, ptr %v335, align 4, !llvm.access.group !0, !alias.scope !4
  %v337 = fmul contract float %v323, %v336
  %v338 = fadd contract float 0x0000000000000000, %v337
  %v339 = fdiv float 0x0000000000000000, %v11
  %v340 = fmul contract float %v339, %v339
  %v341 = fmul contract float 0xBFE0000000000000, %v340
  %v342 = fcmp olt float %v341, 0xC05A400000000000
  %v343 = select i1 %v342, float 0xC05A400000000000, float %v341
  %v344 = fcmp ogt float %v343, 0x4056C00000000000
  %v345 = select i1 %v344, float 0x4056C00000000000, float %v343
  %v346 = call float @llvm.fmuladd.f32(float %v345, float 0x3FF7154760000000, float 0x4168000000000000)
  %v347 = fsub contract float %v346, 0x4168000000000000
  %v348 = bitcast float %v346 to i32
  %v349 = sub i32 %v348, 1262485504
  %v350 = call float @llvm.fmuladd.f32(float %v347, float 0xBFE6300000000000, float %v345)
  %v351 = call float @llvm.fmuladd.f32(float %v347, float 0x3F2BD01060000000, float %v350)
  %v352 = call float @llvm.fmuladd.f32(float %v351, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v353 = call float @llvm.fmuladd.f32(float %v352, float %v351, float 0x3F81110C60000000)
  %v354 = call float @llvm.fmuladd.f32(float %v353, float %v351, float 0x3FA5554EA0000000)
  %v355 = call float @llvm.fmuladd.f32(float %v354, float %v351, float 0x3FC5555560000000)
  %v356 = call float @llvm.fmuladd.f32(float %v355, float %v351, float 0x3FE0000000000000)
  %v357 = fmul contract float %v351, %v351
  %v358 = call float @llvm.fmuladd.f32(float %v356, float %v357, float %v351)
  %v359 = fadd contract float %v358, 0x3FF0000000000000
  %v360 = add i32 %v349, 0
  %v361 = ashr i32 %v360, 1
  %v362 = add i32 %v361, 127
  %v363 = shl i32 %v362, 23
  %v364 = bitcast i32 %v363 to float
  %v365 = fmul contract float %v359, %v364
  %v366 = sub i32 %v360, %v361
  %v367 = add i32 %v366, 127
  %v368 = shl i32 %v367, 23
  %v369 = bitcast i32 %v368 to float
  %v370 = fmul contract float %v365, %v369
  %v371 = fadd contract float %v324, %v370
  %v372 = trunc i64 %row to i32
  %v373 = trunc i64 %v5 to i32
  %v374 = mul i64 %row, %v48
  %v375 = mul i64 %v5, 4
  %v376 = add i64 %v374, %v375
  %v377 = add i64 %v376, 2
  %v378 = getelementptr inbounds float, ptr %v58, i64 %v377
  %v379 = load float, ptr %v378, align 4, !llvm.access.group !0, !alias.scope !4
  %v380 = fmul contract float %v370, %v379
  %v381 = fadd contract float %v338, %v380
  %v382 = fdiv float 0x3FF0000000000000, %v11
  %v383 = fmul contract float %v382, %v382
  %v384 = fmul contract float 0xBFE0000000000000, %v383
  %v385 = fcmp olt float %v384, 0xC05A400000000000
  %v386 = select i1 %v385, float 0xC05A400000000000, float %v384
  %v387 = fcmp ogt float %v386, 0x4056C00000000000
  %v388 = select i1 %v387, float 0x4056C00000000000, float %v386
  %v389 = call float @llvm.fmuladd.f32(float %v388, float 0x3FF7154760000000, float 0x4168000000000000)
  %v390 = fsub contract float %v389, 0x4168000000000000
  %v391 = bitcast float %v389 to i32
  %v392 = sub i32 %v391, 1262485504
  %v393 = call float @llvm.fmuladd.f32(float %v390, float 0xBFE6300000000000, float %v388)
  %v394 = call float @llvm.fmuladd.f32(float %v390, float 0x3F2BD01060000000, float %v393)
  %v395 = call float @llvm.fmuladd.f32(float %v394, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v396 = call float @llvm.fmuladd.f32(float %v395, float %v394, float 0x3F81110C60000000)
  %v397 = call float @llvm.fmuladd.f32(float %v396, float %v394, float 0x3FA5554EA0000000)
  %v398 = call float @llvm.fmuladd.f32(float %v397, float %v394, float 0x3FC5555560000000)
  %v399 = call float @llvm.fmuladd.f32(float %v398, float %v394, float 0x3FE0000000000000)
  %v400 = fmul contract float %v394, %v394
  %v401 = call float @llvm.fmuladd.f32(float %v399, float %v400, float %v394)
  %v402 = fadd contract float %v401, 0x3FF0000000000000
  %v403 = add i32 %v392, 0
  %v404 = ashr i32 %v403, 1
  %v405 = add i32 %v404, 127
  %v406 = shl i32 %v405, 23
  %v407 = bitcast i32 %v406 to float
  %v408 = fmul contract float %v402, %v407
  %v409 = sub i32 %v403, %v404
  %v410 = add i32 %v409, 127
  %v411 = shl i32 %v410, 23
  %v412 = bitcast i32 %v411 to float
  %v413 = fmul contract float %v408, %v412
  %v414 = fadd contract float %v371, %v413
  %v415 = trunc i64 %row to i32
  %v416 = trunc i64 %v5 to i32
  %v417 = add i32 %v416, 1
  %v418 = mul i64 %row, %v48
  %v419 = add i64 1, %v5
  %v420 = call i64 @llvm.smax.i64(i64 %v419, i64 0)
  %v421 = call i64 @llvm.smin.i64(i64 %v420, i64 %v52)
  %v422 = mul i64 %v421, 4
  %v423 = add i64 %v418, %v422
  %v424 = add i64 %v423, 2
  %v425 = getelementptr inbounds float, ptr %v58, i64 %v424
  %v426 = load float, ptr %v425, align 4, !llvm.access.group !0, !alias.scope !4
  %v427 = fmul contract float %v413, %v426
  %v428 = fadd contract float %v381, %v427
  %v429 = fdiv float 0x3FF0000000000000, %v414
  %v430 = fmul contract float %v428, %v429
  %v431 = fdiv float 0xBFF0000000000000, %v11
  %v432 = fmul contract float %v431, %v431
  %v433 = fmul contract float 0xBFE0000000000000, %v432
  %v434 = fcmp olt float %v433, 0xC05A400000000000
  %v435 = select i1 %v434, float 0xC05A400000000000, float %v433
  %v436 = fcmp ogt float %v435, 0x4056C00000000000
  %v437 = select i1 %v436, float 0x4056C00000000000, float %v435
  %v438 = call float @llvm.fmuladd.f32(float %v437, float 0x3FF7154760000000, float 0x4168000000000000)
  %v439 = fsub contract float %v438, 0x4168000000000000
  %v440 = bitcast float %v438 to i32
  %v441 = sub i32 %v440, 1262485504
  %v442 = call float @llvm.fmuladd.f32(float %v439, float 0xBFE6300000000000, float %v437)
  %v443 = call float @llvm.fmuladd.f32(float %v439, float 0x3F2BD01060000000, float %v442)
  %v444 = call float @llvm.fmuladd.f32(float %v443, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v445 = call float @llvm.fmuladd.f32(float %v444, float %v443, float 0x3F81110C60000000)
  %v446 = call float @llvm.fmuladd.f32(float %v445, float %v443, float 0x3FA5554EA0000000)
  %v447 = call float @llvm.fmuladd.f32(float %v446, float %v443, float 0x3FC5555560000000)
  %v448 = call float @llvm.fmuladd.f32(float %v447, float %v443, float 0x3FE0000000000000)
  %v449 = fmul contract float %v443, %v443
  %v450 = call float @llvm.fmuladd.f32(float %v448, float %v449, float %v443)
  %v451 = fadd contract float %v450, 0x3FF0000000000000
  %v452 = add i32 %v441, 0
  %v453 = ashr i32 %v452, 1
  %v454 = add i32 %v453, 127
  %v455 = shl i32 %v454, 23
  %v456 = bitcast i32 %v455 to float
  %v457 = fmul contract float %v451, %v456
  %v458 = sub i32 %v452, %v453
  %v459 = add i32 %v458, 127
  %v460 = shl i32 %v459, 23
  %v461 = bitcast i32 %v460 to float
  %v462 = fmul contract float %v457, %v461
  %v463 = fadd contract float 0x0000000000000000, %v462
  %v464 = trunc i64 %row to i32
  %v465 = trunc i64 %v5 to i32
  %v466 = add i32 %v465, -1
  %v467 = mul i64 %row, %v48
  %v468 = add i64 -1, %v5
  %v469 = call i64 @llvm.smax.i64(i64 %v468, i64 0)
  %v470 = call i64 @llvm.smin.i64(i64 %v469, i64 %v52)
  %v471 = mul i64 %v470, 4
  %v472 = add i64 %v467, %v471
  %v473 = add i64 %v472, 3
  %v474 = getelementptr inbounds float, ptr %v58, i64 %v473
  %v475 = load float, ptr %v474, align 4, !llvm.access.group !0, !alias.scope !4
  %v476 = fmul contract float %v462, %v475
  %v477 = fadd contract float 0x0000000000000000, %v476
  %v478 = fdiv float 0x0000000000000000, %v11
  %v479 = fmul contract float %v478, %v478
  %v480 = fmul contract float 0xBFE0000000000000, %v479
  %v481 = fcmp olt float %v480, 0xC05A400000000000
  %v482 = select i1 %v481, float 0xC05A400000000000, float %v480
  %v483 = fcmp ogt float %v482, 0x4056C00000000000
  %v484 = select i1 %v483, float 0x4056C00000000000, float %v482
  %v485 = call float @llvm.fmuladd.f32(float %v484, float 0x3FF7154760000000, float 0x4168000000000000)
  %v486 = fsub contract float %v485, 0x4168000000000000
  %v487 = bitcast float %v485 to i32
  %v488 = sub i32 %v487, 1262485504
  %v489 = call float @llvm.fmuladd.f32(float %v486, float 0xBFE6300000000000, float %v484)
  %v490 = call float @llvm.fmuladd.f32(float %v486, float 0x3F2BD01060000000, float %v489)
  %v491 = call float @llvm.fmuladd.f32(float %v490, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v492 = call float @llvm.fmuladd.f32(float %v491, float %v490, float 0x3F81110C60000000)
  %v493 = call float @llvm.fmuladd.f32(float %v492, float %v490, float 0x3FA5554EA0000000)
  %v494 = call float @llvm.fmuladd.f32(float %v493, float %v490, float 0x3FC5555560000000)
  %v495 = call float @llvm.fmuladd.f32(float %v494, float %v490, float 0x3FE0000000000000)
  %v496 = fmul contract float %v490, %v490
  %v497 = call float @llvm.fmuladd.f32(float %v495, float %v496, float %v490)
  %v498 = fadd contract float %v497, 0x3FF0000000000000
  %v499 = add i32 %v488, 0
  %v500 = ashr i32 %v499, 1
  %v501 = add i32 %v500, 127
  %v502 = shl i32 %v501, 23
  %v503 = bitcast i32 %v502 to float
  %v504 = fmul contract float %v498, %v503
  %v505 = sub i32 %v499, %v500
  %v506 = add i32 %v505, 127
  %v507 = shl i32 %v506, 23
  %v508 = bitcast i32 %v507 to float
  %v509 = fmul contract float %v504, %v508
  %v510 = fadd contract float %v463, %v509
  %v511 = trunc i64 %row to i32
  %v512 = trunc i64 %v5 to i32
  %v513 = mul i64 %row, %v48
  %v514 = mul i64 %v5, 4
  %v515 = add i64 %v513, %v514
  %v516 = add i64 %v515, 3
  %v517 = getelementptr inbounds float, ptr %v58, i64 %v516
  %v518 = load float, ptr %v517, align 4, !llvm.access.group !0, !alias.scope !4
  %v519 = fmul contract float %v509, %v518
  %v520 = fadd contract float %v477, %v519
  %v521 = fdiv float 0x3FF0000000000000, %v11
  %v522 = fmul contract float %v521, %v521
  %v523 = fmul contract float 0xBFE0000000000000, %v522
  %v524 = fcmp olt float %v523, 0xC05A400000000000
  %v525 = select i1 %v524, float 0xC05A400000000000, float %v523
  %v526 = fcmp ogt float %v525, 0x4056C00000000000
  %v527 = select i1 %v526, float 0x4056C00000000000, float %v525
  %v528 = call float @llvm.fmuladd.f32(float %v527, float 0x3FF7154760000000, float 0x4168000000000000)
  %v529 = fsub contract float %v528, 0x4168000000000000
  %v530 = bitcast float %v528 to i32
  %v531 = sub i32 %v530, 1262485504
  %v532 = call float @llvm.fmuladd.f32(float %v529, float 0xBFE6300000000000, float %v527)
  %v533 = call float @llvm.fmuladd.f32(float %v529, float 0x3F2BD01060000000, float %v532)
  %v534 = call float @llvm.fmuladd.f32(float %v533, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v535 = call float @llvm.fmuladd.f32(float %v534, float %v533, float 0x3F81110C60000000)
  %v536 = call float @llvm.fmuladd.f32(float %v535, float %v533, float 0x3FA5554EA0000000)
  %v537 = call float @llvm.fmuladd.f32(float %v536, float %v533, float 0x3FC5555560000000)
  %v538 = call float @llvm.fmuladd.f32(float %v537, float %v533, float 0x3FE0000000000000)
  %v539 = fmul contract float %v533, %v533
  %v540 = call float @llvm.fmuladd.f32(float %v538, float %v539, float %v533)
  %v541 = fadd contract float %v540, 0x3FF0000000000000
  %v542 = add i32 %v531, 0
  %v543 = ashr i32 %v542, 1
  %v544 = add i32 %v543, 127
  %v545 = shl i32 %v544, 23
  %v546 = bitcast i32 %v545 to float
  %v547 = fmul contract float %v541, %v546
  %v548 = sub i32 %v542, %v543
  %v549 = add i32 %v548, 127
  %v550 = shl i32 %v549, 23
  %v551 = bitcast i32 %v550 to float
  %v552 = fmul contract float %v547, %v551
  %v553 = fadd contract float %v510, %v552
  %v554 = trunc i64 %row to i32
  %v555 = trunc i64 %v5 to i32
  %v556 = add i32 %v555, 1
  %v557 = mul i64 %row, %v48
  %v558 = add i64 1, %v5
  %v559 = call i64 @llvm.smax.i64(i64 %v558, i64 0)
  %v560 = call i64 @llvm.smin.i64(i64 %v559, i64 %v52)
  %v561 = mul i64 %v560, 4
  %v562 = add i64 %v557, %v561
  %v563 = add i64 %v562, 3
  %v564 = getelementptr inbounds float, ptr %v58, i64 %v563
  %v565 = load float, ptr %v564, align 4, !llvm.access.group !0, !alias.scope !4
  %v566 = fmul contract float %v552, %v565
  %v567 = fadd contract float %v520, %v566
  %v568 = fdiv float 0x3FF0000000000000, %v553
  %v569 = fmul contract float %v567, %v568
  %v570 = mul i64 %v8, 4
  %v571 = fcmp ogt float %v152, 0x0000000000000000
  %v572 = select i1 %v571, float %v152, float 0x0000000000000000
  %v573 = fcmp olt float %v572, 0x406FE00000000000
  %v574 = select i1 %v573, float %v572, float 0x406FE00000000000
  %v575 = fadd contract float %v574, 0x4160000000000000
  %v576 = bitcast float %v575 to i32
  %v577 = trunc i32 %v576 to i8
  %v580 = getelementptr inbounds i8, ptr %v579, i64 %v570
  store i8 %v577, ptr %v580, align 1, !noalias !4, !llvm.access.group !0
  %v581 = add i64 %v570, 1
  %v582 = fcmp ogt float %v291, 0x0000000000000000
  %v583 = select i1 %v582, float %v291, float 0x0000000000000000
  %v584 = fcmp olt float %v583, 0x406FE00000000000
  %v585 = select i1 %v584, float %v583, float 0x406FE00000000000
  %v586 = fadd contract float %v585, 0x4160000000000000
  %v587 = bitcast float %v586 to i32
  %v588 = trunc i32 %v587 to i8
  %v589 = getelementptr inbounds i8, ptr %v579, i64 %v581
  store i8 %v588, ptr %v589, align 1, !noalias !4, !llvm.access.group !0
  %v590 = add i64 %v570, 2
  %v591 = fcmp ogt float %v430, 0x0000000000000000
  %v592 = select i1 %v591, float %v430, float 0x0000000000000000
  %v593 = fcmp olt float %v592, 0x406FE00000000000
  %v594 = select i1 %v593, float %v592, float 0x406FE00000000000
  %v595 = fadd contract float %v594, 0x4160000000000000
  %v596 = bitcast float %v595 to i32
  %v597 = trunc i32 %v596 to i8
  %v598 = getelementptr inbounds i8, ptr %v579, i64 %v590
  store i8 %v597, ptr %v598, align 1, !noalias !4, !llvm.access.group !0
  %v599 = add i64 %v570, 3
  %v600 = fcmp ogt float %v569, 0x0000000000000000
  %v601 = select i1 %v600, float %v569, float 0x0000000000000000
  %v602 = fcmp olt float %v601, 0x406FE00000000000
  %v603 = select i1 %v602, float %v601, float 0x406FE00000000000
  %v604 = fadd contract float %v603, 0x4160000000000000
  %v605 = bitcast float %v604 to i32
  %v606 = trunc i32 %v605 to i8
  %v607 = getelementptr inbounds i8, ptr %v579, i64 %v599
  store i8 %v606, ptr %v607, align 1, !noalias !4, !llvm.access.group !0
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
  %v9 = getelementptr inbounds i64, ptr %block, i64 3
  %v10 = load double, ptr %v9, align 8
  %v11 = fptrunc double %v10 to float
  %v48 = mul i64 %v2, 4
  %v53 = getelementptr inbounds i64, ptr %block, i64 2
  %v54 = load ptr, ptr %v53, align 8
  %v560 = getelementptr inbounds i64, ptr %block, i64 1
  %v561 = load ptr, ptr %v560, align 8
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
  %v12 = fdiv float 0xBFF0000000000000, %v11
  %v13 = fmul contract float %v12, %v12
  %v14 = fmul contract float 0xBFE0000000000000, %v13
  %v15 = fcmp olt float %v14, 0xC05A400000000000
  %v16 = select i1 %v15, float 0xC05A400000000000, float %v14
  %v17 = fcmp ogt float %v16, 0x4056C00000000000
  %v18 = select i1 %v17, float 0x4056C00000000000, float %v16
  %v19 = call float @llvm.fmuladd.f32(float %v18, float 0x3FF7154760000000, float 0x4168000000000000)
  %v20 = fsub contract float %v19, 0x4168000000000000
  %v21 = bitcast float %v19 to i32
  %v22 = sub i32 %v21, 1262485504
  %v23 = call float @llvm.fmuladd.f32(float %v20, float 0xBFE6300000000000, float %v18)
  %v24 = call float @llvm.fmuladd.f32(float %v20, float 0x3F2BD01060000000, float %v23)
  %v25 = call float @llvm.fmuladd.f32(float %v24, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float %v24, float 0x3F81110C60000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v24, float 0x3FA5554EA0000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v24, float 0x3FC5555560000000)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float %v24, float 0x3FE0000000000000)
  %v30 = fmul contract float %v24, %v24
  %v31 = call float @llvm.fmuladd.f32(float %v29, float %v30, float %v24)
  %v32 = fadd contract float %v31, 0x3FF0000000000000
  %v33 = add i32 %v22, 0
  %v34 = ashr i32 %v33, 1
  %v35 = add i32 %v34, 127
  %v36 = shl i32 %v35, 23
  %v37 = bitcast i32 %v36 to float
  %v38 = fmul contract float %v32, %v37
  %v39 = sub i32 %v33, %v34
  %v40 = add i32 %v39, 127
  %v41 = shl i32 %v40, 23
  %v42 = bitcast i32 %v41 to float
  %v43 = fmul contract float %v38, %v42
  %v44 = fadd contract float 0x0000000000000000, %v43
  %v45 = trunc i64 %row to i32
  %v46 = trunc i64 %v5 to i32
  %v47 = add i32 %v46, -1
  %v49 = mul i64 %row, %v48
  %v50 = add i64 -1, %v5
  %v51 = mul i64 %v50, 4
  %v52 = add i64 %v49, %v51
  %v55 = getelementptr inbounds float, ptr %v54, i64 %v52
  %v56 = load float, ptr %v55, align 4, !llvm.access.group !5, !alias.scope !4
  %v57 = fmul contract float %v43, %v56
  %v58 = fadd contract float 0x0000000000000000, %v57
  %v59 = fdiv float 0x0000000000000000, %v11
  %v60 = fmul contract float %v59, %v59
  %v61 = fmul contract float 0xBFE0000000000000, %v60
  %v62 = fcmp olt float %v61, 0xC05A400000000000
  %v63 = select i1 %v62, float 0xC05A400000000000, float %v61
  %v64 = fcmp ogt float %v63, 0x4056C00000000000
  %v65 = select i1 %v64, float 0x4056C00000000000, float %v63
  %v66 = call float @llvm.fmuladd.f32(float %v65, float 0x3FF7154760000000, float 0x4168000000000000)
  %v67 = fsub contract float %v66, 0x4168000000000000
  %v68 = bitcast float %v66 to i32
  %v69 = sub i32 %v68, 1262485504
  %v70 = call float @llvm.fmuladd.f32(float %v67, float 0xBFE6300000000000, float %v65)
  %v71 = call float @llvm.fmuladd.f32(float %v67, float 0x3F2BD01060000000, float %v70)
  %v72 = call float @llvm.fmuladd.f32(float %v71, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v73 = call float @llvm.fmuladd.f32(float %v72, float %v71, float 0x3F81110C60000000)
  %v74 = call float @llvm.fmuladd.f32(float %v73, float %v71, float 0x3FA5554EA0000000)
  %v75 = call float @llvm.fmuladd.f32(float %v74, float %v71, float 0x3FC5555560000000)
  %v76 = call float @llvm.fmuladd.f32(float %v75, float %v71, float 0x3FE0000000000000)
  %v77 = fmul contract float %v71, %v71
  %v78 = call float @llvm.fmuladd.f32(float %v76, float %v77, float %v71)
  %v79 = fadd contract float %v78, 0x3FF0000000000000
  %v80 = add i32 %v69, 0
  %v81 = ashr i32 %v80, 1
  %v82 = add i32 %v81, 127
  %v83 = shl i32 %v82, 23
  %v84 = bitcast i32 %v83 to float
  %v85 = fmul contract float %v79, %v84
  %v86 = sub i32 %v80, %v81
  %v87 = add i32 %v86, 127
  %v88 = shl i32 %v87, 23
  %v89 = bitcast i32 %v88 to float
  %v90 = fmul contract float %v85, %v89
  %v91 = fadd contract float %v44, %v90
  %v92 = trunc i64 %row to i32
  %v93 = trunc i64 %v5 to i32
  %v94 = mul i64 %row, %v48
  %v95 = mul i64 %v5, 4
  %v96 = add i64 %v94, %v95
  %v97 = getelementptr inbounds float, ptr %v54, i64 %v96
  %v98 = load float, ptr %v97, align 4, !llvm.access.group !5, !alias.scope !4
  %v99 = fmul contract float %v90, %v98
  %v100 = fadd contract float %v58, %v99
  %v101 = fdiv float 0x3FF0000000000000, %v11
  %v102 = fmul contract float %v101, %v101
  %v103 = fmul contract float 0xBFE0000000000000, %v102
  %v104 = fcmp olt float %v103, 0xC05A400000000000
  %v105 = select i1 %v104, float 0xC05A400000000000, float %v103
  %v106 = fcmp ogt float %v105, 0x4056C00000000000
  %v107 = select i1 %v106, float 0x4056C00000000000, float %v105
  %v108 = call float @llvm.fmuladd.f32(float %v107, float 0x3FF7154760000000, float 0x4168000000000000)
  %v109 = fsub contract float %v108, 0x4168000000000000
  %v110 = bitcast float %v108 to i32
  %v111 = sub i32 %v110, 1262485504
  %v112 = call float @llvm.fmuladd.f32(float %v109, float 0xBFE6300000000000, float %v107)
  %v113 = call float @llvm.fmuladd.f32(float %v109, float 0x3F2BD01060000000, float %v112)
  %v114 = call float @llvm.fmuladd.f32(float %v113, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v115 = call float @llvm.fmuladd.f32(float %v114, float %v113, float 0x3F81110C60000000)
  %v116 = call float @llvm.fmuladd.f32(float %v115, float %v113, float 0x3FA5554EA0000000)
  %v117 = call float @llvm.fmuladd.f32(float %v116, float %v113, float 0x3FC5555560000000)
  %v118 = call float @llvm.fmuladd.f32(float %v117, float %v113, float 0x3FE0000000000000)
  %v119 = fmul contract float %v113, %v113
  %v120 = call float @llvm.fmuladd.f32(float %v118, float %v119, float %v113)
  %v121 = fadd contract float %v120, 0x3FF0000000000000
  %v122 = add i32 %v111, 0
  %v123 = ashr i32 %v122, 1
  %v124 = add i32 %v123, 127
  %v125 = shl i32 %v124, 23
  %v126 = bitcast i32 %v125 to float
  %v127 = fmul contract float %v121, %v126
  %v128 = sub i32 %v122, %v123
  %v129 = add i32 %v128, 127
  %v130 = shl i32 %v129, 23
  %v131 = bitcast i32 %v130 to float
  %v132 = fmul contract float %v127, %v131
  %v133 = fadd contract float %v91, %v132
  %v134 = trunc i64 %row to i32
  %v135 = trunc i64 %v5 to i32
  %v136 = add i32 %v135, 1
  %v137 = mul i64 %row, %v48
  %v138 = add i64 1, %v5
  %v139 = mul i64 %v138, 4
  %v140 = add i64 %v137, %v139
  %v141 = getelementptr inbounds float, ptr %v54, i64 %v140
  %v142 = load float, ptr %v141, align 4, !llvm.access.group !5, !alias.scope !4
  %v143 = fmul contract float %v132, %v142
  %v144 = fadd contract float %v100, %v143
  %v145 = fdiv float 0x3FF0000000000000, %v133
  %v146 = fmul contract float %v144, %v145
  %v147 = fdiv float 0xBFF0000000000000, %v11
  %v148 = fmul contract float %v147, %v147
  %v149 = fmul contract float 0xBFE0000000000000, %v148
  %v150 = fcmp olt float %v149, 0xC05A400000000000
  %v151 = select i1 %v150, float 0xC05A400000000000, float %v149
  %v152 = fcmp ogt float %v151, 0x4056C00000000000
  %v153 = select i1 %v152, float 0x4056C00000000000, float %v151
  %v154 = call float @llvm.fmuladd.f32(float %v153, float 0x3FF7154760000000, float 0x4168000000000000)
  %v155 = fsub contract float %v154, 0x4168000000000000
  %v156 = bitcast float %v154 to i32
  %v157 = sub i32 %v156, 1262485504
  %v158 = call float @llvm.fmuladd.f32(float %v155, float 0xBFE6300000000000, float %v153)
  %v159 = call float @llvm.fmuladd.f32(float %v155, float 0x3F2BD01060000000, float %v158)
  %v160 = call float @llvm.fmuladd.f32(float %v159, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v161 = call float @llvm.fmuladd.f32(float %v160, float %v159, float 0x3F81110C60000000)
  %v162 = call float @llvm.fmuladd.f32(float %v161, float %v159, float 0x3FA5554EA0000000)
  %v163 = call float @llvm.fmuladd.f32(float %v162, float %v159, float 0x3FC5555560000000)
  %v164 = call float @llvm.fmuladd.f32(float %v163, float %v159, float 0x3FE0000000000000)
  %v165 = fmul contract float %v159, %v159
  %v166 = call float @llvm.fmuladd.f32(float %v164, float %v165, float %v159)
  %v167 = fadd contract float %v166, 0x3FF0000000000000
  %v168 = add i32 %v157, 0
  %v169 = ashr i32 %v168, 1
  %v170 = add i32 %v169, 127
  %v171 = shl i32 %v170, 23
  %v172 = bitcast i32 %v171 to float
  %v173 = fmul contract float %v167, %v172
  %v174 = sub i32 %v168, %v169
  %v175 = add i32 %v174, 127
  %v176 = shl i32 %v175, 23
  %v177 = bitcast i32 %v176 to float
  %v178 = fmul contract float %v173, %v177
  %v179 = fadd contract float 0x0000000000000000, %v178
  %v180 = trunc i64 %row to i32
  %v181 = trunc i64 %v5 to i32
  %v182 = add i32 %v181, -1
  %v183 = mul i64 %row, %v48
  %v184 = add i64 -1, %v5
  %v185 = mul i64 %v184, 4
  %v186 = add i64 %v183, %v185
  %v187 = add i64 %v186, 1
  %v188 = getelementptr inbounds float, ptr %v54, i64 %v187
  %v189 = load float, ptr %v188, align 4, !llvm.access.group !5, !alias.scope !4
  %v190 = fmul contract float %v178, %v189
  %v191 = fadd contract float 0x0000000000000000, %v190
  %v192 = fdiv float 0x0000000000000000, %v11
  %v193 = fmul contract float %v192, %v192
  %v194 = fmul contract float 0xBFE0000000000000, %v193
  %v195 = fcmp olt float %v194, 0xC05A400000000000
  %v196 = select i1 %v195, float 0xC05A400000000000, float %v194
  %v197 = fcmp ogt float %v196, 0x4056C00000000000
  %v198 = select i1 %v197, float 0x4056C00000000000, float %v196
  %v199 = call float @llvm.fmuladd.f32(float %v198, float 0x3FF7154760000000, float 0x4168000000000000)
  %v200 = fsub contract float %v199, 0x4168000000000000
  %v201 = bitcast float %v199 to i32
  %v202 = sub i32 %v201, 1262485504
  %v203 = call float @llvm.fmuladd.f32(float %v200, float 0xBFE6300000000000, float %v198)
  %v204 = call float @llvm.fmuladd.f32(float %v200, float 0x3F2BD01060000000, float %v203)
  %v205 = call float @llvm.fmuladd.f32(float %v204, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v206 = call float @llvm.fmuladd.f32(float %v205, float %v204, float 0x3F81110C60000000)
  %v207 = call float @llvm.fmuladd.f32(float %v206, float %v204, float 0x3FA5554EA0000000)
  %v208 = call float @llvm.fmuladd.f32(float %v207, float %v204, float 0x3FC5555560000000)
  %v209 = call float @llvm.fmuladd.f32(float %v208, float %v204, float 0x3FE0000000000000)
  %v210 = fmul contract float %v204, %v204
  %v211 = call float @llvm.fmuladd.f32(float %v209, float %v210, float %v204)
  %v212 = fadd contract float %v211, 0x3FF0000000000000
  %v213 = add i32 %v202, 0
  %v214 = ashr i32 %v213, 1
  %v215 = add i32 %v214, 127
  %v216 = shl i32 %v215, 23
  %v217 = bitcast i32 %v216 to float
  %v218 = fmul contract float %v212, %v217
  %v219 = sub i32 %v213, %v214
  %v220 = add i32 %v219, 127
  %v221 = shl i32 %v220, 23
  %v222 = bitcast i32 %v221 to float
  %v223 = fmul contract float %v218, %v222
  %v224 = fadd contract float %v179, %v223
  %v225 = trunc i64 %row to i32
  %v226 = trunc i64 %v5 to i32
  %v227 = mul i64 %row, %v48
  %v228 = mul i64 %v5, 4
  %v229 = add i64 %v227, %v228
  %v230 = add i64 %v229, 1
  %v231 = getelementptr inbounds float, ptr %v54, i64 %v230
  %v232 = load float, ptr %v231, align 4, !llvm.access.group !5, !alias.scope !4
  %v233 = fmul contract float %v223, %v232
  %v234 = fadd contract float %v191, %v233
  %v235 = fdiv float 0x3FF0000000000000, %v11
  %v236 = fmul contract float %v235, %v235
  %v237 = fmul contract float 0xBFE0000000000000, %v236
  %v238 = fcmp olt float %v237, 0xC05A400000000000
  %v239 = select i1 %v238, float 0xC05A400000000000, float %v237
  %v240 = fcmp ogt float %v239, 0x4056C00000000000
  %v241 = select i1 %v240, float 0x4056C00000000000, float %v239
  %v242 = call float @llvm.fmuladd.f32(float %v241, float 0x3FF7154760000000, float 0x4168000000000000)
  %v243 = fsub contract float %v242, 0x4168000000000000
  %v244 = bitcast float %v242 to i32
  %v245 = sub i32 %v244, 1262485504
  %v246 = call float @llvm.fmuladd.f32(float %v243, float 0xBFE6300000000000, float %v241)
  %v247 = call float @llvm.fmuladd.f32(float %v243, float 0x3F2BD01060000000, float %v246)
  %v248 = call float @llvm.fmuladd.f32(float %v247, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v249 = call float @llvm.fmuladd.f32(float %v248, float %v247, float 0x3F81110C60000000)
  %v250 = call float @llvm.fmuladd.f32(float %v249, float %v247, float 0x3FA5554EA0000000)
  %v251 = call float @llvm.fmuladd.f32(float %v250, float %v247, float 0x3FC5555560000000)
  %v252 = call float @llvm.fmuladd.f32(float %v251, float %v247, float 0x3FE0000000000000)
  %v253 = fmul contract float %v247, %v247
  %v254 = call float @llvm.fmuladd.f32(float %v252, float %v253, float %v247)
  %v255 = fadd contract float %v254, 0x3FF0000000000000
  %v256 = add i32 %v245, 0
  %v257 = ashr i32 %v256, 1
  %v258 = add i32 %v257, 127
  %v259 = shl i32 %v258, 23
  %v260 = bitcast i32 %v259 to float
  %v261 = fmul contract float %v255, %v260
  %v262 = sub i32 %v256, %v257
  %v263 = add i32 %v262, 127
  %v264 = shl i32 %v263, 23
  %v265 = bitcast i32 %v264 to float
  %v266 = fmul contract float %v261, %v265
  %v267 = fadd contract float %v224, %v266
  %v268 = trunc i64 %row to i32
  %v269 = trunc i64 %v5 to i32
  %v270 = add i32 %v269, 1
  %v271 = mul i64 %row, %v48
  %v272 = add i64 1, %v5
  %v273 = mul i64 %v272, 4
  %v274 = add i64 %v271, %v273
  %v275 = add i64 %v274, 1
  %v276 = getelementptr inbounds float, ptr %v54, i64 %v275
  %v277 = load float, ptr %v276, align 4, !llvm.access.group !5, !alias.scope !4
  %v278 = fmul contract float %v266, %v277
  %v279 = fadd contract float %v234, %v278
  %v280 = fdiv float 0x3FF0000000000000, %v267
  %v281 = fmul contract float %v279, %v280
  %v282 = fdiv float 0xBFF0000000000000, %v11
  %v283 = fmul contract float %v282, %v282
  %v284 = fmul contract float 0xBFE0000000000000, %v283
  %v285 = fcmp olt float %v284, 0xC05A400000000000
  %v286 = select i1 %v285, float 0xC05A400000000000, float %v284
  %v287 = fcmp ogt float %v286, 0x4056C00000000000
  %v288 = select i1 %v287, float 0x4056C00000000000, float %v286
  %v289 = call float @llvm.fmuladd.f32(float %v288, float 0x3FF7154760000000, float 0x4168000000000000)
  %v290 = fsub contract float %v289, 0x4168000000000000
  %v291 = bitcast float %v289 to i32
  %v292 = sub i32 %v291, 1262485504
  %v293 = call float @llvm.fmuladd.f32(float %v290, float 0xBFE6300000000000, float %v288)
  %v294 = call float @llvm.fmuladd.f32(float %v290, float 0x3F2BD01060000000, float %v293)
  %v295 = call float @llvm.fmuladd.f32(float %v294, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v296 = call float @llvm.fmuladd.f32(float %v295, float %v294, float 0x3F81110C60000000)
  %v297 = call float @llvm.fmuladd.f32(float %v296, float %v294, float 0x3FA5554EA0000000)
  %v298 = call float @llvm.fmuladd.f32(float %v297, float %v294, float 0x3FC5555560000000)
  %v299 = call float @llvm.fmuladd.f32(float %v298, float %v294, float 0x3FE0000000000000)
  %v300 = fmul contract float %v294, %v294
  %v301 = call float @llvm.fmuladd.f32(float %v299, float %v300, float %v294)
  %v302 = fadd contract float %v301, 0x3FF0000000000000
  %v303 = add i32 %v292, 0
  %v304 = ashr i32 %v303, 1
  %v305 = add i32 %v304, 127
  %v306 = shl i32 %v305, 23
  %v307 = bitcast i32 %v306 to float
  %v308 = fmul contract float %v302, %v307
  %v309 = sub i32 %v303, %v304
  %v310 = add i32 %v309, 127
  %v311 = shl i32 %v310, 23
  %v312 = bitcast i32 %v311 to float
  %v313 = fmul contract float %v308, %v312
  %v314 = fadd contract float 0x0000000000000000, %v313
  %v315 = trunc i64 %row to i32
  %v316 = trunc i64 %v5 to i32
  %v317 = add i32 %v316, -1
  %v318 = mul i64 %row, %v48
  %v319 = add i64 -1, %v5
  %v320 = mul i64 %v319, 4
  %v321 = add i64 %v318, %v320
  %v322 = add i64 %v321, 2
  %v323 = getelementptr inbounds float, ptr %v54, i64 %v322
  %v324 = load float, ptr %v323, align 4, !llvm.access.group !5, !alias.scope !4
  %v325 = fmul contract float %v313, %v324
  %v326 = fadd contract float 0x0000000000000000, %v325
  %v327 = fdiv float 0x0000000000000000, %v11
  %v328 = fmul contract float %v327, %v327
  %v329 = fmul contract float 0xBFE0000000000000, %v328
  %v330 = fcmp olt float %v329, 0xC05A400000000000
  %v331 = select i1 %v330, float 0xC05A400000000000, float %v329
  %v332 = fcmp ogt float %v331, 0x4056C00000000000
  %v333 = select i1 %v332, float 0x4056C00000000000, float %v331
  %v334 = call float @llvm.fmuladd.f32(float %v333, float 0x3FF7154760000000, float 0x4168000000000000)
  %v335 = fsub contract float %v334, 0x4168000000000000
  %v336 = bitcast float %v334 to i32
  %v337 = sub i32 %v336, 1262485504
  %v338 = call float @llvm.fmuladd.f32(float %v335, float 0xBFE6300000000000, float %v333)
  %v339 = call float @llvm.fmuladd.f32(float %v335, float 0x3F2BD01060000000, float %v338)
  %v340 = call float @llvm.fmuladd.f32(float %v339, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v341 = call float @llvm.fmuladd.f32(float %v340, float %v339, float 0x3F81110C60000000)
  %v342 = call float @llvm.fmuladd.f32(float %v341, float %v339, float 0x3FA5554EA0000000)
  %v343 = call float @llvm.fmuladd.f32(float %v342, float %v339, float 0x3FC5555560000000)
  %v344 = call float @llvm.fmuladd.f32(float %v343, float %v339, float 0x3FE0000000000000)
  %v345 = fmul contract float %v339, %v339
  %v346 = call float @llvm.fmuladd.f32(float %v344, float %v345, float %v339)
  %v347 = fadd contract float %v346, 0x3FF0000000000000
  %v348 = add i32 %v337, 0
  %v349 = ashr i32 %v348, 1
  %v350 = add i32 %v349, 127
  %v351 = shl i32 %v350, 23
  %v352 = bitcast i32 %v351 to float
  %v353 = fmul contract float %v347, %v352
  %v354 = sub i32 %v348, %v349
  %v355 = add i32 %v354, 127
  %v356 = shl i32 %v355, 23
  %v357 = bitcast i32 %v356 to float
  %v358 = fmul contract float %v353, %v357
  %v359 = fadd contract float %v314, %v358
  %v360 = trunc i64 %row to i32
  %v361 = trunc i64 %v5 to i32
  %v362 = mul i64 %row, %v48
  %v363 = mul i64 %v5, 4
  %v364 = add i64 %v362, %v363
  %v365 = add i64 %v364, 2
  %v366 = getelementptr inbounds float, ptr %v54, i64 %v365
  %v367 = load float, ptr %v366, align 4, !llvm.access.group !5, !alias.scope !4
  %v368 = fmul contract float %v358, %v367
  %v369 = fadd contract float %v326, %v368
  %v370 = fdiv float 0x3FF0000000000000, %v11
  %v371 = fmul contract float %v370, %v370
  %v372 = fmul contract float 0xBFE0000000000000, %v371
  %v373 = fcmp olt float %v372, 0xC05A400000000000
  %v374 = select i1 %v373, float 0xC05A400000000000, float %v372
  %v375 = fcmp ogt float %v374, 0x4056C00000000000
  %v376 = select i1 %v375, float 0x4056C00000000000, float %v374
  %v377 = call float @llvm.fmuladd.f32(float %v376, float 0x3FF7154760000000, float 0x4168000000000000)
  %v378 = fsub contract float %v377, 0x4168000000000000
  %v379 = bitcast float %v377 to i32
  %v380 = sub i32 %v379, 1262485504
  %v381 = call float @llvm.fmuladd.f32(float %v378, float 0xBFE6300000000000, float %v376)
  %v382 = call float @llvm.fmuladd.f32(float %v378, float 0x3F2BD01060000000, float %v381)
  %v383 = call float @llvm.fmuladd.f32(float %v382, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v384 = call float @llvm.fmuladd.f32(float %v383, float %v382, float 0x3F81110C60000000)
  %v385 = call float @llvm.fmuladd.f32(float %v384, float %v382, float 0x3FA5554EA0000000)
  %v386 = call float @llvm.fmuladd.f32(float %v385, float %v382, float 0x3FC5555560000000)
  %v387 = call float @llvm.fmuladd.f32(float %v386, float %v382, float 0x3FE0000000000000)
  %v388 = fmul contract float %v382, %v382
  %v389 = call float @llvm.fmuladd.f32(float %v387, float %v388, float %v382)
  %v390 = fadd contract float %v389, 0x3FF0000000000000
  %v391 = add i32 %v380, 0
  %v392 = ashr i32 %v391, 1
  %v393 = add i32 %v392, 127
  %v394 = shl i32 %v393, 23
  %v395 = bitcast i32 %v394 to float
  %v396 = fmul contract float %v390, %v395
  %v397 = sub i32 %v391, %v392
  %v398 = add i32 %v397, 127
  %v399 = shl i32 %v398, 23
  %v400 = bitcast i32 %v399 to float
  %v401 = fmul contract float %v396, %v400
  %v402 = fadd contract float %v359, %v401
  %v403 = trunc i64 %row to i32
  %v404 = trunc i64 %v5 to i32
  %v405 = add i32 %v404, 1
  %v406 = mul i64 %row, %v48
  %v407 = add i64 1, %v5
  %v408 = mul i64 %v407, 4
  %v409 = add i64 %v406, %v408
  %v410 = add i64 %v409, 2
  %v411 = getelementptr inbounds float, ptr %v54, i64 %v410
  %v412 = load float, ptr %v411, align 4, !llvm.access.group !5, !alias.scope !4
  %v413 = fmul contract float %v401, %v412
  %v414 = fadd contract float %v369, %v413
  %v415 = fdiv float 0x3FF0000000000000, %v402
  %v416 = fmul contract float %v414, %v415
  %v417 = fdiv float 0xBFF0000000000000, %v11
  %v418 = fmul contract float %v417, %v417
  %v419 = fmul contract float 0xBFE0000000000000, %v418
  %v420 = fcmp olt float %v419, 0xC05A400000000000
  %v421 = select i1 %v420, float 0xC05A400000000000, float %v419
  %v422 = fcmp ogt float %v421, 0x4056C00000000000
  %v423 = select i1 %v422, float 0x4056C00000000000, float %v421
  %v424 = call float @llvm.fmuladd.f32(float %v423, float 0x3FF7154760000000, float 0x4168000000000000)
  %v425 = fsub contract float %v424, 0x4168000000000000
  %v426 = bitcast float %v424 to i32
  %v427 = sub i32 %v426, 1262485504
  %v428 = call float @llvm.fmuladd.f32(float %v425, float 0xBFE6300000000000, float %v423)
  %v429 = call float @llvm.fmuladd.f32(float %v425, float 0x3F2BD01060000000, float %v428)
  %v430 = call float @llvm.fmuladd.f32(float %v429, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v431 = call float @llvm.fmuladd.f32(float %v430, float %v429, float 0x3F81110C60000000)
  %v432 = call float @llvm.fmuladd.f32(float %v431, float %v429, float 0x3FA5554EA0000000)
  %v433 = call float @llvm.fmuladd.f32(float %v432, float %v429, float 0x3FC5555560000000)
  %v434 = call float @llvm.fmuladd.f32(float %v433, float %v429, float 0x3FE0000000000000)
  %v435 = fmul contract float %v429, %v429
  %v436 = call float @llvm.fmuladd.f32(float %v434, float %v435, float %v429)
  %v437 = fadd contract float %v436, 0x3FF0000000000000
  %v438 = add i32 %v427, 0
  %v439 = ashr i32 %v438, 1
  %v440 = add i32 %v439, 127
  %v441 = shl i32 %v440, 23
  %v442 = bitcast i32 %v441 to float
  %v443 = fmul contract float %v437, %v442
  %v444 = sub i32 %v438, %v439
  %v445 = add i32 %v444, 127
  %v446 = shl i32 %v445, 23
  %v447 = bitcast i32 %v446 to float
  %v448 = fmul contract float %v443, %v447
  %v449 = fadd contract float 0x0000000000000000, %v448
  %v450 = trunc i64 %row to i32
  %v451 = trunc i64 %v5 to i32
  %v452 = add i32 %v451, -1
  %v453 = mul i64 %row, %v48
  %v454 = add i64 -1, %v5
  %v455 = mul i64 %v454, 4
  %v456 = add i64 %v453, %v455
  %v457 = add i64 %v456, 3
  %v458 = getelementptr inbounds float, ptr %v54, i64 %v457
  %v459 = load float, ptr %v458, align 4, !llvm.access.group !5, !alias.scope !4
  %v460 = fmul contract float %v448, %v459
  %v461 = fadd contract float 0x0000000000000000, %v460
  %v462 = fdiv float 0x0000000000000000, %v11
  %v463 = fmul contract float %v462, %v462
  %v464 = fmul contract float 0xBFE0000000000000, %v463
  %v465 = fcmp olt float %v464, 0xC05A400000000000
  %v466 = select i1 %v465, float 0xC05A400000000000, float %v464
  %v467 = fcmp ogt float %v466, 0x4056C00000000000
  %v468 = select i1 %v467, float 0x4056C00000000000, float %v466
  %v469 = call float @llvm.fmuladd.f32(float %v468, float 0x3FF7154760000000, float 0x4168000000000000)
  %v470 = fsub contract float %v469, 0x4168000000000000
  %v471 = bitcast float %v469 to i32
  %v472 = sub i32 %v471, 1262485504
  %v473 = call float @llvm.fmuladd.f32(float %v470, float 0xBFE6300000000000, float %v468)
  %v474 = call float @llvm.fmuladd.f32(float %v470, float 0x3F2BD01060000000, float %v473)
  %v475 = call float @llvm.fmuladd.f32(float %v474, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v476 = call float @llvm.fmuladd.f32(float %v475, float %v474, float 0x3F81110C60000000)
  %v477 = call float @llvm.fmuladd.f32(float %v476, float %v474, float 0x3FA5554EA0000000)
  %v478 = call float @llvm.fmuladd.f32(float %v477, float %v474, float 0x3FC5555560000000)
  %v479 = call float @llvm.fmuladd.f32(float %v478, float %v474, float 0x3FE0000000000000)
  %v480 = fmul contract float %v474, %v474
  %v481 = call float @llvm.fmuladd.f32(float %v479, float %v480, float %v474)
  %v482 = fadd contract float %v481, 0x3FF0000000000000
  %v483 = add i32 %v472, 0
  %v484 = ashr i32 %v483, 1
  %v485 = add i32 %v484, 127
  %v486 = shl i32 %v485, 23
  %v487 = bitcast i32 %v486 to float
  %v488 = fmul contract float %v482, %v487
  %v489 = sub i32 %v483, %v484
  %v490 = add i32 %v489, 127
  %v491 = shl i32 %v490, 23
  %v492 = bitcast i32 %v491 to float
  %v493 = fmul contract float %v488, %v492
  %v494 = fadd contract float %v449, %v493
  %v495 = trunc i64 %row to i32
  %v496 = trunc i64 %v5 to i32
  %v497 = mul i64 %row, %v48
  %v498 = mul i64 %v5, 4
  %v499 = add i64 %v497, %v498
  %v500 = add i64 %v499, 3
  %v501 = getelementptr inbounds float, ptr %v54, i64 %v500
  %v502 = load float, ptr %v501, align 4, !llvm.access.group !5, !alias.scope !4
  %v503 = fmul contract float %v493, %v502
  %v504 = fadd contract float %v461, %v503
  %v505 = fdiv float 0x3FF0000000000000, %v11
  %v506 = fmul contract float %v505, %v505
  %v507 = fmul contract float 0xBFE0000000000000, %v506
  %v508 = fcmp olt float %v507, 0xC05A400000000000
  %v509 = select i1 %v508, float 0xC05A400000000000, float %v507
  %v510 = fcmp ogt float %v509, 0x4056C00000000000
  %v511 = select i1 %v510, float 0x4056C00000000000, float %v509
  %v512 = call float @llvm.fmuladd.f32(float %v511, float 0x3FF7154760000000, float 0x4168000000000000)
  %v513 = fsub contract float %v512, 0x4168000000000000
  %v514 = bitcast float %v512 to i32
  %v515 = sub i32 %v514, 1262485504
  %v516 = call float @llvm.fmuladd.f32(float %v513, float 0xBFE6300000000000, float %v511)
  %v517 = call float @llvm.fmuladd.f32(float %v513, float 0x3F2BD01060000000, float %v516)
  %v518 = call float @llvm.fmuladd.f32(float %v517, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v519 = call float @llvm.fmuladd.f32(float %v518, float %v517, float 0x3F81110C60000000)
  %v520 = call float @llvm.fmuladd.f32(float %v519, float %v517, float 0x3FA5554EA0000000)
  %v521 = call float @llvm.fmuladd.f32(float %v520, float %v517, float 0x3FC5555560000000)
  %v522 = call float @llvm.fmuladd.f32(float %v521, float %v517, float 0x3FE0000000000000)
  %v523 = fmul contract float %v517, %v517
  %v524 = call float @llvm.fmuladd.f32(float %v522, float %v523, float %v517)
  %v525 = fadd contract float %v524, 0x3FF0000000000000
  %v526 = add i32 %v515, 0
  %v527 = ashr i32 %v526, 1
  %v528 = add i32 %v527, 127
  %v529 = shl i32 %v528, 23
  %v530 = bitcast i32 %v529 to float
  %v531 = fmul contract float %v525, %v530
  %v532 = sub i32 %v526, %v527
  %v533 = add i32 %v532, 127
  %v534 = shl i32 %v533, 23
  %v535 = bitcast i32 %v534 to float
  %v536 = fmul contract float %v531, %v535
  %v537 = fadd contract float %v494, %v536
  %v538 = trunc i64 %row to i32
  %v539 = trunc i64 %v5 to i32
  %v540 = add i32 %v539, 1
  %v541 = mul i64 %row, %v48
  %v542 = add i64 1, %v5
  %v543 = mul i64 %v542, 4
  %v544 = add i64 %v541, %v543
  %v545 = add i64 %v544, 3
  %v546 = getelementptr inbounds float, ptr %v54, i64 %v545
  %v547 = load float, ptr %v546, align 4, !llvm.access.group !5, !alias.scope !4
  %v548 = fmul contract float %v536, %v547
  %v549 = fadd contract float %v504, %v548
  %v550 = fdiv float 0x3FF0000000000000, %v537
  %v551 = fmul contract float %v549, %v550
  %v552 = mul i64 %v8, 4
  %v553 = fcmp ogt float %v146, 0x0000000000000000
  %v554 = select i1 %v553, float %v146, float 0x0000000000000000
  %v555 = fcmp olt float %v554, 0x406FE00000000000
  %v556 = select i1 %v555, float %v554, float 0x406FE00000000000
  %v557 = fadd contract float %v556, 0x4160000000000000
  %v558 = bitcast float %v557 to i32
  %v559 = trunc i32 %v558 to i8
  %v562 = getelementptr inbounds i8, ptr %v561, i64 %v552
  store i8 %v559, ptr %v562, align 1, !noalias !4, !llvm.access.group !5
  %v563 = add i64 %v552, 1
  %v564 = fcmp ogt float %v281, 0x0000000000000000
  %v565 = select i1 %v564, float %v281, float 0x0000000000000000
  %v566 = fcmp olt float %v565, 0x406FE00000000000
  %v567 = select i1 %v566, float %v565, float 0x406FE00000000000
  %v568 = fadd contract float %v567, 0x4160000000000000
  %v569 = bitcast float %v568 to i32
  %v570 = trunc i32 %v569 to i8
  %v571 = getelementptr inbounds i8, ptr %v561, i64 %v563
  store i8 %v570, ptr %v571, align 1, !noalias !4, !llvm.access.group !5
  %v572 = add i64 %v552, 2
  %v573 = fcmp ogt float %v416, 0x0000000000000000
  %v574 = select i1 %v573, float %v416, float 0x0000000000000000
  %v575 = fcmp olt float %v574, 0x406FE00000000000
  %v576 = select i1 %v575, float %v574, float 0x406FE00000000000
  %v577 = fadd contract float %v576, 0x4160000000000000
  %v578 = bitcast float %v577 to i32
  %v579 = trunc i32 %v578 to i8
  %v580 = getelementptr inbounds i8, ptr %v561, i64 %v572
  store i8 %v579, ptr %v580, align 1, !noalias !4, !llvm.access.group !5
  %v581 = add i64 %v552, 3
  %v582 = fcmp ogt float %v551, 0x0000000000000000
  %v583 = select i1 %v582, float %v551, float 0x0000000000000000
  %v584 = fcmp olt float %v583, 0x406FE00000000000
  %v585 = select i1 %v584, float %v583, float 0x406FE00000000000
  %v586 = fadd contract float %v585, 0x4160000000000000
  %v587 = bitcast float %v586 to i32
  %v588 = trunc i32 %v587 to i8
  %v589 = getelementptr inbounds i8, ptr %v561, i64 %v581
  store i8 %v588, ptr %v589, align 1, !noalias !4, !llvm.access.group !5
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !6
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
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
!5 = distinct !{}
!6 = distinct !{!6, !{!"llvm.loop.parallel_accesses", !5}, !{!"llvm.loop.mustprogress"}}
