"""Levels of gray that reach an exported model: pixels of 16 bits, and channels of other ranges."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from ai_edge_litert.interpreter import Interpreter
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.exporting.formats import FORMATS, Precision
from studio.engine.networks.spec import INPUT_RANGE
from studio.engine.pixel_format import PixelFormat
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)
import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.exporters import writer_of  # noqa: E402
from studio.engine.compute.exporters.source import ExportSource  # noqa: E402

pytestmark = pytest.mark.slow
SIDE = 64
CAMERA = PixelFormat.uniform("uint16", 1, 0, 4095)
UNEVEN = PixelFormat(
    dtype="uint16", channels=2, low=(0, 100), high=(65535, 110), names=("bright", "dim")
)
EXPOSURES = CAMERA.model_copy(update={"per_image": True})


class _Source(ExportSource):
    """A model without a run, calibrated on images of a test."""

    takes_bytes = False

    @classmethod
    def of(cls, pixels: PixelFormat, images: Pixels) -> _Source:
        """Return a source of a model that returns the pixels behind the first layer."""
        plan = TrainingPlan(dataset="x", network="small_cnn")
        shape = (SIDE, SIDE, pixels.channels)
        whole = build(network_for(plan, shape, 2, pixels=pixels), seed=0)
        scaled = whole.get_layer(INPUT_RANGE).output
        model = keras.Model(whole.inputs[0], keras.layers.Flatten()(scaled))
        source = cls(model, None, None, None, "levels")
        source.__dict__["calibration"] = images.astype(np.float32)
        return source


def _every_value(low: int, high: int) -> Pixels:
    """Return an image with every value of a range, shape (SIDE, SIDE)."""
    values = np.linspace(low, high, SIDE * SIDE).round().astype(np.uint16)
    return values.reshape(SIDE, SIDE)


@pytest.fixture
def exported(tmp_path: Path) -> Callable[..., NDArray[np.float32]]:
    """Writes a model, and returns what its file computes of images, n x h x w x c each."""

    def answers(
        source: ExportSource, name: str, precision: Precision, images: Pixels
    ) -> NDArray[np.float32]:
        exported_format = FORMATS[name]
        path = tmp_path / exported_format.file
        writer_of(name)(source, path, precision)
        runtime = exported_format.script
        spec = importlib.util.spec_from_file_location("runtime_of_levels", runtime)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found = np.asarray(module.load(path)(images.astype(np.float32)), np.float32)
        return found.reshape(images.shape)

    return answers


def _inputs_of(path: Path) -> list[str]:
    """Return the names of the inputs that users of a file see."""
    if path.suffix == ".onnx":
        return [each.name for each in onnx.load(str(path)).graph.input]
    interpreter = Interpreter(str(path))
    signatures = interpreter.get_signature_list().values()
    return [
        *(name for each in signatures for name in each["inputs"]),
        *(each["name"] for each in interpreter.get_input_details()),
    ]


_NAMES = ["keras", "savedmodel", "tflite", "onnx", "openvino", "torch"]


@pytest.mark.parametrize("name", _NAMES)
def test_all_levels_of_12_bits_reach_the_exported_model(
    name: str, exported: Callable[..., NDArray[np.float32]]
) -> None:
    if FORMATS[name].missing():
        pytest.skip(f"{name} needs {FORMATS[name].missing()}")
    image = _every_value(0, 4095)[None, ..., None]

    found = exported(_Source.of(CAMERA, image), name, "float32", image)

    assert len(np.unique(found)) == 4096
    assert np.allclose(found, CAMERA.network_values(image), atol=1e-3)


@pytest.mark.parametrize("name", ["tflite", "onnx"])
def test_8_bits_keep_channels_of_different_ranges(
    name: str, exported: Callable[..., NDArray[np.float32]], tmp_path: Path
) -> None:
    image = np.stack([_every_value(0, 65535), _every_value(100, 110)], axis=-1)[None]

    found = exported(_Source.of(UNEVEN, image), name, "int8", image)

    assert len(np.unique(found[..., 1])) == 11
    assert all("keras_tensor" not in each for each in _inputs_of(tmp_path / FORMATS[name].file))
    assert np.abs(found - UNEVEN.network_values(image)).max() <= 2


@pytest.mark.parametrize("name", ["tflite", "onnx"])
def test_8_bits_keep_images_of_different_exposures(
    name: str, exported: Callable[..., NDArray[np.float32]]
) -> None:
    images = np.stack([_every_value(0, 4095), _every_value(50, 90)])[..., None]

    found = exported(_Source.of(EXPOSURES, images), name, "int8", images)

    assert len(np.unique(found[1])) == 41
    assert np.abs(found - EXPOSURES.network_values(images)).max() <= 2
