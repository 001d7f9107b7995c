"""Weights of Swin from files of KerasHub, as those of the layers of `window_transformer`."""

from __future__ import annotations

import numpy as np

from studio.engine.compute.preset_reader import LayerValues, PresetReader
from studio.engine.networks.backbones import WindowTransformer
from studio.engine.training.transformer_files import numbered


def window_values(reader: PresetReader, sizes: WindowTransformer) -> LayerValues:
    """Return the weights of each layer by its name.

    Args:
        reader: Reads below the layers of the file.
        sizes: Sizes of the transformer.

    Raises:
        KeyError: A weight is missing.
        ValueError: A weight has another shape than the sizes say.
    """
    found: LayerValues = {
        "patches": reader.pair("patch_embedding/proj"),
        "patches_norm": reader.pair("patch_embedding/norm"),
        "norm": reader.pair("layer_normalization"),
    }
    for at, depth in enumerate(sizes.depths):
        stage = reader.below(numbered("swin_transformer_stage", at))
        for number in range(depth):
            block = stage.below(f"blocks/{numbered('swin_transformer_block', number)}")
            found |= _block(block, f"stage{at + 1}_block{number + 1}")
        if at + 1 < len(sizes.depths):
            found[f"stage{at + 1}_merge_norm"] = stage.pair("downsample/norm")
            found[f"stage{at + 1}_merge_dense"] = [stage.value("downsample/reduction/")]
    return found


def _block(block: PresetReader, name: str) -> LayerValues:
    kernels, offsets = (np.split(each, 3, axis=-1) for each in block.pair("attn/qkv"))
    query, key, value = ([kernels[at], offsets[at]] for at in range(3))
    return {
        f"{name}_norm1": block.pair("norm1"),
        f"{name}_query": query,
        f"{name}_key": key,
        f"{name}_value": value,
        f"{name}_bias": [block.value("attn/")],
        f"{name}_output": block.pair("attn/proj"),
        f"{name}_norm2": block.pair("norm2"),
        f"{name}_dense1": block.pair("mlp/fc1"),
        f"{name}_dense2": block.pair("mlp/fc2"),
    }
