"""The optimizer, and presets, on the form of a new run."""

from __future__ import annotations

import pytest
from page_checks import nameless_controls
from planning import choose, planned, type_into

from helpers.sampling import sample
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.recipes import PRESETS
from studio.ui.pages.train.plan.new_run import NewRun


@pytest.mark.parametrize("name", sample(OPTIMIZERS.names(), ("adam", "sgd")))
def test_every_optimizer_is_planned_with_its_parameters(new_run: NewRun, name: str) -> None:
    choose(new_run.cards.optimizer, name)

    plan = planned(new_run)
    assert plan.optimizer == name
    assert plan.optimizer_options == OPTIMIZERS[name].options({}).model_dump()


def test_the_numbers_of_an_optimizer_reach_the_plan(new_run: NewRun) -> None:
    choose(new_run.cards.optimizer, "sgd")
    type_into(new_run.cards.optimizer, "momentum", "0.9")
    assert planned(new_run).optimizer_options == {"momentum": 0.9, "nesterov": False}

    type_into(new_run.cards.optimizer, "momentum", "2")
    assert new_run.plan() is None
    assert not new_run.train_button.isEnabled()
    assert not nameless_controls(new_run)


def test_a_cloned_run_brings_its_optimizer(new_run: NewRun) -> None:
    plan = planned(new_run).changed(optimizer="rmsprop", optimizer_options={"rho": 0.8})

    new_run.clone(plan)

    assert new_run.cards.optimizer.choice == "rmsprop"
    assert planned(new_run).optimizer_options == {"rho": 0.8}


def test_a_preset_fills_everything_in(new_run: NewRun) -> None:
    before = planned(new_run)
    for name, button in new_run.cards.presets.items():
        button.click()

        plan = planned(new_run)
        expected = PRESETS[name].apply(before)
        assert (plan.epochs, plan.schedule) == (expected.epochs, expected.schedule)
        assert new_run.cards.optimizer.choice == expected.optimizer
        assert plan.label_smoothing == expected.label_smoothing
        assert plan.augmentation.rotation == expected.augmentation.rotation
        assert plan.dataset == before.dataset
        assert button.toolTip()


def test_what_would_do_nothing_is_switched_off_with_the_reason(new_run: NewRun) -> None:
    form = new_run.cards.form
    gain, factor = form.editor("min_delta").control, form.editor("plateau_factor").control
    assert not gain.isEnabled()
    assert not factor.isEnabled()

    new_run.cards.fill_in(planned(new_run).changed(early_stopping_patience=3))
    assert gain.isEnabled()
    assert not factor.isEnabled()

    new_run.cards.fill_in(planned(new_run).changed(plateau_patience=3))
    assert factor.isEnabled()
