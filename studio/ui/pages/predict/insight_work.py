"""Asks what an answer depends on; everything here runs in other threads.

NumPy is not needed to open the window, so it is imported here when it is used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from studio.engine.inference.explaining import ExplainAnswer, ExplainRequest
from studio.engine.inference.model_source import ModelSource
from studio.engine.inference.neighbors import NeighborsAnswer
from studio.engine.jobs.questions import explain, nearest
from studio.engine.workspace import Record
from studio.ui.context import AppContext

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Heat:
    """A heat map ready to be drawn.

    Attributes:
        label: The class that it explains.
        image: Colors, the more opaque the more a place counts.
        covers: Where it lies over the upright picture, in fractions of that.
        milliseconds: How long it took.
        is_empty: Whether nothing in the picture counts.
    """

    label: str
    image: QImage
    covers: QRectF
    milliseconds: float
    is_empty: bool


@dataclass(frozen=True, slots=True)
class Similar:
    """A training image.

    Attributes:
        image: The image.
        label: Its class.
        distance: From 0, the same direction, to 2.
    """

    image: QImage
    label: str
    distance: float


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest training images of those that were compared so far."""

    images: tuple[Similar, ...]
    done: int
    total: int


class _NotWantedError(Exception):
    """Another picture is shown by now."""


def heat_map(
    context: AppContext, source: ModelSource, picture: Path, cancelled: threading.Event
) -> Heat | None:
    """What the first answer for a picture depends on; None where nobody wants it any more.

    Raises:
        StudioError: The model cannot be explained, or the picture not be read.
    """
    request = ExplainRequest(model=source, image=str(picture))
    try:
        answer = explain(context.engine, request, _listener(cancelled))
    except _NotWantedError:
        return None
    left, top, right, bottom = answer.covers
    covers = QRectF(left, top, right - left, bottom - top)
    return Heat(answer.label, _colored(answer), covers, answer.milliseconds, answer.heat.peak <= 0)


def nearest_images(
    context: AppContext,
    run: Record,
    picture: Path,
    cancelled: threading.Event,
    report: Callable[[Nearest], None],
) -> None:
    """Report the nearest training images again and again, until all were compared.

    Raises:
        StudioError: The model or its dataset cannot be used.
    """
    from studio.engine.jobs.embeddings import neighbors_request  # noqa: PLC0415

    def listen(answer: NeighborsAnswer) -> None:
        if cancelled.is_set():
            raise _NotWantedError
        found = (
            Similar(_decoded(each.picture), each.label, each.distance) for each in answer.neighbors
        )
        report(Nearest(tuple(found), answer.done, answer.total))

    try:
        nearest(context.engine, neighbors_request(context.workspace, run, picture), listen)
    except _NotWantedError:
        return


def _listener(cancelled: threading.Event) -> Callable[[ExplainAnswer], None]:
    def listen(_answer: ExplainAnswer) -> None:
        if cancelled.is_set():
            raise _NotWantedError

    return listen


def _colored(answer: ExplainAnswer) -> QImage:
    import numpy as np  # noqa: PLC0415

    from studio.engine.inference.heat_colors import heat_table  # noqa: PLC0415

    heat = np.clip(answer.heat.values(), 0, 1)
    colors: NDArray[np.uint8] = heat_table()[np.rint(heat * 255).astype(np.uint8)]
    alpha = np.rint(np.sqrt(heat) * 255).astype(np.uint8)
    pixels = np.dstack([colors, alpha])
    height, width = heat.shape
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return image.copy()  # the bytes go when this function returns


def _decoded(picture: str) -> QImage:
    from studio.engine.inference.png import png_bytes  # noqa: PLC0415

    return QImage.fromData(png_bytes(picture))
