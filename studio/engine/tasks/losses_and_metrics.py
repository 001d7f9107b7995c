"""Losses that plans choose, and sets of metrics beside those of the task. Imports no Keras.

To add one in a separate package: an entry point of the group `studio.losses` that names a
`TrainingLoss`, or of `studio.metrics` that names a `MetricSet`. Only the worker imports what their
`build` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.suited import SuitedToTargets

OF_TASK: Final = "auto"
"""Name of the loss and of the metrics that each task has by itself."""
LOSS_SETTINGS: Final = ("label_smoothing", "focal_gamma", "dice_weight", "class_balancing")
"""Fields of a training plan that a loss may use."""


@dataclass(frozen=True)
class TrainingLoss(SuitedToTargets):
    """A loss for the outputs of some tasks.

    Attributes:
        name: Name in plans and of its entry point.
        label: Displayed name.
        targets: Kinds of targets that it suits, see `Task.target_kind`; empty for all.
        build: Module and name of a function of the worker that takes a `LearningRequest` of
            `compute.tasks.requested` and returns a loss of Keras.
        uses: Those of `LOSS_SETTINGS` that it uses.
        summary: Meaning of the loss, in a sentence.

    Examples:
        >>> loss = TrainingLoss("tversky", "Tversky", ("masks",), "my_package.losses:tversky")
        >>> loss.suits("masks"), loss.suits("numbers")
        (True, False)
    """

    name: str
    label: str
    targets: tuple[str, ...]
    build: str
    uses: tuple[str, ...] = ()
    summary: str = ""
    kind: ClassVar[str] = "loss"


@dataclass(frozen=True)
class MetricSet(SuitedToTargets):
    """Metrics of a run, on training and on validation images.

    Attributes:
        name: Name in plans and of its entry point.
        label: Displayed name.
        targets: Kinds of targets that they suit, see `Task.target_kind`; empty for all.
        build: Module and name of a function of the worker that takes a `LearningRequest` of
            `compute.tasks.requested` and returns metrics of Keras, named as `specs`.
        specs: Their descriptions; empty where the task has them.
    """

    name: str
    label: str
    targets: tuple[str, ...]
    build: str
    specs: tuple[MetricSpec, ...] = ()
    kind: ClassVar[str] = "set of metrics"


_REQUESTED: Final = "studio.engine.compute.tasks.requested"

LOSSES: Registry[TrainingLoss] = Registry(
    "loss",
    [
        TrainingLoss(
            OF_TASK, "Loss of the task", (), f"{_REQUESTED}:loss_of_task", uses=LOSS_SETTINGS
        )
    ],
    Kind(
        "studio.losses", "loss", ("label", "targets", "build", "uses", "suits"), comes_first=False
    ),
)
METRICS: Registry[MetricSet] = Registry(
    "set of metrics",
    [MetricSet(OF_TASK, "Metrics of the task", (), f"{_REQUESTED}:metrics_of_task")],
    Kind(
        "studio.metrics",
        "set of metrics",
        ("label", "targets", "build", "specs", "suits"),
        comes_first=False,
    ),
)


def added_metrics(target_kind: str) -> list[MetricSpec]:
    """Return the metrics of other packages for networks that learn a kind of targets."""
    return [spec for each in METRICS if each.suits(target_kind) for spec in each.specs]
