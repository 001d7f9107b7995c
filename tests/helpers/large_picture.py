"""Predicts a large picture tile by tile in a process of its own, and prints its peak memory.

Usage: python large_picture.py FILE TASK FOLDER. The network is a threshold on the brightness.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.decode import describe, load_parts, tiles_for
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.tasks import TASKS
from studio.engine.tasks.parts.files import PredictionWriter
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, TiledPicture

_NAMES = ("dark", "bright")


def _scored(pixels: NDArray[Any]) -> NDArray[np.float32]:
    """Return the probabilities of dark and of bright, shape (n, height, width, 2)."""
    bright = (pixels[..., :1] / 255).astype(np.float32)
    return np.concatenate([1 - bright, bright], axis=-1)


def _detected(pixels: NDArray[Any]) -> NDArray[np.float32]:
    """Return one detection of eight pixels in the middle of each tile, shape (n, 1, 6)."""
    middle = pixels.shape[1] / 2
    row = [1, middle - 4, middle - 4, middle + 4, middle + 4, 0.9]
    return np.tile(np.array(row, np.float32), (len(pixels), 1, 1))


def _peak_mb() -> float:
    """Return the peak memory of this program alone.

    Linux counts into `ru_maxrss` what the process that started it had before, such as a suite.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 1024)


def main() -> None:
    file, task, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    recipe = DatasetRecipe(
        source="x", task=task, width=256, height=256, tile_size=512, color="gray"
    )
    full = describe(file)[:2]
    tiles = tiles_for(full, recipe)
    parts = (pixels for pixels, _ in load_parts(file, recipe, None, tiles))
    score = _detected if task == "detection" else _scored
    picture = TiledPicture(parts, tiles, score, 8)
    predictor = TASKS[task].predictor
    seen = SeenPicture(full, recipe, is_decoded=True)
    meaning = Meaning(_NAMES, colors=("#000000", "#ffffff"))
    steps = predictor.of_large(picture, seen, meaning, LargeMaps(folder, full))
    fractions: list[float] = []
    try:
        while True:
            fractions.append(next(steps))
    except StopIteration as end:
        prediction = end.value
    kinds = {part: kind[:1] for part, kind in predictor.file_kinds.items()}
    writer = PredictionWriter(folder, kinds, _NAMES, meaning.colors)
    paths = writer.add(str(file), prediction)
    writer.finish()
    document = prediction.document()
    print(json.dumps({"peak_mb": _peak_mb(), "paths": paths, "steps": len(fractions), **document}))


if __name__ == "__main__":
    main()
