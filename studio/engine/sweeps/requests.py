"""Requests about sweeps: start, retry a trial, add values, pause and the like.

The window and the command line share these functions, so both have the same checks and messages.
Pause and resume are those of runs (`control`), stop is that of the queue.
"""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError, did_you_mean, raise_if_serious
from studio.engine.installation import install_command
from studio.engine.jobs import commands
from studio.engine.jobs.events import Amended
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.library import resolve
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import FieldKind, without_effect
from studio.engine.sweeps.fields import (
    NETWORK,
    field_of,
    fields_in,
    layer_setting,
    outside,
    recipe_changes,
)
from studio.engine.sweeps.history import SweepHistory, SweepJob, TrialChanged
from studio.engine.sweeps.plan import GRID, NO_PRUNER, OBJECTIVES, Dimension, SweepPlan
from studio.engine.sweeps.space import points_of
from studio.engine.sweeps.variants import variant_problems
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS, TASKS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import training_problems
from studio.engine.training.settings_checks import measured_names
from studio.engine.training.starting_weights import store_weights
from studio.engine.workspace import RecordKind, Workspace

CAN_RERUN = (State.FAILED, State.STOPPED, State.PRUNED)
"""States of trials that can be rerun."""


def sweep_problems(workspace: Workspace, plan: SweepPlan) -> list[Problem]:
    """Return all errors and warnings about a sweep.

    Args:
        workspace: Holds the dataset of the plan.
        plan: The sweep.
    """
    problems = space_problems(plan) + _named_networks(workspace, plan)[1]
    problems += variant_problems(workspace, plan)
    varies = {dimension.field for dimension in plan.dimensions}
    idle = without_effect(TrainingPlan, plan.base.model_dump(), varies)
    problems += [
        Problem(name, "it has no effect in any trial.", _reason(idle[name]), serious=False)
        for name in sorted(varies & idle.keys())
    ]
    advice = [each for each in plan.base.without_effect() if each.where not in idle]
    base = [each for each in training_problems(workspace, plan.base) if each not in advice]
    if any(recipe_changes({name: 0}) or layer_setting(name) for name in varies):
        varies.add(NETWORK)  # whether it takes the images, each trial is asked for itself
    # What the base has of a field that varies, no run has.
    problems += [each for each in base if each.where not in varies]
    return problems + plan.without_effect() + _dataset_problems(workspace, plan)


def request_sweep(queue: JobQueue, plan: SweepPlan, name: str) -> SweepJob:
    """Submit a sweep, on the newest version of the dataset unless the plan names one.

    A weights file is copied into the sweep, and its trials start from the copy.

    Args:
        queue: Queue of the workspace.
        plan: The sweep.
        name: Name of the record.

    Raises:
        StudioError: The plan has errors (all are named), or the name is taken.
    """
    record = queue.workspace.record(RecordKind.DATASET, plan.base.dataset)
    if record is not None and plan.base.dataset_version is None:
        # All runs learn from the same images, whatever is edited meanwhile.
        plan = plan.changed(**{"base.dataset_version": current_version(record.folder)})
    raise_if_serious(sweep_problems(queue.workspace, plan))
    plan = plan.changed(designs=_named_networks(queue.workspace, plan)[0])
    job = queue.submit(plan, name, fill=partial(store_weights, plan.base.weights))
    return job.with_history(SweepHistory)


def rerun(queue: JobQueue, job: SweepJob, number: int) -> None:
    """Rerun a trial that failed, was stopped or ended early; it keeps its number.

    Args:
        queue: Queue of the workspace.
        job: The sweep.
        number: Number of the trial.

    Raises:
        StudioError: There is no such trial, or it is completed or running.
    """
    job.refresh()
    row = job.history.trials.get(number)
    if row is None:
        raise StudioError(
            'The sweep "{sweep}" has no trial {number}.',
            message("It has trials from 0 to {last}.", last=max(job.history.trials))
            if job.history.trials
            else "",
            sweep=job.record.name,
            number=number,
        )
    if row.state not in CAN_RERUN:
        raise StudioError(
            "Trial {number} is {state}, so it cannot be rerun.",
            "Vary the seed, or repeat with --seeds, to see how much is chance.",
            number=number,
            state=row.state.label,
        )
    if send_request(job, "rerun", float(number)):
        return
    with queue.changing(job):
        job.append(rerun_row(row))
    queue.restart(job)


