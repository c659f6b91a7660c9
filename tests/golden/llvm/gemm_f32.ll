; gemm
define void @gemm(ptr noalias nocapture readonly align 8 %params, i64 %cta_x, i64 %cta_y, i64 %cta_z, ptr noalias nocapture align 64 %scratch) #0 {
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
  %.7 = mul i64 %cta_x, 64
  %.8 = mul i64 %cta_y, 64
  %acc = getelementptr inbounds i8, ptr %scratch, i64 0
  br label %i.head
i.head:
  %i = phi i64 [ 0, %entry ], [ %i.step, %i.next ]
  %.9 = icmp slt i64 %i, 64
  br i1 %.9, label %i.body, label %i.done
i.body:
  br label %i1.head
i1.head:
  %i1 = phi i64 [ 0, %i.body ], [ %i1.step, %i1.next ]
  %.10 = icmp slt i64 %i1, 64
  br i1 %.10, label %i1.body, label %i1.done
i1.body:
  %.11 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.12 = shufflevector <8 x float> %.11, <8 x float> poison, <8 x i32> zeroinitializer
  %.13 = mul i64 %i, 64
  %.14 = add i64 %.13, %i1
  %.15 = getelementptr inbounds float, ptr %acc, i64 %.14
  store <8 x float> %.12, ptr %.15, align 4
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
  %.16 = icmp slt i64 %k, 64
  br i1 %.16, label %k.body, label %k.done
k.body:
  %at = getelementptr inbounds i8, ptr %scratch, i64 16384
  %bt = getelementptr inbounds i8, ptr %scratch, i64 24576
  ; cta.copy(at, a[m +: 64, k +: 32])
  %.17 = sub i64 %M, %.7
  %.18 = call i64 @llvm.smin.i64(i64 64, i64 %.17)
  %.19 = call i64 @llvm.smax.i64(i64 %.18, i64 0)
  br label %i2.head
i2.head:
  %i2 = phi i64 [ 0, %k.body ], [ %i2.step, %i2.next ]
  %.20 = icmp slt i64 %i2, %.19
  br i1 %.20, label %i2.body, label %i2.done
i2.body:
  br label %i3.head
i3.head:
  %i3 = phi i64 [ 0, %i2.body ], [ %i3.step, %i3.next ]
  %.21 = icmp slt i64 %i3, 32
  br i1 %.21, label %i3.body, label %i3.done
i3.body:
  %.22 = mul i64 %.7, 64
  %.23 = mul i64 %i2, 64
  %.24 = add i64 %.22, %.23
  %.25 = add i64 %.24, %k
  %.26 = add i64 %.25, %i3
  %.27 = getelementptr inbounds float, ptr %a, i64 %.26
  %.28 = load <8 x float>, ptr %.27, align 4
  %.29 = mul i64 %i2, 32
  %.30 = add i64 %.29, %i3
  %.31 = getelementptr inbounds float, ptr %at, i64 %.30
  store <8 x float> %.28, ptr %.31, align 4
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
  %i2.1 = phi i64 [ %.19, %i2.done ], [ %i2.step.1, %i2.next.1 ]
  %.32 = icmp slt i64 %i2.1, 64
  br i1 %.32, label %i2.body.1, label %i2.done.1
i2.body.1:
  br label %i3.head.1
i3.head.1:
  %i3.1 = phi i64 [ 0, %i2.body.1 ], [ %i3.step.1, %i3.next.1 ]
  %.33 = icmp slt i64 %i3.1, 32
  br i1 %.33, label %i3.body.1, label %i3.done.1
i3.body.1:
  %.34 = add i64 %.7, %i2.1
  %.35 = icmp slt i64 %.34, %M
  br i1 %.35, label %then, label %else
then:
  %.36 = mul i64 %.7, 64
  %.37 = mul i64 %i2.1, 64
  %.38 = add i64 %.36, %.37
  %.39 = add i64 %.38, %k
  %.40 = add i64 %.39, %i3.1
  %.41 = getelementptr inbounds float, ptr %a, i64 %.40
  %.42 = load <8 x float>, ptr %.41, align 4
  br label %join
else:
  %.43 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %.44 = shufflevector <8 x float> %.43, <8 x float> poison, <8 x i32> zeroinitializer
  br label %join
join:
  %.45 = phi <8 x float> [ %.42, %then ], [ %.44, %else ]
  %.46 = mul i64 %i2.1, 32
  %.47 = add i64 %.46, %i3.1
  %.48 = getelementptr inbounds float, ptr %at, i64 %.47
  store <8 x float> %.45, ptr %.48, align 4
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
  %.49 = icmp slt i64 %i4, 64
  br i1 %.49, label %i4.body, label %i4.done
i4.body:
  br label %i5.head
i5.head:
  %i5 = phi i64 [ 0, %i4.body ], [ %i5.step, %i5.next ]
  %.50 = icmp slt i64 %i5, 32
  br i1 %.50, label %i5.body, label %i5.done
