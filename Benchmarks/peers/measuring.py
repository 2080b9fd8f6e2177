"""Measures like measure.c: samples in rounds, and one line of JSON."""

import argparse
import json
import statistics
import time


def arguments(*words, description, **options):
    """Parses the common arguments of all peers, with a peer's own arguments and defaults."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    for word in words:
        parser.add_argument(word)
    for name, default in options.items():
        parser.add_argument(f"--{name}", default=default)
    return parser.parse_args()


def measure(program, subject, given, work):
    """Runs the functions of `work` in alternating rounds, and prints the medians."""
    rounds = {name: [] for name in work}
    for _ in range(given.rounds):
        for name, function in work.items():
            function()
            rounds[name].append(round(_median(function, given.iterations), 4))
    line = {
        "program": program,
        "subject": subject,
        "threads": given.threads,
        "rounds": given.rounds,
        "iterations": given.iterations,
        "unit": "microseconds",
        "median": {name: round(statistics.median(medians), 4) for name, medians in rounds.items()},
        "round_medians": rounds,
    }
    print(json.dumps(line, separators=(",", ":")))


def _median(function, iterations):
    samples = []
    for _ in range(iterations):
        start = time.perf_counter_ns()
        function()
        samples.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(samples)
