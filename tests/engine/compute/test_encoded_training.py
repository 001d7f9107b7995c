"""Training on a dataset that keeps PNG or JPEG: the same numbers, threads that decode, damage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.sampling import sample
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace


@pytest.fixture
def datasets(workspace: Workspace, tmp_path: Path) -> dict[str, Job]:
    """The same pictures in each encoding."""
    source = picture_folder(tmp_path / "pictures", 40)
    return {
        encoding: do_here(
            workspace, small_recipe(source, width=32, height=32, encoding=encoding), encoding
        )
        for encoding in ("raw", "png", "jpeg")
    }


def _train(workspace: Workspace, dataset: Job, name: str, **values: Any) -> RunJob:
    plan = TrainingPlan.parse(
        {
            "dataset": dataset.record.id,
            "network": "lenet",
            "epochs": 2,
            "batch_size": 16,
            "deterministic": True,
            "insights": False,
            **values,
        }
    )
    return do_here(workspace, plan, name)


def test_batches_are_the_same_and_made_by_threads(datasets: dict[str, Job]) -> None:
    stores = {name: Store.open(job.record.folder) for name, job in datasets.items()}
    for split in ("train", "val"):
        raw, png, jpeg = (SplitBatches(store, split, 16, 3) for store in stores.values())
        assert (raw.workers, png.workers > 1, jpeg.workers > 1) == (1, True, True)
        for index in range(len(raw)):
            assert np.array_equal(png[index][0], raw[index][0])
            assert np.array_equal(png[index][1], raw[index][1])
            near = np.abs(jpeg[index][0].astype(int) - raw[index][0]).mean()
            assert 0 < near < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "augmentation", sample([{}, {"rotation": 10, "noise": 3}], 1), ids=["plain", "augmented"]
)
def test_png_trains_as_raw_pixels_do(
    workspace: Workspace, datasets: dict[str, Job], augmentation: dict[str, float]
) -> None:
    raw, png = (
        _train(workspace, datasets[name], f"on {name}", augmentation=augmentation)
        for name in ("raw", "png")
    )
    assert raw.history.state == png.history.state == State.COMPLETED
    assert png.history.steps_of("loss") == raw.history.steps_of("loss")
    assert [epoch.value("val_loss") for epoch in png.history.epochs] == [
        epoch.value("val_loss") for epoch in raw.history.epochs
    ]


@pytest.mark.thorough
def test_a_jpeg_dataset_trains(workspace: Workspace, datasets: dict[str, Job]) -> None:
    run = _train(workspace, datasets["jpeg"], "on jpeg", epochs=4)
    assert run.history.best_epoch is not None
    assert run.history.best_epoch.value("val_accuracy") > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "val"])
def test_a_damaged_image_ends_training_with_its_name(
    workspace: Workspace, datasets: dict[str, Job], split: str
) -> None:
    folder = datasets["png"].record.folder
    store = Store.open(folder)
    row = int(store.rows(split)[-1])
    name = store.paths[row]
    with h5py.File(folder / FILE_NAME, "r+") as file:
        start, length = file["place"][row].tolist()
        file["bytes"][start + 8 : start + length] = 0
    run = _train(workspace, datasets["png"], "damaged")
    assert run.history.state == State.FAILED
    assert name in run.history.reason, run.history.reason
    assert "exclude this one" in run.history.hint
