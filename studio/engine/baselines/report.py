"""Plan and report of a baseline. Never imports NumPy."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import AliasChoices, BaseModel, Field

from studio.engine.datasets.origins.kinds import OriginKind, unseen_origins
from studio.engine.documents import JobReport
from studio.engine.jobs.types import JobType, register, uses_any_gpu
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.workspace import RecordKind


class BaselinePlan(Plan):
    """Estimate in about a minute how well a linear classifier on given features does on a dataset.

    `dataset` is the id of a dataset record, `dataset_version` one of its versions; None is the
    newest when the baseline is requested.
    """

    version: Literal[1] = 1
    dataset: str = plan_field(label="Dataset", help="Images to use.", level="hidden")
    dataset_version: int | None = plan_field(
        None,
        label="Version",
        help="Version of the dataset, as the number of its edits.",
        level="hidden",
        ge=0,
    )
    network: str = plan_field(
        "",
        label="Network",
        help="Network whose features are used; empty uses the best one available without a "
        "download.",
        level="hidden",
    )
    weights: str = plan_field(
        "",
        label="Weights",
        help="Source: imagenet, a file, or run:ID; empty uses what is available.",
        level="hidden",
    )
    seconds: float = plan_field(
        40.0,
        label="Time",
        help="Approximate time to compute features; larger datasets are sampled.",
        why="More time uses more images, which makes the estimate more certain.",
        unit="s",
        gt=0,
        le=86_400,
        scale="log",
    )
    images: int | None = plan_field(
        None,
        label="Images",
        help="Number of images to use; empty uses as many as the time allows.",
        why="Fewer images are faster and less certain; a few hundred per class are enough.",
        level="expert",
        within=(20, 10_000_000),
    )
    seed: int = plan_field(
        0,
        label="Seed",
        help="The same seed draws the same images.",
        why="Change it to see how much the result depends on the sampled images.",
        level="expert",
        within=(0, 2**32 - 1),
    )


LITTLE = 0.005
"""A smaller gain of the score is reported as no gain."""

SourceKind = Literal["imagenet", "file", "run", "made_by_hand"]
MeasuredOn = Literal["test", "val", "folds"]


class FeatureSource(BaseModel, frozen=True):
    """Origin of the features.

    Attributes:
        kind: `"made_by_hand"` are colors and edges, without anything learned.
        network: Name of the network; empty for features made by hand.
        weights: As in a plan: `"imagenet"`, `"run:…"`, or the path of a file.
        label: Network and weights as displayed.
        dimension: Numbers per image.
        height: Height of the images as the network saw them, in pixels.
        width: Width of the images as the network saw them.
        seconds: Time to compute them; 0 if all were cached.
    """

    kind: SourceKind
    network: str = ""
    weights: str = ""
    label: Text
    dimension: int
    height: int
    width: int
    seconds: float = 0.0

    @property
    def is_pretrained(self) -> bool:
        """True if a network learned the features from images."""
        return self.kind != "made_by_hand"


class CandidateScore(BaseModel, frozen=True):
    """A pretrained network that was compared with others.

    Attributes:
        network: Name of the network.
        weights: As in a plan.
        label: Network and weights as displayed.
        score: Cross-validated score of a linear model on its features.
        images: Number of images.
    """

    network: str
    weights: str
    label: Text
    score: float
    images: int


class LearningCurvePoint(BaseModel, frozen=True):
    """Score with a number of training images.

    Attributes:
        images: Number of training images.
        score: Mean over several draws of this many images.
        spread: Standard deviation over the draws.
        scores: Scores of each draw.
    """

    images: int
    score: float = Field(validation_alias=AliasChoices("score", "accuracy"))
    spread: float
    scores: tuple[float, ...] = Field(validation_alias=AliasChoices("scores", "accuracies"))


class Growth(BaseModel, frozen=True):
    """Expected score with twice the training images, by a power law through the curve.

    error(n) = floor + scale * n ** -exponent (Hestness et al., "Deep learning scaling is
    predictable, empirically", 2017, arXiv:1712.00409).

    Attributes:
        images: Current number of training images.
        gain: Gain of the score with twice as many.
        low: Lower end of the interval of nine tenths.
        high: Upper end.
        reason: Why there is no estimate; empty if there is one.
        floor: Error that remains with any number of images.
        scale: See the formula.
        exponent: See the formula.
        miss: Root mean square distance of the curve's points from the law.
    """

    images: int
    gain: float | None = None
    low: float | None = None
    high: float | None = None
    reason: Text = ""
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
            return message(
                "The effect of more data cannot be estimated: {reason}.",
                reason=as_message(self.reason),
            )
        if not metric.is_fraction:
            return message(
                "Twice the data would change {metric:lower} by about {gain:.3f} "
                "(between {low:.3f} and {high:.3f}).",
                metric=as_message(metric.label),
                gain=self.gain,
                low=self.low,
                high=self.high,
            )
        between = message(
            "between {low:.1f} and {high:.1f}", low=self.low * 100, high=self.high * 100
        )
        if self.gain < LITTLE:
            return message(
                "Twice the data would change little ({between} points).", between=between
            )
        digits = 0 if self.gain >= 0.02 else 1
        return message(
            "Twice the data would gain about {count:g} points ({between}).",
            one="Twice the data would gain about {count:g} point ({between}).",
            count=round(self.gain * 100, digits),
            between=between,
        )


class OriginGap(BaseModel, frozen=True):
    """Scores of the linear model on images of known and of unseen origins, such as films.

    Both are cross-validated on the same images: once with random folds, once with folds that keep
    origins together. The intervals resample origins.

    Attributes:
        kind: Kind of the origins.
        groups: Number of origins.
        known: Score on images whose origins the model was trained on.
        known_interval: Its 95 % interval.
        unseen: Score on images of other origins.
        unseen_interval: Its 95 % interval.
    """

    kind: OriginKind
    groups: int
    known: float
    known_interval: tuple[float, float]
    unseen: float
    unseen_interval: tuple[float, float]

    def sentence(self, metric: MetricSpec) -> str:
        """Return both scores in a sentence.

        Args:
            metric: The score.
        """
        return message(
            "Cross-validated {metric:lower}: {known} ({known_low} to {known_high}) in a random "
            "split, {unseen} ({unseen_low} to {unseen_high}) on {origins}.",
            metric=as_message(metric.label),
            known=metric.text(self.known),
            known_low=metric.text(self.known_interval[0]),
            known_high=metric.text(self.known_interval[1]),
            unseen=metric.text(self.unseen),
            unseen_low=metric.text(self.unseen_interval[0]),
            unseen_high=metric.text(self.unseen_interval[1]),
            origins=unseen_origins(self.kind),
        )


class BaselineReport(JobReport, frozen=True):
    """Result of a baseline.

    Attributes:
        dataset: Id of the dataset.
        dataset_version: The examined version.
        task: Task of the dataset; its `score` is the metric of all scores.
        classes: Number of outputs.
        features: Inputs of the linear model.
        score: Score of the linear model on the measured images.
        low: Lower end of the 95 % interval of the score.
        high: Upper end.
        metrics: All metrics of the task on the measured images, by their names.
        chance: Score of always answering the largest class, or the mean of the training targets.
        pixels_score: The same model on tiny pictures instead of features.
        measured_on: A split, or `"folds"`: every training image was measured by a model that
            was not trained on it.
        measured_images: Number of measured images.
        train_images: Number of images that the model was trained on.
        train_images_there: Number of training images in the dataset.
        images: Number of images used.
        images_there: Number of images in the dataset.
        curve: Score by number of training images, ascending.
        growth: Estimated effect of more data.
        notes: Remarks for the reader.
        seconds: Total duration.
        strength: C of the linear model; None in reports from before it was kept.
        origin_gap: Scores on known and unseen origins; None if the images have no origins.
        candidates: Scores of the networks that were compared, the best first; that one is used.
    """

    FILE: ClassVar[str] = "baseline.json"
    LABEL: ClassVar[str] = "baseline"
    HINT: ClassVar[str] = "Compute it again."

    dataset: str
    dataset_version: int
    task: str = DEFAULT_TASK.name
    classes: int
    features: FeatureSource
    score: float = Field(validation_alias=AliasChoices("score", "accuracy"))
    low: float
    high: float
    metrics: dict[str, float] = Field({})
    chance: float
    pixels_score: float = Field(validation_alias=AliasChoices("pixels_score", "pixels_accuracy"))
    measured_on: MeasuredOn
    measured_images: int
    train_images: int
    train_images_there: int
    images: int
    images_there: int
    curve: tuple[LearningCurvePoint, ...]
    growth: Growth
    notes: tuple[Text, ...] = ()
    seconds: float
    strength: float | None = None
    origin_gap: OriginGap | None = None
    candidates: tuple[CandidateScore, ...] = ()

    @property
    def metric(self) -> MetricSpec:
        """The metric of all scores."""
        metric = TASKS[self.task].score
        if metric is None:
            raise TypeError(f"{self.task} has no baseline")
        return metric

    def text(self, score: float) -> str:
        """Return a score with the name of its metric: `93.1 % accuracy`."""
        return message(
            "{score} {metric:lower}",
            score=self.metric.text(score),
            metric=as_message(self.metric.label),
        )

    @property
    def sentence(self) -> str:
        """Summary in a few sentences."""
        measured = {
            "test": message("test"),
            "val": message("validation"),
            "folds": message("training"),
        }[self.measured_on]
        text = self.metric.text
        reached = message(
            "A linear model on {features} reaches {score} on {measured_images:,} "
            "images of the {split} split ({low} to {high}).",
            features=self.features.label,
            score=self.text(self.score),
            measured_images=self.measured_images,
            split=measured,
            low=text(self.low),
            high=text(self.high),
        )
        gap = "" if self.origin_gap is None else self.origin_gap.sentence(self.metric)
        return joined((reached, gap, self.growth.sentence(self.metric)))


register(
    JobType(
        record=RecordKind.BASELINE,
        plan=BaselinePlan,
        handler="studio.engine.compute.baseline:baseline",
        verb="baseline",
        requirements=uses_any_gpu,
        reference="dataset",
    )
)
