declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 5
  %v4 = load i64, ptr %v3, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 3
  %v14 = load double, ptr %v13, align 8
  %v15 = fptrunc double %v14 to float
  %v16 = fdiv float 0xBFF0000000000000, %v15
  %v17 = fmul contract float %v16, %v16
  %v18 = fmul contract float 0xBFE0000000000000, %v17
  %v19 = fcmp olt float %v18, 0xC05A400000000000
  %v20 = select i1 %v19, float 0xC05A400000000000, float %v18
  %v21 = fcmp ogt float %v20, 0x4056C00000000000
  %v22 = select i1 %v21, float 0x4056C00000000000, float %v20
  %v23 = call float @llvm.fmuladd.f32(float %v22, float 0x3FF7154760000000, float 0x4168000000000000)
  %v24 = fsub contract float %v23, 0x4168000000000000
  %v25 = bitcast float %v23 to i32
  %v26 = sub i32 %v25, 1262485504
  %v27 = call float @llvm.fmuladd.f32(float %v24, float 0xBFE6300000000000, float %v22)
  %v28 = call float @llvm.fmuladd.f32(float %v24, float 0x3F2BD01060000000, float %v27)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v28, float 0x3F81110C60000000)
  %v31 = call float @llvm.fmuladd.f32(float %v30, float %v28, float 0x3FA5554EA0000000)
  %v32 = call float @llvm.fmuladd.f32(float %v31, float %v28, float 0x3FC5555560000000)
  %v33 = call float @llvm.fmuladd.f32(float %v32, float %v28, float 0x3FE0000000000000)
  %v34 = fmul contract float %v28, %v28
  %v35 = call float @llvm.fmuladd.f32(float %v33, float %v34, float %v28)
  %v36 = fadd contract float %v35, 0x3FF0000000000000
  %v37 = add i32 %v26, 0
  %v38 = ashr i32 %v37, 1
  %v39 = add i32 %v38, 127
  %v40 = shl i32 %v39, 23
  %v41 = bitcast i32 %v40 to float
  %v42 = fmul contract float %v36, %v41
  %v43 = sub i32 %v37, %v38
  %v44 = add i32 %v43, 127
  %v45 = shl i32 %v44, 23
  %v46 = bitcast i32 %v45 to float
  %v47 = fmul contract float %v42, %v46
  %v48 = fadd contract float 0x0000000000000000, %v47
  %v49 = mul i64 %v4, 4
  %v54 = add i64 %v2, -1
  %v55 = call i64 @llvm.smax.i64(i64 %v54, i64 0)
  %v60 = getelementptr inbounds i64, ptr %block, i64 2
  %v61 = load ptr, ptr %v60, align 8
  %v68 = fdiv float 0x0000000000000000, %v15
  %v69 = fmul contract float %v68, %v68
  %v70 = fmul contract float 0xBFE0000000000000, %v69
  %v71 = fcmp olt float %v70, 0xC05A400000000000
  %v72 = select i1 %v71, float 0xC05A400000000000, float %v70
  %v73 = fcmp ogt float %v72, 0x4056C00000000000
  %v74 = select i1 %v73, float 0x4056C00000000000, float %v72
  %v75 = call float @llvm.fmuladd.f32(float %v74, float 0x3FF7154760000000, float 0x4168000000000000)
  %v76 = fsub contract float %v75, 0x4168000000000000
  %v77 = bitcast float %v75 to i32
  %v78 = sub i32 %v77, 1262485504
  %v79 = call float @llvm.fmuladd.f32(float %v76, float 0xBFE6300000000000, float %v74)
  %v80 = call float @llvm.fmuladd.f32(float %v76, float 0x3F2BD01060000000, float %v79)
  %v81 = call float @llvm.fmuladd.f32(float %v80, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v82 = call float @llvm.fmuladd.f32(float %v81, float %v80, float 0x3F81110C60000000)
  %v83 = call float @llvm.fmuladd.f32(float %v82, float %v80, float 0x3FA5554EA0000000)
  %v84 = call float @llvm.fmuladd.f32(float %v83, float %v80, float 0x3FC5555560000000)
  %v85 = call float @llvm.fmuladd.f32(float %v84, float %v80, float 0x3FE0000000000000)
  %v86 = fmul contract float %v80, %v80
  %v87 = call float @llvm.fmuladd.f32(float %v85, float %v86, float %v80)
  %v88 = fadd contract float %v87, 0x3FF0000000000000
  %v89 = add i32 %v78, 0
  %v90 = ashr i32 %v89, 1
  %v91 = add i32 %v90, 127
  %v92 = shl i32 %v91, 23
  %v93 = bitcast i32 %v92 to float
  %v94 = fmul contract float %v88, %v93
  %v95 = sub i32 %v89, %v90
  %v96 = add i32 %v95, 127
  %v97 = shl i32 %v96, 23
  %v98 = bitcast i32 %v97 to float
  %v99 = fmul contract float %v94, %v98
  %v100 = fadd contract float %v48, %v99
  %v107 = fdiv float 0x3FF0000000000000, %v15
  %v108 = fmul contract float %v107, %v107
  %v109 = fmul contract float 0xBFE0000000000000, %v108
  %v110 = fcmp olt float %v109, 0xC05A400000000000
  %v111 = select i1 %v110, float 0xC05A400000000000, float %v109
  %v112 = fcmp ogt float %v111, 0x4056C00000000000
  %v113 = select i1 %v112, float 0x4056C00000000000, float %v111
  %v114 = call float @llvm.fmuladd.f32(float %v113, float 0x3FF7154760000000, float 0x4168000000000000)
  %v115 = fsub contract float %v114, 0x4168000000000000
  %v116 = bitcast float %v114 to i32
  %v117 = sub i32 %v116, 1262485504
  %v118 = call float @llvm.fmuladd.f32(float %v115, float 0xBFE6300000000000, float %v113)
  %v119 = call float @llvm.fmuladd.f32(float %v115, float 0x3F2BD01060000000, float %v118)
  %v120 = call float @llvm.fmuladd.f32(float %v119, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v121 = call float @llvm.fmuladd.f32(float %v120, float %v119, float 0x3F81110C60000000)
  %v122 = call float @llvm.fmuladd.f32(float %v121, float %v119, float 0x3FA5554EA0000000)
  %v123 = call float @llvm.fmuladd.f32(float %v122, float %v119, float 0x3FC5555560000000)
  %v124 = call float @llvm.fmuladd.f32(float %v123, float %v119, float 0x3FE0000000000000)
  %v125 = fmul contract float %v119, %v119
  %v126 = call float @llvm.fmuladd.f32(float %v124, float %v125, float %v119)
  %v127 = fadd contract float %v126, 0x3FF0000000000000
  %v128 = add i32 %v117, 0
  %v129 = ashr i32 %v128, 1
  %v130 = add i32 %v129, 127
  %v131 = shl i32 %v130, 23
  %v132 = bitcast i32 %v131 to float
  %v133 = fmul contract float %v127, %v132
  %v134 = sub i32 %v128, %v129
  %v135 = add i32 %v134, 127
  %v136 = shl i32 %v135, 23
  %v137 = bitcast i32 %v136 to float
  %v138 = fmul contract float %v133, %v137
  %v139 = fadd contract float %v100, %v138
  %v154 = fdiv float 0x3FF0000000000000, %v139
  %v156 = getelementptr inbounds i64, ptr %block, i64 1
  %v157 = load ptr, ptr %v156, align 8
  br label %main
main:
  %v5 = mul i64 %v2, %v4
  %v6 = mul i64 %v5, 4
  %v7 = mul i64 %row, %v6
  br label %head8
head8:
  %v9 = phi i64 [ %lo, %main ], [ %v10, %latch8 ]
  %v11 = icmp slt i64 %v9, %hi
  br i1 %v11, label %body8, label %end8
body8:
  %v12 = add i64 %v7, %v9
  %v50 = udiv i64 %v9, %v49
  %v51 = mul i64 %v50, %v49
  %v52 = sub i64 %v9, %v51
  %v53 = add i64 %v50, -1
  %v56 = call i64 @llvm.smax.i64(i64 %v53, i64 0)
  %v57 = call i64 @llvm.smin.i64(i64 %v56, i64 %v55)
  %v58 = mul i64 %v57, %v49
  %v59 = add i64 %v58, %v52
  %v62 = getelementptr inbounds i8, ptr %v61, i64 %v59
  %v63 = load i8, ptr %v62, align 1, !llvm.access.group !0, !alias.scope !4
  %v64 = zext i8 %v63 to i32
  %v65 = sitofp i32 %v64 to float
  %v66 = fmul contract float %v47, %v65
  %v67 = fadd contract float 0x0000000000000000, %v66
  %v101 = getelementptr inbounds i8, ptr %v61, i64 %v9
  %v102 = load i8, ptr %v101, align 1, !llvm.access.group !0, !alias.scope !4
  %v103 = zext i8 %v102 to i32
  %v104 = sitofp i32 %v103 to float
  %v105 = fmul contract float %v99, %v104
  %v106 = fadd contract float %v67, %v105
  %v140 = udiv i64 %v9, %v49
  %v141 = mul i64 %v140, %v49
  %v142 = sub i64 %v9, %v141
  %v143 = add i64 %v140, 1
  %v144 = call i64 @llvm.smax.i64(i64 %v143, i64 0)
  %v145 = call i64 @llvm.smin.i64(i64 %v144, i64 %v55)
  %v146 = mul i64 %v145, %v49
  %v147 = add i64 %v146, %v142
  %v148 = getelementptr inbounds i8, ptr %v61, i64 %v147
  %v149 = load i8, ptr %v148, align 1, !llvm.access.group !0, !alias.scope !4
  %v150 = zext i8 %v149 to i32
  %v151 = sitofp i32 %v150 to float
  %v152 = fmul contract float %v138, %v151
  %v153 = fadd contract float %v106, %v152
  %v155 = fmul contract float %v153, %v154
  %v158 = getelementptr inbounds float, ptr %v157, i64 %v12
  store float %v155, ptr %v158, align 4, !noalias !4, !llvm.access.group !0
  br label %latch8
latch8:
  %v10 = add nsw i64 %v9, 1
  br label %head8, !llvm.loop !1
end8:
  ret void
}

define internal void @row_inside(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 5
  %v4 = load i64, ptr %v3, align 8
  %v13 = getelementptr inbounds i64, ptr %block, i64 3
  %v14 = load double, ptr %v13, align 8
  %v15 = fptrunc double %v14 to float
  %v16 = fdiv float 0xBFF0000000000000, %v15
  %v17 = fmul contract float %v16, %v16
  %v18 = fmul contract float 0xBFE0000000000000, %v17
  %v19 = fcmp olt float %v18, 0xC05A400000000000
  %v20 = select i1 %v19, float 0xC05A400000000000, float %v18
  %v21 = fcmp ogt float %v20, 0x4056C00000000000
  %v22 = select i1 %v21, float 0x4056C00000000000, float %v20
  %v23 = call float @llvm.fmuladd.f32(float %v22, float 0x3FF7154760000000, float 0x4168000000000000)
  %v24 = fsub contract float %v23, 0x4168000000000000
  %v25 = bitcast float %v23 to i32
  %v26 = sub i32 %v25, 1262485504
  %v27 = call float @llvm.fmuladd.f32(float %v24, float 0xBFE6300000000000, float %v22)
  %v28 = call float @llvm.fmuladd.f32(float %v24, float 0x3F2BD01060000000, float %v27)
  %v29 = call float @llvm.fmuladd.f32(float %v28, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v30 = call float @llvm.fmuladd.f32(float %v29, float %v28, float 0x3F81110C60000000)
  %v31 = call float @llvm.fmuladd.f32(float %v30, float %v28, float 0x3FA5554EA0000000)
  %v32 = call float @llvm.fmuladd.f32(float %v31, float %v28, float 0x3FC5555560000000)
  %v33 = call float @llvm.fmuladd.f32(float %v32, float %v28, float 0x3FE0000000000000)
  %v34 = fmul contract float %v28, %v28
  %v35 = call float @llvm.fmuladd.f32(float %v33, float %v34, float %v28)
  %v36 = fadd contract float %v35, 0x3FF0000000000000
  %v37 = add i32 %v26, 0
  %v38 = ashr i32 %v37, 1
  %v39 = add i32 %v38, 127
  %v40 = shl i32 %v39, 23
  %v41 = bitcast i32 %v40 to float
  %v42 = fmul contract float %v36, %v41
  %v43 = sub i32 %v37, %v38
  %v44 = add i32 %v43, 127
  %v45 = shl i32 %v44, 23
  %v46 = bitcast i32 %v45 to float
  %v47 = fmul contract float %v42, %v46
  %v48 = fadd contract float 0x0000000000000000, %v47
  %v49 = mul i64 %v4, 4
  %v52 = getelementptr inbounds i64, ptr %block, i64 2
  %v53 = load ptr, ptr %v52, align 8
  %v60 = fdiv float 0x0000000000000000, %v15
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
  %v92 = fadd contract float %v48, %v91
  %v99 = fdiv float 0x3FF0000000000000, %v15
  %v100 = fmul contract float %v99, %v99
  %v101 = fmul contract float 0xBFE0000000000000, %v100
  %v102 = fcmp olt float %v101, 0xC05A400000000000
  %v103 = select i1 %v102, float 0xC05A400000000000, float %v101
  %v104 = fcmp ogt float %v103, 0x4056C00000000000
  %v105 = select i1 %v104, float 0x4056C00000000000, float %v103
  %v106 = call float @llvm.fmuladd.f32(float %v105, float 0x3FF7154760000000, float 0x4168000000000000)
  %v107 = fsub contract float %v106, 0x4168000000000000
  %v108 = bitcast float %v106 to i32
  %v109 = sub i32 %v108, 1262485504
  %v110 = call float @llvm.fmuladd.f32(float %v107, float 0xBFE6300000000000, float %v105)
  %v111 = call float @llvm.fmuladd.f32(float %v107, float 0x3F2BD01060000000, float %v110)
  %v112 = call float @llvm.fmuladd.f32(float %v111, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v113 = call float @llvm.fmuladd.f32(float %v112, float %v111, float 0x3F81110C60000000)
  %v114 = call float @llvm.fmuladd.f32(float %v113, float %v111, float 0x3FA5554EA0000000)
  %v115 = call float @llvm.fmuladd.f32(float %v114, float %v111, float 0x3FC5555560000000)
  %v116 = call float @llvm.fmuladd.f32(float %v115, float %v111, float 0x3FE0000000000000)
  %v117 = fmul contract float %v111, %v111
  %v118 = call float @llvm.fmuladd.f32(float %v116, float %v117, float %v111)
  %v119 = fadd contract float %v118, 0x3FF0000000000000
  %v120 = add i32 %v109, 0
  %v121 = ashr i32 %v120, 1
  %v122 = add i32 %v121, 127
  %v123 = shl i32 %v122, 23
  %v124 = bitcast i32 %v123 to float
  %v125 = fmul contract float %v119, %v124
  %v126 = sub i32 %v120, %v121
  %v127 = add i32 %v126, 127
  %v128 = shl i32 %v127, 23
  %v129 = bitcast i32 %v128 to float
  %v130 = fmul contract float %v125, %v129
  %v131 = fadd contract float %v92, %v130
  %v139 = fdiv float 0x3FF0000000000000, %v131
  %v141 = getelementptr inbounds i64, ptr %block, i64 1
  %v142 = load ptr, ptr %v141, align 8
  br label %main
main:
  %v5 = mul i64 %v2, %v4
  %v6 = mul i64 %v5, 4
  %v7 = mul i64 %row, %v6
  br label %head8
head8:
  %v9 = phi i64 [ %lo, %main ], [ %v10, %latch8 ]
  %v11 = icmp slt i64 %v9, %hi
  br i1 %v11, label %body8, label %end8
body8:
  %v12 = add i64 %v7, %v9
  %v50 = mul i64 -1, %v49
  %v51 = add i64 %v9, %v50
  %v54 = getelementptr inbounds i8, ptr %v53, i64 %v51
  %v55 = load i8, ptr %v54, align 1, !llvm.access.group !5, !alias.scope !4
  %v56 = zext i8 %v55 to i32
  %v57 = sitofp i32 %v56 to float
  %v58 = fmul contract float %v47, %v57
  %v59 = fadd contract float 0x0000000000000000, %v58
  %v93 = getelementptr inbounds i8, ptr %v53, i64 %v9
  %v94 = load i8, ptr %v93, align 1, !llvm.access.group !5, !alias.scope !4
  %v95 = zext i8 %v94 to i32
  %v96 = sitofp i32 %v95 to float
  %v97 = fmul contract float %v91, %v96
  %v98 = fadd contract float %v59, %v97
  %v132 = add i64 %v9, %v49
  %v133 = getelementptr inbounds i8, ptr %v53, i64 %v132
  %v134 = load i8, ptr %v133, align 1, !llvm.access.group !5, !alias.scope !4
  %v135 = zext i8 %v134 to i32
  %v136 = sitofp i32 %v135 to float
  %v137 = fmul contract float %v130, %v136
  %v138 = fadd contract float %v98, %v137
  %v140 = fmul contract float %v138, %v139
  %v143 = getelementptr inbounds float, ptr %v142, i64 %v12
  store float %v140, ptr %v143, align 4, !noalias !4, !llvm.access.group !5
  br label %latch8
latch8:
  %v10 = add nsw i64 %v9, 1
  br label %head8, !llvm.loop !6
end8:
  ret void
}

define internal void @weft_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 5
  %v4 = load i64, ptr %v3, align 8
  %v8 = getelementptr inbounds i64, ptr %block, i64 6
  %v9 = load i64, ptr %v8, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 7
  %v31 = load i64, ptr %v30, align 8
  br label %main
main:
  %v5 = mul i64 %v2, %v4
  %v6 = mul i64 %v5, 4
  %v7 = mul i64 %v4, 4
  %v10 = add i64 %v6, %v9
  %v11 = sub i64 %v10, 1
  %v12 = sdiv i64 %v11, %v9
  %v13 = add i64 %v2, 1
  %v14 = sdiv i64 %v13, 1
  %v15 = icmp slt i64 %v2, 0
  %v16 = select i1 %v15, i64 0, i64 %v14
  %v17 = call i64 @llvm.smax.i64(i64 0, i64 %v7)
  %v18 = mul i64 %v16, %v7
  %v19 = call i64 @llvm.smin.i64(i64 %v6, i64 %v18)
  %v20 = add i64 %v2, -2
  %v21 = add i64 %v20, 1
  %v22 = sdiv i64 %v21, 1
  %v23 = icmp slt i64 %v20, 0
  %v24 = select i1 %v23, i64 0, i64 %v22
  %v25 = call i64 @llvm.smax.i64(i64 %v17, i64 0)
  %v26 = mul i64 %v24, %v7
  %v27 = call i64 @llvm.smin.i64(i64 %v19, i64 %v26)
  %v28 = call i64 @llvm.smin.i64(i64 %v25, i64 %v6)
  %v29 = call i64 @llvm.smax.i64(i64 %v27, i64 %v28)
  br label %head32
head32:
  %v33 = phi i64 [ %lo, %main ], [ %v34, %latch32 ]
  %v35 = icmp slt i64 %v33, %hi
  br i1 %v35, label %body32, label %end32
body32:
  %v36 = sdiv i64 %v33, %v12
  %v37 = mul i64 %v36, %v12
  %v38 = sub i64 %v33, %v37
  %v39 = mul i64 %v38, %v9
  %v40 = add i64 %v39, %v9
  %v41 = call i64 @llvm.smin.i64(i64 %v40, i64 %v6)
  %v42 = mul i64 %v36, %v31
  %v43 = add i64 %v42, %v31
  %v44 = call i64 @llvm.smin.i64(i64 %v43, i64 1)
  br label %head45
head45:
  %v46 = phi i64 [ %v42, %body32 ], [ %v47, %latch45 ]
  %v48 = icmp slt i64 %v46, %v44
  br i1 %v48, label %body45, label %end45
body45:
  %v49 = call i64 @llvm.smin.i64(i64 %v41, i64 %v28)
  %v50 = icmp slt i64 %v39, %v49
  br i1 %v50, label %then51, label %endif51
then51:
  call void @row_edge(ptr %block, i64 %v46, i64 %v39, i64 %v49)
  br label %endif51
endif51:
  %v52 = call i64 @llvm.smax.i64(i64 %v39, i64 %v28)
  %v53 = call i64 @llvm.smin.i64(i64 %v41, i64 %v29)
  %v54 = icmp slt i64 %v52, %v53
  br i1 %v54, label %then55, label %endif55
then55:
  call void @row_inside(ptr %block, i64 %v46, i64 %v52, i64 %v53)
  br label %endif55
endif55:
  %v56 = call i64 @llvm.smax.i64(i64 %v39, i64 %v29)
  %v57 = icmp slt i64 %v56, %v41
  br i1 %v57, label %then58, label %endif58
then58:
  call void @row_edge(ptr %block, i64 %v46, i64 %v56, i64 %v41)
  br label %endif58
endif58:
  br label %latch45
latch45:
  %v47 = add nsw i64 %v46, 1
  br label %head45
end45:
  br label %latch32
latch32:
  %v34 = add nsw i64 %v33, 1
  br label %head32
end32:
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

declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
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
  %v46 = mul i64 %v2, 4
  %v52 = add i64 %v2, -1
  %v53 = call i64 @llvm.smax.i64(i64 %v52, i64 0)
  %v59 = getelementptr inbounds i64, ptr %block, i64 2
  %v60 = load ptr, ptr %v59, align 8
  %v65 = fdiv float 0x0000000000000000, %v12
  %v66 = fmul contract float %v65, %v65
  %v67 = fmul contract float 0xBFE0000000000000, %v66
  %v68 = fcmp olt float %v67, 0xC05A400000000000
  %v69 = select i1 %v68, float 0xC05A400000000000, float %v67
  %v70 = fcmp ogt float %v69, 0x4056C00000000000
  %v71 = select i1 %v70, float 0x4056C00000000000, float %v69
  %v72 = call float @llvm.fmuladd.f32(float %v71, float 0x3FF7154760000000, float 0x4168000000000000)
  %v73 = fsub contract float %v72, 0x4168000000000000
  %v74 = bitcast float %v72 to i32
  %v75 = sub i32 %v74, 1262485504
  %v76 = call float @llvm.fmuladd.f32(float %v73, float 0xBFE6300000000000, float %v71)
  %v77 = call float @llvm.fmuladd.f32(float %v73, float 0x3F2BD01060000000, float %v76)
  %v78 = call float @llvm.fmuladd.f32(float %v77, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v79 = call float @llvm.fmuladd.f32(float %v78, float %v77, float 0x3F81110C60000000)
  %v80 = call float @llvm.fmuladd.f32(float %v79, float %v77, float 0x3FA5554EA0000000)
  %v81 = call float @llvm.fmuladd.f32(float %v80, float %v77, float 0x3FC5555560000000)
  %v82 = call float @llvm.fmuladd.f32(float %v81, float %v77, float 0x3FE0000000000000)
  %v83 = fmul contract float %v77, %v77
  %v84 = call float @llvm.fmuladd.f32(float %v82, float %v83, float %v77)
  %v85 = fadd contract float %v84, 0x3FF0000000000000
  %v86 = add i32 %v75, 0
  %v87 = ashr i32 %v86, 1
  %v88 = add i32 %v87, 127
  %v89 = shl i32 %v88, 23
  %v90 = bitcast i32 %v89 to float
  %v91 = fmul contract float %v85, %v90
  %v92 = sub i32 %v86, %v87
  %v93 = add i32 %v92, 127
  %v94 = shl i32 %v93, 23
  %v95 = bitcast i32 %v94 to float
  %v96 = fmul contract float %v91, %v95
  %v97 = fadd contract float %v45, %v96
  %v104 = fdiv float 0x3FF0000000000000, %v12
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
  %v136 = fadd contract float %v97, %v135
  %v151 = fdiv float 0x3FF0000000000000, %v136
  %v160 = getelementptr inbounds i64, ptr %block, i64 1
  %v161 = load ptr, ptr %v160, align 8
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
  %v47 = mul i64 %row, %v46
  %v48 = udiv i64 %v6, 4
  %v49 = mul i64 %v48, 4
  %v50 = sub i64 %v6, %v49
  %v51 = add i64 %v48, -1
  %v54 = call i64 @llvm.smax.i64(i64 %v51, i64 0)
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 %v53)
  %v56 = mul i64 %v55, 4
  %v57 = add i64 %v56, %v50
  %v58 = add i64 %v47, %v57
  %v61 = getelementptr inbounds float, ptr %v60, i64 %v58
  %v62 = load float, ptr %v61, align 4, !llvm.access.group !0, !alias.scope !4
  %v63 = fmul contract float %v44, %v62
  %v64 = fadd contract float 0x0000000000000000, %v63
  %v98 = mul i64 %row, %v46
  %v99 = add i64 %v98, %v6
  %v100 = getelementptr inbounds float, ptr %v60, i64 %v99
  %v101 = load float, ptr %v100, align 4, !llvm.access.group !0, !alias.scope !4
  %v102 = fmul contract float %v96, %v101
  %v103 = fadd contract float %v64, %v102
  %v137 = mul i64 %row, %v46
  %v138 = udiv i64 %v6, 4
  %v139 = mul i64 %v138, 4
  %v140 = sub i64 %v6, %v139
  %v141 = add i64 %v138, 1
  %v142 = call i64 @llvm.smax.i64(i64 %v141, i64 0)
  %v143 = call i64 @llvm.smin.i64(i64 %v142, i64 %v53)
  %v144 = mul i64 %v143, 4
  %v145 = add i64 %v144, %v140
  %v146 = add i64 %v137, %v145
  %v147 = getelementptr inbounds float, ptr %v60, i64 %v146
  %v148 = load float, ptr %v147, align 4, !llvm.access.group !0, !alias.scope !4
  %v149 = fmul contract float %v135, %v148
  %v150 = fadd contract float %v103, %v149
  %v152 = fmul contract float %v150, %v151
  %v153 = fcmp ogt float %v152, 0x0000000000000000
  %v154 = select i1 %v153, float %v152, float 0x0000000000000000
  %v155 = fcmp olt float %v154, 0x406FE00000000000
  %v156 = select i1 %v155, float %v154, float 0x406FE00000000000
  %v157 = fadd contract float %v156, 0x4160000000000000
  %v158 = bitcast float %v157 to i32
  %v159 = trunc i32 %v158 to i8
  %v162 = getelementptr inbounds i8, ptr %v161, i64 %v9
  store i8 %v159, ptr %v162, align 1, !noalias !4, !llvm.access.group !0
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5, !llvm.loop !1
end5:
  ret void
}

define internal void @row_inside(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 3
  %v11 = load double, ptr %v10, align 8
  %v12 = fptrunc double %v11 to float
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
  %v46 = mul i64 %v2, 4
  %v50 = getelementptr inbounds i64, ptr %block, i64 2
  %v51 = load ptr, ptr %v50, align 8
  %v56 = fdiv float 0x0000000000000000, %v12
  %v57 = fmul contract float %v56, %v56
  %v58 = fmul contract float 0xBFE0000000000000, %v57
  %v59 = fcmp olt float %v58, 0xC05A400000000000
  %v60 = select i1 %v59, float 0xC05A400000000000, float %v58
  %v61 = fcmp ogt float %v60, 0x4056C00000000000
  %v62 = select i1 %v61, float 0x4056C00000000000, float %v60
  %v63 = call float @llvm.fmuladd.f32(float %v62, float 0x3FF7154760000000, float 0x4168000000000000)
  %v64 = fsub contract float %v63, 0x4168000000000000
  %v65 = bitcast float %v63 to i32
  %v66 = sub i32 %v65, 1262485504
  %v67 = call float @llvm.fmuladd.f32(float %v64, float 0xBFE6300000000000, float %v62)
  %v68 = call float @llvm.fmuladd.f32(float %v64, float 0x3F2BD01060000000, float %v67)
  %v69 = call float @llvm.fmuladd.f32(float %v68, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v70 = call float @llvm.fmuladd.f32(float %v69, float %v68, float 0x3F81110C60000000)
  %v71 = call float @llvm.fmuladd.f32(float %v70, float %v68, float 0x3FA5554EA0000000)
  %v72 = call float @llvm.fmuladd.f32(float %v71, float %v68, float 0x3FC5555560000000)
  %v73 = call float @llvm.fmuladd.f32(float %v72, float %v68, float 0x3FE0000000000000)
  %v74 = fmul contract float %v68, %v68
  %v75 = call float @llvm.fmuladd.f32(float %v73, float %v74, float %v68)
  %v76 = fadd contract float %v75, 0x3FF0000000000000
  %v77 = add i32 %v66, 0
  %v78 = ashr i32 %v77, 1
  %v79 = add i32 %v78, 127
  %v80 = shl i32 %v79, 23
  %v81 = bitcast i32 %v80 to float
  %v82 = fmul contract float %v76, %v81
  %v83 = sub i32 %v77, %v78
  %v84 = add i32 %v83, 127
  %v85 = shl i32 %v84, 23
  %v86 = bitcast i32 %v85 to float
  %v87 = fmul contract float %v82, %v86
  %v88 = fadd contract float %v45, %v87
  %v95 = fdiv float 0x3FF0000000000000, %v12
  %v96 = fmul contract float %v95, %v95
  %v97 = fmul contract float 0xBFE0000000000000, %v96
  %v98 = fcmp olt float %v97, 0xC05A400000000000
  %v99 = select i1 %v98, float 0xC05A400000000000, float %v97
  %v100 = fcmp ogt float %v99, 0x4056C00000000000
  %v101 = select i1 %v100, float 0x4056C00000000000, float %v99
  %v102 = call float @llvm.fmuladd.f32(float %v101, float 0x3FF7154760000000, float 0x4168000000000000)
  %v103 = fsub contract float %v102, 0x4168000000000000
  %v104 = bitcast float %v102 to i32
  %v105 = sub i32 %v104, 1262485504
  %v106 = call float @llvm.fmuladd.f32(float %v103, float 0xBFE6300000000000, float %v101)
  %v107 = call float @llvm.fmuladd.f32(float %v103, float 0x3F2BD01060000000, float %v106)
  %v108 = call float @llvm.fmuladd.f32(float %v107, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v109 = call float @llvm.fmuladd.f32(float %v108, float %v107, float 0x3F81110C60000000)
  %v110 = call float @llvm.fmuladd.f32(float %v109, float %v107, float 0x3FA5554EA0000000)
  %v111 = call float @llvm.fmuladd.f32(float %v110, float %v107, float 0x3FC5555560000000)
  %v112 = call float @llvm.fmuladd.f32(float %v111, float %v107, float 0x3FE0000000000000)
  %v113 = fmul contract float %v107, %v107
  %v114 = call float @llvm.fmuladd.f32(float %v112, float %v113, float %v107)
  %v115 = fadd contract float %v114, 0x3FF0000000000000
  %v116 = add i32 %v105, 0
  %v117 = ashr i32 %v116, 1
  %v118 = add i32 %v117, 127
  %v119 = shl i32 %v118, 23
  %v120 = bitcast i32 %v119 to float
  %v121 = fmul contract float %v115, %v120
  %v122 = sub i32 %v116, %v117
  %v123 = add i32 %v122, 127
  %v124 = shl i32 %v123, 23
  %v125 = bitcast i32 %v124 to float
  %v126 = fmul contract float %v121, %v125
  %v127 = fadd contract float %v88, %v126
  %v135 = fdiv float 0x3FF0000000000000, %v127
  %v144 = getelementptr inbounds i64, ptr %block, i64 1
  %v145 = load ptr, ptr %v144, align 8
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
  %v47 = mul i64 %row, %v46
  %v48 = add i64 %v6, -4
  %v49 = add i64 %v47, %v48
  %v52 = getelementptr inbounds float, ptr %v51, i64 %v49
  %v53 = load float, ptr %v52, align 4, !llvm.access.group !5, !alias.scope !4
  %v54 = fmul contract float %v44, %v53
  %v55 = fadd contract float 0x0000000000000000, %v54
  %v89 = mul i64 %row, %v46
  %v90 = add i64 %v89, %v6
  %v91 = getelementptr inbounds float, ptr %v51, i64 %v90
  %v92 = load float, ptr %v91, align 4, !llvm.access.group !5, !alias.scope !4
  %v93 = fmul contract float %v87, %v92
  %v94 = fadd contract float %v55, %v93
  %v128 = mul i64 %row, %v46
  %v129 = add i64 %v6, 4
  %v130 = add i64 %v128, %v129
  %v131 = getelementptr inbounds float, ptr %v51, i64 %v130
  %v132 = load float, ptr %v131, align 4, !llvm.access.group !5, !alias.scope !4
  %v133 = fmul contract float %v126, %v132
  %v134 = fadd contract float %v94, %v133
  %v136 = fmul contract float %v134, %v135
  %v137 = fcmp ogt float %v136, 0x0000000000000000
  %v138 = select i1 %v137, float %v136, float 0x0000000000000000
  %v139 = fcmp olt float %v138, 0x406FE00000000000
  %v140 = select i1 %v139, float %v138, float 0x406FE00000000000
  %v141 = fadd contract float %v140, 0x4160000000000000
  %v142 = bitcast float %v141 to i32
  %v143 = trunc i32 %v142 to i8
  %v146 = getelementptr inbounds i8, ptr %v145, i64 %v9
  store i8 %v143, ptr %v146, align 1, !noalias !4, !llvm.access.group !5
  br label %latch5
latch5:
  %v7 = add nsw i64 %v6, 1
  br label %head5, !llvm.loop !6
end5:
  ret void
}

define internal void @weft_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v4 = getelementptr inbounds i64, ptr %block, i64 6
  %v5 = load i64, ptr %v4, align 8
  %v26 = getelementptr inbounds i64, ptr %block, i64 4
  %v27 = load i64, ptr %v26, align 8
  %v28 = getelementptr inbounds i64, ptr %block, i64 7
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
