"""Runs with a loss, metrics and an augmentation of a package: `tests/samples/scanner_plug_ins`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import Call, caller
from helpers.digits import Digits, do_here, go_on_here
from helpers.plug_ins import SAMPLES, forget_loaded, importable, write_package
from helpers.resuming import assert_same, plan_of
from helpers.train_plans import train_plans
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.exporting.script import differences
from studio.engine.jobs import control as job_control
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import fields_of
from studio.engine.tasks import TASKS
from studio.engine.training import control
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.packages import with_packages
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.settings_checks import accepted, check_settings

PACKAGE = "scanner_plug_ins"
ENTRY_POINTS = {
    "studio.losses": {"margin": f"{PACKAGE}.losses:MARGIN", "fails": "fails_late:LOSS"},
    "studio.metrics": {"margins": f"{PACKAGE}.metrics:MARGINS"},
    "studio.augmentations": {"scan_lines": f"{PACKAGE}.augmentations:SCAN_LINES"},
}
CHOSEN: dict[str, object] = {
    "loss": "margin",
    "metrics": "margins",
    "monitor": "val_margin",
    "augmentation": {"added": "scan_lines", "added_strength": 80.0},
}
FAILS = """
from studio.engine.tasks.losses_and_metrics import TrainingLoss
LOSS = TrainingLoss("fails", "Fails", (), "fails_late:absent")
"""


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """The folder of the installed sample package."""
    folder = tmp_path / "packages"
    shutil.copytree(SAMPLES / PACKAGE, folder / PACKAGE)
    write_package(folder, PACKAGE, {"fails_late.py": FAILS}, ENTRY_POINTS)
    with importable(folder, ()):
        yield folder
    for name in [each for each in sys.modules if each.startswith((PACKAGE, "fails_late"))]:
        del sys.modules[name]
    forget_loaded()


def _remove(package: Path) -> None:
    shutil.rmtree(package / f"{PACKAGE}-1.0.dist-info")
    forget_loaded()


def _set_version(package: Path, version: str) -> None:
    metadata = package / f"{PACKAGE}-1.0.dist-info" / "METADATA"
    metadata.write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {version}\n")
    forget_loaded()


def _pause_after(steps: int) -> tuple[object, object]:
    def is_due(history: RunHistory) -> bool:
        return len(history.steps_of("loss")) >= steps

    def pause(_queue: JobQueue, job: RunJob) -> None:
        if job.history.state.has_worker:
            job_control.pause(job)

    return is_due, pause


def _state(job: RunJob) -> State:
    return job.history.state


def test_a_run_resumes_exactly_and_needs_its_package(own_digits: Digits, package: Path) -> None:
    workspace = own_digits.workspace
    plan = with_packages(plan_of(own_digits, epochs=2, **CHOSEN))
    assert plan.packages == {PACKAGE: "1.0"}
    whole = do_here(workspace, plan, "whole")

    job = JobQueue(workspace).submit(plan, "paused").with_history(RunHistory)
    go_on_here(workspace, job, *_pause_after(5))  # type: ignore[arg-type]
    assert _state(job) == State.PAUSED, job.history.detail
    _set_version(package, "1.1")
    go_on_here(workspace, job)

    assert _state(job) == State.COMPLETED, job.history.reason
    assert_same(whole, job)
    notes = [str(note.message) for note in job.history.notes]
    assert [each for each in notes if "requested with scanner_plug_ins 1.0" in each]
    assert not [note for note in whole.history.notes if PACKAGE in note.message]
    for epoch in job.history.epochs:
        assert -1 <= epoch.value("margin") <= 1
        assert epoch.value("loss") == pytest.approx(1 - epoch.value("margin"), abs=1e-5)
        assert epoch.value("val_margin") > 0
    assert job.history.best is not None
    assert job.history.best.value("val_margin") == max(
        epoch.value("val_margin") for epoch in job.history.epochs
    )

    _remove(package)
    assert job.current_plan(TrainingPlan).monitor == "val_margin", "it can still be read"
    control.extend(JobQueue(workspace), job, 1)
    go_on_here(workspace, job)
    assert _state(job) == State.FAILED
    assert "needs packages that are not installed: scanner_plug_ins 1.0" in job.history.reason
    assert "install scanner_plug_ins==1.0" in job.history.hint


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_other_backends_resume_exactly(own_digits: Digits, package: Path, backend: str) -> None:
    pytest.importorskip(backend)
    plan = plan_of(own_digits, epochs=2, backend=backend, **CHOSEN).model_dump(mode="json")
    runs, _ = train_plans(
        own_digits.workspace.root, [("whole", plan), ("paused", {**plan, "pause_at": [0, 5]})]
    )

    whole, paused = runs["whole"], runs["paused"]
    assert whole.state == paused.state == "completed", whole.reason
    assert paused.attempts >= 2
    assert whole.losses == paused.losses
    assert whole.digest == paused.digest
    assert all(-1 < each["metrics"]["val_margin"] < 1 for each in whole.epochs)


def test_a_loss_that_fails_is_named(own_digits: Digits, package: Path) -> None:
    job = do_here(own_digits.workspace, plan_of(own_digits, epochs=1, loss="fails"), "fails")

    assert _state(job) == State.FAILED
    assert "The loss “fails” failed in fails_late:absent" in job.history.reason


def test_images_change_by_the_seed_alone(package: Path) -> None:
    plan = AugmentationPlan(added="scan_lines", added_strength=100.0)
    images = np.full((4, 16, 8, 3), 200, np.uint8)
    rows = np.arange(4)

    def changed(strength: float, epoch: int, seed: int = 0) -> bytes:
        augmenter = Augmenter(plan.changed(added_strength=strength), seed)
        return augmenter.changed(images.copy(), rows, epoch).tobytes()

    assert changed(100.0, 0) == changed(100.0, 0)
    assert len({changed(100.0, 0), changed(100.0, 1), changed(50.0, 0), changed(100.0, 0, 1)}) == 4
    assert changed(0.0, 0) == images.tobytes()
    assert plan.host_only == ["added"]
    _remove(package)
    with pytest.raises(StudioError, match='no augmentation called "scan_lines"'):
        Augmenter(plan, 0)


def test_checks_name_what_does_not_suit(own_digits: Digits, package: Path) -> None:
    summary = dataset_summary(own_digits.dataset.record.folder)

    def problems(**values: object) -> dict[str, str]:
        found = check_settings(plan_of(own_digits, **values), summary)
        return {each.where: each.message for each in found if each.serious}

    assert problems(**CHOSEN) == {}
    with pytest.raises(StudioError, match="no loss 'margim'; available: auto, fails, margin"):
        plan_of(own_digits, loss="margim")
    with pytest.raises(StudioError, match="no set of metrics 'x'; available: auto, margins"):
        plan_of(own_digits, metrics="x")
    assert "no augmentation called" in problems(augmentation={"added": "x"})["augmentation.added"]
    assert "measured only by" in problems(monitor="val_margin")["monitor"]
    assert problems(loss="margin", class_balancing="class_weights") == {}
    weighted = problems(loss="fails", class_balancing="class_weights")
    assert "does not use class weights" in weighted["class_balancing"]
    assert plan_of(own_digits, loss="margin", focal_gamma=2.0).without_effect()

    plan = plan_of(own_digits, **CHOSEN)
    other = accepted(plan, TASKS["segmentation"])
    assert (other.loss, other.metrics, other.monitor) == ("auto", "auto", "auto")
    assert other.augmentation.added == "scan_lines", "it is for all targets"
    assert accepted(plan, TASKS["classification"]) == plan

    named = with_packages(plan)
    _remove(package)
    found = check_settings(named, summary)
    serious = {each.where: each.hint for each in found if each.serious}
    assert set(serious) == {"loss", "metrics", "augmentation.added", "monitor"}
    assert "install scanner_plug_ins==1.0" in serious["loss"]


def test_choices_are_offered_where_a_package_has_them(
    package: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def shown() -> set[str]:
        plans = (TrainingPlan, AugmentationPlan)
        return {each.name for plan in plans for each in fields_of(plan) if each.level != "hidden"}

    new = {"loss", "metrics", "added", "added_strength"}
    assert new < shown()
    call: Call = caller(capsys, tmp_path / "w")
    text = " ".join(call("train", "--help").out.split())
    for words in ("{auto,fails,margin}", "{auto,margins}", "scan_lines}", " margin;"):
        assert words in text, words
    _remove(package)
    assert not new & shown(), "forms and options are as without packages"
    assert "label_smoothing" in shown()


def test_a_script_names_the_packages(own_digits: Digits, package: Path) -> None:
    plan = with_packages(plan_of(own_digits, **CHOSEN))
    spec: NetworkSpec = ZOO["mlp"].build((28, 28, 1), 10)
    text = "\n".join(differences(plan, spec))

    assert "packages that the script does not use: scanner_plug_ins 1.0" in text
    assert "the loss margin of a package" in text
    assert "the metrics margins of a package" in text
    assert "augmented (scan_lines)" in text