def send_request(
    job: SweepJob,
    name: commands.CommandName,
    value: float | None = None,
    changes: Mapping[str, object] | None = None,
) -> bool:
    """Send a change to the worker of a sweep.

    Args:
        job: The sweep; its history is updated.
        name: The command.
        value: Argument of commands with a number.
        changes: Changed fields of the plan, by dotted name.

    Returns:
        False if there is no worker.
    """
    folder = job.record.folder
    with commands.silence(folder):  # it cannot end now without having received it
        job.refresh()
        if not job.history.state.has_worker:
            return False
        attempt, changes = job.history.attempt, dict(changes or {})
        request = commands.JobCommand(command=name, attempt=attempt, value=value, changes=changes)
        commands.append(folder, request)
        return True


def rerun_row(row: TrialChanged) -> TrialChanged:
    """Return the row of a trial that runs again."""
    return TrialChanged(
        number=row.number, values=row.values, state=State.RUNNING, reruns=row.reruns + 1
    )


def extend(
    queue: JobQueue,
    job: SweepJob,
    dimensions: Sequence[Dimension] = (),
    trials: int | None = None,
    hours: float | None = None,
) -> None:
    """Add values, or give more budget, during a sweep or after it; a finished one resumes.

    Args:
        queue: The queue.
        job: The sweep.
        dimensions: Further values, or wider ranges, of fields that vary already.
        trials: Maximum number of all trials.
        hours: After how many no other trial begins, all in all.

    Raises:
        StudioError: They do not go together with what the sweep is.
    """
    job.refresh()
    plan = job.current_plan(SweepPlan)
    changes: dict[str, object] = {}
    if dimensions:
        grown = grow(plan.dimensions, dimensions)
        changes["dimensions"] = [each.model_dump(mode="json") for each in grown]
    if trials is not None:
        changes["trials"] = trials
    if hours is not None:
        changes["hours"] = hours
    if not changes:
        raise StudioError("Nothing is added.", "Give values, trials or hours.")
    plan = plan.changed(**changes)
    designs, problems = _named_networks(queue.workspace, plan)
    raise_if_serious(space_problems(plan) + problems + variant_problems(queue.workspace, plan))
    if designs.keys() != plan.designs.keys():
        changes["designs"] = {name: each.model_dump(mode="json") for name, each in designs.items()}
    if send_request(job, "amend", changes=changes):
        return
    with queue.changing(job):
        job.append(Amended(changes=changes))
    queue.restart(job)


def grow(there: Sequence[Dimension], more: Sequence[Dimension]) -> tuple[Dimension, ...]:
    """Return dimensions extended by further values or wider ranges.

    Args:
        there: Dimensions of the sweep.
        more: Dimensions with the additional values.

    Raises:
        StudioError: A field does not vary yet, or is a range on one side and a list on the other.
    """
    by_name = {dimension.field: dimension for dimension in there}
    for each in more:
        name = each.field
        if name not in by_name:
            raise StudioError(
                "{field} does not vary in this sweep: all trials so far have the same value.",
                message(
                    "It varies {fields}. Start a new sweep for {field}.",
                    fields=", ".join(by_name),
                    field=name,
                ),
                name,
                field=name,
            )
        before = by_name[name]
        if before.is_range != each.is_range:
            text = message(
                "{field} varies over a range."
                if before.is_range
                else "{field} varies over a list of values.",
                field=name,
            )
            raise StudioError(text, "Use the same form.", name)
        if before.low is None or each.low is None or before.high is None or each.high is None:
            values = tuple(dict.fromkeys((*before.values, *each.values)))
            by_name[name] = before.model_copy(update={"values": values})
        else:
            ends = {"low": min(before.low, each.low), "high": max(before.high, each.high)}
            by_name[name] = before.model_copy(update=ends)
    return tuple(by_name.values())


