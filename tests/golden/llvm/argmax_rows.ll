declare i64 @llvm.smin.i64(i64, i64)
define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 5
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %block, i64 6
  %v6 = load i64, ptr %v5, align 8
  %v7 = alloca <32 x float>, align 64
  %v8 = alloca <32 x i32>, align 64
  %v9 = alloca float, align 64
  %v10 = alloca i32, align 64
  %v21 = getelementptr inbounds i64, ptr %block, i64 7
  %v22 = load i64, ptr %v21, align 8
  %v26 = getelementptr inbounds i64, ptr %block, i64 8
  %v27 = load i64, ptr %v26, align 8
  %v45 = getelementptr inbounds i64, ptr %block, i64 2
  %v46 = load ptr, ptr %v45, align 8
  %v96 = alloca float, align 64
  %v97 = alloca i32, align 64
  %v220 = getelementptr inbounds i64, ptr %block, i64 1
  %v221 = load ptr, ptr %v220, align 8
  %v225 = getelementptr inbounds i64, ptr %block, i64 0
  %v226 = load ptr, ptr %v225, align 8
  %v227 = getelementptr inbounds i64, ptr %block, i64 9
  %v228 = load i64, ptr %v227, align 8
  br label %main
main:
  br label %head11
head11:
  %v12 = phi i64 [ %lo, %main ], [ %v13, %latch11 ]
  %v14 = icmp slt i64 %v12, %hi
  br i1 %v14, label %body11, label %end11
body11:
  %v15 = udiv i64 %v12, %v4
  %v16 = mul i64 %v15, %v4
  %v17 = sub i64 %v12, %v16
  %v18 = udiv i64 %v17, %v6
  %v19 = mul i64 %v18, %v6
  %v20 = sub i64 %v17, %v19
  %v23 = mul i64 %v20, %v22
  %v24 = add i64 %v23, %v22
  %v25 = call i64 @llvm.smin.i64(i64 %v24, i64 %v2)
  %v28 = mul i64 %v18, %v27
  %v29 = add i64 %v28, %v27
  %v30 = call i64 @llvm.smin.i64(i64 %v29, i64 1)
  %v31 = sub i64 %v25, %v23
  %v32 = sdiv i64 %v31, 32
  %v33 = mul i64 %v32, 32
  %v34 = add i64 %v23, %v33
  store <32 x float> <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, ptr %v7, align 4
  store <32 x i32> <i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647>, ptr %v8, align 4
  store float 0xFFF0000000000000, ptr %v9, align 4
  store i32 2147483647, ptr %v10, align 4
  br label %head35
head35:
  %v36 = phi i64 [ %v28, %body11 ], [ %v37, %latch35 ]
  %v38 = icmp slt i64 %v36, %v30
  br i1 %v38, label %body35, label %end35
body35:
  br label %head39
head39:
  %v40 = phi i64 [ %v23, %body35 ], [ %v41, %latch39 ]
  %v42 = icmp slt i64 %v40, %v34
  br i1 %v42, label %body39, label %end39
body39:
  %v43 = mul i64 %v15, %v2
  %v44 = add i64 %v43, %v40
  %v47 = getelementptr inbounds float, ptr %v46, i64 %v44
  %v48 = load <32 x float>, ptr %v47, align 4
  %v49 = trunc i64 %v40 to i32
  %v50 = insertelement <32 x i32> poison, i32 %v49, i64 0
  %v51 = shufflevector <32 x i32> %v50, <32 x i32> poison, <32 x i32> zeroinitializer
  %v52 = add <32 x i32> %v51, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v53 = load <32 x float>, ptr %v7, align 4
  %v54 = load <32 x i32>, ptr %v8, align 4
  %v55 = fcmp ogt <32 x float> %v53, %v48
  %v56 = fcmp une <32 x float> %v53, %v53
  %v57 = fcmp oeq <32 x float> %v48, %v48
  %v58 = and <32 x i1> %v56, %v57
  %v59 = or <32 x i1> %v55, %v58
  %v60 = fcmp oeq <32 x float> %v53, %v48
  %v61 = fcmp une <32 x float> %v53, %v53
  %v62 = fcmp une <32 x float> %v48, %v48
  %v63 = and <32 x i1> %v61, %v62
  %v64 = or <32 x i1> %v60, %v63
  %v65 = icmp slt <32 x i32> %v54, %v52
  %v66 = and <32 x i1> %v64, %v65
  %v67 = or <32 x i1> %v59, %v66
  %v68 = select <32 x i1> %v67, <32 x float> %v53, <32 x float> %v48
  %v69 = select <32 x i1> %v67, <32 x i32> %v54, <32 x i32> %v52
  store <32 x float> %v68, ptr %v7, align 4
  store <32 x i32> %v69, ptr %v8, align 4
  br label %latch39
