"""What a network costs to compute, from its shapes alone."""

from __future__ import annotations

import math

import keras

MOST_STEPS = 16
"""Steps of one call at most: a stop is heard many times a second."""

POINTS = 20
"""Calls per epoch at least, so that the curve of a small dataset has a shape, too."""

BUSY = 400_000_000
"""Multiply-adds that keep a machine busy for long beside the millisecond that a call costs."""


def multiply_adds(model: keras.Model) -> int:
    """Multiply-adds of one image through a network: its kernels, times the places they work at.

    The usual count of papers (such as Howard et al., MobileNets, 2017, section 3): one kernel of
    k x k x c x f at h x w places of the output is k*k*c*f*h*w. Additions of biases, activations,
    normalizations and pooling are left out, and a recurrent kernel counts once, not once per time
    step.
    """
    return sum(
        math.prod(weight.shape) * math.prod(side for side in layer.output.shape[1:-1] if side)
        for layer in model.layers
        for weight in layer.weights
        if weight.name.endswith("kernel")
    )


def steps_per_call(model: keras.Model, batch_size: int, steps_per_epoch: int) -> int:
    """How many training steps Keras is to do in one call (`steps_per_execution`).

    Between two calls come Python, the journal and the wait for the next batch; for the smallest
    networks that is half of the time (measured on two CPU cores with LeNet and batches of 64:
    1.17 times the images per second with 16 steps per call). Larger networks get 1, and with it
    the loss of every single step.
    """
    wished = BUSY // max(1, multiply_adds(model) * batch_size)
    return max(1, min(wished, MOST_STEPS, steps_per_epoch // POINTS))
