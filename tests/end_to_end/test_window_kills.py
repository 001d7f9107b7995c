"""What survives when processes are killed with SIGKILL while a window trains."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from helpers.digits import end_workers
from helpers.processes import is_alive, kill_and_wait, python
from helpers.waiting import wait_until
from helpers.windows import OpenWindow
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.samples import SAMPLES
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.training.history import RunHistory, RunJob, StepsDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.app import StudioApp
from studio.ui.navigation import page_intent
from studio.ui.pages.train.dashboard.charts import STEP, TRAIN, VAL
from studio.ui.pages.train.dashboard.dashboard import Dashboard
from studio.ui.pages.train.page import View as TrainPage

pytestmark = pytest.mark.slow

# A window of its own process: opens the workspace, fills in the form, presses Train, stays open.
WINDOW = """
import os, sys
from pathlib import Path
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
app = QApplication([])
theme = Theme("light")
theme.apply(app)
studio = StudioApp(Settings(Path(sys.argv[2])), theme)
window = studio.open(Path(sys.argv[1]))
window.show_page("train")
page = window.page("train")
def look():
    if page.new_run.train_button.isEnabled():
        timer.stop()
        page.new_run.cards.form.set_values({"epochs": int(sys.argv[3])})
        page.new_run.train_button.click()
timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
page.new_run.started.connect(lambda run: print(run, flush=True))
app.exec()
"""


KILLS = int(os.environ.get("STUDIO_WINDOW_KILLS", "8"))
"""The goal is 20, which take a minute: `STUDIO_WINDOW_KILLS=20` does them."""
LONGEST_SECONDS = 2.5
"""From the start of a window to its kill, at most, where it is killed at any moment."""

# Opens the workspace, finds the run that trains and tells how many of its steps it has drawn.
WATCHER = """
import os, sys
from pathlib import Path
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from studio.engine.jobs.host import EngineHost
from studio.ui.app import StudioApp
from studio.ui.pages.train.dashboard.charts import STEP
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
EngineHost.warm_up = lambda host: None  # many windows need not load Keras many times
app = QApplication([])
theme = Theme("light")
theme.apply(app)
studio = StudioApp(Settings(Path(sys.argv[2])), theme)
window = studio.open(Path(sys.argv[1]))
window.show_page("train")
board = window.page("train").dashboard
def look():
    if board.entry is not None:
        print(len(board.charts.loss.curve_data(STEP)[0]), flush=True)
timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
app.exec()
"""


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digits as class folders."""
    return SAMPLES["digits"].write(tmp_path_factory.mktemp("samples"), SilentProgress())


@pytest.fixture
def dataset(digits: Path, workspace: Workspace) -> Iterator[Record]:
    """The digits, imported; what a failed test leaves in training there is ended."""
    recipe = SAMPLES["digits"].recipe(digits)
    record = workspace.create(RecordKind.DATASET, "digits", recipe.to_json())
    import_dataset(recipe, record.folder, SilentProgress())
    RunJob(record).append(StateChanged(state=State.COMPLETED))
    yield record
    end_workers(workspace)


def dashboard(studio: StudioApp) -> Dashboard:
    assert studio.window is not None
    studio.window.show_page("train")
    page = studio.window.page("train")
    assert isinstance(page, TrainPage)
    return page.dashboard


def shown_state(board: Dashboard) -> State | None:
    return None if board.entry is None else board.entry.state


def steps_of(record: Record) -> list[float]:
    """Every step's loss as the journal has it, and proof that none is missing or double."""
    events = journal_reader(record).read()
    losses: list[float] = []
    for event in events:
        if isinstance(event, StepsDone):
            assert event.first == len(losses) + 1
            losses += event.per_step("loss")
    return losses


def test_a_run_outlives_a_killed_window_and_its_curve_has_no_gap(
    dataset: Record, workspace: Workspace, open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    settings = tmp_path / "other.ini"
    with python(WINDOW, workspace.root, settings, "1000") as window:
        assert window.stdout is not None
        run = workspace.record(RecordKind.RUN, window.stdout.readline().strip())
        assert run is not None
        job = RunJob(run)

        def has_steps() -> bool:
            job.refresh()
            return len(job.history.steps_of("loss")) >= 80

        wait_until(has_steps, "the run has done 80 steps")
        os.kill(window.pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(window.pid), "the window is dead")

    assert job.history.started is not None
    assert is_alive(job.history.started.pid)
    assert not job.history.state.is_finished

    board = dashboard(open_window(workspace.root))
    qtbot.waitUntil(lambda: shown_state(board) == State.RUNNING, timeout=120_000)
    before = len(board.charts.loss.curve_data(STEP)[0])
    assert before >= 80
    qtbot.waitUntil(
        lambda: len(board.charts.loss.curve_data(STEP)[0]) >= before + 80, timeout=120_000
    )
    # The steps of an epoch are there before its validation is.
    qtbot.waitUntil(lambda: len(board.charts.loss.curve_data(VAL)[0]) >= 4, timeout=120_000)
    JobQueue(workspace).stop(job)
    qtbot.waitUntil(lambda: shown_state(board) == State.STOPPED, timeout=120_000)

    x, y = board.charts.loss.curve_data(STEP)
    losses = steps_of(run)
    job.refresh()
    per_epoch = job.history.training.steps_per_epoch if job.history.training else 0
    epochs = len(job.history.epochs)
    assert epochs >= 4
    assert len(losses) // per_epoch - epochs in (0, 1), (
        "it may have been stopped while it validated"
    )
    assert list(y) == losses
    assert [round(value * per_epoch) for value in x] == list(range(1, len(losses) + 1))
    for chart in (board.charts.loss, board.charts.metric_chart):
        for key in (TRAIN, VAL):
            assert list(chart.curve_data(key)[0]) == list(range(1, epochs + 1))