latch39:
  %v41 = add nsw i64 %v40, 32
  br label %head39
end39:
  br label %head70
head70:
  %v71 = phi i64 [ %v34, %end39 ], [ %v72, %latch70 ]
  %v73 = icmp slt i64 %v71, %v25
  br i1 %v73, label %body70, label %end70
body70:
  %v74 = mul i64 %v15, %v2
  %v75 = add i64 %v74, %v71
  %v76 = getelementptr inbounds float, ptr %v46, i64 %v75
  %v77 = load float, ptr %v76, align 4
  %v78 = trunc i64 %v71 to i32
  %v79 = load float, ptr %v9, align 4
  %v80 = load i32, ptr %v10, align 4
  %v81 = fcmp ogt float %v79, %v77
  %v82 = fcmp une float %v79, %v79
  %v83 = fcmp oeq float %v77, %v77
  %v84 = and i1 %v82, %v83
  %v85 = or i1 %v81, %v84
  %v86 = fcmp oeq float %v79, %v77
  %v87 = fcmp une float %v79, %v79
  %v88 = fcmp une float %v77, %v77
  %v89 = and i1 %v87, %v88
  %v90 = or i1 %v86, %v89
  %v91 = icmp slt i32 %v80, %v78
  %v92 = and i1 %v90, %v91
  %v93 = or i1 %v85, %v92
  %v94 = select i1 %v93, float %v79, float %v77
  %v95 = select i1 %v93, i32 %v80, i32 %v78
  store float %v94, ptr %v9, align 4
  store i32 %v95, ptr %v10, align 4
  br label %latch70
latch70:
  %v72 = add nsw i64 %v71, 1
  br label %head70
end70:
  br label %latch35
latch35:
  %v37 = add nsw i64 %v36, 1
  br label %head35
end35:
  %v98 = load float, ptr %v9, align 4
  %v99 = load i32, ptr %v10, align 4
  store float %v98, ptr %v96, align 4
  store i32 %v99, ptr %v97, align 4
  %v100 = icmp sgt i64 %v32, 0
  br i1 %v100, label %then101, label %endif101
