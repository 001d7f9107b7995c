"""A pop-up under a button to choose one of many classes or labels by typing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import elided
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "tasks")

_WIDTH, _HEIGHT = 260, 280


@dataclass(frozen=True, slots=True)
class PickerWords:
    """Texts of a picker.

    Attributes:
        names: Name of the list, for a screen reader.
        names_help: Effect of a click on a name.
        find: Placeholder of the search field.
        find_help: Explanation of the search field.
        new: The button that adds `{name}`.
        new_help: Explanation of the button.
    """

    names: str
    names_help: str
    find: str
    find_help: str
    new: str
    new_help: str


def class_words() -> PickerWords:
    """Return the words for classes."""
    return PickerWords(
        names=_tr("Classes"),
        names_help=_tr("New class of the selected images."),
        find=_tr("Find or add a class"),
        find_help=_tr("Lists the classes whose name contains the text. A new name adds a class."),
        new=_tr("New class “{name}”"),
        new_help=_tr("Adds the class to the dataset and moves the images to it."),
    )


class OutputPicker(QFrame):
    """A search field over a list; closes when a name is chosen or the focus leaves it.

    A name that is not in the list makes a new class or label.

    Args:
        words: Its texts; those for classes if None.

    Signals:
        chosen: Number of a class or label.
        created: Name of a new one.
    """

    chosen = Signal(int)
    created = Signal(str)

    def __init__(self, parent: QWidget | None = None, words: PickerWords | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._words = words or class_words()
        self.setProperty("card", True)
        self.search = QLineEdit(self, placeholderText=self._words.find)
        self.search.setAccessibleName(self._words.find)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(self._words.names)
        self.list.setUniformItemSizes(True)
        self.new_button = QPushButton(self)
        self.new_button.setProperty("kind", "quiet")
        self.new_button.setAutoDefault(False)
        self.new_button.clicked.connect(self._on_new)
        self.list.itemClicked.connect(self._on_item)
        self.list.itemActivated.connect(self._on_item)
        vbox(self.search, self.list, self.new_button, owner=self, spacing=SPACE.s, margins=SPACE.s)
        self.resize(_WIDTH, _HEIGHT)
        explain(self.list, self._words.names_help)
        explain(self.search, self._words.find_help)
        explain(self.new_button, self._words.new_help)
        self._filter("")

    def set_names(self, names: Sequence[str]) -> None:
        """Offer other classes or labels."""
        self.list.clear()
        self.list.addItems(list(names))

    def open_at(self, point: QPoint) -> None:
        """Show it with its upper left corner at a point of the screen."""
        self.search.clear()
        self.list.setCurrentRow(0)
        self.move(point)
        self.show()
        self.search.setFocus()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """In the search field, arrows move in the list and Enter chooses."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step(-1 if event.key() == Qt.Key.Key_Up else 1)
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            item = self.list.currentItem()
            if self.list.currentRow() >= 0 and not item.isHidden():
                self._on_item(item)
            elif self.new_button.isVisible():
                self._on_new()
            return True
        return False

    def _step(self, by: int) -> None:
        row = self.list.currentRow() + by
        while 0 <= row < self.list.count():
            if not self.list.item(row).isHidden():
                self.list.setCurrentRow(row)
                return
            row += by

    def _filter(self, text: str) -> None:
        requested = text.strip().casefold()
        first = -1
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(requested not in item.text().casefold())
            if first == -1 and not item.isHidden():
                first = row
        self.list.setCurrentRow(first)
        self._offer_new(text.strip())

    def _offer_new(self, name: str) -> None:
        """Offer to create a class or label if the name is new."""
        rows = range(self.list.count())
        is_known = any(self.list.item(row).text().casefold() == name.casefold() for row in rows)
        self.new_button.setVisible(bool(name) and not is_known)
        shown = elided(self.fontMetrics(), name, _WIDTH // 2).replace("&", "&&")
        self.new_button.setText(self._words.new.format(name=shown))

    def _on_new(self) -> None:
        self.hide()
        self.created.emit(self.search.text().strip())

    def _on_item(self, item: QListWidgetItem) -> None:
        self.hide()
        self.chosen.emit(self.list.row(item))
