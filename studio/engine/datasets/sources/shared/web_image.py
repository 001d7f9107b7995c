"""One image from an address of the web, for lists that name such."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request

from studio.engine.datasets.sources.base import LARGEST_FILE, too_large
from studio.engine.datasets.sources.shared.transfer import in_short
from studio.engine.errors import BadDataError

# A server that says nothing for so long has nothing to say; a cancelled import waits for it.
_SILENCE_SECONDS = 6.0
_MOST_SECONDS = 60.0
_PIECE = 2**18


def web_image(address: str) -> bytes:
    """The bytes of an image.

    Raises:
        BadDataError: They cannot be had; the message is a short reason.
    """
    started = time.monotonic()
    request = urllib.request.Request(address, headers={"User-Agent": "studio-trainer"})  # noqa: S310 - the list was asked for http and https alone, and redirections stay within the web
    try:
        with urllib.request.urlopen(request, timeout=_SILENCE_SECONDS) as answer:  # noqa: S310 - as above
            return _all_of(answer, started)
    except urllib.error.HTTPError as error:
        raise BadDataError(f"the server answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise BadDataError(f"the server cannot be reached ({in_short(error.reason)})") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise BadDataError(f"it cannot be downloaded ({in_short(error)})") from error


def _all_of(answer: http.client.HTTPResponse, started: float) -> bytes:
    pieces = bytearray()
    while piece := answer.read1(_PIECE):
        pieces += piece
        if len(pieces) > LARGEST_FILE:
            raise too_large()
        if time.monotonic() - started > _MOST_SECONDS:
            raise BadDataError(f"it did not come within {_MOST_SECONDS:.0f} seconds")
    announced = answer.headers.get("Content-Length")
    if announced is not None and len(pieces) < int(announced):
        raise BadDataError("the connection broke off")
    return bytes(pieces)
