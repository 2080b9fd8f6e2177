"""Scores tables on the command line: ``python -m tensorio.batch BUNDLE TABLE… --output TABLE``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from ._errors import InputError, ModelError
from ._scoring import RowError, scoring
from .arrow import FileReport, _unwritable, format_of, score_file

_USAGE = "python -m tensorio.batch [options] <bundle> <table> ... --output TABLE"


def score_files(
    bundle: Any, sources: Sequence[str | os.PathLike[str]], output: str | os.PathLike[str], *,
    format: str | None = None, **options: Any,
) -> dict[str, FileReport]:
    """Scores files, and the files of folders, into a folder with a file for each.

    Args:
        bundle: The bundle, or its path.
        sources: Files in Parquet, Arrow IPC or CSV, and folders of them.
        output: A folder for the results, or the file for a single source.
        format: ``parquet``, ``arrow`` or ``csv`` for the files of a folder; by default, that of the
            source.
        options: The options of `tensorio.arrow.score_file` and of `tensorio.arrow.Scoring`.

    Returns:
        The report of each result, by its path.

    Raises:
        OutputError: A result exists, or cannot be written.
    """
    per_file = {
        name: options.pop(name) for name in ("batch_size", "workers", "overwrite", "resume")
        if name in options}
    settings = scoring(bundle, **options)
    pairs = list(_pairs([os.fspath(path) for path in sources], os.fspath(output), format))
    reports = {}
    for source, target in pairs:
        try:
            os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
        except OSError as error:
            raise _unwritable(target, error) from None
        reports[target] = score_file(settings, source, target, **per_file)
    return reports


def _pairs(sources: list[str], output: str, format: str | None) -> list[tuple[str, str]]:
    """Returns each file to score, with the file to write."""
    is_single = len(sources) == 1 and not os.path.isdir(sources[0])
    if is_single and not os.path.isdir(output) and not output.endswith(os.sep):
        return [(sources[0], output)]
    pairs = []
    for source in sources:
        root = source if os.path.isdir(source) else os.path.dirname(source)
        files = _tables(source) if os.path.isdir(source) else [source]
        for file in files:
            name = os.path.relpath(file, root or ".")
            stem = name[: -len(".csv.gz")] if name.endswith(".csv.gz") else os.path.splitext(name)[0]
            pairs.append((file, os.path.join(output, f"{stem}.{format or format_of(file)}")))
    targets = [target for _, target in pairs]
    if twice := {target for target in targets if targets.count(target) > 1}:
        raise InputError(
            f"several sources would be written to {min(twice)}", "already-exists", "argument")
    return pairs


def _tables(folder: str) -> list[str]:
    """Returns the tables in a folder, without hidden files and markers such as ``_SUCCESS``."""
    found = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(names):
            path = os.path.join(root, name)
            if name[0] in "._":
                continue
            try:
                format_of(path)
            except InputError:
                continue
            found.append(path)
    if not found:
        raise InputError(
            f"{folder}: no files with .parquet, .arrow, .feather, .arrows or .csv", "empty-data",
            "input", file=folder)
    return found


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return count


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tensorio.batch", usage=_USAGE,
        description="Score the rows of tables in Parquet, Arrow IPC or CSV.")
    parser.add_argument("bundle", help="bundle, as a folder or zip")
    parser.add_argument("table", nargs="+", help="file, or folder of files")
    parser.add_argument("--output", required=True, metavar="TABLE", help="file to write, or folder for several")
    parser.add_argument("--format", choices=["parquet", "arrow", "csv"], help="format of the files in a folder (default: that of the source)")
    parser.add_argument("--column", action="append", default=[], metavar="[INPUT=]COLUMN", help="column with an input (repeatable)")
    parser.add_argument("--keep", metavar="COLUMNS", help="columns to repeat, separated by commas; '' for none (default: all except encoded files)")
    parser.add_argument("--errors", choices=["column", "raise"], default="column", help="add a column with errors, or stop at the first (default: column)")
    parser.add_argument("--top", type=_count, metavar="N", help="number of labels (default: all)")
    parser.add_argument("--min-score", type=float, metavar="T", help="least score of labels and detections")
    parser.add_argument("--placeholder", action="append", default=[], metavar="NAME=VALUE", help="value of a placeholder, as JSON (repeatable)")
    parser.add_argument("--prefix", default="", help="what the names of result columns begin with")
    parser.add_argument("--batch-size", type=_count, metavar="N", help="number of rows in memory per worker (default: 64 images or 8192 rows)")
    parser.add_argument("--workers", type=_count, metavar="N", help="number of worker threads (default: one per processor)")
    parser.add_argument("--threads", type=_count, default=1, metavar="N", help="number of threads per run (default: 1)")
    parser.add_argument("--overwrite", action="store_true", help="replace existing output")
    parser.add_argument("--resume", action="store_true", help="keep complete files of the same bundle, options and source")
    return parser


def _pair(text: str, flag: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise InputError(f"{flag} needs NAME=VALUE, got '{text}'", "invalid-value", "argument")
    return name, value


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    columns: str | dict[str, str] | None = None
    if len(arguments.column) == 1 and "=" not in arguments.column[0]:
        columns = str(arguments.column[0])
    elif arguments.column:
        columns = dict(_pair(text, "--column") for text in arguments.column)
    placeholders = {}
    for text in arguments.placeholder:
        name, value = _pair(text, "--placeholder")
        try:
            placeholders[name] = json.loads(value)
        except ValueError:
            placeholders[name] = value
    return {
        "columns": columns, "placeholders": placeholders, "errors": arguments.errors,
        "keep": arguments.keep.split(",") if arguments.keep else [] if arguments.keep == "" else None,
        "top": arguments.top, "min_score": arguments.min_score, "prefix": arguments.prefix,
        "threads": arguments.threads, "batch_size": arguments.batch_size,
        "workers": arguments.workers, "overwrite": arguments.overwrite, "resume": arguments.resume,
        "format": arguments.format,
    }


def _status(error: ModelError) -> int:
    """Returns the exit status of an error, as ``tensorio run`` has them."""
    return {"argument": 2, "bundle": 3, "input": 4, "runtime": 5}.get(error.stage, 6)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        reports = score_files(parsed.bundle, parsed.table, parsed.output, **_options(parsed))
    except RowError as error:
        print(f"tensorio.batch: {error}", file=sys.stderr)
        return 1
    except ModelError as error:
        print(f"tensorio.batch: {error}", file=sys.stderr)
        return _status(error)
    except ValueError as error:
        print(f"tensorio.batch: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tensorio.batch: interrupted", file=sys.stderr)
        return 130
    for path, report in reports.items():
        done = "present" if report.resumed else "written"
        print(f"{path}: {report.rows} rows, {report.failed} failed, {done}", file=sys.stderr)
    return 1 if any(report.failed for report in reports.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
