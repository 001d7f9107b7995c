"""An archive or a file of arrays at an address of the web: downloaded, then read as what it is."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import re
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import platformdirs

from studio.engine import files
from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.archive import ArchiveSource
from studio.engine.datasets.sources.array_files import Hdf5Source, NpzSource
from studio.engine.datasets.sources.cifar import CifarSource
from studio.engine.datasets.sources.parquet import ParquetSource
from studio.engine.datasets.sources.shared.members import SUFFIXES
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.web.address import (
    Reach,
    checked_address,
    is_web,
    short_name,
)
from studio.engine.web.public_network import web_opener
from studio.engine.web.transfer import NamedProgress, TransferError, transfer

_SILENCE_SECONDS = 6.0
_CACHE_SECONDS = 30 * 86_400
_LARGEST = 2**40
_FACTS = "facts.json"


def cached_path(address: str) -> Path:
    """Return the path of the local copy of a web file, which may not exist."""
    folder = hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:20]
    name = files.portable_name(re.sub(r"[^\w.+-]", "_", short_name(address))[-80:])
    return downloads() / folder / name


def web_copy(
    address: str, progress: Progress, reach: Reach = Reach.TYPED
) -> tuple[Path, list[Text]]:
    """Download a file from the web, and return its path, and warnings about it.

    Args:
        address: The file.
        progress: Receives the progress of the download and may cancel.
        reach: Networks that the address may lead to.

    Raises:
        StudioError: It does not come.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    target = cached_path(address)
    try:
        remote = _remote_facts(address, reach)
    except BadDataError as error:
        raise _failed(address, error.message) from error
    if target.is_file():
        facts = _stored_facts(target)
        if remote is None:
            warning = message(
                "{address} does not answer; the cached download is used.", address=address
            )
            return target, [warning]
        if facts == remote:
            return target, []
    _drop_old()
    with files.disk_full_is_clear(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        for old in target.parent.iterdir():
            files.remove(old)
        try:
            listener = NamedProgress(progress, message("Downloading {file}", file=target.name))
            transfer([address], target, "", listener, _LARGEST, reach)
        except TransferError as error:
            raise _failed(address, str(error)) from error
        files.write_atomically(target.parent / _FACTS, json.dumps(remote or {}))
    return target, []


def downloads() -> Path:
    """Return the folder of copies of what was downloaded."""
    return platformdirs.user_cache_path("Studio", appauthor=False) / "downloads"


def _failed(address: str, reason: str) -> StudioError:
    return StudioError(
        "{address} cannot be downloaded: {reason}.",
        "Check the address and the network and try again.",
        "source",
        address=address,
        reason=as_message(reason),
    )


def _remote_facts(address: str, reach: Reach) -> dict[str, str] | None:
    """Return the headers that identify a version of a file; None if the server does not answer."""
    request = urllib.request.Request(  # noqa: S310 - the source lets http and https through alone
        address, method="HEAD", headers={"User-Agent": "studio-trainer"}
    )
    try:
        with web_opener(reach).open(request, timeout=_SILENCE_SECONDS) as answer:
            names = ("ETag", "Last-Modified", "Content-Length")
            return {name: answer.headers[name] for name in names if answer.headers[name]}
    except (OSError, http.client.HTTPException, ValueError):
        return None


def _stored_facts(target: Path) -> object:
    with contextlib.suppress(OSError, ValueError):
        return json.loads((target.parent / _FACTS).read_text("utf-8"))
    return None


def _drop_old() -> None:
    """Delete copies that were made long ago: their pixels are in datasets by now."""
    with contextlib.suppress(OSError):
        for folder in downloads().iterdir():
            if folder.stat().st_mtime < time.time() - _CACHE_SECONDS:
                files.remove_folder(folder, ignore_errors=True)


_ARRAYS = (".npz", ".h5", ".hdf5", ".parquet")
_READERS: tuple[base.Source, ...] = (
    CifarSource(),
    ParquetSource(),
    Hdf5Source(),
    NpzSource(),
    ArchiveSource(),
)


class WebFileSource:
    """The file is kept among the user's caches, so that it comes once for preview and import."""

    name = "web_file"
    label = message(
        "Web address of an archive or a file of arrays ({suffixes})", suffixes=", ".join(_ARRAYS)
    )
    takes = frozenset({"labels_file", "internal_addresses"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is an address with the ending of such files."""
        return is_web(path) and short_name(path).casefold().endswith((*SUFFIXES, *_ARRAYS))

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Download the file if it is new or has changed, and scan it; see `Source.scan`."""
        address = checked_address(path)
        reach = Reach.ANYWHERE if options.internal_addresses else Reach.TYPED
        copy, warnings = web_copy(address, progress, reach)
        try:
            scan = _reader(copy).scan(copy, progress, options)
        except StudioError as error:  # the copy is unknown to the user
            message = error.message.replace(str(copy), address)
            raise StudioError(message, error.hint, error.where) from error
        scan.warnings += warnings
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """See `Source.read`."""
        copy = _copy(path)
        return _reader(copy).read(copy, items)

    def open(self, path: Path, item: base.SourceImage) -> BinaryIO:
        """See `Source.open`."""
        copy = _copy(path)
        return _reader(copy).open(copy, item)

    def is_there(self, path: Path) -> bool:
        """Return True if the downloaded file exists."""
        return _copy(path).is_file()


def _copy(path: Path) -> Path:
    return cached_path(checked_address(path))


def _reader(copy: Path) -> base.Source:
    for source in _READERS:
        if source.accepts(copy):
            return source
    raise BadDataError("the downloaded file no longer exists", where=str(copy))
