; gemm
define void @kiln_gemm(ptr noalias nocapture readonly align 8 %params, i64 %cta_x, i64 %cta_y, i64 %cta_z, ptr noalias nocapture align 64 %scratch) #0 {
entry:
  %c1 = alloca <8 x float>, align 32
  %c2 = alloca <8 x float>, align 32
  %c3 = alloca <8 x float>, align 32
  %c4 = alloca <8 x float>, align 32
  %c5 = alloca <8 x float>, align 32
  %c6 = alloca <8 x float>, align 32
  %c7 = alloca <8 x float>, align 32
  %c8 = alloca <8 x float>, align 32
  %c9 = alloca <8 x float>, align 32
  %c10 = alloca <8 x float>, align 32
  %c11 = alloca <8 x float>, align 32
  %c12 = alloca <8 x float>, align 32
  %c13 = alloca <8 x float>, align 32
  %c14 = alloca <8 x float>, align 32
  %c15 = alloca <8 x float>, align 32
  %c16 = alloca <8 x float>, align 32
  %c17 = alloca <8 x float>, align 32
  %c18 = alloca <8 x float>, align 32
  %c19 = alloca <8 x float>, align 32
  %c20 = alloca <8 x float>, align 32
  %a = load ptr, ptr %params, align 8
  %.1 = getelementptr inbounds i64, ptr %params, i64 1
  %b = load ptr, ptr %.1, align 8
  %.2 = getelementptr inbounds i64, ptr %params, i64 2
  %c = load ptr, ptr %.2, align 8
  %.3 = getelementptr inbounds i64, ptr %params, i64 3
  %M = load i64, ptr %.3, align 8
  %.4 = getelementptr inbounds i64, ptr %params, i64 4
  %grid.x = load i64, ptr %.4, align 8
  %.5 = getelementptr inbounds i64, ptr %params, i64 5
  %grid.y = load i64, ptr %.5, align 8
  %.6 = getelementptr inbounds i64, ptr %params, i64 6
  %grid.z = load i64, ptr %.6, align 8
  %.7 = udiv i64 %cta_x, 8
  %.8 = mul i64 %.7, 8
  %.9 = udiv i64 %M, 64
  %.10 = urem i64 %M, 64
  %.11 = icmp ne i64 %.10, 0
  %.12 = zext i1 %.11 to i64
  %.13 = add i64 %.9, %.12
  %.14 = sub i64 %.13, %.8
  %.15 = call i64 @llvm.smin.i64(i64 %.14, i64 8)
  %.16 = urem i64 %cta_x, 8
  %.17 = mul i64 %.8, 64
  %.18 = icmp eq i64 %.15, -1
  %.19 = select i1 %.18, i64 1, i64 %.15
  %.20 = sdiv i64 %.16, %.19
  %.21 = srem i64 %.16, %.19
  %.22 = icmp ne i64 %.21, 0
  %.23 = xor i64 %.21, %.19
  %.24 = icmp slt i64 %.23, 0
  %.25 = and i1 %.22, %.24
  %.26 = add i64 %.21, %.19
  %.27 = select i1 %.25, i64 %.26, i64 %.21
  %.28 = mul i64 %.27, 64
  %.29 = add i64 %.17, %.28
  %.30 = icmp eq i64 %.15, -1
  %.31 = select i1 %.30, i64 1, i64 %.15
  %.32 = sdiv i64 %.16, %.31
  %.33 = srem i64 %.16, %.31
  %.34 = icmp ne i64 %.33, 0
  %.35 = xor i64 %.33, %.31
  %.36 = icmp slt i64 %.35, 0
  %.37 = and i1 %.34, %.36
  %.38 = zext i1 %.37 to i64
  %.39 = sub i64 %.32, %.38
  %.40 = sub i64 0, %.16
  %.41 = select i1 %.30, i64 %.40, i64 %.39
  %.42 = mul i64 %.41, 64
  %acc = getelementptr inbounds i8, ptr %scratch, i64 0
  br label %i.head
i.head:
  %i = phi i64 [ 0, %entry ], [ %i.step, %i.next ]
  %.43 = icmp slt i64 %i, 64
  br i1 %.43, label %i.body, label %i.done
i.body:
  br label %i1.head
i1.head:
  %i1 = phi i64 [ 0, %i.body ], [ %i1.step, %i1.next ]
  %.44 = icmp slt i64 %i1, 64
  br i1 %.44, label %i1.body, label %i1.done
i1.body:
  %.45 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.46 = shufflevector <8 x float> %.45, <8 x float> poison, <8 x i32> zeroinitializer
  %.47 = mul i64 %i, 64
  %.48 = add i64 %.47, %i1
  %.49 = getelementptr inbounds float, ptr %acc, i64 %.48
  store <8 x float> %.46, ptr %.49, align 4
  br label %i1.next
i1.next:
  %i1.step = add nsw i64 %i1, 8
  br label %i1.head
i1.done:
  br label %i.next
i.next:
  %i.step = add nsw i64 %i, 1
  br label %i.head
i.done:
  br label %k.head
k.head:
  %k = phi i64 [ 0, %i.done ], [ %k.step, %k.next ]
  %.50 = icmp slt i64 %k, 64
  br i1 %.50, label %k.body, label %k.done
k.body:
  %at = getelementptr inbounds i8, ptr %scratch, i64 16384
  %bt = getelementptr inbounds i8, ptr %scratch, i64 24576
  ; cta.copy(at, a[m +: 64, k +: 32])
  %.51 = sub i64 %M, %.29
  %.52 = call i64 @llvm.smin.i64(i64 64, i64 %.51)
  %.53 = call i64 @llvm.smax.i64(i64 %.52, i64 0)
  br label %i2.head
i2.head:
  %i2 = phi i64 [ 0, %k.body ], [ %i2.step, %i2.next ]
  %.54 = icmp slt i64 %i2, %.53
  br i1 %.54, label %i2.body, label %i2.done
i2.body:
  br label %i3.head
i3.head:
  %i3 = phi i64 [ 0, %i2.body ], [ %i3.step, %i3.next ]
  %.55 = icmp slt i64 %i3, 32
  br i1 %.55, label %i3.body, label %i3.done
i3.body:
  %.56 = mul i64 %.29, -1
  %.57 = sub i64 %.56, %i2
  %.58 = sub i64 %.57, 1
  %.59 = icmp slt i64 %.58, 0
  br i1 %.59, label %then, label %else
then:
  %.60 = mul i64 %.29, 64
  %.61 = mul i64 %i2, 64
  %.62 = add i64 %.60, %.61
  %.63 = add i64 %.62, %k
  %.64 = add i64 %.63, %i3
  %.65 = getelementptr inbounds float, ptr %a, i64 %.64
  %.66 = load <8 x float>, ptr %.65, align 4
  br label %join
