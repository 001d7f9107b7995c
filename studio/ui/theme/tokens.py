"""Design tokens as plain data: colors, spacing, radii, type sizes. Free of Qt.

Every color a widget paints comes from here, so that a look is changed in one place and contrast
can be computed by a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Role = Literal[
    "text", "muted", "accent", "on_accent", "good", "warn", "bad", "border", "ground", "surface"
]


@dataclass(frozen=True, slots=True)
class ColorPalette:
    """The colors of one appearance, each as `#RRGGBB`.

    Attributes:
        ground: Background of the window.
        surface: Cards, panels and fields.
        raised: Floating elements: menus, notices, tooltips.
        border: Lines between areas.
        outline: The edge of a control; contrast 3:1 against the surface.
        hover: A control under the pointer.
        pressed: A control held down, and the track of bars and sliders.
        selection: Behind selected rows; text stays readable on it.
        text: Text.
        muted: Secondary text, contrast 4.5:1.
        disabled: Text of disabled controls, contrast 3:1.
        accent: Primary action and current item.
        accent_hover: The accent under the pointer.
        on_accent: Text on the accent.
        good: Success.
        warn: Warning.
        bad: Error.
        checker: Second color of the checkerboard behind transparent pictures.
    """

    name: Literal["light", "dark"]
    ground: str
    surface: str
    raised: str
    border: str
    outline: str
    hover: str
    pressed: str
    selection: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    good: str
    warn: str
    bad: str
    checker: str

    def color(self, role: Role) -> str:
        """Return the color of a role, as `#RRGGBB`."""
        return str(getattr(self, role))


LIGHT: Final = ColorPalette(
    name="light",
    ground="#F6F7F9",
    surface="#FFFFFF",
    raised="#FFFFFF",
    border="#DFE3E8",
    outline="#858D9B",
    hover="#EEF1F5",
    pressed="#E2E6EC",
    selection="#DCE7FB",
    text="#1A1E24",
    muted="#596270",
    disabled="#868E9A",
    accent="#2A66D9",
    accent_hover="#2259C2",
    on_accent="#FFFFFF",
    good="#1B7F4B",
    warn="#9A6200",
    bad="#C0362C",
    checker="#E9ECF0",
)

DARK: Final = ColorPalette(
    name="dark",
    ground="#14171C",
    surface="#1C2026",
    raised="#252A32",
    border="#343B46",
    outline="#6B7585",
    hover="#282E37",
    pressed="#333A45",
    selection="#263C63",
    text="#E8EBEF",
    muted="#A0A9B6",
    disabled="#727C8A",
    accent="#79A7FF",
    accent_hover="#92B7FF",
    on_accent="#0E1116",
    good="#5CCB91",
    warn="#F0B65A",
    bad="#FF8A7E",
    checker="#2A2F37",
)


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in logical pixels."""

    xs: int = 4
    s: int = 8
    m: int = 12
    l: int = 16  # noqa: E741 - the size, beside xs, s, m
    xl: int = 24
    xxl: int = 32


@dataclass(frozen=True, slots=True)
class Radius:
    """Corner radii in logical pixels."""

    control: int = 6
    card: int = 10


@dataclass(frozen=True, slots=True)
class TypeSize:
    """Font sizes in logical pixels."""

    caption: int = 12
    body: int = 13
    section: int = 15
    page: int = 20
    hero: int = 28


SPACE: Final = Spacing()
RADIUS: Final = Radius()
TYPE: Final = TypeSize()
ICON_SMALL: Final = 16
ICON: Final = 20
CONTROL_HEIGHT: Final = 32

CHART_COLORS: Final = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""Okabe and Ito, "Color Universal Design" (2008): distinguishable with any color vision."""

# The same hues, lifted where they would sink into a dark surface (below 4.5:1 against it).
_CHART_COLORS_DARK: Final = ("#4BA3DD", "#E69F00", "#2BC297", "#F07F2E", "#D893BA", "#7CC8F2")


FAINT: Final = 0.55
"""Opacity of a line of single steps, behind those of whole epochs; less sinks into the ground."""


def chart_color(index: int, *, dark: bool) -> str:
    """Return the color of a curve as `#RRGGBB`; colors repeat after the sixth.

    Args:
        index: Index of the curve.
        dark: True for dark mode.
    """
    colors = _CHART_COLORS_DARK if dark else CHART_COLORS
    return colors[index % len(colors)]


SPLIT_COLORS: Final = {"train": "#0072B2", "val": "#E69F00", "test": "#009E73"}
"""The same color for a split wherever it is drawn."""

STATE_ROLES: Final[dict[str, Role]] = {
    "queued": "muted",
    "starting": "accent",
    "running": "accent",
    "paused": "warn",
    "pausing": "warn",
    "stopping": "warn",
    "completed": "good",
    "stopped": "muted",
    "pruned": "muted",
    "failed": "bad",
    "lost": "bad",
}
"""Color role of each job state; label and icon are in `widgets.state_badge`."""


def mix(first: str, second: str, share: float) -> str:
    """Blend two colors.

    Args:
        first: Color as `#RRGGBB`.
        second: Color as `#RRGGBB`.
        share: Weight of the second color, 0 to 1.
    """
    one, two = _rgb(first), _rgb(second)
    return "#" + "".join(
        f"{round(a + (b - a) * share):02X}" for a, b in zip(one, two, strict=True)
    )


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, 1 to 21 (WCAG 2.2, relative luminance, 1.4.3).

    Args:
        first: Color as `#RRGGBB`.
        second: Color as `#RRGGBB`.
    """
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in _rgb(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
