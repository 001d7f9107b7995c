"""Makes the report of an evaluation from the answers of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Labels
from studio.engine.datasets.overlay import rows_of, rows_text
from studio.engine.evaluation import measures
from studio.engine.evaluation.gap import EvaluationGap, OriginPart, OriginPartName
from studio.engine.evaluation.outcomes import TOP, Outcomes, Probabilities, no_images
from studio.engine.evaluation.report import (
    Certainty,
    EvaluatedModel,
    Interval,
    OutputFigures,
    Report,
    Robustness,
    Temperature,
)
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.proportions import percentile_interval
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.prediction import Figures, Meaning, Proportion
from studio.engine.tasks.task import Task


@dataclass(frozen=True, slots=True)
class FittingSet:
    """Answers for images that a temperature may be fitted on: never those that are measured.

    Attributes:
        split: Split of the images.
        probabilities: N x K.
        labels: True classes, N.
    """

    split: str
    probabilities: Probabilities
    labels: Labels


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that a report is made of.

    Attributes:
        subject: Evaluated model and images.
        classes: Names of the classes, K.
        outcomes: Outcomes of N images.
        probabilities: Probabilities of the same, N x K, perhaps a memory map.
        fitting: Images to fit the temperature on, or None.
        fitting_missing: Why it is missing.
        robustness: Robustness, if requested.
        warnings: Assumptions about a model of another program.
        notes: Remarks for the reader.
        groups: Groups of the images that are not independent; None for single images.
        is_known: True for images with an origin that training images have, shape (N,); None if
            all or none of them have one.
    """

    subject: EvaluatedModel
    classes: Sequence[str]
    outcomes: Outcomes
    probabilities: Probabilities
    fitting: FittingSet | None = None
    fitting_missing: str = ""
    robustness: Robustness | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    groups: measures.ImageGroups | None = None
    is_known: NDArray[np.bool_] | None = None

    def only(self, which: NDArray[np.bool_]) -> Measured:
        """Return what a report on some of the images is made of.

        Args:
            which: True for these images, shape (N,).
        """
        return replace(
            self,
            outcomes=self.outcomes.only(which),
            probabilities=self.probabilities[which],
            fitting=None,
            robustness=None,
            groups=None if self.groups is None else self.groups.among(which),
            is_known=None,
        )


def report_on_classes(measured: Measured, resamples: int, seed: int, progress: Progress) -> Report:
    """Compute all metrics of probabilities of classes, and their confidence intervals.

    Args:
        measured: Predictions and labels of one split.
        resamples: Bootstrap resamples; 0 for no intervals.
        seed: Seed of the resamples.
        progress: Receives the progress and may cancel.

    Raises:
        BadDataError: There are no images.
        Cancelled: The job was asked to end.
    """
    outcomes, size = measured.outcomes, len(measured.classes)
    if not len(outcomes):
        raise no_images()
    groups = measured.groups
    counts = measures.class_counts(outcomes.truth, outcomes.predicted, size)
    drawn = measures.resample(outcomes, size, resamples, seed, progress, groups)
    ranked = measures.rank_resamples(len(outcomes), size, resamples)
    under = measures.areas(measured.probabilities, outcomes.truth, ranked, seed, progress, groups)
    bins = measures.bins_of(outcomes.confidence)
    error = measures.calibration_error(bins, outcomes.confidence, outcomes.is_right)
    whole = dict(drawn.whole)
    if resamples:
        whole["calibration_error"] = measures.centered(whole["calibration_error"], error)
    intervals = measures.intervals(whole, groups)
    if resamples:
        hits = {"accuracy": outcomes.is_right, "top_5": outcomes.rank < TOP}
        intervals |= _proportions(hits, groups)
    for name in measures.NAMES:
        found = under.mean_intervals[name]
        if found is not None:
            intervals[f"macro_{name}"] = found
    temperature = _temperature(measured, error)
    averages = {name: float(value) for name, value in counts.averages().items()}
    values = averages | {
        "top_5": float((outcomes.rank < TOP).mean()),
        "loss": outcomes.loss,
        "macro_roc_auc": under.means["roc_auc"],
        "macro_average_precision": under.means["average_precision"],
        "calibration_error": error,
    }
    return Report(
        task=DEFAULT_TASK.name,
        subject=measured.subject,
        count=len(outcomes),
        metrics={spec.name: values[spec.name] for spec in DEFAULT_TASK.reporter.report_metrics},
        intervals=intervals,
        outputs=_per_class(counts, drawn, under, measured),
        certainty=Certainty(
            bins=measures.reliability(outcomes),
            temperature=temperature if isinstance(temperature, Temperature) else None,
            temperature_missing=temperature if isinstance(temperature, str) else "",
            coverage=measures.Coverage(outcomes).curve(),
        ),
        robustness=measured.robustness,
        resamples=resamples,
        rank_resamples=ranked,
        groups=0 if groups is None else groups.count,
        gap=_gap(
            measured.subject,
            measured.is_known,
            lambda which: report_on_classes(measured.only(which), resamples, seed, progress),
        ),
        seed=seed,
        warnings=measured.warnings,
        notes=measured.notes,
    )


