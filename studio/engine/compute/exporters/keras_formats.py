"""Writers of the formats that Keras and TensorFlow write themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.exporters.source import ExportSource, UnitScaling, not_expressible
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision
from studio.engine.messages import message
from studio.engine.networks.code import keras_code
from studio.engine.networks.library import KERAS_MODEL

CODE = "network.py"


def write_keras(source: ExportSource, path: Path, _precision: Precision) -> None:
    """Write a `.keras` file.

    Args:
        source: Model to export.
        path: File to write.
        _precision: Not used; always float32.
    """
    source.model.save(path)


def write_saved_model(source: ExportSource, path: Path, _precision: Precision) -> None:
    """Write a SavedModel: a folder for TensorFlow without Keras, with the endpoint `serve`.

    It returns decoded outputs if the source says so.

    Args:
        source: Model to export.
        path: Folder to write.
        _precision: Not used; always float32.
    """
    model, decoder = source.model, source.decoder()
    if decoder is not None:
        model = keras.Model(model.inputs[0], decoder(model.outputs[0]))
    model.export(str(path), verbose=False)


def write_weights(source: ExportSource, path: Path, _precision: Precision) -> None:
    """Write the weights and `network.py`, the network as plain Keras code, next to them.

    Args:
        source: Model to export.
        path: File of the weights.
        _precision: Not used; always float32.

    Raises:
        StudioError: The run does not contain the description of its network.
    """
    if source.spec is None:
        raise StudioError(
            "The run does not contain the description of its network.",
            "Export it as Keras: that file holds both.",
            "format",
        )
    path.with_name(CODE).write_text(keras_code(source.spec), encoding="utf-8")
    source.model.save_weights(path)


def write_tflite(source: ExportSource, path: Path, precision: Precision) -> None:
    """Write a `.tflite` file for LiteRT.

    `float16` and `dynamic` store weights in 16 and 8 bits and compute in 32. `int8` computes in 8
    bits, with ranges measured on training images; it takes raw bytes, or float32 where pixels
    are no bytes, and returns float32.

    Args:
        source: Model to export.
        path: File to write.
        precision: `float32`, `float16`, `dynamic` or `int8`.

    Raises:
        StudioError: LiteRT lacks an operation of the network.
    """
    import tensorflow as tf  # noqa: PLC0415 - may not be installed
    from tensorflow.lite.python.convert import ConverterError  # noqa: PLC0415 - the same

    def examples() -> Iterator[Any]:
        for image in source.calibration_batches():
            yield [image]

    model, scaling = source.standardized(precision)
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if precision != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if precision == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if precision == "int8":
        converter.representative_dataset = examples
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        if source.takes_bytes:
            converter.inference_input_type = tf.uint8
    try:
        data = converter.convert()
    except (ConverterError, ValueError, RuntimeError, NotImplementedError) as error:
        raise not_expressible(message("LiteRT {precision}", precision=precision), error) from error
    path.write_bytes(data if scaling is None else _scaled(data, scaling))


def _scaled(data: bytes, scaling: UnitScaling) -> bytes:
    """Append the scaling of the outputs, in float32, to a LiteRT file."""
    from tensorflow.lite.python import schema_py_generated as schema  # noqa: PLC0415 - may not be
    from tensorflow.lite.tools.flatbuffer_utils import (  # noqa: PLC0415 - installed
        convert_object_to_bytearray,
    )

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
    return bytes(convert_object_to_bytearray(model))


def write_bundle(source: ExportSource, path: Path, precision: Precision) -> None:
    """Write a LiteRT file, and the Keras model in float32 next to it.

    Args:
        source: Model to export.
        path: File of the LiteRT model.
        precision: Precision of the LiteRT model.

    Raises:
        StudioError: LiteRT lacks an operation of the network.
    """
    write_tflite(source, path, precision)
    write_keras(source, path.with_name(KERAS_MODEL), "float32")
