"""The precision-recall curve of a label, its scores, and which labels come together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.charts.figure import Figure, FigureLine, Scale
from studio.ui.tasks.report_view import Chart, OutputData, ReportView, Together
from studio.ui.widgets.figures import percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "tasks")

_BINS = 20
_HALF = 0.5


class LabelReport(ReportView):
    """Shows how well a label is told from its absence."""

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
        for place, (name, chosen) in enumerate(groups):
            counts, _ = np.histogram(data.outputs[chosen], edges)
            shares = counts / max(1, chosen.sum())
            middles = ((edges[1:] + edges[:-1]) / 2).tolist()
            lines.append(FigureLine(name, list(zip(middles, shares.tolist(), strict=True)), place))
        if data.threshold is not None:
            upright = ((data.threshold, 0.0), (data.threshold, 1.0))
            lines.append(FigureLine(_tr("threshold"), upright, None, dashed=True))
        shares_ = Scale(_tr("Recall"), 0.0, 1.0, percent=True)
        return [
            Chart(
                Figure(
                    _tr("Precision by recall: {name}").format(name=data.name),
                    shares_,
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

    def caption(self, data: OutputData, place: int) -> tuple[str, bool]:
        """Return the score; wrong where the label is given and not there, or the reverse."""
        threshold = _HALF if data.threshold is None else data.threshold
        score, there = float(data.outputs[place]), float(data.targets[place]) > _HALF
        return f"{percent(score)} {'✓' if there else '✗'}", (score >= threshold) != there

    def together(
        self,
        outputs: NDArray[np.float32],
        targets: NDArray[np.float32],
        thresholds: Sequence[float],
    ) -> Together:
        """Count for the images of each label which labels they are given."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        given = (outputs >= np.array(thresholds or (_HALF,) * outputs.shape[1])).astype(np.int64)
        there = (targets > _HALF).astype(np.int64)

        def images(row: int, column: int) -> NDArray[np.int64]:
            places = np.flatnonzero(there[:, row] & given[:, column])
            surest: NDArray[np.int64] = np.argsort(-outputs[places, column], kind="stable")
            return places[surest]

        return Together(
            _tr("Co-occurrence"),
            _tr("Rows: images that have a label. Columns: labels that the model gives them."),
            (_tr("True label"), _tr("Predicted label")),
            there.T @ given,
            there.sum(axis=0),
            _tr("{number} of {whole} images with “{row}” are given “{column}” ({share})"),
            images,
        )
