"""Asks what an answer depends on; everything here runs in other threads.

NumPy is not needed to open the window, so it is imported here when it is used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.inference.models import ModelSource
from studio.engine.inference.questions import ExplainAnswer, ExplainRequest, explain
from studio.ui.context import AppContext

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Heat:
    """A heat map for `HeatView`.

    Attributes:
        label: The class, label or quantity that it explains.
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


class _NotWantedError(Exception):
    """Another picture is shown by now."""


def heat_map(
    context: AppContext,
    source: ModelSource,
    picture: Path,
    output: str,
    cancelled: threading.Event,
) -> Heat | None:
    """Return what an output for a picture depends on; None if another one was asked for since.

    Args:
        context: Of the window.
        source: The model.
        picture: File of the picture.
        output: Name of a class, label or quantity.
        cancelled: Set once nobody waits for the answer.

    Raises:
        StudioError: The model cannot be explained, or the picture not be read.
    """
    request = ExplainRequest(model=source, image=str(picture), label=output)
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


def _listener(cancelled: threading.Event) -> Callable[[ExplainAnswer], None]:
    def listen(_answer: ExplainAnswer) -> None:
        if cancelled.is_set():
            raise _NotWantedError

    return listen
