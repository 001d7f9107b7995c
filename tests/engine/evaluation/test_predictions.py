"""Predictions beside an evaluation: what is written is read, and damage is reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.engine.errors import BadDataError
from studio.engine.evaluation.evaluated_classes import (
    PREDICTIONS_FILE,
    Predictions,
    read_predictions,
    write_predictions,
)

STORED = Predictions(
    np.array([2, 3, 5, 8]),
    np.array([0, 1, 1, 2], np.int32),
    np.array([0.9, 0.5, 0.75, 1.0], np.float32),
)
LABELS = np.array([0, 0, 1, 1, 2, 2, 0, 1, 2])


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_predictions(tmp_path, STORED)
    again = read_predictions(tmp_path)

    assert (again.rows == STORED.rows).all()
    assert (again.classes == STORED.classes).all()
    assert (again.scores == STORED.scores).all()


def test_the_surest_mistakes_come_first() -> None:
    assert STORED.wrong(LABELS).tolist() == [2, 5]
    assert STORED.taken_for(1).tolist() == [3, 5]
    assert STORED.taken_for(7).tolist() == []


def test_missing_and_damaged_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="cannot be read"):
        read_predictions(tmp_path)
    path = write_predictions(tmp_path, STORED)
    whole = path.read_bytes()
    for damaged in (b"", b"text", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(BadDataError, match=PREDICTIONS_FILE):
            read_predictions(tmp_path)


def test_columns_that_do_not_fit_are_damage(tmp_path: Path) -> None:
    write_predictions(tmp_path, Predictions(STORED.rows, STORED.classes[:2], STORED.scores))
    with pytest.raises(BadDataError):
        read_predictions(tmp_path)
