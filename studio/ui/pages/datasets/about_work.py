"""What the page says about a dataset as a whole. Called in background threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from studio.engine.datasets.sources.base import Skipped
from studio.engine.workspace import Record, Workspace


@dataclass(frozen=True, slots=True)
class ClassLine:
    """A class with its images by split, and how many of its files were left out."""

    name: str
    counts: dict[str, int]
    failed: int

    @property
    def total(self) -> int:
        """Images in all splits."""
        return sum(self.counts.values())


def class_lines(
    classes: Sequence[str], counts: dict[str, list[int]], skipped: Sequence[Skipped]
) -> list[ClassLine]:
    """One line per class, in the order of the labels."""
    failed = failures(classes, skipped)
    return [
        ClassLine(name, {split: of[index] for split, of in counts.items()}, failed[name])
        for index, name in enumerate(classes)
    ]


def failures(classes: Sequence[str], skipped: Sequence[Skipped]) -> Counter[str]:
    """How many files of each class were left out; files outside all class folders are not told."""
    known = set(classes)
    found: Counter[str] = Counter()
    for entry in skipped:
        folders = PurePosixPath(entry.path.replace("\\", "/")).parts[:-1]
        # The innermost first: a class may be called like a folder around it.
        name = next((part for part in reversed(folders) if part in known), None)
        if name is not None:
            found[name] += 1
    return found


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
