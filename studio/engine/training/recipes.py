"""Presets of a training plan, and recipes: ways to use pretrained weights, as data over a plan.

To add a recipe: write a `Recipe` and list it in `RECIPES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from studio.engine.datasets.augment.plan import PRESETS as AUGMENTATIONS
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.fitting import head_of
from studio.engine.networks.parts import ALL, NONE, blocks_of
from studio.engine.networks.spec import NetworkSpec, topological_order
from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry
from studio.engine.tasks import known_task
from studio.engine.training.parts import LossFields, StepFields, ValidationFields
from studio.engine.training.plan import TrainingPlan

THAWED = 1 / 3
"""Share of the blocks, counted from the head, that "fine-tune the top" trains."""

_TOPS = {
    "mobilenet_v3_small": "expanded_conv_6",
    "mobilenet_v3_large": "expanded_conv_9",
    "mobilenet_v2": "block_10",
    "mobilenet": "conv_8",
    "efficientnet": "block5",
    "resnet50": "conv4_block3",
    "resnet101": "conv4_block14",
    "resnet152": "conv4_block22",
    "densenet": "conv4",
    "inception_v3": "mixed6",
    "inception_resnet_v2": "block17_17",
    "xception": "block9",
    "convnext_tiny": "stage_2_block_5",
    "convnext": "stage_2_block_17",
    "nasnet_mobile": "normal_concat_7",
    "nasnet_large": "normal_concat_11",
    "vgg": "block3",
    **dict.fromkeys(("dinov2", "dinov3", "siglip", "clip", "vit"), "block8"),
    "swin_tiny": "stage3_block4",
    "swin": "stage3_block12",
}
"""Up to which part, see `parts.names_in`, a backbone stays frozen while about its upper third
learns, by how its name begins; every backbone has one."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to train.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        summary: Purpose and suitable use, in one or two sentences.
        is_pretrained: True if it needs weights that have seen images.
        changes: The fields of a plan that it sets, for a network.
    """

    name: str
    label: str
    summary: str
    is_pretrained: bool
    changes: Callable[[NetworkSpec], dict[str, object]]

    def apply(self, plan: TrainingPlan, spec: NetworkSpec) -> TrainingPlan:
        """Apply the recipe to a plan; fields that it does not define are kept.

        Args:
            plan: Its weights are kept; without any, those of ImageNet are used.
            spec: Its network, see `preprocessing.network_for`.

        Raises:
            StudioError: The network has no part that could stay frozen.
        """
        weights = (plan.weights or IMAGENET) if self.is_pretrained else ""
        return plan.changed(**{"weights": weights, **self.changes(spec)})


def _linear_head(spec: NetworkSpec) -> dict[str, object]:
    return {
        "freeze": ALL,
        "head_solver": known_task(spec.task).linear_solver,
        "backbone_rate": 1.0,
        "head_rate": 1.0,
        "augmentation": AugmentationPlan().model_dump(),
    }


def _fine_tune_top(spec: NetworkSpec) -> dict[str, object]:
    return {
        "freeze": top_of(spec),
        "head_solver": "gradient",
        "backbone_rate": 0.1,
        "head_rate": 1.0,
    }


def _fine_tune_all(_spec: NetworkSpec) -> dict[str, object]:
    return {
        "freeze": NONE,
        "head_solver": "gradient",
        "backbone_rate": 0.01,
        "head_rate": 0.1,
    }


def _from_scratch(_spec: NetworkSpec) -> dict[str, object]:
    return {"freeze": NONE, "head_solver": "gradient", "backbone_rate": 1.0, "head_rate": 1.0}


LINEAR_HEAD = Recipe(
    "linear_head",
    "Linear head on frozen features",
    "Trains a linear classifier on the features of the frozen network, in seconds. For few "
    "images, or for a quick estimate.",
    is_pretrained=True,
    changes=_linear_head,
)
FINE_TUNE_TOP = Recipe(
    "fine_tune_top",
    "Fine-tune the top",
    "The early layers, which detect edges and colors, stay frozen; the upper third learns slowly "
    "and the head at full rate. For a few hundred images per class.",
    is_pretrained=True,
    changes=_fine_tune_top,
)
FINE_TUNE_ALL = Recipe(
    "fine_tune_all",
    "Fine-tune everything",
    "All layers are trained, the head at a tenth and the rest at a hundredth of the rate. For "
    "many images, or images unlike those of ImageNet.",
    is_pretrained=True,
    changes=_fine_tune_all,
)
FROM_SCRATCH = Recipe(
    "from_scratch",
    "Train from scratch",
    "All weights start at random. For thousands of images per class, or without pretrained "
    "weights.",
    is_pretrained=False,
    changes=_from_scratch,
)

RECIPES: Registry[Recipe] = Registry(
    "recipe",
    [LINEAR_HEAD, FINE_TUNE_TOP, FINE_TUNE_ALL, FROM_SCRATCH],
    Kind("studio.recipes", "recipe", ("label", "summary", "apply")),
)


def top_of(spec: NetworkSpec) -> str:
    """Up to which block, layer or inner layer a network is frozen so that its top learns.

    Returns:
        What `networks.freezing.with_freezing` takes; `"all"` if there is nothing but a head
        and one block.
    """
    head = head_of(spec)
    body = [node for node in topological_order(spec) if node.id not in head]
    for node in body:
        if node.layer == "backbone":
            name = str(node.parameters.get("architecture"))
            return next(top for start, top in _TOPS.items() if name.startswith(start))
    inside = {node.block for node in body} | {node.id for node in body}
    parts = [part for part in blocks_of(spec) if part in inside]
    if len(parts) < 3:
        # Without blocks: layers that have weights of their own.
        parts = [node.id for node in body if {"filters", "units"} & node.parameters.keys()]
    frozen = len(parts) - max(1, round(len(parts) * THAWED))
    return parts[frozen - 1] if frozen > 0 else ALL


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
    """Training settings without dataset, network and initial weights.

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
        """Return every field that it sets, also where it is as in a new plan."""
        parts = (LossFields, StepFields, ValidationFields)
        names = [*_OWN, *(name for part in parts for name in part.model_fields)]
        fresh = TrainingPlan(dataset="").model_dump(include=set(names))
        augmentation = AUGMENTATIONS[self.augmentation].plan.model_dump()
        return {**fresh, "augmentation": augmentation, **self.values}

    def apply(self, plan: TrainingPlan) -> TrainingPlan:
        """Return the plan done this way; data, network, weights, batch and device stay."""
        return plan.changed(**self.changes())


PRESETS: Registry[TrainingPreset] = Registry(
    "training preset",
    [
        TrainingPreset(
            "quick",
            "Quick look",
            "Three epochs: shows within minutes whether the network learns.",
            {"epochs": 3},
            "off",
        ),
        TrainingPreset(
            "balanced",
            "Balanced",
            "Twenty epochs with a decreasing rate, light augmentation and early stopping.",
            {
                "epochs": 20,
                "optimizer": "adamw",
                "weight_decay": 0.01,
                "schedule": "cosine",
                "warmup_percent": 5.0,
                "early_stopping_patience": 8,
            },
            "light",
        ),
        TrainingPreset(
            "best",
            "Best",
            "A hundred epochs with averaged weights and label smoothing; takes a long time.",
            {
                "epochs": 100,
                "optimizer": "adamw",
                "weight_decay": 0.01,
                "schedule": "cosine",
                "warmup_percent": 5.0,
                "label_smoothing": 0.1,
                "ema_momentum": 0.99,
                "global_clipnorm": 1.0,
            },
            "light",
        ),
    ],
)
