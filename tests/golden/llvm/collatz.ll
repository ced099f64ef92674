declare i64 @llvm.smax.i64(i64, i64)
declare i1 @llvm.vector.reduce.or.v16i1(<16 x i1>)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 2
  %v15 = load ptr, ptr %v14, align 8
  %v18 = alloca <16 x i32>, align 64
  %v19 = alloca <16 x i32>, align 64
  %v20 = alloca <16 x i1>, align 64
  %v91 = getelementptr inbounds i64, ptr %block, i64 1
  %v92 = load ptr, ptr %v91, align 8
  %v101 = alloca i32, align 64
  %v102 = alloca i32, align 64
  br label %main
main:
  %v3 = mul i64 %row, %v2
  %v4 = sub i64 %hi, %lo
  %v5 = sdiv i64 %v4, 16
  %v6 = call i64 @llvm.smax.i64(i64 %v5, i64 0)
  %v7 = mul i64 %v6, 16
  %v8 = add i64 %lo, %v7
  br label %head9
head9:
  %v10 = phi i64 [ %lo, %main ], [ %v11, %latch9 ]
  %v12 = icmp slt i64 %v10, %v8
  br i1 %v12, label %body9, label %end9
body9:
  %v13 = add i64 %v3, %v10
  %v16 = getelementptr inbounds i32, ptr %v15, i64 %v10
  %v17 = load <16 x i32>, ptr %v16, align 4
  store <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>, ptr %v18, align 1
  store <16 x i32> %v17, ptr %v19, align 1
  store <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, ptr %v20, align 1
  br label %head22
head22:
  %v23 = phi i64 [ 0, %body9 ], [ %v24, %latch22 ]
  %v25 = icmp slt i64 %v23, 1048576
  br i1 %v25, label %body22, label %end22
body22:
  %v26 = load <16 x i32>, ptr %v18, align 1
  %v27 = load <16 x i32>, ptr %v19, align 1
  %v28 = icmp sgt <16 x i32> %v27, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v29 = icmp slt <16 x i32> %v26, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %v30 = and <16 x i1> %v28, %v29
  %v31 = load <16 x i32>, ptr %v18, align 1
  %v32 = load <16 x i1>, ptr %v20, align 1
  %v33 = select <16 x i1> %v32, <16 x i32> %v26, <16 x i32> %v31
  store <16 x i32> %v33, ptr %v18, align 1
  %v34 = load <16 x i32>, ptr %v19, align 1
  %v35 = load <16 x i1>, ptr %v20, align 1
  %v36 = select <16 x i1> %v35, <16 x i32> %v27, <16 x i32> %v34
  store <16 x i32> %v36, ptr %v19, align 1
  %v37 = load <16 x i1>, ptr %v20, align 1
  %v38 = and <16 x i1> %v37, %v30
  store <16 x i1> %v38, ptr %v20, align 1
  %v39 = call i1 @llvm.vector.reduce.or.v16i1(<16 x i1> %v38)
  br i1 %v39, label %go21, label %done21
