"""Items of the scene: layers, frames, notes and the wires between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsRectItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from studio.engine.networks.edits import Wire
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layout import Direction
from studio.engine.networks.placing import BLOCK_HEADER, NODE_SIZE
from studio.engine.networks.spec import Comment, LayerNode
from studio.ui.pages.networks.designer.picture import TURN, BlockFrame
from studio.ui.theme.icons import GLYPHS, pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, RADIUS, SPACE, TYPE, Role, chart_color, mix
from studio.ui.widgets.figures import number
from studio.ui.widgets.labels import elided

PORT_RADIUS: Final = 5.0
PORT_REACH: Final = 11.0
"""Distance from the middle of a port within which a press takes it."""
GRID: Final = 8.0

_COLORS: Final = {
    "convolution": 0,
    "pooling": 1,
    "normalization": 2,
    "core": 3,
    "merging": 4,
    "activation": 5,
}
# Families beyond the six colors lie between two of them; icons distinguish them, too.
_BETWEEN: Final = {"recurrent": (0, 4), "preprocessing": (2, 5), "regularization": (1, 3)}


def family_of(node: LayerNode) -> str:
    """Return the family of a layer; `other` for an unknown layer."""
    return LAYERS[node.layer].family if node.layer in LAYERS else "other"


def family_color(family: str, theme: Theme) -> QColor:
    """Return the color of a family of layers."""
    dark = theme.is_dark
    if family in _COLORS:
        return QColor(chart_color(_COLORS[family], dark=dark))
    if family in _BETWEEN:
        one, other = _BETWEEN[family]
        return QColor(mix(chart_color(one, dark=dark), chart_color(other, dark=dark), 0.5))
    return QColor(theme.palette.muted)


def layer_pixmap(name: str, theme: Theme, role: Role = "surface") -> QPixmap:
    """Return an icon at twice its size, which stays sharp when zoomed in."""
    return pixmap(name if name in GLYPHS else "layer-other", theme, role, 2 * ICON_SMALL)


def size_text(shape: tuple[int | None, ...]) -> str:
    """Return a shape without the batch size as text: 28 × 28 × 32."""
    sides = ("?" if side is None else str(side) for side in shape)
    return " × ".join(sides) if shape else "1"


def rate_text(rate: float) -> str:
    """Return a learning-rate multiplier as text: ×0.1."""
    return f"×{number(rate)}"


class Painted:
    """Comes before a class of graphics items in the bases of one."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the details that are visible at a scale."""
        del widget
        self.paint_at(painter, option.levelOfDetailFromTransform(painter.worldTransform()))

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint; a scale of 1 shows everything as large as it is."""
        raise NotImplementedError


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
class NodeStyle:
    """Return the appearance of a box.

    Attributes:
        kind: Kind of the layer.
        title: Its name, without that of the block around it.
        detail: The line below: shape, or number of layers.
        family: Family of the layer; empty if it has none.
        frozen: True if training does not change it.
        rate: Factor of the learning rate, written; empty for 1.
        trouble: `serious` or `advice` where a problem belongs to it.
        stale: True if the detail is out of date.
        lit: True if a wire may be dropped on it now.
        tip: Further text of the tooltip.
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
    """Paints a `NodeStyle`; `key` is a node id, `INPUT`, `CLASSES` or that of a folded block."""

    def __init__(self, key: str, style: NodeStyle, theme: Theme) -> None:
        reach = PORT_RADIUS + 2
        super().__init__(
            QRectF(-reach, -reach, NODE_SIZE[0] + 2 * reach, NODE_SIZE[1] + 2 * reach)
        )
        self.key = key
        self.style = style
        self._theme = theme
        self._direction: Direction = "down"
        self._texts: tuple[str, str] | None = None
        self._picture: QPixmap | None = None
        self._color: QColor | None = None
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self._say()

    def show_style(self, style: NodeStyle, direction: Direction) -> None:
        """Change the appearance."""
        if (style, direction) != (self.style, self._direction):
            self.style, self._direction = style, direction
            self._texts = None
            self._say()
            self.restyle()

    def restyle(self) -> None:
        """Repaint, for example in the colors of another theme."""
        self._picture = None
        self._color = None
        self.update()

    def port(self, which: Port) -> QPointF:
        """Return the center of a port in scene coordinates."""
        width, height = NODE_SIZE
        if self._direction == "down":
            local = QPointF(width / 2, 0.0 if which == "in" else height)
        else:
            local = QPointF(0.0 if which == "in" else width, height / 2)
        return self.pos() + local

    def has_port(self, which: Port) -> bool:
        """Return True if it has the port."""
        return self.style.kind != ("images" if which == "in" else "classes")

    def port_at(self, point: QPointF) -> Port | None:
        """Return the port at a scene position; a folded block has none."""
        if self.style.kind == "block":
            return None
        for which in ("out", "in"):
            name: Port = "out" if which == "out" else "in"
            apart = self.port(name) - point
            if self.has_port(name) and apart.manhattanLength() <= PORT_REACH:
                return name
        return None

    def box(self) -> QRectF:
        """Return the box without its ports, in scene coordinates."""
        return QRectF(self.pos().x(), self.pos().y(), *NODE_SIZE)

    def color(self) -> QColor:
        """Return the color of the family."""
        if self._color is None:
            if self.style.kind == "layer":
                self._color = family_color(self.style.family, self._theme)
            else:
                quiet = self.style.kind == "block"
                self._color = self._theme.color("muted" if quiet else "accent")
        return self._color

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the details that are visible at a scale."""
        chosen = self.isSelected()
        body = QRectF(0, 0, *NODE_SIZE)
        if scale < FAR:
            fill = self._theme.color("bad") if self.style.trouble == "serious" else self.color()
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
        edge, width = (
            QColor(palette.outline if self.style.kind == "block" else palette.border),
            1.0,
        )
        if self.style.trouble == "serious":
            edge, width = QColor(palette.bad), 1.5
        if self.style.lit:
            edge, width = QColor(palette.good), 2.0
        if chosen:
            edge, width = QColor(palette.accent), 2.0
        fill = QColor(palette.raised)
        if self.style.frozen:
            fill = QColor(mix(palette.raised, palette.selection, 0.55))
        painter.setPen(QPen(edge, width))
        painter.setBrush(fill)
        if self.style.kind == "block":  # a second sheet below: there is more inside
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
        """Return the icon, cached because a lookup costs more than painting it."""
        if self._picture is None:
            names = {"images": "image", "classes": "tag", "block": "layer-block"}
            name = names.get(self.style.kind, f"layer-{self.style.family}")
            self._picture = layer_pixmap(name, self._theme)
        return self._picture

    def _paint_words(self, painter: QPainter, *, whole: bool) -> None:
        left = 2 * _PAD + _CHIP
        room = NODE_SIZE[0] - left - _PAD
        title_font, detail_font = _font(TYPE.body, bold=True), _font()
        if self._texts is None:
            self._texts = (
                elided(QFontMetricsF(title_font), self.style.title, room - self._marks_width()),
                elided(QFontMetricsF(detail_font), self.style.detail, room),
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
        painter.setPen(QColor(palette.disabled if self.style.stale else palette.muted))
        painter.drawText(QPointF(left, 37), detail)

    def _paint_marks(self, painter: QPainter) -> None:
        right = NODE_SIZE[0] - _PAD
        if self.style.trouble:
            serious = self.style.trouble == "serious"
            mark = pixmap(
                "error" if serious else "warning", self._theme, "bad" if serious else "warn", 16
            )
            painter.drawPixmap(QPointF(right - 16, 7), mark)
        elif self.style.frozen:
            painter.drawPixmap(QPointF(right - 16, 7), pixmap("lock", self._theme, "accent", 16))
        if self.style.rate:
            painter.setFont(_font())
            painter.setPen(self._theme.color("accent"))
            if self.style.trouble or self.style.frozen:
                right -= _MARK
            rect = QRectF(right - 60, 8, 60, 16)
            painter.drawText(rect, Qt.AlignmentFlag.AlignRight, self.style.rate)

    def _marks_width(self) -> float:
        """Return the width of icon and multiplier."""
        icon = _MARK if self.style.trouble or self.style.frozen else 0.0
        if not self.style.rate:
            return icon
        return icon + QFontMetricsF(_font()).horizontalAdvance(self.style.rate) + 6

    def _paint_ports(self, painter: QPainter) -> None:
        palette = self._theme.palette
        painter.setPen(QPen(QColor(palette.good if self.style.lit else palette.outline), 1.5))
        painter.setBrush(QColor(palette.surface))
        if self.has_port("in"):
            painter.drawEllipse(self.port("in") - self.pos(), PORT_RADIUS - 1, PORT_RADIUS - 1)
        if self.has_port("out"):
            painter.setBrush(QColor(palette.outline))
            painter.drawEllipse(self.port("out") - self.pos(), PORT_RADIUS - 1, PORT_RADIUS - 1)

    def _say(self) -> None:
        name = self.style.title if self.style.kind != "layer" else self.key
        words = [name, self.style.detail, self.style.tip]
        self.setToolTip("\n".join(word for word in words if word))


def _font(size: int = TYPE.caption, *, bold: bool = False) -> QFont:
    """Return the font of the application with a size in pixels."""
    font = QFont()
    font.setPixelSize(size)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


_BUTTON: Final = 20.0


class FrameItem(Painted, QGraphicsRectItem):
    """A frame; presses count on its header alone, so that a rubber band can begin inside."""

    def __init__(self, key: str, block: str, theme: Theme) -> None:
        super().__init__()
        self.key = key
        self.block = block
        self._theme = theme
        self._frozen = False
        self._rate = ""
        self._chosen = False
        self.setZValue(-3)

    def run(self, frame: BlockFrame) -> None:
        """Set the bounds."""
        self.setRect(QRectF(QPointF(frame.left, frame.top), QPointF(frame.right, frame.bottom)))

    def say(self, *, frozen: bool, rate: str) -> None:
        """Show the common state of the layers inside."""
        if (frozen, rate) != (self._frozen, self._rate):
            self._frozen, self._rate = frozen, rate
            self.update()

    def mark(self, *, chosen: bool) -> None:
        """Show whether all layers inside are selected."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.update()

    def header(self) -> QRectF:
        """Return the area of the header."""
        rect = self.rect()
        return QRectF(rect.left(), rect.top(), rect.width(), BLOCK_HEADER)

    def fold_button(self) -> QRectF:
        """Return the area of the button that folds the block."""
        header = self.header()
        return QRectF(header.right() - _BUTTON - SPACE.xs, header.top() + 3, _BUTTON, _BUTTON)

    def shape(self) -> QPainterPath:
        """Return the header, the only part that reacts to the mouse."""
        path = QPainterPath()
        path.addRect(self.header())
        return path

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the frame, and from near its header."""
        palette = self._theme.palette
        fill = QColor(palette.muted)
        fill.setAlphaF(0.10 if self._theme.is_dark else 0.07)
        edge = QColor(palette.accent if self._chosen else palette.border)
        if scale < FAR:
            painter.fillRect(self.rect(), fill)
            return
        painter.setPen(QPen(edge, 1.5 if self._chosen else 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(self.rect(), RADIUS.card + 4, RADIUS.card + 4)
        self._paint_header(painter)

    def _paint_header(self, painter: QPainter) -> None:
        header = self.header()
        painter.setFont(_font(bold=True))
        painter.setPen(self._theme.color("muted"))
        rect = header.adjusted(SPACE.m, 2, -_BUTTON - SPACE.s, 0)
        words = f"{self.block}   {self._rate}" if self._rate else self.block
        middle = Qt.AlignmentFlag.AlignVCenter
        shown = elided(painter.fontMetrics(), words, round(rect.width()) - 18)
        painter.drawText(rect, middle, shown)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._frozen:
            left = rect.left() + painter.fontMetrics().horizontalAdvance(shown) + 6
            lock = layer_pixmap("lock", self._theme, "accent")
            painter.drawPixmap(QRectF(left, header.top() + 7, 14, 14), lock, QRectF(lock.rect()))
        fold = layer_pixmap("fold", self._theme, "muted")
        inner = self.fold_button().adjusted(3, 3, -3, -3)
        painter.drawPixmap(inner, fold, QRectF(fold.rect()))


WIDTH: Final = 184.0
_LOWEST: Final = 40.0
_WRAP: Final = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft)


class NoteItem(Painted, QGraphicsRectItem):
    """Paints a comment; its key is `NOTE_PREFIX` and its place in the list."""

    def __init__(self, key: str, theme: Theme) -> None:
        super().__init__()
        self.key = key
        self._theme = theme
        self._text = ""
        self.setZValue(-2)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)

    def show_comment(self, comment: Comment) -> None:
        """Show a note."""
        self._text = comment.text
        inside = QRectF(0, 0, WIDTH - 2 * SPACE.m, 2000)
        needed = QFontMetricsF(_font()).boundingRect(inside, _WRAP, self._text or " ")
        self.setRect(0, 0, WIDTH, max(_LOWEST, needed.height() + 2 * SPACE.s))
        self.setPos(QPointF(comment.x, comment.y))
        self.update()

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the note."""
        palette = self._theme.palette
        chosen = self.isSelected()
        edge = palette.accent if chosen else mix(palette.raised, palette.warn, 0.45)
        painter.setPen(QPen(QColor(edge), 2 if chosen else 1))
        painter.setBrush(QColor(mix(palette.raised, palette.warn, 0.12)))
        painter.drawRoundedRect(self.rect(), RADIUS.control, RADIUS.control)
        if scale < 0.35:
            return
        painter.setFont(_font())
        painter.setPen(QColor(palette.text))
        inside = self.rect().adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
        painter.drawText(inside, _WRAP, self._text)


