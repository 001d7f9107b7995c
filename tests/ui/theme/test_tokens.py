from __future__ import annotations

import pytest

from studio.ui.theme.tokens import (
    CHART_COLORS,
    DARK,
    FAINT,
    LIGHT,
    STATE_ROLES,
    ColorPalette,
    chart_color,
    contrast,
    mix,
)

PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@PALETTES
@pytest.mark.parametrize("name", ["text", "muted", "accent", "good", "warn", "bad"])
@pytest.mark.parametrize("behind", ["ground", "surface", "raised"])
def test_words_can_be_read(palette: ColorPalette, name: str, behind: str) -> None:
    assert contrast(getattr(palette, name), getattr(palette, behind)) >= 4.5


@PALETTES
def test_words_on_the_accent_and_on_selections_can_be_read(palette: ColorPalette) -> None:
    assert contrast(palette.on_accent, palette.accent) >= 4.5
    assert contrast(palette.on_accent, palette.accent_hover) >= 4.5
    assert contrast(palette.text, palette.selection) >= 4.5
    assert contrast(palette.text, palette.hover) >= 4.5
    assert contrast(palette.text, palette.pressed) >= 4.5


@PALETTES
def test_edges_of_controls_and_disabled_words_can_be_seen(palette: ColorPalette) -> None:
    for behind in (palette.ground, palette.surface):
        assert contrast(palette.outline, behind) >= 3.0
        assert contrast(palette.disabled, behind) >= 3.0


@PALETTES
def test_badges_can_be_read_on_their_tint(palette: ColorPalette) -> None:
    for role in set(STATE_ROLES.values()):
        color = palette.color(role)
        assert contrast(color, mix(palette.surface, color, 0.1)) >= 4.0


def test_all_ten_states_have_a_color() -> None:
    assert len(STATE_ROLES) == 11
    assert len(set(CHART_COLORS)) == 6


def test_contrast_of_black_and_white_is_the_largest() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert mix("#000000", "#FFFFFF", 0.5) == "#808080"


def test_chart_colors_on_dark_are_visible_and_distinct() -> None:
    colors = [chart_color(index, dark=True) for index in range(len(CHART_COLORS))]
    assert len(set(colors)) == len(CHART_COLORS)
    assert all(contrast(color, DARK.surface) >= 4.5 for color in colors)
    assert chart_color(6, dark=True) == chart_color(0, dark=True)


@pytest.mark.parametrize("is_dark", [False, True])
def test_the_line_of_single_steps_can_be_seen(is_dark: bool) -> None:
    surface = (DARK if is_dark else LIGHT).surface
    assert contrast(mix(surface, chart_color(0, dark=is_dark), FAINT), surface) >= 2.2
