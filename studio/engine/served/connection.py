"""Requests to a server of Studio, and the events that it sends."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.web.address import LOCAL_NAMES
from studio.engine.web.public_network import system_certificates

TIMEOUT_SECONDS: Final = 120.0
"""Time without a byte from the server; events have a comment every 15 seconds."""
FACTS_SECONDS: Final = 20.0
"""The same for the first request to a server."""
LOST: Final = (OSError, http.client.HTTPException)
"""Errors of a connection that breaks; `urllib.error.URLError` is an OSError."""
_UNAUTHORIZED: Final = 401
_MISSING: Final = 404
_AWAY = frozenset({502, 503, 504})
"""Statuses of a proxy whose server is away, and of a server that has no time now."""


class ServerEvent(NamedTuple):
    """An event that a server sent.

    Attributes:
        id: Its id; empty for none.
        name: Its name; empty for the usual one.
        data: Its data; empty for a sign of life without an event.
    """

    id: str
    name: str
    data: bytes


class NotAnsweringError(StudioError):
    """The server does not answer, or the connection to it broke."""


class RefusedByServerError(StudioError):
    """The server refuses a request.

    Attributes:
        status: HTTP status of its response.
    """

    def __init__(self, sentence: str, /, hint: str = "", where: str = "", status: int = 0) -> None:
        super().__init__(sentence, hint, where)
        self.status = status


@dataclass(frozen=True, slots=True)
class ServerConnection:
    """Sends requests to a server; see `connection_to`.

    Attributes:
        url: Its address, without a slash at the end.
        token: The token.
    """

    url: str
    token: str = field(repr=False)

    def open(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        is_repeated: bool = False,
        timeout: float = TIMEOUT_SECONDS,
    ) -> http.client.HTTPResponse:
        """Send a request and return the response.

        Args:
            method: HTTP method.
            path: Path with its parameters.
            body: Data to send.
            headers: Headers beside the token.
            is_repeated: The caller asks again when the connection breaks; then a server that is
                away for its proxy counts as such.
            timeout: Seconds without a byte after which the connection counts as broken.

        Raises:
            RefusedByServerError: The server refuses it.
            OSError: The server does not answer.
        """
        sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        request = urllib.request.Request(self.url + path, body, sent, method=method)  # noqa: S310 - checked by `connection_to`
        handlers: list[urllib.request.BaseHandler] = [_NoRedirections()]
        if self.url.startswith("https"):
            handlers.append(urllib.request.HTTPSHandler(context=system_certificates()))
        if urlsplit(self.url).hostname in LOCAL_NAMES:  # such as a tunnel; no proxy gets the token
            handlers.append(urllib.request.ProxyHandler({}))
        opener = urllib.request.build_opener(*handlers)
        try:
            response: http.client.HTTPResponse = opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            if is_repeated and error.code in _AWAY:
                error.close()
                raise ConnectionError(f"{error.code} {error.reason}") from error
            raise _refusal(error) from error
        return response

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> bytes:
        """Send a request and return the body of the response.

        Args:
            method: HTTP method.
            path: Path with its parameters.
            body: Data to send.
            timeout: Seconds without a byte after which the connection counts as broken.

        Raises:
            StudioError: The server refuses it or does not answer.
        """
        try:
            with self.open(method, path, body, timeout=timeout) as response:
                return response.read()
        except LOST as error:
            raise self.unreachable(error) from error

    def json(self, method: str, path: str, document: object = None) -> Any:  # noqa: ANN401 - JSON
        """Send data and return those of the response.

        Args:
            method: HTTP method.
            path: Path with its parameters.
            document: Data to send as JSON; None for none.

        Raises:
            StudioError: The server refuses it or does not answer.
        """
        body = None if document is None else json.dumps(document).encode()
        try:
            return json.loads(self.ask(method, path, body))
        except ValueError as error:
            raise self.foreign() from error

    def events(
        self, path: str, after: str = "", timeout: float = TIMEOUT_SECONDS
    ) -> Iterator[ServerEvent]:
        """Yield the events of a stream and its signs of life, until the server ends it.

        Args:
            path: Path with its parameters.
            after: Id of the last event that is known; empty for all.
            timeout: Seconds without a byte after which the connection counts as broken.

        Raises:
            StudioError: The server refuses it.
            OSError: The connection broke, or the server does not answer.
        """
        headers = {"Last-Event-ID": after} if after else {}
        with self.open(
            "GET", path, headers=headers, is_repeated=True, timeout=timeout
        ) as response:
            parts: dict[bytes, bytes] = {}
            for raw in response:
                line = raw.rstrip(b"\r\n")
                if line:
                    key, _, value = line.partition(b":")
                    parts[key] = value.removeprefix(b" ")
                    continue
                data = parts.get(b"data", b"")
                name = parts.get(b"event", b"").decode()
                yield ServerEvent(parts.get(b"id", b"").decode(), name, data)
                parts = {}

    def facts(self) -> dict[str, Any]:
        """Return name and version of the workspace, and the role of the token.

        Raises:
            StudioError: The server does not answer, is no server of Studio, or refuses the token.
        """
        try:
            found = json.loads(self.ask("GET", "/workspace", timeout=FACTS_SECONDS))
        except ValueError as error:
            raise self.foreign() from error
        except RefusedByServerError as error:
            if error.status != _MISSING:
                raise
            raise StudioError(
                "{url} serves no workspace.",
                "Start it on the server without a run: studio serve --workspace FOLDER",
                "url",
                url=self.url,
            ) from error
        if not isinstance(found, dict) or not {"name", "role"} <= found.keys():
            raise self.foreign()
        return found

    def foreign(self) -> StudioError:
        """Return the error for another program that answers."""
        return StudioError(
            "{url} is not a server of Studio.", "Check the address.", "url", url=self.url
        )

    def unreachable(self, error: Exception) -> NotAnsweringError:
        """Return the error for a server that does not answer."""
        reason = getattr(error, "reason", None) or error
        return NotAnsweringError(
            "{url} does not answer: {reason}.",
            "Is `studio serve` running?",
            "url",
            url=self.url,
            reason=reason,
        )


def connection_to(url: str, token: str, *, insecure: bool = False) -> ServerConnection:
    """Return a connection to a server; nothing is sent yet.

    Args:
        url: Address of the server, such as "https://gpu-box.example".
        token: The token.
        insecure: Send the token also over http:// to another computer.

    Raises:
        StudioError: The address or token is invalid, or the connection would not be encrypted.
    """
    address, word = url.strip().rstrip("/"), token.strip()
    parts = _parts(address)
    if parts is None:
        raise StudioError(
            "{url} is not the address of a server.",
            message("Begin it with {begin}.", begin="https://"),
            "url",
            url=address or '""',
        )
    scheme, host = parts
    if scheme == "http" and host not in LOCAL_NAMES and not insecure:
        raise StudioError(
            "{url} is not encrypted: others on the network could read the token.",
            "Use https:// or an ssh tunnel, or allow it explicitly (insecure=True).",
            "url",
            url=address,
        )
    if not word:
        raise StudioError(
            "A token is required.",
            "On the server: studio tokens add NAME --role run",
            "token",
        )
    if not (word.isascii() and word.isprintable()):
        raise StudioError(
            "The token contains characters that no token has.", "Copy it again.", "token"
        )
    return ServerConnection(address, word)


def is_local(url: str) -> bool:
    """Return True if an address is one of this computer, such as that of an ssh tunnel."""
    parts = _parts(url.strip().rstrip("/"))
    return parts is not None and parts[1] in LOCAL_NAMES


def _parts(address: str) -> tuple[str, str] | None:
    """Return scheme and host of an address; None if it is not one of the web."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises where it is no number
        host = parts.hostname
    except ValueError:
        return None
    secret = parts.username or parts.password
    is_odd = bool(parts.query or parts.fragment or secret) or not address.isprintable()
    if parts.scheme not in ("http", "https") or not host or is_odd:
        return None
    return parts.scheme, host


class _NoRedirections(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: it would carry the token to another server."""

    def redirect_request(self, *_: object) -> None:
        return None


def _refusal(error: urllib.error.HTTPError) -> RefusedByServerError:
    """Return the error that a server reports; of another program only its status."""
    with error:
        if error.code == _UNAUTHORIZED:
            return RefusedByServerError(
                "The server refuses the token.",
                "Copy it again, or ask for a new one. On the server: studio tokens add NAME",
                "token",
                error.code,
            )
        try:
            document = json.loads(error.read(2**20))
            text, hint = str(document["error"]), str(document.get("hint", ""))
            where = str(document.get("where", ""))
            return RefusedByServerError(text, hint, where, error.code)
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            text = message(
                "The server answers {code} {reason}.", code=error.code, reason=error.reason
            )
            return RefusedByServerError(text, "", "", error.code)
