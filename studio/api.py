"""Python interface of Studio, for notebooks and scripts.

    import studio

    workspace = studio.open("my workspace")
    dataset = workspace.datasets.import_folder("pictures")
    run = workspace.train(dataset, network="small_cnn", epochs=5)
    run.history["val_accuracy"]
    run.predict("picture.jpg").scores.classes[0].label
    run.export("exported", "onnx")

It works on the same files as the window and the command line, by the same functions: what one of
them begins, the others show. Jobs run in separate processes, and continue when Python ends.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rich.progress import Progress

from studio.engine.datasets.edits import current_version
from studio.engine.datasets.import_report import ImportReport, read_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary, request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import evident_task, source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.evaluation.report import HEADLINES, EvaluationPlan, Report, TargetReport
from studio.engine.evaluation.requests import on_available_split, request_evaluation
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.formats import chosen_variants
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import request_export
from studio.engine.files import user_path
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import ModelSource, model_of_run, read_source
from studio.engine.inference.picture_values import pictures_of
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.requests import ImagePrediction, model_warnings
from studio.engine.inference.unlike.changes import changed
from studio.engine.inference.unlike.differences import Change
from studio.engine.jobs import control
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import Value
from studio.engine.networks.library import resolve
from studio.engine.progress import SilentProgress
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepHistory
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep, usual_objectives
from studio.engine.sweeps.rows import best_of_sweep
from studio.engine.tasks import DEFAULT_TASK, named_task
from studio.engine.tasks.annotations import AnnotationOptions
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.recommendation import recommendation
from studio.engine.training.requests import request_training
from studio.engine.training.starting_weights import weights_named
from studio.engine.workspace import Record, RecordKind
from studio.engine.workspace import Workspace as Records
from studio.engine.workspace.location import default_workspace

if TYPE_CHECKING:
    from studio.engine.inference.picture_values import PictureValue


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
        words = [f"{field}={_values_text(field, values)}" for field, values in vary.items()]
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


def _values_text(field: str, values: object) -> str:
    """Return the values of a field as on the command line.

    Args:
        field: Name of the field.
        values: A text, a number, or a list or tuple of them.

    Raises:
        StudioError: They are something else.
    """
    several = values if isinstance(values, list | tuple) else (values,)
    for value in several:
        if not isinstance(value, str | int | float):
            raise StudioError(
                f"The values of {field} must be a list of numbers or texts; received "
                f"{type(value).__name__}.",
                'For example: vary={"batch_size": (16, 32)}.',
                "vary",
            )
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in several]
    return ",".join(texts)


_LOOKED_AT = 32
"""Masks or boxes that are read before the import itself."""
RecordT = TypeVar("RecordT", bound="RecordView")


class Collection(Mapping[str, RecordT]):
    """The records of one kind, by their names.

    Args:
        workspace: The workspace.
        kind: Their kind.
        view: The class that shows one.
    """

    def __init__(self, workspace: Workspace, kind: RecordKind, view: type[RecordT]) -> None:
        self._workspace = workspace
        self._kind = kind
        self._view = view

    def __getitem__(self, name: str) -> RecordT:
        record = self._workspace.records.named(self._kind, name)
        if record is None:
            raise KeyError(
                f'There is no {self._kind.value} "{name}". {did_you_mean(name, list(self))}'
            )
        return self._view(self._workspace, record)

    def __iter__(self) -> Iterator[str]:
        return iter([info.name for _, info in self._workspace.records.infos(self._kind)])

    def __len__(self) -> int:
        return len(self._workspace.records.infos(self._kind))

    def __repr__(self) -> str:
        return f"<{self._kind.value}s: {', '.join(self) or 'none'}>"


class Datasets(Collection["Dataset"]):
    """The datasets of a workspace, by their names."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, RecordKind.DATASET, Dataset)

    def import_folder(
        self,
        source: str | Path,
        *,
        task: str | None = None,
        annotations: str | Path = "",
        name: str | None = None,
        wait: bool = True,
        **recipe: object,
    ) -> Dataset:
        """Import images.

        Args:
            source: A folder of class folders, an archive, a table with a column of classes, labels
                or numbers, a file of arrays, an address, or a folder or archive of images with
                masks or boxes.
            task: Name of the task: "classification", "multi_label", "regression", "segmentation"
                or "detection"; None for that of the masks or boxes that are found, otherwise
                "classification".
            annotations: Folder, archive or file with the masks or boxes, if they are not among the
                images.
            name: Name of the dataset; None for that of the folder or file.
            wait: Return when it is imported.
            recipe: Fields of the recipe, such as `width=64`, `height=64` or `val_percent=10`. For
                masks these are also `class_names` (in the order of their index), `class_colors`
                (as "#rrggbb"), `mask_mode` ("index", "color", "binary" or "auto"), `ignore_value`
                (number or color of pixels of no class), `tile_size` (side of the tiles that large
                images are cut into, and size of the images of the dataset unless `width` or
                `height` is given) and `tile_overlap`, in pixels. For boxes `class_names`,
                `class_colors` and tiles as well, `keep_empty` (False leaves images without objects
                out) and `least_visible` (fraction of a box that must be inside the image or tile).

        Raises:
            StudioError: There is nothing to import, or a field does not fit.
            JobFailedError: The import failed by a bug.
        """
        asked = self._recipe(source, task, annotations, recipe)
        title = name or user_path(source).stem
        return self._import(asked, title, wait=wait, or_similar=not name)

    def preview(
        self,
        source: str | Path,
        *,
        task: str | None = None,
        annotations: str | Path = "",
        **recipe: object,
    ) -> ImportReport:
        """Return what `import_folder` would import and leave out, without writing anything.

        Args:
            source: See `import_folder`.
            task: See `import_folder`.
            annotations: See `import_folder`.
            recipe: See `import_folder`.

        Returns:
            Its attributes `classes`, `class_numbers`, `counts` (of the splits), `splits.text`,
            `skipped` and `warnings` say what was understood; `document()` is the JSON data of
            `studio datasets import --preview --json`. Of more than 3,000 images, a random sample
            is examined, see `examined`.

        Raises:
            StudioError: There is nothing to import, or a field does not fit.
        """
        # Loads NumPy and Pillow, which `import studio` must not.
        from studio.engine.datasets.preview import preview_import  # noqa: PLC0415

        return preview_import(self._recipe(source, task, annotations, recipe), SilentProgress())

    def _recipe(
        self,
        source: str | Path,
        task: str | None,
        annotations: str | Path,
        recipe: dict[str, object],
    ) -> DatasetRecipe:
        """Return the recipe of `import_folder`."""
        path = user_path(source)
        masks = str(user_path(annotations)) if annotations else ""
        chosen = named_task(task) if task else evident_task(path, masks) or DEFAULT_TASK
        if masks:
            recipe["annotations"] = masks
        if "ignore_value" in recipe:
            recipe["ignore_value"] = str(recipe["ignore_value"])
        # Loads NumPy and Pillow, which `import studio` must not.
        from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415

        options = SourceOptions(
            labels_file=str(recipe.get("labels_file", "")),
            path_prefix=str(recipe.get("path_prefix", "")),
        ).for_task(chosen, partial(AnnotationOptions, most=_LOOKED_AT))
        suggested = suggest_recipe(
            path, None, SilentProgress(), options, source_for(path, chosen, masks)
        )
        if tile_size := recipe.get("tile_size"):
            recipe = {"width": tile_size, "height": tile_size} | recipe
        asked = suggested.changed(task=chosen.name, **recipe)
        for problem in asked.without_effect():
            if problem.where in recipe:
                raise StudioError(problem.message, problem.hint, problem.where)
        return asked

    def import_sample(self, sample: str, *, name: str | None = None, wait: bool = True) -> Dataset:
        """Import one of the sample datasets, such as "digits".

        Args:
            sample: Name of the sample.
            name: Name of the dataset; by default the sample's.
            wait: False to return while the import is running.

        Raises:
            StudioError: There is no such sample.
        """
        if sample not in SAMPLES:
            names = ", ".join(SAMPLES.names())
            raise StudioError(f'There is no sample "{sample}".', f"There are: {names}.")
        chosen = SAMPLES[sample]
        folder = chosen.write(self._workspace.records.root / "samples", SilentProgress())
        return self._import(chosen.recipe(folder), name or sample, wait=wait, or_similar=not name)

    def _import(
        self, recipe: DatasetRecipe, name: str, *, wait: bool, or_similar: bool
    ) -> Dataset:
        records = self._workspace.records
        title = records.unused_name(RecordKind.DATASET, name) if or_similar else name
        dataset = Dataset(
            self._workspace, request_import(self._workspace.queue, recipe, title).record
        )
        return dataset.wait() if wait else dataset.begin()


