"""OpenCV's preprocessing functions, on the inputs of resize.py.

`linear` samples four pixels at any scale, `area` all pixels; `blob` is the image as floats from -1 to 1 in
planes; `jpeg` decodes PICTURE at half its size if that suffices. `--only NAME`
measures one of them, and `--write FOLDER` writes the results as raw bytes.
"""

from functools import partial
from pathlib import Path

import cv2
import numpy as np

from measuring import arguments, measure
from resize import noise

SOURCE, TARGET = (1280, 720), (224, 224)


def resized(picture, way):
    return cv2.resize(picture, TARGET, interpolation=way)


def blob(picture):
    return cv2.dnn.blobFromImage(
        picture, scalefactor=1 / 127.5, size=TARGET, mean=(127.5, 127.5, 127.5), swapRB=True
    )


def decoded(jpeg):
    return resized(cv2.imdecode(jpeg, cv2.IMREAD_REDUCED_COLOR_2), cv2.INTER_LINEAR)


def normalized(pixels, floats):
    np.multiply(pixels, np.float32(1 / 127.5), out=floats, dtype=np.float32, casting="unsafe")
    np.subtract(floats, np.float32(1), out=floats)
    return floats


def work(jpeg_path):
    source = np.asarray(noise(SOURCE))
    small = resized(source, cv2.INTER_AREA)
    yield "linear", partial(resized, source, cv2.INTER_LINEAR)
    yield "area", partial(resized, source, cv2.INTER_AREA)
    yield "blob", partial(blob, source)
    yield "normalize", partial(normalized, small, np.empty(small.shape, np.float32))
    if jpeg_path:
        yield "jpeg", partial(decoded, np.fromfile(jpeg_path, np.uint8))


def main():
    given = arguments(description=__doc__, only=None, write=None, picture=None)
    cv2.setNumThreads(given.threads)
    found = {name: go for name, go in work(given.picture) if given.only in (None, name)}
    if given.write:
        folder = Path(given.write)
        folder.mkdir(parents=True, exist_ok=True)
        for name, go in found.items():
            (folder / f"opencv {name}.raw").write_bytes(np.ascontiguousarray(go()).tobytes())
    measure("opencv.py", f"OpenCV {cv2.__version__}, RGB", given, found)


if __name__ == "__main__":
    main()
