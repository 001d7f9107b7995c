"""The window on a folder that is slow or gone, beside a second window, with odd names."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from helpers.runs import fake_run
from helpers.windows import OpenWindow
from studio.engine.errors import StudioError
from studio.engine.jobs.host import EngineHost
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.navigation import page_intent
from studio.ui.pages import PAGES
from studio.ui.shell.main_window import MainWindow

SLOW_SECONDS = 1.0
LONGEST_MS = 900.0
"""Between two ticks of a timer of 10 ms: less than one slow listing, much on a busy machine."""
NAMES = (
    "Cão de guarda – ação",
    "قطة سوداء",
    "🐈\N{ZERO WIDTH JOINER}⬛ et al.",
    'a "quoted" name, <b>x & more',
    "x" * 120,
)


@pytest.fixture(autouse=True)
def _no_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: object, **_more: object) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(StudioError("There is no engine in this test.", "None is needed."))
        return future

    monkeypatch.setattr(EngineHost, "warm_up", lambda host: None)
    monkeypatch.setattr(EngineHost, "ask", refused)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a run called `first`."""
    fake_run(Workspace.open(tmp_path / "work"), "first", [0.5, 0.7])
    return tmp_path / "work"


def _opened(open_window: OpenWindow, root: Path, qtbot: QtBot) -> MainWindow:
    window = open_window(root).window
    assert window is not None
    qtbot.waitUntil(lambda: window.context.jobs.is_loaded, timeout=20_000)
    return window


def _names(window: MainWindow) -> set[str]:
    return {entry.name for entry in window.context.jobs.entries(RecordKind.RUN)}


def _is(what: Callable[[MainWindow], set[str]], window: MainWindow, requested: set[str]) -> bool:
    return what(window) == requested


def _has(window: MainWindow, name: str) -> bool:
    return name in _names(window)


def _is_idle(window: MainWindow) -> bool:
    return window.context.background.is_idle


def _said(window: MainWindow) -> str:
    return " ".join(f"{card.notice.text} {card.notice.hint}" for card in window.notices.cards())


def test_a_folder_that_goes_away_comes_back(
    open_window: OpenWindow, root: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = _opened(open_window, root, qtbot)
    bugs: list[object] = []
    monkeypatch.setattr(MainWindow, "show_bug", lambda _window, error: bugs.append(error))
    away = root.rename(root.with_name("away"))
    qtbot.waitUntil(lambda: "Check that its disk is connected" in _said(window), timeout=20_000)
    for card in window.notices.cards():
        window.notices.dismiss(card.key)
    record = window.context.jobs.entries(RecordKind.RUN)[0].record
    with pytest.raises(StudioError, match="no longer exists"):
        window.context.workspace.rename(record, "other")
    window.context.jobs.restart(window.context.jobs.entries(RecordKind.RUN)[0])
    qtbot.waitUntil(lambda: "no longer exists" in _said(window), timeout=20_000)
    for page in PAGES:
        window.open(page_intent(page.name, record.id))
    qtbot.waitUntil(lambda: window.context.background.is_idle, timeout=20_000)
    assert bugs == []
    assert not root.exists(), "an empty workspace stands in the way of the real one"

    away.rename(root)
    fake_run(Workspace.open(root), "second", [0.5])
    qtbot.waitUntil(lambda: _names(window) == {"first", "second"}, timeout=20_000)


def test_a_slow_folder_holds_the_window_up_by_nothing(
    open_window: OpenWindow, root: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every listing takes a second; the window still works, and shows the run in the end."""
    quick, slow_polls, pause = os.scandir, [0], threading.Event()

    def slow(path: Any = ".") -> Any:
        if str(path).startswith(str(root)) and path != root:
            slow_polls[0] += 1
            assert threading.current_thread() is not threading.main_thread()
            if slow_polls[0] < 4:
                pause.wait(SLOW_SECONDS)
        return quick(path)

    window = open_window(root).window
    assert window is not None
    qtbot.waitExposed(window)
    window.context.jobs.close()  # it starts over, slowly
    monkeypatch.setattr(os, "scandir", slow)
    again = open_window(root).window
    assert again is not None
    qtbot.waitExposed(again)
    gaps, last = [0.0], [time.perf_counter()]

    def tick() -> None:
        now = time.perf_counter()
        gaps.append(1000 * (now - last[0]))
        last[0] = now

    timer = QTimer(again)
    timer.timeout.connect(tick)
    timer.start(10)
    qtbot.waitUntil(lambda: _names(again) == {"first"}, timeout=30_000)
    timer.stop()
    assert slow_polls[0] >= 4
    assert len(gaps) > 50
    assert max(gaps[5:]) < LONGEST_MS


def test_two_windows_lose_nothing_of_each_other(
    open_window: OpenWindow, root: Path, qtbot: QtBot
) -> None:
    windows = [_opened(open_window, root, qtbot), _opened(open_window, root, qtbot)]
    workspace = Workspace.open(root)
    records = [fake_run(workspace, name, [0.5]) for name in NAMES]
    requested = {"first", *NAMES}
    for window in windows:
        qtbot.waitUntil(partial(_is, _names, window, requested), timeout=20_000)
        window.open(page_intent("train", records[1].id))
    for number in range(6):  # both at once, each its own tags
        for side, window in enumerate(windows):
            own = window.context.workspace
            work = partial(own.retag, records[0], [f"tag {side}-{number}"])
            window.context.background.run(window, work)
    all_tags = {f"tag {side}-{number}" for side in (0, 1) for number in range(6)}

    def tags(window: MainWindow) -> set[str]:
        entry = window.context.jobs.get(RecordKind.RUN, records[0].id)
        return set() if entry is None else set(entry.info.tags)

    for window in windows:
        qtbot.waitUntil(partial(_is, tags, window, all_tags), timeout=20_000)
    refused: list[BaseException] = []
    for record, window in zip(records[1:3], windows, strict=True):
        work = partial(window.context.workspace.rename, record, "the same")
        window.context.background.run(window, work, failed=refused.append)
    for window in windows:
        qtbot.waitUntil(partial(_has, window, "the same"), timeout=20_000)
        qtbot.waitUntil(partial(_is_idle, window), timeout=20_000)
    assert len(refused) == 1
    assert "already taken" in str(refused[0])
    assert len(workspace.infos(RecordKind.RUN)) == len(requested)
