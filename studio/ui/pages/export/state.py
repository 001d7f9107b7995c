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
from studio.ui.documents.record import JobSummary, RecordDocument, summary_values

SCRIPT = "predict.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported(JobSummary):
    """An export job as the page shows it.

    Attributes:
        run: Id of the run whose model is exported.
        name: Name of the export's record.
        variants: The requested formats and precisions, as in plans.
        is_saved: True if the files are in the user's folder, False if they were measured only.
        files: The files, also those that could not be written.
    """

    run: str
    name: str
    variants: tuple[str, ...]
    is_saved: bool = True
    files: tuple[ExportedFile, ...] = ()

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
    plan = entry.plan
    if not isinstance(plan, ExportPlan):
        return None
    return Exported(
        **summary_values(entry),
        run=plan.run,
        name=entry.name,
        variants=tuple(plan.variants),
        is_saved=bool(plan.to),
        files=files_of(entry.history.result),
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


def command_line(folder: Path) -> str:
    """Return the command that runs the exported model on a picture, for any shell."""
    example = next(folder.glob("example.*"), folder / "example.png")
    return f'python "{folder / SCRIPT}" "{example}"'


def is_unchanged(certificate: Certificate) -> bool:
    """Return True if the exported file gives the same answers and metrics as the model."""
    return certificate.disagreements == 0 and all(
        math.isclose(each.file, each.model, rel_tol=1e-6, abs_tol=1e-9)
        for each in certificate.compared
    )