then101:
  %v102 = load <32 x float>, ptr %v7, align 4
  %v103 = load <32 x i32>, ptr %v8, align 4
  %v104 = shufflevector <32 x float> %v102, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v105 = shufflevector <32 x float> %v102, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v106 = shufflevector <32 x i32> %v103, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v107 = shufflevector <32 x i32> %v103, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v108 = fcmp ogt <16 x float> %v104, %v105
  %v109 = fcmp une <16 x float> %v104, %v104
  %v110 = fcmp oeq <16 x float> %v105, %v105
  %v111 = and <16 x i1> %v109, %v110
  %v112 = or <16 x i1> %v108, %v111
  %v113 = fcmp oeq <16 x float> %v104, %v105
  %v114 = fcmp une <16 x float> %v104, %v104
  %v115 = fcmp une <16 x float> %v105, %v105
  %v116 = and <16 x i1> %v114, %v115
  %v117 = or <16 x i1> %v113, %v116
  %v118 = icmp slt <16 x i32> %v106, %v107
  %v119 = and <16 x i1> %v117, %v118
  %v120 = or <16 x i1> %v112, %v119
  %v121 = select <16 x i1> %v120, <16 x float> %v104, <16 x float> %v105
  %v122 = select <16 x i1> %v120, <16 x i32> %v106, <16 x i32> %v107
  %v123 = shufflevector <16 x float> %v121, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v124 = shufflevector <16 x float> %v121, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v125 = shufflevector <16 x i32> %v122, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v126 = shufflevector <16 x i32> %v122, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v127 = fcmp ogt <8 x float> %v123, %v124
  %v128 = fcmp une <8 x float> %v123, %v123
  %v129 = fcmp oeq <8 x float> %v124, %v124
  %v130 = and <8 x i1> %v128, %v129
  %v131 = or <8 x i1> %v127, %v130
  %v132 = fcmp oeq <8 x float> %v123, %v124
  %v133 = fcmp une <8 x float> %v123, %v123
  %v134 = fcmp une <8 x float> %v124, %v124
  %v135 = and <8 x i1> %v133, %v134
  %v136 = or <8 x i1> %v132, %v135
  %v137 = icmp slt <8 x i32> %v125, %v126
  %v138 = and <8 x i1> %v136, %v137
  %v139 = or <8 x i1> %v131, %v138
  %v140 = select <8 x i1> %v139, <8 x float> %v123, <8 x float> %v124
  %v141 = select <8 x i1> %v139, <8 x i32> %v125, <8 x i32> %v126
  %v142 = shufflevector <8 x float> %v140, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v143 = shufflevector <8 x float> %v140, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v144 = shufflevector <8 x i32> %v141, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v145 = shufflevector <8 x i32> %v141, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v146 = fcmp ogt <4 x float> %v142, %v143
  %v147 = fcmp une <4 x float> %v142, %v142
  %v148 = fcmp oeq <4 x float> %v143, %v143
  %v149 = and <4 x i1> %v147, %v148
  %v150 = or <4 x i1> %v146, %v149
  %v151 = fcmp oeq <4 x float> %v142, %v143
  %v152 = fcmp une <4 x float> %v142, %v142
  %v153 = fcmp une <4 x float> %v143, %v143
  %v154 = and <4 x i1> %v152, %v153
  %v155 = or <4 x i1> %v151, %v154
  %v156 = icmp slt <4 x i32> %v144, %v145
  %v157 = and <4 x i1> %v155, %v156
  %v158 = or <4 x i1> %v150, %v157
  %v159 = select <4 x i1> %v158, <4 x float> %v142, <4 x float> %v143
  %v160 = select <4 x i1> %v158, <4 x i32> %v144, <4 x i32> %v145
  %v161 = shufflevector <4 x float> %v159, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v162 = shufflevector <4 x float> %v159, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v163 = shufflevector <4 x i32> %v160, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v164 = shufflevector <4 x i32> %v160, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v165 = fcmp ogt <2 x float> %v161, %v162
  %v166 = fcmp une <2 x float> %v161, %v161
  %v167 = fcmp oeq <2 x float> %v162, %v162
  %v168 = and <2 x i1> %v166, %v167
  %v169 = or <2 x i1> %v165, %v168
  %v170 = fcmp oeq <2 x float> %v161, %v162
  %v171 = fcmp une <2 x float> %v161, %v161
  %v172 = fcmp une <2 x float> %v162, %v162
  %v173 = and <2 x i1> %v171, %v172
  %v174 = or <2 x i1> %v170, %v173
  %v175 = icmp slt <2 x i32> %v163, %v164
  %v176 = and <2 x i1> %v174, %v175
  %v177 = or <2 x i1> %v169, %v176
  %v178 = select <2 x i1> %v177, <2 x float> %v161, <2 x float> %v162
  %v179 = select <2 x i1> %v177, <2 x i32> %v163, <2 x i32> %v164
  %v180 = extractelement <2 x float> %v178, i64 0
  %v181 = extractelement <2 x float> %v178, i64 1
  %v182 = extractelement <2 x i32> %v179, i64 0
  %v183 = extractelement <2 x i32> %v179, i64 1
  %v184 = fcmp ogt float %v180, %v181
  %v185 = fcmp une float %v180, %v180
  %v186 = fcmp oeq float %v181, %v181
  %v187 = and i1 %v185, %v186
  %v188 = or i1 %v184, %v187
  %v189 = fcmp oeq float %v180, %v181
  %v190 = fcmp une float %v180, %v180
  %v191 = fcmp une float %v181, %v181
  %v192 = and i1 %v190, %v191
  %v193 = or i1 %v189, %v192
  %v194 = icmp slt i32 %v182, %v183
  %v195 = and i1 %v193, %v194
  %v196 = or i1 %v188, %v195
  %v197 = select i1 %v196, float %v180, float %v181
  %v198 = select i1 %v196, i32 %v182, i32 %v183
  %v199 = load float, ptr %v96, align 4
  %v200 = load i32, ptr %v97, align 4
  %v201 = fcmp ogt float %v197, %v199
  %v202 = fcmp une float %v197, %v197
  %v203 = fcmp oeq float %v199, %v199
  %v204 = and i1 %v202, %v203
  %v205 = or i1 %v201, %v204
  %v206 = fcmp oeq float %v197, %v199
  %v207 = fcmp une float %v197, %v197
  %v208 = fcmp une float %v199, %v199
  %v209 = and i1 %v207, %v208
  %v210 = or i1 %v206, %v209
  %v211 = icmp slt i32 %v198, %v200
  %v212 = and i1 %v210, %v211
  %v213 = or i1 %v205, %v212
  %v214 = select i1 %v213, float %v197, float %v199
  %v215 = select i1 %v213, i32 %v198, i32 %v200
  store float %v214, ptr %v96, align 4
  store i32 %v215, ptr %v97, align 4
  br label %endif101
endif101:
  %v216 = load float, ptr %v96, align 4
  %v217 = load i32, ptr %v97, align 4
  %v218 = icmp eq i64 %v4, 1
  br i1 %v218, label %then219, label %endif219
