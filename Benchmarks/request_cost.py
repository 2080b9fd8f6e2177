"""Measures the processor time of small requests, in comparison with nginx.

Usage: Scripts/measure/requests [--rounds N] [--seconds N] [--save]

nginx, with one process and a fixed response, is the floor of what a request can cost: one thread, and four system calls. All servers are up at
the same time, and wrk asks them in turns with 32 connections, so that a change of the machine's speed affects all of them. The time is that of
the server and its worker processes, without wrk.
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Benchmarks/measuring"))
from comparisons import free_port, save_table  # noqa: E402

CLIENTS = 32
HEALTH, INFER = "/v2/health/live", "/v2/models/diabetes/infer"
# The rows of the table: the options of the server, the path, and the goal as a multiple of nginx's time.
CASES = {
    "health, without access log": (["--isolation", "none", "--quiet"], HEALTH, 3),
    "health": (["--isolation", "none"], HEALTH, 4),
    "ten numbers as JSON, without isolation": (["--isolation", "none", "--quiet"], INFER, 6),
    "ten numbers as JSON, in a worker process": (["--quiet"], INFER, 10.5),
}
REQUEST = {"inputs": [{"name": "features", "shape": [1, 10], "datatype": "FP32", "data": list(range(1, 11))}]}
NGINX = """
worker_processes 1; daemon off; pid {folder}/pid; error_log /dev/null;
events {{ worker_connections 1024; }}
http {{ access_log off; server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }} }}
"""


@contextlib.contextmanager
def running(command, port):
    """Starts a server, and stops it by its own process."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{command[0]} did not start")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)


def processor_time(process):
    """Returns the seconds that a process and its descendants have used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    seconds = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    children = set()
    for thread in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):
            children.update((thread / "children").read_text().split())
    return seconds + sum(processor_time(child) for child in children)


def cost(process, port, path, script, seconds):
    """Returns the processor time of a request in microseconds."""
    before = processor_time(process)
    command = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{seconds}s"] + (["-s", script] if script else [])
    output = subprocess.run(
        [*command, f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output:
        sys.exit(f"{path}: {output}")
    count = next(int(line.split()[0]) for line in output.splitlines() if "requests in" in line)
    return (processor_time(process) - before) / count * 1e6


def measure(given):
    found = {}
    with tempfile.TemporaryDirectory() as path, contextlib.ExitStack() as stack:
        folder, ports = Path(path), {}
        script = folder / "wrk.lua"
        script.write_text(
            f"wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\nwrk.body = [[{json.dumps(REQUEST)}]]\n")
        ports["nginx"] = free_port()
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=ports["nginx"]))
        processes = {"nginx": stack.enter_context(running(["nginx", "-c", folder / "nginx.conf"], ports["nginx"]))}
        bundle = ROOT / "Examples/Bundles/diabetes.tiobundle"
        for name, (options, _, _) in CASES.items():
            ports[name] = free_port()
            processes[name] = stack.enter_context(
                running([given.executable, "serve", bundle, "--port", ports[name], *options], ports[name]))
        time.sleep(2)
        for number in range(given.rounds):
            order = ["nginx", *CASES]
            for name in order if number % 2 == 0 else reversed(order):
                url = "/" if name == "nginx" else CASES[name][1]
                found.setdefault(name, []).append(
                    cost(processes[name], ports[name], url, script if url == INFER else None, given.seconds))
    return {name: statistics.median(values) for name, values in found.items()}


def table(found, given):
    lines = [
        f"- `Scripts/measure/requests --rounds {given.rounds} --seconds {given.seconds}`: medians of {given.rounds} rounds, {CLIENTS} connections, "
        f"{os.cpu_count()} processors; {time.strftime('%Y-%m-%d')}",
        f"- nginx with one process that returns a fixed text takes {found['nginx']:.1f} µs",
        "", "| request | processor time | to nginx | goal |  |", "|---|---|---|---|---|"]
    for name, (_, _, goal) in CASES.items():
        ratio = found[name] / found["nginx"]
        lines.append(f"| {name} | {found[name]:.1f} µs | {ratio:.1f}× | ≤ {goal}× | {'✓' if ratio <= goal else '✗'} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure/requests", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="keep the table in Benchmarks/README.md")
    parser.add_argument("--executable", default=str(ROOT / ".build/release/tensorio"))
    given = parser.parse_args()
    text = table(measure(given), given)
    print(text)
    if given.save:
        save_table("requests", text)


if __name__ == "__main__":
    main()
