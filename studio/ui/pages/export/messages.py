"""The words of the export page."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from studio.engine.exporting.certificate import Certificate
from studio.engine.exporting.formats import FORMATS, ExportFormat
from studio.ui.pages.export.state import Exported, Obstacle, is_unchanged
from studio.ui.widgets.figures import count, percent, significant, size
from studio.ui.widgets.split_bar import split_word
from studio.ui.widgets.state_badge import state_word

_GAP = "\N{NO-BREAK SPACE}"


def change(difference: float) -> str:
    """A change of accuracy in percentage points, always with its sign unless it is nothing."""
    if abs(difference) < 5e-5:
        return _tr("none")
    sign = "+" if difference > 0 else "\N{MINUS SIGN}"
    points = QLocale().toString(abs(difference) * 100, "f", 2)
    return _tr("{sign}{points} points").format(sign=sign, points=points)


def latency(milliseconds: float) -> str:
    """Time for one image: 1.8 ms."""
    decimals = 1 if milliseconds < 100 else 0
    return f"{QLocale().toString(milliseconds, 'f', decimals)}{_GAP}ms"


def certificate_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """The certificate as names and values."""
    where = _tr("{count} images, {split}").format(
        count=count(certificate.count), split=split_word(certificate.split).lower()
    )
    return [
        (_tr("Accuracy"), f"{percent(certificate.accuracy)} ({where})"),
        (_tr("Change of accuracy"), change(certificate.accuracy_change)),
        (_tr("Different answers"), count(certificate.disagreements)),
        (_tr("Largest difference of a score"), significant(certificate.largest_difference, 2)),
        (_tr("Size of the model file"), size(certificate.size_bytes)),
        (_tr("Time for one image"), latency(certificate.latency_ms)),
        (
            _tr("Script run on the example"),
            _tr("same answer") if certificate.script_checked else _tr("not checked"),
        ),
    ]


def verdict(certificate: Certificate) -> str:
    """The certificate in a sentence."""
    if is_unchanged(certificate):
        return _tr("Certified: answers exactly as the trained model does.")
    return _tr("Certified: read the differences below before you rely on it.")


def format_figures(certificate: Certificate | None) -> str:
    """What is known of a format for the chosen run, in a line."""
    if certificate is None:
        return ""
    return " · ".join(
        (
            size(certificate.size_bytes),
            _tr("accuracy change: {value}").format(value=change(certificate.accuracy_change)),
            latency(certificate.latency_ms),
        )
    )


def format_problem(wanted: ExportFormat, missing: list[str]) -> str:
    """Why a format cannot be written here, and what to type."""
    return _tr("Needs {packages}. Install: {command}").format(
        packages=", ".join(missing), command=wanted.install
    )


def format_label(name: str) -> str:
    """What people call a format; its name when this Studio does not know it."""
    return next((each.label for each in FORMATS if each.name == name), name)


def why_not(reason: Obstacle | None) -> str:
    """The tooltip of the Export button."""
    words = {
        None: _tr("Write the files, then check them against the trained model."),
        Obstacle.NO_RUN: _tr("Choose a model first."),
        Obstacle.PACKAGE_MISSING: _tr("Choose a format whose packages are installed."),
        Obstacle.NO_FOLDER: _tr("Choose a folder first, with its whole path."),
        Obstacle.ASKING: _tr("It is being asked for."),
    }
    return words[reason]


def day(created: float) -> str:
    """The day of an export, by locale."""
    moment = QDateTime.fromSecsSinceEpoch(round(created))
    return QLocale().toString(moment.date(), QLocale.FormatType.ShortFormat)


def title(export: Exported) -> str:
    """What an export is called, with its format."""
    return f"{export.name} · {format_label(export.format)}"


def table_row(export: Exported) -> list[str]:
    """An earlier export as the cells of a row."""
    figures, name = export.certificate, title(export)
    if figures is None:
        return [name, state_word(export.state.value), "", "", "", day(export.created)]
    return [
        name,
        percent(figures.accuracy),
        change(figures.accuracy_change),
        size(figures.size_bytes),
        latency(figures.latency_ms),
        day(export.created),
    ]


def table_headings() -> list[str]:
    """The headings of the table of earlier exports."""
    return [
        _tr("Name"),
        _tr("Accuracy"),
        _tr("Change"),
        _tr("Size"),
        _tr("Time"),
        _tr("Day"),
    ]


def _tr(text: str) -> str:
    return QCoreApplication.translate("export", text)
