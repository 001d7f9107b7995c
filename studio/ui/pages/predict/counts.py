"""Counts of the objects of many images: by image, second, folder and origin, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QTableView, QWidget

from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.files import write_atomically
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import FOLDER_KEY, Batch
from studio.ui.shared.file_dialogs import ask_new_file
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, count, number
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.layout import Debounce, hbox, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.evaluation.counting import CountRow, MeasuredCorrections


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """Counts of a batch.

    Attributes:
        rows: Counts of the classes that occur.
        measured: The corrections of an evaluation of the run; None without one.
    """

    rows: Sequence[CountRow]
    measured: MeasuredCorrections | None = None


ImageObjects = tuple[str, list[str], float | None]
"""Path of an image, class of each of its objects, and its time in a video."""
CorrectionKey = tuple[str, str, float | None]
"""Id of a run, id of the newest evaluation of it, and minimum score of objects."""
_PAUSE_MS: Final = 100


def image_objects(
    batch: Batch, predictions: Sequence[ImagePrediction], threshold: float | None
) -> list[ImageObjects]:
    """Return the objects of the images of a batch; called in background threads.

    Args:
        batch: The batch.
        predictions: Its predictions so far.
        threshold: Minimum score of objects; None for the threshold of each class.
    """
    found: list[ImageObjects] = []
    for position, prediction in enumerate(predictions):
        given = prediction.objects
        if prediction.error or given is None:
            continue
        if threshold is not None:  # `Batch.given` is for the window's thread
            given = prediction.at_score(threshold).objects or given
        path, seconds = batch.pictures[position].path, None
        name = path.as_posix()
        if position < len(batch.times):
            name, seconds = f"{batch.title}/{path.name}", batch.times[position]
        found.append((name, [each.label for each in given.given], seconds))
    return found


class Corrections:
    """The corrections by the newest evaluation of a run, kept until another is requested.

    Thread safety: any thread may call.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: tuple[CorrectionKey, Sequence[Picture], MeasuredCorrections | None] | None
        self._known = None

    def of(self, key: CorrectionKey, counted: Sequence[Picture]) -> MeasuredCorrections | None:
        """Return the corrections of each class; None without an evaluation.

        Args:
            key: The run, its evaluation, and the minimum score.
            counted: The counted images.
        """
        from studio.engine.evaluation import counting  # noqa: PLC0415 - NumPy

        known = self._known
        if known is not None and known[:2] == (key, counted):
            return known[2]
        run, _, threshold = key
        paths = [each.path for each in counted]
        try:
            found = counting.corrections_of_run(self._workspace, run, paths, threshold=threshold)
        except StudioError:
            found = None  # the run or its dataset was deleted meanwhile
        self._known = key, counted, found
        return found


def batch_counts(
    batch: Batch,
    predictions: Sequence[ImagePrediction],
    classes: Sequence[str],
    corrections: Corrections,
    key: CorrectionKey,
) -> BatchCounts:
    """Count the objects of images; called in background threads.

    Args:
        batch: The batch.
        predictions: Its predictions so far.
        classes: Names of the classes.
        corrections: Corrects the counts.
        key: Run whose newest evaluation corrects the counts, and the minimum score.
    """
    from studio.engine.evaluation import counting  # noqa: PLC0415 - NumPy

    images = image_objects(batch, predictions, key[-1])
    counted = [counting.CountedImage(*each) for each in images]
    present = {label for each in counted for label in each.labels}
    measured = corrections.of(key, batch.pictures)
    known = {} if measured is None else measured.by_class
    rows = counting.count_rows(counted, [each for each in classes if each in present], known)
    return BatchCounts(rows, measured)


def _write(path: Path, counts: BatchCounts) -> None:
    from studio.engine.evaluation.counting import counts_table  # noqa: PLC0415 - NumPy

    write_atomically(path, counts_table(counts.rows))


