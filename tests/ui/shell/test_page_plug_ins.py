"""Pages of other packages: in the rail, opened, and reported where they do not work."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from helpers.plug_ins import SAMPLES, forget_loaded, importable, write_package
from studio.ui.pages import PAGES
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.page_factory import FailedPage

PACKAGE = "scanner_plug_ins"
MODULES = (PACKAGE, "broken_page", "icon_page")
BROKEN = """
from studio.ui.pages import PageSpec
PAGE = PageSpec("broken", "Broken", package="no_such_module")
"""
ICON = """
from studio.ui.pages import PageSpec
PAGE = PageSpec("icon", "Icon", icon="no such icon", package="no_such_module")
"""


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Path]:
    """A folder of packages with pages: one works, one cannot be made, one cannot be read."""
    folder = tmp_path / "packages"
    shutil.copytree(SAMPLES / PACKAGE, folder / PACKAGE)
    points = {"studio.pages": {"shift": f"{PACKAGE}.shift_page:PAGE"}}
    write_package(folder, PACKAGE, {}, points)
    files = {"broken_page.py": BROKEN, "icon_page.py": ICON}
    points = {"studio.pages": {"broken": "broken_page:PAGE", "icon": "icon_page:PAGE"}}
    write_package(folder, "broken_pages", files, points)
    with importable(folder, ()):
        yield folder
    for name in [each for each in sys.modules if each.startswith(MODULES)]:
        del sys.modules[name]
    forget_loaded()


def test_pages_of_packages_stand_in_the_rail_and_open(
    packages: Path, window: MainWindow, qtbot: QtBot
) -> None:
    names = list(window.rail.buttons)

    assert names[-3:] == ["broken", "shift", "settings"]
    window.rail.buttons["shift"].click()
    assert window.current_page == "shift"
    (label,) = window.page("shift").findChildren(QLabel)
    qtbot.waitUntil(lambda: label.text() == "0 runs in this shift")
    window.rail.buttons["broken"].click()
    failed = window.page("broken")
    assert isinstance(failed, FailedPage)
    assert any("no_such_module" in each.text() for each in failed.findChildren(QLabel))
    window.rail.buttons["home"].click()
    assert window.current_page == "home"
    assert "there is no icon" in str(PAGES.failures()["icon"])
