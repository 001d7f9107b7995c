"""What reading costs: images per second of the loader, alone and in training, and its memory.

Held against `keras.utils.image_dataset_from_directory` on the same pictures, and against arrays in
memory given to `fit`; same network, batch size and machine, in turns, in one process each.
Prints the ratios of each turn and their medians. Aims: alone at least 50 times the folder, in
training at least 1.0 of the arrays; memory that does not grow with the dataset. The same pictures
are read with 16 bits as well, by processor time: at most 1.3 times that of 8 bits for a byte.

    python tests/benchmarks/pipeline.py [--turns 5] [--per-class 500] [--side 96]
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pictures import class_folders

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME
from studio.engine.progress import SilentProgress

BATCH = 64
SECONDS = 2.0
EPOCHS = 3
GROWTH = 8
WARM_BATCHES = 4
MEASURED_IMAGES = 4000
ALONE = ("studio", "folder")
FIT = ("studio", "arrays", "folder", "light", "strong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--per-class", type=int, default=500)
    parser.add_argument("--side", type=int, default=96)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        pictures = class_folders(root, options.per_class)
        dataset = imported(root / "dataset", pictures, options.side)
        deep = imported(root / "deep", with_16_bits(pictures, root / "pictures"), options.side)
        ratios: dict[str, list[float]] = {}
        for turn in range(options.turns):
            words = [str(dataset), str(deep), str(pictures), str(options.side), str(turn)]
            for name, ratio in child("--turn", words).items():
                ratios.setdefault(name, []).append(ratio)
                print(f"turn {turn + 1}: {name}: {ratio:,.3f}", flush=True)
        for name, values in ratios.items():
            print(f"median of {options.turns}: {name}: {statistics.median(values):,.3f}")
        large = repeated(dataset, root / "large", GROWTH)
        for name, where in (("once", dataset), (f"{GROWTH} times", large)):
            growth = child("--memory", [str(where)])
            size = (where / FILE_NAME).stat().st_size / 2**20
            print(f"memory: {name} the images ({size:,.0f} MB): +{growth['megabytes']:.0f} MB")


def imported(folder: Path, pictures: Path, side: int) -> Path:
    folder.mkdir()
    recipe = DatasetRecipe(
        source=str(pictures), width=side, height=side, color="rgb", val_percent=0, test_percent=0
    )
    import_dataset(recipe, folder, SilentProgress())
    return folder


def with_16_bits(pictures: Path, folder: Path) -> Path:
    """Write the same pictures in color with 16 bits, whose low bits are noise."""
    import numpy as np
    import tifffile
    from PIL import Image

    generator = np.random.default_rng(0)
    for path in sorted(pictures.glob("*/*")):
        with Image.open(path) as image:
            exact = np.asarray(image.convert("RGB"), np.uint16) * 256
        exact += generator.integers(0, 256, exact.shape, np.uint16)
        target = folder / path.parent.name / f"{path.stem}.tif"
        target.parent.mkdir(parents=True, exist_ok=True)
        tifffile.imwrite(target, exact, photometric="rgb")
    return folder


def repeated(dataset: Path, folder: Path, times: int) -> Path:
    """The same dataset with every image several times."""
    import h5py
    import numpy as np

    folder.mkdir()
    with (
        h5py.File(dataset / FILE_NAME) as source,
        h5py.File(folder / FILE_NAME, "w") as target,
    ):
        for name, value in source.attrs.items():
            target.attrs[name] = value
        for name, column in source.items():
            values = column[:] if name == "classes" else np.concatenate([column[:]] * times)
            target.create_dataset(name, data=values, dtype=column.dtype)
    return folder


def child(what: str, words: list[str]) -> dict[str, float]:
    """Run a part of this file in a fresh process, and read what it measured."""
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"}
    done = subprocess.run(
        [sys.executable, __file__, what, *words],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def one_turn(dataset: Path, deep: Path, pictures: Path, side: int, turn: int) -> dict[str, float]:
    """Ratios of one turn; who goes first alternates."""
    loaders = loaders_of(dataset, pictures, side)
    by_depth = {"uint8": loaders, "uint16": loaders_of(deep, pictures, side)}
    depths = list(by_depth) if turn % 2 else list(reversed(by_depth))
    spent = {
        preset: {depth: processor_ms(by_depth[depth][preset]()) for depth in depths}
        for preset in ("studio", "light", "strong")
    }
    order = list(ALONE) if turn % 2 else list(reversed(ALONE))
    alone = {name: alone_rate(loaders[name]()) for name in (*order, "light", "strong")}
    fits = list(FIT) if turn % 2 else list(reversed(FIT))
    fit = {name: fit_rate(loaders[name](), side) for name in fits}
    fit |= {depth: fit_rate(by_depth[depth]["studio"](), side) for depth in depths}
    print({"alone": alone, "fit": fit, "spent": spent}, file=sys.stderr)
    per_byte = {
        f"{preset}: processor time for a byte with 16 bits / with 8 bits": ms["uint16"]
        / ms["uint8"]
        / 2
        for preset, ms in spent.items()
    }
    return per_byte | {
        "16 bits in fit / 8 bits in fit": fit["uint16"] / fit["uint8"],
        "studio images/s alone": alone["studio"],
        "studio alone / folder alone": alone["studio"] / alone["folder"],
        "light images/s alone, one thread": alone["light"],
        "strong images/s alone, one thread": alone["strong"],
        "light alone, one thread / folder alone": alone["light"] / alone["folder"],
        "arrays images/s in fit": fit["arrays"],
        "studio in fit / arrays in fit": fit["studio"] / fit["arrays"],
        "studio in fit / folder in fit": fit["studio"] / fit["folder"],
        "light in fit / arrays in fit": fit["light"] / fit["arrays"],
        "strong in fit / arrays in fit": fit["strong"] / fit["arrays"],
    }


def loaders_of(dataset: Path, pictures: Path, side: int) -> dict[str, Callable[[], Any]]:
    import keras
    import numpy as np

    from studio.engine.compute.pipeline import SplitBatches
    from studio.engine.datasets.augment.augmenter import Augmenter
    from studio.engine.datasets.augment.plan import PRESETS
    from studio.engine.datasets.store import Store

    store = Store.open(dataset)
    mapped = contextlib.ExitStack()  # as long as the process, like in a training run
    mapped.enter_context(store.images.stays_mapped())
    atexit.register(mapped.close)

    def ours(preset: str) -> SplitBatches:
        return SplitBatches(store, "train", BATCH, 0, Augmenter(PRESETS[preset].plan, 0))

    def folder() -> Any:
        return keras.utils.image_dataset_from_directory(
            str(pictures), image_size=(side, side), batch_size=BATCH, verbose=False
        )

    return {
        "studio": lambda: ours("off"),
        "light": lambda: ours("light"),
        "strong": lambda: ours("strong"),
        "folder": folder,
        "arrays": lambda: (np.array(store.images), np.array(store.labels)),
    }


def alone_rate(loader: Any) -> float:
    """Images per second of reading whole epochs, after one to warm up."""
    count = 0
    began = 0.0
    while not began or time.perf_counter() - began < SECONDS:
        for index, (pixels, _) in enumerate(epoch_of(loader)):
            count += len(pixels)
            if began and time.perf_counter() - began >= SECONDS:
                break
            if not began and index == 40:
                break
        if not began:
            count, began = 0, time.perf_counter()
    return count / (time.perf_counter() - began)


def processor_ms(loader: Any) -> float:
    """Processor time of reading an image alone in milliseconds, after some batches to warm up."""
    count, used = 0, 0.0
    for index, (pixels, _) in enumerate(epoch_of(loader)):
        if index >= WARM_BATCHES and not used:
            used, count = time.process_time(), 0
        count += len(pixels)
        if count >= MEASURED_IMAGES and used:
            break
    if not used or not count:
        raise SystemExit("too few images: raise --per-class")
    return (time.process_time() - used) / count * 1000


def epoch_of(loader: Any) -> Any:
    """The batches of an epoch; a `PyDataset` by index, as Keras reads it."""
    if hasattr(loader, "set_epoch"):
        return (loader[index] for index in range(len(loader)))
    return iter(loader)


def fit_rate(loader: Any, side: int) -> float:
    """Images per second of training a middling network; the first epoch compiles."""
    import keras

    from studio.engine.compute.build import build
    from studio.engine.compute.loop import Follower, Loop
    from studio.engine.compute.pipeline import SplitBatches
    from studio.engine.networks.zoo import ZOO

    classes = 10
    model = build(ZOO["lenet"].build((side, side, 3), classes), seed=0)
    model.compile("adam", "sparse_categorical_crossentropy")
    times: list[float] = []
    note = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: times.append(time.time()))
    options: dict[str, Any] = {"epochs": EPOCHS + 1, "verbose": 0, "callbacks": [note]}
    if isinstance(loader, tuple):
        images = len(loader[0])
        model.fit(*loader, batch_size=BATCH, **options)
    elif isinstance(loader, SplitBatches):
        images = loader.count
        follower = Follower()
        follower.epoch_ended = lambda *_: times.append(time.time())  # type: ignore[method-assign]
        Loop(model, loader).train(follower, 0, EPOCHS + 1)
    else:
        images = len(loader.file_paths)
        model.fit(loader, shuffle=False, **options)
    return images * EPOCHS / (times[-1] - times[0])


def memory(dataset: Path) -> dict[str, float]:
    """Megabytes that reading half of two augmented epochs adds."""
    from studio.engine.compute.pipeline import SplitBatches
    from studio.engine.datasets.augment.augmenter import Augmenter
    from studio.engine.datasets.augment.plan import PRESETS
    from studio.engine.datasets.store import Store

    before = anonymous_megabytes()
    store = Store.open(dataset)
    batches = SplitBatches(store, "train", BATCH, 0, Augmenter(PRESETS["light"].plan, 0))
    for epoch in range(2):
        batches.set_epoch(epoch)
        for index in range(0, len(batches), 4):
            batches[index]
    return {"megabytes": anonymous_megabytes() - before}


def anonymous_megabytes() -> float:
    """What the process holds that is in no file; pages of the memory map do not count."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (found,) = (line for line in lines if line.startswith("RssAnon:"))
    return int(found.split()[1]) / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--turn"]:
        given = sys.argv[2:]
        dataset, deep, pictures = map(Path, given[:3])
        print(json.dumps(one_turn(dataset, deep, pictures, int(given[3]), int(given[4]))))
    elif sys.argv[1:2] == ["--memory"]:
        print(json.dumps(memory(Path(sys.argv[2]))))
    else:
        main()
