"""Writes models in ONNX's format, which needs no package."""

import json
import pathlib
from collections.abc import Sequence
from typing import Any

FLOAT, INT32 = 1, 6
_BACKEND = {"quantized": False, "backend": "onnx", "modes": ["predict"]}


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _layer(name: str, dtype: int, shape: Sequence[int | str]) -> bytes:
    dimensions = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, dtype) + _field(2, dimensions)))


def casts(shape: Sequence[int | str], outputs: Sequence[str]) -> bytes:
    """Returns a model whose outputs are its input, `ids`, as floats."""
    target = _field(5, _field(1, "to") + _field(3, FLOAT) + _field(20, 2))
    nodes = [_field(1, "ids") + _field(2, name) + _field(4, "Cast") + target for name in outputs]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "casts")
    graph += _field(11, _layer("ids", INT32, shape))
    graph += b"".join(_field(12, _layer(name, FLOAT, shape)) for name in outputs)
    return _field(1, 8) + _field(8, _field(2, 13)) + _field(7, graph)


def identity(shape: Sequence[int]) -> bytes:
    """Returns a model whose output, `y`, is its input, `x`."""
    graph = _field(1, _field(1, "x") + _field(2, "y") + _field(4, "Identity")) + _field(2, "identity")
    graph += _field(11, _layer("x", FLOAT, shape)) + _field(12, _layer("y", FLOAT, shape))
    return _field(1, 8) + _field(8, _field(2, 13)) + _field(7, graph)


def constants(values: dict[str, Any], image_shape: Sequence[int]) -> bytes:
    """Returns a model with an image as input, `image`, whose outputs are always these arrays of floats."""
    graph = _field(2, "constants") + _field(11, _layer("image", FLOAT, image_shape))
    for name, array in values.items():
        graph += _field(1, _field(1, f"{name}_value") + _field(2, name) + _field(4, "Identity"))
        graph += _field(5, b"".join(_field(1, size) for size in array.shape) + _field(2, FLOAT)
                        + _field(8, f"{name}_value") + _field(9, array.astype("<f4").tobytes()))
        graph += _field(12, _layer(name, FLOAT, array.shape))
    return _field(1, 8) + _field(8, _field(2, 13)) + _field(7, graph)


def write_detector(path: pathlib.Path, boxes: Any, prototypes: Any = None) -> pathlib.Path:
    """Writes a bundle that always finds the same objects, with masks if there are prototypes.

    The input is an image of 128 × 72, and the columns of `boxes` are center, size, a score for each of three classes, and the weights
    of the prototypes.
    """
    values, outputs = {"boxes": boxes}, [
        {"name": "boxes", "type": "array", "shape": boxes.shape, "role": "boxes", "labels": "labels.txt"}]
    if prototypes is not None:
        values["prototypes"] = prototypes
        outputs.append({"name": "prototypes", "type": "array", "shape": prototypes.shape, "role": "prototypes"})
    image = {
        "name": "image", "type": "image", "shape": [3, 72, 128], "format": "RGB", "layout": "NCHW", "fit": "stretch"}
    return write_bundle(
        path, constants(values, [1, 3, 72, 128]), [image], outputs, {"labels.txt": "cat\ndog\nbird\n"},
        task={"type": "detection", "head": "yolov8"})


def write_bundle(
    path: pathlib.Path, model: bytes, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]],
    assets: dict[str, str] | None = None, **members: Any,
) -> pathlib.Path:
    """Writes a bundle with a model."""
    (path / "assets").mkdir(parents=True)
    (path / "model.onnx").write_bytes(model)
    for name, text in (assets or {}).items():
        (path / "assets" / name).write_text(text, encoding="utf-8")
    description = {
        "name": path.stem, "id": path.stem, "version": "1", "details": "", "author": "", "license": "",
        "model": {"file": "model.onnx", **_BACKEND}, "inputs": inputs, "outputs": outputs, **members}
    (path / "model.json").write_text(json.dumps(description), encoding="utf-8")
    return path


def with_sequence(shape: Sequence[int], has_tensor: bool) -> bytes:
    """Returns a model with a sequence of its input, `x`, as the output `parts`, and possibly with `y`, its input."""
    graph = _field(1, _field(1, "x") + _field(2, "parts") + _field(4, "SequenceConstruct")) + _field(2, "sequence")
    element = _field(1, _field(1, FLOAT) + _field(2, b"".join(_field(1, _field(1, size)) for size in shape)))
    graph += _field(11, _layer("x", FLOAT, shape))
    graph += _field(12, _field(1, "parts") + _field(2, _field(4, _field(1, element))))
    if has_tensor:
        graph += _field(1, _field(1, "x") + _field(2, "y") + _field(4, "Identity")) + _field(12, _layer("y", FLOAT, shape))
    return _field(1, 8) + _field(8, _field(2, 13)) + _field(7, graph)


def write_answers(folder: pathlib.Path) -> pathlib.Path:
    """Writes a bundle that answers a question with the word of the text that has the greatest index in the vocabulary."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "who", "wrote", "it", "?", "ada"]
    return write_bundle(
        folder / "answers.tiobundle", casts([1, 12], ["start", "end"]),
        [{"name": "ids", "type": "text", "shape": [1, 12], "tokenizer": {"type": "wordpiece", "file": "words.txt"}}],
        [{"name": name, "type": "array", "shape": [1, 12], "role": f"{name}_scores"} for name in ("start", "end")],
        {"words.txt": "\n".join(words) + "\n"}, task={"type": "question-answering"})
