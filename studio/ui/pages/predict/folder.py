"""Many pictures: progress, their predictions as a grid or as a table, and a file of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QCursor
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from studio.engine.errors import UnwritableError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.table import is_right, write_table
from studio.engine.messages import Text
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.scores import Scores
from studio.ui.bridge.request import PartSender, Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import FOLDER_KEY, Batch, Content
from studio.ui.shared.file_dialogs import ask_folder, ask_new_file
from studio.ui.shared.media import load_thumbnail
from studio.ui.shared.part_views import (
    ResultColumn,
    file_words,
    result_columns,
    strongest,
    view_of_part,
)
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import NO_VALUE, count, counted, percent
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.overlay import Overlaid, OverlayStyle, overlaid
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import name_control

_tr = partial(QCoreApplication.translate, "predict")


class FolderBar(QWidget):
    """Title of what is shown, progress, and the buttons for many pictures.

    `stop_button` resumes while the batch is stopped.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        text, tip = self.tr("All images"), self.tr("Returns to all images.")
        self.back_button = push_button(text, theme, kind="quiet", icon="back", tip=tip)
        self.title = ElidedLabel("", self)
        self.bar = ThinBar(theme, self)
        self.stop_button = icon_button("stop", self.tr("Stop"), theme, parent=self)
        self.table_button = icon_button("table", self.tr("Show as a table"), theme, parent=self)
        self.table_button.setCheckable(True)
        text = self.tr("Save the predictions as a table (CSV)")
        self.save_button = icon_button("save", text, theme, parent=self)
        self.counts_button = icon_button("chart", self.tr("Show counts"), theme, parent=self)
        self.counts_button.setCheckable(True)
        buttons = (self.stop_button, self.table_button, self.counts_button, self.save_button)
        row = hbox(self.back_button, (self.title, 1), *buttons, spacing=SPACE.s)
        vbox(row, self.bar, owner=self, spacing=SPACE.s)

    def show_batch(self, content: Content, batch: Batch) -> None:
        """Show title, progress and buttons of a batch."""
        is_grid = content is Content.GRID
        self.title.setText(messages.grid_line(batch) if is_grid else messages.picture_name(batch))
        is_many = is_grid or bool(batch.times)
        self.back_button.setVisible(not is_many and len(batch.pictures) > 1)
        self.bar.setVisible(is_many and batch.is_working)
        if batch.pictures:
            self.bar.set_fraction(len(batch.predictions) / len(batch.pictures))
        is_stopped = batch.is_stopped or batch.failure is not None
        self.stop_button.setVisible(is_many and bool(batch.pictures) and not batch.is_complete)
        text = self.tr("Continue with the rest") if is_stopped else self.tr("Stop")
        if self.stop_button.toolTip() != text:
            name_control(self.stop_button, text)
            icon = "resume" if is_stopped else "stop"
            set_icon(self.stop_button, icon, self._theme, "muted")
        self.table_button.setVisible(is_grid)
        self.counts_button.setVisible(is_many and Objects in batch.parts)
        self.save_button.setVisible(is_many or bool(_file_parts(batch)))
        self.save_button.setEnabled(bool(batch.predictions))
        kinds = batch.task.predictor.file_kinds
        name_control(self.save_button, file_words(batch.parts, kinds).tip)

    def show_saving(self, done: int, total: int) -> None:
        """Show how many pictures have their files; hidden once all have."""
        self.bar.setVisible(done < total)
        self.bar.set_fraction(done / max(1, total))


class ResultsModel(PictureModel):
    """The pictures of a batch, in their order, with their first predictions."""

    def __init__(self) -> None:
        super().__init__()
        self._batch: Batch | None = None

    def show_batch(self, batch: Batch) -> None:
        """Show a batch, or the changes of the one that is shown."""
        if batch is not self._batch or self.count != len(batch.pictures):
            self._batch = batch
            self.reset(len(batch.pictures))
        elif self.count:
            self.dataChanged.emit(self.index(0), self.index(self.count - 1))

    def key(self, row: int) -> str:
        """Return the path."""
        return str(self._shown.pictures[row].path)

    def caption(self, row: int) -> str:
        """Return the first prediction."""
        return messages.caption(self._prediction(row))

    def tip(self, row: int) -> str:
        """Return the path, and what is wrong about the prediction."""
        path = self.key(row)
        return f"{path}\n{self._full_caption(row)}" if self.is_wrong(row) else path

    def spoken(self, row: int) -> str:
        """Return the name of the file and the prediction."""
        return f"{self._shown.pictures[row].path.name}: {self._full_caption(row)}"

    def is_wrong(self, row: int) -> bool:
        """Return True if the picture has a class and another one was predicted."""
        prediction = self._prediction(row)
        if prediction is None or not self._shown.can_correct:
            return False
        return is_right(prediction, self._shown.label(row)) is False

    @property
    def _shown(self) -> Batch:
        if self._batch is None:
            raise LookupError("no batch is shown")
        return self._batch

    def _prediction(self, row: int) -> ImagePrediction | None:
        return _prediction(self._shown, row)

    def _full_caption(self, row: int) -> str:
        caption = self.caption(row)
        label = self._shown.label(row)
        return messages.wrong(caption, label) if self.is_wrong(row) else caption


