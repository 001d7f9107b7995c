"""Mixed precision: layers compute in 16 bits, weights stay in 32.

Only the network in training is made so. Its weights are put into one of 32 bits when they are
kept (`ModelKeeper`): of the others, several exports fail.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import keras

from studio.engine.training.parts import FULL, Precision


@contextlib.contextmanager
def computing_in(precision: Precision) -> Iterator[None]:
    """Layers that are made within it compute that way."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(precision)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def scaled_for(precision: Precision, optimizer: keras.Optimizer) -> keras.Optimizer:
    """An optimizer that also sees gradients too small for 16 bits, where such may be.

    Numbers of bfloat16 reach as far as those of 32 bits: they need nothing.
    """
    if precision != "mixed_float16":
        return optimizer
    return keras.optimizers.LossScaleOptimizer(optimizer)


def in_full_precision(model: keras.Model) -> keras.Model:
    """The same model with every layer in float32; the model itself where it is so already.

    Of layers that compute in 16 bits, several formats cannot be written, or not be run.
    """
    if all(layer.compute_dtype == FULL for layer in model.layers):
        return model
    again = model.__class__.from_config(_in_full(model.get_config()))
    again.set_weights(model.get_weights())
    return again


def _in_full(config: Any) -> Any:  # noqa: ANN401 - plain JSON
    """A configuration with the policy float32 wherever one of layers stands, at any depth."""
    if isinstance(config, dict):
        policy = isinstance(config.get("dtype"), dict)
        changed = {key: _in_full(value) for key, value in config.items()}
        if policy or config.get("dtype") in ("mixed_float16", "mixed_bfloat16"):
            changed["dtype"] = FULL
        return changed
    return [_in_full(each) for each in config] if isinstance(config, list) else config
