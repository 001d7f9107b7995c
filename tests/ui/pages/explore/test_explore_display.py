"""Channels and contrast of the images on the page, and files of their exact pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from page_checks import show_in_window
from page_records import add_dataset, add_model, picture_folder, start_jobs
from PIL import Image
from pytestqt.qtbot import QtBot

from studio.engine.datasets.display import DISPLAY_NAME
from studio.engine.datasets.picture_values import opened
from studio.engine.datasets.store import Store
from studio.engine.pixel_format import PixelFormat
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.explore.page import View
from studio.ui.shared.dataset_pictures import DatasetPictures

LONG = 120_000


def add_deep(workspace: Workspace, folder: Path) -> Record:
    """A dataset of 12 bits."""
    random = np.random.default_rng(0)
    for name in ("round", "square"):
        (folder / name).mkdir(parents=True)
        for index in range(4):
            pixels = random.integers(0, 4096, (16, 16), np.uint16)
            Image.fromarray(pixels).save(folder / name / f"{index}.png")
    form = PixelFormat.uniform("uint16", 1, 0, 4095)
    return add_dataset(workspace, "cells", folder, color="gray", pixels=form.model_dump())


def test_images_of_more_than_8_bits_get_the_controls_of_their_display(
    qtbot: QtBot, workspace: Workspace, context: AppContext, tmp_path: Path
) -> None:
    dataset = add_deep(workspace, tmp_path / "deep")
    usual = add_dataset(workspace, "usual", picture_folder(tmp_path / "usual", {"a": 4, "b": 4}))
    runs = [add_model(workspace, each.id, each).id for each in (dataset, usual)]
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    view.show_record(runs[0])
    button = view.display_button
    qtbot.waitUntil(button.isVisible, timeout=LONG)
    button.click()
    qtbot.waitUntil(button.popup.isVisible, timeout=LONG)
    button.panel.window_range.high.setValue(1000)
    qtbot.waitUntil((dataset.folder / DISPLAY_NAME).exists, timeout=LONG)

    view.show_record(runs[1])
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=LONG)
    assert not button.isVisible()
    window.close()


def test_the_file_of_a_row_has_its_pixels_not_those_on_the_screen(
    workspace: Workspace, tmp_path: Path
) -> None:
    dataset = add_deep(workspace, tmp_path / "deep")
    store, pictures = Store.open(dataset.folder), DatasetPictures(dataset.folder)
    stored = store.images[0]
    assert stored.max() > 255
    with opened(pictures.file(0)) as picture:
        assert np.array_equal(picture.plane(0).squeeze(), stored.squeeze())
