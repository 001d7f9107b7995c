"""The manual: its window, F1 and Shift+F1."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QTextBrowser,
    QWhatsThis,
    QWidget,
)

from studio.engine.manual import TOPICS, read_topic, title_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.tips import literal, shown_language

TOPIC_OF: Final = {
    "home": "start",
    "datasets": "datasets",
    "networks": "networks",
    "train": "training",
    "sweeps": "sweeps",
    "evaluation": "evaluation",
    "predict": "predict",
    "explore": "explore",
    "export": "export",
    "bench": "bench",
    "settings": "shortcuts",
    "trash": "files",
}
"""The topic that F1 shows on each page."""
_LIST_WIDTH = 220
_LINE_HEIGHT: Final = 120.0
_PROPORTIONAL: Final = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


class HelpWindow(QDialog):
    """Topics at the left, the chosen one at the right; does not block the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self.setModal(False)
        self.resize(820, 620)
        language = shown_language()
        self._language = language
        self.topics = QListWidget(self)
        self.topics.setAccessibleName(self.tr("Topics"))
        self.topics.setFixedWidth(_LIST_WIDTH)
        self.topics.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for name in TOPICS:
            item = QListWidgetItem(title_of(name, language), self.topics)
            item.setData(Qt.ItemDataRole.UserRole, name)
        self.text = QTextBrowser(self)
        self.text.setAccessibleName(self.tr("Text"))
        self.text.setOpenExternalLinks(True)
        self.text.document().setDocumentMargin(SPACE.l)
        self.topics.currentItemChanged.connect(self._on_chosen)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.l, SPACE.l, SPACE.l)
        row.setSpacing(SPACE.m)
        row.addWidget(self.topics)
        row.addWidget(self.text, 1)

    @property
    def topic(self) -> str:
        """Name of the topic that is shown."""
        return str(self.topics.currentItem().data(Qt.ItemDataRole.UserRole))

    def show_topic(self, name: str) -> None:
        """Show a topic and bring the window to the front."""
        self.topics.setCurrentRow(TOPICS.index(name))
        self.show()
        self.raise_()
        self.activateWindow()

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            name = str(item.data(Qt.ItemDataRole.UserRole))
            self.text.setMarkdown(read_topic(name, self._language))
            self._add_spacing()

    def _add_spacing(self) -> None:
        """Add space between paragraphs: Qt sets Markdown without any."""
        block = self.text.document().begin()
        while block.isValid():
            style = block.blockFormat()
            in_cell = QTextCursor(block).currentTable() is not None
            style.setTopMargin(0)
            style.setBottomMargin(SPACE.xs if in_cell else SPACE.m)
            style.setLineHeight(_LINE_HEIGHT, _PROPORTIONAL)
            QTextCursor(block).setBlockFormat(style)
            block = block.next()
        self.text.moveCursor(QTextCursor.MoveOperation.Start)


class Helper(QObject):
    """Shows the manual and explains controls.

    Args:
        window: The window with the pages and controls.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._manual: HelpWindow | None = None

    @property
    def manual(self) -> HelpWindow:
        """The window of the manual; created when first needed."""
        if self._manual is None:
            self._manual = HelpWindow(self._window)
        return self._manual

    def show_help(self, page: str) -> None:
        """Show the topic of a page."""
        self.manual.show_topic(TOPIC_OF[page])

    def ask_whats_this(self, page: str, view: QWidget) -> None:
        """Explain the next control that the user clicks.

        Controls show their tooltip, other parts the purpose of the page.

        Args:
            page: Name of the page.
            view: Its widget.
        """
        for widget in self._window.findChildren(QWidget):
            if widget.toolTip() and not widget.whatsThis():
                widget.setWhatsThis(literal(widget.toolTip()))
        if not view.whatsThis():
            view.setWhatsThis(_first_sentence(TOPIC_OF[page]))
        QWhatsThis.enterWhatsThisMode()


def _first_sentence(topic: str) -> str:
    """Return the first paragraph of a topic."""
    return read_topic(topic, shown_language()).split("\n\n")[1]
