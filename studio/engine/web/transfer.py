"""One file from the web to the disk: cancelled at once, continued later, checked at the end.

Not fsspec: it neither continues a file that was cut off nor refuses addresses of the local network
at every redirection, and its reads end only when their timeout is over. With it, this module would
keep all of its checks and threads and gain two dependencies (fsspec, aiohttp).
"""

from __future__ import annotations

import hashlib
import http.client
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, TypeAlias

from studio.engine.errors import BadDataError
from studio.engine.files import PARTIAL, flush_to_disk, move, remove, require_space
from studio.engine.messages import Text, joined, message
from studio.engine.progress import Progress
from studio.engine.web.address import Reach
from studio.engine.web.public_network import web_opener

# Timeout of a silent server in seconds; a cancelled import waits as long.
_SILENCE_SECONDS_OF_IMAGES = 6.0
_MOST_SECONDS = 60.0
_IMAGE_PIECE = 2**18
_LARGEST_PAGE = 32 * 2**20
_PAGES = ("text/html", "application/xhtml+xml")


class UnreachableError(BadDataError):
    """The server does not respond at all, so another request is useless."""


def web_image(address: str, most: int, within: str = "", *, reach: Reach = Reach.PUBLIC) -> bytes:
    """Return the bytes of an image.

    Args:
        address: The address.
        most: Bytes that it may have.
        within: Required prefix of redirections; empty for any.
        reach: Networks that the address may lead to.

    Raises:
        BadDataError: They cannot be had; the message is a short reason.
    """
    return _answer(address, within, most, reach)[0]


def web_page(address: str, within: str) -> bytes:
    """Return the HTML of a page that lists images; see `web_image`.

    Raises:
        UnreachableError: The server does not answer.
        BadDataError: The server does not give it; the message is a short reason.
    """
    page, kind = _answer(address, within, _LARGEST_PAGE, Reach.TYPED)
    if kind not in _PAGES:
        raise BadDataError("it is not a page that lists files, but {kind}", kind=kind)
    return page


def _answer(address: str, within: str, most: int, reach: Reach) -> tuple[bytes, str]:
    """Return the body of a server's response and its content type."""
    started = time.monotonic()
    request = urllib.request.Request(address, headers={"User-Agent": "studio-trainer"})  # noqa: S310 - the callers let http and https through alone, and redirections stay within the web
    try:
        with web_opener(reach, within).open(request, timeout=_SILENCE_SECONDS_OF_IMAGES) as answer:
            return _all_of(answer, started, most), answer.headers.get_content_type()
    except urllib.error.HTTPError as error:
        raise BadDataError(_reason_of(error)) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnreachableError(_reason_of(error)) from error


