"""What the page says about a dataset as a whole. Called in background threads."""

from __future__ import annotations

from pathlib import Path

from studio.engine.workspace import Record, Workspace


def size_of(folder: Path) -> int:
    """Bytes of everything in the folder of a dataset."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue  # it went away while we looked
    return total


def annotate(workspace: Workspace, record: Record, notes: str) -> None:
    """Keep what a person wrote about a dataset.

    Raises:
        StudioError: The record is gone.
    """
    workspace.annotate(record, notes, record.info().tags)
