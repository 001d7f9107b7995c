"""The check marks behind the bars of an answer."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from studio.ui.pages.predict.answer_bars import AnswerBars
from studio.ui.theme.theme import Theme

SCORES = [("1", 0.6), ("7", 0.3), ("unknown", 0.06), ("3 & 4", 0.04)]
CLASSES = ["1", "3 & 4", "7"]


def test_one_click_says_what_a_picture_is(qtbot: QtBot, theme: Theme) -> None:
    bars = AnswerBars(theme)
    qtbot.addWidget(bars)
    bars.show_answer(SCORES, CLASSES, "")
    bars.resize(bars.sizeHint())
    bars.show()
    qtbot.waitExposed(bars)
    told: list[str] = []
    bars.chosen.connect(told.append)

    shown = [check for check in bars.checks if check.isVisible()]
    assert len(shown) == 2, "neither the answer itself, nor what is no class"
    for check in shown:
        check.click()
    assert told == ["7", "3 & 4"]
    assert "3 & 4" in shown[1].accessibleName()
    for place, check in ((1, shown[0]), (3, shown[1])):
        middle = check.mapTo(bars, check.rect().center()).y()
        assert place * bars.bars.row_height < middle < (place + 1) * bars.bars.row_height

    bars.show_answer(SCORES, CLASSES, "7")
    assert not any(check.isVisible() for check in bars.checks)
    bars.show_answer(SCORES[:2], CLASSES, "")
    assert [check.isVisible() for check in bars.checks] == [True, False, False]
    qtbot.waitUntil(lambda: bars.sizeHint().height() == 2 * bars.bars.row_height)