class RecordView:
    """A record and its job.

    Args:
        workspace: The workspace.
        record: The record.
    """

    def __init__(self, workspace: Workspace, record: Record) -> None:
        self.workspace = workspace
        self.record = record
        self.job = Job(record)

    def __repr__(self) -> str:
        return f"<{self.record.kind.value} {self.name}: {self.state}>"

    @property
    def name(self) -> str:
        """Its name."""
        return self.record.name

    @property
    def state(self) -> str:
        """State of the job, such as "queued", "running", "paused" or "completed"."""
        self.job.refresh()
        return self.job.history.state.value

    def begin(self) -> Self:
        """Let the job begin if its turn has come; return at once."""
        self.workspace.queue.dispatch()
        return self

    def wait(self) -> Self:
        """Wait until the job has ended, with a progress bar; Ctrl+C leaves it running.

        Raises:
            StudioError: It was stopped, or failed because of something that its user can change.
            JobFailedError: It failed by a bug, or its process was lost.
        """
        _wait(self.workspace, self.job)
        return self

    def stop(self) -> Self:
        """Stop the job and wait until it has stopped; its results so far are kept."""
        self.workspace.queue.stop(self.job)
        _follow(self.workspace, self.job)
        return self

    def delete(self) -> None:
        """Move the record to the trash of the workspace; its name is free at once.

        `studio trash` and the window list, restore and remove what is in the trash. Runs of a
        deleted dataset first store its class names, its preprocessing and a few images: they
        still predict and can be exported, but not resumed or evaluated. This object is of no use
        afterwards.

        Raises:
            StudioError: It is running, or another record needs it.
        """
        request_trash(self.workspace.queue, self.record)