class _Thumbnails:
    """Loads small pictures with the regions of their predictions over them.

    Attributes:
        batch: The pictures; None for none.
        style: Style of the regions.
    """

    def __init__(self) -> None:
        self.batch: Batch | None = None
        self.style = OverlayStyle()
        self._positions: dict[str, int] = {}

    def show_batch(self, batch: Batch) -> None:
        """Load the pictures of another batch."""
        self._positions = {str(each.path): at for at, each in enumerate(batch.pictures)}
        self.batch = batch

    def load(self, key: Hashable) -> Overlaid:
        """Return a picture by its path; called in background threads."""
        batch = self.batch
        model = None if batch is None else batch.model
        image = load_thumbnail(key, None if model is None else model.dataset_folder)
        position = self._positions.get(str(key))
        if batch is None or position is None or position >= len(batch.predictions):
            return image
        return overlaid(image, batch.overlay(batch.predictions[position]), self.style)


class ResultsGrid(ImageGrid):
    """Shows a batch of several pictures; one of them is selected.

    Signals:
        picked: Position of the picture whose prediction is to be shown.
        opened: Position of the picture to show alone.
    """

    picked = Signal(int)
    opened = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._results = ResultsModel()
        self._thumbnails = _Thumbnails()
        self._predicted = 0
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.set_source(self._results, self._thumbnails.load)
        self.setAccessibleName(self.tr("Images with predictions"))
        self.selection_changed.connect(self._on_selection)
        self.activated.connect(self._on_activated)

    def show_batch(self, batch: Batch) -> None:
        """Show a batch and select the picture whose prediction is shown."""
        if batch is not self._thumbnails.batch or self._results.count != len(batch.pictures):
            self._thumbnails.show_batch(batch)
        self._results.show_batch(batch)
        are_drawn = any(view_of_part(part).is_drawn for part in batch.parts)
        if are_drawn and len(batch.predictions) != self._predicted:
            self.reload()
        self._predicted = len(batch.predictions)
        if batch.selected < len(batch.pictures) and self.selected_rows() != [batch.selected]:
            self.setCurrentIndex(self._results.index(batch.selected))

    def set_style(self, style: OverlayStyle) -> None:
        """Paint the regions of predictions in another way."""
        if style != self._thumbnails.style:
            self._thumbnails.style = style
            self.reload()

    def _on_selection(self, rows: list[int]) -> None:
        if rows:
            self.picked.emit(rows[0])

    def _on_activated(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())


def _file_parts(batch: Batch) -> list[type[PredictionPart]]:
    """Return the types of the parts of a batch that can be written to files."""
    return [part for part in batch.parts if part.file_kinds]


def _columns(batch: Batch, theme: Theme) -> list[Column[int]]:
    """Return the columns of a batch: class and verdict only where a class is known."""

    def column(
        heading: str,
        text: Callable[[Batch, int], str],
        value: Callable[[Batch, int], float | str | None],
        *,
        key: str,
        is_text: bool = False,
    ) -> Column[int]:
        return Column(
            heading,
            partial(text, batch),
            value=partial(value, batch),
            key=key,
            is_text=is_text,
            cell_tip=partial(_tip, batch),
        )

    columns = [column(_tr("Image"), _name, _name, key="picture", is_text=True)]
    numbers = result_columns([batch.given(each) for each in batch.predictions])
    for rank, each in enumerate(numbers):
        text, value = partial(_number_text, each, rank), partial(_number, each)
        columns.append(column(each.heading, text, value, key=f"{each.field} {each.name}"))
    if not numbers or Scores in batch.parts:
        class_ = column(_tr("Prediction"), _class, _class_key, key="prediction", is_text=True)
        columns.append(replace(class_, color=partial(_color, batch, theme)))
    # Several labels need more room than a class.
    wide = 0 if batch.can_correct or numbers else -1
    columns[wide] = replace(columns[wide], width=FILL)
    if batch.can_correct:
        columns.append(column(_tr("Score"), _score_text, _score, key="score"))
    if batch.has_labels:
        columns.append(column(_tr("Class"), _label, _label_key, key="class", is_text=True))
        verdict = column(_tr("Right?"), _verdict_text, _verdict_key, key="right", is_text=True)
        columns.append(replace(verdict, color=partial(_verdict_color, batch, theme)))
    return columns


