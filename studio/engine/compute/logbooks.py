"""Where else a run is told of while it trains, if its plan wants that."""

from __future__ import annotations

from typing import Self

from studio.engine.compute.mlflow_export import MlflowExport
from studio.engine.compute.tensorboard import TensorBoard
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan


class Logbooks:
    """TensorBoard and MLflow, told of everything that happens while the block runs.

    Args:
        context: The running job.
        plan: Its plan.
    """

    def __init__(self, context: JobContext, plan: TrainingPlan) -> None:
        self._tensorboard = TensorBoard(context) if plan.tensorboard else None
        self._mlflow = MlflowExport(context, plan) if plan.mlflow else None

    def __enter__(self) -> Self:
        """Begin to tell."""
        for each in (self._tensorboard, self._mlflow):
            if each is not None:
                each.open()
        return self

    def ended(self, state: State) -> None:
        """Say how the training ended; without it, it failed."""
        if self._mlflow is not None:
            self._mlflow.state = state

    def __exit__(self, *_error: object) -> None:
        """Tell what is left."""
        for each in (self._tensorboard, self._mlflow):
            if each is not None:
                each.close()
