"""The objects of a picture with their outlines: a table of measurements, and a mark on one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QTransform,
)
from PySide6.QtWidgets import QTableView, QWidget

from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import NO_VALUE, count, counted, number, percent, significant
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.outlines import OutlineOverlay, path_of
from studio.ui.widgets.overlay import Overlay, OverlayStyle, swatch
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.tasks.parts.measurements import Measurements

_HEIGHT: Final = 190
_LINE: Final = 3.0
_MOST_MEANS: Final = 6
"""Channels with a column."""


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """An object with its measurements.

    Attributes:
        index: Its index among the objects over the picture.
        found: The object.
        measured: In micrometers where the size of a pixel is known; None for none.
    """

    index: int
    found: DetectedObject
    measured: Measurements | None


@dataclass(frozen=True, slots=True)
class MeasuredObjects:
    """The objects of a picture.

    Attributes:
        rows: The objects, those with the highest score first.
        channels: Names of the channels of `Measurements.means`.
        unit: Unit of lengths.
    """

    rows: Sequence[ObjectRow] = ()
    channels: Sequence[str] = ()
    unit: str = "px"


def measured_objects(path: Path, objects: Objects) -> MeasuredObjects:
    """Measure the candidates of a picture; called in background threads.

    Args:
        path: File of the picture.
        objects: Its objects.
    """
    from studio.engine.tasks.parts.measured_files import MeasuredPicture  # noqa: PLC0415 - NumPy

    picture = MeasuredPicture.of_file(str(path))
    everything = objects.at_score(0.0)
    measured, pixel = picture.measure(everything), picture.pixel
    if pixel is not None:
        measured = [None if each is None else each.in_micrometers(pixel) for each in measured]
    pairs = zip(objects.candidates, measured, strict=True)
    rows = [ObjectRow(index, *pair) for index, pair in enumerate(pairs)]
    return MeasuredObjects(rows, picture.channels, "px" if pixel is None else "µm")


class ObjectMark(QWidget):
    """Lies over a picture: marks the outline of an object, and is clicked to choose one.

    Signals:
        clicked: x and y in pixels of the picture.
    """

    clicked = Signal(float, float)

    def __init__(self, view: PictureView) -> None:
        super().__init__(view)
        self._view = view
        self._path = QPainterPath()
        self._size = 1, 1
        self.setGeometry(view.rect())
        view.installEventFilter(self)
        self.hide()

    def show_outline(self, path: QPainterPath, size: tuple[int, int]) -> None:
        """Mark an outline.

        Args:
            path: In pixels of the picture; an empty one marks nothing.
            size: Width and height of the picture in pixels.
        """
        self._path, self._size = path, size
        self.update()

    def clear(self) -> None:
        """Mark nothing."""
        self.show_outline(QPainterPath(), self._size)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay over the whole view."""
        if watched is self._view and event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.setGeometry(self._view.rect())
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the object under the pointer."""
        inverse, is_possible = self._place().inverted()
        if event.button() == Qt.MouseButton.LeftButton and is_possible:
            point = inverse.map(event.position())
            self.clicked.emit(point.x(), point.y())
        else:
            event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the mark: a white line with a dark edge."""
        if self._path.isEmpty():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = self._place().map(self._path)
        painter.strokePath(path, QPen(QColor("black"), _LINE + 2))
        painter.strokePath(path, QPen(QColor("white"), _LINE))
        painter.end()

    def _place(self) -> QTransform:
        """Return the map from pixels of the picture to those of the widget."""
        rect, (width, height) = self._view.picture_rect(), self._size
        across, down = rect.width() / max(1, width), rect.height() / max(1, height)
        return QTransform(across, 0, 0, down, rect.left(), rect.top())


