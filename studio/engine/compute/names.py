"""Ids for layers whose names somebody else chose."""

from __future__ import annotations

from studio.engine.networks.parts import INNER, clean
from studio.engine.networks.spec import INPUT


class Ids:
    """Gives each layer an id of its own that reminds of its name.

    Args:
        taken: Ids that others have.
    """

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken | {INPUT}

    def of(self, path: str) -> str:
        """The layer's own name if it is free, else its whole path, else that with a number."""
        own = path.rpartition("/")[2].rpartition(INNER)[2]
        for wish in (clean(own), clean(path)):
            if wish not in self._taken:
                return self._take(wish)
        number = 2
        while f"{wish}_{number}" in self._taken:
            number += 1
        return self._take(f"{wish}_{number}")

    def _take(self, text: str) -> str:
        self._taken.add(text)
        return text
