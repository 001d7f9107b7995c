"""`studio baseline`: estimate achievable accuracy in about a minute, before any training."""

from __future__ import annotations

from studio.cli.following import completed, leave
from studio.cli.options import DETACH, given_options, plan_options
from studio.cli.verb import CommandOutput, Session, argument
from studio.engine.baselines.report import BaselinePlan, BaselineReport
from studio.engine.baselines.requests import request_baseline
from studio.engine.datasets.requests import dataset_summary
from studio.engine.messages import in_sentence
from studio.engine.tasks import TASKS
from studio.engine.training.advisor import advise
from studio.engine.training.recommendation import recommendation
from studio.engine.training.starting_weights import weights_named
from studio.engine.workspace import Record, RecordKind

run_options = (
    argument("--dataset", required=True, metavar="N", help="name of the dataset"),
    argument("--version", type=int, metavar="V", help="version of the dataset [the newest]"),
    argument(
        "--network",
        default="",
        metavar="NAME",
        help="network that computes the features [the best one with weights on this machine]",
    ),
    argument(
        "--weights",
        default="",
        metavar="imagenet|FILE|run:R",
        help="source of its weights; imagenet downloads them if necessary",
    ),
    plan_options(BaselinePlan),
    DETACH,
)


def run(session: Session) -> object:
    """Compute the baseline of a dataset, print it, and return its document."""
    options = session.options
    dataset = session.workspace.find(RecordKind.DATASET, options.dataset)
    plan = BaselinePlan.parse(
        {
            "dataset": dataset.id,
            "dataset_version": options.version,
            "network": options.network,
            "weights": weights_named(session.workspace, options.weights),
            **given_options(options),
        }
    )
    job = request_baseline(session.queue, plan)
    if options.detach:
        return leave(session, job, f"The baseline of {dataset.name}")
    history = completed(session, job, f"Baseline of {dataset.name}")
    report = BaselineReport.read(job.record.folder)
    if report is None:
        raise RuntimeError(f"{job.record.id} is completed and has no report")
    advice = _advice(session, dataset, report)
    _print(session.output, report, advice)
    return {"name": job.record.name, **history.result, "advice": advice}


def _advice(session: Session, record: Record, report: BaselineReport) -> dict[str, str]:
    # Imported here: it loads the whole zoo, and the other verbs do without it.
    best = recommendation(session.workspace, record)[0]
    similarity = advise(dataset_summary(record.folder, report.dataset_version), report).similarity
    return {
        "recipe": best.recipe,
        "network": best.network,
        "weights": best.weights,
        "similarity": similarity,
        "text": f"{best.title}. {best.reason}",
    }


def _print(output: CommandOutput, report: BaselineReport, advice: dict[str, str]) -> None:
    output.say(report.sentence)
    text = report.metric.text
    output.table(
        ["training images", in_sentence(report.metric.label), "spread"],
        [[f"{each.images:,}", text(each.score), text(each.spread)] for each in report.curve],
    )
    output.say(f"Chance is {text(report.chance)}; tiny images give {text(report.pixels_score)}.")
    measured = TASKS[report.task].reporter.whole
    if len(measured) > 1:  # the score was said above
        output.table(
            ["metric", "value"],
            [
                [each.label, each.text(report.metrics[each.name])]
                for each in measured
                if each.name in report.metrics
            ],
        )
    for note in report.notes:
        output.say(note)
    if not report.features.is_pretrained:
        output.say("To download: --network mobilenet_v2 --weights imagenet")
    output.say(f"Recommended: {advice['text']}")
