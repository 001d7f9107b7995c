"""The Python interface does the main job of the window, on the same files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mask_pictures
import numpy as np
import pytest
from dataset_pictures import class_folders

import studio
from helpers.target_datasets import squares
from helpers.workers import ENDLESS, LaunchScripts
from studio.api import Workspace
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.events import Event
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="module")
def workspace(folder: Path) -> Iterator[Workspace]:
    with studio.open(folder / "workspace", progress=False) as opened:
        yield opened


def test_a_script_imports_trains_predicts_evaluates_and_exports(
    workspace: Workspace, folder: Path
) -> None:
    tables = squares(folder / "squares", 40)
    dataset = workspace.datasets.import_folder(
        tables["regression"],
        task="regression",
        path_prefix=str(folder / "squares" / "pictures"),
        width=16,
        height=16,
        val_percent=25,
        test_percent=25,
    )
    assert dataset.state == "completed"
    assert dataset.task == "regression"
    assert sum(dataset.count.values()) == 40

    run = workspace.train(dataset, "lenet", name="numbers", epochs=2, batch_size=8)

    assert run.state == "completed"
    assert len(run.history["val_mae"]) == 2
    assert run.best["val_mae"] == min(run.history["val_mae"])
    assert len(run.step_values("loss")) == 2 * 3
    assert workspace.runs["numbers"].plan.epochs == 2

    picture = next((folder / "squares" / "pictures").iterdir())
    answer = run.predict(picture)
    assert answer.values is not None
    assert list(answer.values.numbers()) == dataset.classes
    assert answer.familiarity is not None
    assert run.predict(picture, change="invert").values != answer.values
    many = run.predict_all(folder / "squares" / "pictures")
    assert len(many) == 40

    evaluation = run.evaluate("val", resamples=50)
    low, high = evaluation.intervals["mae"]
    measured = evaluation.metrics["mae"]
    assert measured is not None
    assert low <= measured <= high

    exported = run.export(folder / "exported", "onnx")
    assert exported.certificate is not None
    assert exported.certificate.certified
    assert list(Path(exported.path).glob("*.onnx"))
    (saved,), (stored,) = run.exports(), run.evaluations()
    assert saved.files == (exported,)
    assert exported.path in saved._repr_html_()
    assert stored.metrics == evaluation.metrics


def test_masks_are_imported_with_their_options(workspace: Workspace, folder: Path) -> None:
    colors = np.array([[10, 20, 30], [0, 200, 0], [255, 255, 255]], np.uint8)
    for index in range(6):
        picture, mask = mask_pictures.squares(index, 32, 32)
        mask[0, :8] = 2
        mask_pictures.save(picture, folder / "fields" / f"{index}.png")
        mask_pictures.save(colors[mask], folder / "field masks" / f"{index}.png")
    options: dict[str, Any] = {
        "annotations": folder / "field masks",
        "class_names": ["ground", "leaf"],
        "class_colors": ["#0a141e", "#00c800"],
        "mask_mode": "color",
        "ignore_value": "#ffffff",
    }
    dataset = workspace.datasets.import_folder(
        folder / "fields", **options, tile_size=16, tile_overlap=4, name="fields"
    )

    assert dataset.task == "segmentation"
    assert dataset.classes == ["ground", "leaf"]
    assert sum(dataset.count.values()) == 6 * 9
    store = Store.open(dataset.record.folder)
    assert store.colors == ("#0a141e", "#00c800")
    assert store.required_regions.shape == (54, 16, 16)
    assert set(np.unique(store.required_regions[:])) == {0, 1, 255}
    assert store.recipe.ignore_value == "#ffffff"
    small = workspace.datasets.import_folder(
        folder / "fields", **options, tile_size=16, width=8, height=8, name="small"
    )
    assert Store.open(small.record.folder).shape == (8, 8, 3)

    classes = class_folders(folder / "classes", {"a": 2, "b": 2})
    with pytest.raises(StudioError, match="tile_size has no effect"):
        workspace.datasets.import_folder(classes, tile_size=16)
    with pytest.raises(StudioError, match="There is no file or folder"):
        workspace.datasets.import_folder(folder / "fields", annotations=folder / "nowhere")


def test_a_sweep_finds_its_best_run(workspace: Workspace) -> None:
    dataset = workspace.datasets.import_sample("digits")
    sweep = workspace.sweep(
        dataset, "lenet", vary={"learning_rate": "0.01,0.001"}, epochs=1, name="rates"
    )
    assert [trial["state"] for trial in sweep.trials] == ["completed"] * 2
    best = max(sweep.trials, key=lambda trial: trial["measured"])
    assert sweep.best is not None
    assert sweep.best.name == best["runs"][0]
    assert set(workspace.sweeps) == {"rates"}


def test_a_job_that_is_not_waited_for_can_be_stopped_and_deleted(workspace: Workspace) -> None:
    if "digits" not in workspace.datasets:
        workspace.datasets.import_sample("digits")
    run = workspace.train("digits", "lenet", name="long", wait=False, epochs=500)
    run.stop()
    assert run.state == "stopped"
    run.delete()
    assert "long" not in workspace.runs


def test_ctrl_c_stops_the_job_and_twice_leaves_it_running(
    workspace: Workspace, launch_scripts: LaunchScripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "digits" not in workspace.datasets:
        workspace.datasets.import_sample("digits")
    launch_scripts(ENDLESS)
    presses = 1
    follow = control.follow

    def interrupted(queue: JobQueue, job: Job) -> Iterator[list[Event]]:
        nonlocal presses
        for events in follow(queue, job):
            yield events
            if job.history.state.has_worker and presses:
                presses -= 1
                raise KeyboardInterrupt

    monkeypatch.setattr(control, "follow", interrupted)
    run = workspace.train("digits", "lenet", name="endless", wait=False)
    with pytest.raises(KeyboardInterrupt):
        run.wait()
    assert run.state == "stopped"

    presses = 2
    run.resume(wait=False)
    with pytest.raises(KeyboardInterrupt):
        run.wait()
    assert presses == 0
    run.stop()


def test_errors_are_reported_as_everywhere(workspace: Workspace, folder: Path) -> None:
    with pytest.raises(StudioError, match="There is no task"):
        workspace.datasets.import_folder(folder, task="regresion")
    with pytest.raises(StudioError, match=r"digits"):
        workspace.datasets.import_sample("digit")
    with pytest.raises(KeyError, match=r"There is no run"):
        workspace.runs["nobody"]
    with pytest.raises(AttributeError, match="no attribute"):
        _ = studio.nothing  # type: ignore[attr-defined]  # that is what is tested


def test_importing_studio_loads_no_numpy() -> None:
    code = "import studio, sys; print('numpy' in sys.modules, callable(studio.open))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_script_labels_pictures(workspace: Workspace, folder: Path) -> None:
    source = class_folders(folder / "unlabeled", {"x": 12, "y": 12})
    with pytest.raises(StudioError, match="no labeling"):
        workspace.labeling("toys")
    labeling = workspace.labeling("toys", classes=["a"])
    assert labeling.add(source) == list(range(24))
    labeling.set([0, 1, 2], "a")
    labeling.set(range(3, 10), "b")
    labeling.set(11, "b")
    labeling.undo()

    assert repr(labeling) == "<labeling toys: 10 of 24 labeled>"
    assert labeling.classes == ["a", "b"]
    assert [labeling.labels[item].kind for item in (0, 9)] == ["class", "class"]
    with pytest.raises(StudioError, match="10 more labels"):
        labeling.suggest()
    labeling.set(range(10, 20), "a")
    assert {each.item for each in labeling.suggest()} == {20, 21, 22, 23}
    assert labeling.export(folder / "labels").suffix == ".csv"
    dataset = labeling.dataset("labeled", width=8, height=8)
    assert sum(dataset.count.values()) == 20
    assert len(workspace.labeling("TOYS", task="classification")) == 24
    with pytest.raises(StudioError, match="has the task classification; received detection"):
        workspace.labeling("toys", task="detection")
