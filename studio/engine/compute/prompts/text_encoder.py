"""The part of CLIP and SigLIP that reads texts, computed with NumPy: texts are few and short."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.preset_reader import PresetReader, Values, open_preset
from studio.engine.compute.prompts.tokens import Tokenizer, tokenizer_of
from studio.engine.errors import StudioError
from studio.engine.hdf5 import find
from studio.engine.training.transformer_files import LAYOUTS, MAX_BLOCKS, FamilyPaths

_CLIP, _SIGLIP = "layers/clip_text_encoder/layers/", "layers/sig_lip_text_encoder/layers/"
_FINAL_EPSILON: Final = 1e-6
_QUICK: Final = 1.702
_TANH: Final = math.sqrt(2 / math.pi)


@dataclass(frozen=True, slots=True)
class _Block:
    """Weights of a block: normalizations and dense layers in pairs, and the attention."""

    norm1: tuple[Values, Values]
    norm2: tuple[Values, Values]
    query: tuple[Values, Values]
    key: tuple[Values, Values]
    value: tuple[Values, Values]
    output: tuple[Values, Values]
    dense1: tuple[Values, Values]
    dense2: tuple[Values, Values]


@dataclass(frozen=True, slots=True)
class TextEncoder:
    """Computes features of texts, comparable with those of images.

    Attributes:
        tokens: Numbers the tokens.
        embedding: Features of each token, shape (tokens, width).
        positions: Features of each position, shape (length, width).
        blocks: The blocks.
        norm: The last normalization.
        head: From there to the features that are compared: kernel and offset.
        images: Maps features of images to those that are compared; None if they are.
        scale: Factor of the cosine of both, in the scores.
        is_causal: True if tokens attend to earlier ones alone (CLIP).
        side: Height and width of the images that the weights saw, in pixels.
    """

    tokens: Tokenizer
    embedding: Values
    positions: Values
    blocks: tuple[_Block, ...]
    norm: tuple[Values, Values]
    head: tuple[Values, Values | float]
    images: Values | None
    scale: float
    is_causal: bool
    side: int

    def features(self, texts: Sequence[str]) -> Values:
        """Return features of texts, of length 1, shape (n, D)."""
        return np.stack([self._features(text) for text in texts])

    def compared(self, features: Values) -> Values:
        """Return features of images as those that are compared, of length 1.

        Args:
            features: Features of the vision transformer, shape (n, width).
        """
        return unit(features if self.images is None else features @ self.images)

    def _features(self, text: str) -> Values:
        numbers = self.tokens.encode(text, len(self.positions))
        found = self.embedding[numbers] + self.positions[: len(numbers)]
        for block in self.blocks:
            found = self._passed(block, found)
        # The last token is that of the end in both; later ones do not change it in CLIP.
        last = _normal(found[-1:], self.norm, _FINAL_EPSILON)
        compared: Values = unit(last @ self.head[0] + self.head[1])[0]
        return compared

    def _passed(self, block: _Block, tokens: Values) -> Values:
        epsilon = 1e-5 if self.is_causal else _FINAL_EPSILON
        normal = _normal(tokens, block.norm1, epsilon)
        query, key, value = (
            np.einsum("td,dhk->htk", normal, kernel) + offset[:, None]
            for kernel, offset in (block.query, block.key, block.value)
        )
        alike = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        if self.is_causal:
            later = np.triu(np.ones(alike.shape[1:], np.bool_), 1)
            alike = np.where(later, -np.inf, alike)
        weights = np.exp(alike - alike.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        kernel, offset = block.output
        tokens = tokens + np.einsum("htk,hkd->td", weights @ value, kernel) + offset
        inner = _normal(tokens, block.norm2, epsilon) @ block.dense1[0] + block.dense1[1]
        activation = _quick_gelu if self.is_causal else _tanh_gelu
        return tokens + activation(inner) @ block.dense2[0] + block.dense2[1]


def unit(values: NDArray[Any]) -> Values:
    """Return rows of length 1."""
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.asarray(values / np.maximum(lengths, 1e-12), np.float32)


def _normal(values: Values, weights: tuple[Values, Values], epsilon: float) -> Values:
    centered = values - values.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + epsilon)
    return np.asarray(centered / deviation * weights[0] + weights[1], np.float32)


def _quick_gelu(values: Values) -> Values:
    return np.asarray(values / (1 + np.exp(-_QUICK * values)), np.float32)


def _tanh_gelu(values: Values) -> Values:
    inner = _TANH * (values + 0.044715 * values**3)
    return np.asarray(0.5 * values * (1 + np.tanh(inner)), np.float32)


def read_text_encoder(weights: Path, files: Sequence[Path]) -> TextEncoder:
    """Read the part of a preset that reads texts.

    Args:
        weights: Its `model.weights.h5`.
        files: Its vocabulary, see `tokenizer_of`.

    Raises:
        BadDataError: A file is damaged.
        StudioError: The weights know no texts, or a package is missing.
    """
    tokens = tokenizer_of(files)
    with open_preset(weights, "texts") as file:
        for root, read in ((_CLIP, _clip), (_SIGLIP, _siglip)):
            if find(file, root.rstrip("/")) is not None:
                return read(PresetReader(file, ""), PresetReader(file, root), tokens)
    raise StudioError(
        "The weights {file} know no texts.",
        "Choose the preset of a CLIP or SigLIP network with both of its parts.",
        "texts",
        file=weights,
    )


def _clip(whole: PresetReader, reader: PresetReader, tokens: Tokenizer) -> TextEncoder:
    embedding = reader.below("token_and_position_embedding")
    layout = LAYOUTS["clip"]
    return TextEncoder(
        tokens=tokens,
        embedding=embedding.value("token_embedding/"),
        positions=embedding.value("position_embedding/"),
        blocks=_blocks(reader, layout),
        norm=_pair(reader, "layer_normalization"),
        head=(whole.value("layers/dense_1/"), 0.0),
        images=whole.value("layers/dense/"),
        scale=math.exp(float(whole.value("layers/clip_head/"))),
        is_causal=True,
        side=_side(whole, "clip", prefix=1),
    )


def _siglip(whole: PresetReader, reader: PresetReader, tokens: Tokenizer) -> TextEncoder:
    embedding = reader.below("sig_lip_text_embedding")
    return TextEncoder(
        tokens=tokens,
        embedding=embedding.value("token_embedding/"),
        positions=embedding.value("position_embedding/"),
        blocks=_blocks(reader, LAYOUTS["siglip"]),
        norm=_pair(reader, "layer_normalization"),
        head=_pair(reader, "dense"),
        images=None,
        scale=math.exp(float(whole.value("layers/sig_lip_head/"))),
        is_causal=False,
        side=_side(whole, "siglip", prefix=0),
    )


def _side(whole: PresetReader, family: str, prefix: int) -> int:
    """Return the side of the images of the vision transformer beside the texts."""
    name = "clip_vision" if family == "clip" else "sig_lip_vision"
    embedding = whole.below(f"layers/{name}_encoder/layers/{name}_embedding")
    patch = embedding.value("patch_embedding/").shape[0]
    positions = len(embedding.value("position_embedding/")) - prefix
    return int(patch) * math.isqrt(positions)


def _pair(reader: PresetReader, path: str) -> tuple[Values, Values]:
    first, second = reader.pair(path)
    return first, second


def _blocks(reader: PresetReader, layout: FamilyPaths) -> tuple[_Block, ...]:
    found: list[_Block] = []
    while len(found) < MAX_BLOCKS:
        path = f"{layout.block}_{len(found)}" if found else layout.block
        if not reader.has(path):
            break
        block = reader.below(path)
        attention = block.below(layout.attention)
        found.append(
            _Block(
                norm1=_pair(block, layout.norms[0]),
                norm2=_pair(block, layout.norms[1]),
                query=_pair(attention, "query_dense"),
                key=_pair(attention, "key_dense"),
                value=_pair(attention, "value_dense"),
                output=_pair(attention, "output_dense"),
                dense1=_pair(block, layout.dense[0]),
                dense2=_pair(block, layout.dense[1]),
            )
        )
    return tuple(found)
