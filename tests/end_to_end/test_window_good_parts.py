"""Three clicks in the real window from a folder of good pictures to a heat map."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from helpers.windows import OpenWindow, click, drag_and_drop, page_of
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.navigation import ImportImages
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.widgets.heat_overlay import HeatMapOverlay

pytestmark = pytest.mark.slow

SIDE, GOOD = 64, 40


def _part(random: np.random.Generator, *, is_good: bool) -> Image.Image:
    """Draw a part with fine stripes, and a scratch if it is not good."""
    stripes = 120 + 30 * np.sin(np.arange(SIDE) * 0.8 + random.uniform(0, 0.4))
    pixels = np.tile(stripes, (SIDE, 1)) + random.normal(0, 4, (SIDE, SIDE))
    if not is_good:
        pixels[20:44, 28:36] = 235
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def _is_predicted(page: PredictPage, picture: Path) -> bool:
    batch = page.batch
    return batch is not None and batch.first == picture and batch.is_complete


def test_three_clicks_lead_from_good_pictures_to_a_heat_map(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    random = np.random.default_rng(0)
    good = tmp_path / "parts" / "good"
    good.mkdir(parents=True)
    for number in range(GOOD):
        _part(random, is_good=True).save(good / f"{number:03}.png")
    scratched, other = tmp_path / "scratched.png", tmp_path / "other.png"
    _part(random, is_good=False).save(scratched)
    _part(random, is_good=True).save(other)
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    jobs = window.context.jobs

    # The card "Good parts only" of the page Home opens this after a folder is chosen.
    window.open(ImportImages(good.parent, task="anomaly"))
    datasets = page_of(window, "datasets", DatasetsPage)
    qtbot.waitUntil(datasets.sheet.import_button.isVisible, timeout=60_000)
    qtbot.waitUntil(datasets.sheet.import_button.isEnabled, timeout=60_000)
    assert datasets.sheet.recipe.task.buttons["anomaly"].isChecked()
    click(datasets.sheet.import_button)
    qtbot.waitUntil(datasets.panel.train_button.isVisible, timeout=60_000)
    qtbot.waitUntil(datasets.panel.train_button.isEnabled, timeout=60_000)
    click(datasets.panel.train_button)
    train = page_of(window, "train", TrainPage)
    qtbot.waitUntil(train.new_run.train_button.isEnabled, timeout=60_000)
    click(train.new_run.train_button)
    qtbot.waitUntil(
        lambda: [each.state for each in jobs.entries(RecordKind.RUN)] == [State.COMPLETED],
        timeout=180_000,
    )

    predict = page_of(window, "predict", PredictPage)
    found = []
    for picture in (scratched, other):
        drag_and_drop(window, [picture])
        qtbot.waitUntil(partial(_is_predicted, predict, picture), timeout=60_000)
        qtbot.waitUntil(lambda: predict.preview.view.layer() is not None)
        assert predict.isVisible()
        assert predict.batch is not None
        assert predict.batch.prediction is not None
        assert isinstance(predict.batch.overlay(predict.batch.prediction), HeatMapOverlay)
        heat_map = predict.batch.prediction.heat_map
        assert heat_map is not None
        found.append(heat_map)

    # The threshold of so few good parts may raise a false alarm; the order of scores may not.
    assert found[0].is_above
    assert found[0].score > found[1].score
