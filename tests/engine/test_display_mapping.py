"""Colors in which people see pixels of any format."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pydantic import ValidationError

from studio.engine.arrays import Pixels
from studio.engine.display_mapping import FALSE_COLORS, DisplayMapping, histograms, reduced
from studio.engine.pixel_format import PixelFormat, PixelType

_CHANNELS = st.integers(1, 9)


@st.composite
def _pictures(draw: st.DrawFn) -> tuple[DisplayMapping, Pixels]:
    kind: PixelType = draw(st.sampled_from(["uint8", "uint16", "float32"]))
    channels = draw(_CHANNELS)
    # NaN and infinite values of float files are pixels, too.
    elements = st.floats(width=32) if kind == "float32" else None
    pixels = draw(arrays.arrays(np.dtype(kind), (3, 4, channels), elements=elements))
    low = draw(st.floats(-100, 1000))
    high = low + draw(st.floats(0.01, 70_000))
    names = [str(number) for number in range(channels)]
    mapping = DisplayMapping.of(PixelFormat.uniform(kind, channels, low, high, names))
    shown = draw(st.sets(st.integers(0, channels - 1), min_size=1))
    return mapping.model_copy(update={"shown": tuple(sorted(shown))}), pixels


@given(_pictures())
def test_colors_of_channels_are_added_within_their_windows(
    drawn: tuple[DisplayMapping, Pixels],
) -> None:
    mapping, pixels = drawn
    expected = np.zeros((3, 4, 3))
    for channel in mapping.shown:
        window = mapping.high[channel] - mapping.low[channel]
        with np.errstate(invalid="ignore", over="ignore"):
            level = (pixels[..., channel].astype(np.float64) - mapping.low[channel]) / window
        level = np.nan_to_num(np.clip(level, 0, 1))
        expected += level[..., np.newaxis] * list(bytes.fromhex(mapping.colors[channel][1:]))

    shown = mapping.to_rgb(pixels)

    assert shown.dtype == np.uint8
    assert shown.shape in ((3, 4, 1), (3, 4, 3))
    # Each channel is rounded by itself, and 32 bit numbers have seven digits.
    assert np.abs(shown - np.minimum(expected, 255)).max() <= 0.6 * len(mapping.shown) + 0.1


@given(_pictures())
def test_a_mapping_survives_its_file(drawn: tuple[DisplayMapping, Pixels]) -> None:
    mapping, _ = drawn

    assert DisplayMapping.model_validate_json(mapping.model_dump_json()) == mapping


@given(_pictures())
def test_auto_windows_lie_within_the_values_and_are_never_empty(
    drawn: tuple[DisplayMapping, Pixels],
) -> None:
    mapping, pixels = drawn
    found = mapping.auto(pixels)

    DisplayMapping.model_validate(found.model_dump())  # low is below high in each channel
    assert (found.shown, found.colors) == (mapping.shown, mapping.colors)
    for channel in range(mapping.channels):
        values = pixels[..., channel][np.isfinite(pixels[..., channel])]
        if len(values) and values.min() < values.max():
            assert values.min() <= found.low[channel] <= values.max()


@pytest.mark.parametrize("channels", [1, 3])
def test_bytes_are_shown_as_they_are_without_a_copy(channels: int) -> None:
    pixels = np.arange(12 * channels, dtype=np.uint8).reshape(3, 4, channels)

    shown = DisplayMapping.of(PixelFormat.bytes_of(channels)).to_rgb(pixels)

    assert np.shares_memory(shown, pixels)
    assert np.array_equal(shown, pixels)


def test_defaults_are_gray_color_or_false_colors() -> None:
    def colors(channels: int, names: str = "") -> tuple[str, ...]:
        pixels = PixelFormat.uniform("uint16", channels, 0, 4095, list(names))
        return DisplayMapping.of(pixels).colors

    assert colors(1) == ("#ffffff",)
    assert colors(3) == ("#ff0000", "#00ff00", "#0000ff")
    assert colors(3, "xyz") == FALSE_COLORS[:3]
    assert len(set(colors(7))) == 7


def test_of_more_than_seven_channels_the_first_seven_are_shown() -> None:
    mapping = DisplayMapping.of(PixelFormat.uniform("float32", 13, 0, 1))

    assert mapping.shown == tuple(range(7))
    assert mapping.channels == 13


def test_12_bits_keep_their_order_and_fill_the_levels() -> None:
    values = np.arange(4096, dtype=np.uint16).reshape(64, 64, 1)

    shown = DisplayMapping.of(PixelFormat.uniform("uint16", 1, 0, 4095)).to_rgb(values)

    assert (np.diff(shown.ravel().astype(int)) >= 0).all()
    assert len(np.unique(shown)) == 256


def test_a_narrow_window_cuts_off_what_is_outside() -> None:
    values = np.array([[[0], [100], [151], [200], [65535]]], np.uint16)
    mapping = DisplayMapping.of(PixelFormat.uniform("uint16", 1, 0, 4095))

    shown = mapping.with_window(0, 100, 200).to_rgb(values)

    assert shown.ravel().tolist() == [0, 0, 130, 255, 255]


@pytest.mark.parametrize(
    "values",
    [
        {"shown": ()},
        {"shown": (1,)},
        {"colors": ("red",)},
        {"low": (5,), "high": (5,)},
        {"low": (0, 0)},
        {"high": (float("inf"),)},
    ],
)
def test_impossible_mappings_are_refused(values: dict[str, object]) -> None:
    usual = {"shown": (0,), "colors": ("#ffffff",), "low": (0,), "high": (1,)}

    with pytest.raises(ValidationError):
        DisplayMapping.model_validate(usual | values)


def test_thumbnails_are_made_of_fewer_pixels() -> None:
    pixels = np.zeros((2048, 1024, 5), np.uint16)

    assert reduced(pixels, 256).shape == (512, 256, 5)
    assert reduced(pixels, 0) is not None
    assert reduced(pixels, 0).shape == pixels.shape


def test_histograms_count_each_channel() -> None:
    pixels = np.stack([np.full((4, 4), 10.0), np.full((4, 4), np.nan)], -1).astype(np.float32)

    first, second = histograms(pixels, 0, 100)

    assert first.sum() == 16
    assert np.flatnonzero(first).tolist() == [12]
    assert second.sum() == 0
