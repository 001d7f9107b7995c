"""Plan and report of an evaluation: `report.json`, `targets.json` for targets. No NumPy.

The answers for the single images are beside it, see `open_report`; confusion matrix and curves
are computed from them on demand.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import AliasChoices, BaseModel, Field, model_validator

from studio.engine.datasets.origins.facts import MeasuredOn
from studio.engine.documents import JobReport
from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.inference.model_plan import ModelFilePlan
from studio.engine.jobs.types import JobType, register
from studio.engine.messages import Text, message
from studio.engine.plans import expert_field, plan_field
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.calibration import Calibration
from studio.engine.workspace import RecordKind

SplitName = Literal["train", "val", "test"]


class EvaluationPlan(ModelFilePlan):
    """Measure a model on one split of a dataset.

    The model is that of a run, one of its checkpoints, or a file. A run is measured on the dataset
    that it was trained on, in the version that it saw, unless another is named.
    """

    former_names: ClassVar = {"moment": "checkpoint"}

    version: Literal[1] = 1
    run: str = plan_field(
        "",
        label="Run",
        help="Id of the run to evaluate; empty for a model file.",
        level="hidden",
    )
    checkpoint: str = plan_field(
        "",
        label="Checkpoint",
        help="Epoch of a stored checkpoint; empty for the final model.",
        level="hidden",
    )
    model_file: str = plan_field(
        "",
        label="Model file",
        help="Absolute path of a .keras or .h5 file; empty for the model of a run.",
        level="hidden",
    )
    dataset: str = plan_field(
        "",
        label="Dataset",
        help="Id of the dataset; empty for the one that the run was trained on.",
        level="hidden",
    )
    dataset_version: int | None = plan_field(
        None,
        label="Version",
        help="Version of the dataset; empty for the newest.",
        level="hidden",
        ge=0,
    )
    split: SplitName = plan_field(
        "test",
        label="Split",
        help="Split to evaluate on; only the test images are unseen.",
        why="Use test for the result that you report; validation is biased because it was "
        "used for selection.",
        labels={"train": "Training", "val": "Validation", "test": "Test"},
    )
    robustness: bool = plan_field(
        False,
        label="Robustness",
        help="Also evaluate on blurred, noisy, compressed, rotated, darkened and occluded images.",
        why="Use it to estimate accuracy on poor images. It evaluates a few hundred images "
        "30 more times.",
    )
    resamples: int = expert_field(
        1000,
        label="Resamples",
        help="Bootstrap resamples for the confidence intervals; 0 for no intervals.",
        why="1,000 is enough for two digits; 0 saves seconds on large sets.",
        within=(0, 10_000),
    )
    batch_size: int = expert_field(
        128,
        label="Batch size",
        help="Images per step; changes speed and memory, not the result.",
        why="Lower it if memory runs out; higher is faster on a GPU.",
        within=(1, 65_536),
    )

    def is_of(self, run: str) -> bool:
        """Return True if it measures a run's stored model on the dataset of the run."""
        return self.run == run and not self.checkpoint and not self.dataset

    @model_validator(mode="after")
    def _names_one_model(self) -> Self:
        if bool(self.run) == bool(self.model_file):
            raise ValueError(message("use either a run or a model file"))
        if self.model_file and not self.dataset:
            raise ValueError(message("a model file needs a dataset for the evaluation"))
        if self.run and (self.preprocessing or self.class_names):
            raise ValueError(message("only model files have preprocessing and class names"))
        if self.model_file and self.checkpoint:
            raise ValueError(message("only runs have checkpoints"))
        return self


Interval = tuple[float, float]
Corruption = Literal["blur", "noise", "jpeg", "brightness", "rotation", "occlusion"]


class EvaluatedModel(BaseModel, frozen=True):
    """Model and data of an evaluation.

    Attributes:
        model: Display name of the model.
        run: Id of its run; empty for a file.
        checkpoint: See `EvaluationPlan`.
        model_file: Path of the file; empty for a run.
        dataset: Id of the dataset.
        dataset_name: Its name at that time.
        dataset_version: The version that was measured on.
        split: `"train"`, `"val"` or `"test"`.
        measured_on: Relation of the images to the training images; None for training images and
            for models whose training images are unknown.
        trained_at: See `trained_models.trained_at`; 0 for a file, and in older reports.
    """

    model: str
    run: str = ""
    checkpoint: str = Field("", validation_alias=AliasChoices("checkpoint", "moment"))
    model_file: str = ""
    dataset: str
    dataset_name: str
    dataset_version: int
    split: str
    measured_on: MeasuredOn | None = None
    trained_at: float = 0.0

    @property
    def title(self) -> str:
        """Displayed name of the model with its checkpoint."""
        return f"{self.model} @ {self.checkpoint}" if self.checkpoint else self.model


