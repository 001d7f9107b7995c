"""One pass over the pixels: a few hundred bytes per image that all checks work with.

Images are read from the memory map in pieces of bounded size, on all cores; what is kept per image
does not depend on how large images are. The thumbnails (256 bytes each) go to a temporary file
beside the dataset, so that a million images take a few hundred MB of disk and not of memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.ruler import FLAT, THUMB, Floats, Piece, Ruler, gray_weights
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.files import disk_full_is_clear
from studio.engine.progress import Progress

_CHUNK_VALUES = 2**20


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured of M images.

    Attributes:
        rows: Their rows in the dataset, ascending, int64, M.
        pixel_hash: 128 bits of each image's pixels, uint64, M x 2.
        outline: Perceptual hash: the signs of 63 low frequencies, uint64, M.
        thumbs: Gray, 16 x 16, mean 0, deviation 32, int8, M x 256; zero where flat. On disk.
        channel_mean: 0 to 255, M x C.
        contrast: Largest standard deviation of a channel, gray levels, M.
        dark_end: Brightness below which 2 % of the image is, 0 to 255, M.
        bright_end: Brightness above which 2 % of the image is, 0 to 255, M.
        sharpness: Variance of the Laplacian over the variance of the image, M; NaN where flat.
        color_mean: Mean of each channel over all images, C.
        color_deviation: Standard deviation of each channel over all pixels, C.
        mean_images: Mean image of each split that has images, H x W x C, 0 to 255.
    """

    rows: NDArray[np.int64]
    pixel_hash: NDArray[np.uint64]
    outline: NDArray[np.uint64]
    thumbs: NDArray[np.int8]
    channel_mean: Floats
    contrast: Floats
    dark_end: Floats
    bright_end: Floats
    sharpness: Floats
    color_mean: NDArray[np.float64]
    color_deviation: NDArray[np.float64]
    mean_images: dict[str, NDArray[np.float64]]

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Images without structure, M."""
        result: NDArray[np.bool_] = self.contrast < FLAT
        return result

    @property
    def brightness(self) -> Floats:
        """Mean brightness, 0 to 255, M."""
        gray: Floats = self.channel_mean @ gray_weights(self.channel_mean.shape[1])
        return gray


def measure(store: Store, progress: Progress) -> Measures:
    """Look at every image that a store shows.

    Raises:
        DiskFullError: No space was left for the thumbnails.
        Cancelled: Through `progress`.
    """
    rows = np.flatnonzero(store.split != SKIPPED).astype(np.int64)
    folder = store.path.parent
    pieces: list[Piece] = []
    sums: dict[int, NDArray[np.float64]] = {}
    with disk_full_is_clear(folder), tempfile.TemporaryFile(dir=folder) as file:
        # Written, not mapped, while it grows: on a full disk that is an error and no crash.
        for piece in _pieces(store, rows, progress):
            file.write(piece.thumbs.tobytes())
            pieces.append(replace(piece, thumbs=piece.thumbs[:0], split_sums={}))
            _add(sums, piece.split_sums)
        file.flush()
        thumbs = _mapped(file, len(rows))  # stays when the file is closed
    return _joined(store, rows, pieces, thumbs, sums)


def _pieces(store: Store, rows: NDArray[np.int64], progress: Progress) -> Iterator[Piece]:
    ruler = Ruler(store)
    size = max(1, _CHUNK_VALUES // int(np.prod(store.shape)))
    chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
    workers = os.cpu_count() or 1
    done = 0
    with ThreadPoolExecutor(workers, "audit") as pool:
        for start in range(0, len(chunks), workers):
            progress.check()
            for piece in pool.map(ruler.measure, chunks[start : start + workers]):
                yield piece
                done += len(piece.contrast)
                progress.advance(done, len(rows), "Checking every image")


def _add(sums: dict[int, NDArray[np.float64]], more: dict[int, NDArray[np.float64]]) -> None:
    for split, values in more.items():
        sums[split] = sums[split] + values if split in sums else values


def _mapped(file: BinaryIO, count: int) -> NDArray[np.int8]:
    if not count:
        return np.zeros((0, THUMB**2), np.int8)
    return np.memmap(file, np.int8, "r", shape=(count, THUMB**2))


def _joined(
    store: Store,
    rows: NDArray[np.int64],
    pieces: list[Piece],
    thumbs: NDArray[np.int8],
    sums: dict[int, NDArray[np.float64]],
) -> Measures:
    def column(name: str, empty: tuple[int, ...] = (0,)) -> NDArray[Any]:
        parts = [getattr(piece, name) for piece in pieces]
        return np.concatenate(parts) if parts else np.zeros(empty)

    channels = store.shape[2]
    mean, square = column("channel_mean", (0, channels)), column("channel_square", (0, channels))
    whole = mean.mean(axis=0, dtype=np.float64) if pieces else np.zeros(channels)
    spread = square.mean(axis=0) - whole**2 if pieces else np.zeros(channels)
    counts = store.counts()
    return Measures(
        rows=rows,
        pixel_hash=column("pixel_hash", (0, 2)).astype(np.uint64, copy=False),
        outline=column("outline").astype(np.uint64, copy=False),
        thumbs=thumbs,
        channel_mean=mean,
        contrast=column("contrast"),
        dark_end=column("dark_end"),
        bright_end=column("bright_end"),
        sharpness=column("sharpness"),
        color_mean=whole,
        color_deviation=np.sqrt(np.maximum(spread, 0)),
        mean_images={
            name: sums[index] / counts[name]
            for index, name in enumerate(SPLIT_NAMES)
            if index in sums
        },
    )
