"""Delay from a mouse event to the painted screen, drawing on a picture of 4,000 x 3,000 pixels.

Real mouse events are sent to the canvases in a window: 500 boxes, then strokes of the brush, then
moves of boxes among the 500; at last 500 boxes in the page Label, where each is written to the
labeling. The delay of an event ends when the window has been painted and flushed. Aim: p99 under
17 ms.

    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/benchmarks/drawing.py
    QT_QPA_PLATFORM=offscreen python tests/benchmarks/drawing.py
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_pictures
from studio.engine.tasks.annotations import IGNORE, default_colors
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.pages.label.page import View
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.editor import BoxEditor, CanvasEditor, MaskCanvasEditor
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.overlay import BoxOverlay, OverlayStyle, picture_boxes

WIDTH, HEIGHT = 4000, 3000
LEFT = Qt.MouseButton.LeftButton
PLAIN = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NAMES = [f"class {number}" for number in range(12)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boxes", type=int, default=500)
    parser.add_argument("--strokes", type=int, default=100)
    options = parser.parse_args()
    app = QApplication(["studio"])
    theme = Theme("light")
    theme.apply(app)
    pyramid = ImagePyramid(_picture())
    generator = np.random.default_rng(0)
    boxes = _shown(BoxEditor(theme, 2000), pyramid)
    _print("draw boxes", _delays(boxes, _drags(boxes, generator, options.boxes, 200, SHIFT)))
    count = len(boxes.value())
    print(f"{'':14} {count} boxes drawn")
    moved = [_move(boxes, generator) for _ in range(50)]
    _print("move boxes", [delay for delays in moved for delay in delays])
    boxes.canvas.zoom_by(8)
    _print("draw, zoomed", _delays(boxes, _drags(boxes, generator, 50, 200, SHIFT)))
    _print("zoom", _wheel(boxes))
    boxes.close()
    masks = _shown(MaskCanvasEditor(theme, IGNORE), pyramid)
    for size in (16, 64, 300):
        masks.masks.set_brush_size(size)
        drags = _drags(masks, generator, options.strokes, 500, PLAIN)
        _print(f"brush {size} px", _delays(masks, drags))
    masks.canvas.zoom_by(8)
    _print("brush, zoomed", _delays(masks, _drags(masks, generator, 50, 200, PLAIN)))
    _print("undo", [_timed(partial(masks.step, "undo")) for _ in range(50)])
    masks.close()
    _print("1,000 overlaid", [_overlay_time(generator) for _ in range(50)])
    with tempfile.TemporaryDirectory() as folder:
        _draw_in_page(Path(folder), theme, options.boxes)


def _overlay_time(generator: np.random.Generator) -> float:
    """Return the seconds of the processor that painting a thousand predicted boxes takes."""
    corners, sides = generator.uniform(0, 900, (1000, 2)), generator.uniform(10, 100, (1000, 2))
    rows = np.column_stack([np.zeros(1000), corners, corners + sides, generator.random(1000)])
    found = picture_boxes(rows.astype(np.float32), are_scored=True)
    overlay = BoxOverlay(found, (1000, 1000), NAMES, default_colors(NAMES))
    layer, picture = overlay.layer(OverlayStyle()), QImage(800, 800, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    start = time.thread_time()
    layer.paint(painter, QRectF(picture.rect()), 0.6)
    seconds = time.thread_time() - start
    painter.end()
    return seconds


def _draw_in_page(root: Path, theme: Theme, count: int) -> None:
    """Draw boxes in the page Label, and print what their writing takes of the window's time."""
    picture = root / "picture.jpg"
    _picture().save(str(picture))
    workspace, background = Workspace.open(root / "workspace"), Background()
    plan = LabelingPlan(task=DETECTION.name, classes=[LabelClass(name=name) for name in NAMES])
    with Labeling.create(workspace, "boxes", plan) as labeling:
        add_pictures(labeling, [picture])
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
    page.resize(1600, 1000)
    page.show()
    while page.view is None or page.view.session.picture is None:
        QApplication.processEvents()
    _settle()
    editor, opened = page.view.single.editor, page.view.session.labeling
    assert isinstance(editor, BoxEditor)
    writes: list[float] = []
    decide = opened.decide

    def timed_decide(*given: Any, **named: Any) -> tuple[int, ...]:
        began = time.perf_counter()
        found = decide(*given, **named)
        writes.append(1000 * (time.perf_counter() - began))
        return found

    opened.decide = timed_decide  # type: ignore[method-assign]
    drags = _drags(editor, np.random.default_rng(0), count, 200, SHIFT)
    _print("page, boxes", _delays(editor, drags))
    print(f"{'':14} {len(editor.value())} boxes drawn")
    _print("page, writes", writes)
    page.close()
    background.close()
    context.engine.close()


