"""Writes a `.tflite` file for LiteRT, in one of four precisions."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf
from tensorflow.lite.python.convert import ConverterError

from studio.engine.compute.exporters.source import ExportSource, not_expressible
from studio.engine.exporting.formats import Precision


def write(source: ExportSource, path: Path, precision: Precision) -> None:
    """Convert the model.

    `float16` and `dynamic` keep weights in 16 and 8 bits and compute in 32. `int8` computes in 8
    bits, with ranges measured on training images: raw bytes go in, and scores come out as float32.

    Raises:
        StudioError: It holds an operation that LiteRT does not have.
    """
    converter = tf.lite.TFLiteConverter.from_keras_model(source.model)
    if precision != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if precision == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if precision == "int8":
        converter.representative_dataset = _examples(source)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.uint8
    try:
        data = converter.convert()
    except (ConverterError, ValueError, RuntimeError, NotImplementedError) as error:
        raise not_expressible(f"LiteRT {precision}", error) from error
    path.write_bytes(data)


def _examples(source: ExportSource):  # type: ignore[no-untyped-def]  # noqa: ANN202
    def examples():  # type: ignore[no-untyped-def]  # noqa: ANN202 - as TensorFlow calls it
        for image in source.calibration_batches():
            yield [image]

    return examples
