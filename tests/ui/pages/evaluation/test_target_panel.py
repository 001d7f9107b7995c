"""Evaluations on labels and on numbers: metrics, charts, images, saved reports."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import start_jobs
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from helpers.digits import do_here
from helpers.sampling import sample
from helpers.target_datasets import squares, target_recipe
from helpers.windows import choose_target
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.pages.evaluation.page import View
from studio.ui.pages.evaluation.report import OutputsPanel

pytestmark = pytest.mark.slow
LONG = 60_000


@dataclass(frozen=True, slots=True)
class Measured:
    root: Path
    evaluation: str
    rival: str


def _measured(task: str, folder: Path) -> Measured:
    tables = squares(folder / "squares", 120)
    workspace = Workspace.open(folder / "workspace")
    dataset = do_here(workspace, target_recipe(tables, task), "squares")
    measured = []
    for name, epochs in (("rival", 1), ("run", 3)):
        plan = TrainingPlan(dataset=dataset.record.id).changed(
            network="mlp", epochs=epochs, batch_size=16, learning_rate=0.002
        )
        run = do_here(workspace, plan, name)
        job = do_here(workspace, EvaluationPlan(run=run.record.id, resamples=30), f"of {name}")
        assert job.history.state == State.COMPLETED, job.history.detail
        measured.append(job.record.id)
    rival, shown = measured
    return Measured(workspace.root, shown, rival)


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return _measured("multi_label", tmp_path_factory.mktemp("labels"))


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return _measured("regression", tmp_path_factory.mktemp("numbers"))


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Measured:
    found: Measured = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def workspace(measured: Measured, tmp_path: Path) -> Workspace:
    shutil.copytree(measured.root, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, measured: Measured) -> Iterator[View]:
    made = View(context)
    window = show_in_window(qtbot, made, 1200, 760)
    start_jobs(qtbot, context)
    made.show_record(measured.evaluation)
    qtbot.waitUntil(made.panel_of(OutputsPanel).isVisible, timeout=LONG)
    first = made.panel_of(OutputsPanel).charts.widgets[0]
    qtbot.waitUntil(lambda: bool(first.figure.lines), timeout=LONG)
    yield made
    window.close()


@pytest.mark.parametrize("measured", ["numbers"], indirect=True)
def test_numbers_are_drawn_against_each_other(qtbot: QtBot, view: View) -> None:
    panel = view.panel_of(OutputsPanel)
    open_report = panel.open_report
    report = open_report.report

    names = [panel.table.model().index(row, 0).data() for row in range(2)]
    assert names == ["ink [%]", "colors"]
    assert not panel.tabs.isTabVisible(1)
    across = Qt.Orientation.Horizontal
    columns = range(panel.table.model().columnCount())
    headings = [panel.table.model().headerData(at, across) for at in columns]
    assert "Prediction interval" in headings
    dots = panel.charts.widgets[0].figure.lines[0]
    assert not dots.joined
    assert len(dots.points) == report.count
    panel.table.selectRow(1)
    qtbot.waitUntil(lambda: "colors" in panel.charts.widgets[0].figure.across.label, timeout=LONG)

    panel.charts.widgets[0].point_chosen.emit(0, 3)
    assert panel.drawer.isVisible()
    assert len(panel.drawer.grid.model().images) == 1  # type: ignore[attr-defined]  # ours
    panel.table.clicked.emit(panel.table.model().index(0, 0))
    assert "ink" in panel.drawer.title()
    view.grab()


@pytest.mark.parametrize("measured", ["labels"], indirect=True)
def test_labels_have_curves_thresholds_and_a_matrix(qtbot: QtBot, view: View) -> None:
    panel = view.panel_of(OutputsPanel)
    open_report = panel.open_report
    outputs = open_report.report.outputs

    assert [each.name for each in outputs] == ["blue", "green", "red"]
    assert all(each.threshold is not None for each in outputs)
    assert panel.tabs.isTabVisible(1)
    panel.tabs.setCurrentIndex(1)
    counts = panel.matrix.counts()
    assert counts is not None
    assert counts.shape == (3, 3)
    assert (counts.diagonal() <= [each.images for each in outputs]).all()
    panel.matrix.chosen.emit((0, 1))
    qtbot.waitUntil(lambda: "“blue”" in panel.drawer.title())
    assert "“green”" in panel.drawer.title()
    images = panel.drawer.grid.model().images  # type: ignore[attr-defined]  # ours
    assert len(images) == counts[0, 1]
    curve, threshold = panel.charts.widgets[0].figure.lines
    assert len(threshold.points) == 1
    assert threshold.points[0] in list(curve.points)
    model, role = view.list.records, Qt.ItemDataRole.AccessibleTextRole
    assert all("· mAP " in model.index(row).data(role) for row in range(model.rowCount()))
    assert panel.matrix.plot.titles == ("True label", "Predicted label")
    panel.table.clicked.emit(panel.table.model().index(0, 0))
    assert "✓ if the image has the label" in panel.drawer.title()
    view.grab()


@pytest.mark.parametrize("measured", ["numbers"], indirect=True)
def test_residuals_have_a_tab_with_their_histogram(qtbot: QtBot, view: View) -> None:
    panel = view.panel_of(OutputsPanel)
    open_report = panel.open_report
    residuals = panel.output_charts
    panel.tabs.setCurrentIndex(2)
    assert panel.tabs.tabText(2) == "Residuals"
    assert residuals.isVisible()
    box = residuals.box
    assert [box.itemText(index) for index in range(box.count())] == ["ink [%]", "colors"]

    box.setCurrentIndex(1)
    box.activated.emit(1)
    histogram = residuals.charts.widgets[1]
    qtbot.waitUntil(lambda: "colors" in histogram.figure.across.label, timeout=LONG)
    assert panel.table.currentIndex().row() == 1, "the table follows"
    bars = histogram.figure.lines[0].points[1::4]
    assert sum(number for _, number in bars) == open_report.report.count
    residuals.charts.widgets[0].point_chosen.emit(0, 2)
    assert panel.drawer.isVisible()
    view.grab()


@pytest.mark.thorough
@pytest.mark.parametrize("measured", ["labels", "numbers"], indirect=True)
def test_two_models_are_compared(qtbot: QtBot, view: View, measured: Measured) -> None:
    panel = view.panel_of(OutputsPanel)
    open_report = panel.open_report
    compare, specs = panel.compare, open_report.evaluation.reporter.whole
    panel.tabs.setCurrentIndex(3)
    assert compare.isVisible()
    assert not compare.table.isVisible()
    (offered,) = compare.fill()
    assert offered.startswith("rival · ")

    compare.menu.actions()[0].trigger()
    qtbot.waitUntil(compare.table.isVisible, timeout=LONG)
    qtbot.waitUntil(lambda: not compare.findChildren(Request))
    (found,) = compare.compared.values()
    table = compare.table.content
    across = Qt.Orientation.Horizontal
    headings = [table.headerData(column, across) for column in range(4)]
    assert headings == ["Metric", "run", "rival", "Difference"]
    for row, spec in enumerate(specs):
        ours, theirs = (report.metrics[spec.name] for report in (open_report.report, found.report))
        assert ours is not None
        assert theirs is not None
        value = found.differences[spec.name].value
        assert value == pytest.approx(theirs - ours)
        assert table.index(row, 3).data().startswith("+" if value > 0 else "-")
    better = "rival" if found.differences[specs[0].name].value * specs[0].sign > 0 else "run"
    assert better in compare.verdict.text().partition(":")[0]
    view.grab()

    compare.fill()
    compare.menu.actions()[0].trigger()
    assert not compare.table.isVisible()


@pytest.mark.parametrize("measured", ["labels"], indirect=True)
def test_the_table_is_sorted_by_any_column(qtbot: QtBot, view: View) -> None:
    panel = view.panel_of(OutputsPanel)
    open_report = panel.open_report
    outputs = open_report.report.outputs
    model, header = panel.table.model(), panel.table.horizontalHeader()
    columns = range(panel.table.model().columnCount())
    headings = [model.headerData(at, Qt.Orientation.Horizontal) for at in columns]
    images = headings.index("Images")

    for column, key in ((headings.index("Threshold"), "threshold"), (images, "images")):
        panel.table.content.sort_by([(str(column), True)])
        sizes = [getattr(each, key) for each in outputs]
        shown = [model.index(row, 0).data() for row in range(3)]
        assert shown == [outputs[at].name for at in sorted(range(3), key=lambda at: -sizes[at])]
        assert header.model().headerData(column, Qt.Orientation.Horizontal).endswith("▼")

    largest = shown[0]
    panel.table.selectRow(0)
    panel.table.clicked.emit(model.index(0, 0))
    assert largest in panel.drawer.title()
    qtbot.waitUntil(lambda: largest in panel.charts.widgets[0].figure.title, timeout=LONG)
    panel.table.content.sort_by([(str(images), False)])
    assert panel.table.currentIndex().row() == 2, "it stays selected"


@pytest.mark.parametrize("measured", ["labels", "numbers"], indirect=True)
@pytest.mark.parametrize("kind", sample(["html", "csv", "json"], 1))
def test_a_report_is_saved(
    qtbot: QtBot, view: View, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"report.{kind}"
    choose_target(monkeypatch, path)

    view.panel_of(OutputsPanel).save_report(kind)  # type: ignore[arg-type]  # one of the kinds

    qtbot.waitUntil(path.exists, timeout=LONG)
