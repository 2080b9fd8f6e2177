ò
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8À
J
xPlaceholder*
_output_shapes
:*
dtype0*
shape:
›
DebugIdentityDebugIdentityx*
T0*
_output_shapes
:*=

debug_urls/
-+file:///tmp/tensorio-hostile-model-was-here*
tensor_namex:0
A
yAddV2xDebugIdentity*
T0*
_output_shapes
:

initNoOp"ª