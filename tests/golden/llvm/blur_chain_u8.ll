declare i64 @llvm.smin.i64(i64, i64)
declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.cttz.i64(i64, i1)
define internal void @stage0_ends(ptr %block, ptr %near, i64 %lead, i64 %first, i64 %top, i64 %bottom, i64 %lo, i64 %hi, i64 %low, i64 %high) noinline nounwind {
start:
  %v5 = getelementptr inbounds i64, ptr %block, i64 6
  %v6 = load i64, ptr %v5, align 8
  %v8 = getelementptr inbounds i8, ptr %near, i64 64
  %v10 = mul i64 %v6, 4
  %v11 = add i64 %v10, 4
  %v12 = add i64 %v11, 15
  %v13 = and i64 %v12, -16
  %v14 = add i64 16, %v13
  br label %main
main:
  br label %head1
head1:
  %v2 = phi i64 [ %top, %main ], [ %v3, %latch1 ]
  %v4 = icmp slt i64 %v2, %bottom
  br i1 %v4, label %body1, label %end1
body1:
  %v7 = mul i64 %v6, 4
  %v9 = and i64 %v2, 3
  %v15 = mul i64 %v9, %v14
  br label %head16
head16:
  %v17 = phi i64 [ 0, %body1 ], [ %v18, %latch16 ]
  %v19 = icmp slt i64 %v17, 4
  br i1 %v19, label %body16, label %end16
body16:
  %v20 = add i64 %v15, %v17
  %v21 = getelementptr inbounds float, ptr %v8, i64 %v20
  %v22 = load float, ptr %v21, align 4
  %v23 = add i64 %v15, -4
  %v24 = add i64 %v23, 0
  %v25 = add i64 %v24, %v17
  %v26 = getelementptr inbounds float, ptr %v8, i64 %v25
  store float %v22, ptr %v26, align 4
  br label %latch16
latch16:
  %v18 = add nsw i64 %v17, 1
  br label %head16, !llvm.loop !1
end16:
  %v27 = sub i64 %v7, 4
  %v28 = and i64 %v2, 3
  %v29 = mul i64 %v28, %v14
  br label %head30
head30:
  %v31 = phi i64 [ 0, %end16 ], [ %v32, %latch30 ]
  %v33 = icmp slt i64 %v31, 4
  br i1 %v33, label %body30, label %end30
body30:
  %v34 = add i64 %v29, %v27
  %v35 = add i64 %v34, %v31
  %v36 = getelementptr inbounds float, ptr %v8, i64 %v35
  %v37 = load float, ptr %v36, align 4
  %v38 = add i64 %v29, %v7
  %v39 = add i64 %v38, 0
  %v40 = add i64 %v39, %v31
  %v41 = getelementptr inbounds float, ptr %v8, i64 %v40
  store float %v37, ptr %v41, align 4
  br label %latch30
latch30:
  %v32 = add nsw i64 %v31, 1
  br label %head30, !llvm.loop !2
end30:
  br label %latch1
latch1:
  %v3 = add nsw i64 %v2, 1
  br label %head1, !llvm.loop !0
end1:
  ret void
}

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
  %v54 = getelementptr inbounds i64, ptr %block, i64 6
  %v55 = load i64, ptr %v54, align 8
  %v56 = mul i64 %v55, 4
  %v58 = getelementptr inbounds i64, ptr %block, i64 5
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
  %v220 = mul i64 %v55, 4
  %v221 = add i64 %v220, 4
  %v222 = add i64 %v221, 15
  %v223 = and i64 %v222, -16
  %v224 = add i64 16, %v223
  %v227 = getelementptr inbounds i8, ptr %near, i64 64
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
  %v69 = load <16 x i8>, ptr %v68, align 1, !alias.scope !6
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
  %v114 = load <16 x i8>, ptr %v113, align 1, !alias.scope !6
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
  %v160 = load <16 x i8>, ptr %v159, align 1, !alias.scope !6
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
  %v181 = load <16 x i8>, ptr %v180, align 1, !alias.scope !6
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
  %v197 = load <16 x i8>, ptr %v196, align 1, !alias.scope !6
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
  %v213 = load <16 x i8>, ptr %v212, align 1, !alias.scope !6
  %v214 = zext <16 x i8> %v213 to <16 x i32>
  %v215 = sitofp <16 x i32> %v214 to <16 x float>
  %v216 = fmul <16 x float> %v164, %v215
  %v217 = fadd <16 x float> %v206, %v216
  %v218 = fmul <16 x float> %v217, %v169
  %v219 = and i64 %v9, 3
  %v225 = mul i64 %v219, %v224
  %v226 = add i64 %v225, %v17
  %v228 = getelementptr inbounds float, ptr %v227, i64 %v226
  store <16 x float> %v170, ptr %v228, align 4, !noalias !6
  %v229 = add i64 %v9, 1
  %v230 = and i64 %v229, 3
  %v231 = mul i64 %v230, %v224
  %v232 = add i64 %v231, %v17
  %v233 = getelementptr inbounds float, ptr %v227, i64 %v232
  store <16 x float> %v186, ptr %v233, align 4, !noalias !6
  %v234 = add i64 %v9, 2
  %v235 = and i64 %v234, 3
  %v236 = mul i64 %v235, %v224
  %v237 = add i64 %v236, %v17
  %v238 = getelementptr inbounds float, ptr %v227, i64 %v237
  store <16 x float> %v202, ptr %v238, align 4, !noalias !6
  %v239 = add i64 %v9, 3
  %v240 = and i64 %v239, 3
  %v241 = mul i64 %v240, %v224
  %v242 = add i64 %v241, %v17
  %v243 = getelementptr inbounds float, ptr %v227, i64 %v242
  store <16 x float> %v218, ptr %v243, align 4, !noalias !6
  br label %latch12
