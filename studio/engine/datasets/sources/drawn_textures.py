"""A sample of good and defective parts: plates of brushed metal with drawn defects."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.datasets.sources.drawn_samples import written_once
from studio.engine.progress import Progress

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

SIDE: Final = 128
COUNTS: Final = {"good": 160, "scratch": 20, "spot": 20}
COUNT: Final = sum(COUNTS.values())
_SEED: Final = 24
_GRAIN: Final = 24
"""Contrast of the brushed metal, in levels."""


def write_textures(folder: Path, progress: Progress) -> Path:
    """Write `textures/good/0000.png` …, a folder for each kind of defect, and `masks/<kind>`.

    The same 200 pictures of 128 x 128 pixels every time. The folder appears complete or not at
    all.

    Args:
        folder: Folder in which it is created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    write = partial(_draw_plates, progress)
    return written_once(folder / "textures", COUNT, "images", write)


def _draw_plates(progress: Progress, folder: Path) -> None:
    chance = random.Random(_SEED)  # noqa: S311 - decides what is drawn, nothing more
    kinds = [kind for kind, count in COUNTS.items() for _ in range(count)]
    for kind in COUNTS:
        (folder / kind).mkdir()
        (folder / "masks" / kind).mkdir(parents=True)
    for number, kind in enumerate(kinds):
        progress.check()
        plate, mask = _plate(chance, kind)
        plate.save(folder / kind / f"{number:04}.png")
        if mask.getbbox():
            mask.save(folder / "masks" / kind / f"{number:04}.png")
        progress.advance(number + 1, COUNT, "Drawing textures")


def _plate(chance: random.Random, kind: str) -> tuple[Image, Image]:
    """Return a plate with a hole in each corner, and the mask of its defect."""
    from PIL import Image, ImageDraw, ImageFilter  # noqa: PLC0415 - kept out of the start

    size = SIDE, SIDE
    grain = Image.frombytes("L", (SIDE // 16, SIDE), chance.randbytes(SIDE * SIDE // 16))
    brushed = grain.resize(size, Image.Resampling.BILINEAR)
    light = chance.randint(120, 150)
    plate = brushed.point([light + (value - 128) * _GRAIN // 128 for value in range(256)])
    draw, mask = ImageDraw.Draw(plate), Image.new("L", size)
    for left in (12, SIDE - 12):
        for top in (12, SIDE - 12):
            draw.ellipse((left - 5, top - 5, left + 5, top + 5), fill=light - 70)
    _draw_defect(ImageDraw.Draw(mask), chance, kind)
    shade = light + chance.choice((-1, 1)) * chance.randint(45, 70)
    soft = mask.filter(ImageFilter.GaussianBlur(0.7))
    return Image.composite(Image.new("L", size, shade), plate, soft), mask


def _draw_defect(draw: ImageDraw, chance: random.Random, kind: str) -> None:
    """Draw a scratch or a spot; nothing on good plates."""
    x, y = (chance.uniform(0.25, 0.75) * SIDE for _ in range(2))
    if kind == "scratch":
        across, down = chance.uniform(-30, 30), chance.choice((-1, 1)) * chance.uniform(12, 30)
        draw.line((x, y, x + across, y + down), fill=255, width=chance.randint(2, 3))
    elif kind == "spot":
        radius = chance.uniform(3, 8)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
