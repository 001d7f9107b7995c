"""The running mean of weights, put in the place of the weights for a while."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import keras
import numpy as np
from numpy.typing import NDArray


@contextlib.contextmanager
def averaged(model: keras.Model) -> Iterator[None]:
    """Within it a model has its averaged weights; afterwards those in training, bit for bit.

    Nothing happens where its optimizer keeps no average. (Keras' own callback swaps by adding and
    subtracting, which rounds.) Statistics of batch normalization are those of the training.
    """
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    if not getattr(optimizer, "use_ema", False):
        yield
        return
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
    variables = optimizer._trainable_variables  # noqa: SLF001 - as Keras' own callback does
    averages = optimizer._model_variables_moving_average  # noqa: SLF001 - there is no other way
    means = [_value(average) for average in averages]
    weights = [_value(variable) for variable in variables]
    for variable, mean in zip(variables, means, strict=True):
        variable.assign(mean)
    try:
        yield
    finally:
        for variable, value in zip(variables, weights, strict=True):
            variable.assign(value)


def _value(variable: keras.Variable) -> NDArray[np.float32]:
    # A copy: some backends give a view of what is about to be overwritten.
    return np.asarray(variable).copy()
