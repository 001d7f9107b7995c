"""Tells the format of a picture file by its first bytes."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

HEAD: Final = 1024
"""Bytes that tell the format of a file."""
NPY: Final = b"\x93NUMPY"
PNG: Final = b"\x89PNG\r\n\x1a\n"
PNG_COLOR, PNG_ALPHA = 2, 4
"""Bits of the color type of a PNG: color, and an opacity."""
_GAP: Final = rb"(?:\s|#[^\n]{0,200}\n){1,9}"
NETPBM: Final = re.compile(
    rb"P([2356])" + rb"".join(_GAP + rb"(\d{1,9})" for _ in range(3)) + rb"\s"
)
"""Header of PPM and PGM: kind, width, height and largest value."""
COLOR_PFM: Final = re.compile(
    rb"PF"
    + _GAP
    + rb"(\d{1,9})"
    + _GAP
    + rb"(\d{1,9})"
    + _GAP
    + rb"(-?\d[\d.eE+-]{0,40})(?:\r\n|\s)"
)
"""Header of a color picture in PFM: width, height, and a number with the order of bytes."""
TIFF: Final = {b"II*\0": "<", b"MM\0*": ">", b"II+\0": "<", b"MM\0+": ">"}
"""Byte orders of TIFF and BigTIFF by their first bytes."""
DICOM: Final = b"DICM"
DICOM_PREAMBLE: Final = 128
"""Bytes before the mark of a DICOM file."""
_LARGEST_BYTE: Final = 255
_LONGEST_FIRST_VALUE: Final = 256


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of picture files.

    Attributes:
        accepts: Returns True for the first bytes of a file.
        module: Module below this package with a function `open_file`.
        packages: Packages that it needs.
        extra: Extra of Studio with these packages; empty if they are always there.
        is_partly_ordinary: True if Pillow reads a part of it without these packages.
    """

    accepts: Callable[[bytes], bool]
    module: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    is_partly_ordinary: bool = False

    @property
    def is_installed(self) -> bool:
        """True if its packages are installed."""
        return all(importlib.util.find_spec(name) is not None for name in self.packages)


def is_deep_color(head: bytes) -> bool:
    """Return True for a PNG or PPM of 16 bits that Pillow would reduce to 8 bits."""
    if head.startswith(PNG):
        depth, color_type = head[24:26].ljust(2, b"\0")
        return depth == 16 and color_type in {PNG_COLOR, PNG_ALPHA, PNG_COLOR | PNG_ALPHA}
    found = NETPBM.match(head)
    return found is not None and int(found[4]) > _LARGEST_BYTE


def is_color_pfm(head: bytes) -> bool:
    """Return True for the first bytes of a color picture in PFM."""
    return COLOR_PFM.match(head) is not None


def is_dicom(head: bytes) -> bool:
    """Return True for the first bytes of a DICOM file, with or without its preamble."""
    if head[DICOM_PREAMBLE:].startswith(DICOM):
        return True
    if len(head) < 8 or not (head[4:6].isalpha() and head[4:6].isupper()):
        length = int.from_bytes(head[4:8], "little")
        return head[:2] == b"\x08\0" and head[3:4] == b"\0" and 0 < length < _LONGEST_FIRST_VALUE
    # The first element is of the header or of the identification.
    return head[:2] in {b"\x02\0", b"\x08\0"} or head[:3] == b"\0\x08\0"


def is_tiff(head: bytes) -> bool:
    """Return True for the first bytes of a TIFF or BigTIFF."""
    return head[:4] in TIFF


def is_npy(head: bytes) -> bool:
    """Return True for the first bytes of an array of NumPy."""
    return head.startswith(NPY)


DICOM_FORMAT: Final = Format(is_dicom, "dicom", ("pydicom",), "medical")
TIFF_FORMAT: Final = Format(
    is_tiff, "tiff", ("tifffile", "imagecodecs"), "microscopy", is_partly_ordinary=True
)
FORMATS: Final = (
    DICOM_FORMAT,  # its preamble may be that of a TIFF
    TIFF_FORMAT,
    Format(is_npy, "npy"),
    Format(is_deep_color, "deep_color"),
    Format(is_color_pfm, "pfm"),
)
"""The first that accepts a file reads it; Pillow reads all others."""
