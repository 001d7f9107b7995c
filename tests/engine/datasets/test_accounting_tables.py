"""Each row of a table is an image of the dataset or a reported problem."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.errors import StudioError
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


def records(rows: Sequence[Row]) -> tuple[list[object], dict[str, str]]:
    """Return the records of a table in JSON, and the class of each image that is fine."""
    written, classes = cells(rows)
    found: list[object] = []
    for row, (_, fault) in zip(
        written[1:], [(LABELS[0], ""), (LABELS[1], ""), *rows], strict=True
    ):
        record: dict[str, str | None] = dict(zip(("path", "label", "more"), row, strict=False))
        if fault == "fewer cells":
            record["label"] = None
        if fault == "more cells":  # a record may have other members
            classes[row[0]] = row[1]
        found.append([1, 2] if fault == "missing file" else record)
    return found, classes


@settings(max_examples=20, deadline=None)
@given(rows_of, st.sampled_from([".json", ".jsonl"]), st.sampled_from(["utf-8", "utf-16"]))
def test_every_record_is_read_or_reported(
    pictures: Path, rows: list[Row], suffix: str, encoding: str
) -> None:
    written, classes = records(rows)
    lines = [json.dumps(each, ensure_ascii=False) for each in written]
    text = "\n".join(lines) if suffix == ".jsonl" else "[" + ",\n".join(lines) + "]"
    with TemporaryDirectory() as name:
        table = Path(name) / f"table{suffix}"
        table.write_bytes(text.encode(encoding))
        assert SOURCE.accepts(table)
        options = SourceOptions(path_prefix=str(pictures))
        found = SOURCE.scan(table, SilentProgress(), options)
    assert {Path(item.key).name: item.class_name for item in found.items} == classes
    known = [item.position for item in found.items] + [each.line for each in found.problems]
    assert sorted(line or 0 for line in known) == list(range(1, len(written) + 1))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sets(st.sampled_from([0, 1, 2])), min_size=4, max_size=9),
    st.sampled_from(["0 1", "0.0 1.0", "False True", "no yes"]),
)
def test_every_row_of_columns_of_classes_is_read_or_reported(
    pictures: Path, rows: list[set[int]], words: str
) -> None:
    """A class is the heading of the only column with 1."""
    rows = [{0}, {1}, *[{2}] * 18, *rows]
    off, on = words.split()
    few = sum(len(each) > 1 for each in rows) <= len(rows) / 20
    lines = [",".join(on if at in row else off for at in range(3)) for row in rows]
    with TemporaryDirectory() as name:
        table = Path(name) / "table.csv"
        numbered = (f"image {number}.png,{line}\n" for number, line in enumerate(lines))
        table.write_text("image,MEL,NV,BCC\n" + "".join(numbered))
        for number in range(len(rows)):
            (Path(name) / f"image {number}.png").write_bytes(b"")
        if not few:
            with pytest.raises(StudioError, match="does not say which column"):
                SOURCE.scan(table, SilentProgress())
            return
        found = SOURCE.scan(table, SilentProgress())
    single = {at: each for at, each in enumerate(rows, 2) if len(each) == 1}
    names = ("MEL", "NV", "BCC")
    read = {item.position: item.class_name for item in found.items}
    assert read == {line: names[min(each)] for line, each in single.items()}
    assert {each.line for each in found.problems} == {*range(2, len(rows) + 2)} - read.keys()
