"""Pages with records of runs: a form that chooses a run makes the records that are listed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunForm
from studio.ui.context import AppContext
from studio.ui.pages.record_page import RecordPage


class RunPage(RecordPage):
    """Base of pages whose records are made of a run, by a form in the left column.

    Args:
        context: The parts of the application.
        kinds: Kinds of the listed records.
        form: Chooses the run.
        parent: Owns the page.
    """

    def __init__(
        self,
        context: AppContext,
        kinds: Sequence[RecordKind],
        form: RunForm,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, kinds, parent)
        self.chooser = form.chooser
        self.nothing: QWidget
        self.chooser.changed.connect(self.choose)

    @property
    def has_content(self) -> bool:
        """True if there are records, or a run of which one can be made."""
        return super().has_content or self.chooser.choice() is not None

    def choose(self, _choice: RunChoice | None) -> None:
        """Update the page for the run that the form names."""
        self.update_page()

    def show_requested(self) -> bool:
        """Show what was requested, if it is known; a run is chosen in the form."""
        run = self._requested
        if self.context.jobs.get(RecordKind.RUN, run) is None:
            return super().show_requested()
        self._requested = ""
        self.chooser.select(run)
        self.show_start()
        return True

    def show_nothing(self) -> None:
        """Show that there are no records yet, or how to get a run."""
        self.show_placeholder(self.nothing if self.has_content else self._empty)
