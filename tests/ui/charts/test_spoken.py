"""What charts say to those who do not see them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.ui.charts.axes import FRACTIONS, AxisScale
from studio.ui.charts.chart import MAX_LINES, lines_text
from studio.ui.charts.confusion import ConfusionChart
from studio.ui.charts.figure import Figure, FigureChart, FigureLine
from studio.ui.charts.map_chart import MapChart, MapPoints
from studio.ui.charts.series import Series
from studio.ui.charts.sweeps.data import SweepAxis, SweepTrials, trials_text
from studio.ui.theme.theme import Theme


def test_curves_describe_their_ends_and_extremes() -> None:
    train = "Train", Series([1, 2, 3, 4], [2.0, 0.5, 0.75, math.nan])
    val = "Val", Series([1], [math.inf])

    text = lines_text("Loss", "Epoch", [train, val], "{:.2f}".format, "{:g}".format)

    assert text == ("Loss: 2 lines. Train: 0.75 at Epoch 3, lowest 0.50 at 2, highest 2.00 at 1.")
    assert lines_text("Loss", "Epoch", [val], str, str) == "Loss: nothing yet."
    many = [(f"run {n}", Series([1], [n])) for n in range(MAX_LINES + 3)]
    assert lines_text("Loss", "Epoch", many, str, str).endswith("and 3 more.")


def test_figures_describe_their_lines_but_not_their_guides(qtbot: QtBot, theme: Theme) -> None:
    chart = FigureChart(theme)
    qtbot.addWidget(chart)
    line = FigureLine("cats", ((0.0, 0.0), (0.5, 0.25), (1.0, 1.0)))
    guide = FigureLine("", ((0.0, 0.0), (1.0, 1.0)), None)
    chart.show_figure(
        Figure("Reliability", AxisScale("Sure", 0, 1, percent=True), FRACTIONS, (line, guide))
    )
    text = chart.accessibleDescription()
    assert text.startswith("Reliability: cats: 100")
    assert "Sure" in text
    assert "lines" not in text


def test_a_sweep_names_its_best_trial() -> None:
    rate = SweepAxis("learning_rate", "Learning rate", np.array([0.1, 0.01]))
    accuracy = SweepAxis("val_accuracy", "Val accuracy", np.array([0.5, 0.75]))
    trials = SweepTrials(np.array([3, 7]), (rate,), (accuracy,), (True,), (7,))
    text = trials_text(trials)
    assert text.startswith("Trials: 2, fields: 1. One of the best: Trial 7, Val accuracy: 75")
    assert "Learning rate: 0.01" in text


@pytest.mark.parametrize("mistakes", [0, 3])
def test_a_confusion_matrix_names_its_commonest_mistake(
    qtbot: QtBot, theme: Theme, mistakes: int
) -> None:
    view = ConfusionChart(theme)
    qtbot.addWidget(view)
    view.set_matrix(np.array([[5, mistakes], [0, 7]], np.int32), ["cat", "dog"])
    text = view.accessibleDescription()
    assert text.startswith(f"12 of {12 + mistakes} images in 2 classes are correct.")
    assert ("3 of 8 “cat” predicted as “dog”" in text) == bool(mistakes)
    view.set_current((1, 1))
    assert view.accessibleDescription() == view.describe((1, 1))


def test_a_map_describes_its_classes_and_the_selection(qtbot: QtBot, theme: Theme) -> None:
    plot = MapChart(theme, "Map")
    qtbot.addWidget(plot)
    indices = np.array([[0, 0], [1, 1], [2, 0]], np.float32)
    labels, splits = np.array([0, 1, 1], np.int32), np.zeros(3, np.int8)
    right = np.array([True, False, True])
    plot.show_points(MapPoints(indices, labels, splits, right, ("cat", "dog")))
    text = "Images: 3, classes: 2 (cat, dog); 1 misclassified"
    assert plot.accessibleDescription() == f"{text}."
    plot.select(np.array([0, 1]))
    assert plot.accessibleDescription() == f"{text}; 2 selected."
