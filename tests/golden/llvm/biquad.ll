declare i64 @llvm.smin.i64(i64, i64)
define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v7 = getelementptr inbounds i64, ptr %block, i64 7
  %v8 = load i64, ptr %v7, align 8
  %v24 = alloca <16 x float>, align 64
  %v25 = alloca <16 x float>, align 64
  %v26 = alloca <16 x float>, align 64
  %v27 = alloca <16 x float>, align 64
  %v28 = alloca <16 x float>, align 64
  %v29 = alloca <16 x float>, align 64
  %v72 = getelementptr inbounds i64, ptr %block, i64 2
  %v73 = load ptr, ptr %v72, align 8
  %v152 = getelementptr inbounds i64, ptr %block, i64 4
  %v153 = load double, ptr %v152, align 8
  %v154 = fptrunc double %v153 to float
  %v165 = getelementptr inbounds i64, ptr %block, i64 3
  %v166 = load double, ptr %v165, align 8
  %v167 = fptrunc double %v166 to float
  %v181 = alloca <16 x float>, align 64
  %v182 = alloca <16 x float>, align 64
  %v183 = alloca <16 x float>, align 64
  %v184 = alloca <16 x float>, align 64
  %v185 = alloca <16 x float>, align 64
  %v186 = alloca <16 x float>, align 64
  %v193 = alloca float, align 64
  %v194 = alloca float, align 64
  %v195 = alloca float, align 64
  %v196 = alloca float, align 64
  %v197 = alloca float, align 64
  %v198 = alloca float, align 64
  %v227 = alloca float, align 64
  %v228 = alloca float, align 64
  %v229 = alloca float, align 64
  %v230 = alloca float, align 64
  %v231 = alloca float, align 64
  %v232 = alloca float, align 64
  %v239 = alloca float, align 64
  %v240 = alloca float, align 64
  %v241 = alloca float, align 64
  %v242 = alloca float, align 64
  %v243 = alloca float, align 64
  %v244 = alloca float, align 64
  %v319 = getelementptr inbounds i64, ptr %block, i64 0
  %v320 = load ptr, ptr %v319, align 8
  %v377 = alloca float, align 64
  %v378 = alloca float, align 64
  %v379 = alloca <16 x float>, align 64
  %v380 = alloca <16 x float>, align 64
  %v415 = alloca <16 x float>, align 64
  %v416 = alloca <16 x float>, align 64
  %v547 = getelementptr inbounds i64, ptr %block, i64 1
  %v548 = load ptr, ptr %v547, align 8
  %v612 = alloca float, align 64
  %v613 = alloca float, align 64
  %v639 = alloca float, align 64
  %v640 = alloca float, align 64
  %v684 = alloca <16 x float>, align 64
  %v685 = alloca <16 x float>, align 64
  %v716 = alloca float, align 64
  %v717 = alloca float, align 64
  br label %main
main:
  %v5 = icmp sgt i64 %v4, 1
  br i1 %v5, label %then6, label %endif6
then6:
  br label %head9
head9:
  %v10 = phi i64 [ %lo, %then6 ], [ %v11, %latch9 ]
  %v12 = icmp slt i64 %v10, %hi
  br i1 %v12, label %body9, label %end9
body9:
  %v13 = udiv i64 %v10, %v8
  %v14 = mul i64 %v13, %v8
  %v15 = sub i64 %v10, %v14
  %v16 = mul i64 %v13, 8448
  %v17 = sub i64 %v2, %v16
  %v18 = call i64 @llvm.smin.i64(i64 8448, i64 %v17)
  %v19 = udiv i64 %v18, 16
  %v20 = mul i64 %v19, 16
  %v21 = add i64 %v16, %v20
  %v22 = mul i64 %v19, 16
  %v23 = sub i64 %v18, %v22
  store <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, ptr %v24, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v25, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v26, align 4
  store <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, ptr %v27, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v28, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v29, align 4
  br label %head30
head30:
  %v31 = phi i64 [ 0, %body9 ], [ %v32, %latch30 ]
  %v33 = icmp slt i64 %v31, %v19
  br i1 %v33, label %body30, label %end30
