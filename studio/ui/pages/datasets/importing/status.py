"""State of an import: its progress, its end, an error, and the files that were skipped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QWidget

from studio.engine.datasets.sources.base import Skipped
from studio.engine.errors import StudioError, UnlabeledError
from studio.engine.jobs.events import Event, ProgressMade, StateChanged
from studio.engine.jobs.states import State
from studio.engine.progress import RateMeter
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.importing.rules import goes_on
from studio.ui.shared.jobs import show_stop
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import OpenerButton, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import HintLabel, IconLabel, StateBadge
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import text_columns
from studio.ui.widgets.tips import explain


class ProblemCard(QFrame):
    """An error as a card with a hint below it; hidden while there is none.

    Images without classes are no error of the user: they get another icon.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.message = text_label("", "body", self, wraps=True, selectable=True)
        self.hint = text_label("", "muted", self, wraps=True, selectable=True)
        words = vbox(self.message, self.hint, spacing=SPACE.xs)
        self._icon = IconLabel(theme, "error", "bad", parent=self)
        picture = (self._icon, Qt.AlignmentFlag.AlignTop)
        margins = (SPACE.l, SPACE.m, SPACE.l, SPACE.m)
        hbox(picture, (words, 1), owner=self, spacing=SPACE.m, margins=margins)
        self.show_error(None)

    def show_error(self, error: StudioError | None) -> None:
        """Show an error, or none."""
        self.setVisible(error is not None)
        if error is not None:
            if isinstance(error, UnlabeledError):
                self._icon.set_icon("info", "accent")
            else:
                self._icon.set_icon("error", "bad")
            self.message.setText(translated(error.message))
            self.hint.setText(translated(error.hint))
            self.hint.setVisible(bool(error.hint))
            self.setAccessibleName(translated(str(error)))


_MOST_ROWS = 5


