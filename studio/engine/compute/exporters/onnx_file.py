"""Writes an `.onnx` file, in one of three precisions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import keras
import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime.transformers.float16 import convert_float_to_float16

from studio.engine.compute.exporters.source import (
    ExportSource,
    UnitScaling,
    in_use,
    not_expressible,
)
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision
from studio.engine.messages import message
from studio.engine.networks.spec import RANGE_NODES

OPSET = 18
_DECODER, _PIXELS = "decoder/", "pixels/"
"""Prefixes of the names of the nodes that decode outputs, and that scale pixels."""


class _Calibration(CalibrationDataReader):  # type: ignore[misc]  # onnxruntime ships no types
    """Hands the calibration images over one by one, as onnxruntime asks for them."""

    def __init__(self, name: str, images: Iterator[NDArray[np.float32]]) -> None:
        self._name = name
        self._images = images

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        """Return the next image; None at the end."""
        image = next(self._images, None)
        return None if image is None else {self._name: image}


def write(source: ExportSource, path: Path, precision: Precision) -> None:
    """Convert the model; input and output are float32 in every precision.

    If the source says so, the file returns decoded outputs, computed in float32.

    Args:
        source: Model to export.
        path: File to write.
        precision: `float32`, `float16` or `int8`.

    Raises:
        StudioError: The model contains an operation that ONNX lacks.
    """
    pixels, model, scaling = source.parts(precision)
    try:
        if precision == "int8":
            _write_int8(model, source.calibration_batches(pixels), path)
        else:
            _export(model, path)
        decoder = source.decoder()
        if precision == "float32" and decoder is None:
            return
        written = onnx.load(str(path))
        if precision == "float16":
            written = _halved(written)
            sort_nodes(written.graph)  # the converter appends its casts at the end
        if scaling is not None:
            _append(scaling, written.graph)
        if pixels is not None:
            written = _joined(_exported(pixels), written, _PIXELS)
        if decoder is not None:
            written = _joined(written, _exported(decoder), _DECODER)
        onnx.save(written, str(path))
    except (ValueError, RuntimeError, NotImplementedError, KeyError) as error:
        raise not_expressible(message("ONNX {precision}", precision=precision), error) from error


def _halved(network: onnx.ModelProto) -> onnx.ModelProto:
    """Return a network in float16, but for the scaling of pixels: 65535 would be infinite."""
    parts = tuple(f"/{each}" for each in RANGE_NODES)
    exact = [node.name for node in network.graph.node if any(part in node.name for part in parts)]
    halved: onnx.ModelProto = convert_float_to_float16(
        network, keep_io_types=True, node_block_list=exact
    )
    _skip_round_trips(halved.graph)
    return halved


def _skip_round_trips(graph: onnx.GraphProto) -> None:
    """Let nodes in float32 read values in float32 as they were before a cast to float16."""
    exact = {
        node.output[0]: node.input[0]
        for node in graph.node
        if node.name.startswith("graph_input_cast") or node.name.endswith("_cast_to_fp16_node")
    }
    returns = [
        node
        for node in graph.node
        if node.name.endswith("_cast_to_fp32_node") and node.input[0] in exact
    ]
    known = {node.output[0]: exact[node.input[0]] for node in returns}
    for node in returns:
        graph.node.remove(node)
    for node in graph.node:
        node.input[:] = [known.get(name, name) for name in node.input]


def _append(scaling: UnitScaling, graph: onnx.GraphProto) -> None:
    """Append the scaling of the outputs, in float32, to a graph."""
    (output,) = graph.output
    for name, values in (("unit_scale", scaling.scale), ("unit_offset", scaling.offset)):
        graph.initializer.append(onnx.numpy_helper.from_array(values, name))
    make = onnx.helper.make_node
    graph.node.append(make("Mul", [output.name, "unit_scale"], ["unit_scaled"]))
    graph.node.append(make("Add", ["unit_scaled", "unit_offset"], ["in_units"]))
    output.name = "in_units"


def _exported(model: keras.Model) -> onnx.ModelProto:
    """Return a model in float32."""
    with tempfile.TemporaryDirectory(prefix="studio-onnx-") as folder:
        path = Path(folder) / "part.onnx"
        _export(model, path)
        return onnx.load(str(path))


def _joined(first: onnx.ModelProto, then: onnx.ModelProto, prefix: str) -> onnx.ModelProto:
    """Return a network whose outputs go through a second one.

    Args:
        first: Has one output.
        then: Takes it.
        prefix: Prefix of the names of the nodes of the one that is added.
    """
    then.ir_version = first.ir_version = max(first.ir_version, then.ir_version)
    if prefix == _PIXELS:
        first = onnx.compose.add_prefix(first, prefix, rename_inputs=False)
    else:
        then = onnx.compose.add_prefix(then, prefix)
    names = first.graph.output[0].name, then.graph.input[0].name
    return onnx.compose.merge_models(first, then, io_map=[names])


def sort_nodes(graph: onnx.GraphProto) -> None:
    """Sort the nodes of a graph topologically, in place, as the ONNX format requires.

    Nodes whose order is free keep it. Values of an enclosing graph count as available.

    Raises:
        ValueError: The graph has a cycle.
    """
    waiting = list(graph.node)
    produced = {name for node in waiting for name in node.output if name}
    ordered: list[onnx.NodeProto] = []
    while waiting:
        later: list[onnx.NodeProto] = []
        for node in waiting:
            if produced.isdisjoint(_names_read(node)):
                ordered.append(node)
                produced.difference_update(node.output)
            else:
                later.append(node)
        if len(later) == len(waiting):
            raise ValueError(f"the graph has a cycle at {later[0].name}")
        waiting = later
    del graph.node[:]
    graph.node.extend(ordered)


def _names_read(node: onnx.NodeProto) -> set[str]:
    """Return the names of the values that a node reads, also those that its subgraphs read."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                names |= _names_read(inner)
    return names