i5.body:
  %.51 = mul i64 %.8, 64
  %.52 = mul i64 %i4, 64
  %.53 = add i64 %.51, %.52
  %.54 = add i64 %.53, %k
  %.55 = add i64 %.54, %i5
  %.56 = getelementptr inbounds float, ptr %b, i64 %.55
  %.57 = load <8 x float>, ptr %.56, align 4
  %.58 = mul i64 %.8, 64
  %.59 = mul i64 %i4, 64
  %.60 = add i64 %.58, %.59
  %.61 = add i64 %.60, %k
  %.62 = add i64 %.61, %i5
  %.63 = add i64 %.62, 64
  %.64 = getelementptr inbounds float, ptr %b, i64 %.63
  %.65 = load <8 x float>, ptr %.64, align 4
  %.66 = mul i64 %.8, 64
  %.67 = mul i64 %i4, 64
  %.68 = add i64 %.66, %.67
  %.69 = add i64 %.68, %k
  %.70 = add i64 %.69, %i5
  %.71 = add i64 %.70, 128
  %.72 = getelementptr inbounds float, ptr %b, i64 %.71
  %.73 = load <8 x float>, ptr %.72, align 4
  %.74 = mul i64 %.8, 64
  %.75 = mul i64 %i4, 64
  %.76 = add i64 %.74, %.75
  %.77 = add i64 %.76, %k
  %.78 = add i64 %.77, %i5
  %.79 = add i64 %.78, 192
  %.80 = getelementptr inbounds float, ptr %b, i64 %.79
  %.81 = load <8 x float>, ptr %.80, align 4
  %.82 = mul i64 %.8, 64
  %.83 = mul i64 %i4, 64
  %.84 = add i64 %.82, %.83
  %.85 = add i64 %.84, %k
  %.86 = add i64 %.85, %i5
  %.87 = add i64 %.86, 256
  %.88 = getelementptr inbounds float, ptr %b, i64 %.87
  %.89 = load <8 x float>, ptr %.88, align 4
  %.90 = mul i64 %.8, 64
  %.91 = mul i64 %i4, 64
  %.92 = add i64 %.90, %.91
  %.93 = add i64 %.92, %k
  %.94 = add i64 %.93, %i5
  %.95 = add i64 %.94, 320
  %.96 = getelementptr inbounds float, ptr %b, i64 %.95
  %.97 = load <8 x float>, ptr %.96, align 4
  %.98 = mul i64 %.8, 64
  %.99 = mul i64 %i4, 64
  %.100 = add i64 %.98, %.99
  %.101 = add i64 %.100, %k
  %.102 = add i64 %.101, %i5
  %.103 = add i64 %.102, 384
  %.104 = getelementptr inbounds float, ptr %b, i64 %.103
  %.105 = load <8 x float>, ptr %.104, align 4
  %.106 = mul i64 %.8, 64
  %.107 = mul i64 %i4, 64
  %.108 = add i64 %.106, %.107
  %.109 = add i64 %.108, %k
  %.110 = add i64 %.109, %i5
  %.111 = add i64 %.110, 448
  %.112 = getelementptr inbounds float, ptr %b, i64 %.111
  %.113 = load <8 x float>, ptr %.112, align 4
  %.114 = shufflevector <8 x float> %.57, <8 x float> %.89, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.115 = shufflevector <8 x float> %.57, <8 x float> %.89, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.116 = shufflevector <8 x float> %.65, <8 x float> %.97, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.117 = shufflevector <8 x float> %.65, <8 x float> %.97, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.118 = shufflevector <8 x float> %.73, <8 x float> %.105, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.119 = shufflevector <8 x float> %.73, <8 x float> %.105, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.120 = shufflevector <8 x float> %.81, <8 x float> %.113, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.121 = shufflevector <8 x float> %.81, <8 x float> %.113, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.122 = shufflevector <8 x float> %.114, <8 x float> %.118, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.123 = shufflevector <8 x float> %.114, <8 x float> %.118, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.124 = shufflevector <8 x float> %.115, <8 x float> %.119, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.125 = shufflevector <8 x float> %.115, <8 x float> %.119, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.126 = shufflevector <8 x float> %.116, <8 x float> %.120, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.127 = shufflevector <8 x float> %.116, <8 x float> %.120, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.128 = shufflevector <8 x float> %.117, <8 x float> %.121, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.129 = shufflevector <8 x float> %.117, <8 x float> %.121, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.130 = shufflevector <8 x float> %.122, <8 x float> %.126, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.131 = shufflevector <8 x float> %.122, <8 x float> %.126, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.132 = shufflevector <8 x float> %.123, <8 x float> %.127, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.133 = shufflevector <8 x float> %.123, <8 x float> %.127, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.134 = shufflevector <8 x float> %.124, <8 x float> %.128, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.135 = shufflevector <8 x float> %.124, <8 x float> %.128, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.136 = shufflevector <8 x float> %.125, <8 x float> %.129, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %.137 = shufflevector <8 x float> %.125, <8 x float> %.129, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %.138 = udiv i64 %i4, 16
  %.139 = mul i64 %.138, 512
  %.140 = urem i64 %i4, 16
  %.141 = add i64 %.139, %.140
  %.142 = mul i64 %i5, 16
  %.143 = add i64 %.141, %.142
  %.144 = getelementptr inbounds float, ptr %bt, i64 %.143
  store <8 x float> %.130, ptr %.144, align 4
  %.145 = udiv i64 %i4, 16
  %.146 = mul i64 %.145, 512
  %.147 = urem i64 %i4, 16
  %.148 = add i64 %.146, %.147
  %.149 = mul i64 %i5, 16
  %.150 = add i64 %.148, %.149
  %.151 = add i64 %.150, 16
  %.152 = getelementptr inbounds float, ptr %bt, i64 %.151
  store <8 x float> %.131, ptr %.152, align 4
  %.153 = udiv i64 %i4, 16
  %.154 = mul i64 %.153, 512
  %.155 = urem i64 %i4, 16
  %.156 = add i64 %.154, %.155
  %.157 = mul i64 %i5, 16
  %.158 = add i64 %.156, %.157
  %.159 = add i64 %.158, 32
  %.160 = getelementptr inbounds float, ptr %bt, i64 %.159
  store <8 x float> %.132, ptr %.160, align 4
  %.161 = udiv i64 %i4, 16
  %.162 = mul i64 %.161, 512
  %.163 = urem i64 %i4, 16
  %.164 = add i64 %.162, %.163
  %.165 = mul i64 %i5, 16
  %.166 = add i64 %.164, %.165
  %.167 = add i64 %.166, 48
  %.168 = getelementptr inbounds float, ptr %bt, i64 %.167
  store <8 x float> %.133, ptr %.168, align 4
  %.169 = udiv i64 %i4, 16
  %.170 = mul i64 %.169, 512
  %.171 = urem i64 %i4, 16
  %.172 = add i64 %.170, %.171
  %.173 = mul i64 %i5, 16
  %.174 = add i64 %.172, %.173
  %.175 = add i64 %.174, 64
  %.176 = getelementptr inbounds float, ptr %bt, i64 %.175
  store <8 x float> %.134, ptr %.176, align 4
  %.177 = udiv i64 %i4, 16
  %.178 = mul i64 %.177, 512
  %.179 = urem i64 %i4, 16
  %.180 = add i64 %.178, %.179
  %.181 = mul i64 %i5, 16
  %.182 = add i64 %.180, %.181
  %.183 = add i64 %.182, 80
  %.184 = getelementptr inbounds float, ptr %bt, i64 %.183
  store <8 x float> %.135, ptr %.184, align 4
  %.185 = udiv i64 %i4, 16
  %.186 = mul i64 %.185, 512
  %.187 = urem i64 %i4, 16
  %.188 = add i64 %.186, %.187
  %.189 = mul i64 %i5, 16
  %.190 = add i64 %.188, %.189
  %.191 = add i64 %.190, 96
  %.192 = getelementptr inbounds float, ptr %bt, i64 %.191
  store <8 x float> %.136, ptr %.192, align 4
  %.193 = udiv i64 %i4, 16
  %.194 = mul i64 %.193, 512
  %.195 = urem i64 %i4, 16
  %.196 = add i64 %.194, %.195
  %.197 = mul i64 %i5, 16
  %.198 = add i64 %.196, %.197
  %.199 = add i64 %.198, 112
  %.200 = getelementptr inbounds float, ptr %bt, i64 %.199
  store <8 x float> %.137, ptr %.200, align 4
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
  ; cta.gemm(acc, at, bt, trans_b = true)
  br label %column.head
