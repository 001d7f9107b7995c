"""Waiting for a condition instead of for a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LOOK_SECONDS = 0.02


def wait_until(condition: Callable[[], object], what: str, timeout: float = 150.0) -> None:
    """Return as soon as `condition` holds; fail with a message when it does not in time.

    Long limits cost nothing when all is well; workers are slow on a busy machine.
    """
    pause = threading.Event()
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"After {timeout:g} seconds still not: {what}")
        pause.wait(LOOK_SECONDS)
