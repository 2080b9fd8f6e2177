"""Runs the program of Documentation/Federated.md that teaches classes of two clients, with digits in place of things.

python federated_classes.py FOLDER

Client 0 has the digits 0 to 2, client 1 the digits 2 to 4. The result is the version 1 in FOLDER/models/things.
"""

import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "Examples" / "Data"
PAGE = ROOT / "Documentation" / "Federated.md"
CLASSES = ["0", "1", "2", "3", "4"]


def program() -> str:
    """Returns the program of the page, with the classes of this test."""
    (text,) = re.findall(r"^```python\n(# classes\.py\n.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    changed = str(text).replace('["cup", "key", "phone"]', repr(CLASSES)).replace("held-out/key/1.png", "held-out/4/000.png")
    assert changed.count("'4'") == 1 and "4/000.png" in changed
    return changed


def make_data(folder: pathlib.Path) -> None:
    """Copies twenty images of each class of a client."""
    for client, labels in enumerate([CLASSES[:3], CLASSES[2:]]):
        for label in labels:
            target = folder / "data" / str(client) / label
            target.mkdir(parents=True)
            for image in sorted((DATA / "digits-training" / label).glob("*.png"))[20 * client:20 * client + 20]:
                shutil.copy(image, target)
    for label in CLASSES:
        target = folder / "held-out" / label
        target.mkdir(parents=True)
        for number, image in enumerate(sorted((DATA / "digits-held-out" / label).glob("*.png"))):
            shutil.copy(image, target / f"{number:03}.png")
    shutil.copytree(ROOT / "Examples" / "Bundles" / "digits-embedder.tiobundle", folder / "backbone.tiobundle")


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    make_data(folder)
    os.chdir(folder)
    exec(compile(program(), "classes.py", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    main()
