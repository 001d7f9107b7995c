"""Changes the graphs of LiteRT files: puts something in float32 before or behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.exporters.source import UnitScaling


def joined(first: bytes, then: bytes) -> bytes:
    """Return a LiteRT file whose input goes through one file and then through another one.

    Args:
        first: Has one input and one output, in float32.
        then: Takes that output.
    """
    from tensorflow.lite.python import schema_py_generated as schema  # noqa: PLC0415 - may not be

    before, model = (schema.ModelT.InitFromPackedBuf(each, 0) for each in (first, then))
    (source,), (graph,) = before.subgraphs, model.subgraphs
    between = int(graph.inputs[0])
    buffers, codes = len(model.buffers), len(model.operatorCodes)
    tensors = len(graph.tensors)
    for tensor in source.tensors:
        tensor.buffer += buffers
    for step in source.operators:
        step.opcodeIndex += codes
    output = int(source.outputs[0])

    def moved(indices: Sequence[int]) -> NDArray[np.int32]:
        places = [between if at == output else at + tensors if at >= 0 else at for at in indices]
        return np.array(places, np.int32)

    for step in source.operators:
        step.inputs, step.outputs = moved(step.inputs), moved(step.outputs)
    graph.tensors[between].name = b"pixels"
    graph.inputs = moved(source.inputs)
    graph.tensors += source.tensors
    graph.operators = [*source.operators, *graph.operators]
    model.buffers += before.buffers
    model.operatorCodes += before.operatorCodes
    for old, new in zip(model.signatureDefs or (), before.signatureDefs or (), strict=False):
        old.inputs = new.inputs
        for each in old.inputs:
            each.tensorIndex = int(graph.inputs[0])
    return _bytes_of(model)


def scaled(data: bytes, scaling: UnitScaling) -> bytes:
    """Return a LiteRT file with the scaling of the outputs, in float32, behind it.

    Args:
        data: The file.
        scaling: The scaling.
    """
    from tensorflow.lite.python import schema_py_generated as schema  # noqa: PLC0415 - may not be

    model = schema.ModelT.InitFromPackedBuf(data, 0)
    (graph,) = model.subgraphs

    def constant(name: str, values: NDArray[np.float32]) -> int:
        buffer, tensor = schema.BufferT(), schema.TensorT()
        buffer.data = np.frombuffer(values.tobytes(), np.uint8)
        model.buffers.append(buffer)
        tensor.buffer, tensor.name = len(model.buffers) - 1, name
        tensor.shape, tensor.type = np.array(values.shape, np.int32), schema.TensorType.FLOAT32
        graph.tensors.append(tensor)
        return len(graph.tensors) - 1

    def apply(name: str, first: int, second: int) -> int:
        code, step, tensor = schema.OperatorCodeT(), schema.OperatorT(), schema.TensorT()
        code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, name)
        code.version = 1
        model.operatorCodes.append(code)
        before = graph.tensors[first]
        tensor.name, tensor.type = name.lower(), schema.TensorType.FLOAT32
        tensor.shape, tensor.shapeSignature = before.shape, before.shapeSignature
        graph.tensors.append(tensor)
        options = f"{name.capitalize()}Options"
        step.opcodeIndex = len(model.operatorCodes) - 1
        step.inputs = np.array([first, second], np.int32)
        step.outputs = np.array([len(graph.tensors) - 1], np.int32)
        step.builtinOptionsType = getattr(schema.BuiltinOptions, options)
        step.builtinOptions = getattr(schema, f"{options}T")()
        graph.operators.append(step)
        return len(graph.tensors) - 1

    multiplied = apply("MUL", int(graph.outputs[0]), constant("unit_scale", scaling.scale))
    output = apply("ADD", multiplied, constant("unit_offset", scaling.offset))
    graph.outputs = np.array([output], np.int32)
    for signature in model.signatureDefs or ():
        for each in signature.outputs:
            each.tensorIndex = output
    return _bytes_of(model)


def _bytes_of(model: Any) -> bytes:  # noqa: ANN401 - a generated class without types
    from tensorflow.lite.tools.flatbuffer_utils import (  # noqa: PLC0415 - may not be installed
        convert_object_to_bytearray,
    )

    return bytes(convert_object_to_bytearray(model))