class ClassFigures(BaseModel, frozen=True):
    """Figures of one class; a share of nothing counts as 0.

    Attributes:
        precision: Share of the images called this class that are of it.
        recall: Share of the images of this class that are called it.
        f1: Harmonic mean of the two.
        support: Number of images of this class.
        roc_auc: Area under the ROC curve of this class against all others; None without images
            of it or of others.
        average_precision: Area under its precision-recall curve; None without images of the class.
        intervals: Intervals by the names of the metrics.
    """

    precision: float
    recall: float
    f1: float
    support: int
    roc_auc: float | None = None
    average_precision: float | None = None
    intervals: dict[str, Interval] = {}


class CalibrationBin(BaseModel, frozen=True):
    """Images whose confidence is above `low` and not above `high`; means over them."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


class Temperature(BaseModel, frozen=True):
    """Effect of dividing the logits by one number; the predicted classes stay the same.

    Attributes:
        value: The temperature; above 1 if the model is overconfident.
        fitted_on: The split that it was fitted on, never the measured one.
        images: Number of images of that split.
        loss: Loss of the measured images, after it.
        calibration_error: Calibration error of the measured images, after it.
        bins: Bins of the measured images, after it.
    """

    value: float
    fitted_on: str
    images: int
    loss: float
    calibration_error: float
    bins: tuple[CalibrationBin, ...]


class CoveragePoint(BaseModel, frozen=True):
    """A threshold: the share of images that are answered, and the share of those that is right."""

    threshold: float
    coverage: float
    accuracy: float


class RobustnessPoint(BaseModel, frozen=True):
    """Accuracy at one strength; `interval` as everywhere."""

    strength: float
    accuracy: float
    interval: Interval | None = None


class RobustnessCurve(BaseModel, frozen=True):
    """Accuracy of images that were spoiled in one way, by strength, the unspoiled among them."""

    corruption: Corruption
    unit: str
    points: tuple[RobustnessPoint, ...]


class Robustness(BaseModel, frozen=True):
    """Accuracy on images of lower quality than those of the training.

    Attributes:
        images: Number of corrupted images, evenly drawn from the split.
        curves: One for each way.
    """

    images: int
    curves: tuple[RobustnessCurve, ...]


class Report(JobReport, frozen=True):
    """All figures of a model on one split; 0 to 1 unless stated otherwise.

    Attributes:
        subject: Evaluated model and images.
        classes: Names of the classes, in the order of the model's answers.
        count: Number of images.
        accuracy: Share whose most probable class is right; the first of equals counts.
        top_k: The k of `top_5`: 5, or the number of classes if that is smaller.
        top_5: Share whose class is among the `top_k` most probable.
        loss: Mean cross-entropy, natural logarithm.
        balanced_accuracy: Mean recall of the classes that have images.
        macro_precision: Mean of the classes that occur, as true or as predicted; so for recall
            and F1.
        weighted_precision: Mean weighted by the images of a class; so for recall and F1.
        macro_roc_auc: Mean of the classes that have one.
        macro_average_precision: Mean of the classes that have one.
        calibration_error: Expected calibration error, of 15 bins.
        intervals: Intervals of the figures above, by their names: 95 % of the resamples are
            inside.
        resamples: Bootstrap resamples of the intervals; 0 for no intervals.
        groups: Number of origins that are resampled as wholes; 0 for single images.
        gap: Metrics on known and on unseen origins; None if only one of them was measured.
        rank_resamples: The same for the areas under curves, which take longer.
        seed: Seed of the draws.
        per_class: In the order of the classes.
        bins: Confidence against accuracy.
        temperature: Effect of temperature scaling, or None.
        temperature_missing: Why it is missing.
        coverage: Coverage against accuracy.
        robustness: None if it was not requested.
        warnings: Assumptions about a model of another program, which make all values uncertain.
        notes: Remarks for the reader.
    """

    FILE: ClassVar[str] = "report.json"
    LABEL: ClassVar[str] = "evaluation"
    HINT: ClassVar[str] = "Evaluate again."

    subject: EvaluatedModel
    classes: tuple[str, ...]
    count: int
    accuracy: float
    top_k: int
    top_5: float
    loss: float
    balanced_accuracy: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    weighted_precision: float
    weighted_recall: float
    weighted_f1: float
    macro_roc_auc: float | None = None
    macro_average_precision: float | None = None
    calibration_error: float
    intervals: dict[str, Interval] = Field({})
    resamples: int = 0
    groups: int = 0
    gap: EvaluationGap | None = None
    rank_resamples: int = 0
    seed: int = 0
    per_class: tuple[ClassFigures, ...]
    bins: tuple[CalibrationBin, ...]
    temperature: Temperature | None = None
    temperature_missing: Text = ""
    coverage: tuple[CoveragePoint, ...]
    robustness: Robustness | None = None
    warnings: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()

    @property
    def task(self) -> str:
        """Name of the task of models with one class for each image."""
        return DEFAULT_TASK.name

    @property
    def metrics(self) -> dict[str, float | None]:
        """Metrics of all classes together, by their names; None where one cannot be measured."""
        return {name: getattr(self, name) for name in HEADLINES}

    def is_calibrated_as(self, calibration: Calibration) -> bool:  # noqa: ARG002
        """Return True: no threshold is measured with; see `TargetReport.is_calibrated_as`."""
        return True


HEADLINES = (
    "accuracy",
    "top_5",
    "loss",
    "balanced_accuracy",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "weighted_precision",
    "weighted_recall",
    "weighted_f1",
    "macro_roc_auc",
    "macro_average_precision",
    "calibration_error",
)
"""The figures of the whole, by their names in `Report`."""


OUTPUTS_NAME = "outputs.npy"
OUTPUTS = "outputs"
"""Name of the artifact with the outputs, float32, shape (images of the split, outputs); of masks
the class of each pixel, uint8, shape (images of the split, height, width); of boxes the
detections, float32, shape (images of the split, 100, 6)."""
EVIDENCE_NAME = "evidence.npy"
EVIDENCE = "evidence"
"""Name of the artifact that masks and boxes are measured by, see `Reporter.evidence`."""


class OutputFigures(BaseModel, frozen=True):
    """Metrics of one label or quantity.

    Attributes:
        name: Name of the label or quantity.
        unit: Unit of the quantity.
        images: Number of images.
        pixels: Pixels of the class in the masks; None if there are none.
        objects: Objects of the class; None if there are no boxes.
        threshold: From which probability on the label is given; None if there is none.
        margin: Half the width of the prediction interval; None if there is none.
        metrics: Values by the names of the metrics; None if one cannot be measured.
        intervals: Intervals of the metrics.
    """

    name: str
    unit: str = ""
    images: int
    pixels: int | None = None
    objects: int | None = None
    threshold: float | None = None
    margin: float | None = None
    metrics: dict[str, float | None]
    intervals: dict[str, Interval] = {}


class TargetReport(JobReport, frozen=True):
    """Metrics of a model on one split.

    Attributes:
        task: Name of the task, which declares the metrics.
        subject: Evaluated model and images.
        count: Number of images.
        metrics: Metrics of all outputs together, by their names; None where one cannot be
            measured.
        intervals: Intervals of the metrics: 95 % of the resamples are inside.
        outputs: Metrics of each output, in the order of the network.
        confusion: Pixels by true (row) and predicted class (column), or objects: then the last
            row and column are the background. None without masks and boxes.
        resamples: Bootstrap resamples of the intervals.
        groups: Number of origins that are resampled as wholes; 0 for single images.
        gap: Metrics on known and on unseen origins; None if only one of them was measured.
        seed: Seed of the draws.
        warnings: Assumptions about a model of another program.
        notes: Remarks for the reader.
    """

    FILE: ClassVar[str] = "targets.json"
    LABEL: ClassVar[str] = "evaluation"
    HINT: ClassVar[str] = "Evaluate again."

    task: str
    subject: EvaluatedModel
    count: int
    metrics: dict[str, float | None]
    intervals: dict[str, Interval] = Field({})
    outputs: tuple[OutputFigures, ...]
    confusion: tuple[tuple[int, ...], ...] | None = None
    resamples: int = 0
    groups: int = 0
    gap: EvaluationGap | None = None
    seed: int = 0
    warnings: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the outputs, in the order of the network."""
        return tuple(each.name for each in self.outputs)

    @property
    def calibration(self) -> Calibration:
        """Calibration of the outputs on validation images."""
        return Calibration(
            thresholds=tuple(
                each.threshold for each in self.outputs if each.threshold is not None
            ),
            margins=tuple(each.margin for each in self.outputs if each.margin is not None),
        )

    def is_calibrated_as(self, calibration: Calibration) -> bool:
        """Return True if a calibration is the one that was measured with."""
        ours, count = self.calibration, len(self.outputs)
        theirs = calibration.thresholds[:count], calibration.margins[:count]
        return (ours.thresholds, ours.margins) == theirs


def read_report(folder: Path) -> Report | TargetReport | None:
    """Return the report of an evaluation; None if it is not completed.

    Args:
        folder: Folder of its record.
    """
    return TargetReport.read(folder) or Report.read(folder)


register(
    JobType(
        record=RecordKind.EVALUATION,
        plan=EvaluationPlan,
        handler="studio.engine.compute.evaluate:evaluate",
        verb="evaluation",
    )
)
