"""Reads what ImageJ, OME and GDAL write into the tags of a TIFF file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree as ET

from tifffile import TiffFile, TiffPage

from studio.engine.errors import one_line, shortened
from studio.engine.messages import Text, message

_GDAL_METADATA, _GDAL_NO_DATA = 42112, 42113
_MICROMETERS: Final = {
    "": 1.0,
    "µm": 1.0,
    "μm": 1.0,
    "um": 1.0,
    "micron": 1.0,
    "microns": 1.0,
    "\\u00b5m": 1.0,
    "nm": 1e-3,
    "mm": 1e3,
    "cm": 1e4,
    "m": 1e6,
    "inch": 25400.0,
}
_LONGEST_NAME: Final = 60
_NEUTRAL: Final = {"cf": 0.0, "c0": 0.0, "c1": 1.0}
"""Function of ImageJ's calibration and its two coefficients, with which no value changes."""


@dataclass(frozen=True, slots=True)
class TiffMetadata:
    """Facts about a picture in its tags; see `PictureInfo` for those of the same names.

    Attributes:
        channel_names: A name for each channel.
        pixel_size_um: Width and height of a pixel.
        significant_bits: Bits of a value.
        window: Lowest and highest displayed value.
        no_data: Value of pixels without data; None if there is none.
        notes: Sentences about facts that are not used.
    """

    channel_names: tuple[str, ...] = ()
    pixel_size_um: tuple[float, float] | None = None
    significant_bits: int = 0
    window: tuple[float, float] | None = None
    no_data: float | None = None
    notes: tuple[Text, ...] = ()


def metadata_of(tiff: TiffFile, page: TiffPage) -> TiffMetadata:
    """Return the facts in the tags of a file; what is malformed is left out.

    Args:
        tiff: The file.
        page: The first page of its image.
    """
    if tiff.is_ome and tiff.ome_metadata:
        return _of_ome(tiff.ome_metadata)
    if tiff.is_imagej and tiff.imagej_metadata:
        return _of_imagej(tiff.imagej_metadata, page)
    return _of_gdal(page)


def _parsed(text: object) -> ET.Element | None:
    """Parse XML; `check_structure` has refused declarations of entities."""
    if not isinstance(text, str):
        return None
    try:
        return ET.fromstring(text)  # noqa: S314 - it declares no entities
    except ET.ParseError:
        return None


def _of_ome(text: str) -> TiffMetadata:
    root = _parsed(text)
    pixels = None if root is None else root.find("{*}Image/{*}Pixels")
    if pixels is None:
        return TiffMetadata()
    names = [channel.get("Name") for channel in pixels.findall("{*}Channel")]
    sides = [
        _length(pixels.get(f"PhysicalSize{axis}"), pixels.get(f"PhysicalSize{axis}Unit", "µm"))
        for axis in "XY"
    ]
    bits = pixels.get("SignificantBits", "")
    return TiffMetadata(
        channel_names=_named(dict(enumerate(names)), len(names)),
        pixel_size_um=_size(*sides),
        significant_bits=int(bits) if bits.isdecimal() and len(bits) < 3 else 0,
    )


def _of_imagej(found: dict[str, Any], page: TiffPage) -> TiffMetadata:
    unit = str(found.get("unit", ""))
    sides = [_length(_per_unit(page.tags.valueof(tag)), unit) for tag in (282, 283)]
    low, high = _number(found.get("min")), _number(found.get("max"))
    window = (low, high) if low is not None and high is not None and low < high else None
    return TiffMetadata(
        pixel_size_um=_size(*sides) if unit else None,
        window=window,
        notes=_scale_notes(is_scaled=_is_calibrated(found)),
    )


def _is_calibrated(found: Mapping[str, Any]) -> bool:
    """Return True if ImageJ shows other values than it stores: not those of y = 0 + 1 x."""
    if "cf" not in found:
        return False
    numbers = [_number(found.get(name, neutral)) for name, neutral in _NEUTRAL.items()]
    return numbers != [*_NEUTRAL.values()]


def _of_gdal(page: TiffPage) -> TiffMetadata:
    root = _parsed(page.tags.valueof(_GDAL_METADATA))
    names: dict[int, str | None] = {}
    is_scaled = False
    for item in [] if root is None else root.findall("Item"):
        sample = item.get("sample", "")
        if item.get("role") == "description" and sample.isdecimal() and item.text:
            names[int(sample)] = item.text
        neutral = {"scale": 1.0, "offset": 0.0}.get(item.get("role", ""))
        is_scaled |= neutral is not None and _number(item.text) != neutral
    return TiffMetadata(
        channel_names=_named(names, page.samplesperpixel),
        no_data=_no_data(page.tags.valueof(_GDAL_NO_DATA)),
        notes=_scale_notes(is_scaled=is_scaled),
    )


def _scale_notes(*, is_scaled: bool) -> tuple[Text, ...]:
    """Return a sentence about a scale or calibration in a file, which other readers may apply."""
    if not is_scaled:
        return ()
    text = message(
        "Its values are stored with a scale or an offset, which is not applied: they are read as "
        "they are stored."
    )
    return (text,)


def _named(names: Mapping[int, str | None], count: int) -> tuple[str, ...]:
    """Return a name for each channel, or its number; empty if no channel has a name."""
    found = [one_line(names.get(i) or "").strip() for i in range(count)]
    if not any(found):
        return ()
    return tuple(
        shortened(name, _LONGEST_NAME) or str(number) for number, name in enumerate(found, 1)
    )


def _no_data(text: object) -> float | None:
    try:
        return float(str(text).strip("\0 ")) if text else None
    except ValueError:
        return None


def _number(value: object) -> float | None:
    try:
        found = float(str(value))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _per_unit(value: object) -> float | None:
    """Return the length of a pixel from a number of pixels for a unit of length."""
    if not isinstance(value, tuple) or len(value) != 2 or not value[0]:
        return None
    return float(value[1]) / float(value[0])


def _length(value: object, unit: str) -> float | None:
    """Return a length in micrometers; None if it or its unit is not known."""
    number, factor = _number(value), _MICROMETERS.get(unit.casefold())
    return number * factor if number is not None and factor and number > 0 else None


def _size(width: float | None, height: float | None) -> tuple[float, float] | None:
    return (width, height) if width is not None and height is not None else None
