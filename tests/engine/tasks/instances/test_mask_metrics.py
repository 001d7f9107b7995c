"""Metrics of masks: equal to pycocotools, and to counts by hand."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.star_images import discs
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.detection.matching import ALL, MEDIUM, SMALL
from studio.engine.tasks.detection.precision import Ranking
from studio.engine.tasks.instances.decoding import MOST
from studio.engine.tasks.instances.matching import compared, instance_evidence
from studio.engine.tasks.instances.report import REPORTER
from studio.engine.tasks.prediction import FALSE, MISSED
from studio.engine.tasks.stars import DISTANCES, X, empty, with_boxes

HALF = Calibration(thresholds=(0.5, 0.5))
ONE = Calibration(thresholds=(0.5,))


def stars_of(circles: list[tuple[float, ...]], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return round stars of class, score, x, y and radius, in places of an image."""
    found = empty(1, MOST)
    rows = found[0]
    for row, (label, score, x, y, radius) in zip(
        rows, sorted(circles, key=lambda each: -each[1]), strict=False
    ):
        row[CLASS], row[SCORE], row[X : X + 2], row[DISTANCES:] = label, score, (x, y), radius
    count = len(circles)
    rows[:count] = with_boxes(rows[:count], size)
    return found


def drawn(seed: int) -> tuple[Instances, NDArray[np.float32]]:
    """Draw discs of two classes, and stars near some of them."""
    random = np.random.default_rng(seed)
    circles = [
        (*random.uniform(0, 160, 2).tolist(), float(random.uniform(4, 40))) for _ in range(12)
    ]
    labels = discs((160, 160), circles, classes=2)
    stars: list[tuple[float, ...]] = []
    for at, (x, y, radius) in enumerate(circles):
        if random.random() < 0.8:
            noise = random.normal(0, 1.5, 3)
            label = at % 2 if random.random() < 0.9 else 1 - at % 2
            stars.append(
                (label, float(random.random()), x + noise[0], y + noise[1], radius + noise[2])
            )
    stars += [(0, float(random.random()), *random.uniform(5, 150, 2), 9.0) for _ in range(3)]
    if seed % 2:
        labels[:, 70:90] = -1
    return labels, stars_of(stars, (160, 160))


def coco(images: list[tuple[Instances, NDArray[np.float32]]]) -> NDArray[np.float64]:
    """Return average precision by sizes and overlaps, as pycocotools measures it."""
    mask = pytest.importorskip("pycocotools.mask")
    from pycocotools.coco import COCO  # type: ignore[import-untyped]  # it ships no types
    from pycocotools.cocoeval import COCOeval  # type: ignore[import-untyped]

    def encoded(pixels: NDArray[np.bool_]) -> dict[str, Any]:
        rle: dict[str, Any] = mask.encode(np.asfortranarray(pixels.astype(np.uint8)))
        return rle

    truth: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for image, (labels, places) in enumerate(images):
        for value in np.unique(labels[labels > 0]).tolist():
            pixels = labels == value
            truth.append(_annotation(image, value & 255, encoded(pixels), int(pixels.sum())))
        if (labels < 0).any():
            ignored, area = encoded(labels < 0), int((labels < 0).sum())
            crowds = (_annotation(image, label, ignored, area) for label in range(2))
            truth += [each | {"iscrowd": 1} for each in crowds]  # of every class
        seen = compared(places[0], labels)
        found += [
            {
                "image_id": image,
                "category_id": int(row[CLASS]),
                "segmentation": encoded(seen.shown == at + 1),
                "score": float(row[SCORE]),
            }
            for at, row in enumerate(seen.rows)
        ]
    for at, each in enumerate(truth):
        each["id"] = at + 1
    with contextlib.redirect_stdout(io.StringIO()):
        data = COCO()
        data.dataset = {
            "images": [{"id": at, "height": 160, "width": 160} for at in range(len(images))],
            "categories": [{"id": 0}, {"id": 1}],
            "annotations": truth,
        }
        data.createIndex()
        measured = COCOeval(data, data.loadRes(found), "segm")
        measured.params.maxDets = [1, 10, MOST]
        measured.evaluate()
        measured.accumulate()
    precision = measured.eval["precision"][..., -1]  # overlaps, recalls, classes, sizes
    average: NDArray[np.float64] = np.where(
        (precision > -1).all(axis=1), precision.mean(axis=1), np.nan
    )
    return average.transpose(2, 0, 1)


def _annotation(image: int, label: int, rle: dict[str, Any], area: int) -> dict[str, Any]:
    box = {"bbox": [0, 0, 1, 1], "area": area, "iscrowd": 0}
    return {"image_id": image, "category_id": label, "segmentation": rle} | box


def test_average_precision_of_masks_is_that_of_pycocotools() -> None:
    images = [drawn(seed) for seed in range(8)]
    expected = coco(images)

    labels = np.stack([each[0] for each in images])
    evidence = instance_evidence(np.concatenate([each[1] for each in images]), labels, 2)
    ours = Ranking(evidence).measure(np.full(2, 0.5)).average

    for size in (ALL, SMALL, MEDIUM):
        assert np.allclose(ours[size], expected[size], atol=1e-12, equal_nan=True)
    figures = REPORTER.measure(evidence, labels, HALF).whole
    assert figures["mask_ap"] == pytest.approx(np.nanmean(expected[0]))
    assert figures["mask_ap50"] == pytest.approx(np.nanmean(expected[0, 0]))


