"""Files of KerasHub with the weights of vision transformers: which one a file holds.

Everything is read from the shapes in `model.weights.h5`; the other files of a preset are not
needed, so such a file is copied into runs and sweeps like any other. Never imports Keras.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import h5py

from studio.engine.documents import DAMAGED
from studio.engine.hdf5 import find, find_dataset, find_group
from studio.engine.networks.backbones import (
    BACKBONES,
    Backbone,
    Family,
    TransformerSizes,
)

MAX_BLOCKS = 100

_ROOT = "layers/"
_STAGES = f"{_ROOT}swin_transformer_stage"


@dataclass(frozen=True, slots=True)
class TransformerFile:
    """A vision transformer in a file.

    Attributes:
        family: How its weights are named.
        root: Path of its layers, with a slash at its end.
        sizes: Its sizes, as `in_shapes` of a backbone lists them.
    """

    family: Family
    root: str
    sizes: tuple[int, ...]

    @property
    def backbone(self) -> Backbone | None:
        """The backbone with these sizes; None if Studio has none."""
        return next((each for each in BACKBONES if self.fits(each.transformer)), None)

    def fits(self, sizes: TransformerSizes | None) -> bool:
        """Return True if these are the sizes of a backbone."""
        return sizes is not None and (self.family, self.sizes) == (sizes.family, sizes.in_shapes)


def transformer_file(path: Path) -> TransformerFile | None:
    """Return the vision transformer of a file of KerasHub; None for all other files."""
    try:
        status = path.stat()
    except OSError:
        return None
    return _read(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _read(path: Path, size: int, modified: int) -> TransformerFile | None:
    """Read a file once as long as it stays the same; `size` and `modified` are the key."""
    del size, modified
    try:
        with h5py.File(path, "r") as file:
            for family, layout in LAYOUTS.items():
                for root in layout.roots:
                    if find(file, f"{root}{layout.embedding}") is not None:
                        return TransformerFile(family, root, _sizes(file, root, layout))
            if find(file, _STAGES) is not None:
                return TransformerFile("swin", _ROOT, _window_sizes(file))
    except (*DAMAGED, LookupError, RuntimeError):
        return None
    return None


@dataclass(frozen=True, slots=True)
class FamilyPaths:
    """Paths of a family, below its root.

    Attributes:
        roots: Paths below which the layers may lie: alone, or in a pair with texts.
        embedding: Path of the layer that makes tokens.
        patches: Path of its convolution.
        block: Path of the first block; the second one ends in `_1`.
        norms: Paths of the two normalizations of a block.
        attention: Path of the attention of a block.
        dense: Paths of its dense layers.
        prefix: Gives the number of tokens before those of the patches.
    """

    roots: tuple[str, ...]
    embedding: str
    patches: str
    block: str
    norms: tuple[str, str]
    attention: str
    dense: tuple[str, str]
    prefix: Callable[[h5py.Group], int]


def _dino_prefix(embedding: h5py.Group) -> int:
    registers = registers_of(embedding)
    return 1 if registers is None else 1 + int(embedding[registers].shape[1])


def _dinov3_prefix(embedding: h5py.Group) -> int:
    """Return the number of tokens before the patches: the class token and the registers.

    Weights are in order: class token, perhaps that of masks, perhaps registers.
    """
    weights = [find_dataset(embedding, f"vars/{number}") for number in (1, 2)]
    counts = [int(each.shape[1]) for each in weights if each is not None]
    return 1 if counts in ([], [1]) else 1 + counts[-1]


def registers_of(embedding: h5py.Group) -> str | None:
    """Return the path of the registers of DINOv2; None if it has none.

    The weights are in order: class token, perhaps that of masks, perhaps registers, positions, and
    positions for one size of images.
    """
    shaped = [f"vars/{number}" for number in range(1, 3)]
    for name in shaped:
        found = find_dataset(embedding, name)
        following = find_dataset(embedding, f"vars/{int(name[-1]) + 2}")
        if found is not None and len(found.shape) == 3 and following is not None:
            return name
    return None


LAYOUTS: Mapping[Family, FamilyPaths] = {
    "dinov2": FamilyPaths(
        (_ROOT,),
        "dinov2_embedding",
        "dinov2_embedding/patch_embeddings/projection",
        "dinov2_encoder/layers/dinov2_layer",
        ("norm1", "norm2"),
        "attention/attention",
        ("mlp/fc1", "mlp/fc2"),
        _dino_prefix,
    ),
    "vit": FamilyPaths(
        (_ROOT,),
        "vi_t_patching_and_embedding",
        "vi_t_patching_and_embedding/patch_embedding",
        "vi_t_encoder/encoder_layers/vi_t_encoder_block",
        ("layer_norm_1", "layer_norm_2"),
        "mha",
        ("mlp/dense_1", "mlp/dense_2"),
        lambda _: 1,
    ),
    "siglip": FamilyPaths(
        (_ROOT, "layers/sig_lip_vision_encoder/layers/"),
        "sig_lip_vision_embedding",
        "sig_lip_vision_embedding/patch_embedding",
        "sig_lip_encoder_layer",
        ("layer_norm1", "layer_norm2"),
        "self_attn",
        ("mlp/fc1", "mlp/fc2"),
        lambda _: 0,
    ),
    "clip": FamilyPaths(
        (_ROOT, "layers/clip_vision_encoder/layers/"),
        "clip_vision_embedding",
        "clip_vision_embedding/patch_embedding",
        "clip_encoder_layer",
        ("layer_norm_1", "layer_norm_2"),
        "attention",
        ("dense_1", "dense_2"),
        lambda _: 1,
    ),
    "dinov3": FamilyPaths(
        (_ROOT,),
        "dinov3_embedding",
        "dinov3_embedding/patch_embeddings/projection",
        "dinov3_encoder/layers/dinov3_layer",
        ("norm1", "norm2"),
        "attention",
        ("mlp/up_proj", "mlp/down_proj"),
        _dinov3_prefix,
    ),
}
"""Layouts by family, as KerasHub 0.32 writes them."""


def _sizes(file: h5py.File, root: str, layout: FamilyPaths) -> tuple[int, ...]:
    patches = _shape(file, f"{root}{layout.patches}")
    block = f"{root}{layout.block}"
    if find(file, f"{block}/mlp/gate_proj") is not None:
        raise KeyError(block)  # another kind of perceptron
    query = _shape(file, f"{block}/{layout.attention}/query_dense")
    hidden = _shape(file, f"{block}/{layout.dense[0]}")[1]
    prefix = layout.prefix(find_group(file, f"{root}{layout.embedding}"))
    heads = query[1:2] if len(query) == 3 else ()
    return patches[0], patches[3], _count(file, block), *heads, hidden, prefix


def _window_sizes(file: h5py.File) -> tuple[int, ...]:
    patches = _shape(file, f"{_ROOT}patch_embedding/proj")
    depths, heads = [], []
    for number in range(_count(file, _STAGES)):
        block = f"{numbered(_STAGES, number)}/blocks/swin_transformer_block"
        distances, count = _shape(file, f"{block}/attn")
        depths.append(_count(file, block))
        heads.append(count)
    width, hidden = _shape(file, f"{_STAGES}/blocks/swin_transformer_block/mlp/fc1")
    window = (math.isqrt(distances) + 1) // 2
    return patches[0], width, window, hidden // width, *depths, *heads


def numbered(path: str, number: int) -> str:
    """Return the path of a layer that KerasHub numbers, from 0.

    Args:
        path: Path of the first one.
        number: Number of the layer.
    """
    return f"{path}_{number}" if number else path


def _count(file: h5py.File, path: str) -> int:
    """Return how many layers are numbered."""
    count = 1
    while count < MAX_BLOCKS and find(file, numbered(path, count)) is not None:
        count += 1
    return count


def _shape(file: h5py.File, layer: str) -> tuple[int, ...]:
    """Return the shape of the first weight of a layer.

    Raises:
        KeyError: It is missing, or lies outside of the file.
    """
    found = find_dataset(file, f"{layer}/vars/0")
    if found is None:
        raise KeyError(layer)
    return tuple(int(side) for side in found.shape)
