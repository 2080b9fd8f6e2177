"""Converts TensorFlow functions to .tflite files with the layer names and order of model.json."""

import tempfile

import tensorflow as tf
from tensorflow.lite.tools import flatbuffer_utils


class FrozenNetwork(tf.Module):
    """Freezes a trained network: its weights become constants, because the runtime has no variables."""

    def __init__(self, network):
        super().__init__()
        self.apply = network.stateless_call
        self.trained = [variable.numpy() for variable in network.trainable_variables]
        self.untrained = [variable.numpy() for variable in network.non_trainable_variables]

    def applied(self, values):
        results, _ = self.apply(self.trained, self.untrained, values, training=False)
        return results


def convert(owner, inputs, outputs, examples=None, half=False):
    """Returns `owner.run` as .tflite bytes, fully quantized to uint8 if calibrated.

    `half` stores the weights as float16, which halves the file.
    `examples` is a function that returns the calibration inputs.
    `inputs` and `outputs` are layer names in the order of model.json. The function's own arguments
    and results have the same names with underscores, because Python identifiers have no hyphens.
    """
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [owner.run.get_concrete_function()], owner
    )
    if examples is not None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = examples
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.uint8
        converter.inference_output_type = tf.uint8
    if half:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_types = [tf.float16]
    return named(converter.convert(), inputs, outputs)


def convert_signatures(module, names):
    """Returns functions of a module as signatures of one .tflite file, which share its variables."""
    signatures = {name: getattr(module, name).get_concrete_function() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        converter.experimental_enable_resource_variables = True
        return converter.convert()


def named(model, inputs, outputs):
    """Restores names and order, which the converter changes."""
    tree = flatbuffer_utils.read_model_from_bytearray(bytearray(model))
    graph, signature = tree.subgraphs[0], tree.signatureDefs[0]
    signature.inputs, graph.inputs = _arranged(signature.inputs, inputs, graph.tensors)
    signature.outputs, graph.outputs = _arranged(signature.outputs, outputs, graph.tensors)
    return bytes(flatbuffer_utils.convert_object_to_bytearray(tree))


def _arranged(bindings, names, tensors):
    by_name = {binding.name.decode(): binding for binding in bindings}
    arranged = [by_name[name.replace("-", "_")] for name in names]
    for binding, name in zip(arranged, names, strict=True):
        binding.name = tensors[binding.tensorIndex].name = name
    return arranged, [binding.tensorIndex for binding in arranged]
