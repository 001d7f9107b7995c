"""Python text of values and calls, in lines that people can read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

WIDTH = 99
_INDENT = "    "

_DEFAULTS: Mapping[str, object] = {
    "activation": "linear",
    "axis": -1,
    "center": True,
    "data_format": "channels_last",
    "depth_multiplier": 1,
    "depthwise_initializer": "glorot_uniform",
    "dilation_rate": 1,
    "dropout": 0.0,
    "go_backwards": False,
    "groups": 1,
    "interpolation": "nearest",
    "keepdims": False,
    "kernel_initializer": "glorot_uniform",
    "merge_mode": "concat",
    "padding": "valid",
    "pointwise_initializer": "glorot_uniform",
    "recurrent_dropout": 0.0,
    "return_sequences": False,
    "scale": True,
    "strides": 1,
    "use_bias": True,
}
"""What Keras takes when nothing is said; a test compares it with Keras."""

_OTHERWISE = {"Activation", "GroupNormalization.groups", "MaxPooling2D.strides"}
_OTHERWISE |= {"AveragePooling2D.strides", "GroupNormalization.axis", "Rescaling"}
"""Layers, or arguments of one, that take something else, or nothing, when nothing is said."""

_FIRST = ("filters", "units", "kernel_size", "pool_size", "rate")


def is_default(keras_class: str, argument: str, value: object) -> bool:
    """Whether Keras takes a value for an argument of a layer when nothing is said."""
    if {keras_class, f"{keras_class}.{argument}"} & _OTHERWISE or argument not in _DEFAULTS:
        return value is None
    default = _DEFAULTS[argument]
    return value is None or (type(value) is type(default) and value == default)


def call(keras_class: str, arguments: Mapping[str, object], indent: int = 0) -> str:
    """The text of a layer, without what Keras takes anyway.

    Args:
        keras_class: Name of a class of `keras.layers`.
        arguments: Its arguments; a dictionary is an inner layer, as Keras writes layers down.
        indent: Columns that stand before and after it.
    """
    shown = {
        key: value for key, value in arguments.items() if not is_default(keras_class, key, value)
    }
    order = sorted(shown, key=lambda key: (_place(key), list(shown).index(key)))
    parts = [f"{key}={_argument(shown[key])}" for key in order]
    line = f"layers.{keras_class}({', '.join(parts)})"
    if len(line) + indent <= WIDTH:
        return line
    inside = "".join(f"{_INDENT}{part},\n" for part in parts)
    return f"layers.{keras_class}(\n{inside})"


def literal(value: object) -> str:
    """A plain value; long lists go over several lines."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        line = f"[{', '.join(literal(each) for each in value)}]"
        return line if len(line) < WIDTH - 20 else _wrapped(value)
    if isinstance(value, tuple):
        same = len(value) == 2 and value[0] == value[1] and isinstance(value[0], int)
        return repr(value[0]) if same else repr(value)
    if isinstance(value, str):
        return "".join(map(_escaped, json.dumps(value, ensure_ascii=False)))
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def dictionary(value: Mapping[str, object]) -> str:
    """A dictionary of plain values, one key per line."""
    inside = "".join(f"{_INDENT}{literal(k)}: {literal(each)},\n" for k, each in value.items())
    return f"{{\n{inside}}}"


def one_line(text: str) -> str:
    """Clean a text so that it stays inside a comment or a docstring."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(shown.split()).replace("\\", "/").replace('"', "'")


def _escaped(character: str) -> str:
    """Escape what an editor does not show, and halves of pairs that no file can hold."""
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _wrapped(values: Sequence[object]) -> str:
    lines, line = [], ""
    for part in (literal(each) for each in values):
        if line and len(line) + len(part) > WIDTH - 10:
            lines.append(line.rstrip())
            line = ""
        line += f"{part}, "
    inside = "".join(f"{_INDENT}{each}\n" for each in [*lines, line.rstrip()])
    return f"[\n{inside}]"


def _argument(value: object) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("config"), Mapping):
        return call(str(value["class_name"]), value["config"])
    flat = getattr(value, "ravel", None)
    if flat is not None:  # an array of NumPy, which is not loaded here for others
        numbers = [float(str(number)) for number in flat()]
        shape = tuple(getattr(value, "shape", ()))
        return f'np.array({literal(numbers)}, "float32").reshape({shape!r})'
    return literal(value)


def _place(argument: str) -> int:
    if argument in ("name", "dtype"):
        return len(_FIRST) + 1
    return _FIRST.index(argument) if argument in _FIRST else len(_FIRST)
