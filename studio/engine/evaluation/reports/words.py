"""What the figures are called, and how they are written, in reports."""

from __future__ import annotations

from studio.engine.evaluation.report import Corruption, Interval

LABELS: dict[str, str] = {
    "accuracy": "Accuracy",
    "top_5": "Top-5 accuracy",
    "loss": "Loss",
    "balanced_accuracy": "Balanced accuracy",
    "macro_precision": "Precision, macro",
    "macro_recall": "Recall, macro",
    "macro_f1": "F1, macro",
    "weighted_precision": "Precision, weighted",
    "weighted_recall": "Recall, weighted",
    "weighted_f1": "F1, weighted",
    "macro_roc_auc": "Area under ROC, macro",
    "macro_average_precision": "Average precision, macro",
    "calibration_error": "Calibration error",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "support": "Images",
    "roc_auc": "ROC area",
    "average_precision": "Average precision",
}
CORRUPTIONS: dict[Corruption, str] = {
    "blur": "Blur",
    "noise": "Noise",
    "jpeg": "JPEG quality",
    "brightness": "Brightness",
    "rotation": "Rotation",
    "occlusion": "Occlusion",
}
_PLAIN = {"loss"}


def value_text(name: str, value: float | None) -> str:
    """A figure as people read it: shares in percent, a loss with four digits."""
    if value is None:
        return "–"
    if name == "support":
        return f"{value:,.0f}"
    return f"{value:.4g}" if name in _PLAIN else f"{value * 100:.1f} %"


def interval_text(name: str, interval: Interval | None) -> str:
    """Where the middle 95 % of the resamples lie; empty without an interval."""
    if interval is None:
        return ""
    low, high = interval
    if name in _PLAIN:
        return f"{low:.4g} – {high:.4g}"
    return f"{low * 100:.1f} – {high * 100:.1f} %"


def split_text(split: str) -> str:
    """The images of a split."""
    return {"train": "training", "val": "validation", "test": "test"}[split]
