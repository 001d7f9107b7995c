"""A small folder of pictures with flaws of which a test knows."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

COUNTS = {"daisy": 12, "rose": 9, "tulip": 9}
"""Sound pictures of each class; the flaws come on top."""


def blotches(seed: int, side: int = 32) -> Image.Image:
    """Soft spots of color; every seed another picture."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (6, 6, 3)).astype(np.uint8)
    return Image.fromarray(coarse).resize((side, side), Image.Resampling.BICUBIC)


def compressed(image: Image.Image) -> Image.Image:
    """Nearly the same picture."""
    data = BytesIO()
    image.save(data, "JPEG", quality=70)
    return Image.open(data).convert("RGB")


def flawed_folder(root: Path) -> Path:
    """Three copies of one picture, a near copy, one picture in two classes, a blank one.

    The copies are daisy 0 (twice more) and daisy 1 (once more), the near copy is of tulip 0, the
    picture in two classes is daisy 2 and rose "as rose".
    """
    seed = 0
    for name, number in COUNTS.items():
        (root / name).mkdir(parents=True)
        for index in range(number):
            blotches(seed).save(root / name / f"{index:03}.png")
            seed += 1
    blotches(0).save(root / "daisy" / "copy 0a.png")
    blotches(0).save(root / "daisy" / "copy 0b.png")
    blotches(1).save(root / "daisy" / "copy 1.png")
    compressed(blotches(2)).save(root / "rose" / "as rose.png")
    compressed(blotches(COUNTS["daisy"] + COUNTS["rose"])).save(root / "tulip" / "near 0.png")
    Image.new("RGB", (32, 32), (90, 90, 90)).save(root / "tulip" / "blank.png")
    (root / "rose" / "broken.png").write_bytes(b"no picture")
    return root
