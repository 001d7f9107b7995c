"""Every field of a training plan can be given on the command line, and clones take all of them."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.runs import append_events, fake_run
from helpers.workers import LaunchScripts
from studio.cli.main import make_parser
from studio.cli.train_plan import asked_plan
from studio.cli.verb import Session
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.jobs.events import Amended
from studio.engine.jobs.job import Job
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import FieldKind, PlanField, fields_of
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import SCHEDULES
from studio.engine.workspace import RecordKind, Workspace

PARTS = ("augmentation", "optimizer_options", "schedule_options")
SPECIAL = {
    "version": 1,
    "dataset": "another",
    "dataset_version": 3,
    "network": "mlp",
    "design": ZOO["mlp"].build((8, 8, 1), 3).model_dump(mode="json"),
    "packages": {"scanner": "1.0"},
    "weights": "imagenet",
    "freeze": "all",
    "device": "cpu",
    "mlflow": "runs-of-mlflow",
    "machine": "gpu-box",
    "ray": "ray://head:10001",
}


def other_value(field: PlanField) -> object:
    """A value that fits and is not the default, unless packages alone add others."""
    if field.kind == FieldKind.SWITCH:
        return not field.default
    if field.kind == FieldKind.CHOICE:
        return next((choice for choice in field.choices if choice != field.default), field.default)
    assert field.kind in (FieldKind.INTEGER, FieldKind.NUMBER), f"say one for {field.name}"
    low = field.minimum if field.minimum is not None else 0
    high = field.maximum if field.maximum is not None else low + 10
    if field.kind == FieldKind.INTEGER:
        return next(n for n in range(int(low) + 1, int(high) + 1) if n != field.default)
    return next(x for x in ((low + high) / 2, low + (high - low) / 4) if x != field.default)


_parser = functools.cache(make_parser)


def planned(empty: Workspace, *words: str) -> TrainingPlan:
    options = _parser().parse_args(["--workspace", str(empty.root), "train", *words])
    return asked_plan(Session(options), {"dataset": "d", "network": "lenet"})


OWN = [field for field in fields_of(TrainingPlan) if field.name not in PARTS]
INNER = {
    **{f"augmentation.{field.name}": field for field in fields_of(AugmentationPlan)},
    **{
        f"optimizer_options.{field.name}": field
        for optimizer in OPTIMIZERS
        for field in fields_of(optimizer.parameters)
        if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER, FieldKind.SWITCH)
    },
    **{
        f"schedule_options.{field.name}": field
        for schedule in SCHEDULES
        for field in fields_of(schedule.parameters)
        if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER, FieldKind.SWITCH)
    },
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace that no test changes."""
    return Workspace.open(tmp_path_factory.mktemp("empty"))


@pytest.mark.parametrize("field", OWN, ids=lambda field: field.name)
def test_every_field_can_be_set(empty: Workspace, field: PlanField) -> None:
    value = SPECIAL[field.name] if field.name in SPECIAL else other_value(field)

    plan = planned(empty, "--set", f"{field.name}={json.dumps(value)}")

    assert plan.model_dump(mode="json")[field.name] == value


@pytest.mark.parametrize("name", INNER)
def test_every_field_of_its_parts_can_be_set(empty: Workspace, name: str) -> None:
    part, _, inner = name.partition(".")
    value = other_value(INNER[name])

    plan = planned(empty, "--set", f"{name}={json.dumps(value)}")

    assert plan.model_dump(mode="json")[part][inner] == value


@pytest.mark.parametrize(
    "field", [field for field in OWN if field.level != "hidden"], ids=lambda field: field.name
)
def test_every_shown_field_has_an_option(empty: Workspace, field: PlanField) -> None:
    value = SPECIAL[field.name] if field.name in SPECIAL else other_value(field)
    option = "--" + field.name.replace("_", "-")
    if isinstance(value, bool):
        words = [option if value else option.replace("--", "--no-", 1)]
    else:
        words = [f"{option}={value}"]

    plan = planned(empty, *words)

    assert plan.model_dump(mode="json")[field.name] == value


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


def test_a_clone_has_the_plan_of_the_other_except_for_given_options(
    call: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts("pass")  # whether it is trained is not asked here
    source = picture_folder(tmp_path / "pictures", 10)
    dataset = do_here(workspace, small_recipe(source), "one").record
    old = TrainingPlan(
        dataset=dataset.id,
        dataset_version=0,
        network="perceptron",
        optimizer="sgd",
        optimizer_options={"momentum": 0.5},
        seed=7,
    )
    run = fake_run(workspace, "first", [0.5], **old.model_dump())
    append_events(run, [Amended(changes={"seed": 8})])

    words = ("--set", "augmentation.rotation=5", "--batch-size", "4", "--group", "g", "--tag", "t")
    said = call("runs", "clone", "first", *words, "--detach", "--json").document

    assert said["name"] == "first-2"
    clone = workspace.find(RecordKind.RUN, "first-2")
    changes = {"augmentation.rotation": 5, "batch_size": 4}
    assert Job(clone).plan(TrainingPlan) == old.changed(**changes)
    assert (clone.info().group, clone.info().tags) == ("g", ("t",))

    call("runs", "clone", "first", "--name", "x", "--optimizer", "adam", "--detach", "--json")
    other = Job(workspace.find(RecordKind.RUN, "x")).plan(TrainingPlan)
    assert (other.optimizer, other.optimizer_options) == ("adam", {})
    assert "--batch-size must" in call("runs", "clone", "first", "--batch-size", "0").mistake
    assert "comma" in call("runs", "clone", "first", "--tag", "a,b", "--name", "y").mistake
    assert len(workspace.records(RecordKind.RUN)) == 3
