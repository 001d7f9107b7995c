"""Predictions: requested by `Classifier`, live by `LiveCamera`, shown by `PredictionCard`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.files import remove, remove_folder
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture, find_pictures, one_per_image
from studio.engine.tasks import TASKS
from studio.engine.training.artifacts import calibration_time
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge.describe import fallback_note
from studio.ui.bridge.request import PartSender, Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.compare import ModelComparison, ModelPredictions, PredictionListener
from studio.ui.pages.predict.heat_map import Explanation, HeatMapRequester
from studio.ui.pages.predict.pictures import (
    Batch,
    CardState,
    PictureInput,
    card_state,
    failure_of,
    scores_requested,
)
from studio.ui.pages.predict.unlike import UnlikeNote
from studio.ui.shared import media
from studio.ui.shared.media import Camera, NetworkInput, network_input
from studio.ui.shared.overlay import OverlayPanel
from studio.ui.shared.part_views import bar_lines, headline, is_drawn
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import BarLine, ScoreBars, ThinBar
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.labels import ElidedLabel, HintLabel, apart
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tips import name_control

_INPUT_SIDE: Final = 88
_NARROWEST: Final = 300
_WIDEST: Final = 460
_MOST_IN_MENU: Final = 30
"""Classes in the menu; a thousand of them would take as long to make as a dozen frames."""
# Reported by the thread of a batch: its pictures, the next predictions, the finished fraction of a
# large picture, or None for another host.
_Part = list[Picture] | tuple[ImagePrediction, ...] | float | None


class Classifier(QObject):
    """Predicts one batch at a time; a new request makes the previous one stale.

    Signals:
        changed: The `Batch` that was searched, predicted in part, predicted, or has failed.
    """

    changed = Signal(object)

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._request = Request(context.background, self)
        self._maps = media.PastedPictures()
        self._warm: set[str] = set()
        self._sources: dict[str, tuple[tuple[RunChoice, int], ModelSource]] = {}

    def is_warm(self, model: RunChoice) -> bool:
        """Return True if that model has predicted before and need not be loaded first."""
        return model.id in self._warm

    def classify(self, batch: Batch, model: RunChoice) -> None:
        """Ask a model for all predictions of a batch."""
        if batch.maps is not None:
            self._context.background.run(
                self, partial(remove_folder, batch.maps, ignore_errors=True)
            )
        batch.reset()
        batch.model = model
        if batch.known:
            batch.pictures = batch.known
        # Searched again: the classes of another model may say more about the folders.
        self._start(batch, model, batch.known)

    def resume(self, batch: Batch) -> None:
        """Ask for the predictions that are missing after `stop` or a failure."""
        if batch.model is None:
            return
        batch.is_stopped, batch.failure = False, None
        self._start(batch, batch.model, batch.pictures[len(batch.predictions) :])

    def stop(self, batch: Batch) -> None:
        """Leave the rest of a batch without predictions."""
        self.cancel()
        batch.is_stopped = True
        self.changed.emit(batch)

    def cancel(self) -> None:
        """Ignore predictions that are still to come."""
        self._request.drop()

    def classes(self, model: RunChoice) -> tuple[str, ...]:
        """Return the classes of a model that was asked; none before."""
        known = self._sources.get(model.id)
        return () if known is None else known[1].classes

    def source(self, model: RunChoice) -> ModelSource:
        """Return the model of a run as requests name it; read if it or its calibration changed.

        Thread safety: any thread may call; it reads files.
        """
        key = model, calibration_time(model.folder)
        known = self._sources.get(model.id)
        if known is not None and known[0] == key:
            return known[1]
        source = model_of_run(self._context.workspace, Record(RecordKind.RUN, model.folder))
        self._sources[model.id] = (key, source)
        return source

    def _start(self, batch: Batch, model: RunChoice, pictures: Sequence[Picture]) -> None:
        work = partial(self._predict, model, batch, pictures)
        part, failed = partial(self._on_part, batch), partial(self._on_failed, batch)
        self._request.stream(work, part, failed=failed)

    def _predict(
        self,
        model: RunChoice,
        batch: Batch,
        pictures: Sequence[Picture],
        sender: PartSender[_Part],
    ) -> None:
        """In another thread: look for the pictures unless they are known, and predict them."""
        source = self.source(model)
        if not pictures:
            pictures = find_pictures(
                batch.dropped, TASKS[source.task].predictor.folder_labels(source.classes)
            )
            pictures = one_per_image(pictures, source.channel_ends)
            sender.send(list(pictures))
        listener = PredictionListener(sender.send, sender.is_cancelled)
        maps, top = self._maps_of(batch), scores_requested(source)
        predict_all(self._context.engine, source, pictures, listener, top, maps=maps)

    def _maps_of(self, batch: Batch) -> Path:
        """Return the folder for maps of large pictures: one for each batch."""
        if batch.maps is None or not batch.maps.parent.is_dir():  # of an earlier page
            batch.maps = self._maps.new_path("")
        return batch.maps

    def _on_part(self, batch: Batch, part: _Part) -> None:
        if part is None:
            batch.was_restarted = True
            self._warm.clear()
        elif isinstance(part, float):
            batch.fraction = part
        elif isinstance(part, list):
            batch.pictures = tuple(part)
        else:
            if batch.model is not None:
                batch.source = self._sources[batch.model.id][1]  # its thread has read it
                self._warm.add(batch.model.id)
            batch.add(part)
        self.changed.emit(batch)

    def _on_failed(self, batch: Batch, error: BaseException) -> None:
        # A host that died has forgotten its models.
        self._warm.clear()
        batch.failure = failure_of(error, self._context.navigator)
        self.changed.emit(batch)


class PredictionCard(Card):
    """Headline, bars, correction, explanation, and the picture as the network gets it."""

    def __init__(
        self,
        context: AppContext,
        explainer: HeatMapRequester,
        comparison: ModelComparison,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", parent)
        theme = context.theme
        self._context = context
        self._input_key: tuple[Path, DatasetRecipe] | None = None
        self._input_folder: Path | None = None
        self.headline = ElidedLabel("", self, role="hero")
        self.line = text_label("", "muted", self, wraps=True)
        self.fallback = HintLabel(tone="advice", parent=self)
        self.unlike = UnlikeNote(theme, self)
        self.progress = ThinBar(theme, self)
        self.prediction_bars = PredictionBars(theme, self)
        self.bars = self.prediction_bars.bars
        self.overlay = OverlayPanel(context.settings, self, is_wide=True)
        text, tip = self.tr("Try again"), self.tr("Runs the model again.")
        self.retry_button = push_button(text, theme, icon="refresh", tip=tip)
        self.correction = CorrectionRow(theme, self)
        self.prediction_bars.chosen.connect(self.correction.corrected)
        self.model_predictions = ModelPredictions(comparison, theme, self)
        self.explanation = Explanation(context, explainer, self)
        self.input_view = PictureView(theme, self)
        self.input_view.setFixedSize(QSize(_INPUT_SIDE, _INPUT_SIDE))
        self.input_size = text_label("", "caption", self)
        self._input_row = self._make_input_row()
        # The prediction is painted first; then there is time to decode the picture once more.
        self._input_timer = Debounce(0, self._read_input, self)
        self._inside = inside = ScrollColumn(SPACE.m, self)
        inside.setFrameShape(QFrame.Shape.NoFrame)
        upper = (self.headline, self.line, self.fallback, self.unlike)
        middle = (self.progress, self.overlay, self.prediction_bars)
        retry = (self.retry_button, Qt.AlignmentFlag.AlignLeft)
        lower = (self.explanation, self.model_predictions, self._input_row)
        fill(inside.column, *upper, *middle, self.correction, retry, *lower, STRETCH)
        self.body.addWidget(inside, 1)
        self.setMinimumWidth(_NARROWEST)
        self.setMaximumWidth(_WIDEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Prediction"))
        self.show_batch(None, is_model_warm=False)

    def show_batch(
        self, batch: Batch | None, *, is_model_warm: bool, classes: Sequence[str] = ()
    ) -> None:
        """Show the prediction for the shown picture of a batch, or why there is none.

        Args:
            batch: The batch.
            is_model_warm: True if the model need not be loaded first.
            classes: Names of the outputs of the model.
        """
        kind = card_state(batch)
        has_scores = kind is CardState.SCORES
        self.progress.setVisible(kind is CardState.WAITING)
        self.explanation.setVisible(has_scores)
        can_retry = batch is not None and bool(batch.dropped or batch.address)
        self.retry_button.setVisible(kind is CardState.FAILED and can_retry)
        prediction = None if batch is None else batch.prediction
        is_fallback = batch is not None and batch.model is not None and batch.model.is_fallback
        self.fallback.show_text(fallback_note() if is_fallback and has_scores else "")
        self.unlike.show_familiarity(None if prediction is None else prediction.familiarity)
        if batch is not None and prediction is not None:
            prediction = batch.given(prediction)
        can_correct = batch is not None and batch.can_correct
        self.correction.setVisible(has_scores and can_correct)
        lines = [] if prediction is None else bar_lines(prediction)
        bars = [] if prediction is None else bar_lines(prediction, beside_legend=True)
        self.overlay.setVisible(prediction is not None and is_drawn(prediction))
        self.prediction_bars.setVisible(has_scores and bool(bars))
        self.explanation.show_outputs(lines, classes)
        known = classes if can_correct else ()
        _, corrected = ("", "") if batch is None else batch.corrections.get(batch.shown, ("", ""))
        self.correction.show_choice(known, [line.name for line in lines], corrected)
        self.prediction_bars.show_prediction(bars, known, corrected)
        if batch is None:
            self._show_text("", self.tr("The prediction will appear here."))
        elif prediction is not None and prediction.error:
            reason = _sentence(translated(prediction.error))
            self._show_text(self.tr("Cannot be read"), reason)
        elif prediction is not None:
            self._show_text(headline(prediction), messages.details(batch, prediction))
        elif batch.failure is not None:
            self._show_text(self.tr("No prediction"), messages.failure_line(batch.failure))
        else:
            self.progress.set_fraction(batch.finished)
            self._show_text("", messages.waiting_line(batch, is_model_warm=is_model_warm))
        self._show_input(batch if has_scores else None)

    def _show_text(self, headline: str, line: str) -> None:
        self.headline.setText(headline)
        self.headline.setVisible(bool(headline))
        self._fit_headline()
        self.line.setText(line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the headline to the new width."""
        super().resizeEvent(event)
        self._fit_headline()

    def _fit_headline(self) -> None:
        """Show a headline that would be cut in smaller letters."""
        margins = self._inside.column.contentsMargins()
        room = self._inside.viewport().width() - margins.left() - margins.right()
        for role in ("hero", "page"):
            if self.headline.property("role") != role:
                restyle(self.headline, "role", role)
            if self.headline.sizeHint().width() <= room:
                break

    def _show_input(self, batch: Batch | None) -> None:
        """Prepare the picture as the training did, in another thread."""
        picture = None if batch is None else batch.picture
        recipe = None if batch is None or batch.model is None else batch.model.recipe
        if batch is None or batch.model is None or picture is None or recipe is None:
            self._input_key = None
            self._input_row.hide()
            return
        if self._input_key == (picture, recipe):
            return
        self._input_key = (picture, recipe)
        self._input_folder = batch.model.dataset_folder
        self._input_timer.start()

    def _read_input(self) -> None:
        key = self._input_key
        if key is not None:
            done, failed = partial(self._on_input, key), partial(self._on_no_input, key)
            self._context.background.run(
                self, partial(network_input, *key, self._input_folder), done, failed
            )

    def _on_input(self, key: tuple[Path, DatasetRecipe], found: NetworkInput) -> None:
        if key == self._input_key:
            words = {1: self.tr("gray"), 3: self.tr("color")}
            color = words.get(found.channels, self.tr("channels: {n}").format(n=found.channels))
            self.input_size.setText(f"{key[1].width} × {key[1].height}, {color}")
            self.input_view.set_image(found.image, self.tr("Network input"))
            self._input_row.show()

    def _on_no_input(self, key: tuple[Path, DatasetRecipe], error: BaseException) -> None:
        # The file was deleted after its prediction, which stays true.
        if key == self._input_key:
            self.input_view.set_image(None)
            self.input_size.setText(translated(str(error)))

    def _make_input_row(self) -> QWidget:
        title = QLabel(self.tr("Network input"))
        column = vbox(STRETCH, title, self.input_size, STRETCH, spacing=SPACE.xs)
        inside = QWidget(self)
        hbox(self.input_view, (column, 1), owner=inside, spacing=SPACE.m)
        return inside


