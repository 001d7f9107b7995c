"""Reads evaluations and counts in them. Everything here is called in background threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.evaluation.report import TargetReport
from studio.engine.evaluation.reports import ReportKind, save_report
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.pages.evaluation.target_panel import OpenedTargets, open_targets
from studio.ui.shared.dataset_pictures import Captioned, DatasetPictures
from studio.ui.widgets.figures import percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.mcnemar import Comparison, Pairs
    from studio.engine.evaluation.opened import Curve, Evaluated

MOST = 500
"""Pictures that are shown at a time, the surest mistakes first."""


@dataclass(frozen=True)
class Opened:
    """An evaluation with what its views need.

    Attributes:
        evaluated: The evaluation.
        order: The classes so that those that are confused stand together.
        most_confused: The commonest mistake, or None where there is none.
        pictures: Of its dataset.
    """

    evaluated: Evaluated
    order: NDArray[np.int64]
    most_confused: tuple[int, int] | None
    pictures: DatasetPictures

    def captioned(self, places: NDArray[np.int64]) -> list[Captioned]:
        """Images by their places in the answers, each with what it was taken for."""
        answers, names = self.evaluated.answers, self.evaluated.report.classes
        # Where all were taken for the same, their captions need not say it.
        is_mixed = len(set(answers.predicted[places].tolist())) > 1
        images = []
        for place in places[:MOST].tolist():
            score = percent(float(answers.scores[place]))
            truth, taken = names[answers.truth[place]], names[answers.predicted[place]]
            is_right = truth == taken
            whole = f"{truth}, {score}" if is_right else f"{truth} → {taken}, {score}"
            caption = f"→ {taken}" if is_mixed and not is_right else score
            images.append(Captioned(int(answers.rows[place]), caption, whole, wrong=not is_right))
        return images


def open_report(workspace: Workspace, folder: Path) -> Opened:
    """Open an evaluation.

    Raises:
        BadDataError: It is damaged.
    """
    from studio.engine.evaluation.opened import open_evaluation  # noqa: PLC0415 - NumPy

    evaluated = open_evaluation(folder)
    subject = evaluated.report.subject
    record = workspace.record(RecordKind.DATASET, subject.dataset)
    pictures = DatasetPictures(record.folder if record else None, subject.dataset_version)
    worst = evaluated.confusions(1)
    cell = (worst[0].truth, worst[0].predicted) if worst else None
    return Opened(evaluated, evaluated.confused_order(), cell, pictures)


def open_any(workspace: Workspace, folder: Path) -> Opened | OpenedTargets:
    """Open an evaluation on classes or on targets.

    Raises:
        BadDataError: It is damaged.
    """
    is_on_targets = (folder / TargetReport.FILE).exists()
    return (open_targets if is_on_targets else open_report)(workspace, folder)


def read_curves(opened: Opened, label: int) -> tuple[Curve, Curve] | None:
    """ROC and precision-recall curve of a class; None where it has none.

    Raises:
        BadDataError: The probabilities are missing.
    """
    return opened.evaluated.curves(label)


def compare_with(opened: Opened, other: Path) -> tuple[Comparison, Pairs]:
    """Hold an evaluation against another; also tells which images they differ on.

    Raises:
        StudioError: They are of different images, or the other is damaged.
    """
    from studio.engine.evaluation.mcnemar import compare, pairs  # noqa: PLC0415 - NumPy
    from studio.engine.evaluation.opened import open_evaluation  # noqa: PLC0415 - NumPy

    evaluated = open_evaluation(other)
    one = opened.evaluated.report, opened.evaluated.answers
    two = evaluated.report, evaluated.answers
    return compare(one, two), pairs(one, two)


def save(
    workspace: Workspace,
    opened: Opened,
    kind: ReportKind,
    path: Path,
    comparison: Comparison | None,
) -> Path:
    """Write a report.

    Raises:
        StudioError: The file cannot be written.
    """
    return save_report(workspace, opened.evaluated, kind, path, comparison)
