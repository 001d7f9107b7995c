"""Augmentation inside the training step does what the host does, and leaves the model alone."""

from __future__ import annotations

import json
import zipfile
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_sample_images

from helpers.digits import SharedRuns
from studio.engine.arrays import Pixels
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.operations import OPERATIONS
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan, Fill, check_augmentation
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute import pipeline  # noqa: E402
from studio.engine.compute.model_checkpointer import MODEL_FILE  # noqa: E402
from studio.engine.compute.pipeline import augments_on_device, changed  # noqa: E402

VALUES: dict[str, Any] = {"rotation": 15.0, "translation": 5.0, "contrast": 20.0}
Images = NDArray[np.uint8]
LINEAR = PRESETS["strong"].plan.changed(erasing=0.0, quarter_turns="all", rescale=20, crop=30)


def photographs(count: int, height: int, width: int) -> Images:
    """Parts of the two photographs that come with scikit-learn, in half their size."""
    random = np.random.default_rng(4)
    found = []
    for number in range(count):
        whole = load_sample_images().images[number % 2][::2, ::2]
        top = random.integers(whole.shape[0] - height)
        left = random.integers(whole.shape[1] - width)
        found.append(whole[top : top + height, left : left + width])
    return np.stack(found)


def by_device(
    images: Pixels, table: NDArray[np.float32], fill: Fill, pixels: PixelFormat | None = None
) -> Pixels:
    tensors = [keras.ops.convert_to_tensor(each) for each in (images, table)]
    known = PixelFormat.bytes_of(images.shape[3]) if pixels is None else pixels
    return np.asarray(changed(tensors[0], tensors[1], fill, known))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("fill", ["reflect", "gray"])
@pytest.mark.parametrize("plan", [PRESETS["light"].plan, LINEAR], ids=["light", "all"])
def test_the_device_gives_the_pictures_of_the_host(
    plan: AugmentationPlan, fill: Fill, channels: int
) -> None:
    images, rows = photographs(24, 40, 56)[..., :channels].copy(), np.arange(24) * 7
    augmenter = Augmenter(plan.changed(fill=fill), 3)

    on_host = augmenter.changed(images.copy(), rows, 2)
    table = augmenter.table((40, 56, channels), rows, 2)
    on_device = by_device(images, table, fill)

    difference = np.abs(on_device.astype(int) - on_host)
    assert on_device.dtype == np.uint8
    assert (difference > 0).mean() < 0.05
    # At the border of a fill a place may fall on either side of it.
    assert (difference > 2).mean() < (0.001 if fill == "gray" else 1e-9)


def test_the_device_changes_12_bits_on_the_scale_of_8() -> None:
    images, rows = photographs(24, 40, 56)[..., :1].copy(), np.arange(24) * 7
    augmenter = Augmenter(LINEAR.changed(fill="gray"), 3)
    pixels = PixelFormat.uniform("uint16", 1, 0, 255 * 16)

    on_host = augmenter.changed(images.copy(), rows, 2)
    table = augmenter.table((40, 56, 1), rows, 2)
    on_device = by_device(images.astype(np.uint16) * np.uint16(16), table, "gray", pixels)

    difference = np.abs(np.clip(on_device / 16, 0, 255) - on_host)
    assert np.array_equal(on_device, np.rint(on_device))
    assert (difference > 2).mean() < 0.001


def test_the_device_changes_many_channels_as_the_host_does() -> None:
    values = np.tile(photographs(24, 40, 56), 2)[..., :5].astype(np.uint16)
    images, rows = values * np.uint16(16), np.arange(24) * 7
    pixels = PixelFormat.uniform("uint16", 5, 0, 255 * 16)
    augmenter = Augmenter(LINEAR.changed(fill="reflect"), 3, pixels=pixels)

    on_host = augmenter.changed(images.copy(), rows, 2)
    on_device = by_device(images, augmenter.table((40, 56, 5), rows, 2), "reflect", pixels)

    difference = np.abs(on_device - on_host.astype(np.float32)) / 16
    assert (difference > 2).mean() < 0.001


def test_images_without_changes_of_color_keep_their_bits() -> None:
    images, rows = photographs(8, 24, 24), np.arange(8)
    augmenter = Augmenter(AugmentationPlan(horizontal_flip=True, crop=9), 1)

    on_device = by_device(images, augmenter.table((24, 24, 3), rows, 0), "reflect")

    assert np.array_equal(on_device, augmenter.changed(images.copy(), rows, 0))


