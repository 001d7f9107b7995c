"""What audits, checks and journals say is shown in Portuguese, also after it was stored."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers.digits import Digits
from helpers.portuguese import assert_portuguese, untranslated
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.requests import dataset_summary
from studio.engine.progress import SilentProgress
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import check_training
from studio.ui.language import translated

pytestmark = pytest.mark.usefixtures("portuguese")


class Recorder(SilentProgress):
    """Records its calls."""

    def __init__(self) -> None:
        self.texts: set[str] = set()

    def advance(self, done: int, total: int, what: str) -> None:
        self.texts.add(what)

    def warn(self, message: str) -> None:
        self.texts.add(message)


def test_an_audit_is_shown_in_portuguese(digits: Digits, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(digits.dataset.record.folder, folder)
    limits = {"near_similarity": 80, "dark_level": 255, "bright_level": 0, "blur_percent": 100}
    plan = AuditPlan(dataset="d", imbalance_ratio=1, blank_contrast=64, **limits)
    progress = Recorder()

    report = audit_dataset(folder, plan, progress)
    read = AuditReport.model_validate_json(report.model_dump_json())

    assert len(read.findings) > 3
    assert progress.texts
    shown = [text for each in read.findings for text in (each.message, each.suggestion)]
    for text in (*shown, *(each.reason for each in read.not_checked), *progress.texts):
        assert_portuguese(text)


def test_checks_of_a_plan_are_shown_in_portuguese(digits: Digits) -> None:
    summary = dataset_summary(digits.dataset.record.folder)
    settings = {"batch_size": 4096, "learning_rate": 5, "monitor": "val_mae", "device": "gpus:7"}
    plan = TrainingPlan(dataset="d", ray="no address", freeze="stem", **settings)

    problems = check_training(plan, summary)

    assert len(problems) > 3
    for problem in problems:
        assert_portuguese(problem.message)
        assert not problem.hint or untranslated(problem.hint) == []


def test_a_journal_is_shown_in_portuguese(digits: Digits) -> None:
    """The words of its events are read from the file as they were written: with their values."""
    started = digits.run.history.training

    assert started is not None
    assert untranslated(started.device) == []
    assert translated(started.device) != started.device
    for job in (digits.dataset, digits.run):
        for note in job.history.notes:
            assert_portuguese(note.message)
