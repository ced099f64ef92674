declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.ctlz.i64(i64, i1)
define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %block, i64 5
  %v6 = load i64, ptr %v5, align 8
  %v7 = alloca <32 x float>, align 64
  %v8 = alloca [1152 x float], align 64
  %v9 = alloca i64, align 64
  %v10 = alloca i64, align 64
  %v11 = alloca float, align 64
  %v12 = alloca [36 x float], align 64
  %v13 = alloca i64, align 64
  %v14 = alloca i64, align 64
  %v25 = getelementptr inbounds i64, ptr %block, i64 6
  %v26 = load i64, ptr %v25, align 8
  %v30 = getelementptr inbounds i64, ptr %block, i64 7
  %v31 = load i64, ptr %v30, align 8
  %v47 = getelementptr inbounds i64, ptr %block, i64 2
  %v48 = load ptr, ptr %v47, align 8
  %v65 = alloca <32 x float>, align 64
  %v100 = alloca float, align 64
  %v115 = alloca float, align 64
  %v118 = alloca float, align 64
  %v140 = alloca <32 x float>, align 64
  %v178 = getelementptr inbounds i64, ptr %block, i64 1
  %v179 = load ptr, ptr %v178, align 8
  %v183 = getelementptr inbounds i64, ptr %block, i64 0
  %v184 = load ptr, ptr %v183, align 8
  %v185 = getelementptr inbounds i64, ptr %block, i64 8
  %v186 = load i64, ptr %v185, align 8
  br label %main
main:
  br label %head15
head15:
  %v16 = phi i64 [ %lo, %main ], [ %v17, %latch15 ]
  %v18 = icmp slt i64 %v16, %hi
  br i1 %v18, label %body15, label %end15
body15:
  %v19 = udiv i64 %v16, %v4
  %v20 = mul i64 %v19, %v4
  %v21 = sub i64 %v16, %v20
  %v22 = udiv i64 %v21, %v6
  %v23 = mul i64 %v22, %v6
  %v24 = sub i64 %v21, %v23
  %v27 = mul i64 %v24, %v26
  %v28 = add i64 %v27, %v26
  %v29 = call i64 @llvm.smin.i64(i64 %v28, i64 %v2)
  %v32 = mul i64 %v22, %v31
  %v33 = add i64 %v32, %v31
  %v34 = call i64 @llvm.smin.i64(i64 %v33, i64 1)
  %v35 = sub i64 %v29, %v27
  %v36 = sdiv i64 %v35, 32
  %v37 = mul i64 %v36, 32
  %v38 = add i64 %v27, %v37
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v7, align 4
  store i64 0, ptr %v9, align 8
  store i64 0, ptr %v10, align 8
  store float 0x0000000000000000, ptr %v11, align 4
  store i64 0, ptr %v13, align 8
  store i64 0, ptr %v14, align 8
  br label %head39
head39:
  %v40 = phi i64 [ %v32, %body15 ], [ %v41, %latch39 ]
  %v42 = icmp slt i64 %v40, %v34
  br i1 %v42, label %body39, label %end39
body39:
  br label %head43
head43:
  %v44 = phi i64 [ %v27, %body39 ], [ %v45, %latch43 ]
  %v46 = icmp slt i64 %v44, %v38
  br i1 %v46, label %body43, label %end43
body43:
  %v49 = getelementptr inbounds float, ptr %v48, i64 %v44
  %v50 = load <32 x float>, ptr %v49, align 4
  %v51 = load <32 x float>, ptr %v7, align 4
  %v52 = fadd <32 x float> %v51, %v50
  store <32 x float> %v52, ptr %v7, align 4
  %v53 = load i64, ptr %v10, align 8
  %v54 = add i64 %v53, 1
  store i64 %v54, ptr %v10, align 8
  %v55 = and i64 %v54, 15
  %v56 = icmp eq i64 %v55, 0
  br i1 %v56, label %then57, label %endif57
then57:
  %v58 = load <32 x float>, ptr %v7, align 4
  %v59 = load i64, ptr %v9, align 8
  %v60 = add i64 %v59, 1
  store i64 %v60, ptr %v9, align 8
  %v61 = sub i64 0, %v60
  %v62 = and i64 %v60, %v61
  %v63 = sub i64 %v62, 1
  %v64 = call i64 @llvm.ctpop.i64(i64 %v63)
  store <32 x float> %v58, ptr %v65, align 4
  br label %head66
