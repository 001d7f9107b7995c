"""Tasks of other packages are labeled in the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from label_pages import Opener, press, stored
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.plug_ins import installed
from studio.engine.labeling.values import NumbersValue
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import Capabilities
from studio.ui.context import AppContext
from studio.ui.pages.label.page import NewLabeling, View
from studio.ui.pages.label.tools.drawn import MaskTools
from studio.ui.pages.label.tools.numbers import NumberTools


@pytest.fixture(autouse=True)
def plug_ins(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path / "plug-ins"):
        yield


def test_a_direction_is_typed(context: AppContext, opened: Opener) -> None:
    view = opened("angle", "angle")
    tools, first = view.single.tools, view.session.current
    assert isinstance(tools, NumberTools)
    QTest.keyClicks(tools.numbers.fields[0], "90")
    press(tools.numbers.fields[0], Qt.Key.Key_Return)

    assert stored(context).value_of(first) == NumbersValue(numbers=(90.0,))
    assert view.single.classes.field.isHidden()
    assert view.grid is None


def test_areas_are_painted(context: AppContext, opened: Opener, qtbot: QtBot) -> None:
    view = opened("areas", "field")
    first = view.session.current
    assert isinstance(view.single.tools, MaskTools)
    press(view.single.canvas, Qt.Key.Key_Return, modifiers=Qt.KeyboardModifier.ControlModifier)

    qtbot.waitUntil(lambda: stored(context).value_of(first) is not None)


def test_the_form_says_why_a_task_cannot_be_labeled(context: AppContext, qtbot: QtBot) -> None:
    reason = "directions in space are measured"
    missing = Capabilities(missing={"labeling": reason})
    TASKS["angle"] = replace(TASKS["angle"], labeling="", capabilities=missing)
    page = View(context)
    qtbot.addWidget(page)
    page.form.task.choose("angle")

    assert not page.form.create_button.isEnabled()
    assert page.form.create_button.toolTip() == reason
    page.form.reset()
    assert page.form.create_button.isEnabled()


def test_the_form_asks_for_no_classes_of_a_fixed_quantity(
    context: AppContext, qtbot: QtBot
) -> None:
    page = View(context)
    qtbot.addWidget(page)
    form: NewLabeling = page.form
    page.show_form()
    assert not form.classes.isHidden()
    form.classes.setPlainText("cat")
    form.task.choose("angle")
    assert form.classes.isHidden()
    with qtbot.waitSignal(form.created) as made:
        form.create_labeling()
    record, _ = made.args
    assert TASKS["angle"].name in record.plan_file.read_text("utf-8")