column.head:
  %column = phi i64 [ 0, %i4.done ], [ %column.step, %column.next ]
  %.201 = icmp slt i64 %column, 64
  br i1 %.201, label %column.body, label %column.done
column.body:
  %.202 = udiv i64 %.19, 6
  %.203 = urem i64 %.19, 6
  %.204 = icmp ne i64 %.203, 0
  %.205 = zext i1 %.204 to i64
  %.206 = add i64 %.202, %.205
  %.207 = mul i64 %.206, 6
  %.208 = call i64 @llvm.smin.i64(i64 60, i64 %.207)
  br label %row8.head
row8.head:
  %row8 = phi i64 [ 0, %column.body ], [ %row8.step, %row8.next ]
  %.209 = icmp slt i64 %row8, %.208
  br i1 %.209, label %row8.body, label %row8.done
row8.body:
  %.210 = mul i64 %row8, 64
  %.211 = add i64 %.210, %column
  %.212 = getelementptr inbounds float, ptr %acc, i64 %.211
  %.213 = load <8 x float>, ptr %.212, align 4
  store <8 x float> %.213, ptr %c1
  %.214 = mul i64 %row8, 64
  %.215 = add i64 %.214, %column
  %.216 = add i64 %.215, 8
  %.217 = getelementptr inbounds float, ptr %acc, i64 %.216
  %.218 = load <8 x float>, ptr %.217, align 4
  store <8 x float> %.218, ptr %c2
  %.219 = mul i64 %row8, 64
  %.220 = add i64 %.219, %column
  %.221 = add i64 %.220, 64
  %.222 = getelementptr inbounds float, ptr %acc, i64 %.221
  %.223 = load <8 x float>, ptr %.222, align 4
  store <8 x float> %.223, ptr %c3
  %.224 = mul i64 %row8, 64
  %.225 = add i64 %.224, %column
  %.226 = add i64 %.225, 72
  %.227 = getelementptr inbounds float, ptr %acc, i64 %.226
  %.228 = load <8 x float>, ptr %.227, align 4
  store <8 x float> %.228, ptr %c4
  %.229 = mul i64 %row8, 64
  %.230 = add i64 %.229, %column
  %.231 = add i64 %.230, 128
  %.232 = getelementptr inbounds float, ptr %acc, i64 %.231
  %.233 = load <8 x float>, ptr %.232, align 4
  store <8 x float> %.233, ptr %c5
  %.234 = mul i64 %row8, 64
  %.235 = add i64 %.234, %column
  %.236 = add i64 %.235, 136
  %.237 = getelementptr inbounds float, ptr %acc, i64 %.236
  %.238 = load <8 x float>, ptr %.237, align 4
  store <8 x float> %.238, ptr %c6
  %.239 = mul i64 %row8, 64
  %.240 = add i64 %.239, %column
  %.241 = add i64 %.240, 192
  %.242 = getelementptr inbounds float, ptr %acc, i64 %.241
  %.243 = load <8 x float>, ptr %.242, align 4
  store <8 x float> %.243, ptr %c7
  %.244 = mul i64 %row8, 64
  %.245 = add i64 %.244, %column
  %.246 = add i64 %.245, 200
  %.247 = getelementptr inbounds float, ptr %acc, i64 %.246
  %.248 = load <8 x float>, ptr %.247, align 4
  store <8 x float> %.248, ptr %c8
  %.249 = mul i64 %row8, 64
  %.250 = add i64 %.249, %column
  %.251 = add i64 %.250, 256
  %.252 = getelementptr inbounds float, ptr %acc, i64 %.251
  %.253 = load <8 x float>, ptr %.252, align 4
  store <8 x float> %.253, ptr %c9
  %.254 = mul i64 %row8, 64
  %.255 = add i64 %.254, %column
  %.256 = add i64 %.255, 264
  %.257 = getelementptr inbounds float, ptr %acc, i64 %.256
  %.258 = load <8 x float>, ptr %.257, align 4
  store <8 x float> %.258, ptr %c10
  %.259 = mul i64 %row8, 64
  %.260 = add i64 %.259, %column
  %.261 = add i64 %.260, 320
  %.262 = getelementptr inbounds float, ptr %acc, i64 %.261
  %.263 = load <8 x float>, ptr %.262, align 4
  store <8 x float> %.263, ptr %c11
  %.264 = mul i64 %row8, 64
  %.265 = add i64 %.264, %column
  %.266 = add i64 %.265, 328
  %.267 = getelementptr inbounds float, ptr %acc, i64 %.266
  %.268 = load <8 x float>, ptr %.267, align 4
  store <8 x float> %.268, ptr %c12
  br label %k1.head
