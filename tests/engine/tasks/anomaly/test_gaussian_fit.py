"""Fitting of networks to good images."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.digits import do_here
from helpers.task_cases import TaskCase, case_plan, make_case
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import outputs_of
from studio.engine.compute.tasks.gaussians import (
    _best,
    _Candidate,
    _divided,
    _Sums,
    _threshold,
)
from studio.engine.errors import BadDataError
from studio.engine.jobs.states import State
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.anomaly.prediction import PREDICTOR
from studio.engine.tasks.anomaly.targets import is_good
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.trainers import trainer_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> TaskCase:
    """A run on pictures with red squares as defects."""
    return make_case(tmp_path_factory.mktemp("anomaly"), "anomaly")


def weights_of(job: RunJob) -> list[np.ndarray]:
    """Return the weights of the model of a run."""
    weights: list[np.ndarray] = load_model(
        job.record.file(job.history.artifacts["model"])
    ).get_weights()
    return weights


def test_the_score_is_the_distance_of_mahalanobis_in_parts_of_the_threshold(
    case: TaskCase,
) -> None:
    model = load_model(case.run.record.file(case.run.history.artifacts["model"]))
    store = case.store
    scores = outputs_of(model, store.images[store.rows("val")])[0]

    assert scores.shape[-1] == 2
    assert (scores[..., 0] == 0).all()
    assert (scores[..., 1] >= 0).all()
    highest = scores[..., 1].max(axis=(1, 2))
    assert highest.max() == pytest.approx(1 / 1.01, rel=1e-3)  # no validation image reaches 1


def test_the_same_seed_gives_the_same_model(case: TaskCase) -> None:
    again = do_here(case.workspace, case_plan(case.dataset), "again")
    other = do_here(case.workspace, case_plan(case.dataset, seed=1), "another seed")

    assert again.history.state == State.COMPLETED, again.history.detail
    first, second, third = (weights_of(job) for job in (case.run, again, other))
    assert [each.tobytes() for each in first] == [each.tobytes() for each in second]
    assert [each.tobytes() for each in first] != [each.tobytes() for each in third]


def test_defects_in_the_training_split_are_not_learned(case: TaskCase) -> None:
    store = case.store
    store.split = np.zeros_like(store.split)  # all images are for training
    fitted, held = _divided(store, seed=0)
    good = is_good(store.required_targets)

    assert 0 < good.sum() < len(good)
    assert sorted([*fitted, *held]) == np.flatnonzero(good).tolist()
    assert len(held) == round(0.2 * good.sum())


def test_gray_and_small_images_have_networks() -> None:
    plan = TrainingPlan(dataset="", network="small_padim")
    for shape in ((16, 16, 1), (17, 40, 3)):
        assert network_for(plan, shape, 2, task=TASKS["anomaly"]).task == "anomaly"


def test_whitened_features_have_unit_variance() -> None:
    random = np.random.default_rng(3)
    mix = random.normal(size=(4, 4))
    values = random.normal(size=(4000, 2, 1, 4)) @ mix + random.normal(size=(2, 1, 4))
    sums = _Sums()
    for part in np.split(np.concatenate([values, np.ones((4000, 2, 1, 1))], -1), 4):
        sums.add(part.astype(np.float32))
    for is_local in (True, False):
        matrices = sums.whitening(is_local=is_local)
        assert matrices.shape == (2, 1, 5, 4)
    local = sums.whitening(is_local=True)
    white = np.einsum("nhwc,hwcf->nhwf", values, local[..., :-1, :]) + local[..., -1, :]
    assert np.abs(white.mean(axis=0)).max() < 0.01
    assert 0.9 < white.var(axis=0).max() <= 1  # a part of the mean variance is added


def test_identical_images_have_gaussians_but_no_threshold() -> None:
    sums = _Sums()
    sums.add(np.ones((8, 2, 2, 5), np.float32))
    for is_local in (True, False):
        assert np.isfinite(sums.whitening(is_local=is_local)).all()
    with pytest.raises(BadDataError, match="no threshold"):
        _threshold(np.zeros(8))


def test_of_equal_methods_more_and_coarser_maps_are_chosen() -> None:
    maps = ["fine", "coarse"]
    alone = [_Candidate(True, {name: 1.0}, 0.9) for name in maps]
    both = _Candidate(True, dict.fromkeys(maps, 1.0), 0.9)
    better = _Candidate(False, {"fine": 1.0}, 0.91)

    assert _best(alone, maps) is alone[1]
    assert _best([*alone, both], maps) is both
    assert _best([*alone, both, better], maps) is better


def test_a_lack_of_memory_leads_to_smaller_batches() -> None:
    plan = TrainingPlan(dataset="", network="small_padim", batch_size=3)
    assert trainer_of(plan).in_less_memory(plan) == {"batch_size": 1}
    alone = plan.model_copy(update={"batch_size": 1})
    assert not trainer_of(alone).in_less_memory(alone)


def test_borders_are_no_defects_where_the_threshold_is_measured() -> None:
    masks = np.full((3, 4, 4), IGNORE, np.uint8)
    masks[:, 1:3] = 0
    masks[2, 1, 1] = 1
    scores = np.zeros((3, 4, 4), np.float32)
    scores[:, 2, 2] = 1, 2, 9
    maps, classes = PREDICTOR.calibrated_by(scores, masks)
    assert maps.shape == classes.shape == (3, 1, 1)
    for outputs, truth in ((scores, masks), (maps, classes)):
        found = PREDICTOR.calibrated(outputs, truth, 2)
        assert found.images == 2
        assert found.thresholds == pytest.approx((2.02, 2.02))
