"""Survey of mask files: the values of all of them, by what may hold the classes."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio.engine.tasks.segmentation.levels import ValuePool
from studio.engine.tasks.segmentation.mask_statistics import MaskStatistics, ValueCounts

_OPAQUE = 255
_MAX_COLORS = 2**12


@dataclass(slots=True)
class MaskSurvey:
    """Values of the inspected masks.

    Attributes:
        numbers: Numbers of the pixels; of gray colors one channel.
        colors: Colors of the pixels.
        alpha: Alpha of the pixels; 255 where a file has none.
        count: Number of masks.
        colored: Number of masks with colors that are not all gray.
        with_alpha: Number of masks with alpha.
        opaque: Values of opaque pixels in masks with alpha.
        hidden: Values of transparent pixels in masks with alpha.
        palette: Colors of the numbers, of the first palette that has them.
        with_palette: Number of masks with a palette.
        conflict: A number with different colors in two palettes, or None.
        void_colors: Colors of the number 255 in the palettes of the masks that have it.
        unpaletted_void: Number of masks without palette that have the number 255.
        max_values: Number of values of the mask that has the most.
        bright: Fractions of bright pixels of each mask by its path, see `MaskStatistics`.
    """

    numbers: ValuePool = field(default_factory=ValuePool)
    colors: ValuePool = field(default_factory=ValuePool)
    alpha: ValuePool = field(default_factory=ValuePool)
    count: int = 0
    colored: int = 0
    with_alpha: int = 0
    opaque: set[int] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    palette: dict[int, int] = field(default_factory=dict)
    with_palette: int = 0
    conflict: int | None = None
    void_colors: set[int] = field(default_factory=set)
    unpaletted_void: int = 0
    max_values: int = 0
    bright: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, path: str, statistics: MaskStatistics) -> None:
        """Add a mask.

        Args:
            path: Its path.
            statistics: Its contents.
        """
        self.count += 1
        counts, is_lossy = statistics.counts, statistics.is_lossy
        self.max_values = max(self.max_values, len(counts.values))
        if statistics.has_colors:
            self.colored += 1
            self.colors.add(path, counts, is_lossy=is_lossy)
        else:
            self.numbers.add(path, counts, is_lossy=is_lossy)
            self.colors.add(path, _colored(counts, statistics.palette), is_lossy=is_lossy)
            self._add_palette(counts, statistics.palette)
        self._add_alpha(path, statistics)
        if statistics.bright is not None:
            self.bright[path] = statistics.bright

    def _add_palette(self, counts: ValueCounts, palette: dict[int, int]) -> None:
        used = counts.values.tolist()
        if not palette:
            self.unpaletted_void += _OPAQUE in used
            return
        self.with_palette += 1
        for value in used:
            color = palette.get(value, 0)
            if self.palette.setdefault(value, color) != color:
                self.conflict = value
        if _OPAQUE in used:
            self.void_colors.add(palette.get(_OPAQUE, 0))

    def _add_alpha(self, path: str, statistics: MaskStatistics) -> None:
        if statistics.alpha is None:
            return
        self.with_alpha += 1
        self.alpha.add(path, statistics.alpha, is_lossy=False)
        if max(len(self.opaque), len(self.hidden)) < _MAX_COLORS:
            self.opaque |= statistics.opaque
            self.hidden |= statistics.hidden


def _colored(counts: ValueCounts, palette: dict[int, int]) -> ValueCounts:
    """Return the colors of numbers, which are gray without a palette."""
    values = counts.values.copy()
    for place, value in enumerate(values.tolist()):
        values[place] = palette.get(value, 0) if palette else min(value, _OPAQUE) * 0x010101
    return ValueCounts(values, counts.pixels, counts.solid, counts.nearly_solid, counts.others)
