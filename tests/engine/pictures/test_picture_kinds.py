"""Picture files of every kind: their properties, their pixels, and limits before decoding."""

from __future__ import annotations

import importlib.util
import io
import struct
import zlib
from typing import Any

import numpy as np
import pydicom
import pytest
import tifffile
from PIL import ExifTags, Image, ImageOps
from pydicom.uid import ExplicitVRLittleEndian

from helpers.picture_kinds import (
    DICOM_FILES,
    GRAY,
    GRAY_16,
    RGB,
    TABLE,
    geotiff,
    npy,
    pillow,
    table,
    tiff,
)
from studio.engine.datasets.picture_values import array_file
from studio.engine.errors import BadDataError
from studio.engine.picture_files import LARGEST_PIXELS, opened_file
from studio.engine.pictures import open_picture
from studio.engine.pictures.info import PictureInfo, WindowedPicture
from studio.engine.pictures.turns import turned


def _info(data: bytes) -> PictureInfo:
    with open_picture(io.BytesIO(data)) as picture:
        return picture.info


def _plane(data: bytes, number: int = 0) -> np.ndarray[Any, Any]:
    with open_picture(io.BytesIO(data)) as picture:
        return picture.plane(number)


def _reason(data: bytes) -> str:
    with pytest.raises(BadDataError) as caught, open_picture(io.BytesIO(data)) as picture:
        picture.plane(0)
    return str(caught.value)


def test_all_kinds_are_read_as_the_table_says() -> None:
    assert table() == TABLE.read_text(encoding="utf-8")
    assert len(table().splitlines()) > 60


def test_a_file_is_read_whatever_its_name_says(tmp_path: Any) -> None:
    path = tmp_path / "scan.png"
    path.write_bytes(tiff(GRAY_16, compression="zstd"))

    with open_picture(path) as picture:
        assert picture.info.format == "TIFF"
        assert np.array_equal(picture.plane(0)[..., 0], GRAY_16)

    path.write_bytes(b"")
    with pytest.raises(BadDataError, match="the file is empty") as caught, open_picture(path):
        pass
    assert caught.value.where == str(path)


def test_missing_values_are_known() -> None:
    values = np.array([[1.5, np.nan], [-9999, np.inf]], np.float32).repeat(20, 0).repeat(20, 1)
    metadata = [(42113, "s", 0, "-9999", True)]

    with open_picture(io.BytesIO(tiff(values, extratags=metadata))) as picture:
        pixels, missing = picture.plane(0), picture.missing(0)

    assert missing is not None
    assert np.array_equal(missing, values != 1.5)
    assert np.isnan(pixels[values == -9999]).all()
    with open_picture(io.BytesIO(tiff(GRAY))) as picture:
        assert picture.missing(0) is None


@pytest.mark.parametrize("no_data", ["-1", "255.5", "256"])
def test_a_number_that_the_type_cannot_hold_is_no_missing_value(no_data: str) -> None:
    white = np.full((16, 16), 255, np.uint8)
    data = tiff(white, extratags=[(42113, "s", 0, no_data, True)])
    assert np.array_equal(_plane(data)[..., 0], white)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_colors_multiplied_by_their_opacity_are_divided_by_it(dtype: Any) -> None:
    fifth = np.iinfo(dtype).max // 5
    pixels = np.zeros((16, 16, 4), dtype)
    pixels[:8] = [50, 40, 20, fifth]
    usual = tiff(pixels, photometric="rgb", extrasamples=["unassalpha"])
    multiplied = tiff(pixels, photometric="rgb", extrasamples=["assocalpha"])

    assert np.array_equal(_plane(usual), pixels)
    assert _plane(multiplied)[0, 0].tolist() == [250, 200, 100, fifth]
    assert not _plane(multiplied)[8:].any()


