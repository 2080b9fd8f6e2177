"""Measures how cost grows with work, and draws charts.

The cost of a process is its user and system time, which depends less on other processes than elapsed
time, and its peak memory. Each amount of work is measured once per round, in an order that rotates, and
the median of the rounds is reported.
"""

import argparse
import datetime
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

sys.dont_write_bytecode = True
from bundles import ROOT, doubling, spread  # noqa: E402
from chart import Chart, Line  # noqa: E402

TENSORIO = ROOT / ".build" / "release" / "tensorio"
PEERS = ROOT / "Benchmarks" / ".peers"
LAUNCH = PEERS / "bin" / "launch"
LARGE = PEERS / "large.tiobundle"
FIGURES = ROOT / "Benchmarks" / "growth.json"
DRAWINGS = ROOT / "Documentation" / "Performance"


# Work: each kind makes what an amount of it needs, and gives the words behind `tensorio`


def pictures(place, count):
    """Returns a number of images: repeated links to those of the peers."""
    sources = sorted((PEERS / "pictures").glob("*.jpg"))
    folder = place / f"{count}"
    folder.mkdir()
    for index in range(count):
        (folder / f"{index:06}.jpg").symlink_to(sources[index % len(sources)])
    return ["run", LARGE, folder, "--top", "1", "--quiet"]


def sides(place, side):
    sys.path.append(str(ROOT / "Benchmarks" / "peers"))
    from make_subjects import picture

    path = place / f"{side}.jpg"
    picture((side, side)).save(path, quality=85)
    return ["run", LARGE, path, "--top", "1", "--threads", "1"]


def labels(place, count):
    (place / f"{count}.bin").write_bytes(array("f", spread(count)).tobytes())
    bundle = doubling(place / f"{count}.tiobundle", count, labels=True)
    return ["run", bundle, f"@{place}/{count}.bin", "--top", "5"]


def numbers(place, count):
    (place / f"{count}.json").write_text(json.dumps(spread(count)))
    return ["run", doubling(place / f"{count}.tiobundle", count), f"@{place}/{count}.json"]


# The kinds, their amounts, and how often a process is repeated in a round.
KINDS = {
    "pictures": (pictures, [100, 300, 1000, 3000, 10_000], 1),
    "sides": (sides, [100, 200, 400, 800, 1600, 3200, 8000], 5),
    "labels": (labels, [10, 100, 1000, 5000, 20_000], 7),
    "numbers": (numbers, [100, 1000, 10_000, 100_000, 1_000_000], 3),
}
THREADS = [1, 2, 3, 4]


# Measuring


def cost(words):
    """Returns the processor time, elapsed time and peak memory of a process."""
    command = [str(word) for word in [LAUNCH, TENSORIO, *words]]
    result = subprocess.run(command, stdout=subprocess.PIPE)
    if result.returncode:
        sys.exit(f"{words}: exit code {result.returncode}")
    told = json.loads(result.stdout)
    return {
        "cpu_ms": told["processorMicroseconds"] / 1000,
        "wall_ms": told["microseconds"] / 1000,
        "memory_mb": told["peakKilobytes"] / 1024,
    }


def middle(costs):
    return {key: statistics.median(each[key] for each in costs) for key in costs[0]}


def measured(name, rounds):
    make, amounts, repetitions = KINDS[name]
    with tempfile.TemporaryDirectory() as folder:
        commands = {amount: make(Path(folder), amount) for amount in amounts}
        found = {amount: [] for amount in amounts}
        for number in range(rounds):
            for amount in amounts[number % len(amounts) :] + amounts[: number % len(amounts)]:
                found[amount].append(middle([cost(commands[amount]) for _ in range(repetitions)]))
            print(f"{name}: {number + 1} of {rounds} rounds", file=sys.stderr)
    return [{"amount": amount, **rounded(middle(found[amount]))} for amount in amounts]


def rounded(figures):
    return {key: float(f"{value:.4g}") for key, value in figures.items()}


