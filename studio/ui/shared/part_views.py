"""Views of the parts of predictions: the same for every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Final, Generic, TypeVar

from PySide6.QtCore import QCoreApplication

from studio.engine.tasks.annotations import is_background
from studio.engine.tasks.metric import with_unit
from studio.engine.tasks.parts import class_map as masks
from studio.engine.tasks.parts import heat_map as maps
from studio.engine.tasks.parts import objects as boxes
from studio.engine.tasks.parts.class_map import ClassArea, ClassMap
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import PARTS, Prediction
from studio.engine.tasks.parts.scores import Scores
from studio.engine.tasks.parts.values import NamedValue, Values
from studio.ui.language import translated
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import NO_VALUE, count, percent, significant
from studio.ui.widgets.heat_overlay import HeatMapOverlay
from studio.ui.widgets.labels import apart
from studio.ui.widgets.outlines import OutlineOverlay
from studio.ui.widgets.overlay import BoxOverlay, MaskOverlay, Overlay, PictureBox
from studio.ui.widgets.stacked_overlay import StackedOverlay

_tr = partial(QCoreApplication.translate, "tasks")
_PartT = TypeVar("_PartT", bound=PredictionPart)
_MOST_NAMED: Final = 2
"""Labels in a headline."""
_MOST_COUNTED: Final = 12
"""Classes of objects with a column in a table."""


@dataclass(frozen=True, slots=True)
class FileWords:
    """Words for files of predictions.

    Attributes:
        tip: What the button offers.
        kinds: Entries of the menu by the kinds of files, see `PredictionPart.file_kinds`.
        table: Entry of the table.
    """

    tip: str
    kinds: Mapping[str, str] = field(default_factory=dict)
    table: str = ""


class PartView(Generic[_PartT]):
    """Shows parts of one type.

    Attributes:
        is_drawn: True if the part lies over its picture.
        has_legend: True if the legend of what is drawn has the numbers of the part.
    """

    is_drawn = False
    has_legend = False

    def headline(self, part: _PartT) -> str:
        """Return the part in large type; empty where its lines say it better."""
        return self.caption(part)

    def caption(self, part: _PartT) -> str:
        """Return the part in one short line."""
        raise NotImplementedError

    def lines(self, part: _PartT) -> list[BarLine]:
        """Return a line for each class, label or value, the most important first."""
        raise NotImplementedError

    def headings(self, parts: Sequence[_PartT]) -> dict[str, str]:  # noqa: ARG002 - of numbers
        """Return the headings of columns in a table of pictures by the names of the numbers.

        Args:
            parts: Those of all pictures, at least one.
        """
        return {}

    def numbers(self, part: _PartT) -> dict[str, float]:
        """Return the numbers in a table of pictures by their names."""
        return part.numbers()

    def number_text(self, value: float) -> str:
        """Return a number as it is shown in a table of pictures."""
        return significant(value)

    def strongest(self, part: _PartT) -> tuple[str, float]:  # noqa: ARG002 - of classes
        """Return the main class of the part, and its score; empty for none."""
        return "", 0.0

    def overlay(
        self,
        part: _PartT,  # noqa: ARG002 - of drawn parts
        names: Sequence[str],  # noqa: ARG002
        colors: Sequence[str],  # noqa: ARG002
    ) -> Overlay | None:
        """Return what the part paints over its picture; may run in any thread.

        Args:
            part: The part.
            names: Names of the classes of the model, K.
            colors: Colors of the classes as "#rrggbb", K.
        """
        return None

    def file_words(
        self,
        kinds: Collection[str],  # noqa: ARG002 - without files there are none
    ) -> FileWords | None:
        """Return the words for files of such parts; None without files.

        Args:
            kinds: Kinds of files that the task writes.
        """
        return None


class ScoresView(PartView[Scores]):
    """Shows a bar for each class or label, with a tick at the threshold of a label."""

    def headline(self, part: Scores) -> str:
        """Return the best class with its score, or the labels or their number."""
        if len(part.labels) > _MOST_NAMED:
            return _tr("{n} labels").format(n=count(len(part.labels)))
        return self.caption(part)

    def caption(self, part: Scores) -> str:
        """Return the best class with its score, or the labels that are given."""
        if part.has_labels:
            return ", ".join(apart(each) for each in part.labels) or _tr("No label")
        best = part.classes[:1]
        return f"{best[0].label} · {percent(best[0].score)}" if best else ""

    def lines(self, part: Scores) -> list[BarLine]:
        """Return a line for each class or label, the highest score first."""
        return [
            BarLine(
                each.label,
                percent(each.score),
                each.score,
                each.threshold,
                is_strong=each.label in part.labels if part.has_labels else rank == 0,
            )
            for rank, each in enumerate(part.classes)
        ]

    def strongest(self, part: Scores) -> tuple[str, float]:
        """Return the best class or label, and its score."""
        best = part.classes[:1]
        return (best[0].label, best[0].score) if best else ("", 0.0)


class ValuesView(PartView[Values]):
    """Shows values with their intervals."""

    def headline(self, part: Values) -> str:
        """Return the value; empty for several."""
        return self.caption(part) if len(part.quantities) == 1 else ""

    def caption(self, part: Values) -> str:
        """Return the values."""
        return " · ".join(value_text(each) for each in part.quantities)

    def lines(self, part: Values) -> list[BarLine]:
        """Return a line for each value."""
        return [
            BarLine(each.name, _with_interval(each), is_strong=True) for each in part.quantities
        ]

    def headings(self, parts: Sequence[Values]) -> dict[str, str]:
        """Return each value with its unit."""
        return {each.name: with_unit(each.name, each.unit) for each in parts[0].quantities}


def value_text(value: NamedValue) -> str:
    """Return a value with its unit."""
    return f"{significant(value.value)} {value.unit}".strip()


def _with_interval(value: NamedValue) -> str:
    if value.low is None or value.high is None:
        return value_text(value)
    return f"{value_text(value)}  ({significant(value.low)} – {significant(value.high)})"


class ClassMapView(PartView[ClassMap]):
    """Shows the area of each class, and the mask over the picture."""

    is_drawn = True
    has_legend = True

    def caption(self, part: ClassMap) -> str:
        """Return the object with the largest area."""
        areas = _without_background(part)
        if not areas:
            return _tr("Only background")
        return f"{apart(areas[0].label)} {percent(areas[0].share)}"

    def lines(self, part: ClassMap) -> list[BarLine]:
        """Return a line for each class that occurs, the largest area first."""
        present = [each for each in part.areas if each.pixels]
        return [
            BarLine(
                each.label,
                _tr("{share} · {n} px").format(share=percent(each.share), n=count(each.pixels)),
                each.share,
                is_strong=not is_background(each.label),
            )
            for each in sorted(present, key=lambda each: -each.pixels)
        ]

    def headings(self, parts: Sequence[ClassMap]) -> dict[str, str]:
        """Return each class."""
        return {each.label: each.label for each in parts[0].areas}

    def number_text(self, value: float) -> str:
        """Return the share of a class."""
        return percent(value) if value else NO_VALUE

    def strongest(self, part: ClassMap) -> tuple[str, float]:
        """Return the object with the largest area, and its share of the pixels."""
        areas = _without_background(part)
        return (areas[0].label, areas[0].share) if areas else ("", 0.0)

    def overlay(
        self,
        part: ClassMap,
        names: Sequence[str],
        colors: Sequence[str],
    ) -> Overlay | None:
        """Return the mask in the colors of its palette; see `PartView.overlay`."""
        if not part.mask:
            return None
        names, colors = [each.label for each in part.areas], part.colors()
        pixels = [each.pixels for each in part.areas]
        return MaskOverlay(part.classes(), names, colors, part.large, pixels)

    def file_words(self, kinds: Collection[str]) -> FileWords:  # noqa: ARG002
        """Return the words for files of masks."""
        names = {
            masks.INDEX: _tr("Masks as PNG, class indexes…"),
            masks.COLOR: _tr("Masks as PNG, colors…"),
            masks.COCO: _tr("Regions as COCO JSON…"),
        }
        tip = _tr("Save the masks, or a table of their areas")
        return FileWords(tip, names, _tr("Table of areas (CSV)…"))


def _without_background(part: ClassMap) -> list[ClassArea]:
    """Return the areas of what is no background, the largest first."""
    present = [each for each in part.areas if each.pixels and not is_background(each.label)]
    return sorted(present, key=lambda each: -each.pixels)


class ObjectsView(PartView[Objects]):
    """Shows the number of objects of each class, and the objects over the picture."""

    is_drawn = True
    has_legend = True

    def headline(self, part: Objects) -> str:
        """Return the number of objects."""
        return number_of_objects(len(part.given)) if part.given else _tr("No objects")

    def caption(self, part: Objects) -> str:
        """Return the number of objects of each class, the most first."""
        counts = Counter(each.label for each in part.given).most_common()
        words = [f"{apart(label)} {count(number)}" for label, number in counts]
        return " · ".join(words) or _tr("No objects")

    def lines(self, part: Objects) -> list[BarLine]:
        """Return a line for each class that occurs, the most objects first."""
        counts = Counter(each.label for each in part.given).most_common()
        most = max((number for _, number in counts), default=1)
        return [
            BarLine(label, number_of_objects(number), number / most, is_strong=True)
            for label, number in counts
        ]

    def headings(self, parts: Sequence[Objects]) -> dict[str, str]:
        """Return the first classes with objects in any picture."""
        found: Counter[str] = Counter()
        for each in parts:
            found.update(each.counts())
        present = [label for label, number in found.items() if number]
        return {label: label for label in present[:_MOST_COUNTED]}

    def numbers(self, part: Objects) -> dict[str, float]:
        """Return the number of objects of each class."""
        return {label: float(number) for label, number in part.counts().items()}

    def number_text(self, value: float) -> str:
        """Return the number of objects of a class."""
        return count(int(value)) if value else NO_VALUE

    def strongest(self, part: Objects) -> tuple[str, float]:
        """Return the class and the score of the most confident object."""
        best = max(part.given, key=attrgetter("score"), default=None)
        return ("", 0.0) if best is None else (best.label, best.score)

    def overlay(self, part: Objects, names: Sequence[str], colors: Sequence[str]) -> Overlay:
        """Return the objects, and candidates with a lower score; see `PartView.overlay`."""
        numbers = {name: number for number, name in enumerate(names)}
        drawn = [
            PictureBox(
                numbers[each.label],
                each.left,
                each.top,
                each.right,
                each.bottom,
                each.score,
                each.threshold,
                outline=each.outline,
            )
            for each in part.candidates
            if each.label in numbers
        ]
        if part.has_outlines:
            return OutlineOverlay(drawn, part.size, names, colors)
        return BoxOverlay(drawn, part.size, names, colors)

    def file_words(self, kinds: Collection[str]) -> FileWords:
        """Return the words for files of objects: of boxes, unless they have outlines."""
        names = {
            boxes.CSV: _tr("Table of objects (CSV)…"),
            boxes.LABELS: _tr("Label images (TIFF)…"),
            boxes.COCO: _tr("COCO JSON…"),
            boxes.YOLO: _tr("YOLO text files…"),
            boxes.GEOJSON: _tr("GeoJSON for QuPath…"),
            boxes.IMAGEJ: _tr("ImageJ regions (ZIP)…"),
        }
        tip = _tr("Save the boxes, or a table of their numbers")
        if boxes.LABELS in kinds:
            tip = _tr("Save the objects, or a table of their numbers")
        return FileWords(tip, names, _tr("Counts per image (CSV)…"))


def number_of_objects(number: int) -> str:
    """Return such as "3 objects"."""
    return _tr("1 object") if number == 1 else _tr("{n} objects").format(n=count(number))


class HeatMapView(PartView[HeatMap]):
    """Shows the highest number, and the map over the picture."""

    is_drawn = True

    def headline(self, part: HeatMap) -> str:
        """Return the verdict of the threshold, if there is one, with the highest number."""
        if part.is_above is None:
            return self.caption(part)
        verdict = _name_of(part) if part.is_above else _tr("normal")
        return f"{verdict} · {significant(part.score)}"

    def caption(self, part: HeatMap) -> str:
        """Return the highest number, with the name of the map unless it is below the threshold."""
        score = significant(part.score)
        return score if part.is_above is False else f"{_name_of(part)} {score}"

    def lines(self, part: HeatMap) -> list[BarLine]:
        """Return a line with the highest number, and a tick at the threshold."""
        span = (part.high - part.low) or 1.0
        limit = None if part.threshold is None else (part.threshold - part.low) / span
        share = min(1.0, max(0.0, (part.score - part.low) / span))
        return [
            BarLine(
                translated(part.name),
                significant(part.score),
                share,
                limit,
                is_strong=bool(part.is_above),
            )
        ]

    def headings(self, parts: Sequence[HeatMap]) -> dict[str, str]:
        """Return the name of the map."""
        return {parts[0].name: translated(parts[0].name)}

    def overlay(
        self,
        part: HeatMap,
        names: Sequence[str],  # noqa: ARG002 - a map has no classes
        colors: Sequence[str],  # noqa: ARG002
    ) -> Overlay | None:
        """Return the map; see `PartView.overlay`."""
        if not part.data:
            return None
        limits = part.low, part.high, part.outlined_from
        return HeatMapOverlay(part.values(), *limits, large=part.large)

    def file_words(self, kinds: Collection[str]) -> FileWords:  # noqa: ARG002
        """Return the words for files of maps."""
        names = {
            maps.TIFF: _tr("Maps as TIFF, 32-bit floats…"),
            maps.COLOR: _tr("Maps as PNG, colors…"),
        }
        tip = _tr("Save the maps, or a table of their highest values")
        return FileWords(tip, names, _tr("Highest value per image (CSV)…"))


def _name_of(part: HeatMap) -> str:
    """Return the name of a map for a sentence."""
    return apart(translated(part.name))


_VIEWS: Final[Mapping[type[PredictionPart], PartView]] = {  # type: ignore[type-arg]  # of any part
    Scores: ScoresView(),
    Values: ValuesView(),
    ClassMap: ClassMapView(),
    Objects: ObjectsView(),
    HeatMap: HeatMapView(),
}


def view_of_part(part: type[_PartT]) -> PartView[_PartT]:
    """Return the view of a type of parts."""
    return _VIEWS[part]


def headline(prediction: Prediction) -> str:
    """Return a prediction in large type; empty where its lines say it better."""
    texts = (view_of_part(type(part)).headline(part) for part in prediction.parts)
    return " · ".join(filter(None, texts))


def caption(prediction: Prediction) -> str:
    """Return a prediction in one short line."""
    texts = (view_of_part(type(part)).caption(part) for part in prediction.parts)
    return " · ".join(filter(None, texts))


def bar_lines(prediction: Prediction, *, beside_legend: bool = False) -> list[BarLine]:
    """Return a line for each class, label or value of a prediction.

    Args:
        prediction: The prediction.
        beside_legend: True to leave out the parts whose numbers are in the legend of the picture.
    """
    views = ((view_of_part(type(part)), part) for part in prediction.parts)
    return [
        line
        for view, part in views
        if not (beside_legend and view.has_legend)
        for line in view.lines(part)
    ]


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of numbers in a table of pictures.

    Attributes:
        field: Name of the part in a prediction.
        name: Name of the number in the part.
        heading: Heading of the column.
    """

    field: str
    name: str
    heading: str

    def value(self, prediction: Prediction) -> float | None:
        """Return the number of a prediction; None without it."""
        part = getattr(prediction, self.field)
        return None if part is None else view_of_part(type(part)).numbers(part).get(self.name)

    def text(self, value: float) -> str:
        """Return a number as it is shown."""
        return view_of_part(PARTS[self.field]).number_text(value)


