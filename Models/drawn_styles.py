"""Images of six styles, each with its own colors and random composition."""

import numpy as np
from PIL import Image, ImageDraw
from sklearn.neighbors import KDTree

from drawing import FINENESS

SIDE = 256


def waves(random):
    """Rolling blue and white bands."""
    blues = [(16, 42, 92), (28, 84, 150), (62, 140, 190), (168, 214, 226), (244, 246, 236)]
    x, y = _grid()
    phase, tilt = random.uniform(0, 6.28, 3), random.uniform(-0.25, 0.25)
    height = y + tilt * x + 0.035 * np.sin(x * 21 + phase[0]) + 0.02 * np.sin(x * 43 + y * 12 + phase[1])
    return _picture(np.array(blues)[np.int64(np.floor(height * 22 + phase[2])) % len(blues)])


def stripes(random):
    """Slanted lines of warm colors and various widths."""
    colors = [(230, 60, 40), (250, 170, 50), (60, 30, 70), (255, 232, 190), (200, 30, 90), (30, 120, 130)]
    x, y = _grid()
    angle = random.uniform(0.5, 1.0)
    along = x * np.cos(angle) + y * np.sin(angle) + 0.01 * np.sin(24 * (x - y))
    edges = np.cumsum(random.uniform(0.012, 0.045, 80)) - 0.6
    return _picture(np.array(colors)[np.searchsorted(edges, along) * 5 % 6])


def mosaic(random):
    """Small glass tiles with dark gaps between them."""
    colors = np.array(
        [(24, 90, 160), (240, 190, 60), (190, 50, 50), (60, 150, 110), (240, 236, 220), (120, 60, 140), (230, 120, 50)]
    )
    x, y = _grid()
    cells = 17
    rows, columns = np.mgrid[-1 : cells + 1, -1 : cells + 1]
    seeds = (np.stack([columns, rows], 2) + random.uniform(0.15, 0.85, (cells + 2, cells + 2, 2))).reshape(-1, 2)
    distances, kinds = KDTree(seeds).query(np.stack([x, y], 2).reshape(-1, 2) * cells, k=2)
    kind = kinds[:, 0].reshape(x.shape)
    shade = random.integers(len(colors), size=len(seeds))
    pixels = colors[shade[kind]] * random.uniform(0.8, 1.1, len(seeds))[kind][..., None]
    pixels[(distances[:, 1] - distances[:, 0] < 0.14).reshape(x.shape)] = (32, 28, 34)
    return _picture(pixels)


def ink(random):
    """Hatched black brush strokes on paper."""
    picture, draw = _canvas((242, 236, 222))
    for _ in range(420):
        start = random.uniform(0, picture.width, 2)
        angle = random.choice([0.8, 0.8, 2.3]) + random.normal(0, 0.12)
        end = start + random.uniform(20, 90) * np.array([np.cos(angle), np.sin(angle)])
        tone = int(random.choice([18, 30, 60, 110]))
        draw.line((*start, *end), fill=(tone, tone, tone + 8), width=int(random.integers(2, 9)))
    return _reduced(picture)


def dots(random):
    """Dots of pure color."""
    colors = [(250, 200, 60), (240, 110, 50), (40, 120, 80), (60, 80, 170), (240, 150, 170), (250, 240, 200)]
    picture, draw = _canvas((226, 214, 170))
    for _ in range(2600):
        x, y = random.uniform(0, picture.width, 2)
        radius = random.uniform(5, 9)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colors[random.integers(6)])
    return _reduced(picture)


def night(random):
    """Swirls of short dark blue strokes with yellow lights."""
    picture, draw = _canvas((14, 22, 60))
    centers = random.uniform(0, picture.width, (5, 2))
    colors = [(20, 40, 110), (40, 80, 170), (90, 150, 210), (20, 28, 70), (160, 200, 220), (246, 214, 90)]
    for _ in range(3000):
        place = random.uniform(0, picture.width, 2)
        offset = place - centers[((centers - place) ** 2).sum(1).argmin()]
        across = np.array([-offset[1], offset[0]]) / (np.hypot(*offset) + 1)
        light = 5 if np.hypot(*offset) < 34 else random.integers(5)
        draw.line((*(place - across * 15), *(place + across * 15)), fill=colors[light], width=5)
    return _reduced(picture)


STYLES = {"waves": waves, "stripes": stripes, "mosaic": mosaic, "ink": ink, "dots": dots, "night": night}


def _grid():
    large = SIDE * FINENESS
    rows, columns = np.mgrid[0:large, 0:large] / large
    return columns, rows


def _canvas(color):
    picture = Image.new("RGB", (SIDE * FINENESS, SIDE * FINENESS), color)
    return picture, ImageDraw.Draw(picture)


def _picture(pixels):
    return _reduced(Image.fromarray(np.uint8(np.clip(pixels, 0, 255))))


def _reduced(picture):
    return picture.resize((SIDE, SIDE), Image.Resampling.BOX)
