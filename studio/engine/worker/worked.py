"""How long a sweep has been at work, whoever led it."""

from __future__ import annotations

from pathlib import Path

from studio.engine.jobs.events import AnyEvent, StateChanged
from studio.engine.jobs.journal import JOURNAL_FILE, JournalReader
from studio.engine.jobs.states import State


def worked_seconds(folder: Path) -> float:
    """How long conductors have been at work on a sweep before this one.

    Of one that was killed the time until its last word counts.
    """
    events = JournalReader(folder / JOURNAL_FILE).read()
    total, began, before = 0.0, None, None
    for event in events:
        if isinstance(event, StateChanged) and event.state == State.RUNNING:
            began = event.t
        elif began is not None and _is_end(event):
            lost = isinstance(event, StateChanged) and event.state == State.LOST
            total += (before.t if lost and before is not None else event.t) - began
            began = None
        before = event
    return total


def _is_end(event: AnyEvent) -> bool:
    return isinstance(event, StateChanged) and event.state.is_at_rest
