"""A thousand classes: the window makes cards of those alone that are in sight."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from page_checks import show_in_window
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.browsing.browser import CARDS_PER_PAGE, CARDS_PER_STEP
from studio.ui.pages.datasets.page import View
from studio.ui.widgets.cards import ClassCard

CLASSES = 1000
WORDS = ("ação", "قطة سوداء", "🐈 gato", "kind")


def turns(cards: Callable[[], list[ClassCard]]) -> tuple[QTimer, list[int]]:
    """Note how many cards there are in every turn of the event loop."""
    counts: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: counts.append(len(cards())))
    timer.start(0)
    return timer, counts


def test_a_thousand_classes_open_without_blocking(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    few = add_dataset(workspace, "few", picture_folder(tmp_path / "few", {"a": 2, "b": 2}))
    names = [f"{number:03} {WORDS[number % len(WORDS)]}" for number in range(CLASSES)]
    counts = dict.fromkeys(names, 1)
    many = add_dataset(workspace, "many", picture_folder(tmp_path / "many", counts, side=8))
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    gallery = view.panel.gallery
    view.show_record(few.id)
    qtbot.waitUntil(lambda: len(gallery.cards()) == 2, timeout=10_000)
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=10_000)
    timer, made = turns(gallery.cards)
    with qtbot.waitSignal(gallery.filled, timeout=30_000):
        view.show_record(many.id)
    timer.stop()
    cards = gallery.cards()
    assert [card.name for card in cards] == names[: len(cards)]
    assert len(cards) <= 3 * CARDS_PER_PAGE, "not one for each class"
    assert all(len(card.mosaic.images()) == 1 for card in cards)
    assert np.diff([0, *made]).max() <= 2 * CARDS_PER_STEP, "a turn after every few cards"
    positions = [card.pos() for card in cards]
    assert len({(index.x(), index.y()) for index in positions}) == len(cards)

    bar = gallery.findChildren(QScrollArea)[0].verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: len(gallery.cards()) > len(cards), timeout=10_000)
    gallery.search.setText("99")
    assert [card.name for card in gallery.cards()[:2]] == [names[99], names[199]]
    qtbot.waitUntil(lambda: len(gallery.cards()) == 19)
    qtbot.waitUntil(lambda: all(card.mosaic.images() for card in gallery.cards()))
    assert all(card.isVisibleTo(gallery) for card in gallery.cards())
    gallery.search.setText("nothing of the kind")
    assert gallery.cards() == []
    assert len(gallery.findChildren(ClassCard)) <= 5 * CARDS_PER_PAGE
    view.show_record(few.id)
    qtbot.waitUntil(lambda: len(gallery.cards()) == 2, timeout=5000)
    assert window.isVisible()
