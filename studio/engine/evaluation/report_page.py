"""A report of an evaluation as one page of HTML, and as JSON."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray
from PIL import Image

from studio import __version__
from studio.engine.arrays import Rows
from studio.engine.assets import asset
from studio.engine.datasets.augment.steps import to_picture
from studio.engine.datasets.display import display_of
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.evaluation import report_table
from studio.engine.evaluation.report import (
    CalibrationBin,
    Certainty,
    Robustness,
    RobustnessCurve,
)
from studio.engine.messages import english
from studio.engine.tasks.curves import PrecisionRecallCurve

if TYPE_CHECKING:
    from studio.engine.evaluation.evaluated_classes import CurvePair, EvaluatedClasses
    from studio.engine.evaluation.mcnemar import PairedComparison

# Small pictures of a dataset as text that stands inside a page.

SIDE = 72
"""Longest side in pixels."""


class EmbeddedPictures:
    """Converts images of a dataset to `data:` URLs.

    Args:
        store: The dataset, in the version that was measured.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._display = display_of(store)

    def address(self, row: int, overlay: NDArray[np.uint8] | None = None) -> str:
        """Return an image; empty if it can no longer be read.

        Args:
            row: Row of the dataset.
            overlay: Colors over the image, RGBA, shape (height, width, 4); None for none.
        """
        if not 0 <= row < len(self._store.images):
            return ""
        try:
            picture = to_picture(self._display.to_rgb(self._store.images[row]))
        except BadDataError:
            return ""
        if overlay is not None:
            colors = Image.fromarray(overlay, "RGBA").resize(
                picture.size, Image.Resampling.NEAREST
            )
            picture = Image.alpha_composite(picture.convert("RGBA"), colors).convert("RGB")
        picture.thumbnail((SIDE, SIDE))
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=85)
        return f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"


# The charts of the report page as data; the template draws them.

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""Okabe and Ito, "Color Universal Design" (2008)."""
SHOWN = len(COLORS)
"""Classes whose curves are drawn."""
_POINTS = 101

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a chart.

    Attributes:
        name: Name in the legend; empty for none.
        points: X and y, in the units of the axes.
        color: CSS color.
        dashed: True for a dashed line.
        band: Low and high at each point, or empty.
    """

    name: str
    points: Points
    color: str = COLORS[0]
    dashed: bool = False
    band: Points = ()

    def outline(self) -> Points:
        """Return the outline of the band: forward along the low values, back along the high."""
        low = [(x, low) for (x, _), (low, _) in zip(self.points, self.band, strict=True)]
        high = [(x, high) for (x, _), (_, high) in zip(self.points, self.band, strict=True)]
        return [*low, *reversed(high)]


