"""Time and memory of predicting a picture of 4,096 x 4,096 pixels with about 5,000 objects.

Trains a small network on the sample of touching cells, imported for tiles, for a few epochs. Then
the command line predicts, in a process of its own, a picture of one field and the large one, with
label images and a table of the objects. Prints seconds, processor time and the largest memory of
both; aim: 20 s on two cores, and a memory that does not grow with the picture.

    python tests/benchmarks/large_instances.py [--epochs 6] [--side 4096] [--objects 5000]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from studio.engine.datasets.sources.drawn_touching import SIDE, Stain, drawn_cells

FIELDS = 24
"""Different fields that the large picture repeats."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--objects", type=int, default=5000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        small, large, count = draw(folder, options.side // SIDE, options.objects)
        training = ["--network", "star_unet", "--epochs", str(options.epochs)]
        measured(folder, "datasets", "import", "touching_cells", "--tile-size", str(SIDE))
        measured(folder, "train", "--dataset", "touching_cells", "--name", "run", *training)
        for name, path, objects in (("one field", small, None), ("large", large, count)):
            found = folder / name.replace(" ", "_")
            words = ["predict", "run", str(path), "--to", str(found)]
            seconds, processor, megabytes = measured(folder, *words, "--objects", "labels", "csv")
            lines = sum(1 for _ in (found / "objects.csv").open(encoding="utf-8")) - 1
            drawn = "" if objects is None else f" of {objects:,} drawn"
            print(
                f"{name}: {seconds:.1f} s, processor time {processor:.1f} s, at most "
                f"{megabytes:,.0f} MB, {lines:,} objects{drawn}",
                flush=True,
            )


def draw(folder: Path, across: int, objects: int) -> tuple[Path, Path, int]:
    """Write a picture of one field, and a large one whose fields are empty where enough are drawn.

    Returns:
        Both paths, and the number of objects in the large picture.
    """
    chance = random.Random(5)
    stain = Stain.of(chance)
    fields = [drawn_cells(stain, chance) for _ in range(FIELDS)]
    ground = (np.array(stain.ground) * 255).astype(np.uint8)
    picture = np.broadcast_to(ground, (across * SIDE, across * SIDE, 3)).copy()
    places = [(row, column) for row in range(across) for column in range(across)]
    chance.shuffle(places)
    count = 0
    for number, (row, column) in enumerate(places):
        if count >= objects:
            break
        pixels, _, classes = fields[number % FIELDS]
        top, left = row * SIDE, column * SIDE
        picture[top : top + SIDE, left : left + SIDE] = pixels
        count += len(classes)
    small, large = folder / "small.png", folder / "large.png"
    Image.fromarray(fields[0][0]).save(small)
    Image.fromarray(picture).save(large, compress_level=1)
    return small, large, count


def studio(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a command of Studio."""
    command = [sys.executable, "-m", "studio", "--workspace", str(folder / "workspace"), *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def measured(folder: Path, *words: str) -> tuple[float, float, float]:
    """Run a command; return its seconds, its processor time, and megabytes of its memory.

    Processes that it started are included; the memory is that of the largest one.
    """
    began = time.perf_counter()
    _, status, usage = os.wait4(studio(folder, *words).pid, 0)
    if status:
        raise RuntimeError(f"studio {' '.join(words)} ended with {status}")
    worked = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - began, worked, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