else:
  %.67 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.68 = shufflevector <8 x float> %.67, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join
join:
  %.69 = phi <8 x float> [ %.66, %then ], [ %.68, %else ]
  %.70 = mul i64 %i2, 32
  %.71 = add i64 %.70, %i3
  %.72 = getelementptr inbounds float, ptr %at, i64 %.71
  store <8 x float> %.69, ptr %.72, align 4
  br label %i3.next
i3.next:
  %i3.step = add nsw i64 %i3, 8
  br label %i3.head
i3.done:
  br label %i2.next
i2.next:
  %i2.step = add nsw i64 %i2, 1
  br label %i2.head
i2.done:
  br label %i2.head.1
i2.head.1:
  %i2.1 = phi i64 [ %.53, %i2.done ], [ %i2.step.1, %i2.next.1 ]
  %.73 = icmp slt i64 %i2.1, 64
  br i1 %.73, label %i2.body.1, label %i2.done.1
i2.body.1:
  br label %i3.head.1
i3.head.1:
  %i3.1 = phi i64 [ 0, %i2.body.1 ], [ %i3.step.1, %i3.next.1 ]
  %.74 = icmp slt i64 %i3.1, 32
  br i1 %.74, label %i3.body.1, label %i3.done.1
i3.body.1:
  %.75 = add i64 %.29, %i2.1
  %.76 = icmp slt i64 %.75, %M
  %.77 = mul i64 %.29, -1
  %.78 = sub i64 %.77, %i2.1
  %.79 = sub i64 %.78, 1
  %.80 = icmp slt i64 %.79, 0
  %.81 = and i1 %.76, %.80
  br i1 %.81, label %then.1, label %else.1
then.1:
  %.82 = mul i64 %.29, 64
  %.83 = mul i64 %i2.1, 64
  %.84 = add i64 %.82, %.83
  %.85 = add i64 %.84, %k
  %.86 = add i64 %.85, %i3.1
  %.87 = getelementptr inbounds float, ptr %a, i64 %.86
  %.88 = load <8 x float>, ptr %.87, align 4
  br label %join.1
else.1:
  %.89 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.90 = shufflevector <8 x float> %.89, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.1
join.1:
  %.91 = phi <8 x float> [ %.88, %then.1 ], [ %.90, %else.1 ]
  %.92 = mul i64 %i2.1, 32
  %.93 = add i64 %.92, %i3.1
  %.94 = getelementptr inbounds float, ptr %at, i64 %.93
  store <8 x float> %.91, ptr %.94, align 4
  br label %i3.next.1
i3.next.1:
  %i3.step.1 = add nsw i64 %i3.1, 8
  br label %i3.head.1
i3.done.1:
  br label %i2.next.1
i2.next.1:
  %i2.step.1 = add nsw i64 %i2.1, 1
  br label %i2.head.1
i2.done.1:
  ; cta.copy(bt, b[n +: 64, k +: 32])
  br label %i4.head
i4.head:
  %i4 = phi i64 [ 0, %i2.done.1 ], [ %i4.step, %i4.next ]
  %.95 = icmp slt i64 %i4, 0
  br i1 %.95, label %i4.body, label %i4.done
i4.body:
  br label %i5.head
i5.head:
  %i5 = phi i64 [ 0, %i4.body ], [ %i5.step, %i5.next ]
  %.96 = icmp slt i64 %i5, 0
  br i1 %.96, label %i5.body, label %i5.done
i5.body:
  %.97 = mul i64 %.42, -1
  %.98 = sub i64 %.97, %i4
  %.99 = sub i64 %.98, 1
  %.100 = icmp slt i64 %.99, 0
  br i1 %.100, label %then.2, label %else.2
then.2:
  %.101 = mul i64 %.42, 64
  %.102 = mul i64 %i4, 64
  %.103 = add i64 %.101, %.102
  %.104 = add i64 %.103, %k
  %.105 = add i64 %.104, %i5
  %.106 = getelementptr inbounds float, ptr %b, i64 %.105
  %.107 = load <8 x float>, ptr %.106, align 4
  br label %join.2
else.2:
  %.108 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.109 = shufflevector <8 x float> %.108, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.2
join.2:
  %.110 = phi <8 x float> [ %.107, %then.2 ], [ %.109, %else.2 ]
  %.111 = mul i64 %.42, -1
  %.112 = add i64 %i4, 1
  %.113 = sub i64 %.111, %.112
  %.114 = sub i64 %.113, 1
  %.115 = icmp slt i64 %.114, 0
  br i1 %.115, label %then.3, label %else.3
then.3:
  %.116 = mul i64 %.42, 64
  %.117 = mul i64 %i4, 64
  %.118 = add i64 %.116, %.117
  %.119 = add i64 %.118, %k
  %.120 = add i64 %.119, %i5
  %.121 = add i64 %.120, 64
  %.122 = getelementptr inbounds float, ptr %b, i64 %.121
  %.123 = load <8 x float>, ptr %.122, align 4
  br label %join.3
else.3:
  %.124 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.125 = shufflevector <8 x float> %.124, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.3
join.3:
  %.126 = phi <8 x float> [ %.123, %then.3 ], [ %.125, %else.3 ]
  %.127 = mul i64 %.42, -1
  %.128 = add i64 %i4, 2
  %.129 = sub i64 %.127, %.128
  %.130 = sub i64 %.129, 1
  %.131 = icmp slt i64 %.130, 0
  br i1 %.131, label %then.4, label %else.4
then.4:
  %.132 = mul i64 %.42, 64
  %.133 = mul i64 %i4, 64
  %.134 = add i64 %.132, %.133
  %.135 = add i64 %.134, %k
  %.136 = add i64 %.135, %i5
  %.137 = add i64 %.136, 128
  %.138 = getelementptr inbounds float, ptr %b, i64 %.137
  %.139 = load <8 x float>, ptr %.138, align 4
  br label %join.4
else.4:
  %.140 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.141 = shufflevector <8 x float> %.140, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.4
join.4:
  %.142 = phi <8 x float> [ %.139, %then.4 ], [ %.141, %else.4 ]
  %.143 = mul i64 %.42, -1
  %.144 = add i64 %i4, 3
  %.145 = sub i64 %.143, %.144
  %.146 = sub i64 %.145, 1
  %.147 = icmp slt i64 %.146, 0
  br i1 %.147, label %then.5, label %else.5
