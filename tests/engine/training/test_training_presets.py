"""Presets are whole, sound, and leave alone what is not theirs."""

from __future__ import annotations

import pytest

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recipes import PRESETS
from studio.engine.training.requests import check_optimizer


@pytest.mark.parametrize("name", PRESETS.names())
def test_a_preset_sets_how_and_not_what(name: str) -> None:
    mine = TrainingPlan(
        dataset="d", network="mlp", batch_size=7, seed=3, weights="imagenet", deterministic=True
    )

    plan = PRESETS[name].apply(mine)

    assert (plan.dataset, plan.network, plan.batch_size) == ("d", "mlp", 7)
    assert (plan.seed, plan.weights, plan.deterministic) == (3, "imagenet", True)
    assert not check_optimizer(plan)
    assert plan != mine


def test_nothing_of_one_preset_stays_in_the_next() -> None:
    fresh = TrainingPlan(dataset="d")
    quick = PRESETS["quick"]

    assert quick.apply(PRESETS["best"].apply(fresh)) == quick.apply(fresh)
    epochs = [preset.apply(fresh).epochs for preset in PRESETS]
    assert epochs == sorted(set(epochs))
