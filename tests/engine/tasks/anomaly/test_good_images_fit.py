"""Fitting of networks to good images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import do_here, go_on_here
from helpers.task_cases import TaskCase, case_plan, make_case
from studio.engine.arrays import Rows
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import outputs_of
from studio.engine.compute.tasks import good_images
from studio.engine.compute.tasks.anomaly_candidates import Candidate, best, threshold_of_good
from studio.engine.compute.tasks.anomaly_images import FitImages, divided
from studio.engine.compute.tasks.anomaly_methods import Gaussians, MemoryBank, NearestVector
from studio.engine.compute.tasks.good_images import STATE_FILE
from studio.engine.compute.train import NETWORK_FILE, smaller_text
from studio.engine.errors import BadDataError
from studio.engine.jobs.states import State
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.library import read_network
from studio.engine.networks.spec import HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.networks.zoo.good_images import (
    KINDS,
    Branch,
    add_branches,
    branches_of,
    with_branches,
)
from studio.engine.progress import Cancelled
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.anomaly.prediction import PREDICTOR
from studio.engine.tasks.anomaly.report import auroc
from studio.engine.tasks.anomaly.targets import is_good
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.trainers import trainer_of

pytestmark = pytest.mark.slow
BRANCH = Branch("gaussian", "fine", "filters", (2, 1), 4)


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
    fitted, held = divided(store, seed=0)
    good = is_good(store.targets)

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
    sums = Gaussians(BRANCH, 0)
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
    sums = Gaussians(replace(BRANCH, grid=(2, 2)), 0)
    sums.add(np.ones((8, 2, 2, 5), np.float32))
    for is_local in (True, False):
        assert np.isfinite(sums.whitening(is_local=is_local)).all()
    with pytest.raises(BadDataError, match="no threshold"):
        threshold_of_good(np.zeros(8))


def test_a_run_keeps_the_methods_it_compared_and_the_scores_of_the_chosen_one(
    case: TaskCase,
) -> None:
    found = case.run.history.methods
    assert found is not None
    names = {(str(each.name), each.maps) for each in found.methods}
    assert len(names) == len(found.methods) == 6, "three combinations of maps, aligned or not"
    scores = [each.score for each in found.methods]
    assert scores[found.chosen] == max(scores)
    assert scores[found.chosen] == case.run.history.epochs[-1].value("val_auroc")
    assert auroc(np.array(found.good), np.array(found.drawn)) == pytest.approx(max(scores))
    assert len(found.drawn) == 3 * len(found.good)
    assert max(found.good) < 1, "no image that the threshold comes from is a false alarm"
    assert list(found.rows) == divided(case.store, seed=0)[1].tolist()


def test_of_equal_methods_more_and_coarser_maps_are_chosen() -> None:
    names = ["fine", "coarse"]
    maps = [replace(BRANCH, map=name) for name in names]

    def candidate(used: Sequence[str], score: float, variant: str = "local") -> Candidate:
        scales, scores = dict.fromkeys(used, 1.0), np.zeros(1)
        return Candidate("gaussian", variant, scales, {}, score, scores, scores)

    alone = [candidate([name], 0.9) for name in names]
    both = candidate(names, 0.9)
    better = candidate(["fine"], 0.91, "shared")

    assert best(alone, maps) is alone[1]
    assert best([*alone, both], maps) is both
    assert best([*alone, both, better], maps) is better


def test_a_lack_of_memory_leads_to_smaller_batches() -> None:
    plan = TrainingPlan(dataset="", network="small_padim", batch_size=3)
    assert trainer_of(plan).in_less_memory(plan) == {"batch_size": 1}
    text = smaller_text(plan.batch_size, trainer_of(plan).in_less_memory(plan))
    assert "begins again with batches of 1" in text
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


def network_with(*kinds: str) -> NetworkSpec:
    """Return a network of random filters that compares one map in some ways."""
    net = GraphBuilder("Small", InputShape(height=24, width=24, channels=3), 2)
    net.add("conv2d", "filters", filters=6, kernel=5, stride=2, activation="relu")
    net.in_block(HEAD_BLOCK)
    grids = {"gaussian": (6, 6), "patches": (6, 6), "mean": (1, 1), "nearest": (1, 1)}
    memory = {"patches": 40, "nearest": 20}
    add_branches(
        net,
        [Branch(kind, "fine", "filters", grids[kind], 9, memory.get(kind, 0)) for kind in kinds],
    )
    return net.spec().model_copy(update={"task": "anomaly"})


def test_branches_are_read_from_a_network_and_left_out() -> None:
    spec = network_with(*KINDS)
    branches = branches_of(spec)
    assert [each.kind for each in branches] == list(KINDS)
    assert {each.source for each in branches} == {"filters"}
    assert [each.memory for each in branches] == [0, 40, 0, 20]

    smaller = with_branches(spec, [replace(branches[1], features=5, memory=7)])

    assert branches_of(smaller) == [replace(branches[1], features=5, memory=7)]
    assert [node.id for node in smaller.nodes if "gaussian" in node.id] == []
    assert smaller.task == "anomaly"


@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_computes_the_distances_of_each_way_of_comparing(
    case: TaskCase, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = case_plan(case.dataset, network="", design=network_with(kind))
    kept: list[Candidate] = []
    monkeypatch.setattr(good_images, "best", _keeping(kept))
    run = do_here(case.workspace, plan, kind)
    assert run.history.state == State.COMPLETED, run.history.detail
    model = load_model(run.record.file(run.history.artifacts["model"]))
    stored = read_network(run.record.folder / NETWORK_FILE)
    assert branches_of(stored)[0].features == 6, "exports write the network that was kept"
    store = case.store
    images = store.images[store.rows("test")[:8]]
    scores = outputs_of(model, images)[0][..., 1]
    (chosen,) = kept
    name = f"{kind}_fine"
    features = keras.Model(model.inputs, model.get_layer(f"embed_{name}").output)
    values = outputs_of(features, images)[0]
    assert values.shape[-1] == 7, "the map has 6 channels, so that 9 features are 6, and a 1"
    expected = chosen.comparisons["fine"].distances(values).reshape(len(images), -1).max(axis=1)
    found = scores.reshape(len(images), -1).max(axis=1)
    if kind in {"mean", "nearest"}:
        assert np.ptp(scores, axis=(1, 2)).max() < 1e-5, "whole images have no places"
        factor = (found @ expected) / (expected @ expected)
        assert found == pytest.approx(factor * expected, rel=1e-3, abs=1e-4)
    else:
        assert np.corrcoef(found, expected)[0, 1] > 0.99, "resizing lowers peaks a little"


def _keeping(kept: list[Candidate]) -> Any:
    def choose(compared: Sequence[Candidate], branches: Sequence[Branch]) -> Candidate:
        kept.append(best(compared, branches))
        return kept[-1]

    return choose


def test_an_interrupted_fit_continues_bit_for_bit(
    case: TaskCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = case_plan(case.dataset, network="", design=network_with("gaussian", "patches"))
    whole = do_here(case.workspace, plan, "whole")
    plain, seen = FitImages.batches, list[str]()

    def interrupted(
        self: FitImages, rows: Rows, what: str, *, augmented: bool = False, skipped: int = 0
    ) -> Iterator[NDArray[Any]]:
        for number, batch in enumerate(
            plain(self, rows, what, augmented=augmented, skipped=skipped)
        ):
            if augmented and number == 2:
                raise Cancelled
            if augmented:
                seen.append(what)
            yield batch

    monkeypatch.setattr(FitImages, "batches", interrupted)
    stopped = do_here(case.workspace, plan, "stopped")
    assert stopped.history.state == State.STOPPED
    assert (stopped.record.folder / STATE_FILE).exists()
    monkeypatch.setattr(FitImages, "batches", plain)
    resumed = go_on_here(case.workspace, stopped)

    assert resumed.history.state == State.COMPLETED, resumed.history.detail
    assert len(seen) == 2
    assert not (resumed.record.folder / STATE_FILE).exists()
    assert [each.tobytes() for each in weights_of(whole)] == [
        each.tobytes() for each in weights_of(resumed)
    ]


def test_a_memory_has_a_bound_and_is_spread() -> None:
    random = np.random.default_rng(1)
    branch = Branch("patches", "fine", "filters", (4, 4), 3, 5)
    memory = MemoryBank(branch, 0)
    for _ in range(40):
        values = random.normal(0, 0.01, (2, 4, 4, 4)).astype(np.float32)
        memory.add(values)
    far = np.full((1, 4, 4, 4), 9, np.float32)
    values[..., -1] = far[..., -1] = 1
    memory.add(far)
    assert len(memory.state()["vectors"]) == 50 * branch.memory, "random ones are left out"
    found = memory.comparisons()[""]
    assert isinstance(found, NearestVector)
    assert found.memory == branch.memory
    assert found.distances(values).max() < 0.01
    assert (memory.state()["vectors"] > 8).any(), "by chance, with this seed"
    assert found.distances(far).max() < 1e-3


def test_equal_vectors_are_kept_once() -> None:
    memory = MemoryBank(Branch("nearest", "fine", "filters", (1, 1), 3, 5), 0)
    memory.add(np.ones((9, 1, 1, 4), np.float32))
    assert memory.comparisons()[""].memory == 1
