"""Layout of `report.json`, the file of a report on classes: all metrics are fields of it.

The reports of other tasks are stored as they are. Only `Report` reads and writes this layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from studio.engine.tasks import DEFAULT_TASK

CLASSES_FILE: Final = "report.json"
OF_CLASSES: Final = ("certainty", "robustness", "rank_resamples")
"""Fields of a report that only this layout has."""
_TOP: Final = 5
_METRICS: Final = (
    "accuracy",
    "top_5",
    "loss",
    "balanced_accuracy",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "weighted_precision",
    "weighted_recall",
    "weighted_f1",
    "macro_roc_auc",
    "macro_average_precision",
    "calibration_error",
)
CLASSES_IN_JOURNAL: Final = (
    *_METRICS,
    *("count", "top_k", "classes", "intervals", "gap", "warnings", "notes"),
)
_OF_CLASS: Final = ("precision", "recall", "f1", "roc_auc", "average_precision")
_CERTAINTY: Final = ("bins", "temperature", "temperature_missing", "coverage")
_OPTIONAL: Final = ("macro_roc_auc", "macro_average_precision", "roc_auc", "average_precision")
"""Metrics that need images of several classes."""


def class_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the file of a report.

    Args:
        values: Values of the fields of `Report`.
    """
    outputs, metrics = values["outputs"], dict(values["metrics"])
    shared = ("intervals", "resamples", "groups", "gap", "rank_resamples", "seed")
    return {
        **{name: values[name] for name in ("version", "created", "subject")},
        "classes": [each["name"] for each in outputs],
        "count": values["count"],
        "accuracy": metrics.pop("accuracy"),
        "top_k": min(_TOP, len(outputs)),
        **metrics,
        **{name: values[name] for name in shared},
        "per_class": [
            {**each["metrics"], "support": each["images"], "intervals": each["intervals"]}
            for each in outputs
        ],
        **values["certainty"],
        **{name: values[name] for name in ("robustness", "warnings", "notes")},
    }


def report_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the fields of `Report`.

    Args:
        values: Values of the file.

    Raises:
        ValueError: One is missing or of another type.
    """
    moved = {*_METRICS, *_CERTAINTY, "classes", "per_class", "top_k"}
    try:
        return {
            "task": DEFAULT_TASK.name,
            **{name: each for name, each in values.items() if name not in moved},
            "metrics": _metrics(values, _METRICS),
            "outputs": [
                {
                    "name": name,
                    "images": each["support"],
                    "metrics": _metrics(each, _OF_CLASS),
                    "intervals": each.get("intervals", {}),
                }
                for name, each in zip(values["classes"], values["per_class"], strict=True)
            ],
            "certainty": {name: values[name] for name in _CERTAINTY if name in values},
        }
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("a metric or a class is missing") from error


def _metrics(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return metrics by their names.

    Raises:
        ValueError: One is missing that is always measured.
    """
    found = {name: values.get(name) for name in names}
    if any(value is None and name not in _OPTIONAL for name, value in found.items()):
        raise ValueError("a metric is missing")
    return found
