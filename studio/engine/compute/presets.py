"""Weights of vision transformers from files of KerasHub, read without KerasHub.

Values are rearranged to those of `vision_transformer`: scales of layers become part of the kernels
before them, and embeddings of positions are resampled to the size of the images.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from studio.engine.compute.preset_reader import (
    LayerValues,
    PresetReader,
    Values,
    added,
    open_preset,
)
from studio.engine.compute.resampling import resampled_grid
from studio.engine.compute.rotary_presets import rotary_values
from studio.engine.compute.window_presets import window_values
from studio.engine.errors import StudioError
from studio.engine.hdf5 import find_dataset, find_group
from studio.engine.messages import as_message, message
from studio.engine.networks.backbones import Backbone, RotaryTransformer, WindowTransformer
from studio.engine.training.transformer_files import (
    LAYOUTS,
    FamilyPaths,
    TransformerFile,
    numbered,
    registers_of,
)

_QUICK = np.float32(1.702)
"""CLIP's GELU is x * sigmoid(1.702 x), that is silu(1.702 x) / 1.702."""


def of_other_network(path: Path, found: TransformerFile, network: str) -> StudioError:
    """Return the error that a file has the weights of another network.

    Args:
        path: The file.
        found: What it holds.
        network: Name of the network.
    """
    own = found.backbone
    return StudioError(
        "The weights {file} belong to {other}, not to {network}.",
        "Choose the network that these weights belong to, or other weights.",
        "weights",
        file=path,
        other=message("another network") if own is None else as_message(own.label),
        network=network,
    )


def preset_values(
    path: Path, found: TransformerFile, backbone: Backbone, grid: tuple[int, int]
) -> LayerValues:
    """Return the weights of a file as those of the layers of a vision transformer.

    Args:
        path: The file.
        found: What it holds.
        backbone: The backbone to fill.
        grid: Rows and columns of patches of the network's images.

    Raises:
        BadDataError: The file is damaged.
        StudioError: It is that of another network.
    """
    if not found.fits(backbone.transformer):
        raise of_other_network(path, found, as_message(backbone.label))
    sizes = backbone.transformer
    with open_preset(path, "weights") as file:
        reader = PresetReader(file, found.root)
        if isinstance(sizes, RotaryTransformer):
            return rotary_values(reader, sizes)
        if isinstance(sizes, WindowTransformer):
            return window_values(reader, sizes)
        blocks = _blocks(reader, LAYOUTS[found.family], found.sizes[2])
        return blocks | _READERS[found.family](reader, blocks, grid)


def _blocks(reader: PresetReader, layout: FamilyPaths, depth: int) -> LayerValues:
    """Return the weights of all blocks; scales of layers, where there are some, in kernels."""
    found: LayerValues = {}
    for number in range(depth):
        block = reader.below(numbered(layout.block, number))
        first: Values | float = 1.0
        second: Values | float = 1.0
        if find_dataset(reader.file, f"{block.root}layer_scale1/vars/0") is not None:
            first, second = block.value("layer_scale1/"), block.value("layer_scale2/")
        name = f"block{number + 1}"
        found |= {
            f"{name}_norm1": block.pair(layout.norms[0]),
            f"{name}_attention": block.attention(layout.attention, first),
            f"{name}_norm2": block.pair(layout.norms[1]),
            f"{name}_dense1": block.pair(layout.dense[0]),
            f"{name}_dense2": [value * second for value in block.pair(layout.dense[1])],
        }
    return found


def _positions(
    values: Values, grid: tuple[int, int], *, is_antialiased: bool = False
) -> list[Values]:
    """Return embeddings of positions, shape (n, features), as a layer for a grid of patches."""
    side = math.isqrt(len(values))
    if side * side != len(values):
        raise ValueError(message("its positions form no square: {count}", count=len(values)))
    square = values.reshape(side, side, -1)
    return added(resampled_grid(square, grid, is_antialiased=is_antialiased))


def _dinov2(reader: PresetReader, _blocks: LayerValues, grid: tuple[int, int]) -> LayerValues:
    embedding = reader.below("dinov2_embedding")
    registers = registers_of(find_group(reader.file, embedding.root))
    first = [embedding.value("")[0]]
    last = 1
    if registers is not None:
        last = int(registers[-1])
        first.append(embedding.value("", last)[0])
        last += 1
    elif embedding.value("", last).ndim == 2:  # the token of masks
        last += 1
    # First what is trained, positions for one size of images; behind it those of the publishers.
    if find_dataset(reader.file, f"{embedding.root}vars/{last + 1}") is not None:
        last += 1
    positions = embedding.value("", last)[0]
    first[0] = first[0] + positions[:1]
    return {
        "patches": embedding.pair("patch_embeddings/projection"),
        # The publishers resample with antialiasing where there are registers.
        "positions": _positions(positions[1:], grid, is_antialiased=registers is not None),
        "prefix": added(np.concatenate(first)[None]),
        "norm": reader.pair("layer_normalization"),
    }


def _vit(reader: PresetReader, _blocks: LayerValues, grid: tuple[int, int]) -> LayerValues:
    embedding = reader.below("vi_t_patching_and_embedding")
    positions = embedding.value("position_embedding/")
    return {
        "patches": embedding.pair("patch_embedding"),
        "positions": _positions(positions[1:], grid),
        "prefix": added((embedding.value("")[0] + positions[:1])[None]),
        "norm": reader.pair("vi_t_encoder/layer_norm"),
    }


def _siglip(reader: PresetReader, _blocks: LayerValues, grid: tuple[int, int]) -> LayerValues:
    embedding = reader.below("sig_lip_vision_embedding")
    pool = reader.below("sig_lip_multi_head_attention_pooling")
    return {
        "patches": embedding.pair("patch_embedding"),
        "positions": _positions(embedding.value("position_embedding/"), grid),
        "norm": reader.pair("layer_normalization"),
        "probe": added(pool.value("")),
        "pool_attention": pool.attention("attention"),
        "pool_norm": pool.pair("layer_norm"),
        "pool_dense1": pool.pair("mlp/fc1"),
        "pool_dense2": pool.pair("mlp/fc2"),
    }


def _clip(reader: PresetReader, blocks: LayerValues, grid: tuple[int, int]) -> LayerValues:
    embedding = reader.below("clip_vision_embedding")
    # KerasHub looks positions up by numbers that it stores: those of the file are taken.
    positions = embedding.value("position_embedding/")[embedding.indices("", 1)[0]]
    patches = embedding.value("patch_embedding/")
    found: LayerValues = {
        "patches": [patches, np.zeros(patches.shape[-1], np.float32)],
        "positions": _positions(positions[1:], grid),
        "prefix": added((embedding.value("")[None] + positions[:1])[None]),
        "norm_first": reader.pair("layer_normalization"),
        "norm": reader.pair("layer_normalization_1"),
    }
    for name, values in blocks.items():
        if name.endswith("dense1"):
            found[name] = [value * _QUICK for value in values]
        elif name.endswith("dense2"):
            found[name] = [values[0] / _QUICK, values[1]]
    return found


_READERS: Mapping[str, Callable[[PresetReader, LayerValues, tuple[int, int]], LayerValues]] = {
    "dinov2": _dinov2,
    "vit": _vit,
    "siglip": _siglip,
    "clip": _clip,
}
