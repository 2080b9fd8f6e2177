"""Malicious SavedModels, which must be rejected, and corrupt ones, which fail when loaded or run."""

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.distribute.experimental.rpc.kernels import gen_rpc_ops

import saved_models

v1 = tf.compat.v1
TARGET = "/tmp/tensorio-hostile-model-was-here"

# The functions that build each SavedModel, and the operator for which it is rejected, if any.
MODELS = {}


def refused(operator):
    def add(function):
        MODELS[function.__name__.replace("_", "-")] = function, operator
        return function

    return add


failing = refused(None)


def doubled():
    """y = x + x, the harmless part of every one of them."""
    x = v1.placeholder("float32", [2], "x")
    return {"serving_default": ({"x": x}, {"y": tf.add(x, x, name="y")})}


def variable():
    """y = x times a variable."""
    x = v1.placeholder("float32", [2], "x")
    weight = v1.get_variable("weight", [2], initializer=v1.ones_initializer(), use_resource=True)
    return {"serving_default": ({"x": x}, {"y": tf.multiply(x, weight, name="y")})}


def text_as_number(text):
    """Returns a number that depends on a string, so that the node is not optimized away."""
    return tf.cast(tf.strings.length(text), "float32")


def after(operation):
    """y = x + x, once an operation has run."""
    x = v1.placeholder("float32", [2], "x")
    with tf.control_dependencies([operation]):
        y = tf.identity(x + x, name="y")
    return {"serving_default": ({"x": x}, {"y": y})}


def saved():
    """SaveV2 to a path that the graph names itself."""
    texts = {"tensor_names": ["value"], "shape_and_slices": [""]}
    return tf.raw_ops.SaveV2(prefix=TARGET, tensors=[tf.constant([1.0])], **texts)


def reading(text):
    """y = x + the length of a string."""
    x = v1.placeholder("float32", [2], "x")
    return {"serving_default": ({"x": x}, {"y": tf.add(x, text_as_number(text), name="y")})}


@refused("ReadFile")
def reads_a_file(folder):
    """ReadFile of /etc/passwd."""
    saved_models.write(folder, {"serve": lambda: reading(tf.io.read_file("/etc/passwd"))})


@refused("MatchingFiles")
def lists_files(folder):
    """MatchingFiles of /etc."""
    names = lambda: tf.strings.reduce_join(tf.io.matching_files("/etc/*"))
    saved_models.write(folder, {"serve": lambda: reading(names())})


@refused("ImmutableConst")
def maps_a_file(folder):
    """ImmutableConst, which maps a file into memory."""

    def build():
        x = v1.placeholder("float32", [2], "x")
        mapped = tf.raw_ops.ImmutableConst(dtype="float32", shape=[2], memory_region_name="/etc/passwd")
        tf.add(x, mapped, name="y")

    saved_models.write(folder, {"serve": build})


@refused("WriteFile")
def writes_a_file(folder):
    """WriteFile during a run."""
    saved_models.write(folder, {"serve": lambda: after(tf.io.write_file(TARGET, "was here"))})


@refused("PrintV2")
def prints_to_a_file(folder):
    """PrintV2, whose stream is a file."""
    line = lambda: tf.print("was here", output_stream=f"file://{TARGET}")
    saved_models.write(folder, {"serve": lambda: after(line())})


@refused("DebugIdentity")
def copies_to_a_file(folder):
    """DebugIdentity, which copies a tensor to a file."""

    def build():
        x = v1.placeholder("float32", [2], "x")
        urls = {"debug_urls": [f"file://{TARGET}"], "tensor_name": "x:0"}
        tf.add(x, tf.raw_ops.DebugIdentity(input=x, **urls), name="y")

    saved_models.write(folder, {"serve": build})


@refused("SaveV2")
def saves_elsewhere(folder):
    """SaveV2 to a path in the graph, during a run."""

    saved_models.write(folder, {"serve": lambda: after(saved())})


@refused("SaveV2")
def saves_in_a_function(folder):
    """SaveV2 to a path in the graph, in a function that is called during a run."""

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
    def run(x):
        saved()
        return {"y": x + x}

    save_functions(folder, run)


