"""Waiting for a condition instead of for a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import psutil

POLL_SECONDS = 0.02


def patience(seconds: float = 20.0) -> float:
    """Return the seconds to wait for what takes far less: more on a busy machine and in CI."""
    busy = psutil.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * (6.0 if "CI" in os.environ else min(max(1.0, 2 * busy), 10.0))


def wait_until(condition: Callable[[], object], what: str, timeout: float | None = None) -> None:
    """Return as soon as a condition holds.

    Args:
        condition: Checked many times.
        what: The condition in words, for the message of the failure.
        timeout: Seconds after which the test fails; `patience(40)` if None, enough for a training.
    """
    pause = threading.Event()
    limit = patience(40) if timeout is None else timeout
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"After {limit:g} seconds still not: {what}")
        pause.wait(POLL_SECONDS)
