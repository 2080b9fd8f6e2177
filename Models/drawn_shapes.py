"""Shapes drawn over photographs.

| parameter | variation |
|---|---|
| image | a crop of a photograph: portrait, square or landscape |
| count | 1 to 4 with disjoint boxes |
| position | anywhere within the image |
| size | 0.5 to 1.5 times 0.3 of the image's longer side |
| rotation | -30° to 30° |
| color | any that differs from the background by a third of the range; half have an outline |
| light | a gradient from 0.6 to 1.4 between opposite edges |
| noise | a standard deviation of 0 to 10 levels of 255 |
| occlusion | half of the shapes have a plain bar over a tenth of their box |
"""

import numpy as np
from PIL import Image, ImageDraw

from drawing import (
    FINENESS, SCALES, TURNS, Pose, Thing, bounds, color_unlike, ellipse, finished, hide_part, overlaps,
    polygon, random_size, relative_box,
)  # fmt: skip
from photographs import average_color, piece

USUAL_SIZE = 0.3
MOST = 4


def _star():
    angles = np.radians(np.arange(10) * 36 - 90)
    lengths = np.where(np.arange(10) % 2, 0.21, 0.5)
    return np.stack([np.cos(angles) * lengths, np.sin(angles) * lengths], 1)


def _cross():
    thin, far = 0.15, 0.48
    arm = [(-thin, -far), (thin, -far), (thin, -thin)]
    quarter = np.array([[0, 1], [-1, 0]])
    return np.concatenate([np.array(arm) @ np.linalg.matrix_power(quarter, turn) for turn in range(4)])


OUTLINES = {
    "circle": ellipse(0, 0, 0.46, 0.46),
    "square": np.array([(-0.42, -0.42), (0.42, -0.42), (0.42, 0.42), (-0.42, 0.42)]),
    "triangle": np.array([(0, -0.5), (0.5, 0.4), (-0.5, 0.4)]),
    "star": _star(),
    "cross": _cross(),
}
LABELS = list(OUTLINES)


def scene(random, longer_side, part, most=MOST):
    """Draws an image and returns it with its objects."""
    picture, things, _ = masked_scene(random, longer_side, part, most)
    return picture, things


def masked_scene(random, longer_side, part, most=MOST):
    """Draws an image and returns it with its objects and its mask.

    The mask has the class of each pixel: 0 for the background and for bars, otherwise 1 plus the index of
    the label.
    """
    size = random_size(random, longer_side)
    large = size[0] * FINENESS, size[1] * FINENESS
    picture, mask = piece(random, large, part), Image.new("L", large)
    boxes, things = [], []
    for _ in range(random.integers(1, most + 1)):
        label = LABELS[random.integers(len(LABELS))]
        outline = free_place(random, OUTLINES[label], large, boxes)
        if outline is not None:
            boxes.append(bounds(outline))
            bar = draw_shape(picture, outline, random)
            polygon(ImageDraw.Draw(mask), outline, [LABELS.index(label) + 1])
            if bar is not None:
                ImageDraw.Draw(mask).rectangle(bar, fill=0)
            things.append(Thing(label, relative_box(boxes[-1], large)))
    return finished(picture, size, random), things, mask.resize(size, Image.Resampling.NEAREST)


def free_place(random, outline, size, boxes):
    """Places the outline where it overlaps nothing else; None if it does not fit."""
    for _ in range(20):
        scale = random.uniform(*SCALES) * USUAL_SIZE * max(size)
        pose = Pose(*(random.uniform(0, size)), scale, random.uniform(*TURNS))
        placed = pose.placed(outline)
        left, top, right, bottom = box = bounds(placed)
        inside = left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
        if inside and not overlaps(box, boxes):
            return placed
    return None


def draw_shape(picture, outline, random):
    """Draws a shape; returns the bar that hides a part of it, if there is one."""
    box = bounds(outline)
    ground = average_color(picture, box)
    draw = ImageDraw.Draw(picture)
    color = color_unlike(random, [ground])
    polygon(draw, outline, color)
    if random.random() < 0.5:
        center = (np.min(outline, 0) + np.max(outline, 0)) / 2
        polygon(draw, center + (outline - center) * 0.82, color_unlike(random, [color]))
    if random.random() < 0.5:
        return hide_part(picture, box, random)
    return None
