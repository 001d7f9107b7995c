"""Sample datasets: a card for each, and their download or creation and import."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.datasets.samples import SAMPLES, SampleDataset
from studio.engine.errors import StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.time_left import WorkRate
from studio.engine.progress import Cancelled, Progress
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.datasets.dataset_list import DatasetList
from studio.ui.pages.datasets.importing.search_panel import StartPanel
from studio.ui.pages.datasets.importing.status import ProblemCard
from studio.ui.pages.datasets.messages import DOT, sample_line
from studio.ui.shared.jobs import show_stopping
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import size
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import PageHeader, ScrollColumn
from studio.ui.widgets.tips import allow


def sample_folder(root: Path, sample: SampleDataset) -> Path:
    """Return the folder where a workspace writes a sample; its recipe names it or a file in it."""
    return (root / "samples" / sample.name).absolute()


def best_of_sample(
    datasets: Iterable[tuple[str, State, DatasetRecipe]], root: Path, name: str
) -> str:
    """Return the id of a dataset made from a sample: completed, else active; empty for none.

    Args:
        datasets: Id, state and recipe of each, the preferred one first.
        root: The workspace folder.
        name: The sample.
    """
    folder = str(sample_folder(root, SAMPLES[name]))
    active = ""
    for record_id, state, recipe in datasets:
        if folder in (recipe.source, str(Path(recipe.source).parent)):  # or a table in it
            if state == State.COMPLETED:
                return record_id
            if state == State.QUEUED or state.has_worker:
                active = active or record_id
    return active


def dataset_of_sample(context: AppContext, name: str) -> str:
    """Return the id of the dataset of a sample, completed or active; empty if there is none."""
    datasets = [
        (entry.record.id, entry.state, entry.plan)
        for entry in context.jobs.entries(RecordKind.DATASET)
        if isinstance(entry.plan, DatasetRecipe)
    ]
    return best_of_sample(datasets, context.workspace.root, name)


def submit_sample(queue: JobQueue, name: str, progress: Progress) -> str:
    """Write a sample into the workspace and request its import; return the id of its record.

    Raises:
        StudioError: The sample cannot be written.
    """
    sample = SAMPLES[name]
    source = sample.write(queue.workspace.root / "samples", progress)
    unused = queue.workspace.unused_name(RecordKind.DATASET, sample.name)
    record_id: str = request_import(queue, sample.recipe(source), unused).record.id
    return record_id


class SampleCard(Card):
    """A sample that is offered, in progress, or already imported.

    Signals:
        requested: Name of the sample to import or show.
        cancel_requested: Cancel the import.
    """

    requested = Signal(str)
    cancel_requested = Signal()

    def __init__(self, sample: SampleDataset, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.sample = sample
        label = text_label(translated(sample.label), "section", self)
        text = text_label(translated(sample.description), "muted", self, wraps=True)
        choice = view_of(sample.task).words(sample.task).choice
        cost = self.tr("No network needed")
        if sample.download:
            cost = self.tr("Downloads {size} the first time").format(size=size(sample.download))
        self.cost = text_label(DOT.join((choice, cost)), "caption", self)
        tip = self.tr("Imports the sample, or shows it if it is imported.")
        self.button = push_button("", theme, icon="download", tip=tip)
        self.button.clicked.connect(partial(self.requested.emit, sample.name))
        tip = self.tr("The part downloaded so far is kept for the next time")
        self.cancel_button = push_button(
            self.tr("Cancel"), theme, icon="stop", tip=tip, on_click=self._on_cancel
        )
        self.bar = ThinBar(theme, self)
        self.line = text_label("", "muted", self)
        self.problem = ProblemCard(theme, self)
        middle = Qt.AlignmentFlag.AlignVCenter
        words = (vbox(label, text, self.cost, spacing=SPACE.xs), 1)
        row = hbox(words, (self.button, middle), (self.cancel_button, middle), spacing=SPACE.l)
        fill(self.body, row, self.bar, self.line, self.problem)
        self.show_idle(is_made=False)

    def show_idle(self, *, is_made: bool, why_not: str = "") -> None:
        """Offer the sample, or show the reason why it has to wait."""
        word = self.tr("Get") if self.sample.download else self.tr("Make")
        self.button.setText(self.tr("Show") if is_made else word)
        name = self.tr("{word}: {sample}")
        label = translated(self.sample.label)
        self.button.setAccessibleName(name.format(word=self.button.text(), sample=label))
        allow(self.button, "" if is_made else why_not)
        self._show_busy(is_busy=False)

    def show_busy(self) -> None:
        """Show that the sample is in progress."""
        self.show_progress(self.tr("Getting ready…"), None)
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setEnabled(True)
        self._show_busy(is_busy=True)

    def show_progress(self, text: str, fraction: float | None) -> None:
        """Show the progress; the fraction is None if unknown."""
        self.bar.set_fraction(fraction)
        self.line.setText(text)

    def _on_cancel(self) -> None:
        show_stopping(self.cancel_button)
        self.cancel_requested.emit()

    def _show_busy(self, *, is_busy: bool) -> None:
        self.button.setVisible(not is_busy)
        for part in (self.cancel_button, self.bar, self.line):
            part.setVisible(is_busy)


DIGITS = "digits"
_WIDTH = 760


class SampleSheet(QWidget):
    """A card for each sample; one is made or downloaded at a time, then its dataset is shown.

    Args:
        context: Context of the window.
        stack: Shows one part of the page at a time.
        start: Shows that the digits are being written.
        datasets: The list next to the stack.

    Signals:
        closed: The user leaves the sheet.
        found: Id of a dataset to show.
        given_up: Canceled or failed; show the earlier part again.
    """

    closed = Signal()
    found = Signal(str)
    given_up = Signal()

    def __init__(
        self, context: AppContext, stack: QStackedWidget, start: StartPanel, datasets: DatasetList
    ) -> None:
        super().__init__(stack)
        theme = context.theme
        self._context = context
        self._stack = stack
        self._start = start
        self._list = datasets
        # The sample in progress; empty for none.
        self._name = ""
        self._writing = Request(context.background, self)
        self._writing.advanced.connect(self._on_advanced)
        self._throughput = WorkRate()
        # The window waits for its threads when it closes, and a download takes minutes.
        subtitle = self.tr("Downloaded or generated once, then imported like your own images.")
        self.header = PageHeader(self.tr("Sample datasets"), subtitle, self)
        tip = self.tr("Goes back without downloading.")
        self.close_button = push_button(self.tr("Not now"), theme, kind="quiet", tip=tip)
        self.close_button.clicked.connect(self.closed)
        self.header.add_action(self.close_button)
        self.cards = {sample.name: SampleCard(sample, theme, self) for sample in SAMPLES}
        for card in self.cards.values():
            card.setMaximumWidth(_WIDTH)
            card.requested.connect(self.want)
            card.cancel_requested.connect(self._cancel)
        scroll = ScrollColumn(SPACE.m, self)
        fill(scroll.column, *self.cards.values(), STRETCH)
        margins = (SPACE.xl, SPACE.xl, SPACE.l, SPACE.l)
        vbox(self.header, (scroll, 1), owner=self, spacing=SPACE.m, margins=margins)
        self.refresh()

    def refresh(self) -> None:
        """Show which samples are imported, and which one is in progress."""
        busy = self._name
        why_not = self.tr("One sample at a time: another is in progress") if busy else ""
        for name, card in self.cards.items():
            if name != busy:
                is_made = bool(dataset_of_sample(self._context, name))
                card.show_idle(is_made=is_made, why_not=why_not)

    @property
    def is_open(self) -> bool:
        """True if the samples are shown."""
        return self._stack.currentWidget() is self

    def want(self, name: str) -> None:
        """Show the dataset of a sample; make it if there is none."""
        record_id = dataset_of_sample(self._context, name)
        if record_id:
            self.found.emit(record_id)
            return
        if not self._name:
            self._name = name
            work = partial(submit_sample, self._context.jobs.queue, name)
            self._writing.track(work, self._on_ready, self._on_failed)
        self._show_writing()

    def want_digits(self) -> None:
        """Show or make the dataset of the handwritten digits."""
        self.want(DIGITS)

    def open(self) -> None:
        """Show all samples."""
        self.refresh()
        self._list.set_current("")
        self._stack.setCurrentWidget(self)

    def _cancel(self) -> None:
        self._writing.stop()

    def _end(self) -> str:
        name, self._name = self._name, ""
        self.refresh()
        return name

    def _show_writing(self) -> None:
        self._throughput.reset()
        for card in self.cards.values():
            card.problem.show_error(None)
        self.cards[self._name].show_busy()
        self.refresh()
        if self._name != DIGITS:
            self.open()
        elif not self.is_open:
            self._start.set_busy(self.tr("Writing the handwritten digits…"))
            self._stack.setCurrentWidget(self._start)

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        card = self.cards.get(self._name)
        if card is not None:
            self._throughput.add(time.monotonic(), done)
            left = self._throughput.seconds_left(total, time.monotonic()) if total else None
            text = sample_line(what, done, total, left, is_bytes=bool(card.sample.download))
            card.show_progress(text, done / total if total else None)

    def _on_ready(self, record_id: str) -> None:
        self._end()
        if self._stack.currentWidget() in (self._start, self):
            self.found.emit(record_id)
        else:  # a download takes minutes: the user does something else by now
            self._context.jobs.wake()

    def _on_failed(self, error: BaseException) -> None:
        name = self._end()
        self._start.set_busy("")
        self.given_up.emit()
        if isinstance(error, Cancelled):
            return
        if isinstance(error, StudioError):
            self.cards[name].problem.show_error(error)
        if not isinstance(error, StudioError) or not self.is_open:
            self._context.background.failed.emit(error)
