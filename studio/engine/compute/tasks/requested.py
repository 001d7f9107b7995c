"""The loss and the metrics that a plan requests: those of the task, and those of packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.learning import Learning
from studio.engine.errors import StudioError
from studio.engine.plug_ins import failure_of, load
from studio.engine.tasks.losses_and_metrics import LOSSES, METRICS, OF_TASK, MetricSet
from studio.engine.training.plan import TrainingPlan


@dataclass(frozen=True, slots=True)
class LearningRequest:
    """A training whose loss or metrics are built.

    Attributes:
        plan: The training plan.
        learning: Training of the task on the dataset.
        mixed: True if targets are those of mixed images: of classes, float32 shares of shape
            (n, classes) instead of numbers of shape (n,).
    """

    plan: TrainingPlan
    learning: Learning
    mixed: bool

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, labels or quantities that the network learns."""
        return self.learning.classes

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each class in the loss, as the plan balances them; None for 1."""
        return self.learning.weights(self.plan)


def loss_of_task(request: LearningRequest) -> keras.losses.Loss:
    """Return the loss that the task has by itself."""
    return request.learning.loss(request.plan, mixed=request.mixed)


def metrics_of_task(request: LearningRequest) -> list[keras.metrics.Metric]:
    """Return the metrics that the task has by itself."""
    return request.learning.metrics(mixed=request.mixed)


def requested_loss(request: LearningRequest) -> keras.losses.Loss:
    """Return the loss that a plan requests.

    Raises:
        StudioError: There is no such loss, or its package failed.
    """
    chosen = LOSSES[request.plan.loss]
    loss = _built(chosen.kind, chosen.name, chosen.build, request)
    if not isinstance(loss, keras.losses.Loss):
        raise _other(chosen.kind, chosen.name, chosen.build, loss)
    return loss


def requested_metrics(request: LearningRequest) -> list[keras.metrics.Metric]:
    """Return the metrics of the task, and those that a plan adds.

    Raises:
        StudioError: There is no such set of metrics, or its package failed.
    """
    sets = [METRICS[name] for name in dict.fromkeys((OF_TASK, request.plan.metrics))]
    return [metric for each in sets for metric in _metrics_of(each, request)]


def _metrics_of(chosen: MetricSet, request: LearningRequest) -> list[keras.metrics.Metric]:
    found: Any = _built(chosen.kind, chosen.name, chosen.build, request)
    names = [getattr(each, "name", "") for each in found] if isinstance(found, list) else None
    if names is None or (chosen.specs and names != [each.name for each in chosen.specs]):
        raise _other(chosen.kind, chosen.name, chosen.build, found)
    metrics: list[keras.metrics.Metric] = found
    return metrics


def _built(kind: str, name: str, build: str, request: LearningRequest) -> Any:  # noqa: ANN401 - checked by the caller
    try:
        return load(build)(request)
    except StudioError:
        raise
    except Exception as error:
        if name == OF_TASK:
            raise
        raise failure_of(kind, name, build, error) from error


def _other(kind: str, name: str, build: str, received: object) -> StudioError:
    return StudioError(
        "The {kind} “{name}” failed in {entry_point}: it returned {received}.",
        "Install its package again, or choose another one.",
        kind=kind,
        name=name,
        entry_point=build,
        received=repr(received)[:200],
    )