go21:
  %v40 = icmp eq i32 2, 0
  %v41 = icmp eq i32 2, -1
  %v42 = icmp eq <16 x i32> %v27, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>
  %v43 = insertelement <16 x i1> poison, i1 %v41, i64 0
  %v44 = shufflevector <16 x i1> %v43, <16 x i1> poison, <16 x i32> zeroinitializer
  %v45 = and <16 x i1> %v44, %v42
  %v46 = insertelement <16 x i1> poison, i1 %v40, i64 0
  %v47 = shufflevector <16 x i1> %v46, <16 x i1> poison, <16 x i32> zeroinitializer
  %v48 = or <16 x i1> %v47, %v45
  %v49 = select <16 x i1> %v48, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %v50 = sdiv <16 x i32> %v27, %v49
  %v51 = srem <16 x i32> %v27, %v49
  %v52 = icmp ne <16 x i32> %v51, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v53 = xor <16 x i32> %v51, %v49
  %v54 = icmp slt <16 x i32> %v53, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v55 = and <16 x i1> %v52, %v54
  %v56 = add <16 x i32> %v51, %v49
  %v57 = select <16 x i1> %v55, <16 x i32> %v56, <16 x i32> %v51
  %v58 = select i1 %v40, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>, <16 x i32> %v57
  %v59 = icmp eq <16 x i32> %v58, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v60 = icmp eq i32 2, 0
  %v61 = icmp eq i32 2, -1
  %v62 = icmp eq <16 x i32> %v27, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>
  %v63 = insertelement <16 x i1> poison, i1 %v61, i64 0
  %v64 = shufflevector <16 x i1> %v63, <16 x i1> poison, <16 x i32> zeroinitializer
  %v65 = and <16 x i1> %v64, %v62
  %v66 = insertelement <16 x i1> poison, i1 %v60, i64 0
  %v67 = shufflevector <16 x i1> %v66, <16 x i1> poison, <16 x i32> zeroinitializer
  %v68 = or <16 x i1> %v67, %v65
  %v69 = select <16 x i1> %v68, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %v70 = sdiv <16 x i32> %v27, %v69
  %v71 = srem <16 x i32> %v27, %v69
  %v72 = icmp ne <16 x i32> %v71, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v73 = xor <16 x i32> %v71, %v69
  %v74 = icmp slt <16 x i32> %v73, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v75 = and <16 x i1> %v72, %v74
  %v76 = sub <16 x i32> %v70, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v77 = select <16 x i1> %v75, <16 x i32> %v76, <16 x i32> %v70
  %v78 = select i1 %v60, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>, <16 x i32> %v77
  %v79 = mul <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>, %v27
  %v80 = add <16 x i32> %v79, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v81 = select <16 x i1> %v59, <16 x i32> %v78, <16 x i32> %v80
  %v82 = add <16 x i32> %v26, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v83 = load <16 x i32>, ptr %v18, align 1
  %v84 = load <16 x i1>, ptr %v20, align 1
  %v85 = select <16 x i1> %v84, <16 x i32> %v82, <16 x i32> %v83
  store <16 x i32> %v85, ptr %v18, align 1
  %v86 = load <16 x i32>, ptr %v19, align 1
  %v87 = load <16 x i1>, ptr %v20, align 1
  %v88 = select <16 x i1> %v87, <16 x i32> %v81, <16 x i32> %v86
  store <16 x i32> %v88, ptr %v19, align 1
  br label %latch22
latch22:
  %v24 = add nsw i64 %v23, 1
  br label %head22
end22:
  br label %done21
done21:
  %v89 = load <16 x i32>, ptr %v18, align 1
  %v90 = load <16 x i32>, ptr %v19, align 1
  %v93 = getelementptr inbounds i32, ptr %v92, i64 %v13
  store <16 x i32> %v89, ptr %v93, align 4, !noalias !2
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 16
  br label %head9
end9:
  br label %head94
head94:
  %v95 = phi i64 [ %v8, %end9 ], [ %v96, %latch94 ]
  %v97 = icmp slt i64 %v95, %hi
  br i1 %v97, label %body94, label %end94
body94:
  %v98 = add i64 %v3, %v95
  %v99 = getelementptr inbounds i32, ptr %v15, i64 %v95
  %v100 = load i32, ptr %v99, align 4
  store i32 0, ptr %v101, align 1
  store i32 %v100, ptr %v102, align 1
  br label %head104
head104:
  %v105 = phi i64 [ 0, %body94 ], [ %v106, %latch104 ]
  %v107 = icmp slt i64 %v105, 1048576
  br i1 %v107, label %body104, label %end104
body104:
  %v108 = load i32, ptr %v101, align 1
  %v109 = load i32, ptr %v102, align 1
  %v110 = icmp sgt i32 %v109, 1
  %v111 = icmp slt i32 %v108, 100
  %v112 = and i1 %v110, %v111
  store i32 %v108, ptr %v101, align 1
  store i32 %v109, ptr %v102, align 1
  br i1 %v112, label %go103, label %done103
