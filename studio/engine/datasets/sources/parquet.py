"""Parquet tables with a column of images, laid out as the Hugging Face library writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.installation import install_command
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.split_words import split_headings, split_in, split_warnings

_LIST = ListFileSource()


class ParquetSource(base.ReadsInOrder):
    """One file, or a folder of files such as `data/train-00000-of-00002.parquet`.

    A file that has no images, but names their files, is read as other lists are.
    """

    name = "parquet"
    label = "Parquet table of images (Hugging Face layout)"
    takes = frozenset({"labels_file", "path_prefix", "internal_addresses", "columns"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a Parquet file, or a folder that holds some."""
        return bool(_files(path))

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Read the labels; see `Source.scan`."""
        tables = _tables()
        if path.is_file() and _names_files(tables, path):
            return _LIST.scan(path, progress, options)
        scan = base.Scan(split_origin="file names")
        words: dict[tuple[str, ...], Counter[str]] = {}
        unnamed: dict[tuple[str, ...], Counter[str]] = {}
        splits: dict[tuple[str, ...], dict[str, str | None]] = {}
        for file in _files(path):
            progress.advance(len(scan.items), 0, "Reading labels")
            progress.check()
            key, split = _key(path, file), split_in(file.name)
            try:
                header, found = tables.add_rows(scan, file, key, split, options)
            except (BadDataError, OSError) as error:
                scan.problems.append(base.Skipped(key, str(error)))
                continue
            words.setdefault(header, Counter()).update(found)
            splits.setdefault(header, {})[key] = split
            if split is None:  # otherwise images of other words have that of their file
                unnamed.setdefault(header, Counter()).update(found)
        for header, found in words.items():
            headings = split_headings(header, 0, found)
            if not headings:
                _use_file_splits(scan, splits[header])
            scan.warnings += split_warnings(header[0], unnamed.get(header, {}), headings)
        base.complete_scan(
            path, scan, options, "A table needs a column of images, and one called label."
        )
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """Go through the files once; see `Source.read`."""
        tables = _tables()
        if path.is_file() and _names_files(tables, path):
            yield from _LIST.read(path, items)
            return
        requested = base.rows_by_file(items)
        for file in _files(path):
            indices = requested.get(_key(path, file))
            if indices:
                yield from base.completed(tables.read_rows(file, indices), indices.values())


def _names_files(tables: ModuleType, path: Path) -> bool:
    """Return True if a table names the files of its images; False for one that is damaged."""
    try:
        return bool(tables.names_files(path))
    except (BadDataError, OSError):
        return False


def _use_file_splits(scan: base.Scan, splits: dict[str, str | None]) -> None:
    """Give images of some files the splits that the names of their files have."""
    scan.split_origin = "file names"
    for index, item in enumerate(scan.items):
        file = item.key.rpartition("/")[0]
        if file in splits:
            scan.items[index] = replace(item, split=splits[file])


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
