"""Regions over pictures: colors, outlines, hidden classes, ignored pixels, and how fast it is."""

from __future__ import annotations

import time
from collections.abc import Hashable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from helpers.windows import check
from studio.engine.tasks.annotations import IGNORE
from studio.ui.bridge.background import Background
from studio.ui.settings import Settings
from studio.ui.shared.overlay import ClassLegend, OverlayLayer, OverlayPanel
from studio.ui.theme.theme import Theme
from studio.ui.widgets.overlay import GROUND, MaskOverlay, OverlayStyle, painted
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.thumbnails import ThumbnailLoader

NAMES = ("background", "cell", "wall")
COLORS = ("#000000", "#e69f00", "#0072b2")
GRAY = QColor(100, 100, 100)


def overlay(side: int = 60) -> MaskOverlay:
    """Background at the left, a cell in the middle, a wall at the right, ignored at the top."""
    labels = np.zeros((side, side), np.uint8)
    labels[:, side // 3 :] = 1
    labels[:, 2 * side // 3 :] = 2
    labels[: side // 6] = IGNORE
    return MaskOverlay(labels, NAMES, COLORS)


def gray(side: int = 60) -> QImage:
    image = QImage(side, side, QImage.Format.Format_RGB888)
    image.fill(GRAY)
    return image


def parts(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


def mixed(color: str, share: float) -> QColor:
    return QColor(*(round(each * share + 100 * (1 - share)) for each in parts(QColor(color))))


def are_close(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) <= 1 for a, b in zip(parts(one), parts(other), strict=True))


def test_classes_are_blended_over_the_picture_and_a_black_background_is_not() -> None:
    shown = painted(gray(), overlay(), OverlayStyle("blend", 0.25))
    assert shown.pixelColor(5, 40) == GRAY
    assert are_close(shown.pixelColor(30, 40), mixed(COLORS[1], 0.25))
    assert are_close(shown.pixelColor(55, 40), mixed(COLORS[2], 0.25))
    assert shown.pixelColor(30, 2) != GRAY  # ignored pixels are striped
    assert painted(gray(), overlay(), OverlayStyle("none")).pixelColor(30, 40) == GRAY
    assert painted(QImage(), overlay(), OverlayStyle()).isNull()


def test_a_mask_alone_shows_every_class_and_the_ground_under_hidden_ones() -> None:
    style = OverlayStyle("mask", 0.1)
    shown = painted(gray(), overlay(), style)
    colors = [shown.pixelColor(x, 40).name() for x in (5, 30, 55)]
    assert colors == list(COLORS)
    only = painted(gray(), overlay(), style.only(2, 3))
    assert [only.pixelColor(x, 40).name() for x in (30, 55)] == [GROUND.lower(), COLORS[2]]
    assert only.pixelColor(30, 2).name() == GROUND.lower()


def test_outlines_lie_inside_of_their_regions_and_leave_the_rest_free() -> None:
    shown = painted(gray(), overlay(), OverlayStyle("outline", 0.1))
    assert shown.pixelColor(20, 40).name() == COLORS[1]
    assert shown.pixelColor(39, 40).name() == COLORS[1]
    assert shown.pixelColor(40, 40).name() == COLORS[2]
    for x in (5, 19, 30, 50):
        assert shown.pixelColor(x, 40) == GRAY


def test_regions_take_the_size_of_a_picture_and_of_very_large_ones_a_smaller_copy() -> None:
    small = painted(gray(30), overlay(60), OverlayStyle("mask"))
    assert [small.pixelColor(x, 20).name() for x in (2, 15, 28)] == list(COLORS)
    wide = MaskOverlay(np.ones((10, 4000), np.uint8), NAMES, COLORS)
    made = wide.image(OverlayStyle())
    assert made.width() == 1600
    assert made.pixelColor(800, 2).name() == COLORS[1]
    assert overlay().counts() == [1000, 1000, 1000]
    assert overlay().ignored == 600


def test_a_view_paints_a_layer_with_its_opacity(theme: Theme, qtbot: QtBot) -> None:
    view, background = PictureView(theme), Background()
    qtbot.addWidget(view)
    view.resize(120, 120)
    view.set_image(gray())
    layer = OverlayLayer(view, background)
    shown = overlay()
    layer.show(shown, OverlayStyle("blend", 0.5))
    qtbot.waitUntil(lambda: view.layer() is not None)
    at = view.picture_rect().center()
    assert are_close(view.grab().toImage().pixelColor(at), mixed(COLORS[1], 0.5))
    made = view.layer()
    layer.show(shown, OverlayStyle("blend", 0.0))
    assert view.layer() is made  # a slider makes no other layer
    assert view.grab().toImage().pixelColor(at) == GRAY
    layer.show(shown, OverlayStyle("none"))
    assert view.layer() is None
    layer.show(shown, OverlayStyle("mask", hidden=frozenset((1,))))
    qtbot.waitUntil(lambda: view.layer() is not None)
    assert view.grab().toImage().pixelColor(at).name() == GROUND.lower()
    layer.show(None, OverlayStyle())
    assert view.grab().toImage().pixelColor(at) == GRAY
    background.close()


def test_thumbnails_stay_until_they_are_loaded_again(qtbot: QtBot) -> None:
    color = ["red"]

    def load(_key: Hashable) -> QImage:
        image = gray(8)
        image.fill(QColor(color[0]))
        return image

    loader = ThumbnailLoader(load)
    loader.want(["a"], 8)
    qtbot.waitUntil(loader.take)
    loader.want(["a"], 8)
    assert not loader.is_pending
    color[0] = "blue"
    loader.reload()
    loader.want(["a"], 8)
    kept = loader.get("a")
    assert kept is not None
    assert kept.pixelColor(1, 1) == QColor("red")
    qtbot.waitUntil(loader.take)
    found = loader.get("a")
    assert found is not None
    assert found.pixelColor(1, 1) == QColor("blue")


def test_the_legend_names_classes_with_their_fractions_and_hides_them(
    theme: Theme,
    qtbot: QtBot,
) -> None:
    legend = ClassLegend()
    qtbot.addWidget(legend)
    legend.set_classes(NAMES, COLORS)
    assert legend.fractions() == dict.fromkeys(NAMES, "")
    legend.show_counts(overlay().counts(), overlay().ignored)
    fractions = legend.fractions()
    assert list(fractions) == [*NAMES, "Ignored"]
    assert fractions["cell"].startswith("33")
    with qtbot.waitSignal(legend.changed):
        check(legend, 1, is_checked=False)
    assert legend.hidden() == {1}
    legend.set_classes(NAMES, ("#000000", "#ff0000", "#0072b2"))  # recolored
    assert legend.hidden() == {1}
    legend.set_classes(("other", "names"), COLORS[:2])
    assert legend.hidden() == frozenset()
    legend.show_counts(())
    assert set(legend.fractions().values()) == {""}


def test_a_narrow_legend_shows_whole_percentages(theme: Theme, qtbot: QtBot) -> None:
    legend = ClassLegend()
    qtbot.addWidget(legend)
    legend.set_classes(("background of the picture", "cell"), COLORS[:2])
    legend.resize(170, legend.height())
    legend.show()
    qtbot.waitUntil(lambda: legend.viewport().width() > 100)
    assert legend.columnWidth(0) == legend.viewport().width(), "no column without shares"
    legend.show_counts((734, 266))
    name, share = (legend.columnWidth(column) for column in range(2))
    assert name + share <= legend.viewport().width()
    assert share >= legend.sizeHintForColumn(1)
    assert legend.height() == legend.height_of(2)
    assert legend.viewport().height() - 2 * legend.rowHeight(0) <= 2, "no room of a hidden heading"


def test_mode_and_opacity_are_stored_and_the_same_on_all_panels(
    theme: Theme,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    settings = Settings(tmp_path / "window.json")
    panels = [OverlayPanel(settings) for _ in range(2)]
    for panel in panels:
        qtbot.addWidget(panel)
        panel.show_overlay(overlay())
    panels[0].bar.box.setCurrentIndex(panels[0].bar.box.findData("mask"))
    with qtbot.waitSignal(panels[1].changed):
        panels[0].bar.box.activated.emit(panels[0].bar.box.currentIndex())
    assert panels[1].bar.box.currentData() == "mask"
    assert not panels[1].bar.slider.isEnabled()
    assert panels[1].bar.slider.toolTip()
    settings.overlay = OverlayStyle("blend")
    panels[0].bar.slider.setValue(80)
    qtbot.waitUntil(lambda: panels[1].bar.slider.value() == 80)
    settings.save()
    assert Settings(tmp_path / "window.json").overlay == OverlayStyle("blend", 0.8)


def test_a_layer_of_a_photograph_takes_milliseconds() -> None:
    shown = overlay(512)
    picture = gray(512)
    times = []
    for _ in range(5):
        start = time.thread_time()
        painted(picture, shown, OverlayStyle("blend"))
        times.append(time.thread_time() - start)
    assert min(times) < 0.03
    assert overlay(512).image(OverlayStyle("outline")).size() == QSize(512, 512)
