"""Text that does not fit: names lose their middle, figures never lose a digit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QLineEdit, QPushButton, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.charts.header import ChartHeader, Tools
from studio.ui.theme.theme import Theme
from studio.ui.widgets import labels
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, ElidingDelegate, elided, min_width
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.pages import PageHeader
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import text_columns

GAP = "\N{NO-BREAK SPACE}"
TEXTS = (
    f"coltsfoot 96.0{GAP}%",
    f"mobilenet-v2-flowers · 96.0{GAP}% · flowers 2",
    f"Epoch 3 of 20 · loss 0.02341 · validation accuracy 98.2{GAP}% · 1{GAP}h 12{GAP}min left",
    "12,500 of 61,000 images",
    f"Best validation accuracy 100.0{GAP}% in epoch 7",
    "1.5e-05",
    "lenet · 23/11/2026 12:30 · 7/20",
    f"-3,25{GAP}% · 224 × 224 px · 3.1 MB",
)
FIGURE = re.compile(r"(?<![\w\-.])[-+]?\d(?:[\d.,/:e-]*\d)?(?![\w-])")


@pytest.fixture
def metrics(theme: Theme) -> QFontMetrics:
    return QFontMetrics(QFont())


@pytest.mark.parametrize("text", TEXTS)
def test_a_figure_is_complete_or_absent(metrics: QFontMetrics, text: str) -> None:
    figures = FIGURE.findall(text)
    for room in range(metrics.horizontalAdvance(text) + 5):
        shown = elided(metrics, text, room)
        assert metrics.horizontalAdvance(shown) <= max(room, metrics.horizontalAdvance("…"))
        left = FIGURE.findall(shown)
        assert left == figures[: len(left)], (room, shown)
        assert f"…{GAP}%" not in shown
        assert shown.count("…") <= 1, (room, shown)
        if shown not in ("", text):
            assert "…" in shown


def test_words_give_way_before_figures(metrics: QFontMetrics) -> None:
    text = f"mobilenet-v2-flowers · 96.0{GAP}%"
    shown = elided(metrics, text, metrics.horizontalAdvance(text) * 0.7)
    assert shown.startswith("mob")
    assert shown.endswith(f"96.0{GAP}%")
    name = "mobilenet-v2-flowers-of-2024-with-augmentation-12"
    shown = elided(metrics, name, metrics.horizontalAdvance(name) * 0.6)
    assert (shown[:3], shown[-2:]) == ("mob", "12"), "the digits of a name are letters of it"


def test_a_name_that_would_lose_nearly_all_letters_keeps_some_instead_of_the_last_part(
    metrics: QFontMetrics,
) -> None:
    text = f"small-unet-microscopy · 88.6{GAP}% · microscopy"
    whole = f"s…y · 88.6{GAP}% · microscopy"
    shown = elided(metrics, text, metrics.horizontalAdvance(whole))
    assert shown.startswith("small")
    assert f"88.6{GAP}%" in shown


@pytest.mark.parametrize("text", ["sunflower → dandelion", "daisy → foxglove and others"])
def test_both_classes_of_a_wrong_prediction_stay_visible(metrics: QFontMetrics, text: str) -> None:
    shown = elided(metrics, text, metrics.horizontalAdvance(text) * 0.7)
    before, after = shown.split(" → ")
    truth, prediction = text.split(" → ")
    assert (before[0], before[-1]) == (truth[0], truth[-1])
    assert (after[0], after[-1]) == (prediction[0], prediction[-1])
    assert len(truth) > 5 or before == truth, "the longer name gives way first"
    assert metrics.horizontalAdvance(shown) <= metrics.horizontalAdvance(text) * 0.7 + 1


def test_a_caption_of_a_hundred_figures_is_not_tried_a_hundred_times(theme: Theme) -> None:
    class Counted(QFontMetrics):
        elisions = 0

        def elidedText(  # noqa: N802 - its name in Qt
            self, text: str, mode: Qt.TextElideMode, width: int, flags: int | None = 0
        ) -> str:
            self.elisions += 1
            return super().elidedText(text, mode, width, flags)

    metrics = Counted(QFont())
    shown = elided(metrics, " · ".join(["0.25 mm"] * 100), 104)
    assert shown.startswith("0.25 mm · ")
    assert shown.endswith(" · …")
    assert metrics.elisions < 100


def test_labels_and_choices_and_tables_keep_figures(theme: Theme, qtbot: QtBot) -> None:
    text = f"mobilenet-v2-flowers · 96.0{GAP}%"
    label, box, table = ElidedLabel(text), ComboBox(), Table("Figures", text_columns(["a", "b"]))
    for widget in (label, box, table):
        qtbot.addWidget(widget)
    assert label.minimumSizeHint().width() >= min_width(label.fontMetrics(), text)
    box.addItem(text)
    table.show_rows([(text, "")])
    for width in range(100, 200, 9):
        label.resize(width, 20)
        box.resize(width + 40, 30)
        for widget in (label, box):
            assert widget.shown_text().endswith(f"96.0{GAP}%"), width
        option = QStyleOptionViewItem()
        option.initFrom(table)
        option.widget = table
        option.rect = QRect(0, 0, width, 30)
        delegate = table.itemDelegate()
        assert isinstance(delegate, ElidingDelegate)
        delegate.initStyleOption(option, table.model().index(0, 0))
        assert option.text.endswith(f"96.0{GAP}%"), width


def test_columns_get_room_for_their_figures_however_narrow_the_table_is(
    theme: Theme, qtbot: QtBot
) -> None:
    table = Table("Figures", text_columns(["a", "b"]))
    qtbot.addWidget(table)
    text = f"1,234.5{GAP}MB"
    table.show_rows([(text, "")])
    table.resize(40, 40)
    assert table.sizeHintForColumn(0) > table.fontMetrics().horizontalAdvance(text)


def test_each_line_of_a_cell_is_shortened_by_itself(theme: Theme, qtbot: QtBot) -> None:
    table = Table("Figures", text_columns(["a", "b"]))
    qtbot.addWidget(table)
    table.set_row_height(48)
    text = f"2.04{GAP}ms\n490/s"
    table.show_rows([(text, "")])
    table.show()
    assert table.columnWidth(0) < table.fontMetrics().horizontalAdvance(text.replace("\n", ""))
    option = QStyleOptionViewItem()
    option.initFrom(table)
    option.widget = table
    option.rect = table.visualRect(table.content.index(0, 0))
    delegate = table.itemDelegate()
    assert isinstance(delegate, ElidingDelegate)
    delegate.initStyleOption(option, table.content.index(0, 0))
    assert option.text.split("\N{LINE SEPARATOR}") == text.split("\n")


def test_nothing_is_shortened_in_another_way() -> None:
    root = Path(labels.__file__).parents[1]
    others = [
        file.name
        for file in root.rglob("*.py")
        if "elidedText(" in file.read_text("utf-8") and file.name != "labels.py"
    ]
    assert others == ["inputs.py"], "which cuts the explanation behind a colon"


def test_a_short_title_of_a_page_is_never_cut(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = PageHeader("Predict", parent=window)
    header.add_action(QLineEdit())
    header.add_action(QPushButton("An action that takes much room", window))
    vbox(header, owner=window)
    window.show()
    window.resize(window.minimumSizeHint())
    title = header.findChild(ElidedLabel)
    assert isinstance(title, ElidedLabel)
    assert title.shown_text() == "Predict"


def test_the_title_of_a_chart_is_never_cut_by_its_tools(theme: Theme, qtbot: QtBot) -> None:
    header = ChartHeader(theme, "Accuracy", Tools.SMOOTHING | Tools.LOG_Y | Tools.ZOOM)
    qtbot.addWidget(header)
    header.show()
    header.resize(header.minimumSizeHint())
    assert header.findChildren(ElidedLabel)[0].shown_text() == "Accuracy"
