"""Readers of folders of good images and defects, of which one mask or image is malformed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from fuzz.masks_read import SIDE, read
from fuzz.readers import Reader
from studio.engine.tasks import TASKS

TASK = TASKS["anomaly"]
_MASK = "in/ground_truth/crack/0.png"
_IMAGE = "in/test/crack/0.png"


def make(folder: Path) -> None:
    """Write good images, and defects with masks."""
    random = np.random.default_rng(0)
    for name in ("train/good", "test/good", "test/crack"):
        (folder / "in" / name).mkdir(parents=True)
        for index in range(2):
            pixels = random.integers(0, 255, (SIDE, SIDE, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / "in" / name / f"{index}.png")
    (folder / "in/ground_truth/crack").mkdir(parents=True)
    mask = np.zeros((SIDE, SIDE), np.uint8)
    mask[3:6, 4:9] = 255
    Image.fromarray(mask).save(folder / _MASK)


def _seeds(file: str, folder: Path) -> list[bytes]:
    make(folder)
    return [(folder / file).read_bytes()]


READERS = [
    Reader(f"defects {what}", file, partial(_seeds, file), partial(read, task=TASK), count=120)
    for what, file in (("mask", _MASK), ("image", _IMAGE))
]
