"""What all views of a sweep have in common: the trials, who is pointed at, and who is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.ui.charts.spoken import trials_text
from studio.ui.charts.sweep_data import SweepTrials
from studio.ui.charts.sweep_text import trial_text
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE

if TYPE_CHECKING:
    from studio.ui.charts.table import Table


class SweepView(QWidget):
    """One way of looking at the trials of a sweep.

    Signals:
        trial_chosen: The number of a trial that was clicked, or reached by Return.
        brushed: The numbers of the trials that are picked out, a frozenset, or None for all.
        work_wanted: A `Work` that takes too long for the window's thread.
    """

    trial_chosen = Signal(int)
    brushed = Signal(object)
    work_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.trials: SweepTrials | None = None
        # A tooltip of Qt's would be a window, and go when the pointer rests.
        self.bubble = QLabel(self)
        self.bubble.setProperty("role", "bubble")
        self.bubble.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bubble.hide()

    def set_trials(self, trials: SweepTrials) -> None:
        """Show these trials."""
        self.trials = trials
        self.setAccessibleDescription(trials_text(trials) if len(trials) else self.missing())
        self.refresh()

    def set_importance(self, importance: Mapping[str, float] | None) -> None:
        """Most views have no use for it."""

    def refresh(self) -> None:
        """Draw the trials anew."""
        raise NotImplementedError

    def table(self) -> Table | None:
        """What is copied as CSV in place of the trials; None for those."""
        return None

    def finish(self) -> None:
        """Draw now what would be drawn a moment later."""

    def missing(self) -> str:
        """Why there is nothing to show yet, in a sentence; empty where there is something."""
        if self.trials is None or not len(self.trials):
            return self.tr("Appears when the first trial is finished.")
        return ""

    def describe(self, index: int) -> str:
        """A trial in lines, by its place among the finished ones."""
        if self.trials is None:
            return ""
        title = self.tr("Trial {number}").format(number=int(self.trials.numbers[index]))
        return trial_text(self.trials, index, title)

    def tell(self, index: int | None, place: QPoint) -> None:
        """Show what is under the pointer.

        Args:
            index: Place of the trial among the finished ones; None for none.
            place: On the screen.
        """
        self.tell_text("" if index is None else self.describe(index), place)

    def tell_text(self, text: str, place: QPoint) -> None:
        """Show lines beside a place of the screen; none takes them away."""
        if not text:
            self.bubble.hide()
            return
        self.setAccessibleDescription(text.replace("\n", ", "))
        self.bubble.setText(text)
        self.bubble.adjustSize()
        spot, room = self.mapFromGlobal(place), self.bubble.size()
        beside = spot.x() + SPACE.m
        if beside + room.width() > self.width():
            beside = spot.x() - SPACE.m - room.width()
        above = min(max(spot.y() - room.height() // 2, 0), self.height() - room.height())
        self.bubble.move(max(0, beside), max(0, above))
        self.bubble.raise_()
        self.bubble.show()

    def choose(self, index: int) -> None:
        """Tell that a trial was chosen, by its place among the finished ones."""
        if self.trials is not None:
            self.trial_chosen.emit(int(self.trials.numbers[index]))