k1.head:
  %k1 = phi i64 [ 0, %row8.body ], [ %k1.step, %k1.next ]
  %.269 = icmp slt i64 %k1, 32
  br i1 %.269, label %k1.body, label %k1.done
k1.body:
  %.270 = udiv i64 %column, 16
  %.271 = mul i64 %.270, 512
  %.272 = mul i64 %k1, 16
  %.273 = add i64 %.271, %.272
  %.274 = getelementptr inbounds float, ptr %bt, i64 %.273
  %.275 = load <8 x float>, ptr %.274, align 4
  %.276 = udiv i64 %column, 16
  %.277 = mul i64 %.276, 512
  %.278 = mul i64 %k1, 16
  %.279 = add i64 %.277, %.278
  %.280 = add i64 %.279, 8
  %.281 = getelementptr inbounds float, ptr %bt, i64 %.280
  %.282 = load <8 x float>, ptr %.281, align 4
  %.283 = mul i64 %row8, 32
  %.284 = add i64 %.283, %k1
  %.285 = getelementptr inbounds float, ptr %at, i64 %.284
  %.286 = load float, ptr %.285, align 4
  %.287 = load <8 x float>, ptr %c1
  %.288 = insertelement <8 x float> poison, float %.286, i64 0
  %.289 = shufflevector <8 x float> %.288, <8 x float> poison, <8 x i32> zeroinitializer
  %.290 = fmul contract <8 x float> %.289, %.275
  %.291 = fadd contract <8 x float> %.287, %.290
  store <8 x float> %.291, ptr %c1
  %.292 = load <8 x float>, ptr %c2
  %.293 = insertelement <8 x float> poison, float %.286, i64 0
  %.294 = shufflevector <8 x float> %.293, <8 x float> poison, <8 x i32> zeroinitializer
  %.295 = fmul contract <8 x float> %.294, %.282
  %.296 = fadd contract <8 x float> %.292, %.295
  store <8 x float> %.296, ptr %c2
  %.297 = mul i64 %row8, 32
  %.298 = add i64 %.297, %k1
  %.299 = add i64 %.298, 32
  %.300 = getelementptr inbounds float, ptr %at, i64 %.299
  %.301 = load float, ptr %.300, align 4
  %.302 = load <8 x float>, ptr %c3
  %.303 = insertelement <8 x float> poison, float %.301, i64 0
  %.304 = shufflevector <8 x float> %.303, <8 x float> poison, <8 x i32> zeroinitializer
  %.305 = fmul contract <8 x float> %.304, %.275
  %.306 = fadd contract <8 x float> %.302, %.305
  store <8 x float> %.306, ptr %c3
  %.307 = load <8 x float>, ptr %c4
  %.308 = insertelement <8 x float> poison, float %.301, i64 0
  %.309 = shufflevector <8 x float> %.308, <8 x float> poison, <8 x i32> zeroinitializer
  %.310 = fmul contract <8 x float> %.309, %.282
  %.311 = fadd contract <8 x float> %.307, %.310
  store <8 x float> %.311, ptr %c4
  %.312 = mul i64 %row8, 32
  %.313 = add i64 %.312, %k1
  %.314 = add i64 %.313, 64
  %.315 = getelementptr inbounds float, ptr %at, i64 %.314
  %.316 = load float, ptr %.315, align 4
  %.317 = load <8 x float>, ptr %c5
  %.318 = insertelement <8 x float> poison, float %.316, i64 0
  %.319 = shufflevector <8 x float> %.318, <8 x float> poison, <8 x i32> zeroinitializer
  %.320 = fmul contract <8 x float> %.319, %.275
  %.321 = fadd contract <8 x float> %.317, %.320
  store <8 x float> %.321, ptr %c5
  %.322 = load <8 x float>, ptr %c6
  %.323 = insertelement <8 x float> poison, float %.316, i64 0
  %.324 = shufflevector <8 x float> %.323, <8 x float> poison, <8 x i32> zeroinitializer
  %.325 = fmul contract <8 x float> %.324, %.282
  %.326 = fadd contract <8 x float> %.322, %.325
  store <8 x float> %.326, ptr %c6
  %.327 = mul i64 %row8, 32
  %.328 = add i64 %.327, %k1
  %.329 = add i64 %.328, 96
  %.330 = getelementptr inbounds float, ptr %at, i64 %.329
  %.331 = load float, ptr %.330, align 4
  %.332 = load <8 x float>, ptr %c7
  %.333 = insertelement <8 x float> poison, float %.331, i64 0
  %.334 = shufflevector <8 x float> %.333, <8 x float> poison, <8 x i32> zeroinitializer
  %.335 = fmul contract <8 x float> %.334, %.275
  %.336 = fadd contract <8 x float> %.332, %.335
  store <8 x float> %.336, ptr %c7
  %.337 = load <8 x float>, ptr %c8
  %.338 = insertelement <8 x float> poison, float %.331, i64 0
  %.339 = shufflevector <8 x float> %.338, <8 x float> poison, <8 x i32> zeroinitializer
  %.340 = fmul contract <8 x float> %.339, %.282
  %.341 = fadd contract <8 x float> %.337, %.340
  store <8 x float> %.341, ptr %c8
  %.342 = mul i64 %row8, 32
  %.343 = add i64 %.342, %k1
  %.344 = add i64 %.343, 128
  %.345 = getelementptr inbounds float, ptr %at, i64 %.344
  %.346 = load float, ptr %.345, align 4
  %.347 = load <8 x float>, ptr %c9
  %.348 = insertelement <8 x float> poison, float %.346, i64 0
  %.349 = shufflevector <8 x float> %.348, <8 x float> poison, <8 x i32> zeroinitializer
  %.350 = fmul contract <8 x float> %.349, %.275
  %.351 = fadd contract <8 x float> %.347, %.350
  store <8 x float> %.351, ptr %c9
  %.352 = load <8 x float>, ptr %c10
  %.353 = insertelement <8 x float> poison, float %.346, i64 0
  %.354 = shufflevector <8 x float> %.353, <8 x float> poison, <8 x i32> zeroinitializer
  %.355 = fmul contract <8 x float> %.354, %.282
  %.356 = fadd contract <8 x float> %.352, %.355
  store <8 x float> %.356, ptr %c10
  %.357 = mul i64 %row8, 32
  %.358 = add i64 %.357, %k1
  %.359 = add i64 %.358, 160
  %.360 = getelementptr inbounds float, ptr %at, i64 %.359
  %.361 = load float, ptr %.360, align 4
  %.362 = load <8 x float>, ptr %c11
  %.363 = insertelement <8 x float> poison, float %.361, i64 0
  %.364 = shufflevector <8 x float> %.363, <8 x float> poison, <8 x i32> zeroinitializer
  %.365 = fmul contract <8 x float> %.364, %.275
  %.366 = fadd contract <8 x float> %.362, %.365
  store <8 x float> %.366, ptr %c11
  %.367 = load <8 x float>, ptr %c12
  %.368 = insertelement <8 x float> poison, float %.361, i64 0
  %.369 = shufflevector <8 x float> %.368, <8 x float> poison, <8 x i32> zeroinitializer
  %.370 = fmul contract <8 x float> %.369, %.282
  %.371 = fadd contract <8 x float> %.367, %.370
  store <8 x float> %.371, ptr %c12
  br label %k1.next
