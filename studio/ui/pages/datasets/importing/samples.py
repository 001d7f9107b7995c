"""Sample datasets: a card for each, their download or creation, and their import."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES, Sample
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled
from studio.engine.workspace import RecordKind
from studio.ui.bridge.background import WindowProgress
from studio.ui.context import AppContext
from studio.ui.engine_text import plan_text
from studio.ui.pages.datasets.dataset_list import DatasetList
from studio.ui.pages.datasets.importing.rules import RateMeter, best_of_sample
from studio.ui.pages.datasets.importing.search_panel import StartPanel
from studio.ui.pages.datasets.importing.status import ProblemCard
from studio.ui.pages.datasets.importing.survey import submit_sample
from studio.ui.pages.datasets.messages import DOT, sample_line
from studio.ui.shared.jobs import show_stopping
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import size
from studio.ui.widgets.layout import fill, hbox, scrolled, text_label, vbox
from studio.ui.widgets.pages import PageHeader
from studio.ui.widgets.tips import explain


class SampleImport(QObject):
    """Gets samples into the workspace, one at a time, and asks for their import.

    Signals:
        known: Id of the dataset that was there already, or on its way.
        ready: Id of the dataset that was asked for after the sample was written.
        writing: Name of the sample that is being written or downloaded; `ready`, `failed` or
            `cancelled` follows.
        advanced: How much of it is done, of how much, and what is going on.
        failed: Name of the sample and the `StudioError` that says why there is none.
        cancelled: Name of the sample that is not wanted any more; what came of it is kept.
    """

    known = Signal(str)
    ready = Signal(str)
    writing = Signal(str)
    advanced = Signal(object, object, str)
    failed = Signal(str, object)
    cancelled = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        # The sample that is being written; empty for none.
        self.name: str = ""
        self._ear: WindowProgress | None = None
        # The window waits for its threads when it closes, and a download takes minutes.
        context.background.closing.connect(self.cancel)

    def made(self, name: str) -> str:
        """Id of the dataset of a sample, there or on its way; empty where there is none."""
        datasets = [
            (entry.record.id, entry.state, entry.plan)
            for entry in self._context.jobs.entries(RecordKind.DATASET)
            if isinstance(entry.plan, DatasetRecipe)
        ]
        return best_of_sample(datasets, self._context.workspace.root, name)

    def want(self, name: str) -> None:
        """Find the dataset of a sample; make it where there is none yet."""
        record_id = self.made(name)
        if record_id:
            self.known.emit(record_id)
            return
        if self.name:
            self.writing.emit(self.name)
            return
        self.name = name
        ear = WindowProgress(self)
        ear.advanced.connect(self.advanced)
        self._ear = ear
        self.writing.emit(name)
        work = partial(submit_sample, self._context.jobs.queue, name, ear)
        self._context.background.run(self, work, self._on_made, self._on_failed)

    def cancel(self) -> None:
        """End what is being written; `cancelled` follows."""
        if self._ear is not None:
            self._ear.cancel()

    def _end(self) -> str:
        name, self.name = self.name, ""
        if self._ear is not None:
            self._ear.deleteLater()
            self._ear = None
        return name

    def _on_made(self, record_id: str) -> None:
        self._end()
        self.ready.emit(record_id)

    def _on_failed(self, error: BaseException) -> None:
        name = self._end()
        if isinstance(error, Cancelled):
            self.cancelled.emit(name)
        elif isinstance(error, StudioError):
            self.failed.emit(name, error)
        else:
            self.cancelled.emit(name)
            self._context.background.failed.emit(error)


class SampleCard(Card):
    """A sample that can be had, is on its way, or is there.

    Signals:
        wanted: Get it, or show it.
        cancel_requested: Do not get it after all.
    """

    wanted = Signal(str)
    cancel_requested = Signal()

    def __init__(self, sample: Sample, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.sample = sample
        label = text_label(plan_text(sample.label), "section", self)
        text = text_label(plan_text(sample.description), "muted", self, wraps=True)
        choice = view_of(sample.task).words(sample.task).choice
        cost = self.tr("No network needed")
        if sample.download:
            cost = self.tr("A download of {size} the first time").format(
                size=size(sample.download)
            )
        self.cost = text_label(DOT.join((choice, cost)), "caption", self)
        self.button = push_button("", theme, icon="download", parent=self)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.cancel_button.setToolTip(self.tr("What came until now is kept for the next time"))
        explain(self.button, self.tr("Imports it into this workspace, or shows it there."))
        self.bar = ThinBar(theme, self)
        self.line = text_label("", "muted", self)
        self.problem = ProblemCard(theme, self)
        words = vbox(label, text, self.cost, spacing=SPACE.xs)
        row = hbox((words, 1), spacing=SPACE.l)
        for button in (self.button, self.cancel_button):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        fill(self.body, row, self.bar, self.line, self.problem)
        self.button.clicked.connect(self._on_wanted)
        self.cancel_button.clicked.connect(self._on_cancel)
        self.show_idle(is_made=False)

    def show_idle(self, *, is_made: bool, why_not: str = "") -> None:
        """Offer the sample, or say why it has to wait."""
        word = self.tr("Get") if self.sample.download else self.tr("Make")
        self.button.setText(self.tr("Show") if is_made else word)
        name = self.tr("{word}: {sample}").format(
            word=self.button.text(), sample=plan_text(self.sample.label)
        )
        self.button.setAccessibleName(name)
        self.button.setEnabled(is_made or not why_not)
        self.button.setToolTip("" if is_made else why_not)
        self._show_busy(is_busy=False)

    def show_busy(self) -> None:
        """Show that the sample is on its way."""
        self.problem.show_error(None)
        self.bar.set_fraction(None)
        self.line.setText(self.tr("Getting ready…"))
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setEnabled(True)
        self._show_busy(is_busy=True)

    def show_progress(self, text: str, fraction: float | None) -> None:
        """Show how far it is."""
        self.bar.set_fraction(fraction)
        self.line.setText(text)

    def show_error(self, error: StudioError | None) -> None:
        """Say why it cannot be had."""
        self.problem.show_error(error)

    def _on_cancel(self) -> None:
        show_stopping(self.cancel_button)
        self.cancel_requested.emit()

    def _show_busy(self, *, is_busy: bool) -> None:
        self.button.setVisible(not is_busy)
        for part in (self.cancel_button, self.bar, self.line):
            part.setVisible(is_busy)

    def _on_wanted(self) -> None:
        self.wanted.emit(self.sample.name)


DIGITS = "digits"
_WIDTH = 760


class SampleSheet(QWidget):
    """A card for each sample; one is got at a time, then its dataset is shown.

    Args:
        context: For all pages.
        stack: Shows one part of the page at a time.
        start: Shows that the digits are being written.
        datasets: The list beside the stack.

    Signals:
        closed: The user wants none.
        found: Id of a dataset that is to be shown.
        given_up: Nothing came of it; what was there is to be shown again.
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
        samples = self._samples = SampleImport(context, self)
        self._meter = RateMeter()
        self.header = PageHeader(
            self.tr("Sample datasets"),
            self.tr("Made or downloaded once, then imported like images of your own."),
            self,
        )
        self.close_button = push_button(self.tr("Not now"), theme, kind="quiet", parent=self)
        self.header.add_action(self.close_button)
        self.cards = {sample.name: SampleCard(sample, theme, self) for sample in SAMPLES}
        self._lay_out()
        self.close_button.clicked.connect(self.closed)
        for card in self.cards.values():
            card.wanted.connect(samples.want)
            card.cancel_requested.connect(samples.cancel)
        samples.writing.connect(self._on_writing)
        samples.advanced.connect(self._on_advanced)
        samples.failed.connect(self._on_failed)
        samples.cancelled.connect(self._on_cancelled)
        samples.known.connect(self.found)
        samples.ready.connect(self._on_ready)
        self.refresh()
        explain(self.close_button, self.tr("Goes back; nothing is downloaded."))

    def refresh(self) -> None:
        """Show what is there already, and what is on its way."""
        busy = self._samples.name
        why_not = self.tr("One sample at a time: another is being got") if busy else ""
        for name, card in self.cards.items():
            if name != busy:
                card.show_idle(is_made=bool(self._samples.made(name)), why_not=why_not)

    @property
    def is_open(self) -> bool:
        """Whether the samples are shown."""
        return self._stack.currentWidget() is self

    def want(self, name: str) -> None:
        """Find the dataset of a sample, or make it."""
        self._samples.want(name)

    def want_digits(self) -> None:
        """Find or make the dataset of the handwritten digits."""
        self.want(DIGITS)

    def open(self) -> None:
        """Show all samples."""
        self.refresh()
        self._list.set_current("")
        self._stack.setCurrentWidget(self)

    def _on_writing(self, name: str) -> None:
        self._meter.reset()
        for card in self.cards.values():
            card.show_error(None)
        self.cards[name].show_busy()
        self.refresh()
        if name != DIGITS:
            self.open()
        elif not self.is_open:
            self._start.set_busy(self.tr("Writing the handwritten digits…"))
            self._stack.setCurrentWidget(self._start)

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        card = self.cards.get(self._samples.name)
        if card is None:
            return
        self._meter.add(time.monotonic(), done)
        left = self._meter.seconds_left(total) if total else None
        is_bytes = bool(card.sample.download)
        text = sample_line(what, done, total, left, is_bytes=is_bytes)
        card.show_progress(text, done / total if total else None)

    def _on_failed(self, name: str, error: StudioError) -> None:
        self._on_cancelled()
        self.cards[name].show_error(error)
        if not self.is_open:
            self._context.background.failed.emit(error)

    def _on_ready(self, record_id: str) -> None:
        self.refresh()
        if self._stack.currentWidget() in (self._start, self):
            self.found.emit(record_id)
        else:  # a download takes minutes: the user went on to something else
            self._context.jobs.wake()

    def _on_cancelled(self) -> None:
        self.refresh()
        self._start.set_busy("")
        self.given_up.emit()

    def _lay_out(self) -> None:
        inside = QWidget(self)
        cards = vbox(owner=inside, spacing=SPACE.m, margins=(0, 0, SPACE.s, SPACE.m))
        for card in self.cards.values():
            card.setMaximumWidth(_WIDTH)
            cards.addWidget(card)
        cards.addStretch(1)
        scroll = QScrollArea(self)
        scrolled(scroll, inside)
        vbox(
            self.header,
            (scroll, 1),
            owner=self,
            spacing=SPACE.m,
            margins=(SPACE.xl, SPACE.xl, SPACE.l, SPACE.l),
        )
