"""Sentences as data: a template and its values, from where they arise to where they are shown.

`message("There is no task “{name}”.", name=name)` is the English sentence, a `str`, that remembers
its template and values. The window translates the template and writes the values in its language
(`studio.ui.language.translated`). Journals, documents and replies of the engine host store all
three. A sentence without values is a plain text, which `studio.ui.language_files` finds in the
source. As a value of another message it needs `message("…")`: plain texts are names there, which
stay as they are.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import (
    PlainSerializer,
    SerializationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

Value = str | int | float
"""A value in a message: a name as it is, a number, or another message."""
COUNT = "count"
"""Name of the value that selects the plural form."""

LOWER = "lower"
"""Format of a label, such as "Validation accuracy", within a sentence."""

DATE = "date"
"""Format of a point in time, in seconds since 1970: date and time of day."""

_NAMES = frozenset({"Dice"})
"""Words of labels that are names of people, and keep their capital letter in sentences."""

_FORMAT = re.compile(r"\+?#?,?(\.\d{1,2})?[a-z%]?|lower|date")


class Message(str):  # noqa: SLOT000 - its attributes make it what it is
    """An English sentence that knows its template and values. Made by `message`.

    Attributes:
        template: The sentence with `{name}` or `{share:.1%}` for each value.
        values: The values by name. Numbers are numbers.
        one: The template for a `count` of 1; empty if the message has no plural.
    """

    template: str
    values: Mapping[str, Value]
    one: str

    def __reduce__(self) -> tuple[Callable[..., Message], tuple[Any, ...]]:
        """Keep template and values in copies and in other processes."""
        return _restored, (self.template, dict(self.values), self.one)

    def __str__(self) -> str:
        """Return the message itself, so that it is kept by an exception and its `str`."""
        return self

    def with_texts(self, change: Callable[[str], str]) -> Message:
        """Return the message with every text among its values changed.

        Args:
            change: Function applied to each value that is a plain text, at any depth, and to
                messages without values.
        """
        if not self.values:
            plain = str.__str__(self)
            changed = change(plain)
            return self if changed == plain else as_message(changed)
        values = {
            name: value.with_texts(change)
            if isinstance(value, Message)
            else change(value)
            if isinstance(value, str)
            else value
            for name, value in self.values.items()
        }
        return _restored(self.template, values, self.one)


def message(template: str, /, *, one: str = "", **values: object) -> Message:
    """Build a sentence from a template and its values.

    Args:
        template: The English sentence with `{name}` for each value. A number may have a format:
            `{share:.1%}`, `{count:,}`. `{metric:lower}` is a label within a sentence,
            `{time:date}` a point in time in seconds since 1970.
        one: The sentence for a `count` of exactly 1, if it differs.
        **values: Numbers stay numbers and messages stay messages; everything else becomes text.
    """
    return _restored(template, {name: _plain(value) for name, value in values.items()}, one)


def as_message(text: str) -> Message:
    """Return a text as a message, so that it is translated also as a value of another message."""
    if isinstance(text, Message):
        return text
    return message(text.replace("{", "{{").replace("}", "}}"))


def joined(parts: Sequence[str], separator: str = " ") -> Message:
    """Join sentences, or words of a list, into one message. Empty parts are left out.

    Args:
        parts: Messages or texts, which are translated; not names.
        separator: Text between two of them.
    """
    present = [as_message(part) for part in parts if part]
    if len(present) < 2:
        return present[0] if present else message("")
    template = separator.join(f"{{part{number}}}" for number in range(1, len(present) + 1))
    return message(template, **{f"part{n}": part for n, part in enumerate(present, 1)})


def fill(template: str, values: Mapping[str, Value], write: Callable[[Value, str], str]) -> str:
    """Insert values into a template.

    Args:
        template: Text with `{name}` or `{name:format}`.
        values: The values by name.
        write: Writes a value in a format, such as ".1%"; the format may be empty.

    Raises:
        ValueError: The template or one of its formats is malformed.
        KeyError: A value is missing.
    """
    parts: list[str] = []
    value: Value | None = None
    for text, name, form, _ in Formatter().parse(template):
        # A sentence at the end of another one.
        ends_twice = text.startswith(".") and isinstance(value, Message) and value.endswith(".")
        parts.append(text[1:] if ends_twice else text)
        if name is not None:
            if not _FORMAT.fullmatch(form or ""):
                raise ValueError(f"{form!r} is not the format of a value")
            value = values[name]
            written = write(value, "" if form == LOWER else form or "")
            parts.append(in_sentence(written) if form == LOWER else written)
    return "".join(parts)


def in_sentence(label: str) -> str:
    """Return a label for use in a sentence.

    Examples:
        >>> in_sentence("Val accuracy"), in_sentence("Val mAP"), in_sentence("Mean Dice")
        ('val accuracy', 'val mAP', 'mean Dice')

    Args:
        label: A label, such as that of a metric.
    """
    words = label.split(" ")
    return " ".join(
        word.lower() if word[1:].islower() and word not in _NAMES else word for word in words
    )


def to_json(text: str) -> str | dict[str, Any]:
    """Return the JSON form of a text: a message with values is an object, other texts a string."""
    if isinstance(text, Message) and text.values and _is_finite(text):
        return _as_object(text)
    return str.__str__(text)


def _as_object(text: Message) -> dict[str, Any]:
    one = {"one": text.one} if text.one else {}
    values = {
        name: _as_object(value) if isinstance(value, Message) else value
        for name, value in text.values.items()
    }
    return {"text": str.__str__(text), "template": text.template, **one, "values": values}


def from_json(form: object) -> str:
    """Return the text or message of a JSON form; its plain text if the template does not fit.

    Raises:
        ValueError: It is neither a text nor the form of a message.
    """
    if isinstance(form, str):
        return form
    if not isinstance(form, Mapping) or not isinstance(form.get("text"), str):
        raise ValueError("a text or a message is needed")  # noqa: TRY004 - for pydantic
    text: str = form["text"]
    template, one, values = form.get("template"), form.get("one", ""), form.get("values")
    if not isinstance(template, str) or not isinstance(one, str) or not isinstance(values, dict):
        return text
    try:
        return message(
            template,
            one=one,
            **{
                name: from_json(value) if isinstance(value, Mapping) else value
                for name, value in values.items()
            },
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


def english(document: object) -> object:
    """Return a JSON document with every message replaced by its English text."""
    if isinstance(document, dict):
        if isinstance(document.get("template"), str) and isinstance(document.get("text"), str):
            return document["text"]
        return {key: english(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [english(value) for value in document]
    return document


def _restored(template: str, values: Mapping[str, Value], one: str) -> Message:
    chosen = one if one and values[COUNT] == 1 else template
    result = Message(fill(chosen, values, _in_english))
    result.template, result.one = template, one
    result.values = MappingProxyType(dict(values))
    return result


def _in_english(value: Value, form: str) -> str:
    if form == DATE and isinstance(value, int | float):
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(value))
    return format(value, form)


def _plain(value: object) -> Value:
    if isinstance(value, Message):
        return value
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else f"{value}"


def _is_finite(text: Message) -> bool:
    return all(
        math.isfinite(value) if isinstance(value, int | float) else _is_finite(value)
        for value in text.values.values()
        if not isinstance(value, str) or isinstance(value, Message)
    )


def _validated(value: object, validate: ValidatorFunctionWrapHandler) -> str:
    text = from_json(value) if isinstance(value, Mapping) else value
    if isinstance(text, Message):
        return text.with_texts(_as_unicode)
    return _as_unicode(validate(text))


def _serialized(text: str, info: SerializationInfo) -> object:
    return to_json(text) if info.mode == "json" else text


def _as_unicode(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


# Texts name files, and a file's name may be bytes that are not valid text; JSON is UTF-8.
Text = Annotated[str, WrapValidator(_validated), PlainSerializer(_serialized)]
"""A text or message as a field of a pydantic model."""
