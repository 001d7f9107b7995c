"""The one style sheet, built from the tokens over Qt's Fusion style.

What a widget asks for by dynamic property:
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

from studio.ui.theme.stylesheet_rules import RULES
from studio.ui.theme.stylesheet_shell import SHELL_RULES
from studio.ui.theme.tokens import RADIUS, SPACE, TYPE, Palette

GLYPH_FOLDER = Path(__file__).parent / "glyphs"


def build_stylesheet(palette: Palette) -> str:
    """The whole style sheet for one palette."""
    values: dict[str, str] = {
        field.name: str(getattr(palette, field.name)) for field in dataclasses.fields(palette)
    }
    values["glyphs"] = (GLYPH_FOLDER / palette.name).as_posix()
    for prefix, tokens in (("space", SPACE), ("radius", RADIUS), ("type", TYPE)):
        for field in dataclasses.fields(tokens):
            values[f"{prefix}_{field.name}"] = f"{getattr(tokens, field.name)}px"
    return "\n".join(Template(rule).substitute(values) for rule in (*RULES, SHELL_RULES))
