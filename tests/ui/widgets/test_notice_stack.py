from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.widgets.notices import MOST, Notice, NoticeCard, NoticeStack


def make(theme: Theme, qtbot: QtBot) -> tuple[QWidget, NoticeStack]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    stack = NoticeStack(theme, window)
    window.show()
    return window, stack


def card_of(stack: NoticeStack, key: str) -> NoticeCard:
    return next(card for card in stack.cards() if card.key == key)


def test_the_same_key_never_shows_twice(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    stack.show_text("info", "Imported 3 images.", key="import")
    stack.show_text("info", "Imported 4 images.", key="import")
    assert stack.keys() == ["import"]
    assert card_of(stack, "import").notice.text == "Imported 4 images."


def test_errors_stay_and_others_go_by_themselves(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    stack.show_error(StudioError("The disk is full.", "Free some space."), key="disk")
    stack.show_text("success", "Done.", key="done")
    assert not card_of(stack, "disk")._timer.isActive()
    timer = card_of(stack, "done")._timer
    assert timer.isActive()
    assert timer.interval() == 8000
    timer.timeout.emit()
    assert stack.keys() == ["disk"]
    card_of(stack, "disk")._close.click()
    assert stack.keys() == []
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
    button.click()
    assert called == ["yes"]
    assert stack.keys() == []


def test_it_stays_in_the_corner(theme: Theme, qtbot: QtBot) -> None:
    window, stack = make(theme, qtbot)
    stack.show_text("info", "A text that is long enough to need more than one line. " * 3)
    assert stack.geometry().right() == window.width() - 17
    assert stack.geometry().bottom() == window.height() - 17
    window.resize(1000, 700)
    assert stack.geometry().right() == 983
    assert stack.geometry().bottom() == 683
    card = stack.cards()[0]
    assert card.height() >= card.heightForWidth(card.width())


def test_the_oldest_that_is_not_an_error_goes_first(theme: Theme, qtbot: QtBot) -> None:
    _, stack = make(theme, qtbot)
    stack.show_text("error", "bad", key="bad")
    for number in range(MOST):
        stack.show_text("info", str(number))
    assert stack.keys() == ["bad", *(str(number) for number in range(1, MOST))]
    stack.clear()
    assert stack.keys() == []
