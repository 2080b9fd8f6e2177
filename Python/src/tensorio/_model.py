"""Models: opening, running, batches and streams."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import logging
import math
import os
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from . import _core, _runtimes
from ._arrays import _array, fits_float32
from ._errors import InputError, ModelError, ModelWarning, RunError
from ._gallery import Gallery
from ._generation import Conversation, Generation, GenerationOptions, _options_json, _prompt_values
from ._options import options_json
from ._results import Result
from ._tables import _columns, _numeric_column, table_like, transposed
from ._speech import Speech, SpeechOptions
from ._live import LiveTranscription
from ._transcription import Transcription, TranscriptionOptions
from ._values import _TENSOR, Layer, _keep_sizes, _value, _Value

if TYPE_CHECKING:
    import numpy

# Held while a model is opened, and while the process forks: the child could never open one otherwise.
_opening = threading.RLock()
_models: weakref.WeakSet[Model] = weakref.WeakSet()
_log = logging.getLogger("tensorio")


def _after_fork_in_child() -> None:
    """Makes models of the parent reopen: their sessions may be lent to threads that do not exist here."""
    global _opening
    _opening = threading.RLock()
    for model in list(_models):
        model._abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _opening.acquire(), after_in_parent=lambda: _opening.release(),
        after_in_child=_after_fork_in_child)


class ItemError(Exception):
    """An item of a batch that failed; its cause is the error."""

    def __init__(self, index: int, error: BaseException) -> None:
        super().__init__(str(error) if hasattr(error, "item") else f"item {index}: {error}")
        self.index, self.error = index, error

    def __reduce__(self) -> tuple[Any, ...]:
        return ItemError, (self.index, self.error)


class Model(_core.Runner):
    """A model that is open.

    >>> model = tensorio.Model("digits.tiobundle")  # doctest: +SKIP
    >>> model("three.png").label  # doctest: +SKIP
    '3'

    Several threads may use a model at the same time. It pickles as its path, options and a digest of
    its files, and reopens after a fork.

    Args:
        path: The path of a bundle, as a folder or zip, of a chain, or of a bare model (``.tflite``,
            ``.onnx`` or a SavedModel, whose description is guessed), or the name of a bundle in the
            library.
        threads: The number of threads per run.
        sessions: The number of runs at the same time; by default, one per processor.
        mode: ``predict``, ``train`` or ``eval``.
        isolation: ``none``, ``process`` or ``sandbox``: where the model runs.
        accelerator: ``cpu`` or ``gpu``: the hardware that runs the model.
        run_timeout: How many seconds a run may take.
        weight_cache: A folder for weights in the layout of this processor, or ``True`` for that of the
            command line. A large model opens faster, and processes share the memory of its weights.
        gallery: The file of a gallery, which gives names to embeddings; a missing one is created by
            ``gallery.enroll``.
        function: The name of a function of the bundle to open instead of its model, such as the
            encoder of texts; ``functions`` lists their names.

    Raises:
        BundleError: The bundle is missing or invalid, or the runtime rejects its model.
        RuntimeMissing: The runtime, or another library that the model needs, is not installed.
    """

    # The number of threads that run the rows of a batch; None for one per session.
    _part_threads: int | None = None

    def __init__(
        self, path: str | os.PathLike[str], *, threads: int = 1, sessions: int | None = None,
        mode: Literal["predict", "train", "eval"] | None = None,
        isolation: Literal["none", "process", "sandbox"] = "none",
        accelerator: Literal["cpu", "gpu"] = "cpu",
        run_timeout: float | None = None,
        weight_cache: bool | str | os.PathLike[str] = False,
        gallery: str | os.PathLike[str] | None = None,
        function: str | None = None,
    ) -> None:
        self._path = _absolute(os.fspath(path))
        options = {
            "threads": threads, "sessions": sessions, "mode": mode, "run_timeout": run_timeout,
            "isolation": isolation, "accelerator": accelerator,
            "weight_cache": _cache_option(weight_cache),
            "gallery": None if gallery is None else os.path.abspath(os.fspath(gallery)),
            "function": function,
            "worker": _runtimes.worker() if isolation != "none" else None,
        }
        self._options = {name: value for name, value in options.items() if value is not None}
        self._is_closed = False
        self._is_of_trainer = False
        self._digest: str | None = None
        self._open()
        _models.add(self)
        for text in self._fields["warnings"]:
            warnings.warn(f"{self._path}: {text}", ModelWarning, stacklevel=2)
        if self._fields["guesses"]:
            guesses = "; ".join(self._fields["guesses"])
            warnings.warn(
                f"{self._path} has no description; guessed: {guesses}", ModelWarning, stacklevel=2)

    @classmethod
    def _of_trainer(cls, handle: Any, path: str) -> Model:
        """Returns the model of a trainer, which cannot be reopened from its path."""
        model = cls.__new__(cls)
        model._path, model._options, model._handle = path, {}, handle
        model._is_closed, model._is_of_trainer, model._digest = False, True, None
        model._read_description()
        return model

    def _open(self) -> Any:
        if self._is_of_trainer:
            raise ValueError("the model of a trainer is closed, or was inherited by a fork")
        with _opening:
            if self._handle is None:
                # The first run uses it. A child of a process that forks while another thread imports it could not.
                import numpy
                _runtimes.find()
                start = time.monotonic()
                self._handle = _core.open(self._path, options_json(self._options))
                self._read_description()
                _log.debug("opened %s in %.0f ms", self._path, (time.monotonic() - start) * 1000)
            return self._handle

    def _read_description(self) -> None:
        fields = json.loads(_core.describe(self._handle))
        self._fields = fields
        self.inputs = [Layer(layer) for layer in fields["inputs"]]
        self.outputs = [Layer(layer) for layer in fields["outputs"]]
        self.placeholders = [Layer(layer) for layer in fields["placeholders"]]
        if len(self.inputs) == 1:
            _core.set_input_name(self._handle, self.inputs[0].name)
        self._by_name = {layer.name: layer for layer in self.placeholders + self.inputs}
        self._is_numeric = (
            len(self.inputs) == 1 == len(self.outputs)
            and all(
                layer.type == "array" and not layer.labels and layer.dtype in (None, "float32")
                for layer in self.inputs + self.outputs)
            and not any("quantize" in layer._fields for layer in self.inputs))

    def _abandon(self) -> None:
        """Forgets the handle without closing it: its locks may be held by threads of the parent."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _abandoned.append(handle)

    def _live(self) -> Any:
        if self._is_closed:
            raise ValueError("the model is closed")
        handle = self._handle
        return handle if handle is not None else self._open()

    # Description

    @property
    def id(self) -> str:
        """The identifier of the bundle."""
        return str(self._fields["id"])

    @property
    def name(self) -> str:
        """The name of the bundle."""
        return str(self._fields["name"])

    @property
    def version(self) -> str:
        """The version of the bundle."""
        return str(self._fields["version"])

    @property
    def backend(self) -> str:
        """The runtime of the model, such as ``tflite``."""
        return str(self._fields["backend"])

    @property
    def task(self) -> str | None:
        """The task of the bundle, such as ``classification``; without one, the type of the model in model.json."""
        return self._fields["task"]  # type: ignore[no-any-return]

    @property
    def labels(self) -> list[str]:
        """The labels of the first output that has labels."""
        return next((layer.labels for layer in self.outputs if layer.labels), [])

    @property
    def functions(self) -> list[str]:
        """The names of the bundle's functions, which ``Model(path, function=name)`` opens."""
        return list(self._fields["functions"])

    @property
    def supports_batching(self) -> bool:
        """Whether several items can run in one invocation."""
        return bool(self._fields["supports_batching"])

    @property
    def gallery(self) -> Gallery:
        """The gallery that the model was opened with.

        Raises:
            ValueError: It was opened without one.
        """
        if "gallery" not in self._options:
            raise ValueError("the model was opened without a gallery; pass gallery=\"own.sqlite\"")
        return Gallery(self)

    def __repr__(self) -> str:
        return f"Model({self._path!r}, id={self.id!r}, version={self.version!r})"

    # Running

    if TYPE_CHECKING:
        def __call__(self, value: Any = None, /, **inputs: Any) -> Result: ...
        def run(self, value: Any = None, /, **inputs: Any) -> Result: ...

    def _call(self, value: Any = None, /, **inputs: Any) -> Result:
        """Runs the model once, on values that the extension module does not take itself.

        Args:
            value: A path, bytes, an open file, PIL image, array, DLPack tensor, number, text, a list of
                texts or images for one input, a list of values in the order of the inputs, or a mapping of
                values by input name.
            inputs: Values by input name, instead of ``value``.

        Raises:
            InputError: A value does not fit the model.
            RunError: The model failed.
        """
        if inputs:
            if value is not None:
                raise TypeError("pass one value or values by name, not both")
            value = inputs
        return self._result(self._run_one(value, lambda values: _core.run(self._live(), values)), value)

    def _run_one(self, value: Any, run: Callable[[tuple[_Value, ...]], Any]) -> Any:
        """Runs the model on one item; the error about several of them says what runs them."""
        values = self._values(value)
        try:
            return run(values)
        except InputError as error:
            count = self._item_count(value) if error.code in _COUNT_CODES else 1
            if count < 2:
                raise
            raise InputError(
                f"expected one item, got {count}; use batch or predict for several", "wrong-count", error.stage,
                error.layer) from None

    def _item_count(self, value: Any) -> int:
        """Returns the number of items that the values of all inputs have along their first axes; 1 if none agrees."""
        features = self.inputs[0].features if len(self.inputs) == 1 else []
        if isinstance(value, Mapping) and features and set(features) <= set(value):
            counts = {_count(value[name], None) for name in features}
        elif isinstance(value, Mapping):
            counts = {_count(item, self._by_name.get(name)) for name, item in value.items()}
        elif len(self.inputs) > 1 and isinstance(value, (list, tuple)):
            counts = {_count(item, layer) for layer, item in zip(self.inputs, value)}
        else:
            counts = {_count(value, layer) for layer in self.inputs[:1]}
        return counts.pop() if len(counts) == 1 else 1

    async def run_async(self, value: Any = None, /, **inputs: Any) -> Result:
        """Runs the model once without blocking the event loop."""
        return await asyncio.to_thread(self, value, **inputs)

    def map(
        self, values: Iterable[Any], *, workers: int | None = None,
        errors: Literal["return", "raise"] = "return",
    ) -> Iterator[Result | ItemError]:
        """Runs the model on each value, on several threads, and yields the results in order.

        Args:
            values: The inputs. Only a few more than are being processed are taken in advance.
            workers: The number of threads; by default, one per processor.
            errors: Whether an item that fails is an `ItemError` in its place, or raised.
        """
        _check_items(values, errors, "map")
        count = workers or os.cpu_count() or 1
        return self._mapped(values, count, errors)

    def _mapped(
        self, values: Iterable[Any], count: int, errors: str
    ) -> Iterator[Result | ItemError]:
        def attempt(index: int, value: Any) -> Result | ItemError:
            try:
                return self(value)
            except Exception as error:
                if isinstance(error, ModelError):
                    error.item = index
                return ItemError(index, error)

        pending: deque[Future[Result | ItemError]] = deque()
        with ThreadPoolExecutor(count) as pool:
            try:
                for index, value in enumerate(values):
                    pending.append(pool.submit(attempt, index, value))
                    if len(pending) > 2 * count:
                        yield self._checked(pending.popleft().result(), errors)
                while pending:
                    yield self._checked(pending.popleft().result(), errors)
            finally:
                for future in pending:
                    future.cancel()

    @staticmethod
    def _checked(result: Result | ItemError, errors: str) -> Result | ItemError:
        if errors == "raise" and isinstance(result, ItemError):
            raise result from result.error
        return result

    @overload
    def batch(
        self, values: Any, *, errors: Literal["raise"] = "raise"
    ) -> dict[str, Any]: ...
    @overload
    def batch(
        self, values: Any, *, errors: Literal["return"]
    ) -> list[Result | ItemError]: ...
    def batch(
        self, values: Any, *, errors: Literal["raise", "return"] = "raise"
    ) -> dict[str, Any] | list[Result | ItemError]:
        """Runs the model on many items in one call.

        Args:
            values: An array whose first axis counts the items, a mapping of such arrays or columns by
                input name, a pandas DataFrame, a pyarrow table, or a sequence of inputs.
            errors: ``raise`` raises the error of the first item that fails; ``return`` returns a list
                with a `Result` or an `ItemError` for each item.

        Returns:
            One array per output, by name, or the list. The first axis of an array counts the items; items
            whose tensors have different shapes are a list of arrays.
        """
        _check_items(values, errors, "batch")
        kept = _keep_sizes(values)
        rows = self._rows_of(values) if errors == "raise" else None
        if rows is not None and (outputs := self._run_stacked(*rows)) is not None:
            return outputs
        fast = self._numeric_rows(values) if errors == "raise" else None
        if fast is not None:
            return {self.outputs[0].name: self._run_rows(fast)}
        columns = self._numeric_columns(values) if errors == "raise" else None
        if columns:
            return {self.outputs[0].name: self._run_columns(columns)}
        results = list(self._results(self._items(values), errors))
        del kept
        return results if errors == "return" else _stacked(results, self.outputs)

    def predict(self, table: Any) -> Any:
        """Runs the model on the rows of a table.

        Args:
            table: A pandas or polars DataFrame, a pyarrow table, or a mapping of columns.

        Returns:
            A table of the same kind with one row per item: a column per output, as `Result.to_row` has
            them, and ``error`` if items fail.
        """
        columns = _columns(table)
        if columns is None:
            raise InputError(
                f"expected a table or a mapping of columns, got {type(table).__name__}", "wrong-type",
                "input")
        numeric = self._numeric_columns(columns)
        if numeric:
            array = self._run_columns(numeric)
            rows = {self.outputs[0].name: array[:, 0] if array.shape[1:] == (1,) else list(array)}
        else:
            results = self.batch(columns, errors="return")
            rows = transposed([_row(result) for result in results]) if results else self._no_rows()
        return table_like(table, rows)

    def _no_rows(self) -> dict[str, Any]:
        """Returns the columns for an empty table; none if the model's task has results of another kind."""
        rows: dict[str, Any] = {}
        for layer in self.outputs:
            if "role" in layer._fields or layer.type not in ("array", "scalar"):
                return {}
            rows[layer.name] = []
            if layer.labels:
                rows[f"{layer.name}_score"] = []
        return rows

    def _results(self, items: Iterable[Any], errors: str) -> Iterator[Result | ItemError]:
        """Runs items in chunks that take about a tenth of a second, so that signals are handled."""
        handle, source, index, size = self._live(), iter(items), 0, 16
        while chunk := list(itertools.islice(source, size)):
            start = time.monotonic()
            prepared: list[Any] = []
            failed: dict[int, Exception] = {}
            for position, item in enumerate(chunk):
                try:
                    prepared.append(self._values(item))
                except Exception as error:
                    failed[position] = error
                    if errors == "raise":
                        break
            outputs = iter(_outputs(handle, prepared))
            for position in range(len(prepared) + len(failed)):
                output = failed[position] if position in failed else next(outputs)
                if isinstance(output, ModelError):
                    output.item = index
                elif isinstance(output, Exception):
                    output.add_note(f"This is item {index} of the batch.")
                    setattr(output, "item", index)
                if not isinstance(output, Exception):
                    yield Result(output, self, self._source(chunk[position]), f"items[{index}]")
                elif errors == "return":
                    yield ItemError(index, output)
                else:
                    raise output
                index += 1
            elapsed = max(time.monotonic() - start, 1e-6)
            size = max(1, min(_CHUNK, int(size * min(4, 0.1 / elapsed))))

    def _numeric_rows(self, values: Any) -> Any:
        """Returns rows of float32 for the fast path; None if the values or the model need another."""
        if not self._is_numeric:
            return None
        import numpy

        if not isinstance(values, numpy.ndarray) or values.ndim < 2 or values.size == 0:
            return None
        if values.dtype.kind not in "fiu" or not fits_float32(values):
            return None
        if values.ndim > 2 and list(values.shape[1:]) != _item_shape(self.inputs[0].shape):
            return None
        return numpy.ascontiguousarray(values, dtype=numpy.float32)

    def _numeric_columns(self, values: Any) -> dict[str, Any] | None:
        """Returns columns of numbers by feature; None if the values or the model need another path."""
        features = self.inputs[0].features if self._is_numeric else []
        table = _columns(values) if features else None
        if table is None or not set(features) <= set(table):
            return None
        import numpy

        columns = {name: _numeric_column(name, table[name]) for name in features}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of different lengths: {lengths}", "wrong-count", "input")
        is_fast = all(isinstance(column, numpy.ndarray) and fits_float32(column) for column in columns.values())
        return columns if is_fast and lengths[features[0]] > 0 else None

    def _run_columns(self, columns: dict[str, Any]) -> Any:
        count = len(next(iter(columns.values())))
        results = self._empty_rows(count, lambda: [column[0] for column in columns.values()])
        handle = self._live()

        def run(part: slice) -> None:
            rows = tuple((name, _TENSOR, column[part], 0) for name, column in columns.items())
            _core.run_columns(handle, rows, results[part], len(results[part]))

        self._run_parts(run, count)
        return results

    def _rows_of(self, values: Any) -> tuple[int, _ReadRows] | None:
        """Returns the number of rows, and a function that returns some of them as arrays by input name.

        Returns None if the values or the model need another path.
        """
        if not self._fields["takes_rows"]:
            return None
        import numpy

        names = [layer.name for layer in self.inputs]
        features = self.inputs[0].features if len(names) == 1 else []
        table = _columns(values)
        if table is None:
            is_rows = isinstance(values, (list, tuple)) and bool(values) and isinstance(
                values[0], (list, tuple, numpy.ndarray))
            if len(names) > 1 or not is_rows and not isinstance(values, numpy.ndarray):
                return None
            table = {names[0]: values}
        is_features = bool(features) and set(names).isdisjoint(table)
        columns = features if is_features else names
        if not set(columns) <= set(table) or any(layer.name in table for layer in self.placeholders):
            return None
        arrays = [_number_array(name, table[name]) for name in columns]
        if any(array is None for array in arrays) or len({len(array) for array in arrays}) > 1 or not arrays[0].size:
            return None
        if not is_features:
            return len(arrays[0]), lambda part: {name: array[part] for name, array in zip(names, arrays)}
        if any(array.ndim > 1 for array in arrays):
            return None
        return len(arrays[0]), lambda part: {names[0]: numpy.column_stack([array[part] for array in arrays])}

    def _run_stacked(self, count: int, read: _ReadRows) -> dict[str, Any] | None:
        """Returns the outputs of rows in one array each; None if they have different shapes."""
        import numpy

        handle = self._live()
        results: dict[str, Any] = {}

        def run(part: slice) -> None:
            for name, array in self._part_outputs(handle, read(part)).items():
                if not isinstance(array, numpy.ndarray):
                    raise _DifferentShapes
                if name not in results:
                    results[name] = array if len(array) == count else numpy.empty(
                        (count, *array.shape[1:]), array.dtype)
                if results[name].shape[1:] != array.shape[1:]:
                    raise _DifferentShapes
                results[name][part] = array

        try:
            self._run_parts(run, count)
        except _DifferentShapes:
            return None
        return results

    def _part_outputs(self, handle: Any, rows: dict[str, Any]) -> dict[str, Any]:
        """Returns the outputs of rows that run in one invocation; if it fails, item by item for the error of one."""
        import numpy

        try:
            output = _core.run_rows(handle, tuple((name, _TENSOR, array, 0) for name, array in rows.items()))
        except ModelError:
            items = [dict(zip(rows, row)) for row in zip(*rows.values())]
            return _stacked(list(self._results(items, "raise")), self.outputs)
        outputs: dict[str, Any] = {}
        for index, layer in enumerate(self.outputs):
            value = _core.output_tensor(output, index)
            if isinstance(value, list):
                count = len(next(iter(rows.values())))
                outputs[layer.name] = _joined_texts(numpy.array(value, dtype=object).reshape(count, -1))
            else:
                outputs[layer.name] = _reshaped(numpy.asarray(value), layer)
        return outputs

    def _run_parts(self, run: Callable[[slice], None], count: int) -> None:
        """Runs parts of rows, on as many threads as the model has sessions if this takes long enough.

        A part takes some milliseconds, after which signals such as Ctrl-C are handled.
        """
        def attempt(start: int, size: int) -> None:
            try:
                run(slice(start, min(start + size, count)))
            except ModelError as error:
                error.item = start + (error.item or 0)
                raise

        # The first part may create a session, so the size is the one that a later part confirms.
        first, size = 0, 16
        for attempts in itertools.count():
            if first >= count:
                return
            size = min(size, count - first)
            start = time.perf_counter()
            attempt(first, size)
            elapsed = max(time.perf_counter() - start, 1e-9)
            first += size
            wanted = max(1, min(int(_PART_SECONDS * size / elapsed), 65536))
            is_confirmed = attempts > 0 and wanted < 4 * size
            size = min(wanted, 4 * size)
            if is_confirmed:
                break
        workers = min(self._part_threads or self._sessions, (count - first) // size)
        if workers < 2:
            for position in range(first, count, size):
                attempt(position, size)
            return
        # Each thread takes the next part, so that one on a busy processor does not delay the others.
        with ThreadPoolExecutor(workers) as pool:
            parts: list[Future[None]] = []
            try:
                for position in range(first, count, size):
                    parts.append(pool.submit(attempt, position, size))
                for part in parts:
                    part.result()
            finally:
                for part in parts:
                    part.cancel()

    @property
    def _sessions(self) -> int:
        """The number of runs at the same time."""
        return int(self._options.get("sessions", 0)) or len(os.sched_getaffinity(0))

    def _empty_rows(self, count: int, first: Callable[[], Any]) -> Any:
        """Returns an array for the outputs of rows."""
        import numpy

        shape = _item_shape(self.outputs[0].shape)
        if any(size < 0 for size in shape):
            shape = _item_shape(self(first()).array.shape)
        return numpy.empty((count, *shape), dtype=numpy.float32)

    def _run_rows(self, rows: Any) -> Any:
        results = self._empty_rows(len(rows), lambda: rows[0])
        handle = self._live()
        self._run_parts(
            lambda part: _core.run_floats(handle, rows[part], results[part], len(rows[part])),
            len(rows))
        return results

    def _items(self, values: Any) -> Iterable[Any]:
        """Returns the items of a table, a mapping of columns, an array or a sequence."""
        columns = _columns(values)
        if columns is not None:
            return self._rows(columns)
        return values  # type: ignore[no-any-return]

    def _rows(self, columns: Mapping[str, Any]) -> Iterable[Any]:
        names = [layer.name for layer in self.inputs]
        features = self.inputs[0].features if len(self.inputs) == 1 else []
        if features and set(names).isdisjoint(columns):
            names = features
        missing = [name for name in names if name not in columns]
        if missing:
            raise InputError(
                f"missing columns {missing}; the table has {list(columns)}", "input-names", "input")
        lengths = {name: len(columns[name]) for name in names}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of different lengths: {lengths}", "wrong-count", "input")
        placeholders = [layer.name for layer in self.placeholders if layer.name in columns]
        rows = zip(*(columns[name] for name in [*names, *placeholders]))
        if names is features and not placeholders:
            return [list(row) for row in rows]
        return [dict(zip([*names, *placeholders], row)) for row in rows]

    def stream(self) -> Stream:
        """Starts a sequence of runs that keeps the state of a recurrent model."""
        return Stream(self)

    # Generating text

    def generate(
        self, prompt: str | Sequence[Mapping[str, str]], **options: Unpack[GenerationOptions]
    ) -> Generation:
        """Returns the text that a language model generates after a prompt, or in answer to it.

        >>> for piece in model.generate("What is the capital of France?", max_tokens=50):  # doctest: +SKIP
        ...     print(piece, end="", flush=True)

        Args:
            prompt: The prompt, or messages with ``role`` and ``content``, of which the last one is answered.
            options: Those of `GenerationOptions`.

        Raises:
            InputError: The prompt does not fit in the model's context, or an option is unknown or invalid.
            RunError: The bundle does not generate text.
        """
        return Generation(_core.generate(self._live(), _prompt_values(prompt), _options_json(options)))

    def chat(self, system: str | None = None, **options: Unpack[GenerationOptions]) -> Conversation:
        """Begins a conversation with a language model.

        Args:
            system: The instructions for all answers.
            options: Those of `GenerationOptions`, for all answers.
        """
        return Conversation(_core.open_conversation(self._live(), system, _options_json(options)))

    def transcribe(
            self, sound: Any, *, speakers: Model | None = None, speaker_similarity: float | None = None,
            **options: Unpack[TranscriptionOptions]) -> Transcription:
        """Returns the text that a speech model hears in a recording.

        >>> print(model.transcribe("talk.wav", words=True).result())  # doctest: +SKIP

        Args:
            sound: A path, bytes of a WAV file, a `Sound`, or the samples of one channel at the model's rate.
            speakers: A model of voices with the task ``embedding``; the segments of the whole transcript then have
                speakers, with the names of the gallery that the model was opened with. A bundle that contains a model of voices
                names speakers without it.
            speaker_similarity: The cosine similarity from which segments have one speaker, 0.65 by default.
            options: Those of `TranscriptionOptions`.

        Raises:
            InputError: The value is not sound, or an option is unknown or invalid.
            RunError: The bundle does not transcribe.
        """
        given = self._transcription_options(options)
        if speakers is not None:
            given["label_speakers"] = False
        elif speaker_similarity is not None:
            given["speaker_similarity"] = float(speaker_similarity)
        values = self._values(sound)
        transcription = _core.generate(self._live(), values, options_json(given))
        if speakers is None:
            return Transcription(transcription)
        similarity = math.nan if speaker_similarity is None else float(speaker_similarity)
        return Transcription(
            transcription, lambda: _core.label_speakers(transcription, speakers._live(), values, similarity))

    def live_transcription(
            self, *, speaker_similarity: float | None = None, **options: Unpack[TranscriptionOptions]) -> LiveTranscription:
        """Returns a transcript of sound that goes on, to which sound is added in pieces.

        >>> live = model.live_transcription(language="en")  # doctest: +SKIP
        >>> for update in live.read(microphone):  # doctest: +SKIP
        ...     print(*update.segments, update.partial_text)

        Args:
            speaker_similarity: The cosine similarity from which segments have one speaker, 0.65 by default.
            options: Those of `TranscriptionOptions`; there are no sections.

        Raises:
            InputError: An option is unknown or invalid.
            RunError: The bundle does not transcribe.
        """
        given = self._transcription_options(options)
        if speaker_similarity is not None:
            given["speaker_similarity"] = float(speaker_similarity)
        return LiveTranscription(*_core.listen(self._live(), options_json(given)))

    def _transcription_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        if not any(layer.type == "audio" for layer in self.inputs):
            raise RunError("the model transcribes no recordings", "unsupported", "run")
        return {name: value for name, value in options.items() if value is not None}

    def speak(self, text: str, **options: Unpack[SpeechOptions]) -> Speech:
        """Returns the sound of a text.

        >>> sound = model.speak("Open the window.", speed=1.2).result()  # doctest: +SKIP
        >>> soundfile.write("window.wav", sound.samples, sound.rate)  # doctest: +SKIP

        Args:
            text: The text, of any number of sentences.
            options: Those of `SpeechOptions`.

        Raises:
            InputError: The text has no words, or an option is unknown or invalid.
            RunError: The bundle does not speak.
        """
        if not isinstance(text, str):
            raise InputError(f"expected a text, got {type(text).__name__}", "wrong-type", "input")
        if not any(layer.type == "audio" for layer in self.outputs):
            raise RunError("the model does not speak", "unsupported", "run")
        given = {name: value for name, value in options.items() if value is not None}
        return Speech(_core.generate(self._live(), self._values(text), options_json(given)))

    # Values

    def _result(self, output: Any, value: Any) -> Result:
        value = self._source(value)
        is_path = isinstance(value, (str, os.PathLike))
        return Result(output, self, value, os.fspath(value) if is_path else "input")

    def _source(self, value: Any) -> Any:
        """Returns the image among the values of an item; None without one."""
        if isinstance(value, Mapping):
            images = [v for name, v in value.items() if self._is_image(name)]
        elif len(self.inputs) > 1 and isinstance(value, (list, tuple)):
            images = [v for layer, v in zip(self.inputs, value) if layer.type == "image"]
        else:
            images = [value] if self.inputs and self.inputs[0].type == "image" else []
        image = images[0] if images else None
        return None if isinstance(image, (list, tuple)) else image

    def _is_image(self, name: str) -> bool:
        layer = self._by_name.get(name)
        return layer is not None and layer.type == "image"

    def _values(self, value: Any) -> tuple[_Value, ...]:
        features = self.inputs[0].features if len(self.inputs) == 1 else []
        if features:
            value = self._row(value, features)
        elif len(self.inputs) > 1 and (row := _named(value)) is not None and all(isinstance(name, str) for name in row):
            value = row
        if isinstance(value, Mapping):
            return tuple(_value(name, item, self._by_name.get(name)) for name, item in value.items())
        if len(self.inputs) > 1 and isinstance(value, (list, tuple)):
            if len(value) != len(self.inputs):
                raise InputError(
                    f"expected {len(self.inputs)} values, got {len(value)}", "input-count", "input")
            pairs = zip(self.inputs, value)
            return tuple(_value(layer.name, item, layer) for layer, item in pairs)
        return (_value(None, value, self.inputs[0] if self.inputs else None),)

    def _row(self, value: Any, features: list[str]) -> Any:
        """Returns the numbers of a row with names, such as a pandas Series, in the order of the features."""
        row = _named(value)
        if row is None or self.inputs[0].name in row or not all(isinstance(name, str) for name in row):
            return value
        if missing := [name for name in features if name not in row]:
            raise InputError(
                f"missing features {missing}; the row has {list(row)}", "input-names", "input", self.inputs[0].name)
        numbers = [row[name] for name in features]
        placeholders = {layer.name: row[layer.name] for layer in self.placeholders if layer.name in row}
        return {self.inputs[0].name: numbers, **placeholders} if placeholders else numbers

    # Life

    def close(self) -> None:
        """Closes the model once its runs are done; further runs raise ValueError."""
        self._is_closed = True
        self._handle = None

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the names and contents of the bundle's files."""
        if self._digest is None:
            self._digest = _digest(self._path)
        return self._digest

    def __reduce__(self) -> tuple[Any, ...]:
        if self._is_of_trainer:
            raise TypeError("the model of a trainer cannot be pickled; export a bundle instead")
        return _reopen, (self._path, self._options, self.digest)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: Any) -> Model:
        return self


