"""`studio train --recipe`: one word in the place of several options."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace


@pytest.mark.thorough
def test_recipes_on_the_command_line(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, workspace.root)
    source = picture_folder(tmp_path / "pictures", 30)
    dataset = do_here(workspace, small_recipe(source, test_percent=20), "one").record
    do_here(workspace, TrainingPlan(dataset=dataset.id, network="small_cnn", epochs=1), "first")
    words = ("train", "--dataset", "one", "--network", "small_cnn", "--weights", "run:first")

    assert 'no recipe called "magic"' in studio(*words, "--recipe", "magic").mistake
    varied = studio(*words, "--recipe", "linear_head", "--augment", "light").mistake
    assert "augmentation is not possible" in varied
    thawed = studio(*words, "--recipe", "linear_head", "--freeze", "none").mistake
    assert "other layers are not frozen" in thawed

    said = studio(*words, "--recipe", "linear_head", "--name", "R", "--json").document
    assert said["state"] == "completed"
    assert said["val_accuracy"] > 0.8
    shown = studio("runs", "show", "R", "--json").document
    assert (shown["plan"]["freeze"], shown["plan"]["head_solver"]) == (
        "all",
        "best_linear",
    )
