"""Inputs: number fields, combo box, menu of words, panel for a value, slider over epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCursor, QHelpEvent, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
    QWidgetAction,
)

from studio.engine.workspace.records import LONGEST_WORD
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.labels import HintLabel, elided
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.tips import explain

_LEAST_LETTERS = 12
_MOST_ROWS, _MOST_WIDTH = 14, 520
_SIDES, _ICON_ROOM = 2, ICON_SMALL + SPACE.xs


class SpinBox(QSpinBox):
    """A spin box whose number has the same distance from the edge as the text of other fields."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Qt ignores the left padding that a style sheet gives to a spin box.
        self.lineEdit().setTextMargins(SPACE.s - 1, 0, 0, 0)


class DoubleSpinBox(QDoubleSpinBox):
    """The same for numbers with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(SPACE.s - 1, 0, 0, 0)


class ComboBox(QComboBox):
    """A combo box that gives way if there is little room.

    What does not fit gives up its middle, as names differ at their ends; a word that explains
    itself, such as "None: all reach their end", gives up its explanation. The tip has the whole.

    Args:
        parent: Owns the box.
        name: Name for screen readers.
        entries: Texts and the data behind them.
    """

    WIDEST: ClassVar[int] = 320
    """Maximum width of a box that shows its longest entry in full, in pixels."""

    def __init__(
        self,
        parent: QWidget | None = None,
        name: str = "",
        entries: Iterable[tuple[str, object]] = (),
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumContentsLength(_LEAST_LETTERS)
        self.setMaxVisibleItems(_MOST_ROWS)
        for text, data in entries:
            self.addItem(text, data)

    def choose(self, data: object) -> None:
        """Choose the entry with these data, or the first one."""
        self.setCurrentIndex(max(0, self.findData(data)))

    def sizeHint(self) -> QSize:
        """Return the size of the longest entry up to a limit; the list shows it whole."""
        hint = super().sizeHint()
        widest = max(self.WIDEST, self.minimumSizeHint().width())
        return QSize(min(hint.width() + _SIDES, widest), hint.height())

    def set_entries(self, entries: Iterable[tuple[str, object]], first: int = 0) -> None:
        """Replace the entries; the chosen one stays chosen. Emits nothing.

        Args:
            entries: Texts with their data.
            first: Index of the entry that is chosen if the former one is gone; -1 for none.
        """
        chosen, found = self.currentData(), list(entries)
        rows = [(self.itemText(row), self.itemData(row)) for row in range(self.count())]
        if found == rows:
            return
        with QSignalBlocker(self):
            self.clear()
            for text, data in found:
                self.addItem(text, data)
            row = -1 if chosen is None else self.findData(chosen)
            self.setCurrentIndex(row if row >= 0 else first)

    def shown_text(self) -> str:
        """Return the chosen entry as it is painted at the present width."""
        return self._elided(self._option())

    def showPopup(self) -> None:
        """Open the list, as wide as its entries, which may be more than the box has room for."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        requested = self.view().sizeHintForColumn(0) + bar + SPACE.l
        self.view().setMinimumWidth(max(self.width(), min(requested, _MOST_WIDTH)))
        super().showPopup()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the entry that fits."""
        painter = QStylePainter(self)
        option = self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Say the whole entry where a part of it is cut."""
        if event.type() == QEvent.Type.ToolTip and self.shown_text() != self.currentText():
            point = event.globalPos() if isinstance(event, QHelpEvent) else QCursor.pos()
            QToolTip.showText(point, "\n".join(filter(None, (self.currentText(), self.toolTip()))))
            return True
        return super().event(event)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0 and self.placeholderText():
            option.currentText = self.placeholderText()
        return option

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        room = field.width() - _SIDES - (0 if option.currentIcon.isNull() else _ICON_ROOM)
        text = option.currentText
        explains = ": " in text
        if explains:
            return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        return elided(self.fontMetrics(), text, room)


def search_field(parent: QWidget, name: str, tip: str, prompt: str = "") -> QLineEdit:
    """Create a line to search or filter with, which can be cleared.

    Args:
        parent: Owns the line.
        name: Name for screen readers.
        tip: Explanation.
        prompt: Text while it is empty; the name if empty.
    """
    field = QLineEdit(parent, placeholderText=prompt or name, clearButtonEnabled=True)
    field.setAccessibleName(name)
    explain(field, tip)
    return field