k1.next:
  %k1.step = add nsw i64 %k1, 1
  br label %k1.head
k1.done:
  %.372 = load <8 x float>, ptr %c1
  %.373 = mul i64 %row8, 64
  %.374 = add i64 %.373, %column
  %.375 = getelementptr inbounds float, ptr %acc, i64 %.374
  store <8 x float> %.372, ptr %.375, align 4
  %.376 = load <8 x float>, ptr %c2
  %.377 = mul i64 %row8, 64
  %.378 = add i64 %.377, %column
  %.379 = add i64 %.378, 8
  %.380 = getelementptr inbounds float, ptr %acc, i64 %.379
  store <8 x float> %.376, ptr %.380, align 4
  %.381 = load <8 x float>, ptr %c3
  %.382 = mul i64 %row8, 64
  %.383 = add i64 %.382, %column
  %.384 = add i64 %.383, 64
  %.385 = getelementptr inbounds float, ptr %acc, i64 %.384
  store <8 x float> %.381, ptr %.385, align 4
  %.386 = load <8 x float>, ptr %c4
  %.387 = mul i64 %row8, 64
  %.388 = add i64 %.387, %column
  %.389 = add i64 %.388, 72
  %.390 = getelementptr inbounds float, ptr %acc, i64 %.389
  store <8 x float> %.386, ptr %.390, align 4
  %.391 = load <8 x float>, ptr %c5
  %.392 = mul i64 %row8, 64
  %.393 = add i64 %.392, %column
  %.394 = add i64 %.393, 128
  %.395 = getelementptr inbounds float, ptr %acc, i64 %.394
  store <8 x float> %.391, ptr %.395, align 4
  %.396 = load <8 x float>, ptr %c6
  %.397 = mul i64 %row8, 64
  %.398 = add i64 %.397, %column
  %.399 = add i64 %.398, 136
  %.400 = getelementptr inbounds float, ptr %acc, i64 %.399
  store <8 x float> %.396, ptr %.400, align 4
  %.401 = load <8 x float>, ptr %c7
  %.402 = mul i64 %row8, 64
  %.403 = add i64 %.402, %column
  %.404 = add i64 %.403, 192
  %.405 = getelementptr inbounds float, ptr %acc, i64 %.404
  store <8 x float> %.401, ptr %.405, align 4
  %.406 = load <8 x float>, ptr %c8
  %.407 = mul i64 %row8, 64
  %.408 = add i64 %.407, %column
  %.409 = add i64 %.408, 200
  %.410 = getelementptr inbounds float, ptr %acc, i64 %.409
  store <8 x float> %.406, ptr %.410, align 4
  %.411 = load <8 x float>, ptr %c9
  %.412 = mul i64 %row8, 64
  %.413 = add i64 %.412, %column
  %.414 = add i64 %.413, 256
  %.415 = getelementptr inbounds float, ptr %acc, i64 %.414
  store <8 x float> %.411, ptr %.415, align 4
  %.416 = load <8 x float>, ptr %c10
  %.417 = mul i64 %row8, 64
  %.418 = add i64 %.417, %column
  %.419 = add i64 %.418, 264
  %.420 = getelementptr inbounds float, ptr %acc, i64 %.419
  store <8 x float> %.416, ptr %.420, align 4
  %.421 = load <8 x float>, ptr %c11
  %.422 = mul i64 %row8, 64
  %.423 = add i64 %.422, %column
  %.424 = add i64 %.423, 320
  %.425 = getelementptr inbounds float, ptr %acc, i64 %.424
  store <8 x float> %.421, ptr %.425, align 4
  %.426 = load <8 x float>, ptr %c12
  %.427 = mul i64 %row8, 64
  %.428 = add i64 %.427, %column
  %.429 = add i64 %.428, 328
  %.430 = getelementptr inbounds float, ptr %acc, i64 %.429
  store <8 x float> %.426, ptr %.430, align 4
  br label %row8.next