class Dataset(RecordView):
    """A dataset."""

    @property
    def summary(self) -> DatasetSummary:
        """Classes, size and numbers of images of its newest version."""
        return dataset_summary(self.record.folder, current_version(self.record.folder))

    @property
    def task(self) -> str:
        """Name of its task."""
        return self.summary.task

    @property
    def classes(self) -> list[str]:
        """Names of its classes, labels or quantities."""
        return list(self.summary.classes)

    @property
    def count(self) -> dict[str, int]:
        """Number of images of each split: "train", "val" and "test"."""
        return dict(self.summary.count)

    @property
    def imported(self) -> ImportReport | None:
        """Summary of its import: formats, classes, splits, what was left out, and warnings."""
        return read_import(self.record.folder)


class Predicting:
    """Predictions of a model."""

    workspace: Workspace

    def source(self) -> ModelSource:
        """Return the model as requests name it."""
        raise NotImplementedError

    def predict(
        self, picture: PictureValue, *, top: int = 5, change: Change | None = None
    ) -> ImagePrediction:
        """Return the prediction for one picture; see `predict_all` for many.

        Args:
            picture: Path of a picture; pixels as an array of uint8, shape (height, width) or
                (height, width, channels); a Pillow image; or the bytes of an image file.
            top: Number of classes or labels to return.
            change: "invert" swaps light and dark before the prediction, "crop" cuts the picture to
                the shape of the training images.

        Returns:
            The prediction; its `warnings` are assumptions about a model of another program,
            `familiarity.differences` those from the training images.

        Raises:
            StudioError: There is no model yet, or the picture cannot be read.
        """
        predictions = self.predict_all([picture], top=top, change=change)
        if len(predictions) != 1:
            raise StudioError(
                f"{picture!r} contains {len(predictions)} images.", "Use predict_all.", "pictures"
            )
        (prediction,) = predictions
        if prediction.error:
            raise StudioError(prediction.error, "Choose another image.", prediction.image)
        return prediction

    def predict_all(
        self,
        pictures: Iterable[PictureValue] | PictureValue,
        *,
        top: int = 5,
        change: Change | None = None,
    ) -> list[ImagePrediction]:
        """Return the predictions for pictures, in their order.

        Args:
            pictures: Pictures as for `predict`, or paths of folders; one of them; or an array of
                shape (n, height, width, channels).
            top: Number of classes or labels to return.
            change: See `predict`.

        Returns:
            Predictions, each with the parts of its task: `scores.classes`, `values.quantities`,
            `class_map`, `objects.given` or `heat_map`; `error` is set if one cannot be read,
            `warnings` are assumptions about a model of another program,
            `familiarity.differences` those from the training images.

        Raises:
            StudioError: There is no model yet, or there are no pictures.
        """
        model, collected = self.source(), _Collected()
        with tempfile.TemporaryDirectory(prefix="studio-") as folder:
            found = pictures_of(pictures, Path(folder))
            if change is not None:
                found = [
                    each
                    if each.problem
                    else changed(each, change, model, Path(folder) / f"{change}-{number}.png")
                    for number, each in enumerate(found)
                ]
            predict_all(self.workspace.host, model, found, collected, top)
        return collected.found


