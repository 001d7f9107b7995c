"""Predicted masks: their regions, and the area of each class."""

from __future__ import annotations

import base64
from functools import partial
from io import BytesIO

from PySide6.QtCore import QCoreApplication

from studio.engine.tasks.answer import Answer, ClassArea
from studio.ui.tasks.segmentation.data import is_background
from studio.ui.tasks.view import AnswerView
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart
from studio.ui.widgets.overlay import Overlay

_tr = partial(QCoreApplication.translate, "masks")


class MaskAnswer(AnswerView):
    """Shows the area of each class, and the mask over the picture."""

    def headline(self, answer: Answer) -> str:
        """Return the object with the largest area."""
        areas = _objects(answer)
        return _area(areas[0]) if areas else _tr("Only background")

    def caption(self, answer: Answer) -> str:
        """Return the object with the largest area."""
        return self.headline(answer)

    def strongest(self, answer: Answer) -> tuple[str, float]:
        """Return the object with the largest area, and its share of the pixels."""
        areas = _objects(answer)
        return (areas[0].label, areas[0].share) if areas else ("", 0.0)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each class that occurs, the largest area first."""
        there = [each for each in answer.areas if each.pixels]
        return [
            BarLine(
                each.label,
                _tr("{share} · {n} px").format(share=percent(each.share), n=count(each.pixels)),
                each.share,
                is_strong=not is_background(each.label),
            )
            for each in sorted(there, key=lambda each: -each.pixels)
        ]

    def overlay(self, answer: Answer) -> Overlay | None:
        """Return the mask in the colors of its palette."""
        if not answer.mask:
            return None
        import numpy as np  # noqa: PLC0415 - the window starts without it
        from PIL import Image  # noqa: PLC0415

        with Image.open(BytesIO(base64.b64decode(answer.mask)), formats=("PNG",)) as image:
            labels = np.array(image, np.uint8)
            palette = image.getpalette("RGB") or []
        names = [each.label for each in answer.areas]
        colors = [
            f"#{bytes(palette[3 * index : 3 * index + 3]).hex()}" for index in range(len(names))
        ]
        return Overlay(labels, names, colors)


def _objects(answer: Answer) -> list[ClassArea]:
    """Return the areas of what is no background, the largest first."""
    there = [each for each in answer.areas if each.pixels and not is_background(each.label)]
    return sorted(there, key=lambda each: -each.pixels)


def _area(area: ClassArea) -> str:
    return f"{apart(area.label)} {percent(area.share)}"
