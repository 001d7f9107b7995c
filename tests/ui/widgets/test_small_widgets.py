from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QFont,
    QFontMetrics,
    QImage,
    QTextLayout,
    QTextLine,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.shared.records import RecordName
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import STATE_ROLES
from studio.ui.widgets import pictures
from studio.ui.widgets.bars import BarLine, ScoreBars, SplitBar, ThinBar
from studio.ui.widgets.cards import Card, ClassCard
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.inputs import ComboBox, WordMenu
from studio.ui.widgets.job_rows import JobRow
from studio.ui.widgets.labels import (
    ElidedLabel,
    FactList,
    StateBadge,
    apart,
    name_height,
    state_word,
)
from studio.ui.widgets.layout import FlowLayout, flow, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageHeader
from studio.ui.widgets.picture_grid import ImageGrid
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.small_charts import Sparkline, sparkline_path
from studio.ui.widgets.tips import explain

LEFT = Qt.MouseButton.LeftButton


def files(*urls: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(url) for url in urls])
    return data


def drop(area: DropArea, data: QMimeData) -> bool:
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), copy, data, LEFT, none)
    area.dragEnterEvent(enter)
    event = QDropEvent(QPointF(5, 5), copy, data, LEFT, none)
    area.dropEvent(event)
    return enter.isAccepted()


def test_a_drop_area_takes_local_files(theme: Theme, qtbot: QtBot, tmp_path: Path) -> None:
    area = DropArea(theme, "Drop a folder", "of images")
    qtbot.addWidget(area)
    url = QUrl.fromLocalFile(str(tmp_path / "flores á")).toString()
    with qtbot.waitSignal(area.paths_dropped) as got:
        assert drop(area, files(url))
    assert got.args == [[tmp_path / "flores á"]]


def test_a_narrow_drop_area_has_room_for_all_lines(theme: Theme, qtbot: QtBot) -> None:
    area = DropArea(theme, "Drop images here", "words of a long hint " * 20)
    heights = []
    for width in (900, 300):
        area.resize(width, 400)
        area.show()
        qtbot.waitExposed(area)
        heights.append(area.minimumSizeHint().height())

    assert heights[1] > heights[0] + 100


def test_a_drop_area_refuses_what_is_not_local(theme: Theme, qtbot: QtBot) -> None:
    area = DropArea(theme, "Drop a folder")
    qtbot.addWidget(area)
    with qtbot.assertNotEmitted(area.paths_dropped):
        assert not drop(area, files("https://example.org/a.png", "file:///tmp/b.png"))
        assert not drop(area, QMimeData())


def test_a_drop_area_works_by_keyboard_and_button(theme: Theme, qtbot: QtBot) -> None:
    area = DropArea(theme, "Drop a folder")
    qtbot.addWidget(area)
    with qtbot.waitSignal(area.browse_requested):
        QTest.keyClick(area, Qt.Key.Key_Return)
    with qtbot.waitSignal(area.browse_requested):
        area.button.click()
    assert area.accessibleName() == "Drop a folder"


@pytest.mark.parametrize("state", sorted(STATE_ROLES))
def test_a_badge_has_word_icon_and_color(theme: Theme, qtbot: QtBot, state: str) -> None:
    badge = StateBadge(theme, "queued")
    qtbot.addWidget(badge)
    badge.set_state(state)
    assert state_word(state) in badge.accessibleName()
    assert badge.sizeHint().width() > badge.fontMetrics().horizontalAdvance(state_word(state))
    assert _shows(badge, theme.palette.color(STATE_ROLES[state]))


def test_a_badge_refuses_an_unknown_state_and_follows_the_theme(
    theme: Theme, qtbot: QtBot
) -> None:
    badge = StateBadge(theme, "failed")
    qtbot.addWidget(badge)
    with pytest.raises(KeyError):
        badge.set_state("asleep")
    theme.mode = "dark"
    assert _shows(badge, theme.palette.bad)


def _shows(badge: StateBadge, color: str) -> bool:
    """Return True if the color of icon and word is painted, up to smoothed edges."""
    badge.resize(badge.sizeHint())
    image, ink = badge.grab().toImage(), QColor(color)
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return any(
        abs(each.red() - ink.red())
        + abs(each.green() - ink.green())
        + abs(each.blue() - ink.blue())
        < 30
        for each in pixels
    )


def test_long_text_loses_its_middle(qtbot: QtBot) -> None:
    label = ElidedLabel("a-very-long-name-of-a-file.png")
    qtbot.addWidget(label)
    label.resize(90, 20)
    label.grab()
    assert "\N{HORIZONTAL ELLIPSIS}" in label.shown_text()
    assert label.shown_text().endswith("g")
    assert label.toolTip() == "a-very-long-name-of-a-file.png"
    label.resize(900, 20)
    label.grab()
    assert label.toolTip() == ""