class Model(Predicting):
    """A model file.

    Args:
        workspace: The workspace.
        model: The model as requests name it.
        options: Facts about it that its user knows.
    """

    def __init__(self, workspace: Workspace, model: ModelSource, options: ModelOptions) -> None:
        self.workspace = workspace
        self._source = model
        self._options = options

    def __repr__(self) -> str:
        return f"<model {self._source.name}>"

    @property
    def classes(self) -> list[str]:
        """Names of its classes; empty if they are not known."""
        return list(self._source.classes)

    @property
    def warnings(self) -> list[str]:
        """Assumptions about it, which make its predictions uncertain; loads the model.

        Raises:
            StudioError: It cannot be opened.
        """
        return list(model_warnings(self.workspace.host, self._source))

    def source(self) -> ModelSource:
        """Return the model as requests name it."""
        return self._source

    def evaluate(self, dataset: Dataset | str, split: str = "test", **plan: object) -> Evaluation:
        """Measure the model on the images of a split of a dataset.

        Args:
            dataset: The dataset or its name.
            split: "train", "val" or "test".
            plan: Other fields of the evaluation plan, such as `resamples=0`.

        Raises:
            StudioError: They do not fit together, or there is no image.
            JobFailedError: The evaluation failed by a bug.
        """
        chosen = self.workspace.datasets[dataset] if isinstance(dataset, str) else dataset
        asked = EvaluationPlan.parse(
            {
                "model_file": self._source.file,
                "preprocessing": self._options.preprocessing or "",
                "class_names": self._options.classes,
                "dataset": chosen.record.id,
                "split": split,
                **plan,
            }
        )
        job = request_evaluation(self.workspace.queue, asked)
        return Evaluation(self.workspace, job.record).wait()


