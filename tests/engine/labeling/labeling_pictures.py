"""Pictures and labelings for the tests of the labeling room."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_pictures
from studio.engine.workspace import Workspace

COLORS = ((220, 40, 40), (40, 200, 60), (50, 60, 220), (220, 210, 40))


def color_pictures(folder: Path, count: int, classes: int = 3, seed: int = 0) -> Path:
    """Noisy pictures of one color each, 24x16: number n has the color n % classes."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    for number in range(count):
        noise = random.normal(0, 25, (16, 24, 3))
        pixels = np.clip(np.array(COLORS[number % classes]) + noise, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:04}.png")
    return folder


def color_labeling(
    workspace: Workspace,
    folder: Path,
    count: int = 30,
    task: str = "classification",
    names: tuple[str, ...] = ("red", "green", "blue"),
) -> Labeling:
    classes = [LabelClass(name=name) for name in names]
    labeling = Labeling.create(workspace, "colors", LabelingPlan(task=task, classes=classes))
    add_pictures(labeling, [color_pictures(folder, count, len(names))])
    return labeling
