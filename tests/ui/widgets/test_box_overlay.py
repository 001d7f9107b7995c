"""Boxes over pictures: lines of the same width at any size, tags, scores, hidden classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from helpers.windows import check
from studio.engine.tasks.detection.matching import outcome
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.objects import Objects
from studio.ui.bridge.background import Background
from studio.ui.settings import Settings
from studio.ui.shared.overlay import OverlayLayer, OverlayPanel
from studio.ui.tasks.detection.view import error_overlay
from studio.ui.theme.theme import Theme
from studio.ui.widgets.overlay import (
    BoxOverlay,
    OverlaidImage,
    OverlayStyle,
    PictureBox,
    overlaid,
    painted,
    picture_boxes,
)
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.thumbnails import fitted

NAMES = ("cell", "wall")
COLORS = ("#e69f00", "#0072b2")
GRAY = QColor(100, 100, 100)
OUTLINE = OverlayStyle("outline")


def gray(width: int = 100, height: int = 80) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB888)
    image.fill(GRAY)
    return image


def boxes(*found: PictureBox, size: tuple[int, int] = (100, 80)) -> BoxOverlay:
    return BoxOverlay(found, size, NAMES, COLORS)


CELL = PictureBox(0, 20, 30, 70, 70)
WALL = PictureBox(1, 75, 5, 95, 25)


def is_color(image: QImage, x: int, y: int, color: str) -> bool:
    return image.pixelColor(x, y).name() == color


def test_lines_lie_inside_of_their_boxes_and_leave_the_rest_of_the_picture() -> None:
    shown = painted(gray(), boxes(CELL, WALL), OUTLINE)

    assert is_color(shown, 20, 50, COLORS[0])
    assert is_color(shown, 21, 50, COLORS[0])
    assert is_color(shown, 68, 50, COLORS[0])
    assert is_color(shown, 45, 69, COLORS[0])
    assert is_color(shown, 94, 20, COLORS[1])
    assert shown.pixelColor(45, 55) == GRAY
    assert shown.pixelColor(10, 50) == GRAY
    assert painted(gray(), boxes(CELL), OverlayStyle("none")).pixelColor(20, 50) == GRAY


def test_a_filled_box_lets_the_picture_shine_through_by_its_opacity() -> None:
    weak, strong = (
        painted(gray(), boxes(CELL), OverlayStyle("blend", opacity)).pixelColor(45, 55)
        for opacity in (0.2, 1.0)
    )

    assert GRAY.red() < weak.red() < strong.red() < QColor(COLORS[0]).red()


def test_lines_have_the_same_width_at_any_zoom() -> None:
    for scale in (1, 4, 10):
        shown = painted(gray(100 * scale, 80 * scale), boxes(CELL), OUTLINE)
        middle = 50 * scale
        colored = [
            x for x in range(15 * scale, 25 * scale) if is_color(shown, x, middle, COLORS[0])
        ]
        assert colored == [20 * scale, 20 * scale + 1]


def test_a_thumbnail_is_painted_in_its_own_size() -> None:
    large, small = gray(1000, 800), gray(50, 40)
    for image in (large, small):
        found = overlaid(image, boxes(CELL), OUTLINE)
        assert isinstance(found, OverlaidImage)
        shown = fitted(found, 200)
        assert shown.size() == QSize(200, 160)
        assert [x for x in range(30, 50) if is_color(shown, x, 100, COLORS[0])] == [40, 41]
    assert overlaid(large, None, OUTLINE) is large
    assert overlaid(QImage(), boxes(CELL), OUTLINE) == QImage()


def test_difficult_objects_are_dashed_and_do_not_count() -> None:
    rows = np.array(
        [[0, 20, 30, 70, 70, 0], [1, 5, 5, 95, 75, 2], [-1, 0, 0, 0, 0, 0]], np.float32
    )
    found = picture_boxes(rows)
    assert [(box.label, box.dashed) for box in found] == [(0, False), (1, True)]
    overlay = boxes(*found)
    assert overlay.counts() == [1, 0]
    shown = painted(gray(), overlay, OverlayStyle("blend", 1.0))
    upper = [is_color(shown, x, 5, COLORS[1]) for x in range(10, 90)]
    assert any(upper)
    assert not all(upper)
    assert shown.pixelColor(10, 50) == GRAY, "regions of crowds are not filled"


def test_hidden_classes_and_low_scores_are_not_painted_or_counted() -> None:
    rows = np.array([[0, 20, 30, 70, 70, 0.9], [1, 75, 5, 95, 25, 0.3]], np.float32)
    overlay = boxes(*picture_boxes(rows, are_scored=True))

    assert overlay.has_scores
    assert (overlay.counts(), overlay.counts(0.5)) == ([1, 1], [1, 0])
    without = painted(gray(), overlay, OverlayStyle("outline", min_score=0.5))
    assert without.pixelColor(75, 15) == GRAY
    assert is_color(without, 20, 50, COLORS[0])
    hidden = painted(gray(), overlay, OverlayStyle("outline", hidden=frozenset({0})))
    assert hidden.pixelColor(20, 50) == GRAY
    assert is_color(hidden, 75, 15, COLORS[1])


def test_tags_stand_where_there_is_room() -> None:
    one = PictureBox(0, 100, 100, 300, 300, score=0.5)
    picture = gray(400, 400)
    tagged = painted(picture, boxes(one, size=(400, 400)), OUTLINE)
    assert is_color(tagged, 101, 92, COLORS[0]), "above the box"

    top = PictureBox(0, 100, 0, 300, 200, score=0.5)
    inside = painted(picture, boxes(top, size=(400, 400)), OUTLINE)
    assert is_color(inside, 101, 10, COLORS[0]), "inside where it would be cut off"

    tiny = PictureBox(0, 100, 100, 110, 110, score=0.5)
    bare = painted(picture, boxes(tiny, size=(400, 400)), OUTLINE)
    assert all(bare.pixelColor(x, 92) == GRAY for x in range(90, 130))


def test_a_view_paints_boxes_over_a_picture_of_any_size(theme: Theme, qtbot: QtBot) -> None:
    view, background = PictureView(theme), Background()
    qtbot.addWidget(view)
    view.resize(200, 160)
    view.set_image(gray())
    layer = OverlayLayer(view, background)
    overlay = boxes(CELL)
    layer.show(overlay, OUTLINE)
    qtbot.waitUntil(lambda: view.layer() is not None)
    for size in (QSize(200, 160), QSize(400, 320)):
        view.resize(size)
        shown = view.grab().toImage()
        left, middle = size.width() // 5, size.height() * 5 // 8
        assert is_color(shown, left, middle, COLORS[0])
        assert is_color(shown, left + 1, middle, COLORS[0])
        assert not is_color(shown, left + 4, middle, COLORS[0])
    layer.show(overlay, OverlayStyle("mask"))
    qtbot.waitUntil(lambda: is_color(view.grab().toImage(), 80, 200, COLORS[0]))
    assert view.grab().toImage().pixelColor(20, 20) == GRAY, "boxes never hide the picture"
    layer.show(overlay, OverlayStyle("none"))
    assert view.layer() is None
    background.close()


def test_the_panel_counts_boxes_and_follows_the_least_score(
    theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = OverlayPanel(Settings(tmp_path / "window.json"), is_wide=True)
    qtbot.addWidget(panel)
    panel.show_overlay(boxes(CELL, CELL, WALL))
    assert panel.legend.fractions() == {"cell": "2", "wall": "1"}
    assert panel.scores.isHidden()
    modes = [panel.bar.box.itemData(row) for row in range(panel.bar.box.count())]
    assert modes == ["blend", "objects", "outline", "none"]
    assert panel.style_now().min_score is None, "the threshold of each box"

    scored = np.array([[0, 20, 30, 70, 70, 0.9], [1, 75, 5, 95, 25, 0.3]], np.float32)
    panel.show_overlay(boxes(*picture_boxes(scored, are_scored=True)))
    assert not panel.scores.isHidden()
    with qtbot.waitSignal(panel.changed):
        panel.scores.slider.setValue(50)
    assert panel.style_now().min_score == 0.5
    assert panel.legend.fractions() == {"cell": "1", "wall": "–"}
    with qtbot.waitSignal(panel.changed):
        check(panel.legend, 0, is_checked=False)
    assert panel.style_now().hidden == {0}


def test_the_mode_without_the_picture_means_filled_boxes(
    theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    settings = Settings(tmp_path / "window.json")
    settings.overlay = OverlayStyle("mask")
    panel = OverlayPanel(settings)
    qtbot.addWidget(panel)
    panel.bar.show_part(Objects)
    assert panel.bar.box.currentData() == "blend"
    assert settings.overlay.mode == "mask", "masks elsewhere stay as they are"
    panel.bar.show_part(ClassMap)
    assert panel.bar.box.currentData() == "mask"


def test_boxes_of_a_report_obey_the_chosen_score() -> None:
    detections = np.array([[0, 20, 30, 70, 70, 0.9], [0, 0, 0, 10, 10, 0.6]], np.float32)
    objects = np.array([[0, 20, 30, 70, 70, 0]], np.float32)
    shown = error_overlay(outcome(detections, objects, np.array([0.5])), None, NAMES, (100, 80))
    assert sum(shown.counts(0.5)) == 2
    assert sum(shown.counts(0.7)) == 1
