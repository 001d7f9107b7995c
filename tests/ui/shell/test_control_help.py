"""Every control of every page says what it does, or why, in one line, and has a name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from helpers.runs import fake_run
from studio.engine.workspace import Workspace
from studio.ui.navigation import PlanRun, PlanSweep, page_intent
from studio.ui.pages import PAGES
from studio.ui.pages.networks.page import View as NetworksPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.widgets.cards import PressableCard
from studio.ui.widgets.drop_area import DropArea

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    PressableCard,
    DropArea,
)
# What Qt puts into these belongs to them.
WHOLES = (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QKeySequenceEdit,
    QLineEdit,
    QTabBar,
)


@pytest.fixture
def filled(window: MainWindow, workspace: Workspace) -> MainWindow:
    """Every page was shown once, with the forms that are made when they are first wanted."""
    window.context.engine.close()
    run = fake_run(workspace, "lenet", [0.5, 0.9])
    window.context.jobs.wake()
    for page in PAGES:
        window.show_page(page.name)
    window.open(PlanRun())
    window.open(page_intent("train", run.id))
    window.open(PlanSweep())
    networks = window.page("networks")
    assert isinstance(networks, NetworksPage)
    networks.draw_button.click()
    return window


def controls(window: MainWindow) -> Iterator[QWidget]:
    for kind in CONTROLS:
        for control in window.findChildren(kind):
            if isinstance(control, (QHeaderView, QScrollBar)) or _is_inner(control):
                continue
            yield control


def _is_inner(control: QWidget) -> bool:
    above = control.parentWidget()
    while above is not None:
        if isinstance(above, WHOLES):
            return True
        above = above.parentWidget()
    return False


def _path_of(control: QWidget) -> str:
    above = [type(control).__name__]
    parent = control.parentWidget()
    while parent is not None and len(above) < 5:
        above.append(type(parent).__name__)
        parent = parent.parentWidget()
    text = control.accessibleName() or getattr(control, "text", str)()
    return f"{text!r}: {' in '.join(above)}"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_every_control_has_a_line_of_help_and_a_name(filled: MainWindow) -> None:
    found = list(controls(filled))
    assert len(found) > 300
    helpless = {_path_of(each) for each in found if not (each.toolTip() or each.whatsThis())}
    assert helpless == set(), "\n".join(sorted(helpless))
    # What is not shown yet is named when it is.
    nameless = [
        _path_of(each)
        for each in found
        if each.isVisible() and not (each.accessibleName() or getattr(each, "text", str)())
    ]
    assert nameless == []
