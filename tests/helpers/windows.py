"""What tests of windows share."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from studio.ui.app import StudioApp

OpenWindow = Callable[[Path], StudioApp]


@contextmanager
def garbage_in_the_main_thread(app: QApplication) -> Iterator[None]:
    """Collect garbage after the block only.

    Windows that a test leaves behind are reference cycles. A collection that happens to start in
    a background thread would destroy them there, which Qt does not survive. The product guards
    itself in the same way (`studio.ui.shell.garbage`). What was there before is left out: to look
    through all of TensorFlow, where another test has loaded it, takes a second or two.
    """
    gc.disable()
    gc.freeze()
    yield
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    gc.enable()
