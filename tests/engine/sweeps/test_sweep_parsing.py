"""What people write to vary a field: DIGITS' lists and its mistakes, ranges, all fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.plans import FieldKind
from studio.engine.sweeps.fields import parse_dimension, parse_dimensions, sweepable
from studio.engine.sweeps.plan import Dimension
from studio.engine.sweeps.space import points_of


def _values(text: str) -> tuple[object, ...]:
    (dimension,) = parse_dimensions([text])
    return dimension.values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("learning_rate=0.1,0.01", (0.1, 0.01)),
        ("learning_rate=[0.1, 0.01]", (0.1, 0.01)),
        ("learning_rate = [1e-3]", (0.001,)),
        ("batch_size=32,64", (32, 64)),
        ("batch_size=[ 8.0 , 16]", (8, 16)),
        ("batch_size=8,8,16", (8, 16)),
        ("optimizer=sgd,adam", ("sgd", "adam")),
        ("network=lenet,mlp", ("lenet", "mlp")),
        ("augmentation.horizontal_flip=on,false", (True, False)),
        ("optimizer_options.momentum=0,0.9", (0.0, 0.9)),
    ],
)
def test_lists_as_digits_took_them(text: str, values: tuple[object, ...]) -> None:
    found = _values(text)

    assert found == values
    assert [type(each) for each in found] == [type(each) for each in values]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("batch_size=8.7", "a whole number is needed"),  # DIGITS made it 8
        ("batch_size=many", 'received "many"'),
        ("batch_size=0,8", "at least 1 is needed; received 0"),
        ("batch_size=65537", "at most 65536"),
        ("learning_rate=0", "above 0"),
        ("learning_rate=nan", "a finite number"),
        ("learning_rate=1e999", "a finite number"),
        ("learning_rate=0.1,,0.2", 'received ""'),
        ("learning_rate=[]", 'received ""'),
        ("learning_rate=[0.1", 'received "[0.1"'),
        ("learning_rate=0.1]]", 'received "0.1]]"'),
        ("learning_rate", "a field and its values"),
        ("=3", "a field and its values"),
        ("learnin_rate=0.1", 'Did you mean "learning_rate"?'),
        ("dataset=a,b", "no such field"),
        ("optimizer=sdg", 'Did you mean "sgd"?'),
        ("shuffle=maybe", "on or off"),
        ("network=lenet,", "between the commas"),
        ("learning_rate=0.1..0.001", "must rise"),
        ("learning_rate=0.1..x", 'received "x"'),
        ("learning_rate=0.1..0.2:wild", "does not apply to a range"),
        ("label_smoothing=0..0.5:log", "must begin above 0"),
        ("learning_rate=0.1..0.2:log:step=0.1", "cannot have a step"),
        ("learning_rate=0.1..0.2:step=5", "longer than its range"),
        ("learning_rate=0.1..20", "at most 10"),
    ],
)
def test_errors_are_reported(text: str, said: str) -> None:
    with pytest.raises(StudioError) as caught:
        parse_dimensions([text])

    assert said in str(caught.value)


def test_all_errors_are_reported_at_once() -> None:
    with pytest.raises(StudioError) as caught:
        parse_dimensions(["batch_size=0,x,8.5", "learning_rate=-1", "speed=1"])

    for said in ("received 0", '"x"', '"8.5"', "received -1", "speed"):
        assert said in str(caught.value)


def test_the_scale_of_a_range_is_that_of_its_field_unless_it_is_named() -> None:
    texts = ["learning_rate=1e-4..1e-1", "label_smoothing=0..0.5", "weight_decay=0.1..0.2:linear"]

    assert [each.scale for each in parse_dimensions(texts)] == ["log", "linear", "linear"]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("learning_rate=1e-4..1e-1:count=4", (1e-4, 1e-3, 1e-2, 1e-1)),
        ("label_smoothing=0..0.3:step=0.1", (0.0, 0.1, 0.2, 0.3)),
        ("label_smoothing=0..0.35:step=0.1", (0.0, 0.1, 0.2, 0.3)),
        ("batch_size=8..64:count=4", (8, 16, 32, 64)),
        ("batch_size=16..64:step=16", (16, 32, 48, 64)),
        ("epochs=1..3:linear", (1, 2, 3)),
        ("learning_rate=1e-4..1e-1", ()),
    ],
)
def test_points_of_a_range(text: str, points: tuple[float, ...]) -> None:
    (dimension,) = parse_dimensions([text])

    assert points_of(dimension) == pytest.approx(points)


@given(st.lists(st.floats(1e-12, 10, allow_nan=False), min_size=1), st.booleans())
def test_every_list_of_rates_is_read_back(rates: list[float], brackets: bool) -> None:
    text = ",".join(map(repr, rates))

    dimension, problems = parse_dimension("learning_rate", f"[{text}]" if brackets else text)

    assert problems == []
    assert dimension is not None
    assert dimension.values == tuple(dict.fromkeys(rates))


@given(st.text(max_size=20))
def test_junk_is_a_problem_and_never_a_crash(text: str) -> None:
    for name in ("batch_size", "learning_rate", "shuffle", "optimizer", "network"):
        dimension, problems = parse_dimension(name, text)
        assert (dimension is None) == bool(problems)


def test_all_parts_of_a_plan_can_vary() -> None:
    fields = sweepable()

    assert {"learning_rate", "network", "epochs", "optimizer", "optimizer_options.beta_1"} <= set(
        fields
    )
    assert {"schedule_options.gamma", "augmentation.rotation", "freeze"} <= set(fields)
    assert not {"dataset", "design", "version", "augmentation"} & set(fields)
    assert all(field.kind != FieldKind.GROUP for field in fields.values())


def test_a_dimension_has_values_or_a_range() -> None:
    for data in ({}, {"low": 1}, {"values": [1], "low": 1, "high": 2}):
        assert Dimension.check({"field": "epochs", **data})[0] is None
