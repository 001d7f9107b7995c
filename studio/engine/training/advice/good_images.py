"""Recommendations for datasets of good images."""

from __future__ import annotations

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.advice.task_advice import TaskAdvice, Values, takes
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.recipes import LINEAR_HEAD, Recipe


class GoodImagesAdvice(TaskAdvice):
    """Recommendations for networks that are fitted to good images."""

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:  # noqa: ARG002
        """Return the network with random filters; see `TaskAdvice.networks`."""
        return [name for name in ("small_padim",) if takes(name, dataset)]

    def recipe(self, advice: TrainingAdvice) -> Recipe:  # noqa: ARG002 - features stay frozen
        """Return the recipe with frozen features; see `TaskAdvice.recipe`."""
        return LINEAR_HEAD

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:  # noqa: ARG002
        """Return nothing: the fit has no settings; see `TaskAdvice.values`."""
        return ()


ADVICE = GoodImagesAdvice()
