"""The note about images that differ from the training images, and its buttons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from page_records import add_dataset, add_model, picture_folder, start_jobs
from PIL import Image
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.inference.models import ModelSource
from studio.engine.inference.predicting import Listener
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.inference.unlike.differences import Difference, Familiarity
from studio.engine.jobs.events import Amended
from studio.engine.jobs.host import EngineHost
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.predict import messages, predictions
from studio.ui.pages.predict.page import View

WAIT = 20_000
INVERTED = Difference(kind="inverted", text="Light and dark are swapped.", remedy="invert")


def _familiarity(path: Path) -> Familiarity:
    with Image.open(path) as image:
        is_light = image.convert("L").getpixel((0, 0)) == 255
    return Familiarity(
        differences=(INVERTED,) if is_light else (), false_alarm_rate=0.013, validation_images=79
    )


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model has learned from dark images."""

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
                ImagePrediction(
                    image=each.name,
                    scores=Scores(classes=scores),
                    familiarity=_familiarity(each.path),
                )
                for each in pictures
            ]
        )

    monkeypatch.setattr(predictions, "predict_all", answer)


def test_a_network_trained_without_its_weights_says_so_beside_its_predictions(
    context: AppContext, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    """It finds little, which would otherwise seem to be the image's fault."""
    run = _add_model(workspace, tmp_path)
    changes = {"weights": "", "offline_fallback": True}
    append_events(run, [Amended(changes=changes)])
    view = _opened(qtbot, context)
    view.take_drop([_image(tmp_path / "one.png", 0)])
    qtbot.waitUntil(view.card.fallback.isVisible, timeout=WAIT)
    assert "could not be downloaded" in view.card.fallback.text()


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path) -> View:
    _add_model(workspace, tmp_path)
    return _opened(qtbot, context)


def _add_model(workspace: Workspace, folder: Path) -> Record:
    images = picture_folder(folder / "src", {"a": 8, "b": 8})
    return add_model(workspace, "net", add_dataset(workspace, "colors", images))


def _opened(qtbot: QtBot, context: AppContext) -> View:
    made = View(context)
    qtbot.addWidget(made)
    made.resize(952, 600)
    made.show()
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: made.chooser.choice() is not None, timeout=WAIT)
    return made


def _predict(qtbot: QtBot, view: View, *paths: Path) -> None:
    view.take_drop(paths)
    _settle(qtbot, view, len(paths))


def _settle(qtbot: QtBot, view: View, count: int) -> None:
    qtbot.waitUntil(
        lambda: view.batch is not None and len(view.batch.predictions) == count, timeout=WAIT
    )


def _image(path: Path, level: int) -> Path:
    Image.new("L", (8, 8), level).save(path)
    return path


def test_a_familiar_image_has_no_note(qtbot: QtBot, view: View, tmp_path: Path) -> None:
    _predict(qtbot, view, _image(tmp_path / "dark.png", 0))

    assert view.card.unlike.isHidden()
    assert not view.card.fallback.isVisible()


def test_a_negative_is_inverted_and_predicted_again(
    qtbot: QtBot, view: View, tmp_path: Path
) -> None:
    _predict(qtbot, view, _image(tmp_path / "light.png", 255))
    note = view.card.unlike
    assert note.isVisible()
    assert note.text.text() == "Light and dark are swapped."
    assert "1.3\N{NO-BREAK SPACE}%" in note.rate.text()
    assert "79 validation images" in note.rate.text()
    assert note.crop_button.isHidden()
    before = view.batch

    note.invert_button.click()
    qtbot.waitUntil(lambda: view.batch is not before, timeout=WAIT)
    _settle(qtbot, view, 1)

    assert note.isHidden()
    assert view.preview.bar.title.text() == "light.png"
    assert len(view.history.batches()) == 2


def test_of_several_images_those_are_inverted_that_need_it(
    qtbot: QtBot, view: View, tmp_path: Path
) -> None:
    paths = [_image(tmp_path / f"{level}.png", level) for level in (255, 0)]
    _predict(qtbot, view, *paths)
    before = view.batch
    assert view.batch is not None
    assert messages.grid_line(view.batch) == "2 images · 1 of 2 unlike the training images"

    view.card.unlike.invert_button.click()
    qtbot.waitUntil(lambda: view.batch is not before, timeout=WAIT)
    _settle(qtbot, view, 2)

    assert messages.grid_line(view.batch) == "2 images"
    shown = [each.path == path for each, path in zip(view.batch.pictures, paths, strict=True)]
    assert shown == [False, True]
    assert [each.name for each in view.batch.pictures] == [str(path) for path in paths]