def _color(batch: Batch, theme: Theme, position: int) -> QColor | None:
    prediction = _prediction(batch, position)
    return theme.color("warn") if prediction is not None and prediction.error else None


def _verdict_color(batch: Batch, theme: Theme, position: int) -> QColor | None:
    verdict = _verdict(batch, position)
    return None if verdict is None else theme.color("good" if verdict else "bad")


def _prediction(batch: Batch, position: int) -> ImagePrediction | None:
    known = batch.predictions
    return batch.given(known[position]) if position < len(known) else None


def _verdict(batch: Batch, position: int) -> bool | None:
    """Return True if the prediction is right; None where the class is not known."""
    prediction = _prediction(batch, position)
    label = batch.label(position)
    return None if prediction is None else is_right(prediction, label)


def _name(batch: Batch, position: int) -> str:
    return messages.name_within(batch.pictures[position].path, batch.dropped)


def _tip(batch: Batch, position: int) -> str:
    prediction = _prediction(batch, position)
    reason = "" if prediction is None else translated(prediction.error)
    return "\n".join(filter(None, (str(batch.pictures[position].path), reason)))


def _class(batch: Batch, position: int) -> str:
    prediction = _prediction(batch, position)
    if batch.can_correct and prediction is not None and not prediction.error:
        return strongest(prediction)[0]
    return messages.caption(prediction)


def _class_key(batch: Batch, position: int) -> str | None:
    prediction = _prediction(batch, position)
    return None if prediction is None or prediction.error else _class(batch, position)


def _score(batch: Batch, position: int) -> float | None:
    prediction = _prediction(batch, position)
    best = () if prediction is None else prediction.class_scores[:1]
    return best[0].score if best else None


def _score_text(batch: Batch, position: int) -> str:
    score = _score(batch, position)
    if score is None:
        return "" if _prediction(batch, position) is None else NO_VALUE
    return percent(score)


def _label_key(batch: Batch, position: int) -> str | None:
    return batch.label(position) or None


def _label(batch: Batch, position: int) -> str:
    return _label_key(batch, position) or NO_VALUE


def _verdict_text(batch: Batch, position: int) -> str:
    words = {True: _tr("right"), False: _tr("wrong"), None: NO_VALUE}
    return words[_verdict(batch, position)]


def _verdict_key(batch: Batch, position: int) -> float | None:
    """Sort the most confident mistakes first."""
    verdict, score = _verdict(batch, position), _score(batch, position)
    return None if verdict is None or score is None else verdict - score / 2


def _number(column: ResultColumn, batch: Batch, position: int) -> float | None:
    prediction = _prediction(batch, position)
    return None if prediction is None else column.value(prediction)


def _number_text(column: ResultColumn, rank: int, batch: Batch, position: int) -> str:
    """Return a number; without one the reason, in the first column."""
    value = _number(column, batch, position)
    if value is not None:
        return column.text(value)
    return "" if rank else messages.caption(_prediction(batch, position))


