"""Writes datasets of drawn images, with annotations in `truth.json`.

Boxes are [left, top, right, bottom] and landmarks [x, y], in pixels. Shapes have their boxes in
`annotations.json` too, in COCO format, for `tensorio evaluate`.
"""

import json
import shutil

import numpy as np

import drawn_faces
import drawn_shapes
from bundle import save_picture, with_short_lists
from photographs import HELD_OUT

LONGER_SIDE = 320
GROUP_SIZE = 640, 480
PORTRAIT_SIDE = 200
PEOPLE = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn"]
STRANGERS = ["stranger 1", "stranger 2", "stranger 3"]
PORTRAITS_OF_A_PERSON = 3
OF_A_GROUP = 3, 6


def write_shapes(folder, count, seed):
    """Draws images with shapes."""
    random = np.random.default_rng(seed)
    _begin(folder)
    described = []
    for number in range(count):
        picture, things = drawn_shapes.scene(random, LONGER_SIDE, HELD_OUT)
        described.append(_saved(folder, f"{number:04}.jpg", picture, things))
    write_json(folder, {"labels": drawn_shapes.LABELS, "pictures": described})
    write_coco(folder, drawn_shapes.LABELS, described)


def write_faces(folder, count, seed):
    """Draws portraits of people to enroll, one folder each, and group images that include unknown people."""
    random = np.random.default_rng(seed)
    _begin(folder)
    known, strangers = people(random)
    portraits = [
        _portrait(folder, f"people/{name}/{number}.jpg", name, who, random)
        for name, who in known.items()
        for number in range(PORTRAITS_OF_A_PERSON)
    ]
    groups = [_group(folder, f"groups/{number:04}.jpg", known | strangers, random) for number in range(count)]
    write_json(folder, {"people": list(known), "strangers": list(strangers), "portraits": portraits, "groups": groups})


def people(random):
    """Returns the identities of enrolled and unknown people, by name."""
    return [{name: drawn_faces.identity(random) for name in names} for names in (PEOPLE, STRANGERS)]


def some(random, everybody):
    """Returns some of the identities, in random order."""
    names = random.permutation(list(everybody))[: random.integers(OF_A_GROUP[0], OF_A_GROUP[1] + 1)]
    return {str(name): everybody[name] for name in names}


def _group(folder, file, everybody, random):
    return _saved(folder, file, *drawn_faces.group(random, some(random, everybody), GROUP_SIZE, HELD_OUT))


def _portrait(folder, file, name, who, random):
    picture, face = drawn_faces.portrait(random, who, PORTRAIT_SIDE, HELD_OUT)
    face.label = name
    return _saved(folder, file, picture, [face])


def _begin(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _saved(folder, file, picture, things):
    save_picture(picture, folder / file)
    described = [_described(thing, picture.size) for thing in things]
    return {"file": file, "width": picture.width, "height": picture.height, "things": described}


def _described(thing, size):
    facts = {"label": thing.label, "box": [round(v * s, 1) for v, s in zip(thing.box, size * 2)]}
    if thing.points:
        named = zip(drawn_faces.LANDMARKS, thing.points)
        facts["landmarks"] = {name: [round(v * s, 1) for v, s in zip(point, size)] for name, point in named}
    return facts


def write_coco(folder, labels, pictures):
    """Returns the boxes as COCO instances: left, top, width and height."""
    things = [(image, thing) for image, picture in enumerate(pictures, 1) for thing in picture["things"]]
    images = [
        {"id": image, "file_name": picture["file"], "width": picture["width"], "height": picture["height"]}
        for image, picture in enumerate(pictures, 1)
    ]
    categories = [{"id": category, "name": label} for category, label in enumerate(labels, 1)]
    annotations = [
        {"id": number, "image_id": image, "category_id": labels.index(thing["label"]) + 1, "iscrowd": 0}
        | _coco_box(*thing["box"])
        for number, (image, thing) in enumerate(things, 1)
    ]
    write_json(folder, {"images": images, "annotations": annotations, "categories": categories}, "annotations.json")


def _coco_box(left, top, right, bottom):
    width, height = right - left, bottom - top
    return {"bbox": [round(v, 1) for v in (left, top, width, height)], "area": round(width * height, 2)}


def write_json(folder, facts, name="truth.json"):
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    (folder / name).write_text(with_short_lists(text) + "\n")
