"""The appearance: design tokens, the style sheet built from them, light and dark, icons.

Must not import pages, shell or bridge, and nothing heavy: it is loaded before the first paint.

To add a color: 1. a field of `tokens.ColorPalette` in both palettes. 2. a rule in `studio.qss`.
To add an icon: 1. one line in `icons.GLYPHS`; the test makes sure that the glyph exists.
"""
