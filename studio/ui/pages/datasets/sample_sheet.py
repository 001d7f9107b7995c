"""All samples: what comes with Studio, and what can be downloaded."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.samples import SAMPLES
from studio.engine.errors import StudioError
from studio.ui.pages.datasets.import_messages import sample_line
from studio.ui.pages.datasets.sample_card import SampleCard
from studio.ui.pages.datasets.sample_import import SampleImport
from studio.ui.pages.datasets.state import RateMeter
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.page_header import PageHeader

_WIDTH = 760


class SampleSheet(QWidget):
    """A card for each sample; one is got at a time.

    Signals:
        closed: The user wants none.
    """

    closed = Signal()

    def __init__(self, samples: SampleImport, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples = samples
        self._meter = RateMeter()
        self.header = PageHeader(
            self.tr("Sample datasets"),
            self.tr("Made or downloaded once, then imported like images of your own."),
            self,
        )
        self.close_button = push_button(self.tr("Not now"), theme, kind="quiet", parent=self)
        self.header.add_action(self.close_button)
        self.cards = {sample.name: SampleCard(sample, theme, self) for sample in SAMPLES}
        self._lay_out()
        self.close_button.clicked.connect(self.closed)
        for card in self.cards.values():
            card.wanted.connect(samples.want)
            card.cancel_requested.connect(samples.cancel)
        samples.writing.connect(self._on_writing)
        samples.advanced.connect(self._on_advanced)
        samples.failed.connect(self._on_failed)
        samples.cancelled.connect(self._on_ended)
        samples.ready.connect(self._on_ended)
        self.refresh()
        explain(self.close_button, self.tr("Goes back; nothing is downloaded."))

    def refresh(self) -> None:
        """Show what is there already, and what is on its way."""
        busy = self._samples.name
        why_not = self.tr("One sample at a time: another is being got") if busy else ""
        for name, card in self.cards.items():
            if name != busy:
                card.show_idle(is_made=bool(self._samples.made(name)), why_not=why_not)

    def _on_writing(self, name: str) -> None:
        self._meter.reset()
        for card in self.cards.values():
            card.show_error(None)
        self.cards[name].show_busy()
        self.refresh()

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        card = self.cards.get(self._samples.name)
        if card is None:
            return
        self._meter.add(time.monotonic(), done)
        left = self._meter.seconds_left(total) if total else None
        is_bytes = bool(card.sample.download)
        text = sample_line(what, done, total, left, is_bytes=is_bytes)
        card.show_progress(text, done / total if total else None)

    def _on_failed(self, name: str, error: StudioError) -> None:
        self.refresh()
        self.cards[name].show_error(error)

    def _on_ended(self, _name: str) -> None:
        self.refresh()

    def _lay_out(self) -> None:
        inside = QWidget(self)
        inside.setProperty("plain", True)
        cards = QVBoxLayout(inside)
        cards.setContentsMargins(0, 0, SPACE.s, SPACE.m)
        cards.setSpacing(SPACE.m)
        for card in self.cards.values():
            card.setMaximumWidth(_WIDTH)
            cards.addWidget(card)
        cards.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.m)
        column.addWidget(self.header)
        column.addWidget(scroll, 1)
