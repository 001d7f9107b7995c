"""The space of a sweep: its grid is complete, its errors are reported, its trials are plans."""

from __future__ import annotations

import importlib.util
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.plans import fields_of
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import OBJECTIVES, SweepPlan
from studio.engine.sweeps.requests import space_problems
from studio.engine.sweeps.space import grid, grid_size, trial_count, trial_plan
from studio.engine.sweeps.study import make_pruner, make_sampler


def _plan(*vary: str, base: dict[str, Any] | None = None, **fields: Any) -> SweepPlan:
    return SweepPlan.parse(
        {
            "base": {"dataset": "d", **(base or {})},
            "dimensions": [each.model_dump() for each in parse_dimensions(vary)],
            **fields,
        }
    )


@given(
    st.lists(st.integers(1, 1000), min_size=1, max_size=5, unique=True),
    st.lists(st.floats(0.001, 1), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(["sgd", "adam", "lion"]), min_size=1, max_size=3, unique=True),
)
def test_a_grid_is_every_combination_once(
    sizes: list[int], rates: list[float], names: list[str]
) -> None:
    lists: list[list[Any]] = [sizes, rates, names]
    fields = ("batch_size", "learning_rate", "optimizer")
    texts = [
        f"{name}={','.join(map(repr, each))}"
        for name, each in zip(fields, lists[:2], strict=False)
    ]
    plan = _plan(*texts, f"optimizer={','.join(names)}")

    found = [tuple(point[name] for name in fields) for point in grid(plan)]

    assert found == list(itertools.product(*lists))
    assert grid_size(plan) == len(found) == trial_count(plan)
    assert space_problems(plan) == []


def test_digits_crosses_in_the_order_that_was_written() -> None:
    plan = _plan("batch_size=32,64", "learning_rate=0.1,0.01")

    assert [(point["batch_size"], point["learning_rate"]) for point in grid(plan)] == [
        (32, 0.1),
        (32, 0.01),
        (64, 0.1),
        (64, 0.01),
    ]


def test_a_budget_of_trials_cuts_the_grid() -> None:
    assert trial_count(_plan("batch_size=1,2,3", trials=2)) == 2
    assert trial_count(_plan("batch_size=1,2,3", trials=9)) == 3
    assert trial_count(_plan("learning_rate=0.1..1", sampler="tpe", trials=9)) == 9
    assert trial_count(_plan("learning_rate=0.1,1", sampler="tpe", trials=9)) == 2
    assert trial_count(_plan("learning_rate=0.1..1", sampler="tpe", hours=1)) is None


@pytest.mark.parametrize(
    ("plan", "where", "said"),
    [
        (_plan(), "vary", "needs a field"),
        (_plan("epochs=1,2", "epochs=3"), "epochs", "varies twice"),
        (_plan("learning_rate=0.1..1"), "learning_rate", "the number of values"),
        (_plan("learning_rate=0.1..1", sampler="tpe"), "trials", "never ends"),
        (_plan("epochs=1,2", objectives=["loss", "seconds"], pruner="asha"), "pruner", "several"),
        (_plan("epochs=1,2", objectives=["size"], pruner="asha"), "pruner", "only at the end"),
        (_plan("epochs=1,2", objectives=["loss", "loss"]), "objectives", "each once"),
        (_plan("epochs=1,2", objectives=[]), "objectives", "one or more"),
        (_plan("seed=1,2", seeds=2), "seed", "other seeds"),
        (_plan("learning_rate=0.1..1", sampler="cmaes", trials=3), "sampler", "two or more"),
    ],
)
def test_conflicting_options_are_reported(plan: SweepPlan, where: str, said: str) -> None:
    problems = space_problems(plan)

    assert [problem.where for problem in problems] == [where]
    assert said in problems[0].message


def test_a_trial_is_the_base_plan_with_its_values() -> None:
    base = {"epochs": 7, "optimizer": "sgd", "optimizer_options": {"momentum": 0.9}, "seed": 5}
    plan = _plan("batch_size=16,32", "optimizer_options.momentum=0,0.5", base=base, workers=3)

    first = trial_plan(plan, {"batch_size": 16, "optimizer_options.momentum": 0.5})

    assert (first.epochs, first.batch_size, first.seed) == (7, 16, 5)
    assert first.optimizer_options == {"momentum": 0.5}
    assert first.runs_per_device == 3
    assert trial_plan(plan, {}, repeat=2).seed == 7
    assert not first.measure_latency
    fast = _plan("batch_size=16,32", objectives=["val_accuracy", "latency"])
    assert trial_plan(fast, {"batch_size": 16}).measure_latency


def test_another_optimizer_does_not_get_the_numbers_of_the_first() -> None:
    base = {"optimizer": "sgd", "optimizer_options": {"momentum": 0.9}}
    plan = _plan("optimizer=sgd,adam", base=base)

    assert trial_plan(plan, {"optimizer": "sgd"}).optimizer_options == {"momentum": 0.9}
    assert trial_plan(plan, {"optimizer": "adam"}).optimizer_options == {}


def test_values_that_no_plan_takes_are_refused() -> None:
    with pytest.raises(StudioError, match="batch_size"):
        trial_plan(_plan("batch_size=16"), {"batch_size": 0})


def test_every_name_of_a_plan_is_something() -> None:
    names = {field.name: field.choices for field in fields_of(SweepPlan)}

    has_torch = importlib.util.find_spec("torch") is not None
    samplers = [name for name in names["sampler"] if name != "gp" or has_torch]
    made = [type(make_sampler(_plan("epochs=1", sampler=name), 0)) for name in samplers]
    assert len(set(made)) == len(samplers) - 1  # the grid enqueues its points itself
    pruners = {type(make_pruner(_plan("epochs=1", pruner=name))) for name in names["pruner"]}
    assert len(pruners) == len(names["pruner"])
    for name in OBJECTIVES:
        assert _plan("epochs=1", objectives=[name]).objectives == (name,)
    with pytest.raises(StudioError, match='no objective "beauty"'):
        _plan("epochs=1", objectives=["beauty"])
