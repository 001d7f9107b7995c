"""The window in another language: switched while it is open, remembered, and taken back."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from PySide6.QtCore import QCoreApplication, QLocale, QRect
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from helpers.runs import append_events, fake_run
from studio.engine.assets import asset
from studio.engine.inference.sources import Picture
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.manual import language_of, title_of
from studio.engine.workspace import Workspace
from studio.ui.app import StudioApp
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import Translation, native_names
from studio.ui.language_files.__main__ import generated_files, ts_text
from studio.ui.language_files.texts import TranslatableText
from studio.ui.navigation import page_intent
from studio.ui.pages import PAGES
from studio.ui.pages.export.page import View as ExportView
from studio.ui.pages.predict.page import View as PredictView
from studio.ui.pages.predict.pictures import Batch
from studio.ui.pages.settings.page import View as SettingsView
from studio.ui.settings import Settings
from studio.ui.shell.tour_steps import Phase, Scene, TourProgress, TourState, state_of
from studio.ui.theme.theme import Theme
from studio.ui.widgets import figures
from studio.ui.widgets.figures import date_text
from studio.ui.widgets.tips import shown_language, with_term


@pytest.fixture
def studio(
    theme: Theme, tmp_path: Path, workspace: Workspace, qtbot: QtBot
) -> Iterator[StudioApp]:
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    app.open(workspace.root)
    yield app
    app.close()


@pytest.fixture
def translation(qtbot: QtBot) -> Iterator[Translation]:
    made = Translation()
    yield made
    made.remove()


def _switch(studio: StudioApp, language: str, qtbot: QtBot) -> None:
    before = studio.window
    assert before is not None
    with qtbot.waitSignal(before.closed):
        before.context.navigator.language_requested.emit(language)
    assert studio.window is not None
    assert studio.window is not before


def test_a_change_of_language_waits_for_no_call_of_the_window_before(
    theme: Theme, tmp_path: Path, workspace: Workspace, qtbot: QtBot
) -> None:
    """The window would stand still; calls without end are named when the last window closes."""
    studio = StudioApp(Settings(tmp_path / "window.ini"), theme)
    context, end = studio.open(workspace.root).context, threading.Event()
    context.background.run(studio, partial(end.wait, 60))
    _switch(studio, "pt_BR", qtbot)
    assert studio.unfinished == []
    studio.close()
    end.set()
    assert len(studio.unfinished) == 1


def _first_word(studio: StudioApp) -> str:
    assert studio.window is not None
    return studio.window.rail.buttons["home"].text()


def _shown(studio: StudioApp) -> tuple[str, str]:
    assert studio.window is not None
    return studio.window.current_page, studio.window.current_record


def test_the_window_changes_its_language_and_stays_where_it_was(
    studio: StudioApp, qtbot: QtBot
) -> None:
    assert studio.window is not None
    studio.window.open(page_intent("networks", "alexnet"))
    qtbot.waitUntil(lambda: _shown(studio) == ("networks", "alexnet"))
    studio.window.setGeometry(QRect(33, 44, 1000, 600))
    place = studio.window.geometry()
    assert _first_word(studio) == "Home"

    _switch(studio, "pt_BR", qtbot)

    assert _first_word(studio) == "Início"
    qtbot.waitUntil(lambda: _shown(studio) == ("networks", "alexnet"))
    assert studio.window.geometry() == place
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancelar"
    assert figures.percent(0.982) == "98,2\N{NO-BREAK SPACE}%"
    studio.settings.save()
    assert Settings(studio.settings.path).language == "pt_BR"

    _switch(studio, "en", qtbot)

    assert _first_word(studio) == "Home"
    assert studio.window.current_page == "networks"
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancel"
    assert figures.percent(0.982) == "98.2\N{NO-BREAK SPACE}%"


def test_the_rail_shows_the_names_of_all_pages_whole(studio: StudioApp, qtbot: QtBot) -> None:
    _switch(studio, "pt_BR", qtbot)
    assert studio.window is not None
    buttons = studio.window.rail.buttons.values()
    assert all(
        each.fontMetrics().horizontalAdvance(each.text()) < each.width() for each in buttons
    )


def test_predict_and_export_keep_what_they_show(
    studio: StudioApp, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    picture = tmp_path / "rose.png"
    Image.new("RGB", (8, 8)).save(picture)
    predict, export = _views(studio)
    export.form.tolerance.setValue(2.5)
    export.form.formats.choose_all()
    chosen = export.form.formats.chosen()
    batch = Batch((picture,), pictures=(Picture(picture),), is_stopped=True)
    predict.history.add(batch)
    predict.batch = batch

    _switch(studio, "pt_BR", qtbot)

    predict, export = _views(studio)
    assert export.form.tolerance.value() == 2.5
    assert export.form.formats.chosen() == chosen
    assert predict.history.batches() == [batch]
    assert predict.batch is batch


def _views(studio: StudioApp) -> tuple[PredictView, ExportView]:
    assert studio.window is not None
    predict, export = studio.window.page("predict"), studio.window.page("export")
    assert isinstance(predict, PredictView)
    assert isinstance(export, ExportView)
    return predict, export


def test_the_guided_tour_continues_in_another_language(
    studio: StudioApp, workspace: Workspace, qtbot: QtBot
) -> None:
    run = fake_run(workspace, "lenet-digits", [0.5], State.RUNNING)
    assert studio.window is not None
    studio.window.show_page("settings")
    state = TourState(TourProgress(Scene.TRAINING), "digits", run.id)
    studio.window.tour.resume(state)

    _switch(studio, "pt_BR", qtbot)

    tour = studio.window.tour
    assert studio.window.current_page == "settings"
    assert tour.progress == TourProgress(Scene.TRAINING, is_away=True)
    assert tour.bar.isVisible()
    assert tour.bar.return_button.isVisible()
    assert tour.bar.step.text().startswith("Passo 3 de 4")
    assert tour.bar.text.text().startswith("O tour fica em pausa")
    append_events(run, [StateChanged(state=State.COMPLETED)])
    reading = TourProgress(Scene.TRAINING, Phase.READING, is_away=True)
    qtbot.waitUntil(lambda: tour.progress == reading, timeout=5000)
    tour.bar.return_button.click()
    assert studio.window.current_page == "train"

    over = state_of(TourProgress(Scene.ANSWER, Phase.OVER), "digits", run.id)
    assert over.progress.phase == Phase.WORK, "the answer of a closed window is asked for again"


def test_a_window_opens_in_the_language_of_last_time(
    theme: Theme, tmp_path: Path, workspace: Workspace, qtbot: QtBot
) -> None:
    settings = Settings(tmp_path / "window.ini")
    settings.language = "pt_BR"
    before = QLocale()
    app = StudioApp(settings, theme)
    app.open(workspace.root)

    assert _first_word(app) == "Início"
    app.close()
    assert QLocale() == before
    assert QCoreApplication.translate("commands", "Home") == "Home"


def test_an_unknown_language_in_the_file_is_that_of_the_system(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    settings._file.put("language", "tlh")

    assert settings.language == "system"


@pytest.fixture
def esperanto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a language that Studio does not come with, and Qt neither."""
    shutil.copytree(asset("help").parent, tmp_path / "assets")
    monkeypatch.setattr("studio.__file__", str(tmp_path / "studio" / "__init__.py"))
    home = TranslatableText("commands", "Home")
    file = asset("translations") / "studio_eo.ts"
    requested = generated_files({home}, ["eo"])
    assert 'type="unfinished"' in requested.texts[file]
    file.write_text(ts_text("eo", [home], {home: ("Hejmo",)}), encoding="utf-8")
    generated_files({home}).write()
    folder = asset("help") / "eo"
    folder.mkdir()
    (folder / "start.md").write_text("# Komenco\n", encoding="utf-8")
    epoch = {"Epoch": {"name": "Epoko", "meaning": "Unu rondo.", "aliases": []}}
    (folder / "glossary.json").write_text(json.dumps(epoch), encoding="utf-8")


