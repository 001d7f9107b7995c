"""The Python interface does the main job of the window, on the same files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import studio
from helpers.target_datasets import squares
from studio.api import Workspace
from studio.engine.errors import StudioError


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
    assert [value.name for value in answer.values] == dataset.classes
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
