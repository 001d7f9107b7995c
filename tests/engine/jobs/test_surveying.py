"""A survey of sources in a process of its own: the answer, the errors, and the ways to end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from PIL import Image

from helpers.processes import run_python
from studio.engine.datasets import surveying
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.survey import SurveyQuestion, survey
from studio.engine.datasets.surveying import survey_elsewhere
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled, SilentProgress


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / "in" / name).mkdir(parents=True)
        for number in range(3):
            Image.new("RGB", (40, 30), (name == "a" and "red") or "blue").save(
                tmp_path / "in" / name / f"{number} é.png"
            )
    (tmp_path / "in" / "a" / "empty.png").touch()
    return tmp_path / "in"


def question(folder: Path) -> SurveyQuestion:
    return SurveyQuestion(DatasetRecipe(source=str(folder)), suggest=True, max_images=4)


class Cancelling(SilentProgress):
    def check(self) -> None:
        raise Cancelled


def test_another_process_gives_the_same_answer(folder: Path) -> None:
    asked = question(folder)

    found = survey_elsewhere(asked, SilentProgress())

    assert found == survey(asked, SilentProgress())
    assert found.count == 7
    assert found.recipe.width == 32
    assert sorted(image.data[:4] for image in found.images) == [b"", *[b"\x89PNG"] * 3]
    images = [(image.location, image.item.key, image.item.position) for image in found.images]
    again = SurveyQuestion(found.recipe, known_locations=[str(folder)], known_images=images)
    known = survey_elsewhere(again, SilentProgress()).images
    assert [(image.is_known, image.data) for image in known] == [(True, b"")] * 4


def test_an_error_of_the_user_comes_through(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="does not exist") as caught:
        survey_elsewhere(question(tmp_path / "gone"), SilentProgress())

    assert caught.value.where == "source"
    assert caught.value.hint


def test_a_cancelled_survey_leaves_no_process(folder: Path) -> None:
    before = set(psutil.Process().children())

    with pytest.raises(Cancelled):
        survey_elsewhere(question(folder), Cancelling())

    assert set(psutil.Process().children()) <= before


def test_a_crash_is_an_error_and_no_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing() -> subprocess.Popen[bytes]:
        code = "import os; print('{', end='', flush=True); os._exit(11)"
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)

    monkeypatch.setattr(surveying, "launch_survey", crashing)

    with pytest.raises(StudioError, match="ended unexpectedly"):
        survey_elsewhere(question(folder), SilentProgress())


@pytest.mark.skipif(sys.platform != "linux", reason="Windows and Linux alone limit the memory")
def test_the_memory_of_a_process_is_limited() -> None:
    code = """
import types
from studio.engine.jobs import memory_limit
memory_limit.MIN_MEMORY = 2**20
memory_limit.psutil.virtual_memory = lambda: types.SimpleNamespace(total=2**28)
bytearray(2**28)
memory_limit.limit_memory(memory_limit.half_of_memory())
try:
    bytearray(2**28)
except MemoryError:
    print("refused")
"""
    assert run_python(code).stdout == "refused\n"
