"""The report of an evaluation as a file: HTML that needs nothing else, CSV, JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from studio.engine.errors import StudioError
from studio.engine.evaluation.report_table import csv_text
from studio.engine.files import write_atomically, writing
from studio.engine.workspace import RecordKind, Workspace

# The report of an evaluation as a file that is taken away.

if TYPE_CHECKING:
    from studio.engine.evaluation.mcnemar import PairedComparison
    from studio.engine.evaluation.open_report import Evaluated
    from studio.engine.evaluation.report_page import EmbeddedPictures

ReportKind = Literal["html", "csv", "json"]


def save_report(
    workspace: Workspace,
    evaluated: Evaluated,
    kind: ReportKind,
    path: Path,
    comparison: PairedComparison | None = None,
) -> Path:
    """Write a report; `path` again.

    Args:
        workspace: Workspace of the dataset.
        evaluated: The evaluation.
        kind: One page with pictures, a table of all figures, or everything as data.
        path: The file; an older one is replaced.
        comparison: Comparison with another model, for the page.

    Raises:
        StudioError: The file cannot be written, or the evaluation is damaged.
    """
    return write_report(path, _text(workspace, evaluated, kind, comparison), kind)


def write_report(path: Path, text: str, kind: ReportKind) -> Path:
    """Write the text of a report and return its path.

    Args:
        path: File to write.
        text: The report.
        kind: Name of the kind, for the error.

    Raises:
        StudioError: The file cannot be written.
    """
    with writing(path, kind):
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    return path


def _text(
    workspace: Workspace,
    evaluated: Evaluated,
    kind: ReportKind,
    comparison: PairedComparison | None,
) -> str:
    # Only for this: they take NumPy, and this module is imported when the window starts.
    from studio.engine.evaluation.report_page import html_page, json_text  # noqa: PLC0415

    if kind == "csv":
        return csv_text(evaluated.report)
    if kind == "json":
        return json_text(evaluated)
    return html_page(evaluated, _pictures(workspace, evaluated), comparison)


def _pictures(workspace: Workspace, evaluated: Evaluated) -> EmbeddedPictures | None:
    """Return the images that were measured; None where the dataset is gone."""
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py
    from studio.engine.evaluation.report_page import EmbeddedPictures  # noqa: PLC0415 - NumPy

    subject = evaluated.report.subject
    record = workspace.record(RecordKind.DATASET, subject.dataset)
    if record is None:
        return None
    try:
        return EmbeddedPictures(Store.open(record.folder, subject.dataset_version))
    except StudioError:
        return None  # the figures are whole without them, and the page says so