def test_a_ct_is_read_in_hounsfield_units() -> None:
    with open_picture(DICOM_FILES / "CT_small.dcm") as picture:
        values = picture.plane(0)[..., 0]

    stored = pydicom.dcmread(DICOM_FILES / "CT_small.dcm").pixel_array
    assert np.array_equal(values, stored.astype(np.float32) - 1024)


def _dicom(**changes: Any) -> bytes:
    data = pydicom.dcmread(DICOM_FILES / "MR_small.dcm")
    for name, value in changes.items():
        if value is None:
            del data[name]
        elif isinstance(value, tuple):
            data.add_new(name, *value)
        else:
            setattr(data, name, value)
    file = io.BytesIO()
    data.save_as(file)
    return file.getvalue()


def test_dark_and_bright_are_exchanged_where_low_values_are_bright() -> None:
    usual, inverted = _dicom(), _dicom(PhotometricInterpretation="MONOCHROME1")

    assert np.array_equal(_plane(usual), -1 - _plane(inverted))  # BitsStored are 16, with a sign
    assert _info(usual).window == (-200, 1400)
    assert _info(inverted).window == (-1401, 199)


def test_a_table_is_looked_up_before_dark_and_bright_are_exchanged() -> None:
    table = pydicom.Dataset()
    table.ModalityLUTType = "US"
    table.add_new("LUTDescriptor", "US", [4096, 0, 16])
    table.add_new("LUTData", "OW", (np.arange(4096) * 3).astype("<u2").tobytes())
    changes = {"ModalityLUTSequence": [table], "PixelRepresentation": 0}
    usual = _plane(_dicom(**changes))
    inverted = _plane(_dicom(**changes, PhotometricInterpretation="MONOCHROME1"))

    assert len(np.unique(usual)) > 100
    assert np.array_equal(inverted, 65535 - usual)


def test_pixels_outside_of_the_scanned_area_are_missing() -> None:
    values = _plane(_dicom())
    low, high = np.percentile(values, [10, 20]).astype(int).tolist()
    data = _dicom(PixelPaddingValue=("SS", low), PixelPaddingRangeLimit=("SS", high))
    gone = (values >= low) & (values <= high)

    with open_picture(io.BytesIO(data)) as picture:
        missing = picture.missing(0)
        assert missing is not None
        assert np.array_equal(missing, gone[..., 0])
        assert np.array_equal(np.isnan(picture.plane(0)), gone)


def test_images_of_a_patient_have_one_group_without_the_number_of_the_patient() -> None:
    patients = {_info(_dicom(PatientID=name, SeriesNumber=n)).group for n in "12" for name in "ab"}
    study = _info(_dicom(PatientID=None)).group

    assert len(patients) == 2
    assert study.startswith("study-")
    assert "4MR1" not in _info(_dicom()).group


def test_a_dicom_file_may_begin_as_a_tiff() -> None:
    data = _dicom()

    assert _info(b"II*\0" + data[4:]).format == "DICOM"


def test_positions_are_those_of_the_corners_of_pixels() -> None:
    found = _info(geotiff(2, "uint8")).georeference
    assert found is not None
    assert found.crs == "EPSG:32633"
    assert list(found.transform) == [10, 0, 500_000, 0, -10, 5_300_000]


@pytest.mark.parametrize(
    ("name", "data", "start"),
    [
        ("pydicom", _dicom(), "files of this kind are read after: "),
        ("tifffile", tiff(RGB, photometric="rgb"), ""),
    ],
)
def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, start: str
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda x: None if x == name else find(x))

    if start:
        assert _reason(data).startswith(start)
        assert "pip install" in _reason(data)
    else:
        assert np.array_equal(_plane(data), RGB)
        note = str(_info(data).notes[0])
        assert "pip install" in note
        assert "positions on the earth" in note


def _png_header(width: int, height: int) -> bytes:
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    crc = struct.pack(">I", zlib.crc32(chunk))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + crc


