"""Annotations of images, read from tables."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.errors import StudioError
from studio.engine.tasks.multi_label.targets import LabelTargets
from studio.engine.tasks.regression.targets import NumberTargets


@pytest.mark.parametrize("words", ["sí no", "ja nein", "VRAI FAUX", "wahr falsch", "oui non"])
def test_labels_are_words_of_several_languages(words: str) -> None:
    yes, no = words.split()
    found = LabelTargets().read(["cat", "dog"], [[yes, no], [no, yes]])
    assert found.values.tolist() == [[1, 0], [0, 1]]
    assert not found.refused


def test_labels_in_columns() -> None:
    found = LabelTargets().read(["cat", "dog"], [["1", "0"], ["yes", "x"], ["", "False"]])

    assert found.names == ("cat", "dog")
    assert found.values.tolist() == [[1, 0], [1, 1], [0, 0]]
    assert found.values.dtype == np.uint8
    assert not found.refused


def test_a_cell_that_is_no_label_costs_its_image_alone() -> None:
    found = LabelTargets().read(["cat", "dog"], [["1", "0"], ["maybe", "1"]])

    assert found.refused == {1: 'the column "cat" contains "maybe" instead of 0 or 1'}


@pytest.mark.parametrize("delimiter", [";", "|", ",", " "])
def test_labels_in_one_column(delimiter: str) -> None:
    cells = [[f"dog{delimiter}cat"], [""], ["img10"], [f"img2{delimiter}img2"]]
    found = LabelTargets().read(["labels"], cells)

    assert found.names == ("cat", "dog", "img2", "img10")
    assert found.values.tolist() == [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ([], [[], []]),
        (["labels"], [[""], [" "]]),
        (["a", "b"], [["red", "5"], ["blue", "7"]]),
    ],
)
def test_a_table_without_labels(columns: list[str], rows: list[list[str]]) -> None:
    with pytest.raises(StudioError):
        LabelTargets().read(columns, rows)


def test_numbers_with_units() -> None:
    columns = ["weight [g]", "height (cm)", "age"]
    rows = [["3.5", "10", "1e1"], ["3,25", "-2", "0"]]
    found = NumberTargets().read(columns, rows)

    assert found.names == ("weight", "height", "age")
    assert found.units == ("g", "cm", "")
    assert found.values.tolist() == [[3.5, 10, 10], [3.25, -2, 0]]
    assert found.values.dtype == np.float32


@pytest.mark.parametrize("cell", ["", "n/a", "nan", "inf", "1e400", "1,2,3"])
def test_a_cell_that_is_no_number_costs_its_image_alone(cell: str) -> None:
    found = NumberTargets().read(["age"], [["1"], ["2"], [cell]])

    assert list(found.refused) == [2]
    assert "age" in found.refused[2]


def test_a_table_without_numbers() -> None:
    with pytest.raises(StudioError, match="no column of numbers"):
        NumberTargets().read(["name"], [["Ana"], ["Bia"]])


def test_traits_of_numbers_are_tenths_of_each_quantity() -> None:
    values = np.stack([np.arange(100), np.zeros(100)], axis=1).astype(np.float32)
    traits = NumberTargets().traits(values)

    assert (traits.sum(axis=1) == 2).all()
    assert traits.sum(axis=0)[:10].tolist() == [10] * 10


def test_the_stratum_of_an_image_is_its_rarest_label_or_bin() -> None:
    values = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0]], np.uint8)
    assert LabelTargets().strata(values).tolist() == [0, 0, 1, 0, 3]

    numbers = np.array([[0.0], [0.0], [0.0], [9.0]], np.float32)
    assert len(np.unique(NumberTargets().strata(numbers))) == 2


def test_labels_that_are_confidently_contradicted_are_doubted() -> None:
    truth = np.zeros((40, 2), np.uint8)
    truth[:20, 0] = 1
    predicted = np.where(truth > 0, 0.9, 0.1).astype(np.float64)
    predicted[3, 0], predicted[30, 0], predicted[31, 0] = 0.02, 0.97, 0.6
    found = LabelTargets().doubts(predicted, truth)

    assert not isinstance(found, str)
    images, outputs = found
    assert images.tolist() == [3, 30], "0.6 is not sure"
    assert outputs.tolist() == [0, 0]
    assert "no label" in LabelTargets().doubts(np.full((40, 2), 0.5), truth)


def test_numbers_far_from_their_prediction_are_doubted() -> None:
    random = np.random.default_rng(0)
    truth = random.normal(50, 10, (200, 2))
    predicted = truth + random.normal(0, 1, (200, 2))
    predicted[:, 1] = 50
    truth[7, 0] += 20
    truth[9, 0] -= 30
    found = NumberTargets().doubts(predicted, truth)

    assert not isinstance(found, str)
    assert [each.tolist() for each in found] == [[9, 7], [0, 0]]
    assert "no quantity" in NumberTargets().doubts(predicted[:, 1:], truth[:, 1:])
