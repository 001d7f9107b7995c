"""Ways for a picture into the page that need no model: web, screen, webcam, moving pictures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from page_records import add_dataset, add_model, picture_folder, start_jobs
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.videos import write_video
from helpers.web import serving
from studio.engine.inference.models import ModelSource
from studio.engine.inference.predicting import Listener
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.jobs.host import EngineHost
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.predict import predictions
from studio.ui.pages.predict.page import View
from studio.ui.pages.predict.pictures import Batch
from studio.ui.pages.predict.preview import Timeline
from studio.ui.shared import media
from studio.ui.shared.media import Camera, ScreenPicker
from studio.ui.theme.theme import Theme

WAIT = 20_000


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is an "a": what comes in matters here, and the engine takes seconds to start."""

    def answer(
        _host: EngineHost,
        _model: ModelSource,
        pictures: Sequence[Picture],
        listener: Listener,
        _top: int,
        maps: Path,
    ) -> None:
        scores = (ClassScore(label="a", score=0.9),)
        listener.received(
            [
                ImagePrediction(image=str(each.path), scores=Scores(classes=scores))
                for each in pictures
            ]
        )

    monkeypatch.setattr(predictions, "predict_all", answer)


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path) -> View:
    dataset = add_dataset(workspace, "colors", picture_folder(tmp_path / "src", {"a": 8, "b": 8}))
    add_model(workspace, "net", dataset)
    made = View(context)
    qtbot.addWidget(made)
    made.resize(952, 600)
    made.show()
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: made.chooser.choice() is not None, timeout=WAIT)
    return made


def drop(view: View, data: QMimeData) -> bool:
    event = QDropEvent(
        QPointF(view.rect().center()),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    view.dropEvent(event)
    return event.isAccepted()


def batch_of(view: View) -> Batch:
    assert view.batch is not None
    return view.batch


def test_an_address_is_fetched_or_the_reason_reported(
    qtbot: QtBot, view: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "web").mkdir()
    Image.new("RGB", (9, 7), "red").save(tmp_path / "web" / "a b.png")
    (tmp_path / "web" / "page.html").write_text("<html>")
    data = QMimeData()
    with serving(tmp_path / "web", monkeypatch) as server:
        data.setUrls([QUrl(f"{server}/a b.png")])
        assert drop(view, data)
        assert view.card.line.text() == "Fetching the image…"
        assert view.preview.bar.title.text() == "a b.png"
        qtbot.waitUntil(lambda: bool(batch_of(view).dropped), timeout=WAIT)
        with Image.open(batch_of(view).dropped[0]) as image:
            assert image.size == (9, 7)
        QGuiApplication.clipboard().setText(f"  {server}/page.html ")
        assert view.header.paste_button.isEnabled()
        view.header.paste_button.click()
        qtbot.waitUntil(lambda: batch_of(view).failure is not None, timeout=WAIT)
        assert "No image could be loaded" in view.card.line.text()
        broken = QMimeData()
        broken.setData("application/x-qt-image", b"no picture")
        QGuiApplication.clipboard().setMimeData(broken)
        with qtbot.waitSignal(view.context.navigator.notice_requested) as text:
            view.header.paste_button.click()
        assert "cannot be read" in text.args[0].text
        QGuiApplication.clipboard().clear()
    # The server is gone: as without a network.
    view.header.web_action.trigger()
    asked = view.pictures.address
    assert asked.isVisible()
    asked.field.setText(f"{server}/a%20b.png")
    asked.ok_button.click()
    qtbot.waitUntil(lambda: batch_of(view).failure is not None, timeout=WAIT)
    assert "cannot be reached" in view.card.line.text()
    assert view.card.retry_button.isVisible()
    view.card.retry_button.click()
    assert view.card.line.text() == "Fetching the image…"
    qtbot.waitUntil(lambda: batch_of(view).failure is not None, timeout=WAIT)
    view.header.web_action.trigger()
    asked.field.setText("no address")
    asked.ok_button.click()
    assert "“no address” is not a web address." in asked.problem.text()
    assert asked.isVisible(), "it can be corrected"


def test_an_animation_becomes_frames_with_times(qtbot: QtBot, view: View, tmp_path: Path) -> None:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "lime", "blue")]
    moving, still = tmp_path / "moving.gif", tmp_path / "still.gif"
    frames[0].save(moving, save_all=True, append_images=frames[1:], duration=[500, 250, 100])
    frames[0].save(still)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(moving))])
    assert drop(view, data)
    batch = batch_of(view)  # at once, before its frames are known
    qtbot.waitUntil(lambda: bool(batch.dropped), timeout=WAIT)
    assert batch.times == (0.0, 0.5, 0.75)
    with Image.open(batch.dropped[1]) as image:
        assert image.convert("RGB").getpixel((4, 4)) == (0, 255, 0)
    assert view.preview.bar.title.text() == "moving.gif"
    qtbot.waitUntil(lambda: batch.is_complete, timeout=WAIT)
    assert view.preview.timeline.isVisible()
    assert view.preview.timeline.words(1).startswith("0.5 s: a")
    view.take_drop([still])
    qtbot.waitUntil(lambda: batch_of(view).dropped == (still,), timeout=WAIT)
    assert not batch_of(view).times
    assert not view.preview.timeline.isVisible()


