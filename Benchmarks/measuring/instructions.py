"""Counts the instructions of a few jobs, and compares them with the committed counts.

Times depend on the machine and its load; instruction counts do not. Callgrind emulates the same processor
everywhere, with AVX2 and without AVX-512. To exclude other variations, a job has one thread, a fixed
environment, no weight cache and no random seed for Swift's hashing. The instructions of the runtime are
not counted.
"""

import argparse
import collections
import concurrent.futures
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

sys.dont_write_bytecode = True
from bundles import ROOT, doubling, spread  # noqa: E402
from comparisons import free_port  # noqa: E402
from pictures import png  # noqa: E402

FIGURES = ROOT / "Benchmarks" / "instructions.json"
TENSORIO = ROOT / ".build" / "release" / "tensorio"
EXAMPLES = ROOT / "Examples"
LIMIT = 0.03
# The runtime and the libraries that only it uses.
NOT_COUNTED = {"libLiteRt", "libstdc++", "libm"}
# The packages that affect the counts, other than the sources.
PACKAGES = ["valgrind", "libc6", "libturbojpeg0", "libpng16-16", "zlib1g"]


# Jobs


def jobs(place):
    """Returns the arguments of each job by name; their files are created in `place`."""
    photograph = EXAMPLES / "Data" / "faces-over-photographs" / "groups" / "0000.jpg"
    return {
        "start": ["--version"],
        "ten numbers": ["run", bundle("diabetes"), "[1,2,3,4,5,6,7,8,9,10]"],
        "a JPEG of 640×480": ["run", bundle("shape-detector"), photograph],
        "a PNG of 1600×1200, Lanczos": [
            "run", bundle("negative"), png(place / "picture.png", 1600, 1200),
            "--resample", "lanczos", "--save-images", place / "saved"],
        "50,000 numbers of JSON": numbers(place, 50_000),
        "20,000 labels": labels(place, 20_000),
        "validating 700 kB of JSON": ["validate", described(place / "described.tiobundle")],
    }


def bundle(name):
    return EXAMPLES / "Bundles" / f"{name}.tiobundle"


def numbers(place, count):
    (place / "numbers.json").write_text(json.dumps(spread(count)))
    return ["run", doubling(place / "numbers.tiobundle", count), f"@{place}/numbers.json"]


def labels(place, count):
    (place / "scores.bin").write_bytes(array("f", spread(count)).tobytes())
    words = ["run", doubling(place / "labels.tiobundle", count, labels=True)]
    return words + [f"@{place}/scores.bin", "--top", "5"]


def described(path, count=2000):
    given = [[index / 8 + example for index in range(count)] for example in range(10)]
    examples = [{"input": {"x": x}, "output": {"y": [2 * value for value in x]}} for x in given]
    return doubling(path, count, examples=examples)


REQUESTS = "100 requests for ten numbers"
REQUEST = json.dumps({"inputs": [{
    "name": "features", "shape": [1, 10], "datatype": "FP32", "data": list(range(1, 11))}]})


