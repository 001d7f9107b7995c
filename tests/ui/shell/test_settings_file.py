"""The file of the settings: several windows write it, people edit it, disks refuse it."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from helpers.faults import FaultyDisk
from studio.engine.files import DAMAGED, write_atomically
from studio.engine.jobs.host import EngineHost
from studio.engine.workspace import Workspace
from studio.ui import settings_file
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


class _Payload:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self._path),)


def test_windows_lose_nothing_of_each_other(tmp_path: Path, qtbot: QtBot) -> None:
    one, other = (Settings(tmp_path / "window.json") for _ in range(2))
    one.theme = "dark"
    one.set_bytes("splitter", QByteArray(b"\0\xff"))
    other.language = "pt_BR"
    one.save()
    other.save()
    found = Settings(one.path)
    assert (found.theme, found.language) == ("dark", "pt_BR")
    assert found.bytes("splitter") == QByteArray(b"\0\xff")
    one.is_expert = True
    # By itself, a moment after the last change.
    qtbot.waitUntil(lambda: Settings(one.path).is_expert)


def test_the_windows_thread_does_not_wait_for_the_disk(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tmp_path / "window.json")
    is_free, writers = threading.Event(), list[threading.Thread]()

    def wait_for_the_disk(path: Path, text: str, patience: float) -> None:
        writers.append(threading.current_thread())
        is_free.wait(60)
        write_atomically(path, text, patience)

    monkeypatch.setattr(settings_file, "write_atomically", wait_for_the_disk)
    settings.theme = "dark"
    qtbot.waitUntil(lambda: bool(writers), timeout=5000)
    settings.language = "pt_BR"  # while the first change is written
    is_free.set()
    settings.save()
    assert (settings.theme, settings.language) == ("dark", "pt_BR")
    found = Settings(settings.path)
    assert (found.theme, found.language) == ("dark", "pt_BR")
    assert writers[0] is not threading.main_thread()


def test_unreadable_and_unwritable_files_are_reported_and_left(
    theme: Theme,
    workspace: Workspace,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "settings" / "window.json"
    # As PySide itself writes an object: reading it would run it.
    hostile = QSettings(str(path), QSettings.Format.IniFormat)
    hostile.setValue("geometry", _Payload(tmp_path / "ran"))
    hostile.sync()
    data = path.read_bytes()
    monkeypatch.setattr(EngineHost, "warm_up", lambda host: None)
    settings = Settings(path)
    app = StudioApp(settings, theme)
    window = app.open(workspace.root)

    assert str(path) in window.notices.cards()[0].notice.text
    settings.save()
    assert not (tmp_path / "ran").exists()
    assert path.with_name(path.name + DAMAGED).read_bytes() == data
    assert Settings(path).workspace == workspace.root

    disk = FaultyDisk(monkeypatch, path.parent)
    for number in range(3):
        settings.long_job_seconds = number
        # The first call asks for the folder, which is there.
        with disk.listening(1, errno.EROFS):
            settings.save()
    assert "cannot be written" in window.notices.cards()[-1].notice.text
    for card in window.notices.cards():
        window.notices.dismiss(card.key)
    settings.long_job_seconds = 4
    with disk.listening(1, errno.EROFS):
        settings.save()
    assert window.notices.cards() == [], "it is reported once"
    assert Settings(path).long_job_seconds == 30
    settings.save()
    assert Settings(path).long_job_seconds == 4
    app.close()
