"""One name has one meaning: the public classes of Studio have different names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from helpers.sources import parsed

STUDIO = Path(__file__).resolve().parents[2] / "studio"
FACADE = STUDIO / "api"
"""Its classes have the names of what they stand for."""
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)
"""A public class; parsing all modules takes ten seconds."""
PAGE = "View"
"""The class of each page, which is loaded by this name."""


def test_public_classes_have_different_names() -> None:
    modules = defaultdict(list)
    for path in sorted(STUDIO.rglob("*.py")):
        if path.is_relative_to(FACADE):
            continue
        for name in CLASS.findall(path.read_text("utf-8")):
            modules[name].append(path.relative_to(STUDIO).as_posix())
    modules.pop(PAGE)
    repeated = {name: found for name, found in modules.items() if len(found) > 1}
    # A text of a module may be code with such a line.
    for name, found in repeated.items():
        found[:] = [path for path in found if name in _classes(STUDIO / path)]
    assert {name: found for name, found in repeated.items() if len(found) > 1} == {}


def _classes(path: Path) -> set[str]:
    body = parsed(path.read_text("utf-8")).body
    return {node.name for node in body if isinstance(node, ast.ClassDef)}