body30:
  %v34 = add i64 %v16, %v31
  %v35 = load <16 x float>, ptr %v24, align 4
  %v36 = load <16 x float>, ptr %v25, align 4
  %v37 = load <16 x float>, ptr %v26, align 4
  %v38 = load <16 x float>, ptr %v27, align 4
  %v39 = load <16 x float>, ptr %v28, align 4
  %v40 = load <16 x float>, ptr %v29, align 4
  %v41 = add i64 %v34, %v19
  %v42 = mul i64 %v19, 2
  %v43 = add i64 %v34, %v42
  %v44 = mul i64 %v19, 3
  %v45 = add i64 %v34, %v44
  %v46 = mul i64 %v19, 4
  %v47 = add i64 %v34, %v46
  %v48 = mul i64 %v19, 5
  %v49 = add i64 %v34, %v48
  %v50 = mul i64 %v19, 6
  %v51 = add i64 %v34, %v50
  %v52 = mul i64 %v19, 7
  %v53 = add i64 %v34, %v52
  %v54 = mul i64 %v19, 8
  %v55 = add i64 %v34, %v54
  %v56 = mul i64 %v19, 9
  %v57 = add i64 %v34, %v56
  %v58 = mul i64 %v19, 10
  %v59 = add i64 %v34, %v58
  %v60 = mul i64 %v19, 11
  %v61 = add i64 %v34, %v60
  %v62 = mul i64 %v19, 12
  %v63 = add i64 %v34, %v62
  %v64 = mul i64 %v19, 13
  %v65 = add i64 %v34, %v64
  %v66 = mul i64 %v19, 14
  %v67 = add i64 %v34, %v66
  %v68 = mul i64 %v19, 15
  %v69 = add i64 %v34, %v68
  %v70 = mul i64 %v34, 2
  %v71 = add i64 %v70, %v15
  %v74 = getelementptr inbounds float, ptr %v73, i64 %v71
  %v75 = load float, ptr %v74, align 4
  %v76 = mul i64 %v41, 2
  %v77 = add i64 %v76, %v15
  %v78 = getelementptr inbounds float, ptr %v73, i64 %v77
  %v79 = load float, ptr %v78, align 4
  %v80 = mul i64 %v43, 2
  %v81 = add i64 %v80, %v15
  %v82 = getelementptr inbounds float, ptr %v73, i64 %v81
  %v83 = load float, ptr %v82, align 4
  %v84 = mul i64 %v45, 2
  %v85 = add i64 %v84, %v15
  %v86 = getelementptr inbounds float, ptr %v73, i64 %v85
  %v87 = load float, ptr %v86, align 4
  %v88 = mul i64 %v47, 2
  %v89 = add i64 %v88, %v15
  %v90 = getelementptr inbounds float, ptr %v73, i64 %v89
  %v91 = load float, ptr %v90, align 4
  %v92 = mul i64 %v49, 2
  %v93 = add i64 %v92, %v15
  %v94 = getelementptr inbounds float, ptr %v73, i64 %v93
  %v95 = load float, ptr %v94, align 4
  %v96 = mul i64 %v51, 2
  %v97 = add i64 %v96, %v15
  %v98 = getelementptr inbounds float, ptr %v73, i64 %v97
  %v99 = load float, ptr %v98, align 4
  %v100 = mul i64 %v53, 2
  %v101 = add i64 %v100, %v15
  %v102 = getelementptr inbounds float, ptr %v73, i64 %v101
  %v103 = load float, ptr %v102, align 4
  %v104 = mul i64 %v55, 2
  %v105 = add i64 %v104, %v15
  %v106 = getelementptr inbounds float, ptr %v73, i64 %v105
  %v107 = load float, ptr %v106, align 4
  %v108 = mul i64 %v57, 2
  %v109 = add i64 %v108, %v15
  %v110 = getelementptr inbounds float, ptr %v73, i64 %v109
  %v111 = load float, ptr %v110, align 4
  %v112 = mul i64 %v59, 2
  %v113 = add i64 %v112, %v15
  %v114 = getelementptr inbounds float, ptr %v73, i64 %v113
  %v115 = load float, ptr %v114, align 4
  %v116 = mul i64 %v61, 2
  %v117 = add i64 %v116, %v15
  %v118 = getelementptr inbounds float, ptr %v73, i64 %v117
  %v119 = load float, ptr %v118, align 4
  %v120 = mul i64 %v63, 2
  %v121 = add i64 %v120, %v15
  %v122 = getelementptr inbounds float, ptr %v73, i64 %v121
  %v123 = load float, ptr %v122, align 4
  %v124 = mul i64 %v65, 2
  %v125 = add i64 %v124, %v15
  %v126 = getelementptr inbounds float, ptr %v73, i64 %v125
  %v127 = load float, ptr %v126, align 4
  %v128 = mul i64 %v67, 2
  %v129 = add i64 %v128, %v15
  %v130 = getelementptr inbounds float, ptr %v73, i64 %v129
  %v131 = load float, ptr %v130, align 4
  %v132 = mul i64 %v69, 2
  %v133 = add i64 %v132, %v15
  %v134 = getelementptr inbounds float, ptr %v73, i64 %v133
  %v135 = load float, ptr %v134, align 4
  %v136 = insertelement <16 x float> poison, float %v75, i64 0
  %v137 = insertelement <16 x float> %v136, float %v79, i64 1
  %v138 = insertelement <16 x float> %v137, float %v83, i64 2
  %v139 = insertelement <16 x float> %v138, float %v87, i64 3
  %v140 = insertelement <16 x float> %v139, float %v91, i64 4
  %v141 = insertelement <16 x float> %v140, float %v95, i64 5
  %v142 = insertelement <16 x float> %v141, float %v99, i64 6
  %v143 = insertelement <16 x float> %v142, float %v103, i64 7
  %v144 = insertelement <16 x float> %v143, float %v107, i64 8
  %v145 = insertelement <16 x float> %v144, float %v111, i64 9
  %v146 = insertelement <16 x float> %v145, float %v115, i64 10
  %v147 = insertelement <16 x float> %v146, float %v119, i64 11
  %v148 = insertelement <16 x float> %v147, float %v123, i64 12
  %v149 = insertelement <16 x float> %v148, float %v127, i64 13
  %v150 = insertelement <16 x float> %v149, float %v131, i64 14
  %v151 = insertelement <16 x float> %v150, float %v135, i64 15
  %v155 = insertelement <16 x float> poison, float %v154, i64 0
  %v156 = shufflevector <16 x float> %v155, <16 x float> poison, <16 x i32> zeroinitializer
  %v157 = fmul <16 x float> %v156, %v35
  %v158 = fsub <16 x float> %v36, %v157
  %v159 = fneg <16 x float> %v35
  %v160 = insertelement <16 x float> poison, float %v154, i64 0
  %v161 = shufflevector <16 x float> %v160, <16 x float> poison, <16 x i32> zeroinitializer
  %v162 = fmul <16 x float> %v161, %v37
  %v163 = fsub <16 x float> %v38, %v162
  %v164 = fneg <16 x float> %v37
  %v168 = insertelement <16 x float> poison, float %v167, i64 0
  %v169 = shufflevector <16 x float> %v168, <16 x float> poison, <16 x i32> zeroinitializer
  %v170 = fmul <16 x float> %v169, %v151
  %v171 = fadd <16 x float> %v170, %v39
  %v172 = insertelement <16 x float> poison, float %v154, i64 0
  %v173 = shufflevector <16 x float> %v172, <16 x float> poison, <16 x i32> zeroinitializer
  %v174 = fmul <16 x float> %v173, %v171
  %v175 = fsub <16 x float> %v40, %v174
  %v176 = insertelement <16 x float> poison, float %v167, i64 0
  %v177 = shufflevector <16 x float> %v176, <16 x float> poison, <16 x i32> zeroinitializer
  %v178 = fmul <16 x float> %v177, %v151
  %v179 = fadd <16 x float> %v178, %v39
  %v180 = fsub <16 x float> %v151, %v179
  store <16 x float> %v158, ptr %v24, align 4
  store <16 x float> %v159, ptr %v25, align 4
  store <16 x float> %v163, ptr %v26, align 4
  store <16 x float> %v164, ptr %v27, align 4
  store <16 x float> %v175, ptr %v28, align 4
  store <16 x float> %v180, ptr %v29, align 4
  br label %latch30
