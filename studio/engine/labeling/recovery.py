"""Labels that could not be written when a labeling was closed, in files of its record.

Another program held the lock of the labeling. `keeping` makes the calls in memory and writes what
they changed into a file of its own, which needs no lock; `recover` adds it to the labeling later.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.engine.errors import BadDataError
from studio.engine.files import read_failure, write_atomically
from studio.engine.labeling.journal import Change, DecisionLine, Label
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import AnyValue, BoxesEdit

_PATTERN: Final = "unsaved-*.json"


class UnsavedLabels(BaseModel):
    """Content of a recovery file.

    Attributes:
        known: Number of classes that the labeling had.
        added: Classes that were added behind them.
        renamed: Classes that were changed, by their index: before and after.
        decisions: One for each picture whose label changed.
    """

    model_config = ConfigDict(extra="forbid")

    known: int
    added: tuple[LabelClass, ...] = ()
    renamed: dict[int, tuple[LabelClass, LabelClass]] = {}
    decisions: tuple[DecisionLine, ...] = ()


@dataclass(slots=True)
class Kept:
    """Number of labels in the recovery file, known when `keeping` ends."""

    count: int = 0


@dataclass(slots=True)
class Recovered:
    """Labels of recovery files.

    Attributes:
        items: Pictures that were labeled.
        older: Number of labels that were left out: their pictures have newer ones.
    """

    items: list[int] = field(default_factory=list)
    older: int = 0


@contextlib.contextmanager
def keeping(labeling: Labeling) -> Iterator[Kept]:
    """Write what is decided inside of it into a recovery file, without the lock.

    Args:
        labeling: The labeling; nothing else may be done with it afterwards.

    Raises:
        OSError: The file could not be written.
    """
    kept = Kept()
    with labeling.in_memory():
        classes, before = list(labeling.classes), dict(labeling.labels_by(labeling.annotator))
        yield kept
        unsaved = _changes(labeling, classes, before)
    kept.count = len(unsaved.decisions)
    if unsaved != UnsavedLabels(known=unsaved.known):
        path = labeling.record.folder / _PATTERN.replace("*", secrets.token_hex(4))
        write_atomically(path, unsaved.model_dump_json())


def _changes(
    labeling: Labeling, classes: Sequence[LabelClass], before: dict[int, Label]
) -> UnsavedLabels:
    after, number = labeling.labels_by(labeling.annotator), len(classes)
    now = labeling.classes
    items = sorted(item for item in {*before, *after} if before.get(item) != after.get(item))
    return UnsavedLabels(
        known=number,
        added=now[number:],
        renamed={
            index: (old, now[index]) for index, old in enumerate(classes) if old != now[index]
        },
        decisions=tuple(_decision(labeling.annotator, item, after.get(item)) for item in items),
    )


def _decision(annotator: str, item: int, label: Label | None) -> DecisionLine:
    if label is None:
        return DecisionLine(by=annotator, changes=(Change(item=item, value=None),), via="key")
    change = Change(
        item=item, value=label.value, proposed=label.proposed, probability=label.probability
    )
    return DecisionLine(
        by=annotator, t=label.t, changes=(change,), via=label.via, seconds=label.seconds
    )


def recover(labeling: Labeling, seconds: float = 0) -> Recovered:
    """Add the labels of recovery files to a labeling, and remove the files.

    Args:
        labeling: The labeling.
        seconds: Maximum time to wait for another program; 0 tries once.

    Raises:
        LabelingBusyError: Another program is writing; the files stay.
        BadDataError: A file cannot be read; it stays.
    """
    recovered = Recovered()
    paths = sorted(labeling.record.folder.glob(_PATTERN))
    if paths:
        with labeling.held(seconds):
            labeling.refresh()
            for path in paths:
                _add(labeling, _read(path), recovered)
                path.unlink()
    return recovered


def _read(path: Path) -> UnsavedLabels:
    try:
        return UnsavedLabels.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        reason = read_failure(error) if isinstance(error, OSError) else "it is damaged"
        raise BadDataError(
            "Unsaved labels in {file} cannot be read: {reason}.",
            "Restore the file from a backup, or move it out of the folder.",
            str(path),
            file=path,
            reason=reason,
        ) from error


def _add(labeling: Labeling, unsaved: UnsavedLabels, recovered: Recovered) -> None:
    for index, (before, after) in unsaved.renamed.items():
        if labeling.classes[index] == before:
            labeling.change_class(index, after)
    # Another program may have added classes meanwhile.
    indices = [*range(unsaved.known), *map(labeling.add_class, unsaved.added)]
    for line in unsaved.decisions:
        (change,) = line.changes
        newer = labeling.labels_by(line.by).get(change.item)
        if newer is not None and newer.t > line.t:
            recovered.older += 1
            continue
        changed = _with_classes(labeling, change, indices)
        labeling.replay(line.model_copy(update={"changes": (changed,)}))
        recovered.items.append(change.item)


def _with_classes(labeling: Labeling, change: Change, indices: Sequence[int]) -> Change:
    """Return a change with the indices that its classes have now."""
    if list(indices) == list(range(len(labeling.classes))):
        return change

    def now(value: AnyValue | BoxesEdit | None) -> AnyValue | None:
        if value is None or isinstance(value, BoxesEdit):
            return None
        return labeling.editor.renumbered(labeling, change.item, value, indices)

    return change.model_copy(update={"value": now(change.value), "proposed": now(change.proposed)})
