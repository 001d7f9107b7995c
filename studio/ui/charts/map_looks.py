"""Which dots of a map look alike: by class, by split, or by right and wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor

from studio.ui.charts.dots import DotKind, DotShape
from studio.ui.charts.spoken import MOST_LINES
from studio.ui.theme.tokens import CHART_COLORS, Palette, chart_color, mix
from studio.ui.widgets.figures import count

MapColoring = Literal["class", "split", "error"]
SHAPES: tuple[DotShape, ...] = ("circle", "square", "triangle")
_FEW = 2000
"""Up to so many, dots are large."""
_FADED = 0.22


@dataclass(frozen=True)
class MapPoints:
    """What a map shows.

    Attributes:
        places: N x 2.
        labels: Class of each, N.
        splits: 0 for training, 1 for validation, 2 for test, N.
        right: Whether the model takes each for what it is, N; None where that is not known.
        classes: Names of the classes.
    """

    places: NDArray[np.float32]
    labels: NDArray[np.int32]
    splits: NDArray[np.int8]
    right: NDArray[np.bool_] | None
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Coloring:
    """How the dots are told apart.

    Attributes:
        kinds: Index into `names` of each dot, N.
        names: What each kind is; with more classes than looks, several share one.
        looks: Color and shape of each.
    """

    kinds: NDArray[np.intp]
    names: tuple[str, ...]
    looks: tuple[DotKind, ...]


def coloring_of(points: MapPoints, by: MapColoring, palette: Palette) -> Coloring:
    """Tell dots apart by color and, where colors do not suffice, by shape."""
    dark = palette.name == "dark"
    size = 7.0 if len(points) <= _FEW else 4.0
    if by == "split":
        names = [_tr("Training"), _tr("Validation"), _tr("Test")]
        looks = [_look(at, size, dark=dark, shape=SHAPES[at]) for at in range(3)]
        return Coloring(points.splits.astype(np.intp), tuple(names), tuple(looks))
    if by == "error" and points.right is not None:
        # The wrong ones above, larger and of another shape.
        right = DotKind(QColor(mix(palette.surface, chart_color(0, dark=dark), 0.6)), size)
        wrong = DotKind(QColor(chart_color(3, dark=dark)), size + 2, shape="triangle")
        kinds = np.where(points.right, 0, 1).astype(np.intp)
        return Coloring(kinds, (_tr("Right"), _tr("Wrong")), (right, wrong))
    return _by_class(points, size, dark=dark)


def faded(look: DotKind, palette: Palette) -> DotKind:
    """The same among dots that are not meant."""
    return DotKind(
        QColor(mix(palette.surface, look.color.name(), _FADED)), look.size, shape=look.shape
    )


def map_text(points: MapPoints | None, selected: int) -> str:
    """How many images a map shows, of which classes, and how many are selected."""
    if points is None or not len(points):
        return ""
    shown = points.classes[:MOST_LINES]
    more = "" if len(shown) == len(points.classes) else ", …"
    text = _spoken("{number} images in {count} classes: {names}").format(
        number=count(len(points)),
        count=count(len(points.classes)),
        names=", ".join(shown) + more,
    )
    if points.right is not None:
        wrong = int((~points.right).sum())
        text += _spoken("; {number} taken for something else").format(number=count(wrong))
    if selected:
        text += _spoken("; {number} selected").format(number=count(selected))
    return text + "."


def _spoken(text: str) -> str:
    return QCoreApplication.translate("spoken", text)


def _by_class(points: MapPoints, size: float, *, dark: bool) -> Coloring:
    number = min(len(points.classes), len(CHART_COLORS) * len(SHAPES))
    looks = tuple(
        _look(at, size, dark=dark, shape=SHAPES[at // len(CHART_COLORS)]) for at in range(number)
    )
    names = tuple(", ".join(points.classes[at::number]) for at in range(number))
    return Coloring((points.labels % max(1, number)).astype(np.intp), names, looks)


def _look(index: int, size: float, *, dark: bool, shape: DotShape) -> DotKind:
    return DotKind(QColor(chart_color(index, dark=dark)), size, shape=shape)


def _tr(text: str) -> str:
    return QCoreApplication.translate("map", text)
