"""`studio predict` says in which way images differ from the training images."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from helpers.command_line import Call, caller
from helpers.digits import Digits

pytestmark = pytest.mark.slow
COUNT = 6


@pytest.fixture
def shared(capsys: pytest.CaptureFixture[str], untouched: Digits) -> Call:
    return caller(capsys, untouched.workspace.root)


def _negatives(digits: Digits, folder: Path) -> list[str]:
    """Write digits in black on white; return their classes."""
    labels = []
    every = sorted(digits.pictures.glob("*/*.png"))
    for number, path in enumerate(every[:: len(every) // COUNT]):
        with Image.open(path) as image:
            ImageOps.invert(image.convert("L")).save(folder / f"{number}.png")
        labels.append(path.parent.name)
    return labels


def test_negatives_are_reported_and_inverted(
    shared: Call, untouched: Digits, tmp_path: Path
) -> None:
    labels = _negatives(untouched, tmp_path)
    table = tmp_path / "table.csv"

    reported = shared("predict", "lenet", tmp_path, "--json", "--csv", table).document
    inverted = shared("predict", "lenet", tmp_path, "--json", "--invert").document

    for entry in reported:
        kinds = {each["kind"]: each for each in entry["familiarity"]["differences"]}
        assert kinds["inverted"]["remedy"] == "invert"
        assert "Light and dark seem to be swapped" in kinds["inverted"]["text"]
        assert 0 < entry["familiarity"]["false_alarm_rate"] < 0.1
    with table.open(encoding="utf-8", newline="") as file:
        assert all("swapped" in row["differences"] for row in csv.DictReader(file))
    assert [entry["image"] for entry in inverted] == [entry["image"] for entry in reported]
    right = [e["predictions"][0]["class"] == k for e, k in zip(inverted, labels, strict=True)]
    assert sum(right) >= len(labels) - 1
    unlike = [entry for entry in inverted if entry["familiarity"]["differences"]]
    assert len(unlike) <= 1


def test_the_text_says_what_helps(shared: Call, untouched: Digits, tmp_path: Path) -> None:
    count = len(_negatives(untouched, tmp_path))

    out = shared("predict", "lenet", tmp_path).out

    assert f"{count} of {count} images differ from the training images" in out
    assert "are reported by mistake (measured on" in out
    assert "Try --invert: swap light and dark" in out
