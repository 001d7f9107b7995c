"""The table of runs: search, filters, sorting, groups, acting on several at once, comparing."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    show_in_window,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, add_unfinished_dataset, start_jobs
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot
from sweep_records import add_sweep
from sweep_records import trial as trial_row

from helpers.runs import append_events, fake_run
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.executors import host
from studio.engine.jobs.executors.host import Machine
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.training import control
from studio.engine.training.history import EpochDone
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import PlanRun
from studio.ui.pages.train.dashboard.details import Notes
from studio.ui.pages.train.page import View
from studio.ui.pages.train.runs.table import RunsTable
from studio.ui.theme.theme import Theme
from studio.ui.widgets.notices import Notice

RUN = RecordKind.RUN
ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole
Open = Callable[[], View]


@pytest.fixture
def four(workspace: Workspace, tmp_path: Path) -> Workspace:
    """Four runs of one dataset, of which two have the same best accuracy."""
    done = [StateChanged(state=State.COMPLETED)]
    dataset = add_unfinished_dataset(workspace, "shapes", tmp_path, done).id
    a = fake_run(workspace, "alpha", [0.5, 0.6], dataset=dataset, learning_rate=0.01)
    b = fake_run(workspace, "beta", [0.7, 0.9], State.STOPPED, dataset=dataset, seconds=9)
    fake_run(workspace, "gamma", [0.9], dataset=dataset, network="mlp", seconds=30)
    fake_run(workspace, "delta", [], State.FAILED, dataset=dataset)
    workspace.annotate(a, tags=("good",), group="tries")
    workspace.annotate(b, "slow but sure", ("good", "paper"), "tries")
    return workspace


@pytest.fixture
def view(open_page: Open, four: Workspace) -> View:
    return open_page()


@pytest.fixture
def table(context: AppContext, four: Workspace, qtbot: QtBot) -> Iterator[RunsTable]:
    start_jobs(qtbot, context)
    made = RunsTable(context)
    window = show_in_window(qtbot, made)
    qtbot.waitUntil(lambda: made.view.section("setting:epochs") >= 0, timeout=5000)
    yield made
    window.close()


def names(table: RunsTable) -> list[str]:
    return [row.entry.name for row in table.view.content.shown]


def cell(table: RunsTable, name: str, key: str) -> str:
    return table.view.texts()[names(table).index(name)][table.view.section(key)]


def select(table: RunsTable, *requested: str) -> None:
    ids = {row.entry.name: row.id for row in table.view.content.shown}
    table.view.select(*(ids[name] for name in requested))


def click_heading(table: RunsTable, key: str, *, shift: bool = False) -> None:
    header = table.view.horizontalHeader()
    section = table.view.section(key)
    table.view.scrollTo(table.view.content.index(0, section))
    point = QPoint(header.sectionViewportPosition(section) + 20, header.height() // 2)
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, modifier, point)


def test_all_runs_with_what_is_known_of_each(table: RunsTable) -> None:
    assert names(table) == ["delta", "gamma", "beta", "alpha"]  # the newest first
    assert cell(table, "beta", "state") == "Stopped"
    assert cell(table, "beta", "best_val_accuracy") == "90.0\N{NO-BREAK SPACE}%"
    assert cell(table, "beta", "time") == "18\N{NO-BREAK SPACE}s"
    assert cell(table, "beta", "tags") == "good, paper"
    assert cell(table, "gamma", "network") == "Multilayer perceptron"
    assert cell(table, "gamma", "dataset") == "shapes"
    assert cell(table, "delta", "best_loss") == "–"
    assert table.counted.text() == "4 runs"
    row = names(table).index("beta")
    column = table.view.section("curve")
    area = table.view.visualRect(table.view.content.index(row, column))
    painted = table.view.viewport().grab(area).toImage()
    colors = {painted.pixel(x, y) for x in range(painted.width()) for y in range(painted.height())}
    assert len(colors) > 2, "the curve is drawn"
    spoken = table.view.content.index(row, column).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("accuracy from ")
    assert "90.0\N{NO-BREAK SPACE}%" in spoken
    assert spoken.endswith(" epochs")


def test_settings_that_differ_are_columns(table: RunsTable) -> None:
    keys = [c.key for c in table.view.content.columns if c.key.startswith("setting:")]
    assert keys == ["setting:epochs", "setting:learning_rate"]
    assert cell(table, "alpha", "setting:learning_rate") == "0.01"
    click_heading(table, "setting:learning_rate")
    assert names(table)[-1] == "alpha"


def test_a_heading_sorts_and_with_shift_it_is_a_second_key(table: RunsTable) -> None:
    click_heading(table, "best_val_accuracy")
    assert names(table)[2:] == ["alpha", "delta"]  # figures from the best; none comes last
    click_heading(table, "name", shift=True)
    assert names(table) == ["beta", "gamma", "alpha", "delta"]
    click_heading(table, "name", shift=True)
    assert names(table) == ["gamma", "beta", "alpha", "delta"]
    click_heading(table, "best_val_accuracy", shift=True)
    assert names(table) == ["alpha", "gamma", "beta", "delta"]
    header = table.view.content.headerData(0, Qt.Orientation.Horizontal)
    assert header == "Name ▼2"
    click_heading(table, "name")
    assert names(table) == ["alpha", "beta", "delta", "gamma"]
    assert not table.selected  # a heading selects nothing


def test_search_and_filters(table: RunsTable) -> None:
    table.search.setText("sure BETA")
    assert names(table) == ["beta"]
    assert table.counted.text() == "1 of 4 runs"
    table.search.setText("")
    table.tag_box.setCurrentIndex(table.tag_box.findData("good"))
    table.tag_box.activated.emit(table.tag_box.currentIndex())
    assert names(table) == ["beta", "alpha"]
    table.state_box.setCurrentIndex(table.state_box.findData("stopped"))
    table.state_box.activated.emit(table.state_box.currentIndex())
    assert names(table) == ["beta"]
    for box in (table.state_box, table.tag_box):
        box.setCurrentIndex(0)
    table.group_box.setCurrentIndex(table.group_box.findText("No group"))
    table.group_box.activated.emit(table.group_box.currentIndex())
    assert names(table) == ["delta", "gamma"]


def test_trials_are_folded_below_their_sweep(
    context: AppContext, four: Workspace, qtbot: QtBot
) -> None:
    sweep = add_sweep(four, dataset=four.find(RecordKind.DATASET, "shapes").id)
    start_jobs(qtbot, context)
    table = RunsTable(context)
    window = show_in_window(qtbot, table)
    qtbot.waitUntil(lambda: lines(table)[:2] == ["▸  rates · 3", "delta"], timeout=5000)
    assert table.counted.text() == "7 runs"
    assert table.view.columnSpan(0, 0) == table.view.content.columnCount()
    index = table.view.visualRect(table.view.content.index(0, 0)).center()
    QTest.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert lines(table)[:2] == ["▾  rates · 3", "rates-2"]
    QTest.keyClick(table.view, Qt.Key.Key_Space)
    click_heading(table, "name")
    assert lines(table) == ["alpha", "beta", "delta", "gamma", "▸  rates · 3"]
    assert [table.view.columnSpan(row, 0) > 1 for row in (0, 4)] == [False, True]
    table.search.setText("rates-1")
    found = ["▾  rates · 1", "rates-1"]
    assert lines(table) == found, "what was searched for is in sight"
    table.search.clear()
    table.view.content.fold(sweep.id)
    assert lines(table)[4] == "▾  rates · 3"
    table.search.setText("rates-1")
    assert lines(table) == found, "also of a sweep that was unfolded before"
    table.search.clear()
    four.rename(sweep, "other rates")
    context.jobs.wake()
    qtbot.waitUntil(lambda: "▾  other rates · 3" in lines(table), timeout=5000)
    window.close()


def lines(table: RunsTable) -> list[str]:
    content = table.view.content
    return [str(content.index(row, 0).data()) for row in range(content.rowCount())]


def test_groups_are_rows_that_fold(table: RunsTable) -> None:
    select(table, "gamma", "alpha")
    table.grouped.click()
    assert lines(table) == ["▾  tries · 2", "beta", "alpha", "▾  No group · 2", "delta", "gamma"]
    assert [entry.name for entry in table.selected] == ["alpha", "gamma"]
    index = table.view.visualRect(table.view.content.index(0, 0)).center()
    QTest.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert lines(table) == ["▸  tries · 2", "▾  No group · 2", "delta", "gamma"]
    QTest.keyClick(table.view, Qt.Key.Key_Space)
    assert lines(table)[:3] == ["▾  tries · 2", "beta", "alpha"]
    table.grouped.click()
    assert lines(table) == ["delta", "gamma", "beta", "alpha"]


def test_keys_select(table: RunsTable) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(table.view, Qt.Key.Key_A, control)
    assert table.counted.text() == "4 of 4 selected"
    QTest.keyClick(table.view, Qt.Key.Key_D, control)
    assert not table.selected
    select(table, "beta")
    QTest.keyClick(table.view, Qt.Key.Key_I, control)
    assert [e.name for e in table.selected] == ["delta", "gamma", "alpha"]


def test_several_get_a_tag_and_a_group(table: RunsTable, four: Workspace, qtbot: QtBot) -> None:
    select(table, "beta", "gamma")
    acts = table.acts
    acts.tags.aboutToShow.emit()
    checked = {a.text(): a.isChecked() for a in acts.tags.actions() if a.isCheckable()}
    assert checked == {"good": False, "paper": False}  # not all of them have it
    acts.tags.edit.setText("new one")
    acts.tags.edit.returnPressed.emit()
    qtbot.waitUntil(lambda: cell(table, "gamma", "tags") == "new one", timeout=5000)
    qtbot.waitUntil(lambda: cell(table, "beta", "tags") == "good, paper, new one")
    assert [entry.name for entry in table.selected] == ["gamma", "beta"]

    acts.tags.switched.emit("new one", False)
    qtbot.waitUntil(lambda: cell(table, "gamma", "tags") == "", timeout=5000)
    acts.groups.switched.emit("second", True)
    qtbot.waitUntil(lambda: cell(table, "beta", "group") == "second", timeout=5000)
    assert four.find(RUN, "gamma").info().group == "second"
    assert table.group_box.findData("second") > 0


def test_several_go_to_the_trash_and_come_back(
    table: RunsTable, context: AppContext, four: Workspace, qtbot: QtBot
) -> None:
    select(table, "beta", "alpha")
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        QTest.keyClick(table.view, Qt.Key.Key_Delete)
    notice: Notice = text.args[0]
    assert notice.text == "2 runs were moved to the trash."
    qtbot.waitUntil(lambda: names(table) == ["delta", "gamma"], timeout=5000)
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: len(names(table)) == 4, timeout=5000)


def test_one_that_waits_is_taken_out_of_the_queue_and_one_at_work_stays(
    table: RunsTable, four: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    busy = fake_run(four, "busy", [0.5], State.RUNNING)
    with holding(busy.folder):
        fake_run(four, "waits", [], State.QUEUED)
        context.jobs.wake()
        qtbot.waitUntil(lambda: len(names(table)) == 6, timeout=5000)
        select(table, "busy")
        assert not table.acts.delete.isEnabled()
        assert table.acts.delete.toolTip() == "Stop the runs first."
        select(table, "busy", "waits")
        with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
            table.acts.delete.trigger()
        assert text.args[0].hint == "Running runs are kept: 1."
        qtbot.waitUntil(lambda: "waits" not in names(table), timeout=5000)
        assert "busy" in names(table)


def test_several_are_stopped(
    table: RunsTable, four: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    fake_run(four, "w1", [], State.QUEUED)
    fake_run(four, "w2", [], State.QUEUED)
    context.jobs.wake()
    qtbot.waitUntil(lambda: len(names(table)) == 6, timeout=5000)
    select(table, "w1", "w2", "alpha")
    assert table.acts.stop.isEnabled()
    table.acts.stop.trigger()
    qtbot.waitUntil(
        lambda: cell(table, "w1", "state") == cell(table, "w2", "state") == "Stopped",
        timeout=5000,
    )
    assert cell(table, "alpha", "state") == "Completed"
    select(table, "alpha")
    assert not table.acts.stop.isEnabled()


def test_a_name_is_edited_in_its_row(table: RunsTable, four: Workspace, qtbot: QtBot) -> None:
    select(table, "beta")
    table.acts.rename.trigger()
    editor = table.view.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "beta"
    editor.setText("better")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "better" in names(table), timeout=5000)
    assert four.find(RUN, "better").info().notes == "slow but sure"


def test_a_taken_name_is_refused(
    table: RunsTable, four: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(context.background.failed, timeout=5000) as failed:
        table.view.content.setData(table.view.content.index(0, 0), "alpha")
    assert "taken" in str(failed.args[0])
    assert names(table)[0] == "delta"


@pytest.mark.thorough
def test_the_form_is_filled_in_with_the_plan_of_a_run(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes, width=32, height=32).id
    fake_run(workspace, "alpha", [0.5, 0.6], dataset=dataset, learning_rate=0.01)
    view = open_page()
    view.all_button.click()
    assert view.stack.currentWidget() is view.table
    select(view.table, "alpha")
    view.table.acts.clone.trigger()
    assert view.stack.currentWidget() is view.new_run
    plan = view.new_run.plan()
    assert plan is not None
    assert (plan.learning_rate, plan.epochs, plan.dataset) == (0.01, 2, dataset)


def test_another_page_asks_for_a_run_like_one_with_more_epochs(
    open_page: Open, workspace: Workspace, shapes: Path
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes, width=32, height=32).id
    run = fake_run(workspace, "alpha", [0.5, 0.6], dataset=dataset, learning_rate=0.01)
    view = open_page()
    view.open(PlanRun(copy_of=run.id, epochs=40))
    assert view.stack.currentWidget() is view.new_run
    plan = view.new_run.plan()
    assert plan is not None
    assert (plan.learning_rate, plan.epochs, plan.dataset) == (0.01, 40, dataset)
    view.open(PlanRun(copy_of=run.id))
    plan = view.new_run.plan()
    assert plan is not None
    assert plan.epochs == 2


def test_a_running_run_moves_to_its_sorted_position(
    table: RunsTable, four: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    click_heading(table, "best_val_accuracy")
    run = fake_run(four, "busy", [0.1], State.RUNNING)
    with holding(run.folder):
        context.jobs.wake()
        qtbot.waitUntil(lambda: names(table)[-2:] == ["busy", "delta"], timeout=5000)
        select(table, "busy")
        epoch = EpochDone(
            epoch=2,
            step=8,
            metrics={"loss": 0.1, "accuracy": 0.9, "val_accuracy": 0.95},
            learning_rate=0.1,
            seconds=1,
            images_per_second=9,
        )
        append_events(run, [epoch])
        qtbot.waitUntil(lambda: names(table)[0] == "busy", timeout=8000)
        assert [entry.name for entry in table.selected] == ["busy"]


def test_the_table_is_as_it_was_left(table: RunsTable, context: AppContext, qtbot: QtBot) -> None:
    keys = [column.key for column in table.view.content.columns]
    header = table.view.horizontalHeader()
    menu = table.view.columns_menu()
    notes = next(action for action in menu.actions() if action.data() == "notes")
    notes.trigger()
    click_heading(table, "best_loss")
    click_heading(table, "name", shift=True)
    header.resizeSection(keys.index("network"), 222)
    header.moveSection(header.visualIndex(keys.index("network")), 1)
    table.view.save()

    other = RunsTable(context)
    window = show_in_window(qtbot, other)

    assert window.isVisible()
    assert other.view.content.sort_keys == [("best_loss", True), ("name", False)]
    again = other.view.horizontalHeader()
    assert not again.isSectionHidden(keys.index("notes"))
    assert again.isSectionHidden(keys.index("parameters"))
    assert again.sectionSize(keys.index("network")) == 222
    assert again.logicalIndex(1) == keys.index("network")


def test_several_in_the_list_are_compared(view: View, qtbot: QtBot) -> None:
    first = view.list.model().index(1, 0)
    second = view.list.model().index(2, 0)
    for index, modifier in (
        (first, Qt.KeyboardModifier.NoModifier),
        (second, Qt.KeyboardModifier.ControlModifier),
    ):
        point = view.list.visualRect(index).center()
        QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, modifier, point)

    compare = view.compare_view
    assert view.stack.currentWidget() is compare
    assert [entry.name for entry in compare.entries] == ["gamma", "beta"]
    assert len(compare.charts.metric_chart.keys()) == 2
    compare.parts["train"].click()
    assert len(compare.charts.loss.keys()) == 4
    compare.parts["step"].click()
    assert len(compare.charts.loss.keys()) == 6
    _, values = compare.charts.metric_chart.curve_data(f"{compare.entries[1].record.id}:val")
    assert list(values) == [0.7, 0.9]

    model = compare.table.content
    rows = [model.headerData(n, Qt.Orientation.Vertical) for n in range(model.rowCount())]
    assert rows[:3] == ["Network", "Epochs", "Best val accuracy"]
    assert model.index(0, 0).data() == "Multilayer perceptron"
    assert model.headerData(1, Qt.Orientation.Horizontal) == "beta"
    time = model.index(rows.index("Time"), 1)
    assert time.data(Qt.ItemDataRole.FontRole).bold()
    assert model.index(rows.index("Time"), 0).data(Qt.ItemDataRole.FontRole) is None

    compare.copy_button.click()
    copied = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert copied[0] == ["", "gamma", "beta"]
    assert ["best_val_accuracy", "0.9", "0.9"] in copied
    compare.back_button.click()
    assert view.stack.currentWidget() is view.table


def test_a_comparison_follows_a_run_that_trains(
    view: View, four: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    run = fake_run(four, "busy", [0.1], State.RUNNING)
    with holding(run.folder):
        context.jobs.wake()
        qtbot.waitUntil(lambda: context.jobs.get(RUN, run.id) is not None, timeout=5000)
        other = four.find(RUN, "alpha").id
        view.compare([run.id, other])
        epoch = EpochDone(
            epoch=2,
            step=8,
            metrics={"loss": 0.1, "accuracy": 0.9, "val_loss": 0.2, "val_accuracy": 0.95},
            learning_rate=0.1,
            seconds=1,
            images_per_second=9,
        )
        append_events(run, [epoch])

        def drawn() -> list[float]:
            return list(view.compare_view.charts.metric_chart.curve_data(f"{run.id}:val")[1])

        qtbot.waitUntil(lambda: drawn() == [0.1, 0.95], timeout=5000)
        model = view.compare_view.table.content
        rows = [model.headerData(n, Qt.Orientation.Vertical) for n in range(model.rowCount())]
        best = model.index(rows.index("Best val accuracy"), 0)
        qtbot.waitUntil(lambda: "95.0" in str(best.data()), timeout=5000)


def test_the_table_keeps_the_rules_of_pages(
    view: View, context: AppContext, theme: Theme, qtbot: QtBot
) -> None:
    view.all_button.click()
    for part in (view.table, view.compare_view):
        assert fits_smallest_window(part)
        assert nameless_controls(view) == []
        assert unexplained_buttons(view) == []
        assert cut_buttons(view) == []
        images = styles(view, theme)
        assert lightness(images["dark"]) < lightness(images["light"]) - 0.3
        runs = context.jobs.entries(RUN)
        view.compare([entry.record.id for entry in runs])


def test_what_is_written_about_a_run_on_its_dashboard(
    view: View, four: Workspace, qtbot: QtBot
) -> None:
    beta = four.find(RUN, "beta")
    view.show_record(beta.id)
    details = view.dashboard.details
    info = details.open(Notes)
    assert info.tags.text() == "good, paper"
    assert info.group.text() == "tries"
    assert info.notes.toPlainText() == "slow but sure"

    info.tags.setText("good, done")
    info.tags.editingFinished.emit()
    qtbot.waitUntil(lambda: beta.info().tags == ("good", "done"), timeout=5000)
    info.notes.setPlainText("wrong\nafter all")
    view.show_record(four.find(RUN, "alpha").id)  # kept at once, for the run it was typed for
    qtbot.waitUntil(lambda: beta.info().notes == "wrong\nafter all", timeout=5000)
    assert info.tags.text() == "good"
    info.groups.switched.emit("", True)
    qtbot.waitUntil(lambda: four.find(RUN, "alpha").info().group == "", timeout=5000)
    qtbot.waitUntil(lambda: info.group.text() == "No group", timeout=5000)
    assert beta.info().group == "tries"
    info.notes.setPlainText("typed")
    details.setCurrentIndex(0)  # another tab: kept at once, too
    qtbot.waitUntil(lambda: four.find(RUN, "alpha").info().notes == "typed", timeout=5000)


def test_a_name_is_edited_in_the_list(view: View, four: Workspace, qtbot: QtBot) -> None:
    run = four.find(RUN, "alpha")
    view.show_record(run.id)
    qtbot.waitUntil(lambda: len(view.list.selected_entries()) == 1, timeout=5000)
    view.acts.set_entries(view.list.selected_entries())
    view.acts.rename.trigger()
    editor = view.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("first")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: run.name == "first", timeout=5000)


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagateSizeHints)", extend=True)
def test_the_menu_of_the_list_acts_on_what_is_selected(
    view: View, four: Workspace, qtbot: QtBot
) -> None:
    view.show_record(four.find(RUN, "gamma").id)
    qtbot.waitUntil(lambda: len(view.list.selected_entries()) == 1, timeout=5000)
    view.list.menu_requested.emit(view.list.selected_entries(), QPoint(10, 10))
    acts = view.acts
    assert acts.clone.isEnabled()
    assert not acts.compare.isEnabled()
    acts.clone.trigger()
    assert view.stack.currentWidget() is view.new_run


def test_a_run_continues_on_the_machine_that_is_chosen(
    table: RunsTable,
    context: AppContext,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    host.store_machine(Machine(host="gpu-box", python="python3", folder="/there"))
    checked: list[str] = []
    monkeypatch.setattr(
        control, "require_device", lambda machine, device: checked.append(machine.host)
    )
    run = {each.name: each for each in context.jobs.entries(RecordKind.RUN)}
    context.jobs.set_queue_paused(True)
    menu = table.acts.machines

    table.acts.set_entries([run["alpha"]])  # it is completed
    assert not menu.menuAction().isEnabled()
    assert "interrupted" in menu.menuAction().toolTip()
    table.acts.set_entries([run["beta"]])
    assert menu.menuAction().isEnabled()
    menu.fill()
    here, there = menu.actions()
    assert (here.isChecked(), here.isEnabled()) == (True, False)
    assert there.text() == "gpu-box"
    there.trigger()
    qtbot.waitUntil(lambda: run["beta"].state == State.QUEUED, timeout=5000)
    assert checked == ["gpu-box"]
    assert run["beta"].history.changes["machine"] == "gpu-box"
    table.acts.set_entries([run["beta"]])  # the list has let go of it
    menu.fill()
    assert [each.isChecked() for each in menu.actions()] == [False, True]


def test_failed_runs_are_removed_together(
    table: RunsTable, context: AppContext, qtbot: QtBot
) -> None:
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    table.acts.menu(table)
    assert table.acts.delete_failed.isEnabled()
    table.acts.delete_failed.trigger()

    qtbot.waitUntil(lambda: names(table) == ["gamma", "beta", "alpha"], timeout=5000)
    (notice,) = notices
    assert "1 failed job" in notice.text
    table.acts.menu(table)
    assert not table.acts.delete_failed.isEnabled()
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: "delta" in names(table), timeout=5000)


def test_runs_of_a_sweep_are_folded_below_it(
    context: AppContext, open_page: Open, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    done = [StateChanged(state=State.COMPLETED)]
    dataset = add_unfinished_dataset(workspace, "digits", tmp_path, done).id
    fake_run(workspace, "before", [0.5], dataset=dataset)
    sweep = add_sweep(workspace, dataset=dataset)
    view = open_page()
    names = [view.list.records.index(row).data() for row in range(view.list.records.rowCount())]
    assert sorted(names) == ["before", "rates"]
    trial = next(each for each in context.jobs.entries(RUN) if each.name == "rates-0")
    view.show_record(trial.record.id)
    head = view.list.currentIndex()
    assert head.data() == "rates"
    assert "3 runs, folded" in head.data(ACCESSIBLE)
    assert view.list.selected_entries() == []

    QTest.mouseClick(
        view.list.viewport(), Qt.MouseButton.LeftButton, pos=view.list.visualRect(head).center()
    )
    assert view.list.records.rowCount() == 5
    view.show_record(trial.record.id)
    assert view.list.currentIndex().data() == "rates-0"
    assert view.dashboard.isVisible()
    view.list.setCurrentIndex(view.list.records.index(view.list.records.row_of(sweep.id)))
    QTest.keyClick(view.list, Qt.Key.Key_Left)
    assert view.list.records.rowCount() == 2

    append_events(
        workspace.find(RecordKind.SWEEP, sweep.id),
        [trial_row(3, {"learning_rate": 1.0}, [0.5], fake_run(workspace, "rates-3", [0.5]))],
    )
    context.jobs.wake()
    qtbot.waitUntil(lambda: "4 runs" in view.list.records.index(0).data(ACCESSIBLE))
    assert view.list.records.rowCount() == 2
