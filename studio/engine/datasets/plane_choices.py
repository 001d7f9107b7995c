"""Choices of what a file with several planes becomes.

Never imports NumPy or Pillow: recipes import it, and the window starts with them.
"""

from __future__ import annotations

from typing import Final

from studio.engine.messages import message

FIRST, IMAGES, CHANNELS, MAXIMUM, MEAN = "first", "images", "channels", "maximum", "mean"
CHOICES: Final = (FIRST, IMAGES, CHANNELS, MAXIMUM, MEAN)
"""Choices beside the number of a plane, from 1."""


def check_choice(planes: str) -> str:
    """Return a choice of planes, or refuse it.

    Raises:
        ValueError: It is neither one of `CHOICES` nor a number from 1.
    """
    if planes in CHOICES or (planes.isdecimal() and int(planes) > 0):
        return planes
    raise ValueError(
        message(
            "must be one of {choices}, or a number from 1; received “{received}”",
            choices=", ".join(CHOICES),
            received=planes,
        )
    )


def uses_all(planes: str) -> bool:
    """Return True if a choice uses all planes of a file."""
    return planes in {IMAGES, CHANNELS, MAXIMUM, MEAN}
