"""Decisions about augmentation, free of Qt: which preset a plan is, what acts, what shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan

OFF = "off"
CUSTOM = "custom"

COLOR_FIELDS = ("hue", "saturation")
"""What gray images have nothing for."""

# These act inside the network, or on nothing by themselves: a picture looks as before.
_UNSEEN = ("fill", "subtract_mean", "whitening", "place")

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that stand together under a heading; the heading is a key of the form's words."""

    name: str
    fields: tuple[str, ...]


GROUPS: Sequence[Group] = (
    Group("turns", ("horizontal_flip", "vertical_flip", "quarter_turns", "rotation")),
    Group("place", ("shear", "rescale", "zoom", "translation", "fill", "crop")),
    Group("light", ("brightness", "contrast", "hue", "saturation", "value")),
    Group("damage", ("blur", "noise", "erasing")),
    Group("policies", ("rand_augment", "aug_mix")),
    Group("mixing", ("mix_up", "cut_mix")),
    Group("network", ("subtract_mean", "whitening")),
    Group("device", ("place",)),
)


def preset_of(plan: AugmentationPlan) -> str:
    """The name of the preset that a plan is, or `CUSTOM`."""
    return next((preset.name for preset in PRESETS if preset.plan == plan), CUSTOM)


def idle_fields(shape: Shape | None) -> tuple[str, ...]:
    """Fields that do nothing to images of that height, width and number of channels."""
    return COLOR_FIELDS if shape is not None and shape[2] == 1 else ()


def fitted(plan: AugmentationPlan, shape: Shape | None) -> AugmentationPlan:
    """The plan without what does nothing to such images."""
    new = AugmentationPlan()
    return plan.model_copy(update={name: getattr(new, name) for name in idle_fields(shape)})


def changes_pictures(plan: AugmentationPlan) -> bool:
    """Whether images look different under a plan, so that there is something to preview."""
    new = AugmentationPlan()
    return plan.model_copy(update={name: getattr(new, name) for name in _UNSEEN}) != new


def acts_in_network(plan: AugmentationPlan) -> bool:
    """Whether a part of the plan is done by the network, where no picture shows it."""
    return plan.subtract_mean != "none" or plan.whitening


def mixes_images(plan: AugmentationPlan) -> bool:
    """Whether images of a batch are mixed with each other."""
    return plan.mix_up > 0 or plan.cut_mix > 0