def _all_of(answer: http.client.HTTPResponse, started: float, most: int) -> bytes:
    pieces = bytearray()
    while piece := answer.read1(_IMAGE_PIECE):
        pieces += piece
        if len(pieces) > most:
            raise BadDataError("the file is larger than {limit} MB", limit=most // 2**20)
        if time.monotonic() - started > _MOST_SECONDS:
            raise BadDataError(
                "it did not arrive within {seconds:.0f} seconds", seconds=_MOST_SECONDS
            )
    announced = answer.headers.get("Content-Length")
    if announced is not None and len(pieces) < int(announced):
        raise BadDataError("the connection was lost")
    return bytes(pieces)


_PIECE = 2**17
_SILENCE_SECONDS = 30.0
_POLL_SECONDS = 0.1
_LARGEST = 8 * 2**30
_MD5_DIGITS = 32


class TransferError(Exception):
    """It did not come, or is not what was published; the text is a short reason."""


class TransferListener(Protocol):
    """Receiver of the progress in bytes; may cancel."""

    def advance(self, done: int, total: int) -> None:
        """Receive the progress.

        Args:
            done: Bytes that are here.
            total: Size of the file in bytes; 0 if the server does not name it.
        """

    def check(self) -> None:
        """Raise to cancel."""


@dataclass(frozen=True, slots=True)
class NamedProgress:
    """Reports a download as a step of a job.

    Attributes:
        progress: Progress of the job.
        what: Name of the step.
    """

    progress: Progress
    what: Text

    def advance(self, done: int, total: int) -> None:
        """Report the progress; see `TransferListener`."""
        self.progress.advance(done, total, self.what)

    def check(self) -> None:
        """Raise if the job was cancelled."""
        self.progress.check()


def is_whole(path: Path, digest: str) -> bool:
    """Return True if a file exists and has a checksum.

    Args:
        path: The file.
        digest: Expected MD5 or SHA-256, hexadecimal. Neither guards against malice here.
    """
    if not path.is_file():
        return False
    return checksum(path, "md5" if len(digest) == _MD5_DIGITS else "sha256") == digest


def checksum(path: Path, name: Literal["md5", "sha256"]) -> str:
    """Return a checksum of a file, hexadecimal.

    Args:
        path: The file.
        name: Name of the checksum.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.new(name, usedforsecurity=False))
    return found.hexdigest()


def transfer(  # noqa: PLR0913 - one keyword per thing that a caller may know
    addresses: Sequence[str],
    target: Path,
    digest: str,
    listener: TransferListener,
    most: int = _LARGEST,
    reach: Reach = Reach.TYPED,
    token: Callable[[str], str] = lambda _: "",
    *,
    is_readable: Callable[[Path], bool] = lambda _: True,
) -> None:
    """Download a file from the first address that gives it, whole and right.

    An interrupted download is stored beside `target`, and the next call continues it.

    Args:
        addresses: Addresses at which it is published.
        target: File to write.
        digest: Its checksum, see `is_whole`; empty for unpublished ones. Without one, an
            interrupted download starts over, because a changed file would go unnoticed.
        listener: Receives the progress and may cancel.
        most: Bytes that it has at most.
        reach: Networks that the addresses may lead to.
        token: Gives the token that an address is asked with; it is not sent where that redirects.
        is_readable: Decides whether a file without a checksum is what was asked for.

    Raises:
        TransferError: No address gives it.
        DiskFullError: It does not fit on the disk.
        OSError: It cannot be written.
    """
    partial = target.with_name(target.name + PARTIAL)
    reasons = []
    try:
        for address in addresses:
            if not digest:
                remove(partial)
            try:
                _continue(_Fetching(address, reach, token(address)), partial, listener, most)
            except TransferError as error:
                reasons.append(str(error))
                continue
            if is_whole(partial, digest) if digest else is_readable(partial):
                flush_to_disk(partial)
                move(partial, target)
                return
            remove(partial)
            reasons.append(
                message("it is not the published {file} (its checksum differs)", file=target.name)
                if digest
                else message(
                    "it is not the published {file} (it cannot be read)", file=target.name
                )
            )
    finally:
        if not digest:
            remove(partial)
    raise TransferError(joined(tuple(dict.fromkeys(reasons)), "; "))


def _continue(fetching: _Fetching, partial: Path, listener: TransferListener, most: int) -> None:
    """Get what is missing at the end of a partial file."""
    fetching.have = partial.stat().st_size if partial.exists() else 0
    threading.Thread(target=fetching.run, name="download", daemon=True).start()
    try:
        with partial.open("ab") as file:
            _write(fetching, file, listener, most)
    finally:
        fetching.is_unwanted.set()
        if partial.exists() and not partial.stat().st_size:
            remove(partial)


def _write(fetching: _Fetching, file: BinaryIO, listener: TransferListener, most: int) -> None:
    total = 0
    while True:
        listener.check()
        try:
            piece = fetching.pieces.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if piece is None:
            return
        if isinstance(piece, TransferError):
            raise piece
        if isinstance(piece, _Beginning):
            if piece.start != file.tell():
                file.truncate(piece.start)
            total = piece.total
            what = message("The file {file}", file=Path(file.name).name.removesuffix(PARTIAL))
            require_space(Path(file.name).parent, max(0, total - piece.start), what)
        else:
            file.write(piece)
        if file.tell() > most:
            raise TransferError("the download is far larger than published")
        listener.advance(file.tell(), total)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Position where the server begins, perhaps not the requested one; size of the file or 0."""

    start: int
    total: int


_Piece: TypeAlias = _Beginning | bytes | TransferError | None


@dataclass(slots=True)
class _Fetching:
    """Reads from the network in a separate thread: a read may hang, and must not be waited for.

    Attributes:
        address: The file.
        reach: Networks that the address may lead to.
        token: Token for its server; empty for none.
        have: Bytes that are here already.
        pieces: First the beginning, then bytes, then None, or an error.
    """

    address: str
    reach: Reach
    token: str = ""
    have: int = 0
    pieces: queue.Queue[_Piece] = field(default_factory=lambda: queue.Queue(16))
    is_unwanted: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            self._fetch(self.have)
        except BadDataError as error:
            self._put(TransferError(error.message))
        except (OSError, http.client.HTTPException, ValueError) as error:
            code = error.code if isinstance(error, urllib.error.HTTPError) else 0
            # All of it is there; the checksum has the last word.
            is_complete = code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE
            self._put(None if is_complete else TransferError(_reason_of(error)))

    def _fetch(self, have: int) -> None:
        request = urllib.request.Request(self.address, headers={"User-Agent": "studio-trainer"})  # noqa: S310 - the table above names http and https alone
        if self.token:
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        if have:
            request.add_header("Range", f"bytes={have}-")
        with web_opener(self.reach).open(request, timeout=_SILENCE_SECONDS) as answer:
            start = have if answer.status == http.client.PARTIAL_CONTENT else 0
            announced = answer.headers.get("Content-Length")
            self._put(_Beginning(start, start + int(announced) if announced else 0))
            received = 0
            while piece := answer.read1(_PIECE):
                received += len(piece)
                if not self._put(piece):
                    return
            if announced is not None and received < int(announced):
                raise http.client.IncompleteRead(b"", int(announced) - received)
        self._put(None)

    def _put(self, piece: _Piece) -> bool:
        """Store the result, unless the transfer was canceled."""
        while not self.is_unwanted.is_set():
            try:
                self.pieces.put(piece, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return True
        return False


def _reason_of(error: Exception) -> str:
    """Return the reason why a server does not give a file."""
    if isinstance(error, urllib.error.HTTPError):
        return message("the server answers {code} {reason}", code=error.code, reason=error.reason)
    if isinstance(error, urllib.error.URLError):
        return message("the server cannot be reached ({reason})", reason=in_short(error.reason))
    return message("it cannot be downloaded ({reason})", reason=in_short(error))


def in_short(error: object) -> str:
    """Describe a network error in one line."""
    if isinstance(error, http.client.IncompleteRead):
        return message("{count:,} bytes are missing", count=error.expected)
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0][:120]
