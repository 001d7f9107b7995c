"""A record: one folder with a plan, a journal, artifacts, and what a person wrote about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.engine.errors import StudioError

RECORD_FILE = "record.json"
PLAN_FILE = "plan.json"
NETWORK_FILE = "network.json"


class RecordKind(enum.StrEnum):
    """What a record is about; the value is the word that people and files use."""

    DATASET = "dataset"
    RUN = "run"
    EVALUATION = "evaluation"
    EXPORT = "export"
    AUDIT = "audit"
    BASELINE = "baseline"
    NETWORK = "network"

    @property
    def folder(self) -> str:
        """Name of the folder in the workspace that holds records of this kind."""
        return f"{self.value}s"

    @property
    def plan_name(self) -> str:
        """Name of the file with what the record is about; nothing is done for a network."""
        return NETWORK_FILE if self is RecordKind.NETWORK else PLAN_FILE


class RecordInfo(BaseModel):
    """What a record is called and what a person wrote about it (`record.json`)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: RecordKind
    name: str
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    notes: str = ""
    tags: tuple[str, ...] = ()


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
        """What was asked, written before anything was started; of a network, the network."""
        return self.folder / self.kind.plan_name

    def info(self) -> RecordInfo:
        """Name, creation time, notes and tags.

        Raises:
            StudioError: The file is gone or damaged.
        """
        path = self.folder / RECORD_FILE
        try:
            return RecordInfo.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise StudioError(
                f"The {self.kind.value} in {self.folder} cannot be read: {RECORD_FILE} is "
                f"{'missing' if isinstance(error, OSError) else 'damaged'}.",
                "Restore the file from a backup, or move the folder away.",
                str(path),
            ) from error

    @property
    def name(self) -> str:
        """The name a person gave it."""
        return self.info().name
