"""Picture files of every kind as arrays of their own values: planes, channels, 16 bits, fractions.

`open_picture` chooses a reader by the first bytes of a file. Limits are checked before anything is
decoded.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from studio.engine.errors import BadDataError
from studio.engine.installation import install_command
from studio.engine.messages import message
from studio.engine.picture_files import opened_file
from studio.engine.pictures.formats import (
    DICOM_FORMAT,
    FORMATS,
    HEAD,
    TIFF_FORMAT,
    Format,
    is_dicom,
    is_tiff,
)
from studio.engine.pictures.info import PictureFile
from studio.engine.pictures.ordinary import open_ordinary
from studio.engine.pictures.pyramid_file import ExtraTag


@contextlib.contextmanager
def open_picture(file: BinaryIO | Path) -> Iterator[PictureFile]:
    """Open a picture file of any format; errors of its parser inside the block become a reason.

    Args:
        file: Encoded bytes at their beginning, seekable; or a file's path.

    Raises:
        BadDataError: It is no picture, or a damaged or too large one; the message is a reason.
    """
    with opened_file(file) as handle, contextlib.ExitStack() as stack:
        head = handle.read(HEAD)
        handle.seek(0)
        found = next((each for each in FORMATS if each.accepts(head)), None)
        yield stack.enter_context(_opened(found, handle))


def read_group(file: BinaryIO) -> str:
    """Return the name of the origin of a picture, such as its patient; empty if it names none.

    Only the first bytes of the file are read.

    Raises:
        BadDataError: The file is damaged; the message is a reason.
    """
    with opened_file(file) as handle:
        head = handle.read(HEAD)
        handle.seek(0)
        if not is_dicom(head) or not DICOM_FORMAT.is_installed:
            return ""
        group: str = importlib.import_module(f"{__name__}.dicom").read_group(handle)
        return group


def position_tags(path: Path) -> tuple[ExtraTag, ...]:
    """Return the tags with the position of a GeoTIFF, to be written into files about it.

    Args:
        path: A picture file; most have none.
    """
    if not all(importlib.util.find_spec(name) for name in TIFF_FORMAT.packages):
        return ()
    try:
        with opened_file(path) as handle:
            if not is_tiff(handle.read(HEAD)):
                return ()
            handle.seek(0)
            module = importlib.import_module(f"{__name__}.georeference")
            tags: tuple[ExtraTag, ...] = module.position_tags(handle)
            return tags
    except BadDataError:
        return ()  # the file is damaged, which its prediction says


def _opened(
    found: Format | None, file: BinaryIO
) -> contextlib.AbstractContextManager[PictureFile]:
    if found is None:
        return open_ordinary(file)
    if found.is_installed:
        module = importlib.import_module(f"{__name__}.{found.module}")
        opened: contextlib.AbstractContextManager[PictureFile] = module.open_file(file)
        return opened
    command = install_command(found.extra)
    if not found.is_partly_ordinary:
        raise BadDataError("files of this kind are read after: {command}", command=command)
    limit = message(
        "Planes, names of channels, positions on the earth and some compressions are read after: "
        "{command}",
        command=command,
    )
    return open_ordinary(file, (limit,))