def test_a_choice_that_explains_itself_loses_the_end_of_that(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItems(["Grid: every combination of all values", "a-run-with-a-long-name-12"])
    box.resize(150, 32)

    assert box.shown_text().startswith("Grid: ev")
    assert box.shown_text().endswith("…")
    box.setCurrentIndex(1)
    assert box.shown_text().endswith("12")


def test_values_that_change_keep_the_selection_of_the_others(qtbot: QtBot) -> None:
    facts = FactList()
    qtbot.addWidget(facts)
    facts.show_facts({"Weights": "1024", "Memory": "4 KB"}, {"Memory": "In training"})
    weights = next(each for each in facts.findChildren(QLabel) if each.text() == "1024")
    weights.setSelection(0, 3)
    facts.show_facts({"Weights": "1024", "Memory": "8 KB"}, {"Memory": "In use"})
    assert weights.selectedText() == "102"
    labels = {each.text(): each for each in facts.findChildren(QLabel)}
    assert set(labels) == {"Weights", "1024", "Memory", "8 KB"}
    assert labels["8 KB"].accessibleName() == "Memory: 8 KB"
    assert labels["8 KB"].toolTip() == labels["Memory"].toolTip() == "In use"
    facts.show_facts({"Memory": "8 KB", "Weights": "1024"})
    assert facts.facts == {"Memory": "8 KB", "Weights": "1024"}


def test_a_flow_layout_wraps_and_leaves_no_room_for_hidden_ones(qtbot: QtBot) -> None:
    room = QWidget()
    qtbot.addWidget(room)
    flow = FlowLayout(room, spacing=10)
    boxes = [QWidget() for _ in range(4)]
    for box in boxes:
        box.setFixedSize(40, 20)
        flow.addWidget(box)
    assert flow.heightForWidth(100) == 50
    assert flow.heightForWidth(1000) == 20
    boxes[0].hide()
    boxes[1].hide()
    assert flow.heightForWidth(100) == 20
    flow.clear()
    assert flow.count() == 0


def test_a_class_card_says_what_it_shows_and_is_a_button(theme: Theme, qtbot: QtBot) -> None:
    card = ClassCard(theme, "daisy")
    qtbot.addWidget(card)
    picture = QImage(30, 20, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    card.set_images([picture] * 12 + [QImage()])
    card.set_counts({"train": 70, "val": 20, "test": 10})
    assert len(card.mosaic.images()) == 9
    assert "daisy" in card.accessibleName()
    assert "100" in card.accessibleName()
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
        with qtbot.waitSignal(card.activated):
            QTest.keyClick(card, key)
    with qtbot.waitSignal(card.activated):
        QTest.mouseClick(card, LEFT)
    assert card.grab().toImage().pixelColor(60, 60) == QColor("red")


def test_a_split_bar_has_the_widths_of_the_fractions(theme: Theme, qtbot: QtBot) -> None:
    bar = SplitBar(theme)
    qtbot.addWidget(bar)
    bar.resize(200, 6)
    bar.set_counts({"train": 50, "val": 25, "test": 25})
    image = bar.grab().toImage()
    assert image.pixelColor(80, 3) == QColor("#0072B2")
    assert image.pixelColor(125, 3) == QColor("#E69F00")
    assert image.pixelColor(175, 3) == QColor("#009E73")
    bar.set_counts({})
    assert bar.toolTip() == ""


def test_score_bars_are_painted_and_spoken(theme: Theme, qtbot: QtBot) -> None:
    bars = ScoreBars(theme)
    qtbot.addWidget(bars)
    bars.set_lines(
        [
            BarLine("rose", "75.0\N{NO-BREAK SPACE}%", 0.75, is_strong=True),
            BarLine("daisy", "25.0\N{NO-BREAK SPACE}%", 0.25),
            BarLine("tulip", "0.0\N{NO-BREAK SPACE}%", 0.0),
        ]
    )
    assert "rose 75" in bars.accessibleDescription()
    bars.resize(200, bars.sizeHint().height())
    image = bars.grab().toImage()
    accent = QColor(theme.palette.accent)
    widest = max(
        sum(image.pixelColor(x, y) == accent for x in range(200)) for y in range(image.height())
    )
    assert 145 <= widest <= 152


def test_a_tiny_picture_keeps_its_pixels(theme: Theme, qtbot: QtBot) -> None:
    view = PictureView(theme)
    qtbot.addWidget(view)
    tiny = QImage(2, 1, QImage.Format.Format_RGB32)
    tiny.setPixelColor(0, 0, QColor("black"))
    tiny.setPixelColor(1, 0, QColor("white"))
    view.set_image(tiny, "two pixels")
    view.resize(200, 200)
    image = view.grab().toImage()
    assert view.picture_rect().size().toTuple() == (200, 100)
    assert image.pixelColor(98, 100) == QColor("black")
    assert image.pixelColor(101, 100) == QColor("white")
    assert view.accessibleName() == "two pixels"
    view.set_image(None)
    assert view.image().isNull()


def test_a_picture_that_was_scaled_elsewhere_is_not_scaled_again(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = PictureView(theme), PictureView(theme)
    gradient = QImage(300, 201, QImage.Format.Format_RGB32)
    for x in range(300):
        for y in range(201):
            gradient.setPixelColor(x, y, QColor(x % 256, y, (x + y) % 256))
    for view in (here, there):
        qtbot.addWidget(view)
        view.resize(457, 333)
    here.set_image(gradient)
    seen = here.grab().toImage()

    scaled = pictures.scaled_into(gradient, there.size(), there.devicePixelRatioF())
    there.set_image(gradient, scaled=scaled)
    with monkeypatch.context() as patched:
        patched.delattr(pictures, "_scaled_to")
        assert there.grab().toImage() == seen

    there.resize(200, 150)
    here.resize(200, 150)
    assert there.grab().toImage() == here.grab().toImage(), "in another size it is"


def test_a_board_shines_through_transparent_parts(theme: Theme, qtbot: QtBot) -> None:
    view = PictureView(theme)
    qtbot.addWidget(view)
    clear = QImage(100, 100, QImage.Format.Format_ARGB32)
    clear.fill(Qt.GlobalColor.transparent)
    view.set_image(clear)
    view.resize(100, 100)
    image = view.grab().toImage()
    seen = {image.pixelColor(x, 50).name().upper() for x in range(10, 90)}
    assert seen == {theme.palette.checker, theme.palette.surface}


def test_a_job_row_offers_what_its_state_allows(theme: Theme, qtbot: QtBot) -> None:
    row = JobRow(theme, "lenet-3")
    qtbot.addWidget(row)
    row.show()
    row.set_state("running")
    row.set_progress(0.35, "epoch 7 of 20", "about 1 min left")
    assert not row.pause_button.isVisible()
    row.set_can_pause(True)
    assert row.pause_button.isVisible()
    with qtbot.waitSignal(row.pause_requested):
        row.pause_button.click()
    row.set_state("paused")
    with qtbot.waitSignal(row.resume_requested):
        row.pause_button.click()
    with qtbot.waitSignal(row.cancel_requested):
        row.cancel_button.click()
    with qtbot.waitSignal(row.open_requested):
        row.open_button.click()
    row.set_state("completed")
    assert not row.cancel_button.isVisible()
    assert not row.bar.isVisible()


def test_an_explanation_of_a_job_row_is_its_tooltip_in_each_state(
    theme: Theme, qtbot: QtBot
) -> None:
    row = JobRow(theme, "map")
    qtbot.addWidget(row)
    explain(row.cancel_button, "Keeps the previous map.")
    row.set_state("running")
    assert row.cancel_button.toolTip() == "Keeps the previous map."
    assert row.cancel_button.accessibleName() == "Stop: map"
    assert row.pause_button.toolTip() == "Pause"


def test_a_bar_moves_only_while_it_can_be_seen(theme: Theme, qtbot: QtBot) -> None:
    bar = ThinBar(theme)
    qtbot.addWidget(bar)
    bar.set_fraction(None)
    assert not bar._timer.isActive()
    bar.show()
    assert bar._timer.isActive()
    bar.hide()
    assert not bar._timer.isActive()
    bar.set_fraction(1.7)
    assert bar.fraction() == 1.0


def test_a_sparkline_has_gaps_where_values_are_missing(theme: Theme, qtbot: QtBot) -> None:
    path = sparkline_path([1, 2, math.nan, 3, 4], QRectF(0, 0, 40, 10))
    moves = [
        path.elementAt(index) for index in range(path.elementCount())
        if path.elementAt(index).isMoveTo()
    ]  # fmt: skip
    assert len(moves) == 2
    assert sparkline_path([], QRectF(0, 0, 40, 10)).isEmpty()
    line = Sparkline(theme)
    qtbot.addWidget(line)
    line.set_values([0.5, 0.25])
    line.grab()
    assert "0.25" in line.accessibleDescription()


def test_headers_cards_and_empty_states_have_names(theme: Theme, qtbot: QtBot) -> None:
    header = PageHeader("Datasets", "three of them")
    card = Card("Running")
    empty = EmptyState(theme, "train", "No runs yet", "Press Train. " * 20)
    for widget in (header, card, empty):
        qtbot.addWidget(widget)
    assert header.accessibleName() == "Datasets"
    assert card.accessibleName() == "Running"
    assert empty.accessibleName() == "No runs yet"
    button = empty.add_action("New run", kind="primary", icon="plus")
    with qtbot.waitSignal(button.clicked):
        button.click()
    empty.resize(700, 500)
    empty.show()
    text = empty.findChildren(QLabel)[-1]
    assert text.height() >= text.heightForWidth(text.width())


def test_names_read_from_the_right_leave_the_sentence_in_order(qtbot: QtBot) -> None:
    arabic = "قطة سوداء"
    assert apart("gato 🐈") == "gato 🐈"
    assert apart(arabic).strip("\u2068\u2069") == arabic
    # The sentence ends where the eye expects it: its last sign is the one furthest to the right.
    for name, is_in_order in ((arabic, False), (apart(arabic), True)):
        line = QTextLayout(f"1 of 3 “{name}” (33 %)")
        line.beginLayout()
        made = line.createLine()
        line.endLayout()
        indices = [_x(made, index) for index in range(len(line.text()))]
        assert (indices[-1] > max(indices) - 20) is is_in_order


def _x(line: QTextLine, index: int) -> float:
    """Where a letter is; PySide gives the place back as well, which its types do not know."""
    found: Any = line.cursorToX(index)
    return float(found[0] if isinstance(found, tuple) else found)


def test_a_line_has_room_for_the_letters_of_another_script(qtbot: QtBot) -> None:
    metrics = QFontMetrics(QFont("DejaVu Sans", 10))
    assert name_height(metrics, "plain") == metrics.height()
    for name in ("ação", "طائر أزرق", "🐈"):
        label = ElidedLabel(name)
        qtbot.addWidget(label)
        assert label.sizeHint().height() >= name_height(label.fontMetrics(), name)
        assert label.sizeHint().height() >= label.fontMetrics().height()


@pytest.mark.parametrize("role", ["hero", "page", "section"])
def test_headings_have_room_for_accents(qtbot: QtBot, theme: Theme, role: str) -> None:
    label = text_label("Últimos", role)
    qtbot.addWidget(label)
    label.ensurePolished()
    label.resize(label.sizeHint())
    metrics = label.fontMetrics()
    room = label.contentsRect().top() + metrics.ascent()

    assert -metrics.tightBoundingRect(label.text()).top() <= room
    assert label.contentsRect().height() >= metrics.height()


def test_a_narrow_empty_page_wraps_its_text(qtbot: QtBot, theme: Theme) -> None:
    state = EmptyState(theme, "label", "Title", "Create a dataset, or add images. " * 3)
    qtbot.addWidget(state)
    state.resize(260, 400)
    state.show()

    (text,) = [each for each in state.findChildren(QLabel) if each.wordWrap()]
    assert text.geometry().left() >= 0
    assert text.geometry().right() < state.width()
    assert text.height() >= text.heightForWidth(text.width())


def test_an_error_under_a_name_does_not_move_the_button_below(qtbot: QtBot, theme: Theme) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    name, button = RecordName("Name"), QPushButton("Start")
    vbox(name, button, owner=holder)
    holder.resize(400, 300)
    holder.show()
    before = button.geometry()
    name.problem.show_problem("This name is taken.")
    QApplication.processEvents()
    assert name.problem.isVisible()
    assert button.geometry() == before


def test_a_view_with_the_focus_has_a_frame(theme: Theme, qtbot: QtBot) -> None:
    grid = ImageGrid(theme)
    other = QPushButton("other")
    area = QWidget()
    qtbot.addWidget(area)
    vbox(grid, other, owner=area)
    area.resize(300, 300)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow)
    other.setFocus()
    without = grid.grab().toImage()
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    image = grid.grab().toImage()
    assert image != without
    assert image.pixelColor(1, 150) == QColor(theme.palette.accent)
    other.setFocus()
    assert grid.grab().toImage() == without


def test_the_words_of_a_menu_are_switched(qtbot: QtBot) -> None:
    menu = WordMenu("Tags")
    qtbot.addWidget(menu)
    got: list[tuple[str, bool]] = []
    menu.switched.connect(lambda word, on: got.append((word, on)))
    menu.set_words([("good", "good", True), ("new", "new", False)])
    actions = {each.text(): each for each in menu.actions() if each.isCheckable()}
    actions["good"].trigger()
    actions["new"].activate(QAction.ActionEvent.Trigger)
    assert got == [("good", False), ("new", True)]


def test_a_line_that_wraps_centers_its_widgets(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    label, button = QLabel("288 images", owner), QPushButton("Exclude", owner)
    button.setMinimumHeight(60)
    row = flow(label, button)
    owner.setLayout(row)
    owner.resize(400, 200)
    owner.show()
    assert abs(label.geometry().center().y() - button.geometry().center().y()) <= 1
    other = QLabel("more", owner)
    row.replace(label, other)
    row.insert(0, label)
    row.activate()
    assert [row.indexOf(each) for each in (label, other, button)] == [0, 1, 2]
