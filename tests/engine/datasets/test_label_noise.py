"""Wrong labels are found by how the other images are labeled, with an honest estimate."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.datasets.audit import label_noise
from studio.engine.datasets.audit.label_errors import label_errors
from studio.engine.datasets.audit.label_model import LeaveOneOutModel
from studio.engine.datasets.audit.label_noise import (
    ImageFeatures,
    LabelSuspects,
    find_label_suspects,
)
from studio.engine.progress import Cancelled, SilentProgress

CLASSES = 4


def _clusters(
    count: int, rate: float, spread: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return features, given labels, true labels, and the indices of wrong labels."""
    random = np.random.default_rng(seed)
    truth = np.arange(count) % CLASSES
    centers = random.normal(0, 1, (CLASSES, 24))
    features = centers[truth] + random.normal(0, spread, (count, 24))
    wrong = random.permutation(count)[: round(rate * count)]
    given = truth.copy()
    given[wrong] = (given[wrong] + random.integers(1, CLASSES, len(wrong))) % CLASSES
    return features, given, truth, wrong


def _found(features: NDArray[np.float64], labels: NDArray[np.int64]) -> LabelSuspects | None:
    found = find_label_suspects([ImageFeatures(features, "clusters")], labels, SilentProgress())
    assert not isinstance(found, str)
    return found


@pytest.mark.parametrize("count", [60, 200, 400])
@pytest.mark.parametrize("spread", [0.7, 1.2])
def test_right_labels_are_not_suspicious(count: int, spread: float) -> None:
    for seed in range(4):
        features, given, _, _ = _clusters(count, 0.0, spread, seed)
        found = _found(features, given)
        if found is not None:
            assert count <= label_noise.MAX_FEW
            assert not found.is_significant, "only a list to check"
            assert found.low == 0


def test_the_most_doubtful_of_few_images_are_listed_with_an_honest_precision() -> None:
    lists, wrong_labels, listed, stated, outside = 0, 0, 0, [], 0
    for seed in range(12):
        features, given, _, wrong = _clusters(60, 4 / 60, 1.7, seed)
        found = _found(features, given)
        if found is None or found.is_significant:
            continue
        lists += 1
        hits = np.isin(found.indices, wrong)
        wrong_labels, listed = wrong_labels + int(hits.sum()), listed + len(hits)
        stated.append(found.precision)
        outside += not found.low - 1e-9 <= hits.mean() <= found.high + 1e-9
        assert label_noise.MIN_LISTED <= len(hits) <= label_noise.MAX_LISTED
        assert (np.diff(found.probability) <= 0).all(), "the most doubtful first"
    assert lists >= 6
    assert wrong_labels >= 2 * lists, "half of the wrong labels"
    assert abs(np.mean(stated) - wrong_labels / listed) < 0.2
    assert outside <= 1


@pytest.mark.parametrize(("count", "rate"), [(120, 0.1), (200, 0.05), (200, 0.2)])
def test_wrong_labels_are_found_with_their_class(count: int, rate: float) -> None:
    features, given, truth, wrong = _clusters(count, rate, 0.7, 1)

    found = _found(features, given)

    assert found is not None
    hits = np.isin(found.indices, wrong)
    assert hits.sum() >= 0.7 * len(wrong)
    assert hits.mean() >= 0.8
    assert (found.suggested[hits] == truth[found.indices[hits]]).mean() >= 0.9
    assert (np.diff(found.probability) <= 0).all(), "the most suspicious first"