def _named_networks(
    workspace: Workspace, plan: SweepPlan
) -> tuple[dict[str, NetworkSpec], list[Problem]]:
    """Return the drawn ones among the networks that vary, and those that do not exist."""
    designs, problems = dict(plan.designs), []
    for name in (value for d in plan.dimensions if d.field == NETWORK for value in d.values):
        text = str(name)
        own = plan.base.design is not None and text == plan.base.network
        if text in ZOO or text in designs or own:
            continue
        try:
            found = resolve(workspace, text).design
        except StudioError as error:
            problems.append(Problem(NETWORK, error.message, error.hint))
            continue
        if found is not None:
            designs[text] = found
    return designs, problems


def usual_objectives(workspace: Workspace, base: TrainingPlan) -> tuple[str, ...]:
    """Return the default objectives of a sweep: the primary metric of the dataset's task.

    Args:
        workspace: Holds the dataset.
        base: Plan that the trials vary.
    """
    summary = _summary(workspace, base)
    task = DEFAULT_TASK if summary is None else TASKS[summary.task]
    return (task.primary.name,)


def _summary(workspace: Workspace, base: TrainingPlan) -> DatasetSummary | None:
    record = workspace.record(RecordKind.DATASET, base.dataset)
    if record is None:
        return None
    try:
        return dataset_summary(record.folder, base.dataset_version)
    except StudioError:
        return None  # reported by the checks of the training


def _dataset_problems(workspace: Workspace, plan: SweepPlan) -> list[Problem]:
    """Return problems of objectives and values that do not apply to the dataset."""
    summary = _summary(workspace, plan.base)
    if summary is None:
        return []
    task = TASKS[summary.task]
    varied = {each.field: {*map(str, each.values), ""} for each in plan.dimensions}
    problems = [
        Problem(name, message("{reason}.", reason=as_message(reason)), "Vary another field.")
        for setting, reason in task.refusals.items()
        for name, _, value in [setting.partition("=")]
        if value in varied.get(name, ())
    ]
    sets = varied.get("metrics", {plan.base.metrics})
    known = set().union(
        *(measured_names(plan.base.model_copy(update={"metrics": each}), task) for each in sets)
    )
    strange = [each for each in plan.objectives if each in MEASURED_METRICS and each not in known]
    if strange:
        problems.append(
            Problem(
                "objectives",
                message(
                    "{objectives} is not measured for {task:lower}.",
                    objectives=", ".join(strange),
                    task=as_message(task.label),
                ),
                message("Optimize {objective}.", objective=task.primary.name),
            )
        )
    needed = [name for name in plan.objectives if OBJECTIVES[name].needs_validation]
    if summary.count["val"] or not needed:
        return problems
    return [
        *problems,
        Problem(
            "objectives",
            message(
                "{objectives} cannot be measured: the dataset has no validation images.",
                objectives=", ".join(needed),
            ),
            "Add some, or optimize accuracy or loss.",
        ),
    ]


def is_finite(row: TrialChanged) -> bool:
    """Return True if a trial is completed and has a value for every objective."""
    return row.state == State.COMPLETED and all(map(math.isfinite, row.measured))


def _reason(reason: str) -> str:
    return message("{reason}.", reason=as_message(reason))


def space_problems(plan: SweepPlan) -> list[Problem]:
    """Return everything that is wrong with a sweep but for its training plan, all at once."""
    names = [dimension.field for dimension in plan.dimensions]
    problems = [] if names else [Problem("vary", "a sweep needs a field that varies.")]
    problems += [
        Problem(name, "it varies twice.", "Give all its values at once.")
        for name, times in Counter(names).items()
        if times > 1
    ]
    for dimension in plan.dimensions:
        problems += _dimension_problems(plan, dimension)
    return problems + _budget_problems(plan) + _objective_problems(plan) + _package_problems(plan)


