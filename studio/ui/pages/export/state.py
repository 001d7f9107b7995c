"""The state of the export page, without Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import Certificate, ExportedFile, files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.files import user_path
from studio.engine.jobs.states import State
from studio.ui.documents.record import RecordDocument

SCRIPT = "predict.py"
EXAMPLE = "example.png"


@dataclass(frozen=True, slots=True)
class Exported:
    """An export job as the page shows it.

    Attributes:
        id: Id of the export's record.
        run: Id of the run whose model is exported.
        name: Name of the export's record.
        variants: The requested formats and precisions, as in plans.
        state: State of the job.
        created: Time of the request, seconds since 1970.
        is_saved: True if the files are in the user's folder, False if they were measured only.
        files: The files, also those that could not be written.
        reason: Reason of a failure; empty if there was none.
        hint: Advice about the failure.
    """

    id: str
    run: str
    name: str
    variants: tuple[str, ...]
    state: State
    created: float
    is_saved: bool = True
    files: tuple[ExportedFile, ...] = ()
    reason: str = ""
    hint: str = ""

    @property
    def is_active(self) -> bool:
        """True if it waits or runs."""
        return not self.state.is_at_rest

    @property
    def is_good(self) -> bool:
        """True if it completed, and all files that were to be saved are certified."""
        return self.state == State.COMPLETED

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of an export of one file."""
        return self.files[0].certificate if len(self.files) == 1 else None


def exported(entry: RecordDocument) -> Exported | None:
    """Return an export record as the page shows it; None for records that are no exports."""
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
        is_saved=bool(plan.to),
        files=files_of(history.result),
        reason=history.reason,
        hint=history.hint,
    )


def is_folder(text: str) -> bool:
    """Return True if a text is an absolute path."""
    try:
        return user_path(text.strip()).is_absolute()
    except StudioError:
        return False


def latest_certificate(
    exports: Sequence[Exported], run: str, format_name: str
) -> Certificate | None:
    """Return the newest certificate of a run in a format. `exports`: newest first."""
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


def shown_export(exports: Sequence[Exported], requested: str) -> Exported | None:
    """Return the export to show: the requested one, else a running one, else the newest."""
    return (
        next((each for each in exports if each.id == requested), None)
        or next((each for each in exports if each.is_active), None)
        or next(iter(exports), None)
    )


def command_line(folder: Path) -> str:
    """Return the command that runs the exported model on a picture, for any shell."""
    return f'python "{folder / SCRIPT}" "{folder / EXAMPLE}"'


def is_unchanged(certificate: Certificate) -> bool:
    """Return True if the exported file gives the same answers and metrics as the model."""
    return certificate.disagreements == 0 and all(
        math.isclose(each.file, each.model, rel_tol=1e-6, abs_tol=1e-9)
        for each in certificate.compared
    )