def _gap(
    subject: EvaluatedModel,
    is_known: NDArray[np.bool_] | None,
    measure: Callable[[NDArray[np.bool_]], Report],
) -> EvaluationGap | None:
    """Return the metrics on known and on unseen origins; None if only one of them was measured.

    Args:
        subject: Evaluated model and images.
        is_known: See `Measured`.
        measure: Returns the report on some of the images.
    """
    if is_known is None or subject.measured_on is None:
        return None
    known, unseen = (_origin_part(measure(which)) for which in (is_known, ~is_known))
    kind, positions = subject.measured_on.kind, rows_text(np.flatnonzero(is_known))
    return EvaluationGap.of(kind, known, unseen, positions)


def _origin_part(found: Report) -> OriginPart:
    return OriginPart(
        images=found.count,
        groups=found.groups or found.count,
        metrics=found.metrics,
        intervals=found.intervals,
    )


def images_by_origin(
    gap: EvaluationGap | None, count: int
) -> dict[OriginPartName, NDArray[np.bool_]]:
    """Return the measured images of known and of unseen origins; empty without a gap.

    Args:
        gap: Metrics of both.
        count: Number of measured images.
    """
    if gap is None:
        return {}
    is_known = np.zeros(count, np.bool_)
    is_known[rows_of(gap.known_images, count)] = True
    return {"known": is_known, "unseen": ~is_known}


def _per_class(
    counts: measures.ClassCounts,
    drawn: measures.Resampled,
    under: measures.Areas,
    measured: Measured,
) -> tuple[OutputFigures, ...]:
    figures = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return tuple(
        OutputFigures(
            name=name,
            images=int(counts.support[label]),
            metrics={
                **{metric: float(values[label]) for metric, values in figures.items()},
                "roc_auc": under.values["roc_auc"][label],
                "average_precision": under.values["average_precision"][label],
            },
            intervals=_class_intervals(drawn, under, measured, label),
        )
        for label, name in enumerate(measured.classes)
    )


def _proportions(
    hits: Mapping[str, NDArray[np.bool_]], groups: measures.ImageGroups | None
) -> dict[str, Interval]:
    """Return the intervals of proportions of all images, by their names."""
    found = {name: measures.proportion(each, groups) for name, each in hits.items()}
    return {name: each for name, each in found.items() if each is not None}


def exact_intervals(
    proportions: Sequence[Proportion], groups: measures.ImageGroups | None
) -> dict[int | None, dict[str, Interval]]:
    """Return score intervals of proportions by their output and metric.

    Args:
        proportions: Proportions of the images.
        groups: Groups of the images; None for single images.
    """
    found: dict[int | None, dict[str, Interval]] = {}
    for each in proportions:
        among = None if groups is None else groups.among(each.among)
        interval = measures.proportion(each.counted[each.among], among)
        if interval is not None:
            found.setdefault(each.output, {})[each.metric] = interval
    return found


