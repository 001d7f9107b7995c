"""Mixed precision: layers compute in 16 bits, weights stay in 32.

Only the network in training is made so. Its weights are put into one of 32 bits when they are
kept (`ModelKeeper`): of the others, several exports fail.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import keras

from studio.engine.training.parts import Precision


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
