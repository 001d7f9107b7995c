"""A task in a package of its own is imported, trained, evaluated and asked like ours."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from helpers.command_line import Call, caller
from helpers.processes import studio
from studio.engine.tasks import ENTRY_POINTS, TASKS, find_task

PACKAGE = Path(__file__).parents[2] / "samples" / "angle_task"
IMAGES, SIDE = 240, 24


def install(folder: Path, value: str = "angle_task:ANGLE") -> None:
    """Install the package of the task into a folder of packages, as pip would."""
    shutil.copytree(PACKAGE, folder / "angle_task")
    about = folder / "angle_task-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: angle-task\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nangle = {value}\n")


def draw_hands(folder: Path) -> Path:
    """Draw hands of a clock, and return the table of their directions."""
    folder.mkdir()
    random = np.random.default_rng(0)
    table = folder / "hands.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("image", "angle"))
        for index, angle in enumerate(random.uniform(0, 360, IMAGES)):
            picture = Image.new("L", (SIDE, SIDE), 255)
            middle, turn = SIDE / 2, math.radians(angle)
            end = (middle + 10 * math.cos(turn), middle - 10 * math.sin(turn))
            ImageDraw.Draw(picture).line((middle, middle, *end), fill=0, width=3)
            picture.save(folder / f"{index:03}.png")
            writer.writerow((f"{index:03}.png", f"{angle:.2f}"))
    return table


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
        assert abs((answer["angle"] - angle + 180) % 360 - 180) < 45
    assert find_task("angle") is None
    assert "angle" not in TASKS


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
