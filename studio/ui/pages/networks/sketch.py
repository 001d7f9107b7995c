"""A network as a small picture: its layers as blocks of the colors of their families."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.engine.networks.spec import INPUT, NetworkSpec
from studio.ui.pages.networks.designer.layout import lay_out
from studio.ui.pages.networks.designer.look import family_color, family_of
from studio.ui.theme.theme import Theme

HEIGHT = 64
_NODE = (24.0, 36.0)
_WIDEST = 0.55
_HIGHEST = 0.9
_CORNER = 2.0


@dataclass(frozen=True, slots=True)
class Drawing:
    """Places and families of the layers, in units of their own, and the wires between."""

    boxes: tuple[tuple[float, float, str], ...]
    wires: tuple[tuple[float, float, float, float], ...]
    bounds: tuple[float, float, float, float]


def draw(spec: NetworkSpec) -> Drawing:
    """Lay a network out from left to right; any thread, some milliseconds."""
    wires = [(source, node.id) for node in spec.nodes for source in node.inputs if source != INPUT]
    places = lay_out({node.id: _NODE for node in spec.nodes}, wires, None, "right")
    width, height = _NODE
    boxes = tuple((*places[node.id], family_of(node)) for node in spec.nodes)
    lines = tuple(
        (
            places[source][0] + width,
            places[source][1] + height / 2,
            places[target][0],
            places[target][1] + height / 2,
        )
        for source, target in wires
        if source in places
    )
    left, top = min(x for x, _, _ in boxes), min(y for _, y, _ in boxes)
    right, bottom = max(x for x, _, _ in boxes) + width, max(y for _, y, _ in boxes) + height
    return Drawing(boxes, lines, (left, top, right - left, bottom - top))


class Sketch(QWidget):
    """Paints a drawing as large as it fits; nothing until there is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._drawing: Drawing | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_drawing(self, drawing: Drawing | None) -> None:
        """Show another network."""
        self._drawing = drawing
        self.update()

    @property
    def drawing(self) -> Drawing | None:
        """What is shown."""
        return self._drawing

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(200, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint wires, then layers over them."""
        if self._drawing is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, top, width, height = self._drawing.bounds
        # Long networks are pressed together like a bar code, so that each layer can be seen.
        across = min(self.width() / width, _WIDEST)
        down = min(self.height() / height, _HIGHEST)
        x0 = (self.width() - width * across) / 2 - left * across
        y0 = (self.height() - height * down) / 2 - top * down
        painter.setPen(QPen(QColor(self._theme.palette.outline), 1.0))
        for x1, y1, x2, y2 in self._drawing.wires:
            start = QPointF(x0 + x1 * across, y0 + y1 * down)
            painter.drawLine(start, QPointF(x0 + x2 * across, y0 + y2 * down))
        painter.setPen(Qt.PenStyle.NoPen)
        box = QSizeF(_NODE[0] * across, _NODE[1] * down)
        corner = min(_CORNER, box.width() / 3)
        for x, y, family in self._drawing.boxes:
            painter.setBrush(family_color(family, self._theme))
            place = QPointF(x0 + x * across, y0 + y * down)
            painter.drawRoundedRect(QRectF(place, box), corner, corner)
        painter.end()
