"""The form of a new sweep: its space, its base, what it says before anything starts."""

from __future__ import annotations

from collections.abc import Callable
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
from page_records import add_dataset
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot
from sweep_records import add_sweep

from helpers.runs import fake_run
from helpers.target_datasets import squares, target_recipe
from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.jobs.job import Job
from studio.engine.sweeps.fields import sweepable
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import Intent, OpenPage, PlanSweep
from studio.ui.pages.sweeps.draft import DraftRow
from studio.ui.pages.sweeps.new_sweep import NewSweep
from studio.ui.pages.sweeps.page import View
from studio.ui.pages.sweeps.space import SpaceRow
from studio.ui.theme.theme import Theme

Open = Callable[[], View]


@pytest.fixture
def view(open_page: Open, dataset: Record) -> View:
    """The page with a dataset and no sweep."""
    return open_page()


@pytest.fixture
def form(view: View, qtbot: QtBot) -> NewSweep:
    """The form, whose first suggestion can be started."""
    assert view.empty_button.isVisible()
    view.empty_button.click()
    qtbot.waitUntil(view.new_sweep.start_button.isEnabled, timeout=10_000)
    return view.new_sweep


def type_over(edit: QLineEdit, text: str) -> None:
    edit.clear()
    QTest.keyClicks(edit, text)


def choose_field(row: SpaceRow, words: str, field: str) -> None:
    """Search for a field and take it with Enter."""
    line = row.field_box.lineEdit()
    assert line is not None
    line.selectAll()
    QTest.keyClicks(line, words)
    completer = row.field_box.completer()
    assert completer is not None
    labels = [
        completer.completionModel().index(n, 0).data()
        for n in range(completer.completionModel().rowCount())
    ]
    requested = row.field_box.itemText(row.field_box.findData(field))
    assert requested in labels
    type_over(line, requested)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert row.field_box.field == field


def test_without_data_the_way_to_it_is_shown(qtbot: QtBot, context: AppContext) -> None:
    view = View(context)
    window = show_in_window(qtbot, view)
    assert window.isVisible()
    view.open(PlanSweep())
    asked: list[Intent] = []
    context.navigator.open_requested.connect(asked.append)
    context.jobs.listed.emit(frozenset(RecordKind))
    assert not view.empty_button.isEnabled()
    assert view.empty_button.toolTip() == "Import images first."
    view.data_button.click()
    assert asked == [OpenPage("datasets")]
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert fits_smallest_window(view)


