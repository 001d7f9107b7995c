"""Models as Keras 2 wrote them, made with h5py alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py


def keras2_layer(kind: str, name: str, source: str, **settings: object) -> dict[str, Any]:
    """A layer on another one, as Keras 2 describes it."""
    inbound = [[[source, 0, 0, {}]]] if source else []
    config = {"name": name, "trainable": True, "dtype": "float32"} | settings
    return {"class_name": kind, "config": config, "name": name, "inbound_nodes": inbound}


def keras2_file(
    path: Path,
    between: list[dict[str, Any]],
    weights: Mapping[str, Mapping[str, Any]],
    shape: tuple[int, int, int] = (8, 8, 3),
) -> Path:
    """A functional model as Keras 2.11 saved it; the last layer gives its output."""
    size = [None, *shape]
    first = keras2_layer(
        "InputLayer", "input_1", "", batch_input_shape=size, sparse=False, ragged=False
    )
    config = {
        "class_name": "Functional",
        "config": {
            "name": "model",
            "trainable": True,
            "layers": [first, *between],
            "input_layers": [["input_1", 0, 0]],
            "output_layers": [[between[-1]["name"], 0, 0]],
        },
    }
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = b"2.11.0"
        file.attrs["backend"] = b"tensorflow"
        file.attrs["model_config"] = json.dumps(config)
        group = file.create_group("model_weights")
        names = [layer["name"] for layer in (first, *between)]
        group.attrs["layer_names"] = [name.encode() for name in names]
        group.attrs["keras_version"] = b"2.11.0"
        for name in names:
            own = group.create_group(name)
            values = weights.get(name, {})
            own.attrs["weight_names"] = [f"{name}/{each}:0".encode() for each in values]
            for each, value in values.items():
                own[f"{name}/{each}:0"] = value
    return path
