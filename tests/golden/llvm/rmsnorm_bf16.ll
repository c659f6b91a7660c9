; rmsnorm
define void @kiln_rmsnorm(ptr noalias nocapture readonly align 8 %params, i64 %cta_x, i64 %cta_y, i64 %cta_z, ptr noalias nocapture align 64 %scratch) #0 {
entry:
  %total = alloca <8 x float>, align 32
  %total1 = alloca <8 x float>, align 32
  %total2 = alloca <8 x float>, align 32
  %total3 = alloca <8 x float>, align 32
  %total4 = alloca float, align 4
  %x = load ptr, ptr %params, align 8
  %.1 = getelementptr inbounds i64, ptr %params, i64 1
  %w = load ptr, ptr %.1, align 8
  %.2 = getelementptr inbounds i64, ptr %params, i64 2
  %y = load ptr, ptr %.2, align 8
  %.3 = getelementptr inbounds i64, ptr %params, i64 3
  %eps = load float, ptr %.3, align 8
  %.4 = getelementptr inbounds i64, ptr %params, i64 4
  %grid.x = load i64, ptr %.4, align 8
  %.5 = getelementptr inbounds i64, ptr %params, i64 5
  %grid.y = load i64, ptr %.5, align 8
  %.6 = getelementptr inbounds i64, ptr %params, i64 6
  %grid.z = load i64, ptr %.6, align 8
  %xs = getelementptr inbounds i8, ptr %scratch, i64 0
  %inv = getelementptr inbounds i8, ptr %scratch, i64 256
  %sum0 = getelementptr inbounds i8, ptr %scratch, i64 320
  br label %i.head
i.head:
  %i = phi i64 [ 0, %entry ], [ %i.step, %i.next ]
  %.7 = icmp slt i64 %i, 1
  br i1 %.7, label %i.body, label %i.done
i.body:
  %.8 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.9 = shufflevector <8 x float> %.8, <8 x float> poison, <8 x i32> zeroinitializer
  store <8 x float> %.9, ptr %total
  %.10 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.11 = shufflevector <8 x float> %.10, <8 x float> poison, <8 x i32> zeroinitializer
  store <8 x float> %.11, ptr %total1
  %.12 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.13 = shufflevector <8 x float> %.12, <8 x float> poison, <8 x i32> zeroinitializer
  store <8 x float> %.13, ptr %total2
  %.14 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.15 = shufflevector <8 x float> %.14, <8 x float> poison, <8 x i32> zeroinitializer
  store <8 x float> %.15, ptr %total3
  store float 0x0000000000000000, ptr %total4
  br label %i1.head
i1.head:
  %i1 = phi i64 [ 0, %i.body ], [ %i1.step, %i1.next ]
  %.16 = icmp slt i64 %i1, 64
  br i1 %.16, label %i1.body, label %i1.done
