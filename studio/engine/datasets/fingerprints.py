"""Fingerprints of images, by which exact and near duplicates are found."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats, Pixels
from studio.engine.pixel_format import NETWORK_RANGE, PixelFormat

THUMB = 16
# Thumbnails are kept with mean 0 and deviation 32, as int8.
THUMB_SCALE = 32.0
# Gray levels at 8 bit rounding: an image that varies less has no structure to compare.
FLAT = 2.0
_FINE = 32
_LOW = 8
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)

Statistic = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Fingerprints of N images.

    Attributes:
        pixel_hash: 128 bits of each image's pixels, uint64, shape (N, 2).
        outline: Perceptual hash: the signs of 63 low frequencies, uint64, shape (N,).
        thumbs: Gray, 16 x 16, mean 0, deviation 32, int8, shape (N, 256); zero where flat.
        channel_mean: 0 to 255, shape (N, C).
        contrast: Largest standard deviation of a channel, gray levels, shape (N,).
    """

    pixel_hash: NDArray[np.uint64]
    outline: NDArray[np.uint64]
    thumbs: NDArray[np.int8]
    channel_mean: Statistic
    contrast: Statistic

    @classmethod
    def empty(cls, count: int, channels: int) -> Fingerprints:
        """Return fingerprints to be set by `set`.

        Args:
            count: Number of images.
            channels: Number of channels of the images.
        """
        return cls(
            np.zeros((count, 2), np.uint64),
            np.zeros(count, np.uint64),
            np.zeros((count, THUMB**2), np.int8),
            np.zeros((count, channels), np.float32),
            np.zeros(count, np.float32),
        )

    def set(self, row: int, one: Fingerprints) -> None:
        """Set the fingerprint of an image.

        Args:
            row: Index of the image.
            one: Its fingerprint, of one image.
        """
        for mine, other in zip(self._columns(), one._columns(), strict=True):
            mine[row] = other[0]

    def of(self, rows: NDArray[np.int64]) -> Fingerprints:
        """Return the fingerprints of some images."""
        return Fingerprints(
            self.pixel_hash[rows],
            self.outline[rows],
            self.thumbs[rows],
            self.channel_mean[rows],
            self.contrast[rows],
        )

    def _columns(self) -> tuple[NDArray[np.generic], ...]:
        return self.pixel_hash, self.outline, self.thumbs, self.channel_mean, self.contrast

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Images without structure, shape (N,)."""
        result: NDArray[np.bool_] = self.contrast < FLAT
        return result


class Fingerprinter:
    """Computes fingerprints of images; its matrices are made once.

    Args:
        shape: Height, width and channels of the images.
        pixel_format: Their number format; None for gray or color of 8 bits.
    """

    def __init__(
        self, shape: tuple[int, int, int], pixel_format: PixelFormat | None = None
    ) -> None:
        height, width, channels = shape
        self._pixels = pixel_format or PixelFormat.bytes_of(channels)
        cosines = _cosines()
        self._rows_of_outline = cosines @ _area(height, _FINE)
        self._columns_of_outline = (cosines @ _area(width, _FINE)).T
        self._rows_of_thumb = _area(height, THUMB)
        self._columns_of_thumb = _area(width, THUMB).T
        self._luma = gray_weights(channels)

    def measure(self, images: Pixels) -> Fingerprints:
        """Return the fingerprints of images of shape (N, height, width, channels).

        The pixels are compared as they are stored, everything else on the scale of 8 bits.
        """
        pixels = byte_scale(images, self._pixels)
        mean, square = _channel_means(pixels)
        contrast = np.sqrt(np.maximum(square - mean**2, 0).max(axis=1))
        gray = pixels @ self._luma
        cells = self.cells(gray).reshape(len(images), -1)
        return Fingerprints(
            pixel_hash=_pixel_hashes(images),
            outline=self._outlines(gray),
            thumbs=_normalized(cells, contrast),
            channel_mean=mean.astype(np.float32),
            contrast=contrast.astype(np.float32),
        )

    def cells(self, gray: Statistic) -> Statistic:
        """Return the means of 16 x 16 cells of gray images, shape (N, 16, 16)."""
        means = self._rows_of_thumb @ gray @ self._columns_of_thumb
        return means.astype(np.float32, copy=False)

    def _outlines(self, gray: Statistic) -> NDArray[np.uint64]:
        waves = (self._rows_of_outline @ gray @ self._columns_of_outline).reshape(len(gray), -1)
        waves[:, 0] = 0.0  # the brightness of the whole says nothing about the outline
        bits = waves > np.median(waves[:, 1:], axis=1, keepdims=True)
        bits[:, 0] = False
        packed: NDArray[np.uint64] = np.packbits(bits, axis=1).view(np.uint64)[:, 0]
        return packed


def _channel_means(pixels: Statistic) -> tuple[Floats, Floats]:
    """Return the mean of each channel and of its squares, each of shape (N, channels)."""
    count, height, width, channels = pixels.shape
    # Whole rows first: 25 times faster than adding pixel by pixel along a short axis.
    rows = pixels.reshape(count, height, width * channels)
    sums = rows.sum(axis=1), np.einsum("nhk,nhk->nk", rows, rows)
    mean, square = (
        each.reshape(count, width, channels).mean(axis=1, dtype=np.float64) / height
        for each in sums
    )
    return mean, square


def byte_scale(images: Pixels, pixel_format: PixelFormat) -> Statistic:
    """Return pixels on the scale of 8 bits, with fractions, clipped to 0 to 255.

    Args:
        images: Pixels, shape (…, height, width, channels).
        pixel_format: Their number format.
    """
    if pixel_format.is_standard:
        return images.astype(np.float32)
    return pixel_format.network_values(images).clip(*NETWORK_RANGE)


def gray_weights(channels: int) -> Statistic:
    """Return the weight of each channel in the brightness; shape (channels,)."""
    return _LUMA if channels == 3 else np.full(channels, 1 / channels, np.float32)


def _area(size: int, cells: int) -> Statistic:
    """Matrix, cells x size, that averages `size` values into `cells` of the same extent."""
    edges = np.linspace(0, size, cells + 1)
    low, high = edges[:-1, None], edges[1:, None]
    steps = np.arange(size)[None, :]
    overlap = np.clip(np.minimum(high, steps + 1) - np.maximum(low, steps), 0, None)
    weights: Statistic = (overlap / overlap.sum(axis=1, keepdims=True)).astype(np.float32)
    return weights


def _cosines() -> Statistic:
    """Return the eight slowest cosines over 32 cells, 8 x 32."""
    angles = (2 * np.arange(_FINE) + 1) * np.pi / (2 * _FINE)
    waves: Statistic = np.cos(np.arange(_LOW)[:, None] * angles[None, :]).astype(np.float32)
    return waves


def _normalized(thumbs: Statistic, contrast: NDArray[np.float64]) -> NDArray[np.int8]:
    centered = thumbs - thumbs.mean(axis=1, keepdims=True)
    deviation = np.maximum(centered.std(axis=1, keepdims=True), 0.25)
    scaled = np.clip(np.rint(centered / deviation * THUMB_SCALE), -127, 127)
    scaled[contrast < FLAT] = 0
    whole: NDArray[np.int8] = scaled.astype(np.int8)
    return whole


def _pixel_hashes(images: Pixels) -> NDArray[np.uint64]:
    digests = b"".join(
        hashlib.blake2b(image.tobytes(), digest_size=16).digest() for image in images
    )
    return np.frombuffer(digests, np.uint64).reshape(-1, 2)
