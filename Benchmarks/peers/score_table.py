"""The peer of tensorio's functions for engines: Pillow, numpy and LiteRT's interpreter on Arrow batches.

A user writes such a class for one model. It reads what it needs from the bundle, and expects valid rows.
"""

import io
import json
import os

import numpy
import pyarrow


class Peer:
    """A model that is opened once per process."""

    def __init__(self, bundle):
        from ai_edge_litert.interpreter import Interpreter

        with open(os.path.join(bundle, "model.json")) as file:
            description = json.load(file)
        path = os.path.join(bundle, description["model"]["file"])
        self.interpreter = Interpreter(path, num_threads=1)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]
        self.outputs = {item["name"]: item["index"] for item in self.interpreter.get_output_details()}
        self.names = [layer["name"] for layer in description["outputs"]]
        self.threshold = description.get("task", {}).get("threshold", 0.5)
        labels = os.path.join(bundle, "assets", "labels.txt")
        self.labels = open(labels).read().split() if os.path.exists(labels) else []

    def run(self, values):
        self.interpreter.set_tensor(self.input["index"], values)
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(index) for index in self.outputs.values()]


class RowPeer(Peer):
    """Rows of numbers, one after the other, as the model takes them."""

    def __init__(self, bundle, features):
        super().__init__(bundle)
        self.features = features

    def score(self, batch):
        columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in self.features]
        rows = numpy.stack(columns, axis=1).astype(numpy.float32, copy=False)
        found = numpy.empty(len(rows), numpy.float32)
        set_tensor, invoke, get_tensor = (
            self.interpreter.set_tensor, self.interpreter.invoke, self.interpreter.get_tensor)
        source, (target,) = self.input["index"], self.outputs.values()
        for index in range(len(rows)):
            set_tensor(source, rows[index:index + 1])
            invoke()
            found[index] = get_tensor(target)[0, 0]
        return pyarrow.RecordBatch.from_arrays([batch.column("id"), pyarrow.array(found)], ["id", "progression"])


class ImagePeer(Peer):
    """Encoded images, which are fitted into the model's square, to detections."""

    TYPE = pyarrow.list_(pyarrow.struct([
        ("label", pyarrow.string()), ("score", pyarrow.float32()), ("box", pyarrow.list_(pyarrow.float32()))]))

    def __init__(self, bundle):
        super().__init__(bundle)
        self.size = int(self.input["shape"][1])

    def prepare(self, content):
        from PIL import Image, ImageOps

        image = ImageOps.exif_transpose(Image.open(io.BytesIO(content))).convert("RGB")
        image = ImageOps.pad(image, (self.size, self.size), Image.BILINEAR)
        return numpy.asarray(image, numpy.float32)[numpy.newaxis] / numpy.float32(255)

    def detections(self, content):
        boxes, classes, scores, count = self.run(self.prepare(content))
        return [
            {"label": self.labels[int(classes[0, index])], "score": float(scores[0, index]),
             "box": boxes[0, index].tolist()}
            for index in range(int(count[0])) if scores[0, index] >= self.threshold]

    def score(self, batch):
        found = [self.detections(content) for content in batch.column("content").to_pylist()]
        return pyarrow.RecordBatch.from_arrays(
            [batch.column("id"), pyarrow.array(found, self.TYPE)], ["id", "detections"])
