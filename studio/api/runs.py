"""Training runs."""

from __future__ import annotations

import importlib
import io
import os
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from studio.api.evaluations import Evaluation
from studio.api.exports import Export
from studio.api.models import Predicting
from studio.api.records import RecordView, follow, wait_for
from studio.api.run_values import RunValues
from studio.api.settings import (
    EvaluationSettings,
    ExportFormat,
    ExportSettings,
    Precision,
    SplitName,
)
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import on_available_split, request_evaluation
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.formats import chosen_variants
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import request_export
from studio.engine.files import user_path
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.requests import ExplainRequest, explain, overlay
from studio.engine.jobs import control
from studio.engine.training.control import move as move_run
from studio.engine.training.control import require_place
from studio.engine.training.doctor import RunFinding, TrainingHistory, diagnose, run_dataset
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan

if TYPE_CHECKING:
    import keras
    from PIL import Image


class Run(RecordView, RunValues, Predicting):
    """A training run.

    Examples:
        >>> run.state, len(run.history["val_accuracy"])
        ('completed', 1)
        >>> label = run.predict(dataset["val"][0][0]).scores.classes[0].label
        >>> label in dataset.classes
        True
    """

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
    def model(self) -> keras.Model:
        """The stored model, loaded by Keras in this process.

        Raises:
            StudioError: The run has no model yet.
        """
        # Nothing else of this interface loads Keras into the calling process.
        files = importlib.import_module("studio.engine.compute.model_files")
        loaded: keras.Model = files.load_model(Path(self.source().file))
        return loaded

    @property
    def findings(self) -> tuple[RunFinding, ...]:
        """Problems of the run, each with what to change; empty without problems."""
        history, plan = self.read(), self.plan
        dataset = run_dataset(self.workspace.records, plan)
        known = TrainingHistory.of(history, plan).with_answers(self.record.folder, dataset)
        return diagnose(known)

    def explain(self, picture: str | PathLike[str], label: str = "") -> Image.Image:
        """Return a picture with the places that its prediction depends on (Grad-CAM).

        Args:
            picture: Path of a picture.
            label: Class, label or quantity to explain; empty for the predicted one.

        Raises:
            StudioError: There is no model, the picture cannot be read, or such a task has no
                explanations.
        """
        from PIL import Image  # noqa: PLC0415 - `import studio` does without it

        path = user_path(os.fspath(picture)).absolute()
        request = ExplainRequest(model=self.source(), image=str(path), label=label)
        reply = explain(self.workspace.host, request)
        return Image.open(io.BytesIO(overlay(reply)), formats=["PNG"])

    def pause(self) -> Run:
        """Pause the run and wait until it has paused; `resume` continues bit for bit."""
        control.pause(self.job)
        follow(self.workspace, self.job)
        return self

    def move(self, machine: str = "", *, device: str = "auto", wait: bool = True) -> Run:
        """Continue the run on another machine, from its last checkpoint.

        Args:
            machine: Name of a machine that `studio machines add` knows; empty for this one.
            device: The device there.
            wait: Return when the run has ended.

        Raises:
            StudioError: The run is over, or there is no such machine.
        """
        self.job.refresh()
        job = self.job.with_history(RunHistory)
        require_place(self.workspace.queue, job, machine, device)
        if control.can_pause(self.job.history.state):
            self.pause()
        move_run(self.workspace.queue, job, machine, device)
        return self.wait() if wait else self.begin()

    def resume(self, *, wait: bool = True) -> Run:
        """Continue a run that was paused, stopped or interrupted."""
        control.resume(self.workspace.queue, self.job)
        return self.wait() if wait else self.begin()

    def evaluate(
        self, split: SplitName | None = None, **plan: Unpack[EvaluationSettings]
    ) -> Evaluation:
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
        format: ExportFormat = "keras",  # noqa: A002 - as on the command line
        precision: Precision = "float32",
        **plan: Unpack[ExportSettings],
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
        wait_for(self.workspace, job)
        return files_of(job.history.result)[0]

    def evaluations(self) -> list[Evaluation]:
        """Return the evaluations of the run and of its checkpoints, the oldest first."""
        found = self.workspace.evaluations.values()
        return [each for each in found if each.job.plan(EvaluationPlan).run == self.record.id]

    def exports(self) -> list[Export]:
        """Return the exports of the run, the oldest first."""
        found = self.workspace.exports.values()
        return [each for each in found if each.job.plan(ExportPlan).run == self.record.id]

    def read(self) -> RunHistory:
        """Return the history of the run as it is now, with all its events."""
        job = self.job.with_history(RunHistory)
        job.refresh()
        return job.history
