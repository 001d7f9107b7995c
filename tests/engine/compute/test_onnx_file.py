"""ONNX files: valid by the checker of the format, and of standard operators only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import keras
import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from helpers.sampling import sample
from studio.engine.compute.exporters import onnx_file
from studio.engine.compute.exporters.source import ExportSource, ModelParts
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision

pytestmark = pytest.mark.slow


def _batches() -> Iterator[NDArray[np.float32]]:
    for _ in range(2):
        yield np.random.default_rng(1).uniform(0, 255, (1, 12, 12, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def source() -> ExportSource:
    layers = keras.layers
    stack = [
        keras.Input((12, 12, 3)),
        layers.Rescaling(1 / 255),
        layers.Conv2D(4, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(3, activation="softmax"),
    ]
    model = keras.Sequential(stack)
    made = SimpleNamespace(
        model=model,
        calibration_batches=_batches,
        parts=lambda _: ModelParts(None, model, None),
        decoder=lambda: None,
    )
    return cast("ExportSource", made)


@pytest.mark.parametrize("precision", sample(["float32", "float16", "int8"], 1))
def test_files_are_valid_and_standard(
    source: ExportSource, precision: Precision, tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    onnx_file.write(source, path, precision)
    onnx_file.check(path)
    nodes = onnx.load(str(path)).graph.node
    assert {node.domain for node in nodes} <= {"", "ai.onnx"}
    assert ("QuantizeLinear" in {node.op_type for node in nodes}) == (precision == "int8")


def test_pixels_of_16_bits_are_scaled_before_they_become_float16(tmp_path: Path) -> None:
    stack = [
        keras.Input((4, 4, 1)),
        keras.layers.Rescaling(255 / 100, -65400 * 255 / 100, name="input_range"),
        keras.layers.Flatten(),
        keras.layers.Dense(2),
    ]
    model = keras.Sequential(stack)
    made = SimpleNamespace(
        model=model, parts=lambda _: ModelParts(None, model, None), decoder=lambda: None
    )
    images = np.random.default_rng(0).integers(65400, 65536, (3, 4, 4, 1)).astype(np.float32)

    onnx_file.write(cast("ExportSource", made), tmp_path / "model.onnx", "float16")

    onnx_file.check(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    (found,) = session.run(None, {session.get_inputs()[0].name: images})
    assert np.allclose(found, model.predict(images, verbose=0), rtol=0.01, atol=1)


def _unsorted(first: str = "x") -> onnx.ModelProto:
    nodes = [
        helper.make_node("Relu", ["a"], ["y"], name="second"),
        helper.make_node("Neg", [first], ["a"], name="first"),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", onnx_file.OPSET)])


def test_unsorted_nodes_are_refused_and_sorted(tmp_path: Path) -> None:
    model, path = _unsorted(), tmp_path / "model.onnx"
    onnx.save(model, str(path))
    with pytest.raises(StudioError, match="not valid ONNX"):
        onnx_file.check(path)
    onnx_file.sort_nodes(model.graph)
    assert [node.name for node in model.graph.node] == ["first", "second"]
    onnx.save(model, str(path))
    onnx_file.check(path)


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        onnx_file.sort_nodes(_unsorted("y").graph)


def test_the_exact_gelu_is_written_with_operators_of_the_standard(tmp_path: Path) -> None:
    layers = keras.layers
    model = keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="gelu")])
    values = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    onnx_file._export(model, tmp_path / "gelu.onnx")
    written = onnx.load(tmp_path / "gelu.onnx")
    onnx.checker.check_model(written)
    assert "Erf" in {node.op_type for node in written.graph.node}
    session = onnxruntime.InferenceSession(tmp_path / "gelu.onnx")
    (found,) = session.run(None, {session.get_inputs()[0].name: values})
    np.testing.assert_allclose(found, model(values), atol=1e-6)
