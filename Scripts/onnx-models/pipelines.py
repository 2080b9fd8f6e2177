"""Writes pipelines of scikit-learn as ONNX models, and what onnxruntime computes with them. Usage: pipelines.py FOLDER"""

import json
import pathlib
import sys

import numpy
import onnxruntime
from golden import listed
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

OPSETS = {"": 17, "ai.onnx.ml": 3}
COLORS, SIZES = ["red", "green", "blue"], ["S", "M", "L"]


def measurements():
    """Thirty rows of four numbers around one center for each of three classes."""
    random = numpy.random.default_rng(3)
    classes = numpy.repeat(numpy.arange(3), 30)
    centers = numpy.array([[5, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3, 5.5, 2]])
    rows = centers[classes] + random.normal(0, 0.3, [90, 4])
    return rows.astype(numpy.float32), numpy.array(["setosa", "versicolor", "virginica"])[classes]


def trained():
    rows, classes = measurements()
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, classes), rows


def zipmap():
    pipeline, rows = trained()
    return to_onnx(pipeline, rows[:1], target_opset=OPSETS), {"X": rows[[0, 40, 80]]}


def arrays():
    pipeline, rows = trained()
    model = to_onnx(pipeline, rows[:1], target_opset=OPSETS, options={"zipmap": False})
    return model, {"X": rows[[0, 40, 80]]}


def forest():
    rows, classes = measurements()
    codes = numpy.unique(classes, return_inverse=True)[1] * 10 + 5
    forest = RandomForestClassifier(5, max_depth=3, random_state=1).fit(rows, codes)
    return to_onnx(forest, rows[:1], target_opset=OPSETS), {"X": rows[[0, 40, 80]]}


def strings():
    """The price class of a shirt by its color and size, which are strings, and its weight."""
    rows = [(color, size, 100 + 50 * j + i) for i, color in enumerate(COLORS)
            for j, size in enumerate(SIZES)] * 4
    table = numpy.array(rows, object)
    classes = ["cheap" if size == "S" or color == "red" else "dear" for color, size, _ in rows]
    columns = ColumnTransformer([("words", OneHotEncoder(handle_unknown="ignore"), [0, 1]),
                                 ("numbers", StandardScaler(), [2])])
    pipeline = make_pipeline(columns, LogisticRegression()).fit(table, classes)
    types = [("color", StringTensorType([None, 1])), ("size", StringTensorType([None, 1])),
             ("weight", FloatTensorType([None, 1]))]
    model = to_onnx(pipeline, initial_types=types, target_opset=OPSETS, options={"zipmap": False})
    samples = [("red", "L", 200), ("blue", "M", 151), ("purple", "S", 90)]
    return model, {"color": numpy.array([[s[0]] for s in samples]),
                   "size": numpy.array([[s[1]] for s in samples]),
                   "weight": numpy.array([[s[2]] for s in samples], numpy.float32)}


def main(folder):
    results = {}
    for function in zipmap, arrays, forest, strings:
        name = f"pipeline-{function.__name__}"
        model, inputs = function()
        model.producer_version = model.graph.doc_string = ""
        imports = sorted(model.opset_import, key=lambda entry: entry.domain)
        del model.opset_import[:]
        model.opset_import.extend(imports)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        session = onnxruntime.InferenceSession(str(folder / f"{name}.onnx"))
        names = [output.name for output in session.get_outputs()]
        outputs = session.run(names, inputs)
        results[name] = {"inputs": {key: column.tolist() for key, column in inputs.items()},
                         "outputs": {n: listed(o) for n, o in zip(names, outputs)}}
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (folder / "pipelines.json").write_text(text + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
