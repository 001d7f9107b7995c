"""Parts of a training plan: gradients and weights, loss, validation, hardware, logging."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from functools import partial
from typing import Literal

from pydantic import ValidationInfo, field_validator

from studio.engine.jobs.devices import AUTO
from studio.engine.jobs.placed_plan import PlacedPlan
from studio.engine.messages import as_message, message
from studio.engine.plans import Condition, Plan, expert_field, plan_field
from studio.engine.tasks import MEASURED_METRICS, find_task
from studio.engine.tasks.losses_and_metrics import LOSSES, METRICS, OF_TASK
from studio.engine.tasks.task import AUTO as PRIMARY
from studio.engine.training.precision import FULL, Precision

ClassBalancing = Literal["none", "class_weights", "sampling"]


def _metric_labels() -> dict[str, str]:
    names = {name: spec.label for name, spec in MEASURED_METRICS.items()}
    return {PRIMARY: "Main metric of the task", **names}


def _loss_labels() -> dict[str, str]:
    return {each.name: each.label for each in LOSSES}


def _set_labels() -> dict[str, str]:
    return {each.name: each.label for each in METRICS}


def _used_by_loss(field: str) -> Condition:
    """Return the condition that the loss of a plan uses a field."""

    def names() -> tuple[object, ...]:
        return tuple(each.name for each in LOSSES if field in each.uses)

    return Condition(("loss",), "The chosen loss does not use it", names)


class _Descent(Condition):
    """Condition that a head is trained step by step: not solved, nor fitted as a whole."""

    def is_met(self, values: Mapping[str, object]) -> bool:
        """Return True if the training has steps; see `Condition.is_met`."""
        if not super().is_met(values):
            return False
        design, network = values.get("design"), str(values.get("network"))
        if isinstance(design, Mapping):
            task = find_task(str(design.get("task")))
            return task is None or not task.output.trainer
        # Plans are also read where the networks are not needed, such as by the writer of weights.
        zoo = importlib.import_module("studio.engine.networks.zoo").ZOO
        return network not in zoo or not zoo[network].output.trainer


BY_GRADIENT: Condition = _Descent(
    ("head_solver",), "It is fitted directly, without training steps", ("gradient",)
)
"""Condition of settings that act on the steps of a training."""
_HARDWARE = "Hardware"
_step_field = partial(expert_field, group="Optimization", applicable_when=BY_GRADIENT)
_loss_field = partial(expert_field, group="Loss")
_validation_field = partial(expert_field, group="Validation and checkpoints")
_device_field = partial(expert_field, group=_HARDWARE)
_log_field = partial(expert_field, group="Logging")


class PackageFields(Plan):
    """Packages that a run needs; read before the fields that name their objects."""

    packages: dict[str, str] = plan_field(
        {},
        label="Packages",
        help="Packages of the loss, metrics, augmentation and network, with their versions.",
        level="hidden",
    )


def _check_name(kind: str, name: str, known: Collection[str], info: ValidationInfo) -> str:
    """Return a name of a table that packages add to.

    Args:
        kind: Name of an entry in messages.
        name: The name.
        known: The names that are there.
        info: The fields before it.

    Raises:
        ValueError: It is not there. The plan of a run stays readable without its packages.
    """
    if name not in known and not info.data.get("packages"):
        raise ValueError(
            message(
                "there is no {kind} {name}; available: {names}",
                kind=as_message(kind),
                name=repr(name),
                names=", ".join(known),
            )
        )
    return name


class StepFields(Plan):
    """Treatment of gradients and weights by every optimizer."""

    weight_decay: float = _step_field(
        0.0,
        label="Weight decay",
        help="Pulls weights toward zero at every step, against overfitting.",
        why="0.0001 for SGD and 0.01 for AdamW are common. Increase it when training is much "
        "better than validation.",
        within=(0, 1),
        scale="log",
    )
    clipnorm: float = _step_field(
        0.0,
        label="Clip norm per weight",
        help="Largest norm of the gradient of each weight tensor; 0 is off.",
        why="Use if the loss jumps: limits the change of a layer by a single batch.",
        within=(0, 1e6),
    )
    global_clipnorm: float = _step_field(
        0.0,
        label="Clip global norm",
        help="Largest norm of all gradients together; 0 is off.",
        why="1 is common if the loss jumps. Keeps the direction of the step.",
        within=(0, 1e6),
    )
    clipvalue: float = _step_field(
        0.0,
        label="Clip value",
        help="Largest absolute value of each gradient element; 0 is off.",
        why="0.5 or 1 if nothing else keeps the loss finite. Changes the direction of the step.",
        within=(0, 1e6),
    )
    gradient_accumulation_steps: int = _step_field(
        1,
        label="Gradient accumulation",
        help="Batches whose gradients are averaged into one weight update.",
        why="Has the effect of a larger batch with the memory of a small one.",
        within=(1, 1024),
    )
    ema_momentum: float = _step_field(
        0.0,
        label="Weight averaging (EMA)",
        help="Momentum of the moving average of the weights; 0 is off, 0.99 is common.",
        why="The averaged weights are validated and saved. They are often slightly better than "
        "the last ones.",
        right_open=(0, 1),
    )

    @property
    def optimizer_arguments(self) -> dict[str, object]:
        """Arguments of a Keras optimizer that all of them share; None is the default of Keras."""
        steps = self.gradient_accumulation_steps
        averaging = {"use_ema": True, "ema_momentum": self.ema_momentum}
        return {
            "clipnorm": self.clipnorm or None,
            "global_clipnorm": self.global_clipnorm or None,
            "clipvalue": self.clipvalue or None,
            "gradient_accumulation_steps": steps if steps > 1 else None,
            **(averaging if self.ema_momentum else {}),
        }


class LossFields(Plan):
    """The loss, and the weight of imbalanced classes in it."""

    loss: str = _loss_field(
        OF_TASK,
        label="Loss",
        help="Loss that training minimizes: that of the task, or one of an installed package.",
        why="Packages add losses by entry points; studio plugins lists them.",
        labels=_loss_labels,
        applicable_when=BY_GRADIENT,
    )
    label_smoothing: float = _loss_field(
        0.0,
        label="Label smoothing",
        help="Fraction of each label that is spread over all classes.",
        why="0.1 reduces overconfidence, also when some labels are wrong.",
        right_open=(0, 1),
        applicable_when=_used_by_loss("label_smoothing"),
    )
    focal_gamma: float = _loss_field(
        0.0,
        label="Focal loss gamma",
        help="Reduces the weight of images that are already classified well; 0 is cross-entropy.",
        why="2 is common if most images are easy.",
        within=(0, 10),
        applicable_when=_used_by_loss("focal_gamma"),
    )
    dice_weight: float = _loss_field(
        0.0,
        label="Dice loss",
        help="Weight of the Dice loss in the training loss; the rest is cross-entropy.",
        why="0.5 when a class covers few pixels: in the Dice loss, small classes count as much "
        "as large ones.",
        within=(0, 1),
        applicable_when=_used_by_loss("dice_weight"),
    )
    class_balancing: ClassBalancing = _loss_field(
        "none",
        label="Class balancing",
        help="How to compensate for imbalanced classes.",
        why="If a class has ten times as many images as another, the small one is easily ignored. "
        "Images with several labels are sampled by their rarest label.",
        labels={
            "none": "Off",
            "class_weights": "Class weights in the loss",
            "sampling": "Balanced sampling",
        },
    )

    @field_validator("loss")
    @classmethod
    def _check_loss(cls, name: str, info: ValidationInfo) -> str:
        return _check_name(LOSSES.kind, name, LOSSES.names(), info)


RESUME_FILE = "resume.npz"
"""Checkpoint of a run, in its record."""


class ValidationFields(Plan):
    """Validation, checkpoints, the monitored metric, and what follows from it."""

    validation_interval_epochs: float = _validation_field(
        1.0,
        label="Validate every",
        help="Epochs between validations; 0.5 validates twice per epoch.",
        why="Below 1 if an epoch takes an hour; above 1 if validation takes longer than training.",
        unit="epochs",
        left_open=(0, 100_000),
        scale="log",
        applicable_when=BY_GRADIENT,
    )
    snapshot_interval_epochs: float = _validation_field(
        0.0,
        label="Snapshot every",
        help="Epochs between stored copies of the weights, 0.5 is two per epoch; 0 is off.",
        why="Later runs can start from any snapshot, and each one can be evaluated and exported.",
        unit="epochs",
        within=(0, 100_000),
        applicable_when=BY_GRADIENT,
    )
    snapshots_to_keep: int = _validation_field(
        0,
        label="Snapshots to keep",
        help="Number of newest snapshots to keep; older ones are deleted. 0 keeps all.",
        why="Each snapshot is as large as the model.",
        within=(0, 10_000),
        applicable_when=Condition(("snapshot_interval_epochs",), "No snapshots are stored"),
    )
    checkpoint_interval_seconds: float = _validation_field(
        30.0,
        label="Checkpoint every",
        help="Seconds between checkpoints, from which a run resumes exactly.",
        why="A killed run loses at most this much training. Saving takes some time with large "
        "networks.",
        unit="s",
        within=(0, 86_400),
    )
    metrics: str = _validation_field(
        OF_TASK,
        label="Metrics",
        help="Metrics beside those of the task, from an installed package.",
        why="Packages add metrics by entry points; studio plugins lists them.",
        labels=_set_labels,
        applicable_when=BY_GRADIENT,
    )
    monitor: str = _validation_field(
        PRIMARY,
        label="Monitored metric",
        help="Metric that decides which epoch is best, and early stopping.",
        why="The loss shows growing uncertainty before the accuracy does; top-5 suits very many "
        "classes.",
        labels=_metric_labels,
    )
    insights: bool = _validation_field(
        True,
        label="Collect insights",
        help="Stores predictions on validation images and weight norms at every validation.",
        why="Shows which images were misclassified in each epoch, and how each layer changed.",
    )
    min_delta: float = _validation_field(
        0.0,
        label="Minimum improvement",
        help="Smallest change of the monitored metric that counts as an improvement.",
        why="Use if tiny improvements keep a run from stopping; 0.001 is 0.1 percentage points of "
        "accuracy.",
        within=(0, 1000),
        applicable_when=Condition(
            ("early_stopping_patience", "plateau_patience"),
            "Neither early stopping nor a plateau uses it",
        ),
    )
    early_stopping_patience: int = _validation_field(
        0,
        label="Early stopping patience",
        help="Validations without improvement after which training stops; 0 never stops early.",
        why="Avoids epochs in which a network only overfits.",
        within=(0, 100_000),
        applicable_when=BY_GRADIENT,
    )
    plateau_patience: int = _validation_field(
        0,
        label="Plateau patience",
        help="Validations without improvement after which the learning rate is reduced; 0 never "
        "reduces it.",
        why="3 to 5, less than the patience of early stopping. A lower rate often brings further "
        "improvement.",
        within=(0, 100_000),
        applicable_when=BY_GRADIENT,
    )
    plateau_factor: float = _validation_field(
        0.1,
        label="Plateau factor",
        help="Factor by which the learning rate is reduced on a plateau.",
        why="0.1 to 0.5; values close to 1 are gentler and need more epochs.",
        gt=0,
        lt=1,
        applicable_when=Condition(("plateau_patience",), "The learning rate is never lowered"),
    )

    @field_validator("metrics")
    @classmethod
    def _check_metrics(cls, name: str, info: ValidationInfo) -> str:
        return _check_name(METRICS.kind, name, METRICS.names(), info)

    @field_validator("monitor")
    @classmethod
    def _check_monitor(cls, name: str, info: ValidationInfo) -> str:
        return _check_name(message("metric"), name, (PRIMARY, *MEASURED_METRICS), info)


class DeviceFields(PlacedPlan):
    """Device, precision and order of the images."""

    device: str = _device_field(
        AUTO,
        label="Device",
        help="Device to train on: auto, cpu, gpu (any), gpu:1, gpu:0,2 together, or gpus:2 (any "
        "two).",
        why="Auto uses a free GPU if there is one. The run waits until the device is free; cpu:2 "
        "divides each batch as two GPUs would.",
    )
    precision: Precision = _device_field(
        FULL,
        label="Precision",
        help="Numeric precision of the layers; weights are always stored in 32 bits.",
        why="Half the memory and twice the speed on recent GPUs; faster on some processors.",
        labels={
            "float32": "32 bits",
            "mixed_float16": "Mixed, float16",
            "mixed_bfloat16": "Mixed, bfloat16",
        },
    )
    threads: int = _device_field(
        0,
        label="CPU threads",
        help="Number of threads for computing; 0 uses one per core.",
        why="Fewer threads leave room for other programs.",
        within=(0, 1024),
    )
    runs_per_device: int = plan_field(
        1,
        label="Runs per device",
        help="Number of runs that may share its device; set by sweeps with several workers.",
        why="Small networks leave most of a device idle.",
        level="hidden",
        group=_HARDWARE,
        within=(1, 256),
    )
    measure_latency: bool = plan_field(
        False,
        label="Measure latency",
        help="Measures the time for one image at the end.",
        why="Set by sweeps that search for fast networks.",
        level="hidden",
        group=_HARDWARE,
    )
    machine: str = _device_field(
        "",
        label="Machine",
        help="Machine that trains the run: one of studio machines list; empty for this computer.",
        why="A computer with a GPU that ssh reaches. Data are copied once; the run continues "
        "there while this computer sleeps or is offline.",
    )
    ray: str = _device_field(
        "",
        label="Ray cluster",
        help="Address of a Ray cluster that trains the run, as ray://HOST:10001; empty for this "
        "computer.",
        why="When one computer is not enough. Needs the extra cluster. Ray chooses a node with "
        "enough free GPUs for the device, and enough free cores for the CPU threads (1 for 0).",
    )
    nodes: int = _device_field(
        1,
        label="Nodes",
        help="Number of nodes of the Ray cluster that train the run together, with JAX.",
        why="Each node has the device and computes its part of every batch, so large networks and "
        "large batches take less time. The network between them must be fast.",
        within=(1, 256),
        applicable_when=Condition(("ray",), "Without a Ray cluster one computer trains"),
    )
    shuffle: bool = _device_field(
        True,
        label="Shuffle",
        help="Shuffles the training images in every epoch.",
        why="Without it, batches are the same in every epoch, in the order of the dataset.",
    )


class LogFields(Plan):
    """Loggers of a run besides its journal."""

    tensorboard: bool = _log_field(
        True,
        label="TensorBoard files",
        help="Writes event files for TensorBoard into the folder of the run.",
        why="To watch and compare runs in TensorBoard. Off saves some disk space.",
    )
    mlflow: str = _log_field(
        "",
        label="MLflow",
        help="Address of an MLflow server, or a folder, to which the run is logged; empty for "
        "none.",
        why="To see the run next to those of your team. A server that does not answer does not "
        "delay training.",
    )
