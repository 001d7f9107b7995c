"""One name has one meaning: the public classes of Studio have different names."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from helpers.sources import parsed

STUDIO = Path(__file__).resolve().parents[2] / "studio"
FACADE = STUDIO / "api"
"""Its classes have the names of what they stand for."""
PAGE = "View"
"""The class of each page, which is loaded by this name."""


def test_public_classes_have_different_names() -> None:
    modules = defaultdict(list)
    for path in sorted(STUDIO.rglob("*.py")):
        if path.is_relative_to(FACADE):
            continue
        for node in parsed(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(path.relative_to(STUDIO).as_posix())
    modules.pop(PAGE)
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}
