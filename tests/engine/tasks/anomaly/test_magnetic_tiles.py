"""Magnetic tiles with pretrained features: the method that is chosen without real defects."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from helpers.digits import do_here
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.evaluation.report import EvaluationPlan, TargetReport
from studio.engine.exporting.certificate import files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.models import model_of_run, read_source
from studio.engine.inference.requests import PredictRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

SHARED = Path(__file__).resolve().parents[5] / "shared"
TILES = SHARED / "data" / "magnetic-tiles.tar.xz"
WEIGHTS = SHARED / "models" / "mobilenet_v2_1.0_224_imagenet.weights.h5"
SEEDS = range(5)
LEAST = 0.93
"""AUROC of images that the default choice has to reach."""

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not (TILES.is_file() and WEIGHTS.is_file()), reason="no data"),
]


@pytest.fixture(scope="module")
def tiles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Job]:
    """The imported pictures."""
    folder = tmp_path_factory.mktemp("tiles")
    with tarfile.open(TILES) as archive:
        archive.extractall(folder / "tiles", filter="data")
    workspace = Workspace.open(folder / "workspace")
    fields = {"source": str(folder / "tiles"), "task": "anomaly", "width": 224, "height": 224}
    dataset = do_here(workspace, DatasetRecipe.parse(fields), "tiles")
    assert dataset.history.state == State.COMPLETED, dataset.history.detail
    return workspace, dataset


@pytest.mark.parametrize("seed", SEEDS)
def test_defects_are_found_by_the_default_choice(
    tiles: tuple[Workspace, Job], seed: int, tmp_path: Path
) -> None:
    workspace, dataset = tiles
    plan = TrainingPlan(
        dataset=dataset.record.id, network="padim", weights=str(WEIGHTS), freeze="all", seed=seed
    )
    run = do_here(workspace, plan, f"seed {seed}")
    assert run.history.state == State.COMPLETED, run.history.detail
    assert run.history.epochs[-1].seconds < 180

    evaluation = do_here(
        workspace, EvaluationPlan(run=run.record.id, split="test"), f"test {seed}"
    )
    report = TargetReport.read(evaluation.record.folder)
    assert report is not None
    assert report.count == 130
    assert (report.metrics["auroc"] or 0) >= LEAST
    if seed:
        return
    export = ExportPlan(run=run.record.id, variants=["onnx:float32"], to=str(tmp_path / "to"))
    job = do_here(workspace, export, "export")
    (made,) = files_of(job.history.result)
    assert made.certificate is not None
    assert made.certificate.disagreements == 0
    store = Store.open(dataset.record.folder)
    images = tuple(store.origin(int(row)) for row in store.rows("test"))
    predictor = PicturePredictor(WarmModels())
    models = model_of_run(workspace, run.record), read_source(Path(made.path), any_format=True)
    ours, theirs = (
        [
            each.document()
            for each in predictor.predict(PredictRequest(model=model, images=images)).predictions
        ]
        for model in models
    )
    assert [each["is_anomaly"] for each in ours] == [each["is_anomaly"] for each in theirs]
    scores = np.array([[each["score"] for each in side] for side in (ours, theirs)])
    assert scores[0] == pytest.approx(scores[1], rel=1e-3)
