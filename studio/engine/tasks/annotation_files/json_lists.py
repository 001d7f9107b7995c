"""JSON files with long lists, as those of COCO: decoded entry by entry instead of held."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.json_files import parsed
from studio.engine.tasks.annotation_files.texts import as_utf8

_IN_PIECES = 8 * 2**20
"""Larger files are decoded entry by entry."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()
_UNTERMINATED: Final = re.compile(r"Unterminated string")
"""Message of the decoder."""


class JsonList:
    """A list of a JSON text whose entries are decoded each time they are iterated over.

    A list of 400,000 objects takes ten times as much memory as their text.

    Args:
        text: The whole text.
        start: Index behind the opening bracket.

    Attributes:
        end: Index behind the closing bracket; -1 until all entries were iterated over.
    """

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self.end = -1

    def __iter__(self) -> Iterator[object]:
        text, at = self._text, _next(self._text, self._start)
        if text[at : at + 1] == "]":
            self.end = at + 1
            return
        while True:
            value, at = _DECODER.raw_decode(text, at)
            yield value
            at = _next(text, at)
            mark = text[at : at + 1]
            if mark == "]":
                self.end = at + 1
                return
            if mark != ",":
                raise _damage(text, at)
            at = _next(text, at + 1)


def parsed_in_pieces(data: bytes) -> Mapping[str, Any]:
    """Return the object of a JSON file; the lists in a large one are of the type `JsonList`.

    Raises:
        BadDataError: The text is not valid JSON; the message says where and why.
    """
    if len(data) <= _IN_PIECES:
        return parsed(data)
    data = as_utf8(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from error
    del data
    try:
        return _members(text)
    except json.JSONDecodeError as error:
        raise BadDataError(_reason_in_text(error)) from error
    except (ValueError, RecursionError) as error:
        raise BadDataError("it is damaged or not a JSON file") from error


def _members(text: str) -> dict[str, Any]:
    """Return the members of the outermost object; each list is iterated over once, to check it."""
    at = _next(text, 0)
    if text[at : at + 1] != "{":
        raise BadDataError("its JSON is not an object")
    found: dict[str, Any] = {}
    at = _next(text, at + 1)
    while text[at : at + 1] != "}" or found:
        key, at = _DECODER.raw_decode(text, at)
        if not isinstance(key, str):
            raise _damage(text, at)
        found[key], at = _member(text, _behind(text, at, ":"))
        at = _next(text, at)
        if text[at : at + 1] == "}":
            break
        at = _behind(text, at, ",")
    at = _next(text, at + 1)
    if at < len(text):
        raise _damage(text, at)
    return found


def _member(text: str, at: int) -> tuple[object, int]:
    if text[at : at + 1] != "[":
        value, at = _DECODER.raw_decode(text, at)
        return value, at
    entries = JsonList(text, at + 1)
    for _ in entries:
        pass
    return entries, entries.end


def _next(text: str, at: int) -> int:
    """Return the index of the next character that is no white space."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _behind(text: str, at: int, mark: str) -> int:
    """Return the index of what follows a mark."""
    at = _next(text, at)
    if text[at : at + 1] != mark:
        raise _damage(text, at)
    return _next(text, at + 1)


def _damage(text: str, at: int) -> json.JSONDecodeError:
    return json.JSONDecodeError("", text, at)


def _reason_in_text(error: json.JSONDecodeError) -> Text:
    text, line, column = error.doc, error.lineno, error.colno
    if error.pos >= len(text.rstrip()) or _UNTERMINATED.match(error.msg):
        end = _damage(text, len(text))
        return message(
            "its JSON is cut off at line {line}, column {column}",
            line=end.lineno,
            column=end.colno - 1,
        )
    return message("its JSON is damaged at line {line}, column {column}", line=line, column=column)


def _not_utf8(data: bytes, at: int) -> BadDataError:
    line, column = data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at)
    reason = "its JSON is not in UTF-8 at line {line}, column {column}"
    return BadDataError(reason, line=line, column=column)


def is_list(value: object) -> bool:
    """Return True for a list, also of a large file."""
    return isinstance(value, list | JsonList)
