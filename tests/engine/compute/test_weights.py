"""Weights from elsewhere: whatever the layout, they land where they belong, or are refused."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.progress import SilentProgress
from studio.engine.training.history import WeightsLoaded
from studio.engine.workspace import Workspace

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras.src.legacy.saving import legacy_h5_format  # noqa: E402

from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.weights import load_weights  # noqa: E402

CAFFE = (123.68, 116.779, 103.939)
Save = Callable[[keras.Model, Path], Path]


def keras2(model: keras.Model, folder: Path) -> Path:
    with h5py.File(folder / "weights.h5", "w") as file:
        legacy_h5_format.save_weights_to_hdf5_group(file, model)
    return folder / "weights.h5"


def keras3(model: keras.Model, folder: Path) -> Path:
    model.save_weights(folder / "k3.weights.h5")
    return folder / "k3.weights.h5"


def whole(model: keras.Model, folder: Path) -> Path:
    model.save(folder / "model.keras")
    return folder / "model.keras"


def whole_keras2(model: keras.Model, folder: Path) -> Path:
    model.save(folder / "model.h5")
    return folder / "model.h5"


LAYOUTS: list[Save] = [keras2, keras3, whole, whole_keras2]


def net(classes: int = 4, channels: int = 3, ids: tuple[str, ...] = ()) -> NetworkSpec:
    """Two convolutions of one shape after the first: order matters, shapes do not tell."""
    names = ids or ("first", "second", "third", "norm")
    graph = GraphBuilder("Small", InputShape(height=8, width=8, channels=channels), classes)
    graph.add("subtract_mean", mean=CAFFE[:channels], height=1, width=1)
    graph.add("conv2d", names[0], filters=6, padding="same", block="low")
    graph.add("conv2d", names[1], filters=6, padding="same", block="mid")
    graph.add("conv2d", names[2], filters=6, padding="same", block="mid")
    graph.add("batch_normalization", names[3])
    graph.add("global_average_pool", "pool", block=HEAD_BLOCK)
    graph.add("dense", "predictions", block=HEAD_BLOCK, units=classes, activation="softmax")
    return graph.spec()


def foreign(names: tuple[str | None, ...] = ("a", "b", "c", "d"), top: int = 9) -> keras.Model:
    """A model from another source, with its own head, and blue, green, red."""
    layers = keras.layers
    made = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.Conv2D(6, 3, padding="same", name=names[0]),
            layers.Conv2D(6, 3, padding="same", name=names[1]),
            layers.Conv2D(6, 3, padding="same", name=names[2]),
            layers.BatchNormalization(name=names[3]),
            layers.GlobalAveragePooling2D(),
            layers.Dense(top),
        ]
    )
    return shaken(made)


def shaken(model: keras.Model) -> keras.Model:
    """Every weight is another number, also those that start as zeros and ones."""
    random = np.random.default_rng(1)
    model.set_weights([random.uniform(0.1, 1, w.shape).astype("float32") for w in model.weights])
    return model


def load(
    model: keras.Model, spec: NetworkSpec, source: str | Path, workspace: Workspace
) -> WeightsLoaded:
    return load_weights(model, spec, str(source), workspace, SilentProgress())


def kernel(model: keras.Model, layer: str) -> NDArray[np.float32]:
    return np.asarray(model.get_layer(layer).weights[0])


@pytest.mark.parametrize("save", sample(LAYOUTS, 1))
@pytest.mark.parametrize(
    "names", [("first", "second", "third", "norm"), (None,) * 4, ("x1", "x2", "x3", "x4")]
)
def test_every_layout_fills_every_layer_and_never_the_head(
    save: Save, names: tuple[str | None, ...], tmp_path: Path, workspace: Workspace
) -> None:
    source, spec = foreign(names), net()
    model = build(spec, seed=0)
    head = model.get_layer("predictions").get_weights()

    reported = load(model, spec, save(source, tmp_path), workspace)

    assert reported.loaded == ("first", "second", "third", "norm")
    assert reported.parameters == sum(
        w.size for layer in source.layers[:4] for w in layer.get_weights()
    )
    assert reported.random == ()
    assert [note.reason for note in reported.unused] == ["not used by any layer"]
    assert reported.reversed_channels
    conv = [layer for layer in source.layers if layer.weights]
    assert np.array_equal(kernel(model, "first"), kernel_of(conv[0])[:, :, ::-1])
    for mine, theirs in zip(("second", "third", "norm"), conv[1:4], strict=True):
        for one, other in zip(
            model.get_layer(mine).get_weights(), theirs.get_weights(), strict=True
        ):
            assert np.array_equal(one, other)
    for one, other in zip(head, model.get_layer("predictions").get_weights(), strict=True):
        assert np.array_equal(one, other)


def kernel_of(layer: keras.Layer) -> NDArray[np.float32]:
    return np.asarray(layer.weights[0])


def test_reversed_kernels_see_what_the_others_saw(tmp_path: Path, workspace: Workspace) -> None:
    source, spec = foreign(("first", "second", "third", "norm")), net()
    model = build(spec, seed=0)
    load(model, spec, keras2(source, tmp_path), workspace)
    pictures = np.random.default_rng(0).integers(0, 256, (3, 8, 8, 3)).astype("float32")

    blue_first = pictures[..., ::-1] - np.array(CAFFE[::-1], "float32")
    theirs = keras.Model(source.inputs, source.layers[3].output)(blue_first)
    ours = keras.Model(model.inputs, model.get_layer("norm").output)(pictures)

    assert np.allclose(np.asarray(theirs), np.asarray(ours), rtol=1e-4, atol=1e-3)


def test_our_own_models_are_taken_as_they_are_also_by_made_up_names(
    tmp_path: Path, workspace: Workspace
) -> None:
    ids = ("conv2d_1", "conv2d_2", "conv2d_3", "batch_normalization_1")
    gray, color = net(7, 1, ids), net(4, 3, ids)
    same = shaken(build(net(7, 3, ids), seed=1))
    target = build(color, seed=0)

    reported = load(target, color, whole(same, tmp_path), workspace)
    assert not reported.reversed_channels
    for layer in ids:
        assert np.array_equal(kernel(same, layer), kernel(target, layer))

    other = build(color, seed=0)
    reported = load(other, color, whole(shaken(build(gray, seed=1)), tmp_path), workspace)
    assert reported.loaded == ids[1:]
    assert [(note.name, note.reason) for note in reported.random] == [
        ("conv2d_1", "the weights of that name have another shape")
    ]


def test_made_up_names_mean_nothing_in_files_from_elsewhere(
    tmp_path: Path, workspace: Workspace
) -> None:
    """A file numbers its layers its own way: what is called conv2d_1 there is our second."""
    source = foreign(("conv2d_5", "conv2d_1", "conv2d_2", "batch_normalization"))
    spec = net(ids=("conv2d_1", "conv2d_2", "conv2d_3", "batch_normalization_1"))
    model = build(spec, seed=0)

    load(model, spec, keras2(source, tmp_path), workspace)

    assert np.array_equal(kernel(model, "conv2d_2"), kernel_of(source.layers[1]))
    assert np.array_equal(kernel(model, "conv2d_3"), kernel_of(source.layers[2]))


def test_a_model_inside_a_model_gives_its_weights(tmp_path: Path, workspace: Workspace) -> None:
    inner = foreign(("first", "second", "third", "norm"))
    images = keras.Input((8, 8, 3))
    outer = keras.Model(images, keras.layers.Dense(3)(inner(images)))
    spec = net()

    for save in (keras2, whole, whole_keras2, keras3):
        model = build(spec, seed=0)
        reported = load(model, spec, save(outer, tmp_path), workspace)
        assert reported.loaded == ("first", "second", "third", "norm")
        assert np.array_equal(kernel(model, "third"), kernel_of(inner.layers[2]))


def test_another_network_is_refused_with_what_was_found(
    tmp_path: Path, workspace: Workspace
) -> None:
    layers = keras.layers
    other = keras.Sequential([keras.Input((8, 8, 3)), layers.Flatten(), layers.Dense(5, name="d")])
    spec = net()
    model = build(spec, seed=0)
    before = model.get_weights()

    with pytest.raises(StudioError) as caught:
        load(model, spec, keras2(other, tmp_path), workspace)

    assert "fit 0 of the 4 layers of Small" in caught.value.message
    assert '"first" needs 3x3x3x6, 6' in caught.value.message
    assert 'begins with "d", 192x5, 5' in caught.value.message
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True))


DAMAGES = (
    "soft",
    "outside group",
    "text",
    "empty",
    "cut",
    "nothing",
    "archive",
    "nan",
    "words",
    "huge",
    "outside",
    "missing",
    "circle",
)


def _damage(path: Path, kind: str) -> None:
    if kind == "text":
        path.write_text("weights", encoding="utf-8")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif kind == "nothing":
        with h5py.File(path, "w"):
            pass
    elif kind == "archive":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("config.json", "{}")
    else:
        with h5py.File(path, "r+") as file:
            _damage_numbers(file, kind)


def _damage_numbers(file: h5py.File, kind: str) -> None:
    offset = str(file["second"].attrs["weight_names"][0])
    group, old = file["second"], file["second"][offset][()]
    del group[offset]
    if kind == "nan":
        group[offset] = np.full_like(old, np.nan)
    elif kind == "words":
        group[offset] = old.astype("S4")
    elif kind == "huge":
        group.create_dataset(offset, (10**6, 10**6, 10), "f4", chunks=(100, 100, 10))
    elif kind == "circle":
        file["second"]["vars"] = file["second"]
        del file.attrs["layer_names"]
    elif kind == "outside":
        group[offset] = h5py.ExternalLink("/etc/hostname", "/x")
    elif kind == "soft":
        file["away"] = h5py.ExternalLink("/etc/hostname", "/x")
        group[offset] = h5py.SoftLink("/away")
    elif kind == "outside group":
        del file["second"]
        file["second"] = h5py.ExternalLink("/etc/hostname", "/x")
    elif kind == "missing":
        pass
    else:
        raise AssertionError(kind)


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_hostile_file_is_one_clear_line_and_changes_nothing(
    kind: str, tmp_path: Path, workspace: Workspace
) -> None:
    path = keras2(foreign(("first", "second", "third", "norm")), tmp_path)
    _damage(path, kind)
    spec = net()
    model = build(spec, seed=0)
    before = model.get_weights()

    if kind == "huge":
        # It is never read: one layer stays random, and says why.
        reported = load(model, spec, path, workspace)
        assert [note.name for note in reported.random] == ["second"]
        return
    with pytest.raises(StudioError) as caught:
        load(model, spec, path, workspace)

    assert str(path) in caught.value.message
    assert "\n" not in str(caught.value)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True))


# The same bytes every time: HDF5 itself may crash on others, and the process that reads with it.
@settings(derandomize=True)
@given(st.binary(max_size=400), st.integers(0, 2000))
def test_whatever_bytes_a_file_has_nothing_but_a_clear_error_comes(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    folder = tmp_path_factory.mktemp("noise")
    path = folder / "noise.h5"
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = ["a"]
        file.create_group("a").attrs["weight_names"] = ["a/kernel"]
        file["a/a/kernel"] = np.ones((3, 3, 3, 6), "f4")
    whole_file = bytearray(path.read_bytes())
    whole_file[at : at + len(noise)] = noise
    path.write_bytes(whole_file)

    with pytest.raises(StudioError):
        load(NET, SPEC, path, Workspace(folder))


SPEC = net()
NET = build(SPEC, seed=0)


def test_a_missing_file_is_named(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(StudioError, match=r"no weights file .*nothing\.h5"):
        load(NET, SPEC, tmp_path / "nothing.h5", workspace)
