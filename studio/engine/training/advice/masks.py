"""Recommendations for masks."""

from __future__ import annotations

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.advice.task_advice import TaskAdvice, Values, takes
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.recipes import FINE_TUNE_TOP, Recipe

MASK_VALUES = (("batch_size", 8), ("learning_rate", 0.002), ("dice_weight", 0.5), ("epochs", 30))
"""Each pixel is an example: small batches give more steps in the same time. Half of the loss
compares areas, so that small objects count. Measured on the sample of drawn shapes."""


class MaskAdvice(TaskAdvice):
    """Recommendations for networks with an output for each pixel."""

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:  # noqa: ARG002
        """Return networks of the U-Net kind; see `TaskAdvice.networks`."""
        return [name for name in ("small_unet", "unet") if takes(name, dataset)]

    def recipe(self, advice: TrainingAdvice) -> Recipe:  # noqa: ARG002 - each pixel is an example
        """Return the recipe for any number of images; see `TaskAdvice.recipe`."""
        return FINE_TUNE_TOP

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:  # noqa: ARG002
        """Return the batch size, the loss and the epochs; see `TaskAdvice.values`."""
        return MASK_VALUES


ADVICE = MaskAdvice()
