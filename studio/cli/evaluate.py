"""`studio evaluate`: measure the model of a run, of a checkpoint, or of a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from studio.cli.following import completed
from studio.cli.options import (
    FORCE,
    FOREIGN_MODEL,
    foreign_model,
    say_warnings,
    target_file,
)
from studio.cli.verb import CommandOutput, Session, argument, counted, figure, metric_text, percent
from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.evaluation import report_table, target_files
from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.evaluation.mcnemar import PairedComparison, compare
from studio.engine.evaluation.open_report import Evaluated, open_evaluation
from studio.engine.evaluation.report import (
    HEADLINES,
    EvaluationPlan,
    OutputFigures,
    Report,
    TargetReport,
)
from studio.engine.evaluation.report_page import json_document
from studio.engine.evaluation.reports import ReportKind, save_report, write_report
from studio.engine.evaluation.requests import (
    find_evaluation,
    on_available_split,
    request_evaluation,
    target_of,
)
from studio.engine.evaluation.threshold_use import chosen_thresholds, limits_text, use_thresholds
from studio.engine.files import user_path
from studio.engine.messages import in_sentence
from studio.engine.proportions import LEVEL, percentile_interval
from studio.engine.tasks import TASKS
from studio.engine.tasks.metric import MetricSpec, with_unit
from studio.engine.tasks.threshold import ErrorCosts, ThresholdRule, fraction_of
from studio.engine.workspace import Record, RecordKind

run_options = (
    argument(
        "name",
        metavar="RUN|RUN@EPOCH|FILE",
        help="run, checkpoint of a run, or .keras or .h5 file",
    ),
    argument(
        "--dataset",
        metavar="N",
        help="dataset to evaluate on [that of the run]",
    ),
    argument(
        "--split",
        choices=("train", "val", "test"),
        help="split to evaluate on [test; validation if there are no test images]",
    ),
    argument("--robustness", action="store_true", help="also evaluate on corrupted images"),
    argument(
        "--resamples",
        type=int,
        metavar="N",
        help="bootstrap resamples of the intervals; 0 for none [1000]",
    ),
    argument("--against", metavar="RUN2", help="compare with another model (McNemar's test)"),
    argument(
        "--false-alarms",
        metavar="RATE",
        help="choose the threshold by the allowed fraction of false alarms, such as 0.5%%",
    ),
    argument(
        "--costs",
        metavar="MISS,ALARM[,SHARE]",
        help="choose the threshold with the lowest cost; SHARE of parts with a defect [as "
        "measured]",
    ),
    argument(
        "--use-threshold",
        action="store_true",
        help="use the chosen threshold for predictions and exports of the run from now on",
    ),
    argument("--html", metavar="F", help="also write the report as HTML"),
    argument("--csv", metavar="F", help="also write all metrics as CSV"),
    FORCE,
    FOREIGN_MODEL,
)


def run(session: Session) -> object:
    """Evaluate a model, print the report, and return its document."""
    options = session.options
    targets, rule = _targets(session), _rule(session)
    plan = plan_for(session, options.name)
    if rule is not None:
        target = target_of(session.workspace, plan)
        _refuse_rule(dataset_summary(target.dataset.folder, target.version).task)
    record = evaluate(session, plan)
    report = TargetReport.read(record.folder)
    if report is not None:
        document = say_targets(session.output, report)
        document |= _with_thresholds(session, record, rule)
        return document | _with_images(session, record, targets)
    evaluated = _evaluation(record)
    comparison = None
    if options.against is not None:
        other_plan = plan_for(session, options.against)
        other = find_evaluation(session.workspace, other_plan) or evaluate(session, other_plan)
        comparison = _compared(evaluated, _evaluation(other))
    for kind, path in targets.items():
        save_report(session.workspace, evaluated, kind, path, comparison)
    say_report(session.output, evaluated.report, comparison)
    if not session.output.as_json:
        return None
    document = json_document(evaluated)
    if comparison is not None:
        document["against"] = comparison.model_dump(mode="json")
    return document


def _rule(session: Session) -> ThresholdRule | None:
    """Return the rule that the options name; None without one.

    Raises:
        StudioError: A number is wrong, or there are two rules.
    """
    options = session.options
    given = [each for each in (options.false_alarms, options.costs) if each is not None]
    if len(given) > 1 or (options.use_threshold and not given):
        raise StudioError(
            "A threshold is chosen by one rule.",
            "Give either --false-alarms or --costs.",
            "false_alarms",
        )
    if options.costs is not None:
        return ThresholdRule(costs=ErrorCosts.parsed(options.costs))
    if options.false_alarms is None:
        return None
    return ThresholdRule(false_alarms=_rate(options.false_alarms))


def _refuse_rule(task: str) -> None:
    """Raise if a task has no thresholds by rules, before anything is measured."""
    if not TASKS[task].reporter.chooses_thresholds:
        raise StudioError(
            "Predictions of this task have no threshold by false alarms or costs.",
            "Leave --false-alarms and --costs out.",
            "false_alarms",
        )


def _rate(text: str) -> float:
    """Return the fraction of a text such as "0.5%" or "0.005".

    Raises:
        StudioError: It is no number.
    """
    try:
        return fraction_of(text)
    except ValueError as error:
        raise StudioError(
            f'--false-alarms takes a fraction or percentage; received "{text}".',
            "For example 0.5%: one false alarm in 200 good parts.",
            "false_alarms",
        ) from error


def _with_thresholds(
    session: Session, record: Record, rule: ThresholdRule | None
) -> dict[str, object]:
    """Print the thresholds that a rule chooses, and use that of images if requested."""
    if rule is None:
        return {}
    # Only now: it takes NumPy.
    evaluation = target_files.open_target_evaluation(session.workspace, record.folder)
    found = chosen_thresholds(evaluation, rule)
    session.output.table(
        ["per", "threshold", "false alarms", f"{LEVEL:.0%} interval", "defects found", "cost"],
        [
            [
                each.unit,
                f"{each.threshold:.4g}",
                percent(each.false_alarms),
                f"{percent(each.low)} – {percent(each.high)}",
                "–" if each.recall is None else percent(each.recall),
                "–" if each.cost is None else f"{each.cost:.4g}",
            ]
            for each in found
        ],
    )
    if session.options.use_threshold:
        use_thresholds(session.workspace, evaluation.report, found)
        session.output.note(str(limits_text(found)))
    return {"thresholds": [asdict(each) for each in found]}


def _with_images(
    session: Session, record: Record, files: dict[ReportKind, Path]
) -> dict[str, object]:
    """Write the report of an evaluation on targets into files, and compare it with another."""
    against = session.options.against
    if not files and against is None:
        return {}
    # Only now: it takes NumPy.
    evaluation = target_files.open_target_evaluation(session.workspace, record.folder)
    for kind, path in files.items():
        write_report(path, target_files.report_text(evaluation, kind), kind)
    if against is None:
        return {}
    plan = plan_for(session, against)
    other = find_evaluation(session.workspace, plan) or evaluate(session, plan)
    rival = target_files.open_target_evaluation(session.workspace, other.folder)
    found = target_files.compare_targets(evaluation, rival)
    session.output.table(
        [
            "metric",
            f"{evaluation.report.subject.title} - {rival.report.subject.title}",
            "95 % interval",
        ],
        [
            [
                spec.label,
                _signed(found[spec.name].value),
                _ends(found[spec.name]),
            ]
            for spec in evaluation.reporter.whole
        ],
    )
    groups = evaluation.report.groups or None
    is_left_out = not any(each.has_interval for each in found.values())
    if is_left_out and percentile_interval((0.0,), groups) is not None:
        session.output.note(
            "Intervals are left out: resampling takes too long with this number of images."
        )
    parts = target_files.compare_origins(evaluation, rival)
    main = evaluation.reporter.whole[0]
    for name, differences in parts.items():
        difference = differences[main.name]
        output = f"{main.label} {_signed(difference.value)} ({_ends(difference)})"
        session.output.say(f"On {name} origins: {output}")
    return {
        "against": _documents(found),
        **(
            {"against_by_origin": {key: _documents(each) for key, each in parts.items()}}
            if parts
            else {}
        ),
    }


def _documents(
    differences: Mapping[str, target_files.MetricDifference],
) -> dict[str, dict[str, object]]:
    return {name: each.model_dump() for name, each in differences.items()}


def plan_for(session: Session, name: str) -> EvaluationPlan:
    """Build the evaluation plan from the options and `RUN`, `RUN@EPOCH` or `FILE`.

    Args:
        session: The command in progress.
        name: Name of the model.

    Raises:
        StudioError: There is neither such a run nor such a file, or a file comes without dataset.
    """
    options, workspace = session.options, session.workspace
    requested: dict[str, object] = {"robustness": options.robustness}
    if options.resamples is not None:
        requested["resamples"] = options.resamples
    if options.dataset is not None:
        requested["dataset"] = workspace.find(RecordKind.DATASET, options.dataset).id
    model = workspace.named(RecordKind.RUN, name)
    run, _, checkpoint = name.rpartition("@")
    at_epoch = workspace.named(RecordKind.RUN, run)
    path = user_path(name)
    if model is None and at_epoch is not None:
        requested |= {"run": at_epoch.id, "checkpoint": checkpoint}
    elif model is None and path.exists():
        if options.dataset is None:
            raise StudioError(
                f"The model file {path} was not trained here.",
                "Name the dataset to evaluate on with --dataset.",
                "dataset",
            )
        facts = foreign_model(options)
        requested["model_file"] = str(path.absolute())
        requested |= {"preprocessing": facts.preprocessing or "", "class_names": facts.classes}
    else:
        requested["run"] = workspace.find(RecordKind.RUN, name).id
    if "model_file" not in requested:
        foreign_model(options).require_foreign(name)
    if options.split is not None:
        return EvaluationPlan.parse(requested | {"split": options.split})
    plan = on_available_split(workspace, EvaluationPlan.parse(requested))
    if plan.split != "test":
        session.output.note(f"There are no test images; the {plan.split} images are used.")
    return plan


def evaluate(session: Session, plan: EvaluationPlan) -> Record:
    """Run an evaluation and wait for its report.

    Args:
        session: The command in progress.
        plan: The evaluation.

    Raises:
        StudioError: It failed or was stopped.
    """
    job = request_evaluation(session.queue, plan)
    completed(session, job, f"Measuring on the {plan.split} images")
    return job.record


def evaluate_run(session: Session, run_id: str, split: str) -> Mapping[str, Any]:
    """Evaluate a run, print the metrics of targets, and return `count` and `metrics`.

    Args:
        session: The command in progress.
        run_id: Id of the run.
        split: Split to evaluate on.

    Raises:
        StudioError: It failed or was stopped.
    """
    record = evaluate(session, EvaluationPlan.parse({"run": run_id, "split": split}))
    report = TargetReport.read(record.folder)
    if report is not None:
        return say_targets(session.output, report)
    return json_document(_evaluation(record))


def _evaluation(record: Record) -> Evaluated:
    return open_evaluation(record.folder)


def _compared(one: Evaluated, other: Evaluated) -> PairedComparison:
    return compare((one.report, one.answers), (other.report, other.answers))


def _targets(session: Session) -> dict[ReportKind, Path]:
    """Return the report files to write, checked before the work begins."""
    kinds: tuple[ReportKind, ...] = ("html", "csv")
    named = {kind: getattr(session.options, kind) for kind in kinds}
    return {kind: target_file(session, path, kind) for kind, path in named.items() if path}


def say_report(
    output: CommandOutput, report: Report, comparison: PairedComparison | None = None
) -> None:
    """Print a report on classes.

    Args:
        output: Prints it.
        report: The report.
        comparison: Its comparison with another model, if there is one.
    """
    subject = report.subject
    output.say(f"{subject.title} on {report.count:,} {subject.split} images:")
    _say_measured_on(output, report)
    output.say(
        f"accuracy {percent(report.accuracy)}, top-5 {percent(report.top_5)}, "
        f"loss {figure(report.loss)}, macro F1 {percent(report.macro_f1)}"
    )
    output.table(
        ["figure", "value", f"{LEVEL:.0%} interval"],
        [
            [
                report_table.LABELS[name],
                report_table.value_text(name, getattr(report, name)),
                report_table.interval_text(name, report.intervals.get(name)) or "–",
            ]
            for name in HEADLINES
        ],
    )
    _say_gap(output, report.gap, [report_table.spec_of(name) for name in HEADLINES])
    output.table(
        ["class", "precision", "recall", "F1", "ROC area", "images"],
        [
            [
                label,
                percent(row.precision),
                percent(row.recall),
                percent(row.f1),
                report_table.value_text("roc_auc", row.roc_auc),
                f"{row.support:,}",
            ]
            for label, row in zip(report.classes, report.per_class, strict=True)
        ],
    )
    if report.temperature is not None:
        fitted = report.temperature
        output.say(
            f"A temperature of {fitted.value:.2f}, fitted on {fitted.images:,} "
            f"{report_table.split_text(fitted.fitted_on)} images, makes the calibration error "
            f"{percent(fitted.calibration_error)}."
        )
    for curve in report.robustness.curves if report.robustness else ():
        points = ", ".join(f"{each.strength:g}: {percent(each.accuracy)}" for each in curve.points)
        output.say(f"{report_table.CORRUPTIONS[curve.corruption]} ({curve.unit}): {points}")
    if comparison is not None:
        output.say(comparison.sentence)
        for name, part in comparison.origins.items():
            output.say(f"On {name} origins: {part.sentence}")
    say_warnings(output, report.warnings)
    for note in report.notes:
        output.note(note)


def _say_measured_on(output: CommandOutput, report: Report | TargetReport) -> None:
    """Print whether images of unseen origins were measured, and what intervals resample."""
    if report.subject.measured_on is not None:
        output.say(str(report.subject.measured_on.text))
    if report.groups:
        output.say(f"Intervals resample {counted(report.groups, 'origin')} with their images.")


def _say_gap(
    output: CommandOutput, gap: EvaluationGap | None, specs: Sequence[MetricSpec]
) -> None:
    """Print the metrics on known and on unseen origins, if both were measured."""
    if gap is not None:
        output.say(str(gap.text(specs[0])))
        output.table(
            list(report_table.GAP_HEADER), [list(row) for row in report_table.gap_rows(gap, specs)]
        )


def say_targets(output: CommandOutput, report: TargetReport) -> dict[str, object]:
    """Print a report on targets, and return it as a document.

    Args:
        output: Prints it.
        report: The report.
    """
    subject, task = report.subject, TASKS[report.task]
    reporter = task.reporter
    output.say(f"{subject.title} on {report.count:,} {subject.split} images:")
    _say_measured_on(output, report)
    output.table(
        ["metric", "value", f"{LEVEL:.0%} interval"],
        [
            [
                spec.label,
                _metric(spec, report.metrics[spec.name]),
                _interval(spec, report.intervals),
            ]
            for spec in reporter.whole
        ],
    )
    _say_gap(output, report.gap, reporter.whole)
    more: dict[str, Callable[[OutputFigures], str]] = {"images": lambda each: f"{each.images:,}"}
    if any(each.objects is not None for each in report.outputs):
        more["objects"] = lambda each: f"{each.objects or 0:,}"
    if any(each.threshold is not None for each in report.outputs):
        text_of = percent if task.predictor.highest_threshold == 1 else "{:.3g}".format
        more["threshold"] = lambda each: text_of(each.threshold or 0.0)
    if any(each.margin is not None for each in report.outputs):
        more["prediction interval"] = lambda each: f"± {each.margin or 0.0:.3g}"
    output.table(
        [task.output_names[0], *(in_sentence(spec.label) for spec in reporter.outputs), *more],
        [
            [
                with_unit(each.name, each.unit),
                *(_metric(spec, each.metrics[spec.name]) for spec in reporter.outputs),
                *(text(each) for text in more.values()),
            ]
            for each in report.outputs
        ],
    )
    for note in report.notes:
        output.note(note)
    return report.model_dump(mode="json", exclude={"outputs"}) | {
        reporter.outputs_key: {
            each.name: {
                **each.metrics,
                "intervals": each.intervals,
                "unit": each.unit,
                **({} if each.threshold is None else {"threshold": each.threshold}),
                **({} if each.margin is None else {"margin": each.margin}),
                **({} if each.pixels is None else {"pixels": each.pixels}),
                **({} if each.objects is None else {"objects": each.objects}),
            }
            for each in report.outputs
        }
    }


def _ends(difference: target_files.MetricDifference) -> str:
    if not difference.has_interval:
        return "–"
    return f"{_signed(difference.low)} – {_signed(difference.high)}"


def _signed(value: float) -> str:
    return f"{value:+.4g}" if math.isfinite(value) else "–"


def _metric(spec: MetricSpec, value: float | None) -> str:
    return "–" if value is None else metric_text(spec, value)


def _interval(spec: MetricSpec, intervals: Mapping[str, tuple[float, float]]) -> str:
    if spec.name not in intervals:
        return "–"
    low, high = (metric_text(spec, end) for end in intervals[spec.name])
    return f"{low} to {high}"
