"""Findings of an audit, as stored in `audit.json` beside the dataset. Never imports NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, Field

from studio.engine.documents import JobReport
from studio.engine.jobs.types import JobType, register
from studio.engine.messages import Text
from studio.engine.plans import Plan, expert_field, plan_field
from studio.engine.workspace import RecordKind

if TYPE_CHECKING:
    from studio.engine.datasets.audit.remaining import Remaining


class AuditPlan(Plan):
    """Audit every image of a dataset.

    `dataset` is the id of a dataset record, `dataset_version` one of its versions; None is the
    newest when the audit begins.
    """

    version: Literal[1] = 1
    dataset: str = plan_field(label="Dataset", help="Dataset to audit.", level="hidden")
    dataset_version: int | None = plan_field(
        None,
        label="Version",
        help="Version of the dataset, as the number of its edits.",
        level="hidden",
        ge=0,
    )
    near_similarity: float = plan_field(
        95.0,
        label="Near-same",
        help="Minimum similarity of near-duplicate images.",
        why="Lower it to find stronger crops and changes, with more false pairs. The "
        "threshold rises automatically if all images are similar.",
        unit="%",
        within=(80, 100),
    )
    near_bits: int = expert_field(
        10,
        label="Outline",
        help="Maximum number of different bits, of 63, in the perceptual hashes of "
        "near-duplicates.",
        why="Raise it to find slightly recolored or cropped copies; if it is too high, different "
        "images count as copies.",
        within=(0, 16),
    )
    dark_level: float = plan_field(
        50.0,
        label="Very dark",
        help="Maximum brightness of a very dark image, 0 to 255.",
        why="Raise it to find underexposed photographs. Bright digits on black do not count "
        "as dark.",
        within=(0, 255),
    )
    bright_level: float = plan_field(
        205.0,
        label="Very bright",
        help="Minimum brightness of a very bright image, 0 to 255.",
        why="Lower it to find overexposed photographs.",
        within=(0, 255),
    )
    blank_contrast: float = plan_field(
        3.0,
        label="Blank",
        help="Maximum variation of the gray levels of a blank image.",
        why="Raise it to find faded images; this may also find fog or paper.",
        within=(0, 64),
    )
    blur_percent: float = plan_field(
        10.0,
        label="Blurred",
        help="Maximum sharpness of a blurred image, relative to the median.",
        why="Raise it to find more slightly blurred images.",
        unit="%",
        within=(0, 100),
    )
    tiny_percent: float = plan_field(
        25.0,
        label="Tiny",
        help="Maximum side of a tiny image, relative to the median side.",
        why="Raise it to find more thumbnails among photographs.",
        unit="%",
        within=(0, 100),
    )
    imbalance_ratio: float = plan_field(
        5.0,
        label="Imbalance",
        help="Minimum ratio of the largest to the smallest class, in training images.",
        why="Lower it to detect smaller imbalances. Above about 10, use class weights.",
        within=(1, 1_000_000),
    )
    pixel_imbalance_ratio: float = plan_field(
        20.0,
        label="Imbalance by pixels",
        help="Minimum ratio of the largest to the smallest class, in pixels of training masks.",
        why="Lower it to detect smaller imbalances. For small classes use class weights or the "
        "Dice loss.",
        within=(1, 1_000_000),
    )
    tiny_region_pixels: int = plan_field(
        9,
        label="Tiny regions",
        help="Maximum area of a tiny region of a mask.",
        why="Raise it to find more slips of the pen. Objects in small images can be just as tiny.",
        unit="px",
        within=(0, 1_000_000),
    )
    tiny_box_pixels: float = plan_field(
        4.0,
        label="Tiny boxes",
        help="Maximum shorter side of a tiny box, in the images of the dataset.",
        why="Networks rarely detect objects of a few pixels. Import larger images or tiles.",
        unit="px",
        within=(0, 4096),
    )
    few_boxes: int = plan_field(
        20,
        label="Few boxes",
        help="Maximum number of training boxes of a class with few boxes.",
        why="Raise it to find more classes that need more examples.",
        within=(0, 1_000_000),
    )
    look_at_files: bool = expert_field(
        True,
        label="Inspect the original files",
        help="Read the size of every original file; a few seconds per 100,000 files.",
        why="Turn it off for files on a slow disk or a network; only the check for tiny files "
        "needs it.",
    )
    doubt_labels: bool = plan_field(
        True,
        label="Doubt labels",
        help="Find labels that differ from predictions of models that were not trained on these "
        "images.",
        why="Leave it on to find label errors. Features of a pretrained network, if one is at "
        "hand, or small copies of the images predict the class; boxes are compared with those of "
        "evaluated models.",
    )


Severity = Literal["info", "warning", "serious"]
SEVERITIES: tuple[Severity, ...] = ("serious", "warning", "info")
Action = Literal["exclude", "move", "relabel", "deduplicate"]


class DoubtedBox(BaseModel, frozen=True):
    """A box that is probably wrong, or missing.

    Attributes:
        box: Left, top, right and bottom in pixels of the images of the dataset.
        label: Class that the object is labeled with; empty if it is not labeled.
        predicted: Predicted class; empty if nothing was predicted.
        score: Score of the prediction, 0 to 1.
    """

    box: tuple[float, float, float, float]
    label: str = ""
    predicted: str = ""
    score: float = 0.0


class Finding(BaseModel, frozen=True):
    """One kind of thing that was found, with everything it was found in.

    Attributes:
        kind: Name of the check: `"exact_duplicates"`, `"leakage"` …
        severity: `serious` makes figures wrong, `warning` makes learning worse, `info` is a fact.
        message: The finding in one sentence with the number.
        suggestion: Suggested action, one sentence.
        count: Number of pairs if there are any, otherwise of images, otherwise of classes.
        rows: Images, by their rows; empty for files that were never imported.
        paths: The same images by their paths; for files that were never imported these alone.
        pairs: Two rows each that show the same: the one to keep first.
        similarity: Similarity of each pair, 0 to 1; 1 is the same pixel by pixel.
        classes: Names of classes that it is about.
        boxes: Boxes of each image that it is about, where it is about boxes.
        labels: For wrong labels: the given class of each image; `classes` are the proposed ones.
        probabilities: For wrong labels: probability that each is wrong, 0 to 1.
        precision: For wrong labels: estimated fraction of them that are wrong.
        precision_interval: Lower and upper end of the precision.
        actions: Fixes that `fixes.fix_finding` can apply.
    """

    kind: str
    severity: Severity
    message: Text
    suggestion: Text
    count: int
    rows: list[int] = []
    paths: list[str] = []
    pairs: list[tuple[int, int]] = []
    similarity: list[float] = []
    classes: list[str] = []
    boxes: list[list[DoubtedBox]] = []
    labels: list[str] = []
    probabilities: list[float] = []
    precision: float | None = None
    precision_interval: tuple[float, float] | None = None
    actions: tuple[Action, ...] = ()


class NotChecked(BaseModel, frozen=True):
    """A check that could not be done, and why."""

    kind: str
    reason: Text


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
        brightness: Brightness of the images.
        contrast: Standard deviation inside the images, gray levels.
        width: Width of the original files in pixels; None if unknown.
        height: Height of the original files in pixels.
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
    """Result of an audit.

    Attributes:
        dataset_version: The audited version; see `datasets.edits`.
        images: Number of examined images.
        counts: Number of each kind; 0 if nothing was found.
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