def check(path: Path) -> None:
    """Check a file with ONNX's checker, including shape inference.

    Raises:
        StudioError: The file is invalid.
    """
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise StudioError(
            "The exported file {file} is not valid ONNX: {reason}.",
            "Choose another format or precision, and please report this.",
            "format",
            file=path.name,
            reason=reason,
        ) from error


def _export(model: keras.Model, path: Path) -> None:
    model = in_use(model)
    # Keras refuses models that were never called, which a loaded one may be.
    model(np.zeros((1, *model.input_shape[1:]), np.float32))
    model.export(str(path), format="onnx", opset_version=OPSET, verbose=False)
    written = onnx.load(str(path))
    if replace_erfc(written.graph):
        onnx.save(written, str(path))


def replace_erfc(graph: onnx.GraphProto) -> int:
    """Replace the complement of the error function, which ONNX lacks, by 1 - Erf, in place.

    TensorFlow computes the exact GELU with it, and tf2onnx writes it as it is.

    Returns:
        How many there were.
    """
    found = [node for node in graph.node if node.op_type == "Erfc"]
    if not found:
        return 0
    one = f"{found[0].name}/one"
    graph.initializer.append(onnx.numpy_helper.from_array(np.ones((), np.float32), one))
    for node in found:
        inner = f"{node.output[0]}/erf"
        graph.node.append(onnx.helper.make_node("Erf", [node.input[0]], [inner], f"{inner}_node"))
        graph.node.append(
            onnx.helper.make_node("Sub", [one, inner], list(node.output), f"{node.name}/sub")
        )
        graph.node.remove(node)
    sort_nodes(graph)
    return len(found)


def _write_int8(model: keras.Model, images: Iterator[NDArray[np.float32]], path: Path) -> None:
    """Write weights and activations in 8 bits, after folding layers for speed and accuracy.

    Args:
        model: The network.
        images: Images for the ranges of the activations, as the network takes them.
        path: File to write.
    """
    with tempfile.TemporaryDirectory(prefix="studio-onnx-") as folder:
        full, ready = Path(folder) / "full.onnx", Path(folder) / "ready.onnx"
        _export(model, full)
        quant_pre_process(str(full), str(ready), skip_symbolic_shape=True)
        name = onnx.load(str(ready)).graph.input[0].name
        quantize_static(
            str(ready),
            str(path),
            _Calibration(name, images),
            quant_format=QuantFormat.QDQ,  # operators of the standard, not of com.microsoft
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            # Weights of 7 bits: processors without VNNI cut sums of 8-bit products off, and one
            # score of LeNet was 0.44 away instead of 0.03.
            reduce_range=True,
        )
