"""Numbers of boxes that are percent or centers: what shows it, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.tasks.detection.box_evidence import are_halves, are_percent, are_pushed

Boxes = NDArray[np.float64]
SIZE = (110, 95)


def _boxes(seed: int, count: int = 60, size: tuple[int, int] = SIZE) -> Boxes:
    """Left, top, width and height in whole pixels, anywhere in an image; shape (count, 4)."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(5, 40, (count, 2))
    return np.column_stack([rng.integers(0, np.array(size) - sides + 1), sides]).astype(float)


def _corners(boxes: Boxes) -> Boxes:
    return np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])


def _centers(boxes: Boxes) -> Boxes:
    return np.column_stack([boxes[:, :2] + boxes[:, 2:] / 2, boxes[:, 2:]])


def _images(boxes: Boxes) -> list[tuple[NDArray[Any], tuple[int, int]]]:
    return [(each, SIZE) for each in np.array_split(boxes, 20)]


@pytest.mark.parametrize("seed", range(20))
def test_only_percent_are_percent(seed: int) -> None:
    pixels = _corners(_boxes(seed))
    percent = pixels / (*SIZE, *SIZE) * 100
    moved = pixels + np.random.default_rng(seed).uniform(0, 0.99, pixels.shape)

    assert are_percent(_images(percent))
    assert are_percent(_images(percent.round(1)))
    assert not are_percent(_images(pixels))
    assert not are_percent(_images(moved))
    assert not are_percent([(pixels[:20], (100, 100))])


@pytest.mark.parametrize("seed", range(20))
def test_only_centers_are_halves(seed: int) -> None:
    boxes = _boxes(seed)
    quarters = boxes + np.random.default_rng(seed).integers(0, 4, boxes.shape) / 4

    assert are_halves(_centers(boxes))
    assert not are_halves(boxes)
    assert not are_halves(quarters)
    assert not are_halves(boxes + np.array((0.5, 0.5, 0, 0)))
    assert not are_halves(_centers(boxes)[:2])


@pytest.mark.parametrize("seed", range(20))
def test_only_centers_are_pushed(seed: int) -> None:
    boxes = _boxes(seed, 300) + np.random.default_rng(seed).uniform(0, 0.5, (300, 4))
    middle = boxes[(np.abs(_centers(boxes)[:, :2] / SIZE - 0.5) < 0.2).all(axis=1)]

    assert are_pushed(_images(_centers(boxes)))
    assert not are_pushed(_images(boxes))
    assert not are_pushed(_images(middle))
