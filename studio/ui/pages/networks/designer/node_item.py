"""One box of the canvas: a layer, a folded block, the images, or the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem

from studio.ui.pages.networks.designer.layout import Direction
from studio.ui.pages.networks.designer.look import (
    PORT_RADIUS,
    PORT_REACH,
    family_color,
    layer_pixmap,
)
from studio.ui.pages.networks.designer.painted import Painted
from studio.ui.pages.networks.designer.picture import NODE_SIZE
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, TYPE, mix
from studio.ui.widgets.eliding import elided

Kind = Literal["layer", "block", "images", "classes"]
Port = Literal["in", "out"]

_CHIP: Final = 28.0
_PAD: Final = 10.0
_MARK: Final = 20.0
FAR: Final = 0.28
"""Below this scale a box is a patch of color."""
_MIDDLE: Final = 0.55
"""Below this scale a box has its name alone."""


@dataclass(frozen=True, slots=True)
class NodeLook:
    """What a box says.

    Attributes:
        kind: What it stands for.
        title: Its name, without that of the block whose frame it stands in.
        detail: The line below: shape, or number of layers.
        family: Family of the layer; empty where it is none.
        frozen: Whether training leaves it alone.
        rate: Factor of the learning rate, written; empty for 1.
        trouble: `serious` or `advice` where a problem belongs to it.
        stale: Whether the detail is out of date.
        lit: Whether a wire may be dropped on it now.
        tip: What the tooltip says besides.
    """

    kind: Kind
    title: str
    detail: str = ""
    family: str = ""
    frozen: bool = False
    rate: str = ""
    trouble: str = ""
    stale: bool = False
    lit: bool = False
    tip: str = ""


class NodeItem(Painted, QGraphicsRectItem):
    """Paints a `NodeLook`; `key` is a node id, `INPUT`, `CLASSES` or that of a folded block."""

    def __init__(self, key: str, look: NodeLook, theme: Theme) -> None:
        reach = PORT_RADIUS + 2
        super().__init__(
            QRectF(-reach, -reach, NODE_SIZE[0] + 2 * reach, NODE_SIZE[1] + 2 * reach)
        )
        self.key = key
        self.look = look
        self._theme = theme
        self._direction: Direction = "down"
        self._texts: tuple[str, str] | None = None
        self._picture: QPixmap | None = None
        self._color: QColor | None = None
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self._say()

    def show_look(self, look: NodeLook, direction: Direction) -> None:
        """Look another way."""
        if (look, direction) != (self.look, self._direction):
            self.look, self._direction = look, direction
            self._texts = None
            self._say()
            self.restyle()

    def restyle(self) -> None:
        """Paint anew, in other colors perhaps."""
        self._picture = None
        self._color = None
        self.update()

    def port(self, which: Port) -> QPointF:
        """Middle of a port, in the coordinates of the scene."""
        width, height = NODE_SIZE
        if self._direction == "down":
            local = QPointF(width / 2, 0.0 if which == "in" else height)
        else:
            local = QPointF(0.0 if which == "in" else width, height / 2)
        return self.pos() + local

    def has_port(self, which: Port) -> bool:
        """Whether it has such a port."""
        return self.look.kind != ("images" if which == "in" else "classes")

    def port_at(self, place: QPointF) -> Port | None:
        """The port at a place of the scene; a folded block has none to wire."""
        if self.look.kind == "block":
            return None
        for which in ("out", "in"):
            name: Port = "out" if which == "out" else "in"
            apart = self.port(name) - place
            if self.has_port(name) and apart.manhattanLength() <= PORT_REACH:
                return name
        return None

    def box(self) -> QRectF:
        """The box without its ports, in the coordinates of the scene."""
        return QRectF(self.pos().x(), self.pos().y(), *NODE_SIZE)

    def color(self) -> QColor:
        """The color that stands for it."""
        if self._color is None:
            if self.look.kind == "layer":
                self._color = family_color(self.look.family, self._theme)
            else:
                quiet = self.look.kind == "block"
                self._color = self._theme.color("muted" if quiet else "accent")
        return self._color

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint as much as can be seen at the scale."""
        chosen = self.isSelected()
        body = QRectF(0, 0, *NODE_SIZE)
        if scale < FAR:
            fill = self._theme.color("bad") if self.look.trouble == "serious" else self.color()
            painter.fillRect(body, fill)
            if chosen:
                painter.setPen(QPen(self._theme.color("text"), 2 / scale))
                painter.drawRect(body)
            return
        self._paint_body(painter, body, chosen=chosen)
        self._paint_chip(painter)
        self._paint_words(painter, whole=scale >= _MIDDLE)
        if scale >= _MIDDLE:
            self._paint_marks(painter)
            self._paint_ports(painter)

    def _paint_body(self, painter: QPainter, body: QRectF, *, chosen: bool) -> None:
        palette = self._theme.palette
        edge, width = QColor(palette.outline if self.look.kind == "block" else palette.border), 1.0
        if self.look.trouble == "serious":
            edge, width = QColor(palette.bad), 1.5
        if self.look.lit:
            edge, width = QColor(palette.good), 2.0
        if chosen:
            edge, width = QColor(palette.accent), 2.0
        fill = QColor(palette.raised)
        if self.look.frozen:
            fill = QColor(mix(palette.raised, palette.selection, 0.55))
        painter.setPen(QPen(edge, width))
        painter.setBrush(fill)
        if self.look.kind == "block":  # a second sheet below: there is more inside
            painter.drawRoundedRect(body.translated(3, 3), RADIUS.card, RADIUS.card)
        painter.drawRoundedRect(body, RADIUS.card, RADIUS.card)

    def _paint_chip(self, painter: QPainter) -> None:
        chip = QRectF(_PAD, (NODE_SIZE[1] - _CHIP) / 2, _CHIP, _CHIP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color())
        painter.drawRoundedRect(chip, RADIUS.control, RADIUS.control)
        icon = self._icon()
        side = QRectF(chip.center() - QPointF(8, 8), chip.center() + QPointF(8, 8))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(side, icon, QRectF(icon.rect()))

    def _icon(self) -> QPixmap:
        """Icon of the kind, kept because looking it up costs more than painting it."""
        if self._picture is None:
            names = {"images": "image", "classes": "tag", "block": "layer-block"}
            name = names.get(self.look.kind, f"layer-{self.look.family}")
            self._picture = layer_pixmap(name, self._theme)
        return self._picture

    def _paint_words(self, painter: QPainter, *, whole: bool) -> None:
        left = 2 * _PAD + _CHIP
        room = NODE_SIZE[0] - left - _PAD
        title_font, detail_font = _fonts()
        if self._texts is None:
            self._texts = (
                elided(QFontMetricsF(title_font), self.look.title, room - self._marks_width()),
                elided(QFontMetricsF(detail_font), self.look.detail, room),
            )
        title, detail = self._texts
        palette = self._theme.palette
        painter.setFont(title_font)
        painter.setPen(QColor(palette.text))
        if not (whole and detail):
            painter.drawText(
                QRectF(left, 0, room, NODE_SIZE[1]), Qt.AlignmentFlag.AlignVCenter, title
            )
            return
        painter.drawText(QPointF(left, 21), title)
        painter.setFont(detail_font)
        painter.setPen(QColor(palette.disabled if self.look.stale else palette.muted))
        painter.drawText(QPointF(left, 37), detail)

    def _paint_marks(self, painter: QPainter) -> None:
        right = NODE_SIZE[0] - _PAD
        if self.look.trouble:
            serious = self.look.trouble == "serious"
            mark = pixmap(
                "error" if serious else "warning", self._theme, "bad" if serious else "warn", 16
            )
            painter.drawPixmap(QPointF(right - 16, 7), mark)
        elif self.look.frozen:
            painter.drawPixmap(QPointF(right - 16, 7), pixmap("lock", self._theme, "accent", 16))
        if self.look.rate:
            painter.setFont(_fonts()[1])
            painter.setPen(self._theme.color("accent"))
            if self.look.trouble or self.look.frozen:
                right -= _MARK
            place = QRectF(right - 60, 8, 60, 16)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, self.look.rate)

    def _marks_width(self) -> float:
        """Room that icon and factor take from the name."""
        icon = _MARK if self.look.trouble or self.look.frozen else 0.0
        if not self.look.rate:
            return icon
        return icon + QFontMetricsF(_fonts()[1]).horizontalAdvance(self.look.rate) + 6

    def _paint_ports(self, painter: QPainter) -> None:
        palette = self._theme.palette
        painter.setPen(QPen(QColor(palette.good if self.look.lit else palette.outline), 1.5))
        painter.setBrush(QColor(palette.surface))
        if self.has_port("in"):
            painter.drawEllipse(self.port("in") - self.pos(), PORT_RADIUS - 1, PORT_RADIUS - 1)
        if self.has_port("out"):
            painter.setBrush(QColor(palette.outline))
            painter.drawEllipse(self.port("out") - self.pos(), PORT_RADIUS - 1, PORT_RADIUS - 1)

    def _say(self) -> None:
        name = self.look.title if self.look.kind != "layer" else self.key
        words = [name, self.look.detail, self.look.tip]
        self.setToolTip("\n".join(word for word in words if word))


def _fonts() -> tuple[QFont, QFont]:
    """Fonts of name and detail: that of the application in two sizes."""
    title, detail = QFont(), QFont()
    title.setPixelSize(TYPE.body)
    title.setWeight(QFont.Weight.DemiBold)
    detail.setPixelSize(TYPE.caption)
    return title, detail