latch30:
  %v32 = add nsw i64 %v31, 1
  br label %head30, !llvm.loop !0
end30:
  %v187 = load <16 x float>, ptr %v24, align 4
  %v188 = load <16 x float>, ptr %v25, align 4
  %v189 = load <16 x float>, ptr %v26, align 4
  %v190 = load <16 x float>, ptr %v27, align 4
  %v191 = load <16 x float>, ptr %v28, align 4
  %v192 = load <16 x float>, ptr %v29, align 4
  store <16 x float> %v187, ptr %v181, align 4
  store <16 x float> %v188, ptr %v182, align 4
  store <16 x float> %v189, ptr %v183, align 4
  store <16 x float> %v190, ptr %v184, align 4
  store <16 x float> %v191, ptr %v185, align 4
  store <16 x float> %v192, ptr %v186, align 4
  store float 0x3FF0000000000000, ptr %v193, align 4
  store float 0x0000000000000000, ptr %v194, align 4
  store float 0x0000000000000000, ptr %v195, align 4
  store float 0x3FF0000000000000, ptr %v196, align 4
  store float 0x0000000000000000, ptr %v197, align 4
  store float 0x0000000000000000, ptr %v198, align 4
  br label %head199
head199:
  %v200 = phi i64 [ 0, %end30 ], [ %v201, %latch199 ]
  %v202 = icmp slt i64 %v200, %v23
  br i1 %v202, label %body199, label %end199
body199:
  %v203 = add i64 %v21, %v200
  %v204 = load float, ptr %v193, align 4
  %v205 = load float, ptr %v194, align 4
  %v206 = load float, ptr %v195, align 4
  %v207 = load float, ptr %v196, align 4
  %v208 = load float, ptr %v197, align 4
  %v209 = load float, ptr %v198, align 4
  %v210 = mul i64 %v203, 2
  %v211 = add i64 %v210, %v15
  %v212 = getelementptr inbounds float, ptr %v73, i64 %v211
  %v213 = load float, ptr %v212, align 4
  %v214 = fmul float %v154, %v204
  %v215 = fsub float %v205, %v214
  %v216 = fneg float %v204
  %v217 = fmul float %v154, %v206
  %v218 = fsub float %v207, %v217
  %v219 = fneg float %v206
  %v220 = fmul float %v167, %v213
  %v221 = fadd float %v220, %v208
  %v222 = fmul float %v154, %v221
  %v223 = fsub float %v209, %v222
  %v224 = fmul float %v167, %v213
  %v225 = fadd float %v224, %v208
  %v226 = fsub float %v213, %v225
  store float %v215, ptr %v193, align 4
  store float %v216, ptr %v194, align 4
  store float %v218, ptr %v195, align 4
  store float %v219, ptr %v196, align 4
  store float %v223, ptr %v197, align 4
  store float %v226, ptr %v198, align 4
  br label %latch199
latch199:
  %v201 = add nsw i64 %v200, 1
  br label %head199, !llvm.loop !1
end199:
  %v233 = load float, ptr %v193, align 4
  %v234 = load float, ptr %v194, align 4
  %v235 = load float, ptr %v195, align 4
  %v236 = load float, ptr %v196, align 4
  %v237 = load float, ptr %v197, align 4
  %v238 = load float, ptr %v198, align 4
  store float %v233, ptr %v227, align 4
  store float %v234, ptr %v228, align 4
  store float %v235, ptr %v229, align 4
  store float %v236, ptr %v230, align 4
  store float %v237, ptr %v231, align 4
  store float %v238, ptr %v232, align 4
  store float 0x3FF0000000000000, ptr %v239, align 4
  store float 0x0000000000000000, ptr %v240, align 4
  store float 0x0000000000000000, ptr %v241, align 4
  store float 0x3FF0000000000000, ptr %v242, align 4
  store float 0x0000000000000000, ptr %v243, align 4
  store float 0x0000000000000000, ptr %v244, align 4
  br label %head245
head245:
  %v246 = phi i64 [ 0, %end199 ], [ %v247, %latch245 ]
  %v248 = icmp slt i64 %v246, 16
  br i1 %v248, label %body245, label %end245
body245:
  %v249 = getelementptr inbounds float, ptr %v181, i64 %v246
  %v250 = getelementptr inbounds float, ptr %v182, i64 %v246
  %v251 = getelementptr inbounds float, ptr %v183, i64 %v246
  %v252 = getelementptr inbounds float, ptr %v184, i64 %v246
  %v253 = getelementptr inbounds float, ptr %v185, i64 %v246
  %v254 = getelementptr inbounds float, ptr %v186, i64 %v246
  %v255 = load float, ptr %v239, align 4
  %v256 = load float, ptr %v240, align 4
  %v257 = load float, ptr %v241, align 4
  %v258 = load float, ptr %v242, align 4
  %v259 = load float, ptr %v243, align 4
  %v260 = load float, ptr %v244, align 4
  %v261 = load float, ptr %v249, align 4
  %v262 = load float, ptr %v250, align 4
  %v263 = load float, ptr %v251, align 4
  %v264 = load float, ptr %v252, align 4
  %v265 = load float, ptr %v253, align 4
  %v266 = load float, ptr %v254, align 4
  %v267 = fmul float %v261, %v255
  %v268 = fmul float %v263, %v256
  %v269 = fadd float %v267, %v268
  %v270 = fmul float %v262, %v255
  %v271 = fmul float %v264, %v256
  %v272 = fadd float %v270, %v271
  %v273 = fmul float %v261, %v257
  %v274 = fmul float %v263, %v258
  %v275 = fadd float %v273, %v274
  %v276 = fmul float %v262, %v257
  %v277 = fmul float %v264, %v258
  %v278 = fadd float %v276, %v277
  %v279 = fmul float %v261, %v259
  %v280 = fmul float %v263, %v260
  %v281 = fadd float %v279, %v280
  %v282 = fadd float %v281, %v265
  %v283 = fmul float %v262, %v259
  %v284 = fmul float %v264, %v260
  %v285 = fadd float %v283, %v284
  %v286 = fadd float %v285, %v266
  store float %v269, ptr %v239, align 4
  store float %v272, ptr %v240, align 4
  store float %v275, ptr %v241, align 4
  store float %v278, ptr %v242, align 4
  store float %v282, ptr %v243, align 4
  store float %v286, ptr %v244, align 4
  br label %latch245
