"""`studio bench …`: what the devices of this machine are worth, measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studio.cli import bench_table
from studio.cli.bench_table import predictions_document, print_predictions
from studio.cli.following import (
    completed,
    elapsed,
    ended,
    find_job,
    leave,
    stop_job,
    wait_for,
)
from studio.cli.options import DETACH, FORCE, given_options, plan_options, target_file
from studio.cli.verb import Session, Verb, argument, counted
from studio.engine.benchmarks import requests, results
from studio.engine.benchmarks.advice import advise
from studio.engine.benchmarks.history import BenchmarkHistory, BenchmarkJob
from studio.engine.benchmarks.operations import OperationsPlan, OperationsReport
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.prediction import (
    TABLE_NAME,
    PredictPlan,
    variants_of,
    write_latency_results,
)
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.inference.models import model_name
from studio.engine.workspace import RecordKind

_KINDS = {
    RecordKind.BENCHMARK: "train",
    RecordKind.OPERATIONS: "ops",
    RecordKind.PREDICTIONS: "predict",
}


_name = argument("name", metavar="B", help="name of the benchmark")


_ops_options = (
    argument("--name", metavar="B", help="name of the benchmark [operations]"),
    plan_options(OperationsPlan),
)


def _ops(session: Session) -> object:
    plan = OperationsPlan.parse(given_options(session.options))
    job = requests.request_operations(session.queue, plan, session.options.name or "operations")
    completed(session, job, "Operations")
    return _show_operations(session, job)


def _show_operations(session: Session, job: BenchmarkJob) -> object:
    report = OperationsReport.read(job.record.folder)
    if report is None:
        state = job.history.state.value
        raise StudioError(f'The benchmark "{job.record.name}" is {state} and has no report yet.')
    bench_table.print_operations(session.output, report)
    return bench_table.operations_document(job, report)


_train_options = (
    argument("--name", metavar="B", help="name of the benchmark [benchmark]"),
    argument("--dataset", metavar="N", help="dataset to train on [random noise]"),
    plan_options(StudyPlan),
    DETACH,
)


def _train(session: Session) -> object:
    options, workspace = session.options, session.workspace
    values = given_options(options)
    if options.dataset:
        values["dataset"] = workspace.find(RecordKind.DATASET, options.dataset).id
    plan = StudyPlan.parse(values)
    session.output.advise(requests.benchmark_problems(workspace, plan))
    name = options.name or workspace.unused_name(RecordKind.BENCHMARK, "benchmark")
    job = requests.request_benchmark(session.queue, plan, name)
    cells = counted(len(cell_keys(plan)), "cell")
    session.output.note(f"{name}: {cells}, each in a separate process.")
    return _follow(session, job)


def _follow(session: Session, job: BenchmarkJob) -> object:
    name = job.record.name
    if session.options.detach:
        return leave(session, job, name, f"studio bench show {name}")
    history = wait_for(session, job, f"Benchmark {name}")
    document = _report(session, job)
    session.output.say(ended(name, history))
    return document


def _report(
    session: Session, job: BenchmarkJob, beside: Sequence[results.Beside] = ()
) -> dict[str, object]:
    """Print the figures of a study of trainings or predictions, and return them as a document."""
    if job.record.kind == RecordKind.PREDICTIONS:
        print_predictions(session.output, job)
        return predictions_document(job)
    bench_table.print_study(session.output, job, beside)
    return bench_table.study_document(job, beside)


_predict_options = (
    argument("model", metavar="RUN|FILE", help="run or Keras model"),
    argument("--name", metavar="B", help="name of the benchmark [predictions]"),
    plan_options(PredictPlan),
    DETACH,
)


def _predict(session: Session) -> object:
    options, workspace = session.options, session.workspace
    model = model_name(workspace, options.model)
    plan = PredictPlan.parse({**given_options(options), "model": model})
    name = options.name or workspace.unused_name(RecordKind.PREDICTIONS, "predictions")
    job = requests.request_predictions(session.queue, plan, name)
    variants, missing = variants_of(plan)
    for each in missing:
        session.output.note(f"Without {each.what}: {each.reason}. {each.install}")
    count = len(variants) * len(plan.batch_sizes)
    session.output.note(f"{name}: at least {count:,} cells, each in a separate process.")
    return _follow(session, job)


def _states(job: BenchmarkJob) -> list[results.CellState]:
    """Return the states of a benchmark's cells; single operations have none."""
    if job.record.kind == RecordKind.PREDICTIONS:
        return [result.outcome.state for result in requests.latency_results(job.history)]
    if job.record.kind == RecordKind.BENCHMARK:
        return [cell.outcome.state for cell in requests.cells_of_job(job)]
    return []


def _list(session: Session) -> object:
    session.queue.dispatch()
    found = []
    for kind, what in _KINDS.items():
        for record, info in session.workspace.infos(kind):
            job = BenchmarkJob.read(record)
            try:
                states = _states(job)
            except StudioError as error:
                session.output.note(f"{info.name} is left out: {error}")
                continue
            found.append(
                {
                    "name": info.name,
                    "id": info.id,
                    "kind": what,
                    "state": job.history.state.value,
                    "cells": len(states),
                    "over": sum(state in results.OVER for state in states),
                    "created": info.created.isoformat(),
                }
            )
    if not found:
        session.output.say("No benchmarks yet. Try: studio bench ops")
    else:
        keys = ["name", "kind", "state", "cells", "over"]
        session.output.table(
            [*keys[:-1], "finished"], [[str(each[key]) for key in keys] for each in found]
        )
    return found


