"""The guided tour, as a person sees it who clicks once: real jobs, up to a prediction."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from helpers.windows import OpenWindow
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.pages.home.page import View as HomePage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.tour import EPOCHS
from studio.ui.shell.tour_steps import Phase, Scene

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.thorough
def test_one_click_leads_to_a_prediction(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # "Use my own images" asks for a folder; this user closes the dialog.
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    window = open_window(tmp_path / "first minute").window
    assert window is not None
    start_tour(window)
    see_the_data(window, qtbot)
    look_elsewhere_while_it_trains(window, qtbot)
    see_the_answer(window, qtbot)


def start_tour(window: MainWindow) -> None:
    home = window.page("home")
    assert isinstance(home, HomePage)
    QTest.mouseClick(home.digits, Qt.MouseButton.LeftButton)
    assert window.current_page == "datasets"
    assert window.tour.bar.isVisible()
    assert "1 of 4" in window.tour.bar.step.text()


def see_the_data(window: MainWindow, qtbot: QtBot) -> None:
    """What was imported is there to be read until it is skipped."""
    tour = window.tour
    qtbot.waitUntil(tour.bar.skip_button.isVisible, timeout=120_000)
    assert tour.reading.isActive()
    assert "Ten classes" in tour.bar.text.text()
    tour.bar.skip_button.click()
    assert window.current_page == "train"
    assert "2 of 4" in tour.bar.step.text()


def look_elsewhere_while_it_trains(window: MainWindow, qtbot: QtBot) -> None:
    """The network comes by itself; the user goes away, and the training continues meanwhile."""
    tour, jobs = window.tour, window.context.jobs
    tour.reading.setInterval(0)
    window.show_page("networks")
    assert tour.bar.return_button.isVisible()
    assert not tour.reading.isActive(), "the current page stays open"
    tour.bar.return_button.click()
    assert window.current_page == "train"
    qtbot.waitUntil(lambda: bool(jobs.entries(RecordKind.RUN)), timeout=60_000)
    run = jobs.entries(RecordKind.RUN)[0]
    qtbot.waitUntil(lambda: len(run.history.epochs) > 1, timeout=120_000)
    assert window.current_page == "train"
    assert "of 12" in tour.bar.text.text()
    window.show_page("home")
    qtbot.waitUntil(lambda: run.state == State.COMPLETED, timeout=120_000)
    assert len(run.history.epochs) == EPOCHS
    assert window.current_page == "home"
    assert tour.progress is not None
    assert tour.progress.scene == Scene.TRAINING
    tour.bar.return_button.click()
    assert window.current_page == "train"
    assert not tour.reading.isActive(), "the finished curve stays until Next is clicked"
    assert "Click Next" in tour.bar.text.text()
    tour.bar.next_button.click()


def see_the_answer(window: MainWindow, qtbot: QtBot) -> None:
    """Five pictures are classified; the user corrects the wrong one."""
    tour = window.tour
    qtbot.waitUntil(lambda: window.current_page == "predict", timeout=10_000)
    progress = tour.progress
    assert progress is not None
    qtbot.waitUntil(lambda: progress.phase != Phase.WORK, timeout=90_000)
    page = window.page("predict")
    assert isinstance(page, PredictPage)
    batch = page.batch
    assert batch is not None
    assert len(batch.predictions) == 5
    wrong = [
        position
        for position, (answer, picture) in enumerate(
            zip(batch.predictions, batch.pictures, strict=True)
        )
        if answer.class_scores[0].label != picture.label
    ]
    assert len(wrong) == 1, "LeNet is never right on all digits after twelve epochs"
    assert progress.phase == Phase.READING
    assert batch.selected == wrong[0]
    truth = batch.pictures[wrong[0]].label
    assert f"4 of 5 images are classified correctly. The outlined one is {truth}" in (
        tour.bar.text.text()
    )
    window.show_page("home")
    assert tour.bar.return_button.isVisible()
    tour.bar.return_button.click()
    assert page.batch is batch, "coming back does not start again"
    assert "Click “Wrong?" in tour.bar.text.text()
    page.card.correction.menu.chosen.emit(truth)
    qtbot.waitUntil(lambda: progress.phase == Phase.OVER, timeout=20_000)
    assert f"in the review queue as {truth}" in tour.bar.text.text()
    tour.bar.own_button.click()
    assert window.current_page == "datasets"
    assert not tour.bar.isVisible()
    assert tour.progress is None
