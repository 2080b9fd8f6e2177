"""Holds many isolated sessions at once.

Starts a server with many workers, and sends as many requests to one model. Every worker process stops itself before it loads
the model, so that no session becomes free and each request needs a session of its own. When all exist, they continue, and every
request has to be answered. Prints the numbers of processes, threads and responses.
"""
import collections
import json
import os
import shutil
import signal
import tempfile
import threading
import time

from running import BUNDLE, connect, predict, running, workers

SECONDS = 600
# Starts a worker process, which first stops itself if a file exists.
LAUNCHER = """#!/bin/sh
if [ -e '{folder}/stopping' ]; then kill -STOP $$; fi
exec '{worker}' "$@"
"""


def stopped_workers(server):
    """Returns the process IDs of the worker processes that are stopped."""
    found = set()
    for pid in workers(server):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "T":
                    found.add(pid)
        except OSError:
            pass  # the process has ended
    return found


def send(server, results):
    try:
        status, _, text = predict(connect(server, SECONDS), "/v2/models/diabetes/predict")
        results.append((status, text))
    except OSError as error:
        results.append((type(error).__name__, ""))


def is_passed(executable, count):
    with tempfile.TemporaryDirectory() as folder:
        models = os.path.join(folder, "models")
        shutil.copytree(BUNDLE, os.path.join(models, "diabetes.tiobundle"))
        launcher, stopping = os.path.join(folder, "worker"), os.path.join(folder, "stopping")
        with open(launcher, "w") as file:
            file.write(LAUNCHER.format(folder=folder, worker=os.path.abspath(executable) + "-worker"))
        os.chmod(launcher, 0o755)
        with running(executable, models, "--workers", str(count), "--queue-size", str(count), "--inference-timeout", str(SECONDS),
                     "--request-timeout", str(SECONDS), TENSORIO_WORKER=launcher) as server:
            send(server, [])
            # The sessions that exist must not become free either.
            for pid in workers(server):
                os.kill(pid, signal.SIGSTOP)
            open(stopping, "w").close()
            results = []
            clients = [threading.Thread(target=send, args=(server, results)) for _ in range(count)]
            for client in clients:
                client.start()
            end = time.monotonic() + SECONDS / 2
            while len(stopped_workers(server)) < count and time.monotonic() < end:
                time.sleep(0.1)
            held, threads, early = len(stopped_workers(server)), len(os.listdir(f"/proc/{server.pid}/task")), len(results)
            os.remove(stopping)
            while any(client.is_alive() for client in clients):
                for pid in stopped_workers(server):
                    os.kill(pid, signal.SIGCONT)
                time.sleep(0.1)
    statuses = collections.Counter(status for status, _ in results)
    outputs = {json.dumps(json.loads(text).get("outputs")) for status, text in results if status == 200}
    print(f"{held} worker processes at once, {threads} threads of the server, {early} responses before they continued")
    print(f"responses: {dict(statuses)}, {len(outputs)} different results")
    return held >= count and not early and statuses == {200: count} and len(outputs) == 1
