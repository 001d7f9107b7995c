"""The evaluation page with reports as the job leaves them: what it shows, what clicks open."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
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
from page_records import add_dataset, add_run, began, picture_folder, start_jobs
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMainWindow
from pytestqt.qtbot import QtBot

from helpers.evaluations import certainty_of, leave_evaluation
from helpers.runs import append_events
from helpers.windows import choose_target
from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.datasets.origins.facts import MeasuredOn
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.evaluation.report import EvaluatedModel, EvaluationPlan, Report
from studio.engine.jobs.events import Artifact, Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.pixel_format import PixelFormat
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage
from studio.ui.pages.evaluation.comparison import CompareTab
from studio.ui.pages.evaluation.page import View
from studio.ui.pages.evaluation.report import TABS, ClassesPanel
from studio.ui.pages.evaluation.tabs import (
    CertaintyTab,
    ClassesTab,
    ConfusionTab,
    OriginsTab,
    ReportTab,
    RobustnessTab,
)
from studio.ui.tasks.anomaly.methods import MethodsView
from studio.ui.tasks.anomaly.threshold_panel import ThresholdPanel
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE

CLASSES = ["ash", "birch", "cedar ü"]


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Record:
    source = picture_folder(tmp_path / "src", dict.fromkeys(CLASSES, 20))
    return add_dataset(workspace, "trees", source, val_percent=0, test_percent=50)


@pytest.fixture
def run(workspace: Workspace, dataset: Record) -> Record:
    made = add_run(workspace, "net", dataset.id, [0.9], State.COMPLETED)
    append_events(made, [Artifact(name="model", path="model.keras")])
    return made


def show_tab(panel: ClassesPanel, kind: type[ReportTab]) -> None:
    panel.tabs.setCurrentIndex(TABS.index(kind))


def add_evaluation(
    workspace: Workspace,
    dataset: Record,
    run: Record,
    mistakes: dict[int, int],
    name: str = "net",
    known: int = 0,
) -> Report:
    """An evaluation whose predictions are right except for some images.

    The first images may be of known films.
    """
    record = workspace.create(RecordKind.EVALUATION, name, EvaluationPlan(run=run.id).to_json())
    store = Store.open(dataset.folder)
    rows = store.rows("test")
    labels = store.labels[rows]
    answers = labels.copy()
    for index, label in mistakes.items():
        answers[index] = label
    sure = np.linspace(0.5, 0.95, len(rows))
    probabilities = np.repeat((1 - sure)[:, None] / 2, 3, axis=1)
    probabilities[np.arange(len(rows)), answers] = sure
    subject = EvaluatedModel(
        model=name, run=run.id, dataset=dataset.id, dataset_name="trees", dataset_version=0,
        split="test",
    )  # fmt: skip
    more = {}
    if known:
        on = MeasuredOn(kind="video", groups=len(rows), images=len(rows), common=known)
        subject = subject.model_copy(update={"measured_on": on})
        more = {"is_known": np.arange(len(rows)) < known}
    made = leave_evaluation(
        record.folder,
        rows,
        probabilities,
        labels,
        resamples=50,
        classes=CLASSES,
        subject=subject,
        fitting_missing="There are no validation images.",
        **more,
    )
    ending = [
        Artifact(name=REPORT, path="report.json"),
        Result(values={"accuracy": made.report.metrics["accuracy"], "count": made.report.count}),
        StateChanged(state=State.COMPLETED),
    ]
    append_events(record, [*began(), *ending])
    return made.report


def open_page(qtbot: QtBot, context: AppContext) -> tuple[View, QMainWindow]:
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=10_000)
    return view, window


def test_without_data_it_leads_to_training(qtbot: QtBot, context: AppContext) -> None:
    view, _window = open_page(qtbot, context)
    assert view.empty.isVisible()
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        view.empty.findChildren(QAbstractButton)[0].click()
    assert requested.args == [OpenPage("train")]


def test_known_and_unseen_origins_are_shown_side_by_side(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    other = add_run(workspace, "other", dataset.id, [0.8], State.COMPLETED)
    append_events(other, [Artifact(name="model", path="model.keras")])
    unseen = dict.fromkeys(range(20, 29), 0)
    report = add_evaluation(workspace, dataset, run, unseen, known=15)
    add_evaluation(workspace, dataset, other, {20: 0}, "other", known=15)
    view, _window = open_page(qtbot, context)
    view.form.chooser.select(run.id)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)
    panel, at = view.panel_of(ClassesPanel), TABS.index(OriginsTab)
    assert panel.tabs.isTabVisible(at)
    show_tab(panel, OriginsTab)
    shown = panel.tab(OriginsTab).metrics
    assert shown.sentence.text().startswith("Accuracy: 100.0")
    assert "on unseen films" in shown.sentence.text()
    assert report.gap is not None
    cells = (shown.table.model().index(0, column).data() for column in range(4))
    first = [text.replace("\N{NO-BREAK SPACE}", " ") for text in cells]
    assert [first[0], first[1][:7], first[2][:6]] == ["Accuracy", "100.0 %", "40.0 %"]
    assert first[3].startswith("+60.0 (+")
    rivals = panel.compare.other
    show_tab(panel, CompareTab)
    rivals.setCurrentIndex(0)
    rivals.activated.emit(0)
    qtbot.waitUntil(lambda: panel.compare.comparison is not None)
    lines = panel.compare.verdict.text().splitlines()
    assert [line.partition(":")[0] for line in lines[1:]] == ["On known films", "On unseen films"]
    add_evaluation(workspace, dataset, run, {}, "net2")
    qtbot.waitUntil(lambda: len(view.evaluations()) == 3)
    assert panel.tabs.isTabVisible(at), "a later evaluation does not replace the one that is read"
    view.show_record(view.evaluations()[0].id)
    qtbot.waitUntil(lambda: not panel.tabs.isTabVisible(at))


def test_channels_and_contrast_are_chosen_in_the_report(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    random = np.random.default_rng(0)
    for name in CLASSES:
        (tmp_path / "deep" / name).mkdir(parents=True)
        for index in range(4):
            pixels = random.integers(0, 4096, (16, 16), np.uint16)
            Image.fromarray(pixels).save(tmp_path / "deep" / name / f"{index}.png")
    form = PixelFormat.uniform("uint16", 1, 0, 4095).model_dump()
    deep = add_dataset(
        workspace, "cells", tmp_path / "deep", color="gray", pixels=form, test_percent=50
    )
    run = add_run(workspace, "net", deep.id, [0.9], State.COMPLETED)
    append_events(run, [Artifact(name="model", path="model.keras")])
    add_evaluation(workspace, deep, run, {0: 2})
    view, window = open_page(qtbot, context)
    view.form.chooser.select(run.id)
    panel = view.panel_of(ClassesPanel)
    qtbot.waitUntil(panel.display_button.isVisible, timeout=10_000)

    panel.display_button.click()
    qtbot.waitUntil(panel.display_button.popup.isVisible, timeout=10_000)
    with qtbot.waitSignal(panel.display_button.displayed, timeout=10_000):
        panel.display_button.panel.window_range.high.setValue(1000)

    display = panel.open_report.pictures.display()
    assert display.high == (1000.0,)
    window.close()


def test_a_narrow_report_asks_for_the_height_of_its_lines(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    """Figures that wrapped into a second row were taken from the charts below."""
    add_evaluation(workspace, dataset, run, {0: 1})
    view, window = open_page(qtbot, context)
    view.form.chooser.select(run.id)
    panel = view.panel_of(ClassesPanel)
    qtbot.waitUntil(panel.isVisible)
    heights = []
    for width in (420, 1400):
        panel.resize(width, 900)
        heights.append(panel.minimumSizeHint().height())
    assert heights[0] > heights[1]
    window.close()


def test_form_and_report_name_one_model(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    other = add_run(workspace, "other", dataset.id, [0.8], State.COMPLETED)
    append_events(other, [Artifact(name="model", path="model.keras")])
    add_evaluation(workspace, dataset, run, {0: 1})
    view, _window = open_page(qtbot, context)
    chooser = view.form.chooser
    chooser.select(run.id)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)
    report = view.current_record
    view.show_record(other.id)
    assert view.message.isVisible()
    assert view.message.accessibleName() == "“other” is not evaluated yet"
    view.show_record(report)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)
    choice = chooser.choice()
    assert choice is not None
    assert choice.id == run.id
    chooser.select(other.id)
    assert view.current_record == ""


def test_a_report_is_not_replaced_when_the_chosen_run_gets_another_name(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    """A run was chosen before the page was made, and is not the model of the report."""
    removed = add_run(workspace, "removed", dataset.id, [0.8], State.COMPLETED)
    add_evaluation(workspace, dataset, removed, {0: 1}, "removed")
    add_evaluation(workspace, dataset, run, {0: 1})
    workspace.trash(removed)
    start_jobs(qtbot, context)
    view = View(context)
    window = show_in_window(qtbot, view)
    choice = view.chooser.choice()
    assert choice is not None
    assert choice.id == run.id
    (report,) = [each.id for each in view.evaluations() if each.model == "removed"]
    view.show_record(report)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)

    with qtbot.waitSignal(view.chooser.changed):
        workspace.rename(run, "renamed")

    assert view.current_record == report
    window.close()


def test_a_report_that_cannot_be_read_is_not_replaced_by_another_one(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    dataset: Record,
    run: Record,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_evaluation(workspace, dataset, run, {0: 1}, "first")
    add_evaluation(workspace, dataset, run, {0: 1, 1: 2}, "second")
    view, _window = open_page(qtbot, context)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)
    shown = view.current_record
    (other,) = [each.id for each in view.evaluations() if each.id != shown]
    failures: list[BaseException] = []

    def fail(*_: object) -> None:
        raise LookupError("missing")

    monkeypatch.setattr(context.navigator, "show_failure", failures.append)
    with monkeypatch.context() as damaged:
        damaged.setattr(ClassesPanel.opened, "read", fail)
        view.show_record(other)
        qtbot.waitUntil(lambda: bool(failures))
    assert view.current_record == other
    view.list.chosen.emit(other)
    assert not view.panel_of(ClassesPanel).isVisible(), "it holds the other report"

    view.show_record(shown)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)


def test_an_empty_tab_offers_to_measure_robustness(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    add_evaluation(workspace, dataset, run, {0: 1})
    view, _window = open_page(qtbot, context)
    view.form.chooser.select(run.id)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible)
    show_tab(view.panel_of(ClassesPanel), RobustnessTab)
    tab = view.panel_of(ClassesPanel).tab(RobustnessTab)
    assert tab.measure_button.isVisible()
    with qtbot.waitSignal(view.form.submitted) as submitted:
        tab.measure_button.click()
    (plan,) = submitted.args
    assert (plan.run, plan.split, plan.robustness) == (run.id, "test", True)


def test_a_report_with_the_images_behind_every_figure(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    store = Store.open(dataset.folder)
    labels = store.labels[store.rows("test")]
    first, second, third = np.flatnonzero(labels == 0)[[0, 3, 5]].tolist()
    report = add_evaluation(workspace, dataset, run, {first: 1, second: 1, third: 2})
    view, _window = open_page(qtbot, context)
    panel = view.panel_of(ClassesPanel)

    assert panel.isVisible()
    assert panel.tiles.texts["accuracy"].startswith("90.0")
    spoken = view.list.records.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "net, Completed, Test · Accuracy 90.0\N{NO-BREAK SPACE}%"
    # The commonest mistake is open, the surest first.
    rows = [image.row for image in panel.drawer.grid.images()]
    assert rows == store.rows("test")[[second, first]].tolist()
    assert "predicted as “birch”" in panel.drawer.title()

    confusion = panel.tab(ConfusionTab)
    assert isinstance(confusion, ConfusionTab)
    point = confusion.view.plot.cell_rect((0, 2)).center().toPoint()
    QTest.mouseClick(confusion.view.plot, Qt.MouseButton.LeftButton, pos=point)
    assert [each.row for each in panel.drawer.grid.images()] == [store.rows("test")[third]]
    _bars(panel, confusion)
    confusion.sorted.click()
    confusion.in_percent.click()
    assert [CLASSES[label] for label in confusion.shown()][:2] == ["ash", "birch"]
    assert "precision 83.3" in confusion.read_out.text(), "the chosen bar stays chosen"

    classes = panel.tab(ClassesTab)
    assert isinstance(classes, ClassesTab)
    show_tab(panel, ClassesTab)
    assert classes.table.texts()[0][0] == "ash", "the worst comes first"
    low, high = (round(each * 100) for each in report.outputs[0].intervals["recall"])
    figure = classes.table.texts()[0][2]
    assert figure == f"70.0\N{NO-BREAK SPACE}% ({low}–{high})"
    classes.table.content.sort_by([("1", True)])
    assert classes.table.texts()[0][0] == "ash", "all called ash are ash"
    classes.table.clicked.emit(classes.table.content.index_of(0))
    images = panel.drawer.grid.images()
    assert [image.caption for image in images[:3]] == ["→ cedar ü", "→ birch", "→ birch"]
    assert len(images) == 10
    qtbot.waitUntil(lambda: bool(classes.roc.figure.lines), timeout=5000)
    classes.table.select(1)
    qtbot.waitUntil(lambda: "birch" in classes.roc.figure.title, timeout=5000)
    _certainty(view, report)


def _bars(panel: ClassesPanel, confusion: ConfusionTab) -> None:
    """The bars beside the matrix open all images of their class, the mistakes first."""
    for bar, said, images, wrong in (
        ((0, 3), "recall 70.0", 10, ["→ cedar ü", "→ birch", "→ birch"]),
        ((3, 1), "precision 83.3", 12, ["→ birch", "→ birch"]),
    ):
        point = confusion.view.plot.cell_rect(bar).center().toPoint()
        QTest.mouseClick(confusion.view.plot, Qt.MouseButton.LeftButton, pos=point)
        assert said in panel.drawer.title()
        assert "95 % interval" in panel.drawer.title()
        shown = [each.whole for each in panel.drawer.grid.images()]
        assert len(shown) == images
        text = [each.split(",")[0][-len(end) :] for each, end in zip(shown, wrong, strict=False)]
        assert sorted(text) == sorted(wrong)
        assert not any("→" in each for each in shown[len(wrong) :])


def _certainty(view: View, report: Report) -> None:
    tab = view.panel_of(ClassesPanel).tab(CertaintyTab)
    assert isinstance(tab, CertaintyTab)
    show_tab(view.panel_of(ClassesPanel), CertaintyTab)
    assert tab.note.text() == "There are no validation images."
    line = tab.calibration.figure.lines[1]
    point = tab.calibration.plot.position_of(1, 0).toPoint()
    QTest.mouseClick(tab.calibration.plot, Qt.MouseButton.LeftButton, pos=point)
    first = certainty_of(report).bins[0]
    assert len(view.panel_of(ClassesPanel).drawer.grid.images()) == first.count
    assert line.points[0] == (first.confidence, first.accuracy)
    tab.threshold.setValue(900)
    answered = int((tab.open_report.evaluation.answers.scores >= 0.9).sum())
    assert f"{30 - answered} are “unknown”" in tab.verdict.text()
    tab.unknown_button.click()
    assert len(view.panel_of(ClassesPanel).drawer.grid.images()) == 30 - answered
    view.panel_of(ClassesPanel).drawer.close_button.click()
    assert not view.panel_of(ClassesPanel).drawer.isVisible()


def test_only_wrong_predictions_of_a_report_are_marked(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    store = Store.open(dataset.folder)
    rows = store.rows("test")
    first, second, third = np.flatnonzero(store.labels[rows] == 0)[[0, 3, 5]].tolist()
    add_evaluation(workspace, dataset, run, {first: 1, second: 1, third: 2})
    mistakes = set(rows[[first, second, third]].tolist())
    view, _window = open_page(qtbot, context)
    panel = view.panel_of(ClassesPanel)

    def marks() -> dict[int, bool]:
        model = panel.drawer.grid.model()
        indices = [model.index(row, 0) for row in range(model.rowCount())]
        return {index.data(KEY_ROLE): index.data(WRONG_ROLE) for index in indices}

    assert marks() == dict.fromkeys(rows[[first, second]].tolist(), True), "ash taken for birch"
    confusion = panel.tab(ConfusionTab)
    assert isinstance(confusion, ConfusionTab)
    for cell, count in (((0, 0), 7), ((0, 2), 1), ((0, 3), 10), ((3, 1), 12)):
        point = confusion.view.plot.cell_rect(cell).center().toPoint()
        QTest.mouseClick(confusion.view.plot, Qt.MouseButton.LeftButton, pos=point)
        shown = marks()
        assert shown == {row: row in mistakes for row in shown}, cell
        assert len(shown) == count
    classes = panel.tab(ClassesTab)
    assert isinstance(classes, ClassesTab)
    show_tab(panel, ClassesTab)
    classes.table.clicked.emit(classes.table.content.index_of(0))
    shown = marks()
    assert shown == {row: row in mistakes for row in shown}
    assert sum(shown.values()) == 3


def test_a_deleted_evaluation_is_shown_again_when_it_is_restored(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    for name in ("first", "second", "third"):
        add_evaluation(workspace, dataset, run, {}, name)
    view, _window = open_page(qtbot, context)
    chosen = view.evaluations()[1]
    view.list.chosen.emit(chosen.id)
    assert view.current_record == chosen.id
    record = workspace.require(RecordKind.EVALUATION, chosen.id)
    trashed = workspace.trash(record)
    context.jobs.wake()
    qtbot.waitUntil(lambda: view.current_record != chosen.id, timeout=5000)
    assert view.current_record == view.evaluations()[0].id
    workspace.restore(trashed)
    context.jobs.wake()
    qtbot.waitUntil(lambda: view.current_record == chosen.id, timeout=5000)


def test_the_list_is_not_scrolled_while_jobs_change(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, run: Record
) -> None:
    for number in range(30):
        add_evaluation(workspace, dataset, run, {}, f"model {number}")
    view, _window = open_page(qtbot, context)
    bar = view.list.verticalScrollBar()
    assert bar.maximum() > 0
    bar.setValue(bar.maximum())
    append_events(run, [Artifact(name="log", path="log.txt")])
    with qtbot.waitSignal(context.jobs.changed, timeout=5000):
        context.jobs.wake()
    view.update_page()
    assert bar.value() == bar.maximum()


def test_two_models_are_compared_and_reports_saved(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    dataset: Record,
    run: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_evaluation(workspace, dataset, run, dict.fromkeys(range(30), 0), "poor")
    add_evaluation(workspace, dataset, run, {}, "good")
    view, _window = open_page(qtbot, context)
    tab = view.panel_of(ClassesPanel).tab(CompareTab)
    assert isinstance(tab, CompareTab)
    show_tab(view.panel_of(ClassesPanel), CompareTab)

    tab.other.setCurrentIndex(0)
    tab.other.activated.emit(0)
    qtbot.waitUntil(lambda: tab.comparison is not None, timeout=5000)

    assert tab.verdict.text().startswith("good is significantly better than poor, by 66.7 points")
    assert [figure.text() for _, figure in tab.counts] == ["10", "20", "0", "0"]
    tab.counts[1][1].click()
    assert len(view.panel_of(ClassesPanel).drawer.grid.images()) == 20
    assert view.panel_of(ClassesPanel).drawer.title() == "Only good right"
    for kind in ("html", "json"):
        path = tmp_path / f"report.{kind}"
        choose_target(monkeypatch, path)
        with qtbot.waitSignal(view.panel_of(ClassesPanel).saved, timeout=10_000):
            view.panel_of(ClassesPanel).save_report("html" if kind == "html" else "json")
    assert "good is better than poor" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "report.json").read_text())["accuracy"] == 1

    view.panel_of(ClassesPanel).trash_button.click()
    qtbot.waitUntil(lambda: len(view.evaluations()) == 1, timeout=10_000)
    qtbot.waitUntil(
        lambda: view.panel_of(ClassesPanel).tiles.texts["accuracy"].startswith("33.3"),
        timeout=10_000,
    )


def test_evaluating_is_asked_for_followed_and_stopped(
    qtbot: QtBot,
    context: AppContext,
    launch_scripts: LaunchScripts,
    run: Record,
    dataset: Record,
    tmp_path: Path,
) -> None:
    launch_scripts(ENDLESS)
    view, _window = open_page(qtbot, context)
    assert view.message.isVisible()
    view.form.robustness.click()
    view.form.button.click()
    qtbot.waitUntil(view.progress.isVisible, timeout=10_000)
    (shown,) = view.evaluations()
    entry = context.jobs.get(RecordKind.EVALUATION, shown.id)
    assert entry is not None
    assert isinstance(entry.plan, EvaluationPlan)
    assert (entry.plan.run, entry.plan.robustness) == (run.id, True)
    view.progress.cancel_button.click()
    qtbot.waitUntil(lambda: not view.progress.isVisible(), timeout=10_000)

    view.take_drop([tmp_path / "foreign.keras"])
    assert not view.form.button.isEnabled()
    assert "dataset" in view.form.button.toolTip()
    view.form.dataset.setCurrentIndex(view.form.dataset.findData(dataset.id))
    view.form.dataset.activated.emit(1)
    view.form.button.click()
    qtbot.waitUntil(lambda: "no model file" in view.form.problem.text(), timeout=10_000)


def test_style_is_applied(
    qtbot: QtBot,
    context: AppContext,
    theme: Theme,
    workspace: Workspace,
    dataset: Record,
    run: Record,
) -> None:
    add_evaluation(workspace, dataset, run, {1: 0, 12: 2})
    view, _window = open_page(qtbot, context)

    for tab in view.panel_of(ClassesPanel).class_tabs:
        show_tab(view.panel_of(ClassesPanel), type(tab))
        qtbot.waitUntil(lambda: context.background.is_idle, timeout=5000)
        assert nameless_controls(view) == []
        assert unexplained_buttons(view) == []
        assert cut_buttons(view) == []
    assert fits_smallest_window(view)
    pictures = styles(view, theme)
    assert lightness(pictures["dark"]) < 0.4 < lightness(pictures["light"])


def test_parts_of_anomaly_detection_fit_the_smallest_window(
    qtbot: QtBot, context: AppContext, theme: Theme
) -> None:
    """900 pixels, less the pages and the list of records."""
    panel, methods = ThresholdPanel(context), MethodsView(theme)
    for each in (panel, methods):
        qtbot.addWidget(each)
        each.show()
    for rule in range(panel.rule.count()):
        panel.rule.setCurrentIndex(rule)
        panel.rule.activated.emit(rule)
        assert panel.minimumSizeHint().width() < 500
        assert panel.allowed.isVisible() == (rule == 0)
        assert panel.miss.isVisible() == (rule == 1)
    panel._show_result(20 * "many words ")
    heights = []
    for width in (200, 900):
        panel.resize(width, 900)
        heights.append(panel.minimumHeight())
    assert heights[0] > heights[1] + 60
    panel.hide()
    assert panel.minimumHeight() == 0, "a hidden tab takes no room from others"
    assert methods.minimumSizeHint().width() < 640
