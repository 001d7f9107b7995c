"""Computes a baseline: fits a linear model on features of a dataset and measures it."""

from __future__ import annotations

import time

import numpy as np

from studio.engine.baselines.report import BaselinePlan, BaselineReport, OriginGap
from studio.engine.baselines.sampling import (
    SampledImages,
    draw_sample,
    fold_rounds,
    mixed,
    round_number,
    rounds_of,
)
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.compute.candidates import NetworkComparison, best_of
from studio.engine.compute.extractors import (
    Extractor,
    HandMade,
    candidates,
    tiny_pictures,
)
from studio.engine.compute.probe import Probe, Probed, distinct, growth, probe_of
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import joined, message
from studio.engine.training.backends import installed_backend
from studio.engine.workspace import RecordKind

TIMED = 32
"""Images by which the pace is measured, after as many to warm up."""

FEWEST, MOST = 200, 6000
"""Default number of images: fewer are too noisy, and from more the
linear model takes longer than the features."""

_CHUNK = 512


def baseline(context: JobContext) -> State:
    """Do a baseline job; the report is written beside the plan, and its figures are the result.

    Raises:
        BadDataError: The dataset cannot be read, or its images do not differ.
        StudioError: The requested network or weights are missing or do not fit.
        Cancelled: The job was asked to end; features computed so far are cached.
    """
    began = time.perf_counter()
    plan = context.job.plan(BaselinePlan)
    record = context.workspace.require(RecordKind.DATASET, plan.dataset)
    store = Store.open(record.folder, plan.dataset_version)
    every = draw_sample(store, None, plan.seed)
    compared = _compared(context, plan, store)
    extractor = compared.extractor
    images = plan.images or _affordable(plan, store, every, extractor, context)
    sample = draw_sample(store, images, plan.seed)
    features = extractor.features(sample.rows, context)
    probe = probe_of(sample.rows, features, store, plan.seed)
    groups = store.origins.groups
    probed = probe.measured(rounds_of(sample, store.strata, plan.seed, groups), context)
    chance = probe.chance(sample.learn, sample.measure)
    context.advance(0, 0, "Comparing with tiny images")
    scores = probe.score(probed.metrics), chance, _on_pixels(plan, store, sample)
    report = _report(plan, store, sample, extractor, probed, scores)
    gap = _origin_gap(store, sample, probe, plan.seed)
    seconds = time.perf_counter() - began
    notes = (*_comparison_notes(compared, report), *report.notes)
    report = report.model_copy(
        update={
            "origin_gap": gap,
            "seconds": seconds,
            "candidates": compared.scores,
            "notes": notes,
        }
    )
    context.artifact(REPORT, report.write(context.folder))
    context.result(_result(report))
    return State.COMPLETED


def _compared(context: JobContext, plan: BaselinePlan, store: Store) -> NetworkComparison:
    found = candidates(plan, store, context.workspace)
    if not found:
        return NetworkComparison(HandMade(store))
    context.advance(0, 0, "Loading the network")
    prepare_backend(installed_backend(), deterministic=False, seed=plan.seed, threads=None)
    return best_of(context, plan, store, found)


def _affordable(
    plan: BaselinePlan,
    store: Store,
    every: SampledImages,
    extractor: Extractor,
    context: JobContext,
) -> int:
    """Return the number of images that fit into the time; cached features cost none."""
    total = len(every.rows)
    stored = total - len(extractor.missing(every.rows))
    if stored == total or total <= FEWEST:
        return min(total, MOST)
    missing = extractor.missing(draw_sample(store, FEWEST, plan.seed).rows)
    if len(missing) < 2 * TIMED:  # an earlier baseline used these: so it could afford them
        missing = extractor.missing(every.rows)[: 2 * TIMED]
    extractor.features(missing[:TIMED], context)
    began = time.perf_counter()
    extractor.features(missing[TIMED : 2 * TIMED], context)
    each = (time.perf_counter() - began) / max(1, len(missing[TIMED : 2 * TIMED]))
    requested = round_number(int(plan.seconds / max(each, 1e-9)))
    return min(total, MOST, max(FEWEST, requested))


