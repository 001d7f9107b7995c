"""Transformers whose attention stays in windows, of plain Keras layers: Swin.

As in `vision_transformer`, nothing needs code of Studio or KerasHub: products of attention are
operations of Keras. This text is also written into generated code, behind that module.
"""

from __future__ import annotations

import keras
from keras import layers

from studio.engine.compute.vision_transformer import PATCHES_LAYER, _fixed, _perceptron

_APART = -100.0
"""Added to the scores of tokens that lie beside each other only because of a shift."""


def window_transformer(  # noqa: PLR0913 - the sizes of a published network
    images: keras.KerasTensor,
    *,
    patch: int,
    width: int,
    depths: tuple[int, ...],
    heads: tuple[int, ...],
    expansion: int,
    window: int,
    epsilon: float,
) -> keras.Model:
    """Return a transformer with shifted windows, whose output is its coarsest map.

    Positions are relative inside a window, and so fit images of any size.

    Args:
        images: Scaled images, shape (batch, height, width, 3); filled up to whole patches.
        patch: Side of a patch in pixels.
        width: Number of features of each token in the first stage; doubled by each further one.
        depths: Number of blocks of each stage.
        heads: Heads of each attention of each stage.
        expansion: Units in the middle of a block, as a multiple of its features.
        window: Side of a window in tokens.
        epsilon: Of all normalizations.

    Returns:
        A model with the map of the last stage, shape (batch, rows, columns, features).
    """
    filled = _filled(images, patch, "images_padded")
    tokens = layers.Conv2D(width, patch, strides=patch, name=PATCHES_LAYER)(filled)
    tokens = layers.LayerNormalization(epsilon=epsilon, name="patches_norm")(tokens)
    distances = _distances(tokens, window)
    for stage, (depth, count) in enumerate(zip(depths, heads, strict=True), 1):
        # In a map that is no larger than a window, all tokens see each other without a shift.
        shift = window // 2 if min(tokens.shape[1:3]) > window else 0
        apart = None
        if shift and depth > 1:
            apart = _apart(tokens, window, shift, f"stage{stage}_apart")
        for number in range(1, depth + 1):
            name = f"stage{stage}_block{number}"
            normal = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm1")(tokens)
            if number % 2 == 0 and shift:
                normal = _rolled(normal, -shift, f"{name}_there")
                mixed = _window_attention(normal, window, (distances, apart), name, count)
                mixed = _rolled(mixed, shift, f"{name}_back")
            else:
                mixed = _window_attention(normal, window, (distances, None), name, count)
            mixed = _cropped(mixed, tokens.shape[1:3], f"{name}_cropped")
            tokens = layers.Add(name=f"{name}_add1")([tokens, mixed])
            normal = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm2")(tokens)
            changed = _perceptron(normal, name, expansion * tokens.shape[-1], "gelu")
            tokens = layers.Add(name=f"{name}_add2")([tokens, changed])
        if stage < len(depths):
            tokens = _merged(tokens, f"stage{stage}_merge", epsilon)
    tokens = layers.LayerNormalization(epsilon=epsilon, name="norm")(tokens)
    return keras.Model(keras.utils.get_source_inputs(images), tokens)


def _filled(tokens: keras.KerasTensor, step: int, name: str) -> keras.KerasTensor:
    """Return a map with zeros below and beside it, so that its sides are multiples of a step."""
    below, beside = (-side % step for side in tokens.shape[1:3])
    if not below and not beside:
        return tokens
    return layers.ZeroPadding2D(((0, below), (0, beside)), name=name)(tokens)


