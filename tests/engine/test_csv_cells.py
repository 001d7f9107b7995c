"""Tables whose texts no spreadsheet takes for a formula, and that Studio reads as they were."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import studio
from studio.engine.csv_cells import CsvWriter, harmless, original, table_text
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.table import as_csv
from studio.engine.progress import SilentProgress
from studio.engine.tasks.classification.prediction import PREDICTOR
from studio.engine.tasks.parts.scores import ClassScore, Scores

FORMULAS = [
    "=1+1",
    "+cmd",
    "-2+3",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "\nx",
    "=",
    "\uff1d1",
    "'=1",
    "-1 ",
]
HARMLESS = ["cat", "", "a=b", "-0.5", "+1", "-1e-5", "'", "'cat", "-inf", "0.5"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formula_cells_start_with_an_apostrophe(text: str) -> None:
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert harmless(text) == original(text) == text


@given(st.text("'=+-@\t\r\n1e a;\"\\u0b\x1b\u202e\u200d\U000e0041é"))
def test_every_text_comes_back(text: str) -> None:
    assert original(harmless(text)) == text


@pytest.mark.parametrize(
    "text",
    [r"\u001b", r"\\u001b", "\\\x1b", r"\u200c", r"\U000e0041", r"C:\u2028", "'\x1b", "\x1b;=1"],
)
def test_escapes_come_back(text: str) -> None:
    assert original(harmless(text)) == text


@given(st.text("'=+-@\t\r\n1e a;\"\x1b\u202e\u200b", max_size=12))
def test_no_spreadsheet_reads_a_formula_or_a_hidden_character(text: str) -> None:
    """Read with commas and with semicolons between cells, as the country of a reader decides."""
    written = table_text([[text, "name"]])

    assert not re.search("[\x1b\u202e\u200b]", written)
    for delimiter in ",;\t":
        for line in csv.reader(io.StringIO(written, newline=""), delimiter=delimiter):
            for cell in line:
                assert not _is_executed(cell)


def _is_executed(cell: str) -> bool:
    if not cell.startswith(("=", "+", "-", "@")):
        return False
    try:
        # With the wrong separator, "-1,name" is one cell: not a formula.
        float(re.split("[,;\t]", cell, maxsplit=1)[0])
    except ValueError:
        return True
    return False


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a;=cmd|' /C calc'!A1", "a;'=cmd|' /C calc'!A1"),
        ("a\n=1", "a\n'=1"),
        ("a\t@x", "a\t'@x"),
        ('a;"=1', "a;'\"=1"),
        ("cat;-5", "cat;-5"),
        ("red\x1b[2J", r"red\u001b[2J"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("a\u200bb", r"a\u200bb"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
    ],
)
def test_parts_of_a_text(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert original(shown) == text


def test_a_table_of_predictions(tmp_path: Path) -> None:
    scores = (ClassScore(label="=HYPERLINK()", score=0.5), ClassScore(label="+a", score=-0.25))
    answer = ImagePrediction(image="-x.png", scores=Scores(classes=scores))

    rows = list(csv.reader(io.StringIO(as_csv([answer], PREDICTOR, ["@b"]))))

    assert rows[1][:5] == ["'-x.png", "'=HYPERLINK()", "0.5", "'+a", "-0.25"]
    assert rows[1][5] == "'@b"


def test_a_list_of_studio_gives_the_original_names(tmp_path: Path) -> None:
    names = ["=cat", "+dog", "@x", "-y z", "\rline", "'=quoted", "a\u2028b"]
    with (tmp_path / "list.csv").open("w", encoding="utf-8", newline="") as file:
        writer = CsvWriter(file)
        writer.writerow(["path", "label", "split"])
        for number, name in enumerate(names):
            (tmp_path / f"={number}.png").touch()
            writer.writerow([f"={number}.png", name, "train"])

    found = ListFileSource().scan(tmp_path / "list.csv", SilentProgress())

    assert {item.key: item.class_name for item in found.items} == {
        f"={number}.png": name for number, name in enumerate(names)
    }


def test_nothing_else_writes_comma_separated_values() -> None:
    root = Path(studio.__file__).parent
    writers = [
        path.name
        for path in root.rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)\(", path.read_text(encoding="utf-8"))
    ]
    assert writers == ["csv_cells.py"]
