from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from io import BytesIO

import numpy as np
import pytest
from dataset_pictures import noise_png, recipe

from studio.engine.datasets.decode import load_image
from studio.engine.datasets.decode_ahead import Decoded, decode_ahead
from studio.engine.datasets.sources.base import Fetch, SourceImage, read_whole
from studio.engine.progress import Cancelled, SilentProgress


def items(count: int, size: int) -> list[SourceImage]:
    return [SourceImage(f"{row}.png", "a", None, size) for row in range(count)]


def picture(row: int) -> bytes:
    return noise_png(row)


@pytest.mark.parametrize("size", [-1, 0, 300, 200_000, 10**9])
def test_every_picture_comes_once_and_in_order(size: int) -> None:
    asked = recipe()
    order = np.random.default_rng(0).permutation(101).tolist()
    found: Iterator[tuple[int, Fetch]] = ((row, partial(picture, row)) for row in order)
    results = list(decode_ahead(found, items(101, size), asked, SilentProgress()))
    assert [row for row, _ in results] == order
    for row, result in results[::10]:
        assert isinstance(result, Decoded)
        assert np.array_equal(result.stored, load_image(BytesIO(noise_png(row)), asked))


def test_small_pictures_share_a_thread_and_slow_ones_do_not() -> None:
    """What comes over a network must not wait for its neighbors."""
    for size, shared in ((300, True), (-1, False)):
        threads: list[str] = []
        first = threading.Event()

        def fetch(row: int, threads: list[str] = threads, first: threading.Event = first) -> bytes:
            threads.append(threading.current_thread().name)
            if row == 0:
                first.wait(1)
            else:
                first.set()
            return noise_png(row)

        found: Iterator[tuple[int, Fetch]] = ((row, partial(fetch, row)) for row in range(2))
        assert len(list(decode_ahead(found, items(2, size), recipe(), SilentProgress()))) == 2
        assert (len(set(threads)) == 1) == shared


class CancelsWhenAsked(SilentProgress):
    """Cancels at the first question after `asked` was set."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def check(self) -> None:
        if self.asked.is_set():
            raise Cancelled


def test_cancelling_does_not_wait_for_the_rest_of_a_share() -> None:
    progress = CancelsWhenAsked()
    fetched: list[int] = []
    stopped = threading.Event()

    def fetch(row: int) -> bytes:
        fetched.append(row)
        progress.asked.set()
        stopped.wait(0.3)  # a picture that takes its time
        return noise_png(row)

    found: Iterator[tuple[int, Fetch]] = ((row, partial(fetch, row)) for row in range(16))
    with pytest.raises(Cancelled):
        list(decode_ahead(found, items(16, 300), recipe(), progress))
    assert len(fetched) <= 2


@pytest.mark.parametrize("size", [0, 1, 2**18 - 1, 2**18, 2**18 + 1, 3 * 2**18, 5_000_003])
def test_files_are_read_whole(size: int) -> None:
    data = np.random.default_rng(0).bytes(size)
    assert read_whole(BytesIO(data)) == data