def test_the_number_of_trials_follows_what_is_typed(form: NewSweep, qtbot: QtBot) -> None:
    assert form.runs.text() == "2 trials, one run each."
    assert form.time.text().startswith("Time: ")
    type_over(form.space.rows[0].values, "0.1, 0.01, 0.001")
    assert not form.start_button.isEnabled()
    qtbot.waitUntil(lambda: form.runs.text() == "3 trials, one run each.", timeout=5000)
    form.space.add_button.click()
    row = form.space.rows[1]
    assert row.field_box.field == "batch_size"
    row.form_box.setCurrentIndex(1)
    row.form_box.activated.emit(1)
    type_over(row.low, "8")
    type_over(row.high, "64")
    type_over(row.count, "4")
    qtbot.waitUntil(lambda: form.runs.text() == "12 trials, one run each.", timeout=5000)
    form.search.form.set_values({"seeds": 2})
    form.search.form.changed.emit()
    qtbot.waitUntil(lambda: "24 runs in total" in form.runs.text(), timeout=5000)
    row.remove_button.click()
    qtbot.waitUntil(lambda: "6 runs in total" in form.runs.text(), timeout=5000)


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagateSizeHints)", extend=True)
def test_fields_are_found_by_a_part_of_their_name(form: NewSweep, qtbot: QtBot) -> None:
    row = form.space.rows[0]
    choose_field(row, "smooth", "label_smoothing")
    assert row.values.text() == "0, 0.1, 0.2"
    qtbot.waitUntil(form.start_button.isEnabled, timeout=5000)
    assert row.hint.text() == ""
    row.values.clear()
    row.changed.emit()
    qtbot.waitUntil(lambda: "values are needed" in row.hint.text(), timeout=5000)
    assert not form.start_button.isEnabled()
    choose_field(row, "optim", "optimizer")
    assert not row.form_box.isEnabled()
    assert row.form_box.toolTip() == "Ranges are only for numbers."
    line = row.field_box.lineEdit()
    assert line is not None
    type_over(line, "nothing like it")
    line.editingFinished.emit()
    assert line.text() == "Optimizer"


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagateSizeHints)", extend=True)
def test_values_are_ticked_in_a_list(form: NewSweep, qtbot: QtBot) -> None:
    row = form.space.rows[0]
    assert row.choices.isHidden(), "numbers have no list"
    choose_field(row, "network", "network")
    assert row.choices.isVisible()
    assert row.values.text() == "lenet, mlp"
    assert not form.base.network_box.isEnabled(), "the sweep varies it"
    row.values.clear()
    actions = {each.data(): each for each in row.choices.menu().actions()}
    actions["mlp"].trigger()
    actions["lenet"].trigger()
    assert row.values.text() == "mlp, lenet"
    qtbot.waitUntil(lambda: form.runs.text() == "2 trials, one run each.", timeout=5000)

    type_over(row.values, "lenet, lenett")
    assert not actions["mlp"].isChecked()
    qtbot.waitUntil(lambda: 'no network "lenett"' in row.hint.text(), timeout=5000)
    assert "lenet" in row.hint.text().split("lenett", 1)[1], "the one that was meant"
    assert not form.start_button.isEnabled()
    actions["lenet"].trigger()
    assert row.values.text() == "lenett"


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagateSizeHints)", extend=True)
def test_fields_stand_under_the_part_they_belong_to(form: NewSweep) -> None:
    box = form.space.rows[0].field_box
    model = box.model()
    headings: dict[str, list[str]] = {}
    for index in range(box.count()):
        if model.flags(model.index(index, 0)) & Qt.ItemFlag.ItemIsEnabled:
            headings[list(headings)[-1]].append(box.itemData(index))
        else:
            headings[box.itemText(index)] = []
    assert list(headings)[:3] == ["Training", "Optimizer", "Schedule of the learning rate"]
    assert "learning_rate" in headings["Training"]
    assert all("." not in each for each in headings["Training"])
    assert "optimizer_options.momentum" in headings["Optimizer"]
    assert sum(map(len, headings.values())) == len(sweepable())
    form.space.offer_fields([*sweepable(), "network.conv1.filters"])
    form.space.offer_networks(["mine"])
    box.choose("network.conv1.filters")
    index = box.currentIndex()
    assert box.itemText(index - 1) == "Layer conv1"
    box.choose("network")
    form.space.rows[0].show_row(DraftRow("network", "mine"))
    mine = form.space.rows[0].choices.menu().actions()[0]
    assert (mine.text(), mine.isChecked()) == ("mine", True)
    line = box.lineEdit()
    assert line is not None
    type_over(line, "Optimizer")
    line.editingFinished.emit()
    assert box.field == "optimizer", "the field, not the heading"


def test_a_run_that_ends_meanwhile_says_how_long_it_takes(
    form: NewSweep, view: View, workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    assert " to " in form.time.text(), "a range, since nothing was trained yet"
    fake_run(workspace, "other", [0.5, 0.6], dataset=dataset.id, network="lenet", seconds=30)
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: form.time.text().startswith("Time: about"), timeout=5000)
    assert form.start_button.isEnabled()


