È
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8–
J
xPlaceholder*
_output_shapes
:*
dtype0*
shape:
5
yAddV2xx*
T0*
_output_shapes
:

initNoOp"ª