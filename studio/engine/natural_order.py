"""The order that people expect of names with numbers in them."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a key that sorts `img2` before `img10`, ignoring case; the name breaks ties."""
    parts = _NUMBERS.split(name.casefold())
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p), name
