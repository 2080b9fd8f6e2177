"""PyTorch's DataLoader with a data set that holds an open model."""

import os
import threading
from typing import Any

import pytest

import tensorio
from conftest import BUNDLES

torch = pytest.importorskip("torch")
data = pytest.importorskip("torch.utils.data")


class Scored(data.Dataset):  # type: ignore[misc, name-defined]
    """Results of a model, with the process that computed them."""

    def __init__(self, model: tensorio.Model, items: Any) -> None:
        self.model, self.items = model, items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        return torch.from_numpy(self.model(self.items[index]).array.reshape(-1).copy()), os.getpid()


def _loaded(items: Scored, method: str | None, **options: Any) -> tuple[Any, set[int]]:
    """The results of a loader with two workers in the order of the items, and the processes."""
    loader = data.DataLoader(
        items, batch_size=8, num_workers=2 if method else 0, multiprocessing_context=method,
        timeout=300 if method else 0, **options)
    batches = list(loader)
    processes = {int(process) for _, group in batches for process in group}
    return torch.cat([results for results, _ in batches]), processes


def _rows() -> Any:
    return torch.arange(640, dtype=torch.float32).reshape(64, 10) / 100


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", [None, "fork", "spawn", "forkserver"])
def test_workers_use_an_open_model(diabetes: tensorio.Model, method: str | None) -> None:
    rows = _rows()
    expected = torch.tensor([[diabetes(row.tolist()).array.item()] for row in rows])
    found, processes = _loaded(Scored(diabetes, rows), method)
    assert torch.equal(found, expected)
    assert len(processes) == (2 if method else 1) and (os.getpid() in processes) == (method is None)
    assert diabetes(rows[0]).array.item() == expected[0].item()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_read_images(digits: tensorio.Model, method: str) -> None:
    images = [path.read_bytes() for path in sorted((BUNDLES / "digits.tiobundle" / "samples").glob("*.png"))]
    expected = torch.stack([torch.from_numpy(digits(image).array.reshape(-1)) for image in images])
    found, _ = _loaded(Scored(digits, images), method)
    assert torch.equal(found, expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_workers_are_forked_while_a_thread_runs_the_model(diabetes: tensorio.Model) -> None:
    rows = _rows()
    expected, _ = _loaded(Scored(diabetes, rows), None)
    is_done = threading.Event()

    def work() -> None:
        while not is_done.is_set():
            diabetes(rows[0])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            found, _ = _loaded(Scored(diabetes, rows), "fork")
            assert torch.equal(found, expected)
    finally:
        is_done.set()
        for thread in threads:
            thread.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_workers_keep_their_model_from_epoch_to_epoch(diabetes: tensorio.Model) -> None:
    items = Scored(diabetes, _rows())
    expected, _ = _loaded(items, None)
    loader = data.DataLoader(
        items, batch_size=8, num_workers=2, multiprocessing_context="fork", persistent_workers=True, timeout=300)
    epochs = [list(loader) for _ in range(3)]
    for batches in epochs:
        assert torch.equal(torch.cat([results for results, _ in batches]), expected)
    assert len({int(process) for batches in epochs for _, group in batches for process in group}) == 2
