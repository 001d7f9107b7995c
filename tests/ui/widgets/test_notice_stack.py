from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.notices import MOST, Notice, NoticeCard, NoticeStack
from studio.ui.widgets.placing import free_rect


def make(theme: Theme, qtbot: QtBot) -> tuple[QWidget, NoticeStack]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    stack = NoticeStack(theme, window)
    window.show()
    return window, stack


def card_of(stack: NoticeStack, key: str) -> NoticeCard:
    return next(card for card in stack.cards() if card.key == key)


def keys(stack: NoticeStack) -> list[str]:
    return [card.key for card in stack.cards()]


def test_the_same_key_never_shows_twice(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    stack.show_notice(Notice("info", "Imported 3 images.", key="import"))
    stack.show_notice(Notice("info", "Imported 4 images.", key="import"))
    assert keys(stack) == ["import"]
    assert card_of(stack, "import").notice.text == "Imported 4 images."


def test_errors_stay_and_others_go_by_themselves(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    stack.show_error(StudioError("The disk is full.", "Free some space."))
    stack.show_notice(Notice("success", "Done."))
    assert not card_of(stack, "The disk is full.")._timer.isActive()
    timer = card_of(stack, "Done.")._timer
    assert timer.isActive()
    assert timer.interval() == 8000
    timer.timeout.emit()
    assert keys(stack) == ["The disk is full."]
    card_of(stack, "The disk is full.")._close.click()
    assert keys(stack) == []
    assert stack.isHidden()


def test_the_action_is_called_and_the_notice_closes(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    called: list[str] = []

    def show_them() -> None:
        called.append("yes")

    stack.show_notice(
        Notice("warning", "Some are bad.", action_text="Show them", action=show_them)
    )
    button = stack.cards()[0].action_button
    assert button is not None
    assert button.toolTip() == "Some are bad."
    button.click()
    assert called == ["yes"]
    assert keys(stack) == []


def test_it_stays_in_the_corner(theme: Theme, qtbot: QtBot) -> None:
    window, stack = make(theme, qtbot)
    stack.show_notice(Notice("info", "A text that needs more than one line. " * 4))
    assert stack.geometry().right() == window.width() - 17
    assert stack.geometry().bottom() == window.height() - 17
    window.resize(1000, 700)
    assert stack.geometry().right() == 983
    assert stack.geometry().bottom() == 683
    card = stack.cards()[0]
    assert card.height() >= card.heightForWidth(card.width())


def test_the_oldest_that_is_not_an_error_goes_first(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    stack.show_notice(Notice("error", "bad"))
    for number in range(MOST):
        stack.show_notice(Notice("info", str(number)))
    assert keys(stack) == ["bad", *(str(number) for number in range(1, MOST))]


def test_it_is_announced_and_an_error_interrupts(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, object]] = []

    def record(event: QAccessibleAnnouncementEvent) -> None:
        said.append((event.message(), event.politeness()))

    monkeypatch.setattr(QAccessible, "updateAccessibility", record)
    _, stack = make(theme, qtbot)
    stack.show_notice(Notice("success", "Saved.", "Open it."))
    stack.show_error(StudioError("The disk is full.", "Free some space."))
    levels = QAccessible.AnnouncementPoliteness
    assert said == [
        ("Saved. Open it.", levels.Polite),
        ("The disk is full. Free some space.", levels.Assertive),
    ]


def test_it_stays_while_its_button_has_the_focus(theme: Theme, qtbot: QtBot) -> None:
    window, stack = make(theme, qtbot)
    window.activateWindow()
    other = QPushButton("Other", window)
    other.show()
    stack.show_notice(Notice("success", "Done.", action_text="Show"))
    card = stack.cards()[0]
    assert card.action_button is not None
    qtbot.waitUntil(window.isActiveWindow)
    card.action_button.setFocus()
    assert not card._timer.isActive()
    card._timer.timeout.emit()
    assert keys(stack) == ["Done."]
    other.setFocus()
    assert card._timer.isActive()
    card._timer.timeout.emit()
    assert keys(stack) == []


@pytest.mark.parametrize("corner", [(760, 550), (760, 10), (20, 550)])
def test_it_covers_no_primary_button(theme: Theme, qtbot: QtBot, corner: tuple[int, int]) -> None:
    window, stack = make(theme, qtbot)
    button = push_button("Train", theme, kind="primary", parent=window)
    button.setGeometry(*corner, 120, 36)
    hidden = push_button("Other page", theme, kind="primary", parent=window)
    hidden.setGeometry(20, 300, 860, 36)
    hidden.hide()
    stack.show_notice(Notice("error", "One."))
    button.show()
    qtbot.waitUntil(lambda: not stack.geometry().intersects(button.geometry()), timeout=2000)
    assert window.rect().contains(stack.geometry())
    button.hide()
    qtbot.waitUntil(lambda: stack.geometry().bottom() == window.height() - 17, timeout=2000)


def test_between_two_buttons_is_room() -> None:
    room, wide = QRect(0, 0, 400, 600), QRect(0, 560, 400, 40)
    obstacles = [wide, wide.translated(0, -560)]
    place = free_rect(QSize(380, 100), room, obstacles, gap=8)
    assert place.bottom() == wide.top() - 9
    full = free_rect(QSize(380, 580), room, [wide], gap=8)
    assert room.contains(full), "without room it covers as little as it can"
    assert full.top() == 0