latch245:
  %v247 = add nsw i64 %v246, 1
  br label %head245, !llvm.loop !2
end245:
  %v287 = load float, ptr %v239, align 4
  %v288 = load float, ptr %v240, align 4
  %v289 = load float, ptr %v241, align 4
  %v290 = load float, ptr %v242, align 4
  %v291 = load float, ptr %v243, align 4
  %v292 = load float, ptr %v244, align 4
  %v293 = load float, ptr %v227, align 4
  %v294 = load float, ptr %v228, align 4
  %v295 = load float, ptr %v229, align 4
  %v296 = load float, ptr %v230, align 4
  %v297 = load float, ptr %v231, align 4
  %v298 = load float, ptr %v232, align 4
  %v299 = fmul float %v293, %v287
  %v300 = fmul float %v295, %v288
  %v301 = fadd float %v299, %v300
  %v302 = fmul float %v294, %v287
  %v303 = fmul float %v296, %v288
  %v304 = fadd float %v302, %v303
  %v305 = fmul float %v293, %v289
  %v306 = fmul float %v295, %v290
  %v307 = fadd float %v305, %v306
  %v308 = fmul float %v294, %v289
  %v309 = fmul float %v296, %v290
  %v310 = fadd float %v308, %v309
  %v311 = fmul float %v293, %v291
  %v312 = fmul float %v295, %v292
  %v313 = fadd float %v311, %v312
  %v314 = fadd float %v313, %v297
  %v315 = fmul float %v294, %v291
  %v316 = fmul float %v296, %v292
  %v317 = fadd float %v315, %v316
  %v318 = fadd float %v317, %v298
  store float %v301, ptr %v239, align 4
  store float %v304, ptr %v240, align 4
  store float %v307, ptr %v241, align 4
  store float %v310, ptr %v242, align 4
  store float %v314, ptr %v243, align 4
  store float %v318, ptr %v244, align 4
  %v321 = mul i64 %v15, 128
  %v322 = getelementptr inbounds i8, ptr %v320, i64 %v321
  br label %look323
look323:
  %v324 = load atomic i64, ptr %v322 acquire, align 8
  %v325 = icmp eq i64 %v324, %v13
  br i1 %v325, label %there323, label %look323
there323:
  %v326 = getelementptr inbounds i64, ptr %v322, i64 1
  %v327 = getelementptr inbounds i64, ptr %v322, i64 2
  %v328 = icmp eq i64 %v13, 0
  %v329 = load float, ptr %v326, align 4
  %v330 = load float, ptr %v327, align 4
  %v331 = select i1 %v328, float 0x0000000000000000, float %v329
  %v332 = select i1 %v328, float 0x0000000000000000, float %v330
  %v333 = load float, ptr %v239, align 4
  %v334 = load float, ptr %v240, align 4
  %v335 = load float, ptr %v241, align 4
  %v336 = load float, ptr %v242, align 4
  %v337 = load float, ptr %v243, align 4
  %v338 = load float, ptr %v244, align 4
  %v339 = fmul float %v333, %v331
  %v340 = fmul float %v335, %v332
  %v341 = fadd float %v339, %v340
  %v342 = fadd float %v341, %v337
  %v343 = fmul float %v334, %v331
  %v344 = fmul float %v336, %v332
  %v345 = fadd float %v343, %v344
  %v346 = fadd float %v345, %v338
  %v347 = fsub float %v331, %v331
  %v348 = fcmp oeq float %v347, 0x0000000000000000
  %v349 = and i1 true, %v348
  %v350 = fsub float %v332, %v332
  %v351 = fcmp oeq float %v350, 0x0000000000000000
  %v352 = and i1 %v349, %v351
  %v353 = fsub float %v333, %v333
  %v354 = fcmp oeq float %v353, 0x0000000000000000
  %v355 = and i1 %v352, %v354
  %v356 = fsub float %v334, %v334
  %v357 = fcmp oeq float %v356, 0x0000000000000000
  %v358 = and i1 %v355, %v357
  %v359 = fsub float %v335, %v335
  %v360 = fcmp oeq float %v359, 0x0000000000000000
  %v361 = and i1 %v358, %v360
  %v362 = fsub float %v336, %v336
  %v363 = fcmp oeq float %v362, 0x0000000000000000
  %v364 = and i1 %v361, %v363
  %v365 = fsub float %v337, %v337
  %v366 = fcmp oeq float %v365, 0x0000000000000000
  %v367 = and i1 %v364, %v366
  %v368 = fsub float %v338, %v338
  %v369 = fcmp oeq float %v368, 0x0000000000000000
  %v370 = and i1 %v367, %v369
  %v371 = fsub float %v342, %v342
  %v372 = fcmp oeq float %v371, 0x0000000000000000
  %v373 = and i1 %v370, %v372
  %v374 = fsub float %v346, %v346
  %v375 = fcmp oeq float %v374, 0x0000000000000000
  %v376 = and i1 %v373, %v375
  store float %v331, ptr %v377, align 4
  store float %v332, ptr %v378, align 4
  br i1 %v376, label %then381, label %endif381
