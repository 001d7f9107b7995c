"""Interface of a task for training."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.linear_heads import (
    FittedHead,
    HeadFeatures,
    fit_target_head,
)
from studio.engine.datasets.images import RawRows
from studio.engine.datasets.store import Store
from studio.engine.training.dataset_statistics import balanced_weights
from studio.engine.training.insights import (
    MASKS,
    PictureRegions,
    TargetAnswers,
    ValidationAnswers,
    no_answers,
)
from studio.engine.training.plan import TrainingPlan


class TrainingSteps:
    """Tells metrics if they measure a training step, where a sample of the images may suffice.

    Keras does not tell which. It traces the functions of training and validation separately,
    so a metric can decide while its update is traced.

    Attributes:
        are_running: True within `running`. It is one for all threads, since TensorFlow traces the
            step of each further device in a separate thread.
    """

    def __init__(self) -> None:
        self.are_running = False

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Within it, updates of metrics belong to training steps."""
        before, self.are_running = self.are_running, True
        try:
            yield
        finally:
            self.are_running = before


TRAINING_STEPS = TrainingSteps()


@dataclass(frozen=True, slots=True)
class ValidatedImages:
    """The validation images of a run after a validation, see `Learning.validated`.

    Attributes:
        rows: Their rows in the dataset, n.
        sample: Indices of the images to store large answers of; of all, if they are few.
        shown: Indices of the pictures that are shown at each validation.
        are_known: True if the answers for all images were collected during the validation.
        answers: Returns the answers for some of them by their indices, see `Learning.answer`.
        scores: Returns the outputs of the network for some of them by their indices.
    """

    rows: NDArray[np.int64]
    sample: NDArray[np.int64]
    shown: NDArray[np.int64]
    are_known: bool
    answers: Callable[[NDArray[np.int64]], NDArray[np.float32]]
    scores: Callable[[NDArray[np.int64]], NDArray[np.float32]]


class Learning(ABC):
    """Training of a network on the task of one dataset.

    Args:
        store: The dataset.

    Attributes:
        max_pictures: Number of pictures that are shown at each validation, at most.
    """

    max_pictures = MASKS

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, labels or quantities of the dataset."""
        return tuple(self._store.classes)

    @property
    @abstractmethod
    def targets(self) -> NDArray[Any] | RawRows[Any]:
        """The training target of each row of the dataset, shape (N, …).

        Indexing with rows gives a new array. Masks stay in their file until then.
        """

    @abstractmethod
    def mixable(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return targets in a form in which those of two images can be averaged.

        Args:
            targets: Targets of a batch, shape (n, …).

        Returns:
            float32, shape (n, outputs).
        """

    def prepared(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return what the loss takes, after augmentation: the targets as they are by default.

        Called from several threads.

        Args:
            targets: Targets of a batch, shape (n, …).
        """
        return targets

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """Shape of the stored output for one image, see `answer`."""
        return (len(self._store.classes),)

    def answer(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401, ARG002 - tensors of any backend
        """Return the data stored for images at every validation: the outputs.

        Args:
            y_true: Targets of a batch, n rows.
            y_pred: Outputs of the network, n rows.

        Returns:
            Shape (n, W), the values of `answer_shape` in a row.
        """
        return y_pred

    def evidence(self, answers: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[Any]:  # noqa: ARG002
        """Return the measurements of stored outputs, see `Reporter.evidence`.

        Args:
            answers: Answers for images, shape (n, W), see `answer`.
            rows: Rows of the images in the dataset, n.
        """
        return answers.reshape(len(answers), *self.answer_shape)

    def validated(self, images: ValidatedImages) -> ValidationAnswers:
        """Return what is stored of a validation: the evidence of a sample, and its regions.

        Args:
            images: The validation images.
        """
        rows, shown = images.rows[images.sample], images.shown
        truth = self._store.targets[rows].astype(np.float32)
        evidence = self.evidence(images.answers(images.sample), rows)
        found = TargetAnswers(rows, truth, evidence, len(images.rows))
        regions = self.pictures(images.rows[shown], partial(images.scores, shown))
        return ValidationAnswers(*no_answers(), found, *regions)

    def pictures(
        self,
        rows: NDArray[np.int64],  # noqa: ARG002 - of regions
        scores: Callable[[], NDArray[np.float32]],  # noqa: ARG002
    ) -> PictureRegions:
        """Return the regions that a network predicts for pictures; none by default.

        Args:
            rows: Rows of the pictures in the dataset, n.
            scores: Returns the outputs of the network for them, n rows.
        """
        return PictureRegions(None, None)

    def weights(self, plan: TrainingPlan) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return the weight of images of each class, or with each label, in the loss, shape (K,).

        None if all count the same.

        Args:
            plan: Says how classes are balanced.
        """
        return None

    @abstractmethod
    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:
        """Return the loss of a plan.

        Args:
            plan: The training plan.
            mixed: True if targets come as `mixable` returns them.
        """

    def fit_head(
        self,
        plan: TrainingPlan,  # noqa: ARG002 - of linear heads
        features: HeadFeatures,  # noqa: ARG002
    ) -> FittedHead:
        """Fit a linear head to features by the solver of a plan, and put it into the network.

        Args:
            plan: The training plan.
            features: Features of the images.

        Raises:
            TypeError: The task has no linear head, see `Task.linear_solver`.
            BadDataError: The features or the images do not suffice.
        """
        raise TypeError(f"{type(self).__name__} fits no linear head")

    @staticmethod
    def plain_loss(height: int, width: int, classes: int) -> keras.losses.Loss:  # noqa: ARG004
        """Return the loss without any option, for measurements without a dataset.

        Args:
            height: Height of the images in pixels.
            width: Width of the images in pixels.
            classes: Number of classes.
        """
        return keras.losses.SparseCategoricalCrossentropy()

    @abstractmethod
    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:
        """Return the Keras metrics, named as the task's `MetricSpec`."""


class LearnsObjects(Learning):
    """Base of tasks whose networks learn the objects of images."""

    @property
    def targets(self) -> NDArray[Any] | RawRows[Any]:
        """The regions of each row, shape (N, …)."""
        return self._store.required_regions

    def mixable(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Refuse to average objects; see `Task.refused`."""
        raise TypeError(f"objects of shape {targets.shape} cannot be averaged")

    def weights(self, plan: TrainingPlan) -> NDArray[np.float64] | None:
        """Return the weights of classes, those with few objects higher; see `balanced_weights`."""
        if plan.class_balancing != "class_weights":
            return None
        rows = self._store.rows("train")
        return balanced_weights(self._store.targets[rows].sum(axis=0, dtype=np.float64))


class LearnsTargets(Learning):
    """Base of tasks whose networks learn the targets of the dataset as they are."""

    @cached_property
    def targets(self) -> NDArray[np.float32]:
        """The targets of each row, shape (N, outputs)."""
        return self._store.targets.astype(np.float32)

    def mixable(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return the targets as they are: those of mixed images are their means."""
        return targets

    def fit_head(self, plan: TrainingPlan, features: HeadFeatures) -> FittedHead:
        """Fit outputs for all targets; see `Learning.fit_head`."""
        return fit_target_head(plan, features, self)
