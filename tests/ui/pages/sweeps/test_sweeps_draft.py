"""Rows of the space of a sweep as they are typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio.engine.sweeps.fields import parse_dimensions, sweepable
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import grow
from studio.engine.workspace import Workspace
from studio.ui.pages.sweeps.draft import (
    DraftRow,
    additions,
    can_be_range,
    dimensions_of,
    example,
    find_more,
    first_values,
    row_of,
    rows_to_add_to,
    ticked,
)
from studio.ui.pages.sweeps.messages import there_text


def test_values_and_ranges_are_what_the_command_line_understands() -> None:
    rows = [
        DraftRow("learning_rate", "[0.1, 0.01]"),
        DraftRow("weight_decay", is_range=True, low="0", high="0.3", step="0.1"),
        DraftRow("batch_size", is_range=True, low="8", high="64", scale="log", count="4"),
        DraftRow("optimizer", "sgd, adam"),
        DraftRow("shuffle", "on, off"),
    ]
    found, problems = dimensions_of(rows)
    assert not any(problems)
    assert found == parse_dimensions(
        [
            "learning_rate=0.1,0.01",
            "weight_decay=0..0.3:linear:step=0.1",
            "batch_size=8..64:log:count=4",
            "optimizer=sgd,adam",
            "shuffle=true,false",
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "learning_rate=0.1,0.01",
        "shuffle=true,false",
        "learning_rate=0.001..0.1:log:count=3",
        "weight_decay=0..0.3:step=0.1",
    ],
)
def test_a_dimension_reads_back_as_it_was(text: str) -> None:
    (dimension,) = parse_dimensions([text])
    assert row_of(dimension).dimension() == (dimension, [])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (DraftRow("learning_rate"), "values are needed"),
        (DraftRow("learning_rate", "0.1, much"), 'received "much"'),
        (DraftRow("batch_size", "8.7"), "whole number"),
        (DraftRow("learning_rate", is_range=True, low="0.1"), "both of its ends"),
        (DraftRow("learning_rate", is_range=True, low="1", high="0.1"), "must rise"),
    ],
)
def test_errors_name_the_row(row: DraftRow, words: str) -> None:
    found, problems = dimensions_of([row])
    assert found == ()
    assert words in problems[0][0].message
    assert problems[0][0].where == row.field


def test_examples_can_be_typed() -> None:
    for name in ("learning_rate", "batch_size", "optimizer", "shuffle", "network"):
        assert DraftRow(name, example(name)).dimension()[1] == []
    assert can_be_range("learning_rate")
    assert not can_be_range("optimizer")


def test_only_what_is_new_is_added_to_a_sweep() -> None:
    dimensions = parse_dimensions(["learning_rate=0.1,0.01", "batch_size=8..64:log:count=4"])
    data = {"base": {"dataset": "d"}, "dimensions": [each.model_dump() for each in dimensions]}
    plan = SweepPlan.parse({**data, "trials": 5})
    rows = rows_to_add_to(plan)
    assert [row.values for row in rows] == ["", ""]
    assert not additions(plan, rows, 5, None).is_something

    wider = replace(rows[1], high="128")
    asked = additions(plan, [DraftRow("learning_rate", "0.5"), wider], 9, 2)
    assert [each.field for each in asked.dimensions] == ["learning_rate", "batch_size"]
    assert asked.dimensions[0].values == (0.5,)
    assert (asked.trials, asked.hours) == (9, 2.0)
    grown = grow(plan.dimensions, asked.dimensions)
    assert grown[0].values == (0.1, 0.01, 0.5)
    assert (grown[1].low, grown[1].high, grown[1].count) == (8, 128, 4)

    wrong = additions(plan, [DraftRow("learning_rate", "much"), rows[1]], 5, None)
    assert wrong.problems[0]
    assert not wrong.problems[1]


@pytest.mark.parametrize(
    ("typed", "chosen", "text"),
    [
        ("", ["sgd", "adam"], "sgd, adam"),
        ("[adam, sgd]", ["sgd"], "sgd"),
        ("adam", ["sgd", "adam"], "adam, sgd"),
        ("mine, sgd", [], "mine"),
    ],
)
def test_what_is_ticked_joins_what_was_typed(typed: str, chosen: list[str], text: str) -> None:
    assert ticked(typed, ["sgd", "adam"], chosen) == text


def test_a_limit_is_moved_but_not_taken_away(workspace: Workspace) -> None:
    (dimension,) = parse_dimensions(["learning_rate=0.1,0.01"])
    plan = SweepPlan.parse(
        {"base": {"dataset": "d"}, "dimensions": [dimension.model_dump()], "trials": 5}
    )
    rows = rows_to_add_to(plan)
    assert [each.where for each in additions(plan, rows, None, None).refused] == ["trials"]
    assert additions(plan, rows, 9, None).refused == []
    more = additions(plan, [DraftRow("learning_rate", "0.5, 0.1")], 9, None)
    further = find_more(workspace, plan, more, 1)
    assert further is not None
    assert (further.total, further.left, further.time) == (3, 2, None)


def test_the_current_value_of_a_field_is_shown_in_words() -> None:
    around = DraftRow("learning_rate", is_range=True, low="0.0001", high="0.03", scale="log")

    assert there_text(around) == "0.0001 to 0.03"
    assert there_text(DraftRow("batch_size", "16, 32")) == "16, 32"


@pytest.mark.parametrize(
    ("field", "base", "values"),
    [
        ("learning_rate", {"learning_rate": 0.001}, "0.0003, 0.001, 0.003"),
        ("batch_size", {"batch_size": 32}, "16, 32, 64"),
        ("epochs", {"epochs": 1}, "1, 2"),
        ("deterministic", {}, "on, off"),
        ("network", {}, "lenet, mlp"),
    ],
)
def test_a_new_field_starts_around_the_current_value(
    field: str, base: dict[str, object], values: str
) -> None:
    assert first_values(field, base) == values


def test_every_field_starts_with_values_that_can_be_tried() -> None:
    for field in sweepable():
        row = DraftRow(field, first_values(field, {}))
        assert row.dimension()[1] == [], field
