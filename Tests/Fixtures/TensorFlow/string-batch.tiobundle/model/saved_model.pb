ê
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8¸
d
xPlaceholder*'
_output_shapes
:ÿÿÿÿÿÿÿÿÿ*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
=
yStringLengthx*'
_output_shapes
:ÿÿÿÿÿÿÿÿÿ

initNoOp"ª