"""The top of the page: which model answers, and the ways in besides dropping."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.predict.incoming import has_something
from studio.ui.theme.tokens import CONTROL_HEIGHT
from studio.ui.widgets.button import push_button
from studio.ui.widgets.page_header import PageHeader

CHOICE_KEY: Final = "predict/run"


class Top(PageHeader):
    """Title, model chooser, Paste (Ctrl+V) and Open (Ctrl+O).

    Signals:
        paste_requested: Take what the clipboard holds.
        open_requested: Choose pictures by a file dialog.
    """

    paste_requested = Signal()
    open_requested = Signal()

    def __init__(self, context: AppContext, page: QWidget) -> None:
        """Build it; the shortcuts work while `page` can be seen."""
        super().__init__("", parent=page)
        self.set_title(self.tr("Predict"))
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.paste_button = push_button(self.tr("Paste"), context.theme, icon="copy", parent=self)
        self.open_button = push_button(
            self.tr("Open…"), context.theme, icon="folder-open", parent=self
        )
        self.open_button.setToolTip(self.tr("Choose pictures to classify (Ctrl+O)"))
        # The title stays where it is when the tools are hidden.
        self.setMinimumHeight(CONTROL_HEIGHT)
        self.add_action(self.chooser)
        self.add_action(self.paste_button)
        self.add_action(self.open_button)
        self.paste_button.clicked.connect(self._on_paste)
        self.open_button.clicked.connect(self._on_open)
        for keys, slot in (
            (QKeySequence.StandardKey.Paste, self._on_paste),
            (QKeySequence.StandardKey.Open, self._on_open),
        ):
            # Of the window, so that it works wherever the focus is; only while `page` is visible.
            shortcut = QShortcut(QKeySequence(keys), page)
            shortcut.activated.connect(slot)
        QGuiApplication.clipboard().dataChanged.connect(self._on_clipboard)
        self._on_clipboard()

    def show_tools(self, *, chooser: bool, opener: bool) -> None:
        """Show what is of use: nothing without a model; no second Open beside the drop area's."""
        self.chooser.setVisible(chooser)
        self.paste_button.setVisible(chooser)
        self.open_button.setVisible(chooser and opener)

    def _on_clipboard(self) -> None:
        usable = has_something(QGuiApplication.clipboard().mimeData())
        self.paste_button.setEnabled(usable)
        self.paste_button.setToolTip(
            self.tr("Classify the picture in the clipboard (Ctrl+V)")
            if usable
            else self.tr("The clipboard holds no picture and no file.")
        )

    def _on_paste(self) -> None:
        self.paste_requested.emit()

    def _on_open(self) -> None:
        self.open_requested.emit()
