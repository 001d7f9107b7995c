"""Loss and another metric of a run over its epochs."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from helpers.runs import STEPS_PER_EPOCH, task_epoch
from studio.engine.tasks import TASKS
from studio.engine.training.history import RunHistory, StepsDone, TrainingBegan
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.charts import STEP, TRAIN, VAL, RunCharts

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
    assert len(charts.metric_chart.curve_data(STEP)[0]) == 6


def test_the_history_stays_free_to_grow(charts: RunCharts, history: RunHistory) -> None:
    charts.show_history(history)
    charts.loss.flush()
    history.apply([steps(5, [9.0] * 1000)])
    assert len(history.steps_of("loss")) == 1004
    assert charts.loss.curve_data(STEP)[1].tolist() == [4, 3, 2, 1]


def test_both_charts_show_the_same_epochs(charts: RunCharts, history: RunHistory) -> None:
    charts.show_history(history)
    charts.loss.flush()
    charts.metric_chart.flush()
    charts.loss.plot.set_view((0.4, 0.6))
    charts.loss.plot.view_chosen.emit()
    assert charts.metric_chart.plot.x_range() == pytest.approx((0.4, 0.6))
    charts.metric_chart.reset_view()
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
        charts.metric_chart.set_curve(name, [1.0], [0.5], name=name, color_index=number)
    charts.resize(700, 1400)  # with room for all lines of the legend
    charts.show()
    legends = charts.loss.legend, charts.metric_chart.legend
    qtbot.waitUntil(lambda: legends[1].height() > 60, timeout=5000)
    qtbot.waitUntil(lambda: legends[0].height() == legends[1].height(), timeout=5000)


def of_task(name: str, *epochs: dict[str, float]) -> RunHistory:
    made = RunHistory()
    began = TrainingBegan(
        task=name, epochs=9, steps_per_epoch=STEPS_PER_EPOCH, train_images=8, val_images=4,
        parameters=1, trainable_parameters=1, backend="tensorflow", device="cpu",
    )  # fmt: skip
    made.apply([began])
    for number, metrics in enumerate(epochs, 1):
        made.apply(task_epoch(TASKS[name], number, metrics, is_best=number == 1))
    return made


REGRESSION = (
    {"loss": 0.5, "mae": 12.0, "rmse": 15.0, "r2": 0.5, "val_loss": 0.6, "val_mae": 13.0,
     "val_rmse": 16.0, "val_r2": 0.4},
    {"loss": 0.3, "mae": 9.0, "rmse": 10.0, "r2": 0.7, "val_loss": 0.7, "val_mae": 14.0,
     "val_rmse": 17.0, "val_r2": 0.3},
)  # fmt: skip


def test_a_run_of_another_task_shows_the_metrics_of_that_task(
    charts: RunCharts, context: AppContext, qtbot: QtBot
) -> None:
    history = of_task("regression", *REGRESSION)
    charts.show_history(history)

    assert charts.metric_chart.title == "MAE"
    assert list(charts.metric_chart.curve_data(TRAIN)[1]) == [12.0, 9.0]
    assert list(charts.metric_chart.curve_data(VAL)[1]) == [13.0, 14.0]
    assert len(charts.metric_chart.curve_data(STEP)[0]) == 2 * STEPS_PER_EPOCH
    charts.metric_chart.flush()
    assert "%" not in charts.metric_chart.legend.entry(VAL).accessibleDescription()
    actions = charts.metric_chart.bar.choice.menu().actions()
    assert [action.text() for action in actions] == ["MAE", "RMSE", "R²"]
    assert [action.isChecked() for action in actions] == [True, False, False]

    actions[1].trigger()
    assert charts.metric_chart.title == "RMSE"
    assert list(charts.metric_chart.curve_data(VAL)[1]) == [16.0, 17.0]
    with pytest.raises(KeyError):
        charts.metric_chart.curve_data(STEP)
    more = task_epoch(history.task, 3, {**REGRESSION[1], "rmse": 8.0, "val_rmse": 9.0})
    history.apply(more)
    charts.add(history, more)
    assert list(charts.metric_chart.curve_data(VAL)[1]) == [16.0, 17.0, 9.0]

    other = RunCharts(context)
    qtbot.addWidget(other)
    other.show_history(history)
    assert other.metric_chart.title == "RMSE"


def test_fractions_of_another_task_are_in_percent(charts: RunCharts) -> None:
    metrics = {"loss": 0.5, "map": 0.5, "label_accuracy": 0.7, "val_loss": 0.6, "val_map": 0.455}
    charts.show_history(of_task("multi_label", metrics))

    assert charts.metric_chart.title == "mAP"
    charts.metric_chart.flush()
    assert "45.5" in charts.metric_chart.legend.entry(VAL).accessibleDescription()
    charts.show_history(of_task("regression", REGRESSION[0]))
    assert charts.metric_chart.title == "MAE"
    charts.show_history(of_task("classification", {"loss": 1.0, "accuracy": 0.5}))
    assert charts.metric_chart.title == "Accuracy"
    assert charts.metric_chart.bar.choice.isHidden()


def test_a_run_that_waits_shows_the_task_of_its_dataset(charts: RunCharts) -> None:
    charts.show_history(RunHistory(), TASKS["regression"])
    assert charts.metric_chart.title == "MAE"


def test_top_5_is_drawn_beside_the_accuracy(charts: RunCharts) -> None:
    metrics = {"accuracy": 0.5, "loss": 1.0, "top_5": 0.9, "val_top_5": 0.8}
    charts.show_history(of_task("classification", metrics))

    assert charts.metric_chart.legend.entry("train top_5").text() == "Train top-5"
    assert list(charts.metric_chart.curve_data("val top_5")[1]) == [0.8]


def test_a_low_chart_has_a_legend_of_one_line_and_the_rest_in_a_menu(
    charts: RunCharts, qtbot: QtBot
) -> None:
    losses = {f"{part}{name}": 0.5 for part in ("", "val_") for name in DETECTION_LOSSES}
    charts.show_history(of_task("detection", losses))
    charts.resize(700, 220)
    charts.show()
    legend = charts.loss.legend
    qtbot.waitUntil(legend.more.isVisible, timeout=5000)
    qtbot.waitUntil(lambda: 0 < legend.height() < 40, timeout=5000)
    qtbot.waitUntil(lambda: charts.loss.plot.height() > 120, timeout=5000)
    keys = legend.keys()
    folded = [key for key in keys if not legend.entry(key).isVisible()]
    assert legend.more.text() == f"+{len(folded)}"
    assert legend.entry(VAL).isVisible()
    menu = legend.more.menu()
    menu.aboutToShow.emit()
    assert [each.text() for each in menu.actions()] == [legend.entry(k).text() for k in folded]
    menu.actions()[0].trigger()
    assert not legend.entry(folded[0]).isChecked()

    charts.resize(700, 900)
    qtbot.waitUntil(lambda: all(legend.entry(key).isVisible() for key in keys))
    assert not legend.more.isVisible()


DETECTION_LOSSES = ("loss", "class_loss", "box_loss")
