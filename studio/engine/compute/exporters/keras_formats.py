"""Writers of the formats that Keras and TensorFlow write themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras

from studio.engine.compute.exporters.litert_graphs import joined, scaled
from studio.engine.compute.exporters.source import ExportSource, in_use, not_expressible
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
    model, decoder = in_use(source.model), source.decoder()
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
    pixels, model, scaling = source.parts(precision)

    def examples() -> Iterator[Any]:
        for image in source.calibration_batches(pixels):
            yield [image]

    data = _converted(model, precision, examples, takes_bytes=source.takes_bytes)
    if pixels is not None:
        data = joined(_converted(pixels, "float32"), data)
    path.write_bytes(data if scaling is None else scaled(data, scaling))


def _converted(
    model: keras.Model,
    precision: Precision,
    examples: Callable[[], Iterator[Any]] | None = None,
    *,
    takes_bytes: bool = False,
) -> bytes:
    """Return a LiteRT file.

    Args:
        model: Model to convert.
        precision: Precision of the file.
        examples: Returns the inputs for the ranges of numbers of 8 bits.
        takes_bytes: True if a file of 8 bits takes bytes.

    Raises:
        StudioError: LiteRT lacks an operation of the model.
    """
    import tensorflow as tf  # noqa: PLC0415 - may not be installed
    from tensorflow.lite.python.convert import ConverterError  # noqa: PLC0415 - the same

    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if precision != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if precision == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if precision == "int8":
        converter.representative_dataset = examples
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        if takes_bytes:
            converter.inference_input_type = tf.uint8
    try:
        return bytes(converter.convert())
    except (ConverterError, ValueError, RuntimeError, NotImplementedError) as error:
        raise not_expressible(message("LiteRT {precision}", precision=precision), error) from error


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
