"""Plan and report of an evaluation. No NumPy.

Predictions of the single images are beside it, see `evaluated_classes`, `evaluated_outputs`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from studio.engine.datasets.origins.facts import MeasuredOn
from studio.engine.documents import JobReport, read_document, write_document
from studio.engine.evaluation.class_layout import (
    CLASSES_FILE,
    CLASSES_IN_JOURNAL,
    OF_CLASSES,
    class_values,
    report_values,
)
from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.inference.model_plan import ModelFilePlan
from studio.engine.jobs.placed_plan import PlacedPlan
from studio.engine.messages import Text, message
from studio.engine.plans import expert_field, plan_field
from studio.engine.tasks.calibration import Calibration

SplitName = Literal["train", "val", "test"]


class EvaluationPlan(ModelFilePlan, PlacedPlan):
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
        if self.model_file and self.machine:
            raise ValueError(message("a model file is evaluated on this computer"))
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


class Certainty(BaseModel, frozen=True):
    """Confidence of predicted classes; a part of the reports whose scores are probabilities.

    Attributes:
        bins: Confidence against accuracy.
        temperature: Effect of temperature scaling, or None.
        temperature_missing: Why it is missing.
        coverage: Coverage against accuracy.
    """

    bins: tuple[CalibrationBin, ...]
    temperature: Temperature | None = None
    temperature_missing: Text = ""
    coverage: tuple[CoveragePoint, ...]


_IN_JOURNAL = ("task", "count", "metrics", "intervals", "gap")


class Report(JobReport, frozen=True):
    """Metrics of a model on one split, with the parts that the task measures.

    Attributes:
        task: Name of the task, which declares the metrics, see `Reporter.report_metrics`.
        subject: Evaluated model and images.
        count: Number of images.
        metrics: Metrics of all outputs together, by their names; None where one cannot be
            measured.
        intervals: Intervals of the metrics: 95 % of the resamples are inside.
        outputs: Metrics of each output, in the order of the network.
        confusion: Pixels by true (row) and predicted class (column), or objects: then the last
            row and column are the background. None without masks and boxes.
        certainty: Confidence of the predictions; None without probabilities of classes.
        robustness: Accuracy on corrupted images; None if it was not requested.
        resamples: Bootstrap resamples of the intervals; 0 for no intervals.
        rank_resamples: The same for the areas under curves of classes, which take longer.
        groups: Number of origins that are resampled as wholes; 0 for single images.
        gap: Metrics on known and on unseen origins; None if only one of them was measured.
        seed: Seed of the draws.
        warnings: Assumptions about a model of another program, which make all values uncertain.
        notes: Remarks for the reader.

    Examples:
        >>> subject = EvaluatedModel(
        ...     model="net", dataset="d", dataset_name="Digits", dataset_version=0, split="test"
        ... )
        >>> report = Report(
        ...     task="regression", subject=subject, count=2, metrics={"mae": 0.5}, outputs=()
        ... )
        >>> report.metrics["mae"], report.certainty
        (0.5, None)
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
    certainty: Certainty | None = None
    robustness: Robustness | None = None
    resamples: int = 0
    rank_resamples: int = 0
    groups: int = 0
    gap: EvaluationGap | None = None
    seed: int = 0
    warnings: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read the report in a folder; None if the evaluation is not completed.

        Raises:
            BadDataError: The file is damaged.
        """
        on_classes = read_document(folder / CLASSES_FILE, cls, cls.LABEL, cls.HINT)
        return on_classes or super().read(folder)

    def write(self, folder: Path) -> Path:
        """Write the report into a folder and return the path of its file.

        Raises:
            DiskFullError: The disk is full; the previous report is unchanged.
        """
        path = folder / (self.FILE if self.certainty is None else CLASSES_FILE)
        return write_document(path, self)

    def summary(self) -> dict[str, Any]:
        """Return the values that the journal of the evaluation gets."""
        values = self.model_dump(mode="json")
        names = _IN_JOURNAL if self.certainty is None else CLASSES_IN_JOURNAL
        return {name: values[name] for name in names}

    @model_validator(mode="before")
    @classmethod
    def _from_layout(cls, values: object) -> object:
        if isinstance(values, dict) and "per_class" in values:
            return report_values(values)
        return values

    @model_serializer(mode="wrap")
    def _in_layout(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = dump(self)
        if self.certainty is not None:
            return class_values(values)
        return {name: each for name, each in values.items() if name not in OF_CLASSES}

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
        """Return True if a calibration is the one that was measured with.

        Probabilities of classes are measured without a threshold.
        """
        if self.certainty is not None:
            return True
        ours, count = self.calibration, len(self.outputs)
        theirs = calibration.thresholds[:count], calibration.margins[:count]
        return (ours.thresholds, ours.margins) == theirs
