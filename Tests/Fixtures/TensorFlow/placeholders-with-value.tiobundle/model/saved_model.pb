Ø
+"serve*2.21.02v2.21.0-rc1-5-ga481b10260d¨
R
xPlaceholder*
_output_shapes

:*
dtype0*
shape
:
I
ratePlaceholder*
_output_shapes
:*
dtype0*
shape:
8
sumAddV2xrate*
T0*
_output_shapes
:
:
productMulxrate*
T0*
_output_shapes
:

initNoOp"ª