"""The one style sheet, built from the tokens over Qt's Fusion style.

Dynamic properties of widgets:
    `kind` on a button: `"primary"` (one per view), `"quiet"` (no edge), `"danger"`.
    `role` on a label: `"hero"`, `"page"`, `"section"`, `"muted"`, `"caption"`, `"problem"`,
        `"advice"`.
    `card` on a frame: `true`; also `hoverable` for one that can be pressed, `current`
        for the one among several whose details are shown.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from string import Template
from typing import Final

from PySide6.QtWidgets import QWidget

from studio.ui.theme.tokens import RADIUS, SPACE, TYPE, Palette

GLYPH_FOLDER = Path(__file__).parent / "glyphs"


def build_stylesheet(palette: Palette) -> str:
    """Return the whole style sheet for one palette."""
    values: dict[str, str] = {
        field.name: str(getattr(palette, field.name)) for field in dataclasses.fields(palette)
    }
    values["glyphs"] = (GLYPH_FOLDER / palette.name).as_posix()
    for prefix, tokens in (("space", SPACE), ("radius", RADIUS), ("type", TYPE)):
        for field in dataclasses.fields(tokens):
            values[f"{prefix}_{field.name}"] = f"{getattr(tokens, field.name)}px"
    return "\n".join(Template(rule).substitute(values) for rule in (*RULES, SHELL_RULES))


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet selects by, and apply the style again.

    Args:
        widget: The widget.
        name: Name of the property.
        value: Its value.
    """
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


_TEXT: Final = """
QLabel { background: transparent; }
QLabel[role="hero"] { font-size: $type_hero; font-weight: 600; }
QLabel[role="page"] { font-size: $type_page; font-weight: 600; }
QLabel[role="section"] { font-size: $type_section; font-weight: 600; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="caption"] { color: $muted; font-size: $type_caption; }
QLabel[role="problem"] { color: $bad; font-size: $type_caption; }
QLabel[role="advice"] { color: $warn; font-size: $type_caption; }
QLabel[role="chip"] {
    background: $hover; border: 1px solid $border; border-radius: $radius_control;
    padding: 1px 6px; font-size: $type_caption;
}
QLabel:disabled { color: $disabled; }
QToolTip, QLabel[role="bubble"] {
    color: $text; background: $raised; border: 1px solid $border; padding: 6px 8px;
}
"""


_CARDS: Final = """
QFrame[card="true"] {
    background: $surface; border: 1px solid $border; border-radius: $radius_card;
}
QFrame[card="true"][hoverable="true"]:hover { border-color: $outline; background: $hover; }
QFrame[card="true"][current="true"] { border-color: $accent; background: $selection; }
QFrame[card="true"][hoverable="true"]:focus { border: 2px solid $accent; }
QFrame[line="true"] { background: $border; border: none; max-height: 1px; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget[plain="true"] { background: transparent; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $border; }
QSplitter[grip="true"]::handle:vertical { background: $outline; }
QSplitter[grip="true"]::handle:vertical:hover { background: $accent; }
"""


_BUTTONS: Final = """
QPushButton, QToolButton {
    color: $text; background: $surface; border: 1px solid $outline;
    border-radius: $radius_control; padding: 6px 14px; min-height: 18px;
}
QToolButton { padding: 6px; }
QToolButton[role="section"] { font-size: $type_section; font-weight: 600; }
QToolButton[small="true"] { padding: 2px; border-width: 1px; min-height: 16px; }
QToolButton[small="true"]:focus { padding: 1px; border-width: 2px; }
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed, QPushButton:checked, QToolButton:checked {
    background: $pressed;
}
QPushButton:focus { border: 2px solid $accent; padding: 5px 13px; }
QToolButton:focus { border: 2px solid $accent; padding: 5px; }
QPushButton:disabled, QToolButton:disabled {
    color: $disabled; background: $ground; border-color: $border;
}
QPushButton[kind="primary"] {
    color: $on_accent; background: $accent; border-color: $accent; font-weight: 600;
}
QPushButton[kind="primary"]:hover, QPushButton[kind="primary"]:pressed {
    background: $accent_hover; border-color: $accent_hover;
}
QPushButton[kind="primary"]:focus { border: 2px solid $text; }
QPushButton[kind="primary"]:disabled {
    color: $disabled; background: $pressed; border-color: $pressed;
}
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {
    background: transparent; border-color: transparent;
}
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover { background: $hover; }
QToolButton[kind="quiet"]:pressed, QToolButton[kind="quiet"]:checked,
QPushButton[kind="quiet"]:checked { background: $pressed; }
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus { border-color: $accent; }
QToolButton[kind="quiet"][opener="true"]:checked { background: transparent; }
QToolButton[kind="quiet"][opener="true"]:hover { background: $hover; }
QPushButton[kind="danger"] { color: $bad; border-color: $bad; }
QPushButton::menu-indicator, QToolButton::menu-indicator { image: none; width: 0; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QLineEdit > QToolButton { padding: 0; border: none; background: transparent; min-height: 0; }
"""


