"""Certificates and model cards of every task, as text."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.exporting.certificate import Certificate, compared
from studio.engine.exporting.formats import Variant
from studio.engine.exporting.plan import Tolerance
from studio.engine.exporting.readme import readme
from studio.engine.inference.models import ImageCard, ModelCard
from studio.engine.pretrained.sources import passport_of
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.classification.task import CLASSIFICATION
from studio.engine.tasks.multi_label.prediction import REPORTER as LABELS
from studio.engine.tasks.multi_label.task import MULTI_LABEL
from studio.engine.tasks.regression.targets import REPORTER as NUMBERS
from studio.engine.tasks.regression.task import REGRESSION
from studio.engine.tasks.task import Task

COUNTS = {"train": 100, "val": 20, "test": 10}
CLASSES = Certificate(
    split="test",
    count=100,
    accuracy=0.93,
    accuracy_change=-0.02,
    largest_difference=0.1,
    disagreements=2,
    size_bytes=1000,
    latency_ms=1.5,
    script_checked=True,
)


def numbers(file: float, model: float, scale: float = 2.0) -> Certificate:
    """Return the certificate of a file whose MAE differs from that of the model."""
    changes = {
        "task": "regression",
        "accuracy": None,
        "metrics": {"mae": file, "rmse": file, "r2": 0.5},
        "model_metrics": {"mae": model, "rmse": model, "r2": 0.5},
        "scale": scale,
        "disagreements": 0,
    }
    return CLASSES.model_copy(update=changes)


def test_numbers_are_compared_in_standard_deviations_of_their_targets() -> None:
    model = np.array([[1000.0, 0.001], [1100.0, 0.002]], np.float32)
    scales = np.array([100.0, 0.001])

    def disagree(change: tuple[float, float]) -> list[bool]:
        other = model + np.array([change, (0, 0)], np.float32)
        found = NUMBERS.disagree(model, other, Calibration(), scales)
        return [bool(each) for each in found]

    assert disagree((4.0, 0.0)) == [False, False]
    assert disagree((6.0, 0.0)) == [True, False]
    assert disagree((0.0, 4e-5)) == [False, False]
    assert disagree((0.0, 6e-5)) == [True, False]


def test_a_model_that_always_answers_the_same_may_round() -> None:
    model = np.full((5, 1), 3.0, np.float32)

    found = NUMBERS.disagree(model, model + 1e-6, Calibration(), np.array([2.0]))

    assert not found.any()


def test_the_last_bits_of_large_numbers_are_no_disagreement() -> None:
    # Neighbors of 5e6 in float32 are 0.5 apart, ten times the allowed part of a scale of 1.
    model = np.full((1, 1), 5e6, np.float32)

    for change, expected in ((0.5, False), (4.0, False), (6.0, True)):
        other = model + np.float32(change)
        found = NUMBERS.disagree(model, other, Calibration(), np.array([1.0]))
        assert found.tolist() == [expected]


def test_labels_are_compared_at_their_thresholds_whatever_the_scale() -> None:
    model = np.array([[0.2, 0.9]], np.float32)
    calibration = Calibration(thresholds=(0.3, 0.5))

    for change, expected in ((0.05, False), (0.15, True)):
        found = LABELS.disagree(model, model + change, calibration, np.array([1.0]))
        assert found.tolist() == [expected]


@pytest.mark.parametrize(
    ("certificate", "expected"),
    [
        (CLASSES, "Its accuracy is 2.00 points worse than that of the model; the tolerance is 1."),
        (
            numbers(0.55, 0.5),
            "Its MAE is 10.00 % worse than that of the model; the tolerance is 1.",
        ),
    ],
)
def test_a_shortcoming_names_the_main_metric(certificate: Certificate, expected: str) -> None:
    assert certificate.judged(Tolerance()).shortcomings == (expected,)


def test_rounding_is_no_loss_where_an_error_is_nearly_nothing() -> None:
    # A twentieth of the standard deviation is 0.1.
    assert numbers(2e-5, 1e-5).judged(Tolerance()).certified
    assert numbers(0.0020, 0.0).compared[0].lost == pytest.approx(2.0)
    assert not numbers(0.0020, 0.0).judged(Tolerance()).certified
    assert numbers(0.55, 0.5).compared[0].allowed(1) == pytest.approx(0.005)
    assert numbers(0.05, 0.05).compared[0].allowed(1) == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("file", "base", "expected"),
    [
        (CLASSES, CLASSES, "as large, same accuracy"),
        (CLASSES.model_copy(update={"accuracy": 0.95}), CLASSES, "accuracy 2.00 points better"),
        (numbers(0.55, 0.5), numbers(0.5, 0.5), "as large, MAE 10.00 % worse"),
    ],
)
def test_two_files_are_compared_by_the_main_metric(
    file: Certificate, base: Certificate, expected: str
) -> None:
    assert expected in compared(file, base).sentence


def card(task: Task, names: tuple[str, ...], **fields: object) -> ModelCard:
    values: dict[str, object] = {
        "model": "model.onnx",
        "task": task.name,
        "answers": task.answers,
        "classes": names,
        "image": ImageCard(width=8, height=8),
    }
    return ModelCard.model_validate(values | fields)


def test_the_model_card_of_numbers_names_units_and_intervals() -> None:
    calibration = Calibration(margins=(1.25, 0.004), images=1234)
    made = card(
        REGRESSION, ("weight", "a|b"), units=("g", ""), calibration=calibration, scales=(3.0, 1.0)
    )

    text = readme(made, numbers(0.5, 0.5), Variant.parse("onnx"), COUNTS)

    assert "| Quantity | Unit | Prediction interval |" in text
    assert "| `weight` | g | ± 1.25 |" in text
    assert "| `a_b` | – | ± 0.004 |" in text
    assert "95% of new images" in text
    assert "1,234 validation images" in text
    assert "| MAE | 0.5 |" in text
    assert "| Change of MAE | +0 |" in text
    assert "| Largest difference of an output | 0.1 standard deviations |" in text
    assert "| Tolerance | MAE 1 % (0.005) worse, 97 % the same predictions |" in text
    assert "5 % of its standard deviation" in text
    assert "accuracy" not in text.lower()


def test_the_model_card_of_labels_names_thresholds() -> None:
    certificate = CLASSES.model_copy(
        update={
            "task": "multi_label",
            "accuracy": None,
            "metrics": {"map": 0.9},
            "model_metrics": {"map": 0.9},
        }
    )
    made = card(MULTI_LABEL, ("cat", "dog"), calibration=Calibration(thresholds=(0.25, 0.5)))

    text = readme(made, certificate, Variant.parse("onnx"), COUNTS)

    assert "| Label | Threshold |" in text
    assert "| `cat` | 0.25 |" in text
    assert "| Tolerance | mAP 1 points worse, 97 % the same predictions |" in text
    assert "they have the same labels" in text


def test_the_model_card_does_not_call_unknown_weights_published() -> None:
    def text(name: str) -> str:
        passport = passport_of(dict.fromkeys(("code", "weights", "data"), name)).to_json()
        made = card(CLASSIFICATION, ("cat", "dog"))
        certificate = CLASSES.model_copy(update={"passport": passport})
        return readme(made, certificate, Variant.parse("onnx"), COUNTS)

    assert "Training began from published weights." in text("mit")
    assert "published weights" not in text("not-stated")
    assert "a file that Studio does not know" in text("not-stated")
    assert "## Licenses" not in readme(
        card(CLASSIFICATION, ("cat", "dog")), CLASSES, Variant.parse("onnx"), COUNTS
    )


def test_the_model_card_of_classes_lists_them() -> None:
    names = tuple(f"c{index}" for index in range(203))

    text = readme(card(CLASSIFICATION, names), CLASSES, Variant.parse("onnx"), COUNTS)

    assert "`c0`, `c1`" in text
    assert "`c199` and 3 more" in text
    assert "| Change of accuracy | -2.00 points |" in text
    assert "| Largest difference of an output | 0.1 |" in text
