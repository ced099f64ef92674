declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.cttz.i64(i64, i1)
define internal void @stage0_ends(ptr %block, ptr %near, i64 %lead, i64 %first, i64 %top, i64 %bottom, i64 %lo, i64 %hi, i64 %low, i64 %high) noinline nounwind {
start:
  %v5 = getelementptr inbounds i64, ptr %block, i64 10
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
  %v21 = getelementptr inbounds i64, ptr %block, i64 4
  %v22 = load double, ptr %v21, align 8
  %v23 = fptrunc double %v22 to float
  %v24 = getelementptr inbounds i64, ptr %block, i64 5
  %v25 = load double, ptr %v24, align 8
  %v26 = fptrunc double %v25 to float
  %v27 = getelementptr inbounds i64, ptr %block, i64 10
  %v28 = load i64, ptr %v27, align 8
  %v29 = mul i64 %v28, 4
  %v31 = getelementptr inbounds i64, ptr %block, i64 9
  %v32 = load i64, ptr %v31, align 8
  %v33 = add i64 %v32, -1
  %v34 = call i64 @llvm.smax.i64(i64 %v33, i64 0)
  %v39 = getelementptr inbounds i64, ptr %block, i64 2
  %v40 = load ptr, ptr %v39, align 8
  %v118 = mul i64 %v28, 4
  %v119 = add i64 %v118, 4
  %v120 = add i64 %v119, 15
  %v121 = and i64 %v120, -16
  %v122 = add i64 16, %v121
  %v125 = getelementptr inbounds i8, ptr %near, i64 64
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
  %v30 = add i64 -1, %v9
  %v35 = call i64 @llvm.smax.i64(i64 %v30, i64 0)
  %v36 = call i64 @llvm.smin.i64(i64 %v35, i64 %v34)
  %v37 = mul i64 %v36, %v29
  %v38 = add i64 %v37, %v17
  %v41 = getelementptr inbounds i8, ptr %v40, i64 %v38
  %v42 = load <16 x i8>, ptr %v41, align 1, !alias.scope !6
  %v43 = zext <16 x i8> %v42 to <16 x i32>
  %v44 = sitofp <16 x i32> %v43 to <16 x float>
  %v45 = insertelement <16 x float> poison, float %v20, i64 0
  %v46 = shufflevector <16 x float> %v45, <16 x float> poison, <16 x i32> zeroinitializer
  %v47 = fmul <16 x float> %v46, %v44
  %v48 = call i64 @llvm.smax.i64(i64 %v9, i64 0)
  %v49 = call i64 @llvm.smin.i64(i64 %v48, i64 %v34)
  %v50 = mul i64 %v49, %v29
  %v51 = add i64 %v50, %v17
  %v52 = getelementptr inbounds i8, ptr %v40, i64 %v51
  %v53 = load <16 x i8>, ptr %v52, align 1, !alias.scope !6
  %v54 = zext <16 x i8> %v53 to <16 x i32>
  %v55 = sitofp <16 x i32> %v54 to <16 x float>
  %v56 = insertelement <16 x float> poison, float %v23, i64 0
  %v57 = shufflevector <16 x float> %v56, <16 x float> poison, <16 x i32> zeroinitializer
  %v58 = fmul <16 x float> %v57, %v55
  %v59 = fadd <16 x float> %v47, %v58
  %v60 = add i64 1, %v9
  %v61 = call i64 @llvm.smax.i64(i64 %v60, i64 0)
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 %v34)
  %v63 = mul i64 %v62, %v29
  %v64 = add i64 %v63, %v17
  %v65 = getelementptr inbounds i8, ptr %v40, i64 %v64
  %v66 = load <16 x i8>, ptr %v65, align 1, !alias.scope !6
  %v67 = zext <16 x i8> %v66 to <16 x i32>
  %v68 = sitofp <16 x i32> %v67 to <16 x float>
  %v69 = fmul <16 x float> %v46, %v68
  %v70 = fadd <16 x float> %v59, %v69
  %v71 = insertelement <16 x float> poison, float %v26, i64 0
  %v72 = shufflevector <16 x float> %v71, <16 x float> poison, <16 x i32> zeroinitializer
  %v73 = fmul <16 x float> %v70, %v72
  %v74 = fmul <16 x float> %v46, %v55
  %v75 = fmul <16 x float> %v57, %v68
  %v76 = fadd <16 x float> %v74, %v75
  %v77 = add i64 2, %v9
  %v78 = call i64 @llvm.smax.i64(i64 %v77, i64 0)
  %v79 = call i64 @llvm.smin.i64(i64 %v78, i64 %v34)
  %v80 = mul i64 %v79, %v29
  %v81 = add i64 %v80, %v17
  %v82 = getelementptr inbounds i8, ptr %v40, i64 %v81
  %v83 = load <16 x i8>, ptr %v82, align 1, !alias.scope !6
  %v84 = zext <16 x i8> %v83 to <16 x i32>
  %v85 = sitofp <16 x i32> %v84 to <16 x float>
  %v86 = fmul <16 x float> %v46, %v85
  %v87 = fadd <16 x float> %v76, %v86
  %v88 = fmul <16 x float> %v87, %v72
  %v89 = fmul <16 x float> %v57, %v85
  %v90 = fadd <16 x float> %v69, %v89
  %v91 = add i64 3, %v9
  %v92 = call i64 @llvm.smax.i64(i64 %v91, i64 0)
  %v93 = call i64 @llvm.smin.i64(i64 %v92, i64 %v34)
  %v94 = mul i64 %v93, %v29
  %v95 = add i64 %v94, %v17
  %v96 = getelementptr inbounds i8, ptr %v40, i64 %v95
  %v97 = load <16 x i8>, ptr %v96, align 1, !alias.scope !6
  %v98 = zext <16 x i8> %v97 to <16 x i32>
  %v99 = sitofp <16 x i32> %v98 to <16 x float>
  %v100 = fmul <16 x float> %v46, %v99
  %v101 = fadd <16 x float> %v90, %v100
  %v102 = fmul <16 x float> %v101, %v72
  %v103 = fmul <16 x float> %v57, %v99
  %v104 = fadd <16 x float> %v86, %v103
  %v105 = add i64 4, %v9
  %v106 = call i64 @llvm.smax.i64(i64 %v105, i64 0)
  %v107 = call i64 @llvm.smin.i64(i64 %v106, i64 %v34)
  %v108 = mul i64 %v107, %v29
  %v109 = add i64 %v108, %v17
  %v110 = getelementptr inbounds i8, ptr %v40, i64 %v109
  %v111 = load <16 x i8>, ptr %v110, align 1, !alias.scope !6
  %v112 = zext <16 x i8> %v111 to <16 x i32>
  %v113 = sitofp <16 x i32> %v112 to <16 x float>
  %v114 = fmul <16 x float> %v46, %v113
  %v115 = fadd <16 x float> %v104, %v114
  %v116 = fmul <16 x float> %v115, %v72
  %v117 = and i64 %v9, 3
  %v123 = mul i64 %v117, %v122
  %v124 = add i64 %v123, %v17
  %v126 = getelementptr inbounds float, ptr %v125, i64 %v124
  store <16 x float> %v73, ptr %v126, align 4, !noalias !6
  %v127 = add i64 %v9, 1
  %v128 = and i64 %v127, 3
  %v129 = mul i64 %v128, %v122
  %v130 = add i64 %v129, %v17
  %v131 = getelementptr inbounds float, ptr %v125, i64 %v130
  store <16 x float> %v88, ptr %v131, align 4, !noalias !6
  %v132 = add i64 %v9, 2
  %v133 = and i64 %v132, 3
  %v134 = mul i64 %v133, %v122
  %v135 = add i64 %v134, %v17
  %v136 = getelementptr inbounds float, ptr %v125, i64 %v135
  store <16 x float> %v102, ptr %v136, align 4, !noalias !6
  %v137 = add i64 %v9, 3
  %v138 = and i64 %v137, 3
  %v139 = mul i64 %v138, %v122
  %v140 = add i64 %v139, %v17
  %v141 = getelementptr inbounds float, ptr %v125, i64 %v140
  store <16 x float> %v116, ptr %v141, align 4, !noalias !6
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
  br label %head142
