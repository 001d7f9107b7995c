"""Recommendations for datasets of good images."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.messages import as_message, message
from studio.engine.training.advice.task_advice import TaskAdvice, Values, takes
from studio.engine.training.advisor import TrainingAdvice, counted_images
from studio.engine.training.recipes import LINEAR_HEAD, Recipe


class GoodImagesAdvice(TaskAdvice):
    """Recommendations for networks that are fitted to good images."""

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:  # noqa: ARG002
        """Return the network with random filters; see `TaskAdvice.networks`."""
        return [name for name in ("small_padim",) if takes(name, dataset)]

    def takes_preset(self, *, is_photo: bool) -> bool:  # noqa: ARG002
        """Return False: the fit has no settings; see `TaskAdvice.takes_preset`."""
        return False

    def summary(self, recipe: Recipe, network: str, dataset: DatasetSummary) -> str:  # noqa: ARG002
        """Return what the fit does with pretrained weights; see `TaskAdvice.summary`."""
        return message(
            "{images}: {network} with pretrained weights stays frozen; its features of good "
            "images are described in one pass, without training.",
            images=counted_images(dataset),
            network=as_message(network),
        )

    def reasons(self, advice: TrainingAdvice) -> Sequence[str]:  # noqa: ARG002
        """Return nothing: the number of images decides nothing; see `TaskAdvice.reasons`."""
        return ()

    def recipe(self, advice: TrainingAdvice) -> Recipe:  # noqa: ARG002 - features stay frozen
        """Return the recipe with frozen features; see `TaskAdvice.recipe`."""
        return LINEAR_HEAD

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:  # noqa: ARG002
        """Return nothing: the fit has no settings; see `TaskAdvice.values`."""
        return ()


ADVICE = GoodImagesAdvice()
