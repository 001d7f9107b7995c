"""Asks what an answer depends on; everything here runs in other threads.

NumPy is not needed to open the window, so it is imported here when it is used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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
    """A heat map for `HeatView`.

    Attributes:
        label: The class that it explains.
        values: How much each part counts, 0 to 1, shape (rows, columns).
        covers: Left, top, right and bottom over the upright picture, in fractions of that.
        milliseconds: How long it took.
        is_empty: Whether nothing in the picture counts.
    """

    label: str
    values: NDArray[np.float32]
    covers: tuple[float, float, float, float]
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
    return Heat(
        answer.label,
        answer.heat.values(),
        answer.covers,
        answer.milliseconds,
        answer.heat.peak <= 0,
    )


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


def _decoded(picture: str) -> QImage:
    from studio.engine.inference.png import png_bytes  # noqa: PLC0415

    return QImage.fromData(png_bytes(picture))
