"""Pictures decoded in threads, and those that are asked for next while the model computes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.decode import Room, load_image
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError

Pixels = NDArray[np.uint8]
_ROOM: Final = 2**30
"""Bytes that pictures may take while they are decoded, on all cores together."""
_STREAMS: Final = 8
"""For how many models pictures are held that nobody has asked for yet."""
# A file that was changed since it was decoded is another picture.
_Key = tuple[str, int, int]
_Decoding = Future[Pixels | str]


class Decoder:
    """Decodes pictures on all cores, and one alone in the thread that asks.

    Threads are as fast as processes here: Pillow gives up the interpreter lock. Nobody else can
    work on a picture that is alone, and on a busy machine another thread begins late.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1, "decode")
        self._room = Room(_ROOM)
        self._ahead: dict[str, dict[_Key, _Decoding]] = {}

    def decode(
        self, images: Sequence[str], recipe: DatasetRecipe, then: Sequence[str] = (), who: str = ""
    ) -> list[_Decoding]:
        """Begin to decode pictures, those first that are asked for, and those after them.

        Args:
            images: Paths of pictures.
            recipe: How they are fitted.
            then: Paths that the same asker will ask for next.
            who: The asker; its earlier `then` is dropped where it was not asked for after all.

        Returns:
            For each of `images` its pixels, height x width x channels, or why there are none.
        """
        ahead = self._ahead.pop(who, {})
        begin = self._decoded_now if len(images) == 1 else self._begin
        asked = [
            ahead.pop(key) if (key := _key(image)) in ahead else begin(image, recipe)
            for image in images
        ]
        for unwanted in ahead.values():
            unwanted.cancel()
        if then:
            self._ahead[who] = {_key(image): self._begin(image, recipe) for image in then}
        while len(self._ahead) > _STREAMS:
            for unwanted in self._ahead.pop(next(iter(self._ahead))).values():
                unwanted.cancel()
        return asked

    def _begin(self, image: str, recipe: DatasetRecipe) -> _Decoding:
        return self._pool.submit(_decoded, image, recipe, self._room)

    def _decoded_now(self, image: str, recipe: DatasetRecipe) -> _Decoding:
        decoding: _Decoding = Future()
        decoding.set_result(_decoded(image, recipe, self._room))
        return decoding


def _decoded(image: str, recipe: DatasetRecipe, room: Room) -> Pixels | str:
    try:
        return load_image(Path(image), recipe, room)
    except BadDataError as error:
        return error.message


def _key(image: str) -> _Key:
    try:
        facts = Path(image).stat()
    except (OSError, ValueError):  # what is wrong with it is told when it is decoded
        return image, -1, -1
    return image, facts.st_size, facts.st_mtime_ns