head142:
  %v143 = phi i64 [ %v7, %end8 ], [ %v144, %latch142 ]
  %v145 = icmp slt i64 %v143, %bottom
  br i1 %v145, label %body142, label %end142
body142:
  br label %head146
head146:
  %v147 = phi i64 [ %lo, %body142 ], [ %v148, %latch146 ]
  %v149 = icmp slt i64 %v147, %hi
  br i1 %v149, label %body146, label %end146
body146:
  %v150 = sub i64 %hi, 16
  %v151 = call i64 @llvm.smin.i64(i64 %v147, i64 %v150)
  %v152 = add i64 -1, %v143
  %v153 = call i64 @llvm.smax.i64(i64 %v152, i64 0)
  %v154 = call i64 @llvm.smin.i64(i64 %v153, i64 %v34)
  %v155 = mul i64 %v154, %v29
  %v156 = add i64 %v155, %v151
  %v157 = getelementptr inbounds i8, ptr %v40, i64 %v156
  %v158 = load <16 x i8>, ptr %v157, align 1, !alias.scope !6
  %v159 = zext <16 x i8> %v158 to <16 x i32>
  %v160 = sitofp <16 x i32> %v159 to <16 x float>
  %v161 = insertelement <16 x float> poison, float %v20, i64 0
  %v162 = shufflevector <16 x float> %v161, <16 x float> poison, <16 x i32> zeroinitializer
  %v163 = fmul <16 x float> %v162, %v160
  %v164 = mul i64 %v143, %v29
  %v165 = add i64 %v164, %v151
  %v166 = getelementptr inbounds i8, ptr %v40, i64 %v165
  %v167 = load <16 x i8>, ptr %v166, align 1, !alias.scope !6
  %v168 = zext <16 x i8> %v167 to <16 x i32>
  %v169 = sitofp <16 x i32> %v168 to <16 x float>
  %v170 = insertelement <16 x float> poison, float %v23, i64 0
  %v171 = shufflevector <16 x float> %v170, <16 x float> poison, <16 x i32> zeroinitializer
  %v172 = fmul <16 x float> %v171, %v169
  %v173 = fadd <16 x float> %v163, %v172
  %v174 = add i64 1, %v143
  %v175 = call i64 @llvm.smax.i64(i64 %v174, i64 0)
  %v176 = call i64 @llvm.smin.i64(i64 %v175, i64 %v34)
  %v177 = mul i64 %v176, %v29
  %v178 = add i64 %v177, %v151
  %v179 = getelementptr inbounds i8, ptr %v40, i64 %v178
  %v180 = load <16 x i8>, ptr %v179, align 1, !alias.scope !6
  %v181 = zext <16 x i8> %v180 to <16 x i32>
  %v182 = sitofp <16 x i32> %v181 to <16 x float>
  %v183 = fmul <16 x float> %v162, %v182
  %v184 = fadd <16 x float> %v173, %v183
  %v185 = insertelement <16 x float> poison, float %v26, i64 0
  %v186 = shufflevector <16 x float> %v185, <16 x float> poison, <16 x i32> zeroinitializer
  %v187 = fmul <16 x float> %v184, %v186
  %v188 = and i64 %v143, 3
  %v189 = mul i64 %v188, %v122
  %v190 = add i64 %v189, %v151
  %v191 = getelementptr inbounds float, ptr %v125, i64 %v190
  store <16 x float> %v187, ptr %v191, align 4, !noalias !6
  br label %latch146
