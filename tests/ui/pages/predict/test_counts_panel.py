"""Counts of a batch are computed in another thread, after a pause."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from test_predict_state import answered

from studio.engine.evaluation import counting
from studio.engine.inference.models import ModelSource
from studio.ui.context import AppContext
from studio.ui.pages.predict.counts import CountsPanel


def test_corrections_are_computed_once_for_many_replies(
    qtbot: QtBot, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(counting, "corrections_of_run", lambda _, run, **__: asked.append(run))
    panel, batch = CountsPanel(context), answered(3)
    qtbot.addWidget(panel)
    batch.source = ModelSource(file="m", name="m", classes=("a", "b"))
    for _ in range(5):
        panel.show_batch(batch)
    assert not asked
    qtbot.waitUntil(lambda: asked == ["one"])
    batch.predictions.append(batch.predictions[0])
    panel.show_batch(batch)
    qtbot.wait(400)
    assert asked == ["one"]