row8.next:
  %row8.step = add nsw i64 %row8, 6
  br label %row8.head
row8.done:
  %.431 = icmp slt i64 60, %.19
  br i1 %.431, label %if.then, label %if.done
if.then:
  %.432 = add i64 %column, 3840
  %.433 = getelementptr inbounds float, ptr %acc, i64 %.432
  %.434 = load <8 x float>, ptr %.433, align 4
  store <8 x float> %.434, ptr %c13
  %.435 = add i64 %column, 3848
  %.436 = getelementptr inbounds float, ptr %acc, i64 %.435
  %.437 = load <8 x float>, ptr %.436, align 4
  store <8 x float> %.437, ptr %c14
  %.438 = add i64 %column, 3904
  %.439 = getelementptr inbounds float, ptr %acc, i64 %.438
  %.440 = load <8 x float>, ptr %.439, align 4
  store <8 x float> %.440, ptr %c15
  %.441 = add i64 %column, 3912
  %.442 = getelementptr inbounds float, ptr %acc, i64 %.441
  %.443 = load <8 x float>, ptr %.442, align 4
  store <8 x float> %.443, ptr %c16
  %.444 = add i64 %column, 3968
  %.445 = getelementptr inbounds float, ptr %acc, i64 %.444
  %.446 = load <8 x float>, ptr %.445, align 4
  store <8 x float> %.446, ptr %c17
  %.447 = add i64 %column, 3976
  %.448 = getelementptr inbounds float, ptr %acc, i64 %.447
  %.449 = load <8 x float>, ptr %.448, align 4
  store <8 x float> %.449, ptr %c18
  %.450 = add i64 %column, 4032
  %.451 = getelementptr inbounds float, ptr %acc, i64 %.450
  %.452 = load <8 x float>, ptr %.451, align 4
  store <8 x float> %.452, ptr %c19
  %.453 = add i64 %column, 4040
  %.454 = getelementptr inbounds float, ptr %acc, i64 %.453
  %.455 = load <8 x float>, ptr %.454, align 4
  store <8 x float> %.455, ptr %c20
  br label %k2.head
