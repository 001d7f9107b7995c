"""Trained models of boxes: evaluations, predictions, heat maps, and exported files."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from helpers.box_datasets import NAMES, SIDE
from helpers.box_runs import box_case
from helpers.digits import do_here
from helpers.exports import STUDIO
from helpers.processes import run_without
from studio.engine.compute.explain import Explainer
from studio.engine.compute.features import EXTRA, ModelFeatures, answers_in
from studio.engine.compute.forward import Outliner
from studio.engine.compute.models import score
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.store import Store
from studio.engine.evaluation.evaluated_outputs import (
    EvaluatedOutputs,
    compare_targets,
)
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.certificate import files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.requests import ExplainRequest, Method, PredictRequest
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.workspace import Workspace

pytestmark = pytest.mark.slow

FORMATS = ("keras:float32", "onnx:float32")
OTHERS = ("savedmodel:float32", "tflite:float32", "bundle:int8")


@dataclass(frozen=True, slots=True)
class Trained:
    """A workspace with a run on boxes."""

    workspace: Workspace
    run: RunJob
    store: Store
    pictures: list[Path]

    @property
    def model(self) -> ModelSource:
        return model_of_run(self.workspace, self.run.record)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    case = box_case(tmp_path_factory)
    pictures = sorted(case.pictures.iterdir())[:4]
    return Trained(case.workspace, case.run, case.store, pictures)


def evaluated(trained: Trained, name: str) -> EvaluatedOutputs:
    """Evaluate the run on its test images."""
    plan = EvaluationPlan(run=trained.run.record.id, split="test", resamples=20)
    job = do_here(trained.workspace, plan, name)
    assert job.history.state == State.COMPLETED, job.history.detail
    return EvaluatedOutputs.open(trained.workspace, job.record.folder)


def test_an_evaluation_measures_boxes(trained: Trained) -> None:
    evaluation = evaluated(trained, "first")
    report, store = evaluation.report, trained.store
    assert report.count == len(store.rows("test"))
    assert report.metrics.keys() >= {"map", "ap50", "ap75", "ar100"}
    assert [each.name for each in report.outputs] == list(NAMES)
    assert all(each.threshold is not None for each in report.outputs)
    rows = store.rows("test")
    objects = store.targets[rows].sum(axis=0).tolist()
    assert [each.objects for each in report.outputs] == objects
    confusion = np.array(report.confusion)
    assert confusion.shape == (len(NAMES) + 1,) * 2
    assert confusion[:-1].sum(axis=1).tolist() == objects
    for cell in np.ndindex(*confusion.shape):
        images, counts = evaluation.cell(*cell)
        assert counts.sum() == confusion[cell]
        assert len(set(images.tolist())) == len(images)
    assert len(evaluation.reporter.curves(evaluation.evidence)) == len(NAMES)
    assert len(evaluation.worst(None, 5)) <= 5

    page = evaluation.text("html")
    assert "Precision by recall" in page or not any(report.metrics.values())
    assert "background" in page
    assert "data:image/jpeg" in page
    assert json.loads(evaluation.text("json"))["task"] == store.task.name
    assert "ap50" in evaluation.text("csv")

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as of metrics that are not measured
        same = compare_targets(evaluation, evaluated(trained, "second"), resamples=5)
    assert {each.value for each in same.values() if np.isfinite(each.value)} <= {0.0}


def test_pictures_are_answered_with_boxes(trained: Trained) -> None:
    predictor = PicturePredictor(WarmModels())
    images = tuple(map(str, trained.pictures))

    def counts(threshold: float | None) -> list[int]:
        request = PredictRequest(model=trained.model, images=images, threshold=threshold)
        found = predictor.predict(request).predictions
        return [len(each.objects.given) for each in found if each.objects is not None]

    request = PredictRequest(model=trained.model, images=images, threshold=0.02)
    for each in predictor.predict(request).predictions:
        assert each.objects is not None
        assert each.objects.size == (SIDE, SIDE)
        for box in each.objects.candidates:
            assert 0 <= box.left < box.right <= SIDE
            assert 0 <= box.top < box.bottom <= SIDE
            assert box.label in NAMES
    assert sum(counts(0.02)) > sum(counts(0.5))
    assert sum(counts(1.0)) == 0
    assert len(counts(None)) == len(images)


@pytest.mark.parametrize("method", get_args(Method))
def test_heat_maps_explain_the_best_box_of_a_class(trained: Trained, method: Method) -> None:
    models = WarmModels()
    explainer = Explainer(models, Outliner(models))
    request = ExplainRequest(
        model=trained.model, image=str(trained.pictures[0]), method=method, label=NAMES[0]
    )
    found = explainer.answer(request)
    while not found.is_complete:
        found = explainer.answer(request)
    assert found.outputs == NAMES
    assert 0 <= found.score <= 1
    assert found.heat.values().max() in (0, 1)


def test_the_features_of_a_picture_come_with_its_surest_class(trained: Trained) -> None:
    models = WarmModels()
    loaded = models.get(trained.model)
    features = ModelFeatures(loaded, Outliner(models).of(loaded).features)
    pixels = trained.store.images[:3]
    rows = features.network.predict(pixels, verbose=0)
    assert rows.shape == (3, features.width + EXTRA)
    classes, scores = answers_in(rows)
    surest = score(loaded.model, pixels)[..., : len(NAMES)].max(axis=1)
    assert classes.tolist() == surest.argmax(axis=1).tolist()
    np.testing.assert_allclose(scores, surest.max(axis=1), rtol=1e-5)


@pytest.mark.thorough  # that of ONNX in `test_conformance` runs always
@pytest.mark.parametrize("variants", [FORMATS, OTHERS])
def test_exported_files_answer_as_the_run(
    trained: Trained, tmp_path: Path, variants: tuple[str, ...]
) -> None:
    tolerance = {"points": 100, "agreement": 0}
    plan = ExportPlan.parse(
        {
            "run": trained.run.record.id,
            "variants": list(variants),
            "to": str(tmp_path / "out"),
            "tolerance": tolerance,
        }
    )
    job = do_here(trained.workspace, plan, variants[0].replace(":", "-"))
    assert job.history.state == State.COMPLETED, job.history.detail
    request = PredictRequest(
        model=trained.model, images=tuple(map(str, trained.pictures)), threshold=0.05
    )
    ours = [
        each.document()["boxes"]
        for each in PicturePredictor(WarmModels()).predict(request).predictions
    ]
    files = files_of(job.history.result)
    assert [each.problem for each in files if each.problem] == []
    for file in files:
        made = file.certificate
        assert made is not None
        assert made.script_checked, file.name
        assert made.metrics.keys() >= {"map", "ap50"}
        assert made.box_agreement is not None
        if made.precision != "float32":
            continue
        assert made.box_agreement > 0.95
        assert made.metrics["map"] == pytest.approx(made.model_metrics["map"], abs=1e-3)
        folder = Path(file.path)
        pictures = list(map(str, trained.pictures))
        words = ("--json", "--threshold", "0.05", "--to", str(tmp_path / "drawn"))
        out = run_without(STUDIO, folder / "predict.py", *pictures, *words, cwd=folder)
        theirs = json.loads(out.splitlines()[-1])
        for answer, expected in zip(theirs, ours, strict=True):
            assert isinstance(expected, list)
            assert Path(answer["picture"]).is_file()
            for one, other in zip(answer["boxes"], expected, strict=True):
                assert one["class"] == other["class"]
                assert one["score"] == pytest.approx(other["score"], abs=1e-4)
                assert one["box"] == pytest.approx(other["box"], abs=0.05)
