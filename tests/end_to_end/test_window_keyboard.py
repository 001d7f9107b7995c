"""Whole tasks by the keyboard alone, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from helpers.windows import OpenWindow, page_of
from studio.engine.jobs.states import State
from studio.engine.labeling.project import Labeling
from studio.engine.workspace import RecordKind
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.export.page import View as ExportPage
from studio.ui.pages.label.page import View as LabelPage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow

NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
MAX_TABS = 120
PER_CLASS, SIDE = 40, 28


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Bright and dark squares on noise, a folder for each class."""
    random = np.random.default_rng(0)
    for name, level in (("bright", 230), ("dark", 20)):
        folder = tmp_path / "squares" / name
        folder.mkdir(parents=True)
        for number in range(PER_CLASS):
            pixels = random.integers(90, 160, (SIDE, SIDE), np.uint8)
            top, left = random.integers(2, SIDE - 14, 2)
            pixels[top : top + 12, left : left + 12] = level
            Image.fromarray(pixels).save(folder / f"{number}.png")
    return tmp_path / "squares"


class Keyboard:
    """Presses keys in a window, as a person who has no mouse.

    Args:
        window: The window.
        qtbot: Waits for controls.
    """

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self._window = window
        self._qtbot = qtbot
        window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Press a key where the focus is."""
        QTest.keyClick(QApplication.focusWidget() or self._window, key, modifier)

    def type(self, text: str) -> None:
        """Replace the content of a field."""
        self.press(Qt.Key.Key_A, CONTROL)
        for number, line in enumerate(text.split("\n")):
            if number:
                self.press(Qt.Key.Key_Return)
            QTest.keyClicks(QApplication.focusWidget() or self._window, line)

    def go_to(self, control: Callable[[], QWidget]) -> None:
        """Press Tab until a control has the focus; each stop on the way shows where it is."""
        self.wait(lambda: control().isVisible() and control().isEnabled())
        target, seen = control(), list[QWidget]()
        for _ in range(MAX_TABS):
            focus = QApplication.focusWidget()
            if focus is not None and (focus is target or target.focusProxy() is focus):
                return
            self.press(Qt.Key.Key_Tab)
            stop = QApplication.focusWidget()
            assert stop is not None
            # A form whose preview has just arrived is laid out, and scrolls, a moment later.
            self.wait(partial(_is_in_sight, stop), seconds=5)
            seen.append(stop)
        raise AssertionError(f"Tab does not reach {target} from {[str(each) for each in seen]}")

    def activate(self, control: Callable[[], QWidget]) -> None:
        """Go to a button and press it."""
        self.go_to(control)
        self.press(Qt.Key.Key_Space)

    def wait(self, is_true: Callable[[], bool], seconds: int = 60) -> None:
        """Wait as a person does."""
        self._qtbot.waitUntil(is_true, timeout=1000 * seconds)


def _is_in_sight(widget: QWidget) -> bool:
    return not widget.visibleRegion().isEmpty()


@pytest.mark.thorough  # `test_window_main_job` and `shell/test_keyboard` always run
def test_photographs_become_predictions_and_files(
    open_window: OpenWindow,
    pictures: Path,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    window.resize(1440, 900)
    jobs, keys = window.context.jobs, Keyboard(window, qtbot)
    keys.wait(lambda: jobs.is_loaded)
    import_with_keys(window, keys, pictures, monkeypatch)
    train_with_keys(window, keys)
    predict_with_keys(window, keys, pictures / "bright" / "0.png")
    export_with_keys(window, keys, tmp_path / "taken away")


def import_with_keys(
    window: MainWindow, keys: Keyboard, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys.press(Qt.Key.Key_2, CONTROL)
    page = page_of(window, "datasets", DatasetsPage)
    # The system's own dialog, which is not ours to test.
    chosen = str(pictures)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: chosen)
    keys.activate(lambda: page.start.area.button)
    keys.activate(lambda: page.sheet.import_button)
    jobs = window.context.jobs

    def is_imported() -> bool:
        return [each.state for each in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    keys.wait(is_imported)
    keys.activate(lambda: page.panel.train_button)


def train_with_keys(window: MainWindow, keys: Keyboard) -> None:
    page = page_of(window, "train", TrainPage)
    keys.wait(page.new_run.recommended.isVisible)
    keys.activate(lambda: page.new_run.train_button)
    jobs = window.context.jobs
    keys.wait(lambda: len(jobs.entries(RecordKind.RUN)) == 1)
    (run,) = jobs.entries(RecordKind.RUN)
    keys.wait(lambda: run.state.is_finished, 300)
    assert run.state == State.COMPLETED
    keys.activate(lambda: page.dashboard.run_actions.predict_button)


def predict_with_keys(window: MainWindow, keys: Keyboard, picture: Path) -> None:
    page = page_of(window, "predict", PredictPage)
    copied = QMimeData()
    copied.setUrls([QUrl.fromLocalFile(str(picture))])
    QApplication.clipboard().setMimeData(copied)
    keys.wait(page.isVisible)
    keys.press(Qt.Key.Key_V, CONTROL)
    keys.wait(lambda: page.batch is not None and page.batch.is_complete)
    assert page.card.bars.scores()[0][0] == picture.parent.name


def export_with_keys(window: MainWindow, keys: Keyboard, target: Path) -> None:
    keys.press(Qt.Key.Key_9, CONTROL)
    page = page_of(window, "export", ExportPage)
    keys.go_to(lambda: page.form.folder)
    keys.type(str(target))
    keys.activate(lambda: page.form.export_button)

    def folders() -> list[Path]:
        return [Path(file.path) for each in page.exports() for file in each.files if file.path]

    keys.wait(lambda: bool(folders()), 120)
    assert folders()[0].parent == target


def test_pictures_are_labeled(
    open_window: OpenWindow,
    pictures: Path,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    window.resize(1440, 900)
    jobs, keys = window.context.jobs, Keyboard(window, qtbot)
    keys.wait(lambda: jobs.is_loaded)
    modifiers = CONTROL | Qt.KeyboardModifier.ShiftModifier
    keys.press(Qt.Key.Key_L, modifiers)
    page = page_of(window, "label", LabelPage)
    (begin,) = page.empty.findChildren(QPushButton)
    keys.activate(lambda: begin)
    chosen = str(pictures / "bright")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: chosen)
    keys.activate(lambda: page.form.drop.button)
    keys.wait(lambda: bool(page.form.paths))
    keys.go_to(lambda: page.form.classes)
    keys.type("bright\ndark")
    keys.activate(lambda: page.form.create_button)

    def is_shown() -> bool:
        view = page.view
        return view is not None and view.isVisible() and view.session.current >= 0

    def labeled() -> int:
        with Labeling.find(window.context.workspace, "bright") as labeling:
            return labeling.labeled_count

    keys.wait(is_shown)
    for number, key in enumerate((Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_1), start=1):
        keys.press(key)
        keys.wait(lambda expected=number: labeled() == expected)  # type: ignore[misc]
