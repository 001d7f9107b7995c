"""XML files of annotations, read with care: they may be large, damaged, or hold anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape

from studio.engine.errors import BadDataError
from studio.engine.messages import message

_LARGEST = 32 * 2**20
_MOST_ELEMENTS = 2_000_000
_DEEPEST = 100


@dataclass(slots=True)
class Element:
    """An element of an XML document.

    Attributes:
        name: Its name.
        children: The elements in it.
        texts: Pieces of the text in it.
    """

    name: str
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

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


def parsed_xml(data: bytes) -> Element:
    """Return the outermost element of a document.

    A document type is refused, and with it all entities: they can read other files and grow
    without limit.

    Raises:
        BadDataError: It is damaged, too large or has a document type; a short reason.
    """
    if len(data) > _LARGEST:
        raise BadDataError(message("it is larger than {limit} MB", limit=_LARGEST // 2**20))
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        # Not only XML is checked here: an encoding may be unknown, or one of several bytes.
        raise BadDataError("it is damaged or not an XML file") from error
    root: Element = reader.open[0].children[0]
    return root


class _Reader:
    """Receives the parts of a document."""

    def __init__(self) -> None:
        self.open = [Element("")]
        self._elements = 0

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise BadDataError(message("it has more than {limit} elements", limit=_MOST_ELEMENTS))
        if len(self.open) > _DEEPEST:
            raise BadDataError(message("it has more than {limit} levels", limit=_DEEPEST))
        element = Element(name)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, _name: str) -> None:
        self.open.pop()

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