@pytest.mark.parametrize("spread", [0.7, 1.2, 1.6])
def test_the_stated_precision_holds_the_true_one(spread: float) -> None:
    outside = total = 0
    for seed in range(6):
        features, given, _, wrong = _clusters(240, 0.15, spread, seed)
        found = _found(features, given)
        if found is not None:
            total += 1
            true = np.isin(found.indices, wrong).mean()
            outside += not found.low - 1e-9 <= true <= found.high + 1e-9
    assert outside <= max(1, total // 3)


def test_labels_at_random_are_not_judged() -> None:
    random = np.random.default_rng(0)
    features = ImageFeatures(random.normal(0, 1, (200, 24)), "noise")
    reason = find_label_suspects([features], random.integers(0, 4, 200), SilentProgress())
    assert isinstance(reason, str)
    assert "a simple model on noise predicts only" in reason


def test_the_better_features_are_used_and_small_classes_are_left_out() -> None:
    features, given, _, wrong = _clusters(200, 0.05, 0.7, 2)
    given[:3] = CLASSES
    noise = np.random.default_rng(0).normal(0, 1, features.shape)
    both = [ImageFeatures(noise, "noise"), ImageFeatures(features, "clusters")]

    found = find_label_suspects(both, given, SilentProgress())

    assert isinstance(found, LabelSuspects)
    assert found.features == "clusters"
    assert not np.isin(found.indices, [0, 1, 2]).any()
    assert np.isin(found.indices, wrong).mean() >= 0.8
    few = find_label_suspects(both, np.arange(200), SilentProgress())
    assert few == "fewer than two classes have 5 images"


def test_many_images_are_fitted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_noise, "MAX_BLOCK", 60)
    features, given, _, wrong = _clusters(200, 0.06, 0.6, 3)
    found = _found(features, given)
    assert found is not None
    assert np.isin(wrong, found.indices).mean() >= 0.7


def test_each_image_is_predicted_from_the_others() -> None:
    features, given, _, _ = _clusters(40, 0.0, 1.0, 4)
    model = LeaveOneOutModel(features)
    changed = given.copy()
    changed[7] = (given[7] + 1) % CLASSES
    one, other = model.scores(given, CLASSES)[7], model.scores(changed, CLASSES)[7]
    # The mean of the labels is the only thing that the image itself has a part in.
    assert np.abs(one - other).max() <= 2 / 40


def test_every_step_is_reported_and_can_cancel() -> None:
    features, given, _, _ = _clusters(200, 0.1, 0.7, 5)
    done: list[int] = []

    class Listening(SilentProgress):
        def advance(self, finished: int, total: int, what: str) -> None:
            assert (total, what) == (200, "Checking labels")
            done.append(finished)

        def check(self) -> None:
            if len(done) > 20:
                raise Cancelled

    with pytest.raises(Cancelled):
        find_label_suspects([ImageFeatures(features, "clusters")], given, Listening())
    assert done[0] == 0
    assert done == sorted(done)
    assert max(np.diff(done)) <= 20


class _Store:
    classes = ("a", "b", "c", "d")
    labels = np.zeros(100, np.int32)
    paths = tuple(f"{row}.png" for row in range(100))
    confirmed = np.arange(100) == 9


@pytest.mark.parametrize(
    ("precision", "low", "actions", "words"),
    [
        (0.95, 0.9, ("relabel", "exclude"), "about 10 of 10 of them are wrong (9 to 10 of 10)"),
        (0.84, 0.62, (), "about 8 of 10 of them are wrong (6 to 10 of 10)"),
        (0.95, 0.5, (), "(5 to 10 of 10)"),
    ],
)
def test_all_are_relabeled_at_once_only_if_they_are_certain(
    precision: float, low: float, actions: tuple[str, ...], words: str
) -> None:
    indices, suggested = np.array([9, 5, 2]), np.array([2, 3, 1])
    suspects = LabelSuspects(
        indices, suggested, np.array([0.95, 0.9, 0.8]), precision, low, 0.98, "small copies"
    )

    finding = label_errors(_Store, suspects)  # type: ignore[arg-type]

    assert finding is not None
    assert finding.rows == [5, 2], "a person confirmed the label of 9"
    assert finding.actions == actions
    assert words in finding.message
    assert "According to small copies" in finding.message
    assert (finding.labels, finding.classes) == (["a", "a"], ["d", "b"])
    assert ("one by one" in finding.suggestion) == (not actions)
