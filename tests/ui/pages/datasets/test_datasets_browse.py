"""Looking through a dataset: a million images as columns, filters, order, and EXIF."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from million_images import CLASSES, write_many
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from helpers.open_files import open_files
from studio.engine.datasets.edits import Exclude, Relabel
from studio.engine.datasets.image_names import DIGITS, with_zeros
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.evaluation.evaluated_classes import Predictions
from studio.engine.picture_files import exposure_of, read_photo_facts
from studio.ui.bridge.background import Background
from studio.ui.pages.datasets.browsing.browser import (
    MAX_DRAGGED,
    BrowserGrid,
    ImageBrowser,
    ImageRows,
)
from studio.ui.pages.datasets.browsing.images import (
    LEFT_OUT,
    DatasetImages,
    ImageQuery,
    RunPredictions,
    exposure_words,
)
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.settings import Settings
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks.classification.view import of_class
from studio.ui.theme.theme import Theme
from studio.ui.widgets.overlay import Overlaid
from studio.ui.widgets.thumbnails import fitted

MILLION = 1_000_000


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("million")
    write_many(folder, MILLION)
    return folder


@pytest.fixture
def some(tmp_path: Path) -> Path:
    write_many(tmp_path / "some", 100)
    return tmp_path / "some"


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


def rows_of(folder: Path, query: ImageQuery) -> NDArray[np.int64]:
    return DatasetImages(folder).select(query).rows


def test_a_model_of_a_million_images_holds_nothing_per_image(million: Path) -> None:
    selection = DatasetImages(million).select(ImageQuery())
    gc.collect()
    before = len(gc.get_objects()), sys.getallocatedblocks()
    model = ImageRows(selection)
    assert model.rowCount() == MILLION
    texts = [model.index(row, 0).data() for row in (0, MILLION // 2, MILLION - 1)]
    assert texts == ["000000.png", "500000.png", "999999.png"]
    after = len(gc.get_objects()), sys.getallocatedblocks()
    assert after[0] - before[0] < 100
    assert after[1] - before[1] < 1000
    assert selection.rows.nbytes == 8 * MILLION


def test_no_file_of_a_dataset_stays_open(some: Path) -> None:
    pictures = DatasetImages(some)
    table = pictures.select(ImageQuery(text="7", order="name")).table
    assert not fitted(pictures.load(3), 96).isNull()
    assert pictures.cover()
    row_pictures = DatasetPictures(some, None)
    assert not fitted(row_pictures.load(3), 96).isNull()
    pictures_of_version = DatasetPictures(some, 0)
    assert not fitted(pictures_of_version.load(3), 96).isNull()
    assert table.names.shown(3) == "class 0/000003.png"
    assert not open_files(some)


@pytest.mark.qt_log_ignore("does not support", extend=True)  # by the plugin without a screen
def test_a_page_of_a_deleted_dataset_is_painted(
    qtbot: QtBot, theme: Theme, some: Path, tmp_path: Path
) -> None:
    pictures = DatasetImages(some)
    model = ImageRows(pictures.select(ImageQuery()))
    some.rename(tmp_path / "trash")
    grid = BrowserGrid(theme)
    qtbot.addWidget(grid)
    grid.show_rows(model, pictures)
    grid.resize(400, 300)
    grid.show()
    qtbot.waitUntil(lambda: grid._loader is not None and not grid._loader.is_pending)
    assert not grid.grab().isNull()
    assert model.index(3, 0).data() == ""
    grid.show_large(model.index(3, 0))
    assert model.selection.table.source_files(np.arange(5)) == []
    assert fitted(DatasetPictures(some, 0).load(3), 96).isNull()


def test_a_million_images_open_with_the_pictures_in_sight_alone(
    qtbot: QtBot, theme: Theme, million: Path
) -> None:
    loaded: list[object] = []

    class Counting(DatasetImages):
        def thumbnail(self, key: Hashable) -> Overlaid:
            loaded.append(key)
            return super().thumbnail(key)

    pictures = Counting(million)
    grid = BrowserGrid(theme)
    qtbot.addWidget(grid)
    grid.resize(640, 480)
    grid.show_rows(ImageRows(pictures.select(ImageQuery()), grid), pictures)
    grid.show()
    qtbot.waitUntil(lambda: len(loaded) >= 12)
    grid.verticalScrollBar().setValue(grid.verticalScrollBar().maximum() // 2)
    qtbot.waitUntil(lambda: any(isinstance(key, int) and key > 400_000 for key in loaded))
    assert len(set(loaded)) < 100
    before = sys.getallocatedblocks()
    grid.selectAll()
    assert grid.count() == MILLION
    assert len(grid.chosen()) == MILLION
    assert sys.getallocatedblocks() - before < 1000
    refused: list[str] = []
    grid.drag_refused.connect(refused.append)
    assert grid.dragged() is None
    assert str(MAX_DRAGGED) in refused[0]
    grid.stop()


def test_filters_agree_with_the_columns(million: Path) -> None:
    store = Store.open(million)
    pictures = DatasetImages(million)
    rows = pictures.select(ImageQuery(target=partial(of_class, 3), split="val")).rows
    assert np.array_equal(rows, np.flatnonzero((store.labels == 3) & (store.split == 1)))
    found = pictures.select(ImageQuery(text="CLASS 7/7000")).rows
    assert found.tolist() == list(range(700_000, 700_100))
    assert len(pictures.select(ImageQuery(text="nowhere")).rows) == 0


def zero_padded(name: str) -> str:
    return re.sub(r"[0-9]+", lambda number: number[0].zfill(DIGITS), name)


@given(st.lists(st.from_regex(r"[a-c]{0,2}[0-9]{0,9}[./][0-9]{0,3}[a-c]?[0-9]?", fullmatch=True)))
def test_numbers_in_names_are_sorted_as_numbers(names: list[str]) -> None:
    column = np.array([name.encode() for name in names], "S18").view(np.uint8).reshape(-1, 18)
    assert with_zeros(column).tolist() == [zero_padded(name).encode() for name in names]


def test_names_full_of_numbers_keep_their_letters() -> None:
    names = [b"1-2-3-4-5-6-7-8-9.png", b"0123456789abcdef0123", b""]
    column = np.array(names, "S30").view(np.uint8).reshape(-1, 30)
    padded = with_zeros(column).tolist()
    assert padded[0] == b"00000001-00000002-00000003-4-5-6-7-8-9.png"
    assert padded[1:] == [b"0123456789abcdef00000123", b""]


@pytest.mark.parametrize("order", ["import", "name", "class", "split"])
def test_every_order_shows_every_image_once(some: Path, order: str) -> None:
    edit_dataset(some, [Relabel(rows="0-4", label=9)])
    table = DatasetImages(some).table()
    query = ImageQuery(order=order)
    rows = table.select(query).tolist()
    assert sorted(rows) == list(range(100))
    keys_of: dict[str, Callable[[int], object]] = {
        "import": lambda row: row,
        "name": lambda row: zero_padded(table.names.text(row).rpartition("/")[2]),
        "class": lambda row: int(table.labels[row]),
        "split": lambda row: ("train", "val", "test").index(table.split_name(row)),
    }
    keys = [keys_of[order](row) for row in rows]
    assert keys == sorted(keys)  # type: ignore[type-var]  # all of one kind


def test_excluded_images_have_their_own_filter(some: Path) -> None:
    assert len(rows_of(some, ImageQuery(split=LEFT_OUT))) == 0
    edit_dataset(some, [Exclude(rows="5-7")])
    assert rows_of(some, ImageQuery(split=LEFT_OUT)).tolist() == [5, 6, 7]
    assert len(rows_of(some, ImageQuery())) == 97


@pytest.mark.parametrize(("requested", "rows"), [("wrong", [9]), ("all", [9, 99]), (9, [99])])
def test_predictions_of_images_of_a_later_version_are_left_out(
    some: Path, requested: Literal["wrong", "all"] | int, rows: list[int]
) -> None:
    predictions = Predictions(
        np.array([9, 99, 100, 120]),
        np.array([1, 9, 9, 9], np.int32),
        np.array([0.9, 0.8, 0.7, 0.6], np.float32),
    )
    answers = RunPredictions("run", predictions, requested)
    assert rows_of(some, ImageQuery(answers=answers, order="score")).tolist() == rows


def test_the_browser_asks_once_after_typing(
    qtbot: QtBot, theme: Theme, some: Path, background: Background, tmp_path: Path
) -> None:
    editor = DatasetEditor(background, background)
    browser = ImageBrowser(theme, background, editor, Settings(tmp_path / "s.ini"))
    qtbot.addWidget(browser)
    browser.show()
    summary = write_many(some, 100)
    with qtbot.waitSignal(browser.listed):
        browser.show_images(summary, DatasetImages(some), -1)
    assert browser.edit_bar.number.text() == "100 images"
    listed: list[int] = []
    browser.listed.connect(lambda: listed.append(browser.grid.model().rowCount()))
    for text in ("0", "00", "000", "0000", "00001"):
        browser.bar.search.setText(text)
    qtbot.waitUntil(lambda: listed == [11])
    browser.bar.search.setText("no such")
    qtbot.waitUntil(lambda: listed == [11, 0])
    assert "no such" in browser.nothing.text()
    browser.clear()


def test_zoom_keys_change_the_size(
    qtbot: QtBot, theme: Theme, some: Path, background: Background, tmp_path: Path
) -> None:
    editor = DatasetEditor(background, background)
    browser = ImageBrowser(theme, background, editor, Settings(tmp_path / "s.ini"))
    qtbot.addWidget(browser)
    before = browser.grid.thumb_size
    browser.bar.zoom(1)
    assert browser.grid.thumb_size > before
    browser.bar.zoom(-1)
    assert browser.grid.thumb_size == before


def test_exif_is_described_in_words(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0112] = "Maker", "Model 1", 6
    exif.get_ifd(0x8769).update({0x829A: (1, 250), 0x829D: 2.8, 0x8827: 100})
    exif.get_ifd(0x8769)[0x9003] = "2020:01:02 03:04:05"
    Image.new("RGB", (30, 20)).save(path, exif=exif)
    facts = read_photo_facts(path)
    assert facts is not None
    assert (facts.width, facts.height, facts.turn) == (30, 20, 6)
    assert facts.camera == "Maker Model 1"
    assert facts.taken == "2020:01:02 03:04:05"
    assert facts.bytes == path.stat().st_size


def test_a_damaged_or_missing_original_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no image")
    facts = read_photo_facts(tmp_path / "bad.png")
    assert facts is not None
    assert (facts.width, facts.bytes) == (0, 8)
    assert read_photo_facts(tmp_path / "none.png") is None


@pytest.mark.parametrize(
    ("camera", "words"),
    [
        (
            {0x829A: 0.004, 0x829D: 2.8, 0x8827: 100, 0x920A: 35.0},
            "1/250 s · f/2.8 · ISO 100 · 35 mm",
        ),
        ({0x829A: 2.0}, "2 s"),
        ({0x829A: "x", 0x829D: -1, 0x8827: (200, 0)}, "ISO 200"),
        ({}, ""),
    ],
)
def test_exposure_words(camera: dict[int, object], words: str) -> None:
    assert exposure_words(exposure_of(camera)) == words


def test_there_are_ten_classes(some: Path, qtbot: QtBot) -> None:
    model = ImageRows(DatasetImages(some).select(ImageQuery(target=partial(of_class, 0))))
    assert model.rowCount() == 100 // CLASSES
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "class 0/000000.png"
