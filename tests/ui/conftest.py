"""What every test of the window needs: Qt without a screen, one application, one theme."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from helpers.windows import PatientQtBot, garbage_in_the_main_thread
from studio.ui.language import Translation
from studio.ui.theme.theme import Theme


def pytest_itemcollected(item: pytest.Item) -> None:
    """The plugin without a screen complains about every top-level window that has a size."""
    item.add_marker(pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The plugin's, which waits longer."""
    return PatientQtBot(request)


@pytest.fixture
def theme(qapp: QApplication, qtbot: QtBot) -> Iterator[Theme]:
    """A light theme, applied to the application.

    Its style sheet stays after the test: to take it away would style every widget once more.
    """
    made = Theme("light")
    made.apply(qapp)
    yield made
    made.deleteLater()


@pytest.fixture
def portuguese(qtbot: QtBot) -> Iterator[None]:
    """Show the window in Portuguese."""
    translation = Translation()
    translation.use("pt_BR")
    yield
    translation.remove()


@pytest.fixture(autouse=True)
def no_style_without_theme(qapp: QApplication, request: pytest.FixtureRequest) -> None:
    """Take away the style sheet of an earlier test."""
    if qapp.styleSheet() and "theme" not in request.fixturenames:
        qapp.setStyleSheet("")


@pytest.fixture(autouse=True)
def main_thread_garbage(qapp: QApplication) -> Iterator[None]:
    """No garbage of windows is collected in another thread."""
    with garbage_in_the_main_thread(qapp):
        yield


@pytest.fixture(autouse=True)
def no_key_is_held(qapp: QApplication) -> None:
    """Forget the keys of an earlier test's last click: Qt holds them until the next one.

    With Ctrl held, `QTableView.selectRow` adds to what is selected.
    """
    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.mouseClick(QWidget(), Qt.MouseButton.LeftButton)
        assert qapp.keyboardModifiers() == Qt.KeyboardModifier.NoModifier


@pytest.fixture(autouse=True)
def usual_locale() -> Iterator[None]:
    """Numbers are written as before, whatever language a test spoke."""
    before = QLocale()
    yield
    QLocale.setDefault(before)