i1.body:
  %.17 = mul i64 %cta_x, 64
  %.18 = add i64 %.17, %i1
  %.19 = getelementptr inbounds i16, ptr %x, i64 %.18
  %.20 = load <8 x i16>, ptr %.19, align 2
  %.21 = call <8 x float> @kiln.f32_from_bf16.x8(<8 x i16> %.20)
  %.22 = getelementptr inbounds float, ptr %xs, i64 %i1
  store <8 x float> %.21, ptr %.22, align 4
  %.23 = getelementptr inbounds float, ptr %xs, i64 %i1
  %.24 = load <8 x float>, ptr %.23, align 4
  %.25 = getelementptr inbounds float, ptr %xs, i64 %i1
  %.26 = load <8 x float>, ptr %.25, align 4
  %.27 = fmul contract <8 x float> %.24, %.26
  %.28 = load <8 x float>, ptr %total
  %.29 = fadd contract <8 x float> %.28, %.27
  store <8 x float> %.29, ptr %total
  %.30 = mul i64 %cta_x, 64
  %.31 = add i64 %.30, %i1
  %.32 = add i64 %.31, 8
  %.33 = getelementptr inbounds i16, ptr %x, i64 %.32
  %.34 = load <8 x i16>, ptr %.33, align 2
  %.35 = call <8 x float> @kiln.f32_from_bf16.x8(<8 x i16> %.34)
  %.36 = add i64 %i1, 8
  %.37 = getelementptr inbounds float, ptr %xs, i64 %.36
  store <8 x float> %.35, ptr %.37, align 4
  %.38 = add i64 %i1, 8
  %.39 = getelementptr inbounds float, ptr %xs, i64 %.38
  %.40 = load <8 x float>, ptr %.39, align 4
  %.41 = add i64 %i1, 8
  %.42 = getelementptr inbounds float, ptr %xs, i64 %.41
  %.43 = load <8 x float>, ptr %.42, align 4
  %.44 = fmul contract <8 x float> %.40, %.43
  %.45 = load <8 x float>, ptr %total1
  %.46 = fadd contract <8 x float> %.45, %.44
  store <8 x float> %.46, ptr %total1
  %.47 = mul i64 %cta_x, 64
  %.48 = add i64 %.47, %i1
  %.49 = add i64 %.48, 16
  %.50 = getelementptr inbounds i16, ptr %x, i64 %.49
  %.51 = load <8 x i16>, ptr %.50, align 2
  %.52 = call <8 x float> @kiln.f32_from_bf16.x8(<8 x i16> %.51)
  %.53 = add i64 %i1, 16
  %.54 = getelementptr inbounds float, ptr %xs, i64 %.53
  store <8 x float> %.52, ptr %.54, align 4
  %.55 = add i64 %i1, 16
  %.56 = getelementptr inbounds float, ptr %xs, i64 %.55
  %.57 = load <8 x float>, ptr %.56, align 4
  %.58 = add i64 %i1, 16
  %.59 = getelementptr inbounds float, ptr %xs, i64 %.58
  %.60 = load <8 x float>, ptr %.59, align 4
  %.61 = fmul contract <8 x float> %.57, %.60
  %.62 = load <8 x float>, ptr %total2
  %.63 = fadd contract <8 x float> %.62, %.61
  store <8 x float> %.63, ptr %total2
  %.64 = mul i64 %cta_x, 64
  %.65 = add i64 %.64, %i1
  %.66 = add i64 %.65, 24
  %.67 = getelementptr inbounds i16, ptr %x, i64 %.66
  %.68 = load <8 x i16>, ptr %.67, align 2
  %.69 = call <8 x float> @kiln.f32_from_bf16.x8(<8 x i16> %.68)
  %.70 = add i64 %i1, 24
  %.71 = getelementptr inbounds float, ptr %xs, i64 %.70
  store <8 x float> %.69, ptr %.71, align 4
  %.72 = add i64 %i1, 24
  %.73 = getelementptr inbounds float, ptr %xs, i64 %.72
  %.74 = load <8 x float>, ptr %.73, align 4
  %.75 = add i64 %i1, 24
  %.76 = getelementptr inbounds float, ptr %xs, i64 %.75
  %.77 = load <8 x float>, ptr %.76, align 4
  %.78 = fmul contract <8 x float> %.74, %.77
  %.79 = load <8 x float>, ptr %total3
  %.80 = fadd contract <8 x float> %.79, %.78
  store <8 x float> %.80, ptr %total3
  br label %i1.next
i1.next:
  %i1.step = add nsw i64 %i1, 32
  br label %i1.head
i1.done:
  %.81 = load <8 x float>, ptr %total
  %.82 = load <8 x float>, ptr %total1
  %.83 = fadd contract <8 x float> %.81, %.82
  %.84 = load <8 x float>, ptr %total2
  %.85 = load <8 x float>, ptr %total3
  %.86 = fadd contract <8 x float> %.84, %.85
  %.87 = fadd contract <8 x float> %.83, %.86
  %.88 = shufflevector <8 x float> %.87, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %.89 = shufflevector <8 x float> %.87, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %.90 = fadd contract <4 x float> %.88, %.89
  %.91 = shufflevector <4 x float> %.90, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %.92 = shufflevector <4 x float> %.90, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %.93 = fadd contract <2 x float> %.91, %.92
  %.94 = extractelement <2 x float> %.93, i64 0
  %.95 = extractelement <2 x float> %.93, i64 1
  %.96 = fadd contract float %.94, %.95
  %.97 = load float, ptr %total4
  %.98 = fadd contract float %.96, %.97
  %.99 = getelementptr inbounds float, ptr %sum0, i64 0
  store float %.98, ptr %.99, align 4
  br label %i.next
