"""A sample of cells that touch: two classes, a label image for each picture, and their slides."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.csv_cells import CsvWriter
from studio.engine.datasets.origins.sidecar import write_sidecar
from studio.engine.datasets.sources.drawn_samples import written_once
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.arrays import Floats

SLIDES: Final = 24
FIELDS: Final = 8
"""Pictures of each slide, which share its light and its stain."""
SIDE: Final = 128
CLASSES: Final = ("round", "spindle")
_SEED: Final = 39
_MOST_CELLS: Final = 26
_RADII: Final = (6.0, 11.0)
_SPINDLES: Final = 0.35
"""Fraction of the cells that are long and thin."""
_TOUCHING: Final = 0.8
"""Least distance of two centers in sums of their radii: cells press against each other."""


def write_touching_cells(folder: Path, progress: Progress) -> Path:
    """Write `touching_cells/images/s00_f0.png` …, `labels/` … and `objects.csv` below `folder`.

    The same 192 pictures of 128 x 128 pixels every time: round cells and long ones that touch, on
    24 slides with a light and a stain of their own. `origins.csv` names the slide of each picture,
    so that the splits do not share slides. The folder appears complete or not at all.

    Args:
        folder: Folder in which it is created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    return written_once(
        folder / "touching_cells",
        2 * SLIDES * FIELDS,
        "images and label images",
        lambda partial: _write_files(partial, progress),
    )


def _write_files(folder: Path, progress: Progress) -> None:
    from PIL import Image  # noqa: PLC0415 - the window lists the samples at start

    chance = random.Random(_SEED)  # noqa: S311 - decides what is drawn, nothing more
    for name in ("images", "labels"):
        (folder / name).mkdir()
    slides: dict[str, str] = {}
    rows: list[tuple[str, int, str]] = []
    for slide in range(SLIDES):
        stain = Stain.of(chance)
        for field in range(FIELDS):
            progress.check()
            name = f"{slide * FIELDS + field:04}.png"
            pixels, numbers, classes = drawn_cells(stain, chance)
            Image.fromarray(pixels).save(folder / "images" / name)
            Image.fromarray(numbers).save(folder / "labels" / name)
            slides[f"images/{name}"] = f"slide {slide + 1}"
            rows += [(f"labels/{name}", number, each) for number, each in enumerate(classes, 1)]
        progress.advance(slide + 1, SLIDES, "Drawing cells")
    with (folder / "objects.csv").open("w", newline="", encoding="utf-8") as file:
        table = CsvWriter(file)
        table.writerow(("labels", "number", "class"))
        table.writerows(rows)
    write_sidecar(folder, "slide", slides)


class Stain:
    """Colors and light of a slide.

    Args:
        ground: Color of the ground, red, green and blue from 0 to 1.
        cell: Color of the cells.
        light: Strength of the light, and how much less of it there is at the corners.
    """

    def __init__(
        self,
        ground: tuple[float, ...],
        cell: tuple[float, ...],
        light: tuple[float, float],
    ) -> None:
        self.ground = ground
        self.cell = cell
        self.light = light

    @classmethod
    def of(cls, chance: random.Random) -> Stain:
        """Draw a stain."""
        ground = tuple(chance.uniform(0.8, 0.95) for _ in range(3))
        cell = (chance.uniform(0.45, 0.7), chance.uniform(0.2, 0.45), chance.uniform(0.5, 0.75))
        return cls(ground, cell, (chance.uniform(0.85, 1.05), chance.uniform(0.0, 0.25)))


