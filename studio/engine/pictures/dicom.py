"""Reads medical images in DICOM with `pydicom`."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import logging
import math
import threading
import warnings
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom import Dataset, config
from pydicom.dataset import FileMetaDataset
from pydicom.encaps import get_frame
from pydicom.errors import BytesLengthException, InvalidDicomError
from pydicom.filereader import read_partial
from pydicom.pixels.decoders.base import get_decoder
from pydicom.pixels.processing import apply_color_lut, apply_modality_lut
from pydicom.pixels.utils import pixel_array
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.pictures.dicom_codecs import register_codecs
from studio.engine.pictures.encoded_sizes import check_encoded
from studio.engine.pictures.formats import DICOM, DICOM_PREAMBLE
from studio.engine.pictures.info import PictureInfo
from studio.engine.pictures.limits import (
    LARGEST_PLANE,
    check_growth,
    check_planes,
    check_size,
    size_of,
    stored_values,
)
from studio.engine.pixel_format import PixelType

_LARGEST_FILE: Final = 2**30
_DEFLATED: Final = "1.2.840.10008.1.2.1.99"
_BITS: Final = (1, 8, 16, 32, 64)
_NO_IMAGE: Final = "the DICOM file contains no image"
_LARGEST_NAME: Final = 12
_LARGEST_HEAD: Final = 2**20
_LAST_TAG: Final = 0x0020000D
"""Last element that names an origin: the study."""
_PREPARATION: Final = threading.Lock()


@functools.cache
def _prepare() -> None:
    """Set up `pydicom`: no warnings about values beyond the standard, more codecs."""
    warnings.filterwarnings("ignore", module="pydicom")
    logging.getLogger("pydicom").setLevel(logging.CRITICAL)
    config.settings.reading_validation_mode = config.IGNORE
    register_codecs()


@contextlib.contextmanager
def open_file(file: BinaryIO) -> Iterator[DicomPicture]:
    """Open a DICOM file.

    Args:
        file: The file at its beginning.
    """
    with _PREPARATION:
        _prepare()
    size = size_of(file)
    if size > _LARGEST_FILE:
        raise BadDataError("too large for memory")
    # Lengths in a damaged file cannot make more memory than the file has bytes.
    data = file.read()
    _check_deflated(data)
    try:
        yield DicomPicture(pydicom.dcmread(io.BytesIO(data), force=True), size)
    except (BytesLengthException, InvalidDicomError) as error:
        raise BadDataError("the image is damaged or truncated") from error


def read_group(file: BinaryIO) -> str:
    """Return the name of the patient or study of a file, see `PictureInfo`.

    Args:
        file: The file at its beginning.
    """
    with _PREPARATION:
        _prepare()
    try:
        head = io.BytesIO(file.read(_LARGEST_HEAD))
        return _group(read_partial(head, lambda tag, _vr, _length: tag > _LAST_TAG, force=True))
    except (BytesLengthException, InvalidDicomError) as error:
        raise BadDataError("the image is damaged or truncated") from error


class DicomPicture:
    """The frames of a DICOM file, with the values that its rescaling gives; see `PictureFile`.

    Args:
        dataset: The parsed file.
        size: Bytes of the file.

    Attributes:
        info: Properties of the picture.
    """

    def __init__(self, dataset: Dataset, size: int) -> None:
        self._dataset = dataset
        if "PixelData" not in dataset and not _has_floats(dataset):
            raise BadDataError(_NO_IMAGE)
        width, height = _whole(dataset, "Columns"), _whole(dataset, "Rows")
        samples = _whole(dataset, "SamplesPerPixel", 1)
        self._frames = _whole(dataset, "NumberOfFrames", 1) or 1
        bits = _whole(dataset, "BitsAllocated")
        if bits not in _BITS or samples not in {1, 3, 4}:
            raise BadDataError("pixels of this type are not supported")
        check_size(width, height, samples, max(1, bits // 8))
        check_planes(self._frames)
        check_growth(width * height * samples * self._frames * bits // 8, size)
        _complete_header(dataset)
        self._photometric = str(dataset.get("PhotometricInterpretation", "MONOCHROME2"))
        self._has_palette = self._photometric.startswith("PALETTE")
        self._stored_bits = min(_whole(dataset, "BitsStored", bits) or bits, bits)
        self._unused_bits = _keep_low_bits(dataset, self._stored_bits, bits)
        self._is_signed = _whole(dataset, "PixelRepresentation", 0) == 1
        self._is_color = samples > 1 or self._has_palette
        self._has_alpha = samples == 4
        self.info = PictureInfo(
            "DICOM",
            width,
            height,
            samples if samples > 1 else (3 if self._is_color else 1),
            self._dtype(bits),
            _file_type(dataset, bits, is_signed=self._is_signed),
            self._frames,
            "frame" if self._frames > 1 else "",
            has_alpha=self._has_alpha,
            significant_bits=0 if self._is_color or self._is_signed else self._stored_bits,
            pixel_size_um=_pixel_size(dataset),
            window=self._window(),
            group=_group(dataset),
        )

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        if not 0 <= number < self._frames:
            raise BadDataError("the plane no longer exists")
        values = self._decoded(number)
        gone = self._padding(values)
        if self._has_palette:
            values = apply_color_lut(values, self._dataset)
            values = values >> 8 if values.dtype.itemsize > 1 else values
        elif self.info.file_dtype == "bool":
            values = (values != 0) * np.uint8(255)
        elif not self._is_color:
            values = self._rescaled(values, number)
        values = values.reshape(self.info.height, self.info.width, -1)
        if values.shape[2] != self.info.channels:
            raise BadDataError("the image is damaged or truncated")
        found = stored_values(values, self.info.dtype)
        if gone is not None:
            found[gone] = np.nan if found.dtype.kind == "f" else 0
        return found

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """See `PictureFile.missing`."""
        if "PixelPaddingValue" not in self._dataset:
            return None
        gone = self._padding(self._decoded(number))
        return gone if gone is not None and gone.any() else None

    def _padding(self, values: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Return the stored values outside of the scanned area; None if the file names none."""
        first = self._dataset.get("PixelPaddingValue")
        if not isinstance(first, int) or self._is_color or values.dtype.kind not in "iu":
            return None
        last = self._dataset.get("PixelPaddingRangeLimit", first)
        low, high = sorted((first, last if isinstance(last, int) else first))
        found: NDArray[np.bool_] = (values >= low) & (values <= high)
        return found.reshape(self.info.height, self.info.width)

    def _decoded(self, number: int) -> NDArray[Any]:
        syntax = self._dataset.file_meta.TransferSyntaxUID
        if syntax.is_encapsulated:
            frames = self._frames
            data = get_frame(self._dataset.PixelData, number, number_of_frames=frames)
            check_encoded(data, self.info.width, self.info.height)
        try:
            found: NDArray[Any] = pixel_array(self._dataset, index=number)
        except (RuntimeError, NotImplementedError) as error:
            if not _has_decoder(syntax):
                raise BadDataError(
                    "its compression, {name}, is not supported", name=syntax.name
                ) from error
            raise BadDataError("the image is damaged or truncated") from error
        return found >> self._unused_bits if self._unused_bits else found

    def _dtype(self, bits: int) -> PixelType:
        if self._has_palette:
            return "uint8"
        if self._is_color:
            return "uint8" if bits <= 8 else "uint16" if bits == 16 else "float32"
        if _has_floats(self._dataset) or self._is_signed or bits > 16 or self._has_rescaling():
            return "float32"
        return "uint8" if bits <= 8 else "uint16"

    def _has_rescaling(self) -> bool:
        if "ModalityLUTSequence" in self._dataset:
            return True
        return any(self._rescaling(frame) != (1.0, 0.0) for frame in range(self._frames))

    def _rescaling(self, number: int) -> tuple[float, float]:
        """Return slope and intercept of a frame."""
        found = _functional(self._dataset, number, "PixelValueTransformationSequence")
        return _float(found, "RescaleSlope", 1.0), _float(found, "RescaleIntercept", 0.0)

    def _rescaled(self, values: NDArray[Any], number: int) -> NDArray[Any]:
        """Return gray values in the units of the modality, dark to bright."""
        is_inverted = self._photometric == "MONOCHROME1" and values.dtype.kind in "iu"
        if "ModalityLUTSequence" in self._dataset:
            found = np.asarray(apply_modality_lut(values, self._dataset))
            return self._largest_of_table() - found.astype(np.float64) if is_inverted else found
        if is_inverted:
            low, high = self._stored_range()
            values = (low + high - values.astype(np.int64)).astype(values.dtype)
        slope, intercept = self._rescaling(number)
        return values if (slope, intercept) == (1.0, 0.0) else values * slope + intercept

    def _largest_of_table(self) -> int:
        """Return the largest value that the table of the modality can hold."""
        return (1 << int(self._dataset.ModalityLUTSequence[0].LUTDescriptor[2])) - 1

    def _stored_range(self) -> tuple[int, int]:
        bits = self._stored_bits
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self._is_signed else (0, (1 << bits) - 1)

    def _window(self) -> tuple[float, float] | None:
        """Return the lowest and highest displayed value that the file proposes."""
        found = _functional(self._dataset, 0, "FrameVOILUTSequence")
        center, width = _float(found, "WindowCenter", math.nan), _float(found, "WindowWidth", 0.0)
        if self._is_color or not math.isfinite(center) or width <= 0:
            return None
        low, high = center - width / 2, center + width / 2
        if self._photometric == "MONOCHROME1":
            slope, intercept = self._rescaling(0)
            total = sum(self._stored_range()) * slope + 2 * intercept
            if "ModalityLUTSequence" in self._dataset:
                total = self._largest_of_table()
            low, high = total - high, total - low
        return low, high


