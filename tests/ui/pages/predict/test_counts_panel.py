"""Counts of a batch are computed in another thread, after a pause."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.evaluation import counting
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.counts import CountsPanel
from studio.ui.pages.predict.pictures import Batch


def test_corrections_are_computed_once_for_many_replies(
    qtbot: QtBot, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        counting, "corrections_of_run", lambda _, run, __, **___: asked.append(run)
    )
    panel, path = CountsPanel(context), Path("a.png")
    qtbot.addWidget(panel)
    run = RunChoice("one", "one", path, 0.9, is_training=False)
    batch = Batch((path,), pictures=(Picture(path),) * 4, model=run)
    batch.predictions = [ImagePrediction(image="a.png")] * 3
    batch.source = ModelSource(file="m", name="m", classes=("a", "b"))
    for _ in range(5):
        panel.show_batch(batch)
    assert not asked
    empty = panel.counts
    qtbot.waitUntil(lambda: panel.counts is not empty)
    first = panel.counts
    batch.predictions.append(batch.predictions[0])
    panel.show_batch(batch)
    qtbot.waitUntil(lambda: panel.counts is not first)
    assert asked == ["one"]
