"""Interface of recommendations for the datasets of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.networks.enlarging import enlarging_network
from studio.engine.networks.zoo import ZOO
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.recipes import Recipe

Values = tuple[tuple[str, object], ...]
"""Fields of a training plan with their values."""


class TaskAdvice(ABC):
    """Recommended networks and settings.

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

    def reason(self, dataset: DatasetSummary) -> str:  # noqa: ARG002
        """Return what the annotations mean for `networks`, in sentences; empty by default.

        Args:
            dataset: Figures of the annotations.
        """
        return ""

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


def takes(network: str, dataset: DatasetSummary) -> bool:
    """Return True if a network takes the images of a dataset, enlarged if need be.

    Args:
        network: Name of the network.
        dataset: Size of the images and classes.
    """
    shape = (dataset.height, dataset.width, dataset.channels)
    classes = len(dataset.classes)
    try:
        if enlarging_network(network, shape, classes) is None:
            ZOO[network].build(shape, classes)
    except StudioError:
        return False
    return True
