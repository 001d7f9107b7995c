"""What is true of every page, whatever it shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSlider,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.ui.shell.screen import MIN_SIZE
from studio.ui.shell.tab_order import move_focus
from studio.ui.theme.theme import Theme
from studio.ui.widgets.cards import PressableCard
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.inputs import ComboBox

Part = TypeVar("Part", bound=QWidget)
RAIL = 52
"""Width of the rail where it shows icons alone."""
SCROLL_BAR = 12
_ICON_ONLY = Qt.ToolButtonStyle.ToolButtonIconOnly
_CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QSlider,
    PressableCard,
    DropArea,
)


class PlainWindow(QMainWindow):
    """A window in which Tab goes as in the real one."""

    def focusNextPrevChild(self, forwards: bool) -> bool:  # noqa: N802 - its name there
        """Follow the order of reading."""
        return move_focus(self, forwards=forwards)


def show_in_window(
    qtbot: QtBot, page: QWidget, width: int = 952, height: int = 600
) -> QMainWindow:
    """A plain window with the page, as large as the smallest window leaves for it."""
    window = PlainWindow()
    window.setCentralWidget(page)
    qtbot.addWidget(window)
    window.resize(width, height)
    window.show()
    qtbot.waitExposed(window)
    return window


def tab_stops(start: QWidget) -> list[QWidget]:
    """Where Tab leads from a widget on, through its whole window."""
    stops = []
    each = start.nextInFocusChain()
    while each is not None and each is not start:
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.focusProxy() is None:
            stops.append(each)
        each = each.nextInFocusChain()
    return stops


def only(page: QWidget, kind: type[Part]) -> Part:
    """The one part of a page that is of a kind."""
    (found,) = page.findChildren(kind)
    return found


def press(control: QWidget, key: Qt.Key) -> None:
    """Press a key on a control."""
    QTest.keyClick(control, key)


def captions(view: QAbstractItemView) -> list[str]:
    """Return the captions of the pictures of a grid."""
    model = view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def nameless_controls(page: QWidget) -> list[str]:
    """Controls in sight that a screen reader could not name, or the keyboard not reach."""
    found = []
    for control in _controls(page):
        name = control.accessibleName() or getattr(control, "text", str)()
        reachable = bool(control.focusPolicy() & Qt.FocusPolicy.TabFocus)
        # Of several choices Qt gives the Tab key one, and the arrow keys the others.
        reachable = reachable or isinstance(control, QRadioButton)
        if not name or not (reachable or not control.isEnabled()):
            found.append(f"{type(control).__name__} {control.objectName()} in {control.parent()}")
    return found


def _buttons(page: QWidget) -> list[QAbstractButton]:
    """The buttons in sight; the arrows of a row of tabs are Qt's own and count for none."""
    return [
        widget
        for widget in _controls(page)
        if isinstance(widget, QAbstractButton) and not isinstance(widget.parent(), QTabBar)
    ]


def unexplained_buttons(page: QWidget) -> list[str]:
    """Disabled buttons in sight that do not say why."""
    disabled = [button for button in _buttons(page) if not button.isEnabled()]
    return [button.text() for button in disabled if not button.toolTip()]


def cut_buttons(page: QWidget) -> list[str]:
    """Buttons in sight that are narrower than what is written on them."""
    narrow = [each for each in _buttons(page) if each.width() < each.sizeHint().width()]
    return [button.text() for button in narrow]


def cut_columns(page: QWidget) -> list[str]:
    """What is wider than the scroll area around it, which does not scroll to that end."""
    never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    found = []
    for area in page.findChildren(QScrollArea):
        inside = area.widget()
        is_fixed = area.isVisible() and area.horizontalScrollBarPolicy() == never
        if is_fixed and inside is not None and inside.width() > area.viewport().width():
            found.append(f"{inside.width()} in {area.viewport().width()}: {area.accessibleName()}")
    return found


def cut_boxes(page: QWidget) -> list[str]:
    """Choices in sight whose own words do not fit."""
    boxes = [box for box in page.findChildren(ComboBox) if box.isVisible()]
    return [box.currentText() for box in boxes if box.shown_text() != box.currentText()]


def cut_texts(page: QWidget) -> list[str]:
    """Texts in sight that are cut, and whose whole no tooltip shows."""
    found = []
    for widget in page.findChildren(QWidget):
        if widget.isVisible() and not widget.visibleRegion().isEmpty():
            for text, tip, lacks in _text_room(widget):
                if lacks > 0 and text not in tip:
                    found.append(f"{type(widget).__name__} “{text}” lacks {lacks} px")
    return found


