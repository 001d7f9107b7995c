"""A dataset that cannot be shown: why, and the way out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.state import goes_on
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.state_badge import StateBadge


class ImportEnded(QWidget):
    """The face of a dataset whose import did not come to its end, or that is damaged.

    Signals:
        restart_requested: Continue the import, or do it again.
    """

    restart_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail = ""
        self.badge = StateBadge(theme, "failed", self)
        self.reason = _wrapped(self)
        self.hint = _wrapped(self)
        self.hint.setProperty("role", "muted")
        self.restart_button = push_button("", theme, kind="primary", icon="refresh", parent=self)
        self.restart_button.clicked.connect(self._on_restart)
        self.copy_button = push_button(
            self.tr("Copy details"), theme, kind="quiet", icon="copy", parent=self
        )
        self.copy_button.clicked.connect(self._copy)
        card = Card("", self)
        card.body.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        card.body.addWidget(self.reason)
        card.body.addWidget(self.hint)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE.s)
        buttons.addWidget(self.restart_button)
        buttons.addWidget(self.copy_button)
        buttons.addStretch(1)
        card.body.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        column.addStretch(1)
        explain(
            self.copy_button,
            self.tr("Copies all that was said about the failure, to ask somebody."),
        )
        explain(self.restart_button, self.tr("Begins it again with the same settings."))

    def show_entry(self, entry: JobEntry) -> None:
        """Show how an import ended."""
        history = entry.history
        self.badge.set_state(entry.state.value)
        self.badge.show()
        hint = history.hint
        if entry.state == State.STOPPED:
            hint = self.tr("What was done until then is kept, and Continue goes on from there.")
        self._fill(history.reason, hint, history.detail)
        word = self.tr("Continue") if goes_on(entry.state) else self.tr("Import again")
        self.restart_button.setText(word)
        self.restart_button.show()

    def show_damage(self, error: StudioError) -> None:
        """Show what is wrong with a dataset that was completed once."""
        self.badge.hide()
        self._fill(error.message, error.hint, "")
        self.restart_button.hide()

    def _fill(self, reason: str, hint: str, detail: str) -> None:
        self._detail = detail
        self.reason.setText(engine_text(reason))
        self.hint.setText(engine_text(hint))
        self.hint.setVisible(bool(hint))
        self.copy_button.setVisible(bool(detail))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._detail)

    def _on_restart(self) -> None:
        self.restart_requested.emit()


def _wrapped(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