class Run(RecordView, Predicting):
    """A training run."""

    def source(self) -> ModelSource:
        """Return the stored model as requests name it.

        Raises:
            StudioError: The run has no model yet.
        """
        return model_of_run(self.workspace.records, self.record)

    @property
    def plan(self) -> TrainingPlan:
        """Plan of the run."""
        return self.job.plan(TrainingPlan)

    @property
    def history(self) -> dict[str, list[float]]:
        """Values after each epoch by their names, as in `History.history` of Keras."""
        epochs = self._read().epochs
        names = dict.fromkeys(name for epoch in epochs for name in epoch.metrics)
        return {name: [epoch.value(name) for epoch in epochs] for name in names}

    @property
    def best(self) -> dict[str, float]:
        """Metrics at the best epoch, whose weights are kept; empty before the first."""
        best = self._read().best
        return dict(best.metrics) if best else {}

    def step_values(self, metric: str) -> list[float]:
        """Return a metric after every single step, such as "loss"."""
        return list(self._read().steps_of(metric))

    def pause(self) -> Run:
        """Pause the run and wait until it has paused; `resume` continues bit for bit."""
        control.pause(self.job)
        _follow(self.workspace, self.job)
        return self

    def resume(self, *, wait: bool = True) -> Run:
        """Continue a run that was paused, stopped or interrupted."""
        control.resume(self.workspace.queue, self.job)
        return self.wait() if wait else self.begin()

    def evaluate(self, split: str | None = None, **plan: object) -> Evaluation:
        """Measure the model on the images of a split.

        Args:
            split: "train", "val" or "test"; by default "test", or "val" if there are no test
                images.
            plan: Other fields of the evaluation plan, such as `resamples=0`.

        Raises:
            StudioError: There is no model or no image.
            JobFailedError: The evaluation failed by a bug.
        """
        requested = EvaluationPlan.parse({"run": self.record.id, "split": split or "test", **plan})
        if split is None:
            requested = on_available_split(self.workspace.records, requested)
        job = request_evaluation(self.workspace.queue, requested)
        return Evaluation(self.workspace, job.record).wait()

    def export(
        self,
        folder: str | Path,
        format: str = "keras",  # noqa: A002 - as on the command line
        precision: str = "float32",
        **plan: object,
    ) -> ExportedFile:
        """Write the model as files that work without Studio, and compare them with it.

        Args:
            folder: Folder in which a new folder is made for the files.
            format: "keras", "saved_model", "tflite", "onnx" …, see `studio export --help`.
            precision: "float32", "float16" or "int8".
            plan: Other fields of the export plan, such as `tolerance={"points": 0.5}`.

        Returns:
            The `path` that was written and its `certificate`.

        Raises:
            StudioError: It cannot be written so, or what was written is not certified.
            JobFailedError: The export failed by a bug.
        """
        names = [variant.name for variant in chosen_variants([format], [precision])]
        location = str(user_path(folder).absolute())
        asked = ExportPlan.parse(
            {"run": self.record.id, "variants": names, "to": location, **plan}
        )
        job = request_export(self.workspace.queue, asked)
        _wait(self.workspace, job)
        return files_of(job.history.result)[0]

    def _read(self) -> RunHistory:
        job = self.job.with_history(RunHistory)
        job.refresh()
        return job.history