latch146:
  %v148 = add nsw i64 %v147, 16
  br label %head146, !llvm.loop !7
end146:
  br label %latch142
latch142:
  %v144 = add nsw i64 %v143, 1
  br label %head142
end142:
  br label %endif3
endif3:
  %v192 = xor i1 %v2, true
  br i1 %v192, label %then193, label %endif193
then193:
  br label %head194
head194:
  %v195 = phi i64 [ %top, %then193 ], [ %v196, %latch194 ]
  %v197 = icmp slt i64 %v195, %bottom
  br i1 %v197, label %body194, label %end194
body194:
  br label %head198
head198:
  %v199 = phi i64 [ %lo, %body194 ], [ %v200, %latch198 ]
  %v201 = icmp slt i64 %v199, %hi
  br i1 %v201, label %body198, label %end198
body198:
  %v202 = add i64 -1, %v195
  %v203 = call i64 @llvm.smax.i64(i64 %v202, i64 0)
  %v204 = call i64 @llvm.smin.i64(i64 %v203, i64 %v34)
  %v205 = mul i64 %v204, %v29
  %v206 = add i64 %v205, %v199
  %v207 = getelementptr inbounds i8, ptr %v40, i64 %v206
  %v208 = load i8, ptr %v207, align 1, !alias.scope !6
  %v209 = zext i8 %v208 to i32
  %v210 = sitofp i32 %v209 to float
  %v211 = fmul float %v20, %v210
  %v212 = mul i64 %v195, %v29
  %v213 = add i64 %v212, %v199
  %v214 = getelementptr inbounds i8, ptr %v40, i64 %v213
  %v215 = load i8, ptr %v214, align 1, !alias.scope !6
  %v216 = zext i8 %v215 to i32
  %v217 = sitofp i32 %v216 to float
  %v218 = fmul float %v23, %v217
  %v219 = fadd float %v211, %v218
  %v220 = add i64 1, %v195
  %v221 = call i64 @llvm.smax.i64(i64 %v220, i64 0)
  %v222 = call i64 @llvm.smin.i64(i64 %v221, i64 %v34)
  %v223 = mul i64 %v222, %v29
  %v224 = add i64 %v223, %v199
  %v225 = getelementptr inbounds i8, ptr %v40, i64 %v224
  %v226 = load i8, ptr %v225, align 1, !alias.scope !6
  %v227 = zext i8 %v226 to i32
  %v228 = sitofp i32 %v227 to float
  %v229 = fmul float %v20, %v228
  %v230 = fadd float %v219, %v229
  %v231 = fmul float %v230, %v26
  %v232 = and i64 %v195, 3
  %v233 = mul i64 %v232, %v122
  %v234 = add i64 %v233, %v199
  %v235 = getelementptr inbounds float, ptr %v125, i64 %v234
  store float %v231, ptr %v235, align 4, !noalias !6
  br label %latch198
