"""Scores Arrow tables and files in Parquet, Arrow IPC and CSV, without an engine.

>>> import tensorio.arrow  # doctest: +SKIP
>>> tensorio.arrow.score("diabetes.tiobundle", table)  # doctest: +SKIP
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ._bundles import PortableBundle, open_count
from ._errors import InputError, ModelError, OutputError
from ._imports import require
from ._scoring import ERROR, RowError, Scorer, Scoring, checked_counts, json_value, scoring

__all__ = [
    "FileReport", "PortableBundle", "RowError", "Scoring", "open_count", "schema", "score",
    "score_batches", "score_file",
]

_Bundle = PortableBundle | str | os.PathLike[str] | Scoring
_FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".ipc": "arrow", ".feather": "arrow",
    ".arrows": "arrow", ".csv": "csv", ".csv.gz": "csv",
}
# The key of a file's metadata with the digest of what it was computed from.
_KEY = b"tensorio"


@dataclass(frozen=True)
class FileReport:
    """What `score_file` did.

    Attributes:
        rows: The number of rows.
        failed: The number of rows with an error.
        resumed: Whether the file was there already.
    """

    rows: int
    failed: int
    resumed: bool = False


def schema(bundle: _Bundle, table: Any, **options: Any) -> Any:
    """Returns the schema of the results for a table with a schema.

    Args:
        bundle: The bundle.
        table: A pyarrow schema.
        options: The fields of `Scoring`.

    Raises:
        InputError: A column is missing.
    """
    return scoring(bundle, **options).open().schema(table)


def score(bundle: _Bundle, table: Any, **options: Any) -> Any:
    """Returns a pyarrow table with the results of a table's rows.

    Args:
        bundle: The bundle.
        table: A pyarrow table or record batch, a pandas DataFrame, or arrays by column name.
        options: The fields of `Scoring`.

    Raises:
        InputError: A column is missing, with ``errors="raise"``.
        RowError: A row failed, with ``errors="raise"``.
    """
    return scoring(bundle, **options).open().score(table)


def score_batches(
    bundle: _Bundle, tables: Iterable[Any], *, workers: int | None = None, **options: Any,
) -> Iterator[Any]:
    """Yields the result of each table in order, on several threads.

    Args:
        bundle: The bundle.
        tables: The tables. Only a few more than are being processed are taken in advance.
        workers: The number of threads; by default, one per processor.
        options: The fields of `Scoring`.

    Raises:
        ValueError: ``workers`` is not an integer, or less than 1.
    """
    checked_counts(workers=workers)
    return _score_batches(scoring(bundle, **options), tables, workers)


def _score_batches(settings: Scoring, tables: Iterable[Any], workers: int | None) -> Iterator[Any]:
    scorer = settings.open()
    count = workers or len(os.sched_getaffinity(0))
    pending: deque[Future[Any]] = deque()
    row = 0

    def first() -> Any:
        nonlocal row
        try:
            result = pending.popleft().result()
        except RowError as error:
            raise RowError(error.message, row + error.row, error.code) from error.__cause__
        row += result.num_rows
        return result

    with ThreadPoolExecutor(count) as pool:
        try:
            for table in tables:
                pending.append(pool.submit(scorer.score, table))
                if len(pending) > count + 1:
                    yield first()
            while pending:
                yield first()
        finally:
            for future in pending:
                future.cancel()


def score_file(
    bundle: _Bundle, source: str | os.PathLike[str], output: str | os.PathLike[str], *,
    batch_size: int | None = None, workers: int | None = None, overwrite: bool = False,
    resume: bool = False, **options: Any,
) -> FileReport:
    """Scores a file in Parquet, Arrow IPC or CSV into another one, which is complete or absent.

    Args:
        bundle: The bundle.
        source: The file to score; its name ends with .parquet, .arrow, .feather, .arrows or .csv.
        output: The file to write, in one of these formats. In CSV, lists are JSON.
        batch_size: How many rows are in memory per thread.
        workers: The number of threads; by default, one per processor.
        overwrite: Whether an existing output is replaced.
        resume: Whether an existing output of the same bundle, options and source is kept.
        options: The fields of `Scoring`.

    Raises:
        InputError: The file cannot be read, or a column is missing.
        OutputError: The output exists, or cannot be written.
        RowError: A row failed, with ``errors="raise"``.
        ValueError: ``batch_size`` or ``workers`` is not an integer, or less than 1.
    """
    checked_counts(batch_size=batch_size, workers=workers)
    source, output = os.fspath(source), os.fspath(output)
    settings = scoring(bundle, **options)
    from_format, to_format = format_of(source), format_of(output)
    origin = _origin(settings, source)
    if os.path.exists(output):
        if resume and (report := _recorded(output, to_format, origin, settings)):
            return report
        if not overwrite:
            raise OutputError(
                f"{output}: the file exists" + (
                    ", and was computed by another bundle or from another source" if resume else ""),
                "already-exists", "output", file=output)
    scorer = settings.open()
    counts = {"rows": 0, "failed": 0}
    name = settings.prefix + ERROR

    def counted(tables: Iterable[Any]) -> Iterator[Any]:
        for table in tables:
            counts["rows"] += table.num_rows
            if settings.errors == "column":
                counts["failed"] += table.num_rows - table.column(name).null_count
            yield table

    with contextlib.ExitStack() as stack:
        size = batch_size or scorer.batch_size
        given, tables = _open(source, from_format, size, scorer, to_format == "csv", stack)
        result = scorer.schema(given)
        scored = counted(score_batches(settings, tables, workers=workers))
        _write(output, to_format, result, scored, origin, counts)
    return FileReport(counts["rows"], counts["failed"])


def format_of(path: str) -> str:
    """Returns ``parquet``, ``arrow`` or ``csv``, by the name of a file.

    Raises:
        InputError: The name has another extension.
    """
    for ending, format in _FORMATS.items():
        if path.lower().endswith(ending):
            return format
    raise InputError(
        f"{path}: expected a name with .parquet, .arrow, .feather, .arrows or .csv",
        "unexpected-file", "input", file=path)


# Reading

def _open(
    path: str, format: str, batch_size: int, scorer: Scorer, to_csv: bool, stack: contextlib.ExitStack,
) -> tuple[Any, Iterator[Any]]:
    """Returns the schema of a file and its batches."""
    pa = require("pyarrow")
    if not os.path.isfile(path):
        raise InputError(f"{path}: no such file", "missing-file", "input", file=path)
    try:
        if format == "parquet":
            file = stack.enter_context(require("pyarrow.parquet").ParquetFile(path))
            return file.schema_arrow, _read(path, file.iter_batches(batch_size=batch_size))
        if format == "csv":
            reader, kept = _csv(path, scorer, to_csv)
            stack.enter_context(reader)
            rows = (_without_empty_texts(table, kept) for table in _read(path, reader))
            return reader.schema, _split(rows, batch_size)
        stream = stack.enter_context(pa.memory_map(path))
        try:
            file = stack.enter_context(pa.ipc.open_file(stream))
            tables = (file.get_batch(index) for index in range(file.num_record_batches))
        except pa.ArrowInvalid:
            stream.seek(0)
            file = stack.enter_context(pa.ipc.open_stream(stream))
            tables = iter(file)
        return file.schema, _split(_read(path, tables), batch_size)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _csv(path: str, scorer: Scorer, to_csv: bool) -> tuple[Any, set[str]]:
    """Opens a CSV file; returns its reader and the columns that are repeated as they are."""
    csv, pa = require("pyarrow.csv"), require("pyarrow")
    with csv.open_csv(path) as reader:
        found = dict(zip(reader.schema.names, reader.schema.types))
    sources = scorer.sources(list(found))
    types: dict[str, Any] = {}
    inputs: set[str] = set()
    for layer in scorer.model.inputs:
        source = sources[layer.name]
        names = [source] if isinstance(source, str) else source
        inputs.update(names)
        if layer.type in ("text", "image", "audio") and isinstance(source, str):
            types[source] = pa.string()
        elif layer.type in ("array", "scalar") and (layer.dtype or "float").startswith("float"):
            # The types are those of the first block; numbers with fractions may follow.
            types.update({name: pa.float64() for name in names if found[name] in (pa.int64(), pa.null())})
    # Columns of bytes that are not text keep their type.
    kept = {name for name in found if name not in inputs and found[name] != pa.binary()} if to_csv else set()
    types.update(dict.fromkeys(kept, pa.string()))
    return csv.open_csv(path, convert_options=csv.ConvertOptions(column_types=types)), kept


def _without_empty_texts(table: Any, names: set[str]) -> Any:
    """Returns a batch in which empty texts are null: CSV repeats them without quotes."""
    pa, compute = require("pyarrow"), require("pyarrow.compute")
    if not names:
        return table
    columns = [
        compute.if_else(compute.equal(column, ""), None, column) if name in names else column
        for name, column in zip(table.schema.names, table.columns)]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)


def _read(path: str, tables: Iterable[Any]) -> Iterator[Any]:
    pa = require("pyarrow")
    try:
        yield from tables
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str, error: BaseException) -> InputError:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(f"{path}: {text}", "unreadable-file", "input", file=path)


def _split(tables: Iterable[Any], size: int) -> Iterator[Any]:
    for table in tables:
        for start in range(0, table.num_rows, size):
            yield table.slice(start, size)


# Writing

def _write(
    path: str, format: str, schema: Any, tables: Iterator[Any], origin: str, counts: dict[str, int],
) -> None:
    """Writes tables to a file that appears under its name when it is complete."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        descriptor, partial = tempfile.mkstemp(
            prefix=f".{os.path.basename(path)}.", suffix=".partial", dir=folder)
        os.close(descriptor)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        # Without a first batch, an input that cannot be read would leave an empty writer.
        first = list(itertools.islice(tables, 1))
        _WRITERS[format](partial, schema, itertools.chain(first, tables), origin, counts)
        with open(partial, "rb") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        os.replace(partial, path)
    except OSError as error:
        if isinstance(error, ModelError):
            raise
        raise _unwritable(path, error) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(partial)


