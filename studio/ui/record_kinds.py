"""Kinds of records in the window: their words, their pages and their icons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from studio.engine.workspace import RecordKind

_tr = partial(QCoreApplication.translate, "Kinds")


@dataclass(frozen=True, slots=True)
class KindSpec:
    """A kind of record.

    Attributes:
        word: Its name, in English.
        page: Name of the page that shows its records.
        title: What a job of this kind does, in English, with the name of the record; empty for
            records that are no jobs.
        icon: Icon of a record in the palette; empty if the palette does not list them.
    """

    word: str
    page: str
    title: str = ""
    icon: str = ""


KINDS: Final = {
    RecordKind.DATASET: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Dataset")),
        "datasets",
        str(QT_TRANSLATE_NOOP("Kinds", "Import {name}")),
        "datasets",
    ),
    RecordKind.RUN: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Run")),
        "train",
        str(QT_TRANSLATE_NOOP("Kinds", "Train {name}")),
        "train",
    ),
    RecordKind.EVALUATION: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Evaluation")),
        "evaluation",
        str(QT_TRANSLATE_NOOP("Kinds", "Evaluate {name}")),
        "evaluate",
    ),
    RecordKind.EXPORT: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Export")),
        "export",
        str(QT_TRANSLATE_NOOP("Kinds", "Export {name}")),
        "export",
    ),
    RecordKind.AUDIT: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Audit")),
        "datasets",
        str(QT_TRANSLATE_NOOP("Kinds", "Audit {name}")),
    ),
    RecordKind.BASELINE: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Baseline")),
        "datasets",
        str(QT_TRANSLATE_NOOP("Kinds", "Baseline of {name}")),
    ),
    RecordKind.PREFLIGHT: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Preflight check")),
        "train",
        str(QT_TRANSLATE_NOOP("Kinds", "Preflight check on {name}")),
    ),
    RecordKind.SWEEP: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Sweep")),
        "sweeps",
        str(QT_TRANSLATE_NOOP("Kinds", "Sweep {name}")),
        "sweeps",
    ),
    RecordKind.EMBEDDING: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Map")),
        "explore",
        str(QT_TRANSLATE_NOOP("Kinds", "Map of {name}")),
        "explore",
    ),
    RecordKind.BENCHMARK: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Benchmark")),
        "bench",
        str(QT_TRANSLATE_NOOP("Kinds", "Benchmark {name}")),
        "benchmarks",
    ),
    RecordKind.OPERATIONS: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Benchmark of operations")),
        "bench",
        str(QT_TRANSLATE_NOOP("Kinds", "Benchmark of operations {name}")),
        "benchmarks",
    ),
    RecordKind.PREDICTIONS: KindSpec(
        str(QT_TRANSLATE_NOOP("Kinds", "Benchmark of predictions")),
        "bench",
        str(QT_TRANSLATE_NOOP("Kinds", "Benchmark of predictions {name}")),
        "benchmarks",
    ),
    RecordKind.NETWORK: KindSpec(str(QT_TRANSLATE_NOOP("Kinds", "Network")), "networks"),
    RecordKind.LABELING: KindSpec(str(QT_TRANSLATE_NOOP("Kinds", "Labeling")), "label"),
}


def kind_word(kind: RecordKind) -> str:
    """Return the name of a kind of record."""
    return _tr(KINDS[kind].word)


def job_title(kind: RecordKind, name: str) -> str:
    """Return what a job does.

    Args:
        kind: Kind of its record.
        name: Name of its record.
    """
    return _tr(KINDS[kind].title).format(name=name)
