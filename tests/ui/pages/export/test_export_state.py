"""What the export page decides, without Qt."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.exporting.certificate import (
    Certificate,
    ExportedFile,
    base_of,
    compared,
    files_of,
    load_note,
    relative_words,
    result_of,
)
from studio.engine.exporting.plan import Tolerance
from studio.engine.jobs.states import State
from studio.engine.timing import RelativeLatency
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.pages.export.messages import (
    against_keras,
    comparison,
    load_warning,
    verdict,
    why_not,
)
from studio.ui.pages.export.state import (
    Exported,
    command_line,
    is_unchanged,
    latest_certificate,
)

CHOICE = RunChoice("r", "run", Path("/w/runs/r"), 0.9, False, "d", Path("/w/datasets/d"))
CERTIFICATE = Certificate(
    split="test",
    count=100,
    accuracy=0.97,
    accuracy_change=0.0,
    largest_difference=1e-6,
    disagreements=0,
    size_bytes=1000,
    latency_ms=1.5,
    script_checked=True,
)


def export(
    export_id: str, state: State = State.COMPLETED, certificate: Certificate | None = CERTIFICATE
) -> Exported:
    files = () if certificate is None else (ExportedFile(format="keras", certificate=certificate),)
    return Exported(
        id=export_id,
        run="r",
        name=export_id,
        variants=("keras:float32",),
        state=state,
        created=0.0,
        files=files,
    )


@pytest.mark.parametrize(
    ("choice", "folder", "has_format", "is_asking", "expected"),
    [
        (CHOICE, "/tmp/x", True, False, ""),
        (CHOICE, "~/models", True, False, ""),
        (None, "/tmp/x", True, False, "Choose a model first."),
        (CHOICE, "/tmp/x", False, False, "Check at least one format."),
        (CHOICE, "  ", True, False, "Choose a folder by its full path first."),
        (CHOICE, "beside/me", True, False, "Choose a folder by its full path first."),
        (CHOICE, "/tmp/x", True, True, "The export is starting."),
    ],
)
def test_disabled_export_gives_its_reason(
    choice: RunChoice | None,
    folder: str,
    has_format: bool,
    is_asking: bool,
    expected: str,
) -> None:
    assert why_not(choice, folder, has_format=has_format, is_asking=is_asking) == expected
    without = why_not(choice, None, has_format=has_format, is_asking=is_asking)
    assert without == ("" if "folder" in expected else expected)


def test_the_newest_file_with_a_certificate_speaks_for_its_format() -> None:
    other = CERTIFICATE.model_copy(update={"size_bytes": 2})
    exports = [export("c", State.FAILED, None), export("b", certificate=other), export("a")]
    assert latest_certificate(exports, "r", "keras") == other
    assert latest_certificate(exports, "another", "keras") is None
    assert latest_certificate(exports, "r", "onnx") is None


def test_a_result_of_another_version_does_not_break_the_page() -> None:
    assert files_of({}) == ()
    assert files_of({"path": "/x", "certificate": {"accuracy": "?"}}) == ()
    assert files_of({"exports": 3}) == ()
    first = ("split", "count", "accuracy", "accuracy_change", "largest_difference")
    old = {*first, "disagreements", "size_bytes", "latency_ms", "script_checked"}
    result = {"path": "/x", "certificate": CERTIFICATE.model_dump(include=old)}
    (file,) = files_of(result)
    assert (file.name, file.path, file.certificate) == ("keras:float32", "/x", CERTIFICATE)
    assert files_of(result_of([file])) == (file,)


def test_files_are_compared_with_the_float32_of_their_format() -> None:
    small = CERTIFICATE.model_copy(update={"size_bytes": 250, "accuracy": 0.966})
    keras = ExportedFile(format="keras", certificate=CERTIFICATE)
    full = ExportedFile(format="onnx", certificate=CERTIFICATE)
    int8 = ExportedFile(format="onnx", precision="int8", certificate=small)
    files = [keras, full, int8]
    assert [base_of(each, files) for each in files] == [None, keras, full]
    assert base_of(int8, [keras, int8]) is keras
    found = compared(timed(small, 0.5), timed(CERTIFICATE, 1.5))
    assert found.sentence == "4.0 times smaller, 3.0 times faster, accuracy 0.40 points worse"


def timed(
    certificate: Certificate, ratio: float, noise: float = 0.02, **changes: float
) -> Certificate:
    """A certificate of a file that was measured in turns with the Keras model."""
    relative = RelativeLatency(
        ratio=ratio,
        low=ratio * (1 - noise),
        high=ratio * (1 + noise),
        cpu_ratio=changes.pop("cpu_ratio", ratio),
    )
    return certificate.model_copy(update={"relative_latency": relative, **changes})


def test_speed_is_compared_only_where_it_was_measured_in_turns() -> None:
    old = CERTIFICATE.model_copy(update={"latency_ms": 0.2})
    assert compared(old, timed(CERTIFICATE, 1)).faster is None
    assert "as large, same accuracy" in comparison(compared(old, CERTIFICATE), "Keras")
    # What the clock said on a busy machine has no part in it.
    slow = timed(CERTIFICATE, 0.5, latency_ms=9.0)
    assert compared(slow, timed(CERTIFICATE, 1)).faster == pytest.approx(2)


def test_a_difference_within_the_noise_is_not_significant() -> None:
    noisy = compared(timed(CERTIFICATE, 0.8, 0.2), timed(CERTIFICATE, 1, 0.2))
    assert noisy.faster == 1
    assert "about as fast" in noisy.sentence
    assert "about as fast" in comparison(noisy, "Keras")


def test_on_a_busy_machine_processor_time_must_not_contradict() -> None:
    base = timed(CERTIFICATE, 1)
    assert compared(timed(CERTIFICATE, 0.5, cpu_ratio=2.0), base).faster == pytest.approx(2)
    busy = timed(CERTIFICATE, 0.5, cpu_ratio=2.0, others_share=0.5)
    assert compared(busy, base).faster is None
    assert against_keras(busy) == relative_words(busy) == "unreliable: the machine was busy"
    agreed = timed(CERTIFICATE, 0.5, cpu_ratio=0.6, others_share=0.5)
    assert compared(agreed, base).faster == pytest.approx(2)
    assert against_keras(agreed) == relative_words(agreed) == "2.0 times faster (2.0 to 2.0)"
    assert "50" in load_note(agreed)
    assert "50" in load_warning(agreed)
    assert not load_note(base)
    assert not load_warning(base)


def test_any_difference_is_reported() -> None:
    assert is_unchanged(CERTIFICATE)
    assert not is_unchanged(CERTIFICATE.model_copy(update={"disagreements": 1}))
    assert not is_unchanged(CERTIFICATE.model_copy(update={"accuracy_change": -0.01}))


def test_the_command_survives_spaces() -> None:
    line = command_line(Path("/home/a b/models"))
    assert line == 'python "/home/a b/models/predict.py" "/home/a b/models/example.png"'


def test_the_command_names_the_example_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "example.npy").touch()

    assert command_line(tmp_path).endswith('example.npy"')


@pytest.mark.parametrize(
    ("share", "parts"),
    [("", "images"), ("pixel_agreement", "pixels"), ("box_agreement", "boxes")],
)
def test_agreement_is_that_of_images_pixels_or_boxes(share: str, parts: str) -> None:
    agreement = {share: 0.9} if share else {"disagreements": 10}
    made = CERTIFICATE.model_copy(update=agreement).judged(Tolerance())
    gap = "\N{NO-BREAK SPACE}"
    expected = f"agrees with the model on 90.0{gap}% of the {parts}; the tolerance is 97{gap}%."
    assert verdict(made) == f"Not certified. It {expected}"