_FIELDS: Final = """
QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox {
    color: $text; background: $surface; border: 1px solid $outline;
    border-radius: $radius_control; padding: 5px 8px; min-height: 20px;
    selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus, QComboBox:focus {
    border: 2px solid $accent; padding: 4px 7px;
}
QLineEdit:disabled, QPlainTextEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled {
    color: $disabled; background: $ground; border-color: $border;
}
QLineEdit[wrong="true"], QAbstractSpinBox[wrong="true"], QComboBox[wrong="true"] {
    border: 1px solid $bad;
}
QLineEdit[wrong="true"]:focus, QAbstractSpinBox[wrong="true"]:focus,
QComboBox[wrong="true"]:focus { border: 2px solid $bad; }
QComboBox { padding-right: 26px; combobox-popup: 0; }
QComboBox:focus { padding-right: 25px; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url("$glyphs/down.svg"); width: 16px; height: 16px; }
QComboBox::down-arrow:disabled { image: url("$glyphs/down-disabled.svg"); }
QComboBox QAbstractItemView {
    background: $raised; border: 1px solid $border; padding: 4px; outline: none;
    selection-background-color: $selection; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: 28px; padding: 0 6px; border-radius: 4px; }
QComboBox QAbstractItemView::item:selected { background: $selection; color: $text; }
QComboBox QAbstractItemView:focus { border: 1px solid $border; }
"""


_SPINS: Final = """
QAbstractSpinBox { padding: 5px 24px 5px 0; max-height: 20px; }
QAbstractSpinBox:focus { padding: 4px 23px 4px 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {
    subcontrol-origin: border; width: 22px; border: none; background: transparent;
}
QAbstractSpinBox::up-button { subcontrol-position: top right; margin: 2px 2px 0 0; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin: 0 2px 2px 0; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $hover; }
QAbstractSpinBox::up-arrow { image: url("$glyphs/up.svg"); width: 12px; height: 12px; }
QAbstractSpinBox::down-arrow { image: url("$glyphs/down.svg"); width: 12px; height: 12px; }
QAbstractSpinBox::up-arrow:disabled, QAbstractSpinBox::up-arrow:off {
    image: url("$glyphs/up-disabled.svg");
}
QAbstractSpinBox::down-arrow:disabled, QAbstractSpinBox::down-arrow:off {
    image: url("$glyphs/down-disabled.svg");
}
"""


_CHECKS: Final = """
QCheckBox, QRadioButton { spacing: 8px; background: transparent; }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QCheckBox::indicator, QRadioButton::indicator, QListView::indicator, QTableView::indicator {
    width: 16px; height: 16px; background: $surface; border: 1px solid $outline;
}
QCheckBox::indicator, QListView::indicator, QTableView::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 9px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus {
    border: 2px solid $accent; width: 14px; height: 14px;
}
QCheckBox::indicator:checked, QListView::indicator:checked,
QTableView::indicator:checked {
    background: $accent; border-color: $accent; image: url("$glyphs/check.svg");
}
QCheckBox::indicator:indeterminate, QListView::indicator:indeterminate {
    background: $accent; border-color: $accent; image: url("$glyphs/dash.svg");
}
QRadioButton::indicator:checked {
    background: $accent; border-color: $accent; image: url("$glyphs/dot.svg");
}
QCheckBox::indicator:checked:focus, QRadioButton::indicator:checked:focus {
    border: 2px solid $text;
}
QSlider:horizontal { min-height: 20px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $pressed; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: $accent; }
QSlider::handle:horizontal {
    width: 14px; height: 14px; margin: -6px 0; border-radius: 8px;
    background: $surface; border: 1px solid $outline;
}
QSlider::handle:horizontal:hover { border-color: $accent; }
QSlider::handle:horizontal:focus { border: 2px solid $accent; width: 12px; height: 12px; }
QSlider::sub-page:horizontal:disabled { background: $border; }
QProgressBar {
    border: none; border-radius: 3px; background: $pressed; max-height: 6px; text-align: center;
}
QProgressBar::chunk { border-radius: 3px; background: $accent; }
"""


