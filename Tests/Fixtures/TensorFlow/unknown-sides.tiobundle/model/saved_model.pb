
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8Ø
v
xPlaceholder*0
_output_shapes
:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
K
yAddV2xx*
T0*0
_output_shapes
:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ

initNoOp"ª*ƒ
serving_defaultp
(
x#
x:0ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ(
y#
y:0ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿtensorflow/serving/predict