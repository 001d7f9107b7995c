"""A record: a folder with a plan, a journal, artifacts, and the user's name and notes."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from studio.engine.errors import StudioError
from studio.engine.files import one_form
from studio.engine.messages import as_message, message

RECORD_FILE = "record.json"
PLAN_FILE = "plan.json"
NETWORK_FILE = "network.json"
LONGEST_WORD = 60


class RecordKind(enum.StrEnum):
    """Kind of a record; the value is its name in the window and in files."""

    DATASET = "dataset"
    RUN = "run"
    EVALUATION = "evaluation"
    EXPORT = "export"
    AUDIT = "audit"
    BASELINE = "baseline"
    PREFLIGHT = "preflight"
    SWEEP = "sweep"
    EMBEDDING = "embedding"
    BENCHMARK = "benchmark"
    OPERATIONS = "operations-benchmark"
    PREDICTIONS = "prediction-benchmark"
    NETWORK = "network"
    LABELING = "labeling"

    @property
    def label(self) -> str:
        """Name of the kind within messages."""
        return as_message(self.value)

    @property
    def folder(self) -> str:
        """Name of the folder in the workspace that holds records of this kind."""
        return f"{self.value}s"

    @property
    def plan_name(self) -> str:
        """Name of the file with the plan of a record, or with the network."""
        return NETWORK_FILE if self is RecordKind.NETWORK else PLAN_FILE


class RecordInfo(BaseModel, frozen=True):
    """Name and notes of a record (`record.json`)."""

    id: str
    kind: RecordKind
    name: str
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    notes: str = ""
    tags: tuple[str, ...] = ()
    group: str = ""
    """Group chosen by the user; empty for none."""

    def details(self) -> dict[str, object]:
        """Return group, tags and notes as plain data."""
        return {"group": self.group, "tags": list(self.tags), "notes": self.notes}


def checked_word(text: str) -> str:
    """Return a tag or the name of a group as a person typed it, trimmed.

    Raises:
        StudioError: It is too long, or contains a comma or a character that cannot be shown.
    """
    word = " ".join(one_form(text).split())
    if len(word) > LONGEST_WORD:
        raise StudioError(
            "A tag or group of {number} characters.",
            message("At most {limit}.", limit=LONGEST_WORD),
            number=len(word),
        )
    if "," in word or not word.isprintable():
        raise StudioError(
            "{text} contains a comma or an unprintable character.",
            "Use letters, digits, spaces and characters such as - _ ( ).",
            text=repr(word),
        )
    return word


def checked_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """Tags trimmed, each once whatever its case, in their order; empty ones are left out.

    Raises:
        StudioError: One is too long, or contains a comma or a character that cannot be shown.
    """
    words = (checked_word(text) for text in texts)
    first: dict[str, str] = {}
    for word in words:
        if word:
            first.setdefault(word.casefold(), word)
    return tuple(first.values())


@dataclass(frozen=True, slots=True)
class Record:
    """A handle on one record folder. The id never changes; the name may."""

    kind: RecordKind
    folder: Path

    @property
    def id(self) -> str:
        """The folder's name: unique among records of its kind, for ever."""
        return self.folder.name

    @property
    def plan_file(self) -> Path:
        """File of the plan, written before the job starts; for a network, the network."""
        return self.folder / self.kind.plan_name

    def file(self, relative: str) -> Path:
        """Return a file of the record that its journal names.

        Raises:
            StudioError: The path, or a link in it, leads out of the record's folder.
        """
        path = self.folder / relative
        if "\0" in relative or not path.resolve().is_relative_to(self.folder.resolve()):
            raise StudioError(
                'The {kind} "{record}" names the file {file}, which is outside its folder.',
                "Do not use records of this workspace that you do not trust.",
                str(self.folder),
                kind=self.kind.label,
                record=self.id,
                file=relative.replace("\0", "\ufffd"),
            )
        return path

    def info(self) -> RecordInfo:
        """Return name, creation time, notes, tags and group.

        Raises:
            StudioError: The file is gone or damaged.
        """
        path = self.folder / RECORD_FILE
        try:
            return RecordInfo.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise StudioError(
                "The {kind} in {folder} cannot be read: {file} is missing."
                if isinstance(error, OSError)
                else "The {kind} in {folder} cannot be read: {file} is damaged.",
                "Restore the file from a backup, or move the folder away.",
                str(path),
                kind=self.kind.label,
                folder=self.folder,
                file=RECORD_FILE,
            ) from error

    @property
    def name(self) -> str:
        """The name a person gave it."""
        return self.info().name