then.5:
  %.148 = mul i64 %.42, 64
  %.149 = mul i64 %i4, 64
  %.150 = add i64 %.148, %.149
  %.151 = add i64 %.150, %k
  %.152 = add i64 %.151, %i5
  %.153 = add i64 %.152, 192
  %.154 = getelementptr inbounds float, ptr %b, i64 %.153
  %.155 = load <8 x float>, ptr %.154, align 4
  br label %join.5
else.5:
  %.156 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.157 = shufflevector <8 x float> %.156, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.5
join.5:
  %.158 = phi <8 x float> [ %.155, %then.5 ], [ %.157, %else.5 ]
  %.159 = mul i64 %.42, -1
  %.160 = add i64 %i4, 4
  %.161 = sub i64 %.159, %.160
  %.162 = sub i64 %.161, 1
  %.163 = icmp slt i64 %.162, 0
  br i1 %.163, label %then.6, label %else.6
then.6:
  %.164 = mul i64 %.42, 64
  %.165 = mul i64 %i4, 64
  %.166 = add i64 %.164, %.165
  %.167 = add i64 %.166, %k
  %.168 = add i64 %.167, %i5
  %.169 = add i64 %.168, 256
  %.170 = getelementptr inbounds float, ptr %b, i64 %.169
  %.171 = load <8 x float>, ptr %.170, align 4
  br label %join.6
else.6:
  %.172 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.173 = shufflevector <8 x float> %.172, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.6
join.6:
  %.174 = phi <8 x float> [ %.171, %then.6 ], [ %.173, %else.6 ]
  %.175 = mul i64 %.42, -1
  %.176 = add i64 %i4, 5
  %.177 = sub i64 %.175, %.176
  %.178 = sub i64 %.177, 1
  %.179 = icmp slt i64 %.178, 0
  br i1 %.179, label %then.7, label %else.7
then.7:
  %.180 = mul i64 %.42, 64
  %.181 = mul i64 %i4, 64
  %.182 = add i64 %.180, %.181
  %.183 = add i64 %.182, %k
  %.184 = add i64 %.183, %i5
  %.185 = add i64 %.184, 320
  %.186 = getelementptr inbounds float, ptr %b, i64 %.185
  %.187 = load <8 x float>, ptr %.186, align 4
  br label %join.7
else.7:
  %.188 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.189 = shufflevector <8 x float> %.188, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.7
join.7:
  %.190 = phi <8 x float> [ %.187, %then.7 ], [ %.189, %else.7 ]
  %.191 = mul i64 %.42, -1
  %.192 = add i64 %i4, 6
  %.193 = sub i64 %.191, %.192
  %.194 = sub i64 %.193, 1
  %.195 = icmp slt i64 %.194, 0
  br i1 %.195, label %then.8, label %else.8
then.8:
  %.196 = mul i64 %.42, 64
  %.197 = mul i64 %i4, 64
  %.198 = add i64 %.196, %.197
  %.199 = add i64 %.198, %k
  %.200 = add i64 %.199, %i5
  %.201 = add i64 %.200, 384
  %.202 = getelementptr inbounds float, ptr %b, i64 %.201
  %.203 = load <8 x float>, ptr %.202, align 4
  br label %join.8
else.8:
  %.204 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.205 = shufflevector <8 x float> %.204, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.8
join.8:
  %.206 = phi <8 x float> [ %.203, %then.8 ], [ %.205, %else.8 ]
  %.207 = mul i64 %.42, -1
  %.208 = add i64 %i4, 7
  %.209 = sub i64 %.207, %.208
  %.210 = sub i64 %.209, 1
  %.211 = icmp slt i64 %.210, 0
  br i1 %.211, label %then.9, label %else.9
then.9:
  %.212 = mul i64 %.42, 64
  %.213 = mul i64 %i4, 64
  %.214 = add i64 %.212, %.213
  %.215 = add i64 %.214, %k
  %.216 = add i64 %.215, %i5
  %.217 = add i64 %.216, 448
  %.218 = getelementptr inbounds float, ptr %b, i64 %.217
  %.219 = load <8 x float>, ptr %.218, align 4
  br label %join.9
else.9:
  %.220 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.221 = shufflevector <8 x float> %.220, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join.9
