"""Plan of a training run."""

from __future__ import annotations

import contextlib
import math
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, model_validator

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.messages import message
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
HeadSolver = Literal["gradient", "best_linear", "logistic_regression", "linear_svm", "ridge"]
GRADIENT: HeadSolver = "gradient"
BEST_LINEAR: HeadSolver = "best_linear"
"""The linear classifier that is most accurate in cross-validation on the training images."""
SOLVER_LABELS = {
    "gradient": "Gradient descent",
    "best_linear": "Best linear classifier",
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
    """Return a parameter of a policy, which the policy itself checks against its range."""
    numbers = value if isinstance(value, list | tuple) else (value,)
    for number in numbers:
        if not isinstance(number, int | float | str) or (
            not isinstance(number, str) and not math.isfinite(number)
        ):
            raise ValueError(
                message("a finite number is required; received {received}", received=repr(number))
            )
    return value


PolicyValue = Annotated[object, AfterValidator(_checked)]
_SOLVED = Condition(
    ("head_solver",),
    "Gradient descent does not use it",
    ("logistic_regression", "linear_svm", "ridge"),
)
_pretrained_field = partial(expert_field, group="Pretrained weights")
_hardware_field = partial(expert_field, group="Hardware")


class TrainingPlan(
    parts.LogFields,
    parts.DeviceFields,
    parts.ValidationFields,
    parts.LossFields,
    parts.StepFields,
    parts.PackageFields,
):
    """One run: which network on which dataset, and how it is trained.

    `dataset` is the id of a dataset record; names may change, ids do not. A plan that names no
    version is of the time before datasets could be edited: it means the dataset as imported.
    """

    former_names: ClassVar = {
        "accumulate": "gradient_accumulation_steps",
        "average_weights": "ema_momentum",
        "balance": "class_balancing",
        "checkpoint_every": "snapshot_interval_epochs",
        "checkpoints_to_keep": "snapshots_to_keep",
        "clip_global_norm": "global_clipnorm",
        "clip_norm": "clipnorm",
        "clip_value": "clipvalue",
        "least_gain": "min_delta",
        "resume_every": "checkpoint_interval_seconds",
        "stop_patience": "early_stopping_patience",
        "validate_every": "validation_interval_epochs",
        "watch": "monitor",
    }

    version: Literal[1] = 1
    dataset: str = plan_field(label="Dataset", help="Dataset to train on.", level="hidden")
    dataset_version: int | None = plan_field(
        None,
        label="Version of the dataset",
        help="Number of edits of the dataset to include; new runs use the newest version.",
        level="hidden",
        ge=0,
    )
    network: str = plan_field("lenet", label="Network", help="Network to train.", level="hidden")
    design: NetworkSpec | None = plan_field(
        None,
        label="Drawn network",
        help="The network itself if it is not built in, so that the run needs no other file.",
        level="hidden",
    )
    weights: str = _pretrained_field(
        "",
        label="Starting weights",
        help="Source of the initial weights: empty for random ones, imagenet, run:NAME, or a "
        "file.",
        why="Pretrained weights need far fewer images. The head is new unless you keep it.",
    )
    keep_head: bool = _pretrained_field(
        False,
        label="Keep the head",
        help="Also uses the head of the starting weights, which must be those of a run.",
        why="To continue a run with more images of the same classes.",
    )
    offline_fallback: bool = _pretrained_field(
        False,
        label="Train from scratch if offline",
        help="If the ImageNet weights cannot be downloaded, trains the network recommended "
        "without pretrained weights.",
        why="Otherwise a run without an internet connection fails at its start.",
        applicable_when=Condition(
            ("weights",), "Only ImageNet weights are downloaded", ("imagenet",)
        ),
    )
    freeze: str = _pretrained_field(
        "none",
        label="Freeze layers",
        help="Layers that are not trained: none, all but the head, or up to a block or layer.",
        why="Frozen layers keep what they learned and need no gradients. Unfreeze some when your "
        "images look different.",
    )
    backbone_rate: float = _pretrained_field(
        1.0,
        label="Backbone learning rate",
        help="Factor of the learning rate for all layers except the head.",
        why="To fine-tune pretrained weights: 0.01, with 0.1 for the head.",
        within=(0, 1000),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    head_rate: float = _pretrained_field(
        1.0,
        label="Head learning rate",
        help="Factor of the learning rate for the head.",
        why="10 for a pretrained backbone with a new head; 1 if everything is new.",
        within=(0, 1000),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    head_solver: HeadSolver = _pretrained_field(
        GRADIENT,
        label="Head solver",
        help="How the head is trained. The closed-form solvers replace it with a linear model, "
        "in seconds.",
        why="When everything but the head is frozen and images are not augmented, a linear "
        "classifier is found without epochs or a learning rate.",
        labels=SOLVER_LABELS,
    )
    head_strength: float = _pretrained_field(
        0.0,
        label="Head regularization (C)",
        help="Inverse regularization strength C of a solved head; 0 selects it on the validation "
        "split.",
        why="The automatic choice tries seven values on the validation split, or "
        "cross-validation when that split has fewer than 30 images.",
        within=(0, 1e6),
        applicable_when=_SOLVED,
    )
    head_refit: bool = _pretrained_field(
        False,
        label="Refit the head",
        help="Solves the head again on training and validation images, with the selected C.",
        why="Uses all labeled images for the final model. Validation metrics are those from "
        "before the refit.",
        applicable_when=_SOLVED,
    )
    epochs: int = plan_field(
        10,
        label="Epochs",
        help="Number of passes over the training images.",
        why="More epochs help until the validation metric stops improving.",
        within=(1, 100_000),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    batch_size: int = plan_field(
        32,
        label="Batch size",
        help="Images per training step.",
        why="Larger batches are faster per image and need more memory. Very large ones learn "
        "less from each image.",
        within=(1, 65_536),
        scale="log",
    )
    learning_rate: float = plan_field(
        1e-3,
        label="Learning rate",
        help="Step size of the optimizer.",
        why="Too high: the loss jumps or becomes infinite. Too low: it hardly decreases. Try "
        "factors of ten.",
        left_open=(0, 10),
        scale="log",
        applicable_when=parts.BY_GRADIENT,
    )
    optimizer: OptimizerName = expert_field(
        "adam",
        label="Optimizer",
        help="Optimization algorithm.",
        why="Adam works without tuning; SGD with momentum often ends slightly better.",
        labels={optimizer.name: optimizer.label for optimizer in OPTIMIZERS},
        applicable_when=parts.BY_GRADIENT,
    )
    optimizer_options: dict[str, PolicyValue] = plan_field(
        {}, label="Optimizer options", help="Numbers of the optimizer.", level="hidden"
    )
    schedule: ScheduleName = expert_field(
        "constant",
        label="Learning rate schedule",
        help="How the learning rate changes during training.",
        why="A decreasing rate usually gives better results than a constant one; cosine is a good "
        "choice.",
        labels={schedule.name: schedule.label for schedule in SCHEDULES},
        applicable_when=parts.BY_GRADIENT,
        group="Schedule",
    )
    schedule_options: dict[str, PolicyValue] = plan_field(
        {}, label="Schedule options", help="Numbers of the schedule.", level="hidden"
    )
    warmup_percent: float = expert_field(
        0.0,
        label="Warmup",
        help="Part of the training in which the learning rate rises from zero.",
        why="5 to 10 % when the loss jumps at the start: with large batches, large networks, or "
        "pretrained weights.",
        unit="%",
        right_open=(0, 100),
        applicable_when=parts.BY_GRADIENT,
        group="Schedule",
    )
    keep: Literal["best", "last"] = expert_field(
        "best",
        label="Final weights",
        help="Weights of the finished model: those of the best or the last epoch.",
        why="The best epoch is the one with the best monitored metric.",
        group="Validation and checkpoints",
        labels={"best": "The best epoch", "last": "The last epoch"},
        applicable_when=parts.BY_GRADIENT,
    )
    seed: int = _hardware_field(
        0,
        label="Seed",
        help="Seed of the initial weights, the order of the images and the augmentation.",
        why="Train with three seeds to see how much of a result is chance.",
        within=(0, 2**32 - 1),
    )
    deterministic: bool = _hardware_field(
        False,
        label="Deterministic",
        help="The same plan gives the same weights, bit for bit; can be slower on a GPU.",
        why="To reproduce a result exactly, or to compare two settings without chance.",
    )
    backend: Backend = _hardware_field(
        default_backend(),
        label="Backend",
        help="Framework for the computation; it must be installed.",
        why="PyTorch uses the GPU on Windows and macOS, where TensorFlow cannot.",
        labels={"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"},
    )

    augmentation: AugmentationPlan = expert_field(
        AugmentationPlan(),
        label="Augmentation",
        help="Random changes of the training images, so that few images go further.",
        why="The most effective remedy for overfitting with few images. Needs more epochs.",
    )

    @model_validator(mode="before")
    @classmethod
    def _read_momentum(cls, data: object) -> object:
        # It was a field of all plans before optimizers had separate parameters.
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
    def network_name(self) -> str:
        """Name of the network without its options, such as "mlp" for "mlp:256"."""
        return self.network.partition(":")[0]

    @property
    def order_seed(self) -> int | None:
        """Seed of the order of the images; None for the order of the dataset."""
        return self.seed if self.shuffle else None
