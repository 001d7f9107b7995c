"""Calls in another thread that are made in their order."""

from __future__ import annotations

import threading
from functools import partial

import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from studio.ui.bridge.background import Background
from studio.ui.bridge.ordered import OrderedCalls


def test_calls_are_made_in_order_and_the_end_is_reported_once(qtbot: QtBot) -> None:
    background, owner = Background(), QObject()
    calls = OrderedCalls(background, owner)
    begin, made, ends = threading.Event(), list[int](), list[int]()

    def call(number: int) -> None:
        assert begin.wait(10)
        made.append(number)

    for number in range(20):
        calls.run(partial(call, number), partial(ends.append, number))
    begin.set()
    qtbot.waitUntil(lambda: bool(ends))

    assert made == list(range(20))
    assert len(ends) == 1
    background.close()


def test_calls_are_made_when_their_owner_is_gone(qtbot: QtBot) -> None:
    background, owner = Background(), QObject()
    calls, begin, made = OrderedCalls(background, owner), threading.Event(), list[int]()
    calls.run(lambda: made.append(int(begin.wait(10))), begin.clear)
    calls.run(lambda: made.append(2), begin.clear)
    owner.deleteLater()
    qtbot.waitUntil(lambda: not shiboken6.isValid(owner))
    begin.set()

    qtbot.waitUntil(lambda: made == [1, 2])
    background.close()
