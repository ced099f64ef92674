declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @stage0_all(ptr %block, ptr %near, i64 %lead, i64 %first, i64 %top, i64 %bottom, i64 %lo, i64 %hi, i64 %low, i64 %high) noinline nounwind {
start:
  %v18 = getelementptr inbounds i64, ptr %block, i64 3
  %v19 = load double, ptr %v18, align 8
  %v20 = fptrunc double %v19 to float
  %v21 = getelementptr inbounds i64, ptr %block, i64 7
  %v22 = load i64, ptr %v21, align 8
  %v23 = mul i64 %v22, 4
  %v25 = getelementptr inbounds i64, ptr %block, i64 6
  %v26 = load i64, ptr %v25, align 8
  %v27 = add i64 %v26, -1
  %v28 = call i64 @llvm.smax.i64(i64 %v27, i64 0)
  %v33 = getelementptr inbounds i64, ptr %block, i64 2
  %v34 = load ptr, ptr %v33, align 8
  %v42 = getelementptr inbounds i64, ptr %block, i64 4
  %v43 = load double, ptr %v42, align 8
  %v44 = fptrunc double %v43 to float
  %v68 = getelementptr inbounds i64, ptr %block, i64 5
  %v69 = load double, ptr %v68, align 8
  %v70 = fptrunc double %v69 to float
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
  %v24 = add i64 -1, %v9
  %v29 = call i64 @llvm.smax.i64(i64 %v24, i64 0)
  %v30 = call i64 @llvm.smin.i64(i64 %v29, i64 %v28)
  %v31 = mul i64 %v30, %v23
  %v32 = add i64 %v31, %v17
  %v35 = getelementptr inbounds i8, ptr %v34, i64 %v32
  %v36 = load <16 x i8>, ptr %v35, align 1, !alias.scope !3
  %v37 = zext <16 x i8> %v36 to <16 x i32>
  %v38 = sitofp <16 x i32> %v37 to <16 x float>
  %v39 = insertelement <16 x float> poison, float %v20, i64 0
  %v40 = shufflevector <16 x float> %v39, <16 x float> poison, <16 x i32> zeroinitializer
  %v41 = fmul <16 x float> %v40, %v38
  %v45 = call i64 @llvm.smax.i64(i64 %v9, i64 0)
  %v46 = call i64 @llvm.smin.i64(i64 %v45, i64 %v28)
  %v47 = mul i64 %v46, %v23
  %v48 = add i64 %v47, %v17
  %v49 = getelementptr inbounds i8, ptr %v34, i64 %v48
  %v50 = load <16 x i8>, ptr %v49, align 1, !alias.scope !3
  %v51 = zext <16 x i8> %v50 to <16 x i32>
  %v52 = sitofp <16 x i32> %v51 to <16 x float>
  %v53 = insertelement <16 x float> poison, float %v44, i64 0
  %v54 = shufflevector <16 x float> %v53, <16 x float> poison, <16 x i32> zeroinitializer
  %v55 = fmul <16 x float> %v54, %v52
  %v56 = fadd <16 x float> %v41, %v55
  %v57 = add i64 1, %v9
  %v58 = call i64 @llvm.smax.i64(i64 %v57, i64 0)
  %v59 = call i64 @llvm.smin.i64(i64 %v58, i64 %v28)
  %v60 = mul i64 %v59, %v23
  %v61 = add i64 %v60, %v17
  %v62 = getelementptr inbounds i8, ptr %v34, i64 %v61
  %v63 = load <16 x i8>, ptr %v62, align 1, !alias.scope !3
  %v64 = zext <16 x i8> %v63 to <16 x i32>
  %v65 = sitofp <16 x i32> %v64 to <16 x float>
  %v66 = fmul <16 x float> %v40, %v65
  %v67 = fadd <16 x float> %v56, %v66
  %v71 = insertelement <16 x float> poison, float %v70, i64 0
  %v72 = shufflevector <16 x float> %v71, <16 x float> poison, <16 x i32> zeroinitializer
  %v73 = fmul <16 x float> %v67, %v72
  %v74 = fmul <16 x float> %v40, %v52
  %v75 = fmul <16 x float> %v54, %v65
  %v76 = fadd <16 x float> %v74, %v75
  %v77 = add i64 2, %v9
  %v78 = call i64 @llvm.smax.i64(i64 %v77, i64 0)
  %v79 = call i64 @llvm.smin.i64(i64 %v78, i64 %v28)
  %v80 = mul i64 %v79, %v23
  %v81 = add i64 %v80, %v17
  %v82 = getelementptr inbounds i8, ptr %v34, i64 %v81
  %v83 = load <16 x i8>, ptr %v82, align 1, !alias.scope !3
  %v84 = zext <16 x i8> %v83 to <16 x i32>
  %v85 = sitofp <16 x i32> %v84 to <16 x float>
  %v86 = fmul <16 x float> %v40, %v85
  %v87 = fadd <16 x float> %v76, %v86
  %v88 = fmul <16 x float> %v87, %v72
  %v89 = fmul <16 x float> %v54, %v85
  %v90 = fadd <16 x float> %v66, %v89
  %v91 = add i64 3, %v9
  %v92 = call i64 @llvm.smax.i64(i64 %v91, i64 0)
  %v93 = call i64 @llvm.smin.i64(i64 %v92, i64 %v28)
  %v94 = mul i64 %v93, %v23
  %v95 = add i64 %v94, %v17
  %v96 = getelementptr inbounds i8, ptr %v34, i64 %v95
  %v97 = load <16 x i8>, ptr %v96, align 1, !alias.scope !3
  %v98 = zext <16 x i8> %v97 to <16 x i32>
  %v99 = sitofp <16 x i32> %v98 to <16 x float>
  %v100 = fmul <16 x float> %v40, %v99
  %v101 = fadd <16 x float> %v90, %v100
  %v102 = fmul <16 x float> %v101, %v72
  %v103 = fmul <16 x float> %v54, %v99
  %v104 = fadd <16 x float> %v86, %v103
  %v105 = add i64 4, %v9
  %v106 = call i64 @llvm.smax.i64(i64 %v105, i64 0)
  %v107 = call i64 @llvm.smin.i64(i64 %v106, i64 %v28)
  %v108 = mul i64 %v107, %v23
  %v109 = add i64 %v108, %v17
  %v110 = getelementptr inbounds i8, ptr %v34, i64 %v109
  %v111 = load <16 x i8>, ptr %v110, align 1, !alias.scope !3
  %v112 = zext <16 x i8> %v111 to <16 x i32>
  %v113 = sitofp <16 x i32> %v112 to <16 x float>
  %v114 = fmul <16 x float> %v40, %v113
  %v115 = fadd <16 x float> %v104, %v114
  %v116 = fmul <16 x float> %v115, %v72
  %v117 = mul i64 %v9, %v23
  %v118 = add i64 %v117, %v17
  %v121 = getelementptr inbounds float, ptr %v120, i64 %v118
  store <16 x float> %v73, ptr %v121, align 4, !noalias !3
  %v122 = add i64 %v9, 1
  %v123 = mul i64 %v122, %v23
  %v124 = add i64 %v123, %v17
  %v125 = getelementptr inbounds float, ptr %v120, i64 %v124
  store <16 x float> %v88, ptr %v125, align 4, !noalias !3
  %v126 = add i64 %v9, 2
  %v127 = mul i64 %v126, %v23
  %v128 = add i64 %v127, %v17
  %v129 = getelementptr inbounds float, ptr %v120, i64 %v128
  store <16 x float> %v102, ptr %v129, align 4, !noalias !3
  %v130 = add i64 %v9, 3
  %v131 = mul i64 %v130, %v23
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
  %v146 = call i64 @llvm.smin.i64(i64 %v145, i64 %v28)
  %v147 = mul i64 %v146, %v23
  %v148 = add i64 %v147, %v143
  %v149 = getelementptr inbounds i8, ptr %v34, i64 %v148
  %v150 = load <16 x i8>, ptr %v149, align 1, !alias.scope !3
  %v151 = zext <16 x i8> %v150 to <16 x i32>
  %v152 = sitofp <16 x i32> %v151 to <16 x float>
  %v153 = insertelement <16 x float> poison, float %v20, i64 0
  %v154 = shufflevector <16 x float> %v153, <16 x float> poison, <16 x i32> zeroinitializer
  %v155 = fmul <16 x float> %v154, %v152
  %v156 = mul i64 %v135, %v23
  %v157 = add i64 %v156, %v143
  %v158 = getelementptr inbounds i8, ptr %v34, i64 %v157
  %v159 = load <16 x i8>, ptr %v158, align 1, !alias.scope !3
  %v160 = zext <16 x i8> %v159 to <16 x i32>
  %v161 = sitofp <16 x i32> %v160 to <16 x float>
  %v162 = insertelement <16 x float> poison, float %v44, i64 0
  %v163 = shufflevector <16 x float> %v162, <16 x float> poison, <16 x i32> zeroinitializer
  %v164 = fmul <16 x float> %v163, %v161
  %v165 = fadd <16 x float> %v155, %v164
  %v166 = add i64 1, %v135
  %v167 = call i64 @llvm.smax.i64(i64 %v166, i64 0)
  %v168 = call i64 @llvm.smin.i64(i64 %v167, i64 %v28)
  %v169 = mul i64 %v168, %v23
  %v170 = add i64 %v169, %v143
  %v171 = getelementptr inbounds i8, ptr %v34, i64 %v170
  %v172 = load <16 x i8>, ptr %v171, align 1, !alias.scope !3
  %v173 = zext <16 x i8> %v172 to <16 x i32>
  %v174 = sitofp <16 x i32> %v173 to <16 x float>
  %v175 = fmul <16 x float> %v154, %v174
  %v176 = fadd <16 x float> %v165, %v175
  %v177 = insertelement <16 x float> poison, float %v70, i64 0
  %v178 = shufflevector <16 x float> %v177, <16 x float> poison, <16 x i32> zeroinitializer
  %v179 = fmul <16 x float> %v176, %v178
  %v180 = mul i64 %v135, %v23
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
  %v195 = call i64 @llvm.smin.i64(i64 %v194, i64 %v28)
  %v196 = mul i64 %v195, %v23
  %v197 = add i64 %v196, %v190
  %v198 = getelementptr inbounds i8, ptr %v34, i64 %v197
  %v199 = load i8, ptr %v198, align 1, !alias.scope !3
  %v200 = zext i8 %v199 to i32
  %v201 = sitofp i32 %v200 to float
  %v202 = fmul float %v20, %v201
  %v203 = mul i64 %v186, %v23
  %v204 = add i64 %v203, %v190
  %v205 = getelementptr inbounds i8, ptr %v34, i64 %v204
  %v206 = load i8, ptr %v205, align 1, !alias.scope !3
  %v207 = zext i8 %v206 to i32
  %v208 = sitofp i32 %v207 to float
  %v209 = fmul float %v44, %v208
  %v210 = fadd float %v202, %v209
  %v211 = add i64 1, %v186
  %v212 = call i64 @llvm.smax.i64(i64 %v211, i64 0)
  %v213 = call i64 @llvm.smin.i64(i64 %v212, i64 %v28)
  %v214 = mul i64 %v213, %v23
  %v215 = add i64 %v214, %v190
  %v216 = getelementptr inbounds i8, ptr %v34, i64 %v215
  %v217 = load i8, ptr %v216, align 1, !alias.scope !3
  %v218 = zext i8 %v217 to i32
  %v219 = sitofp i32 %v218 to float
  %v220 = fmul float %v20, %v219
  %v221 = fadd float %v210, %v220
  %v222 = fmul float %v221, %v70
  %v223 = mul i64 %v186, %v23
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

define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
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

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 7
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
  %v13 = mul i64 %v2, 4
  %v19 = add i64 %v2, -1
  %v20 = call i64 @llvm.smax.i64(i64 %v19, i64 0)
  %v26 = getelementptr inbounds i64, ptr %block, i64 2
  %v27 = load ptr, ptr %v26, align 8
  %v32 = getelementptr inbounds i64, ptr %block, i64 4
  %v33 = load double, ptr %v32, align 8
  %v34 = fptrunc double %v33 to float
  %v55 = getelementptr inbounds i64, ptr %block, i64 5
  %v56 = load double, ptr %v55, align 8
  %v57 = fptrunc double %v56 to float
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
  %v14 = mul i64 %row, %v13
  %v15 = udiv i64 %v6, 4
  %v16 = mul i64 %v15, 4
  %v17 = sub i64 %v6, %v16
  %v18 = add i64 %v15, -1
  %v21 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  %v22 = call i64 @llvm.smin.i64(i64 %v21, i64 %v20)
  %v23 = mul i64 %v22, 4
  %v24 = add i64 %v23, %v17
  %v25 = add i64 %v14, %v24
  %v28 = getelementptr inbounds float, ptr %v27, i64 %v25
  %v29 = load float, ptr %v28, align 4, !llvm.access.group !0, !alias.scope !4
  %v30 = fmul float %v12, %v29
  %v31 = fadd float 0x0000000000000000, %v30
  %v35 = mul i64 %row, %v13
  %v36 = add i64 %v35, %v6
  %v37 = getelementptr inbounds float, ptr %v27, i64 %v36
  %v38 = load float, ptr %v37, align 4, !llvm.access.group !0, !alias.scope !4
  %v39 = fmul float %v34, %v38
  %v40 = fadd float %v31, %v39
  %v41 = mul i64 %row, %v13
  %v42 = udiv i64 %v6, 4
  %v43 = mul i64 %v42, 4
  %v44 = sub i64 %v6, %v43
  %v45 = add i64 %v42, 1
  %v46 = call i64 @llvm.smax.i64(i64 %v45, i64 0)
  %v47 = call i64 @llvm.smin.i64(i64 %v46, i64 %v20)
  %v48 = mul i64 %v47, 4
  %v49 = add i64 %v48, %v44
  %v50 = add i64 %v41, %v49
  %v51 = getelementptr inbounds float, ptr %v27, i64 %v50
  %v52 = load float, ptr %v51, align 4, !llvm.access.group !0, !alias.scope !4
  %v53 = fmul float %v12, %v52
  %v54 = fadd float %v40, %v53
  %v58 = fmul float %v54, %v57
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
  %v13 = mul i64 %v2, 4
  %v17 = getelementptr inbounds i64, ptr %block, i64 2
  %v18 = load ptr, ptr %v17, align 8
  %v23 = getelementptr inbounds i64, ptr %block, i64 4
  %v24 = load double, ptr %v23, align 8
  %v25 = fptrunc double %v24 to float
  %v39 = getelementptr inbounds i64, ptr %block, i64 5
  %v40 = load double, ptr %v39, align 8
  %v41 = fptrunc double %v40 to float
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
  %v14 = mul i64 %row, %v13
  %v15 = add i64 %v6, -4
  %v16 = add i64 %v14, %v15
  %v19 = getelementptr inbounds float, ptr %v18, i64 %v16
  %v20 = load float, ptr %v19, align 4, !llvm.access.group !5, !alias.scope !4
  %v21 = fmul float %v12, %v20
  %v22 = fadd float 0x0000000000000000, %v21
  %v26 = mul i64 %row, %v13
  %v27 = add i64 %v26, %v6
  %v28 = getelementptr inbounds float, ptr %v18, i64 %v27
  %v29 = load float, ptr %v28, align 4, !llvm.access.group !5, !alias.scope !4
  %v30 = fmul float %v25, %v29
  %v31 = fadd float %v22, %v30
  %v32 = mul i64 %row, %v13
  %v33 = add i64 %v6, 4
  %v34 = add i64 %v32, %v33
  %v35 = getelementptr inbounds float, ptr %v18, i64 %v34
  %v36 = load float, ptr %v35, align 4, !llvm.access.group !5, !alias.scope !4
  %v37 = fmul float %v12, %v36
  %v38 = fadd float %v31, %v37
  %v42 = fmul float %v38, %v41
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

define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
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
