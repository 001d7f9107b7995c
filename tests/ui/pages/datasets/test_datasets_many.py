"""Three hundred classes: the window stays alive while they appear."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from page_checks import show_in_window
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.class_gallery import CARDS_PER_STEP
from studio.ui.pages.datasets.page import View
from studio.ui.widgets.class_card import ClassCard

CLASSES = 300


def turns(cards: Callable[[], list[ClassCard]]) -> tuple[QTimer, list[int]]:
    """Note how many cards there are in every turn of the event loop."""
    counts: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: counts.append(len(cards())))
    timer.start(0)
    return timer, counts


def test_three_hundred_classes_open_without_blocking(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    few = add_dataset(workspace, "few", picture_folder(tmp_path / "few", {"a": 2, "b": 2}))
    counts = {f"kind {number:03}": 3 for number in range(CLASSES)}
    many = add_dataset(workspace, "many", picture_folder(tmp_path / "many", counts))
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    view.show_record(few.id)
    qtbot.waitUntil(lambda: len(view.panel.gallery.cards()) == 2, timeout=10_000)
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=10_000)
    timer, made = turns(view.panel.gallery.cards)
    with qtbot.waitSignal(view.panel.gallery.filled, timeout=30_000):
        view.show_record(many.id)
    timer.stop()
    cards = view.panel.gallery.cards()
    assert len(cards) == CLASSES
    assert all(len(card.mosaic.images()) == 3 for card in cards)
    steps = np.diff([0, *made])
    assert steps.max() <= 2 * CARDS_PER_STEP, "the window has a turn after every few cards"
    view.panel.gallery.search.setText("29")
    shown = [card.name for card in cards if not card.isHidden()]
    assert len(shown) == 13, "029, 129, 229 and 290 to 299"
    view.panel.gallery.search.setText("nothing of the kind")
    assert all(card.isHidden() for card in cards)
    view.show_record(few.id)
    qtbot.waitUntil(lambda: len(view.panel.gallery.cards()) == 2, timeout=5000)
    assert window.isVisible()
