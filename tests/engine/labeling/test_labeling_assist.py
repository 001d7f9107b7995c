"""Proposals of a model that learns from the labels, in what order, and how good labels are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from labeling_pictures import color_labeling, color_pictures

from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.assist import (
    Assistant,
    groups,
    model_proposals,
)
from studio.engine.labeling.certain import certain_page, certainty, most_certain
from studio.engine.labeling.editors import boxes, classes, labels, masks, numbers
from studio.engine.labeling.model import Scaled, learn, targets_of
from studio.engine.labeling.ordering import ORDERS, ordered
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.propagate import propagated
from studio.engine.labeling.proposals import MIN_LABELS, Proposal, accept
from studio.engine.labeling.sources import add_pictures
from studio.engine.labeling.values import (
    BoxesValue,
    ClassValue,
    LabelsValue,
    NumbersValue,
)
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.engine.tasks.parts.values import NamedValue, Values
from studio.engine.workspace import Workspace

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    host = EngineHost()
    yield host
    host.close()


def test_proposals_come_after_twenty_labels_and_are_right(
    workspace: Workspace, tmp_path: Path, host: EngineHost
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 60)
    assistant = Assistant(labeling, workspace, host)
    status = assistant.finish()
    assert (status.done, status.total, status.labels) == (60, 60, 0)
    assert "20 more labels" in status.reason
    for item in range(MIN_LABELS):
        labeling.label(item, ClassValue(index=item % 3), "key", 1.0)
    status = assistant.update()

    assert status.is_current
    assert (status.labels, status.reason) == (20, "")
    assert sorted(status.proposals) == list(range(20, 60))
    for item, proposal in status.proposals.items():
        assert proposal.value == ClassValue(index=item % 3)
        assert 0 <= proposal.probability <= 1
    assert min(status.given.values()) > 0.5
    assert status.curve.points[-1].score == 1
    assert "20 labels" in status.curve.sentence
    assert status.features

    found = groups(status, least=0.5)
    assert sorted(len(group.proposals) for group in found) == [13, 13, 14]
    accept(labeling, found[0].proposals, "group")
    assert labeling.labeled_count == 34
    labeling.undo()
    assert labeling.labeled_count == 20
    assert len(most_certain(status, 10)) == 10
    limit = status.certain
    assert limit is not None
    assert (limit.labels, limit.error_rate) == (20, 1 / 22)
    certain = certain_page(status, 60)
    assert certain
    assert all(certainty(each) >= limit.threshold for each in certain)
    _check_bulk(labeling, assistant, status.proposals[59])
    _check_orders(labeling, assistant)
    _check_propagation(labeling, assistant)
    color_pictures(tmp_path / "more", 6, seed=5)
    add_pictures(labeling, [tmp_path / "more"])
    status = assistant.finish()
    assert status.total == 66
    assert status.proposals[64].value == ClassValue(index=1)


def _check_bulk(labeling: Labeling, assistant: Assistant, proposal: Proposal) -> None:
    """A wrong guess that was accepted with others does not train the model, but is doubted."""
    wrong = replace(proposal, value=ClassValue(index=0))
    assert proposal.value != wrong.value
    accept(labeling, [wrong], "group")
    status = assistant.relearn()
    assert status.labels == MIN_LABELS
    assert status.given[proposal.item] < 0.5
    labeling.undo()
    assert assistant.relearn().labels == MIN_LABELS


def _check_orders(labeling: Labeling, assistant: Assistant) -> None:
    status, features = assistant.status, assistant.features()
    orders = {order: ordered(labeling, order, status, features, seed=3) for order in ORDERS}
    assert all(sorted(found) == labeling.undecided() for found in orders.values())
    assert orders["order"] == labeling.undecided()
    assert orders["random"] == ordered(labeling, "random", seed=3)
    assert orders["random"] != ordered(labeling, "random", seed=4)
    certain = [status.proposals[item].probability for item in orders["uncertainty"]]
    assert certain[0] <= certain[-1]
    items, values = features
    labeled = values[np.isin(items, list(labeling.labels))]
    likeness = [float((labeled @ values[item]).max()) for item in orders["diversity"]]
    assert likeness[0] == min(likeness)


def _check_propagation(labeling: Labeling, assistant: Assistant) -> None:
    found = propagated(labeling, assistant.features(), [0, 1], most=8)
    assert len(found) == 8
    for each in found:
        assert each.item % 3 in (0, 1)
        assert each.value == ClassValue(index=each.item % 3)
    assert propagated(labeling, assistant.features(), [40]) == []


def test_features_are_computed_once(
    workspace: Workspace, tmp_path: Path, host: EngineHost
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 30)
    Assistant(labeling, workspace, host).finish()
    parts = set((workspace.root / "cache" / "features").rglob("part-*.npy"))
    again = Assistant(labeling, workspace, host)

    assert again.finish().done == 30
    assert set((workspace.root / "cache" / "features").rglob("part-*.npy")) == parts


def test_a_picture_that_is_gone_stops_nothing(
    workspace: Workspace, tmp_path: Path, host: EngineHost
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 30)
    labeling.file_of(3).unlink()

    assert Assistant(labeling, workspace, host).finish().done == 30


def test_regions_get_proposals_from_runs_alone(
    workspace: Workspace, tmp_path: Path, host: EngineHost
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 4, "segmentation")
    status = Assistant(labeling, workspace, host).finish()

    assert "trained run" in status.reason
    with pytest.raises(StudioError, match="another task"):
        list(model_proposals(labeling, host, ModelSource(file="m", name="m"), [0]))


def test_answers_of_models_become_values(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 2)
    model = ModelSource(file="m.keras", name="m", classes=("Blue", "black", "red"))
    scores = (ClassScore(label="black", score=0.6), ClassScore(label="BLUE", score=0.3))
    answer = ImagePrediction(image="", scores=Scores(classes=scores))
    found = labeling.editor.proposed(labeling, 1, answer, model)
    assert found is not None
    assert (found.value, found.probability) == (ClassValue(index=2), 0.3)
    assert labeling.editor.proposed(labeling, 1, ImagePrediction(image=""), model) is None

    labeling.editor = labels.EDITOR
    answer = ImagePrediction(image="", scores=Scores(classes=scores, labels=("blue", "black")))
    found = labeling.editor.proposed(labeling, 1, answer, model)
    assert found is not None
    assert found.value == LabelsValue.of([2])

    labeling.editor = numbers.EDITOR
    quantity = NamedValue(name="Green", value=3.5)
    answer = ImagePrediction(image="", values=Values(quantities=(quantity,)))
    found = labeling.editor.proposed(labeling, 1, answer, model)
    assert found is not None
    assert found.value == NumbersValue(numbers=(None, 3.5, None))

    labeling.editor = masks.EDITOR
    mask = np.array([[0, 1, 2, 255]], np.uint8)
    answer = ImagePrediction(image="", class_map=ClassMap.of(mask, model.classes, ()))
    found = labeling.editor.proposed(labeling, 1, answer, model)
    assert found is not None
    assert found.mask is not None
    assert found.mask.tolist() == [[2, 255, 0, 255]]

    labeling.editor = boxes.EDITOR
    box = DetectedObject(label="red", score=0.8, left=1, top=2, right=3, bottom=4, threshold=0.5)
    weak = box.model_copy(update={"score": 0.2})
    answer = ImagePrediction(image="", objects=Objects(candidates=(box, weak)))
    found = labeling.editor.proposed(labeling, 1, answer, model)
    assert found is not None
    assert found.value == BoxesValue(boxes=((0, 1, 2, 3, 4, 0),))
    assert found.probability == pytest.approx(0.8)


@pytest.mark.parametrize("kind", ["class", "labels", "numbers"])
def test_held_out_answers_are_those_of_models_that_did_not_learn(kind: str) -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(60, 20)).astype(np.float32)
    scaled = Scaled.of(features)
    rows = np.arange(30)
    hidden = features @ random.normal(size=(20, 3))
    targets = {
        "class": np.eye(3)[hidden.argmax(axis=1)],
        "labels": (hidden > 0).astype(float),
        "numbers": hidden.astype(float),
    }[kind][:30]
    editor = {"class": classes, "labels": labels, "numbers": numbers}[kind].EDITOR
    learned = learn(scaled, rows, targets, editor.learner)

    assert learned.outputs.shape == (60, 3)
    assert learned.held_out.shape == (30, 3)
    assert 0 <= learned.score <= 1
    if kind == "class":
        np.testing.assert_allclose(learned.outputs.sum(axis=1), 1)
    if kind == "numbers":
        others = np.delete(rows, 4)
        # The mean of the targets is that of all labels in the closed form.
        mean, scale = targets.mean(axis=0), targets.std(axis=0)
        kernel = scaled.kernel(others).astype(np.float64)
        inner = kernel[others] + 0.05 * np.eye(29)
        weights = np.linalg.solve(inner, (targets[others] - mean) / scale)
        alone = kernel[4:5] @ weights * scale + mean
        np.testing.assert_allclose(learned.held_out[4], alone[0], rtol=1e-4)


def test_the_kernel_does_not_depend_on_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    features = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    scaled, fresh = Scaled.of(features), Scaled.of(features)
    for rows in ([3, 1], [1, 7, 3], [40]):
        found = scaled.kernel(np.array(rows))
        expected = np.exp(
            -0.5 * ((scaled.values[:, None] - scaled.values[rows]) ** 2).sum(-1) / scaled.median
        )
        np.testing.assert_allclose(found, expected, atol=1e-5)
    monkeypatch.setattr("studio.engine.labeling.model._MOST_KEPT", 100)
    for rows in ([3, 1], [1, 7, 3], [40, 3]):
        np.testing.assert_allclose(
            fresh.kernel(np.array(rows)), scaled.kernel(np.array(rows)), atol=1e-5
        )


def test_values_become_targets() -> None:
    assert targets_of([ClassValue(index=1)], 2).tolist() == [[0, 1]]
    assert targets_of([LabelsValue.of([0, 1])], 2).tolist() == [[1, 1]]
    assert np.isnan(targets_of([NumbersValue(numbers=(1.0, None))], 2)[0, 1])