def test_missed_merged_split_and_false_objects_are_counted() -> None:
    # Found, merged with its neighbor, split in two, missed.
    objects = [(20.0, 20.0, 9.0), (60.0, 20.0, 9.0), (78.0, 20.0, 9.0), (40.0, 70.0, 18.0)]
    labels = discs((100, 100), [*objects, (85.0, 85.0, 8.0)])
    stars = stars_of(
        [
            (0, 0.9, 20, 20, 9),
            (0, 0.8, 69, 20, 20),  # around two
            (0, 0.7, 31, 70, 9),
            (0, 0.6, 49, 70, 9),
            (0, 0.55, 15, 50, 6),  # nothing is there
            (0, 0.2, 85, 85, 8),  # below the threshold
        ],
        (100, 100),
    )

    evidence = REPORTER.evidence(stars, labels[None], 1)
    found = REPORTER.measure(evidence, labels[None], ONE).whole

    assert found["matched_50"] == pytest.approx(1 / (1 + 4 + 4))
    assert found["mask_f1"] == pytest.approx(2 / (5 + 5))
    assert found["merged_objects"] == pytest.approx(2 / 5)
    assert found["split_objects"] == pytest.approx(1 / 5)
    assert found["matched_iou"] > 0.9
    assert found["panoptic_quality"] == pytest.approx(found["matched_iou"] / 5)
    counts = REPORTER.object_counts(stars, 1, ONE)
    assert counts.tolist() == [[5]]
    confusion = REPORTER.confusion(stars, labels[None], 1, ONE)
    assert confusion.tolist() == [[1, 4], [4, 0]]
    errors = REPORTER.error_map(stars[0], labels, None, (100, 100), ONE)
    assert (errors == MISSED).sum() > 200
    assert (errors == FALSE).sum() > 1000


def test_matched_over_overlaps_is_that_of_stardist() -> None:
    """StarDist: TP / (TP + FP + FN) of pairs with at least an overlap, one to one."""
    images = [drawn(seed) for seed in range(0, 8, 2)]
    labels = np.stack([each[0] for each in images])
    stars = np.concatenate([each[1] for each in images])
    stars[..., CLASS] = np.where(stars[..., CLASS] >= 0, 0, -1)
    labels = np.where(labels > 0, labels & ~255, labels)

    evidence = REPORTER.evidence(stars, labels, 1)
    found = REPORTER.measure(evidence, labels, Calibration(thresholds=(0.0,))).whole

    means = []
    for least in np.arange(0.5, 0.99, 0.05):
        right = false = missed = 0
        for each, image in zip(stars, labels, strict=True):
            seen = compared(each, image)
            hits = int((seen.pairs.every >= least - 1e-9).any(axis=1).sum())
            right += hits
            false += len(seen.rows) - hits
            missed += len(seen.objects) - hits
        means.append(right / (right + false + missed))
    assert found["matched_50"] == pytest.approx(means[0])
    assert found["matched_mean"] == pytest.approx(np.mean(means))


def test_ignored_pixels_are_neither_right_nor_wrong() -> None:
    labels = discs((60, 60), [(15, 15, 8)])
    labels[35:, 35:] = -1
    stars = stars_of([(0, 0.9, 15, 15, 8), (0, 0.8, 48, 48, 7)], (60, 60))

    found = REPORTER.measure(REPORTER.evidence(stars, labels[None], 1), labels, ONE).whole

    assert found["matched_50"] == 1
    assert found["mask_ap"] == 1


def test_a_prediction_agrees_with_itself_and_not_with_a_moved_one() -> None:
    stars = stars_of([(0, 0.9, 15, 15, 8), (0, 0.8, 40, 40, 7)], (60, 60))
    moved = stars_of([(0, 0.9, 15, 15, 8), (0, 0.8, 48, 48, 7)], (60, 60))

    assert REPORTER.agreement(stars, stars, ONE) == 1
    assert REPORTER.agreement(stars, moved, ONE) == 0.5
    assert REPORTER.disagree(stars, moved, ONE, np.ones(1)).tolist() == [True]


def test_half_of_an_object_and_half_of_a_star_are_enough() -> None:
    star = stars_of([(0, 0.9, 20, 20, 9)], (60, 60))
    inside = compared(star[0], np.zeros((60, 60), np.int32)).shown == 1
    rows, columns = np.nonzero(inside)
    labels = np.zeros((60, 60), np.int32)
    labels[inside] = 256
    labels[rows + 30, columns] = 256  # as much again elsewhere
    record = instance_evidence(star, labels[None], 1)[0]
    assert record["covered"][0] == 1
    labels[59, 59] = 256
    assert instance_evidence(star, labels[None], 1)[0]["covered"][0] == 0

    assert len(rows) % 2 == 0
    labels = np.zeros((60, 60), np.int32)
    half = slice(len(rows) // 2)
    labels[rows[half], columns[half]] = 256
    assert instance_evidence(star, labels[None], 1)[0]["piece"][0] == 0
    labels[rows[0], columns[0]] = 0
    assert instance_evidence(star, labels[None], 1)[0]["piece"][0] == -1
