"""Measured speeds of the library's networks, for each machine that shares its folder."""

from __future__ import annotations

import platform
from datetime import datetime
from typing import Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from studio.engine.files import write_atomically
from studio.engine.pretrained.store import PretrainedStore

_FILE: Final = "speeds.json"


class MeasuredSpeed(BaseModel, frozen=True):
    """Time of a network for one image on this machine.

    Attributes:
        milliseconds: Median time for one image.
        width: Width of the image, in pixels.
        height: Height of the image, in pixels.
        backend: Backend of Keras that computed it.
        measured: Time of the measurement.
    """

    milliseconds: float
    width: int
    height: int
    backend: str
    measured: datetime


_SPEEDS = TypeAdapter(dict[str, dict[str, MeasuredSpeed]])


def read_speeds() -> dict[str, MeasuredSpeed]:
    """Return the speeds on this machine by the names of sources; none if nothing was measured."""
    return _read().get(platform.node(), {})


def write_speed(name: str, speed: MeasuredSpeed) -> None:
    """Store the speed of a source on this machine.

    Args:
        name: Name of the source.
        speed: What was measured.

    Raises:
        DiskFullError: No space is left.
    """
    every = _read()
    every.setdefault(platform.node(), {})[name] = speed
    folder = PretrainedStore().folder
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / _FILE, _SPEEDS.dump_json(every, indent=1))


def _read() -> dict[str, dict[str, MeasuredSpeed]]:
    try:
        return _SPEEDS.validate_json((PretrainedStore().folder / _FILE).read_bytes())
    except (OSError, ValidationError):  # nothing was measured, or it can be measured again
        return {}
