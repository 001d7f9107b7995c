"""Losses and metrics of masks follow their formulas on every backend, without ignored pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.mask_losses import CLASSES, IGNORE, PLANS, batch, measured
from helpers.other_backends import OTHER_BACKENDS, measured_on
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.segmentation.report import REPORTER, boundaries, confusion, pixel_counts

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return measured()


def _loss(
    masks: NDArray[np.uint8],
    probabilities: NDArray[np.float32],
    smoothing: float = 0.0,
    gamma: float = 0.0,
    weights: NDArray[np.float64] | None = None,
    dice: float = 0.0,
) -> list[float]:
    """Pixel by pixel, as the formula in `PixelLoss` says."""
    losses = []
    for mask, given in zip(masks, probabilities.astype(np.float64), strict=True):
        entropy, count = 0.0, 0
        both, area = np.zeros(CLASSES), np.zeros((2, CLASSES))
        for label, share in zip(mask.ravel(), given.reshape(-1, CLASSES), strict=True):
            if label == IGNORE:
                continue
            truth = np.eye(CLASSES)[label]
            wanted = truth * (1 - smoothing) + smoothing / CLASSES
            weight = 1.0 if weights is None else weights[label]
            entropy -= weight * (wanted * (1 - share) ** gamma * np.log(share)).sum()
            count += 1
            both += truth * share
            area += [truth, share]
        occurs = area[0] > 0
        lost = 1 - 2 * both[occurs] / area.sum(axis=0)[occurs] if occurs.any() else np.zeros(1)
        losses.append((1 - dice) * entropy / max(count, 1) + dice * lost.mean())
    return losses


@pytest.mark.parametrize("name", PLANS)
def test_a_loss_is_that_of_its_formula(name: str, found: dict[str, Any]) -> None:
    np.testing.assert_allclose(found[name], _loss(*batch(), **PLANS[name]), rtol=1e-5, atol=1e-6)
    assert found[name][2] == 0


def test_metrics_are_those_of_all_pixels_together(found: dict[str, Any]) -> None:
    batches = batch(0), batch(1)
    masks = np.concatenate([each[0] for each in batches])
    probabilities = np.concatenate([each[1] for each in batches])
    counts = pixel_counts(masks, probabilities.argmax(axis=-1).astype(np.uint8), CLASSES)
    figures = REPORTER.measure(counts, counts[:, :, 1], Calibration()).whole

    for name, value in figures.items():
        assert found[name] == pytest.approx(value, rel=1e-6), name
    np.testing.assert_array_equal(np.moveaxis(found["pixels"], 0, 2), counts[:4])


@pytest.mark.parametrize("backend", OTHER_BACKENDS)
def test_every_backend_measures_the_same(backend: str, found: dict[str, Any]) -> None:
    others = measured_on(backend, "helpers.mask_losses")

    assert others.keys() == found.keys()
    for name, value in found.items():
        np.testing.assert_allclose(others[name], value, rtol=1e-5, atol=1e-6, err_msg=name)


def test_classes_that_never_occur_count_in_no_mean() -> None:
    truth = np.array([[[0, 0], [1, IGNORE]]], np.uint8)
    given = np.array([[[0, 1], [1, 2]]], np.uint8)

    figures = REPORTER.measure(pixel_counts(truth, given, 4), np.zeros((1, 4)), Calibration())

    assert figures.outputs["iou"][:2].tolist() == [1 / 2, 1 / 2]
    assert np.isnan(figures.outputs["iou"][2:]).all()
    assert figures.whole["mean_iou"] == pytest.approx(0.5)
    assert figures.whole["pixel_accuracy"] == pytest.approx(2 / 3)
    assert figures.outputs["precision"][:2].tolist() == [1.0, 0.5]
    assert figures.outputs["recall"][:2].tolist() == [0.5, 1.0]
    assert confusion(truth, given, 2).tolist() == [[1, 1], [0, 1]]


def test_boundaries_agree_within_the_tolerance() -> None:
    truth = np.zeros((1, 200, 200), np.uint8)
    truth[0, 50:150, 50:150] = 1
    moved = np.roll(truth, 2, axis=2)  # the tolerance is 0.75 % of 283 pixels: 2.1
    far = np.roll(truth, 9, axis=2)

    same = REPORTER.evidence(truth[0][None], truth, 2)
    assert REPORTER.measure(same, same[:, :, 1], Calibration()).whole["mean_boundary_f1"] == 1
    near, away = (boundaries(truth, each, 2)[0] for each in (moved, far))
    assert near[1, 0] == near[1, 1] > 0
    assert away[1, 0] < 0.7 * away[1, 1]


def test_ignored_pixels_are_on_no_boundary() -> None:
    truth = np.zeros((1, 20, 20), np.uint8)
    truth[0, :, 8:12] = IGNORE
    truth[0, :, 12:] = 1
    given = np.zeros((1, 20, 20), np.uint8)
    given[0, :, 10:] = 1

    assert boundaries(truth, given, 2).sum() == 0


def test_worst_images_and_error_maps() -> None:
    truth = np.zeros((3, 4, 4), np.uint8)
    truth[1:, :2] = 1
    given = truth.copy()
    given[2, 0] = 0
    truth[2, 3, 3] = IGNORE
    counts = REPORTER.evidence(given, truth, 2)

    assert REPORTER.errors(counts, counts[:, :, 1], 1).tolist() == [-1.0, 0.0, 0.5]
    assert REPORTER.errors(counts, counts[:, :, 1], None)[:2].tolist() == [0.0, 0.0]
    assert REPORTER.error_text(counts[2], counts[2, :, 1], 1) == "IoU 50%"
    missed = REPORTER.error_map(given[2], truth[2], 1)
    assert missed.tolist() == [[1] * 4, [0] * 4, [0] * 4, [0, 0, 0, 3]]
    assert REPORTER.error_map(given[2], truth[2], 0)[0].tolist() == [2] * 4
    assert REPORTER.error_map(given[2], truth[2], None)[0].tolist() == [1] * 4


def test_the_best_constant_answer_is_the_most_frequent_class() -> None:
    targets = np.array([[12, 4], [16, 0]])

    counts = REPORTER.constant(targets)

    figures = REPORTER.measure(counts, targets, Calibration())
    assert figures.outputs["iou"].tolist() == [28 / 32, 0.0]
    assert REPORTER.predicted(counts).tolist() == [1.0, 0.0]
    assert [each.tolist() for each in REPORTER.recognized(counts, targets)] == [[2, 1], [2, 0]]


def test_maps_of_another_size_become_as_large_as_the_images() -> None:
    outputs = np.zeros((1, 2, 2, 2), np.float32)
    outputs[0, :, 1, 1] = 1.0

    assert REPORTER.decoded(outputs, (4, 4))[0].tolist() == [[0, 0, 1, 1]] * 4
