"""Keras code of networks: what it looks like, and that it builds the same without Studio."""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import keyword
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.processes import run_python
from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.code import is_default, keras_code
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.library import read_export, read_network
from studio.engine.networks.spec import HEAD, AuxiliaryHead, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO


def _net(side: int = 16) -> GraphBuilder:
    shape = InputShape(height=side, width=side, channels=3)
    return GraphBuilder("Test", shape, 4).add("rescaling")


def _headed(net: GraphBuilder) -> NetworkSpec:
    return net.add("flatten").add("dense", HEAD, units=4, activation="softmax").spec()


def _zoo(name: str) -> NetworkSpec:
    network = ZOO[name]
    side = max(*network.smallest, 12)
    return network.build((side, side, 1), 3)


def _is_explicit(name: str) -> bool:
    return all(node.layer != "backbone" for node in _zoo(name).nodes)


EXPLICIT = [network.name for network in ZOO if _is_explicit(network.name)]


def _special() -> dict[str, NetworkSpec]:
    """Networks with everything that is not in the zoo."""
    trunk = (net := _net(32)).last
    net.add("backbone", "left").add("backbone", "right", after=trunk)
    duplicates = _headed(net.add("concatenate", after=("left", "right")))
    config = json.dumps({"max_value": 200.0, "threshold": 1.0, "name": "no"})
    odd = _net().add("keras", "class", class_name="ReLU", config=config)
    odd.add("conv2d", "layers", kernel=1, kernel_width=3, groups=3, filters=6)
    odd.add("max_pool", "model", stride=1).add("group_normalization", "inputs_", groups=1)
    rows = _net().add("reshape", target_shape="16, -1")
    rows.add("bidirectional", "both", units=5, cell="gru", merge_mode="sum")
    mean = tuple(float(number) / 7 for number in range(16 * 16 * 3))
    mean_image = _net().add("subtract_mean", "mean", mean=mean, height=16, width=16)
    return {
        "backbone": _headed(_net(32).add("backbone", "trunk", frozen_up_to="block_2")),
        "efficient": _headed(_net(32).add("backbone", architecture="efficientnet_v2_b0")),
        "twins": duplicates,
        "odd names": _headed(odd),
        "both directions": _headed(rows),
        "mean image": _headed(mean_image),
    }


CHILD = """
import sys
from pathlib import Path

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "studio":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
import numpy as np

def numbers(shape, at):
    rng = np.random.default_rng(at)
    if len(shape) < 2:  # also variances, which are positive
        return rng.uniform(0.5, 1.5, shape).astype("float32")
    return rng.standard_normal(shape, "float32") / np.sqrt(np.prod(shape[:-1]), dtype="float32")

for path in sorted(Path(sys.argv[1]).glob("*.py")):
    scope = {"__name__": "network"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
    model = scope["model"]
    model.set_weights([numbers(w.shape, at) for at, w in enumerate(model.weights)])
    images = np.random.default_rng(0).integers(0, 256, (2, *model.input_shape[1:]))
    np.save(path.with_suffix(".npy"), np.asarray(model(images.astype("float32"), training=False)))
    (path.with_suffix(".txt")).write_text("\\n".join(layer.name for layer in model.layers))
    scope["keras"].backend.clear_session()
"""


def _numbers(shape: tuple[int, ...], at: int) -> Any:
    rng = np.random.default_rng(at)
    if len(shape) < 2:  # also variances, which are positive
        return rng.uniform(0.5, 1.5, shape).astype("float32")
    return rng.standard_normal(shape, "float32") / np.sqrt(np.prod(shape[:-1]), dtype="float32")


@pytest.mark.thorough
def test_the_code_gives_the_same_in_a_process_without_studio(tmp_path: Path) -> None:
    from studio.engine.compute.backends.prepare import prepare_backend

    prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)
    from studio.engine.compute.build import build
    from studio.engine.compute.read import expand

    specs = {name: _zoo(name) for name in EXPLICIT} | _special()
    specs["expanded"] = expand(specs["efficient"])
    for name, spec in specs.items():
        (tmp_path / f"{name}.py").write_text(keras_code(spec), encoding="utf-8")

    done = run_python(CHILD, str(tmp_path))

    assert done.returncode == 0, done.stderr[-3000:]
    for name, spec in specs.items():
        model = build(spec, seed=0)
        model.set_weights([_numbers(w.shape, at) for at, w in enumerate(model.weights)])
        images = np.random.default_rng(0).integers(0, 256, (2, *model.input_shape[1:]))
        expected = np.asarray(model(images.astype("float32"), training=False))
        assert np.allclose(np.load(tmp_path / f"{name}.npy"), expected, atol=1e-5), name
        names = (tmp_path / f"{name}.txt").read_text().split("\n")
        if "backbone" not in {node.layer for node in spec.nodes}:
            assert names == [layer.name for layer in model.layers], name


@pytest.mark.parametrize("name", EXPLICIT)
def test_the_code_of_the_zoo_is_python_in_lines_that_fit(name: str) -> None:
    code = keras_code(_zoo(name))

    ast.parse(code)
    assert max(len(line) for line in code.splitlines()) <= 110
    assert "studio" not in code.replace("Studio", "").lower()


