"""Findings of an audit, as stored in `audit.json` beside the dataset. Never imports NumPy."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from studio.engine.documents import JobReport
from studio.engine.plans import Plan, expert_field, plan_field


class AuditPlan(Plan):
    """Look at every image of a dataset.

    `dataset` is the id of a dataset record, `dataset_version` one of its versions; None is the
    newest when the audit begins.
    """

    version: Literal[1] = 1
    dataset: str = plan_field(label="Dataset", help="What to look at.", level="hidden")
    dataset_version: int | None = plan_field(
        None, label="Version", help="How many edits of the dataset count.", level="hidden", ge=0
    )
    near_similarity: float = plan_field(
        95.0,
        label="Near-same",
        help="From which similarity on two images count as nearly the same.",
        why="Lower finds stronger crops and changes, and more pairs that only look alike. "
        "Where all images of a dataset are alike, more is asked by itself.",
        unit="%",
        within=(80, 100),
    )
    near_bits: int = expert_field(
        10,
        label="Outline",
        help="How many of the 63 signs of a near-same image's outline may differ.",
        why="Raise it to find copies that were recolored or cropped a little; too high, and "
        "different pictures look the same to it.",
        within=(0, 16),
    )
    dark_level: float = plan_field(
        50.0,
        label="Very dark",
        help="An image is very dark when nothing in it is brighter than this, 0 to 255.",
        why="Raise it to find underexposed photographs, too. Digits on black are "
        "not dark by this: something in them is bright.",
        within=(0, 255),
    )
    bright_level: float = plan_field(
        205.0,
        label="Very bright",
        help="An image is very bright when nothing in it is darker than this, 0 to 255.",
        why="Lower it to find overexposed photographs, too.",
        within=(0, 255),
    )
    blank_contrast: float = plan_field(
        3.0,
        label="Blank",
        help="An image is blank when its gray levels vary less than this.",
        why="Raise it to find faded pictures; those of fog or paper may then be found, too.",
        within=(0, 64),
    )
    blur_percent: float = plan_field(
        10.0,
        label="Blurred",
        help="An image is blurred when it has less than this share of the usual sharpness.",
        why="Usual is the median of the dataset: images that were enlarged are all a bit soft.",
        unit="%",
        within=(0, 100),
    )
    tiny_percent: float = plan_field(
        25.0,
        label="Tiny",
        help="A file is tiny when its side is less than this share of the usual side.",
        why="Thumbnails among photographs teach little; raise it to find more of them.",
        unit="%",
        within=(0, 100),
    )
    imbalance_ratio: float = plan_field(
        5.0,
        label="Imbalance",
        help="From how many times more training images in the largest class than in the smallest.",
        why="Lower it to be told earlier. From about 10 on the small class is "
        "soon ignored; class weights help.",
        within=(1, 1_000_000),
    )
    look_at_files: bool = expert_field(
        True,
        label="Look at the original files",
        help="Read the size of every original file; a few seconds per 100,000 files.",
        why="Off for files on a slow disk or a network; only the check for tiny files needs it.",
    )
    doubt_labels: bool = plan_field(
        True,
        label="Doubt labels",
        help="Look for images that a simple classifier takes for another class.",
        why="It learns from small versions of the other images, so it only speaks up where those "
        "are enough to tell the classes apart.",
    )


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
        """Return the finding of a kind, or None."""
        return next((finding for finding in self.findings if finding.kind == kind), None)