@pytest.mark.thorough
def test_killed_windows_lose_no_event(
    dataset: Record, workspace: Workspace, open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    queue, rng = JobQueue(workspace), random.Random(5)
    plan = TrainingPlan(dataset=dataset.id, network="mlp", epochs=100_000)
    job = queue.submit(plan, "long").with_history(RunHistory)
    queue.dispatch()
    drawn = 0
    for number in range(KILLS):
        with python(WATCHER, workspace.root, tmp_path / "other.ini") as window:
            if number % 2:  # at any moment, also while it opens
                threading.Event().wait(rng.uniform(0, LONGEST_SECONDS))
            else:  # in the middle of drawing, and never behind an earlier window
                drawn = _drawn(window, drawn + rng.randint(1, 100))
            kill_and_wait(window.pid)
    job.refresh()
    assert job.history.state == State.RUNNING, job.history.reason
    assert job.history.attempt == 1

    board = dashboard(open_window(workspace.root))
    qtbot.waitUntil(lambda: shown_state(board) == State.RUNNING, timeout=120_000)
    queue.stop(job)
    qtbot.waitUntil(lambda: shown_state(board) == State.STOPPED, timeout=120_000)

    losses = steps_of(job.record)
    x, y = board.charts.loss.curve_data(STEP)
    assert len(losses) >= drawn > 0
    assert list(y) == losses
    job.refresh()
    per_epoch = job.history.steps_per_epoch
    assert [round(value * per_epoch) for value in x] == list(range(1, len(losses) + 1))


def _drawn(window: subprocess.Popen[str], requested: int) -> int:
    """Wait until a window has drawn this many steps; how many there are then."""
    assert window.stdout is not None
    for line in window.stdout:
        if int(line) >= requested:
            return int(line)
    raise AssertionError("the window ended by itself")


@pytest.mark.thorough
def test_a_killed_worker_is_shown_as_lost_and_nothing_else_is_touched(
    dataset: Record, workspace: Workspace, open_window: OpenWindow, qtbot: QtBot
) -> None:
    studio = open_window(workspace.root)
    board = dashboard(studio)
    assert studio.window is not None
    page = studio.window.page("train")
    assert isinstance(page, TrainPage)
    qtbot.waitUntil(page.new_run.train_button.isEnabled, timeout=120_000)
    pixels = (dataset.folder / "images.h5").read_bytes()
    page.new_run.cards.form.set_values({"epochs": 1000})
    page.new_run.train_button.click()
    qtbot.waitUntil(lambda: shown_state(board) == State.RUNNING, timeout=120_000)
    entry = board.entry
    assert entry is not None
    qtbot.waitUntil(lambda: len(entry.history.epochs) >= 2, timeout=120_000)
    assert entry.history.started is not None
    kill_and_wait(entry.history.started.pid)

    qtbot.waitUntil(lambda: shown_state(board) == State.LOST, timeout=120_000)
    assert "signal 9" in entry.history.reason
    assert board.badge.state == "lost"
    assert any("signal 9" in card.notice.text for card in studio.window.notices.cards())
    assert board.run_actions.resume_button.isVisibleTo(board)
    assert (dataset.folder / "images.h5").read_bytes() == pixels
    assert len(board.charts.loss.curve_data(TRAIN)[0]) == len(entry.history.epochs)

    # The machine is free for the next run, which the lost one does not stand in the way of.
    page.new_run.cards.form.set_values({"epochs": 1})
    page.new_run.train_button.click()
    qtbot.waitUntil(
        lambda: board.entry is not entry and shown_state(board) == State.COMPLETED, timeout=120_000
    )
    assert entry.state == State.LOST


@pytest.mark.thorough
def test_two_windows_start_a_run_once_and_both_draw_it_whole(
    dataset: Record, workspace: Workspace, open_window: OpenWindow, qtbot: QtBot
) -> None:
    first, second = open_window(workspace.root), open_window(workspace.root)
    boards = [dashboard(first), dashboard(second)]
    assert first.window is not None
    page = first.window.page("train")
    assert isinstance(page, TrainPage)
    qtbot.waitUntil(page.new_run.train_button.isEnabled, timeout=120_000)
    page.new_run.cards.form.set_values({"epochs": 3})
    page.new_run.train_button.click()
    qtbot.waitUntil(lambda: boards[0].entry is not None, timeout=120_000)
    assert boards[0].entry is not None
    assert second.window is not None
    second.window.open(page_intent("train", boards[0].entry.record.id))
    qtbot.waitUntil(
        lambda: {shown_state(board) for board in boards} == {State.COMPLETED}, timeout=120_000
    )
    entry = boards[0].entry
    assert entry is not None
    events = journal_reader(entry.record).read()
    starts = [e for e in events if isinstance(e, StateChanged) and e.state == State.STARTING]
    assert len(starts) == 1
    for board in boards:
        assert list(board.charts.loss.curve_data(STEP)[1]) == steps_of(entry.record)
