"""MNIST's IDX files, as MNIST, Fashion-MNIST, KMNIST and EMNIST use them, packed or not."""

from __future__ import annotations

import gzip
import math
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared.labels import (
    name_of,
    names_from,
    require_plausible_count,
)
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.messages import message
from studio.engine.progress import Progress

_IMAGES = re.compile(r"images?[-.]idx3[-.]ubyte(\.gz)?$", re.IGNORECASE)
_LARGEST_SIDE = 16384
_MOST_IMAGES = 20_000_000
# Beside the images, as a text file, one name per line; Studio's own samples put it there.
NAMES_FILE = "class-names.txt"


class MnistSource(base.ReadsInOrder):
    """Pairs of `…images-idx3-ubyte` and `…labels-idx1-ubyte`; `train` and `t10k` are splits."""

    name = "mnist"
    label = "MNIST (IDX files)"
    takes = frozenset({"labels_file"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is an IDX file of images, or a folder that holds one."""
        return bool(_image_files(path))

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Read the labels; see `Source.scan`."""
        scan = base.Scan(split_origin="file names")
        names = _names(path, options)
        for file in _image_files(path):
            progress.check()
            try:
                scan.items += _items_of(file, names, scan)
            except (OSError, EOFError, zlib.error) as error:
                scan.problems.append(
                    base.Skipped(
                        file.name,
                        message("it cannot be read: {reason}", reason=read_failure(error)),
                    )
                )
            except BadDataError as error:
                scan.problems.append(base.Skipped(file.name, error.message))
            progress.advance(len(scan.items), 0, "Reading labels")
        if any(map(_is_turned, _image_files(path))):
            scan.warnings.append(
                "The images of EMNIST are stored with rows and columns exchanged. They are turned "
                "upright."
            )
        base.complete_scan(
            path,
            scan,
            options,
            "Images and labels must lie in one folder under their usual names.",
        )
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """Go through the files once; see `Source.read`."""
        for file in _image_files(path):
            requested = {
                item.position: index
                for index, item in enumerate(items)
                if item.key.startswith(f"{file.name}/")
            }
            if requested:
                yield from base.completed(_read_file(file, requested), requested.values())


def _image_files(path: Path) -> list[Path]:
    if path.is_dir():
        try:
            files = [file for file in path.iterdir() if _IMAGES.search(file.name)]
        except OSError:
            return []
        by_name = {re.sub(r"\.gz$", "", file.name): file for file in sorted(files, reverse=True)}
        return sorted(by_name.values())  # of a packed and an unpacked file, the unpacked one
    return [path] if _IMAGES.search(path.name) and path.is_file() else []


def _names(path: Path, options: base.SourceOptions) -> list[str]:
    folder = path if path.is_dir() else path.parent
    beside = folder / NAMES_FILE
    if not options.labels_file and beside.is_file():
        return names_from(base.SourceOptions(labels_file=str(beside)))
    return names_from(options)


def _items_of(file: Path, names: list[str], scan: base.Scan) -> list[base.SourceImage]:
    count, height, width = _shape(file)
    labels = _labels(file)
    if len(labels) != count:
        raise BadDataError(
            "it contains {count} images but {labels} labels", count=count, labels=len(labels)
        )
    split = _split_of(file.name)
    modified = base.modified_at(file)
    items = []
    for index, label in enumerate(labels):
        key = f"{file.name}/{index}"
        try:
            class_name = name_of(label, names)
        except BadDataError as error:
            scan.problems.append(base.Skipped(key, error.message))
        else:
            items.append(base.SourceImage(key, class_name, split, height * width, modified, index))
    return items


def _is_turned(file: Path) -> bool:
    """Return True if the images of a file are stored with rows and columns exchanged."""
    return file.name.casefold().startswith("emnist")


def _split_of(name: str) -> str | None:
    words = set(re.split(r"[^a-z0-9]+", name.casefold()))
    if words & {"t10k", "test"}:
        return "test"
    return "train" if "train" in words else None


def _shape(file: Path) -> tuple[int, int, int]:
    with _opened(file) as stream:
        count, height, width = _header(stream, 3)
    if not (0 < height <= _LARGEST_SIDE and 0 < width <= _LARGEST_SIDE and count <= _MOST_IMAGES):
        raise BadDataError(
            "it claims {count} images of {width}x{height}, which is impossible",
            count=count,
            width=width,
            height=height,
        )
    require_plausible_count(count, file)
    return count, height, width


def _labels(file: Path) -> bytes:
    partner = re.sub(
        r"images?([-.])idx3",
        lambda found: ("L" if found[0][0] == "I" else "l") + f"abels{found[1]}idx1",
        file.name,
        flags=re.IGNORECASE,
    )
    plain = re.sub(r"\.gz$", "", partner)
    for name in (partner, plain, f"{plain}.gz"):
        if (file.parent / name).is_file():
            with _opened(file.parent / name) as stream:
                (count,) = _header(stream, 1)
                return stream.read(min(count, _MOST_IMAGES))
    raise BadDataError("its labels file {file} is missing", file=partner)


def _header(stream: BinaryIO, dimensions: int) -> tuple[int, ...]:
    """Return the shape in an IDX file of bytes: two zeros, 8 for bytes, number of dimensions."""
    start = stream.read(4 + 4 * dimensions)
    if len(start) < 4 + 4 * dimensions or start[:4] != bytes([0, 0, 8, dimensions]):
        raise BadDataError("it is not an IDX file of bytes, or truncated")
    return struct.unpack(f">{dimensions}I", start[4:])


def _read_file(file: Path, requested: dict[int, int]) -> Iterator[tuple[int, base.Fetch]]:
    import numpy as np  # noqa: PLC0415 - the window lists the sources at start

    try:
        with _opened(file) as stream:
            sizes = _header(stream, 3)[1:]
            height, width = reversed(sizes) if _is_turned(file) else sizes
            header = f"P5 {width} {height} 255\n".encode()
            position = 0
            for index in sorted(requested):
                if index > position:
                    stream.seek((index - position) * math.prod(sizes), 1)
                pixels = stream.read(math.prod(sizes))
                position = index + 1
                if len(pixels) < math.prod(sizes):
                    raise BadDataError("the file is truncated")
                if _is_turned(file):
                    pixels = np.frombuffer(pixels, np.uint8).reshape(sizes).T.tobytes()
                yield requested[index], partial(bytes, header + pixels)
    except (EOFError, zlib.error) as error:
        raise BadDataError("the file is damaged or truncated", where=str(file)) from error


def _opened(file: Path) -> BinaryIO:
    with file.open("rb") as start:
        is_packed = start.read(2) == b"\x1f\x8b"
    return gzip.open(file) if is_packed else file.open("rb")  # type: ignore[return-value]  # reads
