"""Warnings about masks: what was assumed about their values, with counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.segmentation.levels import RADIUS, ValuePool, is_undecided
from studio.engine.tasks.segmentation.mask_statistics import MAX_NUMBER
from studio.engine.tasks.segmentation.numbered_objects import are_counted, are_rarely_shared
from studio.engine.tasks.segmentation.values import ValueTable, text_of

MAX_UNDECIDED: Final = 24
"""Values of masks that may be noise up to which each is a class."""
_MAX_INDEX = 64
"""Numbers below are class indexes rather than gray levels."""
_MANY = 40
"""Number of values of unnamed classes that a person should check."""
_STRAY_BORDER: Final = 0.02
"""Fraction of the pixels at the border of a mask that may be of an object."""
_FEWEST_ALIKE: Final = 3
_MOST_ALIKE: Final = 0.6
"""Fraction of the masks that have the same value at the border."""
_RARE = 1e-4
"""Fraction of the pixels of a class that a person should check."""


def noise_warnings(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Return how many pixels have other values than those of the classes.

    Args:
        pool: Values of the masks.
        table: Values of the classes.
    """
    exact = sum(pool.pixels[code] for code in {*table.codes, *_ignored(table)})
    count = pool.total - exact
    if not count:
        return []
    facts: dict[str, Any] = {
        "count": count,
        "total": pool.total,
        "share": count / pool.total,
        "file": next((pool.first[value] for value in pool.first if value not in table.codes), ""),
    }
    if len(table.codes) == 2 and table.ignored is None:
        low, high = text_of(table.codes[:1], table.coding), text_of(table.codes[1:], table.coding)
        return [
            message(
                "{count:,} of {total:,} pixels ({share:.2%}) are neither {low} nor {high} and "
                "were assigned to the nearer one (first: {file}).",
                low=low,
                high=high,
                **facts,
            )
        ]
    return [
        message(
            "{count:,} of {total:,} pixels ({share:.2%}) have none of the values {values} and "
            "were assigned to the nearest one (first: {file}).",
            values=text_of(table.codes, table.coding),
            **facts,
        )
    ]


def _ignored(table: ValueTable) -> list[int]:
    return [] if table.ignored is None else [table.ignored]


