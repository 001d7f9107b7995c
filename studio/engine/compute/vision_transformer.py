"""Vision transformers of plain Keras layers: DINOv2, SigLIP, CLIP and ViT.

Nothing else than layers of Keras, so that they are trained, stored and exported like any other
network, and without KerasHub. This text is also written into generated code, as that of
`rotary_transformer` and `window_transformer`.
"""

from __future__ import annotations

import math

import keras
from keras import layers

PATCHES_LAYER = "patches"
"""Name of the convolution that computes features of each patch."""
POSITIONS_LAYER = "positions"
"""Name of the layer that adds learned values for each position."""
IMAGE_LAYER = "image_features"
"""Name of the layer whose output are the features of the image."""
_TANH_SCALE = 2 * (2 / 3.141592653589793) ** 0.5
"""GELU by tanh is x * sigmoid(_TANH_SCALE * (x + 0.044715 x**3))."""


def vision_transformer(  # noqa: PLR0913 - the sizes of a published network
    images: keras.KerasTensor,
    *,
    patch: int,
    width: int,
    depth: int,
    heads: int,
    hidden: int,
    prefix: int,
    activation: str,
    epsilon: float,
    is_normalized_first: bool,
    is_pooled: bool,
) -> keras.Model:
    """Return a vision transformer whose first output is a map of features.

    Args:
        images: Scaled images, shape (batch, height, width, 3); they are resized to multiples of a
            patch if necessary.
        patch: Side of a patch in pixels.
        width: Number of features of each token.
        depth: Number of blocks.
        heads: Heads of each attention.
        hidden: Units in the middle of each block.
        prefix: Number of tokens before those of the patches: the class token and registers.
        activation: `gelu`, `gelu_tanh`, or `silu` for scaled weights of CLIP.
        epsilon: Of all normalizations.
        is_normalized_first: True if tokens are normalized before the first block.
        is_pooled: True if attention sums up the image, because there is no class token.

    Returns:
        A model with four outputs: the map, shape (batch, height / patch, width / patch, width);
        the same enlarged 2 and 4 times; and the features of the image, shape (batch, width).
    """
    grid = _patches(images, patch, width)
    rows, columns = grid.shape[1:3]
    grid = _constants((rows, columns, width), POSITIONS_LAYER)(grid)
    tokens = layers.Reshape((rows * columns, width), name="tokens")(grid)
    if prefix:
        first = _learned(tokens, prefix, width, "prefix")
        tokens = layers.Concatenate(axis=1, name="sequence")([first, tokens])
    if is_normalized_first:
        tokens = layers.LayerNormalization(epsilon=epsilon, name="norm_first")(tokens)
    for number in range(1, depth + 1):
        tokens = _block(tokens, f"block{number}", heads, hidden, activation, epsilon)
    tokens = layers.LayerNormalization(epsilon=epsilon, name="norm")(tokens)
    image = _pooled(tokens, heads, hidden, activation, epsilon) if is_pooled else None
    return _pyramid(images, tokens, (rows, columns), prefix, image)


def _patches(images: keras.KerasTensor, patch: int, width: int) -> keras.KerasTensor:
    """Return the features of each patch, shape (batch, rows, columns, width)."""
    rows, columns = (max(1, round(side / patch)) for side in images.shape[1:3])
    if (rows * patch, columns * patch) != tuple(images.shape[1:3]):
        images = layers.Resizing(rows * patch, columns * patch, name="resized")(images)
    return layers.Conv2D(width, patch, strides=patch, name=PATCHES_LAYER)(images)


def _pyramid(
    images: keras.KerasTensor,
    tokens: keras.KerasTensor,
    grid: tuple[int, int],
    prefix: int,
    image: keras.KerasTensor | None,
) -> keras.Model:
    """Return the model from images to maps and features of the image.

    Args:
        images: Input of the model.
        tokens: The last tokens, shape (batch, prefix + rows * columns, width).
        grid: Rows and columns of patches.
        prefix: Number of tokens before those of the patches.
        image: Features of the image; None for those of the first token.
    """
    rows, columns = grid
    if image is None:
        image = layers.Cropping1D((0, prefix + rows * columns - 1), name="first_token")(tokens)
    image = layers.Flatten(name=IMAGE_LAYER)(image)
    if prefix:
        tokens = layers.Cropping1D((prefix, 0), name="patch_tokens")(tokens)
    features = layers.Reshape((rows, columns, tokens.shape[-1]), name="map")(tokens)
    finer = [
        layers.UpSampling2D(factor, interpolation="bilinear", name=f"map_{factor}_times")(features)
        for factor in (2, 4)
    ]
    return keras.Model(keras.utils.get_source_inputs(images), [features, *finer, image])


