"""Training runs."""

from __future__ import annotations

from pathlib import Path

from studio.api.evaluations import Evaluation
from studio.api.models import Predicting
from studio.api.records import RecordView, follow, wait_for
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import on_available_split, request_evaluation
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.formats import chosen_variants
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import request_export
from studio.engine.files import user_path
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.jobs import control
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan


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
        follow(self.workspace, self.job)
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
        wait_for(self.workspace, job)
        return files_of(job.history.result)[0]

    def _read(self) -> RunHistory:
        job = self.job.with_history(RunHistory)
        job.refresh()
        return job.history
