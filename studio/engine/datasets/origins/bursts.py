"""Origins by capture times: images that one camera took within seconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from io import BytesIO
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from PIL import ExifTags

from studio.engine.datasets.groups import Groups, separate_groups
from studio.engine.errors import BadDataError
from studio.engine.picture_files import opened_picture

SECONDS: Final = 5.0
"""Longest time between two images of a burst."""
_HEAD: Final = 2**17
"""Number of bytes at the beginning of a file that contain the Exif data, if there are any."""


class Capture(NamedTuple):
    """Time and camera of a photo.

    Attributes:
        seconds: Seconds since year 1 in the local time of the camera.
        camera: Maker, model and serial number.
    """

    seconds: float
    camera: str


def read_capture(data: bytes) -> Capture | None:
    """Read when and with which camera a photo was taken; None if its file does not contain both.

    Args:
        data: Encoded bytes of the image.
    """
    head = data[:_HEAD]
    if b"Exif" not in head and b"eXIf" not in head and head[:2] not in {b"II", b"MM"}:
        return None
    try:
        with opened_picture(BytesIO(data)) as image:
            exif = image.getexif()
            details = exif.get_ifd(ExifTags.IFD.Exif)
    except BadDataError:
        return None
    time = _time(details.get(ExifTags.Base.DateTimeOriginal))
    tags = (exif.get(ExifTags.Base.Make), exif.get(ExifTags.Base.Model))
    camera = " ".join(str(tag).strip("\0 ") for tag in tags if tag)
    serial = details.get(ExifTags.Base.BodySerialNumber)
    if time is None or not camera:
        return None
    part = str(details.get(ExifTags.Base.SubsecTimeOriginal, "")).strip("\0 ")
    fraction = float(f"0.{part}") if part.isascii() and part.isdecimal() else 0.0
    return Capture(time + fraction, f"{camera} {serial or ''}".strip())


def burst_groups(captures: Mapping[int, Capture], count: int) -> Groups:
    """Return the groups of images that follow each other within seconds, shape (count,).

    Args:
        captures: Time and camera of images, by their row.
        count: Number of rows.
    """
    groups = separate_groups(count)
    rows = sorted(captures, key=lambda row: (captures[row].camera, captures[row].seconds))
    for before, row in pairwise(rows):
        last, capture = captures[before], captures[row]
        if capture.camera == last.camera and capture.seconds - last.seconds <= SECONDS:
            groups[row] = groups[before]
    return np.asarray(groups, np.int64)


def _time(text: object) -> float | None:
    """Return seconds since year 1 of a time such as "2026:05:31 12:30:05"; None for others."""
    try:
        time = datetime.strptime(str(text).strip("\0 "), "%Y:%m:%d %H:%M:%S")  # noqa: DTZ007 - local
    except ValueError:
        return None
    return (time - datetime(1, 1, 1)).total_seconds()  # noqa: DTZ001 - as above
