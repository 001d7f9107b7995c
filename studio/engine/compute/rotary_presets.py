"""Weights of DINOv3 from files of KerasHub, as those of the layers of `rotary_transformer`."""

from __future__ import annotations

import numpy as np

from studio.engine.compute.preset_reader import LayerValues, PresetReader, Values, added
from studio.engine.hdf5 import find_dataset
from studio.engine.networks.backbones import RotaryTransformer
from studio.engine.training.transformer_files import LAYOUTS, numbered

_LAYOUT = LAYOUTS["dinov3"]


def rotary_values(reader: PresetReader, sizes: RotaryTransformer) -> LayerValues:
    """Return the weights of each layer by its name.

    Args:
        reader: Reads below the layers of the file.
        sizes: Sizes of the transformer.

    Raises:
        KeyError: A weight is missing.
        ValueError: A weight has another shape than the sizes say.
    """
    embedding = reader.below(_LAYOUT.embedding)
    first = [embedding.value("")[0]]
    if sizes.prefix > 1:
        # Behind the class token perhaps that of masks, which only training needs.
        is_masked = find_dataset(reader.file, f"{embedding.root}vars/2") is not None
        first.append(embedding.value("", 2 if is_masked else 1)[0])
    found: LayerValues = {
        "patches": reader.pair(_LAYOUT.patches),
        "prefix": added(np.concatenate(first)[None]),
        "norm": reader.pair("layer_normalization"),
    }
    for number in range(sizes.depth):
        block = reader.below(numbered(_LAYOUT.block, number))
        found |= _block(block, f"block{number + 1}", sizes)
    return found


def _block(block: PresetReader, name: str, sizes: RotaryTransformer) -> LayerValues:
    query, key, value, output = (
        _dense(block, f"{_LAYOUT.attention}/{part}_dense", sizes.width)
        for part in ("query", "key", "value", "output")
    )
    halves = [
        (_half(each, sizes, 0), _half(each, sizes, 1)) for each in (*query, *key)
    ]  # kernels and offsets of queries, then of keys
    first, second = (
        [np.concatenate([halves[at][half], halves[at + 2][half]], axis=-1) for at in (0, 1)]
        for half in (0, 1)
    )
    scales = block.value("layer_scale1/"), block.value("layer_scale2/")
    return {
        f"{name}_norm1": block.pair(_LAYOUT.norms[0]),
        f"{name}_first": first,
        f"{name}_second": second,
        f"{name}_value": value,
        f"{name}_output": [each * scales[0] for each in output],
        f"{name}_norm2": block.pair(_LAYOUT.norms[1]),
        f"{name}_dense1": block.pair(_LAYOUT.dense[0]),
        f"{name}_dense2": [each * scales[1] for each in block.pair(_LAYOUT.dense[1])],
    }


def _dense(block: PresetReader, path: str, width: int) -> list[Values]:
    """Return kernel and offset of a dense layer; zeros where it has no offset, as keys."""
    kernel = block.value(f"{path}/")
    if find_dataset(block.file, f"{block.root}{path}/vars/1") is None:
        return [kernel, np.zeros(width, np.float32)]
    return [kernel, block.value(f"{path}/", 1)]


def _half(values: Values, sizes: RotaryTransformer, half: int) -> Values:
    """Return one half of the features of each head, shape (..., width / 2)."""
    shape = values.shape[:-1]
    parts = values.reshape(*shape, sizes.heads, 2, -1)
    return parts[..., half, :].reshape(*shape, -1)
