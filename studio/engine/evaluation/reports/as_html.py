"""The report of an evaluation as one HTML page without scripts that loads nothing else.

The page is `assets/report/evaluation.html`, a Jinja2 template that escapes every value; this
module chooses what it shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment, StrictUndefined

from studio import __version__
from studio.engine.assets import asset
from studio.engine.evaluation.mcnemar import Comparison
from studio.engine.evaluation.opened import Evaluated, Places
from studio.engine.evaluation.report import HEADLINES
from studio.engine.evaluation.reports import charts
from studio.engine.evaluation.reports.pictures import Pictures
from studio.engine.evaluation.reports.words import LABELS, interval_text, split_text, value_text

TILES = ("accuracy", "top_5", "macro_f1", "balanced_accuracy", "loss", "calibration_error")
CLASS_COLUMNS = ("precision", "recall", "f1", "roc_auc", "average_precision", "support")
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


def html_page(
    evaluated: Evaluated, pictures: Pictures | None, comparison: Comparison | None = None
) -> str:
    """Render the page.

    Args:
        evaluated: The evaluation.
        pictures: The images of its dataset; None if that was deleted.
        comparison: Comparison with another model.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(asset("report/evaluation.html").read_text("utf-8"))
    wrong = evaluated.answers.mistakes(MISTAKES)
    return template.render(
        report=report,
        version=__version__,
        labels=LABELS,
        tiles=TILES,
        headlines=HEADLINES,
        class_columns=CLASS_COLUMNS,
        value_text=value_text,
        interval_text=interval_text,
        split_text=split_text,
        colors=charts.COLORS,
        largest_matrix=LARGEST_MATRIX,
        confusion=evaluated.confusion.tolist(),
        confusions=evaluated.confusions(CONFUSIONS),
        comparison=comparison,
        curves=charts.class_curves(evaluated),
        calibration=charts.calibration(report),
        robustness=charts.robustness(report),
        mistakes=_images(evaluated, wrong, pictures) if pictures else [],
        class_images=_class_images(evaluated, pictures) if pictures else None,
    )


def _class_images(
    evaluated: Evaluated, pictures: Pictures
) -> list[tuple[str, list[tuple[str, list[_Image]]]]]:
    """Return the most confident images of each class by name, in groups with a heading."""
    found = []
    for label, name in enumerate(evaluated.report.classes[:CLASSES_WITH_PICTURES]):
        groups = [
            (text, _images(evaluated, places, pictures))
            for text, places in (
                ("Right, most confident first", evaluated.surest_right(label, PER_CLASS)),
                ("Wrong, most confident first", evaluated.surest_wrong(label, PER_CLASS)),
            )
            if len(places)
        ]
        if groups:
            found.append((name, groups))
    return found


def _images(evaluated: Evaluated, places: Places, pictures: Pictures) -> list[_Image]:
    names, answers = evaluated.report.classes, evaluated.answers
    found = []
    for place in places.tolist():
        truth, predicted = names[answers.truth[place]], names[answers.predicted[place]]
        text = truth if truth == predicted else f"{truth} → {predicted}"
        address = pictures.address(int(answers.rows[place]))
        found.append(_Image(address, text, float(answers.scores[place])))
    return found
