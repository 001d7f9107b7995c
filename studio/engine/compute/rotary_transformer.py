"""Vision transformers with rotary positions, of plain Keras layers: DINOv3.

As in `vision_transformer`, nothing needs code of Studio or KerasHub: products of attention are
operations of Keras. This text is also written into generated code, behind that module.
"""

from __future__ import annotations

import math

import keras
from keras import layers

from studio.engine.compute.vision_transformer import (
    _fixed,
    _learned,
    _patches,
    _perceptron,
    _pyramid,
)

_BASE = 100.0
"""The longest period of rotations, as that of RoPE in DINOv3."""


def rotary_transformer(  # noqa: PLR0913 - the sizes of a published network
    images: keras.KerasTensor,
    *,
    patch: int,
    width: int,
    depth: int,
    heads: int,
    hidden: int,
    prefix: int,
    epsilon: float,
) -> keras.Model:
    """Return a vision transformer with rotary positions, whose first output is a map of features.

    Positions are computed, not learned, and so fit images of any size.

    Args:
        images: Scaled images, shape (batch, height, width, 3); they are resized to multiples of a
            patch if necessary.
        patch: Side of a patch in pixels.
        width: Number of features of each token.
        depth: Number of blocks.
        heads: Heads of each attention.
        hidden: Units in the middle of each block.
        prefix: Number of tokens before those of the patches, which are not rotated.
        epsilon: Of all normalizations.

    Returns:
        A model with the outputs of `vision_transformer`.
    """
    grid = _patches(images, patch, width)
    rows, columns = grid.shape[1:3]
    tokens = layers.Reshape((rows * columns, width), name="tokens")(grid)
    angles = _angles(tokens, (rows, columns), prefix, width // heads)
    first = _learned(tokens, prefix, width, "prefix")
    tokens = layers.Concatenate(axis=1, name="sequence")([first, tokens])
    for number in range(1, depth + 1):
        tokens = _rotary_block(tokens, angles, f"block{number}", heads, hidden, epsilon)
    tokens = layers.LayerNormalization(epsilon=epsilon, name="norm")(tokens)
    return _pyramid(images, tokens, (rows, columns), prefix, None)


def _angles(
    tokens: keras.KerasTensor, grid: tuple[int, int], prefix: int, features: int
) -> tuple[keras.KerasTensor, keras.KerasTensor]:
    """Return the cosines and sines of all tokens, shape (batch, tokens, 1, features / 2).

    The first half of them depends on the row of a patch, the second one on its column, from -1 to
    1. Tokens before those of the patches have an angle of 0.

    Args:
        tokens: Tokens of the patches.
        grid: Rows and columns of patches.
        prefix: Number of tokens before them.
        features: Features of a head.
    """
    rows, columns = grid
    quarter = features // 4
    rates = [2 * math.pi * _BASE ** (-4 * at / features) for at in range(quarter)]
    down, across = (
        [[(2 * (at + 0.5) / count - 1) * rate for rate in rates] for at in range(count)]
        for count in grid
    )
    zeros = _fixed(tokens, (rows, columns, 2, quarter), "angles")
    none = [0.0] * quarter
    found = []
    # Less 1, so that the cosine of an angle of 0 is 0 until the end.
    for name, function, usual in (("cosine", math.cos, 1.0), ("sine", math.sin, 0.0)):
        by_row = [[[[function(each) - usual for each in row], none]] for row in down]
        by_column = [[[none, [function(each) - usual for each in column]] for column in across]]
        values = layers.Rescaling(1.0, offset=by_row, name=f"{name}_rows")(zeros)
        values = layers.Rescaling(1.0, offset=by_column, name=f"{name}_columns")(values)
        values = layers.Reshape((rows * columns, 2 * quarter), name=f"{name}_patches")(values)
        values = layers.ZeroPadding1D((prefix, 0), name=f"{name}_tokens")(values)
        values = layers.Rescaling(1.0, offset=usual, name=f"{name}_values")(values)
        found.append(layers.Reshape((-1, 1, 2 * quarter), name=name)(values))
    return found[0], found[1]


def _rotary_block(
    tokens: keras.KerasTensor,
    angles: tuple[keras.KerasTensor, keras.KerasTensor],
    name: str,
    heads: int,
    hidden: int,
    epsilon: float,
) -> keras.KerasTensor:
    """Return tokens after attention to each other and two dense layers, both added to them."""
    count, width = tokens.shape[1:]
    normal = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm1")(tokens)
    rotated = _rotated(normal, angles, name, heads)
    queries = layers.Cropping2D(((0, heads), (0, 0)), name=f"{name}_queries")(rotated)
    keys = layers.Cropping2D(((heads, 0), (0, 0)), name=f"{name}_keys")(rotated)
    keys = layers.Permute((1, 3, 2), name=f"{name}_keys_turned")(keys)
    scores = keras.ops.matmul(queries, keys)
    scores = layers.Rescaling((width // heads) ** -0.5, name=f"{name}_scores")(scores)
    weights = layers.Softmax(name=f"{name}_softmax")(scores)
    values = layers.Dense(width, name=f"{name}_value")(normal)
    values = layers.Reshape((count, heads, width // heads), name=f"{name}_value_heads")(values)
    values = layers.Permute((2, 1, 3), name=f"{name}_values")(values)
    mixed = keras.ops.matmul(weights, values)
    mixed = layers.Permute((2, 1, 3), name=f"{name}_mixed_heads")(mixed)
    mixed = layers.Reshape((count, width), name=f"{name}_mixed")(mixed)
    mixed = layers.Dense(width, name=f"{name}_output")(mixed)
    tokens = layers.Add(name=f"{name}_add1")([tokens, mixed])
    normal = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm2")(tokens)
    changed = _perceptron(normal, name, hidden, "gelu")
    return layers.Add(name=f"{name}_add2")([tokens, changed])


def _rotated(
    normal: keras.KerasTensor,
    angles: tuple[keras.KerasTensor, keras.KerasTensor],
    name: str,
    heads: int,
) -> keras.KerasTensor:
    """Return rotated queries, and behind them keys, shape (batch, 2 heads, tokens, features).

    Each layer computes one half of the features of both, which are rotated in pairs.
    """
    count, width = normal.shape[1:]
    half = width // heads // 2
    first, second = (
        layers.Reshape((count, 2 * heads, half), name=f"{name}_{part}_heads")(
            layers.Dense(width, name=f"{name}_{part}")(normal)
        )
        for part in ("first", "second")
    )
    cosine, sine = angles
    turned = [
        layers.Multiply(name=f"{name}_{part}")(pair)
        for part, pair in (
            ("first_cosine", [first, cosine]),
            ("second_sine", [second, sine]),
            ("second_cosine", [second, cosine]),
            ("first_sine", [first, sine]),
        )
    ]
    halves = [
        layers.Subtract(name=f"{name}_first_half")(turned[:2]),
        layers.Add(name=f"{name}_second_half")(turned[2:]),
    ]
    joined = layers.Concatenate(name=f"{name}_rotated")(halves)
    return layers.Permute((2, 1, 3), name=f"{name}_rotated_heads")(joined)
