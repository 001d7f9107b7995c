"""Declaration of a task: the only place where the engine defines the differences of tasks."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from studio.engine.tasks.annotation_source import TARGET_COLUMNS, AnnotationSource
from studio.engine.tasks.losses_and_metrics import added_metrics
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.outputs import VECTOR, Output

if TYPE_CHECKING:
    from studio.engine.tasks.geometry import Geometry
    from studio.engine.tasks.prediction import Predictor, Reporter
    from studio.engine.tasks.targets import Targets

AUTO: Final = "auto"
"""Stands in plans for the primary metric of the task."""


_NEEDS_BOXES: Final = "it needs the boxes of objects"
_SPECIAL: Final[Mapping[str, str]] = {
    "dice_weight": "the Dice loss compares areas of masks",
    "augmentation.mosaic": _NEEDS_BOXES,
    "augmentation.object_crop": _NEEDS_BOXES,
    "augmentation.least_visible": _NEEDS_BOXES,
}
"""Fields of a training plan that only tasks support which say so, with the reasons."""
WHOLE_IMAGES: Final[dict[str, str]] = {"augmentation.crop": "the network covers whole images"}
"""Refusals of tasks with regions whose networks take images of one size only."""
_MIXING: Final = "averaging two images would show parts that are half transparent"


def region_refusals(head: str) -> dict[str, str]:
    """Return why fields of a training plan must keep their defaults, see `Task.refused`.

    Args:
        head: Why the head of the networks is no linear model that a solver fits.
    """
    return {
        "augmentation.mix_up": _MIXING,
        "augmentation.cut_mix": _MIXING,
        "augmentation.aug_mix": "it blends several transformed copies of an image",
        "augmentation.run_on=device": "masks and boxes are transformed together with their images "
        "on the CPU",
        "head_solver=best_linear": head,
        "head_solver=logistic_regression": head,
        "head_solver=linear_svm": head,
        "head_solver=ridge": head,
    }


_MISSING: Final[Mapping[str, str]] = {
    "labeling": "its package names no editor of labels",
    "robustness": "corrupted images are compared by the classes that are predicted for them",
    "retraining": "a corrected image has one class",
    "foreign_models": "only models of Studio have its outputs",
    "decoding": "its outputs need no decoding",
    "stored_features": "its networks need more than one vector of features of an image",
    "detector_features": "its networks have no pyramid of features for boxes",
    "plain_script": "its package has no code of the loss for a script",
}
"""Reasons why operations are missing where a task gives none, see `Capabilities.reason`."""


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
class Capabilities:
    """The operations of a task beside training, prediction and export.

    Attributes:
        robustness: True if evaluations measure predictions of corrupted images.
        retraining: True if corrected predictions become training images.
        foreign_models: True if models that Studio did not write can be used.
        decoding: True if exported models can contain the decoding of their outputs.
        familiarity: True if runs measure how far pictures are from the training images; False
            where outputs do.
        stored_features: True if the head sees one vector of features that can be stored.
        chance_loss: True if the loss of guessing is the logarithm of the number of classes.
        detector_features: True if networks can start from the features of pretrained detectors.
        plain_script: True if a training script needs no code of the task, see `Task.script`.
        missing: Why an operation is missing, a clause, by its name here; `labeling` for a task
            without `Task.labeling`.

    Examples:
        >>> found = Capabilities(missing={"robustness": "corrupted images have other directions"})
        >>> found.robustness
        False
    """

    robustness: bool = False
    retraining: bool = False
    foreign_models: bool = False
    decoding: bool = False
    familiarity: bool = True
    stored_features: bool = True
    chance_loss: bool = False
    detector_features: bool = False
    plain_script: bool = False
    missing: Mapping[str, str] = field(default_factory=dict)

    def reason(self, name: str) -> str:
        """Return why an operation is missing, a clause; empty if it is possible.

        Args:
            name: An attribute of this class, or an object that a task lacks, such as `labeling`.
        """
        return "" if getattr(self, name, False) else self.missing.get(name) or _MISSING[name]


@dataclass(frozen=True)
class NetworkFamily:
    """A family of the networks of a task: those with one kind of output.

    Attributes:
        output: Output of the networks.
        head: Module with their head, see `networks.heads`.
        learning: Module of the worker that trains them with Keras; see `compute.tasks`.
        output_text: The output of an exported model, in a sentence.
    """

    output: Output
    head: str
    learning: str
    output_text: str


@dataclass(frozen=True)
class Task:
    """A task: the kind of targets that networks predict for images.

    Attributes:
        name: Name in files and on the command line.
        label: Display name.
        metrics: Metrics during training, on training and on validation images; the first is the
            main metric of a run.
        target_kind: Name of the targets that networks learn, by which losses and metrics of
            packages say what they suit: `class`, `labels`, `numbers`, `masks`, `boxes`,
            `outlines`, `anomalies`, or another one of the package of the task.
        step_metrics: Names of those that are written for every training step.
        annotations: Module with the targets of images, in `TARGETS`.
        source: Place of the annotations of images: names, columns or files.
        activation: Activation of the last layer of a network.
        answers: Name of the outputs of that layer, plural.
        output_names: Names of one output and of several.
        linear_solver: Value of `head_solver` that fits a linear head directly; `gradient` if
            there is none.
        min_outputs: Minimum number of outputs.
        score_metric: Name of the metric for diagnoses and baselines: 1 is perfect, whatever the
            units of the dataset; empty if there is none.
        prediction: Module that converts outputs to predictions.
        learning: Module of the worker that trains it with Keras; see `compute.tasks`.
        probe: Module and class of the linear models on features that estimate what can be
            learned, see `compute.probe`.
        report: Module that measures outputs against targets, in `REPORTER`.
        regions: Module with the geometry of the regions of images.
        view: Module and name of its view in the window, such as `package.module:VIEW`; a plain
            view shows it where it is empty.
        audit: Module with the checks of annotations, see `TaskAudit`.
        import_fields: Fields of the recipe of an import that have an effect with this task only.
        script: Code of an exported training script for targets; None without a script.
        output: Output of its networks; of the first family, where there are several.
        head: Module with the head of these networks, see `networks.heads`.
        output_text: The output of an exported model, in a sentence.
        other_families: Families of networks with other outputs.
        summary: Annotations of the images, in a few words.
        sample: Name of the sample dataset that `studio demo` takes.
        labeling: Module with the editor of what a person decides, in `EDITOR`, see
            `labeling.editors`; empty where images cannot be labeled in Studio, with the reason
            in `Capabilities.missing`.
        edited: What an edit of annotations did to images, a participle.
        advice: Module with recommended networks and settings, see `training.advice`.
        capabilities: What can be done with the task.
        special_fields: Fields of a training plan that few tasks support, and this one does.
        refused: Reasons why fields of a plan must keep their defaults; `field=value` refuses one
            value.
    """

    name: str
    label: str
    metrics: tuple[MetricSpec, ...]
    step_metrics: tuple[str, ...]
    learning: str
    prediction: str
    annotations: str
    report: str
    target_kind: str = "numbers"
    activation: str = "softmax"
    answers: str = "probabilities"
    source: AnnotationSource = TARGET_COLUMNS
    script: ScriptParts | None = None
    probe: str = "studio.engine.compute.probe:TargetProbe"
    regions: str = "studio.engine.tasks.geometry"
    view: str = ""
    audit: str = "studio.engine.datasets.audit.task_audit"
    import_fields: tuple[str, ...] = ()
    output: Output = VECTOR
    head: str = "studio.engine.networks.heads.vector"
    output_text: str = "One score per class; they sum to 1."
    other_families: tuple[NetworkFamily, ...] = ()
    summary: str = ""
    sample: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    output_names: tuple[str, str] = ("class", "classes")
    min_outputs: int = 1
    linear_solver: str = "gradient"
    score_metric: str = ""
    labeling: str = ""
    edited: str = "changed"
    advice: str = "studio.engine.training.advice.images"
    capabilities: Capabilities = Capabilities()
    special_fields: tuple[str, ...] = ()

    @cached_property
    def families(self) -> tuple[NetworkFamily, ...]:
        """Families of its networks, at least one."""
        first = NetworkFamily(self.output, self.head, self.learning, self.output_text)
        return first, *self.other_families

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Outputs that its networks may have, one for each family."""
        return tuple(each.output for each in self.families)

    def family(self, output: Output | str) -> NetworkFamily:
        """Return the family of networks with an output, or with the output of a name.

        Args:
            output: The output, or its name in files.

        Raises:
            KeyError: The task has no such networks.
        """
        for each in self.families:
            if output in (each.output, each.output.name):
                return each
        raise KeyError(f"{self.name} has no networks with {output}")

    def output_of(self, shape: tuple[int | None, ...]) -> Output:
        """Return the output of a network whose outputs have a shape.

        Args:
            shape: With the batch, such as (None, 64, 64, 33).
        """
        fitting = (each for each in self.outputs if each.dimensions == len(shape))
        return next(fitting, self.output)

    @cached_property
    def refusals(self) -> dict[str, str]:
        """Fields of a plan that have to keep their default, with the reasons; see `refused`."""
        special = {
            field: reason for field, reason in _SPECIAL.items() if field not in self.special_fields
        }
        return special | dict(self.refused)

    @cached_property
    def measured(self) -> tuple[MetricSpec, ...]:
        """All metrics of a run: those on validation images, then those on training images."""
        metrics = self.all_metrics
        return (*(each.on_validation for each in metrics), *metrics)

    @property
    def all_metrics(self) -> tuple[MetricSpec, ...]:
        """The metrics of the task, and those that plans can add from other packages."""
        own = {each.name: each for each in self.metrics}
        added = {each.name: each for each in added_metrics(self.target_kind)}
        return tuple((added | own)[name] for name in own | added)

    @property
    def score(self) -> MetricSpec | None:
        """The metric for diagnoses of runs; None if there is none."""
        return self.spec(self.score_metric) if self.score_metric else None

    @property
    def no_baseline(self) -> str:
        """Reason why no linear model on features of images can be measured; empty if one can."""
        if self.score is None:
            return "it has no metric with 1 as its best value"
        return self.capabilities.reason("stored_features")

    @property
    def gives_numbers(self) -> bool:
        """True if outputs are numbers with units, not probabilities; they learn standardized."""
        return self.activation == "linear"

    @property
    def annotation_name(self) -> str:
        """Name of the annotation of an image: one class, or several outputs."""
        return self.source.word(self.output_names)

    @property
    def min_classes(self) -> int:
        """Minimum number of classes of images; one for tasks with other targets."""
        return self.source.min_classes(self.min_outputs)

    @property
    def targets(self) -> Targets:
        """Annotations of images as numbers: how they are read, counted, edited and shown."""
        # Only when it is needed: it takes NumPy, and every command starts through this module.
        targets: Targets = importlib.import_module(self.annotations).TARGETS
        return targets

    @property
    def geometry(self) -> Geometry:
        """Storage of the regions of images, and how they follow their images."""
        geometry: Geometry = importlib.import_module(self.regions).GEOMETRY
        return geometry

    @property
    def predictor(self) -> Predictor:
        """Conversion of outputs of a network to predictions."""
        predictor: Predictor = importlib.import_module(self.prediction).PREDICTOR
        return predictor

    @property
    def reporter(self) -> Reporter:
        """Reporter that measures outputs against targets."""
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
