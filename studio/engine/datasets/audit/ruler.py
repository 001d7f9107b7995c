"""Measures some images at once; the matrices for their shape are made once. NumPy only."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store

THUMB = 16
# Thumbnails are kept with mean 0 and deviation 32, as int8.
THUMB_SCALE = 32.0
# Gray levels at 8 bit rounding: an image that varies less has no structure to compare.
FLAT = 2.0
_FINE = 32
_LOW = 8
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Piece:
    """The measures of some images, in the order of the attributes of `Measures`."""

    pixel_hash: NDArray[np.uint64]
    outline: NDArray[np.uint64]
    thumbs: NDArray[np.int8]
    channel_mean: Floats
    channel_square: NDArray[np.float64]
    contrast: Floats
    dark_end: Floats
    bright_end: Floats
    sharpness: Floats
    split_sums: dict[int, NDArray[np.float64]]


class Ruler:
    """Measures images of a dataset."""

    def __init__(self, store: Store) -> None:
        self._store = store
        height, width, channels = store.shape
        cosines = _cosines()
        self._rows_of_outline = cosines @ _area(height, _FINE)
        self._columns_of_outline = (cosines @ _area(width, _FINE)).T
        self._rows_of_thumb = _area(height, THUMB)
        self._columns_of_thumb = _area(width, THUMB).T
        self._luma = gray_weights(channels)

    def measure(self, rows: NDArray[np.int64]) -> Piece:
        """Measure the images of some rows, ascending. Called from several threads."""
        images = self._images(rows)
        pixels = images.astype(np.float32)
        mean = pixels.mean(axis=(1, 2))
        square = np.square(pixels).mean(axis=(1, 2), dtype=np.float64)
        gray = pixels @ self._luma
        thumbs = self._rows_of_thumb @ gray @ self._columns_of_thumb
        ends = np.partition(thumbs.reshape(len(rows), -1), (5, THUMB**2 - 6), axis=1)
        contrast = np.sqrt(np.maximum(square - mean.astype(np.float64) ** 2, 0).max(axis=1))
        return Piece(
            pixel_hash=_pixel_hashes(images),
            outline=self._outlines(gray),
            thumbs=_normalized(thumbs.reshape(len(rows), -1), contrast),
            channel_mean=mean,
            channel_square=square,
            contrast=contrast.astype(np.float32),
            dark_end=ends[:, 5],
            bright_end=ends[:, -6],
            sharpness=_sharpness(gray),
            split_sums=self._split_sums(images, rows),
        )

    def _images(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The images; neighboring rows come straight from the memory map."""
        first, last = int(rows[0]), int(rows[-1])
        if last - first + 1 == len(rows):
            return self._store.images[first : last + 1]
        return self._store.images[rows]

    def _outlines(self, gray: Floats) -> NDArray[np.uint64]:
        waves = (self._rows_of_outline @ gray @ self._columns_of_outline).reshape(len(gray), -1)
        waves[:, 0] = 0.0  # the brightness of the whole says nothing about the outline
        bits = waves > np.median(waves[:, 1:], axis=1, keepdims=True)
        bits[:, 0] = False
        packed: NDArray[np.uint64] = np.packbits(bits, axis=1).view(np.uint64)[:, 0]
        return packed

    def _split_sums(
        self, images: NDArray[np.uint8], rows: NDArray[np.int64]
    ) -> dict[int, NDArray[np.float64]]:
        splits = self._store.split[rows]
        return {
            int(split): images[splits == split].sum(axis=0, dtype=np.float64)
            for split in np.unique(splits)
        }


def gray_weights(channels: int) -> Floats:
    """What each channel adds to the brightness; shape (channels,)."""
    return _LUMA if channels == 3 else np.ones(1, np.float32)


def _area(size: int, cells: int) -> Floats:
    """Matrix, cells x size, that averages `size` values into `cells` of the same extent."""
    edges = np.linspace(0, size, cells + 1)
    low, high = edges[:-1, None], edges[1:, None]
    place = np.arange(size)[None, :]
    overlap = np.clip(np.minimum(high, place + 1) - np.maximum(low, place), 0, None)
    weights: Floats = (overlap / overlap.sum(axis=1, keepdims=True)).astype(np.float32)
    return weights


def _cosines() -> Floats:
    """The eight slowest cosines over 32 cells, 8 x 32."""
    place = (2 * np.arange(_FINE) + 1) * np.pi / (2 * _FINE)
    waves: Floats = np.cos(np.arange(_LOW)[:, None] * place[None, :]).astype(np.float32)
    return waves


def _normalized(thumbs: Floats, contrast: NDArray[np.float64]) -> NDArray[np.int8]:
    centered = thumbs - thumbs.mean(axis=1, keepdims=True)
    deviation = np.maximum(centered.std(axis=1, keepdims=True), 0.25)
    scaled = np.clip(np.rint(centered / deviation * THUMB_SCALE), -127, 127)
    scaled[contrast < FLAT] = 0
    whole: NDArray[np.int8] = scaled.astype(np.int8)
    return whole


def _sharpness(gray: Floats) -> Floats:
    """Variance of the discrete Laplacian over the variance of the image."""
    if min(gray.shape[1:]) < 3:
        return np.full(len(gray), np.nan, np.float32)
    inner = gray[:, 1:-1, 1:-1]
    edges = gray[:, :-2, 1:-1] + gray[:, 2:, 1:-1] + gray[:, 1:-1, :-2] + gray[:, 1:-1, 2:]
    laplacian = edges - 4 * inner
    spread = gray.var(axis=(1, 2))
    result: Floats = laplacian.var(axis=(1, 2)) / np.maximum(spread, 1e-6)
    result[spread < FLAT**2] = np.nan
    return result


def _pixel_hashes(images: NDArray[np.uint8]) -> NDArray[np.uint64]:
    digests = b"".join(hashlib.blake2b(image, digest_size=16).digest() for image in images)
    return np.frombuffer(digests, np.uint64).reshape(-1, 2)
