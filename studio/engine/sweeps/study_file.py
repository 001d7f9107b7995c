"""The file of a study: a journal of Optuna's, opened whatever a killed process left in it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optuna.storages import BaseStorage


def storage_in(path: Path) -> BaseStorage:
    """Optuna's storage in a file; whoever asks for it must be alone with that file."""
    from optuna.storages.journal import (  # noqa: PLC0415 - takes half a second, see the package
        JournalFileBackend,
        JournalFileOpenLock,
        JournalStorage,
    )

    class Alone(JournalFileOpenLock):
        """Nobody else is there; a lock in a file would be one more that a kill leaves."""

        def acquire(self) -> bool:
            return True

        def release(self) -> None:
            """Nothing was taken."""

    return JournalStorage(JournalFileBackend(str(path), Alone(str(path))))


def cut_torn_line(path: Path) -> None:
    """Cut off a line that a killed writer left: Optuna reads no file with such a line inside."""
    with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
        data = file.read()
        end = data.rfind(b"\n") + 1
        if end != len(data):
            file.truncate(end)
            os.fsync(file.fileno())
