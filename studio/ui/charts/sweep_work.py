"""What a view of a sweep wants done outside the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QObject


class Work(NamedTuple):
    """A call, and who is told what came out.

    Attributes:
        owner: When it is deleted, nobody is told.
        call: Touches no widget.
        done: Called in the window's thread with the result.
    """

    owner: QObject
    call: Callable[[], Any]
    done: Callable[[Any], None]
