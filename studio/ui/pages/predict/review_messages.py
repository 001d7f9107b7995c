"""The words of the review queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from studio.ui.bridge.run_choices import RunChoice
from studio.ui.pages.predict.review_state import Loop, Step
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.engine.datasets.edits import SplitName
    from studio.engine.evaluation.mcnemar import Gain
    from studio.engine.review.corrections import Correction


_BUSY = (Step.IMPORTING, Step.TRAINING, Step.MEASURING)


def button(waiting: int) -> str:
    """The word on the button that opens the queue."""
    return _tr("Review ({count})").format(count=count(waiting)) if waiting else _tr("Review")


def title(waiting: int) -> str:
    """What stands above the queue."""
    if waiting == 0:
        return _tr("The review queue is empty")
    if waiting == 1:
        return _tr("1 corrected picture")
    return _tr("{count} corrected pictures").format(count=count(waiting))


def caption(correction: Correction) -> str:
    """The line under a picture: what it was taken for, and what it is."""
    return f"{correction.answer} → {correction.label}"


def explained(correction: Correction) -> str:
    """The same in a sentence, with the picture's name."""
    return _tr("{name}: taken for {answer} ({score}), is {label}").format(
        name=apart(correction.name),
        answer=correction.answer,
        score=percent(correction.score),
        label=apart(correction.label),
    )


def add_line(waiting: int, dataset: str, held_out: Sequence[SplitName] = ()) -> str:
    """Describe what adding the pictures does.

    Args:
        waiting: Number of pictures in the queue.
        dataset: Name of the dataset; empty if it was deleted.
        held_out: Split of each of them that is a validation or test image of the dataset.
    """
    if not waiting:
        return _tr("Correct a wrong answer, and the picture comes here.")
    if not dataset:
        return _tr("Choose a model whose dataset is still there.")
    lines = []
    if waiting > len(held_out):
        lines.append(
            _tr(
                "Makes a new version of “{dataset}” with these pictures among its training "
                "images. Validation and test images stay the same."
            ).format(dataset=apart(dataset))
        )
    for split, pattern in (
        ("test", _tr("Test images of “{dataset}” among them: {count}. They are not trained on.")),
        (
            "val",
            _tr("Validation images of “{dataset}” among them: {count}. They are not trained on."),
        ),
    ):
        number = sum(each == split for each in held_out)
        if number:
            lines.append(pattern.format(dataset=apart(dataset), count=count(number)))
    return "\n".join(lines)


def loop_line(loop: Loop, choice: RunChoice | None) -> str:
    """How far the newest dataset with corrections, and the run on it, are."""
    dataset = "" if loop.dataset is None else loop.dataset.name
    run = "" if loop.run is None else loop.run.name
    model = "" if choice is None else choice.name
    patterns = {
        Step.NOTHING: "",
        Step.IMPORTING: _tr("“{dataset}” is being made…"),
        Step.NOT_IMPORTED: _tr("“{dataset}” was not made; its pictures wait here again."),
        Step.READY: _tr(
            "“{dataset}” is ready. Retrain starts from the best weights of “{model}”."
        ),
        Step.TRAINING: _tr("“{run}” is learning from “{dataset}”…"),
        Step.NOT_TRAINED: _tr("“{run}” did not come to its end. Retrain starts another one."),
        Step.MEASURING: _tr("“{run}” is measured against the model before…"),
        Step.GAINED: "",
    }
    if loop.gain is not None:
        return gain_line(run, loop.gain)
    return patterns[loop.step].format(dataset=dataset, run=run, model=model)


def gain_line(run: str, gain: Gain) -> str:
    """What a run won over the one that it began with."""
    pattern = _tr(
        "“{run}”: {before} → {after} right on the same {images} test images, "
        "{difference} points (95 % interval {low} to {high})."
    )
    said = pattern.format(
        run=run,
        before=percent(gain.before),
        after=percent(gain.after),
        images=count(gain.count),
        difference=_points(gain.difference),
        low=_points(gain.low),
        high=_points(gain.high),
    )
    return said if gain.is_certain else said + " " + _tr("That may be chance.")


def retrain_tip(loop: Loop, choice: RunChoice | None, *, can_add: bool = False) -> str:
    """What retraining does, or why it cannot be done."""
    if choice is not None and can_add and loop.step not in _BUSY:
        return _tr("Adds the pictures to “{dataset}”, then trains “{model}” further.").format(
            dataset=apart(choice.dataset), model=apart(choice.name)
        )
    if choice is None or loop.dataset is None:
        return _tr("Add corrected pictures to the dataset first.")
    if loop.step is Step.IMPORTING:
        return _tr("The dataset is still being made.")
    if loop.step in (Step.TRAINING, Step.MEASURING):
        return _tr("A run is at it.")
    return _tr("Train “{model}” further, on “{dataset}”").format(
        model=choice.name, dataset=loop.dataset.name
    )


def _points(difference: float) -> str:
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    return sign + QLocale().toString(abs(difference) * 100, "f", 1)


def _tr(text: str) -> str:
    return QCoreApplication.translate("predict", text)
