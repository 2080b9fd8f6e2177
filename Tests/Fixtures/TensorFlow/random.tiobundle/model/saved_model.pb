«
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8ï
J
xPlaceholder*
_output_shapes
:*
dtype0*
shape:
^
random_uniform/shapeConst*
_output_shapes
:*
dtype0*
valueB:
Å
random_uniform/RandomUniformRandomUniformrandom_uniform/shape*
T0*
_output_shapes
:*
dtype0*

seed*
P
yAddV2xrandom_uniform/RandomUniform*
T0*
_output_shapes
:

initNoOp"™