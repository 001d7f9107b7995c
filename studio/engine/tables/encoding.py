"""The text of a file whose encoding is not known."""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

from studio.engine.errors import BadDataError, one_line, shortened
from studio.engine.messages import Text, message

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 2**16
_ZEROS = 0.2
"""Fraction of zero bytes at even or at odd offsets that reveals UTF-16 with Western text."""
_FEWEST_BYTES = 8
_HIGH_RUNS = re.compile(rb"(?<![\x80-\xff])([A-Za-z]?)([\x80-\xff]+)(?=([A-Za-z]?))")
_LONGEST_RUN = 2
_WESTERN_SHARE = 0.7
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that Windows-1252 does not define."""


class DecodedText(NamedTuple):
    """The text of a file.

    Attributes:
        text: The text, without byte order mark.
        warning: A sentence about an assumption; empty without one.
    """

    text: str
    warning: Text = ""


def decoded(data: bytes, file: object, *, is_head: bool = False) -> DecodedText:
    """Decode a text file: UTF-8, UTF-16 or UTF-32, or else Windows-1252 with a warning.

    Args:
        data: Bytes of the file.
        file: Its path, for the warning.
        is_head: True if these are only the first bytes, whose last character may be cut.

    Raises:
        BadDataError: It is no text, or text of an unknown encoding; the message is a reason.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "")
    encoding = encoding or _utf16_without_mark(data) or "utf-8"
    if encoding == "utf-8" and b"\0" in data[:_SAMPLE]:
        raise BadDataError("it is not a text file")
    try:
        # An incremental decoder leaves out a character that is cut at the end.
        return DecodedText(codecs.getincrementaldecoder(encoding)().decode(data, not is_head))
    except UnicodeDecodeError as error:
        if encoding != "utf-8" or not _is_western(data):
            raise BadDataError(_unknown_encoding(data, error)) from error
    text = data.decode("cp1252")
    line = next((line for line in text.splitlines() if not line.isascii()), "")
    warning = message(
        "{file} is not UTF-8; it was read as Windows-1252 (Latin-1). Check the accents in: {text}",
        file=file,
        text=shortened(one_line(line).strip(), 60),
    )
    return DecodedText(text, warning)


def _utf16_without_mark(data: bytes) -> str:
    sample = data[:_SAMPLE]
    if len(sample) < _FEWEST_BYTES or len(sample) % 2:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    fewest = _ZEROS * len(sample) / 2
    if odd > fewest and even * 10 < odd:
        return "utf-16-le"
    if even > fewest and odd * 10 < even:
        return "utf-16-be"
    return ""


def _is_western(data: bytes) -> bool:
    """Return True if bytes above 127 are accented letters within words, or single signs.

    In Chinese, Japanese, Korean, Cyrillic and Greek text many of them stand side by side.
    """
    if _UNDEFINED.search(data):
        return False
    runs = [_is_western_run(*found.groups()) for found in _HIGH_RUNS.finditer(data)]
    return sum(runs) >= _WESTERN_SHARE * len(runs)


def _is_western_run(before: bytes, run: bytes, after: bytes) -> bool:
    if len(run) == 1:
        return True
    text = run.decode("cp1252", "replace")
    return len(run) <= _LONGEST_RUN and text.isalpha() and bool(before or after)


def _unknown_encoding(data: bytes, error: UnicodeDecodeError) -> str:
    line = data.count(b"\n", 0, error.start) + 1
    return message(
        "it is not UTF-8 (line {line}), and its encoding is unknown; save it as UTF-8",
        line=line,
    )
