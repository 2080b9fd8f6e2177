"""Streams whose clients leave at random points.

Afterwards nothing is left of them: no request, sequence or memory in the metrics, no descriptor, and the next response is right.
"""
import random
import threading
import time

from many_requests import figures
from running import running, wait_until
from streaming import BUNDLES, begin, gauges, received, text

TOKENS = 150
CLIENTS = 8


def leave(port, count, seed):
    numbers = random.Random(seed)
    for _ in range(count):
        client = begin(port, TOKENS, buffer=2048 if numbers.random() < 0.5 else None)
        time.sleep(numbers.random() ** 3 * 0.2)
        if numbers.random() < 0.5:
            client.recv(numbers.randrange(1, 20_000))
        client.close()


def is_passed(executable, count):
    with running(executable, *BUNDLES, "--queue-size", "100") as server:
        expected = text(received(begin(server.http_port, TOKENS)))
        leave(server.http_port, 50, 0)
        idle = wait_until(lambda: not gauges(server))
        before = figures(server)
        threads = [threading.Thread(target=leave, args=(server.http_port, count // CLIENTS, seed)) for seed in range(1, CLIENTS + 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        idle = wait_until(lambda: not gauges(server)) and idle
        is_closed = wait_until(lambda: figures(server)[1] <= before[1] + CLIENTS)
        after, left = figures(server), gauges(server)
        is_right = text(received(begin(server.http_port, TOKENS))) == expected
    print(f"{count} streams were left: {before[0]} KiB and {before[1]} descriptors before, {after[0]} and {after[1]} after; "
          f"left: {left}; the next text is {'right' if is_right else 'wrong'}")
    return expected is not None and is_right and idle and is_closed and after[0] <= before[0] * 1.1 + 2048
