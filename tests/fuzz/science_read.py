"""Readers of picture files of science: TIFF, DICOM, arrays and PNG of 16 bits."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from fuzz.mutations import spoiled_bytes
from fuzz.readers import Reader
from helpers.picture_kinds import Kind, dicom_kinds, kinds
from studio.engine.pictures import open_picture
from studio.engine.pictures.info import windows_of

_LONGEST = 60_000
"""Bytes of a file that is spoiled: most changes shall hit its header."""
_PART = 20
"""Pixels of the sides of a part."""
_PLANES = 3
"""Planes that are decoded of a spoiled file."""


def _seeds(start: str) -> Callable[[Path], Sequence[bytes]]:
    def seeds(_folder: Path) -> list[bytes]:
        found = [each for each in kinds() if _is_of(each, start) and len(each.data) < _LONGEST]
        return [each.data for each in found if not each.name.endswith("damaged")]

    return seeds


def _is_of(kind: Kind, start: str) -> bool:
    return kind.name.startswith(start) or start in kind.name.split(",")[0]


def _dicom_seeds(_folder: Path) -> list[bytes]:
    return [each.data for each in dicom_kinds() if len(each.data) < _LONGEST]


def _read(folder: Path) -> object:
    with open_picture(folder / "image") as picture:
        info = picture.info
        for number in range(min(info.planes, _PLANES)):
            plane = picture.plane(number)
            assert plane.shape == (info.height, info.width, info.channels), plane.shape
            assert plane.dtype == info.dtype, plane.dtype
        return picture.missing(0)


def _read_parts(folder: Path) -> object:
    """Read corners of each copy of a picture that is read part by part."""
    with open_picture(folder / "image") as picture:
        windowed = windows_of(picture)
        if windowed is None:
            return None
        for level, (width, height) in enumerate(windowed.levels):
            across, down = min(width, _PART), min(height, _PART)
            for window in ((0, 0, across, down), (width - across, height - down, across, down)):
                part = windowed.window(picture.info.planes - 1, window, level)
                assert part.shape == (down, across, picture.info.channels), part.shape
                assert part.dtype == picture.info.dtype, part.dtype
        return windowed.missing_in(0, (0, 0, 1, 1))


def _spoiled_tags(data: bytes, random: Random) -> bytes:
    """Exchange a value in the tags of a TIFF, or any bytes."""
    if data[:3] != b"II*" or random.random() < 0.4:
        return spoiled_bytes(data, random)
    changed = bytearray(data)
    start = struct.unpack_from("<I", data, 4)[0]
    count = struct.unpack_from("<H", data, start)[0] if start + 2 <= len(data) else 0
    for _ in range(random.choice((1, 1, 2))):
        at = start + 2 + 12 * random.randrange(max(1, count)) + random.choice((0, 2, 4, 8))
        value = random.choice((0, 1, 2, 3, 5, 8, 16, 255, 65535, 2**31, 2**32 - 1))
        if at + 4 <= len(changed):
            changed[at : at + 2] = struct.pack("<H", value & 0xFFFF)
    return bytes(changed)


READERS = [
    Reader("tiff", "image", _seeds("TIFF"), _read, 700, _spoiled_tags),
    Reader("ome tiff", "image", _seeds("OME"), _read, 120, _spoiled_tags),
    Reader("geotiff", "image", _seeds("GeoTIFF"), _read, 150, _spoiled_tags),
    Reader("imagej", "image", _seeds("ImageJ"), _read, 60, _spoiled_tags),
    Reader("parts of tiff", "image", _seeds("TIFF"), _read_parts, 400, _spoiled_tags),
    Reader("dicom", "image", _dicom_seeds, _read, 500),
    Reader("npy", "image", _seeds("NPY"), _read, 120),
    Reader("deep color", "image", _seeds("16 bit color"), _read, 120),
]
