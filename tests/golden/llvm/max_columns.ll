declare i64 @llvm.smin.i64(i64, i64)
declare <32 x i32> @llvm.smax.v32i32(<32 x i32>, <32 x i32>)
declare i32 @llvm.smax.i32(i32, i32)
define dso_local void @treadle_run(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 3
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %block, i64 5
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr inbounds i64, ptr %block, i64 6
  %v8 = load i64, ptr %v7, align 8
  %v9 = alloca [512 x i32], align 64
  %v17 = getelementptr inbounds i64, ptr %block, i64 7
  %v18 = load i64, ptr %v17, align 8
  %v25 = getelementptr inbounds i64, ptr %block, i64 8
  %v26 = load i64, ptr %v25, align 8
  %v58 = getelementptr inbounds i64, ptr %block, i64 2
  %v59 = load ptr, ptr %v58, align 8
  %v121 = getelementptr inbounds i64, ptr %block, i64 1
  %v122 = load ptr, ptr %v121, align 8
  %v126 = getelementptr inbounds i64, ptr %block, i64 0
  %v127 = load ptr, ptr %v126, align 8
  %v128 = getelementptr inbounds i64, ptr %block, i64 9
  %v129 = load i64, ptr %v128, align 8
  br label %main
main:
  br label %head10
head10:
  %v11 = phi i64 [ %lo, %main ], [ %v12, %latch10 ]
  %v13 = icmp slt i64 %v11, %hi
  br i1 %v13, label %body10, label %end10
body10:
  %v14 = udiv i64 %v11, %v8
  %v15 = mul i64 %v14, %v8
  %v16 = sub i64 %v11, %v15
  %v19 = mul i64 %v16, %v18
  %v20 = add i64 %v19, %v18
  %v21 = call i64 @llvm.smin.i64(i64 %v20, i64 %v2)
  %v22 = udiv i64 %v14, %v6
  %v23 = mul i64 %v22, %v6
  %v24 = sub i64 %v14, %v23
  %v27 = mul i64 %v24, %v26
  %v28 = add i64 %v27, %v26
  %v29 = call i64 @llvm.smin.i64(i64 %v28, i64 %v4)
  %v30 = sub i64 %v21, %v19
  %v31 = sdiv i64 %v30, 32
  %v32 = mul i64 %v31, 32
  %v33 = add i64 %v19, %v32
  br label %head34
head34:
  %v35 = phi i64 [ %v19, %body10 ], [ %v36, %latch34 ]
  %v37 = icmp slt i64 %v35, %v21
  br i1 %v37, label %body34, label %end34
body34:
  %v38 = sub i64 %v35, %v19
  %v39 = getelementptr inbounds i32, ptr %v9, i64 %v38
  store i32 -2147483648, ptr %v39, align 4
  br label %latch34
latch34:
  %v36 = add nsw i64 %v35, 1
  br label %head34
end34:
  br label %head40
head40:
  %v41 = phi i64 [ %v27, %end34 ], [ %v42, %latch40 ]
  %v43 = icmp slt i64 %v41, %v29
  br i1 %v43, label %body40, label %end40
body40:
  %v44 = add i64 %v41, 4
  %v45 = call i64 @llvm.smin.i64(i64 %v44, i64 %v29)
  %v46 = sub i64 %v45, %v41
  %v47 = icmp eq i64 %v46, 4
  br i1 %v47, label %then48, label %endif48
then48:
  br label %head49
head49:
  %v50 = phi i64 [ %v19, %then48 ], [ %v51, %latch49 ]
  %v52 = icmp slt i64 %v50, %v33
  br i1 %v52, label %body49, label %end49
body49:
  %v53 = add i64 %v41, 0
  %v54 = sub i64 %v50, %v19
  %v55 = getelementptr inbounds i32, ptr %v9, i64 %v54
  %v56 = mul i64 %v53, %v2
  %v57 = add i64 %v56, %v50
  %v60 = getelementptr inbounds i32, ptr %v59, i64 %v57
  %v61 = load <32 x i32>, ptr %v60, align 4
  %v62 = load <32 x i32>, ptr %v55, align 4
  %v63 = call <32 x i32> @llvm.smax.v32i32(<32 x i32> %v61, <32 x i32> %v62)
  store <32 x i32> %v63, ptr %v55, align 4
  %v64 = add i64 %v41, 1
  %v65 = sub i64 %v50, %v19
  %v66 = getelementptr inbounds i32, ptr %v9, i64 %v65
  %v67 = mul i64 %v64, %v2
  %v68 = add i64 %v67, %v50
  %v69 = getelementptr inbounds i32, ptr %v59, i64 %v68
  %v70 = load <32 x i32>, ptr %v69, align 4
  %v71 = load <32 x i32>, ptr %v66, align 4
  %v72 = call <32 x i32> @llvm.smax.v32i32(<32 x i32> %v70, <32 x i32> %v71)
  store <32 x i32> %v72, ptr %v66, align 4
  %v73 = add i64 %v41, 2
  %v74 = sub i64 %v50, %v19
  %v75 = getelementptr inbounds i32, ptr %v9, i64 %v74
  %v76 = mul i64 %v73, %v2
  %v77 = add i64 %v76, %v50
  %v78 = getelementptr inbounds i32, ptr %v59, i64 %v77
  %v79 = load <32 x i32>, ptr %v78, align 4
  %v80 = load <32 x i32>, ptr %v75, align 4
  %v81 = call <32 x i32> @llvm.smax.v32i32(<32 x i32> %v79, <32 x i32> %v80)
  store <32 x i32> %v81, ptr %v75, align 4
  %v82 = add i64 %v41, 3
  %v83 = sub i64 %v50, %v19
  %v84 = getelementptr inbounds i32, ptr %v9, i64 %v83
  %v85 = mul i64 %v82, %v2
  %v86 = add i64 %v85, %v50
  %v87 = getelementptr inbounds i32, ptr %v59, i64 %v86
  %v88 = load <32 x i32>, ptr %v87, align 4
  %v89 = load <32 x i32>, ptr %v84, align 4
  %v90 = call <32 x i32> @llvm.smax.v32i32(<32 x i32> %v88, <32 x i32> %v89)
  store <32 x i32> %v90, ptr %v84, align 4
  br label %latch49
latch49:
  %v51 = add nsw i64 %v50, 32
  br label %head49
end49:
  br label %endif48
endif48:
  %v91 = select i1 %v47, i64 %v33, i64 %v19
  br label %head92
head92:
  %v93 = phi i64 [ %v41, %endif48 ], [ %v94, %latch92 ]
  %v95 = icmp slt i64 %v93, %v45
  br i1 %v95, label %body92, label %end92
body92:
  br label %head96
head96:
  %v97 = phi i64 [ %v91, %body92 ], [ %v98, %latch96 ]
  %v99 = icmp slt i64 %v97, %v21
  br i1 %v99, label %body96, label %end96
body96:
  %v100 = sub i64 %v97, %v19
  %v101 = getelementptr inbounds i32, ptr %v9, i64 %v100
  %v102 = mul i64 %v93, %v2
  %v103 = add i64 %v102, %v97
  %v104 = getelementptr inbounds i32, ptr %v59, i64 %v103
  %v105 = load i32, ptr %v104, align 4
  %v106 = load i32, ptr %v101, align 4
  %v107 = call i32 @llvm.smax.i32(i32 %v105, i32 %v106)
  store i32 %v107, ptr %v101, align 4
  br label %latch96
latch96:
  %v98 = add nsw i64 %v97, 1
  br label %head96
end96:
  br label %latch92
latch92:
  %v94 = add nsw i64 %v93, 1
  br label %head92
end92:
  br label %latch40
latch40:
  %v42 = add nsw i64 %v41, 4
  br label %head40
end40:
  br label %head108
head108:
  %v109 = phi i64 [ %v19, %end40 ], [ %v110, %latch108 ]
  %v111 = icmp slt i64 %v109, %v21
  br i1 %v111, label %body108, label %end108
body108:
  %v112 = sub i64 %v109, %v19
  %v113 = getelementptr inbounds i32, ptr %v9, i64 %v112
  %v114 = load i32, ptr %v113, align 4
  %v115 = mul i64 %v22, %v2
  %v116 = add i64 %v115, %v109
  %v117 = mul i64 %v14, %v2
  %v118 = add i64 %v117, %v109
  %v119 = icmp eq i64 %v6, 1
  br i1 %v119, label %then120, label %endif120
then120:
  %v123 = getelementptr inbounds i32, ptr %v122, i64 %v116
  store i32 %v114, ptr %v123, align 4, !noalias !2
  br label %endif120
endif120:
  %v124 = xor i1 %v119, true
  br i1 %v124, label %then125, label %endif125
then125:
  %v130 = getelementptr inbounds i64, ptr %v127, i64 0
  %v131 = getelementptr inbounds i32, ptr %v130, i64 %v118
  store i32 %v114, ptr %v131, align 4
  br label %endif125
endif125:
  br label %latch108
latch108:
  %v110 = add nsw i64 %v109, 1
  br label %head108
end108:
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 1
  br label %head10
end10:
  ret void
}

