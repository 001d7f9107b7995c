"""Settings of a plan that do not go together, with each other or with the dataset."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.installation import install_command
from studio.engine.jobs.devices import is_ray_address, parse_device_request
from studio.engine.jobs.executors.host import find_machine
from studio.engine.messages import as_message, joined, message
from studio.engine.networks.zoo import ZOO
from studio.engine.registry import Registry
from studio.engine.tasks import TASKS
from studio.engine.tasks.losses_and_metrics import LOSSES, METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import AUTO, Task
from studio.engine.training.backends import BACKENDS
from studio.engine.training.packages import install_hint
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import planned_output, trainer_of

_TOP = 5
_OPERATIONS, _ADDED = "studio.engine.datasets.augment.operations", "augmentation.added"


def check_settings(plan: TrainingPlan, dataset: DatasetSummary) -> list[Problem]:
    """Check the settings of a plan against each other and against its dataset.

    Args:
        plan: The plan.
        dataset: Summary of the dataset.
    """
    return [
        *_device(plan),
        *_refused(plan, TASKS[dataset.task]),
        *_unsuited(plan, TASKS[dataset.task]),
        *_weighted(plan),
        *plan.without_effect(),
        *_gradients(plan, dataset),
        *_watching(plan, dataset),
        *_advice(plan),
        *_logging(plan),
        *_cluster(plan),
        *_nodes(plan),
        *_machine(plan),
    ]


def accepted(plan: TrainingPlan, task: Task) -> TrainingPlan:
    """Return a plan with defaults for the settings that a task does not support.

    Args:
        plan: The plan.
        task: The task.
    """
    names = [name for name, _ in _refused_by(plan, task)]
    names += [problem.where for problem in _unsuited(plan, task)]
    if plan.monitor not in (AUTO, *(each.name for each in task.measured)):
        names.append("monitor")
    return plan.changed(**{name: _default(name) for name in names}) if names else plan


def _refused_by(plan: TrainingPlan, task: Task) -> list[tuple[str, str]]:
    """Return the settings of a plan that a task refuses, each with the reason."""
    found = []
    for setting, reason in task.refusals.items():
        name, only, value = setting.partition("=")
        given = _value(plan, name)
        if given == value if only else given != _default(name):
            found.append((name, reason))
    return found


def _default(name: str) -> object:
    """Return the default of a field; dotted names reach into nested plans."""
    first, *rest = name.split(".")
    default: object = TrainingPlan.model_fields[first].default
    return _value(default, ".".join(rest)) if rest else default


def _value(plan: object, name: str) -> object:
    return functools.reduce(getattr, name.split("."), plan)


def _refused(plan: TrainingPlan, task: Task) -> list[Problem]:
    """Return problems of settings that do not apply to the task."""
    return [
        Problem(
            name,
            message("{reason}.", reason=as_message(reason)),
            message("Leave it at {default}.", default=_default(name)),
        )
        for name, reason in _refused_by(plan, task)
    ]


def _unsuited(plan: TrainingPlan, task: Task) -> Iterator[Problem]:
    """Yield the objects of packages that are not there, or suit other tasks."""
    added, missing = plan.augmentation.added, install_hint(plan)
    yield from _of_table("loss", LOSSES, plan.loss, task, missing)
    yield from _of_table("metrics", METRICS, plan.metrics, task, missing)
    if not added:
        return
    # Imported here: it needs OpenCV, which forms do without.
    table = importlib.import_module(_OPERATIONS).OPERATIONS
    problems = list(_of_table(_ADDED, table, added, task, missing))
    mixing = task.refusals.get("augmentation.mix_up", "")
    if mixing and not problems and table[added].mix:
        problems = [
            Problem(_ADDED, message("{reason}.", reason=as_message(mixing)), "Choose another one.")
        ]
    yield from problems


def _of_table(
    where: str, table: Registry[Any], name: str, task: Task, missing: str
) -> Iterator[Problem]:
    """Yield why an object of a table cannot be used for a task.

    Args:
        where: Field of the plan.
        table: The table.
        name: Name of the object.
        task: The task.
        missing: How to install packages of the plan that are not there; empty if all are.
    """
    try:
        entry = table[name]
    except StudioError as error:
        yield Problem(where, error.message, missing or error.hint)
        return
    if not entry.suits(task.target_kind):
        yield Problem(
            where,
            message(
                "{name} does not suit {task:lower}; it is for: {kinds}.",
                name=name,
                task=as_message(task.label),
                kinds=", ".join(entry.targets),
            ),
            "Choose another one.",
        )


def _weighted(plan: TrainingPlan) -> Iterator[Problem]:
    is_weighted = plan.class_balancing == "class_weights"
    if is_weighted and plan.loss in LOSSES and "class_balancing" not in LOSSES[plan.loss].uses:
        yield Problem(
            "class_balancing",
            message("the loss {loss} does not use class weights.", loss=plan.loss),
            "Choose balanced sampling, or no class balancing.",
        )


def _device(plan: TrainingPlan) -> Iterator[Problem]:
    request = parse_device_request(plan.device)
    if request.count > 1 and plan.backend == "torch":
        yield Problem(
            "device",
            message(
                "with PyTorch, Keras computes on one device and cannot share batches "
                "among several; received {device}.",
                device=plan.device,
            ),
            "Choose one device, or the backend JAX or TensorFlow.",
        )
        return
    count = request.count * plan.nodes
    if count > plan.batch_size and trainer_of(plan).steps(plan, 1):
        yield Problem(
            "batch_size",
            message(
                "{count} devices share each batch, but a batch of {batch_size} has too few "
                "images.",
                count=count,
                batch_size=plan.batch_size,
            ),
            message("Use batches of {count} or more, or fewer devices.", count=count),
        )
        return


def _gradients(plan: TrainingPlan, dataset: DatasetSummary) -> Iterator[Problem]:
    clips = [name for name in ("clipnorm", "global_clipnorm", "clipvalue") if getattr(plan, name)]
    if len(clips) > 1:
        yield Problem(
            clips[1],
            "gradients are clipped in one way at a time.",
            message("Set all but one of {fields} to 0.", fields=", ".join(clips)),
        )
    if plan.class_balancing == "sampling" and not plan.shuffle:
        yield Problem(
            "class_balancing",
            "balanced sampling needs shuffling.",
            "Turn shuffling on, or choose class weights in the loss.",
        )
    batches = trainer_of(plan).steps(plan, dataset.count["train"])
    if batches and plan.gradient_accumulation_steps > batches:
        yield Problem(
            "gradient_accumulation_steps",
            message(
                "training has {batches} batches, so the weights would never be updated; received "
                "{steps}.",
                batches=batches,
                steps=plan.gradient_accumulation_steps,
            ),
            "Accumulate fewer batches, or train for longer.",
        )


def _watching(plan: TrainingPlan, dataset: DatasetSummary) -> Iterator[Problem]:
    task = TASKS[dataset.task]
    if plan.monitor not in (AUTO, *(each.name for each in task.measured)):
        known = ", ".join(each.name for each in task.measured)
        yield Problem(
            "monitor",
            message(
                "{metric} is not measured for {task:lower}.",
                metric=plan.monitor,
                task=as_message(task.label),
            ),
            message("Monitor one of {metrics}.", metrics=known),
        )
        return
    monitored = task.monitored(plan.monitor)
    if monitored.name not in measured_names(plan, task):
        yield Problem(
            "monitor",
            message("{metric} is measured only by a set of metrics.", metric=plan.monitor),
            message("Choose its metrics, or monitor {metric}.", metric=AUTO),
        )
        return
    yield from _unmeasured(plan, dataset, monitored)
    if (
        (plan.early_stopping_patience or plan.plateau_patience)
        and monitored.is_validation
        and not dataset.count["val"]
    ):
        yield Problem(
            "monitor",
            "there are no validation images, so improvement cannot be measured.",
            "Monitor the training loss, or import images for validation.",
        )
    if plan.validation_interval_epochs > plan.epochs:
        yield Problem(
            "validation_interval_epochs",
            "there is only one validation, at the end.",
            "Validate more often to see how training goes.",
            serious=False,
        )


def _unmeasured(
    plan: TrainingPlan, dataset: DatasetSummary, monitored: MetricSpec
) -> Iterator[Problem]:
    """Return why a metric of the task is not measured for a network, or for few classes."""
    task = TASKS[dataset.task]
    output = planned_output(plan)
    if monitored.outputs and output.name not in monitored.outputs:
        yield Problem(
            "monitor",
            message(
                "{metric} is not measured for networks that predict {predictions}.",
                metric=as_message(monitored.label),
                predictions=output.predictions,
            ),
            message("Monitor {metric:lower}.", metric=as_message(task.primary.label)),
        )
    if len(dataset.classes) < monitored.min_classes:
        yield Problem(
            "monitor",
            message(
                "{metric} is not meaningful with {count} classes; it needs {fewest}.",
                metric=as_message(monitored.label),
                count=len(dataset.classes),
                fewest=monitored.min_classes,
            ),
            message("Monitor {metric:lower}.", metric=as_message(task.primary.label)),
        )


def measured_names(plan: TrainingPlan, task: Task) -> set[str]:
    """Return the names of the metrics that a run measures.

    Args:
        plan: The plan.
        task: Task of its dataset.
    """
    added = METRICS[plan.metrics].specs if plan.metrics in METRICS else ()
    specs = (*task.metrics, *added)
    return {name for each in specs for name in (each.name, each.on_validation.name)}


def _advice(plan: TrainingPlan) -> Iterator[Problem]:
    if plan.schedule == "one_cycle" and plan.warmup_percent:
        yield Problem(
            "warmup_percent",
            "one cycle already has a warm-up.",
            "Set the warm-up to 0.",
            serious=False,
        )
    if plan.batch_size == 1 and _has_batch_normalization(plan):
        yield Problem(
            "batch_size",
            "batch normalization needs the statistics of a batch, and one image is too few.",
            "Use batches of 8 or more.",
            serious=False,
        )


def _logging(plan: TrainingPlan) -> Iterator[Problem]:
    if not plan.mlflow or importlib.util.find_spec("mlflow") is not None:
        return
    yield Problem(
        "mlflow",
        "MLflow is not installed.",
        message(
            "Install it with: {command}, or leave the field empty.",
            command=install_command("mlflow"),
        ),
    )


def _cluster(plan: TrainingPlan) -> Iterator[Problem]:
    if not plan.ray:
        return
    if not is_ray_address(plan.ray):
        yield Problem(
            "ray",
            message('"{address}" is not an address of a Ray cluster.', address=plan.ray),
            "Use ray://HOST:10001, or HOST:6379 on a node of the cluster.",
        )
    if importlib.util.find_spec("ray") is None:
        optional = "On Windows Ray is optional." if sys.platform == "win32" else ""
        yield Problem(
            "ray",
            "Ray is not installed.",
            joined(
                (
                    optional,
                    message(
                        "Install it with: {command}, or leave the field empty to train on this "
                        "machine.",
                        command=install_command("cluster"),
                    ),
                )
            ),
        )
    request = parse_device_request(plan.device)
    if request.indices:
        yield Problem(
            "device",
            "on a cluster Ray chooses which GPUs; these are named by their numbers.",
            message("Use gpu, or gpus:{count}.", count=max(2, request.count)),
        )


def _nodes(plan: TrainingPlan) -> Iterator[Problem]:
    if plan.nodes == 1:
        return
    if not plan.ray:
        yield Problem(
            "nodes",
            message("{count} nodes need a Ray cluster.", count=plan.nodes),
            "Name the cluster, as ray://HOST:10001, or train on 1 node.",
        )
    if plan.backend != "jax":
        yield Problem(
            "nodes",
            message(
                "only JAX trains one network on several nodes; received {backend}.",
                backend=BACKENDS[plan.backend].label,
            ),
            "Choose the backend JAX, or 1 node.",
        )
    if not trainer_of(plan).steps(plan, 1):
        yield Problem(
            "nodes",
            "this network is fitted at once, which one node does alone.",
            "Choose 1 node.",
        )


def _machine(plan: TrainingPlan) -> Iterator[Problem]:
    if not plan.machine:
        return
    try:
        find_machine(plan.machine)
    except StudioError as error:
        yield Problem("machine", error.message, error.hint)
    if plan.ray:
        yield Problem(
            "machine",
            message(
                "a run trains on a machine or on a Ray cluster; received {machine} and {ray}.",
                machine=plan.machine,
                ray=plan.ray,
            ),
            "Leave one of the two fields empty.",
        )


def _has_batch_normalization(plan: TrainingPlan) -> bool:
    design = plan.design
    if design is None:
        if plan.network not in ZOO:
            return False
        network = ZOO[plan.network]
        design = network.build(network.default_input, _TOP)
    return any(node.layer in ("batch_normalization", "backbone") for node in design.nodes)
