"""The script of an export: damaged pictures, formats of pictures, and conversions of a task."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

from helpers.processes import clean_environment
from studio.engine.assets import asset
from studio.engine.inference.models import ImageCard, ModelCard
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.outputs import PIXELS, POSITIONS, VECTOR

RUNTIME = """
import numpy as np

NAME = "numbers"
SHAPE = {shape}


def load(path):
    return lambda images: np.tile(np.linspace(0.1, 0.9, SHAPE[-1]), (len(images), *SHAPE[:-1], 1))
"""
KINDS = {
    "classification": ((2,), VECTOR, "probabilities", False),
    "multi_label": ((2,), VECTOR, "probabilities", False),
    "regression": ((2,), VECTOR, "numbers", False),
    "segmentation": ((8, 8, 2), PIXELS, "probabilities", False),
    "detection": ((1, 6), POSITIONS, "probabilities", True),
}


def _export(folder: Path, task: str, *, converts: bool = False) -> Path:
    shape, output, answers, decoded = KINDS[task]
    thresholds = (0.5, 0.5) if task in ("multi_label", "detection") else ()
    card = ModelCard(
        model="model.bin",
        task=task,
        classes=("cat", "dog"),
        answers=answers,
        output=output.name,
        decoded=decoded,
        conversion=converts,
        calibration=Calibration(thresholds=thresholds),
        colors=("#ff0000", "#00ff00"),
        scales=(1.0, 1.0) if answers == "numbers" else (),
        image=ImageCard(width=8, height=8),
    )
    folder.mkdir()
    (folder / "labels.json").write_text(card.model_dump_json(), encoding="utf-8")
    (folder / "runtime.py").write_text(RUNTIME.format(shape=shape), encoding="utf-8")
    for name in ("predict.py", "pixels.py", "boxes.py"):
        shutil.copyfile(asset(f"export/{name}"), folder / name)
    return folder


def _run(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(folder / "predict.py"), *map(str, words)],
        env=clean_environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    """A good picture, a text, a truncated one, none, an empty and a huge one, another good one."""
    good, other = tmp_path / "a" / "x.png", tmp_path / "b" / "x.png"
    for path in (good, other):
        path.parent.mkdir()
        Image.effect_noise((20, 20), 90).save(path)
    (tmp_path / "text.jpg").write_text("not a picture")
    (tmp_path / "cut.png").write_bytes(good.read_bytes()[:200])
    (tmp_path / "empty.png").touch()
    header = b"IHDR" + struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    # Its error is none of the operating system.
    (tmp_path / "huge.png").write_bytes(good.read_bytes()[:8] + chunk + good.read_bytes()[33:])
    names = ("text.jpg", "cut.png", "gone.png", "empty.png", "huge.png")
    return [good, *(tmp_path / name for name in names), other]


@pytest.mark.parametrize("task", KINDS)
def test_damaged_pictures_are_reported_and_the_others_answered(
    task: str, pictures: list[Path], tmp_path: Path
) -> None:
    folder = _export(tmp_path / "export", task)
    good = [str(pictures[0]), str(pictures[-1])]

    done = _run(folder, *pictures, "--json", "--to", tmp_path / "to")
    plain = _run(folder, *pictures)
    fine = _run(folder, *good, "--json")

    answers = json.loads(done.stdout)
    assert [each["image"] for each in answers] == good
    assert (done.returncode, plain.returncode, fine.returncode) == (1, 1, 0)
    for report in (done.stderr, plain.stderr):
        lines = report.splitlines()
        assert [line.partition(": cannot be read: ")[0] for line in lines] == [
            *map(str, pictures[1:-1]),
            "5 of 7 pictures failed.",
        ]
    assert [line for line in plain.stdout.splitlines() if line in good] == good
    assert fine.stderr == ""
    files = [each.get("mask") or each.get("picture") for each in answers]
    has_files = KINDS[task][1] != VECTOR
    assert len(set(files)) == (2 if has_files else 1), "pictures of one name have a file each"


def test_files_that_cannot_be_written_are_reported(pictures: list[Path], tmp_path: Path) -> None:
    folder = _export(tmp_path / "export", "segmentation")
    (tmp_path / "to").touch()

    done = _run(folder, pictures[0], pictures[-1], "--json", "--to", tmp_path / "to")

    assert (done.returncode, json.loads(done.stdout)) == (1, [])
    assert done.stderr.count("x.png cannot be written: ") == 2
    assert done.stderr.endswith("2 of 2 pictures failed.\n")


def test_an_error_of_the_model_is_no_damaged_picture(pictures: list[Path], tmp_path: Path) -> None:
    folder = _export(tmp_path / "export", "classification")
    (folder / "runtime.py").write_text("NAME = 'x'\ndef load(path): return lambda images: 1 / 0")

    done = _run(folder, pictures[0])

    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("ending", ["eps", "tga", "pcx", "ico"])
def test_formats_that_studio_does_not_import_are_not_opened(ending: str, tmp_path: Path) -> None:
    folder = _export(tmp_path / "export", "classification")
    Image.new("RGB", (16, 16)).save(tmp_path / f"picture.{ending}")
    picture = (tmp_path / f"picture.{ending}").rename(tmp_path / "picture.png")

    done = _run(folder, picture)

    assert done.returncode == 1
    assert "cannot identify image file" in done.stderr
    assert done.stdout == ""


CONVERSION = """
def quantities(outputs):
    return [("sum", outputs.sum(), "g"), ("count", len(outputs), "")]
"""


def test_a_task_converts_outputs(pictures: list[Path], tmp_path: Path) -> None:
    folder = _export(tmp_path / "export", "regression", converts=True)
    (folder / "conversion.py").write_text(CONVERSION, encoding="utf-8")

    (answer,) = json.loads(_run(folder, pictures[0], "--json").stdout)

    assert answer["values"] == pytest.approx({"sum": 1.0, "count": 2})
    assert answer["units"] == {"sum": "g"}
