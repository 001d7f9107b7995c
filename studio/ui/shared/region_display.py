"""The display of regions of pictures: modes, opacity and figures of each drawable part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.ui.widgets.figures import count, counted, percent

if TYPE_CHECKING:
    from studio.ui.widgets.overlay import OverlayMode

_bar = partial(QCoreApplication.translate, "OverlayBar")
_legend = partial(QCoreApplication.translate, "ClassLegend")


@dataclass(frozen=True, slots=True)
class ClassAmount:
    """Regions of a class in a picture.

    Attributes:
        amount: Number of pixels or boxes.
        share: Share of all pixels that count, 0 to 1.
    """

    amount: int
    share: float


class RegionDisplay(ABC):
    """Words and modes of one drawable part."""

    @property
    @abstractmethod
    def modes(self) -> tuple[tuple[OverlayMode, str], ...]:
        """Modes with their names."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the choice of a mode."""

    @property
    @abstractmethod
    def help(self) -> str:
        """Explanation of the choice of a mode."""

    @property
    @abstractmethod
    def opacity(self) -> str:
        """Name of the slider of the opacity."""

    @property
    @abstractmethod
    def without_opacity(self) -> str:
        """Reason why a mode has no opacity."""

    def text(self, found: ClassAmount, *, is_wide: bool) -> str:  # noqa: ARG002 - of classes
        """Return the figure of a class; empty for parts without classes.

        Args:
            found: Its regions.
            is_wide: True if there is room for more than one number.
        """
        return ""

    def tip(self, found: ClassAmount) -> str:  # noqa: ARG002 - of classes
        """Return the tip of the figure of a class; empty for parts without classes."""
        return ""


class MaskDisplay(RegionDisplay):
    """Words and modes of masks."""

    @property
    def modes(self) -> tuple[tuple[OverlayMode, str], ...]:
        """See `RegionDisplay.modes`."""
        return (
            ("blend", _bar("Overlay")),
            ("outline", _bar("Outlines")),
            ("mask", _bar("Mask only")),
            ("none", _bar("Image only")),
        )

    @property
    def name(self) -> str:
        """See `RegionDisplay.name`."""
        return _bar("Mask display")

    @property
    def help(self) -> str:
        """See `RegionDisplay.help`."""
        return _bar("How masks are drawn over the images.")

    @property
    def opacity(self) -> str:
        """See `RegionDisplay.opacity`."""
        return _bar("Mask opacity")

    @property
    def without_opacity(self) -> str:
        """See `RegionDisplay.without_opacity`."""
        return _bar("Available only for overlays.")

    def text(self, found: ClassAmount, *, is_wide: bool) -> str:
        """Return the share of the pixels; see `RegionDisplay.text`."""
        share = percent(found.share)
        if not is_wide:
            return share
        return _legend("{n} px · {share}").format(n=count(found.amount), share=share)

    def tip(self, found: ClassAmount) -> str:
        """Return the number of pixels; see `RegionDisplay.tip`."""
        return counted(round(found.amount), _legend("1 pixel"), _legend("{n} pixels"))


class BoxDisplay(RegionDisplay):
    """Words and modes of objects."""

    @property
    def modes(self) -> tuple[tuple[OverlayMode, str], ...]:
        """See `RegionDisplay.modes`."""
        return (
            ("blend", _bar("Filled")),
            ("objects", _bar("Color per object")),
            ("outline", _bar("Outlines")),
            ("none", _bar("Image only")),
        )

    @property
    def name(self) -> str:
        """See `RegionDisplay.name`."""
        return _bar("Object display")

    @property
    def help(self) -> str:
        """See `RegionDisplay.help`."""
        return _bar("How objects are drawn over the images.")

    @property
    def opacity(self) -> str:
        """See `RegionDisplay.opacity`."""
        return _bar("Fill opacity")

    @property
    def without_opacity(self) -> str:
        """See `RegionDisplay.without_opacity`."""
        return _bar("Available only for filled objects.")

    def text(self, found: ClassAmount, *, is_wide: bool) -> str:  # noqa: ARG002 - one number
        """Return the number of boxes; see `RegionDisplay.text`."""
        return count(found.amount)

    def tip(self, found: ClassAmount) -> str:
        """Return the number of boxes; see `RegionDisplay.tip`."""
        if found.amount == 1:
            return _legend("1 box")
        return _legend("{n} boxes").format(n=count(found.amount))


class HeatDisplay(RegionDisplay):
    """Words and modes of maps of numbers."""

    @property
    def modes(self) -> tuple[tuple[OverlayMode, str], ...]:
        """See `RegionDisplay.modes`."""
        return (
            ("blend", _bar("Overlay")),
            ("outline", _bar("Above the threshold")),
            ("mask", _bar("Map only")),
            ("none", _bar("Image only")),
        )

    @property
    def name(self) -> str:
        """See `RegionDisplay.name`."""
        return _bar("Map display")

    @property
    def help(self) -> str:
        """See `RegionDisplay.help`."""
        return _bar("How maps are drawn over the images.")

    @property
    def opacity(self) -> str:
        """See `RegionDisplay.opacity`."""
        return _bar("Map opacity")

    @property
    def without_opacity(self) -> str:
        """See `RegionDisplay.without_opacity`."""
        return _bar("Available only for overlays.")


DISPLAYS: Mapping[type[PredictionPart], RegionDisplay] = {
    ClassMap: MaskDisplay(),
    Objects: BoxDisplay(),
    HeatMap: HeatDisplay(),
}
"""The display of each drawn part."""