def threads(seconds):
    """Returns the rates of `tensorio benchmark`, whose configurations take turns."""
    listed = ",".join(map(str, THREADS))
    found = {}
    for way, flags in {"in a run": ["--threads", listed],
                       "side by side": ["--threads", "1", "--concurrency", listed]}.items():
        words = [TENSORIO, "benchmark", LARGE, "--format", "json", "--duration", str(seconds), *flags]
        answer = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
        found[way] = [
            {"amount": max(each["threads"], each["concurrency"]), "per_second": each["items_per_second"]}
            for each in json.loads(answer)]
    return found


# Drawing


def points(figures, key, scale=1):
    return [(each["amount"], each[key] / scale) for each in figures]


def work(title, across, figures, guide=1, name="linear", in_seconds=False):
    """Returns the processor time of processes, with the proportional time."""
    unit, scale = ("s", 1000) if in_seconds else ("ms", 1)
    line = Line("", points(figures, "cpu_ms", scale))
    return Chart(title, across, f"processor time, {unit}", [line], f" {unit}", {name: guide})


def memory(figures):
    return Chart(
        "The memory that a folder of pictures takes", "pictures", "peak memory, MB",
        [Line("", points(figures, "memory_mb"), False)], " MB", {"linear": 1}, 0, (60, "60 MB"))


def rates(ways):
    lines = [Line("runs side by side", points(ways["side by side"], "per_second")),
             Line("threads in one run", points(ways["in a run"], "per_second"))]
    return Chart("MobileNet v2, many runs in one process", "threads", "runs a second", lines, "/s", {"linear": 1}, 0)


CHARTS = {
    "pictures": ("pictures", lambda figures: work(
        "A folder of pictures through MobileNet v2", "pictures", figures, in_seconds=True)),
    "memory": ("pictures", memory),
    "sides": ("sides", lambda figures: work(
        "One JPEG through MobileNet v2, the whole process", "side of the square picture, px", figures,
        2, "as the pixels")),
    "labels": ("labels", lambda figures: work(
        "Scores with labels, the best five named, the whole process", "labels", figures)),
    "numbers": ("numbers", lambda figures: work(
        "A list of numbers as JSON, in and out, the whole process", "numbers", figures)),
    "threads": ("threads", rates),
}


def draw(figures):
    DRAWINGS.mkdir(exist_ok=True)
    for name, (kind, chart) in CHARTS.items():
        if kind in figures:
            (DRAWINGS / f"{name}.svg").write_text(str(chart(figures[kind])))


# Telling


def power(figures):
    """Returns the exponent of growth between the last two amounts."""
    (less, low), (more, high) = points(figures, "cpu_ms")[-2:]
    return math.log(high / low) / math.log(more / less)


def table(figures):
    for name in KINDS:
        for each in figures.get(name, []):
            yield (f"{name:9} {each['amount']:>9,} {each['cpu_ms']:>10,.1f} ms of a processor "
                   f"{each['wall_ms']:>10,.1f} ms {each['memory_mb']:>7.1f} MB")
        if name in figures:
            yield f"{name:9} at the end, cost grows as the work to the power of {power(figures[name]):.2f}"
    for way, rates in figures.get("threads", {}).items():
        told = ", ".join(f"{each['amount']}: {each['per_second']:.0f}/s" for each in rates)
        yield f"threads {way}: {told}"


def main():
    names = [*KINDS, "threads"]
    parser = argparse.ArgumentParser(prog="Scripts/measure/growth", description=__doc__)
    parser.add_argument("--only", action="append", choices=names, help="measures this, and keeps the rest")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--draw", action="store_true", help="draws the figures that are there, and measures nothing")
    options = parser.parse_args()
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for name in [] if options.draw else options.only or names:
        figures[name] = threads(options.rounds) if name == "threads" else measured(name, options.rounds)
        figures["processors"], figures["date"] = os.cpu_count(), str(datetime.date.today())
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
    draw(figures)
    print("\n".join(table(figures)))


if __name__ == "__main__":
    main()
