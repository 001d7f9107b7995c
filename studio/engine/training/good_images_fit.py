"""Training of networks that describe good images, which their output names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from studio.engine.errors import Problem
from studio.engine.messages import Message, message
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import FeatureFit


class GoodImagesFit(FeatureFit):
    """Fitting of a network to the features of good images, in one pass over them."""

    fitting = "studio.engine.compute.tasks.good_images:fit_good_images"
    stores_features = False
    resumes = True

    def head_of(self, spec: NetworkSpec) -> NetworkSpec:
        """Return the network as it is: its branches are its head; see `Trainer.head_of`."""
        return spec

    def in_less_memory(self, plan: TrainingPlan) -> Mapping[str, int]:
        """Return half the batch size: the features of a batch are in memory at once."""
        return {} if plan.batch_size == 1 else {"batch_size": plan.batch_size // 2}

    def problems(self, plan: TrainingPlan) -> Iterator[Problem]:  # noqa: ARG002
        """Yield nothing: features may be augmented, and need not be frozen."""
        return iter(())

    def note(self, plan: TrainingPlan) -> Message | None:  # noqa: ARG002
        """Return that there are no steps to time; see `Trainer.note`."""
        return message(
            "The network is fitted to the good images in one pass, so epochs and learning rate "
            "have no effect and there are no steps to time."
        )


GOOD_IMAGES: Final = GoodImagesFit()
