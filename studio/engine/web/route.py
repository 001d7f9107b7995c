"""Recognizes a machine without a connection, without sending anything."""

from __future__ import annotations

import socket
import urllib.request

# Addresses of documentation (RFC 5737, RFC 3849): no machine has them.
_DESTINATIONS = (
    (socket.AF_INET, ("192.0.2.1", 443)),
    (socket.AF_INET6, ("2001:db8::1", 443)),
)


def has_route() -> bool:
    """Return False if this machine certainly cannot reach the internet.

    A datagram socket that is connected sends nothing: the system only looks for a route. With a
    proxy, which may be inside of the local network, nothing is certain.
    """
    return bool(urllib.request.getproxies()) or any(map(_has_route_to, _DESTINATIONS))


def _has_route_to(destination: tuple[socket.AddressFamily, tuple[str, int]]) -> bool:
    family, address = destination
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)
    except OSError:
        return False
    return True