def drawn_cells(
    stain: Stain, chance: random.Random
) -> tuple[NDArray[np.uint8], NDArray[np.uint16], list[str]]:
    """Draw some cells that touch.

    Args:
        stain: Colors and light of the slide.
        chance: Source of random numbers.

    Returns:
        The picture, shape (side, side, 3); the number of the cell of each pixel, shape (side,
        side); and the class of each cell, in the order of their numbers.
    """
    import numpy as np  # noqa: PLC0415 - the window lists the samples at start

    rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64)
    nearest = np.full((SIDE, SIDE), np.inf)
    numbers = np.zeros((SIDE, SIDE), np.uint16)
    classes: list[str] = []
    for x, y, radius in _places(chance):
        is_spindle = chance.random() < _SPINDLES
        stretch = chance.uniform(1.9, 2.4) if is_spindle else chance.uniform(1.0, 1.25)
        angle = chance.uniform(0, math.pi)
        across = (columns - x) * math.cos(angle) + (rows - y) * math.sin(angle)
        along = (rows - y) * math.cos(angle) - (columns - x) * math.sin(angle)
        distance = np.hypot(across * stretch**0.5, along / stretch**0.5) / radius
        # Pixels belong to the cell that they are deepest in, so that cells flatten each other.
        mine = (distance <= 1) & (distance < nearest)
        nearest = np.where(mine, distance, nearest)
        classes.append(CLASSES[int(is_spindle)])
        numbers[mine] = len(classes)
    numbers, classes = _without_hidden(numbers, classes)
    return _colored(numbers, nearest, stain, chance), numbers, classes


def _places(chance: random.Random) -> list[tuple[float, float, float]]:
    """Return center and radius of cells, many of which touch an earlier one."""
    found: list[tuple[float, float, float]] = []
    for _ in range(_MOST_CELLS * 2):
        radius = chance.uniform(*_RADII)
        x, y = (chance.uniform(0, SIDE) for _ in range(2))
        if found and chance.random() < 0.7:
            left, top, other = chance.choice(found)
            angle = chance.uniform(0, math.tau)
            x = left + 0.9 * (radius + other) * math.cos(angle)
            y = top + 0.9 * (radius + other) * math.sin(angle)
        is_inside = 0 <= x < SIDE and 0 <= y < SIDE
        apart = (math.dist((x, y), each[:2]) > _TOUCHING * (radius + each[2]) for each in found)
        if is_inside and all(apart):
            found.append((x, y, radius))
    return found[:_MOST_CELLS]


def _without_hidden(
    numbers: NDArray[np.uint16], classes: list[str]
) -> tuple[NDArray[np.uint16], list[str]]:
    """Return consecutive numbers of the cells that have pixels."""
    import numpy as np  # noqa: PLC0415

    present = [each for each in np.unique(numbers).tolist() if each]
    table = np.zeros(len(classes) + 1, np.uint16)
    table[present] = np.arange(1, len(present) + 1)
    return table[numbers], [classes[each - 1] for each in present]


def _colored(
    numbers: NDArray[np.uint16], depth: Floats, stain: Stain, chance: random.Random
) -> NDArray[np.uint8]:
    """Return the picture of cells, whose membranes are darker.

    Args:
        numbers: Number of the cell of each pixel, shape (side, side).
        depth: Distance of each pixel from the center of its cell, 1 at the membrane.
        stain: Colors and light.
        chance: Source of random numbers.
    """
    import numpy as np  # noqa: PLC0415

    inside = numbers > 0
    depth = np.where(inside, depth, 1.0)
    edge = np.zeros_like(inside)
    edge[1:] |= numbers[1:] != numbers[:-1]
    edge[:, 1:] |= numbers[:, 1:] != numbers[:, :-1]
    tones = np.array([1.0, *(chance.uniform(0.8, 1.2) for _ in range(int(numbers.max())))])
    amount = inside * np.clip(tones[numbers] * (0.45 + 0.35 * (depth < 0.45)), 0, 1)
    amount = np.clip(amount + 0.35 * edge, 0, 1)[..., None]
    pixels = (1 - amount) * np.array(stain.ground) + amount * np.array(stain.cell)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    far = ((columns - SIDE / 2) ** 2 + (rows - SIDE / 2) ** 2) / (SIDE**2 / 2)
    pixels *= (stain.light[0] * (1 - stain.light[1] * far))[..., None]
    noise = np.frombuffer(chance.randbytes(3 * SIDE**2), np.uint8).reshape(SIDE, SIDE, 3)
    pixels += (noise.astype(np.float64) - 127.5) / 127.5 * 0.05
    found: NDArray[np.uint8] = np.clip(np.rint(255 * pixels), 0, 255).astype(np.uint8)
    return found
