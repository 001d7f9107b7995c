"""Drawn shapes in all colors, places and turns: a sample that needs neither network nor data."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.datasets.sources.shared.written import written_once
from studio.engine.progress import Progress

if TYPE_CHECKING:
    from PIL.Image import Image

KINDS = ("circle", "cross", "ring", "square", "star", "triangle")
PER_KIND = 150
SIDE = 64
_SEED = 20
# Drawn larger and shrunk, because Pillow draws without smooth edges.
_OVERSIZE = 4

Point = tuple[float, float]


def write_shapes(folder: Path, progress: Progress) -> Path:
    """Write `shapes/circle/0000.png` … below `folder` and return the `shapes` folder.

    The same 900 images of 64 x 64 pixels every time. The folder appears at once and whole.

    Raises:
        StudioError: A folder of that name is there and is not the shapes.
        DiskFullError: No space was left; nothing remains.
        Cancelled: Through `progress`; nothing remains.
    """
    return written_once(
        folder / "shapes",
        len(KINDS) * PER_KIND,
        "shapes",
        lambda partial: _write_files(partial, progress),
    )


def _write_files(folder: Path, progress: Progress) -> None:
    chance = random.Random(_SEED)  # noqa: S311 - decides what is drawn, nothing more
    done = 0
    for kind in KINDS:
        (folder / kind).mkdir()
        for index in range(PER_KIND):
            progress.check()
            drawn(kind, chance).save(folder / kind / f"{index:04}.png")
            done += 1
            progress.advance(done, len(KINDS) * PER_KIND, "Drawing shapes")


def drawn(kind: str, chance: random.Random) -> Image:
    """One shape somewhere on a plain ground, 64 x 64, color."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - the window lists the samples at start

    full = SIDE * _OVERSIZE
    ground, color = _two_colors(chance)
    image = Image.new("RGB", (full, full), ground)
    draw = ImageDraw.Draw(image)
    radius = full * chance.uniform(0.16, 0.34)
    center = (chance.uniform(radius, full - radius), chance.uniform(radius, full - radius))
    if kind in {"circle", "ring"}:
        box = [center[0] - radius, center[1] - radius, center[0] + radius, center[1] + radius]
        width = round(radius * chance.uniform(0.25, 0.4))
        if kind == "circle":
            draw.ellipse(box, fill=color)
        else:
            draw.ellipse(box, outline=color, width=width)
    else:
        draw.polygon(_corners(kind, center, radius, chance.uniform(0, math.tau)), fill=color)
    return image.resize((SIDE, SIDE), Image.Resampling.BOX)


def _corners(kind: str, center: Point, radius: float, turn: float) -> list[Point]:
    if kind == "cross":
        arm = 0.3
        around = [(arm, 1), (arm, arm), (1, arm), (1, -arm), (arm, -arm), (arm, -1)]
        around += [(-x, -y) for x, y in around]
        outline = [(math.atan2(y, x), math.hypot(x, y) / math.hypot(1, arm)) for x, y in around]
    elif kind == "star":
        outline = [(math.tau * step / 10, 1.0 if step % 2 else 0.42) for step in range(10)]
    else:
        count = {"triangle": 3, "square": 4}[kind]
        outline = [(math.tau * step / count, 1.0) for step in range(count)]
    return [
        (
            center[0] + radius * length * math.cos(angle + turn),
            center[1] + radius * length * math.sin(angle + turn),
        )
        for angle, length in outline
    ]


def _two_colors(chance: random.Random) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """A ground and a color that stands out from it."""
    while True:
        ground = (chance.randrange(256), chance.randrange(256), chance.randrange(256))
        color = (chance.randrange(256), chance.randrange(256), chance.randrange(256))
        light = [0.3 * red + 0.6 * green + 0.1 * blue for red, green, blue in (ground, color)]
        if abs(light[0] - light[1]) > 60:
            return ground, color
