"""Compares vision transformers with the reference implementations of `transformers` on PyTorch.

Random weights of tiny models are written as a file of KerasHub, read by Studio, and the features
of both are compared. Two environments: the one with `transformers` writes, that of Studio reads.

    REFS/bin/python tests/benchmarks/reference_transformers.py write FOLDER
    python tests/benchmarks/reference_transformers.py compare FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

WIDTH, DEPTH, HEADS, HIDDEN = 48, 3, 3, 96
TOLERANCE = 1e-4
Put = Callable[..., None]
NAMES = {"dinov2": "dinov2_small", "registers": "dinov2_small_registers", "siglip": "siglip_base"}
SIDES = {"dinov2": (70, 112), "registers": (70, 112), "siglip": (64,)}
"""Images of these sides are compared; positions are stored for the first."""


def write(folder: Path) -> None:
    """Write files of weights, images and expected features with `transformers`."""
    import torch  # type: ignore[import-not-found,unused-ignore]  # in an environment of its own
    import transformers  # type: ignore[import-not-found,unused-ignore]  # as above

    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
    }
    dino = {**sizes, "mlp_ratio": 2, "patch_size": 14, "image_size": 70}
    models = {
        "dinov2": transformers.Dinov2Model(transformers.Dinov2Config(**dino)),
        "registers": transformers.Dinov2WithRegistersModel(
            transformers.Dinov2WithRegistersConfig(**dino, num_register_tokens=4)
        ),
        "siglip": transformers.SiglipVisionModel(
            transformers.SiglipVisionConfig(
                **sizes, intermediate_size=HIDDEN, patch_size=16, image_size=64
            )
        ),
    }
    generator = torch.Generator().manual_seed(0)
    for name, model in models.items():
        model.eval()
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(torch.randn(weight.shape, generator=generator) * 0.05)
        values = {key: value.detach().numpy() for key, value in model.state_dict().items()}
        (folder / name).mkdir(parents=True, exist_ok=True)
        with h5py.File(folder / name / "model.weights.h5", "w") as file:
            _convert(file, name, values)
        for side in SIDES[name]:
            images = torch.randn((2, 3, side, side), generator=generator)
            with torch.no_grad():
                found = model(pixel_values=images)
            np.savez(
                folder / name / f"{side}.npz",
                images=images.numpy().transpose(0, 2, 3, 1),
                tokens=found.last_hidden_state.numpy(),
                image=found.pooler_output.numpy(),
            )


def _convert(file: h5py.File, name: str, values: dict[str, Any]) -> None:
    def put(path: str, *arrays: Any) -> None:
        for number, array in enumerate(arrays):
            file[f"layers/{path}/vars/{number}"] = np.asarray(array, np.float32)

    if name == "siglip":
        _siglip(put, {key.removeprefix("vision_model."): each for key, each in values.items()})
    else:
        _dinov2(put, values, has_registers=name == "registers")


def _pair(values: dict[str, Any], key: str) -> tuple[Any, Any]:
    """Return kernel and bias of a dense layer."""
    return values[f"{key}.weight"].T, values[f"{key}.bias"]


def _norm(values: dict[str, Any], key: str) -> tuple[Any, Any]:
    return values[f"{key}.weight"], values[f"{key}.bias"]


def _attention(kernel: Any, bias: Any, part: str) -> tuple[Any, Any]:
    """Return the weights of a part of an attention with heads."""
    if part == "output":
        return kernel.reshape(HEADS, -1, WIDTH), bias
    return kernel.reshape(WIDTH, HEADS, -1), bias.reshape(HEADS, -1)


def _layers(values: dict[str, Any], pattern: str) -> Iterator[tuple[int, str, str]]:
    for number in range(DEPTH):
        yield number, pattern.format(number), f"_{number}" if number else ""
    assert not any(key.startswith(pattern.format(DEPTH)) for key in values)


def _dinov2(put: Put, values: dict[str, Any], *, has_registers: bool) -> None:
    kernel = values["embeddings.patch_embeddings.projection.weight"].transpose(2, 3, 1, 0)
    put(
        "dinov2_embedding/patch_embeddings/projection",
        kernel,
        values["embeddings.patch_embeddings.projection.bias"],
    )
    registers = [values["embeddings.register_tokens"]] if has_registers else []
    positions = values["embeddings.position_embeddings"]
    token = values["embeddings.cls_token"]
    put(
        "dinov2_embedding",
        token,
        values["embeddings.mask_token"],
        *registers,
        positions,
        positions,
    )
    put("layer_normalization", *_norm(values, "layernorm"))
    for _, key, ending in _layers(values, "encoder.layer.{}."):
        at = f"dinov2_encoder/layers/dinov2_layer{ending}"
        for part, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
            pair = _pair(values, f"{key}attention.{letter}_proj")
            put(f"{at}/attention/attention/{part}_dense", *_attention(*pair, part))
        for part in ("fc1", "fc2"):
            put(f"{at}/mlp/{part}", *_pair(values, f"{key}mlp.{part}"))
        for number in (1, 2):
            put(f"{at}/norm{number}", *_norm(values, f"{key}norm{number}"))
            put(f"{at}/layer_scale{number}", values[f"{key}layer_scale{number}.lambda1"])


def _siglip(put: Put, values: dict[str, Any]) -> None:
    kernel = values["embeddings.patch_embedding.weight"].transpose(2, 3, 1, 0)
    put(
        "sig_lip_vision_embedding/patch_embedding",
        kernel,
        values["embeddings.patch_embedding.bias"],
    )
    put(
        "sig_lip_vision_embedding/position_embedding",
        values["embeddings.position_embedding.weight"],
    )
    put("layer_normalization", *_norm(values, "post_layernorm"))
    for _, key, ending in _layers(values, "encoder.layers.{}."):
        at = f"sig_lip_encoder_layer{ending}"
        for part, name in (
            ("query", "q_proj"),
            ("key", "k_proj"),
            ("value", "v_proj"),
            ("output", "out_proj"),
        ):
            pair = _pair(values, f"{key}self_attn.{name}")
            put(f"{at}/self_attn/{part}_dense", *_attention(*pair, part))
        for part in ("fc1", "fc2"):
            put(f"{at}/mlp/{part}", *_pair(values, f"{key}mlp.{part}"))
        for number in (1, 2):
            put(f"{at}/layer_norm{number}", *_norm(values, f"{key}layer_norm{number}"))
    pool = "sig_lip_multi_head_attention_pooling"
    put(pool, values["head.probe"])
    kernels = values["head.attention.in_proj_weight"].reshape(3, WIDTH, WIDTH)
    biases = values["head.attention.in_proj_bias"].reshape(3, WIDTH)
    for part, kernel, bias in zip(("query", "key", "value"), kernels, biases, strict=True):
        put(f"{pool}/attention/{part}_dense", *_attention(kernel.T, bias, part))
    pair = _pair(values, "head.attention.out_proj")
    put(f"{pool}/attention/output_dense", *_attention(*pair, "output"))
    put(f"{pool}/layer_norm", *_norm(values, "head.layernorm"))
    for part in ("fc1", "fc2"):
        put(f"{pool}/mlp/{part}", *_pair(values, f"head.mlp.{part}"))


def compare(folder: Path) -> None:
    """Read the files with Studio and print the largest differences.

    Raises:
        SystemExit: One is larger than the tolerance.
    """
    from dataclasses import asdict, replace

    import keras

    from studio.engine.compute.presets import preset_values
    from studio.engine.compute.vision_transformer import vision_transformer
    from studio.engine.networks.backbones import BACKBONES, Transformer
    from studio.engine.training.transformer_files import transformer_file

    worst = 0.0
    for name, backbone_name in NAMES.items():
        backbone = BACKBONES[backbone_name]
        assert isinstance(backbone.transformer, Transformer)
        tiny = replace(backbone.transformer, width=WIDTH, depth=DEPTH, heads=HEADS, hidden=HIDDEN)
        sizes = asdict(tiny)
        del sizes["family"]
        path = folder / name / "model.weights.h5"
        found = transformer_file(path)
        assert found is not None
        for side in SIDES[name]:
            model = vision_transformer(keras.Input((side, side, 3)), **sizes)
            grid = model.get_layer("positions").output.shape[1:3]
            values = preset_values(path, found, replace(backbone, transformer=tiny), grid)
            for layer in model.layers:
                if layer.weights:
                    layer.set_weights(values[layer.name])
            expected = np.load(folder / name / f"{side}.npz")
            maps, *_, image = [np.asarray(each) for each in model(expected["images"])]
            patches = expected["tokens"][:, tiny.prefix :]
            differences = (
                float(abs(maps.reshape(patches.shape) - patches).max()),
                float(abs(image - expected["image"]).max()),
            )
            worst = max(worst, *differences)
            print(f"{name} {side}x{side}: map {differences[0]:.1e}, image {differences[1]:.1e}")
    if worst > TOLERANCE:
        raise SystemExit(f"differs by {worst:.1e}, more than {TOLERANCE:g}")


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
