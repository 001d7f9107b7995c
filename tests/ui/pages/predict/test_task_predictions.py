"""What the page answers for labels (bars, thresholds) and numbers (values, intervals)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import start_jobs
from pytestqt.qtbot import QtBot

from helpers.digits import do_here
from helpers.target_datasets import squares, target_recipe
from studio.engine.inference.requests import ExplainReply
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.predict.folder import ResultsTable
from studio.ui.pages.predict.page import View
from studio.ui.shared.part_views import caption
from studio.ui.widgets.figures import significant

pytestmark = pytest.mark.slow
LONG = 60_000


@dataclass(frozen=True, slots=True)
class Trained:
    root: Path
    pictures: list[Path]


def _trained(task: str, folder: Path) -> Trained:
    tables = squares(folder / "squares", 120)
    workspace = Workspace.open(folder / "workspace")
    dataset = do_here(workspace, target_recipe(tables, task), "squares")
    plan = TrainingPlan(dataset=dataset.record.id).changed(
        network="lenet", epochs=8, batch_size=16, learning_rate=0.002
    )
    run = do_here(workspace, plan, "run")
    assert run.history.state == State.COMPLETED, run.history.detail
    return Trained(workspace.root, sorted((folder / "squares" / "pictures").iterdir()))


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return _trained("multi_label", tmp_path_factory.mktemp("labels"))


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return _trained("regression", tmp_path_factory.mktemp("numbers"))


@pytest.fixture
def trained(request: pytest.FixtureRequest) -> Trained:
    found: Trained = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def workspace(trained: Trained, tmp_path: Path) -> Workspace:
    shutil.copytree(trained.root, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def view(qtbot: QtBot, context: AppContext) -> Iterator[View]:
    made = View(context)
    window = show_in_window(qtbot, made, 1000, 640)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: made.chooser.choice is not None, timeout=LONG)
    yield made
    window.close()


def _drop(qtbot: QtBot, view: View, *pictures: Path) -> None:
    view.take_drop(list(pictures))

    def is_over() -> bool:
        batch = view.batch
        return batch is not None and (batch.is_complete or batch.failure is not None)

    qtbot.waitUntil(is_over, timeout=LONG)
    assert view.batch is not None
    assert view.batch.failure is None


@pytest.mark.parametrize("trained", ["labels"], indirect=True)
def test_labels_are_bars_with_their_thresholds(qtbot: QtBot, view: View, trained: Trained) -> None:
    _drop(qtbot, view, trained.pictures[0])
    lines = view.card.bars.lines()
    batch = view.batch
    assert batch is not None
    (prediction,) = batch.predictions

    assert {line.name for line in lines} == {"blue", "green", "red"}
    assert prediction.scores is not None
    labels = prediction.scores.labels
    for line in lines:
        assert line.share is not None
        assert line.mark is not None
        assert line.is_strong == (line.share >= line.mark) == (line.name in labels)
    named = ", ".join(labels) or "No label"
    assert view.card.headline.text() == (named if len(labels) < 3 else f"{len(labels)} labels")
    assert caption(prediction) == named
    assert not view.card.correction.isVisible()
    assert not any(check.isVisible() for check in view.card.prediction_bars.checks)


@pytest.mark.parametrize("trained", ["numbers"], indirect=True)
def test_numbers_are_values_with_units_and_intervals(
    qtbot: QtBot, view: View, trained: Trained
) -> None:
    _drop(qtbot, view, trained.pictures[0])
    lines = view.card.bars.lines()

    assert [line.name for line in lines] == ["ink", "colors"]
    assert all(line.share is None for line in lines)
    assert "%" in lines[0].text
    assert "–" in lines[0].text, "the prediction interval"
    assert not view.card.headline.isVisible(), "two values are no headline"
    assert not view.card.correction.isVisible()
    view.grab()


def _choose(qtbot: QtBot, view: View, name: str) -> ExplainReply:
    """Explain another output as a user does, and wait for its heat map."""
    rows = view.card.explanation
    new_path = rows.output_box.findText(name)
    rows.output_box.setCurrentIndex(new_path)
    rows.output_box.activated.emit(new_path)

    def is_drawn() -> bool:
        heat = rows.explainer.found
        return isinstance(heat, ExplainReply) and heat.label == name

    qtbot.waitUntil(is_drawn, timeout=LONG)
    heat = rows.explainer.found
    assert isinstance(heat, ExplainReply)
    return heat


@pytest.mark.parametrize(
    ("trained", "names", "words"),
    [
        ("labels", {"blue", "green", "red"}, "support"),
        ("numbers", {"ink", "colors"}, "increase"),
    ],
    indirect=["trained"],
)
def test_every_output_can_be_explained(
    qtbot: QtBot, view: View, trained: Trained, names: set[str], words: str
) -> None:
    _drop(qtbot, view, trained.pictures[0])
    rows = view.card.explanation
    assert not rows.output_box.isVisible()
    rows.heat_button.click()
    assert rows.output_box.isVisible()
    offered = [rows.output_box.itemText(index) for index in range(rows.output_box.count())]
    assert offered[0] == view.card.bars.lines()[0].name
    assert set(offered) == names

    maps = {name: _choose(qtbot, view, name) for name in offered}
    assert words in rows.heat_line.text()
    first, *others = (each.heat.values() for each in maps.values())
    assert any((first != other).any() for other in others)

    _choose(qtbot, view, offered[-1])
    _drop(qtbot, view, trained.pictures[1])
    assert rows.output_box.currentText() == offered[-1], "the choice stays for other pictures"


@pytest.mark.parametrize("trained", ["numbers"], indirect=True)
def test_the_table_has_a_column_for_each_number(
    qtbot: QtBot, view: View, trained: Trained
) -> None:
    _drop(qtbot, view, *trained.pictures[:6])
    batch = view.batch
    assert batch is not None
    table = view.preview.table
    table.show_batch(batch)
    columns = table.content.columns
    assert [column.heading for column in columns] == ["Image", "ink [%]", "colors"]

    table.content.sort_by([(columns[1].name, True)])
    numbers = [each.parts[0].numbers() for each in batch.predictions]
    ink = [numbers[row]["ink"] for row in table.content.shown]
    assert ink == sorted(ink, reverse=True)
    assert table.texts()[0][1] == significant(ink[0])


@pytest.mark.parametrize("trained", ["labels", "numbers"], indirect=True)
def test_only_classes_are_classified_and_corrected(view: View, trained: Trained) -> None:
    picture = trained.pictures[0]
    assert view.drop_offer([picture]).startswith("Run ")
    assert view.image_offer().startswith("Run ")
    assert not view.header.review_button.isVisible()


@pytest.mark.parametrize("trained", ["labels"], indirect=True)
def test_several_pictures_are_a_table_of_answers(
    qtbot: QtBot, view: View, trained: Trained
) -> None:
    _drop(qtbot, view, *trained.pictures[:6])
    batch = view.batch
    assert batch is not None
    assert len(batch.predictions) == 6
    assert all(caption(each) for each in batch.predictions)
    assert not batch.has_labels
    table = view.findChild(ResultsTable)
    assert table is not None
    table.show_batch(batch)
    captions = [caption(each) for each in batch.predictions]
    assert [texts[1:] for texts in table.texts()] == [[each] for each in captions]
    view.grab()
