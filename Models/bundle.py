"""Writes a bundle: model.json, the model, labels, samples, expected outputs and the card."""

import json
import re
import shutil
from pathlib import Path

import numpy as np

from sounds import save_sound

EXAMPLES = Path(__file__).resolve().parent.parent / "Examples"

# The number of samples in model.json as examples, which `tensorio validate` runs.
DESCRIBED_SAMPLES = 2
JPEG_QUALITY = 88
# Outputs with more values are stored in files of their own.
MAX_WRITTEN_VALUES = 500


def described(
    name, id, details, kind, inputs, outputs, quantized=False,
    backend="tflite", file="model.tflite", modes=("predict",), **more,
):  # fmt: skip
    """Returns the contents of model.json."""
    return {
        "name": name,
        "details": details,
        "id": id,
        "version": "1",
        "author": "TensorIO for Swift",
        "license": "Apache-2.0",
        "model": {
            "file": file,
            "quantized": quantized,
            "backend": backend,
            "modes": list(modes),
            "type": kind,
        },
        "inputs": inputs,
        "outputs": outputs,
        **more,
        "options": {},
    }


class Bundle:
    """A new bundle folder, with the bytes of a model or a function that writes the model's folder."""

    def __init__(self, description, model):
        self.path = EXAMPLES / "Bundles" / f"{description['id']}.tiobundle"
        shutil.rmtree(self.path, ignore_errors=True)
        (self.path / "samples").mkdir(parents=True)
        self.expected = {}
        self.write_json("model.json", description)
        file = self.path / description["model"]["file"]
        model(file) if callable(model) else file.write_bytes(model)

    def add_labels(self, labels):
        self.add_asset("labels.txt", labels)

    def add_asset(self, name, lines):
        """Writes lines of text into a file in `assets`."""
        assets = self.path / "assets"
        assets.mkdir(exist_ok=True)
        (assets / name).write_text("\n".join(lines) + "\n")

    def add_sample(self, name, sample, answer):
        """Adds an image or a dictionary of values as a sample, with its expected outputs."""
        if isinstance(sample, dict):
            self.write_json(f"samples/{name}", sample)
        else:
            save_picture(sample, self.path / "samples" / name)
        self.expected[name] = answer

    def expect(self, name, answers):
        """Sets the expected outputs of a sample, by name; large ones are files in `expected`."""
        self.expected[name] = {output: self.stored(name, output, answer) for output, answer in answers.items()}

    def stored(self, name, output, answer):
        if np.size(answer) <= MAX_WRITTEN_VALUES:
            return answer
        file = f"expected/{Path(name).stem}-{output}.json"
        (self.path / "expected").mkdir(exist_ok=True)
        (self.path / file).write_text(json.dumps(answer, separators=(",", ":")) + "\n")
        return file

    def add_sound(self, name, samples, rate, answer):
        """Adds samples from -1 to 1 as a WAV file, with its expected outputs."""
        save_sound(samples, rate, self.path / "samples" / name)
        self.expected[name] = answer

    def finish(self, tolerance, measured, card):
        """Writes the expected outputs, examples and card, and prints the measured accuracy."""
        self.write_examples(tolerance)
        self.write_json("expected.json", {"tolerance": tolerance, "samples": self.expected})
        title = json.loads((self.path / "model.json").read_text())["name"]
        (self.path / "CARD.md").write_text(f"# {title}\n\n**Measured:** {measured}\n\n{card.strip()}\n")
        print(f"{self.path.name}: {measured}", flush=True)

    def write_examples(self, tolerance):
        """Writes the first samples and their outputs into model.json as examples."""
        description = json.loads((self.path / "model.json").read_text())
        samples = sorted(self.expected.items())[:DESCRIBED_SAMPLES]
        description["examples"] = [
            {
                "input": f"@samples/{name}" if name.endswith(".json") else f"samples/{name}",
                "output": in_description(answer),
                "tolerance": tolerance,
            }
            for name, answer in samples
        ]
        self.write_json("model.json", description)

    def write_json(self, name, value):
        text = json.dumps(value, indent=2, ensure_ascii=False)
        (self.path / name).write_text(with_short_lists(text) + "\n")


def in_description(answer):
    """Returns the expected outputs as in model.json, where files of values have a prefix."""
    return {
        output: f"@{value}" if isinstance(value, str) and value.endswith(".json") else value
        for output, value in answer.items()
    }


def size(model):
    """Returns the size of a model's file, or of all files in its folder, in bytes."""
    files = model.rglob("*") if model.is_dir() else [model]
    return sum(file.stat().st_size for file in files if file.is_file())


def save_picture(picture, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, optimize=True, quality=JPEG_QUALITY)


def with_short_lists(text):
    """Puts lists of plain values on one line."""
    return re.sub(
        r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", text
    )
