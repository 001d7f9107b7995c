from __future__ import annotations

import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from PIL.ImageFile import ImageFile

from studio.engine.datasets.picture_values import read_values
from studio.engine.picture_files import opened_picture, orientation_of

EXIF_TURN = 0x0112
QUARTER = 6


def png_with_turn(*, behind: bool) -> bytes:
    """A gray PNG of 16 bits, 4 x 3, turned by a quarter; its EXIF data may follow the pixels."""
    exif = Image.Exif()
    exif[EXIF_TURN] = QUARTER
    buffer = BytesIO()
    pixels = np.arange(12, dtype=np.uint16).reshape(3, 4) * 5000
    Image.fromarray(pixels).save(buffer, "PNG", exif=None if behind else exif)
    data = buffer.getvalue()
    if not behind:
        return data
    content = exif.tobytes().removeprefix(b"Exif\x00\x00")
    chunk = b"eXIf" + content
    late = struct.pack(">I", len(content)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    end = data.index(b"IEND") - 4
    return data[:end] + late + data[end:]


@pytest.mark.parametrize("behind", [False, True])
def test_the_turn_of_a_png_is_found_before_and_behind_its_pixels(behind: bool) -> None:
    data = png_with_turn(behind=behind)
    header, values = read_values(BytesIO(data))
    assert (header.width, header.height) == (3, 4)
    assert values.shape == (4, 3, 1)
    with opened_picture(BytesIO(data)) as image:
        assert orientation_of(image) == QUARTER
        image.load()  # the file was left where the pixels begin
        assert orientation_of(image) == QUARTER


def test_the_header_of_a_png_is_read_without_its_pixels() -> None:
    buffer = BytesIO()
    Image.new("I;16", (4, 3)).save(buffer, "PNG")
    with opened_picture(BytesIO(buffer.getvalue())) as image:
        assert isinstance(image, ImageFile)
        assert orientation_of(image) == 1
        assert image.tile, "Pillow decoded the pixels"
        image.load()  # the file was left where the pixels begin
