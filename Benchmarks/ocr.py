"""Compares reading text with RapidOCR: python Benchmarks/ocr.py TENSORIO IMAGE_FOLDER [ROUNDS].

Both programs have the same models, those of the installed package rapidocr_onnxruntime or rapidocr, the same limits and one
thread. Prints the processor time of each over all images, medians of interleaved rounds, their ratio, what our part costs
beside the networks, and the lines whose texts differ.
"""

import importlib.util
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

CHILD = """
import pathlib, sys, time
from {package} import RapidOCR
reader = RapidOCR({arguments})
for path in sys.argv[1:]:
    start = time.process_time()
    result = reader(path)
    texts = [line[1] for line in result[0] or []] if isinstance(result, tuple) else list(result.txts or [])
    print(repr((pathlib.Path(path).name, texts, time.process_time() - start)))
"""


def seconds(run):
    """The processor time of a child process, with what it returns."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def main():
    tensorio, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    names = ("rapidocr_onnxruntime", "rapidocr")
    package = next((name for name in names if importlib.util.find_spec(name)), None)
    if package is None:
        sys.exit("install rapidocr_onnxruntime or rapidocr")
    models = pathlib.Path(importlib.util.find_spec(package).origin).parent / "models"
    images = sorted(str(p) for p in pathlib.Path(folder).iterdir() if p.suffix in (".png", ".jpg", ".jpeg"))
    arguments = "intra_op_num_threads=1, inter_op_num_threads=1"
    if package == "rapidocr":
        arguments = 'params={"EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1}'
    child = CHILD.format(package=package, arguments=arguments)
    with tempfile.TemporaryDirectory() as temporary:
        chain = f"{temporary}/ocr.tiochain"
        subprocess.run([tensorio, "init", models, "-o", chain], check=True, capture_output=True)
        ours = lambda: subprocess.run([tensorio, "run", chain, *images, "--threads", "1"], check=True, capture_output=True, text=True).stdout
        theirs = lambda: subprocess.run([sys.executable, "-c", child, *images], check=True, capture_output=True, text=True).stdout
        nothing = lambda: subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, text=True).stdout
        times = {"tensorio": [], package: [], "start": []}
        for _ in range(rounds):
            for name, run in (("tensorio", ours), (package, theirs), ("start", nothing)):
                spent, output = seconds(run)
                times[name].append(spent)
                if name == "tensorio":
                    read = [json.loads(line) for line in output.splitlines()]
                elif name == package:
                    peer = [eval(line) for line in output.splitlines() if line.startswith("(")]
    own, other, start = (statistics.median(times[name]) for name in ("tensorio", package, "start"))
    print(f"{len(images)} images: tensorio {own:.2f} s, {package} {other - start:.2f} s without its start of {start:.2f} s")
    print(f"ratio {own / (other - start):.2f}, with its start {own / other:.2f}")
    for mine, (name, texts, _) in zip(read, peer):
        found = [line["text"] for line in mine["outputs"].get("lines", [])]
        for text in sorted(set(texts) ^ set(found)):
            print(f"  {name}: {text!r} only in {package if text in texts else 'tensorio'}")


main()
