"""Files of KerasHub with the weights of vision transformers: which one a file holds.

Everything is read from the shapes in `model.weights.h5`; the other files of a preset are not
needed, so such a file is copied into runs and sweeps like any other. Never imports Keras.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import h5py

from studio.engine.documents import DAMAGED
from studio.engine.hdf5 import find, find_dataset, find_group
from studio.engine.networks.backbones import BACKBONES, Backbone, Transformer

Family = Literal["dinov2", "siglip", "clip", "vit"]

MAX_BLOCKS = 100


@dataclass(frozen=True, slots=True)
class TransformerFile:
    """A vision transformer in a file.

    Attributes:
        family: How its weights are named.
        root: Path of its layers, with a slash at its end.
        sizes: Patch, width, depth, heads, units and tokens before the patches.
    """

    family: Family
    root: str
    sizes: tuple[int, int, int, int, int, int]

    @property
    def backbone(self) -> Backbone | None:
        """The backbone with these sizes; None if Studio has none."""
        return next((each for each in BACKBONES if self.fits(each.transformer)), None)

    def fits(self, sizes: Transformer | None) -> bool:
        """Return True if these are the sizes of a backbone."""
        return sizes is not None and (self.family, self.sizes) == (sizes.family, sizes_of(sizes))


def sizes_of(each: Transformer) -> tuple[int, int, int, int, int, int]:
    """Return the sizes of a transformer as `TransformerFile` has them."""
    return each.patch, each.width, each.depth, each.heads, each.hidden, each.prefix


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
        ("layers/",),
        "dinov2_embedding",
        "dinov2_embedding/patch_embeddings/projection",
        "dinov2_encoder/layers/dinov2_layer",
        ("norm1", "norm2"),
        "attention/attention",
        ("mlp/fc1", "mlp/fc2"),
        _dino_prefix,
    ),
    "vit": FamilyPaths(
        ("layers/",),
        "vi_t_patching_and_embedding",
        "vi_t_patching_and_embedding/patch_embedding",
        "vi_t_encoder/encoder_layers/vi_t_encoder_block",
        ("layer_norm_1", "layer_norm_2"),
        "mha",
        ("mlp/dense_1", "mlp/dense_2"),
        lambda _: 1,
    ),
    "siglip": FamilyPaths(
        ("layers/", "layers/sig_lip_vision_encoder/layers/"),
        "sig_lip_vision_embedding",
        "sig_lip_vision_embedding/patch_embedding",
        "sig_lip_encoder_layer",
        ("layer_norm1", "layer_norm2"),
        "self_attn",
        ("mlp/fc1", "mlp/fc2"),
        lambda _: 0,
    ),
    "clip": FamilyPaths(
        ("layers/", "layers/clip_vision_encoder/layers/"),
        "clip_vision_embedding",
        "clip_vision_embedding/patch_embedding",
        "clip_encoder_layer",
        ("layer_norm_1", "layer_norm_2"),
        "attention",
        ("dense_1", "dense_2"),
        lambda _: 1,
    ),
}
"""Layouts by family, as KerasHub 0.32 writes them."""


def _sizes(file: h5py.File, root: str, layout: FamilyPaths) -> tuple[int, int, int, int, int, int]:
    patches = _shape(file, f"{root}{layout.patches}")
    block = f"{root}{layout.block}"
    query = _shape(file, f"{block}/{layout.attention}/query_dense")
    hidden = _shape(file, f"{block}/{layout.dense[0]}")[1]
    depth = 1
    while depth < MAX_BLOCKS and find(file, f"{block}_{depth}") is not None:
        depth += 1
    prefix = layout.prefix(find_group(file, f"{root}{layout.embedding}"))
    return patches[0], patches[3], depth, query[1], hidden, prefix


def _shape(file: h5py.File, layer: str) -> tuple[int, ...]:
    """Return the shape of the first weight of a layer.

    Raises:
        KeyError: It is missing, or lies outside of the file.
    """
    found = find_dataset(file, f"{layer}/vars/0")
    if found is None:
        raise KeyError(layer)
    return tuple(int(side) for side in found.shape)
