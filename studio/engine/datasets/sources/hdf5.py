"""HDF5 files of images and labels, as h5py and Keras write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from studio.engine.datasets.sources.base import (
    NO_OPTIONS,
    Fetch,
    Item,
    ReadsInOrder,
    Scan,
    SourceOptions,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure
from studio.engine.progress import Progress


class Hdf5Source(ReadsInOrder):
    """Arrays of images with their labels, read some rows at a time."""

    name = "hdf5"
    label = "HDF5 arrays (.h5, .hdf5)"
    takes = frozenset({"labels_file", "columns"})

    def accepts(self, path: Path) -> bool:
        """Whether `path` is called like one."""
        return path.suffix.casefold() in {".h5", ".hdf5", ".he5"} and path.is_file()

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Read the labels; see `Source.scan`."""
        from studio.engine.datasets.sources.shared.arrays import scan_arrays  # noqa: PLC0415
        from studio.engine.datasets.sources.shared.hdf5_file import opened  # noqa: PLC0415

        try:
            with opened(path) as file:
                return scan_arrays(path, file, progress, options)
        except (BadDataError, OSError) as error:
            raise StudioError(
                f"{path} cannot be read: {read_failure(error)}.", "Check the file.", "source"
            ) from error

    def read(self, path: Path, items: Sequence[Item]) -> Iterator[tuple[int, Fetch]]:
        """See `Source.read`."""
        from studio.engine.datasets.sources.shared.arrays import read_arrays  # noqa: PLC0415
        from studio.engine.datasets.sources.shared.hdf5_file import opened  # noqa: PLC0415

        with opened(path) as file:
            yield from read_arrays(file, items)
