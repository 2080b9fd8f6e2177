"""Small inferences beside eight long streams.

Measures the time of an inference by a separate client, in turns with and without the streams, whose clients are another process.
Prints the median and the 99th percentile; with streams, the 99th percentile has to be at most 1.5 times that without.
"""
import multiprocessing
import statistics
import time

from running import connect, predict, running
from streaming import BUNDLES, begin, received, text

STREAMS, TOKENS = 8, 190
ROUNDS, REQUESTS = 5, 600
MAX_RATIO = 1.5


def stream(port, goes_on, ends):
    """Reads one stream after another while it is allowed to. The texts are checked at the end, because eight processes that parse
    JSON would keep the two processors of a small machine busy, and the requests would wait for them instead of for the server."""
    responses = []
    while not ends.is_set():
        goes_on.wait()
        responses.append(received(begin(port, TOKENS)))
    if len({text(response) for response in responses}) != 1 or text(responses[0]) is None:
        raise SystemExit("a stream has ended early")


def times(server):
    connection, seconds = connect(server), []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        status, _, _ = predict(connection, "/v2/models/diabetes/predict")
        seconds.append(time.perf_counter() - began)
        assert status == 200, status
    return sorted(seconds)


def is_passed(executable):
    context = multiprocessing.get_context("fork")
    goes_on, ends = context.Event(), context.Event()
    with running(executable, *BUNDLES) as server:
        streams = [context.Process(target=stream, args=(server.http_port, goes_on, ends)) for _ in range(STREAMS)]
        for process in streams:
            process.start()
        times(server)
        figures = {False: [], True: []}
        for _ in range(ROUNDS):
            for has_streams in (False, True):
                goes_on.set() if has_streams else goes_on.clear()
                time.sleep(1)
                sample = times(server)
                figures[has_streams].append((statistics.median(sample), sample[int(REQUESTS * 0.99)]))
        ends.set()
        goes_on.set()
        for process in streams:
            process.join()
        is_whole = all(process.exitcode == 0 for process in streams)
    quiet, loaded = ([statistics.median(values) * 1000 for values in zip(*figures[key])] for key in (False, True))
    print(f"quiet: median {quiet[0]:.2f} ms, p99 {quiet[1]:.2f} ms; beside {STREAMS} streams: {loaded[0]:.2f} and {loaded[1]:.2f}, "
          f"ratio {loaded[1] / quiet[1]:.2f}")
    return is_whole and loaded[1] <= MAX_RATIO * quiet[1]
