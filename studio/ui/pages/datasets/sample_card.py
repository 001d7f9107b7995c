"""One sample: what it is, what it costs, and the button that gets it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.datasets.samples import Sample
from studio.engine.errors import StudioError
from studio.ui.engine_text import plan_text
from studio.ui.pages.datasets.import_messages import DOT, sample_cost
from studio.ui.pages.datasets.problem_card import ProblemCard
from studio.ui.shared.job_buttons import show_stopping
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.thin_bar import ThinBar


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
        label = QLabel(plan_text(sample.label), self)
        label.setProperty("role", "section")
        text = QLabel(plan_text(sample.description), self)
        text.setProperty("role", "muted")
        text.setWordWrap(True)
        choice = view_of(sample.task).words(sample.task).choice
        self.cost = QLabel(DOT.join((choice, sample_cost(sample.download))), self)
        self.cost.setProperty("role", "caption")
        self.button = push_button("", theme, icon="download", parent=self)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.cancel_button.setToolTip(self.tr("What came until now is kept for the next time"))
        explain(self.button, self.tr("Imports it into this workspace, or shows it there."))
        self.bar = ThinBar(theme, self)
        self.line = QLabel(self)
        self.line.setProperty("role", "muted")
        self.problem = ProblemCard(theme, self)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        for part in (label, text, self.cost):
            words.addWidget(part)
        row = QHBoxLayout()
        row.setSpacing(SPACE.l)
        row.addLayout(words, 1)
        for button in (self.button, self.cancel_button):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.body.addLayout(row)
        for below in (self.bar, self.line, self.problem):
            self.body.addWidget(below)
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
