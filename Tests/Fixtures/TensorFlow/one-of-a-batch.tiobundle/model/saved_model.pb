â
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8½
d
xPlaceholder*'
_output_shapes
:ÿÿÿÿÿÿÿÿÿ*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
B
yAddV2xx*
T0*'
_output_shapes
:ÿÿÿÿÿÿÿÿÿ

initNoOp"ª*q
serving_default^

x
x:0ÿÿÿÿÿÿÿÿÿ
y
y:0ÿÿÿÿÿÿÿÿÿtensorflow/serving/predict