"""Maps of large pictures, which lie in a file of their own."""

from __future__ import annotations

from pydantic import BaseModel


class LargeMap(BaseModel, frozen=True):
    """A map of a picture that is too large for memory; the prediction has a smaller copy of it.

    Attributes:
        file: Path of a tiled TIFF with smaller copies; empty unless it was requested.
        width: Width of the picture in pixels.
        height: Height of the picture in pixels.
    """

    file: str = ""
    width: int
    height: int
