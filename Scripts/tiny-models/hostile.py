"""Finds damaged models that crash or hang LiteRT, and lists a sample. Usage: hostile.py MODEL... >LIST

Bits of each model are flipped, and aligned words get boundary values, in an order from a seed. A process of
its own loads and runs each result, with a few seconds and four gigabytes. A line of the list is the effect (`death`
or `hang`), the model, the change (`bit NUMBER` or `word OFFSET VALUE`).

Tests/Fixtures/Models/hostile.txt is such a list for vectors, two-vectors and matrix, without the models that are
only slow because their shapes are large, and without those that the C library rejects itself.
"""

import os
import pathlib
import random
import resource
import signal
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter

WORDS = (0, 1, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
SECONDS, BYTES = 5, 4 << 30
# The number of models to find for each model that is changed.
MOST = {"death": 16, "hang": 12}


def changes(count):
    bits = [("bit", number) for number in range(8 * count)]
    words = [("word", offset, word) for offset in range(0, count - 3, 4) for word in WORDS]
    return random.Random(7).sample(bits + words, len(bits) + len(words))


def changed(content, change):
    damaged = bytearray(content)
    if change[0] == "bit":
        damaged[change[1] // 8] ^= 1 << change[1] % 8
    else:
        damaged[change[1] : change[1] + 4] = change[2].to_bytes(4, "little")
    return bytes(damaged)


def run(content):
    interpreter = Interpreter(model_content=content, num_threads=1)
    interpreter.allocate_tensors()
    for facts in interpreter.get_input_details():
        interpreter.set_tensor(facts["index"], numpy.zeros(facts["shape"], facts["dtype"]))
    interpreter.invoke()


def effect(content):
    """Returns `death`, `hang`, or None if LiteRT reports an error or runs the model."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(2 * SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            run(content)
        except MemoryError:
            os._exit(3)
        except BaseException:
            os._exit(0)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        late = (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM)
        return "hang" if os.WTERMSIG(status) in late else "death"
    return "hang" if os.WEXITSTATUS(status) == 3 else None


def main(paths):
    for path in map(pathlib.Path, paths):
        content = path.read_bytes()
        name = path.parent.name if path.stem == "model" else path.name
        found = {kind: [] for kind in MOST}
        for change in changes(len(content)):
            if all(len(found[kind]) == most for kind, most in MOST.items()):
                break
            kind = effect(changed(content, change))
            if kind and len(found[kind]) < MOST[kind]:
                found[kind].append(" ".join(map(str, (kind, name, *change))))
        print("\n".join(found["death"] + found["hang"]), flush=True)


main(sys.argv[1:])
