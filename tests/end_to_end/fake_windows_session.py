"""A session in the window where files that are open cannot be moved or deleted, as on Windows.

`test_fake_windows.py` runs this with pytest in a process of its own: what is open or mapped there,
in the engine host and in workers, is refused below `FAKE_WINDOWS_ROOT`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import psutil
import pytest
from PIL import Image
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from helpers.windows import OpenWindow
from studio.engine.baselines.cache import FeatureCache
from studio.engine.baselines.report import BaselinePlan
from studio.engine.baselines.requests import request_baseline
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.requests import request_benchmark
from studio.engine.caches import empty_cache
from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.requests import request_audit
from studio.engine.embeddings.requests import EmbeddingPlan, request_embedding
from studio.engine.jobs.states import State
from studio.engine.networks.library import save
from studio.engine.networks.zoo import ZOO
from studio.engine.sweeps.plan import Dimension, SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.training.requests import request_preflight
from studio.engine.workspace import Record, RecordKind
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import page_intent
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.evaluation.page import View as EvaluationPage
from studio.ui.pages.evaluation.report import ClassesPanel
from studio.ui.pages.explore.page import View as ExplorePage
from studio.ui.pages.export.page import View as ExportPage
from studio.ui.pages.page import Page
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.pages.trash.page import View as TrashPage
from studio.ui.shared.records import Trash
from studio.ui.shell.main_window import MainWindow
from studio.ui.tasks.targets import ImageChange
from studio.ui.widgets.notices import Notice

PageT = TypeVar("PageT", bound=Page)
PAGES = {
    RecordKind.EXPORT: "export",
    RecordKind.EVALUATION: "evaluation",
    RecordKind.EMBEDDING: "explore",
    RecordKind.AUDIT: "datasets",
    RecordKind.PREFLIGHT: "train",
    RecordKind.BASELINE: "train",
    RecordKind.SWEEP: "sweeps",
    RecordKind.BENCHMARK: "bench",
    RecordKind.NETWORK: "networks",
    RecordKind.RUN: "train",
    RecordKind.DATASET: "datasets",
}


def page_of(window: MainWindow, name: str, kind: type[PageT]) -> PageT:
    window.show_page(name)
    page = window.page(name)
    assert isinstance(page, kind)
    return page


def make_pictures(root: Path) -> Path:
    random = np.random.default_rng(3)
    for number, name in enumerate(("red", "green", "blue")):
        (root / name).mkdir(parents=True)
        for index in range(30):
            pixels = random.integers(0, 90, (16, 16, 3), dtype=np.uint8)
            pixels[:, :, number] += 150
            Image.fromarray(pixels).save(root / name / f"{index:02}.png")
    return root


@pytest.mark.usefixtures("real_starts")
def test_a_session(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a window without a console.
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    window = open_window(Path(os.environ["FAKE_WINDOWS_ROOT"])).window
    assert window is not None
    window.resize(1280, 800)
    session = Session(window, qtbot)
    pictures = make_pictures(tmp_path / "pictures")

    session.import_folder(pictures)
    session.browse()
    session.edit()
    session.train()
    session.evaluate()
    session.predict(pictures / "red" / "03.png")
    session.predict_folder(pictures / "blue")
    session.look_inside(pictures / "green" / "04.png")
    session.export(tmp_path / "taken away")
    session.ask_for_the_rest()
    session.empty_the_cache()
    session.delete_everything()
    session.empty_the_trash()
    assert session.errors == []


class Session:
    """What a person does, and what the window says of errors meanwhile."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window = window
        self.qtbot = qtbot
        self.context = window.context
        self.errors: list[str] = []
        self.context.navigator.notice_requested.connect(self._on_notice)
        self.context.navigator.bug_found.connect(lambda error: self.errors.append(repr(error)))

    def _on_notice(self, notice: Notice) -> None:
        if notice.kind == "error":
            self.errors.append(f"{notice.text} {notice.hint}")

    def until(self, condition: Callable[[], object]) -> None:
        """Wait; an error that the window shows ends that at once."""

        def holds() -> bool:
            if self.errors:
                pytest.fail("\n".join(self.errors))
            return bool(condition())

        self.qtbot.waitUntil(holds)

    def entry(self, kind: RecordKind) -> RecordDocument | None:
        """The newest record of a kind, once its job is completed."""
        entries = self.context.jobs.entries(kind)
        assert not entries or entries[0].state != State.FAILED, entries[0].history.reason
        return entries[0] if entries and entries[0].state == State.COMPLETED else None

    def completed(self, kind: RecordKind) -> RecordDocument:
        self.until(lambda: self.entry(kind) is not None)
        found = self.entry(kind)
        assert found is not None
        return found

    def press(self, button: QAbstractButton | None) -> None:
        assert button is not None
        self.until(lambda: button.isVisible() and button.isEnabled())
        button.click()

    def import_folder(self, folder: Path) -> None:
        page = page_of(self.window, "datasets", DatasetsPage)
        page.take_drop([folder])
        self.press(page.sheet.import_button)
        dataset = self.completed(RecordKind.DATASET)
        self.until(lambda: page.current_record == dataset.record.id)
        self.until(lambda: len(page.panel.gallery.cards()) == 3)

    def browse(self) -> None:
        page = page_of(self.window, "datasets", DatasetsPage)
        panel = page.panel
        panel.gallery.class_activated.emit(1)
        grid = panel.browser.grid
        self.until(
            lambda: panel.browser._model is not None and panel.browser._model.rowCount() == 30
        )
        grid.setCurrentIndex(grid.model().index(4, 0))
        self.until(lambda: grid._loader is not None and not grid._loader.is_pending)

    def edit(self) -> None:
        """Leave an image out, and undo that."""
        editor = page_of(self.window, "datasets", DatasetsPage).panel.editor
        self.until(lambda: editor.state is not None and not editor.is_busy)
        editor.change(ImageChange(lambda rows: [Exclude(rows=rows)], str), np.array([3]))
        self.until(lambda: editor.state is not None and editor.state.undo and not editor.is_busy)
        editor.undo()
        self.until(lambda: editor.state is not None and editor.state.redo and not editor.is_busy)

    def train(self) -> None:
        page = page_of(self.window, "datasets", DatasetsPage)
        self.press(page.panel.train_button)
        view = page_of(self.window, "train", TrainPage)
        self.until(view.new_run.train_button.isEnabled)
        view.new_run.networks.select("lenet")
        view.new_run.cards.form.set_values({"epochs": 2})
        self.press(view.new_run.train_button)
        self.completed(RecordKind.RUN)

    def evaluate(self) -> None:
        view = page_of(self.window, "train", TrainPage)
        self.press(view.dashboard.run_actions.test_button)
        self.completed(RecordKind.EVALUATION)
        panel = page_of(self.window, "evaluation", EvaluationPage).panel_of(ClassesPanel)
        self.until(panel.isVisible)
        for index in range(panel.tabs.count()):
            panel.tabs.setCurrentIndex(index)
            self.until(lambda: self.context.background.is_idle)

    def predict(self, picture: Path) -> None:
        page = page_of(self.window, "predict", PredictPage)
        page.card.explanation.heat_button.setChecked(True)
        similar = page.card.explanation.similar
        similar.button.setChecked(True)
        page.take_drop([picture])
        self.until(lambda: page.batch is not None and page.batch.is_complete)
        self.until(lambda: similar.classes() and "The nearest of" in similar.line.text())
        self.until(lambda: page.card.explanation.heat_line.text().startswith("Areas that support"))

    def predict_folder(self, folder: Path) -> None:
        page = page_of(self.window, "predict", PredictPage)
        page.take_drop([folder])
        self.until(lambda: page.batch is not None and len(page.batch.pictures) == 30)
        self.until(lambda: page.batch is not None and page.batch.is_complete)

    def look_inside(self, picture: Path) -> None:
        page = page_of(self.window, "explore", ExplorePage)
        page.take_drop([picture])
        self.until(lambda: self.context.background.is_idle)

    def empty_the_cache(self) -> None:
        """The host has compared pictures with the features in it."""
        root = FeatureCache.of(self.context.workspace.root).root
        assert any(root.rglob("*.npy"))
        empty_cache("features", self.context.workspace)
        assert not root.exists()

    def export(self, folder: Path) -> None:
        run = self.completed(RecordKind.RUN)
        self.window.open(page_intent("export", run.record.id))
        page = page_of(self.window, "export", ExportPage)
        page.form.folder.setText(str(folder))
        self.press(page.form.export_button)
        self.completed(RecordKind.EXPORT)

    def ask_for_the_rest(self) -> None:
        """Everything else that becomes a record."""
        queue = self.context.jobs.queue
        dataset = self.completed(RecordKind.DATASET).record
        run = self.completed(RecordKind.RUN).record
        request_audit(queue, AuditPlan(dataset=dataset.id))
        request_embedding(queue, EmbeddingPlan(model=f"run:{run.id}", dataset=dataset.id))
        training = TrainingPlan(dataset=dataset.id, network="lenet", epochs=1)
        request_preflight(queue, PreflightPlan(training=training))
        request_baseline(queue, BaselinePlan(dataset=dataset.id))
        mlp = training.changed(network="mlp")
        seeds = Dimension(field="seed", values=(1, 2))
        request_sweep(queue, SweepPlan(base=mlp, dimensions=(seeds,)), "sweep")
        tiny = {"networks": "mlp", "batch_sizes": "1", "images": 4, "epochs": 1, "size": 8}
        request_benchmark(queue, StudyPlan.parse(tiny), "bench")
        save(self.context.workspace, ZOO["mlp"].build((16, 16, 3), 3), "drawn")
        self.context.jobs.wake()
        for kind in PAGES:
            if kind != RecordKind.NETWORK:
                self.completed(kind)

    def delete_everything(self) -> None:
        """Each record while its page shows it; the dataset is restored once."""
        # Pages that keep showing images of the dataset while others are in front.
        embedding = self.completed(RecordKind.EMBEDDING)
        explore = page_of(self.window, "explore", ExplorePage)
        explore.show_record(embedding.record.id)
        self.until(lambda: explore.map.drawn is not None)
        self.wait_for_workers()
        for kind in PAGES:
            for record in self.context.workspace.records(kind):
                self.delete(record)
        (trashed,) = self.context.workspace.trashed(RecordKind.DATASET)
        card = next(card for card in self.window.notices.cards() if trashed.id in card.key)
        self.press(card.action_button)
        page = page_of(self.window, "datasets", DatasetsPage)
        self.until(lambda: page.current_record == trashed.id)
        self.until(lambda: len(page.panel.gallery.cards()) == 3)
        self.browse()
        self.delete(
            Record(RecordKind.DATASET, self.context.workspace.root / "datasets" / trashed.id)
        )

    def wait_for_workers(self) -> None:
        """Wait for the last ones to end: on a busy machine that takes longer than is retried."""
        root = self.context.workspace.root

        def is_over() -> bool:
            folders = []
            for process in psutil.process_iter():
                with contextlib.suppress(psutil.Error):
                    folders.append(Path(process.cwd()))
            return not any(folder.is_relative_to(root) for folder in folders)

        self.until(is_over)

    def delete(self, record: Record) -> None:
        name = PAGES[record.kind]
        is_part = record.kind in (RecordKind.AUDIT, RecordKind.PREFLIGHT)
        self.window.open(page_intent(name, "" if is_part else record.id))
        page = self.window.page(name)
        self.until(lambda: self.context.background.is_idle)
        self.window.grab()
        trash = Trash(self.context, page)
        if isinstance(page, DatasetsPage) and record.kind == RecordKind.DATASET:
            self.press(page.panel.delete_button)
        else:
            trash.throw(record, record.name)
        self.until(lambda: not record.folder.exists())
        self.until(lambda: self.context.jobs.get(record.kind, record.id) is None)
        self.window.grab()

    def empty_the_trash(self) -> None:
        page = page_of(self.window, "trash", TrashPage)
        self.until(lambda: len(page.table.texts()) >= len(PAGES))
        self.press(page.empty_button)
        self.press(page.confirm_button)
        self.until(page.empty.isVisible)
        left = [path for kind in RecordKind for path in self.context.workspace.trashed(kind)]
        assert left == []
