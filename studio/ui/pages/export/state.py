"""What the export page decides, without Qt."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from studio.engine.exporting.certificate import Certificate
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.bridge.run_choices import RunChoice

SCRIPT = "predict.py"
EXAMPLE = "example.png"


class Obstacle(enum.Enum):
    """Why Export cannot be pressed."""

    NO_RUN = enum.auto()
    PACKAGE_MISSING = enum.auto()
    NO_FOLDER = enum.auto()
    ASKING = enum.auto()


@dataclass(frozen=True, slots=True)
class Exported:
    """An export job as the page shows it.

    Attributes:
        id: Of the export's record.
        run: Id of the run it was made from.
        name: Name of the export's record.
        format: Name of the format.
        state: Where the job is.
        created: When it was asked for, seconds since 1970.
        path: The folder that was written, or None until it is.
        certificate: What was measured on it, or None until it is.
        reason: Why it ended without a file.
        hint: What to do about that.
    """

    id: str
    run: str
    name: str
    format: str
    state: State
    created: float
    path: Path | None = None
    certificate: Certificate | None = None
    reason: str = ""
    hint: str = ""

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state.has_worker or self.state == State.QUEUED


def exported(entry: JobEntry) -> Exported | None:
    """An export record as the page shows it; None for records that are no exports."""
    plan, history = entry.plan, entry.history
    if not isinstance(plan, ExportPlan):
        return None
    path, certificate = read_result(history.result)
    return Exported(
        id=entry.record.id,
        run=plan.run,
        name=entry.name,
        format=plan.format,
        state=entry.state,
        created=entry.info.created.timestamp(),
        path=path,
        certificate=certificate,
        reason=history.reason,
        hint=history.hint,
    )


def read_result(result: Mapping[str, Any]) -> tuple[Path | None, Certificate | None]:
    """Folder and certificate of an export's result, each None where it is not there."""
    path = result.get("path")
    try:
        certificate = Certificate.model_validate(result.get("certificate"))
    except ValidationError:  # written by another version of Studio, or not written yet
        certificate = None
    return (Path(path) if isinstance(path, str) else None), certificate


def obstacle(
    choice: RunChoice | None, folder: str, *, has_format: bool, is_asking: bool
) -> Obstacle | None:
    """Why Export cannot be pressed now; None when it can."""
    if choice is None:
        return Obstacle.NO_RUN
    if not has_format:
        return Obstacle.PACKAGE_MISSING
    if not folder.strip() or not Path(folder.strip()).expanduser().is_absolute():
        return Obstacle.NO_FOLDER
    return Obstacle.ASKING if is_asking else None


def latest_certificate(
    exports: Sequence[Exported], run: str, format_name: str
) -> Certificate | None:
    """What was measured on the newest file of that run in that format. `exports`: newest first."""
    return next(
        (
            each.certificate
            for each in exports
            if (each.run, each.format) == (run, format_name) and each.certificate is not None
        ),
        None,
    )


def to_show(exports: Sequence[Exported], wish: str) -> Exported | None:
    """Which export the details are about: the wished one, else what runs, else the newest."""
    return (
        next((each for each in exports if each.id == wish), None)
        or next((each for each in exports if each.is_active), None)
        or next(iter(exports), None)
    )


def command_line(folder: Path) -> str:
    """What to type to run the exported model on a picture, for any shell."""
    return f'python "{folder / SCRIPT}" "{folder / EXAMPLE}"'


def is_unchanged(certificate: Certificate) -> bool:
    """Whether the exported file answers exactly as the model does."""
    return certificate.disagreements == 0 and math.isclose(
        certificate.accuracy_change, 0, abs_tol=1e-9
    )
