"""Drawings of networks with their past and future, and the files of those that are not saved.

Immutable: every step gives another document, so that nothing that holds one sees it change.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import remove, write_atomically
from studio.engine.networks.spec import NetworkSpec

FOLDER: Final = "drafts"
"""Folder of the drafts in a workspace."""
MAX_STEPS: Final = 200


def _new_key() -> str:
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class DraftStep:
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
        saved: Last saved state; None if never saved.
        past: States before, the latest last.
        future: States that were undone, the nearest last.
        merging: Kind of the latest change; another one of the same kind becomes one with it.
        key: Identifies the document, independent of its changes.
        record_id: The saved network that it is; empty if it is not saved.
        weights_file: The model's file that it was read from; empty where it is of none.
    """

    spec: NetworkSpec
    saved: NetworkSpec | None = None
    past: tuple[DraftStep, ...] = ()
    future: tuple[DraftStep, ...] = ()
    merging: str = ""
    key: str = field(default_factory=_new_key, compare=False)
    record_id: str = ""
    weights_file: str = ""

    @classmethod
    def opened(cls, spec: NetworkSpec, record_id: str = "", weights_file: str = "") -> Self:
        """Return the document of a newly opened drawing.

        Args:
            spec: The network.
            record_id: The saved network that it is; empty for none.
            weights_file: The file of the model that it was read from; empty for none.
        """
        return cls(spec, spec, record_id=record_id, weights_file=weights_file)

    @property
    def is_dirty(self) -> bool:
        """True if it differs from the saved drawing."""
        return self.spec is not self.saved and self.spec != self.saved

    @property
    def undo_word(self) -> str:
        """Name of the change that `undo` reverts; empty for none."""
        return self.past[-1].what if self.past else ""

    @property
    def redo_word(self) -> str:
        """Name of the change that `redo` repeats; empty for none."""
        return self.future[-1].what if self.future else ""

    def changed(self, spec: NetworkSpec, what: str, merge: str = "") -> Self:
        """Return the document after a change.

        Args:
            spec: The drawing after it.
            what: Name of the change, for the undo button.
            merge: Kind of the change: typing on in the same field, or pressing the same arrow
                again, gives the same kind and is undone in one go. Empty never merges.
        """
        if spec is self.spec or spec == self.spec:
            return self
        goes_on = bool(merge) and merge == self.merging and bool(self.past)
        past = self.past if goes_on else (*self.past, DraftStep(self.spec, what))[-MAX_STEPS:]
        return replace(self, spec=spec, past=past, future=(), merging=merge)

    def settled(self, spec: NetworkSpec) -> Self:
        """Return the document with a computed layout, without an undo step."""
        saved = spec if self.saved is self.spec else self.saved
        return replace(self, spec=spec, saved=saved)

    def undo(self) -> Self:
        """Return the document before its latest change; itself if there is none."""
        if not self.past:
            return self
        *past, step = self.past
        future = (*self.future, DraftStep(self.spec, step.what))
        return replace(self, spec=step.spec, past=tuple(past), future=future, merging="")

    def redo(self) -> Self:
        """Return the document with the last undone change; itself if there is none."""
        if not self.future:
            return self
        *future, step = self.future
        past = (*self.past, DraftStep(self.spec, step.what))
        return replace(self, spec=step.spec, past=past, future=tuple(future), merging="")

    def as_saved(
        self, sent: NetworkSpec | None = None, name: str = "", record_id: str = ""
    ) -> Self:
        """Return the document after a state of it was saved.

        Args:
            sent: The state that was kept, when it may have changed since; the present one else.
            name: New name, if it is not the requested one.
            record_id: The saved network that it is now, where that is another one.
        """
        stored, spec = sent or self.spec, self.spec
        if name and name != stored.name:
            stored = stored.model_copy(update={"name": name})
            spec = spec.model_copy(update={"name": name})
        record_id = record_id or self.record_id
        return replace(self, spec=spec, saved=stored, merging="", record_id=record_id)


class _Draft(BaseModel):
    """Contents of the file of a draft."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    spec: NetworkSpec
    saved: NetworkSpec | None
    record_id: str
    weights_file: str


class DraftFolder:
    """The files of the drafts; several threads may write, and the latest order counts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._latest: dict[str, int] = {}

    def put(self, document: NetworkDocument, number: int) -> None:
        """Write the draft of a drawing with unsaved changes, or delete it if there are none.

        Args:
            document: The drawing.
            number: Number of the order; an order that is overtaken by a later one does nothing.

        Raises:
            DiskFullError: No space was left.
            StudioError: The workspace no longer exists; it is not created.
        """
        with self._lock:
            if number < self._latest.get(document.key, 0):
                return
            self._latest[document.key] = number
            path = self._folder / f"{document.key}.json"
            if not document.is_dirty:
                remove(path)
                return
            if not self._folder.parent.is_dir():
                raise StudioError(
                    "The workspace {workspace} no longer exists, so the drawing cannot be saved.",
                    "Connect its disk or bring the folder back.",
                    workspace=self._folder.parent,
                )
            draft = _Draft(
                spec=document.spec,
                saved=document.saved,
                record_id=document.record_id,
                weights_file=document.weights_file,
            )
            write_atomically(path, draft.model_dump_json())

    def read(self) -> tuple[list[NetworkDocument], list[BadDataError]]:
        """Return the drafts, oldest first, and errors for those that cannot be read.

        These are left where they are: a newer Studio may know better.
        """
        found: list[NetworkDocument] = []
        unread: list[BadDataError] = []
        paths = sorted(self._folder.glob("[!.]*.json"), key=lambda path: path.stat().st_mtime)
        for path in paths:
            try:
                draft = _Draft.model_validate_json(path.read_bytes())
            except (OSError, ValidationError):
                unread.append(_unread(path))
                continue
            document = NetworkDocument(
                draft.spec,
                draft.saved,
                key=path.stem,
                record_id=draft.record_id,
                weights_file=draft.weights_file,
            )
            found.append(document)
        return found, unread


def _unread(path: Path) -> BadDataError:
    return BadDataError(
        "An unsaved drawing cannot be read: {path}.",
        "A newer Studio may be able to read it. Delete the file to remove this message.",
        str(path),
        path=path,
    )