@refused("SaveV2")
def saves_while_it_loads(folder):
    """SaveV2 to a path in the graph, in an operator that runs when the model is loaded."""

    def build():
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, saved())
        return doubled()

    saved_models.write(folder, {"serve": build})


@refused("RestoreV2")
def restores_from_elsewhere(folder):
    """RestoreV2 from a path given as an input."""

    def build():
        path = v1.placeholder("string", [], "x")
        names = {"tensor_names": ["value"], "shape_and_slices": [""], "dtypes": ["float32"]}
        tf.identity(tf.raw_ops.RestoreV2(prefix=path, **names)[0], name="y")

    saved_models.write(folder, {"serve": build})


@refused("SaveV2")
def saver_with_a_path(folder):
    """A variable whose saver writes to a path in the graph instead of the given one."""
    saved_models.write(folder, {"serve": variable})

    def change(model):
        for node in model.meta_graphs[0].graph_def.node:
            if node.op == "SaveV2":
                node.input[0] = "elsewhere"
        model.meta_graphs[0].graph_def.node.append(_text("elsewhere", TARGET))

    saved_models.edit(folder, change)


@refused("SaveV2")
def saver_function_with_a_path(folder):
    """As `saver-with-a-path`, in the function that TensorFlow 2 uses for saving."""

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
    def run(x):
        return {"y": x + x}

    save_functions(folder, run)

    def change(model):
        for function in model.meta_graphs[0].graph_def.library.function:
            for node in [node for node in function.node_def if node.op == "SaveV2"]:
                function.node_def.append(_text("elsewhere", TARGET))
                node.input[0] = "elsewhere:output:0"

    saved_models.edit(folder, change)


@refused("PyFunc")
def calls_python(folder):
    """PyFunc."""
    called = lambda: v1.py_func(lambda: b"was here", [], tf.string)
    saved_models.write(folder, {"serve": lambda: reading(called())})


@refused("EagerPyFunc")
def calls_python_eagerly(folder):
    """EagerPyFunc."""
    called = lambda: tf.py_function(lambda: b"was here", [], tf.string)
    saved_models.write(folder, {"serve": lambda: reading(called())})


@refused("ReadFile")
def reads_in_a_function(folder):
    """ReadFile in a function that a function calls."""

    @tf.function
    def inner():
        return text_as_number(tf.io.read_file("/etc/passwd"))

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
    def outer(x):
        return {"y": x + inner()}

    save_functions(folder, outer)


@refused("ReadFile")
def reads_in_a_branch(folder):
    """ReadFile in a rarely taken branch."""

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
    def run(x):
        read = lambda: text_as_number(tf.io.read_file("/etc/passwd"))
        return {"y": x + tf.cond(x[0] > 1e30, read, lambda: 0.0)}

    save_functions(folder, run)


@refused("ReadFile")
def reads_in_an_unused_function(folder):
    """ReadFile in a function that is not called."""
    saved_models.write(folder, {"serve": doubled})

    def change(model):
        function = model.meta_graphs[0].graph_def.library.function.add()
        function.signature.name = "unused"
        function.signature.output_arg.add(name="content", type=tf.string.as_datatype_enum)
        function.node_def.append(_text("path", "/etc/passwd"))
        function.node_def.add(name="read", op="ReadFile", input=["path:output:0"])
        function.ret["content"] = "read:contents:0"

    saved_models.edit(folder, change)


@refused("WriteFile")
def writes_while_it_loads(folder):
    """WriteFile in an operator that runs when the model is loaded."""

    def build():
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, tf.io.write_file(TARGET, "was here"))
        return doubled()

    saved_models.write(folder, {"serve": build})


@refused("InitializeTableFromTextFileV2")
def vocabulary_of_a_file(folder):
    """A table that is initialized from a file when the model is loaded."""

    def build():
        table = tf.raw_ops.HashTableV2(key_dtype="string", value_dtype="int64", shared_name="words")
        places = {"key_index": -2, "value_index": -1}
        filled = tf.raw_ops.InitializeTableFromTextFileV2(
            table_handle=table, filename="/etc/passwd", **places
        )
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, filled)
        return doubled()

    saved_models.write(folder, {"serve": build})


