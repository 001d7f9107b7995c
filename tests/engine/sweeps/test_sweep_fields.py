"""What can vary beside the training plan: settings of drawn layers, networks, recipes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.errors import StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.networks import library
from studio.engine.networks.zoo import ZOO
from studio.engine.sweeps.fields import fields_in, parse_dimensions, recipe_changes, sweepable
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import extend, request_sweep, space_problems
from studio.engine.sweeps.space import grid, trial_plan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.requests import check_training
from studio.engine.workspace import RecordKind, Workspace

MINE = ZOO["lenet"].build((28, 28, 1), 10).model_copy(update={"name": "mine"})


def _plan(*vary: str, dataset: str = "d", drawn: bool = True, **fields: Any) -> SweepPlan:
    network = {"network": "mine", "design": MINE} if drawn else {"network": "mlp"}
    dimensions = [each.model_dump() for each in parse_dimensions(vary)]
    base = {"dataset": dataset, **network}
    return SweepPlan.parse({"base": base, "dimensions": dimensions, **fields})


def test_settings_of_drawn_layers_vary() -> None:
    plan = _plan("network.c1.filters=4..8:step=4", "network.c1.activation=relu,elu")
    assert space_problems(plan) == []

    points = list(grid(plan))
    plans = [trial_plan(plan, values) for values in points]

    assert [type(values["network.c1.filters"]) for values in points] == [int] * 4
    nodes = [each.design.node("c1") for each in plans if each.design is not None]
    found = [(node.parameters["filters"], node.parameters["activation"]) for node in nodes]
    assert found == [(4, "relu"), (4, "elu"), (8, "relu"), (8, "elu")]
    others = [each.design.node("c3") for each in plans if each.design is not None]
    assert others == [MINE.node("c3")] * 4
    specs = [network_for(each, (28, 28, 1), 10) for each in plans]
    assert [spec.node("c1").parameters["filters"] for spec in specs] == [4, 4, 8, 8]
    assert "network.c1.filters" in fields_in(MINE)
    assert "network.c1.filters" not in sweepable()


@pytest.mark.parametrize(
    ("vary", "drawn", "said"),
    [
        (["network.conv9.filters=4"], True, 'no layer "conv9"'),
        (["network.s2.filters=4"], True, 'has no setting "filters"'),
        (["network.c1.filters=4"], False, "drawn networks only"),
        (["network.c1.filters=4", "network=mlp,lenet"], True, "the network varies, too"),
    ],
)
def test_settings_that_no_layer_has_are_reported(vary: list[str], drawn: bool, said: str) -> None:
    problems = space_problems(_plan(*vary, drawn=drawn))

    assert [said in problem.message for problem in problems] == [True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("network.c1.filters=0", "at least 1"),
        ("network.c1.filter=1", 'mean "network.c1.filters"'),
        ("network.c1.activation=fast", '"fast" is not a valid choice'),
        ("dataset.width=0,8", "at least 1"),
        ("dataset.source=a,b", "no such field"),
        ("dataset.val_percent=10,20", "no such field"),
        ("dataset.color=blue", '"blue" is not a valid choice'),
    ],
)
def test_values_that_no_setting_takes_are_refused(text: str, said: str) -> None:
    with pytest.raises(StudioError, match=said):
        parse_dimensions([text], MINE)


def test_the_recipe_is_left_to_the_dataset_of_a_trial() -> None:
    plan = _plan("dataset.width=16,32", "dataset.max_per_class=10", "epochs=1,2", drawn=False)
    values = next(grid(plan))

    assert space_problems(plan) == []
    assert recipe_changes(values) == {"width": 16, "max_per_class": 10}
    assert trial_plan(plan, values).dataset == "d"


def test_networks_that_vary_are_known_before_anything_starts(
    workspace: Workspace, tmp_path: Path
) -> None:
    recipe = small_recipe(picture_folder(tmp_path / "pictures", per_class=9), width=32, height=32)
    dataset = do_here(workspace, recipe, "small").record.id
    queue = JobQueue(workspace)
    library.save(workspace, MINE, "saved")

    with pytest.raises(StudioError, match=r'no network "lennet".*\n?.*lenet'):
        request_sweep(queue, _plan("network=lennet,saved", dataset=dataset, drawn=False), "S")
    job = request_sweep(queue, _plan("network=mlp,saved", dataset=dataset, drawn=False), "S")
    workspace.trash(workspace.find(RecordKind.NETWORK, "saved"))  # the sweep has its own

    plan = job.plan(SweepPlan)
    zoo, own = (trial_plan(plan, values) for values in grid(plan))
    assert (zoo.network, zoo.design) == ("mlp", None)
    assert own.design is not None
    assert own.design.nodes == MINE.nodes
    assert not [each for each in check_training(own, _summary(workspace, dataset)) if each.serious]
    library.save(workspace, MINE, "another")
    extend(queue, job, parse_dimensions(["network=another"]))
    assert set(job.current_plan(SweepPlan).designs) == {"saved", "another"}


def _summary(workspace: Workspace, dataset: str) -> Any:
    from studio.engine.datasets.summary import read_summary

    return read_summary(workspace.root / "datasets" / dataset)
