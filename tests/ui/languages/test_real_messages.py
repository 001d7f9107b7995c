"""What real calls of the engine say is shown in Portuguese, down to the words within sentences."""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from helpers.portuguese import assert_portuguese
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.survey import SurveyQuestion
from studio.engine.datasets.surveying import survey_elsewhere
from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.exporting.formats import FORMATS
from studio.engine.files import checked_name, clear_system_error
from studio.engine.jobs import control
from studio.engine.jobs.devices import CPU, Device, device_problems
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.trash import find_trashed
from studio.engine.networks.parts import with_freezing
from studio.engine.networks.zoo import ZOO
from studio.engine.progress import SilentProgress
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.training.doctor import TrainingHistory, diagnose
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.engine.workspace.limits import read_limits
from studio.ui.language import translated
from studio.ui.theme.theme import Theme
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.notices import Notice, NoticeCard

pytestmark = pytest.mark.usefixtures("portuguese")


def _survey(path: Path) -> object:
    return survey_elsewhere(SurveyQuestion(DatasetRecipe(source=str(path))), SilentProgress())


def _one_class(folder: Path) -> object:
    (folder / "a").mkdir()
    for name in "xy":
        Image.new("L", (8, 8)).save(folder / "a" / f"{name}.png")
    return _survey(folder)


def _damaged_limits(folder: Path) -> object:
    (folder / "limits.json").write_text("{", encoding="utf-8")
    return read_limits(folder)


def _of_the_future(folder: Path) -> object:
    workspace = Workspace.open(folder / "w")
    (workspace.root / "studio.json").write_text(json.dumps({"format": 99}), encoding="utf-8")
    return Workspace.open(folder / "w")


def _paused(folder: Path) -> object:
    queue = JobQueue(Workspace.open(folder / "w"), [Device(CPU)])
    job = queue.submit(TrainingPlan(dataset="none-000000"), "waits")
    control.pause(job)
    return job


def _no_space(folder: Path) -> object:
    raise clear_system_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder / "f")))


def _dimension(folder: Path) -> object:
    return parse_dimensions(["learning_rate=fast,slow", "epochs=1.5"])


CALLS: dict[str, Callable[[Path], object]] = {
    "unknown network": lambda _: ZOO["resnetx"],
    "no such record": lambda folder: Workspace.open(folder / "w").find(RecordKind.RUN, "one"),
    "nothing in the trash": lambda folder: find_trashed(Workspace.open(folder / "w"), "one"),
    "newer workspace": _of_the_future,
    "bad name": lambda _: checked_name("a/b"),
    "empty folder": _survey,
    "one class": _one_class,
    "wrong settings": lambda _: TrainingPlan.parse(
        {"dataset": "d", "epochs": 0, "optimizer": "x"}
    ),
    "wrong recipe": lambda _: DatasetRecipe.parse(
        {"source": "s", "val_percent": 60, "test_percent": 50, "task": "dance"}
    ),
    "small images": lambda _: ZOO["mobilenet_v2"].build((8, 8, 3), 10),
    "unknown part": lambda _: with_freezing(ZOO["lenet"].build((28, 28, 1), 10), "stem"),
    "disk full": _no_space,
    "damaged file": _damaged_limits,
    "not running": _paused,
    "missing device": lambda _: raise_if_serious(device_problems("gpus:2", [Device(CPU)])),
    "values of a sweep": _dimension,
    "unknown export format": lambda _: FORMATS["onxx"],
}


@pytest.mark.parametrize("call", CALLS)
def test_errors_are_shown_in_portuguese(
    call: str, tmp_path: Path, theme: Theme, qtbot: QtBot
) -> None:
    with pytest.raises(StudioError) as caught:
        CALLS[call](tmp_path)
    parent = QWidget()
    qtbot.addWidget(parent)
    hint = HintLabel(str(caught.value), "problem", parent)
    card = NoticeCard(theme, Notice("error", caught.value.message, caught.value.hint), parent)

    assert_portuguese(str(caught.value))
    assert hint.text() == hint.accessibleName() == translated(caught.value.text)
    assert translated(caught.value.message) in card.accessibleName()
    assert hint.text() != caught.value.text


def _history(loss: list[float], val_loss: list[float], **more: Any) -> TrainingHistory:
    plan = TrainingPlan(dataset="d", epochs=len(loss))
    ends = np.array(loss)
    steps = np.interp(
        np.arange(1, 20 * len(loss) + 1) / 20, np.arange(len(loss) + 1), [2.3, *loss]
    )
    scores, rates = np.exp(-ends), np.full(len(loss), plan.learning_rate)
    val = np.array(val_loss)
    return TrainingHistory(plan, 20, steps, ends, scores, val, np.exp(-val), rates, **more)


@pytest.mark.parametrize(
    "history",
    [
        _history([2 / n for n in range(1, 31)], [1.2, 0.9, *(0.8 + n / 20 for n in range(28))]),
        _history([2.0] * 30, [2.0] * 30),
        _history([2.3, 2.4, 9.0, 30.0], [2.3] * 4),
        _history([math.nan] * 3, [math.nan] * 3, not_finite=True),
    ],
)
def test_diagnoses_are_shown_in_portuguese(history: TrainingHistory) -> None:
    findings = diagnose(history)

    assert findings
    for finding in findings:
        for text in (finding.title, finding.evidence, finding.advice):
            assert_portuguese(text)
