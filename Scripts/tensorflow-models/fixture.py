"""Test bundles: SavedModels, model.json, and cases.json with the outputs of TensorFlow."""

import json
import shutil

import numpy as np
from PIL import Image

import saved_models

TAGS = {"predict": "serve", "train": "train", "eval": "eval"}


def array(name, shape, dtype=None, **more):
    return _layer("array", name, shape, dtype, more)


def scalar(name, dtype=None, shape=(1,), **more):
    return _layer("scalar", name, shape, dtype, more)


def data(name, shape, dtype):
    """A layer of raw bytes."""
    return _layer("string", name, shape, dtype, {})


def image(name, shape, **more):
    return _layer("image", name, shape, None, {"format": "RGB", **more})


def _layer(kind, name, shape, dtype, more):
    typed = {"dtype": dtype} if dtype else {}
    return {"name": name, "type": kind, **typed, "shape": list(shape), **more}


class Fixture:
    """A bundle folder, which replaces an existing one."""

    def __init__(self, path, details):
        self.path = path
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        self.cases = {}
        self.description = {
            "name": path.stem,
            "details": details,
            "id": path.stem,
            "version": "1",
            "author": "TensorIO for Swift",
            "license": "Apache-2.0",
            "model": {"file": "model", "quantized": False, "backend": "tensorflow", "modes": []},
            "inputs": [],
            "outputs": [],
        }

    def saved(self, *builds, folder="model", **options):
        """Writes a SavedModel with one graph tagged `serve`, or with one graph for each (tag, build)."""
        graphs = dict(build if isinstance(build, tuple) else ("serve", build) for build in builds)
        saved_models.write(self.path / folder, graphs, **options)

    def predicts(self, inputs, outputs, **more):
        self.only("predict", inputs, outputs, **more)

    def only(self, mode, inputs, outputs, file="model", **more):
        """Returns the mode of the top-level layers: predict, or the only mode of the bundle."""
        self._add_mode(mode)
        self.description["model"]["file"] = file
        self.description |= {"inputs": inputs, "outputs": outputs, **more}
        self.cases["counts"] = {"inputs": len(inputs), "outputs": len(outputs)}

    def trains(self, ops, **parts):
        self._add_mode("train")
        self.description["train"] = {"ops": ops, **parts}

    def evaluates(self, **parts):
        self._add_mode("eval")
        self.description["eval"] = parts

    def answers(self, *inputs, tolerance=0, placeholders=None):
        """Adds cases: each input, a list or an object by name, with the outputs of TensorFlow."""
        running = self.running("predict")
        self.cases["tolerance"] = tolerance
        given = {"placeholders": placeholders} if placeholders else {}
        self.cases.setdefault("cases", []).extend(
            {"input": item, **given, "outputs": self.outputs(running, "predict", [item], placeholders)}
            for item in inputs
        )

    def answers_picture(self, drawn, values, **expected):
        """Adds a case whose input is an image: its pixels, and the values passed to the graph."""
        path = self.path / "samples" / "picture.png"
        path.parent.mkdir()
        Image.fromarray(drawn).save(path, optimize=True)
        outputs = self.outputs(self.running("predict"), "predict", [values])
        numbers = {name: value for name, value in outputs.items() if name not in expected.get("pixels", [])}
        self.cases.setdefault("cases", []).append(
            {"picture": "samples/picture.png", "outputs": numbers, **expected}
        )

    def answers_batch(self, items, mode="predict"):
        """Adds a case that runs several items in one call, with the outputs for the batch."""
        outputs = self.outputs(self.running(mode), mode, items)
        self.cases.setdefault("batches", []).append(
            {"mode": mode, "items": items, "outputs": outputs}
        )

    def learns(self, *batches, tolerance=1e-6, placeholders=None, then=()):
        """Adds a training case: steps with the outputs after each, and the final predictions."""
        running, ops = self.running("train"), self.description["train"]["ops"]
        steps = []
        for items in batches:
            running.run(self.feeds("train", items, placeholders), targets=ops)
            outputs = self.outputs(running, "train", items, placeholders)
            steps.append({"items": items, "outputs": outputs})
        story = {"placeholders": placeholders or {}, "tolerance": tolerance, "steps": steps}
        for mode, items in then:
            story.setdefault("then", []).append(
                {"mode": mode, "items": items, "outputs": self.outputs(running, mode, items)}
            )
        self.cases.setdefault("training", []).append(story)

    def running(self, mode):
        file = self.part(mode, "file") or self.description["model"]["file"]
        return saved_models.Running(self.path / file, TAGS[mode])

    def outputs(self, running, mode, items, placeholders=None):
        names = [layer["name"] for layer in self.part(mode, "outputs")]
        found = running.run(self.feeds(mode, items, placeholders), names)
        return {name: _plain(value) for name, value in zip(names, found)}

    def feeds(self, mode, items, placeholders=None):
        """Returns the feeds: one tensor per layer with the values of all items, and the placeholders."""
        values, layers = {}, self.part(mode, "inputs")
        for place, layer in enumerate(layers):
            column = [_value_for(layer["name"], place, len(layers), item) for item in items]
            values[layer["name"]] = _tensor(layer, column)
        for layer in self.part(mode, "placeholders") or self.description.get("placholders", []):
            value = (placeholders or {}).get(layer["name"], layer.get("value"))
            values[layer["name"]] = _tensor(layer, [value])
        return values

    def part(self, mode, key):
        """Returns the layers of the mode, or the top-level layers."""
        return self.description.get(mode, {}).get(key) or self.description.get(key, [])

    def finish(self):
        write_json(self.path / "model.json", self.description)
        write_json(self.path / "cases.json", self.cases)

    def _add_mode(self, mode):
        self.description["model"]["modes"].append(mode)


def write_json(path, value):
    path.write_text(_text(value) + "\n")


def _value_for(name, place, count, item):
    """Returns an item's value for a layer: by name, by position, or the value of a single layer."""
    if isinstance(item, dict):
        return item[name]
    return item[place] if count > 1 else item


def _tensor(layer, column):
    """Returns items in the layer's shape: as rows if it begins with -1; a scalar has rank 0."""
    kind, shape = layer.get("dtype", "float32"), layer["shape"]
    texts = isinstance(np.ravel(column)[0], str)
    values = np.array(column, object if texts else kind)
    if layer["type"] == "scalar" and -1 not in shape:
        return values.reshape(())
    # The first axis counts the items; the values determine the length of another open one.
    return values.reshape([len(column) if shape[0] == -1 else shape[0], *shape[1:]])


def _plain(value):
    """Returns a number or a flat list; NaN and infinities are strings."""
    flat = [_element(each) for each in np.ravel(value).tolist()]
    return flat[0] if len(flat) == 1 else flat


def _element(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _text(value, indent=""):
    """Returns JSON in which short values and lists of scalars are on one line."""
    line = json.dumps(value, ensure_ascii=False)
    nested = isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], (dict, list)))
    if len(indent + line) <= 90 or not nested:
        return line
    inner = indent + "  "
    if isinstance(value, list):
        return f"[\n{inner}" + f",\n{inner}".join(_text(each, inner) for each in value) + f"\n{indent}]"
    members = [f"{json.dumps(key)}: {_text(each, inner)}" for key, each in value.items()]
    return f"{{\n{inner}" + f",\n{inner}".join(members) + f"\n{indent}}}"
