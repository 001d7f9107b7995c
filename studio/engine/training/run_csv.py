"""The figures of a run as comma-separated values: numbers with a point, empty where there is none.

Every epoch and every step is there: nothing is thinned away.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from studio.engine.csv_cells import CsvWriter
from studio.engine.errors import StudioError
from studio.engine.files import replacing
from studio.engine.training.events import EpochDone
from studio.engine.training.history import RunHistory

EPOCH_COLUMNS = (
    "epoch",
    "step",
    "loss",
    "accuracy",
    "val_loss",
    "val_accuracy",
    "top_5",
    "val_top_5",
    "learning_rate",
    "seconds",
    "images_per_second",
)
STEP_COLUMNS = ("step", "epoch", "loss", "accuracy")
_CHUNK = 10_000


def epoch_rows(history: RunHistory) -> Iterator[Sequence[object]]:
    """The heading, and a row for each epoch and each validation in the middle of one."""
    yield EPOCH_COLUMNS
    for each in history.measured:
        row = [getattr(each, name, math.nan) for name in EPOCH_COLUMNS]
        yield row if isinstance(each, EpochDone) else [_short(each.epoch), *row[1:]]


def step_rows(history: RunHistory) -> Iterator[Sequence[object]]:
    """The heading, and a row for each step; `epoch` is how many epochs were done after it."""
    yield STEP_COLUMNS
    per_epoch = history.training.steps_per_epoch if history.training else 0
    losses, accuracies = history.step_loss, history.step_accuracy
    for step, (loss, accuracy) in enumerate(zip(losses, accuracies, strict=True), 1):
        yield step, _short(step / per_epoch) if per_epoch else "", loss, accuracy


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as text; lines end with a line feed."""
    return "".join(_chunks(rows))


def write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write rows to a file, which appears whole or not at all.

    Raises:
        StudioError: The file cannot be written.
        DiskFullError: No space was left.
    """
    try:
        with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
            file.writelines(_chunks(rows))
    except OSError as error:
        raise StudioError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Choose a folder that is there and that you may write to.",
            "to",
        ) from error


def _chunks(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    text = io.StringIO()
    writer = CsvWriter(text)
    for number, row in enumerate(rows, 1):
        writer.writerow(["" if isinstance(x, float) and math.isnan(x) else x for x in row])
        if number % _CHUNK == 0:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _short(epochs: float) -> float:
    return round(epochs, 6)
