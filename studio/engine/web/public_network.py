"""HTTP requests that do not reach the local network, unless the user allows it.

A list of images may contain addresses of the local network or of this computer that its author
cannot reach: a router, a service without a password, the credentials of a cloud machine. A server
on the public internet may redirect to such an address as well. Every connection is checked after
its name was resolved and goes to exactly the checked address, so that neither a redirection nor a
name with a local address gets through.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import ipaddress
import socket
import ssl
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any
from urllib.parse import urlsplit

import truststore

from studio.engine.errors import BadDataError
from studio.engine.web.address import Reach

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a network of IPv6 alone writes them."""


def web_opener(reach: Reach, within: str = "") -> urllib.request.OpenerDirector:
    """Return an opener for a web address; use a new one for each address.

    Args:
        reach: Networks that the request may reach.
        within: Redirections may only lead to addresses that begin so; empty: to any of the web.
    """
    handlers: list[urllib.request.BaseHandler] = [_Redirections(within)]
    if reach == Reach.ANYWHERE:
        handlers.append(urllib.request.HTTPSHandler(context=system_certificates()))
    else:
        gate = _Gate(is_open=reach == Reach.TYPED)
        handlers += [_GuardedHttp(gate), _GuardedHttps(gate)]
    return urllib.request.build_opener(*handlers)


@functools.cache
def system_certificates() -> ssl.SSLContext:
    """Return a context that trusts the certificates of the system, as those of a company proxy."""
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def is_public(address: str) -> bool:
    """Return True if an IP address belongs to the public internet."""
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


@dataclass(slots=True)
class _Gate:
    """Lets connections through.

    Attributes:
        is_open: True as long as connections may lead inside; the first one that goes to the
            public internet closes it.
    """

    is_open: bool

    def connect(self, address: tuple[str, int], timeout: Any, *_source: object) -> socket.socket:  # noqa: ANN401 - as the library has it
        """Connect to a host, as `socket.create_connection` does, if that is allowed."""
        error = OSError("the host name does not exist")
        for family, kind, protocol, endpoint in self.addresses(*address):
            sock = socket.socket(family, kind, protocol)
            try:
                if isinstance(timeout, int | float):
                    sock.settimeout(timeout)
                sock.connect(endpoint)
            except OSError as failed:
                sock.close()
                error = failed
            else:
                self.is_open = self.is_open and not is_public(str(endpoint[0]))
                return sock
        raise error

    def addresses(self, host: str, port: int) -> list[tuple[int, int, int, Any]]:
        """Resolve a name: return family, kind, protocol and address of each result.

        Raises:
            BadDataError: One is inside, and the gate is closed.
        """
        addresses: list[tuple[int, int, int, Any]] = []
        found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
        for family, kind, protocol, _, address in found:
            if not self.is_open and not is_public(str(address[0])):
                raise BadDataError(
                    "{host} is in the local network; internal addresses are not allowed", host=host
                )
            addresses.append((family, kind, protocol, address))
        return addresses

    def check_for_proxy(self, req: urllib.request.Request) -> bool:
        """Return True if a proxy is asked, which may itself be inside.

        Then the name alone is checked.
        """
        if not req.has_proxy() and not getattr(req, "_tunnel_host", None):
            return False
        parts = urlsplit(req.full_url)
        addresses: list[tuple[int, int, int, Any]] = []
        with contextlib.suppress(OSError):  # a name that only the proxy can resolve
            addresses = self.addresses(parts.hostname or "", parts.port or 0)
        inside = bool(addresses) and not any(
            is_public(str(address[0])) for *_, address in addresses
        )
        self.is_open = self.is_open and inside
        return True


class _Redirections(urllib.request.HTTPRedirectHandler):
    """Follows redirections within the web, and none that leads elsewhere."""

    def __init__(self, within: str) -> None:
        self._within = within

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        is_web = newurl.casefold().startswith(("http://", "https://"))
        if not is_web or not newurl.startswith(self._within):
            fp.close()
            raise BadDataError("the server redirects to {address}", address=newurl[:200])
        # urllib's types say HTTPMessage, which is this and has no more of it.
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]  # see above


class _Connection(http.client.HTTPConnection):
    def __init__(self, gate: _Gate, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - of the library
        super().__init__(*arguments, **options)
        self._create_connection = gate.connect


class _SecureConnection(http.client.HTTPSConnection):
    def __init__(self, gate: _Gate, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - of the library
        super().__init__(*arguments, **options)
        self._create_connection = gate.connect


class _GuardedHttp(urllib.request.HTTPHandler):
    def __init__(self, gate: _Gate) -> None:
        super().__init__()
        self._gate = gate

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        if self._gate.check_for_proxy(req):
            return super().http_open(req)
        return self.do_open(functools.partial(_Connection, self._gate), req)


class _GuardedHttps(urllib.request.HTTPSHandler):
    def __init__(self, gate: _Gate) -> None:
        super().__init__(context=system_certificates())
        self._gate = gate

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        if self._gate.check_for_proxy(req):
            return super().https_open(req)
        connection = functools.partial(_SecureConnection, self._gate)
        return self.do_open(connection, req, context=system_certificates())
