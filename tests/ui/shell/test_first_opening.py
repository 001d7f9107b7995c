"""Pages and sheets make no more than is seen when they are opened; see benchmarks/openings.py."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.digits import Digits
from studio.ui import app as app_module
from studio.ui.app import StudioApp, _window_modules
from studio.ui.navigation import OpenPage
from studio.ui.pages.datasets.page import DatasetPanel
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


@pytest.fixture(autouse=True)
def imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """All modules are imported, as they are a few seconds after the start."""
    monkeypatch.setattr(app_module, "WARM_UP_MS", 10**8)
    for name in _window_modules():
        importlib.import_module(name)


@pytest.fixture
def open_full(
    theme: Theme, settings: Settings, untouched: Digits, qtbot: QtBot
) -> Iterator[Callable[[], StudioApp]]:
    """Opens a window with a dataset and a trained run, again and again."""
    apps: list[StudioApp] = []

    def opened() -> StudioApp:
        app = StudioApp(settings, theme)
        apps.append(app)
        window = app.open(untouched.workspace.root)
        qtbot.waitUntil(lambda: window.context.jobs.is_loaded)
        QApplication.processEvents()
        return app

    yield opened
    for app in apps:
        app.close()


def test_parts_that_are_out_of_sight_are_not_made(
    open_full: Callable[[], StudioApp], qtbot: QtBot
) -> None:
    window = open_full().window
    assert window is not None
    window.open(OpenPage("datasets"))
    (panel,) = window.findChildren(DatasetPanel)
    later = {"about", "splitting", "fixing", "review"}
    assert not later & vars(panel).keys()
    window.open(OpenPage("settings"))
    page = window.page("settings")
    assert "keys" not in vars(page)
    qtbot.waitUntil(lambda: "keys" in vars(page))


def test_another_language_makes_the_current_page_alone(
    open_full: Callable[[], StudioApp], qtbot: QtBot
) -> None:
    app = open_full()
    window = app.window
    assert window is not None
    for name in ("export", "predict", "settings"):
        window.show_page(name)
    window.context.navigator.language_requested.emit("pt_BR")
    after = app.window
    assert after is not None
    assert after is not window
    assert set(after._pages) == {"settings"}
    assert after.page_states().keys() == {"export", "predict"}
    after.show_page("export")
    assert after.page_states().keys() == {"export", "predict"}