class ResultsTable(Table[int]):
    """Shows a batch of several pictures as a table; its rows are the positions of pictures."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=int)
        self._theme = theme
        self._batch: Batch | None = None
        self.setAccessibleName(self.tr("Predictions as a table"))
        self.setFrameShape(QTableView.Shape.NoFrame)

    def show_batch(self, batch: Batch) -> None:
        """Show a batch and select the picture whose prediction is shown."""
        with QSignalBlocker(self):
            if batch is not self._batch:
                self._batch = batch
                self.show_rows(())
            self.show_rows(range(len(batch.pictures)), _columns(batch, self._theme))
            if self.current != batch.selected:
                self.select(batch.selected)


class _Written(NamedTuple):
    """Progress of files that are written.

    Attributes:
        done: Number of pictures whose files are written.
        warnings: Sentences about what is missing in the files; complete at the end.
    """

    done: int
    warnings: tuple[Text, ...] = ()


class PredictionSaver(QObject):
    """Asks for a place, and writes predictions there in another thread.

    Args:
        source: Returns the model of a run; called in other threads.

    Signals:
        advanced: Number of pictures whose files are written, and of all of them.
    """

    advanced = Signal(int, int)

    def __init__(
        self, context: AppContext, source: Callable[[RunChoice], ModelSource], owner: QWidget
    ) -> None:
        super().__init__(owner)
        self._context = context
        self._source = source
        self._owner = owner

    def save(self, batch: Batch) -> None:
        """Save the predictions so far; if there are several kinds of files, ask for one."""
        if not _file_parts(batch):
            self.save_table(batch)
            return
        menu = self.menu(batch)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(QCursor.pos())

    def menu(self, batch: Batch) -> QMenu:
        """Make the menu of the kinds of files of a batch."""
        menu = QMenu(self._owner)
        kinds = batch.task.predictor.file_kinds
        for part in _file_parts(batch):
            for kind in kinds[part]:
                text = file_words([part], kinds).kinds[kind]
                menu.addAction(text, partial(self._ask_files, batch, part, kind))
        menu.addAction(file_words(batch.parts, kinds).table, partial(self.save_table, batch))
        return menu

    def save_table(self, batch: Batch) -> None:
        """Ask for a file, and write a table of the predictions so far."""
        title, kinds = self.tr("Save the predictions"), self.tr("Table (*.csv)")
        name = f"{messages.batch_name(batch)}.csv"
        settings = self._context.settings
        path = ask_new_file(self._owner, title, settings, FOLDER_KEY, name, kinds)
        if path is None:
            return
        predictions = tuple(map(batch.given, batch.predictions))
        labels = [batch.label(position) for position in range(len(predictions))]
        write = partial(write_table, path, predictions, batch.task.predictor, labels)
        self._context.background.run(self, write, partial(self._on_saved, path))

    def save_files(
        self, batch: Batch, part: type[PredictionPart], kind: str, folder: Path
    ) -> None:
        """Write the files of the predictions so far into a folder.

        Args:
            batch: The pictures.
            part: Type of the parts to write.
            kind: Kind of the files, from `PredictionPart.file_kinds`.
            folder: Folder for the files; created if missing.
        """
        if batch.model is None:
            return
        predictions = tuple(batch.given(each) for each in batch.predictions if not each.error)
        total = len(predictions)
        work = partial(self._write, batch.model, folder, {part: (kind,)}, predictions)
        # One for each folder: files of several kinds may be written at the same time.
        request = Request(self._context.background, self)
        done = partial(self._on_files, request, folder, total)
        failed = partial(self._on_not_written, request)
        request.stream(work, partial(self._on_written, folder, total), done, failed)

    def _write(
        self,
        model: RunChoice,
        folder: Path,
        kinds: Mapping[type[PredictionPart], Sequence[str]],
        predictions: Sequence[ImagePrediction],
        sender: PartSender[_Written],
    ) -> None:
        """In another thread: write one file after the other, and send their number and notes."""
        from studio.engine.tasks.parts.files import PredictionWriter  # noqa: PLC0415 - NumPy

        source = self._source(model)
        writer = PredictionWriter(folder, kinds, source.classes, source.colors)
        problems: list[UnwritableError] = []
        for done, each in enumerate(predictions, 1):
            if sender.is_cancelled():
                break
            try:
                writer.add(each.image, each)
            except UnwritableError as error:
                problems.append(error)
            sender.send(_Written(done))
        writer.finish()
        sender.send(_Written(len(predictions), tuple(writer.warnings)))
        if problems:
            raise problems[0]

    def _on_written(self, folder: Path, total: int, written: _Written) -> None:
        self.advanced.emit(written.done, total)
        if not written.warnings:
            return
        first, *others = map(translated, dict.fromkeys(written.warnings))
        text = ""
        if len(others) == 1:
            text = self.tr("1 more note.")
        elif others:
            text = self.tr("{n} more notes.").format(n=count(len(others)))
        key = f"notes:{folder}"
        self._context.navigator.notify(Notice("warning", first, text, key, stays=True))

    def _on_files(self, request: Request, folder: Path, total: int, _nothing: None) -> None:
        request.deleteLater()
        self.advanced.emit(total, total)
        one = self.tr("Files of 1 image saved in {folder}.")
        many = self.tr("Files of {n} images saved in {folder}.")
        text = counted(total, one, many).format(folder=folder.name)
        self._context.navigator.notify(Notice("success", text, str(folder)))

    def _on_not_written(self, request: Request, error: BaseException) -> None:
        request.deleteLater()
        self.advanced.emit(0, 0)
        self._context.navigator.show_failure(error)

    def _on_saved(self, path: Path, _nothing: None) -> None:
        text = self.tr("Predictions saved to {file}.").format(file=path.name)
        self._context.navigator.notify(Notice("success", text, str(path.parent)))

    def _ask_files(self, batch: Batch, part: type[PredictionPart], kind: str) -> None:
        title = self.tr("Choose a folder for the files")
        folder = ask_folder(self._owner, title, self._context.settings, FOLDER_KEY)
        if folder is not None:
            self.save_files(batch, part, kind, folder)
