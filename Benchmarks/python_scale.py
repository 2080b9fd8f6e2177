"""A model of the cost and throughput of scoring with many workers, and of federated rounds.

python Benchmarks/python_scale.py measure     measures runs on this machine, and stores them in python_scale.json; with
                                              `measure --again`, the fastest of these and the stored ones
python Benchmarks/python_scale.py check       prints measured and simulated processor time of each run
python Benchmarks/python_scale.py tables      prints the tables of Documentation/Scale.md (--save writes the page)

Costs are fitted to a part of the measured runs; the others check them. Measuring needs the environment of
Scripts/test/python; the rest needs Python only.
"""

import heapq
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "python_scale.json")
PAGE = os.path.join(HERE, "..", "Documentation", "Scale.md")
BUNDLES = os.path.join(HERE, "..", "Examples", "Bundles")

# (workers, files, items of a file, whether the run is used to fit the costs)
RUNS = {
    "rows": [
        (1, 1, 20_000, True), (1, 4, 100_000, True), (2, 8, 50_000, True), (1, 40, 5_000, True),
        (1, 10, 50_000, True), (2, 4, 200_000, False), (1, 20, 20_000, False), (2, 30, 10_000, False),
        (1, 2, 400_000, False),
    ],
    "images": [
        (1, 1, 200, True), (1, 4, 1_000, True), (2, 8, 500, True), (1, 40, 50, True),
        (1, 10, 400, True), (2, 4, 1_500, False), (1, 20, 150, False), (2, 10, 300, False),
        (1, 2, 2_500, False),
    ],
}
NAMES = {"rows": "diabetes", "images": "digits"}
# Runs of a job that are measured; the fastest counts, because another program can only make one slower.
ROUNDS = 3


# MARK: The model


class Costs:
    """The processor time of a job: seconds per worker, per file and per item."""

    def __init__(self, worker, file, item):
        self.worker, self.file, self.item = worker, file, item

    def job(self, workers, files, items):
        return workers * self.worker + files * self.file + items * self.item


def fit(runs):
    """Returns the costs with the smallest relative errors, by least squares."""
    rows = [([run["workers"], run["files"], run["items"]], run["seconds"]) for run in runs if run["is_fitted"]]
    matrix = [[0.0] * 3 for _ in range(3)]
    right = [0.0] * 3
    for features, seconds in rows:
        scaled = [feature / seconds for feature in features]
        for i, j in itertools.product(range(3), repeat=2):
            matrix[i][j] += scaled[i] * scaled[j]
        for i in range(3):
            right[i] += scaled[i]
    return Costs(*(max(value, 0.0) for value in _solve(matrix, right)))


def _solve(matrix, right):
    """Solves a system of linear equations by elimination."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return [rows[index][size] / rows[index][index] for index in range(size)]


class Cluster:
    """What surrounds the workers. The defaults are assumptions, which Scale.md states.

    Args:
        launch: Seconds until the scheduler has started a process on a machine.
        launches: How many processes the scheduler starts per second.
        dispatches: How many tasks the scheduler hands out per second.
        storage: The bytes per second of the storage for all workers together.
        link: The bytes per second of one worker's connection.
    """

    def __init__(self, launch=5.0, launches=100.0, dispatches=2_000.0, storage=20e9, link=250e6):
        self.launch, self.launches, self.dispatches = launch, launches, dispatches
        self.storage, self.link = storage, link


class Job:
    """Items to score: their number, those of a task, their size in the storage, and the bundle's size."""

    def __init__(self, items, per_task, item_bytes, bundle_bytes):
        self.items, self.per_task, self.item_bytes = items, per_task, item_bytes
        self.bundle_bytes = bundle_bytes

    @property
    def tasks(self):
        return max(1, math.ceil(self.items / self.per_task))


class Outcome:
    """The seconds of a job, the processor time, and the resource that limits it."""

    def __init__(self, seconds, processor, limit, cold):
        self.seconds, self.processor, self.limit, self.cold = seconds, processor, limit, cold


def simulate(costs, job, workers, cluster, max_events=200_000):
    """Simulates a job on workers with a processor each.

    Tasks are simulated one by one; if there are more than `max_events`, the job has the time of the resource that
    limits it.
    """
    workers = min(workers, job.tasks)
    share = min(cluster.link, cluster.storage / workers)
    full = job.items // job.per_task
    last = job.items - full * job.per_task

    def duration(items):
        # A worker reads the next file while it computes.
        return max(costs.file + items * costs.item, items * job.item_bytes / share)

    cold = cluster.launch + job.bundle_bytes / share + costs.worker
    processor = costs.job(workers, job.tasks, job.items)
    starts = workers / cluster.launches
    if job.tasks <= max_events:
        ready = [index / cluster.launches + cold for index in range(workers)]
        heapq.heapify(ready)
        scheduler = end = 0.0
        for index in range(job.tasks):
            free = heapq.heappop(ready)
            scheduler = max(scheduler, free) + 1 / cluster.dispatches
            done = scheduler + duration(job.per_task if index < full else last)
            end = max(end, done)
            heapq.heappush(ready, done)
    else:
        end = cold + starts / 2 + max(
            job.tasks / cluster.dispatches, job.tasks * duration(job.per_task) / workers)
    limits = {
        "start": cold + starts,
        "scheduler": job.tasks / cluster.dispatches,
        "storage": job.items * job.item_bytes / min(cluster.storage, cluster.link * workers),
        "processors": (job.tasks * costs.file + job.items * costs.item) / workers,
    }
    return Outcome(end, processor, max(limits, key=limits.__getitem__), cold)


