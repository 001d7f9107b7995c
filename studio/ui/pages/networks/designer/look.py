"""How layers look: a color and an icon per family, and how sizes are written."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QPixmap

from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import LayerNode
from studio.ui.theme.icons import GLYPHS, pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, Role, chart_color, mix
from studio.ui.widgets.figures import number

PORT_RADIUS: Final = 5.0
PORT_REACH: Final = 11.0
"""How far from the middle of a port a press still takes it."""
GRID: Final = 8.0

_COLORS: Final = {
    "convolution": 0,
    "pooling": 1,
    "normalization": 2,
    "core": 3,
    "merging": 4,
    "activation": 5,
}
# Families beyond the six colors lie between two of them; their icons tell them apart too.
_BETWEEN: Final = {"recurrent": (0, 4), "preprocessing": (2, 5), "regularization": (1, 3)}


def family_of(node: LayerNode) -> str:
    """Family of a node's layer; `other` for one that Studio does not know."""
    return LAYERS[node.layer].family if node.layer in LAYERS else "other"


def family_color(family: str, theme: Theme) -> QColor:
    """Color of a family, the same for palette, canvas and inspector."""
    dark = theme.is_dark
    if family in _COLORS:
        return QColor(chart_color(_COLORS[family], dark=dark))
    if family in _BETWEEN:
        one, other = _BETWEEN[family]
        return QColor(mix(chart_color(one, dark=dark), chart_color(other, dark=dark), 0.5))
    return QColor(theme.palette.muted)


def layer_pixmap(name: str, theme: Theme, role: Role = "surface") -> QPixmap:
    """An icon at twice the size that it is painted in, so that it stays sharp from near."""
    return pixmap(name if name in GLYPHS else "layer-other", theme, role, 2 * ICON_SMALL)


def word(text: str) -> str:
    """Label or help of a layer or block in the user's language."""
    return QCoreApplication.translate("layers", text) if text else ""


def size_text(shape: tuple[int | None, ...]) -> str:
    """A shape without the batch: 28 × 28 × 32."""
    sides = ("?" if side is None else str(side) for side in shape)
    return " × ".join(sides) if shape else "1"


def rate_text(rate: float) -> str:
    """A factor of the learning rate: ×0.1."""
    return f"×{number(rate)}"
