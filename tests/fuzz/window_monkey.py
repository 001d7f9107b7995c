"""Random clicks, keys, drops and wheel turns in the real window, with a fixed seed.

A labeling is open, an import and a training run. It prints turns of the window's event loop over
100 ms, with what ran in them, and every unhandled exception:

    cd tests && QT_QPA_PLATFORM=offscreen python -m fuzz.window_monkey --seconds 600 --seed 1
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image
from PySide6.QtCore import QEvent, QEventLoop, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QDropEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QColorDialog,
    QFileDialog,
    QWidget,
)

from helpers.frames import FrameWatch
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_pictures
from studio.engine.workspace import Workspace
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
KEYS = [
    *("Tab", "Backtab", "Return", "Escape", "Space", "Up", "Down", "Left", "Right", "Delete"),
    *("Home", "End", "PageUp", "PageDown", "1", "2", "A", "B", "F1", "F2", "F5", "Slash"),
]
_EVERY_MS = 40


class Monkey:
    """Does something random in the windows of an application, again and again.

    Args:
        studio: The application.
        seed: The same seed does the same in the same state.
        paths: What is dropped and chosen in dialogs.

    Attributes:
        done: Number of actions by kind.
    """

    def __init__(self, studio: StudioApp, seed: int, paths: Sequence[Path]) -> None:
        self._studio = studio
        self._random = Random(seed)
        self._paths = list(paths)
        self.done: collections.Counter[str] = collections.Counter()
        self._actions: list[tuple[int, Callable[[MainWindow], str]]] = [
            (30, self._click_button),
            (20, self._click_anywhere),
            (20, self._press_key),
            (8, self._turn_wheel),
            (6, self._change_page),
            (4, self._type),
            (2, self._drop),
            (2, self._undo),
            (2, self._resize),
        ]

    def act(self, before: Callable[[str], None]) -> None:
        """Do one thing.

        Args:
            before: Called with its description when it is decided.
        """
        window = self._studio.window
        if window is None:
            return
        weights = [weight for weight, _ in self._actions]
        (_, action), *_ = self._random.choices(self._actions, weights)
        self._before = before
        self.done[action.__name__] += 1
        action(window)

    def path(self) -> Path:
        """Return one of the paths."""
        return self._random.choice(self._paths)

    def _say(self, text: str) -> None:
        self._before(text)

    def _top(self, window: MainWindow) -> QWidget:
        app = QApplication
        return app.activePopupWidget() or app.activeModalWidget() or app.activeWindow() or window

    def _click_button(self, window: MainWindow) -> str:
        top = self._top(window)
        buttons = [
            each
            for each in top.findChildren(QAbstractButton)
            if each.isVisible() and each.isEnabled() and each.width() > 0
        ]
        if not buttons:
            return self._press(top, Qt.Key.Key_Escape)
        button = self._random.choice(buttons)
        self._say(f"click on {button.accessibleName() or button.text() or button!r}")
        QTest.mouseClick(button, LEFT, NONE, button.rect().center())
        return ""

    def _click_anywhere(self, window: MainWindow) -> str:
        top = self._top(window)
        point = QPoint(
            self._random.randrange(max(1, top.width())),
            self._random.randrange(max(1, top.height())),
        )
        widget = top.childAt(point) or top
        local = widget.mapFrom(top, point)
        kind = self._random.choice(("click", "click", "double", "right", "drag"))
        self._say(
            f"{kind} at {point.toTuple()} on {type(widget).__name__} in {window.current_page}"
        )
        if kind == "right":
            QTest.mouseClick(widget, Qt.MouseButton.RightButton, NONE, local)
        elif kind == "double":
            QTest.mouseClick(widget, LEFT, NONE, local)
            QTest.mouseDClick(widget, LEFT, NONE, local)
            QTest.mouseRelease(widget, LEFT, NONE, local)
        elif kind == "drag":
            self._drag(widget, local)
        else:
            QTest.mouseClick(widget, LEFT, NONE, local)
        return ""

    def _drag(self, widget: QWidget, start: QPoint) -> None:
        end = QPoint(self._random.randrange(max(1, widget.width())), start.y() + 20)
        for kind, at, buttons in (
            (QEvent.Type.MouseButtonPress, start, LEFT),
            (QEvent.Type.MouseMove, (start + end) / 2, LEFT),
            (QEvent.Type.MouseMove, end, LEFT),
            (QEvent.Type.MouseButtonRelease, end, Qt.MouseButton.NoButton),
        ):
            there = QPointF(widget.mapToGlobal(at))
            button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
            event = QMouseEvent(kind, QPointF(at), there, button, buttons, NONE)
            QApplication.sendEvent(widget, event)

    def _press_key(self, window: MainWindow) -> str:
        return self._press(self._top(window), Qt.Key[f"Key_{self._random.choice(KEYS)}"])

    def _press(self, top: QWidget, key: Qt.Key) -> str:
        target = QApplication.focusWidget() or top
        self._say(f"{key.name} on {type(target).__name__}")
        QTest.keyClick(target, key)
        return ""

    def _turn_wheel(self, window: MainWindow) -> str:
        page = window.page(window.current_page)
        at = QPoint(self._random.randrange(max(1, page.width())), page.height() // 2)
        widget = page.childAt(at) or page
        self._say(f"wheel on {type(widget).__name__} in {window.current_page}")
        delta = QPoint(0, self._random.choice((-360, -120, 120, 360)))
        local = QPointF(widget.mapFrom(page, at))
        none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
        there = QPointF(page.mapToGlobal(at))
        event = QWheelEvent(local, there, QPoint(), delta, none, NONE, phase, False)
        QApplication.sendEvent(widget, event)
        return ""

    def _change_page(self, window: MainWindow) -> str:
        name = self._random.choice(list(window.rail.buttons))
        self._say(f"page {name}")
        window.show_page(name)
        return ""

    def _type(self, window: MainWindow) -> str:
        target = QApplication.focusWidget() or window
        text = self._random.choice(("cat", "0.5", "é %1 &amp; {name}", "-1", "999999999"))
        self._say(f"typing {text} into {type(target).__name__}")
        for letter in text:  # QTest.keyClicks aborts for a letter that isn't ASCII
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                key = Qt.Key(ord(letter.upper()))
                QApplication.sendEvent(target, QKeyEvent(kind, key, NONE, letter))
        return ""

    def _drop(self, window: MainWindow) -> str:
        path = self.path()
        self._say(f"drop of {path.name} on {window.current_page}")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        copy = Qt.DropAction.CopyAction
        window.dropEvent(QDropEvent(QPointF(200, 200), copy, data, LEFT, NONE))
        return ""

    def _undo(self, window: MainWindow) -> str:
        target = QApplication.focusWidget() or window
        self._say(f"undo on {type(target).__name__}")
        QTest.keyClick(target, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        return ""

    def _resize(self, window: MainWindow) -> str:
        width, height = self._random.choice(((1440, 900), (1024, 680), (900, 560)))
        self._say(f"resize to {width} x {height}")
        window.resize(width, height)
        return ""


def answer_dialogs(monkey: Monkey) -> None:
    """Answer the dialogs of the system, and leave the world outside of the window alone."""
    replaced: list[tuple[type, str, object]] = [
        (QFileDialog, "getExistingDirectory", lambda *_: str(monkey.path())),
        (QFileDialog, "getOpenFileName", lambda *_: (str(monkey.path()), "")),
        (QFileDialog, "getOpenFileNames", lambda *_: ([str(monkey.path())], "")),
        (QFileDialog, "exec", lambda _dialog: 0),
        (QColorDialog, "getColor", lambda *_: QColor("red")),
        (QDesktopServices, "openUrl", lambda *_: True),
        (MainWindow, "_ask_folder", lambda _window: None),
        (StudioApp, "_on_restart_requested", lambda _studio: None),
        (StudioApp, "_on_language_requested", lambda _studio, _language: None),
    ]
    for owner, name, value in replaced:
        setattr(owner, name, value)


def write_photos(folder: Path, number: int) -> Path:
    """Write some noise as photographs in two folders.

    Args:
        folder: Their folder.
        number: Photographs of each class.
    """
    random = np.random.default_rng(0)
    for name in ("cats", "dogs"):
        (folder / name).mkdir(parents=True)
        for index in range(number):
            pixels = random.integers(0, 255, (240, 320, 3), np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{index}.jpg", quality=90)
    return folder


def prepare(root: Path, photos: Path) -> Workspace:
    """Make a workspace with a labeling, a dataset and an import that waits.

    Args:
        root: Folder of the workspace.
        photos: Folder of images.
    """
    workspace = Workspace.open(root)
    with Labeling.create(workspace, "pets", planned("classification", ["cat", "dog"])) as made:
        add_pictures(made, [photos])
    with Labeling.create(workspace, "boxes", planned("detection", ["cat"])) as made:
        add_pictures(made, [photos])
    return workspace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and print what was found; the exit code is 1 if there was an exception."""
    parser = argparse.ArgumentParser(prog="window_monkey", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", action="store_true", help="also import images and train")
    options = parser.parse_args(arguments)
    app = QApplication.instance() or QApplication(["studio"])
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        return _run(app, Path(name), options)


def _run(app: QApplication, folder: Path, options: argparse.Namespace) -> int:
    photos = write_photos(folder / "photos", 60)
    (folder / "notes.txt").write_text("x")
    workspace = prepare(folder / "workspace", photos)
    theme = Theme("light")
    theme.apply(app)
    studio = StudioApp(Settings(folder / "window.json"), theme)
    studio.catch_bugs()
    errors: list[str] = []
    studio._hook.caught.connect(
        lambda error: errors.append("".join(traceback.format_exception(error)))
    )
    paths = [photos, photos / "cats" / "0.jpg", folder / "notes.txt", photos / "dogs"]
    monkey = Monkey(studio, options.seed, paths)
    answer_dialogs(monkey)
    window = studio.open(workspace.root)
    if options.jobs:
        window.context.navigator.start_tour()
        recipe = DatasetRecipe(source=str(photos), width=64, height=64)
        request_import(window.context.jobs.queue, recipe, "photos")
    watch = FrameWatch()
    _let_act(monkey, watch, options.seconds)
    closing = time.monotonic()
    studio.close()
    _report(monkey, watch, errors, time.monotonic() - closing)
    _end_workers(workspace)
    return 1 if errors else 0


def _let_act(monkey: Monkey, watch: FrameWatch, seconds: float) -> None:
    """Let the monkey act until its time is over.

    Each action is a timer of its own: Qt does not repeat a timer whose slot still runs, as that of
    a click which opened a menu does until something closes the menu.
    """

    def before(text: str) -> None:
        watch.after = text
        watch.skip()

    def act() -> None:
        QTimer.singleShot(_EVERY_MS, act)
        if time.monotonic() < end:
            monkey.act(before)
            return
        open_one = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if open_one is not None:
            open_one.close()
        else:
            loop.quit()

    loop, end = QEventLoop(), time.monotonic() + seconds
    watch.start()
    QTimer.singleShot(_EVERY_MS, act)
    loop.exec()
    watch.stop()


def _report(monkey: Monkey, watch: FrameWatch, errors: Sequence[str], closing: float) -> None:
    frames = watch.frames
    computing = [frame for frame in frames if frame.computed > 0.1]
    figures = {
        "actions": sum(monkey.done.values()),
        "exceptions": len(errors),
        "frames over 100 ms": len(frames),
        "of these computing over 100 ms": len(computing),
        "longest, computing": round(max((each.computed for each in frames), default=0), 3),
        "seconds to close": round(closing, 2),
    }
    write = sys.stdout.write
    for error in dict.fromkeys(errors):
        write(f"EXCEPTION\n{error}\n")
    for frame in sorted(computing, key=lambda each: -each.computed)[:60]:
        own = [line for line in frame.stack if "/studio/" in line]
        last = own[-3:] or frame.stack[-3:]
        write(f"LONG {frame.seconds:.3f} s, computing {frame.computed:.3f}: {frame.after}\n")
        write("".join(last) + "\n")
    write(json.dumps(figures) + "\n")


def _end_workers(workspace: Workspace) -> None:
    from helpers.digits import end_workers

    end_workers(workspace)


if __name__ == "__main__":
    sys.exit(main())
