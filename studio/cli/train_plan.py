"""The options of a training plan, and the plan that they ask for: `studio train`, `runs clone`."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.cli.following import wait_for
from studio.cli.networks_inspect import engine, own_network
from studio.cli.options import SET, assignments, given_options, grouped, plan_options
from studio.cli.verb import Options, Session, argument
from studio.engine.datasets.augment.plan import PRESETS
from studio.engine.datasets.requests import dataset_summary, is_importing
from studio.engine.errors import StudioError
from studio.engine.files import read_failure, user_path
from studio.engine.jobs.job import Job
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.catalog import network_with_output
from studio.engine.networks.enlarging import enlarging_network
from studio.engine.networks.library import is_export, read_export, resolve
from studio.engine.networks.parts import ALL
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import without_effect
from studio.engine.tasks import TASKS
from studio.engine.training.model_format import is_model
from studio.engine.training.plan import GRADIENT, RUN_PREFIX, TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.recipes import PRESETS as TRAINING_PRESETS
from studio.engine.training.recipes import RECIPES
from studio.engine.training.recommendation import (
    OFFERED,
    Suggestion,
    light_networks_in_cache,
    recommendation,
)
from studio.engine.training.starting_weights import weights_named
from studio.engine.training.trainers import trainer_of
from studio.engine.training.weight_matching import require_network_of
from studio.engine.workspace import Record, RecordKind, Workspace


def plan_file_options(what: str) -> Options:
    """Return `--plan FILE` and the options of what it says, for `plan_of_options`."""
    text = f"{what}; other options override it"
    network = "that of --plan, of the weights, or recommended for the dataset"
    return (
        argument("--plan", type=Path, metavar="FILE", help=text),
        training_options("that of --plan", network),
    )


def plan_of_options(session: Session) -> TrainingPlan:
    """Return the plan that the options of `plan_file_options` ask for.

    Raises:
        StudioError: An option does not fit, or the file cannot be read.
    """
    file = session.options.plan
    return asked_plan(session, {} if file is None else plan_in(file))


def training_options(dataset: str, network: str) -> Options:
    """Return an option for every field of a training plan.

    Args:
        dataset: Description of the default dataset.
        network: Description of the default network.
    """
    return (
        grouped(
            "data", argument("--dataset", metavar="N", help=f"dataset to train on [{dataset}]")
        ),
        grouped(
            "network",
            argument(
                "--network",
                metavar="NAME|FILE",
                help="name of a network (studio networks list), or a .json, .keras or .h5 file "
                f"[{network}]",
            ),
            argument(
                "--recipe",
                metavar="{" + ",".join(RECIPES.names()) + "}",
                help="use of pretrained weights; other options override it",
            ),
        ),
        grouped(
            "optimization",
            argument(
                "--preset",
                metavar="{" + ",".join(TRAINING_PRESETS.names()) + "}",
                help="set of training settings; other options override it",
            ),
            argument(
                "--momentum",
                dest="plan_momentum",
                metavar="VALUE",
                help="momentum of SGD and RMSprop; others: --set optimizer_options.beta_1=0.8 [0]",
            ),
        ),
        grouped(
            "augmentation",
            argument(
                "--augment",
                metavar="{" + ",".join(PRESETS.names()) + "}",
                help="preset of random changes; single ones: --set augmentation.rotation=15 [off]",
            ),
        ),
        plan_options(TrainingPlan, ungrouped="optimization"),
        SET,
    )


def asked_plan(session: Session, base: Mapping[str, object]) -> TrainingPlan:
    """Return the plan that the options ask for.

    Args:
        session: The options, and the workspace with datasets, networks and runs.
        base: Values without options, as plain data; may be empty.

    Raises:
        StudioError: Names everything that is wrong with it.
    """
    options = session.options
    given = given_options(options)
    data = _beginning(session, given, dict(base))
    for name in ("optimizer", "schedule"):
        if name in given and given[name] != data.get(name):
            data.pop(f"{name}_options", None)  # numbers of another one
    plan = TrainingPlan.parse({**data, **given})
    if options.recipe is not None:
        dataset = _imported_dataset(session, plan)
        plan = _by_recipe(dataset, plan, options)
    plan = plan.changed(**assignments(options))
    return plan.changed(weights=weights_named(session.workspace, plan.weights))


def _beginning(
    session: Session, given: dict[str, object], data: dict[str, object]
) -> dict[str, object]:
    """Return a plan as plain data, before the options of its fields: preset, data, network."""
    workspace, options = session.workspace, session.options
    has_network = "network" in data
    if options.preset is not None:
        data |= TRAINING_PRESETS[options.preset].changes()
    if options.dataset is not None:
        data |= {"dataset": workspace.find(RecordKind.DATASET, options.dataset).id}
        data.pop("dataset_version", None)
    elif "dataset" not in data:
        raise StudioError("A dataset is required.", "Name it with --dataset.", "dataset")
    if options.network is not None:
        data |= _network(session, options.network, "weights" in given)
    elif not has_network:
        data = _chosen(session, given, data)
    if options.augment is not None:
        data["augmentation"] = PRESETS[options.augment].plan
    return data


def _chosen(
    session: Session, given: Mapping[str, object], data: dict[str, object]
) -> dict[str, object]:
    """Return network and settings of a plan: those recommended, for the weights if there are any.

    With the weights of a run, the settings stay as they are.
    """
    plan = TrainingPlan.parse(data)
    dataset = _imported_dataset(session, plan)
    weights = weights_named(session.workspace, str(given.get("weights", "")))
    if weights.startswith(RUN_PREFIX):
        return data | _network_of_weights(session, dataset, weights)
    suggestions = recommendation(session.workspace, dataset, weights)
    if weights:
        suggestions = tuple(each for each in suggestions if each.weights == weights)
    recipe = session.options.recipe
    if recipe is not None:
        is_pretrained = RECIPES[recipe].is_pretrained
        suggestions = tuple(
            each for each in suggestions if (each.kind != "scratch") == is_pretrained
        )
    if not suggestions and weights:
        return data | _network_of_weights(session, dataset, weights)
    if not suggestions:
        network = light_networks_in_cache() or [OFFERED]
        return data | _network_of_weights(session, dataset, IMAGENET, network[0])
    _print_recommendation(session, dataset, suggestions)
    summary = dataset_summary(dataset.folder, plan.dataset_version)
    plan = suggestions[0].apply(plan, summary, preset=session.options.preset is None)
    if _asks_for_steps(session.options, given, plan):
        plan = plan.changed(head_solver=GRADIENT)
    return plan.model_dump()


def _asks_for_steps(
    options: argparse.Namespace, given: Mapping[str, object], plan: TrainingPlan
) -> bool:
    """Return True if an option only makes sense for a head that is trained by gradient descent."""
    if trainer_of(plan).steps(plan, 1) or "head_solver" in given:
        return False
    if not given.keys().isdisjoint(without_effect(TrainingPlan, plan.model_dump())):
        return True
    if getattr(options, "vary", None):  # of a sweep
        return True
    return options.augment not in (None, "off") or given.get("freeze", ALL) != ALL


def _print_recommendation(
    session: Session, dataset: Record, suggestions: Sequence[Suggestion]
) -> None:
    best, *others = suggestions
    session.output.note(f"Recommended for {dataset.name}: {best.title}. {best.reason}")
    for other in others:
        size = f", a download of {other.download_bytes / 1e6:.0f} MB"
        words = [f"--network {other.network}"]
        if other.weights:
            words += [f"--weights {shlex.quote(other.weights)}", f"--recipe {other.recipe}"]
        session.output.note(
            f"Alternative: {other.title}{size if other.download_bytes else ''}: {' '.join(words)}"
        )


def _network_of_weights(
    session: Session, dataset: Record, weights: str, network: str = ""
) -> dict[str, object]:
    """Return the network that weights belong to; small images are enlarged for published ones."""
    if weights.startswith(RUN_PREFIX):
        run = session.workspace.record(
            RecordKind.RUN, weights.removeprefix(RUN_PREFIX).partition("@")[0]
        )
        if run is None:
            raise StudioError(f'There is no run "{weights}".', "", "weights")
        plan = Job.read(run).current_plan(TrainingPlan)
        session.output.note(f"Note: the network is that of {run.name}, {plan.network}.")
        return {"network": plan.network, "design": plan.design}
    if weights == IMAGENET:
        network = network or (light_networks_in_cache() or [OFFERED])[0]
    else:
        network = require_network_of(Path(weights))
    summary = dataset_summary(dataset.folder)
    network = network_with_output(network, TASKS[summary.task])
    shape = (summary.height, summary.width, summary.channels)
    design = enlarging_network(network, shape, len(summary.classes))
    session.output.note(f"Note: the weights belong to the network {network}, which is used.")
    if design is not None:
        session.output.note(
            f"Note: images of {summary.width}x{summary.height} pixels are enlarged for it."
        )
    return {"network": network, "design": design}


def _network(session: Session, text: str, has_weights: bool) -> dict[str, object]:
    """Network, design and perhaps weights of a plan; a model's file gives all of them."""
    path = user_path(text).absolute()
    if text not in ZOO and is_export(path):
        exported = read_export(path)
        spec, weights = exported.spec, exported.weights
        return _with_weights(session, path, spec, weights, has_weights)
    if text in ZOO or not is_model(path):
        choice = resolve(session.workspace, text)
        return {"network": choice.network, "design": choice.design}
    with engine(session, f"Reading {path.name}") as host:
        spec = own_network(session, text, host)
    return _with_weights(session, path, spec, str(path), has_weights)


