"""A picture of any size with its regions: zoom and pan read the tiles that are seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request, RequestProgress
from studio.ui.shared.media import PastedPictures
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.picture import PictureCanvas
from studio.ui.widgets.canvas.tiles import TileKey, TilePyramid
from studio.ui.widgets.figures import percent
from studio.ui.widgets.overlay import MaskLayer, Overlay, OverlayStyle, PaintedLayer
from studio.ui.widgets.pictures import to_image

if TYPE_CHECKING:
    from studio.engine.display_mapping import DisplayMapping
    from studio.engine.pictures.pyramids import Pyramid

_SIDE: Final = 512
"""Width and height of a tile, see `engine.pictures.pyramids`."""


class LargePictureView(PictureCanvas):
    """Shows a picture that is too large for memory, and its regions.

    Tiles are read one by one in another thread. A file without smaller copies gets them in a
    temporary file first, with its progress shown.

    Args:
        theme: The theme.
        background: Runs the work.
        parent: Parent widget.
    """

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, parent)
        self.is_viewer = True
        self._scratch = PastedPictures()
        self._preparing = Request(background, self)
        self._reading = Request(background, self)
        self._layering = Request(background, self)
        self._preparing.advanced.connect(self._on_advanced)
        self._picture: Pyramid | None = None
        self._display: DisplayMapping | None = None
        self._regions: TilePyramid | None = None
        self._map: Pyramid | None = None
        self._overlay: Overlay | None = None
        self._style = OverlayStyle()
        self._layer: PaintedLayer | None = None
        self._text = ""
        self._prepared: dict[tuple[Path, int], Pyramid] = {}
        self.setAccessibleName(self.tr("Large image"))
        self.setToolTip(
            self.tr("Zoom with the wheel, drag to move. F fits the image into the view.")
        )

    @property
    def is_ready(self) -> bool:
        """True if nothing remains to be read of what is seen."""
        is_busy = self._reading.is_running or self._layering.is_running
        return self._text == "" and not is_busy

    @property
    def message(self) -> str:
        """Text in place of the picture; empty while it is shown."""
        return self._text

    def show_file(self, pyramid: Pyramid, display: DisplayMapping | None) -> None:
        """Show a picture.

        Args:
            pyramid: The picture.
            display: Colors and contrast; None for those that suit it.
        """
        key = pyramid.path, pyramid.plane
        if self._picture is not None and self._picture.path != pyramid.path:
            self._clear()
        known = pyramid if pyramid.has_overview else self._prepared.get(key)
        if known is not None:
            self._prepare(known, display)
            return
        self._clear()
        self._text = self.tr("Preparing the image…")
        target = self._scratch.new_path(".tif")
        work = partial(_copied, pyramid, target)
        self._preparing.track(work, partial(self._on_copied, key, display), self._on_failed)

    def show_overlay(self, overlay: Overlay | None, style: OverlayStyle) -> None:
        """Show regions over the picture.

        Args:
            overlay: The regions; None for none.
            style: Their appearance.
        """
        is_same = overlay is self._overlay
        looks_same = replace(style, opacity=1.0) == replace(self._style, opacity=1.0)
        self._overlay, self._style = overlay, style
        if is_same and looks_same:
            self.update()
            return
        self._layer = None
        if not is_same:
            self._regions = self._map = None
        if self._regions is not None:
            self._regions.clear()
        if overlay is not None and style.mode != "none":
            self._layering.run(partial(_layer_of, overlay, style), self._on_layer)
        self.update()

    def tool_cursor(self) -> Qt.CursorShape:
        """Return the pointer: a hand that drags the picture."""
        return Qt.CursorShape.OpenHandCursor

    def paint_layer(self, painter: QPainter, exposed: QRect) -> None:
        """Paint the regions; see `PictureCanvas.paint_layer`."""
        if self._style.mode == "none":
            return
        opacity = 1.0 if self._style.mode != "blend" else self._style.opacity
        whole = self.picture_rect()
        if self._regions is not None:
            painter.setOpacity(opacity)
            self._regions.paint(painter, whole, QRectF(exposed), self.devicePixelRatioF())
            painter.setOpacity(1.0)
        elif self._layer is not None:
            self._layer.paint(painter, whole, self._style.opacity)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what has arrived, and read what is missing."""
        super().paintEvent(event)
        if self._text:
            painter = QPainter(self)
            painter.setPen(QColor(self.theme.palette.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
            painter.end()
        self._read_next()

    # Reading

    def _clear(self) -> None:
        """Show no picture; the regions may be those of the next one."""
        self._picture = None
        self.show_picture(None)

    def _prepare(self, pyramid: Pyramid, display: DisplayMapping | None) -> None:
        self._text = self.tr("Reading the image…")
        prepared = partial(self._on_prepared, pyramid)
        self._preparing.run(partial(_display_of, pyramid, display), prepared, self._on_failed)

    def _on_copied(
        self, key: tuple[Path, int], display: DisplayMapping | None, pyramid: Pyramid
    ) -> None:
        self._prepared[key] = pyramid
        self._prepare(pyramid, display)

    def _on_prepared(self, pyramid: Pyramid, display: DisplayMapping) -> None:
        self._text = ""
        before = self._picture
        self._picture, self._display = pyramid, display
        is_same = before is not None and before.path == pyramid.path
        self.show_picture(TilePyramid(pyramid.sizes, _SIDE), keeps_view=is_same)

    def _on_advanced(self, done: int, total: int, _step: str) -> None:
        self._text = self.tr("Preparing the image… {share}").format(share=percent(done / total))
        self.update()

    def _on_failed(self, _error: BaseException) -> None:
        self._clear()
        self._text = self.tr("This image cannot be read")
        self.update()

    def _on_layer(self, found: Pyramid | PaintedLayer) -> None:
        if isinstance(found, PaintedLayer):
            self._layer = found
        else:
            self._map = found
            self._regions = TilePyramid(found.sizes, _SIDE)
        self.update()

    def _read_next(self) -> None:
        """Read the next tile that is seen: of the picture first, then of the regions."""
        if self._reading.is_running or self._picture is None or self._display is None:
            return
        whole, seen, ratio = self.picture_rect(), QRectF(self.rect()), self.devicePixelRatioF()
        tiles = self.pyramid
        if isinstance(tiles, TilePyramid):
            for key in tiles.missing(whole, seen, ratio):
                work = partial(_read_tile, self._picture, key, self._display)
                self._read(work, tiles, key)
                return
        if self._regions is None or self._map is None or self._overlay is None:
            return
        for key in self._regions.missing(whole, seen, ratio):
            work = partial(_read_regions, self._map, key, self._overlay, self._style)
            self._read(work, self._regions, key)
            return

    def _read(self, work: Callable[[], QImage], tiles: TilePyramid, key: TileKey) -> None:
        done, failed = partial(self._on_tile, tiles, key), partial(self._on_bad_tile, tiles, key)
        self._reading.run(work, done, failed)

    def _on_tile(self, tiles: TilePyramid, key: TileKey, image: QImage) -> None:
        tiles.add(key, image)
        self.update()

    def _on_bad_tile(self, tiles: TilePyramid, key: TileKey, _error: BaseException) -> None:
        """Leave the place of an unreadable tile empty, so that the others are read."""
        self._on_tile(tiles, key, QImage())


def _copied(pyramid: Pyramid, target: Path, progress: RequestProgress) -> Pyramid:
    """Write the smaller copies of a picture, in another thread."""
    from studio.engine.pictures.pyramids import with_copies  # noqa: PLC0415 - NumPy

    def advance(done: int, total: int) -> None:
        progress.advance(done, total, "")

    return with_copies(pyramid, target, advance)


def _display_of(pyramid: Pyramid, display: DisplayMapping | None) -> DisplayMapping:
    """Return colors and contrast of a picture, in another thread."""
    from studio.engine.datasets.picture_display import read_overview  # noqa: PLC0415 - NumPy

    return read_overview(pyramid).mapping(display)


def _layer_of(overlay: Overlay, style: OverlayStyle) -> Pyramid | PaintedLayer:
    """Open the file of the regions, or draw those without one, in another thread.

    Raises:
        BadDataError: It is gone.
    """
    if not overlay.file:
        return overlay.layer(style)
    from studio.engine.errors import BadDataError  # noqa: PLC0415
    from studio.engine.pictures.pyramids import read_pyramid  # noqa: PLC0415 - NumPy

    found = read_pyramid(Path(overlay.file), 0, 0)
    if found is None:
        raise BadDataError("the image is damaged or truncated")
    return found


def _read_tile(pyramid: Pyramid, key: TileKey, display: DisplayMapping) -> QImage:
    """Read a tile of a picture, in another thread."""
    pixels = pyramid.tile(*key)
    if pyramid.info.has_alpha:
        pixels = pixels[..., :-1]
    return to_image(pixels, display)


def _read_regions(pyramid: Pyramid, key: TileKey, overlay: Overlay, style: OverlayStyle) -> QImage:
    """Read a tile of regions, and draw them, in another thread."""
    layer = overlay.of_tile(pyramid.tile(*key)).layer(style)
    return layer.image if isinstance(layer, MaskLayer) else QImage()
