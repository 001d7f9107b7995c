"""Which runs can be chosen as a model, which is taken, and which are found by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import Artifact, StateChanged
from studio.engine.jobs.states import State
from studio.engine.jobs.types import job_type
from studio.engine.plans import Plan
from studio.engine.tasks import TASKS
from studio.engine.training.history import EpochDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordInfo, RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.run_choices import RunChoices
from studio.ui.documents.record import RecordDocument, RunDocument


def entry(kind: RecordKind, record_id: str, name: str, plan: Plan) -> RecordDocument[Any]:
    record = Record(kind, Path(record_id))
    info = RecordInfo(id=record_id, kind=kind, name=name)
    return RecordDocument((kind, record_id), record, info, plan, job_type(kind).history())


def run(
    record_id: str, name: str = "", dataset: str = "birds", *, model: bool = True
) -> RunDocument:
    made = entry(RecordKind.RUN, record_id, name or record_id, TrainingPlan(dataset=dataset))
    if model:
        made.history.apply([Artifact(name="model", path="model.keras")])
    return made


DATASETS = [
    entry(RecordKind.DATASET, "birds", "Pássaros", DatasetRecipe(source="/birds")),
    entry(RecordKind.DATASET, "ships", "Ships", DatasetRecipe(source="/ships")),
]


@pytest.mark.parametrize(
    ("preferred", "expected"),
    [
        (("two",), "two"),
        (("gone", "three"), "three"),
        (("deleted",), "one"),
        (("untrained",), "one"),
        ((), "one"),
    ],
)
def test_the_first_usable_device(preferred: tuple[str, ...], expected: str) -> None:
    runs = [run("deleted", dataset="gone"), run("untrained", model=False)]
    choices = RunChoices([*runs, run("one"), run("two"), run("three")], DATASETS)
    picked = choices.pick(*preferred)
    assert picked is not None
    assert picked.id == expected


def trained(record_id: str, accuracy: float, state: State, dataset: str = "birds") -> RunDocument:
    made = run(record_id, dataset=dataset)
    epoch = EpochDone(
        epoch=1,
        step=1,
        metrics={"loss": 1.0, "accuracy": accuracy, "val_loss": 1.0, "val_accuracy": accuracy},
        learning_rate=0.1,
        seconds=1.0,
        images_per_second=1.0,
        is_best=True,
    )
    made.history.apply([epoch, StateChanged(state=state)])
    return made


def test_the_best_completed_run_is_first_and_one_still_training_last() -> None:
    runs = [
        trained("training", 0.99, State.RUNNING),
        trained("newest", 0.5, State.COMPLETED),
        trained("stopped", 0.98, State.STOPPED),
        trained("best", 0.9, State.COMPLETED),
        trained("of a deleted dataset", 0.95, State.COMPLETED, "gone"),
    ]
    choices = RunChoices(runs, DATASETS)
    expected = ["best", "newest", "stopped", "of a deleted dataset", "training"]
    assert [choice.id for choice in choices.first(10)] == expected
    picked = choices.pick("")
    assert picked is not None
    assert picked.id == "best"
    only = RunChoices(runs[:1], DATASETS).pick("")
    assert only is not None, "better one that still trains than none"


def test_nothing_to_pick() -> None:
    assert RunChoices([run("deleted", dataset="gone")], DATASETS).pick("deleted") is None


def test_the_newest_are_listed_even_those_that_cannot_be_used() -> None:
    choices = RunChoices([run("a", dataset="gone"), run("b", model=False), run("c")], DATASETS)
    assert [choice.id for choice in choices.first(10)] == ["a", "c"]
    assert [choice.is_usable for choice in choices.first(10)] == [False, True]
    assert [choice.id for choice in choices.first(1)] == ["a"]
    assert len(choices) == 2
    assert choices.get("b") is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ["3", "2", "1"]),
        ("VGG", ["3", "1"]),
        ("pássaros vgg", ["1"]),
        ("pa\N{COMBINING ACUTE ACCENT}ssa", ["2", "1"]),
        ("resnet ship", []),
    ],
)
def test_they_are_found_by_parts_of_names(words: str, expected: list[str]) -> None:
    runs = [run("3", "vgg fast", "ships"), run("2", "resnet"), run("1", "my VGG")]
    choices = RunChoices([*runs, run("0", "vgg", "gone")], DATASETS)
    found, more = choices.find(words, 10)
    assert [choice.id for choice in found] == expected
    assert more == 0


def test_what_is_not_shown_of_what_was_found_is_counted() -> None:
    choices = RunChoices([run(f"run {number}") for number in range(5)], DATASETS)
    found, more = choices.find("run", 2)
    assert [choice.id for choice in found] == ["run 0", "run 1"]
    assert more == 3


def of_task(record_id: str, task: str, value: float) -> RunDocument:
    made = run(record_id)
    name = TASKS[task].primary.name
    began = TrainingBegan(
        task=task, epochs=1, steps_per_epoch=1, train_images=1, val_images=1, parameters=1,
        trainable_parameters=1, backend="jax", device="cpu",
    )  # fmt: skip
    epoch = EpochDone(
        epoch=1,
        step=1,
        metrics={name: value},
        learning_rate=0.1,
        seconds=1.0,
        images_per_second=1.0,
        is_best=True,
    )
    made.history.apply([began, epoch, StateChanged(state=State.COMPLETED)])
    return made


def test_the_best_is_found_by_the_metric_of_the_task() -> None:
    runs = [
        of_task("worse", "regression", 9.0),
        of_task("better", "regression", 3.0),
        of_task("another task", "multi_label", 0.99),
    ]
    first = RunChoices(runs, DATASETS).first(3)

    assert [choice.id for choice in first] == ["better", "worse", "another task"]
    assert [choice.best for choice in first] == [3.0, 9.0, 0.99]
    assert describe.model(first[0]) == "better · 3.000 · Pássaros"
    assert "99.0" in describe.model(first[2])