def _text_room(widget: QWidget) -> Iterator[tuple[str, str, int]]:
    """Yield the texts of a widget, their tooltips, and the pixels that they lack."""
    metrics = widget.fontMetrics()
    if isinstance(widget, QLabel) and widget.text():
        room = widget.contentsRect()
        if widget.wordWrap():
            yield (
                widget.text(),
                widget.toolTip(),
                widget.heightForWidth(widget.width()) - (widget.height() + 1),
            )
        elif widget.textFormat() != Qt.TextFormat.RichText:
            longest = max(metrics.horizontalAdvance(line) for line in widget.text().split("\n"))
            yield widget.text(), widget.toolTip(), longest - room.width() - 1
    elif isinstance(widget, QPushButton | QToolButton | QCheckBox | QRadioButton):
        is_shown = getattr(widget, "toolButtonStyle", lambda: None)() != _ICON_ONLY
        if widget.text() and is_shown and not isinstance(widget.parent(), QTabBar):
            lacks = widget.minimumSizeHint().width() - widget.width()
            yield widget.text(), widget.toolTip(), lacks
    elif isinstance(widget, QComboBox) and not isinstance(widget, ComboBox):
        lacks = metrics.horizontalAdvance(widget.currentText()) + 34 - widget.width()
        yield widget.currentText(), widget.toolTip(), lacks
    elif isinstance(widget, QTabBar):
        for tab in range(widget.count()):
            if widget.isTabVisible(tab):
                text = widget.tabText(tab)
                lacks = metrics.horizontalAdvance(text) + 24 - widget.tabRect(tab).width()
                yield text, widget.tabToolTip(tab), lacks


def invisible_focus(page: QWidget, most: int = 150) -> list[str]:
    """Stops of the Tab key on a page that look the same with and without the focus.

    Args:
        page: The page; its window has to be active.
        most: Maximum number of stops.
    """
    window, found, seen = page.window(), [], set()
    page.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(most):
        QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        if widget is None or id(widget) in seen:
            break
        seen.add(id(widget))
        if not page.isAncestorOf(widget) or widget is page:
            continue
        QApplication.processEvents()
        around = QRect(widget.mapTo(window, QPoint()), widget.size()).adjusted(-4, -4, 4, 4)
        with_focus = window.grab(around).toImage()
        window.setFocus(Qt.FocusReason.OtherFocusReason)
        without = window.grab(around).toImage()
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if with_focus == without:
            name = widget.accessibleName() or getattr(widget, "text", str)()
            found.append(f"{type(widget).__name__} {name}")
    assert seen
    return found


def page_stops(page: QWidget, most: int = 150) -> list[QWidget]:
    """Return the stops of the Tab key on a page, in their order.

    Args:
        page: The page; its window has to be active.
        most: Maximum number of stops.
    """
    stops: list[QWidget] = []
    page.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(most):
        QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        if widget is None or widget in stops:
            break
        if page.isAncestorOf(widget):
            stops.append(widget)
        elif stops:
            break
    return stops


def wrong_order(page: QWidget) -> list[str]:
    """Return steps of the Tab key that go up in a column, or to the left in a line."""
    found = []
    for before, after in pairwise(page_stops(page)):
        around = _ancestor(before, after)
        first, second = _place(around, before), _place(around, after)
        is_up = second.bottom() < first.top()
        share_column = first.left() <= second.right() and second.left() <= first.right()
        share_line = first.top() <= second.center().y() <= first.bottom()
        is_left = second.right() < first.left() and share_line
        if (is_up and share_column) or is_left:
            found.append(f"{_name(before)} -> {_name(after)}")
    return found


def _ancestor(first: QWidget, second: QWidget) -> QWidget:
    """Return the closest widget that contains both."""
    each = first.parentWidget()
    while each is not None and each is not second and not each.isAncestorOf(second):
        each = each.parentWidget()
    assert each is not None
    return each


def _place(around: QWidget, widget: QWidget) -> QRect:
    """Return where a control is, or the area around it that is scrolled."""
    shown, each = widget, widget.parentWidget()
    while each is not None and each is not around:
        if isinstance(each, QScrollArea):
            shown = each
        each = each.parentWidget()
    return QRect(shown.mapTo(around, QPoint()), shown.size())


def spoken_name(widget: QWidget) -> str:
    """Return what a screen reader calls a control."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {spoken_name(widget)}"


def fits_smallest_window(page: QWidget, beside: int = 0) -> bool:
    """Whether the page can be as small as the smallest window makes it, beside its rail.

    Args:
        page: The page.
        beside: Pixels that something else takes of the width.
    """
    least, room = page.minimumSizeHint(), MIN_SIZE.width() - RAIL - beside
    return least.width() <= room and least.height() <= MIN_SIZE.height()


def styles(page: QWidget, theme: Theme) -> dict[str, QImage]:
    """The page in light and in dark."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    images = {}
    for mode in ("dark", "light"):
        theme.mode = "dark" if mode == "dark" else "light"
        app.processEvents()
        images[mode] = page.grab().toImage()
    return images


def lightness(image: QImage) -> float:
    """Mean lightness of a picture, 0 to 1."""
    small = image.scaled(32, 32)
    values = [QColor(small.pixel(x, y)).lightnessF() for x in range(32) for y in range(32)]
    return sum(values) / len(values)


def _controls(page: QWidget) -> list[QWidget]:
    found = [control for kind in _CONTROLS for control in page.findChildren(kind)]
    return [control for control in found if control.isVisible() and not _is_inner(control)]


def _is_inner(control: QWidget) -> bool:
    """Whether it is a part of another control, which has the name."""
    return isinstance(control, QHeaderView) or control.objectName() == "qt_spinbox_lineedit"
