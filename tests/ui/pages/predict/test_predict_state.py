"""What the prediction page decides, without Qt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.engine.training.artifacts import write_calibration
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict import predictions
from studio.ui.pages.predict.messages import accuracy_line, count_pictures
from studio.ui.pages.predict.pictures import (
    Batch,
    CardState,
    Content,
    Failure,
    card_state,
    content_of,
    failure_of,
)


def model(run_id: str, *, dataset: str | None = "/w/datasets/d") -> RunChoice:
    return RunChoice(
        id=run_id,
        name=run_id,
        folder=Path("/w/runs") / run_id,
        best=0.9,
        is_training=False,
        dataset="d" if dataset else "",
        dataset_folder=Path(dataset) if dataset else None,
    )


def answer(path: Path, error: str = "") -> ImagePrediction:
    scores = (
        () if error else (ClassScore(label="a", score=0.75), ClassScore(label="b", score=0.25))
    )
    return ImagePrediction(image=str(path), scores=Scores(classes=scores), error=error)


def answered(count: int) -> Batch:
    paths = tuple(Path(f"{number}.png") for number in range(count))
    batch = Batch(paths, pictures=tuple(map(Picture, paths)), model=model("one"))
    batch.predictions = [answer(path) for path in paths]
    return batch


def test_stages() -> None:
    several = answered(3)
    assert content_of(is_loaded=False, has_model=False, batch=None) is Content.LOADING
    assert content_of(is_loaded=True, has_model=False, batch=several) is Content.NO_MODEL
    assert content_of(is_loaded=True, has_model=True, batch=None) is Content.INVITE
    assert content_of(is_loaded=True, has_model=True, batch=answered(1)) is Content.PICTURE
    assert content_of(is_loaded=True, has_model=True, batch=several) is Content.GRID
    several.opened = 2
    assert content_of(is_loaded=True, has_model=True, batch=several) is Content.PICTURE
    assert several.picture == Path("2.png")


def test_answer_kinds() -> None:
    batch = Batch((Path("x.png"),))
    assert card_state(None) is CardState.NOTHING
    assert card_state(batch) is CardState.WAITING
    batch.failure = Failure("broken")
    assert card_state(batch) is CardState.FAILED
    batch.pictures = (Picture(Path("x.png")),)
    batch.predictions = [answer(Path("x.png"), "damaged")]
    assert card_state(batch) is CardState.UNREADABLE
    assert card_state(answered(1)) is CardState.SCORES


def test_classes_that_the_model_does_not_know_are_not_compared() -> None:
    known = tuple(Picture(Path(f"{name}.png"), name) for name in ("a", "daisy"))
    batch = Batch((), known=known, pictures=known, model=model("one"))
    batch.source = ModelSource(file="m", name="m", classes=("a", "b"))
    batch.add([answer(each.path) for each in known])
    assert (batch.tally.right, batch.tally.known) == (1, 1)
    assert "of 1 images with a known class" in accuracy_line(batch)
    batch.reset()
    batch.source = ModelSource(file="m", name="m", classes=("c", "d"))
    batch.add([answer(each.path) for each in known])
    assert not batch.has_labels
    assert accuracy_line(batch) == ""


def test_examples_of_a_dataset_are_foreign_to_models_of_another() -> None:
    own, example = answered(1), answered(1)
    example.pictures = (Picture(Path("0.png"), "a"),)
    other = model("two", dataset="/w/datasets/e")
    assert not own.is_foreign(other)
    assert not example.is_foreign(model("two"))
    assert example.is_foreign(other)


def test_an_answer_is_kept_for_its_model_alone() -> None:
    batch = answered(2)
    assert not batch.needs_model(model("one"))
    assert batch.needs_model(model("two"))
    batch.predictions.pop()
    assert batch.needs_model(model("one"))


def test_answers_are_counted_as_they_come() -> None:
    paths = [Path(f"{number}.png") for number in range(4)]
    batch = Batch((Path("x"),), pictures=tuple(map(Picture, paths, ["a", "b", "", "a"])))
    assert batch.has_labels
    batch.add([answer(paths[0]), answer(paths[1])])
    assert (batch.tally.right, batch.tally.known) == (1, 2)
    batch.add([answer(paths[2]), answer(paths[3], "damaged")])
    assert (batch.tally.known, batch.tally.unreadable) == (2, 1)
    assert batch.is_complete
    batch.reset()
    assert (batch.predictions, batch.tally.known) == ([], 0)


def test_what_was_stopped_stays_so() -> None:
    batch = answered(3)
    batch.predictions.pop()
    batch.is_stopped = True
    assert not batch.needs_model(model("one"))
    assert batch.needs_model(model("two"))


def test_failures_keep_their_hint() -> None:
    assert failure_of(StudioError("It broke.", "Repair it.")) == Failure("It broke.", "Repair it.")
    assert failure_of(RuntimeError("bug")) == Failure("bug")


def test_names_identify_pictures(tmp_path: Path) -> None:
    names = ["a.PNG", "b.jpeg", "from a browser", "letter.pdf", "list.csv"]
    assert count_pictures([tmp_path, *(tmp_path / name for name in names)]) == (4, [tmp_path])


def test_a_changed_threshold_is_read_again(
    context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter([ModelSource(file="m", name="before"), ModelSource(file="m", name="after")])
    monkeypatch.setattr(predictions, "model_of_run", lambda *_: next(found))
    classifier, run = predictions.Classifier(context), replace(model("one"), folder=tmp_path)
    assert [classifier.source(run).name for _ in range(2)] == ["before", "before"]
    write_calibration(tmp_path, Calibration(thresholds=(0.7,)))
    assert classifier.source(run).name == "after"
