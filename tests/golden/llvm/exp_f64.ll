declare double @llvm.fmuladd.f64(double, double, double)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v48 = getelementptr inbounds i64, ptr %block, i64 1
  %v49 = load ptr, ptr %v48, align 8
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
  %v13 = fcmp olt double %v12, 0xC087500000000000
  %v14 = select i1 %v13, double 0xC087500000000000, double %v12
  %v15 = fcmp ogt double %v14, 0x4086380000000000
  %v16 = select i1 %v15, double 0x4086380000000000, double %v14
  %v17 = call double @llvm.fmuladd.f64(double %v16, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v18 = fsub double %v17, 0x4338000000000000
  %v19 = bitcast double %v17 to i64
  %v20 = sub i64 %v19, 4843621399236968448
  %v21 = call double @llvm.fmuladd.f64(double %v18, double 0xBFE62E42FEE00000, double %v16)
  %v22 = call double @llvm.fmuladd.f64(double %v18, double 0xBDEA39EF35793C76, double %v21)
  %v23 = call double @llvm.fmuladd.f64(double %v22, double 0x3DE6124613A86D09, double 0x3E21EED8EFF8D898)
  %v24 = call double @llvm.fmuladd.f64(double %v23, double %v22, double 0x3E5AE64567F544E4)
  %v25 = call double @llvm.fmuladd.f64(double %v24, double %v22, double 0x3E927E4FB7789F5C)
  %v26 = call double @llvm.fmuladd.f64(double %v25, double %v22, double 0x3EC71DE3A556C734)
  %v27 = call double @llvm.fmuladd.f64(double %v26, double %v22, double 0x3EFA01A01A01A01A)
  %v28 = call double @llvm.fmuladd.f64(double %v27, double %v22, double 0x3F2A01A01A01A01A)
  %v29 = call double @llvm.fmuladd.f64(double %v28, double %v22, double 0x3F56C16C16C16C17)
  %v30 = call double @llvm.fmuladd.f64(double %v29, double %v22, double 0x3F81111111111111)
  %v31 = call double @llvm.fmuladd.f64(double %v30, double %v22, double 0x3FA5555555555555)
  %v32 = call double @llvm.fmuladd.f64(double %v31, double %v22, double 0x3FC5555555555555)
  %v33 = call double @llvm.fmuladd.f64(double %v32, double %v22, double 0x3FE0000000000000)
  %v34 = fmul double %v22, %v22
  %v35 = call double @llvm.fmuladd.f64(double %v33, double %v34, double %v22)
  %v36 = fadd double %v35, 0x3FF0000000000000
  %v37 = add i64 %v20, 0
  %v38 = ashr i64 %v37, 1
  %v39 = add i64 %v38, 1023
  %v40 = shl i64 %v39, 52
  %v41 = bitcast i64 %v40 to double
  %v42 = fmul double %v36, %v41
  %v43 = sub i64 %v37, %v38
  %v44 = add i64 %v43, 1023
  %v45 = shl i64 %v44, 52
  %v46 = bitcast i64 %v45 to double
  %v47 = fmul double %v42, %v46
  %v50 = getelementptr inbounds double, ptr %v49, i64 %v8
  store double %v47, ptr %v50, align 8, !noalias !4, !llvm.access.group !0
  br label %latch4
latch4:
  %v6 = add nsw i64 %v5, 1
  br label %head4, !llvm.loop !1
end4:
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

!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.parallel_accesses", !0}, !{!"llvm.loop.mustprogress"}}
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
