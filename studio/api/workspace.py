"""The workspace, from which everything starts."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, Unpack

from studio.api.datasets import Dataset, Datasets
from studio.api.evaluations import Evaluation
from studio.api.exports import Export
from studio.api.labelings import PictureLabeling
from studio.api.models import Model, model_file
from studio.api.notebook import table
from studio.api.records import Collection, required_report, wait_for
from studio.api.runs import Run
from studio.api.settings import (
    AugmentationPreset,
    Preset,
    Recipe,
    SweepSettings,
    TrainingSettings,
)
from studio.api.sweeps import Sweep, values_text
from studio.engine.baselines.report import BaselinePlan, BaselineReport
from studio.engine.baselines.requests import request_baseline
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import read_source
from studio.engine.inference.requests import read_model
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.queue import JobQueue
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep, usual_objectives
from studio.engine.tasks import DEFAULT_TASK, named_task
from studio.engine.training.comparison import ComparedRun, RunComparison, compare
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.planner import Planner, PlanRequest, ReadModel
from studio.engine.training.preflight import PreflightPlan, PreflightReport
from studio.engine.training.requests import request_folds, request_preflight, request_training
from studio.engine.training.starting_weights import weights_named, with_available_weights
from studio.engine.workspace import RecordKind
from studio.engine.workspace import Workspace as Records
from studio.engine.workspace.location import default_workspace

if TYPE_CHECKING:
    import keras


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

    Examples:
        >>> images = numpy.zeros((40, 8, 8, 3), numpy.uint8)
        >>> images[::2] = 200
        >>> labels = ["light", "dark"] * 20
        >>> lamps = workspace.datasets.from_arrays(images, labels, name="lamps", width=8, height=8)
        >>> workspace.train(lamps, "small_cnn", epochs=1).state
        'completed'

    Args:
        records: Its files.
        progress: Show a bar for each job that is waited for.

    Attributes:
        datasets: The datasets by their names.
        runs: The training runs by their names.
        sweeps: The sweeps by their names.
        evaluations: The evaluations by their names.
        exports: The exports by their names.
    """

    def __init__(self, records: Records, *, progress: bool = True) -> None:
        self.records = records
        self.queue = JobQueue(records)
        self.progress = progress
        self.datasets = Datasets(self)
        self.runs: Collection[Run] = Collection(self, RecordKind.RUN, Run)
        self.sweeps: Collection[Sweep] = Collection(self, RecordKind.SWEEP, Sweep)
        self.evaluations: Collection[Evaluation] = Collection(
            self, RecordKind.EVALUATION, Evaluation
        )
        self.exports: Collection[Export] = Collection(self, RecordKind.EXPORT, Export)
        self.host = EngineHost()
        self._finalizer = weakref.finalize(self, self.host.close)

    def __repr__(self) -> str:
        return f"<Workspace {self.records.root}>"

    def _repr_html_(self) -> str:
        """Return the datasets and runs for a notebook."""
        datasets = [(each.name, each.state) for each in self.datasets.values()]
        runs = [(each.name, each.state) for each in self.runs.values()]
        title = f"<p>{escape(str(self.records.root))}</p>"
        return f"{title}{table(['dataset', 'state'], datasets)}{table(['run', 'state'], runs)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that predicts; it also ends with Python. Jobs continue."""
        self._finalizer()

    def train(  # noqa: PLR0913 - one keyword per thing that a person may say
        self,
        dataset: Dataset | str,
        network: str | PathLike[str] | keras.Model = "",
        *,
        name: str | None = None,
        recipe: Recipe | Literal[""] = "",
        preset: Preset | Literal[""] = "",
        augment: AugmentationPreset | Literal[""] = "",
        like: Run | str | None = None,
        wait: bool = True,
        **plan: Unpack[TrainingSettings],
    ) -> Run:
        """Train a network.

        Args:
            dataset: The dataset or its name.
            network: Name of a network, see `studio networks list`; a `.keras`, `.h5` or `.json`
                file; or a Keras model, whose weights are where it starts. Empty for what Studio
                recommends for the dataset.
            name: Name of the run; None for the network's, numbered.
            recipe: Use of pretrained weights: "linear_head", "fine_tune_top" and others.
            preset: Set of training settings: "quick", "balanced" or "best".
            augment: Preset of random changes: "off", "light" or "strong".
            like: A run whose plan is taken, but for what is given here.
            wait: Return when the run has ended; otherwise immediately, see `Run.wait`.
            plan: Fields of the training plan, such as `epochs=5`, `learning_rate=0.01`,
                `weights="imagenet"` or `augmentation={"rotation": 15}`; they override the others.

        Raises:
            StudioError: Names everything that is wrong with the plan; or the run was stopped, or
                failed because of something that its user can change.
            JobFailedError: The run failed by a bug.
        """
        with model_file(network) as file:
            asked = self._planned(
                dataset, file, plan, like=like, recipe=recipe, preset=preset, augment=augment
            )
            title = name or self.records.unused_name(RecordKind.RUN, asked.network_name)
            run = Run(self, request_training(self.queue, asked, title).record)
        return run.wait() if wait else run.begin()

    def cross_validate(
        self,
        dataset: Dataset | str,
        network: str | PathLike[str] = "",
        *,
        folds: int = 5,
        fold_group: str = "",
        name: str | None = None,
        **plan: Unpack[TrainingSettings],
    ) -> list[Run]:
        """Train a run for each fold of the images, and wait for all of them.

        Args:
            dataset: The dataset or its name.
            network: See `train`.
            folds: Number of parts, each of which validates once.
            fold_group: Regular expression on paths; images of one group stay in one fold.
            name: Begin of the names of the runs.
            plan: Fields of the training plan.

        Raises:
            StudioError: See `train`.
            JobFailedError: A run failed by a bug.
        """
        asked = self._planned(dataset, os.fspath(network), plan)
        title = name or self.records.unused_name(RecordKind.RUN, asked.network_name)
        jobs = request_folds(self.queue, asked, title, folds, fold_group, title)
        return [Run(self, job.record).wait() for job in jobs]

    def preflight(
        self,
        dataset: Dataset | str,
        network: str | PathLike[str] = "",
        *,
        find_rate: bool = False,
        **plan: Unpack[TrainingSettings],
    ) -> PreflightReport:
        """Estimate time and memory of a training from a few of its steps.

        Args:
            dataset: The dataset or its name.
            network: See `train`.
            find_rate: Also test learning rates, and suggest one.
            plan: Fields of the training plan.

        Raises:
            StudioError: See `train`.
            JobFailedError: The measurement failed by a bug.
        """
        asked = self._planned(dataset, os.fspath(network), plan)
        requested = PreflightPlan(training=asked, find_rate=find_rate)
        job = request_preflight(self.queue, requested)
        wait_for(self, job)
        return required_report(PreflightReport.read(job.record.folder), job)

    def baseline(
        self, dataset: Dataset | str, network: str = "", weights: str = ""
    ) -> BaselineReport:
        """Estimate the accuracy that can be reached, in about a minute.

        Args:
            dataset: The dataset or its name.
            network: Network that computes features; empty for the best one with weights here.
            weights: Its weights: "imagenet", a file, or "run:NAME".

        Raises:
            StudioError: There are too few images, or no such weights.
            JobFailedError: The measurement failed by a bug.
        """
        requested = BaselinePlan.parse(
            {
                "dataset": self._dataset(dataset).record.id,
                "network": network,
                "weights": weights_named(self.records, weights),
            }
        )
        job = request_baseline(self.queue, requested)
        wait_for(self, job)
        return required_report(BaselineReport.read(job.record.folder), job)

    def compare(self, *runs: Run | str) -> RunComparison:
        """Return what differs between runs, and their metrics.

        Args:
            runs: At least two runs or their names.

        Raises:
            StudioError: There are fewer, or one does not exist.
        """
        if len(runs) < 2:
            raise StudioError("A comparison needs at least two runs.", "Name another one.")
        chosen = [self.runs[run] if isinstance(run, str) else run for run in runs]
        return compare([ComparedRun(run.name, run.plan, run.read()) for run in chosen])

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
        settings: SweepSettings | None = None,
        **plan: Unpack[TrainingSettings],
    ) -> Sweep:
        """Train with many values of some fields.

        Args:
            dataset: The dataset or its name.
            network: See `train`.
            vary: Values of each field, in a list, a tuple or another sequence, or as on the
                command line: `{"batch_size": (16, 32), "learning_rate": "1e-4..1e-1"}`.
            name: Name of the sweep.
            wait: Return when all trials have ended.
            settings: Fields of the sweep plan, such as `{"sampler": "random", "trials": 20}`.
            plan: Fields of the training plan.

        Raises:
            StudioError: Names everything that is wrong with the plan; or the sweep was stopped.
            JobFailedError: The sweep failed by a bug.
        """
        base = self._planned(dataset, network, plan, varies=True)
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

    def _planned(  # noqa: PLR0913 - as those of `train`
        self,
        dataset: Dataset | str,
        network: str,
        fields: Mapping[str, object],
        *,
        like: Run | str | None = None,
        varies: bool = False,
        recipe: str = "",
        preset: str = "",
        augment: str = "",
    ) -> TrainingPlan:
        """Return the training plan for a dataset with fields that were given."""
        given = dict(fields)
        weights = given.get("weights")
        if isinstance(weights, Run):
            given["weights"] = f"{RUN_PREFIX}{weights.record.id}"
        elif weights is not None:
            given["weights"] = str(weights)
        base: dict[str, object] = {}
        if like is not None:
            run = self.runs[like] if isinstance(like, str) else like
            base = with_available_weights(run.plan, run.record.folder).model_dump(mode="json")
        planner = Planner(
            self.records,
            read_model=self._read_model,
            wait_for_import=lambda job: wait_for(self, job),
        )
        request = PlanRequest(
            dataset=self._dataset(dataset).record.id,
            network=network,
            fields=given,
            base=base,
            varies=varies,
            recipe=recipe,
            preset=preset,
            augment=augment,
        )
        return planner.plan(request)

    def _read_model(self, path: Path) -> ReadModel:
        read = read_model(self.host, path).result()
        return ReadModel(read.spec, read.notes)
