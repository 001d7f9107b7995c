"""Sentences as data: a template and its values, from where they arise to where they are shown.

`message("There is no task “{name}”.", name=name)` is the English sentence, a `str`, that remembers
its template and values. The window translates the template and writes the values in its language
(`studio.ui.language.translated`). Journals, documents and replies of the engine host store all
three. A sentence without values needs no call where `studio.ui.language_files` finds it: in the
arguments of errors, problems, findings, notes and steps of progress.
"""

from __future__ import annotations

import math
import re
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

_FORMAT = re.compile(r"\+?#?,?(\.\d{1,2})?[a-z%]?")


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

    def with_texts(self, change: Callable[[str], str]) -> Message:
        """Return the message with every text among its values changed.

        Args:
            change: Function applied to each value that is a plain text, at any depth.
        """
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
            `{share:.1%}`, `{count:,}`.
        one: The sentence for a `count` of exactly 1, if it differs.
        **values: Numbers stay numbers and messages stay messages; everything else becomes text.
    """
    return _restored(template, {name: _plain(value) for name, value in values.items()}, one)


def joined(parts: Sequence[str], separator: str = " ") -> str:
    """Join sentences, or words of a list, into one message. Empty parts are left out.

    Args:
        parts: Texts or messages.
        separator: Text between two of them.
    """
    present = [part for part in parts if part]
    if len(present) < 2:
        return present[0] if present else ""
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
    parts = []
    for text, name, form, _ in Formatter().parse(template):
        parts.append(text)
        if name is not None:
            if not _FORMAT.fullmatch(form or ""):
                raise ValueError(f"{form!r} is not the format of a number")
            parts.append(write(values[name], form or ""))
    return "".join(parts)


def to_json(text: str) -> str | dict[str, Any]:
    """Return the JSON form of a text: a message with values is an object, other texts a string."""
    if not isinstance(text, Message) or not text.values or not _is_finite(text):
        return str(text)
    form: dict[str, Any] = {"text": str(text), "template": text.template}
    if text.one:
        form["one"] = text.one
    form["values"] = {
        name: to_json(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return form


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
    result = Message(fill(chosen, values, format))
    result.template, result.one = template, one
    result.values = MappingProxyType(dict(values))
    return result


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
