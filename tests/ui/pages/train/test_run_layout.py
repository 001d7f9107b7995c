"""How the page of a run shares its height between charts and tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_checks import cut_buttons, nameless_controls, show_in_window
from page_records import (
    add_dataset,
    add_run,
    began,
    epochs_done,
    picture_folder,
    start_jobs,
)
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from helpers.windows import click
from studio.engine.jobs.events import Amended, Artifact, ProgressMade, StateChanged
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.networks.backbones import IMAGENET
from studio.engine.training.history import StepsDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.language import Translation
from studio.ui.navigation import Intent, PlanRun
from studio.ui.pages.train.dashboard import start
from studio.ui.pages.train.dashboard.dashboard import Dashboard
from studio.ui.pages.train.dashboard.insights import MIN_MATRIX, ConfusionSection
from studio.ui.pages.train.page import View
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import vbox


@pytest.fixture
def dashboard(qtbot: QtBot, context: AppContext) -> Dashboard:
    return Dashboard(context)


def show(qtbot: QtBot, context: AppContext, dashboard: Dashboard, run: Record) -> QMainWindow:
    """A window with the dashboard of a run."""
    window = show_in_window(qtbot, dashboard)
    start_jobs(qtbot, context)
    entry = context.jobs.get(RecordKind.RUN, run.id)
    assert entry is not None
    dashboard.show_run(entry)
    return window


def test_the_charts_have_their_share_of_the_height_and_a_legend(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    run = add_run(workspace, "run", "none", [0.5, 0.6], State.COMPLETED)
    window = show(qtbot, context, dashboard, run)
    for height in (700, 560, 500, 700):
        window.resize(900, height)
        qtbot.waitUntil(
            lambda: dashboard.charts.height() >= 0.45 * dashboard.height() > 0, timeout=5000
        )
        assert all(chart.legend.isVisible() for chart, _ in dashboard.charts.charts())
        assert dashboard.details.height() >= 100
    matrix = dashboard.details.open(ConfusionSection).view.plot
    assert matrix.minimumHeight() == MIN_MATRIX == 240
    assert dashboard.bar.sizePolicy().retainSizeWhenHidden()
    window.close()


def test_the_least_height_has_room_for_the_lines_of_the_figures(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    run = add_run(workspace, "run", "none", [0.5, 0.6], State.COMPLETED)
    window = show(qtbot, context, dashboard, run)
    dashboard._test.setText("Test accuracy 75.3 % on 60 images of the test split")
    dashboard._test.show()
    window.resize(dashboard.minimumSizeHint().width(), 300)
    qtbot.waitUntil(lambda: dashboard._test.y() > dashboard.badge.y(), timeout=5000)
    dashboard.resize(dashboard.width(), dashboard.minimumSizeHint().height())
    least = min(chart.minimumHeight() for chart, _ in dashboard.charts.charts())
    qtbot.waitUntil(lambda: dashboard.charts.height() >= least, timeout=5000)
    window.close()


def test_a_table_takes_room_only_when_it_has_rows(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    run = add_run(workspace, "run", "none", [], State.PAUSED)
    window = show(qtbot, context, dashboard, run)
    window.resize(1000, 760)
    least = dashboard.details.minimumSizeHint().height()
    qtbot.waitUntil(lambda: dashboard.details.height() == least < 150, timeout=5000)
    dashboard.details.setCurrentWidget(dashboard.details.log)
    qtbot.waitUntil(lambda: dashboard.details.height() > 200, timeout=5000)
    dashboard.details.setCurrentWidget(dashboard.details.table)
    qtbot.waitUntil(lambda: dashboard.details.height() == least, timeout=5000)
    window.close()


def test_a_run_without_figures_says_what_happens_and_since_when(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    run = add_run(workspace, "run", "none", [], State.RUNNING)
    with holding(run.folder):
        window = show(qtbot, context, dashboard, run)
        assert not dashboard.charts.isVisible()
        assert dashboard.start.accessibleName() == "First epoch"
        assert dashboard.start.accessibleDescription().startswith("Since ")
        steps = StepsDone(
            first=1, last=1, metrics={"loss": [1.0]}, learning_rate=1e-3, images_per_second=1
        )
        append_events(run, [steps])
        qtbot.waitUntil(dashboard.charts.isVisible, timeout=5000)
    window.close()


def test_a_run_without_weights_offers_a_file_and_says_its_reason_once(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    dashboard: Dashboard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = TrainingPlan(dataset="none", network="mobilenet_v2", weights=IMAGENET)
    run = workspace.create(RecordKind.RUN, "run", plan.to_json())
    reason = "The weights of MobileNetV2 could not be downloaded: no connection."
    ending = StateChanged(state=State.FAILED, reason=reason, category="user")
    append_events(run, [*began(), ending])
    window = show(qtbot, context, dashboard, run)
    qtbot.waitUntil(dashboard.start.file_button.isVisible, timeout=5000)
    texts = [each.text() for each in dashboard.findChildren(QLabel) if each.isVisible()]
    assert len([text for text in texts if reason in text]) == 1
    asked: list[Intent] = []
    context.navigator.open_requested.connect(asked.append)
    monkeypatch.setattr(start, "ask_weights_file", lambda _parent: Path("own.h5"))
    dashboard.start.file_button.click()
    assert asked == [PlanRun(copy_of=run.id, weights="own.h5")]
    window.close()


def test_a_run_without_its_weights_says_that_a_smaller_network_was_trained(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    run = add_run(workspace, "run", "none", [0.5])
    changes = {"weights": "", "offline_fallback": True, "network": "small_cnn"}
    append_events(run, [Amended(changes=changes)])
    window = show(qtbot, context, dashboard, run)
    assert "a smaller network was trained" in dashboard._reason.text()
    window.close()


def test_a_copy_of_a_run_starts_from_a_file(
    qtbot: QtBot, context: AppContext, workspace: Workspace
) -> None:
    run = add_run(workspace, "run", "none", [0.5])
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    view.open(PlanRun(copy_of=run.id, weights="own.h5"))
    qtbot.waitUntil(lambda: view.new_run.cards.pretrained.weights.source == "own.h5")
    window.close()


def test_a_run_says_what_it_measures_between_and_after_its_epochs(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    """It seemed to stand still at “about 5 s left” meanwhile."""
    run = add_run(workspace, "run", "none", [], State.RUNNING)
    steps = StepsDone(
        first=1, last=2, metrics={"loss": [1.0] * 2}, learning_rate=1e-3, images_per_second=1
    )
    what = "Measuring the outputs on validation images"

    def line() -> str:
        return dashboard._line.text()

    with holding(run.folder):
        window = show(qtbot, context, dashboard, run)
        append_events(run, [steps])
        qtbot.waitUntil(lambda: line().startswith("Validating"), timeout=5000)
        entry = dashboard.entry
        assert entry is not None
        append_events(run, epochs_done([0.5]))
        qtbot.waitUntil(lambda: line().startswith("Epoch 1 of 1"), timeout=5000)
        assert "left" not in line()
        append_events(run, [ProgressMade(done=64, total=87, what=what)])
        qtbot.waitUntil(lambda: line().startswith(f"{what} · 64 of 87"), timeout=5000)
        assert entry.history.fraction == 64 / 87
    window.close()


@pytest.mark.parametrize("request_end", [Jobs.stop, Jobs.pause])
def test_a_run_that_is_stopping_promises_no_time(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    dashboard: Dashboard,
    request_end: Callable[[Jobs, RunDocument], None],
) -> None:
    """It said “about 1 min left” meanwhile, and twice that it was stopping."""
    run = add_run(workspace, "run", "none", [0.5], State.RUNNING)
    steps = StepsDone(
        first=1, last=2, metrics={"loss": [1.0] * 2}, learning_rate=1e-3, images_per_second=7
    )
    with holding(run.folder):
        window = show(qtbot, context, dashboard, run)
        append_events(run, [steps])
        qtbot.waitUntil(lambda: "7 images/s" in dashboard._line.text(), timeout=5000)
        entry = dashboard.entry
        assert entry is not None
        request_end(context.jobs, entry)
        qtbot.waitUntil(lambda: "images/s" not in dashboard._line.text(), timeout=5000)
        words = dashboard._line.text().split(" · ")
        assert [each for each in words if "left" in each or "…" in each] == []
    window.close()


def test_a_pause_does_not_shift_the_page(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard
) -> None:
    run = add_run(workspace, "run", "none", [0.5], State.RUNNING)
    with holding(run.folder):
        window = show(qtbot, context, dashboard, run)
        qtbot.waitUntil(lambda: dashboard.charts.height() > 0)
        before = dashboard.charts.mapTo(dashboard, QPoint()).y()
        append_events(run, [StateChanged(state=State.PAUSED, reason="It was paused.")])
        qtbot.waitUntil(lambda: dashboard.badge.state == "paused", timeout=5000)
        QApplication.processEvents()
    assert dashboard.charts.mapTo(dashboard, QPoint()).y() == before
    assert "It was paused." in dashboard._line.text()
    assert min(dashboard._line.height(), dashboard.badge.height()) >= 16
    window.close()


@pytest.mark.parametrize("is_moved", [False, True])
def test_the_charts_get_back_the_height_that_the_open_tray_took(
    qtbot: QtBot, context: AppContext, workspace: Workspace, is_moved: bool
) -> None:
    run = add_run(workspace, "run", "none", [0.5, 0.6], State.COMPLETED)
    dashboard = Dashboard(context)
    tray = QWidget()
    tray.setFixedHeight(200)
    area = QWidget()
    vbox((dashboard, 1), tray, owner=area)
    tray.hide()
    window = show_in_window(qtbot, area)
    start_jobs(qtbot, context)
    entry = context.jobs.get(RecordKind.RUN, run.id)
    assert entry is not None
    dashboard.show_run(entry)
    window.resize(1000, 900)
    qtbot.waitUntil(
        lambda: sum(dashboard._splitter.sizes()) > 500 and not dashboard._balancing.isActive()
    )
    if is_moved:
        dashboard._splitter.moveSplitter(380, 1)
    before = dashboard._splitter.sizes()
    tray.show()
    qtbot.waitUntil(lambda: sum(dashboard._splitter.sizes()) < sum(before))
    qtbot.waitUntil(lambda: not dashboard._balancing.isActive())
    tray.hide()
    qtbot.waitUntil(lambda: dashboard._splitter.sizes() == before)
    window.close()


def test_the_next_step_of_a_completed_run_is_to_try_it(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    source = picture_folder(tmp_path / "flowers", {"daisy": 2, "rose": 2})
    dataset = add_dataset(workspace, "flowers", source, width=8, height=8)
    run = add_run(workspace, "run", dataset.id, [0.5, 0.6], State.COMPLETED)
    append_events(run, [Artifact(name="model", path="model.keras")])
    other = add_run(workspace, "failed", "none", [0.5], State.FAILED)
    dashboard = Dashboard(context)
    qtbot.addWidget(dashboard)
    start_jobs(qtbot, context)
    actions, button = dashboard.run_actions, dashboard.run_actions.predict_button
    entry = context.jobs.get(RecordKind.RUN, run.id)
    assert entry is not None
    dashboard.show_run(entry)
    actions.fit(0)
    assert (button.text(), button.property("kind")) == ("Try it", "primary")
    assert actions.test_button.text() == ""
    failed = context.jobs.get(RecordKind.RUN, other.id)
    assert failed is not None
    dashboard.show_run(failed)
    assert button.property("kind") == "normal"


@pytest.fixture
def translation(qtbot: QtBot) -> Iterator[Translation]:
    made = Translation()
    yield made
    made.remove()


@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_the_name_of_a_run_can_be_read_in_the_smallest_window(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    translation: Translation,
    language: str,
) -> None:
    translation.use(language)
    name = "flores-mobilenet-v2-congelada"
    going = add_run(workspace, name, "none", [0.5, 0.6], State.RUNNING)
    append_events(going, [Artifact(name="model", path="model.keras")])
    with holding(going.folder):  # otherwise its worker is found to be dead
        view = View(context)
        window = show_in_window(qtbot, view)
        start_jobs(qtbot, context)
        view.show_record(going.id)
        dashboard, actions = view.dashboard, view.dashboard.run_actions
        title = dashboard.header.findChild(ElidedLabel)
        assert title is not None

        # Enough of both ends to tell it from others; it were two letters beside the words.
        qtbot.waitUntil(lambda: len(title.shown_text()) >= 10)
        for button in (actions.pause_button, actions.stop_button):
            assert button.isVisible()
            assert button.text()
        assert actions.test_button.text() == ""
        assert actions.test_button.accessibleName() in actions.test_button.toolTip()
        assert nameless_controls(view) == []
        assert cut_buttons(view) == []

        window.resize(1500, 700)
        qtbot.waitUntil(lambda: actions.test_button.text() != "")
        qtbot.waitUntil(lambda: title.shown_text() == name)
        qtbot.waitUntil(lambda: cut_buttons(view) == [])  # laid out with the next events
        window.resize(952, 600)
        qtbot.waitUntil(lambda: actions.test_button.text() == "")
        window.close()


def test_a_run_restores_its_dataset_from_the_trash(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dashboard: Dashboard, tmp_path: Path
) -> None:
    source = picture_folder(tmp_path / "flowers", {"daisy": 2, "rose": 2})
    dataset = add_dataset(workspace, "flowers", source, width=8, height=8)
    run = add_run(workspace, "run", dataset.id, [0.5], State.FAILED)
    append_events(run, [Artifact(name="model", path="model.keras")])
    workspace.trash(dataset)
    window = show(qtbot, context, dashboard, run)
    line, use = dashboard.subtitle, dashboard.run_actions.predict_button
    qtbot.waitUntil(line.restore_button.isVisible, timeout=5000)
    assert not use.isEnabled(), "it would use another model"
    assert "Restore it from the trash" in use.toolTip()
    assert line.dataset == "flowers (in the trash)"
    assert line.dataset in dashboard.details.plan.toPlainText()
    click(line.restore_button)
    qtbot.waitUntil(lambda: line.dataset == "flowers", timeout=5000)
    assert not line.restore_button.isVisible()
    assert use.isEnabled()
    assert workspace.record(RecordKind.DATASET, dataset.id) is not None
    window.close()
