"""From photographs in class folders to a prediction: the number of clicks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from sklearn.datasets import load_sample_images

from helpers.windows import OpenWindow, click, drag_and_drop, page_of
from studio.engine.jobs.states import State
from studio.engine.networks.backbones import FOLDER_VARIABLE
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.predict.pictures import Batch
from studio.ui.pages.train.page import View as TrainPage

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

PER_CLASS, SIDE = 50, 96
MAX_CLICKS = 5


def weights_at_hand() -> bool:
    folder = Path(os.environ.get(FOLDER_VARIABLE) or "/nowhere")
    return any(folder.glob("mobilenet_v2*.h5"))


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Crops of two photographs, the left and the right half of each as a class."""
    folder = tmp_path / "photos"
    random = np.random.default_rng(0)
    for name, pixels in zip(("temple", "flower"), load_sample_images().images, strict=True):
        middle = pixels.shape[1] // 2
        for side, half in (("left", pixels[:, :middle]), ("right", pixels[:, middle:])):
            target = folder / f"{name} {side}"
            target.mkdir(parents=True)
            for number in range(PER_CLASS):
                top = random.integers(half.shape[0] - SIDE)
                left = random.integers(half.shape[1] - SIDE)
                crop = half[top : top + SIDE, left : left + SIDE]
                Image.fromarray(crop).save(target / f"{number}.jpg")
    return folder


class Hand:
    """Counts what a person does with the mouse."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, widget: QWidget) -> None:
        self.clicks += 1
        click(widget)


@pytest.mark.skipif(not weights_at_hand(), reason="the weights of MobileNetV2 are not at hand")
def test_five_clicks_lead_from_photographs_to_a_prediction(
    open_window: OpenWindow, photos: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folders = sorted(folder for folder in photos.iterdir())
    clicks, right = predict_photos(
        open_window, photos, [next(iter(sorted(each.iterdir()))) for each in folders],
        tmp_path / "workspace", qtbot,
    )  # fmt: skip
    assert clicks <= MAX_CLICKS
    assert right >= len(folders) - 1


def predict_photos(
    open_window: OpenWindow,
    photos: Path,
    examples: Sequence[Path],
    root: Path,
    qtbot: QtBot,
) -> tuple[int, int]:
    """Drop a folder, import, train as recommended, and drop some photographs.

    Returns:
        Number of clicks, and how many of the photographs are predicted right.
    """
    window = open_window(root).window
    assert window is not None
    window.resize(1440, 900)
    jobs, hand = window.context.jobs, Hand()
    qtbot.waitUntil(lambda: jobs.is_loaded)
    drag_and_drop(window, [photos])
    data = page_of(window, "datasets", DatasetsPage)
    button = data.sheet.import_button
    qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled(), timeout=60_000)
    hand.click(button)

    def is_imported() -> bool:
        return [entry.state for entry in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    qtbot.waitUntil(is_imported, timeout=60_000)
    train = data.panel.train_button
    qtbot.waitUntil(lambda: train.isVisible() and train.isEnabled(), timeout=60_000)
    hand.click(train)
    page = page_of(window, "train", TrainPage)
    start = page.new_run.train_button
    qtbot.waitUntil(page.new_run.recommended.isVisible, timeout=60_000)
    qtbot.waitUntil(start.isEnabled, timeout=60_000)
    hand.click(start)
    qtbot.waitUntil(lambda: len(jobs.entries(RecordKind.RUN)) == 1, timeout=60_000)
    (run,) = jobs.entries(RecordKind.RUN)
    assert isinstance(run.plan, TrainingPlan)
    assert run.plan.weights, "the recommended network is pretrained"
    qtbot.waitUntil(lambda: run.state.is_finished, timeout=600_000)
    assert run.state == State.COMPLETED
    try_it = page.dashboard.run_actions.predict_button
    qtbot.waitUntil(lambda: try_it.isVisible() and try_it.isEnabled(), timeout=60_000)
    hand.click(try_it)
    predict = page_of(window, "predict", PredictPage)
    right = 0
    for example in examples:
        before = predict.batch
        drag_and_drop(window, [example])
        qtbot.waitUntil(partial(_is_predicted, predict, before), timeout=60_000)
        right += predict.card.bars.scores()[0][0] == example.parent.name
    return hand.clicks, right


def _is_predicted(page: PredictPage, before: Batch | None) -> bool:
    """True once another batch than the one before has its prediction."""
    batch = page.batch
    return batch is not None and batch is not before and batch.is_complete
