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
  %v52 = getelementptr inbounds i64, ptr %block, i64 2
  %v53 = load ptr, ptr %v52, align 8
  %v83 = getelementptr inbounds i64, ptr %block, i64 1
  %v84 = load ptr, ptr %v83, align 8
  %v88 = getelementptr inbounds i64, ptr %block, i64 0
  %v89 = load ptr, ptr %v88, align 8
  %v90 = getelementptr inbounds i64, ptr %block, i64 9
  %v91 = load i64, ptr %v90, align 8
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
  br label %head44
head44:
  %v45 = phi i64 [ %v19, %body40 ], [ %v46, %latch44 ]
  %v47 = icmp slt i64 %v45, %v33
  br i1 %v47, label %body44, label %end44
body44:
  %v48 = sub i64 %v45, %v19
  %v49 = getelementptr inbounds i32, ptr %v9, i64 %v48
  %v50 = mul i64 %v41, %v2
  %v51 = add i64 %v50, %v45
  %v54 = getelementptr inbounds i32, ptr %v53, i64 %v51
  %v55 = load <32 x i32>, ptr %v54, align 4
  %v56 = load <32 x i32>, ptr %v49, align 4
  %v57 = call <32 x i32> @llvm.smax.v32i32(<32 x i32> %v56, <32 x i32> %v55)
  store <32 x i32> %v57, ptr %v49, align 4
  br label %latch44
latch44:
  %v46 = add nsw i64 %v45, 32
  br label %head44
end44:
  br label %head58
head58:
  %v59 = phi i64 [ %v33, %end44 ], [ %v60, %latch58 ]
  %v61 = icmp slt i64 %v59, %v21
  br i1 %v61, label %body58, label %end58
body58:
  %v62 = sub i64 %v59, %v19
  %v63 = getelementptr inbounds i32, ptr %v9, i64 %v62
  %v64 = mul i64 %v41, %v2
  %v65 = add i64 %v64, %v59
  %v66 = getelementptr inbounds i32, ptr %v53, i64 %v65
  %v67 = load i32, ptr %v66, align 4
  %v68 = load i32, ptr %v63, align 4
  %v69 = call i32 @llvm.smax.i32(i32 %v68, i32 %v67)
  store i32 %v69, ptr %v63, align 4
  br label %latch58
latch58:
  %v60 = add nsw i64 %v59, 1
  br label %head58
end58:
  br label %latch40
latch40:
  %v42 = add nsw i64 %v41, 1
  br label %head40
end40:
  br label %head70
head70:
  %v71 = phi i64 [ %v19, %end40 ], [ %v72, %latch70 ]
  %v73 = icmp slt i64 %v71, %v21
  br i1 %v73, label %body70, label %end70
body70:
  %v74 = sub i64 %v71, %v19
  %v75 = getelementptr inbounds i32, ptr %v9, i64 %v74
  %v76 = load i32, ptr %v75, align 4
  %v77 = mul i64 %v22, %v2
  %v78 = add i64 %v77, %v71
  %v79 = mul i64 %v14, %v2
  %v80 = add i64 %v79, %v71
  %v81 = icmp eq i64 %v6, 1
  br i1 %v81, label %then82, label %endif82
then82:
  %v85 = getelementptr inbounds i32, ptr %v84, i64 %v78
  store i32 %v76, ptr %v85, align 4, !noalias !2
  br label %endif82
endif82:
  %v86 = xor i1 %v81, true
  br i1 %v86, label %then87, label %endif87
then87:
  %v92 = getelementptr inbounds i64, ptr %v89, i64 0
  %v93 = getelementptr inbounds i32, ptr %v92, i64 %v80
  store i32 %v76, ptr %v93, align 4
  br label %endif87
endif87:
  br label %latch70
latch70:
  %v72 = add nsw i64 %v71, 1
  br label %head70
end70:
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
  %v32 = call i32 @llvm.smax.i32(i32 %v31, i32 %v30)
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
