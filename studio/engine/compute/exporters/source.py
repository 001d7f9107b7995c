"""The input of the writers of export formats: a trained model and its context."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision
from studio.engine.messages import as_message, message
from studio.engine.networks.spec import INPUT_RANGE, NetworkSpec
from studio.engine.training.plan import TrainingPlan

CALIBRATION_IMAGES = 200
NOISE_IMAGES = 8
_LACKING = re.compile(r"'?tf\.(\w+)'? op\b|No conversion rule found for operations: (.+)")
"""Messages of the converters of LiteRT and OpenVINO about missing operations."""


@dataclass(frozen=True)
class UnitScaling:
    """The last layer of a network for numbers: `outputs * scale + offset`, float32, K each."""

    scale: NDArray[np.float32]
    offset: NDArray[np.float32]


class ModelParts(NamedTuple):
    """A model in parts, one behind the other.

    Attributes:
        pixels: Model that brings pixels to 0 to 255, in float32; None if `model` does so.
        model: Model in the precision of the file.
        scaling: The last layer, in float32; None if it is in the model.
    """

    pixels: keras.Model | None
    model: keras.Model
    scaling: UnitScaling | None


@dataclass(frozen=True)
class ExportSource:
    """A trained model and what is known about it.

    Attributes:
        model: Computes in float32; takes pixels, n x height x width x channels.
        store: The dataset of the training; None for a model file without a run.
        spec: Description of the network; None if the run does not hold it.
        plan: Plan of the training; None if it is not known.
        name: Name of the run.
        decodes: True if files that can hold it decode the outputs of the network.
    """

    model: keras.Model
    store: Store | None
    spec: NetworkSpec | None
    plan: TrainingPlan | None
    name: str
    decodes: bool = False

    def decoder(self) -> keras.Model | None:
        """Return the model that decodes the outputs; None where files have the outputs."""
        task = None if self.store is None else self.store.task
        output = None if task is None else task.output_of(self.model.output_shape)
        decoding = None
        if task is not None and output is not None:
            decoding = task.predictor.decoding_of(output)
        if not self.decodes or decoding is None:
            return None
        make = importlib.import_module(decoding.module).decoding_model
        return make(self.model.output_shape[1:], self.model.input_shape[1:3])

    def parts(self, precision: Precision) -> ModelParts:
        """Return the part of the model that a precision applies to, and those around it.

        Numbers of 16 and 8 bits cannot hold large units, nor units of different size side by
        side; neither can 8 bits hold pixels of 16 bits, nor channels of different ranges. So
        writers put what scales pixels before the model, and units behind it, in float32.

        Args:
            precision: Precision of the file.
        """
        model, scaling = self.model, None
        first, last = model.inputs[0], model.layers[-1]
        output = model.outputs[0]
        if precision != "float32" and isinstance(last, keras.layers.Rescaling):
            width = (model.output_shape[-1],)
            values = [
                np.array(np.broadcast_to(np.asarray(each, np.float32), width))
                for each in (last.scale, last.offset)
            ]
            output, scaling = last.input, UnitScaling(*values)
        ranged = next((each for each in model.layers if each.name == INPUT_RANGE), None)
        if precision != "int8" or ranged is None:
            whole = model if scaling is None else keras.Model(first, output)
            return ModelParts(None, whole, scaling)
        return ModelParts(
            keras.Model(first, ranged.output), keras.Model(ranged.output, output), scaling
        )

    @cached_property
    def calibration(self) -> NDArray[np.float32]:
        """Training images for the ranges of 8-bit numbers: float32, n x h x w x c.

        The first image has the lowest and the highest value of each channel, so that the ranges
        hold all of them.
        Noise if no dataset is known: enough to measure the speed of a file.

        Raises:
            StudioError: There are no training images.
        """
        if self.store is None:
            shape = (NOISE_IMAGES, *self.model.input_shape[1:])
            return np.random.default_rng(0).integers(0, 256, shape).astype(np.float32)
        rows = self.store.rows("train")
        if not len(rows):
            raise StudioError(
                "8-bit quantization is calibrated on training images, but there are none.",
                "Export it in another precision.",
                "precision",
            )
        chosen = rows[np.linspace(0, len(rows) - 1, CALIBRATION_IMAGES).astype(np.int64)]
        images = np.asarray(self.store.images[np.unique(chosen)], np.float32)
        images[0, 0, 0, :] = self.store.pixel_format.low
        images[0, -1, -1, :] = self.store.pixel_format.high
        return images

    @property
    def takes_bytes(self) -> bool:
        """True if the pixels of the images are 8 bit gray or color, as far as is known."""
        return self.store is None or self.store.pixel_format.is_standard

    def calibration_batches(self, pixels: keras.Model | None) -> Iterator[NDArray[np.float32]]:
        """Yield the calibration images one by one: 1 x h x w x c.

        Args:
            pixels: See `ModelParts`.
        """
        for image in self.calibration:
            yield image[None] if pixels is None else np.asarray(pixels(image[None]))


def in_use(model: keras.Model) -> keras.Model:
    """Return a model that computes as in use, also if it is called without `training`.

    A layer such as RandomFlip takes True by default, and those behind it inherit that; batch
    normalization would then use the other images of a batch.

    Args:
        model: The model, whose weights are shared.
    """
    images = model.inputs[0]
    return keras.Model(images, model(images, training=False), name=model.name)


def not_expressible(label: str, error: Exception) -> StudioError:
    """Return the error for a network that a converter refuses.

    Args:
        label: Name of the format.
        error: Error of the converter.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = lines[0].rstrip(".")[:300] if lines else type(error).__name__
    lacking = dict.fromkeys(_LACKING.findall(str(error)))
    if lacking:  # named in one of many lines
        reason = message(
            "it has no {layers}", layers=", ".join("".join(names) for names in lacking)
        )
    return StudioError(
        "The network cannot be written as {format}: {reason}.",
        "Choose another format or precision.",
        "format",
        format=label,
        reason=as_message(reason),
    )
