"""What tests of windows share."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent, SignalInstance
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import CheckParamsCb, SignalBlocker

from helpers.waiting import patience
from studio.ui.app import StudioApp

OpenWindow = Callable[[Path], StudioApp]


class PatientQtBot(QtBot):
    """Waits longer for what must come: how long that takes says nothing about the code."""

    def waitUntil(  # noqa: N802 - its name there
        self, callback: Callable[[], bool | None], *, timeout: int = 5000
    ) -> None:
        """As `QtBot.waitUntil`, for at least the time that the machine needs."""
        super().waitUntil(callback, timeout=_longer(timeout))

    def waitSignal(  # noqa: N802 - its name there
        self,
        signal: SignalInstance,
        *,
        timeout: int = 5000,
        raising: bool | None = None,
        check_params_cb: CheckParamsCb | None = None,
    ) -> SignalBlocker:
        """As `QtBot.waitSignal`, for at least the time that the machine needs if it must come."""
        limit = timeout if raising is False else _longer(timeout)
        return super().waitSignal(
            signal, timeout=limit, raising=raising, check_params_cb=check_params_cb
        )


def _longer(milliseconds: int) -> int:
    return max(milliseconds, int(patience(20) * 1000))


@contextmanager
def garbage_in_the_main_thread(app: QApplication) -> Iterator[None]:
    """Collect garbage after the block only.

    Windows that a test leaves behind are reference cycles. A collection that happens to start in
    a background thread would destroy them there, which Qt does not survive. The product guards
    itself in the same way (`studio.ui.shell.window_process`). What was there before is left out:
    to look through all of TensorFlow, where another test has loaded it, takes a second or two.
    """
    gc.disable()
    gc.freeze()
    yield
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    gc.enable()
