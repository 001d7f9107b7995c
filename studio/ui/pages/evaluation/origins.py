"""Metrics on images of known and of unseen origins, for every kind of report."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtWidgets import QWidget

from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.tasks.metric import MetricSpec
from studio.ui.language import translated
from studio.ui.pages.evaluation import messages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, text_label, vbox
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FigureCell, figure_columns
from studio.ui.widgets.tips import explain

ORIGINS_WORD = str(QT_TRANSLATE_NOOP("evaluation", "Origins"))
"""Text of the tab, translated in the context `evaluation`."""
_ALL = 100
"""Stretch of a table that may be as high as its rows, before the space below it."""


class OriginsTable(QWidget):
    """Each metric on known origins and on unseen ones, and the difference."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = text_label("", "section", self, wraps=True)
        headings = [
            self.tr("Metric"),
            self.tr("Known origins"),
            self.tr("Unseen origins"),
            self.tr("Difference"),
        ]
        name = self.tr("Metrics by origin")
        self.table: Table[Sequence[FigureCell]] = Table(name, figure_columns(headings), self)
        self.note = HintLabel(parent=self)
        explain(
            self.table,
            self.tr("Metrics on images of known and of unseen origins, and their difference."),
        )
        parts = self.sentence, (self.table, _ALL), self.note, STRETCH
        vbox(*parts, owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))

    def show_gap(self, gap: EvaluationGap | None, specs: Sequence[MetricSpec]) -> bool:
        """Show other metrics, and return True if there are any.

        Args:
            gap: The metrics; None if only known or only unseen origins were measured.
            specs: Describes the metrics; the first is the main one.
        """
        if gap is None:
            self.table.show_rows([])
            return False
        rows = [messages.gap_cells(spec, gap) for spec in specs if spec.name in gap.differences]
        self.sentence.setText(translated(gap.text(specs[0])))
        self.table.show_rows(rows)
        self.table.setMaximumHeight(self.table.height_of(len(rows)))
        note = self.tr(
            "Known origins, such as films, also have training images (origins: {known_groups}, "
            "images: {known}). Unseen ones have none (origins: {unseen_groups}, images: {unseen}"
            "). Intervals resample origins; differences of fractions are in percentage points."
        )
        self.note.show_text(
            note.format(
                known=count(gap.known.images),
                known_groups=count(gap.known.groups),
                unseen=count(gap.unseen.images),
                unseen_groups=count(gap.unseen.groups),
            )
        )
        return True