latch12:
  %v14 = add nsw i64 %v13, 16
  br label %head12, !llvm.loop !3
end12:
  br label %latch8
latch8:
  %v10 = add nsw i64 %v9, 4
  br label %head8
end8:
  br label %head244
head244:
  %v245 = phi i64 [ %v7, %end8 ], [ %v246, %latch244 ]
  %v247 = icmp slt i64 %v245, %bottom
  br i1 %v247, label %body244, label %end244
body244:
  br label %head248
head248:
  %v249 = phi i64 [ %lo, %body244 ], [ %v250, %latch248 ]
  %v251 = icmp slt i64 %v249, %hi
  br i1 %v251, label %body248, label %end248
body248:
  %v252 = sub i64 %hi, 16
  %v253 = call i64 @llvm.smin.i64(i64 %v249, i64 %v252)
  %v254 = add i64 -1, %v245
  %v255 = call i64 @llvm.smax.i64(i64 %v254, i64 0)
  %v256 = call i64 @llvm.smin.i64(i64 %v255, i64 %v61)
  %v257 = mul i64 %v256, %v56
  %v258 = add i64 %v257, %v253
  %v259 = getelementptr inbounds i8, ptr %v67, i64 %v258
  %v260 = load <16 x i8>, ptr %v259, align 1, !alias.scope !6
  %v261 = zext <16 x i8> %v260 to <16 x i32>
  %v262 = sitofp <16 x i32> %v261 to <16 x float>
  %v263 = insertelement <16 x float> poison, float %v52, i64 0
  %v264 = shufflevector <16 x float> %v263, <16 x float> poison, <16 x i32> zeroinitializer
  %v265 = fmul <16 x float> %v264, %v262
  %v266 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v265
  %v267 = mul i64 %v245, %v56
  %v268 = add i64 %v267, %v253
  %v269 = getelementptr inbounds i8, ptr %v67, i64 %v268
  %v270 = load <16 x i8>, ptr %v269, align 1, !alias.scope !6
  %v271 = zext <16 x i8> %v270 to <16 x i32>
  %v272 = sitofp <16 x i32> %v271 to <16 x float>
  %v273 = insertelement <16 x float> poison, float %v107, i64 0
  %v274 = shufflevector <16 x float> %v273, <16 x float> poison, <16 x i32> zeroinitializer
  %v275 = fmul <16 x float> %v274, %v272
  %v276 = fadd <16 x float> %v266, %v275
  %v277 = add i64 1, %v245
  %v278 = call i64 @llvm.smax.i64(i64 %v277, i64 0)
  %v279 = call i64 @llvm.smin.i64(i64 %v278, i64 %v61)
  %v280 = mul i64 %v279, %v56
  %v281 = add i64 %v280, %v253
  %v282 = getelementptr inbounds i8, ptr %v67, i64 %v281
  %v283 = load <16 x i8>, ptr %v282, align 1, !alias.scope !6
  %v284 = zext <16 x i8> %v283 to <16 x i32>
  %v285 = sitofp <16 x i32> %v284 to <16 x float>
  %v286 = insertelement <16 x float> poison, float %v152, i64 0
  %v287 = shufflevector <16 x float> %v286, <16 x float> poison, <16 x i32> zeroinitializer
  %v288 = fmul <16 x float> %v287, %v285
  %v289 = fadd <16 x float> %v276, %v288
  %v290 = insertelement <16 x float> poison, float %v167, i64 0
  %v291 = shufflevector <16 x float> %v290, <16 x float> poison, <16 x i32> zeroinitializer
  %v292 = fmul <16 x float> %v289, %v291
  %v293 = and i64 %v245, 3
  %v294 = mul i64 %v293, %v224
  %v295 = add i64 %v294, %v253
  %v296 = getelementptr inbounds float, ptr %v227, i64 %v295
  store <16 x float> %v292, ptr %v296, align 4, !noalias !6
  br label %latch248
