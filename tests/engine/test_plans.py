"""Plans: round trips, all mistakes at once, and what every plan must tell a form."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.baselines.report import BaselinePlan
from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.types import JOB_KINDS, job_type
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.zoo.classic import PatternPlan
from studio.engine.plans import (
    Condition,
    FieldKind,
    Plan,
    PlanField,
    fields_of,
    plan_field,
    without_effect,
)
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.tasks import TASKS
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.training.schedules import SCHEDULES

MINIMAL: dict[type[Plan], dict[str, object]] = {
    AuditPlan: {"dataset": "digits-1"},
    BaselinePlan: {"dataset": "digits-1"},
    DatasetRecipe: {"source": "/pictures"},
    TrainingPlan: {"dataset": "digits-1"},
    PreflightPlan: {"training": {"dataset": "digits-1"}},
    EvaluationPlan: {"run": "lenet-1"},
    ExportPlan: {"run": "lenet-1", "to": "/out"},
    EmbeddingPlan: {"model": "run:lenet-1", "dataset": "digits-1"},
    StudyPlan: {},
    OperationsPlan: {},
    PredictPlan: {"model": "run:lenet-1"},
    SweepPlan: {
        "base": {"dataset": "digits-1"},
        "dimensions": [{"field": "learning_rate", "values": [0.1, 0.01]}],
    },
}
PLANS: list[type[Plan]] = [
    *(kind.plan for kind in map(job_type, JOB_KINDS)),
    *(schedule.parameters for schedule in SCHEDULES),
    *(optimizer.parameters for optimizer in OPTIMIZERS),
    *(layer.parameters for layer in LAYERS),
]
FIELDS = [(plan, field) for plan in PLANS for field in fields_of(plan)]


def _id(part: object) -> str:
    return part.name if isinstance(part, PlanField) else getattr(part, "__name__", "")


class Inner(Plan):
    size: int = plan_field(3, label="Size", help="How large.", ge=1, le=9)


class Outer(Plan):
    inner: Inner = plan_field(Inner(), label="Inner", help="A plan in a plan.")
    share: float | None = plan_field(None, label="Share", help="May be left open.", gt=0, lt=1)


def _values(field: PlanField) -> st.SearchStrategy[object]:
    if field.kind == FieldKind.SWITCH:
        return st.booleans()
    if field.kind == FieldKind.CHOICE:
        return st.sampled_from(field.choices)
    low, high = field.minimum, field.maximum
    if field.kind == FieldKind.INTEGER:
        return st.integers(None if low is None else int(low), None if high is None else int(high))
    if field.kind == FieldKind.NUMBER:
        return st.floats(
            low,
            high,
            exclude_min=field.minimum_excluded,
            exclude_max=field.maximum_excluded,
            allow_nan=False,
            allow_infinity=False,
        )
    return st.text(max_size=30)


@st.composite
def _data(draw: st.DrawFn, plan: type[Plan]) -> dict[str, object]:
    chosen = dict(MINIMAL.get(plan, {}))
    for field in fields_of(plan):
        if field.level != "hidden" and draw(st.booleans()):
            chosen[field.name] = draw(_values(field))
    return chosen


@pytest.mark.parametrize("plan", MINIMAL, ids=lambda plan: str(plan.__name__))
@given(data=st.data())
def test_json_gives_back_the_same_plan(plan: type[Plan], data: st.DataObject) -> None:
    made, problems = plan.check(data.draw(_data(plan)))

    if made is None:
        assert problems
        return
    assert plan.parse(json.loads(made.to_json())) == made
    assert not made.to_json().isspace()


@pytest.mark.parametrize("plan", [kind.plan for kind in map(job_type, JOB_KINDS)])
def test_the_smallest_plan_is_complete_in_json(plan: type[Plan]) -> None:
    made = plan.parse(MINIMAL[plan])

    assert set(json.loads(made.to_json())) == set(plan.model_fields)


def test_text_stays_readable_in_json() -> None:
    assert "Ünïcødé 数" in DatasetRecipe.parse({"source": "/Ünïcødé 数"}).to_json()


@pytest.mark.parametrize(("plan", "field"), FIELDS, ids=_id)
def test_every_field_has_a_help(plan: type[Plan], field: PlanField) -> None:
    if field.name == "version":
        return
    assert field.label
    assert field.help.endswith(".")
    assert len(field.choices) == len(field.choice_labels)
    if field.kind == FieldKind.CHOICE:
        assert len(set(field.choice_labels)) == len(field.choices)
    if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER) and plan in MINIMAL:
        assert field.minimum is not None, "a number needs a smallest value"
    if field.scale == "log" and field.minimum is not None:
        assert field.minimum >= 0


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: str(plan.__name__))
def test_fields_are_all_and_in_order(plan: type[Plan]) -> None:
    assert [field.name for field in fields_of(plan)] == list(plan.model_fields)


def _outside(field: PlanField) -> list[object]:
    values: list[object] = []
    if field.minimum is not None:
        values.append(field.minimum if field.minimum_excluded else field.minimum - 1)
    if field.maximum is not None:
        values.append(field.maximum if field.maximum_excluded else field.maximum + 1)
    if field.choices:
        values.append("no such choice")
    return values


@pytest.mark.parametrize(("plan", "field"), FIELDS, ids=_id)
def test_what_is_out_of_range_is_refused_by_name(plan: type[Plan], field: PlanField) -> None:
    for value in _outside(field):
        made, problems = plan.check({**MINIMAL.get(plan, {}), field.name: value})

        assert made is None
        assert field.name in [problem.where for problem in problems]
        assert all(problem.serious for problem in problems)


def test_every_mistake_is_named_at_once() -> None:
    wrong: dict[str, object] = {
        "epochs": 0,
        "batch_size": 1.5,
        "learning_rate": math.nan,
        "optimizer": "adamm",
        "weight_decay": 2,
        "warmup_percent": math.inf,
        "seed": "first",
        "deterministic": "perhaps",
        "schedule_options": {"gamma": -math.inf},
        "epcohs": 3,
    }

    with pytest.raises(StudioError) as caught:
        TrainingPlan.parse(wrong)

    where = {problem.where for problem in TrainingPlan.check(wrong)[1]}
    assert where == (set(wrong) - {"schedule_options"}) | {"schedule_options.gamma", "dataset"}
    for name in where:
        assert f"{name}: " in caught.value.message
    assert "received 'adamm'" in caught.value.message
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "nan", "inf"])
def test_numbers_are_finite(value: object) -> None:
    for name in ("learning_rate", "weight_decay", "warmup_percent"):
        with pytest.raises(StudioError, match=name):
            TrainingPlan.parse({"dataset": "d", name: value})


@pytest.mark.parametrize("data", [None, [], "plan", 3])
def test_only_a_mapping_is_a_plan(data: object) -> None:
    with pytest.raises(StudioError):
        TrainingPlan.parse(data)


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(StudioError, match="version"):
        TrainingPlan.parse({"dataset": "d", "version": 2})


def test_changed_makes_a_checked_copy() -> None:
    plan = TrainingPlan(dataset="d")

    other = plan.changed(epochs="7", **{"schedule_options.gamma": 0.5})

    assert (plan.epochs, plan.schedule_options) == (10, {})
    assert (other.epochs, other.schedule_options) == (7, {"gamma": 0.5})
    with pytest.raises(StudioError, match="epochs"):
        plan.changed(epochs=0)
    with pytest.raises(StudioError, match="epcohs"):
        plan.changed(epcohs=3)


def test_dotted_names_reach_into_nested_plans() -> None:
    plan = Outer()

    assert plan.changed(**{"inner.size": 5}) == Outer(inner=Inner(size=5))
    with pytest.raises(StudioError, match=r"inner\.size"):
        plan.changed(**{"inner.size": 10})
    with pytest.raises(StudioError, match=r"inner\.sise"):
        plan.changed(**{"inner.sise": 5})


@pytest.mark.parametrize("name", ["epochs.a", "epochs.a.b", "self", "", ".", "a..b"])
def test_odd_names_are_the_users_mistake(name: str) -> None:
    with pytest.raises(StudioError):
        TrainingPlan(dataset="d").changed(**{name: 1})


def test_a_plan_does_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        TrainingPlan(dataset="d").epochs = 3  # type: ignore[misc]  # that is the point


def test_kinds_of_fields() -> None:
    inner, share = fields_of(Outer)

    assert (inner.kind, inner.optional) == (FieldKind.GROUP, False)
    assert (share.kind, share.optional) == (FieldKind.NUMBER, True)
    assert (share.minimum, share.minimum_excluded) == (0, True)
    assert (share.maximum, share.maximum_excluded) == (1, True)
    by_name = {field.name: field for field in fields_of(TrainingPlan)}
    assert by_name["dataset"].required
    assert by_name["optimizer"].choices == tuple(OPTIMIZERS.names())
    assert by_name["optimizer"].choice_labels[:3] == ("Adam", "AdamW", "SGD")
    assert by_name["deterministic"].kind == FieldKind.SWITCH
    assert by_name["epochs"].kind == FieldKind.INTEGER


@pytest.mark.parametrize("name", ["sgd", "rmsprop"])
def test_a_plan_from_before_optimizers_had_options_means_the_same(name: str) -> None:
    old = {"dataset": "d", "optimizer": name, "momentum": 0.9, "weight_decay": 0.1}

    plan = TrainingPlan.parse(old)

    assert plan.optimizer_options == {"momentum": 0.9}
    assert plan.weight_decay == 0.1
    assert TrainingPlan.parse({"dataset": "d", "momentum": 0.0}).optimizer_options == {}
    assert plan.changed(momentum=0.5).optimizer_options == {"momentum": 0.5}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"val_percent": 60, "test_percent": 40}, "nothing to train on"),
        ({"background": "white"}, "#rrggbb"),
        ({"width": 5000}, "width"),
        ({"color": "grey"}, "color"),
    ],
)
def test_recipes_that_cannot_be(values: dict[str, object], message: str) -> None:
    with pytest.raises(StudioError, match=message):
        DatasetRecipe.parse({"source": "/pictures", **values})


def test_every_shown_field_explains_itself_and_when_to_change_it() -> None:
    everything = list(_subclasses(Plan))
    assert {AugmentationPlan, SplitPlan, PatternPlan, *PLANS} <= set(everything)
    shown = [
        (f"{plan.__name__}.{field.name}", field)
        for plan in everything
        for field in fields_of(plan)
        if field.level != "hidden" and field.kind != FieldKind.GROUP
    ]
    assert len(shown) > 250
    assert [name for name, field in shown if not field.help or "\n" in field.help] == []
    assert [name for name, field in shown if not field.why] == []
    assert [name for name, field in shown if field.why == field.help] == []


def test_conditions_name_fields_and_values_that_exist() -> None:
    conditions = [
        (plan, field.name, field.applicable_when)
        for plan in _subclasses(Plan)
        if not plan.__subclasses__()  # parts of plans name fields of the whole
        for field in fields_of(plan)
        if field.applicable_when is not None
    ]
    assert len(conditions) >= 15
    for plan, name, condition in conditions:
        fields = {field.name: field for field in fields_of(plan)}
        assert name not in condition.fields
        assert condition.reason
        assert not condition.reason.endswith(".")
        for other in (fields[each] for each in condition.fields):
            choices = tuple(TASKS) if other.name == "task" else other.choices
            if len(choices) > 1:  # packages may add to others
                assert condition.allowed
                assert set(condition.allowed) < set(choices)
            else:
                assert set(condition.allowed) <= {other.default, IMAGENET}
                assert condition.is_met(
                    {other.name: condition.allowed[0] if condition.allowed else 1}
                )
        assert not condition.is_met({})


class Baked(Plan):
    oven: str = plan_field("off", label="Oven", help="Heat.", labels={"off": "Off", "on": "On"})
    degrees: int = plan_field(
        200,
        label="Degrees",
        help="How hot.",
        applicable_when=Condition(("oven",), "The oven is off", ("on",)),
    )


class Meal(Plan):
    cake: Baked = plan_field(Baked(), label="Cake", help="A plan in a plan.")
    servings: int = plan_field(4, label="Servings", help="How many.")


def test_fields_without_effect_are_named_with_the_reason() -> None:
    assert without_effect(Baked, {}) == {"degrees": "The oven is off"}
    assert without_effect(Baked, {"oven": "on"}) == {}
    assert without_effect(Baked, {}, varied=["oven"]) == {}
    meal = {"cake": {"degrees": "very hot"}}
    assert without_effect(Meal, meal) == {"cake.degrees": "The oven is off"}
    assert without_effect(Meal, meal, varied=["cake.oven"]) == {}


def test_only_a_changed_setting_is_reported_as_without_effect() -> None:
    assert Baked().without_effect() == []
    assert Baked(oven="on", degrees=90).without_effect() == []
    (problem,) = Baked(degrees=90).without_effect()
    assert (problem.where, problem.serious) == ("degrees", False)
    assert f"{problem.message} {problem.hint}" == "degrees has no effect. The oven is off."


def _subclasses(plan: type[Plan]) -> Iterator[type[Plan]]:
    """Every kind of plan that Studio has, without those of tests."""
    for child in plan.__subclasses__():
        if child.__module__.startswith("studio."):
            yield child
        yield from _subclasses(child)
