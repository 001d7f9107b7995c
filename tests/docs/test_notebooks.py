"""The notebooks of the documentation run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def _read(path: Path) -> NotebookNode:
    found: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = _read(path)
    place = {"metadata": {"path": str(tmp_path)}}

    NotebookClient(notebook, timeout=900, kernel_name="python3", resources=place).execute()

    kinds = {output.get("name") for cell in notebook.cells for output in cell.get("outputs", ())}
    assert "stderr" not in kinds, "neither warnings nor bars that are not drawn"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    notebook = _read(path)

    assert NOTEBOOKS
    assert all(not cell.get("outputs") for cell in notebook.cells)
