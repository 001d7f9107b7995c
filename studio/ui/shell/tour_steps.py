"""Steps of the guided tour and their texts, without widgets."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from studio.engine.inference.requests import ImagePrediction
from studio.engine.jobs.states import State
from studio.engine.training.comparison import primary_metric
from studio.ui.documents.record import RunDocument
from studio.ui.widgets.figures import percent
from studio.ui.widgets.labels import apart


class Scene(enum.IntEnum):
    """The four steps of the tour, in order."""

    DATA = 1
    NETWORK = 2
    TRAINING = 3
    ANSWER = 4


class Phase(enum.Enum):
    """The phase of a step."""

    WORK = enum.auto()
    READING = enum.auto()
    OVER = enum.auto()
    BROKEN = enum.auto()


PAGE_OF = {
    Scene.DATA: "datasets",
    Scene.NETWORK: "train",
    Scene.TRAINING: "train",
    Scene.ANSWER: "predict",
}
# Nothing is computed in these: the tour leaves them after some seconds.
_READING_ONLY = (Scene.NETWORK,)


@dataclass(slots=True)
class TourProgress:
    """The position in the tour.

    Attributes:
        scene: The current step.
        phase: Its phase.
        is_away: True if the user opened another page: the tour waits.
        failure: Reason why the tour stopped, with advice; empty for none.
    """

    scene: Scene = Scene.DATA
    phase: Phase = Phase.WORK
    is_away: bool = False
    failure: str = ""

    @property
    def page(self) -> str:
        """The page of the current step."""
        return PAGE_OF[self.scene]

    @property
    def has_ended(self) -> bool:
        """True if the tour has ended or failed."""
        return self.phase in (Phase.OVER, Phase.BROKEN)

    @property
    def may_advance(self) -> bool:
        """True if the next step may begin."""
        return self.phase == Phase.READING and not self.is_away

    @property
    def advances_by_itself(self) -> bool:
        """True if the next step follows after some seconds.

        The finished curve stays, and so does a wrong prediction for the user to correct.
        """
        return self.may_advance and self.scene in (Scene.DATA, Scene.NETWORK)

    def work_done(self) -> None:
        """Mark the work of the step as done."""
        self.phase = Phase.READING

    def advance(self) -> None:
        """Begin the next step; after the last one the tour ends."""
        if self.scene == Scene.ANSWER:
            self.phase, self.is_away = Phase.OVER, False
            return
        self.scene = Scene(self.scene + 1)
        self.phase = Phase.READING if self.scene in _READING_ONLY else Phase.WORK

    def fail(self, failure: str) -> None:
        """Stop the tour with a reason."""
        self.phase, self.failure, self.is_away = Phase.BROKEN, failure, False

    def page_shown(self, page: str) -> None:
        """Record the page that is shown."""
        self.is_away = page != self.page and not self.has_ended


@dataclass(frozen=True, slots=True)
class TourState:
    """The state of the tour, for another window to resume it."""

    progress: TourProgress
    dataset: str
    run: str


def state_of(progress: TourProgress, dataset: str, run: str) -> TourState:
    """Return the state to resume from; predictions of a closed window are computed again.

    Args:
        progress: Progress of the tour.
        dataset: Id of its dataset.
        run: Id of its run.
    """
    taken = replace(progress)
    if taken.scene == Scene.ANSWER and taken.phase in (Phase.READING, Phase.OVER):
        taken.phase = Phase.WORK
    return TourState(taken, dataset, run)


def as_text(state: TourState, root: Path) -> str:
    """Return a state as text for the settings.

    Args:
        state: The state.
        root: Folder of the workspace that the tour works in.
    """
    progress = state.progress
    fields = {
        "workspace": str(root),
        "scene": progress.scene.name,
        "phase": progress.phase.name,
        "dataset": state.dataset,
        "run": state.run,
    }
    return json.dumps(fields)


def from_text(text: str, root: Path) -> TourState | None:
    """Return a stored state; None if it is of another workspace, or damaged.

    Args:
        text: What `as_text` returned, or anything else.
        root: Folder of the workspace.
    """
    try:
        fields = json.loads(text)
        if fields["workspace"] != str(root):
            return None
        progress = TourProgress(Scene[fields["scene"]], Phase[fields["phase"]])
        return TourState(progress, str(fields["dataset"]), str(fields["run"]))
    except (ValueError, KeyError, TypeError):
        return None


def is_done(scene: Scene, state: State, *, has_model: bool) -> bool:
    """Return True if the job of a step is done; a stopped run may have a model.

    Args:
        scene: The step.
        state: State of its job.
        has_model: True if the job has a model.
    """
    if scene == Scene.DATA:
        return state == State.COMPLETED
    return has_model and state in (State.COMPLETED, State.STOPPED)


_tr = partial(QCoreApplication.translate, "tour")


def step(progress: TourProgress) -> str:
    """Return the number and title of the current step."""
    titles = {
        Scene.DATA: _tr("The images"),
        Scene.NETWORK: _tr("The network"),
        Scene.TRAINING: _tr("The training"),
        Scene.ANSWER: _tr("The prediction"),
    }
    pattern = _tr("Step {number} of {total} · {title}")
    title = titles[progress.scene]
    return pattern.format(number=int(progress.scene), total=len(Scene), title=title)


def sentence(progress: TourProgress, run: RunDocument | None) -> str:
    """Return the text of the current step; see `answers` for the last one."""
    if progress.phase == Phase.BROKEN:
        return _tr("The tour stopped. {reason}").format(reason=progress.failure)
    if progress.is_away:
        return _tr("The tour is paused while you are on another page. Running jobs continue.")
    if progress.scene == Scene.DATA:
        return _data(progress)
    if progress.scene == Scene.NETWORK:
        return _tr(
            "LeNet is a small network designed for digits. Here you can choose another network or "
            "change the training settings. The tour keeps the defaults and starts the training."
        )
    if progress.scene == Scene.TRAINING:
        return _training(progress, run)
    return _tr("The network now classifies five images that it was not trained on.")


def answers(
    labels: Sequence[str], predictions: Sequence[ImagePrediction], asked: int | None
) -> str:
    """Return the number of right predictions, and a request to correct a wrong one.

    Args:
        labels: The true classes.
        predictions: In the order of the labels.
        asked: Position of the wrong prediction to correct; None if all are right.
    """
    if any(each.error or not each.class_scores for each in predictions):
        return _tr("The image could not be read. Drop another one here.")
    best = [each.class_scores[0] for each in predictions]
    if asked is None:
        least = min(range(len(best)), key=lambda position: best[position].score)
        return _tr(
            "All {count} images are classified correctly; least certain: {truth} ({share}). Now "
            "drop an image of your own here, or use your own images."
        ).format(count=len(best), truth=apart(labels[least]), share=percent(best[least].score))
    right = sum(score.label == label for score, label in zip(best, labels, strict=True))
    return _tr(
        "{right} of {count} images are classified correctly. The outlined one is {truth}, but "
        "the network predicts {prediction} ({share}). Click “Wrong? It is…” and choose {truth}."
    ).format(
        right=right,
        count=len(best),
        truth=apart(labels[asked]),
        prediction=best[asked].label,
        share=percent(best[asked].score),
    )


def corrected(label: str) -> str:
    """Return the text after a correction; an empty label if it was skipped."""
    if not label:
        return _tr(
            "You can correct a wrong prediction at any time. Now drop an image of your own here, "
            "or use your own images."
        )
    return _tr(
        "Saved in the review queue as {label}; from there it can be added to the dataset. Now "
        "drop an image of your own here, or use your own images."
    ).format(label=apart(label))


def _data(progress: TourProgress) -> str:
    if progress.phase == Phase.WORK:
        return _tr(
            "Importing 1,797 small images of handwritten digits: each is read once, resized and "
            "stored in the workspace."
        )
    return _tr(
        "Ten classes, one for each digit. Most images are for training. Some are held out to test "
        "the network on images that it has never seen."
    )


def _training(progress: TourProgress, run: RunDocument | None) -> str:
    if progress.phase == Phase.READING:
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
            "The network sees all images several times, and its weights are updated after each "
            "batch. One pass over all images is an epoch. Training starts in a few seconds."
        )
    last = run.history.epochs[-1]
    share = last.value(primary_metric(run.history).name)
    pattern = _tr(
        "Epoch {epoch} of {epochs}: {share} of the validation images are classified correctly. "
        "When the dashed curve stops rising, more training does not help."
    )
    return pattern.format(
        epoch=last.epoch, epochs=run.history.training.epochs, share=percent(share)
    )