class CountsPanel(QWidget):
    """Table of the counts of a batch at one level at a time, and the button that saves all."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._counting = Request(context.background, self)
        self._corrections = Corrections(context.jobs.workspace)
        self._counter = Debounce(_PAUSE_MS, self._count, self)
        self._next: Batch | None = None
        self._batch: Batch | None = None
        self._shown: tuple[object, ...] = ()
        self.counts = BatchCounts(())
        self.box = ComboBox(self, self.tr("Counted by"))
        self.line = text_label("", "muted", self, wraps=True)
        tip = self.tr("Saves the counts of all levels as a table (CSV).")
        self.save_button = push_button(
            self.tr("Save counts"), context.theme, icon="save", tip=tip, on_click=self._on_save
        )
        self.table: Table[CountRow] = Table("", self._columns(), self, key=_key_of)
        self.table.setAccessibleName(self.tr("Counts of objects"))
        self.table.setFrameShape(QTableView.Shape.NoFrame)
        top = hbox(self.box, (self.line, 1), self.save_button, spacing=SPACE.m)
        vbox(top, (self.table, 1), owner=self, spacing=SPACE.s)
        explain(self.box, self.tr("What the objects are counted in."))
        explain(self.table, self.tr("Number of predicted objects, and its estimate."))
        self.box.activated.connect(self._show_level)

    def show_batch(self, batch: Batch) -> None:
        """Count the objects of a batch soon, if what is counted or corrects it changed."""
        self._next = batch
        # Counting may take longer than the next prediction: not again at each of them.
        if not self._counter.isActive():
            self._counter.start()

    def _count(self) -> None:
        batch = self._next
        if batch is None or batch.model is None or batch.source is None:
            return
        if self._counting.is_running and batch is self._batch:
            self._counter.start()
            return
        key = batch.model.id, self._newest_evaluation(batch.model.id), batch.min_score
        shown = id(batch), len(batch.predictions), *key
        if shown == self._shown:
            return
        if batch is not self._batch:
            self._show(BatchCounts(()))
        self._batch, self._shown = batch, shown
        predictions, classes = tuple(batch.predictions), batch.source.classes
        work = partial(batch_counts, batch, predictions, classes, self._corrections, key)
        self._counting.run(work, self._show)

    def _newest_evaluation(self, run: str) -> str:
        """Return the id of the newest completed evaluation of a run; empty without one."""
        for entry in self._context.jobs.completed(RecordKind.EVALUATION):
            if isinstance(entry.plan, EvaluationPlan) and entry.plan.run == run:
                return entry.record.id
        return ""

    def level(self) -> str:
        """Return the level that is shown."""
        return str(self.box.currentData() or "all")

    def _show(self, counts: BatchCounts) -> None:
        self.counts = counts
        level, words = self.level(), self._level_words()
        present = [each for each in words if any(row.level == each for row in counts.rows)]
        with QSignalBlocker(self.box):
            self.box.clear()
            for each in present:
                self.box.addItem(words[each], each)
            self.box.setCurrentIndex(max(0, self.box.findData(level)))
        self.save_button.setEnabled(bool(counts.rows))
        self.line.setText(self._source_text(counts.measured))
        self._show_level()

    def _source_text(self, measured: MeasuredCorrections | None) -> str:
        """Return which images the corrections were measured on."""
        if measured is None:
            return self.tr("Evaluate this run to get corrected counts with intervals.")
        if not measured.by_class:
            text = self.tr("Not corrected: too few images were evaluated.")
        else:
            text = (
                self.tr("Corrected by precision and recall on {count} test images.")
                if measured.split == "test"
                else self.tr("Corrected by precision and recall on {count} validation images.")
            ).format(count=count(measured.images))
        if measured.left_out:
            left_out = self.tr("Left out, because they are also counted: {count}.")
            text = f"{text} {left_out.format(count=count(measured.left_out))}"
        return text

    def _show_level(self, _index: int = 0) -> None:
        level = self.level()
        self.table.show_rows([each for each in self.counts.rows if each.level == level])

    def _level_words(self) -> dict[str, str]:
        return {
            "all": self.tr("All images"),
            "folder": self.tr("By folder"),
            "origin": self.tr("By origin"),
            "second": self.tr("By second"),
            "image": self.tr("By image"),
        }

    def _columns(self) -> list[Column[CountRow]]:
        return [
            Column(
                self.tr("Counted in"),
                self._name,
                value=attrgetter("name"),
                key="name",
                is_text=True,
                width=FILL,
                cell_tip=attrgetter("name"),
            ),
            Column(
                self.tr("Class"),
                attrgetter("label"),
                value=attrgetter("label"),
                key="class",
                is_text=True,
            ),
            Column(
                self.tr("Images"),
                lambda row: count(row.images),
                value=attrgetter("images"),
                key="images",
            ),
            Column(
                self.tr("Predicted"),
                lambda row: count(row.predicted),
                value=attrgetter("predicted"),
                key="predicted",
                is_descending=True,
            ),
            Column(
                self.tr("Estimate"),
                lambda row: _rounded(row.estimate),
                value=attrgetter("estimate"),
                key="estimate",
                tip=self.tr("Predicted number, corrected by the precision and recall measured."),
                is_descending=True,
            ),
            Column(
                self.tr("95 % interval"),
                _interval,
                value=_width_of,
                key="interval",
                tip=self.tr("Contains the true number for 95 % of the images like those tested."),
            ),
        ]

    def _name(self, row: CountRow) -> str:
        if not row.name:
            return self.tr("All images") if row.level == "all" else self.tr("This folder")
        if row.level != "image" or self._batch is None or self._batch.times:
            return row.name.rpartition("/")[2] or row.name
        return messages.name_within(Path(row.name), self._batch.dropped)

    def _on_save(self) -> None:
        if self._batch is None:
            return
        title, kinds = self.tr("Save the counts"), self.tr("Table (*.csv)")
        name = f"{messages.batch_name(self._batch)}-counts.csv"
        path = ask_new_file(self, title, self._context.settings, FOLDER_KEY, name, kinds)
        if path is not None:
            write = partial(_write, path, self.counts)
            self._context.background.run(self, write, partial(self._on_saved, path))

    def _on_saved(self, path: Path, _result: object = None) -> None:
        text = self.tr("Saved as {path}.").format(path=path)
        self._context.navigator.notify(Notice("success", text))


def _key_of(row: CountRow) -> tuple[str, str, str]:
    return row.level, row.name, row.label


def _rounded(value: float | None) -> str:
    return NO_VALUE if value is None else number(round(value, 1))


def _interval(row: CountRow) -> str:
    if row.low is None or row.high is None:
        return NO_VALUE
    return f"{_rounded(row.low)} \N{EN DASH} {_rounded(row.high)}"


def _width_of(row: CountRow) -> float | None:
    return None if row.low is None or row.high is None else row.high - row.low
