"""Writes `assets/networks/layers.json`: `python -m studio.engine.compute.layer_table`."""

from __future__ import annotations

import json
from collections import Counter

import keras

from studio.engine.assets import asset
from studio.engine.compute.build import build, without_weights
from studio.engine.compute.graph import multiply_adds
from studio.engine.compute.weights import needed_layers
from studio.engine.files import write_atomically
from studio.engine.networks.catalog import TABLE_ASSET, LayerTable, shapes_key
from studio.engine.networks.fitting import head_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import ZooNetwork

_CLASSES = 10
_LARGER = 32


def table_of(network: ZooNetwork) -> LayerTable:
    """The row of one network, built without numbers in its weights."""
    height, width, channels = network.default_input
    usual = network.build((height, width, channels), _CLASSES)
    larger = network.build((height + _LARGER, width + _LARGER, channels), _CLASSES)
    with without_weights():
        model = build(usual, seed=0)
        layers, others = _layers(model, usual), _layers(build(larger, seed=0), larger)
        cost = multiply_adds(model)
    fixed = Counter(
        shapes_key(shapes) for name, shapes in layers.items() if others.get(name) == shapes
    )
    return LayerTable(
        height=height, width=width, multiply_adds=cost, layers=dict(sorted(fixed.items()))
    )


def _layers(model: keras.Model, spec: NetworkSpec) -> dict[str, tuple[tuple[int, ...], ...]]:
    return {each.name: each.shapes for each in needed_layers(model, head_of(spec))}


def write_table() -> None:
    """Write the table of all networks, one per line."""
    rows = [
        f"{json.dumps(network.name)}: {table_of(network).model_dump_json()}" for network in ZOO
    ]
    target = asset("networks") / TABLE_ASSET.rpartition("/")[2]
    write_atomically(target, "{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    write_table()
