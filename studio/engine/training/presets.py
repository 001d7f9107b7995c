"""Ready settings for beginners, as data over a plan.

To add a preset: list it in `PRESETS`; what it leaves out is as in a new plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studio.engine.datasets.augment.plan import PRESETS as AUGMENTATIONS
from studio.engine.registry import Registry
from studio.engine.training.parts import LossFields, StepFields, WatchFields
from studio.engine.training.plan import TrainingPlan

_OWN = (
    "epochs",
    "learning_rate",
    "optimizer",
    "optimizer_options",
    "schedule",
    "schedule_options",
    "warmup_percent",
    "keep",
    "augmentation",
)
"""Fields that every preset sets, beside those of loss, steps and validation."""


@dataclass(frozen=True, slots=True)
class TrainingPreset:
    """How to train, without a word about what and from which weights.

    Attributes:
        name: Stable name, as on the command line.
        label: Shown name.
        summary: One line: what it is good for.
        values: Fields of a training plan that are not as in a new one.
        augmentation: Name of an augmentation preset.
    """

    name: str
    label: str
    summary: str
    values: Mapping[str, object]
    augmentation: str

    def changes(self) -> dict[str, object]:
        """Every field that it sets, also where it is as in a new plan."""
        parts = (LossFields, StepFields, WatchFields)
        names = [*_OWN, *(name for part in parts for name in part.model_fields)]
        fresh = TrainingPlan(dataset="").model_dump(include=set(names))
        augmentation = AUGMENTATIONS[self.augmentation].plan.model_dump()
        return {**fresh, "augmentation": augmentation, **self.values}

    def apply(self, plan: TrainingPlan) -> TrainingPlan:
        """The plan done this way; data, network, weights, batch and device stay."""
        return plan.changed(**self.changes())


PRESETS: Registry[TrainingPreset] = Registry(
    "training preset",
    [
        TrainingPreset(
            "quick",
            "Quick look",
            "Three epochs: shows in minutes whether there is anything to learn.",
            {"epochs": 3},
            "off",
        ),
        TrainingPreset(
            "balanced",
            "Balanced",
            "Twenty epochs with a falling rate and slightly varied images; ends early.",
            {
                "epochs": 20,
                "optimizer": "adamw",
                "weight_decay": 0.01,
                "schedule": "cosine",
                "warmup_percent": 5.0,
                "stop_patience": 8,
            },
            "light",
        ),
        TrainingPreset(
            "best",
            "Best",
            "A hundred epochs with averaged weights and smoothed labels: takes its time.",
            {
                "epochs": 100,
                "optimizer": "adamw",
                "weight_decay": 0.01,
                "schedule": "cosine",
                "warmup_percent": 5.0,
                "label_smoothing": 0.1,
                "average_weights": 0.99,
                "clip_global_norm": 1.0,
            },
            "light",
        ),
    ],
)
