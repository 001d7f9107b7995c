"""Decides how mask files encode classes, and says what it assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import IGNORE, MAX_CLASSES
from studio.engine.tasks.segmentation.levels import (
    RADIUS,
    ValuePool,
    distances,
    is_noise,
    is_undecided,
    levels_of,
    scale_of,
)
from studio.engine.tasks.segmentation.mask_remarks import (
    MAX_UNDECIDED,
    exchanged_warnings,
    is_black_and_white,
    noise_warnings,
    remarks,
    void_warnings,
)
from studio.engine.tasks.segmentation.mask_statistics import MAX_NUMBER
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.values import ValueTable, code_of, color_of, text_of

VOID_COLORS = frozenset({code_of("#e0e0c0"), code_of("#808080")})
"""Colors of the number 255 in palettes of Pascal VOC and of exported datasets: no class."""
_NO_VALUE = "none"
BINARY_NAMES = ("background", "foreground")
_BLACK_WHITE = (0x000000, 0xFFFFFF)
_PHOTO_COLORS = 64


@dataclass(slots=True)
class MaskCoding:
    """Encoding of classes in mask files.

    Attributes:
        table: Values of the classes.
        classes: Their names and, if known, their colors.
        warnings: What was assumed, with counts.
    """

    table: ValueTable
    classes: ClassTable
    warnings: list[Text] = field(default_factory=list)


def coding_of(
    survey: MaskSurvey, known: ClassTable, mode: str, ignore: str, *, has_void: bool = False
) -> MaskCoding:
    """Decide how mask files encode classes.

    Args:
        survey: Values of the masks.
        known: Names and colors of the classes, as far as they are known.
        mode: The coding, or "auto"; "alpha" for the transparency as numbers.
        ignore: Value or color that does not count; "none" for none, empty for that of the format.
        has_void: True if the names of the files are those of a format where 255 is no class.

    Raises:
        StudioError: The files, the classes and the coding do not fit together, or it is unclear
            which values are classes.
    """
    if mode in {"auto", "binary"} and _is_alpha(survey):
        return _by_alpha(survey, known, mode, ignore)
    if mode == "binary":
        return _halves(survey, known)
    if mode == "color" or (mode == "auto" and _has_colors(survey, known)):
        return _by_color(survey, known, ignore)
    return _by_number(survey, known, ignore, is_exact=mode == "index", has_void=has_void)


def _has_colors(survey: MaskSurvey, known: ClassTable) -> bool:
    """Return True if colors rather than numbers are the classes."""
    if survey.colored or survey.conflict is not None:
        return True
    declared = {code_of(color) for color in known.colors}
    used = {survey.palette.get(number) for number in survey.numbers.pixels}
    return bool(declared and survey.with_palette) and used <= declared


def _is_alpha(survey: MaskSurvey) -> bool:
    """Return True if the alpha tells the classes, and the colors do not.

    Raises:
        StudioError: Both may.
    """
    opaque, hidden = survey.opaque, survey.hidden
    if len(survey.alpha.pixels) < 2:
        return False
    if len(opaque) <= 1 or len(opaque) > _PHOTO_COLORS:
        return True
    if len(hidden) <= 1 and not hidden & opaque:
        return False
    raise StudioError(
        "Transparent pixels of the masks, for example in {file}, have the same values as "
        "opaque ones, so it is unclear whether colors or transparency are the classes.",
        "Save the masks without transparency, as PNG.",
        "source",
        file=survey.alpha.first[min(survey.alpha.first)],
    )


def _by_alpha(survey: MaskSurvey, known: ClassTable, mode: str, ignore: str) -> MaskCoding:
    alpha = MaskSurvey(numbers=survey.alpha, count=survey.with_alpha)
    coding = coding_of(alpha, known, "binary" if mode == "binary" else "alpha", ignore)
    coding.table = replace(coding.table, is_alpha=True)
    if not known.names and len(coding.table.codes) == 2:
        coding.classes = ClassTable(BINARY_NAMES, known.colors)
    coding.warnings.insert(
        0,
        message(
            "The transparency of the masks was read as the classes, since all opaque pixels look "
            "alike or like a photo (first: {file}).",
            file=next(iter(survey.alpha.first.values())),
        ),
    )
    return coding


# Black and white.


def _halves(survey: MaskSurvey, known: ClassTable) -> MaskCoding:
    """Divide pixels at the middle between the darkest and the brightest value."""
    names = known.names or BINARY_NAMES
    if len(names) != 2:
        raise StudioError(
            "Black-and-white masks have two classes; received {names} names.",
            "Name the dark class and then the bright class, or choose another mode for mask "
            "pixels.",
            "class_names",
            names=len(names),
        )
    is_colored = survey.colored or survey.with_palette
    levels = sorted(
        map(_brightness, survey.colors.pixels) if is_colored else survey.numbers.pixels
    )
    low, high = levels[0], levels[-1]
    codes = (low, high) if low < high else (0, IGNORE)
    pool = survey.colors if is_colored else survey.numbers
    coding = MaskCoding(ValueTable("binary", codes), ClassTable(names, known.colors))
    if not is_colored:
        coding.warnings += noise_warnings(pool, coding.table)
    return coding


def _brightness(code: int) -> int:
    return (299 * (code >> 16) + 587 * (code >> 8 & 0xFF) + 114 * (code & 0xFF)) // 1000


# Numbers.


def _by_number(
    survey: MaskSurvey, known: ClassTable, ignore: str, *, is_exact: bool, has_void: bool
) -> MaskCoding:
    pool = survey.numbers
    ignored = _ignored_number(ignore)
    is_automatic = not ignore
    if is_automatic and IGNORE in pool.pixels and _is_void(survey, has_void=has_void):
        ignored = IGNORE
    levels = () if is_exact else levels_of(pool, is_color=False)
    codes = tuple(sorted((set(levels) or pool.pixels.keys()) - {ignored}))
    count = len(known.names or known.colors)
    if count:
        table = _named_numbers(pool, codes, count, ignored, is_automatic=is_automatic)
    else:
        _require_classes(pool, codes, is_noisy=bool(levels), is_exact=is_exact)
        table = ValueTable("index", codes, ignored)
    table = replace(table, is_nearest=bool(levels) and table.codes == codes)
    classes = _classes_of_numbers(survey, known, table)
    warnings = noise_warnings(pool, table) if table.is_nearest else []
    if is_automatic:
        warnings += void_warnings(pool, table)
    warnings += exchanged_warnings(survey.bright, table) + remarks(pool, table, known)
    return MaskCoding(table, classes, warnings)


def _is_void(survey: MaskSurvey, *, has_void: bool) -> bool:
    """Return True if 255 is no class, by the palette or the names of the files."""
    colors = survey.void_colors
    return has_void or (bool(colors) and colors <= VOID_COLORS and not survey.unpaletted_void)


def _named_numbers(
    pool: ValuePool,
    codes: tuple[int, ...],
    count: int,
    ignored: int | None,
    *,
    is_automatic: bool,
) -> ValueTable:
    """Return the values of a number of named classes.

    Args:
        pool: Values of the masks.
        codes: Those that may be classes.
        count: Number of classes.
        ignored: Value of no class, or None.
        is_automatic: True if the value of no class was not chosen.

    Raises:
        StudioError: No mask fits the classes.
    """
    indexes = tuple(value for value in range(count + 1) if value != ignored)[:count]
    if set(codes) <= set(indexes):
        return ValueTable("index", indexes, ignored)
    if len(codes) == count:
        return ValueTable("index", codes, ignored)
    if is_automatic and ignored is None and set(codes) - {0, IGNORE} and IGNORE in codes:
        ignored = IGNORE
    fitting = sum(pool.pixels[value] for value in (*indexes, ignored) if value is not None)
    if 2 * fitting < pool.total:
        raise StudioError(
            "The masks have the values {values}, for example {file}; received {names} classes.",
            "Name one class for each value, in the order of the values, or set the ignore value.",
            "class_names",
            values=text_of(codes, "index"),
            file=pool.first[codes[-1]],
            names=count,
        )
    return ValueTable("index", indexes, ignored)


def _require_classes(
    pool: ValuePool, codes: Sequence[int], *, is_noisy: bool, is_exact: bool
) -> None:
    """Refuse values that cannot be classes, or of which that is unclear.

    Raises:
        StudioError: They are such.
    """
    if len(codes) > MAX_CLASSES:
        raise StudioError(
            "The masks have {values} values; at most {limit} classes are possible.",
            "If each value is an object, choose the task instance segmentation (--task "
            "instances). Otherwise name the classes in a file, or check that these are masks.",
            "source",
            values=len(codes),
            limit=MAX_CLASSES,
        )
    if is_noisy or is_exact:
        return
    is_lost = pool.is_lossy and len(codes) > 1 and not _are_apart(codes)
    if is_lost or (len(codes) > MAX_UNDECIDED and is_undecided(pool)):
        raise _undecided(pool)


def _are_apart(codes: Sequence[int]) -> bool:
    gaps = (high - low for low, high in pairwise(codes))
    return min(gaps) > RADIUS * scale_of(codes)


def _undecided(pool: ValuePool) -> StudioError:
    """Return the error that noise hides the values of the classes."""
    values = pool.loose()
    file = pool.first[(values or [*pool.first])[0]]
    loose = sum(pool.pixels[value] for value in values) + pool.others
    reason = message(
        "The masks have {values:,} values, for example {file}; {loose:,} of {total:,} pixels "
        "({share:.1%}) have values that form no areas, so it is unclear which values are "
        "classes.",
        values=len(pool.pixels),
        file=file,
        loose=loose,
        total=pool.total,
        share=loose / pool.total,
    )
    if pool.is_lossy:
        reason = message(
            "The masks are JPEG or lossy WebP files, for example {file}, which change the values "
            "of pixels; it is unclear which of the {values:,} values are classes.",
            file=file,
            values=len(pool.pixels),
        )
    return StudioError(
        reason,
        "Save the masks as PNG without smoothing, give the color of each class, or set the mode "
        "of mask pixels.",
        "source",
    )


def _classes_of_numbers(survey: MaskSurvey, known: ClassTable, table: ValueTable) -> ClassTable:
    codes = table.codes
    if known.names or known.colors:
        return ClassTable(known.names or tuple(map(str, codes)), known.colors)
    if is_black_and_white(table):
        return ClassTable(BINARY_NAMES)
    palette = survey.palette if survey.with_palette else {}
    colors = tuple(color_of(palette[code]) for code in codes if code in palette)
    if len(set(colors)) < len(codes):
        colors = ()
    return ClassTable(tuple(map(str, codes)), colors)


# Colors.


def _by_color(survey: MaskSurvey, known: ClassTable, ignore: str) -> MaskCoding:
    pool, ignored = survey.colors, _ignored_color(ignore)
    warnings: list[Text] = []
    if survey.conflict is not None:
        warnings.append(
            message(
                "The palettes of the masks differ: {value} has several colors. The colors were "
                "read as the classes.",
                value=survey.conflict,
            )
        )
    if not known.colors and known.names:
        raise StudioError(
            "The masks are colored, but the classes have only names, no colors.",
            "Give the color of each class too, or leave the names out.",
            "class_colors",
        )
    if known.colors:
        codes = tuple(code_of(color) for color in known.colors)
        is_nearest = _has_noise(pool, codes, ignored)
        classes = ClassTable(known.names or known.colors, known.colors)
    else:
        levels = levels_of(pool, is_color=True)
        codes = tuple(sorted((set(levels) or pool.pixels.keys()) - {ignored}))
        if not levels:
            _require_colors(pool, codes)
        colors = tuple(map(color_of, codes))
        is_nearest = bool(levels)
        classes = ClassTable(BINARY_NAMES if codes == _BLACK_WHITE else colors, colors)
    table = ValueTable("color", codes, ignored, is_nearest)
    if is_nearest:
        warnings += noise_warnings(pool, table)
    return MaskCoding(table, classes, warnings + remarks(pool, table, known))


def _has_noise(pool: ValuePool, codes: Sequence[int], ignored: int | None) -> bool:
    """Return True if other colors than those of the classes are noise.

    Raises:
        StudioError: The masks are stored with losses, and areas have the color of no class.
    """
    known = codes if ignored is None else [*codes, ignored]
    unknown = [code for code in pool.pixels if code not in {*known}]
    if not pool.is_lossy:
        return {*unknown} <= {*pool.loose()} and is_noise(pool, unknown)
    areas = np.array([code for code in unknown if pool.area[code]], np.int64)
    apart = distances(areas, np.array(known, np.int64), is_color=True).min(axis=1)
    if (strange := areas[apart > RADIUS]).size:
        code = int(strange[0])
        raise StudioError(
            "The color {color} of areas in {file} belongs to no class; the masks are JPEG or "
            "lossy WebP files, in which noise looks the same.",
            "Give the color of each class, and save the masks as PNG.",
            "class_colors",
            color=color_of(code),
            file=pool.first[code],
        )
    return bool(unknown)


def _require_colors(pool: ValuePool, codes: Sequence[int]) -> None:
    """Refuse too many colors, and those of noise.

    Raises:
        StudioError: They are such.
    """
    is_noise = is_undecided(pool) or (pool.is_lossy and len(codes) > 2)
    if len(codes) > MAX_UNDECIDED and is_noise:
        raise _undecided(pool)
    if len(codes) > MAX_CLASSES or pool.others:
        raise StudioError(
            "The masks have {colors} colors; at most {limit} classes are possible.",
            "Check that these are masks, not photos. Masks must be stored losslessly, as PNG.",
            "source",
            colors=len(codes),
            limit=MAX_CLASSES,
        )


# The ignored value.


def _ignored_number(text: str) -> int | None:
    if text in {"", _NO_VALUE}:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and int(text) <= MAX_NUMBER):
        raise StudioError(
            'The ignore value of class indexes is a number from 0 to 65535; received "{text}".',
            where="ignore_value",
            text=text,
        )
    return int(text)


def _ignored_color(text: str) -> int | None:
    if text in {"", _NO_VALUE}:
        return None
    digits = text.removeprefix("#")
    if len(digits) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        raise StudioError(
            'The ignore value of colored masks is a color such as #ffffff; received "{text}".',
            where="ignore_value",
            text=text,
        )
    return int(digits, 16)
