"""Predictions of pictures of any size: of the whole picture at once, or tile by tile.

Maps of large pictures do not fit into memory: `LargeMaps` writes them to files row by row.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.pictures.pyramid_file import (
    ExtraTag,
    PyramidWriter,
    Reduction,
    pyramid_file,
)
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.placement import Framing, Tile

LARGE_RESULT: Final = 2**26
"""Pixels from which on the maps of a picture are written to files while they are computed."""
Steps = Generator[float, None, Prediction]
"""Yields the finished fraction of a prediction, 0 to 1, and returns it."""
_Result = TypeVar("_Result")
Score = Callable[[Pixels], NDArray[np.float32]]
"""Outputs of a network for n images, shape (n, …)."""
ScoredTile = tuple[Tile, Pixels, NDArray[np.float32]]
"""Place of a tile, the tile as the network took it, and the outputs for it."""


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

    def scored(self) -> Iterator[ScoredTile]:
        """Yield the place of each tile, the tile, and the outputs for it."""
        places, remaining = iter(self.tiles), iter(self.parts)
        while group := list(islice(remaining, self.batch)):
            for part, outputs in zip(group, self.score(np.stack(group)), strict=True):
                yield next(places), part, outputs


def result_of(steps: Generator[float, None, _Result]) -> _Result:
    """Return the result of steps without a look at their progress.

    Args:
        steps: Yields the finished fraction, and returns the result.
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: _Result = end.value
            return found


@dataclass(frozen=True, slots=True)
class LargeMaps:
    """Destination of the maps of a large picture.

    Attributes:
        folder: Folder for files; None to compute only what needs none.
        full: Width and height of the picture.
        tags: Tags of the files, such as the position on the earth.
    """

    folder: Path | None
    full: tuple[int, int]
    tags: Sequence[ExtraTag] = ()

    @contextlib.contextmanager
    def writer(
        self, dtype: np.dtype[Any], reduction: Reduction, palette: bytes = b""
    ) -> Iterator[tuple[PyramidWriter, LargeMap]]:
        """Write a map; without a folder it is discarded in the end.

        Args:
            dtype: Type of its values.
            reduction: Value of a pixel of its smaller copies.
            palette: Colors of its values; none if empty.

        Yields:
            Takes its rows, each of shape (lines, width, 1); and what is said about the file.

        Raises:
            DiskFullError: No space was left.
        """
        width, height = self.full
        with contextlib.ExitStack() as stack:
            if self.folder is None:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                found = LargeMap(width=width, height=height)
            else:
                self.folder.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix="map-", dir=self.folder))
                found = LargeMap(file=str(folder / "map.tif"), width=width, height=height)
            file = pyramid_file(
                folder / "map.tif", self.full, dtype, 1, reduction, palette, self.tags
            )
            try:
                with file as writer:
                    yield writer, found
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
