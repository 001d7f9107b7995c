"""Without window and backend the commands that need neither work; the others say what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.core_commands import BACKENDS, COMMANDS, DATASET, RUN, WINDOW, complaint
from helpers.digits import Digits
from helpers.processes import clean_environment

WITHOUT = Path(__file__).resolve().parents[1] / "helpers" / "without"
DRIVER = """
import contextlib, io, json, sys
import studio.__main__ as entry

for words in json.loads(sys.argv[1]):
    sys.argv = ["studio", *words]
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(errors):
        code = entry.main()
    print(json.dumps([code, errors.getvalue() + (out.getvalue() if code else "")]), flush=True)
"""
pytestmark = pytest.mark.slow


def test_the_names_are_those_of_the_workspace_of_the_tests(digits: Digits) -> None:
    assert digits.dataset.record.name == DATASET
    assert digits.run.record.name == RUN


def test_commands_that_need_no_backend_and_no_window_work_without_them(
    own_run: Digits, tmp_path: Path
) -> None:
    picture = next(own_run.pictures.rglob("*.png"))
    chosen = [each for each in COMMANDS if "train --dataset core --network" not in each.template]
    calls = [
        ["--workspace", str(own_run.workspace.root), *each.words(tmp_path, picture)]
        for each in chosen
    ]
    hidden = {"STUDIO_TEST_WITHOUT": ",".join((*BACKENDS, *WINDOW)), "COLUMNS": "200"}
    environment = clean_environment(**hidden)
    environment["PYTHONPATH"] = os.pathsep.join((str(WITHOUT), environment["PYTHONPATH"]))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(calls)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ended) == len(chosen), done.stderr
    wrong = {
        each.template: text
        for each, (code, errors) in zip(chosen, ended, strict=True)
        if (text := complaint(each, code, errors, each.needs))
    }
    assert wrong == {}