latch198:
  %v200 = add nsw i64 %v199, 1
  br label %head198, !llvm.loop !8
end198:
  br label %latch194
latch194:
  %v196 = add nsw i64 %v195, 1
  br label %head194
end194:
  br label %endif193
endif193:
  ret void
}

define internal void @stage1_all(ptr %block, ptr %near, i64 %lead, i64 %first, i64 %top, i64 %bottom, i64 %lo, i64 %hi, i64 %low, i64 %high) noinline nounwind {
start:
  %v14 = getelementptr inbounds i64, ptr %block, i64 6
  %v15 = load double, ptr %v14, align 8
  %v16 = fptrunc double %v15 to float
  %v17 = getelementptr inbounds i64, ptr %block, i64 7
  %v18 = load double, ptr %v17, align 8
  %v19 = fptrunc double %v18 to float
  %v20 = getelementptr inbounds i64, ptr %block, i64 8
  %v21 = load double, ptr %v20, align 8
  %v22 = fptrunc double %v21 to float
  %v23 = getelementptr inbounds i64, ptr %block, i64 10
  %v24 = load i64, ptr %v23, align 8
  %v25 = mul i64 %v24, 4
  %v26 = add i64 %v25, 4
  %v27 = add i64 %v26, 15
  %v28 = and i64 %v27, -16
  %v29 = add i64 16, %v28
  %v34 = getelementptr inbounds i8, ptr %near, i64 64
  %v63 = mul i64 %v24, 4
  %v66 = getelementptr inbounds i64, ptr %block, i64 1
  %v67 = load ptr, ptr %v66, align 8
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
  %v30 = and i64 %v5, 3
  %v31 = mul i64 %v30, %v29
  %v32 = add i64 %v13, -4
  %v33 = add i64 %v31, %v32
  %v35 = getelementptr inbounds float, ptr %v34, i64 %v33
  %v36 = load <16 x float>, ptr %v35, align 4
  %v37 = insertelement <16 x float> poison, float %v16, i64 0
  %v38 = shufflevector <16 x float> %v37, <16 x float> poison, <16 x i32> zeroinitializer
  %v39 = fmul <16 x float> %v38, %v36
  %v40 = add i64 %v31, %v13
  %v41 = getelementptr inbounds float, ptr %v34, i64 %v40
  %v42 = load <16 x float>, ptr %v41, align 4
  %v43 = insertelement <16 x float> poison, float %v19, i64 0
  %v44 = shufflevector <16 x float> %v43, <16 x float> poison, <16 x i32> zeroinitializer
  %v45 = fmul <16 x float> %v44, %v42
  %v46 = fadd <16 x float> %v39, %v45
  %v47 = add i64 %v13, 4
  %v48 = add i64 %v31, %v47
  %v49 = getelementptr inbounds float, ptr %v34, i64 %v48
  %v50 = load <16 x float>, ptr %v49, align 4
  %v51 = fmul <16 x float> %v38, %v50
  %v52 = fadd <16 x float> %v46, %v51
  %v53 = insertelement <16 x float> poison, float %v22, i64 0
  %v54 = shufflevector <16 x float> %v53, <16 x float> poison, <16 x i32> zeroinitializer
  %v55 = fmul <16 x float> %v52, %v54
  %v56 = fcmp ogt <16 x float> %v55, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v57 = select <16 x i1> %v56, <16 x float> %v55, <16 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v58 = fcmp olt <16 x float> %v57, <float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000>
  %v59 = select <16 x i1> %v58, <16 x float> %v57, <16 x float> <float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000, float 0x406FE00000000000>
  %v60 = fadd <16 x float> %v59, <float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000, float 0x4160000000000000>
  %v61 = bitcast <16 x float> %v60 to <16 x i32>
  %v62 = trunc <16 x i32> %v61 to <16 x i8>
  %v64 = mul i64 %v5, %v63
  %v65 = add i64 %v64, %v13
  %v68 = getelementptr inbounds i8, ptr %v67, i64 %v65
  store <16 x i8> %v62, ptr %v68, align 1, !noalias !6
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
  %v69 = xor i1 %v2, true
  br i1 %v69, label %then70, label %endif70
then70:
  br label %head71
head71:
  %v72 = phi i64 [ %top, %then70 ], [ %v73, %latch71 ]
  %v74 = icmp slt i64 %v72, %bottom
  br i1 %v74, label %body71, label %end71
body71:
  br label %head75
head75:
  %v76 = phi i64 [ %lo, %body71 ], [ %v77, %latch75 ]
  %v78 = icmp slt i64 %v76, %hi
  br i1 %v78, label %body75, label %end75
body75:
  %v79 = and i64 %v72, 3
  %v80 = mul i64 %v79, %v29
  %v81 = add i64 %v76, -4
  %v82 = add i64 %v80, %v81
  %v83 = getelementptr inbounds float, ptr %v34, i64 %v82
  %v84 = load float, ptr %v83, align 4
  %v85 = fmul float %v16, %v84
  %v86 = add i64 %v80, %v76
  %v87 = getelementptr inbounds float, ptr %v34, i64 %v86
  %v88 = load float, ptr %v87, align 4
  %v89 = fmul float %v19, %v88
  %v90 = fadd float %v85, %v89
  %v91 = add i64 %v76, 4
  %v92 = add i64 %v80, %v91
  %v93 = getelementptr inbounds float, ptr %v34, i64 %v92
  %v94 = load float, ptr %v93, align 4
  %v95 = fmul float %v16, %v94
  %v96 = fadd float %v90, %v95
  %v97 = fmul float %v96, %v22
  %v98 = fcmp ogt float %v97, 0x0000000000000000
  %v99 = select i1 %v98, float %v97, float 0x0000000000000000
  %v100 = fcmp olt float %v99, 0x406FE00000000000
  %v101 = select i1 %v100, float %v99, float 0x406FE00000000000
  %v102 = fadd float %v101, 0x4160000000000000
  %v103 = bitcast float %v102 to i32
  %v104 = trunc i32 %v103 to i8
  %v105 = mul i64 %v72, %v63
  %v106 = add i64 %v105, %v76
  %v107 = getelementptr inbounds i8, ptr %v67, i64 %v106
  store i8 %v104, ptr %v107, align 1, !noalias !6
  br label %latch75
latch75:
  %v77 = add nsw i64 %v76, 1
  br label %head75, !llvm.loop !10
end75:
  br label %latch71
latch71:
  %v73 = add nsw i64 %v72, 1
  br label %head71
end71:
  br label %endif70
endif70:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 9
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 10
  %v4 = load i64, ptr %v3, align 8
  %v11 = getelementptr inbounds i64, ptr %block, i64 0
  %v12 = load ptr, ptr %v11, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 12
  %v14 = load i64, ptr %v13, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 11
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

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
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
