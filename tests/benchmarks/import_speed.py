"""How fast pictures are imported: 2,000 JPEG of 1024x768 to 224x224.

Three ways, in turns, on the same files: the whole of `import_dataset` (find, decode, resize, write
to the disk, split); a plain loop of Pillow on one core (open, convert, resize, keep the array);
and the ceiling, which is decoding alone on all cores, shrunk by the decoder as far as the size
allows, with nothing resized or kept. Prints images per second, and the ratios import / loop and
import / ceiling of each turn with their medians. Aim: at least 4 and 0.8.

    python tests/benchmarks/import_speed.py [--count 2000] [--turns 3]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import SilentProgress

WIDTH, HEIGHT, SIDE = 1024, 768, 224


def write_pictures(folder: Path, count: int) -> list[Path]:
    """Class folders of photograph-like JPEG files: large shapes, some grain, about 170 KB each."""
    paths = []
    for index in range(count):
        generator = np.random.default_rng(index % 50)
        coarse = generator.integers(0, 256, (24, 32, 3), np.uint8)
        image = Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
        grain = generator.normal(0, 22, (HEIGHT // 2, WIDTH // 2, 3))
        fine = np.asarray(
            Image.fromarray((grain + 128).clip(0, 255).astype(np.uint8))
            .resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
            .filter(ImageFilter.GaussianBlur(0.6)),
            np.int16,
        )
        pixels = (np.asarray(image, np.int16) + fine - 128).clip(0, 255).astype(np.uint8)
        path = folder / f"class {index % 10}" / f"{index:05}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path, "JPEG", quality=88)
        paths.append(path)
    return paths


def plain_loop(paths: Sequence[Path]) -> None:
    """What anybody would write by hand."""
    for path in paths:
        with Image.open(path) as image:
            np.asarray(image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR))


def ceiling(paths: Sequence[Path]) -> None:
    """Decode on all cores and throw it away."""

    def decode(path: Path) -> None:
        with Image.open(path) as image:
            image.draft("RGB", (SIDE, SIDE))
            image.load()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(decode, paths):
            pass


@dataclass(frozen=True)
class Pace:
    """How fast something was: images per second, and processor time per image on all cores."""

    rate: float
    milliseconds: float


def pace(work: Callable[[], object], count: int) -> Pace:
    start, used = time.perf_counter(), time.process_time()
    work()
    used = time.process_time() - used
    return Pace(count / (time.perf_counter() - start), used / count * 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_pictures(folder / "pictures", options.count)
        size = statistics.mean(path.stat().st_size for path in paths) / 1024
        print(f"{len(paths)} files of {size:.0f} KB on average")
        recipe = DatasetRecipe(source=str(folder / "pictures"), width=SIDE, height=SIDE)
        ratios = []
        for turn in range(options.turns):
            loop = pace(partial(plain_loop, paths), len(paths))
            out = folder / f"out{turn}"
            studio = pace(partial(import_dataset, recipe, out, SilentProgress()), len(paths))
            best = pace(partial(ceiling, paths), len(paths))
            ratios.append((studio.rate / loop.rate, studio.rate / best.rate))
            print(
                f"import {studio.rate:,.0f} images/s ({studio.milliseconds:.2f} ms of processor "
                f"each), loop {loop.rate:,.0f} ({loop.milliseconds:.2f} ms), "
                f"ceiling {best.rate:,.0f} ({best.milliseconds:.2f} ms): "
                f"{ratios[-1][0]:.2f} times the loop, {ratios[-1][1]:.2f} of the ceiling",
                flush=True,
            )
    by_loop, by_ceiling = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(
        f"median of {options.turns}: {by_loop:.2f} times the loop, {by_ceiling:.2f} of the ceiling"
    )


if __name__ == "__main__":
    main()