def _report(
    plan: BaselinePlan,
    store: Store,
    sample: SampledImages,
    extractor: Extractor,
    probed: Probed,
    scores: tuple[float, float, float],
) -> BaselineReport:
    score, chance, pixels = scores
    return BaselineReport(
        dataset=plan.dataset,
        dataset_version=store.version,
        task=store.task.name,
        classes=len(store.classes),
        features=extractor.source(),
        score=score,
        low=probed.low,
        high=probed.high,
        metrics=probed.metrics,
        chance=chance,
        pixels_score=pixels,
        measured_on=sample.measured_on,
        measured_images=probed.count,
        train_images=probed.curve[-1].images,
        train_images_there=sample.there,
        images=len(sample.rows),
        images_there=sum(store.counts().values()),
        curve=probed.curve,
        growth=growth(probed.curve, sample.there, plan.seed),
        notes=tuple(_notes(sample, extractor, store)),
        seconds=0.0,
        strength=probed.strength,
    )


def _on_pixels(plan: BaselinePlan, store: Store, sample: SampledImages) -> float:
    """Return the score of the same model on tiny pictures."""
    parts = range(0, len(sample.rows), _CHUNK)
    rows = sample.rows
    tiny = np.concatenate([tiny_pictures(store.images[rows[at : at + _CHUNK]]) for at in parts])
    probe = probe_of(rows, tiny, store, plan.seed)
    rounds = rounds_of(sample, store.strata, plan.seed, store.origins.groups)
    return probe.score(probe.whole(distinct(rounds)))


def _origin_gap(store: Store, sample: SampledImages, probe: Probe, seed: int) -> OriginGap | None:
    """Measure on known and on unseen origins; None if fewer than two are recognized."""
    origins = store.origins
    count = len(np.unique(origins.groups[sample.rows]))
    if origins.kind in ("none", "near_duplicates") or not 1 < count < len(sample.rows):
        return None
    rows = mixed(sample.rows, store.strata, seed)
    known = probe.scored(fold_rounds(rows, store.strata, seed))
    unseen = probe.scored(fold_rounds(rows, store.strata, seed, origins.groups))
    return OriginGap(
        kind=origins.kind,
        groups=count,
        known=known[0],
        known_interval=known[1:],
        unseen=unseen[0],
        unseen_interval=unseen[1:],
    )


def _comparison_notes(compared: NetworkComparison, report: BaselineReport) -> list[str]:
    """Return which networks were compared, with their scores, and which were left out."""
    if len(compared.scores) < 2:
        return list(compared.notes)
    scores = [
        message("{label}: {score}", label=each.label, score=report.metric.text(each.score))
        for each in compared.scores
    ]
    tried = message(
        "Compared by cross-validation on {count:,} of these images: {scores}. The best is used.",
        count=compared.scores[0].images,
        scores=joined(scores, "; "),
    )
    return [tried, *compared.notes]


def _notes(sample: SampledImages, extractor: Extractor, store: Store) -> list[str]:
    notes = []
    source = extractor.source()
    sampled, there = len(sample.rows), sum(store.counts().values())
    if not source.is_pretrained:
        notes.append(
            "There are no pretrained weights on this machine, so handcrafted color and edge "
            "features are used. For a better estimate, download ImageNet weights (MobileNetV2 is "
            "small) or name a file."
        )
    if source.is_pretrained and (source.height, source.width) != store.shape[:2]:
        notes.append(
            message(
                "The images of {stored_width}x{stored_height} were resized to {width}x{height} "
                "for the network.",
                stored_width=store.shape[1],
                stored_height=store.shape[0],
                width=source.width,
                height=source.height,
            )
        )
    used = sample.there + (0 if sample.measured_on == "folds" else len(sample.measure))
    if sampled < min(used, there):
        notes.append(
            message(
                "To meet the time limit, {count:,} of {total:,} images were used.",
                count=sampled,
                total=there,
            )
        )
    return notes


def _result(report: BaselineReport) -> dict[str, object]:
    """Return the figures for the journal and the command line."""
    return {
        "dataset": report.dataset,
        "version": report.dataset_version,
        "metric": report.metric.name,
        "score": report.score,
        **report.metrics,
        "interval": [report.low, report.high],
        "chance": report.chance,
        "pixels_score": report.pixels_score,
        "measured_on": report.measured_on,
        "measured_images": report.measured_images,
        "train_images": report.train_images,
        "features": report.features.model_dump(mode="json"),
        "curve": [each.model_dump(mode="json") for each in report.curve],
        "growth": report.growth.model_dump(mode="json"),
        "sentence": report.sentence,
        "origin_gap": None
        if report.origin_gap is None
        else report.origin_gap.model_dump(mode="json"),
        "notes": list(report.notes),
        "candidates": [each.model_dump(mode="json") for each in report.candidates],
        "seconds": report.seconds,
    }