join.9:
  %.222 = phi <8 x float> [ %.219, %then.9 ], [ %.221, %else.9 ]
  %.223 = shufflevector <8 x float> %.110, <8 x float> %.174, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.224 = shufflevector <8 x float> %.110, <8 x float> %.174, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.225 = shufflevector <8 x float> %.126, <8 x float> %.190, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.226 = shufflevector <8 x float> %.126, <8 x float> %.190, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.227 = shufflevector <8 x float> %.142, <8 x float> %.206, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.228 = shufflevector <8 x float> %.142, <8 x float> %.206, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.229 = shufflevector <8 x float> %.158, <8 x float> %.222, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.230 = shufflevector <8 x float> %.158, <8 x float> %.222, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.231 = shufflevector <8 x float> %.223, <8 x float> %.227, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.232 = shufflevector <8 x float> %.223, <8 x float> %.227, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.233 = shufflevector <8 x float> %.224, <8 x float> %.228, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.234 = shufflevector <8 x float> %.224, <8 x float> %.228, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.235 = shufflevector <8 x float> %.225, <8 x float> %.229, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.236 = shufflevector <8 x float> %.225, <8 x float> %.229, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.237 = shufflevector <8 x float> %.226, <8 x float> %.230, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.238 = shufflevector <8 x float> %.226, <8 x float> %.230, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.239 = shufflevector <8 x float> %.231, <8 x float> %.235, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.240 = shufflevector <8 x float> %.231, <8 x float> %.235, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.241 = shufflevector <8 x float> %.232, <8 x float> %.236, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.242 = shufflevector <8 x float> %.232, <8 x float> %.236, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.243 = shufflevector <8 x float> %.233, <8 x float> %.237, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.244 = shufflevector <8 x float> %.233, <8 x float> %.237, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.245 = shufflevector <8 x float> %.234, <8 x float> %.238, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.246 = shufflevector <8 x float> %.234, <8 x float> %.238, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.247 = udiv i64 %i4, 16
  %.248 = mul i64 %.247, 512
  %.249 = urem i64 %i4, 16
  %.250 = add i64 %.248, %.249
  %.251 = mul i64 %i5, 16
  %.252 = add i64 %.250, %.251
  %.253 = getelementptr inbounds float, ptr %bt, i64 %.252
  store <8 x float> %.239, ptr %.253, align 4
  %.254 = udiv i64 %i4, 16
  %.255 = mul i64 %.254, 512
  %.256 = urem i64 %i4, 16
  %.257 = add i64 %.255, %.256
  %.258 = mul i64 %i5, 16
  %.259 = add i64 %.257, %.258
  %.260 = add i64 %.259, 16
  %.261 = getelementptr inbounds float, ptr %bt, i64 %.260
  store <8 x float> %.240, ptr %.261, align 4
  %.262 = udiv i64 %i4, 16
  %.263 = mul i64 %.262, 512
  %.264 = urem i64 %i4, 16
  %.265 = add i64 %.263, %.264
  %.266 = mul i64 %i5, 16
  %.267 = add i64 %.265, %.266
  %.268 = add i64 %.267, 32
  %.269 = getelementptr inbounds float, ptr %bt, i64 %.268
  store <8 x float> %.241, ptr %.269, align 4
  %.270 = udiv i64 %i4, 16
  %.271 = mul i64 %.270, 512
  %.272 = urem i64 %i4, 16
  %.273 = add i64 %.271, %.272
  %.274 = mul i64 %i5, 16
  %.275 = add i64 %.273, %.274
  %.276 = add i64 %.275, 48
  %.277 = getelementptr inbounds float, ptr %bt, i64 %.276
  store <8 x float> %.242, ptr %.277, align 4
  %.278 = udiv i64 %i4, 16
  %.279 = mul i64 %.278, 512
  %.280 = urem i64 %i4, 16
  %.281 = add i64 %.279, %.280
  %.282 = mul i64 %i5, 16
  %.283 = add i64 %.281, %.282
  %.284 = add i64 %.283, 64
  %.285 = getelementptr inbounds float, ptr %bt, i64 %.284
  store <8 x float> %.243, ptr %.285, align 4
  %.286 = udiv i64 %i4, 16
  %.287 = mul i64 %.286, 512
  %.288 = urem i64 %i4, 16
  %.289 = add i64 %.287, %.288
  %.290 = mul i64 %i5, 16
  %.291 = add i64 %.289, %.290
  %.292 = add i64 %.291, 80
  %.293 = getelementptr inbounds float, ptr %bt, i64 %.292
  store <8 x float> %.244, ptr %.293, align 4
  %.294 = udiv i64 %i4, 16
  %.295 = mul i64 %.294, 512
  %.296 = urem i64 %i4, 16
  %.297 = add i64 %.295, %.296
  %.298 = mul i64 %i5, 16
  %.299 = add i64 %.297, %.298
  %.300 = add i64 %.299, 96
  %.301 = getelementptr inbounds float, ptr %bt, i64 %.300
  store <8 x float> %.245, ptr %.301, align 4
  %.302 = udiv i64 %i4, 16
  %.303 = mul i64 %.302, 512
  %.304 = urem i64 %i4, 16
  %.305 = add i64 %.303, %.304
  %.306 = mul i64 %i5, 16
  %.307 = add i64 %.305, %.306
  %.308 = add i64 %.307, 112
  %.309 = getelementptr inbounds float, ptr %bt, i64 %.308
  store <8 x float> %.246, ptr %.309, align 4
  br label %i5.next
i5.next:
  %i5.step = add nsw i64 %i5, 8
  br label %i5.head
i5.done:
  br label %i4.next
i4.next:
  %i4.step = add nsw i64 %i4, 8
  br label %i4.head
i4.done:
  br label %i5.head.1
i5.head.1:
  %i5.1 = phi i64 [ 0, %i4.done ], [ %i5.step.1, %i5.next.1 ]
  %.310 = icmp slt i64 %i5.1, 32
  br i1 %.310, label %i5.body.1, label %i5.done.1
i5.body.1:
  br label %i4.head.1
i4.head.1:
  %i4.1 = phi i64 [ 0, %i5.body.1 ], [ %i4.step.1, %i4.next.1 ]
  %.311 = icmp slt i64 %i4.1, 64
  br i1 %.311, label %i4.body.1, label %i4.done.1
i4.body.1:
  %.312 = add i64 %.42, %i4.1
  %.313 = icmp slt i64 %.312, 64
  %.314 = mul i64 %.42, -1
  %.315 = sub i64 %.314, %i4.1
  %.316 = sub i64 %.315, 1
  %.317 = icmp slt i64 %.316, 0
  %.318 = and i1 %.313, %.317
  br i1 %.318, label %then.10, label %else.10
then.10:
  %.319 = mul i64 %.42, 64
  %.320 = mul i64 %i4.1, 64
  %.321 = add i64 %.319, %.320
  %.322 = add i64 %.321, %k
  %.323 = add i64 %.322, %i5.1
  %.324 = getelementptr inbounds float, ptr %b, i64 %.323
  %.325 = load float, ptr %.324, align 4
  br label %join.10
else.10:
  br label %join.10
join.10:
  %.326 = phi float [ %.325, %then.10 ], [ 0x0000000000000000, %else.10 ]
  %.327 = udiv i64 %i4.1, 16
  %.328 = mul i64 %.327, 512
  %.329 = urem i64 %i4.1, 16
  %.330 = add i64 %.328, %.329
  %.331 = mul i64 %i5.1, 16
  %.332 = add i64 %.330, %.331
  %.333 = getelementptr inbounds float, ptr %bt, i64 %.332
  store float %.326, ptr %.333, align 4
  br label %i4.next.1
i4.next.1:
  %i4.step.1 = add nsw i64 %i4.1, 1
  br label %i4.head.1
i4.done.1:
  br label %i5.next.1
i5.next.1:
  %i5.step.1 = add nsw i64 %i5.1, 1
  br label %i5.head.1
i5.done.1:
  ; cta.gemm(acc, at, bt, trans_b = true)
  br label %column.head
column.head:
  %column = phi i64 [ 0, %i5.done.1 ], [ %column.step, %column.next ]
  %.334 = icmp slt i64 %column, 64
  br i1 %.334, label %column.body, label %column.done
column.body:
  %.335 = udiv i64 %.53, 6
  %.336 = urem i64 %.53, 6
  %.337 = icmp ne i64 %.336, 0
  %.338 = zext i1 %.337 to i64
  %.339 = add i64 %.335, %.338
  %.340 = mul i64 %.339, 6
  %.341 = call i64 @llvm.smin.i64(i64 60, i64 %.340)
  br label %row8.head
row8.head:
  %row8 = phi i64 [ 0, %column.body ], [ %row8.step, %row8.next ]
  %.342 = icmp slt i64 %row8, %.341
  br i1 %.342, label %row8.body, label %row8.done
