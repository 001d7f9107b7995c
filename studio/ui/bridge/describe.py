"""What a job is doing, in words, the same wherever a job is shown."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.widgets.figures import count, percent, significant


def title(entry: JobEntry) -> str:
    """What kind of work it is, and on what."""
    patterns = {
        RecordKind.DATASET: _tr("Import {name}"),
        RecordKind.RUN: _tr("Train {name}"),
        RecordKind.EVALUATION: _tr("Measure {name}"),
        RecordKind.EXPORT: _tr("Export {name}"),
        RecordKind.AUDIT: _tr("Audit {name}"),
        RecordKind.BASELINE: _tr("Baseline of {name}"),
        RecordKind.PREFLIGHT: _tr("Measure a training on {name}"),
    }
    return patterns[entry.key[0]].format(name=entry.name)


def detail(history: JobHistory) -> str:
    """How far it is, or how it ended."""
    if history.state == State.QUEUED:
        return _tr("Waits for its turn")
    if history.state.is_finished and history.reason:
        return history.reason
    if history.training is not None:
        return _training(history)
    if history.progress is not None and history.progress.total:
        pattern = _tr("{done} of {total}")
        done, total = count(history.progress.done), count(history.progress.total)
        return pattern.format(done=done, total=total)
    return history.progress.what if history.progress else ""


def _training(history: JobHistory) -> str:
    if history.training is None or not history.epochs:
        return _tr("First epoch")
    last = history.epochs[-1]
    words = [
        _tr("Epoch {epoch} of {epochs}").format(epoch=last.epoch, epochs=history.training.epochs),
        _tr("loss {value}").format(value=significant(last.loss)),
    ]
    if math.isfinite(last.val_accuracy):
        words.append(_tr("validation accuracy {value}").format(value=percent(last.val_accuracy)))
    else:
        words.append(_tr("accuracy {value}").format(value=percent(last.accuracy)))
    return " · ".join(words)


def _tr(text: str) -> str:
    return QCoreApplication.translate("describe", text)
