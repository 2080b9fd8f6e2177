#!/usr/bin/env python3
"""Writes the images of Tests/Fixtures/Images, and the results of Pillow to Tests/Fixtures/Golden.

    python3 -m venv .venv && . .venv/bin/activate
    pip install --no-deps --require-hashes -r Scripts/golden/requirements.txt
    python3 Scripts/golden/make-golden.py
"""

import importlib.util
import io
import pathlib
import shutil
import struct

import numpy as np
from PIL import Image, ImageOps

import png

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures"
SOURCES = FIXTURES / "Images" / "Sources"
FORMATS = FIXTURES / "Images" / "Formats"
GOLDEN = FIXTURES / "Golden"

FILTERS = {
    "lanczos": Image.Resampling.LANCZOS, "bicubic": Image.Resampling.BICUBIC,
    "bilinear": Image.Resampling.BILINEAR, "area": Image.Resampling.BOX,
    "nearest": Image.Resampling.NEAREST}
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_90}
BACK = {5: 5, 6: 8, 7: 7, 8: 6}


# Sources: what is resampled.


def noise(height, width, channels, seed):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), dtype=np.uint8)


def hard_edges(height, width):
    """Black, white and pure colors side by side, with lines one pixel thin."""
    pixels = (noise(-(-height // 3), -(-width // 3), 3, 7) > 127).repeat(3, 0).repeat(3, 1)
    pixels = pixels[:height, :width].astype(np.uint8) * 255
    pixels[height // 2, :] = 255
    pixels[:, width // 3] = 0
    pixels[:, width // 3 + 1] = 255
    return pixels


def photographs():
    """Returns the two photographs of scikit-learn, located without importing it."""
    package = importlib.util.find_spec("sklearn").submodule_search_locations[0]
    return sorted((pathlib.Path(package) / "datasets" / "images").glob("*.jpg"))


def make_sources():
    arrays = {
        "hard-edges": hard_edges(23, 37), "noise": noise(9, 13, 3, 1), "tall": hard_edges(90, 5),
        "wide": hard_edges(5, 90), "one-pixel": noise(1, 1, 3, 2), "one-row": noise(1, 17, 3, 3),
        "one-column": noise(17, 1, 3, 4), "alpha": noise(19, 24, 4, 5),
        "gray": hard_edges(22, 31)[:, :, 0]}
    for name, array in arrays.items():
        Image.fromarray(array).save(SOURCES / f"{name}.png", optimize=True)
    for path in photographs():
        shutil.copyfile(path, FIXTURES / "Images" / path.name)
        small = Image.open(path).convert("RGB").resize((240, 160), Image.Resampling.BOX)
        small.save(SOURCES / f"{path.stem}.png", optimize=True)


# Goldens: a mosaic with a column for every filter and a row for every orientation.


def placement(fit, size, frame):
    """Returns the visible box of the image, and its rectangle in the frame."""
    (width, height), (frame_width, frame_height) = size, frame
    content = (0, 0, frame_width, frame_height)
    if fit == "stretch":
        return (0, 0, width, height), content
    if fit == "crop":
        if width * frame_height > height * frame_width:
            kept = height * frame_width / frame_height
            return ((width - kept) / 2, 0, (width - kept) / 2 + kept, height), content
        kept = width * frame_height / frame_width
        return (0, (height - kept) / 2, width, (height - kept) / 2 + kept), content
    if width * frame_height > height * frame_width:
        inner = (frame_width, max(1, (2 * height * frame_width + width) // (2 * width)))
    else:
        inner = (max(1, (2 * width * frame_height + height) // (2 * height)), frame_height)
    corner = ((frame_width - inner[0]) // 2, (frame_height - inner[1]) // 2)
    return (0, 0, width, height), corner + inner


def prepared(picture, frame, fit, resampling):
    box, (x, y, width, height) = placement(fit, picture.size, frame)
    result = Image.new(picture.mode, frame)
    result.paste(picture.resize((width, height), resampling, box=box), (x, y))
    return result


def mosaic(picture, frame, fit, filters, orientations):
    tiles = Image.new(picture.mode, (frame[0] * len(filters), frame[1] * len(orientations)))
    for row, orientation in enumerate(orientations):
        upright = picture.transpose(TURNS[orientation]) if orientation != 1 else picture
        for column, name in enumerate(filters):
            tile = prepared(upright, frame, fit, FILTERS[name])
            tiles.paste(tile, (column * frame[0], row * frame[1]))
    return tiles


def make_golden(name, frame, fit, filters="all", orientations="all", channels="rgb"):
    """Writes a case whose name contains all parameters of the test."""
    source = Image.open(SOURCES / f"{name}.png")
    picture = source.convert("L" if channels == "gray" or source.mode == "L" else "RGB")
    result = mosaic(
        picture, frame, fit, list(FILTERS) if filters == "all" else [filters],
        range(1, 9) if orientations == "all" else [int(orientations)])
    case = [name, f"{frame[0]}x{frame[1]}", fit, filters, orientations, channels]
    result.save(GOLDEN / ("--".join(case) + ".png"), optimize=True)


def make_goldens():
    for fit in ["crop", "stretch", "letterbox"]:
        for frame in [(16, 12), (12, 16), (45, 26), (40, 9), (7, 31), (1, 1), (1, 9), (37, 23)]:
            make_golden("hard-edges", frame, fit)
        for frame in [(29, 29), (13, 5), (3, 9), (50, 2)]:
            make_golden("noise", frame, fit)
        for name in ["tall", "wide"]:
            for frame in [(4, 4), (9, 40), (60, 6), (5, 88)]:
                make_golden(name, frame, fit)
        for name in ["one-pixel", "one-row", "one-column"]:
            for frame in [(1, 1), (5, 3), (2, 20)]:
                make_golden(name, frame, fit)
        make_golden("alpha", (11, 17), fit)
        make_golden("gray", (14, 15), fit)
        make_golden("gray", (14, 15), fit, channels="gray")
        make_golden("hard-edges", (14, 15), fit, channels="gray")
    for name in ["china", "flower"]:
        make_golden(name, (32, 32), "crop")
        make_golden(name, (40, 30), "stretch")
        for filters in FILTERS:
            make_golden(name, (96, 96), "letterbox", filters, "1")
        make_golden(name, (300, 170), "crop", "lanczos", "6")
        make_golden(name, (300, 170), "crop", "bilinear", "1")


# Formats: pictures of every kind, and beside each its pixels, upright, as a PPM.


def exif(orientation, order):
    mark, pack = (b"II", "<") if order == "little" else (b"MM", ">")
    entry = struct.pack(pack + "HHIHH", 0x0112, 3, 1, orientation, 0)
    return mark + struct.pack(pack + "HIH", 42, 8, 1) + entry + struct.pack(pack + "I", 0)


def store(name, content, pixels):
    (FORMATS / name).write_bytes(content)
    Image.fromarray(pixels).convert("RGB").save(FORMATS / f"{name}.ppm")


def saved(name, picture, expected=None, **options):
    picture.save(FORMATS / name, **options)
    upright = expected or ImageOps.exif_transpose(Image.open(FORMATS / name)).convert("RGB")
    upright.save(FORMATS / f"{name}.ppm")


def smooth(height, width):
    y, x = np.mgrid[0:height, 0:width]
    channels = [x * 255 / (width - 1), y * 255 / (height - 1), (x + y) * 255 / (width + height - 2)]
    pixels = np.stack(channels, 2).astype(np.uint8)
    pixels[height // 4 : height // 2, width // 4 : width // 2] = [230, 30, 60]
    return pixels


def make_jpegs(base):
    picture = Image.fromarray(base)
    saved("baseline-444.jpg", picture, quality=92, subsampling=0)
    saved("baseline-420.jpg", picture, quality=85, subsampling=2)
    saved("progressive.jpg", picture, quality=85, progressive=True)
    saved("restart-markers.jpg", picture, quality=85, restart_marker_blocks=2)
    saved("gray.jpg", picture.convert("L"), quality=85)
    saved("cmyk.jpg", picture.convert("CMYK"), quality=92)
    for orientation in range(1, 9):
        order = "little" if orientation % 2 else "big"
        saved(f"orientation-{orientation}.jpg", picture, quality=90,
              exif=b"Exif\0\0" + exif(orientation, order))


def make_pngs(base):
    picture = Image.fromarray(base)
    gray = np.asarray(picture.convert("L"))
    alpha = np.dstack([base, noise(*base.shape[:2], 1, 9)])
    saved("rgb.png", picture)
    saved("alpha.png", Image.fromarray(alpha), expected=picture)
    saved("gray.png", picture.convert("L"))
    saved("gray-alpha.png", Image.fromarray(np.dstack([gray, alpha[:, :, 3]])),
          expected=Image.fromarray(gray).convert("RGB"))
    saved("palette.png", picture.quantize(64))
    saved("palette-transparent.png", picture.quantize(64), transparency=3,
          expected=picture.quantize(64).convert("RGB"))
    saved("palette-4-bit.png", picture.quantize(16))
    saved("1-bit.png", picture.convert("1"))
    wide = base.astype(np.uint16) * 257
    store("16-bit.png", png.encode(wide), base)
    store("16-bit-gray.png", png.encode(gray.astype(np.uint16)[:, :, None] * 257), gray)
    store("interlaced.png", png.encode(base, interlaced=True), base)
    store("interlaced-alpha.png", png.encode(alpha, interlaced=True), base)
    store("16-bit-alpha.png", png.encode(np.dstack([wide, alpha[:, :, 3].astype(np.uint16) * 257])), base)
    (FORMATS.parent / "Rejected" / "interlaced-16-bit.png").write_bytes(png.encode(wide, interlaced=True))
    store("linear-gamma.png", png.encode(base, chunks=[(b"gAMA", struct.pack(">I", 100000))]), base)
    store("transparent-color.png",
          png.encode(base, chunks=[(b"tRNS", struct.pack(">HHH", 230, 30, 60))]), base)
    for orientation in range(1, 9):
        stored = picture if orientation == 1 else picture.transpose(TURNS[BACK.get(orientation, orientation)])
        order = "big" if orientation % 2 else "little"
        chunks = [(b"eXIf", exif(orientation, order))]
        store(f"orientation-{orientation}.png", png.encode(np.asarray(stored), chunks=chunks), base)


def bmp(pixels, bits, top_down=False, palette=b"", compression=0, masks=b""):
    height, width = pixels.shape[:2]
    row_bytes = width * bits // 8
    padding = b"\0" * (-row_bytes % 4)
    lines = pixels if top_down else pixels[::-1]
    data = b"".join(line.tobytes() + padding for line in lines)
    start = 14 + 40 + len(masks) + len(palette)
    header = struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, bits,
                         compression, len(data), 2835, 2835, len(palette) // 4, 0)
    return struct.pack("<2sIHHI", b"BM", start + len(data), 0, 0, start) + header + masks + palette + data


def make_bmps(base):
    blue_first = base[:, :, ::-1]
    opaque = np.full(base.shape[:2], 77, np.uint8)
    store("24-bit.bmp", bmp(blue_first, 24), base)
    store("24-bit-top-down.bmp", bmp(blue_first, 24, top_down=True), base)
    store("32-bit.bmp", bmp(np.dstack([blue_first, opaque]), 32), base)
    masks = struct.pack("<III", 0xFF, 0xFF00, 0xFF0000)
    store("bit-fields.bmp", bmp(np.dstack([base, opaque]), 32, compression=3, masks=masks), base)
    indexed = Image.fromarray(base).quantize(40)
    colors = np.asarray(indexed.getpalette(), np.uint8).reshape(-1, 3)
    palette = np.dstack([colors[None, :, ::-1], np.zeros((1, len(colors)), np.uint8)])[0].tobytes()
    store("palette.bmp", bmp(np.asarray(indexed), 8, palette=palette), np.asarray(indexed.convert("RGB")))


def portable(magic, width, height, maximum, data, comment=""):
    return f"{magic}\n{comment}{width} {height}\n{maximum}\n".encode() + data


def make_portables(base):
    """Writes portable images as .pnm, because .ppm is used for the expected pixels."""
    height, width = base.shape[:2]
    store("8-bit.pnm", portable("P6", width, height, 255, base.tobytes(), "# by a script\n"), base)
    wide = base.astype(np.uint16) * 257 + noise(height, width, 3, 9) % 100
    scaled = np.rint(wide.astype(float) / 65535 * 255).astype(np.uint8)
    store("16-bit.pnm", portable("P6", width, height, 65535, wide.astype(">u2").tobytes()), scaled)
    for maximum, kind in [(10, np.uint8), (1000, ">u2")]:
        values = base.astype(int) * maximum // 255
        scaled = np.rint(values / maximum * 255).astype(np.uint8)
        data = portable("P6", width, height, maximum, values.astype(kind).tobytes())
        store(f"white-is-{maximum}.pnm", data, scaled)
    gray = base[:, :, 0]
    store("8-bit.pgm", portable("P5", width, height, 255, gray.tobytes()), np.dstack([gray] * 3))
    wide = gray.astype(np.uint16) * 257
    data = portable("P5", width, height, 65535, wide.astype(">u2").tobytes())
    store("16-bit.pgm", data, np.dstack([gray] * 3))


def webp(picture, **options):
    target = io.BytesIO()
    picture.save(target, "WEBP", **options)
    return target.getvalue()


def make_webps(base):
    picture = Image.fromarray(base)
    alpha = Image.fromarray(np.dstack([base, noise(*base.shape[:2], 1, 8)]))
    cases = {
        "lossy": webp(picture, quality=80), "lossless": webp(picture, lossless=True),
        "lossy-alpha": webp(alpha, quality=80, exact=True),
        "lossless-alpha": webp(alpha, lossless=True, exact=True)}
    for orientation in (3, 6):
        back = BACK.get(orientation, orientation)
        cases[f"orientation-{orientation}"] = webp(
            picture.transpose(TURNS[back]), lossless=True, exif=exif(orientation, "little"))
    for name, data in cases.items():
        upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
        store(f"{name}.webp", data, np.asarray(upright.convert("RGB")))
    frames = [Image.fromarray(np.roll(base, shift, 0)) for shift in (0, 5)]
    moving = webp(frames[0], save_all=True, append_images=frames[1:], lossless=True)
    (FORMATS.parent / "Rejected" / "animated.webp").write_bytes(moving)


def main():
    for folder in [SOURCES, FORMATS, FORMATS.parent / "Rejected", GOLDEN]:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    make_sources()
    make_goldens()
    base = smooth(21, 30)
    make_jpegs(base)
    make_pngs(base)
    make_bmps(base)
    make_portables(base)
    make_webps(base)


if __name__ == "__main__":
    main()