row8.body:
  %.343 = mul i64 %row8, 64
  %.344 = add i64 %.343, %column
  %.345 = getelementptr inbounds float, ptr %acc, i64 %.344
  %.346 = load <8 x float>, ptr %.345, align 4
  store <8 x float> %.346, ptr %c1
  %.347 = mul i64 %row8, 64
  %.348 = add i64 %.347, %column
  %.349 = add i64 %.348, 8
  %.350 = getelementptr inbounds float, ptr %acc, i64 %.349
  %.351 = load <8 x float>, ptr %.350, align 4
  store <8 x float> %.351, ptr %c2
  %.352 = mul i64 %row8, 64
  %.353 = add i64 %.352, %column
  %.354 = add i64 %.353, 64
  %.355 = getelementptr inbounds float, ptr %acc, i64 %.354
  %.356 = load <8 x float>, ptr %.355, align 4
  store <8 x float> %.356, ptr %c3
  %.357 = mul i64 %row8, 64
  %.358 = add i64 %.357, %column
  %.359 = add i64 %.358, 72
  %.360 = getelementptr inbounds float, ptr %acc, i64 %.359
  %.361 = load <8 x float>, ptr %.360, align 4
  store <8 x float> %.361, ptr %c4
  %.362 = mul i64 %row8, 64
  %.363 = add i64 %.362, %column
  %.364 = add i64 %.363, 128
  %.365 = getelementptr inbounds float, ptr %acc, i64 %.364
  %.366 = load <8 x float>, ptr %.365, align 4
  store <8 x float> %.366, ptr %c5
  %.367 = mul i64 %row8, 64
  %.368 = add i64 %.367, %column
  %.369 = add i64 %.368, 136
  %.370 = getelementptr inbounds float, ptr %acc, i64 %.369
  %.371 = load <8 x float>, ptr %.370, align 4
  store <8 x float> %.371, ptr %c6
  %.372 = mul i64 %row8, 64
  %.373 = add i64 %.372, %column
  %.374 = add i64 %.373, 192
  %.375 = getelementptr inbounds float, ptr %acc, i64 %.374
  %.376 = load <8 x float>, ptr %.375, align 4
  store <8 x float> %.376, ptr %c7
  %.377 = mul i64 %row8, 64
  %.378 = add i64 %.377, %column
  %.379 = add i64 %.378, 200
  %.380 = getelementptr inbounds float, ptr %acc, i64 %.379
  %.381 = load <8 x float>, ptr %.380, align 4
  store <8 x float> %.381, ptr %c8
  %.382 = mul i64 %row8, 64
  %.383 = add i64 %.382, %column
  %.384 = add i64 %.383, 256
  %.385 = getelementptr inbounds float, ptr %acc, i64 %.384
  %.386 = load <8 x float>, ptr %.385, align 4
  store <8 x float> %.386, ptr %c9
  %.387 = mul i64 %row8, 64
  %.388 = add i64 %.387, %column
  %.389 = add i64 %.388, 264
  %.390 = getelementptr inbounds float, ptr %acc, i64 %.389
  %.391 = load <8 x float>, ptr %.390, align 4
  store <8 x float> %.391, ptr %c10
  %.392 = mul i64 %row8, 64
  %.393 = add i64 %.392, %column
  %.394 = add i64 %.393, 320
  %.395 = getelementptr inbounds float, ptr %acc, i64 %.394
  %.396 = load <8 x float>, ptr %.395, align 4
  store <8 x float> %.396, ptr %c11
  %.397 = mul i64 %row8, 64
  %.398 = add i64 %.397, %column
  %.399 = add i64 %.398, 328
  %.400 = getelementptr inbounds float, ptr %acc, i64 %.399
  %.401 = load <8 x float>, ptr %.400, align 4
  store <8 x float> %.401, ptr %c12
  br label %k1.head
k1.head:
  %k1 = phi i64 [ 0, %row8.body ], [ %k1.step, %k1.next ]
  %.402 = icmp slt i64 %k1, 32
  br i1 %.402, label %k1.body, label %k1.done
