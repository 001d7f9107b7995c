"""HTTP that reaches the public internet only: for addresses that a file from elsewhere names.

A list of images may name addresses inside the local network, or of this computer, that whoever
wrote it cannot reach: a router, a service without a password, the credentials of a cloud machine.
Every connection is checked after its name was resolved, so that neither a redirection nor a name
that leads inside gets through, and goes to exactly the address that was checked.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from studio.engine.errors import BadDataError

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a network of IPv6 alone writes them."""


def public_handlers() -> list[urllib.request.BaseHandler]:
    """Handlers for `urllib.request.build_opener` that connect to public addresses only."""
    return [_PublicHttp(), _PublicHttps()]


def is_public(address: str) -> bool:
    """True if an IP address belongs to the public internet."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip.is_site_local:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _connected(address: tuple[str, int], timeout: Any, *_source: object) -> socket.socket:  # noqa: ANN401 - as the library has it
    """Connect to a host, as `socket.create_connection` does, if all its addresses are public."""
    error = OSError("the name leads nowhere")
    for family, kind, protocol, place in _public_places(*address):
        sock = socket.socket(family, kind, protocol)
        try:
            if isinstance(timeout, int | float):
                sock.settimeout(timeout)
            sock.connect(place)
        except OSError as failed:
            sock.close()
            error = failed
        else:
            return sock
    raise error


def _public_places(host: str, port: int) -> list[tuple[int, int, int, Any]]:
    places: list[tuple[int, int, int, Any]] = []
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM):
        if not is_public(str(place[0])):
            raise BadDataError(
                f"{host} is inside the local network, which is not read unless internal "
                "addresses are allowed"
            )
        places.append((family, kind, protocol, place))
    return places


class _Connection(http.client.HTTPConnection):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - of the library
        super().__init__(*arguments, **options)
        self._create_connection = _connected


class _SecureConnection(http.client.HTTPSConnection):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - of the library
        super().__init__(*arguments, **options)
        self._create_connection = _connected


class _PublicHttp(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        if _has_proxy(req):
            return super().http_open(req)
        return self.do_open(_Connection, req)


class _PublicHttps(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        if _has_proxy(req):
            return super().https_open(req)
        return self.do_open(_SecureConnection, req)


def _has_proxy(req: urllib.request.Request) -> bool:
    """True if a proxy is asked, which may itself be inside; then the name alone is checked."""
    if not req.has_proxy() and not getattr(req, "_tunnel_host", None):
        return False
    parts = urlsplit(req.full_url)
    with contextlib.suppress(OSError):  # a name that only the proxy can resolve
        _public_places(parts.hostname or "", parts.port or 0)
    return True
