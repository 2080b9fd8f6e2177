"""Measures what the engines cost on top of a plain loop, in processor time.

python Benchmarks/engines/engine_costs.py spark [ROUNDS [KIND]] workers of Spark, and whole jobs against Pillow, numpy and LiteRT
python Benchmarks/engines/engine_costs.py ray [ROUNDS [KIND]]   actors of Ray
python Benchmarks/engines/engine_costs.py federation [ROUNDS]   rounds of Flower's simulation, and the same by hand

KIND is rows or images. Each runs in the engine's environment of Scripts/check/engines, .build/python/engines/bin/python.

Workers note their processor time and the number of items at each batch. The cost of an item is the slope from the third
batch of a process on, so that starting and opening the model drop out. The plain loop runs in as many processes at the
same time, before and after each job: on a machine with other work, processor time depends on it.
"""

import glob
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUNDLES = ROOT / "Examples" / "Bundles"
FEATURES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
NAMES = {"rows": "diabetes", "images": "shape-detector"}
BUNDLE = {kind: os.fspath(BUNDLES / f"{name}.tiobundle") for kind, name in NAMES.items()}
# Items in a file, and files.
DATA = {"rows": (250_000, 8), "images": (180, 16)}
# Items in a batch: the default of Spark, and one that suits rows of numbers.
SPARK_CASES = [("rows", 10_000), ("rows", 50_000), ("images", 60)]
RAY_CASES = [("rows", 8_192), ("rows", 50_000), ("images", 60)]
PROCESSES = 2


# MARK: Data


