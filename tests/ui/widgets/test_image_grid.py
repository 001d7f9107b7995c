from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import (
    QRect,
    Qt,
)
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.errors import BadDataError
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import GridLayout, ImageGrid, PictureModel
from studio.ui.widgets.thumbnails import ThumbnailLoader


class Names(PictureModel):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.asked: set[int] = set()
        self.reset(count)

    def key(self, row: int) -> str:
        self.asked.add(row)
        return f"key {row}"

    def caption(self, row: int) -> str:
        return f"image {row}"


def red(_key: Hashable) -> QImage:
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    return image


def make(
    theme: Theme, qtbot: QtBot, rows: int, load: Callable[[Hashable], QImage]
) -> tuple[ImageGrid, Names]:
    grid, model = ImageGrid(theme), Names(rows)
    qtbot.addWidget(grid, before_close_func=ImageGrid.stop)
    grid.resize(600, 400)
    grid.set_source(model, load)
    grid.show()
    return grid, model


def test_pictures_are_loaded_off_the_gui_thread_by_key(theme: Theme, qtbot: QtBot) -> None:
    seen: list[tuple[Hashable, int]] = []

    def load(key: Hashable) -> QImage:
        seen.append((key, threading.get_ident()))
        return red(key)

    grid, model = make(theme, qtbot, 100_000, load)
    center = grid.visualRect(model.index(0)).center()

    qtbot.waitUntil(lambda: grid.grab().toImage().pixelColor(center) == QColor("red"))
    assert "key 0" in [key for key, _ in seen]
    assert threading.get_ident() not in [thread for _, thread in seen]
    assert len(seen) < 100, "only what is in sight is loaded"


def test_many_rows_cost_no_more_than_those_in_sight(theme: Theme, qtbot: QtBot) -> None:
    grid, model = make(theme, qtbot, 100_000, red)
    for step in range(50):
        grid.verticalScrollBar().setValue(step * 20_000)
        model.asked.clear()
        grid.grab()
        assert 0 < len(model.asked) < 50, "a picture of the grid asks for what is in it alone"
    assert grid.verticalScrollBar().maximum() > 1_000_000


def test_grids_thrown_away_keep_no_threads(theme: Theme, qtbot: QtBot) -> None:
    """Even while they load: whichever thread lets go last takes the loader apart."""
    gone: list[weakref.ref[ThumbnailLoader]] = []
    for _ in range(60):
        grid = ImageGrid(theme)
        grid.resize(600, 400)
        grid.set_source(Names(100_000), red)
        for step in range(5):
            grid.verticalScrollBar().setValue(step * 20_000)
            grid.grab()
        assert grid._loader is not None
        gone.append(weakref.ref(grid._loader))
        del grid
    qtbot.waitUntil(lambda: not any(each() for each in gone))
    names = [each.name for each in threading.enumerate()]
    assert 0 < sum(name.startswith("thumbnails") for name in names) <= 4, "one pool for all"


def test_pictures_that_cannot_be_read_do_not_stop_the_others(theme: Theme, qtbot: QtBot) -> None:
    def load(key: Hashable) -> QImage:
        if key == "key 0":
            raise BadDataError("broken")
        return red(key)

    grid, model = make(theme, qtbot, 3, load)
    center = grid.visualRect(model.index(2)).center()
    qtbot.waitUntil(lambda: grid.grab().toImage().pixelColor(center) == QColor("red"))
    loader = grid._loader
    assert loader is not None
    broken = loader.get("key 0")
    assert broken is not None
    assert broken.isNull()


def test_a_cleared_grid_is_empty_and_can_be_filled_again(theme: Theme, qtbot: QtBot) -> None:
    grid, model = make(theme, qtbot, 200, red)
    qtbot.waitUntil(lambda: bool(model.asked))
    grid.setCurrentIndex(model.index(7, 0))
    grid.verticalScrollBar().setValue(100)

    grid.clear()
    with qtbot.waitSignal(model.destroyed):
        model.deleteLater()
    assert not grid.grab().isNull()
    assert grid.selected_rows() == []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Return):
        QTest.keyClick(grid, key)
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton)
    assert not grid.verticalScrollBar().isEnabled()

    other = Names(3)
    grid.set_source(other, red)
    qtbot.waitUntil(lambda: other.asked == {0, 1, 2})


