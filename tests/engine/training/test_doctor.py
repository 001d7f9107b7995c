"""Every diagnosis is found by its own finder alone; what is well stays unnamed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.arrays import Floats
from studio.engine.datasets.origins.facts import OriginFacts
from studio.engine.tasks import TASKS
from studio.engine.training.doctor import DIAGNOSES, RunFinding, TrainingHistory, diagnose
from studio.engine.training.doctor.training_history import ValidationFigures
from studio.engine.training.plan import TrainingPlan

CHANCE = float(np.log(10))
PER_EPOCH = 40


def signs(
    loss: Floats,
    val_loss: Floats | None = None,
    *,
    noise: float = 0.12,
    seed: int = 0,
    rates: Floats | None = None,
    peak: float = 0.0,
    **settings: Any,
) -> TrainingHistory:
    """A run with these losses at the ends of epochs, and steps around the line through them."""
    random = np.random.default_rng(seed)
    epochs = len(loss)
    at = np.arange(1, epochs * PER_EPOCH + 1) / PER_EPOCH
    line = np.interp(at, np.arange(epochs + 1), np.append(settings.pop("start", CHANCE), loss))
    steps = line * (1 + noise * random.standard_normal(len(line)))
    steps[:3] = line[:3]
    if peak:
        steps[5:10] = peak
    val = np.full(epochs, np.nan) if val_loss is None else val_loss
    plan = TrainingPlan(dataset="d", **{"epochs": max(1, epochs), **settings})
    return TrainingHistory(
        plan,
        PER_EPOCH,
        steps,
        loss,
        np.exp(-loss),
        val,
        np.exp(-val),
        np.full(epochs, plan.learning_rate) if rates is None else rates,
    )


def names(run: TrainingHistory) -> list[str]:
    return [finding.name for finding in diagnose(run)]


def only(run: TrainingHistory) -> RunFinding:
    (finding,) = diagnose(run)
    return finding


def epochs(count: int) -> Floats:
    return np.arange(1.0, count + 1)


@given(
    count=st.integers(1, 60),
    speed=st.floats(0.02, 0.5),
    floor=st.floats(0.01, 0.1),
    gap=st.floats(1.0, 1.3),
    noise=st.floats(0, 0.15),
    seed=st.integers(0, 1000),
)
def test_a_healthy_run_is_not_called_ill(
    count: int, speed: float, floor: float, gap: float, noise: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    decay = np.exp(-epochs(count) * max(speed, 3 / count))
    loss = floor + (CHANCE - floor) * decay
    wobble = 1 + 0.03 * random.standard_normal(count)
    assert names(signs(loss, loss * gap * wobble, noise=noise, seed=seed)) == []


@given(st.integers(0, 2), st.floats(0.1, 3.0), st.integers(0, 1000))
def test_too_few_epochs_give_no_diagnosis(count: int, level: float, seed: int) -> None:
    loss = np.full(count, level)
    assert names(signs(loss, loss * 2, seed=seed)) == []


def test_a_run_without_validation_and_without_steps_is_not_ill() -> None:
    for nothing in (np.empty(0), np.full(12, np.nan)):
        plan = TrainingPlan(dataset="d")
        run = TrainingHistory(plan, 1, nothing, nothing, nothing, nothing, nothing, nothing)
        assert names(run) == []


def test_over_fitting() -> None:
    at = epochs(14)
    loss = 0.05 + 2 * np.exp(-at / 3)
    val = np.where(at <= 6, 0.41 + 0.2 * (6 - at), 0.41 + 0.025 * (at - 6))
    finding = only(signs(loss, val))
    assert finding.name == "over_fitting"
    assert (finding.first, finding.last) == (6, 14)
    assert "rose from 0.410 in epoch 6 to 0.610 in epoch 14" in finding.evidence
    assert "training loss fell from 0.321 to 0.0688" in finding.evidence
    mended = TrainingPlan(dataset="d").changed(**finding.changes)
    assert mended.augmentation.rotation > 0
    assert mended.weight_decay > 0
    assert mended.early_stopping_patience > 0


def test_validation_far_behind_is_overfitting_even_if_its_loss_does_not_rise() -> None:
    at = epochs(30)
    run = signs(0.01 + 2 * np.exp(-at / 3), 0.9 + 1.4 * np.exp(-at / 3))
    behind = dataclasses.replace(run, val_score=0.77 - 0.6 * np.exp(-at / 3))
    finding = only(behind)
    assert finding.name == "over_fitting"
    assert "near 77.0 %" in finding.evidence
    still_learning = dataclasses.replace(run, val_score=0.4 + 0.01 * at)
    assert names(still_learning) == []


def test_what_is_varied_already_is_left_as_it_is() -> None:
    at = epochs(14)
    run = signs(0.05 + 2 * np.exp(-at / 3), 0.5 + 0.1 * np.abs(at - 5))
    varied = run.plan.changed(**{"augmentation.rotation": 30.0, "weight_decay": 0.01})
    finding = only(dataclasses.replace(run, plan=varied))
    assert set(finding.changes) == {"early_stopping_patience"}


def test_validation_that_jumps_is_no_over_fitting() -> None:
    at = epochs(30)
    random = np.random.default_rng(3)
    val = 0.5 * np.exp(0.15 * random.standard_normal(30))
    assert names(signs(0.05 + 2 * np.exp(-at / 3), val)) == []


def test_a_loss_that_rises_while_accuracy_still_does_too_is_no_over_fitting() -> None:
    at = epochs(14)
    run = signs(0.05 + 2 * np.exp(-at / 3), 0.4 + 0.05 * np.abs(at - 6))
    better = dataclasses.replace(run, val_score=0.5 + 0.03 * at)
    assert names(run) == ["over_fitting"]
    assert names(better) == []


def test_a_plateau_is_found_without_accuracies_too() -> None:
    at = epochs(24)
    run = signs(1.2 + 1.1 * np.exp(-at / 2))
    nothing = np.full(24, np.nan)
    finding = only(dataclasses.replace(run, score=nothing, val_score=nothing))
    assert finding.name == "plateau"
    assert finding.evidence.startswith("From epoch 17 to 24 training loss stayed near 1.2")
    assert "accuracy" not in finding.evidence


def test_plateau() -> None:
    at = epochs(24)
    loss = 1.2 + 1.1 * np.exp(-at / 2)
    finding = only(signs(loss, loss * 1.05))
    assert finding.name == "plateau"
    assert finding.first == 16
    assert finding.changes["schedule"] == "cosine"
    scheduled = signs(loss, loss * 1.05, schedule="cosine")
    assert only(scheduled).changes == {"learning_rate": 0.003}


def test_a_rate_that_has_fallen_ends_training_by_intent() -> None:
    at = epochs(24)
    loss = 1.2 + 1.1 * np.exp(-at / 2)
    rates = 1e-3 * (1 + np.cos(np.pi * at / 24)) / 2
    assert names(signs(loss, loss * 1.05, rates=rates, schedule="cosine")) == []


def test_divergence() -> None:
    loss = np.array([2.0, 1.5, 3.0, 9.0, 40.0])
    finding = only(signs(loss, loss * 1.1))
    assert finding.name == "divergence"
    assert finding.changes == {"learning_rate": 0.0001, "global_clipnorm": 1.0}
    assert "The training loss is 31.4 after 200 steps" in finding.evidence
    assert "it was 2.29" in finding.evidence
    assert finding.last == 5
    assert 1 < finding.first < 3


@pytest.mark.parametrize("steps", [0, 2, 50])
def test_a_loss_that_is_no_number(steps: int) -> None:
    run = signs(np.array([2.0, 1.5]))
    losses = np.append(run.step_loss[:steps], np.nan)
    finding = only(dataclasses.replace(run, step_loss=losses, not_finite=True))
    assert finding.name == "divergence"
    assert ("first step" if steps == 0 else f"step {steps} ") in finding.evidence


def test_gaps_of_a_damaged_journal_are_no_divergence() -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2))
    losses = run.step_loss.copy()
    losses[-100:-50] = np.nan
    assert names(dataclasses.replace(run, step_loss=losses)) == []


@pytest.mark.parametrize(("level", "factor"), [(2.3, 0.1), (1.6, 1 / 3)])
def test_rate_too_high(level: float, factor: float) -> None:
    random = np.random.default_rng(1)
    loss = level * (1 + 0.05 * random.standard_normal(8))
    finding = only(signs(loss, loss, noise=0.6, learning_rate=0.3))
    assert finding.name == "rate_too_high"
    assert finding.changes["learning_rate"] == pytest.approx(0.3 * factor, rel=0.02)
    jumped = only(signs(np.full(8, 2.3), noise=0.02, peak=40.0))
    assert jumped.name == "rate_too_high"
    assert "rose to 40.0" in jumped.evidence


def test_a_first_step_that_is_too_high_already_is_not_what_guessing_costs() -> None:
    steps = np.repeat([3.3, 6.0, 6.8, 7.5, 8.2, 7.4] + [2.8] * 74, 2)
    loss = np.array([5.2, 3.1, 2.8, 2.9])
    run = dataclasses.replace(signs(loss, learning_rate=0.1), step_loss=steps)
    finding = only(dataclasses.replace(run, classes=tuple("0123456789")))
    assert finding.name == "rate_too_high"
    assert "it was 2.30" in finding.evidence
    assert finding.changes["learning_rate"] == pytest.approx(0.01)


def test_small_batches_are_restless_without_being_ill() -> None:
    loss = np.full(6, 1.8)
    assert "rate_too_high" not in names(signs(loss, noise=0.5, batch_size=4))
    assert "rate_too_high" in names(signs(loss, noise=0.5, batch_size=64))


@pytest.mark.parametrize(("fall", "factor"), [(0.006, 10), (0.05, 3)])
def test_rate_too_low(fall: float, factor: float) -> None:
    loss = CHANCE - fall * epochs(10)
    finding = only(signs(loss, loss, learning_rate=1e-6))
    assert finding.name == "rate_too_low"
    assert finding.changes["learning_rate"] == pytest.approx(1e-6 * factor)


def test_a_slow_beginning_of_a_long_run_is_no_slow_run() -> None:
    loss = CHANCE - 0.05 * epochs(10)
    assert names(signs(loss, loss, epochs=90)) == []


def confusion(dead: int | None, images: int = 20) -> np.ndarray:
    matrix = np.eye(4, dtype=np.int32) * images
    if dead is not None:
        matrix[dead] = 0
        matrix[dead, 0] = images
    return matrix


def test_dead_class() -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2))
    ill = dataclasses.replace(
        run, confusions=(confusion(None), *[confusion(2)] * 3), classes=("a", "b", "Kätzchen", "d")
    )
    finding = only(ill)
    assert finding.name == "dead_class"
    assert '20 validation images of "Kätzchen"' in finding.evidence
    assert 'predicted as "a"' in finding.evidence
    assert finding.changes == {"class_balancing": "class_weights"}
    weighted = dataclasses.replace(ill, plan=ill.plan.changed(class_balancing="class_weights"))
    assert only(weighted).changes == {"class_balancing": "sampling"}
    nameless = only(dataclasses.replace(ill, classes=()))
    assert '"class 3"' in nameless.evidence


@pytest.mark.parametrize(
    "confusions",
    [
        [confusion(2)] * 2,
        [confusion(None), confusion(2), confusion(2)],
        [confusion(2, images=3)] * 3,
        [np.ones((4, 4), np.int32) * np.array([9, 0, 0, 0], np.int32)] * 3,
    ],
    ids=["too few validations", "was recognized", "too few images", "nothing is learned yet"],
)
def test_no_dead_class(confusions: list[np.ndarray]) -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2))
    assert "dead_class" not in names(dataclasses.replace(run, confusions=tuple(confusions)))


def of_task(run: TrainingHistory, task: str, *validations: ValidationFigures) -> TrainingHistory:
    return dataclasses.replace(
        run, task=TASKS[task], classes=("sun", "Größe"), validations=validations
    )


def figures(scores: list[float], constant: list[float], right: int = 0) -> ValidationFigures:
    seen = np.array([20, 9]), np.array([16, right])
    return ValidationFigures(*seen, np.array(scores), np.array(constant))


def test_a_label_that_is_never_predicted() -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2))
    learned = figures([0.9, 0.9, 0.9], [0.4, 0.5, 0.3])
    finding = only(of_task(run, "multi_label", *[learned] * 3))
    assert finding.name == "dead_class"
    assert finding.evidence == (
        'None of the 9 validation images of "Größe" was recognized in the last 3 validations.'
    )
    assert finding.changes == {"class_balancing": "class_weights"}
    once = figures([0.9, 0.9, 0.9], [0.4, 0.5, 0.3], right=1)
    assert names(of_task(run, "multi_label", learned, once, learned)) == []


def test_numbers_that_are_no_better_than_their_mean() -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2), epochs=10)
    nothing = figures([-0.2, -0.3, -0.1], [0.0, 0.0, 0.0], right=9)
    finding = only(of_task(run, "regression", *[nothing] * 3))
    assert finding.name == "no_skill"
    assert finding.title == "No better than a constant prediction"
    assert "stayed at -0.2; a constant prediction would reach 0." in finding.evidence
    assert (finding.first, finding.last) == (5, 8)

    one = figures([0.4, 0.8, -0.1], [0.0, 0.0, 0.0], right=9)
    finding = only(of_task(run, "regression", *[one] * 3))
    assert finding.title == 'Not learned: "Größe"'
    assert "stayed at -0.1;" in finding.evidence
    good = figures([0.4, 0.8, 0.2], [0.0, 0.0, 0.0], right=9)
    assert names(of_task(run, "regression", one, good, one)) == []
    long = signs(0.05 + 2 * np.exp(-epochs(8) / 2), epochs=100)
    assert names(of_task(long, "regression", *[nothing] * 3)) == []


def test_pixels_that_are_all_predicted_as_the_background() -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2))
    scores, images = np.array([0.45, 0.9, 0.0]), np.array([40, 25])

    def validation(background: float, seen: NDArray[np.int64] = images) -> ValidationFigures:
        predicted = np.array([background, 1 - background])
        return ValidationFigures(seen, seen, scores, scores, predicted)

    finding = only(of_task(run, "segmentation", *[validation(0.999)] * 3))
    assert finding.name == "one_class"
    assert finding.title == 'Predicts only "sun"'
    assert "99.9% of the pixels or more" in finding.evidence
    assert finding.changes == {"class_balancing": "class_weights", "dice_weight": 0.5}
    found = names(of_task(run, "segmentation", *[validation(0.9)] * 3))
    assert "one_class" not in found
    rare = [validation(0.999, np.array([40, 0]))] * 3
    assert "one_class" not in names(of_task(run, "segmentation", *rare))


def test_classes_that_are_no_better_than_the_largest_one() -> None:
    run = signs(0.05 + 2 * np.exp(-epochs(8) / 2))
    matrix = np.array([[30, 0], [10, 0]], np.int32)
    finding = only(dataclasses.replace(run, confusions=(matrix,) * 3))
    assert finding.name == "no_skill"
    assert "stayed at 75.0 %" in finding.evidence


def test_a_loss_that_falls_while_no_result_gets_better() -> None:
    at = epochs(20)
    loss = 0.02 + 0.3 * np.exp(-at / 8)
    run = signs(loss, loss * 1.05, start=0.4)
    flat = dataclasses.replace(run, score=np.full(20, 0.42), val_score=np.full(20, 0.4))
    finding = only(of_task(flat, "multi_label"))
    assert finding.name == "flat_score"
    assert "with validation mAP near 40.0 % all the time" in finding.evidence
    assert finding.changes == {"class_balancing": "class_weights"}
    assert only(of_task(flat, "regression")).changes == {}
    rising = dataclasses.replace(flat, score=0.4 + 0.01 * at)
    assert names(of_task(rising, "multi_label")) == []


def test_every_diagnosis_is_hidden_only_by_earlier_ones() -> None:
    seen: set[str] = set()
    for diagnosis in DIAGNOSES:
        assert diagnosis.name not in {name for name in diagnosis.hides if name in seen}
        assert not seen & set(diagnosis.hides)
        seen.add(diagnosis.name)
        assert all(name in DIAGNOSES for name in diagnosis.hides)


def test_validation_on_films_of_the_training_is_named() -> None:
    run = signs(np.linspace(2.0, 0.5, 8), np.linspace(2.1, 0.7, 8))
    facts = {"kind": "video", "groups": 9, "images": 90, "splits": {"train": 9, "val": 9}}
    known = dataclasses.replace(
        run, origins=OriginFacts.model_validate({**facts, "common": {"val": 18, "test": 0}})
    )
    (finding,) = diagnose(known)
    assert finding.name == "common_origins"
    assert "18 validation images" in finding.evidence
    assert "90 frames of 9 films" in finding.evidence
    for common, kind in ((0, "video"), (18, "near_duplicates")):
        other = OriginFacts.model_validate({**facts, "kind": kind, "common": {"val": common}})
        assert not diagnose(dataclasses.replace(run, origins=other))