class PredictionBars(QWidget):
    """A bar for each likely class, and a button behind each but the first to correct it.

    Signals:
        chosen: The correct class of the picture.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[object, ...] = ()
        self._names: list[str] = []
        self._cells: list[QWidget] = []
        self.bars = ScoreBars(theme, self)
        self.checks: list[QToolButton] = []
        # None beside the prediction itself.
        self._column = vbox(self.bars.row_height, STRETCH, spacing=0)
        hbox((vbox(self.bars, STRETCH), 1), self._column, owner=self, spacing=SPACE.s)

    def show_prediction(
        self, lines: Sequence[BarLine], classes: Collection[str], corrected: str
    ) -> None:
        """Show the lines of a prediction, that of the most likely class first.

        Args:
            lines: Lines of the classes, labels or values.
            classes: Classes that a picture can be corrected to; not every line is one of them.
            corrected: Class chosen for this picture already; empty for none.
        """
        shown = tuple(lines), tuple(classes), corrected
        if shown == self._shown:
            return
        self._shown = shown
        self.bars.set_lines(lines)
        self._names = [line.name for line in lines[1:]]
        while len(self.checks) < len(self._names):
            self._add_check()
        for position, (check, cell) in enumerate(zip(self.checks, self._cells, strict=True)):
            name = self._names[position] if position < len(self._names) else ""
            cell.setVisible(bool(name))
            check.setVisible(not corrected and name in classes)
            text = self.tr("Correct class: {label}. Add to the review queue")
            name_control(check, text.format(label=apart(name)))

    def _add_check(self) -> None:
        # A row keeps its height while its button is hidden.
        cell = QWidget(self)
        cell.setFixedHeight(self.bars.row_height)
        check = icon_button("check", "", self._theme, parent=cell)
        check.clicked.connect(partial(self._on_check, len(self.checks)))
        vbox((check, Qt.AlignmentFlag.AlignTop), owner=cell)
        self._column.insertWidget(len(self.checks) + 1, cell)
        self.checks.append(check)
        self._cells.append(cell)

    def _on_check(self, position: int, _checked: bool = False) -> None:
        self.chosen.emit(self._names[position])


class CorrectionRow(QWidget):
    """A button with the classes to choose from; after a correction the class, and Undo.

    Signals:
        corrected: The correct class of the picture.
    """

    corrected = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tip = self.tr("Add the image to the review queue with its correct class")
        self.button = push_button(self.tr("Wrong? It is…"), theme, icon="edit", tip=tip)
        self.menu = ClassMenu(theme, self.button)
        self.menu.chosen.connect(self.corrected)
        self.button.setMenu(self.menu)
        self.line = QLabel(wordWrap=True)
        text, tip = self.tr("Undo"), self.tr("Undoes the correction.")
        self.undo_button = push_button(text, theme, kind="quiet", icon="undo", tip=tip)
        hbox(
            self.button, (self.line, 1), self.undo_button, owner=self, spacing=SPACE.s
        ).addStretch(0)

    def show_choice(
        self, classes: Sequence[str], predicted: Sequence[str], corrected: str
    ) -> None:
        """Offer classes, the most likely first; `corrected` is the chosen one, or empty."""
        self.menu.offer(classes, predicted)
        self.button.setVisible(not corrected)
        self.line.setVisible(bool(corrected))
        self.undo_button.setVisible(bool(corrected))
        text = self.tr("In the review queue as {label}.").format(label=apart(corrected))
        self.line.setText(text if corrected else "")


class ClassMenu(QMenu):
    """The most likely classes first, then the others; filled whenever it is opened.

    Signals:
        chosen: The name of a class.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, button: QWidget) -> None:
        super().__init__(button)
        self._button = button
        self._classes: Sequence[str] = ()
        self._predicted: Sequence[str] = ()
        title, help_text = self.tr("Correct the prediction"), self.tr("The image shows")
        text = self.tr("Correct")
        self.another = AskValue(theme, title, help_text, text, button, self._refusal)
        self.another.given.connect(self.chosen)
        self.aboutToShow.connect(self.fill)

    def offer(self, classes: Sequence[str], predicted: Sequence[str] = ()) -> None:
        """Set the classes; the first of the predicted ones is the wrong prediction."""
        self._classes, self._predicted = classes, predicted

    def fill(self) -> list[str]:
        """Put the classes into the menu and return them."""
        self.clear()
        likely = [name for name in self._predicted[1:] if name in self._classes]
        rest = [name for name in self._classes if name not in self._predicted]
        self._add(likely)
        if likely and rest:
            self.addSeparator()
        self._add(rest[:_MOST_IN_MENU])
        if len(rest) > _MOST_IN_MENU:
            self.addSeparator()
            self.addAction(self.tr("Another class…"), self._on_other)
        return [*likely, *rest[:_MOST_IN_MENU]]

    def _add(self, names: Sequence[str]) -> None:
        for name in names:
            # An & would underline the letter behind it.
            self.addAction(name.replace("&", "&&"), partial(self.chosen.emit, name))

    def _on_other(self) -> None:
        self.another.offer(self._classes)
        self.another.ask(self._button, "")

    def _refusal(self, name: str) -> str:
        is_known = name in self._classes
        return "" if is_known else self.tr("The dataset has no class of this name.")