def horizontal_slider(
    parent: QWidget, name: str, least: int, most: int, value: int, width: int = 0
) -> QSlider:
    """Create a horizontal slider.

    Args:
        parent: Owns the slider.
        name: Name for screen readers.
        least: Lowest value.
        most: Highest value.
        value: First value.
        width: Fixed width in pixels; 0 for none.
    """
    slider = QSlider(Qt.Orientation.Horizontal, parent)
    slider.setAccessibleName(name)
    slider.setRange(least, most)
    slider.setValue(value)
    if width:
        slider.setFixedWidth(width)
    return slider


_MENU_WIDTH = 200


class WordMenu(QMenu):
    """Words to choose from.

    Signals:
        switched: A word, and whether it is wanted now.
    """

    switched = Signal(str, bool)

    def __init__(self, prompt: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = QLineEdit(self)
        self.set_prompt(prompt)
        self.edit.setMaxLength(LONGEST_WORD)
        self.edit.setMinimumWidth(_MENU_WIDTH)
        self.edit.returnPressed.connect(self._on_typed)
        box = QWidget(self)
        from_edge = QMenu(box).contentsMargins().left() + SPACE.xs
        box.setContentsMargins(from_edge, SPACE.xs, from_edge, SPACE.xs)
        self.edit.setParent(box)
        box.setMinimumSize(
            _MENU_WIDTH + 2 * from_edge, self.edit.sizeHint().height() + 2 * SPACE.xs
        )
        self.edit.move(from_edge, SPACE.xs)
        self._line = QWidgetAction(self)
        self._line.setDefaultWidget(box)

    def set_prompt(self, prompt: str) -> None:
        """Say what can be typed."""
        self.edit.setPlaceholderText(prompt)
        self.edit.setAccessibleName(prompt)

    def set_words(self, words: Iterable[tuple[str, str, bool]]) -> None:
        """Set the words: each with its displayed text, and True if it is checked."""
        self.clear_words()
        for word, shown, checked in words:
            action = QAction(shown.replace("&", "&&"), self)
            action.setCheckable(True)
            action.setChecked(checked)
            action.triggered.connect(partial(self._on_word, word, action))
            self.addAction(action)

    def clear_words(self) -> None:
        """Offer nothing but the line."""
        for action in self.actions():
            self.removeAction(action)
            if action is not self._line:
                action.deleteLater()
        self.addAction(self._line)
        self.addSeparator()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the field so that the user can type at once."""
        super().showEvent(event)
        self.edit.clear()
        self.edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_word(self, word: str, action: QAction, _checked: bool = False) -> None:
        self.switched.emit(word, action.isChecked())

    def _on_typed(self) -> None:
        text = self.edit.text().strip()
        self.close()
        if text:
            self.switched.emit(text, True)


FIELD_WIDTH = 120


class PopUp(QFrame):
    """A frame over the window; Escape closes it, and so does a focus elsewhere.

    Signals:
        canceled: Escape was pressed.
    """

    canceled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hide()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes it; no key reaches what is below."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            self.canceled.emit()
        event.accept()

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.isVisible() and now is not None and not self.isAncestorOf(now):
            self.hide()


class AskValue(PopUp):
    """Title, help, a field and a button.

    Args:
        theme: Colors of the button.
        title: Title.
        help_text: Line below the title.
        button: Text of the button.
        parent: Owner.
        refusal: Returns why a text is refused, or an empty text; the field stays open then.

    Signals:
        given: The typed text.
    """

    given = Signal(str)

    def __init__(
        self,
        theme: Theme,
        title: str,
        help_text: str,
        button: str,
        parent: QWidget | None = None,
        refusal: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._refusal = refusal
        self.problem = HintLabel("", "problem", self)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(title)
        self.field.setMinimumWidth(FIELD_WIDTH)
        self.ok_button = push_button(button, theme, kind="primary", parent=self)
        for control in (self.field, self.ok_button):
            explain(control, help_text)
        help_label = text_label(help_text, "caption", self, wraps=True)
        self.title = text_label(title, "section", self)
        vbox(
            self.title,
            help_label,
            hbox((self.field, 1), self.ok_button, spacing=SPACE.s),
            self.problem,
            owner=self,
            spacing=SPACE.s,
            margins=SPACE.m,
        )
        self.field.returnPressed.connect(self._on_given)
        self.ok_button.clicked.connect(self._on_given)

    def offer(self, choices: Sequence[str]) -> None:
        """Complete what is typed to one of these texts."""
        completer = QCompleter(list(choices), self.field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.field.setCompleter(completer)

    def ask(self, below: QWidget, value: str, title: str = "") -> None:
        """Open below a widget, or in its middle if there is no room below.

        Args:
            below: The widget.
            value: Initial value.
            title: In place of the usual one.
        """
        window = below.window()
        if title:
            self.title.setText(title)
            self.field.setAccessibleName(title)
        self.setParent(window)
        self.field.setText(value)
        self.field.selectAll()
        self.problem.show_problem()
        self.adjustSize()
        corner = below.mapTo(window, QPoint(below.width(), below.height() + SPACE.xs))
        if corner.y() + self.height() > window.height():
            middle = below.mapTo(window, below.rect().center())
            corner = middle + QPoint(self.width() // 2, -self.height() // 2)
        self.move(max(0, corner.x() - self.width()), max(0, corner.y()))
        self.show()
        self.raise_()
        self.field.setFocus()

    def _on_given(self) -> None:
        reason = "" if self._refusal is None else self._refusal(self.field.text())
        self.problem.show_problem(reason)
        if reason:
            self.adjustSize()
            return
        self.hide()
        self.given.emit(self.field.text())


_SLIDER_WIDTH = 200


class EpochSlider(QWidget):
    """A slider over the validations of a run, with buttons for the previous and next one.

    Signals:
        chosen: The user selected the validation with this index.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self.back_button = icon_button("chevron-left", self.tr("Back"), theme, parent=self)
        self.forward_button = icon_button("chevron-right", self.tr("Forward"), theme, parent=self)
        self.slider = horizontal_slider(self, self.tr("Epoch"), 0, 0, 0, _SLIDER_WIDTH)
        self.slider.setPageStep(1)
        self._text = QLabel(self)
        for button in (self.back_button, self.forward_button):
            button.setProperty("small", True)
            button.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
        hbox(
            self.back_button,
            self.slider,
            self.forward_button,
            SPACE.xs,
            self._text,
            owner=self,
            spacing=SPACE.xs,
        )
        self.slider.valueChanged.connect(self._on_value)
        self.back_button.clicked.connect(partial(self._step, -1))
        self.forward_button.clicked.connect(partial(self._step, 1))
        self._show_name()

    def set_epochs(self, names: Sequence[str], index: int) -> None:
        """Set the names of the validations and the selected one, without a signal.

        Args:
            names: Text of each validation.
            index: The selected validation.
        """
        self._names = list(names)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(0, len(self._names) - 1))
            self.slider.setValue(index)
        self._show_name()

    def text(self) -> str:
        """Return the text of the chosen position."""
        return self._text.text()

    def _on_value(self, index: int) -> None:
        self._show_name()
        self.chosen.emit(index)

    def _step(self, by: int) -> None:
        self.slider.setValue(self.slider.value() + by)

    def _show_name(self) -> None:
        index, last = self.slider.value(), len(self._names) - 1
        self._text.setText(self._names[index] if index <= last else "")
        self.slider.setAccessibleDescription(self._text.text())
        self.slider.setEnabled(last > 0)
        self.back_button.setEnabled(index > 0)
        self.forward_button.setEnabled(index < last)


