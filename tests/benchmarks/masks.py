"""What masks cost the loader: bytes per second of images with masks, held against images alone.

The same pictures, as a dataset with masks and as one with classes, are read in whole epochs in
random order, in turns, by one process. Prints the rates and their ratio for each turn, plain and
with the light preset of augmentation, whose masks are turned with their images. Aim: 0.9.

    python tests/benchmarks/masks.py [--turns 2] [--images 2000] [--side 128]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from PIL import Image

from studio.engine.compute.pipeline import SplitBatches
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import PRESETS
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.progress import SilentProgress

BATCH = 64
SECONDS = 3.0
PRESETS_USED = ("off", "light")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--side", type=int, default=128)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        stores = written(Path(folder), options.images, options.side)
        ratios: dict[str, list[float]] = {preset: [] for preset in PRESETS_USED}
        for turn in range(options.turns):
            for preset in PRESETS_USED:
                names = list(stores) if turn % 2 else list(reversed(stores))
                rates = {name: rate(stores[name], preset) for name in names}
                ratios[preset].append(rates["masks"] / rates["images"])
                print(
                    f"turn {turn + 1}, augmentation {preset}: images {rates['images']:,.0f} MB/s, "
                    f"images with masks {rates['masks']:,.0f} MB/s, "
                    f"ratio {ratios[preset][-1]:.3f}",
                    flush=True,
                )
        for preset, values in ratios.items():
            print(f"augmentation {preset}: median ratio {statistics.median(values):.3f}")


def written(root: Path, images: int, side: int) -> dict[str, Store]:
    """Import the same pictures with masks, and in two classes."""
    random = np.random.default_rng(0)
    for index in range(images):
        coarse = Image.fromarray(random.integers(0, 256, (8, 8, 3), np.uint8))
        picture = coarse.resize((side, side), Image.Resampling.BILINEAR)
        mask = np.asarray(picture)[..., 0] // 64
        name = f"{index:05}.png"
        for path, pixels in (
            (root / "masks" / "images" / name, np.asarray(picture)),
            (root / "masks" / "masks" / name, mask),
            (root / "classes" / "ab"[index % 2] / name, np.asarray(picture)),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(path, compress_level=1)
    stores = {}
    for name, task in (("images", "classification"), ("masks", "segmentation")):
        source = root / ("masks" if name == "masks" else "classes")
        size = {"width": side, "height": side, "val_percent": 0, "test_percent": 0}
        recipe = DatasetRecipe.parse({"source": str(source), "task": task} | size)
        import_dataset(recipe, root / f"dataset {name}", SilentProgress())
        stores[name] = Store.open(root / f"dataset {name}")
    return stores


def rate(store: Store, preset: str) -> float:
    """Return millions of bytes per second of reading whole epochs, after one to warm up."""
    batches = SplitBatches(store, "train", BATCH, 0, Augmenter(PRESETS[preset].plan, 0))
    with store.stays_mapped():
        read(batches, 0)
        done, epoch, began = 0, 0, time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            epoch += 1
            done += read(batches, epoch)
        return done / (time.perf_counter() - began) / 1e6


def read(batches: SplitBatches, epoch: int) -> int:
    """Read an epoch in one thread; return its bytes, those of masks included."""
    batches.set_epoch(epoch)
    total = 0
    for index in range(len(batches)):
        images, targets = batches[index]
        total += images.nbytes + (targets.nbytes if targets.ndim == 3 else 0)
    return total


if __name__ == "__main__":
    main()