def test_one_statement_per_layer_with_blocks_as_comments() -> None:
    net = _net().add("conv2d", "first", filters=8, block="stem")
    net.add("batch_normalization", "norm", block="stem").add("relu", "on")
    spec = _headed(net)
    nodes = tuple(
        n.model_copy(update={"frozen": n.id == "first", "rate": 0.1 if n.id == HEAD else 1})
        for n in spec.nodes
    )

    code = keras_code(spec.model_copy(update={"nodes": nodes}))

    stem = 'first = layers.Conv2D(filters=8, kernel_size=3, padding="same", name="first")'
    assert f"\n# stem\n{stem}(rescaling_1)\nnorm = layers." in code
    assert 'for name in ["first"]:\n    model.get_layer(name).trainable = False\n' in code
    assert f"# 0.1 for {HEAD}\n" in code


def test_names_cannot_break_out_of_the_code() -> None:
    evil = '"""\nimport os  # \\'
    spec = _headed(_net().add("relu", "x", block=evil))

    code = keras_code(spec.model_copy(update={"name": evil}))

    tree = ast.parse(code)
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    assert [name.name for node in imported for name in node.names] == ["keras"]


INJECTION = "globals()[__import__('os').system('touch stolen')]"


@pytest.mark.parametrize("node_id", [INJECTION, "a\0b", "a b", "", "1a", "input", "é", "a\n"])
def test_an_id_that_is_no_identifier_never_reaches_the_code(tmp_path: Path, node_id: str) -> None:
    good = _headed(_net().add("relu", "x"))
    text = good.to_json().replace('"x"', json.dumps(node_id))
    bad = NetworkSpec.parse(json.loads(text))

    with pytest.raises(StudioError, match="cannot have the id"):
        keras_code(bad)
    with pytest.raises(StudioError, match="no layer"):
        keras_code(good.model_copy(update={"output": node_id}))
    path = tmp_path / "network.json"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "labels.json").write_text("{}", encoding="utf-8")
    archive = tmp_path / "bundle.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("labels.json", "{}")
        file.writestr("network.json", text)
    for read in (read_network, lambda _: read_export(tmp_path), lambda _: read_export(archive)):
        with pytest.raises(StudioError, match="cannot have the id"):
            read(path)


def test_variables_never_hide_a_word_of_python_or_another_variable() -> None:
    net = _net(32).add("backbone", "trunk")
    for node_id in ("trunk_layers", "class", "class_", "all", "zip", "isinstance", "keras", "re"):
        net.add("relu", node_id)

    tree = ast.parse(keras_code(_headed(net)))

    assigned = [
        name.id
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    assert len(set(assigned)) == len(assigned)
    assert not set(assigned) & {*dir(builtins), *keyword.kwlist, "keras", "layers", "grow", "re"}


def test_settings_of_other_layers_stay_data() -> None:
    inner = {"module": "keras.layers", "class_name": "Lambda", "config": {"function": "x"}}
    config = json.dumps({"layer": inner})
    spec = _headed(_net().add("keras", "x", class_name="TimeDistributed"))
    parameters = {"class_name": "TimeDistributed", "config": config}
    nodes = [node.model_copy(update={"parameters": parameters}) for node in spec.nodes[1:2]]
    nodes = [spec.nodes[0], *nodes, *spec.nodes[2:]]
    with pytest.raises(StudioError, match="contains code"):
        keras_code(spec.model_copy(update={"nodes": tuple(nodes)}))

    odd = '{"max_value": NaN, "name": "\\ud800 \\u2028 \\u0000 😀"}'
    node = _headed(_net().add("keras", "x", class_name="ReLU", config=odd, block="a\0b\x1b[31m"))
    code = keras_code(node)
    ast.parse(code.encode())
    assert "\0" not in code
    assert "\x1b" not in code
    assert 'float("nan")' in code


def test_auxiliary_heads_get_a_model_for_training() -> None:
    net = _net()
    trunk = net.last
    net.add("global_average_pool", "pool").add("dense", "side", units=4, activation="softmax")
    net.add("conv2d", "on", after=trunk)
    heads = (AuxiliaryHead(node="side", weight=0.3),)

    code = keras_code(_headed(net).model_copy(update={"auxiliary": heads}))

    assert f"training_model = keras.Model(inputs, [{HEAD}, side])" in code
    assert "loss_weights=[1.0, 0.3]" in code


@pytest.mark.slow
def test_what_is_left_out_is_what_keras_takes_anyway() -> None:
    import keras

    checked = 0
    for layer in LAYERS:
        if not layer.keras_class:
            continue
        kind = getattr(keras.layers, layer.keras_class)
        given = inspect.signature(kind).parameters
        made = layer.keras_arguments(layer.parameters.parse({}))
        for argument, usual in made.items():
            for value in (True, False, 1, -1, 0.0, "linear", "valid", "concat", "nearest"):
                if type(usual) is type(value) and is_default(layer.keras_class, argument, value):
                    default = given[argument].default
                    same = {None: "linear", (1, 1): 1}.get(default, default)
                    assert same == value, (layer.name, argument)
                    checked += 1
    assert checked > 20
