"""XML files of annotations, read with care: they may be large, damaged, or hold anything."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message

_LARGEST = 32 * 2**20
"""Largest document that is held as a whole: about 300 MB as elements."""
_LARGEST_IN_PIECES = 256 * 2**20
"""Largest document whose elements are received one by one."""
_DECLARATION = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_LONGEST_DECLARATION = 200
_OF_PARSER = frozenset({"", "utf-8", "iso-8859-1", "us-ascii"})
"""Encodings that the parser reads."""
_KNOWN = (
    *("utf-8", "utf-16", "gb", "big5", "euc", "shift", "iso", "cp", "koi8", "mac", "johab"),
    "ascii",
)
"""Beginnings of the names of encodings; codecs of other kinds would change the text."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CUT_OFF = frozenset(
    expat.errors.codes[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
_MOST_ELEMENTS = 1_000_000
"""Largest number of elements that are held at a time."""
_DEEPEST = 100
_OF_ROOT = 2
"""Number of open elements around those directly in the outermost one."""


@dataclass(slots=True)
class Element:
    """An element of an XML document.

    Attributes:
        name: Its name.
        children: The elements in it.
        texts: Pieces of the text in it.
        attributes: Its attributes.
    """

    name: str
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)

    def all(self, name: str) -> Iterator[Element]:
        """Yield the elements of a name directly in it."""
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> Element | None:
        """Return the first element of a name directly in it; None without one."""
        return next(self.all(name), None)

    def text(self, name: str) -> str:
        """Return the text of the first element of a name directly in it; empty without one."""
        child = self.first(name)
        return "" if child is None else "".join(child.texts).strip()


Receivers = dict[str, Callable[[Element], None]]
"""Functions that receive the elements directly in the outermost one, by their name."""


def parsed_xml(
    data: bytes, receivers: Receivers | None = None, kept: Collection[str] = ()
) -> Element:
    """Return the outermost element of a document.

    A document type is refused, and with it all entities: they can read other files and grow
    without limit.

    Args:
        data: The document.
        receivers: Receive elements of the outermost one as soon as each is read; those elements
            are not held afterwards, so that a document may be larger.
        kept: Names of received elements that their receiver holds: they stay in the count.

    Raises:
        BadDataError: It is damaged, too large or has a document type; a short reason.
    """
    limit = _LARGEST_IN_PIECES if receivers else _LARGEST
    if len(data) > limit:
        raise BadDataError(
            "it is larger than {limit} MB; export it in several files", limit=limit // 2**20
        )
    if not data[:_LONGEST_DECLARATION].strip() and not data.strip():
        raise BadDataError("the file is empty")
    encoding = _other_encoding(data)
    if encoding:
        data = _as_utf8(data, encoding)
    reader = _Reader(receivers or {}, kept)
    parser = expat.ParserCreate("utf-8" if encoding else None)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BadDataError(_reason(data, error)) from error
    except (ValueError, LookupError) as error:
        # Not only XML is checked here: a declaration may name no encoding.
        raise BadDataError("it is damaged or not an XML file") from error
    root: Element = reader.open[0].children[0]
    return root


def _other_encoding(data: bytes) -> str:
    """Return the encoding that a document declares and the parser does not know; else empty."""
    if data.startswith(_UTF_16):
        return "utf-16"
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8"
    declared = _DECLARATION.match(data[:_LONGEST_DECLARATION])
    name = "" if declared is None else declared[1].decode("ascii").casefold()
    # A declaration that can be read as ASCII is not in UTF-16: programs write texts of C# so.
    return "utf-8" if name.startswith("utf-16") else "" if name in _OF_PARSER else name


def _as_utf8(data: bytes, encoding: str) -> bytes:
    """Return a document in UTF-8.

    Args:
        data: The document.
        encoding: The encoding that it declares.

    Raises:
        BadDataError: The encoding is unknown, or the document has another one; a short reason.
    """
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = ""
    if not name.startswith(_KNOWN):
        raise BadDataError("unsupported encoding {encoding}", encoding=encoding)
    try:
        return data.decode(name).encode("utf-8")
    except UnicodeError as error:
        reason = message("it is not in the encoding {encoding}, as it states", encoding=encoding)
        raise BadDataError(reason) from error


def _reason(data: bytes, error: expat.ExpatError) -> Text:
    """Return why a document cannot be parsed, and where."""
    line, column = error.lineno, error.offset + 1
    if error.code in _CUT_OFF:
        return message("it is cut off at line {line}, column {column}", line=line, column=column)
    try:
        data.decode("utf-8")
    except UnicodeError:
        return message(
            "it is not in UTF-8 at line {line}, and declares no other encoding", line=line
        )
    return message("its XML is damaged at line {line}, column {column}", line=line, column=column)


class _Reader:
    """Receives the parts of a document."""

    def __init__(self, receivers: Receivers, kept: Collection[str]) -> None:
        self.open = [Element("")]
        self._kept = kept
        self._receivers = receivers
        self._elements = 0
        self._held = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) == _OF_ROOT:
            self._held = self._elements
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise BadDataError(
                "it has more than {limit} elements; export it in several files",
                limit=_MOST_ELEMENTS,
            )
        if len(self.open) > _DEEPEST:
            raise BadDataError("it has more than {limit} levels", limit=_DEEPEST)
        element = Element(name, attributes=attributes)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, name: str) -> None:
        element = self.open.pop()
        if len(self.open) == _OF_ROOT and name in self._receivers:
            self.open[-1].children.pop()
            if name not in self._kept:
                self._elements = self._held
            self._receivers[name](element)

    def text(self, text: str) -> None:
        self.open[-1].texts.append(text)

    def refuse(self, *_declared: object) -> None:
        raise BadDataError("it has a document type, which annotations do not need")


def escaped(text: str) -> str:
    """Return a text escaped for XML, without characters that XML does not allow."""
    return escape("".join(char for char in text if _is_allowed(ord(char))))


def _is_allowed(code: int) -> bool:
    return (
        code in {9, 10, 13} or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code > 0xFFFF
    )