define internal void @treadle_merge(ptr %block) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 5
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v5 = alloca i32, align 64
  %v16 = getelementptr inbounds i64, ptr %block, i64 0
  %v17 = load ptr, ptr %v16, align 8
  %v18 = getelementptr inbounds i64, ptr %block, i64 9
  %v19 = load i64, ptr %v18, align 8
  %v36 = getelementptr inbounds i64, ptr %block, i64 1
  %v37 = load ptr, ptr %v36, align 8
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
  %v15 = icmp slt i64 %v13, %v4
  br i1 %v15, label %body12, label %end12
body12:
  %v20 = getelementptr inbounds i64, ptr %v17, i64 0
  store i32 -2147483648, ptr %v5, align 4
  br label %head21
head21:
  %v22 = phi i64 [ 0, %body12 ], [ %v23, %latch21 ]
  %v24 = icmp slt i64 %v22, %v2
  br i1 %v24, label %body21, label %end21
body21:
  %v25 = mul i64 %v9, %v2
  %v26 = add i64 %v25, %v22
  %v27 = mul i64 %v26, %v4
  %v28 = add i64 %v27, %v13
  %v29 = getelementptr inbounds i32, ptr %v20, i64 %v28
  %v30 = load i32, ptr %v29, align 4
  %v31 = load i32, ptr %v5, align 4
  %v32 = call i32 @llvm.smax.i32(i32 %v30, i32 %v31)
  store i32 %v32, ptr %v5, align 4
  br label %latch21
latch21:
  %v23 = add nsw i64 %v22, 1
  br label %head21
end21:
  %v33 = load i32, ptr %v5, align 4
  %v34 = mul i64 %v9, %v4
  %v35 = add i64 %v34, %v13
  %v38 = getelementptr inbounds i32, ptr %v37, i64 %v35
  store i32 %v33, ptr %v38, align 4, !noalias !2
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
