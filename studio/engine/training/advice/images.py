"""Recommendations for annotations of images as wholes."""

from __future__ import annotations

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.networks.zoo import ZOO
from studio.engine.training.advice.task_advice import TaskAdvice, Values
from studio.engine.training.advisor import SOME, TrainingAdvice, images_per_class
from studio.engine.training.recipes import LINEAR_HEAD, Recipe

SMALL_SIDE, MEDIUM_SIDE = 48, 128
"""Up to these sides, in pixels, the networks for 32x32 and for 64x64 suit the images."""


class ImageAdvice(TaskAdvice):
    """Recommendations by the size and number of the images."""

    is_needed = False

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:
        """Return networks for the size of the images; see `TaskAdvice.networks`."""
        side = min(dataset.height, dataset.width)
        if is_photo:
            if side <= SMALL_SIDE:
                names = ["small_resnet_32", "small_cnn"]
            elif side <= MEDIUM_SIDE:
                names = ["small_resnet_64", "small_cnn"]
            elif images_per_class(dataset) >= SOME:
                names = ["resnet18", "small_resnet_64"]
            else:
                names = ["small_resnet_64", "resnet18"]
        elif side <= SMALL_SIDE:
            names = ["lenet", "small_cnn", "small_resnet_32"]
        else:
            names = (
                ["small_cnn", "small_resnet_64"] if side <= MEDIUM_SIDE else ["small_resnet_64"]
            )
        shape = dataset.shape
        fitting = []
        for name in [*names, "small_cnn", "mlp"]:
            least = ZOO[name].smallest
            if shape[0] >= least[0] and shape[1] >= least[1] and name not in fitting:
                fitting.append(name)
        return fitting[: len(names)]

    def recipe(self, advice: TrainingAdvice) -> Recipe:
        """Return the recipe for the number of images; see `TaskAdvice.recipe`."""
        return advice.recipe if advice.recipe.is_pretrained else LINEAR_HEAD

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:  # noqa: ARG002
        """Return nothing: the recipe suffices; see `TaskAdvice.values`."""
        return ()


ADVICE = ImageAdvice()
