"""Input of pictures for predictions: dropped, pasted, chosen, downloaded or frames of a video.

`PictureInput` turns all of them into a `Batch`, which then holds its predictions, too.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QUrl, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.datasets.sources.list_file import SUFFIXES as LIST_SUFFIXES
from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import VIDEO_SUFFIXES, Picture
from studio.engine.inference.table import CorrectTally
from studio.engine.inference.unlike.changes import changed
from studio.engine.inference.unlike.differences import Change
from studio.engine.tasks import TASKS
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.task import Task
from studio.engine.web.address import short_name
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.context import AppContext, Navigator
from studio.ui.shared.file_dialogs import ask_files
from studio.ui.shared.media import (
    ANIMATION_SUFFIXES,
    PastedPictures,
    ScreenPicker,
    frames_of,
    video_of,
)
from studio.ui.shared.part_views import overlay_of
from studio.ui.widgets.drop_area import local_paths
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.overlay import Overlay

if TYPE_CHECKING:
    from studio.engine.inference.frames import Frame

TOP: Final = 5
"""Classes of a prediction."""
_MOST_LABELS: Final = 100
"""Labels of a prediction, since any of them may be above its threshold."""
FOLDER_KEY: Final = "predict"
_LONGEST_ADDRESS: Final = 2048
"""Characters of a text that may be an address."""


class Content(enum.Enum):
    """Content of the page."""

    LOADING = enum.auto()
    NO_MODEL = enum.auto()
    INVITE = enum.auto()
    PICTURE = enum.auto()
    GRID = enum.auto()


class CardState(enum.Enum):
    """Content of the card with the prediction."""

    NOTHING = enum.auto()
    WAITING = enum.auto()
    SCORES = enum.auto()
    UNREADABLE = enum.auto()
    FAILED = enum.auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why there is no prediction; `hint` says what to do about it."""

    message: str
    hint: str = ""


def failure_of(error: BaseException, navigator: Navigator | None = None) -> Failure:
    """Return an error as the page shows it; an internal error is also shown as a report."""
    if isinstance(error, StudioError):
        return Failure(error.message, error.hint)
    if navigator is not None:
        navigator.show_failure(error)
    return Failure(str(error) or type(error).__name__)