def _class_intervals(
    drawn: measures.Resampled, under: measures.Areas, measured: Measured, label: int
) -> dict[str, Interval]:
    groups, outcomes = measured.groups, measured.outcomes
    values = {name: each[:, label] for name, each in drawn.classes.items()}
    found = measures.intervals(values, groups)
    for name, of in (("precision", outcomes.predicted), ("recall", outcomes.truth)):
        if name not in drawn.classes:
            continue
        found.pop(name, None)
        mine = of == label
        own = None if groups is None else groups.among(mine)
        found |= _proportions({name: outcomes.is_right[mine]}, own)
    for name in measures.NAMES:
        here = under.intervals[name][label]
        if here is not None:
            found[name] = here
    return found


def _temperature(measured: Measured, error: float) -> Temperature | str:
    """Return a sentence about the effect of temperature scaling, or why none is suggested.

    It is judged on the measured images, on which it was not fitted.

    Args:
        measured: The answers to measure and those to fit on.
        error: Calibration error without it.
    """
    fitting = measured.fitting
    if fitting is None or not len(fitting.labels):
        return measured.fitting_missing
    value = measures.fit_temperature(fitting.probabilities, fitting.labels)
    after = measures.rescaled(measured.probabilities, measured.outcomes.truth, value)
    bins = measures.bins_of(after.confidence)
    found = measures.calibration_error(bins, after.confidence, after.is_right)
    if found >= error:
        return message(
            "Temperature scaling is not suggested: a temperature of "
            "{temperature:.2f} would change the calibration error on these images "
            "from {before:.1%} to {after:.1%}.",
            temperature=value,
            before=error,
            after=found,
        )
    return Temperature(
        value=value,
        fitted_on=fitting.split,
        images=len(fitting.labels),
        loss=after.loss,
        calibration_error=found,
        bins=measures.reliability(after),
    )


_EVERY = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """Everything that a report on targets is made of.

    Attributes:
        task: Declares and computes the metrics.
        subject: Evaluated model and images.
        meaning: Meaning of the outputs.
        evidence: Sufficient statistics of the images, n rows; see `Reporter.evidence`.
        targets: Shape (n, K).
        confusion: Pixels or objects by true and predicted class, see `Reporter.confusion`; None
            without masks and boxes.
        groups: Groups of the images that are not independent, one number each; None for single
            images.
        pictures: Number of the picture that each image is a tile of; None for whole pictures.
        is_known: True for images with an origin that training images have, shape (n,); None if
            all or none of them have one.
    """

    task: Task
    subject: EvaluatedModel
    meaning: Meaning
    evidence: NDArray[Any]
    targets: NDArray[Any]
    confusion: NDArray[np.int64] | None = None
    groups: NDArray[Any] | None = None
    pictures: NDArray[np.int64] | None = None
    is_known: NDArray[np.bool_] | None = None

    def only(self, which: NDArray[np.bool_]) -> Answered:
        """Return what a report on some of the images is made of.

        Args:
            which: True for these images, shape (n,).
        """
        return replace(
            self,
            evidence=self.evidence[which],
            targets=self.targets[which],
            confusion=None,
            groups=None if self.groups is None else self.groups[which],
            pictures=None if self.pictures is None else self.pictures[which],
            is_known=None,
        )

    def whole(self) -> Joined:
        """Return what is measured: tiles are joined where the task measures whole pictures."""
        return joined(self.task, self.evidence, self.targets, self.groups, self.pictures)


Joined = tuple[NDArray[Any], NDArray[Any], measures.ImageGroups | None]
"""Evidence and targets of what is measured, and its groups."""


def joined(
    task: Task,
    evidence: NDArray[Any],
    targets: NDArray[Any],
    groups: NDArray[Any] | None,
    pictures: NDArray[np.int64] | None,
) -> Joined:
    """Return what is measured: tiles are joined where the task measures whole pictures.

    Args:
        task: The task.
        evidence: Sufficient statistics of the images, n rows.
        targets: Shape (n, K).
        groups: Number of the group of each image; None for single images.
        pictures: Number of the picture that each image is a tile of; None for whole pictures.
    """
    reporter = task.reporter
    if pictures is not None and reporter.measures_pictures:
        evidence, targets = reporter.of_whole_pictures(evidence, targets, pictures)
        first = np.unique(pictures, return_index=True)[1]
        groups = None if groups is None else groups[first]
    return evidence, targets, None if groups is None else measures.ImageGroups.of(groups)


