"""Compares pretrained networks on some of the user's own images, and takes the best one.

A reputation says little about a small set of images: a linear model is cross-validated on the
features of each network, on the same images.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from studio.engine.baselines.report import BaselinePlan, CandidateScore
from studio.engine.baselines.sampling import SampledImages, draw_sample, fold_rounds, mixed
from studio.engine.compute.extractors import (
    ChosenNetwork,
    Extractor,
    NetworkFeatures,
)
from studio.engine.compute.probe import probe_of
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs.job import JobContext
from studio.engine.messages import message

COMPARED_IMAGES = 300
"""Images on which networks are compared at most."""

MAX_CANDIDATES = 6
"""Networks that are compared at most."""

_TIMED = 16


@dataclass(frozen=True, slots=True)
class NetworkComparison:
    """The best network, and the scores of all.

    Attributes:
        extractor: Features of the best one.
        scores: Scores of those that were compared, the best first; none if there was one network.
        notes: Why networks were left out.
    """

    extractor: Extractor
    scores: tuple[CandidateScore, ...] = ()
    notes: tuple[str, ...] = ()


def best_of(
    context: JobContext, plan: BaselinePlan, store: Store, found: list[ChosenNetwork]
) -> NetworkComparison:
    """Return the network whose features a linear model predicts best from.

    Args:
        context: The baseline.
        plan: Its plan; half of its time is for the comparison.
        store: The images.
        found: The networks, at least one.

    Raises:
        StudioError: The only network cannot be loaded.
        Cancelled: The job was asked to end.
    """
    if len(found) == 1:
        return NetworkComparison(_loaded(context, plan, store, found[0]))
    sample = draw_sample(store, COMPARED_IMAGES, plan.seed)
    budget = plan.seconds / 2 / min(len(found), MAX_CANDIDATES)
    extractors: list[tuple[CandidateScore, Extractor]] = []
    notes: list[str] = []
    for at, each in enumerate(found[:MAX_CANDIDATES]):
        context.advance(at, len(found), message("Comparing networks: {name}", name=each.label))
        try:
            extractor = _loaded(context, plan, store, each)
        except StudioError as error:
            notes.append(
                message("{network} was left out: {reason}", network=each.label, reason=str(error))
            )
            continue
        if extractors and not _is_affordable(extractor, sample, budget, context):
            notes.append(
                message("{network} was left out: it is too slow here.", network=each.label)
            )
            continue
        score = _score(plan, store, sample, extractor, context)
        extractors.append((score, extractor))
    if not extractors:
        return NetworkComparison(_loaded(context, plan, store, found[0]), (), tuple(notes))
    better = 1 if _higher_is_better(store) else -1
    extractors.sort(key=lambda pair: -better * pair[0].score)  # the sort is stable
    scores = tuple(score for score, _ in extractors)
    return NetworkComparison(extractors[0][1], scores, tuple(notes))


def _loaded(
    context: JobContext, plan: BaselinePlan, store: Store, chosen: ChosenNetwork
) -> NetworkFeatures:
    return NetworkFeatures(chosen, plan.dataset, store, context.workspace, context)


def _higher_is_better(store: Store) -> bool:
    metric = store.task.score
    return metric is None or metric.higher_is_better


def _is_affordable(
    extractor: Extractor, sample: SampledImages, budget: float, context: JobContext
) -> bool:
    """Return True if the features of the sample take no longer than a budget in seconds."""
    missing = extractor.missing(sample.rows)
    if len(missing) <= 2 * _TIMED:
        return True
    extractor.features(missing[:_TIMED], context)  # the first batch compiles
    began = time.perf_counter()
    extractor.features(missing[_TIMED : 2 * _TIMED], context)
    each = (time.perf_counter() - began) / _TIMED
    return each * (len(missing) - 2 * _TIMED) <= budget


def _score(
    plan: BaselinePlan,
    store: Store,
    sample: SampledImages,
    extractor: Extractor,
    context: JobContext,
) -> CandidateScore:
    features = extractor.features(sample.rows, context)
    probe = probe_of(sample.rows, features, store, plan.seed)
    rows = mixed(sample.rows, store.strata, plan.seed)
    folds = fold_rounds(rows, store.strata, plan.seed, store.origins.groups)
    source = extractor.source()
    return CandidateScore(
        network=source.network,
        weights=source.weights,
        label=source.label,
        score=probe.scored(folds)[0],
        images=len(sample.rows),
    )
