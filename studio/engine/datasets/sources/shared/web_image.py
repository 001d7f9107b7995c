"""One image, or one page that lists some, from an address of the web."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request

from studio.engine.datasets.sources.base import LARGEST_FILE, too_large
from studio.engine.datasets.sources.shared.address import Reach
from studio.engine.datasets.sources.shared.public_network import web_opener
from studio.engine.datasets.sources.shared.transfer import in_short
from studio.engine.errors import BadDataError

# A server that says nothing for so long has nothing to say; a cancelled import waits for it.
_SILENCE_SECONDS = 6.0
_MOST_SECONDS = 60.0
_PIECE = 2**18
_LARGEST_PAGE = 32 * 2**20
_PAGES = ("text/html", "application/xhtml+xml")


class UnreachableError(BadDataError):
    """There is no answer at all, so another question would get none either."""


def web_image(
    address: str, within: str = "", most: int = LARGEST_FILE, *, reach: Reach = Reach.PUBLIC
) -> bytes:
    """The bytes of an image.

    Args:
        address: Where it is.
        within: Where redirections may lead: to addresses that begin so. Empty: anywhere.
        most: Bytes that it may have.
        reach: Where the address may lead.

    Raises:
        BadDataError: They cannot be had; the message is a short reason.
    """
    return _answer(address, within, most, reach)[0]


def web_page(address: str, within: str) -> bytes:
    """The HTML of a page that lists images; see `web_image`.

    Raises:
        UnreachableError: Nobody answers.
        BadDataError: The server does not give it; the message is a short reason.
    """
    page, kind = _answer(address, within, _LARGEST_PAGE, Reach.TYPED)
    if kind not in _PAGES:
        raise BadDataError(f"it is no page that lists files, but {kind}")
    return page


def _answer(address: str, within: str, most: int, reach: Reach) -> tuple[bytes, str]:
    """What a server gives, and of which type it says that is."""
    started = time.monotonic()
    request = urllib.request.Request(address, headers={"User-Agent": "studio-trainer"})  # noqa: S310 - the callers let http and https through alone, and redirections stay within the web
    try:
        with web_opener(reach, within).open(request, timeout=_SILENCE_SECONDS) as answer:
            return _all_of(answer, started, most), answer.headers.get_content_type()
    except urllib.error.HTTPError as error:
        raise BadDataError(f"the server answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        reason = f"the server cannot be reached ({in_short(error.reason)})"
        raise UnreachableError(reason) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnreachableError(f"it cannot be downloaded ({in_short(error)})") from error


def _all_of(answer: http.client.HTTPResponse, started: float, most: int) -> bytes:
    pieces = bytearray()
    while piece := answer.read1(_PIECE):
        pieces += piece
        if len(pieces) > most:
            raise too_large()
        if time.monotonic() - started > _MOST_SECONDS:
            raise BadDataError(f"it did not come within {_MOST_SECONDS:.0f} seconds")
    announced = answer.headers.get("Content-Length")
    if announced is not None and len(pieces) < int(announced):
        raise BadDataError("the connection broke off")
    return bytes(pieces)
