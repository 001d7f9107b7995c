"""Models of other programs and versions, opened by one loader for every purpose."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from helpers.keras2_files import keras2_file, keras2_layer
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.inference.foreign_models import UNNAMED
from studio.engine.inference.models import ModelSource

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras import layers  # noqa: E402

from studio.engine.compute import models  # noqa: E402
from studio.engine.compute.foreign_models import load_classifier  # noqa: E402
from studio.engine.compute.model_files import read_file  # noqa: E402
from studio.engine.compute.models import score  # noqa: E402
from studio.engine.compute.warm_models import load_warm  # noqa: E402
from studio.engine.training.model_format import ModelFormat, detect  # noqa: E402
from studio.engine.training.weight_files import open_weights  # noqa: E402

IMAGES = np.arange(2 * 8 * 8 * 3, dtype=np.uint8).reshape(2, 8, 8, 3)


def _source(path: Path) -> ModelSource:
    return ModelSource(file=str(path), name=path.stem)


def _refused_by_all(path: Path, pattern: str) -> None:
    """Inspecting and predicting reject a file for the same reason, without words of Keras."""
    for ask in (read_file, lambda path: load_warm(_source(path))):
        with pytest.raises(StudioError, match=pattern) as caught:
            ask(path)
        text = str(caught.value)
        assert "\n" not in text
        assert "custom_objects" not in text
        assert "keyword argument" not in text


def _mobile(path: Path, **settings: object) -> Path:
    """Scaled pixels, a depthwise convolution, normalization, pooling and a dense layer."""
    scale = keras2_layer("TFOpLambda", "tf.math.truediv", "", function="math.truediv")
    scale["inbound_nodes"] = [["input_1", 0, 0, {"y": 255.0, "name": None}]]
    depthwise = {
        "kernel_size": [3, 3],
        "strides": [1, 1],
        "padding": "same",
        "data_format": "channels_last",
        "dilation_rate": [1, 1],
        "groups": 1,
        "activation": "linear",
        "use_bias": False,
        "depth_multiplier": 1,
        "depthwise_initializer": {"class_name": "GlorotUniform", "config": {"seed": None}},
        "depthwise_constraint": None,
    }
    between = [
        scale,
        keras2_layer("DepthwiseConv2D", "dw", "tf.math.truediv", **(depthwise | settings)),
        keras2_layer("BatchNormalization", "bn", "dw", axis=[3], momentum=0.99, epsilon=0.001),
        keras2_layer("ReLU", "relu", "bn", max_value=6.0, negative_slope=0.0, threshold=0.0),
        keras2_layer("GlobalAveragePooling2D", "gap", "relu", data_format="channels_last"),
        keras2_layer("Dense", "dense", "gap", units=2, activation="softmax", use_bias=True),
    ]
    one = np.ones(3, "f4")
    values: dict[str, dict[str, Any]] = {
        "dw": {"depthwise_kernel": np.full((3, 3, 3, 1), 0.1, "f4")},
        "bn": {"gamma": one, "beta": 0 * one, "moving_mean": 0 * one, "moving_variance": one},
        "dense": {"kernel": np.array([[1, 2], [3, 4], [5, 6]], "f4"), "bias": np.zeros(2, "f4")},
    }
    return keras2_file(path, between, values)


@pytest.mark.parametrize("suffix", [".h5", ".hdf5", ".model"])
def test_models_of_keras_2_open_everywhere(tmp_path: Path, suffix: str) -> None:
    path = _mobile(tmp_path / f"mobile{suffix}")

    read = read_file(path)
    warm = load_warm(_source(path))

    assert read.spec.nodes[0].layer == "rescaling"
    assert not any("does not scale" in note for note in read.notes)
    assert warm.warnings == (UNNAMED,)
    scores = score(warm.model, IMAGES)
    scaled = keras.ops.convert_to_numpy(
        keras.ops.depthwise_conv(
            IMAGES.astype("f4") / 255, np.full((3, 3, 3, 1), 0.1, "f4"), padding="same"
        )
    )
    pooled = np.clip(scaled / np.sqrt(1.001), 0, 6).mean(axis=(1, 2))
    logits = pooled @ np.array([[1, 2], [3, 4], [5, 6]], "f4")
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(scores, expected, rtol=1e-3)


def test_what_keras_3_cannot_make_is_named(tmp_path: Path) -> None:
    _refused_by_all(_mobile(tmp_path / "groups.h5", groups=3), '"dw" is a DepthwiseConv2D with gr')
    _refused_by_all(_mobile(tmp_path / "odd.h5", strides=[0, 0]), r'layer "dw" \(DepthwiseConv2D')
    lost = keras2_layer("MyAttention", "mine", "input_1", heads=2)
    path = keras2_file(tmp_path / "own.h5", [lost], {})
    _refused_by_all(path, '"mine" is a MyAttention, which is not part of Keras')
    code = keras2_layer("Lambda", "half", "input_1", function=["x", None, None])
    _refused_by_all(keras2_file(tmp_path / "l.h5", [code], {}), 'the Lambda "half" contains code')
    op = keras2_layer("TFOpLambda", "tf.split", "", function="split")
    op["inbound_nodes"] = [["input_1", 0, 0, {"axis": 1}]]
    _refused_by_all(keras2_file(tmp_path / "op.h5", [op], {}), "TensorFlow operation split")
    sigmoid = keras2_layer("Activation", "hs", "input_1", activation="hard_sigmoid")
    _refused_by_all(
        keras2_file(tmp_path / "hs.h5", [sigmoid], {}), "which is different in Keras 3"
    )


def test_a_subclassed_model_is_explained(tmp_path: Path) -> None:
    @keras.saving.register_keras_serializable("mine")
    class Own(keras.Model):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.dense = layers.Dense(2, activation="softmax")

        def call(self, images: Any) -> Any:
            return self.dense(keras.ops.mean(images, axis=(1, 2)))

    own = Own(name="own")
    own(IMAGES.astype("f4"))
    own.save(tmp_path / "own.keras")

    _refused_by_all(tmp_path / "own.keras", "not part of Keras, and its code is not in the file")


def _dense(units: int, activation: str | None) -> keras.Model:
    images = keras.Input((8, 8, 3))
    flat = layers.Flatten()(layers.Rescaling(1 / 255)(images))
    return keras.Model(images, layers.Dense(units, activation=activation)(flat))


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
@pytest.mark.parametrize(("units", "activation"), [(3, None), (1, "sigmoid"), (1, None)])
def test_probabilities_are_derived_from_the_output(
    tmp_path: Path, units: int, activation: str | None, suffix: str
) -> None:
    model = _dense(units, activation)
    path = tmp_path / f"net{suffix}"
    model.save(path)
    raw = score(model, IMAGES)

    scores = score(load_warm(_source(path)).model, IMAGES)

    if units == 3:
        expected = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    else:
        second = raw if activation else 1 / (1 + np.exp(-raw))
        expected = np.concatenate([1 - second, second], axis=1)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
    assert read_file(path).spec.classes == scores.shape[1]


def test_one_number_of_a_regression_and_many_sigmoids_are_refused_by_all(tmp_path: Path) -> None:
    for suffix in (".keras", ".h5"):
        model = _dense(1, None)
        model.compile(loss="mse")
        model.save(tmp_path / f"price{suffix}")
        _refused_by_all(tmp_path / f"price{suffix}", "one number that is not the probability")
    _dense(4, "sigmoid").save(tmp_path / "labels.keras")
    _refused_by_all(tmp_path / "labels.keras", "4 sigmoids")


def test_an_ensemble_gives_probabilities(tmp_path: Path) -> None:
    images = keras.Input((8, 8, 3))
    parts = [_dense(3, "softmax")(images) for _ in range(2)]
    model = keras.Model(images, layers.Average()(parts))
    model.save(tmp_path / "both.keras")

    found, _ = load_classifier(tmp_path / "both.keras")

    np.testing.assert_allclose(score(found, IMAGES), score(model, IMAGES), rtol=1e-5)


def test_features_are_no_probabilities(tmp_path: Path) -> None:
    images = keras.Input((8, 8, 3))
    keras.Model(images, layers.GlobalAveragePooling2D()(images)).save(tmp_path / "f.keras")

    assert read_file(tmp_path / "f.keras").spec.classes == 2, "it is given a head"
    with pytest.raises(StudioError, match=r"f\.keras: The model outputs features, 3.*Train a h"):
        load_warm(_source(tmp_path / "f.keras"))


def test_images_of_other_kinds_are_refused_by_all_for_the_same_reason(tmp_path: Path) -> None:
    def saved(name: str, shape: tuple[int | None, ...], **options: Any) -> Path:
        images = keras.Input(shape)
        hidden = layers.GlobalAveragePooling2D(**options)(images)
        keras.Model(images, layers.Dense(2, "softmax")(hidden)).save(tmp_path / name)
        return tmp_path / name

    first = saved("first.keras", (3, 8, 8), data_format="channels_first")
    _refused_by_all(first, "channels first, 3x8x8")
    _refused_by_all(saved("four.keras", (8, 8, 4)), "images with 4 channels")
    any_size = saved("any.keras", (None, None, 3))
    assert str(read_file(any_size).spec.input) == "224x224x3"
    assert load_warm(_source(any_size)).model.input_shape == (None, 224, 224, 3)


def test_scaling_is_found_behind_other_layers(tmp_path: Path) -> None:
    def note(*before: keras.layers.Layer) -> bool:
        model = keras.Sequential(
            [keras.Input((8, 8, 3)), *before, layers.Flatten(), layers.Dense(2, "softmax")]
        )
        model.save(tmp_path / "net.keras")
        reported = any(
            "does not scale" in each for each in read_file(tmp_path / "net.keras").notes
        )
        notes = load_warm(_source(tmp_path / "net.keras")).warnings
        assert reported == any("does not scale" in each for each in notes)
        return reported

    inner = keras.Sequential([layers.ZeroPadding2D(), layers.Rescaling(1 / 127.5, -1)])
    assert note()
    assert note(layers.Conv2D(3, 3), layers.BatchNormalization())
    assert not note(layers.RandomFlip(), layers.Rescaling(1 / 255))
    assert not note(inner)
    assert not note(layers.BatchNormalization())


def _varint_field(number: int, value: int) -> bytes:
    return bytes([number << 3, value])


def _bytes_field(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


def _foreign_files(folder: Path) -> dict[ModelFormat, Path]:
    files = {kind: folder / f"{kind.value}.keras" for kind in ModelFormat}
    files[ModelFormat.ONNX].write_bytes(
        _varint_field(1, 8) + _bytes_field(2, b"pytorch") + _bytes_field(7, b"\n\0")
    )
    files[ModelFormat.OPENVINO].write_text('<?xml version="1.0"?>\n<net name="m" version="11">\n')
    files[ModelFormat.TFLITE].write_bytes(b"\x1c\0\0\0TFL3" + bytes(40))
    with zipfile.ZipFile(files[ModelFormat.TORCH], "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}))
    files[ModelFormat.SAFETENSORS].write_bytes((2).to_bytes(8, "little") + b"{}" + bytes(8))
    files[ModelFormat.SAVED_MODEL].mkdir()
    (files[ModelFormat.SAVED_MODEL] / "saved_model.pb").write_bytes(b"\x08\x01\x12\0")
    return files


def test_files_of_other_programs_have_their_own_messages(tmp_path: Path) -> None:
    files = _foreign_files(tmp_path)
    for kind, word in {
        ModelFormat.ONNX: "ONNX model",
        ModelFormat.OPENVINO: "OpenVINO model",
        ModelFormat.TFLITE: r"LiteRT \(TFLite\) model",
        ModelFormat.TORCH: "PyTorch file",
        ModelFormat.SAFETENSORS: "safetensors file",
        ModelFormat.SAVED_MODEL: "TensorFlow SavedModel",
    }.items():
        assert detect(files[kind]) == kind
        _refused_by_all(files[kind], word)
        if files[kind].is_file():
            with pytest.raises(StudioError, match=word), open_weights(files[kind]):
                pass
    (tmp_path / "old.pt").write_bytes(pickle.dumps({"weight": 1}))
    _refused_by_all(tmp_path / "old.pt", "PyTorch file")
    (tmp_path / "saved_model.pb").write_bytes(_varint_field(1, 1) + _bytes_field(2, b"x"))
    _refused_by_all(tmp_path / "saved_model.pb", "SavedModel")


def test_the_name_of_a_file_says_nothing(tmp_path: Path) -> None:
    model = _dense(3, "softmax")
    model.save(tmp_path / "zip.keras")
    model.save(tmp_path / "h.h5")
    (tmp_path / "zip.keras").rename(tmp_path / "zip.h5")
    (tmp_path / "h.h5").rename(tmp_path / "h.keras")

    for name in ("zip.h5", "h.keras"):
        warm = load_warm(_source(tmp_path / name))
        np.testing.assert_allclose(score(warm.model, IMAGES), score(model, IMAGES), rtol=1e-5)


def test_a_zip_that_is_an_hdf5_file_as_well_is_refused(tmp_path: Path) -> None:
    model = _dense(3, "softmax")
    model.save(tmp_path / "good.keras")
    model.save(tmp_path / "evil.h5")
    evil = (tmp_path / "evil.h5").read_bytes() + (tmp_path / "good.keras").read_bytes()
    padded = (tmp_path / "good.keras").read_bytes()
    for name in ("a.h5", "a.keras"):
        (tmp_path / name).write_bytes(evil)
        _refused_by_all(tmp_path / name, "zip archive and an HDF5 file at once")
        with pytest.raises(StudioError, match="at once"), open_weights(tmp_path / name):
            pass
    assert detect(tmp_path / "good.keras") == ModelFormat.KERAS
    # The weights of an honest archive may happen to begin where HDF5 looks for its signature.
    with zipfile.ZipFile(tmp_path / "good.keras") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "even.keras", "w") as archive:
        archive.writestr("pad", bytes(512 - 2 * 30 - len("pad") - len("model.weights.h5")))
        archive.writestr("model.weights.h5", entries["model.weights.h5"])
        archive.writestr("config.json", entries["config.json"])
    assert h5py.is_hdf5(tmp_path / "even.keras")
    assert detect(tmp_path / "even.keras") == ModelFormat.KERAS
    assert padded == (tmp_path / "good.keras").read_bytes()


def test_weights_outside_of_the_file_or_larger_than_it_are_refused(tmp_path: Path) -> None:
    for name in ("link", "outside", "bomb", "packed"):
        path = _mobile(tmp_path / f"{name}.h5")
        with h5py.File(path, "r+") as file:
            group = file["model_weights/dense/dense"]
            del group["bias:0"]
            if name == "link":
                group["bias:0"] = h5py.ExternalLink("other.h5", "/x")
            elif name == "outside":
                other = [(str(tmp_path / "raw.bin"), 0, 8)]
                group.create_dataset("bias:0", (2,), "f4", external=other)
            elif name == "packed":  # by a filter whose memory has no bound
                group.create_dataset("bias:0", (2,), "f4", chunks=(2,), scaleoffset=2)
            else:
                group.create_dataset("bias:0", (2**20, 2**20), "f4", chunks=(1, 2**20))
        _refused_by_all(path, "cannot be opened")


def test_missing_and_wrong_weights_are_reported_in_plain_words(tmp_path: Path) -> None:
    path = _mobile(tmp_path / "less.h5")
    with h5py.File(path, "r+") as file:
        del file["model_weights/dense"]
    with pytest.raises(StudioError, match="weights are damaged, or do not fit"):
        load_warm(_source(path))


@pytest.mark.parametrize("most", [2**27, 0])
def test_a_single_picture_has_the_scores_that_it_has_in_a_batch(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(models, "_MOST_CONSTANTS", most)
    pixels = keras.Input((8, 8, 3))
    inside = layers.Conv2D(4, 3, activation="relu")(layers.Rescaling(1 / 255)(pixels))
    inside = layers.Dropout(0.5)(layers.BatchNormalization()(inside))
    features = layers.GlobalAveragePooling2D()(inside)
    scores = layers.Dense(3, "softmax")(features)
    model = keras.Model(pixels, scores)

    single = models.single_scorer(keras.Model(pixels, [scores, features]))

    expected = score(model, IMAGES)
    for position in range(len(IMAGES)):
        found, more = single(IMAGES[position : position + 1])
        assert found.dtype == more.dtype == np.float32
        assert more.shape == (1, 4)
        np.testing.assert_allclose(found, expected[position : position + 1], atol=1e-6)
