"""Summary of an import in the window: facts, warnings, and a sample of images with annotations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.import_report import ImportReport, SourcePixels
from studio.engine.tasks import TASKS
from studio.ui.language import translated
from studio.ui.pages.datasets.messages import images
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel, IconLabel
from studio.ui.widgets.layout import fill, hbox

_tr = partial(QCoreApplication.translate, "datasets")
Rows = list[tuple[str, ...]]


def report_facts(report: ImportReport) -> dict[str, str]:
    """Describe formats, splits and pixels of an import, by their names."""
    formats = dict.fromkeys(translated(source.label) for source in report.sources)
    splits = ", ".join(
        f"{split_word(name)} {count(number)}" for name, number in report.counts.items() if number
    )
    facts = {
        _tr("Format"): "\n".join(formats),
        _tr("Splits"): splits,
        _tr("Splits from"): translated(report.splits.text),
        _tr("Pixels"): "\n".join(map(_pixel_line, report.pixels)),
    }
    if not report.is_complete:
        facts[_tr("Examined")] = _tr("{n} of {total} images, chosen at random").format(
            n=count(report.examined), total=count(report.total)
        )
    return {name: text for name, text in facts.items() if text}


def _pixel_line(pixels: SourcePixels) -> str:
    channels = _tr("1 channel") if pixels.channels == 1 else _tr("{n} channels")
    return _tr("{dtype}, {channels}, {low} to {high} ({images})").format(
        dtype=pixels.dtype,
        channels=channels.format(n=pixels.channels),
        low=QLocale().toString(pixels.low, "g", 6),
        high=QLocale().toString(pixels.high, "g", 6),
        images=images(pixels.count),
    )


def class_rows(report: ImportReport) -> tuple[tuple[str, ...], Rows]:
    """Return headings and rows of the classes with their objects or pixels, and images."""
    task = TASKS[report.task]
    words = {"objects": _tr("Objects"), "pixels": _tr("Pixels")}
    headings = (view_of(task).words(task).output, words[report.unit], _tr("Images"))
    rows: Rows = [
        (name, count(regions), count(number))
        for name, regions, number in zip(
            report.classes, report.class_regions, report.class_images, strict=True
        )
    ]
    return headings, rows


class WarningList(Card):
    """Warnings about an import; hidden while there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(self.tr("Please check"))
        self._label = HintLabel(tone="advice", parent=self)
        icon = IconLabel(theme, "warning", "warn", parent=self)
        line = hbox((icon, Qt.AlignmentFlag.AlignTop), (self._label, 1), spacing=SPACE.s)
        fill(self.body, line)
        self.show_warnings([])

    def show_warnings(self, warnings: Sequence[str]) -> None:
        """Show warnings of the engine, one per line."""
        self._label.show_text("\n".join(map(translated, warnings)))
        self.setVisible(bool(warnings))

    def text(self) -> str:
        """Return the text that is shown."""
        return self._label.text()
