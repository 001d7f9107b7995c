"""Declaration of a task: the only place where the engine defines the differences of tasks."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from studio.engine.messages import Message, message
from studio.engine.registry import Registry
from studio.engine.tasks.metric import MetricSpec

if TYPE_CHECKING:
    from studio.engine.tasks.annotations import AnnotationFormat, WritableFormat
    from studio.engine.tasks.prediction import Predictor, Reporter
    from studio.engine.tasks.targets import Targets

AUTO: Final = "auto"
"""Stands in plans for the primary metric of the task."""

BOX_SIDES: Final = 4
"""Numbers of an output for boxes beside the scores of the classes: its sides."""


_OF_BOXES: Final = (
    "augmentation.mosaic",
    "augmentation.object_crop",
    "augmentation.least_visible",
)


class OutputKind(StrEnum):
    """Kind of the output of a network for an image."""

    VECTOR = "vector"
    """A number for each class, label or quantity, shape (K,)."""
    MASK = "mask"
    """A class for each pixel, shape (H, W, K)."""
    BOXES = "boxes"
    """Scores of the classes and sides of a box for each of many positions, shape (P, K + 4)."""

    @property
    def predictions(self) -> Message:
        """Predictions of such networks for an image, within a sentence."""
        return _PREDICTIONS[self]


_PREDICTIONS: Mapping[OutputKind, Message] = {
    OutputKind.VECTOR: message("one result for each image"),
    OutputKind.MASK: message("masks"),
    OutputKind.BOXES: message("boxes"),
}


@dataclass(frozen=True)
class ScriptParts:
    """Code of an exported training script that learns targets.

    Attributes:
        loss: Code of a function `loss(labels, outputs)`, with places for `smoothing`,
            `gamma`, `weights`, `dice` and `size`, height and width of the images.
        metrics: Code of a list of metrics, named as those of the task.
        answers: Name of the targets in the file of the images.
    """

    loss: str
    metrics: str
    answers: str = "targets"


@dataclass(frozen=True)
class Task:
    """A task: the kind of targets that networks predict for images.

    Attributes:
        name: Name in files and on the command line.
        label: Display name.
        metrics: Metrics during training, on training and on validation images; the first is the
            main metric of a run.
        step_metrics: Names of those that are written for every training step.
        annotations: Module that reads targets from a table; empty where each image has one class.
        formats: Module with the formats of annotations in separate files, in `FORMATS`; empty
            if a table or folders define the targets.
        activation: Activation of the last layer of a network.
        answers: Name of the outputs of that layer, plural.
        output_names: Names of one output and of several.
        linear_solver: Value of `head_solver` that fits a linear head directly; `gradient` if
            there is none.
        fewest_outputs: Minimum number of outputs.
        score_metric: Name of the metric for diagnoses and baselines: 1 is perfect, whatever the
            units of the dataset; empty if there is none.
        prediction: Module that converts outputs to predictions.
        learning: Module of the worker that trains it with Keras; see `compute.tasks`.
        report: Module that measures targets; empty where each image has one class.
        script: Code of an exported training script for targets; None without a script.
        output: Kind of the output of its networks.
        file_kinds: Kinds of files that answers can be written to, see `Predictor.writer`.
        output_text: The output of an exported model, in a sentence.
        summary: Annotations of the images, in a few words.
        sample: Name of the sample dataset that `studio demo` takes.
        refused: Reasons why fields of a plan must keep their defaults; `field=value` refuses one
            value.
    """

    name: str
    label: str
    metrics: tuple[MetricSpec, ...]
    step_metrics: tuple[str, ...]
    learning: str
    prediction: str
    activation: str = "softmax"
    answers: str = "probabilities"
    annotations: str = ""
    formats: str = ""
    report: str = ""
    script: ScriptParts | None = None
    output: OutputKind = OutputKind.VECTOR
    file_kinds: tuple[str, ...] = ()
    output_text: str = "One score per class; they sum to 1."
    summary: str = ""
    sample: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    output_names: tuple[str, str] = ("class", "classes")
    fewest_outputs: int = 1
    linear_solver: str = "gradient"
    score_metric: str = ""

    @cached_property
    def refusals(self) -> dict[str, str]:
        """Fields of a plan that have to keep their default, with the reasons; see `refused`."""
        own = {} if self.has_masks else {"dice_weight": "the Dice loss compares areas of masks"}
        if not self.has_boxes:
            own |= dict.fromkeys(_OF_BOXES, "it needs the boxes of objects")
        return own | dict(self.refused)

    @cached_property
    def measured(self) -> tuple[MetricSpec, ...]:
        """All metrics of a run: those on validation images, then those on training images."""
        return (*(each.on_validation for each in self.metrics), *self.metrics)

    @property
    def score(self) -> MetricSpec | None:
        """The metric for diagnoses of runs; None if there is none."""
        return self.spec(self.score_metric) if self.score_metric else None

    @property
    def has_baseline(self) -> bool:
        """True if a linear model on features of images can be measured."""
        return self.score is not None and not self.has_regions

    @property
    def has_masks(self) -> bool:
        """True if the target of an image is a class for each pixel."""
        return self.output == OutputKind.MASK

    @property
    def has_boxes(self) -> bool:
        """True if the target of an image is a number of boxes with classes."""
        return self.output == OutputKind.BOXES

    def classes_in(self, width: int) -> int:
        """Return the number of classes, labels or quantities in outputs of a width.

        Args:
            width: Size of the last axis of the outputs.
        """
        return width - BOX_SIDES if self.has_boxes else width

    def width_of(self, classes: int) -> int:
        """Return the width of outputs, the size of their last axis.

        Args:
            classes: Number of classes, labels or quantities.
        """
        return classes + BOX_SIDES if self.has_boxes else classes

    @property
    def has_regions(self) -> bool:
        """True if targets and predictions are drawn over their images: masks or boxes."""
        return self.output != OutputKind.VECTOR

    @property
    def has_annotation_files(self) -> bool:
        """True if annotations lie in separate files, see `formats`."""
        return bool(self.formats)

    @property
    def has_targets(self) -> bool:
        """True if images have other targets than one class."""
        return bool(self.annotations)

    @property
    def fewest_classes(self) -> int:
        """Minimum number of classes of images; one for tasks with other targets."""
        return 1 if self.has_targets else self.fewest_outputs

    @property
    def targets(self) -> Targets | None:
        """Conversion of a table to annotations; None where each image has one class."""
        # Only when it is needed: it takes NumPy, and every command starts through this module.
        if not self.annotations:
            return None
        targets: Targets = importlib.import_module(self.annotations).TARGETS
        return targets

    @property
    def annotation_formats(self) -> Registry[AnnotationFormat]:
        """Formats of annotations in separate files; none where `formats` is empty."""
        if not self.formats:
            return Registry("annotation format", [])
        found: Registry[AnnotationFormat] = importlib.import_module(self.formats).FORMATS
        return found

    @property
    def export_formats(self) -> Registry[WritableFormat]:
        """Those of `annotation_formats` that datasets can be exported in."""
        if not self.formats:
            return Registry("annotation format", [])
        found: Registry[WritableFormat] = importlib.import_module(self.formats).WRITABLE
        return found

    @property
    def predictor(self) -> Predictor:
        """Predictor that converts outputs of a network to answers."""
        predictor: Predictor = importlib.import_module(self.prediction).PREDICTOR
        return predictor

    @property
    def reporter(self) -> Reporter | None:
        """Reporter that measures outputs against targets; None where each image has one class."""
        if not self.report:
            return None
        reporter: Reporter = importlib.import_module(self.report).REPORTER
        return reporter

    @property
    def primary(self) -> MetricSpec:
        """The metric that a run is judged by where its plan names none."""
        return self.metrics[0].on_validation

    @property
    def loss(self) -> MetricSpec:
        """The metric that training minimizes."""
        return next(metric for metric in self.metrics if metric.is_loss)

    def monitored(self, name: str) -> MetricSpec:
        """Return the metric that a plan is judged by; `AUTO` is the primary one.

        Raises:
            KeyError: The task has no such metric.
        """
        return self.primary if name == AUTO else self.spec(name)

    def spec(self, name: str) -> MetricSpec:
        """Return the metric of a name, with or without the prefix of validation.

        Raises:
            KeyError: The task has no such metric.
        """
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, MetricSpec]:
        return {each.name: each for each in self.measured}
