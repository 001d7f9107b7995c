"""The examples in docstrings: each one runs and prints what it says."""

from __future__ import annotations

import ast
import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from dataset_pictures import class_folders

import studio

ROOT = Path(__file__).parents[2]
_SECTION = "Examples:\n"
_START = ">>> "


def _docstrings(path: Path) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    text = path.read_text("utf-8")
    if _SECTION not in text:  # parsing all modules takes twenty seconds
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented):
            yield ast.get_docstring(node) or ""


def _modules_with_examples() -> list[Path]:
    paths = sorted((ROOT / "studio").rglob("*.py"))
    return [path for path in paths if any(_SECTION in text for text in _docstrings(path))]


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


_MODULES = _modules_with_examples()
_ENGINE = [path for path in _MODULES if "api" not in path.parts]
_API = [path for path in _MODULES if "api" in path.parts]


def _run(module: ModuleType, names: dict[str, object]) -> None:
    """Run the examples of a module, which see its own names and these."""
    found = doctest.DocTestFinder().find(module, globs=vars(module) | {"numpy": np} | names)
    examples = [test for test in found if test.examples]
    assert examples, "its examples begin with >>>"
    for test in examples:
        report: list[str] = []
        doctest.DocTestRunner(verbose=False).run(test, out=report.append)
        assert not report, "".join(report)


@pytest.mark.parametrize("path", _MODULES, ids=_name)
def test_each_example_can_be_run(path: Path) -> None:
    for text in _docstrings(path):
        _, section, example = text.partition(_SECTION)
        assert not section or _START in example, text


@pytest.mark.parametrize("path", _ENGINE, ids=_name)
def test_an_example_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    _run(importlib.import_module(_name(path)), {"folder": tmp_path})


@pytest.fixture(scope="module")
def interface(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    """Names that examples of the Python interface use: a workspace with a dataset and a run."""
    folder = tmp_path_factory.mktemp("examples")
    photos = class_folders(folder / "photos", {"duck": 3})
    pictures = class_folders(folder / "pictures", {"car": 20, "duck": 20})
    with studio.open(folder / "workspace", progress=False) as workspace:
        dataset = workspace.datasets.import_folder(
            pictures, width=8, height=8, val_percent=25, test_percent=25
        )
        run = workspace.train(dataset, "small_cnn", epochs=1)
        yield {
            "workspace": workspace,
            "dataset": dataset,
            "run": run,
            "photos": photos,
            "folder": folder,
        }


@pytest.mark.slow
@pytest.mark.parametrize("path", _API, ids=_name)
def test_an_example_of_the_python_interface_works(
    path: Path, interface: dict[str, object]
) -> None:
    _run(importlib.import_module(_name(path)), interface)
