"""The table: sorting, filters, groups, what stays selected, copies, remembered columns, layout."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from studio.ui.settings import Settings
from studio.ui.widgets.table import ROW_HEIGHT, Table
from studio.ui.widgets.table_model import (
    FILL,
    Column,
    FigureCell,
    TableModel,
    figure_columns,
    text_columns,
)

TIP, CHECK = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.CheckStateRole
ACROSS = Qt.Orientation.Horizontal


@dataclass
class Fruit:
    """A row."""

    name: str
    weight: float | None
    kind: str = ""
    typed: list[str] = field(default_factory=list)
    is_eaten: bool = False


def columns() -> list[Column[Fruit]]:
    def eat(fruit: Fruit, is_checked: bool) -> None:
        fruit.is_eaten = is_checked

    return [
        Column(
            "Name",
            attrgetter("name"),
            value=attrgetter("name"),
            key="name",
            width=FILL,
            is_text=True,
            edit=lambda fruit, text: fruit.typed.append(text),
        ),
        Column(
            "Weight",
            lambda fruit: "–" if fruit.weight is None else f"{fruit.weight:g} g",
            value=attrgetter("weight"),
            key="weight",
            tip="In grams",
            cell_tip=lambda fruit: f"{fruit.name} weighs {fruit.weight}",
            is_bold=lambda fruit: fruit.name == "fig",
        ),
        Column(
            "Eaten",
            lambda _fruit: "",
            key="eaten",
            checked=lambda fruit: None if fruit.name == "elder" else fruit.is_eaten,
            check=eat,
        ),
    ]


def fruits() -> list[Fruit]:
    return [
        Fruit("apple", 90.0, "tree"),
        Fruit("berry", None, "bush"),
        Fruit("cherry", 10.0, "tree"),
        Fruit("date", 7.0, ""),
    ]


Make = Callable[..., Table[Fruit]]


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    def made(**options: object) -> Table[Fruit]:
        table: Table[Fruit] = Table(
            "Fruits",
            columns(),
            key=attrgetter("name"),
            selection="many",
            **options,  # type: ignore[arg-type]
        )
        qtbot.addWidget(table)
        table.resize(500, 300)
        table.show_rows(fruits())
        table.show()
        return table

    return made


def names(table: Table[Fruit]) -> str:
    return "".join(fruit.name[0] for fruit in table.content.shown)


def click(table: Table[Fruit], column: str, *, shift: bool = False) -> None:
    header = table.horizontalHeader()
    at = header.sectionViewportPosition(table.section(column)) + 5
    how = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, how, QPoint(at, 5))


def test_clicks_on_a_heading_sort_up_down_and_not_at_all(make: Make) -> None:
    table = make()
    seen = [names(table)]
    for _ in range(3):
        click(table, "weight")
        seen.append(names(table))
    assert seen == ["abcd", "dcab", "acdb", "abcd"], "what has no value is last"
    click(table, "eaten")
    assert names(table) == "abcd", "it has nothing to be sorted by"
    assert not table.selected, "a heading selects nothing"


def test_shift_adds_a_column_and_headings_show_the_order(make: Make) -> None:
    table = make()
    table.show_rows([Fruit("b", 1), Fruit("a", 1), Fruit("c", 2)])
    click(table, "weight")
    assert table.content.headerData(1, ACROSS) == "Weight ▲"
    click(table, "name", shift=True)
    assert names(table) == "abc"
    click(table, "name", shift=True)
    assert names(table) == "bac"
    assert table.content.headerData(0, ACROSS) == "Name ▼2"
    assert table.content.headerData(1, ACROSS) == "Weight ▲1"
    assert table.content.headerData(1, ACROSS, TIP) == "In grams"


def test_the_usual_order_comes_back(make: Make) -> None:
    table = make()
    table.content.set_usual_sort([("name", True)])
    assert names(table) == "dcba"
    click(table, "weight")
    click(table, "weight")
    click(table, "weight")
    assert names(table) == "dcba"


@pytest.mark.parametrize(
    ("values", "upwards", "downwards"),
    [
        ([0.5, math.nan, 0.7], [0, 2, 1], [2, 0, 1]),
        ([2, None, 1, 2], [2, 0, 3, 1], [0, 3, 2, 1]),
        (["b", 3, "A", True], [3, 1, 2, 0], [0, 2, 1, 3]),
        ([[1, 9], [], [5]], [2, 0, 1], [0, 2, 1]),
        ([(0, 4), None, (7, 8)], [2, 0, 1], [0, 2, 1]),
        (["", "a", ""], [1, 0, 2], [1, 0, 2]),
    ],
)
def test_numbers_texts_intervals_and_curves_have_an_order_and_what_has_no_value_is_last(
    values: Sequence[object], upwards: list[int], downwards: list[int]
) -> None:
    column: Column[int] = Column("Value", str, value=lambda at: values[at])
    model = TableModel([column], key=int)
    model.show_rows(range(len(values)))
    model.sort_by([("Value", False)])
    assert model.shown == upwards
    model.sort_by([("Value", True)])
    assert model.shown == downwards


def test_what_is_selected_stays_selected(make: Make, qtbot: QtBot) -> None:
    table = make()
    with qtbot.waitSignal(table.row_chosen) as chosen:
        table.select("cherry")
    assert chosen.args == ["cherry"]
    click(table, "weight")
    assert [fruit.name for fruit in table.selected] == ["cherry"]
    assert table.current is table.selected[0]
    table.select("date", "apple")
    table.show_rows([Fruit("elder", 1), *fruits()[1:]])
    assert [fruit.name for fruit in table.selected] == ["date"], "the other one is gone"
    table.content.set_filter(lambda fruit: fruit.name < "d")
    assert not table.selected, "what is hidden is not selected"
    assert names(table) == "cb"


def test_rows_that_are_added_move_nothing(make: Make) -> None:
    table = make()
    table.select("berry")
    inserted: list[int] = []
    table.content.rowsInserted.connect(lambda _parent, first, _last: inserted.append(first))
    table.show_rows([*fruits(), Fruit("elder", 3)])
    assert inserted == [4]
    assert [fruit.name for fruit in table.selected] == ["berry"]
    table.show_rows(fruits()[:1])
    assert names(table) == "a"


def test_a_changed_row_moves_to_its_sorted_position(make: Make, qtbot: QtBot) -> None:
    table = make()
    click(table, "weight")
    rows = {fruit.name: fruit for fruit in table.content.rows}
    rows["berry"].weight = 1.0
    received: list[int] = []
    table.content.dataChanged.connect(lambda first, _last: received.append(first.row()))
    assert table.touch("berry")
    assert not table.touch("nothing")
    assert received == [3], "only this row is painted again"
    qtbot.waitUntil(lambda: names(table) == "bdca", timeout=5000)


def test_groups_are_rows_that_fold(make: Make) -> None:
    table = make()
    table.select("apple", "date")
    table.content.set_group(attrgetter("kind"))

    def lines() -> list[str]:
        content = table.content
        return [str(content.index(row, 0).data()) for row in range(content.rowCount())]

    unfolded = [
        "▾  bush · 1",
        "berry",
        "▾  tree · 2",
        "apple",
        "cherry",
        "▾  No group · 1",
        "date",
    ]
    assert lines() == unfolded
    assert [fruit.name for fruit in table.selected] == ["apple", "date"]
    index = table.visualRect(table.content.index(2, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert lines() == ["▾  bush · 1", "berry", "▸  tree · 2", "▾  No group · 1", "date"]
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert lines() == unfolded
    table.content.set_group(None)
    assert names(table) == "abcd"


def test_keys_select_copy_and_open(make: Make, qtbot: QtBot) -> None:
    table = make()
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(table, Qt.Key.Key_A, control)
    assert len(table.selected) == 4
    QTest.keyClick(table, Qt.Key.Key_D, control)
    assert not table.selected
    table.select("berry")
    QTest.keyClick(table, Qt.Key.Key_I, control)
    assert [fruit.name for fruit in table.selected] == ["apple", "cherry", "date"]
    table.select("apple", "berry")
    QTest.keyClick(table, Qt.Key.Key_C, control)
    assert QGuiApplication.clipboard().text() == "apple\t90 g\t\nberry\t–\t"
    table.select("date")
    with qtbot.waitSignal(table.opened) as opened:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert opened.args == ["date"]
    index = table.visualRect(table.content.index(1, 0)).center()
    with qtbot.waitSignal(table.opened) as opened:
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=index)
        QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert opened.args == ["berry"]


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagateSizeHints)", extend=True)
def test_the_context_menu_copies_the_table_with_exact_numbers(make: Make) -> None:
    table = make()
    table.show_rows([Fruit("=1+1", 0.123456789), Fruit("fig", None)])
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5))
    table.contextMenuEvent(event)
    menu = table.findChild(QMenu)
    assert menu is not None
    copy, everything = [action for action in menu.actions() if not action.isSeparator()]
    assert not copy.isEnabled(), "nothing is selected"
    everything.trigger()
    rows = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert rows == [["Name", "Weight", "Eaten"], ["'=1+1", "0.123456789", ""], ["fig", "–", ""]]
    menu.close()


def test_cells_are_edited_checked_bold_and_have_tips(make: Make) -> None:
    table = make()
    table.show_rows([Fruit("elder", 1), Fruit("fig", 2)])
    content = table.content
    assert content.setData(content.index(0, 0), "olive")
    assert not content.setData(content.index(0, 1), "olive"), "weights are not edited"
    elder, fig = content.rows
    assert elder.typed == ["olive"]
    assert content.index(0, 0).data() == "elder", "until it is stored"
    assert content.index(1, 1).data(TIP) == "fig weighs 2"
    assert content.index(1, 1).data(Qt.ItemDataRole.FontRole).bold()
    assert content.index(0, 1).data(Qt.ItemDataRole.FontRole) is None
    assert content.index(0, 2).data(CHECK) is None, "it has no box"
    assert content.setData(content.index(1, 2), Qt.CheckState.Checked.value, CHECK)
    assert fig.is_eaten
    assert content.index(1, 2).data(CHECK) == Qt.CheckState.Checked
    assert content.index(1, 0).flags() & Qt.ItemFlag.ItemIsEditable
    assert not content.index(1, 1).flags() & Qt.ItemFlag.ItemIsEditable


def test_columns_are_as_they_were_left(make: Make, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    table = make()
    table.remember(settings, "fruits")
    header = table.horizontalHeader()
    header.resizeSection(table.section("weight"), 123)
    header.moveSection(2, 1)
    click(table, "weight")
    action = next(each for each in table.columns_menu().actions() if each.data() == "weight")
    table.save()

    other = make()
    other.remember(settings, "fruits")
    assert other.columnWidth(other.section("weight")) == 123
    assert other.horizontalHeader().visualIndex(2) == 1
    assert names(other) == "dcab"

    action.trigger()
    table.save()
    assert "Weight" not in table.csv().splitlines()[0]
    third = make()
    third.remember(settings, "fruits")
    assert third.isColumnHidden(third.section("weight"))


@pytest.mark.parametrize("text", ["150 120 90", "[]", '{"widths": {"a": "b"}}', "{" * 100_000])
def test_a_damaged_layout_is_ignored(make: Make, tmp_path: Path, text: str) -> None:
    settings = Settings(tmp_path / "window.ini")
    settings.set_text("fruits", text)
    table = make()
    table.remember(settings, "fruits")
    assert names(table) == "abcd"


def test_what_is_painted_replaces_the_text(qtbot: QtBot) -> None:
    painted: list[str] = []

    def paint(painter: QPainter, option: QStyleOptionViewItem, row: Sequence[str]) -> None:
        painter.fillRect(option.rect, Qt.GlobalColor.red)
        painted.append(row[0])

    table = Table("Painted", [Column[Sequence[str]]("A", lambda row: row[0], paint=paint)])
    qtbot.addWidget(table)
    table.show_rows([("one",), ("two",)])
    table.show()
    image = table.grab().toImage()
    assert set(painted) == {"one", "two"}
    at = table.visualRect(table.content.index(0, 0)).center()
    point = table.viewport().mapTo(table, at)
    assert image.pixelColor(point) == Qt.GlobalColor.red


def test_an_empty_table_says_why(make: Make) -> None:
    table = make()
    table.set_empty_text("No fruit matches.")
    table.show_rows(())
    empty = table.viewport().grab().toImage()
    table.set_empty_text("")
    assert table.viewport().grab().toImage() != empty


def test_a_table_is_as_high_as_its_rows_up_to_a_limit(make: Make) -> None:
    table = make(max_rows=3)
    more = table.height()
    table.show_rows(fruits()[:1])
    one = table.height()
    table.show_rows(fruits()[:3])
    assert table.height() == one + 2 * ROW_HEIGHT
    assert more == table.height() + ROW_HEIGHT // 2, "half a row more shows that it continues"
    table.set_max_rows(9)
    assert table.height() == one + 2 * ROW_HEIGHT


def test_names_are_readable_where_figures_need_all_the_width(qtbot: QtBot) -> None:
    table: Table[Sequence[FigureCell]] = Table("Figures")
    qtbot.addWidget(table)
    name = "mean cell area"
    rows = [[FigureCell(name, name), *(FigureCell("0.0097 (0.0078–0.0121)", 1.0) for _ in "abc")]]
    table.resize(360, 200)
    table.show_rows(rows, figure_columns(("Quantity", "MAE", "RMSE", "R²")))
    table.show()

    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(name)
    table.resize(1200, 200)
    assert table.horizontalHeader().length() == table.viewport().width()


def test_other_columns_replace_all(qtbot: QtBot) -> None:
    table = Table("Texts", text_columns(["name", "value"], numbers_last=True))
    qtbot.addWidget(table)
    table.show_rows([("a", "1"), ("b", "2")])
    table.select(1)
    assert table.selected == [("b", "2")]
    table.show_rows([("x", "6")])
    assert not table.selected
    assert table.texts() == [["x", "6"]]
    table.show_rows([("x", "6", "7")], text_columns(["name", "value", "other"]))
    assert table.texts() == [["x", "6", "7"]]


def test_many_rows_are_sorted_between_frames(qtbot: QtBot) -> None:
    read = 0

    def weigh(number: int) -> int:
        nonlocal read
        read += 1
        return -number

    columns: list[Column[int]] = [Column("Number", str, value=weigh)]
    model = TableModel(columns, key=lambda number: number)
    model.show_rows(range(50_000))
    model.sort_by([("Number", False)])
    assert not model.is_sorted
    assert read < 50_000
    qtbot.waitUntil(lambda: model.is_sorted, timeout=20_000)
    assert model.shown[:2] == [49_999, 49_998]
    assert read == 50_000
    model.arrange()
    assert read == 50_000, "values are read once"


@pytest.mark.parametrize("width", [300, 600, 900, 1200])
def test_stretched_columns_stay_readable_beside_wide_ones(qtbot: QtBot, width: int) -> None:
    headings = ["Epoch", "Loss", "Validation mean intersection over union", "Pixel accuracy, mean"]
    wide = [Column[Fruit](heading, attrgetter("name"), width=FILL) for heading in headings]
    table = Table("Epochs", wide)
    qtbot.addWidget(table)
    table.show_rows(fruits())
    table.resize(width, 300)
    table.show()
    header = table.horizontalHeader()
    hints = [header.sectionSizeHint(at) for at in range(len(headings))]
    widths = [header.sectionSize(at) for at in range(len(headings))]
    assert all(width >= hint for width, hint in zip(widths, hints, strict=True))
    room = table.viewport().width()
    assert sum(widths) == room or sum(hints) > room
