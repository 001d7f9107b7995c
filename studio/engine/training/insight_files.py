"""The files of insights: one for each validation, in the record of a run.

`insights/step-000123.npz` holds the answer for every validation image, the best guesses for a
fixed set of pictures, and norms of every layer. To keep it small, row numbers are written as
steps from one to the next, and numbers of classes in 16 bits where they fit.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.files import PARTIAL, remove, write_atomically
from studio.engine.training import insights

FOLDER = "insights"
MOST_FILES = 200
"""Files of a run that are kept; see `superfluous`."""

_NAME = re.compile(r"step-(\d+)\.npz")
_VERSION = 1


def insight_path(folder: Path, step: int) -> Path:
    """Where the insight of a step lies in the record of a run."""
    return folder / FOLDER / f"step-{step:06}.npz"


def write_insight(folder: Path, insight: insights.Insight) -> Path:
    """Write an insight into the record of a run, in the place of an older one of its step.

    Raises:
        DiskFullError: No space was left.
    """
    answers, pictures = insight.answers, insight.pictures
    names = [norm.name for norm in insight.norms]
    norms = [(norm.weight, norm.gradient, norm.update) for norm in insight.norms]
    data, found = BytesIO(), insight.targets
    targets: dict[str, Any] = {}
    if found is not None:
        targets = {
            "target_rows": np.append(np.diff(found.rows, prepend=0), found.of),
            "target_truth": found.truth,
            "target_outputs": found.outputs,
        }
    np.savez_compressed(
        data,
        **targets,
        head=np.array(
            [_VERSION, insight.epoch, insight.step, insight.classes, answers.of], np.float64
        ),
        rows=np.diff(answers.rows, prepend=0),
        truth=_small(answers.truth),
        predicted=_small(answers.predicted),
        scores=answers.scores,
        picture_rows=pictures.rows,
        picture_truth=pictures.truth,
        picture_classes=pictures.classes,
        picture_scores=pictures.scores,
        norm_names=np.array(names, np.str_),
        norms=np.array(norms, np.float64).reshape(-1, 3),
    )
    path = insight_path(folder, insight.step)
    write_atomically(path, data.getvalue())
    return path


def read_insight(path: Path) -> insights.Insight:
    """Read what `write_insight` wrote.

    Raises:
        BadDataError: It is missing or damaged.
    """
    columns = _columns(path)
    try:
        insight = _insight(columns)
        _check(insight)
    except DAMAGED as error:
        raise _damaged(path) from error
    return insight


def read_norms(path: Path) -> tuple[insights.LayerNorm, ...]:
    """The norms alone: a chart needs those of all insights of a run.

    Raises:
        BadDataError: The file is missing or damaged.
    """
    columns = _columns(path, ("norm_names", "norms"))
    try:
        return _norms(columns)
    except DAMAGED as error:
        raise _damaged(path) from error


def kept_steps(folder: Path) -> list[int]:
    """The steps of a run whose insights are there, ascending."""
    try:
        names = [path.name for path in (folder / FOLDER).iterdir()]
    except OSError:
        return []
    return sorted(int(found[1]) for found in map(_NAME.fullmatch, names) if found)


def thin_out(folder: Path, now: int, best: int | None, most: int = MOST_FILES) -> None:
    """Remove insights that are too many, and those of steps that are still to be done again.

    The events that told of them stay: whoever reads passes over files that are gone.

    Args:
        folder: The record of the run.
        now: The step of the insight that was just written.
        best: The step of the best validation so far; None where nothing was best.
        most: How many may remain.
    """
    steps = kept_steps(folder)
    ahead = [step for step in steps if step > now]
    steps = steps[: len(steps) - len(ahead)]
    for step in (*ahead, *superfluous(steps, best, most)):
        # An open file cannot be removed on Windows; then it is next time.
        with contextlib.suppress(OSError):
            remove(insight_path(folder, step))


def superfluous(steps: Sequence[int], best: int | None, most: int = MOST_FILES) -> list[int]:
    """The steps to let go so that `most` remain: first, best, last, and the rest evenly spread.

    Again and again the one goes that leaves the smallest gap, of equals the earliest.

    Args:
        steps: Ascending.
        best: Is kept, if it is among them.
        most: At least 3.
    """
    left, gone = list(steps), []
    while len(left) > most:
        gaps = [
            (left[at + 1] - left[at - 1], at) for at in range(1, len(left) - 1) if left[at] != best
        ]
        gone.append(left.pop(min(gaps)[1]))
    return gone


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed worker left of files that it was writing; only for who writes them."""
    for partial in (folder / FOLDER).glob(f".step-*{PARTIAL}.npz"):
        remove(partial)


def _small(labels: insights.Labels) -> NDArray[Any]:
    fits = labels.max(initial=0) <= np.iinfo(np.uint16).max
    return labels.astype(np.uint16) if fits else labels


def _columns(path: Path, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            wanted: Iterable[str] = file.files if names is None else names
            return {name: file[name] for name in wanted}
    except DAMAGED as error:
        raise _damaged(path) from error


def _insight(columns: dict[str, NDArray[Any]]) -> insights.Insight:
    version, epoch, step, classes, of = columns["head"].tolist()
    if version != _VERSION:
        raise ValueError(f"the file is of version {version:g}")
    answers = insights.Answers(
        np.cumsum(columns["rows"], dtype=np.int64),
        columns["truth"].astype(np.int32),
        columns["predicted"].astype(np.int32),
        columns["scores"].astype(np.float32),
        int(of),
    )
    pictures = insights.Guesses(
        columns["picture_rows"].astype(np.int64),
        columns["picture_truth"].astype(np.int32),
        columns["picture_classes"].astype(np.int32),
        columns["picture_scores"].astype(np.float32),
    )
    norms = _norms(columns)
    return insights.Insight(
        epoch, int(step), int(classes), answers, pictures, norms, _targets(columns)
    )


def _targets(columns: dict[str, NDArray[Any]]) -> insights.TargetAnswers | None:
    if "target_rows" not in columns:
        return None
    *steps, of = columns["target_rows"].tolist()
    return insights.TargetAnswers(
        np.cumsum(steps, dtype=np.int64),
        columns["target_truth"].astype(np.float32),
        columns["target_outputs"].astype(np.float32),
        int(of),
    )


def _norms(columns: dict[str, NDArray[Any]]) -> tuple[insights.LayerNorm, ...]:
    return tuple(
        insights.LayerNorm(str(name), *values)
        for name, values in zip(columns["norm_names"], columns["norms"].tolist(), strict=True)
    )


def _check(insight: insights.Insight) -> None:
    answers, pictures, targets = insight.answers, insight.pictures, insight.targets
    if targets is not None:
        shape = (len(targets.rows), insight.classes)
        if targets.truth.shape != shape or targets.outputs.shape != shape:
            raise ValueError("the targets do not fit the rows")
    if (
        not len(answers.rows)
        == len(answers.truth)
        == len(answers.predicted)
        == len(answers.scores)
    ):
        raise ValueError("the columns do not have the same length")
    if pictures.classes.shape != pictures.scores.shape or not (
        len(pictures.rows) == len(pictures.truth) == len(pictures.classes)
    ):
        raise ValueError("the guesses do not fit the pictures")
    for labels in (answers.truth, answers.predicted, pictures.truth, pictures.classes):
        if labels.min(initial=0) < 0 or labels.max(initial=0) >= max(insight.classes, 1):
            raise ValueError("a label has no class")


def _damaged(path: Path) -> BadDataError:
    return BadDataError(
        f"What was kept in {path} cannot be read.",
        "The other epochs are not affected.",
        str(path),
    )
