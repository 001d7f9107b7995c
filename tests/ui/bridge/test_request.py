"""Requests: only the last one counts, and one with a progress can be ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial

import pytest
from pydantic import BaseModel
from PySide6.QtCore import SIGNAL, QObject
from pytestqt.qtbot import QtBot

from studio.engine.progress import Cancelled
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import PartSender, Request, RequestProgress


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    del qtbot  # signals need an application
    made = Background()
    yield made
    made.close()


@pytest.fixture
def request_(background: Background) -> Iterator[Request]:
    owner = QObject()
    yield Request(background, owner)
    owner.deleteLater()


class Gate:
    """Work that waits until it is let through."""

    def __init__(self, value: str) -> None:
        self.value, self.opened = value, threading.Event()

    def __call__(self) -> str:
        assert self.opened.wait(10)
        return self.value


def until_cancelled(progress: RequestProgress) -> str:
    progress.advance(1, 3, "step")
    while True:
        progress.check()


def numbers_until_cancelled(sender: PartSender[int]) -> None:
    number = 0
    while not sender.is_cancelled():
        number += 1
        if number <= 3:
            sender.send(number)


def test_parts_arrive_in_order_until_the_stream_is_stopped(
    request_: Request, qtbot: QtBot
) -> None:
    parts: list[int] = []
    ended: list[object] = []
    request_.stream(numbers_until_cancelled, parts.append, ended.append)
    qtbot.waitUntil(lambda: len(parts) == 3)
    assert parts == [1, 2, 3]
    assert request_.is_running
    assert ended == []

    request_.stop()

    qtbot.waitUntil(lambda: ended == [None])
    assert not request_.is_running


@pytest.mark.parametrize("end", ["drop", "replace"])
def test_parts_of_a_replaced_stream_are_ignored(
    request_: Request, background: Background, qtbot: QtBot, end: str
) -> None:
    parts: list[int] = []
    others: list[int] = []
    ended: list[object] = []
    request_.stream(numbers_until_cancelled, parts.append, ended.append)
    if end == "drop":
        request_.drop()
    else:
        request_.stream(lambda sender: sender.send(7), others.append)
        qtbot.waitUntil(lambda: others == [7])
    qtbot.waitUntil(lambda: background.is_idle)
    assert parts == []
    assert ended == []
    assert others == ([] if end == "drop" else [7])


def test_a_stream_ends_when_the_window_closes(
    request_: Request, background: Background, qtbot: QtBot
) -> None:
    parts: list[int] = []
    request_.stream(numbers_until_cancelled, parts.append)
    qtbot.waitUntil(lambda: len(parts) == 3)
    assert background.close(10) == [], "all work has ended"


def test_only_the_last_result_counts(request_: Request, qtbot: QtBot) -> None:
    first, second = Gate("first"), Gate("second")
    found: list[str] = []
    request_.run(first, found.append)
    request_.run(second, found.append)
    assert request_.is_running
    for gate in (first, second):
        gate.opened.set()
    qtbot.waitUntil(lambda: not request_.is_running)
    assert found == ["second"]


def test_a_dropped_error_is_ignored_and_others_are_reported(
    request_: Request, background: Background, qtbot: QtBot
) -> None:
    errors: list[object] = []
    background.failed.connect(errors.append)
    request_.run(partial(int, "no number"), errors.append)
    request_.drop()
    assert not request_.is_running
    qtbot.waitUntil(lambda: background.is_idle)
    assert errors == []
    request_.run(partial(int, "no number"), errors.append)
    qtbot.waitUntil(lambda: len(errors) == 1)
    assert isinstance(errors[0], ValueError)


@pytest.mark.parametrize("end", ["stop", "close"])
def test_work_with_a_progress_ends_early(
    request_: Request, background: Background, qtbot: QtBot, end: str
) -> None:
    errors: list[object] = []
    with qtbot.waitSignal(request_.advanced) as advanced:
        request_.track(until_cancelled, errors.append, errors.append)
    assert advanced.args == [1, 3, "step"]
    if end == "close":
        assert background.close(10) == [], "all work has ended"
        return
    request_.stop()
    qtbot.waitUntil(lambda: len(errors) == 1)
    assert isinstance(errors[0], Cancelled)
    assert not request_.is_running


def test_work_of_a_deleted_owner_ends(background: Background, qtbot: QtBot) -> None:
    owner = QObject()
    request = Request(background, owner)
    found: list[object] = []
    with qtbot.waitSignal(request.advanced):
        request.track(until_cancelled, found.append, found.append)
    del request
    owner.deleteLater()
    qtbot.waitUntil(lambda: background.close(0) == [])
    assert found == []


def test_more_work_adds_no_connections(request_: Request, qtbot: QtBot) -> None:
    def connections() -> int:
        return request_.receivers(SIGNAL("destroyed(QObject*)"))

    before, found = connections(), list[object]()
    for _ in range(3):
        request_.track(lambda _progress: None, found.append)
    qtbot.waitUntil(lambda: bool(found))
    assert connections() == before


class Part(BaseModel):
    """A reply in parts."""

    number: int
    is_complete: bool


class Host:
    """Answers in three parts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, op: str, question: Part, reply: Callable[..., Part]) -> Future[Part]:
        self.asked.append(op)
        future: Future[Part] = Future()
        number = question.number + len(self.asked)
        future.set_result(reply(number=number, is_complete=len(self.asked) == 3))
        return future


def test_a_question_is_asked_until_its_reply_is_complete(request_: Request, qtbot: QtBot) -> None:
    host = Host()
    found: list[Part] = []
    make = partial(Part, number=10, is_complete=False)
    request_.ask(host, "count", make, Part, found.append)  # type: ignore[arg-type]  # asks alike
    qtbot.waitUntil(lambda: not request_.is_running)
    assert [each.number for each in found] == [11, 12, 13]
    assert host.asked == ["count"] * 3
