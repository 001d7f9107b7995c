"""The summary of an import as text: format, classes, splits, what was left out, and warnings."""

from __future__ import annotations

from collections.abc import Sequence

from studio.cli.verb import CommandOutput, counted, figure
from studio.engine.datasets.import_report import ImportReport, left_out_groups
from studio.engine.datasets.sources.base import Skipped
from studio.engine.tasks import TASKS

MAX_GROUPS = 12
"""Number of kinds of reasons that are printed."""


def print_report(output: CommandOutput, report: ImportReport) -> None:
    """Print a summary.

    Args:
        output: Prints it.
        report: The summary.
    """
    images = "images are" if report.count != 1 else "image is"
    output.say(f"{report.count:,} {images} to be imported for {TASKS[report.task].label.lower()}.")
    print_facts(output, report)
    rows = [
        [name, *([f"{regions:,}"] if report.class_regions else []), f"{images:,}"]
        for name, images, regions in zip(
            report.classes,
            report.class_images,
            report.class_regions or [0] * len(report.classes),
            strict=True,
        )
    ]
    what = TASKS[report.task].output_names[0]
    output.table([what, *([report.unit] if report.class_regions else []), "images"], rows)
    print_left_out(output, report.skipped)
    print_warnings(output, report)


def print_facts(output: CommandOutput, report: ImportReport) -> None:
    """Print where images and splits come from.

    Args:
        output: Prints them.
        report: The summary.
    """
    for source in report.sources:
        several = f", {counted(source.count, 'image')}" if len(report.sources) > 1 else ""
        output.say(f"Format: {source.name} ({source.label}){several}")
    splits = ", ".join(f"{count:,} {name}" for name, count in report.counts.items())
    output.say(f"Splits: {splits}; from: {report.splits.text}")
    for pixels in report.pixels:
        channels = counted(pixels.channels, "channel")
        several = f", {counted(pixels.count, 'image')}" if len(report.pixels) > 1 else ""
        value_range = f"{figure(pixels.low)} to {figure(pixels.high)}"
        output.say(f"Pixels: {pixels.dtype}, {channels}, values {value_range}{several}")
    if not report.is_complete:
        output.say(
            f"Examined: {report.examined:,} of {report.total:,} images, chosen at random. Numbers "
            f"of {report.unit} and files left out are those of the examined images."
        )


def print_left_out(output: CommandOutput, skipped: Sequence[Skipped]) -> None:
    """Print what is left out by the kind of the reason, with the first example of each.

    Args:
        output: Prints it.
        skipped: What is left out.
    """
    if not skipped:
        return
    partial = sum(entry.is_partial for entry in skipped)
    objects = sum(entry.objects for entry in skipped)
    parts = [f"{counted(len(skipped) - partial, 'file')} left out"]
    parts += [f"{partial:,} used in part"] if partial else []
    parts += [f"{counted(objects, 'object')} in total"] if objects else []
    output.say(f"{', '.join(parts)}:")
    groups = left_out_groups(skipped)
    for group in groups[:MAX_GROUPS]:
        first = group.first
        line = f", line {first.line}" if first.line else ""
        more = f" (and {group.count - 1:,} more like this)" if group.count > 1 else ""
        output.say(f"  {first.path}{line}: {first.reason}{more}")
    if len(groups) > MAX_GROUPS:
        output.say(f"  … and {len(groups) - MAX_GROUPS:,} other reasons")
    if len(groups) < len(skipped):
        output.say("  --json lists all")


def print_warnings(output: CommandOutput, report: ImportReport) -> None:
    """Print the warnings, which a person should check.

    Args:
        output: Prints them.
        report: The summary.
    """
    if report.warnings:
        output.say(f"{counted(len(report.warnings), 'warning')}; please check:")
    for warning in report.warnings:
        output.say(f"  {warning}")