k1.body:
  %.403 = udiv i64 %column, 16
  %.404 = mul i64 %.403, 512
  %.405 = mul i64 %k1, 16
  %.406 = add i64 %.404, %.405
  %.407 = getelementptr inbounds float, ptr %bt, i64 %.406
  %.408 = load <8 x float>, ptr %.407, align 4
  %.409 = udiv i64 %column, 16
  %.410 = mul i64 %.409, 512
  %.411 = mul i64 %k1, 16
  %.412 = add i64 %.410, %.411
  %.413 = add i64 %.412, 8
  %.414 = getelementptr inbounds float, ptr %bt, i64 %.413
  %.415 = load <8 x float>, ptr %.414, align 4
  %.416 = mul i64 %row8, 32
  %.417 = add i64 %.416, %k1
  %.418 = getelementptr inbounds float, ptr %at, i64 %.417
  %.419 = load float, ptr %.418, align 4
  %.420 = load <8 x float>, ptr %c1
  %.421 = insertelement <8 x float> poison, float %.419, i64 0
  %.422 = shufflevector <8 x float> %.421, <8 x float> poison, <8 x i32> zeroinitializer
  %.423 = fmul contract <8 x float> %.422, %.408
  %.424 = fadd contract <8 x float> %.420, %.423
  store <8 x float> %.424, ptr %c1
  %.425 = load <8 x float>, ptr %c2
  %.426 = insertelement <8 x float> poison, float %.419, i64 0
  %.427 = shufflevector <8 x float> %.426, <8 x float> poison, <8 x i32> zeroinitializer
  %.428 = fmul contract <8 x float> %.427, %.415
  %.429 = fadd contract <8 x float> %.425, %.428
  store <8 x float> %.429, ptr %c2
  %.430 = mul i64 %row8, 32
  %.431 = add i64 %.430, %k1
  %.432 = add i64 %.431, 32
  %.433 = getelementptr inbounds float, ptr %at, i64 %.432
  %.434 = load float, ptr %.433, align 4
  %.435 = load <8 x float>, ptr %c3
  %.436 = insertelement <8 x float> poison, float %.434, i64 0
  %.437 = shufflevector <8 x float> %.436, <8 x float> poison, <8 x i32> zeroinitializer
  %.438 = fmul contract <8 x float> %.437, %.408
  %.439 = fadd contract <8 x float> %.435, %.438
  store <8 x float> %.439, ptr %c3
  %.440 = load <8 x float>, ptr %c4
  %.441 = insertelement <8 x float> poison, float %.434, i64 0
  %.442 = shufflevector <8 x float> %.441, <8 x float> poison, <8 x i32> zeroinitializer
  %.443 = fmul contract <8 x float> %.442, %.415
  %.444 = fadd contract <8 x float> %.440, %.443
  store <8 x float> %.444, ptr %c4
  %.445 = mul i64 %row8, 32
  %.446 = add i64 %.445, %k1
  %.447 = add i64 %.446, 64
  %.448 = getelementptr inbounds float, ptr %at, i64 %.447
  %.449 = load float, ptr %.448, align 4
  %.450 = load <8 x float>, ptr %c5
  %.451 = insertelement <8 x float> poison, float %.449, i64 0
  %.452 = shufflevector <8 x float> %.451, <8 x float> poison, <8 x i32> zeroinitializer
  %.453 = fmul contract <8 x float> %.452, %.408
  %.454 = fadd contract <8 x float> %.450, %.453
  store <8 x float> %.454, ptr %c5
  %.455 = load <8 x float>, ptr %c6
  %.456 = insertelement <8 x float> poison, float %.449, i64 0
  %.457 = shufflevector <8 x float> %.456, <8 x float> poison, <8 x i32> zeroinitializer
  %.458 = fmul contract <8 x float> %.457, %.415
  %.459 = fadd contract <8 x float> %.455, %.458
  store <8 x float> %.459, ptr %c6
  %.460 = mul i64 %row8, 32
  %.461 = add i64 %.460, %k1
  %.462 = add i64 %.461, 96
  %.463 = getelementptr inbounds float, ptr %at, i64 %.462
  %.464 = load float, ptr %.463, align 4
  %.465 = load <8 x float>, ptr %c7
  %.466 = insertelement <8 x float> poison, float %.464, i64 0
  %.467 = shufflevector <8 x float> %.466, <8 x float> poison, <8 x i32> zeroinitializer
  %.468 = fmul contract <8 x float> %.467, %.408
  %.469 = fadd contract <8 x float> %.465, %.468
  store <8 x float> %.469, ptr %c7
  %.470 = load <8 x float>, ptr %c8
  %.471 = insertelement <8 x float> poison, float %.464, i64 0
  %.472 = shufflevector <8 x float> %.471, <8 x float> poison, <8 x i32> zeroinitializer
  %.473 = fmul contract <8 x float> %.472, %.415
  %.474 = fadd contract <8 x float> %.470, %.473
  store <8 x float> %.474, ptr %c8
  %.475 = mul i64 %row8, 32
  %.476 = add i64 %.475, %k1
  %.477 = add i64 %.476, 128
  %.478 = getelementptr inbounds float, ptr %at, i64 %.477
  %.479 = load float, ptr %.478, align 4
  %.480 = load <8 x float>, ptr %c9
  %.481 = insertelement <8 x float> poison, float %.479, i64 0
  %.482 = shufflevector <8 x float> %.481, <8 x float> poison, <8 x i32> zeroinitializer
  %.483 = fmul contract <8 x float> %.482, %.408
  %.484 = fadd contract <8 x float> %.480, %.483
  store <8 x float> %.484, ptr %c9
  %.485 = load <8 x float>, ptr %c10
  %.486 = insertelement <8 x float> poison, float %.479, i64 0
  %.487 = shufflevector <8 x float> %.486, <8 x float> poison, <8 x i32> zeroinitializer
  %.488 = fmul contract <8 x float> %.487, %.415
  %.489 = fadd contract <8 x float> %.485, %.488
  store <8 x float> %.489, ptr %c10
  %.490 = mul i64 %row8, 32
  %.491 = add i64 %.490, %k1
  %.492 = add i64 %.491, 160
  %.493 = getelementptr inbounds float, ptr %at, i64 %.492
  %.494 = load float, ptr %.493, align 4
  %.495 = load <8 x float>, ptr %c11
  %.496 = insertelement <8 x float> poison, float %.494, i64 0
  %.497 = shufflevector <8 x float> %.496, <8 x float> poison, <8 x i32> zeroinitializer
  %.498 = fmul contract <8 x float> %.497, %.408
  %.499 = fadd contract <8 x float> %.495, %.498
  store <8 x float> %.499, ptr %c11
  %.500 = load <8 x float>, ptr %c12
  %.501 = insertelement <8 x float> poison, float %.494, i64 0
  %.502 = shufflevector <8 x float> %.501, <8 x float> poison, <8 x i32> zeroinitializer
  %.503 = fmul contract <8 x float> %.502, %.415
  %.504 = fadd contract <8 x float> %.500, %.503
  store <8 x float> %.504, ptr %c12
  br label %k1.next
k1.next:
  %k1.step = add nsw i64 %k1, 1
  br label %k1.head
k1.done:
  %.505 = load <8 x float>, ptr %c1
  %.506 = mul i64 %row8, 64
  %.507 = add i64 %.506, %column
  %.508 = getelementptr inbounds float, ptr %acc, i64 %.507
  store <8 x float> %.505, ptr %.508, align 4
  %.509 = load <8 x float>, ptr %c2
  %.510 = mul i64 %row8, 64
  %.511 = add i64 %.510, %column
  %.512 = add i64 %.511, 8
  %.513 = getelementptr inbounds float, ptr %acc, i64 %.512
  store <8 x float> %.509, ptr %.513, align 4
  %.514 = load <8 x float>, ptr %c3
  %.515 = mul i64 %row8, 64
  %.516 = add i64 %.515, %column
  %.517 = add i64 %.516, 64
  %.518 = getelementptr inbounds float, ptr %acc, i64 %.517
  store <8 x float> %.514, ptr %.518, align 4
  %.519 = load <8 x float>, ptr %c4
  %.520 = mul i64 %row8, 64
  %.521 = add i64 %.520, %column
  %.522 = add i64 %.521, 72
  %.523 = getelementptr inbounds float, ptr %acc, i64 %.522
  store <8 x float> %.519, ptr %.523, align 4
  %.524 = load <8 x float>, ptr %c5
  %.525 = mul i64 %row8, 64
  %.526 = add i64 %.525, %column
  %.527 = add i64 %.526, 128
  %.528 = getelementptr inbounds float, ptr %acc, i64 %.527
  store <8 x float> %.524, ptr %.528, align 4
  %.529 = load <8 x float>, ptr %c6
  %.530 = mul i64 %row8, 64
  %.531 = add i64 %.530, %column
  %.532 = add i64 %.531, 136
  %.533 = getelementptr inbounds float, ptr %acc, i64 %.532
  store <8 x float> %.529, ptr %.533, align 4
  %.534 = load <8 x float>, ptr %c7
  %.535 = mul i64 %row8, 64
  %.536 = add i64 %.535, %column
  %.537 = add i64 %.536, 192
  %.538 = getelementptr inbounds float, ptr %acc, i64 %.537
  store <8 x float> %.534, ptr %.538, align 4
  %.539 = load <8 x float>, ptr %c8
  %.540 = mul i64 %row8, 64
  %.541 = add i64 %.540, %column
  %.542 = add i64 %.541, 200
  %.543 = getelementptr inbounds float, ptr %acc, i64 %.542
  store <8 x float> %.539, ptr %.543, align 4
  %.544 = load <8 x float>, ptr %c9
  %.545 = mul i64 %row8, 64
  %.546 = add i64 %.545, %column
  %.547 = add i64 %.546, 256
  %.548 = getelementptr inbounds float, ptr %acc, i64 %.547
  store <8 x float> %.544, ptr %.548, align 4
  %.549 = load <8 x float>, ptr %c10
  %.550 = mul i64 %row8, 64
  %.551 = add i64 %.550, %column
  %.552 = add i64 %.551, 264
  %.553 = getelementptr inbounds float, ptr %acc, i64 %.552
  store <8 x float> %.549, ptr %.553, align 4
  %.554 = load <8 x float>, ptr %c11
  %.555 = mul i64 %row8, 64
  %.556 = add i64 %.555, %column
  %.557 = add i64 %.556, 320
  %.558 = getelementptr inbounds float, ptr %acc, i64 %.557
  store <8 x float> %.554, ptr %.558, align 4
  %.559 = load <8 x float>, ptr %c12
  %.560 = mul i64 %row8, 64
  %.561 = add i64 %.560, %column
  %.562 = add i64 %.561, 328
  %.563 = getelementptr inbounds float, ptr %acc, i64 %.562
  store <8 x float> %.559, ptr %.563, align 4
  br label %row8.next
