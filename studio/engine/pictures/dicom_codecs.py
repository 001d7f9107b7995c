"""Decodes frames of DICOM with `imagecodecs` that neither pydicom nor Pillow decodes.

`pydicom` loads this module by its name, see `register_codecs`.
"""

from __future__ import annotations

import importlib.util
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydicom.pixels.decoders.base import DecodeRunner, get_decoder

_LABEL: Final = "imagecodecs"
# Transfer syntaxes, by their identifiers in DICOM.
_JPEG_EXTENDED: Final = "1.2.840.10008.1.2.4.51"
_JPEG_LOSSLESS: Final = ("1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.70")
_JPEG_LS: Final = ("1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.81")
_HIGH_THROUGHPUT: Final = tuple(f"1.2.840.10008.1.2.4.{n}" for n in (201, 202, 203))
_DECODED: Final = (_JPEG_EXTENDED, *_JPEG_LOSSLESS, *_JPEG_LS, *_HIGH_THROUGHPUT)

DECODER_DEPENDENCIES = dict.fromkeys(_DECODED, ("imagecodecs",))
"""Packages that a transfer syntax needs; `pydicom` asks for it."""


def is_available(uid: str) -> bool:
    """Return True if frames of a transfer syntax can be decoded; `pydicom` asks for it."""
    return uid in _DECODED and importlib.util.find_spec("imagecodecs") is not None


def register_codecs() -> None:
    """Add the codecs to the decoders of `pydicom`, once."""
    for uid in _DECODED:
        get_decoder(uid).add_plugin(_LABEL, (__name__, "decode_frame"))


def decode_frame(data: bytes, runner: DecodeRunner) -> bytes:
    """Return the decoded bytes of a frame; `pydicom` calls it.

    Args:
        data: The encoded frame.
        runner: Description of the frame.

    Raises:
        ValueError: The frame is not of the declared size.
    """
    import imagecodecs  # noqa: PLC0415 - of another extra

    uid = str(runner.transfer_syntax)
    values: NDArray[np.generic]
    if uid in _JPEG_LS:
        values = imagecodecs.jpegls_decode(data)
    elif uid in _HIGH_THROUGHPUT:
        values = imagecodecs.jpeg2k_decode(data)
    elif uid in _JPEG_LOSSLESS:
        values = imagecodecs.ljpeg_decode(data)
    else:
        values = imagecodecs.jpeg8_decode(data)
    expected = (runner.rows, runner.columns, runner.samples_per_pixel)
    if values.size != np.prod(expected):
        raise ValueError(f"a frame of {values.shape} in place of {expected}")
    runner.set_option("planar_configuration", 0)
    bytes_of_value = runner.bits_allocated // 8
    return values.astype(f"<{values.dtype.kind}{bytes_of_value}").tobytes()
