declare i64 @llvm.smin.i64(i64, i64)
define internal void @treadle_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %block, i64 5
  %v6 = load i64, ptr %v5, align 8
  %v7 = alloca <32 x float>, align 64
  %v8 = alloca float, align 64
  %v19 = getelementptr inbounds i64, ptr %block, i64 6
  %v20 = load i64, ptr %v19, align 8
  %v24 = getelementptr inbounds i64, ptr %block, i64 7
  %v25 = load i64, ptr %v24, align 8
  %v41 = getelementptr inbounds i64, ptr %block, i64 2
  %v42 = load ptr, ptr %v41, align 8
  %v78 = getelementptr inbounds i64, ptr %block, i64 1
  %v79 = load ptr, ptr %v78, align 8
  %v83 = getelementptr inbounds i64, ptr %block, i64 0
  %v84 = load ptr, ptr %v83, align 8
  %v85 = getelementptr inbounds i64, ptr %block, i64 8
  %v86 = load i64, ptr %v85, align 8
  br label %main
main:
  br label %head9
head9:
  %v10 = phi i64 [ %lo, %main ], [ %v11, %latch9 ]
  %v12 = icmp slt i64 %v10, %hi
  br i1 %v12, label %body9, label %end9
body9:
  %v13 = udiv i64 %v10, %v4
  %v14 = mul i64 %v13, %v4
  %v15 = sub i64 %v10, %v14
  %v16 = udiv i64 %v15, %v6
  %v17 = mul i64 %v16, %v6
  %v18 = sub i64 %v15, %v17
  %v21 = mul i64 %v18, %v20
  %v22 = add i64 %v21, %v20
  %v23 = call i64 @llvm.smin.i64(i64 %v22, i64 %v2)
  %v26 = mul i64 %v16, %v25
  %v27 = add i64 %v26, %v25
  %v28 = call i64 @llvm.smin.i64(i64 %v27, i64 1)
  %v29 = sub i64 %v23, %v21
  %v30 = sdiv i64 %v29, 32
  %v31 = mul i64 %v30, 32
  %v32 = add i64 %v21, %v31
  store <32 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, ptr %v7, align 4
  store float 0x0000000000000000, ptr %v8, align 4
  br label %head33
head33:
  %v34 = phi i64 [ %v26, %body9 ], [ %v35, %latch33 ]
  %v36 = icmp slt i64 %v34, %v28
  br i1 %v36, label %body33, label %end33
body33:
  br label %head37
head37:
  %v38 = phi i64 [ %v21, %body33 ], [ %v39, %latch37 ]
  %v40 = icmp slt i64 %v38, %v32
  br i1 %v40, label %body37, label %end37
body37:
  %v43 = getelementptr inbounds float, ptr %v42, i64 %v38
  %v44 = load <32 x float>, ptr %v43, align 4
  %v45 = load <32 x float>, ptr %v7, align 4
  %v46 = fadd <32 x float> %v45, %v44
  store <32 x float> %v46, ptr %v7, align 4
  br label %latch37
latch37:
  %v39 = add nsw i64 %v38, 32
  br label %head37
end37:
  br label %head47
head47:
  %v48 = phi i64 [ %v32, %end37 ], [ %v49, %latch47 ]
  %v50 = icmp slt i64 %v48, %v23
  br i1 %v50, label %body47, label %end47
body47:
  %v51 = getelementptr inbounds float, ptr %v42, i64 %v48
  %v52 = load float, ptr %v51, align 4
  %v53 = load float, ptr %v8, align 4
  %v54 = fadd float %v53, %v52
  store float %v54, ptr %v8, align 4
  br label %latch47
latch47:
  %v49 = add nsw i64 %v48, 1
  br label %head47
end47:
  br label %latch33
latch33:
  %v35 = add nsw i64 %v34, 1
  br label %head33
end33:
  %v55 = icmp sgt i64 %v30, 0
  br i1 %v55, label %then56, label %endif56
