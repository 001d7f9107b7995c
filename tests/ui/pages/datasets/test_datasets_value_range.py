"""The histogram of the import sheet, in which the value range of each channel is set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.value_ranges import parsed_ranges, range_of_counts, range_text
from studio.ui.bridge.request import RequestProgress
from studio.ui.context import AppContext
from studio.ui.pages.datasets.importing.sheet import RecipePanel
from studio.ui.pages.datasets.importing.survey import Found, find_images
from studio.ui.pages.datasets.importing.value_range import ValueRangeCard
from studio.ui.theme.theme import Theme


def _ignore(*_progress: object) -> None:
    pass


def _found(folder: Path, channels: int, value_range: str = "") -> Found:
    """Return two classes of 12 bit images; channel c has values around 1000 * (c + 1)."""
    generator = np.random.default_rng(4)
    for index in range(6):
        path = folder / "ab"[index % 2] / f"{index}.tif"
        path.parent.mkdir(parents=True, exist_ok=True)
        base = 1000 * np.arange(1, channels + 1)
        values = base + generator.integers(-100, 101, (24, 24, channels))
        options: dict[str, Any] = {
            "photometric": "minisblack",
            "planarconfig": "contig",
            "compression": 8,
        }
        tifffile.imwrite(path, values.astype(np.uint16).squeeze(), **options)
    fields = {"source": str(folder), "color": "all", "width": 24, "height": 24}
    recipe = DatasetRecipe.parse(fields | {"value_range": value_range})
    return find_images(recipe, RequestProgress(_ignore), suggest=False, examine=True)


@pytest.fixture
def card(qtbot: QtBot, theme: Theme) -> ValueRangeCard:
    made = ValueRangeCard(theme)
    qtbot.addWidget(made)
    made.resize(420, 260)
    return made


def _show(card: ValueRangeCard, found: Found) -> None:
    assert found.report is not None
    card.show_report(found.report, found.recipe.value_range)


def test_an_examination_finds_the_values_of_the_files(tmp_path: Path) -> None:
    report = _found(tmp_path, 2).report

    assert report is not None
    assert report.stored is not None
    assert (report.stored.dtype, report.stored.high) == ("uint16", (4095, 4095))
    assert len(report.histograms) == 2


def test_the_proposed_range_is_shown_and_dragged(
    qtbot: QtBot, card: ValueRangeCard, tmp_path: Path
) -> None:
    _show(card, _found(tmp_path, 2))
    assert not card.isHidden()
    assert (card.range.low.value(), card.range.high.value()) == (0, 4095)
    card.show()
    bars = card.range.histogram
    right, middle = QPoint(bars.width() - 9, 30), QPoint(bars.width() // 2, 30)

    with qtbot.waitSignal(card.chosen) as chosen:
        QTest.mousePress(bars, Qt.MouseButton.LeftButton, pos=right)
        QTest.mouseMove(bars, middle)
        QTest.mouseRelease(bars, Qt.MouseButton.LeftButton, pos=middle)

    ((low, high),) = parsed_ranges(chosen.args[0])
    assert low == 0
    assert abs(high - 2048) < 60


def test_fields_set_the_range_of_one_channel(
    qtbot: QtBot, card: ValueRangeCard, tmp_path: Path
) -> None:
    _show(card, _found(tmp_path, 2))
    card.same.setChecked(False)
    card.channel.setCurrentIndex(1)
    card.channel.activated.emit(1)
    card.range.low.setFocus()

    with qtbot.waitSignal(card.chosen) as chosen:
        QTest.keyClick(card.range.low, Qt.Key.Key_Up)

    assert chosen.args == ["0-4095,16-4095"]


def test_auto_fits_each_channel_and_reset_proposes_again(
    qtbot: QtBot, card: ValueRangeCard, tmp_path: Path
) -> None:
    _show(card, _found(tmp_path, 2, "0-4095,0-4095"))
    card.same.setChecked(False)
    with qtbot.waitSignal(card.chosen) as chosen:
        card.auto_button.click()
    fitted, other = parsed_ranges(str(chosen.args[0]))
    assert fitted[0] == pytest.approx(900, abs=10)
    assert fitted[1] == pytest.approx(1100, abs=10)
    assert list(other) == [0, 4095]

    with qtbot.waitSignal(card.chosen) as chosen:
        card.reset_button.click()
    assert chosen.args == [""]


def test_nothing_is_set_for_images_with_ranges_of_their_own(
    card: ValueRangeCard, tmp_path: Path
) -> None:
    _show(card, _found(tmp_path, 1, "per_image"))

    assert [card.range.low.isEnabled(), card.reset_button.isEnabled()] == [False, True]
    assert [card.note.isHidden(), card.channel.isHidden()] == [False, True]


def test_channels_of_other_images_have_their_own_names(
    card: ValueRangeCard, tmp_path: Path
) -> None:
    report = _found(tmp_path, 2).report
    assert report is not None
    assert report.stored is not None
    named = report.stored.model_copy(update={"names": ("DAPI", "GFP")})
    card.show_report(report.model_copy(update={"stored": named}), "")
    assert [card.channel.itemText(n) for n in range(2)] == ["DAPI", "GFP"]
    card.show_report(report, "")
    assert [card.channel.itemText(n) for n in range(2)] == ["Channel 1", "Channel 2"]


def test_the_range_of_a_former_folder_is_hidden_while_another_is_examined(
    context: AppContext, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = RecipePanel(context)
    qtbot.addWidget(panel)
    first, other = _found(tmp_path / "first", 1), _found(tmp_path / "other", 1)
    panel.show_found(first, "first", ())
    panel.show_examined(first)
    assert not panel.value_range.isHidden()
    panel.take_survey(first)
    assert not panel.value_range.isHidden(), "it stays while another setting is tried"
    panel.show_found(other, "other", ())
    assert panel.value_range.isHidden()
    panel.show_examined(other)
    assert not panel.value_range.isHidden()
    qtbot.waitUntil(lambda: not panel._is_busy, timeout=5000)


@pytest.mark.parametrize("ranges", [[(0.0, 4095.0)], [(-1.5, 2.25), (0.0, 7.0)]])
def test_ranges_are_written_as_they_are_read(ranges: list[tuple[float, float]]) -> None:
    assert parsed_ranges(range_text(ranges)) == ranges


def test_the_range_of_a_histogram_leaves_out_extreme_values() -> None:
    counts = [1, 0, 0, 5000, 5000, 0, 0, 1]
    assert range_of_counts(counts, 0, 8) == (3, 5)
    assert range_of_counts([0, 0], 2, 2) == (2, 3)


def test_channels_and_planes_of_the_files_are_shown_once_they_are_known(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        planes = np.zeros((3, 5, 24, 24), np.uint16)
        tifffile.imwrite(tmp_path / name / "stack.tif", planes, imagej=True)
    fields = {"source": str(tmp_path), "color": "all", "width": 24, "height": 24}
    found = find_images(
        DatasetRecipe.parse(fields), RequestProgress(_ignore), suggest=False, examine=True
    )
    panel = RecipePanel(context)
    qtbot.addWidget(panel)
    panel.show_found(found, "stacks", ())
    assert not panel.form.is_expert_shown()

    panel.show_examined(found)

    stored = panel.stored()
    assert stored is not None
    assert stored.channels == 5
    assert "planes" in panel.form.names()
    assert panel.form.is_expert_shown(), "the choice of planes is there"
    qtbot.waitUntil(lambda: not panel._is_busy, timeout=5000)
