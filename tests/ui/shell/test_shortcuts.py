"""Keys: listed in one place, changed, refused where they are taken, and followed at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.ui.commands import Command, CommandScope
from studio.ui.pages import PAGES
from studio.ui.pages.datasets import page as datasets_page
from studio.ui.pages.networks import page as networks_page
from studio.ui.pages.train import page as train_page
from studio.ui.settings import Settings
from studio.ui.shell.commands import PALETTE, all_commands
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.icons import GLYPHS

CONTROL = Qt.KeyboardModifier.ControlModifier
ONE = Command("one", "One", keys="Ctrl+1")
PART = Command("part", "Part", keys="F2; Ctrl+P", page="train", reach=CommandScope.PART)
FAR = Command("far", "Far", keys="F2", page="bench", reach=CommandScope.PART)
FIXED = Command("fixed", "Fixed", keys="Space", reach=CommandScope.FIXED)


def keys(text: str) -> QKeySequence:
    return QKeySequence(text)


def test_chosen_keys_are_kept_and_followed(qtbot: QtBot, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    shortcuts = settings.shortcuts
    shortcuts.know([ONE, PART, FAR, FIXED])
    action = QAction()
    shortcuts.bind(action, PART)
    assert action.shortcuts() == [keys("F2"), keys("Ctrl+P")]

    shortcuts.choose(PART, keys("F3"))
    assert action.shortcuts() == [keys("F3")]
    settings.save()
    assert Settings(settings.path).shortcuts.keys(PART) == [keys("F3")]
    shortcuts.choose(PART, QKeySequence())
    assert action.shortcuts() == []
    assert not shortcuts.is_usual(PART)
    shortcuts.reset_all()
    assert action.shortcuts() == [keys("F2"), keys("Ctrl+P")]
    assert shortcuts.is_usual(PART)


def test_used_keys_are_reported(qtbot: QtBot, tmp_path: Path) -> None:
    shortcuts = Settings(tmp_path / "window.ini").shortcuts
    shortcuts.know([ONE, PART, FAR, FIXED])

    assert shortcuts.clash(PART, keys("Ctrl+1")) is ONE, "what is everywhere is on each page"
    assert shortcuts.clash(ONE, keys("Ctrl+P")) is PART
    assert shortcuts.clash(FAR, keys("Ctrl+P")) is None, "pages do not see each other"
    assert shortcuts.clash(ONE, keys("Space")) is FIXED
    assert shortcuts.clash(ONE, keys("Ctrl+P, Ctrl+Q")) is PART, "it begins with taken keys"
    assert shortcuts.clash(ONE, keys("Ctrl+1")) is None


def test_the_usual_keys_of_all_commands_do_without_each_other(
    window: MainWindow, settings: Settings
) -> None:
    names = [command.name for command in all_commands()]
    assert len(set(names)) == len(names)
    shortcuts = settings.shortcuts
    clashes = [
        (command.name, other.name, each.toString())
        for command in all_commands()
        for each in command.usual_keys()
        if command.reach is not CommandScope.FIXED
        for other in [shortcuts.clash(command, each)]
        if other is not None
    ]
    assert clashes == []
    assert {command.icon for command in all_commands()} - {""} <= GLYPHS.keys()


def test_actions_that_pages_offer_work(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    networks, predict = window.page("networks"), window.page("predict")
    data = window.page("datasets")
    assert isinstance(data, datasets_page.View)
    monkeypatch.setattr(data.sheet, "_ask_folder", lambda: asked.append("folder"))
    monkeypatch.setattr(networks, "_on_file", lambda: asked.append("file"))
    monkeypatch.setattr(predict, "_on_open", lambda: asked.append("pictures"))
    monkeypatch.setattr(predict, "_on_paste", lambda: asked.append("clipboard"))
    for command in [each for page in PAGES for each in page.commands if each.intent]:
        window.commands.run(command.name)
        assert window.current_page == command.page, command.name
    assert asked == ["folder", "file", "pictures", "clipboard"]
    assert isinstance(networks, networks_page.View)
    assert networks._stack.currentWidget() is networks.designer
    train = window.page("train")
    assert isinstance(train, train_page.View)
    assert train.stack.currentWidget() is train.table
    assert data.stack.currentWidget() is data.samples


def test_new_keys_open_the_palette_at_once(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    palette = window.commands.palette
    settings.shortcuts.choose(PALETTE, keys("Ctrl+B"))
    assert "Ctrl+B" in window.top_bar.palette_button.text()
    QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
    assert not palette.isVisible()
    QTest.keyClick(window, Qt.Key.Key_B, CONTROL)
    assert palette.isVisible()