class Federation:
    """A round of federated training.

    Args:
        aggregate: Seconds of the server's processor per byte of a reply.
        step: Seconds of a device's processor per example and epoch.
        update_bytes: The bytes of the weights.
        uplink: The bytes per second of a device.
        ingress: The bytes per second of the server.
    """

    def __init__(self, aggregate, step, update_bytes, uplink=250e3, ingress=1.25e9, slowdown=5.0):
        self.aggregate, self.step, self.update_bytes = aggregate, step, update_bytes
        self.uplink, self.ingress, self.slowdown = uplink, ingress, slowdown

    def round(self, clients, examples=100, epochs=5, processors=8):
        """Returns the seconds of a round and what limits it."""
        parts = {
            "devices": examples * epochs * self.step * self.slowdown + 2 * self.update_bytes / self.uplink,
            "network": 2 * clients * self.update_bytes / self.ingress,
            "aggregation": clients * self.update_bytes * self.aggregate / processors,
        }
        # Replies are received and added up while other devices still train.
        server = max(parts["network"], parts["aggregation"])
        return parts["devices"] + server, max(parts, key=parts.__getitem__)


# MARK: Measuring


def make_files(kind, folder, files, items):
    import numpy
    import pyarrow
    import pyarrow.parquet

    generator = numpy.random.default_rng(7)
    os.makedirs(folder)
    for index in range(files):
        if kind == "rows":
            import tensorio

            with tensorio.Model(os.path.join(BUNDLES, "diabetes.tiobundle")) as model:
                names = model.inputs[0].features
            values = generator.normal(size=(items, len(names))).astype(numpy.float32)
            table = pyarrow.table({name: values[:, column] for column, name in enumerate(names)})
        else:
            samples = os.path.join(BUNDLES, "digits.tiobundle", "samples")
            images = []
            for name in sorted(os.listdir(samples)):
                if name.endswith(".png"):
                    with open(os.path.join(samples, name), "rb") as file:
                        images.append(file.read())
            table = pyarrow.table({"content": [images[i % len(images)] for i in range(items)]})
        pyarrow.parquet.write_table(table, os.path.join(folder, f"part-{index:05}.parquet"))


def work(kind, folder, output, index, workers):
    """The job of a worker process: scores its share of the files."""
    from tensorio.arrow import score_file

    bundle = os.path.join(BUNDLES, f"{NAMES[kind]}.tiobundle")
    for name in sorted(os.listdir(folder))[index::workers]:
        score_file(bundle, os.path.join(folder, name), os.path.join(output, name), workers=1)


def measure_run(kind, workers, files, items):
    """Returns the processor seconds and the largest memory of the workers of a run."""
    best = None
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source")
        make_files(kind, source, files, items)
        for number in range(ROUNDS):
            output = os.path.join(folder, f"output-{number}")
            os.makedirs(output)
            # Libraries for matrices would start a thread for each processor.
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            processes = [
                subprocess.Popen(
                    [sys.executable, os.path.abspath(__file__), "work", kind, source, output, str(index), str(workers)],
                    stderr=subprocess.DEVNULL, env=environment)
                for index in range(workers)]
            seconds = memory = 0.0
            for process in processes:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode != 0:
                    raise SystemExit("a worker failed")
                seconds += usage.ru_utime + usage.ru_stime
                memory = max(memory, usage.ru_maxrss / 1024)
            best = min(best or (seconds, memory), (seconds, memory))
    return best


def measure_federation():
    """Returns the costs of a round: of adding a reply, and of training on an example."""
    import numpy
    import tensorio
    from tensorio._rounds import Screen

    trainer = tensorio.Trainer(os.path.join(BUNDLES, "digits-trainable-tflite.tiobundle"))
    weights = trainer.weights()
    size = sum(value.nbytes for value in weights.values())
    screen = Screen({name: value.shape for name, value in weights.items()})
    total = {name: numpy.zeros_like(value) for name, value in weights.items()}

    def reply():
        screen.check(weights, 10, weights)
        for name, value in weights.items():
            total[name] += value * numpy.float32(0.1)

    best = min(_seconds(lambda: [reply() for _ in range(200)]) for _ in range(5)) / 200
    data = os.path.join(HERE, "..", "Examples", "Data", "digits-training")
    items = trainer.dataset(data)
    trainer.fit(items, epochs=1, batch_size=32)
    step = min(_seconds(lambda: trainer.fit(items, epochs=1, batch_size=32)) for _ in range(3)) / len(items)
    return {"aggregate": best / size, "step": step, "update_bytes": size}


def _seconds(job):
    start = time.process_time()
    job()
    return time.process_time() - start