def _unwritable(path: str, error: OSError) -> OutputError:
    return OutputError(f"{path}: {error.strerror or error}", "unwritable", "output", file=path)


def _write_parquet(
    path: str, schema: Any, tables: Iterator[Any], origin: str, counts: Mapping[str, int],
) -> None:
    with require("pyarrow.parquet").ParquetWriter(path, schema, compression="zstd") as writer:
        for table in _grouped(tables):
            writer.write_table(table.cast(schema))
        writer.add_key_value_metadata({_KEY: _metadata(origin, counts)})


def _write_arrow(
    path: str, schema: Any, tables: Iterator[Any], origin: str, counts: Mapping[str, int],
) -> None:
    pa = require("pyarrow")
    with pa.OSFile(path, "wb") as file, _ipc_writer(file, schema, origin, counts) as writer:
        for table in tables:
            writer.write_table(table.cast(schema))


@contextlib.contextmanager
def _ipc_writer(
    file: Any, schema: Any, origin: str, counts: Mapping[str, int],
) -> Iterator[Any]:
    ipc = require("pyarrow").ipc
    with ipc.new_file(file, schema, metadata={_KEY: json.dumps({"origin": origin})}) as writer:
        yield writer


def _write_csv(
    path: str, schema: Any, tables: Iterator[Any], origin: str, counts: Mapping[str, int],
) -> None:
    pa, csv = require("pyarrow"), require("pyarrow.csv")
    flat = pa.schema([
        pa.field(item.name, pa.string()) if _is_nested(item.type) else item for item in schema])
    with csv.CSVWriter(path, flat) as writer:
        for table in tables:
            columns = [
                pa.array([_json(value) for value in column.to_pylist()], type=pa.string())
                if _is_nested(column.type) else column for column in table.columns]
            writer.write_table(pa.Table.from_arrays(columns, schema=flat))