def _circle() -> bytes:
    data = bytearray(tiff(GRAY, metadata=None))
    (first,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, first)
    struct.pack_into("<I", data, first + 2 + 12 * count, first)
    return bytes(data)


def _npy_of(shape: tuple[int, ...], dtype: str = "<u2") -> bytes:
    file = io.BytesIO()
    header = {"shape": shape, "fortran_order": False, "descr": dtype}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(1000)


def _deflated(count: int) -> bytes:
    data = pydicom.dcmread(DICOM_FILES / "image_dfl.dcm")
    file = io.BytesIO()
    data.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    whole = (DICOM_FILES / "image_dfl.dcm").read_bytes()
    start = 144 + int.from_bytes(whole[140:144], "little")
    file.write(whole[:start])
    packer = zlib.compressobj(9, wbits=-15)
    for _ in range(count):
        file.write(packer.compress(bytes(2**24)))
    file.write(packer.flush())
    return file.getvalue()


_MILLIONS = f"more than {LARGEST_PIXELS // 10**6} million pixels"
_XML = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><OME>&a;</OME>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_png_header(60_000, 60_000), _MILLIONS),
        (_png_header(10_000, 10_000), "the image is damaged or truncated"),
        (b"P6 60000 60000 65535\n", _MILLIONS),
        (tiff(GRAY, description=_XML, metadata=None), "its XML declares entities"),
        (_circle(), "the image is damaged or truncated"),
        (tiff(np.zeros((9, 9, 99), np.uint8), planarconfig="contig"), "it has 99 channels"),
        (_npy_of((60_000, 60_000)), _MILLIONS),
        (_npy_of((100_000, 8, 8)), "it has 100,000 planes; the limit is"),
        (_npy_of((13_000, 13_000, 60)), "a plane of it takes 20.3 GB; the limit is 4.3 GB"),
        (_npy_of((5000, 5000)), "the image is damaged or truncated"),
        (_npy_of((8, 8), "<M8[s]"), "pixels of the type"),
        (_dicom(Rows=65_535, Columns=65_535), _MILLIONS),
        (_dicom(NumberOfFrames=10**8), "it has 100,000,000 planes; the limit is"),
        (_dicom(NumberOfFrames=10_000), "the image is damaged or truncated"),
        (_dicom(PixelData=None), "the DICOM file contains no image"),
    ],
)
def test_limits_are_checked_before_decoding(data: bytes, reason: str) -> None:
    assert _reason(data).startswith(reason)


def test_a_compressed_data_set_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.engine.pictures.dicom._LARGEST_FILE", 2**25)

    assert _reason(_deflated(4)) == "too large for memory"


def test_planes_of_different_sizes_are_no_stack() -> None:
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        writer.write(GRAY, metadata=None)
        writer.write(GRAY[:9], metadata=None)

    info = _info(file.getvalue())

    assert info.planes == 1
    assert info.notes == ("One more image of another size or type in the file is not read.",)


def test_an_animation_has_all_its_frames() -> None:
    image = Image.fromarray(RGB)
    frames = [Image.fromarray(255 - RGB)]
    data = pillow(image, "PNG", save_all=True, append_images=frames)

    assert np.array_equal(_plane(data, 1), 255 - RGB)


def test_an_array_keeps_its_values() -> None:
    assert np.array_equal(_plane(npy(GRAY_16.astype(">u2")))[..., 0], GRAY_16)


def test_an_error_of_our_own_code_is_no_damaged_file() -> None:
    missing: Any = None
    with pytest.raises(BadDataError, match="damaged"), opened_file(io.BytesIO(b"x")):
        Image.open(missing)  # Pillow complains about the type

    with pytest.raises(TypeError), opened_file(io.BytesIO(b"x")):
        turned(missing, 3)


