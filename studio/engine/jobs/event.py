"""What every line of a journal has."""

from __future__ import annotations

import math
import time
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


def _nan_for_null(value: object) -> object:
    return math.nan if value is None else value


# JSON has no NaN: it is written as null and read back as NaN.
Number = Annotated[float, BeforeValidator(_nan_for_null)]


def _as_unicode(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


# Texts name files, and a file's name may be bytes that are no text; a journal is UTF-8.
Text = Annotated[str, AfterValidator(_as_unicode)]


LATEST = 253_402_300_799.0
"""The end of the year 9999, beyond which no calendar goes, in seconds since 1970."""


def _inside(path: str) -> str:
    """Refuse a path that leads out of the record's folder, whoever wrote the journal."""
    parts = path.split("/")
    if not path or {"", ".", ".."} & set(parts) or "\\" in path or ":" in path or "\0" in path:
        raise ValueError("the path leads out of the record")
    return path


InnerPath = Annotated[str, AfterValidator(_inside)]
"""A relative path with forward slashes that stays inside the record's folder."""


class Event(BaseModel):
    """Base of all events. `t` is seconds since 1970, UTC, by the clock of whoever wrote it.

    Clocks are set: a later line may have an earlier time.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    t: float = Field(default_factory=time.time, ge=0, le=LATEST)
