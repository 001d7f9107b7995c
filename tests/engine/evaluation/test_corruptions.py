"""Spoiled images: of the same kind, the worse the stronger, and the same every time."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.arrays import Pixels
from studio.engine.compute.measured import CORRUPTIONS, CorruptionKind, spoiled
from studio.engine.pixel_format import PixelFormat

FORMATS = [
    pytest.param(PixelFormat.bytes_of(1), id="gray"),
    pytest.param(PixelFormat.bytes_of(3), id="color"),
    pytest.param(PixelFormat.uniform("uint16", 1, 0, 4095), id="12 bit"),
    pytest.param(PixelFormat.uniform("float32", 5, -1, 1), id="five channels"),
]


def _images(pixels: PixelFormat) -> Pixels:
    ramp = np.linspace(20, 200, 24)
    pattern = ramp[:, None] * 0.5 + ramp[None, :] * 0.5
    pattern[8:16, 6:12] = 235
    image = np.repeat(pattern[:, :, None], pixels.channels, axis=2).astype(np.uint8)
    return pixels.from_levels(np.stack([image, image[::-1]]).astype(np.float32))


@pytest.mark.parametrize("kind", CORRUPTIONS, ids=lambda kind: str(kind.name))
@pytest.mark.parametrize("pixels", FORMATS)
def test_images_get_worse_with_the_strength(kind: CorruptionKind, pixels: PixelFormat) -> None:
    images, seeds = _images(pixels), np.array([3, 4])
    far = []
    for strength in sorted(kind.strengths, key=lambda each: abs(each - kind.none)):
        worse = spoiled(images, kind, strength, seeds, pixels)
        assert worse.dtype == pixels.numpy_dtype
        assert worse.shape == images.shape
        assert (worse == spoiled(images, kind, strength, seeds, pixels)).all()
        far.append(float(np.abs(pixels.levels(worse) - pixels.levels(images)).mean()))

    assert spoiled(images, kind, kind.none, seeds, pixels) is images
    assert far[0] > 0
    assert far[-1] > 1.5 * far[0]
    if kind.name != "brightness":
        assert far == sorted(far)
