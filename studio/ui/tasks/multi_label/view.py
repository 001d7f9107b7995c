"""The parts of pages for several labels per image: answers, reports, and the task view."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.answer import Answer
from studio.ui.charts.figure import Figure, FigureLine, Scale
from studio.ui.tasks.multi_label.data import MultiLabelData
from studio.ui.tasks.multi_label.insights import LabelInsights
from studio.ui.tasks.view import (
    AnswerView,
    CellImages,
    Chart,
    InsightView,
    OutputData,
    ReportView,
    TaskView,
    Together,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.target_files import TargetEvaluation

_tr = partial(QCoreApplication.translate, "tasks")

_BINS = 20
_HALF = 0.5
_MOST_NAMED = 2


class LabelAnswer(AnswerView):
    """Shows a bar for each label, with a tick at the threshold from which on it is given."""

    def headline(self, answer: Answer) -> str:
        """Return the labels that are given, or their number if they need more than a line."""
        if len(answer.labels) > _MOST_NAMED:
            return _tr("{n} labels").format(n=count(len(answer.labels)))
        return self.caption(answer)

    def caption(self, answer: Answer) -> str:
        """Return the labels that are given."""
        if not answer.labels:
            return _tr("No label")
        return ", ".join(apart(each) for each in answer.labels)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each label, the surest first."""
        return [
            BarLine(
                each.label,
                percent(each.score),
                each.score,
                each.threshold,
                is_strong=each.label in answer.labels,
            )
            for each in answer.scores
        ]


class LabelReport(ReportView):
    """Shows how well a label is predicted."""

    def charts(self, data: OutputData) -> list[Chart]:
        """Return precision by recall, and how scores are distributed."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        there = data.targets > _HALF
        curve: list[tuple[float, float]] = []
        if there.any():
            order = np.argsort(-data.outputs, kind="stable")
            hits = np.cumsum(there[order])
            called = np.arange(1, len(order) + 1)
            # Images of one score are given the label together.
            ends = np.append(np.diff(data.outputs[order]) < 0, True)
            curve = list(
                zip(
                    (hits[ends] / there.sum()).tolist(),
                    (hits[ends] / called[ends]).tolist(),
                    strict=True,
                )
            )
        drawn = [FigureLine("", curve, 0)] if curve else []
        given = data.outputs >= (_HALF if data.threshold is None else data.threshold)
        if curve and given.any():
            at = (float(given[there].mean()), float(there[given].mean()))
            drawn.append(FigureLine(_tr("threshold"), [at], 1, dots=True))
        edges = np.linspace(0, 1, _BINS + 1)
        lines = []
        groups = (_tr("with the label"), there), (_tr("without it"), ~there)
        for index, (name, chosen) in enumerate(groups):
            counts, _ = np.histogram(data.outputs[chosen], edges)
            fractions = counts / max(1, chosen.sum())
            middles = ((edges[1:] + edges[:-1]) / 2).tolist()
            lines.append(
                FigureLine(name, list(zip(middles, fractions.tolist(), strict=True)), index)
            )
        if data.threshold is not None:
            upright = ((data.threshold, 0.0), (data.threshold, 1.0))
            lines.append(FigureLine(_tr("threshold"), upright, None, dashed=True))
        recall_scale = Scale(_tr("Recall"), 0.0, 1.0, percent=True)
        return [
            Chart(
                Figure(
                    _tr("Precision by recall: {name}").format(name=data.name),
                    recall_scale,
                    Scale(_tr("Precision"), 0.0, 1.0, percent=True),
                    drawn,
                )
            ),
            Chart(
                Figure(
                    _tr("Scores of images"),
                    Scale(_tr("Score"), 0.0, 1.0, percent=True),
                    Scale(_tr("Share of images"), 0.0, 1.0, percent=True),
                    lines,
                )
            ),
        ]

    def images_title(self) -> str:
        """Say what the captions mean."""
        return _tr("“{name}”: largest errors first (score; ✓ if the image has the label)")

    def caption(self, data: OutputData, index: int) -> tuple[str, bool]:
        """Return the score, and True if the prediction is wrong; see `ReportView.caption`."""
        threshold = _HALF if data.threshold is None else data.threshold
        score, there = float(data.outputs[index]), float(data.targets[index]) > _HALF
        return f"{percent(score)} {'✓' if there else '✗'}", (score >= threshold) != there

    def together(self, evaluation: TargetEvaluation) -> Together | None:
        """Count how often labels are predicted for images of each label."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        outputs, targets = evaluation.outputs, evaluation.targets
        if targets is None:
            return None
        thresholds = evaluation.calibration.thresholds or (_HALF,) * outputs.shape[1]
        given = (outputs >= np.array(thresholds)).astype(np.int64)
        there = (targets > _HALF).astype(np.int64)

        def images(row: int, column: int) -> CellImages:
            indices = np.flatnonzero(there[:, row] & given[:, column])
            surest: NDArray[np.int64] = np.argsort(-outputs[indices, column], kind="stable")
            return CellImages(indices[surest].tolist())

        return Together(
            _tr("Co-occurrence"),
            _tr("Rows: true labels. Columns: predicted labels."),
            (_tr("True label"), _tr("Predicted label")),
            there.T @ given,
            there.sum(axis=0),
            _tr("“{column}” was predicted for {number} of {whole} images with “{row}” ({share})"),
            images,
        )


class MultiLabelView(MultiLabelData, TaskView):
    """Shows several labels per image."""

    answer = LabelAnswer()
    report = LabelReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Labels")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return LabelInsights(theme, parent)


VIEW = MultiLabelView()
