"""A served workspace in the window: opened by its address, trained, predicted, lost, found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from helpers.digits import Digits
from helpers.mirrors import Relay, use_own_folders
from helpers.serving import ServedTest, serving_workspace
from helpers.windows import OpenWindow, click, drag_and_drop, page_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.server.routes import Role
from studio.engine.workspace import RecordKind
from studio.ui.app import StudioApp
from studio.ui.navigation import ImportImages, OpenRecord, OpenServed, PlanRun
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.home.page import View as HomePage
from studio.ui.pages.home.page import workspace_menu
from studio.ui.pages.label.page import View as LabelPage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.served import LinkLabel, ServedDialog

pytestmark = pytest.mark.slow


@pytest.fixture
def served(own_run: Digits) -> Iterator[ServedTest]:
    with serving_workspace(own_run.workspace) as found:
        yield found


@pytest.fixture
def studio(open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudioApp:
    """The window of a workspace on this computer."""
    use_own_folders(monkeypatch, tmp_path / "here ü")
    return open_window(tmp_path / "local")


def _dialog(studio: StudioApp, qtbot: QtBot) -> ServedDialog:
    window = studio.window
    assert window is not None
    window.context.navigator.open(OpenServed())
    dialog = window.findChild(ServedDialog)
    assert isinstance(dialog, ServedDialog)
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def _open(studio: StudioApp, qtbot: QtBot, url: str, token: str) -> MainWindow:
    """Open a served workspace with the dialog, and wait until its records are shown."""
    before = studio.window
    dialog = _dialog(studio, qtbot)
    dialog.url.setText(url)
    dialog.token.setText(token)
    click(dialog.open_button)
    qtbot.waitUntil(lambda: studio.window is not before, timeout=20_000)
    window = studio.window
    assert window is not None
    jobs = window.context.jobs
    qtbot.waitUntil(lambda: bool(jobs.completed(RecordKind.RUN)), timeout=30_000)
    return window


def _link_text(window: MainWindow) -> str:
    label = window.top_bar.findChild(LinkLabel)
    assert isinstance(label, LinkLabel)
    return label.button.accessibleName()


def test_a_run_is_queued_and_followed_and_a_picture_predicted(
    studio: StudioApp, served: ServedTest, own_run: Digits, qtbot: QtBot
) -> None:
    window = _open(studio, qtbot, served.url, served.tokens[Role.RUN])
    title = f"own @ 127.0.0.1:{served.port}"
    assert window.windowTitle().startswith(title)
    assert window.top_bar.workspace_button.text() == title
    qtbot.waitUntil(lambda: _link_text(window) == "Connected", timeout=20_000)

    window.context.navigator.open(PlanRun(dataset=own_run.dataset.record.id))
    page = page_of(window, "train", TrainPage)
    qtbot.waitUntil(page.new_run.train_button.isEnabled, timeout=30_000)
    page.new_run.cards.form.set_values({"epochs": 3})
    page.new_run.name.edit.setText("from the window")
    click(page.new_run.train_button)
    qtbot.waitUntil(lambda: page.dashboard.entry is not None, timeout=30_000)
    run = page.dashboard.entry
    assert run is not None
    qtbot.waitUntil(lambda: run.state.is_finished, timeout=120_000)
    original = Job.read(served.workspace.find(RecordKind.RUN, "from the window"))
    assert (run.state, run.record.id) == (State.COMPLETED, original.record.id)
    assert len(run.history.epochs) == 3

    window.context.navigator.open(OpenRecord("predict", own_run.run.record.id))
    predict = page_of(window, "predict", PredictPage)
    picture = next(iter(sorted(own_run.pictures.rglob("*.png"))))
    qtbot.waitUntil(lambda: bool(predict.drop_offer([picture])), timeout=20_000)
    drag_and_drop(window, [picture])
    qtbot.waitUntil(
        lambda: predict.batch is not None and predict.batch.is_complete, timeout=60_000
    )
    assert len(predict.card.bars.scores()) == 5
    assert window.context.engine.pid is None

    recent = [each.text() for each in workspace_menu(window.context, window).actions()]
    assert any(text.startswith(title) for text in recent)


def test_with_the_role_read_everything_is_shown_and_nothing_is_offered(
    studio: StudioApp, served: ServedTest, own_run: Digits, qtbot: QtBot
) -> None:
    window = _open(studio, qtbot, served.url, served.tokens[Role.READ])
    qtbot.waitUntil(lambda: _link_text(window) == "Connected, read only", timeout=20_000)
    window.show_page("train")
    page = page_of(window, "train", TrainPage)
    page.new_run.choose_dataset(own_run.dataset.record.id)
    assert not page.new_run.train_button.isEnabled()
    assert "has the role read" in page.new_run.train_button.toolTip()


def test_what_belongs_on_the_server_is_not_offered(
    studio: StudioApp,
    served: ServedTest,
    own_run: Digits,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("studio.engine.server.mirroring.SMALL_BYTES", 100_000)  # images come last
    window = _open(studio, qtbot, served.url, served.tokens[Role.ADMIN])
    home = page_of(window, "home", HomePage)
    assert "imported on the server itself" in home.not_here.text()
    assert not home.start.isVisibleTo(home)
    datasets = page_of(window, "datasets", DatasetsPage)
    assert datasets.drop_offer([own_run.pictures]) == ""
    assert "imported on the server itself" in datasets.drop_refusal([own_run.pictures])
    assert not datasets.list.import_button.isEnabled()
    label = page_of(window, "label", LabelPage)
    assert not label.new_button.isEnabled()
    before = window.current_page
    window.context.navigator.open(ImportImages(own_run.pictures))
    assert window.current_page == before
    datasets.show_record(own_run.dataset.record.id)
    qtbot.waitUntil(lambda: len(datasets.panel.gallery.cards()) == 10, timeout=30_000)


def test_a_lost_server_is_shown_and_caught_up_with(
    studio: StudioApp, served: ServedTest, own_run: Digits, qtbot: QtBot
) -> None:
    relay = Relay(served.port)
    window = _open(studio, qtbot, f"http://127.0.0.1:{relay.port}", served.tokens[Role.RUN])
    relay.cut()
    qtbot.waitUntil(lambda: _link_text(window).startswith("Server away since"), timeout=30_000)
    served.workspace.rename(own_run.run.record, "renamed")
    entry = window.context.jobs.entries(RecordKind.RUN)[0]
    window.context.jobs.resume(entry)  # the window stays usable and says what is wrong
    relay.restore()
    qtbot.waitUntil(lambda: entry.name == "renamed", timeout=60_000)
    qtbot.waitUntil(lambda: _link_text(window) == "Connected", timeout=20_000)
    relay.close()


def _says(dialog: ServedDialog, text: str) -> bool:
    return text in dialog.problem.text()


def test_errors_are_shown_in_the_dialog(
    studio: StudioApp, served: ServedTest, qtbot: QtBot
) -> None:
    before = studio.window
    dialog = _dialog(studio, qtbot)
    assert not dialog.open_button.isEnabled()
    for url, token, expected in (
        (served.url, "wrong", "refuses the token"),
        ("http://127.0.0.1:1", "x", "does not answer"),
        ("http://gpu-box.example", "x", "not encrypted"),
        ("gpu-box", "x", "not the address of a server"),
    ):
        dialog.url.setText(url)
        dialog.token.setText(token)
        click(dialog.open_button)
        qtbot.waitUntil(partial(_says, dialog, expected), timeout=20_000)
    dialog.url.setText("http://gpu-box.example")
    assert dialog.insecure.isVisible()
    dialog.reject()
    assert studio.window is before
