"""Number formats of pixels, and the scale on which networks receive them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from studio.engine.pixel_format import PixelFormat


@given(st.floats(-1e4, 1e4), st.floats(1, 1e5), st.integers(1, 5))
def test_the_ends_of_the_range_become_0_and_255(low: float, span: float, channels: int) -> None:
    pixels = PixelFormat.uniform("float32", channels, low, low + span)
    ends = np.stack([np.full((2, 2, channels), end, np.float32) for end in (low, low + span)])

    scaled = pixels.network_values(ends)

    assert scaled.dtype == np.float32
    assert np.allclose(scaled[0], 0, atol=255 * 1e-3)
    assert np.allclose(scaled[1], 255, atol=255 * 1e-3)


def test_all_levels_of_12_bits_stay_apart() -> None:
    pixels = PixelFormat.uniform("uint16", 1, 0, 4095)
    levels = np.arange(4096, dtype=np.uint16).reshape(64, 64, 1)

    assert len(np.unique(pixels.network_values(levels))) == 4096


def test_bytes_reach_networks_as_they_are() -> None:
    levels = np.arange(256, dtype=np.uint8).reshape(16, 16, 1)

    assert PixelFormat.bytes_of(1).is_standard
    assert np.array_equal(PixelFormat.bytes_of(1).network_values(levels), levels)


def test_each_channel_has_its_own_range() -> None:
    pixels = PixelFormat(dtype="uint16", channels=2, low=(0, 100), high=(1000, 200))
    values = np.array([[[500, 150]]], np.uint16)

    assert np.allclose(pixels.network_values(values), 127.5)


def test_an_image_of_one_value_has_no_range_of_its_own() -> None:
    pixels = PixelFormat.uniform("uint16", 1, 0, 9).model_copy(update={"per_image": True})
    values = np.array([[[7, 7], [7, 7]], [[7, 9], [8, 7]]], np.uint16)

    scaled = pixels.network_values(values[..., np.newaxis])

    assert scaled[..., 0].tolist() == [[[0, 0], [0, 0]], [[0, 255], [127.5, 0]]]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"channels": 2}, "as many values"),
        ({"low": (5, 5, 5), "high": (5, 5, 5)}, "below the highest"),
        ({"low": (0, 0, float("nan"))}, "finite"),
        ({"names": ("a", "b")}, "as many values"),
        ({"dtype": "uint32"}, "uint16"),
        ({"channels": 65}, "64"),
    ],
)
def test_impossible_formats_are_refused(values: dict[str, object], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        PixelFormat.model_validate(values)


def test_a_network_uses_images_of_another_range_of_the_same_type() -> None:
    twelve_bits, ten_bits = (PixelFormat.uniform("uint16", 1, 0, top) for top in (4095, 1023))
    assert twelve_bits.is_compatible(ten_bits)
    assert not twelve_bits.is_compatible(ten_bits.model_copy(update={"per_image": True}))
    assert not twelve_bits.is_compatible(PixelFormat.uniform("float32", 1, 0, 4095))
    assert not twelve_bits.is_compatible(PixelFormat.uniform("uint16", 2, 0, 4095))


def test_one_channel_is_described_in_the_singular() -> None:
    assert str(PixelFormat.uniform("uint16", 1, 0, 9).text).startswith("one channel of uint16")
    assert PixelFormat.uniform("uint16", 2, 0, 9).text.startswith("2 channels of uint16")
