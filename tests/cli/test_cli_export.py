"""`studio export`: formats and precisions in words, tables, and what is not certified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import Call, caller
from helpers.runs import append_events
from helpers.workers import LaunchScripts
from studio.engine.exporting.formats import FORMATS, ExportFormat, chosen_variants
from studio.engine.installation import install_command
from studio.engine.jobs.events import Artifact
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

FIGURES = {
    "split": "test",
    "count": 180,
    "accuracy": 0.9722,
    "accuracy_change": 0.0,
    "largest_difference": 1e-7,
    "disagreements": 0,
    "size_bytes": 252_300,
    "latency_ms": 0.2,
    "cpu_ms": 0.25,
    "relative_latency": {"ratio": 0.4, "low": 0.38, "high": 0.41, "cpu_ratio": 0.5},
    "others_share": 0.0,
    "script_checked": True,
    "latency_p95_ms": 0.3,
    "images_per_second": 34_309.0,
    "batch_size": 32,
    "runtime": "a runtime 1.0",
    "machine": "a machine, 2 CPU cores",
}
SHORT = {
    "accuracy": 0.95,
    "accuracy_change": -0.0222,
    "disagreements": 1,
    "size_bytes": 74_800,
    "latency_ms": 0.3,
    "relative_latency": {"ratio": 0.2, "low": 0.19, "high": 0.21, "cpu_ratio": 0.25},
    "others_share": 0.48,
    "certified": False,
    "shortcomings": [
        "Its accuracy is 2.22 points worse than that of the model; the tolerance is 1."
    ],
    "disagreeing": [{"row": 3, "path": "1/0731.png", "truth": "1", "model": "8", "file": "1"}],
}
# The real worker with the figures of a test for the work itself.
FAKE_EXPORT = """
import json, sys
from pathlib import Path
from studio.engine.errors import StudioError
from studio.engine.exporting.plan import ExportPlan
from studio.engine.worker import main
from studio.engine.workspace import Workspace
from studio.engine.jobs.states import State

def work(context):
    plan = context.job.plan(ExportPlan)
    figures, short = json.loads({documents!r})
    files = []
    for name in plan.variants:
        form, precision = name.split(":")
        made = figures | (short if precision == "int8" else dict())
        made |= dict(format=form, precision=precision)
        files.append(dict(format=form, precision=precision, path=plan.to + "/" + form,
                          certificate=made))
    context.result(dict(exports=files))
    if plan.to and "int8" in plan.variants[-1]:
        raise StudioError("Not certified: it loses 2.22 points", "It is marked.", "tolerance")
    return State.COMPLETED

main.handler_of = lambda job: work
folder = Path(sys.argv[1])
# Without what a worker does in the end: it would start real ones.
main.do_job(Workspace(folder.parent.parent), folder, int(sys.argv[2]))
"""


@pytest.fixture
def studio(
    capsys: pytest.CaptureFixture[str], workspace: Workspace, launch_scripts: LaunchScripts
) -> Call:
    """A workspace with a run that has a model, and workers that make figures up."""
    run = workspace.create(RecordKind.RUN, "net", TrainingPlan(dataset="d").to_json())
    append_events(run, [Artifact(name="model", path="model.keras")])
    code = FAKE_EXPORT.replace("{documents!r}", repr(json.dumps([FIGURES, SHORT])))
    launch_scripts(code)
    return caller(capsys, workspace.root)


def exports(document: Any) -> list[str]:
    return [f"{each['format']}:{each['precision']}" for each in document["exports"]]


def test_formats_are_compared_before_one_is_kept(studio: Call) -> None:
    words = ["export", "net", "--format", "tflite,onnx", "--precision", "float32,int8"]

    said = studio(*words)

    assert said.code == 0, said.err
    reported = "3.4 times smaller, 2.0 times faster, accuracy 2.22 points worse"
    assert f"LiteRT (TFLite) int8, against LiteRT (TFLite) float32: {reported}" in said.out
    assert "5.0 times faster (4.8 to 5.3)" in said.out
    assert "Other programs used 48% of the processors during the measurement" in said.out
    assert "NOT CERTIFIED: ONNX int8: Its accuracy is 2.22 points" in said.out
    assert "1/0731.png (1, not 8)" in said.out
    assert "No file was saved. Save one: studio export net --format tflite" in said.out
    names = ["tflite:float32", "tflite:int8", "onnx:float32", "onnx:int8"]
    assert exports(studio(*words, "--json").document) == names


@pytest.mark.thorough
def test_what_is_kept_and_not_certified_ends_with_a_mistake(studio: Call, tmp_path: Path) -> None:
    words = ["export", "net", "--format", "onnx", "--precision", "int8", "--to", str(tmp_path)]

    said = studio(*words, "--json")

    assert said.code == 2
    assert "studio: Not certified: it loses 2.22 points" in said.err
    assert not json.loads(said.out)["exports"][0]["certificate"]["certified"]
    assert "NOT CERTIFIED" in studio(*words).out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--format", "onnx", "--precision", "dynamic"], "Available: float32, float16, int8"),
        (["--format", "all", "--precision", "flot16"], 'Did you mean "float16"'),
        (["--format", "keras", "--tolerance", "much"], "must be a number"),
        (["--format", ","], "No format"),
    ],
)
def test_mistakes(studio: Call, words: list[str], expected: str) -> None:
    assert expected in studio("export", "net", *words).mistake


def test_a_missing_package_is_reported_with_the_install_command(
    studio: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"onnx": ["onnx", "tf2onnx"]}
    monkeypatch.setattr(ExportFormat, "missing", lambda each: missing.get(each.name, []))

    mistake = studio("export", "net", "--format", "onnx").mistake
    assert "ONNX needs onnx, tf2onnx, which are not installed" in mistake
    assert install_command("tensorflow", "onnx") in mistake
    said = studio("export", "net", "--format", "all")
    assert said.code == 0
    assert "Without ONNX: it needs onnx, tf2onnx" in said.err
    assert "onnx" not in said.out


def test_words_for_formats() -> None:
    def named(*words: list[str]) -> list[str]:
        return [each.name for each in chosen_variants(*words)]

    assert named(["keras"], []) == ["keras:float32"]
    assert named(["tflite"], ["all"]) == [
        f"tflite:{each}" for each in FORMATS["tflite"].precisions
    ]
    every = named(["all"], [])
    assert {"weights:float32", "onnx:int8", "tflite:dynamic"} <= set(every)
    assert not [name for name in every if name.startswith(("script", "bundle"))]
    assert set(named(["all"], ["int8"])) == {"tflite:int8", "onnx:int8"}
    assert named(["onnx", "onnx"], ["int8"]) == ["onnx:int8"]


def test_every_format_has_a_runtime() -> None:
    assert all(each.script.is_file() for each in FORMATS)