def measure(stored=None):
    runs = []
    earlier = iter(stored["runs"] if stored else [])
    for kind, plans in RUNS.items():
        for workers, files, items, is_fitted in plans:
            seconds, memory = measure_run(kind, workers, files, items)
            seconds = min(seconds, next(earlier, {"seconds": seconds})["seconds"])
            runs.append({
                "kind": kind, "workers": workers, "files": files, "items": files * items, "is_fitted": is_fitted,
                "seconds": round(seconds, 3), "memory_mb": round(memory, 1)})
            print(runs[-1], flush=True)
    record = {"runs": runs, "federation": measure_federation(), "rounds": ROUNDS + (stored["rounds"] if stored else 0)}
    with open(RECORD, "w") as file:
        json.dump(record, file, indent=1)
        file.write("\n")


# MARK: Reporting


def load():
    with open(RECORD) as file:
        return json.load(file)


def errors(record):
    """Yields each run with its simulated processor time and the relative error."""
    for kind in RUNS:
        runs = [run for run in record["runs"] if run["kind"] == kind]
        costs = fit(runs)
        for run in runs:
            job = Job(run["items"], run["items"] / run["files"], 0, 0)
            simulated = simulate(costs, job, run["workers"], Cluster()).processor
            yield run, simulated, simulated / run["seconds"] - 1


def check():
    """Returns the table of measured and simulated runs."""
    lines = ["| job | workers | files | items | measured | simulated | error | |", "|---|---|---|---|---|---|---|---|"]
    for run, simulated, error in errors(load()):
        use = "fitted" if run["is_fitted"] else "**checked**"
        lines.append(
            f"| {run['kind']} | {run['workers']} | {run['files']} | {run['items']:,} | {run['seconds']:.2f} s | "
            f"{simulated:.2f} s | {error:+.1%} | {use} |")
    return "\n".join(lines)


def _time(seconds):
    for size, unit in ((86_400 * 365, "years"), (86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.1f} s"


# Items of a task, bytes of an item, bytes of the bundle, and the memory of a worker in MB are those of the measured jobs.
JOBS = {"rows": (1_000_000, 40, 20_000), "images": (20_000, 20_000, 300_000)}


def tables():
    record = load()
    lines = []
    for kind in RUNS:
        runs = [run for run in record["runs"] if run["kind"] == kind]
        costs = fit(runs)
        memory = max(run["memory_mb"] for run in runs)
        lines += [
            f"**{kind.capitalize()}**: {costs.worker:.2f} s per worker, {costs.file * 1e3:.1f} ms per file, "
            f"{costs.item * 1e6:.2f} µs per item; up to {memory:.0f} MB per worker.", "",
            "| items | 10 workers | 100 workers | 1,000 workers | 10,000 workers |", "|---|---|---|---|---|"]
        per_task, item_bytes, bundle_bytes = JOBS[kind]
        for exponent in (6, 9, 12):
            cells = []
            for workers in (10, 100, 1_000, 10_000):
                # Small jobs have a task for each worker, but none of less than a tenth of a second.
                smallest = max(1, int(0.1 / costs.item))
                size = max(min(per_task, 10**exponent // workers), min(per_task, smallest))
                job = Job(10**exponent, size, item_bytes, bundle_bytes)
                found = simulate(costs, job, workers, Cluster())
                cells.append(f"{_time(found.seconds)} ({found.limit})")
            lines.append(f"| 10^{exponent} | {' | '.join(cells)} |")
        lines.append("")
    federation = Federation(**record["federation"])
    lines += [
        f"**Federated**: {federation.update_bytes / 1e3:.0f} kB per update, "
        f"{federation.aggregate * federation.update_bytes * 1e6:.0f} µs of the server per reply, "
        f"{federation.step * 1e6:.0f} µs per example and epoch on this machine.", "",
        f"| devices in a round | {federation.update_bytes / 1e3:.0f} kB of weights | limited by | 100 MB of weights | "
        "limited by |", "|---|---|---|---|---|"]
    large = Federation(federation.aggregate, federation.step * 100, 100e6)
    for clients in (10, 1_000, 10_000, 1_000_000):
        small_time, small_limit = federation.round(clients)
        large_time, large_limit = large.round(clients)
        lines.append(
            f"| {clients:,} | {_time(small_time)} | {small_limit} | {_time(large_time)} | {large_limit} |")
    return "\n".join(lines)


def page():
    """Returns the page with the current tables."""
    with open(PAGE) as file:
        text = file.read()
    for name, table in (("runs", check()), ("tables", tables())):
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = text[:start] + table.rstrip("\n") + "\n" + text[stop:]
    return text


def save():
    text = page()
    with open(PAGE, "w") as file:
        file.write(text)


def main(arguments):
    if arguments[:1] == ["work"]:
        kind, folder, output, index, workers = arguments[1:]
        work(kind, folder, output, int(index), int(workers))
    elif arguments == ["measure"]:
        measure()
    elif arguments == ["measure", "--again"]:
        measure(load())
    elif arguments == ["check"]:
        print(check())
    elif arguments == ["tables"]:
        print(tables())
    elif arguments == ["tables", "--save"]:
        save()
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
