"""A threshold that a person chose, as that of a run."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import Report
from studio.engine.messages import Message, message
from studio.engine.tasks.threshold import ThresholdChoice, ThresholdRule
from studio.engine.training.artifacts import read_calibration, write_calibration
from studio.engine.training.trained_models import trained_at
from studio.engine.workspace import RecordKind, Workspace


def chosen_thresholds(evaluation: EvaluatedOutputs, rule: ThresholdRule) -> list[ThresholdChoice]:
    """Choose thresholds of an evaluation by a rule, that of images first.

    Args:
        evaluation: The evaluation.
        rule: The rule.

    Raises:
        StudioError: The task has no such threshold, or images are missing.
    """
    evidence, targets, _ = evaluation.measured
    return evaluation.reporter.thresholds(evidence, targets, rule)


def why_not_used(report: Report) -> str:
    """Return why a threshold of an evaluation cannot be used for its run; empty if it can."""
    subject = report.subject
    if not subject.run:
        return "The evaluated model is a file, not a run."
    return "It was measured on a checkpoint, not on the model." if subject.checkpoint else ""


def use_thresholds(
    workspace: Workspace, report: Report, chosen: Sequence[ThresholdChoice]
) -> None:
    """Use thresholds for predictions and exports of a run from now on.

    That of pixels decides which region of a heat map is outlined. Without a choice, it is that
    of images.

    Args:
        workspace: Holds the run.
        report: Report on the run.
        chosen: Chosen thresholds, one of images among them.

    Raises:
        StudioError: The evaluation is not of a run or not of its present model, or the run was
            deleted.
        DiskFullError: No space was left.
    """
    reason = why_not_used(report)
    if reason:
        raise StudioError("The threshold cannot be used for a run.", reason, "use_threshold")
    run = workspace.require(RecordKind.RUN, report.subject.run)
    if report.subject.trained_at not in (0.0, trained_at(run)):
        raise StudioError(
            "The threshold cannot be used for a run.",
            "The run was trained further since. Evaluate it again.",
            "use_threshold",
        )
    calibration = read_calibration(run.folder)
    limits = {each.unit: each.threshold for each in chosen}
    changed = {
        "thresholds": (limits["image"],) * len(report.outputs),
        "pixel_threshold": limits.get("pixel"),
    }
    write_calibration(run.folder, calibration.model_copy(update=changed))


def limits_text(chosen: Sequence[ThresholdChoice]) -> Message:
    """Return a sentence about the thresholds that a run uses from now on."""
    limits = {each.unit: each.threshold for each in chosen}
    if "pixel" in limits:
        return message(
            "The run uses the threshold {image:.3g} for images and {pixel:.3g} for pixels from "
            "now on.",
            image=limits["image"],
            pixel=limits["pixel"],
        )
    return message("The run uses the threshold {image:.3g} from now on.", image=limits["image"])