def test_the_mask_of_a_file_says_which_pixels_have_no_data() -> None:
    has_data = GRAY > 99
    tiles: dict[str, Any] = {"tiled": True, "blockxsize": 16, "blockysize": 16}
    for dtype in ("uint16", "float32"):
        data = geotiff(2, dtype, mask=has_data, **tiles)
        with open_picture(io.BytesIO(data)) as picture:
            assert isinstance(picture, WindowedPicture)
            missing, pixels = picture.missing(0), picture.plane(0)
            part = (5, 3, 20, 18)
            of_part = picture.missing_in(0, part)

            assert np.array_equal(picture.window(0, part), pixels[3:21, 5:25], equal_nan=True)
        assert missing is not None
        assert of_part is not None
        assert np.array_equal(missing, ~has_data)
        assert np.array_equal(of_part, missing[3:21, 5:25])
        known = pixels[has_data]
        assert np.array_equal(known, np.stack([GRAY[has_data] // 2] * 2, axis=-1))


def test_a_value_for_no_data_that_no_pixel_has_is_no_reason_for_a_note() -> None:
    with open_picture(io.BytesIO(geotiff(2, "uint16", nodata=60000))) as picture:
        assert picture.missing(0) is None


def test_the_position_of_a_turned_picture_is_unknown() -> None:
    tags = [(33550, "d", 3, (10.0, 10.0, 0.0), True), (33922, "d", 6, (0.0,) * 6, True)]
    assert _info(tiff(GRAY, extratags=tags)).georeference is not None

    turned_tag = (274, "H", 1, 6, True)
    assert _info(tiff(GRAY, extratags=[*tags, turned_tag])).georeference is None


@pytest.mark.parametrize("shape", [(8, 8, 12), (3, 32, 12), (2, 40, 5), (9, 32, 12)])
def test_an_image_of_an_array_keeps_its_axes(shape: tuple[int, int, int]) -> None:
    image = np.arange(np.prod(shape), dtype=np.uint16).reshape(shape)

    assert np.array_equal(_plane(array_file(image)), image)


def test_a_mask_without_smaller_copies_hides_pixels_of_all_levels() -> None:
    image = np.full((64, 96), 200, np.uint8)
    has_data = np.full((64, 96), True)
    has_data[:32, 48:] = False
    tiles: dict[str, Any] = {"tile": (16, 16), "photometric": "minisblack"}
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        writer.write(image, subifds=1, metadata=None, **tiles)
        writer.write(image[::2, ::2], subfiletype=1, metadata=None, **tiles)
        writer.write(has_data, subfiletype=4, metadata=None, **tiles)

    with open_picture(io.BytesIO(file.getvalue())) as picture:
        assert isinstance(picture, WindowedPicture)
        assert picture.levels == [(96, 64), (48, 32)]
        for level, step in enumerate((1, 2)):
            expected = (image * has_data)[::step, ::step]
            for left, top, width, height in ((0, 0, 96 // step, 64 // step), (19, 9, 11, 13)):
                part = picture.window(0, (left, top, width, height), level)[..., 0]
                assert np.array_equal(part, expected[top : top + height, left : left + width])


@pytest.mark.parametrize(("slope", "is_scaled"), [("1.0", False), ("2.0", True)])
def test_a_calibration_that_changes_nothing_is_no_reason_for_a_note(
    slope: str, is_scaled: bool
) -> None:
    text = f"ImageJ=1.54f\ncf=0\nc0=0.0\nc1={slope}\nvunit=Gray Value\n"
    notes = _info(tiff(GRAY_16, description=text, metadata=None)).notes
    assert ["scale or an offset" in str(each) for each in notes] == [True] * is_scaled


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pixels_are_turned_as_pillow_turns_them(orientation: int) -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image = Image.fromarray(pixels)
    image.getexif()[ExifTags.Base.Orientation] = orientation
    expected = np.asarray(ImageOps.exif_transpose(image))
    assert np.array_equal(turned(pixels[..., None], orientation)[..., 0], expected)
