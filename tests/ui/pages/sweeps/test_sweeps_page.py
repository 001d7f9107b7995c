"""The page of sweeps in a window: the list, the trials of one, what is done with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    styles,
    unexplained_buttons,
)
from page_records import began
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot
from sweep_records import add_sweep, sweep_plan, trial

from helpers.runs import append_events, fake_run
from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.events import Amended, StateChanged
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.sweeps.history import TrialChanged, TrialRun
from studio.engine.training.history import EpochDone
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import Intent, OpenRecord, PlanRun
from studio.ui.pages.sweeps import facts
from studio.ui.pages.sweeps.facts import SweepMonitor
from studio.ui.pages.sweeps.page import View
from studio.ui.theme.theme import Theme
from studio.ui.widgets.notices import Notice

Open = Callable[[], View]


def shown(view: View) -> list[list[str]]:
    """The cells of the table of trials, row by row."""
    return view.panel.table.texts()


def numbers(view: View) -> list[int]:
    return [row.number for row in view.panel.table.content.shown]


def rows(view: View) -> range:
    return range(view.panel.table.content.rowCount())


@pytest.fixture
def view(open_page: Open, workspace: Workspace, qtbot: QtBot) -> View:
    """The page with one sweep that is over."""
    add_sweep(workspace)
    made = open_page()
    qtbot.waitUntil(lambda: len(rows(made)) == 3, timeout=5000)
    return made


def test_a_sweep_shows_its_trials_with_the_best_marked(view: View) -> None:
    table = shown(view)
    assert [row[:4] for row in table] == [
        ["0", "0.1", "Completed", "70.00\N{NO-BREAK SPACE}%"],
        ["★ 1", "0.01", "Completed", "90.00\N{NO-BREAK SPACE}%"],
        ["2", "0.001", "Failed", "–"],
    ]
    assert table[1][4] == "12\N{NO-BREAK SPACE}s"
    model = view.panel.table.content
    assert model.index(2, 1).data(Qt.ItemDataRole.ToolTipRole) == "The loss is not a number."
    red = model.index(2, 1).data(Qt.ItemDataRole.ForegroundRole)
    assert red == view.context.theme.color("bad")
    assert model.index(0, 1).data(Qt.ItemDataRole.ForegroundRole) is None
    line = view.list.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert line == "rates, Completed, 3 of 3 trials, 90.00\N{NO-BREAK SPACE}%"
    curves = [
        model.index(row, model.columnCount() - 1).data(Qt.ItemDataRole.AccessibleTextRole)
        for row in range(3)
    ]
    percents = "from 50.0\N{NO-BREAK SPACE}% to 70.0\N{NO-BREAK SPACE}%"
    assert curves[0] == f"Val accuracy {percents} over 2 epochs"
    assert curves[2] == "–"


def test_a_sweep_is_summarized_again_after_a_failure(
    view: View, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """The list showed no sweep any longer, as if the first summary never ended."""

    def fail(_asked: object) -> None:
        raise OSError("no memory")

    monitor = SweepMonitor(view.context, view)
    qtbot.waitUntil(lambda: not monitor._is_busy)
    with monkeypatch.context() as patch:
        patch.setattr(facts, "facts_of_all", fail)
        with qtbot.waitSignal(view.context.background.failed):
            add_sweep(workspace, "second")
            view.context.jobs.wake()
        qtbot.waitUntil(lambda: not monitor._is_busy)
    third = add_sweep(workspace, "third")
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: monitor.facts(third.id) is not None, timeout=5000)


def test_runs_of_a_sweep_are_known_as_such(view: View, workspace: Workspace, qtbot: QtBot) -> None:
    jobs = view.context.jobs
    alone = fake_run(workspace, "alone", [0.5])
    jobs.wake()
    qtbot.waitUntil(lambda: jobs.get(RecordKind.RUN, alone.id) is not None, timeout=5000)
    found = {entry.name: jobs.is_of_a_sweep(entry) for entry in jobs.entries(RecordKind.RUN)}
    assert found == {"alone": False, "rates-0": True, "rates-1": True, "rates-2": True}


def test_a_sweep_that_comes_leaves_the_shown_one_selected(
    view: View, workspace: Workspace, qtbot: QtBot
) -> None:
    received: list[str] = []
    view.list.chosen.connect(received.append)
    shown_now = view.panel.entry
    assert shown_now is not None

    newer = add_sweep(workspace, "newer")
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: view.list.model().rowCount() == 2, timeout=5000)

    assert received == []
    assert view.panel.entry is shown_now
    (index,) = view.list.selectionModel().selectedRows()
    assert index.data() == "rates"
    position = view.list.visualRect(view.list.model().index(0, 0)).center()
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert received == [newer.id]
    entry = view.panel.entry
    assert entry is not None
    assert entry.name == "newer"


def test_a_click_on_a_heading_sorts(view: View) -> None:
    header = view.panel.table.horizontalHeader()
    for expected in (["0", "★ 1", "2"], ["★ 1", "0", "2"]):
        point = QPoint(header.sectionViewportPosition(3) + 20, 10)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=point)
        assert [row[0] for row in shown(view)] == expected


def test_the_run_of_a_trial_is_opened_promoted_and_exported(
    view: View, workspace: Workspace, context: AppContext
) -> None:
    asked: list[Intent] = []
    context.navigator.open_requested.connect(asked.append)
    best = workspace.find(RecordKind.RUN, "rates-1").id
    actions = view.panel.actions_of_trial
    assert actions.about.text().startswith("Best trial 1")
    actions.longer_button.click()
    actions.export_button.click()
    view.panel.table.select(0)
    QTest.keyClick(view.panel.table, Qt.Key.Key_Return)
    other = workspace.find(RecordKind.RUN, "rates-0").id
    assert asked == [
        PlanRun(copy_of=best, epochs=4),
        OpenRecord("export", best),
        OpenRecord("train", other),
    ]
    assert not actions.rerun_button.isEnabled()
    view.panel.table.select(2)
    assert not actions.export_button.isEnabled()
    assert actions.rerun_button.isEnabled()


def test_a_failed_trial_is_done_again(
    view: View, launch_scripts: LaunchScripts, qtbot: QtBot
) -> None:
    launch_scripts(ENDLESS)
    view.panel.table.select(2)
    view.panel.actions_of_trial.rerun_button.click()
    qtbot.waitUntil(lambda: shown(view)[2][2] == "Queued", timeout=5000)
    qtbot.waitUntil(lambda: view.panel.badge.state != "completed", timeout=5000)
    assert not view.panel.actions_of_trial.rerun_button.isEnabled()


def test_a_sweep_that_goes_is_followed(
    open_page: Open, workspace: Workspace, qtbot: QtBot
) -> None:
    plan = sweep_plan("learning_rate=0.1,0.01")
    record = workspace.create(RecordKind.SWEEP, "live", plan.to_json())
    with holding(record.folder):
        append_events(record, began())
        view = open_page()
        run = fake_run(workspace, "live-0", [0.5], State.RUNNING)
        with holding(run.folder):
            append_events(
                record,
                [
                    TrialChanged(
                        number=0,
                        values={"learning_rate": 0.1},
                        state=State.RUNNING,
                        runs=(TrialRun(name="live-0", id=run.id),),
                    )
                ],
            )
            qtbot.waitUntil(
                lambda: (
                    [row[:3] for row in shown(view)]
                    == [["0", "0.1", "Running"], ["1", "0.01", "Queued"]]
                ),
                timeout=5000,
            )
            assert shown(view)[0][3] == "50.00\N{NO-BREAK SPACE}%"
            epoch = EpochDone(
                epoch=2,
                step=8,
                metrics={"loss": 0.1, "accuracy": 0.9, "val_loss": 0.2, "val_accuracy": 0.75},
                learning_rate=0.1,
                seconds=1,
                images_per_second=9,
            )
            append_events(run, [epoch])
            qtbot.waitUntil(lambda: shown(view)[0][3].startswith("75"), timeout=5000)
        append_events(run, [StateChanged(state=State.COMPLETED)])
        append_events(record, [trial(0, {"learning_rate": 0.1}, [0.75], run)])
        qtbot.waitUntil(lambda: shown(view)[0][0] == "★ 0", timeout=5000)
        line = view.list.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert "1 of 2 trials" in line


def test_a_sweep_is_paused_and_stopped(
    open_page: Open, workspace: Workspace, qtbot: QtBot
) -> None:
    record = add_sweep(workspace, state=State.RUNNING)
    with holding(record.folder):
        view = open_page()
        qtbot.waitUntil(lambda: len(rows(view)) == 3, timeout=5000)
        actions = view.panel.actions_of_sweep
        commands = record.folder / COMMANDS_FILE
        assert not actions.resume_button.isVisible()
        assert not actions.delete_button.isEnabled()
        actions.pause_button.click()
        qtbot.waitUntil(lambda: commands.exists() and "pause" in commands.read_text())
        actions.stop_button.click()
        qtbot.waitUntil(lambda: "stop" in commands.read_text())
        append_events(record, [StateChanged(state=State.PAUSED)])
        qtbot.waitUntil(actions.resume_button.isVisible, timeout=5000)
        assert not actions.pause_button.isVisible()
        assert actions.delete_button.isEnabled()


def test_values_are_added_to_a_sweep_that_is_over(
    open_page: Open,
    workspace: Workspace,
    dataset: Record,
    launch_scripts: LaunchScripts,
    qtbot: QtBot,
) -> None:
    launch_scripts(ENDLESS)
    record = add_sweep(workspace, dataset=dataset.id)
    view = open_page()
    qtbot.waitUntil(lambda: len(rows(view)) == 3, timeout=5000)
    view.panel.actions_of_sweep.add_button.click()
    card = view.panel.add_values
    assert card.isVisible()
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert not card.add_button.isEnabled()
    QTest.keyClicks(card.space.rows[0].values, "0.5, much")
    assert not card.add_button.isEnabled()
    assert "much" in card.space.rows[0].hint.text()
    card.space.rows[0].values.clear()
    QTest.keyClicks(card.space.rows[0].values, "0.5")
    card.add_button.click()
    qtbot.waitUntil(view.panel.table.isVisible, timeout=5000)

    def total() -> int | None:
        facts = view.monitor.facts(record.id)
        return None if facts is None else facts.total

    qtbot.waitUntil(lambda: total() == 4, timeout=5000)
    # What was there stays, and what is new waits behind it.
    qtbot.waitUntil(lambda: shown(view)[3][:3] == ["3", "0.5", "Queued"], timeout=5000)
    assert [row[0] for row in shown(view)] == ["0", "★ 1", "2", "3"]
    qtbot.waitUntil(lambda: view.panel.badge.state in ("starting", "running"), timeout=5000)


def test_what_is_added_is_foretold_and_a_limit_is_not_taken_away(
    open_page: Open, workspace: Workspace, qtbot: QtBot
) -> None:
    add_sweep(workspace, trials=3)
    view = open_page()
    qtbot.waitUntil(lambda: len(rows(view)) == 3, timeout=5000)
    view.panel.actions_of_sweep.add_button.click()
    card = view.panel.add_values
    trials = card.budget.editor("trials").control
    assert isinstance(trials, QLineEdit)
    assert card.forecast.text() == ""

    trials.clear()
    trials.textEdited.emit("")
    assert "not removed; it is 3" in card.budget.row("trials").hint.text()
    assert not card.add_button.isEnabled()

    QTest.keyClicks(trials, "7")
    QTest.keyClicks(card.space.rows[0].values, "0.5, 0.2")
    assert card.budget.row("trials").hint.text() == ""
    assert card.add_button.isEnabled()
    words = "5 trials in total, 2 remaining."
    qtbot.waitUntil(lambda: card.forecast.text() == words, timeout=5000)


def test_values_are_added_while_a_sweep_goes(
    open_page: Open, workspace: Workspace, qtbot: QtBot
) -> None:
    record = add_sweep(workspace, state=State.RUNNING)
    with holding(record.folder):
        view = open_page()
        qtbot.waitUntil(lambda: len(rows(view)) == 3, timeout=5000)
        view.panel.actions_of_sweep.add_button.click()
        QTest.keyClicks(view.panel.add_values.space.rows[0].values, "0.5")
        view.panel.add_values.add_button.click()
        commands = record.folder / COMMANDS_FILE
        qtbot.waitUntil(lambda: commands.exists() and "0.5" in commands.read_text())
        values = (*(0.1, 0.01, 0.001), 0.5)
        changes = {"dimensions": [{"field": "learning_rate", "values": values}]}
        append_events(record, [Amended(changes=changes), trial(3, {"learning_rate": 0.5}, [0.95])])
        qtbot.waitUntil(lambda: shown(view)[-1][0] == "★ 3", timeout=5000)


def test_trials_that_wait_are_put_in_another_order(
    open_page: Open, workspace: Workspace, qtbot: QtBot
) -> None:
    plan = sweep_plan("learning_rate=0.1,0.01,0.001,0.0001")
    record = workspace.create(RecordKind.SWEEP, "paused", plan.to_json())
    over = trial(0, {"learning_rate": 0.1}, [0.5])
    append_events(record, [*began(), over, StateChanged(state=State.PAUSED)])
    view = open_page()
    table = view.panel.table
    qtbot.waitUntil(lambda: len(rows(view)) == 4, timeout=5000)

    def order() -> list[str]:
        return [row[1] for row in shown(view)]

    table.select(0)
    assert not table.up_action.isEnabled()
    assert not table.down_action.isEnabled()
    table.select(1)
    assert not table.up_action.isEnabled()
    table.setFocus()
    table.down_action.trigger()
    qtbot.waitUntil(lambda: order() == ["0.1", "0.001", "0.01", "0.0001"], timeout=5000)
    chosen = table.chosen
    assert chosen is not None
    assert chosen.event.values == {"learning_rate": 0.01}
    assert not view.panel.actions_of_trial.open_button.isEnabled()
    assert view.panel.actions_of_trial.open_button.toolTip() == "The trial has not started."
    table.down_action.trigger()
    qtbot.waitUntil(lambda: order()[-1] == "0.01", timeout=5000)
    assert not table.down_action.isEnabled()
    table.up_action.trigger()
    qtbot.waitUntil(lambda: order()[-1] == "0.0001", timeout=5000)

    table.update_trials(plan, [trial(1, {"learning_rate": 0.001}, [0.6])])
    assert numbers(view) == [0, 1, 2, 3]
    assert table.waiting == [2, 3]
    table.content.sort_by([("field:learning_rate", False)])
    assert numbers(view) == [1, 0, 2, 3], "what waits stays below"


def test_a_sweep_goes_to_the_trash_and_comes_back(
    view: View, context: AppContext, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        view.panel.actions_of_sweep.delete_button.click()
    qtbot.waitUntil(lambda: view.list.model().rowCount() == 0, timeout=5000)
    notice: Notice = text.args[0]
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: view.list.model().rowCount() == 1, timeout=5000)


def test_of_ten_thousand_trials_only_those_in_sight_are_read(
    open_page: Open, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = sweep_plan("learning_rate=0.0001..0.1", sampler="random", trials=10_000)
    record = workspace.create(RecordKind.SWEEP, "many", plan.to_json())
    trials = [trial(n, {"learning_rate": n / 1e5 + 1e-4}, [n / 1e4]) for n in range(10_000)]
    append_events(record, [*began(), *trials, StateChanged(state=State.COMPLETED)])
    small = add_sweep(workspace, "small")
    view = open_page()
    view.show_record(small.id)
    qtbot.waitUntil(lambda: len(rows(view)) == 3, timeout=5000)
    qtbot.waitUntil(lambda: view.monitor.facts(record.id) is not None, timeout=10_000)

    asked: set[int] = set()
    real = view.panel.table.content.data

    def data(index: QModelIndex | QPersistentModelIndex, role: int = 0) -> object:
        asked.add(index.row())
        return real(index, role)

    monkeypatch.setattr(view.panel.table.content, "data", data)
    view.show_record(record.id)
    view.grab()
    assert len(rows(view)) == 10_000
    assert 0 < len(asked) < 100
    summary: list[int] = []
    view.panel.table.content.dataChanged.connect(lambda first, _last: summary.append(first.row()))
    view.panel.table.update_trials(plan, [trial(77, {"learning_rate": 0.1}, [0.5])])
    assert summary == [77]

    model = view.panel.table.content
    model.sort_by([("field:learning_rate", True)])
    assert str(model.headerData(1, Qt.Orientation.Horizontal)).endswith("▼")
    qtbot.waitUntil(lambda: model.is_sorted, timeout=5000)
    assert numbers(view)[:2] == [9999, 9998]
    view.panel.table.select(9999)
    view.panel.table.update_trials(plan, [trial(5, {"learning_rate": 0.2}, [0.5])])
    model.arrange()
    qtbot.waitUntil(lambda: numbers(view)[0] == 5, timeout=5000)
    chosen = view.panel.table.chosen
    assert chosen is not None
    assert chosen.number == 9999
    assert view.panel.table.selectionModel().selectedRows()[0].row() == 1


def test_the_page_keeps_the_rules_of_pages(view: View, theme: Theme) -> None:
    assert fits_smallest_window(view)
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    images = styles(view, theme)
    assert lightness(images["dark"]) < lightness(images["light"]) - 0.3


def test_charts_and_table_show_the_same_trials(view: View, qtbot: QtBot) -> None:
    panel = view.panel
    qtbot.waitUntil(lambda: panel.charts.trials is not None, timeout=5000)
    trials = panel.charts.trials
    assert trials is not None
    assert set(trials.numbers.tolist()) <= set(numbers(view))
    assert panel.charts.view() is not None

    panel.charts.trial_chosen.emit(1)
    chosen = panel.table.chosen
    assert chosen is not None
    assert chosen.number == 1

    panel.charts.brushed.emit(frozenset({0, 1}))
    assert [row[0].split()[-1] for row in shown(view)] == ["0", "1"]
    chosen = panel.table.chosen
    assert chosen is not None
    assert chosen.number == 1
    panel.charts.brushed.emit(None)
    assert len(rows(view)) == 3


def test_a_trial_that_ends_is_drawn(view: View, qtbot: QtBot, workspace: Workspace) -> None:
    panel = view.panel
    qtbot.waitUntil(lambda: panel.charts.trials is not None, timeout=5000)
    before = panel.charts.trials
    assert before is not None
    (record,) = workspace.records(RecordKind.SWEEP)
    append_events(record, [trial(3, {"learning_rate": 0.5}, [0.95])])
    qtbot.waitUntil(
        lambda: panel.charts.trials is not None and 3 in panel.charts.trials.numbers, timeout=5000
    )
    assert len(panel.charts.trials or ()) == len(before) + 1


def test_importance_of_too_few_trials_is_explained(view: View, qtbot: QtBot) -> None:
    charts = view.panel.charts
    qtbot.waitUntil(lambda: charts.trials is not None, timeout=5000)
    charts.open("importance")
    qtbot.waitUntil(lambda: bool(charts.explanation()), timeout=5000)
