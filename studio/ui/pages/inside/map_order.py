"""What map is wanted: method, images, layer; and how far it is."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.embeddings.plan import EmbeddingPlan, MapMethod, MapSplit
from studio.engine.inference.questions import Outline
from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.ui.bridge import describe
from studio.ui.documents.record import RecordDocument
from studio.ui.engine_text import plan_text
from studio.ui.pages.inside.state import is_at_work
from studio.ui.shared.jobs import show_start, show_stop
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.tips import explain

METHODS: tuple[MapMethod, ...] = get_args(MapMethod)
SPLITS: tuple[MapSplit, ...] = get_args(MapSplit)

_WIDEST = 400


class MapOrder(QWidget):
    """A row of choices and the button that draws.

    Signals:
        wanted: Draw a map.
        cancelled: Draw it no further.
    """

    wanted = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fields = {field.name: field for field in fields_of(EmbeddingPlan)}
        self.method = QComboBox(self)
        self.method.addItems([self.tr("PCA"), self.tr("t-SNE")])
        self.split = QComboBox(self)
        self.split.addItems(
            [
                self.tr("All images"),
                self.tr("Training images"),
                self.tr("Validation images"),
                self.tr("Test images"),
            ]
        )
        self.layer = ComboBox(self)
        self.layer.setMaximumWidth(_WIDEST)
        for box, name, text in (
            (self.method, "method", self.tr("Method of the map")),
            (self.split, "split", self.tr("Images on the map")),
            (self.layer, "layer", self.tr("Layer whose output is drawn")),
        ):
            box.setAccessibleName(text)
            box.setToolTip(f"{text}. {plan_text(fields[name].why or fields[name].help)}")
        self.draw_button = push_button(
            self.tr("Draw the map"), theme, kind="primary", icon="chart", parent=self
        )
        self.cancel_button = push_button(
            self.tr("Cancel"), theme, kind="quiet", icon="stop", parent=self
        )
        self.bar = ThinBar(theme, self)
        self.problem = HintLabel("", "problem", self)
        self.detail = HintLabel("", "help", self)
        self._lay_out()
        self.show_layers(None)
        self.show_work(None)
        self.draw_button.clicked.connect(self._on_draw)
        self.cancel_button.clicked.connect(self._on_cancel)
        explain(self.cancel_button, self.tr("Stops drawing; the map of before stays."))
        explain(
            self.draw_button,
            self.tr("Makes a point of each image; what the network finds alike lies together."),
        )

    def plan(self, model: str, dataset: str) -> EmbeddingPlan:
        """What is chosen, for a model and a dataset as plans call them."""
        return EmbeddingPlan(
            model=model,
            dataset=dataset,
            method=METHODS[self.method.currentIndex()],
            split=SPLITS[self.split.currentIndex()],
            layer=self.layer.currentData() or "",
        )

    def show_layers(self, outline: Outline | None) -> None:
        """Offer the layers of a model; none are known where it was not looked into yet."""
        chosen = self.layer.currentData() or ""
        with QSignalBlocker(self.layer):
            self.layer.clear()
            self.layer.addItem(self.tr("Before the head"), "")
            for layer in () if outline is None else outline.layers:
                self.layer.addItem(layer.path, layer.path)
            self.layer.setCurrentIndex(max(0, self.layer.findData(chosen)))

    def show_work(self, entry: RecordDocument | None) -> None:
        """Show how far a map is, or why there is none."""
        going = is_at_work(entry)
        show_start(self.draw_button, self.tr("Draw the map"), is_asked=False)
        self.draw_button.setEnabled(not going)
        self.draw_button.setToolTip(self.tr("A map is being drawn.") if going else "")
        self.cancel_button.setVisible(going)
        show_stop(self.cancel_button, entry, self.tr("Cancel"))
        self.bar.setVisible(going)
        progress = entry.history.progress if entry is not None else None
        total = progress.total if progress is not None else 0
        self.bar.set_fraction(progress.done / total if progress is not None and total else None)
        words = ""
        if going and entry is not None:
            words = describe.detail(entry)
            if progress is not None and progress.what and progress.what not in words:
                words = f"{progress.what}: {words}"
        self.detail.show_text(words)
        failed = entry is not None and entry.state in (State.FAILED, State.LOST)
        self.problem.show_text(entry.history.reason if entry and failed else "", "problem")

    def _on_draw(self) -> None:
        self.wanted.emit()

    def _on_cancel(self) -> None:
        self.cancelled.emit()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.method)
        row.addWidget(self.split)
        row.addWidget(self.layer, 1)
        row.addStretch(0)
        row.addWidget(self.draw_button)
        row.addWidget(self.cancel_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addLayout(row)
        for widget in (self.bar, self.detail, self.problem):
            column.addWidget(widget)
