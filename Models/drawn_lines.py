"""Lines of text drawn over plain colors, gradients and photographs.

| parameter | variation |
|---|---|
| text | one to three words, made-up words, numbers, prices, times, dates and codes |
| font | Aileron, Caladea, Hanken Grotesk, Source Sans and Source Serif, in up to four weights |
| size | a width of "m" of 13 to 40 pixels for single lines, 5 to 13 % of the image's longer side in scenes |
| color | any whose luminance differs from that of the background by two fifths of the range |
| background | a plain color, a gradient between two, or a crop of a photograph; half of those with a panel |
| rotation | -3° to 3° for single lines, -12° to 12° in scenes |
| light | a gradient from 0.6 to 1.4 between opposite edges |
| noise | a standard deviation of 0 to 10 levels of 255 |
| blur | half are blurred by up to 0.8 pixels |

Codes have neither `I` nor `O` nor `l`, which several fonts draw like other characters. Held-out texts have words
of another list, and a part of the held-out lines has a font that is not trained: Manrope.
"""

import functools
import importlib.resources
import re

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

import written_messages
from drawing import finished, random_size
from photographs import TRAINING, piece

CHARACTERS = [*"0123456789", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *"abcdefghijklmnopqrstuvwxyz", *".,:-/"]
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
CONSONANTS, VOWELS = "bcdfghjklmnpqrstvwxyz", "aeiouy"

# Files of the packages `font-…`; the first one is the font that Pillow contains.
FONTS = [
    None,
    *(("font_caladea", f"Caladea-{style}.ttf") for style in ("Regular", "Bold")),
    *(("font_hanken_grotesk", f"HankenGrotesk-{style}.otf") for style in ("Regular", "Medium", "Bold")),
    *(("font_source_sans_pro", f"SourceSansPro-{style}.ttf") for style in ("Light", "Regular", "Semibold", "Bold")),
    *(("font_source_serif_pro", f"SourceSerifPro-{style}.ttf") for style in ("Regular", "Semibold", "Bold")),
]
OTHER_FONTS = [("font_manrope", f"Manrope-{style}.ttf") for style in ("Regular", "Medium", "Bold")]

HELD_OUT_WORDS = """
airport avenue bakery balcony bridge butter castle ceiling cinema coffee danger elevator engine exit forest garage
garden ginger harbor hospital island junction kitchen ladder lemon library lunch market museum north office orange
oven parking pepper platform police pool pressure quiet railway river rocket school sailing silver square station
street subway summer sunday theater ticket tower tunnel valley village violin voltage waiting winter yellow zebra
""".split()

SIZES = 13, 40
SCENE_SIZES = 0.05, 0.13
TURN, SCENE_TURN = 3, 12
CONTRAST = 100
BLUR = 0.8
# The border around the ink of a text that belongs to its outline, relative to the size of the font.
BORDER = 0.1
# The ratios of the edges of a line's image to the size of the font: how inexactly a detector finds them.
LOOSE = -0.06, 0.22
MOST = 6


@functools.cache
def training_words():
    """Returns the words of the messages, without those that are held out."""
    source = " ".join([
        *(phrase for phrases in written_messages.SLOTS.values() for phrase in phrases),
        *written_messages.TEMPLATES.values(),
    ])  # fmt: skip
    words = re.findall(r"[a-z]{2,}", re.sub(r"\{\w+\}", " ", source).lower())
    return sorted(set(words) - set(HELD_OUT_WORDS))


def choice(random, values):
    return values[random.integers(len(values))]


def digits(random, least, most):
    return "".join(str(random.integers(10)) for _ in range(random.integers(least, most + 1)))


def made_up_word(random):
    """Returns a word of syllables that no list contains."""
    syllables = [
        choice(random, CONSONANTS) + choice(random, VOWELS) + (choice(random, CONSONANTS) if random.random() < 0.4 else "")
        for _ in range(random.integers(1, 4))
    ]
    return "".join(syllables)


