"""Parquet tables with a column of images, laid out as the Hugging Face library writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared.list_columns import split_warnings
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.installation import install_command
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.split_words import split_in


class ParquetSource(base.ReadsInOrder):
    """One file, or a folder of files such as `data/train-00000-of-00002.parquet`."""

    name = "parquet"
    label = "Parquet table of images (Hugging Face layout)"
    takes = frozenset({"labels_file", "columns"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a Parquet file, or a folder that holds some."""
        return bool(_files(path))

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Read the labels; see `Source.scan`."""
        tables = _tables()
        scan = base.Scan(split_origin="file names")
        words: dict[str, Counter[str]] = {}
        for file in _files(path):
            progress.advance(len(scan.items), 0, "Reading labels")
            progress.check()
            key, split = _key(path, file), split_in(file.name)
            try:
                column, found = tables.add_rows(scan, file, key, split, options)
            except (BadDataError, OSError) as error:
                scan.problems.append(base.Skipped(key, str(error)))
                continue
            if split is None:  # otherwise images of other words have that of their file
                words.setdefault(column, Counter()).update(found)
        for column, found in words.items():
            scan.warnings += split_warnings(column, found)
        base.complete_scan(
            path, scan, options, "A table needs a column of images, and one called label."
        )
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """Go through the files once; see `Source.read`."""
        tables = _tables()
        requested = base.rows_by_file(items)
        for file in _files(path):
            indices = requested.get(_key(path, file))
            if indices:
                yield from base.completed(tables.read_rows(file, indices), indices.values())


def _tables() -> ModuleType:
    """Import the package that reads tables.

    Raises:
        StudioError: It is not installed.
    """
    try:
        from studio.engine.datasets.sources.shared import tables  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise StudioError(
            "Parquet files need the package pyarrow, which is not installed.",
            message("Install it: {command}", command=install_command("parquet")),
            "source",
        ) from error
    return tables


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = [*path.glob("*.parquet"), *path.glob("data/*.parquet")]
        return sorted(
            (file for file in found if file.is_file()), key=lambda f: natural_key(str(f))
        )
    return [path] if path.suffix.casefold() == ".parquet" and path.is_file() else []


def _key(path: Path, file: Path) -> str:
    return file.relative_to(path).as_posix() if path.is_dir() else file.name
