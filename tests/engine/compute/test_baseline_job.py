"""The baseline as a job: by hand, with weights of a run or a file, sampled, repeated."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import caller
from helpers.digits import do_here, run_to_end
from helpers.pictures import picture_folder, small_recipe
from helpers.sampling import sample
from helpers.target_datasets import squares, target_recipe
from helpers.weights import weights_file
from studio.engine.baselines.cache import FeatureCache
from studio.engine.baselines.report import BaselinePlan, BaselineReport, FeatureSource
from studio.engine.baselines.requests import newest_baseline, request_baseline
from studio.engine.compute import baseline as module
from studio.engine.compute import candidates as compared
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.jobs.events import ProgressMade
from studio.engine.jobs.job import Job, journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.networks.enlarging import size_seen
from studio.engine.training.advisor import advise
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import request_run_of_baseline
from studio.engine.training.trained_models import model_file
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture(autouse=True)
def no_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))


def _imported(workspace: Workspace, tmp_path: Path, name: str, **values: Any) -> Job:
    source = picture_folder(tmp_path / f"pictures of {name}", 100)
    return do_here(workspace, small_recipe(source, **values), name)


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Job:
    """Two classes that differ in brightness: 120 training and 40 test images."""
    return _imported(workspace, tmp_path, "one", val_percent=20, test_percent=20)


def _baseline(workspace: Workspace, dataset: Job, name: str, **values: Any) -> Job:
    plan = {"dataset": dataset.record.id, "dataset_version": 0, **values}
    return do_here(workspace, BaselinePlan.parse(plan), name)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a dataset, which is that of `dataset`, and its baseline `one`."""
    folder = tmp_path_factory.mktemp("baseline")
    workspace = Workspace.open(folder / "workspace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_WEIGHTS", str(folder / "weights"))
        dataset = _imported(workspace, folder, "one", val_percent=20, test_percent=20)
        _report(_baseline(workspace, dataset, "one"))
    return workspace.root


@pytest.fixture
def measured(shared: Path, tmp_path: Path) -> Job:
    """The baseline `one` in a workspace of one's own."""
    shutil.copytree(shared, tmp_path / "measured")
    workspace = Workspace.open(tmp_path / "measured")
    job: Job = Job(workspace.find(RecordKind.BASELINE, "one"))
    job.refresh()
    return job


def _report(job: Job) -> BaselineReport:
    assert job.history.state == State.COMPLETED, (job.history.reason, job.history.detail)
    report = BaselineReport.read(job.record.folder)
    assert report is not None
    return report


def test_without_weights_features_are_called_what_they_are(measured: Job) -> None:
    report = _report(measured)

    assert report.features.kind == "made_by_hand"
    assert not report.features.is_pretrained
    assert "without pretrained weights" in report.sentence
    assert "download ImageNet weights" in report.notes[0]
    assert "--" not in report.notes[0]
    assert (report.measured_on, report.measured_images, report.train_images) == ("test", 40, 120)
    assert report.score > 0.9
    assert report.low < report.score <= report.high
    assert report.chance == pytest.approx(0.5)
    assert report.pixels_score > 0.9
    assert [each.images for each in report.curve][-1] == 120
    assert report.images in (report.images_there, 160)
    assert measured.history.result["accuracy"] == report.score
    assert measured.history.result["sentence"] == report.sentence
    assert measured.history.artifacts == {"report": "baseline.json"}
    workspace = Workspace.open(measured.record.folder.parents[1])
    again = _report(_baseline(workspace, Job(workspace.find(RecordKind.DATASET, "one")), "again"))
    assert (again.score, again.curve, again.growth) == (
        report.score,
        report.curve,
        report.growth,
    )


@dataclass
class Named:
    label: str


class PretendFeatures:
    """Features that are noise, or the means of the images, as if of a network."""

    def __init__(self, store: Any, *, is_noise: bool) -> None:
        self.name = "noise" if is_noise else "means"
        self._store, self._is_noise = store, is_noise

    def source(self) -> FeatureSource:
        return FeatureSource(
            kind="imagenet",
            network=self.name,
            weights="imagenet",
            label=self.name,
            dimension=2,
            height=8,
            width=8,
        )

    def missing(self, rows: Any) -> Any:
        return rows[:0]

    def features(self, rows: Any, progress: object) -> Any:
        if self._is_noise:
            return np.random.default_rng(0).normal(size=(len(rows), 2)).astype(np.float32)
        pixels = np.asarray(self._store.images[rows], np.float32)
        return pixels.reshape(len(rows), -1)[:, :2]