head66:
  %v67 = phi i64 [ 0, %then57 ], [ %v68, %latch66 ]
  %v69 = icmp slt i64 %v67, %v64
  br i1 %v69, label %body66, label %end66
body66:
  %v70 = mul i64 %v67, 32
  %v71 = add i64 %v70, 0
  %v72 = getelementptr inbounds float, ptr %v8, i64 %v71
  %v73 = load <32 x float>, ptr %v72, align 4
  %v74 = load <32 x float>, ptr %v65, align 4
  %v75 = fadd <32 x float> %v73, %v74
  store <32 x float> %v75, ptr %v65, align 4
  br label %latch66
latch66:
  %v68 = add nsw i64 %v67, 1
  br label %head66
end66:
  %v76 = load <32 x float>, ptr %v65, align 4
  %v77 = mul i64 %v64, 32
  %v78 = add i64 %v77, 0
  %v79 = getelementptr inbounds float, ptr %v8, i64 %v78
  store <32 x float> %v76, ptr %v79, align 4
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v7, align 4
  br label %endif57
endif57:
  br label %latch43
latch43:
  %v45 = add nsw i64 %v44, 32
  br label %head43
end43:
  br label %head80
head80:
  %v81 = phi i64 [ %v38, %end43 ], [ %v82, %latch80 ]
  %v83 = icmp slt i64 %v81, %v29
  br i1 %v83, label %body80, label %end80
body80:
  %v84 = getelementptr inbounds float, ptr %v48, i64 %v81
  %v85 = load float, ptr %v84, align 4
  %v86 = load float, ptr %v11, align 4
  %v87 = fadd float %v86, %v85
  store float %v87, ptr %v11, align 4
  %v88 = load i64, ptr %v14, align 8
  %v89 = add i64 %v88, 1
  store i64 %v89, ptr %v14, align 8
  %v90 = and i64 %v89, 15
  %v91 = icmp eq i64 %v90, 0
  br i1 %v91, label %then92, label %endif92
then92:
  %v93 = load float, ptr %v11, align 4
  %v94 = load i64, ptr %v13, align 8
  %v95 = add i64 %v94, 1
  store i64 %v95, ptr %v13, align 8
  %v96 = sub i64 0, %v95
  %v97 = and i64 %v95, %v96
  %v98 = sub i64 %v97, 1
  %v99 = call i64 @llvm.ctpop.i64(i64 %v98)
  store float %v93, ptr %v100, align 4
  br label %head101
head101:
  %v102 = phi i64 [ 0, %then92 ], [ %v103, %latch101 ]
  %v104 = icmp slt i64 %v102, %v99
  br i1 %v104, label %body101, label %end101
body101:
  %v105 = mul i64 %v102, 1
  %v106 = add i64 %v105, 0
  %v107 = getelementptr inbounds float, ptr %v12, i64 %v106
  %v108 = load float, ptr %v107, align 4
  %v109 = load float, ptr %v100, align 4
  %v110 = fadd float %v108, %v109
  store float %v110, ptr %v100, align 4
  br label %latch101
latch101:
  %v103 = add nsw i64 %v102, 1
  br label %head101
end101:
  %v111 = load float, ptr %v100, align 4
  %v112 = mul i64 %v99, 1
  %v113 = add i64 %v112, 0
  %v114 = getelementptr inbounds float, ptr %v12, i64 %v113
  store float %v111, ptr %v114, align 4
  store float 0x0000000000000000, ptr %v11, align 4
  br label %endif92
endif92:
  br label %latch80
latch80:
  %v82 = add nsw i64 %v81, 1
  br label %head80
end80:
  br label %latch39
latch39:
  %v41 = add nsw i64 %v40, 1
  br label %head39
end39:
  %v116 = load float, ptr %v11, align 4
  %v117 = load i64, ptr %v13, align 8
  store float %v116, ptr %v118, align 4
  %v119 = call i64 @llvm.ctlz.i64(i64 %v117, i1 false)
  %v120 = sub i64 64, %v119
  br label %head121
head121:
  %v122 = phi i64 [ 0, %end39 ], [ %v123, %latch121 ]
  %v124 = icmp slt i64 %v122, %v120
  br i1 %v124, label %body121, label %end121
body121:
  %v125 = lshr i64 %v117, %v122
  %v126 = and i64 %v125, 1
  %v127 = icmp eq i64 %v126, 1
  br i1 %v127, label %then128, label %endif128
