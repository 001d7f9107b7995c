"""The bars of an answer with the check marks behind them, and the menu of classes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.ui.pages.predict.pictures import TOP
from studio.ui.pages.predict.predictions import CorrectionRow, PredictionBars
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import percent

SCORES = [("1", 0.6), ("7", 0.3), ("unknown", 0.06), ("3 & 4", 0.04)]
CLASSES = ["1", "3 & 4", "7"]


def _lines(scores: Sequence[tuple[str, float]]) -> list[BarLine]:
    return [BarLine(name, percent(score), score) for name, score in scores]


def test_one_click_classifies_a_picture(qtbot: QtBot, theme: Theme) -> None:
    bars = PredictionBars(theme)
    qtbot.addWidget(bars)
    bars.show_prediction(_lines(SCORES), CLASSES, "")
    bars.resize(bars.sizeHint())
    bars.show()
    qtbot.waitExposed(bars)
    received: list[str] = []
    bars.chosen.connect(received.append)

    shown = [check for check in bars.checks if check.isVisible()]
    assert len(shown) == 2, "neither the answer itself, nor what is no class"
    for check in shown:
        check.click()
    assert received == ["7", "3 & 4"]
    assert "3 & 4" in shown[1].accessibleName()
    for new_path, check in ((1, shown[0]), (3, shown[1])):
        middle = check.mapTo(bars, check.rect().center()).y()
        assert new_path * bars.bars.row_height < middle < (new_path + 1) * bars.bars.row_height

    bars.show_prediction(_lines(SCORES), CLASSES, "7")
    assert not any(check.isVisible() for check in bars.checks)
    bars.show_prediction(_lines(SCORES[:2]), CLASSES, "")
    assert [check.isVisible() for check in bars.checks] == [True, False, False]
    qtbot.waitUntil(lambda: bars.sizeHint().height() == 2 * bars.bars.row_height)


def test_of_a_thousand_classes_the_likeliest_are_built(qtbot: QtBot, theme: Theme) -> None:
    classes = [f"class {number}" for number in range(1000)]
    scores = [(name, 0.5 / (index + 1)) for index, name in enumerate(classes[-TOP:])]
    bars, row = PredictionBars(theme), CorrectionRow(theme)
    for widget in (bars, row):
        qtbot.addWidget(widget)

    bars.show_prediction(_lines(scores), classes, "")
    row.show_choice(classes, [name for name, _ in scores], "")
    made = len(bars.findChildren(QWidget))
    assert (len(bars.bars.scores()), len(bars.checks)) == (TOP, TOP - 1)
    assert not row.menu.actions(), "nothing before the user opens it"
    bars.show_prediction(_lines(scores[::-1]), classes, "")
    assert len(bars.findChildren(QWidget)) == made

    offered = row.menu.fill()
    assert offered[: TOP - 1] == classes[1 - TOP :]
    assert len(row.menu.actions()) < 50
    received: list[str] = []
    row.corrected.connect(received.append)
    row.menu.actions()[-1].trigger()
    another = row.menu.another
    another.field.setText("class 7777")
    another.ok_button.click()
    assert another.problem.text() == "The dataset has no class of this name."
    assert received == []
    another.field.setText("class 777")
    another.ok_button.click()
    assert received == ["class 777"], "all others by their names"
