"""What the prediction page shows and why, decided without Qt."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.datasets.sources.list_file import SUFFIXES as LIST_SUFFIXES
from studio.engine.errors import StudioError
from studio.engine.inference.questions import Prediction
from studio.engine.inference.sources import Picture
from studio.engine.inference.table import Tally
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.tasks import view_of
from studio.ui.tasks.answer_view import AnswerView

TOP = 5


class Stage(enum.Enum):
    """What fills the page."""

    NOTHING_KNOWN = enum.auto()
    NO_MODEL = enum.auto()
    INVITE = enum.auto()
    PICTURE = enum.auto()
    GRID = enum.auto()


class AnswerKind(enum.Enum):
    """What the answer's card shows."""

    NOTHING = enum.auto()
    WAITING = enum.auto()
    SCORES = enum.auto()
    UNREADABLE = enum.auto()
    FAILED = enum.auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer; `hint` says what to do about it."""

    message: str
    hint: str = ""


@dataclass(slots=True, eq=False)
class Batch:
    """What was dropped in one go, and what the model said about it.

    Attributes:
        dropped: Files and folders as they came.
        title: What it is called where that is not the name of its file.
        known: Pictures whose classes are known already; `dropped` is not searched then.
        address: Where on the web the picture is; `dropped` is empty until it is here.
        is_read: Whether it is a video whose frames are being read.
        times: Seconds at which the pictures stand in a video; none of other pictures.
        pictures: The pictures in them; empty until they were searched.
        model: Who was asked last.
        predictions: The answers so far, in the order of the pictures.
        tally: How many of them are right.
        failure: Why the rest was not answered.
        is_stopped: Whether a person stopped it before all were answered.
        was_restarted: Whether the engine died over it and another one answered.
        opened: Which of several pictures is shown alone; None shows all of them.
        selected: Which of several pictures has its answer shown.
        corrections: The pictures that were put into the review queue by their places: the id of
            the correction, and the class.
    """

    dropped: tuple[Path, ...]
    title: str = ""
    known: tuple[Picture, ...] = ()
    address: str = ""
    is_read: bool = False
    times: tuple[float, ...] = ()
    pictures: tuple[Picture, ...] = ()
    model: RunChoice | None = None
    predictions: list[Prediction] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    failure: Failure | None = None
    is_stopped: bool = False
    was_restarted: bool = False
    opened: int | None = None
    selected: int = 0
    corrections: dict[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        """What the model was trained for."""
        return task_of(self.model)

    @property
    def view(self) -> AnswerView:
        """How its answers are shown."""
        return view_of(self.task).answer

    @property
    def is_answered(self) -> bool:
        """Whether every picture has its answer."""
        return bool(self.pictures) and len(self.predictions) == len(self.pictures)

    @property
    def shown(self) -> int:
        """The picture whose answer is shown."""
        return self.selected if self.opened is None else self.opened

    @property
    def picture(self) -> Path | None:
        """That picture, or None while the pictures are searched for."""
        return self.pictures[self.shown].path if self.shown < len(self.pictures) else None

    @property
    def prediction(self) -> Prediction | None:
        """The answer for that picture, or None until there is one."""
        return self.predictions[self.shown] if self.shown < len(self.predictions) else None

    @property
    def first(self) -> Path:
        """What stands for the whole in the history."""
        if self.pictures:
            return self.pictures[0].path
        return self.dropped[0] if self.dropped else Path(self.title)

    @property
    def has_labels(self) -> bool:
        """True if the class of any picture is known, and is what the model answers."""
        return self.view.has_classes and any(picture.label for picture in self.pictures)

    @property
    def is_working(self) -> bool:
        """Whether answers are still to come."""
        return not (self.is_answered or self.is_stopped or self.failure is not None)

    def forget(self) -> None:
        """Begin anew, as if nobody had been asked."""
        self.predictions, self.tally, self.failure = [], Tally(), None
        self.is_stopped = self.was_restarted = False

    def add(self, predictions: Sequence[Prediction]) -> None:
        """The answers for the next pictures."""
        labels = (picture.label for picture in self.pictures[len(self.predictions) :])
        self.tally = self.tally.plus(zip(predictions, labels, strict=False))
        self.predictions += predictions


def task_of(model: RunChoice | None) -> Task:
    """Return what a model was trained for."""
    recipe = None if model is None else model.recipe
    return DEFAULT_TASK if recipe is None else TASKS[recipe.task]


@dataclass(frozen=True, slots=True)
class PredictState:
    """What the page holds in memory.

    Attributes:
        batches: The history, oldest first.
        shown: The batch on the page.
        run: Id of the model; empty for none.
    """

    batches: tuple[Batch, ...]
    shown: Batch | None
    run: str


def stage_of(*, is_loaded: bool, has_model: bool, batch: Batch | None) -> Stage:
    """What fills the page."""
    if not is_loaded:
        return Stage.NOTHING_KNOWN
    if not has_model:
        return Stage.NO_MODEL
    if batch is None:
        return Stage.INVITE
    if len(batch.pictures) > 1 and batch.opened is None and not batch.times:
        return Stage.GRID
    return Stage.PICTURE


def answer_kind(batch: Batch | None) -> AnswerKind:
    """What the answer's card shows for a batch."""
    if batch is None:
        return AnswerKind.NOTHING
    prediction = batch.prediction
    if prediction is not None:
        return AnswerKind.UNREADABLE if prediction.error else AnswerKind.SCORES
    return AnswerKind.FAILED if batch.failure is not None else AnswerKind.WAITING


def needs_asking(batch: Batch, model: RunChoice) -> bool:
    """Whether a batch has to be asked (again) to show the answers of that model."""
    asked_another = batch.model is None or batch.model.id != model.id
    return asked_another or not (batch.is_answered or batch.is_stopped)


def failure_of(error: BaseException) -> Failure:
    """An error as it is shown on the page."""
    if isinstance(error, StudioError):
        return Failure(error.message, error.hint)
    return Failure(str(error) or type(error).__name__)


def pictures_among(paths: Sequence[Path]) -> tuple[int, list[Path]]:
    """How many of the paths look like pictures, and which are folders; looks at names only.

    A list of pictures counts as one. A name without an ending may be a picture as well: browsers
    and cameras make such files.
    """
    folders = [path for path in paths if path.is_dir()]
    files = [path for path in paths if path not in folders]
    endings = IMAGE_SUFFIXES | LIST_SUFFIXES | {""}
    likely = sum(path.suffix.casefold() in endings for path in files)
    return likely, folders