def words(random, held_out):
    """Returns one to three words, all lower-case, capitalized or upper-case."""
    known = HELD_OUT_WORDS if held_out else training_words()
    makes_up = not held_out and random.random() < 0.5
    count = random.choice([1, 2, 3], p=[0.5, 0.35, 0.15])
    found = [made_up_word(random) if makes_up else choice(random, known) for _ in range(count)]
    case = choice(random, [str.lower, str.capitalize, str.capitalize, str.upper])
    return " ".join(map(case, found))


def number(random):
    """Returns a number, a price, a time, a date or a number of a telephone."""
    kind = random.integers(6)
    if kind == 0:
        return digits(random, 1, 8)
    if kind == 1:
        return f"{random.integers(1000)}{choice(random, '.,')}{digits(random, 2, 2)}"
    if kind == 2:
        return f"{random.integers(24):02}:{random.integers(60):02}"
    if kind == 3:
        return f"{random.integers(1900, 2100)}-{random.integers(1, 13):02}-{random.integers(1, 29):02}"
    if kind == 4:
        return f"{random.integers(1, 29)}/{random.integers(1, 13)}/{random.integers(1900, 2100)}"
    return f"{digits(random, 3, 4)} {digits(random, 4, 7)}"


def code(random):
    """Returns letters and digits, as on a license plate, a gate or a parcel."""
    letters = "".join(choice(random, CODE_LETTERS) for _ in range(random.integers(1, 4)))
    separator = choice(random, ["", " ", "-"])
    ending = choice(random, CODE_LETTERS) if random.random() < 0.3 else ""
    return f"{letters}{separator}{digits(random, 1, 5)}{ending}"


def text(random, held_out=False):
    """Returns the text of a line."""
    kind = random.random()
    if kind < 0.5:
        return words(random, held_out)
    if kind < 0.75:
        return number(random)
    return code(random) if kind < 0.9 else f"{words(random, held_out).split(' ')[0]} {digits(random, 1, 4)}"


@functools.lru_cache(maxsize=512)
def loaded_font(font, size):
    if font is None:
        return ImageFont.load_default(size)
    package, file = font
    return ImageFont.truetype(str(importlib.resources.files(package) / "files" / file), size)


def luminance(color):
    return float(np.dot(np.asarray(color, float)[..., :3], (0.299, 0.587, 0.114)).mean())


def color_of_ink(random, ground):
    """Returns a color whose luminance differs from that of a background."""
    while True:
        color = random.integers(0, 256, 3)
        if abs(luminance(color) - ground) > CONTRAST:
            return tuple(map(int, color))


def background(random, size, part):
    """Returns a plain color, a gradient or a crop of a photograph."""
    kind = random.random()
    if kind < 0.35:
        return Image.new("RGB", size, tuple(map(int, random.integers(0, 256, 3))))
    if kind < 0.6:
        first = random.integers(0, 256, 3)
        last = np.clip(first + random.integers(-80, 81, 3), 0, 255)
        share = np.linspace(0, 1, size[random.integers(2)])
        share = share[None, :] if len(share) == size[0] else share[:, None]
        colors = first + (last - first) * np.broadcast_to(share, size[::-1])[..., None]
        return Image.fromarray(np.uint8(colors))
    return piece(random, size, part)


def corners_around(random, center, width, height, turn):
    """Returns the corners of a turned rectangle: upper left, upper right, lower right and lower left."""
    angle = np.radians(random.uniform(-turn, turn))
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    return np.array([
        center + along * x * width / 2 + across * y * height / 2 for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ])  # fmt: skip


def ink(written, font):
    """Returns a mask with the text, and the edges of its ink."""
    left, top, right, bottom = font.getbbox(written)
    mask = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(mask).text((-left, -top), written, fill=255, font=font)
    return mask


