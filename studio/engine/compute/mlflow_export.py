"""Tells an MLflow server, or a folder of MLflow, of a run: settings, figures of epochs, its end.

A server that does not answer costs nothing but its figures: they are kept, and sent when it
answers again. A run that goes on after a pause goes on there, too.
"""

from __future__ import annotations

import json
import math
import os
from typing import Any

from studio.engine.compute.listening import QueuedListener
from studio.engine.files import user_path, write_atomically
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import Event
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan

FILE = "mlflow.json"
"""In the record: which run it is over there, and what was told of it."""

EXPERIMENT = "Studio"
MOST_PARAMETERS = 100
"""In one request; MLflow takes no more."""
LONGEST = 500
"""Characters of a setting; older servers take no more."""

_FIGURES = ("learning_rate", "images_per_second", "seconds")
_STATUS = {
    State.COMPLETED: "FINISHED",
    State.STOPPED: "KILLED",
    State.PRUNED: "KILLED",
}
_PATIENCE = {
    # A thread waits for the server, but the worker should end soon after the training.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    # A folder needs no database; MLflow 3 asks for consent.
    "MLFLOW_ALLOW_FILE_STORE": "true",
}


class MlflowExport(QueuedListener):
    """Passes the epochs of a run on to MLflow.

    Args:
        context: The running job.
        plan: Its plan, which names the address or folder.

    Attributes:
        state: How the run ended; `FAILED` until it is said.
    """

    def __init__(self, context: JobContext, plan: TrainingPlan) -> None:
        super().__init__(context, "MLflow")
        self._plan = plan
        self._path = context.folder / FILE
        self._client: Any = None
        self._run_id = ""
        self._told = 0
        self._unsent: list[EpochDone] = []
        self.state = State.FAILED

    def take(self, event: Event) -> None:
        """Pass on an epoch, or begin."""
        if isinstance(event, TrainingBegan):
            known = self._known() if event.first_step > 1 else {}
            self._run_id, self._told = str(known.get("run", "")), int(known.get("epoch", 0))
            self._send()
        elif isinstance(event, EpochDone) and event.epoch > self._told:
            self._unsent.append(event)
            self._send()

    def finish(self) -> None:
        """Say how it ended."""
        self._send()
        if self.state == State.PAUSED:
            self._client.update_run(self._run_id, status="SCHEDULED")
        else:
            self._client.set_terminated(self._run_id, _STATUS.get(self.state, "FAILED"))

    def _send(self) -> None:
        if self._client is None:
            self._client = _client(self._plan.mlflow)
            if self._run_id:
                self._client.update_run(self._run_id, status="RUNNING")
        if not self._run_id:
            self._run_id = self._begin()
        if not self._unsent:
            return
        from mlflow.entities import Metric  # noqa: PLC0415 - an extra

        metrics = [
            Metric(name, value, round(event.t * 1000), event.epoch)
            for event in self._unsent
            for name, value in _figures(event).items()
            if math.isfinite(value)
        ]
        self._client.log_batch(self._run_id, metrics=metrics)
        self._told = self._unsent[-1].epoch
        self._unsent = []
        self._remember()

    def _begin(self) -> str:
        from mlflow.entities import Param  # noqa: PLC0415 - an extra

        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", EXPERIMENT)
        experiment = self._client.get_experiment_by_name(name)
        experiment_id = (
            self._client.create_experiment(name)
            if experiment is None
            else experiment.experiment_id
        )
        folder = self._context.folder
        tags = {"studio.record": folder.name, "studio.artifacts": folder.absolute().as_uri()}
        run = self._client.create_run(
            experiment_id, run_name=self._context.job.record.info().name, tags=tags
        )
        run_id = str(run.info.run_id)
        settings = [Param(key, value) for key, value in settings_of(self._plan).items()]
        for at in range(0, len(settings), MOST_PARAMETERS):
            self._client.log_batch(run_id, params=settings[at : at + MOST_PARAMETERS])
        self._run_id = run_id
        self._remember()
        return run_id

    def _known(self) -> dict[str, Any]:
        try:
            known: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if known.get("address") == self._plan.mlflow else {}

    def _remember(self) -> None:
        known = {"address": self._plan.mlflow, "run": self._run_id, "epoch": self._told}
        write_atomically(self._path, json.dumps(known) + "\n")


def settings_of(plan: TrainingPlan) -> dict[str, str]:
    """All settings of a plan as texts, by dotted name; a drawn network by its name alone."""
    found: dict[str, str] = {}

    def add(prefix: str, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, dict):
                add(f"{prefix}{name}.", value)
            else:
                found[f"{prefix}{name}"] = str(value)[:LONGEST]

    add("", plan.model_dump(mode="json", exclude={"design"}))
    if plan.design is not None:
        found["design"] = plan.design.name[:LONGEST]
    return found


def _client(address: str) -> Any:  # noqa: ANN401 - of an extra
    for name, value in _PATIENCE.items():
        os.environ.setdefault(name, value)
    from mlflow.tracking import MlflowClient  # noqa: PLC0415 - an extra, and slow to import

    return MlflowClient(tracking_uri=tracking_uri(address))


def tracking_uri(address: str) -> str:
    """The address of a server as it is, a folder as an address."""
    # One letter before the colon is a drive of Windows.
    scheme, colon, _ = address.partition(":")
    if (colon and len(scheme) > 1) or address == "databricks":
        return address
    return user_path(address).absolute().as_uri()


def _figures(event: EpochDone) -> dict[str, float]:
    return {**event.metrics, **{name: getattr(event, name) for name in _FIGURES}}
