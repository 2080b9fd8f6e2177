š
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8è
|
inputPlaceholder*1
_output_shapes
:ÿÿÿÿÿÿÿÿÿàà*
dtype0*&
shape:ÿÿÿÿÿÿÿÿÿàà
U
outputIdentityinput*
T0*1
_output_shapes
:ÿÿÿÿÿÿÿÿÿàà

initNoOp"ª