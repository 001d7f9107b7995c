"""Texts of the export page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from studio.engine.exporting.certificate import (
    MIN_SHOWN,
    Certificate,
    ComparedMetric,
    ExportedFile,
    FileComparison,
    speed_up_of,
)
from studio.engine.exporting.formats import FORMATS, ExportFormat, Variant
from studio.engine.messages import in_sentence
from studio.engine.tasks.metric import MetricSpec
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.language import translated
from studio.ui.pages.export.state import Exported, is_folder, is_unchanged
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import NO_VALUE, count, number, percent, significant, size
from studio.ui.widgets.labels import state_word
from studio.ui.widgets.table_model import FILL, Column

_tr = partial(QCoreApplication.translate, "export")

Certified = ExportedFile | Exported
"""A row with a certificate."""

_GAP = "\N{NO-BREAK SPACE}"


def comparison(found: FileComparison, base: str) -> str:
    """Compare a file with another: 3.9 times smaller, accuracy 0.40 points worse."""
    figures = [_smaller(found.smaller)]
    if found.faster is not None:
        figures.append(_faster(found.faster))
    if found.metric:
        figures.append(_metric(found))
    return _tr("Compared with {base}: {figures}.").format(base=base, figures=", ".join(figures))


def against_keras(certificate: Certificate) -> str:
    """Compare the speed with the Keras model, with the interval: 2.1 times faster (1.9 to 2.3)."""
    faster, relative = speed_up_of(certificate), certificate.relative_latency
    if faster is None or relative is None:
        return _tr("unreliable: the machine was busy")
    if faster == 1:
        return _faster(faster)
    low, high = sorted((relative.low, relative.high), key=_times_value)
    return _tr("{comparison} ({low} to {high})").format(
        comparison=_faster(faster), low=_times(low), high=_times(high)
    )


def load_warning(certificate: Certificate) -> str:
    """Return a warning about the load of other programs; empty if there was little."""
    if not certificate.was_busy:
        return ""
    return _tr(
        "Other programs used {share} of the processors during the measurement: latency and "
        "throughput may look worse than they are."
    ).format(share=percent(certificate.others_share or 0, 0))


def _smaller(ratio: float) -> str:
    if abs(ratio - 1) < 0.05:
        return _tr("as large")
    pattern = _tr("{times} times smaller") if ratio > 1 else _tr("{times} times larger")
    return pattern.format(times=_times(ratio))


def _faster(ratio: float) -> str:
    if abs(ratio - 1) < 0.05:
        return _tr("about as fast")
    pattern = _tr("{times} times faster") if ratio > 1 else _tr("{times} times slower")
    return pattern.format(times=_times(ratio))


def _times(ratio: float) -> str:
    return QLocale().toString(_times_value(ratio), "f", 1)


def _times_value(ratio: float) -> float:
    return max(ratio, 1 / ratio)


def _metric(found: FileComparison) -> str:
    metric = in_sentence(translated(found.metric))
    if abs(found.points) < MIN_SHOWN:
        return _tr("same {metric}").format(metric=metric)
    if found.unit == "points":
        worse, better = (
            _tr("{metric} {points} points worse"),
            _tr("{metric} {points} points better"),
        )
    else:
        worse, better = (
            _tr("{metric} {points} % worse"),
            _tr("{metric} {points} % better"),
        )
    points = QLocale().toString(abs(found.points), "f", 2)
    return (worse if found.points < 0 else better).format(metric=metric, points=points)


def change(certificate: Certificate) -> str:
    """Return the change of the main metric, with its sign unless it is 0."""
    return NO_VALUE if certificate.main is None else _change(certificate.main)


def _change(compared: ComparedMetric) -> str:
    difference = compared.file - compared.model
    if abs(compared.lost) < MIN_SHOWN:
        return _tr("none")
    sign = "+" if difference > 0 else "\N{MINUS SIGN}"
    if not compared.spec.is_fraction:
        return sign + significant(abs(difference), 3)
    points = QLocale().toString(abs(difference) * 100, "f", 2)
    return _tr("{sign}{points} points").format(sign=sign, points=points)


def latency(milliseconds: float) -> str:
    """Format the latency of one image, such as 1.8 ms or 0.21 ms."""
    decimals = 2 if milliseconds < 1 else 1 if milliseconds < 100 else 0
    return f"{QLocale().toString(milliseconds, 'f', decimals)}{_GAP}ms"


def metric_label(certificates: Iterable[Certificate | None]) -> str:
    """Return the label of the common main metric of all certificates, or a general label."""
    mains = [each.main for each in certificates if each is not None]
    labels = {each.spec.label for each in mains if each is not None}
    return translated(labels.pop()) if len(labels) == 1 else _tr("Main metric")


def main_metric(certificate: Certificate) -> str:
    """Return the main metric of an exported file."""
    return NO_VALUE if certificate.main is None else _value(certificate.main)


def _value(compared: ComparedMetric) -> str:
    if compared.spec.is_fraction:
        return percent(compared.file)
    return significant(compared.file, 3)


def _main(certificate: Certificate, where: str) -> str:
    value = main_metric(certificate)
    if certificate.accuracy_interval is None:
        return f"{value} ({where})"
    low, high = certificate.accuracy_interval
    return _tr("{accuracy} ({low} to {high}; {where})").format(
        accuracy=value, low=percent(low), high=percent(high), where=where
    )


def _metrics(certificate: Certificate, where: str) -> list[tuple[str, str]]:
    rows = []
    for index, each in enumerate(certificate.compared):
        name = translated(each.spec.label)
        rows.append((name, _main(certificate, where) if index == 0 else _value(each)))
        rows.append((_tr("Change of {metric}").format(metric=in_sentence(name)), _change(each)))
    return rows


def _difference(certificate: Certificate) -> str:
    value = significant(certificate.largest_difference, 2)
    if certificate.scale is None:
        return value
    return _tr("{value} standard deviations").format(value=value)


def certificate_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return the certificate as names and values."""
    where = _tr("{count} images, {split}").format(
        count=count(certificate.count), split=split_word(certificate.split).lower()
    )
    origins = certificate.measured_on
    rows = [
        *([] if origins is None else [(_tr("Origins"), translated(origins.text))]),
        *_metrics(certificate, where),
        (_tr("Different predictions"), count(certificate.disagreements)),
        (_tr("Largest difference of an output"), _difference(certificate)),
        (_tr("Size of the model file"), size(certificate.size_bytes)),
        (_tr("Time for one image"), latency(certificate.latency_ms)),
    ]
    if certificate.latency_p95_ms is not None:
        rows.append((_tr("95th percentile of the time"), latency(certificate.latency_p95_ms)))
    if certificate.cpu_ms is not None:
        rows.append((_tr("Processor time for one image"), latency(certificate.cpu_ms)))
    if certificate.relative_latency is not None:
        rows.append((_tr("Against the Keras model"), against_keras(certificate)))
    if certificate.images_per_second is not None:
        batches = _tr("{speed} per second, in batches of {batch}")
        speed = count(round(certificate.images_per_second))
        rows.append((_tr("Images"), batches.format(speed=speed, batch=certificate.batch_size)))
    if certificate.runtime:
        rows.append((_tr("Run by"), certificate.runtime))
    checked = _tr("same prediction") if certificate.script_checked else _tr("different prediction")
    return [*rows, (_tr("Script check"), checked)]


