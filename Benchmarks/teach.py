"""Compares `tensorio teach` with its backbone alone: python Benchmarks/teach.py TENSORIO BACKBONE IMAGE_FOLDER [ROUNDS].

The folder has a folder of images per class, such as three classes of 20 photos. The backbone alone is `tensorio run` with the
same images, in one thread. Prints medians of interleaved rounds of the processor time and of the elapsed time, and whether
teaching takes at most 1.3 times the backbone's time and 0.2 s.
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def costs(command):
    """The processor time and the elapsed time of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed


def main():
    tensorio, backbone, folder = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    images = sorted(str(path) for path in pathlib.Path(folder).glob("*/*") if path.suffix.lower() in (".png", ".jpg", ".jpeg"))
    if not images:
        sys.exit(f"{folder} has no folders of images")
    times = {"teach": [], "run": []}
    with tempfile.TemporaryDirectory() as temporary:
        taught = f"{temporary}/taught.tiobundle"
        commands = {
            "teach": [tensorio, "teach", backbone, folder, "-o", taught, "--force", "--no-cache", "--threads", "1"],
            "run": [tensorio, "run", backbone, *images, "--threads", "1"],
        }
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(costs(command))
    for kind, index in (("processor", 0), ("elapsed", 1)):
        teach, run = (statistics.median(pair[index] for pair in times[name]) for name in ("teach", "run"))
        verdict = "reached" if teach <= 1.3 * run + 0.2 else "missed"
        print(f"{kind} time of {len(images)} images: teach {teach:.3f} s, backbone {run:.3f} s; goal {1.3 * run + 0.2:.3f} s {verdict}")


main()
