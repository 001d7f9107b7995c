"""What people write to vary a field: `learning_rate=0.1,0.01` or `dropout=0..0.5:step=0.1`.

DIGITS' comma lists are understood, with or without brackets. What DIGITS did with mistakes is not
repeated: it cut 8.7 down to 8 without a word, and named one mistake at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from studio.engine.errors import Problem, did_you_mean, raise_if_serious
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import FieldKind, PlanField
from studio.engine.sweeps.fields import field_of, fields_in
from studio.engine.sweeps.plan import Dimension, Value

_SWITCHES = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_RANGE_HELP = "A range is LOW..HIGH, and after it :log, :linear, :step=S or :count=N."


def parse_dimensions(
    texts: Iterable[str], design: NetworkSpec | None = None
) -> tuple[Dimension, ...]:
    """The dimensions that texts such as `batch_size=32,64` ask for.

    Args:
        texts: One for each field.
        design: The drawn network whose settings may vary, too.

    Raises:
        StudioError: Names everything that is wrong with any of them.
    """
    dimensions: list[Dimension] = []
    problems: list[Problem] = []
    for text in texts:
        name, sign, values = (part.strip() for part in text.partition("="))
        if not sign or not name:
            problems.append(
                Problem(
                    "vary",
                    f'a field and its values are needed; received "{text}".',
                    "For example learning_rate=0.1,0.01.",
                )
            )
            continue
        dimension, found = parse_dimension(name, values, design)
        problems += found
        if dimension is not None:
            dimensions.append(dimension)
    raise_if_serious(problems)
    return tuple(dimensions)


def parse_dimension(
    name: str, text: str, design: NetworkSpec | None = None
) -> tuple[Dimension | None, list[Problem]]:
    """One dimension, or everything that is wrong with it.

    Args:
        name: Dotted name of the field.
        text: A comma list, in brackets or not, or a range.
        design: The drawn network whose settings may vary, too.
    """
    known = fields_in(design)
    field = known.get(name) or field_of(name)
    if field is None:
        hint = did_you_mean(name, known)
        return None, [Problem(name, "there is no such field that can vary.", hint)]
    is_number = field.kind in (FieldKind.INTEGER, FieldKind.NUMBER)
    if is_number and ".." in text:
        return _parse_range(name, field, text)
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    problems: list[Problem] = []
    values: dict[Value, None] = {}
    for word in bare.split(","):
        value = _value(field, word.strip())
        if isinstance(value, Problem):
            problems.append(Problem(name, value.message, value.hint))
        else:
            problems += outside(name, field, value)
            values.setdefault(value)
    if problems:
        return None, problems
    return Dimension.check({"field": name, "values": tuple(values)})


def outside(name: str, field: PlanField, value: Value) -> list[Problem]:
    """Whether a number lies outside what its field takes."""
    if isinstance(value, bool | str):
        return []
    low, high = field.minimum, field.maximum
    if low is not None and (value < low or (field.minimum_excluded and value == low)):
        words = "above" if field.minimum_excluded else "at least"
        return [Problem(name, f"a number {words} {low:g} is needed; received {value:g}.")]
    if high is not None and (value > high or (field.maximum_excluded and value == high)):
        words = "below" if field.maximum_excluded else "at most"
        return [Problem(name, f"a number {words} {high:g} is needed; received {value:g}.")]
    return []


def _value(field: PlanField, word: str) -> Value | Problem:
    if field.kind == FieldKind.SWITCH:
        on = _SWITCHES.get(word.lower())
        return Problem("", f'on or off is needed; received "{word}".') if on is None else on
    if field.kind == FieldKind.CHOICE:
        if word in field.choices:
            return word
        return Problem("", f'there is no choice "{word}".', did_you_mean(word, field.choices))
    if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER):
        return _number(word, is_whole=field.kind == FieldKind.INTEGER)
    return word or Problem("", "a value is needed between the commas.")


def _number(word: str, *, is_whole: bool) -> int | float | Problem:
    kind = "whole" if is_whole else "finite"
    refusal = Problem("", f'a {kind} number is needed; received "{word}".')
    try:
        value = float(word)
    except ValueError:
        return refusal
    if not math.isfinite(value) or (is_whole and not value.is_integer()):
        return refusal
    return int(value) if is_whole else value


def _parse_range(name: str, field: PlanField, text: str) -> tuple[Dimension | None, list[Problem]]:
    ends, *options = (part.strip() for part in text.split(":"))
    data: dict[str, object] = {"field": name, "scale": field.scale}
    problems: list[Problem] = []
    is_whole = field.kind == FieldKind.INTEGER
    for key, word in zip(("low", "high"), ends.split("..", 1), strict=True):
        value = _number(word.strip(), is_whole=is_whole)
        if isinstance(value, Problem):
            problems.append(Problem(name, value.message, value.hint))
        else:
            problems += outside(name, field, value)
            data[key] = value
    for option in options:
        key, sign, word = (part.strip() for part in option.partition("="))
        if not sign and key in ("log", "linear"):
            data["scale"] = key
        elif sign and key in ("step", "count"):
            value = _number(word, is_whole=is_whole or key == "count")
            if isinstance(value, Problem):
                problems.append(Problem(name, value.message))
            else:
                data[key] = value
        else:
            problems.append(Problem(name, f'"{option}" says nothing of a range.', _RANGE_HELP))
    if "step" in data and not {"log", "linear"} & set(options):
        data["scale"] = "linear"  # a step belongs to a linear range, whatever the field's sliders
    if problems:
        return None, problems
    dimension, found = Dimension.check(data)
    return dimension, [Problem(name, each.message, each.hint) for each in found]