def report_on_outputs(answered: Answered, resamples: int, seed: int, progress: Progress) -> Report:
    """Compute all metrics and their intervals by percentile bootstrap over the images.

    Args:
        answered: Outputs of the model.
        resamples: Bootstrap resamples, at most; 0 for no intervals.
        seed: Seed of the draws.
        progress: Receives the progress and may cancel.

    Raises:
        BadDataError: There are no images.
        Cancelled: Through `progress`.
    """
    task, meaning = answered.task, answered.meaning
    outputs, targets, groups = answered.whole()
    reporter = task.reporter
    if not len(outputs):
        raise no_images()
    found = reporter.measure(outputs, targets, meaning.calibration)
    rounds = measures.affordable_draws(resamples, outputs.size * reporter.cost)
    drawn: list[Figures] = []
    draws = measures.draws(len(outputs), rounds, seed, groups)
    resampled = reporter.resampled(outputs, targets, meaning.calibration, draws)
    for at, figures in enumerate(resampled):
        if at % _EVERY == 0:
            progress.advance(at, rounds, "Computing intervals")
        drawn.append(figures)
    counts = task.targets.counts(targets, len(meaning.names))
    proportions = reporter.proportions(outputs, targets, meaning.calibration) if drawn else ()
    exact = exact_intervals(proportions, groups)
    return Report(
        task=task.name,
        subject=answered.subject,
        count=len(answered.evidence),
        metrics={name: _known(value) for name, value in found.whole.items()},
        intervals=_intervals(
            {name: [each.whole[name] for each in drawn] for name in found.whole}, groups
        )
        | exact.get(None, {}),
        outputs=tuple(
            OutputFigures(
                name=name,
                unit=meaning.units[index] if meaning.units else "",
                images=counts[index],
                **task.geometry.by_unit(int(targets[:, index].sum())),
                threshold=_at(meaning.calibration.thresholds, index),
                margin=_at(meaning.calibration.margins, index),
                metrics={key: _known(values[index]) for key, values in found.outputs.items()},
                intervals=_intervals(
                    {key: [each.outputs[key][index] for each in drawn] for key in found.outputs},
                    groups,
                )
                | exact.get(index, {}),
            )
            for index, name in enumerate(meaning.names)
        ),
        confusion=None
        if answered.confusion is None
        else tuple(map(tuple, answered.confusion.tolist())),
        resamples=rounds,
        groups=0 if groups is None else groups.count,
        seed=seed,
        gap=_gap(
            answered.subject,
            answered.is_known,
            lambda which: report_on_outputs(answered.only(which), resamples, seed, progress),
        ),
        notes=(
            *reporter.notes(outputs, targets, meaning.calibration),
            *_about(answered, len(outputs), rounds, resamples),
        ),
    )


def _about(answered: Answered, measured: int, rounds: int, resamples: int) -> list[Text]:
    """Return remarks about tiles that were joined, and about missing intervals.

    Args:
        answered: Outputs of the model.
        measured: Number of pictures that were measured.
        rounds: Resamples of the intervals.
        resamples: Requested number of them.
    """
    found: list[Text] = []
    if measured < len(answered.evidence):
        found.append(
            message(
                "Measured on {count:,} whole images: a tile counts for its image.", count=measured
            )
        )
    if not rounds and resamples:
        found.append(
            message(
                "Intervals are left out: resampling takes too long with this number of images."
            )
        )
    return found


def _at(values: Sequence[float], index: int) -> float | None:
    return values[index] if values else None


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _intervals(
    values: dict[str, list[float]], groups: measures.ImageGroups | None
) -> dict[str, Interval]:
    """Return the percentiles of each metric over the resamples in which it can be measured.

    Where all resamples are equal, they say nothing about other images: there is no interval.
    """
    count = None if groups is None else groups.count
    found = {name: percentile_interval(drawn, count) for name, drawn in values.items()}
    return {name: each for name, each in found.items() if each is not None and each[0] < each[1]}
