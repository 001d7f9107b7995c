"""What the guided tour does when something goes wrong, and what it decides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import Workspace
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.shell import tour as tour_module
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.tour_state import (
    Course,
    Phase,
    Place,
    Scene,
    Verdict,
    dataset_verdict,
    run_verdict,
)
from studio.ui.theme.theme import Theme


@pytest.fixture
def window(
    theme: Theme, tmp_path: Path, workspace: Workspace, qtbot: QtBot
) -> Iterator[MainWindow]:
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    yield app.open(workspace.root)
    app.close()


def test_the_scenes_follow_each_other() -> None:
    course = Course()
    seen = []
    while not course.has_ended:
        seen.append((course.scene, course.phase))
        if course.phase == Phase.WORK:
            course.work_done()
        else:
            course.advance()
    assert seen == [
        (Scene.DATA, Phase.WORK), (Scene.DATA, Phase.READING), (Scene.NETWORK, Phase.READING),
        (Scene.TRAINING, Phase.WORK), (Scene.TRAINING, Phase.READING), (Scene.ANSWER, Phase.WORK),
        (Scene.ANSWER, Phase.READING),
    ]  # fmt: skip


def test_nobody_is_taken_away_from_another_page() -> None:
    course = Course(phase=Phase.READING)
    allowed = []
    for page in ("datasets", "bench", "datasets"):
        course.look(page)
        allowed.append(course.may_go_on)
    assert allowed == [True, False, True]


def test_only_the_finished_curve_stays_until_next_is_clicked() -> None:
    data = Course(Scene.DATA, Phase.READING)
    curve = Course(Scene.TRAINING, Phase.READING)
    assert (data.may_go_on, data.advances_by_itself) == (True, True)
    assert (curve.may_go_on, curve.advances_by_itself) == (True, False)


def test_the_tour_rests_on_the_curve(window: MainWindow) -> None:
    tour = window.tour
    tour.resume(Place(Course(Scene.TRAINING, Phase.READING), "dataset", "run"))
    window.show_page("train")
    assert not tour.reading.isActive()
    assert not tour.bar.next_button.isHidden()
    assert tour.bar.skip_button.isHidden()
    assert "Click Next" in tour.bar.text.text()
    window.show_page("home")
    assert tour.bar.next_button.isHidden()
    assert not tour.bar.go_on_button.isHidden()
    window.show_page("train")
    assert not tour.bar.next_button.isHidden()
    tour.bar.stop_button.click()
    assert tour.course is None


@pytest.mark.parametrize(
    ("state", "has_model", "expected"),
    [
        (State.RUNNING, True, Verdict.GOES_ON),
        (State.PAUSED, True, Verdict.GOES_ON),
        (State.COMPLETED, True, Verdict.READY),
        (State.STOPPED, True, Verdict.READY),
        (State.STOPPED, False, Verdict.BROKEN),
        (State.FAILED, True, Verdict.BROKEN),
        (State.LOST, False, Verdict.BROKEN),
    ],
)
def test_what_became_of_the_run(state: State, has_model: bool, expected: Verdict) -> None:
    assert run_verdict(state, has_model=has_model) == expected
    if state is not State.STOPPED:
        assert dataset_verdict(state) == expected


def test_a_failure_is_said_in_the_bar_and_ends_the_tour(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.ui.pages.datasets import import_work

    def full(*_: object) -> str:
        raise StudioError("The disk is full.", "Make room.")

    monkeypatch.setattr(import_work, "submit_sample", full)
    window.context.desk.start_tour()
    bar = window.tour.bar
    qtbot.waitUntil(lambda: "The disk is full. Make room." in bar.text.text())
    assert not bar.skip_button.isVisible()
    window.show_page("home")
    assert "The disk is full" in bar.text.text()
    bar.stop_button.click()
    assert not bar.isVisible()
    assert window.tour.course is None
    assert tour_module.READ_MS >= 5000, "a sentence takes some seconds to read"


def test_the_tour_fits_into_the_smallest_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    window.tour.start()
    window.tour.bar.offer(go_on=True, skip=True, own=True)
    assert window.minimumSizeHint().width() <= 1024
    assert window.width() == 1024
