"""Controls of how pixels are shown."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.datasets.display import DisplayFacts
from studio.engine.display_mapping import DisplayMapping
from studio.engine.pixel_format import PixelFormat
from studio.ui.bridge.background import Background
from studio.ui.shared.display_panel import DisplayButton, DisplayPanel
from studio.ui.theme.theme import Theme
from studio.ui.widgets.range_histogram import RangeHistogram

CELLS = PixelFormat.uniform("uint16", 3, 0, 4095, ["DAPI", "actin", "tubulin"])


def facts_of(pixels: PixelFormat) -> DisplayFacts:
    values = np.linspace(100, 1100, 64 * pixels.channels)
    sample = values.reshape(8, 8, pixels.channels).astype(pixels.numpy_dtype)
    return DisplayFacts.of(pixels, DisplayMapping.of(pixels), sample)


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> DisplayPanel:
    made = DisplayPanel(theme)
    qtbot.addWidget(made)
    made.resize(300, 420)
    made.show_facts(facts_of(CELLS))
    made.show()
    return made


def current(panel: DisplayPanel) -> DisplayMapping:
    mapping = panel.mapping()
    assert mapping is not None
    return mapping


def test_channels_have_their_names_colors_and_windows(panel: DisplayPanel) -> None:
    assert [row[0] for row in panel.table.texts()] == ["DAPI", "actin", "tubulin"]
    assert panel.color.currentData() == "#0000ff"
    assert (panel.window_range.low.value(), panel.window_range.high.value()) == (0, 4095)
    assert panel.window_range.low.decimals() == 0


def test_a_channel_can_be_hidden_but_not_the_last_one(qtbot: QtBot, panel: DisplayPanel) -> None:
    for row in (0, 1, 2):
        index = panel.table.content.index(row, 0)
        panel.table.content.setData(
            index, Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole
        )

    assert current(panel).shown == (2,)


def test_fields_set_the_window_of_the_selected_channel(qtbot: QtBot, panel: DisplayPanel) -> None:
    panel.table.select(1)
    with qtbot.waitSignal(panel.changed):
        panel.window_range.low.setValue(200)

    assert current(panel).low == (0, 200, 0)
    assert panel.window_range.histogram.range() == (200, 4095)


def test_a_handle_is_dragged_to_whole_numbers(qtbot: QtBot, panel: DisplayPanel) -> None:
    bars = panel.window_range.histogram
    right = QPoint(bars.width() - 9, 30)
    middle = QPoint(bars.width() // 2, 30)
    with qtbot.waitSignal(panel.changed):
        QTest.mousePress(bars, Qt.MouseButton.LeftButton, pos=right)
        QTest.mouseMove(bars, middle)
        QTest.mouseRelease(bars, Qt.MouseButton.LeftButton, pos=middle)

    high = current(panel).high[0]
    assert high == panel.window_range.high.value()
    assert high == int(high)
    assert abs(high - 2048) < 60


def test_auto_fits_the_images_and_reset_restores_the_default(panel: DisplayPanel) -> None:
    panel.auto_button.click()
    assert current(panel).low[0] >= 100
    assert current(panel).high[2] <= 1100
    panel.color.choose("#ff00ff")
    panel.color.activated.emit(panel.color.currentIndex())
    assert current(panel).colors[0] == "#ff00ff"

    panel.reset_button.click()

    assert current(panel) == DisplayMapping.of(CELLS)


def test_gray_fractions_have_decimals_and_no_channels(panel: DisplayPanel) -> None:
    panel.show_facts(facts_of(PixelFormat.uniform("float32", 1, 0.0, 1.0)))

    assert not panel.table.isVisible()
    assert not panel.color.isVisible()
    assert panel.window_range.high.decimals() >= 3
    panel.show_facts(facts_of(PixelFormat.uniform("float32", 1, 0.12345678, 1.0)))
    panel.window_range.high.setValue(0.9)
    assert current(panel).low == (0.12345678,), "the other end is not rounded to its field"


def test_bars_of_a_white_channel_are_seen_on_a_light_ground(qtbot: QtBot, theme: Theme) -> None:
    bars = RangeHistogram(theme)
    qtbot.addWidget(bars)
    bars.resize(240, 72)
    bars.show_histogram([1] * 10, (0, 1), "#ffffff")
    bars.set_range(0, 1)

    assert bars.grab().toImage().pixelColor(120, 50).lightness() < 200


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


def test_the_button_is_hidden_for_what_screens_show_as_it_is(
    qtbot: QtBot, theme: Theme, background: Background
) -> None:
    button = DisplayButton(theme, background)
    qtbot.addWidget(button)
    button.resize(600, 500)
    pixels = PixelFormat.bytes_of(1)
    button.set_source(lambda: facts_of(pixels))
    assert not button.isVisible()

    button.open()  # by its command
    qtbot.waitUntil(button.popup.isVisible)

    assert button.isVisible()
    button.set_source(None)
    assert not button.popup.isVisible()


def test_the_controls_are_deleted_with_their_button(
    qtbot: QtBot, theme: Theme, background: Background
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 500)
    window.show()
    button = DisplayButton(theme, background, window)
    button.set_source(lambda: facts_of(CELLS), is_standard=False)
    button.open()
    qtbot.waitUntil(button.popup.isVisible)
    popup = button.popup

    button.deleteLater()

    qtbot.waitUntil(lambda: not shiboken6.isValid(popup))
