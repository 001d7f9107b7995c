"""A surface through the trials over two fields, and its picture, legend and table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.sweep_trials import random_rows, random_trials, row, sweep_plan
from studio.ui.charts.sweeps.charts import SweepCharts
from studio.ui.charts.sweeps.contour import (
    BLANK,
    ContourView,
    Surface,
    band_colors,
    band_edges,
    surface_of,
)
from studio.ui.charts.sweeps.data import BackgroundWork, SweepAxis, SweepTrials, sweep_trials
from studio.ui.theme.theme import Theme

VARIED = ("learning_rate=1e-5..0.1:log", "batch_size=8,16,32", "epochs=5..50")


def axes(count: int, seed: int = 0) -> tuple[SweepAxis, SweepAxis, SweepAxis]:
    """A field by ratios, a field by differences, and a hill over both with a little noise."""
    random = np.random.default_rng(seed)
    rate, size = 10 ** random.uniform(-5, -1, count), random.uniform(0, 100, count)
    height = 0.9 - 0.05 * (np.log10(rate) + 3) ** 2 - 0.00008 * (size - 40) ** 2
    height += random.normal(0, 0.005, count)
    return (
        SweepAxis("r", "Rate", rate, is_log=True),
        SweepAxis("s", "Size", size),
        SweepAxis("val_accuracy", "Val accuracy", height),
    )


def top_of(surface: Surface) -> tuple[float, float]:
    """Where a surface is highest, in plotted numbers."""
    row, column = divmod(int(surface.values.argmax()), surface.values.shape[1])
    rows, columns = surface.values.shape
    return (
        surface.x.plotted_at(column / (columns - 1)),
        surface.y.plotted_at(row / (rows - 1)),
    )


@pytest.mark.parametrize("count", [40, 3000])
def test_the_surface_is_the_hill_that_the_trials_lie_on(count: int) -> None:
    x, y, height = axes(count)
    astray = height.values.copy()
    astray[astray.argmin()] = -1e6  # the worst one may be as bad as it likes
    surface = surface_of(x, y, SweepAxis("o", "O", astray), maximize=True)

    rate, size = top_of(surface)

    assert rate == pytest.approx(-3, abs=0.35)
    assert size == pytest.approx(40, abs=12)
    found = surface.at(np.array([-3.0, -4.5, 5.0]), np.array([40.0]))[0]
    assert found[0] == pytest.approx(0.9, abs=0.02)
    assert found[1] == pytest.approx(0.9 - 0.05 * 2.25, abs=0.02)
    assert np.isnan(found[2]), "beyond all trials"
    assert surface.edges[0] <= surface.values.min()
    assert surface.edges[-1] >= surface.values.max()


def test_bands_are_where_the_values_are() -> None:
    surface = surface_of(*axes(40), maximize=True)
    x, y = np.linspace(-5.5, -1, 90), np.linspace(0, 100, 70)

    bands, values = surface.bands_at(x, y), surface.at(x, y)

    assert bands.shape == (70, 90)
    assert ((bands == BLANK) == np.isnan(values)).all()
    seen = ~np.isnan(values)
    lows, highs = surface.edges[bands[seen]], surface.edges[bands[seen] + 1]
    slack = 1e-3 * (surface.edges[1] - surface.edges[0])
    assert (values[seen] > lows - slack).all()
    assert (values[seen] < highs + slack).all()


def test_nothing_is_claimed_without_an_audit() -> None:
    x = SweepAxis("x", "X", np.array([0.0, 0.1, 0.05, 0.02, 0.08, 0.03, 0.06, 0.09, 1.0]))
    y = SweepAxis("y", "Y", np.array([0.0, 0.1, 0.02, 0.07, 0.04, 0.09, 0.01, 0.05, 1.0]))
    height = SweepAxis("o", "O", np.array([0.0, 9, 1, 8, 2, 7, 3, 6, 4.0]))

    surface = surface_of(x, y, height, maximize=True)

    assert np.isnan(surface.at(np.array([0.5]), np.array([0.5]))).all()
    assert np.isfinite(surface.at(np.array([0.05]), np.array([0.05]))).all()


@pytest.mark.parametrize(
    ("ends", "edges"),
    [
        ((0.11, 0.83), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        ((-3.0, 12.0), [-4, -2, 0, 2, 4, 6, 8, 10, 12]),
        ((2.0, 2.0), [1.98, 2.02]),
    ],
)
def test_bands_meet_at_round_numbers(ends: tuple[float, float], edges: Sequence[float]) -> None:
    assert band_edges(*ends) == pytest.approx(edges)


def trials_of(count: int) -> SweepTrials:
    """The first ones of a running sweep."""
    rows = {number: row for number, row in random_rows(50).items() if number < count}
    return sweep_trials(sweep_plan(vary=VARIED), rows)


@pytest.fixture
def works() -> list[BackgroundWork]:
    """What was asked for and not done yet."""
    return []


@pytest.fixture
def charts(qtbot: QtBot, theme: Theme, works: list[BackgroundWork]) -> SweepCharts:
    charts = SweepCharts(theme)
    qtbot.addWidget(charts)
    charts.work_requested.connect(works.append)
    charts.resize(800, 460)
    charts.open("contour")
    charts.set_trials(trials_of(40))
    charts.show()
    qtbot.waitExposed(charts)
    return charts


def do(works: list[BackgroundWork]) -> None:
    work = works.pop(0)
    work.done(work.call())


def opened(charts: SweepCharts) -> ContourView:
    view = charts.view()
    assert isinstance(view, ContourView)
    return view


def test_points_are_shown_at_once_and_the_surface_when_computed(
    charts: SweepCharts, works: list[BackgroundWork], theme: Theme
) -> None:
    view = opened(charts)
    assert len(view.plot.dots.x) == 40
    assert view.surface() is None
    assert "Computing" in view.note.text()
    before = view.plot.grab().toImage()

    do(works)

    surface = view.surface()
    assert surface is not None
    assert view.plot.grab().toImage() != before
    assert "40 trials" in view.note.text()
    assert "Best: Learning rate: 0.00" in view.note.text()
    assert len(view.color_scale.texts) == surface.bands + 1
    assert view.color_scale.texts[-1].endswith("%")
    best = band_colors(surface.bands, maximize=True)[-1]
    picture = view.color_scale.grab().toImage()
    assert best.name() in {picture.pixelColor(x, 4).name() for x in range(picture.width())}


def test_one_surface_at_a_time_is_worked_out(
    charts: SweepCharts, works: list[BackgroundWork]
) -> None:
    view = opened(charts)
    charts.set_trials(trials_of(41))
    charts.set_trials(trials_of(42))
    assert len(works) == 1, "those in between are left out"

    do(works)
    assert view.surface() is None, "through trials that are no longer all"
    do(works)

    assert works == []
    assert view.surface() is not None
    first = view.surface()
    charts.set_trials(trials_of(43))
    assert view.surface() is first, "stays until there is a new one"
    do(works)
    view.across.setCurrentText("Epochs")
    assert view.surface() is None, "that was over other fields"
    do(works)
    assert view.surface() is not None
    other = sweep_trials(sweep_plan(vary=VARIED), {n: row(n, (n / 9, 1.0)) for n in range(9)})
    charts.set_trials(other)
    assert "several values" in charts.explanation()


def test_two_different_fields_are_chosen(charts: SweepCharts) -> None:
    view = opened(charts)
    assert [view.across.currentText(), view.up.currentText()] == ["Learning rate", "Batch size"]
    view.up.setCurrentText("Epochs")
    assert view.plot.names() == ("Learning rate", "Epochs")

    view.across.setCurrentText("Epochs")

    assert view.up.findText("Epochs") < 0
    assert view.plot.names() == ("Epochs", "Learning rate")


def test_the_value_under_the_pointer_is_described(
    charts: SweepCharts, works: list[BackgroundWork]
) -> None:
    do(works)
    view = opened(charts)
    view.up.setCurrentText("Epochs")
    do(works)
    x, y = view.plot.canvas.positions()
    points = ((float(at), float(down)) for at in range(80, 400, 9) for down in range(50, 200, 9))
    point = next(point for point in points if np.hypot(x - point[0], y - point[1]).min() > 15)

    QTest.mouseMove(view.plot, (view.plot.area().topLeft() + QPointF(*point)).toPoint())

    assert "Val accuracy: about" in view.bubble.text()
    assert "Learning rate: " in view.bubble.text()
    view.plot.pointer_moved.emit(None)
    assert view.bubble.isHidden()


def test_the_table_is_the_surface_and_is_copied(
    charts: SweepCharts, works: list[BackgroundWork]
) -> None:
    do(works)
    view = opened(charts)
    view.bar.table_button.click()

    model = view.table_view.model()
    assert view.table_view.isVisible()
    headings = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(4)]
    assert headings == ["Learning rate", "Batch size 8", "Batch size 16", "Batch size 32"]
    assert model.rowCount() == 8
    assert str(model.index(3, 1).data()).endswith("%")

    view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "Learning rate,Batch size 8,Batch size 16,Batch size 32"
    surface = view.surface()
    assert surface is not None
    rate, value = (float(each) for each in lines[4].split(",")[:2])
    found = surface.at(np.log10([rate]), np.array([surface.y.low]))[0, 0]
    assert value == pytest.approx(found, abs=0.01)
    view.bar.table_button.click()
    view.copy()
    assert QGuiApplication.clipboard().text().startswith("trial,")


@pytest.mark.parametrize(
    ("vary", "count", "words"),
    [
        (("learning_rate=1e-5..0.1:log", "optimizer=sgd,adam"), 20, "two numeric fields"),
        (VARIED, 7, "8 trials. Finished so far: 7"),
    ],
)
def test_missing_parts_are_reported(
    charts: SweepCharts, vary: Sequence[str], count: int, words: str
) -> None:
    charts.set_trials(sweep_trials(sweep_plan(vary=vary), random_rows(count)))
    assert words in charts.explanation()
    charts.set_trials(random_trials(8))
    assert charts.explanation() == ""