def make_data(kind, folder):
    """Writes Parquet files with an id and the inputs of a bundle."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    count, files = DATA[kind]
    os.makedirs(folder)
    generator = numpy.random.default_rng(7)
    images = [
        pathlib.Path(path).read_bytes() for name in ("figures", "shape-masks", "shapes-over-photographs")
        for path in sorted(glob.glob(f"{ROOT}/Examples/Data/{name}/**/*.jpg", recursive=True))]
    for index in range(files):
        ids = numpy.arange(index * count, (index + 1) * count)
        if kind == "rows":
            values = generator.normal(size=(count, len(FEATURES))).astype(numpy.float32)
            columns = {name: values[:, column] for column, name in enumerate(FEATURES)}
        else:
            columns = {"content": [images[identifier % len(images)] for identifier in ids]}
        table = pyarrow.table({"id": ids, **columns})
        pyarrow.parquet.write_table(table, os.path.join(folder, f"part-{index:02}.parquet"))


# MARK: Notes of processes


def note(path, *values):
    """Appends a line with the process, its processor time and values."""
    line = json.dumps([os.getpid(), time.process_time(), *values]) + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, line.encode())
    os.close(descriptor)


def read_notes(path):
    """Returns the lines of each process."""
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        values = json.loads(line)
        found.setdefault(values[0], []).append(values[1:])
    return found


def slope(notes):
    """Returns the seconds of processor time per item from the third batch of each process on."""
    seconds = items = 0.0
    for lines in notes.values():
        if len(lines) > 3:
            seconds += lines[-1][0] - lines[2][0]
            items += sum(line[1] for line in lines[3:])
    if not items:
        raise SystemExit("no process had more than three batches")
    return seconds / items


def part(notes, position):
    """Returns the seconds per item of a part that notes have, from the third batch of each process on."""
    lines = [line for values in notes.values() for line in values[3:]]
    return sum(line[position] for line in lines) / sum(line[1] for line in lines)


def check_opened_once(notes, kind):
    """Checks that each process opened the model of a kind once; returns the number of processes.

    A worker may have opened those of the kinds before, and opens nothing after its first batch.
    """
    for lines in notes.values():
        counts = {line[2] for line in lines}
        if len(counts) != 1 or max(counts) > list(NAMES).index(kind) + 1:
            raise SystemExit(f"a process opened {sorted(counts)} models")
    return len(notes)


# MARK: The plain loop


def plain(kind, size, folder, share):
    """A process of the plain loop: prints the seconds per item of the model alone, and of the function of the engines."""
    import numpy
    import pyarrow.parquet
    from tensorio._bundles import PortableBundle
    from tensorio._scoring import scoring

    scorer = scoring(PortableBundle.at(BUNDLE[kind]), keep=["id"]).open()
    files = sorted(glob.glob(f"{folder}/*.parquet"))[int(share)::PROCESSES]
    batches = [
        batch for file in files for batch in pyarrow.parquet.read_table(file).to_batches(int(size))]
    prepared = [
        numpy.stack([batch.column(name).to_numpy() for name in FEATURES], 1) if kind == "rows"
        else batch.column("content").to_pylist() for batch in batches]

    def model_alone(values):
        if kind == "rows":
            return scorer.model.batch(values)
        return [result.detections for result in scorer.model.batch(values, errors="return")]

    times, items = {"model": 0.0, "function": 0.0}, 0
    for index, (batch, values) in enumerate(zip(batches, prepared)):
        jobs = [("model", lambda: model_alone(values)), ("function", lambda: scorer.score(batch))]
        for name, job in jobs if index % 2 else reversed(jobs):
            start = time.process_time()
            job()
            if index >= 2:
                times[name] += time.process_time() - start
        items += batch.num_rows if index >= 2 else 0
    print(json.dumps({name: seconds / items for name, seconds in times.items()}))


def run_plain(kind, size, folder):
    """Runs the plain loop in several processes at the same time."""
    processes = [
        subprocess.Popen([sys.executable, __file__, "plain", kind, str(size), folder, str(share)],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for share in range(PROCESSES)]
    found = [json.loads(process.communicate()[0]) for process in processes]
    return {name: statistics.mean(entry[name] for entry in found) for name in found[0]}


def between(jobs, rounds, kind, size, folder):
    """Runs jobs with the plain loop before and after each; returns the ratios and costs of all rounds.

    A job is a function that returns costs by name.
    """
    found = []
    before = run_plain(kind, size, folder)
    for number in range(rounds):
        entry = {}
        for job in jobs:
            costs = job()
            after = run_plain(kind, size, folder)
            for name, value in costs.items():
                entry[name] = value
                for loop in before:
                    entry[f"{loop}/{name}"] = (before[loop] + after[loop]) / 2 / value
            entry.update(after)
            before = after
        print(json.dumps({"kind": kind, "size": size, "round": number, **entry}), flush=True)
        found.append(entry)
    return {name: statistics.median(entry[name] for entry in found) for name in found[0]}


def report(title, kind, size, medians, names):
    loop = medians["function"]
    print(f"{title}, {kind} in batches of {size:,}: plain loop {loop * 1e6:.2f} µs per item (the model alone {medians['model'] * 1e6:.2f} µs)")
    for name, text in names.items():
        print(f"  {text}: {medians[name] * 1e6:.2f} µs; plain loop / this {medians[f'function/{name}']:.3f}×, "
              f"model alone / this {medians[f'model/{name}']:.3f}×", flush=True)


# MARK: Spark


class Noted:
    """The function of `mapInArrow`, with a note at each batch of the time that reading and scoring took."""

    def __init__(self, path, function):
        self.path, self.function, self.reading = path, function, 0.0

    def _timed(self, batches):
        while True:
            start = time.process_time()
            batch = next(batches, None)
            self.reading += time.process_time() - start
            if batch is None:
                return
            yield batch

    def __call__(self, batches):
        from tensorio._bundles import open_count

        results = self.function(self._timed(iter(batches)))
        while True:
            self.reading, start = 0.0, time.process_time()
            batch = next(results, None)
            if batch is None:
                return
            function = time.process_time() - start - self.reading
            note(self.path, batch.num_rows, open_count(), function, self.reading)
            yield batch


class Peer:
    """The function of `mapInArrow` with Pillow, numpy and LiteRT."""

    models = {}

    def __init__(self, kind):
        self.kind = kind

    def __call__(self, batches):
        sys.path.insert(0, os.fspath(HERE.parent / "peers"))
        import score_table

        if self.kind not in Peer.models:
            Peer.models[self.kind] = (
                score_table.RowPeer(BUNDLE["rows"], FEATURES) if self.kind == "rows"
                else score_table.ImagePeer(BUNDLE["images"]))
        for batch in batches:
            yield Peer.models[self.kind].score(batch)


def processor_time(pids):
    """Returns the seconds that processes and their ended children have used."""
    ticks = 0
    for pid in pids:
        try:
            text = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        ticks += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def descendants(pid):
    """Returns the processes below a process."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = pathlib.Path(path).read_text()
        except OSError:
            continue
        parents[int(path.split("/")[2])] = int(text.rpartition(")")[2].split()[1])
    found, queue = [], [pid]
    while queue:
        parent = queue.pop()
        children = [child for child, above in parents.items() if above == parent]
        found += children
        queue += children
    return found