def disagreements(certificate: Certificate) -> str:
    """Return the images with another answer, a line each."""
    pattern = _tr("{path}: true: {truth}; model: {model}; file: {file}")
    return "\n".join(
        pattern.format(path=each.path, truth=each.truth, model=each.model, file=each.file)
        for each in certificate.disagreeing
    )


def verdict(certificate: Certificate) -> str:
    """Return the certificate in a sentence."""
    if not certificate.certified:
        return " ".join([_tr("Not certified."), *_shortcomings(certificate)])
    if is_unchanged(certificate):
        return _tr("Certified: same predictions as the trained model.")
    return _tr("Certified, with the differences below.")


def _shortcomings(certificate: Certificate) -> Iterator[str]:
    tolerance, main = certificate.tolerance, certificate.main
    if main is not None and certificate.is_worse:
        pattern = (
            _tr("Its {metric} is {lost} points worse than the model's; the tolerance is {most}.")
            if main.spec.is_fraction
            else _tr("Its {metric} is {lost} % worse than the model's; the tolerance is {most} %.")
        )
        yield pattern.format(
            metric=in_sentence(translated(main.spec.label)),
            lost=significant(main.lost, 3),
            most=number(tolerance.points),
        )
    if certificate.disagrees:
        if certificate.box_agreement is not None:
            pattern = _tr(
                "It agrees with the model on {share} of the boxes; the tolerance is {least}."
            )
        elif certificate.object_agreement is not None:
            pattern = _tr(
                "It agrees with the model on {share} of the objects; the tolerance is {least}."
            )
        elif certificate.pixel_agreement is not None:
            pattern = _tr(
                "It agrees with the model on {share} of the pixels; the tolerance is {least}."
            )
        else:
            pattern = _tr(
                "It agrees with the model on {share} of the images; the tolerance is {least}."
            )
        least = f"{number(tolerance.agreement)}{_GAP}%"
        yield pattern.format(share=percent(certificate.agreement), least=least)
    if not certificate.script_checked:
        yield _tr("The script's prediction differs from that of its model file.")