@dataclass(slots=True, eq=False)
class Batch:
    """Pictures that came in together, and their predictions.

    Attributes:
        dropped: Files and folders as they came.
        title: Name of the batch where that is not the name of its file.
        known: Pictures with known classes; `dropped` is not searched then.
        address: Web address of the picture; `dropped` is empty until it is downloaded.
        is_read: True while the frames of a video are read.
        times: Position of each picture in its video, in seconds; empty for other pictures.
        pictures: The pictures found in `dropped`; empty until it was searched.
        model: Model that was asked last.
        source: The same as requests name it; None until it is read.
        predictions: Predictions so far, in the order of the pictures.
        tally: Numbers of right, wrong and unreadable pictures.
        failure: Reason why the rest has no prediction.
        is_stopped: True if the user stopped before all pictures had a prediction.
        was_restarted: True if the engine died and another one was asked.
        opened: The one of several pictures that is shown alone; None shows all of them.
        selected: The one of several pictures whose prediction is shown.
        corrections: Pictures in the review queue by their positions: id of the correction, and
            class.
        min_score: Lowest score of objects that the user chose; None for their thresholds.
        maps: Folder for the maps of its large pictures; None before it was predicted.
        fraction: Finished fraction of the next picture if it is a large one, 0 to 1.
    """

    dropped: tuple[Path, ...]
    title: str = ""
    known: tuple[Picture, ...] = ()
    address: str = ""
    is_read: bool = False
    times: tuple[float, ...] = ()
    pictures: tuple[Picture, ...] = ()
    model: RunChoice | None = None
    source: ModelSource | None = None
    predictions: list[ImagePrediction] = field(default_factory=list)
    tally: CorrectTally = field(default_factory=CorrectTally)
    failure: Failure | None = None
    is_stopped: bool = False
    was_restarted: bool = False
    opened: int | None = None
    selected: int = 0
    corrections: dict[int, tuple[str, str]] = field(default_factory=dict)
    min_score: float | None = None
    maps: Path | None = None
    fraction: float = 0.0
    _given: dict[int, ImagePrediction] = field(default_factory=dict, repr=False)

    @property
    def task(self) -> Task:
        """Task of the model."""
        return task_of(self.model)

    @property
    def finished(self) -> float | None:
        """Finished fraction of the pictures, 0 to 1; None where it is not known."""
        done = len(self.predictions) + self.fraction
        return done / len(self.pictures) if done and self.pictures else None

    @property
    def can_correct(self) -> bool:
        """True if a prediction is one class, which can be right, or be corrected."""
        return self.task.capabilities.retraining

    @property
    def parts(self) -> tuple[type[PredictionPart], ...]:
        """Types of the parts of its predictions; none until there is one."""
        first = next((each for each in self.predictions if not each.error), None)
        return () if first is None else tuple(type(part) for part in first.parts)

    def given(self, prediction: ImagePrediction) -> ImagePrediction:
        """Return one of the predictions with the objects that have at least the chosen score."""
        if self.min_score is None:
            return prediction
        key = id(prediction)
        if key not in self._given:
            self._given[key] = prediction.at_score(self.min_score)
        return self._given[key]

    def set_score(self, min_score: float | None) -> None:
        """Choose the lowest score of objects; None for the threshold of each class."""
        if min_score != self.min_score:
            self.min_score = min_score
            self._given.clear()

    def overlay(self, prediction: ImagePrediction) -> Overlay | None:
        """Return the regions of a prediction for one of its pictures; from any thread."""
        if self.source is None or prediction.error:
            return None
        return overlay_of(prediction, self.source.classes, self.source.colors)

    @property
    def class_colors(self) -> dict[str, str]:
        """Colors of the classes of masks and boxes as "#rrggbb"; empty without them."""
        source = self.source
        return {} if source is None else dict(zip(source.classes, source.colors, strict=False))

    @property
    def is_complete(self) -> bool:
        """True if every picture has a prediction."""
        return bool(self.pictures) and len(self.predictions) == len(self.pictures)

    @property
    def shown(self) -> int:
        """Position of the picture whose prediction is shown."""
        return self.selected if self.opened is None else self.opened

    @property
    def picture(self) -> Path | None:
        """File of that picture; None while the pictures are searched for."""
        return self.pictures[self.shown].path if self.shown < len(self.pictures) else None

    @property
    def prediction(self) -> ImagePrediction | None:
        """Prediction for that picture; None until there is one."""
        return self.predictions[self.shown] if self.shown < len(self.predictions) else None

    @property
    def first(self) -> Path:
        """File that represents the batch in the history."""
        if self.pictures:
            return self.pictures[0].path
        return self.dropped[0] if self.dropped else Path(self.title)

    @property
    def has_labels(self) -> bool:
        """True if the class of any picture is known, and the model predicts classes."""
        return any(map(self.label, range(len(self.pictures))))

    def label(self, position: int) -> str:
        """Return the known class of a picture; empty if the model does not know that class."""
        label, source = self.pictures[position].label, self.source
        is_comparable = source is None or not source.classes or label in source.classes
        return label if self.can_correct and is_comparable else ""

    @property
    def is_working(self) -> bool:
        """True while predictions are still to come."""
        return not (self.is_complete or self.is_stopped or self.failure is not None)

    def needs_model(self, model: RunChoice) -> bool:
        """Return True if the model has to be asked (again) for its predictions."""
        asked_another = self.model is None or self.model.id != model.id
        return asked_another or not (self.is_complete or self.is_stopped)

    def is_foreign(self, model: RunChoice) -> bool:
        """Return True if its pictures are examples of another dataset than that of a model."""
        is_other = self.model is not None and self.model.dataset_folder != model.dataset_folder
        return is_other and any(picture.label for picture in self.pictures or self.known)

    def reset(self) -> None:
        """Drop all predictions."""
        self.predictions, self.tally, self.failure = [], CorrectTally(), None
        self.source, self.maps, self.fraction = None, None, 0.0
        self._given.clear()
        self.is_stopped = self.was_restarted = False

    def add(self, predictions: Sequence[ImagePrediction]) -> None:
        """Append the predictions for the next pictures."""
        labels = map(self.label, range(len(self.predictions), len(self.pictures)))
        self.tally = self.tally.plus(zip(predictions, labels, strict=False))
        self.predictions += predictions
        self.fraction = 0.0


@dataclass(frozen=True, slots=True)
class PredictState:
    """State of the page that outlives its window.

    Attributes:
        batches: The history, oldest first.
        shown: The batch on the page.
        run: Id of the model; empty for none.
    """

    batches: tuple[Batch, ...]
    shown: Batch | None
    run: str


def content_of(*, is_loaded: bool, has_model: bool, batch: Batch | None) -> Content:
    """Return the content of the page.

    Args:
        is_loaded: True once the runs are known.
        has_model: True if a model is chosen.
        batch: The batch on the page.
    """
    if not is_loaded:
        return Content.LOADING
    if not has_model:
        return Content.NO_MODEL
    if batch is None:
        return Content.INVITE
    is_grid = len(batch.pictures) > 1 and batch.opened is None and not batch.times
    return Content.GRID if is_grid else Content.PICTURE


