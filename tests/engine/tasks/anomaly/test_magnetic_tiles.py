"""Magnetic tiles with pretrained features: the method that is chosen without real defects."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import do_here
from helpers.exports import script_answers
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.exporting.certificate import files_of
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.models import ModelSource, model_of_run, read_source
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
LEAST_OF_PATCHES = 0.93
"""The same of PatchCore."""
EXACT = ("keras", "savedmodel", "tflite", "onnx", "openvino")
"""Exact formats."""

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
    report = Report.read(evaluation.record.folder)
    assert report is not None
    assert report.count == 130
    assert (report.metrics["auroc"] or 0) >= LEAST
    if seed:
        return
    _exports_agree(workspace, dataset, run, tmp_path / "to")


def _exports_agree(workspace: Workspace, dataset: Job, run: Job, folder: Path) -> None:
    """Every exact format gives the same verdict on all test pictures, and the same score."""
    plan = ExportPlan(
        run=run.record.id, variants=[f"{name}:float32" for name in EXACT], to=str(folder)
    )
    job = do_here(workspace, plan, "export")
    assert job.history.state == State.COMPLETED, job.history.detail
    store = Store.open(dataset.record.folder)
    images = tuple(store.origin(int(row)) for row in store.rows("test"))
    assert len(images) == 130
    predictor = PicturePredictor(WarmModels())
    ours = _verdicts(predictor, model_of_run(workspace, run.record), images)
    for made in files_of(job.history.result):
        assert made.certificate is not None
        assert made.certificate.disagreements == 0, made.certificate.format
        path = Path(made.path)
        theirs = (
            _verdicts(predictor, read_source(path, any_format=True), images)
            if FORMATS[made.format].predicts
            else _read(script_answers(path, images))
        )
        assert theirs[0] == ours[0], made.certificate.format
        assert theirs[1] == pytest.approx(ours[1], rel=1e-3)


def _verdicts(
    predictor: PicturePredictor, model: ModelSource, images: tuple[str, ...]
) -> tuple[list[bool], NDArray[np.float64]]:
    """Return if each picture has a defect, and its score."""
    found = predictor.predict(PredictRequest(model=model, images=images)).predictions
    return _read([each.document() for each in found])


def _read(documents: Sequence[Mapping[str, Any]]) -> tuple[list[bool], NDArray[np.float64]]:
    scores = np.array([each["score"] for each in documents], np.float64)
    return [bool(each["is_anomaly"]) for each in documents], scores


def test_patches_in_a_memory_find_defects_too(
    tiles: tuple[Workspace, Job], tmp_path: Path
) -> None:
    workspace, dataset = tiles
    plan = TrainingPlan(
        dataset=dataset.record.id, network="patchcore", weights=str(WEIGHTS), freeze="all"
    )
    run = do_here(workspace, plan, "patches")
    assert run.history.state == State.COMPLETED, run.history.detail
    evaluation = do_here(workspace, EvaluationPlan(run=run.record.id, split="test"), "patches")
    report = Report.read(evaluation.record.folder)
    assert report is not None
    assert (report.metrics["auroc"] or 0) >= LEAST_OF_PATCHES
    _exports_agree(workspace, dataset, run, tmp_path / "to")
