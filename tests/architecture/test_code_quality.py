"""Rules of the code that no tool checks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.sources import parsed

REPOSITORY = Path(__file__).resolve().parents[2]
STUDIO = REPOSITORY / "studio"
LONGEST_FUNCTION = 60


def _sources(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(REPOSITORY).as_posix(), path.read_text(encoding="utf-8")


def _code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from its `def` to its end, without its docstring."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    reported = (first.end_lineno or first.lineno) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - reported


def test_functions_are_not_too_long() -> None:
    offenders = {
        f"{name}:{node.lineno} {node.name}": _code_lines(node)
        for name, text in _sources(STUDIO)
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _code_lines(node) > LONGEST_FUNCTION
    }

    assert offenders == {}


BANNED = {
    r"\btime\.sleep\(|\bsleep\(\d": "wait_until(condition, what) from helpers.waiting",
    r"\bqtbot\.wait\(|\bQTest\.qWait\(": "qtbot.waitUntil or qtbot.waitSignal",
}


@pytest.mark.parametrize("pattern", BANNED)
def test_no_test_waits_for_a_time(pattern: str) -> None:
    found = [
        f"{name}: use {BANNED[pattern]}"
        for name, text in _sources(REPOSITORY / "tests")
        if re.search(pattern, text) and not name.endswith("test_code_quality.py")
    ]

    assert found == []


def test_no_type_ignore_without_a_reason() -> None:
    pattern = re.compile(r"# type: ignore\[[\w, -]+\](?!\s+# \w)")
    found = [
        f"{name}:{number}"
        for name, text in _sources(STUDIO)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]

    assert found == []


def test_nothing_names_this_machine() -> None:
    pattern = re.compile(r"/work/(main|venv|shared)")
    found = [
        name
        for folder in (STUDIO, REPOSITORY / "tests")
        for name, text in _sources(folder)
        if pattern.search(text) and not name.endswith("test_code_quality.py")
    ]

    assert found == []


def test_pictures_are_opened_by_known_parsers_alone() -> None:
    """Pillow knows formats that start programs: each call names those that it accepts."""
    found = []
    for name, text in _sources(STUDIO):
        if "Image.open" not in text:
            continue
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Image.open":
                keywords = {keyword.arg for keyword in node.keywords}
                found += [] if "formats" in keywords else [f"{name}:{node.lineno}"]
    assert found == [], "\n".join(found)


def test_tables_have_one_writer() -> None:
    """Only `csv_cells` writes cells that no spreadsheet takes for a formula."""
    writers = re.compile(r"csv\.(?:writer|DictWriter)\(|\.to_csv\(|savetxt\(")
    found = [name for name, text in _sources(STUDIO) if writers.search(text)]
    assert found == ["studio/engine/csv_cells.py"]
