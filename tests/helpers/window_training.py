"""Training by clicks in a window, as a beginner does it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from helpers.windows import click, page_of
from studio.engine.jobs.states import State
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.train.dashboard.insights import TargetsSection
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.tasks.region_results import RegionInsights


def train_recommended(
    window: MainWindow, qtbot: QtBot, network: str, metric: str, epochs: int
) -> RegionInsights:
    """Train the recommended network on the shown dataset of masks or boxes.

    Args:
        window: Shows the dataset.
        qtbot: Waits.
        network: Name of the network that must be recommended.
        metric: Title of the chart of its metric.
        epochs: Number of epochs.

    Returns:
        The validations of the run, with their pictures.
    """
    click(page_of(window, "datasets", DatasetsPage).panel.train_button)
    page = page_of(window, "train", TrainPage)
    form = page.new_run
    qtbot.waitUntil(lambda: form.networks.entry.name == network, timeout=30_000)
    qtbot.waitUntil(form.train_button.isEnabled, timeout=30_000)
    names = [form.networks.box.itemText(at) for at in range(form.networks.box.count())]
    assert "LeNet-5" not in names, "only networks of the task are offered"
    form.cards.form.set_values({"epochs": epochs})
    qtbot.waitUntil(form.train_button.isEnabled, timeout=30_000)
    click(form.train_button)
    board = page.dashboard
    qtbot.waitUntil(lambda: board.entry is not None, timeout=30_000)
    run = board.entry
    assert run is not None
    qtbot.waitUntil(lambda: run.state.is_finished, timeout=400_000)
    assert run.state == State.COMPLETED, run.history.reason
    assert board.charts.metric_chart.title == metric
    section = board.details.open(TargetsSection)
    qtbot.waitUntil(lambda: isinstance(section.view, RegionInsights), timeout=20_000)
    shown = section.view
    assert isinstance(shown, RegionInsights)
    qtbot.waitUntil(lambda: bool(shown.grid.images()), timeout=20_000)
    return shown
