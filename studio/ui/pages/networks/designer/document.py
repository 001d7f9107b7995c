"""A drawing with its past and future: undo, redo, and what was saved. Free of Qt.

Immutable: every step gives another document, so that nothing that holds one sees it change.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import Final, Self

from studio.engine.networks.spec import NetworkSpec

MOST_STEPS: Final = 200


def _new_key() -> str:
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class Step:
    """A state that one can go back or forward to.

    Attributes:
        spec: The drawing in that state.
        what: Name of the change between that state and its neighbor towards the present.
    """

    spec: NetworkSpec
    what: str


@dataclass(frozen=True, slots=True)
class NetworkDocument:
    """A drawing and how it came about.

    Attributes:
        spec: The drawing as it is.
        saved: As it was when last saved; None where it never was.
        past: States before, the latest last.
        future: States that were undone, the nearest last.
        merging: Kind of the latest change; another one of the same kind becomes one with it.
        key: Tells it from every other document, whatever is changed in it.
        record_id: The saved network that it is; empty where it is none.
        weights_file: The model's file that it was read from; empty where it is of none.
    """

    spec: NetworkSpec
    saved: NetworkSpec | None = None
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    merging: str = ""
    key: str = field(default_factory=_new_key, compare=False)
    record_id: str = ""
    weights_file: str = ""

    @classmethod
    def opened(cls, spec: NetworkSpec, record_id: str = "", weights_file: str = "") -> Self:
        """A drawing that was just opened: nothing to undo, nothing to save."""
        return cls(spec, spec, record_id=record_id, weights_file=weights_file)

    @property
    def is_dirty(self) -> bool:
        """Whether it differs from what was saved."""
        return self.spec is not self.saved and self.spec != self.saved

    @property
    def undo_word(self) -> str:
        """Name of the change that `undo` takes back; empty where there is none."""
        return self.past[-1].what if self.past else ""

    @property
    def redo_word(self) -> str:
        """Name of the change that `redo` brings back; empty where there is none."""
        return self.future[-1].what if self.future else ""

    def changed(self, spec: NetworkSpec, what: str, merge: str = "") -> Self:
        """The document after a change.

        Args:
            spec: The drawing after it.
            what: Name of the change, for the undo button.
            merge: Kind of the change: typing on in the same field, or pressing the same arrow
                again, gives the same kind and is undone in one go. Empty never merges.
        """
        if spec is self.spec or spec == self.spec:
            return self
        goes_on = bool(merge) and merge == self.merging and bool(self.past)
        past = self.past if goes_on else (*self.past, Step(self.spec, what))[-MOST_STEPS:]
        return replace(self, spec=spec, past=past, future=(), merging=merge)

    def settled(self, spec: NetworkSpec) -> Self:
        """With places that were found for a drawing just opened: no change of it, no step."""
        saved = spec if self.saved is self.spec else self.saved
        return replace(self, spec=spec, saved=saved)

    def undo(self) -> Self:
        """The document before its latest change; the same where there is none."""
        if not self.past:
            return self
        *past, step = self.past
        future = (*self.future, Step(self.spec, step.what))
        return replace(self, spec=step.spec, past=tuple(past), future=future, merging="")

    def redo(self) -> Self:
        """The document after the change that was undone last; the same where there is none."""
        if not self.future:
            return self
        *future, step = self.future
        past = (*self.past, Step(self.spec, step.what))
        return replace(self, spec=step.spec, past=past, future=tuple(future), merging="")

    def as_saved(
        self, sent: NetworkSpec | None = None, name: str = "", record_id: str = ""
    ) -> Self:
        """The document once a state of it is kept.

        Args:
            sent: The state that was kept, when it may have changed since; the present one else.
            name: What it is called now, where that is not as was asked for.
            record_id: The saved network that it is now, where that is another one.
        """
        kept, spec = sent or self.spec, self.spec
        if name and name != kept.name:
            kept = kept.model_copy(update={"name": name})
            spec = spec.model_copy(update={"name": name})
        record_id = record_id or self.record_id
        return replace(self, spec=spec, saved=kept, merging="", record_id=record_id)
