"""The learning-rate schedule on the form of a new run."""

from __future__ import annotations

import pytest
from page_checks import fits_smallest_window, nameless_controls
from planning import choose, planned, type_into
from PySide6.QtWidgets import QLabel

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import SCHEDULES, curve
from studio.ui.pages.train.plan.cards import CURVE_POINTS
from studio.ui.pages.train.plan.new_run import NewRun


@pytest.mark.parametrize("name", SCHEDULES.names())
def test_every_policy_is_planned_with_the_curve_of_its_real_steps(
    new_run: NewRun, name: str
) -> None:
    choose(new_run.cards.schedule, name)

    plan = planned(new_run)
    assert plan.schedule == name
    assert SCHEDULES[name].parameters.check(plan.schedule_options)[1] == []
    # 30 of 40 images train: one batch of 32 in each of 10 epochs.
    _, rates = curve(name, plan.schedule_options, plan.learning_rate, 10, 0.0, CURVE_POINTS)
    assert new_run.cards.schedule.curve.values() == pytest.approx(list(rates))


def test_the_numbers_of_a_policy_reach_the_plan(new_run: NewRun) -> None:
    choose(new_run.cards.schedule, "multistep")
    type_into(new_run.cards.schedule, "at_percent", "20, 40, 60")
    type_into(new_run.cards.schedule, "gamma", "0.25")

    options = SCHEDULES["multistep"].parameters.parse(planned(new_run).schedule_options)
    assert options.model_dump() == {"at_percent": (20.0, 40.0, 60.0), "gamma": 0.25}


def test_a_wrong_number_stands_beside_its_field_and_stops_the_start(new_run: NewRun) -> None:
    choose(new_run.cards.schedule, "multistep")
    type_into(new_run.cards.schedule, "at_percent", "20, 400")

    assert new_run.plan() is None
    assert not new_run.train_button.isEnabled()
    assert new_run.train_button.toolTip()

    type_into(new_run.cards.schedule, "at_percent", "20")
    assert new_run.train_button.isEnabled()


def test_a_cloned_run_brings_its_schedule(new_run: NewRun) -> None:
    plan = planned(new_run).changed(
        schedule="polynomial", schedule_options={"power": 1.5}, warmup_percent=10
    )

    new_run.clone(plan)

    assert new_run.cards.schedule.choice == "polynomial"
    assert planned(new_run).schedule_options == {"power": 1.5}
    assert planned(new_run).warmup_percent == 10


def test_numbers_of_one_policy_do_not_stay_for_the_next(new_run: NewRun) -> None:
    choose(new_run.cards.schedule, "polynomial")
    choose(new_run.cards.schedule, "constant")

    assert planned(new_run).schedule_options == {}


def test_the_card_can_be_used_by_keyboard_and_fits(new_run: NewRun) -> None:
    choose(new_run.cards.schedule, "cosine_restarts")

    assert not nameless_controls(new_run)
    assert fits_smallest_window(new_run)


def test_a_solved_head_disables_what_it_does_not_use_and_says_why(new_run: NewRun) -> None:
    """Linear heads that are solved at once have no epochs, optimizer or schedule."""
    cards = new_run.cards
    cards.document.set_values({"head_solver": "logistic_regression", "freeze": "all", "epochs": 7})

    reason = "It is fitted directly, without training steps"
    for name in (
        "epochs",
        "learning_rate",
        "warmup_percent",
        "weight_decay",
        "validation_interval_epochs",
    ):
        assert not cards.form.editor(name).isEnabled(), name
        assert cards.form.row(name).note.text() == reason
    for card in (cards.optimizer, cards.schedule):
        assert not card.box.isEnabled()
        assert reason in {label.text() for label in card.findChildren(QLabel)}
    assert planned(new_run).epochs == TrainingPlan(dataset="").epochs

    cards.document.set_values({"head_solver": "gradient"})
    assert cards.optimizer.box.isEnabled()
    assert cards.form.editor("epochs").isEnabled()
    assert planned(new_run).epochs == 7
