"""The largest batch that fits, from what an image of a batch needs."""

from __future__ import annotations

import math
from typing import Literal

SPARE = 0.1
"""Share of the memory that is left alone: what a step needs is not always the same."""

LARGEST = 65_536
"""As much as a plan takes."""

Limit = Literal["memory", "images", "range"]


def predicted_bytes(base: float, image_bytes: float, size: int) -> float:
    """What a worker needs with batches of a size, when it needs `base` without any."""
    return base + image_bytes * size


def does_fit(needed: float, free: int | None) -> bool:
    """Whether that much may be taken; yes where nobody knows what is free."""
    return free is None or needed <= (1 - SPARE) * free


def image_cost(base: int, peaks: dict[int, int], least: float) -> float:
    """Bytes of each image of a batch.

    Args:
        base: Bytes in use after steps with few images.
        peaks: Most bytes in use during steps, by the size of their batches.
        least: What an image needs in any case, its pixels being held.

    Returns:
        The rise to the largest size from the next one of half of it or less; from `base` where
        there is none.
    """
    if not peaks:
        return least
    largest = max(peaks)
    near = max((size for size in peaks if 2 * size <= largest), default=0)
    rise = (peaks[largest] - peaks.get(near, base)) / (largest - near)
    return max(least, rise)


def largest_batch(
    base: float, image_bytes: float, free: int | None, images: int
) -> tuple[int, Limit]:
    """The largest power of two that fits, and what limits it.

    Args:
        base: Bytes that the worker needs without any image.
        image_bytes: Bytes of each image of a batch.
        free: Bytes that it can have; None where nobody knows.
        images: Training images; a larger batch would be an epoch in less than a step.

    Returns:
        0 where not even one image fits.
    """
    bounds: list[tuple[int, Limit]] = [(images, "images"), (LARGEST, "range")]
    if free is not None and image_bytes > 0:
        room = max(0.0, (1 - SPARE) * free - base)
        bounds.append((int(min(room / image_bytes, 2.0**40)), "memory"))
    size, limit = min(bounds)
    return power_of_two(size), limit


def power_of_two(size: int) -> int:
    """The largest power of two that is not larger; 0 for 0."""
    return 2 ** int(math.log2(size)) if size > 0 else 0