class SkippedSection(QWidget):
    """A line with the count that opens a table of paths and reasons; hidden when there are none.

    Args:
        theme: Colors of the icons.
        words: Returns the line about the files.
    """

    def __init__(
        self,
        theme: Theme,
        words: Callable[[Sequence[Skipped]], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = words
        self._entries: Sequence[Skipped] = ()
        tip = self.tr("Files that cannot be used, each with the reason.")
        self.opener = OpenerButton(self)
        self.opener.toggled.connect(self._show)
        explain(self.opener, tip)
        headings = [self.tr("File"), self.tr("Why")]
        name = self.tr("Files left out")
        self.table = Table(name, text_columns(headings), self, max_rows=_MOST_ROWS)
        explain(self.table, tip)
        tip = self.tr("Copies paths and reasons, one per line.")
        self.copy_button = push_button(
            self.tr("Copy list"), theme, kind="quiet", icon="copy", tip=tip, on_click=self._copy
        )
        line = hbox(self.opener, STRETCH, self.copy_button, spacing=SPACE.s)
        self.lost = HintLabel(parent=self)
        vbox(line, self.lost, self.table, owner=self, spacing=SPACE.xs)
        self.set_entries([])

    def set_entries(self, entries: Sequence[Skipped]) -> None:
        """Show other files; closes the table."""
        self._entries = entries
        self.lost.show_text(messages.lost_line(entries))
        self.table.show_rows([(entry.path, translated(entry.reason)) for entry in entries])
        self.opener.setChecked(False)
        self._show()
        self.setVisible(bool(entries))

    def _show(self) -> None:
        shown = self.opener.isChecked()
        self.table.setVisible(shown)
        self.copy_button.setVisible(shown)
        text = self._words(self._entries)
        name = self.tr("{what}. Hide the list") if shown else self.tr("{what}. Show the list")
        self.opener.setText(text)
        self.opener.setAccessibleName(name.format(what=text))
        set_icon(self.opener, "chevron-up" if shown else "chevron-down", self._theme, "muted")

    def _copy(self) -> None:
        lines = map("\t".join, self.table.content.rows)
        QGuiApplication.clipboard().setText("\n".join(lines))


class ImportProgress(QWidget):
    """The progress of an import."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._meter = RateMeter()
        self.badge = StateBadge(theme, "queued", self)
        self.bar = ThinBar(theme, self)
        self.line = text_label("", "muted", self)
        tip = self.tr("Stops the import. You can continue it later.")
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", tip=tip)
        # Not where Cancel was: who cancels a moment too late keeps the audit.
        tip = self.tr("Skip the audit; you can run it later")
        self.skip_button = push_button(self.tr("Skip"), theme, kind="quiet", icon="skip", tip=tip)
        self.card = Card(self.tr("Importing"), self)
        head = hbox(self.badge, STRETCH, self.cancel_button)
        skip = (self.skip_button, Qt.AlignmentFlag.AlignLeft)
        fill(self.card.body, head, self.bar, self.line, skip)
        vbox(self.card, STRETCH, owner=self, spacing=SPACE.m)

    def begin(self, entry: RecordDocument) -> None:
        """Show another import."""
        self._meter.reset()
        self.refresh(entry)

    def take(self, entry: RecordDocument, events: Sequence[Event]) -> None:
        """Show new events of the import."""
        for event in events:
            if isinstance(event, StateChanged):
                self._meter.reset()
            elif isinstance(event, ProgressMade) and event.total:
                self._meter.add(event.t, event.done)
        self.refresh(entry)

    def refresh(self, entry: RecordDocument) -> None:
        """Show the current state of the import."""
        state, history = entry.state, entry.history
        self.badge.set_state(state.value)
        # The import has its result when the images are stored; their audit follows.
        is_audit = bool(history.result)
        importing, auditing = self.tr("Importing"), self.tr("Auditing the images")
        self.card.set_title(auditing if is_audit else importing)
        show_stop(self.cancel_button, entry, self.tr("Cancel"))
        show_stop(self.skip_button, entry, self.tr("Skip"))
        self.cancel_button.setVisible(not is_audit)
        self.skip_button.setVisible(is_audit)
        if state == State.QUEUED:
            self.bar.set_fraction(0.0)
            self.line.setText(self.tr("Waits for its turn"))
            return
        self.bar.set_fraction(history.fraction)
        left = history.seconds_left(time.time())
        self.line.setText(messages.progress_line(history.progress, self._meter.rate, left))


class ImportEnded(QWidget):
    """An import that ended early, or a damaged dataset."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail = ""
        self.badge = StateBadge(theme, "failed", self)
        self.reason = text_label("", "body", self, wraps=True, selectable=True)
        self.hint = text_label("", "muted", self, wraps=True, selectable=True)
        tip = self.tr("Restarts the job with the same settings.")
        self.restart_button = push_button("", theme, kind="primary", icon="refresh", tip=tip)
        tip = self.tr("Copies the error details to the clipboard.")
        text = self.tr("Copy details")
        self.copy_button = push_button(
            text, theme, kind="quiet", icon="copy", tip=tip, on_click=self._copy
        )
        card = Card("", self)
        badge = (self.badge, Qt.AlignmentFlag.AlignLeft)
        buttons = hbox(self.restart_button, self.copy_button, STRETCH, spacing=SPACE.s)
        fill(card.body, badge, self.reason, self.hint, buttons)
        vbox(card, STRETCH, owner=self)

    def show_entry(self, entry: RecordDocument) -> None:
        """Show how an import ended."""
        history, state = entry.history, entry.state
        self.badge.set_state(state.value)
        self.badge.show()
        hint = history.hint
        if state == State.STOPPED:
            hint = self.tr("Finished parts are kept. Continue resumes the rest.")
        self._fill(history.reason, hint, history.detail)
        word = self.tr("Continue") if goes_on(state) else self.tr("Import again")
        self.restart_button.setText(word)
        self.restart_button.show()

    def show_damage(self, error: StudioError) -> None:
        """Show the error of a damaged dataset."""
        self.badge.hide()
        self._fill(error.message, error.hint, "")
        self.restart_button.hide()

    def _fill(self, reason: str, hint: str, detail: str) -> None:
        self._detail = detail
        self.reason.setText(translated(reason))
        self.hint.setText(translated(hint))
        self.hint.setVisible(bool(hint))
        self.copy_button.setVisible(bool(detail))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._detail)
