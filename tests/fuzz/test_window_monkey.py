"""The watch of long frames, and random use of the real window."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from helpers.frames import LONG_SECONDS, FrameWatch
from helpers.processes import clean_environment

TESTS = Path(__file__).parents[1]


def test_a_long_turn_of_the_event_loop_is_noted(qtbot: QtBot) -> None:
    watch = FrameWatch()

    def compute() -> None:
        end = time.thread_time() + 2 * LONG_SECONDS
        while time.thread_time() < end:
            pass

    watch.start()
    try:
        watch.after = "computing"
        QTimer.singleShot(0, compute)
        qtbot.waitUntil(lambda: any(each.computed > LONG_SECONDS for each in watch.frames))
    finally:
        watch.stop()
    assert {each.after for each in watch.frames} == {"computing"}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.timeout(4800)
@pytest.mark.parametrize(
    ("seed", "seconds"), [(1, 60), (2, 60), pytest.param(3, 3600, id="an hour")]
)
def test_random_use_of_the_window_raises_nothing(seed: int, seconds: int) -> None:
    program = [sys.executable, "-m", "fuzz.window_monkey", "--jobs", "--seed", str(seed)]
    program += ["--seconds", str(seconds)]
    environment = {**clean_environment(), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        program, cwd=TESTS, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