latch248:
  %v250 = add nsw i64 %v249, 16
  br label %head248, !llvm.loop !7
end248:
  br label %latch244
latch244:
  %v246 = add nsw i64 %v245, 1
  br label %head244
end244:
  br label %endif3
endif3:
  %v297 = xor i1 %v2, true
  br i1 %v297, label %then298, label %endif298
then298:
  br label %head299
head299:
  %v300 = phi i64 [ %top, %then298 ], [ %v301, %latch299 ]
  %v302 = icmp slt i64 %v300, %bottom
  br i1 %v302, label %body299, label %end299
body299:
  br label %head303
head303:
  %v304 = phi i64 [ %lo, %body299 ], [ %v305, %latch303 ]
  %v306 = icmp slt i64 %v304, %hi
  br i1 %v306, label %body303, label %end303
body303:
  %v307 = add i64 -1, %v300
  %v308 = call i64 @llvm.smax.i64(i64 %v307, i64 0)
  %v309 = call i64 @llvm.smin.i64(i64 %v308, i64 %v61)
  %v310 = mul i64 %v309, %v56
  %v311 = add i64 %v310, %v304
  %v312 = getelementptr inbounds i8, ptr %v67, i64 %v311
  %v313 = load i8, ptr %v312, align 1, !alias.scope !6
  %v314 = zext i8 %v313 to i32
  %v315 = sitofp i32 %v314 to float
  %v316 = fmul float %v52, %v315
  %v317 = fadd float 0x0000000000000000, %v316
  %v318 = mul i64 %v300, %v56
  %v319 = add i64 %v318, %v304
  %v320 = getelementptr inbounds i8, ptr %v67, i64 %v319
  %v321 = load i8, ptr %v320, align 1, !alias.scope !6
  %v322 = zext i8 %v321 to i32
  %v323 = sitofp i32 %v322 to float
  %v324 = fmul float %v107, %v323
  %v325 = fadd float %v317, %v324
  %v326 = add i64 1, %v300
  %v327 = call i64 @llvm.smax.i64(i64 %v326, i64 0)
  %v328 = call i64 @llvm.smin.i64(i64 %v327, i64 %v61)
  %v329 = mul i64 %v328, %v56
  %v330 = add i64 %v329, %v304
  %v331 = getelementptr inbounds i8, ptr %v67, i64 %v330
  %v332 = load i8, ptr %v331, align 1, !alias.scope !6
  %v333 = zext i8 %v332 to i32
  %v334 = sitofp i32 %v333 to float
  %v335 = fmul float %v152, %v334
  %v336 = fadd float %v325, %v335
  %v337 = fmul float %v336, %v167
  %v338 = and i64 %v300, 3
  %v339 = mul i64 %v338, %v224
  %v340 = add i64 %v339, %v304
  %v341 = getelementptr inbounds float, ptr %v227, i64 %v340
  store float %v337, ptr %v341, align 4, !noalias !6
  br label %latch303
