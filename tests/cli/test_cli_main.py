"""The frame of the command line: options everywhere, exit codes, errors on one line."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.processes import run_python
from studio import __version__
from studio.cli import dataset_import
from studio.cli.main import main
from studio.cli.verb import CommandOutput, Verb, figure, percent, rate
from studio.cli.verbs import VERBS
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def plain(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys, None)


def _words(verbs: tuple[Verb, ...], before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [
        words
        for verb in (each.loaded() for each in verbs)
        for words in (
            _words(verb.verbs, (*before, verb.name)) if verb.verbs else [(*before, verb.name)]
        )
    ]


@pytest.mark.parametrize("words", _words(VERBS), ids=" ".join)
def test_every_verb_has_help_with_the_common_options(plain: Call, words: tuple[str, ...]) -> None:
    said = plain(*words, "--help")

    assert said.code == 0
    assert "--workspace" in said.out
    assert "--json" in said.out


def test_the_version(plain: Call) -> None:
    assert plain("--version").out == f"Studio {__version__}\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["datasts"], "datasts"),
        (["datasets"], "required"),
        (["--json"], "required"),
        (["train"], "--dataset"),
        (["train", "--dataset"], "expected one argument"),
        (["runs", "show"], "required"),
        (["predict", "r"], "IMAGE"),
        (["export", "r", "--to"], "expected one argument"),
        (["evaluate", "r", "--split", "tset"], "tset"),
        (["predict", "r", "x.png", "--top", "many"], "many"),
        (["runs", "list", "--nonsense"], "--nonsense"),
        (["gui", "--json"], "window"),
    ],
)
def test_mistyped_words_are_one_line_and_exit_2(
    plain: Call, words: list[str], expected: str
) -> None:
    said = plain(*words)

    assert expected in said.mistake
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("location", ["before", "after", "equals", "environment"])
def test_the_workspace_is_named_anywhere(
    plain: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    root = tmp_path / "wörk space"
    Workspace.open(root).create(RecordKind.DATASET, "one", '{"source": "/x"}')
    monkeypatch.setenv("STUDIO_WORKSPACE", str(tmp_path / "other"))
    verb = ["datasets", "list", "--json"]
    if location == "before":
        said = plain("--workspace", root, *verb)
    elif location == "after":
        said = plain(*verb, "--workspace", root)
    elif location == "equals":
        said = plain("--json", f"--workspace={root}", "datasets", "list")
    else:
        monkeypatch.setenv("STUDIO_WORKSPACE", str(root))
        said = plain(*verb)

    assert [entry["name"] for entry in said.document] == ["one"]
    assert (tmp_path / "other").exists() is False


def test_json_may_stand_before_the_verb(plain: Call, tmp_path: Path) -> None:
    said = plain("--json", "--workspace", tmp_path / "w", "runs", "list")

    assert said.document == []


def test_a_workspace_that_cannot_be_is_the_users_mistake(plain: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "foreign" / "runs").mkdir(parents=True)

    assert "cannot be opened" in plain("--workspace", tmp_path / "file", "runs", "list").mistake
    assert "not a Studio" in plain("--workspace", tmp_path / "foreign", "runs", "list").mistake


def test_a_bug_exits_1_with_its_traceback(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("our fault")

    monkeypatch.setattr(dataset_import, "suggest_recipe", fail)

    said = call("datasets", "import", Path(__file__).parent)

    assert said.code == 1
    assert said.out == ""
    assert "internal error" in said.err
    assert "ZeroDivisionError: our fault" in said.err


def test_an_interruption_exits_130(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset_import, "suggest_recipe", interrupt)

    assert call("datasets", "import", Path(__file__).parent).code == 130


def test_networks_are_listed(plain: Call, call: Call) -> None:
    document = plain("networks", "list", "--json").document

    assert {"lenet", "mlp", "perceptron"} <= {entry["name"] for entry in document}
    assert {"name", "label", "summary", "smallest"} <= set(document[0])
    assert "LeNet" in plain("networks", "list").out


def test_documents_have_no_nan_and_any_name(capsys: pytest.CaptureFixture[str]) -> None:
    odd = os.fsdecode(b"caf\xe9")

    CommandOutput(as_json=True).document({"a": [float("nan"), 1.5], "ü": odd})

    out = capsys.readouterr().out
    assert '"ü"' in out
    assert json.loads(out) == {"a": [None, 1.5], "ü": odd}


@pytest.mark.parametrize("as_json", [True, False])
def test_a_strict_terminal_gets_every_name(
    monkeypatch: pytest.MonkeyPatch, *, as_json: bool
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "utf-8", errors="strict"))
    output = CommandOutput(as_json=as_json)

    output.say("ü caf\udce9")
    output.table(["ü\udce9"], [["[bold]caf\udce9"]])
    output.document({"name": "ü caf\udce9"})
    sys.stdout.flush()

    text = raw.getvalue().decode()
    assert "caf\\udce9" in text
    assert "ü" in text
    if as_json:
        assert json.loads(text) == {"name": "ü caf\udce9"}
    else:
        assert "[bold]" in text


def test_figures_for_people() -> None:
    assert (percent(0.9816), percent(float("nan"))) == ("98.2 %", "–")
    assert (figure(0.123456), figure(float("nan"))) == ("0.1235", "–")
    assert (rate(12345.6), rate(float("nan"))) == ("12,346", "–")


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    done = run_python(
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-m', 'studio', 'networks', 'list', '--json'],"
        " stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "p.stdout.close()\n"
        "print(p.wait(), p.stderr.read())\n"
    )

    assert done.stdout == "0 b''\n"


def test_main_takes_plain_words() -> None:
    assert main(["--version"]) == 0


EVIL = "\x1b]0;title\x07\x1b[2Jcat\x9b31m\r\u202egnp.exe :smile: [red]"
SHOWN = r"\x1b]0;title\x07\x1b[2Jcat\x9b31m\r\u202egnp.exe :smile: [red]"


def test_control_characters_of_names_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = CommandOutput(as_json=False)
    output.say(EVIL)
    output.table(["class", EVIL], [[EVIL, "1"]])
    output.note(EVIL)
    with output.bar(EVIL) as bar:
        bar.show(0.5, EVIL)
    CommandOutput(as_json=True).document({EVIL: EVIL})
    assert main(["datasets", "show", EVIL]) == 2
    assert main([EVIL]) == 2

    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in text if char != "\n")
        assert "\u202e" not in text
    lines = printed.out.splitlines()
    assert lines[0] == SHOWN
    assert json.loads(lines[-1]) == {EVIL: EVIL}
    assert printed.err.startswith(SHOWN)


def test_an_internal_error_shows_no_control_characters_either(
    plain: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError(EVIL)

    monkeypatch.setattr(CommandOutput, "document", broken)

    said = plain("networks", "list")

    assert said.code == 1
    assert r"\x1b]0;title" in said.err
    assert "\x1b" not in said.err