def test_only_what_is_linear_runs_on_the_device() -> None:
    for operation in OPERATIONS:
        for name in operation.fields:
            field = AugmentationPlan.model_fields[name]
            if operation.change is None or field.annotation is not float:
                continue
            plan = AugmentationPlan.parse({name: 3.0})
            augmenter = Augmenter(plan, 0)
            if plan.host_only:
                # Some RandAugment moves are linear, but not all of sixty images get those alone.
                with pytest.raises(ValueError, match="linear"):
                    augmenter.table((20, 20, 3), np.arange(60), 0)
            else:
                augmenter.table((20, 20, 3), np.arange(60), 0)


def _plan(**augmentation: Any) -> TrainingPlan:
    return TrainingPlan.parse({"dataset": "a" * 12, "augmentation": augmentation})


def test_augmentation_runs_on_the_device_only_if_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert augments_on_device(_plan(**VALUES, run_on="device"), DEFAULT_TASK)
    assert not augments_on_device(_plan(**VALUES, run_on="device", blur=1.0), DEFAULT_TASK)
    assert not augments_on_device(_plan(run_on="device"), DEFAULT_TASK)
    assert not augments_on_device(_plan(**VALUES), DEFAULT_TASK), "there is no GPU"
    monkeypatch.setattr(pipeline, "has_gpu", lambda _device: True)
    assert augments_on_device(_plan(**VALUES), DEFAULT_TASK)
    assert not augments_on_device(_plan(**VALUES, run_on="host"), DEFAULT_TASK)
    for task in TASKS.values():
        assert augments_on_device(_plan(**VALUES), task) != (task.geometry.rows is not None)


def test_operations_that_only_the_processor_can_do_are_named() -> None:
    plan = AugmentationPlan(run_on="device", rotation=5.0, blur=1.0, mix_up=0.2)

    (problem,) = check_augmentation(plan, (24, 32, 3), 8)

    assert problem.where == "run_on"
    assert not problem.serious
    assert "blur, mix_up" in problem.message


def _train(runs: SharedRuns, **values: Any) -> RunJob:
    # Adam makes much of a gradient that is hardly more than nothing, where gray levels differ.
    given = {"network": "mlp", "optimizer": "sgd", "epochs": 2, "batch_size": 64, **values}
    return runs.train(1, deterministic=True, insights=True, **given)


@pytest.mark.thorough
def test_a_run_on_the_device_trains_and_saves_the_same_model(runs: SharedRuns) -> None:
    on_host = _train(runs, augmentation={**VALUES, "run_on": "host"})
    on_device = _train(runs, augmentation={**VALUES, "run_on": "device"})

    losses = [np.array(job.history.steps_of("loss")) for job in (on_host, on_device)]
    assert np.allclose(losses[0], losses[1], rtol=1e-3)
    assert not np.array_equal(losses[0], losses[1]), "the other way was taken"
    files = [zipfile.ZipFile(job.record.folder / MODEL_FILE) for job in (on_host, on_device)]
    names, configs = (
        [sorted(file.namelist()) for file in files],
        [json.loads(file.read("config.json")) for file in files],
    )
    assert names[0] == names[1]
    assert configs[0]["config"] == configs[1]["config"]


@pytest.mark.parametrize("weights", [(), (0.3,)], ids=["plain", "auxiliary"])
def test_validation_sees_images_as_they_are_and_auxiliary_heads_learn_too(
    weights: tuple[float, ...],
) -> None:
    given = keras.Input((8, 8, 3), dtype="uint8")
    flat = keras.layers.Flatten()(keras.layers.Rescaling(1 / 255)(given))
    heads = [keras.layers.Dense(2, activation="softmax")(flat) for _ in (None, *weights)]
    network = keras.Model(given, heads if weights else heads[0])
    spec = SimpleNamespace(auxiliary=[SimpleNamespace(weight=each) for each in weights])
    model = pipeline.WithAugmentation(
        network, cast("Any", spec), "reflect", PixelFormat.bytes_of(3)
    )
    images, rows = photographs(4, 8, 8), np.arange(4)
    table = Augmenter(PRESETS["light"].plan, 1).table((8, 8, 3), rows, 0)
    model.compile(optimizer="sgd", loss=keras.losses.SparseCategoricalCrossentropy())

    plain = network(images)
    expected = np.asarray(plain[0] if weights else plain)
    assert np.array_equal(np.asarray(model(images)), expected)
    outputs = model((images, table), training=True)
    augmented = network(by_device(images, table, "reflect"))

    assert np.allclose(np.asarray(outputs), np.asarray(augmented), atol=1e-6)
    before = [np.array(each) for each in network.trainable_variables]
    model.train_on_batch((images, table), np.array([0, 1, 0, 1]))
    changes = zip(before, network.trainable_variables, strict=True)
    assert not any(np.array_equal(old, np.asarray(new)) for old, new in changes)
