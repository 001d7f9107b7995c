from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.ui.theme.icons import GLYPHS, icon, pixmap, set_icon
from studio.ui.theme.stylesheet import GLYPH_FOLDER, build_stylesheet, restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import DARK, LIGHT, STATE_ROLES, ColorPalette
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import text_label

PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@PALETTES
def test_the_style_sheet_is_complete_and_names_files_that_exist(palette: ColorPalette) -> None:
    sheet = build_stylesheet(palette)
    assert "$" not in sheet
    assert sheet.count("{") == sheet.count("}")
    files = re.findall(r'url\("([^"]+)"\)', sheet)
    assert files
    assert all(Path(file).is_file() for file in files)


@PALETTES
def test_drawn_glyphs_have_the_colors_of_the_tokens(palette: ColorPalette) -> None:
    allowed = {palette.muted, palette.on_accent, palette.disabled}
    for file in (GLYPH_FOLDER / palette.name).glob("*.svg"):
        assert set(re.findall(r"#[0-9A-F]{6}", file.read_text("utf-8"))) <= allowed


def test_changing_the_mode_changes_the_application_and_says_so(theme: Theme, qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    with qtbot.waitSignal(theme.changed):
        theme.mode = "dark"
    assert theme.palette is DARK
    assert theme.is_dark
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(DARK.ground)
    assert DARK.surface in app.styleSheet()


def test_controls_look_as_if_the_theme_had_always_been_this_one(
    theme: Theme, qtbot: QtBot
) -> None:
    switched = _form(theme)
    qtbot.addWidget(switched)
    switched.show()
    theme.mode = "dark"
    made = _form(theme)
    qtbot.addWidget(made)
    made.show()
    assert switched.sizeHint() == made.sizeHint()
    switched.resize(made.sizeHint())
    made.resize(made.sizeHint())
    assert switched.grab().toImage() == made.grab().toImage()


@pytest.mark.parametrize("shows_at_once", [True, False], ids=["shown at once", "shown later"])
def test_hidden_controls_get_the_style_of_the_theme(
    theme: Theme, qtbot: QtBot, shows_at_once: bool
) -> None:
    hidden = _form(theme)
    switched = _around(hidden)
    qtbot.addWidget(switched)
    switched.show()
    hidden.hide()
    theme.mode = "dark"
    restyle(hidden.findChildren(QLabel)[0], "role", "")
    if not shows_at_once:
        field = hidden.findChildren(QLineEdit)[0]
        dark = QColor(DARK.surface)
        qtbot.waitUntil(lambda: field.palette().color(QPalette.ColorRole.Base) == dark)
    hidden.show()
    fresh = _form(theme)
    restyle(fresh.findChildren(QLabel)[0], "role", "")
    made = _around(fresh)
    qtbot.addWidget(made)
    made.show()
    made.resize(switched.size())
    assert switched.grab().toImage() == made.grab().toImage()


def _around(widget: QWidget) -> QWidget:
    window = QWidget()
    QVBoxLayout(window).addWidget(widget)
    return window


def test_a_hidden_control_keeps_its_own_font_and_loses_that_of_a_former_role(
    theme: Theme, qtbot: QtBot
) -> None:
    hidden = text_label("word", "caption")
    qtbot.addWidget(hidden)
    hidden.show()
    hidden.hide()
    for mode in ("dark", "light", "dark"):
        theme.mode = mode
        hidden.show()
        hidden.hide()
    restyle(hidden, "role", "")
    assert hidden.font() == QLabel().font()
    assert hidden.palette().color(QPalette.ColorRole.WindowText) == QColor(DARK.text)


def test_a_theme_styles_visible_controls_at_once_and_lays_nothing_out_again(
    theme: Theme, qtbot: QtBot
) -> None:
    """Thousands of hidden ones, and tables that measure their columns, took a second."""
    laid_out: list[QObject] = []

    class Field(QLineEdit):
        def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - its name there
            if event.type() == QEvent.Type.StyleChange:
                laid_out.append(self)
            super().changeEvent(event)

    seen, hidden = Field(), Field()
    for each in (seen, hidden):
        qtbot.addWidget(each)
        each.show()
    hidden.hide()
    theme.mode = "dark"
    role, dark = QPalette.ColorRole.Base, QColor(DARK.surface)
    assert seen.palette().color(role) == dark
    assert not laid_out
    qtbot.waitUntil(lambda: hidden.palette().color(role) == dark)


def _form(theme: Theme) -> QWidget:
    form = QWidget()
    column = QVBoxLayout(form)
    titled = text_label("Title", "page", form)
    fields = (QLineEdit("text", form), QComboBox(form), QCheckBox("box", form), QTabBar(form))
    buttons = (push_button("Go", theme, kind="primary", parent=form), QPushButton("Stop", form))
    for each in (titled, *fields, *buttons):
        column.addWidget(each)
        # Which window is active, the system decides.
        each.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return form


def test_the_same_mode_again_changes_nothing(theme: Theme, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(theme.changed):
        theme.mode = "light"


def test_a_mode_that_does_not_exist_is_refused(theme: Theme) -> None:
    with pytest.raises(ValueError, match="sepia"):
        theme.mode = "sepia"  # type: ignore[assignment]  # the point of the test


@pytest.mark.parametrize("name", sorted(GLYPHS))
def test_every_icon_is_drawn(theme: Theme, name: str) -> None:
    image = pixmap(name, theme, size=24).toImage()
    assert any(image.pixelColor(x, y).alpha() for x in range(24) for y in range(24))


def test_every_state_has_an_icon() -> None:
    assert set(STATE_ROLES) <= set(GLYPHS)


def test_an_unknown_icon_is_refused(theme: Theme) -> None:
    with pytest.raises(KeyError):
        icon("no such icon", theme)


def _darkest(button: QPushButton) -> int:
    image = button.icon().pixmap(32, 32).toImage()
    places = product(range(image.width()), range(image.height()))
    seen = [image.pixelColor(x, y) for x, y in places]
    return min(color.lightness() for color in seen if color.alpha() > 200)


def test_set_icons_follow_the_theme(theme: Theme, qtbot: QtBot) -> None:
    button = QPushButton()
    qtbot.addWidget(button)
    set_icon(button, "trash", theme)
    set_icon(button, "stop", theme)
    light = _darkest(button)
    theme.mode = "dark"
    assert light < 60
    qtbot.waitUntil(lambda: _darkest(button) > 180)
    assert len(button.children()) == 1


def test_an_icon_that_another_one_replaced_is_not_drawn_when_the_theme_has_changed(
    theme: Theme, qtbot: QtBot
) -> None:
    """The icons of hidden controls follow the theme later, and may be gone by then."""
    button = push_button("Train", theme, icon="train")
    qtbot.addWidget(button)
    theme.mode = "dark"
    set_icon(button, "stop", theme, "text")
    app, restyler = QApplication.instance(), theme._restyler
    assert app is not None
    assert restyler is not None
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qtbot.waitUntil(lambda: not restyler._timer.isActive())


def test_the_kit_is_imported_without_anything_heavy() -> None:
    root = Path(__file__).parents[3]
    modules = [
        ".".join(file.relative_to(root).with_suffix("").parts)
        for room in ("theme", "widgets", "forms")
        for file in sorted((root / "studio/ui" / room).glob("*.py"))
        if file.name != "__init__.py"
    ]
    modules += ["studio.ui.charts.line_chart"]
    code = (
        "import importlib, sys\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "heavy = {'numpy', 'h5py', 'pyqtgraph', 'qtawesome', 'keras', 'tensorflow'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