then128:
  %v129 = mul i64 %v122, 1
  %v130 = add i64 %v129, 0
  %v131 = getelementptr inbounds float, ptr %v12, i64 %v130
  %v132 = load float, ptr %v131, align 4
  %v133 = load float, ptr %v118, align 4
  %v134 = fadd float %v132, %v133
  store float %v134, ptr %v118, align 4
  br label %endif128
endif128:
  br label %latch121
latch121:
  %v123 = add nsw i64 %v122, 1
  br label %head121
end121:
  %v135 = load float, ptr %v118, align 4
  store float %v135, ptr %v115, align 4
  %v136 = icmp sgt i64 %v36, 0
  br i1 %v136, label %then137, label %endif137
then137:
  %v138 = load <32 x float>, ptr %v7, align 4
  %v139 = load i64, ptr %v9, align 8
  store <32 x float> %v138, ptr %v140, align 4
  %v141 = call i64 @llvm.ctlz.i64(i64 %v139, i1 false)
  %v142 = sub i64 64, %v141
  br label %head143
head143:
  %v144 = phi i64 [ 0, %then137 ], [ %v145, %latch143 ]
  %v146 = icmp slt i64 %v144, %v142
  br i1 %v146, label %body143, label %end143
body143:
  %v147 = lshr i64 %v139, %v144
  %v148 = and i64 %v147, 1
  %v149 = icmp eq i64 %v148, 1
  br i1 %v149, label %then150, label %endif150
then150:
  %v151 = mul i64 %v144, 32
  %v152 = add i64 %v151, 0
  %v153 = getelementptr inbounds float, ptr %v8, i64 %v152
  %v154 = load <32 x float>, ptr %v153, align 4
  %v155 = load <32 x float>, ptr %v140, align 4
  %v156 = fadd <32 x float> %v154, %v155
  store <32 x float> %v156, ptr %v140, align 4
  br label %endif150
endif150:
  br label %latch143
latch143:
  %v145 = add nsw i64 %v144, 1
  br label %head143
end143:
  %v157 = load <32 x float>, ptr %v140, align 4
  %v158 = shufflevector <32 x float> %v157, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v159 = shufflevector <32 x float> %v157, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v160 = fadd <16 x float> %v158, %v159
  %v161 = shufflevector <16 x float> %v160, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v162 = shufflevector <16 x float> %v160, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v163 = fadd <8 x float> %v161, %v162
  %v164 = shufflevector <8 x float> %v163, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v165 = shufflevector <8 x float> %v163, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v166 = fadd <4 x float> %v164, %v165
  %v167 = shufflevector <4 x float> %v166, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v168 = shufflevector <4 x float> %v166, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v169 = fadd <2 x float> %v167, %v168
  %v170 = extractelement <2 x float> %v169, i64 0
  %v171 = extractelement <2 x float> %v169, i64 1
  %v172 = fadd float %v170, %v171
  %v173 = load float, ptr %v115, align 4
  %v174 = fadd float %v172, %v173
  store float %v174, ptr %v115, align 4
  br label %endif137
endif137:
  %v175 = load float, ptr %v115, align 4
  %v176 = icmp eq i64 %v4, 1
  br i1 %v176, label %then177, label %endif177
then177:
  %v180 = getelementptr inbounds float, ptr %v179, i64 %v19
  store float %v175, ptr %v180, align 4, !noalias !2
  br label %endif177
endif177:
  %v181 = xor i1 %v176, true
  br i1 %v181, label %then182, label %endif182
then182:
  %v187 = getelementptr inbounds i64, ptr %v184, i64 0
  %v188 = getelementptr inbounds float, ptr %v187, i64 %v16
  store float %v175, ptr %v188, align 4
  br label %endif182
endif182:
  br label %latch15
latch15:
  %v17 = add nsw i64 %v16, 1
  br label %head15
end15:
  ret void
}

define internal void @treadle_merge(ptr %block) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = alloca float, align 64
  %v4 = alloca [36 x float], align 64
  %v5 = alloca i64, align 64
  %v16 = getelementptr inbounds i64, ptr %block, i64 0
  %v17 = load ptr, ptr %v16, align 8
  %v18 = getelementptr inbounds i64, ptr %block, i64 8
  %v19 = load i64, ptr %v18, align 8
  %v37 = alloca float, align 64
  %v54 = alloca float, align 64
  %v74 = getelementptr inbounds i64, ptr %block, i64 1
  %v75 = load ptr, ptr %v74, align 8
  br label %main