def measure_spark(rounds, kinds):
    import pyspark
    from pyspark.sql import SparkSession

    os.environ.update(
        SPARK_HOME=os.path.dirname(pyspark.__file__), SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable,
        PYTHONPATH=os.fspath(HERE), OPENBLAS_NUM_THREADS="1")
    spark = (
        SparkSession.builder.master(f"local[{PROCESSES}]").config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.memory", "2g")
        .config("spark.ui.showConsoleProgress", "false").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    # The functions are pickled by name, from the module and not from this program.
    import engine_costs
    import tensorio.spark

    for kind, size in [case for case in SPARK_CASES if case[0] in kinds]:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "data")
            make_data(kind, source)
            spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(size))
            log = os.path.join(folder, "notes")
            whole = {"ours": [], "peer": []}

            def score(files, is_peer, noted):
                frame = spark.read.parquet(*files)
                if is_peer:
                    types = {"rows": "id long, progression float", "images":
                             "id long, detections array<struct<label:string,score:float,box:array<float>>>"}
                    frame = frame.mapInArrow(engine_costs.Peer(kind), types[kind])
                else:
                    predictor = tensorio.spark.predictor(BUNDLE[kind], keep=["id"])
                    schema = tensorio.spark.schema(BUNDLE[kind], frame, keep=["id"])
                    frame = frame.mapInArrow(engine_costs.Noted(log, predictor) if noted else predictor, schema)
                frame.write.mode("overwrite").parquet(os.path.join(folder, "out"))

            def job_seconds(files, is_peer):
                start = processor_time(descendants(os.getpid()))
                score(files, is_peer, False)
                return processor_time(descendants(os.getpid())) - start

            files = sorted(glob.glob(f"{source}/*.parquet"))
            processes = []

            def worker():
                if os.path.exists(log):
                    os.remove(log)
                score(files, False, True)
                notes = read_notes(log)
                processes.append(check_opened_once(notes, kind))
                return {"worker": slope(notes), "udf": part(notes, 3), "reading": part(notes, 4)}

            def whole_jobs():
                few = max(1, len(files) // 8)
                items = DATA[kind][0] * (len(files) - few)
                for name in whole:
                    small = job_seconds(files[:few], name == "peer")
                    whole[name].append((job_seconds(files, name == "peer") - small) / items)
                return {f"job-{name}": values[-1] for name, values in whole.items()}

            for _ in range(3):  # the JVM compiles while it runs
                score(files[:PROCESSES], False, True)
                score(files[:PROCESSES], True, False)
            medians = between([worker, whole_jobs], rounds, kind, size, source)
            report("Spark", kind, size, medians, {"udf": "in the function", "worker": "worker process"})
            print(f"  of the worker process, reading batches: {medians['reading'] * 1e6:.2f} µs")
            ratio = statistics.median(peer / ours for ours, peer in zip(whole["ours"], whole["peer"]))
            print(f"  whole job: {medians['job-ours'] * 1e6:.2f} µs, Pillow, numpy and LiteRT "
                  f"{medians['job-peer'] * 1e6:.2f} µs; peer / this {ratio:.2f}×", flush=True)
            print(f"  each of {max(processes)} workers opened the model once", flush=True)
    spark.stop()


# MARK: Ray


def measure_ray(rounds, kinds):
    import ray
    import ray.data
    import tensorio.ray

    # Actors import the module by name.
    sys.path.insert(0, os.fspath(HERE))
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", PYTHONPATH=os.fspath(HERE))
    ray.init(address="local", num_cpus=PROCESSES, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    class NotedPredictor(tensorio.ray.Predictor):
        """A predictor that notes the processor time of its process before and after a batch."""

        def __init__(self, path, *arguments, **options):
            super().__init__(*arguments, **options)
            self.path = path

        def __call__(self, batch):
            start = time.process_time()
            result = super().__call__(batch)
            function = time.process_time() - start
            note(self.path, batch.num_rows, tensorio.ray.open_count(), function)
            return result

    for kind, size in [case for case in RAY_CASES if case[0] in kinds]:
        with tempfile.TemporaryDirectory() as folder:
            source, log, out = (os.path.join(folder, name) for name in ("data", "notes", "out"))
            make_data(kind, source)
            processes = []

            def job():
                for path in (log, out):
                    if os.path.isdir(path):
                        shutil.rmtree(path)
                    elif os.path.exists(path):
                        os.remove(path)
                table = ray.data.read_parquet(source)
                table.map_batches(
                    NotedPredictor, fn_constructor_args=(log, BUNDLE[kind]), fn_constructor_kwargs={"keep": ["id"]},
                    **tensorio.ray.options(batch_size=size)).write_parquet(out)
                notes = read_notes(log)
                # Each job has new actors.
                processes.append(check_opened_once(notes, "rows"))
                return {"udf": part(notes, 3), "actor": slope(notes)}

            medians = between([job], rounds, kind, size, source)
            report("Ray", kind, size, medians, {"udf": "in the function", "actor": "actor process"})
            print(f"  each of {max(processes)} actors opened the model once", flush=True)
    ray.shutdown()


# MARK: Flower


def measure_federation(rounds, kinds):
    """Rounds of ten clients: with Flower's simulation, and the same by hand before and after."""
    sys.path.insert(0, os.fspath(ROOT / "Python" / "engines"))
    os.environ.update(
        FLWR_TELEMETRY_ENABLED="0", RAY_USAGE_STATS_ENABLED="0",
        PYTHONPATH=os.pathsep.join([os.fspath(ROOT / "Python" / "engines"), os.fspath(HERE)]))
    import federated_digits
    from flwr.simulation import run_simulation

    import tensorio
    import tensorio.flower

    bundle = os.fspath(BUNDLES / "digits-trainable-tflite.tiobundle")
    held_out = os.fspath(federated_digits.DATA / "digits-held-out")
    settings = {"epochs": 1, "batch-size": 32, "learning_rate": 0.02}
    count = federated_digits.CLIENTS

    def by_hand():
        """Returns the seconds of rounds in one process, in which the clients train one after the other."""
        trainer = tensorio.Trainer(bundle)
        items = [trainer.dataset(federated_digits.partition(index)) for index in range(count)]
        held = trainer.dataset(held_out)
        shared, seconds = trainer.weights(), []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            total = {name: 0.0 for name in shared}
            for data in items:
                trainer.set_weights(shared)
                trainer.fit(data, epochs=1, batch_size=32, placeholders={"learning_rate": 0.02})
                for name, value in trainer.weights().items():
                    total[name] = total[name] + value * (len(data) / sum(map(len, items)))
            shared = {name: value.astype("float32") for name, value in total.items()}
            trainer.set_weights(shared)
            trainer.evaluate(held)
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds[1:])

    def with_flower():
        ends = []
        client = tensorio.flower.client_app(bundle, federated_digits.data)
        server = tensorio.flower.server_app(
            bundle, rounds=rounds + 1, config=lambda number: settings, evaluation=held_out,
            on_round=lambda entry: ends.append((time.perf_counter(), entry.clients)),
            fraction_evaluate=0.0, min_available_nodes=count)
        run_simulation(
            server_app=server, client_app=client, num_supernodes=count,
            backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0},
                            "init_args": {"address": "local", "num_cpus": PROCESSES, "include_dashboard": False}})
        if [clients for _, clients in ends[1:]] != [count] * (rounds + 1):
            raise SystemExit(f"clients of the rounds: {ends}")
        return [later[0] - earlier[0] for earlier, later in zip(ends[1:], ends[2:])]

    before = by_hand()
    flower = with_flower()
    after = by_hand()
    hand, round_ = (before + after) / 2, statistics.median(flower)
    print(json.dumps({"by hand": [before, after], "rounds": flower}))
    print(f"Flower, {count} clients: a round after the first {round_:.2f} s (from {min(flower):.2f} to {max(flower):.2f}), "
          f"by hand {hand:.2f} s; {round_ - hand:+.2f} s", flush=True)


def main(arguments):
    if arguments[:1] == ["plain"]:
        plain(*arguments[1:])
    elif arguments[:1] and arguments[0] in ("spark", "ray", "federation"):
        rounds = int(arguments[1]) if len(arguments) > 1 else 5
        {"spark": measure_spark, "ray": measure_ray, "federation": measure_federation}[arguments[0]](rounds, arguments[2:] or list(NAMES))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