class Stream:
    """A sequence of runs that keeps the state of a recurrent model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._handle = _core.open_stream(model._live())
        self._lock = threading.Lock()

    def __call__(self, value: Any = None, /, **inputs: Any) -> Result:
        """Runs the model on the next item."""
        if inputs:
            if value is not None:
                raise TypeError("pass one value or values by name, not both")
            value = inputs
        self._model._live()
        return self._model._result(self._model._run_one(value, self._run), value)

    def _run(self, values: tuple[_Value, ...]) -> Any:
        with self._lock:
            return _core.run_stream(self._handle, values)

    def reset(self) -> None:
        """Returns to the initial state."""
        with self._lock:
            _core.reset_stream(self._handle)


class _DifferentShapes(Exception):
    """The outputs of the rows of a batch do not have the same shape."""


# Returns some rows as arrays by input name, whose first axes count the rows.
_ReadRows = Callable[[slice], dict[str, Any]]
# The largest number of items of a call of the library, after which signals such as Ctrl-C are handled.
_CHUNK = 1024
# How long a part of the rows of a batch takes.
_PART_SECONDS = 0.003
# Handles of the parent of a forked process, which are never closed.
_abandoned: list[Any] = []


_core.set_result_type(Result)


# Errors of a run on several items.
_COUNT_CODES = {"wrong-count", "wrong-shape", "wrong-type"}


def _count(value: Any, layer: Layer | None) -> int:
    """Returns the number of items that a value for one of them has; a layer of None takes one number."""
    if layer is not None and layer.type in ("image", "audio", "text"):
        return len(value) if isinstance(value, (list, tuple)) else 1
    import numpy

    try:
        shape = list(numpy.shape(value))
    except Exception:
        # Rows of different lengths, or an object that is no array.
        return 1
    item = _item_shape(layer.shape) if layer is not None else []
    is_several = len(shape) == len(item) + 1 and all(size in (-1, found) for size, found in zip(item, shape[1:]))
    return shape[0] if is_several or item == [1] and len(shape) == 1 else 1


def _outputs(handle: Any, items: list[Any]) -> list[Any]:
    """Returns the output or the error of each item."""
    try:
        return _core.run_batch(handle, items)
    except (ModelError, ValueError, TypeError, OverflowError):
        # An item that has no representation, or other inputs than the first, makes the call fail.
        return [_output(handle, item) for item in items]


def _output(handle: Any, item: Any) -> Any:
    try:
        return _core.run(handle, item)
    except (ModelError, ValueError, TypeError, OverflowError) as error:
        return error


def _row(result: Result | ItemError) -> dict[str, Any]:
    return {"error": str(result.error)} if isinstance(result, ItemError) else result.to_row()


def _check_digest(path: str, digest: str) -> None:
    """Raises an error if a bundle has other files than the one that was pickled."""
    if _digest(path) != digest:
        raise ModelError(
            f"{path}: the bundle differs from the one that was pickled", "bundle-changed", "bundle",
            file=path)


def _absolute(path: str) -> str:
    """Returns an absolute path; a name without a separator that is no path is one of the library."""
    return path if os.sep not in path and not os.path.exists(path) else os.path.abspath(path)


def _cache_option(cache: bool | str | os.PathLike[str]) -> bool | str | None:
    """Returns the folder of a cache as the library takes it; None without one."""
    if isinstance(cache, bool):
        return cache or None
    return os.path.abspath(os.fspath(cache))


def _reopen(path: str, options: dict[str, Any], digest: str) -> Model:
    """Opens a pickled model; the bundle must have the same files."""
    options = {name: value for name, value in options.items() if name != "worker"}
    _check_digest(path, digest)
    return Model(path, **options)


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    files = [path]
    if os.path.isdir(path):
        files = sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    for file in files:
        digest.update(os.path.relpath(file, path).encode() + b"\0")
        with open(file, "rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def _check_items(values: Any, errors: str, name: str) -> None:
    """Rejects a single item in place of a sequence: its characters or columns would be taken for items."""
    if isinstance(values, (str, bytes, bytearray, os.PathLike)):
        raise TypeError(f"{name} takes a sequence of inputs; pass [value] for one")
    if name == "map" and _columns(values) is not None:
        raise TypeError("map takes a sequence of inputs; use batch or predict for a table")
    if errors not in ("raise", "return"):
        raise ValueError(f"errors must be 'raise' or 'return', got {errors!r}")


def _named(value: Any) -> Mapping[str, Any] | None:
    """Returns a mapping, a pandas Series or the only row of a DataFrame as a mapping; None for other values."""
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "iloc") and hasattr(value, "to_dict"):
        if hasattr(value, "columns"):
            if len(value) != 1:
                raise InputError(
                    f"expected one row, got {len(value)}; use batch or predict for a table", "wrong-count", "input")
            value = value.iloc[0]
        return value.to_dict()  # type: ignore[no-any-return]
    return None


def _item_shape(shape: Sequence[int]) -> list[int]:
    """Returns the shape of an item in a batch: the shape of its tensor without the axis that counts items."""
    return list(shape[1:] if len(shape) > 1 and shape[0] in (1, -1) else shape)


def _stacked(results: Sequence[Any], layers: list[Layer]) -> dict[str, Any]:
    import numpy

    stacked: dict[str, Any] = {}
    for layer in layers:
        values = [result.tensors[layer.name] for result in results]
        shape = _item_shape(layer.shape)
        if layer.dtype == "string":
            stacked[layer.name] = _joined_texts(numpy.array(values, dtype=object))
        elif not values:
            dtype = numpy.uint8 if layer.type == "image" else layer.dtype or numpy.float32
            stacked[layer.name] = numpy.empty((0, *(max(size, 0) for size in shape)), dtype)
        elif len({value.shape for value in values}) > 1:
            stacked[layer.name] = values
        else:
            stacked[layer.name] = _reshaped(numpy.stack(values), layer)
    return stacked


def _joined_texts(texts: Any) -> Any:
    """Returns the texts of items: one for each item, or a row of several."""
    return texts[:, 0] if texts.shape[1:] == (1,) else texts


def _reshaped(array: Any, layer: Layer) -> Any:
    """Returns the values of items with the declared shape of an item, if they fit it."""
    shape = _item_shape(layer.shape)
    if min(shape, default=0) < 0 or math.prod(shape) != math.prod(array.shape[1:]):
        shape = _item_shape(array.shape[1:])
    return array.reshape(len(array), *shape)


def _number_array(name: str, values: Any) -> Any:
    """Returns numbers as an array that the library reads, whose first axis counts rows; None for other values."""
    import numpy

    try:
        array = _array(values, name)
    except Exception:
        # The path for single items finds the item that is no number.
        return None
    return array if isinstance(array, numpy.ndarray) and array.ndim else None
