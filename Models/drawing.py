"""Shared parts of drawn images: transformed outlines, lighting, noise and occlusion."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

FINENESS = 2  # pictures are drawn this many times larger, so that edges come out smooth
SCALES = 0.5, 1.5
TURNS = np.radians(-30), np.radians(30)
LIGHTS = 0.6, 1.4
NOISE = 10  # levels of 255, at most, as a standard deviation
ASPECTS = 3 / 4, 1, 4 / 3, 16 / 9
HIDDEN = 0.1  # the part of a thing's box that something else hides


@dataclass
class Thing:
    """An annotated object: corners and points as (x, y) relative to the image size."""

    label: str
    box: tuple  # left, top, right, bottom
    points: tuple = ()


@dataclass
class Pose:
    """The transform from a drawing of unit size to pixels."""

    x: float
    y: float
    size: float
    angle: float

    def placed(self, points):
        cosine, sine = np.cos(self.angle) * self.size, np.sin(self.angle) * self.size
        turned = np.asarray(points, float) @ np.array([[cosine, sine], [-sine, cosine]])
        return turned + (self.x, self.y)


def random_size(random, longer_side):
    aspect = ASPECTS[random.integers(len(ASPECTS))]
    width, height = min(aspect, 1) * longer_side, min(1 / aspect, 1) * longer_side
    return round(width), round(height)


def ellipse(x, y, width, height, start=0, end=360):
    """Returns points on an ellipse or arc, clockwise from the right in degrees."""
    angles = np.radians(np.linspace(start, end, 40))
    return np.stack([x + width * np.cos(angles), y + height * np.sin(angles)], 1)


def bounds(points):
    return (*points.min(0), *points.max(0))


def overlaps(box, others):
    left, top, right, bottom = box
    return any(left < o[2] and o[0] < right and top < o[3] and o[1] < bottom for o in others)


def relative(points, size):
    """Converts pixels to coordinates relative to the image size."""
    return tuple(map(tuple, np.asarray(points, float).reshape(-1, 2) / size))


def relative_box(box, size):
    (left, top), (right, bottom) = relative(box, size)
    return left, top, right, bottom


def polygon(draw, points, color):
    draw.polygon([tuple(point) for point in points], fill=tuple(int(value) for value in color))


def color_unlike(random, others):
    """Returns a color that differs from the others by a third of the range in some channel."""
    while True:
        color = random.integers(0, 256, 3)
        if all(np.abs(color - other).max() > 85 for other in others):
            return color


def hide_part(picture, box, random):
    """Draws a plain bar across a box that occludes a tenth of it, and returns the bar."""
    left, top, right, bottom = box
    if random.random() < 0.5:
        start = random.uniform(left, right - (right - left) * HIDDEN)
        bar = start, top, start + (right - left) * HIDDEN, bottom
    else:
        start = random.uniform(top, bottom - (bottom - top) * HIDDEN)
        bar = left, start, right, start + (bottom - top) * HIDDEN
    ImageDraw.Draw(picture).rectangle(bar, fill=tuple(int(v) for v in random.integers(0, 256, 3)))
    return bar


def finished(picture, size, random):
    """Downsamples an image, and applies a lighting gradient and noise."""
    pixels = np.asarray(picture.resize(size, Image.Resampling.BOX), np.float32)
    pixels = pixels * slope_of_light(random, *size) + random.normal(
        0, random.uniform(0, NOISE), pixels.shape
    )
    return Image.fromarray(np.uint8(np.clip(np.round(pixels), 0, 255)))


def slope_of_light(random, width, height):
    """Returns a brightness gradient between two opposite edges."""
    first, last = random.uniform(*LIGHTS, 2)
    along = np.linspace(0, 1, width)[None, :] if random.random() < 0.5 else np.linspace(0, 1, height)[:, None]
    return np.broadcast_to(first + (last - first) * along, (height, width))[..., None]