def card_state(batch: Batch | None) -> CardState:
    """Return the content of the card with the prediction."""
    if batch is None:
        return CardState.NOTHING
    if batch.prediction is not None:
        return CardState.UNREADABLE if batch.prediction.error else CardState.SCORES
    return CardState.FAILED if batch.failure is not None else CardState.WAITING


def scores_requested(source: ModelSource) -> int:
    """Return the number of scores to show for a model."""
    return TASKS[source.task].predictor.scores_to_return(TOP, _MOST_LABELS)


@dataclass(frozen=True, slots=True)
class TransferData:
    """Files and folders, a picture without a file, or the address of one; only one of them."""

    paths: tuple[Path, ...] = ()
    image: QImage | None = None
    address: str = ""


def has_pictures(data: QMimeData | None) -> bool:
    """Return True if `read_transfer` would find something; quick, for while the mouse moves.

    An empty clipboard gives None, whatever PySide's types say.
    """
    return data is not None and (
        bool(local_paths(data)) or data.hasImage() or bool(_address_in(data))
    )


def read_transfer(data: QMimeData | None) -> TransferData | None:
    """Return local files, else image data (as browsers give), else an address, else None."""
    if data is None:
        return None
    paths = local_paths(data)
    if paths:
        return TransferData(paths=tuple(paths))
    content = data.imageData() if data.hasImage() else None
    image = content.toImage() if isinstance(content, QPixmap) else content
    if isinstance(image, QImage) and not image.isNull():
        return TransferData(image=image)
    address = _address_in(data)
    return TransferData(address=address) if address else None


def web_address(text: str) -> str:
    """Return a text as a web address; empty if it is not one."""
    text = text.strip()
    is_web = text.casefold().startswith(("http://", "https://"))
    if len(text) > _LONGEST_ADDRESS or not is_web:
        return ""
    url = QUrl(text, QUrl.ParsingMode.TolerantMode)
    is_whole = url.isValid() and bool(url.host()) and not any(map(str.isspace, text))
    return bytes(url.toEncoded().data()).decode() if is_whole else ""


def _address_in(data: QMimeData) -> str:
    for url in data.urls() if data.hasUrls() else []:
        address = web_address(bytes(url.toEncoded().data()).decode())
        if address:
            return address
    return web_address(data.text()) if data.hasText() else ""


