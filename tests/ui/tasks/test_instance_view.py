"""The view of objects with outlines: errors over pictures, and the table of measurements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.tasks.detection.matching import outcome_of
from studio.engine.tasks.instances.matching import compared
from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.engine.tasks.parts.outlines import traced
from studio.engine.tasks.stars import DISTANCES, VALUES, X, Y
from studio.ui.bridge.background import Background
from studio.ui.shared.object_panel import ObjectPanel
from studio.ui.shared.part_views import view_of_part
from studio.ui.tasks.instances.view import VIEW, PictureErrors
from studio.ui.tasks.region_results import FALSE_COLOR, MISSED_COLOR, RIGHT_COLOR
from studio.ui.theme.theme import Theme
from studio.ui.widgets.outlines import OutlineOverlay
from studio.ui.widgets.overlay import OverlayStyle
from studio.ui.widgets.pictures import PictureView

NAMES, COLORS = ("cell", "debris"), ("#e69f00", "#0072b2")


def star(x: float, y: float, radius: float, score: float, label: int = 0) -> NDArray[np.float32]:
    """Return a round star."""
    row = np.zeros(VALUES, np.float32)
    row[0], row[1:5] = label, (x - radius, y - radius, x + radius, y + radius)
    row[5], row[X], row[Y], row[DISTANCES:] = score, x, y, radius
    return row


def disks(*places: tuple[int, int, int]) -> NDArray[np.int32]:
    """Return a label image with disks of class 0 at x, y with a radius."""
    rows, columns = np.mgrid[:80, :120]
    labels = np.zeros((80, 120), np.int32)
    for number, (x, y, radius) in enumerate(places, 1):
        labels[(rows + 0.5 - y) ** 2 + (columns + 0.5 - x) ** 2 <= radius**2] = number * 256
    return labels


@pytest.fixture(name="errors")
def _errors() -> PictureErrors:
    """Right, merged, split, false and missed objects."""
    labels = disks((15, 15, 10), (50, 15, 6), (64, 15, 6), (90, 50, 16), (20, 60, 8))
    stars = np.stack(
        [
            star(15, 15, 10, 0.9),
            star(57, 15, 15, 0.8),  # two objects
            star(83, 50, 7, 0.7),  # two parts of one object
            star(97, 50, 7, 0.6),
            star(50, 60, 6, 0.5),  # nothing
        ]
    )
    image = compared(stars, labels)
    return PictureErrors(image, outcome_of(image.rows, image.objects, image.pairs), labels)


def test_errors_are_found_by_kind(errors: PictureErrors) -> None:
    """Merged and split objects are found by their overlap with predictions."""
    counts = {
        kind: tuple(int(each.sum()) for each in errors.chosen(kind, None))
        for kind, _ in VIEW.report.image_kinds()
    }
    assert counts["right"] == (1, 0)
    assert counts["merged"] == (1, 0)
    assert counts["split"] == (2, 0)
    assert counts["missed"] == (0, 4)
    assert counts["background"][0] >= 1
    assert counts[""] == (5, 4)
    assert errors.chosen("", 1)[0].sum() == 0, "no object is of the other class"


def test_errors_have_the_colors_of_their_kinds(errors: PictureErrors) -> None:
    """Missed objects have the outline of the label image, others that of the prediction."""
    overlay = errors.overlay("", None, NAMES)
    assert overlay.size == (120, 80)
    colors = [overlay.colors[each.label] for each in overlay.objects]
    assert colors.count(RIGHT_COLOR) == 1
    assert colors.count(MISSED_COLOR) == 4
    assert colors.count(FALSE_COLOR) == 4
    assert all(each.outline for each in overlay.objects)
    assert overlay.at(15, 15, OverlayStyle()) == 0


def _objects() -> Objects:
    labels = disks((20, 20, 10), (60, 40, 5))
    found = []
    for value, rings in traced(labels).items():
        rows, columns = np.nonzero(labels == value)
        sides = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        left, top, right, bottom = map(float, sides)
        found.append(
            DetectedObject(
                label=NAMES[value // 512],
                score=0.9 if value == 256 else 0.4,
                threshold=0.3,
                left=left,
                top=top,
                right=right,
                bottom=bottom,
                outline=rings,
            )
        )
    return Objects(candidates=tuple(found), size=(120, 80), has_outlines=True)


@dataclass(frozen=True)
class Shown:
    """A panel with two measured objects."""

    panel: ObjectPanel
    view: PictureView
    overlay: OutlineOverlay


@pytest.fixture(name="shown")
def _shown(theme: Theme, qtbot: QtBot, tmp_path: Path) -> Shown:
    path = tmp_path / "cells.png"
    image = QImage(120, 80, QImage.Format.Format_Grayscale8)
    image.fill(50)
    assert image.save(str(path))
    view = PictureView(theme)
    qtbot.addWidget(view)
    view.resize(240, 160)
    view.set_image(image, "cells")
    view.show()
    panel = ObjectPanel(Background(), view)
    qtbot.addWidget(panel)
    objects = _objects()
    overlay = view_of_part(Objects).overlay(objects, NAMES, COLORS)
    assert isinstance(overlay, OutlineOverlay)
    panel.show_objects(path, objects, overlay)
    qtbot.waitUntil(lambda: bool(panel.measured.rows))
    return Shown(panel, view, overlay)


def chosen(panel: ObjectPanel) -> list[int]:
    """Return the index of the chosen object."""
    row = panel.table.current
    return [] if row is None else [row.index]


def test_objects_are_rows_with_measurements(shown: Shown) -> None:
    """Brightness is that of the file."""
    first, second = shown.panel.measured.rows
    assert first.measured is not None
    assert list(first.measured.means) == [50]
    assert first.measured.area > 250
    assert second.found.label == "debris"
    assert shown.panel.measured.unit == "px"
    assert shown.panel.table.content.rowCount() == 2


def test_a_click_in_the_picture_chooses_a_row(shown: Shown) -> None:
    """Arrow keys choose other rows; the picture is twice as large."""
    panel = shown.panel
    QTest.mouseClick(panel.mark, Qt.MouseButton.LeftButton, pos=QPoint(120, 80))
    assert chosen(panel) == [1]
    QTest.keyClick(panel.table, Qt.Key.Key_Up)
    assert chosen(panel) == [0]
    picture = shown.view.grab().toImage()
    assert picture.pixelColor(20, 40).lightness() > 200, "the edge at x = 10 is marked"


def test_filters_hide_rows(shown: Shown) -> None:
    """Those of hidden classes and low scores are neither painted nor listed."""
    shown.panel.show_style(OverlayStyle(min_score=0.5))
    assert shown.panel.table.content.rowCount() == 1
    shown.panel.show_style(OverlayStyle(hidden=frozenset({0})))
    assert shown.panel.table.content.rowCount() == 1
    shown.panel.show_objects(None, None, None)
    assert shown.panel.isHidden()
