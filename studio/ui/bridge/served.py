"""The connection to the server of a served workspace, with a signal of its changes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:  # few windows need it
    from studio.engine.served.follower import LinkStatus, ServerFollower


class ServedLink(QObject):
    """Shows the window how a follower is doing; see `ServerFollower`.

    Args:
        follower: The follower.
        parent: Owner.

    Signals:
        changed: The new `LinkStatus`; in the window's thread.
    """

    changed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, follower: ServerFollower, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._follower = follower
        self._arrived.connect(self.changed)
        follower.add_listener(self._receive)

    @property
    def status(self) -> LinkStatus:
        """State of the connection."""
        return self._follower.status

    def start(self) -> None:
        """Begin to follow the server, once."""
        self._follower.start()

    def close(self) -> None:
        """End soon; jobs on the server continue."""
        self._follower.close()

    def _receive(self, status: LinkStatus) -> None:
        with contextlib.suppress(RuntimeError):  # the window was closed meanwhile
            self._arrived.emit(status)
