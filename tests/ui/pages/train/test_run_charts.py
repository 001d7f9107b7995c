"""Loss and accuracy of a run over its epochs."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.engine.training.events import StepsDone, TrainingBegan
from studio.engine.training.history import RunHistory
from studio.ui.context import AppContext
from studio.ui.pages.train.run_charts import STEP, RunCharts

PER_EPOCH = 4


def steps(first: int, loss: list[float]) -> StepsDone:
    return StepsDone(
        first=first,
        last=first + len(loss) - 1,
        metrics={"loss": loss, "accuracy": [0.5] * len(loss)},
        learning_rate=1e-3,
        images_per_second=1,
    )


@pytest.fixture
def history() -> RunHistory:
    made = RunHistory()
    began = TrainingBegan(
        epochs=3, steps_per_epoch=PER_EPOCH, train_images=8, val_images=0, parameters=1,
        trainable_parameters=1, backend="tensorflow", device="cpu",
    )  # fmt: skip
    made.apply([began, steps(1, [4.0, 3.0, 2.0, 1.0])])
    return made


@pytest.fixture
def charts(context: AppContext, qtbot: QtBot) -> RunCharts:
    made = RunCharts(context)
    qtbot.addWidget(made)
    return made


def test_a_step_lies_at_its_share_of_an_epoch(charts: RunCharts, history: RunHistory) -> None:
    charts.show_history(history)
    x, y = charts.loss.curve_data(STEP)
    assert x.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert y.tolist() == [4, 3, 2, 1]
    event = steps(5, [0.5, 0.25])
    history.apply([event])
    charts.add(history, [event])
    x, y = charts.loss.curve_data(STEP)
    assert x.tolist() == [0.25, 0.5, 0.75, 1.0, 1.25, 1.5]
    assert y.tolist() == [4, 3, 2, 1, 0.5, 0.25]
    assert len(charts.accuracy.curve_data(STEP)[0]) == 6


def test_the_history_stays_free_to_grow(charts: RunCharts, history: RunHistory) -> None:
    charts.show_history(history)
    charts.loss.flush()
    history.apply([steps(5, [9.0] * 1000)])
    assert len(history.steps_of("loss")) == 1004
    assert charts.loss.curve_data(STEP)[1].tolist() == [4, 3, 2, 1]


def test_both_charts_show_the_same_epochs(charts: RunCharts, history: RunHistory) -> None:
    charts.show_history(history)
    charts.loss.flush()
    charts.accuracy.flush()
    charts.loss.plot.zoom_box.setXRange(0.4, 0.6, padding=0)
    charts.loss.plot.zoom_box.sigRangeChangedManually.emit([True, False])
    assert charts.accuracy.plot.x_range() == pytest.approx((0.4, 0.6))
    charts.accuracy.reset_view()
    assert charts.loss.plot.follows


def test_every_one_of_a_million_steps_is_kept(charts: RunCharts, history: RunHistory) -> None:
    random = np.random.default_rng(0)
    for name in ("loss", "accuracy"):
        history.steps_of(name).extend(random.random(1_000_000).tolist())
    history.step_count += 1_000_000
    charts.show_history(history)
    charts.loss.flush()
    assert len(charts.loss.curve_data(STEP)[0]) == 1_000_004


def test_the_plots_are_equally_high_whatever_their_legends_say(
    charts: RunCharts, history: RunHistory, qtbot: QtBot
) -> None:
    charts.show_history(history)
    for number in range(6):
        name = f"a curve with a long name {number}"
        charts.accuracy.set_curve(name, [1.0], [0.5], name=name, color_index=number)
    charts.resize(700, 400)
    charts.show()
    legends = charts.loss.legend, charts.accuracy.legend
    qtbot.waitUntil(lambda: legends[1].height() > 60, timeout=5000)
    qtbot.waitUntil(lambda: legends[0].height() == legends[1].height(), timeout=5000)
