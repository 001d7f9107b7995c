"""Exported folders used as their receiver will: by their scripts, without Studio."""

from __future__ import annotations

import ast
import json
import re
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helpers.digits import do_here
from helpers.processes import run_without
from studio.engine.datasets.store import Store
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.formats import every_variant
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.requests import ImagePrediction, PredictRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.workspace import Workspace

STUDIO = frozenset({"studio"})


@dataclass(frozen=True, slots=True)
class Exports:
    """All formats of a run.

    Attributes:
        workspace: The workspace.
        pictures: Paths of pictures.
        store: Dataset of the run.
        run: The run.
        files: Exported files by their names.
    """

    workspace: Workspace
    pictures: list[str]
    store: Store
    run: Job
    files: dict[str, ExportedFile]

    def outputs(self) -> NDArray[np.float32]:
        """Return the outputs of the run's model for the test images."""
        from studio.engine.compute.model_files import load_model

        model = load_model(self.run.record.folder / "model.keras")
        images = np.asarray(self.store.images[self.store.rows("test")], np.float32)
        return np.asarray(model.predict(images, verbose=0))

    def answers(self, source: ModelSource | None = None) -> list[ImagePrediction]:
        """Return the predictions of a model for the pictures; without one, of the run's."""
        from studio.engine.compute.predict import PicturePredictor
        from studio.engine.compute.warm_models import WarmModels

        model = source or model_of_run(self.workspace, self.run.record)
        request = PredictRequest(model=model, images=tuple(self.pictures), top=9)
        return list(PicturePredictor(WarmModels()).predict(request).predictions)

    def folder(self, name: str, scratch: Path) -> Path:
        """Return the folder of a file, or that of its archive, unpacked.

        Args:
            name: Name of the file.
            scratch: Where archives are unpacked.
        """
        path = Path(self.files[name].path)
        if path.is_dir():
            return path
        target = scratch / path.stem
        with zipfile.ZipFile(path) as packed:
            packed.extractall(target)
        return target


def exported(
    workspace: Workspace, run: Job, to: Path, more: Sequence[str] = (), **changes: object
) -> dict[str, ExportedFile]:
    """Export a run in every format that is installed here; none may fail.

    Args:
        workspace: The workspace.
        run: The run.
        to: Folder for the exports, after which the job is named.
        more: Further variants.
        changes: Changes of the plan.

    Returns:
        The files by their names.
    """
    values = {
        "run": run.record.id,
        "variants": [*(each.name for each in every_variant(installed=True)), *more],
        "to": str(to),
        "tolerance": {"points": 100, "agreement": 0},
    }
    job = do_here(workspace, ExportPlan.parse(values | changes), to.name)
    assert job.history.state == State.COMPLETED, job.history.detail
    files = {each.name: each for each in files_of(job.history.result)}
    assert [each.problem for each in files.values() if each.problem] == []
    return files


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
