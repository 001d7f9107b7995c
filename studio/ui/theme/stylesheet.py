"""The one style sheet, `studio.qss` with the tokens, over Qt's Fusion style.

Dynamic properties of widgets:
    `kind` on a button: `"primary"` (one per view), `"quiet"` (no edge), `"danger"`.
    `role` on a label: `"hero"`, `"page"`, `"section"`, `"muted"`, `"caption"`, `"problem"`,
        `"advice"`.
    `card` on a frame: `true`; also `hoverable` for one that can be pressed, `current`
        for the one among several whose details are shown.
    `droppable` on a frame: `true` for a drop area; `over` while something hangs over it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from string import Template

from PySide6.QtWidgets import QWidget

from studio.ui.theme.tokens import RADIUS, SPACE, TYPE, ColorPalette

GLYPH_FOLDER = Path(__file__).parent / "glyphs"
RULES = Path(__file__).with_name("studio.qss")
"""The style sheet, with names of tokens such as `$accent` in place of values."""


def build_stylesheet(palette: ColorPalette) -> str:
    """Return the whole style sheet for one palette."""
    values: dict[str, str] = {
        field.name: str(getattr(palette, field.name)) for field in dataclasses.fields(palette)
    }
    values["glyphs"] = (GLYPH_FOLDER / palette.name).as_posix()
    for prefix, tokens in (("space", SPACE), ("radius", RADIUS), ("type", TYPE)):
        for field in dataclasses.fields(tokens):
            values[f"{prefix}_{field.name}"] = f"{getattr(tokens, field.name)}px"
    return Template(RULES.read_text("utf-8")).substitute(values)


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
