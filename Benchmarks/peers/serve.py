"""Measures `tensorio serve` and a typical FastAPI service with wrk, in alternating rounds."""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks/measuring"))
from comparisons import free_port, save_table  # noqa: E402

PEERS = ROOT / "Benchmarks" / ".peers"
SHARED = Path(os.environ.get("TENSORIO_SHARED", ROOT.parent / "shared")).resolve()
WORKERS = 2
CLIENTS = (1, 8, 32)
TINY = "fixtures/original/tflite/1_in_1_out_vectors_test.tiobundle"

# By what is sent: the kind of the body, how many times the peer's best rate ours should be, and what
# share of its 99th percentile at eight clients ours may take.
CASES = {
    "jpeg": ("image/jpeg", 1.6, 0.5),
    "tensor": ("application/json", 8, None),
    "tiny": ("application/json", 5, None),
}
TITLES = {
    "jpeg": "1280×720 JPEG",
    "tensor": "150,528 JSON numbers",
    "tiny": "4 JSON numbers",
}
MEMORY_SHARE = 0.2


def ask(url, body, kind):
    request = urllib.request.Request(url, body, {"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@contextmanager
def running(command, folder, address, **environment):
    """Runs a server from when it listens until the end of the block."""
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(address) == 0:
                    break
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait(30)


def memory(process):
    """Returns the proportional set size of a process and its children."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    own = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return own * 1024 + sum(memory(int(child)) for child in children)


def load(url, body, kind, clients, seconds):
    """Returns the measurements of wrk."""
    output = subprocess.run(
        ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "-s", Path(__file__).with_name("wrk.lua"), url],
        env={**os.environ, "BODY": str(body), "TYPE": kind},
        check=True, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


class Side:
    """One of the two services, with its URLs and request bodies."""

    def __init__(self, name, port, paths, bodies):
        self.name = name
        self.urls = {case: f"http://127.0.0.1:{port}{path}" for case, path in paths.items()}
        self.bodies = bodies
        self.found = {(case, clients): [] for case in CASES for clients in CLIENTS}

    def ask(self, case):
        return ask(self.urls[case], self.bodies[case].read_bytes(), CASES[case][0])

    def measure(self, case, clients, seconds):
        found = load(self.urls[case], self.bodies[case], CASES[case][0], clients, seconds)
        if found["failed"]:
            sys.exit(f"{self.name}: {found['failed']} requests failed ({case}, {clients} clients)")
        self.found[case, clients].append(found)

    def median(self, case, clients, figure):
        return statistics.median(found[figure] for found in self.found[case, clients])

    def best_rate(self, case):
        return max(self.median(case, clients, "rate") for clients in CLIENTS)


def write_bodies(folder):
    """Writes the request bodies of both services."""
    numbers = [(7 * index + index // 224) % 256 for index in range(224 * 224 * 3)]
    contents = {
        "tensor": {"instances": numbers},
        "tiny": {"instances": [1, 2, 3, 4]},
    }
    bodies = {"ours": {"jpeg": PEERS / "picture.jpg"}, "peer": {"jpeg": PEERS / "picture.jpg"}}
    for case, content in contents.items():
        for side, value in (("ours", content["instances"]), ("peer", content)):
            bodies[side][case] = folder / f"{case}-{side}.json"
            bodies[side][case].write_text(json.dumps(value, separators=(",", ":")))
    return bodies


def prepare(folder):
    """Prepares the folders of the two services."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "peer/build/data/pics").mkdir(parents=True)
    shutil.copy(SHARED / "fixtures/real/models/imagenet_labels.txt", folder / "peer/build/data/pics")
    (folder / "fixtures").symlink_to(SHARED / "fixtures")
    (folder / "bundles").mkdir()
    (folder / "bundles/large.tiobundle").symlink_to(PEERS / "large.tiobundle")
    (folder / "bundles/tiny.tiobundle").symlink_to(SHARED / TINY)


def agreement(ours, peer):
    """Returns whether both services return the same results for the same numbers."""
    label = ours.ask("tensor")["outputs"]["classification"][0]["label"]
    other = peer.ask("tensor")["predictions"][0]["label"]
    if label.strip() not in other:
        sys.exit(f"the services differ: '{label}' and '{other}'")
    ours.ask("jpeg"), peer.ask("jpeg"), ours.ask("tiny"), peer.ask("tiny")


def rows(ours, peer, held):
    """Returns the rows of the table: one per rate and percentile, and one for memory."""
    for case, (_, factor, share) in CASES.items():
        for clients in CLIENTS:
            pair = [side.median(case, clients, "rate") for side in (ours, peer)]
            yield (f"{TITLES[case]}, {clients} concurrent", *map(rate, pair), pair[0] / pair[1], "", "")
        best = ours.best_rate(case) / peer.best_rate(case)
        pair = [side.best_rate(case) for side in (ours, peer)]
        yield (f"{TITLES[case]}, best rate", *map(rate, pair), best, f"≥ {factor}×", best >= factor)
        pair = [side.median(case, 8, "p99_ms") for side in (ours, peer)]
        ratio = pair[0] / pair[1]
        yield (
            f"{TITLES[case]}, 99th percentile of 8", *(f"{value:.3g} ms" for value in pair), ratio,
            f"≤ {share}×" if share else "", ratio <= share if share else "")
    ratio = held[0] / held[1]
    yield (
        "memory under load", *(f"{value / 1e6:.3g} MB" for value in held), ratio,
        f"≤ {MEMORY_SHARE}×", ratio <= MEMORY_SHARE)


def rate(value):
    return f"{value:,.0f}/s" if value >= 100 else f"{value:.3g}/s"


def table(lines, given):
    text = [
        f"- `Scripts/measure/bench --only serve --rounds {given.rounds} --seconds {given.seconds}`: medians of "
        f"{given.rounds} rounds, both servers up and measured in turns by wrk on the same "
        f"{os.cpu_count()} processors; {time.strftime('%Y-%m-%d')}",
        "",
        "| request | `tensorio serve` | FastAPI, 2 workers | ratio | goal |  |",
        "|---|---|---|---|---|---|",
    ]
    for title, first, second, ratio, reach, is_reached in lines:
        mark = {True: "✓", False: "✗"}.get(is_reached, "")
        text.append(f"| {title} | {first} | {second} | {ratio:.3g}× | {reach} | {mark} |")
    return "\n".join(text)


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/measure/bench --only serve", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--save", action="store_true", help="keeps the table in Benchmarks/README.md")
    return parser.parse_args()


def main():
    given = arguments()
    if not (SHARED / "peers/app.py").exists():
        sys.exit("the peer is not there: it lies beside the project, in shared/peers/app.py")
    folder = PEERS / "serving"
    prepare(folder)
    bodies = write_bodies(folder)
    ports = free_port(), free_port()
    tensorio = os.environ.get("TENSORIO", ROOT / ".build/release/tensorio")
    ours = Side("tensorio", ports[0], {
        "jpeg": "/v2/models/large/predict?top=5", "tensor": "/v2/models/large/predict?top=5",
        "tiny": "/v2/models/tiny/predict"}, bodies["ours"])
    peer = Side("FastAPI", ports[1], {case: f"/{case}" for case in CASES}, bodies["peer"])
    serve = [tensorio, "serve", "bundles", "--port", str(ports[0]), "--workers", str(WORKERS), "--quiet"]
    uvicorn = [
        PEERS / "serve/bin/uvicorn", "app:app", "--app-dir", SHARED / "peers", "--port", str(ports[1]),
        "--workers", str(WORKERS), "--log-level", "warning"]
    model = str(PEERS / "large.tiobundle/model.tflite")
    with (
        running(serve, folder, ("127.0.0.1", ports[0])) as first,
        running(uvicorn, folder / "peer", ("127.0.0.1", ports[1]), MODEL=model) as second,
    ):
        time.sleep(3)  # the peer's workers import their packages after it listens
        agreement(ours, peer)
        held = []
        for number in range(given.rounds):
            for case in CASES:
                for clients in CLIENTS:
                    print(f"round {number + 1}: {case}, {clients} clients …", file=sys.stderr)
                    for side in (ours, peer) if number % 2 == 0 else (peer, ours):
                        side.measure(case, clients, given.seconds)
            held.append((memory(first.pid), memory(second.pid)))
        held = [statistics.median(side) for side in zip(*held)]
    text = table(rows(ours, peer, held), given)
    print(text)
    if given.save:
        save_table("serving", text)


if __name__ == "__main__":
    main()
