"""Masks that are stored as arrays: `.npy`, `.npz`, and `.mat` of MATLAB up to version 7."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import IO, Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from PIL import Image

from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.picture_files import LARGEST_PIXELS

ARRAY_SUFFIXES: Final = (".npy", ".npz", ".mat")
_NPY, _ZIP, _MATLAB, _HDF5 = b"\x93NUMPY", b"PK", b"MATLAB 5.0 MAT-file", b"\x89HDF\r\n\x1a\n"
_MATLAB_73: Final = b"MATLAB 7.3"
_MAX_NUMBER: Final = 2**16 - 1
_LOWEST_WIDE: Final = -(2**31)
_MAX_WIDE: Final = 2**31 - 1
_MAX_HEADER: Final = 10_000
_MAX_SHOWN: Final = 8
_DAMAGED = (*DAMAGED, NotImplementedError)

Array = NDArray[Any]


def is_array(data: bytes) -> bool:
    """Return True if a file begins as one of an array does."""
    return data.startswith((_NPY, _ZIP, _MATLAB, _MATLAB_73, _HDF5))


def array_image(data: bytes, *, is_wide: bool = False) -> Image.Image:
    """Return the mask of an array file as a grayscale image of 8, 16 or 32 bits.

    Args:
        data: The file.
        is_wide: True if values may have 32 bits, and be negative.

    Raises:
        BadDataError: It is damaged, too large, or not one array of integers with two axes.
    """
    try:
        array = _array(data)
    except _DAMAGED as error:
        raise BadDataError("the array is damaged or truncated") from error
    return Image.fromarray(as_numbers(array, is_wide=is_wide))


def _array(data: bytes) -> Array:
    if data.startswith(_NPY):
        return _read_npy(io.BytesIO(data))
    if data.startswith(_ZIP):
        return _read_npz(data)
    if data.startswith(_MATLAB):
        return _read_matlab(data)
    raise BadDataError("it is a file of MATLAB 7.3; save it with -v7, or as PNG")


def as_numbers(
    array: Array, *, is_wide: bool = False
) -> NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32]:
    """Return the pixels in the smallest type.

    Args:
        array: Integers.
        is_wide: See `array_image`.

    Raises:
        BadDataError: They have more bits; the message is a short reason.
    """
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    low, high = int(array.min()), int(array.max())
    if is_wide and (low < 0 or high > _MAX_NUMBER):
        if low < _LOWEST_WIDE or high > _MAX_WIDE:
            raise BadDataError("its pixel values are not integers of 32 bits")
        return array.astype(np.int32)
    if low < 0 or high > _MAX_NUMBER:
        raise BadDataError(
            "its pixel values are not integers from 0 to {limit}", limit=_MAX_NUMBER
        )
    is_small = high <= np.iinfo(np.uint8).max
    return array.astype(np.uint8) if is_small else array.astype(np.uint16)


def require_mask(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse an array by its header, before its values are read.

    Args:
        shape: Shape of the array.
        dtype: Type of its values.

    Raises:
        BadDataError: It is no mask.
    """
    sides = [side for side in shape if side != 1] if len(shape) > 2 else [*shape]
    if len(sides) != 2:
        raise BadDataError(
            "it is an array with the shape {shape}; a mask has a height and a width",
            shape="x".join(map(str, shape)) or "()",
        )
    if dtype.kind not in "biu":
        raise BadDataError("its values are {dtype}, not integers", dtype=str(dtype))
    if 0 in sides:
        raise BadDataError("it has no pixels")
    if sides[0] * sides[1] > LARGEST_PIXELS:
        raise BadDataError("more than {limit} million pixels", limit=LARGEST_PIXELS // 10**6)


def _squeezed(array: Array) -> Array:
    return array.squeeze() if array.ndim > 2 else array


def _read_npy(file: IO[bytes]) -> Array:
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, dtype = read(file, max_header_size=_MAX_HEADER)
    require_mask(shape, dtype)
    count = int(np.prod(shape))
    data = file.read(count * dtype.itemsize)
    flat = np.frombuffer(data, dtype, count)
    return _squeezed(flat.reshape(shape, order="F" if is_fortran else "C"))


def _read_npz(data: bytes) -> Array:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [each.filename for each in archive.infolist() if each.filename.endswith(".npy")]
        name = _only([each.removesuffix(".npy") for each in names])
        with archive.open(f"{name}.npy") as file:
            return _read_npy(file)


def _read_matlab(data: bytes) -> Array:
    # Only people with such files need it.
    from scipy.io import loadmat, whosmat  # noqa: PLC0415

    found: Mapping[str, tuple[tuple[int, ...], str]] = {
        name: (shape, kind) for name, shape, kind in whosmat(io.BytesIO(data))
    }
    name = _only([*found])
    shape, kind = found[name]
    require_mask(shape, _dtype_of(kind))
    array: Array = loadmat(io.BytesIO(data), variable_names=[name])[name]
    require_mask(array.shape, array.dtype)
    return _squeezed(array)


def _dtype_of(kind: str) -> np.dtype[Any]:
    """Return the type of an array by its class in MATLAB."""
    if kind == "logical":
        return np.dtype(np.bool_)
    if kind not in np.sctypeDict:
        raise BadDataError("its values are {dtype}, not integers", dtype=kind)
    return np.dtype(kind)


def _only(names: list[str]) -> str:
    if not names:
        raise BadDataError("it has no array")
    if len(names) > 1:
        raise BadDataError(
            "it has {count} arrays ({names}); a mask is a single one",
            count=len(names),
            names=", ".join(names[:_MAX_SHOWN]),
        )
    return names[0]
