"""A sample as from a fluorescence microscope: cells in three channels of 12 bits, with masks."""

from __future__ import annotations

import importlib.util
import math
import random
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.datasets.sources.drawn_samples import written_once
from studio.engine.errors import StudioError
from studio.engine.installation import install_command
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.arrays import Floats

CELLS_COUNT: Final = 240
SIDE: Final = 96
CHANNELS: Final = ("DAPI", "actin", "tubulin")
CLASSES: Final = ("background", "nucleus", "dividing")
_FULL: Final = 4095
"""Largest value of a camera of 12 bits."""
_PIXEL_UM: Final = 0.65
_SEED: Final = 36
_MOST_CELLS: Final = 14
_RADII: Final = (5.0, 8.5)
_DIVIDING: Final = 0.25
"""Fraction of the cells that divide."""
_DARK: Final = (90.0, 140.0)
"""Range of the signal of the camera without light."""
_GAIN: Final = 1.6
"""Variance of the noise per unit of signal."""


def write_cells(folder: Path, progress: Progress) -> Path:
    """Write `microscopy/images/0000.tif` … and `masks/0000.png` … below `folder`.

    The same 240 pictures of 96 x 96 pixels every time: nuclei, and cells that divide, in the
    channels DAPI, actin and tubulin of a camera of 12 bits, with its noise and uneven light.
    Dividing cells differ most in tubulin. The folder appears complete or not at all.

    Args:
        folder: Folder in which it is created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content, or the extra for microscopy is not
            installed.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    if importlib.util.find_spec("tifffile") is None:
        raise StudioError(
            "This sample needs packages for files of microscopes.",
            "Install them: {command}",
            command=install_command("microscopy"),
        )
    return written_once(
        folder / "microscopy",
        2 * CELLS_COUNT,
        "images and masks",
        lambda partial: _write_files(partial, progress),
    )


def _write_files(folder: Path, progress: Progress) -> None:
    import tifffile  # noqa: PLC0415 - the window lists the samples at start
    from PIL import Image  # noqa: PLC0415

    chance = random.Random(_SEED)  # noqa: S311 - decides what is drawn, nothing more
    for name in ("images", "masks"):
        (folder / name).mkdir()
    names = "".join(f"{name}\n" for name in CLASSES)
    (folder / "classes.txt").write_text(names, encoding="utf-8")
    facts = {
        "axes": "CYX",
        "Channel": {"Name": list(CHANNELS)},
        "SignificantBits": _FULL.bit_length(),
        "PhysicalSizeX": _PIXEL_UM,
        "PhysicalSizeY": _PIXEL_UM,
    }
    for index in range(CELLS_COUNT):
        progress.check()
        pixels, mask = drawn_cells(chance)
        path = folder / "images" / f"{index:04}.tif"
        # By default it is random, and the files would differ each time.
        identity = {"UUID": f"urn:uuid:{uuid.UUID(int=_SEED * CELLS_COUNT + index)}"}
        tifffile.imwrite(
            path, pixels, ome=True, photometric="minisblack", metadata=facts | identity
        )
        Image.fromarray(mask).save(folder / "masks" / f"{index:04}.png")
        progress.advance(index + 1, CELLS_COUNT, "Drawing cells")


def drawn_cells(chance: random.Random) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Draw some cells.

    Returns:
        The channels, shape (3, side, side), and the class of each pixel, shape (side, side).
    """
    import numpy as np  # noqa: PLC0415 - the window lists the samples at start

    rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64)
    light = np.zeros((len(CHANNELS), SIDE, SIDE))
    mask = np.zeros((SIDE, SIDE), np.uint8)
    taken: list[tuple[float, float, float]] = []
    for _ in range(_MOST_CELLS):
        radius = chance.uniform(*_RADII)
        x, y = (chance.uniform(radius, SIDE - radius) for _ in range(2))
        if all(math.dist((x, y), other[:2]) > 1.3 * (radius + other[2]) for other in taken):
            taken.append((x, y, radius))
            around = (columns - x, rows - y)
            drawn = _dividing if chance.random() < _DIVIDING else _resting
            drawn(light, mask, around, radius, chance)
    uneven = 1 - 0.35 * ((columns - SIDE / 2) ** 2 + (rows - SIDE / 2) ** 2) / (SIDE**2 / 2)
    signal = light * uneven * chance.uniform(0.6, 1.1) + chance.uniform(*_DARK)
    noisy = signal + np.sqrt(_GAIN * signal) * _normal(signal.shape, chance)
    return np.clip(np.rint(noisy), 0, _FULL).astype(np.uint16), mask


_Around = tuple["Floats", "Floats"]
"""Distance of each pixel from the center of a cell, to the right and down."""


def _resting(
    light: Floats,
    mask: NDArray[np.uint8],
    around: _Around,
    radius: float,
    chance: random.Random,
) -> None:
    """Draw a cell with a round nucleus; its tubulin is spread over the cell."""
    import numpy as np  # noqa: PLC0415

    across, along = _turned(around, chance.uniform(0, math.pi))
    stretch = chance.uniform(1.0, 1.35)
    distance = np.hypot(across * stretch, along / stretch) / radius
    body = np.hypot(across, along / 1.3) / (2.1 * radius)
    texture = 1 + 0.15 * np.sin(across * 1.7 + chance.uniform(0, 6)) * np.cos(along * 1.3)
    light[0] += chance.uniform(700, 1300) * _inside(distance, radius) * texture
    light[1] += chance.uniform(250, 500) * _inside(body, 2 * radius) * (0.4 + 0.6 * body)
    light[2] += chance.uniform(200, 450) * _inside(body, 2 * radius) * (distance > 0.9)
    mask[distance <= 1] = CLASSES.index("nucleus")


def _dividing(
    light: Floats,
    mask: NDArray[np.uint8],
    around: _Around,
    radius: float,
    chance: random.Random,
) -> None:
    """Draw a round cell with its chromosomes on a plate between the poles of a spindle."""
    import numpy as np  # noqa: PLC0415

    across, along = _turned(around, chance.uniform(0, math.pi))
    plate = np.hypot(across / (0.95 * radius), along / (0.5 * radius))
    poles = np.hypot(across / (0.75 * radius), along / (1.3 * radius))
    body = np.hypot(across, along) / (1.6 * radius)
    light[0] += chance.uniform(900, 1700) * _inside(plate, 0.5 * radius)
    light[1] += chance.uniform(400, 800) * np.exp(-(((body - 1) / 0.15) ** 2))
    light[2] += chance.uniform(1100, 2200) * _inside(poles, radius)
    mask[plate <= 1] = CLASSES.index("dividing")


def _turned(around: _Around, angle: float) -> _Around:
    right, down = around
    cosine, sine = math.cos(angle), math.sin(angle)
    return right * cosine + down * sine, down * cosine - right * sine


def _inside(distance: Floats, radius: float) -> Floats:
    """Return 1 inside of a shape and 0 outside, with a soft edge of about a pixel."""
    import numpy as np  # noqa: PLC0415

    soft: Floats = 1 / (1 + np.exp(np.clip((distance - 1) * radius * 2, -50, 50)))
    return soft


def _normal(shape: tuple[int, ...], chance: random.Random) -> Floats:
    """Return numbers that are nearly normally distributed, the same with any version of NumPy."""
    import numpy as np  # noqa: PLC0415

    size = math.prod(shape)
    parts = np.frombuffer(chance.randbytes(4 * size), np.uint8).reshape(4, *shape)
    total: Floats = (parts.sum(axis=0, dtype=np.float64) - 4 * 127.5) / math.sqrt(4 * 65535 / 12)
    return total