# With images of more classes, one class for all of them would be wrong.
MAX_CLASSES = 2


@dataclass(frozen=True, slots=True)
class AuditFacts:
    """The report of the last audit of a dataset, and the images left of its findings.

    Attributes:
        report: None if the dataset was never audited.
        version: The newest version of the dataset.
        remaining: By the kinds of the findings that have images.
        classes: Names of the classes in the newest version.
        means: The mean image of each split.
    """

    report: AuditReport | None
    version: int
    remaining: dict[str, Remaining] = field(default_factory=dict)
    classes: tuple[str, ...] = ()

    @property
    def is_old(self) -> bool:
        """True if the dataset was edited since the audit."""
        return self.report is not None and self.report.dataset_version != self.version

    def left(self, finding: Finding) -> int:
        """Return the number of images left of a finding; its own count if it has no images."""
        known = self.remaining.get(finding.kind)
        return finding.count if known is None else known.count


def ordered(facts: AuditFacts) -> list[Finding]:
    """Return the findings, serious ones first; otherwise in the order of the audit."""
    findings = [] if facts.report is None else facts.report.findings
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def open_severities(facts: AuditFacts) -> list[Severity]:
    """Return the severity of each finding with images left."""
    return [finding.severity for finding in ordered(facts) if facts.left(finding)]


def asks_for_class(finding: Finding, action: Action) -> bool:
    """Return True if a fix needs a class from the user; wrong labels have their own.

    Args:
        finding: The finding.
        action: What is done with its images.
    """
    return action == "relabel" and len(finding.classes) != len(finding.rows)


def too_many_classes(facts: AuditFacts, finding: Finding, action: Action) -> bool:
    """Return True if the images have too many classes to give all of them one.

    Args:
        facts: The last audit.
        finding: The finding.
        action: What is done with its images.
    """
    known = facts.remaining.get(finding.kind)
    return (
        known is not None and asks_for_class(finding, action) and len(known.labels) > MAX_CLASSES
    )


def fixes_left(facts: AuditFacts, finding: Finding) -> list[tuple[Action, int]]:
    """Return the fixes that would change images, and the number of images.

    Args:
        facts: The last audit.
        finding: The finding.
    """
    known = facts.remaining.get(finding.kind)
    if known is None or not known.count:
        return []
    return [(action, known.fixes[action]) for action in finding.actions if action in known.fixes]


register(
    JobType(
        record=RecordKind.AUDIT,
        plan=AuditPlan,
        handler="studio.engine.compute.dataset_jobs:audit",
        verb="audit",
        reference="dataset",
    )
)
