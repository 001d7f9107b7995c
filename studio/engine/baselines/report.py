"""The report of a baseline, `baseline.json`. Never imports NumPy."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from studio.engine.documents import read_document, write_document
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.metric import MetricSpec, in_sentence

REPORT_NAME = "baseline.json"
REPORT = "report"
"""Name of the artifact of a baseline."""

LITTLE = 0.005
"""A gain of the score below this is called none."""

SourceKind = Literal["imagenet", "file", "run", "made_by_hand"]
MeasuredOn = Literal["test", "val", "folds"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class FeatureSource(_Part):
    """Where the features come from.

    Attributes:
        kind: `"made_by_hand"` are colors and edges: nothing of them was learned.
        network: Name of the network; empty for features made by hand.
        weights: As in a plan: `"imagenet"`, `"run:…"`, or the path of a file.
        label: Both as people read it.
        dimension: Numbers per image.
        height: Of the images as the network saw them, in pixels.
        width: Of the images as the network saw them.
        seconds: How long computing them took; 0 where all were kept from before.
    """

    kind: SourceKind
    network: str = ""
    weights: str = ""
    label: str
    dimension: int
    height: int
    width: int
    seconds: float = 0.0

    @property
    def is_pretrained(self) -> bool:
        """Whether a network learned them from images."""
        return self.kind != "made_by_hand"


class CurvePoint(_Part):
    """Score with a number of training images.

    Attributes:
        images: Number of training images.
        score: Mean over several draws of so many images.
        spread: Standard deviation over the draws.
        scores: Of each draw.
    """

    images: int
    score: float = Field(validation_alias=AliasChoices("score", "accuracy"))
    spread: float
    scores: tuple[float, ...] = Field(validation_alias=AliasChoices("scores", "accuracies"))


class Growth(_Part):
    """What twice the training images would give, by a power law through the curve.

    error(n) = floor + scale * n ** -exponent (Hestness et al., "Deep learning scaling is
    predictable, empirically", 2017, arXiv:1712.00409).

    Attributes:
        images: How many training images there are now.
        gain: Gain of the score with twice as many.
        low: Lower end of the interval of nine tenths.
        high: Upper end.
        reason: Why nothing is promised; empty where something is.
        floor: Error that stays whatever the number of images.
        scale: See the formula.
        exponent: See the formula.
        miss: Root mean square distance of the curve's points from the law.
    """

    images: int
    gain: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    floor: float | None = None
    scale: float | None = None
    exponent: float | None = None
    miss: float | None = None

    def sentence(self, metric: MetricSpec) -> str:
        """Return the gain in a sentence.

        Args:
            metric: The score.
        """
        if self.gain is None or self.low is None or self.high is None:
            return f"What more data would give cannot be said: {self.reason}."
        if not metric.is_fraction:
            return (
                f"Twice the data would change {metric.label} by about {self.gain:.3f} (between "
                f"{self.low:.3f} and {self.high:.3f})."
            )
        between = f"between {self.low * 100:.1f} and {self.high * 100:.1f}"
        if self.gain < LITTLE:
            return f"Twice the data would change little ({between} points)."
        points = f"{self.gain * 100:.0f}" if self.gain >= 0.02 else f"{self.gain * 100:.1f}"
        word = "point" if points in ("1", "1.0") else "points"
        return f"Twice the data would give about {points} {word} ({between})."


class BaselineReport(_Part):
    """Everything that a baseline says.

    Attributes:
        dataset: Id of the dataset.
        dataset_version: The version that was looked at.
        task: Of the dataset; its `score` is the metric of all scores.
        classes: Number of outputs.
        features: Inputs of the linear model.
        score: Of the linear model on the measured images.
        low: Lower end of the 95 % interval of the score.
        high: Upper end.
        metrics: All metrics of the task on the measured images, by their names.
        chance: Score of always answering the largest class, or the mean of the training targets.
        pixels_score: The same model on tiny pictures instead of features.
        measured_on: A split, or `"folds"`: every training image was measured by a model that
            did not learn from it.
        measured_images: How many were measured.
        train_images: How many the model learned from.
        train_images_there: How many training images the dataset has.
        images: How many images were looked at.
        images_there: How many images the dataset has.
        curve: Score by number of training images, ascending.
        growth: What more data would give.
        notes: What a reader should know.
        seconds: How long all of it took.
        strength: C of the linear model; None in reports from before it was kept.
    """

    version: Literal[1] = 1
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    dataset: str
    dataset_version: int
    task: str = DEFAULT_TASK.name
    classes: int
    features: FeatureSource
    score: float = Field(validation_alias=AliasChoices("score", "accuracy"))
    low: float
    high: float
    metrics: dict[str, float] = {}
    chance: float
    pixels_score: float = Field(validation_alias=AliasChoices("pixels_score", "pixels_accuracy"))
    measured_on: MeasuredOn
    measured_images: int
    train_images: int
    train_images_there: int
    images: int
    images_there: int
    curve: tuple[CurvePoint, ...]
    growth: Growth
    notes: tuple[str, ...] = ()
    seconds: float
    strength: float | None = None

    @property
    def metric(self) -> MetricSpec:
        """The metric of all scores."""
        metric = TASKS[self.task].score
        if metric is None:
            raise TypeError(f"{self.task} has no baseline")
        return metric

    def text(self, score: float) -> str:
        """Return a score with the name of its metric: `93.1 % accuracy`."""
        return f"{self.metric.text(score)} {in_sentence(self.metric.label)}"

    @property
    def sentence(self) -> str:
        """The result in two sentences."""
        measured = {"test": "test", "val": "validation", "folds": "training"}[self.measured_on]
        text = self.metric.text
        return (
            f"A linear model on {self.features.label} reaches {self.text(self.score)} on "
            f"{self.measured_images:,} images of the {measured} split ({text(self.low)} to "
            f"{text(self.high)}). {self.growth.sentence(self.metric)}"
        )


def write_report(folder: Path, report: BaselineReport) -> Path:
    """Write `baseline.json` into the folder of a baseline.

    Raises:
        DiskFullError: No space was left.
    """
    return write_document(folder / REPORT_NAME, report)


def read_report(folder: Path) -> BaselineReport | None:
    """The report of a baseline, or None while there is none.

    Raises:
        BadDataError: It is damaged.
    """
    return read_document(folder / REPORT_NAME, BaselineReport, "baseline", "Ask for it again.")
