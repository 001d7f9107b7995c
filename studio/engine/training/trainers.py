"""Ways to train a network: step by step along the gradient, or by fitting a head on features.

A plan names the solver of its head; everything else asks its trainer.
"""

from __future__ import annotations

import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Final

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import Problem
from studio.engine.messages import Message, as_message, message
from studio.engine.networks.fitting import with_linear_head
from studio.engine.networks.heads import output_of
from studio.engine.networks.parts import ALL
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks.outputs import VECTOR, Output
from studio.engine.training.plan import GRADIENT, SOLVER_LABELS, TrainingPlan
from studio.engine.training.precision import FULL, Precision

MAX_ACCUMULATED: Final = 1024
"""Most batches of one update of the weights that a lack of memory leads to."""


class Trainer(ABC):
    """A way to train a network.

    Examples:
        >>> plan = TrainingPlan(dataset="flowers", epochs=10, batch_size=32)
        >>> trainer_of(plan).steps(plan, images=420)
        140

    Attributes:
        fitting: Module and name of the function of the worker that trains, see `compute.fit`.
        stores_features: True if the outputs of frozen layers are computed once for all epochs.
        resumes: True if a run that was interrupted has a checkpoint from which it resumes.
        stops_with_model: True if a stopped run has a model.
    """

    fitting: str
    stores_features: bool
    resumes: bool
    stops_with_model: bool = False

    @abstractmethod
    def passes(self, plan: TrainingPlan) -> int:
        """Return how many times each training image is used."""

    @abstractmethod
    def steps(self, plan: TrainingPlan, images: int) -> int:
        """Return the number of updates of the weights in a whole run.

        Args:
            plan: The training.
            images: Number of training images.
        """

    def image_work(self, plan: TrainingPlan, forward: float, pixels: int) -> float:  # noqa: ARG002
        """Return the multiply-adds that an image costs in a training without steps.

        Args:
            plan: The training.
            forward: Multiply-adds of its network for one image.
            pixels: Pixels of an image.
        """
        return forward

    @abstractmethod
    def precision(self, plan: TrainingPlan) -> Precision:
        """Return the precision in which the network computes."""

    def head_of(self, spec: NetworkSpec) -> NetworkSpec:
        """Return a network with a head that this trainer can train; as it is by default."""
        return spec

    @abstractmethod
    def in_less_memory(self, plan: TrainingPlan) -> Mapping[str, int]:
        """Return the changes of a plan that needs less memory; none if there are none."""

    @abstractmethod
    def problems(self, plan: TrainingPlan) -> Iterator[Problem]:
        """Yield what prevents this way of training."""

    @abstractmethod
    def note(self, plan: TrainingPlan) -> Message | None:
        """Return why nothing is measured before a run; None where steps are."""


class GradientDescent(Trainer):
    """Training of all layers, step by step."""

    fitting = "studio.engine.compute.fit:descend"
    stores_features = False
    resumes = True
    stops_with_model = True

    def passes(self, plan: TrainingPlan) -> int:
        """Return the number of epochs; see `Trainer.passes`."""
        return plan.epochs

    def steps(self, plan: TrainingPlan, images: int) -> int:
        """Return the number of batches; see `Trainer.steps`."""
        return plan.epochs * math.ceil(images / plan.batch_size)

    def precision(self, plan: TrainingPlan) -> Precision:
        """Return the precision of the plan; see `Trainer.precision`."""
        return plan.precision

    def in_less_memory(self, plan: TrainingPlan) -> Mapping[str, int]:
        """Return half the batch size and twice the batches of an update."""
        steps = plan.gradient_accumulation_steps * 2
        if plan.batch_size == 1 or steps > MAX_ACCUMULATED:
            return {}
        return {"batch_size": plan.batch_size // 2, "gradient_accumulation_steps": steps}

    def problems(self, plan: TrainingPlan) -> Iterator[Problem]:  # noqa: ARG002
        """Yield nothing: any network can be trained by its gradient."""
        return iter(())

    def note(self, plan: TrainingPlan) -> Message | None:  # noqa: ARG002
        """Return None: there are steps to measure."""
        return None


class FeatureFit(Trainer):
    """Fitting of a linear head on the features of a frozen network, without steps."""

    fitting = "studio.engine.compute.on_features:solve_head"
    stores_features = True
    resumes = False

    def passes(self, plan: TrainingPlan) -> int:  # noqa: ARG002 - epochs have no effect
        """Return 1: features are computed once; see `Trainer.passes`."""
        return 1

    def steps(self, plan: TrainingPlan, images: int) -> int:  # noqa: ARG002
        """Return 0: there are no steps; see `Trainer.steps`."""
        return 0

    def precision(self, plan: TrainingPlan) -> Precision:  # noqa: ARG002
        """Return full precision, which solvers need; see `Trainer.precision`."""
        return FULL

    def head_of(self, spec: NetworkSpec) -> NetworkSpec:
        """Return a network with a linear head; see `Trainer.head_of`."""
        return with_linear_head(spec)

    def in_less_memory(self, plan: TrainingPlan) -> Mapping[str, int]:  # noqa: ARG002
        """Return nothing: memory does not depend on batches."""
        return {}

    def problems(self, plan: TrainingPlan) -> Iterator[Problem]:
        """Yield the reasons why features would change; see `Trainer.problems`."""
        label = SOLVER_LABELS[plan.head_solver]
        if plan.freeze != ALL:
            yield Problem(
                "head_solver",
                message(
                    "{solver} trains only the head, but other layers are not frozen.",
                    solver=as_message(label),
                ),
                message('Freeze "{freeze}", or let the gradient train the head.', freeze=ALL),
            )
        new = AugmentationPlan()
        unseen = {
            "subtract_mean": "none",
            "whitening": False,
            "fill": new.fill,
            "run_on": new.run_on,
            "added_strength": new.added_strength,
        }
        if plan.augmentation.model_copy(update=unseen) != new:
            yield Problem(
                "head_solver",
                message(
                    "{solver} uses every image once, so augmentation is not possible.",
                    solver=as_message(label),
                ),
                "Switch augmentation off, or let the gradient train the head.",
            )

    def note(self, plan: TrainingPlan) -> Message | None:
        """Return that there are no steps to time; see `Trainer.note`."""
        return message(
            "{solver} fits the head directly, so epochs, batches and learning rate have no effect "
            "and there are no steps to time.",
            solver=SOLVER_LABELS[plan.head_solver],
        )


_DESCENT: Final = GradientDescent()
_FIT: Final = FeatureFit()


def trainer_of(plan: TrainingPlan) -> Trainer:
    """Return the trainer of a plan."""
    module, _, name = planned_output(plan).trainer.partition(":")
    if not name:
        return _DESCENT if plan.head_solver == GRADIENT else _FIT
    trainer: Trainer = getattr(importlib.import_module(module), name)
    return trainer


def planned_output(plan: TrainingPlan) -> Output:
    """Return the output of the network of a plan."""
    if plan.design is not None:
        return output_of(plan.design)
    return ZOO[plan.network].output if plan.network in ZOO else VECTOR
