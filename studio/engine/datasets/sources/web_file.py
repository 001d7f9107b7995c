"""An archive or a file of arrays at an address of the web: downloaded, then read as what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.archive import ArchiveSource
from studio.engine.datasets.sources.array_files import Hdf5Source, NpzSource
from studio.engine.datasets.sources.cifar import CifarSource
from studio.engine.datasets.sources.parquet import ParquetSource
from studio.engine.datasets.sources.shared.address import (
    Reach,
    checked_address,
    is_web,
    short_name,
)
from studio.engine.datasets.sources.shared.members import SUFFIXES
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Progress

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
    label = f"Web address of an archive or a file of arrays ({', '.join(_ARRAYS)})"
    takes = frozenset({"labels_file", "internal_addresses"})

    def accepts(self, path: Path) -> bool:
        """Whether `path` is an address that ends as such files do."""
        return is_web(path) and short_name(path).casefold().endswith((*SUFFIXES, *_ARRAYS))

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Download the file where it is not here or has changed there, and look into it."""
        from studio.engine.datasets.sources.shared.web_copy import web_copy  # noqa: PLC0415

        address = checked_address(path)
        reach = Reach.ANYWHERE if options.internal_addresses else Reach.TYPED
        copy = web_copy(address, progress, reach)
        try:
            return _reader(copy).scan(copy, progress, options)
        except StudioError as error:  # nobody knows the copy
            message = error.message.replace(str(copy), address)
            raise StudioError(message, error.hint, error.where) from error

    def read(self, path: Path, items: Sequence[base.Item]) -> Iterator[tuple[int, base.Fetch]]:
        """See `Source.read`."""
        copy = _copy(path)
        return _reader(copy).read(copy, items)

    def open(self, path: Path, item: base.Item) -> BinaryIO:
        """See `Source.open`."""
        copy = _copy(path)
        return _reader(copy).open(copy, item)

    def is_there(self, path: Path) -> bool:
        """Whether the downloaded file is here."""
        return _copy(path).is_file()


def _copy(path: Path) -> Path:
    from studio.engine.datasets.sources.shared.web_copy import copy_place  # noqa: PLC0415

    return copy_place(checked_address(path))


def _reader(copy: Path) -> base.Source:
    for source in _READERS:
        if source.accepts(copy):
            return source
    raise BadDataError("the downloaded file is not there any more", where=str(copy))
