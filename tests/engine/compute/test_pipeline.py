"""Batches: their order, what augmentation does to them, and to whom it does nothing."""

from __future__ import annotations

import ctypes
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import SharedRuns
from helpers.pictures import picture_folder, small_recipe
from helpers.sampling import sample
from studio.engine.arrays import Pixels
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.datasets.augment.augmenter import Augmenter, preview
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.networks.spec import NetworkSpec
from studio.engine.progress import SilentProgress
from studio.engine.training.dataset_statistics import mean_of
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import MeanImage, network_for

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.model_checkpointer import MODEL_FILE  # noqa: E402
from studio.engine.compute.model_files import load_model  # noqa: E402
from studio.engine.compute.models import score  # noqa: E402
from studio.engine.compute.pipeline import SplitBatches  # noqa: E402

STRONG = PRESETS["strong"].plan
EVERYTHING = STRONG.changed(
    vertical_flip=True,
    quarter_turns="all",
    rescale=10,
    crop=6,
    value=20,
    blur=1,
    noise=5,
    rand_augment=5,
    aug_mix=5,
    mix_up=0.5,
    cut_mix=1,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("pipeline")
    recipe = small_recipe(picture_folder(folder / "pictures", 20), val_percent=20, test_percent=20)
    import_dataset(recipe, folder, SilentProgress())
    return Store.open(folder)


def _plan(network: str, augmentation: AugmentationPlan | None = None) -> TrainingPlan:
    return TrainingPlan(
        dataset="d", network=network, augmentation=augmentation or AugmentationPlan()
    )


def read(batches: SplitBatches) -> list[tuple[Pixels, NDArray[Any]]]:
    return [batches[index] for index in range(len(batches))]


def digest(batches: SplitBatches) -> str:
    total = hashlib.blake2b()
    for pixels, labels in read(batches):
        total.update(np.ascontiguousarray(pixels).tobytes() + labels.tobytes())
    return total.hexdigest()


def test_without_augmentation_batches_are_the_rows_of_the_file(store: Store) -> None:
    plain = SplitBatches(store, "train", 8, 3)
    off = SplitBatches(store, "train", 8, 3, Augmenter(AugmentationPlan(), 3))

    for epoch in (0, 1):
        plain.set_epoch(epoch)
        off.set_epoch(epoch)
        assert digest(plain) == digest(off)
        generator = np.random.Generator(np.random.PCG64((3, epoch)))
        order = store.rows("train")[generator.permutation(plain.count)]
        pixels = np.concatenate([pixels for pixels, _ in read(off)])
        assert np.array_equal(pixels, store.images[order])
        assert np.array_equal(np.concatenate([y for _, y in read(off)]), store.labels[order])
    assert plain.workers == off.workers == 1
    assert read(off)[0][1].dtype == np.int32


def test_epochs_are_reproducible_and_differ(store: Store) -> None:
    one = SplitBatches(store, "train", 8, 3, Augmenter(EVERYTHING, 3))
    two = SplitBatches(store, "train", 8, 3, Augmenter(EVERYTHING, 3))
    other = SplitBatches(store, "train", 8, 3, Augmenter(EVERYTHING, 4))
    seen = []
    for epoch in range(3):
        for batches in (one, two, other):
            batches.set_epoch(epoch)
        assert digest(one) == digest(two)
        assert digest(one) != digest(other)
        seen.append(digest(one))
    one.set_epoch(1)

    assert len(set(seen)) == 3
    assert digest(one) == seen[1], "a resumed run sees what the interrupted one would have"


def test_every_image_keeps_what_it_gets_when_batches_have_another_size(store: Store) -> None:
    small = SplitBatches(store, "train", 4, 3, Augmenter(STRONG, 3))
    large = SplitBatches(store, "train", 16, 3, Augmenter(STRONG, 3))

    ours, theirs = (np.concatenate([p for p, _ in read(each)]) for each in (small, large))

    assert np.array_equal(ours, theirs)


def test_the_preview_is_what_training_sees(store: Store) -> None:
    plan = STRONG.changed(cut_mix=1)
    batches = SplitBatches(store, "train", 8, None, Augmenter(plan, 5))
    batches.set_epoch(2)
    rows = store.rows("train")[:8]

    shown = preview(store.images[rows], plan, 5, 2, rows)

    assert np.array_equal(shown, batches[0][0])


def test_only_training_images_are_augmented(store: Store) -> None:
    for split in ("val", "test"):
        with pytest.raises(ValueError, match=split):
            SplitBatches(store, split, 8, None, Augmenter(STRONG, 0))
        (pixels, labels), *_ = read(SplitBatches(store, split, 100, None, mixed=True))
        assert np.array_equal(pixels, store.images[store.rows(split)])
        assert np.array_equal(labels.argmax(axis=1), store.labels[store.rows(split)])
        assert labels.sum() == len(labels)


def test_mixed_labels_are_soft(store: Store) -> None:
    batches = SplitBatches(store, "train", 8, 3, Augmenter(AugmentationPlan(mix_up=1), 3))

    pixels, labels = batches[0]

    assert pixels.dtype == np.uint8
    assert labels.dtype == np.float32
    assert labels.shape == (8, len(store.classes))
    assert labels.sum(axis=1) == pytest.approx(np.ones(8))
    assert 0 < labels.max(axis=1).min() < 1


@pytest.mark.parametrize("kind", ["pixel", "image"])
def test_the_mean_is_that_of_the_training_images(store: Store, kind: Any) -> None:
    mean = mean_of(store, kind)

    assert mean is not None
    rows = store.images[store.rows("train")].astype(float)
    expected = rows.mean(axis=(0, 1, 2)) if kind == "pixel" else rows.mean(axis=0)
    assert mean.values == pytest.approx(expected.ravel().tolist())
    assert len(mean.values) == mean.height * mean.width * store.shape[2]
    assert mean_of(store, "none") is None


def _before(spec: NetworkSpec, node: str, images: Pixels) -> NDArray[np.float32]:
    model = build(spec, seed=0)
    part = keras.Model(model.input, model.get_layer(node).output)
    return np.asarray(part(images), dtype=np.float32)


def _images(height: int = 20, width: int = 26) -> Pixels:
    generator = np.random.default_rng(0)
    return generator.integers(0, 256, (6, height, width, 3), dtype=np.uint8)


def test_whitening_gives_every_image_mean_zero_and_deviation_one() -> None:
    spec = network_for(_plan("lenet", AugmentationPlan(whitening=True)), (20, 26, 3), 3)

    white = _before(spec, "input_whitening", (_images() // 2) + 60)

    assert white.mean(axis=(1, 2, 3)) == pytest.approx(np.zeros(6), abs=1e-4)
    assert white.std(axis=(1, 2, 3)) == pytest.approx(np.ones(6), rel=1e-2)


@pytest.mark.parametrize("kind", ["pixel", "image"])
def test_the_subtracted_mean_leaves_zero(kind: str) -> None:
    images = _images()
    mean = images.mean(axis=0)
    if kind == "pixel":
        mean = mean.mean(axis=(0, 1), keepdims=True)
    given = MeanImage(mean.shape[0], mean.shape[1], tuple(mean.ravel().tolist()))
    spec = network_for(_plan("lenet"), (20, 26, 3), 3, given)

    centered = _before(spec, "input_mean", images)

    assert NetworkSpec.parse(spec.model_dump(mode="json")) == spec
    expected = (images - mean) / 127.5
    assert np.abs(centered - expected).max() < 1e-4


@pytest.mark.parametrize(("height", "width"), [(20, 26), (21, 27)])
def test_the_network_cuts_out_the_window_that_training_drew(height: int, width: int) -> None:
    images, plan = _images(height, width), AugmentationPlan(crop=14)
    spec = network_for(_plan("lenet", plan), (height, width, 3), 3)

    whole = (_before(spec, "input_crop", images) + 1) * 127.5
    moved = Augmenter(plan, 1).changed(images.copy(), np.arange(6), 0)
    seen = (_before(spec, "input_crop", moved) + 1) * 127.5

    top, left = (height - 14) // 2, (width - 14) // 2
    assert np.abs(whole - images[:, top : top + 14, left : left + 14]).max() < 1e-3
    assert np.abs(seen - preview(images, plan, 1, 0)).max() < 1e-3
    assert build(spec, seed=0).input_shape == (None, height, width, 3)


def test_nothing_is_added_to_a_network_that_needs_nothing() -> None:
    spec = network_for(_plan("lenet", STRONG), (20, 26, 3), 3)

    assert spec == network_for(_plan("lenet"), (20, 26, 3), 3)


def _train(runs: SharedRuns, attempt: int = 1, /, **augmentation: Any) -> RunJob:
    return runs.train(
        attempt,
        network="mlp",
        epochs=3,
        batch_size=64,
        deterministic=True,
        augmentation=augmentation,
    )


def _model_accuracy(runs: SharedRuns, job: RunJob) -> float:
    store = runs.store
    rows = store.rows("val")
    scores = score(load_model(job.record.folder / MODEL_FILE), store.images[rows])
    return float((scores.argmax(axis=1) == store.labels[rows]).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    "augmentation",
    sample(
        [
            {"rotation": 10, "translation": 5, "noise": 3},
            {"mix_up": 0.2},
            {"cut_mix": 1.0, "zoom": 10},
            {"whitening": True},
            {"subtract_mean": "image", "crop": 24},
            {"subtract_mean": "pixel", "whitening": True, "brightness": 20},
        ],
        1,
    ),
    ids="+".join,
)
def test_training_with_it_works_and_the_model_does_it_too(
    runs: SharedRuns, augmentation: dict[str, Any]
) -> None:
    job = _train(runs, **augmentation)

    best = job.history.best_epoch
    assert best is not None
    assert best.value("val_accuracy") > 0.8
    assert all(math.isfinite(value) for value in job.history.steps_of("loss"))
    assert _model_accuracy(runs, job) == pytest.approx(best.value("val_accuracy"), abs=1e-6)
    spec = Path(job.record.folder / "network.json").read_text(encoding="utf-8")
    for name in ("crop", "whitening", "subtract_mean"):
        assert (f'"{name}"' in spec or f'"center_{name}"' in spec) == (name in augmentation)


@pytest.mark.slow
def test_augmented_training_is_reproducible(runs: SharedRuns) -> None:
    plan = {"rotation": 20, "mix_up": 0.2}
    one, two = _train(runs, **plan), _train(runs, 2, **plan)
    plain = _train(runs)

    assert one.history.steps_of("loss") == two.history.steps_of("loss")
    assert one.history.steps_of("loss") != plain.history.steps_of("loss")


@pytest.mark.thorough
def test_soft_labels_are_measured_like_hard_ones_in_validation(runs: SharedRuns) -> None:
    hard = _train(runs)
    # Shares of nearly one: mixing that hardly mixes, so the same training within rounding.
    soft = _train(runs, mix_up=1e-9)

    for ours, theirs in zip(soft.history.epochs, hard.history.epochs, strict=True):
        assert ours.value("val_accuracy") == pytest.approx(theirs.value("val_accuracy"), abs=0.05)
        assert ours.value("val_loss") == pytest.approx(theirs.value("val_loss"), rel=0.25)


class _MallInfo(ctypes.Structure):
    """What glibc tells about its memory (`man 3 mallinfo2`)."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="another C library")
def test_memory_of_a_step_is_not_given_back_to_the_system(store: Store) -> None:
    """TensorFlow, told to read from a generator, lets each large tensor be mapped again."""
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _MallInfo
    library.malloc.restype = ctypes.c_void_p
    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(2, "softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(SplitBatches(store, "train", 4, 0), verbose=0)

    before = library.mallinfo2().hblks
    stored = library.malloc(8_000_000)
    mapped = library.mallinfo2().hblks - before
    library.free(ctypes.c_void_p(stored))
    assert mapped == 0
