"""Training with Studio against what people would write instead: Keras and PyTorch by hand.

The same networks, batches and machine, from random weights; each is validated after each epoch. A
run of Studio, `keras.Model.fit` and a loop of PyTorch are processes that work in turns, see
`training_overhead`. The scripts have their arrays in memory. PyTorch computes channels last,
without `torch.compile` or, with `--compile`, with it; it runs in an environment of its own, and is
left out without one. Prints images per second by the median epoch, and the ratios Studio / peer of
time and of processor time. Aim: at least 1.0 of the faster peer.

    python tests/benchmarks/against_peers.py [--torch ENV/bin/python] [--repeat 3] [--only NETWORK]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pictures import class_folders, completed_dataset
from training_overhead import Case, Racer, Script, StudioRun, race

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.store import Store
from studio.engine.jobs.queue import JobQueue
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Record, Workspace

TORCH = Path(__file__).with_name("torch_script.py")
CASES = (
    Case("resnet18", 64, "rgb", 32, 60, 6),
    Case("mobilenet_v2", 224, "rgb", 16, 20, 6),
    Case("small_unet", 128, "rgb", 8, 0, 6),
)
"""Without pictures by class, the drawn shapes with masks are used."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", help="Python of an environment with PyTorch")
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only")
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    if options.torch is None:
        print("PyTorch is left out: --torch names an environment with it.")
    with tempfile.TemporaryDirectory() as folder:
        queue = JobQueue(Workspace.open(Path(folder) / "workspace"))
        for case in CASES:
            if options.only in (None, case.network):
                dataset = dataset_of(queue.workspace, Path(folder), case)
                measure(queue, dataset, case, options)


def dataset_of(workspace: Workspace, folder: Path, case: Case) -> Record:
    """Import the pictures of a case."""
    values = {"width": case.side, "height": case.side, "color": case.color, "test_percent": 0}
    if case.per_class:
        recipe = DatasetRecipe(source=str(class_folders(folder, case.per_class)))
    else:
        drawn = SAMPLES["shapes_segmentation"].write(folder / "shapes", SilentProgress())
        recipe = DatasetRecipe(source=str(drawn), task="segmentation")
    return completed_dataset(workspace, recipe.changed(**values), f"for {case.network}")


def measure(queue: JobQueue, dataset: Record, case: Case, options: argparse.Namespace) -> None:
    """Race, and print what was found."""
    arrays = dataset.folder.parent / f"{case.network}.npz"
    images = write_arrays(dataset, arrays)
    words = [str(arrays), case.network, str(case.batch), str(case.epochs)]
    scripts = {"keras": [sys.executable, __file__, "--keras", *words]}
    if options.torch:
        scripts["torch"] = [options.torch, str(TORCH), *words]
        scripts["torch"] += ["--compile"] if options.compile else []
    ratios: dict[str, list[float]] = {}
    for _ in range(options.repeat):
        racers: dict[str, Racer] = {"studio": StudioRun(queue, dataset, case)}
        racers |= {name: Script(each) for name, each in scripts.items()}
        race(list(racers.values()), case.epochs)
        medians = {name: statistics.median(each.seconds) for name, each in racers.items()}
        rates = ", ".join(f"{name} {images / took:,.0f}" for name, took in medians.items())
        print(f"{case.network}, images/s: {rates}", flush=True)
        for name, each in racers.items():
            if name != "studio":
                spent = each.cpu_seconds / racers["studio"].cpu_seconds
                ratios.setdefault(f"{name}, time", []).append(medians[name] / medians["studio"])
                ratios.setdefault(f"{name}, processor time", []).append(spent)
    for name, values in ratios.items():
        listed = ", ".join(f"{each:.2f}" for each in values)
        print(f"{case.network}: Studio / {name}: {statistics.median(values):.2f} ({listed})")


def write_arrays(dataset: Record, path: Path) -> int:
    """Write the images of a dataset for scripts; return the number of training images."""
    store = Store.open(dataset.folder)
    known = store.labels if store.regions is None else store.required_regions
    train, val = (np.sort(store.rows(split)) for split in ("train", "val"))
    np.savez(
        path,
        x=np.array(store.images[train]),
        y=np.array(known[train]).astype(np.int32),
        val_x=np.array(store.images[val]),
        val_y=np.array(known[val]).astype(np.int32),
    )
    return len(train)


def keras_script(arrays: str, network: str, batch: str, epochs: str) -> None:
    """Train with `fit`; prints the time of the end of each epoch, in seconds since 1970."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import keras

    from studio.engine.compute.build import build
    from studio.engine.networks.zoo import ZOO

    found = np.load(arrays)
    classes = 1 + int(max(found["y"].max(), found["val_y"].max()))
    model = build(ZOO[network].build(found["x"].shape[1:], classes), seed=0)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    note = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: print(time.time(), flush=True))
    model.fit(
        found["x"],
        found["y"],
        batch_size=int(batch),
        epochs=int(epochs),
        validation_data=(found["val_x"], found["val_y"]),
        verbose=0,
        callbacks=[note],
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--keras"]:
        keras_script(*sys.argv[2:])
    else:
        main()