def _dimension_problems(plan: SweepPlan, dimension: Dimension) -> list[Problem]:
    name = dimension.field
    field = fields_in(plan.base.design).get(name) or field_of(name)
    if field is None:
        hint = did_you_mean(name, fields_in(plan.base.design))
        return [Problem(name, "there is no such field that can vary.", hint)]
    if dimension.is_range and field.kind not in (FieldKind.INTEGER, FieldKind.NUMBER):
        return [Problem(name, "only numbers have ranges.", "Give its values.")]
    ends = [end for end in (dimension.low, dimension.high) if end is not None]
    problems = [
        problem for value in (*dimension.values, *ends) for problem in outside(name, field, value)
    ]
    if layer_setting(name) is not None:
        problems = problems or _layer_problems(plan, dimension)
    if name == "seed" and plan.seeds > 1:
        problems.append(
            Problem(
                name,
                "it varies, and trials are repeated with other seeds, too.",
                "Choose one of them.",
            )
        )
    if plan.sampler == GRID and not points_of(dimension):
        problems.append(
            Problem(
                name,
                "a grid needs the number of values of a range.",
                "Add a step or a count, as in 0.001..0.1:log:count=5, or choose another sampler.",
            )
        )
    return problems


def _layer_problems(plan: SweepPlan, dimension: Dimension) -> list[Problem]:
    """Return a problem if the drawn network lacks the layer, or the layer lacks the setting."""
    name, design = dimension.field, plan.base.design
    if any(each.field == NETWORK for each in plan.dimensions):
        return [
            Problem(
                name,
                "the network varies, too, and others have no such layer.",
                "Choose one of them.",
            )
        ]
    if design is None:
        return [
            Problem(
                name,
                "settings of layers vary in drawn networks only; the base is one of the gallery.",
                "Open it in the designer, save it, and use the saved network.",
            )
        ]
    node_id, parameter = layer_setting(name) or ("", "")
    known = (node for node in design.nodes if node.id == node_id and node.layer in LAYERS)
    node = next(known, None)
    if node is None:
        ids = [node.id for node in design.nodes]
        return [
            Problem(
                name,
                message('the network has no layer "{layer}".', layer=node_id),
                did_you_mean(node_id, ids),
            )
        ]
    layer = LAYERS[node.layer]
    if parameter not in layer.parameters.model_fields:
        return [
            Problem(
                name,
                message(
                    'the layer "{layer}" ({kind}) has no setting "{parameter}".',
                    layer=node_id,
                    kind=as_message(layer.label),
                    parameter=parameter,
                ),
                did_you_mean(parameter, layer.parameters.model_fields),
            )
        ]
    found = (
        problem
        for value in points_of(dimension) or (dimension.low, dimension.high)
        for problem in layer.parameters.check({**node.parameters, parameter: value})[1]
    )
    return [Problem(name, each.message, each.hint) for each in found]


def _budget_problems(plan: SweepPlan) -> list[Problem]:
    if plan.sampler == GRID or plan.trials is not None or plan.hours is not None:
        return []
    return [
        Problem(
            "trials",
            message("the sampler {sampler} never ends by itself.", sampler=plan.sampler),
            "Set the number of trials or hours.",
        )
    ]


def _objective_problems(plan: SweepPlan) -> list[Problem]:
    problems = []
    if not plan.objectives or len(set(plan.objectives)) != len(plan.objectives):
        problems.append(Problem("objectives", "one or more are needed, each once."))
    ends_early = plan.pruner != NO_PRUNER
    if ends_early and len(plan.objectives) > 1:
        problems.append(
            Problem("pruner", "pruning supports only one objective; received several.")
        )
    elif ends_early and not OBJECTIVES[plan.objectives[0]].per_epoch:
        problems.append(
            Problem(
                "pruner",
                message(
                    "{objective} is known only at the end of a run.", objective=plan.objectives[0]
                ),
            )
        )
    if plan.sampler == "cmaes" and len(plan.objectives) > 1:
        problems.append(Problem("sampler", "CMA-ES looks for one objective; received several."))
    return problems


def _package_problems(plan: SweepPlan) -> list[Problem]:
    if plan.sampler == "cmaes" and sum(each.is_range for each in plan.dimensions) < 2:
        return [
            Problem(
                "sampler",
                "CMA-ES needs two or more fields that vary over ranges.",
                "Give ranges such as 0.001..0.1, or choose tpe.",
            )
        ]
    if plan.sampler == "gp" and importlib.util.find_spec("torch") is None:
        return [
            Problem(
                "sampler",
                "Gaussian processes need PyTorch, which is not installed.",
                message(
                    "Install it with: {command}, or choose tpe.", command=install_command("torch")
                ),
            )
        ]
    return []