def served(place, tensorio, environment):
    """Returns the instructions of 100 requests: the difference of a server that answers 600 and one that answers 100."""
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        few, many = threads.map(lambda count: counted((serving(tensorio), place, environment, count)), (100, 600))
    return {name: (many[name] - few.get(name, 0)) // 5 for name in many if many[name] - few.get(name, 0) > 10_000}


def serving(tensorio):
    return [tensorio, "serve", bundle("diabetes"), "--port", free_port(), "--isolation", "none", "--quiet"]


def ask(port, count):
    """Sends requests one after another, once the server listens."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    deadline = time.monotonic() + 120
    while True:
        try:
            client.connect()
            break
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    for _ in range(count):
        client.request("POST", "/v2/models/diabetes/infer", REQUEST)
        response = client.getresponse()
        if b"diabetes" not in response.read() or response.status != 200:
            sys.exit(f"a request failed with status {response.status}")
    client.close()


# Counting


def counted(job):
    """Returns the instructions of a job by object file; a server ends after the requests."""
    words, place, environment, *requests = job
    with tempfile.TemporaryDirectory(dir=place) as folder:
        profile = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *words]
        process = subprocess.Popen(
            [str(word) for word in command], env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            for count in requests:
                ask(words[words.index("--port") + 1], count)
                process.terminate()
            _, errors = process.communicate(timeout=600)
        finally:
            process.kill()
        if process.returncode:
            sys.exit(f"{words[1:]}: {errors.decode()}")
        return sums(profile)


def sums(profile):
    """Sums the instructions of each object file, without the inclusive costs of calls."""
    counts, names = collections.Counter(), {}
    current, is_call = None, False
    for line in profile.open():
        if found := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
            if found[3]:
                names[found[2]] = re.sub(r"\.so.*|-linux-x86-64.*", "", os.path.basename(found[3]))
            current = current if found[1] else names[found[2]]
        elif line.startswith("calls="):
            is_call = True
        elif line[0] in "0123456789+-*":
            counts[current] += 0 if is_call else int(line.split()[1])
            is_call = False
    return {name: count for name, count in sorted(counts.items()) if is_worth_a_word(name, count)}


def is_worth_a_word(name, count):
    return name not in NOT_COUNTED and count >= 10_000


def without_debug_information(place):
    """Removes debug information, whose format Callgrind cannot read."""
    subprocess.run(["strip", "--strip-debug", "-o", place / "tensorio", TENSORIO], check=True)
    return place / "tensorio"


def environment(place):
    where = subprocess.run(
        [TENSORIO, "runtime", "where", "litert"], check=True, stdout=subprocess.PIPE, text=True)
    return {
        "PATH": "/usr/bin:/bin", "HOME": str(place), "TENSORIO_CACHE_DIR": "off",
        "TENSORIO_THREADS": "1", "SWIFT_DETERMINISTIC_HASHING": "1",
        "TENSORIO_LITERT_LIBRARY": where.stdout.strip(),
    }


def count_all():
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tensorio, variables = without_debug_information(place), environment(place)
        todo = jobs(place)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
            work = [([tensorio, *words], place, variables) for words in todo.values()]
            counts = dict(zip(todo, threads.map(counted, work)))
        return {**counts, REQUESTS: served(place, tensorio, variables)}


# Output


def versions():
    listing = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\n", *PACKAGES],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    number = re.search(r"Swift version (\S+)", swift)
    return {**dict(map(str.split, listing.splitlines())), "swift": number[1] if number else "?"}


def table(committed, now):
    """Returns a line per job, followed by the increases for jobs above the limit."""
    yield f"{'job':30} {'committed':>14} {'now':>14} {'change':>8}"
    for name, parts in now.items():
        before, after = (sum(each.get(name, {}).values()) for each in (committed, now))
        change = f"{after / before - 1:+8.2%}" if before else "     new"
        yield f"{name:30} {before:14,} {after:14,} {change}"
        if before and is_beyond(committed, now, name):
            yield from grown(committed[name], parts)


def grown(before, after):
    for part in sorted(after, key=lambda part: before.get(part, 0) - after[part]):
        if after[part] > before.get(part, 0) * (1 + LIMIT):
            yield f"  {part:28} {before.get(part, 0):14,} {after[part]:14,}"


def is_beyond(committed, now, name):
    """Whether a job takes too many instructions; a new one, which has no count yet, does not."""
    return name in committed and sum(now[name].values()) > sum(committed[name].values()) * (1 + LIMIT)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure/instructions", description=__doc__)
    parser.add_argument("--record", action="store_true", help="record the counts in place of the committed ones")
    record = parser.parse_args().record
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {"versions": {}, "jobs": {}}
    now, made_with = count_all(), versions()
    print("\n".join(table(known["jobs"], now)))
    if record:
        FIGURES.write_text(json.dumps({"versions": made_with, "jobs": now}, indent=2, ensure_ascii=False) + "\n")
        return 0
    slower = [name for name in now if is_beyond(known["jobs"], now, name)]
    if slower and made_with != known["versions"]:
        print(f"committed with {known['versions']}, now with {made_with}", file=sys.stderr)
    if slower:
        print(f"more than {LIMIT:.0%} more instructions: {', '.join(slower)}", file=sys.stderr)
        print("If that is intended: Scripts/measure/instructions --record", file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
