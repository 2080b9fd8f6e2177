"""Streams to a thousand slow clients at once.

Each client reads at most 256 bytes in 50 ms, so the server holds what they have not read. Every response has to be the one that
a fast client receives. Prints the memory of the server for each stream, which has to be less than 64 KiB, and its threads.
"""
import resource
import selectors
import time

from many_requests import figures
from running import running, wait_until
from streaming import BUNDLES, begin, gauges, received, text

TOKENS = 50
PART_BYTES, PART_SECONDS = 256, 0.05
MAX_STREAM_KIB = 64


def read_slowly(clients, sample):
    """Returns the bytes that each client receives, a part in each turn."""
    selector = selectors.DefaultSelector()
    for client in clients:
        client.setblocking(False)
        selector.register(client, selectors.EVENT_READ)
    responses = {client: bytearray() for client in clients}
    while selector.get_map():
        end = time.monotonic() + PART_SECONDS
        for key, _ in selector.select(timeout=60):
            try:
                part = key.fileobj.recv(PART_BYTES)
            except OSError:
                part = b""
            responses[key.fileobj] += part
            if not part:
                selector.unregister(key.fileobj)
                key.fileobj.close()
        sample()
        time.sleep(max(0, end - time.monotonic()))
    return list(responses.values())


def is_passed(executable, count):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limits[1], max(limits[0], 2 * count)), limits[1]))
    with running(executable, *BUNDLES, "--queue-size", str(count), "--request-timeout", "600") as server:
        expected = text(received(begin(server.http_port, TOKENS)))
        before, largest = figures(server), [0, 0]

        def sample():
            memory, _, threads, _ = figures(server)
            largest[:] = max(largest[0], memory), max(largest[1], threads)

        began = time.monotonic()
        clients = [begin(server.http_port, TOKENS, buffer=2048) for _ in range(count)]
        responses = read_slowly(clients, sample)
        seconds = time.monotonic() - began
        correct = sum(text(bytes(response)) == expected for response in responses)
        is_idle = wait_until(lambda: not gauges(server))
        left = gauges(server)
    memory = (largest[0] - before[0]) / count
    print(f"{count} streams of {TOKENS} tokens in {seconds:.0f} s: {correct} correct, {memory:.1f} KiB each, {largest[1]} threads; left: {left}")
    return expected is not None and correct == count and memory <= MAX_STREAM_KIB and is_idle
