"""Whether there is a connection is found out without sending anything."""

from __future__ import annotations

import socket

import pytest

from studio.engine.web import route


def test_a_machine_reaches_itself_and_no_address_without_a_route() -> None:
    assert route.has_route_to(socket.AF_INET, "127.0.0.1")
    assert not route.has_route_to(socket.AF_INET, "not an address")


def test_one_successful_check_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not route.has_route()
    monkeypatch.setattr(route, "CHECKS", (lambda: False, lambda: True))
    assert route.has_route()


def test_with_a_proxy_nothing_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    assert route.has_proxy()