row8.next:
  %row8.step = add nsw i64 %row8, 6
  br label %row8.head
row8.done:
  %.564 = icmp slt i64 60, %.53
  br i1 %.564, label %if.then, label %if.done
if.then:
  %.565 = add i64 %column, 3840
  %.566 = getelementptr inbounds float, ptr %acc, i64 %.565
  %.567 = load <8 x float>, ptr %.566, align 4
  store <8 x float> %.567, ptr %c13
  %.568 = add i64 %column, 3848
  %.569 = getelementptr inbounds float, ptr %acc, i64 %.568
  %.570 = load <8 x float>, ptr %.569, align 4
  store <8 x float> %.570, ptr %c14
  %.571 = add i64 %column, 3904
  %.572 = getelementptr inbounds float, ptr %acc, i64 %.571
  %.573 = load <8 x float>, ptr %.572, align 4
  store <8 x float> %.573, ptr %c15
  %.574 = add i64 %column, 3912
  %.575 = getelementptr inbounds float, ptr %acc, i64 %.574
  %.576 = load <8 x float>, ptr %.575, align 4
  store <8 x float> %.576, ptr %c16
  %.577 = add i64 %column, 3968
  %.578 = getelementptr inbounds float, ptr %acc, i64 %.577
  %.579 = load <8 x float>, ptr %.578, align 4
  store <8 x float> %.579, ptr %c17
  %.580 = add i64 %column, 3976
  %.581 = getelementptr inbounds float, ptr %acc, i64 %.580
  %.582 = load <8 x float>, ptr %.581, align 4
  store <8 x float> %.582, ptr %c18
  %.583 = add i64 %column, 4032
  %.584 = getelementptr inbounds float, ptr %acc, i64 %.583
  %.585 = load <8 x float>, ptr %.584, align 4
  store <8 x float> %.585, ptr %c19
  %.586 = add i64 %column, 4040
  %.587 = getelementptr inbounds float, ptr %acc, i64 %.586
  %.588 = load <8 x float>, ptr %.587, align 4
  store <8 x float> %.588, ptr %c20
  br label %k2.head
k2.head:
  %k2 = phi i64 [ 0, %if.then ], [ %k2.step, %k2.next ]
  %.589 = icmp slt i64 %k2, 32
  br i1 %.589, label %k2.body, label %k2.done
k2.body:
  %.590 = udiv i64 %column, 16
  %.591 = mul i64 %.590, 512
  %.592 = mul i64 %k2, 16
  %.593 = add i64 %.591, %.592
  %.594 = getelementptr inbounds float, ptr %bt, i64 %.593
  %.595 = load <8 x float>, ptr %.594, align 4
  %.596 = udiv i64 %column, 16
  %.597 = mul i64 %.596, 512
  %.598 = mul i64 %k2, 16
  %.599 = add i64 %.597, %.598
  %.600 = add i64 %.599, 8
  %.601 = getelementptr inbounds float, ptr %bt, i64 %.600
  %.602 = load <8 x float>, ptr %.601, align 4
  %.603 = add i64 %k2, 1920
  %.604 = getelementptr inbounds float, ptr %at, i64 %.603
  %.605 = load float, ptr %.604, align 4
  %.606 = load <8 x float>, ptr %c13
  %.607 = insertelement <8 x float> poison, float %.605, i64 0
  %.608 = shufflevector <8 x float> %.607, <8 x float> poison, <8 x i32> zeroinitializer
  %.609 = fmul contract <8 x float> %.608, %.595
  %.610 = fadd contract <8 x float> %.606, %.609
  store <8 x float> %.610, ptr %c13
  %.611 = load <8 x float>, ptr %c14
  %.612 = insertelement <8 x float> poison, float %.605, i64 0
  %.613 = shufflevector <8 x float> %.612, <8 x float> poison, <8 x i32> zeroinitializer
  %.614 = fmul contract <8 x float> %.613, %.602
  %.615 = fadd contract <8 x float> %.611, %.614
  store <8 x float> %.615, ptr %c14
  %.616 = add i64 %k2, 1952
  %.617 = getelementptr inbounds float, ptr %at, i64 %.616
  %.618 = load float, ptr %.617, align 4
  %.619 = load <8 x float>, ptr %c15
  %.620 = insertelement <8 x float> poison, float %.618, i64 0
  %.621 = shufflevector <8 x float> %.620, <8 x float> poison, <8 x i32> zeroinitializer
  %.622 = fmul contract <8 x float> %.621, %.595
  %.623 = fadd contract <8 x float> %.619, %.622
  store <8 x float> %.623, ptr %c15
  %.624 = load <8 x float>, ptr %c16
  %.625 = insertelement <8 x float> poison, float %.618, i64 0
  %.626 = shufflevector <8 x float> %.625, <8 x float> poison, <8 x i32> zeroinitializer
  %.627 = fmul contract <8 x float> %.626, %.602
  %.628 = fadd contract <8 x float> %.624, %.627
  store <8 x float> %.628, ptr %c16
  %.629 = add i64 %k2, 1984
  %.630 = getelementptr inbounds float, ptr %at, i64 %.629
  %.631 = load float, ptr %.630, align 4
  %.632 = load <8 x float>, ptr %c17
  %.633 = insertelement <8 x float> poison, float %.631, i64 0
  %.634 = shufflevector <8 x float> %.633, <8 x float> poison, <8 x i32> zeroinitializer
  %.635 = fmul contract <8 x float> %.634, %.595
  %.636 = fadd contract <8 x float> %.632, %.635
  store <8 x float> %.636, ptr %c17
  %.637 = load <8 x float>, ptr %c18
  %.638 = insertelement <8 x float> poison, float %.631, i64 0
  %.639 = shufflevector <8 x float> %.638, <8 x float> poison, <8 x i32> zeroinitializer
  %.640 = fmul contract <8 x float> %.639, %.602
  %.641 = fadd contract <8 x float> %.637, %.640
  store <8 x float> %.641, ptr %c18
  %.642 = add i64 %k2, 2016
  %.643 = getelementptr inbounds float, ptr %at, i64 %.642
  %.644 = load float, ptr %.643, align 4
  %.645 = load <8 x float>, ptr %c19
  %.646 = insertelement <8 x float> poison, float %.644, i64 0
  %.647 = shufflevector <8 x float> %.646, <8 x float> poison, <8 x i32> zeroinitializer
  %.648 = fmul contract <8 x float> %.647, %.595
  %.649 = fadd contract <8 x float> %.645, %.648
  store <8 x float> %.649, ptr %c19
  %.650 = load <8 x float>, ptr %c20
  %.651 = insertelement <8 x float> poison, float %.644, i64 0
  %.652 = shufflevector <8 x float> %.651, <8 x float> poison, <8 x i32> zeroinitializer
  %.653 = fmul contract <8 x float> %.652, %.602
  %.654 = fadd contract <8 x float> %.650, %.653
  store <8 x float> %.654, ptr %c20
  br label %k2.next
