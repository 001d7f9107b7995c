"""An objective against a field that is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from helpers.sweep_trials import random_trials
from studio.ui.charts.sweeps.views import BEST, SliceView, spread
from studio.ui.theme.theme import Theme


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> SliceView:
    view = SliceView(theme)
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.set_trials(random_trials(80))
    view.show()
    qtbot.waitExposed(view)
    return view


def test_a_logarithmic_field_is_plotted_by_powers(view: SliceView) -> None:
    trials = random_trials(80)

    dots = view.plot.dots

    assert dots.x == pytest.approx(np.log10(trials.axes[0].values))
    assert dots.y == pytest.approx(trials.objectives[0].values)
    assert set(trials.numbers[dots.kinds == BEST].tolist()) == set(trials.best)
    assert view.plot.names() == ("Learning rate", "Val accuracy")
    assert view.field.accessibleName() == "Field"


def test_another_field_and_another_objective(view: SliceView) -> None:
    view.field.setCurrentText("Optimizer")
    view.objective.setCurrentIndex(1)

    assert view.plot.names() == ("Optimizer", "Size of the model")
    assert view.plot.dots.y.min() >= 1e6
    assert [tick.text for tick in view.plot.across.ticks()] == ["SGD", "Adam"]

    view.set_trials(random_trials(90))
    assert view.plot.names() == ("Optimizer", "Size of the model"), "the choice stays"
    view.field.setCurrentText("Batch size")
    ticks = view.plot.across.ticks()
    assert [tick.text for tick in ticks] == ["8", "16", "32"], "its few values"
    view.field.setCurrentText("Learning rate")
    assert not view.plot.across.named


def test_categories_are_spread_but_never_mixed() -> None:
    optimizer = random_trials(200).axes[2]

    offsets = spread(optimizer)

    assert len(set(offsets.tolist())) == 200
    assert np.rint(offsets).tolist() == optimizer.values.tolist()
