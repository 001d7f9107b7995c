"""Which positions should learn which object: compares assignments on the same network and budget.

Trains the same plan with each assignment, one after the other, and prints mAP and AP50 of the
validation images (approximate, as in training) after each epoch that is validated.

* `overlap`: that of Studio: all positions near the center on the level for the size of the object
  (Z. Tian et al., "FCOS", ICCV 2019); the label is the IoU of the predicted box (H. Zhang et al.,
  "VarifocalNet", CVPR 2021).
* `fcos`: the same with labels of 1.
* `task`: task-aligned assignment among all positions inside an object (C. Feng et al., "TOOD",
  ICCV 2021).
* `center`: the same among the positions near the center of the object.

    python tests/benchmarks/box_assignment.py --data BCCD --weights FILE [--epochs 12]

`--data` is a folder in a format of boxes; without it, drawn shapes are learned from scratch.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.box_datasets import import_shapes
from helpers.digits import do_here
from studio.engine.compute.backends.prepare import prepare_backend

prepare_backend("tensorflow", deterministic=True, seed=0, threads=None)

import keras  # noqa: E402

from studio.engine.compute.fit import COMPILED  # noqa: E402
from studio.engine.compute.tasks import box_geometry, detection  # noqa: E402
from studio.engine.datasets.recipe import DatasetRecipe  # noqa: E402
from studio.engine.jobs.states import State  # noqa: E402
from studio.engine.tasks.detection.task import DETECTION  # noqa: E402
from studio.engine.training.advice.boxes import box_values  # noqa: E402
from studio.engine.training.plan import TrainingPlan  # noqa: E402
from studio.engine.workspace import Workspace  # noqa: E402

POSITIONS_PER_OBJECT = 10
RADIUS = 1.5
"""Distance from the center in strides."""


class Certain(detection.Assigner):
    """As that of Studio, with labels of 1."""

    def labels(self, positive: Any, corners: Any, boxes: Any) -> Any:
        return positive


class TaskAligned(detection.Assigner):
    """The ten positions inside an object with the highest score^0.5 * IoU^6 learn it."""

    radius = math.inf
    _labels: Any = None

    def owners(
        self, objects: Any, classes: Any, learned: Any, ignored: Any, scores: Any, corners: Any
    ) -> tuple[Any, Any, Any]:
        ops = keras.ops
        places = self.grid.places(corners.shape[1])
        left, top, right, bottom = (each[..., None] for each in box_geometry.sides_of(objects))
        x, y, strides = places[:, 0], places[:, 1], places[:, 2]
        away = ops.maximum(ops.abs(x - (left + right) / 2), ops.abs(y - (top + bottom) / 2))
        grown = detection.grown(objects, 1.01 * float(strides[0]))
        inside = ops.logical_and(detection.contains(grown, places), away < self.radius * strides)
        overlaps = box_geometry.overlaps_of(objects, corners)
        root = ops.sqrt(ops.maximum(ops.matmul(classes, ops.transpose(scores, (0, 2, 1))), 1e-6))
        quality = ops.cast(inside, "float32") * learned[..., None] * root
        quality = quality * ops.maximum(overlaps, 1e-3) ** 6
        least = ops.top_k(quality, POSITIONS_PER_OBJECT, sorted=True)[0][..., -1:]
        among = ops.cast(ops.logical_and(quality >= least, quality > 0.0), "float32")
        owners = ops.cast(ops.argmax(among * (overlaps + 1.0), axis=1), "int32")
        numbers = ops.arange(ops.shape(objects)[1], dtype="int32")[None, :, None]
        chosen = among * ops.cast(owners[:, None] == numbers, "float32")
        quality, overlaps = chosen * quality, chosen * overlaps
        best = ops.maximum(ops.max(quality, axis=-1, keepdims=True), 1e-30)
        scale = ops.maximum(ops.max(overlaps, axis=-1, keepdims=True), 0.1) / best
        self._labels = ops.sum(quality * scale, axis=1)
        hidden = ops.cast(detection.contains(objects, places), "float32") * ignored[..., None]
        return owners, ops.max(among, axis=1), ops.max(hidden, axis=1)

    def labels(self, positive: Any, corners: Any, boxes: Any) -> Any:
        return self._labels


class Centered(TaskAligned):
    """Task-aligned assignment among the positions near the center."""

    radius = RADIUS


ASSIGNERS = {
    "overlap": detection.Assigner,
    "fcos": Certain,
    "task": TaskAligned,
    "center": Centered,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="")
    parser.add_argument("--weights", default="")
    parser.add_argument("--size", type=int, default=320)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--images", type=int, default=240, help="drawn, without --data")
    parser.add_argument("--only", default=",".join(ASSIGNERS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(Path(folder) / "workspace")
        if options.data:
            size = {"width": options.size, "height": options.size}
            recipe = {"source": options.data, "task": DETECTION.name, "resize": "squash"}
            dataset = do_here(workspace, DatasetRecipe.parse(recipe | size), "data")
        else:
            dataset = import_shapes(workspace, Path(folder) / "shapes", options.images)
        values: dict[str, object] = dict(box_values(200))
        values |= {"optimizer": "adamw", "weight_decay": 0.01, "schedule": "cosine"}
        values |= {"warmup_percent": 5.0, "deterministic": True, "insights": False}
        values |= {"network": "detector_light" if options.weights else "small_detector"}
        values |= {"weights": options.weights, "epochs": options.epochs}
        values |= {"validation_interval_epochs": 4}
        for name in options.only.split(","):
            COMPILED.clear()  # the steps of the last run have its assignment
            detection.LearnsBoxes.assigner = ASSIGNERS[name]
            plan = TrainingPlan(dataset=dataset.record.id).changed(**values)
            run = do_here(workspace, plan, name)
            if run.history.state != State.COMPLETED:
                raise SystemExit(run.history.detail or run.history.reason)
            for epoch in run.history.epochs:
                if "val_map" in epoch.metrics:
                    found = {key: round(epoch.metrics[f"val_{key}"], 4) for key in ("map", "ap50")}
                    print(name, epoch.epoch, found, flush=True)


if __name__ == "__main__":
    main()
