"""What the export page decides, without Qt."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.exporting.certificate import Certificate
from studio.engine.jobs.states import State
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.pages.export.state import (
    Exported,
    Obstacle,
    command_line,
    is_unchanged,
    latest_certificate,
    obstacle,
    read_result,
    to_show,
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
    return Exported(export_id, "r", export_id, "keras", state, 0.0, None, certificate)


@pytest.mark.parametrize(
    ("choice", "folder", "has_format", "is_asking", "expected"),
    [
        (CHOICE, "/tmp/x", True, False, None),
        (CHOICE, "~/models", True, False, None),
        (None, "/tmp/x", True, False, Obstacle.NO_RUN),
        (CHOICE, "/tmp/x", False, False, Obstacle.PACKAGE_MISSING),
        (CHOICE, "  ", True, False, Obstacle.NO_FOLDER),
        (CHOICE, "beside/me", True, False, Obstacle.NO_FOLDER),
        (CHOICE, "/tmp/x", True, True, Obstacle.ASKING),
    ],
)
def test_why_export_cannot_be_pressed(
    choice: RunChoice | None,
    folder: str,
    has_format: bool,
    is_asking: bool,
    expected: Obstacle | None,
) -> None:
    assert obstacle(choice, folder, has_format=has_format, is_asking=is_asking) is expected


def test_the_newest_file_with_a_certificate_speaks_for_its_format() -> None:
    other = CERTIFICATE.model_copy(update={"size_bytes": 2})
    exports = [export("c", State.FAILED, None), export("b", certificate=other), export("a")]
    assert latest_certificate(exports, "r", "keras") == other
    assert latest_certificate(exports, "another", "keras") is None
    assert latest_certificate(exports, "r", "onnx") is None


def test_what_is_shown_at_the_right() -> None:
    exports = [export("new"), export("going", State.RUNNING, None), export("old")]
    assert to_show(exports, "old") is exports[2]
    assert to_show(exports, "") is exports[1]
    assert to_show(exports[::2], "gone") is exports[0]
    assert to_show([], "") is None


def test_a_result_of_another_version_does_not_break_the_page() -> None:
    assert read_result({}) == (None, None)
    assert read_result({"path": "/x", "certificate": {"accuracy": "?"}}) == (Path("/x"), None)
    full = {"path": "/x", "certificate": CERTIFICATE.model_dump()}
    assert read_result(full) == (Path("/x"), CERTIFICATE)


def test_any_difference_is_said() -> None:
    assert is_unchanged(CERTIFICATE)
    assert not is_unchanged(CERTIFICATE.model_copy(update={"disagreements": 1}))
    assert not is_unchanged(CERTIFICATE.model_copy(update={"accuracy_change": -0.01}))


def test_the_command_survives_spaces() -> None:
    line = command_line(Path("/home/a b/models"))
    assert line == 'python "/home/a b/models/predict.py" "/home/a b/models/example.png"'
