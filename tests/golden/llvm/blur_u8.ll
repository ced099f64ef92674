declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
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
  %v27 = getelementptr inbounds i64, ptr %block, i64 7
  %v28 = load i64, ptr %v27, align 8
  %v29 = mul i64 %v28, 4
  %v31 = getelementptr inbounds i64, ptr %block, i64 6
  %v32 = load i64, ptr %v31, align 8
  %v33 = add i64 %v32, -1
  %v34 = call i64 @llvm.smax.i64(i64 %v33, i64 0)
  %v39 = getelementptr inbounds i64, ptr %block, i64 2
  %v40 = load ptr, ptr %v39, align 8
  %v119 = getelementptr inbounds i64, ptr %block, i64 1
  %v120 = load ptr, ptr %v119, align 8
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
  %v42 = load <16 x i8>, ptr %v41, align 1, !alias.scope !3
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
  %v53 = load <16 x i8>, ptr %v52, align 1, !alias.scope !3
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
  %v66 = load <16 x i8>, ptr %v65, align 1, !alias.scope !3
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
  %v83 = load <16 x i8>, ptr %v82, align 1, !alias.scope !3
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
  %v97 = load <16 x i8>, ptr %v96, align 1, !alias.scope !3
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
  %v111 = load <16 x i8>, ptr %v110, align 1, !alias.scope !3
  %v112 = zext <16 x i8> %v111 to <16 x i32>
  %v113 = sitofp <16 x i32> %v112 to <16 x float>
  %v114 = fmul <16 x float> %v46, %v113
  %v115 = fadd <16 x float> %v104, %v114
  %v116 = fmul <16 x float> %v115, %v72
  %v117 = mul i64 %v9, %v29
  %v118 = add i64 %v117, %v17
  %v121 = getelementptr inbounds float, ptr %v120, i64 %v118
  store <16 x float> %v73, ptr %v121, align 4, !noalias !3
  %v122 = add i64 %v9, 1
  %v123 = mul i64 %v122, %v29
  %v124 = add i64 %v123, %v17
  %v125 = getelementptr inbounds float, ptr %v120, i64 %v124
  store <16 x float> %v88, ptr %v125, align 4, !noalias !3
  %v126 = add i64 %v9, 2
  %v127 = mul i64 %v126, %v29
  %v128 = add i64 %v127, %v17
  %v129 = getelementptr inbounds float, ptr %v120, i64 %v128
  store <16 x float> %v102, ptr %v129, align 4, !noalias !3
  %v130 = add i64 %v9, 3
  %v131 = mul i64 %v130, %v29
  %v132 = add i64 %v131, %v17
  %v133 = getelementptr inbounds float, ptr %v120, i64 %v132
  store <16 x float> %v116, ptr %v133, align 4, !noalias !3
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
  br label %head134
head134:
  %v135 = phi i64 [ %v7, %end8 ], [ %v136, %latch134 ]
  %v137 = icmp slt i64 %v135, %bottom
  br i1 %v137, label %body134, label %end134
body134:
  br label %head138
head138:
  %v139 = phi i64 [ %lo, %body134 ], [ %v140, %latch138 ]
  %v141 = icmp slt i64 %v139, %hi
  br i1 %v141, label %body138, label %end138
