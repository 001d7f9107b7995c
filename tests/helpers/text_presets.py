"""Tiny presets of CLIP with random weights, laid out as KerasHub 0.32 writes them."""

from __future__ import annotations

import json
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from studio.engine.compute.prompts.scoring import PromptScorer
from studio.engine.compute.prompts.tokens import _signs
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.questions import PROMPTS_OPERATION
from studio.engine.networks.backbones import BACKBONES, Backbone, Transformer

WIDTH, TEXT_WIDTH, DEPTH, HEADS, HIDDEN, LENGTH, COMPARED = 32, 24, 2, 2, 64, 20, 16
PATCH, SIDE = 16, 64
_WORDS = ("photo", "of", "cat", "dog", "image")


def tiny_clip() -> Backbone:
    """Return the backbone of CLIP with the sizes of the preset, under its own name."""
    usual = BACKBONES["clip_base_32"]
    assert isinstance(usual.transformer, Transformer)
    sizes = replace(
        usual.transformer, width=WIDTH, depth=DEPTH, heads=HEADS, hidden=HIDDEN, patch=PATCH
    )
    return replace(usual, transformer=sizes)


def write_clip(folder: Path, seed: int = 0) -> Path:
    """Write a preset of CLIP; returns the folder.

    Args:
        folder: Where to.
        seed: Seed of the values.
    """
    tokenizer = folder / "assets" / "tokenizer"
    tokenizer.mkdir(parents=True)
    merges = []
    signs = list(_signs().values())
    vocabulary = [*signs, *(f"{sign}</w>" for sign in signs)]
    for word in _WORDS:
        parts = [*word[:-1], f"{word[-1]}</w>"]
        while len(parts) > 1:
            pair = f"{parts[0]} {parts[1]}"
            parts = [parts[0] + parts[1], *parts[2:]]
            if pair not in merges:
                merges.append(pair)
                vocabulary.append(parts[0])
    vocabulary += ["<|startoftext|>", "<|endoftext|>"]
    numbers = {token: number for number, token in enumerate(vocabulary)}
    (tokenizer / "vocabulary.json").write_text(json.dumps(numbers), "utf-8")
    (tokenizer / "merges.txt").write_text("\n".join(merges), "utf-8")
    _write_weights(folder / "model.weights.h5", len(vocabulary), np.random.default_rng(seed))
    return folder


def _write_weights(path: Path, tokens: int, random: np.random.Generator) -> None:
    with h5py.File(path, "w") as file:

        def put(name: str, *shapes: tuple[int, ...]) -> None:
            for number, shape in enumerate(shapes):
                values = random.normal(0, 0.3, shape).astype(np.float32)
                file[f"layers/{name}/vars/{number}"] = values

        for part, width, hidden in (("vision", WIDTH, HIDDEN), ("text", TEXT_WIDTH, 48)):
            inner = f"clip_{part}_encoder/layers"
            for number in range(DEPTH):
                at = f"{inner}/clip_encoder_layer{f'_{number}' if number else ''}"
                for name in ("key", "query", "value"):
                    head = width // HEADS
                    put(f"{at}/attention/{name}_dense", (width, HEADS, head), (HEADS, head))
                put(f"{at}/attention/output_dense", (HEADS, width // HEADS, width), (width,))
                put(f"{at}/dense_1", (width, hidden), (hidden,))
                put(f"{at}/dense_2", (hidden, width), (width,))
                for name in ("layer_norm_1", "layer_norm_2"):
                    put(f"{at}/{name}", (width,), (width,))
            put(f"{inner}/layer_normalization", (width,), (width,))
        vision = "clip_vision_encoder/layers"
        put(f"{vision}/layer_normalization_1", (WIDTH,), (WIDTH,))
        embedding = f"{vision}/clip_vision_embedding"
        positions = (SIDE // PATCH) ** 2 + 1
        put(embedding, (WIDTH,))
        file[f"layers/{embedding}/vars/1"] = np.arange(positions)[None]
        put(f"{embedding}/patch_embedding", (PATCH, PATCH, 3, WIDTH))
        put(f"{embedding}/position_embedding", (positions, WIDTH))
        texts = "clip_text_encoder/layers/token_and_position_embedding"
        put(f"{texts}/token_embedding", (tokens, TEXT_WIDTH))
        put(f"{texts}/position_embedding", (LENGTH, TEXT_WIDTH))
        put("dense", (WIDTH, COMPARED))
        put("dense_1", (TEXT_WIDTH, COMPARED))
        file["layers/clip_head/vars/0"] = np.float32(np.log(20.0))


class PromptsHost(EngineHost):
    """Answers requests for scores in this process, where the sizes of backbones are replaced."""

    def __init__(self) -> None:
        super().__init__()
        self._scorer = PromptScorer()
        self.asked = 0

    def ask(self, operation: str, request: Any, answer: type[Any]) -> Future[Any]:
        """Return the answer; see `EngineHost.ask`."""
        if operation != PROMPTS_OPERATION:
            return super().ask(operation, request, answer)
        self.asked += 1
        future: Future[Any] = Future()
        future.set_result(self._scorer.answer(request))
        return future
