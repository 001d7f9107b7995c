"""Interface of recommendations for the datasets of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.networks.enlarging import pretrained_network
from studio.engine.networks.fitting import fitted
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.task import Task
from studio.engine.training.advisor import TrainingAdvice, counted_images
from studio.engine.training.recipes import FINE_TUNE_TOP, LINEAR_HEAD, Recipe

Values = tuple[tuple[str, object], ...]
"""Fields of a training plan with their values."""


class TaskAdvice(ABC):
    """Recommended networks and settings, and the reasons for them.

    Attributes:
        is_needed: True if networks hardly learn with the usual settings.
    """

    is_needed: bool = True

    @abstractmethod
    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:
        """Return networks that learn from random weights and suit the images, the best first.

        Args:
            dataset: Size and number of the images.
            is_photo: True if the images are photos, not drawings or scans.
        """

    def output(self, task: Task, dataset: DatasetSummary) -> Output:  # noqa: ARG002
        """Return the output of the recommended networks: that of the first family by default.

        Args:
            task: The task.
            dataset: Figures of the annotations.
        """
        return task.output

    def reason(self, dataset: DatasetSummary) -> str:  # noqa: ARG002
        """Return what the annotations mean for `networks`, in sentences; empty by default.

        Args:
            dataset: Figures of the annotations.
        """
        return ""

    def takes_preset(self, *, is_photo: bool) -> bool:
        """Return True if training from random weights needs more than the usual settings.

        Args:
            is_photo: True if the images are photos, not drawings or scans.
        """
        return is_photo or self.is_needed

    def summary(self, recipe: Recipe, network: str, dataset: DatasetSummary) -> str:
        """Return what a recipe does with pretrained weights, in a sentence.

        Args:
            recipe: The recipe.
            network: Label of the network.
            dataset: Number of the images.
        """
        images, label = counted_images(dataset), as_message(network)
        if recipe is LINEAR_HEAD:
            return message(
                "{images}: {network} with pretrained weights stays frozen, and only "
                "the head is trained.",
                images=images,
                network=label,
            )
        if recipe is FINE_TUNE_TOP:
            return message(
                "{images}: {network} with pretrained weights; the upper layers and the head are "
                "trained.",
                images=images,
                network=label,
            )
        return message(
            "{images}: {network} with pretrained weights and a low learning rate for all layers.",
            images=images,
            network=label,
        )

    def reasons(self, advice: TrainingAdvice) -> Sequence[str]:
        """Return the reasons for `recipe`, if it is the one for the number of images.

        Args:
            advice: Recommendation by the number of images.
        """
        return advice.reasons[:1] if self.recipe(advice) is advice.recipe else ()

    @abstractmethod
    def recipe(self, advice: TrainingAdvice) -> Recipe:
        """Return the recommended use of pretrained weights.

        Args:
            advice: Recommendation by the number of images.
        """

    @abstractmethod
    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:
        """Return further fields of the training plan.

        Args:
            dataset: Number of the images.
            is_pretrained: True if the training starts from weights that have seen images.
        """


def takes(network: str, dataset: DatasetSummary, design: NetworkSpec | None = None) -> bool:
    """Return True if a network takes the images of a dataset, enlarged for pretrained weights.

    Args:
        network: Name of the network.
        dataset: Size of the images and classes.
        design: The network if it is not in the zoo.
    """
    try:
        if design is not None:
            fitted(design, dataset.shape, len(dataset.classes))
            return True
        pretrained_network(network, dataset.shape, len(dataset.classes))
    except StudioError:
        return False
    return True
