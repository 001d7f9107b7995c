"""What the export page decides, without Qt."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import Certificate, ExportedFile, files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.files import user_path
from studio.engine.jobs.states import State
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.documents.record import RecordDocument

SCRIPT = "predict.py"
EXAMPLE = "example.png"


class Obstacle(enum.Enum):
    """Why Export cannot be pressed."""

    NO_RUN = enum.auto()
    NO_FORMAT = enum.auto()
    NO_FOLDER = enum.auto()
    ASKING = enum.auto()


@dataclass(frozen=True, slots=True)
class Exported:
    """An export job as the page shows it.

    Attributes:
        id: Of the export's record.
        run: Id of the run it was made from.
        name: Name of the export's record.
        variants: What was asked for, as in plans.
        state: Where the job is.
        created: When it was asked for, seconds since 1970.
        is_kept: Whether the files were put where the user wants them; else only measured.
        files: What was written, or could not be.
        reason: Why it ended without a file, or without a certified one.
        hint: What to do about that.
    """

    id: str
    run: str
    name: str
    variants: tuple[str, ...]
    state: State
    created: float
    is_kept: bool = True
    files: tuple[ExportedFile, ...] = ()
    reason: str = ""
    hint: str = ""

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state.has_worker or self.state == State.QUEUED

    @property
    def is_good(self) -> bool:
        """Whether it was done, and nothing that was to be kept falls short."""
        return self.state == State.COMPLETED

    @property
    def path(self) -> Path | None:
        """The folder that was written, the first of several; None until it is."""
        return next((Path(each.path) for each in self.files if each.path), None)

    @property
    def certificate(self) -> Certificate | None:
        """What was measured, where it is about one file."""
        return self.files[0].certificate if len(self.files) == 1 else None


def exported(entry: RecordDocument) -> Exported | None:
    """An export record as the page shows it; None for records that are no exports."""
    plan, history = entry.plan, entry.history
    if not isinstance(plan, ExportPlan):
        return None
    return Exported(
        id=entry.record.id,
        run=plan.run,
        name=entry.name,
        variants=tuple(plan.variants),
        state=entry.state,
        created=entry.info.created.timestamp(),
        is_kept=bool(plan.to),
        files=files_of(history.result),
        reason=history.reason,
        hint=history.hint,
    )


def obstacle(
    choice: RunChoice | None,
    folder: str,
    *,
    has_format: bool,
    is_asking: bool,
    needs_folder: bool = True,
) -> Obstacle | None:
    """Why Export, or Measure, which needs no folder, cannot be pressed now; None when it can."""
    if choice is None:
        return Obstacle.NO_RUN
    if not has_format:
        return Obstacle.NO_FORMAT
    if needs_folder and not is_folder(folder):
        return Obstacle.NO_FOLDER
    return Obstacle.ASKING if is_asking else None


def is_folder(text: str) -> bool:
    """True if a text is an absolute path."""
    try:
        return user_path(text.strip()).is_absolute()
    except StudioError:
        return False


def latest_certificate(
    exports: Sequence[Exported], run: str, format_name: str
) -> Certificate | None:
    """What was measured on the newest file of that run in that format. `exports`: newest first."""
    return next(
        (
            file.certificate
            for each in exports
            if each.run == run
            for file in each.files
            if file.format == format_name and file.certificate is not None
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
    return certificate.disagreements == 0 and all(
        math.isclose(each.file, each.model, rel_tol=1e-6, abs_tol=1e-9)
        for each in certificate.compared
    )
