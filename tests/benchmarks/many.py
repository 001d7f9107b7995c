"""How long the window is held up by many things: 300 class cards, and 400 layers drawn at once.

1. Lateness of a 16 ms timer while a dataset of 300 classes fills the gallery, against one of two
   classes, in turns.
2. Painting a drawing of more than 400 layers at several scales, against a plain Qt scene with as
   many boxes and words. Aim: under 16.7 ms.

    xvfb-run -a python tests/benchmarks/many.py [--turns 3]
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtWidgets import QApplication, QGraphicsScene, QGraphicsView, QWidget

sys.path.append(str(Path(__file__).parents[1] / "ui" / "pages"))

from page_records import add_dataset, picture_folder
from window import figures

from studio.engine.jobs.host import EngineHost
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import Record, Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.pages.datasets.page import View
from studio.ui.pages.networks.designer.designer import Designer
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme

SCALES = (0.06, 0.4, 1.0)
LAYERS = 400


def turn_until(app: QApplication, condition: Callable[[], object]) -> None:
    while not condition():
        app.processEvents()


class Lateness:
    """How late each tick of a 16 ms timer comes, in ms."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._last = time.perf_counter()
        self._timer.start(16)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - 16))
        self._last = now


def fill(app: QApplication, view: View, record: Record) -> list[float]:
    """Show a dataset until its gallery is full; the lateness of every tick until then."""
    filled: list[bool] = []
    connection = view.panel.gallery.filled.connect(lambda: filled.append(True))
    lateness = Lateness()
    view.show_record(record.id)
    turn_until(app, lambda: filled)
    view.panel.gallery.filled.disconnect(connection)
    return lateness.late


def measure_gallery(
    app: QApplication, context: AppContext, records: dict[str, Record], turns: int
) -> None:
    view = View(context)
    view.resize(1200, 800)
    view.show()
    late: dict[str, list[float]] = {name: [] for name in records}
    for _ in range(turns):
        for name, record in records.items():
            late[name] += fill(app, view, record)
    for name, each in late.items():
        print(f"gallery of {name}: timer late {figures(each)}")
    view.close()


def paint(view: QGraphicsView, scale: float) -> float:
    """The least time that one picture of the view took, in ms."""
    view.resetTransform()
    view.scale(scale, scale)
    times = []
    for _ in range(9):
        began = time.perf_counter()
        view.viewport().repaint()
        times.append((time.perf_counter() - began) * 1000)
    return min(times)


def plain_view(boxes: list[QRectF]) -> QGraphicsView:
    scene = QGraphicsScene()
    for number, box in enumerate(boxes):
        scene.addRect(box)
        scene.addText(f"layer {number}").setPos(box.topLeft())
    view = QGraphicsView(scene)
    scene.setParent(view)
    return view


def measure_drawing(app: QApplication, context: AppContext) -> None:
    designer = Designer(context)
    designer.resize(1200, 800)
    designer.show()
    designer.open(ZOO["resnet50"].build((224, 224, 3), 1000))
    turn_until(app, lambda: len(designer.spec().nodes) > 100)
    for _ in range(2):
        designer.drawing.select_all()
        designer.commands.duplicate()
    assert len(designer.spec().nodes) > LAYERS
    designer.commands.actions["unfold"].trigger()
    designer.commands.actions["down"].trigger()
    app.processEvents()
    boxes = [item.sceneBoundingRect() for item in designer.scene.graphics.boxes.values()]
    plain: QWidget = plain_view(boxes)
    plain.resize(designer.view.size())
    plain.show()
    app.processEvents()
    assert isinstance(plain, QGraphicsView)
    for scale in SCALES:
        ours, theirs = paint(designer.view, scale), paint(plain, scale)
        print(
            f"{len(boxes)} boxes at {scale}: {ours:.1f} ms, a plain Qt scene {theirs:.1f} ms, "
            f"ratio {ours / theirs:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    app = QApplication([])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace = Workspace.open(folder / "workspace")
        counts = {"2 classes": 2, "300 classes": 300}
        records = {}
        for label, count in counts.items():
            classes = {f"kind {number:03}": 3 for number in range(count)}
            source = picture_folder(folder / label, classes)
            records[label] = add_dataset(workspace, label, source)
        theme = Theme("light")
        theme.apply(app)
        background = Background()
        settings = Settings(folder / "settings.ini")
        jobs = Jobs(workspace, background)
        context = AppContext(
            workspace, settings, theme, background, jobs, EngineHost(), Navigator()
        )
        loaded: list[bool] = []
        jobs.loaded.connect(lambda: loaded.append(True))
        jobs.start()
        turn_until(app, lambda: loaded)
        context.engine.close()
        measure_gallery(app, context, records, options.turns)
        measure_drawing(app, context)
        jobs.close()
        background.close()


if __name__ == "__main__":
    main()
