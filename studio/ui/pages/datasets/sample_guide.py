"""What the page shows while a sample is chosen, written or downloaded."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from studio.engine.errors import StudioError
from studio.ui.context import AppContext
from studio.ui.pages.datasets.dataset_list import DatasetList
from studio.ui.pages.datasets.sample_import import SampleImport
from studio.ui.pages.datasets.sample_sheet import SampleSheet
from studio.ui.pages.datasets.start_panel import StartPanel

DIGITS = "digits"


class SampleGuide(QObject):
    """Leads from the wish for a sample to its dataset.

    Args:
        context: What every page is given.
        stack: Where the page shows one thing at a time.
        start: Tells of the digits while they are written.
        datasets: The list beside the stack.
        parent: The page.

    Signals:
        found: Id of a dataset that is to be shown.
        given_up: Nothing came of it; what was there is to be shown again.
        closed: The sheet of samples was closed.
    """

    found = Signal(str)
    given_up = Signal()
    closed = Signal()

    def __init__(
        self,
        context: AppContext,
        stack: QStackedWidget,
        start: StartPanel,
        datasets: DatasetList,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._stack = stack
        self._start = start
        self._list = datasets
        self._imports = SampleImport(context, self)
        self.sheet = SampleSheet(self._imports, context.theme, stack)
        self.sheet.closed.connect(self.closed)
        self._imports.known.connect(self.found)
        self._imports.ready.connect(self._on_ready)
        self._imports.writing.connect(self._on_writing)
        self._imports.failed.connect(self._on_failed)
        self._imports.cancelled.connect(self._on_cancelled)

    @property
    def is_open(self) -> bool:
        """Whether the sheet of samples is shown."""
        return self._stack.currentWidget() is self.sheet

    def want(self, name: str) -> None:
        """Find the dataset of a sample, or make it."""
        self._imports.want(name)

    def want_digits(self) -> None:
        """Find or make the dataset of the handwritten digits."""
        self.want(DIGITS)

    def open(self) -> None:
        """Show all samples."""
        self.sheet.refresh()
        self._list.set_current("")
        self._stack.setCurrentWidget(self.sheet)

    def _on_writing(self, name: str) -> None:
        if name != DIGITS:
            self.open()
        elif not self.is_open:
            self._start.set_busy(self.tr("Writing the handwritten digits…"))
            self._stack.setCurrentWidget(self._start)

    def _on_ready(self, record_id: str) -> None:
        if self._stack.currentWidget() in (self._start, self.sheet):
            self.found.emit(record_id)
        else:  # a download takes minutes: the user went on to something else
            self._context.jobs.wake()

    def _on_cancelled(self) -> None:
        self._start.set_busy("")
        self.given_up.emit()

    def _on_failed(self, _name: str, error: StudioError) -> None:
        self._on_cancelled()
        if not self.is_open:  # the sheet shows it by itself
            self._context.background.failed.emit(error)
