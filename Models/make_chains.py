"""Writes the chains, which run bundles of the same folder one after another."""

import base64
import json

import numpy as np

from alignment import ALIGNED_EYES
from bundle import EXAMPLES, with_short_lists
from recognition import NEAR
from train_face_embedder import SIDE

STYLE = {
    "name": "Photograph in a style",
    "id": "style",
    "version": "1",
    "inputs": ["photograph", "style"],
    "steps": [
        {"name": "predict", "bundle": "style-predict.tiobundle", "inputs": {"picture": "style"}},
        {
            "name": "transform",
            "bundle": "style-transform.tiobundle",
            "inputs": {"picture": "photograph", "style": "predict.style"},
        },
    ],
}

FACES = {
    "name": "Drawn faces in an image as vectors",
    "id": "faces",
    "version": "1",
    "inputs": ["picture"],
    "steps": [
        {"name": "detect", "bundle": "face-detector.tiobundle", "inputs": {"image": "picture"}},
        {"name": "refine", "refine": {"picture": "picture", "detections": "detect", "scale": NEAR}},
        {
            "name": "align",
            "align": {
                "picture": "picture",
                "detections": "refine",
                "points": np.round(np.array(ALIGNED_EYES) * SIDE, 4).tolist(),
                "width": SIDE,
                "height": SIDE,
            },
        },
        {"name": "embed", "bundle": "face-embedder.tiobundle", "inputs": {"face": "align"}},
    ],
}

READING = {
    "name": "Lines of text in an image",
    "id": "reading",
    "version": "1",
    "inputs": ["picture"],
    "steps": [
        {"name": "detect", "bundle": "line-detector.tiobundle", "inputs": {"image": "picture"}},
        {"name": "lines", "crop": {"picture": "picture", "detections": "detect"}},
        {"name": "read", "bundle": "line-reader.tiobundle", "inputs": {"line": "lines"}},
    ],
}


def style_sample():
    """Returns a photograph and a picture whose style it gets, from the samples of the two bundles."""
    bundles = EXAMPLES / "Bundles"
    picture = json.loads((bundles / "style-transform.tiobundle/samples/temple-waves.json").read_text())
    style = (bundles / "style-predict.tiobundle/samples/waves.jpg").read_bytes()
    return {"photograph": picture["picture"], "style": "base64:" + base64.b64encode(style).decode()}


def main():
    for chain in STYLE, FACES, READING:
        folder = EXAMPLES / "Bundles" / f"{chain['id']}.tiochain"
        folder.mkdir(exist_ok=True)
        text = json.dumps(chain, indent=2, ensure_ascii=False)
        (folder / "chain.json").write_text(with_short_lists(text) + "\n")
    samples = EXAMPLES / "Bundles/style.tiochain/samples"
    samples.mkdir(exist_ok=True)
    (samples / "temple-waves.json").write_text(json.dumps(style_sample()) + "\n")


if __name__ == "__main__":
    main()
