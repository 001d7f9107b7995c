"""Check that the pixels of a picture can be compared with those that a network was trained on."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np

from studio.engine.datasets import picture_values
from studio.engine.datasets.channel_files import channel_paths, joined_file
from studio.engine.datasets.plane_choices import CHANNELS, MAXIMUM, MEAN
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.messages import Message, message
from studio.engine.pictures.formats import HEAD, PNG, is_deep_color, is_dicom, is_npy, is_tiff
from studio.engine.pictures.info import PictureInfo
from studio.engine.pixel_format import PixelFormat

_ANIMATED: Final = 0x02
"""Flag of WebP files with several frames."""


def comparable(file: Path, recipe: DatasetRecipe) -> Path | BytesIO:
    """Return a picture whose pixels have the type of the training images, or refuse it.

    An 8 bit picture would look almost black to a network for 12 bits. Pictures of 16 bits become
    8 bits where a network was trained on these, as they do in an import. Arrays get the type of
    the training images if it holds all of their values.

    Args:
        file: The picture.
        recipe: Conversion of the training images.

    Returns:
        The file, or the bytes of an array of the right type.

    Raises:
        BadDataError: It has another type, or is no picture; the message is a short reason.
    """
    is_array = _is_array(file)
    if not recipe.keeps_values and not is_array and not recipe.channel_files:
        return file
    header = picture_values.read_header(file, recipe.planes)
    pixels = picture_values.required_format(recipe)
    if recipe.channel_files and header.channels != pixels.channels:
        joined = channel_paths(file, recipe.channel_ends)
        if joined:
            return joined_file(joined)
    _require_channels(header, recipe, pixels)
    has_type = picture_values.has_type_of(header, recipe)
    if has_type or (not recipe.keeps_values and not is_array):
        return file
    found = _array_of_type(file, pixels) if is_array else None
    if found is None:
        raise BadDataError(
            "it has pixels of the type {received}; the network was trained on {expected}, and "
            "their brightness cannot be compared",
            received=header.dtype,
            expected=pixels.dtype,
        )
    return found


def reading_notes(file: Path, recipe: DatasetRecipe) -> tuple[Message, ...]:
    """Return sentences about what a picture file became: 8 bits, or an image of its planes.

    Args:
        file: A picture that was decoded.
        recipe: Conversion of the training images.
    """
    head = _head(file)
    if not _may_have_more(head):
        return ()
    header = picture_values.read_header(file, recipe.planes)
    notes = []
    if header.planes > 1:
        notes.append(planes_note(header.planes, recipe.planes))
    is_reduced = not recipe.keeps_values and header.dtype != "uint8"
    if is_reduced and not is_npy(head):  # arrays were converted without loss
        notes.append(
            message(
                "The image has pixels of the type {received}. They were reduced to 8 bits, as the "
                "network was trained on these.",
                received=header.dtype,
            )
        )
    return tuple(notes)


def planes_note(count: int, planes: str) -> Message:
    """Return which of the planes of a file an image was made of.

    Args:
        count: Number of planes of the file, above 1.
        planes: Choice of planes of the training images.
    """
    if planes == MAXIMUM:
        return message("The image is the maximum of {count} planes.", count=count)
    if planes == MEAN:
        return message("The image is the mean of {count} planes.", count=count)
    if planes == CHANNELS:
        return message("The {count} planes of the file are channels of the image.", count=count)
    return message(
        "Only plane {number} of {count} was used.",
        number=int(planes) if planes.isdecimal() else 1,
        count=count,
    )


def _may_have_more(head: bytes) -> bool:
    """Return False for the first bytes of a picture of 8 bits with one plane."""
    if head.startswith(PNG):
        return head[24:25] == b"\x10"
    if head[8:16] == b"WEBPVP8X":
        return bool(head[20] & _ANIMATED)
    is_deep = is_tiff(head) or is_dicom(head) or is_deep_color(head)
    return is_deep or is_npy(head) or head.startswith((b"GIF87a", b"GIF89a"))


def _require_channels(header: PictureInfo, recipe: DatasetRecipe, pixels: PixelFormat) -> None:
    """Refuse one of several files with the channels of an image."""
    if recipe.channel_files and header.channels != pixels.channels:
        raise BadDataError(
            "it has {channels} of {expected} channels: each image of the training lies in files "
            "that end in {ends}. Put the files of its other channels beside it",
            channels=header.channels,
            expected=pixels.channels,
            ends=", ".join(recipe.channel_ends),
        )


def _array_of_type(file: Path, pixels: PixelFormat) -> BytesIO | None:
    """Return an array as whole numbers of fewer bits; None if they do not hold its values."""
    values = np.load(file, allow_pickle=False)
    wanted = pixels.numpy_dtype
    if wanted.kind == "f" or values.dtype.itemsize <= wanted.itemsize:
        return None
    limits = np.iinfo(pixels.dtype)
    fits = (values >= limits.min) & (values <= limits.max) & (values == np.rint(values))
    if not fits.all():
        return None
    found = BytesIO()
    np.save(found, values.astype(wanted), allow_pickle=False)
    found.seek(0)
    return found


def _is_array(file: Path) -> bool:
    return is_npy(_head(file))


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(HEAD)
    except OSError:
        return b""  # decoding reports the error