def test_what_is_wrong_stands_beside_its_field(form: NewSweep, qtbot: QtBot) -> None:
    row = form.space.rows[0]
    type_over(row.values, "0.1, much")
    qtbot.waitUntil(lambda: "much" in row.hint.text(), timeout=5000)
    assert form.runs.text() == "Fix the marked fields first."
    type_over(row.values, "0.1, 0.01")
    qtbot.waitUntil(form.start_button.isEnabled, timeout=5000)
    assert row.hint.text() == ""

    form.search.form.set_values({"sampler": "tpe"})
    form.search.form.changed.emit()
    trials = form.search.form.row("trials")
    qtbot.waitUntil(lambda: "never ends" in trials.hint.text(), timeout=5000)
    assert not form.start_button.isEnabled()
    form.search.boxes["val_accuracy"].click()
    qtbot.waitUntil(lambda: "One or more" in form.search.hint.text(), timeout=5000)


def test_beginners_see_few_fields_experts_all_and_nothing_moves(
    form: NewSweep, view: View, qtbot: QtBot
) -> None:
    search = form.search
    rows = {name: search.form.row(name) for name in search.form.names()}
    few = [row for row in rows.values() if row.isVisible()]
    assert few == [rows["sampler"], rows["trials"]]
    usual = [box for box in search.boxes.values() if box.isVisible()]
    assert search.boxes["val_accuracy"] in usual
    assert search.boxes["latency"] not in usual

    def settled() -> bool:
        return search.height() == search.heightForWidth(search.width())

    qtbot.waitUntil(settled, timeout=5000)
    before = [widget.mapTo(search, QPoint()) for widget in (*few, *usual)]
    view.context.theme.is_expert = True
    qtbot.waitUntil(lambda: all(row.isVisible() for row in rows.values()), timeout=5000)
    qtbot.waitUntil(settled, timeout=5000)
    other = MEASURED_METRICS.keys() - {each.name for each in DEFAULT_TASK.measured}
    offered = [box for name, box in search.boxes.items() if name not in other]
    assert all(box.isVisible() for box in offered)
    assert [widget.mapTo(search, QPoint()) for widget in (*few, *usual)] == before


def test_a_run_is_the_base_and_says_how_long_it_takes(
    form: NewSweep, view: View, workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    run = fake_run(
        workspace, "base", [0.5, 0.6], dataset=dataset.id, network="mlp", batch_size=48, seconds=30
    )
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: form.base.run_box.findData(run.id) >= 0, timeout=5000)
    view.open(PlanSweep(run.id))
    plan = form.plan()
    assert plan is not None
    assert (plan.base.network, plan.base.batch_size, plan.base.epochs) == ("mlp", 48, 2)
    qtbot.waitUntil(lambda: form.time.text().startswith("Time: about 30\N{NO-BREAK SPACE}s"))


def test_a_sweep_of_a_solved_head_varies_nothing_without_effect(
    form: NewSweep, view: View, workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    """It proposed two learning rates for a network that is fitted without steps."""
    run = fake_run(
        workspace, "solved", [0.5], dataset=dataset.id, network="mlp", freeze="all",
        head_solver="ridge",
    )  # fmt: skip
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: form.base.run_box.findData(run.id) >= 0, timeout=5000)
    view.open(PlanSweep(run.id))

    (row,) = form.space.rows
    assert row.field_box.field == "head_solver"
    assert row.values.text().startswith("ridge, ")
    form.space.add_button.click()
    assert form.space.rows[1].field_box.field == "batch_size"

    form.space.rows[1].remove_button.click()
    row.show_row(DraftRow("learning_rate", "0.1, 0.2"))
    row.changed.emit()
    qtbot.waitUntil(lambda: "no effect in any trial" in row.hint.text(), timeout=5000)
    assert "without training steps" in row.hint.text()