k2.head:
  %k2 = phi i64 [ 0, %if.then ], [ %k2.step, %k2.next ]
  %.456 = icmp slt i64 %k2, 32
  br i1 %.456, label %k2.body, label %k2.done
k2.body:
  %.457 = udiv i64 %column, 16
  %.458 = mul i64 %.457, 512
  %.459 = mul i64 %k2, 16
  %.460 = add i64 %.458, %.459
  %.461 = getelementptr inbounds float, ptr %bt, i64 %.460
  %.462 = load <8 x float>, ptr %.461, align 4
  %.463 = udiv i64 %column, 16
  %.464 = mul i64 %.463, 512
  %.465 = mul i64 %k2, 16
  %.466 = add i64 %.464, %.465
  %.467 = add i64 %.466, 8
  %.468 = getelementptr inbounds float, ptr %bt, i64 %.467
  %.469 = load <8 x float>, ptr %.468, align 4
  %.470 = add i64 %k2, 1920
  %.471 = getelementptr inbounds float, ptr %at, i64 %.470
  %.472 = load float, ptr %.471, align 4
  %.473 = load <8 x float>, ptr %c13
  %.474 = insertelement <8 x float> poison, float %.472, i64 0
  %.475 = shufflevector <8 x float> %.474, <8 x float> poison, <8 x i32> zeroinitializer
  %.476 = fmul contract <8 x float> %.475, %.462
  %.477 = fadd contract <8 x float> %.473, %.476
  store <8 x float> %.477, ptr %c13
  %.478 = load <8 x float>, ptr %c14
  %.479 = insertelement <8 x float> poison, float %.472, i64 0
  %.480 = shufflevector <8 x float> %.479, <8 x float> poison, <8 x i32> zeroinitializer
  %.481 = fmul contract <8 x float> %.480, %.469
  %.482 = fadd contract <8 x float> %.478, %.481
  store <8 x float> %.482, ptr %c14
  %.483 = add i64 %k2, 1952
  %.484 = getelementptr inbounds float, ptr %at, i64 %.483
  %.485 = load float, ptr %.484, align 4
  %.486 = load <8 x float>, ptr %c15
  %.487 = insertelement <8 x float> poison, float %.485, i64 0
  %.488 = shufflevector <8 x float> %.487, <8 x float> poison, <8 x i32> zeroinitializer
  %.489 = fmul contract <8 x float> %.488, %.462
  %.490 = fadd contract <8 x float> %.486, %.489
  store <8 x float> %.490, ptr %c15
  %.491 = load <8 x float>, ptr %c16
  %.492 = insertelement <8 x float> poison, float %.485, i64 0
  %.493 = shufflevector <8 x float> %.492, <8 x float> poison, <8 x i32> zeroinitializer
  %.494 = fmul contract <8 x float> %.493, %.469
  %.495 = fadd contract <8 x float> %.491, %.494
  store <8 x float> %.495, ptr %c16
  %.496 = add i64 %k2, 1984
  %.497 = getelementptr inbounds float, ptr %at, i64 %.496
  %.498 = load float, ptr %.497, align 4
  %.499 = load <8 x float>, ptr %c17
  %.500 = insertelement <8 x float> poison, float %.498, i64 0
  %.501 = shufflevector <8 x float> %.500, <8 x float> poison, <8 x i32> zeroinitializer
  %.502 = fmul contract <8 x float> %.501, %.462
  %.503 = fadd contract <8 x float> %.499, %.502
  store <8 x float> %.503, ptr %c17
  %.504 = load <8 x float>, ptr %c18
  %.505 = insertelement <8 x float> poison, float %.498, i64 0
  %.506 = shufflevector <8 x float> %.505, <8 x float> poison, <8 x i32> zeroinitializer
  %.507 = fmul contract <8 x float> %.506, %.469
  %.508 = fadd contract <8 x float> %.504, %.507
  store <8 x float> %.508, ptr %c18
  %.509 = add i64 %k2, 2016
  %.510 = getelementptr inbounds float, ptr %at, i64 %.509
  %.511 = load float, ptr %.510, align 4
  %.512 = load <8 x float>, ptr %c19
  %.513 = insertelement <8 x float> poison, float %.511, i64 0
  %.514 = shufflevector <8 x float> %.513, <8 x float> poison, <8 x i32> zeroinitializer
  %.515 = fmul contract <8 x float> %.514, %.462
  %.516 = fadd contract <8 x float> %.512, %.515
  store <8 x float> %.516, ptr %c19
  %.517 = load <8 x float>, ptr %c20
  %.518 = insertelement <8 x float> poison, float %.511, i64 0
  %.519 = shufflevector <8 x float> %.518, <8 x float> poison, <8 x i32> zeroinitializer
  %.520 = fmul contract <8 x float> %.519, %.469
  %.521 = fadd contract <8 x float> %.517, %.520
  store <8 x float> %.521, ptr %c20
  br label %k2.next
