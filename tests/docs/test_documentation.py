"""The documentation: every command in it exists, and the site builds without warnings."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from studio.cli.main import make_parser
from studio.engine.networks.zoo import ZOO

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SEPARATORS = ("&&", ";", "|", ">")
_INLINE = re.compile(r"`(studio [a-z][^`]*)`")


def _texts() -> Iterator[Path]:
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    yield from sorted((ROOT / "docs" / "pages").rglob("*.md"))
    yield from sorted((ROOT / "assets" / "help").glob("*.md"))


def _commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each `studio …` command of the code in a Markdown text."""
    lines = [
        line for block in _BLOCK.findall(text) for line in block.replace("\\\n", " ").splitlines()
    ]
    for line in [*lines, *_INLINE.findall(text)]:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|>;")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word not in _SEPARATORS:
                words.append(word)
                continue
            if words[:1] == ["studio"]:
                yield words[1:]
            words = []


@pytest.mark.parametrize("path", list(_texts()), ids=lambda path: path.name)
def test_every_command_in_the_documentation_exists(path: Path) -> None:
    for words in _commands(path.read_text("utf-8")):
        # Verbs alone are only named; `…` and VERB stand for what a reader fills in.
        if all(word.isalpha() and word.islower() for word in words) or {"VERB", "…"} & set(words):
            continue
        command = f"{path.name}: studio {shlex.join(words)}"
        assert _exit_code(words) == 0, command


@pytest.mark.parametrize("path", list(_texts()), ids=lambda path: path.name)
def test_every_network_in_the_documentation_exists(path: Path) -> None:
    for words in _commands(path.read_text("utf-8")):
        for option, value in pairwise(words):
            is_file = Path(value).suffix or "/" in value
            if option == "--network" and not is_file and value.islower():
                assert value in ZOO, f"{path.name}: studio {shlex.join(words)}"


def _exit_code(words: list[str]) -> int:
    try:
        make_parser(words).parse_args(words)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.thorough
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(  # noqa: PLW1510 - the code is asserted
        [*words, "--config-file", str(ROOT / "docs" / "mkdocs.yml")],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "manual" / "training.html").exists()
    assert "--learning-rate" in (tmp_path / "reference" / "cli.html").read_text("utf-8")
