"""The options of a training plan, and the plan that they ask for: `studio train`, `runs clone`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from studio.cli.following import wait_for
from studio.cli.networks_inspect import engine
from studio.cli.options import SET, assignments, given_options, grouped, option_group, plan_options
from studio.cli.verb import Options, Session, argument
from studio.engine.datasets.augment.plan import PRESETS, added_names
from studio.engine.errors import StudioError
from studio.engine.inference.requests import read_model
from studio.engine.jobs.job import Job
from studio.engine.messages import Text
from studio.engine.tasks import TASKS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.plan_files import read_plan_file
from studio.engine.training.planner import PlanListener, Planner, PlanRequest, ReadModel
from studio.engine.training.recipes import PRESETS as TRAINING_PRESETS
from studio.engine.training.recipes import RECIPES
from studio.engine.training.recommendation import Suggestion
from studio.engine.training.starting_weights import with_available_weights
from studio.engine.workspace import Record, RecordKind


def plan_file_options(what: str) -> Options:
    """Return `--plan FILE` and the options of what it says, for `plan_of_options`."""
    text = f"{what}; other options override it"
    network = "that of --plan or --like, of the weights, or recommended for the dataset"
    return (
        argument("--plan", type=Path, metavar="FILE", help=text),
        argument("--like", metavar="RUN", help="start from the plan of a run [no run]"),
        training_options("that of --plan or --like", network),
    )


def plan_of_options(session: Session) -> TrainingPlan:
    """Return the plan that the options of `plan_file_options` ask for.

    Raises:
        StudioError: An option does not fit, or the file cannot be read.
    """
    file, like = session.options.plan, session.options.like
    if file is not None and like is not None:
        raise StudioError(
            "--plan and --like both name a plan to start from.", "Leave one of them out.", "plan"
        )
    if like is not None:
        return asked_plan(session, plan_like(session, like))
    return asked_plan(session, {} if file is None else read_plan_file(file, session.workspace))


def plan_like(session: Session, name: str) -> dict[str, object]:
    """Return the plan of a run as plain data, without weights that are no longer there.

    Args:
        session: The command in progress.
        name: Name or id of the run.

    Raises:
        StudioError: There is no such run.
    """
    record = session.workspace.find(RecordKind.RUN, name)
    plan = with_available_weights(Job(record).plan(TrainingPlan), record.folder)
    return plan.model_dump(mode="json")


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
        _augment_option,
        plan_options(TrainingPlan, ("monitor",), ungrouped="optimization"),
        _monitor_option,
        SET,
    )


def _augment_option(parser: argparse.ArgumentParser) -> None:
    """Add `--augment` with the presets, and the operations of other packages."""
    names = ",".join([*PRESETS.names(), *added_names()])
    option_group(parser, "augmentation").add_argument(
        "--augment",
        metavar=f"{{{names}}}",
        help="preset of random changes; single ones: --set augmentation.rotation=15 [off]",
    )


def _monitor_option(parser: argparse.ArgumentParser) -> None:
    """Add `--monitor` with the metrics of each task, also of tasks of other packages."""
    metrics = "; ".join(
        f"{task.name}: {', '.join(each.name for each in task.all_metrics)}"
        for task in TASKS.values()
    )
    parser.add_argument("--watch", dest="plan_monitor", help=argparse.SUPPRESS)
    option_group(parser, "validation and checkpoints").add_argument(
        "--monitor",
        dest="plan_monitor",
        metavar="METRIC",
        help="metric that decides which epoch is best, and early stopping, with val_ before it on "
        f"validation images ({metrics}) [the main metric of the task]",
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
    planner = Planner(
        session.workspace,
        read_model=partial(_read_model, session),
        wait_for_import=partial(_wait_for_import, session),
        listener=_PrintsChoices(session),
    )
    return planner.plan(
        PlanRequest(
            dataset=options.dataset or "",
            network=options.network or "",
            recipe=options.recipe or "",
            preset=options.preset or "",
            augment=options.augment or "",
            fields=given_options(options),
            assignments=assignments(options),
            base=base,
            varies=bool(getattr(options, "vary", None)),
        )
    )


def _read_model(session: Session, path: Path) -> ReadModel:
    with engine(session, f"Reading {path.name}") as host:
        read = read_model(host, path).result()
    return ReadModel(read.spec, read.notes)


def _wait_for_import(session: Session, job: Job) -> None:
    """Wait for the import of a dataset, unless the command shall return at once.

    Raises:
        StudioError: It shall.
    """
    name = job.record.name
    if getattr(session.options, "detach", False):
        raise StudioError(
            f'The dataset "{name}" is still being imported, and the network depends on its '
            "images.",
            "Name the network with --network, or leave out --detach.",
            "dataset",
        )
    wait_for(session, job, f"Importing {name}")


class _PrintsChoices(PlanListener):
    """Prints what the planner chose.

    Args:
        session: The output.
    """

    def __init__(self, session: Session) -> None:
        self._output = session.output

    def note(self, text: Text) -> None:
        """Print a note."""
        self._output.note(f"Note: {text}")

    def suggested(self, dataset: Record, suggestions: Sequence[Suggestion]) -> None:
        """Print the recommended way to train, and the alternatives."""
        best, *others = suggestions
        self._output.note(f"Recommended for {dataset.name}: {best.title}. {best.reason}")
        for other in others:
            size = f", a download of {other.download_bytes / 1e6:.0f} MB"
            words = [f"--network {other.network}"]
            if other.weights:
                words += [f"--weights {shlex.quote(other.weights)}", f"--recipe {other.recipe}"]
            download = size if other.download_bytes else ""
            self._output.note(f"Alternative: {other.title}{download}: {' '.join(words)}")
