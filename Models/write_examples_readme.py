"""Writes Examples/README.md from the bundles."""

import json

from bundle import EXAMPLES, size
from photographs import CREDIT

# The samples of the commands, in place of the first ones.
PREFERRED_SAMPLES = ["3-1.png", "sequence.wav", "payment.json"]

HEAD = """\
# Examples

`Bundles/` contains models that are ready to run. The scripts in `Models/` build them and this page;
`Models/train-all` rebuilds everything.

| bundle | description | measured | size |
|---|---|---|---|
"""

COMMANDS = """
Each bundle has sample inputs:

```
"""

TAIL = f"""\
```

A `.tiochain` folder describes a chain of bundles that run one after another (`chain.json`). One chain paints
a photograph in the style of another image, another detects, aligns and embeds the faces of an image, and the third reads the
lines of text in an image:

```
tensorio run Examples/Bundles/style.tiochain photograph=Examples/Bundles/pencil.tiobundle/samples/temple.png style=Examples/Bundles/style-predict.tiobundle/samples/waves.jpg --save-images .
tensorio run Examples/Bundles/faces.tiochain Examples/Data/faces-over-photographs/groups/0000.jpg
tensorio run Examples/Bundles/reading.tiochain Examples/Data/text-over-photographs/0000.jpg
```

A bundle contains:

| file | contents |
|---|---|
| `model.json` | the description of the inputs and outputs |
| `model.tflite`, or a folder | the model |
| `assets/` | labels |
| `samples/` | sample inputs |
| `expected.json` | the expected outputs of each sample and their tolerance; images and large outputs are paths of files in `expected/` |
| `CARD.md` | data, license, training, accuracy, limitations |

`Data/digits-held-out/` contains images that were not used to train the digits models, in one folder per
label, for evaluation: drawn from Optical Recognition of Handwritten Digits (E. Alpaydin and C. Kaynak,
UCI Machine Learning Repository), license CC BY 4.0, as the cards describe. `Data/digits-training/`
contains training examples from the same source, in the input size of `digits-trainable`.
`Data/shapes-training/` and `Data/shapes-held-out/` are drawn by `Models/train_shapes.py`.

`Data/tones-held-out/` contains synthesized sounds, one folder per label, and `Data/topics-held-out.csv` messages
with their topics, for `tensorio evaluate`:

```
tensorio evaluate Examples/Bundles/tones.tiobundle Examples/Data/tones-held-out
tensorio evaluate Examples/Bundles/topics.tiobundle Examples/Data/topics-held-out.csv
```

`Data/spoken-digits-held-out/` contains recordings of digits and of other words in synthesized voices that were not trained, each
with its text:

```
tensorio evaluate Examples/Bundles/spoken-digits.tiobundle Examples/Data/spoken-digits-held-out
```

`Data/shape-masks/` contains held-out images with masks, and `Data/figures/` held-out drawings of people with
their joints in COCO format:

```
tensorio evaluate Examples/Bundles/shape-segmenter.tiobundle Examples/Data/shape-masks
tensorio evaluate Examples/Bundles/figure-pose.tiobundle Examples/Data/figures
tensorio evaluate Examples/Bundles/shape-boxes.tiobundle Examples/Data/shapes-over-photographs
```

`Data/text-over-photographs/` contains held-out images with the texts and corners of their lines, in PaddleOCR's format, and
`Data/lines-held-out/` images of one line, for the chain and the reader alone:

```
tensorio evaluate Examples/Bundles/reading.tiochain Examples/Data/text-over-photographs/lines.txt
tensorio evaluate Examples/Bundles/line-reader.tiobundle Examples/Data/lines-held-out/lines.txt
```

`Data/shapes-over-photographs/` and `Data/faces-over-photographs/` contain held-out images for the detectors,
with annotations in `truth.json`: boxes as left, top, right and bottom, and landmarks as x and y, in pixels.
The boxes of the shapes are also in `annotations.json`, in COCO format. The faces are portraits in
`people/`, one folder per person, and group images that include unknown people in `groups/`.
`Models/draw` draws more. The background photographs are crops of
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
    samples = bundle / "samples"
    preferred = [samples / name for name in PREFERRED_SAMPLES if (samples / name).exists()]
    sample = [*preferred, *sorted(samples.iterdir())][0]
    description = json.loads((bundle / "model.json").read_text())
    makes_pictures = any("denormalize" in layer for layer in description["outputs"])
    folder = f"Examples/Bundles/{bundle.name}"
    value = f"{'@' if sample.suffix == '.json' else ''}{folder}/samples/{sample.name}"
    if description["inputs"][0]["type"] == "text":
        [value] = json.loads(sample.read_text()).values()
        value = f'"{value}"'
    return f"tensorio run {folder} {value}{' --save-images .' if makes_pictures else ''}\n"


def main():
    bundles = sorted((EXAMPLES / "Bundles").glob("*.tiobundle"))
    page = HEAD + "".join(map(row, bundles)) + COMMANDS + "".join(map(command, bundles)) + TAIL
    (EXAMPLES / "README.md").write_text(page)


if __name__ == "__main__":
    main()