latch303:
  %v305 = add nsw i64 %v304, 1
  br label %head303, !llvm.loop !8
end303:
  br label %latch299
latch299:
  %v301 = add nsw i64 %v300, 1
  br label %head299
end299:
  br label %endif298
endif298:
  ret void
}

define internal void @stage1_all(ptr %block, ptr %near, i64 %lead, i64 %first, i64 %top, i64 %bottom, i64 %lo, i64 %hi, i64 %low, i64 %high) noinline nounwind {
start:
  %v14 = getelementptr inbounds i64, ptr %block, i64 4
  %v15 = load double, ptr %v14, align 8
  %v16 = fptrunc double %v15 to float
  %v17 = fdiv float 0xBFF0000000000000, %v16
  %v18 = fmul float %v17, %v17
  %v19 = fmul float 0xBFE0000000000000, %v18
  %v20 = fcmp olt float %v19, 0xC05A400000000000
  %v21 = select i1 %v20, float 0xC05A400000000000, float %v19
  %v22 = fcmp ogt float %v21, 0x4056C00000000000
  %v23 = select i1 %v22, float 0x4056C00000000000, float %v21
  %v24 = call float @llvm.fmuladd.f32(float %v23, float 0x3FF7154760000000, float 0x4168000000000000)
  %v25 = fsub float %v24, 0x4168000000000000
  %v26 = bitcast float %v24 to i32
  %v27 = sub i32 %v26, 1262485504
  %v28 = call float @llvm.fmuladd.f32(float %v25, float 0xBFE6300000000000, float %v23)
  %v29 = call float @llvm.fmuladd.f32(float %v25, float 0x3F2BD01060000000, float %v28)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v31 = call float @llvm.fmuladd.f32(float %v30, float %v29, float 0x3F81110C60000000)
  %v32 = call float @llvm.fmuladd.f32(float %v31, float %v29, float 0x3FA5554EA0000000)
  %v33 = call float @llvm.fmuladd.f32(float %v32, float %v29, float 0x3FC5555560000000)
  %v34 = call float @llvm.fmuladd.f32(float %v33, float %v29, float 0x3FE0000000000000)
  %v35 = fmul float %v29, %v29
  %v36 = call float @llvm.fmuladd.f32(float %v34, float %v35, float %v29)
  %v37 = fadd float %v36, 0x3FF0000000000000
  %v38 = add i32 %v27, 0
  %v39 = ashr i32 %v38, 1
  %v40 = add i32 %v39, 127
  %v41 = shl i32 %v40, 23
  %v42 = bitcast i32 %v41 to float
  %v43 = fmul float %v37, %v42
  %v44 = sub i32 %v38, %v39
  %v45 = add i32 %v44, 127
  %v46 = shl i32 %v45, 23
  %v47 = bitcast i32 %v46 to float
  %v48 = fmul float %v43, %v47
  %v49 = fadd float 0x0000000000000000, %v48
  %v50 = getelementptr inbounds i64, ptr %block, i64 6
  %v51 = load i64, ptr %v50, align 8
  %v52 = mul i64 %v51, 4
  %v53 = add i64 %v52, 4
  %v54 = add i64 %v53, 15
  %v55 = and i64 %v54, -16
  %v56 = add i64 16, %v55
  %v61 = getelementptr inbounds i8, ptr %near, i64 64
  %v68 = fdiv float 0x0000000000000000, %v16
  %v69 = fmul float %v68, %v68
  %v70 = fmul float 0xBFE0000000000000, %v69
  %v71 = fcmp olt float %v70, 0xC05A400000000000
  %v72 = select i1 %v71, float 0xC05A400000000000, float %v70
  %v73 = fcmp ogt float %v72, 0x4056C00000000000
  %v74 = select i1 %v73, float 0x4056C00000000000, float %v72
  %v75 = call float @llvm.fmuladd.f32(float %v74, float 0x3FF7154760000000, float 0x4168000000000000)
  %v76 = fsub float %v75, 0x4168000000000000
  %v77 = bitcast float %v75 to i32
  %v78 = sub i32 %v77, 1262485504
  %v79 = call float @llvm.fmuladd.f32(float %v76, float 0xBFE6300000000000, float %v74)
  %v80 = call float @llvm.fmuladd.f32(float %v76, float 0x3F2BD01060000000, float %v79)
  %v81 = call float @llvm.fmuladd.f32(float %v80, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v82 = call float @llvm.fmuladd.f32(float %v81, float %v80, float 0x3F81110C60000000)
  %v83 = call float @llvm.fmuladd.f32(float %v82, float %v80, float 0x3FA5554EA0000000)
  %v84 = call float @llvm.fmuladd.f32(float %v83, float %v80, float 0x3FC5555560000000)
  %v85 = call float @llvm.fmuladd.f32(float %v84, float %v80, float 0x3FE0000000000000)
  %v86 = fmul float %v80, %v80
  %v87 = call float @llvm.fmuladd.f32(float %v85, float %v86, float %v80)
  %v88 = fadd float %v87, 0x3FF0000000000000
  %v89 = add i32 %v78, 0
  %v90 = ashr i32 %v89, 1
  %v91 = add i32 %v90, 127
  %v92 = shl i32 %v91, 23
  %v93 = bitcast i32 %v92 to float
  %v94 = fmul float %v88, %v93
  %v95 = sub i32 %v89, %v90
  %v96 = add i32 %v95, 127
  %v97 = shl i32 %v96, 23
  %v98 = bitcast i32 %v97 to float
  %v99 = fmul float %v94, %v98
  %v100 = fadd float %v49, %v99
  %v108 = fdiv float 0x3FF0000000000000, %v16
  %v109 = fmul float %v108, %v108
  %v110 = fmul float 0xBFE0000000000000, %v109
  %v111 = fcmp olt float %v110, 0xC05A400000000000
  %v112 = select i1 %v111, float 0xC05A400000000000, float %v110
  %v113 = fcmp ogt float %v112, 0x4056C00000000000
  %v114 = select i1 %v113, float 0x4056C00000000000, float %v112
  %v115 = call float @llvm.fmuladd.f32(float %v114, float 0x3FF7154760000000, float 0x4168000000000000)
  %v116 = fsub float %v115, 0x4168000000000000
  %v117 = bitcast float %v115 to i32
  %v118 = sub i32 %v117, 1262485504
  %v119 = call float @llvm.fmuladd.f32(float %v116, float 0xBFE6300000000000, float %v114)
  %v120 = call float @llvm.fmuladd.f32(float %v116, float 0x3F2BD01060000000, float %v119)
  %v121 = call float @llvm.fmuladd.f32(float %v120, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v122 = call float @llvm.fmuladd.f32(float %v121, float %v120, float 0x3F81110C60000000)
  %v123 = call float @llvm.fmuladd.f32(float %v122, float %v120, float 0x3FA5554EA0000000)
  %v124 = call float @llvm.fmuladd.f32(float %v123, float %v120, float 0x3FC5555560000000)
  %v125 = call float @llvm.fmuladd.f32(float %v124, float %v120, float 0x3FE0000000000000)
  %v126 = fmul float %v120, %v120
  %v127 = call float @llvm.fmuladd.f32(float %v125, float %v126, float %v120)
  %v128 = fadd float %v127, 0x3FF0000000000000
  %v129 = add i32 %v118, 0
  %v130 = ashr i32 %v129, 1
  %v131 = add i32 %v130, 127
  %v132 = shl i32 %v131, 23
  %v133 = bitcast i32 %v132 to float
  %v134 = fmul float %v128, %v133
  %v135 = sub i32 %v129, %v130
  %v136 = add i32 %v135, 127
  %v137 = shl i32 %v136, 23
  %v138 = bitcast i32 %v137 to float
  %v139 = fmul float %v134, %v138
  %v140 = fadd float %v100, %v139
  %v149 = fdiv float 0x3FF0000000000000, %v140
  %v160 = mul i64 %v51, 4
  %v163 = getelementptr inbounds i64, ptr %block, i64 1
  %v164 = load ptr, ptr %v163, align 8
  br label %main
main:
  %v1 = sub i64 %hi, %lo
  %v2 = icmp sge i64 %v1, 16
  br i1 %v2, label %then3, label %endif3
then3:
  br label %head4
head4:
  %v5 = phi i64 [ %top, %then3 ], [ %v6, %latch4 ]
  %v7 = icmp slt i64 %v5, %bottom
  br i1 %v7, label %body4, label %end4
body4:
  br label %head8
head8:
  %v9 = phi i64 [ %lo, %body4 ], [ %v10, %latch8 ]
  %v11 = icmp slt i64 %v9, %hi
  br i1 %v11, label %body8, label %end8
body8:
  %v12 = sub i64 %hi, 16
  %v13 = call i64 @llvm.smin.i64(i64 %v9, i64 %v12)
  %v57 = and i64 %v5, 3
  %v58 = mul i64 %v57, %v56
  %v59 = add i64 %v13, -4
  %v60 = add i64 %v58, %v59
  %v62 = getelementptr inbounds float, ptr %v61, i64 %v60
  %v63 = load <16 x float>, ptr %v62, align 4
  %v64 = insertelement <16 x float> poison, float %v48, i64 0
  %v65 = shufflevector <16 x float> %v64, <16 x float> poison, <16 x i32> zeroinitializer
  %v66 = fmul <16 x float> %v65, %v63
  %v67 = fadd <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %v66
  %v101 = add i64 %v58, %v13
  %v102 = getelementptr inbounds float, ptr %v61, i64 %v101
  %v103 = load <16 x float>, ptr %v102, align 4
  %v104 = insertelement <16 x float> poison, float %v99, i64 0
  %v105 = shufflevector <16 x float> %v104, <16 x float> poison, <16 x i32> zeroinitializer
  %v106 = fmul <16 x float> %v105, %v103
  %v107 = fadd <16 x float> %v67, %v106
  %v141 = add i64 %v13, 4
  %v142 = add i64 %v58, %v141
  %v143 = getelementptr inbounds float, ptr %v61, i64 %v142
  %v144 = load <16 x float>, ptr %v143, align 4
  %v145 = insertelement <16 x float> poison, float %v139, i64 0
  %v146 = shufflevector <16 x float> %v145, <16 x float> poison, <16 x i32> zeroinitializer
  %v147 = fmul <16 x float> %v146, %v144
  %v148 = fadd <16 x float> %v107, %v147
  %v150 = insertelement <16 x float> poison, float %v149, i64 0
  %v151 = shufflevector <16 x float> %v150, <16 x float> poison, <16 x i32> zeroinitializer
  %v152 = fmul <16 x float> %v148, %v151
  %v153 = fcmp ogt <16 x float> %v152, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v154 = select <16 x i1> %v153, <16 x float> %v152, <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v155 = fcmp olt <16 x float> %v154, <float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000>
  %v156 = select <16 x i1> %v155, <16 x float> %v154, <16 x float> <float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000>
  %v157 = fadd <16 x float> %v156, <float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000>
  %v158 = bitcast <16 x float> %v157 to <16 x i32>
  %v159 = trunc <16 x i32> %v158 to <16 x i8>
  %v161 = mul i64 %v5, %v160
  %v162 = add i64 %v161, %v13
  %v165 = getelementptr inbounds i8, ptr %v164, i64 %v162
  store <16 x i8> %v159, ptr %v165, align 1, !noalias !6
  br label %latch8
latch8:
  %v10 = add nsw i64 %v9, 16
  br label %head8, !llvm.loop !9
end8:
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4
end4:
  br label %endif3
endif3:
  %v166 = xor i1 %v2, true
  br i1 %v166, label %then167, label %endif167
then167:
  br label %head168
head168:
  %v169 = phi i64 [ %top, %then167 ], [ %v170, %latch168 ]
  %v171 = icmp slt i64 %v169, %bottom
  br i1 %v171, label %body168, label %end168
body168:
  br label %head172
head172:
  %v173 = phi i64 [ %lo, %body168 ], [ %v174, %latch172 ]
  %v175 = icmp slt i64 %v173, %hi
  br i1 %v175, label %body172, label %end172
body172:
  %v176 = and i64 %v169, 3
  %v177 = mul i64 %v176, %v56
  %v178 = add i64 %v173, -4
  %v179 = add i64 %v177, %v178
  %v180 = getelementptr inbounds float, ptr %v61, i64 %v179
  %v181 = load float, ptr %v180, align 4
  %v182 = fmul float %v48, %v181
  %v183 = fadd float 0x0000000000000000, %v182
  %v184 = add i64 %v177, %v173
  %v185 = getelementptr inbounds float, ptr %v61, i64 %v184
  %v186 = load float, ptr %v185, align 4
  %v187 = fmul float %v99, %v186
  %v188 = fadd float %v183, %v187
  %v189 = add i64 %v173, 4
  %v190 = add i64 %v177, %v189
  %v191 = getelementptr inbounds float, ptr %v61, i64 %v190
  %v192 = load float, ptr %v191, align 4
  %v193 = fmul float %v139, %v192
  %v194 = fadd float %v188, %v193
  %v195 = fmul float %v194, %v149
  %v196 = fcmp ogt float %v195, 0x0000000000000000
  %v197 = select i1 %v196, float %v195, float 0x0000000000000000
  %v198 = fcmp olt float %v197, 0x406FE00000000000
  %v199 = select i1 %v198, float %v197, float 0x406FE00000000000
  %v200 = fadd float %v199, 0x4160000000000000
  %v201 = bitcast float %v200 to i32
  %v202 = trunc i32 %v201 to i8
  %v203 = mul i64 %v169, %v160
  %v204 = add i64 %v203, %v173
  %v205 = getelementptr inbounds i8, ptr %v164, i64 %v204
  store i8 %v202, ptr %v205, align 1, !noalias !6
  br label %latch172
latch172:
  %v174 = add nsw i64 %v173, 1
  br label %head172, !llvm.loop !10
end172:
  br label %latch168
latch168:
  %v170 = add nsw i64 %v169, 1
  br label %head168
end168:
  br label %endif167
endif167:
  ret void
}

define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 6
  %v4 = load i64, ptr %v3, align 8
  %v11 = getelementptr inbounds i64, ptr %block, i64 0
  %v12 = load ptr, ptr %v11, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 8
  %v14 = load i64, ptr %v13, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 7
  %v31 = load i64, ptr %v30, align 8
  br label %main
main:
  %v5 = mul i64 %v4, 4
  %v6 = call i64 @llvm.smin.i64(i64 0, i64 %v5)
  %v7 = call i64 @llvm.smax.i64(i64 %v5, i64 %v6)
  %v8 = mul i64 %v4, 4
  %v9 = call i64 @llvm.smin.i64(i64 0, i64 %v8)
  %v10 = call i64 @llvm.smax.i64(i64 %v8, i64 %v9)
  br label %take15
take15:
  %v16 = load atomic i64, ptr %v12 monotonic, align 8
  %v17 = xor i64 %v16, -1
  %v18 = call i64 @llvm.cttz.i64(i64 %v17, i1 false)
  %v19 = shl i64 1, %v18
  %v20 = or i64 %v16, %v19
  %v21 = cmpxchg ptr %v12, i64 %v16, i64 %v20 acquire monotonic
  %v22 = extractvalue { i64, i1 } %v21, 1
  br i1 %v22, label %taken15, label %take15
taken15:
  %v23 = mul i64 %v18, %v14
  %v24 = add i64 %v23, 64
  %v25 = getelementptr inbounds i8, ptr %v12, i64 %v24
  br label %head26
head26:
  %v27 = phi i64 [ %lo, %taken15 ], [ %v28, %latch26 ]
  %v29 = icmp slt i64 %v27, %hi
  br i1 %v29, label %body26, label %end26
body26:
  %v32 = sub i64 %v31, 1
  %v33 = add i64 %v2, %v32
  %v34 = udiv i64 %v33, %v31
  %v35 = udiv i64 %v27, %v34
  %v36 = mul i64 %v35, %v34
  %v37 = sub i64 %v27, %v36
  %v38 = mul i64 %v37, %v31
  %v39 = add i64 %v38, %v31
  %v40 = call i64 @llvm.smin.i64(i64 %v39, i64 %v2)
  %v41 = sub i64 %v38, 0
  br label %head42
head42:
  %v43 = phi i64 [ %v41, %body26 ], [ %v44, %latch42 ]
  %v45 = icmp slt i64 %v43, %v40
  br i1 %v45, label %body42, label %end42
body42:
  %v46 = add i64 %v43, 4
  %v47 = call i64 @llvm.smin.i64(i64 %v46, i64 %v40)
  %v48 = add i64 %v38, 0
  %v49 = call i64 @llvm.smax.i64(i64 %v48, i64 0)
  %v50 = add i64 %v43, 0
  %v51 = call i64 @llvm.smax.i64(i64 %v49, i64 %v50)
  %v52 = add i64 %v47, 0
  %v53 = call i64 @llvm.smin.i64(i64 %v52, i64 %v2)
  %v54 = icmp slt i64 0, %v5
  %v55 = icmp slt i64 %v51, %v53
  br i1 %v55, label %then56, label %endif56
then56:
  br i1 %v54, label %then57, label %endif57
then57:
  call void @stage0_all(ptr %block, ptr %v25, i64 %v35, i64 %v38, i64 %v51, i64 %v53, i64 0, i64 %v5, i64 %v6, i64 %v7)
  br label %endif57
endif57:
  br i1 %v54, label %then58, label %endif58
then58:
  call void @stage0_ends(ptr %block, ptr %v25, i64 %v35, i64 %v38, i64 %v51, i64 %v53, i64 0, i64 %v5, i64 %v6, i64 %v7)
  br label %endif58
endif58:
  br label %endif56
endif56:
  %v59 = add i64 %v38, 0
  %v60 = call i64 @llvm.smax.i64(i64 %v59, i64 0)
  %v61 = add i64 %v43, 0
  %v62 = call i64 @llvm.smax.i64(i64 %v60, i64 %v61)
  %v63 = add i64 %v47, 0
  %v64 = call i64 @llvm.smin.i64(i64 %v63, i64 %v2)
  %v65 = icmp slt i64 0, %v8
  %v66 = icmp slt i64 %v62, %v64
  br i1 %v66, label %then67, label %endif67
then67:
  br i1 %v65, label %then68, label %endif68
then68:
  call void @stage1_all(ptr %block, ptr %v25, i64 %v35, i64 %v38, i64 %v62, i64 %v64, i64 0, i64 %v8, i64 %v9, i64 %v10)
  br label %endif68
endif68:
  br label %endif67
endif67:
  br label %latch42
latch42:
  %v44 = add nsw i64 %v43, 4
  br label %head42
end42:
  br label %latch26
latch26:
  %v28 = add nsw i64 %v27, 1
  br label %head26
end26:
  %v69 = xor i64 %v19, -1
  %v70 = atomicrmw and ptr %v12, i64 %v69 release
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
!1 = distinct !{!1, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!2 = distinct !{!2, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!3 = distinct !{!3, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!4 = distinct !{!4}
!5 = distinct !{!5, !4}
!6 = !{!5}
!7 = distinct !{!7, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!8 = distinct !{!8, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!9 = distinct !{!9, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!10 = distinct !{!10, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
