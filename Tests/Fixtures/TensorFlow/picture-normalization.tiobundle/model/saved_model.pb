µ
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8ƒ
^
inputPlaceholder*"
_output_shapes
:*
dtype0*
shape:
F
valuesIdentityinput*
T0*"
_output_shapes
:
F
outputIdentityinput*
T0*"
_output_shapes
:

initNoOp"ª