body138:
  %v142 = sub i64 %hi, 16
  %v143 = call i64 @llvm.smin.i64(i64 %v139, i64 %v142)
  %v144 = add i64 -1, %v135
  %v145 = call i64 @llvm.smax.i64(i64 %v144, i64 0)
  %v146 = call i64 @llvm.smin.i64(i64 %v145, i64 %v34)
  %v147 = mul i64 %v146, %v29
  %v148 = add i64 %v147, %v143
  %v149 = getelementptr inbounds i8, ptr %v40, i64 %v148
  %v150 = load <16 x i8>, ptr %v149, align 1, !alias.scope !3
  %v151 = zext <16 x i8> %v150 to <16 x i32>
  %v152 = sitofp <16 x i32> %v151 to <16 x float>
  %v153 = insertelement <16 x float> poison, float %v20, i64 0
  %v154 = shufflevector <16 x float> %v153, <16 x float> poison, <16 x i32> zeroinitializer
  %v155 = fmul <16 x float> %v154, %v152
  %v156 = mul i64 %v135, %v29
  %v157 = add i64 %v156, %v143
  %v158 = getelementptr inbounds i8, ptr %v40, i64 %v157
  %v159 = load <16 x i8>, ptr %v158, align 1, !alias.scope !3
  %v160 = zext <16 x i8> %v159 to <16 x i32>
  %v161 = sitofp <16 x i32> %v160 to <16 x float>
  %v162 = insertelement <16 x float> poison, float %v23, i64 0
  %v163 = shufflevector <16 x float> %v162, <16 x float> poison, <16 x i32> zeroinitializer
  %v164 = fmul <16 x float> %v163, %v161
  %v165 = fadd <16 x float> %v155, %v164
  %v166 = add i64 1, %v135
  %v167 = call i64 @llvm.smax.i64(i64 %v166, i64 0)
  %v168 = call i64 @llvm.smin.i64(i64 %v167, i64 %v34)
  %v169 = mul i64 %v168, %v29
  %v170 = add i64 %v169, %v143
  %v171 = getelementptr inbounds i8, ptr %v40, i64 %v170
  %v172 = load <16 x i8>, ptr %v171, align 1, !alias.scope !3
  %v173 = zext <16 x i8> %v172 to <16 x i32>
  %v174 = sitofp <16 x i32> %v173 to <16 x float>
  %v175 = fmul <16 x float> %v154, %v174
  %v176 = fadd <16 x float> %v165, %v175
  %v177 = insertelement <16 x float> poison, float %v26, i64 0
  %v178 = shufflevector <16 x float> %v177, <16 x float> poison, <16 x i32> zeroinitializer
  %v179 = fmul <16 x float> %v176, %v178
  %v180 = mul i64 %v135, %v29
  %v181 = add i64 %v180, %v143
  %v182 = getelementptr inbounds float, ptr %v120, i64 %v181
  store <16 x float> %v179, ptr %v182, align 4, !noalias !3
  br label %latch138
latch138:
  %v140 = add nsw i64 %v139, 16
  br label %head138, !llvm.loop !4
end138:
  br label %latch134
latch134:
  %v136 = add nsw i64 %v135, 1
  br label %head134
end134:
  br label %endif3
endif3:
  %v183 = xor i1 %v2, true
  br i1 %v183, label %then184, label %endif184
then184:
  br label %head185
head185:
  %v186 = phi i64 [ %top, %then184 ], [ %v187, %latch185 ]
  %v188 = icmp slt i64 %v186, %bottom
  br i1 %v188, label %body185, label %end185
body185:
  br label %head189
head189:
  %v190 = phi i64 [ %lo, %body185 ], [ %v191, %latch189 ]
  %v192 = icmp slt i64 %v190, %hi
  br i1 %v192, label %body189, label %end189
body189:
  %v193 = add i64 -1, %v186
  %v194 = call i64 @llvm.smax.i64(i64 %v193, i64 0)
  %v195 = call i64 @llvm.smin.i64(i64 %v194, i64 %v34)
  %v196 = mul i64 %v195, %v29
  %v197 = add i64 %v196, %v190
  %v198 = getelementptr inbounds i8, ptr %v40, i64 %v197
  %v199 = load i8, ptr %v198, align 1, !alias.scope !3
  %v200 = zext i8 %v199 to i32
  %v201 = sitofp i32 %v200 to float
  %v202 = fmul float %v20, %v201
  %v203 = mul i64 %v186, %v29
  %v204 = add i64 %v203, %v190
  %v205 = getelementptr inbounds i8, ptr %v40, i64 %v204
  %v206 = load i8, ptr %v205, align 1, !alias.scope !3
  %v207 = zext i8 %v206 to i32
  %v208 = sitofp i32 %v207 to float
  %v209 = fmul float %v23, %v208
  %v210 = fadd float %v202, %v209
  %v211 = add i64 1, %v186
  %v212 = call i64 @llvm.smax.i64(i64 %v211, i64 0)
  %v213 = call i64 @llvm.smin.i64(i64 %v212, i64 %v34)
  %v214 = mul i64 %v213, %v29
  %v215 = add i64 %v214, %v190
  %v216 = getelementptr inbounds i8, ptr %v40, i64 %v215
  %v217 = load i8, ptr %v216, align 1, !alias.scope !3
  %v218 = zext i8 %v217 to i32
  %v219 = sitofp i32 %v218 to float
  %v220 = fmul float %v20, %v219
  %v221 = fadd float %v210, %v220
  %v222 = fmul float %v221, %v26
  %v223 = mul i64 %v186, %v29
  %v224 = add i64 %v223, %v190
  %v225 = getelementptr inbounds float, ptr %v120, i64 %v224
  store float %v222, ptr %v225, align 4, !noalias !3
  br label %latch189
