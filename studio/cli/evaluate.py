"""`studio evaluate`: measure the model of a run, of a checkpoint, or of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from studio.cli.following import completed
from studio.cli.options import (
    FORCE,
    FOREIGN_MODEL,
    foreign_model,
    say_warnings,
    target_file,
)
from studio.cli.verb import CommandOutput, Session, argument, counted, percent
from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.evaluation import report_table
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.evaluation.opened import EvaluationComparison, OpenedEvaluation
from studio.engine.evaluation.report import Certainty, EvaluationPlan, OutputFigures, Report
from studio.engine.evaluation.reports import ReportKind, save_report
from studio.engine.evaluation.requests import (
    find_evaluation,
    on_available_split,
    request_evaluation,
    target_of,
)
from studio.engine.evaluation.threshold_use import chosen_thresholds, limits_text, use_thresholds
from studio.engine.files import user_path
from studio.engine.messages import in_sentence
from studio.engine.proportions import LEVEL
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
    argument(
        "--device",
        metavar="[HOST:]DEVICE",
        help="auto, cpu or gpu:1; gpu-box:auto for a machine of studio machines [auto]",
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
    evaluation = OpenedEvaluation.open(session.workspace, record.folder)
    comparison = None
    if options.against is not None:
        other_plan = plan_for(session, options.against)
        other = find_evaluation(session.workspace, other_plan) or evaluate(session, other_plan)
        rival = OpenedEvaluation.open(session.workspace, other.folder)
        comparison = evaluation.compare(rival)
    for kind, path in targets.items():
        save_report(evaluation, kind, path, comparison)
    say_report(session.output, evaluation.report)
    more = _with_thresholds(session, record, rule)
    if comparison is not None:
        _say_comparison(session.output, comparison)
        more |= comparison.document()
    return evaluation.document() | more if session.output.as_json else None


def _say_comparison(output: CommandOutput, comparison: EvaluationComparison) -> None:
    """Print a comparison of two models."""
    heading, *rows = comparison.rows() or [[]]
    if rows:
        output.table(heading, rows)
    for text in comparison.sentences():
        output.say(text)


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
    evaluation = EvaluatedOutputs.open(session.workspace, record.folder)
    found = chosen_thresholds(evaluation, rule)
    session.output.table(
        [
            *("per", "threshold", "false alarms", f"{LEVEL:.0%} interval", "at most"),
            *("defects found", "cost"),
        ],
        [
            [
                each.unit,
                f"{each.threshold:.4g}",
                percent(each.false_alarms),
                f"{percent(each.low)} – {percent(each.high)}",
                f"1 in {each.one_in:,}",
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
    if options.device is not None:
        requested["device"] = options.device
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


def evaluate_run(session: Session, run_id: str, split: str) -> Report:
    """Evaluate a run, print its report and return it.

    Args:
        session: The command in progress.
        run_id: Id of the run.
        split: Split to evaluate on.

    Raises:
        StudioError: It failed or was stopped.
    """
    record = evaluate(session, EvaluationPlan.parse({"run": run_id, "split": split}))
    report = OpenedEvaluation.open(session.workspace, record.folder).report
    say_report(session.output, report)
    return report


def _targets(session: Session) -> dict[ReportKind, Path]:
    """Return the report files to write, checked before the work begins."""
    kinds: tuple[ReportKind, ...] = ("html", "csv")
    named = {kind: getattr(session.options, kind) for kind in kinds}
    return {kind: target_file(session, path, kind) for kind, path in named.items() if path}


def _say_measured_on(output: CommandOutput, report: Report) -> None:
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


def say_report(output: CommandOutput, report: Report) -> None:
    """Print a report.

    Args:
        output: Prints it.
        report: The report.
    """
    subject, task = report.subject, TASKS[report.task]
    reporter = task.reporter
    columns = reporter.report_columns
    output.say(f"{subject.title} on {report.count:,} {subject.split} images:")
    _say_measured_on(output, report)
    output.table(
        ["metric", "value", f"{LEVEL:.0%} interval"],
        [
            [
                spec.label,
                spec.text(report.metrics[spec.name]),
                report_table.interval_text(spec, report.intervals.get(spec.name)) or "–",
            ]
            for spec in reporter.report_metrics
        ],
    )
    _say_gap(output, report.gap, reporter.report_metrics)
    more: dict[str, Callable[[OutputFigures], str]] = {"images": lambda each: f"{each.images:,}"}
    if any(each.objects is not None for each in report.outputs):
        more["objects"] = lambda each: f"{each.objects or 0:,}"
    if any(each.threshold is not None for each in report.outputs):
        text_of = percent if task.predictor.highest_threshold == 1 else "{:.3g}".format
        more["threshold"] = lambda each: text_of(each.threshold or 0.0)
    if any(each.margin is not None for each in report.outputs):
        more["prediction interval"] = lambda each: f"± {each.margin or 0.0:.3g}"
    output.table(
        [
            task.output_names[0],
            *(in_sentence(spec.label) for spec in reporter.report_columns),
            *more,
        ],
        [
            [
                with_unit(each.name, each.unit),
                *(spec.text(each.metrics[spec.name]) for spec in columns),
                *(text(each) for text in more.values()),
            ]
            for each in report.outputs
        ],
    )
    _say_certainty(output, report.certainty)
    for curve in report.robustness.curves if report.robustness else ():
        points = ", ".join(f"{each.strength:g}: {percent(each.accuracy)}" for each in curve.points)
        output.say(f"{report_table.CORRUPTIONS[curve.corruption]} ({curve.unit}): {points}")
    say_warnings(output, report.warnings)
    for note in report.notes:
        output.note(note)


def _say_certainty(output: CommandOutput, certainty: Certainty | None) -> None:
    """Print the effect of temperature scaling, if it was measured."""
    if certainty is not None and certainty.temperature is not None:
        fitted = certainty.temperature
        output.say(
            f"A temperature of {fitted.value:.2f}, fitted on {fitted.images:,} "
            f"{report_table.split_text(fitted.fitted_on)} images, makes the calibration error "
            f"{percent(fitted.calibration_error)}."
        )
