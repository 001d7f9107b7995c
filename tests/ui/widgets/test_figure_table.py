"""Tables of figures: sorting by numbers, unknown ones last, the selection stays."""

from __future__ import annotations

from operator import itemgetter

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from studio.ui.widgets.tables import FigureCell, FigureTable, TableModel, text_columns

ROWS = [
    (FigureCell(name, name), FigureCell("–" if value is None else f"{value:g}", value))
    for name, value in (("a", 9.0), ("b", None), ("c", 10.0), ("d", 2.0))
]


@pytest.fixture
def table(qtbot: QtBot) -> FigureTable:
    made = FigureTable()
    qtbot.addWidget(made)
    made.show_rows(("Name", "Images"), ROWS)
    made.resize(400, 300)
    made.show()
    return made


def _names(table: FigureTable) -> str:
    return "".join(table.figures.index(row, 0).data() for row in range(4))


def test_presses_on_a_heading_sort_up_down_and_not_at_all(table: FigureTable) -> None:
    header = table.horizontalHeader()
    at = header.sectionViewportPosition(1) + 5
    seen = [_names(table)]
    for _ in range(3):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, 5))
        seen.append(_names(table))
    assert seen == ["abcd", "dacb", "cadb", "abcd"]


def test_the_chosen_row_stays_chosen(table: FigureTable, qtbot: QtBot) -> None:
    with qtbot.waitSignal(table.row_chosen) as chosen:
        table.selectRow(2)
    assert chosen.args == [2]
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert table.currentIndex().row() == 0
    with qtbot.waitSignal(table.row_clicked) as clicked:
        table.clicked.emit(table.figures.index(1, 0))
    assert clicked.args == [0]


def test_names_are_readable_where_figures_need_all_the_width(qtbot: QtBot) -> None:
    table = FigureTable()
    qtbot.addWidget(table)
    name = "mean cell area"
    rows = [[FigureCell(name, name), *(FigureCell("0.0097 (0.0078–0.0121)", 1.0) for _ in "abc")]]
    table.resize(360, 200)
    table.show_rows(("Quantity", "MAE", "RMSE", "R²"), rows)
    table.show()

    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(name)
    table.resize(1200, 200)
    assert table.horizontalHeader().length() == table.viewport().width()


def test_rows_with_the_same_keys_keep_the_selection_and_new_ones_are_added(qtbot: QtBot) -> None:
    columns = text_columns(["name", "value"], numbers_last=True)
    model = TableModel(columns, key=itemgetter(0))
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(model)
    model.show_rows([("a", "1"), ("b", "2")])
    view.selectRow(1)

    model.show_rows([("a", "3"), ("b", "4"), ("c", "5")])

    assert view.currentIndex().row() == 1
    assert [model.index(row, 1).data() for row in range(3)] == ["3", "4", "5"]

    model.show_rows([("x", "6")])

    assert not view.currentIndex().isValid()
    assert model.rows == [("x", "6")]
