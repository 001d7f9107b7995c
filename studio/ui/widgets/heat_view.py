"""A picture under a translucent heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_view import PictureView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WHOLE = (0.0, 0.0, 1.0, 1.0)


class HeatView(PictureView):
    """Shows a picture and, over it, how much each part of it counts.

    Where nothing counts the picture stays as it is; what counts most is covered by the opacity
    that is set, in a color for every value that is told apart with any color vision.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._heat = QImage()
        self._covers = WHOLE
        self._opacity = 0.6
        super().__init__(theme, parent)

    @property
    def opacity(self) -> float:
        """Of the strongest place, 0 to 1."""
        return self._opacity

    def set_opacity(self, opacity: float) -> None:
        """Let the map hide more or less of the picture, 0 to 1."""
        self._opacity = min(1.0, max(0.0, opacity))
        self.update()

    def has_heat(self) -> bool:
        """Whether there is a map."""
        return not self._heat.isNull()

    def set_heat(
        self,
        values: NDArray[np.float32] | None,
        covers: tuple[float, float, float, float] = WHOLE,
    ) -> None:
        """Lay a map over the picture, or take it away.

        Args:
            values: 0 to 1, shape (rows, columns); None for no map.
            covers: Left, top, right and bottom of the map, as fractions of the picture; what is
                beyond 0 and 1 is not painted.
        """
        self._heat = QImage() if values is None else heat_image(values)
        self._covers = covers
        self.update()

    def heat_rect(self) -> QRectF:
        """Where the map lies, in pixels of the widget."""
        place = QRectF(self.picture_rect())
        left, top, right, bottom = self._covers
        return QRectF(
            place.x() + left * place.width(),
            place.y() + top * place.height(),
            (right - left) * place.width(),
            (bottom - top) * place.height(),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, then the map."""
        super().paintEvent(event)
        if self._heat.isNull() or self.image().isNull():
            return
        painter = QPainter(self)
        painter.setClipRect(self.picture_rect())
        painter.setOpacity(self._opacity)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(self.heat_rect(), self._heat)
        painter.end()


def heat_image(values: NDArray[np.float32]) -> QImage:
    """A map as a picture in color that is the more transparent the less a place counts."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    from studio.engine.inference.questions import heat_table  # noqa: PLC0415

    levels = np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
    # A root lifts what counts a little: else it could not be seen on a picture.
    alpha = np.sqrt(levels / 255)[..., None]
    color = heat_table()[levels] * alpha  # Qt wants them multiplied
    pixels = np.concatenate([color, alpha * 255], axis=-1).round().astype(np.uint8)
    height, width = levels.shape
    kind = QImage.Format.Format_RGBA8888_Premultiplied
    image = QImage(pixels.tobytes(), width, height, 4 * width, kind).copy()
    # Larger than a few cells, so that the painter has something to smooth between.
    return image.scaled(
        max(width, 256),
        max(height, round(256 * height / width)),
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
