"""Threads, forks, memory and signals."""

import concurrent.futures
import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import tensorio
from conftest import BUNDLES

ROW = [0.1] * 10


def test_threads_share_a_model(diabetes: tensorio.Model) -> None:
    inputs = [numpy.full(10, number / 100) for number in range(100)]
    expected = [diabetes(value).array.item() for value in inputs]

    def run(number: int) -> bool:
        return all(
            diabetes(inputs[index]).array.item() == expected[index]
            for index in range(number, 100, 8) for _ in range(20))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(8)))


def test_models_can_be_closed_while_they_run() -> None:
    for _ in range(20):
        model = tensorio.Model(BUNDLES / "diabetes.tiobundle")
        failures: list[BaseException] = []

        def run(model: tensorio.Model = model) -> None:
            try:
                for _ in range(1000):
                    model(ROW)
            except ValueError:
                pass
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        model.close()
        for thread in threads:
            thread.join()
        assert not failures


def _fork_and_run(model: tensorio.Model) -> bool:
    """Forks, runs the inherited model and a new one in the child; returns whether it succeeded."""
    child = os.fork()
    if child == 0:
        try:
            model(ROW)
            tensorio.Model(BUNDLES / "diabetes.tiobundle")(ROW)
            os._exit(0)
        except BaseException:
            os._exit(1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("is_opening", [False, True])
def test_a_fork_while_another_thread_uses_a_model(is_opening: bool) -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle")
    is_done = threading.Event()

    def work() -> None:
        while not is_done.is_set():
            if is_opening:
                tensorio.Model(BUNDLES / "diabetes.tiobundle").close()
            else:
                model(ROW)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        results = [_fork_and_run(model) for _ in range(20)]
    finally:
        is_done.set()
        for thread in threads:
            thread.join()
    assert results == [True] * 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_all_threads_of_a_forked_process_use_a_model() -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle", sessions=2)
    row = numpy.full(10, 0.1, numpy.float32)
    expected = model(row).array.item()
    child = os.fork()
    if child == 0:
        failures: list[BaseException] = []

        def work() -> None:
            try:
                for _ in range(5000):
                    assert model(row).array.item() == expected
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        # The thread that has forked and those that it starts use the same locks.
        work()
        for thread in threads:
            thread.join()
        os._exit(len(failures))
    assert os.waitpid(child, 0)[1] == 0


def _score(value: float) -> float:
    return float(_model([value] * 10).array.item())


_model: tensorio.Model


def _set_model(model: tensorio.Model) -> None:
    global _model
    _model = model


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_models_work_in_pools(method: str) -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle")
    values = [number / 10 for number in range(20)]
    expected = [model([value] * 10).array.item() for value in values]
    context = multiprocessing.get_context(method)
    with context.Pool(2, initializer=_set_model, initargs=(model,)) as pool:
        assert pool.map(_score, values) == expected
        results = pool.map(model, [[value] * 10 for value in values])
        assert [result.array.item() for result in results] == expected
        assert results[0].outputs == model([values[0]] * 10).outputs


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_is_flat(diabetes: tensorio.Model) -> None:
    row, output = numpy.full(10, 0.1, numpy.float32), numpy.zeros(1, numpy.float32)

    def work(count: int) -> None:
        for _ in range(count):
            diabetes(row).array
            diabetes.run_into(row, output)
            try:
                diabetes([1, 2])
            except tensorio.InputError:
                pass

    work(3000)
    gc.collect()
    before = _resident()
    work(30_000)
    gc.collect()
    assert _resident() - before < 3 << 20


def test_the_interpreter_is_free_while_a_long_run_goes() -> None:
    model = tensorio.Model(BUNDLES / "style-transform.tiobundle")
    model_inputs = {layer.name: layer for layer in model.inputs}
    assert model_inputs
    detector = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    image = numpy.zeros((2000, 2000, 3), numpy.uint8)
    detector(image)
    count = 0
    is_done = threading.Event()

    def work() -> None:
        nonlocal count
        while not is_done.is_set():
            count += 1
            time.sleep(0.0001)

    # The interpreter does not change threads by itself: the other one runs only if the lock is released.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    thread = threading.Thread(target=work)
    thread.start()
    try:
        before = count
        for _ in range(100):
            detector(image)
        assert count > before + 10
    finally:
        sys.setswitchinterval(interval)
        is_done.set()
        thread.join()


def test_ctrl_c_ends_a_batch() -> None:
    code = (
        "import numpy, signal, sys, tensorio\n"
        # A shell starts background processes with SIGINT ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"model = tensorio.Model({os.fspath(BUNDLES / 'diabetes.tiobundle')!r})\n"
        "print('ready', flush=True)\n"
        "model.batch(numpy.zeros((50_000_000, 10), numpy.float32))\n")
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors


def test_import_warns_of_nothing_and_is_fast() -> None:
    code = "import sys, tensorio; print(sorted({'numpy', 'PIL', 'asyncio'} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    # What takes long to import is imported when it is needed.
    assert done.stdout in ("[]\n", "['asyncio']\n")
