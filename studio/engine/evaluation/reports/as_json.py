"""All figures of an evaluation as one JSON document, with confusion matrix and curves."""

from __future__ import annotations

import json
from typing import Any

from studio.engine.evaluation.opened import CurvePair, Evaluated

POINTS = 101
"""Of each curve, at most."""


def json_document(evaluated: Evaluated) -> dict[str, Any]:
    """Plain data; what is not known is None.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    document = report.model_dump(mode="json")
    for name, figures in zip(report.classes, document["per_class"], strict=True):
        figures["class"] = name
    return {
        "run": report.subject.run,
        "model": report.subject.title,
        "dataset": report.subject.dataset_name,
        "split": report.subject.split,
        **document,
        "confusion_matrix": evaluated.confusion.tolist(),
        "curves": [
            _curves(name, found)
            for name, found in zip(report.classes, evaluated.all_curves(POINTS), strict=True)
        ],
    }


def json_text(evaluated: Evaluated) -> str:
    """The document as text.

    Raises:
        BadDataError: The probabilities are missing.
    """
    return json.dumps(json_document(evaluated), ensure_ascii=False, allow_nan=False) + "\n"


def _curves(name: str, found: CurvePair | None) -> dict[str, Any]:
    document: dict[str, Any] = {"class": name, "roc": None, "pr": None}
    if found is not None:
        (false_positive, true_positive), (recall, precision) = found
        document["roc"] = {
            "false_positive_rate": false_positive.tolist(),
            "true_positive_rate": true_positive.tolist(),
        }
        document["pr"] = {"recall": recall.tolist(), "precision": precision.tolist()}
    return document
