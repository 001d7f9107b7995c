"""What Keras computes of masks of detected objects, and what a small network learns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.bent_shapes import bent_image, bent_images, write_bent_images
from helpers.mask_outputs import perfect_outputs, random_outputs
from studio.engine.compute.backends.prepare import prepare_backend

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402

from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.tasks.instance_masks import (  # noqa: E402
    LearnsObjectMasks,
    MaskLoss,
    MeanFoundMaskPrecision,
    unpacked,
)
from studio.engine.compute.tasks.instances import StarLoss  # noqa: E402
from studio.engine.datasets.importer import import_dataset  # noqa: E402
from studio.engine.datasets.recipe import DatasetRecipe  # noqa: E402
from studio.engine.datasets.store import Store  # noqa: E402
from studio.engine.networks.zoo import ZOO  # noqa: E402
from studio.engine.progress import SilentProgress  # noqa: E402
from studio.engine.tasks import masks  # noqa: E402
from studio.engine.tasks.calibration import Calibration  # noqa: E402
from studio.engine.tasks.instance_labels import values_of  # noqa: E402
from studio.engine.tasks.instances.mask_decoding import decoded  # noqa: E402
from studio.engine.tasks.instances.mask_targets import mask_targets  # noqa: E402
from studio.engine.tasks.instances.report import REPORTER  # noqa: E402
from studio.engine.tasks.instances.star_targets import star_targets  # noqa: E402

SIDE = 64
_, DRAWN = bent_image(np.random.default_rng(2), SIDE)
LABELS = values_of(DRAWN >> 8, (DRAWN >> 8) % 2)
PLACES = 6


def truth(labels: NDArray[np.int32] = LABELS) -> NDArray[np.float32]:
    return mask_targets(labels, PLACES)[None]


def test_right_outputs_have_the_least_loss_and_full_precision() -> None:
    right = perfect_outputs(LABELS, 2)[None]
    loss, metric = MaskLoss((SIDE, SIDE), 2), MeanFoundMaskPrecision((SIDE, SIDE), 2)

    metric.update_state(truth(), right)
    best = loss.parts(truth(), right, is_last=True)

    assert float(metric.precisions()[0]) == pytest.approx(1.0)
    mirrored = right.copy()
    count = masks.MaskLevels.of(right.shape[1], (SIDE, SIDE)).count
    mirrored[:, :count] = right[:, :count][:, ::-1]
    worse = loss.parts(truth(), mirrored, is_last=True)
    assert float(worse.masks[0]) > 2 * float(best.masks[0])
    other = right.copy()
    other[..., :2] = right[..., 1::-1]
    assert float(loss.parts(truth(), other, is_last=True).scores[0]) > float(best.scores[0])


def test_the_precision_counts_missed_objects_and_wrong_masks() -> None:
    outputs = perfect_outputs(LABELS, 2)[None]
    count = masks.MaskLevels.of(outputs.shape[1], (SIDE, SIDE)).count
    outputs[:, :count, 2:] *= -1  # the inside becomes the outside

    metric = MeanFoundMaskPrecision((SIDE, SIDE), 2)
    metric.update_state(truth(), outputs)

    assert float(metric.result()) == 0
    numbers = np.unique(LABELS[LABELS > 0])
    assert np.asarray(metric.objects).sum() == len(numbers)


def test_ignored_pixels_change_no_loss() -> None:
    labels = LABELS.copy()
    labels[:, :12] = -1
    outputs = random_outputs(0, 1, (SIDE, SIDE))
    loss = MaskLoss((SIDE, SIDE), 2)
    before = loss.parts(truth(labels), outputs, is_last=True)
    levels = masks.MaskLevels.of(outputs.shape[1], (SIDE, SIDE))
    hidden = levels.places[:, 0] < 11
    outputs[:, hidden, :2] = 0.9

    after = loss.parts(truth(labels), outputs, is_last=True)

    assert float(after.scores[0]) == pytest.approx(float(before.scores[0]), rel=1e-4)
    assert float(after.masks[0]) == pytest.approx(float(before.masks[0]), rel=1e-4)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("bent")
    source = write_bent_images(folder / "pictures", 0, 20)
    recipe = DatasetRecipe(
        source=str(source), task="instances", width=SIDE, height=SIDE, color="gray"
    )
    import_dataset(recipe, folder, SilentProgress())
    return Store.open(folder)


def test_stored_answers_are_the_objects_but_for_rounding(store: Store) -> None:
    outputs = random_outputs(0, 2, (SIDE, SIDE), 1)
    learning = LearnsObjectMasks(store)

    answers = np.asarray(learning.answer(None, outputs))

    found = unpacked(answers.reshape(2, *learning.answer_shape))
    np.testing.assert_allclose(found, decoded(outputs, (SIDE, SIDE)), atol=1 / 255)
    assert learning.prepared(store.required_regions[:2]).shape[2] == masks.VALUES


@pytest.mark.slow
@pytest.mark.thorough
def test_bent_objects_are_found_that_no_star_covers() -> None:
    images, labels = bent_images(0, 400, SIDE)
    others, expected = bent_images(1, 60, SIDE)
    found = {}
    for name, loss, target in (
        ("small_masks:finest=4,filters=8", MaskLoss((SIDE, SIDE), 1), truth_of),
        ("star_unet:filters=8,features=32", StarLoss(), star_targets),
    ):
        model = build(ZOO[name].build((SIDE, SIDE, 1), 1), seed=0)
        targets = np.stack([target(each) for each in labels])
        draw, steps = np.random.default_rng(0), 300
        rates = keras.optimizers.schedules.CosineDecay(0.003, steps)
        model.compile(keras.optimizers.Adam(rates), loss)
        for _ in range(steps):
            rows = draw.choice(len(images), 8, replace=False)
            model.train_on_batch(images[rows], targets[rows])
        outputs = model.predict(others, verbose=0)
        evidence = REPORTER.evidence(REPORTER.decoded(outputs, (SIDE, SIDE)), expected, 1)
        measured = REPORTER.measure(evidence, expected, Calibration(thresholds=(0.4,)))
        found[name.partition("_")[0]] = measured.whole["mask_ap50"]

    assert found["small"] > 0.8
    assert found["small"] > found["star"] + 0.4


def truth_of(labels: NDArray[np.int32]) -> NDArray[np.float32]:
    return mask_targets(labels, PLACES)
