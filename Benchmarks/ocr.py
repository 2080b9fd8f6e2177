"""Compares reading text with RapidOCR: python Benchmarks/ocr.py TENSORIO IMAGE_FOLDER [ROUNDS].

Both programs have the same models, those of the installed package rapidocr_onnxruntime or rapidocr, the same limits and one
thread. Our chain runs twice: as init writes it, with lines in batches as RapidOCR has them, and with each line alone. Prints
the processor time of each over all images, medians of interleaved rounds, their ratios, and the lines whose texts differ.
"""

import importlib.util
import json
import pathlib
import resource
import shutil
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
        chains = {"batches": f"{temporary}/ocr.tiochain", "lines alone": f"{temporary}/alone.tiochain"}
        subprocess.run([tensorio, "init", models, "-o", chains["batches"]], check=True, capture_output=True)
        shutil.copytree(chains["batches"], chains["lines alone"])
        file = pathlib.Path(chains["lines alone"], "chain.json")
        description = json.loads(file.read_text())
        description["steps"] = [{k: v for k, v in step.items() if k != "batch"} for step in description["steps"]]
        file.write_text(json.dumps(description))

        def run(*command):
            return seconds(lambda: subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        commands = {name: (tensorio, "run", chain, *images, "--threads", "1") for name, chain in chains.items()}
        commands |= {package: (sys.executable, "-c", child, *images), "start": (sys.executable, "-c", child)}
        rows = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                rows[name].append(run(*command))
    times = {name: statistics.median(spent for spent, _ in results) for name, results in rows.items()}
    start = times.pop("start")
    other = times.pop(package) - start
    print(f"{len(images)} images: {package} {other:.2f} s without its start of {start:.2f} s")
    peer = dict(eval(line)[:2] for line in rows[package][-1][1].splitlines() if line.startswith("("))
    for name, own in times.items():
        print(f"{name}: {own:.2f} s, ratio {own / other:.2f}, with its start {own / (other + start):.2f}")
        results = [json.loads(line) for line in rows[name][-1][1].splitlines()]
        for image, result in zip(images, results, strict=True):
            found = {line["text"] for line in result["outputs"].get("lines", [])}
            texts = set(peer[pathlib.Path(image).name])
            for text in sorted(texts ^ found):
                print(f"  {pathlib.Path(image).name}: {text!r} only in {package if text in texts else 'tensorio'}")


main()
