"""Draws boxes in the labeling page until it is killed; prints the number of boxes drawn so far.

python boxes_until_killed.py WORKSPACE
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.engine.jobs.host import EngineHost
from studio.engine.tasks import TASKS
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.pages.label.page import View
from studio.ui.pages.label.tools.drawn import DrawnTools
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


def main() -> None:
    TASKS.setdefault(DETECTION.name, DETECTION)
    root = Path(sys.argv[1])
    app = QApplication(["studio"])
    theme = Theme("light")
    theme.apply(app)
    workspace, background = Workspace.open(root), Background()
    context = AppContext(
        workspace=workspace,
        settings=Settings(root / "window.ini"),
        theme=theme,
        background=background,
        jobs=Jobs(workspace, background),
        engine=EngineHost(),
        navigator=Navigator(),
    )
    page = View(context)
    page.resize(1000, 700)
    page.show()
    while page.view is None or cast("DrawnTools", page.view.single.tools)._drawn_for < 0:
        app.processEvents()
    single = page.view.single
    canvas = single.canvas
    corner = canvas.picture_rect().topLeft().toPoint() + QPoint(12, 12)
    left, shift = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    number = 0
    while time.monotonic():
        start = corner + QPoint(13 * (number % 20), 13 * (number // 20 % 20))
        QTest.mousePress(canvas, left, shift, start)
        QTest.mouseMove(canvas, start + QPoint(10, 10))
        QTest.mouseRelease(canvas, left, shift, start + QPoint(20, 20))
        app.processEvents()
        number = len(single.editor.value()) if single.editor is not None else 0
        print(number, flush=True)


if __name__ == "__main__":
    main()
