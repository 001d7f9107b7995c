"""The report of an evaluation as one page that needs nothing else: no network, no script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from studio import __version__
from studio.engine.evaluation.mcnemar import Comparison
from studio.engine.evaluation.opened import Evaluated, Places
from studio.engine.evaluation.report import HEADLINES
from studio.engine.evaluation.reports import page_charts, svg
from studio.engine.evaluation.reports.page_style import STYLE
from studio.engine.evaluation.reports.pictures import Pictures
from studio.engine.evaluation.reports.words import (
    LABELS,
    interval_text,
    split_text,
    value_text,
)

TILES = ("accuracy", "top_5", "macro_f1", "balanced_accuracy", "loss", "calibration_error")
CLASS_COLUMNS = ("precision", "recall", "f1", "roc_auc", "average_precision", "support")
LARGEST_MATRIX = 60
"""Classes up to which the whole matrix is drawn; of more, the commonest mistakes are listed."""
CONFUSIONS = 20
MISTAKES = 36
"""Pictures of the surest mistakes."""
CLASSES_WITH_PICTURES = 50
PER_CLASS = 5
"""Pictures of a class, right ones and wrong ones each."""


def html_page(
    evaluated: Evaluated, pictures: Pictures | None, comparison: Comparison | None = None
) -> str:
    """The page.

    Args:
        evaluated: What it is about.
        pictures: Of its dataset; None where that was deleted.
        comparison: With another model.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    subject = report.subject
    title = f"{subject.title} on {subject.dataset_name}"
    body = "".join(
        [
            _head(evaluated, title),
            _section("Figures", _figures(evaluated)),
            _section("Compared", _comparison(comparison)) if comparison else "",
            _section("Classes", _classes(evaluated)),
            _section("Confusion", _confusion(evaluated)),
            _section("Curves", page_charts.class_curves(evaluated)),
            _section("Calibration and threshold", page_charts.calibration(report)),
            _section("Robustness", page_charts.robustness(report)) if report.robustness else "",
            *_images(evaluated, pictures),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _head(evaluated: Evaluated, title: str) -> str:
    report = evaluated.report
    subject = report.subject
    when = report.created.strftime("%Y-%m-%d %H:%M UTC")
    line = (
        f"{report.count:,} {split_text(subject.split)} images of version "
        f"{subject.dataset_version}, {len(report.classes):,} classes. {when}, Studio {__version__}"
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in report.notes)
    return f'<h1>{escape(title)}</h1><p class="quiet">{escape(line)}</p>{notes}'


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _figures(evaluated: Evaluated) -> str:
    report = evaluated.report
    tiles = "".join(
        f"<div><span>{LABELS[name]}</span><b>{value_text(name, getattr(report, name))}</b>"
        f"<span>{interval_text(name, report.intervals.get(name))}</span></div>"
        for name in TILES
    )
    rest = "".join(
        f"<tr><td>{LABELS[name]}</td>"
        f"<td>{_with_interval(name, getattr(report, name), report.intervals.get(name))}</td></tr>"
        for name in HEADLINES
        if name not in TILES
    )
    method = (
        f"Intervals hold 95 % of {report.resamples:,} resamples of the images."
        if report.resamples
        else "No intervals were asked for."
    )
    return (
        f'<div class="tiles">{tiles}</div><details><summary>More</summary><table>{rest}</table>'
        f'</details><p class="quiet">{method}</p>'
    )


def _with_interval(name: str, value: float | None, interval: tuple[float, float] | None) -> str:
    around = interval_text(name, interval)
    return value_text(name, value) + (f"<small>{around}</small>" if around else "")


def _comparison(comparison: Comparison) -> str:
    first, second = escape(comparison.first), escape(comparison.second)
    rows = "".join(
        f"<tr><td>{words}</td><td>{count:,}</td></tr>"
        for words, count in (
            ("Both right", comparison.both_right),
            (f"Only {first} right", comparison.only_first),
            (f"Only {second} right", comparison.only_second),
            ("Both wrong", comparison.both_wrong),
        )
    )
    around = interval_text("difference", comparison.interval)
    test = "exact binomial" if comparison.exact else "chi-squared, continuity corrected"
    return (
        f"<p>{escape(comparison.sentence)}</p><table>{rows}</table>"
        f'<p class="quiet">Difference of accuracy {comparison.difference * 100:+.1f} points '
        f"({around}); McNemar's test, {test}; {comparison.count:,} images.</p>"
    )


def _classes(evaluated: Evaluated) -> str:
    report = evaluated.report
    head = "".join(f"<th>{LABELS[name]}</th>" for name in CLASS_COLUMNS)
    rows = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(
            f"<td>{_with_interval(name, getattr(figures, name), figures.intervals.get(name))}</td>"
            for name in CLASS_COLUMNS
        )
        + "</tr>"
        for label, figures in zip(report.classes, report.per_class, strict=True)
    )
    return f"<table><thead><tr><th>Class</th>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _confusion(evaluated: Evaluated) -> str:
    names = evaluated.report.classes
    parts = []
    if len(names) <= LARGEST_MATRIX:
        parts.append(
            '<p class="quiet">Rows are true classes, columns what they were taken for.</p>'
        )
        parts.append(svg.matrix(names, evaluated.confusion.tolist()))
    rows = "".join(
        f"<tr><td>{escape(names[each.truth])} → {escape(names[each.predicted])}</td>"
        f"<td>{each.count:,}</td></tr>"
        for each in evaluated.confusions(CONFUSIONS)
    )
    if rows:
        head = "<thead><tr><th>Taken for</th><th>Images</th></tr></thead>"
        parts.append(f"<table>{head}<tbody>{rows}</tbody></table>")
    else:
        parts.append("<p>No image was taken for another class.</p>")
    return "".join(parts)


def _images(evaluated: Evaluated, pictures: Pictures | None) -> Iterator[str]:
    if pictures is None:
        yield _section("Images", "<p>The dataset was deleted, so there are no images.</p>")
        return
    wrong = evaluated.answers.mistakes(MISTAKES)
    if len(wrong):
        yield _section("Surest mistakes", _gallery(evaluated, wrong, pictures))
    classes = evaluated.report.classes[:CLASSES_WITH_PICTURES]
    parts = []
    for label, name in enumerate(classes):
        rows = "".join(
            f'<p class="quiet">{words}</p>{_gallery(evaluated, places, pictures)}'
            for words, places in (
                ("Surest right", evaluated.surest_right(label, PER_CLASS)),
                ("Surest wrong", evaluated.surest_wrong(label, PER_CLASS)),
            )
            if len(places)
        )
        if rows:
            parts.append(f"<details><summary>{escape(name)}</summary>{rows}</details>")
    yield _section("Images of each class", "".join(parts))


def _gallery(evaluated: Evaluated, places: Places, pictures: Pictures) -> str:
    names, answers = evaluated.report.classes, evaluated.answers
    cells = []
    for place in places.tolist():
        truth, taken = names[answers.truth[place]], names[answers.predicted[place]]
        words = truth if truth == taken else f"{truth} → {taken}"
        row = int(answers.rows[place])
        address = pictures.address(row)
        image = f'<img src="{address}" alt="">' if address else ""
        cells.append(
            f"<div>{image}{escape(words)}<br>"
            f'<span class="quiet">{answers.scores[place]:.1%}</span></div>'
        )
    return f'<div class="images">{"".join(cells)}</div>'
