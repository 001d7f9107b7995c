"""What a person should know of a prediction is said under it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.messages import message
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.folder import PredictionSaver, _Written
from studio.ui.pages.predict.messages import details
from studio.ui.pages.predict.pictures import Batch


def test_the_reduction_to_8_bits_is_said_under_the_prediction() -> None:
    text = message("The image has pixels of the type {received}.", received="uint16")
    batch = Batch((Path("a.png"),))

    found = details(batch, ImagePrediction(image="a.png", warnings=(text,)))

    assert "uint16" in found.splitlines()[-2]
    assert "uint16" not in details(batch, ImagePrediction(image="a.png"))


@pytest.mark.parametrize(
    ("number", "expected"), [(1, ""), (2, "1 more note."), (3, "2 more notes.")]
)
def test_notes_of_written_files_are_counted(
    number: int, expected: str, context: AppContext, qtbot: QtBot, tmp_path: Path
) -> None:
    def no_source(_run: RunChoice) -> ModelSource:
        raise AssertionError("no model is read")

    owner = QWidget()
    qtbot.addWidget(owner)
    saver = PredictionSaver(context, no_source, owner)
    warnings = tuple(message("Note {n}.", n=n) for n in range(number))

    with qtbot.waitSignal(context.navigator.notice_requested) as caught:
        saver._on_written(tmp_path, 4, _Written(4, warnings))

    (notice,) = caught.args
    assert (notice.text, notice.hint) == ("Note 0.", expected)
