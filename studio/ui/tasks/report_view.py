"""How the window shows an evaluation on targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.charts.figure import Figure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class OutputData:
    """What a model answered for one output, on all images of an evaluation.

    Attributes:
        name: Of the label or quantity.
        unit: Of the quantity.
        outputs: Of the model, shape (n,).
        targets: Shape (n,).
        threshold: From which probability on the label is given; None where there is none.
        margin: Half the width of the prediction interval; None where there is none.
    """

    name: str
    unit: str
    outputs: NDArray[np.float32]
    targets: NDArray[np.float32]
    threshold: float | None = None
    margin: float | None = None

    @property
    def title(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True)
class Chart:
    """A chart, and which image each point of a line stands for.

    Attributes:
        figure: What is drawn.
        is_apart: True if it is shown in a tab of its own, `ReportView.charts_title`.
        images: Place of the image of each point of the first line; empty where points are none.
    """

    figure: Figure
    images: Sequence[int] = ()
    is_apart: bool = False


@dataclass(frozen=True)
class Together:
    """How often outputs come together.

    Attributes:
        title: The word on the tab.
        hint: What it shows, in a sentence.
        axes: What the rows and the columns are.
        counts: Images, shape (K, K).
        totals: Images of each row, K.
        cell: Tells of a cell, with `{number}`, `{whole}`, `{row}`, `{column}` and `{share}`.
        images: Returns the places of the images of a row and a column.
    """

    title: str
    hint: str
    axes: tuple[str, str]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    cell: str
    images: Callable[[int, int], NDArray[np.int64]]


class ReportView:
    """Shows the metrics alone."""

    def charts(self, data: OutputData) -> list[Chart]:  # noqa: ARG002 - of other views
        """Return the charts of an output, at most two below the table and two apart."""
        return []

    def charts_title(self) -> tuple[str, str]:
        """Return the word on the tab of the charts that are apart, and what they show."""
        return "", ""

    def images_title(self) -> str:
        """Return what is said above the images of an output, with `{name}`."""
        return QCoreApplication.translate(
            "tasks", "{name}: largest errors first (predicted / true)"
        )

    def caption(self, data: OutputData, place: int) -> tuple[str, bool]:
        """Return what stands under an image, and whether its answer is wrong."""
        return f"{data.outputs[place]:.4g} / {data.targets[place]:.4g}", False

    def together(
        self,
        outputs: NDArray[np.float32],  # noqa: ARG002 - of other views
        targets: NDArray[np.float32],  # noqa: ARG002
        thresholds: Sequence[float],  # noqa: ARG002
    ) -> Together | None:
        """Return how often outputs come together; None where that means nothing.

        Args:
            outputs: Shape (n, K).
            targets: Shape (n, K).
            thresholds: Of the outputs, K, or empty.
        """
        return None
