"""What a run tells besides its journal: usage of the machine, TensorBoard files, MLflow."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.digits import Digits, do_here
from studio.engine.compute.logbooks import (
    FILE,
    FOLDER,
    TRAIN,
    VALIDATION,
    TensorBoard,
    settings_of,
    tracking_uri,
)
from studio.engine.jobs.events import Event, Note, UsageSampled
from studio.engine.jobs.states import State
from studio.engine.training.history import (
    EpochDone,
    RunJob,
    StepsDone,
    TrainingBegan,
    ValidationDone,
)
from studio.engine.training.plan import TrainingPlan

Points = dict[str, dict[int, float]]


def _plan(digits: Digits, **values: object) -> TrainingPlan:
    fixed = {"dataset": digits.dataset.record.id, "network": "mlp", "epochs": 2}
    return TrainingPlan.parse({**fixed, "batch_size": 64, **values})


def _records(file: Path) -> Iterator[bytes]:
    """The records of a file in the format of TFRecord: length, its sum, the bytes, their sum."""
    data = file.read_bytes()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12 : at + 12 + length]
        at += length + 16


def _points(folder: Path) -> tuple[Points, int]:
    """Every figure that the event files of a folder hold, as TensorBoard reads them.

    Returns:
        Values by tag and step, and how many of them came twice.
    """
    from tensorboardX.proto.event_pb2 import Event as Proto
    from tensorboardX.proto.event_pb2 import SessionLog

    found: Points = {}
    twice = 0
    for file in sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns):
        for record in _records(file):
            event = Proto.FromString(record)
            if event.session_log.status == SessionLog.START:
                for points in found.values():
                    for step in [step for step in points if step >= event.step]:
                        del points[step]
            for value in event.summary.value:
                points = found.setdefault(value.tag, {})
                twice += event.step in points
                points[event.step] = value.simple_value
    return found, twice


@pytest.fixture(scope="module")
def run(digits: Digits) -> RunJob:
    job = do_here(digits.workspace, _plan(digits), "told of")
    assert job.history.state == State.COMPLETED, job.history
    return job


@pytest.mark.slow
def test_a_run_reports_the_machine_load(run: RunJob) -> None:
    usage = run.history.usage

    assert usage, "also where a run is shorter than the time between two samples"
    for sample in usage:
        parts = (sample.waiting, sample.computing, sample.validating, sample.writing)
        assert all(part >= 0 for part in parts)
        assert 10e6 < sample.memory < 100e9
        assert 0 <= sample.machine_cpu <= 100
        assert 0 < sample.machine_memory < 100
        assert sample.disk_free > 1e6
    spent = sum(sample.seconds for sample in usage)
    assert sum(s.computing for s in usage) > 0
    assert sum(s.validating for s in usage) > 0
    assert sum(s.writing for s in usage) > 0
    found = sum(s.waiting + s.computing + s.validating + s.writing for s in usage)
    assert found <= spent * 1.05
    assert found >= spent * 0.5


@pytest.mark.slow
def test_event_files_hold_the_figures_of_the_journal(run: RunJob) -> None:
    train, _ = _points(run.record.folder / FOLDER / TRAIN)
    validation, _ = _points(run.record.folder / FOLDER / VALIDATION)
    epochs = run.history.epochs

    for name in ("loss", "accuracy", "top_5"):
        for points, field in ((train, name), (validation, f"val_{name}")):
            expected = {epoch.step: epoch.value(field) for epoch in epochs}
            assert points[name] == pytest.approx(expected, rel=1e-6)
    assert max(train["steps/loss"]) == epochs[-1].step
    assert all(rate == pytest.approx(1e-3) for rate in train["learning_rate"].values())
    assert min(train["images_per_second"].values()) > 0
    assert 0 <= train["time/computing"].popitem()[1] <= 1
    assert "machine/cpu_percent" in train


@pytest.mark.slow
def test_no_event_files_where_they_are_not_requested(digits: Digits) -> None:
    job = do_here(
        digits.workspace, _plan(digits, epochs=1, tensorboard=False, insights=False), "untold"
    )

    assert job.history.state == State.COMPLETED
    assert not (job.record.folder / FOLDER).exists()


class _Context:
    """Just what a listener needs of a job."""

    def __init__(self, folder: Path, attempt: int = 1) -> None:
        self.folder = folder
        self.attempt = attempt
        self.listeners: list[Any] = []
        self.warnings: list[str] = []

    def add_listener(self, listener: Any) -> None:
        self.listeners.append(listener)

    def warn(self, message: str) -> None:
        self.warnings.append(message)
        self.emit(Note(level="warning", message=message))

    def emit(self, *events: Event) -> None:
        for event in events:
            for listener in self.listeners:
                listener(event)


def _began(first_step: int = 1) -> TrainingBegan:
    return TrainingBegan(
        epochs=2,
        steps_per_epoch=10,
        train_images=100,
        val_images=0,
        parameters=1,
        trainable_parameters=1,
        backend="jax",
        device="CPU",
        first_step=first_step,
    )


def _steps(first: int, last: int, loss: float) -> StepsDone:
    losses = [loss] * (last - first + 1)
    return StepsDone(
        first=first,
        last=last,
        metrics={"loss": losses, "accuracy": losses},
        learning_rate=0.1,
        images_per_second=50,
    )


def _tell(folder: Path, attempt: int, *events: Event) -> _Context:
    context = _Context(folder, attempt)
    board = TensorBoard(context)  # type: ignore[arg-type]
    board.open()
    context.emit(*events)
    board.close()
    return context


def test_a_resumed_run_reports_nothing_twice(tmp_path: Path) -> None:
    _tell(tmp_path, 1, _began(), _steps(1, 5, 0.5), _steps(6, 9, 0.4), _steps(10, 14, 0.3))
    _tell(tmp_path, 2, _began(10), _steps(10, 14, 0.25), _steps(15, 20, 0.2))
    points, twice = _points(tmp_path / FOLDER / TRAIN)

    expected = {5: 0.5, 9: 0.4, 14: 0.25, 20: 0.2}
    assert points["steps/loss"] == pytest.approx(expected, rel=1e-6)
    assert twice == 0


def test_a_run_that_starts_again_begins_with_new_files(tmp_path: Path) -> None:
    _tell(tmp_path, 1, _began(), _steps(1, 5, 0.5))
    _tell(tmp_path, 2, _began(), _steps(1, 4, 0.4))
    points, twice = _points(tmp_path / FOLDER / TRAIN)

    assert points["steps/loss"] == pytest.approx({4: 0.4}, rel=1e-6)
    assert twice == 0


def test_what_is_no_number_is_left_out(tmp_path: Path) -> None:
    epoch = EpochDone(
        epoch=1,
        step=10,
        metrics={"loss": 0.5, "accuracy": 0.9},
        learning_rate=0.1,
        seconds=1,
        images_per_second=math.nan,
    )
    middle = ValidationDone(epoch=1.5, step=15, metrics={"val_loss": 0.7}, learning_rate=0.1)
    _tell(tmp_path, 1, _began(), epoch, UsageSampled(seconds=2, cpu=50), middle)
    train, _ = _points(tmp_path / FOLDER / TRAIN)
    validation, _ = _points(tmp_path / FOLDER / VALIDATION)

    assert set(train) == {"loss", "accuracy", "worker/cpu_percent"}
    assert validation == {"loss": {15: pytest.approx(0.7)}}


def test_file_errors_are_reported_once_and_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    context = _tell(tmp_path, 1, _began(2), _began(2), _steps(1, 5, 0.5))

    assert len(context.warnings) == 1
    assert "TensorBoard" in context.warnings[0]


def test_neither_torch_nor_tensorflow_is_needed_for_the_files() -> None:
    from helpers.processes import run_python

    code = """
