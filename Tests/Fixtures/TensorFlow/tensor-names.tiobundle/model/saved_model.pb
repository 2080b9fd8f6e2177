ù
-"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8 
P
graph_aPlaceholder*
_output_shapes
:*
dtype0*
shape:
P
graph_bPlaceholder*
_output_shapes
:*
dtype0*
shape:
A
subSubgraph_agraph_b*
T0*
_output_shapes
:
C
addAddV2graph_agraph_b*
T0*
_output_shapes
:
A
scope/totalIdentityadd*
T0*
_output_shapes
:
F
scope/differenceIdentitysub*
T0*
_output_shapes
:

initNoOp"™*û
serving_defaultä

a
	graph_a:0

b
	graph_b:0
minus
sub:0
sum
scope/total:0tensorflow/serving/predict