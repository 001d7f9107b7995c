"""One name of a type of arrays has one meaning."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import studio
from helpers.sources import parsed
from studio.engine import arrays

STUDIO = Path(studio.__file__).parent


def test_names_of_types_of_arrays_are_defined_once() -> None:
    modules = defaultdict(list)
    for path in sorted(STUDIO.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "= NDArray[" not in text:  # parsing all modules takes ten seconds
            continue
        for node in parsed(text).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("NDArray["):
                name = ast.unparse(node.targets[0])
                modules[name].append(path.relative_to(STUDIO).as_posix())

    assert modules["Pixels"] == [Path(arrays.__file__).relative_to(STUDIO).as_posix()]
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}
