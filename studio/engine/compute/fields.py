"""Receptive fields: the part of the image that one value of a layer depends on.

The recurrence of Araujo, Norris and Sim, "Computing receptive fields of convolutional neural
networks", Distill 2019: with windows of k and steps of s, the size grows by (k - 1) times the
distance of two values, and the distance grows by s. Where branches meet, the larger one counts.
What normalization computes over an image is not counted, as nowhere in the literature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import keras

Pair = tuple[float, float]

_ONE: Pair = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Field:
    """How far something sees, down and across, counted in places of what comes in.

    Attributes:
        size: Places that one value depends on; None for all there are.
        jump: Places from one value to the next; None where there is no grid any more.
    """

    size: Pair | None = _ONE
    jump: Pair | None = _ONE

    def then(self, later: Field) -> Field:
        """This one, seen through a later one."""
        jump = None
        if self.jump is not None and later.jump is not None:
            jump = (self.jump[0] * later.jump[0], self.jump[1] * later.jump[1])
        if self.size is None or later.size is None:
            return Field(None, jump)
        if self.jump is None:
            return Field(None, None)
        down, across = (
            self.size[axis] + (later.size[axis] - 1) * self.jump[axis] for axis in (0, 1)
        )
        return Field((down, across), jump)


ALL = Field(None, None)


def joined(fields: Sequence[Field]) -> Field:
    """What comes out where branches meet."""
    if not fields:
        return Field()
    sizes = [field.size for field in fields if field.size is not None]
    jumps = [field.jump for field in fields if field.jump is not None]
    return Field(_largest(sizes) if len(sizes) == len(fields) else None, _largest(jumps))


def field_of(layer: keras.Layer) -> Field:
    """How far one layer sees, in places of what comes in.

    Args:
        layer: A layer that was called, on symbols at least.
    """
    received = layer.input[0] if isinstance(layer.input, list) else layer.input
    if len(received.shape) != 4 or len(layer.output.shape) != 4:
        return ALL
    config = layer.get_config()
    kind = type(layer).__name__
    if kind.startswith("Global") or "Attention" in kind or kind in ("Reshape", "Permute"):
        return ALL
    if kind == "Conv2DTranspose":
        return _transposed(config)
    if kind == "UpSampling2D":
        high, wide = _pair(config["size"])
        return Field(jump=(1 / high, 1 / wide))
    if kind == "Resizing":
        return _resized(tuple(received.shape), tuple(layer.output.shape))
    window = config.get("kernel_size", config.get("pool_size"))
    return Field() if window is None else _windowed(config, _pair(window))


def _windowed(config: dict[str, object], window: Pair) -> Field:
    spread = _pair(config.get("dilation_rate", 1))
    stride = _pair(config.get("strides") or window)
    down, across = ((side - 1) * far + 1 for side, far in zip(window, spread, strict=True))
    return Field((down, across), stride)


def _transposed(config: dict[str, object]) -> Field:
    """A value of the output sees the inputs whose windows reach it."""
    window, stride = _pair(config["kernel_size"]), _pair(config["strides"])
    down, across = (-(-side // step) for side, step in zip(window, stride, strict=True))
    return Field((down, across), (1 / stride[0], 1 / stride[1]))


def _resized(received: tuple[int, ...], given: tuple[int, ...]) -> Field:
    """Blends two neighbors, as bilinear resizing does."""
    return Field((2.0, 2.0), (received[1] / given[1], received[2] / given[2]))


def _pair(value: object) -> Pair:
    if isinstance(value, list | tuple):
        return (float(value[0]), float(value[-1]))
    if not isinstance(value, int | float):
        raise TypeError(f"a window is described by {value!r}")
    return (float(value), float(value))


def _largest(pairs: list[Pair]) -> Pair | None:
    if not pairs:
        return None
    return (max(down for down, _ in pairs), max(across for _, across in pairs))
