"""Mistakes in the options of `studio bench`: named by the option, and refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import Call, caller


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    return caller(capsys, tmp_path)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ops", "--sizes", "abc"), "--sizes must be a whole number; received 'abc'"),
        (("ops", "--sizes", "16,0"), "--sizes must be at least 1; received '0'"),
        (("ops", "--repeats", "0"), "--repeats must be at least 1"),
        (("ops", "--sizes", "2", "--kernel", "5"), "--kernel: a window of 5 pixels"),
        (("train", "--batch-sizes", "0"), "--batch-sizes must be at least 1"),
        (("train", "--networks", "nonet"), "--networks: There is no network"),
        (("train", "--devices", "gpu:63"), "--devices: this machine has no gpu:63. Available:"),
    ],
)
def test_mistakes_name_the_option(call: Call, words: tuple[str, ...], expected: str) -> None:
    assert expected in call("bench", *words).mistake
    assert call("bench", "list", "--json").document == []
