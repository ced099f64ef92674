declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @llvm.smax.i64(i64, i64)
declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare i64 @llvm.smin.i64(i64, i64)
define internal void @row_edge(ptr %block, i64 %row, i64 %lo, i64 %hi) noinline nounwind {
start:
  %v1 = getelementptr inbounds i64, ptr %block, i64 3
  %v2 = load i64, ptr %v1, align 8
  %v9 = getelementptr inbounds i64, ptr %block, i64 2
  %v10 = load ptr, ptr %v9, align 8
  %v45 = getelementptr inbounds i64, ptr %block, i64 1
  %v46 = load ptr, ptr %v45, align 8
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
  %v11 = getelementptr inbounds float, ptr %v10, i64 %v5
  %v12 = load float, ptr %v11, align 4, !llvm.access.group !0
  %v13 = fneg float %v12
  %v14 = fcmp olt float %v13, 0xC05A400000000000
  %v15 = select i1 %v14, float 0xC05A400000000000, float %v13
  %v16 = fcmp ogt float %v15, 0x4056C00000000000
  %v17 = select i1 %v16, float 0x4056C00000000000, float %v15
  %v18 = call float @llvm.fmuladd.f32(float %v17, float 0x3FF7154760000000, float 0x4168000000000000)
  %v19 = fsub contract float %v18, 0x4168000000000000
  %v20 = bitcast float %v18 to i32
  %v21 = sub i32 %v20, 1262485504
  %v22 = call float @llvm.fmuladd.f32(float %v19, float 0xBFE6300000000000, float %v17)
  %v23 = call float @llvm.fmuladd.f32(float %v19, float 0x3F2BD01060000000, float %v22)
  %v24 = call float @llvm.fmuladd.f32(float %v23, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v25 = call float @llvm.fmuladd.f32(float %v24, float %v23, float 0x3F81110C60000000)
  %v26 = call float @llvm.fmuladd.f32(float %v25, float %v23, float 0x3FA5554EA0000000)
  %v27 = call float @llvm.fmuladd.f32(float %v26, float %v23, float 0x3FC5555560000000)
  %v28 = call float @llvm.fmuladd.f32(float %v27, float %v23, float 0x3FE0000000000000)
  %v29 = fmul contract float %v23, %v23
  %v30 = call float @llvm.fmuladd.f32(float %v28, float %v29, float %v23)
  %v31 = fadd contract float %v30, 0x3FF0000000000000
  %v32 = add i32 %v21, 0
  %v33 = ashr i32 %v32, 1
  %v34 = add i32 %v33, 127
  %v35 = shl i32 %v34, 23
  %v36 = bitcast i32 %v35 to float
  %v37 = fmul contract float %v31, %v36
  %v38 = sub i32 %v32, %v33
  %v39 = add i32 %v38, 127
  %v40 = shl i32 %v39, 23
  %v41 = bitcast i32 %v40 to float
  %v42 = fmul contract float %v37, %v41
  %v43 = fadd contract float 0x3FF0000000000000, %v42
  %v44 = fdiv float 0x3FF0000000000000, %v43
  %v47 = getelementptr inbounds float, ptr %v46, i64 %v8
  store float %v44, ptr %v47, align 4, !llvm.access.group !0
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
  %v50 = getelementptr inbounds i64, ptr %block, i64 1
  %v51 = load ptr, ptr %v50, align 8
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
  %v16 = getelementptr inbounds float, ptr %v15, i64 %v10
  %v17 = load <16 x float>, ptr %v16, align 4
  %v18 = fneg <16 x float> %v17
  %v19 = fcmp olt <16 x float> %v18, <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>
  %v20 = select <16 x i1> %v19, <16 x float> <float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000, float 0xC05A400000000000>, <16 x float> %v18
  %v21 = fcmp ogt <16 x float> %v20, <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>
  %v22 = select <16 x i1> %v21, <16 x float> <float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000, float 0x4056C00000000000>, <16 x float> %v20
  %v23 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v22, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %v24 = fsub contract <16 x float> %v23, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v25 = bitcast <16 x float> %v23 to <16 x i32>
  %v26 = sub <16 x i32> %v25, <i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504, i32 1262485504>
  %v27 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v24, <16 x float> <float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000>, <16 x float> %v22)
  %v28 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v24, <16 x float> <float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000>, <16 x float> %v27)
  %v29 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v28, <16 x float> <float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000, float 0x3F2A1517A0000000>, <16 x float> <float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000, float 0x3F56D43240000000>)
  %v30 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v29, <16 x float> %v28, <16 x float> <float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000, float 0x3F81110C60000000>)
  %v31 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v30, <16 x float> %v28, <16 x float> <float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000, float 0x3FA5554EA0000000>)
  %v32 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v31, <16 x float> %v28, <16 x float> <float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000>)
  %v33 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v32, <16 x float> %v28, <16 x float> <float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000>)
  %v34 = fmul contract <16 x float> %v28, %v28
  %v35 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v33, <16 x float> %v34, <16 x float> %v28)
  %v36 = fadd contract <16 x float> %v35, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v37 = add <16 x i32> %v26, <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v38 = ashr <16 x i32> %v37, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v39 = add <16 x i32> %v38, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v40 = shl <16 x i32> %v39, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v41 = bitcast <16 x i32> %v40 to <16 x float>
  %v42 = fmul contract <16 x float> %v36, %v41
  %v43 = sub <16 x i32> %v37, %v38
  %v44 = add <16 x i32> %v43, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v45 = shl <16 x i32> %v44, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v46 = bitcast <16 x i32> %v45 to <16 x float>
  %v47 = fmul contract <16 x float> %v42, %v46
  %v48 = fadd contract <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, %v47
  %v49 = fdiv <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, %v48
  %v52 = getelementptr inbounds float, ptr %v51, i64 %v13
  store <16 x float> %v49, ptr %v52, align 64, !nontemporal !2
  br label %latch9
