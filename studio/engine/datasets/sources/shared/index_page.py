"""Pages that list files, as web servers write them for a folder: which links lead further down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import quote, unquote, urljoin, urlsplit

from studio.engine.datasets.sources.base import safe_text


@dataclass(frozen=True, slots=True)
class Link:
    """A file or folder below the first page.

    Attributes:
        key: Its path from there, readable, folders with a slash at the end.
        reason: Why it cannot be followed; empty where it can.
    """

    key: str
    reason: str = ""

    @property
    def is_folder(self) -> bool:
        """Whether it leads to another page."""
        return self.key.endswith("/")


def links_below(page: bytes, base: str, folder: str) -> list[Link]:
    """The links of a page that lead below it, each once, in the page's order.

    Links with a query sort the same page anew; others lead up, to other hosts, or to the page
    itself: all of them are passed over. So every page has one above it, and a walk ends.

    Args:
        page: HTML.
        base: Address of the first page, with a slash at the end.
        folder: Key of this page: empty, or with a slash at the end.
    """
    here = address(base, folder)
    found: dict[str, Link] = {}
    for href in _hrefs(page):
        try:
            parts = urlsplit(urljoin(here, href.strip()))
        except ValueError:
            continue
        plain = normal(parts._replace(fragment="").geturl())
        if parts.query or not plain.startswith(here) or plain == here:
            continue
        link = _link(folder, plain[len(here) :])
        found.setdefault(link.key, link)
    return list(found.values())


def address(base: str, key: str) -> str:
    """Where a key lies on the web."""
    return base + "/".join(quote(word, "") for word in key.split("/"))


def normal(text: str) -> str:
    """An address with every character written one way, so that two can be compared."""
    parts = urlsplit(text)
    words = [
        quote(unquote(word, errors="surrogateescape"), "", errors="surrogateescape")
        for word in parts.path.split("/")
    ]
    return parts._replace(path="/".join(words)).geturl()


def _link(folder: str, rest: str) -> Link:
    words = rest.split("/")
    names = [unquote(word, errors="surrogateescape") for word in words]
    key = folder + "/".join(names)
    inner = names[:-1] if names[-1] == "" else names
    if any(name in {"", ".", ".."} or "/" in name or "\\" in name for name in inner):
        return Link(safe_text(key), "its name leads elsewhere")
    if safe_text(key) != key:
        return Link(safe_text(key), "its name is not valid UTF-8")
    return Link(key)


def _hrefs(page: bytes) -> Iterator[str]:
    parser = _Hrefs()
    parser.feed(page.decode("utf-8", "surrogateescape"))
    parser.close()
    yield from parser.found


class _Hrefs(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href" and value]
