Ë
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8™
R
xPlaceholder*
_output_shapes

:*
dtype0*
shape
:
:
ratePlaceholder*
_output_shapes
:*
dtype0
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