then381:
  %v382 = getelementptr inbounds i64, ptr %v322, i64 1
  store float %v342, ptr %v382, align 8
  %v383 = getelementptr inbounds i64, ptr %v322, i64 2
  store float %v346, ptr %v383, align 8
  %v384 = add i64 %v13, 1
  store atomic i64 %v384, ptr %v322 release, align 8
  br label %head385
head385:
  %v386 = phi i64 [ 0, %then381 ], [ %v387, %latch385 ]
  %v388 = icmp slt i64 %v386, 16
  br i1 %v388, label %body385, label %end385
body385:
  %v389 = load float, ptr %v377, align 4
  %v390 = load float, ptr %v378, align 4
  %v391 = getelementptr inbounds float, ptr %v379, i64 %v386
  %v392 = getelementptr inbounds float, ptr %v380, i64 %v386
  store float %v389, ptr %v391, align 4
  store float %v390, ptr %v392, align 4
  %v393 = getelementptr inbounds float, ptr %v181, i64 %v386
  %v394 = getelementptr inbounds float, ptr %v182, i64 %v386
  %v395 = getelementptr inbounds float, ptr %v183, i64 %v386
  %v396 = getelementptr inbounds float, ptr %v184, i64 %v386
  %v397 = getelementptr inbounds float, ptr %v185, i64 %v386
  %v398 = getelementptr inbounds float, ptr %v186, i64 %v386
  %v399 = load float, ptr %v377, align 4
  %v400 = load float, ptr %v378, align 4
  %v401 = load float, ptr %v393, align 4
  %v402 = load float, ptr %v394, align 4
  %v403 = load float, ptr %v395, align 4
  %v404 = load float, ptr %v396, align 4
  %v405 = load float, ptr %v397, align 4
  %v406 = load float, ptr %v398, align 4
  %v407 = fmul float %v401, %v399
  %v408 = fmul float %v403, %v400
  %v409 = fadd float %v407, %v408
  %v410 = fadd float %v409, %v405
  %v411 = fmul float %v402, %v399
  %v412 = fmul float %v404, %v400
  %v413 = fadd float %v411, %v412
  %v414 = fadd float %v413, %v406
  store float %v410, ptr %v377, align 4
  store float %v414, ptr %v378, align 4
  br label %latch385
latch385:
  %v387 = add nsw i64 %v386, 1
  br label %head385, !llvm.loop !3
end385:
  %v417 = load <16 x float>, ptr %v379, align 4
  %v418 = load <16 x float>, ptr %v380, align 4
  store <16 x float> %v417, ptr %v415, align 4
  store <16 x float> %v418, ptr %v416, align 4
  br label %head419
head419:
  %v420 = phi i64 [ 0, %end385 ], [ %v421, %latch419 ]
  %v422 = icmp slt i64 %v420, %v19
  br i1 %v422, label %body419, label %end419