def _check_deflated(data: bytes) -> None:
    """Refuse a compressed data set that becomes too large; pydicom inflates all of it."""
    if not data[DICOM_PREAMBLE:].startswith(DICOM) or _DEFLATED.encode() not in data[:2048]:
        return
    # The first element of the header is the number of bytes behind it, in a fixed place.
    length = DICOM_PREAMBLE + 4 + 8
    start = length + 4 + int.from_bytes(data[length : length + 4], "little")
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    left, total = data[start:], 0
    while left and not inflater.eof:
        total += len(inflater.decompress(left, 2**24))
        left = inflater.unconsumed_tail
        if total > min(LARGEST_PLANE, _LARGEST_FILE):
            raise BadDataError("too large for memory")


def _keep_low_bits(dataset: Dataset, stored: int, allocated: int) -> int:
    """Return the number of bits below the values of old files; pydicom then keeps them all.

    Args:
        dataset: The file, whose declared bits are changed.
        stored: Bits of a value.
        allocated: Bits of a value in the file.
    """
    top = _whole(dataset, "HighBit", stored - 1) + 1
    if not stored < top <= allocated or dataset.file_meta.TransferSyntaxUID.is_encapsulated:
        return 0
    dataset.BitsStored = top
    return top - stored


def _complete_header(dataset: Dataset) -> None:
    """Give a file without a header the transfer syntax that it was read with."""
    if getattr(dataset, "file_meta", None) is None:
        dataset.file_meta = FileMetaDataset()
    if "TransferSyntaxUID" in dataset.file_meta:
        return
    is_implicit, is_little = dataset.original_encoding
    explicit = ExplicitVRLittleEndian if is_little else ExplicitVRBigEndian
    dataset.file_meta.TransferSyntaxUID = ImplicitVRLittleEndian if is_implicit else explicit


