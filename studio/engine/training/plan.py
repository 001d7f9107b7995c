"""What was asked of a training run."""

from __future__ import annotations

import contextlib
import math
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, model_validator

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import Condition, expert_field, plan_field
from studio.engine.training import parts
from studio.engine.training.backends import default_backend
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.schedules import SCHEDULES

STARTING_WEIGHTS = "starting-weights"
"""Copy of the weights file of a plan, in the folder of its run."""

RUN_PREFIX = "run:"
"""Before the id of the run whose weights are taken."""

OptimizerName = Literal[
    "adam",
    "adamw",
    "sgd",
    "rmsprop",
    "nadam",
    "adamax",
    "adagrad",
    "adadelta",
    "adafactor",
    "lion",
    "lamb",
    "muon",
    "ftrl",
    "schedule_free_adamw",
]
Backend = Literal["tensorflow", "jax", "torch"]
HeadSolver = Literal["gradient", "logistic_regression", "linear_svm", "ridge"]
GRADIENT: HeadSolver = "gradient"
SOLVER_LABELS = {
    "gradient": "Gradient descent",
    "logistic_regression": "Logistic regression",
    "linear_svm": "Linear SVM",
    "ridge": "Ridge regression",
}
ScheduleName = Literal[
    "constant",
    "step",
    "multistep",
    "exponential",
    "inverse",
    "polynomial",
    "sigmoid",
    "cosine",
    "cosine_restarts",
    "one_cycle",
]


def _checked(value: object) -> object:
    """A parameter of a policy, which the policy itself checks against its range."""
    numbers = value if isinstance(value, list | tuple) else (value,)
    for number in numbers:
        if not isinstance(number, int | float | str) or (
            not isinstance(number, str) and not math.isfinite(number)
        ):
            raise ValueError(f"a finite number is needed; received {number!r}")
    return value


PolicyValue = Annotated[object, AfterValidator(_checked)]
_SOLVED = Condition(
    ("head_solver",),
    "Gradient descent does not use it",
    ("logistic_regression", "linear_svm", "ridge"),
)
_pretrained_field = partial(expert_field, group="Pretrained weights")
_computing_field = partial(expert_field, group="Computing")


