"""Recommendations for masks."""

from __future__ import annotations

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.messages import message
from studio.engine.tasks.region_thickness import THIN, THIN_CLASS
from studio.engine.training.advice.task_advice import TaskAdvice, Values, takes
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.recipes import FINE_TUNE_TOP, Recipe

MASK_VALUES = (("batch_size", 8), ("learning_rate", 0.002), ("dice_weight", 0.5), ("epochs", 30))
"""Each pixel is an example: small batches give more steps in the same time. Half of the loss
compares areas, so that small objects count. Measured on the sample of drawn shapes."""

_COARSE_STRIDE = 16
"""Pixels of a position in the coarsest maps that networks without skips decide from."""


class MaskAdvice(TaskAdvice):
    """Recommendations for networks with an output for each pixel."""

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:  # noqa: ARG002
        """Return networks of the U-Net kind; see `TaskAdvice.networks`."""
        return [name for name in ("small_unet", "unet") if takes(name, dataset)]

    def reason(self, dataset: DatasetSummary) -> str:
        """Return the width of the thinnest class; see `TaskAdvice.reason`."""
        facts = dataset.facts
        if THIN not in facts or not 0 <= facts[THIN_CLASS] < len(dataset.classes):
            return ""
        name, pixels = dataset.classes[int(facts[THIN_CLASS])], facts[THIN]
        if pixels < _COARSE_STRIDE:
            return message(
                "Regions of “{name}” are about {pixels:.0f} pixels wide: a U-Net keeps them, "
                "networks with maps of a sixteenth of the size, such as DeepLabV3+, lose them.",
                name=name,
                pixels=pixels,
            )
        return message(
            "The thinnest regions, of “{name}”, are about {pixels:.0f} pixels wide, so faster "
            "networks with coarse maps, such as LR-ASPP, keep them, too.",
            name=name,
            pixels=pixels,
        )

    def recipe(self, advice: TrainingAdvice) -> Recipe:  # noqa: ARG002 - each pixel is an example
        """Return the recipe for any number of images; see `TaskAdvice.recipe`."""
        return FINE_TUNE_TOP

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:  # noqa: ARG002
        """Return the batch size, the loss and the epochs; see `TaskAdvice.values`."""
        return MASK_VALUES


ADVICE = MaskAdvice()