_VIEWS: Final = """
QTableView, QListView, QTreeView {
    background: $surface; alternate-background-color: $ground; color: $text;
    border: 1px solid $border; border-radius: $radius_control; gridline-color: $border;
    selection-background-color: $selection; selection-color: $text; outline: none;
}
QTableView:focus, QListView:focus, QTreeView:focus { border: 1px solid $accent; }
QTableView::item, QTreeView::item { padding: 4px 8px; border: none; }
QListView::item { padding: 0 8px; min-height: 28px; border: none; border-radius: 4px; }
QTableView::item:hover, QListView::item:hover, QTreeView::item:hover { background: $hover; }
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected {
    background: $selection; color: $text;
}
QTableView::item:focus, QTreeView::item:focus { border: 1px solid $accent; }
QListView::item:selected:focus { border: 1px solid $accent; }
QLineEdit[takesKeys="true"] { border: 2px solid $accent; padding: 4px 7px; }
QHeaderView { background: $surface; border: none; }
QHeaderView::section {
    background: $surface; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: 6px 11px; font-size: $type_caption; font-weight: 600;
}
QHeaderView::section:hover { color: $text; }
QTableCornerButton::section { background: $surface; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
"""


_SCROLLING: Final = """
QScrollBar:vertical { width: 12px; background: transparent; margin: 0; }
QScrollBar:horizontal { height: 12px; background: transparent; margin: 0; }
QScrollBar::handle { background: $outline; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab {
    color: $muted; background: transparent; padding: 8px 12px; margin-right: 4px;
    border: 1px solid transparent; border-bottom: 2px solid transparent;
}
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; font-weight: 600; }
QTabBar::tab:focus { border: 1px solid $accent; border-bottom: 2px solid $accent; }
QTabBar::tab:disabled { color: $disabled; }
QTabBar::scroller { width: 48px; }
QTabBar QToolButton { padding: 0; border-color: transparent; }
QTabBar QToolButton::left-arrow { image: url("$glyphs/left.svg"); width: 16px; height: 16px; }
QTabBar QToolButton::right-arrow { image: url("$glyphs/right.svg"); width: 16px; height: 16px; }
QTabBar QToolButton::left-arrow:disabled { image: url("$glyphs/left-disabled.svg"); }
QTabBar QToolButton::right-arrow:disabled { image: url("$glyphs/right-disabled.svg"); }
"""


_MENUS: Final = """
QMenu { background: $raised; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; background: transparent; }
QMenu::item:selected { background: $selection; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }
QMenuBar { background: $ground; }
QMenuBar::item { padding: 6px 10px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: $hover; }
QStatusBar { background: $surface; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
"""


RULES: Final = (
    _TEXT,
    _CARDS,
    _BUTTONS,
    _FIELDS,
    _SPINS,
    _CHECKS,
    _VIEWS,
    _SCROLLING,
    _MENUS,
)


SHELL_RULES: Final = """
QFrame#rail { background: $surface; border: none; border-right: 1px solid $border; }
QFrame#topBar { background: $surface; border: none; border-bottom: 1px solid $border; }
QFrame#tray { background: $surface; border: none; border-top: 1px solid $border; }
QFrame#coachBar { background: $selection; border: none; border-bottom: 2px solid $accent; }
QToolButton[rail="true"] {
    border: none; border-left: 3px solid transparent; border-radius: 0; background: transparent;
    color: $muted; font-size: $type_caption; padding: 6px 3px 4px 0;
}
QToolButton[rail="true"]:hover { background: $hover; color: $text; }
QToolButton[rail="true"]:checked {
    background: $selection; color: $text; border-left: 3px solid $accent;
}
QToolButton[rail="true"]:focus {
    border: 2px solid $accent; border-left: 3px solid $accent; padding: 4px 1px 2px 0;
}
QPushButton[kind="field"] {
    color: $muted; background: $ground; border-color: $border; text-align: left;
    padding: 6px 12px; max-width: 420px;
}
QPushButton[kind="field"]:hover { border-color: $outline; background: $hover; }
QPushButton[kind="field"]:focus { border: 2px solid $accent; padding: 5px 11px; }
QFrame#palette {
    background: $raised; border: 1px solid $outline; border-radius: $radius_card;
}
QFrame#palette QLineEdit {
    border: 1px solid transparent; border-bottom: 1px solid $border; border-radius: 0;
    background: transparent; font-size: $type_section; padding: 8px 8px;
}
QFrame#palette QListView { border: none; background: transparent; }
QLabel#dropOverlay {
    background: $selection; color: $text; font-size: $type_page; font-weight: 600;
    border: 3px dashed $accent; border-radius: $radius_card; padding: 32px;
}
"""