def void_warnings(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Warn about pixels that count as no class by default, or about 255 as a class.

    Args:
        pool: Values of the masks.
        table: Values of the classes.
    """
    pixels = pool.pixels.get(IGNORE, 0)
    facts: dict[str, Any] = {"pixels": pixels, "share": pixels / max(pool.total, 1)}
    if not pixels:
        return []
    if table.ignored == IGNORE:
        return [
            message(
                "{pixels:,} pixels ({share:.1%}) with the value 255 count as no class. If 255 is "
                'a class, set the ignore value to "none".',
                **facts,
            )
        ]
    others = [code for code in table.codes if code != IGNORE]
    if table.codes[-1] != IGNORE or max(others, default=IGNORE) >= _MAX_INDEX or len(others) < 2:
        return []
    return [
        message(
            "The value 255 ({pixels:,} pixels, {share:.1%}) is a class. If it marks pixels of no "
            "class, set the ignore value to 255.",
            **facts,
        )
    ]


def remarks(pool: ValuePool, table: ValueTable, known: ClassTable) -> list[Text]:
    """Point out an order of the classes, inverted masks, many values and rare values.

    Args:
        pool: Values of the masks.
        table: Values of the classes.
        known: Names of the classes, if they are known.
    """
    if known.names or known.colors:
        return _order(table, known)
    found = _instances(pool, table) + _two_scales(pool, table)
    if not table.is_nearest:
        found += _rare(pool, table) + _lines(pool, table)
    if len(table.codes) > _MANY:
        found.append(
            message(
                "The masks have {values} values, and each is a class.", values=len(table.codes)
            )
        )
    return found + _inverted(pool, table)


def _instances(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Point out values that appear to count the objects of each mask."""
    if table.coding != "index":
        return []
    is_counted = are_counted(pool)
    if not (is_counted or are_rarely_shared(pool, table.codes)):
        return []
    return [
        message(
            "The {values} values of the masks appear to number objects instead of classes, "
            "because {reason}. Each value is a class; if they are objects, import them with the "
            "task instance segmentation (--task instances).",
            values=len(table.codes),
            reason=message("each mask has all values from 0 to its highest one")
            if is_counted
            else message("most of them occur in one mask only"),
        )
    ]


def _two_scales(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Point out masks of 0 and 1 beside masks of 0 and 255."""
    if table.coding != "index" or table.codes != (0, 1, IGNORE) or pool.mixes_scales:
        return []
    return [
        message(
            "Some masks have the value 1 ({ones}) and others 255 ({whites}), and none has both. "
            "If both are the same class, write one value for it.",
            ones=pool.masks[1],
            whites=pool.masks[IGNORE],
        )
    ]


def _order(table: ValueTable, known: ClassTable) -> list[Text]:
    """Return which values are which named classes, if they are no indexes."""
    codes = table.codes
    is_plain = codes == tuple(range(len(codes))) or is_black_and_white(table)
    if table.coding != "index" or not known.names or is_plain:
        return []
    return [
        message(
            "The values {values} are the classes {names}, in this order.",
            values=text_of(codes, "index"),
            names=", ".join(known.names[:MAX_UNDECIDED]),
        )
    ]


def _inverted(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Point out masks that are mostly white."""
    if not is_black_and_white(table):
        return []
    white = sum(pool.pixels[value] for value in pool.pixels if 2 * value >= sum(table.codes))
    if 2 * white <= pool.total:
        return []
    return [
        message(
            "{share:.1%} of the pixels are white, and white is the class “foreground”. If white "
            "is the background, name the dark class and then the bright class.",
            share=white / pool.total,
        )
    ]


def exchanged_warnings(bright: Mapping[str, tuple[float, float]], table: ValueTable) -> list[Text]:
    """Point out masks whose background has the value of the foreground of the others.

    Around objects is background. A few masks with the other value at all borders, around an area
    of the size that objects have, appear to be inverted.

    Args:
        bright: Fractions of bright pixels at the border and in all of each mask, by its path.
        table: Values of the classes.
    """
    if len(table.codes) != 2 or table.coding != "index":
        return []
    dark = [path for path, (border, _) in bright.items() if border <= _STRAY_BORDER]
    light = [path for path, (border, _) in bright.items() if border >= 1 - _STRAY_BORDER]
    few, many = sorted((dark, light), key=len)
    if len(many) < max(_FEWEST_ALIKE, _MOST_ALIKE * len(bright), 2 * len(few)):
        return []
    inside = [bright[path][1] if many is dark else 1 - bright[path][1] for path in many]
    low, high = min(inside) / 2, max(inside) * 2
    found = [
        path
        for path in few
        if low <= (bright[path][1] if few is dark else 1 - bright[path][1]) <= high
    ]
    if not found:
        return []
    values = [text_of([code], table.coding) for code in table.codes]
    return [
        message(
            "In {count} of {total} masks, such as {file}, foreground and background appear to be "
            "exchanged: the value at their borders is {value}, and at those of the others "
            "{other}. Check them, and invert these files.",
            count=len(found),
            total=len(bright),
            file=found[0],
            value=values[few is light],
            other=values[many is light],
        )
    ]


def _lines(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Point out values without areas, which may be noise."""
    loose = {*pool.loose()} & {*table.codes}
    if not (loose and is_undecided(pool)):
        return []
    return [
        message(
            "{count} of the {values} values, which are all classes, form no areas: {pixels:,} of "
            "{total:,} pixels. They may be noise.",
            count=len(loose),
            values=len(table.codes),
            pixels=sum(pool.pixels[value] for value in loose),
            total=pool.total,
        )
    ]


def _rare(pool: ValuePool, table: ValueTable) -> list[Text]:
    """Point out the rarest class if hardly any pixel has it."""
    code = min(table.codes, key=lambda code: pool.pixels[code])
    pixels = pool.pixels[code]
    if pixels >= _RARE * pool.total:
        return []
    return [
        message(
            "Only {pixels:,} of {total:,} pixels have the value {value}, which is a class (first: "
            "{file}).",
            pixels=pixels,
            total=pool.total,
            value=text_of([code], table.coding),
            file=pool.first.get(code, ""),
        )
    ]


def is_black_and_white(table: ValueTable) -> bool:
    """Return True if the classes are black and white, of 8 or 16 bits."""
    if table.coding != "index" or len(table.codes) != 2 or table.ignored is not None:
        return False
    low, high = table.codes
    full = MAX_NUMBER if high > IGNORE else IGNORE
    noise = RADIUS * (full // IGNORE) if table.is_nearest else 0
    return low <= noise and high >= full - noise
