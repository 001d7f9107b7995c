"""Exported folders used as their receiver will: by their scripts, without Studio."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from helpers.processes import run_without

STUDIO = frozenset({"studio"})


def script_answers(
    folder: Path, pictures: Sequence[str], without: Collection[str] = STUDIO
) -> list[Any]:
    """Return the JSON answers of `predict.py` for pictures, with all classes or labels.

    Args:
        folder: Folder of the export.
        pictures: Their paths.
        without: Modules that cannot be imported.
    """
    words = ("--json", "--top", "1000")
    out = run_without(without, folder / "predict.py", *pictures, *words, cwd=folder)
    answers: list[Any] = json.loads(out.splitlines()[-1])
    return answers


def snippet_answer(folder: Path, picture: str, scratch: Path) -> Any:
    """Return the answer that the Python snippet of the README prints for a picture.

    Args:
        folder: Folder of the export.
        picture: Takes the place of `example.png`.
        scratch: Folder for the script.
    """
    text = (folder / "README.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert 'predict.HERE / "example.png"' in snippet
    script = scratch / "snippet.py"
    script.write_text(
        snippet.replace('predict.HERE / "example.png"', repr(picture)), encoding="utf-8"
    )
    out = run_without(STUDIO, script, cwd=folder)
    return ast.literal_eval(out.splitlines()[-1])
