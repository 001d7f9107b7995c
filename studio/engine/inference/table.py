"""The answers for many pictures as a table, and how many of them are right."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.csv_cells import CsvWriter
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.inference.answers import Prediction


@dataclass(frozen=True, slots=True)
class Tally:
    """How many answers are right.

    Attributes:
        right: Pictures whose known class was found most likely.
        known: Pictures whose class is known and that were answered.
        unreadable: Pictures without an answer.
    """

    right: int = 0
    known: int = 0
    unreadable: int = 0

    @property
    def accuracy(self) -> float | None:
        """Share of right answers, 0 to 1; None where no class is known."""
        return self.right / self.known if self.known else None

    def plus(self, pairs: Iterable[tuple[Prediction, str]]) -> Tally:
        """With more answers and the known class of each, empty where it is not known."""
        right, known, unreadable = self.right, self.known, self.unreadable
        for prediction, label in pairs:
            verdict = is_right(prediction, label)
            right += verdict is True
            known += verdict is not None
            unreadable += bool(prediction.error)
        return Tally(right, known, unreadable)


def is_right(prediction: Prediction, label: str) -> bool | None:
    """Whether the first answer is the known class; None where there is no answer or no class."""
    if not label or not prediction.scores:
        return None
    return prediction.scores[0].label == label


def as_csv(predictions: Sequence[Prediction], labels: Sequence[str] = ()) -> str:
    """A table with a line per picture, numbers with a point and nothing rounded.

    The columns are `image,class,score`, then `class_2,score_2` and so on; after them `label,right`
    where the class of any picture is known (`right` is 1, 0 or empty), and `error` where any
    picture has no answer.

    Args:
        predictions: The answers.
        labels: The known class of each, empty where it is not known; none at all for none known.
    """
    known = list(labels) if any(labels) else []
    has_errors = any(prediction.error for prediction in predictions)
    width = max((len(prediction.scores) for prediction in predictions), default=1) or 1
    text = io.StringIO()
    writer = CsvWriter(text)
    extra = [f"{word}_{rank}" for rank in range(2, width + 1) for word in ("class", "score")]
    extra += (["label", "right"] if known else []) + (["error"] if has_errors else [])
    writer.writerow(["image", "class", "score", *extra])
    for place, prediction in enumerate(predictions):
        cells = [cell for score in prediction.scores for cell in (score.label, score.score)]
        cells += [""] * (2 * width - len(cells))
        if known:
            verdict = is_right(prediction, known[place])
            cells += [known[place], "" if verdict is None else int(verdict)]
        writer.writerow([prediction.image, *cells, *([prediction.error] if has_errors else [])])
    return text.getvalue()


def write_table(path: Path, predictions: Sequence[Prediction], labels: Sequence[str]) -> None:
    """Write what `as_csv` gives into a file.

    Raises:
        StudioError: The file cannot be written.
    """
    try:
        write_atomically(path, as_csv(predictions, labels).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise StudioError(
            f"The table {path} cannot be written: {error.strerror or error}.",
            "Choose a file that you may write to.",
            "csv",
        ) from error
