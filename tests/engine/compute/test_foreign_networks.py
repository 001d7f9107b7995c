"""ONNX, OpenVINO and LiteRT files of other programs: layout, preprocessing, scores, errors."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psutil
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from studio.engine.compute.backends.prepare import prepare_backend  # noqa: E402
from studio.engine.errors import BadDataError, StudioError  # noqa: E402
from studio.engine.inference.class_names import class_names_inside  # noqa: E402
from studio.engine.inference.foreign_models import (  # noqa: E402
    CONVERTED,
    UNNAMED,
    UNSEEN_SCALE,
    ModelOptions,
)
from studio.engine.inference.models import read_source  # noqa: E402
from studio.engine.training.model_format import ModelFormat, detect  # noqa: E402

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

from studio.engine.compute import model_trial, runtimes, warm_models  # noqa: E402
from studio.engine.compute.image_shapes import Shape  # noqa: E402
from studio.engine.compute.runtimes import ImageLayout, Network  # noqa: E402
from studio.engine.compute.warm_models import WarmModel, load_warm  # noqa: E402

IMAGES = np.random.default_rng(1).integers(0, 256, (3, 4, 6, 3), np.uint8)
KERNEL = np.random.default_rng(2).normal(0, 0.02, (3, 5)).astype("f4")


def onnx_file(
    path: Path,
    shape: Sequence[int | str] = ("n", 3, 4, 6),
    ending: str = "Softmax",
    kind: str = "FLOAT",
    kernel: np.ndarray = KERNEL,
) -> Path:
    """A network of the mean colors of an image, without any description."""
    helper = onnx.helper
    axes = [2, 3] if shape[1] == kernel.shape[0] else [1, 2]
    nodes = [
        helper.make_node("Cast", ["image"], ["real"], to=1),
        helper.make_node("ReduceMean", ["real"], ["mean"], axes=axes, keepdims=0),
        helper.make_node("MatMul", ["mean", "kernel"], ["scores"]),
        helper.make_node(ending, ["scores"], ["out"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("image", getattr(onnx.TensorProto, kind), shape)],
        [helper.make_tensor_value_info("out", 1, [shape[0], kernel.shape[1]])],
        [onnx.numpy_helper.from_array(kernel, "kernel")],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))
    return path


def opened(path: Path, preprocessing: str | None = None, classes: Sequence[str] = ()) -> WarmModel:
    options = ModelOptions.of(preprocessing, tuple(classes))
    return load_warm(read_source(path, any_format=True, options=options))


def expected(values: np.ndarray, kernel: np.ndarray = KERNEL) -> np.ndarray:
    powers = np.exp(values.mean(axis=(1, 2)) @ kernel)
    fractions: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return fractions


@pytest.mark.parametrize(
    "shape",
    [("n", 3, 4, 6), (1, 3, 4, 6), (2, 3, 4, 6), ("n", 4, 6, 3), (1, 4, 6, 3)],
)
def test_the_layout_and_the_batch_come_from_the_file(
    tmp_path: Path, shape: Sequence[int | str]
) -> None:
    warm = opened(onnx_file(tmp_path / "net.onnx", shape), "0..1", "abcde")
    assert (warm.recipe.height, warm.recipe.width, warm.recipe.channels) == (4, 6, 3)
    assert warm.classes == list("abcde")
    assert warm.warnings == ()
    np.testing.assert_allclose(warm.score(IMAGES), expected(IMAGES / 255), atol=1e-5)


def test_a_file_without_options_is_used_with_warnings(tmp_path: Path) -> None:
    warm = opened(onnx_file(tmp_path / "net.onnx"))
    assert warm.warnings == (UNSEEN_SCALE, UNNAMED)
    assert warm.classes == ["0", "1", "2", "3", "4"]
    np.testing.assert_allclose(warm.score(IMAGES), expected(IMAGES.astype("f4")), atol=1e-5)
    (tmp_path / "net.labels.txt").write_text("v\nw\nx\ny\nz")
    assert opened(tmp_path / "net.onnx").classes == list("vwxyz")


def test_caffe_preprocessing_reverses_the_colors(tmp_path: Path) -> None:
    warm = opened(onnx_file(tmp_path / "net.onnx"), "imagenet-caffe")
    values = IMAGES[..., ::-1] - np.array([103.939, 116.779, 123.68])
    np.testing.assert_allclose(warm.score(IMAGES), expected(values), atol=1e-4)


def test_scores_become_probabilities(tmp_path: Path) -> None:
    logits = opened(onnx_file(tmp_path / "logits.onnx", ending="Identity"), "0..1", "abcde")
    assert logits.warnings == (CONVERTED,)
    np.testing.assert_allclose(logits.score(IMAGES), expected(IMAGES / 255), atol=1e-5)
    one = KERNEL[:, :1]
    pair = opened(onnx_file(tmp_path / "one.onnx", ending="Sigmoid", kernel=one), "0..1", "ab")
    assert pair.warnings == ()
    both = np.concatenate([0 * one, one], axis=1)
    np.testing.assert_allclose(pair.score(IMAGES), expected(IMAGES / 255, both), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "pattern"),
    [
        ({"ending": "Sigmoid"}, "5 sigmoids"),
        ({"kind": "INT64"}, "numbers of type int64"),
        ({"shape": ("n", 3, 4, 60_000)}, "at most 4096 pixels"),
        ({"shape": ("n", "c", "h", "w")}, "any number of channels"),
    ],
)
def test_other_networks_are_refused(
    tmp_path: Path, settings: dict[str, object], pattern: str
) -> None:
    path = onnx_file(tmp_path / "net.onnx", **settings)  # type: ignore[arg-type]
    with pytest.raises(StudioError, match=pattern):
        opened(path)


def test_raw_bytes_cannot_be_scaled(tmp_path: Path) -> None:
    path = onnx_file(tmp_path / "net.onnx", kind="UINT8")
    assert opened(path, classes="abcde").warnings == ()
    with pytest.raises(StudioError, match="cannot be scaled"):
        opened(path, "0..1")


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    path = onnx_file(tmp_path / "net.onnx")
    content = bytearray(path.read_bytes())
    at = content.index(b"ReduceMean")
    content[at : at + 10] = b"ReduceMeam"
    path.write_bytes(content)
    with pytest.raises(BadDataError, match=r"net\.onnx cannot be run"):
        opened(path)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS limits no process")
def test_a_small_file_that_takes_all_memory_is_refused(tmp_path: Path) -> None:
    helper = onnx.helper
    values = int(0.75 * psutil.virtual_memory().total) // 4
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[2, 3], keepdims=0),
        helper.make_node("ConstantOfShape", ["size"], ["huge"]),
        helper.make_node("ReduceMax", ["huge"], ["zero"], keepdims=0),
        helper.make_node("Add", ["mean", "zero"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["out"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("image", 1, ("n", 3, 4, 6))],
        [helper.make_tensor_value_info("out", 1, ("n", 3))],
        [onnx.numpy_helper.from_array(np.array([values], np.int64), "size")],
    )
    path = tmp_path / "bomb.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(path))
    assert path.stat().st_size < 1000
    with pytest.raises(BadDataError, match=r"bomb\.onnx (cannot be run|crashes|needs)"):
        opened(path)


def test_a_file_that_ends_its_process_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = onnx_file(tmp_path / "net.onnx")
    monkeypatch.setattr(
        model_trial, "launch_model_trial", lambda: answering("import os; os.abort()")
    )
    with pytest.raises(BadDataError, match=r"net\.onnx crashes its runtime"):
        opened(path)


def answering(code: str) -> subprocess.Popen[bytes]:
    """Start a process in the place of the one that runs a model once."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)


