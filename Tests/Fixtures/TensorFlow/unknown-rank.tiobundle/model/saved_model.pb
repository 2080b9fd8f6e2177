ˆ
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8
7
xPlaceholder*
_output_shapes
:*
dtype0
3
yAddV2xx*
T0*
_output_shapes
:

initNoOp"ª*S
serving_default@

x
x:0
y
y:0tensorflow/serving/predict