class FocusBehavior(QObject):
    """Rules for the focus in all windows; one of it is connected by the composition root.

    * When the control that has the focus is hidden or disabled, the focus stays in the widget
      around it. Qt would give it to the next control, which may be Stop or Delete.
    * A control that gets the focus out of sight is scrolled into sight. Qt does so only where the
      focus stays in the scroll area.

    Args:
        app: The application; it owns this.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        app.focusChanged.connect(self._on_focus_changed)

    def uninstall(self) -> None:
        """Leave the application as it was."""
        self._app.focusChanged.disconnect(self._on_focus_changed)

    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        if now is not None and _is_out_of_sight(now):
            _scroll_to(now)
        if old is None or now is None or old.window() is not now.window():
            return
        if old.isVisible() and old.isEnabled():
            return
        around = old.parentWidget()
        while around is not None and not (around.isVisible() and around.isEnabled()):
            around = around.parentWidget()
        if around is not None and around is not now:
            around.setFocus(Qt.FocusReason.OtherFocusReason)


def _is_out_of_sight(widget: QWidget) -> bool:
    """Return True for a widget out of sight, or one in part that the mouse is not pressing."""
    seen = widget.visibleRegion().boundingRect()
    is_pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
    return widget.isVisible() and (seen.isEmpty() if is_pressed else seen != widget.rect())


def _scroll_to(widget: QWidget) -> None:
    """Scroll all areas around a widget to it."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget)
        around = around.parentWidget()
