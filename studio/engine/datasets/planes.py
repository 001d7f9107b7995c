"""Planes of files that become an image: one of them, all as channels, or a projection."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.datasets.plane_choices import CHANNELS, FIRST, IMAGES, MAXIMUM, MEAN
from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.pictures.info import PictureFile, PictureInfo
from studio.engine.pictures.limits import check_size
from studio.engine.progress import Cancelled

_STOPPED: ContextVar[threading.Event | None] = ContextVar("stopped", default=None)


@contextlib.contextmanager
def stopping_with(stopped: threading.Event) -> Iterator[None]:
    """End the work on the planes and parts of a picture in this thread once an event is set.

    Args:
        stopped: The event; the block raises `Cancelled` after it.
    """
    token = _STOPPED.set(stopped)
    try:
        yield
    finally:
        _STOPPED.reset(token)


def check_stopped() -> None:
    """Raise if the work in this thread was stopped, see `stopping_with`.

    Raises:
        Cancelled: It was.
    """
    stopped = _STOPPED.get()
    if stopped is not None and stopped.is_set():
        raise Cancelled


def chosen_info(info: PictureInfo, planes: str) -> PictureInfo:
    """Return the properties of the image that a choice makes of a file.

    Args:
        info: Properties of the file.
        planes: The choice.

    Raises:
        BadDataError: The file has no such plane, or too many planes; the message is a reason.
    """
    if planes.isdecimal() and int(planes) > info.planes:
        raise BadDataError(
            message(
                "it has {count} planes; plane {number} was chosen",
                one="it has {count} plane; plane {number} was chosen",
                count=info.planes,
                number=planes,
            )
        )
    if planes != CHANNELS or info.planes == 1:
        return info
    channels = info.channels * info.planes
    check_size(info.width, info.height, channels, 4)
    names = info.channel_names
    each = tuple(f"{name} {number}" for number in range(1, info.planes + 1) for name in names)
    return replace(info, channels=channels, channel_names=each, has_alpha=False)


def chosen_pixels(picture: PictureFile, planes: str, plane: int | None = None) -> Pixels:
    """Decode the image that a choice makes of a file.

    Args:
        picture: The file.
        planes: The choice; see `chosen_info`.
        plane: Number of the plane from 0, where each is an image.

    Returns:
        Shape (height, width, channels). Missing values are NaN if there are fractions.

    Raises:
        BadDataError: The file is damaged; the message is a reason.
    """
    count = picture.info.planes
    if plane is not None:
        return _plane(picture, plane)
    if count == 1 or planes in {FIRST, IMAGES}:
        return _plane(picture, 0)
    if planes == CHANNELS:
        return np.concatenate([_plane(picture, number) for number in range(count)], axis=-1)
    if planes == MAXIMUM:
        highest = _plane(picture, 0)
        for number in range(1, count):
            highest = np.fmax(highest, _plane(picture, number))
        return highest
    if planes == MEAN:
        return _mean(picture)
    return _plane(picture, int(planes) - 1)


def missing_pixels(
    picture: PictureFile, planes: str, plane: int | None = None
) -> NDArray[np.bool_] | None:
    """Return the pixels without a value of the image that a choice makes of a file.

    The mean of several planes has none where one of them has none; other images where all have
    none.

    Args:
        picture: The file.
        planes: The choice; see `chosen_info`.
        plane: Number of the plane from 0, where each is an image.

    Returns:
        Shape (height, width); None if all have a value.
    """
    numbers = _numbers(picture.info.planes, planes, plane)
    found = [picture.missing(number) for number in numbers]
    known = [each for each in found if each is not None]
    if not known or (planes != MEAN and len(known) < len(found)):
        return None
    join = np.logical_or if planes == MEAN else np.logical_and
    gone: NDArray[np.bool_] = join.reduce(known)
    return gone if gone.any() else None


def _numbers(count: int, planes: str, plane: int | None) -> Sequence[int]:
    """Return the numbers of the planes, from 0, that an image is made of."""
    if plane is not None:
        return [plane]
    if count == 1 or planes in {FIRST, IMAGES}:
        return [0]
    return range(count) if planes in {CHANNELS, MAXIMUM, MEAN} else [int(planes) - 1]


def _plane(picture: PictureFile, number: int) -> Pixels:
    check_stopped()
    values = picture.plane(number)
    if values.dtype.kind != "f":
        return values
    missing = ~np.isfinite(values).any(axis=-1)
    if missing.any():
        values = values.copy()
        values[missing] = np.nan
    return values


def _mean(picture: PictureFile) -> Pixels:
    first = _plane(picture, 0)
    total = first.astype(np.float64)
    for number in range(1, picture.info.planes):
        total += _plane(picture, number)
    total /= picture.info.planes
    mean: Pixels = (total if first.dtype.kind == "f" else np.rint(total)).astype(first.dtype)
    return mean
