"""Right and wrong labels of the validation images of a run, and the surest mistakes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.shared.dataset_pictures import Captioned, PictureGrid
from studio.ui.tasks.view import InsightView, ValidationInsight
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column

if TYPE_CHECKING:
    from studio.engine.training.insights import TargetAnswers

_tr = partial(QCoreApplication.translate, "labels")

Index = QModelIndex | QPersistentModelIndex
THRESHOLD = 0.5
"""As in the metrics while a network trains."""
MOST = 200
"""Pictures that are shown, the surest mistakes first."""
_THUMB = 72
_LEAST = 300
_FIGURE = 68
"""Pixels of a column of figures; the names have the rest."""


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Numbers of right and wrong predictions of a label.

    Attributes:
        name: The label, or a word for all of them.
        tp: Images that have it and got it.
        fp: Images that got it and do not have it.
        fn: Images that have it and did not get it.
        tn: Images that neither have nor got it.
    """

    name: str
    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; NaN where there is nothing to find."""
        total = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / total if total else math.nan


def counts_of(found: TargetAnswers, names: Sequence[str]) -> list[LabelCounts]:
    """Count right and wrong labels at a threshold of one half.

    Args:
        found: Predictions of the network.
        names: Names of the labels.
    """
    has, got = found.truth > 0, found.outputs >= THRESHOLD
    kinds = (has & got, ~has & got, has & ~got, ~has & ~got)
    sums = [kind.sum(axis=0).tolist() for kind in kinds]
    return [LabelCounts(name, *each) for name, *each in zip(names, *sums, strict=True)]


def surest_mistakes(found: TargetAnswers, label: int | None) -> list[tuple[int, int]]:
    """Return images and labels that are wrong, those of which the network was surest first.

    Args:
        found: Predictions of the network.
        label: Only this one; None for the worst label of each image.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    has = found.truth > 0
    wrong = np.where(has, 1 - found.outputs, found.outputs)
    wrong = np.where((found.outputs >= THRESHOLD) != has, wrong, -1.0)
    labels = np.full(len(wrong), label) if label is not None else wrong.argmax(axis=1)
    worst = wrong[np.arange(len(wrong)), labels]
    order = np.argsort(-worst, kind="stable")[:MOST]
    return [(int(index), int(labels[index])) for index in order if worst[index] >= 0]


def _columns() -> tuple[Column[LabelCounts], ...]:
    return (
        Column(
            _tr("Label"),
            attrgetter("name"),
            width=FILL,
            tip=_tr("Of the dataset"),
            is_text=True,
        ),
        _count_column(
            "tp",
            _tr("TP"),
            _tr("True positives: images with the label for which it was predicted"),
        ),
        _count_column(
            "fn",
            _tr("FN"),
            _tr("False negatives: images with the label for which it was not predicted"),
        ),
        _count_column(
            "fp",
            _tr("FP"),
            _tr("False positives: images without the label for which it was predicted"),
        ),
        _count_column(
            "tn",
            _tr("TN"),
            _tr("True negatives: images without the label for which it was not predicted"),
        ),
        Column(
            _tr("F1"),
            lambda row: percent(row.f1),
            value=attrgetter("f1"),
            width=_FIGURE,
            tip=_tr("Harmonic mean of precision and recall at a threshold of 0.5"),
        ),
    )


def _count_column(name: str, heading: str, tip: str) -> Column[LabelCounts]:
    return Column(
        heading,
        lambda row: count(getattr(row, name)),
        value=attrgetter(name),
        width=_FIGURE,
        tip=tip,
    )


class LabelInsights(InsightView):
    """Counts of each label at the left, pictures of the surest mistakes at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._insight: ValidationInsight | None = None
        self.table = Table(
            _tr("Correct and wrong labels"), _columns(), self, key=attrgetter("name")
        )
        self.table.setMinimumWidth(_LEAST)
        self.heading = QLabel(self)
        self.heading.setProperty("role", "section")
        self.none_left = QLabel(_tr("No mistakes: all predictions are correct."), self)
        self.none_left.setProperty("role", "muted")
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        right = QVBoxLayout()
        right.setSpacing(SPACE.xs)
        right.addWidget(self.heading)
        right.addWidget(self.none_left)
        right.addWidget(self.grid, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addWidget(self.table, 1)
        row.addLayout(right, 1)
        self.table.row_chosen.connect(self._on_row)

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation; the chosen label stays."""
        self._insight = insight
        each = counts_of(insight.found, insight.names)
        sums = zip(*((row.tp, row.fp, row.fn, row.tn) for row in each), strict=True)
        self.table.show_rows([LabelCounts(_tr("All labels"), *map(sum, sums)), *each])
        if self.table.current is None:
            self.table.selectRow(0)
        self._show_mistakes()

    def _on_row(self, _name: str) -> None:
        self._show_mistakes()

    def _show_mistakes(self) -> None:
        insight, row = self._insight, self.table.current
        if insight is None:
            return
        is_label = row is not None and row.name in insight.names
        label = insight.names.index(row.name) if row is not None and is_label else None
        images = [
            self._captioned(insight, *each) for each in surest_mistakes(insight.found, label)
        ]
        heading = (
            _tr("Surest mistakes")
            if label is None
            else _tr("Most confident mistakes for “{name}”").format(name=insight.names[label])
        )
        self.heading.setText(heading)
        self.grid.setAccessibleName(heading)
        self.none_left.setVisible(not images)
        self.grid.setVisible(bool(images))
        self.grid.show_images(images, insight.pictures)

    def _captioned(self, insight: ValidationInsight, index: int, label: int) -> Captioned:
        name, score = insight.names[label], float(insight.found.outputs[index, label])
        is_missed = insight.found.truth[index, label] > 0
        pattern = (
            _tr("with “{name}”, predicted with only {score}")
            if is_missed
            else _tr("without “{name}”, predicted with {score}")
        )
        whole = pattern.format(name=name, score=percent(score))
        caption = f"{name}: {percent(score, 0)}"
        return Captioned(int(insight.found.rows[index]), caption, whole, wrong=True)
