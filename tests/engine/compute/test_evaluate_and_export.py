"""Evaluation against counting by hand, and exports that are used as their receiver will."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.digits import Digits, copy_of, do_here
from helpers.processes import clean_environment
from studio.engine.compute import export as export_module
from studio.engine.compute.export import _move
from studio.engine.compute.predict import Predictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.store import Store
from studio.engine.evaluation.opened import Evaluated, open_evaluation
from studio.engine.evaluation.plan import EvaluationPlan
from studio.engine.evaluation.predictions import open_probabilities
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.answers import Prediction, PredictRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.models import model_of_run
from studio.engine.jobs.predictions import predictions_of
from studio.engine.jobs.states import State

pytestmark = pytest.mark.slow


def _predict(digits: Digits, pictures: list[Path]) -> tuple[Prediction, ...]:
    request = PredictRequest(
        model=model_of_run(digits.workspace, digits.run.record),
        images=tuple(map(str, pictures)),
        top=10,
    )
    return Predictor(WarmModels()).answer(request).predictions


def test_an_evaluation_is_what_counting_predictions_gives(digits: Digits, own_run: Digits) -> None:
    store = Store.open(digits.dataset.record.folder)
    rows = store.rows("test")
    # From the picture files themselves, through decoding and all.
    predictions = _predict(digits, [digits.pictures / store.paths[row] for row in rows])
    truths = [store.classes[label] for label in store.labels[rows]]
    scores = [{s.label: s.score for s in prediction.scores} for prediction in predictions]
    right = [p.scores[0].label == truth for p, truth in zip(predictions, truths, strict=True)]
    top_5 = [
        truth in [score.label for score in prediction.scores[:5]]
        for prediction, truth in zip(predictions, truths, strict=True)
    ]
    losses = [-np.log(score[truth]) for score, truth in zip(scores, truths, strict=True)]

    job = do_here(own_run.workspace, EvaluationPlan(run=own_run.run.record.id), "evaluation")

    result = job.history.result
    assert job.history.state == State.COMPLETED
    assert result["count"] == len(rows) == 180
    assert result["classes"] == store.classes
    assert result["accuracy"] == pytest.approx(np.mean(right))
    assert result["top_5"] == pytest.approx(np.mean(top_5))
    assert result["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    evaluated = open_evaluation(job.record.folder)
    matrix = evaluated.confusion
    assert matrix.sum() == 180
    assert matrix.trace() == sum(right)
    assert (matrix.sum(axis=1) == np.bincount(store.labels[rows], minlength=10)).all()
    _holds_all_probabilities(evaluated, scores)

    kept = predictions_of(own_run.workspace, own_run.run.record)
    assert kept is not None
    assert (kept.rows == rows).all()
    assert [store.classes[label] for label in kept.classes] == [
        prediction.scores[0].label for prediction in predictions
    ]
    assert kept.scores == pytest.approx([p.scores[0].score for p in predictions], abs=1e-4)
    assert set(kept.wrong(store.labels)) == set(rows[~np.array(right)])

    second = EvaluationPlan(run=own_run.run.record.id, split="val")
    on_val = open_evaluation(do_here(own_run.workspace, second, "second").record.folder)
    assert on_val.report.temperature is None
    assert "those are what is measured" in on_val.report.temperature_missing

    both = predictions_of(own_run.workspace, own_run.run.record)
    assert both is not None
    assert (both.rows == np.sort(np.concatenate([rows, store.rows("val")]))).all()
    assert (both.classes[np.isin(both.rows, rows)] == kept.classes).all()


def _holds_all_probabilities(evaluated: Evaluated, scores: list[dict[str, float]]) -> None:
    report = evaluated.report
    low, high = report.intervals["accuracy"]
    assert low <= report.accuracy <= high
    assert report.temperature is not None
    assert report.temperature.fitted_on == "val"
    table = open_probabilities(evaluated.folder)
    expected = [[image[name] for name in report.classes] for image in scores]
    assert np.array(table) == pytest.approx(np.array(expected), abs=1e-4)


def test_an_evaluation_without_its_dataset_is_bad_data(own_run: Digits) -> None:
    (own_run.dataset.record.folder / "images.h5").write_bytes(b"no dataset")

    job = do_here(own_run.workspace, EvaluationPlan(run=own_run.run.record.id), "evaluation")

    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert "images.h5" in job.history.reason


def test_an_evaluation_of_a_damaged_model_is_bad_data(own_run: Digits) -> None:
    (own_run.run.record.folder / "model.keras").write_bytes(b"no model")

    job = do_here(own_run.workspace, EvaluationPlan(run=own_run.run.record.id), "evaluation")

    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert "cannot be opened" in job.history.reason


@pytest.fixture(scope="module")
def exported(
    digits: Digits, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Job, Path, dict[str, bytes]]:
    """An export beside a folder that has its name already: the job, where, what was there."""
    root = tmp_path_factory.mktemp("exported")
    own = copy_of(digits, root / "own", with_run=True)
    to = root / "a new folder ü"
    taken = to / "lenet-keras"
    taken.mkdir(parents=True)
    (taken / "model.keras").write_bytes(b"mine")
    job = do_here(own.workspace, ExportPlan(run=own.run.record.id, to=str(to)), "export")
    return job, to, {"lenet-keras/model.keras": b"mine"}


def test_an_export_is_a_whole_folder_with_a_certificate(
    exported: tuple[Job, Path, dict[str, bytes]], digits: Digits
) -> None:
    job, to, before = exported
    assert job.history.state == State.COMPLETED, job.history
    folder = to / "lenet-keras-2"
    assert job.history.result["path"] == str(folder)
    assert {path.name for path in folder.iterdir()} == {
        "model.keras",
        "labels.json",
        "predict.py",
        "example.png",
        "certificate.json",
    }

    for name, content in before.items():
        assert (to / name).read_bytes() == content
    assert {path.name for path in to.iterdir()} == {"lenet-keras", "lenet-keras-2"}

    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate == job.history.result["certificate"]
    assert certificate["count"] == 180
    assert certificate["accuracy"] >= 0.94
    assert certificate["accuracy_change"] == certificate["disagreements"] == 0
    assert certificate["size_bytes"] == (folder / "model.keras").stat().st_size
    assert certificate["latency_ms"] > 0
    assert certificate["script_checked"] is True
    card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    assert card["classes"] == Store.open(digits.dataset.record.folder).classes
    assert card["run"] == "lenet"


def test_the_exported_script_says_what_studio_says(
    exported: tuple[Job, Path, dict[str, bytes]], digits: Digits, tmp_path: Path
) -> None:
    _, to, _ = exported
    pictures = [next(digits.pictures.glob(f"{label}/*.png")) for label in (3, 8)]

    done = subprocess.run(
        [sys.executable, str(to / "lenet-keras-2" / "predict.py"), *map(str, pictures), "--json"],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
        cwd=tmp_path,
        env={k: v for k, v in clean_environment().items() if k != "PYTHONPATH"},
    )

    for theirs, ours in zip(json.loads(done.stdout), _predict(digits, pictures), strict=True):
        assert theirs["image"] == ours.image
        assert len(theirs["predictions"]) == 5
        for their_score, our_score in zip(theirs["predictions"], ours.scores, strict=False):
            assert their_score["class"] == our_score.label
            assert their_score["score"] == pytest.approx(our_score.score, abs=1e-5)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("import sys; print('I0000 00:00:1 a log line', file=sys.stderr); sys.exit(3)", "nothing"),
        ("raise ValueError('no such layer.')", "exit code 1: ValueError: no such layer"),
    ],
)
def test_an_export_whose_script_fails_is_none(
    own_run: Digits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, expected: str
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(script)
    monkeypatch.setattr(export_module, "asset", lambda name: broken)
    to = tmp_path / "out"

    job = do_here(own_run.workspace, ExportPlan(run=own_run.run.record.id, to=str(to)), "export")

    assert job.history.state == State.FAILED
    assert expected in job.history.reason
    assert list(to.iterdir()) == []


@pytest.mark.parametrize("place", ["file", "file/below", "/proc"])
def test_a_place_that_cannot_be_written_is_the_users_matter(
    own_run: Digits, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("mine")
    to = tmp_path / place
    if place == "/proc" and not Path("/proc/self").exists():
        pytest.skip("/proc is a thing of Linux")

    job = do_here(own_run.workspace, ExportPlan(run=own_run.run.record.id, to=str(to)), "export")

    assert job.history.state == State.FAILED
    assert job.history.category == "user", job.history
    assert str(to) in job.history.reason
    assert "may write" in job.history.hint
    assert (tmp_path / "file").read_text() == "mine"


def test_a_stop_leaves_nothing_behind(own_run: Digits, tmp_path: Path) -> None:
    to = tmp_path / "out"

    job = do_here(
        own_run.workspace,
        ExportPlan(run=own_run.run.record.id, to=str(to)),
        "export",
        stop_when=lambda history: True,
    )

    assert job.history.state == State.STOPPED
    assert list(to.iterdir()) == []


def test_a_finished_folder_takes_the_next_free_name(tmp_path: Path) -> None:
    names = []
    for number in range(3):
        staging = tmp_path / f".staging-{number}"
        staging.mkdir(mode=0o700)
        (staging / "model").write_text(str(number))
        names.append(_move(staging, tmp_path, "m").name)

    assert names == ["m", "m-2", "m-3"]
    assert (tmp_path / "m" / "model").read_text() == "0"
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o755
