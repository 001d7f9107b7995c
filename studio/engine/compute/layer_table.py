"""Writes `layers.json` and `stages.json` of `assets/networks`.

`python -m studio.engine.compute.layer_table`
"""

from __future__ import annotations

import json
import re
from collections import Counter

import keras

from studio.engine.assets import asset
from studio.engine.compute.build import build, grow_backbone, incoming_of, without_weights
from studio.engine.compute.graph import calls_of, multiply_adds
from studio.engine.compute.inspection import fields_of
from studio.engine.compute.weights import needed_layers
from studio.engine.files import write_atomically
from studio.engine.networks.backbones import BACKBONES, STAGES, STAGES_ASSET, Backbone
from studio.engine.networks.catalog import TABLE_ASSET, LayerTable, shapes_key
from studio.engine.networks.fitting import head_of
from studio.engine.networks.layers.backbone import BackboneParameters
from studio.engine.networks.parts import INNER, block_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import ZooNetwork

_CLASSES = 10
_LARGER = 32
_CELL = re.compile(r"(?:normal|reduction)_concat_\w+")


def table_of(network: ZooNetwork) -> LayerTable:
    """Return the row of one network, built without numbers in its weights."""
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


def stages_of(backbone: Backbone) -> dict[str, str]:
    """Find the last layer of each stage of a backbone, see `backbones.stage_of`.

    That is the last block, as its layers are called, that everything behind it goes through; in
    backbones whose blocks have no names, the last layer with that property. In NASNet, whose cells
    also see the one before, it is the last cell.
    """
    with without_weights():
        incoming = keras.Input((backbone.usual, backbone.usual, 3))
        parameters = BackboneParameters.parse({"architecture": backbone.name})
        layers, output = grow_backbone("", parameters, incoming)
        calls, _ = calls_of([incoming], [output])
        fields = fields_of(calls)
    names = [call.layer.name.partition(INNER)[2] for call in calls]
    blocks = [block_of(call.layer.name) for call in calls]
    # The earliest tensor that a call, or one behind it, takes.
    earliest = [len(calls)] * (len(calls) + 1)
    for at in reversed(range(len(calls))):
        earliest[at] = min(earliest[at + 1], *calls[at].sources, len(calls))
    found = {}
    for stride in STAGES:
        jump = (float(stride), float(stride))
        there = [
            at
            for at, field in enumerate(fields)
            if field.jump == jump
            and len(calls[at].tensor.shape) == 4
            and "/" not in calls[at].path  # inside of a model in the backbone
        ]
        passed = [at for at in there if earliest[at + 1] >= at]
        ends = [at for at in passed if blocks[at] and blocks[at] not in blocks[at + 1 :]]
        cells = [at for at in there if _CELL.fullmatch(names[at])]
        if not (ends or passed or cells):  # the first convolution may have a stride of 4
            continue
        place = (ends or passed or cells)[-1]
        if place in ends or names[place]:
            found[str(stride)] = names[place]
        else:  # an operation that is no layer: it is what comes into the next layer
            tensor = calls[place].tensor
            following = next(
                layer for layer in layers if any(each is tensor for each in incoming_of(layer))
            )
            found[str(stride)] = f"before {following.name.partition(INNER)[2]}"
    return found


def write_stages() -> None:
    """Write the stages of all backbones, one backbone per line."""
    rows = [
        f"{json.dumps(backbone.name)}: {json.dumps(stages_of(backbone))}"
        for backbone in BACKBONES
        if backbone.transformer is None
    ]
    target = asset("networks") / STAGES_ASSET.rpartition("/")[2]
    write_atomically(target, "{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    write_stages()
    write_table()