@pytest.mark.usefixtures("esperanto")
def test_a_language_needs_only_its_files(studio: StudioApp, qtbot: QtBot) -> None:
    assert list(native_names().items()) == [
        ("en", "English"),
        ("eo", "Esperanto"),
        ("pt_BR", "Português (Brasil)"),
    ]

    _switch(studio, "eo", qtbot)

    assert studio.window is not None
    assert studio.settings.language == "eo"
    assert QCoreApplication.translate("commands", "Home") == "Hejmo"
    assert "Hejmo" in _texts(studio.window)
    settings = studio.window.page("settings")
    assert isinstance(settings, SettingsView)
    assert settings.general.language.currentText() == "Esperanto"
    assert with_term("Epoko") == "Epoko: Unu rondo."
    assert title_of("start", shown_language()) == "Komenco"
    assert title_of("gpu", shown_language()) == title_of("gpu"), "it is not translated"
    assert language_of({"LANG": "eo.UTF-8"}) == "eo"


def test_every_language_can_be_put_on(translation: Translation) -> None:
    for language in native_names():
        translation.use(language)
        assert QLocale().name().startswith(language)


def test_numbers_and_dates_follow_the_language(translation: Translation) -> None:
    day = datetime(2026, 3, 9, 14, 5, tzinfo=UTC).timestamp()
    shown = {}
    for language in native_names():
        translation.use(language)
        shown[language] = [
            figures.count(12_500),
            figures.percent(0.9825, 2),
            figures.significant(0.02341),
            figures.size(3_140_000),
            figures.large(61_100_000),
            figures.number(1e-5),
            setting_words("learning_rate", 0.001),
            setting_words("deterministic", True),
            format_number(0.5, QLocale()),
            date_text(day)[:5],
        ]
        assert parse_number(format_number(0.5, QLocale()), QLocale()) == 0.5

    gap = "\N{NO-BREAK SPACE}"
    assert shown["en"] == [
        "12,500", f"98.25{gap}%", "0.02341", f"3.1{gap}MB", f"61.1{gap}M", "1e-05", "0.001", "on",
        "0.5", "3/9/2",
    ]  # fmt: skip
    assert shown["pt_BR"] == [
        "12.500", f"98,25{gap}%", "0,02341", f"3,1{gap}MB", f"61,1{gap}mi", "1e-05", "0,001",
        "ligado", "0,5", "09/03",
    ]  # fmt: skip


