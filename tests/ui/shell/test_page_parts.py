"""Pages are built without work that their first opening would wait for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from helpers.windows import page_of
from studio.ui.pages import PAGES
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.shell.main_window import MainWindow

MAX_MOVED = 150
"""Widgets in a part that gets another parent after it was filled. Qt styles each of them again:
of the page Datasets, 5,200 such widgets took 1.2 of 1.7 seconds."""


class MovedParts(QObject):
    """Notes parts with many widgets that get another parent.

    Attributes:
        found: Their classes and numbers of widgets.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, int]] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.ParentChange and isinstance(watched, QWidget):
            inside = len(watched.findChildren(QWidget))
            if inside > MAX_MOVED:
                self.found.append((type(watched).__name__, inside))
        return False


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_large_parts_are_made_where_they_stay(
    name: str, window: MainWindow, qapp: QApplication
) -> None:
    moved = MovedParts()
    qapp.installEventFilter(moved)
    window.show_page(name)
    qapp.removeEventFilter(moved)
    assert not moved.found


def test_the_parts_of_datasets_are_made_when_they_are_shown(window: MainWindow) -> None:
    window.show_page("datasets")
    page = page_of(window, "datasets", DatasetsPage)
    assert not {"panel", "sheet", "samples"} & set(vars(page))
    page.start.samples_button.click()
    assert page.stack.currentWidget() is page.samples
