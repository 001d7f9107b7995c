"""A small window in which one of many runs is found by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.ui.bridge import describe
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.run_choices import MOST_LISTED, RunChoice, RunChoices
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidingDelegate
from studio.ui.widgets.tips import explain

_SIZE: Final = (520, 460)
_ARROWS: Final = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


class RunSearch(QDialog):
    """Lists the runs with a model whose names hold what is typed, the newest first.

    Signals:
        chosen: The `RunChoice`; the window is closed by then.
    """

    chosen = Signal(object)

    def __init__(self, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._found: list[RunChoice] = []
        self.setWindowTitle(self.tr("Another run"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Name of the run, or of its images"))
        self.field.setAccessibleName(self.tr("Search the runs"))
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.view = QListWidget(self)
        self.view.setAccessibleName(self.tr("Runs with a model"))
        self.view.setItemDelegate(ElidingDelegate(self.view))
        self.more = QLabel(self)
        self.more.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.use_button = QPushButton(self.tr("Use this run"), self)
        self.use_button.setProperty("kind", "primary")
        self.use_button.setDefault(True)
        buttons.addButton(self.use_button, QDialogButtonBox.ButtonRole.AcceptRole)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.l, SPACE.l, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.m)
        for widget in (self.field, self.view, self.more, buttons):
            column.addWidget(widget)
        self.field.textChanged.connect(self._fill)
        self.view.itemActivated.connect(self.accept)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        jobs.listed.connect(self._fill)
        explain(self.field, self.tr("Parts of names are enough, in any order."))
        explain(self.view, self.tr("The newest of what fits."))
        explain(self.use_button, self.tr("Takes the run that is marked."))
        self._fill()

    def choices(self) -> list[RunChoice]:
        """What is listed."""
        return list(self._found)

    def accept(self) -> None:
        """Close, and tell what is marked."""
        choice = self._marked()
        if choice is not None:
            super().accept()
            self.chosen.emit(choice)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows move in the list while the field has the focus."""
        if isinstance(event, QKeyEvent) and self._is_for_list(watched, event):
            QApplication.sendEvent(self.view, event)
            return True
        return super().eventFilter(watched, event)

    def _is_for_list(self, watched: QObject, event: QKeyEvent) -> bool:
        is_press = event.type() == QEvent.Type.KeyPress
        return is_press and watched is self.field and event.key() in _ARROWS

    def _fill(self, _news: object = None) -> None:
        marked = self._marked()
        self._found, more = RunChoices.of(self._jobs).find(self.field.text(), MOST_LISTED)
        self.view.clear()
        for choice in self._found:
            words = describe.model(choice)
            QListWidgetItem(words, self.view).setToolTip(words)
        ids = [choice.id for choice in self._found]
        stays = marked is not None and marked.id in ids
        self.view.setCurrentRow(ids.index(marked.id) if marked is not None and stays else 0)
        if not self._found:
            self.more.setText(self.tr("No run is called so."))
        elif more:
            self.more.setText(self.tr("{n} more: type a part of the name.").format(n=count(more)))
        else:
            self.more.clear()
        self.use_button.setEnabled(bool(self._found))

    def _marked(self) -> RunChoice | None:
        row = self.view.currentRow()
        return self._found[row] if row >= 0 else None


def find_run(jobs: Jobs, parent: QWidget, chosen: Callable[[RunChoice], None]) -> None:
    """Open the window; `chosen` is called when a run was found, and not at all otherwise."""
    search = RunSearch(jobs, parent)
    search.chosen.connect(chosen)
    search.open()
