"""The frame: rail, theme, drops, notices, memory of the window, reports of our own bugs."""

from __future__ import annotations

import argparse
import gc
import sys
import threading
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QMimeData, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QKeySequence,
)
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

import studio.__main__ as entry
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import Artifact, StateChanged
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training import backends
from studio.engine.training.history import EpochDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui import app as app_module
from studio.ui.app import StudioApp
from studio.ui.pages import PAGES
from studio.ui.pages.commands import DESIGNER
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.window_process import BugReport, CrashLog

IN_RAIL = [page for page in PAGES if page.in_rail]


def test_every_page_opens_from_the_rail_and_by_its_shortcut(
    window: MainWindow, qtbot: QtBot
) -> None:
    qtbot.waitExposed(window)
    buttons = list(window.rail.buttons.values())
    assert [button.accessibleName() for button in buttons] == [page.label for page in IN_RAIL]
    keys = [button.shortcut().toString() for button in buttons]
    # The pages before "Label" had all digits when it came.
    digits = [f"Ctrl+{(number + 1) % 10}" for number in range(10)]
    assert keys == [*digits[:2], "Ctrl+Shift+L", *digits[2:], "Ctrl+,"]
    for number, page in enumerate(IN_RAIL):
        buttons[number].click()
        assert window.current_page == page.name
        assert buttons[number].isChecked()


