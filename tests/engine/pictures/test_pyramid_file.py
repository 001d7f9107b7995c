"""Tiled TIFF files with smaller copies, and pictures that are read by parts."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from helpers.picture_kinds import tiff
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture, position_tags, tiff_windows
from studio.engine.pictures.info import PartOfPicture, windows_of
from studio.engine.pictures.pyramid_file import ExtraTag, pyramid_file
from studio.engine.pictures.pyramids import read_pyramid, with_copies
from studio.engine.pictures.tiff_windows import PageWindows

_RANDOM = np.random.default_rng(36)
_DEEP = _RANDOM.integers(0, 4096, (300, 410), np.uint16)
_BANDS = _RANDOM.integers(0, 4096, (5, 300, 410), np.uint16)
_COLORS = _RANDOM.integers(0, 256, (300, 410, 3), np.uint8)


def _written(path: Path, values: np.ndarray[Any, Any], **options: Any) -> np.ndarray[Any, Any]:
    height, width, channels = values.shape
    file = pyramid_file(path, (width, height), values.dtype, channels, **options)
    with file as writer:
        for top in range(0, height, 97):
            writer.add(values[top : top + 97])
    return writer.overview


@pytest.mark.parametrize("channels", [1, 3])
def test_rows_of_any_number_become_a_picture_with_smaller_copies(
    tmp_path: Path, channels: int
) -> None:
    values = _RANDOM.integers(0, 9, (2101, 1333, channels), np.uint8)

    overview = _written(tmp_path / "a.tif", values)

    assert np.array_equal(overview, values[::2, ::2])
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        levels = file.series[0].levels
        assert np.array_equal(file.asarray().reshape(values.shape), values)
        halved = levels[1].asarray()
        assert np.array_equal(halved.reshape(*halved.shape[:2], -1), values[::2, ::2])
        assert [level.shape[:2] for level in levels][-1] == (132, 84)


def test_smaller_copies_of_numbers_keep_their_maxima(tmp_path: Path) -> None:
    values = np.zeros((701, 903, 1), np.float32)
    values[700, 902] = 7

    _written(tmp_path / "a.tif", values, reduction="max")

    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        assert [float(level.asarray().max()) for level in file.series[0].levels] == [7, 7, 7]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_pixels_of_smaller_copies_are_means_of_four(dtype: Any, tmp_path: Path) -> None:
    largest = np.iinfo(dtype).max if np.dtype(dtype).kind == "u" else 1
    values = (_RANDOM.random((701, 903, 2)) * largest).astype(dtype)
    values[:2, :2] = largest
    even = np.pad(values, ((0, 1), (0, 1), (0, 0)), mode="edge").astype(np.float64)
    means = even.reshape(351, 2, 452, 2, 2).mean(axis=(1, 3))

    _written(tmp_path / "a.tif", values, reduction="mean")

    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        halved = file.series[0].levels[1].asarray()
    assert np.abs(halved - means).max() <= (0.5 if np.dtype(dtype).kind == "u" else 1e-6)
    assert np.all(halved[0, 0] == largest)


def test_each_tile_is_decoded_once_for_the_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, values = tmp_path / "a.tif", np.tile(_COLORS, (2, 2, 1))
    tifffile.imwrite(path, values, photometric="rgb", tile=(256, 256), compression="zlib")
    decoded: list[int] = []
    original = PageWindows._decoded

    def counted(windows: PageWindows, index: int, offset: int, length: int) -> Any:
        decoded.append(index)
        return original(windows, index, offset, length)

    monkeypatch.setattr(tiff_windows, "_CACHE", 1)
    monkeypatch.setattr(PageWindows, "_decoded", counted)
    pyramid = read_pyramid(path, 0, 0)
    assert pyramid is not None

    whole = with_copies(pyramid, tmp_path / "copies.tif", lambda _done, _total: None)

    assert sorted(decoded) == list(range(12))
    assert whole.sizes == ((820, 600), (410, 300), (205, 150))


def test_a_file_without_all_rows_takes_no_place(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 of 10 rows"):  # noqa: SIM117 - the inner one ends first
        with pyramid_file(tmp_path / "a.tif", (10, 10), np.dtype("uint8")) as writer:
            writer.add(np.zeros((1, 10, 1), np.uint8))

    assert not list(tmp_path.iterdir())


def test_the_position_of_a_geotiff_is_copied(tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio")
    profile = {"driver": "GTiff", "width": 40, "height": 30, "count": 1, "dtype": "uint8"}
    transform = rasterio.Affine(2.0, 0, 500_000, 0, -2.0, 5_000_000)
    source = tmp_path / "map.tif"
    with rasterio.open(source, "w", crs="EPSG:32633", transform=transform, **profile) as file:
        file.write(np.zeros((1, 30, 40), np.uint8))

    _written(tmp_path / "a.tif", np.zeros((30, 40, 1), np.uint8), tags=position_tags(source))

    with rasterio.open(tmp_path / "a.tif") as file:
        assert (file.crs.to_epsg(), file.transform) == (32633, transform)


def test_a_picture_without_a_position_gives_no_tags(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(tiff(_DEEP))
    (tmp_path / "b.png").write_bytes(b"no picture")

    assert position_tags(tmp_path / "a.tif") == ()
    assert position_tags(tmp_path / "b.png") == ()


_KINDS = {
    "in one piece": tiff(_DEEP),
    "strips": tiff(_DEEP, compression="zlib", rowsperstrip=13),
    "tiles": tiff(_DEEP, tile=(128, 64), compression="zstd", predictor=True),
    "big endian": tiff(_DEEP, tile=(64, 64), byteorder=">"),
    "bright as low": tiff(_DEEP, tile=(64, 64), photometric="miniswhite"),
    "bits": tiff(_DEEP > 2000, tile=(64, 64)),
    "12 bits": tiff(_DEEP, bitspersample=12),
    "colors": tiff(_COLORS, tile=(64, 64), photometric="rgb"),
    "JPEG": tiff(_COLORS, tile=(64, 64), photometric="rgb", compression="jpeg"),
    "separate": tiff(_BANDS, tile=(64, 64), photometric="minisblack", planarconfig="separate"),
    "separate pieces": tiff(_BANDS, photometric="minisblack", planarconfig="separate"),
    "pages of channels": tiff(_BANDS, photometric="minisblack", metadata={"axes": "CYX"}),
    "stack": tiff(_BANDS, imagej=True, metadata={"axes": "ZYX"}, compression="zlib"),
    "fractions": tiff(_DEEP.astype(np.float32), tile=(64, 64), compression="deflate"),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_a_part_is_that_of_the_whole(kind: str) -> None:
    with open_picture(io.BytesIO(_KINDS[kind])) as picture:
        windowed = windows_of(picture)
        assert windowed is not None
        width, height = picture.info.size
        for number in range(picture.info.planes):
            whole = picture.plane(number)
            for window in [(0, 0, 10, 10), (50, 60, 200, 130), (width - 33, height - 47, 33, 47)]:
                left, top, across, down = window
                expected = whole[top : top + down, left : left + across]
                assert np.array_equal(windowed.window(number, window), expected)


def test_parts_of_smaller_copies_are_read(tmp_path: Path) -> None:
    values = _RANDOM.integers(0, 9, (1200, 900, 1), np.uint8)
    _written(tmp_path / "a.tif", values)

    with open_picture(tmp_path / "a.tif") as picture:
        windowed = windows_of(picture)
        assert windowed is not None
        assert list(windowed.levels) == [(900, 1200), (450, 600), (225, 300), (113, 150)]
        part = windowed.window(0, (100, 200, 50, 60), level=1)
    assert np.array_equal(part, values[::2, ::2][200:260, 100:150])


def test_pixels_without_a_value_are_known_in_parts() -> None:
    values = np.where(_DEEP > 2000, np.nan, _DEEP).astype(np.float32)

    with open_picture(io.BytesIO(tiff(values, tile=(64, 64)))) as picture:
        windowed = windows_of(picture)
        assert windowed is not None
        missing = PartOfPicture(windowed, (0, 0, 64, 64)).missing(0)
    assert missing is not None
    assert np.array_equal(missing, _DEEP[:64, :64] > 2000)


def test_a_picture_too_large_for_memory_is_only_read_by_parts() -> None:
    file = io.BytesIO()
    shape = (20_000, 20_000)
    tile = zlib.compress(bytes(512 * 512))
    with tifffile.TiffWriter(file, bigtiff=True) as writer:
        options: dict[str, Any] = {
            "shape": shape,
            "dtype": np.uint8,
            "tile": (512, 512),
            "compression": "zlib",
        }
        writer.write(iter([tile] * 40 * 40), **options)
    file.seek(0)

    with open_picture(file) as picture:
        windowed = windows_of(picture)
        assert windowed is not None
        assert picture.info.size == shape
        assert windowed.window(0, (19_990, 19_990, 10, 10)).shape == (10, 10, 1)
        with pytest.raises(BadDataError, match="more than 178 million pixels"):
            picture.plane(0)


def test_an_extra_tag_of_any_type_is_read_back(tmp_path: Path) -> None:
    tags = [ExtraTag(65000, 2, ("a text",)), ExtraTag(65001, 12, (1.5, -2.0))]
    _written(tmp_path / "a.tif", np.zeros((30, 40, 1), np.uint8), tags=tags)

    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        assert file.pages.first.tags.valueof(65000) == "a text"
        assert file.pages.first.tags.valueof(65001) == (1.5, -2.0)
