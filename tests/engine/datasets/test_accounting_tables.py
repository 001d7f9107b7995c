"""Each row of a table is an image of the dataset or a reported problem."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.progress import SilentProgress

SOURCE = ListFileSource()
LABELS = ("cat", "ação", "Größe 1")
FAULTS = ("", "", "", "missing file", "no label", "twice", "more cells", "fewer cells", "NaN")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(12):
        (folder / f"image {number}.png").write_bytes(b"found by its name alone")
    return folder


Row = tuple[str, str]
"""Class and fault of a row."""
rows_of = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(FAULTS)), max_size=10)


def cells(rows: Sequence[Row]) -> tuple[list[list[str]], dict[str, str]]:
    """Return the rows of a table, and the class of each image that is fine."""
    found, classes = [["path", "label"]], dict[str, str]()
    for number, (label, fault) in enumerate([(LABELS[0], ""), (LABELS[1], ""), *rows]):
        path = f"image {number}.png"
        row = {
            "missing file": [f"gone {number}.png", label],
            "no label": [path, ""],
            "twice": ["image 0.png", label],
            "more cells": [path, label, "more"],
            "fewer cells": [path],
            "NaN": [path, "NaN"],
        }.get(fault, [path, label])
        found.append(row)
        if not fault:
            classes[path] = label
    return found, classes


@settings(max_examples=40, deadline=None)
@given(
    rows_of,
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([False, True]),
)
def test_every_row_is_read_or_reported(
    pictures: Path, rows: list[Row], delimiter: str, encoding: str, ending: str, all_quoted: bool
) -> None:
    written, classes = cells(rows)
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator=ending,
        quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerows(written)
    with TemporaryDirectory() as name:
        table = Path(name) / "table.csv"
        table.write_bytes(text.getvalue().encode(encoding))
        options = SourceOptions(path_prefix=str(pictures))
        found = SOURCE.scan(table, SilentProgress(), options)
    assert {Path(item.key).name: item.class_name for item in found.items} == classes
    lines = [item.position for item in found.items] + [each.line for each in found.problems]
    assert sorted(line or 0 for line in lines) == list(range(2, len(written) + 1))