_show_options = (
    _name,
    argument(
        "--beside",
        action="append",
        default=[],
        type=Path,
        metavar="CSV",
        help="CSV table of another machine to compare with; may be repeated",
    ),
    argument("--to", metavar="DIR", help="folder for the CSV tables"),
    FORCE,
)


def _show(session: Session) -> object:
    options = session.options
    job = _find_any(session)
    if job.record.kind == RecordKind.OPERATIONS:
        if options.beside or options.to is not None:
            raise StudioError(
                f'"{job.record.name}" timed single operations and has no tables of cells.',
                "Use --json for its figures.",
            )
        return _show_operations(session, job)
    if job.record.kind == RecordKind.PREDICTIONS and options.beside:
        raise StudioError(
            f'"{job.record.name}" timed predictions, so it cannot be compared with tables of '
            "training."
        )
    history = job.history
    beside = [cell for path in options.beside for cell in results.read_beside(path)]
    session.output.say(f"{job.record.name}: {history.state.value}, {elapsed(history)}")
    if history.reason:
        session.output.say(f"{history.reason} {history.hint}".strip())
    document = _report(session, job, beside)
    if options.to is not None:
        files = _write_tables(session, job)
        document["files"] = [str(path) for path in files]
        session.output.say(f"Written: {', '.join(map(str, files))}")
    return document


def _write_tables(session: Session, job: BenchmarkJob) -> Sequence[Path]:
    """Write the tables of a study to the folder of `--to`."""
    if job.record.kind == RecordKind.PREDICTIONS:
        path = _table_folder(session, TABLE_NAME) / TABLE_NAME
        network = str(job.history.result.get("network", ""))
        return [write_latency_results(path, network, requests.latency_results(job.history))]
    folder = _table_folder(session, results.STEPS_NAME, results.AVERAGES_NAME)
    return results.write_tables(job.record.folder, requests.cells_of_job(job), folder)


def _table_folder(session: Session, *names: str) -> Path:
    """Return the folder of `--to`; its tables are only replaced with `--force`."""
    folder = user_path(session.options.to).absolute()
    for name in names:
        target_file(session, folder / name, "to")
    return folder


def _find_any(session: Session) -> BenchmarkJob:
    """Return a study of trainings of that name, or else a benchmark of another kind."""
    for kind in (RecordKind.OPERATIONS, RecordKind.PREDICTIONS):
        names = [record.name for record in session.workspace.records(kind)]
        trained = [record.name for record in session.workspace.records(RecordKind.BENCHMARK)]
        if session.options.name in names and session.options.name not in trained:
            return find_job(session, kind).with_history(BenchmarkHistory)
    return find_job(session, RecordKind.BENCHMARK).with_history(BenchmarkHistory)


def _resume(session: Session) -> object:
    job = _find_any(session)
    if job.record.kind == RecordKind.OPERATIONS:
        raise StudioError(
            f'"{job.record.name}" timed single operations, which cannot be resumed.',
            "Run it again: studio bench ops",
        )
    requests.resume_benchmark(session.queue, job, retry_failed=session.options.retry_failed)
    return _follow(session, job)


_resume_options = (
    _name,
    argument(
        "--retry-failed",
        action="store_true",
        help="also repeat cells that failed, timed out or did not fit",
    ),
    DETACH,
)


def _stop(session: Session) -> object:
    return stop_job(session, _find_any(session))


_advise_options = (
    argument("network", metavar="NETWORK", help="name of the network"),
    argument("--study", metavar="B", help="benchmark to use [the newest one with this network]"),
)


def _advise(session: Session) -> object:
    options = session.options
    studies = requests.studies_with(session.workspace, options.network)
    if options.study:
        requested = session.workspace.find(RecordKind.BENCHMARK, options.study)
        studies = [each for each in studies if each[0].record.id == requested.id]
    if not studies:
        raise StudioError(
            f'No benchmark has measured the network "{options.network}".',
            f"Try: studio bench train --networks {options.network} --batch-sizes 8,32,128",
        )
    job, cells = studies[0]
    advice = advise(cells, options.network)
    if advice is None:
        raise RuntimeError(f"{job.record.id} has nothing measured of {options.network}")
    best = advice.best
    session.output.say(advice.text)
    session.output.say(
        f"studio train --network {best.network} --device {best.device} --batch-size {best.batch} "
        f"--precision {best.precision} --backend {best.backend} --dataset NAME"
    )
    return {
        "study": job.record.name,
        **best.key._asdict(),
        "images_per_second": best.images_per_second,
        "fastest": advice.fastest.key._asdict(),
        "compared": advice.compared,
        "text": advice.text,
    }


VERBS = (
    Verb("ops", "time single operations in several implementations", _ops_options, _ops),
    Verb("train", "time training by network, device and batch size", _train_options, _train),
    Verb("predict", "time predictions in every export format", _predict_options, _predict),
    Verb("list", "list the benchmarks", run=_list),
    Verb("show", "show a benchmark, compare machines, or write CSV", _show_options, _show),
    Verb("resume", "resume a benchmark; nothing is measured twice", _resume_options, _resume),
    Verb("stop", "stop a benchmark and keep its results", _name, _stop),
    Verb("advise", "recommend training settings for this machine", _advise_options, _advise),
)