def _with_weights(
    session: Session, path: Path, spec: NetworkSpec, weights: str, has_weights: bool
) -> dict[str, object]:
    named = {"network": spec.name, "design": spec}
    if has_weights or not weights:
        reason = "are not used" if has_weights else "cannot be read by Keras"
        session.output.note(f"Note: {path.name} gives the layers; its weights {reason}.")
        return named
    session.output.note(
        f"Note: {path.name} gives the layers and the weights that they start from; other "
        "weights: --weights."
    )
    return named | {"weights": weights}


def plan_in(path: Path) -> dict[str, object]:
    """Return the fields of a plan in a JSON file.

    Raises:
        StudioError: It does not exist.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StudioError(
            f"{path} is not a plan: {read_failure(error).removesuffix('.')}.",
            "Choose a JSON file of a plan.",
            "plan",
        ) from error
    if not isinstance(data, dict):
        raise StudioError(f"{path} is not a plan: it contains no fields.", "", "plan")
    return data


def _imported_dataset(session: Session, plan: TrainingPlan) -> Record:
    """Return the dataset of a plan that depends on its images; waits until it is imported."""
    record = _dataset_of(session.workspace, plan)
    if is_importing(record):
        if getattr(session.options, "detach", False):
            raise StudioError(
                f'The dataset "{record.name}" is still being imported, and the network depends on '
                "its images.",
                "Name the network with --network, or leave out --detach.",
                "dataset",
            )
        wait_for(session, Job(record), f"Importing {record.name}")
    return record


def _dataset_of(workspace: Workspace, plan: TrainingPlan) -> Record:
    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        raise StudioError(
            f'There is no dataset "{plan.dataset}".', "Name one with --dataset.", "dataset"
        )
    return record


def _by_recipe(dataset: Record, plan: TrainingPlan, options: argparse.Namespace) -> TrainingPlan:
    """Apply a recipe to the plan, except for fields that were set by options."""
    summary = dataset_summary(dataset.folder)
    shape = (summary.height, summary.width, summary.channels)
    spec = network_for(plan, shape, len(summary.classes), task=TASKS[summary.task])
    given = given_options(options)
    if options.augment not in (None, "off"):
        given["augmentation"] = plan.augmentation.model_dump()
    return RECIPES[options.recipe].apply(plan, spec).changed(**given)