class ObjectPanel(QWidget):
    """Table of the objects of a picture; the chosen one is marked in the picture.

    Args:
        background: Measures the objects.
        view: Shows the picture.
        parent: Parent widget.

    Attributes:
        mark: The mark over the picture.
    """

    def __init__(
        self, background: Background, view: PictureView, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._measuring = Request(background, self)
        self._objects: Objects | None = None
        self._overlay: OutlineOverlay | None = None
        self._style = OverlayStyle()
        self.measured = MeasuredObjects()
        self.mark = ObjectMark(view)
        self.title = text_label("", "section", self)
        self.table: Table[ObjectRow] = Table("", (), self, key=attrgetter("index"))
        self.table.setAccessibleName(self.tr("Objects with measurements"))
        self.table.setFrameShape(QTableView.Shape.NoFrame)
        self.setFixedHeight(_HEIGHT)
        vbox(self.title, (self.table, 1), owner=self, spacing=SPACE.xs)
        explain(
            self.table,
            self.tr("Choose an object to see its outline, or click it in the image."),
        )
        self.table.row_chosen.connect(self._on_chosen)
        self.mark.clicked.connect(self._on_clicked)
        self.hide()

    def show_objects(
        self, path: Path | None, objects: Objects | None, overlay: Overlay | None
    ) -> None:
        """Show the objects of a picture; hidden where they have no outlines.

        Args:
            path: File of the picture.
            objects: Its objects.
            overlay: Their outlines over the picture.
        """
        is_shown = isinstance(overlay, OutlineOverlay) and objects is not None
        self.setVisible(is_shown)
        self.mark.setVisible(is_shown)
        if objects is self._objects and overlay is self._overlay:
            return
        self._objects = objects
        self._overlay = overlay if isinstance(overlay, OutlineOverlay) else None
        self.measured = MeasuredObjects()
        self.mark.show_outline(QPainterPath(), objects.size if objects is not None else (1, 1))
        self._measuring.drop()
        self._show_rows()
        if is_shown and path is not None and objects is not None:
            self._measuring.run(partial(measured_objects, path, objects), self._on_measured)

    def show_style(self, style: OverlayStyle) -> None:
        """Show only the objects that are painted in a style."""
        if style != self._style:
            self._style = style
            self._show_rows()

    def _on_measured(self, found: MeasuredObjects) -> None:
        self.measured = found
        self._show_rows()

    def _show_rows(self) -> None:
        overlay, rows = self._overlay, self.measured.rows
        if overlay is None:
            return
        drawn = overlay.objects
        shown = [
            row
            for row in rows
            if row.index < len(drawn) and overlay.is_shown(drawn[row.index], self._style)
        ]
        self.table.show_rows(shown, self._columns())
        self.title.setText(counted(len(shown), self.tr("1 object"), self.tr("{n} objects")))

    def _on_chosen(self, index: int) -> None:
        if self._overlay is not None and index < len(self._overlay.objects):
            outline = self._overlay.objects[index].outline
            self.mark.show_outline(path_of(outline), self._overlay.size)

    def _on_clicked(self, x: float, y: float) -> None:
        if self._overlay is None:
            return
        index = self._overlay.at(x, y, self._style)
        if index is None:
            self.table.clearSelection()
            self.mark.clear()
        else:
            self.table.select(index)
            self._on_chosen(index)
            self.table.setFocus(Qt.FocusReason.MouseFocusReason)

    def _columns(self) -> list[Column[ObjectRow]]:
        unit = self.measured.unit
        columns: list[Column[ObjectRow]] = [
            Column(
                self.tr("Number"),
                lambda row: count(row.index + 1),
                value=attrgetter("index"),
                key="number",
            ),
            Column(
                self.tr("Class"),
                attrgetter("found.label"),
                value=attrgetter("found.label"),
                key="class",
                is_text=True,
                picture=self._swatch,
            ),
            Column(
                self.tr("Score"),
                lambda row: percent(row.found.score, 0),
                value=attrgetter("found.score"),
                key="score",
                is_descending=True,
            ),
        ]
        for name, heading in (
            ("area", self.tr("Area [{unit}]").format(unit=f"{unit}²")),
            ("perimeter", self.tr("Perimeter [{unit}]").format(unit=unit)),
            ("equivalent_diameter", self.tr("Diameter [{unit}]").format(unit=unit)),
            ("eccentricity", self.tr("Eccentricity")),
        ):
            columns.append(_measure_column(name, heading))
        for at, channel in enumerate(self.measured.channels[:_MOST_MEANS]):
            heading = self.tr("Mean {channel}").format(channel=channel).strip()
            columns.append(_mean_column(at, heading))
        return columns

    def _swatch(self, row: ObjectRow) -> QPixmap | None:
        overlay = self._overlay
        colors = {} if overlay is None else dict(zip(overlay.names, overlay.colors, strict=True))
        color = colors.get(row.found.label, "")
        return swatch(color) if color else None


def _measure(name: str, row: ObjectRow) -> float | None:
    return None if row.measured is None else float(getattr(row.measured, name))


def _measure_column(name: str, heading: str) -> Column[ObjectRow]:
    value = partial(_measure, name)
    return Column(
        heading, partial(_text, value), value=value, key=name, is_descending=name == "area"
    )


def _mean(at: int, row: ObjectRow) -> float | None:
    means = () if row.measured is None else row.measured.means
    return means[at] if at < len(means) else None


def _mean_column(at: int, heading: str) -> Column[ObjectRow]:
    value = partial(_mean, at)
    return Column(heading, partial(_text, value), value=value, key=f"mean {at}")


def _text(value: object, row: ObjectRow) -> str:
    found = value(row) if callable(value) else None
    if found is None:
        return NO_VALUE
    return number(found) if float(found).is_integer() else significant(found)
