"""`studio logs`, `--verbose` and `--quiet`: what a worker printed, and how much is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.runs import fake_run
from helpers.workers import LaunchScripts
from studio.cli.log_reader import LogReader
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.workspace import Workspace

# The real worker, whose work prints a line, notes another, and ends.
TALKATIVE = """
import sys
from pathlib import Path
from studio.engine.worker import main
from studio.engine.workspace import Workspace
from studio.engine.jobs.states import State

def work(context):
    print("the library says this", flush=True)
    context.warn("something was noticed")
    context.result(dict(exports=[]))
    return State.COMPLETED

main.handler_of = lambda job: work
folder = Path(sys.argv[1])
main.do_job(Workspace(folder.parent.parent), folder, int(sys.argv[2]))
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


def test_the_log_of_a_run_is_printed(call: Call, workspace: Workspace) -> None:
    run = fake_run(workspace, "net", [0.5])
    assert "no worker has started" in call("logs", "net").mistake

    (run.folder / LOG_FILE).write_bytes("a\r\nb ü\nthe last".encode())

    assert call("logs", "net").out == "a\nb ü\nthe last\n"
    assert call("logs", "net", "-n", "1", "--json").document["lines"] == ["the last"]
    assert call("logs", "net", "-n", "4").out == "a\nb ü\nthe last\n"  # has fewer
    assert call("logs", "NET", "--follow", "--lines", "0").out == "the last\n"
    assert "--lines must be at least 0" in call("logs", "net", "--lines=-1").mistake
    assert 'no record called "nix"' in call("logs", "nix").mistake


def test_a_growing_file_is_read_by_complete_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = LogReader(path)
    assert list(log.new_lines()) == []

    path.write_bytes(b"one\ntw")
    assert list(log.new_lines()) == ["one"]
    with path.open("ab") as file:
        file.write("o\n\xff".encode("latin-1"))
    assert list(log.new_lines()) == ["two"]
    assert log.unfinished_line() == ["�"]


def test_quiet_and_verbose_calls(
    call: Call, workspace: Workspace, launch_scripts: LaunchScripts
) -> None:
    run = fake_run(workspace, "net", [0.5])
    (run.folder / "model.keras").write_bytes(b"")
    launch_scripts(TALKATIVE)
    words = ("export", "net", "--format", "keras")

    usual, quiet, verbose = call(*words), call(*words, "-q"), call("-v", *words)

    assert "something was noticed" in usual.err
    assert "the library says this" not in usual.err
    assert (quiet.err, quiet.out) == ("", usual.out)
    assert "the library says this" in verbose.err


def test_verbose_mistakes_name_the_place(call: Call) -> None:
    said = call("runs", "show", "nix", "--verbose")

    assert said.code == 2
    assert "workspace.py" in said.err
    assert said.err.splitlines()[-1].startswith("studio: There is no run")
