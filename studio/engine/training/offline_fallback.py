"""Settings of a run whose pretrained weights could not be downloaded."""

from __future__ import annotations

from typing import Any

from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import Suggestion, is_photo, recommend
from studio.engine.workspace import Record

NETWORK_FIELDS = frozenset(
    {
        "network",
        "design",
        "weights",
        "offline_fallback",
        "freeze",
        "head_solver",
        "backbone_rate",
        "head_rate",
    }
)
"""Fields that describe the use of pretrained weights, which a network without them lacks."""


def fallback_of(plan: TrainingPlan, dataset: Record) -> dict[str, Any]:
    """Return the changed fields of a plan that trains without its pretrained weights.

    Args:
        plan: Plan whose weights are missing.
        dataset: Its dataset.

    Returns:
        New values by field, as in JSON. Values that a person has changed are not among them.

    Raises:
        StudioError: The dataset cannot be read.
    """
    summary = dataset_summary(dataset.folder, plan.dataset_version)
    ways = recommend(summary, (), is_photo=is_photo(dataset.folder, summary))
    scratch = next(way for way in ways if way.kind == "scratch")
    planned = [way for way in ways if way.kind == "download"]
    return changed_values(plan, summary, scratch, planned[0] if planned else None)


def changed_values(
    plan: TrainingPlan, dataset: DatasetSummary, scratch: Suggestion, planned: Suggestion | None
) -> dict[str, Any]:
    """Return what must change in a plan to follow another suggestion.

    Args:
        plan: The plan.
        dataset: Summary of its dataset.
        scratch: Suggestion without pretrained weights.
        planned: Suggestion that the plan followed; None if unknown.
    """
    start = TrainingPlan(dataset=plan.dataset, dataset_version=plan.dataset_version)
    target = scratch.apply(start, dataset).model_dump(mode="json")
    before = start if planned is None else planned.apply(start, dataset)
    recommended, current = before.model_dump(mode="json"), plan.model_dump(mode="json")
    return {
        name: value
        for name, value in target.items()
        if value != current[name]
        and (name in NETWORK_FIELDS or current[name] == recommended[name])
    }
