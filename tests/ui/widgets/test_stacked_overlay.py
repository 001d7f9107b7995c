"""Several parts of a prediction over one picture, and beside it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.ui.shared.part_views import bar_lines, caption, is_drawn, overlay_of
from studio.ui.widgets.heat_overlay import HeatMapOverlay
from studio.ui.widgets.overlay import Overlay, OverlayMode, OverlayStyle, painted
from studio.ui.widgets.stacked_overlay import StackedOverlay

SIDE = 40
NAMES, COLORS = ("cell",), ("#e69f00",)
CELL = DetectedObject(
    label="cell", score=0.9, left=4.0, top=4.0, right=16.0, bottom=16.0, threshold=0.5
)
SCORES = Scores(classes=(ClassScore(label="bad", score=0.9),))


def gray() -> QImage:
    image = QImage(SIDE, SIDE, QImage.Format.Format_RGB888)
    image.fill(QColor(100, 100, 100))
    return image


def heat() -> HeatMap:
    """A map that is low at the left and high at the right."""
    values = np.zeros((SIDE, SIDE), np.float32)
    values[:, SIDE // 2 :] = 1.0
    return HeatMap.of(values, "glow", threshold=0.5)


def drawn(prediction: Prediction) -> Overlay:
    found = overlay_of(prediction, NAMES, COLORS)
    assert found is not None
    return found


def test_scores_are_listed_beside_a_map() -> None:
    prediction = Prediction(scores=SCORES, heat_map=heat())

    assert isinstance(drawn(prediction), HeatMapOverlay)
    assert [line.name for line in bar_lines(prediction)] == ["bad", "glow"]
    assert caption(prediction).startswith("bad")
    assert "glow" in caption(prediction)


@pytest.mark.parametrize("mode", ["blend", "outline"])
def test_objects_and_a_map_are_painted_over_one_picture(mode: OverlayMode) -> None:
    objects = Objects(candidates=(CELL,), size=(SIDE, SIDE))
    style = OverlayStyle(mode, has_tags=False)
    shown = [
        painted(gray(), drawn(each), style)
        for each in (
            Prediction(objects=objects),
            Prediction(heat_map=heat()),
            Prediction(objects=objects, heat_map=heat()),
        )
    ]

    box, glow, both = shown
    left, right = (0, 0, SIDE // 2 - 2, SIDE), (SIDE // 2 + 2, 0, SIDE // 2 - 2, SIDE)
    assert both.copy(*right) == glow.copy(*right)
    assert both.copy(*left) == box.copy(*left)
    assert box != gray().convertToFormat(box.format())


def test_the_legend_is_that_of_the_classes() -> None:
    objects = Objects(candidates=(CELL,), size=(SIDE, SIDE))
    prediction = Prediction(objects=objects, heat_map=heat())
    overlay = drawn(prediction)

    assert is_drawn(prediction)
    assert isinstance(overlay, StackedOverlay)
    assert overlay.part is Objects
    assert overlay.is_scaled
    assert overlay.has_scores
    assert overlay.threshold == 0.5
    assert list(overlay.names) == ["cell"]
    assert overlay.counts() == [1]
    assert overlay.counts(0.95) == [0]
    assert isinstance(overlay.overlays[0], HeatMapOverlay), "the map lies below"
    more = overlay.with_boxes([])
    assert isinstance(more, StackedOverlay)
    assert len(more.overlays) == 2
