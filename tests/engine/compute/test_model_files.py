"""Files of models from elsewhere: good ones, old ones, damaged ones and hostile ones."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import pytest

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import BadDataError, StudioError
from studio.engine.networks.spec import HEAD, WriteModelRequest
from studio.engine.networks.zoo import ZOO

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras import layers  # noqa: E402

from studio.engine.compute import model_files  # noqa: E402
from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.model_files import read_file, write  # noqa: E402

SPEC = ZOO["lenet"].build((16, 16, 1), 3)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "my net.keras"
    build(SPEC, seed=0).save(path)
    return path


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_a_model_of_ours_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"my net{suffix}"
    build(SPEC, seed=0).save(path)

    read = read_file(path)

    assert read.spec.name == "my net"
    assert {node.id: node.layer for node in read.spec.nodes} == {
        node.id: node.layer for node in SPEC.nodes
    }
    assert read.spec.output == HEAD


def test_a_written_network_is_an_untrained_model(tmp_path: Path) -> None:
    written = write(WriteModelRequest(spec=SPEC, path=str(tmp_path / "new.keras"), seed=4))

    again = keras.saving.load_model(written.path, safe_mode=True)
    assert again.count_params() == written.parameters
    one, other = again.get_weights(), build(SPEC, seed=4).get_weights()
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    folder = tmp_path / "folder.keras"
    folder.mkdir()
    with pytest.raises(StudioError, match="cannot be written"):
        write(WriteModelRequest(spec=SPEC, path=str(folder)))


def test_sequential_models_of_keras_2_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.h5"
    config = {
        "class_name": "Sequential",
        "config": {
            "name": "sequential",
            "layers": [
                {
                    "class_name": "Conv2D",
                    "config": {
                        "name": "conv2d",
                        "batch_input_shape": [None, 9, 9, 1],
                        "filters": 4,
                        "kernel_size": [3, 3],
                        "activation": "relu",
                    },
                },
                {"class_name": "Flatten", "config": {"name": "flatten"}},
                {
                    "class_name": "Dense",
                    "config": {"name": "dense", "units": 2, "activation": "softmax"},
                },
            ],
        },
    }
    _hdf5(path, config)

    read = read_file(path)

    assert [node.layer for node in read.spec.nodes] == ["conv2d", "flatten", "dense"]
    assert str(read.spec.input) == "9x9x1"


def _hdf5(path: Path, config: object) -> None:
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = "2.4.0"
        file.attrs["model_config"] = json.dumps(config)
        file.create_group("model_weights")


def _zip(path: Path, **entries: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name.replace("_json", ".json"), text)
    return path


@pytest.mark.parametrize("suffix", [".weights.h5", ".h5"])
def test_a_file_of_weights_says_what_it_is_for(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"net{suffix}"
    if suffix == ".h5":
        with h5py.File(path, "w") as file:
            file.attrs["layer_names"] = [b"conv1"]
            file.create_group("conv1")
    else:
        build(SPEC, seed=0).save_weights(path)

    with pytest.raises(StudioError, match=r"only weights.*start it from this file"):
        read_file(path)


def test_files_that_are_no_models_are_refused_in_one_line(tmp_path: Path, saved: Path) -> None:
    text = tmp_path / "text.keras"
    text.write_text("no model")
    (tmp_path / "empty.h5").touch()
    cut = tmp_path / "cut.keras"
    cut.write_bytes(saved.read_bytes()[:2000])
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["numbers"] = [1, 2]
    bad = [
        tmp_path / "gone.keras",
        tmp_path,
        text,
        tmp_path / "empty.h5",
        cut,
        tmp_path / "data.h5",
        _zip(tmp_path / "other.keras", readme="hello"),
        _zip(tmp_path / "text_inside.keras", config_json="hello"),
        _zip(tmp_path / "list.keras", config_json="[1, 2]"),
        _zip(tmp_path / "deep.keras", config_json="[" * 100_000),
    ]

    for path in bad:
        with pytest.raises(BadDataError) as caught:
            read_file(path)
        assert "\n" not in str(caught.value), path


def test_a_description_that_is_too_large_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files, "LARGEST_CONFIG", 10_000)

    with pytest.raises(BadDataError, match="larger than any"):
        read_file(_zip(tmp_path / "bomb.keras", config_json=" " * 10**6))


def test_an_archive_that_is_packed_too_tightly_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: Path
) -> None:
    monkeypatch.setattr(model_files, "LARGEST_CONFIG", 100_000)
    config = json.dumps(_config(saved))

    read_file(_zip(tmp_path / "small.keras", config_json=config, zeros="0" * 10_000))
    with pytest.raises(BadDataError, match="compression ratio"):
        read_file(_zip(tmp_path / "bomb.keras", config_json=config, zeros="0" * 10**6))


def _config(saved: Path) -> Any:
    with zipfile.ZipFile(saved) as archive:
        return json.loads(archive.read("config.json"))


def test_code_and_foreign_classes_are_never_made(tmp_path: Path, saved: Path) -> None:
    images = keras.Input((8, 8, 3))
    hidden = layers.Lambda(lambda x: x)(images)
    keras.Model(images, hidden).save(tmp_path / "lambda.keras")
    foreign = _config(saved)
    foreign["config"]["layers"][1] |= {"module": "os", "class_name": "system"}
    custom = _config(saved)
    custom["config"]["layers"][1] |= {"module": None, "registered_name": "Mine>Layer"}
    _hdf5(tmp_path / "lambda.h5", _config(tmp_path / "lambda.keras"))
    files = [
        tmp_path / "lambda.keras",
        tmp_path / "lambda.h5",
        _zip(tmp_path / "foreign.keras", config_json=json.dumps(foreign)),
        _zip(tmp_path / "custom.keras", config_json=json.dumps(custom)),
    ]

    for path in files:
        with pytest.raises(StudioError, match=r"contains code|not part of Keras") as caught:
            read_file(path)
        assert "\n" not in str(caught.value)


def test_unsupported_keras_layers_are_reported(tmp_path: Path) -> None:
    layer = {"class_name": "TFOpLambda", "config": {"name": "op", "function": "math.divide"}}
    _hdf5(tmp_path / "old.h5", {"class_name": "Sequential", "config": {"layers": [layer]}})

    with pytest.raises(StudioError, match=r"TensorFlow operation math\.divide.*save the model"):
        read_file(tmp_path / "old.h5")


def test_huge_layers_take_no_memory(tmp_path: Path, saved: Path) -> None:
    config = _config(saved)
    for layer in config["config"]["layers"]:
        layer.pop("build_config", None)
        if layer["config"].get("units") == 120:
            layer["config"]["units"] = 10**10

    read = read_file(_zip(tmp_path / "huge.keras", config_json=json.dumps(config)))

    assert read.spec.node("c5").parameters["units"] == 10**10
