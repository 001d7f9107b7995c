"""Counts of objects in the window: of a folder on the page Predict, and in an evaluation."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from page_checks import show_in_window
from page_records import start_jobs
from pytestqt.qtbot import QtBot

from helpers.box_datasets import NAMES
from helpers.box_runs import box_case
from helpers.digits import do_here
from studio.engine.evaluation import counting
from studio.engine.evaluation.counting import CountedImages
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import on_available_split
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.evaluation.counts import CountsTab, class_counts
from studio.ui.pages.evaluation.page import View as EvaluationView
from studio.ui.pages.evaluation.report import OutputsPanel
from studio.ui.pages.predict import counts as counts_panel
from studio.ui.pages.predict.page import View as PredictView

LONG = 60_000


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """Return a workspace with an evaluated run, the folder of the images, and the evaluation."""
    case = box_case(tmp_path_factory)
    workspace, run = case.workspace, case.run
    measured = on_available_split(workspace, EvaluationPlan(run=run.record.id))
    evaluation = do_here(workspace, measured, "of run")
    assert evaluation.history.state == State.COMPLETED, evaluation.history.detail
    return workspace.root, case.pictures, evaluation.record.id


@pytest.fixture
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """A copy of the trained workspace; an empty one for tests without training."""
    if "trained" in request.fixturenames:
        root, _, _ = request.getfixturevalue("trained")
        shutil.copytree(root, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def predict(
    trained: tuple[Path, Path, str], qtbot: QtBot, context: AppContext
) -> Iterator[PredictView]:
    """The page Predict with the run."""
    view = PredictView(context)
    window = show_in_window(qtbot, view, 1000, 640)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: view.chooser.choice() is not None, timeout=LONG)
    yield view
    window.close()


def _copies(pictures: Path, folder: Path, count: int) -> Path:
    """Copy pictures into two folders of days."""
    files = sorted(pictures.rglob("*.png"))[:count]
    for number, path in enumerate(files):
        target = folder / f"day {number % 2}"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target / path.name)
    return folder


@pytest.mark.slow
def test_counted_images_do_not_correct_themselves(
    trained: tuple[Path, Path, str], workspace: Workspace, tmp_path: Path
) -> None:
    evaluation = EvaluatedOutputs.open(workspace, _evaluation(trained).folder)
    run = evaluation.report.subject.run
    assert evaluation.store is not None
    tested = [Path(evaluation.store.origin(int(row))) for row in evaluation.rows]
    assert len(tested) > 8
    every = counting.corrections_of_run(workspace, run, [])
    assert every is not None
    assert every.document() == {"split": "test", "images": len(tested), "left_out": 0}

    copy = tmp_path / "copied.png"
    shutil.copy(tested[1], copy)
    others = [path for path in sorted(trained[1].rglob("*.png")) if path not in tested]
    found = counting.corrections_of_run(workspace, run, [tested[0], copy, *others])
    assert found is not None
    assert (found.images, found.left_out) == (len(tested) - 2, 2)
    rest = counting.counted_evaluation(evaluation.only(np.arange(len(tested)) > 1))
    assert rest is not None
    assert found.by_class == counting.corrections(rest)

    none = counting.corrections_of_run(workspace, run, tested)
    assert none is not None
    assert (none.by_class, none.images) == ({}, 0)

    do_here(workspace, EvaluationPlan(run=run, split="val"), "of other images")
    validated = counting.corrections_of_run(workspace, run, tested)
    assert validated is not None
    assert (validated.split, validated.left_out) == ("val", 0)
    assert validated.images > 0
    assert counting.corrections_of_run(workspace, run, []) == every


def test_training_images_correct_nothing(
    trained: tuple[Path, Path, str],
    workspace: Workspace,
) -> None:
    (record,) = workspace.records(RecordKind.RUN)
    for each in workspace.records(RecordKind.EVALUATION):
        shutil.rmtree(each.folder)

    do_here(workspace, EvaluationPlan(run=record.id, split="train"), "of what was learned")

    assert counting.corrections_of_run(workspace, record.id, []) is None


def _evaluation(trained: tuple[Path, Path, str]) -> Record:
    record = Workspace.open(trained[0]).record(RecordKind.EVALUATION, trained[2])
    assert record is not None
    return record


@pytest.mark.slow
def test_a_folder_is_counted_at_every_level(
    qtbot: QtBot,
    predict: PredictView,
    trained: tuple[Path, Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = _copies(trained[1], tmp_path / "new", 8)
    predict.take_drop([folder])
    qtbot.waitUntil(lambda: predict.batch is not None and predict.batch.is_complete, timeout=LONG)
    panel, bar = predict.preview.counts_panel, predict.preview.bar
    assert not bar.counts_button.isHidden()

    bar.counts_button.click()

    qtbot.waitUntil(lambda: bool(panel.counts.rows), timeout=LONG)
    assert panel.isVisible()
    levels = [panel.box.itemData(row) for row in range(panel.box.count())]
    assert {"all", "folder", "image"} <= set(levels)
    assert predict.batch is not None
    labels = [
        each.label
        for prediction in predict.batch.predictions
        if prediction.objects is not None
        for each in prediction.objects.given
    ]
    whole = [row for row in panel.counts.rows if row.level == "all"]
    assert {row.label: row.predicted for row in whole} == {
        name: labels.count(name) for name in set(labels)
    }
    assert all(row.low is not None for row in whole)
    measured = panel.counts.measured
    assert measured is not None
    assert panel.line.text().startswith("Corrected by precision and recall on")
    assert f"{measured.images} test images." in panel.line.text()
    panel.box.setCurrentIndex(panel.box.findData("folder"))
    panel.box.activated.emit(panel.box.currentIndex())
    assert panel.table.content.rowCount() == 2 * len(set(labels))

    table = tmp_path / "counts.csv"
    monkeypatch.setattr(counts_panel, "ask_new_file", lambda *_: table)
    panel.save_button.click()
    qtbot.waitUntil(table.exists, timeout=LONG)
    with table.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(panel.counts.rows)
    bar.counts_button.click()
    assert predict.preview.grid.isVisible()


@pytest.mark.slow
def test_an_evaluation_shows_the_agreement_of_counts(
    qtbot: QtBot, context: AppContext, trained: tuple[Path, Path, str]
) -> None:
    view = EvaluationView(context)
    window = show_in_window(qtbot, view, 1100, 720)
    start_jobs(qtbot, context)
    view.show_record(trained[2])
    panel = view.panel_of(OutputsPanel)
    qtbot.waitUntil(lambda: panel.counts.found is not None, timeout=LONG)
    found = panel.counts.found
    assert found is not None
    position = next(at for at in range(panel.tabs.count()) if panel.tabs.tabText(at) == "Counts")
    assert panel.tabs.isTabVisible(position)
    panel.tabs.setCurrentIndex(position)
    assert panel.counts.isVisible()
    assert int(found.confusion.sum()) == len(found.objects)
    assert "per image" in panel.counts.line.text()
    panel.counts.differences.point_chosen.emit(0, 0)
    assert panel.drawer.isVisible()
    window.close()


def test_large_counts_share_the_rows_of_the_confusion() -> None:
    predicted, objects = np.array([[0], [40], [13]]), np.array([[0], [38], [25]])
    found = class_counts(CountedImages(["cell"], predicted, objects, None), 0)
    assert len(found.bins) <= 13
    assert found.bins[0] == "0–3"
    assert found.confusion.sum() == 3
    assert found.confusion[tuple(found.bin_of[2])] == 1
    assert found.bin_of.tolist() == [[0, 0], [9, 10], [6, 3]]


def test_a_tab_names_the_images_of_a_cell(qtbot: QtBot, context: AppContext) -> None:
    tab = CountsTab(context)
    qtbot.addWidget(tab)
    predicted, objects = np.array([[1], [2], [2]]), np.array([[1], [3], [3]])
    tab._on_counted(CountedImages([*NAMES[:1]], predicted, objects, None))
    qtbot.waitUntil(lambda: tab.found is not None)
    with qtbot.waitSignal(tab.images_requested) as caught:
        tab.confusion.chosen.emit((3, 2))
    assert caught.args == ["Objects: 3, predicted: 2, images: 2", [1, 2]]
