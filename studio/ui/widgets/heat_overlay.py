"""Maps of numbers painted over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

from studio.engine.tasks.heat_colors import VIRIDIS, heat_table
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.large_map import LargeMap
from studio.ui.widgets.overlay import MaskLayer, Overlay, OverlayStyle, edges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_BORDER: Final = (213.0, 94.0, 0.0)
"""Color of the outline of what reaches the limit: no color of the map."""


@dataclass(frozen=True, eq=False)
class HeatMapOverlay(Overlay):
    """A number for each pixel of a picture, from transparent to opaque colors.

    Attributes:
        values: Shape (height, width); NaN where the model saw nothing.
        low: Number in the first color.
        high: Number in the last color.
        limit: Number from which on pixels are outlined; None for the middle of the colors.
        large: The map of a large picture, of which `values` is a smaller copy.
    """

    part = HeatMap
    values: NDArray[np.float32]
    low: float
    high: float
    limit: float | None = None
    names: Sequence[str] = ()
    colors: Sequence[str] = ()
    large: LargeMap | None = None

    @property
    def file(self) -> str:
        """See `Overlay.file`."""
        return "" if self.large is None else self.large.file

    def of_tile(self, pixels: NDArray[Any]) -> HeatMapOverlay:
        """Return a part of the map; see `Overlay.of_tile`."""
        return replace(self, values=pixels[..., 0], large=None)

    def counts(self, min_score: float | None = None) -> list[int]:  # noqa: ARG002 - of boxes
        """Return nothing: a map of numbers has no classes."""
        return []

    def layer(self, style: OverlayStyle, size: QSize | None = None) -> MaskLayer:
        """Return the map as a picture; see `Overlay.layer`."""
        image = self._image(style)
        if size is not None:
            mode = Qt.TransformationMode.SmoothTransformation
            image = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, mode)
        return MaskLayer(image, style.mode == "mask", style.mode != "blend")

    def _image(self, style: OverlayStyle) -> QImage:
        import numpy as np  # noqa: PLC0415 - the window starts without it

        limit = (self.low + self.high) / 2 if self.limit is None else self.limit
        border = edges(self.values >= limit)
        span = max(self.high - self.low, float(np.finfo(np.float32).tiny))
        levels = np.clip((np.nan_to_num(self.values, nan=self.low) - self.low) / span, 0, 1)
        if style.mode == "outline":
            alpha = border.astype(np.float64)
            colors = np.broadcast_to(np.array(VIRIDIS[-1], np.float64), (*alpha.shape, 3))
        else:
            alpha = np.ones_like(levels) if style.mode == "mask" else np.sqrt(levels)
            alpha = np.where(np.isnan(self.values), 0, alpha).astype(np.float64)
            colors = heat_table()[np.rint(levels * 255).astype(np.uint8)].astype(np.float64)
            if self.limit is not None and style.mode == "blend":
                colors[border], alpha[border] = _BORDER, 1.0
        pixels = np.concatenate([colors * alpha[..., None], alpha[..., None] * 255], axis=-1)
        data = np.ascontiguousarray(np.rint(pixels).astype(np.uint8))
        height, width = alpha.shape
        kind = QImage.Format.Format_RGBA8888_Premultiplied
        return QImage(data.tobytes(), width, height, 4 * width, kind).copy()