latch189:
  %v191 = add nsw i64 %v190, 1
  br label %head189, !llvm.loop !5
end189:
  br label %latch185
latch185:
  %v187 = add nsw i64 %v186, 1
  br label %head185
end185:
  br label %endif184
endif184:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 6
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 7
  %v4 = load i64, ptr %v3, align 8
  %v8 = getelementptr inbounds i64, ptr %block, i64 0
  %v9 = load ptr, ptr %v8, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 8
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

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

!0 = distinct !{!0, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!1 = distinct !{!1}
!2 = distinct !{!2, !1}
!3 = !{!2}
!4 = distinct !{!4, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
!5 = distinct !{!5, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 7
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v13 = getelementptr inbounds i64, ptr %block, i64 4
  %v14 = load double, ptr %v13, align 8
  %v15 = fptrunc double %v14 to float
  %v16 = getelementptr inbounds i64, ptr %block, i64 5
  %v17 = load double, ptr %v16, align 8
  %v18 = fptrunc double %v17 to float
  %v19 = mul i64 %v2, 4
  %v25 = add i64 %v2, -1
  %v26 = call i64 @llvm.smax.i64(i64 %v25, i64 0)
  %v32 = getelementptr inbounds i64, ptr %block, i64 2
  %v33 = load ptr, ptr %v32, align 8
  %v66 = getelementptr inbounds i64, ptr %block, i64 1
  %v67 = load ptr, ptr %v66, align 8
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
  %v20 = mul i64 %row, %v19
  %v21 = udiv i64 %v6, 4
  %v22 = mul i64 %v21, 4
  %v23 = sub i64 %v6, %v22
  %v24 = add i64 %v21, -1
  %v27 = call i64 @llvm.smax.i64(i64 %v24, i64 0)
  %v28 = call i64 @llvm.smin.i64(i64 %v27, i64 %v26)
  %v29 = mul i64 %v28, 4
  %v30 = add i64 %v29, %v23
  %v31 = add i64 %v20, %v30
  %v34 = getelementptr inbounds float, ptr %v33, i64 %v31
  %v35 = load float, ptr %v34, align 4, !llvm.access.group !0, !alias.scope !4
  %v36 = fmul float %v12, %v35
  %v37 = fadd float 0x0000000000000000, %v36
  %v38 = mul i64 %row, %v19
  %v39 = add i64 %v38, %v6
  %v40 = getelementptr inbounds float, ptr %v33, i64 %v39
  %v41 = load float, ptr %v40, align 4, !llvm.access.group !0, !alias.scope !4
  %v42 = fmul float %v15, %v41
  %v43 = fadd float %v37, %v42
  %v44 = mul i64 %row, %v19
  %v45 = udiv i64 %v6, 4
  %v46 = mul i64 %v45, 4
  %v47 = sub i64 %v6, %v46
  %v48 = add i64 %v45, 1
  %v49 = call i64 @llvm.smax.i64(i64 %v48, i64 0)
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 %v26)
  %v51 = mul i64 %v50, 4
  %v52 = add i64 %v51, %v47
  %v53 = add i64 %v44, %v52
  %v54 = getelementptr inbounds float, ptr %v33, i64 %v53
  %v55 = load float, ptr %v54, align 4, !llvm.access.group !0, !alias.scope !4
  %v56 = fmul float %v12, %v55
  %v57 = fadd float %v43, %v56
  %v58 = fmul float %v57, %v18
  %v59 = fcmp ogt float %v58, 0x0000000000000000
  %v60 = select i1 %v59, float %v58, float 0x0000000000000000
  %v61 = fcmp olt float %v60, 0x406FE00000000000
  %v62 = select i1 %v61, float %v60, float 0x406FE00000000000
  %v63 = fadd float %v62, 0x4160000000000000
  %v64 = bitcast float %v63 to i32
  %v65 = trunc i32 %v64 to i8
  %v68 = getelementptr inbounds i8, ptr %v67, i64 %v9
  store i8 %v65, ptr %v68, align 1, !noalias !4, !llvm.access.group !0
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5, !llvm.loop !1
end5:
  ret void
}

define internal void @row_inside(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 7
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v13 = getelementptr inbounds i64, ptr %block, i64 4
  %v14 = load double, ptr %v13, align 8
  %v15 = fptrunc double %v14 to float
  %v16 = getelementptr inbounds i64, ptr %block, i64 5
  %v17 = load double, ptr %v16, align 8
  %v18 = fptrunc double %v17 to float
  %v19 = mul i64 %v2, 4
  %v23 = getelementptr inbounds i64, ptr %block, i64 2
  %v24 = load ptr, ptr %v23, align 8
  %v50 = getelementptr inbounds i64, ptr %block, i64 1
  %v51 = load ptr, ptr %v50, align 8
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
  %v20 = mul i64 %row, %v19
  %v21 = add i64 %v6, -4
  %v22 = add i64 %v20, %v21
  %v25 = getelementptr inbounds float, ptr %v24, i64 %v22
  %v26 = load float, ptr %v25, align 4, !llvm.access.group !5, !alias.scope !4
  %v27 = fmul float %v12, %v26
  %v28 = fadd float 0x0000000000000000, %v27
  %v29 = mul i64 %row, %v19
  %v30 = add i64 %v29, %v6
  %v31 = getelementptr inbounds float, ptr %v24, i64 %v30
  %v32 = load float, ptr %v31, align 4, !llvm.access.group !5, !alias.scope !4
  %v33 = fmul float %v15, %v32
  %v34 = fadd float %v28, %v33
  %v35 = mul i64 %row, %v19
  %v36 = add i64 %v6, 4
  %v37 = add i64 %v35, %v36
  %v38 = getelementptr inbounds float, ptr %v24, i64 %v37
  %v39 = load float, ptr %v38, align 4, !llvm.access.group !5, !alias.scope !4
  %v40 = fmul float %v12, %v39
  %v41 = fadd float %v34, %v40
  %v42 = fmul float %v41, %v18
  %v43 = fcmp ogt float %v42, 0x0000000000000000
  %v44 = select i1 %v43, float %v42, float 0x0000000000000000
  %v45 = fcmp olt float %v44, 0x406FE00000000000
  %v46 = select i1 %v45, float %v44, float 0x406FE00000000000
  %v47 = fadd float %v46, 0x4160000000000000
  %v48 = bitcast float %v47 to i32
  %v49 = trunc i32 %v48 to i8
  %v52 = getelementptr inbounds i8, ptr %v51, i64 %v9
  store i8 %v49, ptr %v52, align 1, !noalias !4, !llvm.access.group !5
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5, !llvm.loop !6
end5:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 7
  %v2 = load i64, ptr %v1, align 8
  %v4 = getelementptr inbounds i64, ptr %block, i64 8
  %v5 = load i64, ptr %v4, align 8
  %v26 = getelementptr inbounds i64, ptr %block, i64 6
  %v27 = load i64, ptr %v26, align 8
  %v28 = getelementptr inbounds i64, ptr %block, i64 9
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

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
!5 = distinct !{}
!6 = distinct !{!6, !{!"llvm.loop.parallel_accesses", !5}, !{!"llvm.loop.mustprogress"}}
