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

from studio.engine.arrays import Pixels
from studio.engine.datasets.fingerprints import (
    FLAT,
    THUMB,
    Fingerprinter,
    Statistic,
    byte_scale,
    gray_weights,
)
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.files import disk_full_is_clear
from studio.engine.progress import Progress


@dataclass(frozen=True, slots=True)
class StatisticsChunk:
    """Statistics of some images, in the order of the attributes of `Measures`."""

    pixel_hash: NDArray[np.uint64]
    outline: NDArray[np.uint64]
    thumbs: NDArray[np.int8]
    channel_mean: Statistic
    channel_square: NDArray[np.float64]
    contrast: Statistic
    dark_end: Statistic
    bright_end: Statistic
    sharpness: Statistic
    split_sums: dict[int, NDArray[np.float64]]


class ImageStatistics:
    """Computes the statistics of the images of a dataset."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fingerprinter = Fingerprinter(store.shape, store.pixel_format)

    def measure(self, rows: NDArray[np.int64]) -> StatisticsChunk:
        """Measure the images of some rows, ascending. Called from several threads."""
        images = self._images(rows)
        pixels = byte_scale(images, self._store.pixel_format)
        prints = self._fingerprinter.measure(images)
        gray = pixels @ gray_weights(pixels.shape[3])
        cells = self._fingerprinter.cells(gray).reshape(len(rows), -1)
        ends = np.partition(cells, (5, THUMB**2 - 6), axis=1)
        return StatisticsChunk(
            pixel_hash=prints.pixel_hash,
            outline=prints.outline,
            thumbs=prints.thumbs,
            channel_mean=prints.channel_mean,
            channel_square=np.square(pixels).mean(axis=(1, 2), dtype=np.float64),
            contrast=prints.contrast,
            dark_end=ends[:, 5],
            bright_end=ends[:, -6],
            sharpness=_sharpness(gray),
            split_sums=self._split_sums(pixels, rows),
        )

    def _images(self, rows: NDArray[np.int64]) -> Pixels:
        """Return the images; neighboring rows come straight from the memory map."""
        first, last = int(rows[0]), int(rows[-1])
        if last - first + 1 == len(rows):
            return self._store.images[first : last + 1]
        return self._store.images[rows]

    def _split_sums(
        self, images: Statistic, rows: NDArray[np.int64]
    ) -> dict[int, NDArray[np.float64]]:
        splits = self._store.split[rows]
        return {
            int(split): images[splits == split].sum(axis=0, dtype=np.float64)
            for split in np.unique(splits)
        }


def _sharpness(gray: Statistic) -> Statistic:
    """Variance of the discrete Laplacian over the variance of the image."""
    if min(gray.shape[1:]) < 3:
        return np.full(len(gray), np.nan, np.float32)
    inner = gray[:, 1:-1, 1:-1]
    edges = gray[:, :-2, 1:-1] + gray[:, 2:, 1:-1] + gray[:, 1:-1, :-2] + gray[:, 1:-1, 2:]
    laplacian = edges - 4 * inner
    spread = gray.var(axis=(1, 2))
    result: Statistic = laplacian.var(axis=(1, 2)) / np.maximum(spread, 1e-6)
    result[spread < FLAT**2] = np.nan
    return result


_CHUNK_VALUES = 2**20


@dataclass(frozen=True, slots=True)
class Measures:
    """Statistics of M images.

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
    channel_mean: Statistic
    contrast: Statistic
    dark_end: Statistic
    bright_end: Statistic
    sharpness: Statistic
    color_mean: NDArray[np.float64]
    color_deviation: NDArray[np.float64]
    mean_images: dict[str, NDArray[np.float64]]

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Images without structure, M."""
        result: NDArray[np.bool_] = self.contrast < FLAT
        return result

    @property
    def brightness(self) -> Statistic:
        """Mean brightness, 0 to 255, M."""
        gray: Statistic = self.channel_mean @ gray_weights(self.channel_mean.shape[1])
        return gray


def measure(store: Store, progress: Progress) -> Measures:
    """Compute the statistics of every included image.

    Args:
        store: The dataset.
        progress: Receives the progress and may cancel.

    Raises:
        DiskFullError: No space was left for the thumbnails.
        Cancelled: The job was asked to end.
    """
    rows = np.flatnonzero(store.split != SKIPPED).astype(np.int64)
    folder = store.path.parent
    chunks: list[StatisticsChunk] = []
    sums: dict[int, NDArray[np.float64]] = {}
    with disk_full_is_clear(folder), tempfile.TemporaryFile(dir=folder) as file:
        # Written, not mapped, while it grows: on a full disk that is an error and no crash.
        for chunk in _chunks(store, rows, progress):
            file.write(chunk.thumbs.tobytes())
            chunks.append(replace(chunk, thumbs=chunk.thumbs[:0], split_sums={}))
            _add(sums, chunk.split_sums)
        file.flush()
        thumbs = _mapped(file, len(rows))  # stays when the file is closed
    return _joined(store, rows, chunks, thumbs, sums)


def _chunks(
    store: Store, rows: NDArray[np.int64], progress: Progress
) -> Iterator[StatisticsChunk]:
    statistics = ImageStatistics(store)
    size = max(1, _CHUNK_VALUES // int(np.prod(store.shape)))
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    workers = os.cpu_count() or 1
    done = 0
    with ThreadPoolExecutor(workers, "audit") as pool:
        for start in range(0, len(batches), workers):
            progress.check()
            for chunk in pool.map(statistics.measure, batches[start : start + workers]):
                yield chunk
                done += len(chunk.contrast)
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
    chunks: list[StatisticsChunk],
    thumbs: NDArray[np.int8],
    sums: dict[int, NDArray[np.float64]],
) -> Measures:
    def column(name: str, empty: tuple[int, ...] = (0,)) -> NDArray[Any]:
        parts = [getattr(chunk, name) for chunk in chunks]
        return np.concatenate(parts) if parts else np.zeros(empty)

    channels = store.shape[2]
    mean, square = column("channel_mean", (0, channels)), column("channel_square", (0, channels))
    whole = mean.mean(axis=0, dtype=np.float64) if chunks else np.zeros(channels)
    spread = square.mean(axis=0) - whole**2 if chunks else np.zeros(channels)
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
