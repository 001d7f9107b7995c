"""Cells of tables: missing values, lists, classes and numbers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.datasets import gather
from studio.engine.tables.cells import class_names, is_missing, list_in
from studio.engine.tables.columns import names_rows
from studio.engine.tables.numbers import number_columns, without_unit


@pytest.mark.parametrize(
    "cell", ["", " ", "NaN", "nan", "NA", "N/A", "#N/A", "null", "NULL", "None", "-", "<NA>", "–"]
)
def test_spellings_of_a_missing_value(cell: str) -> None:
    assert is_missing(cell)


@pytest.mark.parametrize("cell", ["0", "no", "nano", "Nandu", "-1", "na 1", "x" * 100])
def test_values_that_are_not_missing(cell: str) -> None:
    assert not is_missing(cell)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("['cat', 'dog']", ["cat", "dog"]),
        ("['cat' 'dog']", ["cat", "dog"]),
        ("['cat'\n 'big dog']", ["cat", "big dog"]),
        ('["cat", "dog"]', ["cat", "dog"]),
        ("{'cat', 'dog'}", ["cat", "dog"]),
        ("('cat', 'dog')", ["cat", "dog"]),
        ("[cat, big dog]", ["cat", "big dog"]),
        ("[np.str_('cat'), np.str_('dog')]", ["cat", "dog"]),
        ("array(['cat', 'dog'], dtype=object)", ["cat", "dog"]),
        ("set(['cat'])", ["cat"]),
        ("[\"it's\", 'a, b']", ["it's", "a, b"]),
        (r"['it\'s']", ["it's"]),
        ("[1, 2]", ["1", "2"]),
        ("[1. 2.]", ["1.", "2."]),
        ("[]", []),
        ("set()", []),
        ("cat", None),
        ("(cat)", None),
        ("{'cat': 1}", None),
        ("['cat', 'dog", None),
        ("[" * 200_000, None),
    ],
)
def test_lists_in_cells(cell: str, expected: list[str] | None) -> None:
    assert list_in(cell) == expected


_NAMES = st.lists(
    st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1)
)


@given(_NAMES)
def test_lists_of_independent_writers(names: list[str]) -> None:
    names = [name.strip() for name in names]
    assert list_in(repr(names)) == list_in(json.dumps(names)) == names
    if all(names):
        assert list_in(str(np.array(names, object))) == names


def test_hostile_lists_take_no_time() -> None:
    for cell in (
        "[" + "\\'" * 9_000 + "]",
        "['" + "np.a(" * 4_000 + "']",
        "[" + "'" * 19_001 + "]",
    ):
        list_in(cell)


def test_classes_written_as_whole_and_as_decimal_numbers_are_one() -> None:
    assert class_names(["1", "1.0", "2.0", "2"]) == ["1", "1", "2", "2"]
    assert class_names(["1.0", "cat", "['dog']"]) == ["1", "cat", "dog"]
    assert class_names(["1.0", "1.5"]) == ["1.0", "1.5"], "not whole: nothing is changed"


@pytest.mark.parametrize(
    ("cells", "delimiter", "expected", "is_ambiguous"),
    [
        (["1,5", "2,25", "3", "10,125"], ",", [1.5, 2.25, 3, 10.125], False),
        (["1.500", "2.250,5", "3", "10.125"], ";", [1500, 2250.5, 3, 10125], False),
        (["1,500", "2,250.5"], ",", [1500, 2250.5], False),
        (["1,500", "2.5"], ",", [1500, 2.5], False),
        (["1,500", "2,250"], ",", [1500, 2250], True),
        (["1,500", "2,250"], ";", [1.5, 2.25], True),
        (["1.500", "2.250"], ";", [1.5, 2.25], True),
        (["1.500", "2.250"], ",", [1.5, 2.25], False),
        (["0,125", "1,500"], ";", [0.125, 1.5], False),
        (["1,234,567", "1,500"], ",", [1234567, 1500], False),
        (["1.234.567", "1.500"], ";", [1234567, 1500], False),
        (["1'234.5", "1 000", "1\u202f000,5"], ";", [1234.5, 1000, 1000.5], False),
        (["-1e-3", "+2", ".5", "5."], ",", [-0.001, 2, 0.5, 5], False),
        (
            ["1_000", "\u0663", "inf", "1e999", "0x10", "1,2,3", "1.2.3"],
            ",",
            [math.nan] * 7,
            False,
        ),
    ],
)
def test_separators_are_decided_over_the_column(
    cells: list[str], delimiter: str, expected: list[float], is_ambiguous: bool
) -> None:
    (found,) = number_columns([cells], ["mass"], delimiter)

    assert np.array_equal(found.values, expected, equal_nan=True)
    assert bool(found.warning) == is_ambiguous
    assert not is_ambiguous or (cells[0] in found.warning and "mass" in found.warning)


def test_another_column_decides_about_an_ambiguous_one() -> None:
    one, other = number_columns([["1.500", "3"], ["0,5", "2"]], ["a", "b"], ";")
    assert (one.values, other.values) == ([1500, 3], [0.5, 2])
    assert not one.warning


@given(st.lists(st.floats(-1e9, 1e9).map(lambda value: round(value, 3)), min_size=1))
def test_numbers_of_independent_writers(values: list[float]) -> None:
    values = [*values, 0.25, 1234567.5]
    german = [f"{value:,.3f}".translate(str.maketrans(",.", ".,")) for value in values]
    for cells in ([repr(value) for value in values], [f"{v:,.3f}" for v in values], german):
        (found,) = number_columns([cells], ["mass"], ";")
        assert found.values == pytest.approx(values, abs=1e-9)
        assert not found.warning


def test_one_unit_in_all_cells() -> None:
    assert without_unit(["1.5 g", "2g", "n/a", ""]) == (["1.5", "2", "n/a", ""], "g")
    assert without_unit(["1.5 g", "2 g", "about 3"]) == (["1.5", "2", "about 3"], "g")
    assert without_unit(["1.5 g", "two", "three"]) == (["1.5 g", "two", "three"], "")
    assert without_unit(["1.5 g", "2 kg"]) == (["1.5 g", "2 kg"], "")
    assert without_unit(["1.5 g", "2"]) == (["1.5 g", "2"], "")
    assert without_unit(["R$ 1.200,50", "R$2"]) == (["1.200,50", "2"], "R$")
    assert without_unit(["$5", "€5"]) == (["$5", "€5"], "")
    assert without_unit(["EUR 5", "EUR six"]) == (["EUR 5", "EUR six"], "")
    assert without_unit(["cat", "dog"]) == (["cat", "dog"], "")


def test_long_headings_take_no_time() -> None:
    assert not names_rows("1" * 200_000 + "x")
    heading = f"mass{' ' * 200_000}of"
    assert gather._without_unit(heading) == heading
    assert gather._without_unit("mass of egg [g]") == gather._without_unit("mass of egg  (g)")