def result_columns(predictions: Sequence[Prediction]) -> list[ResultColumn]:
    """Return the columns of numbers of predictions; none where they are words.

    Args:
        predictions: Those of all pictures.
    """
    columns = []
    for field_, type_ in PARTS.items():
        found = [getattr(each, field_) for each in predictions]
        parts = [part for part in found if part is not None]
        headings = view_of_part(type_).headings(parts) if parts else {}
        columns += [ResultColumn(field_, *each) for each in headings.items()]
    return columns


def strongest(prediction: Prediction) -> tuple[str, float]:
    """Return the main class of a prediction, and its score; empty for none."""
    found = (view_of_part(type(part)).strongest(part) for part in prediction.parts)
    return next((each for each in found if each[0]), ("", 0.0))


def is_drawn(prediction: Prediction) -> bool:
    """Return True if a part of a prediction lies over its picture."""
    return any(view_of_part(type(part)).is_drawn for part in prediction.parts)


def overlay_of(
    prediction: Prediction, names: Sequence[str], colors: Sequence[str]
) -> Overlay | None:
    """Return the parts of a prediction that are drawn over its picture; from any thread.

    Args:
        prediction: The prediction.
        names: Names of the classes of the model, K.
        colors: Colors of the classes as "#rrggbb", K.
    """
    overlays = (view_of_part(type(part)).overlay(part, names, colors) for part in prediction.parts)
    found = [each for each in overlays if each is not None]
    return StackedOverlay(found) if len(found) > 1 else next(iter(found), None)


def file_words(
    parts: Sequence[type[PredictionPart]],
    kinds: Mapping[type[PredictionPart], Collection[str]],
) -> FileWords:
    """Return the words for files of predictions: those of their first part with files, or a table.

    Args:
        parts: Types of the parts of the predictions.
        kinds: Kinds of files that the task writes; see `Predictor.file_kinds`.
    """
    table = _tr("Save the predictions as a table (CSV)")
    words = (view_of_part(part).file_words(kinds.get(part, ())) for part in parts)
    return next((each for each in words if each is not None), FileWords(table, {}, table))
