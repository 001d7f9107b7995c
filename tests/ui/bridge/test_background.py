"""Calls outside the window's thread: what comes back, and what is left of them."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.ui.bridge.background import Background

CALLS = 300


class Load:
    """Something that a call works on, such as an open file."""


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


def _take(load: Load, reporting: object) -> Load:
    if reporting is not None:
        raise ValueError(reporting)
    return load


def test_nothing_of_a_call_is_kept(background: Background, qtbot: QtBot) -> None:
    loads, errors = [], []
    for number in range(CALLS):
        load = Load()
        loads.append(weakref.ref(load))
        work = partial(_take, load, "no" if number % 10 == 0 else None)
        background.run(background, work, lambda _: None, lambda error: errors.append(str(error)))
    del load, work

    qtbot.waitUntil(lambda: background.is_idle)
    gc.collect()
    assert errors == ["no"] * (CALLS // 10)
    qtbot.waitUntil(lambda: not any(each() for each in loads))


def test_no_observer_is_called_after_the_end(background: Background) -> None:
    owner = QObject()
    found: list[int] = []
    background.run(owner, partial(int, "1"), found.append)
    background.close()
    background.run(owner, partial(int, "2"), found.append)

    QApplication.processEvents()
    assert found == []
    assert background.is_idle


def _wait_for(end: threading.Event) -> None:
    end.wait()


@pytest.mark.parametrize("way", ["run", "stream"])
def test_closing_does_not_wait_for_a_call_without_end(way: str, qtbot: QtBot) -> None:
    background, owner, end = Background(), QObject(), threading.Event()
    call = partial(_wait_for, end)
    if way == "run":
        background.run(owner, call)
    else:
        background.stream(owner, lambda _report: call(), print)
    background.run(owner, partial(int, "1"))
    began = time.monotonic()

    unfinished = background.close(0.05)

    assert time.monotonic() - began < 10, "the call has no end"
    (name,) = unfinished
    assert name.startswith("test_background.")
    end.set()


def test_closing_names_nothing_that_ended(qtbot: QtBot) -> None:
    background = Background()
    background.run(background, partial(int, "1"))
    assert background.close() == []


@pytest.mark.parametrize("is_failing", [False, True])
def test_controls_are_available_again_after_success_and_failure(
    is_failing: bool, background: Background, qtbot: QtBot
) -> None:
    order: list[str] = []
    work = partial(_take, Load(), "no" if is_failing else None)
    background.run(
        background,
        work,
        lambda _: order.append("done"),
        lambda _: order.append("failed"),
        lambda: order.append("ended"),
    )
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["ended", "failed" if is_failing else "done"]