class PictureInput(QObject):
    """Makes batches of pictures; fetches what is not on the disk yet in other threads.

    Signals:
        arrived: A new `Batch`; without files while they are fetched.
        ready: A batch that arrived before has its files, or its reason why not.
    """

    arrived = Signal(object)
    ready = Signal(object)

    def __init__(self, context: AppContext, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner
        self.pasted = PastedPictures()
        title, help_text = self.tr("From the web"), self.tr("Address of an image")
        text = self.tr("Open")
        self.address = AskValue(context.theme, title, help_text, text, owner, _no_address)
        self.address.given.connect(self._on_address)
        # Not `destroyed`: it is emitted while the garbage collector takes this apart.
        weakref.finalize(self, self.pasted.close)

    def take_data(self, data: QMimeData | None) -> bool:
        """Take the content of a drag or of the clipboard; return False if it has no picture."""
        found = read_transfer(data)
        if found is None:
            return False
        if found.paths:
            self.take_paths(found.paths)
        elif found.image is not None:
            self.take_image(found.image, self.tr("Pasted image"))
        else:
            self.take_address(found.address)
        return True

    def paste(self, data: QMimeData | None) -> None:
        """Take the content of the clipboard; warn if it looked like a picture and is not."""
        if not self.take_data(data) and has_pictures(data):
            text = self.tr("The image in the clipboard cannot be read.")
            hint = self.tr("Copy it again, or save it as a file and drop the file.")
            self.warn(StudioError(text, hint))

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Take files and folders; a single file may be a video or an animation."""
        suffix = paths[0].suffix.casefold() if len(paths) == 1 else None
        if suffix in VIDEO_SUFFIXES:
            self._read_video(paths[0])
        elif suffix in ANIMATION_SUFFIXES:
            self._read_animation(paths[0])
        elif paths:
            self.arrived.emit(Batch(tuple(paths)))

    def take_image(self, image: QImage, title: str) -> None:
        """Take a picture without a file."""
        save = partial(self.pasted.save, image)
        self._context.background.run(self, save, partial(self._on_saved, title))

    def take_address(self, address: str) -> None:
        """Take the web address of a picture."""
        batch = Batch((), title=short_name(address), address=address)
        self.arrived.emit(batch)
        self.fetch(batch)

    def fetch(self, batch: Batch) -> None:
        """Download the picture of a batch, perhaps once more."""
        batch.failure = None
        fetch = partial(self.pasted.fetch, batch.address)
        done, failed = partial(self._on_fetched, batch), partial(self._on_failed, batch)
        self._context.background.run(self, fetch, done, failed)

    def open_files(self) -> None:
        """Ask for files."""
        kinds = [
            " ".join(f"*{suffix}" for suffix in sorted(suffixes))
            for suffixes in (IMAGE_SUFFIXES, VIDEO_SUFFIXES | {".gif"}, LIST_SUFFIXES)
        ]
        pattern = self.tr(
            "Images ({pictures});;Videos ({videos});;Lists ({lists});;All files (*)"
        ).format(pictures=kinds[0], videos=kinds[1], lists=kinds[2])
        title, settings = self.tr("Choose images"), self._context.settings
        self.take_paths(ask_files(self._owner, title, settings, FOLDER_KEY, pattern))

    def open_address(self) -> None:
        """Ask for a web address."""
        self.address.ask(self._owner, "https://")

    def _on_address(self, text: str) -> None:
        self.take_address(web_address(text.strip()))

    def open_screen(self) -> None:
        """Let the user draw a region of the screen."""
        picker = ScreenPicker(self._owner.window())
        picker.picked.connect(self.take_region)
        picker.start()

    def take_region(self, image: QImage) -> None:
        """Take a region of the screen."""
        self.take_image(image, self.tr("Part of the screen"))

    def take_changed(self, batch: Batch, change: Change) -> None:
        """Take the images of a batch again, with changed copies of those for which it helps.

        Args:
            batch: Images with predictions.
            change: What to do with them.
        """
        if batch.source is None:
            return
        work = partial(self._change, batch, batch.source, change)
        self._context.background.run(self, work, partial(self._on_copies, batch), self._on_failure)

    def _change(self, batch: Batch, model: ModelSource, change: Change) -> tuple[Picture, ...]:
        """In another thread: write the copies."""
        return tuple(
            changed(picture, change, model, self.pasted.new_path(".png"))
            if prediction.familiarity is not None and change in prediction.familiarity.remedies
            else picture
            for picture, prediction in zip(batch.pictures, batch.predictions, strict=False)
        )

    def _on_copies(self, batch: Batch, pictures: tuple[Picture, ...]) -> None:
        paths = tuple(each.path for each in pictures)
        title = batch.title or Path(pictures[0].name).name
        self.arrived.emit(Batch(paths, title, known=pictures, times=batch.times))

    def _on_failure(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.warn(error)
        else:
            self._context.navigator.show_failure(error)

    def warn(self, error: StudioError) -> None:
        """Show why a picture cannot be taken."""
        self._context.navigator.notify(Notice("warning", error.message, error.hint))

    def _on_saved(self, title: str, path: Path) -> None:
        self.arrived.emit(Batch((path,), title=title))

    def _on_fetched(self, batch: Batch, path: Path) -> None:
        batch.dropped = (path,)
        self.ready.emit(batch)

    def _on_failed(self, batch: Batch, error: BaseException) -> None:
        batch.is_read = False
        batch.failure = failure_of(error, self._context.navigator)
        self.ready.emit(batch)

    def _read_animation(self, path: Path) -> None:
        # It is shown at once: the picture before it is not the one that this prediction is for.
        batch = Batch((), title=path.name)
        self.arrived.emit(batch)
        read = partial(frames_of, path, self.pasted)
        done, failed = (
            partial(each, batch, path) for each in (self._on_frames, self._on_no_frames)
        )
        self._context.background.run(self, read, done, failed)

    def _on_frames(self, batch: Batch, path: Path, frames: list[Frame]) -> None:
        batch.is_read = False
        if frames:
            batch.dropped = tuple(frame.path for frame in frames)
            batch.times = tuple(frame.seconds for frame in frames)
        else:
            batch.dropped, batch.title = (path,), ""
        self.ready.emit(batch)

    def _on_no_frames(self, batch: Batch, path: Path, error: BaseException) -> None:
        batch.dropped, batch.title = (path,), ""
        self._on_failed(batch, error)

    def _read_video(self, path: Path) -> None:
        batch = Batch((), title=path.name, is_read=True)
        self.arrived.emit(batch)
        read = partial(video_of, path, self.pasted)
        done, failed = partial(self._on_frames, batch, path), partial(self._on_failed, batch)
        self._context.background.run(self, read, done, failed)


def _no_address(text: str) -> str:
    """Return why a text is no address of an image; empty if it may be one."""
    if web_address(text.strip()):
        return ""
    tr = partial(QCoreApplication.translate, "PictureInput")
    what = tr("“{text}” is not a web address.").format(text=text[:80])
    return f"{what} {tr('For example https://host/picture.jpg.')}"
