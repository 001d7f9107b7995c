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

from studio.ui.app import StudioApp

OpenWindow = Callable[[Path], StudioApp]

PATIENCE = 120_000
"""Milliseconds; long limits cost nothing when all is well, and machines can be very busy."""


class PatientQtBot(QtBot):
    """Waits longer for what must come: how long that takes says nothing about the code."""

    def waitUntil(  # noqa: N802 - its name there
        self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE
    ) -> None:
        """As `QtBot.waitUntil`, for no shorter time than `PATIENCE`."""
        super().waitUntil(callback, timeout=max(timeout, PATIENCE))

    def waitSignal(  # noqa: N802 - its name there
        self,
        signal: SignalInstance,
        *,
        timeout: int = PATIENCE,
        raising: bool | None = None,
        check_params_cb: CheckParamsCb | None = None,
    ) -> SignalBlocker:
        """As `QtBot.waitSignal`; what must come is waited for as long as `PATIENCE`."""
        patient = timeout if raising is False else max(timeout, PATIENCE)
        return super().waitSignal(
            signal, timeout=patient, raising=raising, check_params_cb=check_params_cb
        )


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
