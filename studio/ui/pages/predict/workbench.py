"""What is shown of a batch: the picture with its history at the left, the answers at the right."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.answer_panel import AnswerPanel
from studio.ui.pages.predict.classifier import Classifier
from studio.ui.pages.predict.history_strip import HistoryStrip
from studio.ui.pages.predict.insight import Insight
from studio.ui.pages.predict.insight_work import Heat
from studio.ui.pages.predict.side_by_side import SideBySide
from studio.ui.pages.predict.stage_panel import StagePanel
from studio.ui.pages.predict.state import AnswerKind, Batch, Stage, answer_kind
from studio.ui.theme.tokens import SPACE


class Workbench(QWidget):
    """Shows a batch, and asks further models and for reasons where that is switched on."""

    def __init__(
        self, context: AppContext, classifier: Classifier, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._classifier = classifier
        self.beside = SideBySide(context, classifier, self)
        self.insight = Insight(context, classifier, self)
        self.stage_panel = StagePanel(context, self)
        self.answer = AnswerPanel(context, self.insight, self)
        self.history = HistoryStrip(context, self)
        left = QVBoxLayout()
        left.setSpacing(SPACE.m)
        left.addWidget(self.stage_panel, 1)
        left.addWidget(self.history)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addLayout(left, 3)
        row.addWidget(self.answer, 2)
        self.beside.changed.connect(self._on_beside)
        self.answer.beside.removed.connect(self._on_removed)
        self.answer.insight.opacity_changed.connect(self.stage_panel.view.set_opacity)
        self.insight.heat_changed.connect(self._on_heat)
        # The picture may come after its heat map, and takes it away.
        self.stage_panel.picture_shown.connect(self._on_heat)

    def show_batch(self, stage: Stage, batch: Batch | None, model: RunChoice) -> None:
        """Show a batch at its stage, answered by a model."""
        self.stage_panel.show_batch(stage, batch)
        self.answer.show_batch(
            batch,
            is_model_warm=self._classifier.is_warm(model),
            classes=self._classifier.classes(model),
        )
        kind = answer_kind(batch)
        picture = None if batch is None else batch.picture
        self.beside.show_picture(None if kind is AnswerKind.UNREADABLE else picture)
        answered = picture if kind is AnswerKind.SCORES else None
        self.insight.show_picture(model, answered, self.answer.insight.output)
        self.answer.insight.similar.show_picture(model, answered)

    def _on_beside(self) -> None:
        self.answer.beside.show_answers(self.beside.answers())

    def _on_removed(self, place: int) -> None:
        kept = self.beside.models
        kept.pop(place)
        self.beside.set_models(kept)

    def _on_heat(self) -> None:
        heat = self.insight.heat
        if isinstance(heat, Heat):
            self.stage_panel.view.set_heat(heat.values, heat.covers)
        else:
            self.stage_panel.view.set_heat(None)