body419:
  %v423 = add i64 %v16, %v420
  %v424 = load <16 x float>, ptr %v415, align 4
  %v425 = load <16 x float>, ptr %v416, align 4
  %v426 = add i64 %v423, %v19
  %v427 = mul i64 %v19, 2
  %v428 = add i64 %v423, %v427
  %v429 = mul i64 %v19, 3
  %v430 = add i64 %v423, %v429
  %v431 = mul i64 %v19, 4
  %v432 = add i64 %v423, %v431
  %v433 = mul i64 %v19, 5
  %v434 = add i64 %v423, %v433
  %v435 = mul i64 %v19, 6
  %v436 = add i64 %v423, %v435
  %v437 = mul i64 %v19, 7
  %v438 = add i64 %v423, %v437
  %v439 = mul i64 %v19, 8
  %v440 = add i64 %v423, %v439
  %v441 = mul i64 %v19, 9
  %v442 = add i64 %v423, %v441
  %v443 = mul i64 %v19, 10
  %v444 = add i64 %v423, %v443
  %v445 = mul i64 %v19, 11
  %v446 = add i64 %v423, %v445
  %v447 = mul i64 %v19, 12
  %v448 = add i64 %v423, %v447
  %v449 = mul i64 %v19, 13
  %v450 = add i64 %v423, %v449
  %v451 = mul i64 %v19, 14
  %v452 = add i64 %v423, %v451
  %v453 = mul i64 %v19, 15
  %v454 = add i64 %v423, %v453
  %v455 = mul i64 %v423, 2
  %v456 = add i64 %v455, %v15
  %v457 = getelementptr inbounds float, ptr %v73, i64 %v456
  %v458 = load float, ptr %v457, align 4
  %v459 = mul i64 %v426, 2
  %v460 = add i64 %v459, %v15
  %v461 = getelementptr inbounds float, ptr %v73, i64 %v460
  %v462 = load float, ptr %v461, align 4
  %v463 = mul i64 %v428, 2
  %v464 = add i64 %v463, %v15
  %v465 = getelementptr inbounds float, ptr %v73, i64 %v464
  %v466 = load float, ptr %v465, align 4
  %v467 = mul i64 %v430, 2
  %v468 = add i64 %v467, %v15
  %v469 = getelementptr inbounds float, ptr %v73, i64 %v468
  %v470 = load float, ptr %v469, align 4
  %v471 = mul i64 %v432, 2
  %v472 = add i64 %v471, %v15
  %v473 = getelementptr inbounds float, ptr %v73, i64 %v472
  %v474 = load float, ptr %v473, align 4
  %v475 = mul i64 %v434, 2
  %v476 = add i64 %v475, %v15
  %v477 = getelementptr inbounds float, ptr %v73, i64 %v476
  %v478 = load float, ptr %v477, align 4
  %v479 = mul i64 %v436, 2
  %v480 = add i64 %v479, %v15
  %v481 = getelementptr inbounds float, ptr %v73, i64 %v480
  %v482 = load float, ptr %v481, align 4
  %v483 = mul i64 %v438, 2
  %v484 = add i64 %v483, %v15
  %v485 = getelementptr inbounds float, ptr %v73, i64 %v484
  %v486 = load float, ptr %v485, align 4
  %v487 = mul i64 %v440, 2
  %v488 = add i64 %v487, %v15
  %v489 = getelementptr inbounds float, ptr %v73, i64 %v488
  %v490 = load float, ptr %v489, align 4
  %v491 = mul i64 %v442, 2
  %v492 = add i64 %v491, %v15
  %v493 = getelementptr inbounds float, ptr %v73, i64 %v492
  %v494 = load float, ptr %v493, align 4
  %v495 = mul i64 %v444, 2
  %v496 = add i64 %v495, %v15
  %v497 = getelementptr inbounds float, ptr %v73, i64 %v496
  %v498 = load float, ptr %v497, align 4
  %v499 = mul i64 %v446, 2
  %v500 = add i64 %v499, %v15
  %v501 = getelementptr inbounds float, ptr %v73, i64 %v500
  %v502 = load float, ptr %v501, align 4
  %v503 = mul i64 %v448, 2
  %v504 = add i64 %v503, %v15
  %v505 = getelementptr inbounds float, ptr %v73, i64 %v504
  %v506 = load float, ptr %v505, align 4
  %v507 = mul i64 %v450, 2
  %v508 = add i64 %v507, %v15
  %v509 = getelementptr inbounds float, ptr %v73, i64 %v508
  %v510 = load float, ptr %v509, align 4
  %v511 = mul i64 %v452, 2
  %v512 = add i64 %v511, %v15
  %v513 = getelementptr inbounds float, ptr %v73, i64 %v512
  %v514 = load float, ptr %v513, align 4
  %v515 = mul i64 %v454, 2
  %v516 = add i64 %v515, %v15
  %v517 = getelementptr inbounds float, ptr %v73, i64 %v516
  %v518 = load float, ptr %v517, align 4
  %v519 = insertelement <16 x float> poison, float %v458, i64 0
  %v520 = insertelement <16 x float> %v519, float %v462, i64 1
  %v521 = insertelement <16 x float> %v520, float %v466, i64 2
  %v522 = insertelement <16 x float> %v521, float %v470, i64 3
  %v523 = insertelement <16 x float> %v522, float %v474, i64 4
  %v524 = insertelement <16 x float> %v523, float %v478, i64 5
  %v525 = insertelement <16 x float> %v524, float %v482, i64 6
  %v526 = insertelement <16 x float> %v525, float %v486, i64 7
  %v527 = insertelement <16 x float> %v526, float %v490, i64 8
  %v528 = insertelement <16 x float> %v527, float %v494, i64 9
  %v529 = insertelement <16 x float> %v528, float %v498, i64 10
  %v530 = insertelement <16 x float> %v529, float %v502, i64 11
  %v531 = insertelement <16 x float> %v530, float %v506, i64 12
  %v532 = insertelement <16 x float> %v531, float %v510, i64 13
  %v533 = insertelement <16 x float> %v532, float %v514, i64 14
  %v534 = insertelement <16 x float> %v533, float %v518, i64 15
  %v535 = insertelement <16 x float> poison, float %v167, i64 0
  %v536 = shufflevector <16 x float> %v535, <16 x float> poison, <16 x i32> zeroinitializer
  %v537 = fmul <16 x float> %v536, %v534
  %v538 = fadd <16 x float> %v537, %v424
  %v539 = insertelement <16 x float> poison, float %v154, i64 0
  %v540 = shufflevector <16 x float> %v539, <16 x float> poison, <16 x i32> zeroinitializer
  %v541 = fmul <16 x float> %v540, %v538
  %v542 = fsub <16 x float> %v425, %v541
  %v543 = fsub <16 x float> %v534, %v538
  %v544 = mul i64 %v423, 2
  %v545 = add i64 %v544, %v15
  %v546 = mul i64 %v19, 2
  %v549 = extractelement <16 x float> %v538, i64 0
  %v550 = getelementptr inbounds float, ptr %v548, i64 %v545
  store float %v549, ptr %v550, align 4
  %v551 = extractelement <16 x float> %v538, i64 1
  %v552 = add i64 %v545, %v546
  %v553 = getelementptr inbounds float, ptr %v548, i64 %v552
  store float %v551, ptr %v553, align 4
  %v554 = extractelement <16 x float> %v538, i64 2
  %v555 = mul i64 %v546, 2
  %v556 = add i64 %v545, %v555
  %v557 = getelementptr inbounds float, ptr %v548, i64 %v556
  store float %v554, ptr %v557, align 4
  %v558 = extractelement <16 x float> %v538, i64 3
  %v559 = mul i64 %v546, 3
  %v560 = add i64 %v545, %v559
  %v561 = getelementptr inbounds float, ptr %v548, i64 %v560
  store float %v558, ptr %v561, align 4
  %v562 = extractelement <16 x float> %v538, i64 4
  %v563 = mul i64 %v546, 4
  %v564 = add i64 %v545, %v563
  %v565 = getelementptr inbounds float, ptr %v548, i64 %v564
  store float %v562, ptr %v565, align 4
  %v566 = extractelement <16 x float> %v538, i64 5
  %v567 = mul i64 %v546, 5
  %v568 = add i64 %v545, %v567
  %v569 = getelementptr inbounds float, ptr %v548, i64 %v568
  store float %v566, ptr %v569, align 4
  %v570 = extractelement <16 x float> %v538, i64 6
  %v571 = mul i64 %v546, 6
  %v572 = add i64 %v545, %v571
  %v573 = getelementptr inbounds float, ptr %v548, i64 %v572
  store float %v570, ptr %v573, align 4
  %v574 = extractelement <16 x float> %v538, i64 7
  %v575 = mul i64 %v546, 7
  %v576 = add i64 %v545, %v575
  %v577 = getelementptr inbounds float, ptr %v548, i64 %v576
  store float %v574, ptr %v577, align 4
  %v578 = extractelement <16 x float> %v538, i64 8
  %v579 = mul i64 %v546, 8
  %v580 = add i64 %v545, %v579
  %v581 = getelementptr inbounds float, ptr %v548, i64 %v580
  store float %v578, ptr %v581, align 4
  %v582 = extractelement <16 x float> %v538, i64 9
  %v583 = mul i64 %v546, 9
  %v584 = add i64 %v545, %v583
  %v585 = getelementptr inbounds float, ptr %v548, i64 %v584
  store float %v582, ptr %v585, align 4
  %v586 = extractelement <16 x float> %v538, i64 10
  %v587 = mul i64 %v546, 10
  %v588 = add i64 %v545, %v587
  %v589 = getelementptr inbounds float, ptr %v548, i64 %v588
  store float %v586, ptr %v589, align 4
  %v590 = extractelement <16 x float> %v538, i64 11
  %v591 = mul i64 %v546, 11
  %v592 = add i64 %v545, %v591
  %v593 = getelementptr inbounds float, ptr %v548, i64 %v592
  store float %v590, ptr %v593, align 4
  %v594 = extractelement <16 x float> %v538, i64 12
  %v595 = mul i64 %v546, 12
  %v596 = add i64 %v545, %v595
  %v597 = getelementptr inbounds float, ptr %v548, i64 %v596
  store float %v594, ptr %v597, align 4
  %v598 = extractelement <16 x float> %v538, i64 13
  %v599 = mul i64 %v546, 13
  %v600 = add i64 %v545, %v599
  %v601 = getelementptr inbounds float, ptr %v548, i64 %v600
  store float %v598, ptr %v601, align 4
  %v602 = extractelement <16 x float> %v538, i64 14
  %v603 = mul i64 %v546, 14
  %v604 = add i64 %v545, %v603
  %v605 = getelementptr inbounds float, ptr %v548, i64 %v604
  store float %v602, ptr %v605, align 4
  %v606 = extractelement <16 x float> %v538, i64 15
  %v607 = mul i64 %v546, 15
  %v608 = add i64 %v545, %v607
  %v609 = getelementptr inbounds float, ptr %v548, i64 %v608
  store float %v606, ptr %v609, align 4
  store <16 x float> %v542, ptr %v415, align 4
  store <16 x float> %v543, ptr %v416, align 4
  br label %latch419
