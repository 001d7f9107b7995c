r"""Decisions of a labeling: one line of `labels.jsonl` each.

**Lines.** A decision gives one or more pictures a value, or takes it away. Undo and redo are
lines, too, and refer to the last decision of the same annotator. Added and renamed classes are
lines that cannot be undone. The state is the replay of the journal; nothing else is stored.
Boxes that were edited are stored as the difference to the last label of the same annotator.

**Who may write.** The holder of `labels.lock`, for the moment of an append. **Who may read.** Any
process: whole lines only. The rest of a line that a killed writer left is ignored by readers; the
next writer cuts it: at most the last decision is lost.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.values import AnyValue, BoxesEdit, Value, Via

LABELS_NAME: Final = "labels.jsonl"
ITEMS_NAME: Final = "items.jsonl"
LOCK_NAME: Final = "labels.lock"
DEFAULT_ANNOTATOR: Final = ""
"""Annotator of those who did not give a name."""
_WHOLE_EVERY: Final = 32
"""Number of decisions after which a whole value is stored: a damaged line spoils few others."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    by: str = DEFAULT_ANNOTATOR
    t: float = Field(default_factory=time.time)


class Change(BaseModel):
    """The new value of a picture.

    Attributes:
        item: Number of the picture.
        value: Its value; None to take it away. An edit is only found in the journal.
        proposed: Value that was proposed when the decision was made; None without a proposal.
        probability: Probability of the proposal, 0 to 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: int = Field(ge=0)
    value: Annotated[Value | BoxesEdit, Field(discriminator="kind")] | None
    proposed: AnyValue | None = None
    probability: float | None = None


class DecisionLine(_Line):
    """One decision of a person about one or more pictures.

    Attributes:
        changes: The new values, each whole or as an edit of the label before.
        via: How the decision was made.
        seconds: Time from when the picture was shown until the decision; None if not measured.
        by: The annotator.
        t: Seconds since 1970, UTC.
    """

    action: Literal["label"] = "label"
    changes: tuple[Change, ...]
    via: Via
    seconds: float | None = None


class UndoLine(_Line):
    """Undoes the last decision of the annotator."""

    action: Literal["undo"] = "undo"


class RedoLine(_Line):
    """Redoes the decision that was undone last."""

    action: Literal["redo"] = "redo"


class AddClassLine(_Line):
    """Add a class, label or quantity behind the others."""

    action: Literal["add_class"] = "add_class"
    added: LabelClass


class ChangeClassLine(_Line):
    """Give a class another name, color or unit."""

    action: Literal["change_class"] = "change_class"
    index: int = Field(ge=0)
    changed: LabelClass


Line: TypeAlias = DecisionLine | UndoLine | RedoLine | AddClassLine | ChangeClassLine
LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="action")])


@dataclass(frozen=True, slots=True)
class Label:
    """The value of a picture by an annotator, with how it came about.

    Attributes:
        item: Number of the picture.
        value: Its value.
        by: The annotator.
        via: How the decision was made.
        seconds: Time that the decision took; None if not measured.
        t: Time of the decision in seconds since 1970, UTC.
        step: Number of the decision among all of the journal, from 0.
        proposed: Value that was proposed; None without a proposal.
        probability: Probability of the proposal.
    """

    item: int
    value: Value
    by: str
    via: Via
    seconds: float | None
    t: float
    step: int
    proposed: Value | None = None
    probability: float | None = None


_Change: TypeAlias = tuple[int, Label | None, Label | None]
"""A picture, its label before, and its label after a decision."""


@dataclass(slots=True)
class _Annotator:
    """Labels of one annotator, and the decisions that can be undone and redone."""

    labels: dict[int, Label] = field(default_factory=dict)
    done: list[tuple[_Change, ...]] = field(default_factory=list)
    undone: list[tuple[_Change, ...]] = field(default_factory=list)


class LabelState:
    """The replay of a journal.

    Attributes:
        classes: Classes as they are now.
        decisions: Number of decisions in the journal, undone ones included.
        damaged: Number of lines that could not be read and were passed over.
    """

    def __init__(self, classes: Sequence[LabelClass]) -> None:
        self.classes: list[LabelClass] = list(classes)
        self.decisions = 0
        self.damaged = 0
        self._people: dict[str, _Annotator] = {}
        self._newest: dict[int, Label] = {}

    @property
    def annotators(self) -> list[str]:
        """Annotators that decided something, in the order of their first decisions."""
        return list(self._people)

    @property
    def newest(self) -> Mapping[int, Label]:
        """The newest label of each picture, of all annotators."""
        return self._newest

    def labels_by(self, annotator: str) -> Mapping[int, Label]:
        """Return the labels that an annotator gave."""
        known = self._people.get(annotator)
        return {} if known is None else known.labels

    def undoable(self, annotator: str) -> tuple[int, ...]:
        """Return the pictures of the decision that `undo` reverts; none without one."""
        return self._top(annotator, "done")

    def redoable(self, annotator: str) -> tuple[int, ...]:
        """Return the pictures of the decision that `redo` brings back; none without one."""
        return self._top(annotator, "undone")

    def apply(self, line: Line) -> tuple[int, ...]:
        """Apply a line.

        Returns:
            The pictures whose labels changed.
        """
        if isinstance(line, AddClassLine):
            self.classes.append(line.added)
            return ()
        if isinstance(line, ChangeClassLine):
            if line.index < len(self.classes):
                self.classes[line.index] = line.changed
            return ()
        person = self._people.setdefault(line.by, _Annotator())
        if isinstance(line, UndoLine):
            return self._move(person, person.done, person.undone, forward=False)
        if isinstance(line, RedoLine):
            return self._move(person, person.undone, person.done, forward=True)
        return self._decide(person, line)

    def compact(self, line: DecisionLine) -> DecisionLine:
        """Return a decision as it is stored next: edited boxes as edits."""
        labels = self.labels_by(line.by)
        if self.decisions % _WHOLE_EVERY == 0:
            return line
        changes: dict[int, Change] = {}
        for change in line.changes:
            if change.item in changes:  # its edit would be one of a label that is never stored
                return line
            changes[change.item] = change
            before, value = labels.get(change.item), change.value
            if before is None or value is None or isinstance(value, BoxesEdit):
                continue
            edit = value.edit_of(before.value, before.t)
            if edit is not None:
                changes[change.item] = change.model_copy(update={"value": edit})
        return line.model_copy(update={"changes": tuple(changes.values())})

    def _decide(self, person: _Annotator, line: DecisionLine) -> tuple[int, ...]:
        try:
            values = [_whole(change, person.labels.get(change.item)) for change in line.changes]
        except ValueError:
            self.damaged += 1
            return ()
        made: list[_Change] = []
        for change, value in zip(line.changes, values, strict=True):
            label = (
                None
                if value is None
                else Label(
                    change.item,
                    value,
                    line.by,
                    line.via,
                    line.seconds,
                    line.t,
                    self.decisions,
                    change.proposed,
                    change.probability,
                )
            )
            made.append((change.item, person.labels.get(change.item), label))
            self._put(person, change.item, label)
        self.decisions += 1
        person.done.append(tuple(made))
        person.undone.clear()
        return tuple(item for item, _, _ in made)

    def _move(
        self,
        person: _Annotator,
        source: list[tuple[_Change, ...]],
        target: list[tuple[_Change, ...]],
        *,
        forward: bool,
    ) -> tuple[int, ...]:
        if not source:
            return ()
        step = source.pop()
        target.append(step)
        for item, before, after in step if forward else reversed(step):
            self._put(person, item, after if forward else before)
        return tuple(item for item, _, _ in step)

    def _put(self, person: _Annotator, item: int, label: Label | None) -> None:
        if label is None:
            person.labels.pop(item, None)
        else:
            person.labels[item] = label
        known = [each.labels[item] for each in self._people.values() if item in each.labels]
        if known:
            self._newest[item] = max(known, key=lambda each: each.step)
        else:
            self._newest.pop(item, None)

    def _top(self, annotator: str, stack: Literal["done", "undone"]) -> tuple[int, ...]:
        person = self._people.get(annotator)
        steps = [] if person is None else getattr(person, stack)
        return tuple(item for item, _, _ in steps[-1]) if steps else ()


def _whole(change: Change, before: Label | None) -> Value | None:
    """Return the value of a stored change.

    Raises:
        ValueError: The label that it edits is missing: its line was damaged.
    """
    if not isinstance(change.value, BoxesEdit):
        return change.value
    if before is None or before.t != change.value.of:
        raise ValueError("the label that was edited is missing")
    return change.value.applied(before.value)
