"""A window that is killed while boxes are drawn loses at most the last one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_pictures
from studio.engine.labeling.values import BoxesValue
from studio.engine.tasks import TASKS
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import Workspace

BOXES = 40
SCRIPT = Path(__file__).parent / "boxes_until_killed.py"


@pytest.mark.slow
def test_a_kill_loses_at_most_the_last_box(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, DETECTION.name, DETECTION)
    picture = tmp_path / "picture.png"
    Image.fromarray(np.full((600, 800, 3), 128, np.uint8)).save(picture)
    plan = LabelingPlan(task=DETECTION.name, classes=[LabelClass(name="cat")])
    with Labeling.create(workspace, "boxes", plan) as labeling:
        add_pictures(labeling, [picture])
        record = labeling.record
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(Path(__file__).parents[4]),
    }
    command = [sys.executable, str(SCRIPT), str(workspace.root)]
    drawn = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            drawn = int(line)
            if drawn >= BOXES:
                process.kill()
                break
    assert drawn >= BOXES

    value = Labeling(record).value_of(0)

    assert isinstance(value, BoxesValue)
    # What was printed was drawn before; the window may have drawn some more until it was killed.
    assert len(value.boxes) >= drawn
