"""Encoded pictures within other files: their sizes are known before they are decoded."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

import imagecodecs
import numpy as np
import pydicom
import pytest
import tifffile
from pydicom.encaps import encapsulate

from helpers.picture_kinds import DICOM_FILES, tiff
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture
from studio.engine.pictures.encoded_sizes import encoded_size
from studio.engine.pictures.info import windows_of

_ENCODERS: dict[str, Callable[..., bytes | bytearray]] = {
    "jpeg": imagecodecs.jpeg8_encode,
    "jpeg2000": imagecodecs.jpeg2k_encode,
    "jpegxl": imagecodecs.jpegxl_encode,
    "jpegxr": imagecodecs.jpegxr_encode,
    "png": imagecodecs.png_encode,
    "webp": imagecodecs.webp_encode,
    "lerc": imagecodecs.lerc_encode,
}
_LARGE = (2100, 2100, 3)


def _encoded(name: str, shape: tuple[int, int, int], **options: Any) -> bytes:
    return bytes(_ENCODERS[name](np.zeros(shape, np.uint8), **options))


@pytest.mark.parametrize("name", _ENCODERS)
def test_the_size_of_every_codec_is_read(name: str) -> None:
    assert encoded_size(_encoded(name, (21, 300, 3))) == (300, 21)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("jpeg2000", {"codecformat": "j2k"}),
        ("jpegxl", {"usecontainer": True}),
        ("webp", {"lossless": True}),
    ],
)
def test_the_size_is_read_of_other_layouts(name: str, options: dict[str, Any]) -> None:
    assert encoded_size(_encoded(name, (21, 37, 3), **options)) == (37, 21)


def test_other_bytes_have_no_size() -> None:
    assert encoded_size(b"") is None
    assert encoded_size(bytes(99)) is None


def _with_other_tile(name: str) -> bytes:
    """Return a TIFF of 64 by 64 pixels whose only tile encodes a far larger picture."""
    small = np.zeros((64, 64, 3), np.uint8)
    data = bytearray(tiff(small, compression=name, tile=(64, 64), photometric="rgb"))
    encoded = _encoded(name, _LARGE)
    with tifffile.TiffFile(io.BytesIO(data)) as file:
        offsets, lengths = (file.pages.first.tags[tag].offset for tag in (324, 325))
    struct.pack_into("<I", data, offsets + 8, len(data))
    struct.pack_into("<H", data, lengths + 2, 4)  # of four bytes
    struct.pack_into("<I", data, lengths + 8, len(encoded))
    return bytes(data) + encoded


@pytest.mark.parametrize("name", _ENCODERS)
def test_a_tile_is_not_larger_than_the_file_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = _with_other_tile(name)
    monkeypatch.setattr(tifffile.TiffPage, "decode", None)  # nothing may be decoded

    with open_picture(io.BytesIO(data)) as picture:
        windowed = windows_of(picture)
        assert windowed is not None
        with pytest.raises(BadDataError, match="damaged"):
            windowed.window(0, (0, 0, 8, 8))
        with pytest.raises(BadDataError, match="damaged"):
            picture.plane(0)


def test_pixels_that_look_like_a_signature_are_read() -> None:
    values = np.full((64, 64), 0xFFFF, np.uint16)
    values[0, :2] = (2815, 0xFFFE)  # as JPEG XL of a million columns begins

    with open_picture(io.BytesIO(tiff(values, tile=(32, 32)))) as picture:
        windowed = windows_of(picture)
        assert windowed is not None
        part = windowed.window(0, (0, 0, 8, 8))

    assert np.array_equal(part[..., 0], values[:8, :8])


def test_a_tile_is_not_larger_than_memory() -> None:
    data = bytearray(tiff(np.zeros((64, 64), np.uint8), tile=(64, 64), compression="zlib"))
    with tifffile.TiffFile(io.BytesIO(data)) as file:
        tags = file.pages.first.tags
        for tag in (322, 323):
            struct.pack_into("<I", data, tags[tag].offset + 8, 60_000)

    with open_picture(io.BytesIO(data)) as picture, pytest.raises(BadDataError, match="damaged"):
        picture.plane(0)


def test_a_frame_of_dicom_is_not_larger_than_the_file_says() -> None:
    dataset = pydicom.dcmread(DICOM_FILES / "SC_rgb_jpeg_gdcm.dcm")
    dataset.PixelData = encapsulate([_encoded("jpeg", _LARGE)])
    file = io.BytesIO()
    dataset.save_as(file)
    file.seek(0)

    with open_picture(file) as picture, pytest.raises(BadDataError, match="damaged"):
        picture.plane(0)
