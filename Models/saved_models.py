"""Writes small, reproducible SavedModels, and runs them to compute expected values."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

v1 = tf.compat.v1


def write(folder, builds, sharded=False, train=lambda session: None):
    """Writes a SavedModel with a graph per tag; the variables are those of the first graph.

    Each build function creates a graph's nodes and returns its signatures by key: (inputs, outputs).
    `train` may change the variables before they are saved.
    """
    shutil.rmtree(folder, ignore_errors=True)
    builder = v1.saved_model.Builder(str(folder))
    for place, (tag, build) in enumerate(builds.items()):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.set_random_seed(reproducible.SEED)
            signatures = {key: _signature(*sides) for key, sides in (build() or {}).items()}
            session.run(v1.global_variables_initializer())
            facts = {
                "signature_def_map": signatures,
                "saver": v1.train.Saver(sharded=sharded) if v1.global_variables() else None,
                "main_op": _table_initializer(),
                "assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS) or None,
                "strip_default_attrs": True,
            }
            if place == 0:
                train(session)
                builder.add_meta_graph_and_variables(session, [tag], **facts)
            else:
                builder.add_meta_graph([tag], **facts)
    builder.save()
    slim(folder)


def edit(folder, change):
    """Rewrites the SavedModel's protobuf with a change."""
    path = folder / "saved_model.pb"
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    change(model)
    path.write_bytes(model.SerializeToString(deterministic=True))


def clear_text(folder, name):
    """Removes the text of a constant, such as the path of a file on the machine that made the model."""

    def change(model):
        for node in model.meta_graphs[0].graph_def.node:
            if node.name == name:
                node.attr["value"].tensor.string_val[:] = [b""]

    edit(folder, change)


def slim(folder, keeping_objects=False):
    """Removes what runtimes do not need: operator lists, Python objects, source locations."""
    edit(folder, lambda model: _strip(model, keeping_objects))
    (folder / "fingerprint.pb").unlink(missing_ok=True)
    for name in "assets", "variables":
        if (folder / name).is_dir() and not any((folder / name).iterdir()):
            (folder / name).rmdir()


def _strip(model, keeping_objects):
    for graph in model.meta_graphs:
        graph.meta_info_def.ClearField("stripped_op_list")
        if not keeping_objects:
            graph.ClearField("object_graph_def")
        graph.graph_def.ClearField("debug_info")
        library = graph.graph_def.library.function
        for nodes in [graph.graph_def.node, *(function.node_def for function in library)]:
            for node in nodes:
                node.ClearField("experimental_debug_info")


def _signature(inputs, outputs):
    return v1.saved_model.predict_signature_def(inputs, outputs)


def _table_initializer():
    if v1.get_collection(v1.GraphKeys.TABLE_INITIALIZERS):
        return v1.tables_initializer()


class Running:
    """A session of the SavedModel's graph with a tag, or of its only graph."""

    def __init__(self, folder, tag):
        model = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
        if len(model.meta_graphs) == 1:
            tags = model.meta_graphs[0].meta_info_def.tags
        else:
            tags = [tag]
        self.graph = tf.Graph()
        self.session = v1.Session(graph=self.graph)
        with self.graph.as_default():
            loaded = v1.saved_model.load(self.session, list(tags), str(folder))
        keys = sorted(loaded.signature_def, key=lambda key: (key != "serving_default", key))
        self.signatures = [loaded.signature_def[key] for key in keys]

    def tensor(self, name):
        for signature in self.signatures:
            for side in signature.inputs, signature.outputs:
                if name in side:
                    return self.graph.get_tensor_by_name(side[name].name)
        return self.graph.get_tensor_by_name(name if ":" in name else f"{name}:0")

    def run(self, feeds, outputs=(), targets=()):
        """Calls TF_SessionRun, which does not check feeds against declared shapes."""
        self.session._extend_graph()
        tensors = {self.tensor(name): np.asarray(value) for name, value in feeds.items()}
        return self.session._call_tf_sessionrun(
            None,
            {tensor._as_tf_output(): _fitting(tensor, value) for tensor, value in tensors.items()},
            [self.tensor(name)._as_tf_output() for name in outputs],
            [self.graph.get_operation_by_name(name)._c_op for name in targets],
            None,
        )


def _fitting(tensor, value):
    """Reshapes a value to the tensor's rank, if only axes of length one differ."""
    shape = tensor.shape
    if shape.rank is None or shape.rank == value.ndim:
        return value
    sides = [-1 if side is None else side for side in shape.as_list()]
    unknown = sides.count(-1)
    fits = unknown == 1 or (unknown == 0 and np.prod(sides) == value.size)
    return value.reshape(sides) if fits else value