def format_figures(certificate: Certificate | None) -> str:
    """Return the figures of a format for the chosen run, in a line."""
    if certificate is None:
        return ""
    return " · ".join(
        (
            precision_word(certificate.precision),
            size(certificate.size_bytes),
            _tr("change: {value}").format(value=change(certificate)),
            latency(certificate.latency_ms),
        )
    )


def precision_word(precision: str) -> str:
    """Return a precision, short."""
    words = {
        "float32": _tr("float32"),
        "float16": _tr("float16"),
        "dynamic": _tr("int8 weights"),
        "int8": _tr("int8"),
    }
    return words.get(precision, precision)


def precision_help(precision: str) -> str:
    """Return a precision, explained in a sentence."""
    words = {
        "float32": _tr("As it was trained."),
        "float16": _tr("Half the size; not faster on a CPU."),
        "dynamic": _tr("Weights in 8 bits: a quarter of the size, nearly the same predictions."),
        "int8": _tr(
            "All values in 8 bits, with ranges calibrated on training images: smallest, often "
            "fastest, least exact."
        ),
    }
    return words.get(precision, precision)


def file_label(file: ExportedFile) -> str:
    """Return a format with its precision."""
    return f"{format_label(file.format)} {precision_word(file.precision)}"


def file_columns(files: Sequence[ExportedFile]) -> list[Column[ExportedFile]]:
    """Return the columns of the table that compares formats."""
    columns: list[Column[ExportedFile]] = [
        Column(_tr("Format"), file_label, value=file_label, key="format", is_text=True),
        Column(_tr("Certified"), _verdict, value=_verdict, key="certified", is_text=True),
        *_figure_columns(metric_label(each.certificate for each in files)),
        Column(
            _tr("Images/s"),
            partial(_text, _speed),
            value=_images_per_second,
        ),
    ]
    return [replace(each, cell_tip=partial(_tip, each.text)) for each in columns]


def _figure_columns(metric: str) -> list[Column[Certified]]:
    """Return the columns of what a certificate says."""
    return [
        Column(_tr("Change"), partial(_text, change), value=_change_value, key="change"),
        Column(_tr("Size"), partial(_text, _size), value=_bytes, key="size"),
        Column(_tr("Time"), partial(_text, _time), value=_milliseconds, key="time"),
        Column(metric, partial(_text, main_metric), value=_main_value, key="metric"),
    ]


def _tip(text: Callable[[ExportedFile], str], file: ExportedFile) -> str:
    return file.problem or text(file)


def _verdict(file: ExportedFile) -> str:
    if file.certificate is None:
        return _tr("not written")
    return _tr("yes") if file.certificate.certified else _tr("NO")


def _speed(certificate: Certificate) -> str:
    speed = certificate.images_per_second
    return "" if speed is None else count(round(speed))


def _images_per_second(file: ExportedFile) -> float | None:
    return None if file.certificate is None else file.certificate.images_per_second


def _text(text: Callable[[Certificate], str], row: Certified) -> str:
    return "" if row.certificate is None else text(row.certificate)


def _size(certificate: Certificate) -> str:
    return size(certificate.size_bytes)


def _time(certificate: Certificate) -> str:
    return latency(certificate.latency_ms)


def _bytes(row: Certified) -> int | None:
    return None if row.certificate is None else row.certificate.size_bytes


def _milliseconds(row: Certified) -> float | None:
    return None if row.certificate is None else row.certificate.latency_ms


def _main_value(row: Certified) -> float | None:
    main = None if row.certificate is None else row.certificate.main
    return None if main is None else main.file


def _change_value(row: Certified) -> float | None:
    main = None if row.certificate is None else row.certificate.main
    return None if main is None else main.file - main.model


def main_spec(choice: RunChoice | None) -> MetricSpec:
    """Return the metric by which the files of a run are certified."""
    return task_of(choice).metrics[0]


def can_decode(choice: RunChoice | None) -> bool:
    """Return True if exported models of a run can contain the decoding of their outputs."""
    return task_of(choice).capabilities.decoding


