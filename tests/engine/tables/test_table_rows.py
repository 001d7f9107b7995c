"""Rows of tables: delimiters, quotation marks, damage and limits."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import BadDataError
from studio.engine.tables import rows as module
from studio.engine.tables.rows import DELIMITERS, read_table


def cells(text: str, file: str = "t.csv") -> list[tuple[str, ...]]:
    return [row.cells for row in read_table(text.encode(), file).rows]


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter: str, ending: str) -> None:
    lines = ["path|label|mass", "a.png|cat|1", "b.png|dog|2"]
    text = ending.join(line.replace("|", delimiter) for line in lines)
    table = read_table(text.encode(), "t.csv")

    assert table.delimiter == delimiter
    assert [row.cells for row in table.rows] == [tuple(line.split("|")) for line in lines]
    assert [row.line for row in table.rows] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a.png;1,5\nb.png;2,5\n", ";"),
        ("a.png,cat;dog\nb.png,dog;cat\n", ","),
        ("image;class;x\na.png;cat;10,5\nb.png;dog;3\n", ";"),
        ("image,labels\na.png,cat|dog\nb.png,dog|cat\n", ","),
        ("id\ttext\n1\ta, b; c\n2\td, e; f\n", "\t"),
        ("a.png\n", ","),
        ("", ","),
    ],
)
def test_the_delimiter_is_that_of_all_lines(text: str, delimiter: str) -> None:
    assert read_table(text.encode(), "t.csv").delimiter == delimiter


@pytest.mark.parametrize("mark", [" ", ",", "\t"])
def test_tables_of_r_whose_rows_have_names(mark: str) -> None:
    text = '"file" "class"\n"1" "a b.png" "cat"\n"2" "c.png" "dog"\n'
    found = cells(text.replace('" "', f'"{mark}"'), "t.txt")
    assert found == [("", "file", "class"), ("1", "a b.png", "cat"), ("2", "c.png", "dog")]
    plain = '"file" "mass"\n"a.png" 1.5\n"b.png" 2\n'
    assert cells(plain.replace('" ', f'"{mark}'), "t.txt")[1:] == [
        ("a.png", "1.5"),
        ("b.png", "2"),
    ]


@pytest.mark.parametrize("first", ["my survey,", "a.png,cat", "file,class,"])
def test_rows_of_other_widths_have_no_names(first: str) -> None:
    found = cells(f"{first}\n1,a.png,cat\n2,b.png,dog\n3,c.png,dog\n")
    assert all(row[0] for row in found)


def test_a_quotation_mark_that_is_never_closed_costs_its_line_alone() -> None:
    table = read_table(b'path,label\n"c.png"x,cat\nd.png,cat\na.png,"cat\nb.png,dog\n', "t.csv")

    assert [row.line for row in table.rows] == [1, 3, 5]
    assert [(each.line, each.shown) for each in table.unread] == [
        (2, '"c.png"x,cat'),
        (4, 'a.png,"cat'),
    ]
    assert "never closed" in table.unread[1].reason


def test_many_damaged_lines_end_the_reading_and_are_counted() -> None:
    table = read_table(b"path,label\n" + b'a.png,"x"y\n' * 1000, "t.csv")

    assert len(table.rows) == 1
    assert sum(each.lines for each in table.unread) == 1000


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = b"path,label\n" + b"," * 30_000 + b"x\na.png,cat\n"
    table = read_table(wide, "t.csv")
    assert len(table.rows) == 1
    assert [(each.line, each.lines) for each in table.unread] == [(2, 2)]

    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(BadDataError, match="larger"):
        read_table(b"path,label\na.png,cat\n", "t.csv")


def test_a_head_leaves_out_the_row_that_is_cut() -> None:
    table = read_table(b"path,label\na.png,cat\nb.png,d", "t.csv", is_head=True)
    assert len(table.rows) == 2


_CELL = st.text(
    st.characters(codec="utf-8", exclude_characters="\0'=+-@\t\x0b\x0c\x1c\x1d\x1e\x1f")
)


@given(
    st.lists(st.lists(_CELL, min_size=3, max_size=3), min_size=2),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_rows_of_an_independent_writer(rows: list[list[str]], quoting: int, encoding: str) -> None:
    rows = [["path", "label", "split"], *([f"{row[0]}.png", *row[1:]] for row in rows)]
    file = io.StringIO(newline="")
    csv.writer(file, quoting=quoting, delimiter=";").writerows(rows)  # type: ignore[arg-type]
    table = read_table(file.getvalue().encode(encoding), "t.csv")

    assert not table.unread
    assert table.delimiter == ";"
    assert [row.cells for row in table.rows] == [
        tuple(cell.strip() for cell in row) for row in rows
    ]


@given(st.lists(st.sampled_from(["a.png,cat", 'b.png,"dog', '"c.png"x,y', "", ",,", "d,e,f"])))
def test_each_line_is_read_or_reported(lines: list[str]) -> None:
    # A quotation mark that another line closes makes one row of several lines.
    text = "path,label\n" + "".join(f"{line}\n" for line in lines)
    table = read_table(text.encode(), "t.csv")
    lines_read = {row.line for row in table.rows} | {each.line for each in table.unread}
    expected = {number for number, line in enumerate(lines, 2) if line.strip(",")} | {1}
    spanned = {
        line
        for row in table.rows
        for line in range(row.line + 1, row.line + 1 + "".join(row.cells).count("\n"))
    }
    assert expected - spanned <= lines_read <= expected


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_the_line_with_the_delimiter_for_excel_is_no_row(delimiter: str) -> None:
    text = f"sep={delimiter}\r\nfile|mass\r\na.png|1,5;2\r\n".replace("|", delimiter)
    table = read_table(text.encode("utf-8-sig"), "t.csv")

    assert table.delimiter == delimiter
    assert table.rows[0] == (2, ("file", "mass"))
    assert not table.unread


def test_titles_and_comments_before_a_table_are_reported() -> None:
    text = "# made by a tool\nReport;;\nfile;class;mass\na.png;cat;1\nb.png;;\nc.png;dog;2\n"
    table = read_table(text.encode(), "t.csv")

    assert [row.line for row in table.rows] == [3, 4, 5, 6]
    assert [each.line for each in table.unread] == [1, 2]


@pytest.mark.parametrize(
    "text", [",label\na,cat\nb,dog\n", "path,\na,cat\nb,dog\n", "a.png\nb.png,cat\nc.png,cat\n"]
)
def test_a_first_row_with_an_empty_cell_is_no_title(text: str) -> None:
    assert len(cells(text)) == 3


def test_spaces_after_a_closing_quotation_mark_are_no_damage() -> None:
    text = '"File", "Class" \n"a.png" ,"a ""b"", c"\n"b.png", "x\ny" \n'

    assert cells(text) == [("File", "Class"), ("a.png", 'a "b", c'), ("b.png", "x\ny")]
