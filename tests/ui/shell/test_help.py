"""Help in the window: the manual by F1, what's this, the glossary in tips."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWhatsThis
from pytestqt.qtbot import QtBot

from studio.engine.manual import TOPICS
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace
from studio.ui.app import StudioApp
from studio.ui.charts.header import ChartHeader, Tools
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages import PAGES
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import text_columns
from studio.ui.widgets.tips import HeaderTips, with_term


@pytest.fixture
def window(
    theme: Theme, tmp_path: Path, workspace: Workspace, qtbot: QtBot
) -> Iterator[MainWindow]:
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    yield app.open(workspace.root)
    app.close()


def keys_of(window: MainWindow, name: str) -> str:
    command = next(
        each for each in window.context.settings.shortcuts.commands if each.name == name
    )
    return window.context.settings.shortcuts.keys(command)[0].toString()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_f1_shows_the_topic_of_each_page(window: MainWindow) -> None:
    assert keys_of(window, "window.help") == "F1"
    assert keys_of(window, "window.whats_this") == "Shift+F1"
    assert any(action.shortcut().toString() == "F1" for action in window.findChildren(QAction))
    for page in PAGES:
        window.show_page(page.name)
        window.commands.run("window.help")
        assert window.manual.isVisible()
        assert window.manual.topic == page.topic
    manual = window.manual
    manual.show_topic("evaluation")
    assert "confusion matrix" in manual.text.toPlainText()
    assert manual.topics.count() == len(TOPICS)
    assert manual.topics.viewport().width() >= manual.topics.sizeHintForColumn(0)
    manual.close()


def test_whats_this_answers_for_controls_and_for_the_page(window: MainWindow) -> None:
    window.commands.run("window.whats_this")
    assert QWhatsThis.inWhatsThisMode()
    QWhatsThis.leaveWhatsThisMode()
    assert window.top_bar.help_button.whatsThis() == window.top_bar.help_button.toolTip()
    assert "recognize images" in window.page("home").whatsThis()


def test_words_of_the_glossary_are_explained_where_they_stand(theme: Theme, qtbot: QtBot) -> None:
    form = PlanForm(TrainingPlan, ["batch_size"], theme=theme)
    qtbot.addWidget(form)
    tip = " ".join(form.row("batch_size").label.toolTip().split())
    assert "number of images per update" in tip
    bar = ChartHeader(theme, "Loss", Tools.NONE)
    qtbot.addWidget(bar)
    assert "how wrong the predictions are" in bar._title.toolTip()
    table = Table("Figures", text_columns(["Name", "Recall"]))
    qtbot.addWidget(table)
    tips = table.horizontalHeader().findChild(HeaderTips)
    assert isinstance(tips, HeaderTips)
    assert tips.tip(0) == ""
    assert tips.tip(1).startswith("Recall: The fraction of images of a class")
    assert tips.tip(-1) == ""


def test_the_glossary_speaks_the_language_of_the_window(qtbot: QtBot) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale("pt_BR"))
    assert (
        with_term("Perda", "Dica.") == "Dica.\nPerda: O valor que o treino minimiza: quão "
        "erradas são as previsões."
    )
    QLocale.setDefault(before)