@dataclass(frozen=True, slots=True)
class PageAxis:
    """The range and the label of an axis, and its first and last pixel."""

    label: str
    low: float
    high: float
    start: int
    end: int
    percent: bool = True

    def pixel(self, value: float) -> float:
        """Return the position of a value, in pixels."""
        span = (self.high - self.low) or 1.0
        return round(self.start + (value - self.low) / span * (self.end - self.start), 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the positions and texts of five ticks."""
        values = [self.low + (self.high - self.low) * at / 4 for at in range(5)]
        return [
            (self.pixel(value), f"{value * 100:.0f} %" if self.percent else f"{value:.3g}")
            for value in values
        ]


@dataclass(frozen=True, slots=True)
class PageChart:
    """A chart of lines."""

    title: str
    x: PageAxis
    y: PageAxis
    lines: Sequence[PageLine]

    def path(self, points: Points) -> str:
        """Return points as data of an SVG path."""
        return "L".join(f"{self.x.pixel(x)} {self.y.pixel(y)}" for x, y in points)


_DIAGONAL = PageLine("", ((0.0, 0.0), (1.0, 1.0)), "var(--quiet)", dashed=True)


def class_curves(evaluated: EvaluatedClasses) -> list[PageChart]:
    """Return ROC and precision-recall curves of the classes with the lowest average precision.

    The list is empty if there are images of one class only.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    known = [
        (average, label)
        for label, each in enumerate(report.outputs)
        if (average := each.metrics["average_precision"]) is not None
    ]
    roc: list[PageLine] = []
    recall: list[PageLine] = []
    for _, label in sorted(known)[:SHOWN]:
        found = evaluated.curves(label, _POINTS)
        if found is not None:
            for lines, (x, y) in zip((roc, recall), found, strict=True):
                points = list(zip(x.tolist(), y.tolist(), strict=True))
                lines.append(PageLine(report.classes[label], points, COLORS[len(lines)]))
    if not roc:
        return []
    return [
        PageChart("ROC", _x("False positive rate"), _y(), [_DIAGONAL, *roc]),
        PageChart("Precision by recall", _x("Recall"), _y(), recall),
    ]


def precision_by_recall(
    names: Sequence[str], curves: Sequence[PrecisionRecallCurve]
) -> list[PageChart]:
    """Return precision over recall of the first classes that have objects; empty without any.

    Args:
        names: Names of the classes, K.
        curves: Their curves, K.
    """
    lines: list[PageLine] = []
    for name, curve in zip(names, curves, strict=False):
        points = [(recall, precision) for recall, precision, _ in curve.points(_POINTS)]
        if points and curve.objects and len(lines) < SHOWN:
            lines.append(PageLine(name, points, COLORS[len(lines)]))
    return [PageChart("Precision by recall", _x("Recall"), _y(), lines)] if lines else []


def calibration(certainty: Certainty) -> list[PageChart]:
    """Return confidence against accuracy, and coverage against accuracy."""
    lines = [_DIAGONAL, PageLine("Uncalibrated", _points(certainty.bins))]
    if certainty.temperature is not None:
        points = _points(certainty.temperature.bins)
        lines.append(PageLine("Temperature-scaled", points, COLORS[1], dashed=True))
    points = [(point.coverage, point.accuracy) for point in certainty.coverage]
    lowest = min((accuracy for _, accuracy in points), default=0.0)
    y = _y(max(0.0, min(0.9, lowest - 0.02)))
    return [
        PageChart("Accuracy by confidence", _x("Confidence"), _y(), lines),
        PageChart(
            "Accuracy by coverage", _x("Fraction of images answered"), y, [PageLine("", points)]
        ),
    ]


def robustness(measured: Robustness | None) -> list[PageChart]:
    """Return accuracy by strength for each corruption."""
    return [_robustness(each) for each in measured.curves] if measured else []


def _robustness(curve: RobustnessCurve) -> PageChart:
    points = [(point.strength, point.accuracy) for point in curve.points]
    band = [point.interval for point in curve.points if point.interval is not None]
    line = PageLine("", points, band=band if len(band) == len(points) else ())
    x = _x(curve.unit, points[0][0], points[-1][0], percent=False)
    return PageChart(report_table.CORRUPTIONS[curve.corruption], x, _y(), [line])


def _points(bins: tuple[CalibrationBin, ...]) -> Points:
    return [(each.confidence, each.accuracy) for each in bins]


def _x(label: str, low: float = 0.0, high: float = 1.0, *, percent: bool = True) -> PageAxis:
    return PageAxis(label, low, high, 48, 358, percent)


def _y(low: float = 0.0) -> PageAxis:
    return PageAxis("", low, 1.0, 256, 12)


# The report of an evaluation as one HTML page without scripts that loads nothing else.
#
# The page is `assets/report/evaluation.html`, a Jinja2 template that escapes every value; this
# module chooses what it shows.

LARGEST_MATRIX = 60
"""Largest number of classes for which the whole matrix is drawn."""
CONFUSIONS = 20
MISTAKES = 36
"""Pictures of the most confident mistakes."""
CLASSES_WITH_PICTURES = 50
PER_CLASS = 5
"""Pictures of a class, right ones and wrong ones each."""


@dataclass(frozen=True, slots=True)
class _Image:
    """A picture with its true and predicted class; `address` is empty if it can't be read."""

    address: str
    text: str
    confidence: float


def rendered(template: str, **values: object) -> str:
    """Render a template of `assets/report` to a self-contained HTML page.

    Args:
        template: File name of the template.
        **values: Variables of the template.
    """
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: asset(f"report/{name}").read_text("utf-8")),
    )
    page = environment.get_template(template)
    style = Markup(asset("report/report.css").read_text("utf-8"))  # noqa: S704 - our own file
    return page.render(style=style, version=__version__, **values)