def _has_decoder(syntax: str) -> bool:
    try:
        return get_decoder(syntax).is_available
    except NotImplementedError:
        return False


def _has_floats(dataset: Dataset) -> bool:
    return "FloatPixelData" in dataset or "DoubleFloatPixelData" in dataset


def _file_type(dataset: Dataset, bits: int, *, is_signed: bool) -> str:
    if _has_floats(dataset):
        return f"float{bits}"
    return "bool" if bits == 1 else f"{'int' if is_signed else 'uint'}{bits}"


def _whole(dataset: Dataset, name: str, default: int = 0) -> int:
    value = dataset.get(name)
    if value is None or value == "":
        return default
    return int(value)


def _float(dataset: Dataset, name: str, default: float) -> float:
    """Return the first value of an element, or the default if it is missing or no number."""
    value = dataset.get(name)
    if (
        value is not None
        and not isinstance(value, str | int | float)
        and hasattr(value, "__len__")
    ):
        value = value[0] if len(value) else None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return default
    return number if math.isfinite(number) else default


def _functional(dataset: Dataset, number: int, name: str) -> Dataset:
    """Return the group of elements of a frame: its own, the one of all frames, or the file."""
    for sequence, at in (
        ("PerFrameFunctionalGroupsSequence", number),
        ("SharedFunctionalGroupsSequence", 0),
    ):
        groups = dataset.get(sequence) or []
        found = groups[at].get(name) if at < len(groups) else None
        if found:
            group: Dataset = found[0]
            return group
    return dataset


def _pixel_size(dataset: Dataset) -> tuple[float, float] | None:
    """Return width and height of a pixel in micrometers."""
    found = _functional(dataset, 0, "PixelMeasuresSequence")
    spacing = found.get("PixelSpacing") or dataset.get("ImagerPixelSpacing")
    if spacing is None or isinstance(spacing, str) or len(spacing) != 2:
        return None
    height, width = (float(each) * 1000 for each in spacing)
    return (width, height) if width > 0 and height > 0 else None


def _group(dataset: Dataset) -> str:
    """Return a name for the patient, or for the study where no patient is named.

    It is a hash: the numbers of patients do not get into datasets.
    """
    for name, label in (("PatientID", "patient"), ("StudyInstanceUID", "study")):
        value = str(dataset.get(name) or "").strip()
        if value:
            digest = hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
            return f"{label}-{digest[:_LARGEST_NAME]}"
    return ""
