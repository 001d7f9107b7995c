"""The front of two objectives."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from helpers.sweep_trials import random_trials, row, sweep_plan
from studio.ui.charts.sweeps.data import sweep_trials
from studio.ui.charts.sweeps.views import BEST, ParetoView
from studio.ui.theme.theme import Theme

POINTS = [(0.9, 5e6), (0.8, 2e6), (0.7, 3e6), (0.95, 9e6), (0.5, 1e6)]


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> ParetoView:
    view = ParetoView(theme)
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_the_front_is_a_line_from_small_to_good(view: ParetoView) -> None:
    rows = {number: row(number, point) for number, point in enumerate(POINTS)}

    view.set_trials(sweep_trials(sweep_plan(), rows))

    dots = view.plot.dots
    assert (dots.kinds == BEST).tolist() == [True, True, False, True, True]
    assert dots.line_x.tolist() == [1e6, 2e6, 5e6, 9e6]
    assert dots.line_y.tolist() == [0.5, 0.8, 0.9, 0.95]
    assert view.plot.names() == ("Size of the model", "Val accuracy")
    assert view.choices.isHidden(), "of two there is nothing to choose"


def test_of_three_objectives_two_are_chosen(view: ParetoView) -> None:
    rows = {number: row(number, (*point, 10.0 - number)) for number, point in enumerate(POINTS)}
    plan = sweep_plan(["val_accuracy", "size", "seconds"])

    view.set_trials(sweep_trials(plan, rows))
    view.across.setCurrentText("Training time")

    dots = view.plot.dots
    assert view.plot.names() == ("Training time", "Val accuracy")
    assert (dots.kinds == BEST).tolist() == [False, False, False, True, True]
    assert not view.choices.isHidden()


def test_one_objective_has_no_front(view: ParetoView) -> None:
    view.set_trials(sweep_trials(sweep_plan(["val_accuracy"]), {0: row(0, [0.5])}))
    assert "two objectives" in view.missing()

    view.set_trials(random_trials(20))
    assert view.missing() == ""