def no_decoding(variants: Sequence[str]) -> str:
    """Return why no file can return boxes itself; empty if one can.

    Args:
        variants: The checked formats, as in plans.
    """
    if not any(Variant.parse(each).format.holds_decoding for each in variants):
        formats = ", ".join(translated(each.label) for each in FORMATS if each.holds_decoding)
        return _tr("Only possible in the formats {formats}.").format(formats=formats)
    return ""


def tolerance_heading(main: MetricSpec) -> str:
    """Return the heading of the tolerance."""
    return _tr("Tolerance ({metric})").format(metric=in_sentence(translated(main.label)))


def format_problem(requested: ExportFormat, missing: list[str]) -> str:
    """Return the packages that a format lacks, and the command that installs them."""
    return _tr("Needs {packages}. Install: {command}").format(
        packages=", ".join(missing), command=requested.install
    )


def format_label(name: str) -> str:
    """Return the label of a format; its name if this version of Studio does not know it."""
    return next((translated(each.label) for each in FORMATS if each.name == name), name)


def why_not(
    choice: RunChoice | None, folder: str | None, *, has_format: bool, is_asking: bool
) -> str:
    """Return why Export or Measure is disabled; empty if it is not.

    Args:
        choice: The chosen run.
        folder: Path of the folder as typed; None if no folder has to be chosen.
        has_format: True if a format is checked.
        is_asking: True while a job is being requested.
    """
    if choice is None:
        return _tr("Choose a model first.")
    if not has_format:
        return _tr("Check at least one format.")
    if folder is not None and not is_folder(folder):
        return no_folder()
    return _tr("The export is starting.") if is_asking else ""


def no_folder() -> str:
    """Return what to do where the folder is not an absolute path."""
    return _tr("Choose a folder by its full path first.")


def export_tip() -> str:
    """Return the explanation of the Export button."""
    return _tr("Writes the files and compares them with the trained model.")


def on_server() -> str:
    """Return why files of a served workspace are saved in two steps."""
    return _tr("The server writes the files: measure them, then save them here.")


def measure_tip() -> str:
    """Return the explanation of the Measure button."""
    return _tr(
        "Writes the checked formats to a temporary folder and compares them, before you save any."
    )


def saved(paths: list[str]) -> str:
    """Return the notice after measured files were saved."""
    if len(paths) == 1:
        return _tr("Saved to {path}.").format(path=paths[0])
    return _tr("{count} formats saved.").format(count=count(len(paths)))


def day(created: float) -> str:
    """Return the day of an export, by locale."""
    time = QDateTime.fromSecsSinceEpoch(round(created))
    return QLocale().toString(time.date(), QLocale.FormatType.ShortFormat)


def title(export: Exported) -> str:
    """Return the title of an export, with its formats."""
    if len(export.variants) != 1:
        formats = _tr("{count} formats").format(count=count(len(export.variants)))
        return f"{export.name} · {formats}"
    name, _, precision = export.variants[0].partition(":")
    label = format_label(name)
    return f"{export.name} · {label if precision == 'float32' else f'{label} {precision}'}"


def export_columns(exports: Sequence[Exported]) -> list[Column[Exported]]:
    """Return the columns of the table of all exports."""
    label = metric_label(each.certificate for each in exports)
    is_named = label == metric_label(())
    change_column, size_column, time_column, metric = _figure_columns(label)
    return [
        Column(_tr("Name"), title, value=title, key="name", width=FILL, is_text=True),
        replace(metric, text=partial(_outcome, is_named), is_text=True),
        replace(change_column, text=_export_change),
        size_column,
        time_column,
        Column(_tr("Day"), _day, value=_created, key="day", is_text=True, is_descending=True),
    ]


def _outcome(is_named: bool, export: Exported) -> str:
    """Return the main metric of an export of one file, or the state of another."""
    figures = export.certificate
    if figures is None and export.files and not export.is_active:
        good = sum(
            each.certificate is not None and each.certificate.certified for each in export.files
        )
        pattern = _tr("{good} of {all} certified")
        return pattern.format(good=count(good), all=count(len(export.files)))
    if figures is None:
        return state_word(export.state.value)
    metric = main_metric(figures)
    if is_named and figures.main is not None:
        return f"{translated(figures.main.spec.label)} {metric}"
    return metric


def _export_change(export: Certified) -> str:
    figures = export.certificate
    if figures is None:
        return ""
    return change(figures) if figures.certified else _tr("NOT CERTIFIED")


def _day(export: Exported) -> str:
    return day(export.created)


def _created(export: Exported) -> float:
    return export.created
