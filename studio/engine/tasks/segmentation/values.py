"""Pixel values of mask files, and their classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import count, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.picture_files import opened_picture
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import IGNORE, MOST_CLASSES, Mask, require_size

Coding = Literal["index", "color", "binary"]
_HALF = 128
_BINARY = {0, 255}
_MOST_NUMBERS = 2**16


@dataclass(frozen=True, slots=True)
class Look:
    """Contents of one mask file.

    Attributes:
        has_colors: True if its pixels are colors rather than numbers, and not all of them gray.
        is_rgb: True if its pixels are colors.
        values: Numbers of its pixels, or their colors as 0xrrggbb.
        palette: Colors of the numbers as 0xrrggbb, where it has a palette.
    """

    has_colors: bool
    is_rgb: bool
    values: frozenset[int]
    palette: dict[int, int] = field(default_factory=dict)


def inspected(data: bytes) -> Look:
    """Return the content of a mask file.

    Raises:
        BadDataError: It is not a picture, or has too many values; the message is a short reason.
    """
    with opened_picture(BytesIO(data)) as image:
        image.load()
        if image.mode in {"P", "L", "1", "LA"}:
            numbers = _numbers(image)
            there = np.flatnonzero(np.bincount(numbers.ravel(), minlength=256)).tolist()
            return Look(
                has_colors=False, is_rgb=False, values=frozenset(there), palette=_palette(image)
            )
        if image.mode.startswith(("I", "F")):
            found = np.unique(_numbers(image)).tolist()
            if len(found) > MOST_CLASSES + 1:
                raise _too_many()
            return Look(has_colors=False, is_rgb=False, values=frozenset(found))
        codes = _colors(image)
        gray = all(code == (code & 0xFF) * 0x010101 for code in codes)
        return Look(has_colors=not gray, is_rgb=True, values=codes)


def _colors(image: Image.Image) -> frozenset[int]:
    """Return the colors of a picture as 0xrrggbb.

    Raises:
        BadDataError: There are too many for a mask.
    """
    counted = image.convert("RGB").getcolors(MOST_CLASSES + 1)
    if counted is None:
        raise _too_many()
    colors = (color for _, color in counted if isinstance(color, tuple))
    return frozenset(red << 16 | green << 8 | blue for red, green, blue in colors)


def _too_many() -> BadDataError:
    return BadDataError(
        message(
            "it has more than {limit} different pixel values, so it looks like a photo",
            limit=MOST_CLASSES,
        )
    )


def _palette(image: Image.Image) -> dict[int, int]:
    if image.mode != "P":
        return {}
    colors = np.array(image.getpalette("RGB") or [], np.int64).reshape(-1, 3)
    codes = colors @ np.array([1 << 16, 1 << 8, 1])
    return dict(enumerate(codes.tolist()))


def _numbers(image: Image.Image) -> NDArray[np.generic]:
    """Return pixels of a mask with numbers; those of RGB must be gray.

    Raises:
        BadDataError: It has colors.
    """
    if image.mode in {"1", "LA"}:
        return np.asarray(image.convert("L"))
    if image.mode.startswith(("I", "F")):
        values = np.asarray(image)
        if not (values.min() >= 0 and values.max() < _MOST_NUMBERS):  # also of NaN
            raise BadDataError(
                message(
                    "its pixel values are not integers from 0 to {limit}", limit=_MOST_NUMBERS - 1
                )
            )
        whole = values.astype(np.int64)
        if (whole != values).any():
            raise BadDataError("its pixel values are not integers")
        return whole
    if image.mode in {"P", "L"}:
        return np.asarray(image)
    pixels = np.asarray(image.convert("RGB"))
    if (pixels[:, :, 1:] != pixels[:, :, :1]).any():
        raise BadDataError("it is colored, but the other masks are grayscale")
    return pixels[:, :, 0]


def code_of(color: str) -> int:
    """Return a color "#rrggbb" as a number 0xrrggbb."""
    return int(color.removeprefix("#"), 16)


def color_of(code: int) -> str:
    """Return a number 0xrrggbb as "#rrggbb"."""
    return f"#{code:06x}"


@dataclass(frozen=True)
class ValueTable:
    """Classes of the values of mask files.

    Attributes:
        coding: Coding of classes: numbers, colors, or dark and bright pixels.
        codes: Value of each class, K; numbers, or colors as 0xrrggbb.
        ignored: Value of pixels that do not count; None if all count.
    """

    coding: Coding
    codes: tuple[int, ...]
    ignored: int | None = None

    def mask(self, data: bytes, size: tuple[int, int]) -> Mask:
        """Return the classes of the pixels of a mask file, shape (height, width).

        Args:
            data: The bytes of the file.
            size: Width and height of the picture that it belongs to.

        Raises:
            BadDataError: It is damaged, of another size, or has other values.
        """
        with opened_picture(BytesIO(data)) as image:
            require_size(image.size, size)
            image.load()
            if self.coding == "color":
                return self._by_color(image)
            if self.coding == "binary":
                return self._by_brightness(image)
            return self._by_number(_numbers(image))

    def _by_brightness(self, image: Image.Image) -> Mask:
        bright = np.asarray(image.convert("L")) >= _HALF
        return bright.astype(np.uint8)

    def _by_number(self, numbers: NDArray[np.generic]) -> Mask:
        there = np.flatnonzero(np.bincount(numbers.ravel()))
        known = {*self.codes, self.ignored}
        strange = next((value for value in there.tolist() if value not in known), None)
        if strange is not None:
            raise BadDataError(message("the value {value} belongs to no class", value=strange))
        found: Mask = self._number_table[numbers]
        return found

    def _by_color(self, image: Image.Image) -> Mask:
        strange = sorted(_colors(image) - {*self.codes, self.ignored})
        if strange:
            raise BadDataError(
                message("the color {color} belongs to no class", color=color_of(strange[0]))
            )
        pixels = np.asarray(image.convert("RGBX"))
        # Red is the lowest byte of each pixel.
        found: Mask = self._color_table[pixels.view("<u4")[:, :, 0] & 0xFFFFFF]
        return found

    @cached_property
    def _number_table(self) -> Mask:
        table = np.zeros(
            max(256, *(code + 1 for code in (*self.codes, self.ignored or 0))), np.uint8
        )
        table[list(self.codes)] = np.arange(len(self.codes))
        if self.ignored is not None:
            table[self.ignored] = IGNORE
        return table

    @cached_property
    def _color_table(self) -> Mask:
        """Class of every color: 16 MB, of which a few lines are read."""
        table = np.zeros(2**24, np.uint8)
        for index, code in enumerate(self.codes):
            table[_swapped(code)] = index
        if self.ignored is not None:
            table[_swapped(self.ignored)] = IGNORE
        return table


def _swapped(code: int) -> int:
    return (code & 0xFF) << 16 | code & 0xFF00 | code >> 16


def value_table(
    looks: Iterable[Look], known: ClassTable, mode: str, ignore: str
) -> tuple[ValueTable, ClassTable]:
    """Tell from mask files and from what is known how files hold classes.

    Args:
        looks: Into mask files: all of them if the classes are not known.
        known: Names and colors of the classes, as far as they are known.
        mode: The coding, or "auto".
        ignore: Value or color that does not count; empty for 255 among numbers.

    Returns:
        The table, and the classes with their names and, if known, their colors.

    Raises:
        StudioError: The files, the classes and the coding do not fit together.
    """
    looks = list(looks)
    coding = _coding(looks, known) if mode == "auto" else mode
    if coding == "color":
        return _by_color(looks, known, _ignored_color(ignore))
    if coding == "binary":
        names = known.names or ("background", "foreground")
        if len(names) != 2:
            raise StudioError(
                message(
                    "Black-and-white masks have two classes; received {names} names.",
                    names=len(names),
                ),
                "Name the dark class and then the bright class, or choose another mode for mask "
                "pixels.",
                "class_names",
            )
        return ValueTable("binary", (0, 255)), ClassTable(names, known.colors)
    return _by_number(looks, known, _ignored_number(ignore))


def _coding(looks: Sequence[Look], known: ClassTable) -> Coding:
    if any(look.has_colors for look in looks):
        return "color"
    numbers = _gray(looks)
    if numbers <= _BINARY and 255 in numbers and len(known.names) in (0, 2):
        return "binary"
    declared = {code_of(color) for color in known.colors}
    if declared and any(look.palette for look in looks):
        used = {look.palette.get(number) for look in looks for number in look.values}
        return "color" if used <= declared else "index"
    return "index"


def _gray(looks: Iterable[Look]) -> set[int]:
    """Return the numbers of the pixels of all masks; of gray colors one channel."""
    return {code & 0xFF if look.is_rgb else code for look in looks for code in look.values}


def _by_number(
    looks: Sequence[Look], known: ClassTable, ignored: int
) -> tuple[ValueTable, ClassTable]:
    if known.names or known.colors:
        numbers = (number for number in count() if number != ignored)
        codes = tuple(islice(numbers, len(known.names or known.colors)))
        names = known.names or tuple(map(str, codes))
        return ValueTable("index", codes, ignored), ClassTable(names, known.colors)
    codes = tuple(sorted(_gray(looks) - {ignored}))
    if len(codes) > MOST_CLASSES:
        raise StudioError(
            message(
                "The masks have {values} values; at most {limit} classes are possible.",
                values=len(codes),
                limit=MOST_CLASSES,
            ),
            "Name the classes in a file, or check that these are masks.",
            "source",
        )
    palette = next((look.palette for look in looks if look.palette), {})
    colors = tuple(color_of(palette[code]) for code in codes if code in palette)
    if len(set(colors)) < len(codes):
        colors = ()
    return ValueTable("index", codes, ignored), ClassTable(tuple(map(str, codes)), colors)


def _by_color(
    looks: Sequence[Look], known: ClassTable, ignored: int | None
) -> tuple[ValueTable, ClassTable]:
    if not known.colors and known.names:
        raise StudioError(
            "The masks are colored, but the classes have only names, no colors.",
            "Give the color of each class too, or leave the names out.",
            "class_colors",
        )
    if known.colors:
        codes = tuple(code_of(color) for color in known.colors)
        return ValueTable("color", codes, ignored), ClassTable(
            known.names or known.colors, known.colors
        )
    found = {
        look.palette.get(code, code) if look.palette else code
        for look in looks
        for code in look.values
    }
    codes = tuple(sorted(found - {ignored}))
    if len(codes) > MOST_CLASSES:
        raise StudioError(
            message(
                "The masks have {colors} colors; at most {limit} classes are possible.",
                colors=len(codes),
                limit=MOST_CLASSES,
            ),
            "Check that these are masks, not photos. Masks must be stored losslessly, as PNG.",
            "source",
        )
    colors = tuple(map(color_of, codes))
    return ValueTable("color", codes, ignored), ClassTable(colors, colors)


def _ignored_number(text: str) -> int:
    if not text:
        return IGNORE
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and int(text) < _MOST_NUMBERS):
        raise StudioError(
            message(
                "The ignore value of class indexes is a number from 0 to 65535; received "
                '"{text}".',
                text=text,
            ),
            where="ignore_value",
        )
    return int(text)


def _ignored_color(text: str) -> int | None:
    if not text:
        return None
    digits = text.removeprefix("#")
    if len(digits) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        raise StudioError(
            message(
                'The ignore value of colored masks is a color such as #ffffff; received "{text}".',
                text=text,
            ),
            where="ignore_value",
        )
    return int(digits, 16)