latch419:
  %v421 = add nsw i64 %v420, 1
  br label %head419, !llvm.loop !4
end419:
  %v610 = load <16 x float>, ptr %v415, align 4
  %v611 = load <16 x float>, ptr %v416, align 4
  store <16 x float> %v610, ptr %v379, align 4
  store <16 x float> %v611, ptr %v380, align 4
  %v614 = load float, ptr %v377, align 4
  %v615 = load float, ptr %v378, align 4
  store float %v614, ptr %v612, align 4
  store float %v615, ptr %v613, align 4
  br label %head616
head616:
  %v617 = phi i64 [ 0, %end419 ], [ %v618, %latch616 ]
  %v619 = icmp slt i64 %v617, %v23
  br i1 %v619, label %body616, label %end616
body616:
  %v620 = add i64 %v21, %v617
  %v621 = load float, ptr %v612, align 4
  %v622 = load float, ptr %v613, align 4
  %v623 = mul i64 %v620, 2
  %v624 = add i64 %v623, %v15
  %v625 = getelementptr inbounds float, ptr %v73, i64 %v624
  %v626 = load float, ptr %v625, align 4
  %v627 = fmul float %v167, %v626
  %v628 = fadd float %v627, %v621
  %v629 = fmul float %v154, %v628
  %v630 = fsub float %v622, %v629
  %v631 = fsub float %v626, %v628
  %v632 = mul i64 %v620, 2
  %v633 = add i64 %v632, %v15
  %v634 = getelementptr inbounds float, ptr %v548, i64 %v633
  store float %v628, ptr %v634, align 4, !noalias !8
  store float %v630, ptr %v612, align 4
  store float %v631, ptr %v613, align 4
  br label %latch616
latch616:
  %v618 = add nsw i64 %v617, 1
  br label %head616, !llvm.loop !5
end616:
  %v635 = load float, ptr %v612, align 4
  %v636 = load float, ptr %v613, align 4
  store float %v635, ptr %v377, align 4
  store float %v636, ptr %v378, align 4
  br label %endif381
endif381:
  %v637 = xor i1 %v376, true
  br i1 %v637, label %then638, label %endif638
then638:
  %v641 = load float, ptr %v377, align 4
  %v642 = load float, ptr %v378, align 4
  store float %v641, ptr %v639, align 4
  store float %v642, ptr %v640, align 4
  br label %head643
head643:
  %v644 = phi i64 [ 0, %then638 ], [ %v645, %latch643 ]
  %v646 = icmp slt i64 %v644, %v18
  br i1 %v646, label %body643, label %end643
body643:
  %v647 = add i64 %v16, %v644
  %v648 = load float, ptr %v639, align 4
  %v649 = load float, ptr %v640, align 4
  %v650 = mul i64 %v647, 2
  %v651 = add i64 %v650, %v15
  %v652 = getelementptr inbounds float, ptr %v73, i64 %v651
  %v653 = load float, ptr %v652, align 4
  %v654 = fmul float %v167, %v653
  %v655 = fadd float %v654, %v648
  %v656 = fmul float %v154, %v655
  %v657 = fsub float %v649, %v656
  %v658 = fsub float %v653, %v655
  %v659 = mul i64 %v647, 2
  %v660 = add i64 %v659, %v15
  %v661 = getelementptr inbounds float, ptr %v548, i64 %v660
  store float %v655, ptr %v661, align 4, !noalias !8
  store float %v657, ptr %v639, align 4
  store float %v658, ptr %v640, align 4
  br label %latch643
latch643:
  %v645 = add nsw i64 %v644, 1
  br label %head643, !llvm.loop !9
