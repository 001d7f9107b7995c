"""Assignment, losses and metrics of boxes follow their definitions on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.box_losses import (
    CLASSES,
    HEIGHT,
    PARTS,
    PLANS,
    POSITIONS,
    WIDTH,
    batch,
    crowded,
    measured,
)
from helpers.other_backends import OTHER_BACKENDS, measured_on
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.tasks import boxes as form
from studio.engine.tasks.decoding import decoded

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

Numbers = NDArray[np.float64]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return measured()


def _assigned(boxes: Numbers, outputs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Assign the positions of one image, one after the other, as `Assigner` describes it."""
    places = form.positions_of(POSITIONS, HEIGHT, WIDTH)
    corners = form.boxes_of(outputs[None].astype(np.float32), HEIGHT, WIDTH)[0]
    overlaps = form.overlaps(corners, boxes[:, 1:5])
    labels, learned = np.zeros((POSITIONS, CLASSES)), np.zeros((POSITIONS, 4))
    valid = np.ones(POSITIONS)
    for place, (x, y, stride) in enumerate(places):
        claims: dict[int, float] = {}
        for at, (label, left, top, right, bottom, flags) in enumerate(boxes):
            if label < 0:
                continue
            if flags:
                valid[place] *= not (left < x < right and top < y < bottom)
                continue
            near = max(abs(x - (left + right) / 2), abs(y - (top + bottom) / 2)) < 1.5 * stride
            far = max(x - left, right - x, y - top, bottom - y) / stride
            fits = (far > 4 or stride == 8) and (far <= 8 or stride == 32)
            across, down = (max(8.08 - side, 0) / 2 for side in (right - left, bottom - top))
            inside = left - across < x < right + across and top - down < y < bottom + down
            if near and fits and inside:
                claims[at] = (right - left) * (bottom - top)
        if claims:
            at = min(claims, key=lambda each: claims[each])
            labels[place, int(boxes[at, 0])] = max(overlaps[place, at], 0.1)
            learned[place] = boxes[at, 1:5]
            valid[place] = 1
    return labels, learned, valid


def test_positions_are_assigned_as_one_by_one(found: dict[str, Any]) -> None:
    parts = [_assigned(*each) for each in zip(*map(np.float64, batch()), strict=True)]

    assert np.count_nonzero(found["labels"]) > 40
    for at, name in enumerate(PARTS):
        expected = [part[at] for part in parts]
        np.testing.assert_allclose(found[name], expected, rtol=1e-4, atol=1e-5, err_msg=name)


