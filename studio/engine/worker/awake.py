"""Keeps the computer from going to sleep while a job is at work; the screen may turn off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.workspace import read_limits


@contextlib.contextmanager
def computer_awake(root: Path) -> Iterator[None]:
    """Keep the computer awake as long as the block runs, unless the workspace says not to.

    The request belongs to this process, so the system drops it when the process dies. Where the
    system takes no such request, as on a server without a desktop, nothing happens.

    Args:
        root: The folder of the workspace, which has the setting.
    """
    if not _is_wanted(root):
        yield
        return
    from wakepy import keep  # noqa: PLC0415 - most processes do without it

    mode = keep.running(on_fail="pass")
    mode.__enter__()
    try:
        yield
    finally:
        # It says so where the system does not answer; the request ends with the process then.
        with contextlib.suppress(RuntimeError):
            mode.__exit__(None, None, None)


def _is_wanted(root: Path) -> bool:
    try:
        return read_limits(root).keep_awake
    except (OSError, StudioError):  # the queue reports a damaged file
        return True