end643:
  %v662 = load float, ptr %v639, align 4
  %v663 = load float, ptr %v640, align 4
  store float %v662, ptr %v377, align 4
  store float %v663, ptr %v378, align 4
  %v664 = load float, ptr %v377, align 4
  %v665 = load float, ptr %v378, align 4
  %v666 = getelementptr inbounds i64, ptr %v322, i64 1
  store float %v664, ptr %v666, align 8
  %v667 = getelementptr inbounds i64, ptr %v322, i64 2
  store float %v665, ptr %v667, align 8
  %v668 = add i64 %v13, 1
  store atomic i64 %v668, ptr %v322 release, align 8
  br label %endif638
endif638:
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 1
  br label %head9
end9:
  br label %endif6
endif6:
  %v669 = xor i1 %v5, true
  br i1 %v669, label %then670, label %endif670
then670:
  %v671 = add i64 2, 15
  %v672 = udiv i64 %v671, 16
  br label %head673
head673:
  %v674 = phi i64 [ %lo, %then670 ], [ %v675, %latch673 ]
  %v676 = icmp slt i64 %v674, %hi
  br i1 %v676, label %body673, label %end673
body673:
  %v677 = udiv i64 %v674, %v672
  %v678 = mul i64 %v677, %v672
  %v679 = sub i64 %v674, %v678
  %v680 = mul i64 %v679, 16
  %v681 = add i64 %v680, 16
  %v682 = icmp sle i64 %v681, 2
  br i1 %v682, label %then683, label %endif683
then683:
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v684, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v685, align 4
  br label %head686
head686:
  %v687 = phi i64 [ 0, %then683 ], [ %v688, %latch686 ]
  %v689 = icmp slt i64 %v687, %v2
  br i1 %v689, label %body686, label %end686
body686:
  %v690 = load <16 x float>, ptr %v684, align 4
  %v691 = load <16 x float>, ptr %v685, align 4
  %v692 = mul i64 %v687, 2
  %v693 = add i64 %v692, %v680
  %v694 = getelementptr inbounds float, ptr %v73, i64 %v693
  %v695 = load <16 x float>, ptr %v694, align 4
  %v696 = insertelement <16 x float> poison, float %v167, i64 0
  %v697 = shufflevector <16 x float> %v696, <16 x float> poison, <16 x i32> zeroinitializer
  %v698 = fmul <16 x float> %v697, %v695
  %v699 = fadd <16 x float> %v698, %v690
  %v700 = insertelement <16 x float> poison, float %v154, i64 0
  %v701 = shufflevector <16 x float> %v700, <16 x float> poison, <16 x i32> zeroinitializer
  %v702 = fmul <16 x float> %v701, %v699
  %v703 = fsub <16 x float> %v691, %v702
  %v704 = fsub <16 x float> %v695, %v699
  store <16 x float> %v703, ptr %v684, align 4
  store <16 x float> %v704, ptr %v685, align 4
  %v705 = mul i64 %v687, 2
  %v706 = add i64 %v705, %v680
  %v707 = getelementptr inbounds float, ptr %v548, i64 %v706
  store <16 x float> %v699, ptr %v707, align 4, !noalias !8
  br label %latch686
latch686:
  %v688 = add nsw i64 %v687, 1
  br label %head686
end686:
  br label %endif683
endif683:
  %v708 = xor i1 %v682, true
  br i1 %v708, label %then709, label %endif709
then709:
  %v710 = add i64 %v680, 16
  %v711 = call i64 @llvm.smin.i64(i64 %v710, i64 2)
  br label %head712
head712:
  %v713 = phi i64 [ %v680, %then709 ], [ %v714, %latch712 ]
  %v715 = icmp slt i64 %v713, %v711
  br i1 %v715, label %body712, label %end712
body712:
  store float 0x0000000000000000, ptr %v716, align 4
  store float 0x0000000000000000, ptr %v717, align 4
  br label %head718
head718:
  %v719 = phi i64 [ 0, %body712 ], [ %v720, %latch718 ]
  %v721 = icmp slt i64 %v719, %v2
  br i1 %v721, label %body718, label %end718
body718:
  %v722 = load float, ptr %v716, align 4
  %v723 = load float, ptr %v717, align 4
  %v724 = mul i64 %v719, 2
  %v725 = add i64 %v724, %v713
  %v726 = getelementptr inbounds float, ptr %v73, i64 %v725
  %v727 = load float, ptr %v726, align 4
  %v728 = fmul float %v167, %v727
  %v729 = fadd float %v728, %v722
  %v730 = fmul float %v154, %v729
  %v731 = fsub float %v723, %v730
  %v732 = fsub float %v727, %v729
  store float %v731, ptr %v716, align 4
  store float %v732, ptr %v717, align 4
  %v733 = mul i64 %v719, 2
  %v734 = add i64 %v733, %v713
  %v735 = getelementptr inbounds float, ptr %v548, i64 %v734
  store float %v729, ptr %v735, align 4, !noalias !8
  br label %latch718
latch718:
  %v720 = add nsw i64 %v719, 1
  br label %head718
end718:
  br label %latch712
latch712:
  %v714 = add nsw i64 %v713, 1
  br label %head712
end712:
  br label %endif709
endif709:
  br label %latch673
latch673:
  %v675 = add nsw i64 %v674, 1
  br label %head673
end673:
  br label %endif670
endif670:
  ret void
}

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

!0 = distinct !{!0, !{!"llvm.loop.vectorize.enable", i1 false}}
!1 = distinct !{!1, !{!"llvm.loop.vectorize.enable", i1 false}}
!2 = distinct !{!2, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!3 = distinct !{!3, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!4 = distinct !{!4, !{!"llvm.loop.vectorize.enable", i1 false}}
!5 = distinct !{!5, !{!"llvm.loop.vectorize.enable", i1 false}}
!6 = distinct !{!6}
!7 = distinct !{!7, !6}
!8 = !{!7}
!9 = distinct !{!9, !{!"llvm.loop.vectorize.enable", i1 false}}
