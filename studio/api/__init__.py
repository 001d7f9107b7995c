"""Python interface of Studio, for notebooks and scripts.

    import studio

    workspace = studio.open("my workspace")
    dataset = workspace.datasets.import_folder("pictures")
    run = workspace.train(dataset, network="small_cnn", epochs=5)
    run.history["val_accuracy"]
    run.predict("picture.jpg").scores.classes[0].label
    run.export("exported", "onnx")

It works on the same files as the window and the command line, by the same functions: what one of
them begins, the others show. Jobs run in separate processes, and continue when Python ends.
"""

from __future__ import annotations

from studio.api.datasets import Dataset, Datasets
from studio.api.evaluations import Evaluation
from studio.api.exports import Export
from studio.api.labelings import PictureLabeling
from studio.api.models import Model
from studio.api.runs import Run
from studio.api.sweeps import Sweep
from studio.api.workspace import Workspace, open_workspace

__all__ = [
    "Dataset",
    "Datasets",
    "Evaluation",
    "Export",
    "Model",
    "PictureLabeling",
    "Run",
    "Sweep",
    "Workspace",
    "open_workspace",
]
