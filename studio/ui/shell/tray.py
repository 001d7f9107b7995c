"""The jobs tray at the bottom, shown while anything waits or runs or the queue is paused."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.jobs.supervisor import Key
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.navigation import job_intent
from studio.ui.shared.queue_rows import QueueRows
from studio.ui.theme.icons import set_icon
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.job_rows import QueueRow
from studio.ui.widgets.tips import explain

ROW_HEIGHT = 70
MOST_ROWS = 4


class Tray(QFrame):
    """Shows what waits and runs, and on what; collapsed, the job that runs longest."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tray")
        self.setAccessibleName(self.tr("Jobs"))
        self._context = context
        self._is_open = False
        self._summary = QLabel(self)
        self._summary.setProperty("role", "caption")
        self.pause_button: QToolButton = icon_button("pause", "", context.theme)
        self.pause_button.clicked.connect(self._on_pause)
        self._toggle: QToolButton = icon_button("chevron-up", "", context.theme)
        self._toggle.clicked.connect(self._on_toggle)
        self._list = QWidget(self)
        self._list.setProperty("plain", "true")
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        # Everything in it can be reached by itself.
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._list)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.xs, SPACE.m, SPACE.xs)
        row.addWidget(self._summary)
        row.addWidget(self.pause_button)
        row.addWidget(self._scroll, 1)
        row.addWidget(self._toggle)
        self._rows = QueueRows(context, self._column, self._list, ROW_HEIGHT)
        self._rows.changed.connect(self._fit)
        self._rows.open_wanted.connect(self._on_open)
        self._rows.refresh()
        explain(self._toggle, self.tr("All jobs that run or wait, or one of them."))
        explain(
            self.pause_button,
            self.tr("While the queue is paused, jobs at work continue and nothing else starts."),
        )

    def rows(self) -> dict[Key, QueueRow]:
        """The rows that are shown, by record, in their order."""
        return self._rows.rows()

    def toggle(self) -> None:
        """Open the list of all jobs, or show one again."""
        self._on_toggle()

    def open(self) -> None:
        """Show all jobs."""
        if not self._is_open:
            self._on_toggle()

    def _fit(self, active: list[JobEntry]) -> None:
        paused = self._context.jobs.is_queue_paused
        self.setVisible(bool(active) or paused)
        self._scroll.setVisible(bool(active))
        running = sum(entry.state.has_worker for entry in active)
        waiting = len(active) - running
        words = [self.tr("%n running", "", running)] if running else []
        words += [self.tr("%n waiting", "", waiting)] if waiting else []
        words += [self.tr("Queue paused")] * paused
        self._summary.setText("\n".join(words))
        what = self.tr("Resume the queue") if paused else self.tr("Pause the queue")
        self.pause_button.setToolTip(what)
        self.pause_button.setAccessibleName(what)
        set_icon(self.pause_button, "play" if paused else "pause", self._context.theme, "muted")
        shown = min(len(active), MOST_ROWS) if self._is_open else 1
        self._scroll.setFixedHeight(shown * ROW_HEIGHT)
        is_long = self._is_open and len(active) > MOST_ROWS
        policy = Qt.ScrollBarPolicy
        self._scroll.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_long else policy.ScrollBarAlwaysOff
        )
        self._toggle.setVisible(len(active) > 1)
        text = self.tr("Show less") if self._is_open else self.tr("Show all jobs")
        self._toggle.setToolTip(text)
        self._toggle.setAccessibleName(text)
        icon = "chevron-down" if self._is_open else "chevron-up"
        set_icon(self._toggle, icon, self._context.theme, "muted")

    def _on_pause(self) -> None:
        self._context.jobs.set_queue_paused(not self._context.jobs.is_queue_paused)

    def _on_toggle(self) -> None:
        self._is_open = not self._is_open
        self._rows.refresh()

    def _on_open(self, entry: JobEntry) -> None:
        self._context.navigator.open(job_intent(*entry.key))
