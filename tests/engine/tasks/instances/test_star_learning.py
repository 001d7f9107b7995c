"""What Keras computes of stars is what NumPy computes of them; the loss falls where it should."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.star_images import discs, perfect_outputs
from studio.engine.compute.backends.prepare import prepare_backend

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

from studio.engine.compute.tasks.instances import MeanMaskPrecision, StarLoss  # noqa: E402
from studio.engine.compute.tasks.star_decoding import candidates_of  # noqa: E402
from studio.engine.tasks.decoding import without_places  # noqa: E402
from studio.engine.tasks.instances import decoding  # noqa: E402
from studio.engine.tasks.instances.star_targets import star_targets  # noqa: E402
from studio.engine.tasks.outputs import RAYS  # noqa: E402

SIZE = (48, 40)
LABELS = discs(SIZE, [(10, 10, 7), (24, 11, 6.5), (38, 28, 9), (12, 30, 8)], classes=2)


def test_candidates_of_the_backend_are_those_of_numpy() -> None:
    random = np.random.default_rng(3)
    outputs = random.random((2, 20, 24, 2 + RAYS), np.float32) * 4

    found = np.asarray(candidates_of(outputs, SIZE[::-1]))

    for each, expected in zip(found, outputs, strict=True):
        rows = decoding.candidates_of(expected, SIZE[::-1])
        assert np.allclose(without_places(each), rows, atol=1e-4)


def test_right_outputs_have_the_least_loss_and_full_precision() -> None:
    truth = star_targets(LABELS)[None]
    right = perfect_outputs(LABELS, 2)[None]
    loss, metric = StarLoss(), MeanMaskPrecision(2)

    metric.update_state(truth, right)
    best = loss.parts(truth, right, is_last=True)

    assert float(metric.result()) == pytest.approx(1.0)
    assert float(best.distances[0]) == pytest.approx(0.0, abs=1e-4)
    for change in (0.8, 1.25):
        wrong = right.copy()
        wrong[..., 2:] *= change
        assert float(loss.parts(truth, wrong, is_last=True).distances[0]) > 0.2
    wrong = right.copy()
    wrong[..., :2] = wrong[..., 1::-1]
    assert float(loss.parts(truth, wrong, is_last=True).scores[0]) > float(best.scores[0])


def test_the_precision_counts_duplicates_and_missed_objects() -> None:
    truth = star_targets(LABELS)[None]
    outputs = perfect_outputs(LABELS, 2)[None]
    outputs[:, :10, :8, :2] = 0  # the first object is missed

    metric = MeanMaskPrecision(2)
    metric.update_state(truth, outputs)

    assert np.asarray(metric.objects).tolist() == [2, 2]
    assert float(metric.result()) == pytest.approx(0.75, abs=0.01)


def test_distances_to_ignored_pixels_are_lower_limits() -> None:
    labels = LABELS.copy()
    labels[:, 12:16] = -1  # cuts through the first object
    truth = star_targets(labels)[None]
    longer = perfect_outputs(LABELS, 2)[None]

    lost = float(StarLoss().parts(truth, longer, is_last=True).distances[0])

    assert lost == pytest.approx(0.0, abs=0.02)


def test_a_coarser_grid_learns_a_part_of_the_positions() -> None:
    truth, outputs = star_targets(LABELS)[None], perfect_outputs(LABELS, 2)[None]
    coarse = outputs[:, ::2, ::2].copy()
    coarse[..., 2:] /= 2

    lost = StarLoss().parts(truth, coarse, is_last=True)

    assert float(lost.distances[0]) == pytest.approx(0.0, abs=1e-4)
