"""The models that can be asked: of a run, or from a file."""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import user_path
from studio.engine.inference.model_source import ModelSource, read_source
from studio.engine.training.calibration_file import read_calibration
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.reference_data import training_data
from studio.engine.training.trained_models import model_file, run_with_model
from studio.engine.workspace import Record, RecordKind, Workspace


def model_of_run(workspace: Workspace, run: Record, moment: str = "") -> ModelSource:
    """The model of a run, or one of its checkpoints; see `requests.model_file`.

    Raises:
        StudioError: It has no model, no such checkpoint, or its dataset was deleted.
    """
    run_with_model(workspace, run.id)
    data = training_data(workspace, run)
    summary = dataset_summary(data.folder, data.version)
    return ModelSource(
        file=str(model_file(run, moment)),
        name=run.name,
        task=summary.task,
        classes=tuple(summary.classes),
        units=tuple(summary.units),
        calibration=read_calibration(run.folder),
        recipe=data.recipe,
    )


def find_model(workspace: Workspace, text: str) -> ModelSource:
    """What a person means by `RUN`, `RUN@EPOCH`, `RUN@best`, a model file, or an export's folder.

    The name of a run comes first.

    Raises:
        StudioError: There is neither such a run nor such a file.
    """
    return named_model(workspace, model_name(workspace, text))


def model_name(workspace: Workspace, text: str) -> str:
    """What a plan calls the model that a person means; see `find_model` and `named_model`.

    Raises:
        StudioError: There is neither such a run nor such a file.
    """
    run = workspace.named(RecordKind.RUN, text)
    if run is not None:
        return f"{RUN_PREFIX}{run.id}"
    name, _, moment = text.rpartition("@")
    run = workspace.named(RecordKind.RUN, name)
    if run is not None:
        return f"{RUN_PREFIX}{run.id}@{moment}"
    path = user_path(text)
    if path.exists():
        return str(path.absolute())
    names = [info.name for _, info in workspace.infos(RecordKind.RUN)]
    raise StudioError(
        f'There is no run and no model file "{text}".',
        did_you_mean(name or text, names) or "Train a network, or give the path of a .keras file.",
        "model",
    )


def named_model(workspace: Workspace, name: str) -> ModelSource:
    """What a plan means by `run:ID`, `run:ID@EPOCH` or the path of a model file or its folder.

    Raises:
        StudioError: It is not there any more.
    """
    if not name.startswith(RUN_PREFIX):
        return read_source(Path(name))
    run, _, moment = name.removeprefix(RUN_PREFIX).partition("@")
    return model_of_run(workspace, run_with_model(workspace, run), moment)
