declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
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
  %v58 = getelementptr inbounds i64, ptr %block, i64 2
  %v59 = load ptr, ptr %v58, align 8
  %v603 = getelementptr inbounds i64, ptr %block, i64 1
  %v604 = load ptr, ptr %v603, align 8
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
  %v52 = add i64 %v51, -1
  %v53 = call i64 @llvm.smin.i64(i64 %v49, i64 %v52)
  %v54 = call i64 @llvm.smax.i64(i64 %v53, i64 0)
  %v55 = mul i64 %v54, %v48
  %v56 = mul i64 %v5, 4
  %v57 = add i64 %v55, %v56
  %v60 = getelementptr inbounds i8, ptr %v59, i64 %v57
  %v61 = load i8, ptr %v60, align 1, !llvm.access.group !0, !alias.scope !4
  %v62 = zext i8 %v61 to i32
  %v63 = sitofp i32 %v62 to float
  %v64 = fmul contract float %v43, %v63
  %v65 = fadd contract float 0x0000000000000000, %v64
  %v66 = fdiv float 0x0000000000000000, %v11
  %v67 = fmul contract float %v66, %v66
  %v68 = fmul contract float 0xBFE0000000000000, %v67
  %v69 = fcmp olt float %v68, 0xC05A400000000000
  %v70 = select i1 %v69, float 0xC05A400000000000, float %v68
  %v71 = fcmp ogt float %v70, 0x4056C00000000000
  %v72 = select i1 %v71, float 0x4056C00000000000, float %v70
  %v73 = call float @llvm.fmuladd.f32(float %v72, float 0x3FF7154760000000, float 0x4168000000000000)
  %v74 = fsub contract float %v73, 0x4168000000000000
  %v75 = bitcast float %v73 to i32
  %v76 = sub i32 %v75, 1262485504
  %v77 = call float @llvm.fmuladd.f32(float %v74, float 0xBFE6300000000000, float %v72)
  %v78 = call float @llvm.fmuladd.f32(float %v74, float 0x3F2BD01060000000, float %v77)
  %v79 = call float @llvm.fmuladd.f32(float %v78, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v80 = call float @llvm.fmuladd.f32(float %v79, float %v78, float 0x3F81110C60000000)
  %v81 = call float @llvm.fmuladd.f32(float %v80, float %v78, float 0x3FA5554EA0000000)
  %v82 = call float @llvm.fmuladd.f32(float %v81, float %v78, float 0x3FC5555560000000)
  %v83 = call float @llvm.fmuladd.f32(float %v82, float %v78, float 0x3FE0000000000000)
  %v84 = fmul contract float %v78, %v78
  %v85 = call float @llvm.fmuladd.f32(float %v83, float %v84, float %v78)
  %v86 = fadd contract float %v85, 0x3FF0000000000000
  %v87 = add i32 %v76, 0
  %v88 = ashr i32 %v87, 1
  %v89 = add i32 %v88, 127
  %v90 = shl i32 %v89, 23
  %v91 = bitcast i32 %v90 to float
  %v92 = fmul contract float %v86, %v91
  %v93 = sub i32 %v87, %v88
  %v94 = add i32 %v93, 127
  %v95 = shl i32 %v94, 23
  %v96 = bitcast i32 %v95 to float
  %v97 = fmul contract float %v92, %v96
  %v98 = fadd contract float %v44, %v97
  %v99 = trunc i64 %row to i32
  %v100 = trunc i64 %v5 to i32
  %v101 = mul i64 %row, %v48
  %v102 = mul i64 %v5, 4
  %v103 = add i64 %v101, %v102
  %v104 = getelementptr inbounds i8, ptr %v59, i64 %v103
  %v105 = load i8, ptr %v104, align 1, !llvm.access.group !0, !alias.scope !4
  %v106 = zext i8 %v105 to i32
  %v107 = sitofp i32 %v106 to float
  %v108 = fmul contract float %v97, %v107
  %v109 = fadd contract float %v65, %v108
  %v110 = fdiv float 0x3FF0000000000000, %v11
  %v111 = fmul contract float %v110, %v110
  %v112 = fmul contract float 0xBFE0000000000000, %v111
  %v113 = fcmp olt float %v112, 0xC05A400000000000
  %v114 = select i1 %v113, float 0xC05A400000000000, float %v112
  %v115 = fcmp ogt float %v114, 0x4056C00000000000
  %v116 = select i1 %v115, float 0x4056C00000000000, float %v114
  %v117 = call float @llvm.fmuladd.f32(float %v116, float 0x3FF7154760000000, float 0x4168000000000000)
  %v118 = fsub contract float %v117, 0x4168000000000000
  %v119 = bitcast float %v117 to i32
  %v120 = sub i32 %v119, 1262485504
  %v121 = call float @llvm.fmuladd.f32(float %v118, float 0xBFE6300000000000, float %v116)
  %v122 = call float @llvm.fmuladd.f32(float %v118, float 0x3F2BD01060000000, float %v121)
  %v123 = call float @llvm.fmuladd.f32(float %v122, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v124 = call float @llvm.fmuladd.f32(float %v123, float %v122, float 0x3F81110C60000000)
  %v125 = call float @llvm.fmuladd.f32(float %v124, float %v122, float 0x3FA5554EA0000000)
  %v126 = call float @llvm.fmuladd.f32(float %v125, float %v122, float 0x3FC5555560000000)
  %v127 = call float @llvm.fmuladd.f32(float %v126, float %v122, float 0x3FE0000000000000)
  %v128 = fmul contract float %v122, %v122
  %v129 = call float @llvm.fmuladd.f32(float %v127, float %v128, float %v122)
  %v130 = fadd contract float %v129, 0x3FF0000000000000
  %v131 = add i32 %v120, 0
  %v132 = ashr i32 %v131, 1
  %v133 = add i32 %v132, 127
  %v134 = shl i32 %v133, 23
  %v135 = bitcast i32 %v134 to float
  %v136 = fmul contract float %v130, %v135
  %v137 = sub i32 %v131, %v132
  %v138 = add i32 %v137, 127
  %v139 = shl i32 %v138, 23
  %v140 = bitcast i32 %v139 to float
  %v141 = fmul contract float %v136, %v140
  %v142 = fadd contract float %v98, %v141
  %v143 = trunc i64 %row to i32
  %v144 = add i32 %v143, 1
  %v145 = trunc i64 %v5 to i32
  %v146 = add i64 1, %row
  %v147 = add i64 %v51, -1
  %v148 = call i64 @llvm.smin.i64(i64 %v146, i64 %v147)
  %v149 = call i64 @llvm.smax.i64(i64 %v148, i64 0)
  %v150 = mul i64 %v149, %v48
  %v151 = mul i64 %v5, 4
  %v152 = add i64 %v150, %v151
  %v153 = getelementptr inbounds i8, ptr %v59, i64 %v152
  %v154 = load i8, ptr %v153, align 1, !llvm.access.group !0, !alias.scope !4
  %v155 = zext i8 %v154 to i32
  %v156 = sitofp i32 %v155 to float
  %v157 = fmul contract float %v141, %v156
  %v158 = fadd contract float %v109, %v157
  %v159 = fdiv float 0x3FF0000000000000, %v142
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
  %v198 = add i64 %v51, -1
  %v199 = call i64 @llvm.smin.i64(i64 %v197, i64 %v198)
  %v200 = call i64 @llvm.smax.i64(i64 %v199, i64 0)
  %v201 = mul i64 %v200, %v48
  %v202 = mul i64 %v5, 4
  %v203 = add i64 %v201, %v202
  %v204 = add i64 %v203, 1
  %v205 = getelementptr inbounds i8, ptr %v59, i64 %v204
  %v206 = load i8, ptr %v205, align 1, !llvm.access.group !0, !alias.scope !4
  %v207 = zext i8 %v206 to i32
  %v208 = sitofp i32 %v207 to float
  %v209 = fmul contract float %v192, %v208
  %v210 = fadd contract float 0x0000000000000000, %v209
  %v211 = fdiv float 0x0000000000000000, %v11
  %v212 = fmul contract float %v211, %v211
  %v213 = fmul contract float 0xBFE0000000000000, %v212
  %v214 = fcmp olt float %v213, 0xC05A400000000000
  %v215 = select i1 %v214, float 0xC05A400000000000, float %v213
  %v216 = fcmp ogt float %v215, 0x4056C00000000000
  %v217 = select i1 %v216, float 0x4056C00000000000, float %v215
  %v218 = call float @llvm.fmuladd.f32(float %v217, float 0x3FF7154760000000, float 0x4168000000000000)
  %v219 = fsub contract float %v218, 0x4168000000000000
  %v220 = bitcast float %v218 to i32
  %v221 = sub i32 %v220, 1262485504
  %v222 = call float @llvm.fmuladd.f32(float %v219, float 0xBFE6300000000000, float %v217)
  %v223 = call float @llvm.fmuladd.f32(float %v219, float 0x3F2BD01060000000, float %v222)
  %v224 = call float @llvm.fmuladd.f32(float %v223, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v225 = call float @llvm.fmuladd.f32(float %v224, float %v223, float 0x3F81110C60000000)
  %v226 = call float @llvm.fmuladd.f32(float %v225, float %v223, float 0x3FA5554EA0000000)
  %v227 = call float @llvm.fmuladd.f32(float %v226, float %v223, float 0x3FC5555560000000)
  %v228 = call float @llvm.fmuladd.f32(float %v227, float %v223, float 0x3FE0000000000000)
  %v229 = fmul contract float %v223, %v223
  %v230 = call float @llvm.fmuladd.f32(float %v228, float %v229, float %v223)
  %v231 = fadd contract float %v230, 0x3FF0000000000000
  %v232 = add i32 %v221, 0
  %v233 = ashr i32 %v232, 1
  %v234 = add i32 %v233, 127
  %v235 = shl i32 %v234, 23
  %v236 = bitcast i32 %v235 to float
  %v237 = fmul contract float %v231, %v236
  %v238 = sub i32 %v232, %v233
  %v239 = add i32 %v238, 127
  %v240 = shl i32 %v239, 23
  %v241 = bitcast i32 %v240 to float
  %v242 = fmul contract float %v237, %v241
  %v243 = fadd contract float %v193, %v242
  %v244 = trunc i64 %row to i32
  %v245 = trunc i64 %v5 to i32
  %v246 = mul i64 %row, %v48
  %v247 = mul i64 %v5, 4
  %v248 = add i64 %v246, %v247
  %v249 = add i64 %v248, 1
  %v250 = getelementptr inbounds i8, ptr %v59, i64 %v249
  %v251 = load i8, ptr %v250, align 1, !llvm.access.group !0, !alias.scope !4
  %v252 = zext i8 %v251 to i32
  %v253 = sitofp i32 %v252 to float
  %v254 = fmul contract float %v242, %v253
  %v255 = fadd contract float %v210, %v254
  %v256 = fdiv float 0x3FF0000000000000, %v11
  %v257 = fmul contract float %v256, %v256
  %v258 = fmul contract float 0xBFE0000000000000, %v257
  %v259 = fcmp olt float %v258, 0xC05A400000000000
  %v260 = select i1 %v259, float 0xC05A400000000000, float %v258
  %v261 = fcmp ogt float %v260, 0x4056C00000000000
  %v262 = select i1 %v261, float 0x4056C00000000000, float %v260
  %v263 = call float @llvm.fmuladd.f32(float %v262, float 0x3FF7154760000000, float 0x4168000000000000)
  %v264 = fsub contract float %v263, 0x4168000000000000
  %v265 = bitcast float %v263 to i32
  %v266 = sub i32 %v265, 1262485504
  %v267 = call float @llvm.fmuladd.f32(float %v264, float 0xBFE6300000000000, float %v262)
  %v268 = call float @llvm.fmuladd.f32(float %v264, float 0x3F2BD01060000000, float %v267)
  %v269 = call float @llvm.fmuladd.f32(float %v268, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v270 = call float @llvm.fmuladd.f32(float %v269, float %v268, float 0x3F81110C60000000)
  %v271 = call float @llvm.fmuladd.f32(float %v270, float %v268, float 0x3FA5554EA0000000)
  %v272 = call float @llvm.fmuladd.f32(float %v271, float %v268, float 0x3FC5555560000000)
  %v273 = call float @llvm.fmuladd.f32(float %v272, float %v268, float 0x3FE0000000000000)
  %v274 = fmul contract float %v268, %v268
  %v275 = call float @llvm.fmuladd.f32(float %v273, float %v274, float %v268)
  %v276 = fadd contract float %v275, 0x3FF0000000000000
  %v277 = add i32 %v266, 0
  %v278 = ashr i32 %v277, 1
  %v279 = add i32 %v278, 127
  %v280 = shl i32 %v279, 23
  %v281 = bitcast i32 %v280 to float
  %v282 = fmul contract float %v276, %v281
  %v283 = sub i32 %v277, %v278
  %v284 = add i32 %v283, 127
  %v285 = shl i32 %v284, 23
  %v286 = bitcast i32 %v285 to float
  %v287 = fmul contract float %v282, %v286
  %v288 = fadd contract float %v243, %v287
  %v289 = trunc i64 %row to i32
  %v290 = add i32 %v289, 1
  %v291 = trunc i64 %v5 to i32
  %v292 = add i64 1, %row
  %v293 = add i64 %v51, -1
  %v294 = call i64 @llvm.smin.i64(i64 %v292, i64 %v293)
  %v295 = call i64 @llvm.smax.i64(i64 %v294, i64 0)
  %v296 = mul i64 %v295, %v48
  %v297 = mul i64 %v5, 4
  %v298 = add i64 %v296, %v297
  %v299 = add i64 %v298, 1
  %v300 = getelementptr inbounds i8, ptr %v59, i64 %v299
  %v301 = load i8, ptr %v300, align 1, !llvm.access.group !0, !alias.scope !4
  %v302 = zext i8 %v301 to i32
  %v303 = sitofp i32 %v302 to float
  %v304 = fmul contract float %v287, %v303
  %v305 = fadd contract float %v255, %v304
  %v306 = fdiv float 0x3FF0000000000000, %v288
  %v307 = fmul contract float %v305, %v306
  %v308 = fdiv float 0xBFF0000000000000, %v11
  %v309 = fmul contract float %v308, %v308
  %v310 = fmul contract float 0xBFE0000000000000, %v309
  %v311 = fcmp olt float %v310, 0xC05A400000000000
  %v312 = select i1 %v311, float 0xC05A400000000000, float %v310
  %v313 = fcmp ogt float %v312, 0x4056C00000000000
  %v314 = select i1 %v313, float 0x4056C00000000000, float %v312
  %v315 = call float @llvm.fmuladd.f32(float %v314, float 0x3FF7154760000000, float 0x4168000000000000)
  %v316 = fsub contract float %v315, 0x4168000000000000
  %v317 = bitcast float %v315 to i32
  %v318 = sub i32 %v317, 1262485504
  %v319 = call float @llvm.fmuladd.f32(float %v316, float 0xBFE6300000000000, float %v314)
  %v320 = call float @llvm.fmuladd.f32(float %v316, float 0x3F2BD01060000000, float %v319)
  %v321 = call float @llvm.fmuladd.f32(float %v320, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v322 = call float @llvm.fmuladd.f32(float %v321, float %v320, float 0x3F81110C60000000)
  %v323 = call float @llvm.fmuladd.f32(float %v322, float %v320, float 0x3FA5554EA0000000)
  %v324 = call float @llvm.fmuladd.f32(float %v323, float %v320, float 0x3FC5555560000000)
  %v325 = call float @llvm.fmuladd.f32(float %v324, float %v320, float 0x3FE0000000000000)
  %v326 = fmul contract float %v320, %v320
  %v327 = call float @llvm.fmuladd.f32(float %v325, float %v326, float %v320)
  %v328 = fadd contract float %v327, 0x3FF0000000000000
  %v329 = add i32 %v318, 0
  %v330 = ashr i32 %v329, 1
  %v331 = add i32 %v330, 127
  %v332 = shl i32 %v331, 23
  %v333 = bitcast i32 %v332 to float
  %v334 = fmul contract float %v328, %v333
  %v335 = sub i32 %v329, %v330
  %v336 = add i32 %v335, 127
  %v337 = shl i32 %v336, 23
  %v338 = bitcast i32 %v337 to float
  %v339 = fmul contract float %v334, %v338
  %v340 = fadd contract float 0x0000000000000000, %v339
  %v341 = trunc i64 %row to i32
  %v342 = add i32 %v341, -1
  %v343 = trunc i64 %v5 to i32
  %v344 = add i64 -1, %row
  %v345 = add i64 %v51, -1
  %v346 = call i64 @llvm.smin.i64(i64 %v344, i64 %v345)
  %v347 = call i64 @llvm.smax.i64(i64 %v346, i64 0)
  %v348 = mul i64 %v347, %v48
  %v349 = mul i64 %v5, 4
  %v350 = add i64 %v348, %v349
  %v351 = add i64 %v350, 2
  %v352 = getelementptr inbounds i8, ptr %v59, i64 %v351
  %v353 = load i8, ptr %v352, align 1, !llvm.access.group !0, !alias.scope !4
  %v354 = zext i8 %v353 to i32
  %v355 = sitofp i32 %v354 to float
  %v356 = fmul contract float %v339, %v355
  %v357 = fadd contract float 0x0000000000000000, %v356
  %v358 = fdiv float 0x0000000000000000, %v11
  %v359 = fmul contract float %v358, %v358
  %v360 = fmul contract float 0xBFE0000000000000, %v359
  %v361 = fcmp olt float %v360, 0xC05A400000000000
  %v362 = select i1 %v361, float 0xC05A400000000000, float %v360
  %v363 = fcmp ogt float %v362, 0x4056C00000000000
  %v364 = select i1 %v363, float 0x4056C00000000000, float %v362
  %v365 = call float @llvm.fmuladd.f32(float %v364, float 0x3FF7154760000000, float 0x4168000000000000)
  %v366 = fsub contract float %v365, 0x4168000000000000
  %v367 = bitcast float %v365 to i32
  %v368 = sub i32 %v367, 1262485504
  %v369 = call float @llvm.fmuladd.f32(float %v366, float 0xBFE6300000000000, float %v364)
  %v370 = call float @llvm.fmuladd.f32(float %v366, float 0x3F2BD01060000000, float %v369)
  %v371 = call float @llvm.fmuladd.f32(float %v370, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v372 = call float @llvm.fmuladd.f32(float %v371, float %v370, float 0x3F81110C60000000)
  %v373 = call float @llvm.fmuladd.f32(float %v372, float %v370, float 0x3FA5554EA0000000)
  %v374 = call float @llvm.fmuladd.f32(float %v373, float %v370, float 0x3FC5555560000000)
  %v375 = call float @llvm.fmuladd.f32(float %v374, float %v370, float 0x3FE0000000000000)
  %v376 = fmul contract float %v370, %v370
  %v377 = call float @llvm.fmuladd.f32(float %v375, float %v376, float %v370)
  %v378 = fadd contract float %v377, 0x3FF0000000000000
  %v379 = add i32 %v368, 0
  %v380 = ashr i32 %v379, 1
  %v381 = add i32 %v380, 127
  %v382 = shl i32 %v381, 23
  %v383 = bitcast i32 %v382 to float
  %v384 = fmul contract float %v378, %v383
  %v385 = sub i32 %v379, %v380
  %v386 = add i32 %v385, 127
  %v387 = shl i32 %v386, 23
  %v388 = bitcast i32 %v387 to float
  %v389 = fmul contract float %v384, %v388
  %v390 = fadd contract float %v340, %v389
  %v391 = trunc i64 %row to i32
  %v392 = trunc i64 %v5 to i32
  %v393 = mul i64 %row, %v48
  %v394 = mul i64 %v5, 4
  %v395 = add i64 %v393, %v394
  %v396 = add i64 %v395, 2
  %v397 = getelementptr inbounds i8, ptr %v59, i64 %v396
  %v398 = load i8, ptr %v397, align 1, !llvm.access.group !0, !alias.scope !4
  %v399 = zext i8 %v398 to i32
  %v400 = sitofp i32 %v399 to float
  %v401 = fmul contract float %v389, %v400
  %v402 = fadd contract float %v357, %v401
  %v403 = fdiv float 0x3FF0000000000000, %v11
  %v404 = fmul contract float %v403, %v403
  %v405 = fmul contract float 0xBFE0000000000000, %v404
  %v406 = fcmp olt float %v405, 0xC05A400000000000
  %v407 = select i1 %v406, float 0xC05A400000000000, float %v405
  %v408 = fcmp ogt float %v407, 0x4056C00000000000
  %v409 = select i1 %v408, float 0x4056C00000000000, float %v407
  %v410 = call float @llvm.fmuladd.f32(float %v409, float 0x3FF7154760000000, float 0x4168000000000000)
  %v411 = fsub contract float %v410, 0x4168000000000000
  %v412 = bitcast float %v410 to i32
  %v413 = sub i32 %v412, 1262485504
  %v414 = call float @llvm.fmuladd.f32(float %v411, float 0xBFE6300000000000, float %v409)
  %v415 = call float @llvm.fmuladd.f32(float %v411, float 0x3F2BD01060000000, float %v414)
  %v416 = call float @llvm.fmuladd.f32(float %v415, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v417 = call float @llvm.fmuladd.f32(float %v416, float %v415, float 0x3F81110C60000000)
  %v418 = call float @llvm.fmuladd.f32(float %v417, float %v415, float 0x3FA5554EA0000000)
  %v419 = call float @llvm.fmuladd.f32(float %v418, float %v415, float 0x3FC5555560000000)
  %v420 = call float @llvm.fmuladd.f32(float %v419, float %v415, float 0x3FE0000000000000)
  %v421 = fmul contract float %v415, %v415
  %v422 = call float @llvm.fmuladd.f32(float %v420, float %v421, float %v415)
  %v423 = fadd contract float %v422, 0x3FF0000000000000
  %v424 = add i32 %v413, 0
  %v425 = ashr i32 %v424, 1
  %v426 = add i32 %v425, 127
  %v427 = shl i32 %v426, 23
  %v428 = bitcast i32 %v427 to float
  %v429 = fmul contract float %v423, %v428
  %v430 = sub i32 %v424, %v425
  %v431 = add i32 %v430, 127
  %v432 = shl i32 %v431, 23
  %v433 = bitcast i32 %v432 to float
  %v434 = fmul contract float %v429, %v433
  %v435 = fadd contract float %v390, %v434
  %v436 = trunc i64 %row to i32
  %v437 = add i32 %v436, 1
  %v438 = trunc i64 %v5 to i32
  %v439 = add i64 1, %row
  %v440 = add i64 %v51, -1
  %v441 = call i64 @llvm.smin.i64(i64 %v439, i64 %v440)
  %v442 = call i64 @llvm.smax.i64(i64 %v441, i64 0)
  %v443 = mul i64 %v442, %v48
  %v444 = mul i64 %v5, 4
  %v445 = add i64 %v443, %v444
  %v446 = add i64 %v445, 2
  %v447 = getelementptr inbounds i8, ptr %v59, i64 %v446
  %v448 = load i8, ptr %v447, align 1, !llvm.access.group !0, !alias.scope !4
  %v449 = zext i8 %v448 to i32
  %v450 = sitofp i32 %v449 to float
  %v451 = fmul contract float %v434, %v450
  %v452 = fadd contract float %v402, %v451
  %v453 = fdiv float 0x3FF0000000000000, %v435
  %v454 = fmul contract float %v452, %v453
  %v455 = fdiv float 0xBFF0000000000000, %v11
  %v456 = fmul contract float %v455, %v455
  %v457 = fmul contract float 0xBFE0000000000000, %v456
  %v458 = fcmp olt float %v457, 0xC05A400000000000
  %v459 = select i1 %v458, float 0xC05A400000000000, float %v457
  %v460 = fcmp ogt float %v459, 0x4056C00000000000
  %v461 = select i1 %v460, float 0x4056C00000000000, float %v459
  %v462 = call float @llvm.fmuladd.f32(float %v461, float 0x3FF7154760000000, float 0x4168000000000000)
  %v463 = fsub contract float %v462, 0x4168000000000000
  %v464 = bitcast float %v462 to i32
  %v465 = sub i32 %v464, 1262485504
  %v466 = call float @llvm.fmuladd.f32(float %v463, float 0xBFE6300000000000, float %v461)
  %v467 = call float @llvm.fmuladd.f32(float %v463, float 0x3F2BD01060000000, float %v466)
  %v468 = call float @llvm.fmuladd.f32(float %v467, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v469 = call float @llvm.fmuladd.f32(float %v468, float %v467, float 0x3F81110C60000000)
  %v470 = call float @llvm.fmuladd.f32(float %v469, float %v467, float 0x3FA5554EA0000000)
  %v471 = call float @llvm.fmuladd.f32(float %v470, float %v467, float 0x3FC5555560000000)
  %v472 = call float @llvm.fmuladd.f32(float %v471, float %v467, float 0x3FE0000000000000)
  %v473 = fmul contract float %v467, %v467
  %v474 = call float @llvm.fmuladd.f32(float %v472, float %v473, float %v467)
  %v475 = fadd contract float %v474, 0x3FF0000000000000
  %v476 = add i32 %v465, 0
  %v477 = ashr i32 %v476, 1
  %v478 = add i32 %v477, 127
  %v479 = shl i32 %v478, 23
  %v480 = bitcast i32 %v479 to float
  %v481 = fmul contract float %v475, %v480
  %v482 = sub i32 %v476, %v477
  %v483 = add i32 %v482, 127
  %v484 = shl i32 %v483, 23
  %v485 = bitcast i32 %v484 to float
  %v486 = fmul contract float %v481, %v485
  %v487 = fadd contract float 0x0000000000000000, %v486
  %v488 = trunc i64 %row to i32
  %v489 = add i32 %v488, -1
  %v490 = trunc i64 %v5 to i32
  %v491 = add i64 -1, %row
  %v492 = add i64 %v51, -1
  %v493 = call i64 @llvm.smin.i64(i64 %v491, i64 %v492)
  %v494 = call i64 @llvm.smax.i64(i64 %v493, i64 0)
  %v495 = mul i64 %v494, %v48
  %v496 = mul i64 %v5, 4
  %v497 = add i64 %v495, %v496
  %v498 = add i64 %v497, 3
  %v499 = getelementptr inbounds i8, ptr %v59, i64 %v498
  %v500 = load i8, ptr %v499, align 1, !llvm.access.group !0, !alias.scope !4
  %v501 = zext i8 %v500 to i32
  %v502 = sitofp i32 %v501 to float
  %v503 = fmul contract float %v486, %v502
  %v504 = fadd contract float 0x0000000000000000, %v503
  %v505 = fdiv float 0x0000000000000000, %v11
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
  %v537 = fadd contract float %v487, %v536
  %v538 = trunc i64 %row to i32
  %v539 = trunc i64 %v5 to i32
  %v540 = mul i64 %row, %v48
  %v541 = mul i64 %v5, 4
  %v542 = add i64 %v540, %v541
  %v543 = add i64 %v542, 3
  %v544 = getelementptr inbounds i8, ptr %v59, i64 %v543
  %v545 = load i8, ptr %v544, align 1, !llvm.access.group !0, !alias.scope !4
  %v546 = zext i8 %v545 to i32
  %v547 = sitofp i32 %v546 to float
  %v548 = fmul contract float %v536, %v547
  %v549 = fadd contract float %v504, %v548
  %v550 = fdiv float 0x3FF0000000000000, %v11
  %v551 = fmul contract float %v550, %v550
  %v552 = fmul contract float 0xBFE0000000000000, %v551
  %v553 = fcmp olt float %v552, 0xC05A400000000000
  %v554 = select i1 %v553, float 0xC05A400000000000, float %v552
  %v555 = fcmp ogt float %v554, 0x4056C00000000000
  %v556 = select i1 %v555, float 0x4056C00000000000, float %v554
  %v557 = call float @llvm.fmuladd.f32(float %v556, float 0x3FF7154760000000, float 0x4168000000000000)
  %v558 = fsub contract float %v557, 0x4168000000000000
  %v559 = bitcast float %v557 to i32
  %v560 = sub i32 %v559, 1262485504
  %v561 = call float @llvm.fmuladd.f32(float %v558, float 0xBFE6300000000000, float %v556)
  %v562 = call float @llvm.fmuladd.f32(float %v558, float 0x3F2BD01060000000, float %v561)
  %v563 = call float @llvm.fmuladd.f32(float %v562, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v564 = call float @llvm.fmuladd.f32(float %v563, float %v562, float 0x3F81110C60000000)
  %v565 = call float @llvm.fmuladd.f32(float %v564, float %v562, float 0x3FA5554EA0000000)
  %v566 = call float @llvm.fmuladd.f32(float %v565, float %v562, float 0x3FC5555560000000)
  %v567 = call float @llvm.fmuladd.f32(float %v566, float %v562, float 0x3FE0000000000000)
  %v568 = fmul contract float %v562, %v562
  %v569 = call float @llvm.fmuladd.f32(float %v567, float %v568, float %v562)
  %v570 = fadd contract float %v569, 0x3FF0000000000000
  %v571 = add i32 %v560, 0
  %v572 = ashr i32 %v571, 1
  %v573 = add i32 %v572, 127
  %v574 = shl i32 %v573, 23
  %v575 = bitcast i32 %v574 to float
  %v576 = fmul contract float %v570, %v575
  %v577 = sub i32 %v571, %v572
  %v578 = add i32 %v577, 127
  %v579 = shl i32 %v578, 23
  %v580 = bitcast i32 %v579 to float
  %v581 = fmul contract float %v576, %v580
  %v582 = fadd contract float %v537, %v581
  %v583 = trunc i64 %row to i32
  %v584 = add i32 %v583, 1
  %v585 = trunc i64 %v5 to i32
  %v586 = add i64 1, %row
  %v587 = add i64 %v51, -1
  %v588 = call i64 @llvm.smin.i64(i64 %v586, i64 %v587)
  %v589 = call i64 @llvm.smax.i64(i64 %v588, i64 0)
  %v590 = mul i64 %v589, %v48
  %v591 = mul i64 %v5, 4
  %v592 = add i64 %v590, %v591
  %v593 = add i64 %v592, 3
  %v594 = getelementptr inbounds i8, ptr %v59, i64 %v593
  %v595 = load i8, ptr %v594, align 1, !llvm.access.group !0, !alias.scope !4
  %v596 = zext i8 %v595 to i32
  %v597 = sitofp i32 %v596 to float
  %v598 = fmul contract float %v581, %v597
  %v599 = fadd contract float %v549, %v598
  %v600 = fdiv float 0x3FF0000000000000, %v582
  %v601 = fmul contract float %v599, %v600
  %v602 = mul i64 %v8, 4
  %v605 = getelementptr inbounds float, ptr %v604, i64 %v602
  store float %v160, ptr %v605, align 4, !noalias !4, !llvm.access.group !0
  %v606 = add i64 %v602, 1
  %v607 = getelementptr inbounds float, ptr %v604, i64 %v606
  store float %v307, ptr %v607, align 4, !noalias !4, !llvm.access.group !0
  %v608 = add i64 %v602, 2
  %v609 = getelementptr inbounds float, ptr %v604, i64 %v608
  store float %v454, ptr %v609, align 4, !noalias !4, !llvm.access.group !0
  %v610 = add i64 %v602, 3
  %v611 = getelementptr inbounds float, ptr %v604, i64 %v610
  store float %v601, ptr %v611, align 4, !noalias !4, !llvm.access.group !0
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
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 3
  %v10 = load double, ptr %v9, align 8
  %v11 = fptrunc double %v10 to float
  %v48 = mul i64 %v2, 4
  %v56 = getelementptr inbounds i64, ptr %block, i64 2
  %v57 = load ptr, ptr %v56, align 8
  %v584 = getelementptr inbounds i64, ptr %block, i64 1
  %v585 = load ptr, ptr %v584, align 8
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
  %v51 = add i64 %v2, -1
  %v52 = call i64 @llvm.smin.i64(i64 %v50, i64 %v51)
  %v53 = call i64 @llvm.smax.i64(i64 %v52, i64 0)
  %v54 = mul i64 %v53, 4
  %v55 = add i64 %v49, %v54
  %v58 = getelementptr inbounds float, ptr %v57, i64 %v55
  %v59 = load float, ptr %v58, align 4, !llvm.access.group !0, !alias.scope !4
  %v60 = fmul contract float %v43, %v59
  %v61 = fadd contract float 0x0000000000000000, %v60
  %v62 = fdiv float 0x0000000000000000, %v11
  %v63 = fmul contract float %v62, %v62
  %v64 = fmul contract float 0xBFE0000000000000, %v63
  %v65 = fcmp olt float %v64, 0xC05A400000000000
  %v66 = select i1 %v65, float 0xC05A400000000000, float %v64
  %v67 = fcmp ogt float %v66, 0x4056C00000000000
  %v68 = select i1 %v67, float 0x4056C00000000000, float %v66
  %v69 = call float @llvm.fmuladd.f32(float %v68, float 0x3FF7154760000000, float 0x4168000000000000)
  %v70 = fsub contract float %v69, 0x4168000000000000
  %v71 = bitcast float %v69 to i32
  %v72 = sub i32 %v71, 1262485504
  %v73 = call float @llvm.fmuladd.f32(float %v70, float 0xBFE6300000000000, float %v68)
  %v74 = call float @llvm.fmuladd.f32(float %v70, float 0x3F2BD01060000000, float %v73)
  %v75 = call float @llvm.fmuladd.f32(float %v74, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v76 = call float @llvm.fmuladd.f32(float %v75, float %v74, float 0x3F81110C60000000)
  %v77 = call float @llvm.fmuladd.f32(float %v76, float %v74, float 0x3FA5554EA0000000)
  %v78 = call float @llvm.fmuladd.f32(float %v77, float %v74, float 0x3FC5555560000000)
  %v79 = call float @llvm.fmuladd.f32(float %v78, float %v74, float 0x3FE0000000000000)
  %v80 = fmul contract float %v74, %v74
  %v81 = call float @llvm.fmuladd.f32(float %v79, float %v80, float %v74)
  %v82 = fadd contract float %v81, 0x3FF0000000000000
  %v83 = add i32 %v72, 0
  %v84 = ashr i32 %v83, 1
  %v85 = add i32 %v84, 127
  %v86 = shl i32 %v85, 23
  %v87 = bitcast i32 %v86 to float
  %v88 = fmul contract float %v82, %v87
  %v89 = sub i32 %v83, %v84
  %v90 = add i32 %v89, 127
  %v91 = shl i32 %v90, 23
  %v92 = bitcast i32 %v91 to float
  %v93 = fmul contract float %v88, %v92
  %v94 = fadd contract float %v44, %v93
  %v95 = trunc i64 %row to i32
  %v96 = trunc i64 %v5 to i32
  %v97 = mul i64 %row, %v48
  %v98 = mul i64 %v5, 4
  %v99 = add i64 %v97, %v98
  %v100 = getelementptr inbounds float, ptr %v57, i64 %v99
  %v101 = load float, ptr %v100, align 4, !llvm.access.group !0, !alias.scope !4
  %v102 = fmul contract float %v93, %v101
  %v103 = fadd contract float %v61, %v102
  %v104 = fdiv float 0x3FF0000000000000, %v11
  %v105 = fmul contract float %v104, %v104
  %v106 = fmul contract float 0xBFE0000000000000, %v105
  %v107 = fcmp olt float %v106, 0xC05A400000000000
  %v108 = select i1 %v107, float 0xC05A400000000000, float %v106
  %v109 = fcmp ogt float %v108, 0x4056C00000000000
  %v110 = select i1 %v109, float 0x4056C00000000000, float %v108
  %v111 = call float @llvm.fmuladd.f32(float %v110, float 0x3FF7154760000000, float 0x4168000000000000)
  %v112 = fsub contract float %v111, 0x4168000000000000
  %v113 = bitcast float %v111 to i32
  %v114 = sub i32 %v113, 1262485504
  %v115 = call float @llvm.fmuladd.f32(float %v112, float 0xBFE6300000000000, float %v110)
  %v116 = call float @llvm.fmuladd.f32(float %v112, float 0x3F2BD01060000000, float %v115)
  %v117 = call float @llvm.fmuladd.f32(float %v116, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v118 = call float @llvm.fmuladd.f32(float %v117, float %v116, float 0x3F81110C60000000)
  %v119 = call float @llvm.fmuladd.f32(float %v118, float %v116, float 0x3FA5554EA0000000)
  %v120 = call float @llvm.fmuladd.f32(float %v119, float %v116, float 0x3FC5555560000000)
  %v121 = call float @llvm.fmuladd.f32(float %v120, float %v116, float 0x3FE0000000000000)
  %v122 = fmul contract float %v116, %v116
  %v123 = call float @llvm.fmuladd.f32(float %v121, float %v122, float %v116)
  %v124 = fadd contract float %v123, 0x3FF0000000000000
  %v125 = add i32 %v114, 0
  %v126 = ashr i32 %v125, 1
  %v127 = add i32 %v126, 127
  %v128 = shl i32 %v127, 23
  %v129 = bitcast i32 %v128 to float
  %v130 = fmul contract float %v124, %v129
  %v131 = sub i32 %v125, %v126
  %v132 = add i32 %v131, 127
  %v133 = shl i32 %v132, 23
  %v134 = bitcast i32 %v133 to float
  %v135 = fmul contract float %v130, %v134
  %v136 = fadd contract float %v94, %v135
  %v137 = trunc i64 %row to i32
  %v138 = trunc i64 %v5 to i32
  %v139 = add i32 %v138, 1
  %v140 = mul i64 %row, %v48
  %v141 = add i64 1, %v5
  %v142 = add i64 %v2, -1
  %v143 = call i64 @llvm.smin.i64(i64 %v141, i64 %v142)
  %v144 = call i64 @llvm.smax.i64(i64 %v143, i64 0)
  %v145 = mul i64 %v144, 4
  %v146 = add i64 %v140, %v145
  %v147 = getelementptr inbounds float, ptr %v57, i64 %v146
  %v148 = load float, ptr %v147, align 4, !llvm.access.group !0, !alias.scope !4
  %v149 = fmul contract float %v135, %v148
  %v150 = fadd contract float %v103, %v149
  %v151 = fdiv float 0x3FF0000000000000, %v136
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
  %v191 = add i64 %v2, -1
  %v192 = call i64 @llvm.smin.i64(i64 %v190, i64 %v191)
  %v193 = call i64 @llvm.smax.i64(i64 %v192, i64 0)
  %v194 = mul i64 %v193, 4
  %v195 = add i64 %v189, %v194
  %v196 = add i64 %v195, 1
  %v197 = getelementptr inbounds float, ptr %v57, i64 %v196
  %v198 = load float, ptr %v197, align 4, !llvm.access.group !0, !alias.scope !4
  %v199 = fmul contract float %v184, %v198
  %v200 = fadd contract float 0x0000000000000000, %v199
  %v201 = fdiv float 0x0000000000000000, %v11
  %v202 = fmul contract float %v201, %v201
  %v203 = fmul contract float 0xBFE0000000000000, %v202
  %v204 = fcmp olt float %v203, 0xC05A400000000000
  %v205 = select i1 %v204, float 0xC05A400000000000, float %v203
  %v206 = fcmp ogt float %v205, 0x4056C00000000000
  %v207 = select i1 %v206, float 0x4056C00000000000, float %v205
  %v208 = call float @llvm.fmuladd.f32(float %v207, float 0x3FF7154760000000, float 0x4168000000000000)
  %v209 = fsub contract float %v208, 0x4168000000000000
  %v210 = bitcast float %v208 to i32
  %v211 = sub i32 %v210, 1262485504
  %v212 = call float @llvm.fmuladd.f32(float %v209, float 0xBFE6300000000000, float %v207)
  %v213 = call float @llvm.fmuladd.f32(float %v209, float 0x3F2BD01060000000, float %v212)
  %v214 = call float @llvm.fmuladd.f32(float %v213, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v215 = call float @llvm.fmuladd.f32(float %v214, float %v213, float 0x3F81110C60000000)
  %v216 = call float @llvm.fmuladd.f32(float %v215, float %v213, float 0x3FA5554EA0000000)
  %v217 = call float @llvm.fmuladd.f32(float %v216, float %v213, float 0x3FC5555560000000)
  %v218 = call float @llvm.fmuladd.f32(float %v217, float %v213, float 0x3FE0000000000000)
  %v219 = fmul contract float %v213, %v213
  %v220 = call float @llvm.fmuladd.f32(float %v218, float %v219, float %v213)
  %v221 = fadd contract float %v220, 0x3FF0000000000000
  %v222 = add i32 %v211, 0
  %v223 = ashr i32 %v222, 1
  %v224 = add i32 %v223, 127
  %v225 = shl i32 %v224, 23
  %v226 = bitcast i32 %v225 to float
  %v227 = fmul contract float %v221, %v226
  %v228 = sub i32 %v222, %v223
  %v229 = add i32 %v228, 127
  %v230 = shl i32 %v229, 23
  %v231 = bitcast i32 %v230 to float
  %v232 = fmul contract float %v227, %v231
  %v233 = fadd contract float %v185, %v232
  %v234 = trunc i64 %row to i32
  %v235 = trunc i64 %v5 to i32
  %v236 = mul i64 %row, %v48
  %v237 = mul i64 %v5, 4
  %v238 = add i64 %v236, %v237
  %v239 = add i64 %v238, 1
  %v240 = getelementptr inbounds float, ptr %v57, i64 %v239
  %v241 = load float, ptr %v240, align 4, !llvm.access.group !0, !alias.scope !4
  %v242 = fmul contract float %v232, %v241
  %v243 = fadd contract float %v200, %v242
  %v244 = fdiv float 0x3FF0000000000000, %v11
  %v245 = fmul contract float %v244, %v244
  %v246 = fmul contract float 0xBFE0000000000000, %v245
  %v247 = fcmp olt float %v246, 0xC05A400000000000
  %v248 = select i1 %v247, float 0xC05A400000000000, float %v246
  %v249 = fcmp ogt float %v248, 0x4056C00000000000
  %v250 = select i1 %v249, float 0x4056C00000000000, float %v248
  %v251 = call float @llvm.fmuladd.f32(float %v250, float 0x3FF7154760000000, float 0x4168000000000000)
  %v252 = fsub contract float %v251, 0x4168000000000000
  %v253 = bitcast float %v251 to i32
  %v254 = sub i32 %v253, 1262485504
  %v255 = call float @llvm.fmuladd.f32(float %v252, float 0xBFE6300000000000, float %v250)
  %v256 = call float @llvm.fmuladd.f32(float %v252, float 0x3F2BD01060000000, float %v255)
  %v257 = call float @llvm.fmuladd.f32(float %v256, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v258 = call float @llvm.fmuladd.f32(float %v257, float %v256, float 0x3F81110C60000000)
  %v259 = call float @llvm.fmuladd.f32(float %v258, float %v256, float 0x3FA5554EA0000000)
  %v260 = call float @llvm.fmuladd.f32(float %v259, float %v256, float 0x3FC5555560000000)
  %v261 = call float @llvm.fmuladd.f32(float %v260, float %v256, float 0x3FE0000000000000)
  %v262 = fmul contract float %v256, %v256
  %v263 = call float @llvm.fmuladd.f32(float %v261, float %v262, float %v256)
  %v264 = fadd contract float %v263, 0x3FF0000000000000
  %v265 = add i32 %v254, 0
  %v266 = ashr i32 %v265, 1
  %v267 = add i32 %v266, 127
  %v268 = shl i32 %v267, 23
  %v269 = bitcast i32 %v268 to float
  %v270 = fmul contract float %v264, %v269
  %v271 = sub i32 %v265, %v266
  %v272 = add i32 %v271, 127
  %v273 = shl i32 %v272, 23
  %v274 = bitcast i32 %v273 to float
  %v275 = fmul contract float %v270, %v274
  %v276 = fadd contract float %v233, %v275
  %v277 = trunc i64 %row to i32
  %v278 = trunc i64 %v5 to i32
  %v279 = add i32 %v278, 1
  %v280 = mul i64 %row, %v48
  %v281 = add i64 1, %v5
  %v282 = add i64 %v2, -1
  %v283 = call i64 @llvm.smin.i64(i64 %v281, i64 %v282)
  %v284 = call i64 @llvm.smax.i64(i64 %v283, i64 0)
  %v285 = mul i64 %v284, 4
  %v286 = add i64 %v280, %v285
  %v287 = add i64 %v286, 1
  %v288 = getelementptr inbounds float, ptr %v57, i64 %v287
  %v289 = load float, ptr %v288, align 4, !llvm.access.group !0, !alias.scope !4
  %v290 = fmul contract float %v275, %v289
  %v291 = fadd contract float %v243, %v290
  %v292 = fdiv float 0x3FF0000000000000, %v276
  %v293 = fmul contract float %v291, %v292
  %v294 = fdiv float 0xBFF0000000000000, %v11
  %v295 = fmul contract float %v294, %v294
  %v296 = fmul contract float 0xBFE0000000000000, %v295
  %v297 = fcmp olt float %v296, 0xC05A400000000000
  %v298 = select i1 %v297, float 0xC05A400000000000, float %v296
  %v299 = fcmp ogt float %v298, 0x4056C00000000000
  %v300 = select i1 %v299, float 0x4056C00000000000, float %v298
  %v301 = call float @llvm.fmuladd.f32(float %v300, float 0x3FF7154760000000, float 0x4168000000000000)
  %v302 = fsub contract float %v301, 0x4168000000000000
  %v303 = bitcast float %v301 to i32
  %v304 = sub i32 %v303, 1262485504
  %v305 = call float @llvm.fmuladd.f32(float %v302, float 0xBFE6300000000000, float %v300)
  %v306 = call float @llvm.fmuladd.f32(float %v302, float 0x3F2BD01060000000, float %v305)
  %v307 = call float @llvm.fmuladd.f32(float %v306, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v308 = call float @llvm.fmuladd.f32(float %v307, float %v306, float 0x3F81110C60000000)
  %v309 = call float @llvm.fmuladd.f32(float %v308, float %v306, float 0x3FA5554EA0000000)
  %v310 = call float @llvm.fmuladd.f32(float %v309, float %v306, float 0x3FC5555560000000)
  %v311 = call float @llvm.fmuladd.f32(float %v310, float %v306, float 0x3FE0000000000000)
  %v312 = fmul contract float %v306, %v306
  %v313 = call float @llvm.fmuladd.f32(float %v311, float %v312, float %v306)
  %v314 = fadd contract float %v313, 0x3FF0000000000000
  %v315 = add i32 %v304, 0
  %v316 = ashr i32 %v315, 1
  %v317 = add i32 %v316, 127
  %v318 = shl i32 %v317, 23
  %v319 = bitcast i32 %v318 to float
  %v320 = fmul contract float %v314, %v319
  %v321 = sub i32 %v315, %v316
  %v322 = add i32 %v321, 127
  %v323 = shl i32 %v322, 23
  %v324 = bitcast i32 %v323 to float
  %v325 = fmul contract float %v320, %v324
  %v326 = fadd contract float 0x0000000000000000, %v325
  %v327 = trunc i64 %row to i32
  %v328 = trunc i64 %v5 to i32
  %v329 = add i32 %v328, -1
  %v330 = mul i64 %row, %v48
  %v331 = add i64 -1, %v5
  %v332 = add i64 %v2, -1
  %v333 = call i64 @llvm.smin.i64(i64 %v331, i64 %v332)
  %v334 = call i64 @llvm.smax.i64(i64 %v333, i64 0)
  %v335 = mul i64 %v334, 4
  %v336 = add i64 %v330, %v335
  %v337 = add i64 %v336, 2
  %v338 = getelementptr inbounds float, ptr %v57, i64 %v337
  %v339 = load float, ptr %v338, align 4, !llvm.access.group !0, !alias.scope !4
  %v340 = fmul contract float %v325, %v339
  %v341 = fadd contract float 0x0000000000000000, %v340
  %v342 = fdiv float 0x0000000000000000, %v11
  %v343 = fmul contract float %v342, %v342
  %v344 = fmul contract float 0xBFE0000000000000, %v343
  %v345 = fcmp olt float %v344, 0xC05A400000000000
  %v346 = select i1 %v345, float 0xC05A400000000000, float %v344
  %v347 = fcmp ogt float %v346, 0x4056C00000000000
  %v348 = select i1 %v347, float 0x4056C00000000000, float %v346
  %v349 = call float @llvm.fmuladd.f32(float %v348, float 0x3FF7154760000000, float 0x4168000000000000)
  %v350 = fsub contract float %v349, 0x4168000000000000
  %v351 = bitcast float %v349 to i32
  %v352 = sub i32 %v351, 1262485504
  %v353 = call float @llvm.fmuladd.f32(float %v350, float 0xBFE6300000000000, float %v348)
  %v354 = call float @llvm.fmuladd.f32(float %v350, float 0x3F2BD01060000000, float %v353)
  %v355 = call float @llvm.fmuladd.f32(float %v354, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v356 = call float @llvm.fmuladd.f32(float %v355, float %v354, float 0x3F81110C60000000)
  %v357 = call float @llvm.fmuladd.f32(float %v356, float %v354, float 0x3FA5554EA0000000)
  %v358 = call float @llvm.fmuladd.f32(float %v357, float %v354, float 0x3FC5555560000000)
  %v359 = call float @llvm.fmuladd.f32(float %v358, float %v354, float 0x3FE0000000000000)
  %v360 = fmul contract float %v354, %v354
  %v361 = call float @llvm.fmuladd.f32(float %v359, float %v360, float %v354)
  %v362 = fadd contract float %v361, 0x3FF0000000000000
  %v363 = add i32 %v352, 0
  %v364 = ashr i32 %v363, 1
  %v365 = add i32 %v364, 127
  %v366 = shl i32 %v365, 23
  %v367 = bitcast i32 %v366 to float
  %v368 = fmul contract float %v362, %v367
  %v369 = sub i32 %v363, %v364
  %v370 = add i32 %v369, 127
  %v371 = shl i32 %v370, 23
  %v372 = bitcast i32 %v371 to float
  %v373 = fmul contract float %v368, %v372
  %v374 = fadd contract float %v326, %v373
  %v375 = trunc i64 %row to i32
  %v376 = trunc i64 %v5 to i32
  %v377 = mul i64 %row, %v48
  %v378 = mul i64 %v5, 4
  %v379 = add i64 %v377, %v378
  %v380 = add i64 %v379, 2
  %v381 = getelementptr inbounds float, ptr %v57, i64 %v380
  %v382 = load float, ptr %v381, align 4, !llvm.access.group !0, !alias.scope !4
  %v383 = fmul contract float %v373, %v382
  %v384 = fadd contract float %v341, %v383
  %v385 = fdiv float 0x3FF0000000000000, %v11
  %v386 = fmul contract float %v385, %v385
  %v387 = fmul contract float 0xBFE0000000000000, %v386
  %v388 = fcmp olt float %v387, 0xC05A400000000000
  %v389 = select i1 %v388, float 0xC05A400000000000, float %v387
  %v390 = fcmp ogt float %v389, 0x4056C00000000000
  %v391 = select i1 %v390, float 0x4056C00000000000, float %v389
  %v392 = call float @llvm.fmuladd.f32(float %v391, float 0x3FF7154760000000, float 0x4168000000000000)
  %v393 = fsub contract float %v392, 0x4168000000000000
  %v394 = bitcast float %v392 to i32
  %v395 = sub i32 %v394, 1262485504
  %v396 = call float @llvm.fmuladd.f32(float %v393, float 0xBFE6300000000000, float %v391)
  %v397 = call float @llvm.fmuladd.f32(float %v393, float 0x3F2BD01060000000, float %v396)
  %v398 = call float @llvm.fmuladd.f32(float %v397, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v399 = call float @llvm.fmuladd.f32(float %v398, float %v397, float 0x3F81110C60000000)
  %v400 = call float @llvm.fmuladd.f32(float %v399, float %v397, float 0x3FA5554EA0000000)
  %v401 = call float @llvm.fmuladd.f32(float %v400, float %v397, float 0x3FC5555560000000)
  %v402 = call float @llvm.fmuladd.f32(float %v401, float %v397, float 0x3FE0000000000000)
  %v403 = fmul contract float %v397, %v397
  %v404 = call float @llvm.fmuladd.f32(float %v402, float %v403, float %v397)
  %v405 = fadd contract float %v404, 0x3FF0000000000000
  %v406 = add i32 %v395, 0
  %v407 = ashr i32 %v406, 1
  %v408 = add i32 %v407, 127
  %v409 = shl i32 %v408, 23
  %v410 = bitcast i32 %v409 to float
  %v411 = fmul contract float %v405, %v410
  %v412 = sub i32 %v406, %v407
  %v413 = add i32 %v412, 127
  %v414 = shl i32 %v413, 23
  %v415 = bitcast i32 %v414 to float
  %v416 = fmul contract float %v411, %v415
  %v417 = fadd contract float %v374, %v416
  %v418 = trunc i64 %row to i32
  %v419 = trunc i64 %v5 to i32
  %v420 = add i32 %v419, 1
  %v421 = mul i64 %row, %v48
  %v422 = add i64 1, %v5
  %v423 = add i64 %v2, -1
  %v424 = call i64 @llvm.smin.i64(i64 %v422, i64 %v423)
  %v425 = call i64 @llvm.smax.i64(i64 %v424, i64 0)
  %v426 = mul i64 %v425, 4
  %v427 = add i64 %v421, %v426
  %v428 = add i64 %v427, 2
  %v429 = getelementptr inbounds float, ptr %v57, i64 %v428
  %v430 = load float, ptr %v429, align 4, !llvm.access.group !0, !alias.scope !4
  %v431 = fmul contract float %v416, %v430
  %v432 = fadd contract float %v384, %v431
  %v433 = fdiv float 0x3FF0000000000000, %v417
  %v434 = fmul contract float %v432, %v433
  %v435 = fdiv float 0xBFF0000000000000, %v11
  %v436 = fmul contract float %v435, %v435
  %v437 = fmul contract float 0xBFE0000000000000, %v436
  %v438 = fcmp olt float %v437, 0xC05A400000000000
  %v439 = select i1 %v438, float 0xC05A400000000000, float %v437
  %v440 = fcmp ogt float %v439, 0x4056C00000000000
  %v441 = select i1 %v440, float 0x4056C00000000000, float %v439
  %v442 = call float @llvm.fmuladd.f32(float %v441, float 0x3FF7154760000000, float 0x4168000000000000)
  %v443 = fsub contract float %v442, 0x4168000000000000
  %v444 = bitcast float %v442 to i32
  %v445 = sub i32 %v444, 1262485504
  %v446 = call float @llvm.fmuladd.f32(float %v443, float 0xBFE6300000000000, float %v441)
  %v447 = call float @llvm.fmuladd.f32(float %v443, float 0x3F2BD01060000000, float %v446)
  %v448 = call float @llvm.fmuladd.f32(float %v447, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v449 = call float @llvm.fmuladd.f32(float %v448, float %v447, float 0x3F81110C60000000)
  %v450 = call float @llvm.fmuladd.f32(float %v449, float %v447, float 0x3FA5554EA0000000)
  %v451 = call float @llvm.fmuladd.f32(float %v450, float %v447, float 0x3FC5555560000000)
  %v452 = call float @llvm.fmuladd.f32(float %v451, float %v447, float 0x3FE0000000000000)
  %v453 = fmul contract float %v447, %v447
  %v454 = call float @llvm.fmuladd.f32(float %v452, float %v453, float %v447)
  %v455 = fadd contract float %v454, 0x3FF0000000000000
  %v456 = add i32 %v445, 0
  %v457 = ashr i32 %v456, 1
  %v458 = add i32 %v457, 127
  %v459 = shl i32 %v458, 23
  %v460 = bitcast i32 %v459 to float
  %v461 = fmul contract float %v455, %v460
  %v462 = sub i32 %v456, %v457
  %v463 = add i32 %v462, 127
  %v464 = shl i32 %v463, 23
  %v465 = bitcast i32 %v464 to float
  %v466 = fmul contract float %v461, %v465
  %v467 = fadd contract float 0x0000000000000000, %v466
  %v468 = trunc i64 %row to i32
  %v469 = trunc i64 %v5 to i32
  %v470 = add i32 %v469, -1
  %v471 = mul i64 %row, %v48
  %v472 = add i64 -1, %v5
  %v473 = add i64 %v2, -1
  %v474 = call i64 @llvm.smin.i64(i64 %v472, i64 %v473)
  %v475 = call i64 @llvm.smax.i64(i64 %v474, i64 0)
  %v476 = mul i64 %v475, 4
  %v477 = add i64 %v471, %v476
  %v478 = add i64 %v477, 3
  %v479 = getelementptr inbounds float, ptr %v57, i64 %v478
  %v480 = load float, ptr %v479, align 4, !llvm.access.group !0, !alias.scope !4
  %v481 = fmul contract float %v466, %v480
  %v482 = fadd contract float 0x0000000000000000, %v481
  %v483 = fdiv float 0x0000000000000000, %v11
  %v484 = fmul contract float %v483, %v483
  %v485 = fmul contract float 0xBFE0000000000000, %v484
  %v486 = fcmp olt float %v485, 0xC05A400000000000
  %v487 = select i1 %v486, float 0xC05A400000000000, float %v485
  %v488 = fcmp ogt float %v487, 0x4056C00000000000
  %v489 = select i1 %v488, float 0x4056C00000000000, float %v487
  %v490 = call float @llvm.fmuladd.f32(float %v489, float 0x3FF7154760000000, float 0x4168000000000000)
  %v491 = fsub contract float %v490, 0x4168000000000000
  %v492 = bitcast float %v490 to i32
  %v493 = sub i32 %v492, 1262485504
  %v494 = call float @llvm.fmuladd.f32(float %v491, float 0xBFE6300000000000, float %v489)
  %v495 = call float @llvm.fmuladd.f32(float %v491, float 0x3F2BD01060000000, float %v494)
  %v496 = call float @llvm.fmuladd.f32(float %v495, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v497 = call float @llvm.fmuladd.f32(float %v496, float %v495, float 0x3F81110C60000000)
  %v498 = call float @llvm.fmuladd.f32(float %v497, float %v495, float 0x3FA5554EA0000000)
  %v499 = call float @llvm.fmuladd.f32(float %v498, float %v495, float 0x3FC5555560000000)
  %v500 = call float @llvm.fmuladd.f32(float %v499, float %v495, float 0x3FE0000000000000)
  %v501 = fmul contract float %v495, %v495
  %v502 = call float @llvm.fmuladd.f32(float %v500, float %v501, float %v495)
  %v503 = fadd contract float %v502, 0x3FF0000000000000
  %v504 = add i32 %v493, 0
  %v505 = ashr i32 %v504, 1
  %v506 = add i32 %v505, 127
  %v507 = shl i32 %v506, 23
  %v508 = bitcast i32 %v507 to float
  %v509 = fmul contract float %v503, %v508
  %v510 = sub i32 %v504, %v505
  %v511 = add i32 %v510, 127
  %v512 = shl i32 %v511, 23
  %v513 = bitcast i32 %v512 to float
  %v514 = fmul contract float %v509, %v513
  %v515 = fadd contract float %v467, %v514
  %v516 = trunc i64 %row to i32
  %v517 = trunc i64 %v5 to i32
  %v518 = mul i64 %row, %v48
  %v519 = mul i64 %v5, 4
  %v520 = add i64 %v518, %v519
  %v521 = add i64 %v520, 3
  %v522 = getelementptr inbounds float, ptr %v57, i64 %v521
  %v523 = load float, ptr %v522, align 4, !llvm.access.group !0, !alias.scope !4
  %v524 = fmul contract float %v514, %v523
  %v525 = fadd contract float %v482, %v524
  %v526 = fdiv float 0x3FF0000000000000, %v11
  %v527 = fmul contract float %v526, %v526
  %v528 = fmul contract float 0xBFE0000000000000, %v527
  %v529 = fcmp olt float %v528, 0xC05A400000000000
  %v530 = select i1 %v529, float 0xC05A400000000000, float %v528
  %v531 = fcmp ogt float %v530, 0x4056C00000000000
  %v532 = select i1 %v531, float 0x4056C00000000000, float %v530
  %v533 = call float @llvm.fmuladd.f32(float %v532, float 0x3FF7154760000000, float 0x4168000000000000)
  %v534 = fsub contract float %v533, 0x4168000000000000
  %v535 = bitcast float %v533 to i32
  %v536 = sub i32 %v535, 1262485504
  %v537 = call float @llvm.fmuladd.f32(float %v534, float 0xBFE6300000000000, float %v532)
  %v538 = call float @llvm.fmuladd.f32(float %v534, float 0x3F2BD01060000000, float %v537)
  %v539 = call float @llvm.fmuladd.f32(float %v538, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v540 = call float @llvm.fmuladd.f32(float %v539, float %v538, float 0x3F81110C60000000)
  %v541 = call float @llvm.fmuladd.f32(float %v540, float %v538, float 0x3FA5554EA0000000)
  %v542 = call float @llvm.fmuladd.f32(float %v541, float %v538, float 0x3FC5555560000000)
  %v543 = call float @llvm.fmuladd.f32(float %v542, float %v538, float 0x3FE0000000000000)
  %v544 = fmul contract float %v538, %v538
  %v545 = call float @llvm.fmuladd.f32(float %v543, float %v544, float %v538)
  %v546 = fadd contract float %v545, 0x3FF0000000000000
  %v547 = add i32 %v536, 0
  %v548 = ashr i32 %v547, 1
  %v549 = add i32 %v548, 127
  %v550 = shl i32 %v549, 23
  %v551 = bitcast i32 %v550 to float
  %v552 = fmul contract float %v546, %v551
  %v553 = sub i32 %v547, %v548
  %v554 = add i32 %v553, 127
  %v555 = shl i32 %v554, 23
  %v556 = bitcast i32 %v555 to float
  %v557 = fmul contract float %v552, %v556
  %v558 = fadd contract float %v515, %v557
  %v559 = trunc i64 %row to i32
  %v560 = trunc i64 %v5 to i32
  %v561 = add i32 %v560, 1
  %v562 = mul i64 %row, %v48
  %v563 = add i64 1, %v5
  %v564 = add i64 %v2, -1
  %v565 = call i64 @llvm.smin.i64(i64 %v563, i64 %v564)
  %v566 = call i64 @llvm.smax.i64(i64 %v565, i64 0)
  %v567 = mul i64 %v566, 4
  %v568 = add i64 %v562, %v567
  %v569 = add i64 %v568, 3
  %v570 = getelementptr inbounds float, ptr %v57, i64 %v569
  %v571 = load float, ptr %v570, align 4, !llvm.access.group !0, !alias.scope !4
  %v572 = fmul contract float %v557, %v571
  %v573 = fadd contract float %v525, %v572
  %v574 = fdiv float 0x3FF0000000000000, %v558
  %v575 = fmul contract float %v573, %v574
  %v576 = mul i64 %v8, 4
  %v577 = fcmp ogt float %v152, 0x0000000000000000
  %v578 = select i1 %v577, float %v152, float 0x0000000000000000
  %v579 = fcmp olt float %v578, 0x406FE00000000000
  %v580 = select i1 %v579, float %v578, float 0x406FE00000000000
  %v581 = fadd contract float %v580, 0x4160000000000000
  %v582 = bitcast float %v581 to i32
  %v583 = trunc i32 %v582 to i8
  %v586 = getelementptr inbounds i8, ptr %v585, i64 %v576
  store i8 %v583, ptr %v586, align 1, !noalias !4, !llvm.access.group !0
  %v587 = add i64 %v576, 1
  %v588 = fcmp ogt float %v293, 0x0000000000000000
  %v589 = select i1 %v588, float %v293, float 0x0000000000000000
  %v590 = fcmp olt float %v589, 0x406FE00000000000
  %v591 = select i1 %v590, float %v589, float 0x406FE00000000000
  %v592 = fadd contract float %v591, 0x4160000000000000
  %v593 = bitcast float %v592 to i32
  %v594 = trunc i32 %v593 to i8
  %v595 = getelementptr inbounds i8, ptr %v585, i64 %v587
  store i8 %v594, ptr %v595, align 1, !noalias !4, !llvm.access.group !0
  %v596 = add i64 %v576, 2
  %v597 = fcmp ogt float %v434, 0x0000000000000000
  %v598 = select i1 %v597, float %v434, float 0x0000000000000000
  %v599 = fcmp olt float %v598, 0x406FE00000000000
  %v600 = select i1 %v599, float %v598, float 0x406FE00000000000
  %v601 = fadd contract float %v600, 0x4160000000000000
  %v602 = bitcast float %v601 to i32
  %v603 = trunc i32 %v602 to i8
  %v604 = getelementptr inbounds i8, ptr %v585, i64 %v596
  store i8 %v603, ptr %v604, align 1, !noalias !4, !llvm.access.group !0
  %v605 = add i64 %v576, 3
  %v606 = fcmp ogt float %v575, 0x0000000000000000
  %v607 = select i1 %v606, float %v575, float 0x0000000000000000
  %v608 = fcmp olt float %v607, 0x406FE00000000000
  %v609 = select i1 %v608, float %v607, float 0x406FE00000000000
  %v610 = fadd contract float %v609, 0x4160000000000000
  %v611 = bitcast float %v610 to i32
  %v612 = trunc i32 %v611 to i8
  %v613 = getelementptr inbounds i8, ptr %v585, i64 %v605
  store i8 %v612, ptr %v613, align 1, !noalias !4, !llvm.access.group !0
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