import sys
from studio.engine.compute import logbooks
sys.modules["tensorflow"] = None
logbooks._library()
print(sorted({"torch", "boto3", "keras"} & set(sys.modules)))
"""
    ended = run_python(code)

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_folder_of_mlflow_has_the_settings_the_figures_and_the_end(
    digits: Digits, tmp_path: Path
) -> None:
    pytest.importorskip("mlflow")
    from mlflow.tracking import MlflowClient

    folder = tmp_path / "mlruns ü"
    plan = _plan(digits, mlflow=str(folder), seed=7)
    job = do_here(digits.workspace, plan, "Versuch ü")
    assert job.history.state == State.COMPLETED, job.history
    client = MlflowClient(tracking_uri=folder.as_uri())
    known = json.loads((job.record.folder / FILE).read_text())
    run = client.get_run(known["run"])

    assert run.info.status == "FINISHED"
    assert run.info.run_name == "Versuch ü"
    assert run.data.params["seed"] == "7"
    assert run.data.params["augmentation.rotation"] == "0.0"
    assert run.data.tags["studio.artifacts"] == job.record.folder.absolute().as_uri()
    for name in ("loss", "val_accuracy", "learning_rate"):
        found = {each.step: each.value for each in client.get_metric_history(known["run"], name)}
        assert found == {
            epoch.epoch: epoch.learning_rate if name == "learning_rate" else epoch.value(name)
            for epoch in job.history.epochs
        }


@pytest.mark.slow
def test_a_dead_server_is_warned_of_once_and_holds_nothing_up(digits: Digits) -> None:
    pytest.importorskip("mlflow")
    job = do_here(digits.workspace, _plan(digits, mlflow="http://127.0.0.1:9"), "no listener")

    assert job.history.state == State.COMPLETED, job.history
    (warning,) = [note.message for note in job.history.notes if "MLflow" in note.message]
    assert "training continues" in warning
    assert len(job.history.epochs) == 2


def test_addresses_stay_and_folders_become_addresses(tmp_path: Path) -> None:
    assert tracking_uri("http://example.org:5000") == "http://example.org:5000"
    assert tracking_uri("sqlite:///a.db") == "sqlite:///a.db"
    assert tracking_uri("databricks") == "databricks"
    assert tracking_uri(str(tmp_path / "a b")) == (tmp_path / "a b").as_uri()


def test_settings_are_flat_texts() -> None:
    plan = TrainingPlan(dataset="d", optimizer_options={"momentum": 0.9})
    settings = settings_of(plan)

    assert settings["epochs"] == "10"
    assert settings["optimizer_options.momentum"] == "0.9"
    assert settings["augmentation.rotation"] == "0.0"
    assert "design" not in settings
