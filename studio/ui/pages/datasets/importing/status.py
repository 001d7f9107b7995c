"""An import that runs or has ended, an error, and the files that were left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QToolButton, QWidget

from studio.engine.datasets.sources.base import Skipped
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event, ProgressMade, StateChanged
from studio.engine.jobs.states import State
from studio.ui.documents.record import RecordDocument
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.importing.rules import RateMeter, goes_on
from studio.ui.shared.jobs import show_stop
from studio.ui.theme.icons import pixmap, set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import StateBadge
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.tables import TextTable
from studio.ui.widgets.tips import explain


class ProblemCard(QFrame):
    """An error as a card: what happened, and below it what to do; hidden while there is none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("card", True)
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(ICON, ICON))
        self.message = _wrapped(self)
        self.hint = _wrapped(self)
        self.hint.setProperty("role", "muted")
        words = vbox(self.message, self.hint, spacing=SPACE.xs)
        hbox(
            (self._picture, Qt.AlignmentFlag.AlignTop),
            (words, 1),
            owner=self,
            spacing=SPACE.m,
            margins=(SPACE.l, SPACE.m, SPACE.l, SPACE.m),
        )
        theme.changed.connect(self._draw)
        self._draw()
        self.show_error(None)

    def show_error(self, error: StudioError | None) -> None:
        """Show an error, or none."""
        self.message.setText("" if error is None else engine_text(error.message))
        self.hint.setText("" if error is None else engine_text(error.hint))
        self.hint.setVisible(bool(self.hint.text()))
        self.setAccessibleName("" if error is None else engine_text(str(error)))
        self.setVisible(error is not None)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("error", self._theme, "bad", ICON))


def _wrapped(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


_MOST_ROWS = 5


class SkippedSection(QWidget):
    """A line with the count that opens a table of paths and reasons; hidden when there are none.

    Args:
        theme: For what is painted.
        words: The line for a number of files.
    """

    def __init__(
        self, theme: Theme, words: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = words
        self._entries: list[Skipped] = []
        self.opener = QToolButton(self)
        self.opener.setProperty("kind", "quiet")
        self.opener.setProperty("opener", True)
        self.opener.setCheckable(True)
        self.opener.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.opener.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.opener.toggled.connect(self._show)
        self.copy_button = push_button(
            self.tr("Copy list"), theme, kind="quiet", icon="copy", parent=self
        )
        self.copy_button.clicked.connect(self._copy)
        headings = [self.tr("File"), self.tr("Why")]
        self.table = TextTable(
            self.tr("Files left out"), headings, most_rows=_MOST_ROWS, parent=self
        )
        line = hbox(self.opener, STRETCH, self.copy_button, spacing=SPACE.s)
        vbox(line, self.table, owner=self, spacing=SPACE.xs)
        self.set_entries([])
        self._explain()

    def _explain(self) -> None:
        explain(self.copy_button, self.tr("Copies paths and reasons, one line each."))
        explain(self.opener, self.tr("Files that cannot be used, each with the reason."))
        explain(self.table, self.tr("Files that cannot be used, each with the reason."))

    def set_entries(self, entries: Sequence[Skipped]) -> None:
        """Show other files; closes the table."""
        self._entries = list(entries)
        self.table.set_rows([(entry.path, engine_text(entry.reason)) for entry in entries])
        self.opener.setChecked(False)
        self._show()
        self.setVisible(bool(entries))

    def _show(self) -> None:
        shown = self.opener.isChecked()
        self.table.setVisible(shown)
        self.copy_button.setVisible(shown)
        text = self._words(len(self._entries))
        self.opener.setText(text)
        self.opener.setAccessibleName(
            self.tr("{what}. Hide the list").format(what=text)
            if shown
            else self.tr("{what}. Show the list").format(what=text)
        )
        set_icon(self.opener, "chevron-up" if shown else "chevron-down", self._theme, "muted")

    def _copy(self) -> None:
        lines = [f"{entry.path}\t{engine_text(entry.reason)}" for entry in self._entries]
        QGuiApplication.clipboard().setText("\n".join(lines))


class ImportProgress(QWidget):
    """The face of a dataset while it is being made."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._meter = RateMeter()
        self.badge = StateBadge(theme, "queued", self)
        self.bar = ThinBar(theme, self)
        self.line = text_label("", "muted", self)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.card = card = Card(self.tr("Importing"), self)
        top = hbox(self.badge, STRETCH, self.cancel_button)
        fill(card.body, top, self.bar, self.line)
        vbox(card, STRETCH, owner=self, spacing=SPACE.m)
        explain(
            self.cancel_button,
            self.tr("Ends the import; what was read can be gone on with later."),
        )

    def begin(self, entry: RecordDocument) -> None:
        """Show another import."""
        self._meter.reset()
        self.refresh(entry)

    def take(self, entry: RecordDocument, events: Sequence[Event]) -> None:
        """Follow the import that is shown."""
        for event in events:
            if isinstance(event, StateChanged):
                self._meter.reset()
            elif isinstance(event, ProgressMade) and event.total:
                self._meter.add(event.t, event.done)
        self.refresh(entry)

    def refresh(self, entry: RecordDocument) -> None:
        """Show the import as it is now."""
        state = entry.state
        self.badge.set_state(state.value)
        # The import tells its figures when the images are there; what is left is their audit.
        auditing = bool(entry.history.result)
        self.card.set_title(self.tr("Auditing the images") if auditing else self.tr("Importing"))
        show_stop(self.cancel_button, entry, self.tr("Skip") if auditing else self.tr("Cancel"))
        tip = self.tr("What is done is kept, and can be continued later")
        if auditing:
            tip = self.tr("The images are imported; audit them later")
        if state == State.STOPPING:
            tip = self.tr("It is being cancelled")
        self.cancel_button.setToolTip(tip)
        if state == State.QUEUED:
            self.bar.set_fraction(0.0)
            self.line.setText(self.tr("Waits for its turn"))
            return
        progress = entry.history.progress
        self.bar.set_fraction(entry.history.fraction)
        left = entry.history.seconds_left(time.time())
        self.line.setText(messages.progress_line(progress, self._meter.rate, left))


class ImportEnded(QWidget):
    """The face of a dataset whose import did not come to its end, or that is damaged."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail = ""
        self.badge = StateBadge(theme, "failed", self)
        self.reason = _wrapped(self)
        self.hint = _wrapped(self)
        self.hint.setProperty("role", "muted")
        self.restart_button = push_button("", theme, kind="primary", icon="refresh", parent=self)
        self.copy_button = push_button(
            self.tr("Copy details"), theme, kind="quiet", icon="copy", parent=self
        )
        self.copy_button.clicked.connect(self._copy)
        card = Card("", self)
        fill(card.body, (self.badge, Qt.AlignmentFlag.AlignLeft), self.reason, self.hint)
        buttons = hbox(self.restart_button, self.copy_button, STRETCH, spacing=SPACE.s)
        card.body.addLayout(buttons)
        vbox(card, STRETCH, owner=self)
        explain(
            self.copy_button,
            self.tr("Copies all that was said about the failure, to ask somebody."),
        )
        explain(self.restart_button, self.tr("Begins it again with the same settings."))

    def show_entry(self, entry: RecordDocument) -> None:
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
