"""What the guided tour does when something goes wrong, and what it decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from helpers.digits import Digits
from helpers.runs import append_events, fake_run
from studio.engine.errors import StudioError
from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.training.insights import (
    Insight,
    ValidationPredictions,
    insight_path,
    read_insight,
    write_insight,
)
from studio.engine.workspace import Workspace
from studio.ui.app import StudioApp
from studio.ui.navigation import page_intent
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.predict.pictures import Batch
from studio.ui.settings import Settings
from studio.ui.shell import tour as tour_module
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.tour_steps import (
    Phase,
    Scene,
    TourProgress,
    TourState,
    from_text,
    is_done,
)
from studio.ui.theme.theme import Theme


@pytest.fixture
def window(
    theme: Theme, tmp_path: Path, workspace: Workspace, qtbot: QtBot
) -> Iterator[MainWindow]:
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    yield app.open(workspace.root)
    app.close()


@pytest.fixture
def closed(theme: Theme, tmp_path: Path, qtbot: QtBot) -> Iterator[StudioApp]:
    """An application that has opened no window yet."""
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    yield app
    app.close()


def test_the_scenes_follow_each_other() -> None:
    progress = TourProgress()
    seen = []
    while not progress.has_ended:
        seen.append((progress.scene, progress.phase))
        if progress.phase == Phase.WORK:
            progress.work_done()
        else:
            progress.advance()
    assert seen == [
        (Scene.DATA, Phase.WORK), (Scene.DATA, Phase.READING), (Scene.NETWORK, Phase.READING),
        (Scene.TRAINING, Phase.WORK), (Scene.TRAINING, Phase.READING), (Scene.ANSWER, Phase.WORK),
        (Scene.ANSWER, Phase.READING),
    ]  # fmt: skip


def test_the_current_page_stays_open() -> None:
    progress = TourProgress(phase=Phase.READING)
    allowed = []
    for page in ("datasets", "bench", "datasets"):
        progress.page_shown(page)
        allowed.append(progress.may_advance)
    assert allowed == [True, False, True]


def test_only_the_finished_curve_stays_until_next_is_clicked() -> None:
    data = TourProgress(Scene.DATA, Phase.READING)
    curve = TourProgress(Scene.TRAINING, Phase.READING)
    assert (data.may_advance, data.advances_by_itself) == (True, True)
    assert (curve.may_advance, curve.advances_by_itself) == (True, False)


def test_the_tour_rests_on_the_curve(window: MainWindow) -> None:
    tour = window.tour
    tour.resume(TourState(TourProgress(Scene.TRAINING, Phase.READING), "dataset", "run"))
    window.show_page("train")
    assert not tour.reading.isActive()
    assert not tour.bar.next_button.isHidden()
    assert tour.bar.skip_button.isHidden()
    assert "Click Next" in tour.bar.text.text()
    window.show_page("home")
    assert tour.bar.next_button.isHidden()
    assert not tour.bar.return_button.isHidden()
    window.show_page("train")
    assert not tour.bar.next_button.isHidden()
    tour.bar.stop_button.click()
    assert tour.progress is None


def test_the_tour_survives_the_end_of_the_process(
    window: MainWindow, theme: Theme, tmp_path: Path, workspace: Workspace
) -> None:
    state = TourState(TourProgress(Scene.TRAINING, Phase.READING), "data", "run")
    window.tour.resume(state)
    window.show_page("train")
    window.context.settings.save()
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    later = app.open(workspace.root)
    try:
        assert later.current_page == "train"
        assert later.tour.state == TourState(
            TourProgress(Scene.TRAINING, Phase.READING), "data", "run"
        )
        later.tour.stop()
        assert not later.context.settings.text("tour")
    finally:
        app.close()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"workspace": "/x"}', '{"workspace": 3}'])
def test_a_damaged_state_of_the_tour_is_ignored(text: str) -> None:
    assert from_text(text, Path("/x")) is None


def answering(app: StudioApp, own: Digits, qtbot: QtBot) -> MainWindow:
    """A window whose tour asks the trained network about five pictures."""
    window = app.open(own.workspace.root)
    qtbot.waitUntil(lambda: window.context.jobs.is_loaded)
    state = TourState(TourProgress(Scene.ANSWER), own.dataset.record.id, own.run.record.id)
    window.tour.resume(state)
    window.open(page_intent("predict", own.run.record.id))
    qtbot.waitUntil(lambda: state.progress.phase != Phase.WORK)
    return window


def validation_answers(own: Digits) -> Insight:
    best = own.run.history.best
    assert best is not None
    return read_insight(insight_path(own.run.record.folder, best.step))


def predicted(window: MainWindow) -> Batch:
    page = window.page("predict")
    assert isinstance(page, PredictPage)
    assert page.batch is not None
    assert len(page.batch.predictions) == 5
    return page.batch


@pytest.mark.thorough
def test_without_a_wrong_prediction_the_tour_ends_with_the_least_certain(
    closed: StudioApp, own_run: Digits, qtbot: QtBot
) -> None:
    insight = validation_answers(own_run)
    known = insight.answers
    right = known.truth == known.predicted
    only_right = ValidationPredictions(
        known.rows[right], known.truth[right], known.predicted[right], known.scores[right],
        int(right.sum()),
    )  # fmt: skip
    write_insight(own_run.run.record.folder, replace(insight, answers=only_right))

    window = answering(closed, own_run, qtbot)

    tour, batch = window.tour, predicted(window)
    assert tour.progress == TourProgress(Scene.ANSWER, Phase.OVER)
    answers = [prediction.class_scores[0] for prediction in batch.predictions]
    assert [answer.label for answer in answers] == [picture.label for picture in batch.pictures]
    least = min(answers, key=lambda answer: answer.score)
    assert tour.bar.text.text().startswith(
        f"All 5 images are classified correctly; least certain: {least.label} ("
    )
    assert least is answers[2], "the one in the middle was chosen for that"
    assert tour.bar.own_button.isVisible()
    assert not tour.bar.skip_button.isVisible()
    assert tour.bar.stop_button.text() == "Close"


@pytest.mark.slow
def test_the_correction_can_be_skipped(closed: StudioApp, own_run: Digits, qtbot: QtBot) -> None:
    assert len(validation_answers(own_run).answers.mistakes(1)), "LeNet is never right on all"
    window = answering(closed, own_run, qtbot)
    tour, batch = window.tour, predicted(window)
    assert tour.progress == TourProgress(Scene.ANSWER, Phase.READING)
    assert "Click “Wrong?" in tour.bar.text.text()
    assert not tour.reading.isActive(), "it waits for the user"

    tour.bar.skip_button.click()

    assert tour.progress == TourProgress(Scene.ANSWER, Phase.OVER)
    assert tour.bar.text.text().startswith("You can correct a wrong prediction at any time.")
    assert tour.bar.own_button.isVisible()
    assert not tour.bar.skip_button.isVisible()
    assert batch.corrections == {}
    window.show_page("home")
    assert not tour.bar.return_button.isVisible(), "nothing comes after it"


def test_skip_stops_the_training_and_continues_with_its_model(
    closed: StudioApp, workspace: Workspace, qtbot: QtBot
) -> None:
    run = fake_run(workspace, "lenet-digits", [0.5, 0.75], State.RUNNING)
    with holding(run.folder):  # otherwise its worker is found to be dead
        window = closed.open(workspace.root)
        qtbot.waitUntil(lambda: window.context.jobs.is_loaded)
        tour = window.tour
        tour.resume(TourState(TourProgress(Scene.TRAINING), "digits", run.id))
        window.open(page_intent("train", run.id))
        assert tour.bar.skip_button.isVisible()

        tour.bar.skip_button.click()

        assert tour.bar.text.text() == ("The training is stopping. The best model so far is kept.")
        assert not tour.bar.skip_button.isVisible(), "it shows that it was clicked"
        commands = run.folder / COMMANDS_FILE
        qtbot.waitUntil(lambda: commands.exists() and "stop" in commands.read_text("utf-8"))
    append_events(run, [StateChanged(state=State.STOPPED)])
    window.context.jobs.wake()
    qtbot.waitUntil(lambda: tour.progress == TourProgress(Scene.TRAINING, Phase.READING))
    assert "75.0\N{NO-BREAK SPACE}% of the validation images" in tour.bar.text.text()
    assert tour.bar.next_button.isVisible()


@pytest.mark.parametrize(
    ("state", "has_model", "expected"),
    [
        (State.RUNNING, True, False),
        (State.PAUSED, True, False),
        (State.COMPLETED, True, True),
        (State.STOPPED, True, True),
        (State.STOPPED, False, False),
        (State.FAILED, True, False),
        (State.LOST, False, False),
    ],
)
def test_what_became_of_the_run(state: State, has_model: bool, expected: bool) -> None:
    assert is_done(Scene.TRAINING, state, has_model=has_model) == expected
    if state is not State.STOPPED:
        assert is_done(Scene.DATA, state, has_model=False) == expected


def test_a_failure_is_shown_in_the_bar_and_ends_the_tour(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.ui.pages.datasets.importing import samples

    def full(*_: object) -> str:
        raise StudioError("The disk is full.", "Make room.")

    monkeypatch.setattr(samples, "submit_sample", full)
    window.context.navigator.start_tour()
    bar = window.tour.bar
    qtbot.waitUntil(lambda: "The disk is full. Make room." in bar.text.text())
    assert not bar.skip_button.isVisible()
    window.show_page("home")
    assert "The disk is full" in bar.text.text()
    bar.stop_button.click()
    assert not bar.isVisible()
    assert window.tour.progress is None
    assert tour_module.READ_MS >= 5000, "a sentence takes some seconds to read"


def test_the_tour_fits_into_the_smallest_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    window.tour.start()
    window.tour.bar.offer(back=True, skip=True, own=True)
    assert window.minimumSizeHint().width() <= 900
    assert window.width() == 900


def test_a_long_reason_is_not_clipped(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    tour = window.tour
    tour.resume(TourState(TourProgress(Scene.TRAINING, Phase.READING), "dataset", "run"))
    window.show_page("train")
    usual = tour.bar.height()
    tour._fail("The disk is full: the folder of the workspace has no room left. " * 6)
    label = tour.bar.text
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert tour.bar.height() > usual
    tour.resume(TourState(TourProgress(Scene.TRAINING, Phase.READING), "dataset", "run"))
    qtbot.waitUntil(lambda: tour.bar.height() == usual)