EditorT = TypeVar("EditorT", bound=CanvasEditor)


def _shown(editor: EditorT, pyramid: ImagePyramid) -> EditorT:
    editor.resize(1400, 950)
    editor.canvas.set_classes(NAMES, default_colors(NAMES))
    editor.show()
    editor.show_value(pyramid, None)
    QTest.qWaitForWindowExposed(editor)
    _settle()
    return editor


def _picture() -> QImage:
    """Return a picture with detail everywhere, so that nothing is cheap to scale."""
    generator = np.random.default_rng(1)
    pixels = generator.integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    return QImage(pixels.tobytes(), WIDTH, HEIGHT, 3 * WIDTH, QImage.Format.Format_RGB888).copy()


Event = Callable[[], object]


def _drags(
    editor: CanvasEditor,
    generator: np.random.Generator,
    count: int,
    longest: int,
    modifiers: Qt.KeyboardModifier,
) -> Iterator[Event]:
    """Yield the events of drags between positions of the canvas."""
    canvas = editor.canvas
    room = canvas.picture_rect().toRect() & canvas.rect().adjusted(12, 12, -12, -12)
    for number in range(count):
        editor.choose_class(number % len(NAMES))
        start = QPoint(
            int(generator.integers(room.left() + 12, room.right() - 12)),
            int(generator.integers(room.top() + 12, room.bottom() - 12)),
        )
        way = generator.integers(12, longest, 2) * generator.choice([-1, 1], 2)
        yield partial(QTest.mousePress, canvas, LEFT, modifiers, start)
        at = start
        for step in range(1, 9):
            at = start + QPoint(*(int(part) for part in way * step // 8))
            yield partial(QTest.mouseMove, canvas, at)
        yield partial(QTest.mouseRelease, canvas, LEFT, modifiers, at)


def _move(boxes: BoxEditor, generator: np.random.Generator) -> list[float]:
    index = int(generator.integers(len(boxes.value())))
    boxes.boxes.select(index)
    _settle()
    canvas = boxes.canvas
    left, top, right, bottom = boxes.boxes.list.rect(index)
    at = canvas.to_window(QPointF((left + right) / 2, (top + bottom) / 2)).toPoint()
    events: list[Event] = [partial(QTest.mousePress, canvas, LEFT, PLAIN, at)]
    events += [
        partial(QTest.mouseMove, canvas, at + QPoint(5 * step, 3 * step)) for step in range(1, 20)
    ]
    events.append(partial(QTest.mouseRelease, canvas, LEFT, PLAIN, at + QPoint(95, 57)))
    return _delays(boxes, iter(events))


def _wheel(editor: CanvasEditor) -> list[float]:
    steps = [1] * 12 + [-1] * 24 + [1] * 12
    return [_timed(partial(editor.canvas.zoom_by, step)) for step in steps]


def _delays(_editor: CanvasEditor, events: Iterator[Event]) -> list[float]:
    return [_timed(event) for event in events]


def _timed(event: Event) -> float:
    """Return the milliseconds from an event until the window is painted and idle."""
    began = time.perf_counter()
    event()
    QApplication.processEvents()
    return 1000 * (time.perf_counter() - began)


def _settle() -> None:
    end = time.perf_counter() + 0.2
    while time.perf_counter() < end:
        QApplication.processEvents()


def _print(what: str, delays: list[float]) -> None:
    middle, late, worst = np.percentile(delays, [50, 99, 100])
    print(
        f"{what:14} {len(delays):5} events   p50 {middle:6.2f} ms   p99 {late:6.2f} ms   "
        f"largest {worst:6.2f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
