"""Runs the app of Documentation/Federated.md on Flower's deployment: a SuperLink and five SuperNodes.

python flower_deployment.py FOLDER [--nodes 5] [--rounds 3]

All processes listen on the loopback interface and end with this program. The result is the version 1 in FOLDER/models/digits.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "Examples" / "Data"
BUNDLE = ROOT / "Examples" / "Bundles" / "digits-trainable-tflite.tiobundle"
PAGE = ROOT / "Documentation" / "Federated.md"
BIN = pathlib.Path(sys.executable).parent


def examples() -> dict[str, str]:
    """Returns the files of the page's example: those whose first line is a comment with their name."""
    found = {}
    for text in re.findall(r"^```\w+\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        if match := re.match(r"# (app\.py|pyproject\.toml)\n", text):
            found[match[1]] = text
    return found


def make_app(folder: pathlib.Path, home: pathlib.Path, nodes: int, rounds: int) -> pathlib.Path:
    """Writes the app of the page, with paths of this machine, and the data of the nodes."""
    app = folder / "app"
    app.mkdir(parents=True)
    for name, text in examples().items():
        for old, new in {
            '"digits-trainable-tflite.tiobundle"': repr(str(BUNDLE)),
            '"data/{partition}"': repr(str(folder / "data" / "{partition}")),
            '"held-out"': repr(str(DATA / "digits-held-out")), '"federation"': repr(str(folder / "state")),
            '"models/digits"': repr(str(folder / "models" / "digits")), '"publisher.key"': "None",
            "rounds=20": f"rounds={rounds}, min_available_nodes={nodes}, fraction_evaluate=0.0",
        }.items():
            text = text.replace(old, new)
        (app / name).write_text(text)
    for node in range(nodes):
        for label in sorted((DATA / "digits-training").iterdir()):
            target = folder / "data" / str(node) / label.name
            target.mkdir(parents=True)
            for image in sorted(label.iterdir())[node::nodes]:
                shutil.copy(image, target)
    home.mkdir()
    return app


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for entry in sockets:
            entry.bind(("127.0.0.1", 0))
        return [int(entry.getsockname()[1]) for entry in sockets]


def wait_for(port: int, process: "subprocess.Popen[Any]") -> None:
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.2)
    raise SystemExit(f"nothing listens on port {port}")


def deploy(folder: pathlib.Path, nodes: int, rounds: int) -> int:
    home = folder / "home"
    app = make_app(folder, home, nodes, rounds)
    link, *own = free_ports(1 + nodes)
    (home / "config.toml").write_text(
        f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "127.0.0.1:{link}"\ninsecure = true\n')
    environment = {
        **os.environ, "FLWR_HOME": str(home), "FLWR_TELEMETRY_ENABLED": "0",
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    processes: list[subprocess.Popen[Any]] = []

    def start(name: str, *arguments: str) -> "subprocess.Popen[Any]":
        log = (folder / f"{name}.log").open("w")
        program = BIN / ("flower-superlink" if name == "superlink" else "flower-supernode")
        process = subprocess.Popen(
            [program, "--insecure", *arguments], stdout=log, stderr=log, env=environment, start_new_session=True)
        processes.append(process)
        return process

    try:
        superlink = start(
            "superlink", "--host", "127.0.0.1", "--port", str(link), "--database", str(folder / "link.db"))
        wait_for(link, superlink)
        for node in range(nodes):
            start(
                f"supernode-{node}", "--superlink", f"127.0.0.1:{link}", "--host", "127.0.0.1", "--port",
                str(own[node]), "--node-config", f"partition-id={node} num-partitions={nodes}")
        done = subprocess.run(
            [BIN / "flwr", "run", str(app), "here", "--stream"], env=environment, timeout=900, check=False)
        return done.returncode
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            # A SuperNode starts processes for the app, which outlive it for some seconds.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    status = deploy(folder, arguments.nodes, arguments.rounds)
    if status != 0 or not (folder / "models" / "digits" / "1.tiobundle" / "model.json").exists():
        raise SystemExit(f"the run has failed with {status}; {folder} has the logs")
    print(folder / "models" / "digits" / "1.tiobundle")


if __name__ == "__main__":
    main()
