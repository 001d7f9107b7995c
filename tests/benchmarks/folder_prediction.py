"""Images per second of a folder through the engine host, against a bare `model.predict`.

The bare call gets the pictures decoded; the host reads and decodes the files. Both in turns, on
MobileNetV2 at 224 x 224 with random weights. Aim: at least 0.9 of the bare call.

    python tests/benchmarks/folder_prediction.py [--pictures 384] [--turns 3]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bare_model import CLASSES, SIDE, BareModel, make_model, make_pictures

from studio.engine.datasets.decode import load_image
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.inference.models import ModelSource
from studio.engine.inference.predicting import CHUNK, predict_all
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.jobs.host import EngineHost


class Counted:
    """Counts the answers."""

    def __init__(self) -> None:
        self.done = 0

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        self.done += len(predictions)

    def restarted(self) -> None:
        raise RuntimeError("the host died")

    def advanced(self, fraction: float) -> None:
        pass

    def is_cancelled(self) -> bool:
        return False


def host_seconds(host: EngineHost, source: ModelSource, pictures: Sequence[Picture]) -> float:
    """Seconds until all are answered."""
    counted = Counted()
    began = time.perf_counter()
    predict_all(host, source, pictures, counted)
    seconds = time.perf_counter() - began
    if counted.done != len(pictures):
        raise RuntimeError(f"{counted.done} of {len(pictures)} were answered")
    return seconds


def measure(folder: Path, number: int, turns: int) -> None:
    """Print a line per turn, and the ratio."""
    paths = make_pictures(folder / "pictures", number)
    recipe = DatasetRecipe(source="", width=SIDE, height=SIDE)
    began = time.perf_counter()
    np.save(folder / "images.npy", np.stack([load_image(path, recipe) for path in paths]))
    decoding = (time.perf_counter() - began) / number
    model = make_model(folder / "model.keras")
    names = tuple(map(str, range(CLASSES)))
    source = ModelSource(file=str(model), name="bare", classes=names, recipe=recipe)
    pictures = [Picture(path) for path in paths]
    ratios = []
    with (
        contextlib.closing(EngineHost()) as host,
        BareModel(model, folder / "images.npy") as bare,
    ):
        host_seconds(host, source, pictures[:CHUNK])
        bare.many(min(number, CHUNK), CHUNK)
        for _ in range(turns):
            plain, ours = bare.many(number, CHUNK), host_seconds(host, source, pictures)
            ratios.append(plain / ours)
            print(
                f"bare {number / plain:7.1f} images/s, host {number / ours:7.1f} images/s, "
                f"ratio {ratios[-1]:.2f}"
            )
    print(
        f"median ratio {statistics.median(ratios):.2f}; decoding one picture takes "
        f"{decoding * 1000:.1f} ms of one core; {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pictures", type=int, default=384)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.pictures, options.turns)


if __name__ == "__main__":
    main()
