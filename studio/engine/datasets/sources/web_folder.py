"""A folder of class folders on a web server that lists what its folders hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote, urljoin, urlsplit

from studio.engine.datasets.sources.base import (
    LARGEST_FILE,
    NO_OPTIONS,
    Fetch,
    Scan,
    Skipped,
    SourceImage,
    SourceOptions,
    safe_text,
)
from studio.engine.datasets.sources.shared import names
from studio.engine.datasets.sources.shared.names import take_found
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.web.address import Reach, checked_address, is_web
from studio.engine.web.transfer import (
    UnreachableError,
    web_image,
    web_page,
)


@dataclass(frozen=True, slots=True)
class Link:
    """A file or folder below the first page.

    Attributes:
        key: Its path from there, readable, folders with a slash at the end.
        reason: Why it cannot be followed; empty if it can.
    """

    key: str
    reason: str = ""

    @property
    def is_folder(self) -> bool:
        """True if it leads to another page."""
        return self.key.endswith("/")


def links_below(page: bytes, base: str, folder: str) -> list[Link]:
    """Return the links of a page that lead below it, each once, in the page's order.

    Links with a query only sort the same page; others lead up, to other hosts, or to the page
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
    """Return the web address of a key.

    Args:
        base: Address of the folder, ending in a slash.
        key: Path relative to it.
    """
    return base + "/".join(quote(word, "") for word in key.split("/"))


def normal(text: str) -> str:
    """Normalize the encoding of an address, so that two can be compared."""
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
        return Link(safe_text(key), "its name points outside")
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


_MOST_PAGES = 20_000
_DEEPEST = 16
_MOST_IMAGES = 5_000_000
# This many images in a row without an answer: the server is gone, and the rest need not be asked.
_MISSES = 8


class WebFolderSource:
    """Every link below the address that leads further down is followed, and no other.

    Classes and splits are derived from the folders, as in an archive. The images are downloaded
    when they are read, by the threads that decode them.
    """

    name = "web_folder"
    label = "Web address of a folder with one folder per class (http, https)"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is an address of the web."""
        return is_web(path)

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Read the pages of all folders; see `Source.scan`."""
        base = _base(path)
        crawl = _Crawl(base, progress, Scan(), [])
        crawl.run()
        if not crawl.found:
            raise _nothing(base, crawl.scan)
        crawl.found.sort(key=lambda item: natural_key(item.key))
        take_found(path, crawl.scan, crawl.found, options)
        return crawl.scan

    def read(self, path: Path, items: Sequence[SourceImage]) -> Iterator[tuple[int, Fetch]]:
        """Give every image; threads download them. See `Source.read`."""
        line = _Line(_base(path))
        for index, item in enumerate(items):
            yield index, partial(line.download, item.key)

    def open(self, path: Path, item: SourceImage) -> BinaryIO:
        """Download an image; see `Source.open`."""
        return BytesIO(_Line(_base(path)).download(item.key))

    def is_there(self, path: Path) -> bool:
        """Return True if the server still returns the first page."""
        try:
            web_page(_base(path), _base(path))
        except BadDataError:
            return False
        return True


@dataclass(slots=True)
class _Crawl:
    """One walk over the pages below an address.

    Attributes:
        base: The address, with a slash at the end.
        progress: Receives the progress and may cancel.
        scan: Exclusions.
        found: The images, without their classes.
    """

    base: str
    progress: Progress
    scan: Scan
    found: list[SourceImage]

    def run(self) -> None:
        """Read the pages, the first one first.

        Raises:
            StudioError: The first one is invalid, or the server no longer answers.
        """
        folders = [""]
        pages = 0
        while folders:
            folder = folders.pop()
            self.progress.check()
            self.progress.advance(len(self.found), 0, "Searching for images")
            pages += 1
            if pages > _MOST_PAGES or len(self.found) > _MOST_IMAGES:
                raise StudioError(
                    "{address} contains more than {pages:,} pages or {images:,} images.",
                    "Choose a folder further down, or import an archive.",
                    "source",
                    address=self.base,
                    pages=_MOST_PAGES,
                    images=_MOST_IMAGES,
                )
            folders += reversed(self._read(folder))

    def _read(self, folder: str) -> list[str]:
        """Collect the images of a page, and return the folders that it lists."""
        page = self._page(folder)
        inner: list[str] = []
        for link in links_below(page, self.base, folder) if page else []:
            name = link.key.rstrip("/").rpartition("/")[2]
            if names.is_hidden(name):
                continue
            reason = link.reason or _refusal(link.key, name, is_folder=link.is_folder)
            if reason:
                self.scan.problems.append(Skipped(link.key, reason))
            elif link.is_folder:
                inner.append(link.key)
            else:
                self.found.append(SourceImage(link.key, "", None))
        return inner

    def _page(self, folder: str) -> bytes:
        """Return the HTML of a folder; empty if it cannot be downloaded and is not the first."""
        try:
            return web_page(address(self.base, folder), self.base)
        except BadDataError as error:
            if not folder or isinstance(error, UnreachableError):
                raise StudioError(
                    "{address} cannot be read: {reason}.",
                    "Check the address and the network. It must show the list of class folders "
                    "that a web server writes.",
                    "source",
                    address=address(self.base, folder),
                    reason=error.message,
                ) from error
            self.scan.problems.append(Skipped(folder, error.message))
        return b""


class _Line:
    """State shared by the download threads: True while the server answers."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._misses = 0

    def download(self, key: str) -> bytes:
        """Return the bytes of one image.

        Raises:
            BadDataError: They cannot be had.
        """
        # The window lists the sources at start, and this brings in the whole of HTTP.
        if self._misses >= _MISSES:
            raise BadDataError("the server no longer answers")
        try:
            data = web_image(address(self._base, key), LARGEST_FILE, self._base, reach=Reach.TYPED)
        except UnreachableError:
            self._misses += 1
            raise
        self._misses = 0
        return data


def _refusal(key: str, name: str, *, is_folder: bool) -> str:
    """Return the reason why a link is not followed; empty if it is."""
    if is_folder:
        return "it is nested too deeply" if key.count("/") > _DEEPEST else ""
    return "" if names.looks_like_image(name) else names.not_an_image(name)


def _base(path: Path) -> str:
    """Return the address with a slash at the end, without query and fragment."""
    parts = urlsplit(checked_address(path))
    if parts.query:
        raise StudioError(
            "An address with a query (?{query}) is not a folder.",
            "Remove the question mark and everything after it.",
            "source",
            query=parts.query,
        )
    return normal(parts._replace(fragment="").geturl().rstrip("/")) + "/"


def _nothing(base: str, scan: Scan) -> StudioError:
    first = scan.problems[0] if scan.problems else None
    reason = message("The pages of {address} list no images.", address=base)
    if first is not None:
        reason = message(
            "The pages of {address} list no images; the first file left out: {file}: {reason}.",
            address=base,
            file=first.path,
            reason=as_message(first.reason),
        )
    return StudioError(
        reason,
        "The address must show the list of class folders that a web server writes.",
        "source",
    )