def test_a_missing_runtime_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = onnx_file(tmp_path / "net.onnx")

    def missing(_path: Path) -> Network:
        raise ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime")

    monkeypatch.setitem(runtimes._OPENERS, "onnx", missing)
    monkeypatch.setattr(warm_models, "require_runnable", lambda *_: None)
    with pytest.raises(StudioError, match=r"needs onnxruntime, which is not installed\. Install"):
        opened(path)


@pytest.mark.parametrize(
    ("shape", "is_first"),
    [
        ((1, 1, 28, 28), True),
        ((1, 28, 28, 1), False),
        ((None, 3, None, None), True),
        ((None, None, None, 3), False),
        ((1, 3, 8, 3), True),
    ],
)
def test_channels_are_found_on_either_side(shape: Shape, is_first: bool) -> None:
    network = Network(1, shape, np.dtype("f4"), lambda values: values)
    layout = ImageLayout.of(network, channels_first=True)
    assert layout.is_channels_first == is_first
    assert layout.channels in (1, 3)


def test_an_openvino_file_is_opened_by_either_of_its_names(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    model = openvino.convert_model(str(onnx_file(tmp_path / "net.onnx")))
    openvino.save_model(model, str(tmp_path / "net.xml"), compress_to_fp16=False)
    for name in ("net.xml", "net.bin"):
        warm = opened(tmp_path / name, "0..1", "abcde")
        np.testing.assert_allclose(warm.score(IMAGES), expected(IMAGES / 255), atol=1e-4)
        assert warm.warnings == ()


@pytest.fixture(scope="module")
def lite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quantized LiteRT file for pixels from -1 to 1, with its class names inside."""
    import keras
    import tensorflow as tf

    image = keras.Input((4, 6, 3), batch_size=1)
    mean = keras.layers.GlobalAveragePooling2D()(image)
    dense = keras.layers.Dense(5, activation="softmax", use_bias=False)
    model = keras.Model(image, dense(mean))
    dense.set_weights([KERNEL * 255])
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    ends = [np.full((1, 4, 6, 3), end, "f4") for end in (-1, 1)]
    converter.representative_dataset = lambda: [[end] for end in ends]
    converter.inference_input_type = converter.inference_output_type = tf.uint8
    path = tmp_path_factory.mktemp("lite") / "net.tflite"
    path.write_bytes(converter.convert())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("labels.txt", "a\nb\nc\nd\ne\n")
    return path


def test_a_quantized_file_says_its_range_and_its_classes(lite_file: Path) -> None:
    assert detect(lite_file) == ModelFormat.TFLITE
    assert class_names_inside(lite_file) == tuple("abcde")
    found = opened(lite_file)
    assert found.warnings == ()
    assert found.classes == list("abcde")
    truth = expected(IMAGES / 127.5 - 1, KERNEL * 255)
    np.testing.assert_allclose(found.score(IMAGES), truth, atol=0.05)
    chosen = opened(lite_file, "-1..1")
    np.testing.assert_allclose(chosen.score(IMAGES), truth, atol=0.05)
