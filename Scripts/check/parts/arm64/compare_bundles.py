"""Scripts/check/parts/arm64/compare_bundles.py FOLDER MAX_ULPS -- NATIVE… -- EMULATED…: runs every example bundle by two commands.

Preprocessed images have to be the same bytes. Texts and integers have to be equal. Floating-point numbers may differ by
MAX_ULPS units in the last place of the largest number with the same key: runtimes sum in another order on each processor. Images
that a model returns are numbers rounded to bytes: one in a thousand may differ, by 1.
Results go into FOLDER. Needs Pillow. Prints a line for each bundle; exit code 1 if results differ or a bundle runs by one command only.
"""

import base64
import filecmp
import glob
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys

from PIL import Image

BUNDLES = "Examples/Bundles"
IMAGES = (".png", ".jpg", ".jpeg", ".webp")
# Times, and paths of the files that a run writes.
IGNORED = re.compile(r"timing|_ms$|milliseconds|preprocessed|annotated|saved")


# The inputs of bundles without samples of their own.
FACES = [f"{BUNDLES}/face-detector.tiobundle/samples/{name}.jpg" for name in (1, 2, 3)]
STYLES = f"{BUNDLES}/style-predict.tiobundle/samples"
INPUTS = {
    "faces.tiochain": [FACES],
    "style.tiochain": [[f"photograph={FACES[0]}", f"style={STYLES}/{name}.jpg"] for name in ("waves", "mosaic")],
}


def runs_of(bundle):
    """Returns the arguments of each run: all images at once, other samples one by one, or the bundle's own example."""
    if os.path.basename(bundle) in INPUTS:
        return INPUTS[os.path.basename(bundle)]
    samples = sorted(glob.glob(os.path.join(glob.escape(bundle), "samples", "*")))
    images = [name for name in samples if name.endswith(IMAGES)]
    others = [[f"@{name}"] for name in samples if name.endswith(".json")]
    return ([images] if images else []) + others or [[]]


def run(command, bundle, folder):
    """Returns the lines of results, or None with the reason."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    lines = []
    for number, inputs in enumerate(runs_of(bundle)):
        base = [*command, "run", bundle, *inputs, "--format", "ndjson", "--raw-outputs", "--threads", "1"]
        images = ["--save-preprocessed", os.path.join(folder, str(number))]
        # A bundle that takes no images rejects the option.
        for options in (images, []):
            ended = subprocess.run([*base, *options], capture_output=True, text=True, timeout=1200, check=False)
            if ended.returncode != 2:
                break
        if ended.returncode != 0:
            return None, (ended.stderr.strip() or f"exit code {ended.returncode}").splitlines()[-1]
        lines += [json.loads(line) for line in ended.stdout.splitlines()]
    return lines, None


def pixels(text):
    """Returns the size and the samples of a PNG with 8 bits per sample, in base64."""
    image = Image.open(io.BytesIO(base64.b64decode(text)))
    if image.mode not in ("L", "RGB", "RGBA"):
        raise ValueError("not an image of bytes")
    return (*image.size, image.mode), image.tobytes()


class Comparison:
    def __init__(self):
        self.floats = {}
        self.samples = 0
        self.different_samples = 0
        self.integers = 0
        self.texts = 0
        self.differences = []

    def add(self, key, one, other):
        if isinstance(one, dict) and isinstance(other, dict):
            for name in sorted(set(one) | set(other)):
                if not IGNORED.search(name):
                    self.add(f"{key}/{name}", one.get(name), other.get(name))
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            for first, second in zip(one, other):
                self.add(key, first, second)
        elif any(isinstance(value, float) for value in (one, other)) and all(
                isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other)):
            self.floats.setdefault(key, []).append((one, other))
        elif key.endswith("/png") and isinstance(one, str) and isinstance(other, str):
            self.add_image(key, one, other)
        else:
            is_number = isinstance(one, int) and not isinstance(one, bool)
            self.integers += is_number
            self.texts += not is_number
            if one != other:
                self.differences.append(f"{key}: {one!r} and {other!r}")

    def add_image(self, key, one, other):
        (size, samples), (other_size, other_samples) = pixels(one), pixels(other)
        if size != other_size:
            self.differences.append(f"{key}: {size} and {other_size}")
            return
        found = [abs(first - second) for first, second in zip(samples, other_samples) if first != second]
        self.samples += len(samples)
        self.different_samples += len(found)
        if max(found, default=0) > 1 or 1000 * len(found) > len(samples):
            self.differences.append(f"{key}: {len(found)} samples of {len(samples)}, by up to {max(found)}")

    def ulps(self):
        """Returns the greatest difference, and its key."""
        greatest, where = 0.0, ""
        for key, pairs in self.floats.items():
            scale = max(max(abs(one), abs(other)) for one, other in pairs)
            if scale == 0:
                continue
            # Of single precision: 24 bits.
            ulp = 2.0 ** (math.frexp(scale)[1] - 24)
            difference = max(abs(one - other) for one, other in pairs) / ulp
            if difference > greatest:
                greatest, where = difference, key
        return greatest, where


def compare(bundle, folder, commands, max_ulps):
    name = os.path.basename(bundle)
    folders = [os.path.join(folder, side, name) for side in ("native", "arm64")]
    (one, reason), (other, other_reason) = (
        run(command, bundle, where) for command, where in zip(commands, folders))
    if one is None and other is None:
        return False, f"{name:38} FAILED: {other_reason[:200]}"
    if one is None or other is None:
        side, text = ("this machine", reason) if one is None else ("arm64", other_reason)
        return False, f"{name:38} FAILED on {side} only: {text}"
    comparison = Comparison()
    comparison.add("", one, other)
    images = [os.path.relpath(path, folders[0]) for path in glob.glob(os.path.join(folders[0], "*", "*"))]
    different = [image for image in images
                 if not os.path.exists(os.path.join(folders[1], image))
                 or not filecmp.cmp(*(os.path.join(each, image) for each in folders), shallow=False)]
    comparison.differences += [f"image {image}" for image in different]
    ulps, where = comparison.ulps()
    if ulps > max_ulps:
        comparison.differences.append(f"{where}: {ulps:.0f} ulps")
    count = sum(map(len, comparison.floats.values()))
    text = (f"{name:38} {len(images):3} images, {comparison.integers:5} integers, {count:6} floats"
            f" (greatest difference {ulps:.1f} ulps)")
    if comparison.samples:
        text += f", {comparison.different_samples} of {comparison.samples} samples of images differ by 1"
    if comparison.differences:
        return False, f"{text} DIFFERENT: {'; '.join(each[:200] for each in comparison.differences[:3])}"
    return True, text


def main():
    folder, max_ulps = sys.argv[1], float(sys.argv[2])
    rest = sys.argv[4:]
    middle = rest.index("--")
    commands = (rest[:middle], rest[middle + 1:])
    passed, ran = True, 0
    for bundle in sorted(glob.glob(os.path.join(BUNDLES, "*.tio*"))):
        is_equal, line = compare(bundle, folder, commands, max_ulps)
        passed = passed and is_equal
        ran += " images, " in line
        print(line, flush=True)
    print(f"{ran} bundles compared")
    return 0 if passed and ran else 1


if __name__ == "__main__":
    sys.exit(main())
