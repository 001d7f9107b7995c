"""Average precision and recall, against pycocotools."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pycocotools.coco import COCO  # type: ignore[import-untyped]
from pycocotools.cocoeval import COCOeval  # type: ignore[import-untyped]

from studio.engine.tasks.boxes import CROWD, DIFFICULT, empty
from studio.engine.tasks.decoding import MOST
from studio.engine.tasks.detection.precision import LIMITS, Ranking, evidence_of

SIDE = 200


class _Official(COCOeval):  # type: ignore[misc]  # it has no types
    """The official metrics; difficult objects do not count either."""

    def _prepare(self) -> None:
        super()._prepare()
        for objects in self._gts.values():
            for each in objects:
                each["ignore"] = each["iscrowd"] or each["difficult"]


def official(
    detections: NDArray[np.float32], boxes: NDArray[np.float32], classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision, shape (T, R, K, A), and recall, shape (T, K, A, limits), of pycocotools.

    -1 stands for classes without objects.
    """
    truth: dict[str, Any] = {
        "info": {},
        "images": [{"id": at, "width": SIDE, "height": SIDE} for at in range(len(boxes))],
        "categories": [{"id": label, "name": str(label)} for label in range(classes)],
        "annotations": [],
    }
    found = []
    for image, (rows, objects) in enumerate(zip(detections, boxes, strict=True)):
        for label, left, top, right, bottom, flags in objects.astype(np.float64).tolist():
            if label >= 0:
                annotation = {
                    "id": len(truth["annotations"]) + 1,
                    "image_id": image,
                    "category_id": int(label),
                    "bbox": [left, top, right - left, bottom - top],
                    "area": (right - left) * (bottom - top),
                    "iscrowd": int(int(flags) & CROWD > 0),
                    "difficult": int(int(flags) & DIFFICULT > 0),
                }
                truth["annotations"].append(annotation)
        for label, left, top, right, bottom, score in rows.astype(np.float64).tolist():
            if label >= 0:
                box = [left, top, right - left, bottom - top]
                found.append(
                    {"image_id": image, "category_id": int(label), "bbox": box, "score": score}
                )
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO()
        reference.dataset = truth
        reference.createIndex()
        judged = COCO()
        if found:
            judged = reference.loadRes(found)
        else:
            judged.dataset = truth | {"annotations": []}
            judged.createIndex()
        official = _Official(reference, judged, "bbox")
        official.params.maxDets = list(LIMITS)
        official.evaluate()
        official.accumulate()
    return official.eval["precision"][..., -1], official.eval["recall"]