def test_no_page_keeps_english_text_after_the_switch(studio: StudioApp, qtbot: QtBot) -> None:
    assert studio.window is not None
    for spec in PAGES:
        studio.window.show_page(spec.name)
    _switch(studio, "pt_BR", qtbot)
    english = _translated_sources()
    left = set()
    for spec in PAGES:
        studio.window.show_page(spec.name)
        left |= {(spec.name, text) for text in _texts(studio.window) if text in english}
    assert not left


def _translated_sources() -> set[str]:
    """English texts that are different in Portuguese wherever they stand."""
    same: set[str] = set()
    different: set[str] = set()
    file = Path(__file__).parents[3] / "assets" / "translations" / "studio_pt_BR.ts"
    for message in ET.parse(file).iter("message"):
        source = message.findtext("source") or ""
        (same if source == message.findtext("translation") else different).add(source)
    return different - same


def _texts(window: QWidget) -> Iterator[str]:
    for widget in (window, *window.findChildren(QWidget)):
        yield from (widget.toolTip(), widget.windowTitle(), widget.accessibleName())
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QLineEdit):
            yield widget.placeholderText()
        elif isinstance(widget, QComboBox):
            yield from (widget.itemText(row) for row in range(widget.count()))
        elif isinstance(widget, QTabBar):
            yield from (widget.tabText(tab) for tab in range(widget.count()))