def test_an_open_window_warms_up_the_engine(
    studio: StudioApp, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm: list[EngineHost] = []

    def noted(host: EngineHost) -> None:
        warm.append(host)

    monkeypatch.setattr(app_module, "WARM_UP_MS", 0)
    monkeypatch.setattr(EngineHost, "warm_up", noted)

    window = studio.open(workspace.root)

    qtbot.waitUntil(lambda: warm == [window.context.engine])


def test_a_window_without_a_backend_names_the_commands_that_install_one(
    studio: StudioApp, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "WARM_UP_MS", 0)
    monkeypatch.setattr(EngineHost, "warm_up", lambda host: None)
    monkeypatch.setattr(backends, "is_installed", lambda name: False)

    window = studio.open(workspace.root)

    qtbot.waitUntil(lambda: bool(window.notices.cards()))
    (card,) = window.notices.cards()
    assert "No backend of Keras is installed" in card.notice.text
    assert "[tensorflow]" in card.notice.hint


def test_files_of_the_command_line_are_taken_as_if_they_were_dropped(
    window: MainWindow, tmp_path: Path
) -> None:
    images = tmp_path / "images"
    (images / "cat").mkdir(parents=True)

    window.take_files([images])
    assert window.current_page == "datasets"
    model = tmp_path / "model.keras"
    model.touch()
    window.take_files([model])
    assert window.current_page == "networks"
    shown = len(window.notices.cards())

    window.take_files([tmp_path / "gone.png"])
    assert "gone.png" in window.notices.cards()[shown].notice.text


def test_files_of_the_command_line_do_not_go_to_the_last_page(
    window: MainWindow, tmp_path: Path
) -> None:
    model = tmp_path / "model.keras"
    model.touch()
    for page in ("label", "evaluation"):
        window.show_page(page)
        window.take_files([model])
        assert window.current_page == "networks"


@pytest.mark.parametrize(
    ("line", "files", "workspace"),
    [
        ("gui", [], None),
        ("gui a.png b.png", ["a.png", "b.png"], None),
        ("gui --workspace W a.png", ["a.png"], "W"),
        ("gui a.png --workspace=W gui", ["a.png", "gui"], "W"),
        ("--workspace W", [], "W"),
        ("--workspace W gui a.png", ["a.png"], "W"),
        ("--workspace=W gui", [], "W"),
        ("--workspace=W gui a.png", ["a.png"], "W"),
    ],
)
def test_files_and_the_workspace_are_named_in_any_order(
    line: str, files: list[str], workspace: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[argparse.Namespace] = []

    def open_window(words: list[str]) -> int:
        parsed.append(app_module._parse(words))
        return 0

    monkeypatch.setattr(entry, "_entry", lambda module: open_window)

    assert entry._run(line.split()) == 0

    assert parsed[0].files == [Path(name).absolute() for name in files]
    assert parsed[0].workspace == workspace


def test_the_designer_leaves_the_pages_their_keys(window: MainWindow) -> None:
    taken = {button.shortcut() for button in window.rail.buttons.values()}
    assert len(taken) == len(IN_RAIL)
    own = {QKeySequence(spec.keys) for spec in DESIGNER if spec.keys is not None}
    assert not own & taken, "of two actions with the same keys, neither is done"


def test_the_window_comes_back_as_it_was_left(
    studio: StudioApp, window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    window.resize(1024, 700)
    window.top_bar.theme_button.click()
    assert studio.theme.mode == "dark"
    assert not studio.settings.is_expert
    studio.theme.is_expert = True  # as the switch of any form does
    window.close()
    studio.settings.save()
    again = Settings(studio.settings.path)
    assert again.workspace == workspace.root
    assert again.theme == "dark"
    assert again.is_expert
    reopened = StudioApp(again, studio.theme)
    new_window = reopened.open(workspace.root)
    assert new_window.size() == QSize(1024, 700)
    reopened.close()


def test_each_press_of_the_theme_button_changes_what_is_seen(
    studio: StudioApp, window: MainWindow
) -> None:
    studio.theme.mode = "system"
    for _ in range(3):
        before = studio.theme.is_dark
        window.top_bar.theme_button.click()
        assert studio.theme.is_dark != before


def test_another_workspace_replaces_this_one(
    studio: StudioApp,
    window: MainWindow,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other"
    monkeypatch.setattr(window, "_ask_folder", lambda: other)
    window.top_bar.workspace_button.click()
    assert studio.window is not None
    assert studio.window is not window
    assert studio.window.context.workspace.root == other
    assert studio.settings.workspace == other


def test_a_workspace_that_cannot_be_opened_leaves_this_one_open(
    studio: StudioApp, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = tmp_path / "foreign"
    (foreign / "datasets").mkdir(parents=True)
    monkeypatch.setattr(window, "_ask_folder", lambda: foreign)
    window.top_bar.workspace_button.click()
    assert studio.window is window
    assert any("not a Studio workspace" in card.notice.text for card in window.notices.cards())


def drag(window: MainWindow, paths: list[Path]) -> QDragEnterEvent:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    center = QPointF(window.rect().center()).toPoint()
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(center, Qt.DropAction.CopyAction, data, left, none)
    QApplication.sendEvent(window, event)
    return event


def test_a_drag_shows_its_effect_and_is_refused_where_it_has_none(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "flowers"
    folder.mkdir()
    window.show_page("train")
    assert drag(window, [folder]).isAccepted()
    assert window._overlay.isVisibleTo(window)
    assert "flowers" in window._overlay.text()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window._overlay.isVisibleTo(window)
    text = tmp_path / "notes.pdf"
    text.write_text("x")
    assert not drag(window, [text]).isAccepted()


def test_failed_jobs_notify_with_their_reason_and_a_link(
    window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    record = workspace.create(RecordKind.RUN, "mine", TrainingPlan(dataset="gone").to_json())
    job = Job(record)
    job.append(StateChanged(state=State.PAUSED))
    jobs = window.context.jobs
    jobs.wake()
    qtbot.waitUntil(lambda: jobs.get(RecordKind.RUN, record.id) is not None, timeout=5000)
    job.append(StateChanged(state=State.FAILED, reason="A reason.", hint="A hint."))
    jobs.wake()
    qtbot.waitUntil(lambda: bool(window.notices.cards()), timeout=5000)
    card = window.notices.cards()[0]
    assert "A reason." in card.notice.text
    assert card.notice.hint == "A hint."
    assert card.action_button is not None
    card.action_button.click()
    assert window.current_page == "train"


@pytest.mark.parametrize(
    ("has_dataset", "word", "page"), [(True, "Try it", "predict"), (False, "Show", "train")]
)
def test_the_notice_of_a_completed_run_has_its_result_and_stays(
    window: MainWindow,
    workspace: Workspace,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    has_dataset: bool,
    word: str,
    page: str,
) -> None:
    monkeypatch.setattr(EngineHost, "warm_up", lambda _host: None)
    dataset = "gone"
    if has_dataset:
        recipe = DatasetRecipe(source=str(workspace.root))
        dataset = workspace.create(RecordKind.DATASET, "birds", recipe.to_json()).id
    plan = TrainingPlan(dataset=dataset)
    record = workspace.create(RecordKind.RUN, "mine", plan.to_json())
    epoch = EpochDone(
        epoch=1, step=1, metrics={"loss": 1.0, "val_accuracy": 0.982}, learning_rate=0.1,
        seconds=1.0, images_per_second=1.0, is_best=True,
    )  # fmt: skip
    job, jobs = Job(record), window.context.jobs
    job.append(StateChanged(state=State.PAUSED))
    job.append(Artifact(name="model", path="model.keras"))
    job.append(epoch)
    jobs.wake()
    qtbot.waitUntil(lambda: jobs.get(RecordKind.RUN, record.id) is not None, timeout=5000)
    window.show_page("home")
    job.append(StateChanged(state=State.COMPLETED))
    jobs.wake()
    qtbot.waitUntil(lambda: bool(window.notices.cards()), timeout=5000)
    card = window.notices.cards()[0]
    assert "98.2" in card.notice.text
    assert not card.is_timed
    assert card.action_button is not None
    assert card.action_button.text() == word
    card.action_button.click()
    assert window.current_page == page


def test_our_own_bugs_become_a_report_that_can_be_copied(
    studio: StudioApp, window: MainWindow, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    hooks = sys.excepthook, threading.excepthook
    studio.catch_bugs()
    try:
        error = ValueError("a bug of ours")
        sys.excepthook(ValueError, error, None)
        report = window.findChild(BugReport)
        assert report is not None
        text = report.findChild(QPlainTextEdit)
        assert text is not None
        assert "a bug of ours" in text.toPlainText()
        assert not report.isModal()
        report._on_copy()
        assert "a bug of ours" in QGuiApplication.clipboard().text()
    finally:
        studio._hook.uninstall()
        sys.excepthook, threading.excepthook = hooks
    assert "a bug of ours" in capsys.readouterr().err


def test_a_hard_crash_is_reported_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "pid_exists", lambda pid: pid == 7)
    dead = tmp_path / "crash-123456.log"
    dead.write_text("Fatal Python error: Segmentation fault")
    (tmp_path / "crash-7.log").write_text("another window, alive")
    (tmp_path / "crash-8.log").write_text("")
    log = CrashLog(tmp_path)
    assert log.collect() == "Fatal Python error: Segmentation fault"
    assert log.collect() == ""
    assert (tmp_path / "crash-7.log").exists()
    assert not (tmp_path / "crash-8.log").exists()


def test_garbage_is_collected_in_the_thread_of_the_window_alone(
    studio: StudioApp, window: MainWindow, qtbot: QtBot
) -> None:
    assert not gc.isenabled()
    threads: list[int] = []

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            threads.append(threading.get_ident())

    def leave_garbage() -> None:
        for _ in range(10_000):
            Cycle()

    window.context.background.run(window, leave_garbage)
    qtbot.waitUntil(lambda: len(threads) == 10_000, timeout=20_000)
    assert set(threads) == {threading.get_ident()}
    studio.close()
    assert gc.isenabled()


def test_images_of_the_command_line_without_a_model_say_what_is_missing(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    image = tmp_path / "picture.png"
    QImage(8, 8, QImage.Format.Format_RGB888).save(str(image))

    window.take_files([image])

    qtbot.waitUntil(lambda: bool(window.notices.cards()))
    (card,) = window.notices.cards()
    assert card.notice.text.startswith("No model can classify picture.png yet. Train one first")
    assert window.current_page == "predict"


def test_a_missing_file_of_the_command_line_is_called_missing(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.take_files([tmp_path / "gone.png"])
    qtbot.waitUntil(lambda: bool(window.notices.cards()))
    assert window.notices.cards()[0].notice.text.startswith("There is no file")


def test_a_drag_that_nothing_takes_shows_the_reason(window: MainWindow, tmp_path: Path) -> None:
    notes = tmp_path / "notes.docx"
    notes.touch()
    window.show_page("label")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(notes))])
    center, copy = window.rect().center(), Qt.DropAction.CopyAction
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    enter = QDragEnterEvent(center, copy, data, left, none)
    QApplication.sendEvent(window, enter)

    assert enter.dropAction() == Qt.DropAction.IgnoreAction
    assert window._overlay.isVisible()
    reason = "notes.docx cannot be added: it is not a folder, an image or a video."
    assert window.page("label").drop_refusal([notes]) == reason
    assert window.page("label").drop_offer([notes]) == ""
    QApplication.sendEvent(window, QDropEvent(QPointF(center), copy, data, left, none))
    assert window.current_page == "label"
    assert not window._overlay.isVisible()
