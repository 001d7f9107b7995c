"""The rules of the frame: rail, top bar, tray, drop overlay."""

from __future__ import annotations

from typing import Final

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
    background: $selection; color: $text; border-left: 3px solid $accent; font-weight: 600;
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
