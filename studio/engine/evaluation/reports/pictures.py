"""Small pictures of a dataset as text that stands inside a page."""

from __future__ import annotations

import base64
import io

from studio.engine.datasets.augment.warp import to_picture
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError

SIDE = 72
"""Longest side in pixels."""


class Pictures:
    """Gives images of a dataset as `data:` addresses.

    Args:
        store: The dataset, in the version that was measured.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def address(self, row: int) -> str:
        """One image; empty where it cannot be read any more."""
        if not 0 <= row < len(self._store.images):
            return ""
        try:
            picture = to_picture(self._store.images[row])
        except BadDataError:
            return ""
        picture.thumbnail((SIDE, SIDE))
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=85)
        return f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"
