"""Files of many kinds, and a table of what is read of each."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pydicom.data
import rasterio
import tifffile
from numpy.typing import NDArray
from PIL import Image
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian
from rasterio import Affine
from rasterio.io import MemoryFile
from rasterio.transform import from_origin

from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture

DICOM_FILES = Path(str(pydicom.data.__file__)).parent / "test_files"
TABLE = Path(__file__).parents[2] / "docs" / "pages" / "guides" / "picture_kinds.md"
_INTRODUCTION = """# Kinds of picture files

What Studio reads of files of many kinds, and of damaged or unsupported ones the reason. A test
writes these files, or takes them from pydicom, and compares:
`PYTHONPATH=tests python tests/helpers/picture_kinds.py` writes this page.

`int16 → float32` means that values are stored in another type. “Planes” are pages, frames or
slices, see [Microscopy, medical and satellite images](science.md).

| File | Read as |
|---|---|
"""
_RANDOM = np.random.default_rng(0)
GRAY = _RANDOM.integers(0, 256, (24, 32), np.uint8)
GRAY_16 = _RANDOM.integers(0, 65536, (24, 32), np.uint16)
RGB = _RANDOM.integers(0, 256, (24, 32, 3), np.uint8)
RGB_16 = _RANDOM.integers(0, 65536, (24, 32, 3), np.uint16)
GRAY_12 = GRAY_16 >> 4
STACK = _RANDOM.integers(0, 4096, (5, 24, 32), np.uint16)
HYPERSTACK = _RANDOM.integers(0, 4096, (2, 3, 4, 24, 32), np.uint16)


class Kind(NamedTuple):
    """A file, and the pixels of its last plane; None if its compression is lossy."""

    name: str
    data: bytes
    last: NDArray[Any] | None = None


def kinds() -> Iterator[Kind]:
    """Yield files of all kinds."""
    yield from _pillow_kinds()
    yield from _deep_kinds()
    yield from _tiff_compressions()
    yield from _tiff_types()
    yield from _tiff_layouts()
    yield from _stacks()
    yield from _geo_kinds()
    yield from _arrays()
    yield from _unusual_tiffs()
    yield from _tiffs_with_previews()
    yield from _unusual_geo_kinds()
    yield from _unusual_pictures()
    yield from _unusual_dicom_kinds()
    yield from dicom_kinds()


def _pillow_kinds() -> Iterator[Kind]:
    rgb = Image.fromarray(RGB)
    gray = GRAY[..., None]
    yield Kind("PNG 8 bit gray", pillow(Image.fromarray(GRAY), "PNG"), gray)
    yield Kind("PNG 8 bit color", pillow(rgb, "PNG"), RGB)
    yield Kind("PNG 8 bit color with opacity", pillow(rgb.convert("RGBA"), "PNG"))
    yield Kind("PNG palette", pillow(rgb.convert("P"), "PNG"))
    yield Kind("PNG 1 bit", pillow(rgb.convert("1"), "PNG"))
    yield Kind("PNG 16 bit gray", pillow(Image.fromarray(GRAY_16), "PNG"), GRAY_16[..., None])
    seen = pillow(Image.fromarray(GRAY_16), "PNG", transparency=7)
    yield Kind("PNG 16 bit gray, transparent color", seen, GRAY_16[..., None])
    frames = [rgb.rotate(180)]
    yield Kind("APNG of 2 frames", pillow(rgb, "PNG", save_all=True, append_images=frames))
    yield Kind("GIF of 2 frames", pillow(rgb, "GIF", save_all=True, append_images=frames))
    yield Kind("WebP of 2 frames", pillow(rgb, "WEBP", save_all=True, append_images=frames))
    yield Kind("JPEG gray", pillow(Image.fromarray(GRAY), "JPEG"))
    exif = Image.Exif()
    exif[274] = 6
    yield Kind("JPEG color, turned by EXIF", pillow(rgb, "JPEG", exif=exif))
    yield Kind("JPEG CMYK", pillow(rgb.convert("CMYK"), "JPEG"))
    yield Kind("MPO of 2 pictures", pillow(rgb, "MPO", save_all=True, append_images=frames))
    yield Kind("BMP", pillow(rgb, "BMP"), RGB)
    yield Kind("PPM 8 bit", pillow(rgb, "PPM"), RGB)
    yield Kind("PFM (fractions)", pillow(Image.fromarray(GRAY.astype(np.float32)), "PPM"))


def _deep_kinds() -> Iterator[Kind]:
    color = opencv(".png", RGB_16[..., ::-1])
    yield Kind("PNG 16 bit color", color, RGB_16)
    opacity = np.concatenate([RGB_16, GRAY_16[..., None]], axis=-1)
    yield Kind(
        "PNG 16 bit color with opacity", opencv(".png", opacity[..., [2, 1, 0, 3]]), opacity
    )
    yield Kind("PNG 16 bit, damaged", color[:-40])
    yield Kind("PPM 16 bit", opencv(".ppm", RGB_16[..., ::-1]), RGB_16)
    text = b"P5\n32 24\n4095\n" + (GRAY_16 // 16).astype(">u2").tobytes()
    yield Kind("PGM 12 bit", text, (GRAY_16 // 16)[..., None])


def _tiff_compressions() -> Iterator[Kind]:
    for name in ("none", "zlib", "lzw", "zstd", "packbits", "lzma", "png", "lerc"):
        data = tiff(GRAY_16, compression=name)
        yield Kind(f"TIFF 16 bit, {name}", data, GRAY_16[..., None])
    for name in ("jpeg2000", "jpegxl", "jpegxr"):
        yield Kind(f"TIFF 16 bit, {name}", tiff(GRAY_16, compression=name))
    for name in ("jpeg", "webp"):
        yield Kind(f"TIFF 8 bit color, {name}", tiff(RGB, compression=name, photometric="rgb"))
    predicted = tiff(GRAY_16, compression="zlib", predictor=True)
    yield Kind("TIFF 16 bit, zlib with differences", predicted, GRAY_16[..., None])
    bits = Image.fromarray(GRAY > 99)
    whole = np.where(GRAY > 99, 255, 0)[..., None]
    for name in ("group3", "group4"):
        yield Kind(f"TIFF 1 bit, {name}", pillow(bits, "TIFF", compression=name), whole)


def _tiff_types() -> Iterator[Kind]:
    names = ("bool", "int8", "int16", "int32", "uint32", "float16", "float32", "float64")
    for name in names:
        values = GRAY > 99 if name == "bool" else GRAY.astype(name)
        yield Kind(f"TIFF {name}", tiff(values))
    yield Kind("TIFF complex64", tiff(GRAY.astype(np.complex64)))
    data = tiff(GRAY, photometric="miniswhite")
    yield Kind("TIFF white is zero", data, 255 - GRAY[..., None])
    colors = _RANDOM.integers(0, 65536, (3, 65536), np.uint16)
    palette = tiff(GRAY_16, photometric="palette", colormap=colors)
    yield Kind("TIFF palette of 16 bits", palette, (colors >> 8).astype(np.uint8).T[GRAY_16])
    inks = np.stack([GRAY_16] * 4, axis=-1)
    yield Kind("TIFF 16 bit CMYK", tiff(inks, photometric="separated"), inks)
    rgb = Image.fromarray(RGB)
    for mode in ("P", "CMYK", "YCbCr", "LA", "RGBA", "LAB"):
        yield Kind(f"TIFF of Pillow's mode {mode}", pillow(rgb.convert(mode), "TIFF"))


def _tiff_layouts() -> Iterator[Kind]:
    separate = np.moveaxis(RGB_16, -1, 0)
    data = tiff(separate, photometric="rgb", planarconfig="separate")
    yield Kind("TIFF 16 bit color, separate planes", data, RGB_16)
    data = tiff(RGB_16, photometric="rgb", tile=(16, 16), bigtiff=True)
    yield Kind("BigTIFF 16 bit color, tiles", data, RGB_16)
    five = np.stack([GRAY_16] * 5, axis=-1)
    data = tiff(five, photometric="minisblack", planarconfig="contig")
    yield Kind("TIFF of 5 channels", data, five)
    yield Kind("TIFF big endian", tiff(GRAY_16, byteorder=">"), GRAY_16[..., None])
    exif = Image.Exif()
    exif[274] = 8
    yield Kind("TIFF turned", pillow(Image.fromarray(RGB), "TIFF", exif=exif))
    file = io.BytesIO()
    large = np.tile(RGB, (4, 4, 1))
    with tifffile.TiffWriter(file) as writer:
        writer.write(large, subifds=2, tile=(32, 32), photometric="rgb")
        writer.write(large[::2, ::2], subfiletype=1, photometric="rgb")
        writer.write(large[::4, ::4], subfiletype=1, photometric="rgb")
        writer.write(RGB[:10, :10], photometric="rgb")
    yield Kind("TIFF pyramid of 3 levels with a label", file.getvalue(), large)


def _stacks() -> Iterator[Kind]:
    last = STACK[-1][..., None]
    yield Kind("TIFF of 5 pages", tiff(STACK), last)
    yield Kind("TIFF of 5 pages, zstd", tiff(STACK, compression="zstd"), last)
    volume = tiff(STACK.repeat(2, 0), tile=(2, 16, 16), volumetric=True)
    yield Kind("TIFF volume of tiles", volume, last)
    info = {"axes": "TZCYX", "unit": "um", "min": 3.0, "max": 4000.0}
    data = tiff(HYPERSTACK, imagej=True, resolution=(2.0, 2.0), metadata=info)
    yield Kind("ImageJ hyperstack", data, np.moveaxis(HYPERSTACK[-1, -1], 0, -1))
    data = tiff(STACK.repeat(20, 0), imagej=True, metadata={"axes": "CYX"})
    yield Kind("ImageJ, 100 planes declared as channels", data, last)
    described = {
        "axes": "ZCYX",
        "Channel": {"Name": ["DAPI", "GFP", "mCherry", "Cy5"]},
        "PhysicalSizeX": 0.25,
        "PhysicalSizeY": 0.25,
        "SignificantBits": 12,
    }
    last = np.moveaxis(HYPERSTACK[0, -1], 0, -1)
    yield Kind("OME, axes ZCYX", tiff(HYPERSTACK[0], ome=True, metadata=described), last)
    for name in ("none", "zlib"):
        data = tiff(HYPERSTACK[0], ome=True, compression=name, metadata={"axes": "CZYX"})
        yield Kind(f"OME, axes CZYX, {name}", data, np.moveaxis(HYPERSTACK[0, :, -1], 0, -1))
    color = np.stack([RGB] * 4)
    data = tiff(color, ome=True, photometric="rgb", metadata={"axes": "ZYXS"})
    yield Kind("OME, color planes", data, RGB)


def _geo_kinds() -> Iterator[Kind]:
    yield Kind("GeoTIFF of 4 bands, 16 bit", geotiff(4, "uint16", nodata=0))
    yield Kind("GeoTIFF of fractions", geotiff(1, "float32", compress="deflate", predictor=3))
    tiles: dict[str, Any] = {
        "tiled": True,
        "blockxsize": 16,
        "blockysize": 16,
        "interleave": "pixel",
    }
    data = geotiff(3, "uint8", compress="jpeg", photometric="ycbcr", **tiles)
    yield Kind("GeoTIFF in color, JPEG tiles", data)
    yield Kind("GeoTIFF of 7 bands, 12 bit", geotiff(7, "uint16", nbits=12, compress="zstd"))
    own = "+proj=laea +lat_0=10 +lon_0=20 +ellps=GRS80"
    yield Kind("GeoTIFF, own coordinate system", geotiff(1, "int16", crs=own))


def _arrays() -> Iterator[Kind]:
    yield Kind("NPY (24, 32) uint16", npy(GRAY_16), GRAY_16[..., None])
    yield Kind("NPY (24, 32, 3) uint8", npy(RGB), RGB)
    yield Kind("NPY (5, 24, 32) uint16", npy(STACK), STACK[-1][..., None])
    yield Kind("NPY (2, 24, 32, 3) float64", npy(np.stack([RGB / 255] * 2)))
    yield Kind("NPY column by column", npy(np.asfortranarray(RGB_16)), RGB_16)
    yield Kind("NPY of one axis", npy(GRAY.ravel()))
    yield Kind("NPY of objects", npy(np.array([[None]])))


def _unusual_tiffs() -> Iterator[Kind]:
    half = (GRAY / 7).astype(np.float16)
    data = tiff(half, byteorder=">", compression="zlib", predictor=3)
    yield Kind(
        "TIFF float16 big endian, zlib with differences", data, half.astype(np.float32)[..., None]
    )
    packed = _packed(GRAY_12)
    yield Kind("TIFF 12 bit, packed", raw_tiff(packed, 12), GRAY_12[..., None])
    white = raw_tiff(packed, 12, photometric=0)
    yield Kind("TIFF 12 bit, packed, white is zero", white, 4095 - GRAY_12[..., None])
    turned_bits = np.packbits(np.unpackbits(np.frombuffer(packed, np.uint8)), bitorder="little")
    filled = raw_tiff(turned_bits.tobytes(), 12, fill_order=2)
    yield Kind("TIFF 12 bit, packed from the lowest bit", filled, GRAY_12[..., None])
    signed = GRAY_16.astype(np.int16)
    data = tiff(signed, photometric="miniswhite")
    yield Kind("TIFF int16, white is zero", data, (-1.0 - signed).astype(np.float32)[..., None])
    opacity = np.concatenate([RGB_16, GRAY_16[..., None]], axis=-1)
    separate = {"photometric": "rgb", "planarconfig": "separate", "extrasamples": ["unassalpha"]}
    data = tiff(np.moveaxis(opacity, -1, 0), **separate)
    yield Kind("TIFF 16 bit color with opacity, separate planes", data, opacity)
    five = np.concatenate([RGB_16, RGB_16[..., :2] // 2], axis=-1)
    kinds = {"planarconfig": "contig", "extrasamples": ["unassalpha", "unspecified"]}
    yield Kind("TIFF of colors and 2 more channels", tiff(five, photometric="rgb", **kinds), five)
    gray: dict[str, Any] = {"photometric": "minisblack"}
    parts = [(RGB[:8, :8], {"photometric": "rgb", "subfiletype": 1}), (GRAY_16, gray)]
    yield Kind("TIFF with a preview before the image", tiff_of(parts), GRAY_16[..., None])
    pages: list[tuple[NDArray[Any], dict[str, Any]]] = [
        (each, {**gray, "contiguous": False}) for each in STACK[:3]
    ]
    yield Kind("TIFF of 3 pages, written one by one", tiff_of(pages), STACK[2][..., None])
    pages[1] = (STACK[1], {**gray, "compression": "zlib"})
    yield Kind("TIFF of 3 pages, one of them compressed", tiff_of(pages), STACK[2][..., None])
    density = "ImageJ=1.54f\ncf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n"
    data = tiff(GRAY_16, description=density, metadata=None)
    yield Kind("ImageJ with calibrated values", data, GRAY_16[..., None])
    colors = np.stack([RGB, RGB[::-1]])
    data = tiff(colors, ome=True, photometric="rgb", metadata={"axes": "CYXS"})
    yield Kind("OME, two channels in color", data, np.concatenate([*colors], axis=-1))


def _tiffs_with_previews() -> Iterator[Kind]:
    inks = np.concatenate([RGB, GRAY[..., None]], axis=-1)
    image = GRAY_16
    white = int(image.max())
    tags = [(42113, "s", 0, str(white), True)]
    parts: list[tuple[NDArray[Any], dict[str, Any]]] = [
        (inks[:8, :8], {"photometric": "separated", "subfiletype": 1}),
        (image, {"photometric": "minisblack", "extratags": tags}),
    ]
    known = np.where(image < white, image, 0).astype(np.uint16)
    yield Kind("TIFF with a preview in inks before the image", tiff_of(parts), known[..., None])
    parts = [
        (RGB[:8, :8], {"photometric": "rgb", "subfiletype": 1}),
        (inks, {"photometric": "separated"}),
    ]
    yield Kind("TIFF in inks behind its preview", tiff_of(parts))


def _unusual_geo_kinds() -> Iterator[Kind]:
    is_known = GRAY > 99
    bands = np.stack([GRAY // 2] * 2, axis=-1)
    masked = bands * is_known[..., None]
    data = geotiff(2, "uint16", mask=is_known)
    yield Kind("GeoTIFF with a mask", data, masked)
    tiles: dict[str, Any] = {"tiled": True, "blockxsize": 16, "blockysize": 16}
    data = geotiff(2, "float32", mask=is_known, compress="deflate", **tiles)
    exact = np.where(is_known[..., None], bands, np.nan)
    yield Kind("GeoTIFF in tiles with a mask", data, exact)
    yield Kind("COG with a mask", geotiff(2, "uint8", mask=is_known, driver="COG"), masked)
    data = geotiff(2, "uint16", scales=(1e-4, 1e-4), offsets=(-0.1, -0.1))
    yield Kind("GeoTIFF with scale and offset", data, bands)
    turned = Affine.translation(500_000, 5_300_000) @ Affine.rotation(30) @ Affine.scale(10, -10)
    yield Kind("GeoTIFF, rotated", geotiff(2, "uint16", transform=turned), bands)
    data = geotiff(2, "float32", nodata=float("nan"))
    yield Kind("GeoTIFF whose value for no data is NaN", data, bands.astype(np.float32))


def _unusual_pictures() -> Iterator[Kind]:
    frame = png_chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 32, 24, 0, 0, 1, 1, 0, 0))
    start = png_chunk(b"acTL", struct.pack(">II", 2, 0)) + frame
    rows = b"".join(b"\0" + row.tobytes() for row in RGB_16.astype(">u2"))
    second = png_chunk(b"fcTL", struct.pack(">IIIIIHHBB", 1, 32, 24, 0, 0, 1, 1, 0, 0))
    second += png_chunk(b"fdAT", struct.pack(">I", 2) + zlib.compress(rows))
    yield Kind("APNG 16 bit color of 2 frames", png(RGB_16, 2, start, second), RGB_16)
    opacity = np.stack([GRAY_16, GRAY_16[::-1]], axis=-1)
    yield Kind("PNG 16 bit gray with opacity", png(opacity, 4), opacity)
    color = png(RGB_16, 2, png_chunk(b"tRNS", RGB_16[0, 0].astype(">u2").tobytes()))
    yield Kind("PNG 16 bit color, transparent color", color, RGB_16)
    digits = b"P2\n# comment\n32 24\n65535\n" + b" ".join(b"%d" % each for each in GRAY_16.flat)
    yield Kind("PGM 16 bit in digits, no line at its end", digits, GRAY_16[..., None])
    fractions = (RGB / 7).astype(np.float32)
    for name, order, unit in (("little", "<f4", b"-1.0"), ("big", ">f4", b"1")):
        data = b"PF\n32 24\n" + unit + b"\n" + fractions[::-1].astype(order).tobytes()
        yield Kind(f"PFM color, {name} endian", data, fractions)
    yield Kind("PFM color, truncated", data[:-40])
    rows_of_bytes = fractions[::-1].astype("<f4").tobytes()
    data = b"PF\r\n32 24\r\n-1.0\r\n" + rows_of_bytes
    yield Kind("PFM color, lines of Windows", data, fractions)
    ten = np.frombuffer(b"\n" + rows_of_bytes[1:], "<f4").reshape(24, 32, 3)[::-1]
    data = b"PF\r32 24\r-1.0\r\n" + rows_of_bytes[1:]
    yield Kind("PFM color, first byte is that of a line", data, ten)
    planes = HYPERSTACK[0]
    yield Kind("NPY (3, 4, 24, 32) uint16", npy(planes), np.moveaxis(planes[-1], 0, -1))
    many = np.arange(60 * 80 * 64, dtype=np.uint32).reshape(1, 60, 80, 64).astype(np.uint16)
    yield Kind("NPY (1, 60, 80, 64) uint16", npy(many), many[0])
    five = npy(np.asfortranarray(HYPERSTACK[:1]))
    yield Kind("NPY of five axes, column by column", five, HYPERSTACK[0, -1])
    turned = npy(np.asfortranarray(planes))
    yield Kind("NPY (3, 4, 24, 32), column by column", turned, np.moveaxis(planes[-1], 0, -1))
    yield Kind("NPY of fields", npy(np.zeros((24, 32), [("red", "u1"), ("green", "u1")])))
    swapped = npy((GRAY / 7).astype(">f8"))
    yield Kind("NPY float64 big endian", swapped, (GRAY / 7).astype(np.float32)[..., None])


def _unusual_dicom_kinds() -> Iterator[Kind]:
    gray = GRAY_12[..., None]
    yield Kind("DICOM, values in the high bits", dicom(GRAY_12 << 4, HighBit=15), gray)
    yield Kind("DICOM, other bits above the values", dicom(GRAY_12 | 0x5000), gray)
    signed = GRAY_12.astype(np.int16) - 2048
    cut = signed.view(np.uint16) & 0xFFF
    data = dicom(cut, PixelRepresentation=1)
    yield Kind("DICOM signed 12 bit", data, signed.astype(np.float32)[..., None])
    white = {"PhotometricInterpretation": "MONOCHROME1"}
    data = dicom(cut, PixelRepresentation=1, **white)
    yield Kind("DICOM signed, white is low", data, (-1.0 - signed).astype(np.float32)[..., None])
    scaled = dicom(GRAY_12, RescaleSlope=2, RescaleIntercept=-1000, **white)
    units = ((4095.0 - GRAY_12) * 2 - 1000).astype(np.float32)[..., None]
    yield Kind("DICOM rescaled, white is low", scaled, units)
    frames = dicom(np.stack([GRAY_12[::-1], GRAY_12]), NumberOfFrames=2)
    yield Kind("DICOM of 2 frames", frames, gray)


def dicom_kinds() -> Iterator[Kind]:
    """Yield the test files of pydicom."""
    for path in sorted(DICOM_FILES.glob("*.dcm")):
        yield Kind(f"DICOM {path.stem}", path.read_bytes())


def pillow(image: Image.Image, name: str, **options: Any) -> bytes:
    """Return a picture in a format of Pillow."""
    file = io.BytesIO()
    image.save(file, name, **options)
    return file.getvalue()


def opencv(suffix: str, pixels: NDArray[Any]) -> bytes:
    """Return a picture in a format of OpenCV."""
    return cv2.imencode(suffix, pixels)[1].tobytes()


def tiff(pixels: NDArray[Any], **options: Any) -> bytes:
    """Return a TIFF."""
    file = io.BytesIO()
    if options.get("photometric") is None and pixels.ndim == 2:
        options["photometric"] = "minisblack"
    tifffile.imwrite(file, pixels, **options)
    return file.getvalue()


def tiff_of(parts: Iterable[tuple[NDArray[Any], dict[str, Any]]]) -> bytes:
    """Return a TIFF of several images, each written with its own options."""
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for pixels, options in parts:
            writer.write(pixels, **options)
    return file.getvalue()


def raw_tiff(data: bytes, bits: int, photometric: int = 1, fill_order: int = 1) -> bytes:
    """Return a gray TIFF of 32 x 24 pixels with these bytes."""
    tags = {256: 32, 257: 24, 258: bits, 259: 1, 262: photometric, 266: fill_order, 273: 8}
    tags |= {277: 1, 278: 24, 279: len(data)}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    start = struct.pack("<2sHI", b"II", 42, 8 + len(data))
    return start + data + struct.pack("<H", len(tags)) + entries + bytes(4)


def _packed(values: NDArray[Any]) -> bytes:
    bits = np.unpackbits(values.astype(">u2").view(np.uint8).reshape(-1, 2), axis=1)[:, 4:]
    return np.packbits(bits).tobytes()


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """Return a part of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels: NDArray[Any], color_type: int, before: bytes = b"", after: bytes = b"") -> bytes:
    """Return a PNG of 16 bits with further chunks around its pixels."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.astype(">u2"))
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, color_type, 0, 0, 0))
    whole = header + before + png_chunk(b"IDAT", zlib.compress(rows)) + after
    return b"\x89PNG\r\n\x1a\n" + whole + png_chunk(b"IEND", b"")


def dicom(pixels: NDArray[Any], **elements: Any) -> bytes:
    """Return a DICOM file of 12 bits, 32 x 24 pixels."""
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    data.SOPClassUID, data.SOPInstanceUID = CTImageStorage, "1.2.3"
    data.Rows, data.Columns, data.SamplesPerPixel = 24, 32, 1
    data.PhotometricInterpretation = "MONOCHROME2"
    data.BitsAllocated, data.BitsStored, data.HighBit = 16, 12, 11
    data.PixelRepresentation = 0
    for name, value in elements.items():
        setattr(data, name, value)
    data.PixelData = pixels.astype("<u2").tobytes()
    file = io.BytesIO()
    data.save_as(file, enforce_file_format=True)
    return file.getvalue()


def geotiff(
    count: int,
    dtype: str,
    crs: str = "EPSG:32633",
    mask: NDArray[np.bool_] | None = None,
    **options: Any,
) -> bytes:
    """Return a GeoTIFF with bands of random values."""
    profile = {"driver": "GTiff", "width": 32, "height": 24, "count": count, "dtype": dtype}
    profile |= {"crs": crs, "transform": from_origin(500_000, 5_300_000, 10, 10)}
    scaling = {name: options.pop(name) for name in ("scales", "offsets") if name in options}
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), MemoryFile() as memory:
        with memory.open(**(profile | options)) as picture:
            for name, values in scaling.items():
                setattr(picture, name, values)
            if mask is not None:
                picture.write_mask(mask)
            for band in range(1, count + 1):
                picture.write((GRAY // 2).astype(dtype), band)
                picture.set_band_description(band, f"B{band:02d}")
        return bytes(memory.read())


def npy(values: NDArray[Any]) -> bytes:
    """Return an array that NumPy saved."""
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def described(kind: Kind) -> str:
    """Return a line of the table: what was read of a file, or why not."""
    try:
        with open_picture(io.BytesIO(kind.data)) as picture:
            info = picture.info
            pixels = picture.plane(info.planes - 1)
    except BadDataError as error:
        return f"| {kind.name} | {error} |"
    assert pixels.shape == (info.height, info.width, info.channels)
    assert pixels.dtype == info.dtype
    if kind.last is not None:
        is_exact = np.array_equal(pixels, kind.last, equal_nan=pixels.dtype.kind == "f")
        assert is_exact, kind.name
    words = [f"{info.file_dtype} → {info.dtype}" if info.file_dtype != info.dtype else info.dtype]
    words.append(f"{info.width} × {info.height}")
    words.append(f"{info.channels} channel{'s' * (info.channels > 1)}")
    words += [f"{info.planes} planes ({info.plane_axis})"] * (info.planes > 1)
    words += [", ".join(info.channel_names)] * bool(info.channel_names)
    words += ["opacity"] * info.has_alpha
    if info.significant_bits:
        words.append(f"{info.significant_bits} bit{'s' * (info.significant_bits > 1)}")
    words += ["size of a pixel"] * bool(info.pixel_size_um)
    words += ["window"] * bool(info.window)
    words += [info.group.partition("-")[0]] * bool(info.group)
    if info.georeference:
        words.append(info.georeference.crs[:10])
    words += list(info.notes)
    return f"| {kind.name} | {'; '.join(words)} |"


def table(describe: Callable[[Kind], str] = described) -> str:
    """Return a page with the table of all kinds in Markdown."""
    return _INTRODUCTION + "\n".join(map(describe, kinds())) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
    sys.stdout.write(table())
