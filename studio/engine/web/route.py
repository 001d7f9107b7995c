"""Recognizes a machine without a connection, without sending anything."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Callable
from functools import partial


def has_route() -> bool:
    """Return False if this machine certainly cannot reach the internet."""
    return any(check() for check in CHECKS)


def has_proxy() -> bool:
    """Return True if requests go to a proxy, which may be inside of the local network."""
    return bool(urllib.request.getproxies())


def has_route_to(family: socket.AddressFamily, address: str) -> bool:
    """Return True if the system knows a way to an address.

    A datagram socket that is connected sends nothing: the system only looks for a route.

    Args:
        family: Kind of the address.
        address: An IP address.
    """
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 443))
    except OSError:
        return False
    return True


# Addresses of documentation (RFC 5737, RFC 3849): no machine has them.
CHECKS: tuple[Callable[[], bool], ...] = (
    has_proxy,
    partial(has_route_to, socket.AF_INET, "192.0.2.1"),
    partial(has_route_to, socket.AF_INET6, "2001:db8::1"),
)
"""One that succeeds is enough."""