def test_the_network_with_the_best_features_for_these_images_is_used(
    workspace: Workspace, dataset: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(_context: object, _plan: object, store: Any, chosen: Named) -> PretendFeatures:
        return PretendFeatures(store, is_noise=chosen.label == "noise")

    monkeypatch.setattr(module, "candidates", lambda *_: [Named("noise"), Named("means")])
    monkeypatch.setattr(module, "prepare_backend", lambda *_, **__: None)
    monkeypatch.setattr(compared, "_loaded", loaded)

    job = _baseline(workspace, dataset, "compared")
    report = _report(job)

    assert report.features.network == "means"
    assert [each.network for each in report.candidates] == ["means", "noise"]
    best, worst = report.candidates
    assert best.score > 0.9 > worst.score
    assert best.images == worst.images == 160
    assert "means: " in report.notes[0]
    assert [each["network"] for each in job.history.result["candidates"]] == ["means", "noise"]


@pytest.mark.parametrize(
    ("task", "metrics", "chance"),
    sample(
        [
            (
                "multi_label",
                {"map", "f1_micro", "f1_macro", "subset_accuracy", "label_accuracy"},
                0.5,
            ),
            ("regression", {"mae", "rmse", "r2"}, 0.0),
        ],
        1,
    ),
)
def test_labels_and_numbers_are_measured_in_the_metrics_of_their_task(
    workspace: Workspace, tmp_path: Path, task: str, metrics: set[str], chance: float
) -> None:
    tables = squares(tmp_path / "squares", 200)
    dataset = do_here(workspace, target_recipe(tables, task), "squares")
    job = do_here(workspace, BaselinePlan(dataset=dataset.record.id), "one")
    report = _report(job)

    assert set(report.metrics) == metrics
    assert report.score == report.metrics[report.metric.name] == job.history.result["score"]
    assert job.history.result["metric"] == report.metric.name
    assert (report.measured_on, report.measured_images) == ("test", 50)
    assert report.score > chance + 0.3
    assert report.low < report.score < report.high
    assert report.chance == pytest.approx(chance, abs=0.12)
    assert report.curve[-1].score == report.score
    assert [each.images for each in report.curve][-1] == 100
    assert f"{report.metric.text(report.score)} {report.metric.label}" in report.sentence
    assert advise(dataset_summary(dataset.record.folder, 0), report).recipe.is_pretrained
    folds = do_here(workspace, target_recipe(tables, task, val_percent=0, test_percent=0), "all")
    whole = _report(do_here(workspace, BaselinePlan(dataset=folds.record.id), "folds"))
    assert (whole.measured_on, whole.measured_images) == ("folds", 200)
    assert whole.score > chance + 0.3


def test_targets_that_are_all_alike_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    tables = squares(tmp_path / "squares", 60)
    names = [line.split(",")[0] for line in tables["multi_label"].read_text().splitlines()[1:]]
    for task, value in (("multi_label", "a;b"), ("regression", "2.5")):
        tables[task].write_text("image,target\n" + "".join(f"{name},{value}\n" for name in names))
        dataset = do_here(workspace, target_recipe(tables, task), task)
        job = do_here(workspace, BaselinePlan(dataset=dataset.record.id), task)
        assert "at least two classes, labels or values" in job.history.reason


def test_reports_of_earlier_versions_are_read(measured: Job) -> None:
    report = _report(measured)
    path = measured.record.folder / "baseline.json"
    old = path.read_text()
    for new, before in (("scores", "accuracies"), ("pixels_score", "pixels_accuracy")):
        old = old.replace(f'"{new}":', f'"{before}":')
    old = old.replace('"score":', '"accuracy":').replace('"task"', '"unknown"')
    path.write_text(old)

    assert BaselineReport.read(measured.record.folder) == report


def test_every_long_step_is_reported(measured: Job) -> None:
    events = journal_reader(measured.record).read()
    reported = [(each.what, each.done) for each in events if isinstance(each, ProgressMade)]
    stages = list(dict.fromkeys(what for what, _ in reported))
    assert stages == ["Computing features", "Measuring the curve", "Comparing with tiny images"]
    begin = reported.index(("Measuring the curve", 0))
    assert all(what == "Computing features" for what, _ in reported[:begin])


@pytest.mark.thorough
def test_folds_where_there_is_no_split_and_a_sample_where_there_are_many(
    workspace: Workspace, tmp_path: Path
) -> None:
    dataset = _imported(workspace, tmp_path, "all", val_percent=0)
    report = _report(_baseline(workspace, dataset, "folds", images=60))

    assert (report.measured_on, report.measured_images) == ("folds", 60)
    assert (report.images, report.images_there, report.train_images) == (60, 200, 48)
    assert any("60 of 200 images were used" in note for note in report.notes)
    whole = _report(_baseline(workspace, dataset, "whole"))
    assert whole.images == whole.images_there
    assert not any("images were used" in note for note in whole.notes)


@pytest.mark.thorough
def test_features_of_a_run_and_of_a_file(
    workspace: Workspace, dataset: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = TrainingPlan(dataset=dataset.record.id, network="small_cnn", epochs=1, insights=False)
    run = do_here(workspace, plan, "earlier")
    other = _imported(workspace, tmp_path, "two", width=12, height=10, val_percent=30)

    report = _report(_baseline(workspace, other, "run", weights=f"run:{run.record.id}"))
    assert report.features.kind == "run"
    assert report.features.label == 'the features of Small CNN of the run "earlier"'
    assert (report.features.height, report.features.width) == (8, 8)
    assert report.features.dimension == 128
    assert report.measured_on == "val"
    (stored,) = FeatureCache.of(workspace.root).entries()
    assert stored.images == 200
    repeated = _report(_baseline(workspace, other, "again", weights=f"run:{run.record.id}"))
    assert repeated.features.seconds == 0, "all were kept"
    assert repeated.score == report.score

    model = tmp_path / "small_cnn of mine.keras"
    model.write_bytes((run.record.folder / "model.keras").read_bytes())
    by_file = _report(_baseline(workspace, other, "file", weights=str(model), images=60))
    assert by_file.features.kind == "file"
    assert (by_file.features.network, by_file.features.height) == ("small_cnn", 10)
    assert not any("resized" in note for note in by_file.notes), "it is made for small images"

    monkeypatch.setattr("studio.engine.compute.extractors.RUN_IMAGES", 100)
    assert _report(_baseline(workspace, other, "found")).features.kind == "run"
    assert _report(_baseline(workspace, dataset, "own")).features.kind == "made_by_hand"


def test_the_time_decides_how_many(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEWEST", 70)
    dataset = _imported(workspace, tmp_path, "all", val_percent=0)

    report = _report(_baseline(workspace, dataset, "short", seconds=1e-6))

    assert report.images == 70


def test_what_cannot_be_done(workspace: Workspace, dataset: Job, tmp_path: Path) -> None:
    def reason(name: str, **values: Any) -> str:
        job = _baseline(workspace, dataset, name, **values)
        assert job.history.state == State.FAILED
        assert job.history.category in ("user", "bad_data")
        return f"{job.history.reason} {job.history.hint}"

    assert "no weights of small_cnn" in reason("a", network="small_cnn")
    unknown = weights_file(tmp_path / "unknown.h5")
    assert "unknown network" in reason("b", weights=str(unknown))
    assert "no weights file" in reason("e", weights=str(tmp_path / "w.h5"))
    assert "no network" in reason("c", network="nonsense", weights=str(tmp_path / "w.h5"))
    assert "no run" in reason("d", weights="run:nobody-123456")


def test_asking(workspace: Workspace, dataset: Job) -> None:
    queue = JobQueue(workspace)
    with pytest.raises(StudioError, match="no dataset"):
        request_baseline(queue, BaselinePlan(dataset="none-000000"))
    edit_dataset(dataset.record.folder, [Exclude(rows="0-9")])
    job = request_baseline(queue, BaselinePlan(dataset=dataset.record.id))
    assert job.plan(BaselinePlan).dataset_version == 1
    with pytest.raises(StudioError, match='The baseline "one" is queued and needs the dataset'):
        request_trash(queue, dataset.record)
    queue.stop(job)
    request_trash(queue, dataset.record)
    gone = _baseline(workspace, dataset, "gone")
    assert gone.history.category == "bad_data"


def test_the_newest_baseline_of_a_dataset(workspace: Workspace, dataset: Job) -> None:
    assert newest_baseline(workspace, dataset.record.id) is None
    for name, images in (("one", 60), ("two", 80)):
        _baseline(workspace, dataset, name, images=images)
    newest = newest_baseline(workspace, dataset.record.id)
    assert newest is not None
    assert newest.images == 80
    assert newest_baseline(workspace, "other") is None

    first = workspace.find(RecordKind.BASELINE, "one")
    learned = newest.model_copy(
        update={"images": 60, "features": newest.features.model_copy(update={"kind": "run"})}
    )
    learned.write(first.folder)
    assert newest_baseline(workspace, dataset.record.id) == learned
    workspace.find(RecordKind.BASELINE, "two").plan_file.write_text("{")
    assert newest_baseline(workspace, dataset.record.id) == learned


def test_a_damaged_report(measured: Job) -> None:
    (measured.record.folder / "baseline.json").write_text("{")

    with pytest.raises(BadDataError, match="cannot be read"):
        BaselineReport.read(measured.record.folder)
    (dataset,) = Workspace.open(measured.record.folder.parents[1]).records(RecordKind.DATASET)
    assert BaselineReport.read(dataset.folder) is None


def test_small_images_are_enlarged_in_their_proportions() -> None:
    assert size_seen("squeezenet", (32, 32)) == (128, 128)
    assert size_seen("squeezenet", (20, 30)) == (128, 192)
    assert size_seen("squeezenet", (200, 130)) == (200, 130)
    assert size_seen("small_cnn", (20, 30)) == (20, 30)


@pytest.mark.thorough
def test_on_the_command_line(
    workspace: Workspace, dataset: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, workspace.root)

    said = studio("baseline", "--dataset", "one", "--images", "100", "--json").document

    assert said["name"] == "one"
    assert said["interval"][0] < said["accuracy"] <= said["interval"][1]
    assert said["sentence"].startswith("A linear model on colors and edges")
    assert said["features"]["kind"] == "made_by_hand"
    assert said["growth"]["images"] == 120
    assert [each["images"] for each in said["curve"]] == sorted(
        each["images"] for each in said["curve"]
    )
    assert said["advice"]["recipe"] == "from_scratch", "brightness alone tells them apart"
    assert "no dataset" in studio("baseline", "--dataset", "nobody").mistake
    assert (
        "no weights of"
        in studio("baseline", "--dataset", "one", "--network", "squeezenet").mistake
    )
    assert len(workspace.records(RecordKind.BASELINE)) == 2
    detached = studio("baseline", "--dataset", "one", "--detach", "--json").document
    assert set(detached) == {"name", "state"}
    job = Job(workspace.find(RecordKind.BASELINE, detached["name"]))
    assert _report(run_to_end(JobQueue(workspace), job)).score > 0.9
    assert np.isfinite(said["seconds"])


@pytest.mark.thorough
@pytest.mark.parametrize("task", ["multi_label", "regression"])
def test_the_run_of_a_baseline_of_targets_reproduces_its_metrics(
    workspace: Workspace, tmp_path: Path, task: str
) -> None:
    tables = squares(tmp_path / "squares", 160)
    dataset = do_here(workspace, target_recipe(tables, task), "squares")
    plan = TrainingPlan(dataset=dataset.record.id, network="small_cnn", epochs=1)
    model = model_file(do_here(workspace, plan, "first").record)
    report = _report(_baseline(workspace, dataset, "b", network="small_cnn", weights=str(model)))

    job = request_run_of_baseline(JobQueue(workspace), report, dataset.record)
    done = do_here(workspace, job.plan(TrainingPlan), "use this")
    assert done.history.state == State.COMPLETED, done.history.reason
    do_here(workspace, EvaluationPlan(run=done.record.id, split="test"), "measured")
    measured = Report.read(workspace.find(RecordKind.EVALUATION, "measured").folder)
    assert measured is not None
    assert measured.metrics[report.metric.name] == pytest.approx(report.score, abs=1e-3)


@pytest.mark.thorough
def test_the_run_of_a_baseline_reproduces_its_accuracy(
    workspace: Workspace, tmp_path: Path
) -> None:
    recipe = small_recipe(picture_folder(tmp_path / "more", 60), val_percent=20, test_percent=30)
    dataset = do_here(workspace, recipe, "more")
    plan = TrainingPlan(dataset=dataset.record.id, network="small_cnn", epochs=1)
    model = model_file(do_here(workspace, plan, "first").record)
    report = _report(_baseline(workspace, dataset, "b", network="small_cnn", weights=str(model)))
    assert report.measured_on == "test"
    assert report.strength is not None

    job = request_run_of_baseline(JobQueue(workspace), report, dataset.record)
    asked = job.plan(TrainingPlan)
    done = do_here(workspace, asked, "use this")

    assert done.history.state == State.COMPLETED, done.history.reason
    measured = do_here(workspace, EvaluationPlan(run=done.record.id, split="test"), "measured")
    assert measured.history.result["accuracy"] == pytest.approx(report.score)