def vocabulary(folder, path, names_asset=True, while_it_runs=False):
    """Writes y = x + x and a table of the words in a file, whose path is a constant."""

    def build():
        name = tf.constant(str(path), name="words")
        table = tf.raw_ops.HashTableV2(key_dtype="string", value_dtype="int64", shared_name="words")
        filled = tf.raw_ops.InitializeTableFromTextFileV2(
            table_handle=table, filename=name, key_index=-2, value_index=-1
        )
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, filled)
        listed = name if names_asset else tf.constant(str(path), name="others")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, listed)
        return after(filled) if while_it_runs else doubled()

    path.write_text("no\nyes\n")
    saved_models.write(folder, {"serve": build})
    path.unlink()
    saved_models.clear_text(folder, "words")


@refused("InitializeTableFromTextFileV2")
def vocabulary_outside_the_assets(folder):
    """A vocabulary whose path leads out of the folder with the assets."""
    vocabulary(folder, folder.parent / "words.txt")

    def change(model):
        graph = model.meta_graphs[0]
        (content,) = graph.collection_def["saved_model_assets"].any_list.value
        asset = meta_graph_pb2.AssetFileDef.FromString(content.value)
        asset.filename = "../../../../../../../../etc/passwd"
        content.value = asset.SerializeToString(deterministic=True)

    saved_models.edit(folder, change)


@refused("InitializeTableFromTextFileV2")
def vocabulary_of_another_constant(folder):
    """A vocabulary beside an asset, at a path in the graph."""
    vocabulary(folder, folder.parent / "words.txt", names_asset=False)
    saved_models.clear_text(folder, "others")


@refused("InitializeTableFromTextFileV2")
def vocabulary_during_a_run(folder):
    """A vocabulary that every run reads, when its path is that in the graph."""
    vocabulary(folder, folder.parent / "words.txt", while_it_runs=True)


@refused("DatasetFromGraph")
def graph_in_a_text(folder):
    """DatasetFromGraph: a graph that reads a file, as a string in an attribute."""

    def build():
        with tf.Graph().as_default() as inner:
            content = tf.io.read_file("/etc/passwd", name="content")
            tf.raw_ops.TensorDataset(components=[content], output_shapes=[[]])
        text = inner.as_graph_def().SerializeToString(deterministic=True)
        dataset = tf.raw_ops.DatasetFromGraph(graph_def=text)
        spec = {"output_types": ["string"], "output_shapes": [[]]}
        (content,) = tf.raw_ops.DatasetToSingleElement(dataset=dataset, **spec)
        return reading(content)

    saved_models.write(folder, {"serve": build})


@refused("TextLineDataset")
def lines_of_a_file(folder):
    """A dataset that reads the lines of a file."""

    def build():
        lines = tf.raw_ops.TextLineDataset(filenames=["/etc/passwd"], compression_type="", buffer_size=0)
        spec = {"output_types": ["string"], "output_shapes": [[]]}
        (line,) = tf.raw_ops.DatasetToSingleElement(dataset=lines, **spec)
        return reading(line)

    saved_models.write(folder, {"serve": build})


@refused("RpcServer")
def starts_a_server(folder):
    """RpcServer at a local address."""

    def build():
        server = gen_rpc_ops.rpc_server(server_address="localhost:0")
        return after(gen_rpc_ops.rpc_server_start(server))

    saved_models.write(folder, {"serve": build})


@refused("CreateSummaryFileWriter")
def writes_summaries(folder):
    """Summaries written to a folder in the graph."""

    def build():
        writer = tf.raw_ops.SummaryWriter(shared_name="writer")
        facts = {"logdir": TARGET, "max_queue": 1, "flush_millis": 1, "filename_suffix": ""}
        return after(tf.raw_ops.CreateSummaryFileWriter(writer=writer, **facts))

    saved_models.write(folder, {"serve": build})


@refused("Abort")
def ends_the_process(folder):
    """Abort."""
    abort = lambda: tf.raw_ops.Abort(error_msg="", exit_without_error=True)
    saved_models.write(folder, {"serve": lambda: after(abort())})


@refused("ReadFile")
def function_called_as_an_operator(folder):
    """A function named ReadFile, which could hide the operator."""
    reads_in_an_unused_function(folder)

    def change(model):
        model.meta_graphs[0].graph_def.library.function[0].signature.name = "ReadFile"

    saved_models.edit(folder, change)


