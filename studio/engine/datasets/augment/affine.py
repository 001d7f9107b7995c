"""Affine maps of the plane as six numbers, in plain Python.

A map (a, b, c, d, e, f) takes the place (x, y) in the RESULT to the place (a x + b y + c,
d x + e y + f) in the ORIGINAL, as resampling needs it. Places are measured in pixels from the
center of the image, x to the right, y down.
"""

from __future__ import annotations

import math

Affine = tuple[float, float, float, float, float, float]

IDENTITY: Affine = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def chain(first: Affine, second: Affine) -> Affine:
    """Compose two maps.

    Args:
        first: Applied first.
        second: Applied to its result.
    """
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (
        a * g + b * j,
        a * h + b * k,
        a * i + b * m + c,
        d * g + e * j,
        d * h + e * k,
        d * i + e * m + f,
    )


def flip(*, horizontal: bool, vertical: bool) -> Affine:
    """Return a map that mirrors the image.

    Args:
        horizontal: True to swap left and right.
        vertical: True to swap top and bottom.
    """
    return (-1.0 if horizontal else 1.0, 0.0, 0.0, 0.0, -1.0 if vertical else 1.0, 0.0)


def rotation(degrees: float) -> Affine:
    """Return a turn against the clock, as of `keras.layers.RandomRotation`."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return (cosine, -sine, 0.0, sine, cosine, 0.0)


def quarter_turn(turns: int, width: int, height: int) -> Affine:
    """Return a counterclockwise rotation by 90 degrees, stretched to the original size.

    Args:
        turns: Number of rotations.
        width: Width of the image, in pixels.
        height: Height of the image, in pixels.
    """
    turn: Affine = (0.0, -width / height, 0.0, height / width, 0.0, 0.0)
    result = IDENTITY
    for _ in range(turns):
        result = chain(result, turn)
    return result


def zoom(visible: float) -> Affine:
    """Shows that share of each side: below 1 enlarges, as of `keras.layers.RandomZoom`."""
    return (visible, 0.0, 0.0, 0.0, visible, 0.0)


def shear(x_degrees: float, y_degrees: float) -> Affine:
    """Return a shear of the image.

    Args:
        x_degrees: Slant of vertical lines.
        y_degrees: Slant of horizontal lines.
    """
    along_x, along_y = (math.tan(math.radians(each)) for each in (x_degrees, y_degrees))
    return (1.0, along_x, 0.0, along_y, 1.0, 0.0)


def translation(right: float, down: float) -> Affine:
    """Return a translation.

    Args:
        right: In pixels.
        down: In pixels.
    """
    return (1.0, 0.0, -right, 0.0, 1.0, -down)