_WRITERS = {"parquet": _write_parquet, "arrow": _write_arrow, "csv": _write_csv}


def _is_nested(type: Any) -> bool:
    """Whether values of a type have to be converted to text: pyarrow does not write them to CSV."""
    types = require("pyarrow").types
    return bool(
        types.is_nested(type) or types.is_binary(type) or types.is_large_binary(type)
        or types.is_binary_view(type) or types.is_string_view(type))


def _json(value: Any) -> str | None:
    value = json_value(value)
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _grouped(tables: Iterator[Any], rows: int = 65_536) -> Iterator[Any]:
    """Joins small tables, so that row groups are neither small nor as large as the file."""
    pa = require("pyarrow")
    parts: list[Any] = []
    for table in tables:
        parts.append(table)
        if sum(part.num_rows for part in parts) >= rows:
            yield pa.concat_tables(parts)
            parts = []
    if parts:
        yield pa.concat_tables(parts)


# Resuming

def _origin(settings: Scoring, source: str) -> str:
    """Returns a text that is the same for the same bundle, options and source."""
    status = os.stat(source) if os.path.exists(source) else None
    return json.dumps({
        "bundle": settings.bundle.digest,
        "columns": settings.columns if isinstance(settings.columns, (str, type(None)))
        else dict(settings.columns),
        "keep": None if settings.keep is None else list(settings.keep),
        "errors": settings.errors, "top": settings.top, "min_score": settings.min_score,
        "placeholders": {name: repr(value) for name, value in settings.placeholders.items()},
        "prefix": settings.prefix, "source": os.path.abspath(source),
        "size": status and status.st_size, "time": status and status.st_mtime_ns,
    }, sort_keys=True)


def _metadata(origin: str, counts: Mapping[str, int]) -> str:
    return json.dumps({"origin": origin, **counts})


def _recorded(path: str, format: str, origin: str, settings: Scoring) -> FileReport | None:
    """Returns the report of a complete file of the same origin."""
    pa = require("pyarrow")
    if format == "csv":
        raise OutputError(
            f"{path}: a CSV file does not record its origin; resume needs Parquet or Arrow",
            "unsupported", "output", file=path)
    try:
        if format == "parquet":
            text = (require("pyarrow.parquet").read_metadata(path).metadata or {}).get(_KEY)
            fields = json.loads(text or b"{}")
        else:
            with pa.memory_map(path) as stream, pa.ipc.open_file(stream) as file:
                fields = json.loads((file.metadata or {}).get(_KEY, b"{}"))
                rows = sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))
                fields.update(rows=rows, failed=_failed(file, settings))
    except (pa.ArrowException, OSError, ValueError):
        return None
    if fields.get("origin") != origin:
        return None
    return FileReport(fields["rows"], fields["failed"], resumed=True)


def _failed(file: Any, settings: Scoring) -> int:
    if settings.errors != "column":
        return 0
    columns = (
        file.get_batch(part).column(settings.prefix + ERROR) for part in range(file.num_record_batches))
    return sum(len(column) - column.null_count for column in columns)
