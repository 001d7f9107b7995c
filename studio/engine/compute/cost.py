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

_ONE_PER_INPUT = ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
_STEP_BY_STEP = (keras.layers.RNN, keras.layers.Bidirectional, keras.layers.TimeDistributed)


def multiply_adds(model: keras.Model) -> int:
    """Multiply-adds of one image through a network."""
    return sum(layer_multiply_adds(layer) for layer in model.layers)


def layer_multiply_adds(layer: keras.Layer) -> int:
    """Multiply-adds of one image through a layer: its kernels, times the places they work at.

    The usual count of papers (such as Howard et al., MobileNets, 2017, section 3): one kernel of
    k x k x c x f at h x w places of the output is k*k*c*f*h*w. A transposed convolution works at
    the places of its input, a recurrent kernel at every time step. Additions of biases,
    activations, normalizations and pooling are left out.

    Args:
        layer: A layer that was called, on symbols at least.
    """
    kernels = sum(math.prod(w.shape) for w in layer.weights if w.name.endswith("kernel"))
    return int(kernels) * _places(layer) if kernels else 0


def _places(layer: keras.Layer) -> int:
    if isinstance(layer, _STEP_BY_STEP):
        received, given = layer.input.shape, layer.output.shape
        every_step = len(given) == len(received)
        places = math.prod(side for side in given[2 if every_step else 1 : -1] if side)
        return int((received[1] or 1) * places)
    seen = layer.input if type(layer).__name__ in _ONE_PER_INPUT else layer.output
    return int(math.prod(side for side in seen.shape[1:-1] if side))


def steps_per_call(model: keras.Model, batch_size: int, steps_per_epoch: int) -> int:
    """How many training steps Keras is to do in one call (`steps_per_execution`).

    Between two calls come Python, the journal and the wait for the next batch; for the smallest
    networks that is half of the time (measured on two CPU cores with LeNet and batches of 64:
    1.17 times the images per second with 16 steps per call). Larger networks get 1, and with it
    the loss of every single step.
    """
    wished = BUSY // max(1, multiply_adds(model) * batch_size)
    return max(1, min(wished, MOST_STEPS, steps_per_epoch // POINTS))