def _constants(shape: tuple[int, int, int], name: str) -> keras.layers.EinsumDense:
    """Return a layer that adds learned values to a map, which no layer of Keras does alone.

    Its scale of each feature starts at 1.

    Args:
        shape: Rows, columns and features of the map.
        name: Name of the layer.
    """
    return layers.EinsumDense(
        "bhwc,c->bhwc",
        output_shape=shape,
        bias_axes="hwc",
        kernel_initializer="ones",
        name=name,
    )


def _fixed(tokens: keras.KerasTensor, shape: tuple[int, ...], name: str) -> keras.KerasTensor:
    """Return zeros of a shape for each image, to which layers add fixed values.

    Args:
        tokens: A tensor of at least three dimensions, of which the zeros take the batch alone.
        shape: Their shape, without the batch.
        name: Prefix of the names of the layers.
    """
    tokens = layers.Reshape((-1, tokens.shape[-1]), name=f"{name}_tokens")(tokens)
    mean = layers.GlobalAveragePooling1D(data_format="channels_first", name=f"{name}_mean")(tokens)
    first = layers.Reshape((-1, 1), name=f"{name}_means")(mean)
    first = layers.Cropping1D((0, first.shape[1] - 1), name=f"{name}_first")(first)
    zero = layers.Rescaling(0.0, name=f"{name}_zero")(layers.Flatten(name=f"{name}_one")(first))
    zeros = layers.RepeatVector(math.prod(shape), name=f"{name}_zeros")(zero)
    return layers.Reshape(shape, name=f"{name}_shape")(zeros)


def _learned(tokens: keras.KerasTensor, count: int, width: int, name: str) -> keras.KerasTensor:
    """Return learned tokens that do not depend on the image."""
    mean = layers.GlobalAveragePooling1D(name=f"{name}_mean")(tokens)
    zeros = layers.Rescaling(0.0, name=f"{name}_zeros")(mean)
    repeated = layers.RepeatVector(count, name=f"{name}_rows")(zeros)
    # As a map of one row: LiteRT converts the equation for three dimensions to a wrong one.
    row = layers.Reshape((1, count, width), name=f"{name}_row")(repeated)
    row = _constants((1, count, width), name)(row)
    return layers.Reshape((count, width), name=f"{name}_tokens")(row)


def _block(
    tokens: keras.KerasTensor,
    name: str,
    heads: int,
    hidden: int,
    activation: str,
    epsilon: float,
) -> keras.KerasTensor:
    """Return tokens after attention to each other and two dense layers, both added to them."""
    width = tokens.shape[-1]
    normal = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm1")(tokens)
    attention = layers.MultiHeadAttention(heads, width // heads, name=f"{name}_attention")
    tokens = layers.Add(name=f"{name}_add1")([tokens, attention(normal, normal)])
    normal = layers.LayerNormalization(epsilon=epsilon, name=f"{name}_norm2")(tokens)
    changed = _perceptron(normal, name, hidden, activation)
    return layers.Add(name=f"{name}_add2")([tokens, changed])


def _perceptron(
    tokens: keras.KerasTensor, name: str, hidden: int, activation: str
) -> keras.KerasTensor:
    usual = None if activation == "gelu_tanh" else activation
    inner = layers.Dense(hidden, activation=usual, name=f"{name}_dense1")(tokens)
    if activation == "gelu_tanh":
        square = layers.Multiply(name=f"{name}_square")([inner, inner])
        scaled = layers.Rescaling(
            0.044715 * _TANH_SCALE, offset=_TANH_SCALE, name=f"{name}_scaled"
        )(square)
        gate = layers.Multiply(name=f"{name}_gate")([inner, scaled])
        gate = layers.Activation("sigmoid", name=f"{name}_sigmoid")(gate)
        inner = layers.Multiply(name=f"{name}_gelu")([inner, gate])
    return layers.Dense(tokens.shape[-1], name=f"{name}_dense2")(inner)


def _pooled(
    tokens: keras.KerasTensor, heads: int, hidden: int, activation: str, epsilon: float
) -> keras.KerasTensor:
    """Return one token that attends to all others (SigLIP)."""
    width = tokens.shape[-1]
    probe = _learned(tokens, 1, width, "probe")
    attention = layers.MultiHeadAttention(heads, width // heads, name="pool_attention")
    token = attention(probe, tokens)
    normal = layers.LayerNormalization(epsilon=epsilon, name="pool_norm")(token)
    changed = _perceptron(normal, "pool", hidden, activation)
    return layers.Add(name="pool_add")([token, changed])
