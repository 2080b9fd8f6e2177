"""Measures how two models that hang affect ten that do not.

Starts a server with the default configuration, stops the worker processes of two models with SIGSTOP as often as the server
replaces them, and prints the latencies of the other models, the responses of the hanging ones, and how they recover. Takes about
five minutes. Fails if a hanging model is not suspended or does not recover.
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

GOOD = [f"good-{number}" for number in range(10)]
HANGING = ["hanging-0", "hanging-1"]
RATE = 20  # requests per second and model
QUIET_SECONDS = 30
HANGING_SECONDS = 150


def request(connection, model):
    return predict(connection, f"/v2/models/{model}/predict")


class Clients:
    """One client per model, which sends requests at a fixed rate."""

    def __init__(self, server, models, rate):
        self.server, self.rate = server, rate
        self.latencies, self.statuses = [], collections.Counter()
        self.events = collections.defaultdict(list)
        self.is_running = True
        self.threads = [threading.Thread(target=self.run, args=(model,)) for model in models]
        for thread in self.threads:
            thread.start()

    def run(self, model):
        connection = connect(self.server)
        due = time.monotonic()
        while self.is_running:
            due = max(due + 1 / self.rate, time.monotonic() - 1)
            time.sleep(max(0, due - time.monotonic()))
            start = time.monotonic()
            try:
                status, headers, text = request(connection, model)
            except OSError as error:
                status, headers, text = type(error).__name__, {}, "{}"
                connection.close()
            duration = time.monotonic() - start
            self.latencies.append(duration)
            self.statuses[status] += 1
            code = json.loads(text).get("code") or text[:60] if status != 200 else ""
            self.events[model].append((start, duration, status, str(code), headers.get("Retry-After")))

    def stop(self):
        self.is_running = False
        for thread in self.threads:
            thread.join()

    def quantile(self, share):
        values = sorted(self.latencies)
        return values[int(len(values) * share)] * 1000 if values else 0


def is_passed(executable):
    with tempfile.TemporaryDirectory() as folder:
        for name in GOOD + HANGING:
            shutil.copytree(BUNDLE, os.path.join(folder, name + ".tiobundle"))
        with running(executable, folder) as server:
            return measure(server)


def measure(server):
    # Two requests at a time create all sessions of the models that stay.
    warm = Clients(server, GOOD * 2, RATE)
    time.sleep(5)
    warm.stop()
    # One worker process each is left for the models that are about to hang, and theirs are new.
    stay = workers(server)
    quiet = Clients(server, GOOD, RATE)
    time.sleep(QUIET_SECONDS)
    quiet.stop()
    print(f"quiet:   p50 {quiet.quantile(0.5):.2f} ms, p99 {quiet.quantile(0.99):.2f} ms, "
          f"{dict(quiet.statuses)}", flush=True)

    before = find_workers(server, stay)
    good = stay - before
    is_stopping, stopped = True, set()

    def stop_workers():
        while is_stopping:
            for worker in workers(server) - good:
                if worker not in stopped:
                    os.kill(worker, signal.SIGSTOP)
                    stopped.add(worker)
            time.sleep(0.001)

    stopper = threading.Thread(target=stop_workers)
    stopper.start()
    time.sleep(0.5)
    start = time.monotonic()
    others, hanging = Clients(server, GOOD, RATE), Clients(server, HANGING * 4, 5)
    time.sleep(HANGING_SECONDS)
    others.stop()
    print(f"hanging: p50 {others.quantile(0.5):.2f} ms, p99 {others.quantile(0.99):.2f} ms "
          f"({others.quantile(0.99) / quiet.quantile(0.99):.2f} times quiet), "
          f"{dict(others.statuses)}", flush=True)
    suspended = 0
    for model in HANGING:
        counts, first = collections.Counter(), None
        for began, duration, status, code, retry in hanging.events[model]:
            counts[f"{status} {code}"] += 1
            if code == "model-suspended" and first is None:
                first = (began - start, duration * 1000, retry)
                suspended += 1
        print(f"  {model}: {dict(counts)}; first rejected at once after "
              f"{first[0]:.1f} s (in {first[1]:.1f} ms, Retry-After {first[2]})" if first
              else f"  {model}: {dict(counts)}; never suspended", flush=True)
    is_stopping = False
    stopper.join()
    resumed = time.monotonic()
    for worker in workers(server):
        os.kill(worker, signal.SIGCONT)
    pending = set(HANGING)
    while pending and time.monotonic() < resumed + 150:
        for model in list(pending):
            if any(event[2] == 200 and event[0] > resumed for event in hanging.events[model]):
                print(f"  {model}: recovered {time.monotonic() - resumed:.1f} s after it worked again",
                      flush=True)
                pending.remove(model)
        time.sleep(0.5)
    hanging.stop()
    print("all recovered" if not pending else f"not recovered: {sorted(pending)}")
    return suspended == len(HANGING) and not pending


def find_workers(server, all_workers):
    """Returns the worker processes of the models that are to hang: those that use the processor."""

    def ticks(worker):
        with open(f"/proc/{worker}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = {worker: ticks(worker) for worker in all_workers}
    connection = connect(server)
    for _ in range(4000):
        for model in HANGING:
            request(connection, model)
    busy = sorted(all_workers, key=lambda worker: ticks(worker) - before[worker])[-len(HANGING):]
    return set(busy)
