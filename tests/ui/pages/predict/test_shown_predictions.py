"""Real pictures, a real model, a real engine host: what the page answers."""

from __future__ import annotations

import csv
import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import captions, show_in_window
from page_records import start_jobs
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from trained_run import TrainedRun

from helpers.windows import choose_target
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.predict.page import View
from studio.ui.pages.predict.pictures import Batch
from studio.ui.widgets.figures import count

pytestmark = pytest.mark.slow
LONG = 60_000


@pytest.fixture
def workspace(trained_run: TrainedRun, tmp_path: Path) -> Workspace:
    return trained_run.copy_to(tmp_path / "workspace")


@pytest.fixture
def view(qtbot: QtBot, context: AppContext) -> Iterator[View]:
    made = View(context)
    window = show_in_window(qtbot, made, 1000, 640)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=LONG)
    start_jobs(qtbot, context)
    yield made
    window.close()


def settle(qtbot: QtBot, view: View) -> None:
    """Wait until the batch on the page is answered or has failed."""

    def is_over() -> bool:
        batch = view.batch
        return batch is not None and (batch.is_complete or batch.failure is not None)

    qtbot.waitUntil(is_over, timeout=LONG)


def drop(view: View, data: QMimeData) -> bool:
    """Let something fall on the middle of the page."""
    event = QDropEvent(
        QPointF(view.rect().center()),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    view.dropEvent(event)
    return event.isAccepted()


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_held_back_pictures_are_recognized(
    qtbot: QtBot, view: View, trained_run: TrainedRun
) -> None:
    right = 0
    chosen = trained_run.held_back[::18]
    for path, label in chosen:
        assert drop(view, files(path))
        settle(qtbot, view)
        bars = view.card.bars.scores()
        assert len(bars) == 5
        values = [score for _, score in bars]
        assert values == sorted(values, reverse=True)
        assert 0.5 < sum(values) <= 1.0001
        assert view.card.headline.text().startswith(f"{bars[0][0]} · ")
        right += bars[0][0] == label
    assert right >= len(chosen) - 1
    assert len(view.history.batches()) == len(chosen)
    assert "lenet-digits" in view.card.line.text()
    assert "ms" in view.card.line.text()


def test_the_prediction_of_a_loaded_model_is_shown_before_the_rest(
    qtbot: QtBot, view: View, trained_run: TrainedRun
) -> None:
    (first, _), (second, _) = trained_run.held_back[:2]
    view.take_drop([first])
    settle(qtbot, view)
    qtbot.waitUntil(lambda: view.preview.bar.title.text() == first.name, timeout=LONG)
    shown = []

    def on_changed(batch: Batch) -> None:
        if batch.prediction is not None:
            shown.append((view.card.bars.scores(), view.preview.bar.title.text()))

    view.classifier.changed.connect(on_changed)
    view.take_drop([second])
    qtbot.waitUntil(lambda: bool(shown), timeout=LONG)

    ((scores, _),) = shown
    batch = view.batch
    assert batch is not None
    assert batch.prediction is not None
    assert [score for _, score in scores] == [each.score for each in batch.prediction.class_scores]
    qtbot.waitUntil(lambda: view.preview.bar.title.text() == second.name, timeout=LONG)
    assert view.history.batches()[0] is batch


def test_it_shows_what_the_network_sees(qtbot: QtBot, view: View, trained_run: TrainedRun) -> None:
    view.take_drop([trained_run.held_back[0][0]])
    settle(qtbot, view)
    qtbot.waitUntil(lambda: not view.card.input_view.image().isNull(), timeout=LONG)
    seen = view.card.input_view.image()
    assert (seen.width(), seen.height()) == (28, 28)
    qtbot.waitUntil(view.preview.view.isVisible, timeout=LONG)
    assert view.preview.view.image().width() == 8, "the picture itself is 8 x 8"
    rows = view.card.explanation
    side_by_side = rows.heat_button.sizeHint().width() + rows.similar.button.sizeHint().width()
    assert rows.minimumSizeHint().width() < side_by_side, "longer words take two lines"


def test_a_bad_picture_shows_its_reason(qtbot: QtBot, view: View, tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"this is no picture")
    view.take_drop([bad])
    settle(qtbot, view)
    assert "not an image" in view.card.line.text().lower()
    assert not view.card.bars.isVisible()
    qtbot.waitUntil(view.preview.unreadable.isVisible, timeout=LONG)


def test_several_pictures_fill_a_grid(
    qtbot: QtBot, view: View, trained_run: TrainedRun, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"")
    chosen = trained_run.held_back[::40]
    assert drop(view, files(*(path for path, _ in chosen), bad))
    settle(qtbot, view)
    assert view.content.name == "GRID"
    shown = captions(view.preview.grid)
    right = sum(
        text.startswith(f"{label} · ") for text, (_, label) in zip(shown, chosen, strict=False)
    )
    assert right >= len(chosen) - 1
    assert shown[-1] == "unreadable"
    assert "1 unreadable" in view.preview.bar.title.text()
    view.preview.grid.setCurrentIndex(view.preview.grid.model().index(1, 0))
    assert view.card.headline.text() == shown[1]
    QTest.keyClick(view.preview.grid, Qt.Key.Key_Return)
    assert view.content.name == "PICTURE"
    assert view.preview.bar.title.text() == chosen[1][0].name
    view.preview.bar.back_button.click()
    assert view.content.name == "GRID"


@pytest.mark.thorough
def test_a_thousand_pictures_with_broken_ones_among_them(
    qtbot: QtBot,
    view: View,
    trained_run: TrainedRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert drop(view, files(_thousand(tmp_path / "thousand", trained_run)))
    batch, bar = view.batch, view.preview.bar
    assert batch is not None
    qtbot.waitUntil(lambda: bool(batch.predictions), timeout=LONG)
    assert bar.bar.isVisible()
    assert len(batch.predictions) < 1000, "it fills in while it is worked on"
    bar.stop_button.click()
    assert batch.is_stopped
    assert f"{count(len(batch.predictions))} of {count(1000)}" in bar.title.text()
    bar.stop_button.click()
    settle(qtbot, view)
    _check_thousand(batch)
    assert f"{count(1000)} images, 10 unreadable · " in bar.title.text()
    assert not bar.stop_button.isVisible()

    bar.table_button.click()
    table, right = view.preview.table, batch.tally.right
    assert table.isVisible()
    table.content.sort_by([("right", False)])
    qtbot.waitUntil(lambda: table.content.is_sorted, timeout=LONG)
    words = [texts[table.section("right")] for texts in table.texts()]
    assert words == ["wrong"] * (990 - right) + ["right"] * right + ["–"] * 10
    table.selectRow(990 - right)
    assert batch.selected == table.content.key_at(990 - right)
    assert view.card.line.text().startswith("Right.")

    target = tmp_path / "answers.csv"
    choose_target(monkeypatch, target)
    with qtbot.waitSignal(view.context.navigator.notice_requested, timeout=LONG):
        bar.save_button.click()
    rows = list(csv.DictReader(target.open(encoding="utf-8")))
    assert len(rows) == 1000
    assert {row["label"] for row in rows} == {label for _, label in trained_run.held_back}
    assert sum(row["right"] == "1" for row in rows) == right
    assert sum(bool(row["error"]) for row in rows) == 10


def _thousand(root: Path, trained: TrainedRun) -> Path:
    """A thousand pictures in class folders, every hundredth cut off."""
    for number in range(1000):
        picture, label = trained.held_back[number % len(trained.held_back)]
        (root / label).mkdir(parents=True, exist_ok=True)
        data = picture.read_bytes()
        cut = data if number % 100 else data[: number // 20]
        (root / label / f"{number:04}.png").write_bytes(cut)
    return root


def _check_thousand(batch: Batch) -> None:
    assert len(batch.predictions) == 1000
    assert (batch.tally.unreadable, batch.tally.known) == (10, 990)
    assert batch.tally.accuracy is not None
    assert batch.tally.accuracy > 0.9


def test_a_pasted_picture_and_a_dragged_one_are_answered_like_the_file(
    qtbot: QtBot, view: View, trained_run: TrainedRun
) -> None:
    path, _ = trained_run.held_back[7]
    view.take_drop([path])
    settle(qtbot, view)
    from_file = dict(view.card.bars.scores())
    QGuiApplication.clipboard().setImage(QImage(str(path)))
    QTest.keyClick(view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(view.history.batches()) == 2, timeout=LONG)
    settle(qtbot, view)
    assert dict(view.card.bars.scores()) == pytest.approx(from_file)
    assert view.preview.bar.title.text() == "Pasted image"
    QGuiApplication.clipboard().clear()
    data = QMimeData()
    data.setImageData(QImage(str(path)))
    assert drop(view, data)
    qtbot.waitUntil(lambda: len(view.history.batches()) == 3, timeout=LONG)
    settle(qtbot, view)
    assert dict(view.card.bars.scores()) == pytest.approx(from_file)


def test_the_open_button_asks_for_files(
    qtbot: QtBot, view: View, trained_run: TrainedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = trained_run.held_back[0]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(path)], ""))
    view.preview.drop_area.button.click()
    settle(qtbot, view)
    assert view.batch is not None
    assert view.batch.picture == path
    assert view.context.settings.folder("predict") == path.parent


def test_history_shows_an_answer_again_without_asking(
    qtbot: QtBot, view: View, trained_run: TrainedRun
) -> None:
    view.take_drop([trained_run.held_back[0][0]])
    settle(qtbot, view)
    first, headline = view.batch, view.card.headline.text()
    view.take_drop([trained_run.held_back[-1][0]])
    settle(qtbot, view)
    assert first is not None
    assert view.card.headline.text() != headline
    before = list(first.predictions)
    qtbot.waitUntil(lambda: headline in view.history.button(first).text())
    view.history.button(first).click()
    assert view.card.headline.text() == headline
    assert first.predictions == before


def test_another_model_is_asked_about_the_same_picture(
    qtbot: QtBot, view: View, trained_run: TrainedRun, workspace: Workspace
) -> None:
    other = trained_run.copy_run(workspace, "second")
    qtbot.waitUntil(lambda: len(view.chooser.listed()) == 2, timeout=LONG)
    view.take_drop([trained_run.held_back[0][0]])
    # Not waited for: what the first model says must not count as the second one's answer.
    view.show_record(other)
    settle(qtbot, view)
    assert view.batch is not None
    assert view.batch.model is not None
    assert view.batch.model.id == other
    assert len(view.batch.predictions) == 1
    assert "second" in view.card.line.text()


def test_a_killed_engine_is_reported_and_another_one_answers(
    qtbot: QtBot, view: View, trained_run: TrainedRun, context: AppContext
) -> None:
    context.engine.warm_up()
    pid = context.engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # or it answers before it is killed
    view.take_drop([trained_run.held_back[0][0]])
    qtbot.waitUntil(lambda: bool(context.engine._pending), timeout=LONG)
    os.kill(pid, signal.SIGKILL)
    batch = view.batch
    assert batch is not None
    qtbot.waitUntil(lambda: batch.was_restarted, timeout=LONG)
    assert "ended unexpectedly" in view.card.line.text()
    settle(qtbot, view)
    assert context.engine.pid not in (None, pid)
    assert len(view.card.bars.scores()) == 5
    assert "ended unexpectedly" in view.card.line.text()
    # Killed again and again over the same picture, it is not asked for ever.
    assert context.engine.pid is not None
    os.kill(context.engine.pid, signal.SIGSTOP)
    view._start(again := Batch((trained_run.held_back[1][0],)))
    for _ in range(2):
        qtbot.waitUntil(lambda: bool(context.engine._pending), timeout=LONG)
        assert context.engine.pid is not None
        os.kill(context.engine.pid, signal.SIGKILL)
        qtbot.waitUntil(lambda: again.was_restarted, timeout=LONG)
    settle(qtbot, view)
    assert again.failure is not None
    assert view.card.retry_button.isVisible()
    view.card.retry_button.click()
    settle(qtbot, view)
    assert len(view.card.bars.scores()) == 5


def test_pasted_files_go_with_the_page(context: AppContext) -> None:
    view = View(context)
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    stored = view.pictures.pasted.save(image)
    assert stored.exists()
    view.deleteLater()
    QCoreApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete.value)
    del view
    gc.collect()
    assert not stored.parent.exists()