def _window_attention(
    tokens: keras.KerasTensor,
    window: int,
    relations: tuple[keras.KerasTensor, keras.KerasTensor | None],
    name: str,
    heads: int,
) -> keras.KerasTensor:
    """Return a map, filled up to whole windows, whose tokens attended to those of their windows.

    Args:
        tokens: A map, shape (batch, rows, columns, features).
        window: Side of a window in tokens.
        relations: What `_distances` returns; and `_apart`, None without a shift.
        name: Prefix of the names of the layers.
        heads: Heads of the attention.
    """
    tokens = _filled(tokens, window, f"{name}_padded")
    width = tokens.shape[-1]
    down, across = (side // window for side in tokens.shape[1:3])
    split = layers.Reshape((down, window, across, window, width), name=f"{name}_rows")(tokens)
    split = layers.Permute((1, 3, 2, 4, 5), name=f"{name}_split")(split)
    count, size = down * across, window**2
    windows = layers.Reshape((count, size, width), name=f"{name}_windows")(split)

    def of_heads(part: str, order: tuple[int, ...]) -> keras.KerasTensor:
        dense = layers.Dense(width, name=f"{name}_{part}")(windows)
        shape = (count, size, heads, width // heads)
        dense = layers.Reshape(shape, name=f"{name}_{part}_heads")(dense)
        return layers.Permute(order, name=f"{name}_{part}_turned")(dense)

    queries, keys = of_heads("query", (1, 3, 2, 4)), of_heads("key", (1, 3, 4, 2))
    scores = keras.ops.matmul(queries, keys)
    scores = layers.Rescaling((width // heads) ** -0.5, name=f"{name}_scores")(scores)
    distances, apart = relations
    bias = layers.Embedding(
        (2 * window - 1) ** 2,
        heads,
        embeddings_initializer=keras.initializers.TruncatedNormal(stddev=0.02),
        name=f"{name}_bias",
    )(distances)
    bias = layers.Permute((2, 1), name=f"{name}_bias_turned")(bias)
    bias = layers.Reshape((1, heads, size, size), name=f"{name}_bias_heads")(bias)
    scores = layers.Add(name=f"{name}_biased")([scores, bias])
    if apart is not None:
        scores = layers.Add(name=f"{name}_masked")([scores, apart])
    weights = layers.Softmax(name=f"{name}_softmax")(scores)
    mixed = keras.ops.matmul(weights, of_heads("value", (1, 3, 2, 4)))
    mixed = layers.Permute((1, 3, 2, 4), name=f"{name}_mixed_heads")(mixed)
    mixed = layers.Reshape((count, size, width), name=f"{name}_mixed")(mixed)
    mixed = layers.Dense(width, name=f"{name}_output")(mixed)
    split = layers.Reshape((down, across, window, window, width), name=f"{name}_join")(mixed)
    split = layers.Permute((1, 3, 2, 4, 5), name=f"{name}_joined")(split)
    shape = (down * window, across * window, width)
    return layers.Reshape(shape, name=f"{name}_attention")(split)


def _distances(tokens: keras.KerasTensor, window: int) -> keras.KerasTensor:
    """Return the number of the distance of each pair of a window, shape (batch, pairs)."""
    sides = [(row, column) for row in range(window) for column in range(window)]
    numbers = [
        float((row - other_row + window - 1) * (2 * window - 1) + column - other + window - 1)
        for row, column in sides
        for other_row, other in sides
    ]
    zeros = _fixed(tokens, (window**4,), "distances")
    return layers.Rescaling(1.0, offset=numbers, name="distances")(zeros)


def _apart(tokens: keras.KerasTensor, window: int, shift: int, name: str) -> keras.KerasTensor:
    """Return what is added to scores of shifted windows, shape (batch, windows, 1, size, size).

    Tokens from opposite sides of the map must not attend to each other.

    Args:
        tokens: The map.
        window: Side of a window in tokens.
        shift: Tokens that the map is shifted by.
        name: Prefix of the names of the layers.
    """
    rows, columns = tokens.shape[1:3]
    down, across = (
        [0] * (side - window) + [1] * (window - shift) + [2] * shift for side in (rows, columns)
    )

    def part(row: int, column: int) -> float:
        # The part of the map that a token comes from; what fills it up is in the first.
        return float(3 * down[row] + across[column]) if row < rows and column < columns else 0.0

    parts = [
        [[part(top + row, left + column)] for row in range(window) for column in range(window)]
        for top in range(0, rows, window)
        for left in range(0, columns, window)
    ]
    count, size = len(parts), window**2
    zeros = _fixed(tokens, (count, size, 1), name)
    found = layers.Rescaling(1.0, offset=parts, name=f"{name}_parts")(zeros)
    others = layers.Permute((1, 3, 2), name=f"{name}_others")(found)
    found = layers.Subtract(name=f"{name}_differences")([found, others])
    found = layers.Multiply(name=f"{name}_squares")([found, found])
    found = layers.ReLU(max_value=1.0, name=f"{name}_different")(found)
    found = layers.Rescaling(_APART, name=f"{name}_scores")(found)
    return layers.Reshape((count, 1, size, size), name=name)(found)


def _rolled(tokens: keras.KerasTensor, shift: int, name: str) -> keras.KerasTensor:
    """Return a map whose rows and columns are shifted in a circle.

    Args:
        tokens: The map.
        shift: Tokens down and to the right; less than 0 for up and to the left.
        name: Prefix of the names of the layers.
    """
    for axis, direction in ((1, "rows"), (2, "columns")):
        side = tokens.shape[axis]
        begin = -shift % side
        ends = [((begin, 0), (0, 0)), ((0, side - begin), (0, 0))]
        if axis == 2:
            ends = [(rows[1], rows[0]) for rows in ends]
        parts = [
            layers.Cropping2D(end, name=f"{name}_{direction}_{number}")(tokens)
            for number, end in enumerate(ends, 1)
        ]
        tokens = layers.Concatenate(axis=axis, name=f"{name}_{direction}")(parts)
    return tokens


def _cropped(tokens: keras.KerasTensor, sides: tuple[int, int], name: str) -> keras.KerasTensor:
    """Return a map without what filled it up."""
    below, beside = (side - wanted for side, wanted in zip(tokens.shape[1:3], sides, strict=True))
    if not below and not beside:
        return tokens
    return layers.Cropping2D(((0, below), (0, beside)), name=name)(tokens)


def _merged(tokens: keras.KerasTensor, name: str, epsilon: float) -> keras.KerasTensor:
    """Return a map of half the size, each of whose tokens is made of four."""
    tokens = _filled(tokens, 2, f"{name}_padded")
    width = tokens.shape[-1]
    rows, columns = (side // 2 for side in tokens.shape[1:3])
    split = layers.Reshape((rows, 2, columns, 2, width), name=f"{name}_split")(tokens)
    split = layers.Permute((1, 3, 4, 2, 5), name=f"{name}_turned")(split)
    joined = layers.Reshape((rows, columns, 4 * width), name=f"{name}_joined")(split)
    joined = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm")(joined)
    return layers.Dense(2 * width, use_bias=False, name=f"{name}_dense")(joined)