k2.next:
  %k2.step = add nsw i64 %k2, 1
  br label %k2.head
k2.done:
  %.655 = load <8 x float>, ptr %c13
  %.656 = add i64 %column, 3840
  %.657 = getelementptr inbounds float, ptr %acc, i64 %.656
  store <8 x float> %.655, ptr %.657, align 4
  %.658 = load <8 x float>, ptr %c14
  %.659 = add i64 %column, 3848
  %.660 = getelementptr inbounds float, ptr %acc, i64 %.659
  store <8 x float> %.658, ptr %.660, align 4
  %.661 = load <8 x float>, ptr %c15
  %.662 = add i64 %column, 3904
  %.663 = getelementptr inbounds float, ptr %acc, i64 %.662
  store <8 x float> %.661, ptr %.663, align 4
  %.664 = load <8 x float>, ptr %c16
  %.665 = add i64 %column, 3912
  %.666 = getelementptr inbounds float, ptr %acc, i64 %.665
  store <8 x float> %.664, ptr %.666, align 4
  %.667 = load <8 x float>, ptr %c17
  %.668 = add i64 %column, 3968
  %.669 = getelementptr inbounds float, ptr %acc, i64 %.668
  store <8 x float> %.667, ptr %.669, align 4
  %.670 = load <8 x float>, ptr %c18
  %.671 = add i64 %column, 3976
  %.672 = getelementptr inbounds float, ptr %acc, i64 %.671
  store <8 x float> %.670, ptr %.672, align 4
  %.673 = load <8 x float>, ptr %c19
  %.674 = add i64 %column, 4032
  %.675 = getelementptr inbounds float, ptr %acc, i64 %.674
  store <8 x float> %.673, ptr %.675, align 4
  %.676 = load <8 x float>, ptr %c20
  %.677 = add i64 %column, 4040
  %.678 = getelementptr inbounds float, ptr %acc, i64 %.677
  store <8 x float> %.676, ptr %.678, align 4
  br label %if.done
if.done:
  br label %column.next
column.next:
  %column.step = add nsw i64 %column, 16
  br label %column.head
column.done:
  br label %k.next
k.next:
  %k.step = add nsw i64 %k, 32
  br label %k.head
k.done:
  ; cta.copy(c[m +: 64, n +: 64], acc)
  %.679 = sub i64 %M, %.29
  %.680 = call i64 @llvm.smin.i64(i64 64, i64 %.679)
  %.681 = call i64 @llvm.smax.i64(i64 %.680, i64 0)
  br label %i6.head
i6.head:
  %i6 = phi i64 [ 0, %k.done ], [ %i6.step, %i6.next ]
  %.682 = icmp slt i64 %i6, %.681
  br i1 %.682, label %i6.body, label %i6.done
i6.body:
  br label %i7.head
i7.head:
  %i7 = phi i64 [ 0, %i6.body ], [ %i7.step, %i7.next ]
  %.683 = icmp slt i64 %i7, 64
  br i1 %.683, label %i7.body, label %i7.done
i7.body:
  %.684 = mul i64 %.29, -1
  %.685 = sub i64 %.684, %i6
  %.686 = sub i64 %.685, 1
  %.687 = icmp slt i64 %.686, 0
  %.688 = mul i64 %.42, -1
  %.689 = sub i64 %.688, %i7
  %.690 = sub i64 %.689, 1
  %.691 = icmp slt i64 %.690, 0
  %.692 = and i1 %.687, %.691
  br i1 %.692, label %if.then.1, label %if.done.1
if.then.1:
  %.693 = mul i64 %i6, 64
  %.694 = add i64 %.693, %i7
  %.695 = getelementptr inbounds float, ptr %acc, i64 %.694
  %.696 = load float, ptr %.695, align 4
  %.697 = mul i64 %.29, 64
  %.698 = mul i64 %i6, 64
  %.699 = add i64 %.697, %.698
  %.700 = add i64 %.699, %.42
  %.701 = add i64 %.700, %i7
  %.702 = getelementptr inbounds float, ptr %c, i64 %.701
  store float %.696, ptr %.702, align 4
  br label %if.done.1
if.done.1:
  br label %i7.next
i7.next:
  %i7.step = add nsw i64 %i7, 1
  br label %i7.head
i7.done:
  br label %i6.next
i6.next:
  %i6.step = add nsw i64 %i6, 1
  br label %i6.head
i6.done:
  ret void
}

attributes #0 = { nounwind "min-legal-vector-width"="256" "prefer-vector-width"="256" }
attributes #1 = { alwaysinline nounwind "min-legal-vector-width"="256" "prefer-vector-width"="256" }
attributes #2 = { nounwind memory(none) }
!0 = !{i32 1}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.unroll.full"}
