declare i64 @llvm.smin.i64(i64, i64)
define internal void @treadle_sum(ptr %block, i64 %line, i64 %piece, i64 %unit) noinline nounwind {
start:
  %v2 = getelementptr inbounds i64, ptr %block, i64 5
  %v3 = load i64, ptr %v2, align 8
  %v11 = getelementptr inbounds i64, ptr %block, i64 7
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 6
  %v14 = load i64, ptr %v13, align 8
  %v16 = getelementptr inbounds i64, ptr %block, i64 0
  %v17 = load ptr, ptr %v16, align 8
  %v35 = alloca <16 x float>, align 64
  %v36 = alloca <16 x float>, align 64
  %v37 = alloca <16 x float>, align 64
  %v38 = alloca <16 x float>, align 64
  %v39 = alloca <16 x float>, align 64
  %v40 = alloca <16 x float>, align 64
  %v83 = getelementptr inbounds i64, ptr %block, i64 2
  %v84 = load ptr, ptr %v83, align 8
  %v163 = getelementptr inbounds i64, ptr %block, i64 4
  %v164 = load double, ptr %v163, align 8
  %v165 = fptrunc double %v164 to float
  %v176 = getelementptr inbounds i64, ptr %block, i64 3
  %v177 = load double, ptr %v176, align 8
  %v178 = fptrunc double %v177 to float
  %v192 = alloca <16 x float>, align 64
  %v193 = alloca <16 x float>, align 64
  %v194 = alloca <16 x float>, align 64
  %v195 = alloca <16 x float>, align 64
  %v196 = alloca <16 x float>, align 64
  %v197 = alloca <16 x float>, align 64
  %v210 = alloca float, align 64
  %v211 = alloca float, align 64
  %v212 = alloca float, align 64
  %v213 = alloca float, align 64
  %v214 = alloca float, align 64
  %v215 = alloca float, align 64
  %v244 = alloca float, align 64
  %v245 = alloca float, align 64
  %v246 = alloca float, align 64
  %v247 = alloca float, align 64
  %v248 = alloca float, align 64
  %v249 = alloca float, align 64
  br label %main
main:
  %v1 = mul i64 %piece, 8448
  %v4 = sub i64 %v3, %v1
  %v5 = call i64 @llvm.smin.i64(i64 %v4, i64 8448)
  %v6 = udiv i64 %v5, 16
  %v7 = mul i64 %v6, 16
  %v8 = add i64 %v1, %v7
  %v9 = mul i64 %v6, 16
  %v10 = sub i64 %v5, %v9
  %v15 = mul i64 %v12, %v14
  %v18 = mul i64 %v12, 128
  %v19 = getelementptr inbounds i8, ptr %v17, i64 %v18
  %v20 = getelementptr inbounds i64, ptr %v19, i64 %v15
  %v21 = mul i64 %unit, 816
  %v22 = getelementptr inbounds i8, ptr %v20, i64 %v21
  %v23 = getelementptr inbounds i8, ptr %v22, i64 0
  %v24 = getelementptr inbounds i8, ptr %v22, i64 128
  %v25 = getelementptr inbounds i8, ptr %v22, i64 256
  %v26 = getelementptr inbounds i8, ptr %v22, i64 384
  %v27 = getelementptr inbounds i8, ptr %v22, i64 512
  %v28 = getelementptr inbounds i8, ptr %v22, i64 640
  %v29 = getelementptr inbounds i8, ptr %v22, i64 768
  %v30 = getelementptr inbounds i8, ptr %v22, i64 776
  %v31 = getelementptr inbounds i8, ptr %v22, i64 784
  %v32 = getelementptr inbounds i8, ptr %v22, i64 792
  %v33 = getelementptr inbounds i8, ptr %v22, i64 800
  %v34 = getelementptr inbounds i8, ptr %v22, i64 808
  store <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, ptr %v35, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v36, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v37, align 4
  store <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, ptr %v38, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v39, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v40, align 4
  br label %head41
head41:
  %v42 = phi i64 [ 0, %main ], [ %v43, %latch41 ]
  %v44 = icmp slt i64 %v42, %v6
  br i1 %v44, label %body41, label %end41
body41:
  %v45 = add i64 %v1, %v42
  %v46 = load <16 x float>, ptr %v35, align 4
  %v47 = load <16 x float>, ptr %v36, align 4
  %v48 = load <16 x float>, ptr %v37, align 4
  %v49 = load <16 x float>, ptr %v38, align 4
  %v50 = load <16 x float>, ptr %v39, align 4
  %v51 = load <16 x float>, ptr %v40, align 4
  %v52 = add i64 %v45, %v6
  %v53 = mul i64 %v6, 2
  %v54 = add i64 %v45, %v53
  %v55 = mul i64 %v6, 3
  %v56 = add i64 %v45, %v55
  %v57 = mul i64 %v6, 4
  %v58 = add i64 %v45, %v57
  %v59 = mul i64 %v6, 5
  %v60 = add i64 %v45, %v59
  %v61 = mul i64 %v6, 6
  %v62 = add i64 %v45, %v61
  %v63 = mul i64 %v6, 7
  %v64 = add i64 %v45, %v63
  %v65 = mul i64 %v6, 8
  %v66 = add i64 %v45, %v65
  %v67 = mul i64 %v6, 9
  %v68 = add i64 %v45, %v67
  %v69 = mul i64 %v6, 10
  %v70 = add i64 %v45, %v69
  %v71 = mul i64 %v6, 11
  %v72 = add i64 %v45, %v71
  %v73 = mul i64 %v6, 12
  %v74 = add i64 %v45, %v73
  %v75 = mul i64 %v6, 13
  %v76 = add i64 %v45, %v75
  %v77 = mul i64 %v6, 14
  %v78 = add i64 %v45, %v77
  %v79 = mul i64 %v6, 15
  %v80 = add i64 %v45, %v79
  %v81 = mul i64 %v45, 2
  %v82 = add i64 %v81, %line
  %v85 = getelementptr inbounds float, ptr %v84, i64 %v82
  %v86 = load float, ptr %v85, align 4
  %v87 = mul i64 %v52, 2
  %v88 = add i64 %v87, %line
  %v89 = getelementptr inbounds float, ptr %v84, i64 %v88
  %v90 = load float, ptr %v89, align 4
  %v91 = mul i64 %v54, 2
  %v92 = add i64 %v91, %line
  %v93 = getelementptr inbounds float, ptr %v84, i64 %v92
  %v94 = load float, ptr %v93, align 4
  %v95 = mul i64 %v56, 2
  %v96 = add i64 %v95, %line
  %v97 = getelementptr inbounds float, ptr %v84, i64 %v96
  %v98 = load float, ptr %v97, align 4
  %v99 = mul i64 %v58, 2
  %v100 = add i64 %v99, %line
  %v101 = getelementptr inbounds float, ptr %v84, i64 %v100
  %v102 = load float, ptr %v101, align 4
  %v103 = mul i64 %v60, 2
  %v104 = add i64 %v103, %line
  %v105 = getelementptr inbounds float, ptr %v84, i64 %v104
  %v106 = load float, ptr %v105, align 4
  %v107 = mul i64 %v62, 2
  %v108 = add i64 %v107, %line
  %v109 = getelementptr inbounds float, ptr %v84, i64 %v108
  %v110 = load float, ptr %v109, align 4
  %v111 = mul i64 %v64, 2
  %v112 = add i64 %v111, %line
  %v113 = getelementptr inbounds float, ptr %v84, i64 %v112
  %v114 = load float, ptr %v113, align 4
  %v115 = mul i64 %v66, 2
  %v116 = add i64 %v115, %line
  %v117 = getelementptr inbounds float, ptr %v84, i64 %v116
  %v118 = load float, ptr %v117, align 4
  %v119 = mul i64 %v68, 2
  %v120 = add i64 %v119, %line
  %v121 = getelementptr inbounds float, ptr %v84, i64 %v120
  %v122 = load float, ptr %v121, align 4
  %v123 = mul i64 %v70, 2
  %v124 = add i64 %v123, %line
  %v125 = getelementptr inbounds float, ptr %v84, i64 %v124
  %v126 = load float, ptr %v125, align 4
  %v127 = mul i64 %v72, 2
  %v128 = add i64 %v127, %line
  %v129 = getelementptr inbounds float, ptr %v84, i64 %v128
  %v130 = load float, ptr %v129, align 4
  %v131 = mul i64 %v74, 2
  %v132 = add i64 %v131, %line
  %v133 = getelementptr inbounds float, ptr %v84, i64 %v132
  %v134 = load float, ptr %v133, align 4
  %v135 = mul i64 %v76, 2
  %v136 = add i64 %v135, %line
  %v137 = getelementptr inbounds float, ptr %v84, i64 %v136
  %v138 = load float, ptr %v137, align 4
  %v139 = mul i64 %v78, 2
  %v140 = add i64 %v139, %line
  %v141 = getelementptr inbounds float, ptr %v84, i64 %v140
  %v142 = load float, ptr %v141, align 4
  %v143 = mul i64 %v80, 2
  %v144 = add i64 %v143, %line
  %v145 = getelementptr inbounds float, ptr %v84, i64 %v144
  %v146 = load float, ptr %v145, align 4
  %v147 = insertelement <16 x float> poison, float %v86, i64 0
  %v148 = insertelement <16 x float> %v147, float %v90, i64 1
  %v149 = insertelement <16 x float> %v148, float %v94, i64 2
  %v150 = insertelement <16 x float> %v149, float %v98, i64 3
  %v151 = insertelement <16 x float> %v150, float %v102, i64 4
  %v152 = insertelement <16 x float> %v151, float %v106, i64 5
  %v153 = insertelement <16 x float> %v152, float %v110, i64 6
  %v154 = insertelement <16 x float> %v153, float %v114, i64 7
  %v155 = insertelement <16 x float> %v154, float %v118, i64 8
  %v156 = insertelement <16 x float> %v155, float %v122, i64 9
  %v157 = insertelement <16 x float> %v156, float %v126, i64 10
  %v158 = insertelement <16 x float> %v157, float %v130, i64 11
  %v159 = insertelement <16 x float> %v158, float %v134, i64 12
  %v160 = insertelement <16 x float> %v159, float %v138, i64 13
  %v161 = insertelement <16 x float> %v160, float %v142, i64 14
  %v162 = insertelement <16 x float> %v161, float %v146, i64 15
  %v166 = insertelement <16 x float> poison, float %v165, i64 0
  %v167 = shufflevector <16 x float> %v166, <16 x float> poison, <16 x i32> zeroinitializer
  %v168 = fmul <16 x float> %v167, %v46
  %v169 = fsub <16 x float> %v47, %v168
  %v170 = fneg <16 x float> %v46
  %v171 = insertelement <16 x float> poison, float %v165, i64 0
  %v172 = shufflevector <16 x float> %v171, <16 x float> poison, <16 x i32> zeroinitializer
  %v173 = fmul <16 x float> %v172, %v48
  %v174 = fsub <16 x float> %v49, %v173
  %v175 = fneg <16 x float> %v48
  %v179 = insertelement <16 x float> poison, float %v178, i64 0
  %v180 = shufflevector <16 x float> %v179, <16 x float> poison, <16 x i32> zeroinitializer
  %v181 = fmul <16 x float> %v180, %v162
  %v182 = fadd <16 x float> %v181, %v50
  %v183 = insertelement <16 x float> poison, float %v165, i64 0
  %v184 = shufflevector <16 x float> %v183, <16 x float> poison, <16 x i32> zeroinitializer
  %v185 = fmul <16 x float> %v184, %v182
  %v186 = fsub <16 x float> %v51, %v185
  %v187 = insertelement <16 x float> poison, float %v178, i64 0
  %v188 = shufflevector <16 x float> %v187, <16 x float> poison, <16 x i32> zeroinitializer
  %v189 = fmul <16 x float> %v188, %v162
  %v190 = fadd <16 x float> %v189, %v50
  %v191 = fsub <16 x float> %v162, %v190
  store <16 x float> %v169, ptr %v35, align 4
  store <16 x float> %v170, ptr %v36, align 4
  store <16 x float> %v174, ptr %v37, align 4
  store <16 x float> %v175, ptr %v38, align 4
  store <16 x float> %v186, ptr %v39, align 4
  store <16 x float> %v191, ptr %v40, align 4
  br label %latch41
latch41:
  %v43 = add nsw i64 %v42, 1
  br label %head41, !llvm.loop !0
end41:
  %v198 = load <16 x float>, ptr %v35, align 4
  %v199 = load <16 x float>, ptr %v36, align 4
  %v200 = load <16 x float>, ptr %v37, align 4
  %v201 = load <16 x float>, ptr %v38, align 4
  %v202 = load <16 x float>, ptr %v39, align 4
  %v203 = load <16 x float>, ptr %v40, align 4
  store <16 x float> %v198, ptr %v192, align 4
  store <16 x float> %v199, ptr %v193, align 4
  store <16 x float> %v200, ptr %v194, align 4
  store <16 x float> %v201, ptr %v195, align 4
  store <16 x float> %v202, ptr %v196, align 4
  store <16 x float> %v203, ptr %v197, align 4
  %v204 = load <16 x float>, ptr %v192, align 4
  %v205 = load <16 x float>, ptr %v193, align 4
  %v206 = load <16 x float>, ptr %v194, align 4
  %v207 = load <16 x float>, ptr %v195, align 4
  %v208 = load <16 x float>, ptr %v196, align 4
  %v209 = load <16 x float>, ptr %v197, align 4
  store <16 x float> %v204, ptr %v23, align 4
  store <16 x float> %v205, ptr %v24, align 4
  store <16 x float> %v206, ptr %v25, align 4
  store <16 x float> %v207, ptr %v26, align 4
  store <16 x float> %v208, ptr %v27, align 4
  store <16 x float> %v209, ptr %v28, align 4
  store float 0x3FF0000000000000, ptr %v210, align 4
  store float 0x0000000000000000, ptr %v211, align 4
  store float 0x0000000000000000, ptr %v212, align 4
  store float 0x3FF0000000000000, ptr %v213, align 4
  store float 0x0000000000000000, ptr %v214, align 4
  store float 0x0000000000000000, ptr %v215, align 4
  br label %head216
head216:
  %v217 = phi i64 [ 0, %end41 ], [ %v218, %latch216 ]
  %v219 = icmp slt i64 %v217, %v10
  br i1 %v219, label %body216, label %end216
body216:
  %v220 = add i64 %v8, %v217
  %v221 = load float, ptr %v210, align 4
  %v222 = load float, ptr %v211, align 4
  %v223 = load float, ptr %v212, align 4
  %v224 = load float, ptr %v213, align 4
  %v225 = load float, ptr %v214, align 4
  %v226 = load float, ptr %v215, align 4
  %v227 = mul i64 %v220, 2
  %v228 = add i64 %v227, %line
  %v229 = getelementptr inbounds float, ptr %v84, i64 %v228
  %v230 = load float, ptr %v229, align 4
  %v231 = fmul float %v165, %v221
  %v232 = fsub float %v222, %v231
  %v233 = fneg float %v221
  %v234 = fmul float %v165, %v223
  %v235 = fsub float %v224, %v234
  %v236 = fneg float %v223
  %v237 = fmul float %v178, %v230
  %v238 = fadd float %v237, %v225
  %v239 = fmul float %v165, %v238
  %v240 = fsub float %v226, %v239
  %v241 = fmul float %v178, %v230
  %v242 = fadd float %v241, %v225
  %v243 = fsub float %v230, %v242
  store float %v232, ptr %v210, align 4
  store float %v233, ptr %v211, align 4
  store float %v235, ptr %v212, align 4
  store float %v236, ptr %v213, align 4
  store float %v240, ptr %v214, align 4
  store float %v243, ptr %v215, align 4
  br label %latch216
latch216:
  %v218 = add nsw i64 %v217, 1
  br label %head216, !llvm.loop !1
end216:
  %v250 = load float, ptr %v210, align 4
  %v251 = load float, ptr %v211, align 4
  %v252 = load float, ptr %v212, align 4
  %v253 = load float, ptr %v213, align 4
  %v254 = load float, ptr %v214, align 4
  %v255 = load float, ptr %v215, align 4
  store float %v250, ptr %v244, align 4
  store float %v251, ptr %v245, align 4
  store float %v252, ptr %v246, align 4
  store float %v253, ptr %v247, align 4
  store float %v254, ptr %v248, align 4
  store float %v255, ptr %v249, align 4
  %v256 = load float, ptr %v244, align 4
  %v257 = load float, ptr %v245, align 4
  %v258 = load float, ptr %v246, align 4
  %v259 = load float, ptr %v247, align 4
  %v260 = load float, ptr %v248, align 4
  %v261 = load float, ptr %v249, align 4
  store float %v256, ptr %v29, align 4
  store float %v257, ptr %v30, align 4
  store float %v258, ptr %v31, align 4
  store float %v259, ptr %v32, align 4
  store float %v260, ptr %v33, align 4
  store float %v261, ptr %v34, align 4
  %v262 = mul i64 %v12, 128
  %v263 = getelementptr inbounds i8, ptr %v17, i64 %v262
  %v264 = getelementptr inbounds i64, ptr %v263, i64 %unit
  store atomic i64 1, ptr %v264 seq_cst, align 8
  ret void
}

