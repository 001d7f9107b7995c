"""The top of the page: which model answers, and the ways in besides dropping."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShortcut
from PySide6.QtWidgets import QWidget

from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.predict import review_messages
from studio.ui.pages.predict.commands import OPEN_PICTURES, PASTE_PICTURE
from studio.ui.pages.predict.compare_button import CompareButton
from studio.ui.pages.predict.incoming import has_something
from studio.ui.pages.predict.more_button import MoreButton
from studio.ui.pages.predict.side_by_side import SideBySide
from studio.ui.theme.tokens import CONTROL_HEIGHT
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.pages import PageHeader

CHOICE_KEY: Final = "predict/run"
_CHOICE_LETTERS: Final = 20


class Top(PageHeader):
    """Title, model chooser, further models, the review queue, Paste (Ctrl+V) and Open (Ctrl+O).

    Signals:
        paste_requested: Take what the clipboard holds.
        open_requested: Choose pictures by a file dialog.
        review_requested: Show the review queue.
    """

    paste_requested = Signal()
    open_requested = Signal()
    review_requested = Signal()

    def __init__(self, context: AppContext, beside: SideBySide, page: QWidget) -> None:
        """Build it; the shortcuts work while `page` can be seen."""
        super().__init__("", parent=page)
        self.set_title(self.tr("Predict"))
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        # The window may be narrow, and there is much beside it.
        self.chooser.setMinimumContentsLength(_CHOICE_LETTERS)
        self.compare_button = CompareButton(context, self.chooser, beside, self)
        self.review_button = push_button(
            review_messages.button(0), context.theme, icon="tag", parent=self
        )
        self.review_button.setToolTip(self.tr("Show the pictures whose answers were corrected"))
        self.paste_button = push_button(self.tr("Paste"), context.theme, icon="copy", parent=self)
        self.open_button = push_button(
            self.tr("Open…"), context.theme, icon="folder-open", parent=self
        )
        self._shortcuts = context.settings.shortcuts
        # The title stays where it is when the tools are hidden.
        self.setMinimumHeight(CONTROL_HEIGHT)
        self.add_action(self.chooser)
        self.add_action(self.compare_button)
        self.add_action(self.review_button)
        self.add_action(self.paste_button)
        self.more_button = MoreButton(context.theme, self)
        self.add_action(self.open_button)
        self.add_action(self.more_button)
        self.paste_button.clicked.connect(self._on_paste)
        self.open_button.clicked.connect(self._on_open)
        self.review_button.clicked.connect(self._on_review)
        for command, slot in (
            (PASTE_PICTURE, self._on_paste),
            (OPEN_PICTURES, self._on_open),
        ):
            # Of the window, so that it works wherever the focus is; only while `page` is visible.
            shortcut = QShortcut(page)
            context.settings.shortcuts.bind(shortcut, command)
            shortcut.activated.connect(slot)
        QGuiApplication.clipboard().dataChanged.connect(self._on_clipboard)
        self._shortcuts.changed.connect(self._tell_keys)
        self._tell_keys()

    def show_tools(self, *, chooser: bool, opener: bool, review: bool) -> None:
        """Show what is of use.

        Args:
            chooser: True if there is a model to choose.
            opener: True if there is no other Open button in sight.
            review: True if answers can be corrected.
        """
        self.chooser.setVisible(chooser)
        self.compare_button.setVisible(chooser)
        self.review_button.setVisible(chooser and review)
        self.more_button.setVisible(chooser)
        self.paste_button.setVisible(chooser)
        self.open_button.setVisible(chooser and opener)

    def _tell_keys(self) -> None:
        tip = self.tr("Choose pictures for a prediction")
        self.open_button.setToolTip(self._shortcuts.tip(tip, OPEN_PICTURES))
        self._on_clipboard()

    def _on_clipboard(self) -> None:
        usable = has_something(QGuiApplication.clipboard().mimeData())
        self.paste_button.setEnabled(usable)
        self.paste_button.setToolTip(
            self._shortcuts.tip(self.tr("Predict the picture in the clipboard"), PASTE_PICTURE)
            if usable
            else self.tr("The clipboard holds no picture, no file and no web address.")
        )

    def _on_paste(self) -> None:
        self.paste_requested.emit()

    def show_waiting(self, waiting: int) -> None:
        """Say how many corrected pictures wait."""
        self.review_button.setText(review_messages.button(waiting))

    def _on_review(self) -> None:
        self.review_requested.emit()

    def _on_open(self) -> None:
        self.open_requested.emit()