main:
  %v6 = icmp sgt i64 %v2, 1
  br i1 %v6, label %then7, label %endif7
then7:
  br label %head8
head8:
  %v9 = phi i64 [ 0, %then7 ], [ %v10, %latch8 ]
  %v11 = icmp slt i64 %v9, 1
  br i1 %v11, label %body8, label %end8
body8:
  br label %head12
head12:
  %v13 = phi i64 [ 0, %body8 ], [ %v14, %latch12 ]
  %v15 = icmp slt i64 %v13, 1
  br i1 %v15, label %body12, label %end12
body12:
  %v20 = getelementptr inbounds i64, ptr %v17, i64 0
  store float 0x0000000000000000, ptr %v3, align 4
  store i64 0, ptr %v5, align 8
  br label %head21
head21:
  %v22 = phi i64 [ 0, %body12 ], [ %v23, %latch21 ]
  %v24 = icmp slt i64 %v22, %v2
  br i1 %v24, label %body21, label %end21
body21:
  %v25 = mul i64 %v9, %v2
  %v26 = add i64 %v25, %v22
  %v27 = mul i64 %v26, 1
  %v28 = add i64 %v27, %v13
  %v29 = getelementptr inbounds float, ptr %v20, i64 %v28
  %v30 = load float, ptr %v29, align 4
  %v31 = load i64, ptr %v5, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v5, align 8
  %v33 = sub i64 0, %v32
  %v34 = and i64 %v32, %v33
  %v35 = sub i64 %v34, 1
  %v36 = call i64 @llvm.ctpop.i64(i64 %v35)
  store float %v30, ptr %v37, align 4
  br label %head38
head38:
  %v39 = phi i64 [ 0, %body21 ], [ %v40, %latch38 ]
  %v41 = icmp slt i64 %v39, %v36
  br i1 %v41, label %body38, label %end38
body38:
  %v42 = mul i64 %v39, 1
  %v43 = add i64 %v42, 0
  %v44 = getelementptr inbounds float, ptr %v4, i64 %v43
  %v45 = load float, ptr %v44, align 4
  %v46 = load float, ptr %v37, align 4
  %v47 = fadd float %v45, %v46
  store float %v47, ptr %v37, align 4
  br label %latch38
latch38:
  %v40 = add nsw i64 %v39, 1
  br label %head38
end38:
  %v48 = load float, ptr %v37, align 4
  %v49 = mul i64 %v36, 1
  %v50 = add i64 %v49, 0
  %v51 = getelementptr inbounds float, ptr %v4, i64 %v50
  store float %v48, ptr %v51, align 4
  br label %latch21
latch21:
  %v23 = add nsw i64 %v22, 1
  br label %head21
end21:
  %v52 = load float, ptr %v3, align 4
  %v53 = load i64, ptr %v5, align 8
  store float %v52, ptr %v54, align 4
  %v55 = call i64 @llvm.ctlz.i64(i64 %v53, i1 false)
  %v56 = sub i64 64, %v55
  br label %head57
head57:
  %v58 = phi i64 [ 0, %end21 ], [ %v59, %latch57 ]
  %v60 = icmp slt i64 %v58, %v56
  br i1 %v60, label %body57, label %end57
body57:
  %v61 = lshr i64 %v53, %v58
  %v62 = and i64 %v61, 1
  %v63 = icmp eq i64 %v62, 1
  br i1 %v63, label %then64, label %endif64
then64:
  %v65 = mul i64 %v58, 1
  %v66 = add i64 %v65, 0
  %v67 = getelementptr inbounds float, ptr %v4, i64 %v66
  %v68 = load float, ptr %v67, align 4
  %v69 = load float, ptr %v54, align 4
  %v70 = fadd float %v68, %v69
  store float %v70, ptr %v54, align 4
  br label %endif64
endif64:
  br label %latch57
latch57:
  %v59 = add nsw i64 %v58, 1
  br label %head57
end57:
  %v71 = load float, ptr %v54, align 4
  %v72 = mul i64 %v9, 1
  %v73 = add i64 %v72, %v13
  %v76 = getelementptr inbounds float, ptr %v75, i64 %v73
  store float %v71, ptr %v76, align 4, !noalias !2
  br label %latch12
latch12:
  %v14 = add nsw i64 %v13, 1
  br label %head12
end12:
  br label %latch8
latch8:
  %v10 = add nsw i64 %v9, 1
  br label %head8
end8:
  br label %endif7
endif7:
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