define internal void @treadle_walk(ptr %block, i64 %line, i64 %piece, i64 %unit) noinline nounwind {
start:
  %v2 = getelementptr inbounds i64, ptr %block, i64 5
  %v3 = load i64, ptr %v2, align 8
  %v11 = getelementptr inbounds i64, ptr %block, i64 7
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 6
  %v14 = load i64, ptr %v13, align 8
  %v16 = getelementptr inbounds i64, ptr %block, i64 0
  %v17 = load ptr, ptr %v16, align 8
  %v35 = alloca float, align 64
  %v36 = alloca float, align 64
  %v37 = alloca float, align 64
  %v38 = alloca float, align 64
  %v39 = alloca float, align 64
  %v40 = alloca float, align 64
  %v170 = alloca float, align 64
  %v171 = alloca float, align 64
  %v172 = alloca <16 x float>, align 64
  %v173 = alloca <16 x float>, align 64
  %v209 = alloca <16 x float>, align 64
  %v210 = alloca <16 x float>, align 64
  %v251 = getelementptr inbounds i64, ptr %block, i64 2
  %v252 = load ptr, ptr %v251, align 8
  %v331 = getelementptr inbounds i64, ptr %block, i64 3
  %v332 = load double, ptr %v331, align 8
  %v333 = fptrunc double %v332 to float
  %v338 = getelementptr inbounds i64, ptr %block, i64 4
  %v339 = load double, ptr %v338, align 8
  %v340 = fptrunc double %v339 to float
  %v349 = getelementptr inbounds i64, ptr %block, i64 1
  %v350 = load ptr, ptr %v349, align 8
  %v414 = alloca float, align 64
  %v415 = alloca float, align 64
  %v443 = alloca float, align 64
  %v444 = alloca float, align 64
  br label %main
main:
  %v1 = mul i64 %piece, 8448
  %v4 = sub i64 %v3, %v1
  %v5 = call i64 @llvm.smin.i64(i64 %v4, i64 8448)
  %v6 = udiv i64 %v5, 16
  %v7 = mul i64 %v6, 16
  %v8 = add i64 %v1, %v7
  %v9 = mul i64 %v6, 16
  %v10 = sub i64 %v5, %v9
  %v15 = mul i64 %v12, %v14
  %v18 = mul i64 %v12, 128
  %v19 = getelementptr inbounds i8, ptr %v17, i64 %v18
  %v20 = getelementptr inbounds i64, ptr %v19, i64 %v15
  %v21 = mul i64 %unit, 816
  %v22 = getelementptr inbounds i8, ptr %v20, i64 %v21
  %v23 = getelementptr inbounds i8, ptr %v22, i64 0
  %v24 = getelementptr inbounds i8, ptr %v22, i64 128
  %v25 = getelementptr inbounds i8, ptr %v22, i64 256
  %v26 = getelementptr inbounds i8, ptr %v22, i64 384
  %v27 = getelementptr inbounds i8, ptr %v22, i64 512
  %v28 = getelementptr inbounds i8, ptr %v22, i64 640
  %v29 = getelementptr inbounds i8, ptr %v22, i64 768
  %v30 = getelementptr inbounds i8, ptr %v22, i64 776
  %v31 = getelementptr inbounds i8, ptr %v22, i64 784
  %v32 = getelementptr inbounds i8, ptr %v22, i64 792
  %v33 = getelementptr inbounds i8, ptr %v22, i64 800
  %v34 = getelementptr inbounds i8, ptr %v22, i64 808
  store float 0x3FF0000000000000, ptr %v35, align 4
  store float 0x0000000000000000, ptr %v36, align 4
  store float 0x0000000000000000, ptr %v37, align 4
  store float 0x3FF0000000000000, ptr %v38, align 4
  store float 0x0000000000000000, ptr %v39, align 4
  store float 0x0000000000000000, ptr %v40, align 4
  br label %head41
head41:
  %v42 = phi i64 [ 0, %main ], [ %v43, %latch41 ]
  %v44 = icmp slt i64 %v42, 16
  br i1 %v44, label %body41, label %end41
body41:
  %v45 = getelementptr inbounds float, ptr %v23, i64 %v42
  %v46 = getelementptr inbounds float, ptr %v24, i64 %v42
  %v47 = getelementptr inbounds float, ptr %v25, i64 %v42
  %v48 = getelementptr inbounds float, ptr %v26, i64 %v42
  %v49 = getelementptr inbounds float, ptr %v27, i64 %v42
  %v50 = getelementptr inbounds float, ptr %v28, i64 %v42
  %v51 = load float, ptr %v35, align 4
  %v52 = load float, ptr %v36, align 4
  %v53 = load float, ptr %v37, align 4
  %v54 = load float, ptr %v38, align 4
  %v55 = load float, ptr %v39, align 4
  %v56 = load float, ptr %v40, align 4
  %v57 = load float, ptr %v45, align 4
  %v58 = load float, ptr %v46, align 4
  %v59 = load float, ptr %v47, align 4
  %v60 = load float, ptr %v48, align 4
  %v61 = load float, ptr %v49, align 4
  %v62 = load float, ptr %v50, align 4
  %v63 = fmul float %v57, %v51
  %v64 = fmul float %v59, %v52
  %v65 = fadd float %v63, %v64
  %v66 = fmul float %v58, %v51
  %v67 = fmul float %v60, %v52
  %v68 = fadd float %v66, %v67
  %v69 = fmul float %v57, %v53
  %v70 = fmul float %v59, %v54
  %v71 = fadd float %v69, %v70
  %v72 = fmul float %v58, %v53
  %v73 = fmul float %v60, %v54
  %v74 = fadd float %v72, %v73
  %v75 = fmul float %v57, %v55
  %v76 = fmul float %v59, %v56
  %v77 = fadd float %v75, %v76
  %v78 = fadd float %v77, %v61
  %v79 = fmul float %v58, %v55
  %v80 = fmul float %v60, %v56
  %v81 = fadd float %v79, %v80
  %v82 = fadd float %v81, %v62
  store float %v65, ptr %v35, align 4
  store float %v68, ptr %v36, align 4
  store float %v71, ptr %v37, align 4
  store float %v74, ptr %v38, align 4
  store float %v78, ptr %v39, align 4
  store float %v82, ptr %v40, align 4
  br label %latch41
latch41:
  %v43 = add nsw i64 %v42, 1
  br label %head41, !llvm.loop !2
end41:
  %v83 = load float, ptr %v35, align 4
  %v84 = load float, ptr %v36, align 4
  %v85 = load float, ptr %v37, align 4
  %v86 = load float, ptr %v38, align 4
  %v87 = load float, ptr %v39, align 4
  %v88 = load float, ptr %v40, align 4
  %v89 = load float, ptr %v29, align 4
  %v90 = load float, ptr %v30, align 4
  %v91 = load float, ptr %v31, align 4
  %v92 = load float, ptr %v32, align 4
  %v93 = load float, ptr %v33, align 4
  %v94 = load float, ptr %v34, align 4
  %v95 = fmul float %v89, %v83
  %v96 = fmul float %v91, %v84
  %v97 = fadd float %v95, %v96
  %v98 = fmul float %v90, %v83
  %v99 = fmul float %v92, %v84
  %v100 = fadd float %v98, %v99
  %v101 = fmul float %v89, %v85
  %v102 = fmul float %v91, %v86
  %v103 = fadd float %v101, %v102
  %v104 = fmul float %v90, %v85
  %v105 = fmul float %v92, %v86
  %v106 = fadd float %v104, %v105
  %v107 = fmul float %v89, %v87
  %v108 = fmul float %v91, %v88
  %v109 = fadd float %v107, %v108
  %v110 = fadd float %v109, %v93
  %v111 = fmul float %v90, %v87
  %v112 = fmul float %v92, %v88
  %v113 = fadd float %v111, %v112
  %v114 = fadd float %v113, %v94
  store float %v97, ptr %v35, align 4
  store float %v100, ptr %v36, align 4
  store float %v103, ptr %v37, align 4
  store float %v106, ptr %v38, align 4
  store float %v110, ptr %v39, align 4
  store float %v114, ptr %v40, align 4
  %v115 = mul i64 %line, 128
  %v116 = getelementptr inbounds i8, ptr %v17, i64 %v115
  %v117 = getelementptr inbounds i64, ptr %v116, i64 1
  %v118 = mul i64 %line, 128
  %v119 = getelementptr inbounds i8, ptr %v17, i64 %v118
  %v120 = getelementptr inbounds i64, ptr %v119, i64 2
  %v121 = icmp eq i64 %piece, 0
  %v122 = load float, ptr %v117, align 4
  %v123 = load float, ptr %v120, align 4
  %v124 = select i1 %v121, float 0x0000000000000000, float %v122
  %v125 = select i1 %v121, float 0x0000000000000000, float %v123
  %v126 = load float, ptr %v35, align 4
  %v127 = load float, ptr %v36, align 4
  %v128 = load float, ptr %v37, align 4
  %v129 = load float, ptr %v38, align 4
  %v130 = load float, ptr %v39, align 4
  %v131 = load float, ptr %v40, align 4
  %v132 = fmul float %v126, %v124
  %v133 = fmul float %v128, %v125
  %v134 = fadd float %v132, %v133
  %v135 = fadd float %v134, %v130
  %v136 = fmul float %v127, %v124
  %v137 = fmul float %v129, %v125
  %v138 = fadd float %v136, %v137
  %v139 = fadd float %v138, %v131
  %v140 = fsub float %v124, %v124
  %v141 = fcmp oeq float %v140, 0x0000000000000000
  %v142 = and i1 true, %v141
  %v143 = fsub float %v125, %v125
  %v144 = fcmp oeq float %v143, 0x0000000000000000
  %v145 = and i1 %v142, %v144
  %v146 = fsub float %v126, %v126
  %v147 = fcmp oeq float %v146, 0x0000000000000000
  %v148 = and i1 %v145, %v147
  %v149 = fsub float %v127, %v127
  %v150 = fcmp oeq float %v149, 0x0000000000000000
  %v151 = and i1 %v148, %v150
  %v152 = fsub float %v128, %v128
  %v153 = fcmp oeq float %v152, 0x0000000000000000
  %v154 = and i1 %v151, %v153
  %v155 = fsub float %v129, %v129
  %v156 = fcmp oeq float %v155, 0x0000000000000000
  %v157 = and i1 %v154, %v156
  %v158 = fsub float %v130, %v130
  %v159 = fcmp oeq float %v158, 0x0000000000000000
  %v160 = and i1 %v157, %v159
  %v161 = fsub float %v131, %v131
  %v162 = fcmp oeq float %v161, 0x0000000000000000
  %v163 = and i1 %v160, %v162
  %v164 = fsub float %v135, %v135
  %v165 = fcmp oeq float %v164, 0x0000000000000000
  %v166 = and i1 %v163, %v165
  %v167 = fsub float %v139, %v139
  %v168 = fcmp oeq float %v167, 0x0000000000000000
  %v169 = and i1 %v166, %v168
  store float %v124, ptr %v170, align 4
  store float %v125, ptr %v171, align 4
  br i1 %v169, label %then174, label %endif174
then174:
  store float %v135, ptr %v117, align 4
  store float %v139, ptr %v120, align 4
  %v175 = add i64 %piece, 1
  %v176 = shl i64 %v175, 1
  %v177 = mul i64 %line, 128
  %v178 = getelementptr inbounds i8, ptr %v17, i64 %v177
  store atomic i64 %v176, ptr %v178 seq_cst, align 8
  br label %head179
head179:
  %v180 = phi i64 [ 0, %then174 ], [ %v181, %latch179 ]
  %v182 = icmp slt i64 %v180, 16
  br i1 %v182, label %body179, label %end179
body179:
  %v183 = load float, ptr %v170, align 4
  %v184 = load float, ptr %v171, align 4
  %v185 = getelementptr inbounds float, ptr %v172, i64 %v180
  %v186 = getelementptr inbounds float, ptr %v173, i64 %v180
  store float %v183, ptr %v185, align 4
  store float %v184, ptr %v186, align 4
  %v187 = getelementptr inbounds float, ptr %v23, i64 %v180
  %v188 = getelementptr inbounds float, ptr %v24, i64 %v180
  %v189 = getelementptr inbounds float, ptr %v25, i64 %v180
  %v190 = getelementptr inbounds float, ptr %v26, i64 %v180
  %v191 = getelementptr inbounds float, ptr %v27, i64 %v180
  %v192 = getelementptr inbounds float, ptr %v28, i64 %v180
  %v193 = load float, ptr %v170, align 4
  %v194 = load float, ptr %v171, align 4
  %v195 = load float, ptr %v187, align 4
  %v196 = load float, ptr %v188, align 4
  %v197 = load float, ptr %v189, align 4
  %v198 = load float, ptr %v190, align 4
  %v199 = load float, ptr %v191, align 4
  %v200 = load float, ptr %v192, align 4
  %v201 = fmul float %v195, %v193
  %v202 = fmul float %v197, %v194
  %v203 = fadd float %v201, %v202
  %v204 = fadd float %v203, %v199
  %v205 = fmul float %v196, %v193
  %v206 = fmul float %v198, %v194
  %v207 = fadd float %v205, %v206
  %v208 = fadd float %v207, %v200
  store float %v204, ptr %v170, align 4
  store float %v208, ptr %v171, align 4
  br label %latch179
latch179:
  %v181 = add nsw i64 %v180, 1
  br label %head179, !llvm.loop !3
end179:
  %v211 = load <16 x float>, ptr %v172, align 4
  %v212 = load <16 x float>, ptr %v173, align 4
  store <16 x float> %v211, ptr %v209, align 4
  store <16 x float> %v212, ptr %v210, align 4
  br label %head213
head213:
  %v214 = phi i64 [ 0, %end179 ], [ %v215, %latch213 ]
  %v216 = icmp slt i64 %v214, %v6
  br i1 %v216, label %body213, label %end213
body213:
  %v217 = add i64 %v1, %v214
  %v218 = load <16 x float>, ptr %v209, align 4
  %v219 = load <16 x float>, ptr %v210, align 4
  %v220 = add i64 %v217, %v6
  %v221 = mul i64 %v6, 2
  %v222 = add i64 %v217, %v221
  %v223 = mul i64 %v6, 3
  %v224 = add i64 %v217, %v223
  %v225 = mul i64 %v6, 4
  %v226 = add i64 %v217, %v225
  %v227 = mul i64 %v6, 5
  %v228 = add i64 %v217, %v227
  %v229 = mul i64 %v6, 6
  %v230 = add i64 %v217, %v229
  %v231 = mul i64 %v6, 7
  %v232 = add i64 %v217, %v231
  %v233 = mul i64 %v6, 8
  %v234 = add i64 %v217, %v233
  %v235 = mul i64 %v6, 9
  %v236 = add i64 %v217, %v235
  %v237 = mul i64 %v6, 10
  %v238 = add i64 %v217, %v237
  %v239 = mul i64 %v6, 11
  %v240 = add i64 %v217, %v239
  %v241 = mul i64 %v6, 12
  %v242 = add i64 %v217, %v241
  %v243 = mul i64 %v6, 13
  %v244 = add i64 %v217, %v243
  %v245 = mul i64 %v6, 14
  %v246 = add i64 %v217, %v245
  %v247 = mul i64 %v6, 15
  %v248 = add i64 %v217, %v247
  %v249 = mul i64 %v217, 2
  %v250 = add i64 %v249, %line
  %v253 = getelementptr inbounds float, ptr %v252, i64 %v250
  %v254 = load float, ptr %v253, align 4
  %v255 = mul i64 %v220, 2
  %v256 = add i64 %v255, %line
  %v257 = getelementptr inbounds float, ptr %v252, i64 %v256
  %v258 = load float, ptr %v257, align 4
  %v259 = mul i64 %v222, 2
  %v260 = add i64 %v259, %line
  %v261 = getelementptr inbounds float, ptr %v252, i64 %v260
  %v262 = load float, ptr %v261, align 4
  %v263 = mul i64 %v224, 2
  %v264 = add i64 %v263, %line
  %v265 = getelementptr inbounds float, ptr %v252, i64 %v264
  %v266 = load float, ptr %v265, align 4
  %v267 = mul i64 %v226, 2
  %v268 = add i64 %v267, %line
  %v269 = getelementptr inbounds float, ptr %v252, i64 %v268
  %v270 = load float, ptr %v269, align 4
  %v271 = mul i64 %v228, 2
  %v272 = add i64 %v271, %line
  %v273 = getelementptr inbounds float, ptr %v252, i64 %v272
  %v274 = load float, ptr %v273, align 4
  %v275 = mul i64 %v230, 2
  %v276 = add i64 %v275, %line
  %v277 = getelementptr inbounds float, ptr %v252, i64 %v276
  %v278 = load float, ptr %v277, align 4
  %v279 = mul i64 %v232, 2
  %v280 = add i64 %v279, %line
  %v281 = getelementptr inbounds float, ptr %v252, i64 %v280
  %v282 = load float, ptr %v281, align 4
  %v283 = mul i64 %v234, 2
  %v284 = add i64 %v283, %line
  %v285 = getelementptr inbounds float, ptr %v252, i64 %v284
  %v286 = load float, ptr %v285, align 4
  %v287 = mul i64 %v236, 2
  %v288 = add i64 %v287, %line
  %v289 = getelementptr inbounds float, ptr %v252, i64 %v288
  %v290 = load float, ptr %v289, align 4
  %v291 = mul i64 %v238, 2
  %v292 = add i64 %v291, %line
  %v293 = getelementptr inbounds float, ptr %v252, i64 %v292
  %v294 = load float, ptr %v293, align 4
  %v295 = mul i64 %v240, 2
  %v296 = add i64 %v295, %line
  %v297 = getelementptr inbounds float, ptr %v252, i64 %v296
  %v298 = load float, ptr %v297, align 4
  %v299 = mul i64 %v242, 2
  %v300 = add i64 %v299, %line
  %v301 = getelementptr inbounds float, ptr %v252, i64 %v300
  %v302 = load float, ptr %v301, align 4
  %v303 = mul i64 %v244, 2
  %v304 = add i64 %v303, %line
  %v305 = getelementptr inbounds float, ptr %v252, i64 %v304
  %v306 = load float, ptr %v305, align 4
  %v307 = mul i64 %v246, 2
  %v308 = add i64 %v307, %line
  %v309 = getelementptr inbounds float, ptr %v252, i64 %v308
  %v310 = load float, ptr %v309, align 4
  %v311 = mul i64 %v248, 2
  %v312 = add i64 %v311, %line
  %v313 = getelementptr inbounds float, ptr %v252, i64 %v312
  %v314 = load float, ptr %v313, align 4
  %v315 = insertelement <16 x float> poison, float %v254, i64 0
  %v316 = insertelement <16 x float> %v315, float %v258, i64 1
  %v317 = insertelement <16 x float> %v316, float %v262, i64 2
  %v318 = insertelement <16 x float> %v317, float %v266, i64 3
  %v319 = insertelement <16 x float> %v318, float %v270, i64 4
  %v320 = insertelement <16 x float> %v319, float %v274, i64 5
  %v321 = insertelement <16 x float> %v320, float %v278, i64 6
  %v322 = insertelement <16 x float> %v321, float %v282, i64 7
  %v323 = insertelement <16 x float> %v322, float %v286, i64 8
  %v324 = insertelement <16 x float> %v323, float %v290, i64 9
  %v325 = insertelement <16 x float> %v324, float %v294, i64 10
  %v326 = insertelement <16 x float> %v325, float %v298, i64 11
  %v327 = insertelement <16 x float> %v326, float %v302, i64 12
  %v328 = insertelement <16 x float> %v327, float %v306, i64 13
  %v329 = insertelement <16 x float> %v328, float %v310, i64 14
  %v330 = insertelement <16 x float> %v329, float %v314, i64 15
  %v334 = insertelement <16 x float> poison, float %v333, i64 0
  %v335 = shufflevector <16 x float> %v334, <16 x float> poison, <16 x i32> zeroinitializer
  %v336 = fmul <16 x float> %v335, %v330
  %v337 = fadd <16 x float> %v336, %v218
  %v341 = insertelement <16 x float> poison, float %v340, i64 0
  %v342 = shufflevector <16 x float> %v341, <16 x float> poison, <16 x i32> zeroinitializer
  %v343 = fmul <16 x float> %v342, %v337
  %v344 = fsub <16 x float> %v219, %v343
  %v345 = fsub <16 x float> %v330, %v337
  %v346 = mul i64 %v217, 2
  %v347 = add i64 %v346, %line
  %v348 = mul i64 %v6, 2
  %v351 = extractelement <16 x float> %v337, i64 0
  %v352 = getelementptr inbounds float, ptr %v350, i64 %v347
  store float %v351, ptr %v352, align 4
  %v353 = extractelement <16 x float> %v337, i64 1
  %v354 = add i64 %v347, %v348
  %v355 = getelementptr inbounds float, ptr %v350, i64 %v354
  store float %v353, ptr %v355, align 4
  %v356 = extractelement <16 x float> %v337, i64 2
  %v357 = mul i64 %v348, 2
  %v358 = add i64 %v347, %v357
  %v359 = getelementptr inbounds float, ptr %v350, i64 %v358
  store float %v356, ptr %v359, align 4
  %v360 = extractelement <16 x float> %v337, i64 3
  %v361 = mul i64 %v348, 3
  %v362 = add i64 %v347, %v361
  %v363 = getelementptr inbounds float, ptr %v350, i64 %v362
  store float %v360, ptr %v363, align 4
  %v364 = extractelement <16 x float> %v337, i64 4
  %v365 = mul i64 %v348, 4
  %v366 = add i64 %v347, %v365
  %v367 = getelementptr inbounds float, ptr %v350, i64 %v366
  store float %v364, ptr %v367, align 4
  %v368 = extractelement <16 x float> %v337, i64 5
  %v369 = mul i64 %v348, 5
  %v370 = add i64 %v347, %v369
  %v371 = getelementptr inbounds float, ptr %v350, i64 %v370
  store float %v368, ptr %v371, align 4
  %v372 = extractelement <16 x float> %v337, i64 6
  %v373 = mul i64 %v348, 6
  %v374 = add i64 %v347, %v373
  %v375 = getelementptr inbounds float, ptr %v350, i64 %v374
  store float %v372, ptr %v375, align 4
  %v376 = extractelement <16 x float> %v337, i64 7
  %v377 = mul i64 %v348, 7
  %v378 = add i64 %v347, %v377
  %v379 = getelementptr inbounds float, ptr %v350, i64 %v378
  store float %v376, ptr %v379, align 4
  %v380 = extractelement <16 x float> %v337, i64 8
  %v381 = mul i64 %v348, 8
  %v382 = add i64 %v347, %v381
  %v383 = getelementptr inbounds float, ptr %v350, i64 %v382
  store float %v380, ptr %v383, align 4
  %v384 = extractelement <16 x float> %v337, i64 9
  %v385 = mul i64 %v348, 9
  %v386 = add i64 %v347, %v385
  %v387 = getelementptr inbounds float, ptr %v350, i64 %v386
  store float %v384, ptr %v387, align 4
  %v388 = extractelement <16 x float> %v337, i64 10
  %v389 = mul i64 %v348, 10
  %v390 = add i64 %v347, %v389
  %v391 = getelementptr inbounds float, ptr %v350, i64 %v390
  store float %v388, ptr %v391, align 4
  %v392 = extractelement <16 x float> %v337, i64 11
  %v393 = mul i64 %v348, 11
  %v394 = add i64 %v347, %v393
  %v395 = getelementptr inbounds float, ptr %v350, i64 %v394
  store float %v392, ptr %v395, align 4
  %v396 = extractelement <16 x float> %v337, i64 12
  %v397 = mul i64 %v348, 12
  %v398 = add i64 %v347, %v397
  %v399 = getelementptr inbounds float, ptr %v350, i64 %v398
  store float %v396, ptr %v399, align 4
  %v400 = extractelement <16 x float> %v337, i64 13
  %v401 = mul i64 %v348, 13
  %v402 = add i64 %v347, %v401
  %v403 = getelementptr inbounds float, ptr %v350, i64 %v402
  store float %v400, ptr %v403, align 4
  %v404 = extractelement <16 x float> %v337, i64 14
  %v405 = mul i64 %v348, 14
  %v406 = add i64 %v347, %v405
  %v407 = getelementptr inbounds float, ptr %v350, i64 %v406
  store float %v404, ptr %v407, align 4
  %v408 = extractelement <16 x float> %v337, i64 15
  %v409 = mul i64 %v348, 15
  %v410 = add i64 %v347, %v409
  %v411 = getelementptr inbounds float, ptr %v350, i64 %v410
  store float %v408, ptr %v411, align 4
  store <16 x float> %v344, ptr %v209, align 4
  store <16 x float> %v345, ptr %v210, align 4
  br label %latch213
latch213:
  %v215 = add nsw i64 %v214, 1
  br label %head213, !llvm.loop !4
end213:
  %v412 = load <16 x float>, ptr %v209, align 4
  %v413 = load <16 x float>, ptr %v210, align 4
  store <16 x float> %v412, ptr %v172, align 4
  store <16 x float> %v413, ptr %v173, align 4
  %v416 = load float, ptr %v170, align 4
  %v417 = load float, ptr %v171, align 4
  store float %v416, ptr %v414, align 4
  store float %v417, ptr %v415, align 4
  br label %head418
head418:
  %v419 = phi i64 [ 0, %end213 ], [ %v420, %latch418 ]
  %v421 = icmp slt i64 %v419, %v10
  br i1 %v421, label %body418, label %end418
body418:
  %v422 = add i64 %v8, %v419
  %v423 = load float, ptr %v414, align 4
  %v424 = load float, ptr %v415, align 4
  %v425 = mul i64 %v422, 2
  %v426 = add i64 %v425, %line
  %v427 = getelementptr inbounds float, ptr %v252, i64 %v426
  %v428 = load float, ptr %v427, align 4
  %v429 = fmul float %v333, %v428
  %v430 = fadd float %v429, %v423
  %v431 = fmul float %v340, %v430
  %v432 = fsub float %v424, %v431
  %v433 = fsub float %v428, %v430
  %v434 = mul i64 %v422, 2
  %v435 = add i64 %v434, %line
  %v436 = getelementptr inbounds float, ptr %v350, i64 %v435
  store float %v430, ptr %v436, align 4, !noalias !8
  store float %v432, ptr %v414, align 4
  store float %v433, ptr %v415, align 4
  br label %latch418
latch418:
  %v420 = add nsw i64 %v419, 1
  br label %head418, !llvm.loop !5
end418:
  %v437 = load float, ptr %v414, align 4
  %v438 = load float, ptr %v415, align 4
  store float %v437, ptr %v170, align 4
  store float %v438, ptr %v171, align 4
  br label %endif174
endif174:
  %v439 = xor i1 %v169, true
  br i1 %v439, label %then440, label %endif440
then440:
  %v441 = mul i64 %v6, 16
  %v442 = add i64 %v441, %v10
  %v445 = load float, ptr %v170, align 4
  %v446 = load float, ptr %v171, align 4
  store float %v445, ptr %v443, align 4
  store float %v446, ptr %v444, align 4
  br label %head447
head447:
  %v448 = phi i64 [ 0, %then440 ], [ %v449, %latch447 ]
  %v450 = icmp slt i64 %v448, %v442
  br i1 %v450, label %body447, label %end447
body447:
  %v451 = add i64 %v1, %v448
  %v452 = load float, ptr %v443, align 4
  %v453 = load float, ptr %v444, align 4
  %v454 = mul i64 %v451, 2
  %v455 = add i64 %v454, %line
  %v456 = getelementptr inbounds float, ptr %v252, i64 %v455
  %v457 = load float, ptr %v456, align 4
  %v458 = fmul float %v333, %v457
  %v459 = fadd float %v458, %v452
  %v460 = fmul float %v340, %v459
  %v461 = fsub float %v453, %v460
  %v462 = fsub float %v457, %v459
  %v463 = mul i64 %v451, 2
  %v464 = add i64 %v463, %line
  %v465 = getelementptr inbounds float, ptr %v350, i64 %v464
  store float %v459, ptr %v465, align 4, !noalias !8
  store float %v461, ptr %v443, align 4
  store float %v462, ptr %v444, align 4
  br label %latch447
latch447:
  %v449 = add nsw i64 %v448, 1
  br label %head447, !llvm.loop !9
end447:
  %v466 = load float, ptr %v443, align 4
  %v467 = load float, ptr %v444, align 4
  store float %v466, ptr %v170, align 4
  store float %v467, ptr %v171, align 4
  %v468 = load float, ptr %v170, align 4
  %v469 = load float, ptr %v171, align 4
  store float %v468, ptr %v117, align 4
  store float %v469, ptr %v120, align 4
  %v470 = add i64 %piece, 1
  %v471 = shl i64 %v470, 1
  %v472 = mul i64 %line, 128
  %v473 = getelementptr inbounds i8, ptr %v17, i64 %v472
  store atomic i64 %v471, ptr %v473 seq_cst, align 8
  br label %endif440
endif440:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v11 = getelementptr inbounds i64, ptr %block, i64 7
  %v12 = load i64, ptr %v11, align 8
  %v16 = getelementptr inbounds i64, ptr %block, i64 0
  %v17 = load ptr, ptr %v16, align 8
  %v52 = alloca <16 x float>, align 64
  %v53 = alloca <16 x float>, align 64
  %v62 = getelementptr inbounds i64, ptr %block, i64 2
  %v63 = load ptr, ptr %v62, align 8
  %v66 = getelementptr inbounds i64, ptr %block, i64 3
  %v67 = load double, ptr %v66, align 8
  %v68 = fptrunc double %v67 to float
  %v73 = getelementptr inbounds i64, ptr %block, i64 4
  %v74 = load double, ptr %v73, align 8
  %v75 = fptrunc double %v74 to float
  %v83 = getelementptr inbounds i64, ptr %block, i64 1
  %v84 = load ptr, ptr %v83, align 8
  %v94 = alloca float, align 64
  %v95 = alloca float, align 64
  br label %main
main:
  %v5 = icmp sgt i64 %v4, 1
  br i1 %v5, label %then6, label %endif6
then6:
  br label %head7
head7:
  %v8 = phi i64 [ %lo, %then6 ], [ %v9, %latch7 ]
  %v10 = icmp slt i64 %v8, %hi
  br i1 %v10, label %body7, label %end7
body7:
  %v13 = udiv i64 %v8, %v12
  %v14 = mul i64 %v13, %v12
  %v15 = sub i64 %v8, %v14
  call void @treadle_sum(ptr %block, i64 %v15, i64 %v13, i64 %v8)
  %v18 = mul i64 %v15, 128
  %v19 = getelementptr inbounds i8, ptr %v17, i64 %v18
  br label %look20
look20:
  %v21 = load atomic i64, ptr %v19 seq_cst, align 8
  %v22 = lshr i64 %v21, 1
  %v23 = and i64 %v21, 1
  %v24 = icmp eq i64 %v23, 0
  %v25 = icmp slt i64 %v22, %v4
  %v26 = and i1 %v24, %v25
  br i1 %v26, label %known20, label %done20
known20:
  %v27 = mul i64 %v22, %v12
  %v28 = add i64 %v27, %v15
  %v29 = mul i64 %v12, 128
  %v30 = getelementptr inbounds i8, ptr %v17, i64 %v29
  %v31 = getelementptr inbounds i64, ptr %v30, i64 %v28
  %v32 = load atomic i64, ptr %v31 seq_cst, align 8
  %v33 = icmp ne i64 %v32, 0
  br i1 %v33, label %ready20, label %done20
ready20:
  %v35 = or i64 %v21, 1
  %v34 = cmpxchg ptr %v19, i64 %v21, i64 %v35 seq_cst seq_cst, align 8
  %v36 = extractvalue { i64, i1 } %v34, 1
  br i1 %v36, label %taken20, label %look20
taken20:
  call void @treadle_walk(ptr %block, i64 %v15, i64 %v22, i64 %v28)
  br label %look20
done20:
  br label %latch7
latch7:
  %v9 = add nsw i64 %v8, 1
  br label %head7
end7:
  br label %endif6
endif6:
  %v37 = xor i1 %v5, true
  br i1 %v37, label %then38, label %endif38
then38:
  %v39 = add i64 2, 15
  %v40 = udiv i64 %v39, 16
  br label %head41
head41:
  %v42 = phi i64 [ %lo, %then38 ], [ %v43, %latch41 ]
  %v44 = icmp slt i64 %v42, %hi
  br i1 %v44, label %body41, label %end41
body41:
  %v45 = udiv i64 %v42, %v40
  %v46 = mul i64 %v45, %v40
  %v47 = sub i64 %v42, %v46
  %v48 = mul i64 %v47, 16
  %v49 = add i64 %v48, 16
  %v50 = icmp sle i64 %v49, 2
  br i1 %v50, label %then51, label %endif51
then51:
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v52, align 4
  store <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v53, align 4
  br label %head54
head54:
  %v55 = phi i64 [ 0, %then51 ], [ %v56, %latch54 ]
  %v57 = icmp slt i64 %v55, %v2
  br i1 %v57, label %body54, label %end54
body54:
  %v58 = load <16 x float>, ptr %v52, align 4
  %v59 = load <16 x float>, ptr %v53, align 4
  %v60 = mul i64 %v55, 2
  %v61 = add i64 %v60, %v48
  %v64 = getelementptr inbounds float, ptr %v63, i64 %v61
  %v65 = load <16 x float>, ptr %v64, align 4
  %v69 = insertelement <16 x float> poison, float %v68, i64 0
  %v70 = shufflevector <16 x float> %v69, <16 x float> poison, <16 x i32> zeroinitializer
  %v71 = fmul <16 x float> %v70, %v65
  %v72 = fadd <16 x float> %v71, %v58
  %v76 = insertelement <16 x float> poison, float %v75, i64 0
  %v77 = shufflevector <16 x float> %v76, <16 x float> poison, <16 x i32> zeroinitializer
  %v78 = fmul <16 x float> %v77, %v72
  %v79 = fsub <16 x float> %v59, %v78
  %v80 = fsub <16 x float> %v65, %v72
  store <16 x float> %v79, ptr %v52, align 4
  store <16 x float> %v80, ptr %v53, align 4
  %v81 = mul i64 %v55, 2
  %v82 = add i64 %v81, %v48
  %v85 = getelementptr inbounds float, ptr %v84, i64 %v82
  store <16 x float> %v72, ptr %v85, align 4, !noalias !8
  br label %latch54
latch54:
  %v56 = add nsw i64 %v55, 1
  br label %head54
end54:
  br label %endif51
endif51:
  %v86 = xor i1 %v50, true
  br i1 %v86, label %then87, label %endif87
then87:
  %v88 = add i64 %v48, 16
  %v89 = call i64 @llvm.smin.i64(i64 %v88, i64 2)
  br label %head90
head90:
  %v91 = phi i64 [ %v48, %then87 ], [ %v92, %latch90 ]
  %v93 = icmp slt i64 %v91, %v89
  br i1 %v93, label %body90, label %end90
body90:
  store float 0x0000000000000000, ptr %v94, align 4
  store float 0x0000000000000000, ptr %v95, align 4
  br label %head96
head96:
  %v97 = phi i64 [ 0, %body90 ], [ %v98, %latch96 ]
  %v99 = icmp slt i64 %v97, %v2
  br i1 %v99, label %body96, label %end96
body96:
  %v100 = load float, ptr %v94, align 4
  %v101 = load float, ptr %v95, align 4
  %v102 = mul i64 %v97, 2
  %v103 = add i64 %v102, %v91
  %v104 = getelementptr inbounds float, ptr %v63, i64 %v103
  %v105 = load float, ptr %v104, align 4
  %v106 = fmul float %v68, %v105
  %v107 = fadd float %v106, %v100
  %v108 = fmul float %v75, %v107
  %v109 = fsub float %v101, %v108
  %v110 = fsub float %v105, %v107
  store float %v109, ptr %v94, align 4
  store float %v110, ptr %v95, align 4
  %v111 = mul i64 %v97, 2
  %v112 = add i64 %v111, %v91
  %v113 = getelementptr inbounds float, ptr %v84, i64 %v112
  store float %v107, ptr %v113, align 4, !noalias !8
  br label %latch96
latch96:
  %v98 = add nsw i64 %v97, 1
  br label %head96
end96:
  br label %latch90
latch90:
  %v92 = add nsw i64 %v91, 1
  br label %head90
end90:
  br label %endif87
endif87:
  br label %latch41
latch41:
  %v43 = add nsw i64 %v42, 1
  br label %head41
end41:
  br label %endif38
endif38:
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
