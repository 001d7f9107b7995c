"""Real picture files for the tests of the datasets room, made on the spot."""

from __future__ import annotations

import signal
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import Cancelled, SilentProgress


def recipe(source: Path | str = "", **values: object) -> DatasetRecipe:
    return DatasetRecipe.parse({"source": str(source), "width": 8, "height": 8, **values})


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def noise(seed: int, width: int = 12, height: int = 9, channels: int = 3) -> NDArray[np.uint8]:
    shape = (height, width, channels) if channels > 1 else (height, width)
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def photo(seed: int, width: int = 48, height: int = 40, channels: int = 3) -> NDArray[np.uint8]:
    """Soft shapes with a little grain, H x W x C: compresses as a photograph does."""
    coarse = Image.fromarray(noise(seed, 5, 4, channels)).resize((width, height))
    soft = np.asarray(coarse).reshape(height, width, channels).astype(np.int16)
    grain = np.random.default_rng(seed).integers(-3, 4, soft.shape)
    pixels: NDArray[np.uint8] = np.clip(soft + grain, 0, 255).astype(np.uint8)
    return pixels


def noise_png(seed: int, width: int = 12, height: int = 9) -> bytes:
    return encoded(Image.fromarray(noise(seed, width, height)))


def class_folders(
    root: Path, counts: dict[str, int], make: Callable[[int], bytes] = noise_png
) -> Path:
    """`counts` images in a folder per class, every image another."""
    for position, (name, count) in enumerate(counts.items()):
        (root / name).mkdir(parents=True)
        for index in range(count):
            (root / name / f"image {index}.png").write_bytes(make(1000 * position + index))
    return root


def png_that_claims(width: int, height: int) -> bytes:
    """A few bytes that say they are a very large picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )


class Listener(SilentProgress):
    """Records progress, and cancels after a number of imported images."""

    def __init__(self, cancel_after: int | None = None) -> None:
        self.cancel_after = cancel_after
        self.steps: list[tuple[int, int, str]] = []
        self.warnings: list[str] = []

    def advance(self, done: int, total: int, what: str) -> None:
        self.steps.append((done, total, what))

    def warn(self, message: str) -> None:
        self.warnings.append(message)

    def check(self) -> None:
        if self.cancel_after is not None and len(self.steps) >= self.cancel_after:
            raise Cancelled


_KILLED = """
import os, signal, sys
from pathlib import Path
from studio.engine.datasets import writer
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import SilentProgress
class Killer(SilentProgress):
    def advance(self, done, total, what):
        if done == 25 and what == "Importing images":
            os.kill(os.getpid(), signal.SIGKILL)
writer.ROWS_BETWEEN_FLUSHES = 10
recipe = DatasetRecipe.model_validate_json(sys.argv[1])
import_dataset(recipe, Path(sys.argv[2]), Killer())
"""


def import_until_killed(asked: DatasetRecipe, folder: Path) -> None:
    """Import in another process, which is killed after 25 images; 20 of them were flushed."""
    words = [sys.executable, "-c", _KILLED, asked.model_dump_json(), str(folder)]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