class TrainingPlan(
    parts.LogFields, parts.DeviceFields, parts.WatchFields, parts.LossFields, parts.StepFields
):
    """One run: which network on which dataset, and how it is trained.

    `dataset` is the id of a dataset record; names may change, ids do not. A plan that names no
    version is of the time before datasets could be edited: it means the dataset as imported.
    """

    version: Literal[1] = 1
    dataset: str = plan_field(label="Dataset", help="What to learn from.", level="hidden")
    dataset_version: int | None = plan_field(
        None,
        label="Version of the dataset",
        help="How many edits of the dataset count; asking for a run sets the newest.",
        level="hidden",
        ge=0,
    )
    network: str = plan_field(
        "lenet", label="Network", help="The network to train.", level="hidden"
    )
    design: NetworkSpec | None = plan_field(
        None,
        label="Drawn network",
        help="The network itself, when it is none of the zoo; the run needs no other file.",
        level="hidden",
    )
    weights: str = _pretrained_field(
        "",
        label="Starting weights",
        help="Where the weights come from: random, imagenet, run:NAME, or a file.",
        why="Weights that saw many images need few of yours. The head is new unless it is kept.",
    )
    keep_head: bool = _pretrained_field(
        False,
        label="Keep the head",
        help="Whether the head comes from the starting weights, too; they must be of a run.",
        why="To go on from a run with more images of the same classes.",
    )
    freeze: str = _pretrained_field(
        "none",
        label="Freeze",
        help="What training leaves alone: none, all but the head, or up to a block or layer.",
        why="Frozen layers keep what they learned elsewhere and cost no gradients; thaw some when "
        "your images look unlike those.",
    )
    backbone_rate: float = _pretrained_field(
        1.0,
        label="Rate of the backbone",
        help="Factor of the learning rate for all layers but the head.",
        why="To fine-tune pretrained weights: a hundredth, and a tenth for the head.",
        within=(0, 1000),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    head_rate: float = _pretrained_field(
        1.0,
        label="Rate of the head",
        help="Factor of the learning rate for the head.",
        why="10 when the rest is pretrained and the head is new; 1 when all is new.",
        within=(0, 1000),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    head_solver: HeadSolver = _pretrained_field(
        GRADIENT,
        label="Head learns by",
        help="How the head learns; the others put a linear one in its place, in seconds.",
        why="Where all but the head is frozen and images are not varied, a linear classifier is "
        "found at once, without epochs or a learning rate.",
        labels=SOLVER_LABELS,
    )
    head_strength: float = _pretrained_field(
        0.0,
        label="C of the head",
        help="Inverse regularization strength (C) of a solved head; 0 selects it on validation.",
        why="The automatic choice tries seven values on the validation split, or by "
        "cross-validation where that split has fewer than 30 images.",
        within=(0, 1e6),
        applicable_when=_SOLVED,
    )
    head_refit: bool = _pretrained_field(
        False,
        label="Refit the head",
        help="Solve the head once more on training plus validation images, with the selected C.",
        why="Uses all labeled images for the final model. The validation figures are those from "
        "before the refit.",
        applicable_when=_SOLVED,
    )
    epochs: int = plan_field(
        10,
        label="Epochs",
        help="How often every training image is seen.",
        why="More epochs learn more until validation accuracy stops rising.",
        within=(1, 100_000),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    batch_size: int = plan_field(
        32,
        label="Batch size",
        help="Images per training step.",
        why="Larger batches use the processor better and need more memory; very large ones "
        "learn less from each image.",
        within=(1, 65_536),
        scale="log",
    )
    learning_rate: float = plan_field(
        1e-3,
        label="Learning rate",
        help="How far every step moves the weights.",
        why="Too high: the loss jumps or becomes infinite. Too low: it hardly falls. "
        "Try steps of ten.",
        left_open=(0, 10),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    optimizer: OptimizerName = expert_field(
        "adam",
        label="Optimizer",
        help="The rule that turns gradients into steps.",
        why="Adam works without tuning; SGD with momentum often ends a little better.",
        labels={optimizer.name: optimizer.label for optimizer in OPTIMIZERS},
        applicable_when=parts.BY_GRADIENT,
    )
    optimizer_options: dict[str, PolicyValue] = plan_field(
        {}, label="Optimizer options", help="Numbers of the optimizer.", level="hidden"
    )
    schedule: ScheduleName = expert_field(
        "constant",
        label="Learning-rate schedule",
        help="How the learning rate changes during training.",
        why="A rate that falls ends better than one that stays: cosine is a good choice.",
        labels={schedule.name: schedule.label for schedule in SCHEDULES},
        applicable_when=parts.BY_GRADIENT,
    )
    schedule_options: dict[str, PolicyValue] = plan_field(
        {}, label="Schedule options", help="Numbers of the schedule.", level="hidden"
    )
    warmup_percent: float = expert_field(
        0.0,
        label="Warm-up",
        help="Share of the training in which the learning rate rises from zero.",
        why="5 to 10 % when the loss jumps at the start: with large batches, "
        "large networks, or pretrained weights.",
        unit="%",
        right_open=(0, 100),
        applicable_when=parts.BY_GRADIENT,
    )
    keep: Literal["best", "last"] = expert_field(
        "best",
        label="Keep",
        help="Which weights the finished model has.",
        why="Best: those that validation judged best.",
        group="Validation",
        labels={"best": "The best epoch", "last": "The last epoch"},
        applicable_when=parts.BY_GRADIENT,
    )
    seed: int = _computing_field(
        0,
        label="Seed",
        help="The same seed starts from the same weights and the same order of images.",
        why="Train with three seeds to see how much a result is luck.",
        within=(0, 2**32 - 1),
    )
    deterministic: bool = _computing_field(
        False,
        label="Deterministic",
        help="The same plan gives the same weights, bit for bit; may be slower on a GPU.",
        why="To repeat a result exactly, or to compare two settings without any chance in it.",
    )
    backend: Backend = _computing_field(
        default_backend(),
        label="Backend",
        help="The library that computes, of those that are installed.",
        why="PyTorch uses the GPU on Windows and macOS, where TensorFlow cannot.",
        labels={"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"},
    )

    augmentation: AugmentationPlan = expert_field(
        AugmentationPlan(),
        label="Augmentation",
        help="How training images are varied, so that few do the work of many.",
        why="The best help against over-fitting with few images; needs more epochs.",
    )

    @model_validator(mode="before")
    @classmethod
    def _read_momentum(cls, data: object) -> object:
        # It was a field of all plans before optimizers had parameters of their own.
        if not isinstance(data, dict) or "momentum" not in data:
            return data
        rest = {name: value for name, value in data.items() if name != "momentum"}
        options = rest.get("optimizer_options", {})
        value = data["momentum"]
        with contextlib.suppress(TypeError, ValueError):
            value = float(value)  # the command line gives texts
        if value and isinstance(options, dict):
            rest["optimizer_options"] = {**options, "momentum": value}
        return rest

    @property
    def order_seed(self) -> int | None:
        """What the order of the images follows from; None where it is that of the dataset."""
        return self.seed if self.shuffle else None
