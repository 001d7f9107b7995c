"""The task that is proposed for a table."""

from __future__ import annotations

import pytest

from studio.engine.datasets.sources.base import Scan, SourceImage
from studio.engine.datasets.suggestion import suggest_task


def table(columns: str, *rows: str) -> Scan:
    items = [
        SourceImage(f"{index}.png", "", None, values=tuple(row.split("|")))
        for index, row in enumerate(rows)
    ]
    return Scan(items, columns=tuple(columns.split("|")))


@pytest.mark.parametrize(
    ("scan", "task", "columns"),
    [
        (table("cat|dog|note", "1|0|", "0|1|wet", "0|0|", "1|1|"), "multi_label", ["cat", "dog"]),
        (table("tags", "cat;dog", "dog", "", "cat", "dog;cat"), "multi_label", ["tags"]),
        (table("label", "cat;dog", "dog", "cat", "dog;cat"), "multi_label", ["label"]),
        (table("mass [g]|remark", "1.5|a", "2|b", "x|c"), "regression", ["mass [g]"]),
        (table("age", "30", "41", "25"), "regression", ["age"]),
        (table("y", "0.5", "0.25", "3"), "regression", ["y"]),
        (table("width", "3,5", "2,25", "4,75"), "regression", ["width"]),
        (table("label", "3", "4", "3"), "classification", []),
        (table("label|mass", "cat|3.5", "dog|2.5", "cat|1"), "classification", []),
        (table("class|wet|dirty", "cat|0|1", "dog|1|0"), "classification", []),
        (table("fine_label|coarse_label", "3|1", "4|0", "3|1"), "classification", []),
        (table("label_cat|label_dog", "1|0", "0|1"), "multi_label", ["label_cat", "label_dog"]),
        (table("caption", "a small cat, asleep", "two dogs"), "classification", []),
    ],
)
def test_the_cells_determine_the_task(scan: Scan, task: str, columns: list[str]) -> None:
    found, requested = suggest_task(scan)
    assert (found.name, requested) == (task, columns)


def test_an_empty_table_is_classified() -> None:
    assert suggest_task(table("mass"))[0].name == "classification"
