"""Writes Examples/README.md from the bundles as they are."""

import json

from bundle import EXAMPLES, size
from photographs import CREDIT

HEAD = """\
# Examples

`Bundles/` holds models that are ready to run, made by the scripts in `Models/` (`Models/train-all`
makes all of them anew). This page is written by them too.

| bundle | what it does | measured | size |
|---|---|---|---|
"""

COMMANDS = """
Each has sample inputs:

```
"""

TAIL = f"""\
```

A `.tiochain` beside them names bundles that run one after the other (`chain.json`): a photograph painted in
the style of a picture, and the faces of a picture found, aligned and made into vectors:

```
tensorio run Examples/Bundles/style.tiochain photograph=Examples/Bundles/pencil.tiobundle/samples/temple.png style=Examples/Bundles/style-predict.tiobundle/samples/waves.jpg --save .
tensorio run Examples/Bundles/faces.tiochain Examples/Data/faces-over-photographs/groups/0000.jpg
```

What is in a bundle:

| file | what it is |
|---|---|
| `model.json` | what goes in and what comes out |
| `model.tflite`, or a folder | the model |
| `assets/` | labels |
| `samples/` | inputs to try, and nothing else |
| `expected.json` | what each sample should answer, with the tolerance that counts as equal; a picture as the path of a file in `expected/` |
| `CARD.md` | data, licence, training, accuracy, limits |

`Data/digits-held-out/` holds the pictures that the digits models have never seen, in one folder a
label, for evaluating: drawn from Optical Recognition of Handwritten Digits (E. Alpaydin and C. Kaynak,
UCI Machine Learning Repository), licence CC BY 4.0, as the cards describe. `Data/digits-training/`
holds other examples of the same, to train with, as small as `digits-trainable` sees them.
`Data/shapes-training/` and `Data/shapes-held-out/` are drawn by `Models/train_shapes.py`.

`Data/shapes-over-photographs/` and `Data/faces-over-photographs/` hold pictures for the detectors, which
have never seen them, and in `truth.json` what each shows: boxes as left, top, right and bottom, landmarks
as x and y, in pixels. The shapes have their boxes in COCO's form besides, in `annotations.json`. The
faces are portraits in `people/`, one folder a person, and groups with strangers among them in `groups/`.
`Models/draw` draws more. The photographs behind are pieces of
{CREDIT}
"""


def row(bundle):
    description = json.loads((bundle / "model.json").read_text())
    card = (bundle / "CARD.md").read_text()
    measured = card.split("**Measured:** ")[1].split("\n")[0]
    kilobytes = size(bundle / description["model"]["file"]) / 1000
    name = f"[{bundle.stem}](Bundles/{bundle.name}/CARD.md)"
    return f"| {name} | {description['details']} | {measured} | {kilobytes:.1f} kB |\n"


def command(bundle):
    sample = sorted((bundle / "samples").iterdir())[0]
    if (bundle / "samples" / "3-1.png").exists():
        sample = bundle / "samples" / "3-1.png"
    makes_pictures = '"denormalize"' in (bundle / "model.json").read_text()
    folder = f"Examples/Bundles/{bundle.name}"
    value = f"{'@' if sample.suffix == '.json' else ''}{folder}/samples/{sample.name}"
    return f"tensorio run {folder} {value}{' --save .' if makes_pictures else ''}\n"


def main():
    bundles = sorted((EXAMPLES / "Bundles").glob("*.tiobundle"))
    page = HEAD + "".join(map(row, bundles)) + COMMANDS + "".join(map(command, bundles)) + TAIL
    (EXAMPLES / "README.md").write_text(page)


if __name__ == "__main__":
    main()
