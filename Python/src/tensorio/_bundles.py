"""Bundles that travel to other processes and machines, and the models that are open in this process."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import socket
import stat
import tempfile
import threading
import zipfile
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from ._errors import BundleError
from ._model import Model

_READ = 1 << 20


@dataclass(frozen=True)
class PortableBundle:
    """A bundle that other processes can open: its files, or a path that they share.

    It pickles, and opens only where its files have the digest that they had here.

    >>> PortableBundle.pack("digits.tiobundle")  # doctest: +SKIP
    PortableBundle('digits.tiobundle', version='1', digest='0aa4d1…')
    """

    name: str
    digest: str
    version: str
    path: str | None = None
    content: bytes | None = field(default=None, repr=False)

    @staticmethod
    def at(path: str | os.PathLike[str]) -> PortableBundle:
        """Refers to a bundle by its path, which every process must be able to read.

        Args:
            path: A bundle, as a folder or zip, or a chain.

        Raises:
            BundleError: There is no bundle at the path.
        """
        path = os.path.abspath(os.fspath(path))
        if not os.path.exists(path):
            raise BundleError(f"{path}: no bundle at this path", "missing-bundle", "bundle", file=path)
        return PortableBundle(os.path.basename(path), digest(path), _version(path), path=path)

    @staticmethod
    def pack(path: str | os.PathLike[str]) -> PortableBundle:
        """Reads a bundle into memory, so that it travels as an object.

        Args:
            path: A bundle, as a folder or zip, or a chain whose bundles lie in its folder.

        Raises:
            BundleError: There is no bundle at the path, or a chain refers to bundles elsewhere.
        """
        bundle = PortableBundle.at(path)
        folder = str(bundle.path)
        if outside := [name for name in _steps(folder) if not _is_within(folder, name)]:
            raise BundleError(
                f"{folder}: the chain refers to '{outside[0]}' outside its folder; use a shared path",
                "unsafe-name", "bundle", file=folder)
        return PortableBundle(
            bundle.name, bundle.digest, bundle.version, content=_packed(folder))

    @staticmethod
    def of(bundle: PortableBundle | str | os.PathLike[str]) -> PortableBundle:
        """Returns a portable bundle; a path is one that the processes share."""
        return bundle if isinstance(bundle, PortableBundle) else PortableBundle.at(bundle)

    def local_path(self) -> str:
        """Returns a path in this machine whose files have the digest.

        Raises:
            BundleError: The bundle is missing here, or has other files.
        """
        if self.content is not None:
            return self._unpacked(self.content)
        path = str(self.path)
        host = socket.gethostname()
        if not os.path.exists(path):
            raise BundleError(
                f"{path}: no bundle at this path on {host}; pack it to send its files",
                "missing-bundle", "bundle", file=path)
        self._check(path, host)
        return path

    def _check(self, path: str, host: str) -> None:
        found = digest(path)
        if found != self.digest:
            raise BundleError(
                f"{path}: the bundle on {host} differs: version {_version(path)} with the digest "
                f"{found[:12]}, expected version {self.version} with the digest {self.digest[:12]}",
                "bundle-changed", "bundle", file=path)

    def _unpacked(self, content: bytes) -> str:
        cache = cache_folder()
        folder = os.path.join(cache, f"{self.digest}-{self.name}")
        path = os.path.join(folder, self.name)
        if _missing(content, path):
            partial = tempfile.mkdtemp(prefix="partial-", dir=cache)
            try:
                _unpack(content, os.path.join(partial, self.name))
                try:
                    os.rename(partial, folder)
                except OSError:
                    # Another process was faster, or a cleaner has removed files.
                    _restore(os.path.join(partial, self.name), path)
            except OSError:
                if _missing(content, path):
                    raise
            finally:
                shutil.rmtree(partial, ignore_errors=True)
        self._check(path, socket.gethostname())
        return path

    def __repr__(self) -> str:
        place = f", path={self.path!r}" if self.path is not None else ""
        return (
            f"PortableBundle({self.name!r}, version={self.version!r}, "
            f"digest='{self.digest[:6]}…'{place})")


def digest(path: str) -> str:
    """Returns the SHA-256 digest of the names and contents of a bundle's files, and of a chain's bundles."""
    total = hashlib.sha256()
    for name, file in _files(path):
        total.update(name.encode() + b"\0")
        with open(file, "rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    for step in _steps(path):
        if not _is_within(path, step):
            total.update(step.encode() + b"\0" + digest(os.path.join(path, step)).encode())
    return total.hexdigest()


def unpacked(bundle: PortableBundle) -> str | None:
    """Returns the path of a bundle whose files this machine has unpacked before, if they are all there."""
    path = os.path.join(cache_folder(), f"{bundle.digest}-{bundle.name}", bundle.name)
    return path if os.path.exists(path) and digest(path) == bundle.digest else None


def cache_folder() -> str:
    """Returns the folder for unpacked bundles, which only this user can write.

    It is ``TENSORIO_BUNDLE_CACHE``, or ``tensorio-bundles-UID`` in the folder for temporary files.

    Raises:
        BundleError: The folder belongs to another user, or others can write in it.
    """
    default = os.path.join(tempfile.gettempdir(), f"tensorio-bundles-{os.getuid()}")
    folder = os.environ.get("TENSORIO_BUNDLE_CACHE") or default
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    is_private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o022
    if not is_private or status.st_uid != os.getuid():
        raise BundleError(
            f"{folder}: the folder for bundles must belong to this user and must not be writable for others",
            "unwritable", "bundle", file=folder)
    return folder


def _files(path: str) -> list[tuple[str, str]]:
    """Returns the files of a bundle by their relative names, in order."""
    if not os.path.isdir(path):
        return [("", path)]
    files = [
        os.path.join(folder, name) for folder, _, names in os.walk(path, followlinks=True)
        for name in names]
    return sorted((os.path.relpath(file, path), file) for file in files)


def _steps(path: str) -> list[str]:
    """Returns the bundles that a chain refers to."""
    try:
        with open(os.path.join(path, "chain.json"), encoding="utf-8") as file:
            steps = json.load(file).get("steps", [])
        return [step["bundle"] for step in steps if isinstance(step.get("bundle"), str)]
    except (OSError, ValueError, AttributeError, TypeError):
        return []


def _is_within(folder: str, name: str) -> bool:
    root = os.path.abspath(folder)
    return os.path.abspath(os.path.join(root, name)).startswith(root + os.sep)


def _version(path: str) -> str:
    for name in ("model.json", "chain.json"):
        try:
            with open(os.path.join(path, name), encoding="utf-8") as file:
                return str(json.load(file).get("version", "?"))
        except (OSError, ValueError, AttributeError):
            continue
    return "?"


def _packed(path: str) -> bytes:
    """Returns a zip of a bundle's files, with the same bytes for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, file in _files(path):
            entry = zipfile.ZipInfo(name or "bundle.zip", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED if name else zipfile.ZIP_STORED
            entry.external_attr = 0o100644 << 16
            with open(file, "rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _READ)
    return buffer.getvalue()


def _unpack(content: bytes, path: str) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if archive.namelist() == ["bundle.zip"]:
            with open(path, "wb") as file:
                file.write(archive.read("bundle.zip"))
            return
        os.mkdir(path)
        archive.extractall(path)


def _missing(content: bytes, path: str) -> list[str]:
    """Returns the names of packed files that are missing at a path; a bundle that is a zip has the name ""."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
    if names == ["bundle.zip"]:
        names = [""]
    return [name for name in names if not os.path.isfile(os.path.join(path, name) if name else path)]


def _restore(source: str, path: str) -> None:
    """Moves missing files to a path, one by one, because other processes may be reading the others."""
    for name, file in _files(source):
        target = os.path.join(path, name) if name else path
        if not os.path.isfile(target):
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            os.replace(file, target)


# Models that are open in this process

_MAX_OPEN = 8
_lock = threading.Lock()
_models: OrderedDict[tuple[Any, ...], Model] = OrderedDict()
_count = 0


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def open_once(bundle: PortableBundle, **options: Any) -> Model:
    """Returns the model of a bundle, which this process opens the first time only.

    The last eight models are kept.

    Raises:
        BundleError: The bundle is missing or invalid, or its files are not those of the digest.
    """
    global _count
    key = (bundle.digest, bundle.name, bundle.path, *sorted(options.items()))
    with _lock:
        model = _models.get(key)
        if model is None:
            model = Model(bundle.local_path(), **options)
            model._part_threads = 1  # the engine has a worker for each processor
            _count += 1
            _models[key] = model
            if len(_models) > _MAX_OPEN:
                _models.popitem(last=False)
        _models.move_to_end(key)
        return model


def open_count() -> int:
    """Returns how many models `open_once` has opened in this process."""
    return _count