def drawn(
    seed: int, images: int, classes: int, objects: int, *, steps: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Draw objects of all sizes, and detections near them, some of them doubled or of nothing.

    Args:
        seed: Seed of the draws.
        images: Number of images; some have no objects, some no detections.
        classes: Number of classes.
        objects: Most objects of an image.
        steps: Number of different scores: many are equal if it is small.
    """
    draw = np.random.default_rng(seed)
    boxes, detections = empty(images, objects), empty(images, MOST)
    for at in range(images):
        count = int(draw.integers(0, objects + 1))
        sides = draw.choice([8, 20, 40, 90, 150], count)[:, None] * draw.uniform(
            0.7, 1.3, (count, 2)
        )
        corner = draw.uniform(0, SIDE / 2, (count, 2))
        labels = draw.integers(0, classes, count)
        flags = draw.choice([0, 0, 0, 0, DIFFICULT, CROWD], count)
        boxes[at, :count] = np.column_stack([labels, corner, corner + sides, flags])
        true = boxes[at, :count]
        near = true[draw.integers(0, max(count, 1), 3 * count)] if count else true
        shift = draw.normal(0, draw.choice([0.02, 0.1, 0.3], len(near))[:, None], (len(near), 4))
        size = np.tile(near[:, 3:5] - near[:, 1:3], 2)
        corners = np.sort((near[:, 1:5] + shift * size).reshape(-1, 2, 2), axis=1).reshape(-1, 4)
        other = draw.random(len(near)) < 0.2
        label = np.where(other, draw.integers(0, classes, len(near)), near[:, 0])
        extra = int(draw.integers(0, 6))
        start = draw.uniform(0, SIDE / 2, (extra, 2))
        nothing = np.column_stack(
            [draw.integers(0, classes, extra), start, start + draw.uniform(5, 90, (extra, 2))]
        )
        rows = np.concatenate([np.column_stack([label, corners]), nothing])[:MOST]
        scores = draw.integers(1, steps + 1, len(rows)) / steps
        rows = np.column_stack([rows, scores])
        detections[at, : len(rows)] = rows[np.argsort(-scores, kind="stable")]
    return detections, boxes


def require_official(
    detections: NDArray[np.float32], boxes: NDArray[np.float32], classes: int
) -> None:
    """Compare all figures of each class, range of sizes, overlap and limit."""
    precision, recall = official(detections, boxes, classes)
    ours = Ranking(evidence_of(detections, boxes, classes)).measure(np.full(classes, 0.5))
    average = np.moveaxis(precision, 3, 0).mean(axis=2)
    expected = np.where(average < 0, np.nan, average)
    np.testing.assert_allclose(ours.average, expected, atol=1e-9)
    expected = np.moveaxis(recall, (3, 2), (0, 1))
    np.testing.assert_allclose(ours.recall, np.where(expected < 0, np.nan, expected), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 12), st.sampled_from((3, 10, 1000))
)
def test_all_figures_equal_those_of_pycocotools(
    seed: int, classes: int, objects: int, steps: int
) -> None:
    """Crowds, difficult objects, equal scores and empty images are as in the official code."""
    require_official(*drawn(seed, 6, classes, objects, steps=steps), classes)


def test_a_whole_dataset_equals_pycocotools() -> None:
    """Hundreds of images with many objects give the official figures."""
    require_official(*drawn(7, 300, 5, 20, steps=50), 5)


def test_equal_overlaps_take_the_last_object() -> None:
    """A detection between two equal objects leaves the first one for the next detection."""
    boxes = empty(2, 3)
    boxes[0, 0] = (0, 10, 10, 30, 30, 0)
    boxes[0, 1] = (0, 10, 10, 30, 30, 0)
    boxes[0, 2] = (0, 10, 10, 30, 30, DIFFICULT)
    boxes[1, 0] = (0, 10, 10, 30, 30, 0)
    boxes[1, 1] = (0, 20, 10, 40, 30, 0)
    detections = empty(2, MOST)
    for at in range(4):
        detections[0, at] = (0, 10, 10, 30, 30, 0.9 - 0.1 * at)
    detections[1, 0] = (0, 15, 10, 35, 30, 0.95)
    detections[1, 1] = (0, 11, 10, 31, 30, 0.85)
    require_official(detections, boxes, 1)
    found = Ranking(evidence_of(detections, boxes, 1)).measure(np.zeros(1))
    assert found.right.tolist() == [4]


def test_an_overlap_and_a_score_that_are_just_reached_count() -> None:
    boxes, detections = empty(1, 1), empty(1, MOST)
    boxes[0, 0] = (0, 10, 10, 30, 30, 0)
    detections[0, 0] = (0, 10, 10, 30, 20, 0.5)  # IoU 0.5
    require_official(detections, boxes, 1)
    ranking = Ranking(evidence_of(detections, boxes, 1))
    for threshold, expected in ((0.5, [1]), (np.nextafter(0.5, 1), [0])):
        found = ranking.measure(np.array([threshold]))
        assert (found.right.tolist(), found.given.tolist()) == (expected, expected)


@pytest.mark.parametrize("has_objects", [False, True])
def test_images_without_detections(has_objects: bool) -> None:
    """Nothing is found: 0 with objects, and unknown without."""
    detections, boxes = empty(3, MOST), empty(3, 2)
    if has_objects:
        boxes[0, 0] = (0, 10, 10, 30, 30, 0)
    require_official(detections, boxes, 2)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_weights_equal_images_that_are_drawn_several_times(seed: int) -> None:
    """A weight for each image gives the figures of a dataset with copies of it.

    Equal scores in an image are in another order in copies: here all are different.
    """
    detections, boxes = drawn(seed, 8, 3, 6, steps=10**6)
    evidence = evidence_of(detections, boxes, 3)
    images = np.sort(np.random.default_rng(seed).integers(0, 8, 8))
    thresholds = np.array([0.2, 0.5, 0.7])
    copied = Ranking(evidence[images]).measure(thresholds)
    weighted = Ranking(evidence).measure(thresholds, np.bincount(images, minlength=8))
    for name in ("average", "recall", "right", "given", "objects"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(copied, name), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_the_best_threshold_has_the_highest_f1(seed: int) -> None:
    """No other threshold gives a higher F1."""
    ranking = Ranking(evidence_of(*drawn(seed, 6, 2, 6, steps=10), 2))
    curves = list(ranking.curves())

    def f1(thresholds: list[float]) -> NDArray[np.float64]:
        found = ranking.measure(np.array(thresholds))
        scores: NDArray[np.float64] = 2 * found.right / np.maximum(found.given + found.objects, 1)
        return scores

    best = [each.best_threshold() for each in curves]
    reached = f1([2.0 if each is None else each for each in best])
    for threshold in np.linspace(0, 1, 41):
        assert np.all(f1([threshold, threshold]) <= reached + 1e-12)