def html_page(
    evaluated: EvaluatedClasses,
    pictures: EmbeddedPictures | None,
    comparison: PairedComparison | None = None,
) -> str:
    """Render the page.

    Args:
        evaluated: The evaluation.
        pictures: The images of its dataset; None if that was deleted.
        comparison: Comparison with another model.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report, reporter = evaluated.report, evaluated.reporter
    wrong = evaluated.answers.mistakes(MISTAKES)
    return rendered(
        "classes.html",
        report=report,
        reporter=reporter,
        certainty=report.certainty,
        interval_text=report_table.interval_text,
        split_text=report_table.split_text,
        colors=COLORS,
        largest_matrix=LARGEST_MATRIX,
        confusion=evaluated.confusion.tolist(),
        confusions=evaluated.confusions(CONFUSIONS),
        comparison=comparison,
        gap_rows=report_table.gap_rows,
        curves=class_curves(evaluated),
        calibration=calibration(report.certainty) if report.certainty else [],
        robustness=robustness(report.robustness),
        mistakes=_images(evaluated, wrong, pictures) if pictures else [],
        class_images=_class_images(evaluated, pictures) if pictures else None,
    )


def _class_images(
    evaluated: EvaluatedClasses, pictures: EmbeddedPictures
) -> list[tuple[str, list[tuple[str, list[_Image]]]]]:
    """Return the most confident images of each class by name, in groups with a heading."""
    found = []
    for label, name in enumerate(evaluated.report.classes[:CLASSES_WITH_PICTURES]):
        groups = [
            (text, _images(evaluated, indices, pictures))
            for text, indices in (
                ("Right, most confident first", evaluated.surest_right(label, PER_CLASS)),
                ("Wrong, most confident first", evaluated.surest_wrong(label, PER_CLASS)),
            )
            if len(indices)
        ]
        if groups:
            found.append((name, groups))
    return found


def _images(
    evaluated: EvaluatedClasses, indices: Rows, pictures: EmbeddedPictures
) -> list[_Image]:
    names, answers = evaluated.report.classes, evaluated.answers
    found = []
    for index in indices.tolist():
        truth, predicted = names[answers.truth[index]], names[answers.predicted[index]]
        text = truth if truth == predicted else f"{truth} → {predicted}"
        address = pictures.address(int(answers.rows[index]))
        found.append(_Image(address, text, float(answers.scores[index])))
    return found


# All figures of an evaluation as one JSON document, with confusion matrix and curves.

POINTS = 101
"""Of each curve, at most."""


def json_document(evaluated: EvaluatedClasses) -> dict[str, Any]:
    """Plain data; unknown values are None.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    document = report.model_dump(mode="json")
    for name, figures in zip(report.classes, document["per_class"], strict=True):
        figures["class"] = name
    return {
        "run": report.subject.run,
        "model": report.subject.title,
        "dataset": report.subject.dataset_name,
        "split": report.subject.split,
        "task": report.task,
        "metrics": report.metrics,
        **document,
        "confusion_matrix": evaluated.confusion.tolist(),
        "curves": [
            _curves(name, found)
            for name, found in zip(report.classes, evaluated.all_curves(POINTS), strict=True)
        ],
    }


def json_text(evaluated: EvaluatedClasses) -> str:
    """Return the document as text.

    Raises:
        BadDataError: The probabilities are missing.
    """
    document = english(json_document(evaluated))
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def _curves(name: str, found: CurvePair | None) -> dict[str, Any]:
    document: dict[str, Any] = {"class": name, "roc": None, "pr": None}
    if found is not None:
        (false_positive, true_positive), (recall, precision) = found
        document["roc"] = {
            "false_positive_rate": false_positive.tolist(),
            "true_positive_rate": true_positive.tolist(),
        }
        document["pr"] = {"recall": recall.tolist(), "precision": precision.tolist()}
    return document
