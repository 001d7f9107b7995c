"""The training page with runs of tasks other than classification."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_checks import show_in_window, tab_stops
from page_records import add_dataset, began, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from helpers.runs import STEPS_PER_EPOCH, append_events, task_run
from helpers.target_datasets import squares, target_recipe
from studio.engine.datasets.store import Store
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs.events import Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.tasks import TASKS
from studio.engine.training.history import ComparedMethod, InsightStored, MethodsCompared
from studio.engine.training.insights import (
    Insight,
    LayerNorm,
    TargetAnswers,
    no_answers,
    write_insight,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.fit import FitSection
from studio.ui.pages.train.dashboard.insights import TargetsSection
from studio.ui.pages.train.page import View
from studio.ui.pages.train.runs.table import RunsTable, run_columns
from studio.ui.tasks import view_of
from studio.ui.tasks.anomaly.methods import MethodsView
from studio.ui.tasks.multi_label.view import LabelInsights
from studio.ui.tasks.regression.view import Residuals
from studio.ui.theme.theme import Theme

Open = Callable[[], View]

ERRORS = (
    {"loss": 0.5, "mae": 12.5, "rmse": 15.0, "r2": 0.5, "val_loss": 0.6, "val_mae": 9.5,
     "val_rmse": 16.0, "val_r2": 0.4},
    {"loss": 0.3, "mae": 9.0, "rmse": 10.0, "r2": 0.7, "val_loss": 0.7, "val_mae": 14.0,
     "val_rmse": 17.0, "val_r2": 0.3},
)  # fmt: skip
LABELS = (
    {"loss": 0.5, "map": 0.4, "label_accuracy": 0.6, "f1_micro": 0.5, "val_loss": 0.6,
     "val_map": 0.455, "val_label_accuracy": 0.5, "val_f1_micro": 0.4},
)  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return squares(tmp_path_factory.mktemp("squares") / "made", 40)


def task_dataset(workspace: Workspace, tables: dict[str, Path], task: str) -> Record:
    values = target_recipe(tables, task).model_dump(mode="json", exclude={"source"})
    return add_dataset(workspace, f"{task} data", tables[task], **values)


@pytest.fixture
def errors(workspace: Workspace, tables: dict[str, Path]) -> Record:
    """A regression run."""
    dataset = task_dataset(workspace, tables, "regression")
    return task_run(workspace, "numbers", TASKS["regression"], ERRORS, dataset=dataset.id)


def test_the_dashboard_speaks_of_the_metrics_of_the_task(
    open_page: Open, workspace: Workspace, errors: Record, qtbot: QtBot
) -> None:
    plan = EvaluationPlan(run=errors.id, split="test")
    evaluation = workspace.create(RecordKind.EVALUATION, "numbers", plan.to_json())
    result = {"task": "regression", "count": 12, "metrics": {"mae": 11.25, "rmse": 13.0}}
    append_events(
        evaluation, [*began(), Result(values=result), StateChanged(state=State.COMPLETED)]
    )
    board = open_page().dashboard

    assert "Best validation MAE 9.500 in epoch 1" in board._line.text()
    assert board._test.text() == "Test MAE 11.25 on 12 images"
    assert board.charts.metric_chart.title == "MAE"
    model = board.details.table.model()
    across = Qt.Orientation.Horizontal
    headings = [model.headerData(n, across) for n in range(model.columnCount())]
    assert headings == [
        "Epoch", "Loss", "MAE", "Val loss", "Val MAE", "Rate", "Images/s", "Seconds",
        "RMSE", "Val RMSE", "R²", "Val R²",
    ]  # fmt: skip
    row = [model.index(0, n).data() for n in range(model.columnCount())]
    assert row[:5] == ["1 ★", "0.5000", "12.50", "0.6000", "9.500"]
    assert row[8:] == ["15.00", "16.00", "0.5000", "0.4000"]


def test_a_list_of_runs_names_the_metric(
    open_page: Open, errors: Record, workspace: Workspace
) -> None:
    task_run(workspace, "labels", TASKS["multi_label"], LABELS)
    runs = open_page().list.model()
    tips = {
        runs.index(n, 0).data(): runs.index(n, 0).data(Qt.ItemDataRole.ToolTipRole)
        for n in range(runs.rowCount())
    }

    assert tips["numbers"] == "numbers\nCompleted · 2/2\nVal MAE 9.500"
    assert tips["labels"] == "labels\nCompleted · 1/1\nVal mAP 45.5\N{NO-BREAK SPACE}%"


@pytest.fixture
def table(context: AppContext, errors: Record, qtbot: QtBot) -> Iterator[RunsTable]:
    start_jobs(qtbot, context)
    made = RunsTable(context)
    window = show_in_window(qtbot, made)
    qtbot.waitUntil(lambda: bool(made.view.content.shown), timeout=5000)
    yield made
    window.close()


def shown(table: RunsTable) -> list[str]:
    header = table.view.horizontalHeader()
    keys = [column.key for column in table.view.content.columns]
    return [
        key
        for n, key in enumerate(keys)
        if not header.isSectionHidden(n) and key.startswith(("best_", "last_"))
    ]


def test_columns_follow_the_tasks_of_the_runs(
    table: RunsTable, workspace: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    assert shown(table) == ["best_loss", "best_val_mae"]
    offered = [action.text() for action in table.view.columns_menu().actions()]
    assert "Best val R²" in offered
    assert "Best val accuracy" not in offered
    assert table.view.texts()[0][table.view.section("best_val_mae")] == "9.500"

    task_run(workspace, "labels", TASKS["multi_label"], LABELS)
    context.jobs.wake()
    requested = {"best_loss", "best_val_mae", "best_val_map"}
    qtbot.waitUntil(lambda: set(shown(table)) == requested, timeout=5000)


def test_a_chosen_column_stays_whatever_the_tasks(table: RunsTable, context: AppContext) -> None:
    action = next(
        each for each in table.view.columns_menu().actions() if each.text() == "Best val MAE"
    )
    action.trigger()
    assert shown(table) == ["best_loss"]
    table.view.save()
    tasks = [TASKS["multi_label"]]
    table.view.show_rows((), run_columns(context.theme, tasks, (), table._on_edit))
    assert shown(table) == ["best_loss", "best_val_map"]


def test_settings_without_meaning_for_the_task_say_why(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], qtbot: QtBot
) -> None:
    task_dataset(workspace, tables, "regression")
    new_run = open_page().new_run
    qtbot.waitUntil(new_run.train_button.isEnabled, timeout=5000)
    form = new_run.cards.form

    assert not new_run.baseline.isHidden()
    row = form.row("label_smoothing")
    assert not row.editor.isEnabled()
    assert row.note.text() == "There are no classes in regression."
    watch = form.editor("monitor").control
    assert isinstance(watch, QComboBox)
    offered = [watch.itemData(n) for n in range(watch.count())]
    assert offered[0] == "auto"
    assert {"val_mae", "rmse", "val_r2"} < set(offered)
    assert "val_accuracy" not in offered

    new_run.cards.presets["best"].click()
    plan = new_run.plan()
    assert plan is not None
    assert plan.label_smoothing == 0
    assert plan.epochs == 100
    qtbot.waitUntil(new_run.train_button.isEnabled, timeout=5000)


def test_a_choice_that_the_task_refuses_cannot_be_chosen(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], shapes: Path, qtbot: QtBot
) -> None:
    add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25)
    labels = task_dataset(workspace, tables, "multi_label")
    new_run = open_page().new_run
    box = new_run.dataset_box
    form = new_run.cards.form
    solvers = form.editor("head_solver").control
    assert isinstance(solvers, QComboBox)
    choices = solvers.model()
    assert isinstance(choices, QStandardItemModel)
    svm = solvers.findData("linear_svm")

    box.setCurrentIndex(box.findText("shapes"))
    qtbot.waitUntil(lambda: choices.item(svm).isEnabled(), timeout=5000)
    form.set_values(
        {"head_solver": "linear_svm", "class_balancing": "sampling", "monitor": "val_top_5"}
    )
    box.setCurrentIndex(box.findData(labels.id))
    qtbot.waitUntil(lambda: not choices.item(svm).isEnabled(), timeout=5000)
    assert "gives no probabilities" in choices.item(svm).toolTip()
    plan = new_run.plan()
    assert plan is not None
    assert (plan.head_solver, plan.class_balancing, plan.monitor) == (
        "gradient",
        "sampling",
        "auto",
    )
    assert form.editor("head_solver").isEnabled()

    box.setCurrentIndex(box.findText("shapes"))
    qtbot.waitUntil(lambda: choices.item(svm).isEnabled(), timeout=5000)
    assert not form.row("head_solver").note.text()


def keep_targets(run: Record, store: Store, epoch: int, outputs: np.ndarray[Any, Any]) -> None:
    """Add to a run what its network gave for the validation images."""
    rows = store.rows("val")
    found = TargetAnswers(
        rows,
        store.targets[rows].astype(np.float32),
        outputs.astype(np.float32),
        len(rows),
    )
    norms = (LayerNorm("head", 1.0, 1.0, 0.1),)
    step = epoch * STEPS_PER_EPOCH
    insight = Insight(float(epoch), step, len(store.classes), *no_answers(), norms, found)
    path = write_insight(run.folder, insight)
    location = path.relative_to(run.folder).as_posix()
    append_events(run, [InsightStored(epoch=epoch, step=step, path=location)])


def tabs(view: View) -> list[str]:
    details = view.dashboard.details
    return [details.tabText(n) for n in range(details.count()) if details.isTabVisible(n)]


def test_residuals_of_the_validation_images_are_shown(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], qtbot: QtBot
) -> None:
    dataset = task_dataset(workspace, tables, "regression")
    store = Store.open(dataset.folder)
    run = task_run(workspace, "numbers", TASKS["regression"], ERRORS, dataset=dataset.id)
    targets = store.targets[store.rows("val")]
    for epoch in (1, 2):
        outputs = targets + 0.1
        outputs[3, 0] = targets[3, 0] - 4.0 * epoch
        outputs[5, 1] = targets[5, 1] + 2.0
        keep_targets(run, store, epoch, outputs)
    view = open_page()

    assert "Residuals" in tabs(view)
    assert not {"Confusion", "Mistakes", "Samples"} & set(tabs(view))
    section = view.dashboard.details.open(TargetsSection)
    qtbot.waitUntil(lambda: isinstance(section.view, Residuals), timeout=5000)
    shown = section.view
    assert isinstance(shown, Residuals)
    qtbot.waitUntil(lambda: bool(shown.grid.images()), timeout=5000)
    assert section.note.text() == f"{len(targets)} images"
    assert [shown.box.itemText(n) for n in range(2)] == ["ink [%]", "colors"]
    worst = shown.grid.images()[0]
    assert (worst.row, worst.caption) == (int(store.rows("val")[3]), "-8.00")
    assert "8.00" in worst.whole
    assert "%" in worst.whole
    assert "mean absolute error" in shown.plot.accessibleDescription()

    shown.box.setCurrentIndex(1)
    assert shown.grid.images()[0].row == int(store.rows("val")[5])
    section.slider.chosen.emit(0)
    qtbot.waitUntil(lambda: section.timeline.index == 0, timeout=5000)
    shown.box.setCurrentIndex(0)
    qtbot.waitUntil(lambda: shown.grid.images()[0].caption == "-4.00", timeout=5000)
    shown.plot.chosen.emit(7)
    assert shown.grid.images()[0].row == int(store.rows("val")[7])


@pytest.mark.parametrize("task", ["multi_label", "regression", "segmentation", "detection"])
def test_tab_reaches_the_pictures_of_a_validation_last(
    theme: Theme, qtbot: QtBot, task: str
) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    view = view_of(TASKS[task]).insights(theme, page)
    assert view is not None
    stops = tab_stops(page)
    assert len(stops) > 1
    assert stops[-1] is view.grid


COMPARED = MethodsCompared(
    methods=(
        ComparedMethod(name="a Gaussian at each position", maps="fine", score=0.75),
        ComparedMethod(name="a Gaussian at each position", maps="fine, coarse", score=0.875),
    ),
    chosen=1,
    rows=(4, 7, 9),
    good=(0.5, 0.75, 0.25),
    drawn=(0.5, 2.0, 3.0),
)
GOOD_IMAGES = ({"loss": 0.5, "auroc": 0.9, "val_loss": 0.6, "val_auroc": 0.875},)


def test_a_fit_shows_the_methods_it_compared_and_no_tabs_about_steps(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], qtbot: QtBot
) -> None:
    dataset = task_dataset(workspace, tables, "anomaly")
    run = task_run(
        workspace, "parts", TASKS["anomaly"], GOOD_IMAGES, State.RUNNING, dataset=dataset.id
    )
    view = open_page()

    assert "Methods" in tabs(view)
    assert not {"Norms", "Rate", "Confusion", "Predictions"} & set(tabs(view))
    section = view.dashboard.details.currentWidget()
    assert isinstance(section, FitSection)
    assert section.nothing.text() == "Available as soon as the network is fitted."
    append_events(run, [COMPARED, StateChanged(state=State.COMPLETED)])
    shown = section.view
    assert isinstance(shown, MethodsView)
    qtbot.waitUntil(lambda: bool(shown.grid.images()), timeout=5000)

    assert shown.table.texts() == [
        ["a Gaussian at each position", "87.5\N{NO-BREAK SPACE}% ★", "fine, coarse"],
        ["a Gaussian at each position", "75.0\N{NO-BREAK SPACE}%", "fine"],
    ]
    assert "3 held-out good images" in shown.hint.text()
    names = [line.name for line in shown.chart.figure.lines]
    assert names == ["good", "drawn defects", "threshold"]
    assert [(each.row, each.caption) for each in shown.grid.images()] == [
        (7, "0.750"),
        (4, "0.500"),
        (9, "0.250"),
    ]
    assert section._stack.currentWidget() is shown
    assert not view.dashboard.charts.isVisible()
    assert "epoch" not in view.dashboard._line.text()
    assert "AUROC 87.5" in view.dashboard._line.text()


def test_a_plan_of_a_fit_offers_nothing_about_steps(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], qtbot: QtBot
) -> None:
    task_dataset(workspace, tables, "anomaly")
    new_run = open_page().new_run
    card = new_run.cards.pretrained
    qtbot.waitUntil(new_run.train_button.isEnabled, timeout=5000)
    new_run.more.button.click()

    qtbot.waitUntil(card.buttons["fine_tune_top"].isHidden, timeout=5000)
    assert card.weights.isVisible()
    assert not card.freeze.isVisible()
    assert card.advice.text() == ""
    assert all(button.isHidden() for button in new_run.cards.presets.values())


def test_a_fit_of_an_older_version_says_that_it_compared_nothing(
    open_page: Open, workspace: Workspace, tables: dict[str, Path]
) -> None:
    dataset = task_dataset(workspace, tables, "anomaly")
    task_run(workspace, "parts", TASKS["anomaly"], GOOD_IMAGES, dataset=dataset.id)
    section = open_page().dashboard.details.open(FitSection)
    assert section.nothing.text() == "This run has compared no methods."
    assert section._stack.currentWidget() is section.nothing


def test_right_and_wrong_labels_are_counted_and_the_surest_mistakes_shown(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], qtbot: QtBot
) -> None:
    dataset = task_dataset(workspace, tables, "multi_label")
    store = Store.open(dataset.folder)
    run = task_run(workspace, "labels", TASKS["multi_label"], LABELS, dataset=dataset.id)
    has = store.targets[store.rows("val")] > 0
    outputs = np.where(has, 0.9, 0.1)
    absent = int(np.flatnonzero(~has[:, 0])[0])
    present = next(int(index) for index in np.flatnonzero(has[:, 1]) if index != absent)
    outputs[absent, 0], outputs[present, 1] = 0.97, 0.2
    keep_targets(run, store, 1, outputs)
    view = open_page()

    assert "Labels" in tabs(view)
    section = view.dashboard.details.open(TargetsSection)
    qtbot.waitUntil(lambda: isinstance(section.view, LabelInsights), timeout=5000)
    shown = section.view
    assert isinstance(shown, LabelInsights)
    rows = shown.table.content.rows
    assert [row.name for row in rows] == ["All labels", *store.classes]
    assert (rows[0].fp, rows[0].fn) == (1, 1)
    first = rows[1]
    assert (first.tp, first.fp, first.fn) == (int(has[:, 0].sum()), 1, 0)
    assert sum((first.tp, first.fp, first.fn, first.tn)) == len(has)
    images = shown.grid.images()
    assert [image.row for image in images] == store.rows("val")[[absent, present]].tolist()
    assert all(image.wrong for image in images)
    assert "97.0" in images[0].whole
    assert "without “blue”" in images[0].whole

    shown.table.selectRow(2)
    assert [image.row for image in shown.grid.images()] == [int(store.rows("val")[present])]
    assert "only" in shown.grid.images()[0].whole
    shown.table.selectRow(3)
    assert shown.grid.isHidden()
    assert "all predictions are correct" in shown.none_left.text()


def test_runs_on_classes_have_their_own_tabs(
    open_page: Open, workspace: Workspace, shapes: Path
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    metrics = {"loss": 1.0, "accuracy": 0.5, "val_loss": 1.0, "val_accuracy": 0.5}
    task_run(workspace, "classes", TASKS["classification"], [metrics], dataset=dataset.id)

    shown = tabs(open_page())
    assert {"Confusion", "Mistakes", "Samples"} < set(shown)
    assert not {"Residuals", "Labels"} & set(shown)


def test_a_run_that_waits_shows_what_it_will_measure(
    open_page: Open, workspace: Workspace, tables: dict[str, Path]
) -> None:
    dataset = task_dataset(workspace, tables, "multi_label")
    plan = TrainingPlan(dataset=dataset.id)
    workspace.create(RecordKind.RUN, "waits", plan.to_json())
    board = open_page().dashboard

    assert board.charts.metric_chart.title == "mAP"
    model = board.details.table.model()
    assert model.headerData(2, Qt.Orientation.Horizontal) == "mAP"
    assert "Labels" in [board.details.tabText(n) for n in range(board.details.count())]


def test_the_recipe_with_a_frozen_network_solves_the_head_of_the_task(
    open_page: Open, workspace: Workspace, tables: dict[str, Path], qtbot: QtBot
) -> None:
    dataset = task_dataset(workspace, tables, "multi_label")
    run = task_run(workspace, "labels", TASKS["multi_label"], LABELS, dataset=dataset.id)
    view = open_page()
    view.new_button.click()
    new_run = view.new_run
    qtbot.waitUntil(new_run.train_button.isEnabled, timeout=5000)
    new_run.cards.document.set_values({"weights": f"run:{run.id}"})
    new_run.cards.changed.emit()
    button = new_run.cards.pretrained.buttons["linear_head"]
    qtbot.waitUntil(button.isEnabled, timeout=5000)

    button.click()
    plan = new_run.plan()
    assert plan is not None
    assert (plan.freeze, plan.head_solver) == ("all", "logistic_regression")
    qtbot.waitUntil(button.isChecked, timeout=5000)


def test_the_losses_of_different_tasks_are_not_held_against_each_other(
    open_page: Open, workspace: Workspace, errors: Record
) -> None:
    other = task_run(workspace, "labels", TASKS["multi_label"], LABELS)
    view = open_page()
    view.compare([errors.id, other.id])

    compare = view.compare_view
    bar = compare.charts.metric_chart.bar
    offered = [action.text() for action in bar.choice.menu().actions()]
    assert offered == ["MAE", "RMSE", "R²", "mAP", "F1 micro", "F1 macro", "Label accuracy"]
    model = compare.table.content
    rows = [model.headerData(n, Qt.Orientation.Vertical) for n in range(model.rowCount())]
    loss = rows.index("Best val loss")
    bold = Qt.ItemDataRole.FontRole
    assert all(model.index(loss, column).data(bold) is None for column in range(2))
    assert "Best val mAP" in rows
