declare double @exp(double) nounwind willreturn
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 1
  %v15 = load ptr, ptr %v14, align 8
  br label %main
main:
  %v3 = mul i64 %row, %v2
  br label %head4
head4:
  %v5 = phi i64 [ %lo, %main ], [ %v6, %latch4 ]
  %v7 = icmp slt i64 %v5, %hi
  br i1 %v7, label %body4, label %end4
body4:
  %v8 = add i64 %v3, %v5
  %v11 = getelementptr inbounds double, ptr %v10, i64 %v5
  %v12 = load double, ptr %v11, align 8, !llvm.access.group !0
  %v13 = call double @exp(double %v12)
  %v16 = getelementptr inbounds double, ptr %v15, i64 %v8
  store double %v13, ptr %v16, align 8, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
  ret void
}

define internal void @row_stream(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v14 = getelementptr inbounds i64, ptr %block, i64 2
  %v15 = load ptr, ptr %v14, align 8
  %v66 = getelementptr inbounds i64, ptr %block, i64 1
  %v67 = load ptr, ptr %v66, align 8
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
  %v16 = getelementptr inbounds double, ptr %v15, i64 %v10
  %v17 = load <16 x double>, ptr %v16, align 8
  %v18 = extractelement <16 x double> %v17, i64 0
  %v19 = call double @exp(double %v18)
  %v20 = insertelement <16 x double> poison, double %v19, i64 0
  %v21 = extractelement <16 x double> %v17, i64 1
  %v22 = call double @exp(double %v21)
  %v23 = insertelement <16 x double> %v20, double %v22, i64 1
  %v24 = extractelement <16 x double> %v17, i64 2
  %v25 = call double @exp(double %v24)
  %v26 = insertelement <16 x double> %v23, double %v25, i64 2
  %v27 = extractelement <16 x double> %v17, i64 3
  %v28 = call double @exp(double %v27)
  %v29 = insertelement <16 x double> %v26, double %v28, i64 3
  %v30 = extractelement <16 x double> %v17, i64 4
  %v31 = call double @exp(double %v30)
  %v32 = insertelement <16 x double> %v29, double %v31, i64 4
  %v33 = extractelement <16 x double> %v17, i64 5
  %v34 = call double @exp(double %v33)
  %v35 = insertelement <16 x double> %v32, double %v34, i64 5
  %v36 = extractelement <16 x double> %v17, i64 6
  %v37 = call double @exp(double %v36)
  %v38 = insertelement <16 x double> %v35, double %v37, i64 6
  %v39 = extractelement <16 x double> %v17, i64 7
  %v40 = call double @exp(double %v39)
  %v41 = insertelement <16 x double> %v38, double %v40, i64 7
  %v42 = extractelement <16 x double> %v17, i64 8
  %v43 = call double @exp(double %v42)
  %v44 = insertelement <16 x double> %v41, double %v43, i64 8
  %v45 = extractelement <16 x double> %v17, i64 9
  %v46 = call double @exp(double %v45)
  %v47 = insertelement <16 x double> %v44, double %v46, i64 9
  %v48 = extractelement <16 x double> %v17, i64 10
  %v49 = call double @exp(double %v48)
  %v50 = insertelement <16 x double> %v47, double %v49, i64 10
  %v51 = extractelement <16 x double> %v17, i64 11
  %v52 = call double @exp(double %v51)
  %v53 = insertelement <16 x double> %v50, double %v52, i64 11
  %v54 = extractelement <16 x double> %v17, i64 12
  %v55 = call double @exp(double %v54)
  %v56 = insertelement <16 x double> %v53, double %v55, i64 12
  %v57 = extractelement <16 x double> %v17, i64 13
  %v58 = call double @exp(double %v57)
  %v59 = insertelement <16 x double> %v56, double %v58, i64 13
  %v60 = extractelement <16 x double> %v17, i64 14
  %v61 = call double @exp(double %v60)
  %v62 = insertelement <16 x double> %v59, double %v61, i64 14
  %v63 = extractelement <16 x double> %v17, i64 15
  %v64 = call double @exp(double %v63)
  %v65 = insertelement <16 x double> %v62, double %v64, i64 15
  %v68 = getelementptr inbounds double, ptr %v67, i64 %v13
  store <16 x double> %v65, ptr %v68, align 64, !nontemporal !2
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 16
  br label %head9
end9:
  br label %head69
head69:
  %v70 = phi i64 [ %v8, %end9 ], [ %v71, %latch69 ]
  %v72 = icmp slt i64 %v70, %hi
  br i1 %v72, label %body69, label %end69
body69:
  %v73 = add i64 %v3, %v70
  %v74 = getelementptr inbounds double, ptr %v15, i64 %v70
  %v75 = load double, ptr %v74, align 8, !llvm.access.group !3
  %v76 = call double @exp(double %v75)
  %v77 = getelementptr inbounds double, ptr %v67, i64 %v73
  store double %v76, ptr %v77, align 8, !llvm.access.group !3
  br label %latch69
latch69:
  %v71 = add nsw i64 %v70, 1
  br label %head69, !llvm.loop !4
end69:
  fence seq_cst
  ret void
}

define internal void @weft_units(ptr %block, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %block, i64 4
  %v4 = load i64, ptr %v3, align 8
  %v10 = getelementptr inbounds i64, ptr %block, i64 5
  %v11 = load i64, ptr %v10, align 8
  %v29 = getelementptr inbounds i64, ptr %block, i64 6
  %v30 = load i64, ptr %v29, align 8
  %v32 = getelementptr inbounds i64, ptr %block, i64 1
  %v33 = load ptr, ptr %v32, align 8
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
  %v31 = icmp ne i64 %v30, 0
  %v34 = ptrtoint ptr %v33 to i64
  %v35 = or i64 0, %v34
  %v36 = and i64 %v35, 63
  %v37 = icmp eq i64 %v36, 0
  %v38 = and i1 %v31, %v37
  br i1 %v38, label %then39, label %endif39
then39:
  %v40 = icmp slt i64 %v19, %v21
  br i1 %v40, label %then41, label %endif41
then41:
  call void @row_stream(ptr %block, i64 %v26, i64 %v19, i64 %v21)
  br label %endif41
endif41:
  br label %endif39
endif39:
  %v42 = xor i1 %v38, true
  br i1 %v42, label %then43, label %endif43
then43:
  %v44 = icmp slt i64 %v19, %v21
  br i1 %v44, label %then45, label %endif45
then45:
  call void @row_edge(ptr %block, i64 %v26, i64 %v19, i64 %v21)
  br label %endif45
endif45:
  br label %endif43
endif43:
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
!2 = !{i32 1}
!3 = distinct !{}
!4 = distinct !{!4, !{!"llvm.loop.parallel_accesses", !3}, !{!"llvm.loop.mustprogress"}}