def _sentence(reason: str) -> str:
    text = reason.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


class LiveCamera(QObject):
    """Predicts a frame of the webcam only when the one before has its prediction.

    Signals:
        predicted: The `Batch` of a frame with its prediction.
        changed: The webcam was switched on or off.
    """

    predicted = Signal(object)
    changed = Signal()

    def __init__(self, context: AppContext, pictures: PictureInput, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._pictures = pictures
        self._classifier = Classifier(context, self)
        self._classifier.changed.connect(self._on_changed)
        self._camera: Camera | None = None
        self._model: RunChoice | None = None
        self._is_busy = False
        self._batch: Batch | None = None
        self._last: Path | None = None
        self._image = QImage()

    @property
    def is_on(self) -> bool:
        """True while the webcam is on."""
        return self._camera is not None

    def open(self, model: RunChoice) -> None:
        """Switch the webcam on and predict its frames with a model."""
        camera = Camera(self)
        try:
            media.load()
            camera.start()
        except StudioError as error:
            camera.stop()
            self._pictures.warn(error)
        else:
            self.start(camera, model)

    def start(self, camera: Camera, model: RunChoice) -> None:
        """Predict the frames of a camera that is on."""
        self.stop()
        self._camera, self._model = camera, model
        camera.frame.connect(self._on_frame)
        camera.failed.connect(self._on_camera_failed)
        self.changed.emit()

    def stop(self) -> None:
        """Switch the webcam off."""
        if self._camera is None:
            return
        self._camera.stop()
        self._camera, self._model, self._batch, self._is_busy = None, None, None, False
        self._classifier.cancel()
        self.changed.emit()

    def freeze(self) -> None:
        """Switch the webcam off and keep its last frame as a picture."""
        self.stop()
        if not self._image.isNull():
            self._pictures.take_image(self._image, self.tr("Webcam"))

    def _on_camera_failed(self, reason: str) -> None:
        self.stop()
        self._pictures.warn(StudioError(reason))

    def _on_frame(self, image: QImage) -> None:
        if self._model is None or self._is_busy:
            return
        self._is_busy = True
        self._image = image
        save = partial(self._pictures.pasted.save, image, ".bmp")
        self._context.background.run(self, save, self._on_saved, self._on_not_saved)

    def _on_saved(self, path: Path) -> None:
        if self._model is None:
            return
        self._batch = Batch((path,), title=self.tr("Webcam"))
        self._classifier.classify(self._batch, self._model)

    def _on_not_saved(self, error: BaseException) -> None:
        self._is_busy = False
        self._context.navigator.show_failure(error)

    def _on_changed(self, batch: Batch) -> None:
        if batch is not self._batch or not (batch.is_complete or batch.failure):
            return
        self._is_busy = False
        if self._last is not None:
            self._context.background.run(self, partial(remove, self._last))
        self._last = batch.first
        self.predicted.emit(batch)
