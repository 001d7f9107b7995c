"""The designer in a window, and hands to work in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_checks import show_in_window
from pytestqt.qtbot import QtBot

from helpers.hands import Hands
from studio.ui.context import AppContext
from studio.ui.pages.networks.designer.designer import Designer


@pytest.fixture
def open_designer(qtbot: QtBot, context: AppContext) -> Callable[..., Designer]:
    """A designer in a window; without an engine host unless the test brings one."""
    windows = []

    def make(width: int = 1200, height: int = 800) -> Designer:
        designer = Designer(context)
        windows.append(show_in_window(qtbot, designer, width, height))
        designer.view.setFocus()
        return designer

    return make


@pytest.fixture
def designer(open_designer: Callable[..., Designer], context: AppContext) -> Designer:
    """An empty drawing, in a window whose engine host is gone."""
    context.engine.close()
    return open_designer()


@pytest.fixture
def hands(designer: Designer) -> Hands:
    return Hands(designer)


@pytest.fixture
def make_hands() -> Callable[[Designer], Hands]:
    return Hands
