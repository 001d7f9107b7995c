"""A real model, exported through the page by a real worker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import start_jobs
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from trained_run import TrainedRun

from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.export.page import View
from studio.ui.pages.predict.page import View as PredictView

pytestmark = pytest.mark.slow
LONG = 120_000


@pytest.fixture
def workspace(trained_run: TrainedRun, tmp_path: Path) -> Workspace:
    return trained_run.copy_to(tmp_path / "work space")


@pytest.fixture
def view(qtbot: QtBot, context: AppContext) -> Iterator[View]:
    made = View(context)
    window = show_in_window(qtbot, made, 1000, 640)
    start_jobs(qtbot, context)
    yield made
    window.close()


def ended(view: View) -> bool:
    exports = view.exports()
    return bool(exports) and exports[0].state.is_finished


@pytest.mark.thorough
def test_the_exported_script_answers_as_the_page_does(
    qtbot: QtBot,
    view: View,
    context: AppContext,
    trained_run: TrainedRun,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view.form.export_button.click()
    qtbot.waitUntil(view.detail.job_row.isVisible, timeout=LONG)
    qtbot.waitUntil(lambda: ended(view), timeout=LONG)
    done = view.exports()[0]
    assert done.state.value == "completed", done.reason
    assert done.certificate is not None
    assert done.certificate.script_checked
    assert (done.certificate.accuracy or 0) > 0.9
    rows = view.detail.figures.facts
    assert rows["Different predictions"] == "0"
    assert rows["Change of accuracy"] == "none"
    folder = workspace.root / "exported" / "lenet-digits-keras"
    assert done.files[0].path == str(folder)
    names = {"model.keras", "labels.json", "predict.py", "runtime.py", "certificate.json"}
    assert names <= {path.name for path in folder.iterdir()}
    opened: list[Path] = []

    def open_folder(path: Path) -> bool:
        opened.append(path)
        return True

    monkeypatch.setattr(view, "_open_folder", open_folder)
    view.detail.open_button.click()
    qtbot.waitUntil(lambda: opened == [folder], timeout=LONG)
    view.detail.copy_button.click()
    assert QGuiApplication.clipboard().text().startswith(f'python "{folder}')

    picture, label = trained_run.held_back[50]
    page = PredictView(context)
    qtbot.addWidget(page)
    page.take_drop([picture])
    qtbot.waitUntil(lambda: page.batch is not None and page.batch.is_complete, timeout=LONG)
    shown = page.card.bars.scores()
    words = [sys.executable, str(folder / "predict.py"), str(picture), "--json", "--top", "5"]
    output = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    answers = json.loads(output.stdout.splitlines()[-1])[0]["predictions"]
    assert [answer["class"] for answer in answers] == [name for name, _ in shown]
    assert [answer["score"] for answer in answers] == pytest.approx(
        [score for _, score in shown], abs=1e-5
    )
    assert shown[0][0] == label


def test_an_export_can_be_cancelled_and_leaves_nothing(
    qtbot: QtBot, view: View, workspace: Workspace
) -> None:
    view.form.export_button.click()
    qtbot.waitUntil(view.detail.job_row.isVisible, timeout=LONG)
    qtbot.waitUntil(lambda: view.exports()[0].state.has_worker, timeout=LONG)
    view.detail.job_row.cancel_button.click()
    qtbot.waitUntil(lambda: ended(view), timeout=LONG)
    assert view.exports()[0].state.value == "stopped"
    folder = workspace.root / "exported"
    assert not folder.exists() or not list(folder.iterdir())
    assert not view.detail.open_button.isVisible()


def test_a_folder_that_cannot_be_written_is_explained(
    qtbot: QtBot, view: View, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    view.form.folder.setText(str(tmp_path / "file" / "models"))
    view.form.export_button.click()
    qtbot.waitUntil(lambda: ended(view), timeout=LONG)
    assert view.exports()[0].state.value == "failed"
    qtbot.waitUntil(view.detail.failure.isVisible, timeout=LONG)
    assert "Choose a folder that" in view.detail.failure.text()


def test_a_deleted_model_is_refused(
    qtbot: QtBot, view: View, workspace: Workspace, trained_run: TrainedRun
) -> None:
    # Truncated and not deleted: a deleted run would leave the list of models by itself.
    (workspace.root / "runs" / trained_run.run / JOURNAL_FILE).write_bytes(b"")
    view.form.export_button.click()
    qtbot.waitUntil(view.form.problem.isVisible, timeout=LONG)
    assert "has no model yet" in view.form.problem.text()
