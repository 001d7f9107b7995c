"""Files of arrays of images and their labels: HDF5, as h5py and Keras write it, and `.npz`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from studio.engine.datasets.sources import base
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure
from studio.engine.progress import Progress

if TYPE_CHECKING:
    from studio.engine.datasets.sources.shared.arrays import ArrayFile


class _ArraySource(base.ReadsInOrder):
    """Arrays of images with their labels, packed or not, read some rows at a time."""

    takes = frozenset({"labels_file", "columns"})
    endings: ClassVar[set[str]]

    def accepts(self, path: Path) -> bool:
        """Return True if `path` has the file name of such a file."""
        return path.suffix.casefold() in self.endings and path.is_file()

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Read the labels; see `Source.scan`."""
        from studio.engine.datasets.sources.shared.arrays import scan_arrays  # noqa: PLC0415

        try:
            with self._opened(path) as file:
                return scan_arrays(path, file, progress, options)
        except (BadDataError, OSError) as error:
            raise StudioError(
                "{path} cannot be read: {reason}.",
                "Check the file.",
                "source",
                path=path,
                reason=read_failure(error),
            ) from error

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """See `Source.read`."""
        from studio.engine.datasets.sources.shared.arrays import read_arrays  # noqa: PLC0415

        with self._opened(path) as file:
            yield from read_arrays(file, items)

    @abstractmethod
    def _opened(self, path: Path) -> AbstractContextManager[ArrayFile]:
        """Return the open file."""


class Hdf5Source(_ArraySource):
    """HDF5 files."""

    name = "hdf5"
    label = "HDF5 arrays (.h5, .hdf5)"
    endings: ClassVar = {".h5", ".hdf5", ".he5"}

    def _opened(self, path: Path) -> AbstractContextManager[ArrayFile]:
        from studio.engine.datasets.sources.shared.hdf5_file import opened  # noqa: PLC0415

        return opened(path)


class NpzSource(_ArraySource):
    """NumPy's `.npz` files."""

    name = "npz"
    label = "NumPy arrays (.npz)"
    endings: ClassVar = {".npz"}

    def _opened(self, path: Path) -> AbstractContextManager[ArrayFile]:
        from studio.engine.datasets.sources.shared.npz_file import opened  # noqa: PLC0415

        return opened(path)
