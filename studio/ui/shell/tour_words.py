"""What the guided tour says, one sentence or two for each scene."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.inference.questions import Prediction
from studio.engine.jobs.states import State
from studio.engine.training.comparison import primary_metric
from studio.ui.documents.record import RunDocument
from studio.ui.shell.tour_state import Course, Phase, Scene
from studio.ui.widgets.figures import percent
from studio.ui.widgets.labels import apart

_tr = partial(QCoreApplication.translate, "tour")


def step(course: Course) -> str:
    """Which step of how many it is."""
    titles = {
        Scene.DATA: _tr("The images"),
        Scene.NETWORK: _tr("The network"),
        Scene.TRAINING: _tr("The training"),
        Scene.ANSWER: _tr("The answer"),
    }
    pattern = _tr("Step {number} of {total} · {title}")
    title = titles[course.scene]
    return pattern.format(number=int(course.scene), total=len(Scene), title=title)


def sentence(course: Course, run: RunDocument | None) -> str:
    """What happens now, and why; the last scene has words of its own, see `answers`."""
    if course.phase == Phase.BROKEN:
        return _tr("The tour cannot go on. {reason}").format(reason=course.failure)
    if course.is_away:
        return _tr("The tour waits while you look around. What was begun goes on meanwhile.")
    if course.scene == Scene.DATA:
        return _data(course)
    if course.scene == Scene.NETWORK:
        return _tr(
            "A network is what learns. LeNet is small and was made for digits. Here you would "
            "choose another, or change how it learns; the tour leaves all as it is and presses "
            "Train."
        )
    if course.scene == Scene.TRAINING:
        return _training(course, run)
    return _tr("The network now classifies five pictures that it was not trained on.")


def answers(labels: Sequence[str], predictions: Sequence[Prediction], asked: int | None) -> str:
    """Say how many predictions are right, and ask the user to correct a wrong one.

    Args:
        labels: The true classes.
        predictions: In the order of the labels.
        asked: Position of the wrong prediction to correct; None if all are right.
    """
    if any(each.error or not each.scores for each in predictions):
        return _tr("The picture could not be read. Drop another one here.")
    best = [each.scores[0] for each in predictions]
    if asked is None:
        least = min(range(len(best)), key=lambda position: best[position].score)
        return _tr(
            "All {count} pictures are classified correctly; least certain: {truth} ({share}). Now "
            "drop a picture of your own here, or use your own images."
        ).format(count=len(best), truth=apart(labels[least]), share=percent(best[least].score))
    right = sum(score.label == label for score, label in zip(best, labels, strict=True))
    return _tr(
        "{right} of {count} pictures are classified correctly. The outlined one is {truth}, but "
        "the network predicts {guess} ({share}). Click “Wrong? It is…” and choose {truth}."
    ).format(
        right=right,
        count=len(best),
        truth=apart(labels[asked]),
        guess=best[asked].label,
        share=percent(best[asked].score),
    )


def corrected(label: str) -> str:
    """Say where the correction went; an empty label stands for a step that was skipped."""
    if not label:
        return _tr(
            "You can correct a wrong prediction at any time. Now drop a picture of your own here, "
            "or use your own images."
        )
    return _tr(
        "Saved in the review queue as {label}; from there it can be added to the dataset. Now "
        "drop a picture of your own here, or use your own images."
    ).format(label=apart(label))


def _data(course: Course) -> str:
    if course.phase == Phase.WORK:
        return _tr(
            "1,797 small pictures of handwritten digits are being imported: read once, brought "
            "to one size, and kept in the workspace."
        )
    return _tr(
        "Ten classes, one for each digit. Most images are learned from; some are set aside, so "
        "that the network can be tested on what it has never seen."
    )


def _training(course: Course, run: RunDocument | None) -> str:
    if course.phase == Phase.READING:
        best = None if run is None else run.history.best_epoch
        words = "…" if best is None else percent(best.value("val_accuracy"))
        return _tr(
            "Training is done: {share} of the validation images are classified correctly. The "
            "curves show how accuracy and loss changed. Click Next to try the network."
        ).format(share=words)
    if run is not None and run.state == State.STOPPING:
        return _tr("The training is stopping. The best model so far is kept.")
    if run is None or not run.history.epochs or run.history.training is None:
        return _tr(
            "The network looks at all images again and again, and is corrected a little after "
            "each handful. One pass over all of them is an epoch. It starts in a few seconds."
        )
    last = run.history.epochs[-1]
    share = last.value(primary_metric(run.history).name)
    pattern = _tr(
        "Epoch {epoch} of {epochs}: {share} right on images that it does not learn from. When the "
        "dashed curve stops rising, more training helps no more."
    )
    return pattern.format(
        epoch=last.epoch, epochs=run.history.training.epochs, share=percent(share)
    )
