"""Metrics of anomaly detection."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.metrics import average_precision_score, roc_auc_score

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.evaluation.report import EvaluatedModel
from studio.engine.evaluation.report_builder import Answered, report_on_outputs
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.good_images import FeaturesPlan
from studio.engine.plans import without_effect
from studio.engine.progress import SilentProgress
from studio.engine.proportions import wilson
from studio.engine.tasks import TASKS
from studio.engine.tasks.anomaly.prediction import PREDICTOR, threshold_for
from studio.engine.tasks.anomaly.report import REPORTER, auroc
from studio.engine.tasks.anomaly.thresholds import choices, curve_of
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.tiling import SeenPicture, TiledPicture
from studio.engine.training.plan import TrainingPlan

SIDE = 32
KINDS = 3


def scene(seed: int, contrast: float, images: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return maps of scores and masks; every second image has a defect of one of two kinds."""
    random = np.random.default_rng(seed)
    maps = random.gamma(2, 0.2, (images, SIDE, SIDE)).astype(np.float32)
    masks = np.zeros((images, SIDE, SIDE), np.uint8)
    for at in range(1, images, 2):
        top, left = random.integers(0, SIDE - 6, 2)
        masks[at, top : top + 6, left : left + 5] = 1 + at // 2 % 2
    return maps + contrast * (masks > 0), masks


def targets_of(masks: np.ndarray) -> np.ndarray:
    """Return the pixels of each class."""
    return np.stack([(masks == kind).sum(axis=(1, 2)) for kind in range(KINDS)], axis=1)


def test_metrics_agree_with_scikit_learn() -> None:
    maps, masks = scene(1, 0.4)
    targets = targets_of(masks)
    evidence = REPORTER.evidence(maps, masks, KINDS)
    found = REPORTER.measure(evidence, targets, Calibration()).whole
    scores, bad = maps.max(axis=(1, 2)), masks.any(axis=(1, 2))

    assert REPORTER.outputs_in(evidence) == KINDS
    assert found["auroc"] == pytest.approx(roc_auc_score(bad, scores))
    assert found["ap"] == pytest.approx(average_precision_score(bad, scores))
    exact = roc_auc_score(masks.ravel() > 0, maps.ravel())
    assert found["pixel_auroc"] == pytest.approx(exact, abs=0.005)  # scores are in bins
    assert found["false_alarms"] == pytest.approx((scores[~bad] >= 1).mean())


def test_perfect_maps_have_the_best_figures_and_shuffled_ones_that_of_chance() -> None:
    maps, masks = scene(2, 50.0)
    figures = REPORTER.measure(
        REPORTER.evidence(maps, masks, KINDS),
        targets_of(masks),
        Calibration(thresholds=(9.0,) * 3),
    )
    assert figures.whole == pytest.approx(
        {"auroc": 1, "ap": 1, "f1": 1, "false_alarms": 0, "pixel_auroc": 1, "pro": 1}, abs=1e-6
    )
    assert figures.outputs["recall"][1:].tolist() == [1, 1]
    maps, masks = scene(3, 0.0)
    chance = REPORTER.measure(
        REPORTER.evidence(maps, masks, KINDS), targets_of(masks), Calibration()
    ).whole
    assert chance["pixel_auroc"] == pytest.approx(0.5, abs=0.03)
    assert chance["pro"] == pytest.approx(0.15, abs=0.03)


def test_without_defects_only_false_alarms_are_known() -> None:
    maps, masks = scene(4, 0.0)
    found = REPORTER.measure(
        REPORTER.evidence(maps, 0 * masks, KINDS), targets_of(0 * masks), Calibration()
    ).whole

    assert [name for name, value in found.items() if math.isfinite(value)] == ["false_alarms"]
    evidence, quiet = REPORTER.evidence(maps, 0 * masks, KINDS), Calibration(thresholds=(99.0,))
    (note,) = REPORTER.notes(evidence, targets_of(0 * masks), quiet)
    assert "False alarms: 0 of 40 good images; of many, 0.0% to 8.8%" in note
    assert REPORTER.notes(evidence, targets_of(masks), quiet) == ()


def test_intervals_have_a_width_also_without_a_false_alarm() -> None:
    maps, masks = scene(6, 50.0)
    evidence, targets = REPORTER.evidence(maps, masks, KINDS), targets_of(masks)
    meaning = Meaning(("good", "a", "b"), calibration=Calibration(thresholds=(9.0,) * KINDS))
    subject = EvaluatedModel(
        model="m", dataset="d", dataset_name="d", dataset_version=1, split="test"
    )
    answered = Answered(TASKS["anomaly"], subject, meaning, evidence, targets)
    report = report_on_outputs(answered, 20, 0, SilentProgress())

    assert report.metrics["false_alarms"] == 0
    assert report.intervals["false_alarms"] == pytest.approx(wilson(0, 20))
    assert report.outputs[1].intervals["recall"] == pytest.approx(wilson(10, 10))
    assert "auroc" not in report.intervals  # 1 in all resamples says nothing about others
    assert report_on_outputs(answered, 0, 0, SilentProgress()).intervals == {}


