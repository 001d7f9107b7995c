"""The images of a dataset on its page."""

from __future__ import annotations

from page_checks import (
    cut_boxes,
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    unexplained_buttons,
)
from pytestqt.qtbot import QtBot

from studio.ui.pages.datasets.browsing.browser import ImageBrowser
from studio.ui.pages.datasets.page import View


def browse(qtbot: QtBot, view: View, output: int = -1) -> ImageBrowser:
    """Show the images of a class, label or quantity; -1 is all images."""
    browser = view.panel.browser
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        view.panel.gallery.class_activated.emit(output)
    return browser


def rows_shown(browser: ImageBrowser) -> list[int]:
    """The rows of the images in the grid, in its order."""
    assert browser._model is not None
    rows: list[int] = browser._model.rows.tolist()
    return rows


def is_sound(qtbot: QtBot, view: View) -> None:
    """Nothing on the page is nameless, cut or unexplained once it is laid out."""
    assert not nameless_controls(view)
    qtbot.waitUntil(lambda: not cut_buttons(view) and not cut_boxes(view))
    assert not unexplained_buttons(view)
    assert fits_smallest_window(view)
