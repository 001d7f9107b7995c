"""OpenVINO IR and .pt2 files: their answers, their telemetry, and OpenVINO as a reader of ONNX."""

from __future__ import annotations

import importlib.util
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.sampling import sample
from studio.engine.assets import asset
from studio.engine.compute import exporters
from studio.engine.compute.exporters import torch_program, writer_of
from studio.engine.compute.exporters.source import ExportSource, ModelParts
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision
from studio.engine.training.model_format import ModelFormat, detect

pytestmark = pytest.mark.slow

with_openvino = pytest.mark.skipif(
    importlib.util.find_spec("openvino") is None, reason="openvino is not installed"
)
IMAGES = np.random.default_rng(0).integers(0, 256, (5, 12, 12, 3), np.uint8)
IMPORTED = """
import runpy, sys
runpy.run_path(sys.argv[1])
import openvino
from openvino.tools.ovc import convert_model
print([name for name in sys.modules if name.partition(".")[0] == "openvino_telemetry"])
print(sys.modules["openvino_telemetry"])
"""


def _batches() -> Iterator[NDArray[np.float32]]:
    for image in IMAGES:
        yield image[None].astype(np.float32)


@pytest.fixture(scope="module")
def source() -> ExportSource:
    layers = keras.layers
    inputs = keras.Input((12, 12, 3))
    x = layers.Conv2D(4, 3, padding="same", use_bias=False)(layers.Rescaling(1 / 255)(inputs))
    x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.MaxPooling2D()(layers.Add()([x, layers.DepthwiseConv2D(3, padding="same")(x)]))
    x = layers.Dropout(0.5)(layers.Concatenate()([x, layers.Conv2D(2, 1)(x)]))
    pooled = layers.Concatenate()([layers.GlobalAveragePooling2D()(x), layers.Flatten()(x)])
    model = keras.Model(inputs, layers.Dense(3, activation="softmax")(pooled))
    return _source(model)


def _source(model: keras.Model) -> ExportSource:
    made = SimpleNamespace(
        model=model,
        calibration_batches=_batches,
        parts=lambda _: ModelParts(None, model, None),
        decoder=lambda: None,
    )
    return cast("ExportSource", made)


def _loaded(runtime: str, path: Path) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]]:
    """The model of a file, as the runtime of its exported folder loads it."""
    names = runpy.run_path(str(asset(f"export/runtimes/{runtime}.py")))
    return cast("Callable[[NDArray[np.uint8]], NDArray[np.float32]]", names["load"](path))


def _check_answers(
    source: ExportSource, run: Callable[[NDArray[np.uint8]], NDArray[np.float32]], far: float
) -> None:
    scores = np.asarray(source.model.predict_on_batch(IMAGES.astype(np.float32)))
    for count in (5, 1, 3):  # batches of any size, one after the other
        answers = run(IMAGES[:count])
        assert answers.shape == (count, 3)
        assert answers.dtype == np.float32
        np.testing.assert_allclose(answers, scores[:count], atol=far)


@with_openvino
@pytest.mark.parametrize(("precision", "far"), sample([("float32", 1e-5), ("float16", 0.01)], 1))
def test_openvino_answers_as_the_model(
    source: ExportSource, precision: Precision, far: float, tmp_path: Path
) -> None:
    path = tmp_path / "a folder ü"
    writer_of("openvino")(source, path, precision)

    assert {each.name for each in path.iterdir()} == {"model.xml", "model.bin"}
    _check_answers(source, _loaded("openvino", path), far)
    assert str(tmp_path) not in (path / "model.xml").read_text(encoding="utf-8")
    assert detect(path / "model.xml") == ModelFormat.OPENVINO


@with_openvino
@pytest.mark.parametrize(
    ("precision", "far"), sample([("float32", 1e-5), ("float16", 0.01), ("int8", 0.05)], 1)
)
def test_openvino_reads_onnx_files(
    source: ExportSource, precision: Precision, far: float, tmp_path: Path
) -> None:
    pytest.importorskip("tf2onnx")
    path = tmp_path / "model.onnx"
    writer_of("onnx")(source, path, precision)
    writer_of("openvino")  # its module turns telemetry off
    import openvino

    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(str(path), "CPU", exact)

    _check_answers(source, lambda images: compiled([images.astype(np.float32)])[0], far)


@pytest.mark.thorough
@with_openvino
def test_unsupported_openvino_operations_are_reported_in_a_line(tmp_path: Path) -> None:
    inputs = keras.Input((4, 3, 1))
    x = keras.layers.LSTM(2)(keras.layers.Reshape((4, 3))(inputs))
    with pytest.raises(StudioError, match=r"OpenVINO IR float32: it has no TensorList\."):
        writer_of("openvino")(_source(keras.Model(inputs, x)), tmp_path / "model", "float32")


@pytest.mark.thorough
@with_openvino
def test_openvino_sends_no_telemetry() -> None:
    folder = Path(exporters.__file__).parent
    for path in (folder / "openvino_ir.py", asset("export/runtimes/openvino.py")):
        done = subprocess.run(
            [sys.executable, "-c", IMPORTED, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-2:] == ["['openvino_telemetry']", "None"]


def test_pt2_answers_as_the_model(source: ExportSource, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "model ü.pt2"
    writer_of("torch")(source, path, "float32")

    _check_answers(source, _loaded("torch", path), 1e-5)
    with zipfile.ZipFile(path) as archive:  # each weight once
        sizes = [each.file_size for each in archive.infolist() if "/data/" in each.filename]
        assert not [name for name in archive.namelist() if b"site-packages" in archive.read(name)]
    assert sum(sizes) < 1.5 * 4 * source.model.count_params() + 20_000
    assert detect(path) == ModelFormat.TORCH


@pytest.mark.parametrize(
    ("script", "expected"),
    sample(
        [
            ("import sys; sys.exit('it has no such operation.')", "it has no such operation."),
            ("import no_such_module", "No module named 'no_such_module'."),
            ("import os; os._exit(7)", "exit code 7."),
        ],
        1,
    ),
)
def test_a_failed_torch_export_reports_its_reason(
    source: ExportSource,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    expected: str,
) -> None:
    monkeypatch.setattr(torch_program, "_SCRIPT", script)
    with pytest.raises(StudioError, match=r"cannot be written as PyTorch: .*") as caught:
        torch_program.write(source, tmp_path / "model.pt2", "float32")
    assert caught.value.message.endswith(expected)
