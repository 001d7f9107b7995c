"""What an audit found, as it stands in `audit.json` beside the dataset. Never imports NumPy."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from studio.engine.documents import read_document
from studio.engine.files import write_atomically

AUDIT_NAME = "audit.json"

Severity = Literal["info", "warning", "serious"]
Action = Literal["exclude", "move", "relabel"]


class Finding(BaseModel, frozen=True):
    """One kind of thing that was found, with everything it was found in.

    Attributes:
        kind: Name of the check: `"exact_duplicates"`, `"leakage"` …
        severity: `serious` makes figures wrong, `warning` makes learning worse, `info` is a fact.
        message: What was found, one sentence with the number.
        suggestion: What to do, one sentence.
        count: How many: pairs where there are pairs, otherwise images, otherwise classes.
        rows: Images, by their rows; empty for files that were never imported.
        paths: The same images by their paths; for files that were never imported these alone.
        pairs: Two rows each that show the same: the one to keep first.
        similarity: Of each pair, 0 to 1; 1 is the same pixel by pixel.
        classes: Names of classes that it is about.
        actions: Fixes that `fixes.fix_finding` can do by itself.
    """

    kind: str
    severity: Severity
    message: str
    suggestion: str
    count: int
    rows: list[int] = []
    paths: list[str] = []
    pairs: list[tuple[int, int]] = []
    similarity: list[float] = []
    classes: list[str] = []
    actions: tuple[Action, ...] = ()


class NotChecked(BaseModel, frozen=True):
    """A check that could not be done, and why."""

    kind: str
    reason: str


class Range(BaseModel, frozen=True):
    """Smallest, middle and largest of some numbers."""

    low: float
    median: float
    high: float


class Statistics(BaseModel, frozen=True):
    """Figures of all images together.

    Attributes:
        color_mean: Mean of each channel, 0 to 255.
        color_deviation: Standard deviation of each channel over all pixels.
        brightness: Of the images.
        contrast: Standard deviation inside the images, gray levels.
        width: Of the original files in pixels; None where they were not looked at.
        height: Of the original files in pixels.
        mean_images: PNG files beside this one, by split.
    """

    color_mean: list[float]
    color_deviation: list[float]
    brightness: Range
    contrast: Range
    width: Range | None = None
    height: Range | None = None
    mean_images: dict[str, str] = {}


class AuditReport(BaseModel, frozen=True):
    """Everything that an audit said.

    Attributes:
        dataset_version: The version that was looked at; see `datasets.edits`.
        images: How many were looked at.
        counts: How many of each kind, 0 where nothing was found.
    """

    version: Literal[1] = 1
    dataset_version: int
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    images: int
    findings: list[Finding]
    counts: dict[str, int]
    not_checked: list[NotChecked] = []
    statistics: Statistics

    def finding(self, kind: str) -> Finding | None:
        """What was found of a kind, or None."""
        return next((finding for finding in self.findings if finding.kind == kind), None)


def write_report(folder: Path, report: AuditReport) -> None:
    """Write `audit.json` into a dataset's folder.

    Raises:
        DiskFullError: No space was left; an older report stays.
    """
    # Without indents: it may name every image of a large dataset.
    write_atomically(folder / AUDIT_NAME, report.model_dump_json() + "\n")


def read_report(folder: Path) -> AuditReport | None:
    """The newest report of a dataset, or None when it was never audited.

    Raises:
        BadDataError: It is damaged.
    """
    return read_document(
        folder / AUDIT_NAME, AuditReport, "report of the audit", "Audit the dataset again."
    )