i.next:
  %i.step = add nsw i64 %i, 1
  br label %i.head
i.done:
  %.100 = getelementptr inbounds float, ptr %sum0, i64 0
  %.101 = load float, ptr %.100, align 4
  %.102 = fdiv float %.101, 0x4050000000000000
  %.103 = fadd contract float %.102, %eps
  %.104 = call float @llvm.sqrt.f32(float %.103)
  %.105 = fdiv float 0x3FF0000000000000, %.104
  %.106 = getelementptr inbounds float, ptr %inv, i64 0
  store float %.105, ptr %.106, align 4
  ; cta.map(y[row +: 1, :], bf16(xs * inv[:, _] * f32(w[_, :])))
  br label %i4.head
i4.head:
  %i4 = phi i64 [ 0, %i.done ], [ %i4.step, %i4.next ]
  %.107 = icmp slt i64 %i4, 64
  br i1 %.107, label %i4.body, label %i4.done
i4.body:
  %.108 = getelementptr inbounds float, ptr %xs, i64 %i4
  %.109 = load <8 x float>, ptr %.108, align 4
  %.110 = getelementptr inbounds float, ptr %inv, i64 0
  %.111 = load float, ptr %.110, align 4
  %.112 = insertelement <8 x float> poison, float %.111, i64 0
  %.113 = shufflevector <8 x float> %.112, <8 x float> poison, <8 x i32> zeroinitializer
  %.114 = fmul contract <8 x float> %.109, %.113
  %.115 = getelementptr inbounds i16, ptr %w, i64 %i4
  %.116 = load <8 x i16>, ptr %.115, align 2
  %.117 = call <8 x float> @kiln.f32_from_bf16.x8(<8 x i16> %.116)
  %.118 = fmul contract <8 x float> %.114, %.117
  %.119 = call <8 x i16> @kiln.bf16_from_f32.x8(<8 x float> %.118)
  %.120 = mul i64 %cta_x, 64
  %.121 = add i64 %.120, %i4
  %.122 = getelementptr inbounds i16, ptr %y, i64 %.121
  store <8 x i16> %.119, ptr %.122, align 2
  br label %i4.next
i4.next:
  %i4.step = add nsw i64 %i4, 8
  br label %i4.head
i4.done:
  ret void
}

define internal <8 x i16> @kiln.bf16_from_f32.x8(<8 x float> %x) #1 {
entry:
  %.1 = bitcast <8 x float> %x to <8 x i32>
  %.2 = lshr <8 x i32> %.1, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %.3 = and <8 x i32> %.2, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %.4 = add <8 x i32> %.1, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %.5 = add <8 x i32> %.4, %.3
  %.6 = or <8 x i32> %.1, <i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304>
  %.7 = fcmp uno <8 x float> %x, %x
  %.8 = select <8 x i1> %.7, <8 x i32> %.6, <8 x i32> %.5
  %.9 = lshr <8 x i32> %.8, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %.10 = trunc <8 x i32> %.9 to <8 x i16>
  ret <8 x i16> %.10
}

define internal <8 x float> @kiln.f32_from_bf16.x8(<8 x i16> %x) #1 {
entry:
  %.1 = zext <8 x i16> %x to <8 x i32>
  %.2 = shl <8 x i32> %.1, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %.3 = bitcast <8 x i32> %.2 to <8 x float>
  ret <8 x float> %.3
}

attributes #0 = { nounwind "min-legal-vector-width"="256" "prefer-vector-width"="256" }
attributes #1 = { alwaysinline nounwind "min-legal-vector-width"="256" "prefer-vector-width"="256" }
attributes #2 = { nounwind memory(none) }
!0 = !{i32 1}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.unroll.full"}