then56:
  %v57 = load <32 x float>, ptr %v7, align 4
  %v58 = shufflevector <32 x float> %v57, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v59 = shufflevector <32 x float> %v57, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v60 = fadd <16 x float> %v58, %v59
  %v61 = shufflevector <16 x float> %v60, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v62 = shufflevector <16 x float> %v60, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v63 = fadd <8 x float> %v61, %v62
  %v64 = shufflevector <8 x float> %v63, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v65 = shufflevector <8 x float> %v63, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v66 = fadd <4 x float> %v64, %v65
  %v67 = shufflevector <4 x float> %v66, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v68 = shufflevector <4 x float> %v66, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v69 = fadd <2 x float> %v67, %v68
  %v70 = extractelement <2 x float> %v69, i64 0
  %v71 = extractelement <2 x float> %v69, i64 1
  %v72 = fadd float %v70, %v71
  %v73 = load float, ptr %v8, align 4
  %v74 = fadd float %v72, %v73
  store float %v74, ptr %v8, align 4
  br label %endif56
endif56:
  %v75 = load float, ptr %v8, align 4
  %v76 = icmp eq i64 %v4, 1
  br i1 %v76, label %then77, label %endif77
then77:
  %v80 = getelementptr inbounds float, ptr %v79, i64 %v13
  store float %v75, ptr %v80, align 4, !noalias !2
  br label %endif77
endif77:
  %v81 = xor i1 %v76, true
  br i1 %v81, label %then82, label %endif82
then82:
  %v87 = getelementptr inbounds i64, ptr %v84, i64 0
  %v88 = getelementptr inbounds float, ptr %v87, i64 %v10
  store float %v75, ptr %v88, align 4
  br label %endif82
endif82:
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 1
  br label %head9
end9:
  ret void
}

define internal void @treadle_merge(ptr %block) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 4
  %v2 = load i64, ptr %v1, align 8
  %v3 = alloca float, align 64
  %v14 = getelementptr inbounds i64, ptr %block, i64 0
  %v15 = load ptr, ptr %v14, align 8
  %v16 = getelementptr inbounds i64, ptr %block, i64 8
  %v17 = load i64, ptr %v16, align 8
  %v34 = getelementptr inbounds i64, ptr %block, i64 1
  %v35 = load ptr, ptr %v34, align 8
  br label %main
main:
  %v4 = icmp sgt i64 %v2, 1
  br i1 %v4, label %then5, label %endif5
then5:
  br label %head6
head6:
  %v7 = phi i64 [ 0, %then5 ], [ %v8, %latch6 ]
  %v9 = icmp slt i64 %v7, 1
  br i1 %v9, label %body6, label %end6
body6:
  br label %head10
head10:
  %v11 = phi i64 [ 0, %body6 ], [ %v12, %latch10 ]
  %v13 = icmp slt i64 %v11, 1
  br i1 %v13, label %body10, label %end10
body10:
  %v18 = getelementptr inbounds i64, ptr %v15, i64 0
  store float 0x0000000000000000, ptr %v3, align 4
  br label %head19
head19:
  %v20 = phi i64 [ 0, %body10 ], [ %v21, %latch19 ]
  %v22 = icmp slt i64 %v20, %v2
  br i1 %v22, label %body19, label %end19
body19:
  %v23 = mul i64 %v7, %v2
  %v24 = add i64 %v23, %v20
  %v25 = mul i64 %v24, 1
  %v26 = add i64 %v25, %v11
  %v27 = getelementptr inbounds float, ptr %v18, i64 %v26
  %v28 = load float, ptr %v27, align 4
  %v29 = load float, ptr %v3, align 4
  %v30 = fadd float %v29, %v28
  store float %v30, ptr %v3, align 4
  br label %latch19
latch19:
  %v21 = add nsw i64 %v20, 1
  br label %head19
end19:
  %v31 = load float, ptr %v3, align 4
  %v32 = mul i64 %v7, 1
  %v33 = add i64 %v32, %v11
  %v36 = getelementptr inbounds float, ptr %v35, i64 %v33
  store float %v31, ptr %v36, align 4, !noalias !2
  br label %latch10
latch10:
  %v12 = add nsw i64 %v11, 1
  br label %head10
end10:
  br label %latch6
latch6:
  %v8 = add nsw i64 %v7, 1
  br label %head6
end6:
  br label %endif5
endif5:
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
  call void @treadle_merge(ptr %block)
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

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
