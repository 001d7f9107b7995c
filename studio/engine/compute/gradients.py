"""Lengths of gradients of a loss, measured beside the training without touching it.

The network runs as it does in a validation: dropout does nothing, so that no random state is
used up, and batch normalization uses its statistics and leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

_HALF = "float16"
_LIFT = 1024.0
"""Factor of a loss that is computed in float16, whose gradients would be cut off at 6e-8."""

Lengths = NDArray[np.float64]
Measure = Callable[[Any, Any], list[Any]]


class GradientProbe:
    """Measures the gradients of one batch, again and again.

    Args:
        model: Compiled, in training.
        images: What it takes, shape (n, ...).
        labels: As its loss takes them.
    """

    def __init__(self, model: keras.Model, images: NDArray[Any], labels: NDArray[Any]) -> None:
        self._model = model
        self._batch = images, labels
        self._measure: Measure | None = None

    def reuse(self, other: GradientProbe) -> None:
        """Measure the model of another probe, with what was compiled for it."""
        self._model, self._measure = other._model, other._measure

    def lengths(self) -> Lengths:
        """Euclidean norm of the gradient of each trainable variable, in their order.

        NaN for all where TensorFlow trains on several devices at once (its gradients exist only
        inside of what it runs on each), and for variables that the loss does not depend on.
        """
        count = len(self._model.trainable_variables)
        if not count or replicas_of(self._model) > 1:
            return np.full(count, np.nan)
        if self._measure is None:
            self._measure = _MEASURES[keras.backend.backend()](self._model)
        found = self._measure(*self._batch)
        return np.array([np.nan if each is None else float(each) for each in found]) / _lift(
            self._model
        )


def replicas_of(model: keras.Model) -> int:
    """Devices among which TensorFlow divides every batch of a model."""
    strategy = getattr(model, "distribute_strategy", None)
    return int(getattr(strategy, "num_replicas_in_sync", 1))


def _lift(model: keras.Model) -> float:
    half = any(layer.compute_dtype == _HALF for layer in model._flatten_layers())  # noqa: SLF001 - Keras has no other way to all layers
    return _LIFT if half else 1.0


def _tensorflow(model: keras.Model) -> Measure:
    import tensorflow as tf  # noqa: PLC0415 - only where it is the backend

    lift = _lift(model)

    def lengths(images: Any, labels: Any) -> Any:  # noqa: ANN401 - tensors
        with tf.GradientTape() as tape:
            outputs = model(images, training=False)
            loss = model.compute_loss(images, labels, outputs, training=False) * lift
        gradients = tape.gradient(loss, model.trainable_variables)
        nothing = tf.constant(float("nan"))
        return tf.stack(
            [
                nothing if each is None else tf.norm(tf.convert_to_tensor(each))
                for each in gradients
            ]
        )

    # One trace for the whole run; without it every look takes about twice as long.
    compiled = tf.function(lengths, autograph=False)

    def measure(images: Any, labels: Any) -> list[Any]:  # noqa: ANN401
        return list(compiled(images, labels).numpy())

    return measure


def _jax(model: keras.Model) -> Measure:
    import jax  # noqa: PLC0415 - only where it is the backend

    lift = _lift(model)

    def loss(learned: Any, fixed: Any, images: Any, labels: Any) -> Any:  # noqa: ANN401
        found, _ = model.compute_loss_and_updates(
            learned, fixed, [each.value for each in model.metrics_variables], images, labels, None
        )
        return found * lift

    def lengths(learned: Any, fixed: Any, images: Any, labels: Any) -> list[Any]:  # noqa: ANN401
        gradients = jax.grad(loss)(learned, fixed, images, labels)
        return [jax.numpy.linalg.norm(each.ravel()) for each in gradients]

    compiled = jax.jit(lengths)

    def measure(images: Any, labels: Any) -> list[Any]:  # noqa: ANN401
        learned = [each.value for each in model.trainable_variables]
        fixed = [each.value for each in model.non_trainable_variables]
        found: list[Any] = compiled(learned, fixed, images, labels)
        return found

    return measure


def _torch(model: keras.Model) -> Measure:
    import torch  # noqa: PLC0415 - only where it is the backend

    lift = _lift(model)

    def measure(images: Any, labels: Any) -> list[Any]:  # noqa: ANN401
        taken, wanted = (keras.ops.convert_to_tensor(each) for each in (images, labels))
        with torch.enable_grad():
            outputs = model(taken, training=False)
            loss = model.compute_loss(taken, wanted, outputs, training=False) * lift
        values = [each.value for each in model.trainable_variables]
        # Unlike `backward`, this adds nothing to the gradients that the parameters hold.
        gradients = torch.autograd.grad(loss, values, allow_unused=True)
        return [None if each is None else each.norm() for each in gradients]

    return measure


_MEASURES = {"tensorflow": _tensorflow, "jax": _jax, "torch": _torch}