def test_the_data_comes_first_and_is_that_of_the_newest_run(
    view: View, workspace: Workspace, dataset: Record, tmp_path: Path, qtbot: QtBot
) -> None:
    other = add_dataset(workspace, "newer", tmp_path / "shapes", val_percent=25)
    fake_run(workspace, "latest", [0.5], dataset=dataset.id)
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: len(view.context.jobs.entries(RecordKind.RUN)) == 1, timeout=5000)
    qtbot.waitUntil(
        lambda: len(view.context.jobs.completed(RecordKind.DATASET)) == 2, timeout=5000
    )
    view.empty_button.click()
    form = view.new_sweep

    assert form.base.dataset_box.currentData() == dataset.id != other.id
    tops = [card.mapTo(form, QPoint()).y() for card in (form.base.data, form.space, form.base)]
    assert tops == sorted(tops)


def test_another_optimizer_forgets_the_numbers_of_the_one_before(
    form: NewSweep, workspace: Workspace, dataset: Record, view: View, qtbot: QtBot
) -> None:
    run = fake_run(
        workspace, "base", [0.5], dataset=dataset.id, optimizer="sgd",
        optimizer_options={"momentum": 0.5},
    )  # fmt: skip
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: form.base.run_box.findData(run.id) >= 0, timeout=5000)
    form.choose_run(run.id)
    plan = form.base.plan()
    assert plan is not None
    assert plan.optimizer_options == {"momentum": 0.5}
    form.base.form.set_values({"optimizer": "adam"})
    form.base.form.changed.emit()
    plan = form.base.plan()
    assert plan is not None
    assert plan.optimizer_options == {}


def test_a_sweep_is_started_and_shown(
    form: NewSweep, view: View, workspace: Workspace, launch_scripts: LaunchScripts, qtbot: QtBot
) -> None:
    launch_scripts(ENDLESS)
    type_over(form.name.edit, "rates")
    form.start_button.click()
    qtbot.waitUntil(view.panel.isVisible, timeout=5000)
    sweep = workspace.find(RecordKind.SWEEP, "rates")
    plan = Job(sweep).plan(SweepPlan)
    assert plan.dimensions[0].values == (0.01, 0.001)
    assert plan.objectives == ("val_accuracy",)
    entry = view.panel.entry
    assert entry is not None
    assert entry.record.id == sweep.id


def test_a_taken_name_is_refused_beside_it(
    form: NewSweep, view: View, workspace: Workspace, qtbot: QtBot
) -> None:
    add_sweep(workspace, "taken")
    type_over(form.name.edit, "taken")
    form.start_button.click()
    qtbot.waitUntil(lambda: "taken" in form.name.problem.text(), timeout=5000)
    assert form.start_button.isEnabled()


def test_the_form_keeps_the_rules_of_pages(form: NewSweep, view: View, theme: Theme) -> None:
    form.space.add_button.click()
    form.space.rows[1].form_box.setCurrentIndex(1)
    form.space.rows[1].form_box.activated.emit(1)
    assert fits_smallest_window(view)
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    images = styles(view, theme)
    assert lightness(images["dark"]) < lightness(images["light"]) - 0.3


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagateSizeHints)", extend=True)
def test_a_sweep_optimizes_the_metrics_of_the_task(
    open_page: Open, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    tables = squares(tmp_path / "squares", 30)
    values = target_recipe(tables, "regression").model_dump(mode="json", exclude={"source"})
    add_dataset(workspace, "amounts", tables["regression"], **values)
    view = open_page()
    view.empty_button.click()
    form = view.new_sweep
    qtbot.waitUntil(form.start_button.isEnabled, timeout=10_000)

    plan = form.plan()
    assert plan is not None
    assert plan.objectives == ("val_mae",)
    boxes = form.search.boxes
    assert boxes["val_accuracy"].isHidden()
    assert not boxes["val_r2"].isHidden()
    assert not boxes["seconds"].isHidden()
    assert not form.base.form.editor("label_smoothing").isEnabled()

    choose_field(form.space.rows[0], "smooth", "label_smoothing")
    type_over(form.space.rows[0].values, "0, 0.1")
    qtbot.waitUntil(lambda: "no classes" in form.space.rows[0].hint.text(), timeout=5000)
    assert not form.start_button.isEnabled()
