"""Colors and contrast of a dataset's images on the page."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from studio.engine.datasets.display import DISPLAY_NAME
from studio.engine.datasets.store import Store
from studio.engine.pixel_format import PixelFormat
from studio.engine.workspace import Record
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.page import View
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.widgets.pictures import pixels_of


def test_a_contrast_window_is_stored_and_shown_but_changes_no_pixel(
    qtbot: QtBot, audited_view: View, audited: Record
) -> None:
    panel, file = audited_view.panel, audited.folder / DISPLAY_NAME
    pictures = DatasetPictures(audited.folder)
    store = Store.open(audited.folder)
    row = int(np.flatnonzero(store.split >= 0)[0])
    stored, before = store.images[row].copy(), pixels_of(pictures.picture(row))
    assert not panel.display_button.isVisible()  # 8 bits are shown as they are

    panel.display_button.open()
    qtbot.waitUntil(panel.display_button.popup.isVisible)
    panel.display_button.panel.window_range.high.setValue(100)
    qtbot.waitUntil(file.exists)
    after = pixels_of(pictures.picture(row))

    assert np.array_equal(Store.open(audited.folder).images[row], stored)
    assert np.array_equal(after[..., 1:], before[..., 1:])
    red = np.clip(before[..., 0] * 2.55, 0, 255)
    assert np.abs(after[..., 0] - red).max() <= 0.5 + 1e-3
    panel.display_button.panel.reset_button.click()
    qtbot.waitUntil(lambda: not file.exists())


def test_images_of_many_channels_are_not_called_color() -> None:
    cells = PixelFormat.uniform("uint16", 3, 0, 4095, ["DAPI", "actin", "tubulin"])

    assert messages.shape(96, 64, cells) == "96×64, 3 channels"
    assert messages.shape(96, 64, PixelFormat.bytes_of(3)) == "96×64 color"
    assert messages.shape(28, 28, PixelFormat.bytes_of(1)) == "28×28 gray"
