"""Predictions of pictures of any size: of the whole picture at once, or tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.tasks.placement import Framing, Tile

Score = Callable[[Pixels], NDArray[np.float32]]
"""Outputs of a network for n images, shape (n, …)."""


@dataclass(frozen=True, slots=True)
class SeenPicture:
    """The view of a network on a picture.

    Attributes:
        full: Width and height of the picture in pixels.
        framing: Conversion of the picture.
        is_decoded: True if outputs are detections already, see `Reporter.decoded`.
    """

    full: tuple[int, int]
    framing: Framing
    is_decoded: bool = False


@dataclass(frozen=True, slots=True)
class TiledPicture:
    """A picture as overlapping tiles, and the network that sees them.

    Attributes:
        parts: The tiles as the network takes them, each of shape (height, width, channels).
        tiles: Their places, row by row.
        score: Runs the network.
        batch: Tiles at a time.
    """

    parts: Iterable[Pixels]
    tiles: Sequence[Tile]
    score: Score
    batch: int

    def scored(self) -> Iterator[tuple[Tile, Pixels, NDArray[np.float32]]]:
        """Yield the place of each tile, the tile, and the outputs for it."""
        places, remaining = iter(self.tiles), iter(self.parts)
        while group := list(islice(remaining, self.batch)):
            for part, outputs in zip(group, self.score(np.stack(group)), strict=True):
                yield next(places), part, outputs
