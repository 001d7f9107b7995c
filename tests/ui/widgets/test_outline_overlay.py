"""Outlines of objects over pictures."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from studio.engine.tasks.parts.objects import Objects
from studio.ui.widgets.outlines import OutlineOverlay, outlines_of_labels
from studio.ui.widgets.overlay import (
    OverlayStyle,
    color_of_object,
    painted,
)
from studio.ui.widgets.region_overlays import overlay_of_regions

NAMES, COLORS = ["cell", "debris"], ["#ff0000", "#0000ff"]
FILLED = OverlayStyle("blend", opacity=1.0)


def labels() -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Return a ring of class 0 and a square of class 1 in 40 x 60 pixels."""
    found = np.zeros((40, 60), np.int32)
    found[5:25, 5:25] = 256
    found[12:18, 12:18] = 0
    found[10:30, 35:55] = 2 * 256 + 1
    found[0:3] = -1
    return found


def overlay() -> OutlineOverlay:
    """Return the overlay of the label image."""
    return outlines_of_labels(labels(), NAMES, COLORS)


def color_at(style: OverlayStyle, x: int, y: int, shown: OutlineOverlay | None = None) -> QColor:
    """Return the color of a pixel of a black picture with the outlines."""
    image = QImage(QSize(60, 40), QImage.Format.Format_RGB32)
    image.fill(0)
    return painted(image, shown or overlay(), style).pixelColor(x, y)


def test_label_images_become_outlines() -> None:
    """They are recognized by their whole numbers; ignored pixels are no object."""
    found = overlay_of_regions(Objects, labels(), (60, 40), NAMES, COLORS)
    assert isinstance(found, OutlineOverlay)
    assert found.counts() == [1, 1]
    assert not found.has_scores
    assert [len(each.outline) for each in found.objects] == [2, 1]


def test_objects_are_filled_and_holes_are_not() -> None:
    """In the color of the class; outlines alone fill nothing."""
    inside = color_at(FILLED, 9, 9)
    assert inside.red() > 80
    assert inside.blue() == 0
    assert color_at(FILLED, 15, 15) == QColor("black")
    assert color_at(OverlayStyle("outline"), 9, 9) == QColor("black")
    assert color_at(OverlayStyle("outline"), 5, 10).red() > 80


def test_each_object_may_have_its_own_color() -> None:
    """Neighbors of one class are told apart."""
    style = OverlayStyle("objects", opacity=1.0)
    assert color_at(style, 45, 20).hue() != QColor(COLORS[1]).hue()
    hues = [color_of_object(number).hue() for number in range(4)]
    assert len(set(hues)) == 4


def test_hidden_classes_are_neither_painted_nor_found() -> None:
    """A click finds the object that is seen at a point, and none in a hole."""
    found, hidden = overlay(), OverlayStyle(hidden=frozenset({0}))
    assert found.at(8, 8, FILLED) == 0
    assert found.at(15, 15, FILLED) is None
    assert found.at(40, 20, FILLED) == 1
    assert found.at(8, 8, hidden) is None
    assert color_at(hidden, 9, 9) == QColor("black")


def test_a_chosen_object_has_a_wide_white_line() -> None:
    """It is marked at any size of the picture."""
    chosen = overlay().with_chosen(1)
    assert color_at(FILLED, 35, 20, chosen) == QColor("white")
    assert color_at(FILLED, 35, 20) != QColor("white")