class Evaluation(RecordView):
    """An evaluation of a model."""

    @property
    def report(self) -> Report | TargetReport:
        """All figures.

        Raises:
            StudioError: It is not completed.
        """
        folder = self.record.folder
        report = TargetReport.read(folder) or Report.read(folder)
        if report is None:
            raise StudioError(f"The evaluation {self.name} is {self.state} and has no report.")
        return report

    @property
    def metrics(self) -> dict[str, float | None]:
        """Values by their names; None where one cannot be measured."""
        report = self.report
        if isinstance(report, TargetReport):
            return dict(report.metrics)
        return {name: getattr(report, name) for name in HEADLINES}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Intervals of the metrics that hold the true value in 95 of 100 cases."""
        return dict(self.report.intervals)


class Sweep(RecordView):
    """A sweep: many runs of one plan."""

    @property
    def trials(self) -> list[dict[str, Any]]:
        """The values of each trial, its state, what was measured, and the names of its runs."""
        job = self.job.with_history(SweepHistory)
        job.refresh()
        return [
            {
                "number": number,
                **trial.values,
                "state": trial.state.value,
                "measured": list(trial.measured),
                "runs": [run.name for run in trial.runs],
            }
            for number, trial in sorted(job.history.trials.items())
        ]

    @property
    def best(self) -> Run | None:
        """The first run of the best trial so far; None before one has ended."""
        job = self.job.with_history(SweepHistory)
        job.refresh()
        numbers = best_of_sweep(job)
        if not numbers:
            return None
        return self.workspace.runs[job.history.trials[numbers[0]].runs[0].name]


class PictureLabeling:
    """Pictures without labels, and the labels that they get.

    Args:
        workspace: The workspace.
        opened: The open labeling, with everything that the window can do.
    """

    def __init__(self, workspace: Workspace, opened: Labeling) -> None:
        self.workspace = workspace
        self.opened = opened

    def __repr__(self) -> str:
        return f"<labeling {self.name}: {self.opened.labeled_count} of {len(self)} labeled>"

    def __len__(self) -> int:
        return len(self.opened.items)

    @property
    def name(self) -> str:
        """Its name."""
        return self.opened.record.name

    @property
    def classes(self) -> list[str]:
        """Names of its classes, labels or quantities."""
        return list(self.opened.names)

    @property
    def labels(self) -> dict[int, Value]:
        """Values of the labeled pictures by their numbers."""
        return {item: label.value for item, label in self.opened.labels.items()}

    def add(self, *paths: str | Path) -> list[int]:
        """Add pictures and folders; returns the numbers of the new pictures.

        Raises:
            StudioError: A path does not exist, or there is no picture.
        """
        from studio.engine.labeling.sources import add_pictures  # noqa: PLC0415 - NumPy, Pillow

        return add_pictures(self.opened, [user_path(path) for path in paths]).items

    def set(self, items: int | Sequence[int], value: str | Value | None) -> None:
        """Give pictures a value, or take it away.

        Args:
            items: Number of a picture, or several.
            value: A text, such as the name of a class, which is added if it is new, or "a;b" for
                labels; or a value of `studio.engine.labeling.values`; None for undecided.

        Raises:
            StudioError: The value does not fit the task.
        """
        if isinstance(value, str):
            chosen = [items] if isinstance(items, int) else list(items)
            value = self.opened.editor.parsed(self.opened, value, chosen)
        self.opened.label(items, value, "typed")

    def undo(self) -> None:
        """Take back the last decision."""
        self.opened.undo()

    def suggest(self, network: str = "", weights: str = "") -> list[Proposal]:
        """Return proposals for undecided pictures, the most certain first.

        Args:
            network: Network of the features; empty for the best available without a download.
            weights: Its weights: "imagenet", a file, or "run:ID".

        Raises:
            StudioError: There are not enough labels yet.
        """
        from studio.engine.labeling.assist import Assistant  # noqa: PLC0415
        from studio.engine.labeling.certain import most_certain  # noqa: PLC0415

        assistant = Assistant(
            self.opened, self.workspace.records, self.workspace.host, network, weights
        )
        status = assistant.finish()
        if status.reason:
            raise StudioError(status.reason)
        return most_certain(status, len(self))

    def export(self, folder: str | Path, format: str = "csv") -> Path:  # noqa: A002
        """Write annotation files; returns the new file or folder.

        Args:
            folder: Folder for the new files.
            format: "csv", "voc", "coco", "yolo", "masks" …, by the task.

        Raises:
            StudioError: There is no such format, or nothing is labeled.
        """
        from studio.engine.labeling.output import export_labels  # noqa: PLC0415

        return export_labels(self.opened, format, user_path(folder))

    def dataset(
        self,
        name: str,
        *,
        into: Dataset | str | None = None,
        wait: bool = True,
        **recipe: object,
    ) -> Dataset:
        """Import the labeled pictures as a dataset.

        Args:
            name: Name of the dataset.
            into: A dataset whose images the new one has, too.
            wait: Return when it is imported.
            recipe: Fields of the recipe, such as `width=64`.

        Raises:
            StudioError: Nothing is labeled, or a field does not fit.
            JobFailedError: The import failed by a bug.
        """
        from studio.engine.labeling.output import request_dataset  # noqa: PLC0415

        other = self.workspace.datasets[into] if isinstance(into, str) else into
        record = None if other is None else other.record
        job = request_dataset(self.opened, self.workspace.queue, name, None, record, **recipe)
        made = Dataset(self.workspace, job.record)
        return made.wait() if wait else made.begin()


class _Collected:
    """Collects predictions."""

    def __init__(self) -> None:
        self.found: list[ImagePrediction] = []

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        self.found.extend(predictions)

    def restarted(self) -> None:
        """Nothing is lost when the process is started again."""

    def is_cancelled(self) -> bool:
        return False


def _wait(workspace: Workspace, job: Job) -> JobHistory:
    """Wait until a job is completed."""
    history = _follow(workspace, job)
    job.raise_if_failed()
    if history.state != State.COMPLETED:
        raise StudioError(f"The {job.job_type.verb} was {history.state.value}.")
    return history


def _follow(workspace: Workspace, job: Job) -> JobHistory:
    """Wait until a job has ended, with a progress bar."""
    with Progress(disable=not workspace.progress, transient=True) as bar:
        task = bar.add_task(job.record.name, total=1.0)
        for _ in control.follow(workspace.queue, job):
            bar.update(task, completed=job.history.fraction or 0.0)
    return job.history
