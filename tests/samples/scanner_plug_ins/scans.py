"""Files of a scanner: a `.scan` has the path and the class of a picture in each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources.base import (
    NO_OPTIONS,
    Fetch,
    OnDisk,
    Scan,
    Skipped,
    SourceImage,
    SourceOptions,
)
from studio.engine.progress import Progress


class ScannerSource(OnDisk):
    """Reads the files of the scanner; pictures that are missing are reported."""

    name = "scans"
    label = "Scanner"
    takes: frozenset[str] = frozenset()

    def accepts(self, path: Path) -> bool:
        """Return True for a `.scan`."""
        return path.suffix == ".scan"

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Return the pictures of all lines."""
        found = Scan()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            progress.check()
            name, _, label = line.partition("\t")
            if (path.parent / name).is_file():
                found.items.append(SourceImage(name, label, None))
            else:
                found.problems.append(Skipped(name, "the file does not exist", line=number))
        found.items.sort(key=lambda item: (item.class_name, item.key))
        return found

    def read(self, path: Path, items: Sequence[SourceImage]) -> Iterator[tuple[int, Fetch]]:
        """Yield the pictures in their order."""
        for index, item in enumerate(items):
            yield index, (path.parent / item.key).read_bytes

    def open(self, path: Path, item: SourceImage) -> BinaryIO:
        """Open a picture."""
        return (path.parent / item.key).open("rb")


SOURCE = ScannerSource()
