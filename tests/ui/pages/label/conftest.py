"""A labeling that is open on its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from label_pages import PICTURES, Opener
from page_checks import show_in_window
from PIL import Image
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_pictures
from studio.engine.tasks import TASKS
from studio.engine.tasks.detection.task import DETECTION
from studio.ui.context import AppContext
from studio.ui.pages.label.page import View
from studio.ui.pages.label.view import LabelView


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pictures of different gray levels."""
    found = tmp_path / "animals"
    found.mkdir()
    for number in range(PICTURES):
        pixels = np.full((60, 80, 3), 20 * number + 40, np.uint8)
        pixels[:20, :20] = (200, 20 * number, 10)
        Image.fromarray(pixels).save(found / f"picture {number}.png")
    return found


@pytest.fixture
def opened(
    context: AppContext, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Opener:
    """Open a labeling of a task on the page."""
    monkeypatch.setitem(TASKS, DETECTION.name, DETECTION)
    windows: list[QWidget] = []

    def opening(task: str = "classification", *names: str) -> LabelView:
        classes = [LabelClass(name=name) for name in names]
        plan = LabelingPlan(task=task, classes=classes)
        with Labeling.create(context.workspace, "pets", plan) as labeling:
            add_pictures(labeling, [folder])
        page = View(context)
        windows.append(show_in_window(qtbot, page))
        qtbot.waitUntil(lambda: page.view is not None)
        view = page.view
        assert view is not None
        qtbot.waitUntil(lambda: view.session.picture is not None)
        view.single.canvas.setFocus()
        return view

    return opening