def test_the_keyboard_moves_and_selects(theme: Theme, qtbot: QtBot) -> None:
    grid, model = make(theme, qtbot, 1000, red)
    grid.setCurrentIndex(model.index(0))
    QTest.keyClick(grid, Qt.Key.Key_Right)
    assert grid.currentIndex().row() == 1
    QTest.keyClick(grid, Qt.Key.Key_Down)
    columns = grid.currentIndex().row() - 1
    assert columns > 1
    QTest.keyClick(grid, Qt.Key.Key_End)
    assert grid.currentIndex().row() == 999
    assert grid.viewport().rect().contains(grid.visualRect(grid.currentIndex()))
    QTest.keyClick(grid, Qt.Key.Key_Home)
    with qtbot.waitSignal(grid.selection_changed) as got:
        QTest.keyClick(grid, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert got.args is not None
    assert got.args[0][0] == 0
    assert got.args[0][-1] == columns


def test_shift_selects_all_that_lies_between(theme: Theme, qtbot: QtBot) -> None:
    grid, model = make(theme, qtbot, 50, red)
    shift, left = Qt.KeyboardModifier.ShiftModifier, Qt.MouseButton.LeftButton

    def click(row: int, *, held: Qt.KeyboardModifier) -> list[int]:
        index = grid.visualRect(model.index(row)).center()
        QTest.mouseClick(grid.viewport(), left, held, index)
        return grid.selected_rows()

    assert click(2, held=Qt.KeyboardModifier.NoModifier) == [2]
    assert click(7, held=shift) == [2, 3, 4, 5, 6, 7]
    assert click(0, held=shift) == [0, 1, 2]
    QTest.keyClick(grid, Qt.Key.Key_Right, shift)
    assert grid.selected_rows() == [1, 2]
    QTest.keyClick(grid, Qt.Key.Key_End, shift)
    assert grid.selected_rows() == list(range(2, 50))


def test_a_click_selects_the_cell_under_it(theme: Theme, qtbot: QtBot) -> None:
    grid, model = make(theme, qtbot, 50, red)
    index = grid.visualRect(model.index(7)).center()
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert grid.selected_rows() == [7]


def test_another_size_keeps_the_scroll_position(theme: Theme, qtbot: QtBot) -> None:
    grid, model = make(theme, qtbot, 1000, red)
    grid.scrollTo(model.index(500), ImageGrid.ScrollHint.PositionAtTop)
    grid.set_thumb_size(160)
    assert grid.thumb_size == 160
    assert grid.viewport().rect().intersects(grid.visualRect(model.index(500)))
    grid.set_thumb_size(1)
    assert grid.thumb_size == 32


@given(st.integers(32, 200), st.integers(0, 500), st.integers(0, 2000), st.integers(-50, 2500))
def test_cells_are_found_where_they_are(thumb: int, rows: int, width: int, top: int) -> None:
    grid = GridLayout(thumb=thumb, caption=20, rows=rows, width=width)
    first, last = grid.span(top, top + 300)
    assert 0 <= first <= last <= rows
    for row in range(rows):
        cell = grid.cell(row)
        assert grid.row_at(cell.center().x(), cell.center().y()) == row
        if cell.bottom() >= top and cell.top() <= top + 300:
            assert first <= row < last
    everything = QRect(0, 0, grid.columns * grid.step_x, grid.height)
    assert sum(stop - start for start, stop in grid.rows_in(everything)) == rows


def test_a_stopped_loader_loads_nothing_more_and_others_do(qtbot: QtBot) -> None:
    loader = ThumbnailLoader(red)
    loader.stop()
    loader.want(["a"], 32)
    assert not loader.is_pending
    assert loader.get("a") is None
    other = ThumbnailLoader(red)
    other.want(["a"], 32)
    qtbot.waitUntil(other.take)


def test_the_scroll_bar_keeps_its_room_and_is_empty_while_all_is_in_sight(
    theme: Theme, qtbot: QtBot
) -> None:
    rooms = []
    for count in (2, 500):
        grid = ImageGrid(theme)
        qtbot.addWidget(grid)
        grid.set_source(Names(count), red)
        grid.resize(400, 300)
        grid.show()
        qtbot.waitExposed(grid)
        rooms.append(grid.viewport().width())
        assert grid.verticalScrollBar().isEnabled() == (count == 500)
        grid.stop()
    assert rooms[0] == rooms[1]