_REACH: Final = 12.0
_WORDS: Final = 0.85
"""From this scale on a wire says how many channels it carries."""


def curve(
    start: QPointF, end: QPointF, direction: Direction, lane: float | None = None
) -> QPainterPath:
    """Return a curve that starts and ends in the direction of the wires.

    Args:
        start: Start of the wire.
        end: End of the wire.
        direction: Direction of the wires.
        lane: Lane between the layers; None for a direct wire.
    """
    path = QPainterPath(start)
    if lane is None:
        _bend(path, end, direction, 24.0)
        return path
    if direction == "down":
        corners = QPointF(lane, start.y() + TURN), QPointF(lane, end.y() - TURN)
    else:
        corners = QPointF(start.x() + TURN, lane), QPointF(end.x() - TURN, lane)
    _bend(path, corners[0], direction, 0.0)
    path.lineTo(corners[1])
    _bend(path, end, direction, 0.0)
    return path


def _bend(path: QPainterPath, end: QPointF, direction: Direction, least: float) -> None:
    start = path.currentPosition()
    if direction == "down":
        by = QPointF(0, max(least, abs(end.y() - start.y()) / 2))
    else:
        by = QPointF(max(least, abs(end.x() - start.x()) / 2), 0)
    path.cubicTo(start + by, end - by, end)


