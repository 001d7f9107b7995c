"""The charts of a sweep under one bar."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from helpers.sampling import sample
from helpers.sweep_trials import random_rows, random_trials, sweep_plan
from helpers.windows import choose_target
from studio.engine.errors import StudioError
from studio.ui.charts.sweeps.charts import SweepCharts
from studio.ui.charts.sweeps.data import sweep_trials
from studio.ui.charts.sweeps.parallel import ParallelView
from studio.ui.charts.sweeps.views import ImportanceView, SweepView
from studio.ui.theme.theme import Theme

KEYS = ("best", "parallel", "slice", "heat", "pareto", "contour", "importance")
FRACTIONS = {"epochs": 0.1, "learning_rate": 0.7, "optimizer": 0.2}


@pytest.fixture
def charts(qtbot: QtBot, theme: Theme) -> SweepCharts:
    charts = SweepCharts(theme)
    qtbot.addWidget(charts)
    charts.resize(900, 460)
    charts.show()
    qtbot.waitExposed(charts)
    return charts


def _view(charts: SweepCharts) -> SweepView:
    view = charts.view()
    assert view is not None
    return view


@pytest.mark.parametrize("key", KEYS)
def test_without_trials_each_view_explains_itself(charts: SweepCharts, key: str) -> None:
    charts.open(key)
    assert charts.view() is None
    assert "first trial is finished" in charts.explanation()

    charts.set_trials(sweep_trials(sweep_plan(), {}))
    assert "first trial is finished" in charts.explanation()

    charts.set_trials(random_trials(30))
    charts.set_importance(FRACTIONS)
    assert charts.explanation() == ""
    assert not charts.grab().toImage().isNull()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("key", KEYS[:5])
def test_a_few_trials_are_enough_for_every_chart(
    charts: SweepCharts, key: str, count: int
) -> None:
    charts.open(key)

    charts.set_trials(random_trials(count))

    assert charts.view() is not None
    charts.grab()


def test_unsupported_views_are_explained(charts: SweepCharts) -> None:
    plan = sweep_plan(["val_accuracy"], ["learning_rate=1e-5..0.1:log"])
    charts.set_trials(sweep_trials(plan, random_rows(5, objectives=1)))

    said = {}
    for key in KEYS:
        charts.open(key)
        said[key] = charts.explanation()

    assert [key for key in KEYS if not said[key]] == ["best", "parallel", "slice"]
    assert "two objectives" in said["pareto"]
    assert "two fields" in said["heat"]
    assert "two numeric fields" in said["contour"]


def test_importance_is_computed_when_it_is_shown(charts: SweepCharts) -> None:
    asked = QSignalSpy(charts.importance_requested)
    charts.set_trials(random_trials(10))
    assert asked.count() == 0

    charts.open("importance")
    assert asked.count() == 1
    assert "Computing" in charts.explanation()

    charts.set_importance(FRACTIONS)
    view = charts.view()
    assert isinstance(view, ImportanceView)
    assert view.plot.bars == [("Learning rate", 0.7), ("Optimizer", 0.2), ("Epochs", 0.1)]
    assert "Learning rate 70" in view.accessibleDescription()
    assert asked.count() == 1

    charts.set_trials(random_trials(11))
    assert asked.count() == 2, "the trials are others"
    assert charts.view() is view, "the earlier importance stays until there is a new one"
    charts.open("best")
    charts.set_trials(random_trials(12))
    assert asked.count() == 2
    charts.open("importance")
    assert asked.count() == 3

    charts.set_importance({})
    assert "cannot be estimated" in charts.explanation()


def test_views_are_described_by_the_charts(charts: SweepCharts) -> None:
    chosen, brushed = QSignalSpy(charts.trial_chosen), QSignalSpy(charts.brushed)
    charts.set_trials(random_trials(10))
    charts.open("parallel")
    view = charts.view()
    assert isinstance(view, ParallelView)

    view.choose(3)
    view.brushed.emit(frozenset({1}))
    view.brushed.emit(None)

    assert chosen.at(0) == [3]
    assert [brushed.at(at) for at in range(2)] == [[frozenset({1})], [None]]


@pytest.mark.parametrize("key", sample(KEYS, 2))
@pytest.mark.parametrize("kind", ["png", "svg"])
def test_every_view_is_saved_as_a_picture(
    charts: SweepCharts, key: str, kind: str, tmp_path: Path
) -> None:
    charts.set_trials(random_trials(60))
    charts.set_importance(FRACTIONS)
    charts.open(key)
    path = tmp_path / f"a.{kind}"

    _view(charts).save(path)

    if kind == "png":
        view = charts.view()
        assert view is not None
        assert QImage(str(path)).width() > 2 * view.width()
    else:
        text = path.read_text()
        assert text.count("<text") > 2
        assert text.count("<path") + text.count("<polyline") + text.count("<rect") > 2


def test_a_picture_that_cannot_be_written_is_reported(
    charts: SweepCharts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    charts.set_trials(random_trials(5))
    failed = QSignalSpy(charts.failed)
    choose_target(monkeypatch, tmp_path / "no" / "where.png")

    _view(charts).bar.png_action.trigger()

    assert isinstance(failed.at(0)[0], StudioError)


@pytest.mark.parametrize("count", [3, 2000])
def test_trials_are_copied_with_words_and_exact_numbers(
    qtbot: QtBot, charts: SweepCharts, count: int
) -> None:
    trials = random_trials(count)
    charts.set_trials(trials)
    QGuiApplication.clipboard().clear()

    _view(charts).bar.copy_action.trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "")

    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == count + 1
    assert lines[0] == "trial,learning_rate,batch_size,optimizer,epochs,val_accuracy,size"
    first = lines[1].split(",")
    assert first[0] == "0"
    assert float(first[1]) == pytest.approx(trials.axes[0].values[0])
    assert first[3] in ("SGD", "Adam")
