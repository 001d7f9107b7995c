"""What differs between backends, and private names of Keras, are in one package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import studio.engine.compute
from helpers.sources import parsed

COMPUTE = Path(studio.engine.compute.__file__).parent
WRITERS_OF_FORMATS = {
    "exporters/keras_formats.py",
    "exporters/litert_graphs.py",
    "exporters/torch_program.py",
}
"""They write files of a library whatever backend computes."""
LIBRARIES = {"tensorflow", "jax", "torch"}


def test_only_the_backends_package_knows_the_libraries_under_keras() -> None:
    others = [path for path in COMPUTE.rglob("*.py") if path.parent.name != "backends"]
    assert len(others) > 60

    found = {
        f"{name} imports {module}"
        for path in others
        if (name := path.relative_to(COMPUTE).as_posix()) not in WRITERS_OF_FORMATS
        for module in _imported(path)
        if module.split(".")[0] in LIBRARIES or module.startswith("keras.src")
    }

    assert found == set()


def test_the_backends_package_is_read() -> None:
    modules = {each for path in (COMPUTE / "backends").glob("*.py") for each in _imported(path)}

    assert modules >= LIBRARIES
    assert any(module.startswith("keras.src") for module in modules)


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