go103:
  %v113 = icmp eq i32 2, 0
  %v114 = icmp eq i32 2, -1
  %v115 = icmp eq i32 %v109, -2147483648
  %v116 = and i1 %v114, %v115
  %v117 = or i1 %v113, %v116
  %v118 = select i1 %v117, i32 1, i32 2
  %v119 = sdiv i32 %v109, %v118
  %v120 = srem i32 %v109, %v118
  %v121 = icmp ne i32 %v120, 0
  %v122 = xor i32 %v120, %v118
  %v123 = icmp slt i32 %v122, 0
  %v124 = and i1 %v121, %v123
  %v125 = add i32 %v120, %v118
  %v126 = select i1 %v124, i32 %v125, i32 %v120
  %v127 = select i1 %v113, i32 0, i32 %v126
  %v128 = icmp eq i32 %v127, 0
  %v129 = icmp eq i32 2, 0
  %v130 = icmp eq i32 2, -1
  %v131 = icmp eq i32 %v109, -2147483648
  %v132 = and i1 %v130, %v131
  %v133 = or i1 %v129, %v132
  %v134 = select i1 %v133, i32 1, i32 2
  %v135 = sdiv i32 %v109, %v134
  %v136 = srem i32 %v109, %v134
  %v137 = icmp ne i32 %v136, 0
  %v138 = xor i32 %v136, %v134
  %v139 = icmp slt i32 %v138, 0
  %v140 = and i1 %v137, %v139
  %v141 = sub i32 %v135, 1
  %v142 = select i1 %v140, i32 %v141, i32 %v135
  %v143 = select i1 %v129, i32 0, i32 %v142
  %v144 = mul i32 3, %v109
  %v145 = add i32 %v144, 1
  %v146 = select i1 %v128, i32 %v143, i32 %v145
  %v147 = add i32 %v108, 1
  store i32 %v147, ptr %v101, align 1
  store i32 %v146, ptr %v102, align 1
  br label %latch104
latch104:
  %v106 = add nsw i64 %v105, 1
  br label %head104
end104:
  br label %done103
done103:
  %v148 = load i32, ptr %v101, align 1
  %v149 = load i32, ptr %v102, align 1
  %v150 = getelementptr inbounds i32, ptr %v92, i64 %v98
  store i32 %v148, ptr %v150, align 4, !noalias !2
  br label %latch94
latch94:
  %v96 = add nsw i64 %v95, 1
  br label %head94, !llvm.loop !3
end94:
  ret void
}

define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 5
  %v11 = load i64, ptr %v10, align 8
  br label %main
main:
  %v5 = add i64 %v2, %v4
  %v6 = sub i64 %v5, 1
  %v7 = sdiv i64 %v6, %v4
  %v8 = call i64 @llvm.smin.i64(i64 0, i64 %v2)
  %v9 = call i64 @llvm.smax.i64(i64 %v2, i64 %v8)
  br label %head12
head12:
  %v13 = phi i64 [ %lo, %main ], [ %v14, %latch12 ]
  %v15 = icmp slt i64 %v13, %hi
  br i1 %v15, label %body12, label %end12
body12:
  %v16 = sdiv i64 %v13, %v7
  %v17 = mul i64 %v16, %v7
  %v18 = sub i64 %v13, %v17
  %v19 = mul i64 %v18, %v4
  %v20 = add i64 %v19, %v4
  %v21 = call i64 @llvm.smin.i64(i64 %v20, i64 %v2)
  %v22 = mul i64 %v16, %v11
  %v23 = add i64 %v22, %v11
  %v24 = call i64 @llvm.smin.i64(i64 %v23, i64 1)
  br label %head25
head25:
  %v26 = phi i64 [ %v22, %body12 ], [ %v27, %latch25 ]
  %v28 = icmp slt i64 %v26, %v24
  br i1 %v28, label %body25, label %end25
body25:
  %v29 = icmp slt i64 %v19, %v21
  br i1 %v29, label %then30, label %endif30
then30:
  call void @row_edge(ptr %block, i64 %v26, i64 %v19, i64 %v21)
  br label %endif30
endif30:
  br label %latch25
latch25:
  %v27 = add nsw i64 %v26, 1
  br label %head25
end25:
  br label %latch12
latch12:
  %v14 = add nsw i64 %v13, 1
  br label %head12
end12:
  ret void
}

define dso_local void @treadle_finish(ptr %block) nounwind {
start:
  br label %main
main:
  ret void
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
!3 = distinct !{!3, !{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}}
