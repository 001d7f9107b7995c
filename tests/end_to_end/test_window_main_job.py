"""The whole main job as a person does it: with the mouse, in the real window, on real images."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from helpers.windows import OpenWindow, click, drag_and_drop, page_of
from studio.engine.datasets.store import Store
from studio.engine.jobs.states import State
from studio.engine.training.history import RunHistory
from studio.engine.workspace import RecordKind
from studio.ui.documents.record import RecordDocument, RunDocument
from studio.ui.navigation import page_intent
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.evaluation.page import View as EvaluationPage
from studio.ui.pages.evaluation.report import ClassesPanel
from studio.ui.pages.export.page import View as ExportPage
from studio.ui.pages.home.page import View as HomePage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.dashboard.charts import STEP, TRAIN, VAL, RunCharts
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.widgets.figures import percent

pytestmark = pytest.mark.slow

EPOCHS = 12


Bars = list[tuple[str, float]]


def test_the_digits_from_the_first_click_to_the_exported_file(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(tmp_path / "first workspace").window
    assert window is not None
    dataset = import_digits(window, qtbot)
    store = Store.open(dataset.record.folder)
    run = train_lenet(window, qtbot, dataset)
    measure(window, qtbot)
    rows = store.rows("test")[:: len(store.rows("test")) // 12][:12]
    pictures = [Path(store.recipe.source) / store.paths[row] for row in rows]
    answers = drop_each(window, qtbot, pictures)
    truth = [store.classes[store.labels[row]] for row in rows]
    right = sum(bars[0][0] == label for bars, label in zip(answers, truth, strict=True))
    assert right >= 11
    folder = export(window, qtbot, run, tmp_path / "taken away")
    for bars, said in zip(answers, script_answers(folder, pictures), strict=True):
        assert [label for label, _ in said] == [label for label, _ in bars]
        assert [score for _, score in said] == pytest.approx([s for _, s in bars], abs=1e-4)


def import_digits(window: MainWindow, qtbot: QtBot) -> RecordDocument:
    """The tour imports them; a person who stops it there sees the classes with their counts."""
    click(page_of(window, "home", HomePage).digits)
    window.tour.reading.setInterval(600_000)
    page = page_of(window, "datasets", DatasetsPage)
    jobs = window.context.jobs

    def is_imported() -> bool:
        return [entry.state for entry in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    qtbot.waitUntil(is_imported, timeout=60_000)
    entry = jobs.entries(RecordKind.DATASET)[0]
    qtbot.waitUntil(lambda: page.current_record == entry.record.id, timeout=10_000)
    qtbot.waitUntil(lambda: len(page.panel.gallery.cards()) == 10, timeout=10_000)
    store = Store.open(entry.record.folder)
    assert sum(store.counts().values()) == 1797
    counts = store.class_counts()["train"]
    click(window.tour.bar.stop_button)
    assert not window.tour.bar.isVisible()
    assert [card.bar.counts()["train"] for card in page.panel.gallery.cards()] == counts
    return entry


def train_lenet(window: MainWindow, qtbot: QtBot, dataset: RecordDocument) -> RunDocument:
    """LeNet is chosen already; Train, and watch it being drawn."""
    click(page_of(window, "datasets", DatasetsPage).panel.train_button)
    page = page_of(window, "train", TrainPage)
    qtbot.waitUntil(page.new_run.train_button.isEnabled, timeout=20_000)
    assert page.new_run.networks.entry.name == "lenet"
    assert page.new_run.dataset_box.currentText() == dataset.name
    page.new_run.cards.form.set_values({"epochs": EPOCHS})
    click(page.new_run.train_button)
    board = page.dashboard
    qtbot.waitUntil(lambda: board.entry is not None, timeout=20_000)
    run = board.entry
    assert run is not None
    qtbot.waitUntil(lambda: run.state == State.RUNNING, timeout=30_000)
    assert window.tray.isVisible()
    drawn = len(board.charts.loss.curve_data(STEP)[0])
    qtbot.waitUntil(lambda: len(board.charts.loss.curve_data(STEP)[0]) > drawn, timeout=30_000)
    qtbot.waitUntil(lambda: run.state.is_finished, timeout=120_000)
    check_curves(board.charts, run.history)
    qtbot.waitUntil(lambda: not window.tray.isVisible(), timeout=5_000)
    return run


def check_curves(charts: RunCharts, history: RunHistory) -> None:
    assert history.state == State.COMPLETED
    assert len(history.epochs) == EPOCHS
    assert history.best_epoch is not None
    assert history.best_epoch.value("val_accuracy") >= 0.96
    train = [epoch.value("accuracy") for epoch in history.epochs]
    val = [epoch.value("val_accuracy") for epoch in history.epochs]
    assert list(charts.metric_chart.curve_data(TRAIN)[1]) == train
    assert list(charts.metric_chart.curve_data(VAL)[1]) == val
    assert list(charts.loss.curve_data(STEP)[1]) == list(history.steps_of("loss"))


def measure(window: MainWindow, qtbot: QtBot) -> None:
    """Measured on the images that it has never seen."""
    click(page_of(window, "train", TrainPage).dashboard.run_actions.test_button)
    jobs = window.context.jobs

    def results() -> list[float]:
        found = [entry.history.result for entry in jobs.entries(RecordKind.EVALUATION)]
        return [result["accuracy"] for result in found if result]

    qtbot.waitUntil(lambda: bool(results()), timeout=60_000)
    assert results()[0] >= 0.96
    report = page_of(window, "evaluation", EvaluationPage).panel_of(ClassesPanel)
    qtbot.waitUntil(report.isVisible, timeout=30_000)
    assert report.tiles.texts["accuracy"] == percent(results()[0])
    window.show_page("train")


def drop_each(window: MainWindow, qtbot: QtBot, pictures: Sequence[Path]) -> list[Bars]:
    """Pictures, dropped anywhere on the Predict page; the five bars of each."""
    click(page_of(window, "train", TrainPage).dashboard.run_actions.predict_button)
    page = page_of(window, "predict", PredictPage)
    answers = []
    for picture in pictures:
        drag_and_drop(window, [picture])
        qtbot.waitUntil(lambda: page.batch is not None and page.batch.is_complete, timeout=30_000)
        bars = page.card.bars.scores()
        assert len(bars) == 5
        assert [score for _, score in bars] == sorted((s for _, s in bars), reverse=True)
        answers.append(bars)
    return answers


def export(window: MainWindow, qtbot: QtBot, run: RunDocument, target: Path) -> Path:
    """The folder of the exported files."""
    window.open(page_intent("export", run.record.id))
    page = page_of(window, "export", ExportPage)
    page.form.folder.setText(str(target))
    qtbot.waitUntil(page.form.export_button.isEnabled, timeout=10_000)
    click(page.form.export_button)

    def folders() -> list[Path]:
        return [Path(file.path) for each in page.exports() for file in each.files if file.path]

    qtbot.waitUntil(lambda: bool(folders()), timeout=90_000)
    assert folders()[0].parent == target
    return folders()[0]


def script_answers(folder: Path, pictures: Sequence[Path]) -> list[Bars]:
    """What the exported script says, without Studio."""
    words = [sys.executable, str(folder / "predict.py"), "--json", "--top", "5"]
    done = subprocess.run([*words, *map(str, pictures)], capture_output=True, check=True)
    return [
        [(prediction["class"], prediction["score"]) for prediction in answer["predictions"]]
        for answer in json.loads(done.stdout.splitlines()[-1])
    ]