def test_defects_without_masks_count_in_metrics_of_images_only() -> None:
    maps, masks = scene(5, 3.0)
    whole = np.where(masks.any(axis=(1, 2), keepdims=True), 1, masks).astype(np.uint8)
    found = REPORTER.measure(
        REPORTER.evidence(maps, whole, KINDS), targets_of(whole), Calibration()
    ).whole

    assert found["auroc"] == 1
    assert math.isnan(found["pixel_auroc"])


def test_ties_count_half() -> None:
    assert auroc(np.array([1.0, 1.0]), np.array([1.0, 2.0])) == 0.75


@pytest.mark.parametrize(("count", "allowed", "expected"), [(200, 0.01, 2), (50, 0.01, 0)])
def test_a_threshold_allows_a_fraction_of_good_images(
    count: int, allowed: float, expected: int
) -> None:
    scores = np.random.default_rng(0).gamma(3, 1, count)

    assert (scores >= threshold_for(scores, allowed)).sum() == expected


def test_the_threshold_comes_from_good_validation_images() -> None:
    maps, masks = scene(6, 9.0)
    found = PREDICTOR.calibrated(maps, masks, KINDS)
    good = maps[::2].max(axis=(1, 2))

    assert found.images == len(good)
    assert found.thresholds == (threshold_for(good),) * KINDS
    assert PREDICTOR.calibrated(maps[:0], masks[:0], KINDS) == Calibration()


def test_curves_and_choices_tell_what_thresholds_would_give() -> None:
    good, defects = np.arange(100.0), np.arange(60.0, 160.0)
    curve = curve_of(good, defects)
    assert np.trapezoid(curve.recall, curve.false_alarms) == pytest.approx(
        auroc(good, defects), abs=0.01
    )
    found = choices(good, defects)
    assert [int((good >= each.threshold).sum()) for each in found] == [0, 1, 2, 5, 10]
    assert all(each.low <= each.false_alarms <= each.high for each in found)
    assert found[-1].recall == pytest.approx(0.7, abs=0.011)
    assert choices(good, defects[:0])[0].recall is None


def test_the_threshold_of_tiles_is_that_of_their_pictures() -> None:
    scores = np.array([1, 5, 2, 3, 9, 1], np.float32).reshape(6, 1, 1)
    classes = np.array([0, 0, 0, 0, 1, 0], np.uint8).reshape(6, 1, 1)
    joined = PREDICTOR.of_whole_pictures(scores, classes, np.array([7, 7, 3, 3, 4, 4]))
    found = PREDICTOR.calibrated(*joined, 2)

    assert joined[0].ravel().tolist() == [3, 9, 5]
    assert found.images == 2  # the good tile of the third picture does not count
    assert found.thresholds[0] == pytest.approx(5.05)


def test_the_score_of_tiles_is_their_highest_one() -> None:
    def score(parts: np.ndarray) -> np.ndarray:
        maps = np.zeros((len(parts), 32, 32, 2), np.float32)
        maps[0, 16, 30, -1] = 4.0  # where another tile sees nothing
        return maps

    parts = np.zeros((2, 32, 32, 3), np.uint8)
    tiled = TiledPicture(parts, [(0, 0, 32, 32), (16, 0, 32, 32)], score, 2)
    seen = SeenPicture((48, 32), DatasetRecipe(source=""))
    whole = PREDICTOR.of_tiles(tiled, seen, Meaning(("good", "crack"))).heat_map
    assert whole is not None
    assert whole.score == 4


def test_settings_of_training_steps_have_no_effect() -> None:
    def idle(**fields: object) -> set[str]:
        plan = TrainingPlan(dataset="").changed(**fields)
        return {*without_effect(TrainingPlan, plan.model_dump())}

    steps = {"epochs", "learning_rate", "optimizer"}
    assert steps <= idle(network="padim")
    assert "batch_size" not in idle(network="padim")
    assert not steps & idle(network="lenet")
    design = ZOO["small_padim"].build((32, 32, 3), 2)
    assert steps <= idle(network="mine", design=design.model_dump())


def test_features_have_an_upper_limit() -> None:
    assert FeaturesPlan(features=512).features == 512
    with pytest.raises(ValidationError):
        FeaturesPlan(features=513)
