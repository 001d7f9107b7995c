"""What an audit found, as it stands in `audit.json` beside the dataset. Never imports NumPy."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from studio.engine.documents import JobReport

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


class AuditReport(JobReport, frozen=True):
    """Everything that an audit said.

    Attributes:
        dataset_version: The version that was looked at; see `datasets.edits`.
        images: How many were looked at.
        counts: How many of each kind, 0 where nothing was found.
    """

    FILE: ClassVar[str] = "audit.json"
    LABEL: ClassVar[str] = "report of the audit"
    HINT: ClassVar[str] = "Audit the dataset again."
    # Without indents: it may name every image of a large dataset.
    INDENT: ClassVar[int | None] = None

    dataset_version: int
    images: int
    findings: list[Finding]
    counts: dict[str, int]
    not_checked: list[NotChecked] = Field([])
    statistics: Statistics

    def finding(self, kind: str) -> Finding | None:
        """What was found of a kind, or None."""
        return next((finding for finding in self.findings if finding.kind == kind), None)
