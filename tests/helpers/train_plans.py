"""Trains several plans in one fresh process, for what cannot be chosen twice in the life of one.

The backend, and the logical devices of a CPU, are settled when the libraries are loaded. Run as
`python train_plans.py WORKSPACE`, with a list of [name, plan] as JSON on standard input; the last
line of its standard output is a JSON object with the result of each. A plan may have one field
more, `pause_at`: the steps after which it is paused, to resume as a new attempt.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.engine.training.history import RunHistory, RunJob

if TYPE_CHECKING:  # started by its path, it finds these only later
    from studio.engine.jobs.queue import JobQueue

Named = Sequence[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Trained:
    """What became of a plan.

    Attributes:
        state: How it ended.
        reason: Why, where it failed.
        device: What the journal calls the device.
        losses: Of every step.
        epochs: What the journal says of each.
        validations: Steps of those in the middle of an epoch.
        digest: Hash of the weights that were kept.
        weights: Sum of the absolute values of each of them.
        attempts: How often it was started.
        traces: How often its training step was traced; None for the first run of the process.
    """

    state: str
    reason: str
    device: str
    losses: list[float]
    epochs: list[dict[str, Any]]
    validations: list[int]
    digest: str
    weights: list[float]
    attempts: int
    traces: int | None


def train_plans(workspace: Path, plans: Named) -> tuple[dict[str, Trained], set[str]]:
    """Train in a fresh process.

    Returns:
        What became of each plan by its name, and the libraries that were loaded.
    """
    import subprocess

    from helpers.processes import clean_environment

    done = subprocess.run(
        [sys.executable, str(Path(__file__)), str(workspace)],
        input=json.dumps(list(plans)),
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(),
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    runs = {name: Trained(**found) for name, found in said["runs"].items()}
    return runs, set(said["libraries"])


def _main(workspace: Path, plans: Named) -> None:
    from helpers.digits import go_on_here
    from studio.engine.jobs.queue import JobQueue
    from studio.engine.training.plan import TrainingPlan
    from studio.engine.workspace import RecordKind, Workspace

    opened = Workspace.open(workspace)
    dataset = opened.records(RecordKind.DATASET)[0].id
    runs: dict[str, dict[str, Any]] = {}
    traced: list[int] = []
    for name, values in plans:
        traced.clear()
        pauses = values.pop("pause_at", [])
        plan = TrainingPlan.parse({"dataset": dataset, **values})
        job = JobQueue(opened).submit(plan, name).with_history(RunHistory)
        for steps in pauses:
            if job.history.state != "completed":  # it may end before it hears the last of them
                go_on_here(opened, job, _past(steps), _pause)
        if job.history.state != "completed":
            go_on_here(opened, job)
        traces = len(traced) if runs else None
        runs[name] = {**_found(job.record.folder, job.history), "traces": traces}
        if len(runs) == 1:
            _note_traces(traced)
    libraries = {"tensorflow", "jax", "torch"} & set(sys.modules)
    print(json.dumps({"runs": runs, "libraries": sorted(libraries)}))


def _note_traces(traced: list[int]) -> None:
    """Note every call of a training step in Python: compiled ones make none."""
    import keras  # its backend is chosen by the first run

    step = keras.Model.train_step

    def noted(model: Any, *given: Any) -> Any:
        traced.append(1)
        return step(model, *given)

    keras.Model.train_step = noted


def _past(steps: int) -> Callable[[RunHistory], bool]:
    return lambda history: len(history.steps_of("loss")) >= steps


def _pause(_queue: JobQueue, job: RunJob) -> None:
    from studio.engine.jobs import control

    if job.history.state.has_worker:
        control.pause(job)


def _found(folder: Path, history: Any) -> dict[str, Any]:
    from studio.engine.compute.model_checkpointer import MODEL_FILE
    from studio.engine.compute.model_files import load_model

    weights = load_model(folder / MODEL_FILE).get_weights() if history.artifacts else []
    return {
        "state": history.state.value,
        "reason": f"{history.reason}\n{history.detail}".strip(),
        "device": history.training.device if history.training else "",
        "losses": list(history.steps_of("loss")),
        "epochs": [epoch.model_dump(mode="json") for epoch in history.epochs],
        "validations": [each.step for each in history.validations],
        "digest": hashlib.sha256(b"".join(each.tobytes() for each in weights)).hexdigest(),
        "weights": [float(abs(each).sum()) for each in weights],
        "attempts": history.attempt,
    }


if __name__ == "__main__":
    # Started by its path: the folder of `helpers` is not on the import path.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    _main(Path(sys.argv[1]), json.load(sys.stdin))
