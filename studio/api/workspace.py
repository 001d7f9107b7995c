"""The workspace, from which everything starts."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from studio.api.datasets import Dataset, Datasets
from studio.api.labelings import PictureLabeling
from studio.api.models import Model
from studio.api.records import Collection
from studio.api.runs import Run
from studio.api.sweeps import Sweep, values_text
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import read_source
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.queue import JobQueue
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.networks.library import resolve
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep, usual_objectives
from studio.engine.tasks import DEFAULT_TASK, named_task
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.recommendation import recommendation
from studio.engine.training.requests import request_training
from studio.engine.training.starting_weights import weights_named
from studio.engine.workspace import RecordKind
from studio.engine.workspace import Workspace as Records
from studio.engine.workspace.location import default_workspace


def open_workspace(folder: str | Path | None = None, *, progress: bool = True) -> Workspace:
    """Open a workspace, making the folder if it does not exist.

    Args:
        folder: The folder; None for the one that the window opens first.
        progress: Show a bar for each job that is waited for, in a terminal or a notebook.

    Raises:
        StudioError: The folder cannot be made or read, or belongs to something else.
    """
    root = default_workspace() if folder is None else user_path(folder)
    return Workspace(Records.open(root), progress=progress)


class Workspace:
    """A workspace: datasets, runs and sweeps.

    Args:
        records: Its files.
        progress: Show a bar for each job that is waited for.

    Attributes:
        datasets: The datasets by their names.
        runs: The training runs by their names.
        sweeps: The sweeps by their names.
    """

    def __init__(self, records: Records, *, progress: bool = True) -> None:
        self.records = records
        self.queue = JobQueue(records)
        self.progress = progress
        self.datasets = Datasets(self)
        self.runs: Collection[Run] = Collection(self, RecordKind.RUN, Run)
        self.sweeps: Collection[Sweep] = Collection(self, RecordKind.SWEEP, Sweep)
        self.host = EngineHost()
        self._finalizer = weakref.finalize(self, self.host.close)

    def __repr__(self) -> str:
        return f"<Workspace {self.records.root}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that predicts; it also ends with Python. Jobs continue."""
        self._finalizer()

    def train(
        self,
        dataset: Dataset | str,
        network: str = "",
        *,
        name: str | None = None,
        wait: bool = True,
        **plan: object,
    ) -> Run:
        """Train a network.

        Args:
            dataset: The dataset or its name.
            network: Name of a network, see `studio networks list`; empty for what Studio
                recommends for the dataset.
            name: Name of the run; None for the network's, numbered.
            wait: Return when the run has ended; otherwise immediately, see `Run.wait`.
            plan: Fields of the training plan, such as `epochs=5`, `learning_rate=0.01`,
                `weights="imagenet"` or `augmentation={"rotation": 15}`.

        Raises:
            StudioError: Names everything that is wrong with the plan; or the run was stopped, or
                failed because of something that its user can change.
            JobFailedError: The run failed by a bug.
        """
        asked = self._plan(self._dataset(dataset), network, plan)
        title = name or self.records.unused_name(RecordKind.RUN, asked.network)
        run = Run(self, request_training(self.queue, asked, title).record)
        return run.wait() if wait else run.begin()

    def model(
        self,
        file: str | Path,
        *,
        preprocessing: str | None = None,
        classes: str | Path | Sequence[str] = (),
    ) -> Model:
        """Return a model file, such as one that Studio did not make.

        Args:
            file: A Keras file, or an export of Studio in any format.
            preprocessing: Preparation of pixels that a model of another program was trained with:
                "none" (0 to 255), "0..1", "-1..1", "imagenet-caffe" or "imagenet-torch"; None for
                that of its first layers. If it has none, each prediction has a warning.
            classes: Its class names in the order of the outputs, or a text or JSON file with
                them; empty for a file such as `labels.txt` beside the model.

        Raises:
            StudioError: There is no such file, or the options do not fit it.
        """
        options = ModelOptions.of(preprocessing, classes)
        path = user_path(file).absolute()
        return Model(self, read_source(path, any_format=True, options=options), options)

    def sweep(
        self,
        dataset: Dataset | str,
        network: str = "",
        *,
        vary: Mapping[str, object],
        name: str | None = None,
        wait: bool = True,
        settings: Mapping[str, object] | None = None,
        **plan: object,
    ) -> Sweep:
        """Train with many values of some fields.

        Args:
            dataset: The dataset or its name.
            network: See `train`.
            vary: Values of each field, in a list or tuple or as on the command line:
                `{"batch_size": (16, 32), "learning_rate": "1e-4..1e-1"}`.
            name: Name of the sweep.
            wait: Return when all trials have ended.
            settings: Fields of the sweep plan, such as `{"sampler": "random", "trials": 20}`.
            plan: Fields of the training plan.

        Raises:
            StudioError: Names everything that is wrong with the plan; or the sweep was stopped.
            JobFailedError: The sweep failed by a bug.
        """
        base = self._plan(self._dataset(dataset), network, plan)
        words = [f"{field}={values_text(field, values)}" for field, values in vary.items()]
        asked = SweepPlan.parse(
            {
                "base": base,
                "dimensions": parse_dimensions(words, base.design),
                "objectives": usual_objectives(self.records, base),
                **(settings or {}),
            }
        )
        title = name or self.records.unused_name(RecordKind.SWEEP, "sweep")
        sweep = Sweep(self, request_sweep(self.queue, asked, title).record)
        return sweep.wait() if wait else sweep.begin()

    def labeling(
        self,
        name: str,
        *,
        task: str | None = None,
        classes: Sequence[str] = (),
        annotator: str = "",
        trust_folders: bool = False,
    ) -> PictureLabeling:
        """Open a labeling, creating it if a task or classes are given and it does not exist.

        Args:
            name: Name of the labeling.
            task: Task of the labeling; None for "classification" of a new one.
            classes: Classes, labels or quantities of a new labeling: "cat", "cat #ff8800" or
                "height [cm]".
            annotator: Name of the person who labels.
            trust_folders: True to open pictures in folders that were not added on this computer.

        Raises:
            StudioError: It does not exist, cannot be created, has another task, or refers to
                folders that were not added on this computer.
        """
        known = self.records.named(RecordKind.LABELING, name)
        if known is not None:
            opened = Labeling(known, annotator)
            if task is not None and named_task(task) != opened.task:
                raise StudioError(
                    f'The labeling "{known.name}" has the task {opened.task.name}; received '
                    f"{task}.",
                    "Leave the task out to open it, or choose another name for a new labeling.",
                    "task",
                )
            folders = opened.unconfirmed_folders
            if folders and not trust_folders:
                raise opened.unconfirmed_error(folders)
            opened.confirm_folders(folders)
            return PictureLabeling(self, opened)
        if task is None and not classes:
            return PictureLabeling(self, Labeling.find(self.records, name, annotator))
        plan = planned(task or DEFAULT_TASK.name, classes)
        return PictureLabeling(self, Labeling.create(self.records, name, plan, annotator))

    def _dataset(self, dataset: Dataset | str) -> Dataset:
        return self.datasets[dataset] if isinstance(dataset, str) else dataset

    def _plan(self, dataset: Dataset, network: str, fields: Mapping[str, object]) -> TrainingPlan:
        """Return the training plan for a dataset with fields that were given."""
        given = dict(fields)
        weights = given.get("weights")
        if isinstance(weights, Run):
            weights = f"{RUN_PREFIX}{weights.record.id}"
        if weights is not None:
            given["weights"] = weights_named(self.records, str(weights))
        plan = TrainingPlan.parse({"dataset": dataset.record.id, **given})
        if network:
            choice = resolve(self.records, network)
            return plan.changed(network=choice.network, design=choice.design)
        if {"network", "design"} & set(given):
            return plan
        suggestions = recommendation(self.records, dataset.record)
        if not suggestions:
            raise StudioError(
                "A network is required.", 'Name one, such as network="small_cnn".', "network"
            )
        return suggestions[0].apply(plan, dataset.summary).changed(**given)