def test_a_video_becomes_frames_with_times(qtbot: QtBot, view: View, tmp_path: Path) -> None:
    pixels = [np.full((32, 48, 3), (20 * number, 0, 0), np.uint8) for number in range(6)]
    write_video(tmp_path / "film.mp4", pixels)
    view.take_drop([tmp_path / "film.mp4"])
    batch = batch_of(view)
    assert view.card.line.text() == "Reading the video…"
    qtbot.waitUntil(lambda: batch.is_complete, timeout=WAIT)
    assert batch.times == pytest.approx([number / 10 for number in range(6)])
    assert view.preview.bar.title.text() == "film.mp4"
    assert view.preview.timeline.isVisible()
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    view.take_drop([tmp_path / "bad.mp4"])
    qtbot.waitUntil(lambda: batch_of(view).failure is not None, timeout=WAIT)
    assert "bad.mp4 cannot be read: it is not a readable video" in view.card.line.text()
    assert not view.card.retry_button.isVisible(), "there is nothing to predict"


def test_the_timeline_chooses_frames(qtbot: QtBot, theme: Theme) -> None:
    line = Timeline(theme)
    qtbot.addWidget(line)
    line.resize(300, line.sizeHint().height())
    line.show()
    answers = [
        ImagePrediction(image=name, scores=Scores(classes=(ClassScore(label=label, score=0.9),)))
        for name, label in (("1", "cat"), ("2", "dog"), ("3", "dog"))
    ]
    batch = Batch((), times=(0.0, 0.5, 1.0), predictions=answers)
    line.show_batch(batch)
    assert line.classes() == ["dog", "cat"]
    assert line.words(2).startswith("1.0 s: dog · 90")
    shot = line.grab().toImage()
    assert shot.pixelColor(150, 12) == shot.pixelColor(250, 12) != shot.pixelColor(50, 12)
    batch.source = ModelSource(file="", name="", classes=("dog",), colors=("#ff0000",))
    line.show_batch(batch)
    painted = line.grab().toImage().pixelColor(250, 12)
    assert painted.red() - painted.blue() > 100, "the color that the class has in the picture"
    with qtbot.waitSignal(line.chosen) as chosen:
        QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(250, 10))
    assert chosen.args == [2]
    with qtbot.waitSignal(line.chosen) as chosen:
        QTest.keyClick(line, Qt.Key.Key_Right)
    assert chosen.args == [1]


def test_a_region_of_the_screen_is_cut_out(qtbot: QtBot, view: View) -> None:
    shot = QPixmap(200, 100)
    shot.fill(Qt.GlobalColor.white)
    picker = ScreenPicker(view.window())
    picker.picked.connect(view.pictures.take_region)
    picker.show_screenshot(shot, QRect(0, 0, 200, 100))
    QTest.mousePress(picker, Qt.MouseButton.LeftButton, pos=QPoint(120, 60))
    QTest.mouseMove(picker, QPoint(60, 40))
    with qtbot.waitSignal(view.pictures.arrived, timeout=WAIT):
        QTest.mouseRelease(picker, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert view.preview.bar.title.text() == "Part of the screen"
    with Image.open(batch_of(view).dropped[0]) as image:
        assert abs(image.width - 100) <= 1
        assert abs(image.height - 50) <= 1
    assert view.isVisible()


class FakeCamera(Camera):
    """Gives the pictures that a test has."""

    def start(self) -> None:
        """It is on."""


def test_the_webcam_says_why_it_is_off_and_its_picture_is_kept(
    qtbot: QtBot, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = view.header
    monkeypatch.setattr(media, "missing", lambda: "needs the extra camera")
    more.refresh_menu()
    assert not more.camera_action.isEnabled()
    assert "extra camera" in more.camera_action.toolTip()
    assert "PySide6.QtMultimedia" not in sys.modules, "to open the menu, nothing is loaded"
    view.take_drop([Path("film.mp4")])
    qtbot.waitUntil(lambda: batch_of(view).failure is not None, timeout=WAIT)
    with qtbot.waitSignal(view.context.navigator.notice_requested, timeout=WAIT) as text:
        view.header.camera_action.triggered.emit()
    assert "extra camera" in text.args[0].text

    camera, choice = FakeCamera(), view.chooser.choice()
    assert choice is not None
    view.live.start(camera, choice)
    assert view.preview.live_bar.isVisible()
    image = QImage(12, 8, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.green)
    camera.frame.emit(image)
    camera.frame.emit(image)  # passes by: the first is not answered yet
    answered: list[Batch] = []
    view.live.predicted.connect(answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=WAIT)
    assert view.batch is answered[0]
    assert view.card.headline.text().startswith("a · ")
    camera.frame.emit(image)
    qtbot.waitUntil(lambda: len(answered) == 2, timeout=WAIT)
    with qtbot.waitSignal(view.pictures.arrived, timeout=WAIT):
        view.preview.live_bar.keep_button.click()
    assert not view.live.is_on
    assert not view.preview.live_bar.isVisible()
    assert view.preview.bar.title.text() == "Webcam"
