"""Networks that are trained on crops, and used on whole images."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from helpers.digits import do_here, go_on_here
from helpers.mask_datasets import SIDE, import_shapes
from helpers.resuming import assert_same
from helpers.task_cases import case_plan
from studio.engine.compute.build import build
from studio.engine.compute.crops import WithCrops, cropped_network
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs import control as job_control
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import InputShape
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import TASKS
from studio.engine.tasks.instances.task import INSTANCES
from studio.engine.tasks.segmentation.task import SEGMENTATION
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.precision import FULL
from studio.engine.training.preprocessing import network_for
from studio.engine.training.requests import check_training
from studio.engine.workspace import Workspace

CROP = 16
CROPPED = {"crop": CROP, "horizontal_flip": True, "quarter_turns": "all", "whitening": True}


def crops(**values: object) -> dict[str, object]:
    return {"augmentation": AugmentationPlan.parse(CROPPED | values)}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Job]:
    folder = tmp_path_factory.mktemp("shapes")
    workspace = Workspace.open(folder / "workspace")
    return workspace, import_shapes(workspace, folder / "in", 48)


def drawn(store: Store, batch_size: int, epoch: int) -> tuple[np.ndarray, np.ndarray]:
    """All training images of an epoch, in the order of the dataset."""
    augmenter = Augmenter(AugmentationPlan.parse(CROPPED), 7)
    batches = SplitBatches(store, "train", batch_size, None, augmenter)
    batches.set_epoch(epoch)
    pairs = [batches[at] for at in range(len(batches))]
    images, masks = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return images, masks


def test_targets_are_cropped_with_their_images(dataset: tuple[Workspace, Job]) -> None:
    store = Store.open(dataset[1].record.folder)
    rows = store.rows("train")
    images, masks = drawn(store, 5, 0)

    assert images.shape == (len(rows), CROP, CROP, 3)
    assert masks.shape == (len(rows), CROP, CROP)
    # Red squares are class 1, blue discs class 2, and gray noise the background.
    red, blue = (images[..., at].astype(int) for at in (0, 2))
    is_square, is_disc = (red == 200) & (blue == 40), (red == 40) & (blue == 200)
    expected = is_square * 1 + is_disc * 2
    assert np.array_equal(masks, expected)
    assert {1, 2} <= set(masks.ravel().tolist())


def test_crops_depend_on_seed_epoch_and_image_alone(dataset: tuple[Workspace, Job]) -> None:
    store = Store.open(dataset[1].record.folder)
    images, masks = drawn(store, 5, 0)
    same_images, same_masks = drawn(store, 8, 0)
    others, _ = drawn(store, 5, 1)

    assert np.array_equal(images, same_images)
    assert np.array_equal(masks, same_masks)
    assert (images != others).any(axis=(1, 2, 3)).mean() > 0.9


def test_the_network_itself_takes_whole_images() -> None:
    plan = TrainingPlan(dataset="d", network="small_unet").changed(**crops())

    spec = network_for(plan, (48, 64, 3), 2, task=SEGMENTATION)

    assert spec.input == InputShape(height=48, width=64, channels=3)
    assert "center_crop" not in {node.layer for node in spec.nodes}


@pytest.mark.parametrize("side", [32, 34])
def test_both_models_have_the_same_weights_and_outputs(side: int) -> None:
    spec = ZOO["star_unet:filters=4,depth=2,features=8"].build((50, 62, 1), 1)
    network = build(spec, seed=1, auxiliary=True)
    model = WithCrops(network, spec, cropped_network(network, spec, side, FULL))
    crop = np.random.default_rng(0).integers(0, 256, (2, side, side, 1)).astype(np.float32)
    size = spec.input.model_copy(update={"height": side, "width": side})
    own = build(spec.model_copy(update={"input": size}), seed=2)
    own.set_weights(network.get_weights())

    outputs = np.asarray(model(crop, training=True))

    assert np.allclose(outputs, np.asarray(own(crop)), atol=1e-5)
    assert model(np.zeros((1, 50, 62, 1), np.float32)).shape == (1, 25, 31, 33)
    assert len(model.weights) == len(network.weights)


def test_weights_that_depend_on_the_size_are_refused() -> None:
    net = GraphBuilder("fixed", InputShape(height=32, width=32, channels=1), 2)
    net.add("flatten").add("dense", "predictions", units=2, activation="softmax")
    spec = net.spec()

    with pytest.raises(StudioError, match="“predictions” depend on the size"):
        cropped_network(build(spec, seed=0, auxiliary=True), spec, 16, FULL)


def test_a_run_learns_from_crops_and_validates_whole_images(
    dataset: tuple[Workspace, Job],
) -> None:
    workspace, job = dataset
    plan = case_plan(job, batch_size=4, epochs=4, learning_rate=0.01, **crops())

    run = do_here(workspace, plan, "crops")

    assert run.history.state == State.COMPLETED, run.history.detail
    model = load_model(run.record.folder / MODEL_FILE)
    assert isinstance(model, keras.Model)
    assert model.input_shape == (None, SIDE, SIDE, 3)
    losses = [epoch.value("loss") for epoch in run.history.epochs]
    assert losses[-1] < losses[0]
    assert run.history.epochs[-1].value("val_mean_iou") > 0.1


def test_a_paused_run_on_crops_resumes_exactly(dataset: tuple[Workspace, Job]) -> None:
    workspace, job = dataset
    plan = case_plan(job, batch_size=4, epochs=2, insights=False, **crops())
    whole = do_here(workspace, plan, "whole")
    paused = JobQueue(workspace).submit(plan, "paused").with_history(RunHistory)

    def pause(_queue: JobQueue, run: RunJob) -> None:
        if run.history.state.has_worker:
            job_control.pause(run)

    first = go_on_here(workspace, paused, lambda found: found.steps_of("loss") != [], pause)
    assert first.history.state == State.PAUSED, first.history.detail
    again = go_on_here(workspace, paused)

    assert again.history.state == State.COMPLETED
    assert_same(whole, paused)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"crop": 40}, "does not fit"),
        ({"crop": 2}, "at least"),
        ({"subtract_mean": "image"}, "mean image"),
    ],
    ids=["too large", "too small", "mean image"],
)
def test_crops_that_cannot_be_are_refused_before_training(
    dataset: tuple[Workspace, Job], values: dict[str, object], words: str
) -> None:
    job = dataset[1]
    found = check_training(case_plan(job, **crops(**values)), dataset_summary(job.record.folder))

    (problem,) = [each for each in found if each.serious]
    assert problem.where == "augmentation.crop"
    assert words in str(problem.message)


def test_only_tasks_whose_networks_take_any_size_accept_crops() -> None:
    refusing = {name for name, task in TASKS.items() if "augmentation.crop" in task.refusals}
    assert {SEGMENTATION.name, INSTANCES.name}.isdisjoint(refusing)
    assert refusing == {"detection", "anomaly"}