latch9:
  %v11 = add nsw i64 %v10, 16
  br label %head9
end9:
  br label %head53
head53:
  %v54 = phi i64 [ %v8, %end9 ], [ %v55, %latch53 ]
  %v56 = icmp slt i64 %v54, %hi
  br i1 %v56, label %body53, label %end53
body53:
  %v57 = add i64 %v3, %v54
  %v58 = getelementptr inbounds float, ptr %v15, i64 %v54
  %v59 = load float, ptr %v58, align 4, !llvm.access.group !3
  %v60 = fneg float %v59
  %v61 = fcmp olt float %v60, 0xC05A400000000000
  %v62 = select i1 %v61, float 0xC05A400000000000, float %v60
  %v63 = fcmp ogt float %v62, 0x4056C00000000000
  %v64 = select i1 %v63, float 0x4056C00000000000, float %v62
  %v65 = call float @llvm.fmuladd.f32(float %v64, float 0x3FF7154760000000, float 0x4168000000000000)
  %v66 = fsub contract float %v65, 0x4168000000000000
  %v67 = bitcast float %v65 to i32
  %v68 = sub i32 %v67, 1262485504
  %v69 = call float @llvm.fmuladd.f32(float %v66, float 0xBFE6300000000000, float %v64)
  %v70 = call float @llvm.fmuladd.f32(float %v66, float 0x3F2BD01060000000, float %v69)
  %v71 = call float @llvm.fmuladd.f32(float %v70, float 0x3F2A1517A0000000, float 0x3F56D43240000000)
  %v72 = call float @llvm.fmuladd.f32(float %v71, float %v70, float 0x3F81110C60000000)
  %v73 = call float @llvm.fmuladd.f32(float %v72, float %v70, float 0x3FA5554EA0000000)
  %v74 = call float @llvm.fmuladd.f32(float %v73, float %v70, float 0x3FC5555560000000)
  %v75 = call float @llvm.fmuladd.f32(float %v74, float %v70, float 0x3FE0000000000000)
  %v76 = fmul contract float %v70, %v70
  %v77 = call float @llvm.fmuladd.f32(float %v75, float %v76, float %v70)
  %v78 = fadd contract float %v77, 0x3FF0000000000000
  %v79 = add i32 %v68, 0
  %v80 = ashr i32 %v79, 1
  %v81 = add i32 %v80, 127
  %v82 = shl i32 %v81, 23
  %v83 = bitcast i32 %v82 to float
  %v84 = fmul contract float %v78, %v83
  %v85 = sub i32 %v79, %v80
  %v86 = add i32 %v85, 127
  %v87 = shl i32 %v86, 23
  %v88 = bitcast i32 %v87 to float
  %v89 = fmul contract float %v84, %v88
  %v90 = fadd contract float 0x3FF0000000000000, %v89
  %v91 = fdiv float 0x3FF0000000000000, %v90
  %v92 = getelementptr inbounds float, ptr %v51, i64 %v57
  store float %v91, ptr %v92, align 4, !llvm.access.group !3
  br label %latch53
latch53:
  %v55 = add nsw i64 %v54, 1
  br label %head53, !llvm.loop !4
end53:
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