_LABEL_GAP: Final = 6
"""Pixels between a wire and its label."""


class WireItem(Painted, QGraphicsPathItem):
    """A wire; `wire` is that of the drawing."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.wire: Wire = ("", "")
        self.is_lit = False
        self._theme = theme
        self._channels = ""
        self._stale = False
        self._bounds = QRectF()
        self._line = QLineF()
        self._middle = QPointF()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(-1)
        self.setPen(QPen(Qt.GlobalColor.black, 3))

    def run(self, start: QPointF, end: QPointF, direction: Direction, lane: float | None) -> None:
        """Connect two ports."""
        self._line = QLineF(start, end)
        self._middle = QPointF()
        self.prepareGeometryChange()
        self.setPath(curve(start, end, direction, lane))
        self._set_bounds()

    def say(self, channels: str, *, stale: bool) -> None:
        """Show the number of channels."""
        if (channels, stale) != (self._channels, self._stale):
            if channels != self._channels:
                self._channels = channels
                self._set_bounds()
            self._stale = stale
            self.update()

    def light(self, *, lit: bool) -> None:
        """Highlight the wire as the target of a drag."""
        if lit != self.is_lit:
            self.is_lit = lit
            self.update()

    def boundingRect(self) -> QRectF:
        """Return the bounds of the curve and its label."""
        return self._bounds

    def _set_bounds(self) -> None:
        """Make room for the curve and for the label, which begins at its middle."""
        self.prepareGeometryChange()
        metrics = QFontMetricsF(_font(10))
        label = _LABEL_GAP + metrics.horizontalAdvance(self._channels) + 2
        bounds = self.path().controlPointRect()
        self._bounds = bounds.adjusted(-4, -metrics.height(), max(44.0, label), 8)

    def shape(self) -> QPainterPath:
        """Return the area around the curve that reacts to the mouse."""
        stroker = QPainterPathStroker()
        stroker.setWidth(_REACH)
        return stroker.createStroke(self.path())

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the curve, and from near the number of channels."""
        chosen = self.isSelected()
        palette = self._theme.palette
        color, width = QColor(palette.outline), 1.5
        if self.is_lit:
            color, width = QColor(palette.good), 3.0
        elif chosen:
            color, width = QColor(palette.accent), 2.5
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if scale < FAR:
            painter.setPen(QPen(color, 0))
            painter.drawLine(self._line)
            return
        painter.setPen(QPen(color, width))
        painter.drawPath(self.path())
        if scale >= _WORDS and self._channels:
            self._paint_channels(painter)

    def _paint_channels(self, painter: QPainter) -> None:
        palette = self._theme.palette
        painter.setFont(_font(10))
        painter.setPen(QColor(palette.disabled if self._stale else palette.muted))
        if self._middle.isNull():  # finding it takes longer than painting
            self._middle = self.path().pointAtPercent(0.5) + QPointF(_LABEL_GAP, 4)
        painter.drawText(self._middle, self._channels)
