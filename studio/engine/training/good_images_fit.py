"""Training of networks that describe good images, which their output names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from studio.engine.errors import Problem
from studio.engine.messages import Message, message
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import FeatureFit

_MEASURED_PIXELS: Final = 224 * 224
_USUAL_WORK: Final = 4e9
_WORK: Final = {"small_padim": 0.4e9, "patchcore": 7e9, "padim_or_patchcore": 8e9}
"""Measured seconds of an image, times the multiply-adds per second of that machine. The methods
cost more than the network: several of them are fitted, and score copies with drawn defects."""


class GoodImagesFit(FeatureFit):
    """Fitting of a network to the features of good images, in one pass over them."""

    fitting = "studio.engine.compute.tasks.good_images:fit_good_images"
    stores_features = False
    resumes = True

    def head_of(self, spec: NetworkSpec) -> NetworkSpec:
        """Return the network as it is: its branches are its head; see `Trainer.head_of`."""
        return spec

    def image_work(self, plan: TrainingPlan, forward: float, pixels: int) -> float:  # noqa: ARG002
        """Return what comparing all methods costs for each image; see `Trainer.image_work`."""
        return _WORK.get(plan.network, _USUAL_WORK) * pixels / _MEASURED_PIXELS

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
