"""A task in a package of its own is imported, trained, evaluated and asked like ours."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import Call, caller
from helpers.plug_ins import VALUES, draw_hands, forget_loaded, install, installed
from helpers.processes import studio
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.plans import fields_of
from studio.engine.sweeps.plan import OBJECTIVES
from studio.engine.tasks import (
    MEASURED_METRICS,
    PLUG_INS,
    TASKS,
    find_task,
    named_task,
)
from studio.engine.training.plan import TrainingPlan
from studio.ui.tasks import view_of


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that further processes import from."""
    folder = tmp_path / "packages"
    folder.mkdir()
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setenv("PYTHONPATH", path)
    return folder


@pytest.mark.thorough
def test_a_task_of_another_package_is_trained_and_asked(packages: Path, tmp_path: Path) -> None:
    install(packages)
    table = draw_hands(tmp_path / "hands")
    workspace = tmp_path / "workspace"

    def document(*words: str | Path) -> Any:
        done = studio("--workspace", workspace, *words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    # A real process each, so that workers find the package by themselves.
    document("datasets", "import", table, "--name", "hands", "--task", "angle", "--size", "24x24")
    trained = document(
        *("train", "--dataset", "hands", "--network", "lenet", "--name", "clock"),
        *("--epochs", "30", "--learning-rate", "0.003", "--batch-size", "16"),
    )
    assert trained["metrics"]["val_angle_error"] < 20

    report = document("evaluate", "clock")
    assert report["metrics"]["angle_error"] < 20
    answers = document("predict", "clock", table.parent / "000.png", table.parent / "001.png")
    with table.open(encoding="utf-8") as file:
        truth = [float(row["angle"]) for row in csv.DictReader(file)][:2]
    for answer, angle in zip(answers, truth, strict=True):
        assert abs((answer["values"]["angle"] - angle + 180) % 360 - 180) < 45
    assert find_task("angle") is None
    assert "angle" not in TASKS


@pytest.fixture
def plug_ins(tmp_path: Path) -> Iterator[Path]:
    """A folder of packages with both sample tasks, which this process imports from."""
    with installed(tmp_path / "plug-ins") as folder:
        yield folder


def test_tasks_of_packages_are_in_every_list(plug_ins: Path) -> None:
    assert set(VALUES) < set(TASKS)
    assert len(TASKS) == len(list(TASKS.values()))
    assert "val_angle_error" in MEASURED_METRICS
    assert "val_angle_error" in OBJECTIVES
    monitor = next(field for field in fields_of(TrainingPlan) if field.name == "monitor")
    assert "val_angle_error" in monitor.choices


def test_masks_of_a_package_have_the_fields_of_masks(plug_ins: Path) -> None:
    recipe = DatasetRecipe.parse({"source": "/x", "task": "areas", "mask_mode": "index"})
    assert not recipe.without_effect()
    numbers = DatasetRecipe.parse({"source": "/x", "task": "angle", "mask_mode": "index"})
    assert [each.where for each in numbers.without_effect()] == ["mask_mode"]


def test_verbs_know_the_tasks_and_metrics_of_packages(
    plug_ins: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call: Call = caller(capsys, tmp_path / "w")

    assert call("runs", "list", "--sort", "val_angle_error", "--json").document == []
    created = call("label", "create", "hands", "--task", "angle", "--json")
    assert created.document["task"] == "angle"


def test_the_view_of_a_package_is_shown(plug_ins: Path) -> None:
    task = TASKS["areas"]
    assert view_of(task).words(task).choice == "Areas of fields"
    assert view_of(TASKS["angle"]).words(TASKS["angle"]).choice == "Direction"


def test_a_broken_package_hides_no_other_task(plug_ins: Path) -> None:
    (plug_ins / "areas_task-1.0.dist-info" / "entry_points.txt").write_text(
        f"[{PLUG_INS.group}]\nareas = areas_task:NOTHING\n"
    )
    forget_loaded()
    TASKS.data.pop("areas", None)

    assert "angle" in set(TASKS)
    assert "areas" not in set(TASKS)
    with pytest.raises(StudioError, match="cannot be loaded from areas_task:NOTHING"):
        named_task("areas")


def test_a_broken_package_is_named(packages: Path, tmp_path: Path) -> None:
    install(packages, value="angle_task:NOTHING")
    table = draw_hands(tmp_path / "hands")

    done = studio("--workspace", tmp_path / "w", "datasets", "import", table, "--task", "angle")

    assert done.returncode == 2
    assert "The task angle cannot be loaded from angle_task:NOTHING" in done.stderr
    assert "Install its package again" in done.stderr


def test_an_unknown_task_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call: Call = caller(capsys, tmp_path / "w")
    table = draw_hands(tmp_path / "hands")

    said = call("datasets", "import", table, "--task", "regresion")

    assert 'There is no task "regresion".' in said.mistake
    assert "regression" in said.mistake