def draw_text(random, picture, mask, corners, edges):
    """Draws a mask between corners that are wider than it by `edges` on the left, top, right and bottom."""
    region = tuple(map(int, [*np.floor(corners.min(0)), *np.ceil(corners.max(0))]))
    region = max(region[0], 0), max(region[1], 0), min(region[2], picture.width), min(region[3], picture.height)
    ground = luminance(np.asarray(picture.crop(region)))
    if np.asarray(picture.crop(region).convert("L")).std() > 25 or random.random() < 0.2:
        panel = tuple(map(int, random.integers(0, 256, 3)))
        ImageDraw.Draw(picture).polygon([tuple(corner) for corner in corners], fill=panel)
        ground = luminance(panel)
    left, top, right, bottom = edges
    wide = Image.new("L", (mask.width + left + right, mask.height + top + bottom))
    wide.paste(mask, (left, top))
    # Maps pixels of the picture to those of the mask.
    source = np.linalg.inv(np.stack([
        (corners[1] - corners[0]) / wide.width, (corners[3] - corners[0]) / wide.height,
    ], 1))  # fmt: skip
    shift = -source @ corners[0]
    rows = source[0, 0], source[0, 1], shift[0], source[1, 0], source[1, 1], shift[1]
    placed = wide.transform(picture.size, Image.Transform.AFFINE, rows, Image.Resampling.BICUBIC)
    picture.paste(color_of_ink(random, ground), mask=placed)


def blurred(random, picture):
    if random.random() < 0.5:
        return picture.filter(ImageFilter.GaussianBlur(random.uniform(0, BLUR)))
    return picture


def line(random, part=TRAINING, held_out=False, fonts=FONTS):
    """Draws an image of one line, as a detector cuts it out, and returns it with its text."""
    written, size = text(random, held_out), int(random.integers(*SIZES))
    mask = ink(written, loaded_font(choice(random, fonts), size))
    around = [max(0, round(random.uniform(*LOOSE) * size)) + size // 20 for _ in range(4)]
    width, height = mask.width + around[0] + around[2], mask.height + around[1] + around[3]
    # Photographs are at least as large as most texts, so that they are not enlarged to stripes.
    picture = background(random, (width, height), part)
    center = np.array([width, height]) / 2
    corners = corners_around(random, center, width, height, TURN * min(1, 6 * height / width))
    draw_text(random, picture, mask, corners, around)
    return finished(blurred(random, picture), picture.size, random), written


def scene(random, longer_side, part=TRAINING, held_out=False, fonts=FONTS):
    """Draws an image with lines, and returns it with the text and the corners of each."""
    size = random_size(random, longer_side)
    picture = background(random, size, part)
    turn = SCENE_TURN if random.random() < 0.5 else 1
    lines, boxes = [], []
    for _ in range(random.integers(1, MOST + 1)):
        found = free_place(random, size, boxes, turn, held_out, fonts)
        if found is not None:
            written, mask, border, corners = found
            draw_text(random, picture, mask, corners, (border,) * 4)
            lines.append((written, corners))
            boxes.append((*corners.min(0), *corners.max(0)))
    return finished(blurred(random, picture), size, random), lines


def free_place(random, size, boxes, turn, held_out, fonts):
    """Returns a text, its mask and border, and corners that overlap nothing else; None if none fit."""
    for _ in range(8):
        height = round(random.uniform(*SCENE_SIZES) * max(size))
        written = text(random, held_out)
        mask = ink(written, loaded_font(choice(random, fonts), height))
        border = round(BORDER * height)
        width, tall = mask.width + 2 * border, mask.height + 2 * border
        corners = corners_around(random, random.uniform(0, 1, 2) * size, width, tall, turn)
        left, top, right, bottom = box = (*corners.min(0), *corners.max(0))
        inside = left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
        if inside and not any(left < o[2] and o[0] < right and top < o[3] and o[1] < bottom for o in boxes):
            return written, mask, border, corners
    return None
