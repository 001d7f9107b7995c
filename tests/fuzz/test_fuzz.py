"""Thousands of malformed files of every kind that Studio reads; see the package.

One clear line each: no crash, no code run, nothing written elsewhere, no memory without measure.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fuzz import (
    boxes_read,
    defects_read,
    documents_read,
    instances_read,
    masks_read,
    pictures_read,
    science_read,
    tools_read,
    window_read,
)
from fuzz.__main__ import READERS
from fuzz.mutations import spoiled_json
from fuzz.readers import Reader
from helpers.processes import clean_environment
from helpers.sampling import sample

TESTS = Path(__file__).parents[1]
GROUPS = {
    "pictures": pictures_read.READERS,
    "masks": masks_read.READERS,
    "boxes": boxes_read.READERS,
    "defects": defects_read.READERS,
    "instances": instances_read.READERS,
    "tools": tools_read.READERS,
    "documents": documents_read.READERS,
    "science": science_read.READERS,
    "window": window_read.READERS,
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="memory and time are limited as on Linux")
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("fraction", sample([0.02, 1]))
def test_malformed_files_give_one_clear_line(group: str, fraction: float) -> None:
    pytest.importorskip("pyarrow")
    lines, end = _read(GROUPS[group], fraction)
    failures = [line for line in lines if "failed" in line]
    assert failures == []
    # It died of an input where the last line says that one was being read.
    assert end == (0, "done"), lines[-1]
    done = {line["done"]: line["count"] for line in lines if "done" in line}
    assert all(done[reader.name] >= reader.count * fraction - 1 for reader in GROUPS[group])


def test_there_are_enough_of_them() -> None:
    assert sum(reader.count for reader in READERS) >= 5000
    assert len({reader.name for reader in READERS}) == len(READERS)


def test_the_same_seed_spoils_in_the_same_way() -> None:
    data = b'{"a": [1, 2, {"b": null}], "c": "d"}'
    made = [[spoiled_json(data, Random(f"x {n}")) for n in range(50)] for _ in range(2)]
    assert made[0] == made[1]
    assert len(set(made[0])) > 25


# A reader that does everything wrong, one thing for each input.
_BAD = """
import os, sys, threading
from pathlib import Path
import fuzz.__main__ as fuzz
from fuzz.readers import Reader
from studio.engine.errors import BadDataError

def read(folder):
    outcome = (folder / "outcome").read_bytes()
    if outcome == b"crash":
        os.abort()
    if outcome == b"code":
        os.system("true")
    if outcome == b"write":
        Path(outside).write_text("x")
    if outcome == b"memory":
        bytearray(2**36)
    if outcome == b"slow":
        threading.Event().wait(60)
    if outcome == b"text":
        raise BadDataError("")
    if outcome == b"bug":
        raise KeyError("x")

outcomes = [b"code", b"write", b"memory", b"slow", b"text", b"bug", b"fine", b"crash"]
fuzz.SECONDS = 1
fuzz.READERS = [Reader("bad", "outcome", lambda folder: [b""], read, 0, extra=lambda _: outcomes)]
outside = sys.argv.pop()
sys.exit(fuzz.main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory and time are limited as on Linux")
def test_rule_violations_are_found(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BAD, str(tmp_path / "outside")],
        capture_output=True,
        check=False,
        env=_environment(),
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    why = [line["why"] for line in lines if "failed" in line]
    words = ("os.system", "open of", "MemoryError", "longer than", "without a message", "KeyError")
    assert len(why) == len(words), why
    assert all(word in text for word, text in zip(words, why, strict=True))
    assert lines[-1] == {"reading": "bad", "input": "extra 7"}, "it died of the last"
    assert done.returncode < 0


def _read(
    readers: Sequence[Reader], fraction: float
) -> tuple[list[dict[str, Any]], tuple[int, str]]:
    """Read a part of the inputs in a process.

    Returns:
        The lines of its output, its exit code, and the first word of the last line.
    """
    count = round(fraction * sum(reader.count for reader in readers))
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "--count", str(count), *(each.name for each in readers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # TIFF's library in C talks about every file
        check=False,
        env=_environment(),
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines, (done.returncode, next(iter(lines[-1])))


def _environment() -> dict[str, str]:
    own = clean_environment()
    folders = (TESTS, TESTS / "engine" / "datasets", TESTS.parent)
    paths = ":".join(map(str, folders))
    return {**own, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
