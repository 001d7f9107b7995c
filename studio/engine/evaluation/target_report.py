"""What an evaluation on images with targets found: `targets.json` in its folder.

The outputs for the single images are beside it, in `outputs.npy`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from studio.engine.documents import read_document, write_document
from studio.engine.evaluation.report import Interval, Subject

TARGET_REPORT_NAME = "targets.json"
OUTPUTS_NAME = "outputs.npy"
OUTPUTS = "outputs"
"""Name of the artifact with the outputs, float32, shape (images of the split, outputs)."""


class OutputFigures(BaseModel, frozen=True):
    """Metrics of one label or quantity.

    Attributes:
        name: Of the label or quantity.
        unit: Of the quantity.
        images: How many images it is about.
        threshold: From which probability on the label is given; None where there is none.
        margin: Half the width of the prediction interval; None where there is none.
        metrics: By their names; None where one cannot be measured.
        intervals: Of the metrics.
    """

    name: str
    unit: str = ""
    images: int
    threshold: float | None = None
    margin: float | None = None
    metrics: dict[str, float | None]
    intervals: dict[str, Interval] = {}


class TargetReport(BaseModel, frozen=True):
    """Metrics of a model on one split.

    Attributes:
        task: Name of the task, which declares the metrics.
        subject: What was measured.
        count: Number of images.
        metrics: Of all outputs together, by their names; None where one cannot be measured.
        intervals: Of the metrics: 95 % of the resamples are inside.
        outputs: Of each output, in the order of the network's.
        resamples: How often the images were drawn anew for the intervals.
        seed: Of the draws.
        notes: What a reader should know.
    """

    version: Literal[1] = 1
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    task: str
    subject: Subject
    count: int
    metrics: dict[str, float | None]
    intervals: dict[str, Interval] = {}
    outputs: tuple[OutputFigures, ...]
    resamples: int = 0
    seed: int = 0
    notes: tuple[str, ...] = ()


def write_target_report(folder: Path, report: TargetReport) -> Path:
    """Write it into the folder of an evaluation.

    Raises:
        DiskFullError: No space was left.
    """
    return write_document(folder / TARGET_REPORT_NAME, report)


def read_target_report(folder: Path) -> TargetReport | None:
    """Return that of an evaluation; None where its images have one class each.

    Raises:
        BadDataError: It is damaged.
    """
    path = folder / TARGET_REPORT_NAME
    return read_document(path, TargetReport, "evaluation", "Evaluate again.")