then219:
  %v222 = getelementptr inbounds i32, ptr %v221, i64 %v15
  store i32 %v217, ptr %v222, align 4, !noalias !2
  br label %endif219
endif219:
  %v223 = xor i1 %v218, true
  br i1 %v223, label %then224, label %endif224
then224:
  %v229 = getelementptr inbounds i64, ptr %v226, i64 0
  %v230 = getelementptr inbounds i64, ptr %v226, i64 %v228
  %v231 = getelementptr inbounds float, ptr %v229, i64 %v12
  %v232 = getelementptr inbounds i32, ptr %v230, i64 %v12
  store float %v216, ptr %v231, align 4
  store i32 %v217, ptr %v232, align 4
  br label %endif224
endif224:
  br label %latch11
latch11:
  %v13 = add nsw i64 %v12, 1
  br label %head11
end11:
  ret void
}

define internal void @treadle_merge(ptr %block) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 3
  %v4 = load i64, ptr %v3, align 8
  %v5 = alloca float, align 64
  %v6 = alloca i32, align 64
  %v17 = getelementptr inbounds i64, ptr %block, i64 0
  %v18 = load ptr, ptr %v17, align 8
  %v19 = getelementptr inbounds i64, ptr %block, i64 9
  %v20 = load i64, ptr %v19, align 8
  %v56 = getelementptr inbounds i64, ptr %block, i64 1
  %v57 = load ptr, ptr %v56, align 8
  br label %main
main:
  %v7 = icmp sgt i64 %v2, 1
  br i1 %v7, label %then8, label %endif8
then8:
  br label %head9
head9:
  %v10 = phi i64 [ 0, %then8 ], [ %v11, %latch9 ]
  %v12 = icmp slt i64 %v10, %v4
  br i1 %v12, label %body9, label %end9
body9:
  br label %head13
head13:
  %v14 = phi i64 [ 0, %body9 ], [ %v15, %latch13 ]
  %v16 = icmp slt i64 %v14, 1
  br i1 %v16, label %body13, label %end13
body13:
  %v21 = getelementptr inbounds i64, ptr %v18, i64 0
  %v22 = getelementptr inbounds i64, ptr %v18, i64 %v20
  store float 0xFFF0000000000000, ptr %v5, align 4
  store i32 2147483647, ptr %v6, align 4
  br label %head23
head23:
  %v24 = phi i64 [ 0, %body13 ], [ %v25, %latch23 ]
  %v26 = icmp slt i64 %v24, %v2
  br i1 %v26, label %body23, label %end23
body23:
  %v27 = mul i64 %v10, %v2
  %v28 = add i64 %v27, %v24
  %v29 = mul i64 %v28, 1
  %v30 = add i64 %v29, %v14
  %v31 = getelementptr inbounds float, ptr %v21, i64 %v30
  %v32 = getelementptr inbounds i32, ptr %v22, i64 %v30
  %v33 = load float, ptr %v31, align 4
  %v34 = load i32, ptr %v32, align 4
  %v35 = load float, ptr %v5, align 4
  %v36 = load i32, ptr %v6, align 4
  %v37 = fcmp ogt float %v35, %v33
  %v38 = fcmp une float %v35, %v35
  %v39 = fcmp oeq float %v33, %v33
  %v40 = and i1 %v38, %v39
  %v41 = or i1 %v37, %v40
  %v42 = fcmp oeq float %v35, %v33
  %v43 = fcmp une float %v35, %v35
  %v44 = fcmp une float %v33, %v33
  %v45 = and i1 %v43, %v44
  %v46 = or i1 %v42, %v45
  %v47 = icmp slt i32 %v36, %v34
  %v48 = and i1 %v46, %v47
  %v49 = or i1 %v41, %v48
  %v50 = select i1 %v49, float %v35, float %v33
  %v51 = select i1 %v49, i32 %v36, i32 %v34
  store float %v50, ptr %v5, align 4
  store i32 %v51, ptr %v6, align 4
  br label %latch23
latch23:
  %v25 = add nsw i64 %v24, 1
  br label %head23
end23:
  %v52 = load float, ptr %v5, align 4
  %v53 = load i32, ptr %v6, align 4
  %v54 = mul i64 %v10, 1
  %v55 = add i64 %v54, %v14
  %v58 = getelementptr inbounds i32, ptr %v57, i64 %v55
  store i32 %v53, ptr %v58, align 4, !noalias !2
  br label %latch13
latch13:
  %v15 = add nsw i64 %v14, 1
  br label %head13
end13:
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 1
  br label %head9
end9:
  br label %endif8
endif8:
  ret void
}

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  call void @treadle_merge(ptr %block)
  ret void
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
