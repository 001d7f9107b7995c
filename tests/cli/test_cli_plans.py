"""`studio train --plan` and `--preset`: many settings by one word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.command_line import caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recipes import PRESETS
from studio.engine.workspace import Workspace


@pytest.mark.slow
def test_plans_and_presets_on_the_command_line(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, workspace.root)
    source = picture_folder(tmp_path / "pictures", 30)
    dataset = do_here(workspace, small_recipe(source, test_percent=20), "one").record
    mine = TrainingPlan(
        dataset=dataset.id,
        network="perceptron",
        epochs=7,
        optimizer="adamax",
        optimizer_options={"beta_1": 0.8},
        label_smoothing=0.3,
    )
    file = tmp_path / "plan.json"
    file.write_text(mine.to_json(), encoding="utf-8")

    said = studio("train", "--plan", str(file), "--epochs", "1", "--name", "A", "--json").document
    assert said["state"] == "completed"
    plan = studio("runs", "show", "A", "--json").document["plan"]
    assert (plan["epochs"], plan["network"], plan["label_smoothing"]) == (1, "perceptron", 0.3)
    assert (plan["optimizer"], plan["optimizer_options"]) == ("adamax", {"beta_1": 0.8})

    words = ("--preset", "balanced", "--epochs", "1", "--optimizer", "sgd", "--momentum", "0.9")
    more = ("--learning-rate", "0.01", "--name", "B", "--json")
    assert studio("train", "--plan", str(file), *words, *more).document["state"] == "completed"
    plan = studio("runs", "show", "B", "--json").document["plan"]
    assert (plan["epochs"], plan["schedule"], plan["label_smoothing"]) == (1, "cosine", 0)
    assert plan["early_stopping_patience"] == PRESETS["balanced"].values["early_stopping_patience"]
    assert plan["optimizer_options"]["momentum"] == 0.9


def test_what_is_no_plan(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, workspace.root)
    file = tmp_path / "plan.json"

    assert "is not a plan" in studio("train", "--plan", str(file)).mistake
    file.write_text("[1]", encoding="utf-8")
    assert "is not a plan" in studio("train", "--plan", str(file)).mistake
    file.write_text(json.dumps({"dataset": "d", "epochs": 0, "seed": "x"}), encoding="utf-8")
    reported = studio("train", "--plan", str(file)).mistake
    assert "epochs" in reported
    assert "seed" in reported
    assert "dataset is required" in studio("train").mistake
    assert 'no training preset called "magic"' in studio("train", "--preset", "magic").mistake


def test_options_without_effect_are_reported(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, workspace.root)
    source = picture_folder(tmp_path / "pictures", 30)
    do_here(workspace, small_recipe(source, test_percent=20), "one")
    assert "only with --head-solver logistic_regression" in " ".join(
        studio("train", "--help").out.split()
    )
    studio("queue", "pause")
    words = ("train", "--dataset", "one", "--network", "lenet", "--detach")
    said = studio(*words, "--head-strength", "2")
    assert "head_strength has no effect. Gradient descent does not use it." in said.err
    assert "no effect" not in studio(*words, "--plateau-patience", "2").err
    # A condition that the defaults meet is not worth a word.
    assert "--head-solver gradient" not in " ".join(studio("train", "--help").out.split())