k2.next:
  %k2.step = add nsw i64 %k2, 1
  br label %k2.head
k2.done:
  %.522 = load <8 x float>, ptr %c13
  %.523 = add i64 %column, 3840
  %.524 = getelementptr inbounds float, ptr %acc, i64 %.523
  store <8 x float> %.522, ptr %.524, align 4
  %.525 = load <8 x float>, ptr %c14
  %.526 = add i64 %column, 3848
  %.527 = getelementptr inbounds float, ptr %acc, i64 %.526
  store <8 x float> %.525, ptr %.527, align 4
  %.528 = load <8 x float>, ptr %c15
  %.529 = add i64 %column, 3904
  %.530 = getelementptr inbounds float, ptr %acc, i64 %.529
  store <8 x float> %.528, ptr %.530, align 4
  %.531 = load <8 x float>, ptr %c16
  %.532 = add i64 %column, 3912
  %.533 = getelementptr inbounds float, ptr %acc, i64 %.532
  store <8 x float> %.531, ptr %.533, align 4
  %.534 = load <8 x float>, ptr %c17
  %.535 = add i64 %column, 3968
  %.536 = getelementptr inbounds float, ptr %acc, i64 %.535
  store <8 x float> %.534, ptr %.536, align 4
  %.537 = load <8 x float>, ptr %c18
  %.538 = add i64 %column, 3976
  %.539 = getelementptr inbounds float, ptr %acc, i64 %.538
  store <8 x float> %.537, ptr %.539, align 4
  %.540 = load <8 x float>, ptr %c19
  %.541 = add i64 %column, 4032
  %.542 = getelementptr inbounds float, ptr %acc, i64 %.541
  store <8 x float> %.540, ptr %.542, align 4
  %.543 = load <8 x float>, ptr %c20
  %.544 = add i64 %column, 4040
  %.545 = getelementptr inbounds float, ptr %acc, i64 %.544
  store <8 x float> %.543, ptr %.545, align 4
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
  %.546 = sub i64 %M, %.7
  %.547 = call i64 @llvm.smin.i64(i64 64, i64 %.546)
  %.548 = call i64 @llvm.smax.i64(i64 %.547, i64 0)
  br label %i6.head
i6.head:
  %i6 = phi i64 [ 0, %k.done ], [ %i6.step, %i6.next ]
  %.549 = icmp slt i64 %i6, %.548
  br i1 %.549, label %i6.body, label %i6.done
i6.body:
  br label %i7.head
i7.head:
  %i7 = phi i64 [ 0, %i6.body ], [ %i7.step, %i7.next ]
  %.550 = icmp slt i64 %i7, 64
  br i1 %.550, label %i7.body, label %i7.done
i7.body:
  %.551 = mul i64 %i6, 64
  %.552 = add i64 %.551, %i7
  %.553 = getelementptr inbounds float, ptr %acc, i64 %.552
  %.554 = load <8 x float>, ptr %.553, align 4
  %.555 = mul i64 %.7, 64
  %.556 = mul i64 %i6, 64
  %.557 = add i64 %.555, %.556
  %.558 = add i64 %.557, %.8
  %.559 = add i64 %.558, %i7
  %.560 = getelementptr inbounds float, ptr %c, i64 %.559
  store <8 x float> %.554, ptr %.560, align 4
  br label %i7.next
i7.next:
  %i7.step = add nsw i64 %i7, 8
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
