"""Spoiled images: of the same kind, the worse the stronger, and the same every time."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.compute.measured import CORRUPTIONS, CorruptionKind, spoiled


def _images(channels: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    ramp = np.linspace(20, 200, 24)
    pattern = ramp[:, None] * 0.5 + ramp[None, :] * 0.5
    pattern[8:16, 6:12] = 235
    image = np.repeat(pattern[:, :, None], channels, axis=2).astype(np.uint8)
    return np.stack([image, image[::-1]])


@pytest.mark.parametrize("kind", CORRUPTIONS, ids=lambda kind: str(kind.name))
@pytest.mark.parametrize("channels", [1, 3])
def test_images_get_worse_with_the_strength(kind: CorruptionKind, channels: int) -> None:
    images, seeds = _images(channels), np.array([3, 4])
    far = []
    for strength in sorted(kind.strengths, key=lambda each: abs(each - kind.none)):
        worse = spoiled(images, kind, strength, seeds)
        assert worse.dtype == np.uint8
        assert worse.shape == images.shape
        assert (worse == spoiled(images, kind, strength, seeds)).all()
        far.append(float(np.abs(worse.astype(int) - images).mean()))

    assert spoiled(images, kind, kind.none, seeds) is images
    assert far[0] > 0
    assert far[-1] > 1.5 * far[0]
    if kind.name != "brightness":
        assert far == sorted(far)