def test_positions_of_crowded_images_are_assigned_as_one_by_one(found: dict[str, Any]) -> None:
    outputs = batch()[1].astype(np.float64)
    parts = [_assigned(*each) for each in zip(crowded().astype(np.float64), outputs, strict=True)]

    for at, name in enumerate(PARTS):
        expected = [part[at] for part in parts]
        np.testing.assert_allclose(found[f"crowded_{name}"], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("is_compiled", [None, False, True])
def test_blocks_of_objects_give_the_same_assignment(
    is_compiled: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import keras
    import tensorflow as tf

    from studio.engine.compute.tasks import box_geometry, detection

    seen = []

    class Watched(detection.Assigner):
        @staticmethod
        def _claims(objects: Any, learned: Any, ignored: Any, places: Any) -> Any:
            seen.append(objects.shape[1])
            return detection.Assigner._claims(objects, learned, ignored, places)

    def assigned(block: int) -> list[Numbers]:
        monkeypatch.setattr(detection, "BLOCK", block)
        assigner = Watched(box_geometry.Grid(HEIGHT, WIDTH), CLASSES)

        def parts(boxes: Any, outputs: Any) -> list[Any]:
            corners = assigner.grid.corners(outputs)
            return [getattr(assigner(boxes, outputs[..., :CLASSES], corners), n) for n in PARTS]

        if is_compiled is not None:  # without the number of images, as in training
            shapes = [tf.TensorSpec((None, *each.shape[1:])) for each in (many, outputs)]
            parts = tf.function(parts, input_signature=shapes, jit_compile=is_compiled)
        return [keras.ops.convert_to_numpy(each) for each in parts(many, outputs)]

    many, outputs = crowded(), batch()[1]
    whole = assigned(1000)
    assert set(seen) == {150}
    for block in (64, 7):
        seen.clear()
        for part, expected in zip(assigned(block), whole, strict=True):
            assert np.array_equal(part, expected)
        assert max(seen) <= block


def test_an_object_smaller_than_a_stride_is_learned(found: dict[str, Any]) -> None:
    small = batch()[0][3, 0, 1:5]
    learned = np.all(np.isclose(found["boxes"][3], small), axis=-1)

    assert learned.any()
    assert np.max(np.array(found["labels"])[3][learned]) >= 0.1


def test_places_inside_crowds_and_difficult_objects_are_no_negatives(
    found: dict[str, Any],
) -> None:
    assert {image for image, valid in enumerate(found["valid"]) if min(valid) == 0} == {0, 2}


@pytest.mark.parametrize("name", PLANS)
def test_a_loss_is_that_of_its_formula(name: str, found: dict[str, Any]) -> None:
    _, outputs = batch()
    scores = outputs[..., :CLASSES].astype(np.float64)
    labels, valid = np.array(found["labels"]), np.array(found["valid"])
    gamma, weights = PLANS[name].get("gamma", 0), PLANS[name].get("weights", np.ones(CLASSES))
    entropy = -(labels * np.log(scores) + (1 - labels) * np.log(1 - scores))
    entropy *= np.abs(labels - scores) ** gamma * weights
    total = np.maximum(labels.sum(axis=(1, 2)), 1)
    corners = form.boxes_of(outputs, HEIGHT, WIDTH).astype(np.float64)
    true = np.array(found["boxes"])
    both = np.prod(
        np.maximum(
            np.minimum(corners[..., 2:], true[..., 2:])
            - np.maximum(corners[..., :2], true[..., :2]),
            0,
        ),
        axis=-1,
    )
    union = form.areas(corners) + form.areas(true) - both
    hull = np.prod(
        np.maximum(corners[..., 2:], true[..., 2:]) - np.minimum(corners[..., :2], true[..., :2]),
        axis=-1,
    )
    lost = labels.sum(axis=-1) * (1 - both / union + (hull - union) / hull)
    classes = (entropy.sum(axis=-1) * valid).sum(axis=-1) / total
    sides = lost.sum(axis=-1) / total

    np.testing.assert_allclose(found[f"{name}_parts"], [classes, sides], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[name], classes + 2 * sides, rtol=1e-4)


def test_gradients_are_finite_differences_for_a_fixed_assignment() -> None:
    import keras
    import tensorflow as tf

    from studio.engine.compute.tasks.box_geometry import Grid
    from studio.engine.compute.tasks.detection import Assigner, Assignment, BoxLoss

    class Fixed(Assigner):
        kept: Assignment | None = None

        def __call__(self, y_true: Any, scores: Any, corners: Any) -> Assignment:
            self.kept = self.kept or super().__call__(y_true, scores, corners)
            return self.kept

    boxes, outputs = batch()
    assigner = Fixed(Grid(HEIGHT, WIDTH), CLASSES)
    loss = BoxLoss(assigner)
    given = tf.Variable(outputs)
    with tf.GradientTape() as tape:
        total = keras.ops.sum(loss.call(boxes, given))
    gradient = np.asarray(tape.gradient(total, given))
    random = np.random.default_rng(1)
    assert assigner.kept is not None
    labels = np.asarray(assigner.kept.labels).sum(axis=-1)
    # Of scores near 0 the logarithm is bent too much for a difference.
    near = (labels > 0.2)[..., None] & (outputs > 0.05)

    for image, place, value in random.permutation(np.argwhere(near))[:40]:
        step, ends = 1e-3, []
        for sign in (1, -1):
            moved = outputs.copy()
            moved[image, place, value] += sign * step
            ends.append(float(loss.call(boxes, moved)[image]))
        slope = (ends[0] - ends[1]) / (2 * step)
        assert gradient[image, place, value] == pytest.approx(slope, rel=0.05, abs=0.02)


def test_both_parts_are_those_that_the_loss_has_computed() -> None:
    import keras

    from studio.engine.compute.tasks.box_geometry import Grid
    from studio.engine.compute.tasks.detection import Assigner, BoxLoss

    calls = []

    class Counting(Assigner):
        def __call__(self, y_true: Any, scores: Any, corners: Any) -> Any:
            calls.append(1)
            return super().__call__(y_true, scores, corners)

    boxes, outputs = batch()
    loss = BoxLoss(Counting(Grid(HEIGHT, WIDTH), CLASSES))
    first, second = (keras.ops.convert_to_tensor(outputs) for _ in range(2))
    loss(boxes, first)
    loss.parts(boxes, first, is_last=False)
    assert len(calls) == 1
    loss.parts(boxes, second, is_last=True)
    assert len(calls) == 2
    loss.parts(boxes, second, is_last=True)
    assert len(calls) == 3


def test_detections_are_those_of_predictions(found: dict[str, Any]) -> None:
    np.testing.assert_allclose(
        found["decoded"], decoded(batch()[1], (HEIGHT, WIDTH)), rtol=1e-4, atol=1e-3
    )


def _precisions(batches: list[tuple[Any, Any]]) -> Numbers:
    """Return the average precision of each class and overlap, with greedy matching."""
    result = np.zeros((CLASSES, len(form.OVERLAPS)))
    for label in range(CLASSES):
        for level, least in enumerate(form.OVERLAPS):
            rows, objects = [], 0
            for boxes, outputs in batches:
                for true, rows_of in zip(boxes, decoded(outputs, (HEIGHT, WIDTH)), strict=True):
                    own = true[(true[:, 0] == label)]
                    plain = own[own[:, 5] == 0][:, 1:5]
                    hidden = own[own[:, 5] != 0][:, 1:5]
                    objects += len(plain)
                    free = np.ones(len(plain), bool)
                    for row in rows_of[rows_of[:, 0] == label]:
                        overlap = form.overlaps(row[None, 1:5], plain)[0] * free
                        at = int(overlap.argmax()) if len(plain) else -1
                        if at >= 0 and overlap[at] >= least:
                            free[at] = False
                            rows.append((row[5], 1))
                        elif not np.any(form.overlaps(row[None, 1:5], hidden) >= least):
                            rows.append((row[5], 0))
            rows.sort(reverse=True)
            right = np.cumsum([hit for _, hit in rows])
            precision = right / np.arange(1, len(rows) + 1)
            best = np.maximum.accumulate(precision[::-1])[::-1]
            recall = right / objects
            result[label, level] = np.sum(np.diff(recall, prepend=0) * best)
    means: Numbers = result.mean(axis=0)
    return means


def test_metrics_are_nearly_exact(found: dict[str, Any]) -> None:
    exact = _precisions([batch(0), batch(1)])

    assert exact[0] > 0.2
    assert found["ap50"] == pytest.approx(exact[0], abs=0.05)
    assert found["map"] == pytest.approx(exact.mean(), abs=0.03)


def test_training_steps_measure_a_sample_and_validations_all_images() -> None:
    import keras

    from studio.engine.compute.tasks.box_geometry import Grid
    from studio.engine.compute.tasks.detection import MeanPrecision
    from studio.engine.compute.tasks.learning import TRAINING_STEPS

    boxes, outputs = batch()

    def counts(images: int) -> Numbers:
        metric = MeanPrecision(Grid(HEIGHT, WIDTH), CLASSES)
        metric.update_state(boxes[:images], keras.ops.convert_to_tensor(outputs[:images]))
        found: Numbers = keras.ops.convert_to_numpy(metric.counts)
        return found

    whole, sample = counts(4), counts(2)
    with TRAINING_STEPS.running():
        assert np.array_equal(counts(4), sample)
    assert np.array_equal(counts(4), whole)
    assert sample.sum() < whole.sum()


@pytest.mark.thorough
@pytest.mark.parametrize("backend", OTHER_BACKENDS)
def test_every_backend_measures_the_same(backend: str, found: dict[str, Any]) -> None:
    others = measured_on(backend, "helpers.box_losses")

    assert others.keys() == found.keys()
    for name, value in found.items():
        np.testing.assert_allclose(others[name], value, rtol=1e-4, atol=1e-4, err_msg=name)
