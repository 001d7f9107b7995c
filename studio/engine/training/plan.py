"""What was asked of a training run."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.plans import Plan, plan_field

Optimizer = Literal["adam", "adamw", "sgd", "rmsprop"]
Backend = Literal["tensorflow", "jax", "torch"]
ScheduleName = Literal["constant", "step", "exponential", "cosine"]


class TrainingPlan(Plan):
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
    epochs: int = plan_field(
        10,
        label="Epochs",
        help="How often every training image is seen.",
        why="More epochs learn more until validation accuracy stops rising.",
        ge=1,
        le=100_000,
        scale="log",
    )
    batch_size: int = plan_field(
        32,
        label="Batch size",
        help="Images per training step.",
        why="Larger batches use the processor better and need more memory; very large ones "
        "learn less from each image.",
        ge=1,
        le=65_536,
        scale="log",
    )
    learning_rate: float = plan_field(
        1e-3,
        label="Learning rate",
        help="How far every step moves the weights.",
        why="Too high: the loss jumps or becomes infinite. Too low: it hardly falls. "
        "Try steps of ten.",
        gt=0,
        le=10,
        scale="log",
    )
    optimizer: Optimizer = plan_field(
        "adam",
        label="Optimizer",
        help="The rule that turns gradients into steps.",
        why="Adam works without tuning; SGD with momentum often ends a little better.",
        level="expert",
        labels={"adam": "Adam", "adamw": "AdamW", "sgd": "SGD", "rmsprop": "RMSprop"},
    )
    momentum: float = plan_field(
        0.0,
        label="Momentum",
        help="Share of the previous step that is kept; for SGD and RMSprop.",
        level="expert",
        ge=0,
        lt=1,
    )
    weight_decay: float = plan_field(
        0.0,
        label="Weight decay",
        help="Pulls weights towards zero at every step, against over-fitting.",
        level="expert",
        ge=0,
        le=1,
        scale="log",
    )
    schedule: ScheduleName = plan_field(
        "constant",
        label="Learning-rate schedule",
        help="How the learning rate changes during training.",
        level="expert",
        labels={
            "constant": "Constant",
            "step": "Step",
            "exponential": "Exponential",
            "cosine": "Cosine",
        },
    )
    schedule_options: dict[str, float] = plan_field(
        {}, label="Schedule options", help="Numbers of the schedule.", level="hidden"
    )
    warmup_percent: float = plan_field(
        0.0,
        label="Warm-up",
        help="Share of the training in which the learning rate rises from zero.",
        unit="%",
        level="expert",
        ge=0,
        lt=100,
    )
    keep: Literal["best", "last"] = plan_field(
        "best",
        label="Keep",
        help="Which weights the finished model has.",
        why="Best: those of the epoch with the highest validation accuracy.",
        level="expert",
        labels={"best": "The best epoch", "last": "The last epoch"},
    )
    seed: int = plan_field(
        0,
        label="Seed",
        help="The same seed starts from the same weights and the same order of images.",
        level="expert",
        ge=0,
        le=2**31 - 1,
    )
    deterministic: bool = plan_field(
        False,
        label="Deterministic",
        help="The same plan gives the same weights, bit for bit; may be slower on a GPU.",
        level="expert",
    )
    backend: Backend = plan_field(
        "tensorflow",
        label="Backend",
        help="The library that computes; TensorFlow comes with Studio.",
        why="PyTorch uses the GPU on Windows and macOS, where TensorFlow cannot.",
        level="expert",
        labels={"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"},
    )

    augmentation: AugmentationPlan = plan_field(
        AugmentationPlan(),
        label="Augmentation",
        help="How training images are varied, so that few do the work of many.",
        level="expert",
    )

    @model_validator(mode="after")
    def _check_momentum(self) -> Self:
        if self.momentum and self.optimizer not in ("sgd", "rmsprop"):
            raise ValueError(
                f"momentum is for SGD and RMSprop; {self.optimizer} has its own, "
                f"received {self.momentum}"
            )
        return self
