"""From wrong answers to a better model, all of it real; and several models side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import start_jobs
from PIL import Image, ImageOps
from pytestqt.qtbot import QtBot
from trained_run import TrainedRun

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.review.corrections import ReviewQueue
from studio.engine.review.retraining import gain_of, held_out, request_adding
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.predict.page import View
from studio.ui.pages.predict.pictures import Batch
from studio.ui.pages.predict.review import QueuePanel, Step

pytestmark = pytest.mark.slow
LONG = 120_000


@pytest.fixture
def workspace(trained_run: TrainedRun, tmp_path: Path) -> Workspace:
    return trained_run.copy_to(tmp_path / "workspace")


@pytest.fixture
def view(qtbot: QtBot, context: AppContext) -> Iterator[View]:
    made = View(context)
    window = show_in_window(qtbot, made, 1000, 640)
    start_jobs(qtbot, context)
    yield made
    window.close()


def answered(qtbot: QtBot, view: View) -> Batch:
    """The batch on the page, once it is answered."""
    qtbot.waitUntil(lambda: view.batch is not None and view.batch.is_complete, timeout=LONG)
    assert view.batch is not None
    return view.batch


def inverted(picture: Path, folder: Path) -> Path:
    """The same digit with black and white exchanged, which LeNet has never seen."""
    path = folder / f"inverted-{picture.parent.name}-{picture.name}"
    with Image.open(picture) as image:
        ImageOps.invert(image.convert("L")).save(path)
    return path


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_wrong_answers_make_a_better_model(
    qtbot: QtBot, view: View, trained_run: TrainedRun, workspace: Workspace, tmp_path: Path
) -> None:
    chosen = trained_run.held_back[::15]
    view.take_drop([inverted(path, tmp_path) for path, _ in chosen])
    batch = answered(qtbot, view)
    truths = [label for _, label in chosen]
    first = [prediction.class_scores[0].label for prediction in batch.predictions]
    wrong = [row for row, label in enumerate(first) if label != truths[row]]
    assert len(wrong) >= 3
    for row in wrong:
        view.preview.picked.emit(row)
        assert first[row] not in correct(view, truths[row])
        qtbot.waitUntil(partial(batch.corrections.__contains__, row), timeout=LONG)
        assert truths[row] in view.card.correction.line.text()
        assert not any(check.isVisible() for check in view.card.prediction_bars.checks)
    edit_queue(qtbot, view, workspace, truths[wrong[0]])

    view.queue.add_button.click()
    qtbot.waitUntil(lambda: view.review.loop.step is Step.READY, timeout=LONG)
    assert not view.review.waiting
    made = view.review.loop.dataset
    assert made is not None
    folders = workspace.root / "datasets"
    old = Store.open(folders / trained_run.dataset).counts()
    assert Store.open(folders / made.record.id).counts() == old | {
        "train": old["train"] + len(wrong) - 1
    }

    view.queue.retrain_button.click()
    qtbot.waitUntil(lambda: view.review.loop.step is Step.GAINED, timeout=4 * LONG)
    run, gain = view.review.loop.run, view.review.loop.gain
    assert run is not None
    assert gain is not None
    assert isinstance(run.history, RunHistory)
    plan = RunJob(run.record).plan(TrainingPlan)
    assert (plan.weights, plan.keep_head) == (f"run:{trained_run.run}", True)
    assert run.history.epochs[0].value("val_accuracy") > 0.85, (
        "it began with what the other one knew"
    )
    assert gain.count == old["test"]
    assert gain.low <= gain.difference <= gain.high
    assert gain_of(workspace, run.record.id) == gain
    assert "95 % interval" in view.queue.loop_line.text()


def test_a_corrected_test_image_stays_in_test(
    qtbot: QtBot, view: View, trained_run: TrainedRun, workspace: Workspace, tmp_path: Path
) -> None:
    record = next(
        each for each in workspace.records(RecordKind.DATASET) if each.id == trained_run.dataset
    )
    store = Store.open(record.folder)
    root = Path(RunJob(record).plan(DatasetRecipe).source)
    known = root / store.paths[store.rows("test")[0]]
    stranger = inverted(known, tmp_path)
    review = ReviewQueue(workspace.root)
    ids = [
        review.add(path, path.name, trained_run.run, ("8", 0.9), "1") for path in (known, stranger)
    ]
    assert held_out(workspace, record.id, review.corrections()) == {ids[0]: "test"}
    view.review.refresh()
    panel = view.queue
    qtbot.waitUntil(lambda: "Test images" in panel.add_line.text(), timeout=LONG)
    review.remove([ids[1]])
    view.review.refresh()
    qtbot.waitUntil(lambda: not panel.add_button.isEnabled(), timeout=LONG)
    with pytest.raises(StudioError, match="validation or test images"):
        request_adding(view.context.jobs.queue, record.id, ids)


def correct(view: View, label: str) -> list[str]:
    """Say what a picture is, by the check behind a guess where it is one; returns all offered."""
    row, bars = view.card.correction, view.card.prediction_bars
    row.menu.fill()
    offered = {action.text(): action for action in row.menu.actions() if action.text()}
    predictions = [name for name, _ in bars.bars.scores()]
    if label in predictions:
        check = bars.checks[predictions.index(label) - 1]
        assert label in check.accessibleName()
        check.click()
    else:
        offered[label].trigger()
    return list(offered)


def edit_queue(qtbot: QtBot, view: View, workspace: Workspace, label: str) -> None:
    """On the page, seen on the disk: give one another class and its own again, remove another."""
    view.header.review_button.click()
    queue, panel = ReviewQueue(workspace.root), view.queue
    assert panel.isVisible()
    count = len(queue.corrections())
    qtbot.waitUntil(lambda: panel.model.rowCount() == count, timeout=LONG)
    for name in ("0" if label != "0" else "1", label):
        panel.grid.setCurrentIndex(panel.model.index(0))
        panel.menu.fill()
        next(action for action in panel.menu.actions() if action.text() == name).trigger()
        qtbot.waitUntil(partial(_first_is, panel, name), timeout=LONG)
    panel.grid.setCurrentIndex(panel.model.index(count - 1))
    panel.remove_button.click()
    qtbot.waitUntil(lambda: panel.model.rowCount() == count - 1, timeout=LONG)
    assert len(queue.corrections()) == count - 1


def _first_is(panel: QueuePanel, label: str) -> bool:
    return panel.model.items[0][0].label == label


def test_models_side_by_side_and_why(
    qtbot: QtBot, view: View, trained_run: TrainedRun, workspace: Workspace
) -> None:
    picture, label = trained_run.held_back[0]
    last = [trained_run.copy_run(workspace, f"copy-{number}") for number in range(4)][-1]
    qtbot.waitUntil(lambda: len(view.chooser.listed()) == 5, timeout=LONG)
    view.show_record(trained_run.run)
    view.take_drop([picture])
    compare_all_but(view, last)
    answered(qtbot, view)
    rows = view.card.model_predictions.rows
    qtbot.waitUntil(lambda: len(rows()) == 3, timeout=LONG)
    qtbot.waitUntil(lambda: all(row.bars.scores() for row in rows()), timeout=LONG)
    for row in rows():
        assert dict(row.bars.scores()) == pytest.approx(dict(view.card.bars.scores()[:3]))
    rows()[0].close_button.click()
    assert len(rows()) == 2

    why, shown = view.card.explanation, view.preview.view
    why.heat_button.click()
    qtbot.waitUntil(shown.has_heat, timeout=LONG)
    assert f"support {view.card.bars.scores()[0][0]}" in why.heat_line.text()
    why.similar.button.click()
    qtbot.waitUntil(lambda: "The nearest" in why.similar.line.text(), timeout=LONG)
    assert why.similar.classes().count(label) > len(why.similar.classes()) / 2
    view.take_drop([trained_run.held_back[-1][0]])
    qtbot.waitUntil(lambda: not shown.has_heat(), timeout=LONG)
    qtbot.waitUntil(shown.has_heat, timeout=LONG)
    why.heat_button.click()
    assert not shown.has_heat()


def compare_all_but(view: View, left_out: str) -> None:
    """Have all other models asked but one, for which there is no room."""
    button = view.header.compare_button
    for choice in button.choices():
        if choice.id != left_out:
            view.comparison.set_compared(choice, True)
    assert button.fill() == [choice.name for choice in button.choices()]
    (full,) = [each for each in button.menu().actions() if not each.isChecked()]
    assert not full.isEnabled()
    assert "4" in full.toolTip()
