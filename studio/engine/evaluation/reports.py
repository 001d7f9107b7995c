"""The report of an evaluation as a file: HTML that needs nothing else, CSV, JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from studio.engine.files import write_atomically, writing

if TYPE_CHECKING:
    from studio.engine.evaluation.opened import EvaluationComparison, OpenedEvaluation

ReportKind = Literal["html", "csv", "json"]


def save_report(
    evaluation: OpenedEvaluation,
    kind: ReportKind,
    path: Path,
    comparison: EvaluationComparison | None = None,
) -> Path:
    """Write a report; `path` again.

    Args:
        evaluation: The evaluation.
        kind: One page with pictures, a table of all figures, or everything as data.
        path: The file; an older one is replaced.
        comparison: Comparison with another model, for the page.

    Raises:
        StudioError: The file cannot be written, or the evaluation is damaged.
    """
    text = evaluation.text(kind, comparison)
    with writing(path, kind):
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    return path
