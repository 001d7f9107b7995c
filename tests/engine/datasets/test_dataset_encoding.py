"""One image as PNG and JPEG: what comes back, how large it is, and what damage does."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from dataset_pictures import encoded, noise, photo, recipe
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from studio.engine.datasets.encoding import decode, encode, stored_and_seen
from studio.engine.errors import BadDataError, StudioError


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 3), (64, 48)])
def test_png_keeps_every_pixel(width: int, height: int, channels: int) -> None:
    pixels = noise(1, width, height, channels).reshape(height, width, channels)
    data = encode(pixels, recipe(encoding="png"))
    assert data.ndim == 1
    assert data[:4].tobytes() == b"\x89PNG"
    back = decode(data, (height, width, channels))
    assert np.array_equal(back, pixels)
    assert back.dtype == np.uint8


def test_raw_pixels_stay_what_they_are() -> None:
    pixels = noise(1)
    assert encode(pixels, recipe()) is pixels


@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_is_near_and_far_smaller(channels: int) -> None:
    pixels = photo(3, 96, 96, channels)
    sizes, errors = [], []
    for quality in (20, 90, 100):
        stored, seen = stored_and_seen(pixels, recipe(encoding="jpeg", jpeg_quality=quality))
        assert np.array_equal(seen, decode(stored, (96, 96, channels)))
        sizes.append(stored.size)
        errors.append(np.abs(seen.astype(int) - pixels).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[1] < 2
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[1] < pixels.size / 4
    assert sizes[1] < encode(pixels, recipe(encoding="png")).size / 2


@pytest.mark.parametrize("size", [(128, 128), (129, 128), (1500, 1000)])
def test_the_worst_case_for_jpeg_can_be_written(size: tuple[int, int]) -> None:
    pixels = noise(0, *size)
    stored, seen = stored_and_seen(pixels, recipe(encoding="jpeg", jpeg_quality=100))
    assert seen.shape == pixels.shape
    assert stored.size > pixels.size / 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "damaged or truncated"),
        (b"no picture", "damaged or truncated"),
        (encoded(Image.new("RGB", (9, 8))), "it is 9x8 RGB, not 8x8 RGB"),
        (encoded(Image.new("L", (8, 8))), "it is 8x8 L, not 8x8 RGB"),
        (encoded(Image.new("RGB", (8, 8)), "BMP"), "damaged or truncated"),
    ],
)
def test_bytes_of_something_else(data: bytes, reason: str) -> None:
    with pytest.raises(BadDataError, match=reason):
        decode(np.frombuffer(data, np.uint8), (8, 8, 3))


@given(
    st.sampled_from(["png", "jpeg"]),
    st.integers(0, 2000),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6),
)
def test_damage_is_an_error_or_an_image_of_the_right_shape(
    encoding: str, stored: int, changes: list[tuple[int, int]]
) -> None:
    data = encode(photo(1, 16, 16), recipe(encoding=encoding)).copy()
    for at, value in changes:
        data[at % data.size] = value
    with contextlib.suppress(BadDataError):
        assert decode(data[:stored], (16, 16, 3)).shape == (16, 16, 3)


@pytest.mark.parametrize("encoding", ["png", "jpeg"])
def test_half_a_file_is_noticed(encoding: str) -> None:
    data = encode(photo(1), recipe(encoding=encoding))
    with pytest.raises(BadDataError, match="truncated"):
        decode(data[: data.size // 2], (40, 48, 3))


def test_the_plan_knows_its_limits() -> None:
    assert recipe().encoding == "raw"
    for wrong in ({"encoding": "gif"}, {"jpeg_quality": 0}, {"jpeg_quality": 101}):
        with pytest.raises(StudioError, match=next(iter(wrong))):
            recipe(**wrong)