@failing
def unknown_operator(folder):
    """An unknown operator."""
    renamed(folder, "TensorIOUnknownOperator")


@failing
def removed_operator(folder):
    """An operator that existed in TensorFlow 2.0 and was removed."""
    renamed(folder, "TensorForestTreeResourceHandleOp")


@failing
def operator_without_kernel(folder):
    """An operator that has no CPU kernel."""

    saved_models.write(folder, {"serve": doubled})

    def change(model):
        graph = model.meta_graphs[0].graph_def
        graph.node.add(name="trees", op="BoostedTreesEnsembleResourceHandleOp")
        _node(graph, "y").input.append("^trees")

    saved_models.edit(folder, change)


@failing
def missing_variables(folder):
    """A variable without a variables folder."""
    saved_models.write(folder, {"serve": variable})
    for path in (folder / "variables").iterdir():
        path.unlink()
    (folder / "variables").rmdir()


@failing
def missing_values(folder):
    """The index of the variables without their values."""
    saved_models.write(folder, {"serve": variable})
    (folder / "variables" / "variables.data-00000-of-00001").unlink()


@failing
def damaged_variables(folder):
    """Values that do not match their checksums."""
    saved_models.write(folder, {"serve": variable})
    path = folder / "variables" / "variables.data-00000-of-00001"
    path.write_bytes(bytes(byte ^ 0xFF for byte in path.read_bytes()))


@failing
def damaged_protobuf(folder):
    """The second half of saved_model.pb overwritten with ones."""
    saved_models.write(folder, {"serve": doubled})
    path = folder / "saved_model.pb"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"\xff" * (len(content) // 2))


@failing
def cut_protobuf(folder):
    """saved_model.pb truncated by a third."""
    saved_models.write(folder, {"serve": doubled})
    path = folder / "saved_model.pb"
    path.write_bytes(path.read_bytes()[: len(path.read_bytes()) * 2 // 3])


@failing
def no_protobuf(folder):
    """saved_model.pb that contains text."""
    folder.mkdir()
    (folder / "saved_model.pb").write_text("This is no protobuf.\n")


@failing
def empty_protobuf(folder):
    """An empty saved_model.pb, which is a valid message without a graph."""
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(b"")


@failing
def other_tags(folder):
    """Graphs with unknown tags only."""
    saved_models.write(folder, {"cook": doubled, "taste": doubled})


@failing
def cycle_without_a_loop(folder):
    """Two operators that wait for each other."""
    saved_models.write(folder, {"serve": doubled})

    def change(model):
        graph = model.meta_graphs[0].graph_def
        for name, other in (("left", "right"), ("right", "left")):
            graph.node.add(name=name, op="Identity", input=[other]).attr["T"].type = 1

    saved_models.edit(folder, change)


@failing
def missing_input(folder):
    """An operator with a missing input."""
    saved_models.write(folder, {"serve": doubled})

    def change(model):
        _node(model.meta_graphs[0].graph_def, "y").input[1] = "nowhere"

    saved_models.edit(folder, change)


@failing
def signature_of_nothing(folder):
    """A signature with tensors that are not in the graph."""
    saved_models.write(folder, {"serve": doubled})

    def change(model):
        graph = model.meta_graphs[0]
        _node(graph.graph_def, "y").name = "sum"
        graph.signature_def["serving_default"].outputs["y"].name = "nowhere:7"

    saved_models.edit(folder, change)


def renamed(folder, operator):
    """y = x + x with the addition replaced by another operator."""
    saved_models.write(folder, {"serve": doubled})

    def change(model):
        _node(model.meta_graphs[0].graph_def, "y").op = operator

    saved_models.edit(folder, change)


def save_functions(folder, function):
    tf.saved_model.save(tf.Module(), str(folder), signatures=function)
    saved_models.slim(folder)


def _node(graph, name):
    return next(node for node in graph.node if node.name == name)


def _text(name, text):
    """A node that is a string constant."""
    node = node_def_pb2.NodeDef(name=name, op="Const")
    node.attr["dtype"].type = tf.string.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(text))
    return node
